//! Lists of paths: consecutive entries that share a folder become a group under it.

use std::collections::{HashMap, HashSet};

use super::entry::{self, Entry};
use super::long::Shared;
use super::noise::Noise;
use super::sheet::{Layout, Sheet};
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// A group is made only if it saves at least this many bytes of folder names.
const MIN_GAIN: usize = 12;
/// A repeated folder is written in its short form only if that saves at least this many bytes.
const MIN_SHORTER: usize = 8;
/// Most parts of a folder in its short form. Bounds the work.
const MAX_SHORT_PARTS: usize = 16;
/// If more consecutive entries have the same name, their folders are listed under the name.
const MIN_ALIKE: usize = 6;
/// The text between such a name and its folders.
const IN: &str = " in:";
/// Replaces the start of a folder that was written in full before.
const BACK: &str = crate::text::names::ELIDED_START;

/// What to do with a list of paths.
pub fn reduce(input: &Input<'_>, noise: &Noise<'_>) -> Result<Reduction, Reason> {
    let source = input.source;
    let entries: Vec<Option<Entry<'_>>> =
        (0..source.len()).map(|i| entry::parse(super::text(source, i))).collect();
    if is_grouped(source) || !are_distinct(source, &entries) {
        return Err(Reason::NothingToDo);
    }
    let roots = noise_roots(source, &entries, noise);
    let mut folders = Folders::new(&entries, &roots);
    let rows = entries.iter().enumerate().filter(|(i, e)| roots[*i].is_none() && is_row(e));
    let shared = Shared::of_lines(rows.map(|(i, _)| super::text(source, i)));
    let mut rows = Rows { head: shared.head(), shared };
    let mut sheet = Sheet::new(input);
    let mut named: HashSet<&str> = HashSet::new();
    let mut at = 0;
    while at < entries.len() {
        let mut end = at + 1;
        if let Some(root) = roots[at] {
            while end < entries.len() && roots[end] == Some(root) {
                end += 1;
            }
            // The line that names the folder, or the first line of a path in it.
            let is_named = !named.insert(root);
            sheet.noise(at + usize::from(!is_named)..end);
            at = end;
            continue;
        }
        let Some(entry) = entries[at] else {
            at += 1;
            continue;
        };
        end = run_end(&entries, &roots, at, entry);
        let paths = (at..end).filter_map(|i| entries[i].map(|e| e.path(super::text(source, i))));
        named.extend(paths.map(|path| path.trim_end_matches('/')));
        let alike = if end == at + 1 { alike(&entries, &roots, at) } else { 0 };
        if alike >= MIN_ALIKE {
            let holders: Vec<&str> = entries[at..at + alike].iter().flatten().map(|e| e.folder).collect();
            for (line, holder) in (at..).zip(&holders) {
                named.insert(super::text(source, line));
                folders.short(holder);
            }
            sheet.group(at, Some(&format!("{}{IN}", entry.name)), &holders, Layout::Folders);
            at += alike;
            continue;
        }
        // A folder before a bare name would read as the name's folder.
        let next = entries.get(end).copied().flatten();
        let is_folder = entry.name.ends_with('/') && !entry.folder.is_empty();
        if end == at + 1 && is_folder && next.is_some_and(|e| e.folder.is_empty()) {
            sheet.line(at, format!("{}\n", super::text(source, at)), Reason::SharedFolder);
            folders.short(entry.folder);
            at = end;
            continue;
        }
        let found: Vec<Entry<'_>> = entries[at..end].iter().flatten().copied().collect();
        write(&mut sheet, &mut folders, &mut rows, at, &found);
        at = end;
    }
    if sheet.out.is_empty() { Err(Reason::NothingToDo) } else { Ok(sheet.out) }
}

