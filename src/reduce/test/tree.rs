//! Runners that report their tests as a tree: headings, tests below them, then failures and totals.
//!
//! A runner is a table of line forms, as in `format`, whose kinds also describe the tree. Left out are passing tests,
//! headings below which all tests passed, and, if some test failed, the output of tests that did not. A line without
//! a form is kept, and the report of a failure is kept whole.

mod reader;
mod verdict;

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::format::{Forms, is_command};
use crate::reduce::lines::{CLAIM_LINES, are_unquoted};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;
use reader::Reader;

/// The kind of a line. The level of a line is its indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Totals and titles: kept; such a line proves the format and ends an open failure report.
    Shows,
    /// As `Shows`, and the run came to its end. If it may come before the tests (a plan), a group holds their number.
    Totals,
    /// Kept. For lines that a later form in the table would match.
    Keep,
    /// Left out.
    Hide(Reason),
    /// A test that passed.
    Passed,
    /// A test that did not run: kept, with the headings above it.
    Skipped,
    /// A test that passed only after a retry: kept, with its file and the headings above it.
    Retried,
    /// A test that failed: kept, with the headings above it. A group holds its file.
    Failed,
    /// Left out if there are tests below it, and all passed.
    Heading,
    /// Announces a test of the same level whose verdict comes later; left out together with it.
    Begins,
    /// The name of a file, which is the heading of all lines up to the next file.
    File,
    /// A file in which all tests passed; proves the format.
    PassedFile,
    /// A file with failures; proves the format.
    FailedFile,
    /// Left out if the test above it was left out.
    Follows,
    /// The first line of details of the test above, up to a line `...` of the same level.
    Details,
    /// The title of the output of a test; a group holds the file of the test.
    Output,
    /// A step that starts, which also ends a failure report; left out if the run came to its end.
    Step,
    /// As `Step`, but starts a new run: steps before it without a reported end are kept, even if the new run ends.
    /// Proves the format.
    Run,
    /// Kept; a failure report starts, and nothing is left out from here on. A group holds its file.
    Opens,
    /// As `Opens`, for the test in the line above the report; the report ends at the next test.
    OpensAbove,
    /// As `Opens`, for the part that repeats the failures reported above.
    Recap,
}

/// A runner: see the module's documentation.
#[derive(Debug)]
pub struct Tree {
    meta: Meta,
    /// The commands that write the format, as for `Format`.
    commands: &'static [&'static str],
    /// The number of lines like `Shows` that a claim by content needs.
    content: usize,
    forms: Forms<LineKind>,
}

impl Tree {
    /// Makes a runner from its table.
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

    fn proof(&self, input: &Input<'_>) -> FormatProof {
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
                Some(LineKind::Passed | LineKind::Retried | LineKind::Failed) => tests += 1,
                _ => {}
            }
            shows + tests > 0
        });
        let is_own = shows >= self.content && shows + tests > self.content;
        let alone = is_own && !input.detection.command.is_filtered();
        FormatProof::of(is_report && shows + tests > 0, is_report && alone)
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
        // The report of a failure has no end that can be recognised.
        let mut is_reporting = false;
        for kind in kinds.iter().flatten() {
            is_reporting = match kind {
                LineKind::Opens | LineKind::OpensAbove | LineKind::Recap | LineKind::Failed => true,
                LineKind::Totals => false,
                _ => is_reporting,
            };
        }
        // Headings directly above the first test belong to the run.
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
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    #[test]
    fn a_test_of_two_results_is_shown_with_both() {
        let shown = |command: &str, text: &str| {
            let call = ToolCall { command: Some(command.to_owned()), ..ToolCall::default() };
            let policy = Policy { min_bytes: 0, ..Policy::default() };
            compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
        };
        let passed =
            |mark: &str| -> String { (0..20).map(|i| format!("    {mark} keeps item {i}\n")).collect() };
        let mocha = format!(
            "\n  Cart\n{}    1) saves\n    \u{2713} saves (3ms)\n    - waits\n    \u{2713} waits\n  Shop\n    \u{2713} loads\n{}\n\n  43 passing (20ms)\n  1 pending\n  1 failing\n\n  1) Cart\n       saves:\n     Error: no\n",
            passed("\u{2713}"),
            passed("\u{2713}")
        );
        let out = shown("npx mocha", &mocha);
        assert!(
            out.contains("    1) saves\n    \u{2713} saves (3ms)\n    - waits\n    \u{2713} waits\n"),
            "{out}"
        );
        assert!(!out.contains("\u{2713} loads") && !out.contains("keeps item 3"), "{out}");
        // The same name under another heading is another test.
        let elsewhere =
            mocha.replace("    \u{2713} saves (3ms)\n", "").replace("\u{2713} loads", "\u{2713} saves");
        assert!(!shown("npx mocha", &elsewhere).contains("\u{2713} saves"));
        let jest = format!(
            "FAIL test/cart.test.js\n  cart\n{}    \u{2715} saves (2 ms)\n    \u{2713} saves (1 ms)\n\n  \u{25cf} cart \u{203a} saves\n\n    expect(1).toBe(2)\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 21 passed, 22 total\nSnapshots:   0 total\nTime:        0.5 s\n",
            passed("\u{2713}")
        );
        let out = shown("npx jest --verbose", &jest);
        assert!(
            out.contains("\u{2715} saves (2 ms)\n    \u{2713} saves (1 ms)") && !out.contains("item 3\n"),
            "{out}"
        );
    }

    #[test]
    fn forms_compile() {
        for tree in crate::reduce::test::TREES {
            assert!(tree.forms.automaton().is_some(), "{}", tree.meta.id);
        }
    }
}
