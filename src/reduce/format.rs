//! Formats whose lines can be classified one by one: a table of line forms, read by one engine.
//!
//! A form is a regular expression for a whole line and what to do with such a line. All forms of a format are one
//! automaton: a line is read once, the first matching form applies, and a line without a matching form is kept. If
//! the output has blocks that must be parsed as a whole, the reducer needs a state machine instead.

use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input as Search, MatchKind};

use super::line_actions::{Blanks, LineActions};
use super::lines::{CLAIM_LINES, Tally};
use super::{FormatProof, Meta, Reducer};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// What to do with a line of some form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormAction {
    /// Kept; proves the format.
    Shows,
    /// Kept. For lines that a later form would match.
    Keep,
    /// Left out.
    Hide(Reason),
    /// Left out; the marker names what the groups of the form captured, such as an installed version.
    Named(Reason),
    /// Kept; the lines below it that match no form are left out, up to an empty line.
    Heads(Reason),
    /// Progress: left out if another line of the format follows, which shows that the work continued; kept before the
    /// end of the text, a failure, or a line of no form.
    State,
    /// Kept; proves the format. A failure is being reported: from here on nothing is left out.
    Opens,
    /// Kept; proves the format, and ends the report of a failure.
    Closes,
}

/// A format: see the module.
#[derive(Debug)]
pub struct Format {
    /// Its name and description.
    pub meta: Meta,
    /// Commands that write it: a program and the words that follow it once flags are left out, such as
    /// `npm install`.
    pub commands: &'static [&'static str],
    /// A claim by content alone needs this many lines with the actions `Shows`, `Opens` and `Closes`, and forms
    /// that fit at least half of the lines. 0: only the command decides.
    pub content: usize,
    /// The forms.
    pub forms: Forms<FormAction>,
}

/// Forms of lines, each with what to do with such a line. The first that fits counts.
///
/// A form is for a whole line; white space at its end is left out. It matches bytes, not characters: a class such
/// as `[✓✗]` has to be written as `(?:✓|✗)`.
#[derive(Debug)]
pub struct Forms<F: 'static> {
    forms: &'static [(&'static str, F)],
    automaton: OnceLock<Option<Regex>>,
}

/// Lines after which a claim by content is given up if the forms fit less than a quarter of them. A choice.
pub const EARLY_DECLINE_LINES: usize = 200;
/// Bytes of memory that an automaton may use for the states that it has reached. A choice: hundreds of formats may
/// be in use.
const AUTOMATON_CACHE_BYTES: usize = 256 * 1024;
/// Longer lines, in bytes, fit no form: they are data. A choice.
const MAX_LINE_BYTES: usize = 2000;

impl Format {
    /// A format.
    pub const fn new(
        meta: Meta,
        commands: &'static [&'static str],
        content: usize,
        forms: &'static [(&'static str, FormAction)],
    ) -> Self {
        Self { meta, commands, content, forms: Forms::new(forms) }
    }

    /// The texts that the groups of a form captured in a line, with blanks between.
    fn names(&self, line: &str) -> String {
        let mut names = String::new();
        for group in self.forms.groups(line) {
            if !names.is_empty() {
                names.push(' ');
            }
            names.push_str(group.unwrap_or_default());
        }
        names
    }

    fn tally(&self, input: &Input<'_>, is_ours: bool) -> Tally {
        let mut tally = Tally::default();
        for line in input.source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
            if !is_ours && tally.all == EARLY_DECLINE_LINES && tally.known * 4 < tally.all {
                break;
            }
            let action = self.forms.classify(line);
            tally.add(
                matches!(action, Some(FormAction::Shows | FormAction::Opens | FormAction::Closes)),
                action.is_some(),
            );
        }
        tally
    }
}

