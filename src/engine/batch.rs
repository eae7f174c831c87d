//! `toolResult/compressBatch`: the results of one turn under a budget of their own and a common one.
//!
//! Where all together may be too much, every result is measured first, without a trace in the session, then
//! each gets its share, then they are worked on in order as any others. A result that was given before stays
//! as it was: its tokens count, and only the others give way.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compress::{Place, pressure, respond, window};
use super::job::Job;
use super::sessions::lock;
use super::{Cancel, Engine};
use crate::config::Policy;
use crate::pipeline::Prepared;
use crate::pipeline::budget::{Ask, Rung};
use crate::pipeline::dedup::{History, NoHistory};
use crate::pipeline::evidence::{BeforeAfter, Evidence};
use crate::pipeline::reason::Reason;
use crate::pipeline::share::{Claim, shares};
use crate::protocol::RpcError;
use crate::protocol::params::check_correlation;
use crate::protocol::tool_result::{BatchBudget, BatchCompressed, BatchParams, ToolResult, check_session};
use crate::session::{AsDecided, Lookup, Stored};

/// Tokens that a reference to an equal result of the same batch takes, at most.
const REFERENCE: usize = 48;

/// What one result may take.
struct Share<'a> {
    /// The result, if nothing that the others do changes the safe stage.
    prepared: Option<Prepared<'a>>,
    /// Tokens; `None` for one that no budget changes.
    limit: Option<usize>,
    /// Tokens that are set aside for it.
    promised: usize,
    /// Whether it is expected to become a reference: what the others leave is its then if it does not.
    is_repeat: bool,
}

impl<'a> Share<'a> {
    fn new(one: Measured<'a>, limit: Option<usize>) -> Self {
        Self {
            prepared: one.prepared.filter(Prepared::is_settled),
            limit: limit.filter(|_| one.fixed.is_none()),
            promised: one.fixed.or(limit).unwrap_or(0),
            is_repeat: one.is_repeat,
        }
    }
}

/// What came of a batch.
#[derive(Default)]
pub(super) struct Batch {
    /// The results in order.
    pub(super) results: Vec<Stored>,
    /// Sums over them.
    pub(super) tokens: BeforeAfter,
    /// Whether a budget made any smaller; `None` without one.
    pub(super) is_narrowed: Option<bool>,
    /// What became of the common budget.
    pub(super) budget: Option<BatchBudget>,
}

