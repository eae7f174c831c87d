//! The sessions of a process, and the `session/*` methods.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::Memory;
use super::{Engine, resolve};
use crate::protocol::RpcError;
use crate::protocol::params::{check_id, invalid};
use crate::protocol::session::{
    Closed, CompactedParams, EvictedParams, ForkParams, Forked, OpenParams, Opened, SessionParams, Stats,
};
use crate::session::Shared;
use crate::session::{Bounds, Session};

/// How many closed sessions are remembered, so that a late request gets a clear error.
const MAX_CLOSED: usize = 256;

/// Separates the conversation from the agent in the id of the agent's session.
pub const AGENT: char = '/';
/// A session that frees at least this many bytes makes it worth the time to return memory to the system.
const MIN_RETURNED_BYTES: usize = 256 << 10;

/// All open sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    open: HashMap<String, (Shared, u64)>,
    closed: VecDeque<String>,
    uses: u64,
    max: usize,
    bounds: Bounds,
    /// Size in bytes above which the host cuts a result itself.
    host_limit: Option<usize>,
}

impl Sessions {
    pub(super) fn new(max: usize, bounds: Bounds, host_limit: Option<usize>) -> Self {
        Self { open: HashMap::new(), closed: VecDeque::new(), uses: 0, max: max.max(1), bounds, host_limit }
    }

    /// The session with this id, opened if needed, and the id of a session that had to end for it.
    fn get(&mut self, id: &str, memory: &Memory) -> Result<(Shared, Option<String>), RpcError> {
        self.uses += 1;
        if let Some((session, used)) = self.open.get_mut(id) {
            *used = self.uses;
            return Ok((Arc::clone(session), None));
        }
        self.check_closed(id)?;
        let ended = match self.open.len() >= self.max {
            // The counters of use are unique, so the choice does not depend on the order of the map.
            true => self.open.iter().min_by_key(|(_, (_, used))| *used).map(|(id, _)| id.clone()),
            false => None,
        };
        if let Some(ended) = &ended {
            self.open.remove(ended);
        }
        let session = Session::new(self.bounds, self.host_limit).with_share(memory.share());
        let session = Arc::new(Mutex::new(session));
        self.open.insert(id.to_owned(), (Arc::clone(&session), self.uses));
        Ok((session, ended))
    }

    fn check_closed(&self, id: &str) -> Result<(), RpcError> {
        if self.closed.iter().any(|c| c == id) {
            let message = format!("sessionId: session `{id}` was closed, `session/open` opens it anew");
            return Err(RpcError::failed("session_closed", message));
        }
        Ok(())
    }

    /// All open sessions of a conversation and of the agents in it.
    fn of_conversation(&self, id: &str) -> Vec<Shared> {
        let is_of =
            |name: &str| name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with(AGENT));
        let all = self.open.iter().filter(|(name, _)| is_of(name));
        all.map(|(_, (session, _))| Arc::clone(session)).collect()
    }

    /// The session with this id if it is open. A query must not open a session and thereby end another one.
    pub(super) fn get_if_open(&self, id: &str) -> Result<Option<Shared>, RpcError> {
        self.check_closed(id)?;
        Ok(self.open.get(id).map(|(session, _)| Arc::clone(session)))
    }

    /// All open sessions, least recently used first.
    pub(super) fn by_use(&self) -> Vec<(String, Shared)> {
        let mut all: Vec<_> = self.open.iter().map(|(id, (session, used))| (*used, id, session)).collect();
        all.sort_unstable_by_key(|(used, ..)| *used);
        all.into_iter().map(|(_, id, session)| (id.clone(), Arc::clone(session))).collect()
    }

    fn close(&mut self, id: &str) -> bool {
        let was_open = self.open.remove(id).is_some();
        if was_open {
            self.closed.push_back(id.to_owned());
            if self.closed.len() > MAX_CLOSED {
                self.closed.pop_front();
            }
        }
        was_open
    }
}

