//! All parts of a result, one after the other: each by the first plan whose output would not change if it were compressed again.

use super::attempt::{Attempt, Attempted, Findings, PartOutput, Plan};
use super::evidence::{Evidence, Step};
use super::explain;
use super::request::Request;
use super::trace::{Notes, Part};
use crate::detect::viewed;
use crate::encode;
use crate::pipeline::limit::fit_parts;
use crate::pipeline::limit::pointer;
use crate::pipeline::repeat::answer::Answer;
use crate::pipeline::repeat::dedup::{self, First, Key};
use crate::reduce;
use crate::sanitize::binary::Binary;
use crate::sanitize::{self, Sanitized};
use crate::text::lines::Lines;
use crate::text::marker::{self, Marker};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The outputs of all parts.
pub(super) struct Parts {
    pub(super) texts: Vec<String>,
    pub(super) found: Findings,
    /// Lines that are shown unchanged, if a session needs them.
    pub(super) shown: Lines,
    /// Tokens of failure lines and totals, where they are counted.
    pub(super) needs: usize,
    /// The changes of every line, if they were requested.
    pub(super) explained: Vec<Part>,
    /// For each text: the lines to repeat below a reference that replaces it.
    pub(super) shown_again: Vec<String>,
    /// The key by which a repeated run is compared, and the earlier run whose output differs only in times.
    pub(super) key_without_times: Option<Key>,
    pub(super) same_without_times: Option<First>,
    /// The lines of the input, if a session needs them later.
    pub(super) answer: Option<Answer>,
}

