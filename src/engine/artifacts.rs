//! Answers `artifact/*` requests from the store of originals.

use std::time::Duration;

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
use crate::telemetry::{Clock, SystemClock};
use crate::text::marker::Marker;
use crate::text::source::Source;

/// How long the search for one page may take. After that, the page has the matches so far and a cursor.
const SEARCH_TIME: Duration = Duration::from_secs(1);
/// Most artifacts on one page of a list.
const LIST_PAGE: usize = 100;
/// Prefix of a list cursor that points to copies on disk, not to artifacts in memory.
const ON_DISK: &str = "d";

impl Engine {
    /// Answers `artifact/read`.
    pub fn read_artifact(&self, params: &ReadParams) -> Result<Read, RpcError> {
        let (id, artifact) = self.artifact(params.session_id.as_deref(), &params.id)?;
        let range = |[start, end]: &[usize; 2]| LineRange { start: *start as u64, end: *end as u64 };
        let mut ranges: Vec<LineRange> = params.lines.iter().flatten().map(range).collect();
        if params.numbering == Numbering::Shown {
            to_positions(&artifact, &mut ranges)?;
        }
        let max_bytes = params.max_bytes.unwrap_or(Page::default().max_bytes);
        let page = Page { max_bytes, cursor: params.cursor.clone() };
        let read = artifact.read(&ranges, &page).map_err(to_rpc_error)?;
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

    /// Answers `artifact/search`. The size of a page depends on the time that the search takes, so the same request may get
    /// different pages in different runs. No other answer does this.
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
        let clock = SystemClock::default();
        let late = || clock.now() >= SEARCH_TIME;
        let stop = || cancel.is_cancelled();
        let found = artifact.search(&params.pattern, &options, &stop, &late).map_err(to_rpc_error)?;
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

    /// Answers `artifact/list`.
    pub fn list_artifacts(&self, params: &ListParams) -> Result<List, RpcError> {
        let session = params.session_id.as_deref();
        check_session(session)?;
        let on_disk = params.cursor.as_deref().and_then(|cursor| cursor.strip_prefix(ON_DISK));
        let Some(before) = on_disk else {
            let listing = self.artifacts().list(session, params.cursor.as_deref()).map_err(to_rpc_error)?;
            let artifacts = listing.artifacts.into_iter().map(|info| Listed {
                id: info.id,
                digest: info.digest,
                bytes: info.bytes as usize,
                lines: info.lines as usize,
                tool: redacted_name(&info.tool),
                tool_call_id: info.tool_call_id.as_deref().map(redacted_name),
                command: info.command,
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
            to_rpc_error(AccessError::Cursor { cursor: params.cursor.clone().unwrap_or_default() })
        })?;
        let mut list = List { artifacts: Vec::new(), next_cursor: None };
        self.list_copies(session, before, &mut list);
        Ok(list)
    }

    /// Fills a page with copies that exist only on disk.
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

    /// Whether an artifact has this id or handle.
    pub fn has_artifact(&self, session: Option<&str>, id: &str) -> bool {
        self.artifact(session, id).is_ok()
    }

    /// Stores a text from another process as the original of a result without a session.
    pub fn adopt_artifact(&self, artifact: &Artifact) {
        let meta = Meta {
            pointer: None,
            tool: String::new(),
            tool_call_id: None,
            command: None,
            media: Media::Text,
            keep_until_session_end: false,
        };
        let now = self.started.now();
        if let Ok(Some(text)) = whole_text(artifact) {
            // If it cannot be stored, later look-ups report that it was not found.
            let _ = self.artifacts().put(None, text.as_bytes(), meta, now);
        }
    }

    /// Whether this session returned this pointer and its original can be read. Pointers have no seal, so any command
    /// can print one.
    pub fn gave_pointer(&self, session: &str, pointer: &str) -> bool {
        let Some((Marker::Externalized { key, .. }, _)) = Marker::parse(pointer) else { return false };
        self.artifacts().pointer(session, &key) == Some(pointer)
    }

    /// Finds an artifact by its id or by the handle that a marker shows.
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
            opened => return opened.map_err(to_rpc_error),
        }
        // An artifact that this process does not have may have a copy on disk.
        let lost = opened.err().unwrap_or_else(|| AccessError::NotFound { id: id.to_owned() });
        let found = self.copies.find(session, id).map_err(to_rpc_error)?;
        found.ok_or_else(|| to_rpc_error(lost))
    }
}

/// The whole text of an artifact; `None` if it is not text.
pub(super) fn whole_text(artifact: &Artifact) -> Result<Option<String>, RpcError> {
    let mut text = String::new();
    let mut page = Page::default();
    loop {
        let read = artifact.read(&[], &page).map_err(to_rpc_error)?;
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

/// Converts ranges of printed line numbers into ranges of line positions.
fn to_positions(artifact: &Artifact, ranges: &mut [LineRange]) -> Result<(), RpcError> {
    let Some(text) = whole_text(artifact)? else { return Ok(()) };
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

/// A wrong request becomes `-32602`; an artifact that is gone becomes a failed request.
fn to_rpc_error(error: AccessError) -> RpcError {
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
/// A name from a host, with secrets removed; empty if removing them failed.
fn redacted_name(name: &str) -> String {
    crate::sanitize::redact_only(name).map_or_else(|_| String::new(), |(name, _)| name)
}
