//! Finds the end of a value without quotation marks that contains characters which also end values:
//! `DB_PASSWORD=Kp7mQ2xR)t9zQ`.
//!
//! If a setting is the whole line, the value ends with the line; in a log line or after a flag it ends with the
//! word. `password=get(user2)` is code and `password=abc1,host=db` is a list: there these characters end the value.
//! It reads one word and does not decide whether it is a secret. [`Around`] removes surrounding text that other
//! readers included in a value.

use super::hidden::entities::is_style;
use super::hidden::logged::head_of_line;
use super::hidden::strings;
use super::judge::{
    ByteSet, Doubt, is_random, is_random_with_signs, is_signed_password, is_word, oddity, skip, skip_back,
};
use std::ops::Range;

/// Longest word that is read. A choice.
const MAX_WORD_BYTES: usize = 128;
/// Shortest word of a natural language that is searched for in a value. A choice.
const MIN_LETTERS_OF_WORD: usize = 4;

const OPEN: ByteSet = ByteSet::parse("([{<");
const CLOSE: ByteSet = ByteSet::parse(")]}>");
const QUOTE: ByteSet = ByteSet::parse("\"'`");
/// Characters that may follow a value at the end of its word.
const BEHIND: ByteSet = ByteSet::parse(",;&|)]}>\"'`");
/// Characters between the items of a list.
const BETWEEN: ByteSet = ByteSet::parse(",;&|");

/// The end of a bare value that `first` begins, if it continues after `first`. `is_line` says that its name begins
/// the line, `is_environment` that it is `name=value`, and `is_capital` that the name is in capitals.
pub(super) fn end(
    text: &[u8],
    first: &Range<usize>,
    is_line: bool,
    is_environment: bool,
    is_capital: bool,
) -> Option<usize> {
    let start = first.start;
    let near = &text[start..text.len().min(start + MAX_WORD_BYTES)];
    let len = near.iter().position(u8::is_ascii_whitespace).unwrap_or(near.len());
    if len == MAX_WORD_BYTES || len <= first.len() {
        return None;
    }
    let is_whole = is_line && is_last(text, start + len);
    let all = up_to_escape(&near[..len]);
    if is_whole && is_random_with_signs(all) {
        return Some(start + all.len());
    }
    if is_environment && is_whole && is_list_of_keys(all) {
        return Some(start + all.len());
    }
    // If the value is the whole line, it is not inside a bracket of code. It may still be a list.
    let is_shell = is_environment && is_whole;
    let word = if is_shell && is_capital { up_to_setting(all) } else { up_to_item(all) };
    let core = word.len() - word.iter().rev().take_while(|b| BEHIND.has(**b)).count();
    if core < first.len() {
        return None;
    }
    let (core, behind) = word.split_at(core);
    if core.len() > first.len() && is_random_with_signs(core) {
        return Some(start + core.len());
    }
    if core.is_empty() || is_code(core, behind, is_shell) {
        return None;
    }
    if is_whole {
        let is_closed = is_shell && !behind.is_empty() && behind.iter().all(|b| CLOSE.has(*b));
        let len = if is_closed && is_strong(core) { word.len() } else { core.len() };
        return (len > first.len()).then_some(start + len);
    }
    let rest = &core[first.len()..];
    let goes_on = !rest.is_empty() && (is_strong(core) || splits_bracket(core)) && !has_word(rest);
    goes_on.then_some(start + core.len())
}

/// Removes from values text that is not part of them: the heads of lines, the end of the string that holds a value,
/// references and ends of elements. It reads what is before the values once.
pub(super) struct Around<'t> {
    text: &'t [u8],
    /// Up to where quotation marks were counted, and whether one is open there.
    read: usize,
    is_open: bool,
}

/// References to quotation marks, and to other signs that end a value, without their semicolon.
const QUOTES: &[&[u8]] = &[b"&quot", b"&apos", b"&#39", b"&#x27", b"&#34", b"&#x22"];
const SIGNS: &[&[u8]] = &[b"&amp", b"&lt", b"&gt"];
/// Shortest text after the end of an element that may belong to a value, in bytes. A choice.
const MIN_BEHIND_BYTES: usize = 6;
/// Longest line that is searched for its head, in bytes.
const MAX_HEAD_BYTES: usize = 256;
/// Longest name of an element, in bytes.
const MAX_ELEMENT_BYTES: usize = 64;

