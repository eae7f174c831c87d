//! What has to go: a function of names, bounds and the time. Opens, removes and writes nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use super::name::Name;

/// Seconds for which the name of an original whose retention is over is known: a week.
const REMEMBERED: u64 = 7 * 24 * 60 * 60;

/// What becomes of the files of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Originals whose content goes and whose name stays known.
    pub(super) bury: Vec<Name>,
    /// Files that go without a trace.
    pub(super) remove: Vec<Name>,
}

/// What goes so that at most `keep` originals are left, none of a process that is dead and none whose
/// retention is over at `now` or that was stored before `since`. As many names stay known, the newest.
pub(super) fn plan(names: &[Name], keep: usize, now: Duration, since: u64, dead: &BTreeSet<u64>) -> Plan {
    let mut plan = Plan::default();
    let (mut left, mut graves): (Vec<&Name>, Vec<&Name>) = (Vec::new(), Vec::new());
    for name in names {
        let is_forgotten = now.as_secs() >= name.expires.saturating_add(REMEMBERED);
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
    // What goes now is known longer than what went before.
    let room = keep.max(1).saturating_sub(plan.bury.len());
    graves.sort_unstable();
    let over = graves.len().saturating_sub(room);
    plan.remove.extend(graves[..over].iter().map(|name| (*name).clone()));
    plan
}
