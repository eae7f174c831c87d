//! Splits a text into small pieces, from which phrases are made. Text that an agent may cite (a name, a path, a
//! number) is one piece, so that no phrase splits it. A line that must not change is one piece that equals no other.

use std::collections::HashMap;

use crate::text::marker;
use crate::text::signals;

/// The pieces of a text.
pub struct Atoms<'a> {
    /// The text.
    pub text: &'a str,
    /// For each piece, a number that is the same for equal pieces. A line that must not change is one piece that
    /// equals no other.
    pub ids: Vec<u32>,
    /// Where the pieces start, and the end of the last.
    pub starts: Vec<u32>,
    /// For each piece, and for the end, the number of line ends before it.
    pub newlines: Vec<u32>,
    /// The number of different pieces.
    pub kinds: usize,
}

impl<'a> Atoms<'a> {
    /// Splits a text. Every line end is a piece that equals no other, so that no phrase crosses one: each line can be
    /// read by itself.
    pub fn read(text: &'a str) -> Self {
        let mut out = Self { text, ids: Vec::new(), starts: Vec::new(), newlines: Vec::new(), kinds: 0 };
        let mut known: HashMap<&str, u32, foldhash::fast::FixedState> = HashMap::default();
        let mut at = 0;
        let mut lines = 0;
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        for (line, is_fixed) in all.iter().zip(fixed(&all)) {
            let end = at + line.len();
            while at < end {
                let rest = &text[at..end];
                let length = if is_fixed { rest.len() } else { length(rest) };
                let piece = &rest[..length];
                let alone = is_fixed || piece == "\n";
                let next = out.kinds as u32;
                let id = if alone { next } else { *known.entry(piece).or_insert(next) };
                out.kinds += usize::from(id == next);
                out.ids.push(id);
                out.starts.push(at as u32);
                out.newlines.push(lines);
                lines += u32::from(piece.ends_with('\n'));
                at += length;
            }
        }
        out.starts.push(at as u32);
        out.newlines.push(lines);
        out
    }

    /// Bytes of a run of pieces.
    pub fn bytes(&self, start: usize, count: usize) -> usize {
        (self.starts[start + count] - self.starts[start]) as usize
    }

    /// The text of a run of pieces.
    pub fn slice(&self, start: usize, count: usize) -> &'a str {
        &self.text[self.starts[start] as usize..self.starts[start + count] as usize]
    }

    /// The line of a piece, from 0.
    pub fn line(&self, piece: usize) -> usize {
        self.newlines[piece] as usize
    }

    /// Whether a run of pieces is its whole line.
    pub fn is_whole_line(&self, start: usize, count: usize) -> bool {
        let begins = start == 0 || self.newlines[start - 1] < self.newlines[start];
        let next = start + count;
        begins && (next >= self.ids.len() || self.newlines[next] < self.newlines[next + 1])
    }
}

/// Lines before and after a failure line that may belong to it: the place, the excerpt, the values.
const LINES_BEFORE: usize = 2;
const LINES_AFTER: usize = 6;

/// The most lines between two markers that were kept because they stand out.
const LINES_ALONE: usize = 2;

/// Which lines stay as they are: those that hold a marker, those that stand alone between two markers, those that
/// report a failure, and the lines around a failure, up to a blank line.
fn fixed(lines: &[&str]) -> Vec<bool> {
    let mut out: Vec<bool> = lines.iter().map(|line| marker::may_hold(line)).collect();
    let markers: Vec<usize> = (0..lines.len()).filter(|i| out[*i]).collect();
    for pair in markers.windows(2).filter(|pair| pair[1] - pair[0] <= LINES_ALONE + 1) {
        out[pair[0]..pair[1]].fill(true);
    }
    let is_blank = |i: &usize| lines[*i].trim().is_empty();
    for (i, _) in lines.iter().enumerate().filter(|(_, line)| is_failure(line)) {
        let before = (i.saturating_sub(LINES_BEFORE)..i).rev().take_while(|i| !is_blank(i));
        let behind = (i + 1..lines.len().min(i + 1 + LINES_AFTER)).take_while(|i| !is_blank(i));
        before.chain(i..=i).chain(behind).for_each(|i| out[i] = true);
    }
    out
}

/// Longer lines, in bytes, may report more than one thing, such as a document on one line.
const LONG_LINE_BYTES: usize = 300;

/// Whether a line reports a failure.
fn is_failure(line: &str) -> bool {
    match line.len() > LONG_LINE_BYTES {
        true => signals::first_failure(line).is_some(),
        false => signals::is_failure(line.trim_end_matches(['\n', '\r'])),
    }
}

/// Bytes of the piece that a text starts with.
fn length(text: &str) -> usize {
    let run = |fits: fn(char) -> bool| text.find(|c| !fits(c)).unwrap_or(text.len());
    match text.chars().next() {
        Some(c) if is_cited(c) => run(is_cited),
        Some(' ' | '\t') => run(|c| matches!(c, ' ' | '\t')),
        Some(c) => c.len_utf8(),
        None => 0,
    }
}

/// Whether a character can be part of a name, path, number or the like.
fn is_cited(c: char) -> bool {
    c.is_alphanumeric() || "_./:\\-@+~$#%".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let atoms = Atoms::read(text);
        (0..atoms.ids.len()).map(|i| atoms.slice(i, 1)).collect()
    }

    #[test]
    fn what_is_cited_is_one_piece() {
        assert_eq!(
            pieces("see src/a.rs:12,  `x::y` ü1\n"),
            ["see", " ", "src/a.rs:12", ",", "  ", "`", "x::y", "`", " ", "ü1", "\n"]
        );
    }

    #[test]
    fn a_line_alone_between_markers_is_one_piece() {
        let gap = "[tersed: omitted 2 lines 1-2, progress]\n";
        assert_eq!(pieces(&format!("{gap}a b\n{gap}")), [gap, "a b\n", gap]);
        assert_eq!(pieces(&format!("{gap}a b\n")), [gap, "a", " ", "b", "\n"]);
    }

    #[test]
    fn failures_and_markers_are_one_piece_that_equals_none() {
        let text = "error: a b\n ^\n\nerror: a b\n\n[tersed: omitted 2 lines 1-2, progress]\nb\nb\n";
        let atoms = Atoms::read(text);
        let texts: Vec<&str> = (0..atoms.ids.len()).map(|i| atoms.slice(i, 1)).collect();
        let marker = "[tersed: omitted 2 lines 1-2, progress]\n";
        assert_eq!(texts, ["error: a b\n", " ^\n", "\n", "error: a b\n", "\n", marker, "b", "\n", "b", "\n"]);
        assert_ne!(atoms.ids[0], atoms.ids[3]);
        assert_eq!(atoms.ids[6], atoms.ids[8]);
        assert_ne!(atoms.ids[7], atoms.ids[9], "line ends");
        assert_eq!((atoms.line(0), atoms.line(6), atoms.line(8)), (0, 6, 7));
        assert!(atoms.is_whole_line(6, 1) && atoms.is_whole_line(8, 1) && !atoms.is_whole_line(6, 2));
        let atoms = Atoms::read("a b\nc");
        assert!(atoms.is_whole_line(0, 3) && !atoms.is_whole_line(0, 2) && !atoms.is_whole_line(1, 2));
        assert!(atoms.is_whole_line(4, 1));
    }
}
