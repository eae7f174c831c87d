//! Finds where a log breaks off: a pause that is far longer than the others, a clock that goes back, and a counter that falls
//! or skips.
//! Repeated records are left out, but the records on both sides of such a break are kept: most logs are read to learn
//! when something stopped.

use super::record::{self, Record};
use crate::text::maps::Map;
use crate::text::source::Source;

/// The fewest steps between records among which one can be a break.
const MIN_STEPS: usize = 12;
/// A pause is a break if it is this many times as long as 19 of 20 others.
const TIMES_LONGER: u64 = 4;
/// Shortest pause that is a break, in milliseconds.
const MIN_PAUSE: u64 = 2_000;
/// Most pauses of a log that are shown, the longest first, and most of one kind of record.
const MAX_PAUSES: usize = 3;
const MAX_PAUSES_OF_KIND: usize = 1;
/// Most breaks of a counter that are shown. If there are more, they are not exceptions.
const MAX_COUNTER_BREAKS: usize = 2;
/// The shortest step back of a clock that is a break, in milliseconds, and the most such steps: records of several
/// writers are a little out of order.
const MIN_BACK: u64 = 1_000;
const MAX_BACKS: usize = 2;
/// A number is a counter if it decreases in at most 1 of this many steps.
const COUNTER_ONE_IN: usize = 12;
/// Most parts of a kind of records that have counters of their own.
const MAX_PARTS: usize = 8;
/// Numbers of a record that are examined.
const MAX_NUMBERS: usize = 8;
/// Most digits of a number.
const MAX_DIGITS: usize = 15;
/// A day in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// Removes the records next to a break from those to leave out, which are in order.
pub fn keep(source: &Source<'_>, records: &[Record], gone: &mut Vec<usize>) {
    if gone.is_empty() {
        return;
    }
    let times: Vec<Option<u64>> = times(source, records);
    let all: Vec<usize> = (0..records.len()).filter(|i| times[*i].is_some()).collect();
    let mut stay: Vec<usize> = Vec::new();
    let pauses = pauses(&times, &all, MAX_PAUSES);
    stay.extend(pauses.iter().flat_map(|(before, after)| [*before, *after]));
    stay.extend(steps_back(source, records).into_iter().flat_map(|(before, after)| [before, after]));
    let mut kinds: Map<usize, Vec<usize>> = Map::default();
    for &i in gone.iter() {
        if let Some(key) = records[i].key {
            kinds.entry(key).or_default();
        }
    }
    for (i, record) in records.iter().enumerate() {
        if let Some(kind) = record.key.and_then(|key| kinds.get_mut(&key)) {
            kind.push(i);
        }
    }
    for kind in kinds.values().filter(|kind| kind.len() > MIN_STEPS) {
        crate::stop::check_sometimes();
        let timed: Vec<usize> = kind.iter().copied().filter(|i| times[*i].is_some()).collect();
        let is_new =
            |(before, after): &(usize, usize)| !pauses.iter().any(|(from, to)| before <= from && to <= after);
        let of_kind = self::pauses(&times, &timed, MAX_PAUSES_OF_KIND).into_iter().filter(is_new);
        stay.extend(of_kind.flat_map(|(before, after)| [before, after]));
        stay.extend(counters(source, records, kind));
        stay.extend(parts(source, records, kind).iter().flat_map(|part| counters(source, records, part)));
    }
    stay.sort_unstable();
    gone.retain(|i| stay.binary_search(i).is_err());
}

/// The records on both sides of the longest pauses.
fn pauses(times: &[Option<u64>], of: &[usize], most: usize) -> Vec<(usize, usize)> {
    let step = |pair: &[usize]| match (times[pair[0]], times[pair[1]]) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => 0,
    };
    let steps: Vec<u64> = of.windows(2).map(step).collect();
    if steps.len() < MIN_STEPS {
        return Vec::new();
    }
    let mut sorted = steps.clone();
    let usual = sorted.len() * 19 / 20;
    let least = MIN_PAUSE.max(*sorted.select_nth_unstable(usual.min(steps.len() - 2)).1 * TIMES_LONGER);
    let mut found: Vec<usize> = (0..steps.len()).filter(|at| steps[*at] >= least).collect();
    found.sort_by_key(|at| (std::cmp::Reverse(steps[*at]), *at));
    found.into_iter().take(most).map(|at| (of[at], of[at + 1])).collect()
}

