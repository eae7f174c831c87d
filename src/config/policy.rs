//! The policy: one definition of the settings, resolved and immutable while a result is worked on.
//!
//! A `PolicyPatch` holds only what somebody gave; laid over a `Policy` it changes only that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tokens::Tokenizer;

/// How far a result may be changed: each mode does what the one before it does, and more.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing.
    Disabled,
    /// Redaction, terminal clean-up, invisible characters, binary suppression, byte cap.
    #[serde(alias = "conservative")]
    Safe,
    /// `safe` and one content-aware reducer, lossless minification, repeated lines, duplicates.
    #[default]
    #[serde(alias = "balanced")]
    Standard,
    /// `standard` and tighter reducers.
    Aggressive,
}

impl Mode {
    /// The mode's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Safe => "safe",
            Self::Standard => "standard",
            Self::Aggressive => "aggressive",
        }
    }
}

/// How much evidence a response carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceDetail {
    /// None.
    None,
    /// Only when the text was changed or a rule bypassed it.
    Changed,
    /// Always.
    #[default]
    Full,
}

/// The resolved settings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// What may be done.
    pub mode: Mode,
    /// Results smaller than this many bytes pass through the safe stage only.
    pub min_bytes: usize,
    /// Byte cap of a result.
    pub max_output_bytes: usize,
    /// Whether the caller set the cap: then it also bounds failure lines.
    pub strict_cap: bool,
    /// Bytes above which the middle of a text that no reducer understands is left out; 0 for never.
    pub head_tail_bytes: usize,
    /// Whether a result that repeats an earlier one of the session becomes a reference.
    pub dedup: bool,
    /// Whether outcomes are remembered by call id.
    pub memo: bool,
    /// Whether secrets are removed.
    pub redact_secrets: bool,
    /// Tools, by canonical name, whose results are returned exactly.
    pub exclude_tools: Vec<String>,
    /// Whether the host offers the model a tool that reads artifacts: markers then carry a handle.
    pub expand_tool: bool,
    /// Evidence in responses.
    pub evidence: EvidenceDetail,
    /// Token counter.
    pub tokenizer: Tokenizer,
    /// Tokens above which the evidence suggests that the host summarizes.
    pub summarize_above: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::Standard,
            min_bytes: 1024,
            max_output_bytes: 65_536,
            strict_cap: false,
            head_tail_bytes: 32_768,
            dedup: true,
            memo: true,
            redact_secrets: true,
            exclude_tools: Vec::new(),
            expand_tool: false,
            evidence: EvidenceDetail::Full,
            tokenizer: Tokenizer::O200k,
            summarize_above: 4000,
        }
    }
}

/// Settings that somebody gave; what is absent stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyPatch {
    /// What may be done. Default `standard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Results smaller than this many bytes pass through the safe stage only. Default 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bytes: Option<u64>,
    /// Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub max_output_bytes: Option<u64>,
    /// Bytes above which the middle of a text that no reducer understands is left out; 0 for never.
    /// Failure lines stay. Default 32768.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_tail_bytes: Option<u64>,
    /// Whether a result that repeats an earlier one of the session becomes a reference. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedup: Option<bool>,
    /// Whether outcomes are remembered by call id. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memo: Option<bool>,
    /// Whether secrets are removed. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redact_secrets: Option<bool>,
    /// Tools whose results are returned exactly, compared without case. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_tools: Option<Vec<String>>,
    /// Whether the host offers the model a tool that reads artifacts. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expand_tool: Option<bool>,
    /// Evidence in responses. Default `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceDetail>,
    /// Token counter. Default `o200k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<Tokenizer>,
    /// Tokens above which the evidence suggests that the host summarizes. Default 4000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summarize_above: Option<u64>,
}

/// Largest `maxOutputBytes` that a caller may set.
pub const MAX_OUTPUT_BYTES: u64 = 1_048_576;

/// A setting whose value is out of range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue {
    /// Name of the setting.
    pub key: &'static str,
    /// What was given.
    pub value: u64,
    /// What is allowed.
    pub allowed: String,
}

impl std::fmt::Display for BadValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "policy.{}: {} is out of range, allowed is {}", self.key, self.value, self.allowed)
    }
}

impl Policy {
    /// This policy with what the patch gives laid over it. Nothing changes when a value is bad.
    pub fn with(&self, patch: &PolicyPatch) -> Result<Self, BadValue> {
        let mut policy = self.clone();
        let size = |key, value: u64, min: u64, max: u64| {
            let allowed = || BadValue { key, value, allowed: format!("{min} to {max}") };
            if value < min || value > max { Err(allowed()) } else { Ok(value as usize) }
        };
        let whole = u64::from(u32::MAX);
        if let Some(n) = patch.min_bytes {
            policy.min_bytes = size("minBytes", n, 0, whole)?;
        }
        if let Some(n) = patch.max_output_bytes {
            policy.max_output_bytes = size("maxOutputBytes", n, 1, MAX_OUTPUT_BYTES)?;
            policy.strict_cap = true;
        }
        if let Some(n) = patch.head_tail_bytes {
            policy.head_tail_bytes = size("headTailBytes", n, 0, whole)?;
        }
        if let Some(n) = patch.summarize_above {
            policy.summarize_above = size("summarizeAbove", n, 0, whole)?;
        }
        if let Some(tools) = &patch.exclude_tools {
            policy.exclude_tools = tools.iter().map(|t| t.to_ascii_lowercase()).collect();
        }
        policy.mode = patch.mode.unwrap_or(policy.mode);
        policy.dedup = patch.dedup.unwrap_or(policy.dedup);
        policy.memo = patch.memo.unwrap_or(policy.memo);
        policy.redact_secrets = patch.redact_secrets.unwrap_or(policy.redact_secrets);
        policy.expand_tool = patch.expand_tool.unwrap_or(policy.expand_tool);
        policy.evidence = patch.evidence.unwrap_or(policy.evidence);
        policy.tokenizer = patch.tokenizer.unwrap_or(policy.tokenizer);
        Ok(policy)
    }

    /// A digest of everything that can change an output: two policies with the same fingerprint
    /// give the same bytes. How much evidence is returned does not count.
    pub fn fingerprint(&self) -> u64 {
        let neutral = Self { evidence: EvidenceDetail::Full, memo: true, ..self.clone() };
        let bytes = serde_json::to_vec(&neutral).unwrap_or_default();
        let mut head = [0; 8];
        head.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..8]);
        u64::from_le_bytes(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_changes_only_what_it_gives() {
        let base = Policy { min_bytes: 7, ..Policy::default() };
        let patch: PolicyPatch =
            serde_json::from_str(r#"{"mode":"conservative","maxOutputBytes":10}"#).unwrap();
        let policy = base.with(&patch).unwrap();
        let expected = Policy { mode: Mode::Safe, max_output_bytes: 10, strict_cap: true, ..base.clone() };
        assert_eq!(policy, expected);
        assert_ne!(policy.fingerprint(), base.fingerprint());
    }

    #[test]
    fn a_bad_value_is_named() {
        let patch = PolicyPatch { max_output_bytes: Some(2_000_000), ..PolicyPatch::default() };
        let error = Policy::default().with(&patch).unwrap_err();
        assert_eq!(
            error.to_string(),
            "policy.maxOutputBytes: 2000000 is out of range, allowed is 1 to 1048576"
        );
        let unknown = serde_json::from_str::<PolicyPatch>(r#"{"mod":"safe"}"#).unwrap_err().to_string();
        assert!(unknown.contains("`mod`") && unknown.contains("`mode`"), "{unknown}");
    }
}
