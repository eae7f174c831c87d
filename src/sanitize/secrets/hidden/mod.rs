//! Finds secrets that are not written plainly: encoded, cut, wrapped, in tables, or after prefixes of tools.
//!
//! Each layer returns the text without one such disguise, and a mapping back to the source. The rules search that
//! text; what they find is removed from the source as a whole. Depth and bytes read are limited.

mod arrays;
mod base64;
mod beside;
pub(super) mod columns;
mod cuts;
pub(super) mod entities;
mod escapes;
pub(super) mod fields;
mod forms;
mod groups;
mod hexdump;
mod lists;
pub(super) mod logged;
pub(super) mod near;
pub(super) mod nulls;
mod pairs;
mod percent;
mod placed;
mod prefixed;
mod quoted_printable;
pub(super) mod strings;
#[cfg(test)]
mod tests;
mod texts;
mod units;
mod view;
pub(super) mod wrapped;

use std::ops::Range;

use super::matcher::scan;
use super::scan::{Claim, Scan};
use super::table::Table;
use crate::stop;
use near::Near;
use view::{Present, View};

/// The layers that are still applied to a text. Except for codings such as base64, a layer is not applied to its own
/// result.
#[derive(Debug, Clone, Copy)]
struct Layers {
    /// How many nested codings are decoded.
    codings: usize,
    columns: bool,
    groups: bool,
}

const ALL: Layers = Layers { codings: 2, columns: true, groups: true };
/// Bytes that may be decoded for each byte of the text, all depths together.
const WORK_PER_BYTE: usize = 8;
/// Bytes that may be decoded of a text in any case.
const MIN_WORK_BYTES: usize = 16 << 10;

/// Bytes before and after the heading of a column or field in which the lines of its values may have prefixes. A
/// choice.
const AROUND_HEAD_BYTES: (usize, usize) = (128, 1 << 10);
/// Bytes before and after an encoded line in which further encoded lines are searched.
const AROUND_CODED_BYTES: (usize, usize) = (1 << 10, 8 << 10);

/// The claims of all rules in `text`, plain and through every layer; in order, without overlap.
pub(super) fn claims(table: &'static Table, text: &[u8]) -> Vec<Claim> {
    let mut work = text.len().saturating_mul(WORK_PER_BYTE).max(MIN_WORK_BYTES);
    let mut claims = search(table, text, ALL, &mut work);
    let Some(narrow) = nulls::narrowed(text) else { return claims };
    // A value does not continue in the next item of a list.
    for claim in &mut claims {
        let ends = memchr::memchr_iter(0, &text[claim.start..claim.end]);
        if let Some(len) = ends.into_iter().find(|at| cuts::is_variable(&text[claim.start + at + 1..])) {
            claim.end = claim.start + len;
        }
    }
    claims.retain(|claim| claim.start < claim.end);
    let mut work = narrow.len().saturating_mul(WORK_PER_BYTE).max(MIN_WORK_BYTES);
    let mut more = search(table, &narrow, ALL, &mut work);
    nulls::widen(text, &mut more.iter_mut().map(|c| (&mut c.start, &mut c.end)).collect::<Vec<_>>());
    let mut scan = Scan::new(text);
    scan.claims = [claims, more].concat();
    scan.into_claims()
}

/// Applies all layers, the cheapest and most frequent first.
///
/// Rules search only near keywords, so most disguises matter only there. Disguises of the keywords themselves are searched
/// everywhere.
fn search(table: &'static Table, text: &[u8], layers: Layers, work: &mut usize) -> Vec<Claim> {
    let mut search = Search { table, text, layers, scan: scan(table, text), claims: Vec::new(), work };
    stop::check();
    if layers.columns {
        search.columns();
    }
    if layers.groups {
        search.groups();
    }
    if let Some(codings) = layers.codings.checked_sub(1) {
        search.codings(Layers { codings, ..layers });
    }
    let Search { mut scan, mut claims, .. } = search;
    scan.claims.append(&mut claims);
    scan.into_claims()
}

/// A search of one text through its layers.
struct Search<'t, 'w> {
    table: &'static Table,
    text: &'t [u8],
    layers: Layers,
    /// What the rules found in the text itself.
    scan: Scan<'t>,
    /// What they found through layers.
    claims: Vec<Claim>,
    /// Bytes that may still be decoded.
    work: &'w mut usize,
}

impl Search<'_, '_> {
    /// Searches a view. Returns false if too much was searched already.
    fn see(&mut self, view: &View, layers: Layers) -> bool {
        look(self.table, view, layers, self.work, &mut self.claims)
    }

    /// Values in the columns and fields of tables, below or beside their names.
    fn columns(&mut self) {
        let within = Layers { codings: 0, columns: false, ..self.layers };
        if let Some(view) = columns::view(self.text, &self.scan.heads) {
            self.see(&view, within);
        }
        if let Some(view) = fields::view(self.text, &self.scan.fields) {
            self.see(&view, within);
        }
    }

    /// Tokens that are written in groups, or in several cells.
    fn groups(&mut self) {
        let within = Layers { codings: 0, columns: false, groups: false };
        if let Some(view) = groups::view(self.text, &self.scan.cut) {
            self.see(&view, within);
        }
        if let Some(view) = groups::wrapped(self.text, &self.scan.cut) {
            self.see(&view, within);
        }
        if let Some((view, ends)) = groups::folded(self.text, &self.scan.cut) {
            let first = self.claims.len();
            self.see(&view, within);
            let mut plain: Vec<(usize, u16)> = self.scan.claims.iter().map(|c| (c.end, c.rule)).collect();
            plain.sort_unstable();
            let folded = self.claims.split_off(first).into_iter().filter(|claim| {
                let next = ends.partition_point(|end| *end <= claim.start);
                let Some(end) = ends.get(next).filter(|end| **end < claim.end) else { return false };
                // A token that is complete without the next line continues there only if that line looks like its end.
                let is_complete = plain.binary_search(&(*end, claim.rule)).is_ok();
                !is_complete || groups::is_rest(self.text, *end, claim.end)
            });
            self.claims.extend(folded);
        }
    }

