//! What the lines of a gap name: identifiers and paths that nothing else in the text shows, each at the
//! line where it first stands. A reader who looks for one then knows which lines to ask for.

use std::fmt::Write as _;
use std::ops::Range;

use crate::text::ledger::Ledger;
use crate::text::maps::Set;
use crate::text::source::Source;

/// What stands for the start of a path that is written out above.
pub const SHORT: &str = ".../";

/// Shortest name that says something, in bytes.
const MIN_NAME_BYTES: usize = 6;
/// Longest one.
const MAX_NAME_BYTES: usize = 80;
/// Names that every program of a language uses.
const COMMON: &[&str] = &[
    "fmt.",
    "strings.",
    "errors.",
    "context.",
    "filepath.",
    "os.",
    "sys.",
    "re.",
    "json.",
    "math.",
    "np.",
    "pd.",
    "plt.",
    "torch.",
    "logging.",
    "console.",
    "Math.",
    "Object.",
    "Array.",
    "JSON.",
    "Promise.",
    "String.",
    "std::",
    "self.assert",
    "isinstance",
    "System.out",
    "java.util",
    "process.",
    "time.",
];

/// See the module.
#[derive(Debug)]
pub struct Names<'a> {
    source: &'a Source<'a>,
    shown: Set<&'a str>,
}

impl<'a> Names<'a> {
    /// `gaps` are all lines that will be left out, in order.
    pub fn new(source: &'a Source<'a>, ledger: &Ledger, gaps: &[Range<usize>]) -> Self {
        let mut shown = Set::default();
        let view = source.view();
        let mut next = gaps.iter().peekable();
        for i in ledger.kept().flatten() {
            while next.next_if(|gap| gap.end <= i).is_some() {}
            if next.peek().is_none_or(|gap| i < gap.start) {
                each(view.text(source.raw(i), i), |name, kinds| {
                    // The others are never asked for.
                    if says_something(name, kinds) {
                        shown.insert(name);
                    }
                });
            }
        }
        Self { source, shown }
    }

    /// The names of a gap that were not shown or listed before, with the numbers of their lines. `whole`
    /// are the lines that the marker speaks of: it and the names number lines in the same way.
    pub fn of(&mut self, gap: Range<usize>, whole: &Range<usize>) -> String {
        let source = self.source;
        let view = source.view();
        let first = source.numbers(whole).0;
        let mut out = String::new();
        for i in gap {
            let mut is_first = true;
            each(view.text(source.raw(i), i), |name, kinds| {
                if says_something(name, kinds) && self.shown.insert(name) {
                    if is_first {
                        let space = if out.is_empty() { "" } else { " " };
                        // Writing into a String cannot fail.
                        let _ = write!(out, "{space}{}", first + (i - whole.start));
                        is_first = false;
                    }
                    out.push(' ');
                    out.push_str(name);
                }
            });
        }
        out
    }
}

/// Whether a name has several parts, so that it is not a word of the language, and is not one that every program uses.
/// `kinds` are those of its bytes.
fn says_something(name: &str, kinds: u8) -> bool {
    if kinds & (UPPER | DIGIT | JOINT) == 0 || !(MIN_NAME_BYTES..=MAX_NAME_BYTES).contains(&name.len()) {
        return false;
    }
    let bytes = name.as_bytes();
    let is = |b: u8, kind: u8| NAME[usize::from(b)] & kind != 0;
    let is_joined = || kinds & JOINT != 0 && bytes[1..bytes.len() - 1].iter().any(|b| is(*b, JOINT));
    let is_numbered = kinds & DIGIT != 0 && kinds & (LOWER | UPPER) != 0;
    let is_hump = |two: &[u8]| is(two[0], LOWER) && is(two[1], UPPER);
    let has_hump = || kinds & UPPER != 0 && kinds & LOWER != 0 && bytes.windows(2).any(is_hump);
    (is_numbered || is_joined() || has_hump()) && !is_common(name)
}

/// Whether a name starts as names that every program uses do.
fn is_common(name: &str) -> bool {
    let first = name.as_bytes().first();
    COMMON.iter().any(|common| common.as_bytes().first() == first && name.starts_with(common))
}

