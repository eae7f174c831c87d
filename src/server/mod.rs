//! The JSON-RPC server, the only async part. Serves the method table over stdin and stdout until the host is done.
//!
//! ```text
//! stdin ─ reader thread: codec ─ envelope ─ dispatch ─┬─ turns (one call a session) ─ a thread: handler ─┐
//!                                                     └─ refusals, cancels ─────────────────────────────┤
//! stdout ─ writer thread ─ outbox ───────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! No message can end or block the process, unless the next message cannot be found after it. Only protocol messages go to
//! stdout.
//!
//! How the process ends, and its exit code:
//!
//! | what happened | before that | code |
//! | --- | --- | --- |
//! | `exit` after `shutdown` | up to 1 s for what is queued | 0 |
//! | `exit` without `shutdown` | replies that are ready are flushed, up to 250 ms | 1 |
//! | stdin ended | all that is queued is answered, while the client reads | 0 after `shutdown` or before `initialize`, else 1 |
//! | no way to find the next message | the same | 1 |
//! | the host process or the reader of stdout is gone, or SIGTERM, SIGINT, SIGHUP | nothing | 0 after `shutdown`, else 1 |

mod budget;
pub mod codec;
mod direct;
mod dispatch;
pub mod envelope;
mod jobs;
mod log;
mod outbox;
mod phase;
mod reader;
mod service;
mod turns;
mod watch;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use crate::engine::{Engine, METHODS, Method};
use budget::Budget;
pub use codec::Framing;
use direct::Direct;
use dispatch::Dispatcher;
use jobs::Jobs;
use log::log;
pub use log::log_panics;
use outbox::Outbox;
use phase::Phase;
use service::Shared;
use turns::Turns;

/// Settings of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeOptions {
    /// How messages are delimited, in both directions.
    pub framing: Framing,
    /// Process whose end also ends this one within a second, in addition to `processId` of `initialize`.
    pub client_process_id: Option<u32>,
    /// Largest accepted message, in bytes of JSON. A larger one is answered with `-32600` and skipped.
    pub max_message_bytes: u64,
    /// Bytes of waiting requests and unread replies above which new requests are answered with `-32802`. If no request is
    /// open, one is accepted whatever its size. Reading stops only while more than twice the larger of this and
    /// `max_message_bytes` is held, and resumes when the client reads.
    pub max_queued_bytes: usize,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            framing: Framing::default(),
            client_process_id: None,
            max_message_bytes: 256 << 20,
            max_queued_bytes: 256 << 20,
        }
    }
}

/// Why the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Exit,
    EndOfInput,
    BrokenInput,
    HostGone,
    OutputGone,
}

/// How long `exit` waits for earlier requests and for unread replies. vscode-languageclient gives a server 2 s to stop.
const EXIT_PATIENCE: Duration = Duration::from_secs(1);

/// The same for an `exit` without `shutdown`; only for replies.
const ABRUPT_EXIT_PATIENCE: Duration = Duration::from_millis(250);

/// How long a client that closed our stdin may leave stdout unread.
const STALL_PATIENCE: Duration = Duration::from_secs(5);

/// How often to check for the end during shutdown.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Serves [`METHODS`] on stdin and stdout. Returns the exit code. The caller must then end the process, because a thread may
/// still block on stdin.
pub fn run(options: ServeOptions, engine: Engine) -> ExitCode {
    run_methods(options, engine, METHODS)
}

