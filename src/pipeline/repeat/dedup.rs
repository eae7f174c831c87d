//! Results that are exactly repeated: the later result becomes a reference to the earlier one.
//!
//! The canonical tool and the sanitized original are compared, never a compressed form. The session knows what was
//! shown before; this module only asks it.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use crate::config::{Policy, Scale};
use crate::detect::wrapper;
use crate::pipeline::evidence::Rung;
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::repeat::blocks::{Earlier, Reference};
use crate::pipeline::repeat::times;
use crate::sanitize::spare::Fingerprint;
use crate::text::call::ToolCall;
use crate::text::marker::{self, Ago, Marker, SealKey};
use crate::text::origin::Origin;
use crate::text::relevance::Term;
use crate::text::signals;
use crate::text::source::Source;
use crate::tokens::TokenCounter;

/// Equal for two results that count as the same: a digest of the tool's canonical name and of the sanitized text.
/// Kept small, since a session keeps one for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 16]);

/// An earlier result that is still in the model's context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct First {
    /// The id of its call.
    pub call: String,
    /// Its tool, as the host wrote it.
    pub tool: String,
    /// A label of its call.
    pub label: Option<String>,
    /// How far back it was shown.
    pub ago: Ago,
    /// Whether the two results differ, but only in times.
    pub differs_in_times: bool,
    /// Whether the model sees the ids of calls.
    pub shows_id: bool,
}

impl First {
    /// The same result as the marker names it: without an id that the model does not see, and without a count that
    /// it cannot check.
    pub fn as_named_in_marker(self, policy: &Policy) -> Self {
        Self { shows_id: policy.ids_visible, ago: self.ago.if_counted(policy.sees_all_results), ..self }
    }

    /// The origin of the result.
    pub fn origin(&self) -> Origin {
        Origin { call: self.call.clone(), tool: self.tool.clone(), argument: None, label: self.label.clone() }
    }

    /// The markers that may replace a whole text, the most informative first.
    fn markers(&self) -> Vec<String> {
        if self.is_sealed() {
            let origin = if self.shows_id { self.origin() } else { self.origin().without_id() };
            let short = Origin { label: None, ..origin.clone() };
            let (ago, differs_in_times) = (self.ago, self.differs_in_times);
            return [origin, short]
                .map(|origin| Marker::Same { origin, ago, differs_in_times }.write())
                .into();
        }
        let marker = |label: Option<&String>, ago| {
            let (call, tool) = (self.call.clone(), self.tool.clone());
            Marker::Duplicate { call, tool, label: label.cloned(), ago }.write()
        };
        vec![marker(self.label.as_ref(), Some(self.ago)), marker(None, Some(self.ago)), marker(None, None)]
    }

    /// Whether the reference gets a seal. Without an id in it, any program could print the same words.
    fn is_sealed(&self) -> bool {
        self.differs_in_times || !self.shows_id
    }
}

/// The session data that an outcome used, and what the session should remember. It is kept as long as the session
/// lives, so that the same outcome can be made again after the session has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// The key by which repeated results are found; `None` if the result is not compared.
    pub key: Option<Key>,
    /// The earlier result, if this result became a reference to it.
    pub duplicate_of: Option<Box<First>>,
    /// Runs of lines that became references.
    pub references: Vec<Reference>,
    /// Digest of the text without digits; `None` if it is not needed.
    pub similarity_hash: Option<u64>,
    /// Whether the request was repeated and therefore answered in full.
    pub asked_again: bool,
    /// The terms of the session's recent calls, if they influenced what was left out.
    pub terms: Vec<Term>,
    /// Texts that the agent wrote into the file, if they influenced what was left out.
    pub edited: Vec<Arc<str>>,
    /// Lines of the file to which recent results point, if they influenced what was left out.
    pub pointed: Vec<u32>,
    /// Lines that the last answer to the same question did not have, by the index of their part: they are shown.
    pub new_lines: Vec<(u32, u32)>,
    /// Whether the text was only a reference to a call that the session knew.
    pub own_marker: bool,
    /// The factor of its limits.
    pub scale: Scale,
    /// The mode and the budget that were asked for in addition to the policy. Later requests for the same result do
    /// not change them.
    pub asked: Ask,
    /// The rung that was reached for `asked`.
    pub rung: Rung,
    /// Whether it became a pointer and a preview.
    pub externalized: bool,
    /// Whether it has a line that says how to read its original.
    pub hinted: bool,
    /// Fingerprints of the secrets that it shows, because the model itself wrote them into its calls.
    pub wrote: Vec<Fingerprint>,
}

