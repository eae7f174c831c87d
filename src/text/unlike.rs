//! Finds the few texts of a series whose content is unlike that of the others: a word for a bad state, letters that
//! are not ASCII, the lowest percentage, a network inside another one, a jump in time, a path or a name in the wrong
//! place.
//!
//! Values of structured data and lines of a text are read one by one. Memory does not grow with the series, except for its
//! networks and times.

use crate::text::judge::{Occurrences, RARE_ONE_IN, is_few, is_share};
use crate::text::source::Source;

/// Words with which a value says that a thing is not as it should be, in lower case, in order.
const BAD_STATES: &[&str] = &[
    "blocked",
    "broken",
    "compromised",
    "corrupt",
    "corrupted",
    "critical",
    "degraded",
    "denied",
    "deprecated",
    "disabled",
    "expired",
    "failed",
    "failing",
    "faulted",
    "faulty",
    "insecure",
    "offline",
    "overdue",
    "rejected",
    "revoked",
    "stale",
    "suspended",
    "tainted",
    "unhealthy",
    "unreachable",
    "unsupported",
    "untrusted",
    "vulnerable",
];
/// The longest of these words, in bytes.
const MAX_STATE_BYTES: usize = 11;
/// The longest text after such a word, in bytes. A choice.
const MAX_REASON_BYTES: usize = 40;
/// Values with such a word stand out if there are at most this many, and at most 1 in `BAD_ONE_IN` of all; if there
/// are more, they are usual. Choices.
const MAX_BAD: usize = 6;
const BAD_ONE_IN: usize = 8;
/// Texts with letters that are not ASCII stand out if there are at most this many. A choice.
const MAX_FOREIGN: usize = 2;
/// The fewest percentages among which the lowest stands out, and the most that may be equally low. Choices.
const MIN_PERCENTAGES: usize = 8;
const MAX_LOWEST: usize = 2;
/// The fewest networks that are compared, and the most that may lie inside another one. Choices.
const MIN_NETWORKS: usize = 12;
const MAX_NESTED: usize = 2;
/// Jumps between times: the fewest times that are compared, the shortest jump in seconds, how many times as long as
/// 19 of 20 steps a jump must be, and the most jumps that stand out. Choices.
const MIN_TIMES: usize = 20;
const MIN_JUMP_SECONDS: u64 = 10;
const JUMP_TIMES_LONGER: u64 = 8;
const MAX_JUMPS: usize = 2;
/// A clock that goes back stands out from this many seconds on. A choice: programs that write at the same time differ
/// by a second.
const MIN_BACK_SECONDS: u64 = 2;
/// Bytes at the start of a line in which its time is searched.
const MAX_TIME_BYTES: usize = 64;
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// The places of the few texts of one kind.
#[derive(Debug)]
struct Few<P> {
    count: usize,
    places: Vec<P>,
}

impl<P> Few<P> {
    fn add(&mut self, place: P, most: usize) {
        self.count += 1;
        if self.places.len() < most {
            self.places.push(place);
        }
    }
}

impl<P> Default for Few<P> {
    fn default() -> Self {
        Self { count: 0, places: Vec::new() }
    }
}

/// Reads texts that belong together, such as the values of one field; see the documentation of the module.
#[derive(Debug)]
pub struct Unlike<P> {
    all: usize,
    bad: Few<P>,
    foreign: Few<P>,
    percentages: usize,
    /// The lowest percentage, the highest, and the places of the lowest.
    lowest: f64,
    highest: f64,
    low: Few<P>,
    /// The first and the last address of each network.
    networks: Vec<(u32, u32, P)>,
}

impl<P> Default for Unlike<P> {
    fn default() -> Self {
        Self {
            all: 0,
            bad: Few::default(),
            foreign: Few::default(),
            percentages: 0,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            low: Few::default(),
            networks: Vec::new(),
        }
    }
}

impl<P: Copy> Unlike<P> {
    /// Adds a value.
    pub fn add_value(&mut self, text: &str, place: P) {
        if is_bad_state(text) {
            self.bad.add(place, MAX_BAD);
        }
        self.add_text(text, network(text), place);
    }

