//! The guard: checks after each step that every failure line can still be seen, and restores hidden ones. It
//! knows failure lines only by `signals` and trusts no reducer. It also restores lines right below a failure
//! that a step took for progress or for passed tests, and the last line of a text that may have been cut off.

use crate::text::details;
use crate::text::ledger::{Action, Ledger, Shown};
use crate::text::maps::Set;
use crate::text::marker::Marker;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::signals::LONG_LINE_BYTES;
use crate::text::source::Source;

/// The findings of the guard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Failure lines in the source.
    pub signals: usize,
    /// How many of these lines were hidden and are shown again.
    pub restored: Vec<usize>,
    /// Restored lines that are not failures, but belong to one or end the text.
    pub more: Vec<usize>,
}

impl Verdict {
    /// Whether a step hid so many failure lines that it cannot have understood the text.
    pub fn is_blind(&self) -> bool {
        const MAX_HIDDEN: usize = 16;
        self.restored.len() > MAX_HIDDEN && self.restored.len() * 2 > self.signals
    }
}

/// Shows hidden failure lines again. A failure line that is repeated verbatim needs to be seen once. `may_be_cut`: it
/// is unknown whether the command ran to its end.
pub fn check(source: &Source<'_>, ledger: &mut Ledger, signals: &[usize], may_be_cut: bool) -> Verdict {
    let hidden = hidden(source, ledger, signals);
    ledger.restore(&hidden);
    let mut more = below(source, ledger, signals);
    more.extend(end(source, ledger).filter(|_| may_be_cut));
    more.sort_unstable();
    more.dedup();
    ledger.restore(&more);
    Verdict { signals: signals.len(), restored: hidden, more }
}

