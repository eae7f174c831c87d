//! Exact repetition across results: the later result becomes a reference to the earlier one.
//!
//! Compared are the canonical tool and the sanitized original, never a compressed form. What was
//! shown before is the session's to know; here it is only asked.

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
use crate::text::source::Source;
use crate::tokens::TokenCounter;

/// What two results must share to be the same: a digest of the tool's canonical name and of the sanitized
/// text. As small as it can be, since a session keeps one for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key([u8; 16]);

/// An earlier result that is still in the model's context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct First {
    /// Its call id.
    pub call: String,
    /// Its tool, as the host wrote it.
    pub tool: String,
    /// What it was about.
    pub label: Option<String>,
    /// How far back it was shown.
    pub ago: Ago,
    /// Whether the two differ in times.
    pub but_for_times: bool,
    /// Whether the model sees the ids of calls.
    pub shows_id: bool,
}

impl First {
    /// The same as the model may be told of it.
    pub fn as_told(self, policy: &Policy) -> Self {
        Self { shows_id: policy.ids_visible, ago: self.ago.if_counted(policy.sees_all_results), ..self }
    }

    /// Where it stands.
    pub fn origin(&self) -> Origin {
        Origin { call: self.call.clone(), tool: self.tool.clone(), argument: None, label: self.label.clone() }
    }

    /// The markers that may stand for the whole of a text, the one that says most first.
    fn markers(&self) -> Vec<String> {
        if self.is_sealed() {
            let origin = if self.shows_id { self.origin() } else { self.origin().without_id() };
            let short = Origin { label: None, ..origin.clone() };
            let (ago, but_for_times) = (self.ago, self.but_for_times);
            return [origin, short].map(|origin| Marker::Same { origin, ago, but_for_times }.write()).into();
        }
        let marker = |label: Option<&String>, ago| {
            let (call, tool) = (self.call.clone(), self.tool.clone());
            Marker::Duplicate { call, tool, label: label.cloned(), ago }.write()
        };
        vec![marker(self.label.as_ref(), Some(self.ago)), marker(None, Some(self.ago)), marker(None, None)]
    }

    /// Whether the reference gets a seal. Without an id any program could print the same words.
    fn is_sealed(&self) -> bool {
        self.but_for_times || !self.shows_id
    }
}

/// The session data that an outcome used, and what the session should remember. Kept as long as the session
/// lives, so that the outcome can be made again without the session's state of that moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// The key by which repeated results are found; `None` if the result takes no part.
    pub key: Option<Key>,
    /// The earlier result that it became a reference to.
    pub duplicate_of: Option<Box<First>>,
    /// Runs of lines that became references.
    pub references: Vec<Reference>,
    /// Digest of the text in which every digit counts the same; `None` where it is not needed.
    pub likeness: Option<u64>,
    /// Whether the request was repeated and therefore answered in full.
    pub asked_again: bool,
    /// What the session talked about, as far as it decided what was left out.
    pub terms: Vec<Term>,
    /// Texts that the agent wrote into the file, as far as they decided what was left out.
    pub edited: Vec<Arc<str>>,
    /// Lines of the file that recent results point at, as far as they decided what was left out.
    pub pointed: Vec<u32>,
    /// Whether the text was nothing but a reference to a call that the session knew.
    pub own_marker: bool,
    /// What its limits were multiplied by.
    pub scale: Scale,
    /// What was asked of it beside its policy, and how far that had to go. What is asked later of the same
    /// result changes nothing.
    pub asked: Ask,
    /// See `asked`.
    pub rung: Rung,
    /// Whether it became a pointer with a preview.
    pub externalized: bool,
    /// Whether it says how its original is read.
    pub hinted: bool,
    /// Fingerprints of the secrets that it shows since the model wrote them into its calls.
    pub wrote: Vec<Fingerprint>,
}

/// What the session knows.
pub trait History {
    /// The earlier, still visible result with this key, if there is one.
    fn first(&self, key: &Key) -> Option<First>;

    /// The earlier run that gave the same but for times, by its key without times.
    fn first_but_for_times(&self, _key: &Key) -> Option<First> {
        None
    }

    /// Whether the session gave exactly this text in place of a repeated result: only then it counts as ours.
    fn referred(&self, text: &str) -> bool;

    /// Whether the model itself wrote this value, given with its fingerprint, into a call.
    fn wrote(&self, _value: &[u8], _fingerprint: Fingerprint) -> bool {
        false
    }

