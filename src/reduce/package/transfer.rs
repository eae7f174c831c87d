//! `tar -v`, `zip`, `unzip`, `rsync -v`, `aws s3 cp` and similar commands: a long list of files keeps its start and
//! its end. Files that passed an integrity test are left out; sums and errors are kept.
//!
//! Lines on deleted or skipped files are never hidden.

use std::ops::Range;

use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{Tally, extent};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct Transfer;

static META: Meta = Meta {
    id: "transfer",
    family: "package",
    reads: "`tar -v`, `zip`, `unzip`, `rsync -v`, `-i`, `--progress`, `aws s3 cp`, `sync`, `gsutil`, `scp -v` lists of files",
    keeps: "beginning and end of the list of files, files unlike the others, deletions, statistics, sums, errors",
    omits: "the middle of a long list of files, files whose check succeeded, progress",
    anchors: &[
        "  adding: ",
        " extracting: ",
        "  inflating: ",
        "   creating: ",
        "    testing: ",
        "sending incremental file list",
        "receiving incremental file list",
        "+++++++++ ",
        "building file list",
        "total size is ",
        "upload: ",
        "download: ",
        "copy: ",
        "Completed ",
        "Copying ",
        "/",
    ],
};

/// How many files of a list are shown at its start and at its end, by mode.
const SHOWN: (usize, usize) = (60, 20);
const SHOWN_AGGRESSIVE: (usize, usize) = (12, 4);

/// Lines at the start that are checked first, for speed. A choice.
const HEAD_LINES: usize = 20;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// One file of the list.
    File,
    /// A file whose check succeeded.
    Tested,
    /// How far a copy has come.
    Progress,
    /// Anything else.
    Other,
}

impl Reducer for Transfer {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let plain = input.detection.command.runs(lists_plain);
        // If the command does not name such a program, the text must start like a list of files.
        let is_file = |line: &&str| read(line, false) != Line::Other;
        if !plain && input.source.lines().take(HEAD_LINES).filter(is_file).count() < 2 {
            return FormatProof::None;
        }
        let is_known = |line: &str| read(line, plain) != Line::Other;
        let Tally { known, all, .. } = Tally::of(input.source, usize::MAX, is_known);
        FormatProof::of(known >= 3 && known * 2 >= all, !plain && known >= 6 && known * 3 >= all * 2)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        lists_plain(s)
            || matches!(s.program(), "zip" | "unzip" | "rsync" | "aws" | "gsutil" | "gcloud" | "7z")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let plain = input.detection.command.runs(lists_plain);
        let (head, tail) = match input.policy.mode {
            Mode::Aggressive => SHOWN_AGGRESSIVE,
            _ => SHOWN,
        };
        let mut actions = LineActions::new(source);
        let mut files: Vec<usize> = Vec::new();
        let mut progress: Option<usize> = None;
        for (i, line) in source.lines().enumerate() {
            match read(line, plain) {
                Line::File => files.push(i),
                Line::Tested => actions.omit_unless_failure(i, Reason::Progress, 1),
                Line::Progress => {
                    // A whole file is in the list, so its progress is left out; otherwise the last state is kept.
                    let is_whole = line.contains(" 100% ");
                    if let Some(before) = progress.replace(i).or(is_whole.then_some(i)) {
                        actions.omit_unless_failure(before, Reason::Progress, 1);
                    }
                    if is_whole {
                        actions.omit_unless_failure(i, Reason::Progress, 1);
                        progress = None;
                    }
                }
                Line::Other => {}
            }
        }
        if files.len() > head + tail + tail {
            for &file in &files[head..files.len() - tail] {
                actions.omit_unless_failure(file, Reason::TransferredFiles, 1);
            }
        }
        actions.keep_last().finish(Blanks::Between)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let plain = input.detection.command.runs(lists_plain);
        extent(input.source, |line| read(line, plain) != Line::Other)
    }
}

/// Whether a command prints bare file names, one a line, while it copies them: `tar -xvf`, `rsync -av`.
fn lists_plain(simple: &Simple) -> bool {
    let flags = simple.argv.iter().skip(1);
    let short = |flag: &String| flag.starts_with('-') && !flag.starts_with("--");
    match simple.program() {
        "tar" | "bsdtar" => {
            let first = simple.argv.get(1).filter(|a| !a.starts_with('-'));
            let mut words = flags.filter(|a| short(a)).chain(first);
            words.clone().any(|w| w.contains('v')) && !words.any(|w| w.contains('t'))
                || simple.has_flag(&["--verbose"])
        }
        "rsync" => {
            flags.clone().any(|flag| short(flag) && flag.contains('v'))
                || simple.has_flag(&["--verbose", "--progress", "--info"])
        }
        _ => false,
    }
}

