//! Builds the telemetry event of one result and feeds the alerts. Changes no result.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Engine;
use super::compress::Place;
use super::job::Job;
use crate::config::{Category, Policy};
use crate::pipeline::Outcome;
use crate::pipeline::evidence::{Evidence, Status};
use crate::protocol::RpcError;
use crate::rules;
use crate::session::Stored;
use crate::session::stats::within;
use crate::telemetry::counts::Numbers;
use crate::telemetry::event::{
    Elapsed, EventKind, FailureEvent, Fingerprints, Flags, Names, Omitted, Resend, ResultEvent, TimedStep,
};
use crate::telemetry::fingerprint;
use crate::text::reason::Reason;

/// Hexadecimal digits of a fingerprint.
const FINGERPRINT_DIGITS: usize = 16;
/// Longest arguments that are fingerprinted, in bytes.
const MAX_ARGUMENTS: usize = 64 << 10;

impl Engine {
    /// Reports what happened to a result. For a repeated result, also how it was answered.
    pub(super) fn report(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        place: Place<'_>,
        worked: Result<&(Stored, Option<Resend>), &RpcError>,
    ) {
        let recorder = &self.recorder;
        match worked {
            Ok((Stored { outcome, .. }, resend)) => {
                self.count(&outcome.evidence, *resend);
                if resend.is_none() {
                    failed_steps(&outcome.evidence).for_each(|step| recorder.failed(step));
                    if fell_back(&outcome.evidence) {
                        recorder.fell_back();
                    }
                }
                if recorder.is_on() {
                    let event = self.event(job, policy, place, outcome, *resend);
                    let arguments = if event.fingerprints.is_some() { arguments(job) } else { Vec::new() };
                    recorder.record(EventKind::Result(Box::new(event)), arguments);
                }
            }
            Err(error) => {
                let kind = error.data.as_ref().map_or("internal", |data| &data.kind);
                // The host cancelled the request: that is not a failure.
                if kind == "cancelled" {
                    return;
                }
                recorder.failed(kind);
                let failure = FailureEvent { names: names(job, place), kind: kind.to_owned() };
                recorder.record(EventKind::Failure(failure), Vec::new());
            }
        }
    }

    /// Adds a result to the counts.
    fn count(&self, evidence: &Evidence, resend: Option<Resend>) {
        if !self.counter.is_on() {
            return;
        }
        let (baseline, shown) = within(evidence, self.settings.accounting.host_limit);
        let (baseline, shown) = (baseline as u64, shown as u64);
        self.counter.add(&match resend {
            Some(_) => {
                Numbers { resends: 1, resent_baseline: baseline, resent_shown: shown, ..Numbers::default() }
            }
            None => {
                let secrets = evidence.redactions.iter().map(|one| one.count as u64).sum();
                Numbers { results: 1, baseline, shown, secrets, ..Numbers::default() }
            }
        });
    }

    fn event(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        place: Place<'_>,
        outcome: &Outcome,
        resend: Option<Resend>,
    ) -> ResultEvent {
        let Evidence { status, mode, family, reducer, bypass, exit_code, .. } = &outcome.evidence;
        let evidence = &outcome.evidence;
        let took = place.watch.map(|watch| (watch.total(), watch.safe_stage(), watch.steps()));
        // An answer from the memo ran no step.
        let times = took.as_ref().filter(|(_, safe, steps)| safe.is_some() || !steps.is_empty());
        let times = times.map_or(&[][..], |(_, _, steps)| steps);
        let steps = evidence
            .steps
            .iter()
            .enumerate()
            .map(|(i, step)| TimedStep { step: step.clone(), elapsed_micros: times.get(i).map(micros) });
        let mut strategies: Vec<String> = Vec::new();
        for step in evidence.steps.iter().filter(|step| step.reason == Reason::Applied) {
            if !strategies.contains(&step.id) {
                strategies.push(step.id.clone());
            }
        }
        let has_fingerprints = self.recorder.has_fingerprints() && policy.redact_secrets;
        ResultEvent {
            names: names(job, place),
            resend,
            status: *status,
            mode: *mode,
            family: family
                .clone()
                .or_else(|| job.call.command.as_ref().map(|_| Category::Command.name().to_owned())),
            content_type: content_type(outcome).to_owned(),
            reducer: reducer.clone(),
            bypass: *bypass,
            exit_code: *exit_code,
            tokens: evidence.tokens.clone(),
            bytes: evidence.bytes,
            lines: evidence.lines,
            host_limit: self.settings.accounting.host_limit,
            strategies,
            steps: steps.collect(),
            elapsed: took.as_ref().map(|(total, safe, _)| Elapsed {
                total_micros: micros(total),
                safe_micros: safe.as_ref().map(micros),
            }),
            dictionary_method: evidence.dictionary_method.clone(),
            flags: flags(evidence),
            omitted: omitted(evidence),
            redactions: evidence.redactions.clone(),
            guard: evidence.guard.clone(),
            memo: evidence.memo,
            fingerprints: has_fingerprints.then(|| fingerprints(outcome)),
        }
    }
}

