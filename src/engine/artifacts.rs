//! `artifact/*`: the store's answers in the wire's words.

use std::time::{Duration, Instant};

use super::recovery::listed;
use super::{Cancel, Engine};
use crate::artifact::{
    AccessError, Artifact, ContextLine, Encoding, LineRange, Media, Meta, Page, SearchOptions,
};
use crate::protocol::RpcError;
use crate::protocol::artifact::{
    Found, List, ListParams, Listed, Match, NumberedLine, Numbering, Read, ReadParams, SearchParams,
};
use crate::protocol::params::check_id;
use crate::protocol::tool_result::check_session;
use crate::text::marker::Marker;
use crate::text::source::Source;

/// How long one page of a search may take; then what was found is the answer, with a cursor.
const SEARCH_TIME: Duration = Duration::from_secs(1);
/// Artifacts on one page of a list.
const LIST_PAGE: usize = 100;
/// How the cursor of a page begins that lists what is left on disk.
const ON_DISK: &str = "d";

impl Engine {
    /// `artifact/read`
    pub fn read_artifact(&self, params: &ReadParams) -> Result<Read, RpcError> {
        let (id, artifact) = self.artifact(params.session_id.as_deref(), &params.id)?;
        let range = |[start, end]: &[usize; 2]| LineRange { start: *start as u64, end: *end as u64 };
        let mut ranges: Vec<LineRange> = params.lines.iter().flatten().map(range).collect();
        if params.numbering == Numbering::Shown {
            place(&artifact, &mut ranges)?;
        }
        let max_bytes = params.max_bytes.unwrap_or(Page::default().max_bytes);
        let page = Page { max_bytes, cursor: params.cursor.clone() };
        let read = artifact.read(&ranges, &page).map_err(refused)?;
        Ok(Read {
            id,
            text: read.text,
            encoding: match read.encoding {
                Encoding::Utf8 => "utf-8".to_owned(),
                Encoding::Base64 => "base64".to_owned(),
            },
            lines: read.lines.iter().map(|r| [r.start as usize, r.end as usize]).collect(),
            total_lines: read.total_lines as usize,
            total_bytes: read.total_bytes as usize,
            next_cursor: read.next_cursor,
        })
    }

    /// `artifact/search`. What one page holds depends on the time that the search takes: it is the one answer here that
    /// may differ from run to run.
    pub fn search_artifact(&self, params: &SearchParams, cancel: &Cancel) -> Result<Found, RpcError> {
        let (id, artifact) = self.artifact(params.session_id.as_deref(), &params.id)?;
        let defaults = SearchOptions::default();
        let options = SearchOptions {
            ignore_case: params.ignore_case,
            fixed: params.fixed,
            context: params.context,
            max_matches: params.max_matches.unwrap_or(defaults.max_matches),
            cursor: params.cursor.clone(),
            ..defaults
        };
        let started = Instant::now();
        let late = || started.elapsed() >= SEARCH_TIME;
        let stop = || cancel.is_cancelled();
        let found = artifact.search(&params.pattern, &options, &stop, &late).map_err(refused)?;
        let line = |c: ContextLine| NumberedLine { line: c.line as usize, text: c.text };
        let matches = found.matches.into_iter().map(|m| Match {
            line: m.line as usize,
            text: m.text,
            column: m.text_column as usize,
            before: m.before.into_iter().map(line).collect(),
            after: m.after.into_iter().map(line).collect(),
        });
        Ok(Found {
            id,
            matches: matches.collect(),
            total_matches: found.total_matches as usize,
            timed_out: found.late,
            next_cursor: found.next_cursor,
        })
    }

    /// `artifact/list`
    pub fn list_artifacts(&self, params: &ListParams) -> Result<List, RpcError> {
        let session = params.session_id.as_deref();
        check_session(session)?;
        let on_disk = params.cursor.as_deref().and_then(|cursor| cursor.strip_prefix(ON_DISK));
        let Some(before) = on_disk else {
            let listing = self.artifacts().list(session, params.cursor.as_deref()).map_err(refused)?;
            let artifacts = listing.artifacts.into_iter().map(|info| Listed {
                id: info.id,
                digest: info.digest,
                bytes: info.bytes as usize,
                lines: info.lines as usize,
                tool: shown(&info.tool),
                tool_call_id: info.tool_call_id.as_deref().map(shown),
                on_disk: false,
            });
            let mut list = List { artifacts: artifacts.collect(), next_cursor: listing.next_cursor };
            if list.next_cursor.is_none() {
                self.list_copies(session, u64::MAX, &mut list);
            }
            return Ok(list);
        };
        let before = Some(before).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let before = before.and_then(|digits| digits.parse().ok()).ok_or_else(|| {
            refused(AccessError::Cursor { cursor: params.cursor.clone().unwrap_or_default() })
        })?;
        let mut list = List { artifacts: Vec::new(), next_cursor: None };
        self.list_copies(session, before, &mut list);
        Ok(list)
    }

