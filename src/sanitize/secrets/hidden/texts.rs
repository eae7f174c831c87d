//! Texts in strings, in cells of CSV and in elements: `{"stdout": "password: …\nuser: …"}`, `7,"password: …",3`,
//! `<out>password: …</out>`.
//!
//! Each is written on lines of its own, without its quotation marks and its escapes, so that rules that need the
//! start or the end of a line apply to it. A string of one word is not a text.

use super::near::Near;
use super::strings::string;
use super::view::{Unit, View, line_start};
use super::{entities, escapes};
use crate::sanitize::secrets::judge::{ByteSet, skip, skip_back};
use crate::stop;
use std::ops::Range;

/// Longest text, in bytes.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Longest text of one line. A choice: what is longer is a message.
const MAX_LINE_BYTES: usize = 256;
/// How far before a keyword the start of its text is searched, in bytes.
const BEFORE_BYTES: usize = 256;
/// Longest tag.
const MAX_TAG_BYTES: usize = 64;

/// The texts near keywords; `None` without one.
pub(super) fn view(text: &[u8], near: &Near) -> Option<View> {
    let mut view = View::default();
    let mut open = Openings { text, unclosed: [0; 3] };
    let (mut done, mut goes_on) = (0, false);
    for stretch in near.stretches() {
        let mut at = line_start(text, stretch.start, BEFORE_BYTES).max(done);
        while at < stretch.end {
            let Some(next) = memchr::memchr3(b'"', b'\'', b'>', &text[at..stretch.end]) else { break };
            stop::check_sometimes();
            at += next;
            at = match open.inside(at) {
                Some(inside) if goes_on || is_text(text, &inside) => {
                    let end = inside.end;
                    let is_first = !std::mem::replace(&mut goes_on, is_line_of_list(text, &inside));
                    // A backslash at the end belongs to the string around the text, unless the next line continues the text.
                    let slashes = text[inside.clone()].iter().rev().take_while(|b| **b == b'\\').count();
                    let slashes = if goes_on { 0 } else { slashes };
                    if is_first {
                        view.stand(b"\n", inside.start..inside.start);
                    }
                    write(text, inside.start..end - slashes, text[at], &mut view);
                    let is_cut = goes_on && text[..end].ends_with(b"\\\\");
                    let behind: &[u8] = if is_cut {
                        b"\n"
                    } else if goes_on {
                        b""
                    } else {
                        b"\n\n"
                    };
                    view.stand(behind, end..end);
                    end + 1
                }
                Some(inside) if text[at] != b'>' => inside.end + 1,
                _ => at + 1,
            };
        }
        goes_on &= at <= stretch.end;
        done = done.max(at);
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Finds where texts end.
struct Openings<'t> {
    text: &'t [u8],
    /// For each kind of mark, the position up to which no text of that kind ends.
    unclosed: [usize; 3],
}

impl Openings<'_> {
    /// The inside of the string or the element that begins with the mark at `at`.
    fn inside(&mut self, at: usize) -> Option<Range<usize>> {
        let text = self.text;
        let (mark, start) = (text[at], at + 1);
        let kind = match mark {
            b'"' => 0,
            b'\'' => 1,
            _ => 2,
        };
        let next = *text.get(start)?;
        if at < self.unclosed[kind] {
            return None;
        }
        let limit = text.len().min(start + MAX_TEXT_BYTES);
        if mark == b'>' {
            if !is_tag(text, at) || next == b'<' {
                return None;
            }
            let end = start + memchr::memchr(b'<', &text[start..limit])?;
            return text[end..].starts_with(b"</").then_some(start..end);
        }
        if !opens(text, at) || next == mark || b",;)]}".contains(&next) {
            return None;
        }
        let mut end = start;
        while end < limit {
            end += memchr::memchr2(mark, b'\\', &text[end..limit]).unwrap_or(limit - end);
            match text.get(end) {
                Some(b'\\') => end += 2,
                Some(byte) if *byte == mark && text.get(end + 1) == Some(&mark) => end += 2,
                Some(byte) if *byte == mark => return Some(start..end),
                _ => break,
            }
        }
        self.unclosed[kind] = limit;
        None
    }
}

/// Whether a quotation mark opens a string that is a value, an item or a cell.
fn opens(text: &[u8], at: usize) -> bool {
    let before = text[..at].last().copied().unwrap_or(b'\n');
    match before {
        b':' | b'=' | b',' | b'[' | b'(' | b'{' | b'\n' | b'\t' | b';' => true,
        // The letter of bytes in Python.
        b'b' => at < 2 || !text[at - 2].is_ascii_alphanumeric(),
        b' ' => {
            let start = skip_back(text, at, const { ByteSet::parse(" ") }, MAX_TAG_BYTES);
            text[..start].last().is_none_or(|b| b":=,>)\n".contains(b))
        }
        _ => false,
    }
}

