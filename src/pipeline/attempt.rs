//! One attempt at a part: the steps on it under one plan, and what they found.
//!
//! An attempt owns everything that it changes. If its output cannot be used, the whole attempt is dropped and another one is
//! made with the next plan.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::evidence::{Evidence, Omission, RedactionCount, Removal, Step};
use super::guard::{self, Verdict};
use super::limit::cap_policy::is_document;
use super::limit::pointer;
use super::request::Request;
use super::timer::Timer;
use super::trace::Notes;
use crate::detect::edit::{self, Touched};
use crate::detect::pointed::PointedLine;
use crate::encode::dictionary::Written;
use crate::pipeline::repeat::blocks::Reference;
use crate::rules::Rule;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::relevance::{self, Term};
use crate::text::source::Source;

/// The steps that an attempt at a part may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    /// Whether data may be written as tables, where the policy allows it.
    pub(super) tables: bool,
    /// Whether lines may be rewritten.
    pub(super) rewrites: bool,
    /// Whether a text that a rule of the operator matches is left unchanged, because the rule's output would change
    /// if it were compressed again.
    pub(super) holds_rule: bool,
}

impl Plan {
    /// The first plan: everything that the policy allows.
    pub(super) const FULL: Self = Self { tables: true, rewrites: true, holds_rule: false };
    /// The next plans, each tried if the output of the plan before is unstable, that is, would change if it were
    /// compressed again: first without tables, then without any rewriting.
    pub(super) const FALLBACKS: [Self; 2] =
        [Self { tables: false, ..Self::FULL }, Self { tables: false, rewrites: false, ..Self::FULL }];
}

/// An edit's lines are protected from being hidden only if they have at most this many bytes together.
const MAX_PROTECTED_BYTES: usize = 8 << 10;
/// Lines that answer the query are protected up to `MAX_PROTECTED_BYTES` divided by this. A choice.
const ANSWERS_ONE_IN: usize = 4;

/// The findings about a result, part after part.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings {
    pub(super) evidence: Evidence,
    /// The number of steps of the earlier parts, if their lists were taken out.
    steps_before: usize,
    /// Lines of earlier outputs that were referred to.
    pub(super) references: Vec<Reference>,
    /// Topics of the session that changed a decision.
    pub(super) terms: Vec<Term>,
    /// Texts of the agent's edits that changed a decision.
    pub(super) edited: Vec<Arc<str>>,
    /// Lines of the file that recent results point at, which changed a decision.
    pub(super) pointed: Vec<u32>,
    /// Lines that the last answer to the same question did not have, by the index of their part.
    pub(super) new_lines: Vec<(u32, u32)>,
    /// Places that this result points at.
    pub(super) places: Vec<PointedLine>,
    /// Digests of the words of failures that were reported.
    pub(super) mentions: Vec<u64>,
    /// Whether a rule leaves a text unchanged. Then the result does not become a reference to an earlier one, either.
    pub(super) is_exact: bool,
}

/// The lists of findings that grow with each part.
pub(super) struct Lists {
    evidence: (Vec<Step>, Vec<Omission>, Vec<RedactionCount>, Vec<Removal>),
    mentions: Vec<u64>,
    places: Vec<PointedLine>,
    new_lines: Vec<(u32, u32)>,
}

impl Findings {
    /// The findings before the first part.
    pub(super) fn new(evidence: Evidence) -> Self {
        Self { evidence, ..Self::default() }
    }

    /// Takes out the lists of the earlier parts: each attempt at a part copies the findings, and does not need them.
    pub(super) fn take_lists(&mut self) -> Lists {
        use std::mem::take;
        let Evidence { steps, omissions, redactions, removals, .. } = &mut self.evidence;
        self.steps_before += steps.len();
        Lists {
            evidence: (take(steps), take(omissions), take(redactions), take(removals)),
            mentions: take(&mut self.mentions),
            places: take(&mut self.places),
            new_lines: take(&mut self.new_lines),
        }
    }

