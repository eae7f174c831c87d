//! Formats whose lines can be told apart one by one: a table of line forms, read by one engine.
//!
//! A form is a regular expression for a whole line and what becomes of such a line. All forms of a
//! format are one automaton: a line is read once, the earliest form that fits wins, and a line that
//! fits none stays. What a tool writes in blocks that have to be understood as a whole is no such
//! format and gets a state machine of its own.

use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input as Search, MatchKind};

use super::fates::{Blanks, Fates};
use super::lines::Tally;
use super::{Meta, Proof, Reducer};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// What becomes of a line of some form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Stays, and shows that the text is of this format.
    Shows,
    /// Stays. Written for lines that a later form would take.
    Keep,
    /// Goes.
    Hide(Reason),
    /// Goes, and the marker names what the form's groups hold: the version that was installed.
    Named(Reason),
    /// Stays; the lines below it that no form fits go, up to an empty one.
    Heads(Reason),
    /// The state of something under way: is left out when a line of some form follows, which says that it went on;
    /// stays before the end of the text, a failure, or a line of no form.
    State,
    /// Stays, shows the format, and from here on nothing is left out: a failure is being reported.
    Opens,
    /// Stays, shows the format, and ends that.
    Closes,
}

/// A format: see the module.
#[derive(Debug)]
pub struct Format {
    /// What is known about it.
    pub meta: Meta,
    /// Commands that write it: a program and the words that follow it once flags are left out, such as
    /// `npm install`.
    pub commands: &'static [&'static str],
    /// Lines of the fates `Shows`, `Opens` and `Closes` that must be there for a claim by content
    /// alone, which also takes that the forms fit half of the lines. 0: only the command decides.
    pub content: usize,
    /// The forms.
    pub forms: Forms<Fate>,
}

/// Forms of lines, each with what becomes of such a line. The earliest that fits counts.
///
/// A form is for a whole line; white space at its end is left out. Bytes, not characters: a class such as `[✓✗]` has
/// to be written as `(?:✓|✗)`.
#[derive(Debug)]
pub struct Forms<F: 'static> {
    forms: &'static [(&'static str, F)],
    automaton: OnceLock<Option<Regex>>,
}

/// Lines that a claim looks at.
const CLAIM_LINES: usize = 4000;
/// Lines after which a claim by content is given up if the forms fit less than a quarter of them.
pub const HEAD: usize = 200;
/// Bytes that an automaton may take for the states it has met.
const CACHE: usize = 256 * 1024;
/// Longest line that is looked at, in bytes.
const LONGEST: usize = 2000;

impl Format {
    /// A format.
    pub const fn new(
        meta: Meta,
        commands: &'static [&'static str],
        content: usize,
        forms: &'static [(&'static str, Fate)],
    ) -> Self {
        Self { meta, commands, content, forms: Forms::new(forms) }
    }

    /// What the groups of a form hold in a line, with blanks between.
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
            if !is_ours && tally.all == HEAD && tally.known * 4 < tally.all {
                break;
            }
            let fate = self.forms.fate(line);
            tally.add(matches!(fate, Some(Fate::Shows | Fate::Opens | Fate::Closes)), fate.is_some());
        }
        tally
    }
}

impl<F: Copy> Forms<F> {
    /// Forms that are yet to be made an automaton.
    pub const fn new(forms: &'static [(&'static str, F)]) -> Self {
        Self { forms, automaton: OnceLock::new() }
    }

    /// The automaton; `None` when a form is no valid expression, which a test excludes.
    pub fn automaton(&self) -> Option<&Regex> {
        self.automaton.get_or_init(|| compile(self.forms.iter().map(|(form, _)| *form))).as_ref()
    }

    /// What becomes of a line, where some form fits it.
    pub fn fate(&self, line: &str) -> Option<F> {
        if line.is_empty() || line.len() > LONGEST {
            return None;
        }
        let hit = self.automaton()?.search_half(&Search::new(line).anchored(Anchored::Yes))?;
        self.forms.get(hit.pattern().as_usize()).map(|(_, fate)| *fate)
    }

    /// What the groups of a form hold in a line that it fits; `None` for what is no text.
    pub fn groups<'l>(&self, line: &'l str) -> Vec<Option<&'l str>> {
        let Some(automaton) = self.automaton() else { return Vec::new() };
        let mut captures = automaton.create_captures();
        automaton.search_captures(&Search::new(line).anchored(Anchored::Yes), &mut captures);
        captures.iter().skip(1).flatten().map(|span| line.get(span.start..span.end)).collect()
    }
}

