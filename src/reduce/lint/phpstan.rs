//! phpstan's table: a frame with `Line   path`, then the findings with the line before it, long messages wrapped.
//!
//! Findings of one message in one file are written together, progress is left out, everything else is kept.

use std::borrow::Cow;
use std::ops::Range;

use super::group::{Block, Layout};
use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub static PHPSTAN: Linter = Linter {
    meta: Meta {
        id: "phpstan",
        family: "build",
        reads: "`phpstan analyse` as a table",
        keeps: "every file, every line with its message, identifier and tip, errors without a place, totals",
        omits: "findings of one message in one file into one with all lines; progress bars",
        anchors: &[" ------ "],
    },
    commands: &["phpstan"],
    content: 1,
    read,
};

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::of(source, &lines);
    let mut file: Option<(usize, &str)> = None;
    let mut width = 0;
    let mut i = lines.start;
    while i < lines.end {
        let line = source.line(i);
        let start = i;
        i += 1;
        if is_frame(line) {
            width = line.trim().rsplit(' ').next().unwrap_or_default().len().saturating_sub(2);
            out.knows(source, start..i);
        } else if let Some(path) = heading(line).filter(|_| start > 0 && is_frame(source.line(start - 1))) {
            file = Some((start, path));
            out.own += 1;
            out.knows(source, start..i);
        } else if is_bar(line) {
            out.gone.push((start..i, Reason::Progress));
            out.knows(source, start..i);
        } else if line.starts_with(" [ERROR] ")
            || line.starts_with(" [OK] ")
            || line.starts_with("Note: Using configuration file ")
        {
            out.knows(source, start..i);
        } else if let Some((at, path)) = file
            && let Some((place, said)) = entry(line)
        {
            let goes_on =
                |j: &usize| source.line(*j).starts_with("         ") && !source.line(*j).trim().is_empty();
            i = (i..lines.end).find(|j| !goes_on(j)).unwrap_or(lines.end);
            out.knows(source, start..i);
            let mut message = said.to_owned();
            let mut above = said;
            for j in start + 1..i {
                let line = source.line(j).trim_end();
                let (before, text) = match is_wrapped(above, line.trim_start(), width) {
                    true => (' ', line.trim_start()),
                    false => ('\n', line),
                };
                message.push(before);
                message.push_str(text);
                above = line.trim_start();
            }
            let (place, message) = (Cow::Borrowed(place), Cow::Owned(message));
            // A wrapped message is not an excerpt, but part of the text that is written together.
            out.blocks.push(Block { lines: start..i, path, place, message, layout: Layout::Below(at) });
        }
    }
    out
}

/// ` ------ ----------------`
fn is_frame(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("------ ---") && line.bytes().all(|b| matches!(b, b'-' | b' '))
}

/// `  Line   src/A.php`
fn heading(line: &str) -> Option<&str> {
    Some(line.trim_start().strip_prefix("Line ")?.trim()).filter(|path| !path.is_empty())
}

/// `  12     Call to an undefined method A::f().`
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("  ")?.trim_end();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (place, rest) = line.split_at(digits);
    (digits > 0 && rest.starts_with("  ")).then(|| (place, rest.trim_start()))
}

/// Whether a text was wrapped at a blank between two lines of a column that is `width` characters wide. A line that
/// fills the column may have been cut inside a word. If the next word would have fitted, the text below is a line
/// of its own, and so are the identifier and tips.
fn is_wrapped(above: &str, below: &str, width: usize) -> bool {
    let len = above.chars().count();
    let word = below.split(' ').next().unwrap_or_default().chars().count();
    len < width && len + 1 + word > width && !below.starts_with(['🪪', '💡'])
}

/// ` 12/34 [▓▓▓▓░░░░]  35%`
fn is_bar(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(|c: char| c.is_ascii_digit()) && line.ends_with('%') && line.contains(['▓', '░'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert!(is_frame(" ------ -------------- ") && !is_frame("------"));
        assert_eq!(heading("  Line   src/A.php"), Some("src/A.php"));
        assert_eq!(entry("  12     Call to f()."), Some(("12", "Call to f().")));
        assert_eq!(entry("         more"), None);
        assert!(is_wrapped("Call to an", "undefined", 18) && !is_wrapped("Call to an", "undefined", 20));
        assert!(!is_wrapped("Call to an", "undefined", 10), "it may be cut inside a word");
        assert!(is_bar(" 12/34 [▓▓▓▓░░░░]  35%") && !is_bar("12 35%"));
    }
}
