//! Runs all steps on one text, in this order: detect, reduce, repeat, elide, encode, cap. `attempt` checks each of
//! them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::attempt::{Attempt, PartOutput};
use super::evidence::Omission;
use super::reading::Stretch;
use super::request::Request;
use super::{INPUT_LIMIT, exit, guard, ruled};
use crate::config::{Mode, Structured};
use crate::detect::{Detection, pointed, wrapper};
use crate::encode::{self, ENCODERS, Encoder, dictionary};
use crate::input::Input;
use crate::pipeline::limit::cap::Cap;
use crate::pipeline::limit::cap_policy::{self, CapPolicy, has_samples};
use crate::pipeline::limit::{fit, outliers, pointer};
use crate::pipeline::repeat::echoes;
use crate::reduce::embedded;
use crate::reduce::lint::compiler;
use crate::reduce::{self, trace};
use crate::text::ledger::{Action, Ledger, Span};
use crate::text::marker::{self, Marker};
use crate::text::reason::Reason;
use crate::text::relevance;
use crate::text::relevance::Relevance;
use crate::text::signals;
use crate::text::source::Source;
use crate::tokens::Verbatim;
use crate::{detail, elide};

/// Bytes by which an output may exceed a cap that the caller set: its markers and their check.
const CAP_SLACK_BYTES: usize = 256;
/// Failure lines of a text whose words the session remembers.
const MAX_MENTION_LINES: usize = 8;

