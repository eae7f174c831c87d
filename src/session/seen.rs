//! What the model was shown in full and, as far as the host told, can still see.

use std::collections::{HashMap, HashSet};

use super::Ending;
use crate::pipeline::dedup::{First, Key};
use crate::pipeline::marker::Marker;

/// A result that was shown in full.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) first: First,
    /// How many calls came before it.
    pub(super) order: usize,
    pub(super) ending: Ending,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Seen {
    shown: HashMap<Key, Vec<Shown>>,
}

impl Seen {
    /// A result was shown in full. One that no marker can name is not referred to.
    pub(super) fn add(&mut self, key: Key, new: Shown) {
        let marker = Marker::Duplicate { call: new.first.call.clone(), tool: new.first.tool.clone() };
        let text = marker.write();
        if Marker::parse(&text) != Some((marker, text.len())) {
            return;
        }
        let shown = self.shown.entry(key).or_default();
        if shown.iter().all(|s| s.first.call != new.first.call) {
            shown.push(new);
        }
    }

    /// A visible result with this key and ending of a call that came before the call number `order`:
    /// the earliest. Never a later one, or two calls could end up as references to each other.
    pub(super) fn first(&self, key: &Key, order: usize, ending: Ending) -> Option<First> {
        let earlier = self.shown.get(key)?.iter().filter(|s| s.order < order && s.ending == ending);
        earlier.min_by_key(|s| s.order).map(|s| s.first.clone())
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
            firsts.retain(|s| visible(&s.first.call));
            !firsts.is_empty()
        });
    }
}
