//! Cuts the parts of a result to a budget, or replaces them by a pointer and a preview: decides which parts are cut
//! and how far, and records it in the evidence. The cut of one text is in `fit`.

use crate::config::{Policy, Structured};
use crate::pipeline::attempt::{Findings, PartOutput};
use crate::pipeline::evidence::{Evidence, Omission};
use crate::pipeline::limit::fit;
use crate::pipeline::limit::fit::{Fit, Form, Goal};
use crate::pipeline::limit::pointer;
use crate::pipeline::limit::share;
use crate::pipeline::limit::share::TokenDemand;
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
    let room = PartBudgets::of(request, parts, pointer);
    let mut cuts: Vec<Option<Fitted>> = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        cuts.push(room.cut(request, index, part));
    }
    let mut is_changed = false;
    for (index, (part, cut)) in parts.iter_mut().zip(cuts).enumerate() {
        request.timer_begin();
        let Some(cut) = cut else { continue };
        let place = room.place(index);
        found.step(place.step(), Reason::Applied, part.text.len(), cut.text.len(), request.timer);
        if let Some(notes) = notes.get_mut(index) {
            let step = found.evidence.steps.len() - 1;
            let lead = usize::from(place.pointer.is_some());
            notes.fitted(step, part, cut.ledger.as_ref(), &cut.omissions, lead);
        }
        cut.put(index, part, &mut found.evidence);
        is_changed = true;
    }
    if is_changed {
        found.evidence.externalized = key.cloned();
        found.evidence.omissions.sort_by_key(|omission| (omission.part, omission.lines));
    }
}

/// The tokens that each part may take.
struct PartBudgets {
    /// The line in place of the result, if it is stored elsewhere.
    pointer: Option<String>,
    demands: Vec<TokenDemand>,
    /// For each part, the tokens to aim at.
    aims: Vec<usize>,
    /// For each part, the most tokens; `None` without a limit.
    most: Option<Vec<usize>>,
}

impl PartBudgets {
    fn of(request: &Request<'_>, parts: &[PartOutput<'_>], pointer: Option<String>) -> Self {
        let pointer_tokens = pointer.as_ref().map_or(0, |line| request.counter.count(line) + 1);
        let fixed: usize = parts.iter().filter(|p| p.source.is_none()).map(|p| p.tokens).sum();
        let limit = request.limit.map(|limit| limit.saturating_sub(fixed + pointer_tokens));
        let demands: Vec<TokenDemand> = parts
            .iter()
            .map(|part| match part.source {
                None => TokenDemand { tokens: 0, required_tokens: 0 },
                Some(_) if parts.len() == 1 => TokenDemand { tokens: part.tokens, required_tokens: 0 },
                Some(_) => TokenDemand { tokens: part.tokens, required_tokens: needs_of(request, part) },
            })
            .collect();
        let most = limit.map(|limit| share::shares(&demands, limit));
        let aims = match pointer {
            Some(_) => share::shares(&demands, limit.unwrap_or(PREVIEW_TOKENS).min(PREVIEW_TOKENS)),
            None => most.clone().unwrap_or_default(),
        };
        Self { pointer, demands, aims, most }
    }

    fn place(&self, index: usize) -> Place<'_> {
        Place {
            index,
            pointer: self.pointer.as_deref().filter(|_| index == 0),
            reason: if self.pointer.is_some() { Reason::Externalized } else { Reason::Budget },
        }
    }

    fn goal(&self, index: usize) -> Goal {
        let most = self.most.as_ref().map_or(usize::MAX / 2, |most| most[index]);
        Goal { aim: self.aims[index].min(most), most }
    }

    /// The part cut to its goal, or `None` if it fits, or if a cut would not make it smaller.
    fn cut(&self, request: &Request<'_>, index: usize, part: &PartOutput<'_>) -> Option<Fitted> {
        let (goal, place) = (self.goal(index), self.place(index));
        let is_whole = part.source.is_none() || self.demands[index].tokens <= goal.aim;
        let is_cut = !is_whole || place.pointer.is_some();
        if is_cut { fitted(request, part, goal, place) } else { None }
    }
}

impl Place<'_> {
    /// The name of the step in the evidence.
    fn step(&self) -> &'static str {
        if self.reason == Reason::Externalized { pointer::STEP } else { "budget" }
    }
}

impl Fitted {
    /// Puts the text in the place of the part's, and counts it in the evidence.
    fn put(self, index: usize, part: &mut PartOutput<'_>, evidence: &mut Evidence) {
        evidence.tokens.after = evidence.tokens.after - part.tokens + self.tokens;
        // The lines of an earlier output of tersed are unknown.
        if part.ledger.is_some() || part.source.is_none() {
            evidence.guard.kept = evidence.guard.kept - part.kept + self.kept;
        }
        evidence.omissions.retain(|omission| omission.part != index);
        evidence.omissions.extend(self.omissions);
        (part.text, part.ledger, part.kept, part.tokens) = (self.text, self.ledger, self.kept, self.tokens);
        // A cut text is written again, without its dictionary.
        if part.dictionary.take().is_some() {
            evidence.dictionary_method = None;
        }
    }
}

