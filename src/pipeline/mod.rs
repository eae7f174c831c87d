//! The pure core: one tool result in, one outcome out.
//!
//! Nothing here does I/O, reads a clock, or keeps state: what the session remembers comes in as `History` and goes out as
//! part of the `Outcome`. In the order in which it happens:
//!
//! | | does |
//! | --- | --- |
//! | `prepared` | the whole way: the safe stage (`sanitize`) once, then runs, until one fits the budget |
//! | `bypass`, `exclude` | results that stay exact, and why |
//! | `envelopes` | texts that JSON carries, taken out and put back |
//! | `received` | what came in, counted; what would be stored |
//! | `request` | what a run is given; nothing changes it |
//! | `parts` | one part after the other, each by the first attempt whose output stays the same when it comes in again |
//! | `attempt` | one attempt at a part under one plan, and what it found |
//! | `reading` | detects what a text is and chooses its reducers |
//! | `part` | the steps on a text: reduce, repeat, elide, encode, limit |
//! | `ruled`, `rule_methods` | what a rule of the operator does in their place |
//! | [`repeat`] | what was shown before |
//! | `dictionary` | the last step of `aggressive` |
//! | [`limit`] | caps and budgets |
//! | `exit`, [`hint`] | the exit status, and how the original is read, where the text must say so |
//! | `summary` | the outcome of the whole: sizes, status, what is stored, whether the result repeats an earlier one |
//!
//! Beside these: [`guard`] checks each step, [`evidence`] is what is said about all, [`explain`] and `trace` say what became of
//! each line, [`timer`] measures the steps.

mod prepared;

mod bypass;
mod envelopes;
mod exclude;

mod attempt;
mod dictionary;
pub mod exit;
pub mod hint;
pub mod limit;
mod part;
mod parts;
mod reading;
mod received;
pub mod repeat;
mod request;
pub mod rule_methods;
mod ruled;
mod summary;

pub mod evidence;
pub mod explain;
pub mod guard;
pub mod timer;
pub mod trace;

use std::sync::{Arc, OnceLock};

use crate::config::Policy;
use crate::detect::pointed::Place;
pub use crate::sanitize::{Raw, RedactionFailed};
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use crate::text::reason::Reason;
use evidence::Evidence;
use limit::budget::Ask;
pub use prepared::Prepared;
pub(crate) use received::{add_fingerprints, redaction_counts};
use repeat::dedup::{Decision, History, Key};

/// Above this many bytes only the safe stage and the cap look at a text.
pub const INPUT_LIMIT: usize = 32 << 20;

/// What came of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The texts, one for each part that came in.
    pub texts: Vec<String>,
    /// What happened.
    pub evidence: Evidence,
    /// The original to store, where the texts differ from it.
    pub retain: Option<Arc<Retain>>,
    /// What the outcome took from the session, and what the session should remember.
    pub decision: Decision,
    /// The lines that the texts show as they came, where a session wants to know.
    pub shown: Lines,
    /// Whether it says that a change of a file was not made: nothing refers to what it shows then.
    pub is_rejected: bool,
    /// What a run of a test or a build is compared by when it is run again.
    pub key_but_for_times: Option<Key>,
    /// Words of the failures that the texts report, where a session wants to know.
    pub mentions: Vec<u64>,
    /// Lines of files that the result points at.
    pub places: Vec<Place>,
    /// Tokens of the failure lines and totals of the texts; counted only where several results share a
    /// budget.
    pub needs: usize,
}

impl Outcome {
    /// Whether a text came that was an output of ours already.
    pub fn came_compressed(&self) -> bool {
        self.evidence.steps.iter().any(|step| step.reason == Reason::AlreadyCompressed)
    }

    /// Whether the result is that of a run of tests or of a build.
    pub fn is_run(&self) -> bool {
        self.key_but_for_times.is_some()
    }
}

/// An original to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retain {
    /// The sanitized text of all parts: its lines are those that markers and evidence number. Shared with the
    /// text that the pipeline reads, where that is all there is.
    pub bytes: Arc<[u8]>,
    /// The redacted original before clean-up, where the clean-up changed it.
    pub original: Option<Vec<u8>>,
    /// Media type when the data are binary.
    pub mime: Option<&'static str>,
    /// BLAKE3 of `bytes`, once somebody asked.
    hash: OnceLock<blake3::Hash>,
}

impl Retain {
    /// An original that is a text.
    pub fn of(bytes: Arc<[u8]>) -> Self {
        Self { bytes, original: None, mime: None, hash: OnceLock::new() }
    }

    /// The BLAKE3 hash of the bytes.
    pub fn whole_hash(&self) -> blake3::Hash {
        *self.hash.get_or_init(|| blake3::hash(&self.bytes))
    }

    /// The first hexadecimal digits of the BLAKE3 hash of the bytes, 64 at most.
    fn hash(&self, digits: usize) -> String {
        let mut hex = self.whole_hash().to_hex().to_string();
        hex.truncate(digits);
        hex
    }
}

/// Compresses one result by itself. `full_output` asks for the exact bytes.
pub fn compress(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    full_output: bool,
    history: &dyn History,
) -> Result<Outcome, RedactionFailed> {
    let prepared = Prepared::new(call, parts, policy, full_output, history)?;
    Ok(prepared.outcome(Ask::new(policy, 0), history, None))
}

/// Hexadecimal digits of a handle in a marker: a prefix of the artifact's id.
pub const HANDLE_DIGITS: usize = 8;
