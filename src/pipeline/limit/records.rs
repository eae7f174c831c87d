//! Records: blocks of similar lines that are repeated with other values, such as the disks of `smartctl`, the
//! interfaces of `ip -s link`, the pods of `kubectl describe`. Finds the lines in which one record differs from the
//! others, and the lines of the record on which these depend.
//!
//! A record starts with the first form of line that is repeated at regular distances. Its lines are compared with the
//! lines of other records in the same *slot*: with the same key, or the same first word. `columns` compares the
//! values and numbers. Time is linear in the text, and memory is bounded.

use std::ops::Range;

use crate::pipeline::limit::columns;
use crate::pipeline::limit::slots::{self, Slot, indent};
use crate::pipeline::limit::unit::{Candidate, MAX_LINES_PER_VALUE, digest};
use crate::pipeline::limit::values::MIN_ROWS_FOR_EXCEPTION;
use crate::text::details::similarity_hash;
use crate::text::judge::{EXCEPTION_ONE_IN, is_few};
use crate::text::maps::{Map, Set};
use crate::text::source::Source;

/// A line that other records lack is an outlier if at most 1 record in this many has it.
const OUTLIER_ONE_IN: usize = EXCEPTION_ONE_IN;
/// Limits for records that lack a line which all others have: the fewest records that are compared, the most such
/// records, and the most lines of one that is kept whole. Choices.
const MIN_ROWS_FOR_LACKING: usize = 20;
const MAX_LACKING: usize = 2;
const MAX_LACKING_LINES: usize = 8;
/// The most records with the same rare value that are kept in addition to the first.
const MAX_ALIKE: usize = 3;
/// The most lines that name a record, such as its serial number.
const MAX_NAMES: usize = 2;
/// The most pairs of neighbouring values that are compared with each other.
const MAX_TWINS: usize = 64;
/// The most lines of a record that may be shown whole. A choice.
const MAX_SHORT_LINES: usize = 6;
/// The most lines above a line that are searched for its heading.
const MAX_LINES_ABOVE: usize = 40;

/// A line that stands out among the records.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordOutlier {
    pub(super) line: usize,
    pub(super) nth: usize,
    pub(super) count: usize,
    pub(super) key: u64,
}

/// The lines of one slot, from all records.
#[derive(Default)]
struct Group {
    lines: Vec<usize>,
    /// Whether all lines are equal, so that the line may be a heading.
    is_constant: bool,
    /// Whether all lines differ and do not end in a number, so that they name their record.
    is_name: bool,
}

/// The records of a text.
pub(in crate::pipeline) struct Records {
    /// The first line of each record.
    pub(super) starts: Vec<usize>,
    /// The line after the last record.
    end: usize,
    /// The slot of every line from the first record on.
    slots: Vec<Slot>,
    groups: Vec<Group>,
    of_slot: Map<Slot, usize>,
    /// Slots that name a record, in order.
    names: Vec<Slot>,
    /// Whether nearly all records are two lines of which the second is indented further.
    are_pairs: bool,
}

impl Records {
    /// The records of a text, if it has any.
    pub(in crate::pipeline) fn read(source: &Source<'_>) -> Option<Self> {
        if source.len() < MIN_ROWS_FOR_EXCEPTION * slots::RECORD_LINES.start()
            || source.text().len() > columns::MAX_TEXT_BYTES
        {
            return None;
        }
        let (starts, forms) = slots::starts_and_forms(source)?;
        let are_pairs = slots::are_pairs(source, &starts);
        let end = source.len();
        let slots = slots::numbered(source, &forms, &starts);
        let mut records = Self {
            starts,
            end,
            slots,
            groups: Vec::new(),
            of_slot: Map::default(),
            names: Vec::new(),
            are_pairs,
        };
        records.collect(source);
        Some(records)
    }

    fn first(&self) -> usize {
        self.starts[0]
    }

    fn slot(&self, line: usize) -> Option<Slot> {
        self.slots.get(line.checked_sub(self.first())?).copied().filter(|slot| !slot.is_blank())
    }

