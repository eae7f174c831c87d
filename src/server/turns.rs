//! Decides which call runs next, and holds the threads that run calls.
//!
//! The calls of one session run one after the other, in order of arrival; sessions run in parallel. There is one thread per
//! core. Each session has at most one call in the queue, so sessions take turns. Calls without a session have as many places
//! as there are cores, and each place counts as a session. One extra thread ensures that small calls never wait for large
//! ones, which may take only as many threads as there are cores.
//!
//! A result of a few kilobytes is compressed on the thread that read it if no other call runs and no further
//! message has arrived, because waking another thread costs about as much.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, Thread};

use super::budget::lock;

/// Most bytes of a small call, its overhead included. A choice: a text of this size takes a few milliseconds.
const MAX_SMALL_BYTES: usize = 64 << 10;
/// Most bytes of a brief call, its overhead included. A choice: cancels and `exit` wait about a millisecond for it.
const MAX_BRIEF_BYTES: usize = 16 << 10;
/// The method whose calls are brief: its work grows with the message and with nothing else.
const BRIEF_METHOD: &str = "toolResult/compress";
/// Methods whose message does not show the amount of work: the text came earlier.
const LARGE_METHODS: &[&str] = &["toolResult/close", "artifact/search", "artifact/read"];

/// Whether a call is small or large; also the index into the arrays by size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Small = 0,
    Large = 1,
}

impl Size {
    /// The size of a call that takes `bytes` bytes while it is open.
    pub(super) fn of(method: &str, bytes: usize) -> Self {
        if bytes <= MAX_SMALL_BYTES && !LARGE_METHODS.contains(&method) { Self::Small } else { Self::Large }
    }
}

/// Whether a call is so little work that the reader may wait for it.
pub(super) fn is_brief(method: &str, bytes: usize) -> bool {
    method == BRIEF_METHOD && bytes <= MAX_BRIEF_BYTES
}

/// The work of a call.
type Work = Box<dyn FnOnce() + Send>;

/// A waiting call.
struct Call {
    session: Option<String>,
    size: Size,
    work: Work,
}

/// Waiting and running calls.
#[derive(Default)]
struct State {
    /// Calls that may run, by size, numbered in the order in which they became ready.
    ready: [VecDeque<(u64, Call)>; 2],
    arrived: u64,
    /// For each session with a ready or running call: the calls after it.
    queued: HashMap<String, VecDeque<Call>>,
    /// Calls without a session that wait for a place, by size.
    without_place: [VecDeque<Call>; 2],
    /// Places taken by ready or running calls.
    places: [usize; 2],
    /// Number of running calls, by size.
    running: [usize; 2],
    /// Threads that wait for a call. The last one is woken first, because its data is still in the caches.
    idle: Vec<Thread>,
    closed: bool,
}

impl State {
    /// Whether no call waits or runs.
    fn is_idle(&self) -> bool {
        self.running == [0; 2] && self.ready.iter().all(VecDeque::is_empty)
    }

    /// Queues a call for a thread.
    fn set_ready(&mut self, call: Call) {
        self.arrived += 1;
        self.ready[call.size as usize].push_back((self.arrived, call));
    }

    /// Adds a new call.
    fn add(&mut self, call: Call, cores: usize) {
        let size = call.size as usize;
        match &call.session {
            Some(session) => match self.queued.get_mut(session) {
                Some(behind) => behind.push_back(call),
                None => {
                    self.queued.insert(session.clone(), VecDeque::new());
                    self.set_ready(call);
                }
            },
            None if self.places[size] < cores => {
                self.places[size] += 1;
                self.set_ready(call);
            }
            None => self.without_place[size].push_back(call),
        }
    }

    /// Takes the oldest ready call that may have a thread now.
    fn start(&mut self, cores: usize) -> Option<Call> {
        let arrival = |size: Size| self.ready[size as usize].front().map(|(arrived, _)| *arrived);
        let large = arrival(Size::Large).filter(|_| self.running[Size::Large as usize] < cores);
        let size = match (arrival(Size::Small), large) {
            (None, None) => return None,
            (Some(small), Some(large)) if large < small => Size::Large,
            (None, Some(_)) => Size::Large,
            (Some(_), _) => Size::Small,
        } as usize;
        let (_, call) = self.ready[size].pop_front()?;
        self.running[size] += 1;
        Some(call)
    }