/// [`run`] with another method table, for tests of the server itself.
pub fn run_methods(options: ServeOptions, engine: Engine, methods: &'static [Method]) -> ExitCode {
    match Server::start(options, engine, methods) {
        Ok(server) => server.wait(),
        Err(error) => {
            log(format_args!("cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

struct Server {
    runtime: Runtime,
    shared: Arc<Shared>,
    jobs: Arc<Jobs>,
    outbox: Arc<Outbox>,
    phase: Arc<Phase>,
    ended: Receiver<Ending>,
}

impl Server {
    fn start(options: ServeOptions, engine: Engine, methods: &'static [Method]) -> io::Result<Self> {
        log_panics();
        // At least two, so that one long call does not block all others.
        let cores = thread::available_parallelism().map_or(2, |count| count.get().max(2));
        let runtime =
            Builder::new_multi_thread().worker_threads(1).enable_io().thread_name("tersed").build()?;
        let (end, ended) = channel();
        let budget = Arc::new(Budget::new(options.max_queued_bytes, options.max_message_bytes));
        let outbox = Arc::new(Outbox::new(options.framing, budget.clone(), Direct::stdout()));
        let jobs = Arc::new(Jobs::new(outbox.clone(), budget.clone()));
        let phase = Arc::new(Phase::default());
        let unasked = outbox.clone();
        engine.notify_through(move |method, params| {
            unasked.push(unasked.notification(method, params));
            unasked.flush();
        });
        if let Some(pid) = options.client_process_id {
            watch::watch(pid, end.clone());
        }
        start_writer(outbox.clone(), end.clone())?;
        end_on_signal(&runtime, end.clone());
        let replies = outbox.clone();
        let turns = Turns::start(cores, move || replies.flush())?;
        let shared = Shared { engine, jobs: jobs.clone(), budget: budget.clone(), turns, end: end.clone() };
        let shared = Arc::new(shared);
        let dispatcher =
            Dispatcher::new(shared.clone(), methods, outbox.clone(), phase.clone(), runtime.handle().clone());
        let out = outbox.clone();
        thread::Builder::new().name("tersed-read".to_owned()).spawn(move || {
            let read = AssertUnwindSafe(|| reader::read(&options, dispatcher, &out, &budget));
            let _ = end.send(catch_unwind(read).unwrap_or(Ending::BrokenInput));
        })?;
        Ok(Self { runtime, shared, jobs, outbox, phase, ended })
    }

    fn wait(self) -> ExitCode {
        let mut ending = self.ended.recv().unwrap_or(Ending::BrokenInput);
        if let Some(abrupt) = self.wind_down(ending) {
            ending = abrupt;
        }
        // A thread that blocks on stdin may hold the engine forever.
        self.shared.engine.close();
        // Nobody waits for the answers of handlers that still run.
        self.shared.turns.close();
        self.runtime.shutdown_background();
        let orderly = match ending {
            Ending::EndOfInput => self.phase.is_shut_down() || self.phase.is_new(),
            Ending::BrokenInput => false,
            Ending::Exit | Ending::HostGone | Ending::OutputGone => self.phase.is_shut_down(),
        };
        if orderly { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Waits for queued work, as far as the ending requires. Returns another ending if one interrupts it.
    fn wind_down(&self, ending: Ending) -> Option<Ending> {
        let (work, patience, total) = match ending {
            Ending::Exit if self.phase.is_shut_down() => (true, EXIT_PATIENCE, true),
            Ending::Exit => (false, ABRUPT_EXIT_PATIENCE, true),
            Ending::EndOfInput | Ending::BrokenInput => (true, STALL_PATIENCE, false),
            Ending::HostGone | Ending::OutputGone => return None,
        };
        let mut since = Instant::now();
        let mut written = self.outbox.written();
        loop {
            // Check in this order: a reply is queued before its job is gone.
            let idle = !work || self.jobs.is_idle();
            let drained = self.outbox.is_drained();
            if idle && drained {
                return None;
            }
            let progress = self.outbox.written();
            if !total && (drained || progress != written) {
                (since, written) = (Instant::now(), progress);
            }
            if since.elapsed() > patience {
                return None;
            }
            match self.ended.recv_timeout(POLL_INTERVAL) {
                Ok(abrupt) => return Some(abrupt),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }
}

/// A termination signal has the same effect as the loss of the host, so that no data stays on disk.
#[cfg(unix)]
fn end_on_signal(runtime: &Runtime, end: Sender<Ending>) {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let end = end.clone();
        runtime.spawn(async move {
            if let Ok(mut signals) = signal(kind) {
                signals.recv().await;
                let _ = end.send(Ending::HostGone);
            }
        });
    }
}

#[cfg(not(unix))]
fn end_on_signal(_: &Runtime, _: Sender<Ending>) {}

fn start_writer(outbox: Arc<Outbox>, end: Sender<Ending>) -> io::Result<()> {
    let out = stdout()?;
    thread::Builder::new().name("tersed-write".to_owned()).spawn(move || {
        let error = outbox.write_to(out);
        log(format_args!("cannot write stdout: {error}"));
        let _ = end.send(Ending::OutputGone);
    })?;
    Ok(())
}

/// Stdout without line buffering, which would split each message into two writes.
#[cfg(unix)]
fn stdout() -> io::Result<impl Write + Send + 'static> {
    use std::os::fd::AsFd;
    Ok(std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn stdout() -> io::Result<impl Write + Send + 'static> {
    Ok(io::stdout())
}