    /// Puts these lists back, in front of what was found since.
    pub(super) fn put_before(&mut self, lists: Lists) {
        fn join<T>(before: Vec<T>, list: &mut Vec<T>) {
            let found = std::mem::replace(list, before);
            list.extend(found);
        }
        let Evidence { steps, omissions, redactions, removals, .. } = &mut self.evidence;
        self.steps_before -= lists.evidence.0.len();
        join(lists.evidence.0, steps);
        join(lists.evidence.1, omissions);
        join(lists.evidence.2, redactions);
        join(lists.evidence.3, removals);
        join(lists.mentions, &mut self.mentions);
        join(lists.places, &mut self.places);
        join(lists.new_lines, &mut self.new_lines);
    }

    /// Notes a step that was tried.
    pub(super) fn step(
        &mut self,
        id: &str,
        reason: Reason,
        before: usize,
        after: usize,
        timer: Option<&dyn Timer>,
    ) {
        let id = id.to_owned();
        self.evidence.steps.push(Step { id, reason, bytes_before: before, bytes_after: after });
        if let Some(timer) = timer {
            timer.ended(self.steps_before + self.evidence.steps.len() - 1);
        }
    }
}

/// The evidence about the earlier parts. It is restored if this part is returned unchanged.
pub(super) struct Before {
    reducer: Option<String>,
    capped: bool,
    dictionary_method: Option<String>,
}

impl Before {
    fn of(evidence: &Evidence) -> Self {
        let Evidence { reducer, capped, dictionary_method, .. } = evidence;
        Self { reducer: reducer.clone(), capped: *capped, dictionary_method: dictionary_method.clone() }
    }

    /// Takes back what this part added.
    pub(super) fn restore(&self, evidence: &mut Evidence) {
        evidence.reducer.clone_from(&self.reducer);
        evidence.capped = self.capped;
        evidence.dictionary_method.clone_from(&self.dictionary_method);
    }
}

/// One attempt at a part. It owns everything that the steps change.
pub(super) struct Attempt<'r, 'a> {
    pub(super) request: &'r Request<'a>,
    pub(super) plan: Plan,
    /// Index of the part.
    pub(super) part: usize,
    /// The byte cap of the part.
    pub(super) cap_bytes: usize,
    /// Findings of earlier parts, and of this one so far.
    pub(super) found: Findings,
    /// What the evidence said before this part.
    pub(super) before: Before,
    /// Notes on the changes of each step, if they were requested.
    pub(super) notes: Option<Notes>,
    /// Whether the result is that of an edit.
    pub(super) is_edit: bool,
    /// The lines that the edit touched, as far as they are known, with those around them: they are shown.
    pub(super) touched: Vec<usize>,
    /// Whether a reducer knows the grammar of the text.
    pub(super) is_read: bool,
    /// The operator's rule that matches the text.
    pub(super) rule: Option<Arc<Rule>>,
    /// The dictionary of the text, and the text without it.
    pub(super) dictionary: Option<(Written, String)>,
}

/// One part after its steps.
pub(super) struct PartOutput<'a> {
    pub(super) text: String,
    /// The source of the text; `None` for binary data.
    pub(super) source: Option<&'a Source<'a>>,
    /// The ledger of its lines; `None` if the text is an output of ours.
    pub(super) ledger: Option<Ledger>,
    /// Lines that report a failure.
    pub(super) signals: Vec<usize>,
    /// How many of these lines can be seen.
    pub(super) kept: usize,
    /// Whether its failure words report failures. In other texts, such as source code, they are only mentioned.
    pub(super) is_report: bool,
    /// Whether single lines of it mean something without their neighbours.
    pub(super) has_samples: bool,
    /// Tokens of the text.
    pub(super) tokens: usize,
    /// The kind of an externalized text, by its content.
    pub(super) kind: pointer::Kind,
    /// The dictionary that the text was written with.
    pub(super) dictionary: Option<Written>,
}

