//! Names of settings in other programs, and their names here.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::schema::{setting, settings};
use super::table;
use crate::text::nearest::{nearest, plain_form};

/// A longer name is not looked up, in bytes: no known one is.
const MAX_GIVEN_BYTES: usize = 96;

/// Their name, our name if there is one, the unit, and a note on differences.
type Row = (&'static str, Option<&'static str>, &'static str, &'static str);

/// The known names.
pub const NAMES: &[Row] = &[
    ("enabled", Some("policy.mode"), "", "`false` is the mode `disabled`; it is on by default"),
    ("level", Some("policy.mode"), "", "`conservative` is `safe`, `balanced` is `standard`"),
    ("max_level", Some("policy.maxMode"), "", ""),
    ("min_bytes", Some("policy.minBytes"), "bytes", ""),
    ("telemetry_include_content_hashes", Some("telemetry.fingerprints"), "", ""),
    ("alerts.enabled", Some("alerts.enabled"), "", ""),
    ("alerts.failure_threshold", Some("alerts.failureThreshold"), "failures", ""),
    ("alerts.fallback_threshold", Some("alerts.fallbackThreshold"), "results", ""),
    ("alerts.window_seconds", Some("alerts.windowSeconds"), "seconds", ""),
    ("alerts.cooldown_seconds", Some("alerts.cooldownSeconds"), "seconds", ""),
    ("recovery.mode", Some("recovery.mode"), "", ""),
    ("recovery.min_original_bytes", Some("recovery.minOriginalBytes"), "bytes", ""),
    ("recovery.min_saved_bytes", Some("recovery.minSavedBytes"), "bytes", ""),
    ("recovery.max_artifact_bytes", Some("recovery.maxArtifactBytes"), "bytes", ""),
    ("recovery.max_artifacts", Some("recovery.maxArtifacts"), "originals", ""),
    ("recovery.retention_seconds", Some("recovery.retentionSeconds"), "seconds", ""),
    ("recovery.storage_dir", Some("recovery.directory"), "", ""),
    ("recovery.hint_in_text", Some("recovery.hintInText"), "", ""),
    ("disable_categories", Some("policy.excludeCategories"), "", "`command_execution` is `command`"),
    (
        "disable_methods",
        Some("policy.excludeMethods"),
        "",
        "`line_dedupe` is `repeated_lines`, `ansi_normalization` is `terminal`",
    ),
    ("disable_tools", Some("policy.excludeTools"), "", ""),
    ("disable_tool_name_substrings", Some("policy.excludeToolSubstrings"), "", ""),
    (
        "disable_command_prefixes",
        Some("policy.excludeCommands"),
        "",
        "read as a shell reads them, word by word",
    ),
    ("noise_directories", Some("policy.noiseDirectories"), "", ""),
    ("search_context_lines", Some("policy.searchContextLines"), "lines", "`standard` shows all"),
    (
        "search_max_matches_per_file",
        Some("policy.searchMaxMatchesPerFile"),
        "matches",
        "`standard` shows all",
    ),
    ("search_max_total_groups", Some("policy.searchMaxFiles"), "files", "`standard` shows all"),
    ("search_max_line_length", Some("policy.searchMaxLineLength"), "characters", ""),
    ("file_detail_mode", Some("policy.fileDetail"), "", ""),
    ("file_detail_fallback_mode", Some("policy.fileDetailFallback"), "", ""),
    ("file_detail_auto_full_max_lines", Some("policy.fileFullMaxLines"), "lines", ""),
    ("file_detail_auto_structure_max_lines", Some("policy.fileStructureMaxLines"), "lines", ""),
    ("file_detail_include_line_numbers", Some("policy.fileLineNumbers"), "", ""),
    ("file_detail_max_lines", Some("policy.fileMaxLines"), "lines", "0 stands for none"),
    ("file_detail_last_n_lines", Some("policy.fileLastLines"), "lines", "0 stands for none"),
    ("output_pattern_rules", Some("policy.rules"), "", ""),
    (
        "output_pattern_regex_timeout_ms",
        None,
        "milliseconds",
        "none is needed: an expression takes time in proportion to the text, and its size is bounded when it is read; a clock would make outputs differ",
    ),
    ("declarative_rules", Some("policy.rules"), "", ""),
    ("declarative_rule_files", Some("ruleFiles"), "", ""),
    ("declarative_regex_timeout_ms", None, "milliseconds", "as for `output_pattern_regex_timeout_ms`"),
    ("diff_max_lines_per_hunk", Some("policy.diffMaxLinesPerHunk"), "lines", "`standard` shows all"),
    ("diff_max_total_lines", Some("policy.diffMaxLines"), "lines", "`standard` shows all"),
    (
        "dynamic_compression",
        None,
        "",
        "its members are settings of `policy`, `alerts`, `recovery` and `telemetry`",
    ),
    ("enable_dynamic_compression", Some("policy.mode"), "", "it is on by default"),
    (
        "file_detail_exclude_line_numbers",
        Some("policy.fileLineNumbers"),
        "",
        "`false`, the default, has this effect",
    ),
    ("tool_output_compression", Some("policy.mode"), "", ""),
    ("method", Some("policy.dictionary"), "", "it counts in `aggressive`"),
    ("dictionary_method", Some("policy.dictionary"), "", "it counts in `aggressive`"),
    ("tool_output_compression_method", Some("policy.dictionary"), "", "it counts in `aggressive`"),
    ("session_id", None, "", "set the member `sessionId` of a request, beside `policy`"),
    ("redact_secrets", Some("policy.redactSecrets"), "", "true by default, in every mode"),
    ("max_output_bytes", Some("policy.maxOutputBytes"), "bytes", ""),
    ("tool_output_compression_log", Some("telemetry.path"), "", "`telemetry.enabled` turns it on"),
    ("tool_output_compression_log_queue_capacity", Some("telemetry.queueEvents"), "events", ""),
    ("tool_output_compression_log_max_event_bytes", Some("telemetry.maxEventBytes"), "bytes", ""),
    ("schema_compression", Some("policy.toolSchemas"), "", ""),
    ("backend_url", None, "", "set the flag `--upstream` of `tersed gateway`"),
    (
        "full_output",
        None,
        "",
        "the member `fullOutput` of a request says it, or `full_output` among the arguments of a call",
    ),
    ("externalization_threshold", Some("policy.externalizeAbove"), "bytes", "never by default"),
    ("threshold", Some("policy.externalizeAbove"), "bytes", "never by default"),
    ("passthrough_threshold", Some("policy.budget.perResult"), "tokens", "no limit by default"),
    ("summarize_threshold", Some("policy.summarizeAbove"), "tokens", ""),
    ("total_budget", Some("policy.budget.total"), "tokens", "no limit by default"),
    ("tool_output_truncate_threshold", Some("policy.maxOutputBytes"), "bytes", "characters there"),
    (
        "tool_output_truncate_lines",
        None,
        "lines",
        "a limit counts bytes or tokens: `policy.maxOutputBytes`, `policy.budget.perResult`",
    ),
];

