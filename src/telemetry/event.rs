//! The events as they are written and read: sizes, names of steps, reasons and counts. Never content.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alerts::Alert;
use crate::config::Mode;
use crate::pipeline::evidence::{
    BeforeAfter, Evidence, GuardEvidence, Memo, Omission, RedactionCount, Status, Step, Tokens,
};
use crate::text::reason::Reason;

/// Version of the event format.
pub const VERSION: u32 = 1;

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Version of this format, 1.
    pub version: u32,
    /// Milliseconds since 1970 began, UTC.
    pub time: u64,
    /// The process that wrote it, 16 hexadecimal digits.
    pub process: String,
    /// Number of the event in its process, from 1; dropped events leave a gap.
    pub seq: u64,
    /// Events that were dropped just before this one, because the queue was full.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// Members that were left out because the event would have been too long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<String>,
    /// What happened.
    #[serde(flatten)]
    pub what: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// A result was given.
    Result(Box<ResultEvent>),
    /// A result could not be given.
    Failure(FailureEvent),
    /// Failures or fallbacks have become frequent.
    Alert(Alert),
    /// The process ends; written only if events were dropped.
    End,
    /// The first line of a file of events. A file without it belongs to another program and is not changed.
    Header,
}

impl Event {
    /// Whether a line is the first of a file of events, of any version.
    pub fn is_header(line: &str) -> bool {
        serde_json::from_str::<Self>(line).is_ok_and(|event| matches!(event.what, EventKind::Header))
    }
}

/// A result could not be given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FailureEvent {
    /// What names the result.
    #[serde(flatten)]
    pub names: Names,
    /// Kind of the error, as on the wire, for example `redaction_failed`.
    pub kind: String,
}

/// The host's names for a result: without secrets, each at most 128 bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Names {
    /// `correlationId` of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool; empty if unknown.
    pub tool: String,
}

/// A result was given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultEvent {
    /// What names the result.
    #[serde(flatten)]
    pub names: Names,
    /// If the session had given it before: how it was given again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resend: Option<Resend>,
    /// The status, as in the evidence.
    pub status: Status,
    /// The mode that was used.
    pub mode: Mode,
    /// The kind of output, as in the evidence; `command` if only the command line is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The type of the text, by its content alone: `json`, `xml`, `html`, `text` or `binary`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content_type: String,
    /// The reducer that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reducer: Option<String>,
    /// Why it was kept exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass: Option<Reason>,
    /// The call's exit code, if the host gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Tokens.
    pub tokens: Tokens,
    /// Bytes.
    pub bytes: BeforeAfter,
    /// Lines.
    pub lines: BeforeAfter,
    /// Bytes above which the host cuts a result by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_limit: Option<usize>,
    /// Steps that changed the text, each once, in order.
    #[serde(default)]
    pub strategies: Vec<String>,
    /// Steps that were tried, in order.
    #[serde(default)]
    pub steps: Vec<TimedStep>,
    /// The times for this result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<Elapsed>,
    /// The method that found repeated text for a dictionary, `lzw` or `repair`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary_method: Option<String>,
    /// Further facts.
    pub flags: Flags,
    /// Text that is not shown, by reason.
    #[serde(default)]
    pub omitted: BTreeMap<Reason, Omitted>,
    /// Secrets that were removed, by rule.
    #[serde(default)]
    pub redactions: Vec<RedactionCount>,
    /// Lines that report a failure.
    pub guard: GuardEvidence,
    /// The use of the memo.
    pub memo: Memo,
    /// 64-bit fingerprints; absent if they are off, or if secrets are not removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprints: Option<Fingerprints>,
}

/// How a result was given again, byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Resend {
    /// From the memo.
    Memo,
    /// Made again from its decision.
    Remade,
}

/// A step that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimedStep {
    /// The step.
    #[serde(flatten)]
    pub step: Step,
    /// Its time, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_micros: Option<u64>,
}

/// Times of a result, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Elapsed {
    /// The total.
    pub total_micros: u64,
    /// Of this, the clean-up and the removal of secrets; absent if a batch had measured the result before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safe_micros: Option<u64>,
}

/// What happened to a result beside its steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Flags {
    /// Secrets were removed.
    pub redacted: bool,
    /// The byte cap cut something.
    pub capped: bool,
    /// The result, or lines of it, became a reference to an earlier one.
    pub deduplicated: bool,
    /// The text became a pointer.
    pub externalized: bool,
    /// It was compressed less than requested.
    pub fell_back: bool,
    /// It is larger than `summarizeAbove` tokens.
    pub summarize_suggested: bool,
    /// Whether a budget was met; absent without a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_met: Option<bool>,
}

/// Text that is not shown for one reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Omitted {
    /// Gaps.
    pub gaps: usize,
    /// Lines in them.
    pub lines: usize,
    /// Bytes of gaps inside lines.
    #[serde(default, skip_serializing_if = "is_none")]
    pub bytes: usize,
}

/// 64-bit fingerprints, 16 hexadecimal digits each. Not cryptographic. Only fingerprints of the same kind can be
/// compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fingerprints {
    /// Of the original after the removal of secrets and the clean-up: the first digits of the evidence's `digest`.
    pub original: String,
    /// Of the output.
    pub compressed: String,
    /// Of the arguments, command and path of the call after the removal of secrets; absent if there are none, or more
    /// than 64 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
}

impl ResultEvent {
    /// The evidence as far as the event has it, for totals.
    pub fn evidence(&self) -> Evidence {
        let omission = |(reason, omitted): (&Reason, &Omitted)| Omission {
            lines: [0, 0],
            reason: *reason,
            count: omitted.lines,
            bytes: omitted.bytes,
            part: 0,
            shown_by: None,
        };
        Evidence {
            status: self.status,
            mode: self.mode,
            family: self.family.clone(),
            reducer: self.reducer.clone(),
            tokens: self.tokens.clone(),
            bytes: self.bytes,
            lines: self.lines,
            steps: self.steps.iter().map(|timed| timed.step.clone()).collect(),
            omissions: self.omitted.iter().map(omission).collect(),
            redactions: self.redactions.clone(),
            ..Evidence::default()
        }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_none(n: &usize) -> bool {
    *n == 0
}