/// The line after the entries from `at` on that can be in one group.
fn run_end(entries: &[Option<Entry<'_>>], roots: &[Option<&str>], at: usize, first: Entry<'_>) -> usize {
    let is_bare = first.prefix.is_empty();
    let fits = |(entry, root): &(&Option<Entry<'_>>, &Option<&str>)| {
        root.is_none()
            && entry.is_some_and(|e| {
                e.folder == first.folder && if is_bare { e.is_joinable() } else { !e.prefix.is_empty() }
            })
    };
    at + entries[at..].iter().zip(&roots[at..]).take_while(fits).count().max(1)
}

/// How many entries from `at` on have the same name, each in another folder than the one before.
fn alike(entries: &[Option<Entry<'_>>], roots: &[Option<&str>], at: usize) -> usize {
    let Some(first) = entries[at].filter(|e| e.is_joinable() && !e.name.ends_with(['/', '\\'])) else {
        return 0;
    };
    let is_alike = |(entry, root): &(&Option<Entry<'_>>, &Option<&str>)| {
        root.is_none()
            && entry.is_some_and(|e| e.name == first.name && e.prefix.is_empty() && !e.folder.is_empty())
    };
    entries[at..].iter().zip(&roots[at..]).take_while(is_alike).count()
}

/// Writes entries of one folder as a group, or leaves them unchanged if that does not pay.
fn write<'a>(
    sheet: &mut Sheet<'_, '_>,
    folders: &mut Folders<'a>,
    rows: &mut Rows<'a>,
    at: usize,
    found: &[Entry<'a>],
) {
    let layout = if found[0].prefix.is_empty() { Layout::Joined } else { Layout::Lines };
    let folder = found[0].folder;
    let short = folders.short(folder);
    if folder.is_empty() {
        if found.len() > 1 && layout == Layout::Joined {
            let names: Vec<&str> = found.iter().map(|e| e.name).collect();
            sheet.group(at, None, &names, layout);
        }
        return;
    }
    if (found.len() - 1) * folder.len() >= MIN_GAIN {
        let header = short.as_deref().unwrap_or(folder);
        let lines: Vec<String> = found.iter().map(|e| rows.line(e)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let said = if is_row(&Some(found[0])) { std::mem::take(&mut rows.head) } else { String::new() };
        let gap = if said.is_empty() { "" } else { "\n" };
        sheet.group(at, Some(&format!("{said}{gap}{header}")), &lines, layout);
    } else if let Some(short) = short {
        for (line, e) in (at..).zip(found) {
            sheet.line(line, format!("{}{short}{}", squeezed(e.prefix), e.name), Reason::SharedFolder);
        }
    }
}

/// Whether a line has the columns of `ls -l` before its path.
fn is_row(entry: &Option<Entry<'_>>) -> bool {
    entry.is_some_and(|e| e.prefix.split(' ').any(entry::is_mode))
}

/// How lines with columns before the path are written.
struct Rows<'a> {
    shared: Shared<'a>,
    /// The line to write before the first one.
    head: String,
}

impl Rows<'_> {
    /// A line of a group, whose header has its folder.
    fn line(&self, entry: &Entry<'_>) -> String {
        let row = format!("{}{}", entry.prefix, entry.name);
        let short = Some(&row).filter(|_| is_row(&Some(*entry)));
        short
            .and_then(|row| self.shared.short(row, entry.name))
            .unwrap_or_else(|| squeezed(entry.prefix) + entry.name)
    }
}

/// Columns without their padding.
fn squeezed(prefix: &str) -> String {
    let mut out = String::with_capacity(prefix.len());
    for c in prefix.trim_start().chars() {
        if !(c == ' ' && out.ends_with(' ')) {
            out.push(c);
        }
    }
    out
}

/// Whether the text is in the form that this module writes.
pub fn is_grouped(source: &Source<'_>) -> bool {
    let inner = |line: &str| line.split(' ').any(|name| name.trim_end_matches('/').contains('/'));
    let line = |i: usize| if i < source.len() { super::text(source, i) } else { "" };
    (0..source.len()).any(|i| {
        let here = line(i);
        if here.contains(BACK) {
            return true;
        }
        let apart = i == 0 || line(i - 1).is_empty();
        if apart && here.ends_with(IN) && line(i + 1).ends_with(['/', '\\']) {
            return true;
        }
        let starts = (here.ends_with('/') || here.ends_with('\\')) && apart;
        starts && !line(i + 1).is_empty() && !inner(line(i + 1))
    })
}

/// Whether no line repeats another: repeated ones are for the encoder that counts them.
fn are_distinct(source: &Source<'_>, entries: &[Option<Entry<'_>>]) -> bool {
    let mut seen = HashSet::with_capacity(entries.len());
    (0..entries.len()).filter(|&i| entries[i].is_some()).all(|i| seen.insert(super::text(source, i)))
}

/// For each line in a noise folder, that folder; none at all if the whole list is in noise folders.
fn noise_roots<'a>(
    source: &Source<'a>,
    entries: &[Option<Entry<'a>>],
    noise: &Noise<'_>,
) -> Vec<Option<&'a str>> {
    let roots: Vec<Option<&str>> = entries
        .iter()
        .enumerate()
        .map(|(i, e)| e.and_then(|e| noise.root(e.path(super::text(source, i)))))
        .collect();
    let whole = entries.iter().zip(&roots).all(|(entry, root)| entry.is_none() || root.is_some());
    if whole { vec![None; roots.len()] } else { roots }
}

/// Folders that were written, and the short forms for writing them again.
struct Folders<'a> {
    /// How many folders end with these parts.
    ends: HashMap<&'a str, u32>,
    written: HashSet<&'a str>,
}

impl<'a> Folders<'a> {
    fn new(entries: &[Option<Entry<'a>>], roots: &[Option<&str>]) -> Self {
        let mut all: HashSet<&str> = HashSet::new();
        let mut ends: HashMap<&str, u32> = HashMap::new();
        for (entry, _) in entries.iter().zip(roots).filter(|(_, root)| root.is_none()) {
            let Some(folder) = entry.map(|e| e.folder).filter(|folder| all.insert(folder)) else { continue };
            let body = folder.trim_end_matches('/');
            *ends.entry(body).or_default() += 1;
            for end in ends_of(body) {
                *ends.entry(end).or_default() += 1;
            }
        }
        Self { ends, written: HashSet::new() }
    }

    /// The short form of a folder that was written before. Notes that it is written now.
    fn short(&mut self, folder: &'a str) -> Option<String> {
        if self.written.insert(folder) || !folder.ends_with('/') {
            return None;
        }
        let body = folder.trim_end_matches('/');
        let end = ends_of(body).find(|end| self.ends.get(end) == Some(&1))?;
        (end.len() + BACK.len() + 1 + MIN_SHORTER <= folder.len()).then(|| format!("{BACK}{end}/"))
    }
}

/// The short forms of a folder path, shortest first. Only some, so that the work stays linear.
fn ends_of(body: &str) -> impl Iterator<Item = &str> {
    memchr::memrchr_iter(b'/', body.as_bytes()).take(MAX_SHORT_PARTS).map(|at| &body[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_folder_has_few_ends() {
        let deep = "a/".repeat(9000) + "b";
        assert_eq!(ends_of(&deep).count(), MAX_SHORT_PARTS);
        assert_eq!(ends_of("src/a/b").collect::<Vec<_>>(), ["b", "a/b"]);
    }
}
