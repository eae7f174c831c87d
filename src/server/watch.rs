//! Ends the process when the host has ended, even if another process still holds our stdin open. Never sends signals.

use std::sync::mpsc::Sender;

use super::Ending;
use super::log::log;

/// Watches the process `pid` on its own thread, and reports [`Ending::HostGone`].
pub(super) fn watch(pid: u32, end: Sender<Ending>) {
    let watcher = std::thread::Builder::new().name("tersed-watch".to_owned());
    let started = watcher.spawn(move || {
        if wait_for_end(pid) {
            log(format_args!("the host process {pid} is gone"));
            let _ = end.send(Ending::HostGone);
        }
    });
    if let Err(error) = started {
        log(format_args!("cannot watch the host process: {error}"));
    }
}

/// Blocks until the process has ended; `false` if that cannot be detected.
#[cfg(unix)]
fn wait_for_end(pid: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    #[cfg(target_os = "linux")]
    match wait_on_descriptor(pid) {
        Ok(()) | Err(Errno::SRCH) => return true,
        // Kernels before 5.3 and sandboxes: poll once a second.
        Err(_) => {}
    }
    while test_kill_process(pid) != Err(Errno::SRCH) {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    true
}

/// A process descriptor also reports a zombie, and is not confused by a reused process id.
#[cfg(target_os = "linux")]
fn wait_on_descriptor(pid: rustix::process::Pid) -> rustix::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};

    let process = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
    loop {
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}

/// On other systems, the end of stdin has to suffice.
#[cfg(not(unix))]
fn wait_for_end(_: u32) -> bool {
    false
}
