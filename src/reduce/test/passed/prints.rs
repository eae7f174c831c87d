//! The output of passed tests: among many similar lines, the few of another form are kept, with the test that
//! printed them.
//!
//! Lines that the runner writes around the output are not part of it. If tests print all kinds of lines, only
//! warnings and rare titles stay, such as the only `stderr` among many `stdout`.

use super::{FORMS, TestLine, is, named};
use crate::reduce::lines::is_warning;
use crate::text::ledger::Reduction;
use crate::text::maps::{Map, Set};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Fewest printed lines among which one is odd. A choice: short runs have an opening, a middle and an end.
const MIN_LINES: usize = 32;
/// Most lines that have a rare form.
const MAX_OF_FORM: usize = 2;
/// Most rare titles that stay.
const MAX_TITLES: usize = 2;
/// Most odd places that stay, and most warnings. A choice: with more, tests just print many things.
const MAX_ODD: usize = 4;
const MAX_WARNINGS: usize = 3;
/// At most 1 in this many printed lines may start an odd place or be a warning, and at most 1 in `MAX_RARE_SHARE` may
/// be rare.
const ODD_ONE_IN: usize = 10;
const MAX_RARE_SHARE: usize = 4;
/// The most lines of an odd place that are shown, the most headings above it, and the most lines between two of them.
const MAX_SHOWN: usize = 6;
const MAX_HEADINGS: usize = 4;
const MAX_LINES_AWAY: usize = 200;
/// Bytes of a line that count for its form.
const MAX_FORM_BYTES: usize = 160;

/// The lines of one kind, by their forms.
/// `judge::Counted` stops at a few values; there are many forms here.
#[derive(Default)]
struct PrintedForms {
    all: usize,
    by_form: Map<u64, (usize, [usize; MAX_OF_FORM])>,
}

impl PrintedForms {
    fn add(&mut self, form: u64, line: usize) {
        self.all += 1;
        let entry = self.by_form.entry(form).or_default();
        if let Some(free) = entry.1.get_mut(entry.0) {
            *free = line;
        }
        entry.0 += 1;
    }

    /// The lines of rare forms, in order.
    fn rare(&self) -> Vec<usize> {
        let is_rare = |(count, _): &&(usize, [usize; MAX_OF_FORM])| *count <= MAX_OF_FORM;
        let rare = self.by_form.values().filter(is_rare);
        let mut lines: Vec<usize> = rare.flat_map(|(count, places)| &places[..*count]).copied().collect();
        lines.sort_unstable();
        lines
    }
}

/// The lines that a reduction leaves out as the output of tests.
struct Hidden<'a> {
    source: &'a Source<'a>,
    /// The lines, in order.
    lines: Vec<usize>,
    id: &'a str,
}

/// The lines that stay: odd ones, what belongs to them, and the lines that name their tests.
pub(super) fn outlier_lines(id: &str, source: &Source<'_>, out: &Reduction) -> Set<usize> {
    let spans = out.spans.iter().filter(|span| is(span, Reason::TestOutput));
    let lines = spans.flat_map(|span| span.lines.clone()).collect();
    let hidden = Hidden { source, lines, id };
    let mut stays = Set::default();
    for place in hidden.outlier_places() {
        let Some((&first, &last)) = place.first().zip(place.last()) else { continue };
        stays.extend(hidden.headings(first));
        stays.extend(hidden.verdict(first, last));
        stays.extend(place);
    }
    stays
}