    /// A call is done: the next call of its session, or the next without a session, becomes ready.
    fn finish(&mut self, session: Option<&str>, size: Size) {
        let size = size as usize;
        self.running[size] -= 1;
        let next = match session {
            Some(session) => {
                let next = self.queued.get_mut(session).and_then(VecDeque::pop_front);
                if next.is_none() {
                    self.queued.remove(session);
                }
                next
            }
            None => {
                let next = self.without_place[size].pop_front();
                if next.is_none() {
                    self.places[size] -= 1;
                }
                next
            }
        };
        if let Some(call) = next {
            self.set_ready(call);
        }
    }
}

/// The queues and their threads.
pub(super) struct Turns {
    cores: usize,
    /// Called after each call, to write the reply. The turn has already ended then, so that when the client sends its
    /// next call, the reader sees no running call and may run the new one itself.
    after: Box<dyn Fn() + Send + Sync>,
    state: Mutex<State>,
}

impl Turns {
    /// Starts the threads for `cores` cores. `after` is called after each call, when its turn is over.
    pub(super) fn start(cores: usize, after: impl Fn() + Send + Sync + 'static) -> io::Result<Arc<Self>> {
        let turns = Arc::new(Self { cores, after: Box::new(after), state: Mutex::default() });
        for _ in 0..=cores {
            let turns = turns.clone();
            thread::Builder::new().name("tersed".to_owned()).spawn(move || turns.work())?;
        }
        Ok(turns)
    }

    /// Runs `work` in its turn, after the earlier calls of `session`.
    pub(super) fn push(&self, session: Option<String>, size: Size, work: Work) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        state.add(Call { session, size, work }, self.cores);
        let idle = state.idle.pop();
        drop(state);
        if let Some(idle) = idle {
            idle.unpark();
        }
    }

    /// As [`Self::push`] for a brief call, but runs it here if no other call waits or runs.
    pub(super) fn run_or_push(&self, session: Option<String>, work: Work) {
        let mut state = lock(&self.state);
        if !state.is_idle() || state.closed {
            drop(state);
            return self.push(session, Size::Small, work);
        }
        state.add(Call { session, size: Size::Small, work }, self.cores);
        let Some(call) = state.start(self.cores) else { return };
        drop(state);
        drop(self.run(call));
    }

    /// Drops waiting calls and lets the threads end. Does not wait for running calls.
    pub(super) fn close(&self) {
        let closed = State { closed: true, ..State::default() };
        let waiting = std::mem::replace(&mut *lock(&self.state), closed);
        waiting.idle.iter().for_each(Thread::unpark);
    }

    /// The loop of each thread.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                return;
            }
            let Some(call) = state.start(self.cores) else {
                state.idle.push(thread::current());
                drop(state);
                thread::park();
                state = lock(&self.state);
                // The thread may have woken by itself.
                state.idle.retain(|idle| idle.id() != thread::current().id());
                continue;
            };
            drop(state);
            state = self.run(call);
        }
    }

    /// Runs a call that was started.
    fn run(&self, Call { session, size, work }: Call) -> MutexGuard<'_, State> {
        // A panic here is a bug of the server; the session must survive it.
        let _ = catch_unwind(AssertUnwindSafe(work));
        let mut state = lock(&self.state);
        if !state.closed {
            state.finish(session.as_deref(), size);
        }
        drop(state);
        (self.after)();
        lock(&self.state)
    }
}

