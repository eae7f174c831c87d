//! Listings: paths that share a folder are grouped under it, names share lines, and the contents of noise
//! folders are left out under a marker. No name outside of noise folders is ever left out in `standard`.
//!
//! Grammar: one path a line (`find`, `fd`, glob tools, `git ls-files`), also after a size, a status or
//! the columns of `ls -l`; `ls`, `ls -R` and `ls -laR` with their `folder:` headers; trees. Lines that are
//! none of these (errors, totals, notes of a tool) stay in place.
//!
//! The form of a group is: an empty line, the folder as it stood with its final `/`, its names divided by single
//! blanks, an empty line. A line of names under no folder holds names that had none. A name with a blank in it
//! keeps its whole path and a line of its own. The order of the lines is kept: a folder that occurs again later
//! gets a new group, headed by `.../` and as much of its end as no other folder has. One name in many folders is
//! before them: `name in:`, a folder on each line, an empty line. In the long format of `ls`, the owner, group and
//! date that most lines have are written once, above the first line. A tree is written with one blank for each
//! level.

mod entry;
mod long;
mod names;
mod noise;
mod paths;
mod sheet;
#[cfg(test)]
mod tests;
mod tree;
mod windows;

use super::{Meta, Reducer};
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

pub use windows::WindowsDir;

/// The reducer of this module.
pub struct Listing;

static META: Meta = Meta {
    id: "listing",
    family: "listing",
    reads: "`ls` in all its formats, `find`, `fd`, `du`, `tree` and other drawn trees (`npm ls`, `cargo tree`), `git ls-files` and `ls-tree`, `dir /b`, glob and list \
            tools of agents, also with a `- ` before each name",
    keeps: "every name, folder, size, mode and date in the order of the original; errors and notes of the tool; names of \
            noise folders",
    omits: "a folder that stood in front of many names is written once, in full, on a line that ends in `/`, and after \
            it the names, divided by blanks, up to an empty line; when it comes back as `.../` with its last parts; mode, links, owner, group and date that most lines share; one \
            name in many folders once, as `name in:` before them; the branches of a tree become one blank a level; \
            what `noiseDirectories` hold; in `aggressive` most names of a folder with over 100",
    anchors: &[],
};

/// Programs that list files, including those that run as part of a longer command.
const LISTERS: &[&str] = &["ls", "find", "fd", "fdfind", "tree", "du", "dir"];

/// Lines that are examined to recognise the format. A choice.
const SAMPLE_LINES: usize = 400;
/// A listing without a command that says so has at least this many lines.
const MIN_LINES: usize = 8;

/// How a listing is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// A path on every line.
    Paths,
    /// Names, under `folder:` headers or under none; also in the long format.
    Names,
    /// A drawn tree.
    Tree,
}

impl Reducer for Listing {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let command = &input.detection.command;
        let format = |wanted: Option<Format>| {
            let found = format(input.source);
            found.is_some() && (wanted.is_none() || found == wanted)
        };
        let names_files = |s: &Simple| match s.program() {
            "rg" => s.has_flag(&["--files"]),
            "git" => s.has_flag(&["--name-only", "--name-status"]),
            _ => false,
        };
        // Searches and diffs keep white space at line ends.
        let has_open_ends = || input.source.lines().any(|line| line.ends_with([' ', '\t']));
        match input.detection.shape {
            Shape::Listing if format(None) => Claim::Command,
            Shape::Search | Shape::Diff
                if command.runs(names_files) && format(Some(Format::Paths)) && !has_open_ends() =>
            {
                Claim::Command
            }
            Shape::Other if has_lister(input) && format(None) => Claim::Content,
            Shape::Other if is_tree(input.source) || is_bare_path_list(input.source) => Claim::Content,
            _ => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        if has_repeats(input.source) {
            return Err(Reason::NothingToDo);
        }
        let noise = noise::Noise::new(input);
        match format(input.source) {
            Some(Format::Paths) => paths::reduce(input, &noise),
            Some(Format::Names) => names::reduce(input, &noise),
            Some(Format::Tree) => tree::reduce(input, &noise),
            None => Err(Reason::NotRecognized),
        }
    }
}

