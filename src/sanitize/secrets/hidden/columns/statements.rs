//! SQL statements, and JSON tables with separate lists of columns and rows: the position of a value in its row shows
//! its column.
//!
//! It reads the rows after the columns that hold the name of a secret, and writes each value with that name.

use super::{Cut, MAX_COLUMNS, cells, is_name};
use crate::sanitize::secrets::hidden::view::{View, line_end, table};
use crate::sanitize::secrets::judge::{ByteSet, skip, skip_back};
use crate::stop;
use std::ops::Range;

/// Most bytes from the start of an SQL statement to the first column that names a secret, and from there to the last
/// column.
const MAX_COLUMNS_BYTES: usize = 1 << 10;
/// Bytes of the definition of a table.
const MAX_TABLE_BYTES: usize = 8 << 10;
/// Bytes of rows that are read after the last one that was found.
const MAX_ROWS_BYTES: usize = 256 << 10;
/// Bytes of rows that may still be read once rows without an end have cost as many bytes as the text has. Without
/// this limit many such rows would take quadratic time.
const MAX_LATER_ROWS_BYTES: usize = 512;
/// Longest name of a table or of a member, in bytes.
const MAX_NAME_BYTES: usize = 96;

const SPACE: ByteSet = ByteSet::parse(" \t\r\n");

/// The work that was spent on a text so far.
#[derive(Debug, Default)]
pub(super) struct Spent {
    /// Bytes that were read more than once.
    bytes: usize,
    /// The position up to which all table definitions are complete.
    searched: usize,
}

impl Spent {
    /// Whether more than twice the bytes of the text were read again. Only hostile texts exceed that.
    fn is_much(&self, text: &[u8]) -> bool {
        self.bytes > 2 * text.len()
    }
}

/// Writes the values of the statement or the table around the first of `heads`, which are in order. Returns its end.
pub(super) fn view(text: &[u8], heads: &[usize], spent: &mut Spent, view: &mut View) -> Option<usize> {
    let at = *heads.first()?;
    let most = if spent.is_much(text) { MAX_LATER_ROWS_BYTES } else { MAX_ROWS_BYTES };
    let mut reader = Reader { text, heads, most, spent, view };
    reader.statement(at).or_else(|| reader.created(at)).or_else(|| reader.table_of_json(at))
}

/// Reads rows, and writes the values in columns that name a secret.
struct Reader<'a> {
    text: &'a [u8],
    heads: &'a [usize],
    /// Bytes of rows that may be read.
    most: usize,
    spent: &'a mut Spent,
    view: &'a mut View,
}

/// The columns of a table, and which of them hold the name of a secret.
struct Columns {
    names: Vec<Range<usize>>,
    telling: Vec<usize>,
}

