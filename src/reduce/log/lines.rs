//! Logs of any layout: syslog, journald, dmesg, JSON lines, logfmt, access logs, klog, log4j and logback, Python's
//! logging, logcat, Windows, nginx, PostgreSQL and other layouts with a stamp or a level before each line.
//!
//! `standard` leaves out records that are equal to kept ones except for times, process and thread ids, memory
//! addresses, ports and durations. Records with a duration that is many times the others, severe records with their
//! neighbours, and both sides of a break (`breaks`) are kept. `aggressive` compares forms (`forms`).

use std::ops::Range;

use super::{breaks, cited, forms, layout, record};
use crate::config::Mode;
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::reduce::lines::{extent, reads_as_report};
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// See the module.
pub struct Log;

static META: Meta = Meta {
    id: "log",
    family: "log",
    reads: "logs with a time stamp or level on each line: syslog (RFC 3164, RFC 5424), journald, dmesg, JSON lines, \
            logfmt, access logs, Kubernetes, log4j and logback, Python logging, Android logcat, Windows, nginx, \
            PostgreSQL",
    keeps: "warnings, errors and failures with the records around them, the first and the last of repeated records, both sides of the longest pauses and of where a counter falls or skips, every \
            record that differs in more than the named fields or of which a duration stands out; aggressive: errors, failures, the first, the last and \
            the one that stands out of each form, the first four with rare words and the first six with a rare value or a number far above the others, records that name a commit, or a value that an error or the query names, the numbers of orders, invoices, \
            tickets and the like",
    omits: "records that equal kept ones except for times, process and thread ids, memory addresses, ports and \
            durations; aggressive: records of one form",
    anchors: &[],
};

/// Programs that print rows in which dates are data.
const NO_LOGS: &[&str] = &[
    "git", "hg", "svn", "gh", "glab", "ls", "find", "fd", "stat", "ps", "last", "who", "psql", "mysql",
    "sqlite3", "tar", "unzip", "zipinfo", "aws", "gcloud", "az", "crontab", "sed", "awk", "grep", "rg",
    "diff", "strace",
];
/// Lines that a claim examines: the first, then some of each part. A choice, for speed.
const HEAD_LINES: usize = 24;
const SAMPLE_LINES: usize = 100;
/// Fewest lines of `tail`, `head` or `sed -n` on a log that are folded. A choice: nobody reads that many lines one by
/// one.
const MIN_TAIL_LINES: usize = 100;
/// Ends of the names of logs.
const LOG_NAMES: [&str; 3] = [".log", ".out", ".err"];
/// Fewest lines of a log. A choice.
const MIN_LOG_LINES: usize = 6;
/// The number of stretches of a long log that are searched for repetitions, and their lines: records that repeat
/// within a window repeat in two of them.
const STRETCHES: usize = 8;
const STRETCH_LINES: usize = 2 * record::WINDOW;
/// From this many lines on, the stretches are much less than the whole log.
const LONG_LOG_LINES: usize = 2 * STRETCHES * STRETCH_LINES;
/// Records are only folded if at least 1 in 100 repeats. A choice: less does not pay for its markers.
const MIN_REPEATS_ONE_IN: usize = 100;

/// Whether the text may be a log, by its call.
pub(super) fn may_be_log(input: &Input<'_>) -> bool {
    let command = &input.detection.command;
    let is_kept = |path: &str| {
        path.starts_with("/var/log/")
            || path.contains("/logs/")
            || LOG_NAMES.iter().any(|end| path.ends_with(end))
    };
    let shows_kept = input.detection.shape == Shape::File
        && !input.detection.is_written
        && (input.call.path.as_deref().is_some_and(is_kept)
            || command.producers().any(|(s, _)| s.argv.iter().skip(1).any(|a| is_kept(a))));
    // `tail -800 x.log` asks for the end of the log, which is folded like a whole log.
    let is_tail = !input.detection.is_written
        && input.source.len() >= MIN_TAIL_LINES
        && input.call.arguments.get("offset").or(input.call.arguments.get("limit")).is_none()
        && command
            .pipelines
            .iter()
            .flatten()
            .any(|s| matches!(s.program(), "tail" | "head") || is_sed_of_log(s));
    (!input.detection.is_range || is_tail)
        && !input.detection.is_numbered
        && (reads_as_report(input) || shows_kept)
}