/// The records on both sides of where the clock goes back.
fn steps_back(source: &Source<'_>, records: &[Record]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut last: Option<(usize, &[u8], u64)> = None;
    let mut steps = 0;
    for (at, record) in records.iter().enumerate() {
        crate::stop::check_sometimes();
        let line = source.line(record.lines.start).as_bytes();
        let stamp = record.head.and_then(|head| line.get(head.start..head.end));
        let Some((date, time)) = stamp.and_then(clock) else { continue };
        let Some((before, last_date, last_time)) = last.replace((at, date, time)) else { continue };
        steps += 1;
        let has_date = date.iter().any(u8::is_ascii_digit);
        let is_back = match date == last_date {
            // Without a date, the clock starts again at midnight.
            true => time + MIN_BACK <= last_time && (has_date || last_time - time < DAY / 2),
            // Dates that start with a year of four digits, then the month, sort by their digits.
            false => {
                let is_ordered = |date: &[u8]| date.len() > 4 && date[..4].iter().all(u8::is_ascii_digit);
                is_ordered(date) && is_ordered(last_date) && date < last_date
            }
        };
        if is_back {
            if found.len() == MAX_BACKS {
                return Vec::new();
            }
            found.push((before, at));
        }
    }
    if steps >= MIN_STEPS { found } else { Vec::new() }
}

/// The records of a kind, divided by the first number that has few values, such as the partition of a queue: each
/// part has a counter of its own. Empty if no number has few values.
fn parts(source: &Source<'_>, records: &[Record], kind: &[usize]) -> Vec<Vec<usize>> {
    let mut values: [Vec<u64>; MAX_NUMBERS] = Default::default();
    let mut is_part = [true; MAX_NUMBERS];
    for &i in kind {
        let (all, count) = numbers(source, &records[i]);
        for place in 0..MAX_NUMBERS {
            let known = &mut values[place];
            match known.contains(&all[place]) {
                _ if !is_part[place] => {}
                false if place >= count || known.len() == MAX_PARTS => is_part[place] = false,
                false => known.push(all[place]),
                true => {}
            }
        }
    }
    let Some(place) = (0..MAX_NUMBERS).find(|&place| is_part[place] && values[place].len() > 1) else {
        return Vec::new();
    };
    let of = |value: &u64| {
        let has = |i: &usize| numbers(source, &records[*i]).0[place] == *value;
        kind.iter().copied().filter(has).collect::<Vec<_>>()
    };
    values[place].iter().map(of).filter(|part| part.len() > MIN_STEPS).collect()
}

/// The records on both sides of where a counter falls, and where a number that counts in equal steps skips.
fn counters(source: &Source<'_>, records: &[Record], kind: &[usize]) -> Vec<usize> {
    #[derive(Default, Clone, Copy)]
    struct Counter {
        ups: usize,
        falls: usize,
        /// The step of more than half of the records, if there is one.
        usual: u64,
        votes: usize,
        /// How many steps upwards have another length, and where.
        skips: usize,
        fall_places: [usize; MAX_COUNTER_BREAKS],
        skip_places: [usize; MAX_COUNTER_BREAKS],
    }
    let mut known = [Counter::default(); MAX_NUMBERS];
    let mut last = ([0; MAX_NUMBERS], 0);
    for &i in kind {
        let next = numbers(source, &records[i]);
        for (place, counter) in known.iter_mut().enumerate().take(next.1.min(last.1)) {
            let step = next.0[place].saturating_sub(last.0[place]);
            if counter.votes == 0 {
                counter.usual = step;
            }
            counter.votes = if step == counter.usual { counter.votes + 1 } else { counter.votes - 1 };
        }
        last = next;
    }
    last = ([0; MAX_NUMBERS], 0);
    for (at, &i) in kind.iter().enumerate() {
        let next = numbers(source, &records[i]);
        for (place, counter) in known.iter_mut().enumerate().take(next.1.min(last.1)) {
            let (before, after) = (last.0[place], next.0[place]);
            if after < before {
                if let Some(free) = counter.fall_places.get_mut(counter.falls) {
                    *free = at;
                }
                counter.falls += 1;
            } else if after > before {
                counter.ups += 1;
                // Records of another kind in between may have the numbers that are missing here, unless the numbers count by one.
                let is_next = counter.usual == 1 || kind[at - 1] + 1 == i;
                if after - before != counter.usual && is_next {
                    if let Some(free) = counter.skip_places.get_mut(counter.skips) {
                        *free = at;
                    }
                    counter.skips += 1;
                }
            }
        }
        last = next;
    }
    let mut out = Vec::new();
    let is_few = |n: usize| n > 0 && n <= MAX_COUNTER_BREAKS && n * COUNTER_ONE_IN <= kind.len();
    for counter in known {
        let is_counter = counter.ups * COUNTER_ONE_IN >= (kind.len() - 1) * (COUNTER_ONE_IN - 1);
        if !is_counter {
            continue;
        }
        for (count, places) in [(counter.falls, counter.fall_places), (counter.skips, counter.skip_places)] {
            if is_few(count) {
                out.extend(places[..count].iter().flat_map(|&at| [kind[at - 1], kind[at]]));
            }
        }
    }
    out
}

