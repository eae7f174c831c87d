//! The engine of this family: diagnostics as blocks of lines, and one line for many of the same rule.
//!
//! The first diagnostic of a group becomes the message with every place, the others are left out under one marker:
//! the list of places shows where each of them was. A diagnostic with a line that reports a failure is never part of
//! a group.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use super::template;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// One diagnostic.
#[derive(Debug)]
pub struct Block<'a> {
    /// Its lines; the first is its headline, the others are its body.
    pub lines: Range<usize>,
    /// The file.
    pub path: &'a str,
    /// Line and column, as the tool writes them.
    pub place: Cow<'a, str>,
    /// The message, without path and place.
    pub message: Cow<'a, str>,
    /// How it can be written together with others.
    pub layout: Layout,
}

/// How diagnostics are written together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The message, and below it each path with its places.
    ByRule,
    /// Below the heading that names the file: the places before the message. The number identifies the heading.
    Below(usize),
    /// It is not written together with others. Only its body may be left out, except lines that start with this
    /// text.
    Alone(&'static str),
}

/// Findings of a group that are shown with their bodies. A choice: the second shows what differs.
const SHOWN_WHOLE: usize = 2;
/// If a group has diagnostics of more lines than this, only one is shown with its body. A choice.
const LONG_DIAGNOSTIC_LINES: usize = 10;
/// Fewest bytes that a group saves, and all groups together. A choice: less does not pay for reading a list.
const MIN_SAVED_BYTES: usize = 24;
const MIN_SAVED_TOGETHER_BYTES: usize = 160;
/// Approximate length of the longest line of a list of places, in bytes. A choice: a later cut can keep a part of
/// the list.
const MAX_LIST_LINE_BYTES: usize = 1200;
/// Places of one file in a group that `aggressive` shows if there are more than twice as many. A choice.
const SHOWN_PLACES: usize = 3;

/// What to do with each line.
pub struct Plan<'a> {
    source: &'a Source<'a>,
    actions: LineActions<'a>,
    /// Lines that report a failure, in order.
    failures: Vec<usize>,
    is_aggressive: bool,
}

impl<'a> Plan<'a> {
    /// A plan that changes nothing yet.
    pub fn new(source: &'a Source<'a>, is_aggressive: bool) -> Self {
        Self::with_failures(source, is_aggressive, signals::failure_lines(source))
    }

    /// A group whose failure lines are given by the caller.
    pub fn with_failures(source: &'a Source<'a>, is_aggressive: bool, failures: Vec<usize>) -> Self {
        Self { source, actions: LineActions::new(source), failures, is_aggressive }
    }

    fn has_failure(&self, lines: &Range<usize>) -> bool {
        let next = self.failures.partition_point(|&line| line < lines.start);
        self.failures.get(next).is_some_and(|&line| line < lines.end)
    }

    /// Hides lines that report no failure; all of one reason share a marker.
    pub fn omit(&mut self, lines: Range<usize>, reason: Reason) {
        for i in lines {
            if !self.has_failure(&(i..i + 1)) {
                self.actions.omit(i..i + 1, reason, 1);
            }
        }
    }

    /// Whether a line is not shown.
    pub fn is_hidden(&self, line: usize) -> bool {
        self.actions.is_omitted(line)
    }