impl Engine {
    /// `toolResult/compressBatch`
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
        let id = params.session_id.as_deref();
        let (mut policy, session) = self.context(id, params.policy.as_ref(), params.budget)?;
        let place = Place::new(id, session.as_ref()).named(params.correlation_id.as_deref());
        // One result of several has no claim to the whole.
        let total = policy.budget.total.take();
        let batch = self.batch(&jobs, &policy, Ask::new(&policy, pressure), total, place, cancel)?;
        let respond = |(job, stored)| respond(job, stored, &policy);
        Ok(BatchCompressed {
            results: jobs.iter().zip(batch.results).map(respond).collect::<Result<_, _>>()?,
            tokens: batch.tokens,
            budget_applied: batch.is_narrowed,
            budget: batch.budget,
        })
    }

    /// The results of one turn or request in order; `total` bounds them together.
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
        let mut out = Batch { is_narrowed: has_budget.then_some(false), ..Batch::default() };
        let mut left = total.unwrap_or(0);
        let mut promised: usize = plan.iter().map(|share| share.promised).sum();
        let mut is_fixed = false;
        for (i, job) in jobs.iter().enumerate() {
            let share = plan.get(i);
            let spare = left.saturating_sub(promised);
            promised -= share.map_or(0, |share| share.promised);
            let limit = share.and_then(|share| {
                share.limit.map(|limit| if share.is_repeat { limit + spare } else { limit })
            });
            let ask = Ask { limit: limit.into_iter().chain(ask.limit).min(), ..ask };
            let prepared = share.and_then(|share| share.prepared.as_ref());
            let stored = self.run(job, policy, ask, place, prepared, cancel)?;
            let evidence = &stored.outcome.evidence;
            let after = job.as_host(evidence.tokens.after, evidence.tokens.before);
            out.tokens.before += job.as_host(evidence.tokens.before, evidence.tokens.before);
            out.tokens.after += after;
            left = left.saturating_sub(after);
            is_fixed |= evidence.bypass.is_some() || evidence.memo.reused;
            if let Some(is) = &mut out.is_narrowed {
                *is |= is_narrowed(evidence, ask);
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

    /// How much each result may take, in the host's figures.
    fn plan<'a>(
        &self,
        jobs: &'a [Job<'_>],
        policy: &'a Policy,
        ask: Ask,
        total: usize,
        place: Place<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Share<'a>>, RpcError> {
        let mut measured = Vec::with_capacity(jobs.len());
        let mut seen = HashSet::new();
        for job in jobs {
            cancel.check()?;
            let one = self.measure(job, policy, ask, place)?;
            let key = (job.fingerprint(policy).content, job.call.canonical_tool(), job.call.exit_code);
            let is_repeat = place.session.is_some()
                && policy.dedup
                && job.call.id.is_some()
                && one.prepared.is_some()
                && !seen.insert(key);
            measured.push(Measured { is_repeat, ..one });
        }
        let bound: usize = measured.iter().map(|one| one.fixed.unwrap_or(one.bound)).sum();
        if bound <= total {
            let free = |one: Measured<'a>| Share::new(one, None);
            return Ok(measured.into_iter().map(free).collect());
        }
        let fixed: usize = measured.iter().filter_map(|one| one.fixed).sum();
        let free = measured.iter().filter(|one| one.fixed.is_none()).count();
        let left = match total.checked_sub(fixed) {
            Some(left) => left,
            // What stays as it is takes more than all may: stubs of the others would not help.
            None => total * free / (2 * jobs.len().max(1)),
        };
        let mut claims: Vec<Claim> = Vec::with_capacity(jobs.len());
        for (job, one) in jobs.iter().zip(&measured) {
            cancel.check()?;
            claims.push(self.claim(job, one, policy, ask, place));
        }
        let first = shares(&claims, left);
        // What one does not use of its share goes back to the others, once.
        for ((job, one), (claim, share)) in jobs.iter().zip(&measured).zip(claims.iter_mut().zip(first)) {
            cancel.check()?;
            if share < claim.takes && !one.is_repeat {
                let within = self.claim(job, one, policy, Ask { limit: Some(share), ..ask }, place);
                if within.takes < share {
                    claim.takes = within.takes;
                }
            }
        }
        let limits = shares(&claims, left).into_iter();
        Ok(measured.into_iter().zip(limits).map(|(one, limit)| Share::new(one, Some(limit))).collect())
    }

    /// What is known of a result before it is worked on.
    fn measure<'a>(
        &self,
        job: &'a Job<'_>,
        policy: &'a Policy,
        ask: Ask,
        place: Place<'_>,
    ) -> Result<Measured<'a>, RpcError> {
        let fixed = |tokens: usize, before: usize| Measured {
            prepared: None,
            fixed: Some(job.as_host(tokens, before)),
            bound: 0,
            is_repeat: false,
        };
        if let (Some(session), Some(id)) = (place.session, job.call.id.as_deref()) {
            let known = lock(session).look_up(id, job.fingerprint(policy));
            match known {
                Lookup::Stored(stored) => {
                    let tokens = &stored.outcome.evidence.tokens;
                    return Ok(fixed(tokens.after, tokens.before));
                }
                Lookup::Decided(decision) => {
                    let tokens = job.core(policy, ask, &AsDecided(decision), None, None)?.evidence.tokens;
                    return Ok(fixed(tokens.after, tokens.before));
                }
                _ => {}
            }
        }
        let prepared = self.before(job, policy, place, |history| job.prepared(policy, history))?;
        let Some(prepared) = prepared else {
            let tokens = job.core(policy, ask, &NoHistory, None, None)?.evidence.tokens;
            return Ok(fixed(tokens.after, tokens.before));
        };
        let (bound, is_free) = prepared.bound();
        if !is_free {
            return Ok(fixed(bound, prepared.tokens()));
        }
        let bound = job.as_host(bound, prepared.tokens());
        Ok(Measured { prepared: Some(prepared), fixed: None, bound, is_repeat: false })
    }

    /// What a result takes under what is asked, in the host's figures.
    fn claim(&self, job: &Job<'_>, one: &Measured<'_>, policy: &Policy, ask: Ask, place: Place<'_>) -> Claim {
        let nothing = Claim { takes: 0, needs: 0 };
        let Some(prepared) = &one.prepared else { return nothing };
        if one.is_repeat {
            return Claim { takes: one.bound.min(REFERENCE), needs: 0 };
        }
        let within = job.by_our_count(ask, prepared);
        let claim = self.before(job, policy, place, |history| measured(prepared, within, history));
        claim.map_or(nothing, |claim| Claim {
            takes: job.as_host(claim.takes, prepared.tokens()),
            needs: job.as_host(claim.needs, prepared.tokens()),
        })
    }

    /// Looks at a result before the session as it is now, which is left as it is.
    fn before<T>(
        &self,
        job: &Job<'_>,
        policy: &Policy,
        place: Place<'_>,
        look: impl FnOnce(&dyn History) -> T,
    ) -> T {
        let (Some(session), Some(id)) = (place.session, job.call.id.as_deref()) else {
            return look(&NoHistory);
        };
        let session = lock(session);
        let (mentioned, written) = (job.call.mentioned(), job.written(policy));
        let caller = job.caller(id, &mentioned, place.turn);
        look(&session.history(caller, &written, window(policy)))
    }
}

/// A result before it is worked on.
struct Measured<'a> {
    prepared: Option<Prepared<'a>>,
    /// Tokens of one that no budget changes.
    fixed: Option<usize>,
    /// Tokens that it takes at most.
    bound: usize,
    is_repeat: bool,
}

/// What a result takes; if something fails inside, the safe stage takes over later and needs no more.
fn measured(prepared: &Prepared<'_>, ask: Ask, history: &dyn History) -> Option<Claim> {
    catch_unwind(AssertUnwindSafe(|| prepared.measure(ask, history)))
        .unwrap_or_else(|_| Some(Claim { takes: ask.limit.unwrap_or(prepared.bound().0), needs: 0 }))
}

/// Whether a budget went further than the mode that was asked for.
fn is_narrowed(evidence: &Evidence, ask: Ask) -> bool {
    let is_further = |rung: Rung| rung.cut || rung.squeeze > 0 || rung.mode > ask.mode;
    !evidence.memo.reused && evidence.budget.as_ref().is_some_and(|budget| is_further(budget.rung))
}
