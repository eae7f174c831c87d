//! String literals in code, and the rest of a line without one; and texts that code puts together from several
//! literals: `"gl" + "pat-…"`, `["gl", "pat-…"].join("")`, `` `gl${"pat-…"}` ``.
//!
//! The parts may be divided inside a keyword, so they are searched for everywhere, not only near keywords. Variables
//! are not resolved.

use super::arrays;
use super::view::{MAX_WORD_BYTES, View, is_inside, line_start};
use crate::sanitize::secrets::judge::{ByteSet, skip};
use crate::stop;
use aho_corasick::packed::Searcher;
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// The longest name of a member, and the most blanks after it, in bytes. Choices: members of tables have shorter
/// ones.
const MAX_NAME_BYTES: usize = 512;
const MAX_BLANKS: usize = 96;

/// Bytes before a value that are searched for an escaped line end.
const BEFORE_BYTES: usize = 64;
/// Longest value, in bytes.
const MAX_VALUE_BYTES: usize = 4 << 10;

/// The rest of the line from `at` on, if it is not a string.
pub(super) fn line(text: &[u8], at: usize) -> Option<Range<usize>> {
    let near = &text[at..text.len().min(at + MAX_VALUE_BYTES)];
    let len = memchr::memchr(b'\n', near).unwrap_or(near.len());
    // In a string, an escape ends the line.
    let before = &text[at.saturating_sub(BEFORE_BYTES)..at];
    let is_string = memchr::memmem::find(before, b"\\n").is_some();
    let len = memchr::memmem::find(&near[..len], b"\\n").filter(|_| is_string).unwrap_or(len);
    let slashes = near[..len].iter().rev().take_while(|b| **b == b'\\' && is_string).count();
    let len = near[..len - slashes].trim_ascii_end().len();
    (len > 0 && !b"\"'[{(|>&*".contains(&near[0])).then_some(at..at + len)
}

/// The inside of the string that begins at `at`.
pub(super) fn string(text: &[u8], at: usize) -> Option<Range<usize>> {
    let slashes = skip(text, at, const { ByteSet::parse("\\") }, 3) - at;
    let quote = *text.get(at + slashes).filter(|b| matches!(b, b'"' | b'\''))?;
    let start = at + slashes + 1;
    if slashes > 0 {
        // A string inside another string ends at the next quotation mark of the same form.
        let near = &text[start..text.len().min(start + MAX_VALUE_BYTES)];
        let len = memchr::memmem::find(near, &text[at..start])?;
        return (!near[..len].contains(&b'\n')).then_some(start..start + len);
    }
    let mut end = start;
    let limit = text.len().min(start + MAX_VALUE_BYTES);
    while end < limit && text[end] != quote && text[end] != b'\n' {
        end += 1 + usize::from(text[end] == b'\\');
    }
    (end < limit && text[end] == quote).then_some(start..end)
}

/// Whether a word may be the first piece of a value that is cut at a blank: mixed, and not the name of a secret, such
/// as `dbPassword`.
pub(super) fn may_be_piece(word: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[b"Password", b"Passwd", b"Token", b"Secret", b"Key", b"Passphrase"];
    is_mixed(word) && !NAMES.iter().any(|name| word.ends_with(name))
}

/// Lengths of keys in hexadecimal digits.
pub(super) const DIGITS: &[usize] = &[32, 40, 48, 64, 96, 128];
/// The shortest first piece of such a key.
pub(super) const MIN_DIGITS: usize = 6;

/// The end of a key of hexadecimal digits that fills several lines of one length and has a usual length only with all
/// of them. In a list of digests, the first line alone has a usual length.
pub(super) fn end_of_digits(text: &[u8], pieces: impl Iterator<Item = Range<usize>>) -> Option<usize> {
    let (mut total, mut width, mut found) = (0, usize::MAX, None);
    for (n, Range { start, end }) in pieces.enumerate() {
        let piece = text.get(start..end)?;
        total += piece.len();
        let is_whole = DIGITS.contains(&total);
        let is_first = n == 0 && !is_whole && piece.len() >= MIN_DIGITS;
        let is_next = n > 0 && piece.len() <= width && DIGITS.iter().any(|digits| total <= *digits);
        if !(is_first || is_next) || !piece.iter().all(u8::is_ascii_hexdigit) {
            break;
        }
        if n > 1 && is_whole {
            found = Some(end);
        }
        if piece.len() < width && n > 1 {
            break;
        }
        if n > 0 {
            width = piece.len();
        }
    }
    found
}

