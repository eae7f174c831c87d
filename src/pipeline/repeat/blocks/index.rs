//! The lines that earlier outputs of a session show. A run of lines is found by its content, in constant time.
//!
//! An output is added with the lines that the model was shown verbatim, so no found line is in a gap or part of a
//! reference. What the model wrote into a call is added the same way. Matches are compared byte by byte; hashes only
//! find candidates. Outputs are removed when the host says so, and the oldest are removed when the index is full.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use crate::stop;
use crate::text::lines::{Line, Lines};
use crate::text::origin::{self, Origin};
use crate::text::source::Source;

/// Lines of a window: a shorter run is not found.
pub(super) const WINDOW_LINES: usize = 3;
/// The most places of a window that are compared, newest first.
const MAX_CANDIDATES: usize = 8;

/// Memory of a line in the index in addition to its text. A hash table has one control byte for each slot, and right
/// after growing 7 of 16 slots are filled.
const LINE_BYTES: usize = size_of::<Line>() + size_of::<Place>() + (size_of::<(u64, Place)>() + 1) * 16 / 7;

/// The memory of lines in the index.
fn bytes_of(lines: &Lines) -> usize {
    lines.text_bytes() + lines.len() * LINE_BYTES
}

/// Memory of an output in the index in addition to its lines: its slot in a queue that may be half empty, its
/// reference-counted origin and lines, and eight allocations with their overhead.
const OUTPUT_BYTES: usize = 2 * size_of::<Option<Output>>()
    + size_of::<Origin>()
    + size_of::<Lines>()
    + 2 * HOLDER_COUNTS_BYTES
    + 8 * 16;
/// The two reference counts of an `Arc`.
const HOLDER_COUNTS_BYTES: usize = 2 * size_of::<usize>();

/// The position of a window: the number of its output in the session, and the index of its first line.
type Place = (u32, u32);
const NOWHERE: Place = (u32::MAX, 0);

#[derive(Debug, Clone)]
struct Output {
    origin: Arc<Origin>,
    shown: Arc<Lines>,
    /// For each window, the previous position with the same lines.
    before: Vec<Place>,
    at: Position,
    /// Lines to which a reference pointed, in the result of a call that looks at a file.
    referred: Vec<Referred>,
}

/// Lines of an output that a reference replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Referred {
    /// Indexes into the shown lines.
    lines: Range<u32>,
    /// The number of results in the session, including the one with the reference.
    results: usize,
}

/// The most runs of lines of an output that are remembered separately.
const MAX_REFERRED: usize = 64;

/// A position in a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// Results so far.
    pub results: usize,
    /// Tokens of their outputs.
    pub tokens: usize,
}

impl Position {
    /// Whether an output from this position is still visible at `now`: within the window of results and tokens if
    /// there is one, otherwise always.
    pub fn is_within(self, now: Position, window: Option<(usize, usize)>) -> bool {
        let Some((results, tokens)) = window else { return true };
        now.results.saturating_sub(self.results) <= results
            && now.tokens.saturating_sub(self.tokens) <= tokens
    }
}

/// Results of a session, numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultRange {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl ResultRange {
    /// Whether a result is one of them.
    pub fn contains(self, result: &usize) -> bool {
        (self.first..=self.last).contains(result)
    }
}

/// The lines of earlier outputs, by content. Clones share the texts.
#[derive(Debug, Default, Clone)]
pub struct Index {
    outputs: VecDeque<Option<Output>>,
    /// The number of outputs that were removed at the front.
    gone: u32,
    newest: HashMap<u64, Place, foldhash::fast::FixedState>,
    bytes: usize,
}

/// A run of lines of a text that an earlier output shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) len: usize,
    place: Place,
}

/// The earlier output that shows a run of lines.
pub(super) struct ShownBy {
    pub(super) origin: Arc<Origin>,
    /// The line number in the earlier output, from 1.
    pub(super) origin_number: usize,
    /// The line number that the earlier output shows for this line; 0 for none.
    pub(super) view_number: usize,
    /// The number of results in the session, including that output.
    pub(super) results: usize,
}

