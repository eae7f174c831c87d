//! Writes a search: paths above their lines, over-long lines cut, and one marker for the lines that limits hide. This
//! module does not decide which lines are shown.

use std::collections::HashMap;
use std::ops::Range;

use super::grammar::{Found, Hit};
use super::limits::{self, Selection};
use super::long;
use crate::config::Mode;
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::embedded;
use crate::text::ledger::{Action, Reduction};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The group of all lines that limits hide, except gaps in a block, which have their own groups after it.
const HIDDEN: u32 = 1;
/// The text before the name of a file under its folder.
const INDENT: &str = "  ";
/// Fewest bytes that a folder above its files must save. A choice.
const MIN_FOLDER_SAVED_BYTES: usize = 16;
/// Longer lines, in bytes, may have embedded data, which an earlier step shortens.
const MIN_DATA_LINE_BYTES: usize = 200;

/// What to do with the lines of a search.
pub(super) fn grouped(input: &Input<'_>, found: &Found<'_>) -> Reduction {
    let source = input.source;
    let mut limits = input.policy.search_limits(source.text().len());
    if is_bounded(input) && input.policy.mode == Mode::Standard {
        limits.matches_per_file = input.policy.search_max_matches_per_file.filter(|matches| *matches > 0);
    }
    // If words may report a failure, only the guard decides which lines can be left out.
    if input.detection.reports_failures() {
        (limits.context_lines, limits.matches_per_file, limits.files) = (None, None, None);
    }
    let left_alone = left_alone(input);
    let selection = limits::select(input, found, limits, &left_alone);
    let mut writer = Writer {
        source,
        found,
        selection,
        limit: limits.line_length.unwrap_or(usize::MAX),
        literals: long::literals(input.call, &input.detection.command),
        left_alone,
        announced: vec![false; found.files.len()],
        pending: None,
        out: Reduction::default(),
    };
    let is_search = input.detection.shape == Shape::Search;
    let mut at = 0;
    let mut line = 0;
    while at < found.hits.len() {
        let end = writer.end_of_run(at);
        let first = found.hits[at].line;
        let hidden = at > 0 && !writer.selection.shown[at - 1] && !writer.selection.shown[at];
        if hidden && first == line + 1 && source.line(line) == "--" {
            writer.hide(line);
        } else {
            let heading = found.files[found.hits[at].file].heading;
            writer.others(line..first, heading, is_search);
        }
        let behind = writer.folder(at..end);
        if behind == at {
            writer.run(at..end);
            at = end;
        } else {
            at = behind;
        }
        line = found.hits[at - 1].line + 1;
    }
    writer.others(line..source.len(), None, is_search);
    writer.out
}

/// Whether the call itself limits its output.
fn is_bounded(input: &Input<'_>) -> bool {
    let pipelines = &input.detection.command.pipelines;
    let is_counted = |simple: &Simple| simple.has_flag(&["-m", "--max-count"]);
    input.detection.is_range
        || pipelines.iter().any(|pipeline| pipeline.len() > 1)
        || pipelines.iter().flatten().any(is_counted)
}

/// Lines to keep unchanged, in order: repeated lines that an encoder may fold, lines with embedded data, and, if the
/// text is not a plain search, lines that report a failure.
pub(super) fn left_alone(input: &Input<'_>) -> Vec<usize> {
    let mut lines = repeated(input.source);
    if input.source.lines().any(|line| line.len() > MIN_DATA_LINE_BYTES)
        && let Ok(data) = embedded::reduce(input.source)
    {
        lines.extend(data.spans.iter().flat_map(|span| span.lines.clone()));
    }
    let command = &input.detection.command;
    let is_plain = command.pipelines.len() < 2 && !command.is_filtered();
    if input.detection.reports_failures() || !is_plain {
        lines.extend(signals::failure_lines(input.source));
    }
    lines.sort_unstable();
    lines
}

/// The largest distance between lines that an encoder folds as a repeated block.
const REPEATS_WITHIN: usize = 24;

/// Lines that occur twice within that distance. If they were rewritten, the encoder that folds repetitions
/// would not see them now, but would when the output comes in again.
fn repeated(source: &Source<'_>) -> Vec<usize> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut lines = Vec::new();
    for (i, line) in source.lines().enumerate() {
        if let Some(before) = last.insert(line.trim_end(), i).filter(|before| i - before <= REPEATS_WITHIN) {
            lines.extend([before, i]);
        }
    }
    lines
}