    /// Adds a line. Its words for bad states do not count here: the cut searches for warning words itself.
    pub fn add_line(&mut self, line: &str, place: P) {
        let bytes = line.as_bytes();
        let is_number = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_digit() || *b == b'+');
        // A test of two bytes rules out most paths.
        let has_network = memchr::memchr_iter(b'/', bytes)
            .any(|at| at > 0 && bytes[at - 1].is_ascii_digit() && is_number(at + 1));
        let word = |_| line.split([' ', '\t', ',', '"', '=', '(', ')']).find_map(network);
        self.add_text(line, Some(()).filter(|()| has_network).and_then(word), place);
    }

    /// Adds a percentage.
    pub fn add_percentage(&mut self, percentage: f64, place: P) {
        self.percentages += 1;
        self.highest = self.highest.max(percentage);
        if percentage < self.lowest {
            self.lowest = percentage;
            self.low = Few::default();
        }
        if percentage == self.lowest {
            self.low.add(place, MAX_LOWEST);
        }
    }

    fn add_text(&mut self, text: &str, network: Option<(u32, u32)>, place: P) {
        self.all += 1;
        if !text.is_ascii() && has_foreign_letter(text) {
            self.foreign.add(place, MAX_FOREIGN);
        }
        if let Some(percentage) = percentage(text) {
            self.add_percentage(percentage, place);
        }
        if let Some((first, last)) = network {
            self.networks.push((first, last, place));
        }
    }

    /// The places of the texts that stand out, those that say most first.
    pub fn places(&self) -> Vec<P> {
        let mut out = Vec::new();
        if self.bad.count <= MAX_BAD && is_share(self.bad.count, self.all, BAD_ONE_IN) {
            out.extend(&self.bad.places);
        }
        if self.foreign.count <= MAX_FOREIGN && is_share(self.foreign.count, self.all, RARE_ONE_IN) {
            out.extend(&self.foreign.places);
        }
        out.extend(self.nested());
        let is_column = self.percentages >= MIN_PERCENTAGES && self.percentages * 2 >= self.all;
        if is_column && self.lowest < self.highest && self.low.count <= MAX_LOWEST {
            out.extend(&self.low.places);
        }
        out
    }

    /// The few networks inside another one, each before that one.
    fn nested(&self) -> Vec<P> {
        let mut out = Vec::new();
        if self.networks.len() < MIN_NETWORKS {
            return out;
        }
        let mut all: Vec<(u32, u32, usize)> =
            self.networks.iter().enumerate().map(|(at, (first, last, _))| (*first, *last, at)).collect();
        all.sort_unstable_by_key(|(first, last, at)| (*first, std::cmp::Reverse(*last), *at));
        let mut outer: Option<(u32, u32, usize)> = None;
        let mut nested = 0;
        for network in all {
            match outer {
                // An equal network is not inside this one.
                Some((first, last, of)) if network.1 <= last && (network.0, network.1) != (first, last) => {
                    nested += 1;
                    out.extend([network.2, of].map(|at| self.networks[at].2));
                    if nested > MAX_NESTED {
                        break;
                    }
                }
                Some((_, last, _)) if network.1 <= last => {}
                _ => outer = Some(network),
            }
        }
        if nested > MAX_NESTED || !is_few(nested, self.networks.len(), RARE_ONE_IN) {
            out.clear();
        }
        out
    }
}

/// Whether a value begins with a word for a bad state.
fn is_bad_state(text: &str) -> bool {
    let word = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if word > MAX_STATE_BYTES
        || text.as_bytes().get(word).is_some_and(|b| matches!(b, b'_' | b'-' | b'.' | b'/'))
    {
        return false;
    }
    let (word, behind) = (text[..word].to_ascii_lowercase(), &text[word..]);
    // A sentence about something else may begin with the same word.
    if behind.len() > MAX_REASON_BYTES && behind.starts_with(' ') {
        return false;
    }
    BAD_STATES.binary_search(&word.as_str()).is_ok()
}

/// Whether a text has a letter that is not ASCII, other than a sign or a drawn line.
fn has_foreign_letter(text: &str) -> bool {
    text.chars().any(|c| !c.is_ascii() && c.is_alphabetic())
}

/// The only percentage in a text: `12.5%`, `coverage: 12.5% of statements`.
fn percentage(text: &str) -> Option<f64> {
    let at = memchr::memchr(b'%', text.as_bytes())?;
    if memchr::memchr(b'%', &text.as_bytes()[at + 1..]).is_some() {
        return None;
    }
    let before = text[..at].trim_end();
    let digits = before.bytes().rev().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    before[before.len() - digits..].parse().ok().filter(|number| (0.0..=100.0).contains(number))
}

/// The first and the last address of a network of IPv4: `10.0.32.0/19`.
fn network(word: &str) -> Option<(u32, u32)> {
    let (address, length) = word.split_once('/').filter(|_| word.len() <= 18)?;
    if !address.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let address: core::net::Ipv4Addr = address.parse().ok()?;
    let length: u32 = length.parse().ok().filter(|length| *length <= 32)?;
    let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
    let first = u32::from(address) & mask;
    Some((first, first | !mask))
}

