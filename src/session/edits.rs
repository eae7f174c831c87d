//! The texts that the agent wrote last into the files that it edited. A later view of such a file shows these places.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use memchr::memmem;

use crate::memory::size as memory;

/// Most files whose edits a session remembers, edits of each, and bytes of one: together at most 128 KiB.
const MAX_FILES: usize = 32;
const MAX_OF_FILE: usize = 4;
const MAX_BYTES: usize = 1024;

/// Most edits whose lines a session remembers, and lines of each.
const MAX_RECENT: usize = 8;
const MAX_LINES: usize = 4;
/// A longer text is not searched for lines of edits. Bounds the work.
const MAX_SEARCHED_BYTES: usize = 1 << 18;

/// Digest of the name of a file.
pub type FileDigest = [u8; 16];

/// The latest edits of each file, and the latest of all.
#[derive(Debug, Default, Clone)]
pub(super) struct Edits {
    of_files: HashMap<FileDigest, VecDeque<Arc<str>>>,
    recent: VecDeque<Edit>,
}

/// An edit that was made.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    /// The number of results in the session, including its own.
    pub(super) results: usize,
    /// Its longest lines, without blanks around them.
    pub(super) lines: Vec<Box<str>>,
}

impl Edits {
    /// Notes the texts that a call writes into a file. Returns the memory for them in bytes: decisions may keep the
    /// texts as long as the session lives.
    pub(super) fn note(&mut self, file: FileDigest, texts: &[Arc<str>]) -> usize {
        if self.of_files.len() >= MAX_FILES && !self.of_files.contains_key(&file) {
            return 0;
        }
        let known = self.of_files.entry(file).or_default();
        let mut bytes = 0;
        for text in texts.iter().filter(|text| text.len() <= MAX_BYTES) {
            known.retain(|other| other != text);
            known.push_back(Arc::clone(text));
            bytes += memory::shared(text) + 4 * size_of::<Arc<str>>();
            if known.len() > MAX_OF_FILE {
                known.pop_front();
            }
        }
        bytes
    }

    /// Notes an edit that was made: its lines, longest first.
    pub(super) fn made(&mut self, lines: &[&str], results: usize) {
        if lines.is_empty() {
            return;
        }
        let lines = lines.iter().take(MAX_LINES).map(|line| Box::from(*line)).collect();
        self.recent.push_back(Edit { results, lines });
        if self.recent.len() > MAX_RECENT {
            self.recent.pop_front();
        }
    }

    /// The last edit of which a text shows a line.
    pub(super) fn shown_in(&self, texts: &[&str]) -> Option<&Edit> {
        if texts.iter().map(|text| text.len()).sum::<usize>() > MAX_SEARCHED_BYTES {
            return None;
        }
        let shows =
            |line: &str| texts.iter().any(|text| memmem::find(text.as_bytes(), line.as_bytes()).is_some());
        self.recent.iter().rev().find(|edit| edit.lines.iter().any(|line| shows(line)))
    }

    /// The texts that were written into a file, oldest first.
    pub(super) fn of(&self, file: FileDigest) -> Vec<Arc<str>> {
        self.of_files.get(&file).map_or_else(Vec::new, |texts| texts.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_edits_of_a_file_are_known() {
        let mut edits = Edits::default();
        let text = |n: usize| Arc::<str>::from(format!("text {n}"));
        for n in [1, 2, 3, 4, 2, 5] {
            assert!(edits.note([1; 16], &[text(n)]) > 0);
        }
        edits.note([1; 16], &["x".repeat(MAX_BYTES + 1).into()]);
        assert_eq!(edits.of([1; 16]), [3, 4, 2, 5].map(text));
        assert!(edits.of([2; 16]).is_empty());
        for n in 2..=255 {
            edits.note([n; 16], &[text(0)]);
        }
        assert_eq!(edits.of_files.len(), MAX_FILES);
    }

    #[test]
    fn the_last_edit_that_a_text_shows_is_known() {
        let mut edits = Edits::default();
        for n in 1..=20 {
            edits.made(&[&format!("let value = {n:02};"), "}"], n);
        }
        assert_eq!(edits.recent.len(), MAX_RECENT);
        let shown = |text: &str| edits.shown_in(&[text]).map(|edit| edit.results);
        assert_eq!(shown("7:let value = 13;\n8:let value = 17;\n"), Some(17));
        assert_eq!(shown("let value = 01;"), None);
        assert_eq!(shown(&"let value = 17;".repeat(MAX_SEARCHED_BYTES)), None);
    }
}
