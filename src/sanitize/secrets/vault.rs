//! The table that Vault prints of a secret: names and values below `Key` and `Value`.
//!
//! Values whose names have none of the words for secrets stay, unless they are random. It reads a few lines.

use super::judge::{self, Doubt};
use super::scan::Scan;
use super::table::Rule;
use super::words::is_place;
use std::ops::Range;

/// Most rows of a table.
const MAX_ROWS: usize = 64;
/// Longest line, in bytes.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Words of names of secrets. Under other names only random values count.
const SECRET_WORDS: &[&str] = &["pass", "pwd", "secret", "token", "key", "cred", "api", "auth"];
/// Shorter values, in bytes, are not secrets.
const MIN_BYTES: usize = 6;

/// Claims the values below the heading that holds a keyword.
pub(super) fn data(scan: &mut Scan<'_>, rule: &Rule, index: u16, hit: Range<usize>) {
    let text = scan.text;
    if !scan.may_read(index, hit.end) {
        return;
    }
    let mut lines = Lines { text, at: hit.end };
    lines.next();
    let Some(head) = lines.next() else { return };
    let (Some(column), Some(ruler)) = (column(&text[head]), lines.next()) else { return };
    let is_ruler = text[ruler.clone()].starts_with(b"---") && text[ruler].iter().all(|b| b"- \r".contains(b));
    let mut rows = 0;
    while let Some(row) = lines.next().filter(|_| is_ruler && rows < MAX_ROWS) {
        rows += 1;
        let Some((name, value)) = text[row.clone()].split_at_checked(column) else { break };
        let name = name.trim_ascii_end();
        if name.is_empty() || name.contains(&b' ') {
            break;
        }
        let value = value.trim_ascii();
        let is_word = value.first().is_some_and(|b| !b"<[".contains(b)) && !value.starts_with(b"map[");
        let is_telling = SECRET_WORDS.iter().any(|word| judge::contains(name, word));
        let is_secret = is_telling && !is_place(name) || judge::is_random(value, Doubt::Some);
        if value.len() >= MIN_BYTES && is_word && is_secret {
            let start = row.start + column;
            scan.claim(rule, index, start..start + value.len());
        }
    }
    scan.add_read(index, lines.at - hit.end);
}

/// The column at which the values begin, below a heading of two columns.
fn column(head: &[u8]) -> Option<usize> {
    let column = memchr::memmem::find(head, b"Value")?;
    let is_head = head.starts_with(b"Key  ") && head[3..column].iter().all(|b| *b == b' ');
    (is_head && head[column..].trim_ascii_end() == b"Value").then_some(column)
}

/// The rest of a line, then the lines after it.
struct Lines<'t> {
    text: &'t [u8],
    at: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let near = &rest[..rest.len().min(MAX_LINE_BYTES)];
        let len = memchr::memchr(b'\n', near).unwrap_or(near.len());
        let line = self.at..self.at + len;
        self.at = line.end + 1;
        Some(line)
    }
}
