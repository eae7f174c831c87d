//! Results that the model was shown in full and, as far as the host told, can still see.

use std::collections::HashMap;
use std::sync::Arc;

use super::Ending;
use crate::memory::size;
use crate::pipeline::blocks::Position;
use crate::pipeline::dedup::Key;

/// A result that was shown in full. Its call is the session's own copy of the id.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) call: Arc<str>,
    /// The number of the tool in the session.
    pub(super) tool: u32,
    /// How many calls came before it.
    pub(super) order: u32,
    /// Results and tokens of the session when it was shown.
    at: (u32, u32),
    /// The exit code, where there is one, and whether there is one.
    exit_code: (i64, bool),
    is_error: Option<bool>,
}

impl Shown {
    pub(super) fn new(call: Arc<str>, tool: u32, order: usize, ending: Ending, at: Position) -> Self {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let exit_code = (ending.exit_code.unwrap_or(0), ending.exit_code.is_some());
        let at = (small(at.results), small(at.tokens));
        Self { call, tool, order: small(order), at, exit_code, is_error: ending.is_error }
    }

    pub(super) fn at(&self) -> Position {
        Position { results: self.at.0 as usize, tokens: self.at.1 as usize }
    }

    pub(super) fn ending(&self) -> Ending {
        let (code, is_known) = self.exit_code;
        Ending { exit_code: is_known.then_some(code), is_error: self.is_error }
    }
}

/// See the module.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    shown: HashMap<Key, Vec<Shown>>,
    /// Bytes of the lists in it.
    bytes: usize,
}

impl Seen {
    /// A result was shown in full.
    pub(super) fn add(&mut self, key: Key, new: Shown) {
        // Nearly every result is shown once.
        let shown = self.shown.entry(key).or_insert_with(|| Vec::with_capacity(1));
        if shown.iter().all(|s| s.call != new.call) {
            let before = if shown.is_empty() { 0 } else { size::list(shown) };
            shown.push(new);
            self.bytes += size::list(shown) - before;
        }
    }

    /// The newest result with this key that may be referred to.
    pub(super) fn newest(&self, key: &Key, is_open: impl Fn(&Shown) -> bool) -> Option<&Shown> {
        let open = self.shown.get(key)?.iter().filter(|s| is_open(s));
        open.max_by_key(|s| s.order)
    }

    /// Whether there is a call that is not visible.
    pub(super) fn has_other(&self, visible: impl Fn(&str) -> bool) -> bool {
        self.shown.values().flatten().any(|s| !visible(&s.call))
    }

    /// Forgets the calls that are not visible.
    pub(super) fn retain(&mut self, visible: impl Fn(&str) -> bool) {
        self.shown.retain(|_, firsts| {
            firsts.retain(|s| visible(&s.call));
            !firsts.is_empty()
        });
        self.bytes = self.shown.values().map(size::list).sum();
    }

    /// Bytes that it takes, ids aside.
    pub(super) fn bytes(&self) -> usize {
        size::table(&self.shown) + self.bytes
    }
}