/// What the session knows about earlier results.
pub trait History {
    /// The earlier, still visible result with this key, if there is one.
    fn first(&self, key: &Key) -> Option<First>;

    /// The earlier run with an equal output apart from times, by its key without times.
    fn first_without_times(&self, _key: &Key) -> Option<First> {
        None
    }

    /// Whether the session returned exactly this text in place of a repeated result: only then it counts as our text.
    fn referred(&self, text: &str) -> bool;

    /// Whether the model itself wrote this value, given with its fingerprint, into a call.
    fn wrote(&self, _value: &[u8], _fingerprint: Fingerprint) -> bool {
        false
    }

    /// What earlier outputs show.
    fn earlier(&self) -> Earlier<'_> {
        Earlier::Nothing
    }

    /// The texts that the agent wrote last into the file at which the call looks.
    fn edited(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Lines to which recent results point, in the file at which the call looks; newest first.
    fn pointed(&self) -> Vec<u32> {
        Vec::new()
    }

    /// The lines of a part that the last answer to the same question did not have.
    fn new_lines(&self, _part: usize, _source: &Source<'_>) -> Vec<u32> {
        Vec::new()
    }

    /// The terms that the session is about.
    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }

    /// The factor for the limits, by the size of the context.
    fn scale(&self) -> Scale {
        Scale::FULL
    }

    /// Whether there is a session that needs to know which lines are shown.
    fn tracks_visibility(&self) -> bool {
        false
    }

    /// The decision that was made when this result was first sent.
    fn decided(&self) -> Option<&Decision> {
        None
    }

    /// Whether the same request got a result with this similarity hash before, as a reference or with gaps.
    fn is_repeated(&self, _similarity_hash: u64) -> bool {
        false
    }
}

/// There is no session: nothing was shown before.
#[derive(Debug, Clone, Copy)]
pub struct NoHistory;

impl History for NoHistory {
    fn first(&self, _: &Key) -> Option<First> {
        None
    }

    fn referred(&self, _: &str) -> bool {
        false
    }
}

/// The key of a result. `digest` is the hexadecimal BLAKE3 digest of the sanitized text.
pub fn key(call: &ToolCall, digest: &str) -> Key {
    let tool = call.canonical_tool();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(tool.len() as u64).to_le_bytes()).update(tool.as_bytes()).update(digest.as_bytes());
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Key(half)
}

/// The key of a run without its times: like [`key`], but of the texts without times.
pub fn key_without_times<'a>(call: &ToolCall, texts: impl Iterator<Item = &'a str>) -> Key {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        times::without(text, |piece| _ = hasher.update(piece));
        hasher.update(&[0xFF]);
    }
    // The prefix keeps these keys apart from the others.
    key(call, &format!("times {}", hasher.finalize().to_hex()))
}

/// Calls `found` with each piece between two digits that is not empty.
pub(super) fn pieces_without_digits(bytes: &[u8], mut found: impl FnMut(&[u8])) {
    let mut start = 0;
    while start < bytes.len() {
        let end = next_digit(bytes, start);
        if start < end {
            found(&bytes[start..end]);
        }
        start = end + 1;
    }
}

/// The first digit from `from` on, or the end. Examines eight bytes at a time: most are not digits.
fn next_digit(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let mut at = from;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        // Of a digit, the lower bits are at most 9; adding 118 sets the highest bit of anything larger.
        let bits = u64::from_le_bytes(*eight) ^ (ONES * 0x30);
        let others = ((bits & (ONES * 0x7F)) + ONES * 118) | bits;
        let digits = !others & (ONES * 0x80);
        if digits != 0 {
            return at + digits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    bytes[at..].iter().position(u8::is_ascii_digit).map_or(bytes.len(), |n| at + n)
}

/// Digest of texts without their digits, so that a run that took longer gets the same one.
pub fn similarity_hash<'a>(texts: impl Iterator<Item = &'a str>) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    for text in texts {
        pieces_without_digits(text.as_bytes(), |piece| hasher.write(piece));
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}

