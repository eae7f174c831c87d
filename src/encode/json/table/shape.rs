//! The columns that the objects of an array have in common. Nested objects are flattened by path.
//!
//! It reads JSON as `scan::minify` writes it. A value is a slice of the text and is interpreted only if necessary.
//! Objects that a table cannot hold without loss are declined.

use crate::formats::json::{self, Skipped, value_end};
use crate::text::reason::Reason;

/// Most columns of a table.
pub const MAX_COLUMNS: usize = 64;
/// Most segments of a path: objects that are nested deeper are not flattened.
const MAX_PATH: usize = 4;
/// Deepest nesting inside a cell.
const MAX_CELL_DEPTH: usize = 3;

/// The type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Numbers without fraction and exponent.
    Int,
    /// Numbers of any form.
    Float,
    /// `true` and `false`.
    Bool,
    /// Text.
    String,
    /// Nothing but `null`.
    Null,
    /// Arrays and empty objects, as JSON.
    Json,
}

impl Type {
    /// All types.
    pub const ALL: [Self; 6] = [Self::Int, Self::Float, Self::Bool, Self::String, Self::Null, Self::Json];

    /// The name in a header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Null => "null",
            Self::Json => "json",
        }
    }

    /// The type of a value as it is written; `None` for an object with members.
    fn of(value: &str) -> Option<Self> {
        Some(match value.as_bytes() {
            [b'"', ..] => Self::String,
            [b't' | b'f', ..] => Self::Bool,
            [b'n', ..] => Self::Null,
            [b'[', ..] | [b'{', b'}'] => Self::Json,
            [b'{', ..] => return None,
            number if number.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) => Self::Float,
            _ => Self::Int,
        })
    }
}

/// A key at a path.
#[derive(Debug)]
struct Node<'a> {
    /// The key as it is written, with its quotes.
    key: &'a str,
    children: Vec<usize>,
    /// One bit per type of the values here, except objects with members.
    types: u8,
}

/// A column of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Column<'a> {
    /// Keys from the outside in, each as it is written, with its quotes.
    pub path: Vec<&'a str>,
    /// The type of its cells, apart from `null`.
    pub kind: Type,
}

/// A cell: its column and its value as it is written.
pub type Cell<'a> = (usize, &'a str);

/// Objects that share their columns.
#[derive(Debug)]
pub struct Shape<'a> {
    /// The columns in the order of the keys.
    pub columns: Vec<Column<'a>>,
    /// The objects as they are written.
    pub rows: Vec<&'a str>,
    /// The number of items of the array, if a marker among the rows says that some are missing.
    pub all: Option<usize>,
    cells: Vec<Cell<'a>>,
    ends: Vec<usize>,
}

impl<'a> Shape<'a> {
    /// Reads objects; an error when they are too different or nested too deeply.
    pub fn read(rows: Vec<&'a str>) -> Result<Self, Reason> {
        let all = items_of(&rows)?;
        let root = Node { key: "", children: Vec::new(), types: 0 };
        let mut reader = Reader { nodes: vec![root], cells: Vec::new() };
        // The longest row has most of the keys, and so most of their order.
        if let Some(longest) = rows.iter().filter(|row| !is_marker(row)).max_by_key(|row| row.len()) {
            reader.object(longest, 0, 0, 1)?;
            reader.cells.clear();
        }
        let mut ends = Vec::with_capacity(rows.len());
        for row in &rows {
            if !is_marker(row) {
                reader.object(row, 0, 0, 1)?;
            }
            ends.push(reader.cells.len());
        }
        let mut columns = Vec::new();
        let mut place = vec![0; reader.nodes.len()];
        reader.columns(0, &mut Vec::new(), &mut columns, &mut place)?;
        for cell in &mut reader.cells {
            cell.0 = place[cell.0];
        }
        Ok(Self { columns, rows, all, cells: reader.cells, ends })
    }

    /// The cells of a row, in the order of the columns.
    pub fn cells(&self, row: usize) -> &[Cell<'a>] {
        let start = row.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(row).and_then(|&end| self.cells.get(start..end)).unwrap_or_default()
    }
}