impl std::fmt::Debug for Turns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").field("cores", &self.cores).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    fn call(session: Option<&str>, size: Size) -> Call {
        Call { session: session.map(str::to_owned), size, work: Box::new(|| ()) }
    }

    /// Adds a call for each session and size.
    fn state(cores: usize, calls: &[(Option<&str>, Size)]) -> State {
        let mut state = State::default();
        calls.iter().for_each(|(session, size)| state.add(call(*session, *size), cores));
        state
    }

    fn started(state: &mut State, cores: usize) -> Vec<(Option<String>, Size)> {
        std::iter::from_fn(|| state.start(cores)).map(|call| (call.session, call.size)).collect()
    }

    #[test]
    fn small_calls_pass_large_ones() {
        let large = |session| (Some(session), Size::Large);
        let mut state = state(2, &[large("a"), large("b"), large("c"), (Some("d"), Size::Small)]);
        let sessions: Vec<_> =
            started(&mut state, 2).into_iter().filter_map(|(session, _)| session).collect();
        assert_eq!(sessions, ["a", "b", "d"]);
        state.finish(Some("a"), Size::Large);
        assert_eq!(started(&mut state, 2), [(Some("c".to_owned()), Size::Large)]);
    }

    #[test]
    fn sessions_take_turns() {
        let of = |session| (Some(session), Size::Large);
        let mut state = state(1, &[of("a"), of("a"), of("a"), of("b"), of("c")]);
        let mut order = String::new();
        while let Some(call) = state.start(1) {
            order += call.session.as_deref().unwrap_or_default();
            state.finish(call.session.as_deref(), call.size);
        }
        assert_eq!(order, "abcaa");
        assert!(state.queued.is_empty() && state.running == [0, 0]);
    }

    #[test]
    fn calls_without_a_session_take_no_more_than_their_places() {
        let alone = (None, Size::Large);
        let mut state = state(2, &[alone, alone, alone, (Some("a"), Size::Large)]);
        assert_eq!(started(&mut state, 2), [(None, Size::Large), (None, Size::Large)]);
        state.finish(None, Size::Large);
        // The third call came earlier, but waited for a place, not for a thread.
        assert_eq!(started(&mut state, 2), [(Some("a".to_owned()), Size::Large)]);
        state.finish(None, Size::Large);
        assert_eq!(started(&mut state, 2), [(None, Size::Large)]);
        state.finish(Some("a"), Size::Large);
        state.finish(None, Size::Large);
        assert_eq!(state.places, [0, 0]);
    }

    #[test]
    fn a_brief_call_runs_on_the_thread_that_brings_it_if_no_other_is_there() {
        assert!(is_brief(BRIEF_METHOD, MAX_BRIEF_BYTES) && !is_brief(BRIEF_METHOD, MAX_BRIEF_BYTES + 1));
        assert!(!is_brief("session/reclaim", 100));
        let turns = Turns::start(2, || ()).unwrap();
        let (done, who) = channel();
        let tell = |done: &std::sync::mpsc::Sender<bool>| -> Work {
            let (done, here) = (done.clone(), thread::current().id());
            Box::new(move || _ = done.send(thread::current().id() == here))
        };
        for session in [Some("s"), None] {
            turns.run_or_push(session.map(str::to_owned), tell(&done));
            assert_eq!(who.recv(), Ok(true), "{session:?}");
        }
        let (go, wait) = channel::<()>();
        turns.push(Some("other".to_owned()), Size::Small, Box::new(move || _ = wait.recv()));
        turns.run_or_push(Some("s".to_owned()), tell(&done));
        assert_eq!(who.recv(), Ok(false));
        drop(go);
        while !lock(&turns.state).is_idle() {
            thread::yield_now();
        }
        // A fault ends neither the thread nor the turn of the session.
        turns.run_or_push(Some("s".to_owned()), Box::new(|| panic!("on purpose")));
        turns.run_or_push(Some("s".to_owned()), tell(&done));
        assert_eq!(who.recv(), Ok(true));
        turns.close();
    }

    #[test]
    fn what_the_message_does_not_tell_counts_as_large() {
        assert_eq!(Size::of("toolResult/compress", 2000), Size::Small);
        assert_eq!(Size::of("toolResult/close", 100), Size::Large);
        assert_eq!(Size::of("toolResult/compress", 100_000), Size::Large);
    }

    #[test]
    fn sessions_keep_order_survive_panics_and_leave_nothing_behind() {
        let turns = Turns::start(2, || ()).unwrap();
        let (done, order) = channel();
        for number in 0..100_u64 {
            let done = done.clone();
            let work = move || {
                thread::sleep(Duration::from_micros((100 - number) * 10));
                let _ = done.send(number);
                assert!(number != 50, "on purpose");
            };
            turns.push(Some("s".to_owned()), Size::Small, Box::new(work));
        }
        drop(done);
        assert_eq!(order.iter().collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
        while !lock(&turns.state).queued.is_empty() {
            thread::yield_now();
        }
        turns.close();
        while Arc::strong_count(&turns) > 1 {
            thread::yield_now();
        }
    }
}
