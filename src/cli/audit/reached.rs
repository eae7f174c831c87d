//! How much of what tersed could save of a session arrives in its host: as it is wired here, as `tersed install` wires it, and
//! through the gateway.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::arrives::saved;
use super::fate::{Fate, Wrapping, fate};
use super::history::History;
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
    /// What was read, without the records.
    pub history: &'a History,
    /// Its results.
    pub records: &'a [Record],
}

/// Sums over sessions.
pub(super) struct Reached {
    machine: Machine,
    /// Results, their tokens, and those of them that could be saved, by host, tool and reason.
    stays: BTreeMap<(String, String, Why), (usize, u64, u64)>,
}

impl Reached {
    pub(super) fn of_process() -> Self {
        Self { machine: Machine::of_process(), stays: BTreeMap::new() }
    }

    /// Counts a session; `rows` are the figures of its results, to which it adds.
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
            let fates = vec![Fate::Stays(Why::NoHost); rows.len()];
            self.stays(of.format, of.records, &fates, rows);
            return Ok(());
        };
        let known = self.machine.of(reach).clone();
        let mut play = |wrapping: Wrapping, way: &str| {
            let fates: Vec<Fate> = of.records.iter().map(|record| fate(reach, wrapping, record)).collect();
            let saved = match is_all(reach, of, &fates) {
                true => rows.iter().map(Figures::saved).collect(),
                false => {
                    let id = format!("audit-{}-{way}", of.number);
                    saved(child, policy, id, reach, of.records, &fates)?
                }
            };
            Ok::<_, String>((fates, saved))
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

    /// Notes the results that stay.
    fn stays(&mut self, host: &str, records: &[Record], fates: &[Fate], rows: &[Figures]) {
        for ((record, fate), row) in records.iter().zip(fates).zip(rows) {
            let why = match fate {
                Fate::Stays(why) => *why,
                Fate::Noted => Why::Tool,
                Fate::Seen(_) if row.arrives.installed.tokens == 0 => Why::Unseen,
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

    /// The hosts, and what stays in them.
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
fn is_all(reach: &Reach, of: &Of<'_>, fates: &[Fate]) -> bool {
    reach.names_calls && !of.history.is_loose && fates.iter().all(|fate| *fate == Fate::Replaced)
}

/// What arrives of a result by a way in which the host handed over the results of a session.
fn by(of: &Of<'_>, place: usize, (fates, saved): &(Vec<Fate>, Vec<u64>)) -> Saved {
    match fates.get(place) {
        Some(Fate::Replaced | Fate::Seen(_)) => {
            arrived(of, place, saved.get(place).copied().unwrap_or_default())
        }
        _ => Saved::default(),
    }
}

fn arrived(of: &Of<'_>, place: usize, tokens: u64) -> Saved {
    Saved { results: 1, tokens, sent: tokens.saturating_mul(of.history.sent(place) as u64) }
}
