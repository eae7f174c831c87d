//! The policy: the settings for one result. It does not change while a result is processed.
//!
//! A `PolicyPatch` holds only the settings that were given, and changes only those of a `Policy`.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use super::rules::RuleSet;
use super::table::{Overlay, Project, Row, settings};
use super::{
    Category, DictionaryMethod, EvidenceDetail, FileDetail, Mode, OnRepeat, Scale, Secrets, Structured,
    ToolSchemas, elsewhere, exclusion,
};
use crate::text::marker::SealKey;
use crate::tokens::Tokenizer;

settings! {
    section "policy.budget";

    /// Token limits for results. These defaults apply if any part of a budget is given; without a budget it is
    /// [`Budget::NONE`].
    #[derive(Copy, Eq, Hash)]
    pub struct Budget;

    /// A budget as given. Absent members have their defaults.
    #[derive(Copy, Eq)]
    pub struct BudgetPatch;

    /// Tokens of one result; smaller results are left to the mode. 0 for any number. Default 2000.
    per_result: Option<usize> = Some(2000), zero_is_none: true;
    /// Tokens above which the evidence suggests that the host summarizes. Default 4000.
    #[serde(skip)]
    summarize_above: usize = 4000, rank: Some(2);
    /// Tokens of all results of a batch or a request together. 0 for any number. Default 8000.
    total: Option<usize> = Some(8000), zero_is_none: true;
}

impl Budget {
    /// No limit.
    pub const NONE: Self = Self { per_result: None, summarize_above: 0, total: None };
}

/// Folders whose content is not written by hand.
const NOISE_DIRECTORIES: &[&str] = &["node_modules", ".git", "target", "__pycache__", ".venv", "vendor"];

