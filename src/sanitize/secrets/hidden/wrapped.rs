//! A word or line that is written over several lines: full lines, continuations, concatenated strings.
//!
//! It removes the separators between the pieces. Joining pieces that do not belong together does not create a secret.

use super::logged::prefix;
use super::near::Near;
use super::prefixed::is_diff;
use super::strings::{
    DIGITS, MIN_DIGITS, end_of_digits, is_mixed, is_name, is_parameter, is_path, may_be_mixed, may_be_piece,
};
use super::view::{MAX_WORD_BYTES, View, blanks, find_separator, is_inside, line_end, line_start};
use crate::sanitize::secrets::judge::{Doubt, MAX_ODDITY_OF_NAMES, is_random, is_uuid, oddity};
use crate::sanitize::secrets::scan::Claim;
use crate::sanitize::secrets::table::{Form, Table};
use crate::stop;
use std::ops::Range;

/// Longest separator between two pieces, in bytes.
const MAX_GAP_BYTES: usize = 96;
/// Shortest full line, in columns.
const MIN_FULL_COLUMNS: usize = 20;
/// Bytes of a line that are examined for its length.
const LINE_LOOK_BYTES: usize = 512;

/// A text whose pieces are joined.
pub(super) struct Joined {
    pub(super) view: View,
    /// The line ends at which nothing but their look suggests that the value continues.
    guessed: Vec<Gap>,
}

/// A separator between two pieces that were joined because of how they look.
struct Gap {
    range: Range<usize>,
    /// Whether the line before it is as long as a full line.
    is_full: bool,
    /// The quotation mark that was opened before it and is closed after it; `>` for the text of an element.
    quote: Option<u8>,
}

impl Gap {
    fn new(range: Range<usize>) -> Gap {
        Gap { range, is_full: false, quote: None }
    }
}

