//! What a session has seen: results that were shown in full and that the model can still see, according to the host; the topics
//! of the last calls, and what the agent wrote.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::calls::{self, Digest};
use super::{Caller, Ending, MAX_WORDS, MAX_WROTE, RECENT_CALLS, Session};
use crate::memory::size;
use crate::pipeline::Outcome;
use crate::pipeline::repeat::blocks::Position;
use crate::pipeline::repeat::dedup::Key;
use crate::sanitize::spare::Fingerprint as Fingerprint64;
use crate::text::origin;
use crate::text::relevance;

/// A result that was shown in full.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    /// The number of its call in the session: larger numbers came later.
    pub(super) call: u32,
    /// The number of the tool in the session.
    pub(super) tool: u32,
    /// Start and end of its label in `Seen::labels`; equal if it has none.
    label: (u32, u32),
    /// The number of results and tokens in the session when it was shown.
    at: (u32, u32),
    /// The exit code (0 without one), and whether there is one.
    exit_code: (i64, bool),
    is_error: Option<bool>,
}

impl Shown {
    pub(super) fn new(call: u32, tool: u32, ending: Ending, at: Position) -> Self {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let exit_code = (ending.exit_code.unwrap_or(0), ending.exit_code.is_some());
        Self {
            call,
            tool,
            label: (0, 0),
            at: (small(at.results), small(at.tokens)),
            exit_code,
            is_error: ending.is_error,
        }
    }

    pub(super) fn at(&self) -> Position {
        Position { results: self.at.0 as usize, tokens: self.at.1 as usize }
    }

    pub(super) fn ending(&self) -> Ending {
        let (code, is_known) = self.exit_code;
        Ending { exit_code: is_known.then_some(code), is_error: self.is_error }
    }
}

/// Marks the end of a list.
const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Link {
    shown: Shown,
    /// Identifies equal results.
    key: Key,
    /// Index of the previous entry with the same key. Nearly every result is shown once.
    before: u32,
}

/// The shown results; see the module.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    /// For each key, the index of its newest entry.
    last: HashMap<Key, u32, foldhash::fast::RandomState>,
    shown: Vec<Link>,
    /// The labels of all calls in one string: an allocation for each would cost more than its text.
    labels: String,
}

impl Seen {
    /// Adds a result that was shown in full.
    pub(super) fn add(&mut self, key: Key, mut new: Shown, label: Option<&str>) {
        if self.of(&key).any(|shown| shown.call == new.call) {
            return;
        }
        let place = self.shown.len() as u32;
        let before = self.last.insert(key, place).unwrap_or(NONE);
        new.label = self.keep(label.unwrap_or_default());
        size::reserve(&mut self.shown, 1);
        self.shown.push(Link { shown: new, key, before });
    }

    /// Appends a label to `labels`, unless it is already the last one. Returns its start and end.
    fn keep(&mut self, label: &str) -> (u32, u32) {
        if !self.labels.ends_with(label) {
            self.labels.push_str(label);
        }
        let end = self.labels.len();
        (u32::try_from(end - label.len()).unwrap_or(0), u32::try_from(end).unwrap_or(0))
    }

    /// What the call of a result was about.
    pub(super) fn label(&self, shown: &Shown) -> Option<&str> {
        let (start, end) = shown.label;
        self.labels.get(start as usize..end as usize).filter(|label| !label.is_empty())
    }

    /// The results with this key, newest first.
    fn of(&self, key: &Key) -> impl Iterator<Item = &Shown> {
        let at = |place: u32| self.shown.get(place as usize);
        let last = self.last.get(key).and_then(|place| at(*place));
        std::iter::successors(last, move |link| at(link.before)).map(|link| &link.shown)
    }

    /// The newest result with this key that references may point to.
    pub(super) fn newest(&self, key: &Key, is_open: impl Fn(&Shown) -> bool) -> Option<&Shown> {
        self.of(key).filter(|shown| is_open(shown)).max_by_key(|shown| shown.call)
    }

