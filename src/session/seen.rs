//! Results that the model was shown in full and, as far as the host told, can still see.

use std::collections::HashMap;
use std::sync::Arc;

use super::Ending;
use crate::memory::size;
use crate::pipeline::blocks::Position;
use crate::pipeline::dedup::{First, Key};

/// A result that was shown in full. Its call is the session's own copy of the id.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) call: Arc<str>,
    /// The tool, as the host wrote it.
    pub(super) tool: Arc<str>,
    /// How many calls came before it.
    pub(super) order: usize,
    pub(super) ending: Ending,
    pub(super) at: Position,
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
    pub(super) fn newest(&self, key: &Key, is_open: impl Fn(&Shown) -> bool) -> Option<First> {
        let open = self.shown.get(key)?.iter().filter(|s| is_open(s));
        open.max_by_key(|s| s.order).map(|s| First { call: s.call.to_string(), tool: s.tool.to_string() })
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
