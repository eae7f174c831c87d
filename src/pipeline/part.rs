//! The steps on one text: detect, reduce, encode, guard, gate and cap.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use super::blocks::{self, Earlier};
use super::evidence::{Evidence, Omission, Step};
use super::narrow::PartOutput;
use super::reading::Stretch;
use super::run::Run;
use super::{INPUT_LIMIT, exit, fit, guard, pointer};
use crate::config::{Mode, Structured};
use crate::detect::Detection;
use crate::encode::{self, ENCODERS, Encoder, dictionary};
use crate::input::Input;
use crate::reduce::embedded;
use crate::reduce::lint::compiler;
use crate::reduce::{self, trace};
use crate::sanitize;
use crate::sanitize::Sanitized;
use crate::sanitize::binary::Binary;
use crate::text::ledger::{Action, Ledger, Reduction, Span};
use crate::text::lines::Lines;
use crate::text::marker;
use crate::text::marker::Marker;
use crate::text::reason::Reason;
use crate::text::relevance;
use crate::text::relevance::Relevance;
use crate::text::signals;
use crate::text::source::Source;
use crate::tokens::Verbatim;
use crate::{detail, elide};

/// Bytes by which an output may exceed a cap that the caller set: its markers and their check.
const MARKERS: usize = 256;
/// Failure lines of a text whose words the session remembers.
const MENTIONS: usize = 8;
/// Lines at the end of a report that are never a reference.
const SUMMARY: usize = 5;

