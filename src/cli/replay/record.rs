//! Records of tool results, grouped into sessions.

use serde::Deserialize;
use serde_json::Value;

use super::clues::Case;
use super::need::Need;

/// Results that left the model's context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Forgotten {
    /// All results.
    All,
    /// The results of these calls.
    Calls(Vec<String>),
}

/// One recorded tool result. Unknown members are ignored.
#[derive(Debug, Default, Deserialize)]
pub(in crate::cli) struct Record {
    /// Unique name, used as the call id; the default is the line number in the file.
    #[serde(default)]
    pub id: String,
    /// Who recorded it.
    #[serde(default)]
    pub source: String,
    /// Session of the result; `None` for a standalone output.
    #[serde(default)]
    pub session: Option<String>,
    /// Agent that ran the tool; `None` for a standalone output.
    #[serde(default)]
    pub agent: Option<String>,
    /// Position in the session.
    #[serde(default)]
    pub turn: Option<i64>,
    /// Tool.
    #[serde(default)]
    pub tool: Option<String>,
    /// Command line.
    #[serde(default)]
    pub command: Option<String>,
    /// Arguments.
    #[serde(default)]
    pub args: Value,
    /// The result.
    pub output: String,
    /// Exit code.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// Whether the host counts the call as failed.
    #[serde(skip)]
    pub is_error: Option<bool>,
    /// What left the context before this result, in order.
    #[serde(skip)]
    pub forgotten: Vec<Forgotten>,
    /// Settings for this result only, which override those of the session.
    #[serde(skip)]
    pub policy: Option<Value>,
    /// Whether the host does not say which call this result answers.
    #[serde(skip)]
    pub is_unnamed: bool,
    /// The kind of output.
    #[serde(default)]
    pub kind: String,
    /// Names from this result that the agent used later.
    #[serde(default)]
    pub refs: Vec<String>,
    /// The type of each reference.
    #[serde(default)]
    pub ref_types: Vec<String>,
    /// Texts that the agent wrote after this result.
    #[serde(default)]
    pub later: Vec<String>,
    /// The case for clues from which the record was made.
    #[serde(skip)]
    pub case: Option<Box<Case>>,
}

impl Record {
    /// Whether the record belongs to the session of an agent.
    pub(in crate::cli) fn is_agents(&self) -> bool {
        self.agent.is_some()
    }
}

/// Records that share one context.
#[derive(Debug)]
pub(in crate::cli) struct Session {
    /// The session id in requests; `None` for standalone outputs.
    pub id: Option<String>,
    /// Its records in order.
    pub records: Vec<Record>,
    /// What the agent used from all earlier results, if the whole session was recorded.
    pub needs: Vec<Need>,
    /// What was said between the results, if the whole session was recorded.
    pub transcript: Transcript,
}

/// The texts of a whole session apart from its results.
#[derive(Debug, Default)]
pub(in crate::cli) struct Transcript {
    /// The text that the agent got before its first answer.
    pub context: String,
    /// Its answers, in order.
    pub answers: Vec<Said>,
}

/// An answer of an agent.
#[derive(Debug, Default)]
pub(in crate::cli) struct Said {
    /// The text.
    pub text: String,
    /// The number of results before the answer.
    pub results: usize,
}