    /// Fills a page with what is left on disk alone.
    fn list_copies(&self, session: Option<&str>, before: u64, list: &mut List) {
        let room = LIST_PAGE.saturating_sub(list.artifacts.len());
        let is_left = |id: &str| !self.artifacts().has(session, id);
        let copies = self.copies.list(session, before, room + 1, &is_left);
        if copies.len() > room {
            let last = room.checked_sub(1).and_then(|last| copies.get(last));
            list.next_cursor = Some(format!("{ON_DISK}{}", last.map_or(before, |copy| copy.order)));
        }
        list.artifacts.extend(copies.into_iter().take(room).map(listed));
    }

    /// Whether there is an artifact of that id or handle.
    pub fn has_artifact(&self, session: Option<&str>, id: &str) -> bool {
        self.artifact(session, id).is_ok()
    }

    /// Keeps a text of another process as the original of a result that came without a session.
    pub fn adopt_artifact(&self, artifact: &Artifact) {
        let meta = Meta {
            pointer: None,
            tool: String::new(),
            tool_call_id: None,
            media: Media::Text,
            keep_until_session_end: false,
        };
        let now = self.started.elapsed();
        if let Ok(Some(text)) = whole(artifact) {
            // What cannot be kept is not found.
            let _ = self.artifacts().put(None, text.as_bytes(), meta, now);
        }
    }

    /// Whether a session was given this very pointer: its original is there, and it says of it what is so. Pointers have no
    /// seal of their own, and a command can print any.
    pub fn gave_pointer(&self, session: &str, pointer: &str) -> bool {
        let Some((Marker::Externalized { key, .. }, _)) = Marker::parse(pointer) else { return false };
        self.artifacts().pointer(session, &key) == Some(pointer)
    }

    /// An artifact by its id or by the handle that a marker shows.
    fn artifact(&self, session: Option<&str>, id: &str) -> Result<(String, Artifact), RpcError> {
        check_session(session)?;
        check_id("id", id)?;
        let opened = {
            let mut store = self.artifacts();
            let id = store.resolve(session, id).unwrap_or_else(|| id.to_owned());
            store.open(session, &id).map(|artifact| (id, artifact))
        };
        match opened {
            Err(AccessError::NotFound { .. } | AccessError::Unreadable) => {}
            opened => return opened.map_err(refused),
        }
        // What the store never had, let go, or lost with its folder may be kept elsewhere.
        let lost = opened.err().unwrap_or_else(|| AccessError::NotFound { id: id.to_owned() });
        let found = self.copies.find(session, id).map_err(refused)?;
        found.ok_or_else(|| refused(lost))
    }
}

/// All of a text; `None` for what is none.
fn whole(artifact: &Artifact) -> Result<Option<String>, RpcError> {
    let mut text = String::new();
    let mut page = Page::default();
    loop {
        let read = artifact.read(&[], &page).map_err(refused)?;
        if read.encoding != Encoding::Utf8 {
            return Ok(None);
        }
        text.push_str(&read.text);
        match read.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return Ok(Some(text)),
        }
    }
}

/// Turns ranges of numbers that lines carry into ranges of their places.
fn place(artifact: &Artifact, ranges: &mut [LineRange]) -> Result<(), RpcError> {
    let Some(text) = whole(artifact)? else { return Ok(()) };
    let source = Source::new(&text);
    let view = source.view();
    for range in ranges {
        let is_meant =
            |i: &usize| view.number(*i).is_some_and(|n| (range.start..=range.end).contains(&(n as u64)));
        let mut places = (0..source.len()).filter(is_meant);
        if let Some(first) = places.next() {
            let last = places.next_back().unwrap_or(first);
            *range = LineRange { start: first as u64 + 1, end: last as u64 + 1 };
        }
    }
    Ok(())
}

/// What the caller got wrong is `-32602`; what is not there any more is a request that failed.
fn refused(error: AccessError) -> RpcError {
    let kind = error.code();
    match error {
        AccessError::NotFound { .. }
        | AccessError::Expired { .. }
        | AccessError::Ambiguous { .. }
        | AccessError::Unreadable => RpcError::failed(kind, error.to_string()),
        AccessError::Stopped => {
            RpcError::new(crate::protocol::error::REQUEST_CANCELLED, kind, error.to_string())
        }
        _ => RpcError::new(crate::protocol::error::INVALID_PARAMS, kind, error.to_string()),
    }
}
/// A name that a host gave, without secrets; nothing where that cannot be made sure.
fn shown(name: &str) -> String {
    crate::sanitize::redact_only(name).map_or_else(|_| String::new(), |(name, _)| name)
}
