//! Cuts the parts of a result to a budget, or replaces them by a pointer and a preview: decides which parts are cut
//! and how far, and records it in the evidence. The cut of one text is in `fit`.

use crate::config::{Policy, Structured};
use crate::pipeline::attempt::{Findings, PartOutput};
use crate::pipeline::evidence::Omission;
use crate::pipeline::limit::fit;
use crate::pipeline::limit::fit::{Fit, Form, Goal};
use crate::pipeline::limit::pointer;
use crate::pipeline::limit::share;
use crate::pipeline::limit::share::Demand;
use crate::pipeline::request::Request;
use crate::pipeline::trace::Notes;
use crate::pipeline::{INPUT_LIMIT, exit, guard};
use crate::text::details;
use crate::text::ledger::{Action, Ledger, Span};
use crate::text::marker;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// Tokens of a preview; failures and totals may make it longer.
const PREVIEW_TOKENS: usize = 400;

/// A text that was cut to its goal.
struct Fitted {
    text: String,
    ledger: Option<Ledger>,
    omissions: Vec<Omission>,
    kept: usize,
    tokens: usize,
}

/// The part to cut, the pointer before its text, and the reason.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    index: usize,
    pointer: Option<&'a str>,
    reason: Reason,
}

/// Tokens of the failure lines and totals of a text, including the marker of a cut.
pub(in crate::pipeline) fn needs_of(request: &Request<'_>, done: &PartOutput<'_>) -> usize {
    let Some(source) = done.source.filter(|_| done.is_report) else { return 0 };
    let mut text = String::new();
    let mut seen = std::collections::HashSet::new();
    for line in details::with_totals(source, &done.signals) {
        if seen.insert(source.line(line).trim()) {
            text.push_str(source.line(line));
            text.push('\n');
        }
    }
    if text.is_empty() { 0 } else { request.counter.count(&text) + fit::MARKER_TOKENS }
}

/// Cuts the parts to the limit, or replaces them by a pointer and a preview.
pub(in crate::pipeline) fn fit_parts(
    request: &Request<'_>,
    parts: &mut [PartOutput<'_>],
    found: &mut Findings,
    notes: &mut [Notes],
) {
    let takes: usize = parts.iter().map(|part| part.tokens).sum();
    // A text that is an earlier output of tersed needs no pointer: it is not an original.
    let is_ours = parts.iter().all(|part| part.source.is_some() && part.ledger.is_none());
    let key = request.pointer.as_ref().filter(|_| !is_ours);
    let pointer = key.map(|key| pointer_line(request, key, parts));
    if pointer.is_none() && request.limit.is_none_or(|limit| takes <= limit) {
        return;
    }
    let pointer_tokens = pointer.as_ref().map_or(0, |line| request.counter.count(line) + 1);
    let fixed: usize = parts.iter().filter(|p| p.source.is_none()).map(|p| p.tokens).sum();
    let limit = request.limit.map(|limit| limit.saturating_sub(fixed + pointer_tokens));
    let demands: Vec<Demand> = parts
        .iter()
        .map(|part| match part.source {
            None => Demand { takes: 0, needs: 0 },
            Some(_) if parts.len() == 1 => Demand { takes: part.tokens, needs: 0 },
            Some(_) => Demand { takes: part.tokens, needs: needs_of(request, part) },
        })
        .collect();
    let most = limit.map(|limit| share::shares(&demands, limit));
    let aims = match pointer {
        Some(_) => share::shares(&demands, limit.unwrap_or(PREVIEW_TOKENS).min(PREVIEW_TOKENS)),
        None => most.clone().unwrap_or_default(),
    };
    let place = |index: usize| Place {
        index,
        pointer: pointer.as_deref().filter(|_| index == 0),
        reason: if pointer.is_some() { Reason::Externalized } else { Reason::Budget },
    };
    let goal = |index: usize| {
        let most = most.as_ref().map_or(usize::MAX / 2, |most| most[index]);
        Goal { aim: aims[index].min(most), most }
    };
    let mut cuts: Vec<Option<Fitted>> = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let is_whole = part.source.is_none() || demands[index].takes <= goal(index).aim;
        let is_cut = !is_whole || place(index).pointer.is_some();
        cuts.push(if is_cut { fitted(request, part, goal(index), place(index)) } else { None });
    }
    let mut is_changed = false;
    for (index, (part, cut)) in parts.iter_mut().zip(cuts).enumerate() {
        let first = place(index).pointer;
        let before = part.text.len();
        request.timer_begin();
        if let Some(cut) = cut {
            let id = if pointer.is_some() { pointer::STEP } else { "budget" };
            found.step(id, Reason::Applied, before, cut.text.len(), request.timer);
            let lead = usize::from(first.is_some());
            if let Some(notes) = notes.get_mut(index) {
                let step = found.evidence.steps.len() - 1;
                notes.fitted(step, part, cut.ledger.as_ref(), &cut.omissions, lead);
            }
            found.evidence.tokens.after = found.evidence.tokens.after - part.tokens + cut.tokens;
            // The lines of an earlier output of tersed are unknown.
            if part.ledger.is_some() || part.source.is_none() {
                found.evidence.guard.kept = found.evidence.guard.kept - part.kept + cut.kept;
            }
            found.evidence.omissions.retain(|omission| omission.part != index);
            found.evidence.omissions.extend(cut.omissions);
            (part.text, part.ledger, part.kept, part.tokens) = (cut.text, cut.ledger, cut.kept, cut.tokens);
            // A cut text is written again, without its dictionary.
            if part.dictionary.take().is_some() {
                found.evidence.dictionary_method = None;
            }
            is_changed = true;
        }
    }
    if is_changed {
        found.evidence.externalized = key.cloned();
        found.evidence.omissions.sort_by_key(|omission| (omission.part, omission.lines));
    }
}

