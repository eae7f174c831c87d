//! Lines about many things of a few kinds, such as the sensors of a machine or the objects of an SNMP walk: a value
//! that is usual for one kind can be an outlier in another. Lines with the same key, or the same first word without
//! digits, are a kind and are compared with each other. So are the rows of each of several tables under the same head, such as the
//! symbols of a program and those of its debug information.

use crate::pipeline::limit::columns;
use crate::pipeline::limit::slots::{self, BLANK_FORM};
use crate::pipeline::limit::unit::{Candidate, digest};
use crate::text::details::similarity_hash;
use crate::text::judge::RARE_ONE_IN;
use crate::text::maps::{Map, Set};
use crate::text::source::Source;

/// The fewest lines of a kind. A choice: among fewer lines any of them may look odd.
const MIN_LINES: usize = 8;
/// The most kinds; more of them are names rather than kinds.
const MAX_KINDS: usize = 64;
/// The most kinds in which lines stand out for the same reason.
const MAX_ALIKE: usize = 2;
/// At least this many of 10 lines must belong to a kind.
const MOST_IN_TEN: usize = 7;

/// Adds the lines that stand out among the lines of their kind.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < 2 * MIN_LINES || source.text().len() > columns::MAX_TEXT_BYTES {
        return;
    }
    let mut of_form: Map<u64, usize> = Map::default();
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let form = slots::form(source.line(*line));
        if form == BLANK_FORM {
            continue;
        }
        let next = kinds.len();
        let kind = *of_form.entry(form).or_insert(next);
        if kind == next {
            if kinds.len() == lines.len() / MIN_LINES + MAX_KINDS {
                return;
            }
            kinds.push(Vec::new());
        }
        kinds[kind].push(place);
    }
    kinds.retain(|places| places.len() >= MIN_LINES);
    let all: usize = kinds.iter().map(Vec::len).sum();
    // With only one kind, the lines were already compared.
    if !(2..=MAX_KINDS).contains(&kinds.len()) || all * 10 < lines.len() * MOST_IN_TEN {
        return;
    }
    let count = kinds.len();
    let mut all: Vec<Candidate> = Vec::new();
    // For each reason, in how many kinds a line stands out for it.
    let mut reasons: Map<u64, usize> = Map::default();
    let reason = |c: &Candidate| c.key ^ similarity_hash(source.line(lines[c.place]));
    for places in kinds {
        let of_kind: Vec<usize> = places.iter().map(|place| lines[*place]).collect();
        let mut found = Vec::new();
        columns::find(source, &of_kind, MIN_LINES, &mut found);
        let from = all.len();
        // A higher count, so that outliers among all lines come first.
        all.extend(found.into_iter().map(|c| Candidate { place: places[c.place], count: c.count + 1, ..c }));
        let different: Set<u64> = all[from..].iter().map(reason).collect();
        different.into_iter().for_each(|reason| *reasons.entry(reason).or_default() += 1);
    }
    // What stands out in many kinds for the same reason is usual, such as the last line of each package.
    let most = MAX_ALIKE.max(count / RARE_ONE_IN);
    all.retain(|c| reasons.get(&reason(c)).is_none_or(|count| *count <= most));
    out.append(&mut all);
}

/// The fewest words of a head.
const MIN_HEAD_WORDS: usize = 3;
/// The most tables; more of them are records.
const MAX_TABLES: usize = 16;

/// Adds the rows that stand out in their table.
pub(super) fn find_in_tables(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < 2 * columns::MIN_ROWS || source.text().len() > columns::MAX_TEXT_BYTES {
        return;
    }
    let mut heads: Map<&str, Vec<usize>> = Map::default();
    for line in 0..source.len() {
        crate::stop::check_sometimes();
        let text = source.line(line);
        if may_be_head(text) {
            heads.entry(text.trim()).or_default().push(line);
        }
    }
    let Some(heads) = heads.into_values().filter(|lines| (2..=MAX_TABLES).contains(&lines.len())).min()
    else {
        return;
    };
    for (at, head) in heads.iter().enumerate() {
        let end = heads.get(at + 1).copied().unwrap_or(source.len());
        let end = (*head..end).find(|line| source.line(*line).trim().is_empty()).unwrap_or(end);
        let first = lines.partition_point(|line| line <= head);
        let rows = &lines[first..lines.partition_point(|line| *line < end).max(first)];
        let mut found = Vec::new();
        columns::find(source, rows, columns::MIN_ROWS, &mut found);
        // A higher count, so that outliers among all lines come first.
        out.extend(found.into_iter().map(|c| {
            let key = digest(&c.key.to_le_bytes(), at);
            Candidate { place: first + c.place, count: c.count + 1, key, ..c }
        }));
    }
}

/// Whether a line may be the head of a table: names without numbers in columns.
fn may_be_head(line: &str) -> bool {
    !line.bytes().any(|b| b.is_ascii_digit())
        && line.as_bytes().windows(2).any(|two| two == b"  ")
        && line.split_ascii_whitespace().nth(MIN_HEAD_WORDS - 1).is_some()
        && line.split_ascii_whitespace().all(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '%'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_usual_for_another_kind() {
        let temperature = |i: usize| if i == 19 { 79 } else { 33 + i % 4 };
        let mut text: String =
            (0..24).map(|i| format!("CPU{i} Temp | {}.0 | ok\n", temperature(i))).collect();
        text.extend((0..12).map(|i| format!("FAN{i} Speed | {}.0 | ok\n", 7_000 + i * 90)));
        let source = Source::new(&text);
        let mut found = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut found);
        let mut places: Vec<usize> = found.iter().map(|c| c.place).collect();
        places.dedup();
        assert_eq!(places, [19]);
    }

    #[test]
    fn a_row_is_compared_with_those_of_its_table() {
        let table = |kinds: [&str; 2], odd: &str| -> String {
            let kind = |i: usize| if i == 33 { odd } else { kinds[i % 2] };
            let rows = (0..60).map(|i| format!("{i:>4}  {}   name_{}\n", kind(i), i * 7 % 61));
            format!("table\n Num  Type  Name\n{}\n", rows.collect::<String>())
        };
        let text = table(["FUNC", "DATA"], "FUNC") + &table(["FUNC", "FUNC"], "DATA");
        let source = Source::new(&text);
        let mut out = Vec::new();
        find_in_tables(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
        let mut places: Vec<usize> = out.iter().map(|c| c.place).collect();
        places.dedup();
        assert_eq!(places, [63 + 2 + 33]);
        out.clear();
        let one = table(["FUNC", "FUNC"], "DATA");
        let source = Source::new(&one);
        find_in_tables(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
        assert!(out.is_empty());
    }
}
