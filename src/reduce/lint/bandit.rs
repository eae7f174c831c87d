//! bandit: `>> Issue: [B101:assert_used] message`, then fields, the code around it, an empty line and a rule of dashes.
//!
//! Findings of one rule, message, severity and confidence are written together. If only few are of high severity, these
//! are kept whole.

use std::borrow::Cow;
use std::ops::Range;

use super::group::{Block, Layout};
use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::reduce::diagnostic::at_end;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub static BANDIT: Linter = Linter {
    meta: Meta {
        id: "bandit",
        family: "build",
        reads: "`bandit` (text)",
        keeps: "every place with its rule, message, severity and confidence, up to 20 findings of high severity whole, the first finding of a rule whole, totals",
        omits: "findings of one rule from the second on into one line with all places",
        anchors: &[">> Issue: ["],
    },
    commands: &["bandit"],
    content: 1,
    read,
};

/// More findings of high severity are written together too. A choice: as many as a reader still looks through.
const MAX_HIGH: usize = 20;

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::of(source, &lines);
    let mut high = Vec::new();
    let mut is_report = false;
    let mut i = lines.start;
    while i < lines.end {
        let line = source.line(i);
        let Some(issue) = line.strip_prefix(">> Issue: ").filter(|issue| issue.starts_with('[')) else {
            // The totals at the end are indented.
            is_report = is_heading(line) || is_report && (line.starts_with('\t') || line.is_empty());
            if is_report {
                out.knows(source, i..i + 1);
            } else if line.starts_with("Working... ") {
                out.knows(source, i..i + 1);
                out.gone.push((i..i + 1, Reason::Progress));
            }
            i += 1;
            continue;
        };
        let is_next = |j: &usize| source.line(*j).starts_with(">> Issue: ") || is_heading(source.line(*j));
        let end = match (i + 1..lines.end).find(|j| is_rule(source.line(*j)) || is_next(j)) {
            Some(end) if is_rule(source.line(end)) => end + 1,
            end => end.unwrap_or(lines.end),
        };
        out.own += 1;
        out.knows(source, i..end);
        let field = |name: &str| (i + 1..end).find_map(|j| source.line(j).trim_start().strip_prefix(name));
        if let (Some(at), Some(severity)) = (field("Location: "), field("Severity: ")) {
            // Before version 1.7 a place had no column.
            let (path, place) = at_end(at).or_else(|| at.rsplit_once(':')).unwrap_or((at, ""));
            let severity = severity.split_once("   ").map_or(Cow::Borrowed(severity), |(severity, rest)| {
                Cow::Owned(format!("{severity}, {}", rest.trim_start()))
            });
            let weakness = field("CWE: ").and_then(|cwe| cwe.split(' ').next());
            let weakness = weakness.map_or(String::new(), |cwe| format!(", {cwe}"));
            let message = Cow::Owned(format!("{issue} (Severity: {severity}{weakness})"));
            let place = Cow::Borrowed(place);
            if severity.starts_with("High") {
                high.push(out.blocks.len());
            }
            out.blocks.push(Block { lines: i..end, path, place, message, layout: Layout::ByRule });
        }
        i = end;
    }
    if high.len() <= MAX_HIGH {
        high.iter().rev().for_each(|at| drop(out.blocks.remove(*at)));
    }
    out
}

/// Titles of the parts of a report, and the lines before the report.
fn is_heading(line: &str) -> bool {
    [
        "Run started:",
        "Test results:",
        "Code scanned:",
        "Run metrics:",
        "Files skipped (",
        "Files in scope (",
        "Files excluded (",
        "[main]\t",
        "[node_visitor]\t",
    ]
    .iter()
    .any(|start| line.starts_with(start))
}

fn is_rule(line: &str) -> bool {
    line.len() >= 20 && line.bytes().all(|b| b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_findings_with_their_places() {
        let finding = |place: &str, severity: &str| {
            format!(
                ">> Issue: [B101:assert_used] Use of assert.\n   Severity: {severity}   Confidence: High\n   CWE: CWE-703 (https://x)\n   \
                 Location: {place}\n1\tassert a\n\n{}\n",
                "-".repeat(50)
            )
        };
        let text = format!(
            "Test results:\n{}{}{}Code scanned:\n\tTotal: 3\n",
            finding("a/b.py:3:4", "Low"),
            finding("a/c.py:7", "Low"),
            finding("a/d.py:9:0", "High")
        );
        let source = Source::new(&text);
        let reading = read(&source, 0..source.len());
        let blocks: Vec<_> = reading.blocks.iter().map(|b| (b.path, &*b.place, b.lines.len())).collect();
        assert_eq!(blocks, [("a/b.py", "3:4", 7), ("a/c.py", "7", 7)]);
        assert_eq!(
            reading.blocks[0].message,
            "[B101:assert_used] Use of assert. (Severity: Low, Confidence: High, CWE-703)"
        );
        assert_eq!((reading.own, reading.known), (3, reading.all));
        let many = finding("a.py:1:0", "High").repeat(MAX_HIGH + 1);
        let source = Source::new(&many);
        assert_eq!(read(&source, 0..source.len()).blocks.len(), MAX_HIGH + 1);
    }
}