impl Index {
    /// Adds an output. The oldest outputs are removed until all take at most `max_bytes`.
    pub fn add(&mut self, origin: Origin, shown: Lines, at: Position, max_bytes: usize) {
        if shown.is_empty() || bytes_of(&shown) > max_bytes {
            return;
        }
        let mut shown = shown;
        shown.shrink();
        let mut output = Output {
            origin: Arc::new(origin),
            shown: Arc::new(shown),
            before: Vec::new(),
            at,
            referred: Vec::new(),
        };
        self.bytes += output.bytes();
        let number = self.gone + self.outputs.len() as u32;
        self.enter(number, &mut output);
        self.outputs.push_back(Some(output));
        while self.bytes > max_bytes && !self.outputs.is_empty() {
            self.drop_oldest();
        }
    }

    fn enter(&mut self, number: u32, output: &mut Output) {
        let hashes: Vec<u64> = (0..output.shown.len()).map(|i| hash(output.shown.text(i))).collect();
        output.before.clear();
        output.before.reserve_exact(hashes.len().saturating_sub(WINDOW_LINES - 1));
        for (i, window) in hashes.windows(WINDOW_LINES).enumerate() {
            let whole = (i..i + WINDOW_LINES - 1).all(|i| output.shown.joins(i));
            let before = match whole {
                true => self.newest.insert(key(window), (number, i as u32)).unwrap_or(NOWHERE),
                false => NOWHERE,
            };
            output.before.push(before);
        }
    }

    fn drop_oldest(&mut self) {
        let number = self.gone;
        self.gone += 1;
        let Some(Some(output)) = self.outputs.pop_front() else { return };
        self.bytes -= output.bytes();
        let hashes: Vec<u64> = (0..output.shown.len()).map(|i| hash(output.shown.text(i))).collect();
        for window in hashes.windows(WINDOW_LINES) {
            let key = key(window);
            if self.newest.get(&key).is_some_and(|(output, _)| *output == number) {
                self.newest.remove(&key);
            }
        }
    }

    /// Notes that a call that looks at a file got a reference to lines of an output, from line `origin_number` on. If
    /// these lines are requested again, they are shown.
    pub fn refer(
        &mut self,
        call: &str,
        argument: Option<&str>,
        origin_number: usize,
        count: usize,
        results: usize,
    ) {
        let is_it = |output: &&mut Output| {
            output.origin.call == call && output.origin.argument.as_deref() == argument
        };
        if let Some(output) = self.outputs.iter_mut().rev().flatten().find(is_it) {
            let place = |line: usize| output.shown.place_of(line) as u32;
            let lines = place(origin_number)..place(origin_number.saturating_add(count));
            let before = output.referred_bytes();
            output.refer(Referred { lines, results });
            self.bytes = self.bytes + output.referred_bytes() - before;
        }
    }

    /// Whether one of these results got a reference to lines of this call's result.
    pub fn is_referred(&self, call: &str, by: ResultRange) -> bool {
        let of_call = |output: &&Output| output.origin.call == call && output.origin.argument.is_none();
        let output = self.outputs.iter().rev().flatten().find(of_call);
        output.is_some_and(|output| output.referred.iter().any(|r| by.contains(&r.results)))
    }

    /// Whether there is an output of a call for which `visible` is false.
    pub fn has_other(&self, visible: impl Fn(&str) -> bool) -> bool {
        self.outputs.iter().flatten().any(|output| !visible(&output.origin.call))
    }

    /// The calls whose label occurs in a text.
    pub fn named_in(&self, text: &str) -> Vec<String> {
        let is_named = |origin: &&Origin| {
            origin.label.as_deref().is_some_and(|label| text.contains(label.trim_end_matches(origin::CUT)))
        };
        let origins = self.outputs.iter().flatten().map(|output| &*output.origin);
        origins.filter(is_named).map(|origin| origin.call.clone()).collect()
    }

    /// Removes the outputs of calls for which `visible` is false: they left the context.
    pub fn retain(&mut self, visible: impl Fn(&str) -> bool) {
        if !self.has_other(&visible) {
            return;
        }
        let is_gone = |output: &Output| !visible(&output.origin.call);
        self.newest.clear();
        let mut outputs = std::mem::take(&mut self.outputs);
        for (i, slot) in outputs.iter_mut().enumerate() {
            if let Some(output) = slot.take_if(|output| is_gone(output)) {
                self.bytes -= output.bytes();
            }
            if let Some(output) = slot {
                self.enter(self.gone + i as u32, output);
            }
        }
        self.outputs = outputs;
    }

    /// Approximate bytes of memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there is no output.
    pub fn is_empty(&self) -> bool {
        self.outputs.iter().all(Option::is_none)
    }