/// One part cut to its goal, or `None` if that would not make it smaller.
fn fitted(request: &Request<'_>, part: &PartOutput<'_>, goal: Goal, place: Place<'_>) -> Option<Fitted> {
    let Some(source) = part.source else { return Some(below_pointer(request, part, place.pointer?)) };
    let quoted;
    let signals = match part.is_report {
        true => &part.signals,
        false => {
            quoted = signals::failure_lines(source);
            &quoted
        }
    };
    let form = if place.pointer.is_some() { Form::Lines } else { fit_structured(source, request.policy) };
    // The pointer line above the text costs tokens too.
    let extra = place.pointer.map_or(0, |line| request.counter.count(line) + 1);
    let goal = Goal { aim: goal.aim + extra, most: goal.most.saturating_add(extra) };
    let handle = request.handle();
    let cut = Cut { request, part, source, place, signals, form, goal, handle };
    match (cut.best(), place.pointer) {
        (Some(best), _) => Some(best),
        (None, Some(_)) => None,
        (None, None) => Some(cut.clipped()).filter(|clipped| cut.pays(&clipped.text, clipped.tokens)),
    }
}

/// Binary data below the pointer: they already have a marker, which serves as their preview.
fn below_pointer(request: &Request<'_>, part: &PartOutput<'_>, pointer: &str) -> Fitted {
    let key = &request.policy.seal_key;
    let mut binary = part.text.clone();
    marker::unseal(&mut binary, key);
    let text = fit::seal(format!("{pointer}\n{binary}"), Form::Lines, key);
    let tokens = request.counter.count(&text);
    Fitted { text, ledger: None, omissions: Vec::new(), kept: part.kept, tokens }
}

/// A text that is cut to its goal: what all tries have in common.
struct Cut<'a> {
    request: &'a Request<'a>,
    part: &'a PartOutput<'a>,
    source: &'a Source<'a>,
    place: Place<'a>,
    /// The failure lines, which are kept before others.
    signals: &'a [usize],
    form: Form,
    goal: Goal,
    handle: Option<String>,
}

impl Cut<'_> {
    /// The cut that keeps the most failure lines, or `None` if none makes the text smaller.
    fn best(&self) -> Option<Fitted> {
        let mut ledger = self.part.ledger.clone().unwrap_or_else(|| Ledger::new(self.source));
        let large = self.fit(&ledger).too_large(self.goal);
        ledger.restore(&large);
        let cut = self.cut_of(&ledger);
        // The replacement of a lost failure line may be too large, or was cut beside it; the line itself may fit.
        let lost = replaced_lines_to_restore(
            self.source,
            &ledger,
            cut.as_ref().and_then(|cut| cut.ledger.as_ref()),
            &self.part.signals,
        );
        if lost.is_empty() {
            return cut;
        }
        ledger.restore(&lost);
        let kept = cut.as_ref().map_or(0, |cut| cut.kept);
        self.cut_of(&ledger).filter(|by_lines| by_lines.kept > kept).or(cut)
    }

    fn fit<'l>(&'l self, ledger: &'l Ledger) -> Fit<'l> {
        let (is_report, counter) = (self.part.is_report, self.request.counter);
        Fit::new(self.source, ledger, self.signals, is_report, self.form, self.place.reason, counter)
    }

    /// What a ledger shows, cut to the goal.
    fn cut_of(&self, ledger: &Ledger) -> Option<Fitted> {
        let Self { request, part, source, place, .. } = self;
        let mut fit = self.fit(ledger);
        if part.has_samples {
            fit = fit.with_outliers();
        }
        let (ledger, text) = fit.cut(self.goal, &|ledger| self.written(ledger))?;
        let tokens = request.counter.count(&text);
        let pays = self.pays(&text, tokens)
            || (place.pointer.is_some() && tokens < request.source_tokens[place.index]);
        pays.then(|| {
            let omissions =
                ledger.gaps(source).into_iter().map(|gap| Omission::of(gap, place.index)).collect();
            let kept = guard::count_visible(source, &ledger, &part.signals);
            Fitted { text, ledger: Some(ledger), omissions, kept, tokens }
        })
    }

    /// The whole text of a ledger, with the exit status, the pointer and the seal.
    fn written(&self, ledger: &Ledger) -> String {
        let mut text = ledger.render(self.source, self.handle.as_deref());
        let gaps = ledger.gaps(self.source);
        if let Some(status) = self.request.call.exit_code.filter(|status| *status != 0)
            && !gaps.is_empty()
            && !exit::names_status(&text, status)
        {
            exit::write_status(&mut text, status);
        }
        if let Some(pointer) = self.place.pointer {
            text.insert_str(0, &format!("{pointer}\n"));
        }
        if gaps.is_empty() && self.place.pointer.is_none() {
            text
        } else {
            fit::seal(text, self.form, &self.request.policy.seal_key)
        }
    }

    /// Whether a text is smaller than the part and what it was made from.
    fn pays(&self, text: &str, tokens: usize) -> bool {
        let of_source = self.request.source_tokens[self.place.index];
        text.len() <= self.source.text().len() && tokens < of_source.min(self.part.tokens.max(1))
    }

    /// The last resort if not even a marker fits: the text from the first failure line on, cut at a character boundary.
    fn clipped(&self) -> Fitted {
        let Self { request, part, source, place, form, .. } = self;
        let first = part.signals.first().copied().unwrap_or(0);
        let from = source.byte_range(0..first).end;
        // If not even that fits, the suffix alone shows that something was cut.
        let least = || (form.write(fit::TRUNCATED.trim_start().to_owned()), from);
        let (text, end) =
            fit::clip(source.text(), from, self.goal.most, *form, request.counter).unwrap_or_else(least);
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
    pointer::line(
        key,
        &pointer::SummaryFacts { kind, mime, bytes, lines, failures, text: only.map(Source::text) },
    )
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
