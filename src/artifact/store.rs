//! The interface of the store: put, open, read, search, list, close.
//!
//! All access goes through the entries of the requesting session, so a session only reaches what it stored. Limits of size
//! and age remove the least recently used artifacts.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::body::Body;
use super::disk::{Disk, remove_leftovers};
use super::ledger::{Digest, Entry, Ledger, Scope};
use super::read::{self, LineRange, Page, ReadResult};
use super::search::{self, SearchOptions, SearchResult};
use super::{AccessError, Limits, Media, Meta, Put, PutError};
use crate::memory::size::Share;

/// Most artifacts on one page of a list.
const LIST_PAGE: usize = 100;

/// Shortest prefix that identifies an id.
const MIN_PREFIX: usize = 8;

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactInfo {
    /// Handle, for read and search.
    pub id: String,
    /// BLAKE3 digest of the content, 64 hexadecimal digits.
    pub digest: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Number of lines; 0 for binary data.
    pub lines: u64,
    /// MIME type of binary data.
    pub mime: Option<String>,
    /// The tool that last produced it in this session.
    pub tool: String,
    /// The call that last produced it in this session.
    pub tool_call_id: Option<String>,
    /// The command of that call, as far as [`super::Meta`] had it.
    pub command: Option<String>,
    /// Increases with each put of the process: a larger number is newer.
    pub stored_at_order: u64,
}

/// One page of a list, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// At most 100 artifacts.
    pub artifacts: Vec<ArtifactInfo>,
    /// Cursor of the next page; `None` on the last.
    pub next_cursor: Option<String>,
}

/// An artifact that was looked up. It answers without the store, so a long search blocks nobody, and keeps its bytes while
/// it is held, even if it is evicted.
#[derive(Debug, Clone)]
pub struct Artifact {
    body: Arc<Body>,
    media: Media,
}

impl Artifact {
    /// An artifact that no store holds.
    pub fn of(bytes: Vec<u8>, media: Media) -> Self {
        Self { body: Arc::new(Body::in_memory(bytes)), media }
    }

    /// One page of the lines in `ranges`; of everything if `ranges` is empty. Ranges may be unordered and overlap; the
    /// answer has each line once, in order.
    ///
    /// # Errors
    ///
    /// A range that is invalid or after the last line, ranges of binary data, a page limit of 0, or an unknown cursor;
    /// or the bytes cannot be read any more.
    pub fn read(&self, ranges: &[LineRange], page: &Page) -> Result<ReadResult, AccessError> {
        read::read(&self.body, &self.media, ranges, page)
    }

    /// One page of the lines that `pattern` matches. `stop` is called repeatedly and says whether the caller cancelled,
    /// `late` whether to return what was found so far.
    pub fn search(
        &self,
        pattern: &str,
        options: &SearchOptions,
        stop: &dyn Fn() -> bool,
        late: &dyn Fn() -> bool,
    ) -> Result<SearchResult, AccessError> {
        search::search(&self.body, &self.media, pattern, options, &search::Watch { stop, late })
    }
}

/// The store of one process.
#[derive(Debug)]
pub struct Store {
    limits: Limits,
    pub(super) ledger: Ledger,
    /// Number of the last put or read.
    sequence: u64,
    now: Duration,
    disk: Disk,
    /// The memory size that the store reports.
    share: Share,
}

/// The system's folder for temporary files; an empty path for WebAssembly, which has none.
pub fn temporary_root() -> PathBuf {
    #[cfg(target_family = "wasm")]
    return PathBuf::new();
    #[cfg(not(target_family = "wasm"))]
    std::env::temp_dir()
}

impl Store {
    /// An empty store that puts large artifacts below the system's directory for temporary files; nothing is created yet. A
    /// separate thread removes what killed processes left there, because that may take long in a crowded directory.
    pub fn new(limits: Limits) -> Self {
        let root = temporary_root();
        let sweep = root.clone();
        // Without a thread they stay until the next start.
        let _ = std::thread::Builder::new().name("sweep".to_owned()).spawn(move || remove_leftovers(&sweep));
        Self::with_root(limits, root)
    }

    /// Like [`Store::new`], with another directory for temporary files. The caller decides about
    /// [`remove_leftovers`].
    pub fn with_root(limits: Limits, root: PathBuf) -> Self {
        let (ledger, disk, share) = (Ledger::new(), Disk::new(root), Share::default());
        Self { limits, ledger, sequence: 0, now: Duration::ZERO, disk, share }
    }

    /// The same store, which reports its memory to a shared counter.
    pub fn with_share(self, share: Share) -> Self {
        Self { share, ..self }
    }

    fn report_size(&mut self) {
        let bytes = self.ledger.memory_bytes();
        self.share.set(bytes);
    }

