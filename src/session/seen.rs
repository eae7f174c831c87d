//! Results that the model was shown in full and, as far as the host told, can still see.

use std::collections::HashMap;

use super::Ending;
use crate::pipeline::blocks::Position;
use crate::pipeline::dedup::{First, Key};

/// A result that was shown in full.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) first: First,
    /// How many calls came before it.
    pub(super) order: usize,
    pub(super) ending: Ending,
    pub(super) at: Position,
}

/// See the module.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    shown: HashMap<Key, Vec<Shown>>,
}

impl Seen {
    /// A result was shown in full.
    pub(super) fn add(&mut self, key: Key, new: Shown) {
        let shown = self.shown.entry(key).or_default();
        if shown.iter().all(|s| s.first.call != new.first.call) {
            shown.push(new);
        }
    }

    /// The newest result with this key that may be referred to.
    pub(super) fn newest(&self, key: &Key, is_open: impl Fn(&Shown) -> bool) -> Option<First> {
        let open = self.shown.get(key)?.iter().filter(|s| is_open(s));
        open.max_by_key(|s| s.order).map(|s| s.first.clone())
    }

    /// Whether there is a call that is not visible.
    pub(super) fn has_other(&self, visible: impl Fn(&str) -> bool) -> bool {
        self.shown.values().flatten().any(|s| !visible(&s.first.call))
    }

    /// Forgets the calls that are not visible.
    pub(super) fn retain(&mut self, visible: impl Fn(&str) -> bool) {
        self.shown.retain(|_, firsts| {
            firsts.retain(|s| visible(&s.first.call));
            !firsts.is_empty()
        });
    }
}
