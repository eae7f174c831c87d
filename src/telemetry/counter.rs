//! Adds up counts in memory, and writes them from time to time on a separate thread. If that thread blocks, no other
//! work does. If writing fails, counting stops without a message.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::counts::{self, Held, Interface, Key, Line, MAX_FILE_BYTES, MAX_FILES, Numbers, caller};
use super::{Clock, LogFile};

/// How long the first counts wait; short, so that a user sees them soon.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// How long later counts wait. Each write adds a line, and a killed process loses at most the counts of this time.
const PAUSE: Duration = Duration::from_secs(30);
/// How long closing waits.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Most sums that wait. Only a client that sends ever new model names reaches this; further results are then counted
/// without a model.
const MAX_WAITING_SUMS: usize = 64;

/// The file for counts, and the key under which they are added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counting {
    /// The file.
    pub path: PathBuf,
    /// The interface of this process.
    pub interface: Interface,
    /// Keyed fingerprint of the project's folder.
    pub project: u64,
}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<Key, Numbers>,
    has_writer: bool,
    is_closed: bool,
    /// Whether somebody waits until all counts are written.
    is_hurried: bool,
    /// Whether the writer holds numbers that are not in the file yet.
    is_writing: bool,
}

#[derive(Debug)]
struct Shared {
    counting: Counting,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    changed: Condvar,
}

/// Counts results. Does nothing if counting is off.
#[derive(Debug)]
pub struct Counter(Option<Arc<Shared>>);

impl Counter {
    /// A counter whose writer has not started.
    pub fn new(counting: Option<Counting>, clock: Arc<dyn Clock>) -> Self {
        let shared =
            |counting| Arc::new(Shared { counting, clock, state: Mutex::default(), changed: Condvar::new() });
        Self(counting.map(shared))
    }

    /// Whether it counts.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Adds numbers, with the interface and model for which this thread works.
    pub fn add(&self, numbers: &Numbers) {
        let Some(shared) = &self.0 else { return };
        let (caller, counting) = (caller(), &shared.counting);
        let day = counts::day_of(shared.clock.unix_millis());
        let interface = caller.interface.unwrap_or(counting.interface);
        self.add_to(Key { day, interface, project: counting.project, model: caller.model }, numbers);
    }

    /// Adds numbers that were held back.
    pub fn add_held(&self, held: Held) {
        held.0.into_iter().for_each(|(key, numbers)| self.add_to(key, &numbers));
    }

    fn add_to(&self, mut key: Key, numbers: &Numbers) {
        let Some(shared) = &self.0 else { return };
        if counts::holds(key, numbers) {
            return;
        }
        let mut state = shared.state();
        if state.is_closed {
            return;
        }
        if state.waiting.len() >= MAX_WAITING_SUMS && !state.waiting.contains_key(&key) {
            key.model = 0;
        }
        let was_empty = state.waiting.is_empty();
        state.waiting.entry(key).or_default().add(numbers);
        if !state.has_writer {
            state.has_writer = true;
            let writer = Arc::clone(shared);
            let started =
                thread::Builder::new().name("tersed-counts".to_owned()).spawn(move || writer.write());
            if started.is_err() {
                *state = State { is_closed: true, ..State::default() };
            }
        }
        drop(state);
        // A writer that has something to write waits for the time, not for more.
        if was_empty {
            shared.changed.notify_all();
        }
    }

    /// Writes waiting counts now, before somebody reads the file.
    pub fn flush(&self) {
        let Some(shared) = &self.0 else { return };
        let mut state = shared.state();
        state.is_hurried = true;
        shared.changed.notify_all();
        let waits = |state: &mut State| state.has_writer && (state.is_writing || !state.waiting.is_empty());
        drop(shared.changed.wait_timeout_while(state, CLOSE_TIMEOUT, waits));
    }

