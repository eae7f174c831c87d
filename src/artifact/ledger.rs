//! Records which session owns which artifact, its size, and the order of eviction.
//!
//! A content is stored once, with one entry for each owner; it is removed with its last entry. All counts are kept here.
//! This file does not decide when to evict, reads no content, and knows no time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::body::Body;
use super::{Limits, Media};

/// Owner of entries: a session, or `None` for everything without one.
pub(super) type Scope = Option<Arc<str>>;
/// BLAKE3 digest of a content.
pub(super) type Digest = [u8; 32];

/// Shortest handle in hexadecimal digits.
const ID_DIGITS: usize = 16;

/// Bytes of a content, and of an entry, in the maps here, in addition to what they hold.
const CONTENT_BYTES: usize = 256;
const ENTRY_BYTES: usize = 384;

#[derive(Debug)]
struct Content {
    body: Arc<Body>,
    id: Arc<str>,
    owners: usize,
    pins: usize,
}

/// The entry of one owner for a content.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) digest: Digest,
    pub(super) tool: Box<str>,
    pub(super) tool_call_id: Option<Box<str>>,
    pub(super) command: Option<Box<str>>,
    pub(super) media: Media,
    pub(super) pinned: bool,
    /// The pointer that the owner was given instead.
    pub(super) pointer: Option<Box<str>>,
    /// Number of its last put or read, for the order of eviction.
    pub(super) touched: u64,
    /// Time of that put or read, for its age.
    pub(super) touched_time: Duration,
    /// Number of the last put that named it, for lists.
    pub(super) stored_at: u64,
}

impl Entry {
    /// Bytes that the entry holds besides the content, scope and id included.
    fn label_bytes(&self, scope: &Scope, id: &str) -> u64 {
        let mime = match &self.media {
            Media::Text => 0,
            Media::Binary(mime) => mime.len(),
        };
        let call = self.tool_call_id.as_deref().map_or(0, str::len);
        let pointer = self.pointer.as_deref().map_or(0, str::len);
        let command = self.command.as_deref().map_or(0, str::len);
        (self.tool.len() + call + command + mime + pointer + scope.as_deref().map_or(0, str::len) + id.len())
            as u64
    }
}

/// Totals, of everything or of pinned entries.
#[derive(Debug, Default, Clone, Copy)]
struct Usage {
    count: usize,
    bytes: u64,
}

#[derive(Debug)]
pub(super) struct Ledger {
    contents: BTreeMap<Digest, Content>,
    ids: BTreeMap<Arc<str>, Digest>,
    scopes: BTreeMap<Scope, BTreeMap<Arc<str>, Entry>>,
    /// Evictable entries, by [`Entry::touched`].
    order: BTreeMap<u64, (Scope, Arc<str>)>,
    used: Usage,
    pinned: Usage,
    /// Bytes in memory of all contents and of the labels of their entries.
    held: usize,
    /// Shorter only in tests that need contents with the same prefix.
    pub(super) id_digits: usize,
}

impl Ledger {
    pub(super) fn new() -> Self {
        Self {
            contents: BTreeMap::new(),
            ids: BTreeMap::new(),
            scopes: BTreeMap::new(),
            order: BTreeMap::new(),
            used: Usage::default(),
            pinned: Usage::default(),
            held: 0,
            id_digits: ID_DIGITS,
        }
    }

    pub(super) fn entry(&self, scope: &Scope, id: &str) -> Option<&Entry> {
        self.scopes.get(scope)?.get(id)
    }

    /// All entries of an owner, by id.
    pub(super) fn entries(&self, scope: &Scope) -> impl Iterator<Item = (&Arc<str>, &Entry)> {
        self.scopes.get(scope).into_iter().flatten()
    }

    pub(super) fn body(&self, digest: &Digest) -> Option<&Arc<Body>> {
        self.contents.get(digest).map(|content| &content.body)
    }

    /// Bytes of memory of everything.
    pub(super) fn memory_bytes(&self) -> usize {
        self.held + self.contents.len() * CONTENT_BYTES + self.used.count * ENTRY_BYTES
    }

    /// Packed bytes in memory that belong on disk.
    pub(super) fn fallback_bytes(&self) -> u64 {
        self.contents.values().map(|content| content.body.fallback_bytes()).sum()
    }

    /// The handle of a content: its existing one, or the shortest unique one.
    pub(super) fn id_of(&self, digest: &Digest) -> Arc<str> {
        if let Some(content) = self.contents.get(digest) {
            return Arc::clone(&content.id);
        }
        let hex = blake3::Hash::from_bytes(*digest).to_hex();
        let digits = (self.id_digits..hex.len()).find(|&digits| !self.ids.contains_key(&hex[..digits]));
        Arc::from(&hex[..digits.unwrap_or(hex.len())])
    }

    /// Whether `entry`, for a content of `len` bytes, fits beside everything that may not be evicted for it.
    pub(super) fn fits(&self, scope: &Scope, id: &str, entry: &Entry, len: u64, limits: &Limits) -> bool {
        let mut kept = self.pinned;
        if let Some(old) = self.entry(scope, id).filter(|old| old.pinned) {
            kept.count -= 1;
            kept.bytes -= old.label_bytes(scope, id);
        }
        let counted = self.contents.get(&entry.digest).is_some_and(|content| content.pins > 0);
        let needed = entry.label_bytes(scope, id) + if counted { 0 } else { len };
        kept.count < limits.max_count && kept.bytes + needed <= limits.max_bytes
    }

