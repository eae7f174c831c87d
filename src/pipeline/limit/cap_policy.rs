//! Decides which texts lose their middle after all other steps, at which size, and what must be kept. The cut itself
//! is in `cap`.

use std::borrow::Cow;

use crate::config::{FileDetail, Mode, Scale};
use crate::detect::{Detection, Shape};
use crate::elide;
use crate::pipeline::INPUT_LIMIT;
use crate::pipeline::evidence::Step;
use crate::pipeline::limit::cap;
use crate::pipeline::limit::cap::Cap;
use crate::pipeline::limit::columns;
use crate::pipeline::limit::rank;
use crate::pipeline::limit::records::Records;
use crate::pipeline::request::Request;
use crate::reduce::lines::is_markdown;
use crate::text::call::ToolCall;
use crate::text::ledger::{Action, Ledger, Span};
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::{details, names, signals};

/// The default cap does not cut a requested range of lines if its lines have at most this many bytes on
/// average.
const MAX_RANGE_LINE_BYTES: usize = 1_000;
/// Texts of fewer lines keep at least half of the full limits in a small context.
const MIN_SCALED_LINES: usize = 40;

/// Bytes of a seal, and of the line with an exit status.
const SEAL_AND_STATUS_BYTES: usize = 48;
/// A cut must remove at least the size of the text divided by this. A choice: less is not worth a gap.
const MIN_GAIN_ONE_IN: usize = 16;

/// The facts that decide how far a text is cut.
pub(in crate::pipeline) struct CapPolicy<'c, 'r> {
    pub request: &'c Request<'r>,
    pub source: &'c Source<'c>,
    pub detection: &'c Detection,
    /// Whether a reducer can parse the text.
    pub is_read: bool,
    /// Whether the result is that of an edit.
    pub is_edit: bool,
    /// The family of the text, if it is known.
    pub family: Option<&'c str>,
    /// The steps so far.
    pub steps: &'c [Step],
}

impl CapPolicy<'_, '_> {
    /// The head-tail cap of mode `standard`, for the text that the ledger shows.
    pub(in crate::pipeline) fn head_tail_cap(
        &self,
        signals: &[usize],
        ledger: &Ledger,
        size: usize,
    ) -> Option<Cap> {
        let limit = self.head_tail(signals, size)?;
        if self.is_elided(ledger) {
            return None;
        }
        // A report shortened by a reducer has more information per byte, so it gets twice the limit.
        let is_dense = self.is_read && !self.is_installation();
        let bytes = if is_dense { limit * 2 } else { limit };
        let samples = has_samples(self.source, self.detection);
        // A log or report that a program wrote to a file is treated like any other report.
        let outliers = samples || self.is_file_of_rows();
        let (reason, names) = (Reason::HeadTail, self.names());
        Some(Cap { bytes, strict: false, reason, samples, outliers, names })
    }

