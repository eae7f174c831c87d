//! The queue for everything that goes to stdout. Adding to it never blocks.
//!
//! The thread that has a reply writes it if that does not block. The writer thread writes the rest.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::budget::{Budget, lock};
use super::codec::{Frame, Framing};
use super::direct::Direct;
use crate::protocol::RpcError;
use crate::protocol::error::{ErrorData, INTERNAL_ERROR};

/// Bytes written in one system call; small enough to observe progress while a large reply is written.
const WRITE_STEP: usize = 256 * 1024;

#[derive(Debug, Default)]
struct Queue {
    frames: VecDeque<Frame>,
    /// Bytes of the first frame that are already written.
    begun: usize,
    /// Whether a thread is writing the first frame.
    writing: bool,
    /// An error of `flush`: the writer thread ends with it.
    failed: Option<io::Error>,
    closed: bool,
}

impl Queue {
    /// Takes the first frame to write it, and the number of its bytes that are already written.
    fn take(&mut self) -> Option<(Frame, usize)> {
        let frame = self.frames.pop_front()?;
        self.writing = true;
        Some((frame, std::mem::take(&mut self.begun)))
    }
}

/// The queue to stdout.
#[derive(Debug)]
pub(super) struct Outbox {
    framing: Framing,
    budget: Arc<Budget>,
    queue: Mutex<Queue>,
    ready: Condvar,
    written: AtomicU64,
    direct: Option<Direct>,
}

#[derive(Serialize)]
struct Fault<'a> {
    code: i64,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a ErrorData>,
}

impl Outbox {
    /// An empty queue that accounts to `budget`; `direct` is what the writer thread will write to.
    pub(super) fn new(framing: Framing, budget: Arc<Budget>, direct: Option<Direct>) -> Self {
        let (queue, ready) = (Mutex::default(), Condvar::new());
        Self { framing, budget, queue, ready, written: AtomicU64::new(0), direct }
    }

    /// The reply to `id` (raw JSON) with a result (raw JSON) or an error.
    pub(super) fn reply(&self, id: &str, outcome: &Result<String, RpcError>) -> Frame {
        match outcome {
            Ok(result) => self.message("result", result, id),
            Err(error) => {
                let RpcError { code, message, data } = error;
                let fault = serde_json::to_string(&Fault { code: *code, message, data: data.as_ref() });
                let plain = || format!("{{\"code\":{INTERNAL_ERROR},\"message\":\"internal error\"}}");
                self.message("error", &fault.unwrap_or_else(|_| plain()), id)
            }
        }
    }

