//! Reducers: each parses one kind of output by its grammar and chooses the lines that the task does not need. They
//! return spans, never text sizes, and they neither redact nor deduplicate.
//!
//! A folder is a family. A format whose lines can be classified one by one is a table of line forms
//! ([`format::Format`]). Any other format has a state machine of its own, which may decide about lines in any order
//! (`line_actions`). A new reducer is a new file, a row in its family's `REDUCERS` and a folder of fixtures with at
//! least three cases, one of them a decline.

mod anchors;
mod build;
mod container;
pub mod cut;
pub mod diagnostic;
pub mod embedded;
pub mod format;
mod line_actions;
pub mod lines;
pub mod lint;
mod listing;
mod log;
mod outliers;
mod package;

pub mod progress;
mod quantities;
mod rows;
mod search;
mod system;
mod test;
pub mod trace;
mod vcs;

pub(crate) use vcs::signed;

use std::ops::Range;
use std::sync::LazyLock;

use anchors::Anchors;

use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The name and the description of a reducer.
#[derive(Debug)]
pub struct Meta {
    /// Name in the evidence.
    pub id: &'static str,
    /// Family in the evidence.
    pub family: &'static str,
    /// What it reads, for the documentation.
    pub reads: &'static str,
    /// What it always keeps, for the documentation.
    pub keeps: &'static str,
    /// What it leaves out or folds, for the documentation.
    pub omits: &'static str,
    /// Texts of which at least one is in the head or tail of every output of this kind. The
    /// reducer is only asked when one is found. Empty: it is always asked.
    pub anchors: &'static [&'static str],
}

/// What the lines of a text prove about its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatProof {
    /// Nothing.
    None,
    /// Enough if the command writes this format.
    WithCommand,
    /// Enough without knowing the command.
    Full,
}

impl FormatProof {
    /// `Full` if `alone` holds, else `WithCommand` if `with_command` does.
    pub fn of(with_command: bool, alone: bool) -> Self {
        match () {
            () if alone => Self::Full,
            () if with_command => Self::WithCommand,
            () => Self::None,
        }
    }

    /// `Full` or nothing.
    pub fn full_if(holds: bool) -> Self {
        Self::of(holds, holds)
    }
}

/// Understands one kind of output.
pub trait Reducer: Sync {
    /// What is known about it.
    fn meta(&self) -> &Meta;

    /// What the lines of a report show of its format.
    fn proof(&self, _input: &Input<'_>) -> FormatProof {
        FormatProof::None
    }

    /// Whether a command writes this format.
    fn is_writer(&self, _command: &Simple) -> bool {
        false
    }

    /// Whether a command runs others, and those often write this format: `make` runs compilers.
    fn is_driver(&self, _command: &Simple) -> bool {
        false
    }

    /// How certain it is that it can parse the text, by the command and a few lines. By default it claims only
    /// reports.
    fn claim(&self, input: &Input<'_>) -> Claim {
        if !lines::reads_as_report(input) {
            return Claim::No;
        }
        let runs = |is_one: fn(&Self, &Simple) -> bool| input.detection.command.runs(|s| is_one(self, s));
        match self.proof(input) {
            FormatProof::None => Claim::No,
            _ if runs(Self::is_writer) => Claim::Command,
            FormatProof::Full if runs(Self::is_driver) => Claim::Command,
            FormatProof::Full => Claim::Content,
            FormatProof::WithCommand if runs(Self::is_driver) => Claim::Content,
            FormatProof::WithCommand => Claim::No,
        }
    }

    /// What to do with the lines, or the stable reason for doing nothing.
    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason>;

    /// Whether it keeps outliers itself, because its markers count the lines that it leaves out.
    fn keeps_outliers(&self) -> bool {
        false
    }

    /// Whether it rewrites lines. The output may then contain something that the input did not, such as
    /// repetitions, so it is run once more and dropped if it is not stable.
    fn rewrites(&self) -> bool {
        false
    }

    /// Whether a line belongs to the format. The output extends from the first to the last such line. By
    /// default all lines do.
    fn is_format_line(&self, _line: &str) -> bool {
        true
    }

