//! The parts of a container, and the text of the marker for omitted parts.

use super::{ItemDetail, MIN_SAVED_BYTES, Part};
use crate::elide::tape::{Kind, Node};
use crate::text::marker::Marker;

/// Most runs of items that a marker numbers.
const MAX_GAPS: usize = 6;

/// The indexes, from 0, of omitted items, if they are in several places.
pub(super) fn gaps(keep: &[ItemDetail]) -> Option<String> {
    let mut at = 0;
    let mut runs: Vec<String> = Vec::new();
    for run in keep.chunk_by(|a, b| (*a == ItemDetail::No) == (*b == ItemDetail::No)) {
        if run[0] == ItemDetail::No {
            runs.push(if run.len() == 1 { at.to_string() } else { format!("{at}-{}", at + run.len() - 1) });
        }
        at += run.len();
    }
    let is_told = (2..=MAX_GAPS).contains(&runs.len());
    is_told.then(|| format!("index {}", runs.join(" ")))
}

/// Bytes that an omission must save for its marker to pay.
pub(super) fn least(marker: &Marker) -> usize {
    let names = match marker {
        Marker::Parts { names: Some(names), .. } => names.len(),
        _ => 0,
    };
    MIN_SAVED_BYTES + names
}

/// The parts of a container.
pub(super) fn parts(nodes: &[Node], i: u32) -> Vec<Part> {
    let node = nodes[i as usize];
    let mut out = Vec::with_capacity(node.children as usize);
    let mut at = i + 1;
    while at < node.next {
        let start = nodes[at as usize].start as usize;
        let value = if node.kind == Kind::Object { nodes[at as usize].next } else { at };
        let Some(found) = nodes.get(value as usize) else { break };
        out.push(Part { start, value, end: found.end as usize });
        at = found.next;
    }
    out
}
