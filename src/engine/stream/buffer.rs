//! The text of one stream in bounded memory. Up to a limit all of it is kept. Beyond that: the start, the end, and failure
//! lines between them, with exact counts of the rest.
//!
//! What is kept depends only on the text, never on how it was split into pieces.

use std::collections::{HashSet, VecDeque};

use crate::pipeline::INPUT_LIMIT;
use crate::sanitize::terminal;
use crate::text::details::similarity_hash;
use crate::text::signals;

/// Limits of what is kept of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes up to which all is kept. Default 32 MiB.
    pub whole: usize,
    /// Bytes kept of the start of a longer stream. Default 256 KiB.
    pub head: usize,
    /// Bytes kept of failures and the lines around them. Default 256 KiB.
    pub middle: usize,
    /// Bytes kept of the end, plus at most one line. Default 512 KiB.
    pub tail: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { whole: INPUT_LIMIT, head: 256 << 10, middle: 256 << 10, tail: 512 << 10 }
    }
}

/// The kept part of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeptText {
    /// The whole text.
    Whole(String),
    /// Start, failures and end.
    Parts(Box<Parts>),
}

/// The kept parts of a stream that was too long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// The start.
    pub(super) head: String,
    /// Failures with the text around them, in order.
    pub(super) middle: String,
    /// The end.
    pub(super) tail: String,
    /// The lines that were dropped between start and end.
    pub(super) dropped: DroppedLines,
}

/// Counts of dropped text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DroppedLines {
    pub(super) lines: usize,
    pub(super) bytes: usize,
    /// Number of dropped lines that report a failure.
    pub(super) failures: usize,
}

/// Collects the text of one stream; see the module.
#[derive(Debug)]
pub(super) struct Buffer {
    limits: Limits,
    bytes: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Whole(Packed),
    Cut(Box<Cut>),
}

impl Buffer {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, bytes: 0, state: State::Whole(Packed::default()) }
    }

    /// Adds the next piece.
    pub(super) fn push(&mut self, text: &str) {
        self.bytes += text.len();
        if self.bytes > self.limits.whole {
            self.cut();
        }
        match &mut self.state {
            State::Whole(packed) => packed.push(text),
            State::Cut(cut) => cut.push(text),
        }
    }

    /// Keeps only start, failures and end from now on.
    pub(super) fn cut(&mut self) {
        if let State::Whole(packed) = &self.state {
            let mut cut = Box::new(Cut::new(self.limits));
            packed.for_each(|text| cut.push(text));
            self.state = State::Cut(cut);
        }
    }

    /// Bytes received.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Approximate bytes of memory.
    pub(super) fn held(&self) -> usize {
        match &self.state {
            State::Whole(packed) => packed.held,
            State::Cut(cut) => cut.head.len() + cut.left.kept.len() + cut.tail.len(),
        }
    }

    /// Whether the whole text is kept.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.state, State::Whole(_))
    }

    /// What is kept.
    pub(super) fn kept(&self) -> KeptText {
        match &self.state {
            State::Whole(packed) => {
                let mut all = String::with_capacity(self.bytes);
                packed.for_each(|text| all.push_str(text));
                KeptText::Whole(all)
            }
            State::Cut(cut) => KeptText::Parts(Box::new(cut.parts())),
        }
    }
}

/// Approximate unpacked bytes of a packed block.
const BLOCK_BYTES: usize = 1 << 20;

/// A text of which all but the end is packed. It stays in memory, because a file would hold secrets.
#[derive(Debug, Default)]
struct Packed {
    blocks: Vec<(Box<[u8]>, usize)>,
    open: String,
    held: usize,
}

impl Packed {
    fn push(&mut self, text: &str) {
        self.open.push_str(text);
        while self.open.len() >= BLOCK_BYTES {
            let end = self.open.floor_char_boundary(BLOCK_BYTES);
            let packed = lz4_flex::block::compress(&self.open.as_bytes()[..end]);
            self.blocks.push((packed.into_boxed_slice(), end));
            self.open.drain(..end);
        }
        self.open.shrink_to(2 * BLOCK_BYTES);
        self.held = self.blocks.iter().map(|(packed, _)| packed.len()).sum::<usize>() + self.open.len();
    }

    fn for_each(&self, mut see: impl FnMut(&str)) {
        for (packed, len) in &self.blocks {
            // We packed this block ourselves, from valid text.
            let block = lz4_flex::block::decompress(packed, *len).unwrap_or_default();
            see(&String::from_utf8_lossy(&block));
        }
        see(&self.open);
    }
}

/// A longer line is split.
const MAX_UNIT_BYTES: usize = 16 << 10;
/// Lines before and after a failure that are kept with it.
const LINES_BEFORE: usize = 3;
const LINES_AFTER: usize = 5;
/// Most bytes of lines before a failure.
const BEFORE_BYTES: usize = 8 << 10;
/// Most kinds of failures that are counted separately.
const MAX_KINDS: usize = 4096;

