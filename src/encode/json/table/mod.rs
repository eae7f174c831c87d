//! Arrays of objects, and runs of NDJSON, as schema tables: the keys once, then a row for each object.
//!
//! Nothing is lost: `read` restores the same values, numbers as they were written. A table is used only
//! where it costs fewer tokens than the minified JSON, and a line that reports a failure is not changed.
//! The policy has to allow output that is no longer JSON.

mod compose;
mod read;
mod shape;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeSet;
use std::ops::Range;

pub use read::{expand, is_own};

use super::{Value, runs, stands_alone};
use crate::config::Structured;
use crate::encode::{Encoder, fold};
use crate::input::Input;
use crate::input::is_exact_text;
use crate::text::ledger::{Action, Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;
use crate::tokens::{self, TokenCounter};
use compose::{Composed, MIN_LINES};
use write::{Verbatim, place};

/// A text with more distinct failure lines than this is about failures, and stays JSON.
const MAX_FAILURES: usize = 64;

/// The encoder of this module.
pub struct JsonTable;

impl Encoder for JsonTable {
    fn id(&self) -> &'static str {
        "json_table"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        let allowed = matches!(input.policy.structured_form(), Structured::Tables | Structured::Plain);
        if !allowed || is_exact_text(input) {
            return Err(Reason::NothingToDo);
        }
        let source = input.source;
        let words = source.failure_words();
        let counter = tokens::counter(input.policy.tokenizer);
        let mut work = Work { source, counter, words, why: Reason::NothingToDo };
        let mut out = Reduction::default();
        let mut whole = false;
        for kept in ledger.kept() {
            let (runs, others) = runs(source, kept.clone(), words);
            let all = kept.len() == source.len() && others == 0;
            for run in runs {
                work.run(&kept, &run, all, &mut out);
            }
            whole |= all;
        }
        // If the whole text is a table, it is recognized when it is compressed again.
        if !whole {
            fold::spare_repeats(source, ledger, &mut out);
        }
        if out.is_empty() { Err(work.why) } else { Ok(out) }
    }
}

/// Writes tables into replacements of an earlier step that are JSON: documents of which parts were left out. Returns
/// the ledger, or the reason why nothing changed.
pub fn in_replacements(input: &Input<'_>, ledger: &Ledger) -> Result<Ledger, Reason> {
    let allowed = matches!(input.policy.structured_form(), Structured::Tables | Structured::Plain);
    if !allowed || is_exact_text(input) {
        return Err(Reason::NothingToDo);
    }
    let source = input.source;
    let words = source.failure_words();
    let counter = tokens::counter(input.policy.tokenizer);
    let mut work = Work { source, counter, words, why: Reason::NothingToDo };
    let mut next = ledger.clone();
    let mut changed = false;
    for span in next.spans_mut() {
        let lines = span.lines.clone();
        let Action::Replace { text, reason, .. } = &mut span.action else { continue };
        if *reason == Reason::SchemaTable || !text.starts_with(['{', '[']) {
            continue;
        }
        let mut json = String::new();
        if super::scan::minify(text, 0, &mut json, &signals::word_offsets(text)) != Ok(text.len()) {
            continue;
        }
        match work.checked(&lines, &[&json], |given, counter| compose::document(&json, given, counter)) {
            Ok(table) => {
                *text = table;
                changed = true;
            }
            Err(why) => work.why = work.why.max_of(why),
        }
    }
    if changed { Ok(next) } else { Err(work.why) }
}

struct Work<'a> {
    source: &'a Source<'a>,
    counter: &'static dyn TokenCounter,
    /// Places of failure words.
    words: &'a [usize],
    /// The reason why there is no table, if known.
    why: Reason,
}