/// The lines near a keyword with their pieces joined; `None` if nothing is split.
pub(super) fn view(text: &[u8], near: &Near) -> Option<Joined> {
    let (mut view, mut copied, mut at, mut any) = (View::default(), 0, 0, false);
    let mut guessed = Vec::new();
    let is_diff = !near.stretches().is_empty() && is_diff(text);
    for stretch in near.stretches() {
        at = at.max(stretch.start);
        // A continued line may continue again.
        let mut end = stretch.end;
        while let Some(next) = find_separator(&text[..end], at) {
            at = next;
            stop::check_sometimes();
            let gap = match text[at] {
                b'\n' => line_gap(text, at, is_diff, &mut guessed),
                b' ' => blank_gap(text, at, &mut guessed),
                _ => string_gap(text, at).or_else(|| item_gap(text, at, &mut guessed)),
            };
            match gap.filter(|gap| gap.start >= copied && gap.end > at) {
                Some(gap) => {
                    view.copy_near(text, copied..gap.start);
                    (at, copied, any) = (gap.end, gap.end, true);
                    let line = &text[..text.len().min(at + LINE_LOOK_BYTES)];
                    end = end.max(line.len().min(line_end(line, at) + 1));
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
    /// Removes lines that are not part of a value from the claims of the joined text. `plain` has the claims of the
    /// unjoined text, `whole` the values in tables and fields.
    pub(super) fn trim(
        &self,
        table: &Table,
        text: &[u8],
        [plain, whole]: [&[Claim]; 2],
        claims: &mut Vec<Claim>,
    ) {
        if self.guessed.is_empty() {
            return;
        }
        let mut ends: Vec<(usize, u16)> = plain.iter().map(|claim| (claim.end, claim.rule)).collect();
        ends.sort_unstable();
        let mut places: Vec<usize> =
            plain.iter().chain(whole).flat_map(|claim| [claim.start, claim.end]).collect();
        places.sort_unstable();
        claims.retain_mut(|claim| {
            stop::check_sometimes();
            let first = self.guessed.partition_point(|gap| gap.range.start <= claim.start);
            let crossed = &self.guessed[first..];
            let len = crossed.partition_point(|gap| gap.range.end < claim.end);
            if first > 0 && is_apart(text, &self.guessed[first - 1], claim) {
                return false;
            }
            // Whether the gap is between two items of a list, each of which is a value of its own.
            let is_item = |gap: &Gap| matches!(text[gap.range.start], b'"' | b'\'');
            let is_own = |gap: &Gap| {
                is_item(gap)
                    && [gap.range.start, gap.range.end].iter().all(|at| places.binary_search(at).is_ok())
            };
            if crossed[..len].iter().any(is_own) {
                return false;
            }
            let digits = end_of_digits(text, pieces(&crossed[..len], claim));
            match digits.or_else(|| last_piece(table, text, (&ends, &places), &crossed[..len], claim)) {
                Some(end) => claim.end = end,
                None => return false,
            }
            true
        });
    }
}

/// The pieces of a value between gaps.
fn pieces(crossed: &[Gap], claim: &Claim) -> impl Iterator<Item = Range<usize>> {
    let ends = crossed.iter().map(|gap| gap.range.start).chain([claim.end]);
    let starts = [claim.start].into_iter().chain(crossed.iter().map(|gap| gap.range.end));
    starts.zip(ends).map(|(start, end)| start..end)
}

/// Whether a value follows its name only because of a guess, and nothing else shows that it is a value.
fn is_apart(text: &[u8], gap: &Gap, claim: &Claim) -> bool {
    let value = &text[claim.start..claim.end];
    (gap.range.end..=gap.range.end + 1).contains(&claim.start)
        && !matches!(text[claim.start - 1], b'"' | b'\'')
        && !is_random(value, Doubt::Some)
        && !is_odd(value)
}

/// The end of the last piece of a claimed value; `None` if it has only one piece, which needs no joining. `plain` has
/// the ends of the claims in the unjoined text, `places` their starts and ends.
fn last_piece(
    table: &Table,
    text: &[u8],
    (plain, places): (&[(usize, u16)], &[usize]),
    crossed: &[Gap],
    claim: &Claim,
) -> Option<usize> {
    let form = |rule: u16| &table.rules[usize::from(rule)].form;
    if crossed.iter().any(|gap| gap.quote.is_some_and(|quote| is_quoted(text, claim, quote))) {
        return Some(claim.end);
    }
    let removed: usize = crossed.iter().map(|gap| gap.range.len()).sum();
    let total = (claim.end - claim.start).saturating_sub(removed);
    for (n, gap) in crossed.iter().enumerate() {
        // A `=` that ends a line may be a part of the value before it.
        let ends = gap.range.start..=gap.range.start + usize::from(text[gap.range.start] == b'=');
        let from = plain.partition_point(|(end, _)| end < ends.start());
        let mut whole = plain[from..].iter().take_while(|(end, _)| ends.contains(end)).peekable();
        let is_claimed = whole.peek().is_some();
        let behind = crossed.get(n + 1).map_or(claim.end, |next| next.range.start);
        let piece = gap.range.end..behind.max(gap.range.end);
        let is_of_rule = whole.clone().any(|(_, rule)| *rule == claim.rule);
        let is_complete = whole.any(|(_, rule)| form(*rule).has_one_length());
        // The next line is a setting with a value of its own.
        let next = places.partition_point(|at| *at <= piece.start);
        let is_own = is_claimed && places.get(next).is_some_and(|at| *at < piece.end);
        let value =
            Value { text, claim, crossed: &crossed[..=n], total, is_claimed, is_of_rule, is_complete };
        if is_own || !value.goes_on(form(claim.rule), gap, piece) {
            return (n > 0).then_some(gap.range.start);
        }
    }
    Some(claim.end)
}

/// Whether a value is after or before its quotation mark, or is the text of an element.
fn is_quoted(text: &[u8], claim: &Claim, quote: u8) -> bool {
    let is_first = claim.start.checked_sub(1).is_some_and(|before| text[before] == quote);
    let behind = &text[claim.end..];
    match quote {
        b'>' => is_first && behind.starts_with(b"</"),
        _ => is_first || behind.first() == Some(&quote),
    }
}

/// A value that may be written in pieces.
struct Value<'a> {
    text: &'a [u8],
    claim: &'a Claim,
    /// The separators of its first pieces, up to the piece that is judged.
    crossed: &'a [Gap],
    /// Bytes of all pieces.
    total: usize,
    /// Whether a rule finds it without the piece that is judged.
    is_claimed: bool,
    /// Whether the rule that finds the whole value also finds it without the piece.
    is_of_rule: bool,
    /// Whether that rule has values of a single length.
    is_complete: bool,
}

impl Value<'_> {
    /// Whether the piece after a gap belongs to the value.
    fn goes_on(&self, form: &Form, gap: &Gap, piece: Range<usize>) -> bool {
        let Value { text, is_claimed, .. } = *self;
        let (bytes, end, n) = (&text[piece.clone()], piece.end, self.crossed.len() - 1);
        let is_line = bytes.len() > MIN_DOTTED_PIECE_BYTES
            && !is_path(bytes)
            && !bytes.iter().all(u8::is_ascii_hexdigit);
        if matches!(form, Form::PrivateKey) && (bytes.ends_with(b"=") || is_line) {
            return true;
        }
        if self.is_complete || is_parameter(bytes) {
            return false;
        }
        // Only with this piece the value has the required length.
        let is_needed = !self.is_of_rule && form.has_one_length()
            || !is_claimed && matches!(form, Form::Token { .. }) && is_mixed(bytes);
        // The name and the first piece are in one string; the rest of the value is the next item of the list.
        let quote = text[gap.range.start];
        let is_item =
            matches!(quote, b'"' | b'\'') && text.get(end).is_some_and(|b| [quote, b' '].contains(b));
        let has_name = self.claim.start > 0 && !b"\"'".contains(&text[self.claim.start - 1]);
        let is_rest = !is_claimed && is_item && has_name && is_mixed(bytes);
        if is_needed || is_rest && bytes.iter().all(|b| is_inside(*b)) {
            return true;
        }
        if matches!(form, Form::UrlPassword) {
            return !is_claimed && self.is_password_of_url(gap, bytes);
        }
        let is_alone = text.get(end).is_none_or(|b| b"\r\n\"'".contains(b));
        let is_far = is_claimed && !gap.is_full && bytes.len() < MIN_LONG_PIECE_BYTES;
        !is_far && is_piece(bytes, gap, n)
            || (is_alone || bytes.len() >= MIN_ODD_BYTES) && is_odd(bytes)
            || self.is_whole_now(gap, bytes, is_alone)
    }

    /// Whether the pieces so far are a complete value: digits of a usual length, an identifier, base64 with its end.
    fn is_whole_now(&self, gap: &Gap, piece: &[u8], is_alone: bool) -> bool {
        if self.total > MAX_WHOLE_BYTES {
            return false;
        }
        let mut value = Vec::with_capacity(self.total);
        let mut at = self.claim.start;
        for gap in self.crossed {
            value.extend_from_slice(&self.text[at..gap.range.start.max(at)]);
            at = gap.range.end;
        }
        value.extend_from_slice(piece);
        let first = &value[..value.len() - piece.len()];
        let run = first.iter().rev().take_while(|b| b.is_ascii_hexdigit()).count();
        let is_digits = piece.iter().all(u8::is_ascii_hexdigit)
            && run >= MIN_DIGITS
            && DIGITS.contains(&(run + piece.len()))
            && !DIGITS.contains(&run)
            && (gap.is_full
                || !self.is_claimed
                || !DIGITS.contains(&piece.len())
                || is_alone && run == piece.len());
        let is_base64 = || {
            let body = &value[memchr::memrchr(b':', &value).map_or(0, |at| at + 1)..];
            let letters = body.iter().rposition(|b| *b != b'=').map_or(0, |at| at + 1);
            letters < body.len()
                && body.len() % 4 == 0
                && piece.len() >= 4
                && body[..letters].iter().all(|b| b.is_ascii_alphanumeric() || b"+/".contains(b))
        };
        is_digits || is_alone && (is_uuid(&value) || is_base64())
    }

    /// Whether the password of an address continues after a gap, and not a port or a host before it.
    fn is_password_of_url(&self, gap: &Gap, piece: &[u8]) -> bool {
        let first = &self.text[self.claim.start..gap.range.start.max(self.claim.start)];
        let is_odd = |part: &[u8]| is_mixed(part) && !part.contains(&b'.');
        !first.is_empty() && is_odd(first) && is_odd(piece)
    }
}

/// The shortest piece of a value that would be complete without it, after a line that is not full.
const MIN_LONG_PIECE_BYTES: usize = 16;
/// The shortest piece that is recognized by itself.
const MIN_PIECE_BYTES: usize = 10;
/// The shortest odd word that is a piece even if more text follows on its line.
const MIN_ODD_BYTES: usize = 6;
/// Longest value that is joined to be recognized as a whole, in bytes. A choice.
const MAX_WHOLE_BYTES: usize = 512;
/// Pieces with dots and slashes are paths, unless they are this long.
const MIN_DOTTED_PIECE_BYTES: usize = 24;

/// Whether a line is a piece of a value: it looks random, and is neither a name nor a digest nor a path. `n`
/// pieces before it were.
fn is_piece(piece: &[u8], gap: &Gap, n: usize) -> bool {
    if piece.iter().all(u8::is_ascii_hexdigit) || is_uuid(piece) || is_path(piece) {
        return false;
    }
    let is_dotted = piece.iter().any(|b| matches!(b, b'.' | b'/'));
    if piece.len() >= MIN_PIECE_BYTES {
        let doubt = if gap.is_full { Doubt::Little } else { Doubt::Some };
        return (!is_dotted || piece.len() >= MIN_DOTTED_PIECE_BYTES) && is_random(piece, doubt);
    }
    n > 0 && is_end(piece)
}

/// Whether a short line may be the end of a value that filled the lines before: it is not a word, number, size or
/// digest.
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

/// Whether a word is unlike words that people write: it changes between small letters, capitals and digits more
/// than once. Names such as `v1beta1`, `OAuth2` and `OutOfMemoryError` do not.
fn is_odd(piece: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| piece.iter().any(is);
    piece.len() >= 4
        && piece.iter().all(u8::is_ascii_alphanumeric)
        && oddity(piece) > if has(u8::is_ascii_digit) { 0 } else { MAX_ODDITY_OF_NAMES }
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && !piece.starts_with(b"0x")
}

/// The separator between two pieces at a line feed.
fn line_gap(text: &[u8], at: usize, is_diff: bool, guessed: &mut Vec<Gap>) -> Option<Range<usize>> {
    let before = at - usize::from(at > 0 && text[at - 1] == b'\r');
    let next = blanks(text, at + 1, MAX_GAP_BYTES);
    let last = *text.get(before.checked_sub(1)?)?;
    // A continued line of a shell.
    if matches!(last, b'\\' | b'`' | b'^') && before >= 2 && text[before - 2] != last && next < text.len() {
        return Some(before - 1..next);
    }
    if let Some(start) = block_scalar(text, before).filter(|_| next < text.len()) {
        return Some(start..next);
    }
    // `"""` and `@"` before the first line of a text.
    if text[..before].ends_with(b"\"\"\"")
        || text[..before].ends_with(b"@\"")
        || text[..before].ends_with(b"@'")
    {
        return (next < text.len()).then_some(before..next);
    }
    guess(text, before..next, at + 1, is_diff).map(|gap| {
        let range = gap.range.clone();
        guessed.push(gap);
        range
    })
}

/// A blank inside a token, where blanks are not expected.
fn blank_gap(text: &[u8], at: usize, guessed: &mut Vec<Gap>) -> Option<Range<usize>> {
    let next = at + 1;
    let (last, first) = (*text.get(at.checked_sub(1)?)?, *text.get(next)?);
    if !last.is_ascii_alphanumeric() || !first.is_ascii_alphanumeric() {
        return None;
    }
    let is_piece = || may_be_piece(&text[back(text, at)]);
    let is_one = may_be_mixed(text, at) && is_piece() && is_broken(text, at, next) && !is_setting(text, next);
    is_one.then(|| {
        guessed.push(Gap::new(at..next));
        at..next
    })
}

/// Guesses whether a line continues at a line end without a mark for that. `around` is the line end with the blanks
/// after it, `line` the start of the next line.
fn guess(text: &[u8], around: Range<usize>, line: usize, is_diff: bool) -> Option<Gap> {
    let (before, mut next) = (around.start, around.end);
    let last = text[before - 1];
    let mut known = None;
    let mut is_full = || *known.get_or_insert_with(|| is_full(text, before, line));
    if is_inside(last) || last == b' ' {
        // The prefix that a tool wrote before the next line is skipped.
        let rest = &text[line..line_end(&text[..text.len().min(line + LINE_LOOK_BYTES)], line)];
        let is_added = rest.len() > 1 && rest[0] == b'+' && rest[1] != b'+';
        let skipped = if next == line { prefix(rest, is_diff || is_added) } else { 0 };
        next += skipped;
        // The `=` at the end of a line of mail that continues.
        let is_soft = last == b'=' && before >= 2 && text[before - 2].is_ascii_alphanumeric();
        let end = before - usize::from(is_soft);
        if let Some(quote) = open_quote(text, before, line + skipped) {
            // One blank separates two words of the value.
            let from = if skipped == 0 && next == line + 1 && last != b' ' { line } else { next };
            return Some(Gap { quote: Some(quote), ..Gap::new(end..from) });
        }
        let may_go_on = text.get(next).is_some_and(|first| is_inside(*first)) && !is_setting(text, next);
        if may_go_on && is_inside(last) && is_broken(text, end, next) {
            let is_full = next == around.end && is_full();
            return Some(Gap { is_full, ..Gap::new(end..next) });
        }
        if may_go_on && next == around.end && is_full() && goes_on(text, next) {
            return Some(Gap { is_full: true, ..Gap::new(before..next) });
        }
    }
    // A terminal may wrap at any column. Lines of code are mostly indented.
    let may_be_cut = text.get(line).is_some_and(u8::is_ascii_graphic);
    (may_be_cut && is_full()).then(|| Gap { is_full: true, ..Gap::new(before..line) })
}

/// Bytes of a line before its end that are searched for a quotation mark without a second one, and bytes after it.
const QUOTED_BYTES: usize = 256;

/// The quotation mark before the end of a line that is closed on the next line: it opens a value, after an operator
/// or a word. `>` if the text of an element continues.
fn open_quote(text: &[u8], end: usize, next: usize) -> Option<u8> {
    let line = &text[line_start(text, end, QUOTED_BYTES)..end];
    let behind = &text[next..text.len().min(next + QUOTED_BYTES)];
    let open = line.iter().rposition(|b| matches!(b, b'"' | b'\'' | b'>'))?;
    let quote = line[open];
    // The text of an element.
    if quote == b'>' {
        let close = memchr::memchr2(b'<', b'\n', behind)?;
        let is_element = open > 1 && line.len() > open + 1 && behind[close..].starts_with(b"</");
        return (is_element && memchr::memchr(b'<', &line[..open]).is_some()).then_some(b'>');
    }
    let opens = open == 0 || b"=: ([,{".contains(&line[open - 1]);
    let is_single = memchr::memchr_iter(quote, line).count() % 2 == 1;
    if !opens || !is_single || line.len() == open + 1 {
        return None;
    }
    let close = memchr::memchr2(quote, b'\n', behind)?;
    (close > 0 && behind[close] == quote).then_some(quote)
}

/// The shortest name of a setting in an item of an array: `["a1b2", "KEY=c3d4"]`. A shorter word is a piece of a value.
const MIN_NAME: usize = 3;

/// The separator between two items of an array that may be pieces of one value: `","` and `", "`.
fn item_gap(text: &[u8], at: usize, guessed: &mut Vec<Gap>) -> Option<Range<usize>> {
    let quote = text[at];
    let rest = text.get(at + 1..)?.strip_prefix(b",")?;
    let blank = usize::from(rest.first() == Some(&b' '));
    let next = at + 2 + blank + 1;
    let is_open = rest.get(blank) == Some(&quote);
    let is_inside = |at: usize| text.get(at).is_some_and(|b| is_inside(*b));
    if !is_open || at == 0 || !is_inside(at - 1) || !is_inside(next) {
        return None;
    }
    // A value in other quotation marks is not an array.
    let outer = open_quote(text, at, next).filter(|outer| *outer != quote);
    // A name is not a piece.
    let is_mixed = || is_mixed(&text[back(text, at)]) && is_mixed(&text[ahead(text, next)]);
    let word = &text[ahead(text, next)];
    let name = word.iter().take_while(|b| b.is_ascii_alphabetic() || b"_.-".contains(b)).count();
    let is_named = name >= MIN_NAME && name < word.len() && b"=:".contains(&word[name]);
    (outer.is_some() || is_mixed() && !is_named).then(|| {
        guessed.push(Gap { quote: outer, ..Gap::new(at..next) });
        at..next
    })
}

/// Whether the start of a line may continue a full line: it is a piece of a token, or has nothing after it, and is
/// not a word.
fn goes_on(text: &[u8], start: usize) -> bool {
    let word = ahead(text, start);
    let ends = text.get(word.end).is_none_or(|b| !matches!(b, b' ' | b'\t' | b':'));
    ends || is_mixed(&text[word])
}

/// Whether a line begins with a name and an assignment.
fn is_setting(text: &[u8], start: usize) -> bool {
    let word = &text[ahead(text, start)];
    let len = word.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b)).count();
    let (name, behind) = (&word[..len], &text[blanks(text, start + len, 8)..]);
    // The end of base64, and the separator before the next parameter of a URL or of a connection string.
    let ends = len < word.len() && word[len..].iter().all(|b| *b == b'=');
    let is_last = matches!(behind.first(), Some(b'&' | b';' | b',')) && is_odd(name);
    !ends && !is_last && behind.first().is_some_and(|b| b"=:({[,;".contains(b))
}

