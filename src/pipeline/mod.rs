//! The pure core: one tool result in, one outcome out.
//!
//! sanitize → detect → reduce → encode → guard → gate → cap → dedup → evidence. Nothing here does
//! I/O, reads a clock, or keeps state: what the session remembers comes in as `History` and goes out
//! as part of the `Outcome`.

pub mod call;
pub mod cap;
pub mod dedup;
pub mod detect;
pub mod embedded;
pub mod evidence;
pub mod guard;
pub mod ledger;
pub mod marker;
pub mod reason;
pub mod sanitize;
pub mod signals;
pub mod source;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::config::{Mode, Policy};
use crate::encode::ENCODERS;
use crate::reduce::{self, Input, Reducer};
use crate::tokens::{self, TokenCounter};
use call::ToolCall;
use cap::Cap;
use dedup::{Decision, History};
use detect::{Detection, Shape};
use evidence::{Evidence, Omission, Removal, Status, Step};
use ledger::{Ledger, Reduction};
use marker::Marker;
use reason::Reason;
use sanitize::{Counts, Sanitized};
pub use sanitize::{Raw, RedactionFailed};
use source::{Source, count_lines};

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
    let counter = tokens::counter(policy.tokenizer);
    if let Some(rule) = bypass(call, policy, full_output) {
        return bypassed(call, parts, policy, rule, counter);
    }
    let own_marker = Cell::new(false);
    let known = |id: &str| {
        let knows = history.knows(id);
        own_marker.set(own_marker.get() || knows);
        knows
    };
    let parts_in: Vec<Sanitized> = parts
        .iter()
        .map(|raw| sanitize::run(*raw, policy.redact_secrets, &known))
        .collect::<Result<_, _>>()?;
    let mut run =
        Run { call, policy, counter, evidence: Evidence::default(), retain: None, source_tokens: Vec::new() };
    run.begin(parts, &parts_in);
    let texts = run.texts(&parts_in);
    let mut outcome = run.finish(&parts_in, texts, history);
    outcome.decision.own_marker = own_marker.get();
    Ok(outcome)
}

/// The rule that keeps a result exact, if one does.
fn bypass(call: &ToolCall, policy: &Policy, full_output: bool) -> Option<Reason> {
    match () {
        () if full_output => Some(Reason::FullOutput),
        () if policy.mode == Mode::Disabled => Some(Reason::ModeDisabled),
        () if policy.exclude_tools.contains(&call.canonical_tool()) => Some(Reason::ExcludedTool),
        () => None,
    }
}

/// The exact bytes, secrets aside.
fn bypassed(
    call: &ToolCall,
    parts: &[Raw<'_>],
    policy: &Policy,
    rule: Reason,
    counter: &dyn TokenCounter,
) -> Result<Outcome, RedactionFailed> {
    let mut evidence =
        Evidence { status: Status::Bypassed, bypass: Some(rule), ..head(call, policy, counter) };
    let mut redactions = Counts::new();
    let mut texts = Vec::with_capacity(parts.len());
    let mut digest = blake3::Hasher::new();
    for raw in parts {
        let before = match raw {
            Raw::Text(text) => (*text).to_owned(),
            Raw::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        };
        let (text, counts) = match policy.redact_secrets {
            true => sanitize::redact_only(&before)?,
            false => (before.clone(), Counts::new()),
        };
        redactions.extend(counts);
        add_sizes(&mut evidence, counter, &before, &text);
        digest.update(text.as_bytes());
        texts.push(text);
    }
    evidence.redactions = redaction_counts(&redactions);
    evidence.digest = digest.finalize().to_hex().to_string();
    Ok(Outcome { texts, evidence, retain: None, decision: Decision::default() })
}

/// The fields of the evidence that are known from the start.
fn head(call: &ToolCall, policy: &Policy, counter: &dyn TokenCounter) -> Evidence {
    let tokens = evidence::Tokens { counter: counter.name().to_owned(), ..Default::default() };
    Evidence { mode: policy.mode, exit_code: call.exit_code, tokens, ..Evidence::default() }
}

fn add_sizes(evidence: &mut Evidence, counter: &dyn TokenCounter, before: &str, after: &str) {
    let tokens_before = counter.count(before);
    let tokens_after = if before == after { tokens_before } else { counter.count(after) };
    evidence.tokens.before += tokens_before;
    evidence.tokens.after += tokens_after;
    evidence.bytes.before += before.len();
    evidence.bytes.after += after.len();
    evidence.lines.before += count_lines(before);
    evidence.lines.after += count_lines(after);
}

fn redaction_counts(counts: &Counts) -> Vec<evidence::RedactionCount> {
    let mut out: Vec<evidence::RedactionCount> = Vec::new();
    for (rule, count) in counts {
        match out.iter_mut().find(|r| r.rule == *rule) {
            Some(row) => row.count += count,
            None => out.push(evidence::RedactionCount { rule: (*rule).to_owned(), count: *count }),
        }
    }
    out
}

/// The work on one result.
struct Run<'a> {
    call: &'a ToolCall,
    policy: &'a Policy,
    counter: &'static dyn TokenCounter,
    evidence: Evidence,
    retain: Option<Retain>,
    /// Tokens of the sanitized text of each part.
    source_tokens: Vec<usize>,
}