    /// The record of a line: its number and its lines.
    fn record(&self, line: usize) -> Option<(usize, Range<usize>)> {
        let number = self.starts.partition_point(|start| *start <= line).checked_sub(1)?;
        Some((number, self.starts[number]..self.starts.get(number + 1).copied().unwrap_or(self.end)))
    }

    /// Groups the lines by slot, and finds the slots that name a record.
    fn collect(&mut self, source: &Source<'_>) {
        for line in self.first()..self.end {
            crate::stop::check_sometimes();
            let Some(slot) = self.slot(line) else { continue };
            let next = self.groups.len();
            let group = match self.of_slot.get(&slot) {
                Some(known) => *known,
                None if next == slots::MAX_FORMS => continue,
                None => {
                    self.of_slot.insert(slot, next);
                    self.groups.push(Group::default());
                    next
                }
            };
            self.groups[group].lines.push(line);
        }
        let all = self.starts.len();
        for group in &mut self.groups {
            crate::stop::check();
            if group.lines.len() * 2 < all {
                continue;
            }
            let different: Set<&str> = group.lines.iter().map(|line| source.line(*line).trim()).collect();
            group.is_constant = different.len() == 1;
            let names = |line: &usize| slots::is_name(source.line(*line));
            let is_of_all = group.lines.len() * OUTLIER_ONE_IN >= all * (OUTLIER_ONE_IN - 1);
            group.is_name = is_of_all
                && different.len() == group.lines.len()
                && group.lines.iter().take(MIN_ROWS_FOR_EXCEPTION).all(names);
        }
        let mut names: Vec<usize> = self.groups.iter().filter(|g| g.is_name).map(|g| g.lines[0]).collect();
        names.sort_unstable();
        self.names = names.into_iter().filter_map(|line| self.slot(line)).take(MAX_NAMES).collect();
    }

    fn group(&self, slot: Slot) -> Option<&Group> {
        self.of_slot.get(&slot).map(|group| &self.groups[*group])
    }

    fn is_common(&self, slot: Slot) -> bool {
        self.group(slot).is_some_and(|group| group.lines.len() * 2 >= self.starts.len())
    }

    /// The lines in which a record differs from the others.
    pub(super) fn outliers(&self, source: &Source<'_>) -> Vec<RecordOutlier> {
        let mut out = Vec::new();
        for group in self.groups.iter().filter(|group| group.lines.len() * 2 >= self.starts.len()) {
            if !group.is_constant {
                self.compare(source, &group.lines, &mut out);
            }
        }
        // Lines in slots that few records have. If most records have such lines at the same indentation, the lines
        // are rows that start with names, and are compared as a table.
        let mut own: Map<usize, usize> = Map::default();
        let mut all: Vec<(Vec<usize>, usize, Option<usize>)> = Vec::new();
        for line in self.first()..self.end {
            crate::stop::check_sometimes();
            if self.slot(line).is_none_or(|slot| self.is_common(slot)) {
                continue;
            }
            let next = all.len();
            let at = *own.entry(indent(source.line(line))).or_insert(next);
            if at == next {
                all.push((Vec::new(), 0, None));
            }
            let (lines, records, last) = &mut all[at];
            lines.push(line);
            let record = self.record(line).map(|(number, _)| number);
            *records += usize::from(*last != record);
            *last = record;
        }
        self.lacking(source, &mut out);
        self.unequal_twins(source, &mut out);
        for (lines, records, _) in all {
            if is_few(records, self.starts.len(), OUTLIER_ONE_IN) {
                let odd = |(nth, line): (usize, &usize)| RecordOutlier {
                    line: *line,
                    nth: nth / 4,
                    count: records,
                    key: digest(&line.to_le_bytes(), 0),
                };
                out.extend(lines.iter().take(MAX_LINES_PER_VALUE).enumerate().map(odd));
            } else {
                self.compare(source, &lines, &mut out);
            }
        }
        out
    }

