//! `tersed run`: a command with what it writes held back, so that it can be made smaller, for hosts that let a
//! command be rewritten and nothing else.
//!
//! The command has the same input, variables, folder and process group as without. What it writes is held until it
//! ends, or until patience does: a host that kills a command that takes long must have seen what it wrote so far.
//! From then on, and after a signal, everything passes as it comes, without its secrets, up to half of what the host shows where that is
//! known: what is more is held to the end, and then made smaller. Where standard output is a terminal, somebody is
//! looking: then this process becomes the command.

mod hold;
#[cfg(unix)]
mod limit;
pub mod shell;
#[cfg(unix)]
mod system;

use std::ffi::OsString;
use std::time::Duration;

#[cfg(not(unix))]
use super::pass::{LazyPolicy, Passing};
#[cfg(not(unix))]
use crate::config::Policy;

#[cfg(unix)]
pub use system::{pass_on, relay, run};

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program and its arguments.
    Argv(Vec<OsString>),
    /// A text for the shell.
    Shell(OsString),
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Ended {
    /// The status as a shell tells it.
    pub fn status(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// How long output is held back.
pub const PATIENCE: Duration = Duration::from_secs(8);

/// What a command wrote, or the rest of it.
#[derive(Debug, Clone, Copy)]
pub struct Output<'a> {
    /// How the command ended; `None` where it has not yet.
    pub ended: Option<Ended>,
    /// One text of both streams, or one of each.
    pub texts: &'a [String],
    /// Bytes that the host still shows, where that is known.
    pub room: Option<usize>,
    /// Whether some of the command's output was made smaller before.
    pub is_later: bool,
}

/// Makes texts smaller; `None` where they stay.
pub type Compress<'a> = &'a dyn Fn(Output<'_>) -> Option<Vec<String>>;

/// How output is held back.
#[derive(Debug, Clone, Copy)]
pub struct Holding {
    /// How long.
    pub patience: Duration,
    /// What the host shows of an output at most, where that is known.
    pub shown: Option<Shown>,
}

/// Bytes of an output that a host shows at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shown {
    /// The limit for a command that worked.
    pub whole: usize,
    /// The limit for a command that failed.
    pub failed: usize,
}

/// What a command wrote as text; `None` where some of it is none.
fn texts(outputs: Vec<Vec<u8>>) -> Result<Vec<String>, Vec<Vec<u8>>> {
    let is_text = |bytes: &Vec<u8>| !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    match outputs.iter().all(is_text) {
        true => Ok(outputs.into_iter().map(|bytes| String::from_utf8(bytes).unwrap_or_default()).collect()),
        false => Err(outputs),
    }
}

/// Copies what comes, as it comes, without its secrets.
///
/// # Errors
/// It cannot be written.
#[cfg(not(unix))]
pub fn pass_on(
    mut from: impl std::io::Read,
    mut to: impl std::io::Write,
    policy: &LazyPolicy<'_>,
) -> std::io::Result<()> {
    let mut stream = Passing::new(policy);
    let mut buffer = [0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let mut out = stream.push(&buffer[..read]);
        out.extend(stream.moment());
        to.write_all(&out).and_then(|()| to.flush())?;
    }
    to.write_all(&stream.end()).and_then(|()| to.flush())
}

/// Runs the program and waits for it: nothing is held back here.
///
/// # Errors
/// It cannot be started: its name and why.
#[cfg(not(unix))]
pub fn run(program: &Program, _: Holding, _: Compress<'_>, policy: &LazyPolicy<'_>) -> Result<Ended, String> {
    use std::io::IsTerminal;
    use std::process::Stdio;

    let mut command = shell::command(program);
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| format!("{name}: {e}");
    if std::io::stdout().is_terminal() {
        let status = command.status().map_err(failed)?;
        return Ok(Ended::Code(status.code().unwrap_or(1)));
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    let errors = child.stderr.take().map(|from| {
        std::thread::spawn(move || {
            let strict = Policy::default;
            let _ = pass_on(from, std::io::stderr(), &LazyPolicy::new(&strict));
        })
    });
    if let Some(from) = child.stdout.take() {
        let _ = pass_on(from, std::io::stdout(), policy);
    }
    if let Some(errors) = errors {
        let _ = errors.join();
    }
    let status = child.wait().map_err(failed)?;
    Ok(Ended::Code(status.code().unwrap_or(1)))
}
