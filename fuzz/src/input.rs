//! Reads choices and a text out of bytes: the first bytes choose, the rest is the text.

use tersed::config::{Mode, Policy};
use tersed::text::call::ToolCall;

/// Commands whose outputs are read by a grammar of their own, with the tools that run them.
pub const CALLS: &[(&str, &str)] = &[
    ("bash", ""),
    ("bash", "cargo test"),
    ("bash", "pytest -q"),
    ("bash", "go test -json ./..."),
    ("bash", "git diff"),
    ("bash", "git status"),
    ("bash", "git log --stat"),
    ("bash", "grep -rn word src"),
    ("bash", "ls -lR"),
    ("bash", "kubectl get pods -o json"),
    ("bash", "kubectl get secret -o yaml"),
    ("bash", "terraform show"),
    ("bash", "cat config.toml"),
    ("bash", "cat pom.xml"),
    ("bash", "journalctl -u web"),
    ("bash", "psql -c 'select 1'"),
    ("bash", "npm ci && npm test 2>&1 | tail -50"),
    ("bash", "python - <<'EOF'\nprint(1)\nEOF"),
    ("Read", "src/main.rs"),
    ("mcp__db__query", ""),
];

/// Bytes that are taken from the front.
#[derive(Debug)]
pub struct Input<'a> {
    data: &'a [u8],
}

impl<'a> Input<'a> {
    /// All of them.
    pub fn new(data: &'a [u8]) -> Self {
        Self { data }
    }

    /// The next byte, or 0.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        *first
    }

    /// One of several.
    pub fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[usize::from(self.byte()) % all.len()]
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        self.data
    }

    /// The remaining bytes as text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.data).into_owned()
    }

    /// Settings: a mode, the smallest text that is compressed, a byte cap.
    pub fn policy(&mut self) -> Policy {
        let mode = *self.pick(&[Mode::Safe, Mode::Standard, Mode::Aggressive]);
        let choice = self.byte();
        let mut policy = Policy { mode, ..Policy::default() };
        if choice & 3 != 0 {
            policy.min_bytes = 0;
        }
        if choice & 12 == 4 {
            (policy.max_output_bytes, policy.strict_cap) = (300 + 16 * usize::from(choice), true);
        }
        policy
    }

    /// A call.
    pub fn call(&mut self) -> ToolCall {
        let (tool, text) = *self.pick(CALLS);
        let is_command = tool == "bash" && !text.is_empty();
        ToolCall {
            tool: tool.to_owned(),
            command: is_command.then(|| text.to_owned()),
            path: (tool == "Read").then(|| text.to_owned()),
            exit_code: *self.pick(&[None, Some(0), Some(1)]),
            ..ToolCall::default()
        }
    }
}
