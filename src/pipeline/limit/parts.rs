//! Compares parts of fields that are nearly all different, such as `10.0.1.11:40000->10.0.2.20:5432`: one part may be
//! the same in all rows but one. Only rare values count, not far numbers, since most parts are just counters or
//! ports.

use crate::pipeline::limit::divider::{Divider, MAX_COLUMNS};
use crate::pipeline::limit::values::Column;
use crate::text::judge::MAX_VALUES;

/// The bytes that separate the parts of a field.
const DIVIDERS: &[u8] = b":,;=>/|()[]<\"'@";
const IS_DIVIDER: [bool; 256] = {
    let (mut set, mut i) = ([false; 256], 0);
    while i < DIVIDERS.len() {
        set[DIVIDERS[i] as usize] = true;
        i += 1;
    }
    set
};
/// The most parts of a field that are compared.
const MAX_PARTS: usize = 8;
/// The most fields of a row whose parts are compared. Bounds the work.
const MAX_PARTED: usize = 6;
/// The parts of a column are compared if at most 1 in this many rows has a value that occurred before, or if it has
/// more values than an enumeration.
const OUTLIER_ONE_IN: usize = 4;

/// The parts of the fields of one column.
pub(super) struct Parts {
    at: usize,
    columns: Vec<Column>,
}

impl Parts {
    /// Adds a row.
    pub(super) fn observe(&mut self, place: usize, fields: &[&[u8]]) {
        let Some(field) = fields.get(self.at) else { return };
        let count = self.columns.len();
        let parts = of(field);
        if parts.clone().take(count + 1).count() != count {
            return;
        }
        for (nth, (column, part)) in self.columns.iter_mut().zip(parts).enumerate() {
            if !column.is_done() {
                column.observe(place, part, nth);
            }
        }
    }

    /// The columns of parts, each with a number that no column of fields uses.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &Column)> {
        let first = MAX_COLUMNS + 1 + self.at * MAX_PARTS;
        self.columns.iter().enumerate().map(move |(nth, column)| (first + nth, column))
    }
}

/// Finds the columns whose fields have parts, from a sample of rows.
pub(super) fn parted(lines: &[&str], divider: Divider, count: usize) -> Vec<Parts> {
    let mut fields = Vec::new();
    let mut rows: Vec<Vec<&[u8]>> = Vec::new();
    for line in lines {
        divider.fields(line, &mut fields);
        if fields.len() == count {
            rows.push(fields.clone());
        }
    }
    let parts_of = |at: usize| {
        let mut counts: Vec<usize> = rows.iter().map(|row| of(row[at]).take(MAX_PARTS + 1).count()).collect();
        counts.sort_unstable();
        let (len, parts) = counts.chunk_by(|a, b| a == b).map(|c| (c.len(), c[0])).max()?;
        let mut values: Vec<&[u8]> = rows.iter().map(|row| row[at]).collect();
        values.sort_unstable();
        values.dedup();
        // More values than an enumeration has are names, even if some come again.
        let is_unlike =
            values.len() > MAX_VALUES || (rows.len() - values.len()) * OUTLIER_ONE_IN <= rows.len();
        let is_parted = (2..=MAX_PARTS).contains(&parts) && len * 4 >= rows.len() * 3 && is_unlike;
        is_parted.then(|| Parts { at, columns: (0..parts).map(|_| Column::default()).collect() })
    };
    (0..count.min(MAX_COLUMNS)).filter_map(parts_of).take(MAX_PARTED).collect()
}

/// The parts of a field that are not empty.
fn of(field: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    field.split(|b| IS_DIVIDER[usize::from(*b)]).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::pipeline::limit::columns::{MIN_ROWS, find};
    use crate::text::source::Source;

    fn outliers(line: impl Fn(usize) -> String) -> Vec<usize> {
        let text: String = (0..80).map(|i| line(i) + "\n").collect();
        let source = Source::new(&text);
        let mut found = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), MIN_ROWS, &mut found);
        let mut places: Vec<usize> = found.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    #[test]
    fn the_one_peer_of_another_host() {
        let peer = |i: usize| if i == 61 { "10.0.9.77" } else { "10.0.2.20" };
        let socket =
            |i: usize| format!("app {}u IPv4 TCP 10.0.1.11:{}->{}:5432 (OPEN)", i, 40_000 + i, peer(i));
        assert_eq!(outliers(socket), [61]);
        // All rows have the same part, or no two rows do.
        assert_eq!(outliers(|i| format!("app {i}u IPv4 TCP 10.0.1.{i}:{i}->10.0.2.20:5432 (OPEN)")), [0; 0]);
    }

    #[test]
    fn the_one_image_with_another_tag() {
        // The names of the images come again.
        let tag = |i: usize| if i == 47 { "3.1.0" } else { "3.2.4" };
        let name = |i: usize| char::from(b'a' + (i % 20) as u8);
        assert_eq!(outliers(|i| format!("ns{i} app shop/{}:{} up", name(i), tag(i))), [47]);
    }

    #[test]
    fn the_one_name_of_another_form() {
        let name = |i: usize| if i == 33 { "v1.4-rc1-broken".to_owned() } else { format!("v1.{i}") };
        assert_eq!(outliers(|i| format!("{} tag of build {i}", name(i))), [33]);
        // Lines of all lengths.
        let words = |i: usize| "word ".repeat(i % 7);
        assert_eq!(outliers(|i| format!("{} {}", name(i), words(i))), [33]);
    }

    #[test]
    fn the_first_row_of_a_new_setting() {
        let row = |i: usize| {
            format!("{i}/80 loss={}.{} lr={}", 9 - i / 10, i % 10, if i < 45 { "0.001" } else { "0.0001" })
        };
        assert_eq!(outliers(row), [45]);
    }
}
