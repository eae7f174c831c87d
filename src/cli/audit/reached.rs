//! How much of the possible savings of a session arrives in its host: as the host is set up here, as `tersed install`
//! sets it up, and through the gateway.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::arrives::saved;
use super::history::History;
use super::host_action::{HostAction, Wrapping, host_action};
use super::machine::{Machine, host_of};
use super::report::{Figures, HostFound, NotReached, Saved};
use super::shown::shown;
use crate::cli::replay::child::Child;
use crate::cli::replay::record::Record;
use crate::host::reach::{HostSupport, UnchangedReason};

/// The format of logs of requests: these are what the gateway passes on.
const REQUESTS: &str = "requests";

/// A session that was played.
pub(super) struct PlayedSession<'a> {
    /// Its number in the report.
    pub number: usize,
    /// Its format.
    pub format: &'static str,
    /// Its file.
    pub file: &'a Path,
    /// The history without its records.
    pub history: &'a History,
    /// Its results.
    pub records: &'a [Record],
}

/// Sums over sessions.
pub(super) struct Reached {
    machine: Machine,
    /// For results that stay unchanged: their number, their tokens, and the tokens that could be saved, by host, tool
    /// and reason.
    unchanged: BTreeMap<(String, String, UnchangedReason), (usize, u64, u64)>,
}

impl Reached {
    pub(super) fn of_process() -> Self {
        Self { machine: Machine::of_process(), unchanged: BTreeMap::new() }
    }

    /// Counts a session, and adds what arrives to `rows`, the figures of its results.
    pub(super) fn count(
        &mut self,
        child: &mut Child,
        policy: &Value,
        session: &PlayedSession<'_>,
        rows: &mut [Figures],
    ) -> Result<(), String> {
        let host = host_of(session.format, session.file);
        if host.map_or(session.format == REQUESTS, |reach| reach.gateway.is_some()) {
            for (place, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.results > 0) {
                row.arrives.gateway = arrived(session, place, row.saved());
            }
        }
        let Some(reach) = host else {
            let actions = vec![HostAction::Unchanged(UnchangedReason::NoHost); rows.len()];
            self.count_unchanged(session.format, session.records, &actions, rows);
            return Ok(());
        };
        let known = self.machine.of(reach).clone();
        let mut play = |wrapping: Wrapping, way: &str| {
            let actions: Vec<HostAction> =
                session.records.iter().map(|record| host_action(reach, wrapping, record)).collect();
            let saved = match is_all(reach, session, &actions) {
                true => rows.iter().map(Figures::saved).collect(),
                false => {
                    let id = format!("audit-{}-{way}", session.number);
                    saved(child, policy, id, reach, session.records, &actions)?
                }
            };
            Ok::<_, String>((actions, saved))
        };
        let installed = play(known.installed, "installed")?;
        let here = match known.is_wired() && known.here != known.installed {
            true => Some(play(known.here, "here")?),
            false => known.is_wired().then(|| installed.clone()),
        };
        for (place, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.results > 0) {
            row.arrives.installed = by(session, place, &installed);
            row.arrives.here = here.as_ref().map(|here| by(session, place, here)).unwrap_or_default();
        }
        self.count_unchanged(reach.host, session.records, &installed.0, rows);
        Ok(())
    }

    /// Records the results that stay unchanged.
    fn count_unchanged(&mut self, host: &str, records: &[Record], actions: &[HostAction], rows: &[Figures]) {
        for ((record, action), row) in records.iter().zip(actions).zip(rows) {
            let why = match action {
                HostAction::Unchanged(why) => *why,
                HostAction::Noted => UnchangedReason::Tool,
                HostAction::Seen(_) if row.arrives.installed.tokens == 0 => UnchangedReason::Unseen,
                _ => continue,
            };
            if row.results == 0 {
                continue;
            }
            let tool = shown(record.tool.as_deref().unwrap_or("(no name)"));
            let sum = self.unchanged.entry((host.to_owned(), tool, why)).or_default();
            sum.0 += 1;
            sum.1 += row.tokens_before;
            sum.2 += row.saved();
        }
    }

    /// The hosts, and the results that stay unchanged in them.
    pub(super) fn done(&mut self) -> (Vec<HostFound>, Vec<NotReached>) {
        let unchanged = std::mem::take(&mut self.unchanged).into_iter();
        let mut unchanged: Vec<NotReached> = unchanged
            .map(|((host, tool, why), (results, tokens, could_save))| NotReached {
                host,
                tool,
                why: why.code().to_owned(),
                reason: why.sentence().to_owned(),
                results,
                tokens,
                could_save,
            })
            .collect();
        unchanged.sort_by_key(|one| (std::cmp::Reverse(one.could_save), std::cmp::Reverse(one.tokens)));
        (self.machine.hosts(), unchanged)
    }
}

/// Whether the host hands over everything as the session was played.
fn is_all(reach: &HostSupport, session: &PlayedSession<'_>, actions: &[HostAction]) -> bool {
    reach.names_calls
        && !session.history.is_loose
        && actions.iter().all(|action| *action == HostAction::Replaced)
}

/// The savings of a result that arrive, for one way in which the host hands over the results of a session.
fn by(session: &PlayedSession<'_>, place: usize, (actions, saved): &(Vec<HostAction>, Vec<u64>)) -> Saved {
    match actions.get(place) {
        Some(HostAction::Replaced | HostAction::Seen(_)) => {
            arrived(session, place, saved.get(place).copied().unwrap_or_default())
        }
        _ => Saved::default(),
    }
}

fn arrived(session: &PlayedSession<'_>, place: usize, tokens: u64) -> Saved {
    Saved { results: 1, tokens, sent: tokens.saturating_mul(session.history.sent(place) as u64) }
}
