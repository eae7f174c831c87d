//! Repeated stacks: finds traces with the same frames.
//!
//! In a thread dump, readers want to know which thread waits where. If a text has several stacks, the marker of a
//! trace that was left out names its stack. Threads and goroutines are named together, in one marker for each stack;
//! other traces have no name, and a marker replaces each run of equal ones.

use std::fmt::Write as _;
use std::ops::Range;

use super::fold;
use crate::text::maps::Map;
use crate::text::reason::Reason;
use crate::text::reduction::Reduction;
use crate::text::source::Source;

/// Longest list of the threads with one stack, in bytes. A choice.
const MAX_NAMES_BYTES: usize = 400;

/// The stacks of a text.
#[derive(Default)]
pub(super) struct Stacks<'a> {
    places: Map<Vec<&'a str>, usize>,
    /// The first trace with each stack: its lines.
    first: Vec<Range<usize>>,
    repeats: Vec<Repeat>,
}

/// A trace with the same stack as an earlier one.
struct Repeat {
    stack: usize,
    /// Where its frames start.
    frames: usize,
    /// The lines that are left out.
    lines: Range<usize>,
}

impl<'a> Stacks<'a> {
    /// Whether an earlier trace has this stack; `lines` are then left out.
    pub(super) fn is_repeated(
        &mut self,
        stack: Vec<&'a str>,
        frames: Range<usize>,
        lines: Range<usize>,
    ) -> bool {
        let next = self.first.len();
        let stack = *self.places.entry(stack).or_insert(next);
        if stack == next {
            self.first.push(frames);
            return false;
        }
        self.repeats.push(Repeat { stack, frames: frames.start, lines });
        true
    }

    /// Leaves out repeated stacks. Their groups of markers start after `group`.
    pub(super) fn fold_repeated(self, source: &Source<'_>, mut group: u32, out: &mut Reduction) {
        let is_named = |frames: usize| owner(source, frames).is_some();
        let all_named = self.first.iter().all(|frames| is_named(frames.start))
            && self.repeats.iter().all(|repeat| is_named(repeat.frames));
        let is_one_stack = self.first.len() == 1;
        let mut names: Vec<String> = match all_named && !is_one_stack {
            true => self.lists(source),
            false => Vec::new(),
        };
        let mut last = None;
        for repeat in self.repeats {
            let (group, names) = match names.get_mut(repeat.stack) {
                // One group for each stack; the first gap of it has the names.
                Some(names) => (group + 1 + u32::try_from(repeat.stack).unwrap_or(0), std::mem::take(names)),
                None if is_one_stack => (group + 1, String::new()),
                None => {
                    let is_other = last.replace(repeat.stack) != Some(repeat.stack);
                    group += u32::from(is_other);
                    let names = match is_other {
                        true => self
                            .first
                            .get(repeat.stack)
                            .map_or_else(String::new, |lines| as_lines(source, lines)),
                        false => String::new(),
                    };
                    (group, names)
                }
            };
            fold(source, repeat.lines, Reason::RepeatedTrace, group, &names, out);
        }
    }

    /// For each stack, the thread that first shows it, and the others that have it.
    fn lists(&self, source: &Source<'_>) -> Vec<String> {
        let mut numbers = vec![Vec::new(); self.first.len()];
        for repeat in &self.repeats {
            if let (Some((_, number)), Some(list)) =
                (owner(source, repeat.frames), numbers.get_mut(repeat.stack))
            {
                list.push(number);
            }
        }
        let list = |(frames, numbers): (&Range<usize>, &Vec<u64>)| {
            let (kind, number) = owner(source, frames.start).unwrap_or_default();
            format!("as {kind} {number}: {}", runs(numbers))
        };
        self.first.iter().zip(&numbers).map(list).collect()
    }
}

fn as_lines(source: &Source<'_>, lines: &Range<usize>) -> String {
    let (first, last) = source.numbers(lines);
    format!("as lines {first}-{last}")
}

/// The thread or goroutine whose frames start at this line, from the line above them.
fn owner<'a>(source: &Source<'a>, frames: usize) -> Option<(&'a str, u64)> {
    let line = source.line(frames.checked_sub(1)?);
    ["Thread ", "goroutine "].iter().find_map(|kind| {
        let rest = line.strip_prefix(kind)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let is_header = rest[digits..].starts_with(" (") || rest[digits..].starts_with(" [");
        let number = rest[..digits].parse().ok().filter(|_| is_header)?;
        Some((line[..kind.len()].trim_end(), number))
    })
}

/// `38-12, 10, 7`: numbers that follow each other, up or down, are joined.
fn runs(numbers: &[u64]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < numbers.len() {
        if out.len() > MAX_NAMES_BYTES {
            let _ = write!(out, " and {} more", numbers.len() - at);
            break;
        }
        let from = numbers[at];
        let is_run = |step: i64, i: usize| {
            i64::try_from(i - at).ok().and_then(|n| from.checked_add_signed(step * n))
                == numbers.get(i).copied()
        };
        let end = |step: i64| (at + 1..numbers.len()).take_while(|i| is_run(step, *i)).count();
        let more = end(1).max(end(-1));
        if !out.is_empty() {
            out.push_str(", ");
        }
        let _ = match more {
            0 => write!(out, "{from}"),
            _ => write!(out, "{from}-{}", numbers[at + more]),
        };
        at += more + 1;
    }
    out
}
