//! Decides which results are kept exact. They are only redacted.

use std::borrow::Cow;

use super::evidence::{Evidence, Status};
use super::exclude;
use super::{Outcome, received};
use crate::config::{Mode, Policy};
use crate::detect;
use crate::pipeline::repeat::dedup::Decision;
use crate::sanitize;
use crate::sanitize::spare::Spare;
use crate::sanitize::{Counts, Raw, RedactionFailed};
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use crate::text::marker;
use crate::text::reason::Reason;
use crate::text::source::count_lines;
use crate::tokens::TokenCounter;

/// The rule that keeps a result exact, if one does.
pub(super) fn rule(call: &ToolCall, policy: &Policy, full_output: bool) -> Option<Reason> {
    match () {
        () if full_output || call.wants_full_output() || call.reads_original() => Some(Reason::FullOutput),
        () if policy.mode == Mode::Disabled => Some(Reason::ModeDisabled),
        () if asks(call) => Some(Reason::CommandAsks),
        () if policy.exclude_tools.contains(&call.canonical_tool()) => Some(Reason::ExcludedTool),
        () => exclude::by_call(call, policy),
    }
}

/// Whether the command asks for its exact output.
fn asks(call: &ToolCall) -> bool {
    call.command.as_deref().is_some_and(detect::command::asks_for_exact_output)
}

/// The exact bytes, secrets aside.
pub(super) fn exact(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    rule: Reason,
    counter: &dyn TokenCounter,
    spare: &Spare<'_>,
) -> Result<Outcome, RedactionFailed> {
    let mut evidence =
        Evidence { status: Status::Bypassed, bypass: Some(rule), ..received::head(call, policy, counter) };
    let mut redactions = Counts::new();
    let mut texts = Vec::with_capacity(parts.len());
    let mut digest = blake3::Hasher::new();
    let (without, mut divided) = match policy.redact_secrets {
        true => sanitize::redact_divided(parts, spare)?,
        false => Default::default(),
    };
    for (number, raw) in parts.iter().enumerate() {
        let before = match raw {
            Raw::Text(text) => Cow::Borrowed(*text),
            Raw::Bytes(bytes) => String::from_utf8_lossy(bytes),
        };
        let without = without.get(number).and_then(Option::as_deref);
        let (text, mut counts) = match policy.redact_secrets {
            true => sanitize::redact_exact(without.unwrap_or(&before), spare)?,
            false => (before.clone().into_owned(), Counts::new()),
        };
        // `divided` is added to the counts once, together with a part that it changed.
        if without.is_some() {
            counts.append(&mut divided);
        }
        // Output that the agent asks for is always exact.
        let is_asked = matches!(rule, Reason::FullOutput | Reason::CommandAsks);
        let escaped = match policy.escapes_exact && !is_asked {
            true => marker::escape(&text, |_| false, |_| false),
            false => None,
        };
        let is_escaped = escaped.is_some();
        let text = escaped.map_or(text, |(escaped, _)| escaped);
        // Bytes without secrets are returned unchanged, even if they are not UTF-8.
        let is_same = counts.is_empty() && !is_escaped && without.is_none();
        redactions.extend(counts);
        let tokens = counter.count(&before);
        evidence.tokens.before += tokens;
        evidence.tokens.after += if is_same { tokens } else { counter.count(&text) };
        evidence.bytes.before += raw.size();
        evidence.bytes.after += if is_same { raw.size() } else { text.len() };
        evidence.lines.before += count_lines(&before);
        evidence.lines.after += count_lines(&text);
        digest.update(text.as_bytes());
        texts.push(text);
    }
    evidence.redactions = received::redaction_counts(&redactions);
    received::add_fingerprints(&mut evidence.redactions, &spare.met(), policy);
    evidence.digest = digest.finalize().to_hex().to_string();
    Ok(Outcome {
        texts,
        evidence,
        retain: None,
        decision: Decision::default(),
        shown: Lines::default(),
        is_rejected: false,
        key_without_times: None,
        mentions: Vec::new(),
        places: Vec::new(),
        answer: None,
        needs: 0,
    })
}
