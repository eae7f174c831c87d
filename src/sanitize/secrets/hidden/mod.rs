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
mod statements;
pub(super) mod strings;
#[cfg(test)]
mod tests;
mod texts;
mod units;
mod view;
pub(super) mod wrapped;

use super::matcher::scan;
use super::scan::{Claim, Scan};
use super::table::Table;
use crate::stop;
use near::Near;
use view::View;

/// The layers that are still applied to a text. Except for codings, a layer is not applied again to its own result.
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
/// The same for short texts, in bytes.
const MIN_WORK_BYTES: usize = 16 << 10;

/// Bytes before and after a head of a column or field in which values may follow prefixes. A choice.
const AROUND_HEAD_BYTES: (usize, usize) = (128, 1 << 10);
/// Bytes around an encoded line after which others may follow.
const AROUND_CODED_BYTES: (usize, usize) = (1 << 10, 8 << 10);

/// The claims of all rules in `text`, plain and through every layer; in order, without overlap.
pub(super) fn claims(table: &'static Table, text: &[u8]) -> Vec<Claim> {
    let mut work = text.len().saturating_mul(WORK_PER_BYTE).max(MIN_WORK_BYTES);
    let mut claims = search(table, text, ALL, &mut work);
    let Some(narrow) = nulls::narrowed(text) else { return claims };
    // No value continues in the next item of a list.
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
    let mut scan = scan(table, text);
    let mut claims = Vec::new();
    let mut see = |view: &View, layers: Layers| look(table, view, layers, work, &mut claims);
    stop::check();
    if layers.columns {
        let within = Layers { codings: 0, columns: false, ..layers };
        if let Some(view) = columns::view(text, &scan.heads) {
            see(&view, within);
        }
        if let Some(view) = fields::view(text, &scan.fields) {
            see(&view, within);
        }
    }
    if layers.groups {
        let within = Layers { codings: 0, columns: false, groups: false };
        if let Some(view) = groups::view(text, &scan.cut) {
            see(&view, within);
        }
        if let Some(view) = groups::wrapped(text, &scan.cut) {
            see(&view, within);
        }
    }
    if let Some(codings) = layers.codings.checked_sub(1) {
        let within = Layers { codings, ..layers };
        let near = Near::of(std::mem::take(&mut scan.near));
        stop::check();
        // They may cut a keyword, or separate a value from it.
        if let Some(view) = placed::view(text) {
            see(&view, Layers { codings: 0, ..within });
        }
        if let Some(view) = placed::compared(text) {
            see(&view, Layers { codings: 0, ..within });
        }
        if let Some(view) = texts::cut_lines(text) {
            see(&view, Layers { codings: 0, ..within });
        }
        if let Some(view) = texts::without_doubled(text, &near) {
            see(&view, Layers { codings: 0, ..within });
        }
        let decoded = units::view(text, &near).filter(|view| see(view, within));
        stop::check();
        // Lines that are encoded as a whole, after a prefix.
        let mut coded = Vec::new();
        base64::views(text, &mut coded, &mut |view| _ = see(&view, within));
        stop::check();
        hexdump::views(text, &mut coded, &mut |view| _ = see(&view, within));
        stop::check();
        arrays::views(text, &mut |view| _ = see(&view, within));
        arrays::decimals(text, &mut |view| _ = see(&view, within));
        arrays::letters(text, &mut |view| _ = see(&view, within));
        pairs::views(text, &mut |view| _ = see(&view, within));
        stop::check();
        let around =
            |at: &usize| at.saturating_sub(AROUND_CODED_BYTES.0)..text.len().min(at + AROUND_CODED_BYTES.1);
        // The search of the decoded text has looked through the lines that it holds.
        // It has no tags, between which a list of terms has its names and values.
        let is_plain = memchr::memmem::find(text, b"</dt>").is_none();
        let decoded = decoded.filter(|_| within.codings > 0 && is_plain);
        let seen = decoded.map(|view| view.sources()).unwrap_or_default();
        // Heads of columns and fields, which cannot be recognized by the text after them.
        let heads = scan.heads.iter().chain(&scan.fields).filter(|at| prefixed::is_framed(text, **at));
        let around_head =
            |at: &usize| at.saturating_sub(AROUND_HEAD_BYTES.0)..text.len().min(at + AROUND_HEAD_BYTES.1);
        let quoted = near.clone();
        let lines = near.and(coded.iter().map(around)).except(&seen);
        let framed = lines.clone().and(heads.map(around_head)).except(&seen).except(&scan.rows);
        if let Some(view) = prefixed::view(text, &framed) {
            see(&view, within);
        }
        stop::check();
        if let Some(view) = forms::view(text) {
            see(&view, within);
        }
        if let Some(view) = texts::view(text, &quoted) {
            see(&view, within);
        }
        stop::check();
        if let Some(joined) = wrapped::view(text, &lines) {
            let mut found = Vec::new();
            look(table, &joined.view, Layers { codings: 0, ..layers }, work, &mut found);
            joined.trim(table, text, [&scan.claims, &claims], &mut found);
            claims.append(&mut found);
        }
    }
    scan.claims.append(&mut claims);
    scan.into_claims()
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