    /// The lines of the output that the reducer knows. Lines before and after them are offered to the other
    /// reducers. Called only after `reduce` recognised the text.
    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        lines::extent(input.source, |line| self.is_format_line(line))
    }
}

/// The families. The strongest claim wins; if two are equal, the earlier family wins, and within a family the
/// earlier row.
///
/// Test runners come before builds and builds before version control: a test log may contain the messages of a
/// compiler, and both may contain a diff or a status.
static FAMILIES: &[&[&dyn Reducer]] = &[
    test::REDUCERS,
    build::REDUCERS,
    lint::REDUCERS,
    vcs::REDUCERS,
    package::REDUCERS,
    container::REDUCERS,
    log::REDUCERS,
    system::REDUCERS,
    &[&search::Search, &listing::WindowsDir, &listing::Listing],
];

/// All reducers, those that win a tie first.
pub fn all() -> impl Iterator<Item = &'static dyn Reducer> {
    FAMILIES.iter().copied().flatten().copied()
}

/// How much of the head and of the tail of a text is searched for anchors, in bytes. A choice: heads and totals fit.
const WINDOW_BYTES: usize = 8 * 1024;

/// All anchors, each with the place of its reducer in `all()`.
static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    Anchors::new(all().enumerate().flat_map(|(i, r)| r.meta().anchors.iter().map(move |a| (*a, i))))
});

/// Whether a step of this name rewrites lines.
pub fn is_rewriter(id: &str) -> bool {
    id == lint::compiler::ID || all().any(|r| r.rewrites() && r.meta().id == id)
}

/// Whether the reducers of a family leave only what matters, so that no limit needs to cut it further.
pub fn is_bounded(family: &str) -> bool {
    matches!(family, "test" | "build" | "diff" | "git" | "package" | "search" | "listing")
}

/// Runs a reducer on a text. Outliers among the lines that it leaves out are kept, and markers name the tests that
/// passed.
pub fn run(reducer: &dyn Reducer, input: &Input<'_>) -> Result<Reduction, Reason> {
    let mut reduction = reducer.reduce(input)?;
    if !reducer.keeps_outliers() {
        reduction = outliers::keep(input.source, reduction);
    }
    test::passed::describe(reducer.meta().id, input, reduction)
}

/// The reducer with the strongest claim on the text.
pub fn choose(input: &Input<'_>) -> Option<&'static dyn Reducer> {
    let asked = asked(input.source.text());
    // A document only quotes outputs, however many lines they have.
    let quotes = |reducer: &dyn Reducer| {
        let is_found = matches!(input.detection.shape, Shape::Search | Shape::Listing)
            && matches!(reducer.meta().family, "search" | "listing");
        input.detection.is_document && !is_found
    };
    let mut best: Option<(Claim, &'static dyn Reducer)> = None;
    for (reducer, _) in all().zip(asked).filter(|(_, asked)| *asked) {
        crate::stop::check();
        let claim = reducer.claim(input);
        if claim == Claim::Content && quotes(reducer) {
            continue;
        }
        if claim > best.map_or(Claim::No, |(claim, _)| claim) {
            best = Some((claim, reducer));
            if claim == Claim::Command {
                break;
            }
        }
    }
    best.filter(|(claim, _)| *claim == Claim::Command || !lines::is_markdown(input.source))
        .map(|(_, reducer)| reducer)
}

/// Which reducers have an anchor in the text, in one pass over its head and tail.
fn asked(text: &str) -> Vec<bool> {
    static WITHOUT_ANCHORS: LazyLock<Vec<bool>> =
        LazyLock::new(|| all().map(|r| r.meta().anchors.is_empty()).collect());
    let mut asked = WITHOUT_ANCHORS.clone();
    let bytes = text.as_bytes();
    let (head, tail) = match bytes.len() {
        n if n <= 2 * WINDOW_BYTES => (bytes, &bytes[n..]),
        n => (&bytes[..WINDOW_BYTES], &bytes[n - WINDOW_BYTES..]),
    };
    for window in [head, tail] {
        ANCHORS.find(window, &mut asked);
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = all().map(|r| r.meta().id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all().count());
    }
}
