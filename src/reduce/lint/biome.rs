//! biome: `src/a.js:1:7 lint/correctness/noUnusedVariables  FIXABLE  ━━━━`, then what is wrong, the code around it,
//! advice and a suggested change, with empty lines between.
//!
//! Findings that biome calls errors (`×`) are kept whole; warnings and hints of one rule and message are written
//! together.

use std::borrow::Cow;
use std::ops::Range;

use super::group::{Block, Layout};
use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::reduce::diagnostic::at_end;
use crate::text::source::Source;

/// The reducer of this module.
pub static BIOME: Linter = Linter {
    meta: Meta {
        id: "biome",
        family: "build",
        reads: "`biome lint`, `biome check`, `biome ci`, `biome format`",
        keeps: "every place with its rule and message, errors whole, the first findings of a rule whole, totals",
        omits: "warnings and hints of one rule from the third on into one line with all places",
        anchors: &["\u{2501}\u{2501}\u{2501}"],
    },
    commands: &["biome"],
    content: 1,
    read,
};

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::of(source, &lines);
    let mut i = lines.start;
    while i < lines.end {
        let line = source.line(i);
        let Some(heading) = heading(line) else {
            if is_total(line) {
                out.knows(source, i..i + 1);
            }
            i += 1;
            continue;
        };
        let ends = |j: &usize| {
            let line = source.line(*j);
            !line.is_empty() && !line.starts_with(' ') || is_rule(line)
        };
        let end = (i + 1..lines.end).find(ends).unwrap_or(lines.end);
        out.own += 1;
        out.knows(source, i..end);
        if let Some((path, place, rule)) = heading {
            let said =
                (i + 1..end).map(|j| source.line(j)).find(|l| !l.trim().is_empty()).unwrap_or_default();
            let (place, message) = (Cow::Borrowed(place), Cow::Owned(format!("{rule} {}", said.trim())));
            out.blocks.push(Block { lines: i..end, path, place, message, layout: Layout::ByRule });
        }
        i = end;
    }
    out
}

fn is_rule(line: &str) -> bool {
    line.ends_with("\u{2501}\u{2501}")
}

/// A heading: path, place and rule, where it has a place.
fn heading(line: &str) -> Option<Option<(&str, &str, &str)>> {
    if !is_rule(line) || line.starts_with(' ') {
        return None;
    }
    let text = line.trim_end_matches('\u{2501}').trim_end();
    let placed = || {
        let (place, rule) = text.split_once(' ')?;
        at_end(place).map(|(path, place)| (path, place, rule.trim()))
    };
    Some(placed())
}

/// Totals.
fn is_total(line: &str) -> bool {
    [
        "Checked ",
        "Found ",
        "Skipped ",
        "The number of diagnostics exceeds",
        "Diagnostics not shown: ",
        "Formatted ",
        "Fixed ",
    ]
    .iter()
    .any(|s| line.starts_with(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_headings() {
        assert_eq!(
            heading("a/b.js:1:7 lint/x/y  FIXABLE  \u{2501}\u{2501}\u{2501}"),
            Some(Some(("a/b.js", "1:7", "lint/x/y  FIXABLE")))
        );
        assert_eq!(heading("a/b.js format \u{2501}\u{2501}"), Some(None));
        assert_eq!(heading("a/b.js:1:7 lint/x/y"), None);
    }
}
