//! Bytes as pairs of hexadecimal digits with a separator of one character, also over lines: `67:68:70`, `67 68 70`,
//! `<Buffer 67 68 70>`.
//!
//! `hexdump` reads dumps with addresses. Digits that do not encode text, such as fingerprints, stay.

use super::arrays;
use super::base64::is_text;
use super::percent::hex;
use super::view::{View, blanks};
use crate::stop;

/// Fewest pairs of a run that is examined.
const MIN_PAIRS: usize = 12;
/// Distance between the places that are examined, in bytes: less than the length of a run, whose pairs take three
/// bytes each.
const STEP_BYTES: usize = 3 * (MIN_PAIRS - 4);

/// Calls `found` with every run that is a text, decoded.
pub(super) fn views(text: &[u8], found: &mut dyn FnMut(View)) {
    let (mut at, mut done) = (2, 0);
    while at + 7 <= text.len() {
        stop::check_sometimes();
        let sign = (at..at + 3).find(|place| is_between(text, *place));
        let Some(sign) = sign else {
            at += STEP_BYTES;
            continue;
        };
        let mut start = sign - 2;
        while start >= done + 3 && text[start - 1] == text[sign] && pair(text, start - 3).is_some() {
            start -= 3;
        }
        let mut view = View::default();
        let is_named = arrays::name(text, start, &mut view);
        let (mut end, mut count) = (start, 0);
        while let Some(byte) = pair(text, end) {
            view.stand(&[byte], end..end + 2);
            (end, count) = (end + 2, count + 1);
            let Some(next) = next(text, end, text[sign]) else { break };
            end = next;
        }
        if count >= MIN_PAIRS && is_text(view.bytes()) {
            arrays::close(is_named, end, &mut view);
            found(view);
        }
        done = end;
        at = end.max(at + STEP_BYTES);
    }
}

/// Whether the separator at a place is between two pairs, and the same separator follows the second pair.
fn is_between(text: &[u8], at: usize) -> bool {
    matches!(text[at], b' ' | b':' | b'-')
        && text.get(at + 3) == Some(&text[at])
        && pair(text, at + 1).is_some()
        && at >= 2
        && pair(text, at - 2).is_some()
}

/// The byte that two digits write.
fn pair(text: &[u8], at: usize) -> Option<u8> {
    u8::try_from(hex(text.get(at..at + 2)?)?).ok()
}

/// Where the next pair begins after a sign, or on the next line.
fn next(text: &[u8], at: usize, sign: u8) -> Option<usize> {
    let behind = at + usize::from(text.get(at) == Some(&sign));
    let line = behind + usize::from(text.get(behind) == Some(&b'\r'));
    match text.get(line) {
        Some(b'\n') => Some(blanks(text, line + 1, 64)),
        _ => (behind > at).then_some(behind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::{find, redact};

    /// Put together here, so that none is in this file.
    fn token() -> String {
        ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
    }

    fn joined(between: &str) -> String {
        token().bytes().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(between)
    }

    #[test]
    fn pairs_that_spell_a_secret_go_as_a_whole() {
        for (open, close) in [("", ""), ("<Buffer ", ">"), ("key: ", " end"), ("\n    ", "\n")] {
            for sign in [" ", ":", "-"] {
                let out = redact(&format!("{open}{}{close}\n", joined(sign))).expect(sign).text;
                assert_eq!(out, format!("{open}[REDACTED:github-pat]{close}\n"));
            }
        }
        let pairs = joined(":");
        let (first, second) = pairs.split_at(45);
        let text = format!("        {first}\n        {second}\n");
        assert_eq!(redact(&text).unwrap().text, "        [REDACTED:github-pat]\n");
    }

    #[test]
    fn fingerprints_and_words_stay() {
        let bytes: String = (0..64u32).map(|n| format!("{:02x}:", (n * 151 + 7) % 256)).collect();
        for text in [bytes, "ab cd ef ".repeat(9), "be at ad ".repeat(99), "00:00:00:".repeat(40)] {
            assert!(find(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn every_pair_is_read_once() {
        for trigger in ["61 ", "61:", "61-", "61 61", "61\n", "61:\n", "6 1 "] {
            let text = trigger.repeat((64 << 10) / trigger.len());
            let mut bytes = 0;
            views(text.as_bytes(), &mut |view| bytes += view.bytes().len());
            assert!(bytes <= text.len() / 2, "{trigger} {bytes}");
        }
    }
}