    /// Adds the few records that lack a line which all others have: short ones whole, of others the lines around the gap.
    fn lacking(&self, source: &Source<'_>, out: &mut Vec<RecordOutlier>) {
        let all = self.starts.len();
        let is_of_most = |group: &&Group| {
            let lacking = all.saturating_sub(group.lines.len());
            all >= MIN_ROWS_FOR_LACKING && (1..=MAX_LACKING).contains(&lacking)
        };
        // Each with a line that another record has there.
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        for group in self.groups.iter().filter(is_of_most) {
            let mut lines = group.lines.iter().copied().peekable();
            for (number, &start) in self.starts.iter().enumerate() {
                let record = start..self.starts.get(number + 1).copied().unwrap_or(self.end);
                let has = lines.next_if(|line| record.contains(line)).is_some();
                while lines.next_if(|line| record.contains(line)).is_some() {}
                if !has {
                    found.push((record, group.lines[0]));
                }
            }
        }
        // The part above the first record and the rest below the last one lack much.
        found.retain(|(record, _)| record.start != self.first() && record.end != self.end);
        let records: Set<usize> = found.iter().map(|(record, _)| record.start).collect();
        if records.len() > MAX_LACKING {
            return;
        }
        for (record, other) in found {
            let lines: Vec<usize> = match record.len() <= MAX_LACKING_LINES {
                true => record.filter(|line| !source.line(*line).trim().is_empty()).collect(),
                false => self.around_gap(other, &record),
            };
            let odd = |line: usize| {
                let key = digest(&line.to_le_bytes(), 1);
                RecordOutlier { line, nth: 0, count: MAX_LACKING, key }
            };
            out.extend(lines.into_iter().map(odd));
        }
    }

    /// The lines of a record between which it lacks the line that another record has here, if they follow each other.
    fn around_gap(&self, other: usize, record: &Range<usize>) -> Vec<usize> {
        let find = |line: usize| self.in_record(self.slot(line)?, record);
        match (other.checked_sub(1).and_then(find), find(other + 1)) {
            (Some(above), Some(below)) if above + 1 == below => vec![above, below],
            _ => Vec::new(),
        }
    }

    /// Adds the lines that stand out among lines of different records.
    fn compare(&self, source: &Source<'_>, lines: &[usize], out: &mut Vec<RecordOutlier>) {
        let mut found: Vec<Candidate> = Vec::new();
        columns::find_in_blocks(source, lines, MIN_ROWS_FOR_EXCEPTION, &mut found);
        out.extend(found.into_iter().map(|c| {
            let line = lines[c.place];
            // If a few records have the same odd value, all of them are kept.
            RecordOutlier {
                line,
                nth: c.nth,
                count: c.count,
                key: digest(&c.key.to_le_bytes(), c.nth.min(MAX_ALIKE)),
            }
        }));
    }

    /// The line that distinguishes the record of a line from the other records: its first line, or, if that is the
    /// same in all records, the first line that names the record, if there is one.
    pub(in crate::pipeline) fn name(&self, line: usize) -> Option<usize> {
        let (_, lines) = self.record(line)?;
        let is_constant =
            self.slot(lines.start).and_then(|slot| self.group(slot)).is_some_and(|group| group.is_constant);
        match is_constant {
            true => self.names.iter().find_map(|slot| self.in_record(*slot, &lines)),
            false => Some(lines.start),
        }
    }

    /// The other line of the record of a line, if nearly all records are two lines of which the second is indented further.
    pub(super) fn other_of_pair(&self, line: usize) -> Option<usize> {
        let (_, record) = self.are_pairs.then(|| self.record(line))??;
        (record.len() == 2 && record.contains(&line)).then_some(record.start + record.end - 1 - line)
    }

    /// The lines of the record of a line, if it is short.
    pub(super) fn short(&self, line: usize) -> Option<Range<usize>> {
        self.record(line).map(|(_, record)| record).filter(|record| record.len() <= MAX_SHORT_LINES)
    }