/// Locks a session. A session stays consistent after a panic, because changes happen only at the very end.
pub(super) fn lock(session: &Shared) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// The session with this id, opened if needed.
    pub(super) fn session(&self, id: &str) -> Result<Shared, RpcError> {
        check_id("sessionId", id)?;
        let (session, ended) = self.sessions().get(id, &self.memory)?;
        if let Some(ended) = ended {
            self.artifacts().session_closed(&ended);
            self.streams().session_closed(&ended);
        }
        Ok(session)
    }

    /// Ends a session to make room. If it is used again, it starts empty.
    pub(super) fn end_session(&self, id: &str) {
        self.sessions().open.remove(id);
        self.artifacts().session_closed(id);
        self.streams().session_closed(id);
    }

    /// Answers `session/open`.
    pub fn open_session(&self, params: &OpenParams) -> Result<Opened, RpcError> {
        let id = &params.session_id;
        check_id("sessionId", id)?;
        resolve(&self.policy(), params.policy.as_ref())?;
        let created = {
            let mut sessions = self.sessions();
            sessions.closed.retain(|c| c != id);
            !sessions.open.contains_key(id)
        };
        let session = self.session(id)?;
        if created && let Some(policy) = &params.policy {
            lock(&session).set_policy(policy.clone());
        }
        Ok(Opened { session_id: id.clone(), created })
    }

    /// Answers `session/fork`.
    pub fn fork_session(&self, params: &ForkParams) -> Result<Forked, RpcError> {
        let (id, new) = (&params.session_id, &params.new_session_id);
        check_id("sessionId", id)?;
        check_id("newSessionId", new)?;
        if id == new {
            return Err(invalid("newSessionId", "is the session itself, a fork needs an id of its own"));
        }
        let forked = self.sessions().get_if_open(id)?.map(|session| lock(&session).fork());
        let opened = self.open_session(&OpenParams { session_id: new.clone(), policy: None })?;
        let mut calls = 0;
        if let Some(mut forked) = forked.filter(|_| opened.created) {
            if let Some(visible) = &params.visible {
                forked.compact(visible);
            }
            calls = forked.calls();
            self.artifacts().session_forked(id, new);
            *lock(&self.session(new)?) = forked;
        }
        Ok(Forked { session_id: new.clone(), created: opened.created, calls })
    }

    /// Answers `session/close`.
    pub fn close_session(&self, params: &SessionParams) -> Result<Closed, RpcError> {
        check_id("sessionId", &params.session_id)?;
        let before = self.memory_bytes();
        let closed = self.sessions().close(&params.session_id);
        self.artifacts().session_closed(&params.session_id);
        self.streams().session_closed(&params.session_id);
        if before.saturating_sub(self.memory_bytes()) >= MIN_RETURNED_BYTES {
            crate::memory::give_back();
        }
        Ok(Closed { closed })
    }

    /// Answers `session/stats`.
    pub fn session_stats(&self, params: &SessionParams) -> Result<Stats, RpcError> {
        check_id("sessionId", &params.session_id)?;
        let session = self.sessions().get_if_open(&params.session_id)?;
        let mut stats = session.map(|session| lock(&session).stats().clone()).unwrap_or_default();
        stats.price(&self.settings.accounting.prices);
        Ok(stats)
    }

    /// Bytes that the lines of a session's earlier outputs take; 0 if the session is not open.
    pub fn index_bytes(&self, session: &str) -> usize {
        let open = self.sessions().get_if_open(session).ok().flatten();
        open.map_or(0, |session| lock(&session).index_bytes())
    }

    /// Answers `session/evicted`.
    pub fn evicted(&self, params: EvictedParams) -> Result<(), RpcError> {
        check_id("sessionId", &params.session_id)?;
        let session = self.sessions().get_if_open(&params.session_id)?;
        let Some(session) = &session else { return Ok(()) };
        let mut session = lock(session);
        session.evict(&params.tool_call_ids);
        if let Some(visible) = &params.visible {
            session.keep_only(visible);
        }
        Ok(())
    }

    /// Answers `session/compacted`.
    pub fn compacted(&self, params: &CompactedParams) -> Result<(), RpcError> {
        check_id("sessionId", &params.session_id)?;
        if let Some(session) = self.sessions().get_if_open(&params.session_id)? {
            lock(&session).compact(&params.visible);
        }
        Ok(())
    }

    /// Marks everything shown in a conversation, and to the agents in it, as no longer certainly visible.
    pub fn conversation_forgotten(&self, id: &str) {
        let all = self.sessions().of_conversation(id);
        all.iter().for_each(|session| lock(session).compact(&[]));
    }

    /// Notes that the answer to a call did not reach the model.
    pub fn not_shown(&self, session: &str, call: &str) {
        if let Ok(Some(session)) = self.sessions().get_if_open(session) {
            lock(&session).not_shown(call);
        }
    }

    /// Notes that the model gets the result of a command without us. A session that is not open has nothing to forget.
    pub fn unseen(&self, session: &str, command: &str, is_counted: bool) {
        if let Ok(Some(session)) = self.sessions().get_if_open(session) {
            lock(&session).unseen(command, is_counted);
        }
    }

    /// Whether a session knows a call, whatever its answer was.
    pub fn knows_call(&self, session: &str, call: &str) -> bool {
        let open = self.sessions().get_if_open(session).ok().flatten();
        open.is_some_and(|session| lock(&session).knows(call))
    }

    /// Whether a session gave exactly this text in place of a repeated result.
    pub fn gave_reference(&self, session: &str, text: &str) -> bool {
        let open = self.sessions().get_if_open(session).ok().flatten();
        open.is_some_and(|session| lock(&session).has_referred(text))
    }
}