impl<'t> Around<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        Self { text, read: 0, is_open: false }
    }

    /// The value without text that is not part of it; empty if nothing is left. Values come in the order of their
    /// starts.
    pub(super) fn removed(&mut self, value: Range<usize>) -> Range<usize> {
        let text = self.text;
        let Range { start, end } = before_head(text, behind_head(text, value));
        let Some(bytes) = text.get(start..end).filter(|bytes| !bytes.is_empty()) else { return start..start };
        let mut range = start..end;
        if let Some(len) = before_tag(text, &range) {
            range.end = start + len;
        }
        if memchr::memchr(b'"', bytes).is_some()
            && let Some(len) = self.before_quote(&range)
        {
            range.end = start + len;
        }
        if memchr::memchr(b'\\', bytes).is_some() {
            range.end = before_line_end(text, &range);
        }
        if bytes.ends_with(b"$") && is_line_end_of_cat(text, end) {
            range.end = range.end.min(end - 1);
        }
        without_references(text, range)
    }

    /// The position at which a value ends because the string that holds it ends. A value in several strings stays whole.
    fn before_quote(&mut self, value: &Range<usize>) -> Option<usize> {
        let text = self.text;
        let bytes = &text[value.clone()];
        let mut marks = memchr::memchr_iter(b'"', bytes).filter(|at| !is_escaped(text, value.start + at));
        let first = marks.next().filter(|first| *first > 0)?;
        let goes_on = || strings::operator(text, value.start + first).is_some();
        if bytes.get(first + 1).is_some_and(|b| is_word(*b)) || goes_on() {
            return None;
        }
        if let Some(second) = marks.next() {
            // The text between the marks separates this value from the name of the next member.
            let is_between = bytes[first + 1..second].iter().all(|b| *b == b',' || b.is_ascii_whitespace());
            let is_name = marks.next().is_none() && text[value.end..].starts_with(b"\":");
            (is_between && is_name).then_some(())?;
        }
        self.is_in_string(value.start).then_some(())?;
        // An escaped line end and an escaped quotation mark before the end of the string.
        let mut len = first;
        while is_escaped(text, value.start + len - 1) && b"nrt\"".contains(&bytes[len - 1]) {
            len = len.checked_sub(2).filter(|len| *len > 0)?;
        }
        (len > 0).then_some(len)
    }

    /// Whether a quotation mark is open before `at` in its line.
    fn is_in_string(&mut self, at: usize) -> bool {
        let text = self.text;
        for mark in memchr::memchr2_iter(b'"', b'\n', text.get(self.read..at).unwrap_or_default()) {
            let mark = self.read + mark;
            match text[mark] {
                b'\n' => self.is_open = false,
                _ if is_escaped(text, mark) => {}
                _ => self.is_open = !self.is_open,
            }
        }
        self.read = self.read.max(at);
        self.is_open
    }
}

/// Whether the `$` before `end` is the line end that `cat -A` writes, because the lines around end with one too.
/// Passwords may also end with `$`.
fn is_line_end_of_cat(text: &[u8], end: usize) -> bool {
    if text.get(end) != Some(&b'\n') {
        return false;
    }
    let near = &text[end + 1..text.len().min(end + 1 + MAX_HEAD_BYTES)];
    let next = memchr::memchr(b'\n', near).map(|len| &near[..len]);
    let before = &text[end.saturating_sub(MAX_HEAD_BYTES)..end];
    let before = memchr::memrchr(b'\n', before).map(|at| &before[..at]);
    let around = [next, before].map(|line| line.map(|line| line.ends_with(b"$")));
    around.contains(&Some(true)) && !around.contains(&Some(false))
}

/// The end of a value before the escaped line end at the end of its string.
fn before_line_end(text: &[u8], value: &Range<usize>) -> usize {
    let bytes = &text[value.clone()];
    // The end of a string in single quotation marks, and what follows it.
    let string_end = memchr::memmem::find(bytes, b"\\n'")
        .filter(|at| *at > 0 && bytes[at + 3..].iter().all(|b| b",;)}] ".contains(b)));
    let end = string_end.map_or(value.end, |at| value.start + at);
    let bytes = &text[value.start..end];
    let is_line_end = bytes.len() > 2 && (bytes.ends_with(b"\\n") || bytes.ends_with(b"\\r"));
    let is_last = text.get(end).is_some_and(|b| matches!(b, b'"' | b'\''));
    if is_line_end && is_last && is_escaped(text, end - 1) { end - 2 } else { end }
}

/// Whether the byte at `at` is after an odd number of backslashes.
fn is_escaped(text: &[u8], at: usize) -> bool {
    slashes_before(text, at) % 2 == 1
}

/// The number of backslashes before `at`.
fn slashes_before(text: &[u8], at: usize) -> usize {
    /// Most backslashes that are counted.
    const MAX_SLASHES: usize = 16;
    text[..at].iter().rev().take(MAX_SLASHES).take_while(|b| **b == b'\\').count()
}