impl Reader<'_> {
    fn columns(&self, names: Vec<Range<usize>>) -> Columns {
        let heads = &self.heads[..self.heads.len().min(MAX_COLUMNS)];
        let is_telling = |name: &Range<usize>| {
            heads.iter().any(|head| name.contains(head)) && is_name(&self.text[name.clone()])
        };
        let telling = (0..names.len()).filter(|i| is_telling(&names[*i])).collect();
        Columns { names, telling }
    }

    /// `INSERT INTO t (id, password) VALUES (1, '…'), …` and `COPY t (id, password) FROM stdin;`: where the rows end.
    fn statement(&mut self, at: usize) -> Option<usize> {
        const NAMES: [bool; 256] = table(b"_ ,\"'`[].\n\t\r");
        let text = self.text;
        let near = &text[at.saturating_sub(MAX_COLUMNS_BYTES)..at];
        let from = at - near.len();
        let before = near.iter().rposition(|b| !NAMES[usize::from(*b)]).filter(|open| near[*open] == b'(')?;
        let opening = &near[..before];
        let start = memchr::memrchr2(b';', b'(', opening).map_or(0, |at| at + 1);
        let opening = opening[start..].to_ascii_lowercase();
        let has = |word: &[u8]| memchr::memmem::find(&opening, word).is_some();
        let is_insert = has(b"insert into") || has(b"replace into");
        if !is_insert && !has(b"copy ") {
            return None;
        }
        let open = from + before + 1;
        let close = at + memchr::memchr(b')', &text[at..text.len().min(at + MAX_COLUMNS_BYTES)])?;
        let columns = self.columns(cells(text, open..close, Cut::Byte(b',')));
        let next = skip(text, close + 1, SPACE, MAX_COLUMNS_BYTES);
        if is_insert {
            return self.values(next, &columns);
        }
        starts(text, next, b"from stdin").then(|| self.copied(next, &columns))
    }

    /// The rows after `VALUES` at `at`: where they end.
    fn values(&mut self, at: usize, columns: &Columns) -> Option<usize> {
        const WORD: &[u8] = b"values";
        let text = self.text;
        if !starts(text, at, WORD) {
            return None;
        }
        let first = skip(text, at + WORD.len(), SPACE, MAX_COLUMNS_BYTES);
        let limit = text.len().min(first + self.most);
        let mut at = first;
        while at < limit && text[at] == b'(' {
            stop::check_sometimes();
            let Some((values, end)) = items(text, at + 1..limit, b')') else {
                self.spent.bytes += limit - at;
                return (at > first).then_some(at);
            };
            self.write(columns, &values);
            let behind = skip(text, end + 1, SPACE, MAX_COLUMNS_BYTES);
            if text.get(behind) != Some(&b',') {
                return Some(behind);
            }
            at = skip(text, behind + 1, SPACE, MAX_COLUMNS_BYTES);
        }
        Some(at)
    }

    /// The lines after `FROM stdin`, with tabs between the values: where they end.
    fn copied(&mut self, at: usize, columns: &Columns) -> usize {
        let text = self.text;
        let limit = text.len().min(at + self.most);
        let mut at = line_end(text, at) + 1;
        while at < limit && !text[at..].starts_with(b"\\.") {
            stop::check_sometimes();
            let end = line_end(text, at);
            let values = cells(text, at..end, Cut::Byte(b'\t'));
            if values.len() != columns.names.len() {
                break;
            }
            for &i in &columns.telling {
                super::write(text, &columns.names[i], values[i].clone(), self.view);
            }
            at = end + 1;
        }
        at.min(text.len())
    }

    /// `CREATE TABLE t (id int, password text);` and the rows that `INSERT INTO t VALUES` gives without columns: where
    /// the definition ends.
    fn created(&mut self, at: usize) -> Option<usize> {
        const CREATE: [&[u8]; 2] = [b"CREATE TABLE ", b"create table "];
        const INSERT: [&[u8]; 2] = [b"INSERT INTO ", b"insert into "];
        const NO_COLUMNS: &[&[u8]] =
            &[b"primary", b"unique", b"key", b"constraint", b"foreign", b"check", b"index", b"fulltext"];
        let text = self.text;
        if !is_definition(text, at) || self.spent.is_much(text) {
            return None;
        }
        let from = at.saturating_sub(MAX_TABLE_BYTES).max(self.spent.searched);
        let found = CREATE.iter().zip(INSERT).find_map(|(create, insert)| {
            let start = memchr::memmem::rfind(&text[from..at], create)?;
            Some((from + start + create.len(), insert))
        });
        let Some((start, insert)) = found else {
            self.spent.searched = at;
            return None;
        };
        let exists =
            [&b"IF NOT EXISTS "[..], b"if not exists "].into_iter().find(|w| text[start..].starts_with(w));
        let (table, behind) = name_of_table(text, start + exists.map_or(0, <[u8]>::len))?;
        let open = skip(text, behind, SPACE, 16);
        if text.get(open) != Some(&b'(') || open >= at {
            return None;
        }
        let limit = text.len().min(open + 2 * MAX_TABLE_BYTES);
        let Some((definitions, close)) = items(text, open + 1..limit, b')').filter(|(_, close)| *close > at)
        else {
            self.spent.bytes += limit - open;
            return None;
        };
        let first_words = definitions.iter().map(|definition| first_word(text, definition));
        let is_column =
            |word: &Range<usize>| !NO_COLUMNS.iter().any(|no| text[word.clone()].eq_ignore_ascii_case(no));
        let columns = self.columns(first_words.filter(is_column).collect());
        let mut at = close;
        while !self.spent.is_much(text)
            && let Some(next) = memchr::memmem::find(&text[at..text.len().min(at + self.most)], insert)
        {
            stop::check_sometimes();
            let start = at + next + insert.len();
            at = start;
            let Some((_, behind)) = name_of_table(text, start).filter(|(into, _)| *into == table) else {
                continue;
            };
            at = self.values(skip(text, behind, SPACE, 16), &columns).unwrap_or(behind);
            self.spent.bytes += at - start;
        }
        // Searching for a word costs far less than reading rows.
        self.spent.bytes += self.most.min(text.len() - at) / 16;
        Some(close)
    }

    /// `{"columns": ["id", "password"], "rows": [[1, "…"], …]}`: where the rows end.
    fn table_of_json(&mut self, at: usize) -> Option<usize> {
        const NAMES: [bool; 256] = table(b"_ ,\".-\n\t\r");
        const COLUMNS: &[&[u8]] = &[
            b"columns",
            b"fields",
            b"header",
            b"headers",
            b"cols",
            b"names",
            b"column_names",
            b"columnNames",
        ];
        const ROWS: &[&[u8]] = &[b"rows", b"data", b"values", b"records", b"result"];
        /// Most members between the columns and the rows.
        const MAX_MEMBERS: usize = 4;
        let text = self.text;
        let near = &text[at.saturating_sub(MAX_COLUMNS_BYTES)..at];
        let before = near.iter().rposition(|b| !NAMES[usize::from(*b)]).filter(|open| near[*open] == b'[')?;
        let open = at - near.len() + before;
        let is_columns = member_before(text, open).is_some_and(|member| COLUMNS.contains(&member));
        if !is_columns {
            return None;
        }
        let limit = text.len().min(open + self.most);
        let Some((names, close)) = items(text, open + 1..limit, b']').filter(|(_, close)| *close > at) else {
            self.spent.bytes += limit - open;
            return None;
        };
        let columns = self.columns(names.iter().map(|name| literal(text, name)).collect());
        let mut at = close + 1;
        for _ in 0..MAX_MEMBERS {
            let key = skip(text, at, const { ByteSet::parse(" \t\r\n,") }, MAX_COLUMNS_BYTES);
            let name = text.get(key..)?.strip_prefix(b"\"")?;
            let len = memchr::memchr(b'"', &name[..name.len().min(MAX_NAME_BYTES)])?;
            let colon = skip(text, key + len + 2, SPACE, 16);
            let value = skip(text, colon + 1, SPACE, 64);
            (text.get(colon) == Some(&b':') && text.get(value) == Some(&b'[')).then_some(())?;
            if ROWS.contains(&&name[..len]) {
                return Some(self.arrays(value + 1, &columns));
            }
            let limit = text.len().min(value + self.most);
            let Some((_, end)) = items(text, value + 1..limit, b']') else {
                self.spent.bytes += limit - value;
                return None;
            };
            at = end + 1;
        }
        None
    }

    /// The arrays of an array, each of which is a row: where they end.
    fn arrays(&mut self, start: usize, columns: &Columns) -> usize {
        let text = self.text;
        let mut at = skip(text, start, SPACE, MAX_COLUMNS_BYTES);
        while text.get(at) == Some(&b'[') {
            stop::check_sometimes();
            let limit = text.len().min(at + self.most);
            let Some((values, end)) = items(text, at + 1..limit, b']') else {
                self.spent.bytes += limit - at;
                break;
            };
            self.write(columns, &values);
            at = skip(text, end + 1, const { ByteSet::parse(" \t\r\n,") }, MAX_COLUMNS_BYTES);
        }
        at
    }

    fn write(&mut self, columns: &Columns, values: &[Range<usize>]) {
        for &i in &columns.telling {
            if let Some(value) = values.get(i) {
                super::write(self.text, &columns.names[i], literal(self.text, value), self.view);
            }
        }
    }
}

