//! What a rule of the operator does to one text, in place of what is done without one. Which rule that is and what
//! it wants is for `rules`; here it is a step like any other, under the guard and the gate.

use std::sync::Arc;

use super::INPUT_LIMIT;
use super::attempt::Attempt;
use super::reading::Stretch;
use crate::config::Mode;
use crate::detect::Detection;
use crate::rules::{Facts, Rule};
use crate::text::ledger::Ledger;
use crate::text::reason::Reason;
use crate::text::source::Source;

impl Attempt<'_, '_> {
    /// Whether some rule may be for a text of this size.
    pub(super) fn may_be_ruled(&self, source: &Source<'_>) -> bool {
        let size = source.text().len();
        let least = self.request.policy.min_bytes.min(self.request.policy.rules.least_bytes());
        let is_wanted = !self.request.in_full && self.request.policy.mode >= Mode::Standard;
        is_wanted && !self.request.policy.rules.is_empty() && size >= least && size <= INPUT_LIMIT
    }

    /// Chooses the rule of a text.
    pub(super) fn choose_rule(
        &mut self,
        source: &Source<'_>,
        detection: &Detection,
        stretches: &[Stretch<'_>],
    ) {
        self.rule = None;
        if !self.may_be_ruled(source) {
            return;
        }
        let family = stretches.iter().find_map(|s| s.reducer).map(|reducer| reducer.meta().family);
        let kind = family.or(detection.shape.family());
        let min_bytes = self.request.policy.min_bytes;
        let facts = Facts { call: self.request.call, source, detection, kind, min_bytes };
        self.rule = self.request.policy.rules.choose(&facts);
        if let Some(rule) = &self.rule {
            self.found.evidence.rule.get_or_insert_with(|| rule.name().to_owned());
        }
    }

    /// Whether the rule of the text at hand, if it has one, lets a step work on it.
    pub(super) fn rule_allows(&self, step: &str) -> bool {
        self.rule.as_ref().is_none_or(|rule| rule.methods.allows(step))
    }

    /// Whether a rule leaves the text as it is, or has to.
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

    /// Lets the stages of the rule work.
    pub(super) fn stages(&mut self, source: &Source<'_>, signals: &[usize], state: &mut (Ledger, usize)) {
        let Some(rule) = self.rule.clone().filter(|rule| rule.has_stages()) else { return };
        let rule: Arc<Rule> = rule;
        let (call, id) = (self.request.call, rule.step());
        let mut unproven = false;
        let is_applied = self.try_step(&id, source, signals, state, |ledger| {
            let (reduction, is_unproven) = rule.reduce(source, call, ledger, signals);
            unproven = is_unproven;
            reduction
        });
        if is_applied {
            self.found.evidence.reducer.get_or_insert_with(|| id.clone());
            // What is left is what the operator wants to see.
            self.is_read = true;
        }
        if unproven {
            let size = state.1;
            self.step(&id, Reason::RuleUnproven, size, size);
        }
    }
}
