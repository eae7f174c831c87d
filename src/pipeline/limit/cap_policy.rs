//! Decides which texts lose their middle after all other steps, down to which size, and what must stay. The cut itself is
//! in `cap`.

use crate::config::{FileDetail, Mode, Scale};
use crate::detect::{Detection, Shape};
use crate::elide;
use crate::pipeline::INPUT_LIMIT;
use crate::pipeline::attempt::Attempt;
use crate::pipeline::evidence::Step;
use crate::pipeline::limit::cap;
use crate::pipeline::limit::cap::Cap;
use crate::pipeline::limit::rank;
use crate::pipeline::repeat::echoes;
use crate::reduce::lines::is_markdown;
use crate::text::call::ToolCall;
use crate::text::ledger::{Action, Ledger, Span};
use crate::text::reason::Reason;
use crate::text::source::Source;
use crate::text::{details, names, signals};

/// Longest lines of a range that no default cap cuts, on average, in bytes.
const MAX_RANGE_LINE_BYTES: usize = 1_000;
/// Texts of fewer lines have the whole limits in a small context too.
const MIN_SCALED_LINES: usize = 40;

impl Attempt<'_, '_> {
    /// The head-tail limit of `standard` and the byte cap.
    pub(in crate::pipeline) fn cap(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        mut ledger: Ledger,
        bytes: usize,
    ) -> Ledger {
        if self.request.policy.never_omit && !self.request.policy.strict_cap {
            return ledger;
        }
        let limit = self.head_tail(source, detection, signals, ledger.size(source, None));
        let limit = limit.filter(|_| self.rule_allows("head_tail"));
        if let Some(limit) = limit.filter(|_| !self.is_elided(source, &ledger)) {
            // A report that a reducer has shortened is denser than a text that no reducer knows.
            let is_dense = self.is_read && !self.is_installation();
            let limit = if is_dense { limit * 2 } else { limit };
            ledger = self.without_repeats(source, detection, signals, ledger, limit);
            let samples = has_samples(source, detection);
            let cap = Cap {
                bytes: limit,
                strict: false,
                reason: Reason::HeadTail,
                samples,
                outliers: samples,
                names: self.names(),
            };
            ledger = self.cut("head_tail", source, signals, ledger, cap, detection.reports_failures());
        }
        // Words of errors in a source file are no report, but a cut must not prefer other lines to them either. Those that
        // stand in what an outline leaves out are not shown anyway.
        let quoted =
            match source.text().len() > bytes && detection.shape == Shape::File && detection.is_written {
                true => kept_of(&ledger, signals::failure_lines(source)),
                false => Vec::new(),
            };
        let signals = if quoted.is_empty() { signals } else { &quoted };
        // Lines that were asked for by their numbers stay unless the caller itself sets a cap.
        // An agent that asks for some lines does not expect each of them to be as long as a page.
        // To read the end of a log, or of another text that nobody wrote by hand, is not to choose lines.
        let is_tail = !detection.is_written
            && detection.command.producers().any(|(simple, _)| simple.program() == "tail");
        let is_exact = detection.is_range
            && !is_tail
            && detection.shape == Shape::File
            && !self.request.policy.strict_cap
            && source.text().len() <= source.len() * MAX_RANGE_LINE_BYTES;
        if is_exact {
            return ledger;
        }
        let bytes = self.scaled_cap(source, detection, signals, bytes);
        let strict = self.request.policy.strict_cap;
        let outliers = has_samples(source, detection);
        let reason = Reason::OutputCap;
        let cap = Cap { bytes, strict, reason, samples: false, outliers, names: self.names() };
        self.cut("output_cap", source, signals, ledger, cap, detection.reports_failures())
    }

    /// The scale of the limits of a text that no reader knows. A report of a failure has the whole limits: which lines explain a
    /// failure cannot be told by their words. So have texts of few lines and what a call bounds itself (`| head -400`), for it
    /// was asked for, and answers of tools other than commands: documents that somebody looked for.
    fn scale(&self, source: &Source<'_>, detection: &Detection, signals: &[usize]) -> Scale {
        let is_asked = detection.is_range || source.len() < MIN_SCALED_LINES;
        let is_whole = !signals.is_empty() || is_asked || self.request.call.command.is_none();
        if is_whole { Scale::FULL } else { self.request.policy.scale }
    }

    /// Bytes to which a text of this size loses its middle.
    fn head_tail(
        &self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        size: usize,
    ) -> Option<usize> {
        let (policy, scale) = (self.request.policy, self.scale(source, detection, signals));
        let is_document = is_document(source);
        let is_over = policy.head_tail_from(is_document, scale).is_some_and(|from| size > from);
        policy.head_tail(is_document, scale).filter(|_| is_over && self.is_cut(source, detection))
    }

    /// The byte cap in this context. One that the caller set counts as it is, and so does that of a text that an agent edits
    /// or reads from end to end.
    fn scaled_cap(
        &self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        bytes: usize,
    ) -> usize {
        let policy = self.request.policy;
        let scale = match detection.shape {
            Shape::Search | Shape::Listing => policy.scale,
            Shape::Other if !self.is_edit && (self.is_read || !is_markdown(source)) => {
                self.scale(source, detection, signals)
            }
            Shape::Other | Shape::File | Shape::Diff => Scale::FULL,
        };
        if policy.strict_cap { bytes } else { scale.of(bytes).max(1) }
    }

    /// Bytes that the cuts would leave of a text: what a step that knows its format can aim at.
    pub(in crate::pipeline) fn room(
        &self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
    ) -> Option<usize> {
        let limit = self.head_tail(source, detection, signals, source.text().len());
        let cap = self.scaled_cap(source, detection, signals, self.request.policy.max_output_bytes);
        // A budget that asks for less asks it of documents here, and of other texts by a cut.
        Some(limit.map_or(cap, |limit| limit.min(cap)) >> self.request.policy.squeeze.min(16))
    }

