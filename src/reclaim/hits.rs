//! The places that a small search or listing found. An agent that visits them one by one still needs the list.

use std::hash::Hasher;

use xxhash_rust::xxh3::Xxh3;

use super::view::{View, numbered};
use crate::detect::viewed;

/// A result with more lines is not a list to work through: agents only search such results.
const MAX_LINES: usize = 40;
/// After this many visited places, the agent probably works through the list.
const MIN_STEPS: usize = 2;

/// A place: a file, a line, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hit {
    /// The name of the file.
    file: Option<u64>,
    /// The folder that contains it, if the text names one.
    folder: Option<u64>,
    line: Option<u32>,
}

/// The places that a search found and the agent has not visited yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Hits {
    /// The places that the agent has not visited yet.
    left: Vec<Hit>,
    steps: usize,
}

impl Hits {
    /// The places that a text names, one a line; none if the text has too many lines.
    pub(super) fn of(text: &str) -> Self {
        if text.lines().nth(MAX_LINES).is_some() {
            return Self::default();
        }
        Self { left: text.lines().filter_map(hit).collect(), steps: 0 }
    }

    /// Notes that the agent looked at a file or some lines of it. Returns whether this visited one of the places.
    pub(super) fn step(&mut self, file: &str, view: Option<&View>) -> bool {
        let before = self.left.len();
        let (name, folder) = (of_file(file), of_folder(file));
        self.left.retain(|hit| {
            let is_folder = hit.folder.is_none() || folder.is_none() || hit.folder == folder;
            let is_file = hit.file.is_none_or(|other| other == name) && is_folder;
            let is_line = hit.line.is_none_or(|line| view.is_none_or(|view| view.has(line)));
            // A line number alone does not match a view of a whole file.
            !(is_file && is_line && (hit.file.is_some() || view.is_some()))
        });
        let is_step = self.left.len() < before;
        self.steps += usize::from(is_step);
        is_step
    }

    /// Whether the agent works through the list and has not finished.
    pub(super) fn is_worked_through(&self) -> bool {
        self.steps >= MIN_STEPS && !self.left.is_empty()
    }

    /// Bytes of memory in addition to the struct itself.
    pub(super) fn bytes(&self) -> usize {
        self.left.capacity() * size_of::<Hit>()
    }
}

fn of_file(file: &str) -> u64 {
    hash(viewed::name(file))
}

/// The name of the folder that directly contains a file.
fn of_folder(file: &str) -> Option<u64> {
    let folder = file[..file.rfind(['/', '\\'])?].rsplit(['/', '\\']).next()?;
    (!matches!(folder, "" | "." | "..") && !folder.starts_with('?')).then(|| hash(folder))
}

fn hash(text: &str) -> u64 {
    let mut hash = Xxh3::new();
    hash.write(text.as_bytes());
    hash.finish()
}

/// The place that a line names: `src/a.rs:12: text`, `Line 12: text`, `12:text`, `src/a.rs (3 matches)`, `src/a.rs`.
fn hit(line: &str) -> Option<Hit> {
    let line = line.trim();
    if let Some((number, _)) = numbered(line.strip_prefix("Line ").unwrap_or(line)) {
        return Some(Hit { file: None, folder: None, line: Some(number) });
    }
    let word = line.split([':', ' ', '\t']).next()?;
    let is_file = word.contains(['/', '.']) && word.ends_with(|c: char| c.is_alphanumeric());
    let rest = line[word.len()..].trim_start();
    let number = rest.strip_prefix(':').and_then(numbered).map(|(number, _)| number);
    let is_alone = rest.is_empty() || rest.starts_with('(');
    (is_file && (is_alone || number.is_some())).then(|| Hit {
        file: Some(of_file(word)),
        folder: of_folder(word),
        line: number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_the_forms_of_searches() {
        let hit = |file: Option<&str>, line| {
            Some(Hit { file: file.map(of_file), folder: file.and_then(of_folder), line })
        };
        assert_eq!(super::hit("src/a.rs:12: let x"), hit(Some("src/a.rs"), Some(12)));
        assert_eq!(super::hit("Line 12:let x"), hit(None, Some(12)));
        assert_eq!(super::hit("12:let x"), hit(None, Some(12)));
        assert_eq!(super::hit("/w/src/a.rs (3 matches)"), hit(Some("src/a.rs"), None));
        assert_eq!(super::hit("./src/a.rs"), hit(Some("src/a.rs"), None));
        for line in
            ["Found 13 matches for \"x\" in /w/a.rs:", "End of matches", "", "a sentence. It ends", "x: y"]
        {
            assert_eq!(super::hit(line), None, "{line}");
        }
    }

    #[test]
    fn a_list_is_used_up_step_by_step() {
        let view = |first: u32| {
            let text: String = (first..first + 5).map(|n| format!("{n}:x\n")).collect();
            View::of(&text, Some("a.rs")).unwrap()
        };
        let mut hits = Hits::of("a.rs:12:x\na.rs:52:x\na.rs:92:x\nb.rs:12:x\n");
        assert!(!hits.step("c.rs", Some(&view(10))) && !hits.step("a.rs", Some(&view(20))));
        assert!(hits.step("/w/a.rs", Some(&view(10))) && !hits.is_worked_through());
        assert!(!hits.step("/w/a.rs", Some(&view(10))), "it was there");
        assert!(hits.step("a.rs", Some(&view(50))) && hits.is_worked_through());
        assert!(hits.step("a.rs", None) && hits.step("b.rs", None) && !hits.is_worked_through());
        let many: String = (0..41).map(|n| format!("a.rs:{n}:x\n")).collect();
        assert!(!Hits::of(&many).step("a.rs", None));
        let mut hits = Hits::of("src/a/mod.rs:12:x\nsrc/b/mod.rs:3:x\n");
        assert!(hits.step("/w/src/b/mod.rs", None) && !hits.step("/w/src/c/mod.rs", None));
        assert!(!Hits::of("12:x\n").step("a.rs", None), "a number alone");
    }
}
