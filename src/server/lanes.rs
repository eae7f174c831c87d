//! Order: the calls of one session run one after the other as they arrived, sessions side by side.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::Handle;

use super::budget::lock;

type Work = BoxFuture<'static, ()>;

/// The queues of the sessions that have something to do. A session without work has no entry.
#[derive(Clone)]
pub(super) struct Lanes {
    runtime: Handle,
    waiting: Arc<Mutex<HashMap<String, VecDeque<Work>>>>,
}

impl Lanes {
    /// Lanes that run on `runtime`.
    pub(super) fn new(runtime: Handle) -> Self {
        Self { runtime, waiting: Arc::default() }
    }

    /// Starts `work` when the earlier work of `session` is done; at once if it has none or is `None`.
    pub(super) fn push(&self, session: Option<String>, work: Work) {
        let Some(session) = session else {
            self.runtime.spawn(work);
            return;
        };
        let mut waiting = lock(&self.waiting);
        if let Some(queue) = waiting.get_mut(&session) {
            queue.push_back(work);
            return;
        }
        waiting.insert(session.clone(), VecDeque::new());
        drop(waiting);
        self.runtime.spawn(self.clone().run(session, work));
    }

    async fn run(self, session: String, mut work: Work) {
        loop {
            // A panic here would be a fault of the server itself; the session must outlive it.
            let _ = AssertUnwindSafe(work).catch_unwind().await;
            let mut waiting = lock(&self.waiting);
            match waiting.get_mut(&session).and_then(VecDeque::pop_front) {
                Some(next) => work = next,
                None => {
                    waiting.remove(&session);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn sessions_keep_order_survive_panics_and_leave_nothing_behind() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let lanes = Lanes::new(runtime.handle().clone());
        let (done, order) = channel();
        for number in 0..100_u64 {
            let done = done.clone();
            let work = async move {
                tokio::time::sleep(Duration::from_micros((100 - number) * 10)).await;
                let _ = done.send(number);
                assert!(number != 50, "on purpose");
            };
            lanes.push(Some("s".to_owned()), work.boxed());
        }
        drop(done);
        assert_eq!(order.iter().collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
        while !lock(&lanes.waiting).is_empty() {
            std::thread::yield_now();
        }
    }
}
