//! Runners that report their tests as a tree: headings, tests below them, then failures and totals.
//!
//! A runner is a table of line forms, as in `format`, with fates that know the tree. Passing tests are left out,
//! and so is a heading when all below it passed, and what a test printed when it did not fail and another one did. A
//! line of no form is kept, and a failure that is reported is kept whole.

mod reader;
mod verdict;

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::format::{Forms, is_command};
use crate::reduce::lines::are_unquoted;
use crate::reduce::{Meta, Proof, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;
use reader::Reader;

/// What becomes of a line of some form. The level of a line is its indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Totals and titles: stays, shows the format, ends what was open.
    Shows,
    /// As `Shows`, and says that the run came to its end. A group holds the number of tests where it
    /// may stand before them.
    Totals,
    /// Stays. Written for lines that a later form would take.
    Keep,
    /// Goes.
    Hide(Reason),
    /// A test that passed.
    Passed,
    /// A test that did not run: stays, with the headings above it.
    Skipped,
    /// A test that failed: stays, with the headings above it. A group holds the file it is in.
    Failed,
    /// Goes when all below it passed, and there is something below it.
    Heading,
    /// Stands before a test of its level whose verdict comes later, and is left out as that is left out.
    Begins,
    /// The name of a file, above all that follows up to the next one; is left out as a heading is.
    File,
    /// A file all of whose tests passed; shows the format.
    PassedFile,
    /// A file with failures; shows the format.
    FailedFile,
    /// Goes when the line of text before it went.
    Follows,
    /// The first line of details of the test above, up to a line `...` of the same level.
    Details,
    /// The title of what a test printed; a group holds the file that the test is in.
    Output,
    /// A step that begins, after a failure that was reported: is left out when the run came to its end.
    Step,
    /// As `Step`, of a run of its own: what began before it and was not reported to end stays, even where a later run ends.
    /// Shows the format.
    Run,
    /// Stays, and from here on nothing is left out: a failure is reported. A group holds the file it is in.
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
    forms: Forms<Fate>,
}

/// Lines that a claim looks at, from the head and from the tail.
const CLAIM_LINES: usize = 4000;

impl Tree {
    /// A runner.
    pub const fn new(
        meta: Meta,
        commands: &'static [&'static str],
        content: usize,
        forms: &'static [(&'static str, Fate)],
    ) -> Self {
        Self { meta, commands, content, forms: Forms::new(forms) }
    }

    fn fates(&self, source: &Source<'_>) -> Vec<Option<Fate>> {
        source.lines().map(|line| self.forms.fate(line)).collect()
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
            match self.forms.fate(line) {
                Some(Fate::Shows | Fate::Totals | Fate::Run | Fate::PassedFile | Fate::FailedFile) => {
                    shows += 1
                }
                Some(Fate::Passed | Fate::Failed) => tests += 1,
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
        let fates = self.fates(input.source);
        Reader::new(input, &self.forms, &fates).read()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let fates = self.fates(input.source);
        let known = |fate: &Option<Fate>| fate.is_some_and(|f| !matches!(f, Fate::Heading | Fate::Keep));
        let Some(first) = fates.iter().position(known) else { return 0..input.source.len() };
        let last = fates.iter().rposition(known).unwrap_or(first);
        // A failure that is reported has no end of its own.
        let mut told = false;
        for fate in fates.iter().flatten() {
            told = match fate {
                Fate::Opens | Fate::OpensAbove | Fate::Recap | Fate::Failed => true,
                Fate::Totals => false,
                _ => told,
            };
        }
        // Headings right above the first test are its own.
        let above = fates[..first]
            .iter()
            .enumerate()
            .rev()
            .take_while(|(i, fate)| fate.is_some() || input.source.line(*i).trim().is_empty())
            .filter(|(_, fate)| fate.is_some())
            .last();
        above.map_or(first, |(i, _)| i)..if told { fates.len() } else { last + 1 }
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
