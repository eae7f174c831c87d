//! Runs of lines that are repeated across results: a run that an earlier output still shows verbatim becomes one line
//! with the call and the line numbers there.
//!
//! This is lossless while the earlier output is visible; the session knows whether it is. Runs consist of lines that
//! no step changed. They have no failure lines, and no gaps or jumps of line numbers in either text, so that no
//! reference spans an edit.

mod index;
pub mod outlines;

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use crate::config::Policy;
use crate::text::headings;
use crate::text::ledger::{Action, Ledger, MAX_REFERENCES_IN_MARKER, Reduction};
use crate::text::lines::is_blank;
use crate::text::marker::{Ago, Marker, Naming};
use crate::text::source::Source;
use crate::tokens::TokenCounter;
use index::{Found, ShownBy, Text, WINDOW_LINES};
pub use index::{Index, Position, ResultRange};

use crate::text::origin::{Origin, file_of_label};

/// Lines that are shown on each side of a change, between two runs of the same earlier output.
const CONTEXT_LINES: usize = 3;
/// The most markers with references in one result. A result with more would be hard to follow.
pub const MAX_REFERENCES: usize = 3;
/// The most runs in one text, from which the best are chosen.
const MAX_RUNS: usize = 256;
/// A run must cost this many times as many tokens as its reference, and at least `MIN_RUN_TOKENS`.
const MIN_GAIN: usize = 2;
/// Fewer lines of a file are not replaced by a reference to another file: imports and license texts are alike by chance,
/// and the reader of the file would have to look elsewhere for them.
const MIN_LINES_OF_OTHER_FILE: usize = 15;
const MIN_RUN_TOKENS: usize = 40;

/// Lines of a text that an earlier output shows. Kept small, since the session keeps them until it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Index of the content part.
    pub part: u32,
    /// Lines of the part, from 0, end exclusive.
    pub lines: (u32, u32),
    /// The origin of the lines.
    pub origin: Arc<Origin>,
    /// The number of the first line in the earlier output, from 1.
    pub origin_number: u32,
    /// The line number that the earlier output shows for this line; 0 for none.
    pub view_number: u32,
    /// How many results ago the lines were shown; 0 if the model wrote them into this call.
    pub ago: u32,
    /// Whether the earlier output shows only an outline of the lines: the same outline as here.
    pub is_outline: bool,
}

/// A report with more verdicts than this is not read line by line, so its verdicts may be replaced.
const MAX_VERDICTS: usize = 64;
/// The most lines of the header of a commit.
const MAX_HEAD_LINES: usize = 8;

/// Lines that no reference may replace, in order. A reference to verdicts of an earlier run would look like verdicts
/// of this one, and a commit body without its header would look like that of another commit.
pub fn verdicts_and_commit_heads(source: &Source<'_>, is_report: bool) -> Vec<usize> {
    let mut verdicts = Vec::new();
    let mut heads = Vec::new();
    let mut head_end = 0;
    for (i, line) in source.lines().enumerate() {
        if is_report && is_verdict(line) {
            verdicts.push(i);
        }
        if is_commit(line) {
            head_end = i + MAX_HEAD_LINES;
        }
        if i < head_end {
            heads.push(i);
            // The header ends with a blank line.
            head_end = if is_blank(line) { i } else { head_end };
        }
    }
    if verdicts.len() <= MAX_VERDICTS {
        heads.extend(verdicts);
    }
    heads.sort_unstable();
    heads
}