/// How many of the failure lines can be seen in the end.
pub fn count_visible(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> usize {
    signals.len() - hidden(source, ledger, signals).len()
}

/// The failure lines that cannot be seen, each text once.
pub fn hidden(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> Vec<usize> {
    look_up(source, ledger, signals).1
}

/// The visible failure lines, each text once: of equal lines the first that is shown.
pub fn shown(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> Vec<usize> {
    look_up(source, ledger, signals).0
}

/// The visible failure lines and the hidden ones, each text once.
fn look_up(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut seen: Set<&str> = Set::default();
    let (mut shown_by, mut hidden): (Vec<usize>, Vec<usize>) = Default::default();
    let mut cursor = 0;
    // The replacement of several lines has them in order, so each search continues where the last one ended.
    let mut search = Search::new("");
    for &line in signals {
        let text = source.line(line).trim();
        let visible = match ledger.shows(line, &mut cursor) {
            Shown::Yes => true,
            Shown::No => false,
            Shown::In(shown) => {
                if !std::ptr::eq(search.shown, shown) {
                    search = Search::new(shown);
                }
                // A text that was shown before is not looked for twice.
                seen.contains(text)
                    || search.shows(text)
                    || is_cut(shown, source.line(line))
                    || signals::denies_failure(text)
            }
        };
        match visible {
            true if seen.insert(text) => shown_by.push(line),
            true => {}
            false => hidden.push(line),
        }
    }
    // `insert` is false for lines that are visible elsewhere, or that equal an earlier line of this list.
    hidden.retain(|&line| seen.insert(source.line(line).trim()));
    (shown_by, hidden)
}

/// Searches the shown text for one line after another.
struct Search<'a> {
    shown: &'a str,
    at: usize,
    /// The words of the shown text, and the text with one blank for each run of white space; made when first needed.
    words: Option<(Set<&'a str>, String)>,
    /// Bytes that were searched.
    bytes: usize,
}

impl<'a> Search<'a> {
    fn new(shown: &'a str) -> Self {
        Self { shown, at: 0, words: None, bytes: 0 }
    }

    /// Whether a line is visible, with any white space between its words; for a line that is a whole document,
    /// whether its failures are visible.
    fn shows(&mut self, line: &str) -> bool {
        if line.len() <= LONG_LINE_BYTES {
            return self.may_show(line) && (self.finds(line) || self.finds_folded(line))
                || signals::is_document(line) && self.shows_excerpts(line);
        }
        let mut seen = Set::default();
        let excerpts = signals::excerpts(line);
        self.finds(line)
            || excerpts.into_iter().all(|e| !seen.insert(&line[e.clone()]) || self.finds(&line[e]))
    }

    /// Whether a document on one line reports failures, and all of them are visible.
    fn shows_excerpts(&mut self, line: &str) -> bool {
        let excerpts = signals::excerpts(line);
        !excerpts.is_empty() && excerpts.into_iter().all(|excerpt| self.finds(&line[excerpt]))
    }

    fn words(&mut self) -> &(Set<&'a str>, String) {
        let shown = self.shown;
        self.words.get_or_insert_with(|| (shown.split_whitespace().collect(), folded(shown)))
    }

    /// Whether all words of a line are in the shown text, except the first and the last, which may be parts of longer
    /// words. If not, the line cannot be visible, and no search is needed.
    fn may_show(&mut self, line: &str) -> bool {
        let words = &self.words().0;
        let mut last = None;
        for word in line.split_whitespace().skip(1) {
            if last.replace(word).is_some_and(|inner| !words.contains(inner)) {
                return false;
            }
        }
        true
    }

    /// Whether the shown text contains `text`, if runs of white space count as one blank in both.
    fn finds_folded(&mut self, text: &str) -> bool {
        let text = folded(text);
        let shown = &self.words().1;
        let finds = memchr::memmem::find(shown.as_bytes(), text.as_bytes()).is_some();
        self.bytes += shown.len();
        finds
    }

    fn finds(&mut self, text: &str) -> bool {
        let bytes = self.shown.as_bytes();
        let ahead = memchr::memmem::find(&bytes[self.at..], text.as_bytes()).map(|at| self.at + at);
        match ahead.or_else(|| memchr::memmem::find(bytes, text.as_bytes())) {
            Some(at) => {
                self.bytes += at.checked_sub(self.at).unwrap_or(bytes.len()) + text.len();
                self.at = at;
                true
            }
            None => {
                self.bytes += 2 * bytes.len();
                false
            }
        }
    }
}

/// Lines right below a failure that can be seen.
const LINES_BELOW_FAILURE: usize = 14;

/// Hidden lines that report a failure right above them: its values, its caret, its frames with their code.
fn below(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> Vec<usize> {
    let mut lines = Vec::new();
    let (mut cursor, mut span) = (0, 0);
    for (place, &signal) in signals.iter().enumerate() {
        if matches!(ledger.shows(signal, &mut cursor), Shown::No) {
            continue;
        }
        let next = signals.get(place + 1).copied().unwrap_or(source.len());
        let end = next.min(signal + 1 + LINES_BELOW_FAILURE).min(source.len());
        // The indentation of a frame of Python: its code is below it.
        let mut frame = None;
        for i in signal + 1..end {
            let line = source.line(i);
            let bare = line.trim_start();
            let indent = line.len() - bare.len();
            // A log whose lines start with the place that wrote them continues with its next record.
            let is_record = indent == 0 && line.split(' ').next().is_some_and(|word| word.contains('.'));
            match details::is_detail(line) && !is_record {
                true => frame = bare.starts_with("File \"").then_some(indent),
                false if !bare.is_empty() && frame.take().is_some_and(|frame| indent > frame) => {}
                false => break,
            }
            while ledger.spans().get(span).is_some_and(|s| s.lines.end <= i) {
                span += 1;
            }
            if ledger.spans().get(span).is_some_and(|s| hides_success(&s.action)) {
                lines.push(i);
            }
        }
    }
    lines
}

/// The last line with text, if it is hidden: it shows how far a run got before it was cut off.
fn end(source: &Source<'_>, ledger: &Ledger) -> Option<usize> {
    let last = (0..source.len()).rev().find(|&i| !source.line(i).trim().is_empty())?;
    let span = ledger.spans().iter().rev().find(|span| span.lines.contains(&last))?;
    hides_success(&span.action).then_some(last)
}

/// Whether lines were hidden because they report success.
fn hides_success(action: &Action) -> bool {
    use Reason::{Clean, LogGroup, PassingChecks, PassingTests, Progress, TestOutput};
    use Reason::{RuleLimit, RuleLines, RuleMatch};
    let Action::Omit { reason, .. } = action else { return false };
    // A rule of an operator recognizes failures no better than a table of line forms does.
    matches!(reason, RuleLimit | RuleLines | RuleMatch)
        || matches!(reason, Clean | LogGroup | PassingChecks | PassingTests | Progress | TestOutput)
}

/// A text with one blank for each run of white space.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Characters at the borders of the parts of a long line: an element, an object, an escaped line end.
const PARTS: &[char] = &['<', '{', '}', '\n'];
/// A part that is longer than a window is examined in several windows, which overlap by this many bytes.
const WINDOW_OVERLAP_BYTES: usize = 200;

/// Whether the first line of `shown` is `line` with markers in place of parts that report no failure. Each marker has
/// the number of bytes that it replaces, so that every byte of the line is accounted for.
fn is_cut(shown: &str, line: &str) -> bool {
    let mut shown = shown.lines().next().unwrap_or_default().trim_end();
    let mut rest = line.trim_end();
    let mut is_cut = false;
    while let Some(at) = memchr::memmem::find(shown.as_bytes(), b"[tersed: omitted ") {
        let Some((Marker::Bytes { count, .. }, length)) = Marker::parse(&shown[at..]) else { return false };
        // In a document, the marker for a missing member is a string.
        let quoted = shown[..at].ends_with('"') && !rest.starts_with(&shown[..at]);
        let (before, after) = match quoted {
            true => (&shown[..at - 1], shown[at + length..].strip_prefix('"')),
            false => (&shown[..at], Some(&shown[at + length..])),
        };
        let (Some(after), Some(tail)) = (after, rest.strip_prefix(before)) else { return false };
        let (Some(gap), Some(tail)) = (tail.get(..count), tail.get(count..)) else { return false };
        if reports(gap) {
            return false;
        }
        (shown, rest, is_cut) = (after, tail, true);
    }
    is_cut && shown == rest
}

/// Whether a part of a text reports a failure.
fn reports(text: &str) -> bool {
    text.split(PARTS).flat_map(|part| part.split("\\n")).any(|part| {
        let mut from = 0;
        while part.len() - from > signals::MAX_LINE {
            let end = part.floor_char_boundary(from + signals::MAX_LINE);
            if signals::is_failure(&part[from..end]) {
                return true;
            }
            from = part.floor_char_boundary(end - WINDOW_OVERLAP_BYTES);
        }
        signals::is_failure(&part[from..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ledger::Reduction;
    use crate::text::reason::Reason;

    #[test]
    fn a_step_that_hides_most_failures_is_blind() {
        let text: String = (0..40).map(|i| format!("error: number {i}\n")).collect();
        let source = Source::new(&text);
        let signals: Vec<usize> = (0..40).collect();
        let mut step = Reduction::default();
        step.omit(5..40, Reason::Progress);
        let mut ledger = Ledger::new(&source).apply(&source, step).unwrap();
        assert!(check(&source, &mut ledger, &signals, false).is_blind());
        assert!(!check(&source, &mut ledger, &signals, false).is_blind());
    }

    #[test]
    fn hidden_failure_lines_come_back() {
        let text = "one line that is long enough to pay for its marker, surely\nerror: a\nfine, nothing to see here, move along please, thank you all\nerror: a\nerror: b\n";
        let source = Source::new(text);
        let mut step = Reduction::default();
        step.omit(0..5, Reason::PassingTests);
        let mut ledger = Ledger::new(&source).apply(&source, step).unwrap();
        let verdict = check(&source, &mut ledger, &[1, 3, 4], false);
        assert_eq!(verdict, Verdict { signals: 3, restored: vec![1, 4], more: vec![] });
        let gaps: Vec<_> = ledger.gaps(&source).iter().map(|g| g.lines).collect();
        assert_eq!(gaps, [(1, 1), (3, 4)]);
    }
    #[test]
    fn a_line_is_found_with_any_white_space_between_its_words() {
        let mut search = Search::new("x(error:  a b\n c) error: d");
        assert!(search.shows("error: a b c") && search.shows("error: a") && search.shows("ror: d"));
        assert!(!search.shows("error: b") && !search.shows("error: a x c") && !search.shows("error:  d e"));
    }

    #[test]
    fn lines_that_are_not_shown_are_searched_for_in_no_text() {
        let shown: String =
            (0..500).map(|i| format!("\"error\": \"number {i} of many is bad\",\n")).collect();
        let mut search = Search::new(&shown);
        let mut found = 0;
        for i in 0..4000 {
            found += usize::from(search.shows(&format!("\"error\": \"number {i} of many is bad\",")));
        }
        assert_eq!(found, 500);
        assert!(search.bytes <= 2 * shown.len(), "{} bytes for {}", search.bytes, shown.len());
    }

    #[test]
    fn a_line_is_cut_where_every_byte_is_accounted_for() {
        let line = "<a><b error: x/><c fine/><d/></a>";
        let cut = |count: usize| {
            format!("<a><b error: x/>[tersed: omitted {count} bytes of line 1, clean]<d/></a>")
        };
        assert!(is_cut(&cut(9), line));
        assert!(is_cut(&format!("{}\nmore below", cut(9)), line));
        assert!(!is_cut(&cut(8), line) && !is_cut(&cut(90), line) && !is_cut(line, line));
        assert!(!is_cut("<a>[tersed: omitted 22 bytes of line 1, clean]<d/></a>", line));
        let list = r#"{"a":"error","b":[{"c":1},{"d":2}]}"#;
        assert!(is_cut(r#"{"a":"error","b":["[tersed: omitted 15 bytes of line 1, clean]"]}"#, list));
        assert!(!is_cut(r#"{"a":"[tersed: omitted 5 bytes of line 1, clean]","b":[{"c":1},{"d":2}]}"#, list));
        let text = r#"{"a":"error","b":"x y z"}"#;
        assert!(is_cut(r#"{"a":"error","b":"[tersed: omitted 5 bytes of line 1, clean]"}"#, text));
        // One part that says that nothing failed does not excuse the next.
        assert!(reports("<a 0 errors/><b error: x/>") && !reports("<a 0 errors/>"));
        assert!(reports(&format!("{} error: x", "y ".repeat(20_000))));
    }
}
