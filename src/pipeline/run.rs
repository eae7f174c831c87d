//! The work on one result: what the files of the flow share. `summary` starts and ends it, `part` does
//! the steps in between.

use std::rc::Rc;
use std::sync::Arc;

use super::blocks::{Earlier, Reference};
use super::dedup::{First, Key};
use super::evidence::{Evidence, Step};
use super::timer::Timer;
use super::trace::Trace;
use super::{HANDLE_DIGITS, Retain};
use crate::config::Policy;
use crate::encode::dictionary::Written;
use crate::rules::Rule;
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use crate::text::reason::Reason;
use crate::text::relevance::{Relevance, Term};
use crate::tokens::{LineCounts, TokenCounter};

/// See the module.
pub(super) struct Run<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) policy: &'a Policy,
    pub(super) counter: &'static dyn TokenCounter,
    pub(super) evidence: Evidence,
    pub(super) retain: Option<Arc<Retain>>,
    /// Tokens of the sanitized text of each part.
    pub(super) source_tokens: Vec<usize>,
    /// The same line by line, where the counter can tell.
    pub(super) line_counts: Arc<[Option<LineCounts>]>,
    /// What the texts are asked about.
    pub(super) relevance: Rc<Relevance>,
    /// What the session talks about, and what of it decided something.
    pub(super) session_terms: Vec<Term>,
    pub(super) terms: Vec<Term>,
    /// Words of failures that were reported.
    pub(super) mentions: Vec<u64>,
    /// What earlier outputs of the session show.
    pub(super) earlier: Earlier<'a>,
    /// Whether a session wants to know what is shown.
    pub(super) tracks_visibility: bool,
    /// What the result is compared by.
    pub(super) key: Option<Key>,
    /// The earlier result that this one repeats.
    pub(super) duplicate_of: Option<First>,
    /// Lines of earlier outputs that were referred to.
    pub(super) references: Vec<Reference>,
    /// Lines that are shown as they came.
    pub(super) shown: Lines,
    /// Whether the request was repeated: nothing is left out that the caller did not limit.
    pub(super) in_full: bool,
    /// Whether a reducer knows the grammar of the text at hand.
    pub(super) is_read: bool,
    /// Whether encoders may rewrite lines.
    pub(super) rewrites: bool,
    /// Whether no step may, since the policy wants the lines of the command as they are.
    pub(super) is_verbatim: bool,
    /// The rule of the operator that fits the text at hand.
    pub(super) rule: Option<Arc<Rule>>,
    /// Whether the text stays as it is, since its rule gave what would not stay the same.
    pub(super) is_held: bool,
    /// Takes notes on what each step did, where somebody wants to see it.
    pub(super) trace: Option<Trace>,
    /// Measures what each step takes, where somebody wants to know.
    pub(super) timer: Option<&'a dyn Timer>,
    /// Tokens to which the texts are cut in the end.
    pub(super) limit: Option<usize>,
    /// What stands before the preview of an externalized text.
    pub(super) pointer: Option<String>,
    /// Whether `needs` is counted.
    pub(super) weighs: bool,
    /// Tokens of failure lines and totals.
    pub(super) needs: usize,
    /// Whether data may be written as tables, where the policy allows it.
    pub(super) tables: bool,
    /// The dictionary of the text at hand, and the text without it.
    pub(super) dictionary: Option<(Written, String)>,
}

impl Run<'_> {
    /// Notes a step that was tried.
    pub(super) fn step(&mut self, id: &str, reason: Reason, before: usize, after: usize) {
        self.evidence.steps.push(Step {
            id: id.to_owned(),
            reason,
            bytes_before: before,
            bytes_after: after,
        });
        self.timer_ended();
    }

    /// A step begins.
    pub(super) fn timer_begin(&self) {
        if let Some(timer) = self.timer {
            timer.begin();
        }
    }

    /// The last step of the evidence has ended.
    pub(super) fn timer_ended(&self) {
        if let Some(timer) = self.timer {
            timer.ended(self.evidence.steps.len().saturating_sub(1));
        }
    }

    /// In place of `handle` where only its length matters: sizes need no hash of the original.
    pub(super) fn any_handle(&self) -> Option<&'static str> {
        self.retain.as_ref().filter(|_| self.policy.expand_tool).map(|_| ANY_HANDLE)
    }

    /// The handle that markers carry, where the host has a tool to use it with.
    pub(super) fn handle(&self) -> Option<String> {
        let retain = self.retain.as_ref().filter(|_| self.policy.expand_tool)?;
        Some(retain.hash(HANDLE_DIGITS))
    }
}

/// As long as every handle.
const ANY_HANDLE: &str = "00000000";
const _: () = assert!(ANY_HANDLE.len() == HANDLE_DIGITS);
