//! Writes the table of characters that look like ASCII, from the tables of Unicode and a few additions of our own: a
//! block index for each 128 code points, and the distinct blocks.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::letter;

/// Characters that look like a letter with which our markers begin, but are not similar to it by the tables of Unicode.
const SMALL: &[(char, char)] = &[
    ('ᴛ', 't'),
    ('т', 't'),
    ('τ', 't'),
    ('ᴇ', 'e'),
    ('ε', 'e'),
    ('ɛ', 'e'),
    ('ё', 'e'),
    ('ᥱ', 'e'),
    ('ʀ', 'r'),
    ('ᴙ', 'r'),
    ('г', 'r'),
    ('ꜱ', 's'),
    ('ᴅ', 'd'),
    ('ԁ', 'd'),
    ('Ꮷ', 'd'),
    ('ʟ', 'l'),
    ('ɪ', 'i'),
    ('ᴜ', 'u'),
    ('ᴘ', 'p'),
    ('ᴄ', 'c'),
    ('ᴀ', 'a'),
    ('α', 'a'),
    ('ᴏ', 'o'),
    ('ꜰ', 'f'),
    ('ɴ', 'n'),
    ('п', 'n'),
    ('ᴢ', 'z'),
    ('×', 'x'),
    ('ⲧ', 't'),
    ('ⲉ', 'e'),
    ('ⲅ', 'r'),
    ('ⲥ', 'c'),
    ('ⲟ', 'o'),
    ('ⲁ', 'a'),
    ('ⲓ', 'i'),
    ('ⲡ', 'n'),
    ('ⲭ', 'x'),
    ('♯', '#'),
    ('⌗', '#'),
    ('⧣', '#'),
];
/// After this code point nothing reads like ASCII.
const LAST: u32 = 0x3_FFFF;

/// The letter that every code point looks like, by `letter`.
pub fn table() -> Vec<u8> {
    let read = |c: char| match fold(c) {
        None => letter::UNSEEN,
        Some(letter) => u8::try_from(letter).ok().filter(u8::is_ascii).unwrap_or(letter::OTHER),
    };
    let of = |point: u32| match char::from_u32(point) {
        Some(c) if point <= LAST || is_unseen(c) => read(c),
        _ => letter::OTHER,
    };
    (0..=u32::from(char::MAX)).map(of).collect()
}

/// The lower-case character that a character looks like: ASCII if there is one, a blank for white space; `None` for
/// an invisible one.
pub fn fold(read: char) -> Option<char> {
    if read.is_whitespace() || matches!(read, '\u{2800}' | '\u{3164}' | '\u{115f}' | '\u{1160}') {
        return Some(' ');
    }
    if is_combining_mark(read) || is_unseen(read) {
        return None;
    }
    if let Some(letter) = framed(read) {
        return Some(letter);
    }
    let plain = |c: char| std::iter::once(c).nfkd().next().unwrap_or(c);
    let base = plain(read);
    let lower = base.to_lowercase().next().unwrap_or(base);
    if lower.is_ascii() {
        return Some(lower);
    }
    if let Some((_, letter)) = SMALL.iter().find(|(small, _)| *small == lower || *small == base) {
        return Some(*letter);
    }
    let alike = |c: char| {
        let mut buffer = [0; 4];
        let skeleton = unicode_security::skeleton(c.encode_utf8(&mut buffer)).next();
        skeleton.map(plain).filter(char::is_ascii).map(|c| c.to_ascii_lowercase())
    };
    Some(alike(base).or_else(|| alike(lower)).unwrap_or(lower))
}

/// The letter in brackets, in a square, in a black circle, or of a flag. By the tables of Unicode, most of them are
/// not similar to the letter.
fn framed(c: char) -> Option<char> {
    let first = [0x249c, 0x1f110, 0x1f130, 0x1f150, 0x1f170, 0x1f1e6];
    let at = first.iter().map(|first| u32::from(c).wrapping_sub(*first)).find(|at| *at < 26)?;
    char::from_u32(u32::from('a') + at)
}

/// Whether a character is invisible, or a sign that other scripts draw around numbers and words.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{13430}'..='\u{13438}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{110bd}' | '\u{110cd}')
}
