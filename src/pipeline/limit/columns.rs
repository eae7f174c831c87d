//! Finds rows of a table (lines of which most have the same number of fields) that hold a rare value, or a number far
//! from the others in its column.

use crate::pipeline::limit::divider::{Divider, MAX_COLUMNS, words};
use crate::pipeline::limit::headings::is_head;
use crate::pipeline::limit::numbers::{Pairs, Reader};
use crate::pipeline::limit::parts;
use crate::pipeline::limit::parts::Parts;
use crate::pipeline::limit::unit::{Candidate, MAX_LINES_PER_VALUE, digest};
use crate::pipeline::limit::values::{Column, NON_NUMBERS_ONE_IN, Value};
use crate::text::details::similarity_hash;
use crate::text::judge::{DuplicateFinder, EXCEPTION_ONE_IN, is_few, may_be_unique, number};
use crate::text::series::Gaps;
use crate::text::source::Source;

/// A text with fewer lines is not a table.
pub(super) const MIN_ROWS: usize = 20;
/// Longer texts are not searched, in bytes.
pub(super) const MAX_TEXT_BYTES: usize = 8 << 20;
/// The first lines of this many rare values of a column rank before a second line of any value.
const MAX_FIRST_VALUES: usize = 5;
/// Lines that are sampled to choose the divider and to estimate the spread of numbers.
const SAMPLE_LINES: usize = 64;

/// Adds the rows that stand out. Fewer than `least` rows are not a table.
pub fn find(source: &Source<'_>, lines: &[usize], least: usize, out: &mut Vec<Candidate>) {
    find_in(source, lines, &Rows { least, has_clocks: false }, out);
}

/// As [`find`], for lines at the same place of repeated blocks: their times of the day are values.
pub(super) fn find_in_blocks(source: &Source<'_>, lines: &[usize], least: usize, out: &mut Vec<Candidate>) {
    find_in(source, lines, &Rows { least, has_clocks: true }, out);
}

/// The rows that are compared.
struct Rows {
    /// Fewer rows are not a table.
    least: usize,
    /// Whether times of the day are numbers. The times of a log only say when its lines were written.
    has_clocks: bool,
}

fn find_in(source: &Source<'_>, lines: &[usize], of: &Rows, out: &mut Vec<Candidate>) {
    if lines.len() < of.least || source.text().len() > MAX_TEXT_BYTES {
        return;
    }
    // An odd step, so that both kinds are sampled if rows of two kinds alternate.
    let step = lines.len().div_ceil(SAMPLE_LINES) | 1;
    let trials: Vec<&str> = lines.iter().step_by(step).map(|line| source.line(*line)).collect();
    let by_fields = divider(&trials).or_else(|| leading_columns(source, lines, &trials));
    let Some((divider, count)) = by_fields else {
        leading(source, lines, out);
        return find_in_kinds(source, lines, &trials, of, out);
    };
    let mut table = Table::new(&trials, divider, count, of);
    let mut fields = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let line = source.line(*line);
        divider.fields(line, &mut fields);
        table.observe_first_word(place, line);
        if fields.len() == count {
            table.observe_row(place, lines, &fields);
        } else {
            table.observe_other(place, line);
        }
    }
    if table.rows < of.least || table.rows * 4 < lines.len() * 3 {
        return;
    }
    let like = |place: usize| similarity_hash(source.line(lines[place]));
    add_verdicts(&table.first, table.rows, &like, out);
    table.add_columns(&like, out);
    table.add_parts(&like, out);
    table.add_outliers(lines.len(), &like, out);
}

/// What was seen in the rows of a table.
struct Table {
    columns: Vec<Column>,
    /// The indexes of the columns whose findings further rows can still change.
    active: Vec<usize>,
    cross_row_checks: CrossRowChecks,
    /// Columns whose fields have parts.
    parted: Vec<Parts>,
    /// The first word of each line, which need not be a field.
    first: Column,
    rows: usize,
    /// The places of the first lines with words that are not rows, and (in `others`) the number of all such lines.
    odd: Vec<usize>,
    others: usize,
}

