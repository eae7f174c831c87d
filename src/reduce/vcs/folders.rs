//! Entries in a row that share what stands before their names: a folder, a mark, a mode. It is
//! written once, above the names.
//!
//! Nothing is lost by it. A name that reads like a failure keeps its whole line, so that whoever looks
//! for that line finds it.

use std::ops::Range;

use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Entries in a row that must share a folder for it to be written once.
const MIN_RUN: usize = 4;
/// Bytes that it must save.
const MIN_SAVED: usize = 24;

/// A line that names a path or a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// What stands in front and is the same for many: a mark, a mode.
    pub mark: &'a str,
    /// What differs from line to line: an object's hash. Empty where the format has none.
    pub hash: &'a str,
    /// What stands behind the hash.
    pub stage: &'a str,
    /// The folder, with its slash.
    pub folder: &'a str,
    /// The name in the folder.
    pub name: &'a str,
}

impl<'a> Entry<'a> {
    /// An entry of a mark and a path; `None` when the path has no folder or is quoted.
    pub(super) fn new(mark: &'a str, path: &'a str) -> Option<Self> {
        let inner = path.strip_suffix('/').unwrap_or(path);
        let (folder, name) = path.split_at(inner.rfind('/')? + 1);
        let is_plain = !path.starts_with(['"', ' ', '/']) && !path.contains(" -> ");
        is_plain.then_some(Self { mark, hash: "", stage: "", folder, name })
    }

    fn shares(&self, other: &Self) -> bool {
        (self.mark, self.stage, self.folder, self.hash.is_empty())
            == (other.mark, other.stage, other.folder, other.hash.is_empty())
    }

    /// The line that stands above the names.
    fn heading(&self) -> String {
        let hash = if self.hash.is_empty() { "" } else { "<hash>" };
        let mut text = String::new();
        for word in [self.mark, hash, self.stage].into_iter().filter(|w| !w.is_empty()) {
            text.push_str(word);
            text.push(' ');
        }
        text.push_str("in ");
        text.push_str(self.folder);
        text.push(':');
        text
    }
}

/// Folds the runs of entries within some lines.
pub(super) fn fold<'a>(
    source: &Source<'a>,
    lines: Range<usize>,
    out: &mut Reduction,
    entry: impl Fn(&'a str) -> Option<Entry<'a>>,
) {
    let mut run: Option<(Entry<'a>, usize)> = None;
    for i in lines.clone() {
        let next = entry(source.line(i));
        match (&run, &next) {
            (Some((first, _)), Some(next)) if first.shares(next) => {}
            _ => {
                end(source, run.take(), i, out, &entry);
                run = next.map(|next| (next, i));
            }
        }
    }
    end(source, run, lines.end, out, &entry);
}

/// Writes a run, where that pays.
fn end<'a>(
    source: &Source<'a>,
    run: Option<(Entry<'a>, usize)>,
    end: usize,
    out: &mut Reduction,
    entry: &impl Fn(&'a str) -> Option<Entry<'a>>,
) {
    let Some((first, start)) = run.filter(|(_, start)| end - start >= MIN_RUN) else { return };
    let mut text = first.heading();
    for line in (start..end).map(|i| source.line(i)) {
        text.push('\n');
        match entry(line).filter(|_| !signals::is_failure(line)) {
            Some(entry) => {
                text.push('\t');
                text.push_str(entry.hash);
                text.push_str(if entry.hash.is_empty() { "" } else { " " });
                text.push_str(entry.name);
            }
            None => text.push_str(line),
        }
    }
    if text.len() + MIN_SAVED <= source.byte_range(start..end).len() {
        out.replace(start..end, text, Reason::SharedFolder);
    }
}