/// Whether the last word of a line and the first of the next may be one word: the second looks random, or both do.
fn is_broken(text: &[u8], end: usize, next: usize) -> bool {
    let behind = &text[ahead(text, next)];
    if behind.len() < 4 || !is_mixed(behind) {
        return false;
    }
    let before = &text[back(text, end)];
    is_odd(behind)
        || behind.ends_with(b"=")
        || before.len() >= 5 && behind.len() >= 5 && before.get(..3) != behind.get(..3)
}

fn back(text: &[u8], end: usize) -> Range<usize> {
    let len =
        text[..end].iter().rev().take(MAX_WORD_BYTES).take_while(|b| is_inside(**b) && **b != b'=').count();
    end - len..end
}

pub(super) fn ahead(text: &[u8], start: usize) -> Range<usize> {
    start..start + text[start..].iter().take(MAX_WORD_BYTES).take_while(|b| is_inside(**b)).count()
}

/// `key: >-` and `key: |`: the position of the sign.
fn block_scalar(text: &[u8], end: usize) -> Option<usize> {
    let near = &text[end.saturating_sub(4)..end];
    let sign = near.iter().rposition(|b| matches!(b, b'>' | b'|'))?;
    let modifiers = near[sign + 1..].iter().all(|b| b"+-123456789".contains(b));
    (modifiers && near[..sign].ends_with(b": ")).then(|| end - near.len() + sign)
}