/// The end of a value before `</name>` or `]]>`, if nothing after it can belong to the value.
fn before_tag(text: &[u8], value: &Range<usize>) -> Option<usize> {
    /// Most ends of elements that are examined.
    const MAX_ENDS: usize = 8;
    let bytes = &text[value.clone()];
    let near = &text[value.start..text.len().min(value.end + 2)];
    memchr::memchr2(b'<', b']', near)?;
    let section = memchr::memmem::find(near, b"]]>");
    let section = section.filter(|at| !goes_on(bytes, *at, MIN_BEHIND_BYTES));
    let element = memchr::memmem::find_iter(bytes, b"</").take(MAX_ENDS).find(|at| {
        let name = value.start + at + 2;
        let end = skip(text, name, const { ByteSet::parse("a-zA-Z0-9:._-") }, MAX_ELEMENT_BYTES);
        // Tags for colours cut values into pieces of any length.
        let least = if is_style(&text[name..end]) { 1 } else { MIN_BEHIND_BYTES };
        end > name && text.get(end) == Some(&b'>') && !goes_on(bytes, *at, least)
    });
    let len = match (section, element) {
        (Some(section), Some(element)) => section.min(element),
        (section, element) => section.or(element)?,
    };
    // The sign between settings.
    let len = len - usize::from(bytes[..len.min(bytes.len())].ends_with(b";"));
    (len > 0 && len < bytes.len()).then_some(len)
}

/// Whether the tag at `at` is followed by a text of at least `least` bytes.
fn goes_on(bytes: &[u8], at: usize, least: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.split(|b| *b == b'<').any(|piece| {
        // A piece is a tag and the text after it.
        let inside = match piece.strip_prefix(b"![CDATA[") {
            Some(section) => section,
            None => memchr::memchr(b'>', piece).map_or(&b""[..], |end| &piece[end + 1..]),
        };
        inside.trim_ascii().len() >= least
    })
}

/// A value without the character references around it: `&quot;`, or `&amp;` of an address.
fn without_references(text: &[u8], mut value: Range<usize>) -> Range<usize> {
    let bytes = &text[value.clone()];
    if let Some(quote) = QUOTES.iter().find(|quote| bytes.starts_with(quote))
        && text.get(value.start + quote.len()) == Some(&b';')
    {
        value.start += quote.len() + 1;
    }
    let Some(bytes) = text.get(value.clone()) else { return value.start..value.start };
    if let Some(len) = before_reference(bytes) {
        return value.start..value.start + len;
    }
    let is_cut = text.get(value.end) == Some(&b';');
    let ends_with = |end: &&&[u8]| bytes.ends_with(end);
    let len = match bytes.strip_suffix(b";") {
        Some(bytes) => QUOTES.iter().find(|quote| bytes.ends_with(quote)).map(|quote| quote.len() + 1),
        None if is_cut => QUOTES.iter().chain(SIGNS).find(ends_with).map(|sign| sign.len()),
        None => None,
    };
    value.end -= len.unwrap_or_default();
    value
}

/// The end of a value before a reference to the quotation mark that closes its string: `…&quot;)`.
fn before_reference(bytes: &[u8]) -> Option<usize> {
    let (at, len) = memchr::memchr_iter(b'&', bytes).find_map(|at| {
        let quote = QUOTES.iter().find(|quote| bytes[at..].starts_with(quote))?;
        let len = quote.len() + 1;
        let behind = bytes.get(at + len)?;
        (at > 0 && bytes[at + len - 1] == b';' && b",;:)}] \t".contains(behind)).then_some((at, len))
    })?;
    // Another string of the same value.
    let goes_on = bytes[at + len..].split(|b| *b == b'&').any(|piece| {
        let piece = memchr::memchr(b';', piece).map_or(piece, |end| &piece[end + 1..]);
        is_strong(piece) || is_random(piece, Doubt::Some)
    });
    (!goes_on).then_some(at)
}

/// A value without the head of the line that it begins.
fn behind_head(text: &[u8], value: Range<usize>) -> Range<usize> {
    const BLANKS: ByteSet = ByteSet::parse(" \t");
    let line = skip_back(text, value.start, BLANKS, 16);
    if line == 0 || text[line - 1] != b'\n' {
        return value;
    }
    let from = line + head(text, line);
    value.start.max(from).min(value.end)..value.end
}

/// A value of several lines without the head of the line before which it ends.
fn before_head(text: &[u8], value: Range<usize>) -> Range<usize> {
    let near = value.end.saturating_sub(MAX_HEAD_BYTES).max(value.start);
    let Some(line) = memchr::memrchr(b'\n', &text[near..value.end]).map(|at| near + at + 1) else {
        return value;
    };
    if line < value.end && line + head(text, line) >= value.end {
        return value.start..line - 1;
    }
    value
}

/// Bytes that a tool put in front of the line at `line`; none if the line before has something else there.
fn head(text: &[u8], line: usize) -> usize {
    let near = &text[line..text.len().min(line + MAX_HEAD_BYTES)];
    let near = &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())];
    let before = &text[line.saturating_sub(MAX_HEAD_BYTES)..line.saturating_sub(1)];
    let before = &before[memchr::memrchr(b'\n', before).map_or(0, |at| at + 1)..];
    head_of_line(near, before)
}

/// The end of a bare value in `"NAME=value"`, a string that holds nothing else.
pub(super) fn end_in_string(text: &[u8], name: usize, first: &Range<usize>) -> Option<usize> {
    let quote = *text[..name].last().filter(|b| matches!(b, b'"' | b'\''))?;
    let near = &text[first.start..text.len().min(first.start + MAX_WORD_BYTES)];
    let len = near.iter().position(|b| *b == quote || b.is_ascii_whitespace() || *b == b'\\')?;
    let value = &near[..len];
    let is_value =
        near[len] == quote && len > first.len() && (is_strong(value) || is_random_with_signs(value));
    is_value.then_some(first.start + len)
}