impl Table {
    fn new(trials: &[&str], divider: Divider, count: usize, of: &Rows) -> Self {
        let columns = sampled(trials, divider, count, of);
        Self {
            active: (0..columns.len()).collect(),
            cross_row_checks: CrossRowChecks::of(&columns),
            columns,
            parted: parts::parted(trials, divider, count),
            first: Column::default(),
            rows: 0,
            odd: Vec::new(),
            others: 0,
        }
    }

    fn observe_first_word(&mut self, place: usize, line: &str) {
        if !self.first.is_done() {
            let word = line.split_ascii_whitespace().next().unwrap_or_default();
            self.first.observe(place, word.as_bytes(), MAX_COLUMNS);
        }
    }

    fn observe_row(&mut self, place: usize, lines: &[usize], fields: &[&[u8]]) {
        self.rows += 1;
        let mut is_done = false;
        for &at in &self.active {
            self.columns[at].observe(place, fields[at], at);
            is_done |= self.columns[at].is_done();
        }
        if is_done {
            self.active.retain(|at| !self.columns[*at].is_done());
        }
        self.parted.iter_mut().for_each(|parts| parts.observe(place, fields));
        self.cross_row_checks.observe(place, lines, &self.columns, fields);
    }

    fn observe_other(&mut self, place: usize, line: &str) {
        if line.bytes().any(|b| b.is_ascii_alphabetic()) || !line.is_ascii() {
            self.others += 1;
            if self.odd.len() < MAX_LINES_PER_VALUE {
                self.odd.push(place);
            }
        }
    }

    /// Adds the rows that stand out in one column, and those that stand out when rows or columns are compared.
    fn add_columns(&self, like: &dyn Fn(usize) -> u64, out: &mut Vec<Candidate>) {
        for (at, column) in self.columns.iter().enumerate() {
            add_column(at, column, self.rows, like, out);
        }
        self.cross_row_checks.add(out);
    }

    /// Adds the rows with rare parts of fields.
    fn add_parts(&self, like: &dyn Fn(usize) -> u64, out: &mut Vec<Candidate>) {
        let mut of_parts = Vec::new();
        for parts in &self.parted {
            parts
                .columns()
                .for_each(|(at, column)| add_rare(column.rare(self.rows), at, like, &mut of_parts));
        }
        // A higher count, so that rare fields come before rare parts of fields.
        out.extend(of_parts.into_iter().map(|c| Candidate { count: c.count + 1, ..c }));
    }

    /// Adds the lines that are not rows, if they are few.
    fn add_outliers(self, lines: usize, like: &dyn Fn(usize) -> u64, out: &mut Vec<Candidate>) {
        let Self { odd, others, .. } = self;
        if is_few(others, lines, EXCEPTION_ONE_IN) {
            let candidate =
                |(nth, place)| Candidate { place, nth, count: others, key: like(place), is_word: true };
            out.extend(odd.into_iter().enumerate().map(candidate));
        }
    }
}

/// What is compared across rows and columns.
struct CrossRowChecks {
    series: Vec<Gaps>,
    /// Texts that should be different in each row.
    duplicates: Vec<DuplicateFinder>,
    pairs: Pairs,
    above: Option<usize>,
}

impl CrossRowChecks {
    fn of(columns: &[Column]) -> Self {
        Self {
            series: columns.iter().map(|_| Gaps::default()).collect(),
            duplicates: columns.iter().map(|_| DuplicateFinder::default()).collect(),
            pairs: Pairs::of((0..columns.len()).filter(|at| columns[*at].has_numbers())),
            above: None,
        }
    }

