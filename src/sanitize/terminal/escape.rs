//! Cuts a terminal stream into text runs and controls (ECMA-48, and what xterm adds to it).
//!
//! Printable text counts as part of a control only if the sequence is complete and valid. For a broken sequence,
//! only the introducer is removed. Each byte is read a bounded number of times.
//!
//! The crate `vte` is not suitable here. It parses as terminals do, so a broken sequence removes text after it: a
//! title without an end removes all text after it, and `ESC [ 31` with a blank removes the next letter. Outputs
//! that were cut or mixed have such sequences, and the text after one may be an error. It also prints the payload
//! after a C1 control in UTF-8. `tests::text_behind_broken_sequences_stays` compares the two.

use std::borrow::Cow;

/// Most numbers a control sequence may carry; more are dropped (colours, which use more, are not
/// looked at).
const MAX_PARAMS: usize = 6;
/// Longest control sequence that is recognized, in bytes.
const MAX_SEQUENCE_BYTES: usize = 128;

/// One piece of a terminal stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// Printable text and tabs.
    Text(&'t str),
    /// `\n`, or NEL: the cursor goes to the start of the next row.
    LineFeed,
    /// `\r`.
    Return,
    /// `\b`.
    Backspace,
    /// VT or FF: ends the row where text is before it.
    PageFeed,
    /// NUL.
    Nul,
    /// A control without effect on the text: BEL, DEL and the like.
    Control,
    /// A control sequence.
    Csi(Csi),
    /// `ESC` and one byte that moves the cursor, saves it or resets the screen.
    Single(u8),
    /// The line drawing set is switched on or off.
    LineDrawing(bool),
    /// An escape that shows nothing: a title, a hyperlink's ends, a charset, a broken introducer.
    Ignored,
}

/// A control sequence: `CSI private params final`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Csi {
    /// `?`, `>`, `<`, `=` before the numbers, or an intermediate byte after them; 0 when there is neither.
    pub(super) private: u8,
    /// The byte that names the function.
    pub(super) function: u8,
    params: [u32; MAX_PARAMS],
    len: usize,
}

impl Csi {
    /// The `index`th number; a missing one and a zero count as `default`.
    pub(super) fn param(&self, index: usize, default: usize) -> usize {
        match self.params().get(index) {
            None | Some(0) => default,
            Some(&value) => value as usize,
        }
    }

    /// All the numbers that were given.
    pub(super) fn params(&self) -> &[u32] {
        &self.params[..self.len]
    }
}

/// Splits the stream.
pub(super) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, bytes: text.as_bytes(), at: 0 }
}

/// Iterator of [`tokens`].
pub(super) struct Tokens<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

/// Bytes that end a run of text: every control but the tab, and the lead byte of C1.
static ENDS_TEXT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte != b'\t' as usize;
        byte += 1;
    }
    table[0x7F] = true;
    table[0xC2] = true;
    table
};

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        let end = self.end_of_text(start);
        if end > start {
            self.at = end;
            return Some(Token::Text(&self.text[start..end]));
        }
        let byte = *self.bytes.get(start)?;
        let (token, len) = match byte {
            b'\n' => (Token::LineFeed, 1),
            0 => (Token::Nul, 1),
            b'\r' => (Token::Return, 1),
            0x08 => (Token::Backspace, 1),
            0x0B | 0x0C => (Token::PageFeed, 1),
            0x1B => self.escape(start),
            0xC2 => self.c1(start),
            _ => (Token::Control, 1),
        };
        self.at = start + len;
        Some(token)
    }
}

impl<'t> Tokens<'t> {
    fn end_of_text(&self, start: usize) -> usize {
        let mut at = start;
        loop {
            let Some(step) = self.bytes[at..].iter().position(|&byte| ENDS_TEXT[byte as usize]) else {
                return self.bytes.len();
            };
            at += step;
            if self.bytes[at] != 0xC2 || self.is_c1(at) {
                return at;
            }
            at += 2;
        }
    }

