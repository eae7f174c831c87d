//! `tersed run`: runs a command and holds its output back to compress it, for hosts that can only change a command.
//!
//! The command has the same input, variables, folder and process group as without tersed. Its output is held until
//! it ends or a time limit is reached, because a host that kills a slow command must have its output so far. After
//! that, or after a signal, output passes with secrets removed and forged markers escaped, up to half of the host's
//! limit if that is known. The rest is held to the end, and then compressed. If standard output is a terminal, a
//! person is watching: then this process replaces itself with the command.

mod hold;
#[cfg(unix)]
mod limit;
pub mod shell;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod system;

use std::ffi::OsString;
use std::time::Duration;

#[cfg(not(unix))]
use super::pass::{LazyPolicy, StreamFilter};
#[cfg(not(unix))]
use crate::config::Policy;

#[cfg(unix)]
use crate::sanitize::encoding;
#[cfg(unix)]
pub use signals::outlive_file_limit;
#[cfg(unix)]
pub use system::{pass_on, relay, run};

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program and its arguments.
    Argv(Vec<OsString>),
    /// A command line for the shell.
    Shell(OsString),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Ended {
    /// The exit status as a shell reports it.
    pub fn status(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// How the command ended. If it succeeded and its output could not be written, that is a failure, as it would
    /// have been without tersed: the signal of a closed pipe, or status 1.
    pub ended: Ended,
    /// Why output could not be written. A closed pipe is not a fault.
    pub fault: Option<std::io::Error>,
    /// Whether all output was written.
    pub is_shown: bool,
}

/// How long output is held back by default.
pub const HOLD_BACK: Duration = Duration::from_secs(8);

/// The output of a command, or the rest of it.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// How the command ended; `None` while it runs.
    pub ended: Option<Ended>,
    /// One text for both streams, or one for each.
    pub texts: &'a [String],
    /// Bytes that the host still shows, if known.
    pub room: Option<usize>,
    /// Whether earlier output of this command was compressed.
    pub is_later: bool,
    /// Whether this is only a part of the output, because there was more than can be held; the command is still
    /// running.
    pub is_part: bool,
}

/// Compresses texts; `None` if they stay as they are.
pub type Compress<'a> = &'a dyn Fn(Output<'_>) -> Option<Vec<String>>;

/// Limits for holding output back.
#[derive(Debug, Clone, Copy)]
pub struct Holding {
    /// How long output is held.
    pub patience: Duration,
    /// The host's limits, if known.
    pub shown: Option<Shown>,
}

/// Most bytes of an output that a host shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// For a successful command.
    pub whole: usize,
    /// For a failed command.
    pub failed: usize,
}

/// The output as text; returned as bytes if any of it is not text. If it is longer than the host shows (`room`), it
/// is always read as text, so that it can be shortened.
#[cfg(unix)]
fn texts(outputs: Vec<Vec<u8>>, room: Option<usize>) -> Result<Vec<String>, Vec<Vec<u8>>> {
    let is_text = |bytes: &Vec<u8>| !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    let len: usize = outputs.iter().map(Vec::len).sum();
    if outputs.iter().all(is_text) {
        Ok(outputs.into_iter().map(|bytes| String::from_utf8(bytes).unwrap_or_default()).collect())
    } else if room.is_some_and(|room| len > room) {
        Ok(outputs.iter().map(|bytes| encoding::as_text(bytes)).collect())
    } else {
        Err(outputs)
    }
}

/// Copies input to output as it comes, with secrets removed.
///
/// # Errors
///
/// The output cannot be written.
#[cfg(not(unix))]
pub fn pass_on(
    mut from: impl std::io::Read,
    mut to: impl std::io::Write,
    policy: &LazyPolicy<'_>,
) -> std::io::Result<()> {
    let mut stream = StreamFilter::new(policy);
    let mut buffer = [0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let mut out = stream.push(&buffer[..read]);
        out.extend(stream.moment());
        to.write_all(&out).and_then(|()| to.flush())?;
    }
    to.write_all(&stream.end()).and_then(|()| to.flush())
}

/// How long a reader may take to read what was written, or to close its end.
#[cfg(unix)]
const READER_TIMEOUT: Duration = Duration::from_millis(100);
/// How long to sleep until the next look at the reader.
#[cfg(unix)]
const READER_PAUSE: Duration = Duration::from_millis(1);

/// Whether the reader did not close the pipe with unread output in it.
#[cfg(unix)]
pub fn was_read() -> bool {
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let until = std::time::Instant::now() + READER_TIMEOUT;
    let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
    [stdout.as_fd(), stderr.as_fd()].iter().all(|fd| {
        let is_pipe = rustix::fs::fstat(fd)
            .is_ok_and(|about| rustix::fs::FileType::from_raw_mode(about.st_mode).is_fifo());
        let is_left = || rustix::io::ioctl_fionread(fd).is_ok_and(|left| left > 0);
        while is_pipe && is_left() && std::time::Instant::now() < until {
            let mut end = [PollFd::new(fd, PollFlags::empty())];
            let no_time = Timespec { tv_sec: 0, tv_nsec: 0 };
            if poll(&mut end, Some(&no_time)).is_ok_and(|ready| ready > 0) {
                return !is_left();
            }
            std::thread::sleep(READER_PAUSE);
        }
        true
    })
}

/// Whether the reader did not close the pipe with unread output in it. Always true on this system, where it is not
/// known.
#[cfg(not(unix))]
pub fn was_read() -> bool {
    true
}

/// Runs the program and waits for it. On this system output is not held back.
///
/// # Errors
///
/// The program cannot be started. The message names it and the reason.
#[cfg(not(unix))]
pub fn run(
    program: &Program,
    _: Holding,
    _: Compress<'_>,
    policy: &LazyPolicy<'_>,
) -> Result<Outcome, String> {
    use std::io::IsTerminal;
    use std::process::Stdio;

    let mut command = shell::command(program);
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| format!("{name}: {e}");
    if std::io::stdout().is_terminal() {
        let status = command.status().map_err(failed)?;
        let ended = Ended::Code(status.code().unwrap_or(1));
        return Ok(Outcome { ended, fault: None, is_shown: true });
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let errors = child.stderr.take().map(|from| {
        std::thread::spawn(move || {
            let strict = Policy::default;
            let _ = pass_on(from, std::io::stderr(), &LazyPolicy::new(&strict));
        })
    });
    let written = child.stdout.take().map_or(Ok(()), |from| pass_on(from, std::io::stdout(), policy));
    if let Some(errors) = errors {
        let _ = errors.join();
    }
    let status = child.wait().map_err(failed)?;
    let code = status.code().unwrap_or(1);
    let is_shown = written.is_ok();
    let ended = Ended::Code(if code == 0 { i32::from(!is_shown) } else { code });
    Ok(Outcome { ended, fault: written.err(), is_shown })
}