impl Run<'_> {
    /// The text of every part after all steps but dedup.
    pub(super) fn texts(&mut self, parts: &[Sanitized]) -> Vec<String> {
        let total: usize = parts.iter().map(|p| p.text.len()).sum();
        let mut lines_before = 0;
        let mut all: Vec<PartOutput<'_>> = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            if let Some(binary) = &part.binary {
                self.trace_binary(index, binary, lines_before);
                all.push(self.binary(binary));
                continue;
            }
            let source = Source::part(&part.text, lines_before);
            lines_before += source.len();
            let share =
                |bytes: usize| (bytes as u128 * part.text.len() as u128 / total.max(1) as u128) as usize;
            let cap_bytes = share(self.policy.max_output_bytes).max(1);
            let before = (self.evidence.clone(), self.references.len(), self.terms.len());
            let first_step = self.evidence.steps.len();
            let mut done = self.compress_part(&source, index, cap_bytes);
            // First without tables, which look like nothing that came in, then without any rewriting.
            for (tables, rewrites) in [(false, true), (false, false)] {
                if self.is_stable(&done.text, done.tokens, cap_bytes) {
                    break;
                }
                self.evidence = before.0.clone();
                self.references.truncate(before.1);
                self.terms.truncate(before.2);
                (self.tables, self.rewrites) = (tables, rewrites);
                done = self.compress_part(&source, index, cap_bytes);
            }
            // What a rule gives may no longer be what the rule is for.
            if self.rule.is_some() && !self.is_stable(&done.text, done.tokens, cap_bytes) {
                self.evidence = before.0.clone();
                self.references.truncate(before.1);
                self.terms.truncate(before.2);
                self.is_held = true;
                done = self.compress_part(&source, index, cap_bytes);
                self.is_held = false;
            }
            (self.tables, self.rewrites) = (true, true);
            self.trace_steps(first_step);
            let dictionary = self.dictionary.take().map(|(written, _)| written);
            all.push(PartOutput { source: Some(source), dictionary, ..done });
        }
        if self.weighs {
            self.needs = all.iter().map(|done| self.needs_of(done)).sum();
        }
        self.narrow(&mut all);
        self.trace_end(&all);
        for done in all.iter().filter(|_| self.tracks_visibility) {
            if let (Some(source), Some(ledger)) = (&done.source, &done.ledger) {
                let changed = |line: &str| done.dictionary.as_ref().is_some_and(|d| d.touches(line));
                ledger.shown(source, &changed, &mut self.shown);
            }
        }
        all.into_iter().map(|done| done.text).collect()
    }

    /// The marker in place of data that are no text.
    fn binary(&mut self, binary: &Binary) -> PartOutput<'static> {
        let marker = Marker::Binary { mime: binary.mime.to_owned(), bytes: binary.size };
        let mut text = marker.write();
        marker::seal(&mut text, &self.policy.seal_key);
        let tokens = self.counter.count(&text);
        self.evidence.tokens.after += tokens;
        PartOutput {
            text,
            source: None,
            ledger: None,
            signals: Vec::new(),
            kept: 0,
            is_report: false,
            tokens,
            kind: pointer::Kind::Binary,
            dictionary: None,
        }
    }

    /// Whether a text that an encoder rewrote would stay as it is if it came in again. Rewritten
    /// neighbours may have become a repetition that was none before.
    fn is_stable(&self, text: &str, tokens: usize, cap_bytes: usize) -> bool {
        let rewritten = |step: &Step| {
            step.reason == Reason::Applied
                && (encode::REWRITERS.contains(&step.id.as_str()) || reduce::is_rewriter(&step.id))
        };
        // What the safe stage would take for a secret in the new form would be lost the next time.
        if self.wrote_table() && !sanitize::is_clean(text, self.policy.redact_secrets) {
            return false;
        }
        // A dictionary hides what is below it from a second run, but does not make it right.
        let mut below = self.dictionary.as_ref().map(|(_, below)| below.clone());
        below.iter_mut().for_each(|text| marker::seal(text, &self.policy.seal_key));
        let has_dictionary = below.is_some();
        let text = below.as_deref().unwrap_or(text);
        let is_tried = self.rule.is_some() || self.evidence.steps.iter().any(rewritten);
        if !is_tried || marker::is_sealed(text, &self.policy.seal_key) {
            return true;
        }
        let source_tokens = vec![if has_dictionary { self.counter.count(text) } else { tokens }];
        let evidence = Evidence::default();
        let mut again = Run {
            evidence,
            retain: None,
            source_tokens,
            line_counts: Arc::new([]),
            relevance: Rc::clone(&self.relevance),
            earlier: Earlier::Nothing,
            references: Vec::new(),
            shown: Lines::default(),
            session_terms: Vec::new(),
            terms: Vec::new(),
            mentions: Vec::new(),
            key: None,
            duplicate_of: None,
            trace: None,
            timer: None,
            limit: None,
            pointer: None,
            dictionary: None,
            rule: None,
            ..*self
        };
        again.compress_part(&Source::new(text), 0, cap_bytes).text == text
    }

    /// Whether data were written as tables.
    fn wrote_table(&self) -> bool {
        self.evidence.steps.iter().any(|step| step.id == encode::TABLES && step.reason == Reason::Applied)
    }

    /// All steps on one part.
    fn compress_part(&mut self, source: &Source<'_>, part: usize, cap_bytes: usize) -> PartOutput<'static> {
        let tokens_before = self.evidence.tokens.after;
        self.trace_begin(part);
        if self.is_own(source.text()) && !self.is_over_cap(source, cap_bytes) {
            self.step("standard", Reason::AlreadyCompressed, source.text().len(), source.text().len());
            let tokens = self.source_tokens[part];
            self.evidence.tokens.after += tokens;
            // Its own failures are those of a report.
            let signals = if self.limit.is_some() { signals::failure_lines(source) } else { Vec::new() };
            return PartOutput {
                text: source.text().to_owned(),
                source: None,
                ledger: None,
                kept: 0,
                is_report: true,
                signals,
                tokens,
                kind: pointer::Kind::Text,
                dictionary: None,
            };
        }
        crate::stop::check();
        self.is_read = false;
        self.dictionary = None;
        let is_wanted = self.is_wanted(source) || self.may_be_ruled(source);
        let (detection, mut stretches) = self.plan(source, is_wanted);
        crate::stop::check();
        self.choose_rule(source, &detection, &stretches);
        self.restrict(&mut stretches);
        let signals = match detection.reports_failures() {
            true => signals::failure_lines(source),
            false => Vec::new(),
        };
        self.evidence.guard.signals += signals.len();
        self.trace_signals(&signals);
        if self.tracks_visibility {
            for &line in signals.iter().take(MENTIONS) {
                relevance::words(source.line(line), |word| self.mentions.push(word));
            }
        }
        let mut state = (Ledger::new(source), source.text().len());
        if !self.is_passed_through() {
            self.attempt("embedded_binary", source, &[], &mut state, |_| embedded::reduce(source));
        }
        if self.is_passed_through() {
            self.pass_through(source);
        } else if self.rule.is_some() || self.is_for_reducers(source) {
            self.standard(source, part, &detection, stretches, &signals, &mut state);
        }
        let ledger = match (self.in_full || self.is_passed_through()) && !self.policy.strict_cap {
            true => state.0,
            false => self.cap(source, &detection, &signals, state.0, cap_bytes),
        };
        let kept = guard::count_visible(source, &ledger, &signals);
        self.evidence.guard.kept += kept;
        let handle = self.handle();
        crate::stop::check();
        let (mut text, verbatim) = ledger.render_with_lines(source, handle.as_deref());
        if let Some(status) = self.call.exit_code.filter(|status| *status != 0)
            && !ledger.gaps(source).is_empty()
            && !exit::is_told(&text, status)
        {
            exit::write_status(&mut text, status);
        }
        if self.rule_allows("dictionary")
            && !self.is_passed_through()
            && self.is_for_dictionary(source, &detection)
        {
            text = self.with_dictionary(text);
        }
        crate::stop::check();
        let text = self.sealed(source, part, text, &verbatim);
        crate::stop::check();
        let ledger = match text == source.text() {
            true => {
                self.references.retain(|r| r.part as usize != part);
                Ledger::new(source)
            }
            false => ledger,
        };
        self.evidence.omissions.extend(ledger.gaps(source).into_iter().map(|gap| Omission::of(gap, part)));
        let kind = match self.pointer {
            Some(_) => pointer::Kind::of(source, &detection, self.evidence.family.as_deref(), signals.len()),
            None => pointer::Kind::Text,
        };
        PartOutput {
            text,
            source: None,
            ledger: Some(ledger),
            kept,
            is_report: detection.reports_failures(),
            signals,
            tokens: self.evidence.tokens.after - tokens_before,
            kind,
            dictionary: None,
        }
    }

    /// Whether an output of ours is larger than the cap lets one be. What has no seal is anybody's, and what has one may
    /// have had another cap.
    fn is_over_cap(&self, source: &Source<'_>, cap_bytes: usize) -> bool {
        // What the cap gave may exceed it by its markers.
        let excess = source.text().len().saturating_sub(cap_bytes + MARKERS);
        if excess == 0 || self.policy.strict_cap || !marker::is_sealed(source.text(), &self.policy.seal_key) {
            return excess > 0;
        }
        // A cap that nobody set gives way to failure lines, each with its heading.
        let failures = signals::failure_lines(source);
        excess > failures.iter().map(|&line| 2 * source.line(line).len() + MARKERS).sum()
    }

    /// Whether a text is, whole, an output of ours.
    fn is_own(&self, text: &str) -> bool {
        let tables = matches!(self.policy.structured_form(), Structured::Tables | Structured::Plain);
        marker::is_sealed(text, &self.policy.seal_key)
            || self.policy.mode >= Mode::Standard && tables && encode::json_table::is_own(text)
            // A budget may have climbed to a mode above the one that is asked for now.
            || self.policy.mode >= Mode::Standard && dictionary::is_own(text)
            // What a budget cut inside a line has no marker to be known by.
            || self.policy.budget.per_result.is_some() && text.ends_with(fit::TRUNCATED)
    }

    /// Whether `standard` does anything beyond the safe stage with a text of this size.
    fn is_for_reducers(&mut self, source: &Source<'_>) -> bool {
        let size = source.text().len();
        if self.policy.mode < Mode::Standard {
            return false;
        }
        let why = match () {
            () if size < self.policy.min_bytes => Reason::BelowMinBytes,
            () if size > INPUT_LIMIT => Reason::OverInputLimit,
            () => return true,
        };
        self.step("standard", why, size, size);
        false
    }

    /// Whether reducers are asked about a text of this size.
    pub(super) fn is_wanted(&self, source: &Source<'_>) -> bool {
        let sizes = self.policy.min_bytes..=INPUT_LIMIT;
        self.policy.mode >= Mode::Standard && sizes.contains(&source.text().len())
    }

    /// The reducers, references, outlines and encoders.
    fn standard(
        &mut self,
        source: &Source<'_>,
        part: usize,
        detection: &Detection,
        stretches: Vec<Stretch<'_>>,
        signals: &[usize],
        state: &mut (Ledger, usize),
    ) {
        let relevance = Rc::clone(&self.relevance);
        let input = Input { source, call: self.call, detection, policy: self.policy, relevance: &relevance };
        let wanted = self.policy.mode == Mode::Aggressive || detail::wants_terms(&input);
        let about = wanted.then(|| self.about(source));
        let input = Input { relevance: about.as_ref().unwrap_or(&relevance), ..input };
        if !self.in_full {
            self.stages(source, signals, state);
            let compiled = self.read(source, stretches, input.relevance, signals, state);
            if self.rewrites && !compiled.is_empty() && self.rule_allows(compiler::ID) {
                self.attempt(compiler::ID, source, signals, state, |ledger| {
                    compiler::reduce(&input, ledger, &compiled, signals)
                });
            }
            if detection.reports_failures() && !detection.is_document && self.rule_allows("stack_traces") {
                self.attempt("stack_traces", source, signals, state, |ledger| trace::reduce(source, ledger));
            }
            if !detection.is_document && self.rule_allows("progress") {
                self.attempt("progress", source, signals, state, |ledger| {
                    reduce::progress::reduce(&input, ledger)
                });
            }
        }
        // The end of a report is its summary.
        let mut fixed = signals.to_vec();
        if detection.reports_failures() {
            let end = source.len().saturating_sub(SUMMARY);
            fixed.retain(|&line| line < end);
            fixed.extend(end..source.len());
        }
        let mut references = blocks::find(source, part, &state.0, &fixed, self.earlier, self.counter);
        if detection.is_window && references.iter().any(|r| r.is_shifted(source)) {
            // What the window shows of failures would stand under other numbers there.
            let fixed = signals::failure_lines(source);
            references = blocks::find(source, part, &state.0, &fixed, self.earlier, self.counter);
        }
        if !references.is_empty()
            && self.rule_allows("block_dedup")
            && self.attempt("block_dedup", source, &[], state, |_| Ok(blocks::reduction(&references)))
        {
            self.references.extend(references);
        }
        let room = self.room(source, detection);
        let is_elided = !self.in_full
            && self.rule_allows(elide::ID)
            && self.attempt(elide::ID, source, signals, state, |ledger| {
                elide::reduce(&input, ledger, signals, room)
            });
        if !self.in_full && !is_elided && self.rule_allows("file_detail") {
            self.attempt("file_detail", source, signals, state, |ledger| detail::reduce(&input, ledger));
        }
        let (rewrites, tables, in_full) = (self.rewrites, self.tables, self.in_full);
        let allowed = |encoder: &&&dyn Encoder| {
            (rewrites || !encode::REWRITERS.contains(&encoder.id()))
                && (tables || encoder.id() != encode::TABLES)
                && !(in_full && encoder.id() == encode::REPEATS)
        };
        for encoder in ENCODERS.iter().filter(allowed) {
            if !self.rule_allows(encoder.id()) {
                continue;
            }
            // The others leave every line as it is, but for its white space.
            let checked = if encoder.id() == encode::TABLES { signals } else { &[] };
            self.attempt(encoder.id(), source, checked, state, |ledger| encoder.encode(&input, ledger));
        }
        let has_written = |s: &Span| matches!(s.action, Action::Replace { .. });
        let tables = tables && !self.is_verbatim && !self.policy.excludes(encode::TABLES);
        if tables && rewrites && self.rule_allows(encode::TABLES) && state.0.spans().iter().any(has_written) {
            self.tabulate(&input, signals, state);
        }
    }

    /// Writes tables into the JSON that earlier steps show in place of lines.
    fn tabulate(&mut self, input: &Input<'_>, signals: &[usize], state: &mut (Ledger, usize)) {
        let source = input.source;
        self.timer_begin();
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let mut next = encode::json_table::in_replacements(input, &state.0)?;
            let restored = guard::check(source, &mut next, signals, false).restored;
            let after = next.size(source, self.any_handle());
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

    /// What the text is asked about by the request and by what the session talks about. Notes the terms
    /// that stand in it, since the session will have moved on when the text is asked for again.
    fn about(&mut self, source: &Source<'_>) -> Relevance {
        let Self { call, session_terms, .. } = self;
        let all = Relevance::new(call.query.as_deref(), &call.mentioned(), session_terms);
        let found = all.found_in(source.text(), detail::MAX_TERMS);
        for term in &found {
            if !self.terms.contains(term) {
                self.terms.push(*term);
            }
        }
        Relevance::new(None, &[], &found)
    }

    /// Tries one step and keeps its result only if it accounts for every line, passes the guard and
    /// makes the text smaller.
    pub(super) fn attempt(
        &mut self,
        id: &str,
        source: &Source<'_>,
        signals: &[usize],
        state: &mut (Ledger, usize),
        step: impl FnOnce(&Ledger) -> Result<Reduction, Reason>,
    ) -> bool {
        let (ledger, size) = state;
        if self.policy.excludes(id) {
            self.step(id, Reason::ExcludedMethod, *size, *size);
            return false;
        }
        let (is_verbatim, never_omits) = (self.is_verbatim, self.policy.never_omit);
        // The status of a pipe or of a chain is that of its last part.
        let is_masked = self.call.command.as_deref().is_some_and(|command| command.contains(['|', ';']));
        let may_be_cut = is_masked || self.call.exit_code != Some(0);
        self.timer_begin();
        // Outside: what unwinds for want of anybody who waits is no fault of the step.
        crate::stop::check();
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let reduction = step(ledger)?;
            crate::stop::check();
            if is_verbatim && reduction.rewrites() {
                return Err(Reason::Verbatim);
            }
            let mut next = ledger.apply(source, reduction).map_err(|_| Reason::InvalidReduction)?;
            next.drop_unpaid(source);
            crate::stop::check();
            let verdict = guard::check(source, &mut next, signals, may_be_cut);
            if verdict.is_blind() {
                return Err(Reason::GuardDeclined);
            }
            next.drop_unpaid(source);
            if never_omits && !next.gaps(source).is_empty() {
                return Err(Reason::NeverOmit);
            }
            let after = next.size(source, self.any_handle());
            if after < *size { Ok((next, after, verdict)) } else { Err(Reason::NotPaying) }
        }));
        crate::stop::check();
        match tried.unwrap_or(Err(Reason::ReducerPanicked)) {
            Ok((next, after, verdict)) => {
                self.evidence.guard.restored += verdict.restored.len();
                self.step(id, Reason::Applied, *size, after);
                self.trace_step(ledger, &next);
                self.trace_restored(&verdict);
                *state = (next, after);
                true
            }
            Err(Reason::NothingToDo) => false,
            Err(why) => {
                self.step(id, why, *size, *size);
                false
            }
        }
    }

    /// The gate on the whole: the sealed text, or the source when that costs no more. Counts the
    /// tokens of what it gives.
    fn sealed(
        &mut self,
        source: &Source<'_>,
        part: usize,
        mut text: String,
        verbatim: &[Verbatim],
    ) -> String {
        if text == source.text() {
            self.evidence.tokens.after += self.source_tokens[part];
            return text;
        }
        self.timer_begin();
        marker::seal(&mut text, &self.policy.seal_key);
        let tokens = match self.line_counts.get(part) {
            Some(Some(counts)) => self.counter.recount(&text, counts, source.counted(), verbatim),
            _ => self.counter.count(&text),
        };
        let over_cap = self.policy.strict_cap && source.text().len() > self.policy.max_output_bytes;
        let pays = text.len() <= source.text().len() && tokens < self.source_tokens[part];
        if pays || over_cap {
            self.evidence.tokens.after += tokens;
            return text;
        }
        self.step("gate", Reason::NotPaying, source.text().len(), source.text().len());
        self.evidence.tokens.after += self.source_tokens[part];
        self.evidence.reducer = None;
        self.evidence.capped = false;
        self.evidence.dictionary_method = None;
        source.text().to_owned()
    }
}