/// Names of values and of members of rules in other programs, and their names here.
const VALUES: &[(&str, &str)] = &[
    ("line_dedupe", "`repeated_lines`"),
    ("line_deduplication", "`repeated_lines`"),
    ("ansi_normalization", "`terminal`"),
    ("ansi_normalize", "`terminal`, which a rule need not name: it is done before"),
    ("volatile_field_normalize", "`log`"),
    ("noisy_log_dedupe", "`log`"),
    ("diff_compaction", "`git_diff`"),
    ("unified_diff_compaction", "`git_diff`"),
    ("listing_summary", "`listing`"),
    ("search_grouping", "`search`"),
    ("file_detail_reduction", "`file_detail`"),
    ("json_summary", "`structured_data`"),
    ("json_structural_summarization", "`structured_data`"),
    ("build_diagnostics", "`rustc`, `gcc`, `go_build` or another reducer of builds"),
    ("command_execution", "`command`"),
    ("file_read", "`file`"),
    ("directory_listing", "`listing`"),
    ("tool_name", "`tool`"),
    ("command_prefix", "`command`"),
    ("content_types", "`contentType`"),
];

/// Differences to the programs that use these names, and the reasons.
pub const DIFFERENCES: &str = "
## Differences to these programs, and the reasons

- **On by default**, in `standard`. A user who starts such a process wants compression. `--mode disabled` turns it off.
- **`disabled` still removes secrets.** A mode sets only how much a text is shortened. `redactSecrets: false` turns redaction off.
- **References are made in `safe` too.** A reference names text that the model still sees, so nothing is lost. This is certain if
  the host reports which results are visible (`session/evicted`, `messages/compress`); otherwise only the last results are used
  (`dedupWindowResults`). `dedup: false` turns references off. tersed invents neither a session nor a call id; without them
  there are no references.