    /// Adds a row.
    fn observe(&mut self, place: usize, lines: &[usize], columns: &[Column], fields: &[&[u8]]) {
        self.pairs.observe(place, |at| columns[at].number(fields[at]));
        let is_next = |above: &usize| above + 1 == place && lines[*above] + 1 == lines[place];
        let above = self.above.replace(place).filter(is_next);
        self.series.iter_mut().zip(fields).for_each(|(series, field)| series.observe(place, above, field));
        for (at, (twice, field)) in self.duplicates.iter_mut().zip(fields).enumerate() {
            if twice.is_open() && may_be_unique(field) {
                twice.add(digest(field, at), place);
            }
        }
    }

    /// Adds the rows that stand out.
    fn add(&self, out: &mut Vec<Candidate>) {
        out.extend(self.series.iter().flat_map(Gaps::places).map(by_place));
        out.extend(self.pairs.outlier_rows().map(by_place));
        for &(first, second) in self.duplicates.iter().flat_map(DuplicateFinder::pairs) {
            out.extend([(0, second), (1, first)].map(|(nth, place)| Candidate { nth, ..by_place(place) }));
        }
    }
}

/// A row that stands out by its place.
fn by_place(place: usize) -> Candidate {
    Candidate { place, nth: 0, count: 1, key: digest(&place.to_le_bytes(), MAX_COLUMNS), is_word: false }
}

/// Adds the lines with words that belong to none of the kinds of rows, if they are few.
fn add_others(
    source: &Source<'_>,
    lines: &[usize],
    is_of_kind: &dyn Fn(&str) -> bool,
    out: &mut Vec<Candidate>,
) {
    let is_other = |place: &usize| {
        let line = source.line(lines[*place]);
        crate::stop::check_sometimes();
        line.bytes().any(|b| b.is_ascii_alphabetic()) && !is_of_kind(line)
    };
    let others: Vec<usize> = (0..lines.len()).filter(is_other).collect();
    if !is_few(others.len(), lines.len(), EXCEPTION_ONE_IN) {
        return;
    }
    let count = others.len();
    let candidate = |(nth, place): (usize, usize)| {
        let key = similarity_hash(source.line(lines[place]));
        Candidate { place, nth, count, key, is_word: true }
    };
    out.extend(others.into_iter().take(MAX_LINES_PER_VALUE).enumerate().map(candidate));
}

/// Adds the rows that start with a verdict in capitals.
fn add_verdicts(first: &Column, rows: usize, like: &dyn Fn(usize) -> u64, out: &mut Vec<Candidate>) {
    for (key, value) in first.verdicts(rows) {
        // A verdict comes before all other outliers, and a few rows with it before those with another one.
        let candidate = |(nth, &place)| {
            let key = like(place) ^ digest(&key.to_le_bytes(), MAX_COLUMNS);
            Candidate { place, nth: nth / MAX_FIRST_VALUES, count: 0, key, is_word: false }
        };
        out.extend(value.places().iter().enumerate().map(candidate));
    }
}

/// Adds the rows that stand out in one column.
fn add_column(
    at: usize,
    column: &Column,
    rows: usize,
    like: &dyn Fn(usize) -> u64,
    out: &mut Vec<Candidate>,
) {
    add_rare(column.rare(rows), at, like, out);
    add_rare(column.outlier_forms(rows), at, like, out);
    let single = |nth, count, place: usize| {
        let key = digest(&place.to_le_bytes(), at);
        Candidate { place, nth, count, key, is_word: false }
    };
    for value in column.outlier_numbers(rows) {
        let candidate = |(nth, place): (usize, &usize)| single(nth, value.rows, *place);
        // The first row is often the head, whose names are not numbers, and is shown anyway.
        let (first, others): (Vec<usize>, Vec<usize>) = value.places().iter().partition(|place| **place == 0);
        out.extend(others.iter().chain(&first).enumerate().map(candidate));
    }
    out.extend(column.farthest(rows).map(|(nth, place)| single(nth, 1, place)));
    // Extremes come before all others: without them, smaller outliers would look like the largest.
    out.extend(column.extremes(rows).map(|place| single(0, 0, place)));
    out.extend(column.alone().map(|place| single(0, 1, place)));
    out.extend(column.steps(rows).map(|place| single(0, 1, place)));
    // After the others: numbers may start over regularly, such as the days of a month.
    out.extend(column.falls(rows).map(|place| single(0, 2, place)));
    let others = column.affixes().into_iter().chain(column.other_kinds());
    out.extend(others.enumerate().map(|(nth, place)| single(nth, 2, place)));
}