/// The first whole numbers in the message of a record, and how many.
fn numbers(source: &Source<'_>, record: &Record) -> ([u64; MAX_NUMBERS], usize) {
    let line = source.line(record.lines.start).as_bytes();
    // The times and ids before a message are not counters.
    let text = &line[record::message(line, record.head).min(line.len())..];
    let (mut out, mut len, mut at) = ([0; MAX_NUMBERS], 0, 0);
    while at < text.len() && len < MAX_NUMBERS {
        if !text[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let digits = text[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        out[len] = match digits <= MAX_DIGITS {
            true => text[at..at + digits].iter().fold(0, |sum, b| sum * 10 + u64::from(b - b'0')),
            false => 0,
        };
        len += 1;
        at += digits;
    }
    (out, len)
}

/// The time of each record in milliseconds, from any start.
fn times(source: &Source<'_>, records: &[Record]) -> Vec<Option<u64>> {
    let mut days = 0;
    let mut last: Option<(&[u8], u64)> = None;
    let mut time = |record: &Record| {
        let head = record.head?;
        let stamp = source.line(record.lines.start).as_bytes().get(head.start..head.end)?;
        let (date, time) = clock(stamp)?;
        if let Some((last_date, last_time)) = last {
            // A date that is not written changes at midnight.
            let is_next = last_date != date || time + DAY / 2 < last_time;
            days += u64::from(is_next);
        }
        last = Some((date, time));
        Some(days * DAY + time)
    };
    records.iter().map(&mut time).collect()
}

/// The text before the clock of a stamp, and its milliseconds.
fn clock(stamp: &[u8]) -> Option<(&[u8], u64)> {
    let two = |at: usize| match stamp.get(at..at + 2)? {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(u64::from((a - b'0') * 10 + (b - b'0'))),
        _ => None,
    };
    memchr::memchr_iter(b':', stamp).find_map(|colon| {
        let start = colon.checked_sub(2)?;
        let (hour, minute) = (two(start)?, two(colon + 1)?);
        let second = two(colon + 4).filter(|_| stamp.get(colon + 3) == Some(&b':'))?;
        // The clock does not start with the year of `26/Nov/2012:10:00:00`.
        let goes_on = stamp.get(colon + 6) == Some(&b':') && two(colon + 7).is_some();
        if goes_on || hour > 24 {
            return None;
        }
        let fraction = stamp.get(colon + 6).filter(|b| matches!(b, b'.' | b',')).map_or(0, |_| {
            let digits = stamp[colon + 7..].iter().take(3).take_while(|b| b.is_ascii_digit());
            digits.zip([100, 10, 1]).map(|(b, of)| u64::from(b - b'0') * of).sum()
        });
        Some((&stamp[..start], ((hour * 60 + minute) * 60 + second) * 1000 + fraction))
    })
}

#[cfg(test)]
mod tests {
    use super::super::record::{number, records, strict_key};
    use super::*;

    /// The records of a log that are kept although all others repeat.
    fn kept(lines: impl Iterator<Item = String>) -> Vec<usize> {
        let text: String = lines.map(|line| line + "\n").collect();
        let source = Source::new(&text);
        let mut records = records(&source);
        number(&source, &mut records, |record, key| strict_key(&source, record, key));
        records.iter_mut().for_each(|record| record.key = Some(0));
        let mut gone: Vec<usize> = (0..records.len()).collect();
        keep(&source, &records, &mut gone);
        (0..records.len()).filter(|i| gone.binary_search(i).is_err()).collect()
    }

    fn stamp(seconds: usize) -> String {
        let (minutes, hours) = (seconds / 60, seconds / 3600);
        format!("Nov {:02} {:02}:{:02}:{:02}", 3 + hours / 24, hours % 24, minutes % 60, seconds % 60)
    }

    #[test]
    fn a_pause_that_is_far_longer_than_the_others_stays() {
        let log = |pause: usize, at: usize| {
            (0..80).map(move |i| {
                let seconds = i * 300 + usize::from(i >= at) * pause;
                format!("{} app CRON[{}]: (app) CMD (sync)", stamp(seconds), 9000 + i * 7 % 31)
            })
        };
        assert_eq!(kept(log(2400, 40)), [39, 40]);
        assert_eq!(kept(log(90_000, 40)), [39, 40]);
        assert_eq!(kept(log(300, 40)), [0; 0]);
        // Midnight is not a pause.
        let late = (0..80).map(|i| format!("{:02}:{:02}:00 tick", (20 + i / 12) % 24, i % 12 * 5));
        assert_eq!(kept(late), [0; 0]);
    }

    #[test]
    fn a_clock_that_goes_back_stays() {
        let log = |of: &dyn Fn(usize) -> String| kept((0..80).map(|i| of(i) + " tick"));
        assert_eq!(log(&|i| stamp(7200 + i * 30 - 60 * usize::from(i == 40))), [39, 40]);
        assert_eq!(log(&|i| stamp(7200 + i * 30 - 2000 * usize::from(i >= 40))), [39, 40]);
        let date = |i: usize| format!("2026-11-{} 10:{:02}:00", if i == 40 { 18 } else { 19 }, i / 2);
        assert_eq!(log(&date), [39, 40, 41]);
        // A midnight, and a clock that goes back often.
        assert_eq!(log(&|i| stamp(86_000 + i * 30)[7..].to_owned()), [0; 0]);
        assert_eq!(log(&|i| stamp(7200 + i * 30 - 60 * usize::from(i % 5 == 0))), [0; 0]);
    }

    #[test]
    fn a_counter_that_falls_or_skips_stays() {
        let log = |count: &dyn Fn(usize) -> usize| {
            let line = |i: usize| format!("{} beat n={} free={}", stamp(i * 60), count(i), i * 37 % 11);
            kept((0..90).map(line).collect::<Vec<_>>().into_iter())
        };
        assert_eq!(log(&|i| if i < 50 { i * 60 } else { (i - 50) * 60 }), [49, 50]);
        assert_eq!(log(&|i| if i < 50 { i } else { i + 4 }), [49, 50]);
        assert_eq!(log(&|i| if i < 50 { i * 10 } else { i * 10 + 400 }), [49, 50]);
        assert_eq!(log(&|i| if i < 50 { 1000 + i } else { 1058 + i }), [49, 50]);
        assert_eq!(log(&|i| i * i), [0; 0]);
        assert_eq!(log(&|i| i * 17 % 90), [0; 0]);
        assert_eq!(log(&|_| 4), [0; 0]);
    }

    #[test]
    fn each_partition_has_a_counter_of_its_own() {
        let log = |jump: usize| {
            let line = move |i: usize| {
                let offset = i / 3 + if i % 3 == 1 && i >= 61 { jump } else { 0 };
                format!("{} consumed partition={} offset={offset}", stamp(i * 60), i % 3)
            };
            kept((0..120).map(line))
        };
        assert_eq!(log(58), [58, 61]);
        assert_eq!(log(0), [0; 0]);
    }

    #[test]
    fn clocks_of_stamps() {
        let of = |stamp: &'static str| clock(stamp.as_bytes()).map(|(date, time)| (date.len(), time));
        assert_eq!(of("2026-11-26T10:00:01.643Z"), Some((11, 36_001_643)));
        assert_eq!(of("26/Nov/2012:10:00:00 +0200"), Some((12, 36_000_000)));
        assert_eq!(of("[  12.345]"), None);
    }
}
