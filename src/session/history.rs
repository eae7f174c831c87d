//! The session as the pipeline sees it: in its current state, or in the state when a decision was made.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::edits::Edit;
use super::seen::Shown;
use super::{Caller, MAX_POINTED, Session, Window};
use crate::config::Scale;
use crate::detect::pointed;
use crate::pipeline::repeat::blocks::{Earlier, Index, ResultRange};
use crate::pipeline::repeat::dedup::{Decision, First, History, Key};
use crate::sanitize::spare::Fingerprint as Fingerprint64;
use crate::text::marker::Ago;
use crate::text::origin::file_of_label;
use crate::text::relevance;
use crate::text::relevance::Term;
use crate::text::source::Source;

/// The current state of a session.
pub(super) struct Live<'a> {
    pub(super) session: &'a Session,
    pub(super) caller: Caller<'a>,
    /// What the model wrote into this call.
    pub(super) own: Index,
    /// The last edit whose lines the result shows. The agent looks at what it changed, so answers before that edit are no
    /// reason to show everything.
    pub(super) edit: Option<&'a Edit>,
    pub(super) window: Option<Window>,
}

impl Live<'_> {
    /// The results whose gaps and references the model had seen when it made this call, and that show the file as it
    /// is: those after its last edit.
    fn seen_answers(&self) -> ResultRange {
        ResultRange { first: self.edit.map_or(0, |edit| edit.results) + 1, last: self.caller.turn }
    }

    /// The newest result with this key that may be referred to.
    fn newest(&self, key: &Key, differs_in_times: bool) -> Option<First> {
        let Session { calls, seen, last_results, at, .. } = self.session;
        let number = calls.number(self.caller.id).unwrap_or(u32::MAX);
        let is_open = |shown: &Shown| {
            shown.call < number
                && shown.ending() == self.caller.ending
                && shown.at().is_within(*at, self.window.map(|w| (w.results, w.tokens)))
        };
        let shown = seen.newest(key, is_open)?;
        // If the command had another result in between, it is new information that it now has the old result again. A
        // reference to the older result would hide that.
        let Caller { tool, label, looks_at, .. } = self.caller;
        let last = label.filter(|_| looks_at.is_none()).and_then(|label| last_results.of([tool, label]));
        let is_between = |call: u32| shown.call < call && call < number;
        if last.is_some_and(|last| is_between(last.call) && !seen.has_any(last.keys, shown.call)) {
            return None;
        }
        let tool = self.session.tools.get(shown.tool as usize)?.to_string();
        let label = seen.label(shown).map(str::to_owned);
        let ago = Ago::Results(at.results.saturating_sub(shown.at().results) + 1);
        Some(First {
            call: calls.id(shown.call).to_owned(),
            tool,
            label,
            ago,
            differs_in_times,
            shows_id: true,
        })
    }
}

