//! A word or line that is written over several lines: full lines, continuations, concatenated strings.
//!
//! It removes the separators between the pieces. Pieces that do not belong together form no secret.

use super::near::Near;
use super::view::{View, blanks, find, line_end, line_start, table};
use crate::stop;
use std::ops::Range;

/// Longest separator between two pieces, in bytes.
const MAX_GAP_BYTES: usize = 96;
/// Shortest full line, in columns.
const MIN_FULL_COLUMNS: usize = 40;
/// Bytes of a line that are examined for its length.
const LINE_LOOK_BYTES: usize = 512;

/// Bytes that may start a separator.
const TRIGGERS: [bool; 256] = {
    let mut set = [false; 256];
    set[b'\n' as usize] = true;
    set[b'"' as usize] = true;
    set[b'\'' as usize] = true;
    set
};

/// The lines near a keyword with their pieces joined; `None` if nothing is split.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    let (mut view, mut copied, mut at, mut any) = (View::default(), 0, 0, false);
    for stretch in near.stretches() {
        at = at.max(stretch.start);
        // A continued line may continue again.
        let mut end = stretch.end;
        while let Some(next) = find(&text[..end], at, &TRIGGERS) {
            at = next;
            stop::tick();
            let gap = match text[at] {
                b'\n' => line_gap(text, at),
                _ => string_gap(text, at),
            };
            match gap.filter(|gap| gap.start >= copied && gap.end > at) {
                Some(gap) => {
                    view.copy_near(text, copied..gap.start);
                    (at, copied, any) = (gap.end, gap.end, true);
                    end = end.max(text.len().min(at + LINE_LOOK_BYTES));
                }
                None => at += 1,
            }
        }
    }
    any.then(|| {
        view.copy_behind(text, copied);
        view
    })
}

/// The separator between two pieces at a line feed.
fn line_gap(text: &[u8], at: usize) -> Option<Range<usize>> {
    let before = at - usize::from(at > 0 && text[at - 1] == b'\r');
    let next = blanks(text, at + 1, MAX_GAP_BYTES);
    let last = *text.get(before.checked_sub(1)?)?;
    let first = *text.get(next)?;
    // A continued shell line.
    if matches!(last, b'\\' | b'`') && before >= 2 && text[before - 2] != last {
        return Some(before - 1..next);
    }
    if let Some(start) = block_scalar(text, before) {
        return Some(start..next);
    }
    // `"""` and `@"` before the first line of a text.
    if text[..before].ends_with(b"\"\"\"")
        || text[..before].ends_with(b"@\"")
        || text[..before].ends_with(b"@'")
    {
        return Some(before..next);
    }
    // The cheapest test first.
    (is_inside(last) && is_inside(first) && !is_setting(text, next)).then_some(())?;
    let is_wrapped = || goes_on(text, next) && is_full(text, before, at + 1);
    (is_broken(text, before, next) || is_wrapped()).then_some(before..next)
}

/// Whether the start of a line may continue a full line: a piece of a token, or one with nothing after it. An ordinary word
/// may not.
fn goes_on(text: &[u8], start: usize) -> bool {
    let word = ahead(text, start);
    let ends = text.get(word.end).is_none_or(|b| !matches!(b, b' ' | b'\t' | b':'));
    ends || is_mixed(&text[word])
}

/// Whether a line begins with a name and an assignment.
fn is_setting(text: &[u8], start: usize) -> bool {
    let word = ahead(text, start);
    let behind = blanks(text, word.end, 8);
    text.get(behind).is_some_and(|b| b"=:({[,;".contains(b)) || text[word].contains(&b'=')
}

/// Whether the last word of a line and the first of the next may be one word: both look random, and neither is a name.
fn is_broken(text: &[u8], end: usize, next: usize) -> bool {
    let long = |word: &[u8]| word.len() >= 8 && is_mixed(word);
    let behind = &text[ahead(text, next)];
    long(behind) && {
        let before = &text[back(text, end)];
        long(before) && before.get(..3) != behind.get(..3)
    }
}

