//! Logs of CI runs: GitHub Actions (raw, and as `gh run view --log` prints them) and GitLab.
//!
//! Their steps are in groups that the pages of both show closed: `##[group]` to `##[endgroup]`, `section_start:` to
//! `section_end:`. The content of a closed group of GitHub is left out if no line in it is severe; settings in
//! which steps differ are kept. A section of GitLab has the output of commands, and is kept. Lines outside of
//! groups are folded like those of any log.

use super::layout::Level;
use super::{lines, record, repeats};
use crate::config::Mode;
use crate::input::{Claim, Input};
use crate::reduce::lines::is_warning;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::maps::Map;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// See the module.
pub struct CiLog;

static META: Meta = Meta {
    id: "ci_log",
    family: "log",
    reads: "logs of GitHub Actions and GitLab CI",
    keeps: "`##[error]`, `##[warning]` and failures, the heading of each group, variables and inputs in which steps \
            differ, what the steps print, \
            repeated lines with an unusual duration",
    omits: "the content of closed groups without severe lines; lines that differ only in their times",
    anchors: &["##[", "section_start:", "::group::"],
};

/// Fewest lines of a group that are left out. A choice: a marker takes one.
const MIN_GROUP_LINES: usize = 3;
/// The effect of a line on groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Opens,
    Closes,
    /// A command of the runner other than a group: `##[error]`, `section_start:`.
    Other,
    None,
}

/// A line without job, step and stamp, and what it does.
fn sign(line: &str) -> Sign {
    let at = ["##[", "::", "section_"].iter().filter_map(|s| line.find(s)).min();
    let Some(text) = at.filter(|at| *at < 200).and_then(|at| line.get(at..)) else { return Sign::None };
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    match () {
        () if starts(&["##[group]", "::group::"]) => Sign::Opens,
        () if starts(&["##[endgroup]", "::endgroup::"]) => Sign::Closes,
        () if starts(&["##[", "section_start:", "section_end:", "::error", "::warning", "::notice"]) => {
            Sign::Other
        }
        () => Sign::None,
    }
}

impl Reducer for CiLog {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        const MIN_SIGNS: usize = 2;
        let signs = || {
            input
                .source
                .lines()
                .take(crate::reduce::lines::CLAIM_LINES)
                .map(sign)
                .filter(|s| *s != Sign::None)
        };
        if !lines::may_be_log(input) || signs().take(MIN_SIGNS).count() < MIN_SIGNS {
            return Claim::No;
        }
        let is_view = |words: &[String]| {
            words.iter().any(|w| w == "run") && words.iter().any(|w| w.starts_with("--log"))
        };
        match input.detection.command.runs(|s| s.program() == "gh" && is_view(&s.argv)) {
            true => Claim::Command,
            false => Claim::Content,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let groups = closed_groups(source);
        let mut records = record::records(source);
        let is_in_group = |i: usize| {
            let next = groups.partition_point(|g| g.end <= i);
            groups.get(next).is_some_and(|g| g.start <= i && g.len() >= MIN_GROUP_LINES)
        };
        // Lines that are left out with a group are not counted a second time.
        let mut step = Reduction::default();
        if input.policy.mode >= Mode::Standard {
            let keys =
                record::number(source, &mut records, |record, key| record::strict_key(source, record, key));
            let gone: Vec<usize> = repeats::repeats(source, &records, keys)
                .into_iter()
                .filter(|&i| {
                    let lines = records[i].lines.clone();
                    records[i].level == Level::Plain
                        && !is_in_group(lines.start)
                        && lines.into_iter().all(|line| sign(source.line(line)) == Sign::None)
                })
                .collect();
            record::omit(source, &records, &gone, Reason::LogRepeat, &mut step);
        }
        let mut out = Reduction::default();
        let mut spans = step.spans.into_iter().peekable();
        let mut settings = Settings::of(source, &groups);
        for (number, group) in (1..).zip(groups) {
            while let Some(span) = spans.next_if(|s| s.lines.start < group.start) {
                out.push(span.lines, span.action);
            }
            let stay = settings.outliers(source, group.clone());
            if group.len() - stay.len() < MIN_GROUP_LINES {
                continue;
            }
            let mut from = group.start;
            for line in stay.into_iter().chain([group.end]) {
                if from < line {
                    out.omit_in(from..line, Reason::LogGroup, number);
                }
                from = line + 1;
            }
        }
        spans.for_each(|span| out.push(span.lines, span.action));
        out.unless_empty()
    }
}

/// The settings in the groups of a run: for each variable and input the value that was shown last, and whether steps
/// differ in it.
#[derive(Default)]
struct Settings<'a> {
    known: Map<(bool, &'a str), Setting<'a>>,
    /// Steps that have variables.
    steps: usize,
}

/// A variable or an input.
struct Setting<'a> {
    value: &'a str,
    shown: &'a str,
    steps: usize,
    differs: bool,
}