impl Hidden<'_> {
    fn text(&self, line: usize) -> &str {
        self.source.line(line)
    }

    /// The odd places, each a few lines.
    fn outlier_places(&self) -> Vec<Vec<usize>> {
        let (mut titles, mut prints) = (PrintedForms::default(), PrintedForms::default());
        let (mut warnings, mut counters, mut opening) = (Vec::new(), Set::default(), None);
        for &line in &self.lines {
            crate::stop::check_sometimes();
            let text = self.text(line);
            if let Some(title) = title(text) {
                titles.add(form(title), line);
            } else if !text.trim().is_empty() && !self.is_frame(line) {
                prints.add(form(printed_text(text)), line);
                opening.get_or_insert(line);
                counters.extend(form_of_counter(printed_text(text), b"1"));
                if is_warning(text) {
                    warnings.push(line);
                }
            }
        }
        let mut out = Vec::new();
        let rare = titles.rare();
        if titles.all >= MIN_LINES && rare.len() <= MAX_TITLES {
            out.extend(rare.into_iter().map(|line| self.with_lines_below(line)));
        }
        if prints.all < MIN_LINES {
            return out;
        }
        // A line with a zero is not odd if it also occurs with a one instead: then the number is a counter.
        let is_odd = |line: &usize| {
            form_of_counter(printed_text(self.text(*line)), b"0").is_none_or(|form| !counters.contains(&form))
        };
        let rare: Vec<usize> = prints.rare().into_iter().filter(is_odd).collect();
        let mut places = self.places(&rare);
        // A program prints the lines at its start only once, so they are not odd.
        places.retain(|place| place.first().copied() != opening);
        let are_exceptions = |count: usize, most: usize| count <= most && count * ODD_ONE_IN <= prints.all;
        if are_exceptions(places.len(), MAX_ODD) && rare.len() * MAX_RARE_SHARE <= prints.all {
            out.extend(places);
        } else if are_exceptions(warnings.len(), MAX_WARNINGS) {
            out.extend(warnings.into_iter().map(|line| vec![line]));
        }
        out
    }

    /// A title and the first lines below it.
    fn with_lines_below(&self, line: usize) -> Vec<usize> {
        let at = self.lines.partition_point(|known| *known <= line);
        let below = self.lines[at..].iter().copied().enumerate();
        let below = below.take_while(|(n, next)| *next == line + 1 + n).map(|(_, next)| next);
        let below = below.take_while(|next| title(self.text(*next)).is_none() && !self.is_frame(*next));
        let below = below.filter(|next| !self.text(*next).trim().is_empty()).take(MAX_SHOWN - 1);
        std::iter::once(line).chain(below).collect()
    }

    /// Rare lines that follow each other, with nothing but empty lines between, are one place.
    fn places(&self, rare: &[usize]) -> Vec<Vec<usize>> {
        let mut out: Vec<Vec<usize>> = Vec::new();
        let mut last = usize::MAX;
        for &line in rare {
            crate::stop::check_sometimes();
            let is_next = (last..line).len() <= MAX_SHOWN
                && (last.saturating_add(1)..line).all(|between| self.text(between).trim().is_empty())
                && last < line;
            last = line;
            match out.last_mut() {
                Some(place) if is_next && place.len() == MAX_SHOWN => {}
                Some(place) if is_next => place.push(line),
                _ => out.push(vec![line]),
            }
        }
        out
    }

    /// The kind of a line that the runner wrote; `None` for output of a test.
    fn frame(&self, line: usize) -> Option<TestLine> {
        let text = self.text(line);
        if is_pytest_header(text) {
            return Some(TestLine::Starts);
        }
        // Tests print such lines too.
        let is_word = || text.contains("Running ") && self.id != "maven";
        FORMS
            .classify(text)
            .filter(|kind| *kind != TestLine::Marks && !(*kind == TestLine::Starts && is_word()))
    }

    fn is_frame(&self, line: usize) -> bool {
        self.frame(line).is_some()
    }

    /// Whether a line names the test or the file that printed the lines below it. Some runners print below the verdict.
    fn names_test(&self, line: usize) -> bool {
        let text = self.text(line);
        match self.frame(line) {
            Some(TestLine::Starts | TestLine::File) => true,
            Some(_) => matches!(self.id, "dotnet" | "go_test"),
            None => title(text).is_some() && title_names_test(text),
        }
    }

    /// The headings of a line: those with less indentation, the title of its part, and the line that names
    /// the test.
    fn headings(&self, line: usize) -> Vec<usize> {
        let indent = |line: usize| self.text(line).len() - self.text(line).trim_start_matches(' ').len();
        let mut out = Vec::new();
        // An event names its test itself, and so do some titles.
        let text = self.text(line);
        if text.starts_with('{') || title(text).is_some() && title_names_test(text) {
            return out;
        }
        let (mut under, mut has_title) = (indent(line), title(self.text(line)).is_some());
        for above in (line.saturating_sub(MAX_LINES_AWAY)..line).rev() {
            let text = self.text(above);
            let is_title = title(text).is_some();
            if self.names_test(above) {
                out.push(above);
                break;
            }
            if !text.trim().is_empty() && !self.is_frame(above) && out.len() < MAX_HEADINGS {
                let heads = indent(above) < under || is_title && !has_title;
                (under, has_title) = (under.min(indent(above)), has_title || is_title);
                out.extend(Some(above).filter(|_| heads));
            }
        }
        out
    }

    /// The line below with the verdict on the test that printed the lines, if the runner writes one there.
    fn verdict(&self, first: usize, last: usize) -> Option<usize> {
        let is_frame = |line: &usize| self.is_frame(*line);
        let start = (first.saturating_sub(MAX_LINES_AWAY)..first).rev().find(is_frame)?;
        let name = named(self.source, start, TestLine::Starts)?;
        let end = (last + 1..self.source.len().min(last + MAX_LINES_AWAY)).find(is_frame)?;
        let is_verdict = matches!(FORMS.classify(self.text(end)), Some(TestLine::Passed | TestLine::All));
        let ended = FORMS.groups(self.text(end)).into_iter().flatten().last();
        (is_verdict && ended == Some(name)).then_some(end)
    }
}