    /// Adds the lines of the few records in which two values differ that are the same in the others, such as the installed and
    /// the newest version of a package. Values that few records tell apart say nothing.
    fn unequal_twins(&self, source: &Source<'_>, out: &mut Vec<RecordOutlier>) {
        let all = self.starts.len();
        let is_of_most = |lines: &[usize]| lines.len() * OUTLIER_ONE_IN >= all * (OUTLIER_ONE_IN - 1);
        if all < MIN_ROWS_FOR_LACKING {
            return;
        }
        let mut common: Vec<&[usize]> = self
            .groups
            .iter()
            .map(|group| group.lines.as_slice())
            .filter(|lines| is_of_most(lines))
            .collect();
        common.sort_unstable_by_key(|lines| lines[0]);
        for pair in common.windows(2).take(MAX_TWINS) {
            crate::stop::check();
            let mut second = pair[1].iter().copied().peekable();
            let mut values: Set<&str> = Set::default();
            let (mut equal, mut unequal) = (0, Vec::new());
            for &line in pair[0] {
                let Some((_, record)) = self.record(line) else { continue };
                while second.next_if(|other| *other <= line).is_some() {}
                let Some(other) = second.next_if(|other| record.contains(other)) else { continue };
                let value = value(source.line(line));
                if value == self::value(source.line(other)) {
                    equal += 1;
                    values.insert(value);
                } else {
                    unequal.push([line, other]);
                }
            }
            let is_odd = !unequal.is_empty() && is_few(unequal.len(), equal, OUTLIER_ONE_IN);
            if is_odd && equal * OUTLIER_ONE_IN >= all * (OUTLIER_ONE_IN - 2) && values.len() * 4 >= equal {
                for (nth, line) in unequal.into_iter().take(MAX_LINES_PER_VALUE).flatten().enumerate() {
                    let key = digest(&line.to_le_bytes(), 2);
                    out.push(RecordOutlier { line, nth: nth / (2 * MAX_ALIKE), count: 0, key });
                }
            }
        }
    }

    /// The first line of a record in a slot.
    fn in_record(&self, slot: Slot, record: &Range<usize>) -> Option<usize> {
        let all = &self.group(slot)?.lines;
        all.get(all.partition_point(|at| *at < record.start)).copied().filter(|at| *at < record.end)
    }

    /// The lines of the record on which a line depends: the first line, lines that name the record, the nearest line
    /// above with less indentation, and the heading of a row.
    pub(super) fn around(&self, source: &Source<'_>, line: usize) -> Vec<usize> {
        let Some((_, lines)) = self.record(line) else { return Vec::new() };
        let mut out = vec![lines.start];
        out.extend(self.names.iter().filter_map(|slot| self.in_record(*slot, &lines)));
        let own = indent(source.line(line));
        let above = || (lines.start..line).rev().take(MAX_LINES_ABOVE);
        out.extend(above().find(|&at| !source.line(at).trim().is_empty() && indent(source.line(at)) < own));
        if !slots::has_key(source.line(line)) {
            let is_heading = |at: &usize| {
                let is_constant =
                    self.slot(*at).and_then(|slot| self.group(slot)).is_some_and(|g| g.is_constant);
                is_constant && slots::is_heading(source.line(*at))
            };
            out.extend(above().find(is_heading));
        }
        out.sort_unstable();
        out.dedup();
        out.retain(|at| *at != line);
        out
    }
}

/// The value after the key or the first word of a line.
fn value(line: &str) -> &str {
    let line = line.trim();
    line.split_once(": ").or_else(|| line.split_once([' ', '\t', '='])).map_or("", |(_, value)| value.trim())
}

