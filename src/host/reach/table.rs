//! The rows of the table: what each host lets be replaced, as its adapter does it.

use super::{Reach, Text, Tools, Way, Why};

/// All hosts, sorted by name.
pub static HOSTS: &[&Reach] = &[
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

const WHOLE: Way = Way::Replaced(Text::Whole);
const FAILED: Way = Way::Stays(Why::Failed);
/// All tools that no row before names.
const ANY: &[&str] = &["*"];

const fn row(names: &'static [&'static str], result: Way, failed: Way) -> Tools {
    Tools { names, result, failed }
}

const fn rest(result: Way, failed: Way) -> Tools {
    row(ANY, result, failed)
}

/// Claude Code. A call that failed causes another event, which ignores replacements.
pub(in crate::host) static CLAUDE_CODE: Reach = Reach {
    host: "claude-code",
    tools: &[
        row(&["Bash"], Way::Replaced(Text::Streams), Way::WrappedIfAsked),
        row(&["Read"], Way::Seen, FAILED),
        row(&["Edit", "MultiEdit", "Write", "NotebookEdit"], Way::Noted, FAILED),
        row(&["Grep"], Way::Replaced(Text::Member("content")), FAILED),
        row(&["WebFetch"], Way::Replaced(Text::Member("result")), FAILED),
        // What a sub-agent reports; `Task` is the older name. One that runs in the background has no report here.
        row(&["Agent", "Task"], Way::Replaced(Text::Member("content")), FAILED),
        row(&["mcp__*"], WHOLE, FAILED),
        rest(Way::Stays(Why::Tool), FAILED),
    ],
    names_calls: true,
    gateway: Some("claude"),
};

static CLINE: Reach = Reach { host: "cline", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: None };

/// Codex CLI. Hooks see a command under the first of these names; histories hold the others.
pub(in crate::host) static CODEX: Reach = Reach {
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
            Way::Wrapped,
            Way::Wrapped,
        ),
        // The tool of models that run the others inside a program.
        row(&["exec"], Way::Stays(Why::Program), Way::Stays(Why::Program)),
        rest(Way::Stays(Why::Tool), Way::Stays(Why::Tool)),
    ],
    names_calls: true,
    gateway: Some("codex"),
};

/// GitHub Copilot CLI. A command that ends with another exit code than 0 is no failed call.
pub(in crate::host) static COPILOT: Reach =
    Reach { host: "copilot", tools: &[rest(WHOLE, FAILED)], names_calls: true, gateway: None };

pub(in crate::host) static CURSOR: Reach = Reach {
    host: "cursor",
    tools: &[row(&["MCP:*"], WHOLE, FAILED), rest(Way::Stays(Why::Tool), FAILED)],
    names_calls: true,
    gateway: None,
};

static EMACS: Reach =
    Reach { host: "emacs", tools: &[rest(WHOLE, WHOLE)], names_calls: false, gateway: None };

/// Gemini CLI. Through a call of another tool a failure would look like a success.
pub(in crate::host) static GEMINI: Reach = Reach {
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
        rest(Way::Stays(Why::Tool), FAILED),
    ],
    names_calls: false,
    gateway: Some("gemini"),
};

/// Kilo, like OpenCode, asks what the model is to see of whole conversations, errors of tools among them.
static KILO: Reach =
    Reach { host: "kilo", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: Some("kilo") };

static NEOVIM: Reach =
    Reach { host: "neovim", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: None };

static OPENCODE: Reach =
    Reach { host: "opencode", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: Some("opencode") };

static PI: Reach = Reach { host: "pi", tools: &[rest(WHOLE, WHOLE)], names_calls: true, gateway: Some("pi") };

static VSCODE: Reach = Reach {
    host: "vscode",
    tools: &[rest(Way::Stays(Why::Asked), Way::Stays(Why::Asked))],
    names_calls: true,
    gateway: None,
};