struct Writer<'a> {
    source: &'a Source<'a>,
    found: &'a Found<'a>,
    selection: Selection,
    /// Characters of a line.
    limit: usize,
    literals: Vec<String>,
    left_alone: Vec<usize>,
    /// Files whose count was written.
    announced: Vec<bool>,
    /// Lines of a group that are written as one text.
    pending: Option<(Range<usize>, String)>,
    out: Reduction,
}

impl<'a> Writer<'a> {
    /// Lines that belong to no file, except the heading of the lines below.
    fn others(&mut self, lines: Range<usize>, heading: Option<usize>, is_search: bool) {
        for i in lines.filter(|i| is_search && heading != Some(*i)) {
            if self.source.line(i).len() > self.limit && !self.is_left_alone(i) {
                self.shown(i, self.source.line(i), 0..0, None);
            }
        }
    }

    /// The end of the run of lines of one file that starts at a hit; `--` between them belongs to it. A line that
    /// needs a span of its own is a run of its own and keeps its path, so that no later cut can separate lines from
    /// their path.
    fn end_of_run(&self, start: usize) -> usize {
        let hits = &self.found.hits;
        let alone = |hit: &Hit<'_>| {
            self.is_left_alone(hit.line)
                || self.source.line(hit.line).len() > self.limit.saturating_add(hit.prefix())
        };
        let joins = |a: &Hit<'_>, b: &Hit<'_>| {
            let near = b.line == a.line + 1 || (b.line == a.line + 2 && self.source.line(a.line + 1) == "--");
            a.file == b.file && a.path == b.path && near
        };
        let mut end = start + 1;
        while !alone(&hits[start])
            && end < hits.len()
            && joins(&hits[end - 1], &hits[end])
            && !alone(&hits[end])
        {
            end += 1;
        }
        end
    }

    /// Writes the folder of files with one line each once, above them. Returns the first hit after them, or the first
    /// of the run if that does not pay.
    fn folder(&mut self, run: Range<usize>) -> usize {
        let Some(folder) = self.in_folder(&run) else { return run.start };
        let mut end = run.end;
        while end < self.found.hits.len() && self.found.hits[end].line == self.found.hits[end - 1].line + 1 {
            let next = end..self.end_of_run(end);
            if self.in_folder(&next) != Some(folder) {
                break;
            }
            end = next.end;
        }
        let count = end - run.start;
        if (count - 1) * folder.len() < MIN_FOLDER_SAVED_BYTES + count * INDENT.len() {
            return run.start;
        }
        let mut header = Some(folder);
        for hit in run.start..end {
            let line = self.found.hits[hit].line;
            let raw = self.source.raw(line);
            let body = raw.strip_suffix('\n').unwrap_or(raw);
            let name = format!("{INDENT}{}", body.get(folder.len()..).unwrap_or(body));
            self.grouped(line, header.take(), &name);
        }
        self.flush();
        end
    }

    /// The folder, with its slash, of a run of one line that is shown unchanged.
    fn in_folder(&self, run: &Range<usize>) -> Option<&'a str> {
        let hit = self.found.hits.get(run.start).filter(|_| run.len() == 1)?;
        let is_plain = self.selection.shown[run.start]
            && !self.is_left_alone(hit.line)
            && self.source.line(hit.line).len() <= self.limit
            && self.selection.counts[hit.file].is_none();
        let path = hit.path.filter(|_| is_plain)?;
        let folder = path.get(..=path.rfind('/')?)?;
        // A folder no longer than the indent never pays, for any number of files; without this test all files would
        // be examined again for each.
        (folder.len() > INDENT.len()).then_some(folder)
    }

    fn is_left_alone(&self, line: usize) -> bool {
        self.left_alone.binary_search(&line).is_ok()
    }

    /// One run of lines of a file.
    fn run(&mut self, run: Range<usize>) {
        let hits = &self.found.hits[run.clone()];
        let file = hits[0].file;
        let shown = self.selection.shown[run.clone()].to_vec();
        let is_left_alone = self.is_left_alone(hits[0].line);
        let count = if is_left_alone { None } else { self.count(file) };
        // A single line costs the same with its path on the same line.
        let path = hits[0].path.filter(|_| hits.len() > 1 || count.is_some());
        let mut header = match (path, count) {
            (Some(path), Some(count)) => Some(format!("{path} {count}")),
            (Some(path), None) if shown.contains(&true) => Some(path.to_owned()),
            (None, Some(count)) => self.heading(file, count),
            _ => None,
        };
        for (at, hit) in hits.iter().enumerate() {
            let line = hit.line;
            if at > 0 && line > hits[at - 1].line + 1 {
                match shown[at - 1] || shown[at] {
                    true if path.is_some() => self.grouped(line - 1, None, "--"),
                    true => self.flush(),
                    false => self.hide(line - 1),
                }
            }
            if !shown[at] {
                match header.take_if(|_| !shown.contains(&true)) {
                    Some(text) => self.only_header(line, text),
                    None => self.hide_in(line, self.group(run.start + at)),
                }
            } else if !is_left_alone {
                let raw = self.source.raw(line);
                let body = raw.strip_suffix('\n').unwrap_or(raw);
                let in_group = path.is_some() || header.is_some();
                let start = if path.is_some() { hit.prefix() } else { 0 };
                self.shown(line, body, start..hit.head(body), in_group.then(|| header.take()));
            }
        }
        self.flush();
    }

    /// The note, written once, on a file of which not all matches are shown.
    fn count(&mut self, file: usize) -> Option<String> {
        let (shown, all) = self.selection.counts[file].filter(|_| !self.announced[file])?;
        self.announced[file] = true;
        let noun = if all == 1 { "match" } else { "matches" };
        // "0 of 1 match" would read as if there were none.
        Some(match shown {
            0 => format!("({all} {noun}, not shown)"),
            shown => format!("({shown} of {all} {noun})"),
        })
    }

    /// Writes the count after an existing heading; returns it if there is none.
    fn heading(&mut self, file: usize, count: String) -> Option<String> {
        let Some(heading) = self.found.files[file].heading else { return Some(count) };
        let text = format!("{} {count}", self.source.line(heading));
        self.out.replace(heading..heading + 1, text, Reason::SharedPath);
        None
    }

    /// A line that is shown, from the start of `head` on: cut after `head` if it is over-long, else as part of its
    /// group (`group` is the text above it), else unchanged.
    fn shown(&mut self, line: usize, body: &str, head: Range<usize>, group: Option<Option<String>>) {
        let number = self.source.number(line);
        let (label, text) = body.split_at_checked(head.end).unwrap_or(("", body));
        let label = label.get(head.start..).unwrap_or(label);
        if let Some((text, omitted_bytes)) = long::cut(text, self.limit, &self.literals, number) {
            let above = group.flatten().map_or(String::new(), |header| header + "\n");
            self.flush();
            let text = format!("{above}{label}{text}");
            self.out.push(line..line + 1, Action::Replace { text, reason: Reason::LongLine, omitted_bytes });
        } else if let Some(header) = group {
            self.grouped(line, header.as_deref(), body.get(head.start..).unwrap_or(body));
        }
    }

    /// Adds a line to the text of the group, with the text above it.
    fn grouped(&mut self, line: usize, header: Option<&str>, body: &str) {
        if self.pending.as_ref().is_none_or(|(lines, _)| lines.end != line) {
            self.flush();
            self.pending = Some((line..line, String::new()));
        }
        let Some((lines, text)) = &mut self.pending else { return };
        lines.end += 1;
        for part in header.into_iter().chain([body]) {
            if !text.is_empty() || lines.len() > 1 {
                text.push('\n');
            }
            text.push_str(part);
        }
    }

    /// Shows only the path and the count of the file.
    fn only_header(&mut self, line: usize, text: String) {
        self.flush();
        let omitted_bytes = self.source.raw(line).len();
        let reason = Reason::SearchLimit;
        self.out.push(line..line + 1, Action::Replace { text, reason, omitted_bytes });
    }

    fn hide(&mut self, line: usize) {
        self.hide_in(line, HIDDEN);
    }

    fn hide_in(&mut self, line: usize, group: u32) {
        self.flush();
        self.out.omit_in(line..line + 1, Reason::SearchLimit, group);
    }

    /// The group of a hit that is hidden.
    fn group(&self, hit: usize) -> u32 {
        let parts = &self.selection.parts;
        let block = parts.partition_point(|block| block.end <= hit);
        match parts.get(block).filter(|block| block.contains(&hit)) {
            Some(_) => HIDDEN + 1 + block as u32,
            None => HIDDEN,
        }
    }

    fn flush(&mut self) {
        if let Some((lines, text)) = self.pending.take() {
            self.out.replace(lines, text, Reason::SharedPath);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    fn compressed(text: &str, policy: &Policy) -> String {
        let call = ToolCall { tool: "grep".into(), ..ToolCall::default() };
        compress(&call, &[Raw::Text(text)], policy, false, &NoHistory).unwrap().texts.concat()
    }

    const PATHS: [&str; 4] = ["src/a.rs", "src/b c/d.rs", "C:\\x\\y.rs", "HEAD:a-1-b.rs"];

    /// The flat form of a grouped text, as a reader understands it.
    fn flat(text: &str) -> String {
        let mut out = String::new();
        let mut path = "";
        for line in text.split_inclusive('\n') {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            if PATHS.contains(&line.trim_end()) {
                path = line.trim_end();
            } else if rest.len() < line.len() {
                out.push_str(&format!("{path}{}{line}", &rest[..1]));
            } else {
                out.push_str(line);
            }
        }
        out
    }

    fn lines() -> impl Strategy<Value = String> {
        let path = (0..PATHS.len()).prop_map(|i| PATHS[i]);
        let body =
            prop_oneof![Just("let x = 1;"), Just("    a(b):3:c"), Just("12:30:45 other.rs:9:x"), Just("")];
        (path, 1usize..500, proptest::collection::vec(("[:-]", body), 1..6)).prop_map(
            |(path, first, lines)| {
                let line = |(i, (sign, body)): (usize, &(String, &str))| {
                    format!("{path}{sign}{}{sign}{body}\n", first + i)
                };
                lines.iter().enumerate().map(line).collect()
            },
        )
    }

    proptest! {
        #[test]
        fn nothing_is_lost_by_grouping(blocks in proptest::collection::vec(lines(), 1..8), sign in prop::bool::ANY) {
            let text = blocks.join(if sign { "--\n" } else { "" });
            let policy = Policy { min_bytes: 0, ..Policy::default() };
            let out = compressed(&text, &policy);
            prop_assert_eq!(compressed(&out, &policy), out.clone(), "{}", text);
            if !out.contains("[tersed") {
                prop_assert_eq!(flat(&out), text, "{}", out);
            }
        }

        #[test]
        fn limits_keep_every_path_and_count(blocks in proptest::collection::vec(lines(), 1..8), most in 1usize..4) {
            let text = blocks.join("--\n");
            let policy = Policy {
                min_bytes: 0,
                search_max_matches_per_file: Some(most),
                search_max_files: Some(1),
                ..Policy::default()
            };
            let out = compressed(&text, &policy);
            for path in PATHS {
                prop_assert_eq!(text.contains(path), out.contains(path), "{}\n{}", text, out);
            }
            let shown = |name: &str| out.lines().filter(|l| l.starts_with(name)).count();
            prop_assert!(shown("[tersed#") <= 1);
        }
    }

    #[test]
    fn a_block_of_context_is_shown_whole_or_not_at_all() {
        let block = |file: &str, n: usize| -> String {
            let of = |i: usize| {
                let sign = if i == 6 { ':' } else { '-' };
                format!("src/{file}.rs{sign}{}{sign}let {file}_{i} = compute({n}, {i});\n", n * 100 + i)
            };
            (0..13).map(of).collect()
        };
        let text = (1..60).map(|n| block("first", n)).collect::<Vec<_>>().join("--\n");
        let policy = Policy { mode: crate::config::Mode::Aggressive, ..Policy::default() };
        let out = compressed(&text, &policy);
        let shown = |i: usize| out.matches(&format!("first_{i} ")).count();
        assert!(shown(6) > 0 && shown(6) < 59, "{out}");
        assert!((0..13).all(|i| shown(i) == shown(6)), "{out}");
        // As many as the caller asks for.
        let out = compressed(&text, &Policy { search_context_lines: Some(1), ..policy });
        assert!(out.contains("first_5 ") && !out.contains("first_4 "), "{out}");
    }

    /// A folder that pays, and one that never does: examining all files again for each would take minutes.
    #[test]
    fn many_files_of_one_folder_are_looked_at_once() {
        let of = |folder: &str| -> String {
            (0..40_000).map(|n| format!("{folder}/f{n}.rs:{n}:let x = {n};\n")).collect()
        };
        let policy = Policy { min_bytes: 0, max_output_bytes: 4 << 20, ..Policy::default() };
        assert_eq!(compressed(&of("a"), &policy).matches("a/f").count(), 40_000);
        assert_eq!(compressed(&of("src/parts"), &policy).matches("src/parts/").count(), 1);
    }

    #[test]
    fn a_file_of_which_nothing_is_shown_says_how_much_it_has() {
        let mut text = String::new();
        for file in ["first", "other"] {
            for line in 10..40 {
                text.push_str(&format!("src/{file}.rs:{line}:let {file}_{line} = compute({line});\n"));
            }
        }
        let policy =
            Policy { search_max_files: Some(1), search_max_matches_per_file: Some(2), ..Policy::default() };
        let out = compressed(&text, &policy);
        assert!(out.starts_with("src/first.rs (2 of 30 matches)\n10:let first_10"), "{out}");
        assert!(
            out.contains("\nsrc/other.rs (30 matches, not shown)\n") && !out.contains("other_10"),
            "{out}"
        );
        assert!(out.contains("omitted 57 of lines 3-60, search_limit]"), "{out}");
    }
}
