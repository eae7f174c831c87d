//! Processes one result from start to end: the safe stage once, then one run for each rung that is tried to meet a
//! budget.
//!
//! How often a run is repeated depends on the policy and the size of the text alone, never on a clock: at most once
//! for each mode and four times with smaller limits. A large text is run at most three times in all, a huge one
//! twice.

use std::cell::{Cell, OnceCell, RefCell};

use super::bypass;
use super::envelopes::Envelopes;
use super::evidence::Rung;
use super::evidence::{Status, Step};
use super::exclude;
use super::hint;
use super::parts;
use super::received::{self, Received};
use super::request::{Extra, KeyOfRun, Request, Watch};
use super::summary;
use super::timer::Timer;
use super::trace::Part;
use super::{INPUT_LIMIT, Outcome};
use crate::config::{DictionaryMethod, Mode, OnRepeat, Policy};
use crate::detect::{edit, output_name};
use crate::pipeline::limit::budget;
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::limit::pointer;
use crate::pipeline::limit::share::TokenDemand;
use crate::pipeline::repeat;
use crate::pipeline::repeat::dedup::{Decision, History};
use crate::sanitize::spare::{Met, Spare};
use crate::sanitize::{self, secrets};
use crate::sanitize::{How, LOOK_ALIKE, Raw, RedactionFailed, Sanitized};
use crate::text::call::ToolCall;
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::tokens::{self, TokenCounter};

/// A result after the safe stage.
#[derive(Debug)]
pub struct Prepared<'a> {
    call: &'a ToolCall,
    policy: &'a Policy,
    treatment: PreparedResult,
    /// The JSON around the texts, if they were taken out of envelopes.
    envelopes: Option<Envelopes>,
    /// Tokens of the rungs that were measured.
    measured: RefCell<Vec<(Rung, TokenDemand)>>,
    /// Secrets that were removed, and those that stayed because the model wrote them.
    met: Met,
}

/// How a result is treated.
#[derive(Debug)]
enum PreparedResult {
    /// A rule keeps it exact.
    Exact(Box<Outcome>, Reason),
    /// It is compressed.
    Compress(Box<Safe>),
}

/// The output of the safe stage.
#[derive(Debug)]
struct Safe {
    sanitized: Vec<Sanitized>,
    received: Received,
    /// Whether the text is just a reference that the session itself gave earlier.
    own_marker: bool,
}