/// `commit 1ae0833a…`, as `git log` writes it.
fn is_commit(line: &str) -> bool {
    let hash = line.strip_prefix("commit ").map(|rest| rest.split(' ').next().unwrap_or_default());
    hash.is_some_and(|hash| hash.len() >= 40 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether a line is the verdict on a test or a check.
fn is_verdict(line: &str) -> bool {
    const MARKS: &[char] =
        &['\u{2713}', '\u{2714}', '\u{2717}', '\u{2718}', '\u{2705}', '\u{274C}', '\u{2716}'];
    const WORDS: &[&str] = &["PASS", "FAIL", "PASSED", "FAILED"];
    let line = line.trim();
    if line.starts_with(MARKS) {
        return true;
    }
    let trimmed = |word: &str| WORDS.contains(&word.trim_matches(['[', ']', '(', ')', ':', '.', '!']));
    let mut words = line.split_ascii_whitespace();
    words.next().is_some_and(trimmed) || words.next_back().is_some_and(trimmed)
}

impl Reference {
    /// The lines of the reference, if their line numbers differ from those in the earlier result.
    pub fn shifted(&self, source: &Source<'_>) -> Option<Range<usize>> {
        let lines = self.lines.0 as usize..self.lines.1 as usize;
        let numbers = source.view().numbers(&lines);
        numbers.filter(|(first, _)| *first != self.view_number as usize).map(|_| lines)
    }
}

/// What a session knows about earlier outputs.
#[derive(Debug, Clone, Copy)]
pub enum Earlier<'a> {
    /// No outputs, or none that may be used.
    Nothing,
    /// The lines of earlier outputs, and which of them are still visible.
    Live {
        /// Earlier outputs and arguments.
        index: &'a Index,
        /// The arguments of this very call.
        own: &'a Index,
        /// The current position.
        now: Position,
        /// Outputs further back than this many results and tokens get no references; `None` if the host reports what
        /// is visible.
        window: Option<(usize, usize)>,
        /// For a call that looks at a file: the results that the model had seen when it made the call. Lines to which
        /// these results referred are shown.
        asks: Option<ResultRange>,
        /// The name of the file at which the call looks, if it is known.
        file: Option<&'a str>,
        /// Lines of the last edit, if the result is a view that shows it. They are shown with what is around them.
        edit: &'a [Box<str>],
    },
    /// The references that were found when the result was first sent.
    Decided(&'a [Reference]),
}

impl Earlier<'_> {
    /// Whether there is nothing to refer to.
    pub fn is_empty(&self) -> bool {
        match self {
            Earlier::Nothing => true,
            Earlier::Live { index, own, .. } => index.is_empty() && own.is_empty(),
            Earlier::Decided(references) => references.is_empty(),
        }
    }
}

/// The references of a part, in order. `others` is the number of markers with references in earlier parts; `signals`
/// are lines to keep.
pub fn find(
    source: &Source<'_>,
    part: usize,
    ledger: &Ledger,
    signals: &[usize],
    earlier: Earlier<'_>,
    others: usize,
    counter: &dyn TokenCounter,
) -> Vec<Reference> {
    match earlier {
        _ if earlier.is_empty() => Vec::new(),
        Earlier::Nothing => Vec::new(),
        Earlier::Decided(references) => {
            references.iter().filter(|r| r.part as usize == part && !r.is_outline).cloned().collect()
        }
        Earlier::Live { index, own, now, window, asks, file, .. } => {
            let open = |at: Position| at.is_within(now, window);
            let stretches = stretches(source, ledger, signals);
            let text = Text::new(source, &stretches);
            let mut out = Vec::new();
            for stretch in stretches {
                let search =
                    Search { source, part, indexes: [own, index], text: &text, now, asks, file, counter };
                search.stretch(stretch, &open, &mut out);
            }
            let mut out = keep_best(out, MAX_REFERENCES.saturating_sub(others), source, counter);
            keep_headings(&mut out, source, counter);
            out
        }
    }
}

/// The references by markers: one marker names references for lines that follow each other.
fn markers(references: impl IntoIterator<Item = Reference>) -> Vec<Vec<Reference>> {
    let mut markers: Vec<Vec<Reference>> = Vec::new();
    for reference in references {
        let open = markers.last_mut().filter(|marker| {
            marker.len() < MAX_REFERENCES_IN_MARKER
                && !reference.is_outline
                && marker.last().is_some_and(|last| {
                    last.part == reference.part && last.lines.1 == reference.lines.0 && !last.is_outline
                })
        });
        match open {
            Some(marker) => marker.push(reference),
            None => markers.push(vec![reference]),
        }
    }
    markers
}

/// The number of markers in which references are written.
pub fn count_markers(references: &[Reference]) -> usize {
    markers(references.iter().cloned()).len()
}

/// Keeps the references of the markers that save most tokens. The lines of the others are shown.
pub fn keep_best(
    all: Vec<Reference>,
    most: usize,
    source: &Source<'_>,
    counter: &dyn TokenCounter,
) -> Vec<Reference> {
    let markers = markers(all);
    if markers.len() <= most {
        return markers.into_iter().flatten().collect();
    }
    // Measured with the longest form of the marker, so that a reference pays in every form.
    let saved = |r: &Reference| {
        let lines = r.lines.0 as usize..r.lines.1 as usize;
        let marker =
            r.origin.marker(source, &lines, r.view_number as usize, Ago::results(r.ago as usize), Naming::Id);
        counter.count(source.slice(lines)).saturating_sub(counter.count(&marker.write()))
    };
    let mut ranked: Vec<(usize, Vec<Reference>)> =
        markers.into_iter().map(|marker| (marker.iter().map(saved).sum(), marker)).collect();
    // A stable sort: of equal ones the first.
    ranked.sort_by_key(|(saved, _)| Reverse(*saved));
    ranked.truncate(most);
    ranked.sort_by_key(|(_, marker)| marker[0].lines.0);
    ranked.into_iter().flat_map(|(_, marker)| marker).collect()
}

/// Shows the lines `shown` of the text of a reference: the reference is split around them. Parts that cost too little
/// are shown, too.
pub fn split(
    reference: &Reference,
    shown: &[usize],
    source: &Source<'_>,
    counter: &dyn TokenCounter,
) -> Vec<Reference> {
    let (start, end) = (reference.lines.0 as usize, reference.lines.1 as usize);
    let mut bounds: Vec<usize> = shown.iter().copied().filter(|line| (start..end).contains(line)).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let starts = std::iter::once(start).chain(bounds.iter().map(|line| line + 1));
    let ends = bounds.iter().copied().chain(std::iter::once(end));
    let part = |(from, to): (usize, usize)| {
        let skipped = (from - start) as u32;
        let view_number = reference.view_number + if reference.view_number > 0 { skipped } else { 0 };
        let part = Reference {
            lines: (from as u32, to as u32),
            origin_number: reference.origin_number + skipped,
            view_number,
            ..reference.clone()
        };
        let ago = Ago::results(part.ago as usize);
        let marker = part.origin.marker(source, &(from..to), view_number as usize, ago, Naming::Id);
        (from < to && pays(source.slice(from..to), &marker, counter)).then_some(part)
    };
    starts.zip(ends).filter_map(part).collect()
}

/// Ends a reference above nearby headings of the text below it: the head of a function belongs to the lines of its
/// body that are shown.
fn keep_headings(references: &mut [Reference], source: &Source<'_>, counter: &dyn TokenCounter) {
    for at in 0..references.len() {
        let behind = references.get(at + 1).map_or(source.len(), |next| next.lines.0 as usize);
        let reference = &mut references[at];
        let lines = reference.lines.0 as usize..reference.lines.1 as usize;
        let Some(end) = headings::first(source, lines.clone(), behind).filter(|end| *end > lines.start)
        else {
            continue;
        };
        let (view_number, ago) = (reference.view_number as usize, Ago::results(reference.ago as usize));
        let marker = reference.origin.marker(source, &(lines.start..end), view_number, ago, Naming::Id);
        if pays(source.slice(lines.start..end), &marker, counter) {
            reference.lines.1 = end as u32;
        }
    }
}

/// A reduction with a marker for each run.
pub fn reduction(references: &[Reference], policy: &Policy) -> Reduction {
    let mut out = Reduction::default();
    for r in references {
        let lines = r.lines.0 as usize..r.lines.1 as usize;
        let action = Action::Refer {
            origin: Arc::clone(&r.origin),
            origin_number: r.origin_number as usize,
            view_number: r.view_number as usize,
            ago: Ago::results(r.ago as usize).if_counted(policy.sees_all_results),
            shows_id: policy.ids_visible,
            is_outline: r.is_outline,
        };
        out.push(lines, action);
    }
    out
}

/// Runs of kept lines without failure lines, whose line numbers, if there are any, are consecutive.
fn stretches(source: &Source<'_>, ledger: &Ledger, signals: &[usize]) -> Vec<Range<usize>> {
    let view = source.view();
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut signals = signals.iter().copied().peekable();
    for kept in ledger.kept() {
        let mut start = kept.start;
        for i in kept.clone() {
            while signals.next_if(|s| *s < i).is_some() {}
            if signals.peek() == Some(&i) {
                out.push(start..i);
                start = i + 1;
            } else if i > start && view.number(i) != view.number(i - 1).map(|n| n + 1) {
                out.push(start..i);
                start = i;
            }
        }
        out.push(start..kept.end);
    }
    out.retain(|stretch| stretch.len() >= WINDOW_LINES);
    out
}

struct Search<'a> {
    source: &'a Source<'a>,
    part: usize,
    /// Newest first.
    indexes: [&'a Index; 2],
    text: &'a Text<'a>,
    now: Position,
    asks: Option<ResultRange>,
    file: Option<&'a str>,
    counter: &'a dyn TokenCounter,
}

impl Search<'_> {
    /// Finds the runs of one stretch, from its start on: the longest run at each line.
    fn stretch(&self, stretch: Range<usize>, open: &impl Fn(Position) -> bool, out: &mut Vec<Reference>) {
        let mut at = stretch.start;
        // The previous run, if it is in this stretch.
        let mut last: Option<usize> = None;
        while at + WINDOW_LINES <= stretch.end && out.len() < MAX_RUNS {
            let found = self
                .indexes
                .map(|index| index.find(self.text, at, stretch.end, open, self.asks).map(|f| (index, f)));
            // The longest run; if runs are equally long, the newest.
            let found = found.into_iter().flatten().reduce(|a, b| if b.1.len > a.1.len { b } else { a });
            let Some((index, found)) = found else {
                at += 1;
                continue;
            };
            let mut lines = at..at + found.len;
            // Show some lines on both sides of a change, so that a reader sees where it is. Where lines of the earlier output
            // are gone, the two runs follow each other here but not there.
            let follows = |l: &Reference| {
                let there = index.shown_by(&found, 0).map(|by| by.origin_number as u32);
                at == l.lines.1 as usize && there == Some(l.origin_number + (l.lines.1 - l.lines.0))
            };
            let changed = last.filter(|&l| at >= out[l].lines.1 as usize && !follows(&out[l]));
            if let Some(l) = changed {
                let same = index.shown_by(&found, 0).is_some_and(|by| by.origin == out[l].origin);
                if same {
                    lines.start = (lines.start + CONTEXT_LINES).min(lines.end);
                }
            }
            match self.reference(index, &found, at, lines.clone()) {
                Some(reference) => {
                    if let Some(l) = changed.filter(|&l| out[l].origin == reference.origin) {
                        self.shorten(&mut out[l]);
                    }
                    last = Some(out.len());
                    out.push(reference);
                    at = lines.end;
                }
                None => at += 1,
            }
        }
    }

    /// Shortens a reference so that lines of context below it are shown, if it still pays.
    fn shorten(&self, reference: &mut Reference) {
        let lines = reference.lines.0 as usize..(reference.lines.1 as usize).saturating_sub(CONTEXT_LINES);
        let (view_number, ago) = (reference.view_number as usize, Ago::results(reference.ago as usize));
        if !lines.is_empty()
            && self.pays(&lines, &reference.origin.marker(self.source, &lines, view_number, ago, Naming::Id))
        {
            reference.lines.1 = lines.end as u32;
        }
    }

    fn reference(&self, index: &Index, found: &Found, at: usize, lines: Range<usize>) -> Option<Reference> {
        if lines.is_empty() {
            return None;
        }
        let ShownBy { origin, origin_number, view_number, results } =
            index.shown_by(found, lines.start - at)?;
        let is_of = |file: &str| origin.label.as_deref().is_some_and(|label| file_of_label(label) == file);
        if self.file.is_some_and(|file| !is_of(file)) && lines.len() < MIN_LINES_OF_OTHER_FILE {
            return None;
        }
        // Lines that the model wrote into this call were not shown by an earlier result.
        let ago = match std::ptr::eq(index, self.indexes[0]) {
            true => 0,
            false => self.now.results.saturating_sub(results) + 1,
        };
        self.pays(&lines, &origin.marker(self.source, &lines, view_number, Ago::results(ago), Naming::Id))
            .then_some(Reference {
                part: self.part as u32,
                lines: (lines.start as u32, lines.end as u32),
                origin,
                origin_number: origin_number as u32,
                view_number: view_number as u32,
                ago: ago as u32,
                is_outline: false,
            })
    }

    /// Whether the lines cost much more than the marker.
    fn pays(&self, lines: &Range<usize>, marker: &Marker) -> bool {
        pays(self.source.slice(lines.clone()), marker, self.counter)
    }
}