    /// Writes waiting counts, and stops; later numbers are dropped.
    pub fn close(&self) {
        let Some(shared) = &self.0 else { return };
        let mut state = shared.state();
        state.is_closed = true;
        shared.changed.notify_all();
        // A writer that hangs is not waited for.
        drop(shared.changed.wait_timeout_while(state, CLOSE_TIMEOUT, |state| state.has_writer));
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes until it is closed.
    fn write(&self) {
        let mut file = LogFile::open(
            &self.counting.path,
            &counts::header(),
            counts::is_header,
            MAX_FILE_BYTES,
            MAX_FILES,
        )
        .ok();
        let mut pause = FIRST_PAUSE;
        while let Some((waiting, is_last)) = self.take(pause) {
            for (key, numbers) in waiting {
                let line = serde_json::to_string(&Line { key, numbers }).unwrap_or_default();
                if file.as_mut().is_some_and(|file| file.write(&line).is_err()) {
                    file = None;
                }
            }
            if is_last || file.is_none() {
                break;
            }
            pause = PAUSE;
        }
        let mut state = self.state();
        *state = State { is_closed: true, ..State::default() };
        drop(state);
        self.changed.notify_all();
    }

    /// The waiting counts after a pause, or at once when closed, and whether they are the last; `None` if no more
    /// will come.
    fn take(&self, pause: Duration) -> Option<(BTreeMap<Key, Numbers>, bool)> {
        let mut state = self.state();
        (state.is_writing, state.is_hurried) = (false, state.is_hurried && !state.waiting.is_empty());
        self.changed.notify_all();
        let idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let state = self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        let rests = |state: &mut State| !state.is_closed && !state.is_hurried;
        let waited = self.changed.wait_timeout_while(state, pause, rests);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let waiting = std::mem::take(&mut state.waiting);
        (state.is_writing, state.is_hurried) = (true, false);
        (!waiting.is_empty()).then_some((waiting, state.is_closed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::clock::tests::Ticks;
    use crate::telemetry::counts::{held, read, with_caller};

    fn counter(path: PathBuf) -> Counter {
        let counting = Counting { path, interface: Interface::named("serve"), project: 7 };
        Counter::new(Some(counting), Arc::new(Ticks::default()))
    }

    fn one() -> Numbers {
        Numbers { results: 1, baseline: 100, shown: 40, ..Numbers::default() }
    }

    #[test]
    fn what_waits_is_written_when_it_closes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/counts.jsonl");
        let counter = counter(path.clone());
        (0..5).for_each(|_| counter.add(&one()));
        with_caller(|caller| caller.interface = Some(Interface::named("codex")), || counter.add(&one()));
        counter.close();
        counter.add(&one());
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().next(), Some("{\"tersedCounts\":1}"));
        let counted = read(&path).unwrap();
        let sums: Vec<(&str, u64, u64)> =
            counted.sums.iter().map(|(key, sum)| (key.interface.name(), key.day, sum.results)).collect();
        assert_eq!(sums, [("serve", 19_675, 5), ("codex", 19_675, 1)]);
        assert_eq!(counted.unread, 0);
    }

    #[test]
    fn what_waits_is_written_for_somebody_who_looks() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counts.jsonl");
        let counter = counter(path.clone());
        // Counts do not wait for long, also after the first pause.
        for n in 1..=3 {
            counter.add(&one());
            counter.flush();
            assert_eq!(read(&path).unwrap().sums.values().map(|sum| sum.results).sum::<u64>(), n);
            counter.flush();
        }
    }

    #[test]
    fn what_is_held_back_counts_as_it_was_shown() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counts.jsonl");
        let counter = counter(path.clone());
        let one = Numbers { secrets: 2, ..one() };
        let sums = || {
            counter.flush();
            let counted = read(&path).unwrap_or_default();
            counted.sums.values().fold((0, 0, 0), |(results, shown, secrets), sum| {
                (results + sum.results, shown + sum.shown, secrets + sum.secrets)
            })
        };
        let hold = || held(|| counter.add(&one)).1;
        let waits = hold();
        assert_eq!(sums(), (0, 0, 0));
        counter.add_held(waits);
        assert_eq!(sums(), (1, 40, 2));
        counter.add_held(hold().shown_as(None));
        assert_eq!(sums(), (2, 140, 4));
        counter.add_held(hold().shown_as(Some(70)));
        assert_eq!(sums(), (3, 210, 6));
        counter.add_held(hold().unused());
        assert_eq!(sums(), (4, 310, 6));
        // Counts that are held inside others stay with these.
        let (_, outer) = held(|| counter.add_held(hold().unused()));
        assert_eq!(sums(), (4, 310, 6));
        counter.add_held(outer);
        assert_eq!(sums(), (5, 410, 6));
        counter.add(&one);
        assert_eq!(sums(), (6, 450, 8));
    }

    #[test]
    fn made_up_models_take_no_room() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counts.jsonl");
        let counter = counter(path.clone());
        (1..=1000).for_each(|model| with_caller(|caller| caller.model = model, || counter.add(&one())));
        counter.close();
        let counted = read(&path).unwrap();
        assert!(counted.sums.len() <= MAX_WAITING_SUMS + 1, "{}", counted.sums.len());
        assert_eq!(counted.sums.values().map(|sum| sum.results).sum::<u64>(), 1000);
    }

    #[test]
    fn a_file_of_somebody_else_stays_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("counts.jsonl");
        std::fs::write(&path, "my notes\n").unwrap();
        let counter = counter(path.clone());
        counter.add(&one());
        counter.close();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my notes\n");
    }

    #[test]
    fn without_a_place_nothing_is_counted() {
        let counter = Counter::new(None, Arc::new(Ticks::default()));
        counter.add(&one());
        counter.close();
        assert!(!counter.is_on());
    }
}
