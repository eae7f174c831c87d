//! Builds the evidence of a result, decides what is stored, and whether the result repeats an earlier one.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use super::blocks::Earlier;
use super::dedup::{self, Decision, History};
use super::evidence::{self, Evidence, Removal, Status, Step};
use super::exclude;
use super::run::Run;
use super::{Outcome, Retain};
use crate::config::{Mode, Policy};
use crate::sanitize;
use crate::sanitize::spare;
use crate::sanitize::spare::Met;
use crate::sanitize::{Counts, Raw, Sanitized};
use crate::stop;
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::source::count_lines;
use crate::tokens::{LineCounts, TokenCounter};

/// Bytes that are hashed between two looks at whether anybody waits.
const PIECE: usize = 1 << 20;

/// The fields of the evidence that are known from the start.
pub(super) fn head(call: &ToolCall, policy: &Policy, counter: &dyn TokenCounter) -> Evidence {
    let tokens = evidence::Tokens { counter: counter.name().to_owned(), ..Default::default() };
    Evidence { mode: policy.mode, exit_code: call.exit_code, tokens, ..Evidence::default() }
}

pub(crate) fn redaction_counts(counts: &Counts) -> Vec<evidence::RedactionCount> {
    let mut out: Vec<evidence::RedactionCount> = Vec::new();
    for (rule, count) in counts {
        match out.iter_mut().find(|r| r.rule == *rule) {
            Some(row) => row.count += count,
            None => out.push(evidence::RedactionCount {
                rule: (*rule).to_owned(),
                count: *count,
                fingerprints: Vec::new(),
            }),
        }
    }
    out
}

/// Tells what the secrets that went are known by. Without a key of the installation anybody could try values.
pub(crate) fn tell_fingerprints(redactions: &mut [evidence::RedactionCount], met: &Met, policy: &Policy) {
    if policy.seal_key.is_unset() {
        return;
    }
    for row in redactions {
        let own = met.gone.iter().filter(|(rule, _)| *rule == row.rule);
        row.fingerprints = own.map(|(_, fingerprint)| spare::shown(*fingerprint)).collect();
    }
}

/// What the safe stage made of a result: the same for every run over it.
#[derive(Debug)]
pub(super) struct Input {
    /// The evidence as far as it is known before the first run.
    pub(super) evidence: Evidence,
    /// Tokens of the sanitized text of each part.
    pub(super) source_tokens: Vec<usize>,
    /// The same line by line, where the counter can tell.
    line_counts: Arc<[Option<LineCounts>]>,
    /// The original to store.
    pub(super) retain: Option<Arc<Retain>>,
}

impl Input {
    /// Counts what came in.
    pub(super) fn new(
        call: &ToolCall,
        policy: &Policy,
        counter: &dyn TokenCounter,
        raws: &[Raw<'_>],
        parts: &[Sanitized],
    ) -> Self {
        let mut evidence = head(call, policy, counter);
        let mut source_tokens = Vec::with_capacity(parts.len());
        let mut line_counts = Vec::with_capacity(parts.len());
        let mut digest = blake3::Hasher::new();
        let mut redactions = Counts::new();
        for (raw, part) in raws.iter().zip(parts) {
            evidence.bytes.before += raw.size();
            stop::check();
            let by_line = counter.count_lines(&part.text);
            let tokens = by_line.as_ref().map_or_else(|| counter.count(&part.text), LineCounts::total);
            source_tokens.push(tokens);
            line_counts.push(by_line);
            evidence.tokens.before += match raw {
                Raw::Text(text) if **text == *part.text => tokens,
                Raw::Text(text) => counter.count(text),
                Raw::Bytes(bytes) if *bytes == part.text.as_bytes() => tokens,
                Raw::Bytes(bytes) => counter.count(&String::from_utf8_lossy(bytes)),
            };
            digest.update(&(part.text.len() as u64).to_le_bytes());
            for piece in part.text.as_bytes().chunks(PIECE) {
                stop::check();
                digest.update(piece);
            }
            if part.binary.is_some() {
                digest.update(raw.bytes());
            }
            redactions.extend(part.redactions.iter().copied());
            for (class, count) in &part.removals {
                match evidence.removals.iter_mut().find(|r| r.class == *class) {
                    Some(row) => row.count += count,
                    None => evidence.removals.push(Removal { class: (*class).to_owned(), count: *count }),
                }
            }
        }
        evidence.redactions = redaction_counts(&redactions);
        evidence.digest = digest.finalize().to_hex().to_string();
        let retain = retain(raws, parts, policy.redact_secrets).map(Arc::new);
        Self { evidence, source_tokens, line_counts: line_counts.into(), retain }
    }
}

impl<'a> Run<'a> {
    /// Starts the work on what came in.
    pub(super) fn begin(
        call: &'a ToolCall,
        policy: &'a Policy,
        counter: &'static dyn TokenCounter,
        input: &Input,
        history: &'a dyn History,
        in_full: bool,
    ) -> Self {
        let bypass = in_full.then_some(Reason::AskedAgain);
        let evidence = Evidence { bypass, mode: policy.mode, ..input.evidence.clone() };
        let relevance = Rc::new(Relevance::new(call.query.as_deref(), &call.mentioned(), &[]));
        let dedups = policy.dedup && policy.mode >= Mode::Standard && !in_full && !policy.never_omit;
        let earlier = if dedups { history.earlier() } else { Earlier::Nothing };
        let mut run = Self {
            call,
            policy,
            counter,
            evidence,
            retain: input.retain.clone(),
            source_tokens: input.source_tokens.clone(),
            line_counts: Arc::clone(&input.line_counts),
            relevance,
            earlier,
            tracks_visibility: history.tracks_visibility(),
            references: Vec::new(),
            shown: Lines::default(),
            session_terms: history.terms(),
            terms: Vec::new(),
            mentions: Vec::new(),
            key: None,
            duplicate_of: None,
            in_full,
            is_read: false,
            rewrites: true,
            is_verbatim: exclude::is_verbatim(call, policy),
            rule: None,
            is_held: false,
            trace: None,
            timer: None,
            limit: None,
            pointer: None,
            weighs: false,
            needs: 0,
            tables: true,
            dictionary: None,
        };
        if policy.dedup {
            run.key = Some(dedup::key(call, &run.evidence.digest));
            let key = run.key.as_ref().filter(|_| dedups);
            run.duplicate_of = key.and_then(|key| history.first(key));
            // What repeats as a whole is not looked up line by line.
            if run.duplicate_of.is_some() {
                run.earlier = Earlier::Nothing;
            }
        }
        run
    }

