//! Signals that `tersed run` handles: those that are meant for the command, and that of the limit on file sizes.

use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::process::Signal;

/// Signals that are meant for the command.
const SIGNALS: [Signal; 6] =
    [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];

/// Received signals, each with its own descriptor.
pub(super) struct Signals(pub(super) Vec<(Signal, UnixStream)>);

impl Signals {
    pub(super) fn new() -> Self {
        let ignored = ignored();
        let one = |signal: Signal| {
            let (read, write) = UnixStream::pair().ok()?;
            signal_hook::low_level::pipe::register(signal.as_raw(), write).ok()?;
            Some((signal, read))
        };
        // A signal that is ignored here must be ignored by the command too.
        let heard = SIGNALS.into_iter().filter(|signal| ignored & (1 << (signal.as_raw() - 1)) == 0);
        Self(heard.filter_map(one).collect())
    }
}

/// A bit for each signal that this process ignores, if the system reports it.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Lets this process survive the limit on file sizes: writing then fails, as on a full disk. A handler that does
/// nothing is not inherited by commands, as an ignored signal would be; one that is ignored already stays so.
pub fn outlive_file_limit() {
    let signal = Signal::XFSZ.as_raw();
    if ignored() & (1 << (signal - 1)) == 0 {
        // Without the handler, the process ends at the limit, as by default.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
}
