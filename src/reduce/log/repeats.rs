//! Records that are left out because kept records have the same message.

use super::durations;
use super::layout::Level;
use super::record::{Record, WINDOW};
use crate::text::source::Source;

/// Fewest records of a key of which the middle ones are left out. A choice: the first, the last and a marker are
/// three.
const MIN_KEY_RECORDS: usize = 4;
/// Records before and after a severe one that are kept with it. A choice.
const CONTEXT_RECORDS: usize = 2;

/// The records to leave out because kept records have the same message. For each key, the first and the last record
/// of a run are kept, and so are records with an unusual duration, and severe records with their neighbours.
pub fn repeats(source: &Source<'_>, records: &[Record], keys: usize) -> Vec<usize> {
    let mut counts = vec![0_usize; keys];
    records.iter().filter_map(|record| record.key).for_each(|key| counts[key] += 1);
    if counts.iter().all(|count| *count < MIN_KEY_RECORDS) {
        return Vec::new();
    }
    let near_severe = around_severe(records);
    // For each key, the records of the run so far.
    let mut runs: Vec<Vec<usize>> = vec![Vec::new(); keys];
    let mut gone = Vec::new();
    let close = |run: &mut Vec<usize>, gone: &mut Vec<usize>| {
        if run.len() >= MIN_KEY_RECORDS {
            let stay = durations::outliers(source, records, run);
            gone.extend(run[1..run.len() - 1].iter().filter(|i| stay.binary_search(i).is_err()));
        }
        run.clear();
    };
    for (i, record) in records.iter().enumerate() {
        let Some(key) = record.key.filter(|key| counts[*key] >= MIN_KEY_RECORDS && !near_severe[i]) else {
            continue;
        };
        let run = &mut runs[key];
        if run.last().is_some_and(|last| i - last > WINDOW) {
            close(run, &mut gone);
        }
        run.push(i);
    }
    runs.iter_mut().for_each(|run| close(run, &mut gone));
    gone.sort_unstable();
    gone
}

/// Which records are severe, or next to a severe one.
fn around_severe(records: &[Record]) -> Vec<bool> {
    let mut near = vec![false; records.len()];
    for (i, _) in records.iter().enumerate().filter(|(_, r)| r.level > Level::Plain) {
        near[i.saturating_sub(CONTEXT_RECORDS)..(i + CONTEXT_RECORDS + 1).min(records.len())].fill(true);
    }
    near
}