    /// Dedup, sizes and status.
    pub(super) fn finish(mut self, parts: &[Sanitized], mut texts: Vec<String>) -> Outcome {
        let mut decision = Decision::default();
        let as_sanitized =
            texts.iter().zip(parts).all(|(text, part)| part.binary.is_none() && **text == *part.text);
        let as_it_came =
            as_sanitized && parts.iter().all(|p| p.redactions.is_empty() && p.removals.is_empty());
        self.evidence.status = if as_it_came { Status::Unchanged } else { Status::Compressed };
        decision.key = self.key.take();
        if let Some(first) = self.duplicate_of.take()
            && let Some(tokens) = dedup::replace(&mut texts, &first, self.counter)
        {
            self.evidence.tokens.after = tokens;
            self.evidence.status = Status::Duplicate;
            self.evidence.duplicate_of = Some(first.call.clone());
            self.evidence.omissions.clear();
            self.evidence.reducer = None;
            self.evidence.capped = false;
            self.shown = Lines::default();
            decision.duplicate_of = Some(Box::new(first));
        }
        if parts.iter().all(|p| p.binary.is_some()) && !parts.is_empty() && decision.duplicate_of.is_none() {
            self.evidence.status = Status::Suppressed;
        }
        let failed = |s: &Step| matches!(s.reason, Reason::ReducerPanicked | Reason::InvalidReduction);
        if as_sanitized && self.evidence.steps.iter().any(failed) {
            self.evidence.status = Status::FailedOpen;
        }
        self.evidence.lines.before = parts.iter().map(|p| count_lines(&p.text)).sum();
        self.evidence.lines.after = texts.iter().map(|t| count_lines(t)).sum();
        self.evidence.bytes.after = texts.iter().map(String::len).sum();
        self.evidence.summarize_suggested = self.evidence.tokens.after > self.policy.summarize_above;
        let cleaned = parts.iter().any(|p| p.original.is_some());
        if as_sanitized && !cleaned {
            self.retain = None;
        }
        decision.references = self.references;
        decision.terms = self.terms;
        Outcome {
            texts,
            evidence: self.evidence,
            retain: self.retain,
            decision,
            shown: self.shown,
            mentions: self.mentions,
            needs: self.needs,
        }
    }
}

/// What would be stored: the sanitized text of all parts, or binary data where there are any.
fn retain(raws: &[Raw<'_>], parts: &[Sanitized], redact: bool) -> Option<Retain> {
    let mime = parts.iter().rev().find_map(|p| p.binary.as_ref()).map(|b| b.mime);
    let cleaned = mime.is_none() && parts.iter().any(|p| p.original.is_some());
    if let ([_], [part]) = (raws, parts)
        && mime.is_none()
        && !cleaned
    {
        let bytes = Arc::<[u8]>::from(Arc::clone(&part.text));
        return (!bytes.is_empty()).then(|| Retain { bytes, original: None, mime, hash: OnceLock::new() });
    }
    let mut stored: Vec<u8> = Vec::new();
    let mut original: Vec<u8> = Vec::new();
    for (raw, part) in raws.iter().zip(parts) {
        if part.binary.is_some() {
            stored.extend_from_slice(raw.bytes());
            continue;
        }
        stored.extend_from_slice(part.text.as_bytes());
        if cleaned {
            original.extend_from_slice(part.original.as_deref().unwrap_or(&part.text).as_bytes());
        }
        // Line numbers run over all parts, so parts must not share a line.
        if raws.len() > 1 && stored.last().is_some_and(|b| *b != b'\n') {
            stored.push(b'\n');
        }
    }
    if mime.is_some() && redact {
        stored = sanitize::redact_binary(stored);
    }
    let original = cleaned.then_some(original);
    let bytes = Some(Arc::<[u8]>::from(stored)).filter(|bytes| !bytes.is_empty())?;
    Some(Retain { bytes, original, mime, hash: OnceLock::new() })
}
