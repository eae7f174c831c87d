//! `ls` without paths: names share lines, and blocks of `ls -R` in noise folders are left out.
//!
//! A block with other lines than names keeps its lines.

use std::collections::HashSet;
use std::ops::Range;

use super::noise::Noise;
use super::sheet::{Layout, Sheet};
use super::{entry, long};
use crate::input::Input;
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The folder of a `folder:` line.
pub fn header(line: &str) -> Option<&str> {
    let folder = line.strip_suffix(':')?;
    let plain = !folder.is_empty() && !folder.contains(": ") && folder.trim() == folder;
    (plain && (folder.contains(['/', '\\']) || !folder.contains(' '))).then_some(folder)
}

/// Whether a line is one name as `ls` writes it, with or without a sign for its kind.
pub fn is_name(line: &str) -> bool {
    let odd = |b: u8| b <= b' ' || b == 0x7F || b"/\\:;,<>|{}\"'`()=*?!&$%^[]".contains(&b);
    let body = line.strip_suffix(['/', '*', '@', '|', '=']).unwrap_or(line);
    !body.is_empty() && !body.bytes().any(odd)
}

/// Whether a line belongs to the long format.
pub fn is_long(line: &str) -> bool {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return false };
    let has_total = first == "total" && words.clone().count() == 1;
    let numbered = first.bytes().all(|b| b.is_ascii_digit()) && words.next().is_some_and(entry::is_mode);
    has_total || numbered || entry::is_mode(first)
}

/// Lines under one header, without it; the header's folder.
struct Block<'a> {
    folder: Option<&'a str>,
    lines: Range<usize>,
}

/// What to do with the output of `ls`.
pub fn reduce(input: &Input<'_>, noise: &Noise<'_>) -> Result<Reduction, Reason> {
    let source = input.source;
    let blocks = blocks(source);
    let roots: Vec<Option<&str>> = blocks.iter().map(|block| root(block, noise)).collect();
    let whole = roots.iter().all(Option::is_some);
    // Lines that were grouped under a folder look like those of one folder.
    let long =
        (0..source.len()).map(|i| super::text(source, i)).any(is_long) && !super::paths::is_grouped(source);
    let mut sheet = Sheet::new(input);
    let mut hidden: Option<(&str, Range<usize>)> = None;
    for (block, root) in blocks.iter().zip(&roots) {
        let lines = block.lines.clone();
        let Some(root) = root.filter(|_| !whole) else {
            flush(source, &mut hidden, &mut sheet);
            join(source, lines, &mut sheet);
            continue;
        };
        match &mut hidden {
            Some((last, range)) if *last == root => range.end = lines.end,
            _ => {
                flush(source, &mut hidden, &mut sheet);
                // The first header of a noise folder is kept.
                hidden = Some((root, lines));
            }
        }
    }
    flush(source, &mut hidden, &mut sheet);
    if long {
        let mut shown = vec![true; source.len()];
        let hidden = sheet.out.spans.iter().flat_map(|span| span.lines.clone());
        hidden.for_each(|line| shown[line] = false);
        let mut rows = Sheet::new(input);
        long::write(source, &shown, &mut rows);
        sheet.out.spans.extend(rows.out.spans);
        sheet.out.order(0);
    }
    if sheet.out.is_empty() { Err(Reason::NothingToDo) } else { Ok(sheet.out) }
}

/// Hides the lines of a noise folder, unless there are none.
fn flush(source: &Source<'_>, hidden: &mut Option<(&str, Range<usize>)>, sheet: &mut Sheet<'_, '_>) {
    let Some((_, lines)) = hidden.take() else { return };
    let next = lines.end + 1;
    let more = next < source.len() && header(super::text(source, next)).is_some();
    // The next header marks the end of the folder.
    sheet.noise(lines.start..lines.end + usize::from(more));
}

/// The noise folder that a block lists or belongs to.
fn root<'a>(block: &Block<'a>, noise: &Noise<'_>) -> Option<&'a str> {
    let folder = block.folder?.trim_end_matches(['/', '\\']);
    let name = folder.rsplit(['/', '\\']).next().unwrap_or(folder);
    noise.root(folder).or_else(|| noise.has(name).then_some(folder))
}

/// Puts the names of a block on shared lines, if all its lines are names and none has a blank.
fn join(source: &Source<'_>, lines: Range<usize>, sheet: &mut Sheet<'_, '_>) {
    let names: Vec<&str> = lines.clone().map(|i| super::text(source, i)).collect();
    let distinct = || names.iter().collect::<HashSet<_>>().len() == names.len();
    if !names.is_empty() && names.iter().all(|name| is_name(name)) && distinct() {
        sheet.write(lines.start, String::new(), &names, Layout::Joined, false);
        // The next header marks the end of the block.
        let next = lines.end + 1;
        if next < source.len() && header(super::text(source, next)).is_some() {
            sheet.merge_empty_line(lines.end);
        }
    }
}

/// The blocks, which empty lines divide.
fn blocks<'a>(source: &Source<'a>) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < source.len() {
        if super::text(source, at).is_empty() {
            at += 1;
            continue;
        }
        let end = (at..source.len()).find(|&i| super::text(source, i).is_empty()).unwrap_or(source.len());
        let folder = header(super::text(source, at));
        blocks.push(Block { folder, lines: at + usize::from(folder.is_some())..end });
        at = end;
    }
    blocks
}
