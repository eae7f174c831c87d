//! Stack traces, one or many in any report. Message, causes and the frames of the user's own code are kept; frames of
//! libraries, runtimes and frameworks fold.
//!
//! A trace is a run of frames. Kept are the user's frames, the frame that each of them called, the innermost frame,
//! and every line that reports a failure. In a trace without a frame of the user's code, the first and the last few
//! are kept. If an earlier trace in the text has the same frames, they are left out as a whole. The text between
//! traces is never changed.

mod frame;
mod library;
mod stacks;

use std::ops::Range;

use self::frame::{Frame, Hints, Language, frame};
use self::stacks::Stacks;
use crate::reduce::lines::is_number;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::maps::Set;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Fewest frames of a trace. A choice.
const MIN_FRAMES: usize = 4;
/// Fewest lines of frames in a row that fold.
const MIN_FOLD: usize = 2;
/// Frames that are kept at the inner and at the outer end of a trace without frames of the user's. A choice: who
/// failed, and who called.
const INNER_FRAMES: usize = 3;
const OUTER_FRAMES: usize = 1;
/// Most lines between two traces that share a marker: the message of a cause. A choice.
const MAX_LINES_BETWEEN_TRACES: usize = 3;

/// Leaves out frames of the traces.
pub fn reduce(source: &Source<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
    let mut out = Reduction::default();
    let mut stacks = Stacks::default();
    // One group for each run of traces; the groups of repeated traces are assigned at the end.
    let mut group = 1;
    let mut last_end = None;
    let mut hints = Hints::new(source.text());
    for kept in ledger.kept() {
        let mut at = kept.start;
        while at < kept.end {
            let frames = trace(source, at, kept.end, &mut hints);
            let Some(last) = frames.last() else {
                at += 1;
                continue;
            };
            at = last.lines.end;
            let start = frames[0].lines.start;
            if let Some(header) = goroutine(source, start) {
                let lines = header..at + usize::from(at < kept.end && source.line(at).is_empty());
                let stack = frames.iter().map(|f| call(f.function)).chain(state(source.line(header)));
                let places = frames.iter().map(|f| frame_text(source.line(f.lines.end - 1)));
                let stack = stack.chain(places).collect();
                if stacks.is_repeated(stack, start..at, lines) {
                    continue;
                }
            }
            if frames.len() < MIN_FRAMES {
                continue;
            }
            if last_end.is_none_or(|end| start > end + MAX_LINES_BETWEEN_TRACES) {
                group += 1;
            }
            last_end = Some(at);
            let stack = (start..at).map(|i| frame_text(source.line(i))).collect();
            if stacks.is_repeated(stack, start..at, start..at) {
                continue;
            }
            for range in library(source, &frames) {
                fold(source, range, Reason::LibraryFrames, group, "", &mut out);
            }
        }
    }
    let from = out.spans.len();
    stacks.fold_repeated(source, group, &mut out);
    if from < out.spans.len() {
        out.order(0);
    }
    out.unless_empty()
}

/// Fewest frames of a trace whose innermost own frame is named. A choice.
const MIN_FRAMES_TO_NAME_INNERMOST: usize = 2;
/// The most traces whose innermost own frame is named. Bounds the work.
const MAX_TRACES_NAMED: usize = 32;

/// The lines of the innermost frame of the user's own code in each trace; of equal frames once.
pub fn own_frames(source: &Source<'_>) -> Vec<Range<usize>> {
    let mut hints = Hints::new(source.text());
    let mut seen: Set<&str> = Set::default();
    let mut out = Vec::new();
    let mut at = 0;
    while at < source.len() && out.len() < MAX_TRACES_NAMED {
        crate::stop::check_sometimes();
        let frames = trace(source, at, source.len(), &mut hints);
        let Some(last) = frames.last() else {
            at += 1;
            continue;
        };
        at = last.lines.end;
        let mut own = frames.iter().filter(|frame| library::is_user(frame));
        let innermost = if inner_is_last(last.language) { own.next_back() } else { own.next() };
        if let Some(frame) = innermost.filter(|_| frames.len() >= MIN_FRAMES_TO_NAME_INNERMOST)
            && seen.insert(frame_text(source.line(frame.lines.start)))
        {
            out.push(frame.lines.clone());
        }
    }
    out
}

/// A line of a frame without addresses, which differ between two runs, and without the names of processes.
fn frame_text(line: &str) -> &str {
    let text = strip_process_name(line).trim();
    text.rsplit_once(" +0x").map_or(text, |(text, _)| text)
}

/// Longest name of a process before its lines, in bytes. A choice.
const MAX_PROCESS_BYTES: usize = 40;

