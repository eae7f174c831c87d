//! Removes our tables from TOML, with the empty line before each.

use std::ops::Range;

use toml_edit::{Item, Table};

use super::{of_item, parse, refused, value};
use crate::install::jsonc::Fault;
use crate::install::parts::{Part, is_entry, is_ours};

/// The text without our tables at the paths of the parts. The values of [`Part::Default`] stay.
pub fn remove(text: &str, parts: &[Part]) -> Result<String, Fault> {
    let mut text = text.to_owned();
    for part in parts.iter().rev() {
        while let Some(ranges) = ranges(&text, part)? {
            text = without(&text, ranges)?;
        }
        let root = value(&text)?;
        if !matches!(part, Part::Default { .. }) && part.is_known(&root) {
            let what = format!("`{}` is written inline; take it out by hand", part.path().join("."));
            return Err(Fault { line: refused(&text, part.path()).line, text: what });
        }
    }
    Ok(text)
}

/// The ranges of the tables of the last entry of ours that matches a part.
fn ranges(text: &str, part: &Part) -> Result<Option<Vec<Range<usize>>>, Fault> {
    let root = parse(text)?;
    let found = part.path().iter().try_fold(root.as_item(), |item, name| item.get(name.as_str()));
    let table = match (part, found) {
        (Part::Member { .. }, Some(item @ Item::Table(table))) if is_ours(&of_item(item)) => Some(table),
        (Part::Element { .. }, Some(Item::ArrayOfTables(all))) => last_of_ours(all),
        _ => None,
    };
    Ok(table
        .map(|table| {
            let mut all = Vec::new();
            places(text, table, &mut all);
            all.sort_by_key(|range| range.start);
            // Adjacent ranges are merged.
            all.dedup_by(|next, range| {
                let is_next = text[range.end..next.start].trim().is_empty();
                range.end = if is_next { next.end } else { range.end };
                is_next
            });
            all
        })
        .filter(|all| !all.is_empty()))
}

/// The last table that is ours; if others also have tables in it, the one inside it that is ours.
fn last_of_ours(all: &toml_edit::ArrayOfTables) -> Option<&Table> {
    let as_value = |table: &Table| of_item(&Item::Table(table.clone()));
    let table = all.iter().filter(|table| is_ours(&as_value(table))).last()?;
    if is_entry(&as_value(table)) {
        return Some(table);
    }
    for (_, item) in table {
        if let Some(inner) = item.as_array_of_tables()
            && let Some(ours) = last_of_ours(inner)
            && inner.iter().any(|table| !is_ours(&as_value(table)))
        {
            return Some(ours);
        }
    }
    Some(table)
}

/// Collects the ranges of a table and of those inside it, from the header to the end of the last value's line.
fn places(text: &str, table: &Table, all: &mut Vec<Range<usize>>) {
    let mut end = table.span().map(|span| span.end);
    for (_, item) in table {
        match item {
            Item::Table(inner) => places(text, inner, all),
            Item::ArrayOfTables(inner) => inner.iter().for_each(|inner| places(text, inner, all)),
            item => end = end.max(item.span().map(|span| span.end)),
        }
    }
    if let Some((span, end)) = table.span().filter(|span| !span.is_empty()).zip(end) {
        let start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
        all.push(start..end);
    }
}

/// Length in bytes of the line end at the start of a text.
fn newline_at(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

/// The text without these ranges and the empty line before each.
fn without(text: &str, ranges: Vec<Range<usize>>) -> Result<String, Fault> {
    let mut out = text.to_owned();
    for range in ranges.into_iter().rev() {
        let mut start = range.start;
        let newline = |text: &str| match () {
            () if text.ends_with("\r\n") => 2,
            () => usize::from(text.ends_with('\n')),
        };
        let is_last = range.end == out.len();
        let before = newline(&out[..start]);
        // These were added with the block: an empty line, and a line end if the text had none.
        if before > 0 && newline(&out[..start - before]) > 0 {
            start -= before;
            if is_last && !out.ends_with('\n') {
                start -= newline(&out[..start]);
            }
        }
        // At the start of the text, the empty line belongs to what follows.
        let after = if start == 0 { newline_at(&out[range.end..]) } else { 0 };
        out.replace_range(start..range.end + after, "");
    }
    parse(&out)?;
    Ok(out)
}