/// Whether a word has digits among its letters, or mixed case: it is not an ordinary word.
pub(in crate::sanitize::secrets) fn is_mixed(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
        || has(u8::is_ascii_lowercase) && word.iter().skip(1).any(u8::is_ascii_uppercase)
}

/// Whether the word before `end` has digits and letters, or small letters and capitals: most have neither.
pub(super) fn may_be_mixed(text: &[u8], end: usize) -> bool {
    let word = text[end.saturating_sub(MAX_WORD_BYTES)..end].iter().rev();
    let (mut lower, mut upper, mut digit) = (false, false, false);
    for byte in word.take_while(|byte| is_inside(**byte) && **byte != b'=') {
        lower |= byte.is_ascii_lowercase();
        upper |= byte.is_ascii_uppercase();
        digit |= byte.is_ascii_digit();
    }
    digit && (lower || upper) || lower && upper
}

/// Whether two parts of a line are words in small letters, as in `target/debug/lib-1a2b`.
pub(in crate::sanitize::secrets) fn is_path(piece: &[u8]) -> bool {
    let is_word = |part: &&[u8]| part.len() >= 3 && part.iter().all(u8::is_ascii_lowercase);
    piece.split(|b| b"/._-".contains(b)).filter(is_word).count() >= 2
}

/// Whether a line is a parameter of its own: `&name=value`.
pub(super) fn is_parameter(piece: &[u8]) -> bool {
    let Some((b'&' | b'?' | b';' | b'+', name)) = piece.split_first() else { return false };
    let len = name.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.-".contains(b)).count();
    name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.get(len) == Some(&b'=')
        && name.get(len + 1).is_some_and(|b| *b != b'=')
}

/// Longest literal that is a piece of a text, in bytes.
const MAX_PIECE_BYTES: usize = 512;
/// Bytes of code between two pieces.
const MAX_BETWEEN_BYTES: usize = 96;
/// Longest scheme of an address, in bytes. A choice.
const MAX_SCHEME_BYTES: usize = 16;
/// Bytes before the first piece that are copied: a name and an operator.
const MAX_LEAD_BYTES: usize = 96;
/// Bytes around a call that are searched for the list that it puts together. A choice.
const LIST_BYTES: usize = 768;

const SPACE: ByteSet = ByteSet::parse(" \t\r\n");
const BLANK: ByteSet = ByteSet::parse(" \t");
const NAME: ByteSet = ByteSet::parse("a-zA-Z0-9_.$");

/// Texts that are put together from literals.
#[derive(Default)]
pub(super) struct Glued {
    pub(super) view: View,
    /// Places between two pieces.
    places: Vec<usize>,
}

impl Glued {
    /// Whether a range of the source has a join between two pieces; text without a join is searched elsewhere.
    pub(super) fn crosses(&self, range: &Range<usize>) -> bool {
        let first = self.places.partition_point(|place| *place < range.start);
        self.places.get(first).is_some_and(|place| *place < range.end)
    }

    /// Begins a text whose first piece begins at `start`, and copies the name and operator before it.
    fn begin(&mut self, text: &[u8], start: usize, done: usize) {
        let lead = line_start(text, start, MAX_LEAD_BYTES).max(done.min(start))..start;
        self.view.stand(b"\n", lead.start..lead.start);
        self.view.copy(text, lead);
    }
}

/// The texts that code puts together; `None` without one.
pub(super) fn glued(text: &[u8]) -> Option<Glued> {
    let mut glued = Glued::default();
    operands(text, &mut glued);
    lists(text, &mut glued);
    templates(text, &mut glued);
    glued.places.sort_unstable();
    (!glued.places.is_empty()).then_some(glued)
}

