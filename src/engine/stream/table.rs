//! The open streams of a process: how many, how old, how large, and which session owns them.
//!
//! It reads no clock: the caller passes the time in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::buffer::{Buffer, Limits};
use crate::protocol::RpcError;
use crate::protocol::params::invalid;
use crate::protocol::stream::StreamName;

/// Limits for all streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most streams at once. Default 64.
    pub max_open: usize,
    /// A stream that gets nothing for longer than this ends. Default one hour.
    pub max_idle: Duration,
    /// Most bytes of memory of all streams together. Above it, the stream that grows is no longer kept whole. Default 128
    /// MiB.
    pub max_bytes: usize,
    /// Limits of one stream.
    pub limits: Limits,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_open: 64,
            max_idle: Duration::from_secs(60 * 60),
            max_bytes: 128 << 20,
            limits: Limits::default(),
        }
    }
}

/// One stream: its opening parameters and its text so far.
#[derive(Debug)]
pub(super) struct Stream {
    /// The JSON text of the parameters of `toolResult/open`.
    pub(super) params: String,
    /// Text by stream name, in the order of the names.
    pub(super) buffers: Vec<(StreamName, Buffer)>,
    /// Half a character at the end of a piece; its other half may come next.
    pub(super) half: Option<(StreamName, u16)>,
    limits: Limits,
}

impl Stream {
    /// The buffer of a stream name.
    pub(super) fn buffer(&mut self, name: StreamName) -> &mut Buffer {
        let at = self.buffers.partition_point(|(n, _)| *n < name);
        if self.buffers.get(at).is_none_or(|(n, _)| *n != name) {
            self.buffers.insert(at, (name, Buffer::new(self.limits)));
        }
        &mut self.buffers[at].1
    }

    /// Approximate bytes of memory.
    pub(super) fn held(&self) -> usize {
        self.params.len() + self.buffers.iter().map(|(_, buffer)| buffer.held()).sum::<usize>()
    }

    /// Keeps only parts from now on.
    pub(super) fn cut(&mut self) {
        self.buffers.iter_mut().for_each(|(_, buffer)| buffer.cut());
    }
}

/// A stream that several threads share.
pub(super) type Shared = Arc<Mutex<Stream>>;

#[derive(Debug)]
struct Entry {
    stream: Shared,
    session: Option<String>,
    used: Duration,
    held: usize,
}

/// The open streams of a process; see the module.
#[derive(Debug)]
pub(in crate::engine) struct Streams {
    bounds: Bounds,
    open: HashMap<String, Entry>,
    opened: u64,
}

impl Streams {
    pub(in crate::engine) fn new(bounds: Bounds) -> Self {
        Self { bounds, open: HashMap::new(), opened: 0 }
    }

    /// Opens a stream, and returns its id.
    pub(super) fn open(
        &mut self,
        session: Option<&str>,
        params: String,
        now: Duration,
    ) -> Result<String, RpcError> {
        self.expire(now);
        if self.open.len() >= self.bounds.max_open {
            let message =
                format!("{} streams are open, no more are allowed; close one first", self.open.len());
            return Err(RpcError::failed("too_many_streams", message).retryable());
        }
        self.opened += 1;
        let id = format!("stream-{}", self.opened);
        let limits = self.bounds.limits;
        let stream = Stream { params, buffers: Vec::new(), half: None, limits };
        let held = stream.held();
        let entry = Entry {
            stream: Arc::new(Mutex::new(stream)),
            session: session.map(str::to_owned),
            used: now,
            held,
        };
        self.open.insert(id.clone(), entry);
        Ok(id)
    }

    /// The stream with this id. `session` is the session of the request, if it names one.
    pub(super) fn get(&mut self, id: &str, session: Option<&str>, now: Duration) -> Result<Shared, RpcError> {
        self.expire(now);
        let Some(entry) = self.open.get_mut(id) else {
            let message = format!(
                "streamId: no stream `{id}` is open; it was closed, its session ended, it was idle for more than {} s, \
                 or it never was",
                self.bounds.max_idle.as_secs()
            );
            return Err(RpcError::failed("stream_not_found", redacted(message)));
        };
        if let Some(named) = session
            && entry.session.as_deref() != Some(named)
        {
            return Err(invalid("sessionId", &format!("stream `{id}` belongs to another session")));
        }
        entry.used = now;
        Ok(Arc::clone(&entry.stream))
    }

    /// Records the size of a stream. Returns whether all streams together exceed their limit.
    pub(super) fn grown(&mut self, id: &str, held: usize) -> bool {
        if let Some(entry) = self.open.get_mut(id) {
            entry.held = held;
        }
        self.open.values().map(|entry| entry.held).sum::<usize>() > self.bounds.max_bytes
    }

    /// Ends a stream. Returns whether it was open.
    pub(super) fn remove(&mut self, id: &str) -> bool {
        self.open.remove(id).is_some()
    }

    /// Ends the streams of a session.
    pub(in crate::engine) fn session_closed(&mut self, session: &str) {
        self.open.retain(|_, entry| entry.session.as_deref() != Some(session));
    }

    /// The queue in which requests about a stream keep their order: its session's, or its own.
    pub(in crate::engine) fn ordering_key(&self, id: &str) -> Option<String> {
        let entry = self.open.get(id)?;
        Some(entry.session.clone().unwrap_or_else(|| id.to_owned()))
    }

    fn expire(&mut self, now: Duration) {
        let max = self.bounds.max_idle;
        self.open.retain(|_, entry| now.saturating_sub(entry.used) <= max);
    }
}

/// Removes secrets from a message: an id from a host may hold anything.
fn redacted(message: String) -> String {
    invalid("", &message).message.trim_start_matches(": ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn streams() -> Streams {
        Streams::new(Bounds { max_open: 2, max_idle: at(10), ..Bounds::default() })
    }

    #[test]
    fn streams_are_bounded_in_number_and_age() {
        let mut streams = streams();
        let one = streams.open(None, String::new(), at(0)).unwrap();
        let two = streams.open(Some("s"), String::new(), at(5)).unwrap();
        let error = streams.open(None, String::new(), at(9)).unwrap_err();
        assert_eq!(error.message, "2 streams are open, no more are allowed; close one first");
        assert!(error.data.unwrap().retryable);
        assert!(streams.get(&two, None, at(9)).is_ok());
        let three = streams.open(None, String::new(), at(11)).unwrap();
        let error = streams.get(&one, None, at(11)).unwrap_err();
        assert!(error.message.starts_with("streamId: no stream `stream-1` is open; "), "{error}");
        assert!(streams.get(&two, None, at(19)).is_ok() && streams.get(&three, None, at(19)).is_ok());
        assert!(streams.get(&two, None, at(30)).is_err());
    }

    #[test]
    fn streams_belong_to_sessions() {
        let mut streams = streams();
        let one = streams.open(Some("s"), String::new(), at(0)).unwrap();
        let two = streams.open(None, String::new(), at(0)).unwrap();
        assert_eq!(
            (streams.ordering_key(&one), streams.ordering_key(&two)),
            (Some("s".to_owned()), Some(two.clone()))
        );
        assert!(streams.get(&one, Some("s"), at(0)).is_ok());
        for (id, session) in [(&one, "t"), (&two, "s")] {
            let error = streams.get(id, Some(session), at(0)).unwrap_err();
            assert_eq!(error.message, format!("sessionId: stream `{id}` belongs to another session"));
        }
        streams.session_closed("s");
        assert!(!streams.remove(&one) && streams.remove(&two) && !streams.remove(&two));
        assert_eq!(streams.ordering_key(&one), None);
    }
}