settings! {
    section "policy";

    /// The policy: the settings for one result.
    #[derive(Eq, Hash)]
    pub struct Policy;

    /// Settings that were given; absent settings stay unchanged.
    #[derive(Eq)]
    pub struct PolicyPatch;

    /// How far results may be changed. Default `standard`.
    mode: Mode = Mode::Standard, project: Some(Project::Lowers),
        flag: Some("How far the text may be changed: disabled (or off), safe (or conservative), standard (or balanced), aggressive [default: standard]");
    /// Results of fewer bytes only pass through the safe stage. Default 1024.
    min_bytes: usize = 1024;
    /// Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure lines. Below 256 the marker may exceed
    /// it.
    #[taken_by(Policy::take_cap)]
    max_output_bytes: usize = 65_536, min: MIN_OUTPUT_BYTES, max: MAX_OUTPUT_BYTES, flag: Some("Byte cap of the result, 1 to 1048576");
    /// Bytes above which the middle of a text without a reducer is left out; 0 for never. Failure lines stay. Default 12288
    /// in `standard`, 6144 in `aggressive`, 32768 for a JSON document; less while the context of a session is small.
    head_tail_bytes: Option<usize> = None;
    /// Whether a result that repeats an earlier one of the session becomes a reference. Default true.
    dedup: bool = true;
    /// Whether the model sees the ids of calls. If not, a reference names a call by its file or command, and how many
    /// results ago it was. A request does not show this: some models see the ids, or their ends, and others do not.
    /// Default true; false in hosts that use `tersed hook`, `run`, `mcp`, `mcp-proxy` or `gateway`.
    ids_visible: bool = true;
    /// Whether the host gives every result of a conversation, so that a reference can say how many results ago something was
    /// shown; if not, it says "earlier". Default true; false in hosts that use `tersed hook`, `run`, `mcp`
    /// or `mcp-proxy`.
    sees_all_results: bool = true;
    /// Whether outcomes are remembered by call id. Default true.
    memo: bool = true;
    /// Whether secrets are removed. Default true.
    redact_secrets: bool = true;
    /// Values that are not secrets to this operator. Default nothing.
    secrets: Secrets = Secrets::default();
    /// Tools whose results are returned exactly, compared without case. Default none.
    #[taken_by(Policy::take_tools)]
    exclude_tools: Vec<String> = Vec::new(), project: Some(Project::Adds);
    /// Parts of names of tools whose results are returned exactly, compared without case. Default none.
    #[taken_by(Policy::take_tool_substrings)]
    exclude_tool_substrings: Vec<String> = Vec::new(), project: Some(Project::Adds);
    /// Kinds of output that are returned exactly, by the call or by the grammar of any part of the text. Default
    /// none.
    exclude_categories: Vec<Category> = Vec::new(), project: Some(Project::Adds);
    /// Steps that are not tried, by their names in the evidence; `terminal` stands for rendering escape sequences and
    /// overwritten text. Default none.
    exclude_methods: Vec<String> = Vec::new(), project: Some(Project::Adds), items: Some(exclusion::methods);
    /// First words of commands whose results are returned exactly, parsed as by a shell: `git diff --stat`. Default none.
    exclude_commands: Vec<String> = Vec::new(), project: Some(Project::Adds);
    /// Flags, such as `--json`; results of commands with one of them are returned exactly. Default none.
    #[taken_by(Policy::take_flags)]
    exclude_flags: Vec<String> = Vec::new(), project: Some(Project::Adds);
    /// First words of commands whose lines are shown as they are or left out: no step rewrites them. Default none.
    verbatim_commands: Vec<String> = Vec::new(), project: Some(Project::Adds);
    /// Whether nothing is left out: only lossless steps are used, and only a byte cap that was set cuts. Default false.
    never_omit: bool = false, project: Some(Project::TurnsOn);
    /// Whether the host offers the model a tool that reads artifacts. Default false.
    expand_tool: bool = false;
    /// Evidence in responses. Default `full`.
    evidence: EvidenceDetail = EvidenceDetail::Full;
    /// Token counter. Default `o200k`.
    tokenizer: Tokenizer = Tokenizer::O200k, flag: Some("Token counter: o200k, cl100k, heuristic [default: o200k]");
    /// Tokens above which the evidence suggests that the host summarizes. Default 4000.
    summarize_above: usize = 4000;
    /// After how many later results an output is no longer referred to, unless the host says that it is visible. Default
    /// 200.
    dedup_window_results: usize = 200;
    /// After how many tokens of later results an output is no longer referred to. Default 80000.
    dedup_window_tokens: usize = 80_000;
    /// What a repeated request gets after an answer that was a reference or had gaps. Default `full`.
    on_repeat: OnRepeat = OnRepeat::Full;
    /// How much of a file is shown. Default `auto`.
    file_detail: FileDetail = FileDetail::Auto;
    /// What `auto` does with a file without a known outline. Default `full`.
    file_detail_fallback: FileDetail = FileDetail::Full;
    /// Lines up to which `auto` shows a file whole. Default 120.
    file_full_max_lines: usize = 120;
    /// Lines up to which `auto` may show the structure; above, only signatures where the mode allows it.
    /// Default 280.
    file_structure_max_lines: usize = 280;
    /// Bytes of a view above which `auto` may leave out bodies; 0 for never. Default 12288 in `standard`,
    /// 4096 in `aggressive`.
    file_outline_bytes: Option<usize> = None;
    /// Whether lines of an outline carry the file's line numbers if the view has none. Default false.
    file_line_numbers: bool = false;
    /// Most lines shown of a file, from its start; 0 for no limit. Default 0.
    file_max_lines: Option<usize> = None;
    /// Most lines shown of a file, from its end; 0 for no limit. Default 0.
    file_last_lines: Option<usize> = None;
    /// Context lines shown around a match of a search; 0 and up. Default all in `standard`, 2 in
    /// `aggressive`.
    search_context_lines: Option<usize> = None;
    /// Matches shown of one file; 0 for all. Default all in `standard`, 8 in `aggressive`; fewer while the context of a session
    /// is small.
    search_max_matches_per_file: Option<usize> = None;
    /// Files of which matches are shown; 0 for all. Default all in `standard`, 100 in `aggressive`.
    search_max_files: Option<usize> = None;
    /// Characters above which a line of a search is cut around its match; 0 for never. Default 1000 in
    /// `standard`, 240 in `aggressive`.
    search_max_line_length: Option<usize> = None;
    /// Folders whose content is folded in listings, with counts. Default `node_modules`, `.git`, `target`, `__pycache__`,
    /// `.venv`, `vendor`.
    noise_directories: Vec<String> = NOISE_DIRECTORIES.iter().map(|d| (*d).to_owned()).collect();
    /// Changed lines shown of one hunk of a diff; 0 for all. Default all in `standard`, 100 in
    /// `aggressive`.
    diff_max_lines_per_hunk: Option<usize> = None;
    /// Changed lines shown of a whole diff; 0 for all. Default all in `standard`, 500 in `aggressive`.
    diff_max_lines: Option<usize> = None;
    /// The highest mode that a budget may use. Default `aggressive`.
    max_mode: Mode = Mode::Aggressive, project: Some(Project::Lowers);
    /// Token limits for results. Default any number.
    #[taken_by(Policy::take_budget)]
    budget: Budget = Budget::NONE, rank: Some(2);
    /// What may happen to structured data. Default `auto`.
    structured: Structured = Structured::Auto;
    /// Whether members of JSON and YAML that are null, `""`, `[]` or `{}` are left out, from `standard` on. Default false.
    drop_empty: bool = false;
    /// Items shown of an array; 0 for all. Default all in `standard`, 24 in `aggressive`.
    array_max_items: Option<usize> = None;
    /// Characters shown of a string in structured data; 0 for all. Default all in `standard`, 1000 in
    /// `aggressive`.
    string_max_length: Option<usize> = None;
    /// How repeated text is replaced by a dictionary in `aggressive`. Default `auto`.
    dictionary: DictionaryMethod = DictionaryMethod::Auto;
    /// Bytes above which a result of a session is replaced by a pointer and a preview; 0 for never.
    /// Default never.
    externalize_above: Option<usize> = None, zero_is_none: true;
    /// What is done to the schemas of tools in requests of the gateway, in lists of `mcp-proxy`, and in `messages/compress`.
    /// Default `disabled`.
    tool_schemas: ToolSchemas = ToolSchemas::Disabled, flag: Some("What is done to the schemas of tools: disabled, minify [default: disabled]");
    /// Rules of the operator. A rule replaces an earlier one of the same name; others are added. Default none.
    #[serde(serialize_with = "super::rules::as_digest")]
    rules: RuleSet = RuleSet::default(), is_collected: true;

    derived {
        /// Whether the cap was given: then it also limits failure lines.
        strict_cap: bool = false;
        /// Whether results that stay exact have look-alikes of markers escaped: a project's file that the user does not trust may
        /// say which results these are.
        #[serde(skip)]
        escapes_exact: bool = false;
        /// How often a budget halves the limits that depend on the mode.
        squeeze: u8 = 0;
        /// The factor of the default limits in bytes: less than 1 while the context is small.
        #[serde(skip)]
        scale: Scale = Scale::FULL;
        /// The hint in texts with gaps on how to read their original, if an operator turned it on.
        hint: Option<std::sync::Arc<super::Hint>> = None;
        /// The key that seals markers. It is never shown, written, or read from a file of settings.
        #[serde(skip)]
        seal_key: SealKey = SealKey::default();
    }
}