/// The lines before and after each jump among the otherwise short steps between the times of lines: first where the clock goes
/// back, then the longest.
pub fn jumps_in(source: &Source<'_>) -> Vec<usize> {
    // The length of each step between neighbours, with the line after it.
    let mut steps: Vec<(u64, usize)> = Vec::new();
    // The lines that are earlier than the line above.
    let mut backs: Vec<usize> = Vec::new();
    let mut last: Option<u64> = None;
    for line in 0..source.len() {
        crate::stop::check_sometimes();
        let time = seconds(source.line(line));
        if let (Some(last), Some(time)) = (last, time) {
            // A date that is not compared changes at midnight.
            let length = if time >= last { time - last } else { time + DAY_SECONDS - last };
            if length < DAY_SECONDS / 2 {
                steps.push((length, line));
            } else if time + MIN_BACK_SECONDS <= last {
                backs.push(line);
            }
        }
        last = time;
    }
    if steps.len() < MIN_TIMES || steps.len() * 2 < source.len() {
        return Vec::new();
    }
    let mut lengths: Vec<u64> = steps.iter().map(|(length, _)| *length).collect();
    let place = (lengths.len() * 19 / 20).min(lengths.len() - 2);
    let usual = *lengths.select_nth_unstable(place).1;
    let least = MIN_JUMP_SECONDS.max(usual * JUMP_TIMES_LONGER);
    steps.retain(|(length, _)| *length >= least);
    steps.sort_by_key(|(length, line)| (std::cmp::Reverse(*length), *line));
    // If the clock goes back often, the lines are those of several writers.
    if !is_few(backs.len(), lengths.len(), RARE_ONE_IN) || backs.len() > MAX_JUMPS {
        backs.clear();
    }
    let jumps = steps.into_iter().take(MAX_JUMPS).map(|(_, line)| line);
    backs.iter().copied().chain(jumps).flat_map(|line| [line - 1, line]).collect()
}

/// Fewest rows of a list that are compared by their names, and most that stand out for one reason. Choices.
const MIN_NAMED: usize = 40;
const MAX_ALONE: usize = 2;
/// At most one start of a path in so many rows: with more, the starts are names themselves. A choice.
const STARTS_ONE_IN: usize = 8;
/// How many of the first segments of a path are compared.
const MAX_DEPTH: usize = 2;

/// The few rows of a list that start a path as no other row does, such as the only one below `/opt`, and the few that break
/// the order of the others.
pub fn misplaced<'a>(rows: impl Iterator<Item = (usize, &'a str)>) -> Vec<usize> {
    let (mut names, mut all): (Vec<(usize, &str)>, usize) = (Vec::new(), 0);
    for (place, line) in rows {
        crate::stop::check_sometimes();
        all += usize::from(!line.trim().is_empty());
        names.extend(name(line).map(|name| (place, name)));
    }
    if names.len() < MIN_NAMED || names.len() * 4 < all * 3 {
        return Vec::new();
    }
    let mut out = breaks_of_order(&names);
    for depth in 1..=MAX_DEPTH {
        let mut starts = Occurrences::<&str, 1>::at_most(names.len() / STARTS_ONE_IN + 1);
        let is_counted = |(place, name): &(usize, &'a str)| match beginning(name, depth) {
            Some(beginning) => starts.add(beginning, *place),
            None => true,
        };
        if !names.iter().all(is_counted) {
            break;
        }
        let alone = starts.into_rare();
        if alone.len() <= MAX_ALONE {
            out.extend(alone.into_iter().map(|(_, [place])| place));
        }
    }
    out
}

/// The rows without which all rows would be in order, if they are few.
fn breaks_of_order(names: &[(usize, &str)]) -> Vec<usize> {
    let (mut out, mut rises) = (Vec::new(), 0);
    for at in 1..names.len() {
        crate::stop::check_sometimes();
        let (above, here) = (names[at - 1].1, names[at].1);
        rises += usize::from(above < here);
        if above <= here {
            continue;
        }
        // Of several lists one below the other, none has such a row.
        let is_after = at >= 2 && names[at - 2].1 <= here;
        let is_before = names.get(at + 1).is_some_and(|(_, below)| above <= *below);
        match (is_after, is_before) {
            (true, _) => out.push(names[at - 1].0),
            (false, true) => out.push(names[at].0),
            (false, false) => return Vec::new(),
        }
        if out.len() > MAX_ALONE {
            return Vec::new();
        }
    }
    if rises * 2 < names.len() { Vec::new() } else { out }
}