/// Whether a name is that of a column in the definition of a table: a type for texts is after it.
pub(super) fn is_definition(text: &[u8], at: usize) -> bool {
    const NAME: ByteSet = ByteSet::parse("a-zA-Z0-9_\"`[");
    const TYPES: &[&[u8]] = &[
        b"text",
        b"varchar",
        b"char",
        b"character",
        b"nvarchar",
        b"nchar",
        b"string",
        b"bytea",
        b"blob",
        b"longtext",
        b"mediumtext",
        b"tinytext",
        b"varbinary",
        b"binary",
        b"citext",
    ];
    const BLANK: ByteSet = ByteSet::parse(" \t");
    let start = skip_back(text, skip_back(text, at, NAME, MAX_NAME_BYTES), BLANK, 64);
    let is_first = start.checked_sub(1).is_some_and(|before| b"\n,(".contains(&text[before]));
    if !is_first {
        return false;
    }
    let name = skip(text, at, const { ByteSet::parse("a-zA-Z0-9_\"`]") }, MAX_NAME_BYTES);
    let from = skip(text, name, BLANK, 64);
    let end = skip(text, from, const { ByteSet::parse("a-zA-Z") }, 12);
    from > name && TYPES.iter().any(|word| text[from..end].eq_ignore_ascii_case(word))
}

