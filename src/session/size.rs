//! The memory of decisions and evidence. Only lengths are read, never content.

use crate::memory::size::{block, list};
use crate::pipeline::evidence::Evidence;
use crate::pipeline::repeat::dedup::Decision;

fn texts<'a>(all: impl IntoIterator<Item = &'a String>) -> usize {
    all.into_iter().map(|text| block(text.capacity())).sum()
}

/// Bytes of the data to which a decision points. Data shared with other decisions counts for each.
pub fn decision(decision: &Decision) -> usize {
    let Decision { duplicate_of, references, terms, edited, pointed, wrote, .. } = decision;
    let first =
        duplicate_of.as_ref().map_or(0, |first| texts([&first.call, &first.tool]) + texts(&first.label));
    let origins = references.iter().map(|r| {
        let origin = &r.origin;
        block(size_of_val(&**origin) + 2 * size_of::<usize>())
            + texts([&origin.call, &origin.tool])
            + texts(&origin.argument)
            + texts(&origin.label)
    });
    first
        + list(references)
        + origins.sum::<usize>()
        + list(terms)
        + list(edited)
        + list(pointed)
        + list(wrote)
}

/// Bytes of the data to which evidence points.
pub fn evidence(evidence: &Evidence) -> usize {
    let Evidence { steps, omissions, redactions, removals, .. } = evidence;
    let named = [&evidence.family, &evidence.reducer, &evidence.rule, &evidence.dictionary_method];
    let named = named.into_iter().chain([&evidence.externalized, &evidence.duplicate_of]);
    let shown = omissions.iter().filter_map(|omission| omission.shown_by.as_ref());
    texts(named.flatten())
        + texts([&evidence.tokens.counter, &evidence.digest])
        + (list(steps) + texts(steps.iter().map(|step| &step.id)))
        + (list(omissions) + shown.map(|by| texts([&by.tool_call_id]) + texts(&by.argument)).sum::<usize>())
        + (list(redactions)
            + texts(redactions.iter().map(|redaction| &redaction.rule))
            + redactions.iter().map(|r| list(&r.fingerprints) + texts(&r.fingerprints)).sum::<usize>())
        + (list(removals) + texts(removals.iter().map(|removal| &removal.class)))
}