    fn is_c1(&self, at: usize) -> bool {
        self.bytes[at] == 0xC2 && self.bytes.get(at + 1).is_some_and(|&next| next < 0xA0)
    }

    /// A C1 control; its seven-bit form is `ESC` and the second byte minus 0x40.
    fn c1(&self, at: usize) -> (Token<'t>, usize) {
        // UTF-8 that was decoded as Latin-1 and encoded again leaves such characters after a letter from U+00C2 to U+00F4.
        // They are artefacts, not controls, and must not remove the text after them.
        let debris = at >= 2 && self.bytes[at - 2] == 0xC3 && (0x82..=0xB4).contains(&self.bytes[at - 1]);
        let debris = debris || at >= 2 && self.is_c1(at - 2);
        let code = self.bytes[at + 1];
        match code {
            _ if debris => (Token::Control, 2),
            0x85 => (Token::LineFeed, 2),
            0x84 | 0x8D => (Token::Single(code - 0x40), 2),
            0x9B => match self.csi(at + 2) {
                Parsed::Whole(token, end) => (token, end - at),
                Parsed::Cut => (Token::Ignored, self.bytes.len() - at),
                Parsed::Broken => (Token::Ignored, 2),
            },
            0x90 | 0x98 | 0x9D..=0x9F => {
                (Token::Ignored, self.control_string(at + 2, code - 0x40).map_or(2, |end| end - at))
            }
            _ => (Token::Control, 2),
        }
    }

    fn escape(&self, at: usize) -> (Token<'t>, usize) {
        let Some(&kind) = self.bytes.get(at + 1) else {
            return (Token::Ignored, 1);
        };
        match kind {
            b'[' => match self.csi(at + 2) {
                Parsed::Whole(token, end) => (token, end - at),
                Parsed::Cut => (Token::Ignored, self.bytes.len() - at),
                Parsed::Broken => (Token::Ignored, 1),
            },
            b']' | b'P' | b'X' | b'^' | b'_' => {
                (Token::Ignored, self.control_string(at + 2, kind).map_or(1, |end| end - at))
            }
            b'(' | b')' | b'*' | b'+' => match self.bytes.get(at + 2) {
                None => (Token::Ignored, 2),
                // Without a shift, text uses only G0.
                Some(b'0') if kind == b'(' => (Token::LineDrawing(true), 3),
                Some(set) if b"0124567<=>ABCEHKQRUVYZ".contains(set) => match kind {
                    b'(' => (Token::LineDrawing(false), 3),
                    _ => (Token::Ignored, 3),
                },
                Some(_) => (Token::Ignored, 1),
            },
            b'#' | b'%' | b' ' => match self.bytes.get(at + 2) {
                None => (Token::Ignored, 1 + usize::from(kind != b' ')),
                Some(b'3'..=b'8') if kind == b'#' => (Token::Ignored, 3),
                Some(b'@' | b'G') if kind == b'%' => (Token::Ignored, 3),
                Some(b'F' | b'G') if kind == b' ' => (Token::Ignored, 3),
                Some(_) => (Token::Ignored, 1),
            },
            b'7' | b'8' | b'D' | b'E' | b'M' | b'c' => (Token::Single(kind), 2),
            b'=' | b'>' | b'H' | b'N' | b'O' | b'Z' | b'\\' | b'n' | b'o' | b'l' | b'm' | b'|' | b'}'
            | b'~' => (Token::Ignored, 2),
            _ => (Token::Ignored, 1),
        }
    }

