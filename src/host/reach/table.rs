//! The rows of the table: which results each host allows tersed to replace, as its adapter does it.

use super::{HostSupport, Place, ResultHandling, Text, Tools, UnchangedReason};

/// All hosts, sorted by name.
pub static HOSTS: &[&HostSupport] = &[
    &CLAUDE_CODE,
    &CLINE,
    &CODEX,
    &COPILOT,
    &CURSOR,
    &EMACS,
    &GEMINI,
    &KILO,
    &NEOVIM,
    &OPENCODE,
    &PI,
    &VSCODE,
];

const WHOLE: ResultHandling = ResultHandling::Replaced(Text::Whole);
const FAILED: ResultHandling = ResultHandling::Unchanged(UnchangedReason::Failed);
/// All tools that no row before names.
const ANY: &[&str] = &["*"];

const fn row(names: &'static [&'static str], result: ResultHandling, failed: ResultHandling) -> Tools {
    Tools { names, result, failed }
}

const fn at(places: &'static [Place]) -> ResultHandling {
    ResultHandling::Replaced(Text::At(places))
}

const fn rest(result: ResultHandling, failed: ResultHandling) -> Tools {
    row(ANY, result, failed)
}

/// Claude Code. A call that failed causes another event, which ignores replacements.
pub(in crate::host) static CLAUDE_CODE: HostSupport = HostSupport {
    host: "claude-code",
    tools: &[
        row(&["Bash"], ResultHandling::Replaced(Text::Streams), ResultHandling::WrappedIfAsked),
        row(&["PowerShell"], ResultHandling::Replaced(Text::Streams), FAILED),
        row(&["Read"], ResultHandling::Seen, FAILED),
        row(&["Edit", "MultiEdit", "Write", "NotebookEdit"], ResultHandling::Noted, FAILED),
        // Lines that a search found, or only the names of their files.
        row(&["Grep"], at(&[Place::Member(&["content"]), Place::Lines("filenames")]), FAILED),
        row(&["Glob"], at(&[Place::Lines("filenames")]), FAILED),
        row(&["WebFetch"], at(&[Place::Member(&["result"])]), FAILED),
        row(&["WebSearch"], at(&[Place::Items("results", "text")]), FAILED),
        // The report of a sub-agent; `Task` is the older name. A sub-agent in the background has no report here.
        row(&["Agent", "Task"], at(&[Place::Member(&["content"])]), FAILED),
        row(&["TaskOutput"], at(&[Place::Member(&["task", "output"])]), FAILED),
        // The output so far of a command in the background, in older versions.
        row(&["BashOutput"], at(&[Place::Member(&["stdout"])]), FAILED),
        row(&["LSP"], at(&[Place::Member(&["result"])]), FAILED),
        row(&["ReadMcpResourceTool"], at(&[Place::Items("contents", "text")]), FAILED),
        row(
            &[
                "ListMcpResourcesTool",
                "ReadMcpResourceDirTool",
                "Skill",
                // Only older versions have this tool.
                "NotebookRead",
                "KillShell",
                "AgentOutputTool",
            ],
            ResultHandling::Unchanged(UnchangedReason::Data),
            FAILED,
        ),
        row(&["mcp__*"], WHOLE, FAILED),
        rest(ResultHandling::Unchanged(UnchangedReason::Tool), FAILED),
    ],
    names_calls: true,
    gateway: Some("claude"),
};

static CLINE: HostSupport =
    HostSupport { host: "cline", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: None };

/// Codex CLI. Hooks see a command under the first of these names; histories hold the others.
pub(in crate::host) static CODEX: HostSupport = HostSupport {
    host: "codex",
    tools: &[
        row(
            &[
                "Bash",
                "shell",
                "local_shell",
                "shell_command",
                "exec_command",
                "container.exec",
                "unified_exec",
            ],
            ResultHandling::Wrapped,
            ResultHandling::Wrapped,
        ),
        // The tool of models that run the others inside a program.
        row(
            &["exec"],
            ResultHandling::Unchanged(UnchangedReason::Program),
            ResultHandling::Unchanged(UnchangedReason::Program),
        ),
        rest(
            ResultHandling::Unchanged(UnchangedReason::Tool),
            ResultHandling::Unchanged(UnchangedReason::Tool),
        ),
    ],
    names_calls: true,
    gateway: Some("codex"),
};

/// GitHub Copilot CLI. A command with an exit code other than 0 does not count as a failed call.
pub(in crate::host) static COPILOT: HostSupport =
    HostSupport { host: "copilot", tools: &[rest(WHOLE, FAILED)], names_calls: true, gateway: None };

pub(in crate::host) static CURSOR: HostSupport = HostSupport {
    host: "cursor",
    tools: &[row(&["MCP:*"], WHOLE, FAILED), rest(ResultHandling::Unchanged(UnchangedReason::Tool), FAILED)],
    names_calls: true,
    gateway: None,
};

static EMACS: HostSupport =
    HostSupport { host: "emacs", tools: &[rest(WHOLE, WHOLE)], names_calls: false, gateway: None };

/// Gemini CLI. A result is replaced by a call of another tool, so a replaced failure would look like a success.
pub(in crate::host) static GEMINI: HostSupport = HostSupport {
    host: "gemini",
    tools: &[
        row(
            &[
                "run_shell_command",
                "read_file",
                "read_many_files",
                "grep_search",
                "glob",
                "list_directory",
                "web_fetch",
                "mcp_*",
            ],
            WHOLE,
            FAILED,
        ),
        rest(ResultHandling::Unchanged(UnchangedReason::Tool), FAILED),
    ],
    names_calls: false,
    gateway: Some("gemini"),
};

/// Kilo, like OpenCode, passes whole conversations, including errors of tools, to the plugin before the model sees
/// them.
static KILO: HostSupport =
    HostSupport { host: "kilo", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: Some("kilo") };

static NEOVIM: HostSupport =
    HostSupport { host: "neovim", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: None };

static OPENCODE: HostSupport = HostSupport {
    host: "opencode",
    tools: &[rest(WHOLE, WHOLE)],
    names_calls: true,
    gateway: Some("opencode"),
};

static PI: HostSupport =
    HostSupport { host: "pi", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: Some("pi") };

static VSCODE: HostSupport = HostSupport {
    host: "vscode",
    tools: &[rest(
        ResultHandling::Unchanged(UnchangedReason::Asked),
        ResultHandling::Unchanged(UnchangedReason::Asked),
    )],
    names_calls: true,
    gateway: None,
};
