//! Keeps outliers among the lines that a reducer leaves out because they report success: the slow test that explains
//! how long a run took; the one step among hundreds that is of another kind, took far longer or came from another
//! server; the one file that is unlike its neighbours. A kept line keeps its headings.
//!
//! This works for all programs. It only removes lines from a reduction, so that more is shown.

pub mod measures;
pub mod names;

use std::ops::Range;

use measures::Measures;

use crate::reduce::quantities::{MILLI, nanoseconds};
use crate::text::judge;
use crate::text::ledger::{Action, Reduction};
use crate::text::maps::{Map, Set};
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::span::Span;

/// Fewest lines left out for one reason that are searched for outliers. A choice: a short run has no usual
/// line.
const MIN_LINES: usize = 20;
/// Fewest steps among which one of another kind stands out. A choice: short runs have an opening, a middle and an end.
const MIN_STEPS: usize = 32;
/// Most slow tests that are kept.
const MAX_SLOW_TESTS: usize = 2;
/// A test is slow if it takes at least the total time of all tests divided by this,
const SLOW_ONE_IN: u64 = 4;
/// or at least this many times as long as every test that is not kept.
const SLOW_GAP: u64 = 4;
/// A test that takes less, in nanoseconds, is not slow.
const MIN_SLOW: u64 = 1_000 * MILLI;
/// Most steps of rare kinds that are kept, and most of one kind. With more, the program simply prints many kinds of
/// lines.
const MAX_ODD_STEPS: usize = 3;
const MAX_STEPS_OF_KIND: usize = 2;
/// Rare steps are only outliers if at least this many tenths of the steps are of common kinds.
const COMMON_IN_TEN: usize = 9;
/// A kind is common if at least 1 step in this many is of it.
const COMMON_ONE_IN: usize = 20;
/// The most words of a step that are counted for its form.
const MAX_FORM_WORDS: usize = 16;
/// Longest level in brackets before a step, in bytes.
const MAX_LEVEL_BYTES: usize = 11;
/// Longest line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 240;
/// Words at the end of a line that are searched for a duration.
const MAX_WORDS: usize = 6;
/// Verbs of cargo that end in column 12: `   Compiling syn v2.0.4`, ` Downloading crates ...`.
const CARGO_VERBS: [&str; 6] =
    ["Checking", "Compiling", "Documenting", "Downloaded", "Downloading", "Updating"];
const CARGO_VERB_BYTES: usize = 12;
/// Headings of a kept line that are kept with it.
const MAX_HEADINGS: usize = 4;
/// Lines above a kept one that are searched for the title of its part.
const MAX_LINES_TO_TITLE: usize = 2000;

/// Why lines that report success are left out.
const OK_REASONS: [Reason; 5] =
    [Reason::PassingTests, Reason::Progress, Reason::BuildSteps, Reason::TransferredFiles, Reason::Satisfied];

/// The reduction without the outliers, so that they are shown.
pub fn keep(source: &Source<'_>, out: Reduction) -> Reduction {
    // A marker that counts its lines would be wrong with fewer lines, so these stay left out; their reducer already
    // kept the slow ones.
    let counted = |span: &Span| match &span.action {
        Action::Omit { reason: Reason::PassingTests, group, names: Some(_) } => Some(*group),
        _ => None,
    };
    let counted: Set<u32> = out.spans.iter().filter_map(counted).collect();
    let is_open =
        |span: &&Span| !matches!(&span.action, Action::Omit { group, .. } if counted.contains(group));
    let of = |reason| {
        let spans = out.spans.iter().filter(is_open).filter(move |span| is(span, reason));
        spans.flat_map(|span| span.lines.clone())
    };
    let mut odd: Set<usize> = Set::default();
    for reason in OK_REASONS {
        let lines: Vec<usize> = of(reason).collect();
        let found = match reason {
            Reason::PassingTests if lines.len() < MIN_LINES => Vec::new(),
            Reason::PassingTests => {
                let not_cached = names::not_cached(lines.iter().map(|line| (*line, source.line(*line))));
                slow(source, &lines).into_iter().chain(outliers(source, &lines)).chain(not_cached).collect()
            }
            _ => steps(source, &lines, reason == Reason::TransferredFiles),
        };
        for line in found {
            odd.insert(line);
            odd.extend(headings(source, &lines, line));
            odd.extend(title(source, &out, line, reason));
        }
    }
    if odd.is_empty() { out } else { without(out, &odd) }
}

