//! Tables and lists with rows of no interest. The engine reads each row with the header above it, leaves out
//! the rows that a format calls idle, default or internal, and names them with a count.
//!
//! It never hides a failure, an outlier among the rows to leave out, or all rows of a table. It hides no row that a
//! filter such as `grep` selected.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::format::{EARLY_DECLINE_LINES, is_command};
use super::line_actions::{Blanks, LineActions};
use super::lines::{MAX_LINE_BYTES, SHORT_CLAIM_LINES};
use super::outliers::measures::{self, Measures};
use super::outliers::names;
use super::{FormatProof, Meta, Reducer};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::text::judge::Counted;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The kind of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row<'a> {
    /// A header, which is kept. It names the columns of the rows below, and is a sign of the format.
    Header,
    /// A row that is kept.
    Keep,
    /// A row that is left out if an earlier one has the same key; the key, and its name.
    Once(&'a str, &'a str),
    /// A row that is left out, and the name under which the marker counts it; an empty name is not written.
    Hide(Reason, Cow<'a, str>),
    /// Not a row of the format.
    Other,
}

/// The context of a line.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The header above the row; empty if there is none between the last empty line and the row.
    pub header: &'a str,
    /// The mode of the call.
    pub mode: Mode,
}

/// A format: see the module.
#[derive(Debug)]
pub struct Rows {
    /// Its description.
    pub meta: Meta,
    /// Commands that write it: see [`super::format::Format::commands`].
    pub commands: &'static [&'static str],
    /// Flags with which the caller asks for the rows that would be left out.
    pub unless: &'static [&'static str],
    /// Whether a word of the command, such as the value of a flag, asks for these rows.
    pub asks: fn(&str) -> bool,
    /// The number of headers, or of rows if the format has no header, that are enough for a claim without a command.
    /// 0: never.
    pub content: usize,
    /// Classifies a line.
    pub read: for<'a> fn(Place<'a>, &'a str) -> Row<'a>,
}

/// Fewer rows of a kind are not left out. A choice: a marker takes about two of them.
const MIN_ROWS_OMITTED: usize = 4;
/// Most different names in a marker. A choice: one long line.
const MAX_NAMES: usize = 40;

impl Rows {
    /// The kind of each line, in order.
    fn each<'a>(&self, input: &Input<'a>, mut take: impl FnMut(usize, Row<'a>)) {
        let source = input.source;
        let mut at = Place { header: "", mode: input.policy.mode };
        for i in 0..source.len() {
            let line = source.line(i).trim_end();
            if line.is_empty() {
                at.header = "";
                continue;
            }
            let row = if line.len() > MAX_LINE_BYTES { Row::Other } else { (self.read)(at, line) };
            if row == Row::Header {
                at.header = line;
            }
            take(i, row);
        }
    }
}

impl Rows {
    /// The rows that are left out, except those whose lines are in `spared`.
    pub fn reduce_but(&self, input: &Input<'_>, spared: &HashSet<usize>) -> Result<Reduction, Reason> {
        let mut gone: Vec<OmittedRow<'_>> = Vec::new();
        let (mut table, mut stays) = (0, 0);
        let mut seen: HashSet<&str> = HashSet::new();
        let mut kinds: BTreeMap<(u32, Reason), usize> = BTreeMap::new();
        let mut headers: Vec<&str> = vec![""];
        self.each(input, |i, row| match row {
            Row::Header => {
                table += 1;
                headers.push(input.source.line(i));
            }
            Row::Hide(reason, name) if !spared.contains(&i) && !signals::is_failure(input.source.line(i)) => {
                if name.contains(['[', ']']) {
                    stays += 1;
                } else {
                    *kinds.entry((table, reason)).or_default() += 1;
                    gone.push((i, table, reason, name));
                }
            }
            Row::Once(key, name) if !seen.insert(key) && !signals::is_failure(input.source.line(i)) => {
                *kinds.entry((table, Reason::RepeatedCalls)).or_default() += 1;
                gone.push((i, table, Reason::RepeatedCalls, name.into()));
            }
            Row::Keep | Row::Once(..) | Row::Hide(..) => stays += 1,
            Row::Other => {}
        });
        gone.retain(|(_, table, reason, _)| {
            kinds.get(&(*table, *reason)).is_some_and(|n| *n >= MIN_ROWS_OMITTED)
        });
        let mut odd: HashSet<usize> = HashSet::new();
        for (table, reason) in kinds.into_keys() {
            let header = headers.get(table as usize).copied().unwrap_or_default();
            let of_kind = gone.iter().filter(|row| (row.1, row.2) == (table, reason)).map(|row| row.0);
            odd.extend(outlier_lines(input.source, header, reason, &of_kind.collect::<Vec<_>>()));
        }
        gone.retain(|(line, ..)| !odd.contains(line));
        if gone.is_empty() || stays == 0 {
            return Err(Reason::NothingToDo);
        }
        spans(input.source, &gone)
    }
}