    /// Sets the current time, counted from any fixed point, and removes artifacts that are too old. Time that runs backwards
    /// is ignored. A put does this too; call it before a read to enforce the age limit there.
    pub fn advance(&mut self, now: Duration) {
        self.now = self.now.max(now);
        let too_old = |entry: &Entry| self.now.saturating_sub(entry.touched_time) > self.limits.max_age;
        let mut evicted = false;
        while self.ledger.oldest().is_some_and(too_old) {
            evicted = self.ledger.evict_oldest();
        }
        if evicted {
            self.report_size();
        }
    }

    /// Stores `bytes` for `session`. Storing the same content again gives the same artifact, which then counts as
    /// new and is named after the later call. After an error the store is unchanged, except that expired artifacts
    /// are removed.
    pub fn put(
        &mut self,
        session: Option<&str>,
        bytes: &[u8],
        meta: Meta,
        now: Duration,
    ) -> Result<Put, PutError> {
        self.put_hashed(session, bytes, blake3::hash(bytes), meta, now)
    }

    /// Like [`Store::put`], if the BLAKE3 hash of the bytes is already known.
    pub fn put_hashed(
        &mut self,
        session: Option<&str>,
        bytes: &[u8],
        hash: blake3::Hash,
        meta: Meta,
        now: Duration,
    ) -> Result<Put, PutError> {
        self.advance(now);
        let len = bytes.len() as u64;
        if len > self.limits.max_artifact_bytes {
            return Err(PutError::TooLarge { bytes: len, max: self.limits.max_artifact_bytes });
        }
        let digest = *hash.as_bytes();
        let scope: Scope = session.map(Arc::from);
        let id = self.ledger.id_of(&digest);
        let old = self.ledger.entry(&scope, &id);
        let was_pinned = old.is_some_and(|old| old.pinned);
        let old_pointer = old.and_then(|old| old.pointer.clone());
        let media = match meta.media {
            Media::Text if std::str::from_utf8(bytes).is_err() => {
                Media::Binary("application/octet-stream".to_owned())
            }
            media => media,
        };
        let sequence = self.sequence + 1;
        let entry = Entry {
            digest,
            tool: meta.tool.into(),
            tool_call_id: meta.tool_call_id.map(Into::into),
            command: meta.command.map(Into::into),
            media,
            // A later put of the same content does not remove a pin.
            pinned: scope.is_some() && (meta.keep_until_session_end || was_pinned),
            pointer: meta.pointer.map(Into::into).or(old_pointer),
            touched: sequence,
            touched_time: self.now,
            stored_at: sequence,
        };
        if !self.ledger.fits(&scope, &id, &entry, len, &self.limits) {
            return Err(PutError::Full);
        }
        let body = self.body_for(&digest, bytes)?;
        let lines = if entry.media == Media::Text { body.lines() } else { 0 };
        self.sequence = sequence;
        self.ledger.put(scope, Arc::clone(&id), entry, body);
        // Stops before the new artifact, which is the newest and fits.
        while self.ledger.is_over(&self.limits) && self.ledger.evict_oldest() {}
        self.report_size();
        Ok(Put { id: id.to_string(), bytes: len, lines })
    }

    fn body_for(&mut self, digest: &Digest, bytes: &[u8]) -> Result<Arc<Body>, PutError> {
        if let Some(body) = self.ledger.body(digest).filter(|body| !body.is_lost()) {
            return Ok(Arc::clone(body));
        }
        // Counting them takes longer the more there are, and only a disk that fails makes it necessary.
        let room = || self.limits.fallback_bytes.saturating_sub(self.ledger.fallback_bytes());
        let inline_room = self.limits.memory_bytes.saturating_sub(self.ledger.memory_bytes());
        let limits =
            Limits { inline_bytes: self.limits.inline_bytes.min(inline_room), ..self.limits.clone() };
        Body::new(bytes, &limits, &mut self.disk, room).map(Arc::new)
    }

    /// The id with this prefix, if exactly one of the session's ids has it: markers show a short handle.
    pub fn resolve(&self, session: Option<&str>, prefix: &str) -> Option<String> {
        let scope: Scope = session.map(Arc::from);
        if prefix.len() < MIN_PREFIX || self.ledger.entry(&scope, prefix).is_some() {
            return Some(prefix.to_owned());
        }
        let mut found = self.ledger.entries(&scope).map(|(id, _)| id).filter(|id| id.starts_with(prefix));
        let first = found.next()?;
        found.next().is_none().then(|| first.to_string())
    }

    /// Whether `session` owns an artifact with this id.
    pub fn has(&self, session: Option<&str>, id: &str) -> bool {
        self.ledger.entry(&session.map(Arc::from), id).is_some()
    }

    /// The pointer that `session` was given instead of an artifact.
    pub fn pointer(&self, session: &str, id: &str) -> Option<&str> {
        self.ledger.entry(&Some(Arc::from(session)), id)?.pointer.as_deref()
    }

