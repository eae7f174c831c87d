//! The evidence: data about what happened to one result, for the host and for telemetry.
//!
//! All counts are exact. The evidence has no content of the result.

use serde::{Deserialize, Serialize};

use crate::config::Mode;
use crate::text::ledger::Gap;
use crate::text::reason::Reason;

/// The outcome of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The text is unchanged.
    #[default]
    Unchanged,
    /// The text was changed.
    Compressed,
    /// The text became a reference to an earlier result.
    Duplicate,
    /// A rule kept the text exact; redaction may have changed it.
    Bypassed,
    /// The result was binary data.
    Suppressed,
    /// Something failed inside; the sanitized text is returned.
    FailedOpen,
}

impl Status {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Compressed => "compressed",
            Self::Duplicate => "duplicate",
            Self::Bypassed => "bypassed",
            Self::Suppressed => "suppressed",
            Self::FailedOpen => "failed_open",
        }
    }
}

/// Sizes before and after: of the input and of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeforeAfter {
    /// Size of the input.
    pub before: usize,
    /// Size of the output.
    pub after: usize,
}

/// Tokens before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokens {
    /// Tokens of the input.
    pub before: usize,
    /// Tokens that go out.
    pub after: usize,
    /// Name of the counter.
    pub counter: String,
}

/// One step of the pipeline that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Name of the step.
    pub id: String,
    /// `applied`, or why nothing was done.
    pub reason: Reason,
    /// Bytes of the text before the step.
    pub bytes_before: usize,
    /// Bytes of the text after the step.
    pub bytes_after: usize,
}

/// Lines that are not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Omission {
    /// First and last line of the sanitized text, from 1, inclusive.
    pub lines: [usize; 2],
    /// Why.
    pub reason: Reason,
    /// Lines not shown; 0 when the gap is inside a line.
    pub count: usize,
    /// Bytes not shown, where the gap is inside lines.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: usize,
    /// Index of the content part, where the result has several.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub part: usize,
    /// Where the model sees the lines, for `shown_before`, or their outline, for `same_outline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<ShownBy>,
}

/// Where lines were shown before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShownBy {
    /// Call id.
    pub tool_call_id: String,
    /// The argument of the call that holds the lines; absent where its result shows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// First and last line of the result's sanitized text, or of the argument, from 1, inclusive.
    pub lines: [usize; 2],
}

/// Secrets of one rule that were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactionCount {
    /// Name of the rule.
    pub rule: String,
    /// How many.
    pub count: usize,
    /// Fingerprints of the values, made with a key of the installation, each once, at most 16. `secrets.allow`
    /// accepts them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<String>,
}

/// Characters or sequences that the clean-up removed or escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Removal {
    /// Class, for example `bidi_control` or `escape_sequence`.
    pub class: String,
    /// How many.
    pub count: usize,
}

/// The findings of the guard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardEvidence {
    /// Lines that report a failure.
    pub signals: usize,
    /// Of these, lines that can still be seen; of equal lines one has to be visible.
    pub kept: usize,
    /// Of these, lines that a step had hidden and the guard brought back.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restored: usize,
}

/// The use of the memo.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memo {
    /// The outcome is the one that was returned earlier for this call.
    pub reused: bool,
    /// The call was seen before with other bytes or another policy.
    pub changed: bool,
}

impl Omission {
    /// A gap as the evidence lists it.
    pub(super) fn of(gap: Gap, part: usize) -> Omission {
        let shown_by = gap.shown_by.map(|(origin, there)| ShownBy {
            tool_call_id: origin.call.clone(),
            argument: origin.argument.clone(),
            lines: [there, there + gap.count - 1],
        });
        Omission {
            lines: [gap.lines.0, gap.lines.1],
            reason: gap.reason,
            count: gap.count,
            bytes: gap.bytes,
            part,
            shown_by,
        }
    }
}

/// How far a budget had to go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rung {
    /// The mode.
    pub mode: Mode,
    /// How often the limits that depend on the mode were halved.
    #[serde(default, skip_serializing_if = "is_unhalved")]
    pub squeeze: u8,
    /// Whether lines were cut by tokens after that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

fn is_unhalved(n: &u8) -> bool {
    *n == 0
}

/// The effect of a budget on one result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct BudgetUse {
    /// Tokens that the result might take.
    pub tokens: usize,
    /// Whether it takes no more.
    pub met: bool,
    /// How far the budget had to go for it.
    pub rung: Rung,
    /// Why it takes more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Reason>,
    /// Tokens in the host's own figures, where it gave them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_tokens: Option<BeforeAfter>,
}

/// Everything about one result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// What became of the result.
    pub status: Status,
    /// The mode that was used.
    pub mode: Mode,
    /// The kind of output, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The reducer that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reducer: Option<String>,
    /// The rule of the operator that was used, the first where parts have several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The rule that kept the text exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass: Option<Reason>,
    /// The call's exit code, where the host gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// Tokens.
    pub tokens: Tokens,
    /// Bytes.
    pub bytes: BeforeAfter,
    /// Lines.
    pub lines: BeforeAfter,
    /// Steps that were tried, in order.
    pub steps: Vec<Step>,
    /// How repeated text was found that is written once, `lzw` or `repair`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary_method: Option<String>,
    /// The lines that are not shown.
    pub omissions: Vec<Omission>,
    /// Secrets that were removed.
    pub redactions: Vec<RedactionCount>,
    /// Text that the clean-up removed or escaped, by class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removals: Vec<Removal>,
    /// The findings of the guard.
    pub guard: GuardEvidence,
    /// Whether the byte cap cut something.
    pub capped: bool,
    /// The effect of the budget, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetUse>,
    /// Id of the artifact, if the text was replaced by a pointer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub externalized: Option<String>,
    /// Call id of the earlier result that this one repeats.
    pub duplicate_of: Option<String>,
    /// The use of the memo.
    pub memo: Memo,
    /// Whether the result was larger than `summarizeAbove` tokens before the first cut (`head_tail`, `output_cap`, `budget`,
    /// `externalize`).
    pub summarize_suggested: bool,
    /// BLAKE3 digest of the sanitized text, hexadecimal.
    pub digest: String,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}
