//! `dir` of the Windows command line and `Get-ChildItem`: a date that most rows have is written once and
//! padding is removed. Every name, size, mode, folder and total is kept, and so is each date that is not the
//! one at the top.

use std::collections::BTreeMap;

use crate::detect::Shape;
use crate::input::{Claim, Input};
use crate::reduce::lines::reads_as_report;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct WindowsDir;

static META: Meta = Meta {
    id: "windows_dir",
    family: "listing",
    reads: "`dir`, `dir /s` of the Windows command line, `Get-ChildItem`",
    keeps: "every name, folder, size, mode, total",
    omits: "a date or day that most rows have is written once, before the first; padding between columns",
    anchors: &[" Directory of ", "    Directory: ", "LastWriteTime"],
};

/// Fewer rows are not worth a line at the top. A choice.
const MIN_ROWS: usize = 4;
/// Words in place of a size.
const KINDS: [&str; 4] = ["<DIR>", "<JUNCTION>", "<SYMLINKD>", "<SYMLINK>"];

/// A row.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    /// `d-----`; empty for `dir`.
    mode: &'a str,
    day: &'a str,
    /// With `AM` or `PM` if it has one.
    time: String,
    /// Size or kind; empty for a folder of `Get-ChildItem`.
    size: &'a str,
    name: &'a str,
}

impl Row<'_> {
    fn written(&self, day: Option<&str>, time: Option<&str>) -> String {
        let is_same = Some(self.day) == day;
        let is_whole = is_same && time.is_none_or(|time| self.time == time);
        let mut words = vec![self.mode];
        words.extend([self.day].iter().filter(|_| !is_whole));
        words.extend([self.time.as_str()].iter().filter(|_| !(is_whole && time.is_some())));
        words.extend([self.size, self.name]);
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }
}

/// The next word of a text, and the text after its blanks.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    let end = text.find(' ').unwrap_or(text.len());
    (end > 0).then(|| (&text[..end], text[end..].trim_start_matches(' ')))
}

fn read(line: &str) -> Option<Row<'_>> {
    let digits = |s: &str, more: &[u8]| s.bytes().all(|b| b.is_ascii_digit() || more.contains(&b));
    let starts = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    let (first, rest) = word(line)?;
    let is_mode = matches!(first.len(), 5 | 6) && first.bytes().all(|b| b"dlarhs-".contains(&b));
    let (day, rest) = if is_mode { word(rest)? } else { (first, rest) };
    let (clock, rest) = word(rest)?;
    if line.starts_with(' ')
        || !(starts(day) && (8..=10).contains(&day.len()) && digits(day, b"/.-"))
        || !(starts(clock) && clock.contains(':') && digits(clock, b":"))
    {
        return None;
    }
    let (half, after) = word(rest)?;
    let is_half = matches!(half, "AM" | "PM" | "am" | "pm" | "a.m." | "p.m.");
    let (time, rest) = if is_half { (format!("{clock} {half}"), after) } else { (clock.to_owned(), rest) };
    let (size, name) = word(rest)?;
    let is_size = KINDS.contains(&size) || starts(size) && digits(size, b",.");
    match is_mode {
        true if first.starts_with(['d', 'l']) => Some(Row { mode: first, day, time, size: "", name: rest }),
        _ if is_size && !name.is_empty() => {
            Some(Row { mode: if is_mode { first } else { "" }, day, time, size, name })
        }
        _ => None,
    }
}

/// The value that most rows have, if half of them do.
fn most<'a>(values: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let all: usize = counts.values().sum();
    counts.into_iter().find(|(_, count)| count * 2 >= all).map(|(value, _)| value)
}

impl Reducer for WindowsDir {
    fn meta(&self) -> &Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let is_list = input.detection.shape == Shape::Listing;
        let rows = input.source.lines().filter(|line| read(line.trim_end()).is_some()).take(MIN_ROWS).count();
        let names_folder = |line: &str| META.anchors.iter().any(|anchor| line.contains(anchor));
        match (is_list || reads_as_report(input))
            && rows >= MIN_ROWS
            && input.source.lines().any(names_folder)
        {
            true if is_list => Claim::Command,
            true => Claim::Content,
            false => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let is_row = |i: &usize| !signals::is_failure(source.line(*i));
        let rows: Vec<(usize, Row<'_>)> = (0..source.len())
            .filter(is_row)
            .filter_map(|i| read(source.line(i).trim_end()).map(|row| (i, row)))
            .collect();
        if rows.len() < MIN_ROWS || source.lines().any(|line| line.starts_with(SAID)) {
            return Err(Reason::NothingToDo);
        }
        let dates: Vec<String> = rows.iter().map(|(_, row)| format!("{} {}", row.day, row.time)).collect();
        let whole = most(dates.iter().map(String::as_str)).and_then(|date| date.split_once(' '));
        let (day, time) = match whole {
            Some((day, time)) => (Some(day), Some(time)),
            None => (most(rows.iter().map(|(_, row)| row.day)), None),
        };
        let mut head = match (day, time) {
            (Some(day), Some(time)) => format!("{SAID}{day} {time}\n"),
            (Some(day), None) => format!("{SAID}{day}\n"),
            _ => String::new(),
        };
        let mut out = Reduction::default();
        for (i, row) in &rows {
            let text = std::mem::take(&mut head) + &row.written(day, time);
            out.replace(*i..i + 1, text, Reason::ListingLayout);
        }
        Ok(out)
    }
}

/// The text before the date at the top.
const SAID: &str = "where not shown: date ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both() {
        let row = read("12/07/2019  02:09 AM            54,784 Ext Export.exe").unwrap();
        assert_eq!(
            (row.day, row.time.as_str(), row.size, row.name),
            ("12/07/2019", "02:09 AM", "54,784", "Ext Export.exe")
        );
        assert_eq!(row.written(Some("12/07/2019"), None), "02:09 AM 54,784 Ext Export.exe");
        assert_eq!(row.written(Some("12/07/2019"), Some("02:09 AM")), "54,784 Ext Export.exe");
        assert_eq!(
            row.written(Some("12/07/2019"), Some("02:10 AM")),
            "12/07/2019 02:09 AM 54,784 Ext Export.exe"
        );
        assert_eq!(read("24.03.2021  15:15    <DIR>          ..").unwrap().name, "..");
        let row = read("d-----          1/2/2026  10:11 AM                2026 plans").unwrap();
        assert_eq!((row.size, row.name), ("", "2026 plans"));
        assert_eq!(read("-a----          1/2/2026  10:11 AM           1204 a.txt").unwrap().size, "1204");
        for line in [
            "               9 File(s)      2,643,800 bytes",
            " Directory of C:\\",
            "2026-01-02 10:11:12 INFO 12 started",
            "",
        ] {
            assert_eq!(read(line).filter(|row| row.size != "12"), None, "{line}");
        }
    }
}