/// The type of a tool's result, by its content.
fn content_type(outcome: &Outcome) -> &'static str {
    if outcome.evidence.status == Status::Suppressed {
        return "binary";
    }
    let original = outcome.retain.as_ref().and_then(|retain| std::str::from_utf8(&retain.bytes).ok());
    original.or(outcome.texts.first().map(String::as_str)).map_or("text", rules::type_of)
}

fn names(job: &Job<'_>, place: Place<'_>) -> Names {
    Names {
        correlation_id: place.correlation.map(str::to_owned),
        session_id: place.id.map(str::to_owned),
        tool_call_id: job.call.id.clone(),
        tool: job.call.tool.clone(),
    }
}

/// The arguments of the call, for a fingerprint.
fn arguments(job: &Job<'_>) -> Vec<String> {
    let call = &job.call;
    if call.arguments.is_null() && call.command.is_none() && call.path.is_none() {
        return Vec::new();
    }
    let texts = [
        call.arguments.to_string(),
        call.command.clone().unwrap_or_default(),
        call.path.clone().unwrap_or_default(),
    ];
    let size: usize = texts.iter().map(String::len).sum();
    if size > MAX_ARGUMENTS { Vec::new() } else { texts.into() }
}

fn micros(time: &Duration) -> u64 {
    time.as_micros() as u64
}

fn fingerprints(outcome: &Outcome) -> Fingerprints {
    let evidence = &outcome.evidence;
    let original: String = evidence.digest.chars().take(FINGERPRINT_DIGITS).collect();
    let compressed = match evidence.status {
        Status::Unchanged | Status::Bypassed => original.clone(),
        _ => fingerprint(outcome.texts.iter().map(String::as_bytes)),
    };
    Fingerprints { original, compressed, arguments: None }
}

fn flags(evidence: &Evidence) -> Flags {
    let is_reference = evidence.omissions.iter().any(|omission| omission.reason == Reason::ShownBefore);
    Flags {
        redacted: !evidence.redactions.is_empty(),
        capped: evidence.capped,
        deduplicated: evidence.status == Status::Duplicate || is_reference,
        externalized: evidence.externalized.is_some(),
        fell_back: fell_back(evidence),
        summarize_suggested: evidence.summarize_suggested,
        budget_met: evidence.budget.as_ref().map(|budget| budget.met),
    }
}

fn omitted(evidence: &Evidence) -> BTreeMap<Reason, Omitted> {
    let mut out: BTreeMap<Reason, Omitted> = BTreeMap::new();
    for omission in &evidence.omissions {
        let sum = out.entry(omission.reason).or_default();
        sum.gaps += 1;
        sum.lines += omission.count;
        sum.bytes += omission.bytes;
    }
    out
}

/// Names of steps that failed inside; `pipeline` if everything after the safe stage failed.
fn failed_steps(evidence: &Evidence) -> impl Iterator<Item = &str> {
    let failed = |reason: Reason| matches!(reason, Reason::ReducerPanicked | Reason::InvalidReduction);
    let is_whole =
        evidence.status == Status::FailedOpen && !evidence.steps.iter().any(|step| failed(step.reason));
    let steps = evidence.steps.iter().filter(move |step| failed(step.reason)).map(|step| step.id.as_str());
    steps.chain(is_whole.then_some("pipeline"))
}

/// Whether a result was compressed less than requested, for a reason that lies outside its text. A result that a rule keeps
/// exact counts as compressed as requested.
fn fell_back(evidence: &Evidence) -> bool {
    let is_less = |reason: Reason| {
        matches!(
            reason,
            Reason::GuardDeclined
                | Reason::ReducerPanicked
                | Reason::InvalidReduction
                | Reason::NotStored
                | Reason::OverInputLimit
        )
    };
    evidence.status == Status::FailedOpen
        || evidence.steps.iter().any(|step| is_less(step.reason))
        || (evidence.bypass.is_none() && evidence.budget.as_ref().is_some_and(|budget| !budget.met))
}