    /// The longest run from line `from` on; if runs are equally long, the one in the newest output. Arguments that
    /// the model wrote are not searched for numbered lines, since they have no line numbers to cite, nor for calls
    /// that look at a file (`asks`): an agent that views what it wrote wants to see the file, often to edit it.
    pub(super) fn find(
        &self,
        text: &Text<'_>,
        from: usize,
        end: usize,
        open: &impl Fn(Position) -> bool,
        asks: Option<ResultRange>,
    ) -> Option<Found> {
        let key = key(text.hashes.get(from..from + WINDOW_LINES)?);
        let numbered = text.source.view().number(from).is_some();
        let mut place = *self.newest.get(&key)?;
        let mut best: Option<Found> = None;
        // An agent that requests lines again after a reference to them needs the text, not another reference.
        let mut most = usize::MAX;
        let mut newest: Option<usize> = None;
        for _ in 0..MAX_CANDIDATES {
            let Some(output) = self.output(place.0).filter(|output| open(output.at)) else { break };
            let is_searched = output.origin.argument.is_none() || !numbered && asks.is_none();
            if is_searched {
                let len = text.common(output, place.1 as usize, from, end);
                // The newest output shows its lines in full, so older references to them no longer count.
                let since = *newest.get_or_insert(output.at.results);
                let open_len = asks.map_or(len, |by| output.not_referred(place.1 as usize, len, since, by));
                if open_len < len {
                    most = most.min(open_len);
                }
                if len >= WINDOW_LINES && best.as_ref().is_none_or(|b| len > b.len) {
                    best = Some(Found { len, place });
                }
            }
            place = output.before.get(place.1 as usize).copied().unwrap_or(NOWHERE);
        }
        best.map(|best| Found { len: best.len.min(most), ..best }).filter(|best| best.len >= WINDOW_LINES)
    }

    /// The newest results, at most `most`, that show some of the first `lines` lines of a text.
    pub(super) fn alike<'i>(
        &'i self,
        source: &Source<'_>,
        lines: usize,
        most: usize,
        open: &impl Fn(Position) -> bool,
    ) -> Vec<Alike<'i>> {
        let view = source.view();
        let hashes: Vec<u64> =
            (0..lines.min(source.len())).map(|i| hash(view.text(source.raw(i), i))).collect();
        let mut numbers: Vec<u32> = Vec::new();
        for window in hashes.windows(WINDOW_LINES) {
            let mut place = self.newest.get(&key(window)).copied().unwrap_or(NOWHERE);
            for _ in 0..MAX_CANDIDATES {
                let Some(output) = self.output(place.0).filter(|output| open(output.at)) else { break };
                if output.origin.argument.is_none() {
                    numbers.push(place.0);
                }
                place = output.before.get(place.1 as usize).copied().unwrap_or(NOWHERE);
            }
        }
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.dedup();
        let outputs = numbers.into_iter().take(most).filter_map(|number| self.output(number));
        let alike = |output: &'i Output| Alike {
            origin: &output.origin,
            shown: &output.shown,
            results: output.at.results,
            output,
        };
        outputs.map(alike).collect()
    }

    fn output(&self, number: u32) -> Option<&Output> {
        self.outputs.get(number.checked_sub(self.gone)? as usize)?.as_ref()
    }

    /// The output that shows a run, with the line numbers of line `skip` of the run.
    pub(super) fn shown_by(&self, found: &Found, skip: usize) -> Option<ShownBy> {
        let output = self.output(found.place.0)?;
        let line = output.shown.get(found.place.1 as usize + skip)?;
        Some(ShownBy {
            origin: Arc::clone(&output.origin),
            origin_number: line.result_number as usize,
            view_number: line.view_number as usize,
            results: output.at.results,
        })
    }
}

impl Output {
    fn bytes(&self) -> usize {
        let Origin { call, tool, argument, label } = &*self.origin;
        bytes_of(&self.shown)
            + OUTPUT_BYTES
            + call.len()
            + tool.len()
            + argument.as_ref().map_or(0, String::len)
            + label.as_ref().map_or(0, |label| label.capacity() + 16)
            + self.referred_bytes()
    }

    fn referred_bytes(&self) -> usize {
        match self.referred.capacity() {
            0 => 0,
            capacity => capacity * size_of::<Referred>() + 16,
        }
    }