/// Literals with an operator or a call between them, or side by side.
fn operands(text: &[u8], glued: &mut Glued) {
    let mut done = 0;
    for at in memchr::memchr3_iter(b'"', b'\'', b'`', text) {
        if at < done {
            continue;
        }
        // Most quotation marks are followed by another sign, or are after a blank.
        const GOES_ON: ByteSet = ByteSet::parse(" \t\r\n\\+.&~|^<>);\"'`");
        let may_go_on = text.get(at + 1).is_some_and(|b| GOES_ON.has(*b));
        let end = unescaped(text, at);
        if !may_go_on || end == 0 || !is_inside(text[end - 1]) {
            continue;
        }
        stop::check_sometimes();
        let Some(first) = piece_before(text, at, done) else { continue };
        let Some(next) = operator(text, at) else { continue };
        glued.begin(text, first.start, done);
        glued.view.copy(text, first);
        done = operand(text, at, next, glued);
        glued.view.stand(&text[at..=at], done..done);
        glued.view.stand(b"\n", done..done);
    }
}

/// Adds the pieces from `next` on; the literal before them ends at `at`. Returns their end.
fn operand(text: &[u8], mut at: usize, mut next: usize, glued: &mut Glued) -> usize {
    loop {
        stop::check_sometimes();
        glued.places.push(at);
        let Some(piece) = piece(text, next) else { return next };
        at = piece.end;
        glued.view.copy(text, piece.start..unescaped(text, at).max(piece.start));
        match operator(text, at) {
            Some(from) => next = from,
            None => return at,
        }
    }
}

/// The inside of the literal whose quotation mark is before `start`; one line, without quotation marks of its kind.
fn piece(text: &[u8], start: usize) -> Option<Range<usize>> {
    let quote = *text.get(start.checked_sub(1)?)?;
    let near = &text[start..text.len().min(start + MAX_PIECE_BYTES)];
    let len = memchr::memchr2(quote, b'\n', near).filter(|len| near[*len] == quote)?;
    Some(start..start + len)
}

/// The inside of the literal that ends at `end`.
fn piece_before(text: &[u8], end: usize, done: usize) -> Option<Range<usize>> {
    let from = end.saturating_sub(MAX_PIECE_BYTES).max(done.min(end));
    let open = memchr::memrchr2(text[end], b'\n', &text[from..end]).map(|at| from + at)?;
    let inside = open + 1..unescaped(text, end);
    (text[open] == text[end] && inside.start < inside.end && is_inside(text[open + 1])).then_some(inside)
}

/// The end of the literal whose quotation mark is at `at`: before the backslash, if the code is itself in a string.
fn unescaped(text: &[u8], at: usize) -> usize {
    at - usize::from(at > 0 && text[at - 1] == b'\\')
}

