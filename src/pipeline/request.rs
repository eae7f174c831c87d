//! The input of one run over a result. It is the same for all parts and attempts, and never changes.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use super::evidence::Evidence;
use super::received::Received;
use super::timer::Timer;
use super::{HANDLE_DIGITS, Retain, exclude};
use crate::config::{Mode, Policy};
use crate::detect::edit;
use crate::pipeline::limit::pointer;
use crate::pipeline::repeat::blocks::Earlier;
use crate::pipeline::repeat::dedup::{First, History, Key};
use crate::pipeline::repeat::{self, dedup};
use crate::rules::Rules;
use crate::text::call::ToolCall;
use crate::text::relevance::{Relevance, Term};
use crate::text::source::Source;
use crate::tokens::{LineCounts, TokenCounter};

/// What observes a run: notes on the changes, and a timer.
#[derive(Clone, Copy, Default)]
pub(super) struct Watch<'a> {
    /// Whether notes on the changes of each step are requested.
    pub(super) takes_notes: bool,
    /// Measures the time of each step, if requested.
    pub(super) timer: Option<&'a dyn Timer>,
}

/// Options of a run in addition to its rung.
#[derive(Debug, Clone, Default)]
pub(super) struct Extra {
    /// Whether the request was repeated: nothing is left out that the caller did not limit.
    pub(super) in_full: bool,
    /// Tokens to which the texts are cut in the end.
    pub(super) limit: Option<usize>,
    /// Whether a pointer and a preview replace the result.
    pub(super) pointer: bool,
    /// Whether the tokens of failure lines and totals are counted.
    pub(super) counts_needed_tokens: bool,
}

/// Returns the key of a run without its times, if it may be compared.
pub(super) type KeyOfRun<'a> = &'a dyn Fn() -> Option<Key>;

/// The input of one run over a result.
pub(super) struct Request<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) policy: &'a Policy,
    /// The compiled rules of the policy; empty if one cannot be compiled. The readers of policies already refuse such
    /// rules.
    pub(super) rules: Rules,
    pub(super) counter: &'static dyn TokenCounter,
    /// The original to store.
    pub(super) retain: Option<Arc<Retain>>,
    /// Tokens of the sanitized text of each part.
    pub(super) source_tokens: &'a [usize],
    /// Tokens of each line, if the counter's counts add up over lines.
    pub(super) line_counts: &'a [Option<LineCounts>],
    /// The relevant words of the request, gathered when a step first needs them: small results have no such step.
    relevance: Rc<OnceCell<Relevance>>,
    /// The session, for its topics; few results need them.
    history: Option<&'a dyn History>,
    /// What earlier outputs of the session show.
    pub(super) earlier: Earlier<'a>,
    /// Whether a session needs the lines that are shown.
    pub(super) tracks_visibility: bool,
    /// The key by which the result is compared.
    pub(super) key: Option<Key>,
    /// The earlier result that this one repeats.
    pub(super) duplicate_of: Option<First>,
    /// The key of a run of tests or a build without its times.
    key_of_run: Option<KeyOfRun<'a>>,
    /// Whether it may become a reference to an earlier run whose output differs only in times.
    is_compared: bool,
    /// Whether the request was repeated: nothing is left out that the caller did not limit.
    pub(super) in_full: bool,
    /// Whether no step may rewrite lines, since the policy wants the lines of the command as they are.
    pub(super) is_verbatim: bool,
    /// Whether notes on the changes of each step are requested.
    pub(super) takes_notes: bool,
    /// Measures the time of each step, if requested.
    pub(super) timer: Option<&'a dyn Timer>,
    /// Tokens to which the texts are cut in the end.
    pub(super) limit: Option<usize>,
    /// The key of the pointer that is before the preview of an externalized text.
    pub(super) pointer: Option<String>,
    /// Whether the tokens of failure lines and totals are counted.
    pub(super) counts_needed_tokens: bool,
}

