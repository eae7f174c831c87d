//! Whether an agent still sees the lines that it edits.
//!
//! The lines that an edit replaces are taken from the latest original result that showed them, and searched in all
//! that the session showed so far. Two forms of edits are read: `edit FIRST:LAST` of an editor that shows windows of
//! files, and the old text of a replacement. Blank lines and lines of less than four characters do not count.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::record::Record;

/// Argument names under which tools take the text to replace.
const OLD_TEXTS: &[&str] = &["oldText", "old_string", "old_str"];
/// A longer edit replaces a whole file and does not depend on what was read.
const MAX_LINES: usize = 400;
const SHORTEST_LINE: usize = 4;
/// A result with fewer numbered lines is not a view of a file.
const LEAST_NUMBERED: usize = 3;

/// The lines that one session showed, as hashes.
#[derive(Debug, Default)]
pub(in crate::cli) struct Edits {
    /// The numbered lines of the file that was viewed last.
    numbered: HashMap<usize, String>,
    original: HashSet<u64>,
    shown: HashSet<u64>,
}

impl Edits {
    /// Whether all lines that the call edits are visible; `None` if it edits no line that was read.
    pub(super) fn check(&self, record: &Record) -> Option<bool> {
        Some(self.lines(record)?.iter().all(|line| self.shown.contains(line)))
    }

    /// Hashes of the lines that the call edits; `None` if it edits no line that was read.
    pub(super) fn lines(&self, record: &Record) -> Option<Vec<u64>> {
        let mut wanted = self.wanted(record)?;
        wanted.retain(|line| line.chars().count() >= SHORTEST_LINE);
        (!wanted.is_empty()).then(|| wanted.iter().map(|line| hash(line)).collect())
    }

    fn wanted(&self, record: &Record) -> Option<Vec<String>> {
        if let Some((first, last)) = record.command.as_deref().and_then(range) {
            if self.numbered.is_empty() || last.checked_sub(first)? >= MAX_LINES {
                return None;
            }
            return Some((first..=last).filter_map(|line| self.numbered.get(&line).cloned()).collect());
        }
        let old = OLD_TEXTS.iter().find_map(|name| record.args.get(name)?.as_str())?;
        Some(old.split('\n').map(fold).filter(|line| self.original.contains(&hash(line))).collect())
    }

    /// Adds a result in its original form and in the form that was shown.
    pub(super) fn add(&mut self, original: &str, shown: &str) {
        let mut numbered = HashMap::new();
        for line in original.split('\n') {
            if let Some((number, text)) = numbered_line(line) {
                numbered.insert(number, fold(text));
            }
            self.original.insert(hash(&bare(line)));
        }
        if numbered.len() >= LEAST_NUMBERED {
            // A new window of an editor replaces the lines known so far; other views add to them.
            if original.contains("[File: ") || original.lines().any(is_rest_of_window) {
                self.numbered = numbered;
            } else {
                self.numbered.extend(numbered);
            }
        }
        self.shown.extend(lines_of(shown));
    }
}

/// Hashes of the lines of a text, without white space and line numbers.
pub(super) fn lines_of(text: &str) -> impl Iterator<Item = u64> {
    text.split('\n').map(|line| hash(&bare(line)))
}

/// `(12 more lines above)`
fn is_rest_of_window(line: &str) -> bool {
    let digits = line.strip_prefix('(').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    digits.is_some_and(|rest| rest.starts_with(" more lines") && !line.starts_with("( "))
}

/// The line numbers of `edit FIRST:LAST`, which has a line of its own.
fn range(command: &str) -> Option<(usize, usize)> {
    let (head, _) = command.split_once('\n')?;
    let (first, last) = head.strip_prefix("edit ")?.split_once(':')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The number and the text of a line of a numbered view: digits, then `:`, `→`, `|` or a tab.
fn numbered_line(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = line.get(..digits).filter(|digits| !digits.is_empty())?.parse().ok()?;
    let rest = &line[digits..];
    let rest = rest.strip_prefix(' ').filter(|rest| rest.starts_with([':', '→', '|'])).unwrap_or(rest);
    let rest = rest.strip_prefix([':', '→', '|', '\t'])?;
    Some((number, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// The text of a line without the number of a view, with white space folded.
fn bare(line: &str) -> String {
    fold(numbered_line(line).map_or(line, |(_, text)| text))
}

fn fold(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const VIEW: &str = "[File: a.py (9 lines total)]\n1:import os\n2:def one():\n3:    return 1\n4:x";

    fn record(command: &str, args: serde_json::Value) -> Record {
        Record { command: Some(command.to_owned()), args, ..Record::default() }
    }

    #[test]
    fn an_edit_of_lines_that_are_shown_is_visible() {
        let mut edits = Edits::default();
        edits.add(VIEW, VIEW);
        assert_eq!(edits.check(&record("edit 2:3\nx\nend_of_edit", json!({}))), Some(true));
        assert_eq!(edits.check(&record("edit 4:4\nx\nend_of_edit", json!({}))), None, "a short line");
        assert_eq!(edits.check(&record("ls", json!({}))), None);
    }

    #[test]
    fn an_edit_of_a_line_that_was_left_out_is_not() {
        let mut edits = Edits::default();
        edits.add(VIEW, "1:import os\n[tersed: omitted 2 lines 2-3, outline]\n4:x");
        assert_eq!(edits.check(&record("edit 2:3\nx\nend_of_edit", json!({}))), Some(false));
        assert_eq!(edits.check(&record("edit 1:1\nx\nend_of_edit", json!({}))), Some(true));
        let old = json!({ "old_string": "def one():\n    return  1" });
        assert_eq!(edits.check(&record("", old)), Some(false));
        assert_eq!(edits.check(&record("", json!({ "old_string": "never read at all" }))), None);
    }
}