/// The start of the next literal, if the quotation mark at `at` is followed by an operator or call that joins
/// literals.
pub(in crate::sanitize::secrets) fn operator(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[..text.len().min(at + MAX_BETWEEN_BYTES)];
    let quote = text[at];
    let closed = skip(near, at + 1, const { ByteSet::parse(")") }, 2);
    let mut next = skip(near, closed, SPACE, MAX_BETWEEN_BYTES);
    let between = &near[closed..next];
    let rest = near.get(next..)?;
    let (mut has_operator, mut is_call) = (true, false);
    // The sign of a diff.
    if between.ends_with(b"\n") && rest.first() == Some(&b'+') {
        return None;
    }
    match rest {
        [b'+', b'+', ..] | [b'.', b'.', ..] | [b'|', b'|', ..] | [b'<', b'>', ..] | [b'<', b'<', ..] => {
            next += 2
        }
        [b'+' | b'^' | b'~' | b'&', ..] => next += 1,
        [b'.', ..] => {
            let name = skip(near, next + 1, const { ByteSet::parse("a-z_A-Z") }, 16);
            let word = &near[next + 1..name];
            is_call = [&b"concat"[..], b"append", b"Append", b"push_str"].contains(&word)
                && near.get(name) == Some(&b'(');
            (is_call || word.is_empty()).then_some(())?;
            next = name + usize::from(is_call);
        }
        // `s = "…"; s += "…"`
        [b';', ..] => next = added(near, next + 1)?,
        _ if between.contains(&b'\n')
            && rest.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'$') =>
        {
            match added(near, next) {
                Some(from) => next = from,
                None => has_operator = false,
            }
        }
        _ => has_operator = false,
    }
    if has_operator {
        next = skip(near, next, const { ByteSet::parse("_\\ \t\r\n(") }, MAX_BETWEEN_BYTES);
    } else if near.get(next) == Some(&b'\\') && next > closed {
        next = skip(near, next + 1, SPACE, MAX_BETWEEN_BYTES);
    }
    let lines = memchr::memchr_iter(b'\n', &near[at..next]).count();
    let letter = usize::from(near.get(next).is_some_and(|b| b"frbuL@$".contains(b)) && next > closed);
    let open = *near.get(next + letter)?;
    // `String("…")`
    let from = match b"\"'`".contains(&open) {
        true => next + letter,
        false if has_operator && !is_call => {
            let name = skip(near, next, const { ByteSet::parse("a-zA-Z0-9_.:") }, 24);
            (name > next
                && near.get(name) == Some(&b'(')
                && near.get(name + 1).is_some_and(|b| b"\"'`".contains(b)))
            .then_some(name + 1)?
        }
        false => return None,
    };
    let open = near[from];
    let is_inside = near.get(from + 1).is_some_and(|b| is_inside(*b));
    // Literals without an operator between: other quotation marks, a blank, or an indented line.
    let is_beside = || match lines {
        // In SQL, two single quotation marks stand for one.
        0 => open != quote || from > at + 1 || quote == b'"',
        1 => from > 0 && BLANK.has(near[next - 1]),
        _ => false,
    };
    // In a command line, an address is the next argument.
    let is_address = || {
        let scheme = skip(near, from + 1, const { ByteSet::parse("a-z+") }, MAX_SCHEME_BYTES);
        near.get(scheme..).is_some_and(|rest| rest.starts_with(b"://"))
    };
    let is_joined = if has_operator { lines <= 2 } else { closed == at + 1 && is_beside() && !is_address() };
    (is_inside && is_joined && !is_name(text, from + 1, open)).then_some(from + 1)
}

/// The end of ` name += ` at `at`.
fn added(near: &[u8], at: usize) -> Option<usize> {
    let name = skip(near, at, SPACE, MAX_BETWEEN_BYTES);
    let end = skip(near, name, NAME, MAX_WORD_BYTES);
    let sign = skip(near, end, BLANK, 4);
    let is_added = [&b"+="[..], b".=", b"<<"]
        .iter()
        .any(|add| near.get(sign..).is_some_and(|rest| rest.starts_with(add)));
    (end > name && is_added).then_some(sign + 2)
}

/// Lists of literals near a call that puts them together: `join`, `concat`, `implode`, formats.
fn lists(text: &[u8], glued: &mut Glued) {
    const NAMES: [&str; 8] = ["join", "Join", "mplode(", "concat", "paste0(", "%s%s", "{}{}", "%v%v"];
    static CALLS: LazyLock<[Finder<'static>; 8]> = LazyLock::new(|| NAMES.map(Finder::new));
    // Most texts have none of the names; one pass for all names shows that.
    static ANY: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(NAMES));
    let first = match &*ANY {
        Some(any) => any.find(text).map(|found| found.start()),
        None => Some(0),
    };
    let Some(first) = first else { return };
    let places = CALLS.iter().flat_map(|call| call.find_iter(&text[first..]));
    let mut calls: Vec<usize> = places.map(|place| first + place).collect();
    calls.sort_unstable();
    let mut done = 0;
    for call in calls {
        let window = call.saturating_sub(LIST_BYTES).max(done)..text.len().min(call + LIST_BYTES);
        let (mark, argument) = separator(text, call);
        let mut at = window.start;
        while let Some(open) = memchr::memchr2(b'"', b'\'', text.get(at..window.end).unwrap_or_default()) {
            stop::check_sometimes();
            at += open;
            at = match argument.as_ref().filter(|argument| argument.start == at + 1) {
                Some(argument) => argument.end + 1,
                None => list(text, at, mark, glued).unwrap_or(at + 1),
            };
        }
        done = done.max(window.end).max(at);
    }
}