/// Adds the rows with rare values of a column, rarest value first, so that a column with many leaves room for others.
fn add_rare<'v>(
    values: impl Iterator<Item = (u64, &'v Value)>,
    column: usize,
    like: &dyn Fn(usize) -> u64,
    out: &mut Vec<Candidate>,
) {
    let mut values: Vec<(u64, &Value)> = values.collect();
    values.sort_by_key(|(_, value)| value.rows);
    for (at, (key, value)) in values.into_iter().enumerate() {
        let nth_value = at / MAX_FIRST_VALUES;
        let candidate = |(nth, &place)| {
            let key = like(place) ^ digest(&key.to_le_bytes(), column);
            Candidate { place, nth: nth_value + nth, count: value.rows, key, is_word: false }
        };
        out.extend(value.places().iter().enumerate().map(candidate));
    }
}

/// Adds the lines with rare first words, or rare forms of them, and those beside a gap in the numbers of first words, if lines
/// have no common number of fields.
fn leading(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    let mut first = Column::default().with_forms();
    let mut numbers = Gaps::default();
    let mut above = None;
    for (place, line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let word = source.line(*line).split_ascii_whitespace().next().unwrap_or_default();
        first.observe(place, word.as_bytes(), MAX_COLUMNS);
        let is_next = |above: &usize| lines[*above] + 1 == lines[place];
        numbers.observe(place, above.replace(place).filter(is_next), word.as_bytes());
    }
    out.extend(numbers.places().into_iter().map(by_place));
    let like = |place: usize| similarity_hash(source.line(lines[place]));
    add_rare(first.rare(lines.len()), MAX_COLUMNS, &like, out);
    add_rare(first.outlier_forms(lines.len()), MAX_COLUMNS, &like, out);
    out.extend(first.other_kinds().into_iter().map(by_place));
}

/// Adds the rows that stand out if there are two kinds of rows, each with its own number of words, such as the
/// masters and the replicas of a cluster.
fn find_in_kinds(source: &Source<'_>, lines: &[usize], trials: &[&str], of: &Rows, out: &mut Vec<Candidate>) {
    const MIN_FIELDS: usize = 3;
    let count = |line: &str| {
        let mut fields = Vec::new();
        Divider::Blank.fields(line, &mut fields);
        fields.len()
    };
    let mut counts: Vec<usize> = trials.iter().map(|line| count(line)).filter(|n| *n >= MIN_FIELDS).collect();
    counts.sort_unstable();
    let mut kinds: Vec<(usize, usize)> = counts.chunk_by(|a, b| a == b).map(|c| (c.len(), c[0])).collect();
    kinds.sort_unstable_by(|a, b| b.cmp(a));
    kinds.truncate(2);
    let both: usize = kinds.iter().map(|(rows, _)| rows).sum();
    if both * 10 < trials.len() * 9 {
        return;
    }
    let is_of_kind = |line: &str| {
        let words = count(line);
        kinds.iter().any(|(_, of_kind)| *of_kind == words)
    };
    add_others(source, lines, &is_of_kind, out);
    for (_, of_kind) in kinds {
        let places: Vec<usize> =
            (0..lines.len()).filter(|place| count(source.line(lines[*place])) == of_kind).collect();
        // Rows of one kind have one number of fields, so this recursion goes one level deep.
        if places.len() < lines.len() {
            let rows: Vec<usize> = places.iter().map(|place| lines[*place]).collect();
            let mut found = Vec::new();
            find_in(source, &rows, of, &mut found);
            out.extend(found.into_iter().map(|c| Candidate { place: places[c.place], ..c }));
        }
    }
}

