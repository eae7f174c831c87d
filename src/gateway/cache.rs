//! The provider's cache of a conversation: its prices, and whether it still holds the conversation.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::protocol::messages::Format;
use crate::protocol::reclaim::{Cache, ReclaimTerms};

/// A cache that lasts five minutes, and one that lasts an hour. Automatic caches last at most an hour.
const FIVE_MINUTES: Duration = Duration::from_secs(5 * 60);
const ONE_HOUR: Duration = Duration::from_secs(60 * 60);

/// The value with which a request of the Anthropic API selects the cache that lasts an hour.
const FOR_AN_HOUR: &[u8] = b"\"1h\"";

/// Most conversations whose last request is remembered. Above it, all are forgotten, and no cache counts as cold.
const MAX_CONVERSATIONS: usize = 4096;

/// When each conversation last sent a request.
#[derive(Debug, Default)]
pub(super) struct LastRequests(Mutex<HashMap<String, Instant>>);

impl LastRequests {
    /// The terms of a conversation that sends a request now.
    pub(super) fn terms(
        &self,
        conversation: &str,
        format: Format,
        body: &[u8],
        now: Instant,
    ) -> ReclaimTerms {
        let (cache, lasts) = match format {
            Format::Anthropic if memchr::memmem::find(body, FOR_AN_HOUR).is_some() => {
                (Cache::OneHour, ONE_HOUR)
            }
            Format::Anthropic => (Cache::FiveMinutes, FIVE_MINUTES),
            _ => (Cache::Automatic, ONE_HOUR),
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_CONVERSATIONS && !all.contains_key(conversation) {
            all.clear();
        }
        let last = all.insert(conversation.to_owned(), now);
        let is_cold = last.is_some_and(|last| now.saturating_duration_since(last) > lasts);
        ReclaimTerms { cache: Some(if is_cold { Cache::Cold } else { cache }), ..ReclaimTerms::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_cold_when_it_has_ended() {
        let (last, start) = (LastRequests::default(), Instant::now());
        let cache = |format, body: &str, seconds| {
            let now = start + Duration::from_secs(seconds);
            last.terms(&format!("{format:?}"), format, body.as_bytes(), now).cache.unwrap()
        };
        assert_eq!(cache(Format::Anthropic, "{}", 0), Cache::FiveMinutes);
        assert_eq!(cache(Format::Anthropic, "{}", 300), Cache::FiveMinutes);
        assert_eq!(cache(Format::Anthropic, "{}", 601), Cache::Cold);
        assert_eq!(cache(Format::Anthropic, "{\"ttl\":\"1h\"}", 1000), Cache::OneHour);
        assert_eq!(cache(Format::Gemini, "{}", 0), Cache::Automatic);
        assert_eq!(cache(Format::Gemini, "{}", 3601), Cache::Cold);
    }
}
