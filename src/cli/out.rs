//! What the subcommands print. A reader that closed its pipe has seen enough and is no fault; a disk that is full is one, and
//! nothing here panics over either.

use std::io::{self, Write};

use super::Failure;

/// Prints to standard output, all of it: what would wait in a buffer until the process ends would be lost unnoticed.
///
/// # Errors
///
/// The output cannot be written, for another reason than a closed pipe.
pub(super) fn print(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written("standard output", out.write_all(bytes.as_ref()).and_then(|()| out.flush()))
}

/// The result of writing to `place`.
///
/// # Errors
///
/// As [`print`].
pub(super) fn written(place: &str, result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("{place}: {error}").into()),
        _ => Ok(()),
    }
}

/// Prints a line to standard error, which may be closed or full.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// The same with the name of the program in front of it.
pub(super) fn say(line: &str) {
    note(&format!("tersed: {line}"));
}

/// A number with its noun, as `1 rule` or `2 rules`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}