    /// Whether the result that was shown for this call has one of these keys.
    pub(super) fn has_any(&self, keys: [Option<Key>; 2], call: u32) -> bool {
        keys.iter().flatten().any(|key| self.of(key).any(|shown| shown.call == call))
    }

    /// Whether any call is not visible.
    pub(super) fn has_other(&self, visible: impl Fn(u32) -> bool) -> bool {
        self.shown.iter().any(|link| !visible(link.shown.call))
    }

    /// The calls whose label occurs in a text.
    pub(super) fn named_in(&self, text: &str) -> Vec<u32> {
        let is_named = |link: &&Link| {
            self.label(&link.shown).is_some_and(|label| text.contains(label.trim_end_matches(origin::CUT)))
        };
        self.shown.iter().filter(is_named).map(|link| link.shown.call).collect()
    }

    /// Forgets calls that are not visible.
    pub(super) fn retain(&mut self, visible: impl Fn(u32) -> bool) {
        self.last.clear();
        self.shown.retain(|link| visible(link.shown.call));
        let labels = std::mem::take(&mut self.labels);
        for at in 0..self.shown.len() {
            let (start, end) = self.shown[at].shown.label;
            self.shown[at].shown.label =
                self.keep(labels.get(start as usize..end as usize).unwrap_or_default());
        }
        for (place, link) in self.shown.iter_mut().enumerate() {
            link.before = self.last.insert(link.key, place as u32).unwrap_or(NONE);
        }
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size::table(&self.last) + size::list(&self.shown) + self.labels.capacity()
    }
}

/// Commands whose last result is known. A choice: a session runs few commands again and again.
const MAX_COMMANDS: usize = 256;

/// The last result of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastResult {
    pub(super) call: u32,
    /// Its key as it came, and that without its times.
    pub(super) keys: [Option<Key>; 2],
}

/// For each of the last commands, by its tool and its label, its last result.
#[derive(Debug, Default, Clone)]
pub(super) struct LastResults(VecDeque<(Digest, LastResult)>);

impl LastResults {
    pub(super) fn note(&mut self, command: [&str; 2], result: LastResult) {
        let command = calls::digest(&command.concat());
        self.0.retain(|(known, _)| *known != command);
        if self.0.len() == MAX_COMMANDS {
            self.0.pop_front();
        }
        self.0.push_back((command, result));
    }

    pub(super) fn of(&self, command: [&str; 2]) -> Option<LastResult> {
        let command = calls::digest(&command.concat());
        self.0.iter().rev().find(|(known, _)| *known == command).map(|(_, result)| *result)
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size::queue(&self.0)
    }
}

impl Session {
    /// Notes the words and places that a call and its result mention; those of the last calls are what the session is about.
    pub(super) fn note_topics(&mut self, caller: Caller<'_>, outcome: &mut Outcome) {
        let mut said = std::mem::take(&mut outcome.mentions);
        said.truncate(MAX_WORDS);
        caller.mentioned.iter().for_each(|text| relevance::words(text, |word| said.push(word)));
        said.truncate(2 * MAX_WORDS);
        self.recent_words.push_back(said);
        if self.recent_words.len() > RECENT_CALLS {
            self.recent_words.pop_front();
        }
        self.pointed.push_back(std::mem::take(&mut outcome.places));
        if self.pointed.len() > RECENT_CALLS {
            self.pointed.pop_front();
        }
    }

    /// Notes the values that the agent wrote in a call.
    pub(super) fn note_written(&mut self, values: Vec<Fingerprint64>, call: u32) {
        if values.is_empty() {
            return;
        }
        let known = Arc::make_mut(&mut self.wrote);
        for value in values {
            let has_room = known.len() < MAX_WROTE;
            match known.entry(value) {
                Entry::Occupied(mut entry) => _ = entry.insert(call),
                Entry::Vacant(entry) if has_room => _ = entry.insert(call),
                Entry::Vacant(_) => {}
            }
        }
    }
}