struct Reader<'a> {
    /// The first node is the object itself.
    nodes: Vec<Node<'a>>,
    /// Cells, with the node in place of the column.
    cells: Vec<Cell<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads the object at `at`; returns the offset after it.
    fn object(&mut self, text: &'a str, at: usize, node: usize, depth: usize) -> Result<usize, Reason> {
        let bytes = text.as_bytes();
        let mut at = at + 1;
        let mut next = 0;
        if bytes.get(at) == Some(&b'}') {
            return Ok(at + 1);
        }
        loop {
            let end = string_end(bytes, at);
            let key = text.get(at..end).ok_or(Reason::NotRecognized)?;
            let child = self.child(node, key, &mut next)?;
            // A member that reports a failure has a blank after its colon.
            at = end + 1 + usize::from(bytes.get(end + 1) == Some(&b' '));
            if bytes.get(at) == Some(&b'{') && bytes.get(at + 1) != Some(&b'}') {
                if depth == MAX_PATH {
                    return Err(Reason::DeepItems);
                }
                at = self.object(text, at, child, depth + 1)?;
            } else {
                let Skipped { end, depth: nesting } = value_end(bytes, at);
                if nesting > MAX_CELL_DEPTH {
                    return Err(Reason::DeepItems);
                }
                let value = text.get(at..end).ok_or(Reason::NotRecognized)?;
                let kind = Type::of(value).ok_or(Reason::NotRecognized)?;
                self.nodes[child].types |= 1 << kind as u8;
                self.cells.push((child, value));
                at = end;
            }
            match bytes.get(at) {
                Some(b',') => at += 1,
                Some(b'}') => return Ok(at + 1),
                _ => return Err(Reason::NotRecognized),
            }
        }
    }

    /// The node of a key. Keys must come in the order of the earlier objects; a new one goes after the last.
    fn child(&mut self, node: usize, key: &'a str, next: &mut usize) -> Result<usize, Reason> {
        let children = &self.nodes[node].children;
        if let Some(&child) = children.get(*next)
            && self.nodes[child].key == key
        {
            *next += 1;
            return Ok(child);
        }
        if let Some(place) = children.iter().position(|&child| self.nodes[child].key == key) {
            if place < *next {
                return Err(Reason::MixedItems);
            }
            *next = place + 1;
            return Ok(children[place]);
        }
        // Two ways to write one key could hide that it is there twice.
        if self.nodes.len() > MAX_COLUMNS || key.contains("\\u") || key.contains("\\/") {
            return Err(Reason::MixedItems);
        }
        let new = self.nodes.len();
        self.nodes.push(Node { key, children: Vec::new(), types: 0 });
        self.nodes[node].children.insert(*next, new);
        *next += 1;
        Ok(new)
    }

    fn columns(
        &self,
        node: usize,
        path: &mut Vec<&'a str>,
        columns: &mut Vec<Column<'a>>,
        place: &mut [usize],
    ) -> Result<(), Reason> {
        if self.nodes[node].types != 0 {
            place[node] = columns.len();
            columns.push(Column { path: path.clone(), kind: common(self.nodes[node].types)? });
        }
        for &child in &self.nodes[node].children {
            path.push(self.nodes[child].key);
            self.columns(child, path, columns, place)?;
            path.pop();
        }
        Ok(())
    }
}

/// The type of a column whose values have these types.
fn common(types: u8) -> Result<Type, Reason> {
    let bit = |kind: Type| 1u8 << kind as u8;
    let rest = types & !bit(Type::Null);
    let numbers = bit(Type::Int) | bit(Type::Float);
    match rest {
        0 => Ok(Type::Null),
        rest if rest == numbers => Ok(Type::Float),
        rest => Type::ALL.into_iter().find(|kind| rest == bit(*kind)).ok_or(Reason::MixedItems),
    }
}

/// The offset after the string that starts at `at`; the end of the text if it is not closed.
pub fn string_end(bytes: &[u8], at: usize) -> usize {
    json::string_end(bytes, at, b'"').unwrap_or(bytes.len())
}

/// Whether an item is the marker of a gap in the array.
pub fn is_marker(item: &str) -> bool {
    item.starts_with("\"[tersed")
}