/// One automaton of forms, each for a whole line; `None` when one is no valid expression.
fn compile<'a>(forms: impl Iterator<Item = &'a str>) -> Option<Regex> {
    let forms: Vec<String> = forms.map(|form| format!(r"(?:{form})[ \t\r]*$")).collect();
    meta::Builder::new()
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .configure(
            meta::Config::new()
                .match_kind(MatchKind::LeftmostFirst)
                .utf8_empty(false)
                .hybrid_cache_capacity(CACHE),
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

    fn proof(&self, input: &Input<'_>) -> Proof {
        let is_ours = input.detection.command.runs(|s| self.is_writer(s));
        if !is_ours && self.content == 0 {
            return Proof::None;
        }
        let tally = self.tally(input, is_ours);
        let alone = self.content > 0 && tally.own >= self.content && tally.covers();
        Proof::of(tally.known > 0, alone)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        self.commands.iter().any(|words| is_command(s, words))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut reader = Reader::new(source);
        for i in 0..source.len() {
            let line = source.line(i);
            match self.forms.fate(line) {
                Some(fate) => {
                    let names = match fate {
                        Fate::Named(_) if !reader.is_open => self.names(line),
                        _ => String::new(),
                    };
                    reader.line(i, line, fate, names);
                }
                None => reader.other(i, line),
            }
        }
        reader.finish()
    }

    fn knows(&self, line: &str) -> bool {
        self.forms.fate(line).is_some()
    }
}

/// Follows the lines and says which go.
struct Reader<'a> {
    fates: Fates<'a>,
    /// Counts the blocks, from 1: what is left out from one block has one marker for each reason.
    group: u32,
    is_open: bool,
    /// A line of a state, which is left out if another line of the format follows.
    state: Option<usize>,
    /// Why the lines of a list go, below its heading.
    list: Option<Reason>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Self { fates: Fates::new(source), group: 1, is_open: false, state: None, list: None }
    }

    fn line(&mut self, i: usize, line: &str, fate: Fate, names: String) {
        if let Some(before) = self.state.take()
            && fate != Fate::Opens
            && !signals::is_failure(line)
        {
            self.fates.hide(before, Reason::Progress, self.group);
        }
        self.list = None;
        match fate {
            Fate::Heads(reason) => {
                self.group += 1;
                self.list = Some(reason).filter(|_| !self.is_open);
            }
            Fate::Shows | Fate::Opens | Fate::Closes => {
                self.group += 1;
                self.is_open = (self.is_open || fate == Fate::Opens) && fate != Fate::Closes;
            }
            Fate::Keep => {}
            _ if self.is_open => {}
            Fate::State => self.state = Some(i),
            Fate::Hide(reason) => self.fates.hide(i, reason, self.group),
            Fate::Named(_) if names.is_empty() => {}
            Fate::Named(reason) => self.fates.name(i, reason, self.group, names),
        }
    }

    fn other(&mut self, i: usize, line: &str) {
        if line.trim().is_empty() {
            self.list = None;
            return;
        }
        self.state = None;
        if let Some(reason) = self.list {
            self.fates.hide(i, reason, self.group);
        }
    }

    /// The spans, or the reason for there being none.
    fn finish(self) -> Result<Reduction, Reason> {
        self.fates.keep_last().finish(Blanks::Between)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::reduce::fates::NAMES;
    use crate::text::ledger::Action;

    static SAMPLE: Format = Format::new(
        Meta { id: "sample", family: "package", reads: "", keeps: "", folds: "", anchors: &[] },
        &["fetch all"],
        1,
        &[
            (r"started", Fate::Shows),
            (r"got (\S+) \((\d+) KB\)", Fate::Named(Reason::Progress)),
            (r"\d+%", Fate::State),
            (r"skipped .*", Fate::Hide(Reason::Progress)),
            (r"FAILED:", Fate::Opens),
            (r"done", Fate::Closes),
            (r"new:", Fate::Heads(Reason::Progress)),
        ],
    );

    fn spans(text: &str) -> Vec<(Range<usize>, Option<String>)> {
        let source = Source::new(text);
        let mut reader = Reader::new(&source);
        for (i, line) in source.lines().enumerate() {
            match SAMPLE.forms.fate(line) {
                Some(fate) => reader.line(i, line, fate, SAMPLE.names(line)),
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
        assert!(named.len() > 2 && named.iter().all(|names| names.len() <= NAMES + 2));
        let all: Vec<&str> = named.iter().flat_map(|names| names.split(", ")).collect();
        assert_eq!(all.len(), 900);
        assert_eq!((all[0], all[899]), ("package-0 1", "package-899 1"));
    }

    #[test]
    fn every_form_is_an_expression() {
        assert!(SAMPLE.forms.automaton().is_some());
    }
}