/// The text of a line after the name of one of several processes: `[rank3]:` of torchrun, `[1,3]<stderr>:` of mpirun,
/// `web-1  |` of Docker Compose.
fn strip_process_name(line: &str) -> &str {
    let head = &line[..line.floor_char_boundary(MAX_PROCESS_BYTES)];
    let is_name = |name: &str| {
        let is_part = |b: u8| b.is_ascii_alphanumeric() || b"_-.,".contains(&b);
        name.bytes().all(is_part) && name.bytes().any(|b| b.is_ascii_digit())
    };
    if let Some((name, rest)) = head.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let rest = rest.strip_prefix("<stderr>").or_else(|| rest.strip_prefix("<stdout>")).unwrap_or(rest);
        let is_process = is_name(name) && rest.starts_with(':');
        return if is_process { &line[head.len() - rest.len() + 1..] } else { line };
    }
    match head.split_once(" | ") {
        Some((name, rest)) if is_name(name.trim_end()) => &line[head.len() - rest.len()..],
        _ => line,
    }
}

/// The line `goroutine 18 [chan receive, 3 minutes]:` before the frames of one that did not fail.
fn goroutine(source: &Source<'_>, frames: usize) -> Option<usize> {
    let header = frames.checked_sub(1)?;
    let line = source.line(header);
    let is_header = line.starts_with("goroutine ") && line.ends_with("]:") && !line.contains("[running]");
    is_header.then_some(header)
}

/// What a goroutine waits for, the magnitude of its minutes, and the other properties in its header: `locked to
/// thread`. Minutes of one magnitude count as equal, since they differ between goroutines that wait for the same
/// thing.
fn state(header: &str) -> impl Iterator<Item = &str> {
    let state =
        header.split_once('[').and_then(|(_, state)| state.rsplit_once(']')).map_or("", |(state, _)| state);
    state.split(", ").map(|part| match part.strip_suffix(" minutes") {
        Some(minutes) if is_number(minutes) => magnitude(minutes.len()),
        _ => part,
    })
}

/// The magnitude of numbers with this many digits, as a word.
fn magnitude(digits: usize) -> &'static str {
    const NAMES: [&str; 5] = ["minutes", "tens", "hundreds", "thousands", "more"];
    NAMES[digits.saturating_sub(1).min(NAMES.len() - 1)]
}

/// A function of Go without its arguments and without the goroutine that created it.
fn call(function: &str) -> &str {
    let function = function.rsplit_once(" in goroutine ").map_or(function, |(name, _)| name);
    function.rsplit_once('(').map_or(function, |(name, _)| name)
}

/// The frames that follow one another from line `at` on.
fn trace<'a>(source: &'a Source<'a>, mut at: usize, end: usize, hints: &mut Hints<'_>) -> Vec<Frame<'a>> {
    let mut frames: Vec<Frame<'a>> = Vec::new();
    while at < end {
        match frame(source, at, hints) {
            Some(next)
                if next.lines.end <= end && frames.first().is_none_or(|f| f.language == next.language) =>
            {
                at = next.lines.end;
                frames.push(next);
            }
            _ => break,
        }
    }
    frames
}

/// Whether the innermost frame comes last.
fn inner_is_last(language: Language) -> bool {
    language == Language::Python
}

/// Runs of lines of library frames that fold.
fn library(source: &Source<'_>, frames: &[Frame<'_>]) -> Vec<Range<usize>> {
    let n = frames.len();
    let user: Vec<bool> = frames.iter().map(library::is_user).collect();
    let last = frames.first().is_some_and(|f| inner_is_last(f.language));
    let is_near = |i: usize| match last {
        // The frame that a frame of the user's called.
        true => i == n - 1 || (i > 0 && user[i - 1]),
        false => i == 0 || user.get(i + 1) == Some(&true),
    };
    let is_end = |i: usize| match last {
        true => i < OUTER_FRAMES || i + INNER_FRAMES >= n,
        false => i < INNER_FRAMES || i + OUTER_FRAMES >= n,
    };
    let has_user = user.contains(&true);
    let stays = |i: usize| {
        let fails = || frames[i].lines.clone().any(|l| signals::is_failure(source.line(l)));
        user[i] || if has_user { is_near(i) } else { is_end(i) } || fails()
    };
    let mut out = Vec::new();
    let mut from = 0;
    for i in 0..=n {
        if i < n && !stays(i) {
            continue;
        }
        if i > from {
            let lines = frames[from].lines.start..frames[i - 1].lines.end;
            out.extend(Some(lines).filter(|lines| lines.len() >= MIN_FOLD));
        }
        from = i + 1;
    }
    out
}

/// Hides lines, but none that reports a failure.
fn fold(
    source: &Source<'_>,
    lines: Range<usize>,
    reason: Reason,
    group: u32,
    names: &str,
    out: &mut Reduction,
) {
    let mut names = names;
    for i in lines {
        if !signals::is_failure(source.line(i)) {
            out.omit_named(i..i + 1, reason, group, std::mem::take(&mut names));
        }
    }
}

#[cfg(test)]
mod tests;
