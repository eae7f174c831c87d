//! The input, counted: the first fields of its evidence and the original to store. The same for every run over it.

use std::sync::{Arc, OnceLock};

use super::Retain;
use super::evidence::{self, Evidence, Removal};
use crate::config::Policy;
use crate::sanitize;
use crate::sanitize::spare;
use crate::sanitize::spare::Met;
use crate::sanitize::{Counts, Raw, Sanitized};
use crate::stop;
use crate::text::call::ToolCall;
use crate::text::reason::Reason;
use crate::tokens::{LineCounts, TokenCounter};

/// Bytes that are hashed between two checks for cancellation.
const HASH_PIECE_BYTES: usize = 1 << 20;

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

/// Adds fingerprints of the removed secrets to the evidence, if there is a key of the installation. Without a key,
/// anybody could find a value by trying out guesses.
pub(crate) fn add_fingerprints(redactions: &mut [evidence::RedactionCount], met: &Met, policy: &Policy) {
    if policy.seal_key.is_unset() {
        return;
    }
    for row in redactions {
        let own = met.gone.iter().filter(|(rule, _)| *rule == row.rule);
        row.fingerprints = own.map(|(_, fingerprint)| spare::shown(*fingerprint)).collect();
    }
}

/// A result after the safe stage.
#[derive(Debug)]
pub(super) struct Received {
    /// The evidence as far as it is known before the first run.
    pub(super) evidence: Evidence,
    /// Tokens of the sanitized text of each part.
    pub(super) source_tokens: Vec<usize>,
    /// Tokens of each line, if the counter's counts add up over lines.
    pub(super) line_counts: Vec<Option<LineCounts>>,
    /// The original to store.
    pub(super) retain: Option<Arc<Retain>>,
}

impl Received {
    /// Counts the input.
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
            let total = |by_line: Option<&LineCounts>, text: &str| {
                by_line.map_or_else(|| counter.count(text), LineCounts::total)
            };
            let tokens = total(by_line.as_ref(), &part.text);
            source_tokens.push(tokens);
            line_counts.push(by_line);
            evidence.tokens.before += match raw {
                Raw::Text(text) if **text == *part.text => tokens,
                // The counter remembers the lines that are the same.
                Raw::Text(text) => total(counter.count_lines(text).as_ref(), text),
                Raw::Bytes(bytes) if *bytes == part.text.as_bytes() => tokens,
                Raw::Bytes(bytes) => counter.count(&String::from_utf8_lossy(bytes)),
            };
            digest.update(&(part.text.len() as u64).to_le_bytes());
            for piece in part.text.as_bytes().chunks(HASH_PIECE_BYTES) {
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
        Self { evidence, source_tokens, line_counts, retain }
    }

    /// The evidence of a run before its first part.
    pub(super) fn evidence(&self, policy: &Policy, in_full: bool) -> Evidence {
        let bypass = in_full.then_some(Reason::AskedAgain);
        Evidence { bypass, mode: policy.mode, ..self.evidence.clone() }
    }
}

/// The original to store: the sanitized text of all parts, or binary data if there are any.
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
