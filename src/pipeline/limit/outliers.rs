//! Outliers among the lines that a cut would drop: lines with a word of warning or of a bad state, and table rows
//! with a rare value or number.
//!
//! Works without knowing the tool, as `signals` does. The cut decides how many outliers are kept, and takes the
//! rarest first. Time is linear in the text; memory is bounded.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::pipeline::limit::calls;
use crate::pipeline::limit::columns;
use crate::pipeline::limit::groups;
use crate::pipeline::limit::hunks;
use crate::pipeline::limit::prints;
use crate::pipeline::limit::programs;
use crate::pipeline::limit::records::{self, RecordOutlier, Records};
use crate::pipeline::limit::short_sections;
use crate::pipeline::limit::templates;
use crate::pipeline::limit::unit::{Candidate, MAX_LINES_PER_VALUE, Unit, digest};
use crate::pipeline::limit::versions;
use crate::pipeline::limit::warnings;
use crate::reduce::signed;
use crate::text::details::similarity_hash;
use crate::text::flags;
use crate::text::judge::{EXCEPTION_ONE_IN, is_share};
use crate::text::maps::Set;
use crate::text::source::Source;
use crate::text::unlike::{Unlike, jumps_in, misplaced};

/// Words for warnings and bad states. If one word is the start of another, the longer one comes first.
const WARNING_WORDS: &[&str] = &[
    "WARNING",
    "WARN",
    "Warning",
    "warning",
    "warn",
    "Vulnerable",
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "BackOff",
    "OOMKilled",
    "Evicted",
    "Pending",
    "Terminating",
    "NotReady",
    "Unhealthy",
    "unhealthy",
    "Unknown",
    "BLOCKED",
    "DEADLOCK",
    "Deadlock",
    "deadlock",
    "DEGRADED",
    "Degraded",
    "degraded",
    "DEPRECATED",
    "Deprecated",
    "deprecated",
    "DENIED",
    "Denied",
    "denied",
    "REJECTED",
    "Rejected",
    "rejected",
    "TIMEOUT",
    "Timeout",
    "timeout",
    "UNREACHABLE",
    "unreachable",
    "SUSPENDED",
    "suspended",
    "corrupted",
    "corrupt",
    "Retrying",
    "retrying",
    "Restarting",
    "SEVERE",
    "ALERT",
    "DOWN",
    // The hashes of no bytes: MD5, SHA-1, SHA-256.
    "d41d8cd98f00b204e9800998ecf8427e",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    // The network of all addresses.
    "0.0.0.0/0",
    // With the character before the value: the packed search is only as selective as its shortest word.
    " NaN",
    "=NaN",
    ":NaN",
    " nan",
    "=nan",
    ":nan",
    "Warnung",
    "WARNUNG",
    "Avertissement",
    "Advertencia",
    "Предупреждение",
    "警告",
    "경고",
];

/// A log of commits starts within this many lines.
const MAX_LINES_TO_COMMIT: usize = 16;
/// After this many candidates that do not fit, no more are tried.
const MAX_MISSES: usize = 256;
/// Longest line that is a candidate, in bytes.
const MAX_LINE_BYTES: usize = 600;
/// Lines that stand out for one reason are all shown if there are at most this many, even if they differ only in
/// digits. A choice.
const MAX_EVENTS: usize = 3;

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // As for the words of failures: only a leftmost search uses the fast packed algorithm.
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(WARNING_WORDS).ok()
});

/// The outliers among some lines of a text, and its records. All cuts use this.
pub(super) struct Outliers {
    /// Numbers of the lines, in order.
    lines: Vec<usize>,
    /// Rarest first: the first candidate of every reason, then the second of every reason, and so on.
    candidates: Vec<Candidate>,
    records: Option<Records>,
}

