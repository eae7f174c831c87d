//! Records of tool results, grouped into sessions.

use serde::Deserialize;
use serde_json::Value;

use super::clues::Case;
use super::need::Need;

/// What left the model's context.
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
    /// Unique name, used as the call id; by default the line of the file.
    #[serde(default)]
    pub id: String,
    /// Who recorded it.
    #[serde(default)]
    pub source: String,
    /// Session it belongs to; none for a standalone output.
    #[serde(default)]
    pub session: Option<String>,
    /// Agent that ran it; none for a standalone output.
    #[serde(default)]
    pub agent: Option<String>,
    /// Place in the session.
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
    /// Settings for it alone, over those of the session.
    #[serde(skip)]
    pub policy: Option<Value>,
    /// Whether its host does not say which call it answers.
    #[serde(skip)]
    pub is_unnamed: bool,
    /// What kind of output it is.
    #[serde(default)]
    pub kind: String,
    /// Names from this result that the agent used later.
    #[serde(default)]
    pub refs: Vec<String>,
    /// The type of each reference.
    #[serde(default)]
    pub ref_types: Vec<String>,
    /// Texts that the agent wrote after it.
    #[serde(default)]
    pub later: Vec<String>,
    /// The case of clues that it is.
    #[serde(skip)]
    pub case: Option<Box<Case>>,
}

impl Record {
    /// Whether it belongs to an agent's session.
    pub(in crate::cli) fn is_agents(&self) -> bool {
        self.agent.is_some()
    }
}

/// Records that share a context.
#[derive(Debug)]
pub(in crate::cli) struct Session {
    /// Its id on the wire; none for standalone outputs.
    pub id: Option<String>,
    /// Its records in order.
    pub records: Vec<Record>,
    /// What the agent used of all results before, where the whole session is at hand.
    pub needs: Vec<Need>,
    /// What was said between the results, where the whole session is at hand.
    pub transcript: Transcript,
}

/// What was said in a whole session.
#[derive(Debug, Default)]
pub(in crate::cli) struct Transcript {
    /// What the agent was told.
    pub context: String,
    /// Its answers, in order.
    pub answers: Vec<Said>,
}

/// An answer of an agent.
#[derive(Debug, Default)]
pub(in crate::cli) struct Said {
    /// The text.
    pub text: String,
    /// How many results were before it.
    pub results: usize,
}
