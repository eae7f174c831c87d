//! The session as the pipeline sees it: in its current state, or in the state when a decision was made.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::seen::Shown;
use super::{Caller, Session, Window};
use crate::pipeline::repeat::blocks::{Earlier, Index};
use crate::pipeline::repeat::dedup::{Decision, First, History, Key};
use crate::sanitize::spare::Fingerprint as Fingerprint64;
use crate::text::relevance;
use crate::text::relevance::Term;

/// The current state of a session.
pub(super) struct Live<'a> {
    pub(super) session: &'a Session,
    pub(super) caller: Caller<'a>,
    /// What the model wrote into this call.
    pub(super) own: Index,
    pub(super) window: Option<Window>,
}

impl History for Live<'_> {
    fn first(&self, key: &Key) -> Option<First> {
        let Session { calls, seen, at, .. } = self.session;
        let number = calls.number(self.caller.id).unwrap_or(u32::MAX);
        let is_open = |shown: &Shown| {
            shown.call < number
                && shown.ending() == self.caller.ending
                && self.window.is_none_or(|w| shown.at().is_within(*at, w.results, w.tokens))
        };
        let shown = seen.newest(key, is_open)?;
        let tool = self.session.tools.get(shown.tool as usize)?.to_string();
        Some(First { call: calls.id(shown.call).to_owned(), tool })
    }

    fn referred(&self, call: &str, tool: &str) -> bool {
        self.session.has_referred(call, tool)
    }

    fn wrote(&self, value: &[u8], fingerprint: Fingerprint64) -> bool {
        self.session.wrote.contains_key(&fingerprint) || self.caller.wrote.has(value, fingerprint)
    }

    fn earlier(&self) -> Earlier<'_> {
        // A call that came before may be the target of references in later results.
        if self.session.calls.number(self.caller.id).is_some() {
            return Earlier::Nothing;
        }
        let window = self.window.map(|w| (w.results, w.tokens));
        Earlier::Live { index: &self.session.index, own: &self.own, now: self.session.at, window }
    }

    fn terms(&self) -> Vec<Term> {
        let mut seen = HashSet::with_hasher(RandomState::default());
        let words = self.session.talk.iter().rev().flatten().copied().filter(|word| seen.insert(*word));
        words.map(|word| Term { word, weight: relevance::SESSION }).collect()
    }

    fn tracks_visibility(&self) -> bool {
        true
    }

    fn is_repeated(&self, likeness: u64) -> bool {
        let last = self.caller.asked.and_then(|asked| self.session.asked.get(&asked));
        last.is_some_and(|a| a.likeness == likeness && a.results <= self.caller.turn)
            && self.session.calls.number(self.caller.id).is_none()
    }
}

/// The state of a session when a decision was made.
#[derive(Debug)]
pub struct AsDecided(pub Decision);

impl History for AsDecided {
    fn first(&self, _: &Key) -> Option<First> {
        self.0.duplicate_of.as_deref().cloned()
    }

    fn referred(&self, _: &str, _: &str) -> bool {
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

    fn terms(&self) -> Vec<Term> {
        self.0.terms.clone()
    }

    fn is_repeated(&self, _: u64) -> bool {
        self.0.asked_again
    }
}