/// The number of items of an array of which `rows` are shown, by the marker among them that counts the missing ones;
/// an error if markers do not show it. `None` without a marker: then all items are shown.
pub fn items_of(rows: &[&str]) -> Result<Option<usize>, Reason> {
    let mut markers = rows.iter().filter(|row| is_marker(row));
    let Some(marker) = markers.next() else { return Ok(None) };
    let all = || {
        let (_, said) = marker.split_once(": omitted ")?;
        let (hidden, rest) = said.split_once(" of ")?;
        let (all, rest) = rest.split_once(' ')?;
        let shown = rows.len() - 1;
        // Only members of the objects may be missing: then all objects are present.
        if !rest.starts_with("items") {
            return Some(shown);
        }
        let (hidden, all): (usize, usize) = (hidden.parse().ok()?, all.parse().ok()?);
        (hidden.checked_add(shown)? == all).then_some(all)
    };
    match markers.next() {
        None => all().map(Some).ok_or(Reason::MixedItems),
        Some(_) => Err(Reason::MixedItems),
    }
}

/// The items of the array that starts at `at`, if all are objects or markers, and the offset after it.
pub fn objects(text: &str, at: usize) -> Option<(Vec<&str>, usize)> {
    let bytes = text.as_bytes();
    let mut rows = Vec::new();
    let mut at = at + 1;
    loop {
        let end = value_end(bytes, at).end;
        let item = text.get(at..end)?;
        if !item.starts_with('{') && !is_marker(item) {
            return None;
        }
        rows.push(item);
        at = end + 1;
        match bytes.get(end) {
            Some(b',') => {}
            Some(b']') => return Some((rows, at)),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str) -> Result<String, Reason> {
        let (rows, end) = objects(text, 0).ok_or(Reason::NothingToDo)?;
        assert_eq!(end, text.len());
        let shape = Shape::read(rows)?;
        let column = |c: &Column<'_>| format!("{}:{}", c.path.join("."), c.kind.name());
        Ok(shape.columns.iter().map(column).collect::<Vec<_>>().join(",").replace('"', ""))
    }

    #[test]
    fn columns_are_the_keys_in_their_order() {
        for (text, expected) in [
            (r#"[{"a":1,"b":"x"},{"a":2,"b":null}]"#, "a:int,b:string"),
            (r#"[{"a":1},{"a":1.50},{"a":-1e9}]"#, "a:float"),
            (r#"[{"a":null,"c":true},{"a":null,"b":[],"c":false}]"#, "a:null,b:json,c:bool"),
            (r#"[{"a":{"x":1,"y":{"z":""}},"b":1}]"#, "a.x:int,a.y.z:string,b:int"),
            (r#"[{"a":null,"b":1},{"a":{"x":1},"b":2},{"b":3}]"#, "a:null,a.x:int,b:int"),
            (r#"[{"a":{},"b":1},{"a":{"x":1},"b":2}]"#, "a:json,a.x:int,b:int"),
            (r#"[{"a": "failed","b":1}]"#, "a:string,b:int"),
            (r#"["[tersed: omitted 2 of 3 items, array_items]",{"a":1}]"#, "a:int"),
        ] {
            assert_eq!(columns(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_a_table_cannot_hold() {
        for (text, why) in [
            (r#"[{"a":1},{"a":"1"}]"#, Reason::MixedItems),
            (r#"[{"a":true},{"a":0}]"#, Reason::MixedItems),
            (r#"[{"a":[1]},{"a":1}]"#, Reason::MixedItems),
            (r#"[{"a":1,"b":2},{"b":2,"a":1}]"#, Reason::MixedItems),
            (r#"[{"a":1,"a":2}]"#, Reason::MixedItems),
            (r#"[{"a":{"x":1},"a":{"y":1}}]"#, Reason::MixedItems),
            (r#"[{"\u0061":1,"a":1}]"#, Reason::MixedItems),
            (r#"[{"a":{"b":{"c":{"d":{"e":1}}}}}]"#, Reason::DeepItems),
            (r#"[{"a":[[[[1]]]]}]"#, Reason::DeepItems),
            (r#"[{"a":1},2]"#, Reason::NothingToDo),
            (r#"[1,{"a":1}]"#, Reason::NothingToDo),
        ] {
            assert_eq!(columns(text), Err(why), "{text}");
        }
    }
}