impl Outliers {
    /// `lines` are numbers of lines in order.
    pub(super) fn find(source: &Source<'_>, lines: Vec<usize>) -> Self {
        let mut out = Vec::new();
        words(source, &lines, &mut out);
        columns::find(source, &lines, columns::MIN_ROWS, &mut out);
        groups::find_in_tables(source, &lines, &mut out);
        calls::find(source, &lines, &mut out);
        hunks::largest_changes(source, &lines, &mut out);
        warnings::find(source, &lines, &mut out);
        prints::find(source, &lines, &mut out);
        programs::find(source, &lines, &mut out);
        templates::find(source, &lines, &mut out);
        short_sections::find(source, &lines, &mut out);
        unlike(source, &lines, &mut out);
        versions::find(source, &lines, &mut out);
        let odd = flags::outliers(lines.iter().map(|&line| source.line(line)));
        let of_flags = |odd: flags::FlagOutlier| Candidate {
            place: odd.place,
            nth: odd.nth,
            count: odd.count,
            key: odd.key,
            is_word: false,
        };
        out.extend(odd.into_iter().map(of_flags));
        let records = Records::read(source);
        if records.is_none() {
            groups::find(source, &lines, &mut out);
        }
        if let Some(records) = &records {
            let of_records = |odd: RecordOutlier| {
                let place = lines.binary_search(&odd.line).ok()?;
                Some(records::candidate(source, place, odd))
            };
            out.extend(records.outliers(source).into_iter().filter_map(of_records));
        }
        let is_short = |c: &Candidate| source.line(lines[c.place]).len() <= MAX_LINE_BYTES;
        out.retain(is_short);
        // A line with unusual words says more than one with an unusual number.
        out.sort_by_key(|c| (c.nth, c.count, !c.is_word, c.place));
        let mut seen = Set::default();
        out.retain(|c| seen.insert(c.place));
        Self { lines, candidates: out, records }
    }

    /// Adds the few lines that an earlier step kept although it left out the lines on both sides, such as the one
    /// package that is removed among hundreds that are installed. If there are more such lines, they are compared
    /// with each other instead.
    fn add_isolated_lines(&mut self, source: &Source<'_>, units: &[Unit]) {
        let is_gap = |unit: Option<&Unit>| unit.is_some_and(|unit| !unit.is_shown);
        let is_island = |at: &usize| {
            is_gap(at.checked_sub(1).and_then(|above| units.get(above))) && is_gap(units.get(at + 1))
        };
        let all: Vec<usize> = single(units).take(columns::MIN_ROWS).collect();
        if all.len() == columns::MIN_ROWS {
            return;
        }
        let places = (0..all.len()).filter(|place| is_island(&all[*place]));
        let islands: Vec<usize> = places.take(MAX_ISLANDS + 1).collect();
        if islands.len() > MAX_ISLANDS {
            return;
        }
        let count = islands.len();
        let known: Set<usize> = self.candidates.iter().map(|c| c.place).collect();
        let new = islands.into_iter().filter(|place| !known.contains(place)).enumerate();
        self.candidates.extend(new.map(|(nth, place)| {
            let key = similarity_hash(source.line(self.lines[place]));
            Candidate { place, nth, count, key, is_word: false }
        }));
        self.candidates.sort_by_key(|c| (c.nth, c.count, !c.is_word, c.place));
    }

    /// Chooses outliers, each with the lines that it depends on, at a total cost of at most `left`. `is_shown` says
    /// which lines are shown anyway, `cost` what a line costs. Returns indexes into the lines.
    pub(super) fn choose(
        &self,
        source: &Source<'_>,
        is_shown: &dyn Fn(usize) -> bool,
        cost: &mut dyn FnMut(usize) -> usize,
        mut left: usize,
    ) -> Set<usize> {
        let mut seen: Set<u64> = Set::default();
        if self.candidates.iter().any(|c| c.is_word) {
            let shown = (0..self.lines.len()).filter(|place| is_shown(*place));
            seen.extend(shown.map(|place| similarity_hash(source.line(self.lines[place]))));
        }
        let mut chosen: Set<usize> = Set::default();
        let mut first: Vec<usize> = Vec::new();
        let mut misses = 0;
        for candidate in &self.candidates {
            crate::stop::check_sometimes();
            let place = candidate.place;
            // An event that is shown once must not seem to have happened once.
            let says =
                || source.line(self.lines[place]).bytes().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
            let is_told = seen.contains(&candidate.key) && (candidate.count > MAX_EVENTS || !says());
            if is_shown(place) || chosen.contains(&place) || is_told {
                continue;
            }
            let mut with = self.depends_on(source, candidate);
            with.retain(|place| !is_shown(*place) && !chosen.contains(place));
            with.push(place);
            let mut takes: usize = with.iter().map(|place| cost(*place)).sum();
            if takes > left && with.len() > 1 {
                // The name of the record is enough to find the rest.
                let name = self.name(self.lines[place]).and_then(|line| self.lines.binary_search(&line).ok());
                with.retain(|at| *at == place || Some(*at) == name);
                takes = with.iter().map(|place| cost(*place)).sum();
            }
            if takes > left {
                misses += 1;
                if misses == MAX_MISSES {
                    break;
                }
            } else {
                seen.insert(candidate.key);
                left -= takes;
                chosen.extend(with);
                first.push(place);
            }
        }
        // What is left shows short records whole: the place of a leak says more than its size.
        for place in first {
            let Some(record) = self.records.as_ref().and_then(|records| records.short(self.lines[place]))
            else {
                continue;
            };
            let places = record.filter_map(|line| self.lines.binary_search(&line).ok());
            let rest: Vec<usize> = places.filter(|at| !is_shown(*at) && !chosen.contains(at)).collect();
            let takes: usize = rest.iter().map(|place| cost(*place)).sum();
            if takes <= left {
                left -= takes;
                chosen.extend(rest);
            }
        }
        chosen
    }