/// One part cut to its goal, or `None` if that would not make it smaller.
fn fitted(request: &Request<'_>, part: &PartOutput<'_>, goal: Goal, place: Place<'_>) -> Option<Fitted> {
    let Place { index, pointer, reason } = place;
    let Some(source) = &part.source else {
        // Binary data already have a marker, which serves as their preview.
        let key = &request.policy.seal_key;
        let mut binary = part.text.clone();
        marker::unseal(&mut binary, key);
        let text = fit::seal(format!("{}\n{binary}", pointer?), Form::Lines, key);
        let tokens = request.counter.count(&text);
        return Some(Fitted { text, ledger: None, omissions: Vec::new(), kept: part.kept, tokens });
    };
    let whole = Ledger::new(source);
    let ledger = part.ledger.as_ref().unwrap_or(&whole);
    let quoted;
    let signals = match part.is_report {
        true => &part.signals,
        false => {
            quoted = signals::failure_lines(source);
            &quoted
        }
    };
    let form = if pointer.is_some() { Form::Lines } else { fit_structured(source, request.policy) };
    let handle = request.handle();
    let finish = |ledger: &Ledger| {
        let mut text = ledger.render(source, handle.as_deref());
        let gaps = ledger.gaps(source);
        if let Some(status) = request.call.exit_code.filter(|status| *status != 0)
            && !gaps.is_empty()
            && !exit::names_status(&text, status)
        {
            exit::write_status(&mut text, status);
        }
        if let Some(pointer) = pointer {
            text.insert_str(0, &format!("{pointer}\n"));
        }
        if gaps.is_empty() && pointer.is_none() {
            text
        } else {
            fit::seal(text, form, &request.policy.seal_key)
        }
    };
    let pays = |text: &str, tokens: usize| {
        text.len() <= source.text().len() && tokens < request.source_tokens[index].min(part.tokens.max(1))
    };
    // The pointer line above the text costs tokens too.
    let extra = pointer.map_or(0, |line| request.counter.count(line) + 1);
    let goal = Goal { aim: goal.aim + extra, most: goal.most.saturating_add(extra) };
    let whole_of = |ledger: &Ledger| {
        Fit::new(source, ledger, signals, part.is_report, form, reason, request.counter).too_large(goal)
    };
    let cut_of = |ledger: &Ledger| {
        let mut fit = Fit::new(source, ledger, signals, part.is_report, form, reason, request.counter);
        if part.has_samples {
            fit = fit.with_outliers();
        }
        let (ledger, text) = fit.cut(goal, &finish)?;
        let tokens = request.counter.count(&text);
        let pays = pays(&text, tokens) || (pointer.is_some() && tokens < request.source_tokens[index]);
        pays.then(|| {
            let omissions = ledger.gaps(source).into_iter().map(|gap| Omission::of(gap, index)).collect();
            let kept = guard::count_visible(source, &ledger, &part.signals);
            Fitted { text, ledger: Some(ledger), omissions, kept, tokens }
        })
    };
    let mut restored = ledger.clone();
    restored.restore(&whole_of(ledger));
    let mut cut = cut_of(&restored);
    // The replacement of a lost failure line may be too large, or was cut beside it; the line itself may fit.
    let whole = replaced_lines_to_restore(
        source,
        &restored,
        cut.as_ref().and_then(|cut| cut.ledger.as_ref()),
        &part.signals,
    );
    if !whole.is_empty() {
        restored.restore(&whole);
        let kept = cut.as_ref().map_or(0, |cut| cut.kept);
        cut = cut_of(&restored).filter(|by_lines| by_lines.kept > kept).or(cut);
    }
    match (cut, pointer) {
        (Some(cut), _) => Some(cut),
        (None, Some(_)) => None,
        (None, None) => Some(clipped(request, source, part, place, goal.most, form))
            .filter(|cut| pays(&cut.text, cut.tokens)),
    }
}