/// The first line of a text with its line end, or its first `MAX_UNIT_BYTES`.
fn unit(text: &str) -> &str {
    let end = memchr::memchr(b'\n', &text.as_bytes()[..text.len().min(MAX_UNIT_BYTES)]).map(|n| n + 1);
    &text[..end.unwrap_or_else(|| text.floor_char_boundary(MAX_UNIT_BYTES))]
}

/// The start and end of a text, and the kept lines between them.
#[derive(Debug, Clone)]
struct Cut {
    limits: Limits,
    head: String,
    is_head_full: bool,
    left: Middle,
    tail: String,
}

impl Cut {
    fn new(limits: Limits) -> Self {
        let left = Middle { room: limits.middle, limit: limits.middle, ..Middle::default() };
        Self { limits, head: String::new(), is_head_full: false, left, tail: String::new() }
    }

    fn push(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > 2 * self.limits.tail + self.limits.head {
            self.shift_tail_to_middle();
        }
    }

    /// Moves text that is no longer part of the end into the middle.
    fn shift_tail_to_middle(&mut self) {
        let mut at = 0;
        loop {
            let rest = &self.tail[at..];
            let next = unit(rest);
            if rest.len() < next.len() + self.limits.tail || next.is_empty() {
                break;
            }
            self.is_head_full |= self.head.len() + next.len() > self.limits.head;
            match self.is_head_full {
                false => self.head.push_str(next),
                true => self.left.push(next),
            }
            at += next.len();
        }
        self.tail.drain(..at);
    }

    fn parts(&self) -> Parts {
        let mut all = self.clone();
        all.shift_tail_to_middle();
        let Middle { kept: middle, mut gone, recent, .. } = all.left;
        // Lines right before the end become part of it, unless one could be the rest of a key.
        let mut tail: VecDeque<String> = recent;
        let mut end = all.tail.as_str();
        if gone.bytes > 0 || !tail.is_empty() {
            while tail.front().is_some_and(|line| is_key_material(line)) {
                gone.add(&tail.pop_front().unwrap_or_default());
            }
            while tail.is_empty() && is_key_material(unit(end)) {
                gone.add(unit(end));
                end = &end[unit(end).len()..];
            }
        }
        let mut tail: String = tail.into_iter().collect();
        tail.push_str(end);
        Parts { head: all.head, middle, tail, dropped: gone }
    }
}

impl DroppedLines {
    fn add(&mut self, unit: &str) {
        self.lines += usize::from(unit.ends_with('\n'));
        self.bytes += unit.len();
    }
}

/// Receives text that left the end: keeps failures with the lines around them, and counts the rest.
#[derive(Debug, Clone, Default)]
struct Middle {
    kept: String,
    gone: DroppedLines,
    /// The last lines; they are kept if a failure follows.
    recent: VecDeque<String>,
    /// Lines that still belong to the last failure.
    after: usize,
    room: usize,
    limit: usize,
    kinds: HashSet<u64>,
}

impl Middle {
    fn push(&mut self, unit: &str) {
        let is_failure = is_failure(unit);
        if is_failure && self.is_wanted(unit) {
            let mut recent = std::mem::take(&mut self.recent);
            while recent.iter().any(|line| is_key_material(line)) {
                self.gone.add(&recent.pop_front().unwrap_or_default());
            }
            // Half of the space is reserved for later failures; lines around failures may not use it.
            let room = self.room.saturating_sub(self.limit / 2);
            while !recent.is_empty() && recent.iter().map(String::len).sum::<usize>() + unit.len() > room {
                self.gone.add(&recent.pop_front().unwrap_or_default());
            }
            recent.iter().for_each(|line| self.keep(line));
            self.keep(unit);
            self.after = LINES_AFTER;
            return;
        }
        if self.after > 0 && unit.len() + self.limit / 2 <= self.room && !is_failure && !is_key_material(unit)
        {
            self.after -= 1;
            self.keep(unit);
            return;
        }
        self.after = 0;
        if is_failure {
            self.gone.failures += 1;
        }
        // A dropped failure keeps no lines before it.
        self.recent.push_back(unit.to_owned());
        let bytes = |recent: &VecDeque<String>| recent.iter().map(String::len).sum::<usize>();
        while self.recent.len() > LINES_BEFORE
            || is_failure && !self.recent.is_empty()
            || bytes(&self.recent) > BEFORE_BYTES
        {
            self.gone.add(&self.recent.pop_front().unwrap_or_default());
        }
    }

    /// Whether a failure is kept: any failure while half the space is free, later only new kinds.
    fn is_wanted(&mut self, unit: &str) -> bool {
        let is_new = self.kinds.len() < MAX_KINDS && self.kinds.insert(similarity_hash(unit));
        unit.len() <= self.room && (is_new || self.room > self.limit / 2)
    }

    fn keep(&mut self, unit: &str) {
        self.kept.push_str(unit);
        self.room -= unit.len();
    }
}