/// The end of the string at whose start a value is, if the regex of the value stopped before that end, at a blank, an
/// escaped quotation mark or a bracket.
pub(super) fn end_of_string(text: &[u8], value: &Range<usize>) -> Option<usize> {
    let open = value.start.checked_sub(1)?;
    let quote = *text.get(open).filter(|b| matches!(b, b'"' | b'\''))?;
    let slashes = slashes_before(text, open);
    let before = (open - slashes).checked_sub(1).map(|at| text[at]);
    if before.is_some_and(|b| is_word(b) || QUOTE.has(b)) {
        return None;
    }
    let near = &text[value.end..text.len().min(value.end + MAX_WORD_BYTES)];
    let near = &near[..memchr::memchr(b'\n', near).unwrap_or(near.len())];
    // In a string inside a string, more backslashes are before the marks inside it.
    let closes = |at: &usize| match slashes_before(text, value.end + at) {
        count if slashes == 0 => count % 2 == 0,
        count => count <= slashes,
    };
    let len = memchr::memchr_iter(quote, near).take(MAX_ITEMS).find(closes)?;
    let own = if slashes == 0 { 0 } else { slashes_before(text, value.end + len) };
    let rest = &near[..len.saturating_sub(own)];
    let is_end = near.get(len + 1).is_none_or(|b| !is_word(*b));
    let is_code = [&b"${"[..], b"$(", b"{{", b"</", b"://"];
    let is_code = is_code.iter().any(|sign| memchr::memmem::find(rest, sign).is_some());
    let is_value = !rest.is_empty() && is_end && !is_code && !has_setting(rest);
    is_value.then_some(value.end + rest.len())
}

/// Whether a text continues with `name=` or `name:` after a blank or a separator of items, or with a flag.
fn has_setting(rest: &[u8]) -> bool {
    let between = (0..rest.len()).filter(|at| BETWEEN.has(rest[*at]) || rest[*at].is_ascii_whitespace());
    between.take(MAX_ITEMS).any(|at| {
        let name = skip(rest, at + 1, const { ByteSet::parse("\\\"' ") }, 4);
        let end = skip(rest, name, const { ByteSet::parse("a-zA-Z0-9_.-") }, MAX_WORD_BYTES);
        rest.get(name) == Some(&b'-') || end > name && rest.get(end).is_some_and(|b| b"=:".contains(b))
    })
}

/// `APP_KEYS=…,…`: keys, with commas between.
fn is_list_of_keys(word: &[u8]) -> bool {
    let mut keys = word.split(|b| *b == b',');
    word.contains(&b',') && keys.all(|key| key.len() >= 16 && is_random(key, Doubt::Some))
}

/// Whether nothing but blanks and a comment is after a value in its line.
fn is_last(text: &[u8], end: usize) -> bool {
    let at = skip(text, end, const { ByteSet::parse(" \t") }, 8);
    text.get(at).is_none_or(|b| b"\r\n".contains(b) || *b == b'#' && at > end)
}

/// The part of a word before an escape of the surrounding string: a line end, a quotation mark.
fn up_to_escape(word: &[u8]) -> &[u8] {
    let is_escape = |at: &usize| word.get(at + 1).is_none_or(|b| b"nrtu\"'`\\".contains(b));
    let end = memchr::memchr_iter(b'\\', word).find(is_escape).unwrap_or(word.len());
    &word[..end]
}

/// The part of a word before the next `name=value` or `name: value` of a list.
fn up_to_item(word: &[u8]) -> &[u8] {
    let is_item = |at: &usize| {
        let name = skip(word, at + 1, const { ByteSet::parse("\"' ") }, 2);
        let end = skip(word, name, const { ByteSet::parse("a-zA-Z0-9_.-") }, MAX_WORD_BYTES);
        BETWEEN.has(word[*at]) && end > name && word.get(end).is_some_and(|b| b"=:".contains(b))
    };
    let end = (0..word.len()).filter(|at| BETWEEN.has(word[*at])).take(MAX_ITEMS).find(is_item);
    &word[..end.unwrap_or(word.len())]
}

/// The part of a word before the next setting of a list: `…;HOST=db;PORT=1`.
fn up_to_setting(word: &[u8]) -> &[u8] {
    /// Shortest name of a setting. A choice: a password has fewer letters between such signs.
    const MIN_NAME_BYTES: usize = 3;
    let is_setting = |at: &usize| {
        let name = word[at + 1..].iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'_').count();
        name >= MIN_NAME_BYTES && word.get(at + 1 + name) == Some(&b'=')
    };
    let end = memchr::memchr_iter(b';', word).take(MAX_ITEMS).find(is_setting);
    &word[..end.unwrap_or(word.len())]
}

/// Most separators that are examined in a word.
const MAX_ITEMS: usize = 16;