/// Whether the tag that ends at `at` opens an element.
fn is_tag(text: &[u8], at: usize) -> bool {
    let near = &text[at.saturating_sub(MAX_TAG_BYTES)..at];
    let Some(open) = near.iter().rposition(|b| matches!(b, b'<' | b'>' | b'\n')) else { return false };
    near[open] == b'<' && near.get(open + 1).is_some_and(u8::is_ascii_alphabetic) && !near.ends_with(b"/")
}

/// Whether a string has more than one line, or is one short line of more than one word, not all of them plain.
fn is_text(text: &[u8], inside: &Range<usize>) -> bool {
    let bytes = &text[inside.clone()];
    // Most strings have none of the bytes with which an escape begins.
    let mut starts = memchr::memchr3_iter(b'\n', b'\\', b'&', bytes);
    let has_lines = starts.any(|at| {
        bytes[at] == b'\n'
            || [&b"\\n"[..], b"&#10;", b"&#xA;", b"&#xa;"].iter().any(|end| bytes[at..].starts_with(end))
    });
    // `password: incorrect` is a message.
    let is_odd = |two: &[u8]| {
        two[0].is_ascii_alphanumeric() && (two[1].is_ascii_uppercase() || two[1].is_ascii_digit())
    };
    has_lines
        || (MIN_BYTES..=MAX_LINE_BYTES).contains(&bytes.len())
            && bytes.iter().any(|b| b" \t=:".contains(b))
            && bytes.windows(2).any(is_odd)
            && memchr::memmem::find(bytes, b"://").is_none_or(|at| at > MAX_TAG_BYTES)
}

/// Shortest text, in bytes: a name and a value.
const MIN_BYTES: usize = 12;

/// Writes a text without the escapes of its string and the references of its attribute or element.
fn write(text: &[u8], inside: Range<usize>, mark: u8, view: &mut View) {
    // In an element, only character references are decoded.
    let [first, second] = if mark == b'>' { [b'&', b'&'] } else { [b'\\', mark] };
    let mut at = inside.start;
    while at < inside.end {
        stop::check_sometimes();
        let len = memchr::memchr3(b'&', first, second, &text[at..inside.end]).unwrap_or(inside.end - at);
        view.copy(text, at..at + len);
        at += len;
        if at >= inside.end {
            break;
        }
        let unit = match text[at] {
            b'\\' => escapes::unit(text, at),
            b'&' => entities::unit(text, at),
            // A quotation mark that is written twice.
            _ => Some(Unit::byte(2, mark)),
        };
        let len = unit.map_or(1, |unit| unit.len);
        match unit {
            Some(unit) => view.stand(unit.bytes(), at..at + len),
            None => view.copy(text, at..at + len),
        }
        at += len;
    }
}

/// Whether a string is a line of a list of lines, as notebooks hold them, and the next item follows: it ends with a line
/// end, or with the backslash that continues a line.
fn is_line_of_list(text: &[u8], inside: &Range<usize>) -> bool {
    const BETWEEN: ByteSet = ByteSet::parse(", \t\r\n");
    let mark = text[inside.end];
    let bytes = &text[inside.clone()];
    let next = skip(text, inside.end + 1, BETWEEN, MAX_TAG_BYTES);
    (bytes.ends_with(b"\\n") || bytes.ends_with(b"\\\\"))
        && mark == b'"'
        && text.get(inside.end + 1) == Some(&b',')
        && string(text, next).is_some_and(|item| {
            let behind = skip(text, item.end + 1, BETWEEN, MAX_TAG_BYTES);
            text.get(behind) != Some(&b':')
        })
}