/// A title above what one test printed, without the name of the test.
fn title(line: &str) -> Option<&str> {
    let text = line.trim();
    let is_rule = || text.starts_with("---") && text.ends_with("---") && text.contains(' ');
    let is_stream =
        || text.starts_with("console.") && !text.contains([' ', '(']) || text.ends_with(" Messages:");
    match line.split_once(" | ") {
        Some((stream @ ("stdout" | "stderr"), _)) => Some(stream),
        _ if is_rule() => Some(text.trim_matches('-')),
        _ if is_stream() => Some(text),
        _ if text.contains(" > ") => {
            ["STANDARD_OUT", "STANDARD_ERROR"].into_iter().find(|end| text.ends_with(end))
        }
        _ => None,
    }
}

/// Whether a title also says which test printed.
fn title_names_test(line: &str) -> bool {
    line.contains(" | ") || line.contains(" > ")
}

/// `____ test_name ____`
fn is_pytest_header(line: &str) -> bool {
    line.starts_with("__") && line.trim_end().ends_with("__") && line.contains(' ')
}

/// What a test printed, without the event that carries it.
fn printed_text(line: &str) -> &str {
    const FIELD: &str = "\"Output\":\"";
    match line.find(FIELD).filter(|_| line.starts_with('{')) {
        Some(at) => line.get(at + FIELD.len()..).unwrap_or(line),
        None => line,
    }
}

/// The form of a line: its text without its numbers. Unlike `details::similarity_hash`, it keeps a zero that stands alone,
/// and a word with a digit counts as a number. Letters with digits among them count as a number too, since they are
/// most often made up. A zero that stands alone counts as a word, because it means that nothing was done or found.
pub fn form(text: &str) -> u64 {
    form_with(text, b"0")
}

/// The form of a line in which a number stands alone.
fn form_of_counter(text: &str, number: &[u8]) -> Option<u64> {
    let has_it = number.first().is_some_and(|digit| text.as_bytes().contains(digit));
    has_it.then(|| form_with(text, number)).filter(|form| *form != form_with(text, b""))
}