/// A line without trailing white space, which the encoders remove.
fn text<'a>(source: &Source<'a>, line: usize) -> &'a str {
    source.line(line).trim_end_matches([' ', '\t'])
}

/// Whether a program of the command lists files.
fn has_lister(input: &Input<'_>) -> bool {
    input.detection.command.producers().any(|(s, _)| match s.program() {
        "busybox" => s.subcommand().is_some_and(|applet| LISTERS.contains(&applet)),
        program => LISTERS.contains(&program),
    })
}

/// Whether the text is an inventory of files. Changed files, files that a linter names and output of a script are
/// selections, in which nothing is noise.
fn is_inventory(input: &Input<'_>) -> bool {
    matches!(input.detection.shape, Shape::Listing | Shape::Search) || has_lister(input)
}

/// The format that nearly all lines of the head follow.
fn format(source: &Source<'_>) -> Option<Format> {
    if tree::is_bullets(source) {
        return Some(Format::Tree);
    }
    let (mut all, mut paths, mut foldered, mut names, mut trees) = (0, 0, 0, 0, 0);
    for i in 0..source.len().min(SAMPLE_LINES) {
        let line = text(source, i);
        if line.is_empty() {
            continue;
        }
        all += 1;
        let starts_block = i == 0 || text(source, i - 1).is_empty();
        let is_header = starts_block && names::header(line).is_some();
        let entry = entry::parse(line);
        trees += usize::from(tree::is_branch(line));
        names += usize::from(is_header || names::is_name(line) || names::is_long(line));
        paths += usize::from(entry.is_some());
        foldered += usize::from(entry.is_some_and(|e| !e.folder.is_empty()));
    }
    let most = |n: usize| n > 0 && n * 10 >= all * 8;
    // A bare name counts as a path if other lines have folders.
    match () {
        () if most(trees) => Some(Format::Tree),
        () if most(paths) && foldered * 4 >= all => Some(Format::Paths),
        () if most(names) => Some(Format::Names),
        () if most(paths) && foldered > 0 => Some(Format::Paths),
        () => None,
    }
}

/// Whether [`format`] is a tree; most texts are recognized by a few lines.
fn is_tree(source: &Source<'_>) -> bool {
    let (mut all, mut trees) = (0, 0);
    let sample = source.len().min(SAMPLE_LINES);
    for i in 0..sample {
        let line = text(source, i);
        all += usize::from(!line.is_empty());
        trees += usize::from(!line.is_empty() && tree::is_branch(line));
        if (all - trees) * 10 > sample * 2 {
            return false;
        }
    }
    trees > 0 && trees * 10 >= all * 8
}

/// Whether a block of lines occurs twice in a row. Then it is left to the encoder that counts repetitions; that would
/// ignore lines which are rewritten here.
fn has_repeats(source: &Source<'_>) -> bool {
    const MAX_BLOCK_LINES: usize = 24;
    let lines: Vec<&str> = (0..source.len()).map(|i| text(source, i)).collect();
    (1..=MAX_BLOCK_LINES).any(|period| {
        let mut run = 0;
        (period..lines.len()).any(|i| {
            run = if lines[i] == lines[i - period] { run + 1 } else { 0 };
            run >= period && lines[i + 1 - period..=i].iter().any(|line| !line.is_empty())
        })
    })
}

/// Whether a text without information from its call is a list of paths and nothing else.
fn is_bare_path_list(source: &Source<'_>) -> bool {
    let lines = || (0..source.len()).map(|i| text(source, i)).filter(|line| !line.is_empty());
    let is_bare = |line: &str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || b"._/@+~-".contains(&b);
        line.bytes().all(plain) && entry::parse(line).is_some_and(|e| !e.folder.is_empty())
    };
    lines().take(MIN_LINES).count() == MIN_LINES && lines().all(is_bare)
}
