//! Entries, sharing and eviction.
//!
//! A content is kept once; each session that put it has an entry of its own, with its own tool and call. All
//! access goes through the entry, so a session reaches only what it put. Pressure and age take the entry
//! that was put or read longest ago; a content goes with its last entry.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::body::Body;
use super::disk::{Disk, remove_leftovers};
use super::read::{self, LineRange, Page, ReadResult};
use super::search::{self, SearchOptions, SearchResult};
use super::{AccessError, Limits, Media, Meta, Put, PutError};

/// Owner of entries: a session, or everything that came without one.
type Scope = Option<Arc<str>>;
type Digest = [u8; 32];

/// Shortest handle in hexadecimal digits.
const ID_DIGITS: usize = 16;
/// Artifacts on one page of a list.
pub(super) const LIST_PAGE: usize = 100;

#[derive(Debug)]
struct Content {
    body: Arc<Body>,
    id: Arc<str>,
    owners: usize,
    pins: usize,
}

#[derive(Debug)]
struct Entry {
    digest: Digest,
    tool: Box<str>,
    tool_call_id: Option<Box<str>>,
    media: Media,
    pinned: bool,
    stored_at: u64,
    touched: u64,
    touched_time: Duration,
}

impl Entry {
    /// Bytes that the entry holds besides the content, scope and id included.
    fn label_bytes(&self, scope: &Scope, id: &str) -> u64 {
        let mime = match &self.media {
            Media::Text => 0,
            Media::Binary(mime) => mime.len(),
        };
        let call = self.tool_call_id.as_deref().map_or(0, str::len);
        (self.tool.len() + call + mime + scope.as_deref().map_or(0, str::len) + id.len()) as u64
    }
}

/// What is in use, of everything or of what is pinned.
#[derive(Debug, Default, Clone, Copy)]
struct Usage {
    count: usize,
    bytes: u64,
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactInfo {
    /// Handle, for read and search.
    pub id: String,
    /// BLAKE3 digest of the content, 64 hexadecimal digits.
    pub digest: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Number of lines, 0 for what is not text.
    pub lines: u64,
    /// MIME type, for what is not text.
    pub mime: Option<String>,
    /// The tool that last produced it in this session.
    pub tool: String,
    /// The call that last produced it in this session.
    pub tool_call_id: Option<String>,
    /// Grows with each put of the process: a larger one is newer.
    pub stored_at_order: u64,
}

/// One page of a list, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// At most 100 artifacts.
    pub artifacts: Vec<ArtifactInfo>,
    /// Where the next page starts; none on the last.
    pub next_cursor: Option<String>,
}

/// An artifact that was looked up: answers without the store, so that a long search blocks nobody, and keeps
/// its bytes for as long as it is held, evicted or not.
#[derive(Debug, Clone)]
pub struct Artifact {
    body: Arc<Body>,
    media: Media,
}

impl Artifact {
    /// One page of the lines in `ranges`, of everything if there are none. Ranges may come in any order and
    /// overlap: the answer is in the order of the artifact, each line once.
    pub fn read(&self, ranges: &[LineRange], page: &Page) -> Result<ReadResult, AccessError> {
        read::read(&self.body, &self.media, ranges, page)
    }

    /// One page of the lines that `pattern` matches. `stop` is asked every 128 KiB whether the caller still
    /// wants the answer.
    pub fn search(
        &self,
        pattern: &str,
        options: &SearchOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<SearchResult, AccessError> {
        search::search(&self.body, &self.media, pattern, options, stop)
    }
}

/// The store of one process.
#[derive(Debug)]
pub struct Store {
    limits: Limits,
    contents: BTreeMap<Digest, Content>,
    ids: BTreeMap<Arc<str>, Digest>,
    entries: BTreeMap<Scope, BTreeMap<Arc<str>, Entry>>,
    /// What may be evicted, by when it was last touched.
    order: BTreeMap<u64, (Scope, Arc<str>)>,
    used: Usage,
    pinned: Usage,
    sequence: u64,
    now: Duration,
    /// Less only where a test needs contents that begin alike.
    pub(super) id_digits: usize,
    disk: Disk,
}

impl Store {
    /// An empty store that packs large artifacts below the system's directory for temporary files. Removes
    /// there what killed processes left; makes nothing there yet.
    pub fn new(limits: Limits) -> Self {
        Self::with_root(limits, std::env::temp_dir())
    }

    /// As [`Store::new`], with another directory for temporary files.
    pub fn with_root(limits: Limits, root: PathBuf) -> Self {
        remove_leftovers(&root);
        Self {
            limits,
            contents: BTreeMap::new(),
            ids: BTreeMap::new(),
            entries: BTreeMap::new(),
            order: BTreeMap::new(),
            used: Usage::default(),
            pinned: Usage::default(),
            sequence: 0,
            now: Duration::ZERO,
            id_digits: ID_DIGITS,
            disk: Disk::new(root),
        }
    }