/// Like [`form`], with another number that counts as a word if it stands alone.
fn form_with(text: &str, number: &[u8]) -> u64 {
    const SIGNS: &[u8] = b".,:-/";
    let text = text.trim().as_bytes();
    let text = &text[..text.len().min(MAX_FORM_BYTES)];
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
    let word = |at: usize| text[at.min(text.len())..].iter().take_while(|b| is_word(b)).count();
    let has_digit = |from: usize, to: usize| text[from..to].iter().any(u8::is_ascii_digit);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += word(at);
        if start == at {
            at += 1;
            if text[start] != b' ' || text.get(at) != Some(&b' ') {
                mix(text[start]);
            }
        } else if !has_digit(start, at) {
            text[start..at].iter().for_each(|byte| mix(*byte));
        } else {
            // `1.5`, `08:15:02` are one number.
            while text.get(at).is_some_and(|sign| b".,:".contains(sign)) {
                let next = at + 1 + word(at + 1);
                if next == at + 1 || !has_digit(at + 1, next) {
                    break;
                }
                at = next;
            }
            let before = start.checked_sub(1).and_then(|before| text.get(before));
            let is_alone = !before.is_some_and(|sign| SIGNS.contains(sign))
                && !text.get(at).is_some_and(|sign| SIGNS.contains(sign) || *sign == b'%');
            mix(if &text[start..at] == number && is_alone { b'0' } else { b'9' });
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that stay of a text of which all lines are left out.
    fn kept_lines(id: &str, text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut out = Reduction::default();
        out.omit_in(0..source.len(), Reason::TestOutput, 1);
        let mut lines: Vec<usize> = outlier_lines(id, &source, &out).into_iter().collect();
        lines.sort_unstable();
        lines
    }

    fn run(of: impl Fn(usize, &str) -> String, usual: impl Fn(usize) -> String, odd: &str) -> String {
        (0..40).map(|i| of(i, &if i == 20 { odd.to_owned() } else { usual(i) })).collect()
    }

    #[test]
    fn numbers_do_not_make_a_form() {
        let same = [
            ("took 12 ms", "took 1.5 ms"),
            ("at 08:15:02 x", "at 9:1 x"),
            ("a  b", "a b"),
            ("id ab12", "id 7"),
        ];
        assert!(same.iter().all(|(a, b)| form(a) == form(b)));
        let other = [("took 0 ms", "took 2 ms"), ("open a", "open b"), ("is -1", "is 1"), ("a: 1", "a; 1")];
        assert!(other.iter().all(|(a, b)| form(a) != form(b)));
        assert!(form("at 0:12") == form("at 3:12") && form("0%") == form("9%"));
    }

    #[test]
    fn the_only_line_of_its_form_stays_with_its_test() {
        let go = |i: usize, said: &str| format!("=== RUN   TestA{i}\n{said}\n--- PASS: TestA{i} (0.00s)\n");
        let usual = |i: usize| format!("opened db {} in 12 ms", i + 1);
        assert_eq!(kept_lines("go_test", &run(go, usual, "the index is empty")), [60, 61, 62]);
        let from_two = |i: usize| format!("opened db {} in 12 ms", i + 2);
        assert_eq!(kept_lines("go_test", &run(go, from_two, "opened db 0 in 12 ms")), [60, 61, 62]);
        assert_eq!(kept_lines("go_test", &run(go, usual, "opened db 0 in 12 ms")), [0; 0]);
        assert_eq!(kept_lines("go_test", &run(go, usual, "no place for 1 of 17 keys")), [60, 61, 62]);
        let first = |i: usize, said: &str| if i == 0 { go(i, "starting") } else { go(i, said) };
        assert_eq!(kept_lines("go_test", &run(first, usual, "opened db 4 in 12 ms")), [0; 0]);
        assert_eq!(kept_lines("go_test", &run(go, usual, "opened db 44 in 1.2 ms")), [0; 0]);
        let pytest =
            |i: usize, said: &str| format!("____ test_{i} ____\n--- Captured stdout call ---\n{said}\n");
        assert_eq!(kept_lines("pytest", &run(pytest, usual, "the index is empty")), [60, 61, 62]);
        let vitest = |i: usize, said: &str| format!("stdout | a{i}.test.ts > works\n{said}\n\n");
        assert_eq!(kept_lines("vitest", &run(vitest, usual, "the index is empty")), [60, 61]);
        let jest = |i: usize, said: &str| {
            format!("PASS a{i}.test.js\n  \u{25cf} Console\n\n    console.log\n      {said}\n\n")
        };
        assert_eq!(kept_lines("jest", &run(jest, usual, "the index is empty")), [120, 121, 123, 124]);
        let dotnet =
            |i: usize, said: &str| format!("  Passed T{i} [1 ms]\n  Standard Output Messages:\n {said}\n");
        assert_eq!(kept_lines("dotnet", &run(dotnet, usual, "the index is empty")), [60, 61, 62]);
    }

    #[test]
    fn among_lines_of_all_kinds_only_warnings_and_rare_titles_stay() {
        let word =
            |i: usize| format!("{}{}", (b'a' + (i % 26) as u8) as char, if i > 25 { "x" } else { "y" });
        let vitest = |i: usize, said: &str| match said.strip_prefix('!') {
            Some(said) => format!("stderr | a{i}.test.ts > works\n{said}\n\n"),
            None => format!("stdout | a{i}.test.ts > works\n{said}\n\n"),
        };
        let usual = |i: usize| format!("made {}", word(i));
        assert_eq!(kept_lines("vitest", &run(vitest, usual, "the index is empty")), [0; 0]);
        assert_eq!(kept_lines("vitest", &run(vitest, usual, "Warning: the index is empty")), [60, 61]);
        assert_eq!(kept_lines("vitest", &run(vitest, usual, "!the index is empty")), [60, 61]);
        // Lines that belong together are one place.
        let trace = "the index is empty\n  of a\n  of b\n  of c\n  of d\n  of e\n  of f\n  of g";
        let few = |i: usize| format!("made {}", i + 1);
        assert_eq!(kept_lines("vitest", &run(vitest, few, trace)), [60, 61, 62, 63, 64, 65, 66]);
    }
}