    /// The byte cap, and the failure lines that it keeps; `None` for a text that is not capped.
    pub(in crate::pipeline) fn output_cap<'s>(
        &self,
        signals: &'s [usize],
        ledger: &Ledger,
        bytes: usize,
    ) -> Option<(Cap, Cow<'s, [usize]>)> {
        let Self { source, detection, .. } = *self;
        // Error words in a source file are not a report, but their lines should still survive a cut. Lines that an
        // outline already left out do not count.
        let quoted =
            match source.text().len() > bytes && detection.shape == Shape::File && detection.is_written {
                true => kept_of(ledger, signals::failure_lines(source)),
                false => Vec::new(),
            };
        let signals = if quoted.is_empty() { Cow::Borrowed(signals) } else { Cow::Owned(quoted) };
        // Lines requested by number are kept unless the caller itself sets a cap. Long lines, as of data and logs,
        // are cut all the same: an agent that asks for some lines does not expect each to be as long as a page, and will not
        // edit or quote that much of them.
        let strict = self.request.policy.strict_cap;
        let is_exact = detection.is_exact_range()
            && !strict
            && source.text().len() <= source.len() * MAX_RANGE_LINE_BYTES;
        if is_exact {
            return None;
        }
        let bytes = self.scaled_cap(&signals, bytes);
        // Hits, files and edits are rows, and one of them may be an outlier.
        let outliers = match detection.shape {
            Shape::Search | Shape::Listing | Shape::Diff => true,
            _ if source.text().len() <= bytes => false,
            Shape::File | Shape::Other => has_samples(source, detection) || self.is_file_of_rows(),
        };
        let (reason, names) = (Reason::OutputCap, self.names());
        Some((Cap { bytes, strict, reason, samples: false, outliers, names }, signals))
    }

    /// The scale of the limits of a text without a reducer. If the call failed and the text reports failures, it gets
    /// the full limits, however small the context is, because no words tell which lines explain a failure. JSON
    /// documents do not: the structural cut keeps failures in them. At least half of the full limits apply to texts
    /// that only mention failures, short texts, ranges that the call chose itself (`| head -400`), and answers of
    /// tools that run no command, since somebody searched for them. In recorded sessions agents used nothing of the
    /// other half.
    fn scale(&self, signals: &[usize]) -> Scale {
        let fails = !signals.is_empty();
        if fails && self.request.call.succeeded() == Some(false) && !is_document(self.source) {
            return Scale::FULL;
        }
        let is_asked = self.detection.is_range || self.source.len() < MIN_SCALED_LINES;
        let is_wanted = fails || is_asked || self.request.call.command.is_none();
        let scale = self.request.policy.scale;
        if is_wanted { scale.at_least_half() } else { scale }
    }

    /// The size to which a text of `size` bytes is cut, or `None` if it is not cut.
    fn head_tail(&self, signals: &[usize], size: usize) -> Option<usize> {
        let (policy, scale) = (self.request.policy, self.scale(signals));
        let is_document = is_document(self.source);
        let is_over = policy.head_tail_from(is_document, scale).is_some_and(|from| size > from);
        policy.head_tail(is_document, scale).filter(|_| is_over && self.is_cut())
    }

    /// The byte cap in this context. It is not scaled if the caller set it, or if the text is one that an agent edits
    /// or reads from start to end.
    fn scaled_cap(&self, signals: &[usize], bytes: usize) -> usize {
        let policy = self.request.policy;
        let scale = match self.detection.shape {
            Shape::Search | Shape::Listing => policy.scale,
            Shape::Other if !self.is_edit && (self.is_read || !is_markdown(self.source)) => {
                self.scale(signals)
            }
            Shape::Other | Shape::File | Shape::Diff => Scale::FULL,
        };
        if policy.strict_cap { bytes } else { scale.of(bytes).max(1) }
    }

    /// The bytes that the cuts would leave of a text: a goal for steps that know its format.
    pub(in crate::pipeline) fn target_bytes(&self, signals: &[usize]) -> usize {
        let limit = self.head_tail(signals, self.source.text().len());
        let cap = self.scaled_cap(signals, self.request.policy.max_output_bytes);
        // A cap that the caller set holds for the whole text, which gets these later.
        let later = if self.request.policy.strict_cap { SEAL_AND_STATUS_BYTES } else { 0 };
        let cap = cap.saturating_sub(later).max(1);
        // A budget reduces documents here, by halving; other texts are cut by tokens later.
        limit.map_or(cap, |limit| limit.min(cap)) >> self.request.policy.squeeze.min(16)
    }

    /// Whether repeated blocks are left out before the cut, so that the cut removes less new text.
    pub(in crate::pipeline) fn drops_repeats(&self, size: usize, limit: usize) -> bool {
        let is_plain = self.detection.shape == Shape::Other && !self.detection.is_numbered;
        !self.is_read && is_plain && size > limit && self.source.text().len() <= INPUT_LIMIT
    }

    /// Whether the middle of the text may be left out.
    fn is_cut(&self) -> bool {
        let Self { source, detection, .. } = *self;
        let is_excluded = self.request.policy.never_omit || self.request.policy.excludes("head_tail");
        if self.request.in_full || self.request.policy.mode < Mode::Standard || is_excluded {
            return false;
        }
        let is_aggressive = self.request.policy.mode == Mode::Aggressive;
        let is_full = self.request.policy.file_detail == FileDetail::Full;
        let is_outlined = |s: &Step| s.id == "file_detail" && s.reason == Reason::Applied;
        match detection.shape {
            // A Markdown answer, such as that of another agent, is a document, not the report of a program.
            Shape::Other if !self.is_read && is_markdown(source) => false,
            Shape::Other => !self.is_read || (is_aggressive && self.is_report()),
            Shape::File if detection.is_range => false,
            // Agents do not edit a log or report that a program wrote to a file.
            Shape::File
                if is_aggressive
                    && !is_full
                    && !detection.is_window
                    && is_left(self.request.call, detection) =>
            {
                true
            }
            // Other files are cut only if the policy does not ask for them in full.
            Shape::File => {
                self.request.policy.file_detail == FileDetail::Auto
                    && self.request.policy.file_detail_fallback != FileDetail::Full
                    && !self.steps.iter().any(is_outlined)
            }
            _ => false,
        }
    }

    /// Whether an elider shortened a document that makes up nearly all of the text: a cut would make it invalid.
    fn is_elided(&self, ledger: &Ledger) -> bool {
        let source = self.source;
        let is_applied = |s: &Step| s.id == elide::ID && s.reason == Reason::Applied;
        let of_document = |span: &Span| match &span.action {
            Action::Replace { reason, .. } if elide::REASONS.contains(reason) => {
                source.byte_range(span.lines.clone()).len()
            }
            _ => 0,
        };
        self.steps.iter().any(is_applied)
            && ledger.spans().iter().map(of_document).sum::<usize>() * 10 >= source.text().len() * 9
    }

    /// Whether single lines of a file mean something by themselves: a log, a report, rows, or records.
    fn is_file_of_rows(&self) -> bool {
        self.detection.shape == Shape::File
            && (is_left(self.request.call, self.detection)
                || !self.detection.is_written
                    && (columns::is_table(self.source) || Records::read(self.source).is_some()))
    }

    /// Whether the text is one document that a cut would break, and that still exceeds `target_bytes`: then the
    /// structural cut reads the document again.
    pub(in crate::pipeline) fn is_broken_by_cut(&self, ledger: &Ledger, target_bytes: usize) -> bool {
        let is_whole = |span: &Span| matches!(span.action, Action::Replace { .. });
        is_document(self.source)
            && ledger.spans().iter().any(is_whole)
            && ledger.size(self.source, None) > target_bytes
    }

    fn is_report(&self) -> bool {
        matches!(self.family, Some("test" | "build" | "log" | "package"))
    }

    /// Whether a report is of the family `package`: an installation is often followed by other output.
    fn is_installation(&self) -> bool {
        self.family == Some("package")
    }

    /// The most bytes of names in the marker of the cut. 0 for logs, whose names are hosts and ids, and in
    /// `aggressive` for all reports, whose hidden lines passed.
    fn names(&self) -> usize {
        match self.request.policy.mode == Mode::Aggressive {
            true if self.is_report() && !self.is_installation() => 0,
            true => names::MAX_LISTED_BYTES,
            false if self.family == Some("log") => 0,
            false => names::MAX_LISTED_BYTES,
        }
    }
}