impl<'a> Request<'a> {
    /// A run over the output of the safe stage.
    pub(super) fn new(
        call: &'a ToolCall,
        policy: &'a Policy,
        counter: &'static dyn TokenCounter,
        received: &'a Received,
        history: &'a dyn History,
        extra: &Extra,
        watch: Watch<'a>,
    ) -> Self {
        let in_full = extra.in_full;
        let dedups = policy.dedup && policy.mode >= Mode::Standard && !in_full && !policy.never_omit;
        let key = policy.dedup.then(|| dedup::key(call, &received.evidence.digest));
        // An edit shows the lines that it changed, even if an earlier one showed the same.
        let may_repeat = dedups && !edit::is_edit(call);
        let duplicate_of = key.as_ref().filter(|_| may_repeat).and_then(|key| history.first(key));
        let duplicate_of = duplicate_of.map(|first| first.as_named_in_marker(policy));
        // A result that repeats an earlier one as a whole is not searched for repeated lines.
        let is_looked_up = dedups && duplicate_of.is_none();
        let key_of = |retain: &Arc<Retain>| pointer::key(retain);
        Self {
            call,
            policy,
            rules: Rules::compile(&policy.rules).unwrap_or_default(),
            counter,
            retain: received.retain.clone(),
            source_tokens: &received.source_tokens,
            line_counts: &received.line_counts,
            relevance: Rc::default(),
            history: Some(history),
            earlier: if is_looked_up { history.earlier() } else { Earlier::Nothing },
            tracks_visibility: history.tracks_visibility(),
            key,
            duplicate_of,
            key_of_run: None,
            is_compared: is_looked_up,
            in_full,
            is_verbatim: exclude::is_verbatim(call, policy),
            takes_notes: watch.takes_notes,
            timer: watch.timer,
            limit: extra.limit,
            pointer: received.retain.as_ref().filter(|_| extra.pointer).map(key_of),
            counts_needed_tokens: extra.counts_needed_tokens,
        }
    }

    /// This request for a single text: without a session, an original or a limit. `tokens` are those of the text.
    pub(super) fn for_single_text<'b>(&'b self, tokens: &'b [usize]) -> Request<'b> {
        Request {
            call: self.call,
            policy: self.policy,
            rules: self.rules.clone(),
            counter: self.counter,
            retain: None,
            source_tokens: tokens,
            line_counts: &[],
            relevance: Rc::clone(&self.relevance),
            history: None,
            earlier: Earlier::Nothing,
            tracks_visibility: false,
            key: None,
            duplicate_of: None,
            key_of_run: None,
            is_compared: false,
            in_full: self.in_full,
            is_verbatim: self.is_verbatim,
            takes_notes: false,
            timer: None,
            limit: None,
            pointer: None,
            counts_needed_tokens: false,
        }
    }

    /// This request with the key by which a run is compared, if it may be compared.
    pub(super) fn with_key_of_run(self, key_of_run: Option<KeyOfRun<'a>>) -> Self {
        Self { key_of_run, ..self }
    }

    /// The key of the result without its times, if the findings or the command show that it is a run of tests, a build
    /// or a check.
    pub(super) fn key_without_times(&self, found: &Evidence) -> Option<Key> {
        let key_of_run = self.key_of_run?;
        let is_run =
            matches!(found.family.as_deref(), Some("test" | "build")) || repeat::runs_scripts(self.call);
        if is_run { key_of_run() } else { None }
    }

    /// The earlier run whose output differs only in times.
    pub(super) fn same_without_times(&self, key: &Key) -> Option<First> {
        let first = self.history.filter(|_| self.is_compared)?.first_without_times(key)?;
        Some(first.as_named_in_marker(self.policy))
    }

    /// The relevant words of the request.
    pub(super) fn relevance(&self) -> &Relevance {
        let call = self.call;
        self.relevance.get_or_init(|| Relevance::new(call.query.as_deref(), &call.mentioned(), &[]))
    }

    /// The topics of the session.
    pub(super) fn session_terms(&self) -> Vec<Term> {
        self.history.map(|history| history.terms()).unwrap_or_default()
    }

    /// Texts that the agent wrote into the file that the call looks at.
    pub(super) fn edited(&self) -> Vec<Arc<str>> {
        self.history.map(|history| history.edited()).unwrap_or_default()
    }

    /// Lines of the file that the call looks at which recent results point at.
    pub(super) fn pointed(&self) -> Vec<u32> {
        self.history.map(|history| history.pointed()).unwrap_or_default()
    }

    /// The lines of a part that the last answer to the same question did not have.
    pub(super) fn new_lines(&self, part: usize, source: &Source<'_>) -> Vec<u32> {
        let history = self.history.filter(|_| !self.in_full);
        history.map_or_else(Vec::new, |history| history.new_lines(part, source))
    }

    /// Tells the timer that a step begins.
    pub(super) fn timer_begin(&self) {
        if let Some(timer) = self.timer {
            timer.begin();
        }
    }

    /// A placeholder for `handle` if only its length matters, so that sizes need no hash of the original.
    pub(super) fn any_handle(&self) -> Option<&'static str> {
        self.retain.as_ref().filter(|_| self.policy.expand_tool).map(|_| ANY_HANDLE)
    }

    /// The handle in markers, if the host has a tool for it.
    pub(super) fn handle(&self) -> Option<String> {
        let retain = self.retain.as_ref().filter(|_| self.policy.expand_tool)?;
        Some(retain.hash(HANDLE_DIGITS))
    }
}

/// As long as every handle.
const ANY_HANDLE: &str = "00000000";
const _: () = assert!(ANY_HANDLE.len() == HANDLE_DIGITS);