/// Whether most lines of a text have the same number of words, or of fields between the same sign, at least three: rows that
/// are compared as a table.
pub(super) fn is_table(source: &Source<'_>) -> bool {
    const SIGNS: [u8; 3] = [b',', b';', b'|'];
    table_words(source).is_some()
        || SIGNS.iter().any(|sign| {
            let divided = |line: &str| memchr::memchr_iter(*sign, line.as_bytes()).count() + 1;
            most_have(source.lines().take(FIRST_LINES).map(divided).collect()).is_some()
        })
}

/// The first lines are counted, not lines at regular distances: those could all be the same line of a record.
const FIRST_LINES: usize = 4096;

/// The number of fields that most lines have, if there are at least three.
fn most_have(mut counts: Vec<usize>) -> Option<usize> {
    counts.sort_unstable();
    let most = counts.chunk_by(|a, b| a == b).map(|c| (c.len(), c[0])).max();
    most.filter(|(len, count)| *count >= 3 && len * 4 >= counts.len() * 3).map(|(_, count)| count)
}

/// The number of words that most lines of a text have, if it is a table.
pub(super) fn table_words(source: &Source<'_>) -> Option<usize> {
    let mut fields = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    for line in source.lines().take(FIRST_LINES) {
        words(line.as_bytes(), &mut fields);
        counts.push(fields.len());
        fields.clear();
    }
    most_have(counts)
}

/// The columns, with the range of their numbers from a sample of lines.
fn sampled(lines: &[&str], divider: Divider, count: usize, of: &Rows) -> Vec<Column> {
    let mut rows: Vec<Vec<&[u8]>> = Vec::new();
    let mut fields = Vec::new();
    for line in lines {
        divider.fields(line, &mut fields);
        if fields.len() == count {
            rows.push(fields.clone());
        }
    }
    let column = |at: usize| {
        let reader = Reader::of(rows.iter().map(|row| row[at]), of.has_clocks);
        let mut numbers = Vec::new();
        for (nth, row) in rows.iter().enumerate() {
            // Skip the column if too many of its fields so far were not numbers.
            if (nth + 1 - numbers.len()) * NON_NUMBERS_ONE_IN <= lines.len() + 2 * NON_NUMBERS_ONE_IN {
                numbers.extend(reader.read(row[at]));
            }
        }
        Column::with_sample(numbers, rows.len(), of.least).read_by(reader)
    };
    (0..count.min(MAX_COLUMNS)).map(column).collect()
}

/// A line with a bar has at least this many words if its second cell is a message.
const MIN_MESSAGE_WORDS: usize = 6;

/// Whether most lines have a field that [`Divider::Wide`] does not split although it should: several numbers, or a
/// percentage with a name.
fn joins_numbers(trials: &[&str]) -> bool {
    let (mut fields, mut inner) = (Vec::new(), Vec::new());
    let mut joining = 0;
    for line in trials {
        Divider::Wide.fields(line, &mut fields);
        joining += usize::from(fields.iter().any(|field| {
            inner.clear();
            words(field, &mut inner);
            let is_number = |word: &&[u8]| number(word).is_some();
            // A percentage with a name: `67% /srv/0`.
            let is_share_of = inner.len() == 2 && inner[0].ends_with(b"%") && is_number(&inner[0]);
            inner.len() > 1 && inner.iter().all(is_number) || is_share_of
        }));
    }
    joining * 2 > trials.len()
}

/// The first columns of a table with a head whose last column is a text of several words, as in `ps aux`: up to the
/// last column of numbers.
fn leading_columns(source: &Source<'_>, lines: &[usize], trials: &[&str]) -> Option<(Divider, usize)> {
    /// The head is among the first lines; `top` writes a summary above it.
    const MAX_LINES_ABOVE: usize = 12;
    const MIN_NUMBERS: usize = 2;
    let heads = lines.iter().take(MAX_LINES_ABOVE).map(|line| source.line(*line));
    let names =
        heads.filter(|line| is_head(line)).map(|line| line.split_ascii_whitespace().count()).next()?;
    let rows: Vec<Vec<&[u8]>> = trials
        .iter()
        .map(|line| {
            let mut fields = Vec::new();
            words(line.as_bytes(), &mut fields);
            fields
        })
        .collect();
    let is_numeric = |at: &usize| {
        let numbers = rows.iter().filter(|row| row.get(*at).is_some_and(|field| number(field).is_some()));
        numbers.count() * 10 >= rows.len() * 9
    };
    let numeric: Vec<usize> = (0..names.min(MAX_COLUMNS)).filter(is_numeric).collect();
    let count = numeric.last()? + 1;
    (numeric.len() >= MIN_NUMBERS && count < names).then_some((Divider::Leading(count), count))
}