impl<'a> Prepared<'a> {
    /// Runs the safe stage. `full_output` asks for the exact bytes.
    pub fn new(
        call: &'a ToolCall,
        parts: &[Raw<'_>],
        policy: &'a Policy,
        full_output: bool,
        history: &dyn History,
    ) -> Result<Self, RedactionFailed> {
        let measured = RefCell::default();
        let counter = tokens::counter(policy.tokenizer);
        let wrote = |value: &[u8], fingerprint| history.wrote(value, fingerprint);
        let output_name = match parts {
            [Raw::Text(text)] if secrets::is_value(text) => output_name::of(call),
            _ => None,
        };
        let spare = Spare::of(&policy.secrets.allow, &policy.seal_key, &call.paths())
            .with_written(&wrote)
            .with_output_name(output_name);
        if let Some(rule) = bypass::rule(call, policy, full_output) {
            let outcome = bypass::exact(call, parts, policy, rule, counter, &spare)?;
            let (treatment, met) = (PreparedResult::Exact(Box::new(outcome), rule), spare.met());
            return Ok(Self { call, policy, treatment, envelopes: None, measured, met });
        }
        let envelopes = Envelopes::open(call, policy, parts);
        let inner = envelopes.as_ref().map(|envelopes| envelopes.raws(parts));
        let raws = inner.as_deref().unwrap_or(parts);
        let own_marker = Cell::new(false);
        let known = |text: &str| {
            let is_ours = history.referred(text);
            own_marker.set(own_marker.get() || is_ours);
            is_ours
        };
        let (without, divided) = match policy.redact_secrets {
            true => sanitize::redact_divided(raws, &spare)?,
            false => Default::default(),
        };
        let mut sanitized: Vec<Sanitized> = raws
            .iter()
            .enumerate()
            .map(|(number, raw)| {
                let how = How {
                    redact: policy.redact_secrets,
                    keeps_terminal: policy.excludes("terminal"),
                    key: &policy.seal_key,
                    spare: &spare,
                    is_ours: &known,
                    is_dictionary: crate::encode::dictionary::is_own,
                };
                let raw = without.get(number).and_then(Option::as_deref).map_or(*raw, Raw::Text);
                sanitize::run(raw, how)
            })
            .collect::<Result<_, _>>()?;
        if let Some(first) = sanitized.first_mut() {
            first.redactions.extend(divided);
        }
        if exclude::by_category(call, policy, &sanitized) {
            let rule = Reason::ExcludedCategory;
            let outcome = bypass::exact(call, parts, policy, rule, counter, &spare)?;
            let (treatment, met) = (PreparedResult::Exact(Box::new(outcome), rule), spare.met());
            return Ok(Self { call, policy, treatment, envelopes: None, measured, met });
        }
        let met = spare.met();
        let mut received = Received::new(call, policy, counter, raws, &sanitized);
        if let Some(envelopes) = &envelopes {
            envelopes.count(&mut received, counter);
        }
        received::add_fingerprints(&mut received.evidence.redactions, &met, policy);
        let treatment =
            PreparedResult::Compress(Box::new(Safe { sanitized, received, own_marker: own_marker.get() }));
        Ok(Self { call, policy, treatment, envelopes, measured, met })
    }

    /// Whether results that are returned in the meantime cannot change the output of the safe stage. They can if
    /// the text may be a reference to one of them, or holds secrets that a later call may show to be written by
    /// the model.
    pub fn is_settled(&self) -> bool {
        if !self.met.gone.is_empty() {
            return false;
        }
        match &self.treatment {
            PreparedResult::Exact(..) => true,
            PreparedResult::Compress(safe) => {
                let is_escaped =
                    |part: &Sanitized| part.removals.iter().any(|(class, _)| *class == LOOK_ALIKE);
                !safe.own_marker && !safe.sanitized.iter().any(is_escaped)
            }
        }
    }

    /// Tokens of the input.
    pub fn tokens(&self) -> usize {
        match &self.treatment {
            PreparedResult::Exact(outcome, _) => outcome.evidence.tokens.before,
            PreparedResult::Compress(safe) => safe.received.evidence.tokens.before,
        }
    }

    /// Most tokens that the result may take, and whether a budget can change that.
    pub fn bound(&self) -> (usize, bool) {
        match &self.treatment {
            PreparedResult::Exact(outcome, _) => (outcome.evidence.tokens.after, false),
            PreparedResult::Compress(safe) => {
                let Safe { sanitized, received, .. } = &**safe;
                let binary = sanitized.iter().filter(|part| part.binary.is_some()).count();
                (received.source_tokens.iter().sum::<usize>() + binary * pointer::BINARY_TOKENS, true)
            }
        }
    }

    /// The outcome for a request, or from the earlier decision if the request was sent before. `timer` measures the
    /// steps of the run that made it.
    pub fn outcome(&self, ask: Ask, history: &dyn History, timer: Option<&dyn Timer>) -> Outcome {
        self.outcome_with_notes(ask, history, None, timer)
    }

    /// Like [`Self::outcome`]. Afterwards `notes` holds the notes on the run that made the outcome.
    pub(super) fn outcome_with_notes(
        &self,
        ask: Ask,
        history: &dyn History,
        notes: Option<&RefCell<Vec<Part>>>,
        timer: Option<&dyn Timer>,
    ) -> Outcome {
        let Safe { sanitized, received, own_marker } = match &self.treatment {
            PreparedResult::Exact(outcome, rule) => {
                let mut outcome = (**outcome).clone();
                let after = outcome.evidence.tokens.after;
                let rung = Rung { mode: self.policy.mode, ..Rung::default() };
                outcome.evidence.budget = budget::used(ask, rung, after, *rule);
                outcome.decision.asked = ask;
                outcome.decision.wrote.clone_from(&self.met.written);
                return outcome;
            }
            PreparedResult::Compress(safe) => &**safe,
        };
        let policy = self.policy;
        let wants = policy.on_repeat == OnRepeat::Full
            && policy.mode >= Mode::Standard
            && history.tracks_visibility();
        let sources = sources(sanitized);
        let similarity_hash = wants.then(|| repeat::similarity_hash(self.call, &sources));
        let again = similarity_hash.is_some_and(|similarity_hash| history.is_repeated(similarity_hash));
        let is_compared = policy.dedup && policy.mode >= Mode::Standard && history.tracks_visibility();
        let known = OnceCell::new();
        let key_of_run = || *known.get_or_init(|| repeat::key_of_run(self.call, sanitized));
        let key_of_run = is_compared.then_some(&key_of_run as KeyOfRun<'_>);
        let sources = &*sources;
        let runner =
            Runner { prepared: self, sanitized, sources, received, history, notes, timer, key_of_run };
        let decided = history.decided();
        let mut outcome = match decided {
            Some(decision) => runner.repeat_decision(decision),
            None => runner.first_rung_that_fits(ask, again),
        };
        if policy.hint.is_some() && decided.map_or(ask.can_store_original, |decision| decision.hinted) {
            let limit = outcome.decision.asked.limit;
            let sources = (&sanitized[..], &received.source_tokens[..]);
            outcome.decision.hinted =
                hint::add(&mut outcome, self.call, policy, sources, limit, self.counter());
        }
        outcome.is_rejected = sanitized.iter().any(|part| edit::is_rejected(self.call, &part.text));
        if let Some(envelopes) = &self.envelopes {
            envelopes.close(&mut outcome, sanitized, self.counter());
        }
        let decision = &mut outcome.decision;
        decision.own_marker = *own_marker;
        decision.wrote.clone_from(&self.met.written);
        decision.similarity_hash = similarity_hash;
        let all_binary = sanitized.iter().all(|part| part.binary.is_some());
        let why = if all_binary { Reason::Binary } else { Reason::BudgetTooSmall };
        outcome.evidence.budget =
            budget::used(decision.asked, decision.rung, outcome.evidence.tokens.after, why);
        outcome
    }

    /// The tokens that the result would take for a request without cutting lines. Each rung is measured only
    /// once. `None` for a result that no budget changes.
    pub fn measure(&self, ask: Ask, history: &dyn History) -> Option<TokenDemand> {
        let PreparedResult::Compress(safe) = &self.treatment else { return None };
        let Safe { sanitized, received, .. } = &**safe;
        let sources = sources(sanitized);
        let sources = &*sources;
        let (notes, timer, key_of_run) = (None, None, None);
        let runner =
            Runner { prepared: self, sanitized, sources, received, history, notes, timer, key_of_run };
        let mut least: Option<TokenDemand> = None;
        for rung in ask.rungs(self.policy, runner.bytes()) {
            let known = self.measured.borrow().iter().find(|(r, _)| *r == rung).map(|(_, demand)| *demand);
            let demand = known.unwrap_or_else(|| {
                let outcome = runner.run(rung, Extra { counts_needed_tokens: true, ..Extra::default() });
                let demand =
                    TokenDemand { tokens: outcome.evidence.tokens.after, required_tokens: outcome.needs };
                self.measured.borrow_mut().push((rung, demand));
                demand
            });
            if ask.limit.is_none_or(|limit| demand.tokens <= limit) {
                return Some(demand);
            }
            least = Some(demand);
        }
        // The cut by tokens uses the whole limit.
        least.map(|demand| TokenDemand {
            tokens: demand.tokens.min(ask.limit.unwrap_or(usize::MAX)),
            ..demand
        })
    }

    /// Whether the texts were taken out of JSON.
    pub(super) fn has_envelopes(&self) -> bool {
        self.envelopes.is_some()
    }

    fn counter(&self) -> &'static dyn TokenCounter {
        tokens::counter(self.policy.tokenizer)
    }
}

/// The lines of all parts, numbered one after the other.
fn sources(parts: &[Sanitized]) -> Vec<Source<'_>> {
    let mut all: Vec<Source<'_>> = Vec::with_capacity(parts.len());
    for part in parts {
        let lines_before = all.last().map_or(0, |last| last.number(last.len()) - 1);
        all.push(Source::part(&part.text, lines_before));
    }
    all
}

