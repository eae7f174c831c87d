//! Texts in parameters of forms and addresses: `body=first+line%0Asecond+line&x=1`.
//!
//! Each is written on lines of its own, so that rules that need the start or the end of a line apply to it. Blanks
//! may be coded as `+`.

use super::percent;
use super::view::{Unit, View, table};
use crate::stop;
use std::ops::Range;

/// Bytes of a coded parameter.
const CODED: [bool; 256] = table(b"-._~%+*!'()/:@,$");
/// Shortest parameter that is read, in bytes. A choice.
const MIN_BYTES: usize = 10;
/// Bytes before a parameter that are searched for its name.
const MAX_NAME_BYTES: usize = 64;

/// The parameters that are texts; `None` without one.
pub(super) fn view(text: &[u8]) -> Option<View> {
    let (mut view, mut done) = (View::default(), 0);
    for at in memchr::memchr2_iter(b'%', b'+', text) {
        if at < done {
            continue;
        }
        stop::check_sometimes();
        let before = text[done..at].iter().rev().take_while(|b| CODED[usize::from(**b)]).count();
        let behind = text[at..].iter().take_while(|b| CODED[usize::from(**b)]).count();
        let value = at - before..at + behind;
        done = value.end;
        if value.len() >= MIN_BYTES && is_text(text, &value) {
            write(text, value, &mut view);
        }
    }
    (!view.bytes().is_empty()).then_some(view)
}

/// Whether the value of a parameter has blanks, line ends or operators: without these it is a single value.
fn is_text(text: &[u8], value: &Range<usize>) -> bool {
    if value.start == 0 || text[value.start - 1] != b'=' {
        return false;
    }
    let near = &text[value.start.saturating_sub(MAX_NAME_BYTES)..value.start - 1];
    let name = near.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_.-[]".contains(b)).count();
    let is_parameter = text.get(value.end) == Some(&b'&')
        || near.len().checked_sub(name + 1).is_some_and(|at| matches!(near[at], b'?' | b'&'));
    let bytes = &text[value.clone()];
    let is_plus = |at: usize| at > 0 && bytes[at] == b'+';
    let is_code = |at: usize| {
        let code = percent::unit(bytes, at);
        code.is_some_and(|code| {
            matches!(code.bytes(), [b' ' | b'\n' | b'\r' | b'\t' | b'=' | b':' | b'"' | b'\''])
        })
    };
    let mut codes = memchr::memchr2_iter(b'%', b'+', bytes);
    name > 0 && codes.any(|at| is_parameter && is_plus(at) || is_code(at))
}

fn write(text: &[u8], value: Range<usize>, view: &mut View) {
    view.stand(b"\n", value.start..value.start);
    let mut copied = value.start;
    for at in memchr::memchr2_iter(b'%', b'+', &text[value.clone()]).map(|n| value.start + n) {
        stop::check_sometimes();
        let unit = match text[at] {
            b'+' => Unit::byte(1, b' '),
            _ => match percent::unit(text, at) {
                Some(unit) => unit,
                None => continue,
            },
        };
        // The sign of a sign that is coded twice.
        if at < copied {
            continue;
        }
        view.copy(text, copied..at);
        view.stand(unit.bytes(), at..at + unit.len);
        copied = at + unit.len;
    }
    view.copy(text, copied..value.end);
    view.stand(b"\n\n", value.end..value.end);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_text_in_a_parameter_is_read_line_by_line() {
        for (text, shown) in [
            ("body=docker+login+-u+ci+-p+Kx9mQ2vLw7z+r.acme.io&x=1", "Kx9mQ2vLw7z"),
            ("body=%5Bdb%5D%0Auser+%3D+app%0Apassword+%3D+hunterxyzq&x=1\n", "hunterxyzq"),
            ("body=DB_PASSWORD%3DKxmQvLwzab&x=1\n", "KxmQvLwzab"),
            ("POST /x?text=API%20Key%3A%0AKx9mQ2vLw7zAb4tR8nB3rY6c\n", "Kx9mQ2vLw7zAb4tR8nB3rY6c"),
        ] {
            let out = redact(text).map_or_else(String::new, |redacted| redacted.text);
            let (before, behind) = text.split_once(shown).unwrap();
            assert!(out.starts_with(before) && out.ends_with(behind) && out.contains("[REDACTED:"), "{out}");
        }
    }

    #[test]
    fn other_values_are_no_texts() {
        for text in [
            "x = a+b; y=c%d\n",
            "GET /x?q=%2Fa%2Fb%2Fc&sig=ab%2Bcd%2Fef&n=1\n",
            "total=12+34+56+78\n",
            "key=aGVsbG8+d29ybGQ=\n",
        ] {
            assert!(view(text.as_bytes()).is_none(), "{text}");
        }
    }
}