/// The text of every part after all steps, except the reference to a whole earlier result. `evidence` has the data
/// that are known before.
pub(super) fn compress(
    request: &Request<'_>,
    parts: &[Sanitized],
    sources: &[Source<'_>],
    evidence: Evidence,
) -> Parts {
    let total: usize = parts.iter().map(|p| p.text.len()).sum();
    let mut found = Findings::new(evidence);
    let mut all: Vec<PartOutput<'_>> = Vec::with_capacity(parts.len());
    let mut notes: Vec<Notes> = Vec::new();
    for (index, (part, source)) in parts.iter().zip(sources).enumerate() {
        if let Some(binary) = &part.binary {
            let output = suppressed(request, binary);
            found.evidence.tokens.after += output.tokens;
            all.push(output);
            notes.extend(request.takes_notes.then(|| Notes::of_binary(binary, source.number(0) - 1)));
            continue;
        }
        let share = |bytes: usize| (bytes as u128 * part.text.len() as u128 / total.max(1) as u128) as usize;
        let cap_bytes = share(request.policy.max_output_bytes).max(1);
        let first_step = found.evidence.steps.len();
        let before = found.take_lists();
        let done = first_stable(request, index, source, cap_bytes, &found);
        found = done.found;
        found.put_before(before);
        notes.extend(done.notes.map(|notes| notes.with_steps(first_step..found.evidence.steps.len())));
        let dictionary = done.dictionary.map(|(written, _)| written);
        all.push(PartOutput { source: Some(source), dictionary, ..done.output });
    }
    let needs = match request.counts_needed_tokens {
        true => all.iter().map(|part| fit_parts::needs_of(request, part)).sum(),
        false => 0,
    };
    fit_parts::fit_parts(request, &mut all, &mut found, &mut notes);
    let explained = explain::parts(notes, &all);
    let mut shown = Lines::default();
    for part in all.iter().filter(|_| request.tracks_visibility) {
        if let (Some(source), Some(ledger)) = (part.source, &part.ledger) {
            let changed = |line: &str| part.dictionary.as_ref().is_some_and(|d| d.touches(line));
            ledger.shown(source, &changed, &mut shown);
        }
    }
    let key_without_times = request.key_without_times(&found.evidence);
    let same_without_times = key_without_times.and_then(|key| request.same_without_times(&key));
    let differs = same_without_times.is_some();
    let shown_again = match request.duplicate_of.is_some() || differs {
        true => all.iter().map(|part| shown_again(request, part, differs)).collect(),
        false => Vec::new(),
    };
    let has_gaps = request.tracks_visibility && !found.evidence.omissions.is_empty();
    let answer = has_gaps.then(|| Answer::of(sources)).flatten();
    let texts = all.into_iter().map(|part| part.text).collect();
    Parts {
        texts,
        found,
        shown,
        needs,
        explained,
        shown_again,
        key_without_times,
        same_without_times,
        answer,
    }
}

/// The lines to repeat below a reference that replaces a part: for a command, those that show how it ended; for a run
/// that differs in times, its failures. A text whose lines are unknown is repeated as a whole.
fn shown_again(request: &Request<'_>, part: &PartOutput<'_>, differs: bool) -> String {
    let is_command = request.call.command.is_some() && viewed::file(request.call).is_none();
    match part.source.filter(|_| part.ledger.is_some()) {
        Some(source) if is_command || differs => dedup::shown_again(source, &part.signals, differs),
        None if differs => part.text.clone(),
        _ => String::new(),
    }
}

/// The first stable attempt. `found` has the findings of the parts before.
fn first_stable(
    request: &Request<'_>,
    part: usize,
    source: &Source<'_>,
    cap_bytes: usize,
    found: &Findings,
) -> Attempted {
    let make = |plan| Attempt::make(request, plan, part, source, cap_bytes, found.clone());
    let mut plan = Plan::FULL;
    let mut done = make(plan);
    let mut is_stable = is_stable_as(request, plan, &done, cap_bytes);
    for next in Plan::FALLBACKS {
        if is_stable {
            return done;
        }
        plan = next;
        done = make(plan);
        // The last plan is accepted without a check, unless a rule changed the text.
        let is_last = plan == Plan::FALLBACKS[1] && !done.is_ruled;
        is_stable = is_last || is_stable_as(request, plan, &done, cap_bytes);
    }
    // If the output of a rule is unstable, the rule is not used.
    match is_stable {
        true => done,
        false => make(Plan { holds_rule: true, ..plan }),
    }
}

/// Whether an output is stable: it would not change if it were compressed again. Lines that differed before may be
/// equal after they were rewritten, and would then be folded as a repetition.
fn is_stable_as(request: &Request<'_>, plan: Plan, done: &Attempted, cap_bytes: usize) -> bool {
    let key = &request.policy.seal_key;
    let steps = &done.found.evidence.steps;
    let text = &done.output.text;
    // If the safe stage took a part of the new form for a secret, that part would be removed if the output were
    // compressed again.
    if steps.iter().any(is_table) && !sanitize::is_clean(text, request.policy.redact_secrets) {
        return false;
    }
    // A second run does not read a text with a dictionary, but the text below it must be stable too.
    let below = done.dictionary.as_ref().map(|(_, below)| {
        let mut below = below.clone();
        marker::seal(&mut below, key);
        below
    });
    let text = below.as_ref().unwrap_or(text);
    // If no step rewrote a line, a second run reads the same lines.
    let is_proven = !done.is_ruled && !steps.iter().any(is_rewritten);
    if is_proven || marker::is_sealed(text, key) {
        return true;
    }
    let tokens = if below.is_some() { request.counter.count(text) } else { done.output.tokens };
    let found = Findings::new(Evidence::default());
    let tokens = [tokens];
    let alone = request.for_single_text(&tokens);
    Attempt::make(&alone, plan, 0, &Source::new(text), cap_bytes, found).output.text == *text
}

/// Whether a step wrote data as tables.
fn is_table(step: &Step) -> bool {
    step.id == encode::TABLES && step.reason == Reason::Applied
}

/// Whether a step rewrote lines.
fn is_rewritten(step: &Step) -> bool {
    step.reason == Reason::Applied
        && (encode::REWRITERS.contains(&step.id.as_str()) || reduce::is_rewriter(&step.id))
}

/// The marker that replaces binary data.
fn suppressed(request: &Request<'_>, binary: &Binary) -> PartOutput<'static> {
    let marker = Marker::Binary { mime: binary.mime.to_owned(), bytes: binary.size };
    let mut text = marker.write();
    marker::seal(&mut text, &request.policy.seal_key);
    let tokens = request.counter.count(&text);
    PartOutput {
        text,
        source: None,
        ledger: None,
        signals: Vec::new(),
        kept: 0,
        is_report: false,
        has_samples: false,
        tokens,
        kind: pointer::Kind::Binary,
        dictionary: None,
    }
}