/// Runs a prepared result.
struct Runner<'a> {
    prepared: &'a Prepared<'a>,
    sanitized: &'a [Sanitized],
    sources: &'a [Source<'a>],
    received: &'a Received,
    history: &'a dyn History,
    /// Receives the notes of the last run; earlier runs did not fit.
    notes: Option<&'a RefCell<Vec<Part>>>,
    timer: Option<&'a dyn Timer>,
    /// Computes the key by which runs are compared without their times.
    key_of_run: Option<KeyOfRun<'a>>,
}

impl Runner<'_> {
    fn bytes(&self) -> usize {
        self.sanitized.iter().map(|part| part.text.len()).sum()
    }

    /// One run on one rung.
    fn run(&self, rung: Rung, extra: Extra) -> Outcome {
        let Prepared { call, policy, .. } = self.prepared;
        let scale = self.history.scale();
        let mut policy = Policy { scale, ..rung.policy(policy) };
        if self.prepared.envelopes.is_some() {
            // A dictionary must be at the head of a text and cannot be inside a JSON string.
            policy.dictionary = DictionaryMethod::None;
        }
        let counter = self.prepared.counter();
        let limit = extra.limit.filter(|_| rung.cut && !policy.never_omit);
        let asked = Extra { limit, ..extra.clone() };
        let watch = Watch { takes_notes: self.notes.is_some(), timer: self.timer };
        let request = Request::new(call, &policy, counter, self.received, self.history, &asked, watch)
            .with_key_of_run(self.key_of_run);
        request.timer_begin();
        let evidence = self.received.evidence(&policy, extra.in_full);
        let mut parts = parts::compress(&request, self.sanitized, self.sources, evidence);
        if let Some(notes) = self.notes {
            notes.replace(std::mem::take(&mut parts.explained));
        }
        let mut outcome = summary::finish(request, self.sanitized, parts);
        outcome.decision.rung = rung;
        outcome.decision.scale = scale;
        outcome.decision.asked_again = extra.in_full;
        outcome
    }

    /// The first rung that fits the budget.
    fn first_rung_that_fits(&self, ask: Ask, again: bool) -> Outcome {
        let fits = |outcome: &Outcome| ask.limit.is_none_or(|limit| outcome.evidence.tokens.after <= limit);
        let decided = |mut outcome: Outcome| {
            outcome.decision.asked = ask;
            outcome
        };
        let first = Rung { mode: ask.mode, ..Rung::default() };
        // A repeated request gets the whole text if it is within the limit.
        if again {
            let outcome = self.run(first, Extra { in_full: true, ..Extra::default() });
            if fits(&outcome) {
                return decided(outcome);
            }
        }
        let not_externalized = match self.externalize(ask, again) {
            Ok(outcome) => return decided(outcome),
            Err(why) => why,
        };
        let rungs = ask.rungs(self.prepared.policy, self.bytes());
        let mut outcome = None;
        for (i, &rung) in rungs.iter().enumerate() {
            let rung = Rung { cut: i + 1 == rungs.len() && ask.limit.is_some(), ..rung };
            let mut tried = self.run(rung, Extra { limit: ask.limit, ..Extra::default() });
            tried.decision.rung.cut = tried.evidence.steps.iter().any(|step| step.id == "budget");
            let is_enough = fits(&tried);
            outcome = Some(tried);
            if is_enough {
                break;
            }
        }
        let mut outcome = decided(outcome.unwrap_or_else(|| self.run(first, Extra::default())));
        if let Some(why) = not_externalized {
            outcome.evidence.steps.push(self.not_externalized(why));
        }
        outcome
    }

    /// Repeats the run of an earlier decision.
    fn repeat_decision(&self, decision: &Decision) -> Outcome {
        let extra = Extra {
            in_full: decision.asked_again,
            limit: decision.asked.limit,
            pointer: decision.externalized,
            ..Extra::default()
        };
        let mut outcome = self.run(decision.rung, extra);
        outcome.decision.asked = decision.asked;
        outcome.decision.externalized = decision.externalized;
        outcome
    }

    /// The pointer and preview, or the reason why there is none although the policy requests one.
    fn externalize(&self, ask: Ask, again: bool) -> Result<Outcome, Option<Reason>> {
        let limit = self.prepared.policy.externalize_above;
        let size = self.received.retain.as_ref().map_or(0, |retain| retain.bytes.len());
        let is_wanted = limit.is_some_and(|limit| size > limit) && !again && size <= INPUT_LIMIT;
        let is_wanted = is_wanted && !self.prepared.policy.never_omit;
        if !is_wanted {
            return Err(None);
        }
        if !self.history.tracks_visibility() {
            return Err(Some(Reason::NoSession));
        }
        if !ask.can_store_original {
            return Err(Some(Reason::NotStored));
        }
        let rung = Rung { mode: ask.mode, squeeze: 0, cut: true };
        let mut outcome = self.run(rung, Extra { limit: ask.limit, pointer: true, ..Extra::default() });
        if outcome.evidence.status == Status::Duplicate {
            return Err(None);
        }
        if outcome.evidence.externalized.is_none() {
            return Err(Some(Reason::NotPaying));
        }
        outcome.decision.externalized = true;
        Ok(outcome)
    }

    fn not_externalized(&self, reason: Reason) -> Step {
        let bytes = self.bytes();
        Step { id: pointer::STEP.to_owned(), reason, bytes_before: bytes, bytes_after: bytes }
    }
}
