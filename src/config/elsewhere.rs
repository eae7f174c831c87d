//! Names of settings in other programs, and their names here.

use std::fmt::Write as _;

use super::schema::setting;

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
        "an expression takes time in proportion to the text, and its size is bounded when it is read; a clock would make outputs differ",
    ),
    ("declarative_rules", Some("policy.rules"), "", ""),
    ("declarative_rule_files", Some("ruleFiles"), "", ""),
    ("declarative_regex_timeout_ms", None, "milliseconds", "as above"),
    ("diff_max_lines_per_hunk", Some("policy.diffMaxLinesPerHunk"), "lines", "`standard` shows all"),
    ("diff_max_total_lines", Some("policy.diffMaxLines"), "lines", "`standard` shows all"),
];

/// Our name for a setting whose last name part is known from another program.
pub fn ours(name: &str) -> Option<&'static str> {
    let last = |theirs: &str| theirs.rsplit('.').next() == Some(name);
    NAMES.iter().find(|(theirs, ..)| last(theirs)).and_then(|(_, ours, ..)| *ours)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_exists() {
        for (theirs, ours, ..) in NAMES {
            // Rules are read by their own reader.
            assert!(ours.is_none_or(|key| setting(key).is_some() || key == "policy.rules"), "{theirs}");
        }
    }
}