    /// What earlier outputs show.
    fn earlier(&self) -> Earlier<'_> {
        Earlier::Nothing
    }

    /// What the agent wrote last into the file that the call looks at.
    fn edited(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Lines of the file that the call looks at which recent results point at, the newest first.
    fn pointed(&self) -> Vec<u32> {
        Vec::new()
    }

    /// What the session talks about.
    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }

    /// What the limits are multiplied by, for the size of the context.
    fn scale(&self) -> Scale {
        Scale::FULL
    }

    /// Whether there is a session that wants to know what is shown.
    fn tracks_visibility(&self) -> bool {
        false
    }

    /// What was decided for this very result when it came first.
    fn decided(&self) -> Option<&Decision> {
        None
    }

    /// Whether the same request got a text of this likeness before, as a reference or with gaps.
    fn is_repeated(&self, _likeness: u64) -> bool {
        false
    }
}

/// No session: nothing was shown before.
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

/// What a result is compared by. `digest` is the hexadecimal BLAKE3 digest of the sanitized text.
pub fn key(call: &ToolCall, digest: &str) -> Key {
    let tool = call.canonical_tool();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(tool.len() as u64).to_le_bytes()).update(tool.as_bytes()).update(digest.as_bytes());
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Key(half)
}

/// What a run is compared by when it is run again: as [`key`], of the texts without times.
pub fn key_but_for_times<'a>(call: &ToolCall, texts: impl Iterator<Item = &'a str>) -> Key {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        times::without(text, |piece| _ = hasher.update(piece));
        hasher.update(&[0xFF]);
    }
    // A text without times has a key of its own kind.
    key(call, &format!("times {}", hasher.finalize().to_hex()))
}

/// Digest of texts in which every digit counts the same, so that a run that took longer is alike.
pub fn likeness<'a>(texts: impl Iterator<Item = &'a str>) -> u64 {
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    for text in texts {
        for piece in text.as_bytes().split(u8::is_ascii_digit).filter(|piece| !piece.is_empty()) {
            hasher.write(piece);
        }
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}

/// Fewest tokens of a text that is replaced.
const MIN_TOKENS: usize = 40;

/// Replaces every text by the reference and its lines of `shown_again`, if that costs fewer tokens. Returns the tokens of
/// all texts, or `None` if nothing was replaced.
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

/// Failure lines of an equal result that are shown again, and the longest line that is, in bytes. A choice: the rest stands
/// unchanged in the earlier result.
const MAX_SHOWN_AGAIN: usize = 5;
const MAX_SHOWN_AGAIN_BYTES: usize = 500;

/// The lines of a command's output that are shown again although an earlier result shows them: failure lines and the last
/// line. Of a result that differs in times these are all failure lines: a time in one may be the failure.
pub fn shown_again(source: &Source<'_>, signals: &[usize], differs_in_times: bool) -> String {
    let is_short = |line: &usize| source.line(*line).len() <= MAX_SHOWN_AGAIN_BYTES;
    let mut lines: Vec<usize> = match differs_in_times {
        true => signals.to_vec(),
        false => signals.iter().copied().filter(is_short).take(MAX_SHOWN_AGAIN).collect(),
    };
    // A marker in an output that came in again is not the tool's last word.
    let says =
        |line: &usize| !source.line(*line).trim().is_empty() && Marker::parse(source.line(*line)).is_none();
    // The frame that a tool puts around an output does not tell how it ended.
    let inside = wrapper::inside(source).unwrap_or(0..source.len());
    let last = inside.clone().rev().find(says);
    // `pytest -qq` may end with advice on warnings; the result is in its last row of marks.
    let is_advice = last.is_some_and(|last| source.line(last).starts_with("-- Docs: "));
    let marks = || inside.clone().rev().find(|line| source.line(*line).trim_end().ends_with("[100%]"));
    let last = if is_advice { marks().or(last) } else { last };
    lines.extend(last.filter(|last| is_short(last) && lines.last().is_none_or(|line| line < last)));
    lines.into_iter().map(|line| source.line(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_again_says_how_it_went() {
        let marks = "..          [100%]\n=== warnings summary ===\na.py:1\n  a.py:1: DeprecationWarning: b\n    import b\n\n";
        for (text, last) in [
            ("a\nb\n\n", "b"),
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
