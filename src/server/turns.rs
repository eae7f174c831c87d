//! Who works next: fair among sessions, and what is small never waits for what is large.
//!
//! There is a turn for each core. Whoever waits is served in order of arrival, and a session waits with one call at a
//! time, so that sessions take turns. Calls without a session share as many places as there are cores and count as
//! so many sessions. One more turn is for small calls alone: it is free when large ones hold all the others.
//! It does not order the calls of one session; `lanes` does.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most that a small call takes, in bytes with what it costs to keep it.
const SMALL: usize = 64 << 10;
/// Methods the work of which their message does not tell: the text came before.
const LARGE: &[&str] = &["toolResult/close", "artifact/search", "artifact/read"];

/// The turns.
#[derive(Debug)]
pub(super) struct Turns {
    any: Arc<Semaphore>,
    small: Arc<Semaphore>,
    /// Places for small and for large calls without a session.
    alone: [Arc<Semaphore>; 2],
}

/// The right to work, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _place: Option<OwnedSemaphorePermit>,
    _turn: OwnedSemaphorePermit,
}

impl Turns {
    /// Threads that work at once on `cores` cores.
    pub(super) fn threads(cores: usize) -> usize {
        cores + 1
    }

    /// Turns for `cores` cores.
    pub(super) fn new(cores: usize) -> Self {
        let places = || Arc::new(Semaphore::new(cores));
        Self { any: places(), small: Arc::new(Semaphore::new(1)), alone: [places(), places()] }
    }

    /// Whether a call of `bytes` bytes is small.
    pub(super) fn is_small(method: &str, bytes: usize) -> bool {
        bytes <= SMALL && !LARGE.contains(&method)
    }

    /// Waits for a turn; `None` when there will be none.
    pub(super) async fn take(&self, is_small: bool, is_alone: bool) -> Option<Turn> {
        let place = match is_alone {
            true => Some(self.alone[usize::from(is_small)].clone().acquire_owned().await.ok()?),
            false => None,
        };
        let any = self.any.clone().acquire_owned();
        let turn = match is_small {
            true => tokio::select! {
                biased;
                turn = any => turn,
                turn = self.small.clone().acquire_owned() => turn,
            },
            false => any.await,
        };
        Some(Turn { _place: place, _turn: turn.ok()? })
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// A turn that is free now.
    fn now(turns: &Turns, is_small: bool, is_alone: bool) -> Option<Turn> {
        turns.take(is_small, is_alone).now_or_never().flatten()
    }

    #[test]
    fn small_calls_pass_large_ones() {
        let turns = Turns::new(2);
        let large = [now(&turns, false, false), now(&turns, false, false)];
        assert!(large.iter().all(Option::is_some) && now(&turns, false, false).is_none());
        let small = now(&turns, true, false);
        assert!(small.is_some() && now(&turns, true, false).is_none());
        drop(large);
        assert!(now(&turns, true, false).is_some());
    }

    #[test]
    fn calls_without_a_session_take_no_more_than_their_places() {
        let turns = Turns::new(2);
        let (first, second) = (now(&turns, false, true), now(&turns, false, true));
        let mut third = Box::pin(turns.take(false, true));
        let mut session = Box::pin(turns.take(false, false));
        assert!((&mut third).now_or_never().is_none() && (&mut session).now_or_never().is_none());
        drop(first);
        // The third came earlier, but waited for a place and not for a turn.
        assert!((&mut third).now_or_never().is_none());
        let session = session.now_or_never().flatten();
        assert!(session.is_some());
        drop(second);
        assert!(third.now_or_never().flatten().is_some());
    }

    #[test]
    fn what_the_message_does_not_tell_counts_as_large() {
        assert!(Turns::is_small("toolResult/compress", 2000) && !Turns::is_small("toolResult/close", 100));
        assert!(!Turns::is_small("toolResult/compress", 100_000));
    }
}
