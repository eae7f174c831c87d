//! The durations that the records of a log name: a record goes for being equal to others but for these,
//! so one of them may not be far from theirs.

use super::record::Record;
use crate::reduce::quantities::{MILLI, outliers};

/// Durations of a record that are looked at.
const COLUMNS: usize = 8;
/// Records of a run that stay for a duration in one place, at most.
const MOST: usize = 3;

/// The durations that records name, in nanoseconds.
#[derive(Debug, Default)]
pub struct Durations {
    /// With the first line of the record, in the order of the text.
    of: Vec<(usize, u64)>,
}

impl Durations {
    /// Adds one of a record, none before which one was added.
    pub fn push(&mut self, record: &Record, nanoseconds: u64) {
        self.of.push((record.lines.start, nanoseconds));
    }

    fn of(&self, record: &Record) -> &[(usize, u64)] {
        let start = self.of.partition_point(|(line, _)| *line < record.lines.start);
        let rest = &self.of[start..];
        let count = rest.iter().take(COLUMNS).take_while(|(line, _)| *line == record.lines.start).count();
        &rest[..count]
    }

    /// The records of a run, of one key and in order, of which a duration is many times what it is in most.
    pub fn standing_out(&self, records: &[Record], run: &[usize]) -> Vec<usize> {
        let Some(first) = run.first() else { return Vec::new() };
        let width = self.of(&records[*first]).len();
        if width == 0 {
            return Vec::new();
        }
        let mut columns = vec![Vec::with_capacity(run.len()); width];
        for i in run {
            let durations = self.of(&records[*i]);
            for (at, column) in columns.iter_mut().enumerate() {
                column.push(durations.get(at).map_or(0, |(_, duration)| *duration));
            }
        }
        let mut out: Vec<usize> =
            columns.iter().flat_map(|c| outliers(c, MILLI, MOST)).map(|at| run[at]).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}
