//! Finds records of a log with an unusual duration. Records that differ only in durations are left out, except those
//! whose duration is many times that of the others.

use super::mask;
use super::record::Record;
use crate::reduce::quantities::MILLI;
use crate::text::judge;
use crate::text::source::Source;

/// Most durations of a record that are compared. Bounds the work.
const MAX_DURATIONS: usize = 8;
/// Most records of a run that are kept because of a duration in one column. A choice.
const MAX_SLOW_RECORDS: usize = 3;

/// The records of a run with a duration that is many times that of most. The run has one key, and its records are in
/// order.
///
/// Durations are read here, not when the keys of records are made, because in most logs few records belong to a run.
pub fn outliers(source: &Source<'_>, records: &[Record], run: &[usize]) -> Vec<usize> {
    let mut columns: Vec<Vec<u64>> = Vec::new();
    let mut durations = Vec::new();
    for (row, i) in run.iter().enumerate() {
        let record = &records[*i];
        durations.clear();
        for line in record.lines.clone() {
            let head = record.head.filter(|_| line == record.lines.start);
            mask::durations(source.line(line).as_bytes(), head, &mut durations);
        }
        if row == 0 {
            columns.resize_with(durations.len().min(MAX_DURATIONS), || Vec::with_capacity(run.len()));
        }
        if columns.is_empty() {
            return Vec::new();
        }
        for (at, column) in columns.iter_mut().enumerate() {
            column.push(durations.get(at).copied().unwrap_or(0));
        }
    }
    let mut out: Vec<usize> = columns
        .iter()
        .flat_map(|c| judge::much_larger(c, MILLI, MAX_SLOW_RECORDS))
        .map(|at| run[at])
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}
