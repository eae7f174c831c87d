//! XML documents: repeated elements, long texts and, if nothing else helps, long attributes. The output is
//! well-formed. Markers are comments; inside a text or an attribute they are text.
//!
//! White space stays unless the document holds data: then no element that contains elements has text of its own, and
//! indentation is removed (`is_data`, also for the lossless encoder). Tags are parsed by their grammar; a document that does
//! not balance is declined.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use foldhash::fast::FixedState;

use super::json::Written;
use super::plan::{Item, Ranking, Series, Value};
use super::strings::{self, Escapes};
use super::{Limits, exact};
use crate::formats::xml::{Kind, NONE, Node, is_layout, name};
use crate::text::dates::{Date, date};
use crate::text::marker::{Marker, Unit};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::signals;

/// Fewest bytes that an omission must save. A choice: about what its marker takes.
const MIN_SAVED_BYTES: usize = 80;
/// Longest text of an element that is compared with those of others, in bytes. A choice: longer ones are prose.
const MAX_FIELD_BYTES: usize = 64;

/// A parsed document.
pub struct Document<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    exact: Vec<Range<usize>>,
    about: &'a Relevance,
    is_dense: bool,
    rankings: HashMap<(u32, u64), Ranking, FixedState>,
}

impl<'a> Document<'a> {
    /// `nodes` belong to `text`; `exact` are ranges that must stay, in order. `is_dense` removes indentation.
    pub fn new(
        text: &'a str,
        mut nodes: Vec<Node>,
        exact: Vec<Range<usize>>,
        about: &'a Relevance,
        is_dense: bool,
    ) -> Self {
        exact::mark(&mut nodes, &exact);
        Self { text, nodes, exact, about, is_dense, rankings: HashMap::default() }
    }

    /// Writes the document under some limits.
    pub fn write(&mut self, limits: Limits) -> Written {
        let out = Written { text: String::new(), omitted: 0, reason: Reason::NothingToDo };
        let mut writer = Writer { document: self, limits, out };
        let len = writer.document.nodes.len() as u32;
        writer.siblings(NONE, 0..len, 0);
        writer.out
    }
}

struct Writer<'d, 'a> {
    document: &'d mut Document<'a>,
    limits: Limits,
    out: Written,
}

impl Writer<'_, '_> {
    fn copy(&mut self, range: Range<usize>) {
        self.out.text.push_str(self.document.text.get(range).unwrap_or_default());
    }

    fn leave(&mut self, bytes: usize, reason: Reason) {
        if self.out.omitted == 0 {
            self.out.reason = reason;
        }
        self.out.omitted += bytes;
    }

    /// Writes the content of an element, or the whole document.
    fn siblings(&mut self, parent: u32, nodes: Range<u32>, depth: usize) {
        let children = children(&self.document.nodes, nodes);
        let keep = self.chosen(parent, &children);
        let gone: Vec<u32> =
            children.iter().zip(&keep).filter(|(_, keep)| !**keep).map(|(c, _)| *c).collect();
        let bytes: usize = gone.iter().map(|&c| self.bytes(c)).sum();
        let is_cut = bytes >= MIN_SAVED_BYTES;
        let of = children.iter().filter(|&&c| self.document.nodes[c as usize].kind == Kind::Element).count();
        let names = self.names(&gone);
        let marker = Marker::Parts {
            count: gone.len(),
            of,
            unit: Unit::Elements,
            reason: Reason::Siblings.code().to_owned(),
            names,
        };
        let mut marker = Some(marker).filter(|_| is_cut);
        let mut was_left = false;
        for (&child, keep) in children.iter().zip(&keep) {
            let node = self.document.nodes[child as usize];
            if is_cut && !keep {
                if let Some(marker) = marker.take() {
                    self.comment(&marker);
                }
                self.leave(self.bytes(child), Reason::Siblings);
                was_left = true;
                continue;
            }
            let is_blank = is_layout(self.document.text, &self.document.nodes, child as usize);
            // The indentation of a removed element is removed with it.
            if is_blank && (self.document.is_dense || was_left) {
                continue;
            }
            was_left = false;
            match node.kind {
                Kind::Element => self.element(child, depth),
                Kind::Text => self.value(node.start as usize..node.end as usize, node.must),
                Kind::Other => self.copy(node.start as usize..node.end as usize),
            }
        }
    }

    fn bytes(&self, child: u32) -> usize {
        let node = self.document.nodes[child as usize];
        (node.end - node.start) as usize
    }

    fn comment(&mut self, marker: &Marker) {
        self.out.text.push_str(&format!("<!-- {} -->", marker.write()));
    }