    /// Tells the store what time it is, counted from any fixed point; what is too old goes. Time that runs
    /// backwards is ignored. Call it before a read to hold the age limit to the second.
    pub fn advance(&mut self, now: Duration) {
        self.now = self.now.max(now);
        while let Some((&oldest, (scope, id))) = self.order.first_key_value() {
            let entry = self.entries.get(scope).and_then(|entries| entries.get(id));
            let fresh =
                entry.is_some_and(|entry| self.now.saturating_sub(entry.touched_time) <= self.limits.max_age);
            if fresh {
                return;
            }
            self.evict(oldest);
        }
    }

    /// Keeps `bytes` for `session`. The same content again is the same artifact, as new as a new one, named
    /// after the later call. An error leaves the store as it was, except that expired artifacts are gone.
    pub fn put(
        &mut self,
        session: Option<&str>,
        bytes: &[u8],
        meta: Meta,
        now: Duration,
    ) -> Result<Put, PutError> {
        self.advance(now);
        let len = bytes.len() as u64;
        if len > self.limits.max_artifact_bytes {
            return Err(PutError::TooLarge { bytes: len, max: self.limits.max_artifact_bytes });
        }
        let digest = *blake3::hash(bytes).as_bytes();
        let scope: Scope = session.map(Arc::from);
        let id = self.id_of(&digest);
        let known = self.entries.get(&scope).and_then(|entries| entries.get(&id));
        let media = match meta.media {
            Media::Text if std::str::from_utf8(bytes).is_err() => {
                Media::Binary("application/octet-stream".to_owned())
            }
            media => media,
        };
        let entry = Entry {
            digest,
            tool: meta.tool.into(),
            tool_call_id: meta.tool_call_id.map(Into::into),
            media,
            // A pin outlives a later put of the same content that does not ask for it.
            pinned: scope.is_some() && (meta.keep_until_session_end || known.is_some_and(|old| old.pinned)),
            stored_at: self.sequence + 1,
            touched: self.sequence + 1,
            touched_time: self.now,
        };
        self.room_for(&scope, &id, &entry, len)?;
        let body = self.body_for(&digest, bytes)?;
        let lines = if entry.media == Media::Text { body.lines() } else { 0 };
        self.sequence += 1;
        self.remove(&scope, &id, Some(&digest));
        self.insert(scope, Arc::clone(&id), entry, body);
        while self.used.count > self.limits.max_count || self.used.bytes > self.limits.max_bytes {
            let Some(&oldest) = self.order.keys().next() else { break };
            self.evict(oldest);
        }
        Ok(Put { id: id.to_string(), bytes: len, lines })
    }

    /// Looks up what `session` put under `id`, and counts it as used now.
    pub fn open(&mut self, session: Option<&str>, id: &str) -> Result<Artifact, AccessError> {
        let scope: Scope = session.map(Arc::from);
        let unknown = || AccessError::NotFound { id: id.to_owned() };
        let (key, entry) = self
            .entries
            .get_mut(&scope)
            .and_then(|entries| {
                let key = Arc::clone(entries.get_key_value(id)?.0);
                Some((key, entries.get_mut(id)?))
            })
            .ok_or_else(unknown)?;
        let body = self.contents.get(&entry.digest).map(|content| Arc::clone(&content.body));
        self.sequence += 1;
        if self.order.remove(&entry.touched).is_some() {
            self.order.insert(self.sequence, (scope, key));
        }
        entry.touched = self.sequence;
        entry.touched_time = self.now;
        Ok(Artifact { body: body.ok_or_else(unknown)?, media: entry.media.clone() })
    }

    /// [`Store::open`] and [`Artifact::read`].
    pub fn read(
        &mut self,
        session: Option<&str>,
        id: &str,
        ranges: &[LineRange],
        page: &Page,
    ) -> Result<ReadResult, AccessError> {
        self.open(session, id)?.read(ranges, page)
    }

    /// [`Store::open`] and [`Artifact::search`], to the end.
    pub fn search(
        &mut self,
        session: Option<&str>,
        id: &str,
        pattern: &str,
        options: &SearchOptions,
    ) -> Result<SearchResult, AccessError> {
        self.open(session, id)?.search(pattern, options, &|| false)
    }

    /// What `session` owns, newest put first, up to 100 at once. Artifacts that come or go between two pages
    /// neither repeat nor hide others. Listing is no use of an artifact.
    pub fn list(&self, session: Option<&str>, cursor: Option<&str>) -> Result<Listing, AccessError> {
        let below = match cursor {
            None => u64::MAX,
            Some(text) => text
                .strip_prefix('o')
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok())
                .ok_or_else(|| AccessError::Cursor { cursor: text.to_owned() })?,
        };
        let entries = self.entries.get(&session.map(Arc::from)).into_iter().flatten();
        let mut older: Vec<_> = entries.filter(|(_, entry)| entry.stored_at < below).collect();
        older.sort_unstable_by_key(|(_, entry)| std::cmp::Reverse(entry.stored_at));
        let more = older.len() > LIST_PAGE;
        older.truncate(LIST_PAGE);
        let next_cursor = older.last().filter(|_| more).map(|(_, entry)| format!("o{}", entry.stored_at));
        let artifacts = older.into_iter().filter_map(|(id, entry)| self.info(id, entry)).collect();
        Ok(Listing { artifacts, next_cursor })
    }

