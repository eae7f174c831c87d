//! Consecutive entries that share the text before their names: a folder, a mark, a mode. The folder is written
//! once, above the names.
//!
//! For a status with very many files, a sample is shown ([`sampled`]).
//!
//! Writing a folder once loses no information. A name that reads like a failure keeps its whole line, so that a
//! search for that line finds it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::config::Mode;
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Entries in a row that must share a folder for it to be written once.
const MIN_RUN: usize = 4;
/// Fewest bytes that writing it once must save.
const MIN_SAVED: usize = 24;

/// A line that names a path or a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// The text before the hash that many entries share: a mark, a mode.
    pub mark: &'a str,
    /// What differs from line to line: an object's hash. Empty where the format has none.
    pub hash: &'a str,
    /// The text after the hash.
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

    /// The line that is above the names.
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

/// Writes a run, if that pays.
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
/// A file that a status lists, with what happened to it.
pub(super) struct Listed<'a> {
    pub line: usize,
    pub state: &'a str,
    pub path: &'a str,
}

/// The most files of one state that a status shows; of more files, a sample of this size is shown. A choice: as many
/// as a reader still looks through.
const MAX_SHOWN: usize = 60;
const MAX_SHOWN_AGGRESSIVE: usize = 20;
/// A sample leaves at least this many out.
const MIN_LEFT_OUT: usize = 10;
/// Folders that a marker names for a state.
const MAX_NAMED_FOLDERS: usize = 5;
/// Files are outliers if at most this many share their folder or extension.
const MAX_RARE: usize = 2;

/// The files that a sample leaves out, by line, and the text of the marker: their number by state, and their
/// folders. Files that stand out by their folder or extension, relevant files, and the first and the last file are
/// kept.
pub(super) fn sampled(input: &Input<'_>, all: &[Listed<'_>]) -> (BTreeSet<usize>, String) {
    let most = if input.policy.mode >= Mode::Aggressive { MAX_SHOWN_AGGRESSIVE } else { MAX_SHOWN };
    let mut states: Vec<(&str, Vec<&Listed<'_>>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for file in all {
        let place = *places.entry(file.state).or_insert(states.len());
        if place == states.len() {
            states.push((file.state, Vec::new()));
        }
        states[place].1.push(file);
    }
    let (mut gone, mut told) = (BTreeSet::new(), Vec::new());
    for (state, files) in states.iter().filter(|(_, files)| files.len() >= most + MIN_LEFT_OUT) {
        crate::stop::check_sometimes();
        let shown = chosen(input, files, most);
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for (file, _) in files.iter().zip(shown).filter(|(_, is_shown)| !is_shown) {
            gone.insert(file.line);
            *folders.entry(top(file.path)).or_default() += 1;
        }
        let mut folders: Vec<(&str, usize)> = folders.into_iter().collect();
        folders.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let others: usize = folders.iter().skip(MAX_NAMED_FOLDERS).map(|(_, count)| count).sum();
        let named = folders.iter().take(MAX_NAMED_FOLDERS).map(|(name, count)| format!("{name} {count}"));
        let named: Vec<String> = named.chain((others > 0).then(|| format!("others {others}"))).collect();
        told.push(format!("{} {} in all, of them not shown {}", files.len(), state.trim(), named.join(", ")));
    }
    (gone, told.join("; "))
}

/// Which of some files a sample shows.
fn chosen(input: &Input<'_>, files: &[&Listed<'_>], most: usize) -> Vec<bool> {
    let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for path in &paths {
        *counts.entry(top(path)).or_default() += 1;
        *counts.entry(extension(path)).or_default() += 1;
    }
    let is_rare = |name: &str| counts.get(name).is_some_and(|count| *count <= MAX_RARE);
    let mut shown = vec![false; files.len()];
    let mut left = most;
    let mut show = |i: usize, left: &mut usize| {
        if *left > 0 && !std::mem::replace(&mut shown[i], true) {
            *left -= 1;
        }
    };
    let scores = input.relevance.scores_of(&paths);
    (0..files.len()).filter(|&i| scores[i] > 0).take(most / 2).for_each(|i| show(i, &mut left));
    let outliers = (0..files.len()).filter(|&i| is_rare(top(paths[i])) || is_rare(extension(paths[i])));
    outliers.take(most / 4).for_each(|i| show(i, &mut left));
    let ends = left / 4;
    (files.len() - ends..files.len()).for_each(|i| show(i, &mut left));
    (0..files.len()).for_each(|i| show(i, &mut left));
    shown
}

/// The first folder of a path, with its slash; `./` for a file at the top.
fn top(path: &str) -> &str {
    let path = path.trim_start_matches('"');
    path.find('/').map_or("./", |end| &path[..=end])
}

/// The extension with its dot, or the whole name.
fn extension(path: &str) -> &str {
    let name = path.trim_end_matches(['"', '/']).rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or(name, |dot| &name[dot..])
}