/// The result of an attempt.
pub(super) struct Attempted {
    pub(super) output: PartOutput<'static>,
    pub(super) found: Findings,
    pub(super) notes: Option<Notes>,
    /// Whether a rule of the operator fits the text.
    pub(super) is_ruled: bool,
    /// The dictionary of the text, and the text without it.
    pub(super) dictionary: Option<(Written, String)>,
}

impl<'r, 'a> Attempt<'r, 'a> {
    /// Runs the steps on a part under `plan`. `found` holds the findings of earlier parts.
    pub(super) fn make(
        request: &'r Request<'a>,
        plan: Plan,
        part: usize,
        source: &Source<'_>,
        cap_bytes: usize,
        found: Findings,
    ) -> Attempted {
        let notes = request.takes_notes.then(Notes::default);
        let (is_read, rule, dictionary) = (false, None, None);
        let mut found = found;
        let before = Before::of(&found.evidence);
        let new_lines = request.new_lines(part, source).into_iter().map(|line| (part as u32, line));
        found.new_lines.extend(new_lines);
        let touched = edit::touched(request.call, source);
        let is_edit = touched != Touched::Nothing;
        let touched = lines_of(&touched, source.len());
        let mut attempt = Self {
            request,
            plan,
            part,
            cap_bytes,
            found,
            before,
            notes,
            is_edit,
            touched,
            is_read,
            rule,
            dictionary,
        };
        let output = attempt.compress(source);
        let Self { found, notes, rule, dictionary, .. } = attempt;
        Attempted { output, found, notes, is_ruled: rule.is_some(), dictionary }
    }