/// The last resort if not even a marker fits: the text from the first failure line on, cut at a character boundary.
fn clipped(
    request: &Request<'_>,
    source: &Source<'_>,
    part: &PartOutput<'_>,
    place: Place<'_>,
    tokens: usize,
    form: Form,
) -> Fitted {
    let first = part.signals.first().copied().unwrap_or(0);
    let from = source.byte_range(0..first).end;
    // If not even that fits, the suffix alone shows that something was cut.
    let least = || (form.write(fit::TRUNCATED.trim_start().to_owned()), from);
    let (text, end) = fit::clip(source.text(), from, tokens, form, request.counter).unwrap_or_else(least);
    let gap = |lines: std::ops::Range<usize>, count: usize, bytes: usize| Omission {
        lines: [source.number(lines.start), source.number(lines.end - 1)],
        reason: place.reason,
        count,
        bytes,
        part: place.index,
        shown_by: None,
    };
    let mut omissions = Vec::new();
    if first > 0 {
        omissions.push(gap(0..first, first, 0));
    }
    let mut rest = if end > from { source.line_at(end - 1) + 1 } else { first };
    if rest > first && end < source.byte_range(rest - 1..rest).end.saturating_sub(1) {
        omissions.push(gap(rest - 1..rest, 0, source.byte_range(rest - 1..rest).end - end));
    }
    rest = rest.min(source.len());
    if rest < source.len() {
        omissions.push(gap(rest..source.len(), source.len() - rest, 0));
    }
    let shown = source.text().get(from..end).unwrap_or_default();
    let kept = part.signals.iter().filter(|&&i| shown.lines().any(|l| l.trim() == source.line(i).trim()));
    let tokens = request.counter.count(&text);
    Fitted { kept: kept.count(), text, ledger: None, omissions, tokens }
}

/// The pointer to the original, with a summary of the parts.
fn pointer_line(request: &Request<'_>, key: &str, parts: &[PartOutput<'_>]) -> String {
    let bytes = request.retain.as_ref().map_or(0, |retain| retain.bytes.len());
    let mime = request.retain.as_ref().and_then(|retain| retain.mime);
    let mut texts = parts.iter().filter_map(|part| Some((part.source?, part)));
    let lines = parts.iter().filter_map(|part| part.source).map(Source::len).sum();
    let failures = parts.iter().map(|part| part.signals.len()).sum();
    let kind = texts.next().map_or(pointer::Kind::Text, |(_, part)| part.kind);
    let only = parts.first().and_then(|part| part.source).filter(|_| parts.len() == 1);
    pointer::line(key, &pointer::What { kind, mime, bytes, lines, failures, text: only.map(Source::text) })
}

/// The form in which a text is cut by tokens. A JSON document that is still too large after its elider is cut
/// as one JSON string, so that the output stays JSON.
fn fit_structured(source: &Source<'_>, policy: &Policy) -> Form {
    let text = source.text().trim();
    let is_wanted = policy.structured != Structured::Plain && text.len() <= INPUT_LIMIT;
    match is_wanted && crate::detect::json::is_json(text) {
        true => Form::JsonString,
        false => Form::Lines,
    }
}

/// The lines of replacements and repeated blocks whose failure line was visible before the cut and is not any more.
fn replaced_lines_to_restore(
    source: &Source<'_>,
    before: &Ledger,
    behind: Option<&Ledger>,
    signals: &[usize],
) -> Vec<usize> {
    let lost = match behind {
        Some(behind) => guard::hidden(source, behind, signals),
        None => signals.to_vec(),
    };
    let is_whole = |span: &&Span| {
        span.lines.len() > 1 && matches!(span.action, Action::Replace { .. } | Action::Repeat { .. })
    };
    let holds = |span: &&Span| {
        let next = lost.partition_point(|&line| line < span.lines.start);
        lost.get(next).is_some_and(|&line| line < span.lines.end)
    };
    before.spans().iter().filter(is_whole).filter(holds).flat_map(|span| span.lines.clone()).collect()
}
