//! Drawn trees: branches become blanks, one for each level, and the contents of noise folders are left out.
//!
//! A list with a `- ` before each name, which tools of agents write, is a tree, too, if it starts with the path of a
//! folder.
//!
//! A tree with uneven columns keeps its drawing. If the text ends inside a folder, the last line keeps its drawing,
//! too: it shows that more would follow.

use super::noise::Noise;
use super::sheet::Sheet;
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Branches as `tree` draws them in Unicode and in ASCII, and as `npm ls` does before a folder.
const BRANCHES: &[&str] = &["├── ", "└── ", "|-- ", "`-- ", "├─┬ ", "└─┬ "];

/// Fewest names of a list. A choice.
const MIN_NAMES: usize = 4;

/// A line of a tree.
#[derive(Clone, Copy)]
struct Branch<'a> {
    /// Columns before the branch.
    column: usize,
    /// The text after it.
    rest: &'a str,
    /// Whether it is the last entry of its folder, and of every folder above.
    is_last: bool,
}

/// Reads a line of a tree.
fn branch(line: &str) -> Option<Branch<'_>> {
    let mut column = 0;
    let mut is_last = true;
    let mut rest = line;
    loop {
        if let Some(found) = BRANCHES.iter().find(|b| rest.starts_with(**b)) {
            is_last = is_last && found.starts_with(['└', '`']);
            let rest = &rest[found.len()..];
            return (!rest.is_empty()).then_some(Branch { column, rest, is_last });
        }
        let c = rest.chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '│' | '|'))?;
        is_last = is_last && !matches!(c, '│' | '|');
        rest = &rest[c.len_utf8()..];
        column += 1;
    }
}

/// Reads a line of a list.
fn bullet(line: &str) -> Option<Branch<'_>> {
    let column = line.bytes().take_while(|b| *b == b' ').count();
    let rest = line[column..].strip_prefix("- ").filter(|rest| !rest.is_empty())?;
    // Such a list does not show whether more entries follow.
    Some(Branch { column, rest, is_last: true })
}

/// Whether a text is a list of files: below the path of a folder, which ends with a separator, names one level
/// deeper, and nothing but such names.
pub fn is_bullets(source: &Source<'_>) -> bool {
    let mut lines = (0..source.len()).map(|i| super::text(source, i)).filter(|line| !line.is_empty());
    let is_folder = |path: &str| {
        let is_rooted = path.starts_with('/') || path.starts_with("~/") || path.get(1..3) == Some(":\\");
        is_rooted && path.ends_with(['/', '\\']) && !path.contains(": ")
    };
    let first = lines.next().and_then(bullet);
    if !first.is_some_and(|first| first.column == 0 && is_folder(first.rest)) {
        return false;
    }
    let (mut deepest, mut names) = (0, 0);
    for line in lines {
        // A note of the tool may be after the list.
        let Some(here) = bullet(line) else { return names >= MIN_NAMES && line.starts_with("NOTE: ") };
        if here.column == 0 || here.column % 2 > 0 || here.column > deepest + 2 || here.rest.contains(": ") {
            return false;
        }
        (deepest, names) = (here.column, names + 1);
    }
    names >= MIN_NAMES
}

/// Whether a line belongs to a tree.
pub fn is_branch(line: &str) -> bool {
    branch(line).is_some()
}

/// What to do with a tree.
pub fn reduce(input: &Input<'_>, noise: &Noise<'_>) -> Result<Reduction, Reason> {
    let source = input.source;
    let read = if is_bullets(source) { bullet } else { branch };
    let branches: Vec<Option<Branch<'_>>> =
        (0..source.len()).map(|i| super::text(source, i)).map(read).collect();
    let unit = unit(&branches);
    let mut sheet = Sheet::new(input);
    let mut at = 0;
    while at < branches.len() {
        let Some(here) = branches[at] else {
            at += 1;
            continue;
        };
        let ends = branches.get(at + 1).copied().flatten().is_none();
        if let Some(unit) = unit.filter(|_| here.is_last || !ends) {
            let text = " ".repeat(here.column / unit + 1) + here.rest;
            sheet.line(at, text, Reason::ListingLayout);
        }
        at += 1;
        if noise.has(name(here.rest)) {
            let inside = |b: &&Option<Branch<'_>>| b.is_some_and(|b| b.column > here.column);
            let end = at + branches[at..].iter().take_while(inside).count();
            sheet.noise(at..end);
            at = end;
        }
    }
    if sheet.out.is_empty() { Err(Reason::NothingToDo) } else { Ok(sheet.out) }
}

/// The name of a file after its branch: columns of `-s`, `-p`, … are in brackets before it, `-f`
/// writes the whole path.
fn name(rest: &str) -> &str {
    let name = rest.rsplit("]  ").next().unwrap_or(rest);
    name.trim_end_matches('/').rsplit('/').next().unwrap_or(name)
}

/// Columns of a level. `None` if the drawing shows more than the depth, or when lines would repeat.
fn unit(branches: &[Option<Branch<'_>>]) -> Option<usize> {
    let columns = || branches.iter().flatten().map(|b| b.column);
    let unit = [4, 2].into_iter().find(|unit| columns().all(|column| column % unit == 0))?;
    // The last name at each level of the folder that is open.
    let mut open: Vec<&str> = Vec::new();
    for found in branches {
        let Some(here) = found else {
            open.clear();
            continue;
        };
        let level = here.column / unit;
        if level > open.len() || open.get(level) == Some(&here.rest) || here.rest.starts_with(' ') {
            return None;
        }
        open.truncate(level);
        open.push(here.rest);
    }
    Some(unit)
}
