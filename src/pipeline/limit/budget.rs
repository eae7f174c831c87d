//! A budget for one result: the request, the rungs that are tried one after another, and what the evidence
//! says about it.
//!
//! The rungs are the mode, each mode above it up to `maxMode`, then smaller limits, then a cut by real tokens
//! (`fit`). The first rung that fits is used. This module does not look at texts.

use crate::config::{Mode, Policy};
use crate::pipeline::evidence::{BudgetUse, Rung};
use crate::text::reason::Reason;

/// How often the limits are halved before lines are cut.
const MAX_SQUEEZES: u8 = 4;
/// Bytes of a text above which only the first mode, the highest mode and the last squeeze are tried.
const LARGE_BYTES: usize = 512 << 10;
/// Bytes of a text above which the highest mode is tried with the last squeeze alone.
const HUGE_BYTES: usize = 4 << 20;

/// What a request asks for in addition to its policy. It is ignored when two requests are compared: a result that was
/// returned once stays as it is, however full the context gets later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ask {
    /// The most tokens that the result may have; `None` for no limit.
    pub limit: Option<usize>,
    /// The mode to start with.
    pub mode: Mode,
    /// Whether the original can be kept until the session ends.
    pub can_store_original: bool,
}

/// The pressure from which a budget applies, in thousandths.
const MIN_PRESSURE: usize = 500;
/// The pressure from which the mode is `aggressive`, in thousandths.
const AGGRESSIVE_PRESSURE: usize = 750;
/// Tokens of the budget at `MIN_PRESSURE`, and by how many each further thousandth reduces it: 1,000 are left at
/// the end.
const TOKENS_AT_MIN_PRESSURE: usize = 8_000;
const TOKENS_PER_PRESSURE: usize = 14;

impl Ask {
    /// What a policy asks for. `pressure` is the pressure on the context in thousandths, 0 for none.
    pub fn new(policy: &Policy, pressure: usize) -> Self {
        let by_pressure = (pressure >= MIN_PRESSURE)
            .then(|| TOKENS_AT_MIN_PRESSURE - (pressure.min(1000) - MIN_PRESSURE) * TOKENS_PER_PRESSURE);
        let wanted = match pressure {
            AGGRESSIVE_PRESSURE.. => Mode::Aggressive,
            MIN_PRESSURE.. => Mode::Standard,
            _ => policy.mode,
        };
        let limit = [policy.budget.per_result, policy.budget.total, by_pressure].into_iter().flatten().min();
        Self { limit, mode: policy.mode.max(wanted.min(policy.max_mode)), can_store_original: true }
    }

    /// The rungs to try, in order, for a text of this many bytes.
    pub(in crate::pipeline) fn rungs(&self, policy: &Policy, bytes: usize) -> Vec<Rung> {
        let top = self.mode.max(policy.max_mode);
        let is_large = bytes > LARGE_BYTES;
        let modes = [Mode::Safe, Mode::Standard, Mode::Aggressive].into_iter();
        let mut rungs = vec![Rung { mode: self.mode, ..Rung::default() }];
        let higher = modes.filter(|&mode| {
            mode > self.mode && mode <= top && (!is_large || (mode == top && bytes <= HUGE_BYTES))
        });
        rungs.extend(higher.map(|mode| Rung { mode, ..Rung::default() }));
        if top >= Mode::Standard {
            let first = if is_large { MAX_SQUEEZES } else { 1 };
            rungs.extend((first..=MAX_SQUEEZES).map(|squeeze| Rung { mode: top, squeeze, cut: false }));
        }
        rungs
    }
}

impl Rung {
    /// The policy of this rung.
    pub(in crate::pipeline) fn policy(self, policy: &Policy) -> Policy {
        Policy { mode: self.mode, squeeze: policy.squeeze.saturating_add(self.squeeze), ..policy.clone() }
    }
}

/// What the evidence says about a budget. `why` is the reason that is given if the result exceeds it.
pub(in crate::pipeline) fn used(ask: Ask, rung: Rung, after: usize, why: Reason) -> Option<BudgetUse> {
    ask.limit.map(|tokens| {
        let met = after <= tokens;
        BudgetUse { tokens, met, rung, why: (!met).then_some(why), host_tokens: None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Budget;

    fn policy(mode: Mode, max_mode: Mode, per_result: Option<usize>) -> Policy {
        let budget = Budget { per_result, ..Budget::NONE };
        Policy { mode, max_mode, budget, ..Policy::default() }
    }

    #[test]
    fn pressure_asks_for_less() {
        let ask = |max_mode, per_result, pressure| {
            let ask = Ask::new(&policy(Mode::Safe, max_mode, per_result), pressure);
            (ask.mode, ask.limit)
        };
        assert_eq!(ask(Mode::Aggressive, None, 499), (Mode::Safe, None));
        assert_eq!(ask(Mode::Aggressive, None, 500), (Mode::Standard, Some(8000)));
        assert_eq!(ask(Mode::Aggressive, Some(600), 500), (Mode::Standard, Some(600)));
        assert_eq!(ask(Mode::Aggressive, None, 750), (Mode::Aggressive, Some(4500)));
        assert_eq!(ask(Mode::Standard, Some(9000), 1000), (Mode::Standard, Some(1000)));
        let open = Ask::new(&policy(Mode::Aggressive, Mode::Safe, None), 600);
        assert_eq!(open.mode, Mode::Aggressive);
    }

    #[test]
    fn rungs_climb_to_the_highest_mode_and_no_further() {
        let rungs = |mode, max_mode, bytes| {
            let policy = policy(mode, max_mode, Some(1));
            let rungs = Ask::new(&policy, 0).rungs(&policy, bytes);
            rungs.iter().map(|r| (r.mode, r.squeeze)).collect::<Vec<_>>()
        };
        use Mode::{Aggressive, Safe, Standard};
        assert_eq!(
            rungs(Safe, Aggressive, 0),
            [
                (Safe, 0),
                (Standard, 0),
                (Aggressive, 0),
                (Aggressive, 1),
                (Aggressive, 2),
                (Aggressive, 3),
                (Aggressive, 4)
            ]
        );
        assert_eq!(rungs(Safe, Aggressive, LARGE_BYTES + 1), [(Safe, 0), (Aggressive, 0), (Aggressive, 4)]);
        assert_eq!(rungs(Safe, Aggressive, HUGE_BYTES + 1), [(Safe, 0), (Aggressive, 4)]);
        assert_eq!(rungs(Safe, Safe, 0), [(Safe, 0)]);
        assert_eq!(rungs(Aggressive, Safe, LARGE_BYTES + 1), [(Aggressive, 0), (Aggressive, 4)]);
    }
}