/// The path or the name that a row is about: its first word, or its last one if only that is a path. A time is neither.
fn name(line: &str) -> Option<&str> {
    let first = line.split_ascii_whitespace().next()?;
    // `src/a.rs:12: text`
    let first = first.split_once(':').map_or(first, |(path, _)| path);
    let is_path = |word: &str| word.contains('/') && !word.contains("//");
    // The first words of prose have no order.
    let is_setting = first.starts_with(|c: char| c.is_ascii_alphabetic()) && line.contains('=');
    if is_path(first) || is_setting && !first.contains('/') {
        return Some(first);
    }
    line.split_ascii_whitespace().next_back().filter(|word| is_path(word))
}

/// The first segments of a path, or of a name such as `net.ipv4.tcp_fin_timeout`, if it has more than those.
fn beginning(name: &str, depth: usize) -> Option<&str> {
    let sign = if name.contains('/') { b'/' } else { b'.' };
    let from = name.len() - name.trim_start_matches(['.', '/', '~']).len();
    let end = memchr::memchr_iter(sign, &name.as_bytes()[from..]).nth(depth - 1)?;
    Some(&name[..from + end])
}

/// The second of the day at the start of a line.
fn seconds(line: &str) -> Option<u64> {
    let head = &line.as_bytes()[..line.len().min(MAX_TIME_BYTES)];
    let two = |at: usize| match head.get(at..at + 2)? {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(u64::from((a - b'0') * 10 + (b - b'0'))),
        _ => None,
    };
    memchr::memchr_iter(b':', head).find_map(|colon| {
        let start = colon.checked_sub(2)?;
        let is_free = start.checked_sub(1).is_none_or(|before| !matches!(head[before], b'0'..=b'9' | b':'));
        let (hour, minute) = (two(start).filter(|hour| *hour < 24)?, two(colon + 1)?);
        let second = two(colon + 4).filter(|_| head.get(colon + 3) == Some(&b':'))?;
        is_free.then_some((hour * 60 + minute) * 60 + second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: impl Fn(usize) -> String, at: usize, odd: &str) -> Vec<usize> {
        let mut unlike = Unlike::default();
        (0..60).for_each(|i| unlike.add_value(&if i == at { odd.to_owned() } else { text(i) }, i));
        unlike.places()
    }

    #[test]
    fn the_words_are_in_order() {
        assert!(BAD_STATES.is_sorted());
        assert_eq!(BAD_STATES.iter().map(|word| word.len()).max(), Some(MAX_STATE_BYTES));
    }

    #[test]
    fn a_name_in_the_wrong_place_stands_out() {
        let found = |row: &dyn Fn(usize) -> String, odd: &str| {
            let rows: Vec<String> = (0..90).map(|i| if i == 33 { odd.to_owned() } else { row(i) }).collect();
            misplaced(rows.iter().enumerate().map(|(i, row)| (i, row.as_str())))
        };
        let setting = |i: usize| format!("net.ipv4.value_{i:03} = {}", i * 7 % 5);
        assert_eq!(found(&setting, "net.quill.on = 1"), [33, 33]);
        assert_eq!(found(&setting, "net.ipv4.value_033 = 9"), [0; 0]);
        // The files of a search are in any order.
        let file = |i: usize| format!("/usr/include/part_{}/a{i}.h", i * 31 % 7);
        assert_eq!(found(&file, "/opt/quill/key.h"), [33, 33]);
        assert_eq!(found(&file, "/usr/include/part_8/b.h"), [0; 0]);
        let hit = |i: usize| format!("src/part/a{}.rs:{i}: let x = {i};", i * 31 % 7);
        assert_eq!(found(&hit, "src/bill/x.rs:3: let y = 2;"), [33]);
        let used = |i: usize| format!("{}\t/srv/data/{}/{i}", i * 7, i * 31 % 7);
        assert_eq!(found(&used, "9\t/home/ada/x"), [33, 33]);
        // Two lists in order, and the lines of a log.
        let lists = |i: usize| format!("name_{:02} on", i % 45);
        assert_eq!(found(&lists, "name_33 on"), [0; 0]);
        assert_eq!(found(&|i| format!("10:00:{:02} read a/{i}", i % 60), "10:00:33 b"), [0; 0]);
    }

    #[test]
    fn values_of_a_bad_state_stand_out() {
        let usual = |i: usize| format!("value {i}");
        for odd in [
            "Vulnerable",
            "Vulnerable: no microcode",
            "DEGRADED",
            "disabled",
            "Failed to mount",
            "expired 3 days ago",
        ] {
            assert_eq!(places(usual, 33, odd), [33], "{odd}");
        }
        for usual_too in [
            "Not affected",
            "rejected-file.rs",
            "stale/path",
            "invalidated",
            "down the road",
            "disabled.conf",
        ] {
            assert_eq!(places(usual, 33, usual_too), [0; 0], "{usual_too}");
        }
        // Where a tenth are, none stands out.
        assert_eq!(
            places(|i| if i % 9 == 0 { "Disabled" } else { "Enabled" }.to_owned(), 33, "Failed"),
            [0; 0]
        );
    }

    #[test]
    fn letters_that_are_not_ascii_stand_out_among_ascii() {
        let usual = |i: usize| format!("user {i}");
        for odd in ["Zo\u{eb}", "p\u{43b}over", "\u{7530}\u{4e2d}"] {
            assert_eq!(places(usual, 33, odd), [33], "{odd}");
        }
        assert_eq!(places(usual, 33, "ok \u{2713} \u{2502}"), [0; 0]);
        assert_eq!(places(|i| format!("n\u{e9} {i}"), 33, "Zo\u{eb}"), [0; 0]);
    }

    #[test]
    fn the_lowest_percentage_stands_out() {
        let usual = |i: usize| format!("coverage: {}.5% of statements", 50 + i * 7 % 40);
        assert_eq!(places(usual, 33, "coverage: 0.0% of statements"), [33]);
        assert_eq!(places(usual, 33, "coverage: 49.9% of statements"), [33]);
        assert_eq!(places(|_| "100%".to_owned(), 33, "100%"), [0; 0]);
        assert_eq!(places(|i| format!("{}% of {}%", i, i + 1), 33, "0% of 1%"), [0; 0]);
        assert_eq!(places(|i| format!("{}%", i % 10), 33, "50%"), [0; 0], "many are equally low");
    }

    #[test]
    fn a_network_inside_another_stands_out_with_it() {
        let usual = |i: usize| format!("10.{}.{}.0/19", i / 8, i % 8 * 32);
        assert_eq!(places(usual, 33, "10.1.36.0/24"), [33, 9]);
        assert_eq!(places(usual, 33, &usual(9)), [0; 0], "the same twice");
        assert_eq!(places(usual, 33, "192.168.0.0/24"), [0; 0]);
        // Where most lie inside others, none stands out.
        let nested = |i: usize| {
            if i.is_multiple_of(3) { format!("10.{i}.0.0/16") } else { format!("10.{}.{i}.0/24", i / 3 * 3) }
        };
        assert_eq!(places(nested, 33, "10.33.0.0/16"), [0; 0]);
    }

    #[test]
    fn a_jump_in_time_stands_out_with_the_lines_beside_it() {
        let jumps = |line: &dyn Fn(usize) -> String| {
            let text: String = (0..60).map(|i| line(i) + "\n").collect();
            jumps_in(&Source::new(&text))
        };
        let at = |seconds: usize| {
            format!("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
        };
        for line in [
            &(|i: usize| {
                format!("2026-11-28T{}.1234567Z copying {i}", at(3600 + i + 900 * usize::from(i > 32)))
            }) as &dyn Fn(usize) -> String,
            &|i| {
                format!("build\tRun tests\t2026-11-28T{}Z step {i}", at(3600 + i + 900 * usize::from(i > 32)))
            },
            &|i| format!("[{}] x", at(86_370 + i + 40 * usize::from(i > 32))),
        ] {
            assert_eq!(jumps(line), [32, 33], "{}", line(3));
        }
        assert_eq!(jumps(&|i| format!("{} x", at(i * 60))), [0; 0]);
        // One line is earlier than the line above, or all from one on; midnight and a single second do not count as a step
        // back.
        assert_eq!(
            jumps(&|i| format!("{} x", at(7200 + i * 3 - 60 * usize::from(i == 33)))),
            [32, 33, 33, 34]
        );
        assert_eq!(jumps(&|i| format!("{} x", at(7200 + i * 3 - 600 * usize::from(i > 32)))), [32, 33]);
        assert_eq!(jumps(&|i| format!("{} x", at(86_300 + i * 3))), [0; 0]);
        assert_eq!(jumps(&|i| format!("{} x", at(7200 + i - 2 * usize::from(i == 33)))), [0; 0]);
        assert_eq!(jumps(&|i| format!("{} x", at(7200 + i * 3 - 60 * (i % 4)))), [0; 0], "several writers");
        assert_eq!(jumps(&|i| format!("{} x", at(i * i % 50))), [0; 0]);
        assert_eq!(jumps(&|i| format!("ratio 1:{i:02}:33")), [0; 0]);
    }
}
