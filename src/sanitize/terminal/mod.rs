//! Renders terminal output as the terminal would show it at the end.
//!
//! The simulated screen is infinitely wide and tall, so no line wraps and no text scrolls out of view. Text
//! disappears only if the stream itself overwrites, erases or deletes it. Failure lines stay even then, as lines of
//! their own. The text is not interpreted otherwise, the size of a real terminal is not read, and work and memory
//! are linear in the input.

mod escape;
mod failure;
mod parted;
mod row;
mod screen;

#[cfg(test)]
mod tests;

use crate::stop;
use escape::Token;
pub(super) use parted::parted;
use screen::Screen;

/// What a terminal stream looks like once every control in it has been obeyed or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text: no control characters but `\n` and `\t`.
    pub text: String,
    /// Escape sequences (CSI, OSC, DCS, charset, single) that were obeyed or removed, broken ones included.
    pub escapes: usize,
    /// How many times shown text was overwritten, erased or deleted: a progress bar drawn 50 times counts 49.
    pub overwrites: usize,
    /// Other control characters that were removed: NUL, BEL, DEL, shifts, stray C1.
    pub controls: usize,
    /// Overwritten lines that reported a failure and were therefore kept above what replaced them.
    pub kept_failures: usize,
    /// Screens that a clear or an alternate screen would have hidden and that stay above what followed.
    pub cleared_screens: usize,
}

/// The text as the terminal would have left it, or `None` when it holds nothing that a terminal would act on
/// besides line ends: text whose only carriage returns are those of CRLF line ends stays as it is.
#[must_use]
pub fn render(text: &str) -> Option<Rendered> {
    if is_plain(text.as_bytes()) {
        return None;
    }
    let mut screen = Screen::new(text.len());
    let (mut escapes, mut controls) = (0, 0);
    let is_list = is_nul_list(text);
    for token in escape::tokens(text) {
        stop::check_sometimes();
        match token {
            Token::Text(run) => screen.put(run),
            Token::LineFeed => screen.line_feed(),
            Token::Return => screen.carriage_return(),
            Token::Backspace => screen.backspace(),
            Token::PageFeed => {
                controls += 1;
                screen.page_feed();
            }
            Token::Nul if is_list => {
                controls += 1;
                screen.line_feed();
            }
            Token::Nul | Token::Control => controls += 1,
            Token::Csi(csi) => {
                escapes += 1;
                screen.csi(&csi);
            }
            Token::Single(byte) => {
                escapes += 1;
                screen.single(byte);
            }
            Token::LineDrawing(on) => {
                escapes += 1;
                screen.line_drawing(on);
            }
            Token::Ignored => escapes += 1,
        }
    }
    let shown = screen.finish();
    Some(Rendered {
        text: shown.text,
        escapes,
        overwrites: shown.overwrites,
        controls,
        kept_failures: shown.kept_failures,
        cleared_screens: shown.cleared_screens,
    })
}

/// Whether NULs end the entries of a list, as `git status -z`, `find -print0` and `/proc/*/environ` write
/// it: each entry becomes a line, since a terminal would run them into one.
fn is_nul_list(text: &str) -> bool {
    let Some(entries) = text.trim_end_matches('\n').strip_suffix('\0') else { return false };
    entries.contains('\0') && entries.split('\0').all(|entry| !entry.is_empty())
}

/// A quick test: true if no byte of the text controls a terminal.
fn is_plain(bytes: &[u8]) -> bool {
    // Tests each byte together with the next in a branch-free loop that compiles to vector code.
    const BLOCK: usize = 256;
    let Some((&last, all_but_last)) = bytes.split_last() else { return true };
    let behind = &bytes[1..];
    let blocks = all_but_last.chunks(BLOCK).zip(behind.chunks(BLOCK));
    for (block, behind) in blocks {
        if block.iter().zip(behind).fold(false, |any, (&byte, &next)| any | asks(byte, next)) {
            return false;
        }
    }
    !asks(last, b' ') || last == 0xC2
}

/// Whether the byte is a control, or with the next one begins one: C1 controls are `C2 80` to `C2 9F` in UTF-8, and a
/// carriage return before a line feed is a line end.
fn asks(byte: u8, next: u8) -> bool {
    let low = (byte < 0x20) & (byte != b'\n') & (byte != b'\t') & !((byte == b'\r') & (next == b'\n'));
    low | (byte == 0x7F) | ((byte == 0xC2) & (next < 0xA0))
}