- **The cap is applied last**, after reducers and encoders, so that the totals at the end of a report are parsed before anything is
  cut.
- **Default limits may be exceeded.** Lines that report a failure may exceed the default cap, and markers may exceed it by their own
  length, because a cut that hides the cause of a failure costs another run. A cap, a budget or a limit of lines that was set is
  strict.
- **Searches, diffs and arrays are shown whole in `standard`**, as long as they are under the cap; the limits of matches, of lines of a diff and of items
  (24: the first, the last and outliers) apply in `aggressive`. An agent would ask again for a missing match, changed line or
  item.
- **Nothing is externalized** unless `externalizeAbove` sets a size (8 KB in these programs). Reading a pointer costs a further
  call, and a model without a tool for it has lost the text. Instead, the important lines of a long text are shown in place.
- **Members that are null or empty are kept** unless `dropEmpty` is set, because a missing value is information.
- **Originals of `tersed serve` end with the process.** They are in memory or in private temporary files, and on disk only with
  `recovery.mode` (`never` by default). Copies are deleted when the process ends unless `recovery.survivesRestart` is set, because
  outputs should not outlive the work on them.
- **Originals of hooks, `tersed run` and `tersed gateway` stay for a week**, at most 512 of at most 1 MiB, without secrets, in
  `tersed/conversations` in the user's state folder, because a conversation may be resumed. `recovery.mode: never` turns this off,
  and any other setting of `recovery` replaces it.
- **`recovery.hintInText` is off**, as in these programs. For a host with `tersed_expand` or `artifact/read`, the ids in markers are
  the hint.
- **Dictionaries** are `auto` by default, and are used only if they save enough and the text can still be read line by line. They are never
  used for records that a reader compares.
- **Colours are not normalized but removed**, also in `safe`: the words contain the same information.
- **The same answer for a repeated call id** has no limit of 16 KB, because a changed answer of any size invalidates the prompt
  cache.
- **No time limit for rules.** Expressions take time in proportion to the text; a limit in milliseconds would make outputs differ
  between runs.
- **A budget does not cut at a number of characters**, but goes through steps: a higher mode, smaller limits, then a cut that keeps
  failures and marks the gaps. `summarizeSuggested` marks results for which a summary by a model would be better than a cut; tersed
  makes no summaries.
- **Conflicts, failures, warnings of each form and totals are kept in every mode**, under every limit.
";

/// Groups around settings in other programs. The meaning of a name does not depend on them.
const GROUPS: &[&str] =
    &["policy", "_forge", "forge", "gemini", "dynamic_compression", "tool_output_compression"];

/// The first row of each plain form: a request looks up each of its members.
fn by_form() -> &'static HashMap<String, &'static Row> {
    static ROWS: LazyLock<HashMap<String, &'static Row>> =
        LazyLock::new(|| NAMES.iter().rev().map(|row| (plain_form(row.0), row)).collect());
    &ROWS
}

/// The row of a name as it is written in a file, a request, a flag or a variable.
fn row(name: &str) -> Option<&'static Row> {
    if name.len() > MAX_GIVEN_BYTES {
        return None;
    }
    let mut rest = name.trim_start_matches('-').to_ascii_lowercase().replace('-', "_");
    loop {
        let found = by_form().get(&plain_form(&rest)).copied();
        let inner =
            |group: &&'static str| rest.strip_prefix(*group)?.strip_prefix(['.', '_']).map(str::to_owned);
        match (found, GROUPS.iter().find_map(inner)) {
            (Some(row), _) => return Some(row),
            (None, Some(inner)) => rest = inner,
            (None, None) => return None,
        }
    }
}

/// The end of the error for a name of another program: how tersed calls the setting; `called` writes the key of a
/// setting.
fn answer((_, ours, _, note): &Row, called: impl Fn(&str) -> String) -> String {
    match (ours, note.is_empty()) {
        (Some(key), true) => format!("; did you mean {}?", called(key)),
        (Some(key), false) => format!("; did you mean {}? ({note})", called(key)),
        (None, _) => format!("; {note}"),
    }
}