impl<F: Copy> Forms<F> {
    /// Forms whose automaton is compiled on first use.
    pub const fn new(forms: &'static [(&'static str, F)]) -> Self {
        Self { forms, automaton: OnceLock::new() }
    }

    /// The automaton; `None` if a form is not a valid expression, which a test excludes.
    pub fn automaton(&self) -> Option<&Regex> {
        self.automaton.get_or_init(|| compile(self.forms.iter().map(|(form, _)| *form))).as_ref()
    }

    /// The value of the first form that fits a line.
    pub fn classify(&self, line: &str) -> Option<F> {
        if line.is_empty() || line.len() > MAX_LINE_BYTES {
            return None;
        }
        let hit = self.automaton()?.search_half(&Search::new(line).anchored(Anchored::Yes))?;
        self.forms.get(hit.pattern().as_usize()).map(|(_, action)| *action)
    }

    /// The texts that the groups of a form captured in a line; `None` for a group without a match.
    pub fn groups<'l>(&self, line: &'l str) -> Vec<Option<&'l str>> {
        let Some(automaton) = self.automaton() else { return Vec::new() };
        let mut captures = automaton.create_captures();
        automaton.search_captures(&Search::new(line).anchored(Anchored::Yes), &mut captures);
        captures.iter().skip(1).flatten().map(|span| line.get(span.start..span.end)).collect()
    }
}

/// One automaton of forms, each for a whole line; `None` if one is not a valid expression.
fn compile<'a>(forms: impl Iterator<Item = &'a str>) -> Option<Regex> {
    let forms: Vec<String> = forms.map(|form| format!(r"(?:{form})[ \t\r]*$")).collect();
    meta::Builder::new()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .configure(
            meta::Config::new()
                .match_kind(MatchKind::LeftmostFirst)
                .utf8_empty(false)
                .hybrid_cache_capacity(AUTOMATON_CACHE_BYTES),
        )
        .build_many(&forms)
        .ok()
}

/// Whether a simple command is `words`: its program, then the words in order, flags left out.
pub fn is_command(simple: &Simple, words: &str) -> bool {
    let mut argv = simple.argv.iter().map(String::as_str).filter(|a| !a.starts_with(['-', '+']));
    words.split(' ').all(|word| argv.next() == Some(word))
}

impl Reducer for Format {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let is_ours = input.detection.command.runs(|s| self.is_writer(s));
        if !is_ours && self.content == 0 {
            return FormatProof::None;
        }
        let tally = self.tally(input, is_ours);
        let alone = self.content > 0 && tally.own >= self.content && tally.covers();
        FormatProof::of(tally.known > 0, alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        self.commands.iter().any(|words| is_command(s, words))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut reader = Reader::new(source);
        for i in 0..source.len() {
            let line = source.line(i);
            match self.forms.classify(line) {
                Some(action) => {
                    let names = match action {
                        FormAction::Named(_) if !reader.is_open => self.names(line),
                        _ => String::new(),
                    };
                    reader.line(i, line, action, names);
                }
                None => reader.other(i, line),
            }
        }
        reader.finish()
    }

    fn is_format_line(&self, line: &str) -> bool {
        self.forms.classify(line).is_some()
    }
}