    fn refer(&mut self, new: Referred) {
        self.referred.retain(|r| r.lines.start < new.lines.start || r.lines.end > new.lines.end);
        if self.referred.len() < MAX_REFERRED {
            self.referred.push(new);
        } else if let Some(last) = self.referred.last_mut() {
            *last = Referred { lines: 0..u32::MAX, results: new.results };
        }
    }

    /// How many of `len` lines from `at` on come before the first line to which one of these results referred.
    /// References up to result `since` do not count.
    fn not_referred(&self, at: usize, len: usize, since: usize, by: ResultRange) -> usize {
        let counts =
            |r: &&Referred| r.results > since && by.contains(&r.results) && r.lines.end as usize > at;
        let known = self.referred.iter().filter(counts);
        known.map(|r| (r.lines.start as usize).saturating_sub(at)).min().map_or(len, |free| free.min(len))
    }

    /// How many lines from `at` on are equal to the first of these lines, and follow each other.
    fn common(&self, at: usize, lines: &[&str]) -> usize {
        let is_same = |(len, line): &(usize, &&str)| {
            stop::check_sometimes();
            let here = at + len;
            here < self.shown.len()
                && (*len == 0 || self.shown.joins(here - 1))
                && self.shown.text(here) == **line
        };
        lines.iter().enumerate().take_while(is_same).count()
    }
}

/// An earlier output that shows some of the first lines of a text.
pub(super) struct Alike<'a> {
    /// The origin of the output.
    pub(super) origin: &'a Arc<Origin>,
    /// The lines that it shows.
    pub(super) shown: &'a Lines,
    /// The number of results in the session, including this one.
    pub(super) results: usize,
    output: &'a Output,
}

impl Alike<'_> {
    /// How many lines from `at` on come before the first line to which one of these results referred.
    pub(super) fn not_referred(&self, at: usize, by: ResultRange) -> usize {
        self.output.not_referred(at, usize::MAX, 0, by)
    }
}

/// The text that is searched for: its lines without the line numbers of a file view, and their hashes.
pub(super) struct Text<'a> {
    source: &'a Source<'a>,
    lines: Vec<&'a str>,
    hashes: Vec<u64>,
    /// The runs that were compared last.
    runs: RefCell<[Option<Run>; MAX_CANDIDATES]>,
}

/// A run of equal lines in an earlier output and the text. If it is not referred to from its first line on, the next line is
/// asked for: the run that begins there ends where this one does, and is not compared again.
#[derive(Clone, Copy)]
struct Run {
    output: *const Output,
    /// Its first line in the output.
    at: usize,
    /// Its lines in the text.
    from: usize,
    to: usize,
    /// The end of the stretch in which it was searched.
    end: usize,
}

impl Run {
    /// How many of its lines are left if it is asked for from some line on; `None` for another run.
    fn rest(&self, output: &Output, at: usize, from: usize, end: usize) -> Option<usize> {
        let is_it = std::ptr::eq(self.output, output)
            && self.end == end
            && (self.from..self.to).contains(&from)
            && at.checked_sub(self.at) == Some(from - self.from);
        is_it.then(|| self.to - from)
    }
}

impl<'a> Text<'a> {
    pub(super) fn new(source: &'a Source<'a>, kept: &[Range<usize>]) -> Self {
        let mut hashes = vec![0; source.len()];
        let mut lines = vec![""; source.len()];
        for i in kept.iter().cloned().flatten() {
            lines[i] = source.view().text(source.raw(i), i);
            hashes[i] = hash(lines[i]);
        }
        Self { source, lines, hashes, runs: RefCell::default() }
    }

    /// How many lines of an output from `at` on are equal to the lines of the text from `from` to `end`.
    fn common(&self, output: &Output, at: usize, from: usize, end: usize) -> usize {
        let mut runs = self.runs.borrow_mut();
        if let Some(len) = runs.iter().flatten().find_map(|run| run.rest(output, at, from, end)) {
            return len;
        }
        let len = output.common(at, self.lines.get(from..end).unwrap_or_default());
        runs.rotate_right(1);
        runs[0] = Some(Run { output, at, from, to: from + len, end });
        len
    }
}

fn hash(line: &str) -> u64 {
    foldhash::fast::FixedState::default().hash_one(line)
}

fn key(window: &[u64]) -> u64 {
    window.iter().fold(0, |key: u64, hash| key.rotate_left(21).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash)
}
