//! Commits that undo others: readers of old logs search for changes that were reverted.

/// Most commits that are kept because they undo others. A choice.
pub const MAX_UNDO_COMMITS: usize = 60;

/// Starts of the subjects of such commits, in lower case.
const UNDO_PREFIXES: &[&str] = &[
    "revert ",
    "revert:",
    "revert(",
    "reverts ",
    "reverted ",
    "reverting ",
    "back out ",
    "backs out ",
    "backed out ",
    "backout ",
    "backout:",
    "undo ",
    "undo:",
    "undoes ",
    "roll back ",
    "rollback ",
    "rollback:",
    "rolls back ",
    "unrevert ",
    "reapply ",
    "reland ",
    "this reverts commit ",
    "this reverts merge ",
];

/// Whether a subject, with or without its kind and its blanks before it, says that something is undone.
pub fn is_subject(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['"', '\'']);
    starts(text) || text.split_once(": ").is_some_and(|(kind, rest)| !kind.contains(' ') && starts(rest))
}

/// The same of a line that holds a hash and references before the subject: `* 1a2b3c4 (tag: v1) Revert "x"`.
pub fn is_commit(line: &str) -> bool {
    let line = line.trim_start_matches(['*', '|', '/', '\\', '_', ' ', '.', '-', '<', '>', '+']);
    let Some((_, rest)) = line.split_once(' ') else { return false };
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('(').and_then(|inside| inside.split_once(") ")) {
        Some((_, rest)) => rest,
        None => rest,
    };
    is_subject(rest)
}

fn starts(text: &str) -> bool {
    // A cheap check first: the letters with which the prefixes begin.
    let is_near =
        matches!(text.as_bytes().first(), Some(b'R' | b'r' | b'B' | b'b' | b'U' | b'u' | b'T' | b't'));
    is_near
        && UNDO_PREFIXES
            .iter()
            .any(|start| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_that_undo_are_known() {
        for line in [
            "4fd1e07 Revert \"Cache the rate table\"",
            "* 7c1e0aa (HEAD -> main) Back out \"Renew leases\"",
            "b00f1e5 revert: feat(rates): keep the table",
            "b00f1e5 fix: roll back the lease change",
            "1a2b3c4 Backed out changeset 5d6e7f8a",
            "1a2b3c4 rates: Revert the cache",
        ] {
            assert!(is_commit(line), "{line}");
        }
        for line in
            ["4fd1e07 Reverse the list", "4fd1e07 Add a revert button", "4fd1e07", "1a2b3c4 Backports"]
        {
            assert!(!is_commit(line), "{line}");
        }
        assert!(is_subject("    Revert \"x\"") && is_subject("This reverts commit 1a2b3c4."));
    }
}