    /// The lines that no step may hide: failure lines, the line at which a command was killed, the lines that are new
    /// since the last answer to the same question, lines that an edit touched, unless these are too many bytes, and lines
    /// that answer the query.
    pub(super) fn protected(&self, source: &Source<'_>, signals: &[usize]) -> Vec<usize> {
        let bytes: usize = self.touched.iter().map(|&line| source.raw(line).len()).sum();
        let is_much = bytes > self.cap_bytes.min(MAX_PROTECTED_BYTES);
        let mut all = [signals, if is_much { &[] } else { &self.touched }].concat();
        // Documents are cut by structure, which ranks what it keeps by the query itself.
        if let Some(query) = self.request.call.query.as_deref().filter(|_| !is_document(source)) {
            all.extend(relevance::answers(
                query,
                source,
                self.cap_bytes.min(MAX_PROTECTED_BYTES) / ANSWERS_ONE_IN,
            ));
        }
        all.extend(killed_at(source, signals, self.request.call.exit_code));
        // In a report of tests or a build every line may be new; its failures are kept anyway.
        let is_run = matches!(self.found.evidence.family.as_deref(), Some("test" | "build"));
        let new = self.found.new_lines.iter().filter(|(part, _)| !is_run && *part as usize == self.part);
        all.extend(new.map(|(_, line)| *line as usize).filter(|line| *line < source.len()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether the rule for this text, if there is one, allows a step.
    pub(super) fn rule_allows(&self, step: &str) -> bool {
        self.rule.as_ref().is_none_or(|rule| rule.methods.allows(step))
    }

    /// Whether the text is left unchanged because of a rule: the rule says so, or its output would be unstable.
    pub(super) fn is_passed_through(&self) -> bool {
        self.rule.as_ref().is_some_and(|rule| rule.methods.passthrough || self.plan.holds_rule)
    }

    /// Notes that nothing is done to a text.
    pub(super) fn pass_through(&mut self, source: &Source<'_>) {
        let Some(rule) = self.rule.clone() else { return };
        let size = source.text().len();
        let why = if self.plan.holds_rule { Reason::RuleUnstable } else { Reason::RuleExact };
        self.step(&rule.step(), why, size, size);
        self.found.evidence.bypass.get_or_insert(why);
        self.found.is_exact = true;
    }

    /// Runs the stages of the rule.
    pub(super) fn stages(&mut self, source: &Source<'_>, signals: &[usize], state: &mut (Ledger, usize)) {
        let Some(rule) = self.rule.clone().filter(|rule| rule.has_stages()) else { return };
        let (call, id) = (self.request.call, rule.step());
        let mut unproven = false;
        let is_applied = self.try_step(&id, source, signals, state, |ledger| {
            let (reduction, is_unproven) = rule.reduce(source, call, ledger, signals);
            unproven = is_unproven;
            reduction
        });
        if is_applied {
            self.found.evidence.reducer.get_or_insert_with(|| id.clone());
            // The rule kept exactly the lines that the operator wants, so the text counts as read by a reducer.
            self.is_read = true;
        }
        if unproven {
            let size = state.1;
            self.step(&id, Reason::RuleUnproven, size, size);
        }
    }

    /// The notes on the part, and the last step of the evidence.
    fn notes(&mut self) -> Option<(&mut Notes, usize)> {
        let step = (self.found.steps_before + self.found.evidence.steps.len()).saturating_sub(1);
        Some((self.notes.as_mut()?, step))
    }

    /// Notes the lines that report a failure.
    pub(super) fn trace_signals(&mut self, signals: &[usize]) {
        if let Some((notes, _)) = self.notes() {
            notes.signals = signals.to_vec();
        }
    }

    /// Notes the changes of the last step of the evidence.
    pub(super) fn trace_step(&mut self, old: &Ledger, new: &Ledger) {
        if let Some((notes, step)) = self.notes() {
            notes.changed(old, new, step);
        }
    }

    /// Notes the lines that the guard took from the last step of the evidence.
    pub(super) fn trace_restored(&mut self, verdict: &Verdict) {
        if let Some((notes, step)) = self.notes() {
            notes.restored.extend(verdict.restored.iter().map(|line| (*line, step)));
            notes.restored_more.extend(verdict.more.iter().map(|line| (*line, step)));
        }
    }

    /// Notes that the last step of the evidence rewrote the whole output.
    pub(super) fn trace_rewritten(&mut self) {
        if let Some((notes, step)) = self.notes() {
            notes.rewritten_by = Some(step);
        }
    }

    /// Notes a step that was tried.
    pub(super) fn step(&mut self, id: &str, reason: Reason, before: usize, after: usize) {
        self.found.step(id, reason, before, after, self.request.timer);
    }

    /// Tries one step and keeps its result only if it accounts for every line, passes the guard and
    /// makes the text smaller.
    pub(super) fn try_step(
        &mut self,
        id: &str,
        source: &Source<'_>,
        signals: &[usize],
        state: &mut (Ledger, usize),
        step: impl FnOnce(&Ledger) -> Result<Reduction, Reason>,
    ) -> bool {
        // Compiled once, and not once for each step.
        let mut step = Some(step);
        let mut step = |ledger: &Ledger| step.take().map_or(Err(Reason::NothingToDo), |step| step(ledger));
        self.try_one(id, source, signals, state, &mut step)
    }

    fn try_one(
        &mut self,
        id: &str,
        source: &Source<'_>,
        signals: &[usize],
        state: &mut (Ledger, usize),
        step: &mut dyn FnMut(&Ledger) -> Result<Reduction, Reason>,
    ) -> bool {
        let (ledger, size) = state;
        if self.request.policy.excludes(id) {
            self.step(id, Reason::ExcludedMethod, *size, *size);
            return false;
        }
        let (is_verbatim, never_omits) = (self.request.is_verbatim, self.request.policy.never_omit);
        // The status of a pipe or of a chain is that of its last part.
        let is_masked = self
            .request
            .call
            .command
            .as_deref()
            .is_some_and(|command| memchr::memchr2(b'|', b';', command.as_bytes()).is_some());
        let may_be_cut = is_masked || self.request.call.exit_code != Some(0);
        self.request.timer_begin();
        // Outside of `catch_unwind`: a cancelled request unwinds here, and that must not count as a fault of
        // the step.
        crate::stop::check();
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let reduction = step(ledger)?;
            crate::stop::check();
            if is_verbatim && reduction.rewrites() {
                return Err(Reason::Verbatim);
            }
            let mut next = ledger.apply(source, reduction).map_err(|_| Reason::InvalidReduction)?;
            next.restore_unprofitable(source);
            crate::stop::check();
            let verdict = guard::check(source, &mut next, signals, may_be_cut);
            if verdict.is_blind() {
                return Err(Reason::GuardDeclined);
            }
            next.restore_unprofitable(source);
            if never_omits && !next.gaps(source).is_empty() {
                return Err(Reason::NeverOmit);
            }
            let after = next.size(source, self.request.any_handle());
            if after < *size { Ok((next, after, verdict)) } else { Err(Reason::NotPaying) }
        }));
        crate::stop::check();
        match tried.unwrap_or(Err(Reason::ReducerPanicked)) {
            Ok((next, after, verdict)) => {
                self.found.evidence.guard.restored += verdict.restored.len();
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
}

/// The touched lines as a list. The ranges are in order and may overlap.
fn lines_of(touched: &Touched, len: usize) -> Vec<usize> {
    let Touched::Lines(runs) = touched else { return Vec::new() };
    let mut is_touched = vec![false; len];
    let mut done = 0;
    for run in runs {
        let from = run.start.max(done).min(run.end);
        is_touched[from..run.end].fill(true);
        done = run.end.max(done);
    }
    (0..len).filter(|&line| is_touched[line]).collect()
}

/// The last line that a command wrote before it was killed, if it says what the command was doing then. Closing tags and messages
/// about the end come after it.
fn killed_at(source: &Source<'_>, signals: &[usize], status: Option<i64>) -> Option<usize> {
    /// Statuses of `timeout` and of commands that SIGINT, SIGKILL or SIGTERM ended.
    const KILLED: [i64; 6] = [124, 130, 137, 143, -9, -15];
    const WORDS: [&str; 3] = ["timed out", "killed", "Killed"];
    /// How many lines at each end of a text are searched for the message of a host that it killed the command.
    const SAID_IN_LINES: usize = 3;
    let is_end = |line: &usize| *line < SAID_IN_LINES || line + SAID_IN_LINES >= source.len();
    let says = |line: &usize| is_end(line) && WORDS.iter().any(|word| source.line(*line).contains(word));
    if !status.is_some_and(|status| KILLED.contains(&status)) && !signals.iter().any(says) {
        return None;
    }
    let is_written = |line: &usize| {
        let text = source.line(*line).trim_start();
        !text.starts_with("</")
            && text.bytes().any(|b| b.is_ascii_alphanumeric())
            && signals.binary_search(line).is_err()
    };
    let last = (0..source.len()).rev().take(MAX_LINES_BEHIND_END).find(is_written)?;
    let text = source.line(last).trim();
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    let is_doing = ["...", "…", " started"].iter().any(|end| text.ends_with(end))
        || first.starts_with(|c: char| c.is_ascii_uppercase()) && first.ends_with("ing");
    is_doing.then_some(last)
}

/// How many lines at the end of a text are searched for the last line of a killed command.
const MAX_LINES_BEHIND_END: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_command_was_killed() {
        let killed = |text: &str, status| {
            let source = Source::new(text);
            let signals = crate::text::signals::failure_lines(&source);
            killed_at(&source, &signals, status).map(|line| source.line(line).to_owned())
        };
        let text = "The command timed out and was killed. Output:\n<output>\ncollecting\nbuilding wheel: started\n</output>\n";
        assert_eq!(killed(text, None).as_deref(), Some("building wheel: started"));
        assert_eq!(killed("Fetching a\nFetching b\n", Some(137)).as_deref(), Some("Fetching b"));
        let text = "step 1\nlinking ...\nCommand timed out after 2 minutes\n";
        assert_eq!(killed(text, Some(1)).as_deref(), Some("linking ..."));
        assert_eq!(killed("step 1\nFetching b\nerror: no\n", Some(1)), None);
        assert_eq!(killed("test a ... ok\n", Some(124)), None);
    }
}
