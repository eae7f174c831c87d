//! javac, kotlinc and scalac: errors are kept whole. Warnings that occur often keep the headline with the place; an
//! explanation with the words of an earlier one is left out.
//!
//! Grammar: `A.java:3: warning: [deprecation] …`, `a.kt:3:5: warning: …`, `A.scala:3: warning: …`, below it a line of
//! code, a line with a caret and indented explanations; Scala 3 writes `-- [E008] Not Found Error: a.scala:3:5 ---`
//! and an excerpt with a margin. Totals are at the end. Everything else is kept.

use std::ops::Range;

use super::{CLAIM_LINES, Kinds, SHOWN_WHOLE, Tally, kind_of};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::below::{self, margin};
use crate::reduce::diagnostic::{JAVA, Severity};
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::extent;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Javac;

static META: Meta = Meta {
    id: "javac",
    family: "build",
    reads: "javac, javadoc, kotlinc, scalac 2 and 3",
    keeps: "every error whole, headline and place of every warning, notes, totals",
    omits: "excerpts from the sixth warning of a kind on (aggressive: the second); warnings without \
            excerpt into one of each message with every place; explanations in the words of an earlier warning; modules and \
            classes that `-verbose` lists",
    anchors: &[".java:", ".kt:", ".kts:", ".scala:", "[loading "],
};

/// The marker group of explanations and of warnings that occur often; the next one is for progress.
const EXCERPTS: u32 = 1;
/// The caret must be within this many lines below the headline. A choice: a message of javac may have a few lines.
const MAX_LINES_TO_CARET: usize = 8;

impl Reducer for Javac {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(
            s.program(),
            "javac"
                | "javadoc"
                | "kotlinc"
                | "kotlinc-jvm"
                | "kotlinc-js"
                | "scalac"
                | "scala"
                | "scala-cli"
                | "kotlin"
        )
    }

    fn is_driver(&self, s: &Simple) -> bool {
        matches!(s.program(), "make" | "ant" | "bazel")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let mut kinds = Kinds::default();
        let whole = if input.policy.mode == Mode::Aggressive { 1 } else { SHOWN_WHOLE };
        let mut i = 0;
        while i < source.len() {
            let line = source.line(i);
            let Some((kind, message)) = headline(line) else {
                if is_listed(line) {
                    actions.omit(i..i + 1, Reason::Progress, EXCERPTS + 1);
                }
                i += 1;
                continue;
            };
            let mut body = i + 1..body_end(source, i + 1);
            if kind == Severity::Error {
                i = body.end;
                continue;
            }
            // Without a caret, only indented lines belong to the warning.
            if !body.clone().take(MAX_LINES_TO_CARET).any(|i| is_caret(source.line(i))) {
                body.end =
                    body.clone().find(|&i| !source.line(i).starts_with([' ', '\t'])).unwrap_or(body.end);
            }
            i = body.end;
            let (count, seen) = kinds.count(category(message));
            if count > whole {
                for i in body.clone().filter(|&i| is_of_body(source, i, body.end)) {
                    actions.omit(i..i + 1, Reason::DiagnosticExcerpt, EXCERPTS);
                }
                continue;
            }
            // The lines below the caret explain the message.
            let caret = body.clone().find(|&i| is_caret(source.line(i)));
            let Some(below) = caret.map(|i| i + 1..body.end).filter(|b| !b.is_empty()) else { continue };
            if !seen.insert(source.slice(below.clone())) {
                actions.omit(below, Reason::DiagnosticExcerpt, EXCERPTS);
            }
        }
        actions.finish(Blanks::Keep)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let known = extent(source, |line| headline(line).is_some() || is_total(line) || is_listed(line));
        match headline(source.line(known.end - 1)) {
            Some(_) => known.start..body_end(source, known.end),
            None => known,
        }
    }
}

/// The severity and the text of a diagnostic, if the line starts one.
fn headline(line: &str) -> Option<(Severity, &str)> {
    JAVA.read(line).and_then(|found| Some((found.severity?, found.text)))
}