    /// Forgets what `session` put, pinned or not. What other sessions put too stays theirs.
    pub fn session_closed(&mut self, session: &str) {
        let scope: Scope = Some(Arc::from(session));
        let ids: Vec<_> =
            self.entries.get(&scope).into_iter().flatten().map(|(id, _)| Arc::clone(id)).collect();
        for id in ids {
            self.remove(&scope, &id, None);
        }
    }

    fn info(&self, id: &str, entry: &Entry) -> Option<ArtifactInfo> {
        let body = &self.contents.get(&entry.digest)?.body;
        let (lines, mime) = match &entry.media {
            Media::Text => (body.lines(), None),
            Media::Binary(mime) => (0, Some(mime.clone())),
        };
        Some(ArtifactInfo {
            id: id.to_owned(),
            digest: blake3::Hash::from_bytes(entry.digest).to_string(),
            bytes: body.len(),
            lines,
            mime,
            tool: entry.tool.to_string(),
            tool_call_id: entry.tool_call_id.as_deref().map(str::to_owned),
            stored_at_order: entry.stored_at,
        })
    }

    /// The handle of a content: the one it has, or the shortest that no other content has.
    fn id_of(&self, digest: &Digest) -> Arc<str> {
        if let Some(content) = self.contents.get(digest) {
            return Arc::clone(&content.id);
        }
        let hex = blake3::Hash::from_bytes(*digest).to_hex();
        let digits = (self.id_digits..hex.len()).find(|&digits| !self.ids.contains_key(&hex[..digits]));
        Arc::from(&hex[..digits.unwrap_or(hex.len())])
    }

    /// Whether `entry` fits beside everything that may not be evicted for it.
    fn room_for(&self, scope: &Scope, id: &str, entry: &Entry, len: u64) -> Result<(), PutError> {
        let mut kept = self.pinned;
        let content = self.contents.get(&entry.digest);
        let known = self.entries.get(scope).and_then(|entries| entries.get(id));
        if let Some(old) = known.filter(|old| old.pinned) {
            kept.count -= 1;
            kept.bytes -= old.label_bytes(scope, id);
        }
        let content_bytes = if content.is_some_and(|content| content.pins > 0) { 0 } else { len };
        let needed = kept.bytes + content_bytes + entry.label_bytes(scope, id);
        if kept.count < self.limits.max_count && needed <= self.limits.max_bytes {
            Ok(())
        } else {
            Err(PutError::Full)
        }
    }

    fn body_for(&mut self, digest: &Digest, bytes: &[u8]) -> Result<Arc<Body>, PutError> {
        if let Some(content) = self.contents.get(digest).filter(|content| !content.body.is_lost()) {
            return Ok(Arc::clone(&content.body));
        }
        let in_memory: u64 = self.contents.values().map(|content| content.body.fallback_bytes()).sum();
        let room = self.limits.fallback_bytes.saturating_sub(in_memory);
        Body::new(bytes, &self.limits, &mut self.disk, room).map(Arc::new)
    }

    fn insert(&mut self, scope: Scope, id: Arc<str>, entry: Entry, body: Arc<Body>) {
        let label = entry.label_bytes(&scope, &id);
        let len = body.len();
        let content = self.contents.entry(entry.digest).or_insert_with(|| {
            self.used.bytes += len;
            Content { body: Arc::clone(&body), id: Arc::clone(&id), owners: 0, pins: 0 }
        });
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
        self.entries.entry(scope).or_default().insert(id, entry);
    }

    fn evict(&mut self, touched: u64) {
        if let Some((scope, id)) = self.order.remove(&touched) {
            self.remove(&scope, &id, None);
        }
    }

    /// Takes an entry out, and its content if it was the last; not if that is `keep`, which is about to be
    /// put again.
    fn remove(&mut self, scope: &Scope, id: &str, keep: Option<&Digest>) {
        let Some(entries) = self.entries.get_mut(scope) else { return };
        let Some(entry) = entries.remove(id) else { return };
        if entries.is_empty() {
            self.entries.remove(scope);
        }
        self.order.remove(&entry.touched);
        let label = entry.label_bytes(scope, id);
        self.used.count -= 1;
        self.used.bytes -= label;
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
        if content.owners == 0 && keep != Some(&entry.digest) {
            self.used.bytes -= len;
            self.ids.remove(&content.id);
            self.contents.remove(&entry.digest);
        }
    }
}

#[cfg(test)]
impl Store {
    /// Artifacts and bytes in use, as the store keeps count.
    pub(super) fn used(&self) -> (usize, u64) {
        (self.used.count, self.used.bytes)
    }

    /// The same, counted anew from what is there.
    pub(super) fn counted(&self) -> (usize, u64) {
        let contents: u64 = self.contents.values().map(|content| content.body.len()).sum();
        let mut count = 0;
        let mut labels = 0;
        for (scope, entries) in &self.entries {
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
