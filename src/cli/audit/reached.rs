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
use crate::host::reach::{Reach, Why};

/// The format of logs of requests: these are what the gateway passes on.
const REQUESTS: &str = "requests";

/// A session that was played.
pub(super) struct Of<'a> {
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
    stays: BTreeMap<(String, String, Why), (usize, u64, u64)>,
}

impl Reached {
    pub(super) fn of_process() -> Self {
        Self { machine: Machine::of_process(), stays: BTreeMap::new() }
    }

    /// Counts a session, and adds what arrives to `rows`, the figures of its results.
    pub(super) fn count(
        &mut self,
        child: &mut Child,
        policy: &Value,
        of: &Of<'_>,
        rows: &mut [Figures],
    ) -> Result<(), String> {
        let host = host_of(of.format, of.file);
        if host.map_or(of.format == REQUESTS, |reach| reach.gateway.is_some()) {
            for (place, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.results > 0) {
                row.arrives.gateway = arrived(of, place, row.saved());
            }
        }
        let Some(reach) = host else {
            let actions = vec![HostAction::Stays(Why::NoHost); rows.len()];
            self.stays(of.format, of.records, &actions, rows);
            return Ok(());
        };
        let known = self.machine.of(reach).clone();
        let mut play = |wrapping: Wrapping, way: &str| {
            let actions: Vec<HostAction> =
                of.records.iter().map(|record| host_action(reach, wrapping, record)).collect();
            let saved = match is_all(reach, of, &actions) {
                true => rows.iter().map(Figures::saved).collect(),
                false => {
                    let id = format!("audit-{}-{way}", of.number);
                    saved(child, policy, id, reach, of.records, &actions)?
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
            row.arrives.installed = by(of, place, &installed);
            row.arrives.here = here.as_ref().map(|here| by(of, place, here)).unwrap_or_default();
        }
        self.stays(reach.host, of.records, &installed.0, rows);
        Ok(())
    }

    /// Records the results that stay unchanged.
    fn stays(&mut self, host: &str, records: &[Record], actions: &[HostAction], rows: &[Figures]) {
        for ((record, action), row) in records.iter().zip(actions).zip(rows) {
            let why = match action {
                HostAction::Stays(why) => *why,
                HostAction::Noted => Why::Tool,
                HostAction::Seen(_) if row.arrives.installed.tokens == 0 => Why::Unseen,
                _ => continue,
            };
            if row.results == 0 {
                continue;
            }
            let tool = shown(record.tool.as_deref().unwrap_or("(no name)"));
            let sum = self.stays.entry((host.to_owned(), tool, why)).or_default();
            sum.0 += 1;
            sum.1 += row.tokens_before;
            sum.2 += row.saved();
        }
    }

    /// The hosts, and the results that stay unchanged in them.
    pub(super) fn done(&mut self) -> (Vec<HostFound>, Vec<NotReached>) {
        let stays = std::mem::take(&mut self.stays).into_iter();
        let mut stays: Vec<NotReached> = stays
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
        stays.sort_by_key(|one| (std::cmp::Reverse(one.could_save), std::cmp::Reverse(one.tokens)));
        (self.machine.hosts(), stays)
    }
}

/// Whether the host hands over everything as the session was played.
fn is_all(reach: &Reach, of: &Of<'_>, actions: &[HostAction]) -> bool {
    reach.names_calls && !of.history.is_loose && actions.iter().all(|action| *action == HostAction::Replaced)
}

/// The savings of a result that arrive, for one way in which the host hands over the results of a session.
fn by(of: &Of<'_>, place: usize, (actions, saved): &(Vec<HostAction>, Vec<u64>)) -> Saved {
    match actions.get(place) {
        Some(HostAction::Replaced | HostAction::Seen(_)) => {
            arrived(of, place, saved.get(place).copied().unwrap_or_default())
        }
        _ => Saved::default(),
    }
}

fn arrived(of: &Of<'_>, place: usize, tokens: u64) -> Saved {
    Saved { results: 1, tokens, sent: tokens.saturating_mul(of.history.sent(place) as u64) }
}