/// Whether a word is code, a pattern or a list of names; `behind` follows it. Shell code never ends in an open
/// bracket.
fn is_code(word: &[u8], behind: &[u8], is_shell: bool) -> bool {
    const PAIRS: &[&[u8; 2]] =
        &[b"::", b"=>", b"->", b"==", b"&&", b"||", b"()", b"[]", b"{}", b"(\"", b"('", b"[\"", b"['", b"]("];
    let next = |at: usize| word.get(at + 1).copied();
    if word.windows(2).any(|two| PAIRS.iter().any(|pair| two == *pair)) {
        return true;
    }
    let quotes = word.iter().filter(|b| QUOTE.has(**b)).count();
    let is_string = |at: usize| {
        let before = at.checked_sub(1).map(|before| word[before]);
        before.is_none_or(|b| b",(=:[{+".contains(&b)) || next(at).is_none_or(|b| b",:;)]}+.".contains(&b))
    };
    if quotes > 1 || (0..word.len()).any(|at| QUOTE.has(word[at]) && is_string(at)) {
        return true;
    }
    let (mut depth, mut pairs, mut inside) = (0usize, 0usize, false);
    for (at, b) in word.iter().enumerate() {
        if OPEN.has(*b) {
            depth += 1;
        } else if CLOSE.has(*b) {
            pairs += usize::from(depth > 0);
            // After the closing bracket of a call there is no name.
            inside |= next(at).is_some_and(is_word);
            if depth == 0 && !is_shell && next(at).is_none_or(|b| b",;.)]}".contains(&b)) {
                return true;
            }
            depth = depth.saturating_sub(1);
        }
    }
    let is_call = pairs > 0 && depth == 0 && !inside;
    // The call continues in the next line, or ends after the word.
    let is_open =
        depth > 0 && (behind.iter().any(|b| b",)]}>".contains(b)) || OPEN.has(word[word.len() - 1]));
    is_call || is_open && !is_shell || is_list(word)
}

/// `required|min:8`, `files,systemd`: a list of words.
fn is_list(word: &[u8]) -> bool {
    let is_plain = |piece: &[u8]| {
        let name = piece.iter().take_while(|b| b.is_ascii_alphabetic() || b"_.-".contains(b)).count();
        let rest = &piece[name..];
        name > 0 && (rest.is_empty() || rest[0] == b':' && rest[1..].iter().all(|b| is_word(*b)))
    };
    word.iter().any(|b| BETWEEN.has(*b)) && word.split(|b| BETWEEN.has(*b)).all(is_plain)
}

/// Whether letters of both cases and digits are mixed in a way that no name has.
pub(super) fn is_strong(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit) && oddity(word) > 0
}

