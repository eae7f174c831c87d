//! The policy: one definition of the settings, resolved and immutable while a result is worked on.
//!
//! A `PolicyPatch` holds only what somebody gave; laid over a `Policy` it changes only that.

use std::hash::{Hash, Hasher};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Category, DictionaryMethod, EvidenceDetail, FileDetail, Mode, OnRepeat, Secrets, SecretsPatch,
    Structured, range,
};
use crate::rules::Rules;
use crate::text::marker::SealKey;
use crate::tokens::Tokenizer;

/// Tokens that results may take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Of one result; `None` for any number.
    pub per_result: Option<usize>,
    /// Of the results of one batch together; `None` for any number.
    pub total: Option<usize>,
}

/// A budget as somebody gave it. Of a budget that is given, what is absent has its default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BudgetPatch {
    /// Tokens of one result. A result of no more is left to the mode. 0 for any number. Default 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_result: Option<u64>,
    /// Tokens above which the evidence suggests that the host summarizes. Default 4000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summarize_above: Option<u64>,
    /// Tokens of all results of a batch or a request together. 0 for any number. Default 8000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
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
    /// Bytes above which the middle of a text that no reducer understands is left out; see `head_tail`.
    pub head_tail_bytes: Option<usize>,
    /// Whether a result that repeats an earlier one of the session becomes a reference.
    pub dedup: bool,
    /// Whether outcomes are remembered by call id.
    pub memo: bool,
    /// Whether secrets are removed.
    pub redact_secrets: bool,
    /// What is no secret to this operator.
    pub secrets: Secrets,
    /// Tools, by canonical name, whose results are returned exactly.
    pub exclude_tools: Vec<String>,
    /// Parts of names of tools, in lower case, whose results are returned exactly.
    pub exclude_tool_substrings: Vec<String>,
    /// Kinds of output that are returned exactly.
    pub exclude_categories: Vec<Category>,
    /// Steps that are not tried.
    pub exclude_methods: Vec<String>,
    /// First words of commands whose results are returned exactly.
    pub exclude_commands: Vec<String>,
    /// Flags of commands whose results are returned exactly.
    pub exclude_flags: Vec<String>,
    /// First words of commands of whose results no line is written anew.
    pub verbatim_commands: Vec<String>,
    /// Whether nothing is left out.
    pub never_omit: bool,
    /// Whether the host offers the model a tool that reads artifacts: markers then carry a handle.
    pub expand_tool: bool,
    /// Evidence in responses.
    pub evidence: EvidenceDetail,
    /// Token counter.
    pub tokenizer: Tokenizer,
    /// Tokens above which the evidence suggests that the host summarizes.
    pub summarize_above: usize,
    /// After how many later results an output is no longer referred to.
    pub dedup_window_results: usize,
    /// After how many tokens of later results an output is no longer referred to.
    pub dedup_window_tokens: usize,
    /// What a request gets that is repeated after an answer that was a reference or had gaps.
    pub on_repeat: OnRepeat,
    /// How much of a file is shown.
    pub file_detail: FileDetail,
    /// What `auto` does with a file that no outline is known for.
    pub file_detail_fallback: FileDetail,
    /// Lines up to which `auto` shows a file whole.
    pub file_full_max_lines: usize,
    /// Lines up to which `auto` may show the structure; above, only signatures where the mode allows it.
    pub file_structure_max_lines: usize,
    /// Bytes of a view above which `auto` may leave out bodies; see `outline_bytes`.
    pub file_outline_bytes: Option<usize>,
    /// Whether lines of an outline carry the file's line numbers where the view itself has none.
    pub file_line_numbers: bool,
    /// Most lines shown of a file, from its start; `None` or 0 for no limit.
    pub file_max_lines: Option<usize>,
    /// Most lines shown of a file, from its end; `None` or 0 for no limit.
    pub file_last_lines: Option<usize>,
    /// Context lines shown around a match of a search; `None` for what the mode says, see `search_limits`.
    pub search_context_lines: Option<usize>,
    /// Matches shown of one file; see `search_limits`.
    pub search_max_matches_per_file: Option<usize>,
    /// Files of which matches are shown; see `search_limits`.
    pub search_max_files: Option<usize>,
    /// Characters above which a line of a search is cut around its match; see `search_limits`.
    pub search_max_line_length: Option<usize>,
    /// Folders whose content is folded in listings, with its counts.
    pub noise_directories: Vec<String>,
    /// Changed lines shown of one hunk of a diff; see `diff_limits`.
    pub diff_max_lines_per_hunk: Option<usize>,
    /// Changed lines shown of a whole diff; see `diff_limits`.
    pub diff_max_lines: Option<usize>,
    /// How far a budget may climb above `mode`.
    pub max_mode: Mode,
    /// Tokens that results may take.
    pub budget: Budget,
    /// What may become of structured data.
    pub structured: Structured,
    /// Whether members that are null, `""`, `[]` or `{}` may be left out in `aggressive`.
    pub drop_empty: bool,
    /// Items shown of an array; see `data_limits`.
    pub array_max_items: Option<usize>,
    /// Characters shown of a string in structured data; see `data_limits`.
    pub string_max_length: Option<usize>,
    /// How repeated text is written once in `aggressive`.
    pub dictionary: DictionaryMethod,
    /// Bytes above which a result is replaced by a pointer and a preview; `None` for never.
    pub externalize_above: Option<usize>,
    /// Rules of the operator.
    #[serde(serialize_with = "crate::rules::as_digest")]
    pub rules: Rules,
    /// How often the limits that depend on the mode are halved: how a budget asks for less.
    pub squeeze: u8,
    /// What texts with gaps say of their original, where an operator wants that.
    pub hint: Option<std::sync::Arc<super::Hint>>,
    /// What markers are sealed with. No setting: it is never shown, written or read from a file of settings.
    #[serde(skip)]
    pub seal_key: SealKey,
}

