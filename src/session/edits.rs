//! The texts that the agent wrote last into the files that it edited. A later view of such a file shows these places.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::memory::size as memory;

/// Most files whose edits a session remembers, edits of each, and bytes of one: together at most 128 KiB.
const MAX_FILES: usize = 32;
const MAX_OF_FILE: usize = 4;
const MAX_BYTES: usize = 1024;

/// Digest of the name of a file.
pub type FileDigest = [u8; 16];

/// The latest edits of each file.
#[derive(Debug, Default, Clone)]
pub(super) struct Edits(HashMap<FileDigest, VecDeque<Arc<str>>>);

impl Edits {
    /// Notes the texts that a call writes into a file. Returns the memory for them in bytes: decisions may keep the
    /// texts as long as the session lives.
    pub(super) fn note(&mut self, file: FileDigest, texts: &[Arc<str>]) -> usize {
        if self.0.len() >= MAX_FILES && !self.0.contains_key(&file) {
            return 0;
        }
        let known = self.0.entry(file).or_default();
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

    /// The texts that were written into a file, oldest first.
    pub(super) fn of(&self, file: FileDigest) -> Vec<Arc<str>> {
        self.0.get(&file).map_or_else(Vec::new, |texts| texts.iter().cloned().collect())
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
        assert_eq!(edits.0.len(), MAX_FILES);
    }
}
