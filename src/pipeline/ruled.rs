//! Applies a rule of the operator to a text, instead of the other steps. `rules` executes the rule; here it is a step
//! like any other, with the guard and the gate.

use std::sync::Arc;

use super::INPUT_LIMIT;
use super::reading::Stretch;
use super::request::Request;
use crate::config::Mode;
use crate::detect::Detection;
use crate::rules::{Facts, Rule};
use crate::text::source::Source;

/// Whether some rule may be for a text of this size.
pub(super) fn may_apply(request: &Request<'_>, source: &Source<'_>) -> bool {
    let (policy, size) = (request.policy, source.text().len());
    let least = policy.min_bytes.min(request.rules.least_bytes());
    let is_wanted = !request.in_full && policy.mode >= Mode::Standard;
    is_wanted && !request.rules.is_empty() && size >= least && size <= INPUT_LIMIT
}

/// The rule for a text, if one fits.
pub(super) fn choose(
    request: &Request<'_>,
    source: &Source<'_>,
    detection: &Detection,
    stretches: &[Stretch<'_>],
) -> Option<Arc<Rule>> {
    if !may_apply(request, source) {
        return None;
    }
    let family = stretches.iter().find_map(|s| s.reducer).map(|reducer| reducer.meta().family);
    let kind = family.or(detection.shape.family());
    let facts = Facts { call: request.call, source, detection, kind, min_bytes: request.policy.min_bytes };
    request.rules.choose(&facts)
}