/// The ledger cut to a cap, with its size; `None` if it already fits or a cut would not make it smaller. In a report
/// the totals are kept with the failures, in `aggressive` also the details of each failure.
pub(in crate::pipeline) fn cut(
    request: &Request<'_>,
    source: &Source<'_>,
    signals: &[usize],
    (ledger, before): (&Ledger, usize),
    cap: Cap,
    is_report: bool,
) -> Option<(Ledger, usize)> {
    if before <= cap.bytes {
        return None;
    }
    request.timer_begin();
    let kept = match (is_report, request.policy.mode == Mode::Aggressive) {
        (false, _) => signals.to_vec(),
        (true, false) => details::with_totals(source, signals),
        (true, true) => details::with_details(source, signals),
    };
    let kept = rank::with_frames(source, &kept);
    // A replacement that earlier steps wrote for many lines may be too large for the cap, but the lines themselves
    // can be cut.
    let next = cap::apply(source, ledger, &kept, cap).map(|next| {
        let after = next.size(source, None);
        (next, after)
    });
    let most = match cap.reason == Reason::HeadTail && !cap.strict {
        true => before - before / MIN_GAIN_ONE_IN,
        false => before - 1,
    };
    next.filter(|(_, after)| *after <= most)
}

/// The lines that are shown unchanged. `lines` must be in order.
fn kept_of(ledger: &Ledger, mut lines: Vec<usize>) -> Vec<usize> {
    let kept: Vec<_> = ledger.kept().collect();
    let mut at = 0;
    lines.retain(|line| {
        while kept.get(at).is_some_and(|run| run.end <= *line) {
            at += 1;
        }
        kept.get(at).is_some_and(|run| run.contains(line))
    });
    lines
}