/// Folders that hold what nobody wrote by hand.
const NOISE_DIRECTORIES: &[&str] = &["node_modules", ".git", "target", "__pycache__", ".venv", "vendor"];

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::Standard,
            min_bytes: 1024,
            max_output_bytes: 65_536,
            strict_cap: false,
            head_tail_bytes: None,
            dedup: true,
            memo: true,
            redact_secrets: true,
            secrets: Secrets::default(),
            exclude_tools: Vec::new(),
            exclude_tool_substrings: Vec::new(),
            exclude_categories: Vec::new(),
            exclude_methods: Vec::new(),
            exclude_commands: Vec::new(),
            exclude_flags: Vec::new(),
            verbatim_commands: Vec::new(),
            never_omit: false,
            expand_tool: false,
            evidence: EvidenceDetail::Full,
            tokenizer: Tokenizer::O200k,
            summarize_above: 4000,
            dedup_window_results: 200,
            dedup_window_tokens: 80_000,
            on_repeat: OnRepeat::Full,
            file_detail: FileDetail::Auto,
            file_detail_fallback: FileDetail::Full,
            file_full_max_lines: 120,
            file_structure_max_lines: 280,
            file_outline_bytes: None,
            file_line_numbers: false,
            file_max_lines: None,
            file_last_lines: None,
            search_context_lines: None,
            search_max_matches_per_file: None,
            search_max_files: None,
            search_max_line_length: None,
            noise_directories: NOISE_DIRECTORIES.iter().map(|d| (*d).to_owned()).collect(),
            diff_max_lines_per_hunk: None,
            diff_max_lines: None,
            max_mode: Mode::Aggressive,
            budget: Budget::default(),
            structured: Structured::Auto,
            drop_empty: false,
            array_max_items: None,
            string_max_length: None,
            dictionary: DictionaryMethod::Auto,
            externalize_above: None,
            rules: Rules::default(),
            squeeze: 0,
            hint: None,
            seal_key: SealKey::default(),
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
    /// Failure lines stay. Default 12288 in `standard`, 6144 in
    /// `aggressive`, 32768 for a JSON document.
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
    /// What is no secret to this operator. Default nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<SecretsPatch>,
    /// Tools whose results are returned exactly, compared without case. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_tools: Option<Vec<String>>,
    /// Parts of names of tools whose results are returned exactly, compared without case. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_tool_substrings: Option<Vec<String>>,
    /// Kinds of output that are returned exactly, by the call or by the grammar of any part of the text. Default
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_categories: Option<Vec<Category>>,
    /// Steps that are not tried, by their names in the evidence; `terminal` is the clean-up of escape sequences and
    /// overwritten text. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::exclusion::methods_schema")]
    pub exclude_methods: Option<Vec<String>>,
    /// First words of commands whose results are returned exactly, read as a shell reads them: `git diff --stat`.
    /// Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_commands: Option<Vec<String>>,
    /// Flags, such as `--json`, of commands whose results are returned exactly. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclude_flags: Option<Vec<String>>,
    /// First words of commands whose lines, where they are shown, are shown as they are: no step writes them anew.
    /// Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verbatim_commands: Option<Vec<String>>,
    /// Whether nothing is left out: only steps that lose nothing are used, and only a byte cap that is given cuts.
    /// Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never_omit: Option<bool>,
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
    /// After how many later results an output is no longer referred to, unless the host says that it is
    /// visible. Default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedup_window_results: Option<u64>,
    /// After how many tokens of later results an output is no longer referred to. Default 80000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedup_window_tokens: Option<u64>,
    /// What a request gets that is repeated after an answer that was a reference or had gaps. Default
    /// `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_repeat: Option<OnRepeat>,
    /// How much of a file is shown. Default `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_detail: Option<FileDetail>,
    /// What `auto` does with a file that no outline is known for. Default `full`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_detail_fallback: Option<FileDetail>,
    /// Lines up to which `auto` shows a file whole. Default 120.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_full_max_lines: Option<u64>,
    /// Lines up to which `auto` may show the structure; above, only signatures where the mode allows it.
    /// Default 280.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_structure_max_lines: Option<u64>,
    /// Bytes of a view above which `auto` may leave out bodies; 0 for never. Default 12288 in `standard`,
    /// 4096 in `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_outline_bytes: Option<u64>,
    /// Whether lines of an outline carry the file's line numbers where the view itself has none. Default
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_line_numbers: Option<bool>,
    /// Most lines shown of a file, from its start; 0 for no limit. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_max_lines: Option<u64>,
    /// Most lines shown of a file, from its end; 0 for no limit. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_last_lines: Option<u64>,
    /// Context lines shown around a match of a search; 0 and up. Default all in `standard`, 2 in
    /// `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_context_lines: Option<u64>,
    /// Matches shown of one file; 0 for all. Default all in `standard`, 8 in `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_max_matches_per_file: Option<u64>,
    /// Files of which matches are shown; 0 for all. Default all in `standard`, 100 in `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_max_files: Option<u64>,
    /// Characters above which a line of a search is cut around its match; 0 for never. Default 1000 in
    /// `standard`, 240 in `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_max_line_length: Option<u64>,
    /// Folders whose content is folded in listings, with its counts. Default `node_modules`, `.git`,
    /// `target`, `__pycache__`, `.venv`, `vendor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_directories: Option<Vec<String>>,
    /// Changed lines shown of one hunk of a diff; 0 for all. Default all in `standard`, 100 in
    /// `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_max_lines_per_hunk: Option<u64>,
    /// Changed lines shown of a whole diff; 0 for all. Default all in `standard`, 500 in `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_max_lines: Option<u64>,
    /// How far a budget may climb above `mode`. Default `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_mode: Option<Mode>,
    /// Tokens that results may take. Default any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetPatch>,
    /// What may become of structured data. Default `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Structured>,
    /// Whether members that are null, `""`, `[]` or `{}` may be left out in `aggressive`. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_empty: Option<bool>,
    /// Items shown of an array; 0 for all. Default all in `standard`, 24 in `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_max_items: Option<u64>,
    /// Characters shown of a string in structured data; 0 for all. Default all in `standard`, 1000 in
    /// `aggressive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub string_max_length: Option<u64>,
    /// How repeated text is written once in `aggressive`. Default `auto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dictionary: Option<DictionaryMethod>,
    /// Bytes above which a result of a session is replaced by a pointer and a preview; 0 for never.
    /// Default never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub externalize_above: Option<u64>,
    /// Rules of the operator. One of the same name takes the place of one that was there, others are added.
    /// Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<Rules>,
}