/// The divider that splits most lines into the same number of fields, and that number.
fn divider(trials: &[&str]) -> Option<(Divider, usize)> {
    let mut fields = Vec::new();
    let mut most = |divider: Divider, least: usize| {
        if trials.iter().filter(|line| divider.divides(line)).count() * 4 < trials.len() * 3 {
            return None;
        }
        let mut counts: Vec<usize> = Vec::with_capacity(trials.len());
        for line in trials {
            divider.fields(line, &mut fields);
            counts.push(fields.len());
        }
        counts.sort_unstable();
        let (count, len) = counts.chunk_by(|a, b| a == b).map(|c| (c[0], c.len())).max_by_key(|c| c.1)?;
        (count >= least && len * 4 >= trials.len() * 3).then_some((divider, count, len))
    };
    // Numbers as wide as their columns have one blank between them: then splitting into words fits more lines, or as
    // many into more fields.
    let wide_or_words = |most: &mut dyn FnMut(Divider, usize) -> Option<(Divider, usize, usize)>| match (
        most(Divider::Wide, 4),
        most(Divider::Blank, 3),
    ) {
        (Some(wide), Some(words)) if words.2 > wide.2 || words.2 == wide.2 && joins_numbers(trials) => {
            Some(words)
        }
        (wide, words) => wide.or(words),
    };
    // A name and a message, as in the logs of services. The messages are compared word by word if all have the same
    // number of words.
    let bar_or_words =
        |bar: char, most: &mut dyn FnMut(Divider, usize) -> Option<(Divider, usize, usize)>| match most(
            Divider::Bar(bar),
            2,
        )? {
            two if two.1 == 2 => {
                most(Divider::Blank, MIN_MESSAGE_WORDS).filter(|words| words.2 >= two.2).or(Some(two))
            }
            more => Some(more),
        };
    let found = bar_or_words('|', &mut most)
        .or_else(|| bar_or_words('│', &mut most))
        .or_else(|| most(Divider::Tab, 2))
        .or_else(|| wide_or_words(&mut most))
        .or_else(|| most(Divider::Wide, 2))
        .or_else(|| most(Divider::Blank, 2));
    let has_words = matches!(found, None | Some((Divider::Wide | Divider::Blank, ..)));
    let signs = [',', ';', ':'].into_iter().filter(|sign| has_words && is_glued(trials, *sign));
    let least = |sign: char| if sign == ':' { MIN_FIELDS_OF_COLON } else { MIN_FIELDS_OF_SIGN };
    let of_sign = signs.filter_map(|sign| most(Divider::Sign(sign), least(sign))).max_by_key(|d| d.1);
    let most_fields = of_sign.filter(|sign| found.is_none_or(|words| words.1 < sign.1));
    most_fields.or(found).or_else(|| most(Divider::Equals, 2)).map(|(divider, count, _)| (divider, count))
}

/// A sign divides lines into at least this many fields. A place in a file has two colons: `a.c:12:3`.
const MIN_FIELDS_OF_SIGN: usize = 3;
const MIN_FIELDS_OF_COLON: usize = 4;