/// Whether the line that ends at `end` is as long as a full line here.
fn is_full(text: &[u8], end: usize, next: usize) -> bool {
    const WIDTHS: &[usize] =
        &[40, 50, 60, 64, 70, 72, 76, 78, 79, 80, 90, 100, 110, 120, 130, 132, 140, 150, 160, 180, 200];
    let width = |from: usize, to: usize| text[from..to].iter().filter(|b| **b & 0xc0 != 0x80).count();
    let start = line_start(text, end, LINE_LOOK_BYTES);
    if end - start < MIN_FULL_COLUMNS {
        return false;
    }
    let len = width(start, end);
    let next_end = line_end(&text[..text.len().min(next + LINE_LOOK_BYTES)], next);
    // The length of the next line does not include its indentation.
    let next_len = width(blanks(text, next, MAX_GAP_BYTES).min(next_end), next_end);
    let is_as_before = || {
        let Some(from) = start.checked_sub(1) else { return false };
        width(line_start(text, from, LINE_LOOK_BYTES), from) == len
    };
    next_len <= len && (WIDTHS.contains(&len) || next_len == len || is_as_before())
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
            b'\\' | b'_' if matches!(rest.get(n + 1), Some(b'\n' | b'\r')) => {}
            b'+' | b'.' | b'&' | b'~' | b'|' | b'^' if signs < 2 => signs += 1,
            b'<' if rest.get(n + 1) == Some(&b'>') && signs == 0 => (n, signs) = (n + 1, 2),
            _ => break,
        }
        n += 1;
    }
    // Prefix letters of strings in Python and other languages.
    let letter = usize::from(matches!(rest.get(n), Some(b'f' | b'r' | b'b' | b'u' | b'L' | b'@' | b'$')));
    let open = rest.get(n + letter) == Some(&quote);
    let is_gap = open && n > 1 && (signs > 0 || (1..=2).contains(&lines));
    let end = at + n + letter + 1;
    (is_gap && !(lines > 0 && is_name(text, end, quote))).then_some(at..end)
}
