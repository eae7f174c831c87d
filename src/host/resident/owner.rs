//! Which process a client belongs to: the agent host, which is seldom its parent.
//!
//! A host starts its hooks through a shell, and often more than one. The nearest process above the client that is no
//! shell and none that only starts another is taken for the host. What is taken wrongly costs little: when the last
//! owner is gone, a resident process waits for another client before it ends.

use std::fs;

/// Names of programs that only start others.
const STARTERS: &[&str] = &[
    "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "env", "timeout", "nice", "nohup",
    "setsid", "sudo", "stdbuf", "time", "xargs", "tersed",
];
/// Processes that are looked at.
const MAX_DEPTH: usize = 16;

/// The process that `client` belongs to.
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

/// The name of a process, and its parent.
fn parent(pid: u32) -> Option<(String, u32)> {
    let about = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may hold any.
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