impl Work<'_> {
    /// Writes tables for a run of values: one for all of them as NDJSON, or else one for each value, wherever
    /// that saves tokens.
    fn run(&mut self, kept: &Range<usize>, run: &[Value], all: bool, out: &mut Reduction) {
        let lines = match run {
            [first, .., last] => first.lines.start..last.lines.end,
            _ => 0..0,
        };
        let is_ndjson = run.len() >= MIN_LINES
            && lines.len() == run.len()
            && run.iter().all(|value| value.text.starts_with('{'));
        if is_ndjson && (all || stands_alone(self.source, kept, &lines)) {
            let rows: Vec<&str> = run.iter().map(|value| value.text.as_str()).collect();
            match self.checked(&lines, &rows, |given, counter| compose::lines(rows.clone(), given, counter)) {
                Ok(text) => return out.replace(lines, text, Reason::SchemaTable),
                Err(why) => self.why = self.why.max_of(why),
            }
        }
        for value in run.iter().filter(|value| value.text.starts_with(['{', '['])) {
            if !(all || stands_alone(self.source, kept, &value.lines)) {
                continue;
            }
            let text = value.text.as_str();
            match self
                .checked(&value.lines, &[text], |given, counter| compose::document(text, given, counter))
            {
                Ok(text) => out.replace(value.lines.clone(), text, Reason::SchemaTable),
                Err(why) => self.why = self.why.max_of(why),
            }
        }
    }

    /// Writes a text with tables, if every failure line can be found in it and it costs fewer tokens than the JSON.
    fn checked<'a>(
        &self,
        lines: &Range<usize>,
        json: &[&'a str],
        write: impl Fn(&Verbatim, &dyn TokenCounter) -> Result<Composed<'a>, Reason>,
    ) -> Result<String, Reason> {
        let mut verbatim = Verbatim::new();
        let first = write(&verbatim, self.counter)?;
        let failures = self.failures(lines).ok_or(Reason::GuardDeclined)?;
        let finds = |text: &str, line: &str| memchr::memmem::find(text.as_bytes(), line.as_bytes()).is_some();
        for &line in failures.iter().filter(|line| !finds(&first.text, line)) {
            if needs_only_failing_members(line) {
                reporting_rows(&first, &mut verbatim);
            } else {
                let (row, text) = row_of(json, line, &first).ok_or(Reason::GuardDeclined)?;
                verbatim.insert(row, text);
            }
        }
        let text = match verbatim.is_empty() {
            true => first.text,
            false => write(&verbatim, self.counter)?.text,
        };
        let parts = |line: &str| signals::excerpts(line).into_iter().all(|part| finds(&text, &line[part]));
        let is_there = |line: &&str| {
            line.len() > signals::MAX_LINE
                || finds(&text, line)
                || needs_only_failing_members(line) && parts(line)
        };
        if !failures.iter().all(is_there) {
            return Err(Reason::GuardDeclined);
        }
        Ok(text)
    }

    /// The distinct lines that report a failure, or that are too long to check; `None` for too many.
    fn failures(&self, lines: &Range<usize>) -> Option<BTreeSet<&str>> {
        let bytes = self.source.byte_range(lines.clone());
        let mut found = BTreeSet::new();
        let mut next = bytes.start;
        while let Some(&word) = self.words.get(self.words.partition_point(|word| *word < next)) {
            if word >= bytes.end {
                break;
            }
            let at = self.source.line_at(word);
            next = self.source.byte_range(at..at + 1).end;
            let line = self.source.line(at).trim();
            if line.len() > signals::MAX_LINE || signals::is_failure(line) && !signals::denies_failure(line) {
                found.insert(line);
            }
            if found.len() > MAX_FAILURES {
                return None;
            }
        }
        Some(found)
    }
}

/// The row of a table that contains a failure line, and the form in which the line can be found.
fn row_of(json: &[&str], line: &str, tables: &Composed<'_>) -> Option<(usize, String)> {
    let find = |needle: &str| {
        json.iter().find_map(|text| {
            let at = memchr::memmem::find(text.as_bytes(), needle.as_bytes())?;
            tables.row_at(place(text) + at)
        })
    };
    if let Some(row) = find(line) {
        // The line may end with the comma after the row.
        let comma = if line.ends_with(',') && !row.contains(line) { "," } else { "" };
        return Some((place(row), format!("{row}{comma}")));
    }
    // The object is the whole line, including the blanks between its tokens.
    let mut text = String::new();
    let words = signals::word_offsets(line);
    let end = super::scan::minify(line, 0, &mut text, &words).ok()?;
    let row = find(&text).filter(|row| *row == text && matches!(&line[end..], "" | ","))?;
    Some((place(row), line.to_owned()))
}

/// Whether a line is a document of which only the failing members must be found, not the whole line.
fn needs_only_failing_members(line: &str) -> bool {
    line.len() > signals::MAX_LINE || signals::is_document(line) && !signals::excerpts(line).is_empty()
}

/// Keeps every row that reports a failure, for a text without line ends.
fn reporting_rows(tables: &Composed<'_>, verbatim: &mut Verbatim) {
    for row in tables.rows.iter().filter(|row| signals::is_failure(row) && !signals::denies_failure(row)) {
        verbatim.insert(place(row), (*row).to_owned());
    }
}
