//! The pure core: one tool result in, one outcome out.
//!
//! Nothing here does I/O, reads a clock, or keeps state: the session's memory is an input (`History`), and changes to
//! it are a part of the `Outcome`. The modules, in the order of their work:
//!
//! | module | does |
//! | --- | --- |
//! | `prepared` | processes a result: the safe stage (`sanitize`) once, then runs, until one fits the budget |
//! | `bypass`, `exclude` | finds results that are kept exact, and the reason |
//! | `envelopes` | extracts texts from JSON, and puts them back |
//! | `received` | counts the input, and makes the original to store |
//! | `request` | the input of a run, which does not change |
//! | `parts` | compresses one part after the other, each with the first attempt whose output is stable |
//! | `attempt` | makes one attempt at a part under one plan, and keeps its findings |
//! | `reading` | detects the kind of a text and chooses its reducers |
//! | `part` | runs the steps on a text: reduce, repeat, elide, encode, limit |
//! | `ruled`, `rule_methods` | applies a rule of the operator instead |
//! | `refer`, [`repeat`] | refers to results that were shown before |
//! | `dictionary` | makes dictionaries, the last step of `aggressive` |
//! | [`limit`] | applies caps and budgets |
//! | `exit`, [`hint`] | adds lines with the exit status, and on how to read the original, if they are needed |
//! | `summary` | makes the outcome: sizes, status, the original, whether the result repeats an earlier one |
//!
//! In addition, [`guard`] checks each step, [`evidence`] has the types of the evidence, [`explain`] and `trace`
//! record the changes of each line, and [`timer`] measures the steps.

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
mod refer;
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
use crate::detect::pointed::PointedLine;
pub use crate::sanitize::{Raw, RedactionFailed};
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use crate::text::reason::Reason;
use evidence::Evidence;
use limit::budget::Ask;
pub use prepared::Prepared;
pub(crate) use received::{add_fingerprints, redaction_counts};
use repeat::answer::Answer;
use repeat::dedup::{Decision, History, Key};

/// A text of more bytes than this only goes through the safe stage and the cap.
pub const INPUT_LIMIT: usize = 32 << 20;

/// The outcome of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The texts, one for each part of the input.
    pub texts: Vec<String>,
    /// The evidence.
    pub evidence: Evidence,
    /// The original to store, where the texts differ from it.
    pub retain: Option<Arc<Retain>>,
    /// The session data that the outcome used, and the data that the session should remember.
    pub decision: Decision,
    /// The lines that the texts show unchanged, if a session needs them.
    pub shown: Lines,
    /// Whether it reports that an edit of a file was rejected: later results do not refer to it then.
    pub is_rejected: bool,
    /// The key by which a repeated run of tests or a build is compared.
    pub key_without_times: Option<Key>,
    /// Digests of the words of the failures that the texts report, if a session needs them.
    pub mentions: Vec<u64>,
    /// Lines of files that the result points at.
    pub places: Vec<PointedLine>,
    /// The lines of the input, if some of them are left out and a session needs to know what is new next time.
    pub answer: Option<Answer>,
    /// Tokens of the failure lines and totals of the texts; counted only where several results share a
    /// budget.
    pub needs: usize,
}

impl Outcome {
    /// Whether a text of the input was already an output of ours.
    pub fn came_compressed(&self) -> bool {
        self.evidence.steps.iter().any(|step| step.reason == Reason::AlreadyCompressed)
    }

    /// Whether the result is that of a run of tests or of a build.
    pub fn is_run(&self) -> bool {
        self.key_without_times.is_some()
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
    /// BLAKE3 of `bytes`, computed when it is first needed.
    hash: OnceLock<blake3::Hash>,
}

impl Retain {
    /// An original that is text and that the clean-up did not change.
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