    /// Encoded, prefixed, quoted and wrapped text.
    fn codings(&mut self, within: Layers) {
        let text = self.text;
        let near = Near::of(std::mem::take(&mut self.scan.near));
        let present = Present::of(text);
        stop::check();
        self.cut_keywords(&near, &present, within);
        let decoded = units::view(text, &near).filter(|view| self.see(view, within));
        stop::check();
        let coded = self.coded_lines(&present, within);
        // The search of the decoded text already examined the lines that this text contains. The decoded text has
        // no tags, so the names and values of a `<dl>` list are only found in the text itself.
        let is_plain = || memchr::memmem::find(text, b"</dt>").is_none();
        let decoded = decoded.filter(|_| within.codings > 0 && is_plain());
        let seen = decoded.map(|view| view.sources()).unwrap_or_default();
        let quoted = near.clone();
        let lines = near.and(coded.iter().map(|at| around(text, *at, AROUND_CODED_BYTES))).except(&seen);
        let heads = self.framed_heads().map(|at| around(text, *at, AROUND_HEAD_BYTES));
        let framed = lines.clone().and(heads).except(&seen).except(&self.scan.rows);
        if let Some(view) = prefixed::view(text, &framed) {
            self.see(&view, within);
        }
        stop::check();
        if let Some(view) = forms::view(text) {
            self.see(&view, within);
        }
        if let Some(view) = texts::view(text, &quoted) {
            self.see(&view, within);
        }
        stop::check();
        self.wrapped(&lines);
    }

    /// Cursor moves, marks of word diffs, cut lines and doubled quotation marks: they may cut a keyword, or separate a
    /// value from it.
    fn cut_keywords(&mut self, near: &Near, present: &Present, within: Layers) {
        let text = self.text;
        let plain = Layers { codings: 0, ..within };
        let cut_lines = present.all(b"{\"").then(|| texts::cut_lines(text)).flatten();
        let views = [placed::view(text), cut_lines, texts::without_doubled(text, near)];
        for view in views.iter().flatten() {
            self.see(view, plain);
        }
        let may_be_compared = present.all(b"+}") || present.all(b"-]") || present.all(b"~@");
        if may_be_compared && let Some(compared) = placed::compared(text) {
            let first = self.claims.len();
            self.see(&compared, plain);
            for claim in &mut self.claims[first..] {
                let value = placed::with_marks(text, claim.start..claim.end);
                (claim.start, claim.end) = (value.start, value.end);
            }
        }
        if present.any(b"\"'`")
            && let Some(glued) = strings::glued(text)
        {
            let mut found = Vec::new();
            look(self.table, &glued.view, within, self.work, &mut found);
            self.claims.extend(found.into_iter().filter(|claim| glued.crosses(&(claim.start..claim.end))));
        }
    }

    /// Lines that are encoded as a whole, after a prefix. Returns their positions.
    fn coded_lines(&mut self, present: &Present, within: Layers) -> Vec<usize> {
        let text = self.text;
        let mut coded = Vec::new();
        base64::views(text, &mut coded, &mut |view| _ = self.see(&view, within));
        stop::check();
        hexdump::views(text, &mut coded, &mut |view| _ = self.see(&view, within));
        stop::check();
        if present.any(b"xX") || present.all(b"',") {
            arrays::views(text, &mut |view| _ = self.see(&view, within));
        }
        if present.any(b"[({") {
            arrays::decimals(text, &mut |view| _ = self.see(&view, within));
            arrays::letters(text, &mut |view| _ = self.see(&view, within));
        }
        pairs::views(text, &mut |view| _ = self.see(&view, within));
        stop::check();
        coded
    }

    /// The headings of columns and fields, which cannot be recognized by the text after them.
    fn framed_heads(&self) -> impl Iterator<Item = &usize> {
        let heads = self.scan.heads.iter().chain(&self.scan.fields);
        heads.filter(|at| prefixed::is_framed(self.text, **at))
    }

    /// Values that continue in the next line.
    fn wrapped(&mut self, lines: &Near) {
        let Some(joined) = wrapped::view(self.text, lines) else { return };
        let mut found = Vec::new();
        look(self.table, &joined.view, Layers { codings: 0, ..self.layers }, self.work, &mut found);
        joined.trim(self.table, self.text, [&self.scan.claims, &self.claims], &mut found);
        self.claims.append(&mut found);
    }
}

/// The range around a position, by the bytes before and after it.
fn around(text: &[u8], at: usize, (before, after): (usize, usize)) -> Range<usize> {
    at.saturating_sub(before)..text.len().min(at + after)
}

/// Searches a view, and maps the secrets back to the source. Returns false if too much was searched already.
fn look(
    table: &'static Table,
    view: &View,
    layers: Layers,
    work: &mut usize,
    claims: &mut Vec<Claim>,
) -> bool {
    let Some(left) = work.checked_sub(view.bytes().len()) else { return false };
    *work = left;
    for claim in search(table, view.bytes(), layers, work) {
        let source = view.source(&(claim.start..claim.end));
        if source.start < source.end {
            claims.push(Claim { start: source.start, end: source.end, rule: claim.rule });
        }
    }
    true
}
