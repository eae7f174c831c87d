//! `git status` in the long format: hints about further commands are left out, very many files in one state are shown
//! as a sample, and a folder that many consecutive entries share is written once.
//!
//! Grammar: a block starts with `On branch …`, `HEAD detached at|from …`, `Not currently on any branch.` or a
//! rebase in progress; sections follow, each a heading, hints, and entries after a tab. Any other line ends the
//! block. A block never starts in a Markdown fence. The short, porcelain and `-z` formats have nothing to leave out
//! and are not read. The reducer never describes the state of the tree in other words than git's.

use std::collections::BTreeMap;
use std::ops::Range;

use super::folders::{self, Listed};
use crate::detect::Shape;
use crate::input::{Claim, Input};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::{MARKER_COST, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct GitStatus;

static META: Meta = Meta {
    id: "git_status",
    family: "git",
    reads: "`git status` in the long format",
    keeps: "branch, upstream, operation in progress, every section, all conflicts, up to 60 files of each state (20 in `aggressive`), the last line",
    omits: "the hints in parentheses; more files of a state, which the marker counts; a folder shared by 8 or more entries in a row is written once",
    anchors: &["On branch ", "HEAD detached ", "Not currently on any branch.", "rebase in progress; onto "],
};

/// Entries in a row that must share a folder for it to be written once.
const MIN_RUN: usize = 8;

/// How hints start. Those with `all conflicts fixed` are left out of the list: they report a state.
const HINTS: &[&str] = &[
    "use \"git ",
    "run \"git ",
    "fix conflicts and ",
    "commit or discard the untracked or modified content",
    "Once your working directory is clean, ",
];

/// Headings of sections whose entries start with what happened to the file.
const LABELLED: &[&str] = &[
    "Changes to be committed:",
    "Changes not staged for commit:",
    "Changed but not updated:",
    "Unmerged paths:",
];

/// The heading of the section of conflicts, which are all shown.
const CONFLICTS: &str = "Unmerged paths:";

/// Headings of sections whose entries are bare paths.
const BARE: &[&str] = &["Untracked files:", "Ignored files:"];

/// How the other lines of a block start.
const BODY: &[&str] = &[
    "Your branch ",
    "Your stash ",
    "and have ",
    "You ",
    "Last command",
    "Next command",
    "No commands ",
    "No commits yet",
    "Initial commit",
    "no changes added",
    "nothing ",
    "Untracked files ",
    "Submodule",
    "All conflicts fixed",
    "Cherry-pick currently",
    "Revert currently",
    "The current patch is empty.",
    "* ",
    "It took ",
    "may speed it up",
    "new files yourself",
    "but the results were cached",
    "See 'git help status'",
];

impl Reducer for GitStatus {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let command = &input.detection.command;
        let mut lines = input.source.lines();
        if command.runs(|s| s.git_subcommand() == Some("status")) {
            return if lines.any(is_start) { Claim::Command } else { Claim::No };
        }
        // A commit without changes prints the same, but it is the output of the commit.
        let is_other = command.runs(|s| s.git_subcommand() == Some("commit"))
            || matches!(input.detection.shape, Shape::File | Shape::Search | Shape::Listing | Shape::Diff);
        let starts = lines.find(|l| !l.is_empty()).is_some_and(is_start);
        match starts && !is_other && lines.any(|l| section_of(uncommented(l)).is_some()) {
            true => Claim::Content,
            false => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let mut out = Reduction::default();
        let mut group = 0;
        let whole = 0..input.source.len();
        let listed = listed(input.source);
        let blocks = scan_sample(input, whole, &listed, &mut group, &mut out);
        match (blocks, out.is_empty()) {
            (0, _) => Err(Reason::NotRecognized),
            (_, true) => Err(Reason::NothingToDo),
            _ => Ok(out),
        }
    }
}

/// Kind of entries that a section holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Labelled,
    Bare,
}

/// Consecutive entries with the same state, of files in the same folder.
struct Run<'a> {
    label: &'a str,
    folder: &'a str,
    lines: Range<usize>,
}