/// Whether a line reports a failure, read as a terminal would show it.
fn is_failure(unit: &str) -> bool {
    let line = unit.trim_end_matches(['\n', '\r']);
    match terminal::render(line) {
        Some(rendered) => rendered.text.lines().any(signals::is_failure),
        None => signals::is_failure(line),
    }
}

/// Whether a line could belong to a private key whose first line is gone.
fn is_key_material(unit: &str) -> bool {
    let line = unit.trim();
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || b"+/=".contains(&b);
    line.contains("PRIVATE KEY") && line.contains("-----") || line.len() >= 40 && line.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(whole: usize) -> Limits {
        Limits { whole, head: 300, middle: 400, tail: 500 }
    }

    fn kept(pieces: &[&str], whole: usize) -> KeptText {
        let mut buffer = Buffer::new(limits(whole));
        pieces.iter().for_each(|piece| buffer.push(piece));
        buffer.kept()
    }

    fn parts(text: &str) -> Parts {
        match kept(&[text], 1000) {
            KeptText::Parts(parts) => *parts,
            KeptText::Whole(text) => panic!("{} bytes are whole", text.len()),
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter_and_counts_are_exact(
            lines in prop::collection::vec("(line [0-9]{1,9}|error: [a-c]|é{0,40}|)\r?\n", 0..200),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            whole in prop_oneof![Just(1000_usize), Just(1_000_000)],
        ) {
            let text = lines.concat();
            let mut at: Vec<usize> = cuts.iter().map(|i| text.floor_char_boundary(i.index(text.len() + 1))).collect();
            at.extend([0, text.len()]);
            at.sort_unstable();
            let pieces: Vec<&str> = at.windows(2).map(|w| &text[w[0]..w[1]]).collect();
            let all = kept(&pieces, whole);
            prop_assert_eq!(&all, &kept(&[&text], whole));
            match all {
                KeptText::Whole(all) => prop_assert!(all == text && text.len() <= whole),
                KeptText::Parts(parts) => {
                    prop_assert!(text.len() > whole);
                    let Parts { head, middle, tail, dropped } = *parts;
                    prop_assert!(text.starts_with(&head) && text.ends_with(&tail));
                    prop_assert!(head.len() <= 300 && middle.len() <= 400 && tail.len() >= 500);
                    prop_assert_eq!(head.len() + middle.len() + tail.len() + dropped.bytes, text.len());
                    let count = |text: &str| text.matches('\n').count();
                    prop_assert_eq!(count(&head) + count(&middle) + count(&tail) + dropped.lines, count(&text));
                    let failures = |text: &str| text.matches("error: ").count();
                    prop_assert_eq!(
                        failures(&head) + failures(&middle) + failures(&tail) + dropped.failures, failures(&text));
                    for kind in ["error: a", "error: b", "error: c"] {
                        let shown = [&head, &middle, &tail].iter().any(|part| part.contains(kind));
                        prop_assert_eq!(shown, text.contains(kind), "{}", kind);
                    }
                }
            }
        }
    }

    #[test]
    fn failures_in_the_middle_stay_with_what_stands_around_them() {
        let line = |i: usize| match i {
            500 => "\u{1b}[31merror\u{1b}[0m: the disk is full\n".to_owned(),
            _ => format!("line {i} is fine\n"),
        };
        let text: String = (0..1000).map(line).collect();
        let parts = parts(&text);
        let lines: Vec<&str> = parts.middle.lines().collect();
        assert_eq!(lines.len(), LINES_BEFORE + 1 + LINES_AFTER);
        assert_eq!((lines[0], lines[8]), ("line 497 is fine", "line 505 is fine"));
        assert_eq!(parts.dropped.failures, 0);
    }

    #[test]
    fn one_endless_line_stays_bounded() {
        let mut buffer =
            Buffer::new(Limits { whole: 1 << 20, head: 20 << 10, middle: 10 << 10, tail: 30 << 10 });
        for _ in 0..4000 {
            buffer.push(&"é".repeat(1000));
            assert!(buffer.held() < 3 << 20);
        }
        let KeptText::Parts(parts) = buffer.kept() else { panic!("all is kept") };
        let kept = parts.head.len() + parts.middle.len() + parts.tail.len();
        assert!(kept < 70 << 10 && parts.dropped.lines == 0);
        assert_eq!(kept + parts.dropped.bytes, 8_000_000);
    }

    #[test]
    fn the_rest_of_a_key_whose_start_is_gone_is_not_kept() {
        let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDc\n";
        let before = "all fine here\n".repeat(100);
        let body = key.repeat(40);
        let end = "-----END PRIVATE KEY-----\nall fine there\n";
        let text = format!("{before}-----BEGIN PRIVATE KEY-----\n{body}{end}");
        let cut = parts(&format!("{text}{}", "x\n".repeat(60)));
        assert!(!cut.tail.contains("MIIE") && cut.tail.contains("all fine there"), "{}", cut.tail);
        let failing = parts(&format!("{text}error: bad key\n{}", "line is fine\n".repeat(300)));
        assert!(failing.middle.contains("bad key") && !failing.middle.contains("MIIE"), "{}", failing.middle);
    }
}