impl<'a> Settings<'a> {
    /// The settings of all groups.
    fn of(source: &'a Source<'_>, groups: &[std::ops::Range<usize>]) -> Self {
        let mut all = Self::default();
        for group in groups {
            let mut has_variables = false;
            each_setting(source, group.clone(), |_, _, key, value| {
                has_variables |= key.0;
                let first = Setting { value, shown: "", steps: 0, differs: false };
                let known = all.known.entry(key).or_insert(first);
                known.steps += 1;
                known.differs |= known.value != value;
            });
            all.steps += usize::from(has_variables);
        }
        all
    }

    /// The lines of a group with settings in which steps differ, unless the last step with this setting had the same
    /// value; with their headings. Not all steps have the same inputs, so a missing input is not a difference.
    fn outliers(&mut self, source: &'a Source<'_>, group: std::ops::Range<usize>) -> Vec<usize> {
        let mut out: Vec<usize> = Vec::new();
        let steps = self.steps;
        each_setting(source, group, |heading, i, key, value| {
            let Some(known) = self.known.get_mut(&key) else { return };
            let differs = known.differs || key.0 && known.steps < steps;
            if !differs || known.shown == value {
                return;
            }
            known.shown = value;
            if out.last().is_none_or(|last| *last < heading) {
                out.push(heading);
            }
            out.push(i);
        });
        out
    }
}

/// Calls `each` with the heading, the line, the name and the value of all settings of a group. Variables and inputs
/// are kept apart.
fn each_setting<'a>(
    source: &'a Source<'_>,
    group: std::ops::Range<usize>,
    mut each: impl FnMut(usize, usize, (bool, &'a str), &'a str),
) {
    let mut section: Option<(usize, bool)> = None;
    for i in group {
        let text = message(source.line(i));
        match text.trim_end() {
            "env:" => section = Some((i, true)),
            "with:" => section = Some((i, false)),
            _ if !text.starts_with("  ") => section = None,
            _ => {
                if let Some((heading, is_variable)) = section
                    && let Some((name, value)) = text.trim().split_once(": ")
                {
                    each(heading, i, (is_variable, name), value);
                }
            }
        }
    }
}

/// A line without job, step and stamp.
fn message(line: &str) -> &str {
    /// The stamp must end within this many bytes.
    const REACH: usize = 200;
    let is_end = |at: &usize| *at > 0 && line.as_bytes()[at - 1].is_ascii_digit() && *at < REACH;
    let end = memchr::memmem::find_iter(line.as_bytes(), b"Z ").find(is_end);
    end.and_then(|at| line.get(at + 2..)).unwrap_or(line)
}

/// The lines inside of groups in which nothing is severe.
fn closed_groups(source: &Source<'_>) -> Vec<std::ops::Range<usize>> {
    let mut out = Vec::new();
    let mut open: Option<usize> = None;
    for i in 0..source.len() {
        match sign(source.line(i)) {
            Sign::Opens => open = Some(i + 1),
            Sign::Closes => {
                if let Some(start) = open.take().filter(|start| *start < i) {
                    out.push(start..i);
                }
            }
            Sign::Other => open = None,
            Sign::None => {
                let line = source.line(i);
                if open.is_some() && (signals::is_failure(line) || is_warning(line)) {
                    open = None;
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_without_severe_lines_close() {
        let text = "t ##[group]A\na\nb\nc\n##[endgroup]\n##[group]B\na\nwarning: b\nc\n##[endgroup]\nx\n";
        assert_eq!(closed_groups(&Source::new(text)), vec![1..4; 1]);
        assert_eq!(sign("2024-01-01T00:00:00.0Z ##[error]no"), Sign::Other);
        assert_eq!(sign("job\tstep\t2024-01-01T00:00:00.0Z ##[group]no"), Sign::Opens);
        assert_eq!(sign("std::vector"), Sign::None);
    }

    #[test]
    fn settings_unlike_those_of_the_steps_before_stay() {
        let step = |region: &str, clean: &str| {
            let lines =
                ["make x", "with:", clean, "  ref: main", "shell: bash", "env:", region, "  FLAGS: -v"];
            lines.map(|line| format!("build\tx\t2025-11-14T08:00:00.0Z {line}\n")).concat()
        };
        let text = ["eu", "eu", "us"]
            .map(|r| step(&format!("  REGION: {r}"), &format!("  clean: {}", r != "us")))
            .concat();
        let source = Source::new(&text);
        let groups = [0..8, 8..16, 16..24];
        let mut settings = Settings::of(&source, &groups);
        let stay = groups.map(|group| settings.outliers(&source, group));
        assert_eq!(stay, [vec![1, 2, 5, 6], vec![], vec![17, 18, 21, 22]]);
        // A setting that is equal in all steps, or that only one step has, is not a difference.
        let alone = Settings::of(&source, std::slice::from_ref(&(0..8))).outliers(&source, 0..8);
        assert_eq!(alone, [0; 0]);
    }
}