    /// The lines of the same record on which a line depends.
    pub(super) fn around(&self, source: &Source<'_>, line: usize) -> Vec<usize> {
        self.records.as_ref().map(|records| records.around(source, line)).unwrap_or_default()
    }

    /// The line that distinguishes the record of a line from the other records.
    pub(super) fn name(&self, line: usize) -> Option<usize> {
        self.records.as_ref().and_then(|records| records.name(line))
    }

    /// The other line of the record of a line, if records have two lines.
    pub(super) fn other_of_pair(&self, line: usize) -> Option<usize> {
        self.records.as_ref().and_then(|records| records.other_of_pair(line))
    }

    /// Whether a line is the first of its record.
    pub(super) fn starts_record(&self, line: usize) -> bool {
        self.records.as_ref().is_some_and(|records| records.starts.binary_search(&line).is_ok())
    }

    /// The indexes of the lines on which a candidate depends.
    fn depends_on(&self, source: &Source<'_>, candidate: &Candidate) -> Vec<usize> {
        let line = self.lines[candidate.place];
        let mut around = self.around(source, line);
        around.extend(self.other_of_pair(line));
        if !around.is_empty() {
            return around.iter().filter_map(|line| self.lines.binary_search(line).ok()).collect();
        }
        // An indented line depends on the line above it.
        let is_below = |place: usize| source.line(self.lines[place]).starts_with([' ', '\t']);
        let above = candidate.place.checked_sub(1).filter(|_| candidate.is_word && is_below(candidate.place));
        above.filter(|above| !is_below(*above)).into_iter().collect()
    }
}

/// Adds the lines that are unlike the others by what they say, and those beside a jump in time.
fn unlike(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if source.len() < columns::MIN_ROWS || source.text().len() > columns::MAX_TEXT_BYTES {
        return;
    }
    let mut unlike = Unlike::default();
    for (place, &line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        if source.raw(line).len() <= MAX_LINE_BYTES {
            unlike.add_line(source.line(line), place);
        }
    }
    // Lines that an earlier step left out have times too.
    let jumps = jumps_in(source).into_iter().filter_map(|line| lines.binary_search(&line).ok());
    let candidate = |(nth, place): (usize, usize)| {
        let key = digest(&place.to_le_bytes(), columns::MIN_ROWS);
        Candidate { place, nth: nth / 2, count: 2, key, is_word: false }
    };
    let places = if lines.len() < columns::MIN_ROWS { Vec::new() } else { unlike.places() };
    // There are few of these, and they come before rows that only have other values.
    let rows = lines.iter().enumerate().map(|(place, line)| (place, source.line(*line)));
    let first = misplaced(rows).into_iter().map(|place| Candidate { count: 0, ..candidate((0, place)) });
    out.extend(first);
    out.extend(places.into_iter().enumerate().map(candidate));
    out.extend(jumps.enumerate().map(candidate));
}