/// A text of fewer tokens is not replaced.
const MIN_TOKENS: usize = 40;

/// Replaces every text by the reference and its lines of `shown_again`, if that costs fewer tokens. Returns the
/// tokens of all texts, or `None` if nothing was replaced.
pub fn replace(
    texts: &mut [String],
    shown_again: &[String],
    first: &First,
    seal_key: &SealKey,
    counter: &dyn TokenCounter,
) -> Option<usize> {
    let markers = first.markers();
    let mut replaced = false;
    let mut total = 0;
    for (i, text) in texts.iter_mut().enumerate() {
        let tokens = counter.count(text);
        let lines = shown_again.get(i).map_or("", String::as_str);
        let pays = |marker: &String| {
            let new = with_lines(marker, lines, first, seal_key);
            let cost = counter.count(&new);
            (tokens >= MIN_TOKENS && new.len() < text.len() && cost < tokens).then_some((new, cost))
        };
        match markers.iter().find_map(pays) {
            Some((new, cost)) => {
                *text = new;
                replaced = true;
                total += cost;
            }
            None => total += tokens,
        }
    }
    replaced.then_some(total)
}

fn with_lines(marker: &str, lines: &str, first: &First, seal_key: &SealKey) -> String {
    let mut new = marker.to_owned();
    if !lines.is_empty() {
        new.push('\n');
        new.push_str(lines);
    }
    if first.is_sealed() {
        marker::seal(&mut new, seal_key);
    }
    new
}

/// The most failure lines of an equal result that are shown again, and the longest such line in bytes. A choice: the
/// earlier result shows the rest unchanged.
const MAX_SHOWN_AGAIN: usize = 5;
const MAX_SHOWN_AGAIN_BYTES: usize = 500;

/// The lines of a command's output that are shown again although an earlier result shows them: failure lines, and the
/// last line if it says how the command ended. If the results differ in times, all failure lines are shown, since a time in one may be the failure.
pub fn shown_again(source: &Source<'_>, signals: &[usize], differs_in_times: bool) -> String {
    let is_short = |line: &usize| source.line(*line).len() <= MAX_SHOWN_AGAIN_BYTES;
    let mut lines: Vec<usize> = match differs_in_times {
        true => signals.to_vec(),
        false => signals.iter().copied().filter(is_short).take(MAX_SHOWN_AGAIN).collect(),
    };
    // A marker is not a line of the tool.
    let says =
        |line: &usize| !source.line(*line).trim().is_empty() && Marker::parse(source.line(*line)).is_none();
    // The frame that a tool puts around an output does not show how the command ended.
    let inside = wrapper::inside(source).unwrap_or(0..source.len());
    let last = inside.clone().rev().find(says);
    // `pytest -qq` may end with advice on warnings; then the last row of marks shows the result.
    let is_advice = last.is_some_and(|last| source.line(last).starts_with("-- Docs: "));
    let marks = || inside.clone().rev().find(|line| source.line(*line).trim_end().ends_with("[100%]"));
    let last = if is_advice { marks().or(last) } else { last };
    let says_how = |line: &usize| states_outcome(source.line(*line));
    let is_new = |last: &usize| lines.last().is_none_or(|line| line < last);
    let last = last.filter(|last| is_short(last) && is_new(last) && says_how(last));
    lines.extend(last);
    lines.into_iter().map(|line| source.line(line)).collect::<Vec<_>>().join("\n")
}

