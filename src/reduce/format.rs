//! Formats whose lines can be told apart one by one: a table of line forms, read by one engine.
//!
//! A form is a regular expression for a whole line and what becomes of such a line. All forms of a
//! format are one automaton: a line is read once, the earliest form that fits wins, and a line that
//! fits none stays. What a tool writes in blocks that have to be understood as a whole is no such
//! format and gets a state machine of its own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input as Search, MatchKind};

use super::lines::reads_as_report;
use super::{Meta, Reducer};
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
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
    /// The state of something under way: goes when a line of some form follows, which tells that it went on;
    /// stays before the end of the text, a failure, or a line of no form.
    State,
    /// Stays, shows the format, and from here on nothing goes: a failure is being told.
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
    /// alone, which also takes that the forms fit half of the lines. 0: only the command tells.
    pub content: usize,
    /// The forms, each for a whole line; white space at its end is left out. Bytes, not characters: a
    /// class such as `[✓✗]` has to be written as `(?:✓|✗)`.
    pub forms: &'static [(&'static str, Fate)],
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
/// Empty lines between two lines that go which go with them, at most.
const BLANK: usize = 2;
/// Bytes of names in one marker, so that a cut can take one without all; what more lines name stands in the
/// next.
pub const NAMES: usize = 4096;

/// Where the output of the format is, and how much of it.
#[derive(Debug, Default)]
struct Tally {
    /// Lines that show the format.
    shows: usize,
    /// Lines that some form fits.
    known: usize,
    /// Lines with text.
    all: usize,
}

impl Format {
    /// A format.
    pub const fn new(
        meta: Meta,
        commands: &'static [&'static str],
        content: usize,
        forms: &'static [(&'static str, Fate)],
    ) -> Self {
        Self { meta, commands, content, forms, automaton: OnceLock::new() }
    }

    /// The automaton; `None` when a form is no valid expression, which a test excludes.
    fn automaton(&self) -> Option<&Regex> {
        let build = || compile(self.forms.iter().map(|(form, _)| *form));
        self.automaton.get_or_init(build).as_ref()
    }

    /// The form that fits a line, by its place in the table.
    fn form(&self, automaton: &Regex, line: &str) -> Option<usize> {
        if line.is_empty() || line.len() > LONGEST {
            return None;
        }
        let search = Search::new(line).anchored(Anchored::Yes);
        automaton.search_half(&search).map(|hit| hit.pattern().as_usize())
    }

    /// What becomes of a line, where some form fits it.
    fn fate(&self, automaton: &Regex, line: &str) -> Option<Fate> {
        self.form(automaton, line).and_then(|form| self.forms.get(form)).map(|(_, fate)| *fate)
    }

    fn tally(&self, automaton: &Regex, input: &Input<'_>, is_ours: bool) -> Tally {
        let mut tally = Tally::default();
        for line in input.source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
            if !is_ours && tally.all == HEAD && tally.known * 4 < tally.all {
                break;
            }
            tally.all += 1;
            if let Some(fate) = self.fate(automaton, line) {
                tally.known += 1;
                tally.shows += usize::from(matches!(fate, Fate::Shows | Fate::Opens | Fate::Closes));
            }
        }
        tally
    }

    /// What the groups of a form hold in a line, with blanks between.
    fn names(&self, automaton: &Regex, line: &str) -> String {
        let mut captures = automaton.create_captures();
        automaton.search_captures(&Search::new(line).anchored(Anchored::Yes), &mut captures);
        let mut names = String::new();
        for span in captures.iter().skip(1).flatten() {
            if !names.is_empty() {
                names.push(' ');
            }
            names.push_str(line.get(span.start..span.end).unwrap_or_default());
        }
        names
    }
}