/// The steps that took far longer, moved far more or came from elsewhere than the others, or are of another kind.
fn steps(source: &Source<'_>, lines: &[usize], are_files: bool) -> Vec<usize> {
    let measures: Vec<Measures> = lines.iter().map(|line| Measures::of_step(source.line(*line))).collect();
    let mut out: Vec<usize> = measures::far_steps(&measures).into_iter().map(|place| lines[place]).collect();
    let texts = || lines.iter().map(|line| (*line, source.line(*line)));
    out.extend(names::from_other_hosts(texts()));
    out.extend(names::other_packages(texts()));
    out.extend(names::in_two_versions(texts()));
    out.extend(names::single_codes(source, texts()));
    out.extend(names::other_results(texts()));
    if are_files {
        out.extend(names::outlier_files(texts()));
    }
    if lines.len() >= MIN_STEPS {
        out.extend(other_kinds(source, lines, kind));
        out.extend(other_kinds(source, lines, form));
    }
    out.retain(|line| source.line(*line).len() <= MAX_LINE_BYTES);
    out
}

fn is(span: &Span, reason: Reason) -> bool {
    matches!(span.action, Action::Omit { reason: why, .. } if why == reason)
}

/// The lines of tests that took a large part of the time.
fn slow(source: &Source<'_>, lines: &[usize]) -> Vec<usize> {
    let times: Vec<u64> = lines.iter().map(|line| duration(source.line(*line)).unwrap_or(0)).collect();
    let all: u64 = times.iter().fold(0, |sum, time| sum.saturating_add(*time));
    let longest = judge::much_larger(&times, MILLI, MAX_SLOW_TESTS);
    let others = times.iter().enumerate().filter(|(place, _)| !longest.contains(place));
    let usual = others.map(|(_, time)| *time).max().unwrap_or(0);
    let is_slow = |place: &usize| {
        let time = times[*place];
        time >= MIN_SLOW
            && (time.saturating_mul(SLOW_ONE_IN) >= all || time >= usual.saturating_mul(SLOW_GAP))
    };
    longest.into_iter().filter(is_slow).map(|place| lines[place]).collect()
}

/// The few lines of files that passed, but with tests that did not run: `✓ a.spec.ts (12 tests | 4 skipped)`,
/// `(0 tests)`.
fn outliers(source: &Source<'_>, lines: &[usize]) -> Vec<usize> {
    let says = |line: &&usize| {
        let line = source.line(**line).as_bytes();
        memchr::memmem::find_iter(line, b" skipped").any(|at| at > 0 && line[at - 1].is_ascii_digit())
            || memchr::memmem::find_iter(line, b"0 tests")
                .any(|at| at > 0 && matches!(line[at - 1], b' ' | b'('))
    };
    let found: Vec<usize> = lines.iter().filter(says).copied().take(MAX_ODD_STEPS + 1).collect();
    if found.len() > MAX_ODD_STEPS { Vec::new() } else { found }
}