/// Adds the lines with one of the words; a line with several counts for its first.
fn words(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    let (Some(search), Some(first), Some(last)) = (SEARCH.as_ref(), lines.first(), lines.last()) else {
        return;
    };
    let range = source.byte_range(*first..last + 1);
    let text = &source.text()[..range.end];
    let mut counts = vec![0; WARNING_WORDS.len()];
    let mut found: Vec<Vec<(usize, u64)>> = vec![Vec::new(); WARNING_WORDS.len()];
    let mut from = range.start;
    let mut place = 0;
    while let Some(hit) = text.get(from..).and_then(|rest| search.find(rest)) {
        let (start, end) = (from + hit.start(), from + hit.end());
        let line = source.line_at(start);
        while lines.get(place).is_some_and(|known| *known < line) {
            place += 1;
        }
        let word = hit.pattern().as_usize();
        let start = start + usize::from(matches!(text.as_bytes()[start], b' ' | b'=' | b':'));
        if lines.get(place) != Some(&line) || !is_whole(text.as_bytes(), start, end) {
            from = end;
            continue;
        }
        from = source.byte_range(line..line + 1).end;
        counts[word] += 1;
        if found[word].len() < MAX_LINES_PER_VALUE {
            // Without its digits, a line with a network address would equal lines with other addresses.
            let is_of_digits = !WARNING_WORDS[word].contains(char::is_alphabetic);
            let text = source.line(line);
            let key = if is_of_digits { digest(text.as_bytes(), word) } else { similarity_hash(text) };
            // A linear search is enough: the list is short.
            if found[word].iter().all(|(_, known)| *known != key) {
                found[word].push((place, key));
            }
        }
    }
    for (count, places) in
        counts.into_iter().zip(found).filter(|(count, _)| is_share(*count, lines.len(), EXCEPTION_ONE_IN))
    {
        let candidate = |(nth, (place, key))| Candidate { place, nth, count, key, is_word: true };
        out.extend(places.into_iter().enumerate().map(candidate));
    }
}

/// Whether a hit is a whole word (not as in `warnings`) and is not negated (`no warning`).
fn is_whole(text: &[u8], start: usize, end: usize) -> bool {
    let is_part = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    if !text[start].is_ascii() {
        return true;
    }
    let before = &text[start.saturating_sub(3)..start];
    // `UserWarning` counts too.
    let is_start = !is_part(before.last()) || &text[start..end] == b"Warning";
    is_start && !is_part(text.get(end)) && !before.ends_with(b"no ") && !before.ends_with(b" 0 ")
}

/// A cut reserves its size divided by this for outliers.
pub(super) const OUTLIERS_ONE_IN: usize = 6;

/// The units that consist of one shown line.
pub(super) fn single(units: &[Unit]) -> impl Iterator<Item = usize> {
    (0..units.len()).filter(|&unit| units[unit].lines.len() == 1 && units[unit].is_shown)
}

/// Outliers may take the size of a file of settings divided by this.
const DATA_ONE_IN: usize = 12;

/// The outliers in a file of settings or data, with the lines on which they depend, in order; none in a file that does
/// not consist of records or of rows between bars, unless `needs_no_records`, as for a page of markup.
pub(in crate::pipeline) fn of_data(source: &Source<'_>, needs_no_records: bool) -> Vec<usize> {
    let mut outliers = Outliers::find(source, (0..source.len()).collect());
    if outliers.records.is_none() && !needs_no_records {
        let is_row = |line: &usize| source.line(*line).trim_start().starts_with('|');
        let rows: Vec<usize> = (0..source.len()).filter(is_row).collect();
        if rows.len() < columns::MIN_ROWS {
            return Vec::new();
        }
        outliers = Outliers::find(source, rows);
    }
    let mut cost = |place: usize| source.line(outliers.lines[place]).len() + 1;
    let chosen = outliers.choose(source, &|_| false, &mut cost, source.text().len() / DATA_ONE_IN);
    let mut lines: Vec<usize> = chosen.into_iter().map(|place| outliers.lines[place]).collect();
    lines.sort_unstable();
    lines
}

/// The most lines that stand out because a step kept each of them alone; with more, they are the normal content.
const MAX_ISLANDS: usize = 6;

/// The outliers among the units of a cut.
pub(super) fn of_units(source: &Source<'_>, units: &[Unit]) -> Outliers {
    let lines: Vec<usize> = single(units).map(|unit| units[unit].lines.start).collect();
    // A line of a diff says nothing without the other lines of its edit.
    if let Some(mut candidates) = hunks::unlike_edits(source, &lines) {
        add_commits(source, &lines, &mut candidates);
        return Outliers { lines, candidates, records: None };
    }
    let mut outliers = Outliers::find(source, lines);
    outliers.add_isolated_lines(source, units);
    add_commits(source, &outliers.lines, &mut outliers.candidates);
    outliers
}

