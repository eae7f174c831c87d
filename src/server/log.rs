//! The only output to stderr. Never prints content of messages. The number of lines is limited, so a host that does not read
//! stderr cannot block us.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most lines: together they fit into a pipe (64 KiB on Linux) that nobody reads, so logging cannot block.
const MAX_LINES: usize = 200;

/// Longest line, in characters.
const MAX_LINE: usize = 240;

static LINES: AtomicUsize = AtomicUsize::new(0);

/// Writes one line to stderr. `message` must not hold content of a request.
pub(super) fn log(message: impl Display) {
    let line: String = match LINES.fetch_add(1, Ordering::Relaxed) {
        0..MAX_LINES => message.to_string().chars().take(MAX_LINE).collect(),
        MAX_LINES => "further messages are not shown".to_owned(),
        _ => return,
    };
    // A host may have closed stderr; that is no reason to end.
    let _ = writeln!(std::io::stderr(), "tersed: {line}");
}

/// Replaces the panic hook by one that prints the place, and the message only if it is a literal: a formatted one (slice
/// indexes, `unwrap` on an error) may quote content.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        match info.payload().downcast_ref::<&'static str>() {
            Some(text) => log(format_args!("panic at {place}: {text}")),
            None => log(format_args!("panic at {place}")),
        }
    }));
}