    /// Writes diagnostics together where that is possible.
    pub fn group(&mut self, blocks: &[Block<'a>]) {
        let mut groups: Vec<Vec<Member>> = Vec::new();
        let mut index: HashMap<(String, usize), usize> = HashMap::new();
        for (i, block) in blocks.iter().enumerate() {
            if self.has_failure(&block.lines) {
                continue;
            }
            let template::Template { key, gaps } = template::split(&block.message);
            let scope = match block.layout {
                Layout::ByRule => 0,
                Layout::Below(heading) => heading + 2,
                Layout::Alone(_) => 1,
            };
            let next = groups.len();
            let at = *index.entry((key, scope)).or_insert(next);
            if at == next {
                groups.push(Vec::new());
            }
            groups[at].push(Member { block: i, gaps });
        }
        let mut keys: Vec<(usize, String)> = index.into_iter().map(|((key, _), at)| (at, key)).collect();
        keys.sort_unstable();
        let mut written = Vec::new();
        for (members, (_, key)) in groups.iter().zip(&keys) {
            let Some(first) = members.first().map(|m| &blocks[m.block]) else { continue };
            let rest = members.get(self.whole(first)..).unwrap_or_default();
            match first.layout {
                Layout::Alone(keeps) => rest.iter().for_each(|m| self.thin(&blocks[m.block], keeps)),
                _ if rest.len() < 2 => {}
                layout => {
                    let text = self.text(key, rest, blocks, layout);
                    let bytes = |m: &Member| self.source.byte_range(blocks[m.block].lines.clone()).len();
                    let saved = rest.iter().map(bytes).sum::<usize>().saturating_sub(text.len());
                    if saved >= MIN_SAVED_BYTES {
                        written.push((saved, rest, text));
                    }
                }
            }
        }
        if written.iter().map(|(saved, ..)| saved).sum::<usize>() < MIN_SAVED_TOGETHER_BYTES {
            return;
        }
        for (_, members, text) in written {
            for (i, member) in members.iter().enumerate() {
                let lines = blocks[member.block].lines.clone();
                self.omit(lines.clone(), Reason::SharedMessage);
                if i == 0 {
                    self.actions.replace(lines.start, text.clone(), Reason::SharedMessage);
                }
            }
        }
    }

    /// How many diagnostics of a group are kept unchanged, as examples of their bodies.
    fn whole(&self, first: &Block<'_>) -> usize {
        match first.lines.len() {
            _ if matches!(first.layout, Layout::Below(_)) => 0,
            1 => 0,
            lines if self.is_aggressive || lines > LONG_DIAGNOSTIC_LINES => 1,
            _ => SHOWN_WHOLE,
        }
    }

    /// Hides the body of a diagnostic that belongs to no group.
    fn thin(&mut self, block: &Block<'_>, keeps: &str) {
        for i in block.lines.start + 1..block.lines.end {
            if !self.source.line(i).starts_with(keeps) {
                self.omit(i..i + 1, Reason::DiagnosticExcerpt);
            }
        }
    }

    fn text(&self, key: &str, members: &[Member], blocks: &[Block<'a>], layout: Layout) -> String {
        let gap = |m: &Member, i: usize| blocks[m.block].message.get(m.gaps[i].clone()).unwrap_or_default();
        let count = members.first().map_or(0, |m| m.gaps.len());
        let common = |i: usize| {
            let first = members.first().map(|m| gap(m, i))?;
            members.iter().all(|m| gap(m, i) == first).then(|| first.to_owned())
        };
        let common: Vec<Option<String>> = (0..count).map(common).collect();
        let filled: Vec<Option<&str>> = common.iter().map(Option::as_deref).collect();
        let message = template::fill(key, &filled);
        let column = match layout {
            Layout::ByRule => shared_column(members.iter().map(|m| &*blocks[m.block].place)),
            _ => None,
        };
        let place = |m: &Member| {
            let own: Vec<&str> = (0..count).filter(|i| common[*i].is_none()).map(|i| gap(m, i)).collect();
            let place = &*blocks[m.block].place;
            let place = column.and_then(|_| place.split(':').next()).unwrap_or(place);
            match own.is_empty() {
                true => place.to_owned(),
                false => format!("{place} ({})", own.join(", ")),
            }
        };
        if let Layout::Below(_) = layout {
            let places: Vec<String> = members.iter().map(place).collect();
            return format!("  {}  {message}", self.list(&places, "\n  "));
        }
        let mut text = message;
        if let Some(column) = column {
            let _ = write!(text, " (column {column})");
        }
        let mut files: Vec<(&str, Vec<String>)> = Vec::new();
        let mut index: HashMap<&str, usize> = HashMap::new();
        for m in members {
            let path = blocks[m.block].path;
            let at = *index.entry(path).or_insert(files.len());
            if at == files.len() {
                files.push((path, Vec::new()));
            }
            files[at].1.push(place(m));
        }
        for (path, places) in files {
            let start = format!("\n  {path}: ");
            let _ = write!(text, "{start}{}", self.list(&places, &start));
        }
        text
    }

    /// Places with commas between; a long list continues after `next`.
    fn list(&self, places: &[String], next: &str) -> String {
        let shown = match self.is_aggressive && places.len() > 2 * SHOWN_PLACES {
            true => SHOWN_PLACES,
            false => places.len(),
        };
        let mut out = String::new();
        let mut line = 0;
        for (i, place) in places[..shown].iter().enumerate() {
            if out.len() - line > MAX_LIST_LINE_BYTES {
                line = out.len();
                out.push_str(next);
            } else if i > 0 {
                out.push_str(", ");
            }
            out.push_str(place);
        }
        if shown < places.len() {
            let _ = write!(out, ", {} more", places.len() - shown);
        }
        out
    }

    /// The spans, or the reason why there are none.
    pub fn finish(self) -> Result<Reduction, Reason> {
        self.actions.finish(Blanks::Keep)
    }
}

/// The column that many places have in common.
fn shared_column<'p>(mut places: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    const MANY: usize = 5;
    let (_, column) = places.next()?.split_once(':').filter(|(_, column)| !column.contains([':', '-']))?;
    let mut count = 1;
    let same = places.all(|place| {
        count += 1;
        place.split_once(':').is_some_and(|(_, other)| other == column)
    });
    (same && count >= MANY).then_some(column)
}

/// A diagnostic of a group.
struct Member {
    block: usize,
    gaps: Vec<Range<usize>>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::config::{Mode, Policy};
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    const PATHS: [&str; 3] = ["src/a.py", "lib/b c.py", "C:\\x\\d.py"];
    const MESSAGES: [&str; 4] = [
        "E501 line too long (# > 79 characters)",
        "F401 'name#' imported but unused",
        "W291 trailing whitespace",
        "W605 invalid escape sequence 'a, (#'",
    ];