/// Reads the blocks within some lines, adds the omissions, and returns the number of blocks. `group` is the last used
/// group of omissions.
pub(super) fn scan(source: &Source<'_>, lines: Range<usize>, group: &mut u32, out: &mut Reduction) -> usize {
    scan_but(source, lines, &BTreeMap::new(), group, out)
}

/// Reads the blocks within some lines as [`scan`] does, and shows only a sample of the files in each section.
fn scan_sample(
    input: &Input<'_>,
    lines: Range<usize>,
    sections: &[Vec<Listed<'_>>],
    group: &mut u32,
    out: &mut Reduction,
) -> usize {
    let mut left_out = BTreeMap::new();
    for section in sections {
        let (gone, told) = folders::sampled(input, section);
        *group += u32::from(!gone.is_empty());
        let names = std::iter::once(told).chain(std::iter::repeat_with(String::new));
        left_out.extend(gone.into_iter().zip(names).map(|(line, names)| (line, (*group, names))));
    }
    scan_but(input.source, lines, &left_out, group, out)
}

/// The files of each section, except conflicts.
fn listed<'a>(source: &Source<'a>) -> Vec<Vec<Listed<'a>>> {
    let mut sections: Vec<Vec<Listed<'a>>> = Vec::new();
    let mut section = None;
    for (line, text) in source.lines().enumerate() {
        let Some(body) = text.strip_prefix('\t') else {
            if !text.starts_with("  (") && !text.is_empty() {
                section = section_of(text).filter(|_| text != CONFLICTS).map(|found| (found, text));
                sections.extend(section.map(|_| Vec::new()));
            }
            continue;
        };
        let file = match section {
            Some((Section::Bare, heading)) => Some((heading.split(' ').next().unwrap_or_default(), body)),
            Some((Section::Labelled, _)) => {
                body.split_once(':').map(|(state, path)| (state, path.trim_start()))
            }
            None => None,
        };
        if let (Some((state, path)), Some(section)) = (file, sections.last_mut()) {
            section.push(Listed { line, state, path });
        }
    }
    sections
}

/// Reads the blocks and leaves out some lines, each with its group and the text of its marker.
fn scan_but(
    source: &Source<'_>,
    lines: Range<usize>,
    left_out: &BTreeMap<usize, (u32, String)>,
    group: &mut u32,
    out: &mut Reduction,
) -> usize {
    let mut blocks = 0;
    let (mut in_block, mut in_fence) = (false, false);
    let mut section = None;
    let mut run: Option<Run<'_>> = None;
    for i in lines {
        let raw = source.line(i);
        if let Some((group, names)) = left_out.get(&i).filter(|_| in_block) {
            fold(source, run.take(), out);
            out.omit_named(i..i + 1, Reason::StatusFiles, *group, names);
            continue;
        }
        let entry = entry(raw, section.filter(|_| in_block));
        match (&mut run, &entry) {
            (Some(run), Some((label, folder))) if run.label == *label && run.folder == *folder => {
                run.lines.end = i + 1;
                continue;
            }
            _ => fold(source, run.take(), out),
        }
        run = entry.map(|(label, folder)| Run { label, folder, lines: i..i + 1 });
        let line = uncommented(raw);
        if line.starts_with("```") {
            // A block in a tutorial is only an example.
            in_fence = !in_fence;
            in_block = false;
        } else if is_start(line) && !in_fence {
            (in_block, section) = (true, None);
            blocks += 1;
            // One marker for the hints of one block.
            *group += 1;
        } else if !in_block || line.starts_with('\t') {
        } else if is_hint(line) {
            out.omit_in(i..i + 1, Reason::GitHints, *group);
        } else if let Some(found) = section_of(line) {
            section = Some(found);
        } else {
            in_block = line.is_empty() || line.starts_with("  ") || BODY.iter().any(|b| line.starts_with(b));
        }
    }
    fold(source, run, out);
    blocks
}

/// A status in the old style, or in a commit template, has a `#` before every line.
fn uncommented(line: &str) -> &str {
    line.strip_prefix('#').map_or(line, |l| l.strip_prefix(' ').unwrap_or(l))
}

