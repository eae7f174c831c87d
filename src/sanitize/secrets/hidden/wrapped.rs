//! A word or line that is written over several lines: full lines, continuations, concatenated strings.
//!
//! It removes the separators between the pieces. Pieces that do not belong together form no secret.

use super::near::Near;
use super::view::{View, blanks, find, line_end, line_start, table};
use crate::sanitize::secrets::judge::{Doubt, is_random, is_uuid, oddity};
use crate::sanitize::secrets::scan::Claim;
use crate::sanitize::secrets::table::{Form, Table};
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

/// A text whose pieces are joined.
pub(super) struct Joined {
    pub(super) view: View,
    /// The line ends that nothing marks as continued.
    guessed: Vec<Gap>,
}

/// A line end between two pieces that were joined because of how they look.
struct Gap {
    range: Range<usize>,
    /// Whether the line before it is as long as a full line.
    is_full: bool,
}

/// The lines near a keyword with their pieces joined; `None` if nothing is split.
pub(super) fn view(text: &[u8], near: &Near) -> Option<Joined> {
    let (mut view, mut copied, mut at, mut any) = (View::default(), 0, 0, false);
    let mut guessed = Vec::new();
    for stretch in near.stretches() {
        at = at.max(stretch.start);
        // A continued line may continue again.
        let mut end = stretch.end;
        while let Some(next) = find(&text[..end], at, &TRIGGERS) {
            at = next;
            stop::tick();
            let gap = match text[at] {
                b'\n' => line_gap(text, at, &mut guessed),
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
        Joined { view, guessed }
    })
}

impl Joined {
    /// Takes lines that are no part of a value out of the claims of the joined text. `plain` holds the claims of the text
    /// as it is.
    pub(super) fn trim(&self, table: &Table, text: &[u8], plain: &[Claim], claims: &mut Vec<Claim>) {
        if self.guessed.is_empty() {
            return;
        }
        let mut ends: Vec<(usize, u16)> = plain.iter().map(|claim| (claim.end, claim.rule)).collect();
        ends.sort_unstable();
        claims.retain_mut(|claim| {
            stop::tick();
            let first = self.guessed.partition_point(|gap| gap.range.start <= claim.start);
            let crossed = &self.guessed[first..];
            let len = crossed.partition_point(|gap| gap.range.end < claim.end);
            match last_piece(table, text, &ends, &crossed[..len], claim) {
                Some(end) => claim.end = end,
                None => return false,
            }
            true
        });
    }
}

/// Where the last piece of a claimed value ends; `None` if it has only one piece, which needs no joining.
fn last_piece(
    table: &Table,
    text: &[u8],
    plain: &[(usize, u16)],
    crossed: &[Gap],
    claim: &Claim,
) -> Option<usize> {
    let form = |rule: u16| &table.rules[usize::from(rule)].form;
    let removed: usize = crossed.iter().map(|gap| gap.range.len()).sum();
    let total = claim.end - claim.start - removed;
    for (n, gap) in crossed.iter().enumerate() {
        let from = plain.partition_point(|(end, _)| *end < gap.range.start);
        let mut whole = plain[from..].iter().take_while(|(end, _)| *end == gap.range.start).peekable();
        let is_claimed = whole.peek().is_some();
        let behind = crossed.get(n + 1).map_or(claim.end, |next| next.range.start);
        let piece = &text[gap.range.end..behind.max(gap.range.end)];
        let is_key = matches!(form(claim.rule), Form::PrivateKey);
        let is_line = piece.len() > MIN_DOTTED_PIECE_BYTES
            && !is_path(piece)
            && !piece.iter().all(u8::is_ascii_hexdigit);
        let goes_on = if is_key && (piece.ends_with(b"=") || is_line) {
            true
        } else if whole.any(|(_, rule)| form(*rule).has_one_length()) {
            false
        } else if !is_claimed && form(claim.rule).has_one_length() {
            // Only with this piece it is as long as it must be.
            true
        } else if !is_claimed && matches!(form(claim.rule), Form::Token { .. }) && is_mixed(piece) {
            // Without it the token is too short.
            true
        } else if is_claimed && !gap.is_full {
            matches!(form(claim.rule), Form::Token { .. })
                && piece.len() >= MIN_LONG_PIECE_BYTES
                && is_piece(piece, gap, total, n)
        } else {
            is_piece(piece, gap, total, n)
        };
        if !goes_on {
            return (n > 0).then_some(gap.range.start);
        }
    }
    Some(claim.end)
}

/// The shortest piece of a value that would be complete without it, behind a line that is not full.
const MIN_LONG_PIECE_BYTES: usize = 16;
/// The shortest piece that shows by itself that it is one.
const MIN_PIECE_BYTES: usize = 10;
/// Pieces with dots and slashes are paths, unless they are this long.
const MIN_DOTTED_PIECE_BYTES: usize = 24;

/// Whether a line is a piece of a value of `total` bytes: it looks random, and is neither a name nor a digest nor a path. `n`
/// pieces before it were.
fn is_piece(piece: &[u8], gap: &Gap, total: usize, n: usize) -> bool {
    /// Lengths of keys in hexadecimal digits.
    const DIGITS: &[usize] = &[32, 40, 48, 64, 96, 128];
    if piece.iter().all(u8::is_ascii_hexdigit) {
        return DIGITS.contains(&total) && !DIGITS.contains(&(total - piece.len())) && gap.is_full;
    }
    if is_uuid(piece) || is_path(piece) {
        return false;
    }
    let is_dotted = piece.iter().any(|b| matches!(b, b'.' | b'/'));
    if piece.len() >= MIN_PIECE_BYTES {
        let doubt = if gap.is_full { Doubt::Little } else { Doubt::Some };
        return (!is_dotted || piece.len() >= MIN_DOTTED_PIECE_BYTES) && is_random(piece, doubt);
    }
    n > 0 && is_end(piece)
}

/// Whether a short line may be the end of a value that filled the lines before it: no word, number, size or digest.
pub(in crate::sanitize::secrets) fn is_end(piece: &[u8]) -> bool {
    let digits = piece.iter().take_while(|b| b.is_ascii_digit()).count();
    // Names in camel case have one capital at a time.
    let capitals = piece.split(|b| !b.is_ascii_uppercase()).filter(|run| run.len() >= 2).count();
    let is_size = digits > 0 && piece[digits..].iter().all(u8::is_ascii_alphabetic);
    piece.len() >= 4
        && !is_size
        && !piece.iter().all(u8::is_ascii_hexdigit)
        && !piece.iter().any(|b| matches!(b, b'.' | b'/'))
        && (capitals >= 2 || piece.iter().any(u8::is_ascii_digit) && oddity(piece) > 0)
}

/// Whether two parts of a line are words in small letters, as in `target/debug/lib-1a2b`.
pub(in crate::sanitize::secrets) fn is_path(piece: &[u8]) -> bool {
    let is_word = |part: &&[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    piece.split(|b| b"/._-".contains(b)).filter(is_word).count() >= 2
}

/// The separator between two pieces at a line feed.
fn line_gap(text: &[u8], at: usize, guessed: &mut Vec<Gap>) -> Option<Range<usize>> {
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
    let is_broken = is_broken(text, before, next);
    if !is_broken && !goes_on(text, next) {
        return None;
    }
    let is_full = is_full(text, before, at + 1);
    (is_broken || is_full).then(|| {
        guessed.push(Gap { range: before..next, is_full });
        before..next
    })
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