/// Reads the lines in order and decides which are left out.
struct Reader<'a> {
    actions: LineActions<'a>,
    /// Counts the blocks, from 1: what is left out from one block has one marker for each reason.
    group: u32,
    is_open: bool,
    /// A progress line; it is left out if another line of the format follows.
    state: Option<usize>,
    /// The reason for leaving out the lines of a list below its heading.
    list: Option<Reason>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Self { actions: LineActions::new(source), group: 1, is_open: false, state: None, list: None }
    }

    fn line(&mut self, i: usize, line: &str, action: FormAction, names: String) {
        if let Some(before) = self.state.take()
            && action != FormAction::Opens
            && !signals::is_failure(line)
        {
            self.actions.omit_unless_failure(before, Reason::Progress, self.group);
        }
        self.list = None;
        match action {
            FormAction::Heads(reason) => {
                self.group += 1;
                self.list = Some(reason).filter(|_| !self.is_open);
            }
            FormAction::Shows | FormAction::Opens | FormAction::Closes => {
                self.group += 1;
                self.is_open = (self.is_open || action == FormAction::Opens) && action != FormAction::Closes;
            }
            FormAction::Keep => {}
            _ if self.is_open => {}
            FormAction::State => self.state = Some(i),
            FormAction::Hide(reason) => self.actions.omit_unless_failure(i, reason, self.group),
            FormAction::Named(_) if names.is_empty() => {}
            FormAction::Named(reason) => self.actions.omit_naming(i, reason, self.group, names),
        }
    }

    fn other(&mut self, i: usize, line: &str) {
        if line.trim().is_empty() {
            self.list = None;
            return;
        }
        self.state = None;
        if let Some(reason) = self.list {
            self.actions.omit_unless_failure(i, reason, self.group);
        }
    }

    /// The spans, or the reason for there being none.
    fn finish(self) -> Result<Reduction, Reason> {
        self.actions.keep_last().finish(Blanks::Between)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::reduce::line_actions::MAX_NAMES_BYTES;
    use crate::text::ledger::Action;

    static SAMPLE: Format = Format::new(
        Meta { id: "sample", family: "package", reads: "", keeps: "", omits: "", anchors: &[] },
        &["fetch all"],
        1,
        &[
            (r"started", FormAction::Shows),
            (r"got (\S+) \((\d+) KB\)", FormAction::Named(Reason::Progress)),
            (r"\d+%", FormAction::State),
            (r"skipped .*", FormAction::Hide(Reason::Progress)),
            (r"FAILED:", FormAction::Opens),
            (r"done", FormAction::Closes),
            (r"new:", FormAction::Heads(Reason::Progress)),
        ],
    );

    fn spans(text: &str) -> Vec<(Range<usize>, Option<String>)> {
        let source = Source::new(text);
        let mut reader = Reader::new(&source);
        for (i, line) in source.lines().enumerate() {
            match SAMPLE.forms.classify(line) {
                Some(action) => reader.line(i, line, action, SAMPLE.names(line)),
                None => reader.other(i, line),
            }
        }
        let spans = reader.finish().map(|r| r.spans).unwrap_or_default();
        let names = |action: &Action| match action {
            Action::Omit { names, .. } => names.as_deref().map(str::to_owned),
            _ => None,
        };
        spans.iter().map(|s| (s.lines.clone(), names(&s.action))).collect()
    }

    #[test]
    fn names_states_and_failures() {
        assert_eq!(
            spans("started\ngot a (1 KB)  \n\ngot b (2 KB)\nother\nskipped c\n10%\n20%\n30%\nthe end\n"),
            [(1..4, Some("a 1, b 2".to_owned())), (5..8, None)]
        );
        assert_eq!(
            spans("skipped a\nFAILED:\nskipped b\ndone\nskipped c\nskipped d\n"),
            [(0..1, None), (4..5, None)]
        );
        assert_eq!(spans("skipped a: fatal error\nskipped\nnot started\n"), []);
        assert_eq!(
            spans("new:\na  b\nc: error: no\nd\n\ne\nnew:\nf\ndone\ng\nnew:\nh\n"),
            [(1..2, None), (3..4, None), (7..8, None)]
        );
    }

    #[test]
    fn names_that_fill_a_marker_go_on_in_the_next() {
        let lines: Vec<String> = (0..900).map(|i| format!("got package-{i} (1 KB)\n")).collect();
        let named: Vec<String> =
            spans(&format!("{}done\n", lines.concat())).into_iter().filter_map(|(_, names)| names).collect();
        assert!(named.len() > 2 && named.iter().all(|names| names.len() <= MAX_NAMES_BYTES + 2));
        let all: Vec<&str> = named.iter().flat_map(|names| names.split(", ")).collect();
        assert_eq!(all.len(), 900);
        assert_eq!((all[0], all[899]), ("package-0 1", "package-899 1"));
    }

    #[test]
    fn every_form_is_an_expression() {
        assert!(SAMPLE.forms.automaton().is_some());
    }
}