    fn compressed(text: &str, mode: Mode) -> String {
        let call = ToolCall { tool: "bash".into(), command: Some("flake8 .".into()), ..ToolCall::default() };
        let policy = Policy { min_bytes: 0, mode, ..Policy::default() };
        compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap().texts.concat()
    }

    /// The findings of an output: path, row, column, message with its gaps filled.
    fn findings(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let mut head = String::new();
        for line in text.lines() {
            let grouped = line.strip_prefix("  ").and_then(|l| l.split_once(": "));
            if let Some((path, places)) = grouped {
                let (message, column) = match head.rsplit_once(" (column ") {
                    Some((message, column)) => {
                        (message.to_owned(), Some(column.trim_end_matches(')').to_owned()))
                    }
                    None => (head.clone(), None),
                };
                for place in places.split(", ") {
                    let (place, gap) =
                        place.split_once(" (").map_or((place, ""), |(p, g)| (p, g.trim_end_matches(')')));
                    let place = column.as_ref().map_or(place.to_owned(), |c| format!("{place}:{c}"));
                    out.push(format!("{path}:{place}: {}", message.replace('…', gap)));
                }
            } else if PATHS.iter().any(|p| line.starts_with(p)) {
                out.push(line.to_owned());
            } else {
                head = line.to_owned();
            }
        }
        out.sort();
        out
    }

    proptest! {
        #[test]
        fn every_finding_can_be_read_off(
            rows in proptest::collection::vec((0usize..3, 0usize..4, 1u32..500, 1u32..4, 80u32..90), 1..80),
        ) {
            let line = |&(p, m, row, col, n): &(usize, usize, u32, u32, u32)| {
                let message = MESSAGES[m].replace('#', &n.to_string());
                format!("{}:{row}:{col}: {message}\n", PATHS[p])
            };
            let text: String = rows.iter().map(line).collect();
            let out = compressed(&text, Mode::Standard);
            // A line that is repeated at once is counted, not listed.
            prop_assume!(!out.contains("repeats"));
            let shown: String = out.lines().filter(|l| !l.starts_with("[tersed")).map(|l| format!("{l}\n")).collect();
            prop_assert_eq!(findings(&shown), findings(&text), "{}\n{}", text, out);
        }
    }

    #[test]
    fn aggressive_counts_what_it_does_not_list() {
        let text: String =
            (1..90).map(|row| format!("src/a.py:{row}:80: W291 trailing whitespace\n")).collect();
        let out = compressed(&text, Mode::Aggressive);
        assert!(
            out.starts_with("W291 trailing whitespace (column 80)\n  src/a.py: 1, 2, 3, 86 more\n"),
            "{out}"
        );
    }
}