impl History for Live<'_> {
    fn first(&self, key: &Key) -> Option<First> {
        let first = self.newest(key, false)?;
        // An agent that got a reference to lines of this result and now looks at them again gets the text.
        let is_asked = self.caller.looks_at.is_some()
            && self.session.index.is_referred(&first.call, self.seen_answers());
        (!is_asked).then_some(first)
    }

    fn first_without_times(&self, key: &Key) -> Option<First> {
        self.newest(key, true)
    }

    fn referred(&self, text: &str) -> bool {
        self.session.has_referred(text)
    }

    fn wrote(&self, value: &[u8], fingerprint: Fingerprint64) -> bool {
        self.session.wrote.contains_key(&fingerprint) || self.caller.wrote.has(value, fingerprint)
    }

    fn earlier(&self) -> Earlier<'_> {
        // A call that came before may itself be the target of references in later results.
        if self.session.calls.number(self.caller.id).is_some() {
            return Earlier::Nothing;
        }
        let window = self.window.map(|w| (w.results, w.tokens));
        let asks = self.caller.looks_at.map(|_| self.seen_answers());
        let edit = self.edit.map_or(&[][..], |edit| &edit.lines);
        let file = self.caller.label.filter(|_| self.caller.looks_at.is_some()).map(file_of_label);
        let Session { index, at, .. } = self.session;
        Earlier::Live { index, own: &self.own, now: *at, window, asks, file, edit }
    }

    fn terms(&self) -> Vec<Term> {
        let mut seen = HashSet::with_hasher(RandomState::default());
        let words =
            self.session.recent_words.iter().rev().flatten().copied().filter(|word| seen.insert(*word));
        words.map(|word| Term { word, weight: relevance::SESSION_WEIGHT }).collect()
    }

    fn edited(&self) -> Vec<Arc<str>> {
        let file = self.caller.asked[1].filter(|_| self.caller.looks_at.is_some());
        file.map_or_else(Vec::new, |file| self.session.edits.of(file))
    }

    fn pointed(&self) -> Vec<u32> {
        let Some(file) = self.caller.looks_at.filter(|path| !path.is_empty()).map(pointed::file) else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        for place in self.session.pointed.iter().rev().flatten().filter(|place| place.file == file) {
            if lines.len() < MAX_POINTED && !lines.contains(&place.line) {
                lines.push(place.line);
            }
        }
        lines
    }

    fn new_lines(&self, _: usize, source: &Source<'_>) -> Vec<u32> {
        // A result that came before is not the answer to a new question.
        if self.session.calls.number(self.caller.id).is_some() {
            return Vec::new();
        }
        let answer = self.caller.question().and_then(|question| self.session.answers.of(question));
        answer.map_or_else(Vec::new, |answer| answer.new_lines(source))
    }

    fn scale(&self) -> Scale {
        let Session { at, compacted_at, .. } = self.session;
        let since = |now: usize, then: usize| now.saturating_sub(then);
        Scale::of_context(since(at.results, compacted_at.results), since(at.tokens, compacted_at.tokens))
    }

    fn tracks_visibility(&self) -> bool {
        true
    }

    fn is_repeated(&self, similarity_hash: u64) -> bool {
        let mut last = self.caller.asked.iter().flatten().filter_map(|asked| self.session.asked.get(asked));
        // If the same lines are requested a third time, they are shown in full, whatever happened in between.
        let exact =
            self.caller.asked[0].filter(|_| self.caller.looks_at.is_some_and(|file| !file.is_empty()));
        let insists = exact
            .and_then(|asked| self.session.asked.get(&asked))
            .is_some_and(|a| a.times > 1 && a.results <= self.caller.turn);
        (insists || last.any(|a| a.similarity_hash == similarity_hash && a.results <= self.caller.turn))
            && self.session.calls.number(self.caller.id).is_none()
    }
}

/// The current state of a session for a result that refers to nothing earlier.
#[derive(Debug)]
pub struct WithoutReferences<'a>(pub &'a Session);

impl History for WithoutReferences<'_> {
    fn first(&self, _: &Key) -> Option<First> {
        None
    }

    fn referred(&self, _: &str) -> bool {
        false
    }

    fn wrote(&self, _: &[u8], fingerprint: Fingerprint64) -> bool {
        self.0.wrote.contains_key(&fingerprint)
    }
}

/// The state of a session when a decision was made.
#[derive(Debug)]
pub struct AsDecided(pub Decision);

impl History for AsDecided {
    fn first(&self, _: &Key) -> Option<First> {
        self.0.duplicate_of.as_deref().filter(|first| !first.differs_in_times).cloned()
    }

    fn first_without_times(&self, _: &Key) -> Option<First> {
        self.0.duplicate_of.as_deref().filter(|first| first.differs_in_times).cloned()
    }

    fn referred(&self, _: &str) -> bool {
        self.0.own_marker
    }

    fn decided(&self) -> Option<&Decision> {
        Some(&self.0)
    }

    fn wrote(&self, _: &[u8], fingerprint: Fingerprint64) -> bool {
        self.0.wrote.contains(&fingerprint)
    }

    fn earlier(&self) -> Earlier<'_> {
        Earlier::Decided(&self.0.references)
    }

    fn tracks_visibility(&self) -> bool {
        true
    }

    fn scale(&self) -> Scale {
        self.0.scale
    }

    fn terms(&self) -> Vec<Term> {
        self.0.terms.clone()
    }

    fn edited(&self) -> Vec<Arc<str>> {
        self.0.edited.clone()
    }

    fn pointed(&self) -> Vec<u32> {
        self.0.pointed.clone()
    }

    fn new_lines(&self, part: usize, _: &Source<'_>) -> Vec<u32> {
        let of_part = self.0.new_lines.iter().filter(|(of, _)| *of as usize == part);
        of_part.map(|(_, line)| *line).collect()
    }

    fn is_repeated(&self, _: u64) -> bool {
        self.0.asked_again
    }
}
