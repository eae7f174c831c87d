//! `git blame`: author and date are written where a commit first appears, the hash where the commit
//! changes, and every line keeps its number and its text.
//!
//! Grammar: hash, a path if the file was renamed, `(author date number)`, text. The numbers increase by one; this
//! separates the columns for any name of an author and any format of dates. A line that reads like a failure is kept
//! unchanged. Porcelain formats are not read.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::detect::Shape;
use crate::input::{Claim, Input};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct GitBlame;

static META: Meta = Meta {
    id: "git_blame",
    family: "git",
    reads: "`git blame` and `git annotate` in the human formats",
    keeps: "every line with its number, text and commit; author, date and path of every commit",
    omits: "author, date and path of a commit after its first line; the hash of lines in a row of one commit",
    anchors: &[") "],
};

/// Most lines in a row that are written as one piece, which a later limit removes as a whole. A choice.
const MAX_PIECE_LINES: usize = 40;
/// Fewest lines for a claim. A choice.
const MIN_CLAIM_LINES: usize = 4;

/// A line of a blame.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    hash: &'a str,
    /// Path, author and date, with the blanks that align them.
    columns: &'a str,
    number: &'a str,
    text: &'a str,
}

impl Reducer for GitBlame {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let command = &input.detection.command;
        let is_blame =
            |s: &crate::detect::command::Simple| matches!(s.git_subcommand(), Some("blame" | "annotate"));
        let claim = match command.runs(is_blame) {
            true => Claim::Command,
            // A filter selected lines, or the text is a file with a blame in it.
            false if command.is_filtered() || input.detection.shape == Shape::File => Claim::No,
            false => Claim::Content,
        };
        match input.detection.shape {
            Shape::Search | Shape::Diff => Claim::No,
            _ if claim == Claim::No || runs(input.source, MIN_CLAIM_LINES).is_empty() => Claim::No,
            _ => claim,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = Reduction::default();
        let runs = runs(source, usize::MAX);
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for run in &runs {
            for start in run.clone().step_by(MAX_PIECE_LINES) {
                piece(source, start..run.end.min(start + MAX_PIECE_LINES), &mut seen, &mut out);
            }
        }
        match (runs.is_empty(), out.is_empty()) {
            (true, _) => Err(Reason::NotRecognized),
            (_, true) => Err(Reason::NothingToDo),
            _ => Ok(out),
        }
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let runs = runs(input.source, usize::MAX);
        match (runs.first(), runs.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..input.source.len(),
        }
    }
}

/// Runs of at least `MIN_CLAIM_LINES` lines; stops once one is as long as `enough`.
fn runs(source: &Source<'_>, enough: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut number: Option<usize> = None;
    for i in 0..source.len() {
        let text = source.line(i);
        let next = number.map(|n| n + 1).filter(|n| line(text, Some(*n)).is_some() || is_written(text, *n));
        match (next, runs.last_mut()) {
            (Some(_), Some(run)) => {
                run.end = i + 1;
                number = next;
            }
            _ => {
                number = line(text, None).and_then(|line| line.number.parse().ok());
                if number.is_some() {
                    runs.push(i..i + 1);
                }
            }
        }
        if runs.last().is_some_and(|run| run.len() >= enough) {
            break;
        }
    }
    runs.retain(|run| run.len() >= MIN_CLAIM_LINES);
    runs
}

/// Whether a line is one of a commit that was shown before, as `piece` writes it: it belongs to the blame
/// although nothing can be left out of it.
fn is_written(text: &str, number: usize) -> bool {
    let mark = format!("{number})");
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    first == mark
        || (first.len() >= 4
            && first.trim_start_matches(['^', '?', '*']).bytes().all(|b| b.is_ascii_hexdigit())
            && words.take_while(|word| !word.starts_with('(')).any(|word| word == mark))
}

