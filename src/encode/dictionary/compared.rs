//! Whether a text holds records that a reader compares with each other: documents, tables, rows with aligned columns,
//! `key: value` records, rows of `key=value` pairs, lists of options. References in them would make equal values look
//! different, and different values look equal.

use crate::text::maps::Map;

/// A text consists of records if at least half of its lines belong to one. A choice.
const RECORDS_ONE_IN: usize = 2;
/// Longest key of a `key: value` line, in bytes, and most words in it. Longer ones are sentences.
const MAX_KEY_BYTES: usize = 48;
const MAX_KEY_WORDS: usize = 4;
/// Fewest different keys that must repeat for the lines to be records: log lines may repeat a single word such as
/// `INFO`.
const MIN_KEYS: usize = 3;
/// Most keys that are remembered.
const MAX_KEYS: usize = 4096;
/// Longest cell of a row with commas in it, in words: longer ones are clauses.
const MAX_CELL_WORDS: usize = 4;
/// Fewest columns of a table that is known by its header: sentences begin with a capital too.
const MIN_HEADER_WORDS: usize = 4;
/// Fewest `key=value` pairs of a row, options of a list, and flags of a command that a reader compares. A choice.
const MIN_PAIRS: usize = 3;
const MIN_OPTIONS: usize = 3;
const MIN_FLAGS: usize = 3;
/// Bytes of a line that are examined. Bounds the work.
const MAX_LINE_BYTES: usize = 4096;

/// Whether a text consists of records that a reader compares with each other. One pass over the text.
pub fn holds_records(text: &str) -> bool {
    let (mut lines, mut rows, mut keyed) = (0_usize, 0_usize, 0_usize);
    let mut keys: Map<&str, usize> = Map::default();
    let mut before = Row::default();
    let header = text.lines().find(|line| !line.trim().is_empty()).and_then(header_words);
    for line in text.lines().map(|line| &line[..line.floor_char_boundary(MAX_LINE_BYTES)]) {
        crate::stop::check_sometimes();
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        lines += 1;
        let row = Row::read(line);
        let is_below_header =
            || header.is_some_and(|words| trimmed.split_ascii_whitespace().count() == words);
        if is_of_document(trimmed) || row.is_like(&before) || is_below_header() {
            rows += 1;
        } else if let Some(key) = key(trimmed) {
            keyed += 1;
            if keys.len() < MAX_KEYS || keys.contains_key(key) {
                *keys.entry(key).or_default() += 1;
            }
        }
        before = row;
    }
    if keys.values().filter(|count| **count > 1).count() >= MIN_KEYS {
        rows += keyed;
    }
    rows > 1 && rows * RECORDS_ONE_IN >= lines
}

/// The number of columns, if a line is the header of a table: names without digits, each in capitals or with a
/// capital.
fn header_words(line: &str) -> Option<usize> {
    let mut words = 0;
    for word in line.split_ascii_whitespace() {
        let is_name =
            word.bytes().any(|b| b.is_ascii_uppercase()) && !word.bytes().any(|b| b.is_ascii_digit());
        if !is_name || word.ends_with([',', '.', ';']) {
            return None;
        }
        words += 1;
    }
    (words >= MIN_HEADER_WORDS).then_some(words)
}

/// Whether a line belongs to a JSON, JSONL or XML document.
fn is_of_document(line: &str) -> bool {
    let line = line.trim_end_matches(',');
    let bytes = line.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(b'{'), Some(b'}' | b'{')) | (Some(b'['), Some(b']')) | (Some(b'}'), Some(b'}')) => true,
        (Some(b'<'), Some(b'>')) => {
            bytes.get(1).is_some_and(|b| b.is_ascii_alphabetic() || b"/!?".contains(b))
        }
        (Some(b'"'), Some(_)) => line.contains("\":"),
        (Some(b'[' | b']'), _) => bytes.len() == 1,
        _ => false,
    }
}

/// The number of cells of a line, for each kind of separator.
#[derive(Debug, Default)]
struct Row {
    bars: usize,
    tabs: usize,
    semicolons: usize,
    commas: usize,
    /// Cells after two blanks or more, the indentation aside.
    wide: usize,
    /// `key=value` pairs, options in the longest list without blanks, and flags.
    pairs: usize,
    options: usize,
    flags: usize,
}