/// Largest `maxOutputBytes` that a caller may set.
pub const MAX_OUTPUT_BYTES: u64 = 1_048_576;

/// A setting whose value is out of range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue {
    /// Name of the section.
    pub section: &'static str,
    /// Name of the setting in it.
    pub key: String,
    /// What was given.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

impl std::fmt::Display for BadValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}.{}: {} is out of range, allowed is {}",
            self.section, self.key, self.value, self.allowed
        )
    }
}

impl Policy {
    /// This policy with what the patch gives laid over it. Nothing changes when a value is bad.
    pub fn with(&self, patch: &PolicyPatch) -> Result<Self, BadValue> {
        let mut policy = self.clone();
        let size = |key, value: u64, min: u64, max: u64| {
            let mut new = 0;
            range::size(&mut new, ("policy", key), Some(value), min, max).map(|()| new)
        };
        let whole = range::WHOLE;
        if let Some(n) = patch.min_bytes {
            policy.min_bytes = size("minBytes", n, 0, whole)?;
        }
        if let Some(n) = patch.max_output_bytes {
            policy.max_output_bytes = size("maxOutputBytes", n, 1, MAX_OUTPUT_BYTES)?;
            policy.strict_cap = true;
        }
        if let Some(n) = patch.summarize_above {
            policy.summarize_above = size("summarizeAbove", n, 0, whole)?;
        }
        if let Some(n) = patch.dedup_window_results {
            policy.dedup_window_results = size("dedupWindowResults", n, 0, whole)?;
        }
        if let Some(n) = patch.dedup_window_tokens {
            policy.dedup_window_tokens = size("dedupWindowTokens", n, 0, whole)?;
        }
        if let Some(n) = patch.file_full_max_lines {
            policy.file_full_max_lines = size("fileFullMaxLines", n, 0, whole)?;
        }
        if let Some(n) = patch.file_structure_max_lines {
            policy.file_structure_max_lines = size("fileStructureMaxLines", n, 0, whole)?;
        }
        let limits: [(&'static str, Option<u64>, &mut Option<usize>); 12] = [
            ("headTailBytes", patch.head_tail_bytes, &mut policy.head_tail_bytes),
            ("fileOutlineBytes", patch.file_outline_bytes, &mut policy.file_outline_bytes),
            ("fileMaxLines", patch.file_max_lines, &mut policy.file_max_lines),
            ("fileLastLines", patch.file_last_lines, &mut policy.file_last_lines),
            ("searchContextLines", patch.search_context_lines, &mut policy.search_context_lines),
            (
                "searchMaxMatchesPerFile",
                patch.search_max_matches_per_file,
                &mut policy.search_max_matches_per_file,
            ),
            ("searchMaxFiles", patch.search_max_files, &mut policy.search_max_files),
            ("searchMaxLineLength", patch.search_max_line_length, &mut policy.search_max_line_length),
            ("diffMaxLinesPerHunk", patch.diff_max_lines_per_hunk, &mut policy.diff_max_lines_per_hunk),
            ("diffMaxLines", patch.diff_max_lines, &mut policy.diff_max_lines),
            ("arrayMaxItems", patch.array_max_items, &mut policy.array_max_items),
            ("stringMaxLength", patch.string_max_length, &mut policy.string_max_length),
        ];
        for (key, given, limit) in limits {
            if let Some(n) = given {
                *limit = Some(size(key, n, 0, whole)?);
            }
        }
        if let Some(n) = patch.externalize_above {
            policy.externalize_above = Some(size("externalizeAbove", n, 0, whole)?).filter(|n| *n > 0);
        }
        if let Some(budget) = patch.budget {
            let tokens = |key, given: Option<u64>, default: u64| {
                size(key, given.unwrap_or(default), 0, whole).map(|n| Some(n).filter(|n| *n > 0))
            };
            policy.budget = Budget {
                per_result: tokens("budget.perResult", budget.per_result, 2000)?,
                total: tokens("budget.total", budget.total, 8000)?,
            };
            policy.summarize_above =
                size("budget.summarizeAbove", budget.summarize_above.unwrap_or(4000), 0, whole)?;
        }
        if let Some(folders) = &patch.noise_directories {
            policy.noise_directories.clone_from(folders);
        }
        if let Some(tools) = &patch.exclude_tools {
            policy.exclude_tools = tools.iter().map(|t| t.to_ascii_lowercase()).collect();
        }
        policy.exclude(patch)?;
        if let Some(secrets) = &patch.secrets {
            policy.secrets.take(secrets)?;
        }
        policy.never_omit = patch.never_omit.unwrap_or(policy.never_omit);
        if let Some(rules) = &patch.rules {
            policy.rules = policy.rules.with(rules);
        }
        policy.mode = patch.mode.unwrap_or(policy.mode);
        policy.dedup = patch.dedup.unwrap_or(policy.dedup);
        policy.memo = patch.memo.unwrap_or(policy.memo);
        policy.redact_secrets = patch.redact_secrets.unwrap_or(policy.redact_secrets);
        policy.expand_tool = patch.expand_tool.unwrap_or(policy.expand_tool);
        policy.evidence = patch.evidence.unwrap_or(policy.evidence);
        policy.on_repeat = patch.on_repeat.unwrap_or(policy.on_repeat);
        policy.file_detail = patch.file_detail.unwrap_or(policy.file_detail);
        policy.file_detail_fallback = patch.file_detail_fallback.unwrap_or(policy.file_detail_fallback);
        policy.file_line_numbers = patch.file_line_numbers.unwrap_or(policy.file_line_numbers);
        policy.tokenizer = patch.tokenizer.unwrap_or(policy.tokenizer);
        policy.max_mode = patch.max_mode.unwrap_or(policy.max_mode);
        policy.structured = patch.structured.unwrap_or(policy.structured);
        policy.drop_empty = patch.drop_empty.unwrap_or(policy.drop_empty);
        policy.dictionary = patch.dictionary.unwrap_or(policy.dictionary);
        Ok(policy)
    }

    /// A digest of everything that can change an output: two policies with the same fingerprint
    /// give the same bytes. How much evidence is returned does not count.
    pub fn fingerprint(&self) -> u64 {
        // What a batch may take in all is no matter of one result: what was given once stays as it was.
        let budget = Budget { total: None, ..self.budget };
        let neutral = Self { evidence: EvidenceDetail::Full, memo: true, budget, ..self.clone() };
        let mut bytes = Bytes::default();
        neutral.hash(&mut bytes);
        let mut head = [0; 8];
        head.copy_from_slice(&blake3::hash(&bytes.0).as_bytes()[..8]);
        u64::from_le_bytes(head)
    }
}

/// Keeps what is hashed.
#[derive(Debug, Default)]
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.len() as u64
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
