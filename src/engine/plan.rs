//! Divides the common budget of a batch. First each result is measured, which leaves no trace in the session. Then each gets
//! a share. Finally tokens that cuts leave unused go to results whose failure lines do not all fit.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compress::{Place, window};
use super::job::Job;
use super::sessions::lock;
use super::{Cancel, Engine};
use crate::config::Policy;
use crate::pipeline::Prepared;
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::limit::share::{TokenDemand, shares};
use crate::pipeline::repeat::dedup::{History, NoHistory};
use crate::protocol::RpcError;
use crate::session::{AsDecided, Lookup};
use crate::stop::run_cancellable;

/// Most tokens that a reference to an equal result of the same batch takes.
const REFERENCE_TOKENS: usize = 48;

/// The share of one result.
pub(super) struct Share<'a> {
    /// The result after the safe stage, unless earlier results of the batch can change that stage.
    pub(super) prepared: Option<Prepared<'a>>,
    /// Token limit; `None` for a result that no budget changes.
    pub(super) limit: Option<usize>,
    /// Tokens that are reserved for it.
    pub(super) promised: usize,
    /// Whether it is expected to become a reference. If it does not, it may take what the others leave.
    pub(super) is_repeat: bool,
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

impl Engine {
    /// The share of each result, in tokens of the host's count.
    pub(super) fn plan<'a>(
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
            // The unchangeable results alone exceed the budget. Cutting the others to stubs would not help.
            None => total * free / (2 * jobs.len().max(1)),
        };
        let mut demands: Vec<TokenDemand> = Vec::with_capacity(jobs.len());
        for (job, one) in jobs.iter().zip(&measured) {
            cancel.check()?;
            demands.push(self.demand(job, one, policy, ask, place));
        }
        let first = shares(&demands, left);
        // Unused parts of shares go to the other results, once.
        for ((job, one), (demand, share)) in jobs.iter().zip(&measured).zip(demands.iter_mut().zip(first)) {
            cancel.check()?;
            if share < demand.tokens && !one.is_repeat {
                let within = self.demand(job, one, policy, Ask { limit: Some(share), ..ask }, place);
                if within.tokens < share {
                    demand.tokens = within.tokens;
                }
            }
        }
        let limits = shares(&demands, left);
        let mut out: Vec<Share<'a>> =
            measured.into_iter().zip(&limits).map(|(one, &limit)| Share::new(one, Some(limit))).collect();
        let is_short = |i: usize| demands[i].required_tokens > limits[i] && out[i].limit.is_some();
        let short: Vec<usize> = (0..jobs.len()).filter(|&i| is_short(i)).collect();
        if !short.is_empty() {
            let use_of = |i: usize, share: &Share<'_>| {
                cancel.check()?;
                Ok(self.tokens_used(&jobs[i], share, policy, ask, place))
            };
            share_leftover(&mut out, &short, &demands, use_of)?;
        }
        Ok(out)
    }

    /// Tokens that a result takes under its share in the current session, by the host's count.
    pub(super) fn tokens_used(
        &self,
        job: &Job<'_>,
        share: &Share<'_>,
        policy: &Policy,
        ask: Ask,
        place: Place<'_>,
    ) -> Option<usize> {
        let prepared = share.prepared.as_ref()?;
        let ask = Ask { limit: share.limit.into_iter().chain(ask.limit).min(), ..ask };
        let look = |history: &dyn History| job.outcome(prepared, ask, history, None);
        let tokens = self.with_history(job, policy, place, look)?.evidence.tokens;
        Some(job.as_host(tokens.after, tokens.before))
    }

    /// Measures a result before it is compressed.
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
                    let tokens = job.core(policy, ask, &AsDecided(*decision), None, None)?.evidence.tokens;
                    return Ok(fixed(tokens.after, tokens.before));
                }
                _ => {}
            }
        }
        let prepared = self.with_history(job, policy, place, |history| job.prepared(policy, history))?;
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

    /// Tokens that a result needs for a given request, by the host's count.
    fn demand(
        &self,
        job: &Job<'_>,
        one: &Measured<'_>,
        policy: &Policy,
        ask: Ask,
        place: Place<'_>,
    ) -> TokenDemand {
        let nothing = TokenDemand { tokens: 0, required_tokens: 0 };
        let Some(prepared) = &one.prepared else { return nothing };
        if one.is_repeat {
            return TokenDemand { tokens: one.bound.min(REFERENCE_TOKENS), required_tokens: 0 };
        }
        let within = job.by_our_count(ask, prepared);
        let demand =
            self.with_history(job, policy, place, |history| measure_prepared(prepared, within, history));
        demand.map_or(nothing, |demand| TokenDemand {
            tokens: job.as_host(demand.tokens, prepared.tokens()),
            required_tokens: job.as_host(demand.required_tokens, prepared.tokens()),
        })
    }

    /// Runs `work` with the current session, which it leaves unchanged.
    fn with_history<T>(
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
        let (mentioned, written) = (job.call.mentioned(), job.written_texts(policy));
        let wrote = job.written_values(policy);
        let about = job.about(policy);
        let caller = job.caller(id, &mentioned, place.turn, &wrote, &about);
        look(&session.history(caller, &written, window(policy)))
    }
}

/// Gives unused tokens to results whose failure lines do not all fit. A cut leaves tokens unused wherever the next line is
/// too long.
fn share_leftover(
    plan: &mut [Share<'_>],
    short: &[usize],
    demands: &[TokenDemand],
    use_of: impl Fn(usize, &Share<'_>) -> Result<Option<usize>, RpcError>,
) -> Result<(), RpcError> {
    let mut left = 0;
    for (i, share) in plan.iter_mut().enumerate() {
        let Some(limit) = share.limit.filter(|limit| *limit < demands[i].tokens && !share.is_repeat) else {
            continue;
        };
        if let Some(used) = use_of(i, share)? {
            left += limit.saturating_sub(used);
            share.promised = used.min(limit);
        }
    }
    let more: Vec<TokenDemand> = short
        .iter()
        .map(|&i| TokenDemand {
            tokens: demands[i].required_tokens.saturating_sub(plan[i].promised),
            required_tokens: 0,
        })
        .collect();
    for (&i, more) in short.iter().zip(shares(&more, left)) {
        let share = &mut plan[i];
        share.promised += more;
        // Without more tokens its text stays the same.
        share.limit = share.limit.max(Some(share.promised));
    }
    Ok(())
}

/// A result that was measured but not yet compressed.
struct Measured<'a> {
    prepared: Option<Prepared<'a>>,
    /// Tokens of a result that no budget changes.
    fixed: Option<usize>,
    /// Most tokens that it takes.
    bound: usize,
    is_repeat: bool,
}

/// Tokens that a result needs. After an internal fault, only the safe stage runs, whose output needs no more
/// tokens.
fn measure_prepared(prepared: &Prepared<'_>, ask: Ask, history: &dyn History) -> Option<TokenDemand> {
    catch_unwind(AssertUnwindSafe(|| run_cancellable(|| prepared.measure(ask, history)))).unwrap_or_else(
        |_| Some(TokenDemand { tokens: ask.limit.unwrap_or(prepared.bound().0), required_tokens: 0 }),
    )
}