impl Reducer for Rows {
    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let command = &input.detection.command;
        let asks = command
            .producers()
            .any(|(s, _)| s.has_flag(self.unless) || s.argv.iter().skip(1).any(|word| (self.asks)(word)));
        let is_ours = command.runs(|s| self.is_writer(s));
        if asks || !is_ours && (self.content == 0 || command.is_filtered()) {
            return FormatProof::None;
        }
        let (mut headers, mut rows, mut lines) = (0, 0, 0);
        for most in [EARLY_DECLINE_LINES, SHORT_CLAIM_LINES] {
            (headers, rows, lines) = (0, 0, 0);
            let source = input.source.part_of(0..input.source.len().min(most));
            self.each(&Input { source: &source, ..*input }, |_, row| {
                lines += 1;
                headers += usize::from(row == Row::Header);
                rows += usize::from(row != Row::Other);
            });
            // The head is enough to recognize most texts of other tools.
            if most >= input.source.len() || (!is_ours && rows * 4 < lines) {
                break;
            }
        }
        let shows = if headers > 0 { headers } else { rows };
        FormatProof::of(rows > 0, self.content > 0 && shows >= self.content && rows * 2 >= lines)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        self.commands.iter().any(|words| is_command(s, words))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        self.reduce_but(input, &HashSet::new())
    }

    fn keeps_outliers(&self) -> bool {
        true
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let mut extent: Option<Range<usize>> = None;
        self.each(input, |i, row| {
            if row != Row::Other {
                let start = extent.as_ref().map_or(i, |e| e.start);
                extent = Some(start..i + 1);
            }
        });
        extent.unwrap_or(0..input.source.len())
    }
}

/// The outliers among rows that are left out for the same reason, by size or by a rare value: the call that took
/// seconds, the idle process that used hours, the library from another folder, the symbol of another library.
fn outlier_lines(source: &Source<'_>, header: &str, reason: Reason, lines: &[usize]) -> Vec<usize> {
    let measured = |of: &dyn Fn(&str) -> Measures, far: fn(&[Measures]) -> Vec<usize>| -> Vec<usize> {
        let measures: Vec<Measures> = lines.iter().map(|line| of(source.line(*line))).collect();
        far(&measures).into_iter().map(|place| lines[place]).collect()
    };
    match reason {
        Reason::RoutineCalls | Reason::RepeatedCalls => {
            let mut notes: Counted<&str> = Counted::default();
            lines.iter().for_each(|line| notes.add(note(source.line(*line)), *line));
            let mut out = measured(&Measures::of_call, measures::far_calls);
            out.extend(notes.rare());
            out
        }
        Reason::KernelThreads | Reason::IdleProcesses => {
            let used = |line: &str| {
                let time = ["TIME", "TIME+"].iter().find_map(|name| cell(header, line, name));
                time.map_or(Measures::default(), Measures::of_use)
            };
            measured(&used, measures::far_uses)
        }
        Reason::MappedFiles => {
            names::from_other_folders(lines.iter().map(|line| (*line, source.line(*line))))
        }
        Reason::Progress => {
            // The text before it is the age of the row.
            let message = header.find("MESSAGE").unwrap_or(0);
            measured(&|line| Measures::of_step(line.get(message..).unwrap_or_default()), measures::far_steps)
        }
        Reason::SmallShares => {
            let mut objects: Counted<&str> = Counted::default();
            for line in lines {
                crate::stop::check_sometimes();
                objects.add(object(source.line(*line)), *line);
            }
            objects.rare()
        }
        _ => Vec::new(),
    }
}

