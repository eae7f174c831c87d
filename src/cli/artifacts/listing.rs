//! `tersed artifacts list`: one row for each original, those on disk first. Reads labels, never contents.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use super::elsewhere::{self, Reach};
use super::{Place, as_json, copies, print_json};
use crate::cli::Failure;
use crate::cli::out::print;

/// Prints the list.
pub(super) fn list(place: &Place) -> Result<(), Failure> {
    let vault = place.vault()?;
    let copies = copies(&vault)?;
    let mut elsewhere = if place.dir.is_none() { elsewhere::list(Reach::Everything) } else { Vec::new() };
    // Sessions and processes may have the same original. It is read back by its handle alone.
    let mut known: HashSet<String> = copies.iter().map(|copy| copy.header.digest.clone()).collect();
    elsewhere.retain(|listed| match listed["digest"].as_str() {
        Some(digest) => known.insert(digest.to_owned()),
        None => true,
    });
    if place.json {
        return print_json(&Value::Array(copies.iter().map(as_json).chain(elsewhere).collect()));
    }
    if copies.is_empty() && elsewhere.is_empty() {
        return print("No originals are kept; `tersed artifacts --help` says which are, and where.\n");
    }
    let mut rows =
        vec![["HANDLE", "STORED", "UNTIL", "BYTES", "LINES", "TOOL", "COMMAND"].map(str::to_owned)];
    for copy in &copies {
        let header = &copy.header;
        let command = header.label.command.as_deref().unwrap_or_default();
        rows.push([
            copy.id().to_owned(),
            time(header.stored),
            time(header.expires),
            header.bytes.to_string(),
            header.lines.to_string(),
            plain(&header.label.tool),
            plain(command),
        ]);
    }
    for listed in &elsewhere {
        let text = |name: &str| listed.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| listed.get(name).map(Value::to_string).unwrap_or_default();
        let is_on_disk = listed["onDisk"] == Value::Bool(true);
        let stored = if is_on_disk { "on disk" } else { "in memory" };
        let (stored, until) = (stored.to_owned(), String::new());
        rows.push([
            text("id"),
            stored,
            until,
            number("bytes"),
            number("lines"),
            plain(&text("tool")),
            plain(&text("command")),
        ]);
    }
    let mut out = String::new();
    let widths: Vec<usize> =
        (0..7).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if i == 0 { "" } else { "  " };
            let _ = match i {
                3 | 4 => write!(line, "{gap}{cell:>width$}"),
                _ => write!(line, "{gap}{cell:<width$}"),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    print(&out)
}

/// Seconds since the epoch as a date in UTC.
pub(super) fn time(seconds: u64) -> String {
    // The last second that a date with four digits of the year can show, in case a clock is wrong.
    const MAX_SECONDS: u64 = 253_402_300_799;
    let at = UNIX_EPOCH + Duration::from_secs(seconds.min(MAX_SECONDS));
    humantime::format_rfc3339_seconds(at).to_string()
}

/// A text as one line of a table: the first 60 characters, without control characters.
fn plain(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    let mut line: String =
        text.chars().take(MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        line.push('…');
    }
    line
}
