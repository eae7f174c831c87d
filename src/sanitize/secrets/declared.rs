//! Values that a command or a file declares behind a name without an operator.

use super::judge::{ByteSet, skip};
use std::ops::Range;

const BLANK: ByteSet = ByteSet::parse(" \t");

/// Where the value of a name begins that a command or a file declares without an operator: `ENV NAME value`, `setenv NAME value`,
/// `set -gx NAME value`, `gh secret set NAME --body value`; `3) "name"` above `4) "value"` of Redis.
pub(super) fn declared(text: &[u8], name: &Range<usize>, closed: usize) -> Option<usize> {
    const WORDS: &[&[u8]] = &[
        b"ENV ",
        b"setenv ",
        b"set -gx ",
        b"set -x ",
        b"set -Ux ",
        b"set -xg ",
        b"set -xU ",
        b"set --export ",
        b"#define ",
        b"setx ",
        b"configure set ",
        b"config set ",
        b"user-secrets set ",
        b"config --global ",
    ];
    const FLAGS: &[&[u8]] = &[b"--body ", b"--body=", b"-b "];
    let before = &text[name.start.saturating_sub(MAX_DECLARATION_BYTES)..name.start];
    let from = skip(text, name.end, BLANK, 8);
    if from > name.end {
        if before.ends_with(b"secret set ") {
            let flag = FLAGS.iter().find(|flag| text[from..].starts_with(flag))?;
            return Some(from + flag.len());
        }
        return WORDS.iter().any(|word| before.ends_with(word)).then_some(from);
    }
    if closed == name.end || !before.ends_with(b") \"") {
        return None;
    }
    let line = skip(text, closed, const { ByteSet::parse(" \r\n") }, 12);
    let number = skip(text, line, const { ByteSet::parse("0-9") }, 6);
    (line > closed && number > line && text[number..].starts_with(b") \"")).then_some(number + 2)
}

/// Where a value begins that stands behind a name without an operator: behind a flag, a declaration, or in an element.
pub(super) fn behind_word(text: &[u8], name: &Range<usize>) -> Option<usize> {
    let before = name.start.checked_sub(1).map(|at| text[at]);
    if before == Some(b'<') {
        return (text.get(name.end) == Some(&b'>')).then_some(name.end + 1);
    }
    let from = skip(text, name.end, BLANK, 8);
    let is_flag = from > name.end && text[name.clone()].starts_with(b"--");
    if is_flag { Some(from) } else { declared(text, name, name.end) }
}

/// Longest declaration before a name, in bytes.
const MAX_DECLARATION_BYTES: usize = 24;