    fn element(&mut self, i: u32, depth: usize) {
        let node = self.document.nodes[i as usize];
        self.tag(node);
        let inside = i + 1..node.next;
        let size = (node.close - node.open) as usize;
        let has_elements = inside.clone().any(|c| self.document.nodes[c as usize].kind == Kind::Element);
        if depth >= self.limits.depth && !node.must && has_elements && size > MIN_SAVED_BYTES {
            let count = children(&self.document.nodes, inside.clone());
            let count =
                count.iter().filter(|&&c| self.document.nodes[c as usize].kind == Kind::Element).count();
            let marker = Marker::Parts {
                count,
                of: count,
                unit: Unit::Elements,
                reason: Reason::DeepValue.code().to_owned(),
                names: None,
            };
            self.comment(&marker);
            self.leave(size, Reason::DeepValue);
        } else if !inside.is_empty() {
            self.siblings(i, inside, depth + 1);
        }
        self.copy(node.close.max(node.open) as usize..node.end as usize);
    }

    /// A start tag. A reader compares the values of attributes, so long ones are cut only if the document would not
    /// fit otherwise.
    fn tag(&mut self, node: Node) {
        let range = node.start as usize..node.open as usize;
        let limit = self.limits.string.unwrap_or(usize::MAX);
        if range.len() <= limit || node.must || self.limits.halvings == 0 {
            return self.copy(range);
        }
        let text = self.document.text;
        let mut at = range.start;
        while let Some(open) = memchr::memchr2(b'"', b'\'', &text.as_bytes()[at..range.end]) {
            let start = at + open + 1;
            let Some(len) = memchr::memchr(text.as_bytes()[start - 1], &text.as_bytes()[start..range.end])
            else {
                break;
            };
            self.copy(at..start);
            self.value(start..start + len, false);
            at = start + len;
            self.copy(at..at + 1);
            at += 1;
        }
        self.copy(at..range.end);
    }

    /// A text or the value of an attribute.
    fn value(&mut self, range: Range<usize>, must: bool) {
        let Some(limit) = self.limits.string.filter(|limit| range.len() > *limit) else {
            return self.copy(range);
        };
        let exact = &self.document.exact;
        let first = exact.partition_point(|e| e.end <= range.start);
        let fixed: Vec<Range<usize>> = exact[first..]
            .iter()
            .take_while(|e| must && e.start < range.end)
            .map(|e| e.start.max(range.start) - range.start..e.end.min(range.end) - range.start)
            .collect();
        let about = self.document.about;
        match strings::cut(&self.document.text[range.clone()], limit, &fixed, about, Escapes::References) {
            Some(cut) => {
                self.out.text.push_str(&cut.text);
                self.leave(cut.omitted, Reason::LongString);
            }
            None => self.copy(range),
        }
    }