/// Whether a text costs much more than its marker.
fn pays(text: &str, marker: &Marker, counter: &dyn TokenCounter) -> bool {
    // No tokenizer has tokens for more bytes of ordinary text.
    const MAX_TOKEN_BYTES: usize = 16;
    let marker = marker.write();
    if text.len() <= marker.len() * MIN_GAIN {
        return false;
    }
    let least = ((counter.count(&marker) + 1) * MIN_GAIN).max(MIN_RUN_TOKENS);
    text.len() > least * MAX_TOKEN_BYTES || counter.count(text) >= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines::Lines;

    #[test]
    fn who_was_referred_to_lines_gets_them_wherever_else_they_stand() {
        let lines = |range: Range<usize>| -> String {
            range.map(|n| format!("let value_{n} = compute_{n}(some, words);\n")).collect()
        };
        let at = |results| Position { results, tokens: 0 };
        let mut index = Index::default();
        for (call, range, results) in [("read", 1..121, 1), ("edit", 45..55, 2)] {
            let origin = Origin { call: call.into(), tool: call.into(), argument: None, label: None };
            index.add(origin, Lines::of(&lines(range)), at(results), 1 << 20);
        }
        index.refer("read", None, 1, 49, 3);
        let text = lines(45..65);
        let source = Source::new(&text);
        let text = Text::new(&source, std::slice::from_ref(&(0..20)));
        let found = |from, asks| index.find(&text, from, 20, &|_| true, asks).map(|found| found.len);
        let after = |last| Some(ResultRange { first: 1, last });
        assert_eq!((found(0, None), found(0, after(2))), (Some(20), Some(20)));
        // Lines 45 to 49 were replaced by a reference before, the lines below were not.
        assert_eq!((found(0, after(3)), found(5, after(3))), (None, Some(15)));
    }

    #[test]
    fn a_run_has_the_same_rest_whether_or_not_it_was_compared_before() {
        let lines = |seed: u32, count: u32| -> String {
            (0..count).map(|n| ["one\n", "two\n", "three\n"][(n * n * seed % 7 % 3) as usize]).collect()
        };
        let mut index = Index::default();
        for (seed, call) in ["a", "b", "c"].into_iter().enumerate() {
            let origin = Origin { call: call.into(), tool: call.into(), argument: None, label: None };
            let at = Position { results: seed, tokens: 0 };
            index.add(origin, Lines::of(&lines(seed as u32 + 1, 30)), at, 1 << 20);
        }
        let text = [lines(1, 20), lines(3, 9), lines(2, 30)].concat();
        let source = Source::new(&text);
        let new = || Text::new(&source, std::slice::from_ref(&(0..source.len())));
        let shared = new();
        let mut longest = 0;
        for end in [source.len(), 25] {
            for from in 0..end {
                let found = |text: &Text<'_>| index.find(text, from, end, &|_| true, None);
                assert_eq!(found(&shared), found(&new()), "{from}");
                longest = longest.max(found(&shared).map_or(0, |found| found.len));
            }
        }
        assert!(longest >= 20, "{longest}");
    }

    #[test]
    fn verdicts_and_heads_of_commits_are_never_referred_away() {
        let text = format!(
            "commit {}\nAuthor: A <a@b>\nDate:   today\n\n    title\n\n\u{2713} fine\n  Expected: x\na.py::t FAILED\nmore\n",
            "1ae0833a".repeat(5)
        );
        let source = Source::new(&text);
        assert_eq!(verdicts_and_commit_heads(&source, true), [0, 1, 2, 3, 6, 8]);
        assert_eq!(verdicts_and_commit_heads(&source, false), [0, 1, 2, 3]);
        // Too many verdicts to be read line by line: none is protected.
        let many = "a FAILED\n".repeat(MAX_VERDICTS + 1);
        assert_eq!(verdicts_and_commit_heads(&Source::new(&many), true), [0; 0]);
    }
}