/// Words with which programs say how they ended, in lower case.
const OUTCOMES: &[&str] = &[
    "aborted",
    "accuracy",
    "already",
    "built",
    "cannot",
    "clean",
    "complete",
    "completed",
    "created",
    "deleted",
    "denied",
    "done",
    "elapsed",
    "ended",
    "error",
    "errors",
    "exit",
    "exited",
    "failed",
    "finished",
    "found",
    "identical",
    "installed",
    "invalid",
    "no",
    "none",
    "not",
    "nothing",
    "ok",
    "okay",
    "pass",
    "passed",
    "ready",
    "refused",
    "removed",
    "result",
    "results",
    "saved",
    "score",
    "skipped",
    "stopped",
    "succeeded",
    "success",
    "successful",
    "successfully",
    "summary",
    "total",
    "totals",
    "unable",
    "unchanged",
    "updated",
    "valid",
    "warning",
    "warnings",
    "written",
    "wrote",
];

/// Whether a line says how something ended: a verdict, a total or a count. The last brace, address or path of a listing does
/// not.
fn states_outcome(line: &str) -> bool {
    const MARKS: &[char] =
        &['\u{2713}', '\u{2714}', '\u{2717}', '\u{2718}', '\u{2705}', '\u{274C}', '\u{2716}'];
    if signals::is_failure(line) || line.contains(MARKS) || line.trim_end().ends_with("[100%]") {
        return true;
    }
    let is_outcome = |word: &str| OUTCOMES.iter().any(|outcome| word.eq_ignore_ascii_case(outcome));
    if line.split(|c: char| !c.is_alphanumeric()).any(is_outcome) {
        return true;
    }
    // `(12 rows)`, `3 files changed`, `Duration: 1.2 s`
    let text = line.trim_start_matches(['(', '[', '=', '-', '#', '*', ' ']);
    let (first, rest) = text.split_once([' ', ':', '=']).unwrap_or((text, ""));
    let is_word = |word: &str| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_alphabetic());
    let is_number =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b',' || b == b'.');
    let next = rest.split([' ', ')', ']', ',']).next().unwrap_or_default();
    let is_count = is_number(first) && is_word(next);
    let is_value = line.starts_with(first) && is_word(first) && !text[first.len()..].starts_with(' ');
    is_count
        || is_value && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
        || is_named_number(line)
}

/// Whether a line is some words and a number, such as `average reward: -3.5`.
fn is_named_number(line: &str) -> bool {
    const MAX_WORDS: usize = 4;
    let Some((name, number)) = line.trim_end().split_once(": ") else { return false };
    let is_number = number.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic());
    is_number && name.split(' ').count() <= MAX_WORDS && name.split(' ').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_what_is_between_digits(text in "([a-c/:\u{b9}\u{e9}]{0,12}[0-9]{0,3}){0,8}") {
            let bytes = text.as_bytes();
            let mut pieces = Vec::new();
            pieces_without_digits(bytes, |piece| pieces.push(piece.to_vec()));
            let expected: Vec<_> = bytes.split(u8::is_ascii_digit).filter(|piece| !piece.is_empty()).collect();
            prop_assert_eq!(pieces, expected);
        }
    }

    #[test]
    fn what_is_shown_again_says_how_it_went() {
        let marks = "..          [100%]\n=== warnings summary ===\na.py:1\n  a.py:1: DeprecationWarning: b\n    import b\n\n";
        for (text, last) in [
            ("a\nb\n\n", ""),
            ("{\n}\n", ""),
            ("x\n1e:05:9b:38\n", ""),
            ("a\nsrc/b.rs\n", ""),
            ("a\n(12 rows)\n", "(12 rows)"),
            ("a\nDuration: 1.2 s\n", "Duration: 1.2 s"),
            ("a\naverage reward: -30.5\n", "average reward: -30.5"),
            ("a\n  replicas of it: 3\n", ""),
            ("a\nE: Unable to correct problems, b\n", "E: Unable to correct problems, b"),
            ("a\nAll done.\n", "All done."),
            ("a\nnothing to commit, working tree clean\n", "nothing to commit, working tree clean"),
            (
                &*format!("{marks}-- Docs: https://docs.pytest.org/x\n2 passed in 0.01s\n"),
                "2 passed in 0.01s",
            ),
            (&*format!("{marks}-- Docs: https://docs.pytest.org/x\n"), "..          [100%]"),
        ] {
            assert_eq!(shown_again(&Source::new(text), &[], false), last);
        }
    }
}