/// The name of a table at `at`, without a schema and quotation marks, and where it ends.
fn name_of_table(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    const QUOTES: ByteSet = ByteSet::parse("\"`[]'");
    let end = skip(text, at, const { ByteSet::parse("a-zA-Z0-9_.$\"`[]'") }, MAX_NAME_BYTES);
    let start = memchr::memrchr(b'.', &text[at..end]).map_or(at, |dot| at + dot + 1);
    let start = skip(text, start, QUOTES, 1);
    let name = start..skip_back(text, end, QUOTES, 1).max(start);
    (!name.is_empty()).then(|| (&text[name], end))
}

/// The first word of a definition, without quotation marks.
fn first_word(text: &[u8], definition: &Range<usize>) -> Range<usize> {
    let start = skip(text, definition.start, const { ByteSet::parse("\"`['") }, 1).min(definition.end);
    let len =
        text[start..definition.end].iter().take_while(|b| b.is_ascii_alphanumeric() || b"_$-".contains(b));
    start..start + len.count()
}

/// The name of the member whose value begins at `at`.
fn member_before(text: &[u8], at: usize) -> Option<&[u8]> {
    let colon = skip_back(text, at, SPACE, 16).checked_sub(1).filter(|colon| text[*colon] == b':')?;
    let quote = skip_back(text, colon, SPACE, 16).checked_sub(1).filter(|quote| text[*quote] == b'"')?;
    let near = &text[quote.saturating_sub(MAX_NAME_BYTES)..quote];
    memchr::memrchr(b'"', near).map(|open| &near[open + 1..])
}