/// The separator that a call puts between the items of its list, and its range if it is an argument: `"_".join(…)`,
/// `….join('-')`.
fn separator(text: &[u8], call: usize) -> (&[u8], Option<Range<usize>>) {
    const MAX_BYTES: usize = 3;
    let before = &text[call.saturating_sub(MAX_BYTES + 3)..call];
    if let Some(before) = before.strip_suffix(b"\".").or(before.strip_suffix(b"'."))
        && let Some(open) = memchr::memrchr2(b'"', b'\'', before)
    {
        return (&before[open + 1..], None);
    }
    let word = skip(text, call, const { ByteSet::parse("a-zA-Z") }, MAX_WORD_BYTES);
    let open = skip(text, word, const { ByteSet::parse("(") }, 1) + 1;
    let is_argument = word > call && text.get(open - 1).is_some_and(|b| matches!(b, b'"' | b'\''));
    let piece = piece(text, open).filter(|piece| is_argument && open > word + 1 && piece.len() <= MAX_BYTES);
    (piece.as_ref().map_or(b"", |piece| &text[piece.clone()]), piece)
}

/// Adds the literals of the list whose first literal opens at `open`. Returns their end; `None` if there is no list.
fn list(text: &[u8], open: usize, mark: &[u8], glued: &mut Glued) -> Option<usize> {
    let item = |open: usize| {
        let item = piece(text, open + 1)?;
        let bytes = &text[item.clone()];
        // A format string is not an item.
        let is_piece = !bytes.is_empty() && bytes[0] != b'%' && bytes.iter().all(|b| is_inside(*b));
        is_piece.then_some(item)
    };
    let next = |end: usize| {
        let comma = skip(text, end + 1, SPACE, MAX_BETWEEN_BYTES);
        (text.get(comma) == Some(&b',')).then_some(())?;
        let open = skip(text, comma + 1, SPACE, MAX_BETWEEN_BYTES);
        text.get(open).filter(|b| matches!(b, b'"' | b'\'')).and_then(|_| item(open))
    };
    let first = item(open)?;
    let mut second = Some(next(first.end)?);
    let is_named = arrays::name(text, open, &mut glued.view);
    if !is_named {
        glued.view.stand(b"\n\"", open..open);
    }
    let mut end = first.end;
    glued.view.copy(text, first);
    while let Some(item) = second {
        stop::check_sometimes();
        glued.places.push(end);
        glued.view.stand(mark, end..end);
        end = item.end;
        glued.view.copy(text, item);
        second = next(end);
    }
    glued.view.stand(b"\"\n", end..end);
    Some(end + 1)
}

/// Literals inside the text of a template: `` `gl${"pat-…"}` ``, `f"{'gl'}{'pat-…'}"`.
fn templates(text: &[u8], glued: &mut Glued) {
    let is_string = |at: &usize| text[*at] == b'\'' || text.get(at + 2).is_some_and(|b| b"\"'".contains(b));
    static MARKS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["${", "'}{'"].map(Finder::new));
    let marks = MARKS.iter().flat_map(|mark| mark.find_iter(text));
    let mut marks: Vec<usize> = marks.filter(is_string).collect();
    marks.sort_unstable();
    let mut done = 0;
    for at in marks {
        stop::check_sometimes();
        if at < done {
            continue;
        }
        let near = text.len().min(at + MAX_PIECE_BYTES);
        glued.begin(text, at, done);
        let mut copied = at;
        done = at;
        while done < near && text[done] != b'\n' {
            let skipped = match text[done..near] {
                [b'$', b'{', b'"' | b'\'', ..] => 3,
                [b'"' | b'\'', b'}', b'$', b'{', b'"' | b'\'', ..] => 5,
                [b'\'', b'}', b'{', b'\'', ..] => 4,
                [b'"' | b'\'', b'}', ..] => 2,
                _ => {
                    done += 1;
                    continue;
                }
            };
            glued.view.copy(text, copied..done);
            glued.places.push(done);
            done += skipped;
            copied = done;
        }
        glued.view.copy(text, copied..done);
        glued.view.stand(b"\n", done..done);
    }
}