    /// Which siblings stay: for each name, as many elements as the limit allows.
    fn chosen(&mut self, parent: u32, children: &[u32]) -> Vec<bool> {
        let mut keep = vec![true; children.len()];
        let Some(limit) = self.limits.items.filter(|limit| children.len() > *limit) else { return keep };
        let document = &mut *self.document;
        let mut groups: Vec<(u64, Vec<usize>)> = Vec::new();
        let mut places: HashMap<u64, usize, FixedState> = HashMap::default();
        for (place, &child) in children.iter().enumerate() {
            let node = document.nodes[child as usize];
            if node.kind != Kind::Element {
                continue;
            }
            let name = digest(name(&document.text.as_bytes()[node.start as usize + 1..]).unwrap_or_default());
            let group = *places.entry(name).or_insert_with(|| {
                groups.push((name, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(place);
        }
        for (name, group) in groups.iter().filter(|(_, group)| group.len() > limit) {
            let items: Vec<u32> = group.iter().map(|&place| children[place]).collect();
            let (text, nodes, about) = (document.text, &document.nodes, document.about);
            let ranking =
                document.rankings.entry((parent, *name)).or_insert_with(|| rank(text, nodes, &items, about));
            for (&place, kept) in group.iter().zip(ranking.keep(limit)) {
                keep[place] = kept || nodes[children[place] as usize].must;
            }
        }
        for (key, value) in document.pairs(children) {
            let stays = keep[key] || keep[value];
            (keep[key], keep[value]) = (stays, stays);
        }
        keep
    }

    /// The names of omitted elements, with counts.
    fn names(&self, gone: &[u32]) -> Option<String> {
        let mut names: Vec<(&str, usize)> = Vec::new();
        for &child in gone {
            let start = self.document.nodes[child as usize].start as usize + 1;
            let name = name(&self.document.text.as_bytes()[start..])?;
            let name = std::str::from_utf8(name).ok().filter(|name| super::is_plain_name(name))?;
            match names.iter().position(|(known, _)| *known == name) {
                Some(place) => names[place].1 += 1,
                None => names.push((name, 1)),
            }
        }
        let names: Vec<String> = names.iter().map(|(name, count)| format!("{name} {count}")).collect();
        Some(names.join(", ")).filter(|names| !names.is_empty())
    }
}

impl Document<'_> {
    /// The positions of keys and values among the children of an element of a property list, where both are elements. A key
    /// before another key's value would be wrong.
    fn pairs(&self, children: &[u32]) -> Vec<(usize, usize)> {
        let elements: Vec<usize> = (0..children.len())
            .filter(|&place| self.nodes[children[place] as usize].kind == Kind::Element)
            .collect();
        let is_key = |place: usize| {
            let start = self.nodes[children[place] as usize].start as usize + 1;
            name(&self.text.as_bytes()[start..]) == Some(b"key")
        };
        let (pairs, rest) = elements.as_chunks::<2>();
        if !rest.is_empty() || !pairs.iter().all(|[key, value]| is_key(*key) && !is_key(*value)) {
            return Vec::new();
        }
        pairs.iter().map(|[key, value]| (*key, *value)).collect()
    }
}

/// The nodes directly inside a range of them.
fn children(nodes: &[Node], range: Range<u32>) -> Vec<u32> {
    let mut out = Vec::new();
    let mut at = range.start;
    while at < range.end {
        out.push(at);
        at = nodes[at as usize].next;
    }
    out
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Elements of one name, in the order in which limits keep them.
fn rank(text: &str, nodes: &[Node], items: &[u32], about: &Relevance) -> Ranking {
    let texts: Vec<&str> = items
        .iter()
        .map(|&i| &text[nodes[i as usize].start as usize..nodes[i as usize].end as usize])
        .collect();
    let scores = about.scores_of(&texts);
    let mut series = Series::default();
    for (place, &item) in items.iter().enumerate() {
        let node = nodes[item as usize];
        let mut shape = 0u64;
        attributes(&text[node.start as usize..node.open as usize], |name, value| {
            let name = digest(name.as_bytes());
            shape = shape.rotate_left(5) ^ name;
            series.field(name, field(value));
            series.text_at(name, value, 0);
        });
        for child in children(nodes, item + 1..node.next) {
            let inner = nodes[child as usize];
            if inner.kind != Kind::Element {
                continue;
            }
            let name = digest(name(&text.as_bytes()[inner.start as usize + 1..]).unwrap_or_default());
            shape = shape.rotate_left(5) ^ name;
            attributes(&text[inner.start as usize..inner.open as usize], |attribute, value| {
                let name = name.rotate_left(9) ^ digest(attribute.as_bytes());
                series.field(name, field(value));
                series.text_at(name, value, 0);
            });
            let value = text[inner.open as usize..inner.close.max(inner.open) as usize].trim();
            if value.len() <= MAX_FIELD_BYTES && !value.contains('<') {
                series.field(name, field(value));
                series.text_at(name, value, 0);
            }
        }
        let is_short = texts[place].len() <= signals::LONG_LINE_BYTES;
        let fails = is_short && signals::is_failure(texts[place]);
        series.push(Item { shape, fails, score: scores[place] });
    }
    series.rank()
}

fn field(value: &str) -> Value {
    let number = match date(value.as_bytes()) {
        Some(Date::Day(days)) => Some(days),
        Some(Date::Impossible) => None,
        None => value.parse().ok(),
    };
    number.map_or_else(|| Value::Word(digest(value.as_bytes())), Value::Number)
}

/// Calls `found` with every attribute of a tag.
fn attributes<'t>(tag: &'t str, mut found: impl FnMut(&'t str, &'t str)) {
    let bytes = tag.as_bytes();
    let mut at = 0;
    while let Some(equals) = memchr::memchr(b'=', &bytes[at..]).map(|i| at + i) {
        let head = tag[at..equals].trim_end();
        let name =
            head.rsplit(|c: char| c.is_whitespace() || c == '"' || c == '\'').next().unwrap_or_default();
        let open = equals + 1 + bytes[equals + 1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let Some(quote) = bytes.get(open).filter(|b| matches!(b, b'"' | b'\'')) else {
            at = equals + 1;
            continue;
        };
        let Some(len) = memchr::memchr(*quote, &bytes[open + 1..]) else { return };
        found(name, &tag[open + 1..open + 1 + len]);
        at = open + 2 + len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found() {
        let mut found = Vec::new();
        attributes("<a b=\"1\" c:d = 'x=y' e>", |name, value| found.push((name, value)));
        assert_eq!(found, [("b", "1"), ("c:d", "x=y")]);
    }
}
