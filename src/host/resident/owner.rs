//! Finds the agent host that a client belongs to; it is seldom the direct parent.
//!
//! A host starts its hooks through one or more shells. The nearest ancestor that is neither a shell nor a mere starter
//! counts as the host. A wrong guess costs little: after its last owner has ended, a resident process waits for another
//! client before it ends.

use std::fs;

/// Names of programs that only start other programs.
const STARTERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "env", "timeout", "nice", "nohup",
    "setsid", "sudo", "stdbuf", "time", "xargs", "tersed",
];
/// Most ancestors that are examined.
const MAX_DEPTH: usize = 16;

/// The process that owns `client`.
pub(super) fn of(client: u32) -> Option<u32> {
    let mut pid = parent(client)?.1;
    for _ in 0..MAX_DEPTH {
        let (name, above) = parent(pid).filter(|_| pid > 1)?;
        if !STARTERS.contains(&name.as_str()) {
            return Some(pid);
        }
        pid = above;
    }
    None
}

/// The name and the parent of a process.
fn parent(pid: u32) -> Option<(String, u32)> {
    let about = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may itself contain brackets.
    let (start, end) = (about.find('(')? + 1, about.rfind(')')?);
    let parent = about.get(end + 2..)?.split(' ').nth(1)?.parse().ok()?;
    Some((about.get(start..end)?.to_owned(), parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_are_no_owners() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 60; true"]).spawn().unwrap();
        assert_eq!(of(child.id()), Some(std::process::id()));
        let about = parent(child.id()).unwrap();
        assert_eq!(about.1, std::process::id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(of(u32::MAX), None);
    }
}