    /// Gives `new` its own entries for everything that `session` has; contents are shared. Nothing is evicted for it: if
    /// there is no more room, `new` gets the newest.
    pub fn session_forked(&mut self, session: &str, new: &str) {
        let (from, to): (Scope, Scope) = (Some(session.into()), Some(new.into()));
        let mut all: Vec<(Arc<str>, Entry)> =
            self.ledger.entries(&from).map(|(id, entry)| (Arc::clone(id), entry.clone())).collect();
        all.sort_unstable_by_key(|(_, entry)| entry.touched);
        let room = self.limits.max_count.saturating_sub(self.ledger.count());
        let first = all.len().saturating_sub(room);
        for (id, mut entry) in all.into_iter().skip(first) {
            let Some(body) = self.ledger.body(&entry.digest).map(Arc::clone) else { continue };
            if entry.pinned && !self.ledger.fits(&to, &id, &entry, body.len(), &self.limits) {
                continue;
            }
            self.sequence += 1;
            entry.touched = self.sequence;
            self.ledger.put(to.clone(), id, entry, body);
        }
        while self.ledger.is_over(&self.limits) && self.ledger.evict_oldest() {}
    }

    /// Keeps what `session` stored under `id` until the session ends. Returns false if it is no longer there, or
    /// does not fit beside everything else that is pinned.
    pub fn pin(&mut self, session: &str, id: &str) -> bool {
        let scope: Scope = Some(Arc::from(session));
        let Some(entry) = self.ledger.entry(&scope, id) else { return false };
        if entry.pinned {
            return true;
        }
        let entry = Entry { pinned: true, ..entry.clone() };
        let Some(body) = self.ledger.body(&entry.digest).filter(|body| !body.is_lost()).map(Arc::clone)
        else {
            return false;
        };
        if !self.ledger.fits(&scope, id, &entry, body.len(), &self.limits) {
            return false;
        }
        self.ledger.put(scope, Arc::from(id), entry, body);
        self.report_size();
        true
    }

    /// Looks up what `session` stored under `id`, and marks it as used now.
    ///
    /// # Errors
    ///
    /// `session` has no artifact under `id`, or its bytes cannot be read any more.
    pub fn open(&mut self, session: Option<&str>, id: &str) -> Result<Artifact, AccessError> {
        let scope: Scope = session.map(Arc::from);
        let found = self.ledger.entry(&scope, id).and_then(|entry| {
            let body = Arc::clone(self.ledger.body(&entry.digest)?);
            Some(Artifact { body, media: entry.media.clone() })
        });
        let artifact = found.ok_or_else(|| AccessError::NotFound { id: id.to_owned() })?;
        if artifact.body.is_lost() {
            return Err(AccessError::Unreadable);
        }
        self.sequence += 1;
        self.ledger.touch(scope, id, self.sequence, self.now);
        Ok(artifact)
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
        self.open(session, id)?.search(pattern, options, &|| false, &|| false)
    }

    /// The artifacts of `session`, newest put first, up to 100 at once. Artifacts that come or go between two pages cause no
    /// repetitions or omissions. Listing does not count as use.
    ///
    /// # Errors
    ///
    /// `cursor` is not one of an earlier page.
    pub fn list(&self, session: Option<&str>, cursor: Option<&str>) -> Result<Listing, AccessError> {
        let below = match cursor {
            None => u64::MAX,
            Some(text) => text
                .strip_prefix('o')
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok())
                .ok_or_else(|| AccessError::Cursor { cursor: text.to_owned() })?,
        };
        let scope: Scope = session.map(Arc::from);
        let mut older: Vec<_> =
            self.ledger.entries(&scope).filter(|(_, entry)| entry.stored_at < below).collect();
        older.sort_unstable_by_key(|(_, entry)| std::cmp::Reverse(entry.stored_at));
        let more = older.len() > LIST_PAGE;
        older.truncate(LIST_PAGE);
        let next_cursor = older.last().filter(|_| more).map(|(_, entry)| format!("o{}", entry.stored_at));
        let artifacts = older.into_iter().filter_map(|(id, entry)| self.info(id, entry)).collect();
        Ok(Listing { artifacts, next_cursor })
    }

    /// Removes what `session` stored, pinned or not. Other sessions keep what they stored too.
    pub fn session_closed(&mut self, session: &str) {
        self.ledger.close(&Some(Arc::from(session)));
        self.report_size();
    }

    fn info(&self, id: &str, entry: &Entry) -> Option<ArtifactInfo> {
        let body = self.ledger.body(&entry.digest)?;
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
            command: entry.command.as_deref().map(str::to_owned),
            stored_at_order: entry.stored_at,
        })
    }
}
