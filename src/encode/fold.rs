//! Lines and blocks of lines that repeat directly one after another are shown once, with a count.
//!
//! Only verbatim repetition counts; white space at line ends is ignored where an earlier step removed it.

use std::ops::Range;

use super::Encoder;
use crate::detect::Shape;
use crate::input::Input;
use crate::text::ledger::{Action, Ledger, MARKER_COST, Reduction, Span};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Longest repeated block that is searched for, in lines. A choice; bounds the work.
const MAX_PERIOD: usize = 24;

/// The encoder of this module.
pub struct RepeatedLines;

impl Encoder for RepeatedLines {
    fn id(&self) -> &'static str {
        "repeated_lines"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        // In a file or a diff a repetition is content, and readers count its lines.
        if matches!(input.detection.shape, Shape::File | Shape::Diff) {
            return Err(Reason::NothingToDo);
        }
        let source = input.source;
        let mut out = Reduction::default();
        for kept in ledger.kept() {
            let lines: Vec<&str> = kept.clone().map(|i| source.line(i)).collect();
            for (range, period) in repeats(&lines) {
                out.push(kept.start + range.start..kept.start + range.end, Action::Repeat { period });
            }
        }
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

/// The repetitions that save more than their marker costs, in order: their lines and the period.
fn repeats(lines: &[&str]) -> Vec<(Range<usize>, usize)> {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let hashes: Vec<u64> = lines.iter().map(|line| hash(line.as_bytes())).collect();
    let same = |a: usize, b: usize| {
        crate::stop::check_sometimes();
        lines[a] == lines[b]
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < hashes.len() {
        crate::stop::check_sometimes();
        if let Some((period, count)) = longest_repeat(&hashes, at, &same) {
            let hidden = &lines[at + period..at + count];
            if hidden.iter().map(|line| line.len() + 1).sum::<usize>() > MARKER_COST {
                found.push((at..at + count, period));
                at += count;
                continue;
            }
        }
        at += 1;
    }
    found
}

/// Removes replacements that would make lines equal to their neighbours: this encoder does not look at
/// replaced lines, but in a second run over the output it would fold them. A text with a marker is never run
/// a second time.
pub fn spare_repeats(source: &Source<'_>, ledger: &Ledger, step: &mut Reduction) {
    if step.spans.is_empty() {
        return;
    }
    let mut shown: Vec<&str> = Vec::new();
    let mut owners: Vec<Option<usize>> = Vec::new();
    let mut next = 0;
    for span in ledger.spans() {
        match &span.action {
            Action::Omit { .. } | Action::Repeat { .. } | Action::Refer { .. } => return,
            Action::Replace { text, .. } => shown.extend(text.split('\n')),
            Action::Keep => {
                let mut line = span.lines.start;
                while line < span.lines.end {
                    match step.spans.get(next) {
                        Some(Span { lines, action: Action::Replace { text, .. } }) if lines.start == line => {
                            shown.extend(text.split('\n'));
                            owners.resize(shown.len(), Some(next));
                            line = lines.end;
                            next += 1;
                        }
                        _ => {
                            shown.push(source.line(line));
                            line += 1;
                            owners.push(None);
                        }
                    }
                }
            }
        }
        owners.resize(shown.len(), None);
    }
    if shown.len() < 2 {
        return;
    }
    let mut spared = vec![false; step.spans.len()];
    for (range, _) in repeats(&shown) {
        owners[range].iter().flatten().for_each(|&owner| spared[owner] = true);
    }
    let mut spared = spared.into_iter();
    step.spans.retain(|_| !spared.next().unwrap_or(false));
}

/// The repetition at `at` that covers most lines: its period and all its lines. The shortest period
/// wins among equals.
fn longest_repeat(hashes: &[u64], at: usize, same: &impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    let longest = MAX_PERIOD.min((hashes.len() - at) / 2);
    // Most lines have no equal nearby, which one search shows.
    if !hashes[at + 1..=at + longest].contains(&hashes[at]) {
        return None;
    }
    let mut best: Option<(usize, usize)> = None;
    for period in 1..=longest {
        // A repetition is at least as long as its period. Lines are compared only if their hashes agree.
        let agree = |i: usize| hashes[i] == hashes[i + period];
        if !agree(at) || !agree(at + period - 1) || !(at..at + period).all(agree) {
            continue;
        }
        let run = (at..hashes.len() - period).take_while(|&i| agree(i) && same(i, i + period)).count();
        let lines = period + run / period * period;
        if run >= period && best.is_none_or(|(_, most)| lines > most) {
            best = Some((period, lines));
            // A longer period can only cover the same run and an incomplete rest of its own.
            if run > MAX_PERIOD * 2 {
                break;
            }
        }
    }
    best
}

/// Multiply and fold, eight bytes at a time: the same everywhere. Equal hashes are checked against the
/// lines, so that a collision costs time only.
fn hash(bytes: &[u8]) -> u64 {
    crate::stop::check_sometimes();
    // An odd constant with about half its bits set: the fraction of √2.
    const K: u64 = 0x6a09_e667_f3bc_c909;
    let mix = |state: u64, word: u64| {
        let wide = u128::from(state ^ word) * u128::from(K);
        (wide >> 64) as u64 ^ wide as u64
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |state, word| mix(state, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state, u64::from_le_bytes(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_longest_repeat() {
        let find = |text: &str| {
            let lines: Vec<u64> = text.bytes().map(u64::from).collect();
            longest_repeat(&lines, 0, &|a, b| lines[a] == lines[b])
        };
        assert_eq!(find("aaaab"), Some((1, 4)));
        assert_eq!(find("abababx"), Some((2, 6)));
        assert_eq!(find("ababa"), Some((2, 4)));
        assert_eq!(find("abc"), None);
        assert_eq!(find("aabaabaab"), Some((3, 9)));
    }
}
