//! `toolResult/compressBatch`: compresses the results of one turn under a budget for each and a common budget.
//!
//! If the results together may exceed the common budget, `plan` first gives each a share. Then each is compressed in order,
//! like any other result. A result that was given before stays as it was: its tokens count, and only the other results
//! shrink.

use super::compress::{Place, pressure, respond};
use super::job::Job;
use super::{Cancel, Engine};
use crate::config::Policy;
use crate::pipeline::evidence::Rung;
use crate::pipeline::evidence::{BeforeAfter, Evidence};
use crate::pipeline::limit::budget::Ask;
use crate::protocol::RpcError;
use crate::protocol::params::check_correlation;
use crate::protocol::tool_result::{BatchBudget, BatchCompressed, BatchParams, ToolResult, check_session};
use crate::session::Stored;
use crate::text::reason::Reason;

/// The outcome of a batch.
#[derive(Default)]
pub(super) struct Batch {
    /// The results in order.
    pub(super) results: Vec<Stored>,
    /// Token sums over the results.
    pub(super) tokens: BeforeAfter,
    /// Whether a budget made any result smaller; `None` without a budget.
    pub(super) is_budget_applied: Option<bool>,
    /// Whether and how the common budget was met.
    pub(super) budget: Option<BatchBudget>,
}

impl Engine {
    /// Answers `toolResult/compressBatch`.
    pub fn compress_batch(
        &self,
        params: &BatchParams<'_>,
        cancel: &Cancel,
    ) -> Result<BatchCompressed, RpcError> {
        check_session(params.session_id.as_deref())?;
        check_correlation(params.correlation_id.as_deref())?;
        let read = |(i, members)| {
            let (result, place) = ToolResult::read_item(members, i)?;
            Job::new(&result, &place, params.full_output, params.query.as_deref())
        };
        let jobs = params.results.iter().enumerate().map(read).collect::<Result<Vec<_>, RpcError>>()?;
        let pressure = pressure(params.context_pressure)?;
        let cut = params.host_cut.map(|cut| cut.read()).transpose()?;
        let id = params.session_id.as_deref();
        let (mut policy, session) = self.policy_and_session(id, params.policy.as_ref(), params.budget)?;
        let place =
            Place::new(id, session.as_ref()).with_correlation(params.correlation_id.as_deref()).with_cut(cut);
        // The total applies to the batch, not to each result.
        let total = policy.budget.total.take();
        let batch = self.batch(&jobs, &policy, Ask::new(&policy, pressure), total, place, cancel)?;
        let respond = |(job, stored)| respond(job, stored, &policy);
        Ok(BatchCompressed {
            results: jobs.iter().zip(batch.results).map(respond).collect::<Result<_, _>>()?,
            tokens: batch.tokens,
            budget_applied: batch.is_budget_applied,
            budget: batch.budget,
        })
    }

    /// Compresses the results of one turn or request in order. `total` limits their tokens together.
    pub(super) fn batch(
        &self,
        jobs: &[Job<'_>],
        policy: &Policy,
        ask: Ask,
        total: Option<usize>,
        place: Place<'_>,
        cancel: &Cancel,
    ) -> Result<Batch, RpcError> {
        let plan = match total {
            Some(total) => self.plan(jobs, policy, ask, total, place, cancel)?,
            None => Vec::new(),
        };
        let has_budget = ask.limit.is_some() || total.is_some();
        let mut out = Batch { is_budget_applied: has_budget.then_some(false), ..Batch::default() };
        let mut left = total.unwrap_or(0);
        let mut promised: usize = plan.iter().map(|share| share.promised).sum();
        let mut is_fixed = false;
        for (i, job) in jobs.iter().enumerate() {
            let share = plan.get(i);
            let spare = left.saturating_sub(promised);
            promised -= share.map_or(0, |share| share.promised);
            let may_take = share.map_or(0, |share| share.promised.max(left.saturating_sub(promised)));
            let mut limit = share.and_then(|share| {
                share.limit.map(|limit| if share.is_repeat { limit + spare } else { limit })
            });
            // Other results may hold tokens that this one was expected to leave. Earlier results may have changed what
            // it needs, so measure again.
            if let (Some(share), Some(most)) = (share, limit)
                && most > may_take
                && self.tokens_used(job, share, policy, ask, place).is_none_or(|used| used > may_take)
            {
                limit = Some(may_take);
            }
            let ask = Ask { limit: limit.into_iter().chain(ask.limit).min(), ..ask };
            let prepared = share.and_then(|share| share.prepared.as_ref());
            let stored = self.run(job, policy, ask, place, prepared, cancel)?;
            let evidence = &stored.outcome.evidence;
            let after = job.as_host(evidence.tokens.after, evidence.tokens.before);
            out.tokens.before += job.as_host(evidence.tokens.before, evidence.tokens.before);
            out.tokens.after += after;
            left = left.saturating_sub(after);
            is_fixed |= evidence.bypass.is_some() || evidence.memo.reused;
            if let Some(is) = &mut out.is_budget_applied {
                *is |= is_budget_applied(evidence, ask);
            }
            out.results.push(stored);
        }
        out.budget = total.map(|tokens| {
            let met = out.tokens.after <= tokens;
            let why = if is_fixed { Reason::FixedResults } else { Reason::BudgetTooSmall };
            BatchBudget { tokens, met, why: (!met).then_some(why) }
        });
        Ok(out)
    }
}

/// Whether a budget reduced a result further than the requested mode.
fn is_budget_applied(evidence: &Evidence, ask: Ask) -> bool {
    let is_further = |rung: Rung| rung.cut || rung.squeeze > 0 || rung.mode > ask.mode;
    !evidence.memo.reused && evidence.budget.as_ref().is_some_and(|budget| is_further(budget.rung))
}
