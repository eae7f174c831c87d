//! Texts of outcomes, for as long as there is room. First in, first out.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::{Bounds, Fingerprint, Stored};

type MemoKey = (String, Fingerprint);

/// See the module.
#[derive(Debug, Default, Clone)]
pub(super) struct Memo {
    entries: HashMap<MemoKey, (Arc<Stored>, usize)>,
    order: VecDeque<MemoKey>,
    bytes: usize,
}

impl Memo {
    pub(super) fn get(&self, call: &str, fingerprint: Fingerprint) -> Option<&Stored> {
        self.entries.get(&(call.to_owned(), fingerprint)).map(|(stored, _)| &**stored)
    }

    pub(super) fn put(&mut self, call: &str, fingerprint: Fingerprint, mut stored: Stored, bounds: &Bounds) {
        // The original is the artifact store's to keep.
        stored.outcome.retain = None;
        let texts: usize = stored.outcome.texts.iter().map(String::len).sum();
        if texts > bounds.memo_entry_bytes {
            return;
        }
        let bytes = texts + call.len();
        let key = (call.to_owned(), fingerprint);
        if self.entries.insert(key.clone(), (Arc::new(stored), bytes)).is_none() {
            self.order.push_back(key);
            self.bytes += bytes;
        }
        while self.bytes > bounds.memo_bytes {
            let Some(oldest) = self.order.pop_front() else { break };
            if let Some((_, bytes)) = self.entries.remove(&oldest) {
                self.bytes -= bytes;
            }
        }
    }
}