    /// Brings the ledger under a cap. Of a report the totals stay with the failures, in `aggressive` also
    /// what says more of each.
    fn cut(
        &mut self,
        id: &str,
        source: &Source<'_>,
        signals: &[usize],
        ledger: Ledger,
        cap: Cap,
        is_report: bool,
    ) -> Ledger {
        let before = ledger.size(source, None);
        if before <= cap.bytes {
            return ledger;
        }
        self.request.timer_begin();
        let kept = match (is_report, self.request.policy.mode == Mode::Aggressive) {
            (false, _) => signals.to_vec(),
            (true, false) => details::with_totals(source, signals),
            (true, true) => details::with_details(source, signals),
        };
        let kept = rank::with_frames(source, &kept);
        // What other steps wrote in place of many lines may not fit, and the lines themselves be longer.
        let next = cap::apply(source, &ledger, &kept, cap).map(|next| (next.size(source, None), next));
        let Some((after, next)) = next.filter(|(after, _)| *after < before) else { return ledger };
        self.step(id, Reason::Applied, before, after);
        self.trace_step(&ledger, &next);
        self.found.evidence.capped |= cap.reason == Reason::OutputCap;
        next
    }

    /// Takes out what stands twice, before new text has to go.
    fn without_repeats(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        ledger: Ledger,
        limit: usize,
    ) -> Ledger {
        let size = ledger.size(source, None);
        let is_plain = detection.shape == Shape::Other && !detection.is_numbered;
        if self.is_read || !is_plain || size <= limit || source.text().len() > INPUT_LIMIT {
            return ledger;
        }
        let mut state = (ledger, size);
        self.try_step("repeated_blocks", source, signals, &mut state, |ledger| {
            echoes::reduce(source, ledger)
        });
        state.0
    }

    /// Whether the middle of such a text may go.
    fn is_cut(&self, source: &Source<'_>, detection: &Detection) -> bool {
        let is_excluded = self.request.policy.never_omit || self.request.policy.excludes("head_tail");
        if self.request.in_full || self.request.policy.mode < Mode::Standard || is_excluded {
            return false;
        }
        let is_aggressive = self.request.policy.mode == Mode::Aggressive;
        let is_outlined = |s: &Step| s.id == "file_detail" && s.reason == Reason::Applied;
        match detection.shape {
            // The answer of another agent is a document, and no program's report.
            Shape::Other if !self.is_read && is_markdown(source) => false,
            Shape::Other => !self.is_read || (is_aggressive && self.is_report()),
            Shape::File if detection.is_range => false,
            // A log or a report that a program left is no text that an agent edits.
            Shape::File if is_aggressive && !detection.is_window && is_left(self.request.call, detection) => {
                true
            }
            // A file without an outline is cut as a report is only where the policy does not want it in full.
            Shape::File => {
                self.request.policy.file_detail == FileDetail::Auto
                    && self.request.policy.file_detail_fallback != FileDetail::Full
                    && !self.found.evidence.steps.iter().any(is_outlined)
            }
            _ => false,
        }
    }

    /// Whether what is left of a document is still one, and nearly all of the text: a cut would end that.
    fn is_elided(&self, source: &Source<'_>, ledger: &Ledger) -> bool {
        let is_applied = |s: &Step| s.id == elide::ID && s.reason == Reason::Applied;
        let of_document = |span: &Span| match &span.action {
            Action::Replace { reason, .. } if elide::REASONS.contains(reason) => {
                source.byte_range(span.lines.clone()).len()
            }
            _ => 0,
        };
        self.found.evidence.steps.iter().any(is_applied)
            && ledger.spans().iter().map(of_document).sum::<usize>() * 10 >= source.text().len() * 9
    }

    fn is_report(&self) -> bool {
        self.found
            .evidence
            .family
            .as_deref()
            .is_some_and(|family| matches!(family, "test" | "build" | "log" | "package"))
    }

    /// Whether a report starts with an installation, which is often the start of something else.
    fn is_installation(&self) -> bool {
        self.found.evidence.family.as_deref() == Some("package")
    }

    /// Bytes for the names of what is cut. Hosts and ids are the names of a log, and what a report does
    /// not show passed.
    fn names(&self) -> usize {
        match self.request.policy.mode == Mode::Aggressive {
            true if self.is_report() && !self.is_installation() => 0,
            true => names::MAX_LISTED_BYTES,
            false if self.found.evidence.family.as_deref() == Some("log") => 0,
            false => names::MAX_LISTED_BYTES,
        }
    }
}

/// Those of the lines, which are in order, that are shown as they are.
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

/// Whether a file is what a program left: a log, a report.
fn is_left(call: &ToolCall, detection: &Detection) -> bool {
    const LOGS: &[&str] = &["log", "out", "output", "err", "txt"];
    let is_log = |path: &str| {
        path.starts_with("/var/log/") || path.rsplit_once('.').is_some_and(|(_, ext)| LOGS.contains(&ext))
    };
    !detection.is_written
        && (call.path.as_deref().is_some_and(is_log)
            || detection.command.producers().any(|(s, _)| s.argv.iter().skip(1).any(|word| is_log(word))))
}

/// Whether a text is one JSON document: its middle cannot go without breaking it.
fn is_document(source: &Source<'_>) -> bool {
    let text = source.text().trim();
    (text.starts_with('{') && text.ends_with('}')) || (text.starts_with('[') && text.ends_with(']'))
}