/// Puts the lines of the commits with a rare author or time zone before the other candidates.
fn add_commits(source: &Source<'_>, lines: &[usize], candidates: &mut Vec<Candidate>) {
    if !source
        .lines()
        .take(MAX_LINES_TO_COMMIT)
        .any(|line| line.contains("commit ") || line.starts_with("changeset:"))
    {
        return;
    }
    let signed: Set<usize> =
        signed(source).into_iter().filter_map(|line| lines.binary_search(&line).ok()).collect();
    if signed.is_empty() {
        return;
    }
    candidates.retain(|c| !signed.contains(&c.place));
    let mut first: Vec<usize> = signed.into_iter().collect();
    first.sort_unstable();
    let candidate = |place: usize| Candidate {
        place,
        nth: 0,
        count: 0,
        key: digest(&place.to_le_bytes(), columns::MIN_ROWS),
        is_word: false,
    };
    candidates.splice(0..0, first.into_iter().map(candidate));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let lines: Vec<usize> = (0..source.len()).collect();
        Outliers::find(&source, lines).candidates.into_iter().map(|c| c.place).collect()
    }

    #[test]
    fn lines_that_are_unlike_the_others() {
        let text = |of: &dyn Fn(usize) -> String| (0..80).map(|i| of(i) + "\n").collect::<String>();
        let odd =
            |of: &dyn Fn(usize) -> String, odd: &str| text(&|i| if i == 40 { odd.to_owned() } else { of(i) });
        let network = |i: usize| format!("10.{}.{}.0/19", i / 8, i % 8 * 32);
        let cases: [(&dyn Fn(usize) -> String, &str); 4] = [
            (&network, "10.2.36.0/24"),
            (&|i| format!("{:<20} subnet-{i}", network(i)), "10.2.36.0/24         subnet-40"),
            (&|i| format!("{} moves {} and more", i % 7, i * 31 % 11), "3 m\u{f6}ves 4 and more"),
            (&|i| format!("part {i} has {}% of it", 40 + i * 7 % 50), "part 40 has 31% of it"),
        ];
        for (usual, other) in cases {
            assert!(places(&odd(usual, other)).contains(&40), "{other}");
        }
        let time = |i: usize| {
            let seconds = i + if i > 40 { 900 } else { 0 };
            format!("10:{:02}:{:02} part {}", seconds / 60, seconds % 60, i * 7 % 13)
        };
        let found = places(&text(&time));
        assert!(found.contains(&40) && found.contains(&41), "{found:?}");
    }

    #[test]
    fn words_of_warning() {
        let fill = |line: &str| "all is well\n".repeat(20) + line + "\n" + &"all is well\n".repeat(20);
        for line in [
            "now WARN it",
            "level=warn it",
            "a.py: UserWarning: x",
            "x CrashLoopBackOff y",
            "警告：少",
            "a loss=nan b",
            "loss: NaN",
            "from 0.0.0.0/0 to 22",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.bin",
        ] {
            assert_eq!(places(&fill(line)), [20], "{line}");
        }
        for line in ["0 x warnings", "with no warning", "warning_count is", "Unknowns there"] {
            assert!(!is_word_of(&fill(line)), "{line}");
        }
        // A word in one of ten lines does not stand out, and lines that differ only in digits count once.
        assert!(!is_word_of(&"WARN a\nfine b\n".repeat(20)));
        let text = (0..100).map(|i| format!("{} {i}\n", if i % 20 == 7 { "WARN" } else { "fine" }));
        let source = text.collect::<String>();
        let mut found = Vec::new();
        let source = Source::new(&source);
        words(&source, &(0..100).collect::<Vec<_>>(), &mut found);
        assert_eq!(found.iter().map(|c| (c.place, c.count)).collect::<Vec<_>>(), [(7, 5)]);
    }

    fn is_word_of(text: &str) -> bool {
        let source = Source::new(text);
        let mut found = Vec::new();
        words(&source, &(0..source.len()).collect::<Vec<_>>(), &mut found);
        !found.is_empty()
    }
}
