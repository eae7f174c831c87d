//! The interface of this module: takes events and passes them on.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

use super::alerts::{Alert, Monitor};
use super::clock::process_number;
use super::event::{Event, EventKind, VERSION};
use super::notifier::Notifier;
use super::queue::Queue;
use super::writer::{Raw, Writer};
use super::{Clock, LogFile, Stopwatch, default_path, fingerprint};
use crate::config::{Alerts, Telemetry};
use crate::protocol::notification::{self};

/// How long closing waits for unwritten events.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Records events. Does nothing if no output for events is set.
#[derive(Debug)]
pub struct Recorder {
    settings: Telemetry,
    alerts: Alerts,
    clock: Arc<dyn Clock>,
    process: String,
    seq: AtomicU64,
    queue: Arc<Queue<Raw>>,
    start: Once,
    notifier: Arc<Notifier>,
    is_on_wire: Arc<AtomicBool>,
    monitor: Mutex<Monitor>,
    /// Passed to the writer when it starts.
    #[cfg(feature = "otel")]
    exporter: std::sync::OnceLock<Arc<super::otel::Exporter>>,
}

impl Recorder {
    /// A recorder whose writer has not started.
    pub fn new(settings: Telemetry, alerts: Alerts, clock: Arc<dyn Clock>) -> Self {
        let started = [process_number().to_le_bytes().to_vec(), clock.unix_millis().to_le_bytes().to_vec()];
        Self {
            process: fingerprint(started.iter().map(Vec::as_slice)),
            queue: Arc::new(Queue::new(settings.queue_events)),
            settings,
            alerts,
            clock,
            seq: AtomicU64::new(0),
            start: Once::new(),
            notifier: Arc::default(),
            is_on_wire: Arc::default(),
            monitor: Mutex::default(),
            #[cfg(feature = "otel")]
            exporter: std::sync::OnceLock::new(),
        }
    }

    /// Sets the connection to the host; only the first call counts.
    pub fn notify_through(&self, send: impl Fn(&'static str, &str) + std::marker::Send + Sync + 'static) {
        let _ = self.notifier.0.set(Box::new(send));
    }

    /// Sets whether the host wants `telemetry/event`.
    pub fn set_on_wire(&self, wanted: bool) {
        self.is_on_wire.store(wanted, Ordering::Relaxed);
    }

    /// Sends events to this exporter too. Call it before the first event.
    #[cfg(feature = "otel")]
    pub fn export_to(&self, exporter: super::otel::Exporter) {
        let _ = self.exporter.set(Arc::new(exporter));
    }

    /// Whether anybody wants events.
    pub fn is_on(&self) -> bool {
        #[cfg(feature = "otel")]
        if self.exporter.get().is_some() {
            return true;
        }
        self.settings.enabled || self.is_on_wire.load(Ordering::Relaxed)
    }

    /// Whether events carry fingerprints.
    pub fn has_fingerprints(&self) -> bool {
        self.settings.fingerprints
    }

    /// A stopwatch, if anybody wants times.
    pub fn stopwatch(&self) -> Option<Stopwatch<'_>> {
        self.is_on().then(|| Stopwatch::new(&*self.clock))
    }

    /// Records an event. Only a fingerprint of `arguments` is recorded.
    pub fn record(&self, what: EventKind, arguments: Vec<String>) {
        if !self.is_on() {
            return;
        }
        self.start.call_once(|| self.start());
        let seq = self.seq.fetch_add(1, Ordering::Relaxed) + 1;
        let event = Event { seq, ..self.event(what) };
        self.queue.push(|dropped| Raw { event: Event { dropped, ..event }, arguments });
    }

    /// A step failed inside.
    pub fn failed(&self, step: &str) {
        let alert = self.monitor(|monitor| monitor.failed(self.clock.now(), step, &self.alerts));
        alert.into_iter().for_each(|alert| self.alert(alert));
    }

    /// A result was compressed less than requested.
    pub fn fell_back(&self) {
        let alert = self.monitor(|monitor| monitor.fell_back(self.clock.now(), &self.alerts));
        alert.into_iter().for_each(|alert| self.alert(alert));
    }

    fn monitor<T>(&self, note: impl FnOnce(&mut Monitor) -> T) -> T {
        note(&mut self.monitor.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn alert(&self, alert: Alert) {
        self.notifier.log(notification::WARNING, &alert.to_string());
        self.record(EventKind::Alert(alert), Vec::new());
    }

    /// Waits briefly until everything recorded is written.
    pub fn flush(&self) {
        if self.start.is_completed() {
            self.queue.flush(FLUSH_TIMEOUT);
        }
    }

    /// Stops the writer; later events are dropped.
    pub fn close(&self) {
        self.queue.close();
        if self.start.is_completed() {
            self.queue.flush(FLUSH_TIMEOUT);
        }
    }

    fn event(&self, what: EventKind) -> Event {
        Event {
            version: VERSION,
            time: self.clock.unix_millis(),
            process: self.process.clone(),
            seq: 0,
            dropped: 0,
            shortened: Vec::new(),
            what,
        }
    }

    /// The first line of a file of events.
    fn header(&self) -> String {
        serde_json::to_string(&self.event(EventKind::Header)).unwrap_or_default()
    }

    /// Checks that the file, if one is set, can be written. The error says why not.
    pub fn check_file(&self) -> std::io::Result<()> {
        match self.path() {
            Some(path) => {
                let Telemetry { max_file_bytes, max_files, .. } = self.settings;
                LogFile::open(&path, &self.header(), Event::is_header, max_file_bytes, max_files).map(drop)
            }
            None => Ok(()),
        }
    }

    fn path(&self) -> Option<PathBuf> {
        self.settings.enabled.then(|| self.settings.path.clone().or_else(default_path)).flatten()
    }

    fn start(&self) {
        let path = self.path();
        let writer = Writer {
            queue: self.queue.clone(),
            settings: self.settings.clone(),
            path,
            notifier: self.notifier.clone(),
            is_on_wire: self.is_on_wire.clone(),
            end: self.event(EventKind::End),
            header: self.header(),
            #[cfg(feature = "otel")]
            exporter: self.exporter.get().cloned(),
        };
        let spawned = thread::Builder::new().name("tersed-telemetry".to_owned()).spawn(move || writer.run());
        if spawned.is_err() {
            self.queue.close();
            self.queue.done();
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::clock::tests::Ticks;

    #[test]
    fn failures_of_a_step_are_told_to_the_host() {
        let sent = Arc::new(Mutex::new(Vec::new()));
        let recorder = Recorder::new(Telemetry::default(), Alerts::default(), Arc::new(Ticks::default()));
        let keep = sent.clone();
        recorder
            .notify_through(move |method, params| keep.lock().unwrap().push(format!("{method} {params}")));
        recorder.set_on_wire(true);
        (0..7).for_each(|_| recorder.failed("jest"));
        recorder.close();
        let sent = sent.lock().unwrap();
        let message = r#"{"type":2,"message":"tersed: step jest failed 5 times within 300 s"}"#;
        assert_eq!(sent[0], format!("window/logMessage {message}"));
        let event: Event = serde_json::from_str(sent[1].strip_prefix("telemetry/event ").unwrap()).unwrap();
        assert!(matches!(event.what, EventKind::Alert(alert) if alert.count == 5));
        assert_eq!(sent.len(), 2);
    }
}