fn is_start(line: &str) -> bool {
    let line = uncommented(line);
    let one_word = |rest: &str| !rest.is_empty() && !rest.contains(' ');
    let heads = ["On branch ", "HEAD detached at ", "HEAD detached from "];
    heads.iter().any(|h| line.strip_prefix(h).is_some_and(one_word))
        || line == "Not currently on any branch."
        || line
            .strip_prefix("interactive ")
            .unwrap_or(line)
            .strip_prefix("rebase in progress; onto ")
            .is_some_and(one_word)
}

/// A hint on a line of its own. One that names `--abort` is kept: the guard takes the word for a failure and would
/// restore the line.
fn is_hint(line: &str) -> bool {
    let Some(text) = line.strip_prefix("  (").and_then(|l| l.strip_suffix(')')) else { return false };
    HINTS.iter().any(|h| text.starts_with(h)) && !text.contains("abort")
}

fn section_of(line: &str) -> Option<Section> {
    match () {
        () if LABELLED.contains(&line) => Some(Section::Labelled),
        () if BARE.contains(&line) => Some(Section::Bare),
        () => None,
    }
}

/// The state in an entry (empty in a bare section) and the file's folder with its slash. `None` for entries that
/// cannot share a folder: files at the top, quoted names, renames.
fn entry(line: &str, section: Option<Section>) -> Option<(&str, &str)> {
    let body = line.strip_prefix('\t')?;
    let (label, path) = match section? {
        Section::Bare => ("", body),
        Section::Labelled => {
            let (label, rest) = body.split_once(':')?;
            let path = rest.trim_start_matches(' ');
            // The column that git pads to; with any other, a blank may belong to the name.
            let column = body.len() - path.len();
            let two_paths = matches!(label, "renamed" | "copied");
            if two_paths || !matches!(column, 12 | 17) {
                return None;
            }
            (label, path)
        }
    };
    let name_end = path.strip_suffix('/').unwrap_or(path).len();
    let folder = path.get(..=path.get(..name_end)?.rfind('/')?)?;
    (!path.starts_with('"')).then_some((label, folder))
}

