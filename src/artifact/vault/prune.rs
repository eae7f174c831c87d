//! Decides what to remove, from names, limits and the time. Accesses no files.

use std::collections::BTreeSet;
use std::time::Duration;

use super::name::Name;

/// Seconds for which the name of an expired original stays: a week.
const EXPIRED_NAME_SECONDS: u64 = 7 * 24 * 60 * 60;

/// What happens to the files of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Originals whose content is removed and whose name stays.
    pub(super) bury: Vec<Name>,
    /// Files that are removed completely.
    pub(super) remove: Vec<Name>,
}

/// Removes originals until at most `keep` are left, and all of dead processes, all expired at `now`, and all stored before
/// `since`. At most `keep` names of removed originals stay, the newest.
pub(super) fn plan(names: &[Name], keep: usize, now: Duration, since: u64, dead: &BTreeSet<u64>) -> Plan {
    let mut plan = Plan::default();
    let (mut left, mut graves): (Vec<&Name>, Vec<&Name>) = (Vec::new(), Vec::new());
    for name in names {
        let is_forgotten = now.as_secs() >= name.expires.saturating_add(EXPIRED_NAME_SECONDS);
        match () {
            () if dead.contains(&name.run) || is_forgotten => plan.remove.push(name.clone()),
            () if name.is_gone => graves.push(name),
            () if name.is_expired(now) || name.stored < since => plan.bury.push(name.clone()),
            () => left.push(name),
        }
    }
    left.sort_unstable();
    let over = left.len().saturating_sub(keep);
    plan.bury.extend(left[..over].iter().map(|name| (*name).clone()));
    // Originals that are removed now are remembered longer than earlier ones.
    let room = keep.max(1).saturating_sub(plan.bury.len());
    graves.sort_unstable();
    let over = graves.len().saturating_sub(room);
    plan.remove.extend(graves[..over].iter().map(|name| (*name).clone()));
    plan
}
