//! Runners that report their tests as a tree: headings, tests below them, then failures and totals.
//!
//! A runner is a table of line forms, as in `format`, with kinds of lines that know the tree. Passing tests are left out,
//! and so is a heading when all below it passed, and what a test printed when it did not fail and another one did. A
//! line of no form is kept, and a failure that is reported is kept whole.

mod reader;
mod verdict;

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::format::{Forms, is_command};
use crate::reduce::lines::{CLAIM_LINES, are_unquoted};
use crate::reduce::{Meta, Proof, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;
use reader::Reader;

/// What a line of some form is. The level of a line is its indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Totals and titles: kept; proves the format, ends what was open.
    Shows,
    /// As `Shows`, and says that the run came to its end. A group holds the number of tests where it
    /// may stand before them.
    Totals,
    /// Kept. For lines that a later form would take.
    Keep,
    /// Left out.
    Hide(Reason),
    /// A test that passed.
    Passed,
    /// A test that did not run: kept, with the headings above it.
    Skipped,
    /// A test that failed: kept, with the headings above it. A group holds its file.
    Failed,
    /// Left out if there are tests below it, and all passed.
    Heading,
    /// Announces a test of its level whose verdict comes later; left out together with that.
    Begins,
    /// The name of a file, which heads all lines up to the next one; treated as a heading.
    File,
    /// A file in which all tests passed; proves the format.
    PassedFile,
    /// A file with failures; proves the format.
    FailedFile,
    /// Left out if the line of text before it was.
    Follows,
    /// The first line of details of the test above, up to a line `...` of the same level.
    Details,
    /// The title of what a test printed; a group holds the file that the test is in.
    Output,
    /// A step that begins after a reported failure; left out if the run ended.
    Step,
    /// As `Step`, but starts a run of its own: what began before it and was not reported to end is kept, even if a later run
    /// ends. Proves the format.
    Run,
    /// Kept; a failure is reported, so from here on nothing is left out. A group holds its file.
    Opens,
    /// As `Opens`, of the test whose line stands above, up to the next test.
    OpensAbove,
    /// As `Opens`, of what reports failures again that were reported above.
    Recap,
}

/// A runner: see the module.
#[derive(Debug)]
pub struct Tree {
    meta: Meta,
    /// Commands that write it, as for a format.
    commands: &'static [&'static str],
    /// Lines that show the format which a claim by content takes.
    content: usize,
    forms: Forms<LineKind>,
}

impl Tree {
    /// A runner.
    pub const fn new(
        meta: Meta,
        commands: &'static [&'static str],
        content: usize,
        forms: &'static [(&'static str, LineKind)],
    ) -> Self {
        Self { meta, commands, content, forms: Forms::new(forms) }
    }

    fn kinds(&self, source: &Source<'_>) -> Vec<Option<LineKind>> {
        source.lines().map(|line| self.forms.classify(line)).collect()
    }
}

impl Reducer for Tree {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn proof(&self, input: &Input<'_>) -> Proof {
        let source = input.source;
        let (mut shows, mut tests) = (0, 0);
        let tail = source.len().saturating_sub(CLAIM_LINES).max(CLAIM_LINES);
        let near = (0..source.len().min(CLAIM_LINES)).chain(tail..source.len());
        let is_report = are_unquoted(near.map(|i| source.line(i)), |line| {
            match self.forms.classify(line) {
                Some(
                    LineKind::Shows
                    | LineKind::Totals
                    | LineKind::Run
                    | LineKind::PassedFile
                    | LineKind::FailedFile,
                ) => shows += 1,
                Some(LineKind::Passed | LineKind::Failed) => tests += 1,
                _ => {}
            }
            shows + tests > 0
        });
        let is_own = shows >= self.content && shows + tests > self.content;
        let alone = is_own && !input.detection.command.is_filtered();
        Proof::of(is_report && shows + tests > 0, is_report && alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        self.commands.iter().any(|words| is_command(s, words))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let kinds = self.kinds(input.source);
        Reader::new(input, &self.forms, &kinds).read()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let kinds = self.kinds(input.source);
        let known =
            |kind: &Option<LineKind>| kind.is_some_and(|f| !matches!(f, LineKind::Heading | LineKind::Keep));
        let Some(first) = kinds.iter().position(known) else { return 0..input.source.len() };
        let last = kinds.iter().rposition(known).unwrap_or(first);
        // A failure that is reported has no end of its own.
        let mut is_reporting = false;
        for kind in kinds.iter().flatten() {
            is_reporting = match kind {
                LineKind::Opens | LineKind::OpensAbove | LineKind::Recap | LineKind::Failed => true,
                LineKind::Totals => false,
                _ => is_reporting,
            };
        }
        // Headings right above the first test are its own.
        let above = kinds[..first]
            .iter()
            .enumerate()
            .rev()
            .take_while(|(i, kind)| kind.is_some() || input.source.line(*i).trim().is_empty())
            .filter(|(_, kind)| kind.is_some())
            .last();
        above.map_or(first, |(i, _)| i)..if is_reporting { kinds.len() } else { last + 1 }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn forms_compile() {
        for tree in crate::reduce::test::TREES {
            assert!(tree.forms.automaton().is_some(), "{}", tree.meta.id);
        }
    }
}