/// The text between the share and the symbol of a row of a profile: the program and the library.
fn object(line: &str) -> &str {
    let rest = line.split_once('%').map_or("", |(_, rest)| rest);
    rest.split_once('[').map_or("", |(object, _)| object.trim())
}

/// The note of a call on its result: `(Timeout)`.
fn note(line: &str) -> &str {
    let result = line.rsplit_once(" = ").map_or("", |(_, result)| result);
    let start = result.find('(').unwrap_or(result.len());
    let end = result.rfind(')').unwrap_or(start).max(start);
    let is_word = |text: &&str| text.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b' ' | b'('));
    result.get(start..end).filter(is_word).unwrap_or_default()
}

/// A row that is left out: its line, its table, the reason, and its name in the marker.
type OmittedRow<'a> = (usize, u32, Reason, Cow<'a, str>);

/// Names, and the number of rows with each.
type Names<'a> = Vec<(&'a str, usize)>;

/// One marker for all rows of a table that are left out for one reason, with their names.
fn spans<'a>(source: &'a Source<'a>, gone: &[OmittedRow<'_>]) -> Result<Reduction, Reason> {
    let mut actions = LineActions::new(source);
    let mut markers: BTreeMap<(u32, Reason), (usize, Names<'_>)> = BTreeMap::new();
    for (line, table, reason, name) in gone {
        actions.omit(*line..line + 1, *reason, table + 1);
        let (_, names) = markers.entry((*table, *reason)).or_insert((*line, Vec::new()));
        let known = names.len();
        match names.iter_mut().take(MAX_NAMES).find(|(n, _)| n == name) {
            Some((_, count)) => *count += 1,
            None if known < MAX_NAMES => names.push((name, 1)),
            // After the names that are written, one entry counts the rest.
            None if known == MAX_NAMES => names.push(("", 1)),
            None => names[MAX_NAMES].1 += 1,
        }
    }
    for (first, names) in markers.into_values() {
        actions.set_name(first, written(&names));
    }
    actions.finish(Blanks::Keep)
}

/// `3 a, b, 9 others`
fn written(names: &[(&str, usize)]) -> String {
    let mut out = String::new();
    for (i, (name, count)) in names.iter().enumerate() {
        let name = if i == MAX_NAMES { "others" } else { *name };
        // Rows without a name are not counted by name.
        if name.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push_str(", ");
        }
        if *count > 1 || i == MAX_NAMES {
            out.push_str(&count.to_string());
            out.push(' ');
        }
        out.push_str(name);
    }
    out
}

/// Used for formats in which no word of the command can ask for the rows that are left out.
pub fn never(_: &str) -> bool {
    false
}

/// The place of a column among the cells of a header.
pub fn column(header: &str, name: &str) -> Option<usize> {
    header.split_whitespace().position(|cell| cell == name)
}

/// The cell of a row under the column of that name, if the cells before it have no blanks.
pub fn cell<'a>(header: &str, line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().nth(column(header, name)?)
}

/// The text in a row from its cell `n` on.
pub fn from_cell(line: &str, n: usize) -> Option<&str> {
    let mut rest = line.trim_start();
    for _ in 0..n {
        let end = rest.find(char::is_whitespace)?;
        rest = rest[end..].trim_start();
    }
    Some(rest).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_and_limited() {
        assert_eq!(written(&[("a", 3), ("", 2), ("b", 1)]), "3 a, b");
        let many: Vec<String> = (0..MAX_NAMES + 5).map(|i| format!("n{i}")).collect();
        let gone: Vec<_> =
            many.iter().enumerate().map(|(i, n)| (i, 0, Reason::Progress, Cow::from(n.as_str()))).collect();
        let text = "a\n".repeat(many.len());
        let out = spans(&Source::new(&text), &gone).unwrap();
        assert_eq!(out.spans.len(), 1);
        let crate::text::ledger::Action::Omit { names: Some(names), .. } = &out.spans[0].action else {
            panic!("no names")
        };
        assert!(names.ends_with("n39, 5 others"), "{names}");
    }

    #[test]
    fn cells() {
        assert_eq!(cell("A B C", "1  2 3", "B"), Some("2"));
        assert_eq!(cell("A B C", "1", "B"), None);
        assert_eq!(from_cell(" a  b c d", 2), Some("c d"));
        assert_eq!(from_cell("a b", 2), None);
    }
}