/// The duration at the end of a line, in nanoseconds: `(0.12s)`, `[28112 ms]`, `(1.5 seconds)`, `time=48211ms`, `[1 m 2 s]`,
/// `duration_ms: 14022.8`.
fn duration(line: &str) -> Option<u64> {
    const ENDS: [char; 10] = [')', ']', '>', ' ', ';', '.', '}', '"', ',', '='];
    if let Some(number) = line.trim().strip_prefix("duration_ms: ") {
        return nanoseconds(number.as_bytes());
    }
    if !line.trim_end_matches(ENDS).ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let (mut unit, mut sum): (Option<&str>, Option<u64>) = (None, None);
    let is_closed = line.trim_end().ends_with([')', ']', '>']);
    for word in line.split_ascii_whitespace().rev().take(MAX_WORDS) {
        let start = word.rfind(['(', '[', '=', '<', ':']).map_or(0, |at| at + 1);
        let word = &word[start..word.trim_end_matches(ENDS).len().max(start)];
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let text = match unit.take() {
            Some(unit) if is_number && word.ends_with(|c: char| c.is_ascii_digit()) => {
                format!("{word} {unit}")
            }
            _ => word.to_owned(),
        };
        let time = match is_number && text.ends_with(|c: char| c.is_ascii_alphabetic()) {
            true => nanoseconds(text.as_bytes()),
            false => None,
        };
        match (time, sum) {
            // `[1 m 2 s]`: the part before belongs to it, up to the bracket.
            (Some(time), _) => {
                sum = Some(sum.unwrap_or(0).saturating_add(time));
                if start > 0 || !is_closed {
                    break;
                }
            }
            (None, Some(_)) if is_number || !matches!(word, "h" | "m" | "min" | "s") => break,
            (None, _) => unit = Some(word).filter(|_| !is_number),
        }
    }
    sum
}

/// The headings among these lines of an indented line.
fn headings(source: &Source<'_>, lines: &[usize], line: usize) -> Vec<usize> {
    let indent = |line: usize| source.line(line).bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let mut out = Vec::new();
    let mut below = indent(line);
    // cargo aligns its verbs to the right, which is not an indentation.
    let verb = source.line(line).split_ascii_whitespace().next().unwrap_or_default();
    if below + verb.len() == CARGO_VERB_BYTES && CARGO_VERBS.contains(&verb) {
        return out;
    }
    let place = lines.partition_point(|known| *known < line);
    for &above in lines[..place].iter().rev() {
        if below == 0 || out.len() == MAX_HEADINGS {
            break;
        }
        if !source.line(above).trim().is_empty() && indent(above) < below {
            below = indent(above);
            out.push(above);
        }
    }
    out
}

/// The line that names the part of the output to which an unindented line belongs, if that line is left out for the same
/// reason: `TASK [Copy] ****`, `== web`, `Downloading:`. One that is left out for another reason heads other lines.
fn title(source: &Source<'_>, out: &Reduction, line: usize, reason: Reason) -> Option<usize> {
    let reach = line.saturating_sub(MAX_LINES_TO_TITLE)..line;
    let found = reach.rev().find(|above| is_title(source.line(*above)))?;
    let next = out.spans.partition_point(|span| span.lines.end <= found);
    let span = out.spans.get(next).filter(|span| span.lines.contains(&found))?;
    is(span, reason).then_some(found)
}

/// Whether a line is a heading by its form alone.
fn is_title(line: &str) -> bool {
    const RULES: [&str; 3] = ["***", "===", "---"];
    const SIGNS: [&str; 3] = ["== ", "==> ", "## "];
    let line = line.trim_end();
    if line.starts_with([' ', '\t']) || line.len() > MAX_LINE_BYTES {
        return false;
    }
    let says = |text: &str| {
        let text = text.trim_end_matches(['*', '=', '-']).trim();
        // A level alone, such as `[INFO]`, is not a title.
        let is_level = text.starts_with('[') && text.find(']') == Some(text.len() - 1);
        !is_level && text.bytes().any(|b| b.is_ascii_alphabetic())
    };
    RULES.iter().any(|rule| line.ends_with(rule)) && says(line)
        || SIGNS.iter().any(|sign| line.starts_with(sign))
        || line.ends_with(':') && says(line)
}

