//! The end of a run: replaces a repeated result by a reference, and sets the sizes, the status and the
//! original to store.

use super::Outcome;
use super::attempt::Findings;
use super::evidence::{Evidence, Status, Step};
use super::limit::pointer;
use super::parts::Parts;
use super::repeat::dedup::{self, Decision};
use super::request::Request;
use crate::sanitize::Sanitized;
use crate::text::lines::Lines;
use crate::text::reason::Reason;
use crate::text::source::count_lines;

/// The outcome of a run with the outputs `came` of its parts.
pub(super) fn finish(request: Request<'_>, parts: &[Sanitized], came: Parts) -> Outcome {
    let Parts { mut texts, found, mut shown, needs, shown_again, answer, .. } = came;
    let (key_without_times, same_without_times) = (came.key_without_times, came.same_without_times);
    let Findings {
        mut evidence,
        references,
        terms,
        edited,
        pointed,
        new_lines,
        places,
        mentions,
        is_exact,
        ..
    } = found;
    let mut decision =
        Decision { key: request.key, references, terms, edited, pointed, new_lines, ..Decision::default() };
    let as_sanitized =
        texts.iter().zip(parts).all(|(text, part)| part.binary.is_none() && **text == *part.text);
    let as_it_came = as_sanitized && parts.iter().all(|p| p.redactions.is_empty() && p.removals.is_empty());
    evidence.status = if as_it_came { Status::Unchanged } else { Status::Compressed };
    let first = request.duplicate_of.or(same_without_times);
    let seal_key = &request.policy.seal_key;
    if let Some(first) = first.filter(|_| !is_exact)
        && let Some(tokens) = dedup::replace(&mut texts, &shown_again, &first, seal_key, request.counter)
    {
        evidence.tokens.after = tokens;
        evidence.status = Status::Duplicate;
        evidence.duplicate_of = Some(first.call.clone());
        evidence.omissions.clear();
        evidence.reducer = None;
        evidence.capped = false;
        shown = Lines::default();
        decision.duplicate_of = Some(Box::new(first));
    }
    if parts.iter().all(|p| p.binary.is_some()) && !parts.is_empty() && decision.duplicate_of.is_none() {
        evidence.status = Status::Suppressed;
    }
    let failed = |s: &Step| matches!(s.reason, Reason::ReducerPanicked | Reason::InvalidReduction);
    if as_sanitized && evidence.steps.iter().any(failed) {
        evidence.status = Status::FailedOpen;
    }
    evidence.lines.before = parts.iter().map(|p| count_lines(&p.text)).sum();
    evidence.lines.after = texts.iter().map(|t| count_lines(t)).sum();
    evidence.bytes.after = texts.iter().map(String::len).sum();
    evidence.summarize_suggested = tokens_before_cuts(&evidence) > request.policy.summarize_above;
    let cleaned = parts.iter().any(|p| p.original.is_some());
    let retain = request.retain.filter(|_| !as_sanitized || cleaned);
    let is_rejected = false;
    Outcome {
        texts,
        evidence,
        retain,
        decision,
        shown,
        is_rejected,
        key_without_times,
        mentions,
        places,
        answer,
        needs,
    }
}

/// Tokens of the result before its first cut; a host may want to summarize instead of cutting. Estimated from the
/// tokens of the input, in proportion to the bytes, because nobody counted the tokens before the cut.
fn tokens_before_cuts(evidence: &Evidence) -> usize {
    const CUTS: [&str; 4] = ["head_tail", "output_cap", "budget", pointer::STEP];
    let (before, after) = (evidence.tokens.before, evidence.tokens.after);
    let is_cut = |step: &&Step| step.reason == Reason::Applied && CUTS.contains(&step.id.as_str());
    let cut = evidence.steps.iter().find(is_cut).filter(|_| evidence.duplicate_of.is_none());
    let Some(cut) = cut else { return after };
    let share = before.saturating_mul(cut.bytes_before) / evidence.bytes.before.max(1);
    share.min(before).max(after)
}