/// Whether `sed -n` shows lines of a log.
fn is_sed_of_log(simple: &Simple) -> bool {
    let is_log =
        |word: &String| LOG_NAMES.iter().any(|end| word.ends_with(end)) || word.starts_with("/var/log/");
    simple.program() == "sed" && simple.has_flag(&["-n"]) && simple.argv.iter().skip(1).any(is_log)
}

impl Reducer for Log {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let is_data = |simple: &Simple| NO_LOGS.contains(&simple.program()) && !is_sed_of_log(simple);
        let is_data = input.detection.command.producers().any(|(simple, _)| is_data(simple));
        if may_be_log(input) && !is_data && is_log(input.source) { Claim::Content } else { Claim::No }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let mut out = Reduction::default();
        fold(input, &mut out);
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let known = extent(input.source, |line| layout::stamp(line).is_some());
        // The last record may extend to the end of the text.
        let is_near = input.source.len() - (known.end - 1) <= HEAD_LINES;
        known.start..if is_near { input.source.len() } else { known.end }
    }
}

/// Folds the records of a text.
pub(super) fn fold(input: &Input<'_>, out: &mut Reduction) {
    let source = input.source;
    let is_aggressive = input.policy.mode == Mode::Aggressive;
    if !is_aggressive && source.len() >= LONG_LOG_LINES && !repeats(source) {
        return;
    }
    let mut records = record::records(source);
    if is_aggressive {
        let keys = record::number(source, &mut records, |record, key| forms::key(source, record, key));
        let mut gone = forms::middles(source, &records, keys);
        let stay = cited::stay(source, &records, &gone, input.call.query.as_deref());
        gone.retain(|i| !stay.contains(i));
        breaks::keep(source, &records, &mut gone);
        record::omit(source, &records, &gone, Reason::LogForm, out);
    } else {
        let keys =
            record::number(source, &mut records, |record, key| record::strict_key(source, record, key));
        let mut gone = super::repeats::repeats(source, &records, keys);
        breaks::keep(source, &records, &mut gone);
        record::omit(source, &records, &gone, Reason::LogRepeat, out);
    }
}

/// Whether records repeat in some stretches of a long log. Reading all of it would take a quarter of the pipeline's
/// time, and most long logs repeat either much or nothing.
fn repeats(source: &Source<'_>) -> bool {
    let step = source.len() / STRETCHES;
    let (mut all, mut distinct) = (0, 0);
    for start in (0..STRETCHES).map(|i| i * step) {
        let part = source.part_of(start..start + STRETCH_LINES);
        let mut records = record::records(&part);
        distinct += record::number(&part, &mut records, |record, key| record::strict_key(&part, record, key));
        all += records.iter().filter(|record| record.key.is_some()).count();
    }
    (all - distinct) * MIN_REPEATS_ONE_IN >= all
}

/// Whether most lines of a text start a record. Only some lines are examined.
fn is_log(source: &Source<'_>) -> bool {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    // The smallest indentation of lines with a stamp. A line without a stamp that is indented no further is not a
    // part of a record: in a list of fields of which one is a date, the line of that field does not start a record.
    let beside = (0..source.len().min(HEAD_LINES))
        .map(|i| source.line(i))
        .filter(|line| layout::stamp(line).is_some())
        .map(indent)
        .min()
        .unwrap_or(0);
    let share = |lines: &mut dyn Iterator<Item = usize>| {
        let (mut all, mut heads) = (0, 0);
        for i in lines {
            let line = source.line(i);
            // A line below a record: a stack, the rest of a message.
            if line.trim().is_empty() || indent(line) > beside && layout::stamp(line).is_none() {
                continue;
            }
            all += 1;
            heads += usize::from(layout::stamp(line).is_some_and(|head| !is_row(&line[head.end..])));
        }
        (all, heads)
    };
    let (all, heads) = share(&mut (0..source.len().min(HEAD_LINES)));
    if heads * 2 < all || heads < MIN_LOG_LINES.min(all) {
        return false;
    }
    let step = (source.len() / SAMPLE_LINES).max(1);
    let (all, heads) = share(&mut (0..source.len()).step_by(step));
    heads >= MIN_LOG_LINES && heads * 10 >= all * 7
}