/// The few steps that are of another kind than nearly all.
fn other_kinds<'a>(
    source: &Source<'a>,
    lines: &[usize],
    kind: impl Fn(&'a str) -> (&'a str, usize),
) -> Vec<usize> {
    let mut kinds: Map<(&str, usize), (usize, [usize; MAX_STEPS_OF_KIND])> = Map::default();
    for &line in lines {
        let text = source.line(line);
        let entry = kinds.entry(kind(text)).or_default();
        if let Some(free) = entry.1.get_mut(entry.0) {
            *free = line;
        }
        entry.0 += 1;
    }
    let is_common = |count: usize| count * COMMON_ONE_IN >= lines.len();
    let common: usize = kinds.values().map(|(count, _)| *count).filter(|count| is_common(*count)).sum();
    if common * 10 < lines.len() * COMMON_IN_TEN {
        return Vec::new();
    }
    let is_usual = |place: Option<&usize>| {
        let count =
            place.and_then(|line| kinds.get(&kind(source.line(*line)))).map_or(0, |(count, _)| *count);
        is_common(count)
    };
    // Lines that start or end a phase of a run are of their own kind in every run.
    let is_odd = |line: &usize| {
        let place = lines.partition_point(|known| known < line);
        let text = source.line(*line).trim();
        is_usual(place.checked_sub(1).and_then(|before| lines.get(before)))
            && is_usual(lines.get(place + 1))
            && (1..=MAX_LINE_BYTES).contains(&text.len())
            // A phase: `Reading package lists... Done`.
            && !text.ends_with("...")
            && !text.split_once("... ").is_some_and(|(phase, _)| phase.ends_with(|c: char| c.is_alphabetic()))
            // A heading is of no use without the lines below it.
            && !is_title(text)
            // A drawn bar is not a step.
            && kind(text).0.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let rare = kinds.values().filter(|(count, _)| *count <= MAX_STEPS_OF_KIND && !is_common(*count));
    let mut out: Vec<usize> =
        rare.flat_map(|(count, places)| &places[..*count]).copied().filter(is_odd).collect();
    if out.len() > MAX_ODD_STEPS {
        return Vec::new();
    }
    out.sort_unstable();
    out
}

/// The kind of a step and how many words it has: `Fetching a`, but `Fetching a (from a copy)`.
fn form(line: &str) -> (&str, usize) {
    (kind(line).0, line.split_ascii_whitespace().take(MAX_FORM_WORDS).count())
}

/// The kind of a step: its first word that is not a counter, and whether it names an address.
fn kind(line: &str) -> (&str, usize) {
    let is_counter = |word: &&str| {
        !word.bytes().any(|b| b.is_ascii_alphabetic() || b == b'*')
            && word.bytes().any(|b| b.is_ascii_digit())
            || word.trim_matches(['[', ']']).bytes().all(|b| b.is_ascii_digit() || b == b'/' || b == b'%')
            // A level: `[INFO]`.
            || word.starts_with('[') && word.ends_with(']') && word.len() <= MAX_LEVEL_BYTES
    };
    let word = line.split_ascii_whitespace().find(|word| !is_counter(word)).unwrap_or_default();
    // `Get:28`
    let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
    let word = match word.len() - digits {
        0 => word,
        end => &word[..end],
    };
    (word, usize::from(memchr::memmem::find(line.as_bytes(), b"://").is_some()))
}

/// Removes lines from those that are left out. The names in a marker move to the next line of its group.
pub fn without(out: Reduction, odd: &Set<usize>) -> Reduction {
    let mut next = Reduction { spans: Vec::with_capacity(out.spans.len() + 2 * odd.len()), ..out };
    let mut waiting: Map<u32, std::sync::Arc<str>> = Map::default();
    for span in out.spans {
        let Action::Omit { reason, group, names } = &span.action else {
            next.spans.push(span);
            continue;
        };
        let mut names = names.clone().or_else(|| waiting.remove(group));
        let mut push = |lines: Range<usize>, names: &mut Option<std::sync::Arc<str>>| {
            if !lines.is_empty() {
                let action = Action::Omit { reason: *reason, group: *group, names: names.take() };
                next.spans.push(Span { lines, action });
            }
        };
        let mut from = span.lines.start;
        for line in span.lines.clone().filter(|line| odd.contains(line)) {
            push(from..line, &mut names);
            from = line + 1;
        }
        push(from..span.lines.end, &mut names);
        if let Some(names) = names.filter(|_| *group > 0) {
            waiting.insert(*group, names);
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are kept of a text that is otherwise left out for one reason.
    fn kept(text: &str, reason: Reason) -> Vec<usize> {
        let source = Source::new(text);
        let mut out = Reduction::default();
        let names = if reason == Reason::PassingTests { "" } else { "names" };
        out.omit_named(0..source.len(), reason, 1, names);
        let out = keep(&source, out);
        let stay = |span: &Span| matches!(&span.action, Action::Omit { names: Some(_), .. });
        assert_eq!(stay(&out.spans[0]), !names.is_empty());
        let gone = |line: usize| out.spans.iter().any(|span| span.lines.contains(&line));
        (0..source.len()).filter(|line| !gone(*line)).collect()
    }

    #[test]
    fn a_marker_that_counts_its_lines_keeps_them() {
        let text: String =
            (0..40).map(|i| format!("ok p{i} {}s\n", if i == 9 { "3.2" } else { "0.1" })).collect();
        let source = Source::new(&text);
        let mut out = Reduction::default();
        out.omit_named(0..40, Reason::PassingTests, 1, "40 packages");
        assert_eq!(keep(&source, out).spans[0].lines, 0..40);
    }

    #[test]
    fn the_slow_test_stays_with_its_headings() {
        let tests =
            |of: &dyn Fn(usize, bool) -> String| (0..60).map(|i| of(i, i == 40) + "\n").collect::<String>();
        for of in [
            &(|i, is_slow| format!("--- PASS: Test{i} ({}s)", if is_slow { "18.40" } else { "0.01" }))
                as &dyn Fn(usize, bool) -> String,
            &|i, is_slow| format!("[       OK ] Suite.Test{i} ({} ms)", if is_slow { 28_112 } else { 3 }),
            &|i, is_slow| format!("  Passed Tests.T{i} [{}]", if is_slow { "22 s" } else { "< 1 ms" }),
            &|i, is_slow| format!("ok {i} - test {i} # time={}ms", if is_slow { 48_211 } else { 12 }),
            &|i, is_slow| {
                format!("Test Case 'A.t{i}' passed ({} seconds).", if is_slow { "48.211" } else { "0.004" })
            },
            &|i, is_slow| format!("test a::t{i} ... ok <{}s>", if is_slow { "61.882" } else { "0.101" }),
            // Less than a quarter of all the time, but far from every other.
            &|i, is_slow| format!("  \u{2713}  {i} a.ts:4 > t ({})", if is_slow { "1.1m" } else { "4.1s" }),
            &|i, is_slow| format!("  Passed Tests.T{i} [{}]", if is_slow { "1 m 4 s" } else { "4 s" }),
            &|i, is_slow| format!("  \u{2713} t{i} ({})", if is_slow { "1m 4s" } else { "4.0s" }),
        ] {
            assert_eq!(kept(&tests(of), Reason::PassingTests), [40], "{}", of(40, true));
        }
        // No unit of another word counts as part of the duration.
        let waits = |i: usize| match i {
            40 => "  \u{2713} a > waits for 30s 12ms\n".to_owned(),
            _ => format!("  \u{2713} a > does {i} 11ms\n"),
        };
        assert_eq!(kept(&(0..60).map(waits).collect::<String>(), Reason::PassingTests), [0_usize; 0]);
        // The suite that a test stands under is shown with it.
        let tree = |i: usize| match i % 5 {
            0 => format!("  suite {i}\n"),
            _ => format!("    \u{2713} does {i}{}\n", if i == 43 { " (4211ms)" } else { "" }),
        };
        assert_eq!(kept(&(0..60).map(tree).collect::<String>(), Reason::PassingTests), [40, 43]);
        let tap = |i: usize| {
            let time = if i == 43 { "14022.81" } else { "1.204" };
            format!("# Subtest: t{i}\nok {i} - t{i}\n  ---\n  duration_ms: {time}\n  ...\n")
        };
        assert_eq!(
            kept(&(0..60).map(tap).collect::<String>(), Reason::PassingTests),
            [43 * 5 + 1, 43 * 5 + 3]
        );
        assert_eq!(
            kept(&tests(&|i, _| format!("--- PASS: Test{i} (0.0{}s)", i % 9)), Reason::PassingTests),
            [0; 0]
        );
    }

    #[test]
    fn the_one_step_of_another_kind_stays() {
        let steps = |odd: &str| -> String {
            (0..80)
                .map(|i| {
                    if i == 33 {
                        format!("[34/80] {odd}\n")
                    } else {
                        format!("[{}/80] Building CXX object a{i}.o\n", i + 1)
                    }
                })
                .collect()
        };
        for odd in [
            "Generating version.h (v3.1.0-dirty)",
            "Re-running CMake",
            "Building CXX object from https://a.b/c",
        ] {
            assert_eq!(kept(&steps(odd), Reason::Progress), [33], "{odd}");
        }
        assert_eq!(kept(&steps("Building CXX object b.o"), Reason::Progress), [0; 0]);
        assert_eq!(kept(&steps("Building CXX object b.o (from a copy)"), Reason::Progress), [33]);
        let verb = |i: usize| (b'a' + i as u8) as char;
        let many: String =
            (0..80).map(|i| format!("verb{} thing\n", verb(if i % 9 == 0 { i / 9 } else { 9 }))).collect();
        assert_eq!(kept(&many, Reason::Progress), [0; 0]);
        let files: String = (0..80)
            .map(|i| format!("{} a/{i}.jpg\n", if i == 9 { ".f...p....." } else { ">f.st......" }))
            .collect();
        assert_eq!(kept(&files, Reason::TransferredFiles), [9]);
    }

    #[test]
    fn a_step_that_took_far_longer_or_came_from_elsewhere_stays() {
        let with = |usual: &dyn Fn(usize) -> String, odd: &str| -> String {
            (0..80).map(|i| if i == 33 { format!("{odd}\n") } else { usual(i) + "\n" }).collect()
        };
        let fetch = |i: usize| format!("http fetch GET 200 https://a.org/p{i} {}ms (cache)", 20 + i);
        let reading = |i: usize| format!("a.s[{i}]: Refreshing state... [id=subnet-{i}]");
        for (usual, odd) in [
            (&fetch as &dyn Fn(usize) -> String, "http fetch GET 200 https://a.org/p33 48112ms (cache)"),
            (&fetch, "http fetch GET 200 https://b.org/p33 42ms (cache)"),
            (&reading, "a.base: Read complete after 3m14s [id=ami-0]"),
            (&|i| format!("#{i} 0.3{i} ok"), "#33 211.31 ok"),
            (
                &|i| format!("#{i} transferring context: {i}kB 0.1s done"),
                "#33 transferring context: 2.8GB 0.1s done",
            ),
        ] {
            assert_eq!(kept(&with(usual, odd), Reason::Progress), [33], "{odd}");
            assert_eq!(kept(&with(usual, &usual(33)), Reason::Progress), [0; 0], "{odd}");
        }
        let files = with(&|i| format!("app/img/{i}.png"), "../../etc/passwd");
        assert_eq!(kept(&files, Reason::TransferredFiles), [33]);
    }

    #[test]
    fn the_title_of_its_part_stays_with_a_line() {
        let hosts = |word: &str| -> String {
            (0..60).map(|i| format!("{}: [web{i}]\n", if i == 44 { word } else { "ok" })).collect()
        };
        for title in ["TASK [Open firewall] ****", "== web", "Open firewall:"] {
            let text = format!("{title}\n{}\n{title}\n{}", hosts("ok"), hosts("skipping"));
            assert_eq!(kept(&text, Reason::Progress), [62, 63 + 44], "{title}");
        }
        assert!(
            !is_title("[INFO] -----") && !is_title("ok: [web]") && !is_title("-----") && !is_title("  a:")
        );
    }
}