/// Lines of a log of Docker that its driver cut: `{"log":"first half","stream":…}` above `{"log":"second half\n",…}`.
/// Each cut is written with the text around it; `None` without one.
pub(super) fn cut_lines(text: &[u8]) -> Option<View> {
    const HEAD: &[u8] = b"{\"log\":";
    /// Bytes on each side of a cut.
    const NEAR_BYTES: usize = 512;
    let mut view = View::default();
    let mut before: Option<Range<usize>> = None;
    for at in memchr::memmem::find_iter(text, HEAD) {
        stop::check_sometimes();
        let open = skip(text, at + HEAD.len(), const { ByteSet::parse(" ") }, 1);
        let near = text.get(open + 1..text.len().min(open + MAX_TEXT_BYTES)).unwrap_or_default();
        let is_end = |end: &usize| {
            let slashes = near[..*end].iter().rev().take(MAX_TAG_BYTES).take_while(|b| **b == b'\\').count();
            slashes % 2 == 0
        };
        let is_string = text.get(open) == Some(&b'"') && (at == 0 || text[at - 1] == b'\n');
        let Some(len) = memchr::memchr_iter(b'"', near).find(is_end).filter(|_| is_string) else { continue };
        let inside = open + 1..open + 1 + len;
        if let Some(before) =
            before.take().filter(|before| (before.end..before.end + 2 * NEAR_BYTES).contains(&at))
        {
            view.stand(b"\n", before.end..before.end);
            view.copy(text, before.start.max(before.end.saturating_sub(NEAR_BYTES))..before.end);
            view.copy(text, inside.start..inside.end.min(inside.start + NEAR_BYTES));
            view.stand(b"\n", inside.end..inside.end);
        }
        let is_cut = !text[inside.clone()].ends_with(b"\\n") && !inside.is_empty();
        before = is_cut.then_some(inside);
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Doubled quotation marks of `7,"{""key"": ""…""}",3`, a cell of CSV that holds strings. The two marks of an empty string are recognized
/// because no letter is beside them.
///
/// The text near keywords with such marks written once; `None` without one.
pub(super) fn without_doubled(text: &[u8], near: &Near) -> Option<View> {
    let (mut view, mut copied) = (View::default(), 0);
    for stretch in near.stretches() {
        for at in memchr::memmem::find_iter(&text[stretch.clone()], b"\"\"").map(|n| stretch.start + n) {
            stop::check_sometimes();
            let is_word =
                |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphanumeric);
            if at >= copied && is_word(at.checked_sub(1)) != is_word(Some(at + 2)) {
                view.copy_near(text, copied..at + 1);
                copied = at + 2;
            }
        }
    }
    (!view.bytes().is_empty()).then(|| {
        view.copy_behind(text, copied);
        view
    })
}

#[cfg(test)]
mod tests {
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_text_in_a_string_is_read_line_by_line() {
        let (word, mixed, key) = ("openSesameNow", "mULfOU8lZv4CNp", "Kx9mQ2vLw7zAb4tR8nB3rY6c");
        for (before, value, behind) in [
            ("{\"stdout\": \"http_password: ", word, "\", \"code\": 0}\n"),
            ("{\"stdout\": \"http_password: ", word, "\\nuser: ada\\n\"}\n"),
            ("{\"b\": \"{\\\"out\\\": \\\"http_password: ", word, "\\\"}\"}\n"),
            ("{\"out\": \"API Key:\\n", key, "\"}\n"),
            ("{\"out\": \"DB_PASS = ", mixed, "\"}\n"),
            ("{\"out\": \"name,user,password\\nh,ada,", mixed, "\\n\"}\n"),
            ("id,body,at\n7,\"http_password: ", word, "\",2031\n"),
            ("id,body,at\n7,\"user: \"\"ada\"\"\nhttp_password: ", word, "\",2031\n"),
            ("{'out': 'http_password: ", word, "', 'rc': 0}\n"),
            ("b'http_password: ", word, "\\n'\n"),
            ("#<Result @out=\"http_password: ", word, "\", @rc=0>\n"),
            ("Result{out='http_password: ", word, "', code=0}\n"),
            ("<r><line>http_password: ", word, "</line></r>\n"),
            ("<r v=\"user: ada&#10;http_password: ", word, "\"/>\n"),
        ] {
            let text = format!("{before}{value}{behind}");
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            let is_whole = out.starts_with(before) && out.ends_with(behind);
            assert!(is_whole && !out.contains(value), "{out}");
        }
    }

    #[test]
    fn strings_of_programs_stay() {
        for text in [
            "print(\"password: \")\n",
            "{\"error\": \"password: incorrect\", \"user\": \"Password: Mismatch\"}\n",
            "throw new Error(\"the password: must have 8 characters\");\n",
            "t('it is a password: chosen by you', x)\n",
            "<label>Password: required</label>\n",
            "msg = \"password: %s\\nuser: %s\" % (password, user)\n",
            "{\"help\": \"token: the token of the service\\nuser: its user\"}\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }

    #[test]
    fn a_value_goes_on_in_the_next_line_of_a_list_or_a_log() {
        let (first, second) = (["gh", "p_16C7e42F292c69"].concat(), "12E7710c838347Ae178B4a");
        for (before, between, behind) in [
            ("{\"source\": [\n    \"t = (\\\"", "\\\"\\n\",\n    \"  \\\"", "\\\")\\n\"\n]}"),
            ("{\"lines\": [\"export T=", "\\\\\", \"", "\"]}"),
            ("{\"log\":\"token=", "\",\"stream\":\"stdout\"}\n{\"log\":\"", "\\n\",\"stream\":\"stdout\"}\n"),
        ] {
            let text = format!("{before}{first}{between}{second}{behind}");
            let shown = redact(&text).map(|redacted| redacted.text);
            assert_eq!(shown, Some(format!("{before}[REDACTED:github-pat]{behind}")));
        }
        for text in [
            "{\"log\":\"password=\",\"stream\":\"stdout\"}\n{\"log\":\"next line2\\n\",\"stream\":\"stdout\"}\n",
            "{\"lines\": [\"password:\\\\\", \"see below\"]}\n",
        ] {
            assert_eq!(redact(text), None, "{text}");
        }
    }
}