/// Classifies a line; with `plain`, a bare name is a file.
fn read(line: &str, plain: bool) -> Line {
    let text = line.trim();
    if let Some(name) = line.strip_prefix("    testing: ") {
        return if name.trim_end().ends_with(" OK") { Line::Tested } else { Line::Other };
    }
    const STEPS: &[&str] =
        &["  adding: ", "updating: ", " extracting: ", "  inflating: ", "   creating: ", "    linking: "];
    const COPIES: &[&str] =
        &["upload: ", "download: ", "copy: ", "move: ", "(dryrun) upload: ", "(dryrun) download: "];
    if STEPS.iter().any(|step| line.starts_with(step)) || is_itemized(line) {
        return Line::File;
    }
    if COPIES.iter().any(|step| line.starts_with(step)) && line.contains(" to ") {
        return Line::File;
    }
    if is_progress(text) {
        return Line::Progress;
    }
    let is_name = plain
        && !line.is_empty()
        && !line.starts_with([' ', '\t'])
        && !text.contains(": ")
        && (text.contains('/') || text.contains('.') && !text.contains(' '))
        && !text.starts_with(['*'])
        && !text.starts_with("sent ")
        && !text.starts_with("total size ")
        && !text.starts_with("created directory ")
        && !text.starts_with("deleting ")
        && !text.ends_with("file list")
        && !is_remark_on_file(text);
    if is_name { Line::File } else { Line::Other }
}

/// Whether a line says something about a file rather than just naming it: `skipping non-regular file "a/b"`,
/// `cannot delete non-empty directory: a`, `a/b is uptodate`.
fn is_remark_on_file(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "skipping",
        "cannot",
        "ignoring",
        "file",
        "delta-transmission",
        "opening",
        "could",
        "failed",
        "symlink",
        "removing",
        "backed",
        "unable",
        "excluding",
        "not",
        "WARNING",
        "ERROR",
    ];
    let first = text.split(' ').next().unwrap_or_default();
    let says = text.len() > first.len() && WORDS.contains(&first);
    says || text.contains(" is uptodate") || text.ends_with('"') && text.contains(" \"")
}

/// `>f+++++++++ name`, `cd+++++++++ folder/`, `.d..t...... ./`, but not `*deleting`.
fn is_itemized(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() > 12
        && matches!(bytes[0], b'<' | b'>' | b'c' | b'h' | b'.')
        && matches!(bytes[1], b'f' | b'd' | b'L' | b'D' | b'S')
        && bytes[11] == b' '
        && bytes[2..11].iter().all(|b| {
            matches!(
                b,
                b'+' | b'.'
                    | b'?'
                    | b' '
                    | b'c'
                    | b's'
                    | b't'
                    | b'T'
                    | b'p'
                    | b'o'
                    | b'g'
                    | b'u'
                    | b'a'
                    | b'x'
            )
        })
}

/// rsync's `1,234 100%  1.2MB/s  0:00:00 (xfr#1, to-chk=0/2)` and aws's `Completed 1.2 MiB/3 MiB (…) with 2 file(s) remaining`
fn is_progress(text: &str) -> bool {
    if text.starts_with("Completed ") && text.contains(" remaining") {
        return true;
    }
    let mut words = text.split_whitespace();
    let is_number = |w: &str| w.bytes().all(|b| b.is_ascii_digit() || b == b',' || b == b'.');
    words.next().is_some_and(is_number)
        && words.next().and_then(|w| w.strip_suffix('%')).is_some_and(is_number)
        && words.next().is_some_and(|w| w.ends_with("B/s"))
        && words.next().is_some_and(|w| w.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::command::CommandLine;

    #[test]
    fn reads_lines() {
        assert_eq!(read("  inflating: a/b.txt  ", false), Line::File);
        assert_eq!(read(">f+++++++++ docs/a.txt", false), Line::File);
        assert_eq!(read("*deleting   docs/a.txt", true), Line::Other);
        assert_eq!(read("deleting docs/a.txt", true), Line::Other);
        assert_eq!(read("skipping non-regular file \"a/b.c\"", true), Line::Other);
        assert_eq!(read("file docs/a.txt", true), Line::Other);
        assert_eq!(read("skipping/a b.txt", true), Line::File);
        assert_eq!(read("site/a.txt", true), Line::File);
        assert_eq!(read("site/a.txt", false), Line::Other);
        assert_eq!(read("tar: site/a.txt: Cannot open", true), Line::Other);
        assert_eq!(read("    1,234 100%    1.2MB/s    0:00:00 (xfr#1, to-chk=0/2)", false), Line::Progress);
        assert_eq!(read("    testing: a   OK", false), Line::Tested);
        assert_eq!(read("    testing: a   bad CRC 1 (should be 2)", false), Line::Other);
    }

    #[test]
    fn knows_commands() {
        let lists = |text: &str| CommandLine::parse(text).runs(lists_plain);
        assert!(lists("tar -xzvf a.tgz") && lists("tar xvf a.tar") && lists("rsync -av a b"));
        assert!(!lists("tar -xzf a.tgz") && !lists("tar -tvf a.tgz") && !lists("rsync -a a b"));
    }
}