    fn csi(&self, start: usize) -> Parsed<'t> {
        // Most sequences are colours, which show nothing.
        const MAX_COLOUR_BYTES: usize = 24;
        let head = &self.bytes[start..self.bytes.len().min(start + MAX_COLOUR_BYTES)];
        let params = head.iter().take_while(|byte| (b'0'..=b';').contains(*byte)).count();
        if head.get(params) == Some(&b'm') {
            return Parsed::Whole(Token::Ignored, start + params + 1);
        }
        let mut csi = Csi { private: 0, function: 0, params: [0; MAX_PARAMS], len: 0 };
        let (mut value, mut given) = (0u32, false);
        let mut sub = false;
        for at in start..self.bytes.len().min(start + MAX_SEQUENCE_BYTES) {
            let byte = self.bytes[at];
            match byte {
                b'<'..=b'?' if at == start => csi.private = byte,
                b'0'..=b'9' => {
                    value = value.saturating_mul(10).saturating_add(u32::from(byte - b'0'));
                    given = true;
                }
                b';' | b':' => {
                    csi.push(value, sub);
                    (value, given) = (0, false);
                    sub = byte == b':';
                }
                b' ' | b'!' | b'"' | b'$' | b'\'' | b'*' => {
                    // An intermediate byte is followed by one of few functions; anything else is text.
                    return match self.bytes.get(at + 1) {
                        Some(b'@' | b'A' | b'p'..=b'~') => Parsed::Whole(Token::Ignored, at + 2),
                        Some(_) => Parsed::Broken,
                        None => Parsed::Cut,
                    };
                }
                b'@'..=b'~' => {
                    if given || csi.len > 0 {
                        csi.push(value, sub);
                    }
                    csi.function = byte;
                    return Parsed::Whole(Token::Csi(csi), at + 1);
                }
                _ => return Parsed::Broken,
            }
        }
        if self.bytes.len() < start + MAX_SEQUENCE_BYTES { Parsed::Cut } else { Parsed::Broken }
    }

    /// The end of a control string (title, hyperlink, device string) whose payload begins at `start`.
    ///
    /// Without a terminator the payload may be text. So only the introducer and the leading number of a title are removed,
    /// and only the escape of other strings.
    fn control_string(&self, start: usize, kind: u8) -> Option<usize> {
        let rest = &self.bytes[start..];
        let sixel = kind == b'P' && {
            let params = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
            rest.get(params) == Some(&b'q')
        };
        for (offset, &byte) in rest.iter().enumerate() {
            let at = start + offset;
            match byte {
                0x07 if kind == b']' => return Some(at + 1),
                0x1B if rest.get(offset + 1) == Some(&b'\\') => return Some(at + 2),
                0xC2 if rest.get(offset + 1) == Some(&0x9C) => return Some(at + 2),
                b'\n' | b'\r' if sixel => {}
                0x00..=0x08 | 0x0A..=0x1F => break,
                // Another control. Stopping here also keeps many unterminated strings from costing a scan each.
                0xC2 if self.is_c1(at) => break,
                _ => {}
            }
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (kind == b']' && digits > 0 && rest.get(digits) == Some(&b';')).then_some(start + digits + 1)
    }
}

enum Parsed<'t> {
    Whole(Token<'t>, usize),
    /// The text ends inside the sequence.
    Cut,
    Broken,
}

impl Csi {
    /// A number after `:` refines the one before it and is not a separate parameter.
    fn push(&mut self, value: u32, sub: bool) {
        if !sub && self.len < MAX_PARAMS {
            self.params[self.len] = value;
            self.len += 1;
        }
    }
}

/// Text in the DEC line drawing set, where the lower case letters are lines and corners (VT100 User Guide, table 3-9).
pub(super) fn draw_lines(text: &str) -> Cow<'_, str> {
    const SET: [char; 31] = [
        '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
        '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
    ];
    let drawn = |ch: char| match ch {
        '`'..='~' => SET[ch as usize - '`' as usize],
        other => other,
    };
    if text.bytes().any(|byte| (b'`'..=b'~').contains(&byte)) {
        Cow::Owned(text.chars().map(drawn).collect())
    } else {
        Cow::Borrowed(text)
    }
}
