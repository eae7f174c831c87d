//! The requests without an answer yet. Ensures that each is answered exactly once, by whichever comes first: the handler, a
//! cancel or a fault.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::budget::{Budget, lock};
use super::envelope;
use super::outbox::Outbox;
use crate::engine::Cancel;
use crate::protocol::RpcError;
use crate::protocol::error::{INVALID_REQUEST, REQUEST_CANCELLED, SERVER_CANCELLED};

/// Memory of a queued call besides its bytes: table entries, futures, queue places. Rounded up.
const JOB_OVERHEAD: usize = 1024;

/// One open request or notification.
#[derive(Debug)]
pub(super) struct Job {
    /// Number of the call in order of arrival; also its id inside the router.
    pub(super) ticket: i64,
    /// Raw JSON of the client's id; `None` for a notification.
    pub(super) id: Option<String>,
    /// Name on the wire.
    pub(super) method: String,
    /// Set when the client cancels.
    pub(super) cancel: Cancel,
    text: Mutex<Option<String>>,
    cost: usize,
}

impl Job {
    /// Bytes of memory while it is open.
    pub(super) fn cost(&self) -> usize {
        self.cost
    }

    /// Takes the message; `None` if it was already taken or the job is settled.
    pub(super) fn take_text(&self) -> Option<String> {
        lock(&self.text).take()
    }
}

/// Whether a full queue may refuse the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// It may be refused, and the client tries again.
    Refusable,
    /// It must not be refused: a lifecycle message, or a notification, whose loss the client could not notice.
    Always,
}

#[derive(Debug, Default)]
struct Table {
    open: BTreeMap<i64, Arc<Job>>,
    by_id: HashMap<String, i64>,
    next: i64,
}

/// All calls from arrival to answer.
#[derive(Debug)]
pub(super) struct Jobs {
    table: Mutex<Table>,
    outbox: Arc<Outbox>,
    budget: Arc<Budget>,
    settled: Notify,
}

impl Jobs {
    /// No calls.
    pub(super) fn new(outbox: Arc<Outbox>, budget: Arc<Budget>) -> Self {
        Self { table: Mutex::default(), outbox, budget, settled: Notify::new() }
    }

    /// Adds a call, unless its id is in use (`-32600`) or there is no room (`-32802`).
    pub(super) fn register(
        &self,
        id: Option<String>,
        method: String,
        text: String,
        entry: Entry,
    ) -> Result<Arc<Job>, RpcError> {
        let mut table = lock(&self.table);
        let key = id.as_deref().map(envelope::id_key);
        if key.as_ref().is_some_and(|key| table.by_id.contains_key(&**key)) {
            let what = "the id belongs to a request that is not answered yet";
            return Err(RpcError::new(INVALID_REQUEST, "duplicate_id", what));
        }
        let cost = text.capacity() + JOB_OVERHEAD;
        if entry == Entry::Always {
            self.budget.take(cost);
        } else if !self.budget.admit(cost) {
            let what = "too many bytes are queued; read the replies and send the request again";
            return Err(RpcError::new(SERVER_CANCELLED, "overloaded", what).retryable());
        }
        table.next += 1;
        let ticket = table.next;
        if let Some(key) = key {
            table.by_id.insert(key.into_owned(), ticket);
        }
        let text = Mutex::new(Some(text));
        let job = Arc::new(Job { ticket, id, method, cancel: Cancel::default(), text, cost });
        table.open.insert(ticket, job.clone());
        Ok(job)
    }

    /// The open job with this ticket.
    pub(super) fn get(&self, ticket: i64) -> Option<Arc<Job>> {
        lock(&self.table).open.get(&ticket).cloned()
    }

    /// Whether the job is not answered yet.
    pub(super) fn is_open(&self, job: &Job) -> bool {
        lock(&self.table).open.contains_key(&job.ticket)
    }

    /// Whether no job is open.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.table).open.is_empty()
    }

    /// Closes the job, and sends the reply if it needs one. Does nothing if it is already closed.
    pub(super) fn close_and_flush(&self, job: &Job, outcome: &Result<String, RpcError>) {
        self.close(job, outcome);
        self.outbox.flush();
    }

    /// As [`Self::close_and_flush`], but leaves the reply in the queue of the outbox.
    pub(super) fn close(&self, job: &Job, outcome: &Result<String, RpcError>) {
        let frame = job.id.as_deref().map(|id| self.outbox.reply(id, outcome));
        let mut table = lock(&self.table);
        if table.open.remove(&job.ticket).is_none() {
            return;
        }
        if let Some(id) = &job.id {
            table.by_id.remove(&*envelope::id_key(id));
        }
        job.take_text();
        self.budget.give_back(job.cost);
        // Under the lock, so that whoever sees the job gone finds its reply queued. Last, so that the id and the memory are
        // free before the client can read the reply.
        if let Some(frame) = frame {
            self.outbox.push(frame);
        }
        drop(table);
        self.settled.notify_waiters();
    }

    /// Answers the request with this raw id as cancelled. Ignores unknown ids.
    pub(super) fn cancel(&self, raw_id: &str) {
        let job = {
            let table = lock(&self.table);
            table.by_id.get(&*envelope::id_key(raw_id)).and_then(|ticket| table.open.get(ticket)).cloned()
        };
        if let Some(job) = job {
            let what = "the client cancelled the request";
            self.close_and_flush(&job, &Err(RpcError::new(REQUEST_CANCELLED, "cancelled", what)));
            // Last: a handler that heeds it may be faster than the answer.
            job.cancel.cancel();
        }
    }

    /// Waits until every call that arrived before `ticket` is settled.
    pub(super) async fn earlier_settled(&self, ticket: i64) {
        loop {
            let settled = self.settled.notified();
            if lock(&self.table).open.keys().next().is_none_or(|first| *first >= ticket) {
                return;
            }
            settled.await;
        }
    }
}
