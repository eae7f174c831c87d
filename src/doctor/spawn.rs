//! Runs other programs with a time limit.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// How long a program may take to print its version. Hosts that are scripts need a second or two with cold caches.
const DEADLINE: Duration = Duration::from_secs(5);
/// Longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: u64 = 4096;

/// The first line that `PROGRAM --version` prints, or the reason why there is none.
pub(super) fn version(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| format!("cannot be started: {e}"))?;
    let (done, answer) = channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // After an error, use what was read before it.
            let _ = stdout.take(MAX_ANSWER_BYTES).read_to_end(&mut bytes);
            let _ = done.send(bytes);
        });
    }
    let bytes = answer.recv_timeout(DEADLINE);
    // It has answered, or is too late.
    let _ = child.kill();
    let _ = child.wait();
    let bytes = bytes.map_err(|_| format!("did not say its version within {} s", DEADLINE.as_secs()))?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(|line| line.chars().filter(|c| !c.is_control()).take(100).collect())
        .ok_or_else(|| "does not say its version".to_owned())
}
