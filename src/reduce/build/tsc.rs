//! The TypeScript compiler: every diagnostic keeps its headline. Left out are explanations that were shown before,
//! excerpts of a code that occurs often, and compilations of the watch mode with the same output as the next one.
//!
//! Grammar: `a.ts(3,5): error TS2322: …` and below it its explanation, indented; with `--pretty`
//! `a.ts:3:5 - error TS2322: …`, then excerpts between empty lines. The watch mode writes a line with the time before
//! and after each compilation. Everything else is kept.

use std::collections::HashSet;
use std::ops::Range;

use super::{CLAIM_LINES, Kinds, SHOWN_WHOLE, Tally};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::TYPESCRIPT;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Tsc;

static META: Meta = Meta {
    id: "tsc",
    family: "build",
    reads: "`tsc`, `vue-tsc` and `tsgo`, plain, with `--pretty` and with `--watch`",
    keeps: "every diagnostic with its place, code and message, the totals, the table of files, the last compilation \
            of a watch",
    omits: "an explanation that was shown before for the same message; excerpts from the sixth diagnostic of a code \
            on; earlier compilations of a watch that said the same as the next",
    anchors: &["error TS", "Watching for file changes."],
};

impl Reducer for Tsc {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "tsc" | "vue-tsc" | "tsgo")
    }

    fn is_driver(&self, s: &Simple) -> bool {
        matches!(s.program(), "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "nx")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let runs = compilations(source);
        for (i, (lines, complete)) in runs.iter().enumerate() {
            let text = source.slice(lines.clone());
            let same = *complete
                && runs.get(i + 1).is_some_and(|(next, done)| *done && source.slice(next.clone()) == text);
            let group = i as u32 + 1;
            match same {
                true => actions.omit(lines.clone(), Reason::RepeatedDiagnostic, group),
                false => compilation(source, lines.clone(), group, &mut actions),
            }
        }
        actions.finish(Blanks::Keep)
    }
}

fn tally(source: &Source<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut inside = false;
    for line in source.lines().take(CLAIM_LINES) {
        if line.trim().is_empty() {
            continue;
        }
        let own = headline(line).is_some() || is_watch_end(line);
        // Explanations, excerpts and, at the end, totals follow a headline.
        inside = own || inside && (line.starts_with([' ', '~']) || is_excerpt(line) || is_total(line));
        tally.add(own, inside || is_watch_start(line));
    }
    tally
}

/// The text of a diagnostic after its place, starting with the code: `TS2322: Type …`.
fn headline(line: &str) -> Option<&str> {
    TYPESCRIPT.read(line).map(|found| found.text)
}

/// `12   const a = 1;`, or the empty margin before a line of `~`.
fn is_excerpt(line: &str) -> bool {
    let digits = line.trim_start().bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line.trim_start()[digits..];
    digits > 0 && (rest.is_empty() || rest.starts_with(' ')) || is_squiggle(line) || line.trim() == "..."
}

fn is_squiggle(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line.bytes().all(|b| b == b'~')
}

/// `Found 3 errors in 2 files.`, `Errors  Files`
fn is_total(line: &str) -> bool {
    line.starts_with("Found ") && line.contains(" error") || line.trim() == "Errors  Files"
}

fn is_watch_start(line: &str) -> bool {
    line.ends_with("Starting compilation in watch mode...")
        || line.ends_with("Starting incremental compilation...")
}

fn is_watch_end(line: &str) -> bool {
    line.ends_with(". Watching for file changes.")
}

/// The compilations of a watch without the lines with the time, and whether each came to its end. Without a watch,
/// the whole text is one compilation that did not.
fn compilations(source: &Source<'_>) -> Vec<(Range<usize>, bool)> {
    let mut runs = Vec::new();
    let mut start = 0;
    for i in 0..source.len() {
        let line = source.line(i);
        if is_watch_start(line) || is_watch_end(line) {
            if start < i {
                runs.push((start..i, is_watch_end(line)));
            }
            start = i + 1;
        }
    }
    runs.push((start..source.len(), false));
    // Between two compilations there is an empty line.
    runs.retain(|(lines, _)| lines.len() > 1);
    runs
}

/// Hides repeated explanations and excerpts within one compilation.
fn compilation(source: &Source<'_>, lines: Range<usize>, group: u32, actions: &mut LineActions<'_>) {
    let mut kinds = Kinds::default();
    let mut explained: HashSet<(&str, &str)> = HashSet::new();
    let mut i = lines.start;
    while i < lines.end {
        let Some(said) = headline(source.line(i)) else {
            i += 1;
            continue;
        };
        i += 1;
        let below = i..(i..lines.end).find(|&i| !is_explanation(source.line(i))).unwrap_or(lines.end);
        if !below.is_empty() && !explained.insert((said, source.slice(below.clone()))) {
            actions.omit(below.clone(), Reason::DiagnosticExcerpt, group);
        }
        i = below.end;
        let code = said.split(':').next().unwrap_or(said);
        let (count, _) = kinds.count(code.to_owned());
        let end = (i..lines.end).find(|&i| ends_block(source.line(i))).unwrap_or(lines.end);
        if count > SHOWN_WHOLE {
            excerpts(source, i..end, group, actions);
        }
        i = end;
    }
}

/// A line directly below a headline that explains it.
fn is_explanation(line: &str) -> bool {
    line.starts_with("  ") && !line.trim().is_empty() && !is_squiggle(line)
}

fn ends_block(line: &str) -> bool {
    let outside = !line.is_empty() && !line.starts_with([' ', '~']) && !is_excerpt(line);
    outside || headline(line).is_some()
}

/// Hides the numbered lines that `~` underlines, with the empty line above them. Places and messages of related code
/// are kept.
fn excerpts(source: &Source<'_>, lines: Range<usize>, group: u32, actions: &mut LineActions<'_>) {
    let mut i = lines.start;
    while i < lines.end {
        let start = i;
        while i < lines.end && is_excerpt(source.line(i)) {
            i += 1;
        }
        if !(start..i).any(|i| is_squiggle(source.line(i))) {
            i = start.max(i) + usize::from(start == i);
            continue;
        }
        let blank = start > lines.start && source.line(start - 1).is_empty();
        actions.omit(start - usize::from(blank)..i, Reason::DiagnosticExcerpt, group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_headlines() {
        assert_eq!(headline("src/a.ts(3,5): error TS2322: no"), Some("TS2322: no"));
        assert_eq!(headline("src/a b.ts:3:5 - error TS2322: no"), Some("TS2322: no"));
        assert_eq!(headline("error TS18003: No inputs were found"), Some("TS18003: No inputs were found"));
        assert_eq!(headline("see error TS2322: it means"), None);
        assert_eq!(headline("- a - error TS2322: x"), None);
        assert_eq!(headline("src/a.ts(3,5): error TSX: no"), None);
        assert!(
            is_excerpt("12   let a")
                && is_excerpt("      ~~~")
                && !is_excerpt("  a.ts:3:5")
                && !is_excerpt("abc")
        );
    }
}