/// The key by which warnings are counted: the lint that javac names, or the message without names and numbers.
fn category(message: &str) -> String {
    match message.strip_prefix('[').and_then(|m| m.split_once(']')) {
        Some((lint, _)) => lint.to_owned(),
        None => kind_of(&message.replace('\'', "`")),
    }
}

/// The line after a diagnostic: the next headline, a total, a note, an empty line, or a line after the caret that is
/// not indented.
fn body_end(source: &Source<'_>, from: usize) -> usize {
    const MAX_BODY_LINES: usize = 60;
    let mut caret = false;
    for i in from..source.len().min(from + MAX_BODY_LINES) {
        let line = source.line(i);
        if headline(line).is_some() || is_total(line) || is_note(line) || line.is_empty() {
            return i;
        }
        if caret && !line.starts_with([' ', '\t']) && !line.contains('|') {
            return i;
        }
        caret = caret || is_caret(line);
    }
    source.len().min(from + MAX_BODY_LINES)
}

/// Whether a line can belong to a diagnostic: it is indented, has the margin of Scala 3, or is the code above a
/// caret. Any other line was written by another program in between.
fn is_of_body(source: &Source<'_>, i: usize, end: usize) -> bool {
    let line = source.line(i);
    line.starts_with([' ', '\t'])
        || margin(line).is_some_and(|m| m.sign == b'|' && m.gap == 1)
        || (i + 1 < end && is_caret(source.line(i + 1)))
}

/// A line of carets, with or without the margin of Scala 3.
fn is_caret(line: &str) -> bool {
    let line = line.trim().trim_start_matches('|').trim_start();
    line.starts_with('^') && below::is_caret(line, b"")
}

/// `2 errors`, `one error found`, `29 warnings`, `2 warnings found`
fn is_total(line: &str) -> bool {
    let line = line.trim_end();
    let count = line.strip_suffix(" found").unwrap_or(line);
    let Some((number, what)) = count.split_once(' ') else { return false };
    matches!(what, "error" | "errors" | "warning" | "warnings") && !number.is_empty() && !number.contains('/')
}

fn is_note(line: &str) -> bool {
    line.starts_with("Note: ") || line.starts_with("warning: ") || line.starts_with("error: ")
}

/// A line of `-verbose`: `[loading /modules/java.base/…]`.
fn is_listed(line: &str) -> bool {
    ["[loading ", "[parsing started ", "[parsing completed ", "[checking "]
        .iter()
        .any(|s| line.starts_with(s))
        && line.ends_with(']')
}

fn tally(source: &Source<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut inside = 0;
    for line in source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
        let own = headline(line).is_some() || is_listed(line);
        // Up to eight lines below a headline may be code, caret and explanations.
        inside = match () {
            () if own => 8,
            () if is_total(line) || is_note(line) => 0,
            () => inside - i32::from(inside > 0),
        };
        tally.add(own, inside > 0 || is_total(line) || is_note(line));
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lines_apart() {
        assert_eq!(headline("a/A.java:3: warning: [rawtypes] x"), Some((Severity::Warning, "[rawtypes] x")));
        assert_eq!(headline("a.kt:3:5: error: unresolved"), Some((Severity::Error, "unresolved")));
        assert_eq!(
            headline("-- [E007] Type Mismatch Error: src/a.scala:3:5 -----"),
            Some((Severity::Error, "[E007] Type Mismatch Error"))
        );
        assert_eq!(headline("-- Deprecation Warning: a.scala:3:5 --").map(|h| h.0), Some(Severity::Warning));
        assert_eq!(headline("a.c:3: warning: x"), None);
        assert_eq!(headline("[WARNING] /p/A.java:38: warning: no comment"), None);
        assert_eq!(headline("-- a note on a.scala"), None);
        assert!(is_total("2 errors") && is_total("one warning found") && !is_total("2 errors were here"));
        assert!(is_caret("    ^") && is_caret("  |   ^^^") && !is_caret("a ^ b"));
        assert_eq!(category("[unchecked] a"), category("[unchecked] b"));
        assert_eq!(category("variable 'a' is never used"), category("variable 'b' is never used"));
    }
}
