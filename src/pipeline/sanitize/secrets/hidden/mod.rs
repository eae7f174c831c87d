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
use view::View;

/// How many codings around one another are undone.
const DEPTH: usize = 2;
/// Bytes that may be decoded for each byte of the text, all depths together.
const WORK: usize = 8;
/// The same for short texts, in bytes.
const LEAST_WORK: usize = 16 << 10;

/// One way to hide.
struct Layer {
    /// Calls its second argument with each stretch that reads otherwise.
    views: fn(&[u8], &mut dyn FnMut(View)),
    /// Whether what it gives is looked through by all layers again.
    deeper: bool,
}

/// All layers, the cheapest and most frequent first.
const LAYERS: &[Layer] = &[
    Layer { views: |text, found| units::view(text).into_iter().for_each(found), deeper: true },
    Layer { views: prefixed::views, deeper: true },
    Layer { views: |text, found| wrapped::view(text).into_iter().for_each(found), deeper: false },
    Layer { views: base64::views, deeper: true },
    Layer { views: hexdump::views, deeper: true },
    Layer { views: arrays::views, deeper: true },
];

/// What the rules claim in `text`, as it stands and through every layer; in order, without overlap.
pub(super) fn claims(table: &'static Table, text: &[u8]) -> Vec<Claim> {
    let mut work = text.len().saturating_mul(WORK).max(LEAST_WORK);
    search(table, text, DEPTH, &mut work)
}

fn search(table: &'static Table, text: &[u8], depth: usize, work: &mut usize) -> Vec<Claim> {
    let mut scan = scan(table, text);
    let mut claims = Vec::new();
    let views = [columns::view(text, &scan.heads), groups::view(text, &scan.cut)];
    for view in views.iter().flatten() {
        look(table, view, 0, work, &mut claims);
    }
    if depth > 0 {
        for layer in LAYERS {
            let deeper = if layer.deeper { depth - 1 } else { 0 };
            (layer.views)(text, &mut |view| look(table, &view, deeper, work, &mut claims));
        }
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
