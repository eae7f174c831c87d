//! `tersed mcp-proxy`: runs between an MCP host and a server on stdio, compresses the results of its tools, and adds tools
//! that read the originals. It does not depend on the protocol revision: the handshake, and requests with a revision in
//! `_meta`, pass unchanged. Standard error of the server passes with secrets removed.
//!
//! Each direction has its own thread, and none holds the shared state while it works, so neither direction can block
//! the other. Results are not compared with earlier ones, because a proxy cannot know which of them the model still
//! sees.

pub(super) mod lines;
pub(super) mod message;
pub mod traffic;

use std::ffi::OsString;
use std::io::{self, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::Host;
use super::pass::{LazyPolicy, StreamFilter};
use super::run::pass_on;
use lines::{Lines, MAX_LINE_BYTES};
use traffic::{Route, Traffic};

/// The wrapped server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its program and arguments.
    pub command: Vec<OsString>,
    /// Environment variables to add to those of this process.
    pub env: Vec<(String, String)>,
    /// Its working directory; that of this process if not set.
    pub folder: Option<PathBuf>,
}

/// How long to wait for the rest of standard error after the server has ended.
const LAST_ERRORS: Duration = Duration::from_secs(2);

struct Shared {
    host: Host,
    traffic: Mutex<Traffic>,
    /// Locked while a line is written, so that lines never mix.
    client: Mutex<io::Stdout>,
}

impl Shared {
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        client.write_all(bytes)?;
        client.flush()
    }

    fn send_line(&self, line: &str) -> io::Result<()> {
        self.send(format!("{line}\n").as_bytes())
    }

    /// Gives `work` access to the requests. It must be short, because the other direction waits meanwhile.
    fn with_traffic<T>(&self, work: impl FnOnce(&mut Traffic) -> T) -> T {
        work(&mut self.traffic.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs the server until it ends. Returns its exit status.
///
/// # Errors
///
/// The program cannot be started. The message names it and the reason.
pub fn run(host: Host, server: &Server) -> Result<ExitStatus, String> {
    let mut child = start(server)?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("the server has no standard input or output".to_owned());
    };
    let client = Mutex::new(io::stdout());
    let shared = Arc::new(Shared { host, traffic: Mutex::new(Traffic::default()), client });
    let errors = child.stderr.take().map(|errors| passed_on(&shared, errors));
    pass_signals_on(&child);
    let to_server = shared.clone();
    // The thread is not joined, because it may wait for input from a client that sends nothing more.
    thread::spawn(move || from_client(&to_server, stdin));
    let is_inside = from_server(&shared, BufReader::new(stdout));
    let status = child.wait().map_err(|e| format!("the server: {e}"))?;
    let why = format!("the MCP server ended with {status} before it answered");
    if is_inside {
        // Ends a line that the server left unfinished.
        let _ = shared.send(b"\n");
    }
    for line in shared.with_traffic(|traffic| traffic.abandoned(&why)) {
        // A client that has ended needs no answer.
        let _ = shared.send_line(&line);
    }
    if let Some(errors) = errors {
        // A process that the server left running may hold standard error open.
        let _ = errors.recv_timeout(LAST_ERRORS);
    }
    shared.host.engine().close();
    Ok(status)
}

/// Passes on standard error of the server. The receiver is notified at its end.
fn passed_on(shared: &Arc<Shared>, mut errors: ChildStderr) -> Receiver<()> {
    let (over, is_over) = channel();
    let shared = shared.clone();
    thread::spawn(move || {
        let read = || shared.host.engine().policy_in_force();
        let policy = LazyPolicy::new(&read);
        let _ = catch_unwind(AssertUnwindSafe(|| pass_on(&mut errors, io::stderr(), &policy)));
        // If it cannot be passed on, it is still read, so that the server does not block.
        let _ = io::copy(&mut errors, &mut io::sink());
        let _ = over.send(());
    });
    is_over
}

fn start(server: &Server) -> Result<Child, String> {
    let Some((program, arguments)) = server.command.split_first() else {
        return Err("no command was given".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments).envs(server.env.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(folder) = &server.folder {
        command.current_dir(folder);
    }
    command.spawn().map_err(|e| format!("{}: {e}", program.to_string_lossy()))
}

/// Runs until the client closes its end. The server's input is then closed.
fn from_client(shared: &Shared, mut server: ChildStdin) {
    let mut lines = Lines::new(io::stdin().lock(), MAX_LINE_BYTES);
    let mut line = Vec::new();
    while let Ok(Some(is_whole)) = lines.next(&mut line) {
        let route = match is_whole {
            true => Traffic::from_client(&shared.host, &line, |work| shared.with_traffic(work)),
            false => Route::Server,
        };
        let sent = match route {
            Route::Server => server.write_all(&line).and_then(|()| server.flush()),
            Route::Client(answer) => shared.send_line(&answer),
        };
        if sent.is_err() {
            return;
        }
    }
}

/// Runs until the server closes its output or the client its input. Returns whether the last line had no end.
fn from_server(shared: &Shared, server: impl io::BufRead) -> bool {
    let mut lines = Lines::new(server, MAX_LINE_BYTES);
    let mut line = Vec::new();
    let policy = || shared.host.engine().policy_in_force();
    let policy = LazyPolicy::new(&policy).escaping();
    let mut long = StreamFilter::new(&policy);
    let (mut is_inside, mut is_open) = (false, false);
    while let Ok(Some(is_whole)) = lines.next(&mut line) {
        is_open = !line.ends_with(b"\n");
        let sent = match is_whole {
            true => match Traffic::from_server(&shared.host, &line, |work| shared.with_traffic(work)) {
                Some(new) if new.is_empty() => Ok(()),
                Some(new) => {
                    is_open = false;
                    shared.send_line(&new)
                }
                None => shared.send(&line),
            },
            // The line is too long to be parsed, but is still made safe.
            false => {
                if !is_inside {
                    shared.with_traffic(|traffic| traffic.on_long_line(&line));
                }
                let mut out = long.push(&line);
                is_inside = !line.ends_with(b"\n");
                if !is_inside {
                    out.extend(long.end());
                }
                shared.send(&out)
            }
        };
        if sent.is_err() {
            return is_open;
        }
    }
    let _ = shared.send(&long.end());
    is_open
}

/// Passes signals on: a host that ends this process wants to end the server.
#[cfg(unix)]
fn pass_signals_on(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return };
    thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let (Ok(mut hangup), Ok(mut interrupt), Ok(mut terminate)) = (
                signal(SignalKind::hangup()),
                signal(SignalKind::interrupt()),
                signal(SignalKind::terminate()),
            ) else {
                return;
            };
            loop {
                let signal = tokio::select! {
                    _ = hangup.recv() => Signal::HUP,
                    _ = interrupt.recv() => Signal::INT,
                    _ = terminate.recv() => Signal::TERM,
                };
                // The server may just have ended.
                let _ = kill_process(pid, signal);
            }
        });
    });
}

#[cfg(not(unix))]
fn pass_signals_on(_: &Child) {}