/// Writes the folder of a long run once, if that pays.
fn fold(source: &Source<'_>, run: Option<Run<'_>>, out: &mut Reduction) {
    let Some(Run { label, folder, lines }) = run.filter(|r| r.lines.len() >= MIN_RUN) else { return };
    let space = if label.is_empty() { "" } else { " " };
    let mut text = format!("\t{label}{space}in {folder}:");
    for line in lines.clone().map(|i| source.line(i)) {
        let at = line.find(folder).map_or(0, |at| at + folder.len());
        text.push_str("\n\t\t");
        text.push_str(&line[at..]);
    }
    if text.len() + MARKER_COST <= source.byte_range(lines.clone()).len() {
        out.replace(lines, text, Reason::SharedFolder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, Policy};
    use crate::detect::command::CommandLine;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{self, Raw};
    use crate::text::call::ToolCall;

    #[test]
    fn reads_lines() {
        for line in [
            "On branch main",
            "HEAD detached at 1a2b3c4",
            "# On branch x",
            "rebase in progress; onto 1a2b3c4",
        ] {
            assert!(is_start(line), "{line}");
        }
        for line in [
            "On branch predictions in CPUs",
            "## main...origin/main",
            "On branch ",
            "HEAD detached",
            "## Status",
        ] {
            assert!(!is_start(line), "{line}");
        }
        assert!(is_hint("  (use \"git add <file>...\" to update what will be committed)"));
        for line in [
            "  (all conflicts fixed: run \"git rebase --continue\")",
            "  (use \"git merge --abort\" to abort the merge)",
            "(use \"git add\")",
            "  (see below)",
        ] {
            assert!(!is_hint(line), "{line}");
        }
    }

    #[test]
    fn reads_entries() {
        let labelled = |line| entry(line, Some(Section::Labelled));
        assert_eq!(labelled("\tmodified:   a/b/c d.rs"), Some(("modified", "a/b/")));
        assert_eq!(labelled("\tboth modified:   a/b.rs"), Some(("both modified", "a/")));
        for line in [
            "\tmodified:   a.rs",
            "\tmodified:    a/b.rs",
            "\tmodified:   \"a/\\303.rs\"",
            "\trenamed:    a/b -> a/c",
        ] {
            assert_eq!(labelled(line), None, "{line}");
        }
        let bare = |line| entry(line, Some(Section::Bare));
        assert_eq!(bare("\ta/b/"), Some(("", "a/")));
        assert_eq!((bare("\tb/"), bare("\t/"), bare("\t"), entry("\ta/b", None)), (None, None, None, None));
    }

    fn shown(command: &str, text: &str, mode: Mode) -> String {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        let policy = Policy { mode, ..Policy::default() };
        pipeline::compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    }

    #[test]
    fn of_very_many_files_a_sample_is_shown_and_all_conflicts() {
        let files = |label: &str, folder: &str, n: usize| -> String {
            (0..n).map(|i| format!("\t{label}{folder}/part_{i}/file_{i}.rs\n")).collect()
        };
        let text = "On branch main\n\nChanges to be committed:\n  (use \"git restore --staged <file>...\" to unstage)\n".to_owned()
            + &files("new file:   ", "src", 233)
            + "\nUnmerged paths:\n  (use \"git add <file>...\" to mark resolution)\n"
            + &files("both modified:   ", "lib", 90)
            + "\nChanges not staged for commit:\n"
            + &files("modified:   ", "lib", 40)
            + "\tmodified:   deploy/.env\n"
            + &files("modified:   ", "app", 200)
            + "\nUntracked files:\n"
            + &files("", "out", 233)
            + "\n";
        for (mode, most) in [(Mode::Standard, 60), (Mode::Aggressive, 20)] {
            let out = shown("git status", &text, mode);
            let count = |what: &str| {
                (0..240).filter(|i| out.contains(&format!("{what}/part_{i}/file_{i}.rs"))).count()
            };
            assert_eq!((count("src"), count("out")), (most, most), "{out}");
            assert!(
                (0..90).all(|i| out.contains(&format!("both modified:   lib/part_{i}/file_{i}.rs\n"))),
                "{out}"
            );
            assert!(out.contains("deploy/.env") && out.contains("src/part_232/"), "{out}");
            let not_shown = 233 - most;
            let said = format!("status_files: 233 new file in all, of them not shown src/ {not_shown}");
            assert!(out.contains(&said), "{out}");
            assert!(out.contains("241 modified in all, of them not shown app/ "), "{out}");
            assert!(
                out.contains(&format!("233 Untracked in all, of them not shown out/ {not_shown}")),
                "{out}"
            );
        }
        let short: String = (0..700)
            .map(|i| format!("{} src/module_{i}/file_{i}.rs\n", if i % 3 > 0 { " M" } else { "??" }))
            .chain(["UU src/conflict.rs\n".to_owned(), "A  docs/new.md\n".to_owned()])
            .collect();
        for command in ["git status -s", "git status --porcelain"] {
            let out = shown(command, &short, Mode::Standard);
            assert!(out.contains("UU src/conflict.rs\n") && out.contains("A  docs/new.md\n"), "{out}");
            assert!(
                out.contains(
                    "234 ?? in all, of them not shown src/ 174; 466 M in all, of them not shown src/ 406]"
                ),
                "{out}"
            );
            assert_eq!(out.lines().filter(|line| line.starts_with(" M ")).count(), 60, "{out}");
        }
        // Few files, and those of other programs, are all kept.
        let few = text.lines().filter(|line| !line.starts_with('\t') || line.contains("_1")).take(60);
        assert!(
            !shown("git status", &few.map(|line| line.to_owned() + "\n").collect::<String>(), Mode::Standard)
                .contains("status_files")
        );
        assert!(
            !shown("hg status", &short.replace(" M", "M").replace("??", "?"), Mode::Standard)
                .contains("status_files")
        );
    }

    #[test]
    fn finds_the_command_of_git() {
        for (text, expected) in [
            ("git -C web -c core.quotePath=off --no-pager status -uall", Some("status")),
            ("git commit -m 'git status'", Some("commit")),
            ("git --version", None),
            ("hub status", None),
        ] {
            let line = CommandLine::parse(text);
            assert_eq!(line.only().and_then(|s| s.git_subcommand()), expected, "{text}");
        }
    }
}