impl Run<'_> {
    /// Starts the evidence: what came in, what the safe stage did, what would be stored.
    fn begin(&mut self, raws: &[Raw<'_>], parts: &[Sanitized]) {
        self.evidence = head(self.call, self.policy, self.counter);
        let mut digest = blake3::Hasher::new();
        let mut stored: Vec<u8> = Vec::new();
        let mut original: Vec<u8> = Vec::new();
        let mut mime = None;
        let cleaned = parts.iter().any(|p| p.original.is_some());
        let mut redactions = Counts::new();
        for (raw, part) in raws.iter().zip(parts) {
            self.evidence.bytes.before += raw.size();
            let tokens = self.counter.count(&part.text);
            self.source_tokens.push(tokens);
            self.evidence.tokens.before += match raw {
                Raw::Text(text) if *text == part.text => tokens,
                Raw::Text(text) => self.counter.count(text),
                Raw::Bytes(bytes) if *bytes == part.text.as_bytes() => tokens,
                Raw::Bytes(bytes) => self.counter.count(&String::from_utf8_lossy(bytes)),
            };
            digest.update(&(part.text.len() as u64).to_le_bytes()).update(part.text.as_bytes());
            redactions.extend(part.redactions.iter().copied());
            for (class, count) in &part.removals {
                match self.evidence.removals.iter_mut().find(|r| r.class == *class) {
                    Some(row) => row.count += count,
                    None => {
                        self.evidence.removals.push(Removal { class: (*class).to_owned(), count: *count })
                    }
                }
            }
            if part.binary.is_some() {
                let bytes = match raw {
                    Raw::Bytes(bytes) => bytes,
                    Raw::Text(text) => text.as_bytes(),
                };
                digest.update(bytes);
                mime = part.binary.as_ref().map(|b| b.mime);
                stored.extend_from_slice(bytes);
            } else {
                stored.extend_from_slice(part.text.as_bytes());
                if cleaned {
                    original.extend_from_slice(part.original.as_ref().unwrap_or(&part.text).as_bytes());
                }
            }
            // Line numbers run over all parts, so parts must not share a line.
            if raws.len() > 1 && stored.last().is_some_and(|b| *b != b'\n') {
                stored.push(b'\n');
            }
        }
        if mime.is_some() && self.policy.redact_secrets {
            stored = sanitize::redact_binary(stored);
        }
        let original = (cleaned && mime.is_none()).then_some(original);
        self.retain = (!stored.is_empty()).then_some(Retain { bytes: stored, original, mime });
        self.evidence.redactions = redaction_counts(&redactions);
        self.evidence.digest = digest.finalize().to_hex().to_string();
    }

    /// The text of every part after all steps but dedup.
    fn texts(&mut self, parts: &[Sanitized]) -> Vec<String> {
        let total: usize = parts.iter().map(|p| p.text.len()).sum();
        let mut lines_before = 0;
        let mut texts = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            if let Some(binary) = &part.binary {
                let marker = Marker::Binary { mime: binary.mime.to_owned(), bytes: binary.size };
                let mut text = marker.write();
                marker::seal(&mut text);
                self.evidence.tokens.after += self.counter.count(&text);
                texts.push(text);
                continue;
            }
            let source = Source::part(&part.text, lines_before);
            lines_before += source.len();
            let share =
                |bytes: usize| (bytes as u128 * part.text.len() as u128 / total.max(1) as u128) as usize;
            let text = self.one(&source, index, share(self.policy.max_output_bytes).max(1));
            texts.push(text);
        }
        texts
    }

    /// All steps on one part.
    fn one(&mut self, source: &Source<'_>, part: usize, cap_bytes: usize) -> String {
        if marker::is_sealed(source.text()) && !(self.policy.strict_cap && source.text().len() > cap_bytes) {
            self.step("standard", Reason::AlreadyCompressed, source.text().len(), source.text().len());
            self.evidence.tokens.after += self.source_tokens[part];
            return source.text().to_owned();
        }
        let (detection, reducer) = self.detect(source);
        let signals = match detection.reports_failures() {
            true => signals::failure_lines(source),
            false => Vec::new(),
        };
        self.evidence.guard.signals += signals.len();
        let mut state = (Ledger::new(source), source.text().len());
        self.attempt("embedded_binary", source, &[], &mut state, |_| embedded::reduce(source));
        if self.is_for_reducers(source) {
            self.standard(source, &detection, reducer, &signals, &mut state);
        }
        let ledger = self.cap(source, &detection, &signals, state.0, cap_bytes);
        self.evidence.guard.kept += guard::count_visible(source, &ledger, &signals);
        let handle = self.handle();
        let text = ledger.render(source, handle.as_deref());
        let text = self.sealed(source, part, text);
        if text != source.text() {
            for gap in ledger.gaps(source) {
                self.evidence.omissions.push(Omission {
                    lines: [gap.lines.0, gap.lines.1],
                    reason: gap.reason,
                    count: gap.count,
                    bytes: gap.bytes,
                    part,
                });
            }
        }
        text
    }

    /// Whether `standard` does anything beyond the safe stage with a text of this size.
    fn is_for_reducers(&mut self, source: &Source<'_>) -> bool {
        let size = source.text().len();
        if self.policy.mode < Mode::Standard {
            return false;
        }
        let why = match () {
            () if size < self.policy.min_bytes => Reason::BelowMinBytes,
            () if size > INPUT_LIMIT => Reason::OverInputLimit,
            () => return true,
        };
        self.step("standard", why, size, size);
        false
    }

    /// What the text is: by the call, and by the reducer whose grammar it follows.
    fn detect(&mut self, source: &Source<'_>) -> (Detection, Option<&'static dyn Reducer>) {
        let mut detection = detect::detect(self.call, source);
        let size = source.text().len();
        let input = Input { source, call: self.call, detection: &detection, policy: self.policy };
        let wanted =
            self.policy.mode >= Mode::Standard && (self.policy.min_bytes..=INPUT_LIMIT).contains(&size);
        let reducer =
            match catch_unwind(AssertUnwindSafe(|| if wanted { reduce::choose(&input) } else { None })) {
                Ok(reducer) => reducer,
                Err(_) => {
                    self.step("detect", Reason::ReducerPanicked, size, size);
                    None
                }
            };
        let family = reducer.map(|r| r.meta().family);
        match family {
            // What only the content told: the encoders must leave a diff alone, and what a log file
            // holds of a test run reports failures.
            Some("diff") => detection.shape = Shape::Diff,
            Some("test" | "build") => detection.shape = Shape::Other,
            _ => {}
        }
        if let Some(family) = family.or(detection.shape.family()) {
            self.evidence.family.get_or_insert_with(|| family.to_owned());
        }
        (detection, reducer)
    }

    /// The reducer, the encoders, the guard and the gate.
    fn standard(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        reducer: Option<&'static dyn Reducer>,
        signals: &[usize],
        state: &mut (Ledger, usize),
    ) {
        let input = Input { source, call: self.call, detection, policy: self.policy };
        if let Some(reducer) = reducer {
            let id = reducer.meta().id;
            if self.attempt(id, source, signals, state, |_| reducer.reduce(&input)) {
                self.evidence.reducer.get_or_insert_with(|| id.to_owned());
            }
        }
        for encoder in ENCODERS {
            self.attempt(encoder.id(), source, &[], state, |ledger| encoder.encode(&input, ledger));
        }
    }

    /// Tries one step and keeps its result only if it accounts for every line, passes the guard and
    /// makes the text smaller.
    fn attempt(
        &mut self,
        id: &str,
        source: &Source<'_>,
        signals: &[usize],
        state: &mut (Ledger, usize),
        step: impl FnOnce(&Ledger) -> Result<Reduction, Reason>,
    ) -> bool {
        let (ledger, size) = state;
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let reduction = step(ledger)?;
            let mut next = ledger.apply(source, reduction).map_err(|_| Reason::InvalidReduction)?;
            next.drop_unpaid(source);
            let verdict = guard::check(source, &mut next, signals);
            next.drop_unpaid(source);
            let after = next.size(source, self.any_handle());
            if after < *size { Ok((next, after, verdict)) } else { Err(Reason::NotPaying) }
        }));
        match tried.unwrap_or(Err(Reason::ReducerPanicked)) {
            Ok((next, after, verdict)) => {
                self.evidence.guard.restored += verdict.restored;
                self.step(id, Reason::Applied, *size, after);
                *state = (next, after);
                true
            }
            Err(Reason::NothingToDo) => false,
            Err(why) => {
                self.step(id, why, *size, *size);
                false
            }
        }
    }

    /// The head-tail limit of `standard` and the byte cap.
    fn cap(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        mut ledger: Ledger,
        bytes: usize,
    ) -> Ledger {
        let limit = self.policy.head_tail_bytes;
        if self.policy.mode >= Mode::Standard && limit > 0 && detection.shape == Shape::Other {
            let cap = Cap { bytes: limit, strict: false, reason: Reason::HeadTail };
            if let Some(next) = cap::apply(source, &ledger, signals, cap) {
                self.step("head_tail", Reason::Applied, source.text().len(), limit);
                ledger = next;
            }
        }
        let cap = Cap { bytes, strict: self.policy.strict_cap, reason: Reason::OutputCap };
        if let Some(next) = cap::apply(source, &ledger, signals, cap) {
            let (before, after) = (ledger.size(source, None), next.size(source, None));
            self.step("output_cap", Reason::Applied, before, after);
            self.evidence.capped = true;
            ledger = next;
        }
        ledger
    }

    /// The gate on the whole: the sealed text, or the source when that costs no more. Counts the
    /// tokens of what it gives.
    fn sealed(&mut self, source: &Source<'_>, part: usize, mut text: String) -> String {
        if text == source.text() {
            self.evidence.tokens.after += self.source_tokens[part];
            return text;
        }
        marker::seal(&mut text);
        let tokens = self.counter.count(&text);
        let over_cap = self.policy.strict_cap && source.text().len() > self.policy.max_output_bytes;
        let pays = text.len() <= source.text().len() && tokens <= self.source_tokens[part];
        if pays || over_cap {
            self.evidence.tokens.after += tokens;
            return text;
        }
        self.step("gate", Reason::NotPaying, source.text().len(), source.text().len());
        self.evidence.tokens.after += self.source_tokens[part];
        self.evidence.reducer = None;
        self.evidence.capped = false;
        source.text().to_owned()
    }

    /// Dedup, sizes and status.
    fn finish(mut self, parts: &[Sanitized], mut texts: Vec<String>, history: &dyn History) -> Outcome {
        let mut decision = Decision::default();
        let unchanged =
            texts.iter().zip(parts).all(|(text, part)| part.binary.is_none() && *text == part.text);
        self.evidence.status = if unchanged { Status::Unchanged } else { Status::Compressed };
        if self.policy.dedup {
            decision.key = Some(dedup::key(self.call, &self.evidence.digest));
            decision.duplicate_of = decision.key.as_ref().and_then(|key| history.first(key));
            if let Some(first) = &decision.duplicate_of
                && let Some(tokens) = dedup::replace(&mut texts, first, self.counter)
            {
                self.evidence.tokens.after = tokens;
                self.evidence.status = Status::Duplicate;
                self.evidence.duplicate_of = Some(first.call.clone());
                self.evidence.omissions.clear();
                self.evidence.reducer = None;
                self.evidence.capped = false;
            } else {
                decision.duplicate_of = None;
            }
        }
        if parts.iter().all(|p| p.binary.is_some()) && !parts.is_empty() && decision.duplicate_of.is_none() {
            self.evidence.status = Status::Suppressed;
        }
        if self
            .evidence
            .steps
            .iter()
            .any(|s| matches!(s.reason, Reason::ReducerPanicked | Reason::InvalidReduction))
            && unchanged
        {
            self.evidence.status = Status::FailedOpen;
        }
        self.evidence.lines.before = parts.iter().map(|p| count_lines(&p.text)).sum();
        self.evidence.lines.after = texts.iter().map(|t| count_lines(t)).sum();
        self.evidence.bytes.after = texts.iter().map(String::len).sum();
        self.evidence.summarize_suggested = self.evidence.tokens.after > self.policy.summarize_above;
        let cleaned = parts.iter().any(|p| p.original.is_some());
        if unchanged && !cleaned {
            self.retain = None;
        }
        Outcome { texts, evidence: self.evidence, retain: self.retain, decision }
    }

    fn step(&mut self, id: &str, reason: Reason, before: usize, after: usize) {
        self.evidence.steps.push(Step {
            id: id.to_owned(),
            reason,
            bytes_before: before,
            bytes_after: after,
        });
    }

    /// In place of `handle` where only its length matters: sizes need no hash of the original.
    fn any_handle(&self) -> Option<&'static str> {
        self.retain.as_ref().filter(|_| self.policy.expand_tool).map(|_| ANY_HANDLE)
    }

    /// The handle that markers carry, where the host has a tool to use it with.
    fn handle(&self) -> Option<String> {
        let retain = self.retain.as_ref().filter(|_| self.policy.expand_tool)?;
        let mut hex = blake3::hash(&retain.bytes).to_hex().to_string();
        hex.truncate(HANDLE_DIGITS);
        Some(hex)
    }
}

/// Hexadecimal digits of a handle in a marker: a prefix of the artifact's id.
pub const HANDLE_DIGITS: usize = 8;

/// As long as every handle.
const ANY_HANDLE: &str = "00000000";
const _: () = assert!(ANY_HANDLE.len() == HANDLE_DIGITS);
