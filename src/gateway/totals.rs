//! The sums of a gateway.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::pipeline::evidence::BeforeAfter;

/// Sums since the start. Each resend of a result is counted, since each is paid for.
#[derive(Debug, Default)]
pub struct Totals {
    requests: AtomicU64,
    before: AtomicU64,
    after: AtomicU64,
    passed: AtomicU64,
}

impl Totals {
    /// A request whose results were compressed.
    pub(super) fn compressed(&self, tokens: BeforeAfter) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.before.fetch_add(tokens.before as u64, Ordering::Relaxed);
        self.after.fetch_add(tokens.after as u64, Ordering::Relaxed);
    }

    /// Counts a request that should have been compressed and was forwarded unchanged.
    pub(super) fn passed(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.before.load(Ordering::Relaxed) == 0 && self.passed.load(Ordering::Relaxed) == 0
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [requests, before, after, passed] =
            [&self.requests, &self.before, &self.after, &self.passed].map(|n| n.load(Ordering::Relaxed));
        let noun = |n| if n == 1 { "request" } else { "requests" };
        write!(f, "{requests} {}; tool results {before} -> {after} tokens", noun(requests))?;
        if before > 0 {
            write!(f, " ({:.1} % less)", (before.saturating_sub(after)) as f64 * 100.0 / before as f64)?;
        }
        if passed > 0 {
            write!(f, "; {passed} {} passed unread", noun(passed))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_is_named_as_one() {
        let totals = Totals::default();
        totals.compressed(BeforeAfter { before: 10, after: 5 });
        totals.passed();
        let text = "1 request; tool results 10 -> 5 tokens (50.0 % less); 1 request passed unread";
        assert_eq!(totals.to_string(), text);
        totals.passed();
        assert!(totals.to_string().ends_with("; 2 requests passed unread"));
    }
}
