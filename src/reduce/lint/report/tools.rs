//! The places of findings in the JSON of each linter.
//!
//! A row describes where the findings are and the names of their members. No other code in this folder depends on the
//! tool.

/// Where one tool writes its findings. Members are dotted paths; a number selects an element of an array.
#[derive(Debug)]
pub struct Tool {
    /// The list that holds the findings, or their files; empty if the document is that list.
    pub list: &'static str,
    /// If findings are grouped by file: the member with the path, which may be empty, and the list.
    pub by_file: Option<(&'static str, &'static str)>,
    /// Members that every finding of the tool has, and findings of other tools do not.
    pub own: &'static [&'static str],
    /// The path, if each finding has its own.
    pub path: &'static str,
    /// Line and column.
    pub place: (&'static str, &'static str),
    /// The rule, or the member used instead; several members with blanks between.
    pub rule: &'static str,
    /// How severe it is.
    pub severity: &'static str,
    /// The message.
    pub message: &'static str,
    /// A note on the numbers of the place.
    pub note: &'static str,
    /// Whether all findings of the tool have the same severity, so that it carries no information.
    pub is_flat: bool,
}

const PLAIN: Tool = Tool {
    list: "",
    by_file: None,
    own: &[],
    path: "",
    place: ("line", "column"),
    rule: "rule",
    severity: "severity",
    message: "message",
    note: "",
    is_flat: false,
};

/// All formats that are read; the first that matches is used.
pub static TOOLS: &[Tool] = &[
    // eslint
    Tool {
        by_file: Some(("filePath", "messages")),
        own: &["ruleId", "severity", "message", "line"],
        rule: "ruleId",
        ..PLAIN
    },
    // eslint's json-with-metadata
    Tool {
        list: "results",
        by_file: Some(("filePath", "messages")),
        own: &["ruleId", "severity", "message", "line"],
        rule: "ruleId",
        ..PLAIN
    },
    // stylelint
    Tool {
        by_file: Some(("source", "warnings")),
        own: &["rule", "severity", "text", "line"],
        message: "text",
        ..PLAIN
    },
    // rubocop
    Tool {
        list: "files",
        by_file: Some(("path", "offenses")),
        own: &["cop_name", "severity", "message", "location"],
        place: ("location.start_line", "location.start_column"),
        rule: "cop_name",
        ..PLAIN
    },
    // ruff: all its findings are errors
    Tool {
        own: &["code", "filename", "noqa_row", "location", "message"],
        path: "filename",
        place: ("location.row", "location.column"),
        rule: "code",
        is_flat: true,
        ..PLAIN
    },
    // pylint
    Tool {
        own: &["message-id", "symbol", "type", "message", "path"],
        path: "path",
        rule: "message-id symbol",
        severity: "type",
        ..PLAIN
    },
    Tool {
        list: "messages",
        own: &["messageId", "symbol", "type", "message", "path"],
        path: "path",
        rule: "messageId symbol",
        severity: "type",
        ..PLAIN
    },
    // pyright
    Tool {
        list: "generalDiagnostics",
        own: &["file", "severity", "message", "range"],
        path: "file",
        place: ("range.start.line", "range.start.character"),
        note: "lines and columns from 0",
        ..PLAIN
    },
    // golangci-lint
    Tool {
        list: "Issues",
        own: &["FromLinter", "Text", "Pos"],
        path: "Pos.Filename",
        place: ("Pos.Line", "Pos.Column"),
        rule: "FromLinter",
        severity: "Severity",
        message: "Text",
        ..PLAIN
    },
    // biome
    Tool {
        list: "diagnostics",
        own: &["category", "severity", "message", "location"],
        path: "location.path",
        place: ("location.start.line", "location.start.column"),
        rule: "category",
        ..PLAIN
    },
    // bandit
    Tool {
        list: "results",
        own: &["test_id", "issue_severity", "issue_text", "filename"],
        path: "filename",
        place: ("line_number", "col_offset"),
        rule: "test_id",
        severity: "issue_severity",
        message: "issue_text",
        ..PLAIN
    },
    // semgrep
    Tool {
        list: "results",
        own: &["check_id", "path", "start", "extra"],
        path: "path",
        place: ("start.line", "start.col"),
        rule: "check_id",
        severity: "extra.severity",
        message: "extra.message",
        ..PLAIN
    },
    // shellcheck and hadolint
    Tool {
        own: &["file", "level", "code", "message", "line", "column"],
        path: "file",
        rule: "code",
        severity: "level",
        ..PLAIN
    },
    Tool {
        list: "comments",
        own: &["file", "level", "code", "message", "line", "column"],
        path: "file",
        rule: "code",
        severity: "level",
        ..PLAIN
    },
    // mypy, an object a line
    Tool {
        own: &["file", "line", "column", "hint", "code", "severity", "message"],
        path: "file",
        rule: "code",
        note: "columns from 0",
        ..PLAIN
    },
    // SARIF
    Tool {
        list: "runs",
        by_file: Some(("", "results")),
        own: &["ruleId", "message", "locations"],
        path: "locations.0.physicalLocation.artifactLocation.uri",
        place: (
            "locations.0.physicalLocation.region.startLine",
            "locations.0.physicalLocation.region.startColumn",
        ),
        rule: "ruleId",
        severity: "level",
        message: "message.text",
        ..PLAIN
    },
];