/// A line that stands out among records, as a candidate for a cut.
pub(super) fn candidate(source: &Source<'_>, place: usize, odd: RecordOutlier) -> Candidate {
    let key = odd.key ^ similarity_hash(source.line(odd.line)).rotate_left(17);
    Candidate { place, nth: odd.nth, count: odd.count, key, is_word: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(odd: usize, other: &str, record: impl Fn(usize) -> String) -> String {
        (0..24).map(|i| if i == odd { other.to_owned() } else { record(i) }).collect()
    }

    /// The lines that stand out, each with the lines on which it depends.
    fn found(text: &str) -> Vec<(String, Vec<String>)> {
        let source = Source::new(text);
        let Some(records) = Records::read(&source) else { return Vec::new() };
        let mut odd: Vec<usize> = records.outliers(&source).iter().map(|odd| odd.line).collect();
        odd.sort_unstable();
        odd.dedup();
        let line = |line: usize| source.line(line).trim().to_owned();
        odd.into_iter()
            .map(|at| (line(at), records.around(&source, at).into_iter().map(line).collect()))
            .collect()
    }

    #[test]
    fn a_value_that_one_record_has() {
        let disk = |i: usize, errors: &str| {
            format!("Model: WD Red\nSerial: W{i}x\nHours: {}\nErrors: {errors}\n\n", i * 311 + 9000)
        };
        for odd in ["7", "NaN", "-1", "NULL"] {
            let found = found(&text(9, &disk(9, odd), |i| disk(i, "0")));
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0, format!("Errors: {odd}"));
            assert_eq!(found[0].1, ["Model: WD Red", "Serial: W9x"]);
        }
        assert_eq!(found(&text(99, "", |i| disk(i, "0"))), []);
        // Two records with the same odd value.
        let two = found(&text(9, &disk(9, "7"), |i| disk(i, if i == 20 { "7" } else { "0" })));
        assert_eq!(two.len(), 2, "{two:?}");
    }

    #[test]
    fn records_of_two_lines_with_nothing_in_common() {
        let section = |i: usize, flags: &str| {
            let name = "abcdefghijklmnopqrstuvwxyz"[i..=i].repeat(4);
            format!(
                "  [{i:>2}] .{name}  PROGBITS  {:08x}  {:04x}\n       {:08x}  {:04x} {flags}  0 0\n",
                (i + 1) * 7919,
                i + 1,
                (i + 1) * 31,
                0
            )
        };
        let whole = text(9, &section(9, "WAX"), |i| section(i, " AX"));
        let found = found(&whole);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0.contains("WAX") && found[0].1[0].starts_with("[ 9]"), "{found:?}");
        let source = Source::new(&whole);
        let records = Records::read(&source).unwrap();
        assert_eq!([18, 19].map(|line| records.other_of_pair(line)), [Some(19), Some(18)]);
    }

    #[test]
    fn names_of_several_forms_start_the_records_of_the_lines_below_them() {
        let port = |i: usize| {
            let name = ["GigabitEthernet 0/", "Dialer ", "Loopback", "Bvi "][i % 4];
            format!("{name}{i} is up, protocol is down\n  Flags: ARP, index is {i}\n  MTU {}\n", 1500 + i % 3)
        };
        let text: String = (0..12).map(port).collect();
        let starts = Records::read(&Source::new(&text)).map(|records| records.starts);
        assert_eq!(starts, Some((0..36).step_by(3).collect()));
        // One parent has all of them.
        let list: String = (0..12).map(|i| format!("  - name: a{i}\n    size: {}\n", i * 7 % 5)).collect();
        let list = format!("items:\n{list}");
        let starts = Records::read(&Source::new(&list)).map(|records| records.starts);
        assert!(starts.is_none_or(|starts| starts.len() < 2 || starts[1] == 3), "{list}");
    }

    #[test]
    fn a_branch_of_a_tree_starts_no_record() {
        let resource = |i: usize| {
            let name = "abcdefghijklmnopqrstuvwxyz"[i..=i].repeat(4);
            format!(" {name}.{name}_{i}\n ├─ use  {}\n └─ disk  {}\n\n", i * 7 % 5, i * 31 % 7)
        };
        let text: String = (0..24).map(resource).collect();
        let source = Source::new(&text);
        let starts = Records::read(&source).map(|records| records.starts).unwrap_or_default();
        assert!(starts.iter().all(|start| !source.line(*start).contains('\u{2500}')), "{starts:?}");
    }

    #[test]
    fn two_values_that_are_the_same_in_other_records() {
        let package = |i: usize, installed: usize| {
            format!("lib{}:\n  Installed: 1.{installed}\n  Candidate: 1.{}\n", "x".repeat(i + 1), i * 7)
        };
        let found = found(&text(9, &package(9, 3), |i| package(i, i * 7)));
        let lines: Vec<&str> = found.iter().map(|(line, _)| line.as_str()).collect();
        assert!(lines.contains(&"Installed: 1.3") && lines.contains(&"Candidate: 1.63"), "{found:?}");
        assert!(!lines.contains(&"Candidate: 1.70"), "{found:?}");
    }

    #[test]
    fn rows_have_the_heading_of_their_columns() {
        let link = |i: usize, dropped: usize| {
            format!(
                "{i}: veth{i}a: <UP>\n    RX: bytes errors dropped\n    {} 0 {dropped}\n    TX: bytes errors carrier\n    {} 0 0\n",
                i * 917 + 4000,
                i * 311 + 7000
            )
        };
        let found = found(&text(9, &link(9, 18), |i| link(i, 0)));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].1, ["9: veth9a: <UP>", "RX: bytes errors dropped"]);
    }

    #[test]
    fn lines_that_only_one_record_has() {
        let pod = |i: usize, more: &str| format!("Name: pod-{i}\nState: Running\n{more}Ready: True\n\n");
        let found = found(&text(9, &pod(9, "Last State: Gone\n  Exit: 137\n"), |i| pod(i, "")));
        let lines: Vec<&str> = found.iter().map(|(line, _)| line.as_str()).collect();
        assert_eq!(lines, ["Last State: Gone", "Exit: 137"]);
        assert_eq!(found[1].1, ["Name: pod-9", "Last State: Gone"]);
    }

    #[test]
    fn a_record_that_lacks_a_line() {
        let package = |i: usize, sum: &str| {
            format!(
                "[[package]]\nname = \"p{}\"\nversion = \"1.{i}.0\"\nsource = \"registry\"\n{sum}\n",
                "x".repeat(i)
            )
        };
        let sum = |i: usize| format!("checksum = \"{:x}\"\n", i * 7919 + 90_001);
        let head = "# made by a tool\nversion = 4\n\n";
        let with = |odd: &str| format!("{head}{}", text(9, &package(9, odd), |i| package(i, &sum(i))));
        let found = found(&with(""));
        let lines: Vec<&str> = found.iter().map(|(line, _)| line.as_str()).collect();
        assert!(lines.contains(&"name = \"pxxxxxxxxx\""), "{lines:?}");
        let source = found.iter().find(|(line, _)| line.starts_with("source")).unwrap();
        assert_eq!(source.1[..2], ["[[package]]", "name = \"pxxxxxxxxx\""]);
    }

    #[test]
    fn tasks_that_take_turns() {
        let task = |i: usize, time: &str| {
            format!("#{i} [{i}/24] RUN make x{i}\n#{i} 0.2 word {} is made\n#{i} DONE {time}s\n\n", i * 7 % 5)
        };
        let found = found(&text(9, &task(9, "412.4"), |i| task(i, &format!("0.{}", i % 7))));
        let lines: Vec<&str> = found.iter().map(|(line, _)| line.as_str()).collect();
        assert!(lines.contains(&"#9 DONE 412.4s"), "{found:?}");
        let done = found.iter().find(|(line, _)| line.contains("DONE")).unwrap();
        assert_eq!(done.1[0], "#9 [9/24] RUN make x9");
    }

    #[test]
    fn names_above_the_first_keys() {
        const NAMES: &[&str] = &["alder", "beech", "cedar", "elm"];
        let report = |i: usize| {
            let name = format!("{}{}", NAMES[i % 4], ["", "wood", "leaf", "bark", "root", "twig"][i / 4]);
            format!("{name}  <={i}.1\nLevel: low\n{name} is slow with long texts\nnode/{name}\n\n")
        };
        let odd = "yew  <3.1\nLevel: high\nWrites over other memory\nnode/yew\n\n";
        let found = found(&format!("# report\n\n{}", text(9, odd, report)));
        let lines: Vec<&str> = found.iter().map(|(line, _)| line.as_str()).collect();
        assert!(lines.contains(&"Level: high") && lines.contains(&"Writes over other memory"), "{lines:?}");
        assert!(
            found.iter().all(|(line, with)| line.starts_with("yew") || with[0] == "yew  <3.1"),
            "{found:?}"
        );
    }

    #[test]
    fn headings_of_any_form_belong_to_the_record_below() {
        const NAMES: &[&str] = &["alder", "beech", "cedar", "elm", "fir", "hazel", "larch", "maple"];
        let record = |i: usize, heading: &str, hash: &str| {
            let name = format!("{}{}", NAMES[i % 8], ["", "wood", "bark"][i / 8]);
            format!("{}\nProtocol: 3\nHash: {hash}\nReused: no\n", heading.replace('@', &name))
        };
        for heading in ["@ | CHANGED | rc=0 >>", "@.x.test", "/etc/@.conf:", "@", "@:", "Id=@", "[@]"] {
            let found = found(&text(9, &record(9, heading, "SHA1"), |i| record(i, heading, "SHA256")));
            assert_eq!(found.len(), 1, "{found:?}");
            let expected = ("Hash: SHA1".to_owned(), vec![heading.replace('@', "beechwood")]);
            assert_eq!(found[0], expected, "{heading}");
        }
        // The last line of each record is a name; it is no heading of the next one.
        let path = |i: usize, hash: &str| {
            format!("Protocol: 3\nHash: {hash}\n/srv/{}{}\n", NAMES[i % 8], ["", "wood", "bark"][i / 8])
        };
        let found = found(&format!("head\n{}", text(9, &path(9, "SHA1"), |i| path(i, "SHA256"))));
        assert!(found.iter().all(|(_, with)| !with.contains(&"/srv/beechwood".to_owned()) || with.len() > 1));
        assert!(
            found.iter().any(|(line, with)| line == "Hash: SHA1" && with[0] == "Protocol: 3"),
            "{found:?}"
        );
    }

    #[test]
    fn other_texts_have_no_records() {
        for text in [
            String::new(),
            "a line\n".repeat(50),
            (0..80)
                .map(|i| {
                    format!(
                        "{} some words {i}\n",
                        ["the", "a", "one"][(i as u32).wrapping_mul(2_654_435_761) as usize % 97 % 3]
                    )
                })
                .collect(),
            (0..80).map(|i| format!("row {i} of a table\n")).collect(),
        ] {
            assert!(Records::read(&Source::new(&text)).is_none(), "{text}");
        }
    }

    /// Steps and findings grow linearly with the lines of a hostile text of one megabyte.
    #[test]
    fn work_is_linear_in_hostile_texts() {
        const BYTES: usize = 256 << 10;
        // Each line that a pass reads counts.
        const STEPS_PER_LINE: usize = 20;
        let sign = |n: usize| char::from_u32(0x4e00 + n as u32).unwrap_or('x');
        let fill = |line: &dyn Fn(usize) -> String| {
            let mut out = String::new();
            for i in 0.. {
                out.push_str(&line(i));
                if out.len() > BYTES {
                    return out;
                }
            }
            out
        };
        for text in [
            fill(&|_| "\n".to_owned()),
            fill(&|_| "a\nb\n".to_owned()),
            fill(&|i| format!("h: {i}\n {}: x\n", "k".repeat(i % 97))),
            fill(&|i| format!("h\n{}x{i}\n", " ".repeat(i % 300))),
            fill(&|i| format!("h\n1 {}\n", i * i % 1000)),
            fill(&|i| format!("{}:\n", char::from_u32(0x4e00 + (i % 9000) as u32).unwrap_or('x'))),
            fill(&|i| format!("h:\n  a{}b\n  0 0 0 {}\n\n", i % 5000, usize::from(i % 1000 == 0))),
            fill(&|_| ": ".repeat(4000)),
            fill(&|i| format!("{}{}\nk: {i}\n\n", sign(i % 9000), sign(i / 9000))),
        ] {
            let source = Source::new(&text);
            let before = crate::stop::steps();
            let odd = Records::read(&source).map(|records| {
                let odd = records.outliers(&source);
                odd.iter().take(1000).for_each(|odd| drop(records.around(&source, odd.line)));
                odd.len()
            });
            let steps = crate::stop::steps() - before;
            let start = &text[..text.floor_char_boundary(40)];
            assert!(
                steps <= STEPS_PER_LINE * source.len() + 20_000,
                "{steps} steps, {} lines: {start:?}",
                source.len()
            );
            assert!(odd.unwrap_or(0) <= source.len(), "{odd:?} of {} lines: {start:?}", source.len());
        }
    }
}