impl Row {
    fn read(line: &str) -> Self {
        let count = |byte: u8| memchr::memchr_iter(byte, line.as_bytes()).count();
        let commas = count(b',');
        let is_cells = commas > 1
            && line.split(',').all(|cell| cell.split_ascii_whitespace().nth(MAX_CELL_WORDS).is_none());
        let blanks = line.trim().split("  ");
        let (mut pairs, mut options, mut flags) = (0, 0, 0);
        for word in line.split_ascii_whitespace() {
            pairs += usize::from(is_pair(word));
            options = options.max(options_in(word));
            flags += usize::from(is_flag(word));
        }
        Self {
            pairs,
            options,
            flags,
            bars: count(b'|') + line.matches('│').count(),
            tabs: line.trim().matches('\t').count(),
            semicolons: count(b';'),
            commas: if is_cells { commas } else { 0 },
            wide: blanks.filter(|cell| !cell.is_empty()).count() - 1,
        }
    }

    /// Whether two adjacent lines are rows of one table.
    fn is_like(&self, other: &Self) -> bool {
        let same = |a: usize, b: usize, least: usize| a >= least && a == b;
        same(self.bars, other.bars, 1)
            || same(self.tabs, other.tabs, 1)
            || same(self.semicolons, other.semicolons, 2)
            || same(self.commas, other.commas, 2)
            || self.wide >= 2 && other.wide >= 2
            || same(self.wide, other.wide, 1)
            || self.pairs.min(other.pairs) >= MIN_PAIRS && self.pairs.abs_diff(other.pairs) <= 1
            || self.options.min(other.options) >= MIN_OPTIONS
            || self.flags.min(other.flags) >= MIN_FLAGS
    }
}

/// Whether a word is `key=value`.
fn is_pair(word: &str) -> bool {
    let name = memchr::memchr(b'=', word.as_bytes()).map(|at| &word.as_bytes()[..at]);
    name.is_some_and(|name| {
        name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(b))
    })
}

/// How many options a word lists: `(rw,nosuid,mode=755)`.
fn options_in(word: &str) -> usize {
    let list = word.trim_matches(['(', ')', '"', '[', ']']);
    let is_option = |option: &str| {
        !option.is_empty() && option.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.=:/".contains(&b))
    };
    match memchr::memchr(b',', list.as_bytes()).is_some() && list.split(',').all(is_option) {
        true => list.split(',').count(),
        false => 0,
    }
}

/// Whether a word is a flag: `-A`, `--dport`.
fn is_flag(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    (1..=2).contains(&(word.len() - name.len())) && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The key of a `key: value` or `key = value` line.
fn key(line: &str) -> Option<&str> {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let end = line.bytes().take(MAX_KEY_BYTES).position(|b| matches!(b, b':' | b'='))?;
    let (key, value) = (line[..end].trim_end(), &line[end + 1..]);
    let is_divided = value.is_empty() || value.starts_with([' ', '\t']) || line.as_bytes()[end] == b'=';
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.split_ascii_whitespace().nth(MAX_KEY_WORDS).is_none();
    (is_divided && is_name).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(line: impl Fn(usize) -> String) -> String {
        (0..40).map(|i| line(i) + "\n").collect()
    }

    #[test]
    fn records_are_known() {
        for text in [
            lines(|i| format!("{i},ada,{},paid", i * 7)),
            lines(|i| format!("{i}, NVIDIA H100 80GB HBM3, {}, 0", i * 7)),
            lines(|i| format!("| {i} | ada |")),
            lines(|i| format!("{i}\tada")),
            lines(|i| format!("{{\"id\":{i},\"name\":\"ada\"}}")),
            lines(|i| format!("  <row id=\"{i}\">ada</row>")),
            lines(|i| format!("pod-{i:<10} Running   0   {i}d")),
            lines(|i| format!("Name: n{i}\nState: up\nNode: a\n")),
            lines(|i| format!("tmpfs on /run/{i} type tmpfs (rw,nosuid,nodev,mode={i})")),
            lines(|i| format!("id={i} addr=10.0.0.{i}:4{i} db=0 cmd=get")),
            lines(|i| format!("-A INPUT -s 10.{i}.0.0/16 -p tcp --dport 443 -j ACCEPT")),
            lines(|i| match i {
                0 => "Node Address Status Type".to_owned(),
                _ => format!("node-{i} 10.0.0.{i} alive client"),
            }),
            lines(|i| format!("  \"a{i}\": {{\n    \"b\": 1\n  }},")),
        ] {
            assert!(holds_records(&text), "{text}");
        }
    }

    #[test]
    fn prose_and_messages_are_none() {
        for text in [
            String::new(),
            "one line".to_owned(),
            lines(|i| {
                format!("the package p{i} was resolved from the registry, without its options, for linux")
            }),
            lines(|i| format!("INFO: step {i} of the way is done")),
            lines(|i| format!("[{i}] wrote src/a{i}.rs")),
            lines(|i| format!("line {i}  with a gap\nand another one")),
        ] {
            assert!(!holds_records(&text), "{text}");
        }
    }
}