/// Whether a word is at `at`, in any case.
fn starts(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..at + word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// The items between the commas of a bracket that opened before `range`, and where it closes.
fn items(text: &[u8], range: Range<usize>, close: u8) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut items, mut at, mut from, mut depth) = (Vec::new(), range.start, range.start, 0usize);
    while at < range.end {
        match text[at] {
            quote @ (b'\'' | b'"') => {
                at += 1;
                // A doubled quotation mark is part of the string.
                while at < range.end && (text[at] != quote || text.get(at + 1) == Some(&quote)) {
                    at += 1 + usize::from(text[at] == b'\\' || text[at] == quote);
                }
            }
            end @ (b',' | b')' | b']') if depth == 0 && (end == b',' || end == close) => {
                if items.len() < MAX_COLUMNS {
                    items.push(trimmed(text, from..at));
                }
                if end == close {
                    return Some((items, at));
                }
                from = at + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// An item without the quotation marks of its string: `N'…'`, `_binary '…'`.
fn literal(text: &[u8], item: &Range<usize>) -> Range<usize> {
    let bytes = &text[item.clone()];
    let string = bytes.iter().position(|b| matches!(b, b'\'' | b'"')).and_then(|open| {
        let close = memchr::memrchr(bytes[open], bytes).filter(|close| *close > open)?;
        Some(item.start + open + 1..item.start + close)
    });
    string.unwrap_or_else(|| item.clone())
}

fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let bytes = &text[range.clone()];
    let before = bytes.len() - bytes.trim_ascii_start().len();
    range.start + before..(range.start + before + bytes.trim_ascii().len()).min(range.end)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::{goes, redact};

    #[test]
    fn values_at_the_place_of_a_telling_column_go() {
        for text in [
            "CREATE TABLE u (\n  id INTEGER,\n  password TEXT NOT NULL\n);\nINSERT INTO u VALUES(1,'*');\n",
            "CREATE TABLE `u` (\n `id` int(9) DEFAULT '0',\n `password` varchar(99),\n PRIMARY KEY (`id`)\n);\nINSERT INTO `u` VALUES (1,'*'),(2,'*');\n",
            "create table if not exists s.u (id int, password text);\ninsert into s.u values (1, N'*');\n",
            "{\"columns\": [\"id\", \"password\"], \"rows\": [[1, \"*\"], [2, \"*\"]]}\n",
            "{\"columns\":[\"password\",\"a\"],\"index\":[0,1],\"data\":[[\"*\",1],[\"*\",[2,3]]]}\n",
            "   id   username          password   role\n0   1      alice  *  admin\n1   2        bob  *   user\n",
            "id username password\n1  alice    *\n2  bob      *\n",
            "     password     \n------------------\n *\n *\n(2 rows)\n",
            "+------------------+\n| password         |\n+------------------+\n| * |\n+------------------+\n1 row in set\n",
            "DB_PASSWORD\n-----------\n*\n\n(1 rows affected)\n",
            "Name         SlotSetting  Value\n-----------  -----------  -----\nDB_PASSWORD  False        *\n",
            "│ (index) │ name    │ password           │\n│ 0       │ 'alice' │ '*' │\n",
        ] {
            goes(text, "xK9uhfJX$mQ2v!Lp");
        }
    }

    #[test]
    fn columns_without_secrets_stay() {
        for text in [
            "CREATE TABLE u (id int, password text, api_token text);\n",
            "CREATE TABLE u (id int, password text);\nINSERT INTO other VALUES (1, 'Zq7pLm2Xw9');\n",
            "CREATE TABLE u (id int, password text);\nINSERT INTO u VALUES (1, NULL), (2, ?);\n",
            "{\"columns\":[\"id\",\"token\"],\"rows\":[[1,\"NOUN\"],[2,\"VERB\"]]}\n",
            "{\"columns\": [\"id\", \"password\"], \"types\": [\"int4\", \"varchar2\"]}\n",
            "   id   token   pos\n0   1  running  VERB\n1   2  quickly   ADV\n",
            "import pwd\nreturn pwd.getpwuid(os.getuid())[0]\n",
            "        import pwd\n        return pwd.getpwuid(os.getuid())[0]\n",
            "Password\n--------\nThe password of user1 has 8 characters.\n",
            "| password | boolean | true |\n|---|---|---|\n| token | string | yes |\n",
            "password  false  Description\n",
            "{\"out\": \"   id   password   role\\n0   1      x  admin\\n\"}\n",
            "ii  passwd  1:4.13+dfsg1-1+deb12u1   amd64   change and administer password\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }

    #[test]
    fn tokens_in_cells_of_several_lines_go() {
        let (first, second) = (["gh", "p_16C7e42F292c69"].concat(), "12E7710c838347Ae178B4a");
        for (before, between, behind) in [
            ("┃ tok ┃ ", " ┃\n┃     ┃ ", " ┃\n"),
            ("  1 | ", ".\n    |.", "\n(1 row)\n"),
            ("+---+\n| ", " |\n| ", " |\n+---+\n"),
        ] {
            let text = format!("{before}{first}{between}{second}{behind}");
            let shown = redact(&text).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("{before}[REDACTED:github-pat]{behind}")));
        }
    }

    #[test]
    fn rows_are_read_once() {
        use super::*;
        for trigger in [
            "CREATE TABLE t (password text);\nINSERT INTO t VALUES (1,",
            "CREATE TABLE t (password text,\n",
            "CREATE TABLE t (password text);\nINSERT INTO t VALUES (1);\n",
            "\"columns\": [\"password\"], \"data\": [[",
        ] {
            let text = trigger.repeat((64 << 10) / trigger.len());
            let heads: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), "password").collect();
            let (mut spent, mut view) = (Spent::default(), View::default());
            for next in 0..heads.len() {
                super::view(text.as_bytes(), &heads[next..], &mut spent, &mut view);
            }
            assert!(spent.bytes < 32 * text.len(), "{trigger} {}", spent.bytes);
        }
    }
}
