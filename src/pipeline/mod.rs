//! The pure core: one tool result in, one outcome out.
//!
//! sanitize → detect → reduce → encode → guard → gate → cap → dedup → evidence. `compress` is the
//! whole way, `part` what happens to one text on it, `summary` what is said about it. Nothing here
//! does I/O, reads a clock, or keeps state: what the session remembers comes in as `History` and goes
//! out as part of the `Outcome`.

pub mod blocks;
mod bypass;
pub mod call;
pub mod cap;
mod cut;
pub mod dedup;
pub mod details;
pub mod detect;
pub mod echoes;
pub mod embedded;
pub mod evidence;
mod exit;
pub mod explain;
pub mod guard;
pub mod ledger;
pub mod marker;
pub mod names;
mod part;
mod reading;
pub mod reason;
pub mod reduction;
pub mod relevance;
mod run;
pub mod sanitize;
pub mod signals;
pub mod source;
mod summary;
pub mod view;

use std::cell::Cell;

use crate::config::{Mode, OnRepeat, Policy};
use crate::tokens;
use blocks::Lines;
use call::ToolCall;
use dedup::{Decision, History};
use evidence::Evidence;
use explain::Trace;
use run::Run;
use sanitize::Sanitized;
pub use sanitize::{Raw, RedactionFailed};

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
    pub retain: Option<Retain>,
    /// What the outcome took from the session, and what the session should remember.
    pub decision: Decision,
    /// The lines that the texts show as they came, where a session wants to know.
    pub shown: Lines,
    /// Words of the failures that the texts report, where a session wants to know.
    pub mentions: Vec<u64>,
}

/// An original to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retain {
    /// The sanitized text of all parts: its lines are those that markers and evidence number.
    pub bytes: Vec<u8>,
    /// The redacted original before clean-up, where the clean-up changed it.
    pub original: Option<Vec<u8>>,
    /// Media type when the data are binary.
    pub mime: Option<&'static str>,
}

/// Compresses one result. `full_output` asks for the exact bytes.
pub fn compress(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    full_output: bool,
    history: &dyn History,
) -> Result<Outcome, RedactionFailed> {
    run(call, parts, policy, full_output, history, None)
}

/// The whole way; `trace` takes notes.
fn run(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    full_output: bool,
    history: &dyn History,
    trace: Option<&mut Trace>,
) -> Result<Outcome, RedactionFailed> {
    let counter = tokens::counter(policy.tokenizer);
    if let Some(rule) = bypass::rule(call, policy, full_output) {
        return bypass::exact(call, parts, policy, rule, counter);
    }
    let own_marker = Cell::new(false);
    let known = |id: &str| {
        let knows = history.knows(id);
        own_marker.set(own_marker.get() || knows);
        knows
    };
    let sanitized: Vec<Sanitized> = parts
        .iter()
        .map(|raw| sanitize::run(*raw, policy.redact_secrets, &known))
        .collect::<Result<_, _>>()?;
    let wants = policy.on_repeat == OnRepeat::Full && policy.mode >= Mode::Standard && history.listens();
    let likeness = wants.then(|| dedup::likeness(sanitized.iter().map(|part| part.text.as_str())));
    let asked_again = likeness.is_some_and(|likeness| history.is_repeated(likeness));
    let mut run = Run::begin(call, policy, counter, parts, &sanitized, history, asked_again);
    run.trace = trace;
    let texts = run.texts(&sanitized);
    let mut outcome = run.finish(&sanitized, texts);
    outcome.decision.own_marker = own_marker.get();
    outcome.decision.likeness = likeness;
    outcome.decision.asked_again = asked_again;
    Ok(outcome)
}

/// Hexadecimal digits of a handle in a marker: a prefix of the artifact's id.
pub const HANDLE_DIGITS: usize = 8;
