//! Bytes with NULs: text of two or four bytes a letter (UTF-16, UTF-32), and lists whose items end with NUL, such as the
//! variables of a process.
//!
//! A NUL next to a single letter is a part of that letter and is removed; any other NUL ends an item, like a line
//! feed.

use crate::stop;

/// The text without wide letters, and with a line for each item; `None` if it holds no NUL.
pub(super) fn narrowed(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(0, text)?;
    let mut narrow = Vec::with_capacity(text.len());
    each(text, &mut |byte, _| narrow.push(byte));
    Some(narrow)
}

/// Maps ranges of the narrow text to the source; `ranges` are in order, without overlap.
pub(super) fn widen(text: &[u8], ranges: &mut [(&mut usize, &mut usize)]) {
    let (mut at, mut next, mut is_open) = (0, 0, false);
    each(text, &mut |_, source| {
        if let Some((start, end)) = ranges.get_mut(next) {
            if at == **start && !is_open {
                (**start, is_open) = (source, true);
            }
            if is_open && at + 1 == **end {
                (**end, is_open) = (source + 1, false);
                next += 1;
            }
        }
        at += 1;
    });
}

/// How many NULs are between the letters of a wide text; 0 for any other.
pub(in crate::sanitize::secrets) fn padding(text: &[u8]) -> usize {
    let count = text.iter().skip(1).take(4).take_while(|byte| **byte == 0).count();
    match text.first() {
        Some(1..) if matches!(count, 1 | 3) && text.len() > count + 1 => count,
        _ => 0,
    }
}

/// Calls `give` with each byte of the narrow text, and its place in the source.
fn each(text: &[u8], give: &mut dyn FnMut(u8, usize)) {
    let mut at = 0;
    // The length of the previous run of NULs, if one letter is between.
    let mut before = 0;
    while at < text.len() {
        stop::check_sometimes();
        let end = memchr::memchr(0, &text[at..]).map_or(text.len(), |n| at + n);
        text[at..end].iter().zip(at..).for_each(|(byte, place)| give(*byte, place));
        if end - at != 1 {
            before = 0;
        }
        let count = text[end..].iter().take_while(|byte| **byte == 0).count();
        let behind = end + count;
        let has_letter = text.get(behind).is_some();
        let goes_on = has_letter
            && (1..=count).all(|n| text.get(behind + n) == Some(&0))
            && text.get(behind + 1 + count) != Some(&0);
        let is_wide = matches!(count, 1 | 3) && (before == count || goes_on);
        if !is_wide {
            (end..behind).for_each(|place| give(b'\n', place));
        }
        before = if is_wide { count } else { 0 };
        at = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::{find, redact_bytes};

    /// Put together here, so that none is in this file.
    fn token() -> String {
        ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
    }

    fn wide(text: &str, before: usize, behind: usize) -> Vec<u8> {
        text.bytes().flat_map(|b| [vec![0; before], vec![b], vec![0; behind]].concat()).collect()
    }

    #[test]
    fn wide_letters_lose_their_secrets_and_stay_wide() {
        let text = |value: &str| format!("first line\r\nDB_PASSWORD = {value}\r\nkey {} end\r\n", token());
        let given = text("Zq7pLm2Xw9");
        let expected = given
            .replace("Zq7pLm2Xw9", "[REDACTED:generic-password]")
            .replace(&token(), "[REDACTED:github-pat]");
        for (before, behind) in [(0, 1), (1, 0), (0, 3), (3, 0)] {
            let (out, hits) = redact_bytes(&wide(&given, before, behind)).unwrap();
            assert_eq!(hits.len(), 2);
            assert_eq!(
                String::from_utf8_lossy(&out),
                String::from_utf8_lossy(&wide(&expected, before, behind))
            );
        }
        // With a mark before it, and after plain text.
        for head in [&b"\xff\xfe"[..], b"\xfe\xff", b"plain\n"] {
            let bytes = [head, &wide(&given, 0, 1)].concat();
            let expected = [head, &wide(&expected, 0, 1)].concat();
            assert_eq!(redact_bytes(&bytes).unwrap().0, expected);
        }
    }

    #[test]
    fn items_that_end_with_nul_are_lines() {
        let text = format!("HOME=/x\0DB_PASSWORD=Zq7pLm2Xw9\0GITHUB_TOKEN={}\0LANG=C\0", token());
        let (out, _) = redact_bytes(text.as_bytes()).unwrap();
        let expected =
            "HOME=/x\0DB_PASSWORD=[REDACTED:generic-password]\0GITHUB_TOKEN=[REDACTED:github-pat]\0LANG=C\0";
        assert_eq!(String::from_utf8_lossy(&out), expected);
        assert!(find(b"a\0b\0c\0\0\0d").is_empty());
    }

    #[test]
    fn a_value_with_a_nul_goes_whole() {
        let (first, second) = ("Ym9iOnhISDhy", "aXFhSkVnUA==");
        let text = format!("Authorization: Basic {first}\0{second}\nend\n");
        let (out, _) = redact_bytes(text.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8_lossy(&out),
            "Authorization: Basic [REDACTED:authorization-header]\nend\n"
        );
        let text = format!("A=1\0TOKEN={}\0EMPTY=\0B=2\0", token());
        let (out, _) = redact_bytes(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&out), "A=1\0TOKEN=[REDACTED:github-pat]\0EMPTY=\0B=2\0");
    }

    #[test]
    fn places_are_those_of_the_source() {
        for text in
            [&b"a\0b\0c"[..], b"\0a\0b", b"ab\0cd\0\0e\0\0\0f\0\0\0g", b"\0", b"a\0", b"\0\0\0a\0\0\0b\0"]
        {
            let narrow = narrowed(text).unwrap();
            for (at, byte) in narrow.iter().enumerate() {
                let (mut start, mut end) = (at, at + 1);
                widen(text, &mut [(&mut start, &mut end)]);
                assert_eq!(end, start + 1, "{text:?} {at}");
                assert!(text[start] == *byte || text[start] == 0 && *byte == b'\n', "{text:?} {at}");
            }
        }
        assert_eq!(narrowed(b"a\0b\0c\0").unwrap(), b"abc");
        assert_eq!(narrowed(b"ab\0cd\0").unwrap(), b"ab\ncd\n");
    }
}
