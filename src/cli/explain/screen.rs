//! Prepares text for a terminal: safe characters, widths, wrapping, colour. Text from tools never reaches the terminal as a
//! control sequence, and nothing is cut off.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_width::UnicodeWidthChar;

/// A terminal.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Columns.
    pub width: usize,
    /// Whether styles may be used.
    pub colour: bool,
}

/// Text that takes a number of columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    pub text: String,
    pub width: usize,
}

/// Distance between tab stops.
const TAB_COLUMNS: usize = 8;

/// ASCII's names of the control characters.
const CONTROLS: [&str; 32] = [
    "NUL",
    "SOH",
    "STX",
    "ETX",
    "EOT",
    "ENQ",
    "ACK",
    "BEL",
    "BS",
    "TAB_COLUMNS",
    "LF",
    "VT",
    "FF",
    "CR",
    "SO",
    "SI",
    "DLE",
    "DC1",
    "DC2",
    "DC3",
    "DC4",
    "NAK",
    "SYN",
    "ETB",
    "CAN",
    "EM",
    "SUB",
    "ESC",
    "FS",
    "GS",
    "RS",
    "US",
];

/// The visible form of a character that must not reach a terminal or a page; `None` for any other.
pub(in crate::cli) fn stand_in(c: char) -> Option<String> {
    match c {
        '\0'..='\x1f' => CONTROLS.get(c as usize).map(|name| format!("<{name}>")),
        '\x7f' => Some("<DEL>".to_owned()),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some(format!("<U+{:04X}>", c as u32)),
        _ => None,
    }
}

impl Screen {
    /// Text in a style.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        if self.colour && !text.is_empty() && style != Style::new() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Wraps a line into pieces of at most `width` columns; at least one piece. White space that was trimmed at its ends
    /// (`trimmed` bytes before and after) is shown as dots.
    pub(super) fn wrap(&self, line: &str, width: usize, trimmed: (usize, usize)) -> Vec<Piece> {
        let mut out = Vec::new();
        let mut now = Piece::default();
        let mut column = 0;
        for (at, c) in line.char_indices() {
            let is_trimmed = at < trimmed.0 || at >= line.len() - trimmed.1;
            let tab = TAB_COLUMNS - column % TAB_COLUMNS;
            let (text, columns) = match c {
                '\t' if is_trimmed => (format!("·{}", " ".repeat(tab - 1)), tab),
                _ if is_trimmed => ("·".to_owned(), 1),
                '\t' => (" ".repeat(tab), tab),
                _ => match stand_in(c) {
                    Some(text) => {
                        let columns = text.chars().count();
                        (if self.colour { format!("\x1b[7m{text}\x1b[27m") } else { text }, columns)
                    }
                    None => (c.to_string(), c.width().unwrap_or(0)),
                },
            };
            if now.width + columns > width && now.width > 0 {
                out.push(std::mem::take(&mut now));
            }
            now.text.push_str(&text);
            now.width += columns;
            column += columns;
        }
        out.push(now);
        out
    }

    /// Wraps prose into lines of at most `width` columns, between words if possible.
    pub(super) fn fill(&self, prose: &str, width: usize) -> Vec<Piece> {
        let mut out: Vec<Piece> = Vec::new();
        for word in prose.split_whitespace() {
            for piece in self.wrap(word, width, (0, 0)) {
                match out.last_mut().filter(|last| last.width + 1 + piece.width <= width) {
                    Some(last) => {
                        let _ = write!(last.text, " {}", piece.text);
                        last.width += 1 + piece.width;
                    }
                    None => out.push(piece),
                }
            }
        }
        if out.is_empty() {
            out.push(Piece::default());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pieces: Vec<Piece>) -> Vec<String> {
        pieces.into_iter().map(|p| p.text).collect()
    }

    #[test]
    fn nothing_is_cut_off_and_nothing_controls_the_terminal() {
        let screen = Screen { width: 80, colour: false };
        assert_eq!(texts(screen.wrap("abcdefg", 3, (0, 0))), ["abc", "def", "g"]);
        assert_eq!(texts(screen.wrap("日本語", 4, (0, 0))), ["日本", "語"]);
        assert_eq!(texts(screen.wrap("", 4, (0, 0))), [""]);
        assert_eq!(texts(screen.wrap("a\tb", 20, (0, 0))), ["a       b"]);
        assert_eq!(texts(screen.wrap("  a  ", 20, (1, 2))), ["· a··"]);
        let evil = "\x1b]0;x\x07\u{9b}31m\u{202e}\r\0";
        let shown = texts(screen.wrap(evil, 80, (0, 0))).concat();
        assert_eq!(shown, "<ESC>]0;x<BEL><U+009B>31m<U+202E><CR><NUL>");
        let colour = Screen { width: 80, colour: true };
        let shown = texts(colour.wrap(evil, 80, (0, 0))).concat();
        assert_eq!(shown.replace("\x1b[7m", "").replace("\x1b[27m", "").find('\x1b'), None);
    }

    #[test]
    fn prose_breaks_between_words() {
        let screen = Screen { width: 80, colour: false };
        assert_eq!(texts(screen.fill("one two three", 8)), ["one two", "three"]);
        assert_eq!(texts(screen.fill("a verylongword b", 6)), ["a", "verylo", "ngword", "b"]);
    }
}
