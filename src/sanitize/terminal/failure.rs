//! Decides whether text that is about to be overwritten reports a failure.
//!
//! This byte-level test is wider than a reducer's on purpose: an extra line costs little, a lost error may cost the whole
//! run. It is not used for text that stays on the screen.

use std::ops::Range;

/// Words that report a failure, each with whether more lower case letters may come before it (`TypeError`).
const WORDS: &[(&[u8], bool)] = &[
    (b"error", false),
    (b"Error", true),
    (b"ERROR", false),
    (b"fatal", false),
    (b"Fatal", false),
    (b"FATAL", false),
    (b"fail", false),
    (b"Fail", true),
    (b"FAIL", false),
    (b"panic", false),
    (b"Panic", false),
    (b"PANIC", false),
    (b"Traceback", false),
    (b"Exception", true),
    (b"exception", false),
    (b"abort", false),
    (b"Abort", false),
    (b"ABORT", false),
    (b"denied", false),
    (b"not found", false),
    (b"E: ", false),
    (b"ERR!", false),
];

/// For each of the first three positions and each byte, the words that have this byte there, one bit each. One lookup
/// rejects most positions.
static HEADS: [[u32; 256]; 3] = {
    let mut heads = [[0; 256]; 3];
    let mut i = 0;
    while i < WORDS.len() {
        let word = WORDS[i].0;
        heads[0][word[0] as usize] |= 1 << i;
        heads[1][word[1] as usize] |= 1 << i;
        heads[2][word[2] as usize] |= 1 << i;
        i += 1;
    }
    heads
};

/// How many bytes before a change a word that contains the change may begin: at least the longest word.
const BEFORE_BYTES: usize = 24;
/// How many bytes after a change a word whose meaning the change affects may begin: `0 errors` becomes `3 errors`.
const AFTER_BYTES: usize = 8;

/// Whether the row, or the given part of it, reports a failure in or near `fresh`; text further away was checked before.
pub(super) fn reported(row: &[u8], fresh: Range<usize>) -> bool {
    let mut progress = None;
    let from = fresh.start.saturating_sub(BEFORE_BYTES);
    let to = (fresh.end + AFTER_BYTES).min(row.len().saturating_sub(2));
    (from..to).any(|at| {
        let words = HEADS[0][usize::from(row[at])]
            & HEADS[1][usize::from(row[at + 1])]
            & HEADS[2][usize::from(row[at + 2])];
        words != 0
            && WORDS.iter().enumerate().any(|(i, (word, inside))| {
                words >> i & 1 == 1
                    && row[at..].starts_with(word)
                && begins_word(row, at, *inside)
                && (word.ends_with(b" ") || word.ends_with(b"!") || ends_word(row, at + word.len()))
                && !is_none_of(row, at)
                // A progress line names packages and files; there a failure word that is part of such a name
                // (`proc-macro-error`, `error.rs`) says nothing.
                && !(in_name(row, at, word.len()) && *progress.get_or_insert_with(|| is_progress(row)))
            })
    })
}

fn begins_word(row: &[u8], at: usize, inside: bool) -> bool {
    match at.checked_sub(1).map(|before| row[before]) {
        None => true,
        Some(before) if inside => !before.is_ascii_uppercase(),
        Some(before) => !before.is_ascii_alphabetic(),
    }
}

/// The word itself or a form of it; not a longer name such as `exceptiongroup` or `failover`.
fn ends_word(row: &[u8], end: usize) -> bool {
    const ENDINGS: [&[u8]; 13] =
        [b"", b"s", b"ed", b"ing", b"ure", b"ures", b"ked", b"S", b"ED", b"ING", b"URE", b"URES", b"KED"];
    // Reads one letter more than the longest ending, so that the work on a long row of letters is limited.
    let letters = row[end..].iter().take(5).take_while(|byte| byte.is_ascii_alphabetic()).count();
    // After a capitalised word another word may follow: `ErrorKind`.
    ENDINGS.contains(&&row[end..end + letters]) || row[end].is_ascii_uppercase()
}

/// `0 errors`, `no failures`.
fn is_none_of(row: &[u8], at: usize) -> bool {
    let before = &row[..at];
    [&b"0 "[..], b"no ", b"No "].iter().any(|none| {
        before.ends_with(none)
            && !before[..before.len() - none.len()].last().is_some_and(|byte| byte.is_ascii_alphanumeric())
    })
}

fn in_name(row: &[u8], at: usize, len: usize) -> bool {
    let joins = |byte: u8| matches!(byte, b'-' | b'_' | b'/' | b'@');
    at > 0 && (joins(row[at - 1]) || row[at - 1] == b'.')
        || row.get(at + len).is_some_and(|&byte| joins(byte))
        || row.get(at + len) == Some(&b'.') && row.get(at + len + 1).is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether the row looks like a frame of a progress display: a percentage, `3/10`, a bar, or a running time.
fn is_progress(row: &[u8]) -> bool {
    let digit = |at: usize| row.get(at).is_some_and(u8::is_ascii_digit);
    (1..row.len()).any(|at| match row[at] {
        b'%' => digit(at - 1),
        b'/' => digit(at - 1) && digit(at + 1),
        b's' => digit(at - 1) && !row.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        b'=' | b'#' | b'-' | b'.' => at >= 2 && row[at - 1] == row[at] && row[at - 2] == row[at],
        // Bars and spinners: U+2500 to U+28FF.
        0xE2 => row.get(at + 1).is_some_and(|&next| (0x94..=0xA3).contains(&next)),
        _ => false,
    })
}

/// The key by which redrawn lines count as the same: for a progress line, its text without counters and bars; for any other
/// line, all of it.
pub(super) fn identity(line: &str) -> String {
    let line = line.trim();
    if !is_progress(line.as_bytes()) {
        return line.to_owned();
    }
    let counts = |ch: char| {
        ch.is_ascii_digit() || matches!(ch, '.' | '=' | '#' | '-' | '>' | ' ' | '\u{2500}'..='\u{28FF}')
    };
    line.chars().filter(|&ch| !counts(ch)).collect()
}
