//! What the model was shown in full and, as far as the host told, can still see.

use std::collections::{HashMap, HashSet};

use crate::pipeline::dedup::{First, Key};

/// See the module.
#[derive(Debug, Default)]
pub struct Seen {
    shown: HashMap<Key, Vec<First>>,
}

impl Seen {
    /// A result was shown in full.
    pub(super) fn add(&mut self, key: Key, first: First) {
        let shown = self.shown.entry(key).or_default();
        if shown.iter().all(|f| f.call != first.call) {
            shown.push(first);
        }
    }

    /// The earliest visible result with this key that is not `call` itself.
    pub(super) fn first(&self, key: &Key, call: &str) -> Option<First> {
        self.shown.get(key)?.iter().find(|f| f.call != call).cloned()
    }

    /// These calls left the context: nothing refers to them any more.
    pub fn evict(&mut self, calls: &[String]) {
        let gone: HashSet<&str> = calls.iter().map(String::as_str).collect();
        self.retain(|call| !gone.contains(call));
    }

    /// Of what was shown so far, only these calls are still in the context.
    pub fn keep_only(&mut self, calls: &[String]) {
        let stays: HashSet<&str> = calls.iter().map(String::as_str).collect();
        self.retain(|call| stays.contains(call));
    }

    fn retain(&mut self, visible: impl Fn(&str) -> bool) {
        self.shown.retain(|_, firsts| {
            firsts.retain(|f| visible(&f.call));
            !firsts.is_empty()
        });
    }
}