/// Whether the string that begins after `start` is the name of the next member of a table or an object, and not a
/// continuation of the string before it.
pub(super) fn is_name(text: &[u8], start: usize, quote: u8) -> bool {
    let rest = &text[start..text.len().min(start + MAX_NAME_BYTES)];
    let Some(len) = memchr::memchr2(quote, b'\n', rest).filter(|len| rest[*len] == quote) else {
        return false;
    };
    let behind = &rest[len + 1..];
    let blanks = behind.iter().take(MAX_BLANKS).take_while(|b| **b == b' ' || **b == b'\t').count();
    matches!(behind.get(blanks), Some(b'=' | b':'))
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_text_that_code_puts_together_goes_whole() {
        let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let [first, second, third] = [&token[..3], &token[3..20], &token[20..]];
        let hidden = "[REDACTED:github-pat]";
        for (before, between, behind) in [
            ("t = \"", "\" + \"", "\";\n"),
            ("t = (\"", "\"\n     \"", "\")\n"),
            ("t = \"", "\" \"", "\"\n"),
            ("t = '", "' || '", "';\n"),
            ("t = \"", "\" & _\n    \"", "\"\n"),
            ("t = \"", "\" <> \"", "\"\n"),
            ("t = \"", "\".concat(\"", "\");\n"),
            ("b.append(\"", "\")\n  .append(\"", "\");\n"),
            ("t = \"", "\";\nt += \"", "\";\n"),
            ("t = \"", "\"\n$t .= \"", "\"\n"),
            ("t = std::string(\"", "\") + std::string(\"", "\");\n"),
            ("t = [\"", "\", \"", "\"].join(\"\")\n"),
            ("t = \"\".join([\n  \"", "\",\n  \"", "\",\n])\n"),
            ("t = implode('', ['", "', '", "']);\n"),
            ("t = concat!(\"", "\", \"", "\");\n"),
            ("t = fmt.Sprintf(\"%s%s%s\", \"", "\", \"", "\")\n"),
            ("t = `${\"", "\"}${\"", "\"}`;\n"),
            ("{\"code\": \"t = \\\"", "\\\" + \\\"", "\\\";\"}\n"),
        ] {
            let text = format!("{before}{first}{between}{second}{between}{third}{behind}");
            let shown = redact(&text).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("{before}{hidden}{behind}")), "{text}");
        }
        let text = format!("t = \"{first}\" + '{second}' + \"{third}\";\n");
        assert_eq!(redact(&text).map(|r| r.text), Some(format!("t = \"{hidden}\";\n")));
        let text = format!("t = ['{}', '{}'].join('_');\n", &token[..3], &token[4..]);
        assert_eq!(redact(&text).map(|r| r.text), Some(format!("t = ['{hidden}'].join('_');\n")));
        let text = format!("t = `{}${{'{}'}}`;\n", &token[..9], &token[9..]);
        assert_eq!(redact(&text).map(|r| r.text), Some(format!("t = `{hidden}'}}`;\n")));
    }

    #[test]
    fn strings_that_are_put_together_otherwise_stay() {
        for text in [
            "path = \"src/\" + name + \"/mod2.rs\";\n",
            "throw new Error(\"password: \" + \"must have 8 characters\");\n",
            "[\"password\", \"token1\", \"user2\"].join(\", \")\n",
            "x = \"a\" + \"b\";\ny = `${\"c\"}${d}`;\n",
            "\"\" + \"",
            "'a' 'b",
            "`${'",
            "\"a\".concat(",
            "join([\"a\", ",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }
}