/// The end of an error about an unknown key, if another program has it.
pub fn of_key(key: &str) -> Option<String> {
    let is_section = |name: &str| settings().iter().any(|known| known.key.split('.').next() == Some(name));
    match key.strip_prefix("policy.") {
        Some(name) if is_section(name) => {
            Some(format!("; did you mean `{name}`? (it stands beside `policy`)"))
        }
        _ => match row(key) {
            Some(row) => Some(answer(row, |key| format!("`{key}`"))),
            None => {
                let ours = format!("policy.{key}");
                table::row(&ours).map(|_| format!("; did you mean `{ours}`?"))
            }
        },
    }
}

/// The end of an error about an unknown flag, if another program has it.
pub fn of_flag(flag: &str) -> Option<String> {
    let called = |key: &str| match table::row(key).filter(|row| row.flag.is_some()) {
        Some(row) => format!("`--{}`", row.field.replace('_', "-")),
        None => format!("`--set {key}=…`"),
    };
    row(flag).map(|row| answer(row, called))
}

/// The message about a variable of another program that has the meaning of a setting.
pub fn of_variable(name: &str) -> Option<String> {
    const PREFIXES: [&str; 3] = ["FORGE_", "DYNAMIC_COMPRESSION_", "GEMINI_TOOL_OUTPUT_"];
    if !PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    let called = |key: &str| setting(key).map(|known| format!("`{}`", known.variable())).unwrap_or_default();
    row(name).map(|row| answer(row, called))
}

/// The end of an error about a value, if another program has it.
pub fn of_value(given: &str) -> Option<String> {
    let (_, ours) = VALUES.iter().find(|(theirs, _)| plain_form(theirs) == plain_form(given))?;
    Some(format!("; did you mean {ours}?"))
}

/// The end of an error about a member or a value of a request; `known` are those that are allowed there.
pub fn of_request<'a>(place: &str, given: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if given.len() > MAX_GIVEN_BYTES {
        return String::new();
    }
    let same = || known.clone().find(|known| plain_form(known) == plain_form(given));
    let near = || same().or_else(|| nearest(given, known.clone()));
    let is_rule = place.contains("rules[");
    let key = if place.contains("policy.") { format!("policy.{given}") } else { given.to_owned() };
    let of_key = || of_key(&key).filter(|_| !is_rule);
    let exact = same().map(|name| format!("; did you mean `{name}`?"));
    exact
        .or_else(|| of_value(given))
        .or_else(of_key)
        .or_else(|| near().map(|name| format!("; did you mean `{name}`?")))
        .unwrap_or_default()
}

/// The right place for a member of a request that is a setting of tersed or of another program.
pub fn misplaced(name: &str) -> Option<String> {
    // Hosts may send members of these names with another meaning.
    const COMMON: &[&str] = &["enabled", "level", "method", "threshold", "memo", "rules", "evidence"];
    // Parameters that have the name of a setting.
    const MEMBERS: &[&str] = &["budget", "toolSchemas", "full_output", "fullOutput", "sessionId"];
    if COMMON.contains(&name) || MEMBERS.contains(&name) || name.len() > MAX_GIVEN_BYTES {
        return None;
    }
    if name == "_forge" {
        return Some("; it stands in a body, and `policy` here".to_owned());
    }
    let key = format!("policy.{name}");
    match table::row(&key) {
        Some(_) => Some(format!("; did you mean `{key}`?")),
        None => row(name).map(|row| answer(row, |key| format!("`{key}`"))),
    }
}

/// The names as a Markdown table.
pub fn table() -> String {
    let mut out = String::from(
        "| there | here | default | unit | allowed | |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for (theirs, ours, unit, note) in NAMES {
        let known = ours.and_then(setting);
        let default = known.map_or("", |setting| setting.default.as_str());
        let allowed = known.map(|setting| setting.kind.allowed()).unwrap_or_default();
        let ours = ours.map_or_else(|| "none".to_owned(), |key| format!("`{key}`"));
        // Writing into a String cannot fail.
        let _ = writeln!(out, "| `{theirs}` | {ours} | {default} | {unit} | {allowed} | {note} |");
    }
    out
}