/// One automaton of forms, each for a whole line; `None` when one is no valid expression.
pub fn compile<'a>(forms: impl Iterator<Item = &'a str>) -> Option<Regex> {
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

    fn claim(&self, input: &Input<'_>) -> Claim {
        if !reads_as_report(input) {
            return Claim::No;
        }
        let Some(automaton) = self.automaton() else { return Claim::No };
        let is_ours =
            input.detection.command.runs(|s| self.commands.iter().any(|words| is_command(s, words)));
        if !is_ours && self.content == 0 {
            return Claim::No;
        }
        let tally = self.tally(automaton, input, is_ours);
        match () {
            () if is_ours && tally.known > 0 => Claim::Command,
            () if self.content > 0 && tally.shows >= self.content && tally.known * 2 >= tally.all => {
                Claim::Content
            }
            () => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let automaton = self.automaton().ok_or(Reason::NotRecognized)?;
        let source = input.source;
        let mut reader = Reader::default();
        for i in 0..source.len() {
            let line = source.line(i);
            match self.fate(automaton, line) {
                Some(fate) => {
                    let names = match fate {
                        Fate::Named(_) if !reader.is_open => self.names(automaton, line),
                        _ => String::new(),
                    };
                    reader.line(i, line, fate, names);
                }
                None => reader.other(i, line),
            }
        }
        reader.finish(source)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let Some(automaton) = self.automaton() else { return 0..input.source.len() };
        let known = |i: &usize| self.form(automaton, input.source.line(*i)).is_some();
        let first = (0..input.source.len()).find(known).unwrap_or(0);
        let last = (first..input.source.len()).rev().find(known).unwrap_or(first);
        first..last + 1
    }
}

/// A line that goes.
struct Gone {
    line: usize,
    reason: Reason,
    group: u32,
    names: String,
}

/// Follows the lines and says which go.
#[derive(Default)]
struct Reader {
    gone: Vec<Gone>,
    /// Counts the blocks: what goes from one block has one marker for each reason.
    group: u32,
    is_open: bool,
    /// A line of a state, which goes if another line of the format follows.
    state: Option<usize>,
    /// Why the lines of a list go, below its heading.
    list: Option<Reason>,
    /// The last line with text: it stays.
    last: usize,
}

impl Reader {
    fn line(&mut self, i: usize, line: &str, fate: Fate, names: String) {
        self.last = i;
        if let Some(before) = self.state.take()
            && fate != Fate::Opens
            && !signals::is_failure(line)
        {
            self.hide(before, Reason::Progress, String::new());
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
            _ if self.is_open || signals::is_failure(line) => {}
            Fate::State => self.state = Some(i),
            // A name that would end the marker early keeps its line.
            Fate::Named(_) if names.is_empty() || names.contains(['[', ']', '\n']) => {}
            Fate::Hide(reason) | Fate::Named(reason) => self.hide(i, reason, names),
        }
    }

    fn other(&mut self, i: usize, line: &str) {
        if line.trim().is_empty() {
            self.list = None;
            return;
        }
        self.last = i;
        self.state = None;
        if let Some(reason) = self.list.filter(|_| !signals::is_failure(line)) {
            self.hide(i, reason, String::new());
        }
    }

    fn hide(&mut self, line: usize, reason: Reason, names: String) {
        self.gone.push(Gone { line, reason, group: self.group, names });
    }

    /// The spans, or the reason for there being none.
    fn finish(mut self, source: &Source<'_>) -> Result<Reduction, Reason> {
        // The end of a report stays, whatever it is.
        self.gone.retain(|gone| gone.line != self.last);
        let mut markers: Vec<String> = Vec::new();
        let mut open: BTreeMap<(u32, Reason), usize> = BTreeMap::new();
        for gone in &mut self.gone {
            let place = open.entry((gone.group, gone.reason)).or_insert(usize::MAX);
            let is_full = |names: &String| !gone.names.is_empty() && names.len() + gone.names.len() > NAMES;
            if markers.get(*place).is_none_or(is_full) {
                *place = markers.len();
                markers.push(String::new());
            }
            // From here on the number of its marker.
            gone.group = *place as u32 + 1;
            let names = &mut markers[*place];
            if !gone.names.is_empty() {
                if !names.is_empty() {
                    names.push_str(", ");
                }
                names.push_str(&gone.names);
            }
        }
        let mut out = Reduction::default();
        let mut gone = self.gone.iter().peekable();
        while let Some(first) = gone.next() {
            let mut end = first.line + 1;
            // Empty lines between two that go leave with them.
            while let Some(next) = gone.next_if(|n| {
                (n.group, n.reason) == (first.group, first.reason)
                    && n.line - end <= BLANK
                    && (end..n.line).all(|i| source.line(i).trim().is_empty())
            }) {
                end = next.line + 1;
            }
            let names = std::mem::take(&mut markers[first.group as usize - 1]);
            out.omit_named(first.line..end, first.reason, first.group, &names);
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let mut reader = Reader::default();
        let automaton = SAMPLE.automaton().unwrap();
        for (i, line) in source.lines().enumerate() {
            match SAMPLE.fate(automaton, line) {
                Some(fate) => reader.line(i, line, fate, SAMPLE.names(automaton, line)),
                None => reader.other(i, line),
            }
        }
        let spans = reader.finish(&source).map(|r| r.spans).unwrap_or_default();
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
        assert!(SAMPLE.automaton().is_some());
    }
}