/// Smallest `maxOutputBytes` that a caller may set.
pub const MIN_OUTPUT_BYTES: u64 = 1;
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
        let meant = elsewhere::of_value(self.value.trim_matches('`')).unwrap_or_default();
        let comma = if meant.is_empty() { ", allowed" } else { " Allowed" };
        write!(
            f,
            "{}.{}: {} is out of range{meant}{comma} is {}",
            self.section, self.key, self.value, self.allowed
        )
    }
}

impl Policy {
    fn take_cap(&mut self, given: &u64, row: &Row) -> Result<(), BadValue> {
        self.strict_cap = true;
        self.max_output_bytes.overlay(given, row)
    }

    /// Absent members of a budget get their defaults, not the earlier values.
    fn take_budget(&mut self, given: &BudgetPatch, _: &Row) -> Result<(), BadValue> {
        let budget = Budget::default().with(given)?;
        self.summarize_above = budget.summarize_above;
        self.budget = Budget { summarize_above: 0, ..budget };
        Ok(())
    }

    /// A digest of everything that can change an output: two policies with the same fingerprint give the same bytes. The
    /// amount of evidence does not affect it.
    pub fn fingerprint(&self) -> u64 {
        // Most requests have the same policy as the one before.
        thread_local! {
            static LAST: RefCell<Option<(Policy, u64)>> = const { RefCell::new(None) };
        }
        let last = LAST.take();
        let known = last.as_ref().filter(|(policy, _)| policy == self).map(|(_, fingerprint)| *fingerprint);
        let fingerprint = known.unwrap_or_else(|| self.new_fingerprint());
        LAST.set(if known.is_some() { last } else { Some((self.clone(), fingerprint)) });
        fingerprint
    }

    fn new_fingerprint(&self) -> u64 {
        // The total of a batch does not affect a single result: an answer that was given once stays as it was.
        let budget = Budget { total: None, ..self.budget };
        let neutral = Self { evidence: EvidenceDetail::Full, memo: true, budget, ..self.clone() };
        let mut bytes = Bytes::default();
        neutral.hash(&mut bytes);
        let mut head = [0; 8];
        head.copy_from_slice(&blake3::hash(&bytes.0).as_bytes()[..8]);
        u64::from_le_bytes(head)
    }
}

/// Collects the hashed bytes.
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
            serde_json::from_str(r#"{"mode":"conservative","maxOutputBytes":300}"#).unwrap();
        let policy = base.with(&patch).unwrap();
        let expected = Policy { mode: Mode::Safe, max_output_bytes: 300, strict_cap: true, ..base.clone() };
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