/// Whether a row of numbers follows a stamp: a table with a column of times.
fn is_row(text: &str) -> bool {
    const MIN_WORDS: usize = 4;
    let (mut words, mut numbers) = (0, 0);
    for word in text.split_ascii_whitespace() {
        words += 1;
        numbers += usize::from(word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'%' | b'-')));
    }
    words >= MIN_WORDS && numbers * 4 >= words * 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    #[test]
    fn lines_of_a_log_are_folded_however_they_are_shown() {
        let beat =
            |i: usize| format!("2026-01-15T10:{:02}:{:02}Z INFO [pid=9] worker: heartbeat\n", i / 60, i % 60);
        let text: String = (0..300).map(beat).collect();
        let folds = |command: &str, mode| {
            let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
            let policy = Policy { mode, ..Policy::default() };
            let out = compress(&call, &[Raw::Text(&text)], &policy, false, &NoHistory).unwrap();
            out.evidence.tokens.after * 10 < out.evidence.tokens.before
        };
        for command in [
            "tail -n 300 app.log",
            "head -n 300 app.log",
            "sed -n '1,300p' app.log",
            "sed -n 1,300p /var/log/syslog",
            "cat app.log | tail -n 300",
        ] {
            assert!(folds(command, Mode::Standard), "{command}");
            assert!(!folds(command, Mode::Safe), "{command}");
        }
        // Text that a person wrote, such as test data, is not folded.
        for command in ["sed -n '1,300p' notes.md", "sed -n '1,300p' src/times.rs"] {
            assert!(!folds(command, Mode::Standard), "{command}");
        }
    }

    #[test]
    fn stretches_tell_whether_a_long_log_repeats() {
        let log = |of: &dyn Fn(usize) -> usize| -> String {
            let line =
                |i: usize| format!("2024-05-01 10:{:02}:{:02} INFO item {}\n", i / 60 % 60, i % 60, of(i));
            (0..LONG_LOG_LINES + 7).map(line).collect()
        };
        assert!(!repeats(&Source::new(&log(&|i| i))));
        // As far apart as records of one key may be, and one line in fifty.
        assert!(repeats(&Source::new(&log(&|i| i % record::WINDOW))));
        assert!(repeats(&Source::new(&log(&|i| if i % 50 == 0 { 0 } else { i }))));
    }

    #[test]
    fn most_lines_have_a_head() {
        let log = "Jun 14 15:16:01 h a[1]: x\n\tat b\n".repeat(9);
        assert!(is_log(&Source::new(&log)));
        assert!(!is_log(&Source::new("a\nb\nc\nd\ne\nf\ng\nh\n")));
        assert!(!is_log(&Source::new(&format!("{log}{}", "text that is none\n".repeat(30)))));
        assert!(!is_log(&Source::new("Jun 14 15:16:01 h a[1]: x\n")));
        let fields =
            "  Name: a\n    Type: b\n    Until: 2025-06-14 00:00:00 (46 days)\n    Path: /x/a\n".repeat(9);
        assert!(!is_log(&Source::new(&fields)));
        let indented = "  2025-06-14 00:00:00 INFO a\n    at b\n".repeat(9);
        assert!(is_log(&Source::new(&indented)));
        assert!(!is_log(&Source::new(&"04:11:27 PM  all  0.00  1.25  98.5  0.00\n".repeat(9))));
    }
}