/// Whether single lines of a text mean something without their neighbours.
pub(in crate::pipeline) fn has_samples(source: &Source<'_>, detection: &Detection) -> bool {
    detection.shape == Shape::Other && !is_document(source)
}

/// Whether a file was written by a program: a log, a report.
fn is_left(call: &ToolCall, detection: &Detection) -> bool {
    const LOGS: &[&str] = &["log", "out", "output", "err", "txt"];
    let is_log = |path: &str| {
        path.starts_with("/var/log/") || path.rsplit_once('.').is_some_and(|(_, ext)| LOGS.contains(&ext))
    };
    !detection.is_written
        && (call.path.as_deref().is_some_and(is_log)
            || detection.command.producers().any(|(s, _)| s.argv.iter().skip(1).any(|word| is_log(word))))
}

/// Whether a text is one JSON document: without its middle it would be invalid.
pub(in crate::pipeline) fn is_document(source: &Source<'_>) -> bool {
    let text = source.text().trim();
    (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use crate::config::{FileDetail, Mode, Policy, Scale};
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Outcome, Raw, compress};
    use crate::text::call::ToolCall;

    fn run(command: &str, text: &str, policy: &Policy) -> Outcome {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        compress(&call, &[Raw::Text(text)], policy, false, &NoHistory).unwrap()
    }

    #[test]
    fn lines_that_answer_the_query_stay() {
        let line = |i: usize| format!("GET /orders/{i} by shopper{} took {} ms\n", i % 50, i * 7 % 90);
        let log: String = (0..3_000).map(line).collect();
        let passed: String = (0..300).map(|i| format!("test case_{i}_of_orders ... ok\n")).collect();
        let report = format!(
            "running 300 tests\n{passed}\ntest result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
             finished in 0.01s\n"
        );
        let policy = Policy { max_output_bytes: 3_000, strict_cap: true, ..Policy::default() };
        for (text, policy, command, query, answer) in [
            (&log, &Policy::default(), "cat requests", "why was order 1321 slow", line(1_321)),
            (&log, &policy, "cat requests", "order 1321", line(1_321)),
            (
                &report,
                &Policy::default(),
                "cargo test",
                "case_77_of_orders",
                "test case_77_of_orders ... ok\n".into(),
            ),
        ] {
            let call = ToolCall { command: Some(command.into()), tool: "bash".into(), ..ToolCall::default() };
            let asked = ToolCall { query: Some(query.into()), ..call.clone() };
            let run =
                |call| compress(call, &[Raw::Text(text)], policy, false, &NoHistory).unwrap().texts.concat();
            assert!(!run(&call).contains(&answer), "{query}");
            assert!(run(&asked).contains(&answer), "{query}");
        }
    }

    #[test]
    fn the_cap_holds_for_ranges_of_data_and_not_for_those_of_source_code() {
        let items: String = (0..9_000).map(|i| format!("item {i} {}\n", i * 7_919 % 9_973)).collect();
        let rows: Vec<String> =
            (0..6_000).map(|i| format!(" {{\n  \"id\": {i},\n  \"n\": \"name{i}\"\n }}")).collect();
        let json = format!("[\n{}\n]\n", rows.join(",\n"));
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            let policy = Policy { mode, ..Policy::default() };
            // The output may exceed the cap by its markers.
            let most = policy.max_output_bytes + 1_024;
            for command in [
                "tail -n 9000 x.txt",
                "sed -n '1,9000p' x.txt",
                "head -n 9000 x.csv",
                "sed -n '1,9000p' x.lock",
            ] {
                let text = run(command, &items, &policy).texts.concat();
                assert!(text.len() <= most, "{command}: {}", text.len());
            }
            for command in ["sed -n '1,9000p' x.rs", "tail -n 9000 x.py", "head -n 9000 README.md"] {
                assert_eq!(run(command, &items, &policy).texts.concat(), items, "{command}");
            }
            let text = run("tail -n 100000 x.json", &json, &policy).texts.concat();
            assert!(text.len() <= most, "{}", text.len());
            let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            assert!(is_json || mode == Mode::Safe);
        }
    }

    #[test]
    fn the_odd_row_of_a_search_stays_under_the_cap() {
        let row = |i: usize| match i {
            180 => "08:03:00 sshd: Accepted password for root from 91.240.118.172\n".to_owned(),
            _ => format!(
                "08:{:02}:{:02} sshd: Accepted publickey for deploy from 10.0.0.{}\n",
                i / 60,
                i % 60,
                i % 9
            ),
        };
        let text: String = (0..400).map(row).collect();
        let policy = Policy { max_output_bytes: 8_000, ..Policy::default() };
        let shown = run("grep Accepted auth.txt", &text, &policy).texts.concat();
        assert!(shown.contains("output_cap") && shown.contains("for root from 91.240.118.172"), "{shown}");
    }

    #[test]
    fn a_cut_that_takes_off_little_is_not_made() {
        let table = |rows: usize| -> String {
            (0..rows)
                .map(|i| {
                    format!(
                        "/dev/mapper/vg-{i:03} on /srv/{:04} type ext4 (rw,relatime)\n",
                        i * 7_919 % 9_973
                    )
                })
                .collect()
        };
        let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
        let shown = |rows: usize| run("./list", &table(rows), &policy).texts.concat();
        // From some size on the middle is left out, and then at least a sixteenth of the text.
        let first = (40..200).find(|rows| shown(*rows).contains("head_tail")).unwrap();
        assert_eq!(shown(first - 1), table(first - 1));
        assert!(shown(first).len() * 16 <= table(first).len() * 15, "{first}");
    }

    #[test]
    fn settings_of_one_section_stay_in_an_outline() {
        let section = |i: usize| {
            let enabled = i != 37;
            format!(
                "[[job]]\nname = \"job-{i}\"\nschedule = \"0 3 * * *\"\nenabled = {enabled}\nqueue = \"default\"\n\n"
            )
        };
        let toml: String = (0..90).map(section).collect();
        let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
        let shown = run("cat jobs.toml", &toml, &policy).texts.concat();
        assert!(shown.contains("name = \"job-37\"") && shown.contains("enabled = false"), "{shown}");
        // The omitted sections are one gap on each side, not one for each section.
        assert!(shown.matches("omitted").count() <= 3, "{shown}");
    }

    #[test]
    fn a_long_page_is_shown_as_its_contents() {
        let section = |i: usize| -> String {
            let lines =
                (0..20).map(|n| format!("Line {n} of part {i} says {}.\n", (i * 20 + n) * 7_919 % 9_973));
            format!("## Step {i}\n\n{}\n", lines.collect::<String>())
        };
        let page = |sections: usize| (0..sections).map(section).collect::<String>();
        let shown = |sections| run("cat guide.md", &page(sections), &Policy::default()).texts.concat();
        assert_eq!(shown(30), page(30));
        let contents = shown(45);
        assert!(contents.len() * 2 < page(45).len(), "{contents}");
        assert!((0..45).all(|i| contents.contains(&format!("## Step {i}\n"))), "{contents}");
        // Data of the same size stays: any of its lines may be needed.
        let yaml: String = (0..2_000).map(|i| format!("key_{i}: {}\n", i * 7_919 % 9_973)).collect();
        assert!(yaml.len() > 25_000);
        assert_eq!(run("cat a.yaml", &yaml, &Policy::default()).texts.concat(), yaml);
    }

    #[test]
    fn a_report_in_one_line_never_vanishes() {
        let file = |i: usize| {
            let warnings: Vec<String> = (0..9)
                .map(|n| format!("{{\"ruleId\":\"quotes\",\"severity\":1,\"message\":\"Strings must use singlequote, not {n}{i}.\",\"line\":{n},\"column\":{i},\"nodeType\":\"Literal\"}}"))
                .collect();
            format!(
                "{{\"filePath\":\"/p/f{i}.js\",\"messages\":[{{\"ruleId\":\"no-undef\",\"severity\":2,\"message\":\"'v{i}' is not defined.\",\
                 \"line\":{i},\"column\":2}},{}],\"errorCount\":1,\"warningCount\":9}}",
                warnings.join(",")
            )
        };
        let text = format!("[{}]\n", (0..60).map(file).collect::<Vec<_>>().join(","));
        for mode in [Mode::Standard, Mode::Aggressive] {
            let policy = Policy { mode, scale: Scale::of_context(0, 0), ..Policy::default() };
            let shown = run("npx eslint -f json .", &text, &policy).texts.concat();
            assert!(shown.contains("no-undef") && shown.contains("'v30' is not defined"), "{shown}");
        }
    }

    #[test]
    fn what_stands_out_in_a_log_that_is_read_stays() {
        let row = |i: usize| {
            format!(
                "epoch {} step {i} loss 0.{} grad_norm {}\n",
                i / 40,
                900 - i,
                if i == 93 { "418.2" } else { "1.02" }
            )
        };
        let log: String = (0..400).map(row).collect();
        let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
        let shown = run("cat train.log", &log, &policy).texts.concat();
        assert!(shown.contains("head_tail") && shown.contains("418.2"), "{shown}");
    }

    #[test]
    fn a_file_that_is_wanted_in_full_keeps_its_middle() {
        let notes: String = (0..1_500).map(|i| format!("word {i} of the notes\n")).collect();
        let policy = Policy { mode: Mode::Aggressive, file_detail: FileDetail::Full, ..Policy::default() };
        assert_eq!(run("cat notes.txt", &notes, &policy).texts.concat(), notes);
        let auto = Policy { mode: Mode::Aggressive, ..Policy::default() };
        assert!(run("cat notes.txt", &notes, &auto).texts.concat().len() < notes.len());
    }

    #[test]
    fn a_summary_is_suggested_by_the_size_before_the_cut() {
        let text: String =
            (0..3_000).map(|i| format!("value {i} of {} reads\n", i * 7_919 % 104_729)).collect();
        for mode in [Mode::Safe, Mode::Standard, Mode::Aggressive] {
            let evidence = run("./x", &text, &Policy { mode, ..Policy::default() }).evidence;
            assert!(evidence.summarize_suggested, "{evidence:?}");
        }
        // A text that a reducer parsed needs no summary.
        let cases: String = (0..3_000).map(|i| format!("test case_{i} ... ok\n")).collect();
        let report = format!(
            "running 3000 tests\n{cases}\ntest result: ok. 3000 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
        );
        assert!(!run("cargo test", &report, &Policy::default()).evidence.summarize_suggested);
    }

    #[test]
    fn arguments_ask_for_the_exact_output() {
        let text: String = (0..3_000).map(|i| format!("value {i}\n")).collect();
        for (arguments, is_exact) in [
            (serde_json::json!({"command": "./x", "full_output": true}), true),
            (serde_json::json!({"command": "./x", "fullOutput": true}), true),
            (serde_json::json!({"command": "./x", "full_output": "true"}), true),
            (serde_json::json!({"command": "./x", "full_output": false}), false),
            (serde_json::json!({"command": "echo full_output"}), false),
        ] {
            let call = ToolCall { tool: "bash".into(), arguments: arguments.clone(), ..ToolCall::default() };
            let out = compress(&call, &[Raw::Text(&text)], &Policy::default(), false, &NoHistory).unwrap();
            assert_eq!(out.texts.concat() == text, is_exact, "{arguments}");
        }
    }
}