impl<'a> Attempt<'_, 'a> {
    /// All steps on one part.
    pub(super) fn compress(&mut self, source: &Source<'_>) -> PartOutput<'static> {
        let (part, cap_bytes) = (self.part, self.cap_bytes);
        let tokens_before = self.found.evidence.tokens.after;
        if self.is_own(source.text()) && !self.is_over_cap(source, cap_bytes) {
            return self.already_compressed(source);
        }
        crate::stop::check();
        let is_wanted = self.is_wanted(source) || ruled::may_apply(self.request, source);
        let bare = is_wanted.then(|| wrapper::bare(source)).flatten();
        let bare = bare.as_deref().map(|text| Source::part(text, source.number(0) - 1));
        let (detection, mut stretches) = self.stretches(source, bare.as_ref(), is_wanted);
        crate::stop::check();
        self.rule = ruled::choose(self.request, source, &detection, &stretches);
        if let Some(rule) = &self.rule {
            self.found.evidence.rule.get_or_insert_with(|| rule.name().to_owned());
        }
        self.restrict(&mut stretches);
        let signals = match detection.reports_failures() {
            true => signals::failure_lines(source),
            false => Vec::new(),
        };
        self.note_failures(source, &detection, &signals);
        let protected = self.protected(source, &signals);
        let mut state = (Ledger::new(source), source.text().len());
        if !self.is_passed_through() {
            self.try_step("embedded_binary", source, &[], &mut state, |_| embedded::reduce(source));
        }
        if self.is_passed_through() {
            self.pass_through(source);
        } else if self.rule.is_some() || self.is_for_reducers(source) {
            self.standard(source, &detection, stretches, &signals, &protected, &mut state);
        }
        let ledger =
            match (self.request.in_full || self.is_passed_through()) && !self.request.policy.strict_cap {
                true => state.0,
                false => self.cap(source, &detection, &protected, state.0, cap_bytes),
            };
        let kept = guard::count_visible(source, &ledger, &signals);
        self.found.evidence.guard.kept += kept;
        crate::stop::check();
        let (text, verbatim) = self.written(source, &detection, &ledger);
        crate::stop::check();
        let text = self.sealed(source, part, text, &verbatim);
        crate::stop::check();
        let ledger = match text == source.text() {
            true => {
                self.found.references.retain(|r| r.part as usize != part);
                Ledger::new(source)
            }
            false => ledger,
        };
        self.found
            .evidence
            .omissions
            .extend(ledger.gaps(source).into_iter().map(|gap| Omission::of(gap, part)));
        let kind = match self.request.pointer {
            Some(_) => {
                pointer::Kind::of(source, &detection, self.found.evidence.family.as_deref(), signals.len())
            }
            None => pointer::Kind::Text,
        };
        PartOutput {
            text,
            source: None,
            ledger: Some(ledger),
            kept,
            is_report: detection.reports_failures(),
            has_samples: has_samples(source, &detection),
            signals,
            tokens: self.found.evidence.tokens.after - tokens_before,
            kind,
            dictionary: None,
        }
    }

    /// Processes a text that is, as a whole, an earlier output of tersed.
    fn already_compressed(&mut self, source: &Source<'_>) -> PartOutput<'static> {
        self.step("standard", Reason::AlreadyCompressed, source.text().len(), source.text().len());
        let tokens = self.request.source_tokens[self.part];
        self.found.evidence.tokens.after += tokens;
        // In an output of ours all failure lines are those of a report.
        let signals = if self.request.limit.is_some() { signals::failure_lines(source) } else { Vec::new() };
        PartOutput {
            text: source.text().to_owned(),
            source: None,
            ledger: None,
            kept: 0,
            is_report: true,
            has_samples: false,
            signals,
            tokens,
            kind: pointer::Kind::Text,
            dictionary: None,
        }
    }

    /// Notes the failure lines for the evidence, and their words for the topics of the session.
    fn note_failures(&mut self, source: &Source<'_>, detection: &Detection, signals: &[usize]) {
        self.found.evidence.guard.signals += signals.len();
        self.trace_signals(signals);
        if self.request.tracks_visibility {
            for &line in signals.iter().take(MAX_MENTION_LINES) {
                relevance::words(source.line(line), |word| self.found.mentions.push(word));
            }
            let places = pointed::places(self.request.call, detection, source, !signals.is_empty());
            self.found.places.extend(places);
        }
    }

    /// The text of a ledger, with the exit status if nothing else says it, and with a dictionary if that pays.
    fn written(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        ledger: &Ledger,
    ) -> (String, Vec<Verbatim>) {
        let handle = self.request.handle();
        let (mut text, verbatim) = ledger.render_with_lines(source, handle.as_deref());
        if let Some(status) = self.request.call.exit_code.filter(|status| *status != 0)
            && !ledger.gaps(source).is_empty()
            && !exit::names_status(&text, status)
        {
            exit::write_status(&mut text, status);
        }
        if self.rule_allows("dictionary")
            && !self.is_passed_through()
            && self.is_wanted(source)
            && super::dictionary::is_for(self.request, source, detection)
        {
            text = self.with_dictionary(source, text);
        }
        (text, verbatim)
    }

    /// The facts that decide how far a text is cut.
    fn cap_policy<'c>(&'c self, source: &'c Source<'_>, detection: &'c Detection) -> CapPolicy<'c, 'a> {
        CapPolicy {
            request: self.request,
            source,
            detection,
            is_read: self.is_read,
            is_edit: self.is_edit,
            family: self.found.evidence.family.as_deref(),
            steps: &self.found.evidence.steps,
        }
    }

    /// Cuts the text to the head-tail limit of `standard`, and to the byte cap.
    fn cap(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        signals: &[usize],
        ledger: Ledger,
        bytes: usize,
    ) -> Ledger {
        if self.request.policy.never_omit && !self.request.policy.strict_cap {
            return ledger;
        }
        let is_report = detection.reports_failures();
        let size = ledger.size(source, None);
        let mut state = (ledger, size);
        let policy = self.cap_policy(source, detection);
        let cap = policy.head_tail_cap(signals, &state.0, size).filter(|_| self.rule_allows("head_tail"));
        if let Some(cap) = cap {
            if policy.drops_repeats(state.1, cap.bytes) {
                self.try_step("repeated_blocks", source, signals, &mut state, |ledger| {
                    echoes::reduce(source, ledger)
                });
                // The step counts with a handle in its markers.
                state.1 = state.0.size(source, None);
            }
            state = self.cut("head_tail", source, signals, state, cap, is_report);
        }
        let cap = self.cap_policy(source, detection).output_cap(signals, &state.0, bytes);
        let Some((cap, signals)) = cap else { return state.0 };
        self.cut("output_cap", source, &signals, state, cap, is_report).0
    }

    /// Cuts a ledger, which comes with its size, to a cap; returns it unchanged if nothing needs to be cut.
    fn cut(
        &mut self,
        id: &str,
        source: &Source<'_>,
        signals: &[usize],
        (ledger, before): (Ledger, usize),
        cap: Cap,
        is_report: bool,
    ) -> (Ledger, usize) {
        let reason = cap.reason;
        let next = cap_policy::cut(self.request, source, signals, (&ledger, before), cap, is_report);
        let Some((next, after)) = next else { return (ledger, before) };
        self.step(id, Reason::Applied, before, after);
        self.trace_step(&ledger, &next);
        self.found.evidence.capped |= reason == Reason::OutputCap;
        (next, after)
    }

    /// The text with the better of its dictionaries, if one of them pays.
    fn with_dictionary(&mut self, source: &Source<'_>, text: String) -> String {
        let (size, timer) = (text.len(), self.request.timer);
        let found = &mut self.found;
        let mut declined = |id: &'static str, why| found.step(id, why, size, size, timer);
        let written = super::dictionary::best(self.request, source, &text, &mut declined);
        let Some(written) = written else { return text };
        self.step(written.method.step(), Reason::Applied, size, written.text.len());
        self.trace_rewritten();
        self.found.evidence.dictionary_method = Some(written.method.name().to_owned());
        let out = written.text.clone();
        self.dictionary = Some((written, text));
        out
    }

    /// Whether an earlier output of tersed is larger than the cap allows. A text without our seal counts as
    /// foreign. A sealed text may have been made under a different cap.
    fn is_over_cap(&self, source: &Source<'_>, cap_bytes: usize) -> bool {
        // The output of the cap may exceed it by its markers.
        let excess = source.text().len().saturating_sub(cap_bytes + CAP_SLACK_BYTES);
        if excess == 0
            || self.request.policy.strict_cap
            || !marker::is_sealed(source.text(), &self.request.policy.seal_key)
        {
            return excess > 0;
        }
        // A default cap makes room for failure lines, each with its heading.
        let failures = signals::failure_lines(source);
        excess > failures.iter().map(|&line| 2 * source.line(line).len() + CAP_SLACK_BYTES).sum()
    }

    /// Whether a text is, as a whole, an earlier output of tersed.
    fn is_own(&self, text: &str) -> bool {
        // The text may have been written for a budget in a higher mode than the one that is requested now, with
        // tables and dictionaries.
        let tables = matches!(self.request.policy.structured_form(), Structured::Tables | Structured::Plain)
            || self.request.policy.budget.per_result.is_some();
        marker::is_sealed(text, &self.request.policy.seal_key)
            // The safe stage escaped duplicate markers that the session did not give.
            || matches!(Marker::parse(text), Some((Marker::Duplicate { .. }, _)))
            || self.request.policy.mode >= Mode::Standard && tables && encode::json_table::is_own(text)
            || self.request.policy.mode >= Mode::Standard && dictionary::is_own(text)
            // A line that a budget cut inside has no marker; it is known by its end.
            || self.request.policy.budget.per_result.is_some() && text.ends_with(fit::TRUNCATED)
    }

    /// Whether `standard` does anything beyond the safe stage with a text of this size.
    fn is_for_reducers(&mut self, source: &Source<'_>) -> bool {
        let size = source.text().len();
        if self.request.policy.mode < Mode::Standard {
            if self.request.policy.drop_empty && elide::holds_members(source.text()) {
                self.step(elide::ID, Reason::EmptyKept, size, size);
            }
            return false;
        }
        let why = match () {
            () if size < self.request.policy.min_bytes => Reason::BelowMinBytes,
            () if size > INPUT_LIMIT => Reason::OverInputLimit,
            () => return true,
        };
        self.step("standard", why, size, size);
        false
    }

    /// Whether reducers are asked about a text of this size.
    pub(super) fn is_wanted(&self, source: &Source<'_>) -> bool {
        let sizes = self.request.policy.min_bytes..=INPUT_LIMIT;
        self.request.policy.mode >= Mode::Standard && sizes.contains(&source.text().len())
    }

    /// The reducers, references, outlines and encoders.
    fn standard(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        stretches: Vec<Stretch<'_>>,
        signals: &[usize],
        protected: &[usize],
        state: &mut (Ledger, usize),
    ) {
        let Request { call, policy, .. } = *self.request;
        let relevance = self.request.relevance();
        let input = Input { source, call, detection, policy, relevance };
        let wanted = policy.mode == Mode::Aggressive || detail::wants_terms(&input);
        let about = wanted.then(|| self.about(source));
        let input = Input { relevance: about.as_ref().unwrap_or(relevance), ..input };
        if !self.request.in_full {
            self.stages(source, signals, state);
            self.reduced(&input, stretches, signals, protected, state);
        }
        self.refer_to_blocks(source, detection, signals, state);
        let is_elided = !self.request.in_full && self.elided(&input, signals, protected, state);
        if !self.request.in_full && !is_elided {
            self.outlined(&input, protected, state);
        }
        self.encoded(&input, signals, state);
        if is_elided {
            self.without_repeated_names(source, state);
        }
    }

    /// The reducers: that of the format, then those for compiler messages, stack traces and progress in any text.
    fn reduced(
        &mut self,
        input: &Input<'_>,
        stretches: Vec<Stretch<'_>>,
        signals: &[usize],
        protected: &[usize],
        state: &mut (Ledger, usize),
    ) {
        let Input { source, detection, .. } = *input;
        let compiled = self.read(source, stretches, input.relevance, protected, state);
        if self.plan.rewrites && !compiled.is_empty() && self.rule_allows(compiler::ID) {
            self.try_step(compiler::ID, source, signals, state, |ledger| {
                compiler::reduce(input, ledger, &compiled, signals)
            });
        }
        if detection.is_document {
            return;
        }
        if detection.reports_failures() && self.rule_allows("stack_traces") {
            self.try_step("stack_traces", source, signals, state, |ledger| trace::reduce(source, ledger));
        }
        if self.rule_allows("progress") {
            self.try_step("progress", source, protected, state, |ledger| {
                reduce::progress::reduce(input, ledger)
            });
        }
    }

    /// Elides structured data: from what earlier steps left, or from all of it if a later cut would break it.
    /// Returns whether it did.
    fn elided(
        &mut self,
        input: &Input<'_>,
        signals: &[usize],
        protected: &[usize],
        state: &mut (Ledger, usize),
    ) -> bool {
        let Input { source, detection, .. } = *input;
        let target_bytes = self.cap_policy(source, detection).target_bytes(signals);
        if !self.rule_allows(elide::ID) {
            return false;
        }
        let elide = |ledger: &Ledger| elide::reduce(input, ledger, signals, Some(target_bytes));
        if self.try_step(elide::ID, source, protected, state, elide) {
            return true;
        }
        if !self.cap_policy(source, detection).is_broken_by_cut(&state.0, target_bytes) {
            return false;
        }
        let mut anew = (Ledger::new(source), state.1);
        let is_elided = self.try_step(elide::ID, source, protected, &mut anew, elide);
        if is_elided {
            *state = anew;
        }
        is_elided
    }

    /// Shows a file as its outline, and refers to earlier outputs for parts of it.
    fn outlined(&mut self, input: &Input<'_>, protected: &[usize], state: &mut (Ledger, usize)) {
        let source = input.source;
        let is_outlined = self.rule_allows("file_detail")
            && self.try_step("file_detail", source, protected, state, |ledger| {
                let outliers = match detail::is_data(input) {
                    true => outliers::of_data(source, detail::is_markup(input)),
                    false => Vec::new(),
                };
                detail::reduce(input, ledger, &outliers, protected)
            });
        if is_outlined {
            self.refer_to_outlines(source, protected, state);
        }
    }

    /// The encoders.
    fn encoded(&mut self, input: &Input<'_>, signals: &[usize], state: &mut (Ledger, usize)) {
        let (rewrites, tables) = (self.plan.rewrites, self.plan.tables);
        let keeps_repeats = self.request.in_full || self.is_edit;
        let allowed = |encoder: &&&dyn Encoder| {
            (rewrites || !encode::REWRITERS.contains(&encoder.id()))
                && (tables || encoder.id() != encode::TABLES)
                && !(keeps_repeats && encoder.id() == encode::REPEATS)
        };
        for encoder in ENCODERS.iter().filter(allowed) {
            if !self.rule_allows(encoder.id()) {
                continue;
            }
            // Other encoders change only white space in a line.
            let checked = if encoder.id() == encode::TABLES { signals } else { &[] };
            self.try_step(encoder.id(), input.source, checked, state, |ledger| encoder.encode(input, ledger));
        }
        let has_written = |s: &Span| matches!(s.action, Action::Replace { .. });
        let tables = tables && !self.request.is_verbatim && !self.request.policy.excludes(encode::TABLES);
        if tables && rewrites && self.rule_allows(encode::TABLES) && state.0.spans().iter().any(has_written) {
            self.tabulate(input, signals, state);
        }
    }

    /// Removes names from markers of elided data if another marker has the same names: a table has one marker for
    /// all of its rows.
    fn without_repeated_names(&mut self, source: &Source<'_>, state: &mut (Ledger, usize)) {
        let mut next = state.0.clone();
        if elide::drop_repeated_names(&mut next) {
            let after = next.size(source, self.request.any_handle());
            self.step(elide::ID, Reason::Applied, state.1, after);
            self.trace_step(&state.0, &next);
            *state = (next, after);
        }
    }

    /// Writes tables into the JSON that earlier steps show in place of lines.
    fn tabulate(&mut self, input: &Input<'_>, signals: &[usize], state: &mut (Ledger, usize)) {
        let source = input.source;
        self.request.timer_begin();
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let mut next = encode::json_table::in_replacements(input, &state.0)?;
            let restored = guard::check(source, &mut next, signals, false).restored;
            let after = next.size(source, self.request.any_handle());
            if restored.is_empty() && after < state.1 { Ok((next, after)) } else { Err(Reason::NotPaying) }
        }));
        match tried.unwrap_or(Err(Reason::ReducerPanicked)) {
            Ok((next, after)) => {
                self.step(encode::TABLES, Reason::Applied, state.1, after);
                self.trace_step(&state.0, &next);
                *state = (next, after);
            }
            Err(Reason::ReducerPanicked) => {
                self.step(encode::TABLES, Reason::ReducerPanicked, state.1, state.1)
            }
            Err(_) => {}
        }
    }

    /// The relevance of the text for the request and for the topics of the session. Notes the terms that are in it,
    /// since the topics will have changed when the same request is repeated.
    fn about(&mut self, source: &Source<'_>) -> Relevance {
        let call = self.request.call;
        let all = Relevance::new(call.query.as_deref(), &call.mentioned(), &self.request.session_terms());
        let found = all.found_in(source.text(), detail::MAX_TERMS);
        for term in &found {
            if !self.found.terms.contains(term) {
                self.found.terms.push(*term);
            }
        }
        let edited: Vec<Arc<str>> = match self.request.in_full {
            true => Vec::new(),
            false => self.request.edited(),
        };
        for text in &edited {
            if !self.found.edited.contains(text) {
                self.found.edited.push(Arc::clone(text));
            }
        }
        let pointed = match self.request.in_full {
            true => Vec::new(),
            false => self.request.pointed(),
        };
        self.found.pointed.clone_from(&pointed);
        Relevance::new(None, &[], &found).with_edited(edited).with_pointed(pointed)
    }

    /// The last check of the size: the sealed text, or the source if that costs no more tokens. Counts the
    /// tokens of the result.
    fn sealed(
        &mut self,
        source: &Source<'_>,
        part: usize,
        mut text: String,
        verbatim: &[Verbatim],
    ) -> String {
        if text == source.text() {
            self.found.evidence.tokens.after += self.request.source_tokens[part];
            return text;
        }
        self.request.timer_begin();
        marker::seal(&mut text, &self.request.policy.seal_key);
        let tokens = match self.request.line_counts.get(part) {
            Some(Some(counts)) => self.request.counter.recount(&text, counts, source.counted(), verbatim),
            _ => self.request.counter.count(&text),
        };
        let over_cap =
            self.request.policy.strict_cap && source.text().len() > self.request.policy.max_output_bytes;
        let pays = text.len() <= source.text().len() && tokens < self.request.source_tokens[part];
        if pays || over_cap {
            self.found.evidence.tokens.after += tokens;
            return text;
        }
        self.step("gate", Reason::NotPaying, source.text().len(), source.text().len());
        self.found.evidence.tokens.after += self.request.source_tokens[part];
        self.before.restore(&mut self.found.evidence);
        source.text().to_owned()
    }
}
