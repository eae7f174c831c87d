//! Shows a long page through the user's pager if standard output is a terminal. Otherwise, and if there is no pager,
//! the page is written to standard output.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

/// Writes a page with `work`.
///
/// # Errors
///
/// The page cannot be written.
pub(super) fn paged(work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let stdout = io::stdout();
    let Some(mut pager) = started().filter(|pager| pager.stdin.is_some()) else {
        let mut out = BufWriter::new(stdout.lock());
        return work(&mut out).and_then(|()| out.flush());
    };
    let written = match pager.stdin.take() {
        Some(input) => {
            let mut out = BufWriter::new(input);
            work(&mut out).and_then(|()| out.flush())
        }
        None => Ok(()),
    };
    // The pager sees the end of its input because the pipe was closed above.
    let _ = pager.wait();
    written
}

/// The pager in `PAGER`, or else `less`; none if standard output is no terminal, or `PAGER` is empty or `cat`.
fn started() -> Option<Child> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() && !has_terminal() {
        return None;
    }
    let named = std::env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    let mut words = named.split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours are kept, and a page that fits on the screen is only printed.
        command.env("LESS", "FRX");
    }
    command.spawn().ok()
}

/// Whether a pager can read keys although standard input is the text to explain.
fn has_terminal() -> bool {
    cfg!(unix) && std::fs::File::open("/dev/tty").is_ok()
}
