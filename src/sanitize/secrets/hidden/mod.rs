//! Secrets that do not stand in the text as they are: coded, cut, wrapped, in tables, behind what tools put in front.
//!
//! Each layer gives the text as it reads without one such thing, and the way back to the source. The rules
//! look at that; what they find is taken out of the source as a whole. Bounded in depth and in the bytes read.

mod arrays;
mod base64;
pub(super) mod columns;
mod cuts;
mod entities;
mod escapes;
mod groups;
mod hexdump;
pub(super) mod near;
mod percent;
mod prefixed;
mod quoted_printable;
#[cfg(test)]
mod tests;
mod units;
mod view;
mod wrapped;

use super::scan::{Claim, scan};
use super::table::Table;
use crate::stop;
use near::Near;
use view::View;

/// How many codings around one another are undone.
const DEPTH: usize = 2;
/// Bytes that may be decoded for each byte of the text, all depths together.
const WORK: usize = 8;
/// The same for short texts, in bytes.
const LEAST_WORK: usize = 16 << 10;

/// Bytes around a coded line behind which others may follow.
const CODED: (usize, usize) = (1 << 10, 8 << 10);

/// What the rules claim in `text`, as it stands and through every layer; in order, without overlap.
pub(super) fn claims(table: &'static Table, text: &[u8]) -> Vec<Claim> {
    let mut work = text.len().saturating_mul(WORK).max(LEAST_WORK);
    search(table, text, DEPTH, &mut work)
}

/// Through all layers, the cheapest and most frequent first.
///
/// Rules look only near keywords, so that nothing else of a text that only reads otherwise is of interest. What hides
/// the keywords themselves is looked for everywhere.
fn search(table: &'static Table, text: &[u8], depth: usize, work: &mut usize) -> Vec<Claim> {
    let mut scan = scan(table, text);
    let mut claims = Vec::new();
    let mut see = |view: View, depth: usize| look(table, &view, depth, work, &mut claims);
    stop::check();
    let views = [columns::view(text, &scan.heads), groups::view(text, &scan.cut)];
    views.into_iter().flatten().for_each(|view| see(view, 0));
    if let Some(deeper) = depth.checked_sub(1) {
        let near = Near::of(std::mem::take(&mut scan.near));
        stop::check();
        units::view(text, &near).into_iter().for_each(|view| see(view, deeper));
        stop::check();
        // Lines that are coded as a whole and stand behind something.
        let mut coded = Vec::new();
        base64::views(text, &mut coded, &mut |view| see(view, deeper));
        stop::check();
        hexdump::views(text, &mut coded, &mut |view| see(view, deeper));
        stop::check();
        arrays::views(text, &mut |view| see(view, deeper));
        stop::check();
        let around = |at: &usize| at.saturating_sub(CODED.0)..text.len().min(at + CODED.1);
        let lines = near.and(coded.iter().map(around));
        prefixed::view(text, &lines).into_iter().for_each(|view| see(view, deeper));
        stop::check();
        wrapped::view(text, &lines).into_iter().for_each(|view| see(view, 0));
    }
    scan.claims.append(&mut claims);
    scan.into_claims()
}

/// Looks through a view and says where in the source its secrets are.
fn look(table: &'static Table, view: &View, depth: usize, work: &mut usize, claims: &mut Vec<Claim>) {
    let Some(left) = work.checked_sub(view.bytes().len()) else { return };
    *work = left;
    for claim in search(table, view.bytes(), depth, work) {
        let source = view.source(&(claim.start..claim.end));
        if source.start < source.end {
            claims.push(Claim { start: source.start, end: source.end, rule: claim.rule });
        }
    }
}