/// Longest word that is examined, in bytes.
const MAX_WORD_BYTES: usize = 64;

fn back(text: &[u8], end: usize) -> Range<usize> {
    let len =
        text[..end].iter().rev().take(MAX_WORD_BYTES).take_while(|b| is_inside(**b) && **b != b'=').count();
    end - len..end
}

pub(super) fn ahead(text: &[u8], start: usize) -> Range<usize> {
    start..start + text[start..].iter().take(MAX_WORD_BYTES).take_while(|b| is_inside(**b)).count()
}

/// Digits among letters, or mixed case: not an ordinary word.
pub(super) fn is_mixed(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
        || has(u8::is_ascii_lowercase) && word.iter().skip(1).any(u8::is_ascii_uppercase)
}

/// `key: >-` and `key: |`: the position of the sign.
fn block_scalar(text: &[u8], end: usize) -> Option<usize> {
    let near = &text[end.saturating_sub(4)..end];
    let sign = near.iter().rposition(|b| matches!(b, b'>' | b'|'))?;
    let modifiers = near[sign + 1..].iter().all(|b| b"+-123456789".contains(b));
    (modifiers && near[..sign].ends_with(b": ")).then(|| end - near.len() + sign)
}

/// Bytes that occur inside values.
const INSIDE: [bool; 256] = table(b"+/=_-.~%!@#$^&*");

pub(super) fn is_inside(byte: u8) -> bool {
    INSIDE[byte as usize]
}

/// Whether the line that ends at `end` is as long as a full line here.
fn is_full(text: &[u8], end: usize, next: usize) -> bool {
    const WIDTHS: &[usize] =
        &[60, 64, 70, 72, 76, 78, 79, 80, 90, 100, 110, 120, 130, 132, 140, 150, 160, 180, 200];
    let width = |from: usize, to: usize| text[from..to].iter().filter(|b| **b & 0xc0 != 0x80).count();
    let start = line_start(text, end, LINE_LOOK_BYTES);
    if end - start < MIN_FULL_COLUMNS {
        return false;
    }
    let len = width(start, end);
    let next_end = line_end(&text[..text.len().min(next + LINE_LOOK_BYTES)], next);
    let next_len = width(next, next_end);
    let same_before = start > 0 && {
        let from = start - 1;
        width(line_start(text, from, LINE_LOOK_BYTES), from) == len
    };
    next_len <= len && (WIDTHS.contains(&len) || next_len == len || same_before)
}

/// The separator between two concatenated strings: from the closing quote to the opening one.
fn string_gap(text: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &text[at..text.len().min(at + MAX_GAP_BYTES)];
    let quote = rest[0];
    let inside = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_graphic() || *b == b' ');
    // Most quotes are followed by a word.
    rest.get(1).filter(|b| b" \t\r\n\\+.&~|".contains(b))?;
    (at > 0 && inside(text.get(at - 1))).then_some(())?;
    let (mut n, mut signs, mut lines) = (1, 0, 0);
    while let Some(b) = rest.get(n) {
        match b {
            b' ' | b'\t' | b'\r' => {}
            b'\n' => lines += 1,
            b'\\' if matches!(rest.get(n + 1), Some(b'\n' | b'\r')) => {}
            b'+' | b'.' | b'&' | b'~' | b'|' if signs < 2 => signs += 1,
            _ => break,
        }
        n += 1;
    }
    // Prefix letters of strings in Python and other languages.
    let letter = usize::from(matches!(rest.get(n), Some(b'f' | b'r' | b'b' | b'u' | b'L' | b'@' | b'$')));
    let open = rest.get(n + letter) == Some(&quote);
    (open && n > 1 && (signs > 0 || (1..=2).contains(&lines))).then(|| at..at + n + letter + 1)
}
