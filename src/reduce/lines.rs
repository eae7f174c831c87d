//! Small readers of lines that several reducers share.

use std::ops::Range;

use crate::detect::Shape;
use crate::input::Input;
use crate::reduce::FormatProof;
use crate::text::source::Source;

/// Whether a line is cargo's report of a successful build step, which has no information that a later line lacks:
/// the verb is right-aligned in 12 columns (cargo's `Shell::status`).
pub fn is_cargo_progress(line: &str) -> bool {
    const VERBS: &[&str] = &[
        "Compiling",
        "Checking",
        "Downloading",
        "Downloaded",
        "Updating",
        "Blocking",
        "Fresh",
        "Building",
        "Dirty",
        "Unpacking",
        "Locking",
        "Adding",
        "Documenting",
    ];
    let Some((head, rest)) = line.split_at_checked(12) else { return false };
    rest.starts_with(' ') && VERBS.contains(&head.trim_start()) && head.starts_with(' ')
}

/// Whether a line has a word of warnings.
pub fn is_warning(line: &str) -> bool {
    ["arning", "WARN", "deprecat"].iter().any(|word| line.contains(word))
}

/// Whether a text is digits and nothing else.
pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The number that a text starts with, and what follows it.
pub fn leading_number(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

/// Longer lines, in bytes, are read by their head or not at all: they are data. A choice: messages with long paths fit.
pub const MAX_LINE_BYTES: usize = 4000;
/// Lines at the start that a claim examines. A choice: a long prelude fits, and asking every reducer stays cheap.
pub const CLAIM_LINES: usize = 4000;
/// Lines that a claim examines for formats whose own lines are near the start, or are most of the lines. A
/// choice.
pub const SHORT_CLAIM_LINES: usize = 2000;

/// The lines that a claim counted, without empty ones.
#[derive(Debug, Default)]
pub struct Tally {
    /// Lines that only this grammar has.
    pub own: usize,
    /// Lines that the grammar knows, including its own.
    pub known: usize,
    /// All lines.
    pub all: usize,
}

impl Tally {
    /// The tally of the first `most` lines of a text, without empty ones.
    pub fn of(source: &Source<'_>, most: usize, is_known: impl Fn(&str) -> bool) -> Self {
        let mut tally = Self::default();
        let lines = source.lines().take(most).filter(|line| !line.trim().is_empty());
        lines.for_each(|line| tally.add(false, is_known(line)));
        tally
    }

    /// Counts one more line.
    pub fn add(&mut self, is_own: bool, is_known: bool) {
        self.all += 1;
        self.own += usize::from(is_own);
        self.known += usize::from(is_own || is_known);
    }

    /// Whether the grammar knows at least half of the lines: the sign that a text is an output and
    /// not a document that quotes one.
    pub fn covers(&self) -> bool {
        self.own > 0 && self.known * 2 >= self.all
    }

    /// With a matching command, one own line is enough; without it, the grammar must cover the text.
    pub fn proof(&self) -> FormatProof {
        FormatProof::of(self.own > 0, self.covers())
    }
}

/// Passes lines to `find`, which returns whether a line is of its format. Returns false if a line before the first
/// such line starts a quotation, because then the text is a document that quotes an output.
pub fn are_unquoted<'a>(
    mut lines: impl Iterator<Item = &'a str>,
    mut find: impl FnMut(&'a str) -> bool,
) -> bool {
    let mut is_found = false;
    lines.all(|line| {
        let is_quotation = !is_found && line.starts_with("```");
        is_found |= !is_quotation && find(line);
        !is_quotation
    })
}

/// The range from the first known line to the last; only the first line if none is known.
pub fn extent(source: &Source<'_>, is_known: impl Fn(&str) -> bool) -> Range<usize> {
    let is_known = |i: &usize| is_known(source.line(*i));
    let first = (0..source.len()).find(is_known).unwrap_or(0);
    let last = (first..source.len()).rev().find(is_known).unwrap_or(first);
    first..source.len().min(last + 1)
}

/// Whether the result is the report of a program: what it wrote, or a log file that keeps what it wrote. A source
/// file, a search or a diff that quotes a report is not a report, and lines that `sed` picked were requested
/// unchanged.
pub fn reads_as_report(input: &Input<'_>) -> bool {
    const LOGS: &[&str] = &["log", "out", "output", "txt"];
    let is_log = |path: &str| path.rsplit_once('.').is_some_and(|(_, ext)| LOGS.contains(&ext));
    match input.detection.shape {
        _ if input.detection.is_document => false,
        Shape::Other => true,
        Shape::File => {
            let mut producers = input.detection.command.producers();
            input.call.path.as_deref().is_some_and(is_log)
                || producers.any(|(s, _)| {
                    matches!(s.program(), "cat" | "tail" | "less") && s.argv.iter().skip(1).any(|a| is_log(a))
                })
        }
        _ => false,
    }
}

/// Whether a text is a document in Markdown: it has a heading near its start, and fences. Text between fences is
/// quoted; its content alone does not distinguish it from an output.
pub fn is_markdown(source: &Source<'_>) -> bool {
    /// The heading must be among this many lines at the start, without empty ones.
    const HEAD_LINES: usize = 10;
    if memchr::memchr(b'#', source.text().as_bytes()).is_none() {
        return false;
    }
    let is_heading = |line: &str| {
        let signs = line.bytes().take_while(|b| *b == b'#').count();
        (1..=6).contains(&signs) && line[signs..].starts_with(' ')
    };
    let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
    let mut head = source.lines().filter(|line| !line.trim().is_empty()).take(HEAD_LINES);
    head.any(is_heading) && source.lines().filter(|line| is_fence(line)).take(2).count() == 2
}

/// Whether the command runs programs in several directories itself.
pub fn changes_directory(input: &Input<'_>) -> bool {
    let command = input.call.command.as_deref().unwrap_or_default();
    let changes = memchr::memmem::find_iter(command.as_bytes(), "cd ").count();
    let loops = ["for ", "while ", "find ", "xargs "].iter().any(|word| command.contains(word));
    changes > 1 || changes > 0 && loops || command.contains("pushd ") || command.contains("-execdir ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_has_a_heading_and_fences() {
        assert!(is_markdown(&Source::new("# a\n\n```\nrunning 1 test\n```\n")));
        assert!(!is_markdown(&Source::new("# a\nrunning 1 test\n")));
        assert!(!is_markdown(&Source::new("a\n```\nrunning 1 test\n```\n")));
        assert!(!is_markdown(&Source::new("#a\n##[group]b\n```\nc\n```\n")));
    }

    #[test]
    fn cargo_progress_is_aligned() {
        assert!(is_cargo_progress("   Compiling serde v1.0.0"));
        assert!(is_cargo_progress(" Downloading 3 crates"));
        assert!(!is_cargo_progress("Compiling serde v1.0.0"));
        assert!(!is_cargo_progress("    Finished `dev` profile"));
    }
}