/// Whether a sign joins the fields of most lines, as in a file with commas: no blank follows it, and at most one field
/// has blanks; a text that is divided by colons does not end with such a field, as a message after a time does.
fn is_glued(trials: &[&str], sign: char) -> bool {
    let has_blank = |field: &str| field.trim().contains(' ');
    let is_glued = |line: &&&str| {
        let mut fields = line.split(sign);
        let last = fields.next_back().unwrap_or_default();
        let is_open = |field: &str| field.starts_with(' ') || has_blank(field);
        let blanks = fields.filter(|field| is_open(field)).count();
        blanks <= 1 && !(is_open(last) && (sign == ':' || blanks == 1))
    };
    trials.iter().filter(is_glued).count() * 4 >= trials.len() * 3
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The indexes of the lines that stand out, in order.
    fn outliers(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let lines: Vec<usize> = (0..source.len()).collect();
        let mut found = Vec::new();
        find(&source, &lines, MIN_ROWS, &mut found);
        let mut places: Vec<usize> = found.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn rows(odd: usize, row: &str, line: impl Fn(usize) -> String) -> String {
        (0..200).map(|i| if i == odd { format!("{row}\n") } else { line(i) + "\n" }).collect()
    }

    proptest! {
        #[test]
        fn words_are_what_stands_between_blanks(line in "(\\PC|[a-z]{0,9}|[ \t\r]){0,40}") {
            let mut found = Vec::new();
            words(line.as_bytes(), &mut found);
            let expected = line.as_bytes().split(|b| *b <= b' ').filter(|word| !word.is_empty());
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_that_end_in_a_text_of_several_words_are_compared_by_their_first_columns() {
        let head = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n";
        let command = |i: usize| ["/usr/bin/app", "/usr/bin/app --port 80", "sh -c a b c d"][i % 3];
        let row = |i: usize| {
            format!(
                "app      {:>7}  0.{}  0.1  21{:03}  80{} ?        S    10:00   0:00 {}",
                400 + i,
                i % 3,
                i % 7,
                i % 9,
                command(i)
            )
        };
        let busy = "app          520 99.7  0.1  21004  805 ?        R    10:00  93:11 /usr/bin/app --port 80";
        let text = head.to_owned() + &rows(120, busy, row);
        assert!(outliers(&text).contains(&121));
    }

    #[test]
    fn rare_values_and_far_numbers() {
        for (row, of) in [
            ("prod    a-120     1/2    Running     0", "prod    a-{i}     1/1    Running     0"),
            ("| 120 | name 120 | frozen | 12 |", "| {i} | name {i} | active | 12 |"),
            ("| 120 | name 120 | active | -5000 |", "| {i} | name {i} | active | {i} |"),
            ("step 120 loss 999.0 time 1ms", "step {i} loss 0.{i} time 1ms"),
            ("120\tb\t90000kB", "{i}\tb\t{i}kB"),
            ("GET /a status=500 in 3ms", "GET /a status=200 in 3ms"),
            ("cannot say how many fields this has", "file {i} done"),
            ("web,n120,0,0,2,31,,MAINT,1", "web,n{i},0,0,2,31,,UP,1"),
            (
                "u120:x:1120:1120:User No 120,,,:/home/u120:/bin/bash",
                "u{i}:x:1{i}:1{i}:User No {i},,,:/home/u{i}:/sbin/nologin",
            ),
            ("Has120Thing=yes", "Has{i}Thing=no"),
            ("\"a@120\",\"AGPL\",\"https://x.test/a120\"", "\"a@{i}\",\"MIT\",\"https://x.test/a{i}\""),
            ("app-120.js  0.00 kB │ gzip: 4.62 kB", "app-{i}.js  7{i}.00 kB │ gzip: 4.62 kB"),
            // A unit, and an address that ends otherwise.
            ("name-120  5120px", "name-{i}  5{i}pt"),
            ("name-120  a120@x.test", "name-{i}  a{i}@y.test"),
            ("listener l-120 203.0.113.9 open", "listener l-{i} 10.0.7.{i} open"),
        ] {
            let text = rows(120, row, |i| of.replace("{i}", &i.to_string()));
            assert_eq!(outliers(&text), [120], "{row}");
        }
    }

    #[test]
    fn rows_of_two_kinds_and_counters() {
        let of_node = |i: usize| match i % 2 {
            0 => format!("id{i} 10.0.0.{i} master - {i} connected 1-{i}\n"),
            _ => {
                format!("id{i} 10.0.0.{i} slave {i} {}\n", if i == 47 { "disconnected" } else { "connected" })
            }
        };
        assert_eq!(outliers(&(0..80).map(of_node).collect::<String>()), [47]);
        let of_step = |i: usize| {
            format!("step {i} offset {} wait {}\n", if i < 90 { i * 50 } else { i * 50 - 4000 }, i % 7)
        };
        assert_eq!(outliers(&(0..200).map(of_step).collect::<String>()), [89, 90]);
        // Sizes with different units.
        let of_image = |i: usize| {
            format!(
                "image-{i} latest {}\n",
                if i == 31 { "6.4GB".to_owned() } else { format!("{}MB", 90 + i) }
            )
        };
        assert_eq!(outliers(&(0..80).map(of_image).collect::<String>()), [31]);
        let of_bar = |i: usize| {
            format!(
                "step {i} | loss 1.{i} | grad_norm {} | tok/s 41{i}\n",
                if i == 33 { "48.11" } else { "1.02" }
            )
        };
        assert_eq!(outliers(&(0..80).map(of_bar).collect::<String>()), [33]);
    }

    #[test]
    fn a_row_of_neither_kind() {
        let of_pair = |i: usize| match i % 2 {
            0 => format!("09:{i} a > b: {i}+ find x{}. (38)\n", i % 3),
            _ if i == 61 => format!("09:{i} b > a: {i} unknown 0/1 (101) find x\n"),
            _ => format!("09:{i} b > a: {i} 1/0 A 10.0.1.{} (54)\n", i % 9),
        };
        assert_eq!(outliers(&(0..90).map(of_pair).collect::<String>()), [61]);
    }

    #[test]
    fn numbers_with_one_blank_between_them_are_columns() {
        let row = |i: usize| match i {
            70 => format!(" 0  0      0 18{:05}  200   90    0 8811234    0   1  0 99\n", i * 37),
            _ => format!(" {}  0      0 18{:05}  200   90    0    0    0   1  0 99\n", i % 3, i * 37),
        };
        assert_eq!(outliers(&(0..120).map(row).collect::<String>()), [70]);
    }

    #[test]
    fn the_words_of_a_message_behind_a_name() {
        let row = |i: usize| {
            let message = if i == 70 { "lock taken by web-2 at" } else { "done with job of" };
            let of = if i == 70 { "" } else { " class" };
            format!("web-{} | 2025-03-14 09:{:02}:10 INFO {message}{of} {i}\n", i % 3, i % 60)
        };
        assert_eq!(outliers(&(0..120).map(row).collect::<String>()), [70]);
    }

    #[test]
    fn the_largest_of_many_sizes_stands_out() {
        // Sizes of files: many are far from the median, and one is the largest.
        let size = |i: usize| if i.is_multiple_of(9) { 900 + i * 7 } else { 40 + i % 60 };
        let text = rows(120, "   3053 lib/utils.js", |i| format!("   {} lib/file-{i}.js", size(i)));
        assert!(outliers(&text).contains(&120), "{:?}", outliers(&text));
    }

    #[test]
    fn what_is_common_or_never_the_same_does_not_stand_out() {
        for of in ["a {i} b", "name-{i} up {i}s", "| {i} | x{i} |"] {
            let text = rows(200, "", |i| of.replace("{i}", &i.to_string()));
            assert_eq!(outliers(&text), [0; 0], "{of}");
        }
        // Sixteen values, all equally common.
        let text = rows(200, "", |i| format!("do {} now", i * 7 % 16));
        assert_eq!(outliers(&text), [0; 0]);
        // Prose has no columns.
        let text: String = (0..100).map(|i| "word ".repeat(i % 9 + 1) + "\n").collect();
        assert_eq!(outliers(&text), [0; 0]);
    }
}