/// Whether a word goes on behind a closed round bracket, as no call does, with letters of both cases and digits.
fn splits_bracket(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    let (Some(open), Some(close)) = (memchr::memchr(b'(', word), memchr::memrchr(b')', word)) else {
        return false;
    };
    let is_inside = open > 0 && open + 1 < close && word[open - 1].is_ascii_alphanumeric();
    is_inside
        && word.get(close + 1).is_some_and(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
}

/// Whether the rest of a value contains a word of a natural language.
fn has_word(rest: &[u8]) -> bool {
    rest.split(|b| !b.is_ascii_lowercase()).any(|word| word.len() >= MIN_LETTERS_OF_WORD)
}

/// Whether a string of several words is a password: most of the words have letters and digits, and none is a common
/// word of messages.
pub(super) fn is_phrase(value: &[u8]) -> bool {
    /// Most words. A choice.
    const MAX_WORDS: usize = 12;
    const OF_MESSAGES: &[&[u8]] = &[
        b"the", b"at", b"must", b"least", b"with", b"and", b"or", b"to", b"is", b"of", b"for", b"in", b"than",
    ];
    let is_text = |b: &u8| b.is_ascii_graphic() || *b == b' ';
    if value.trim_ascii().len() != value.len() || value.len() > MAX_WORD_BYTES || !value.iter().all(is_text) {
        return false;
    }
    let (mut words, mut mixed, mut has_password) = (0, 0, false);
    for word in value.split(|b| *b == b' ').filter(|word| !word.is_empty()) {
        words += 1;
        let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
        let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
        mixed += usize::from(letters > 0 && digits > 0 && !super::in_line::is_known(word));
        has_password |= is_signed_password(word) && is_strong(word);
        if OF_MESSAGES.iter().any(|known| word.eq_ignore_ascii_case(known)) || word.ends_with(b":") {
            return false;
        }
    }
    // One or two words next to a password are a part of it.
    (2..=MAX_WORDS).contains(&words) && (mixed >= 2 && mixed * 2 >= words || has_password && words <= 3)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::scan::Scan;
    use crate::sanitize::secrets::{redact, redact_value};

    #[test]
    fn what_is_around_a_value_stays() {
        let key = ["29db8dce1573", "d4b900498b77719fa337"].concat();
        let (word, odd) = ("DpGDgvOBcCXc2m", "Copper_Meadow_window2031");
        for (before, value, behind) in [
            ("{\"ts\": 1, \"msg\": \"    dbPassword      ", word, "\"}\n{\"ts\": 2, \"msg\": \"bye\"}"),
            ("{\"ts\": 1, \"msg\": \"name,password\\nada,", word, "\"}\n{\"ts\": 2}"),
            ("{\"m\": \"id|name|password\\n1|ada|", word, "\"}\n{\"ts\": 2}"),
            (
                "{\"m\": \"Array\\n(\\n    [user] => ada\\n    [password] => ",
                word,
                "\\n    [port] => 1\\n)\"}\n",
            ),
            ("{\"m\": \"Key       Value\\n---       -----\\npassword  ", word, "\"}\n{\"ts\": 2}"),
            ("{:out=>\"keychain: password: \\\"", word, "\\\"\\n\", :code=>0}"),
            ("{:out=>\"C: \\\"Host=db;Username=a;Password=", odd, "\\\"\\n\", :code=>0}"),
            ("<pre>export API_TOKEN=", &key, "</pre>\n<p>next</p>"),
            ("<pre>a = &quot;1&quot;\npassword = &quot;", word, "&quot;\nport = 1</pre>\n"),
            ("<pre>c({ n: &#x27;x&#x27;, api_secret: &#x27;", &key, "&#x27; })</pre>\n"),
            ("<log><![CDATA[export API_TOKEN=", &key, "]]></log>\n<n>1</n>"),
            ("<log><![CDATA[a=1\npassword=", word, "]]></log>\n<n>1</n>"),
            ("<pre>https://a.lan/v1?api_key=", &key, "&amp;page=2</pre>\n"),
            ("id,text,state\n1,\"name,password\nada,", word, "\",ok\n2,\"plain\",bad\n"),
            ("DB_PASSWORD=", word, ";HOST=db.lan;PORT=5432\n"),
            ("<pre>login(&quot;ada&quot;, password=&quot;", word, "&quot;)</pre>\n"),
            ("<pre>{&quot;api_key&quot;:&quot;", &key, "&quot;,&quot;keyName&quot;:&quot;R&quot;}</pre>\n"),
            ("<log><![CDATA[Data Source=a.lan;Pwd=", word, ";]]></log>\n<n>1</n>"),
            ("{\n  stdout: '    dbPassword      ", word, "\\n',\n  next: 'v1'\n}"),
            ("ftp://backup:", "mw@d?Hn^tn4vZ", "@ftp.lan/dump.sql\n"),
            ("DB_PASSWORD=", word, "$\nHOME=/root$\n"),
            ("name,password\r\nada,", word, "\r\n"),
            (" id | password\r\n----+------\r\n  1 | ", word, "\r\n"),
            (" user | password \r\n------+------\r\n ada  | ", word, "\r\n(1 row)\r\n"),
            ("a=1 password=", "Zx9(kP2)mQ7", " b=2\n"),
            ("user ada insecure-password ", "Tr0ub4dor&3xQ!", "\n"),
            ("NEO4J_AUTH=neo4j/", "k9#Lm2$Vp8@Zq", "\n"),
            ("mc alias set m http://h ada '", "k9#Lm2$Vp8@Zq", "'\n"),
            ("signtool sign /f c.pfx /p \"", "Tr0ub4dor&3xQ!", "\" a.exe\n"),
            ("postgres://app:", "k9#Lm2$Vp8@Zq", "@db.lan:5432/x\n"),
            ("mysql -h db -u root '-p", "Tr0ub4dor&3xQ!", "' shop\n"),
            ("curl -H \"Authorization: Bearer ", &key, "\" \"https://h/?a=1&x=1\"\n"),
            ("DB_PASSWORD=", "!harborlantern", "\nPORT=5432\n"),
            ("db:\n  password: '", "winter#cabin", "'\n  user: app\n"),
            (
                "    12\tmnemonic: ",
                "clarify bench donkey coconut dynamic absorb cruise bicycle accident chaos artist damage",
                "\n    13\tnext_step: done\n",
            ),
            ("{:out=>\"    dbPassword      ", word, "\\n\", :code=>0}"),
            ("a.env:12:Key         Value\na.env:13:password    ", word, "\na.env:14:user        app\n"),
            ("a.env:12:vault_password: >-\na.env:13:  ", "Stone-Meadow-Silver!", "\na.env:14:next: 1\n"),
            (
                "[12:00] ada: vault_password: >-\n[12:00] ada:   ",
                "Stone-Meadow-Silver!",
                "\n[12:00] ada: x\n",
            ),
        ] {
            let text = format!("{before}{value}{behind}");
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            let is_whole = out.starts_with(before) && out.ends_with(behind);
            assert!(is_whole && !out.contains(value), "{out}");
        }
    }

    #[test]
    fn a_string_that_a_value_begins_goes_to_its_end() {
        for (before, value, behind) in [
            ("{\"MYSQL_PWD\": \"", "correct horse battery staple", "\"}\n"),
            ("MYSQL_PWD='", "correct horse\tbattery<staple", "' run\n"),
            ("bind_password = \"", "open sesame) or else", "\"\n"),
            (": PSK \"", "Kq70\\\"Iaa0k piXdJK", "\"\n"),
            ("x.PlainLoginModule required username=\"bob\" password=\"", "open} sesame", "\";\n"),
            ("{\"m\": \"PGPASSWORD=\\\"", "open sesame now", "\\\" psql\"}\n"),
            ("poll imap.example.com user \"j\" password \"", "LrrrBF\\Ivpu kRPJ", "\" ssl\n"),
            ("\"SecretString\": \"", "correct ho\\\"rse battery", "\",\n"),
            ("\"SecretString\": \"", "correct ho\\\\", "\",\n"),
        ] {
            let text = format!("{before}{value}{behind}");
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert!(out.starts_with(&format!("{before}[REDACTED:")), "{out}");
            assert!(out.ends_with(&format!("]{behind}")), "{out}");
        }
        // A setting after the value, code and a string that does not end stay.
        for text in [
            "MYSQL_PWD=\"opensesame port=3306\"\n",
            "MYSQL_PWD=\"opensesame ${PORT} x\"\n",
            "MYSQL_PWD=\"opensesame --port 3306\"\n",
            "MYSQL_PWD=\"opensesame and the rest\n",
        ] {
            let out = redact(text).unwrap().text;
            let rest = text.split_once("opensesame").unwrap().1;
            assert!(out.ends_with(&format!("]{rest}")), "{out}");
        }
    }

    #[test]
    fn what_nobody_examined_goes_to_its_end() {
        let text = b"\"k: v\" tail </x>";
        let mut scan = Scan::new(text);
        scan.add_read(0, usize::MAX / 2);
        assert!(!scan.may_read(0, 3));
        let claims = scan.into_claims();
        assert_eq!((claims.len(), claims[0].start, claims[0].end), (1, 4, text.len()));
    }

    #[test]
    fn a_word_that_holds_a_secret_shows_what_is_before_it() {
        let (key, word) = (["0MopVMWb5esJ", "NtXx0uXeMoKKR8PmQDTA"].concat(), "0MopVMWb5esJ");
        for (before, value, behind) in [
            ("src/a.txt:12:STRIPE_SECRET=", key.as_str(), ""),
            ("https://ada:", word, "@x.lan/a/b.git"),
            ("PASSWORD=", word, ";HOST=db.lan;PORT=5432"),
        ] {
            let text = format!("{before}{value}{behind}");
            let keep = &mut |_: &'static str, _: &[u8]| false;
            assert_eq!(redact_value(&text, "x", keep), None);
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert!(out.starts_with(before) && out.ends_with(behind) && !out.contains(value), "{out}");
        }
        let shown = redact_value(word, "db_password", &mut |_, _| false).map(|redacted| redacted.text);
        assert_eq!(shown.as_deref(), Some("[REDACTED:generic-password]"));
    }

    #[test]
    fn the_heads_of_lines_around_a_key_stay() {
        let lines = ["MIIBOgIBAAJBAKj34GkxFhD90vcNLYLI", "nFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu"];
        for head in ["src/a.conf:1*:", "    1*\t", "2031-03-01T12:00:0*.001Z stdout F ", "web_*  | "] {
            let at =
                |n: usize| head.replace('*', &n.to_string().repeat(usize::from(!head.starts_with("web"))));
            let (first, last) = (
                ["-----BEGIN RSA PRI", "VATE KEY-----"].concat(),
                ["-----END RSA PRI", "VATE KEY-----"].concat(),
            );
            let text =
                format!("{}{first}\n{}{}\n{}{}\n{}{last}\n", at(1), at(2), lines[0], at(3), lines[1], at(4));
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            let whole = format!("{}{first}\n{}[REDACTED:private-key]\n{}{last}\n", at(1), at(2), at(4));
            assert_eq!(out, whole);
        }
    }

    /// Values with blanks, escapes, and characters that also end values.
    const SIGNED: &[&str] = &[
        "Kp7mQ2xR)t9zQ",
        "Kp7mQ2xR]t9zQ",
        "Kp7mQ2xR}t9zQ",
        "Kp7mQ2xR>t9zQ",
        "Kp7mQ2(xRt9zQ",
        "Kp7mQ2[xRt9zQ",
        "Kp7mQ2{xRt9zQ",
        "Kp7mQ2<xRt9zQ",
        "Kp7,mQ2x;Rt9z",
        "Kp7&mQ2xRt9zQ",
        "Kp7|mQ2xRt9zQ",
        "Kp7%smQ2xRt9z",
        "@Sommer2024x",
        "#Sommer2024x",
    ];

    /// Texts in which a value ends with its line, its word or its string.
    const WHOLE: &[&str] = &[
        "A=1\nDB_PASSWORD=*\nB=2\n",
        "db:\n  user: app\n  password: *\n  host: h\n",
        "[db]\npassword = *\n",
        "export DB_PASSWORD=\"*\"\n",
        "{\"password\": \"*\"}\n",
        "\"Env\": [\"DB_PASSWORD=*\", \"A=1\"]\n",
        "ENV DB_PASSWORD *\n",
        "INSERT INTO users (id, password) VALUES (1, '*'), (2, '*');\n",
        "COPY users (id, password) FROM stdin;\n1\t*\n\\.\n",
        "1) \"password\"\n2) \"*\"\n",
    ];

    #[test]
    fn a_value_goes_whole_over_signs() {
        let mut wrong = Vec::new();
        for place in WHOLE {
            for value in SIGNED {
                let shown = redact(&place.replace('*', value)).map_or_else(String::new, |r| r.text);
                let expected = place.replace('*', "[REDACTED:generic-password]");
                if shown != expected {
                    wrong.push(format!("{value} in {place}{shown}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn code_and_lists_end_a_value() {
        for text in [
            "password = get(user2)\n",
            "    password=admin2user),\n",
            "password: Optional[Str2],\n",
            "password = encode(user2,\n",
            "passwd: files,systemd\n",
            "password: string|min:8\n",
            "password: /^(?=.*[A-Z])(?=.*[0-9]).{8,}$/\n",
            "#password2 { color: red }\n",
            "password: @Password1\n",
            "token: /run/secrets/Db2Token9Xy\n",
            "secret = \"#/components/schemas/Secret2\"\n",
            "const USDC_TOKEN = \"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\";\n",
            "submodule secrets: 3f786850e387550fdab836ed7e6dc881de23001b\n",
            "Mounted secret: kube-api-access-7xk2p\n",
            "password: must have 8 characters\n",
            "\"password\": \"at least 1 digit2 and a3 sign\"\n",
            "INSERT INTO users (id, password) VALUES ($1, $2);\n",
            "token: 3f2504e0-4f89-41d3-9a0c-0305e82c3301\n",
            "curl -b cookies.txt -c cookies.txt https://h/\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
        let shown = |text: &str| redact(text).unwrap().text;
        for text in
            ["users:\n- user:\n    token: *\n", "token = \"*\"\n", "{\"token\": \"*\"}\n", "export TOKEN=*\n"]
        {
            let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
            assert_eq!(shown(&text.replace('*', id)), text.replace('*', "[REDACTED:generic-token]"));
        }
        assert_eq!(shown("password=hunter2xyz,host=db\n"), "password=[REDACTED:generic-password],host=db\n");
        let text = "A=1\nbindpw=s3cr3tLdap\n&bindpw=s3cr3tLdap&\n<x>\n";
        assert_eq!(shown(text), text.replace("s3cr3tLdap", "[REDACTED:ldap-password]"));
    }

    #[test]
    fn a_key_of_many_signs_goes() {
        let key = ["8$w@k3(7n!x_q2&z^m0p5", "=jr#t+6yv9h*4bu1-cg)se%fl"].concat();
        for place in [
            "SECRET_KEY = '*'\n",
            "SECRET_KEY=*\n",
            "  \"SECRET_KEY\": \"*\",\n",
            "SECRET_KEY = 'django-insecure-*'\n",
        ] {
            let shown = redact(&place.replace('*', &key)).unwrap().text;
            assert!(!shown.contains("se%fl") && !shown.contains("8$w@"), "{shown}");
        }
        let coded = ["/MULghOlvmP9opjy3aG3", "xlh0qfapRjDlFA1rFWbhHU4="].concat();
        assert!(!redact(&format!("JWT_SECRET={coded}\n")).unwrap().text.contains("MULgh"));
        let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
        for name in ["client_secret", "api_key", "\"authToken\"", "ACCESS_TOKEN"] {
            assert!(!redact(&format!("{name}: \"{id}\"\n")).unwrap().text.contains(id), "{name}");
        }
    }

    #[test]
    fn a_quoted_value_of_a_command_goes_with_its_blanks() {
        for (before, behind) in [
            ("gpg --passphrase '", "' -d x\n"),
            ("openssl enc -k '", "' -in a\n"),
            ("openssl pkcs12 -passin \"pass:", "\" -in a\n"),
            ("zip -P '", "' a b\n"),
            ("curl -u 'ada:", "' https://h\n"),
            ("sshpass -p '", "' ssh h\n"),
            ("mysql -u root -p'", "' shop\n"),
            ("docker login -u bob -p \"", "\"\n"),
            ("ldapsearch -x -w '", "' -b dc=h\n"),
            ("keytool -list -storepass \"", "\"\n"),
            ("requirepass \"", "\"\n"),
            ("export DB_PASSWORD=\"", "\"\n"),
            ("CREATE USER app IDENTIFIED BY '", "';\n"),
        ] {
            let shown =
                redact(&format!("{before}Kp7x mQ2x W9z{behind}")).map_or_else(String::new, |r| r.text);
            assert!(
                shown.starts_with(before) && shown.ends_with(behind) && !shown.contains("W9z"),
                "{before}{shown}"
            );
        }
    }
}
