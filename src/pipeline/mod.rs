//! The pure core: one tool result in, one outcome out.
//!
//! sanitize → detect → reduce → encode → guard → gate → cap → dedup → evidence. `prepared` is the
//! whole way, again and further for a budget; `part` is what happens to one text on it, `summary` what is
//! said about it. Nothing here
//! does I/O, reads a clock, or keeps state: what the session remembers comes in as `History` and goes
//! out as part of the `Outcome`.

pub mod blocks;
pub mod budget;
mod bypass;
pub mod candidate;
pub mod cap;
mod columns;
mod cut;
pub mod dedup;
mod dictionary;
pub mod echoes;
pub mod evidence;
mod exclude;
mod exit;
pub mod explain;
mod fit;
pub mod guard;
pub(crate) mod headings;
pub mod hint;
mod narrow;
mod outliers;
mod part;
pub mod pointer;
mod prepared;
mod reading;
pub mod rule_methods;
mod ruled;
mod run;
pub mod share;
mod shorten;
mod summary;
pub mod timer;
pub mod trace;
mod unit;

use std::sync::{Arc, OnceLock};

use crate::config::Policy;
pub use crate::sanitize::{Raw, RedactionFailed};
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use budget::Ask;
use dedup::{Decision, History};
use evidence::Evidence;
pub use prepared::Prepared;
#[cfg(not(target_family = "wasm"))]
pub(crate) use summary::{redaction_counts, tell_fingerprints};

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
    /// Words of the failures that the texts report, where a session wants to know.
    pub mentions: Vec<u64>,
    /// Tokens of the failure lines and totals of the texts; counted only where several results share a
    /// budget.
    pub needs: usize,
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
    /// The first hexadecimal digits of the BLAKE3 hash of the bytes, 64 at most.
    fn hash(&self, digits: usize) -> String {
        let mut hex = self.hash.get_or_init(|| blake3::hash(&self.bytes)).to_hex().to_string();
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