/// The values as rows of a Markdown table.
pub fn table_of_values() -> String {
    VALUES.iter().map(|(theirs, ours)| format!("| `{theirs}` | {ours} |\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_exists() {
        for (theirs, ours, ..) in NAMES {
            // Rules are read by their own reader.
            assert!(ours.is_none_or(|key| setting(key).is_some() || key == "policy.rules"), "{theirs}");
        }
        for (theirs, ours) in VALUES {
            let name = ours.split('`').nth(1).unwrap();
            let rule = ["tool", "command", "contentType"];
            let categories = ["command", "file", "listing"];
            let is_known = super::super::exclusion::methods().contains(&name) || name == "terminal";
            assert!(is_known || rule.contains(&name) || categories.contains(&name), "{theirs}");
        }
    }

    #[test]
    fn names_are_answered_in_every_form() {
        let of = |answer: Option<String>| answer.unwrap_or_default();
        for (key, ours) in [
            ("enabled", "`policy.mode`"),
            ("policy.enabled", "`policy.mode`"),
            ("dynamic_compression.level", "`policy.mode`"),
            ("policy.method", "`policy.dictionary`"),
            ("policy.disable_tools", "`policy.excludeTools`"),
            ("policy.alerts", "`alerts`"),
            ("tool_output_compression.session_id", "`sessionId`"),
            ("toolOutputCompression", "`policy.mode`"),
            ("dynamic_compression.alerts.window_seconds", "`alerts.windowSeconds`"),
            ("schema_compression", "`policy.toolSchemas`"),
            ("passthrough_threshold", "`policy.budget.perResult`"),
            ("declarative_regex_timeout_ms", "`output_pattern_regex_timeout_ms`"),
            ("mode", "`policy.mode`"),
        ] {
            assert!(of(of_key(key)).contains(ours), "{key}: {}", of(of_key(key)));
        }
        for (flag, ours) in [
            ("--tool-output-compression", "`--mode`"),
            ("--enable-dynamic-compression", "`--mode`"),
            ("--dynamic-compression-min-bytes", "`--set policy.minBytes=…`"),
            ("--dynamic-compression-file-detail-exclude-line-numbers", "policy.fileLineNumbers"),
            ("--tool-output-compression-method", "policy.dictionary"),
            ("--redact-secrets", "policy.redactSecrets"),
            ("--backend-url", "`--upstream`"),
        ] {
            assert!(of(of_flag(flag)).contains(ours), "{flag}: {}", of(of_flag(flag)));
        }
        for (variable, ours) in [
            ("FORGE_TOOL_OUTPUT_COMPRESSION", "`TERSED_POLICY_MODE`"),
            ("FORGE_TOOL_OUTPUT_COMPRESSION_LOG_QUEUE_CAPACITY", "`TERSED_TELEMETRY_QUEUE_EVENTS`"),
            ("FORGE_REDACT_SECRETS", "`TERSED_POLICY_REDACT_SECRETS`"),
            ("DYNAMIC_COMPRESSION_ENABLED", "`TERSED_POLICY_MODE`"),
            ("GEMINI_TOOL_OUTPUT_TRUNCATE_THRESHOLD", "`TERSED_POLICY_MAX_OUTPUT_BYTES`"),
        ] {
            assert!(of(of_variable(variable)).contains(ours), "{variable}");
        }
        for none in ["FORGE_HOME", "GEMINI_API_KEY", "LEVEL", "ENABLED"] {
            assert_eq!(of_variable(none), None, "{none}");
        }
        let known = ["mode", "minBytes", "memo"];
        let said = |given: &str| of_request("policy", given, known.into_iter());
        assert_eq!(said("min_bytes"), "; did you mean `minBytes`?");
        assert!(said("method").contains("`policy.dictionary`"));
        assert_eq!(said("mod"), "; did you mean `mode`?");
        assert_eq!(said("zzzzz"), "");
        assert_eq!(of_value("line_dedupe").unwrap(), "; did you mean `repeated_lines`?");
        assert!(misplaced("mode").unwrap().contains("`policy.mode`"));
        let members = "sessionId result results body policy query fullOutput full_output budget contextPressure hostCut \
                       correlationId format keepNewest toolSchemas structuredContent stripOverrides reclaim reclaimTerms";
        for member in members.split_whitespace().chain(["level", "trace", "id", "_meta"]) {
            assert_eq!(misplaced(member), None, "{member}");
        }
    }
}
