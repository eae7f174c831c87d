//! Results that are JSON with texts of another kind inside: each text is processed as a part of its own, and the JSON is
//! written around it again at the end. Line numbers are those of the texts.
//!
//! The JSON around the texts is shown unchanged, so it must contain nothing that the safe stage would remove.

use std::ops::Range;

use super::Outcome;
use super::evidence::{Status, Step};
use super::received::Received;
use crate::config::{Budget, Mode, Policy};
use crate::detect;
use crate::detect::Shape;
use crate::formats::envelope::Envelope;
use crate::sanitize::{self, Raw, Sanitized};
use crate::text::call::ToolCall;
use crate::text::marker;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::tokens::TokenCounter;

/// Name of the step in the evidence.
pub(super) const STEP: &str = "envelope";

/// The parts of a result of which at least one is an envelope.
#[derive(Debug)]
pub(super) struct Envelopes {
    parts: Vec<Part>,
}

/// One original part.
#[derive(Debug)]
struct Part {
    /// The parts that are processed in its place.
    inner: Range<usize>,
    /// The envelope, with the original text.
    envelope: Option<(Envelope, String)>,
}

impl Envelopes {
    /// Opens the envelopes among the parts; `None` where there are none.
    pub(super) fn open(call: &ToolCall, policy: &Policy, parts: &[Raw<'_>]) -> Option<Self> {
        // A limit counts the whole output, with the JSON around the texts.
        let has_limit =
            policy.strict_cap || policy.budget != Budget::NONE || policy.externalize_above.is_some();
        let may_be = |part: &Raw<'_>| matches!(part, Raw::Text(text) if Envelope::start(text).is_some());
        if policy.mode < Mode::Standard || has_limit || !parts.iter().any(may_be) || is_data(call) {
            return None;
        }
        let (mut all, mut at) = (Vec::with_capacity(parts.len()), 0);
        for part in parts {
            let envelope = read(part, policy);
            let inner = at..at + envelope.as_ref().map_or(1, |(envelope, _)| envelope.texts().len());
            at = inner.end;
            all.push(Part { inner, envelope });
        }
        all.iter().any(|part| part.envelope.is_some()).then_some(Self { parts: all })
    }

    /// The parts to process: the texts of envelopes, and the other parts unchanged.
    pub(super) fn raws<'a>(&'a self, parts: &[Raw<'a>]) -> Vec<Raw<'a>> {
        let mut raws = Vec::new();
        for (part, raw) in self.parts.iter().zip(parts) {
            match &part.envelope {
                Some((envelope, _)) => raws.extend(envelope.texts().iter().map(|text| Raw::Text(text))),
                None => raws.push(*raw),
            }
        }
        raws
    }

    /// Counts the input with the JSON around the texts; that JSON is also included in the digest, since results may
    /// differ only in it.
    pub(super) fn count(&self, received: &mut Received, counter: &dyn TokenCounter) {
        let mut digest = blake3::Hasher::new();
        digest.update(received.evidence.digest.as_bytes());
        for (envelope, raw) in self.parts.iter().filter_map(|part| part.envelope.as_ref()) {
            let inner: usize = envelope.texts().iter().map(|text| counter.count(text)).sum();
            let bytes: usize = envelope.texts().iter().map(String::len).sum();
            let evidence = &mut received.evidence;
            evidence.tokens.before = evidence.tokens.before.saturating_sub(inner) + counter.count(raw);
            evidence.bytes.before = evidence.bytes.before.saturating_sub(bytes) + raw.len();
            digest.update(envelope.wrapper().as_bytes());
        }
        received.evidence.digest = digest.finalize().to_hex().to_string();
    }

    /// Writes the envelopes around the texts of an outcome. If one is not shorter than its original, the original is
    /// returned, with secrets removed.
    pub(super) fn close(&self, outcome: &mut Outcome, sanitized: &[Sanitized], counter: &dyn TokenCounter) {
        let inner = std::mem::take(&mut outcome.texts);
        let is_one = outcome.evidence.status == Status::Duplicate;
        let mut is_as_it_came = true;
        for (index, part) in self.parts.iter().enumerate() {
            let texts = inner.get(part.inner.clone()).unwrap_or_default();
            let safe = sanitized.get(part.inner.clone()).unwrap_or_default();
            let text = match &part.envelope {
                Some((envelope, raw)) if !is_one => {
                    let (text, is_shorter) = write(envelope, raw, texts, safe, counter);
                    if !is_shorter {
                        outcome.evidence.omissions.retain(|gap| !part.inner.contains(&gap.part));
                    }
                    is_as_it_came &= text == *raw;
                    text
                }
                _ => {
                    is_as_it_came &= safe.iter().zip(texts).all(|(safe, text)| *safe.text == **text);
                    texts.concat()
                }
            };
            for gap in outcome.evidence.omissions.iter_mut().filter(|gap| part.inner.contains(&gap.part)) {
                gap.part = index;
            }
            outcome.texts.push(text);
        }
        self.update_evidence(outcome, sanitized, is_as_it_came || is_one, counter);
    }

    fn update_evidence(
        &self,
        outcome: &mut Outcome,
        safe: &[Sanitized],
        is_as_it_came: bool,
        counter: &dyn TokenCounter,
    ) {
        let Outcome { texts, evidence, retain, .. } = outcome;
        let inner = evidence.bytes.after;
        evidence.tokens.after = texts.iter().map(|text| counter.count(text)).sum();
        evidence.bytes.after = texts.iter().map(String::len).sum();
        let is_clean = safe.iter().all(|part| part.redactions.is_empty() && part.removals.is_empty());
        if is_as_it_came && is_clean && evidence.status == Status::Compressed {
            evidence.status = Status::Unchanged;
            evidence.reducer = None;
            *retain = None;
        } else if !is_as_it_came {
            let (bytes_before, bytes_after) = (inner, evidence.bytes.after);
            evidence.steps.push(Step {
                id: STEP.to_owned(),
                reason: Reason::Applied,
                bytes_before,
                bytes_after,
            });
        }
    }
}

/// The text of an envelope with other texts in it, and whether it is shorter than the original.
fn write(
    envelope: &Envelope,
    raw: &str,
    texts: &[String],
    safe: &[Sanitized],
    counter: &dyn TokenCounter,
) -> (String, bool) {
    let is_same = |texts: &[String]| texts == envelope.texts();
    if is_same(texts) {
        return (raw.to_owned(), true);
    }
    let text = envelope.write(texts);
    if text.len() <= raw.len() && counter.count(&text) < counter.count(raw) {
        return (text, true);
    }
    let safe: Vec<String> = safe.iter().map(|part| part.text.to_string()).collect();
    (if is_same(&safe) { raw.to_owned() } else { envelope.write(&safe) }, false)
}

/// An envelope whose JSON around the texts can be shown unchanged.
fn read(part: &Raw<'_>, policy: &Policy) -> Option<(Envelope, String)> {
    let Raw::Text(text) = part else { return None };
    let envelope = Envelope::read(text)?;
    let wrapper = envelope.wrapper();
    let is_safe = sanitize::is_clean(&wrapper, policy.redact_secrets)
        && !marker::may_hold(&wrapper)
        && !wrapper.contains("[EXTERNALIZED: ");
    is_safe.then(|| (envelope, (*text).to_owned()))
}

/// Whether the call reads a JSON file: strings in a file are data, not outputs.
fn is_data(call: &ToolCall) -> bool {
    let detection = detect::detect(call, &Source::new(""));
    let is_file = detection.shape != Shape::Other;
    let names_json = |path: &str| path.ends_with(".json") || path.ends_with(".jsonl");
    is_file && (detection.is_by_command || call.paths().iter().any(|path| names_json(path)))
}
