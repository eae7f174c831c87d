//! The sums of a gateway.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::pipeline::evidence::BeforeAfter;

/// Sums since the start. Each resend of a result is counted, since each is paid for.
#[derive(Debug, Default)]
pub struct Totals {
    requests: AtomicU64,
    before: AtomicU64,
    after: AtomicU64,
    passed: AtomicU64,
    /// Paths of requests that passed because their format is not known.
    paths: Mutex<BTreeSet<String>>,
}

/// Most paths that are named.
const MAX_PATHS: usize = 3;

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

    /// The same for a request whose format is not known, with its path if that can be shown.
    pub(super) fn passed_at(&self, path: Option<String>) {
        self.passed();
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if paths.len() < MAX_PATHS {
            paths.extend(path);
        }
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
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if !paths.is_empty() {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            write!(f, ", also to {}", paths.join(", "))?;
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
        for path in ["/b", "/a", "/b", "/c", "/d"] {
            totals.passed_at(Some(path.to_owned()));
        }
        totals.passed_at(None);
        assert!(totals.to_string().ends_with("; 8 requests passed unread, also to /a, /b, /c"), "{totals}");
    }
}