/// Reads a line, whose number may be known.
fn line(text: &str, number: Option<usize>) -> Option<Line<'_>> {
    let end = text.find(' ')?;
    let hash = text.get(..end)?;
    let digits = hash.strip_prefix(['^', '?', '*']).unwrap_or(hash);
    if !(4..=64).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let open = text.get(end..)?.find('(')? + end;
    // Where the number ends.
    let rest = text.get(open..)?;
    // The blank after it may be missing if the line is empty.
    let at_end = || text.len().checked_sub(1).filter(|_| rest.ends_with(')'));
    let close = match number {
        Some(n) => {
            let found = rest.find(&format!(" {n}) ")).map(|at| open + at + 1 + n.to_string().len());
            found.or_else(|| at_end().filter(|_| rest.ends_with(&format!(" {n})"))))
        }
        None => {
            let is_digit = |at: &usize| text.as_bytes().get(at - 1).is_some_and(u8::is_ascii_digit);
            rest.match_indices(") ").map(|(at, _)| open + at).find(is_digit).or_else(at_end)
        }
    }?;
    let head = text.get(open..close)?;
    let blank = head.rfind(' ')?;
    let number = head.get(blank + 1..).filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?;
    let columns = text.get(end..open + blank)?.trim_end();
    // A date holds digits.
    let is_dated = columns.bytes().any(|b| b.is_ascii_digit()) && !number.is_empty();
    is_dated.then_some(Line {
        hash,
        columns,
        number,
        text: text.get(close + 2..).unwrap_or_default().trim_end(),
    })
}

/// Writes some lines of a run.
fn piece<'a>(
    source: &Source<'a>,
    lines: Range<usize>,
    seen: &mut BTreeSet<(&'a str, &'a str)>,
    out: &mut Reduction,
) {
    let mut text = String::new();
    // Hash and columns of the line above.
    let mut last = ("", "");
    for i in lines.clone() {
        let raw = source.line(i);
        let Some(line) = line_of(source, i, &lines).filter(|_| !signals::is_failure(raw)) else {
            text.push_str(raw);
            text.push('\n');
            last = ("", "");
            continue;
        };
        if seen.insert((line.hash, line.columns)) {
            text.push_str(line.hash);
            for word in line.columns.split_whitespace() {
                text.push(' ');
                text.push_str(word);
            }
            text.push(' ');
        } else if last != (line.hash, line.columns) {
            // The same commit has one author and date, but a line of it may come from another path.
            text.push_str(line.hash);
            text.push_str(if path(line.columns).is_empty() { "" } else { " " });
            text.push_str(path(line.columns));
            text.push(' ');
        }
        last = (line.hash, line.columns);
        text.push_str(line.number);
        text.push_str(if line.text.is_empty() { ")" } else { ") " });
        text.push_str(line.text);
        text.push('\n');
    }
    text.pop();
    if text.len() < source.byte_range(lines.clone()).len() {
        out.replace(lines, text, Reason::BlameColumns);
    }
}

/// The path before the author, if there is one.
fn path(columns: &str) -> &str {
    columns.split_once('(').map_or("", |(path, _)| path.trim())
}

/// A line of a run, read with the number that it must have.
fn line_of<'a>(source: &Source<'a>, i: usize, lines: &Range<usize>) -> Option<Line<'a>> {
    let first = line(source.line(lines.start), None)?;
    let number: usize = first.number.parse().ok()?;
    let number = number + i - lines.start;
    line(source.line(i), Some(number)).filter(|_| !is_written(source.line(i), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        let read = |text| line(text, None).map(|l| (l.hash, l.columns.trim(), l.number, l.text));
        assert_eq!(
            read("702cb198da9 (Ada L 2020-04-22 21:45:47 +0200   1) use a (b) c;"),
            Some(("702cb198da9", "(Ada L 2020-04-22 21:45:47 +0200  ", "1", "use a (b) c;"))
                .map(|(h, c, n, t)| (h, c.trim(), n, t))
        );
        assert_eq!(
            read("^341858f a/b.rs (Ada 2020-05-24 00:07:18 +0200  12) "),
            Some(("^341858f", "a/b.rs (Ada 2020-05-24 00:07:18 +0200", "12", ""))
        );
        assert_eq!(read("deadbeef (see 3) and more").map(|l| l.2), None);
        assert_eq!(read("see (a) b"), None);
        let known = line("702cb198da9 (A 7) B 2020-04-22  8) x", Some(8)).map(|l| (l.number, l.text));
        assert_eq!(known, Some(("8", "x")));
    }
}