    /// Builds a notification with its parameters (raw JSON).
    pub(super) fn notification(&self, method: &str, params: &str) -> Frame {
        Frame::build(self.framing, params.len() + method.len(), |out| {
            out.extend_from_slice(
                format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":").as_bytes(),
            );
            out.extend_from_slice(params.as_bytes());
            out.push(b'}');
        })
    }

    /// Sends an error that belongs to no open request.
    pub(super) fn refuse(&self, id: Option<&str>, error: RpcError) {
        self.push(self.reply(id.unwrap_or("null"), &Err(error)));
        self.flush();
    }

    /// The members have the order of the in-process interface, so that both produce the same bytes.
    fn message(&self, name: &str, value: &str, id: &str) -> Frame {
        Frame::build(self.framing, value.len() + id.len(), |out| {
            out.extend_from_slice(format!("{{\"jsonrpc\":\"2.0\",\"{name}\":").as_bytes());
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b",\"id\":");
            out.extend_from_slice(id.as_bytes());
            out.push(b'}');
        })
    }

    /// Queues a frame for [`Self::flush`]; drops it if nobody can read it any more.
    pub(super) fn push(&self, frame: Frame) {
        let mut queue = lock(&self.queue);
        if !queue.closed {
            self.budget.reply_queued(frame.cost());
            queue.frames.push_back(frame);
        }
    }

    /// Writes as much as possible without blocking, and wakes the writer thread for the rest.
    pub(super) fn flush(&self) {
        let Some(direct) = &self.direct else { return self.ready.notify_one() };
        let mut queue = lock(&self.queue);
        // A thread that is writing checks for more when it is done.
        while !queue.writing {
            let Some((frame, begun)) = queue.take() else { return };
            drop(queue);
            let result = direct.write(&frame.bytes()[begun..]);
            let count = *result.as_ref().unwrap_or(&0);
            self.written.fetch_add(count as u64, Ordering::Relaxed);
            let is_done = begun + count == frame.bytes().len();
            if is_done {
                self.budget.reply_gone(frame.cost());
            }
            queue = lock(&self.queue);
            queue.writing = false;
            if !is_done {
                queue.frames.push_front(frame);
                queue.begun = begun + count;
                queue.failed = result.err();
                return self.ready.notify_one();
            }
        }
    }

    /// Whether everything queued was passed to the operating system.
    pub(super) fn is_drained(&self) -> bool {
        let queue = lock(&self.queue);
        queue.frames.is_empty() && !queue.writing
    }

    /// Bytes written so far, to tell a slow reader from a stopped one.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Writes until `out` fails. Runs on its own thread.
    pub(super) fn write_to(&self, mut out: impl Write) -> io::Error {
        loop {
            let (frame, begun, failed) = self.next();
            let result = failed.map_or_else(|| self.write_frame(&mut out, &frame.bytes()[begun..]), Err);
            self.budget.reply_gone(frame.cost());
            let mut queue = lock(&self.queue);
            queue.writing = false;
            let Err(error) = result else { continue };
            queue.closed = true;
            for frame in queue.frames.drain(..) {
                self.budget.reply_gone(frame.cost());
            }
            return error;
        }
    }

    /// The next frame, the number of its written bytes, and the error of a thread that tried to continue it.
    fn next(&self) -> (Frame, usize, Option<io::Error>) {
        let mut queue = lock(&self.queue);
        loop {
            if !queue.writing
                && let Some((frame, begun)) = queue.take()
            {
                return (frame, begun, queue.failed.take());
            }
            queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn write_frame(&self, out: &mut impl Write, mut rest: &[u8]) -> io::Result<()> {
        while !rest.is_empty() {
            match out.write(&rest[..rest.len().min(WRITE_STEP)]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    rest = &rest[count..];
                    self.written.fetch_add(count as u64, Ordering::Relaxed);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => pause(),
                Err(error) => return Err(error),
            }
        }
        out.flush()
    }
}

/// Pauses before a retry, if the host gave us a non-blocking descriptor.
pub(super) fn pause() {
    std::thread::sleep(Duration::from_millis(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox() -> Outbox {
        Outbox::new(Framing::Lines, Arc::new(Budget::new(1000, 0)), None)
    }

    fn text(frame: &Frame) -> &str {
        std::str::from_utf8(frame.bytes()).unwrap()
    }

    #[test]
    fn replies_have_one_of_result_and_error_and_the_id_as_it_came() {
        let outbox = outbox();
        let reply = outbox.reply("1.50", &Ok("null".to_owned()));
        assert_eq!(text(&reply), "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1.50}\n");
        let reply = outbox.reply("null", &Err(RpcError::new(-1, "k", "m").retryable()));
        let expected = r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"m","data":{"kind":"k","retryable":true}},"id":null}"#;
        assert_eq!(text(&reply), format!("{expected}\n"));
    }

    #[test]
    fn a_reader_that_is_gone_frees_what_waits_and_takes_no_more() {
        let outbox = outbox();
        for id in ["1", "2"] {
            outbox.push(outbox.reply(id, &Ok("null".to_owned())));
        }
        let full: &mut [u8] = &mut [];
        assert_eq!(outbox.write_to(full).kind(), io::ErrorKind::WriteZero);
        outbox.push(outbox.reply("3", &Ok("null".to_owned())));
        assert!(outbox.is_drained());
        assert!(outbox.budget.admit(500) && outbox.budget.admit(500));
    }
}