/// Whether a byte starts a name, and whether it may stand further on.
const STARTS: u8 = 1;
const GOES_ON: u8 = 1 << 1;
/// What a byte is in a name.
const LOWER: u8 = 1 << 2;
const UPPER: u8 = 1 << 3;
const DIGIT: u8 = 1 << 4;
/// `_`, `.`, `:`, `/`
const JOINT: u8 = 1 << 5;

static NAME: [u8; 256] = {
    let mut name = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        name[byte] = match byte as u8 {
            b'a'..=b'z' => STARTS | GOES_ON | LOWER,
            b'A'..=b'Z' => STARTS | GOES_ON | UPPER,
            b'_' => STARTS | GOES_ON | JOINT,
            b'$' => STARTS | GOES_ON,
            b'0'..=b'9' => GOES_ON | DIGIT,
            b'.' | b':' | b'/' => JOINT,
            _ => 0,
        };
        byte += 1;
    }
    name
};

/// Calls `found` with every identifier, with what it is a member of, and with every path, and with the kinds of
/// the bytes of each.
fn each<'a>(line: &'a str, mut found: impl FnMut(&'a str, u8)) {
    let bytes = line.as_bytes();
    let starts = |b: u8| NAME[usize::from(b)] & STARTS != 0;
    let goes_on = |b: u8| NAME[usize::from(b)] & GOES_ON != 0;
    let at_or_blank = |i: usize| bytes.get(i).copied().unwrap_or(b' ');
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        if !starts(b) {
            let is_path = match b {
                b'/' => {
                    let before = at.checked_sub(1).map_or(b' ', |i| bytes[i]);
                    starts(at_or_blank(at + 1)) && !goes_on(before)
                }
                b'.' => at_or_blank(at + 1) == b'/',
                _ => false,
            };
            if !is_path {
                at += 1;
                continue;
            }
        }
        let start = at;
        at += 1;
        let mut kinds = NAME[usize::from(b)];
        loop {
            while let Some(&b) = bytes.get(at)
                && goes_on(b)
            {
                kinds |= NAME[usize::from(b)];
                at += 1;
            }
            let Some(&b) = bytes.get(at) else { break };
            let next = at_or_blank(at + 1);
            match b {
                b'.' | b'/' | b'-' | b'@'
                    if goes_on(next) && (b != b'-' || line[start..at].contains('/')) =>
                {
                    kinds |= NAME[usize::from(b)];
                    at += 1;
                }
                b':' if next == b':' && bytes.get(at + 2).is_some_and(|b| starts(*b)) => {
                    kinds |= JOINT;
                    at += 2;
                }
                _ => break,
            }
        }
        found(&line[start..at], kinds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, gaps: &[Range<usize>]) -> Vec<String> {
        let source = Source::new(text);
        let ledger = Ledger::new(&source);
        let mut names = Names::new(&source, &ledger, gaps);
        gaps.iter().map(|gap| names.of(gap.clone(), gap)).collect()
    }

    #[test]
    fn names_stand_at_their_first_line_and_once() {
        let text = "def load_all(path):\n    rows = self.read_rows(path)\n    load_all(rows)\n    x = 1\n    \
                    return self.read_rows(open('data/in.csv')) + utils::parseLine(x)\n";
        let one = 1..5;
        assert_eq!(
            names(text, std::slice::from_ref(&one)),
            ["2 self.read_rows 5 data/in.csv utils::parseLine"]
        );
        assert_eq!(names(text, &[1..3, 3..5]), ["2 self.read_rows", "5 data/in.csv utils::parseLine"]);
    }

    #[test]
    fn names_are_numbered_as_their_marker_is() {
        let text = "make: started\n7\tlet a = parse_line(b);\n8\tlet c = read_rows(d);\nmake: done\n";
        assert_eq!(names(text, &[1..2, 2..3]), ["7 parse_line", "8 read_rows"]);
        // Not all of these lines carry a number, so that the marker counts lines of the text.
        assert_eq!(names(text, &[0..2, 2..4]), ["2 parse_line", "3 read_rows"]);
    }
}