    /// Entries of all owners.
    pub(super) fn count(&self) -> usize {
        self.used.count
    }

    /// Whether `limits` are exceeded.
    pub(super) fn is_over(&self, limits: &Limits) -> bool {
        self.used.count > limits.max_count || self.used.bytes > limits.max_bytes
    }

    /// The next entry to evict.
    pub(super) fn oldest(&self) -> Option<&Entry> {
        let (scope, id) = self.order.values().next()?;
        self.entry(scope, id)
    }

    /// Evicts it; false if nothing may be evicted.
    pub(super) fn evict_oldest(&mut self) -> bool {
        let oldest = self.order.pop_first();
        if let Some((_, (scope, id))) = &oldest {
            self.remove(scope, id, false);
        }
        oldest.is_some()
    }

    /// Records a use.
    pub(super) fn touch(&mut self, scope: Scope, id: &str, touched: u64, time: Duration) {
        let Some(entries) = self.scopes.get_mut(&scope) else { return };
        let Some(entry) = entries.get_mut(id) else { return };
        if let Some((_, id)) = self.order.remove(&entry.touched) {
            self.order.insert(touched, (scope, id));
        }
        entry.touched = touched;
        entry.touched_time = time;
    }

    /// Adds `entry`; replaces the one that `scope` has under `id`, if any.
    pub(super) fn put(&mut self, scope: Scope, id: Arc<str>, entry: Entry, body: Arc<Body>) {
        self.remove(&scope, &id, true);
        let label = entry.label_bytes(&scope, &id);
        let len = body.len();
        let content = self.contents.entry(entry.digest).or_insert_with(|| {
            self.used.bytes += len;
            self.held += body.memory_bytes();
            Content { body: Arc::clone(&body), id: Arc::clone(&id), owners: 0, pins: 0 }
        });
        self.held = self.held + body.memory_bytes() - content.body.memory_bytes() + label as usize;
        content.body = body;
        content.owners += 1;
        self.ids.insert(Arc::clone(&id), entry.digest);
        self.used.count += 1;
        self.used.bytes += label;
        if entry.pinned {
            if content.pins == 0 {
                self.pinned.bytes += len;
            }
            content.pins += 1;
            self.pinned.count += 1;
            self.pinned.bytes += label;
        } else {
            self.order.insert(entry.touched, (scope.clone(), Arc::clone(&id)));
        }
        self.scopes.entry(scope).or_default().insert(id, entry);
    }

    /// Removes everything that `scope` has.
    pub(super) fn close(&mut self, scope: &Scope) {
        let ids: Vec<_> = self.entries(scope).map(|(id, _)| Arc::clone(id)).collect();
        for id in ids {
            self.remove(scope, &id, false);
        }
    }

    /// Removes an entry, and its content if it was the last; not if the content is about to be put again.
    fn remove(&mut self, scope: &Scope, id: &str, put_again: bool) {
        let Some(entries) = self.scopes.get_mut(scope) else { return };
        let Some(entry) = entries.remove(id) else { return };
        if entries.is_empty() {
            self.scopes.remove(scope);
        }
        self.order.remove(&entry.touched);
        let label = entry.label_bytes(scope, id);
        self.used.count -= 1;
        self.used.bytes -= label;
        self.held -= label as usize;
        let Some(content) = self.contents.get_mut(&entry.digest) else { return };
        let len = content.body.len();
        content.owners -= 1;
        if entry.pinned {
            content.pins -= 1;
            self.pinned.count -= 1;
            self.pinned.bytes -= label;
            if content.pins == 0 {
                self.pinned.bytes -= len;
            }
        }
        if content.owners == 0 && !put_again {
            self.used.bytes -= len;
            self.held -= content.body.memory_bytes();
            self.ids.remove(&content.id);
            self.contents.remove(&entry.digest);
        }
    }
}

#[cfg(test)]
impl Ledger {
    /// Artifacts and bytes in use, by the running totals.
    pub(super) fn used(&self) -> (usize, u64) {
        (self.used.count, self.used.bytes)
    }

    /// Artifacts and bytes in use, counted from the entries.
    pub(super) fn counted(&self) -> (usize, u64) {
        let contents: u64 = self.contents.values().map(|content| content.body.len()).sum();
        let mut count = 0;
        let mut labels = 0;
        for (scope, entries) in &self.scopes {
            assert!(!entries.is_empty());
            count += entries.len();
            labels += entries.iter().map(|(id, entry)| entry.label_bytes(scope, id)).sum::<u64>();
        }
        let owners: usize = self.contents.values().map(|content| content.owners).sum();
        let pins: usize = self.contents.values().map(|content| content.pins).sum();
        assert_eq!((owners, pins), (count, self.pinned.count));
        assert_eq!((self.ids.len(), self.order.len()), (self.contents.len(), count - pins));
        (count, contents + labels)
    }
}
