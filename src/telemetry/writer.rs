//! The thread that writes events. If it blocks, no other thread waits for it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::event::{Event, EventKind, Names};
use super::notifier::Notifier;
use super::queue::Queue;
use super::{LogFile, bound, fingerprint};
use crate::config::Telemetry;
use crate::protocol::notification;
use crate::sanitize;

/// Most bytes of a name in an event.
const MAX_NAME_BYTES: usize = 128;

/// An event before redaction: names may still hold secrets.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) event: Event,
    /// The arguments of the call; only their fingerprint is recorded.
    pub(super) arguments: Vec<String>,
}

impl Raw {
    /// The event with secrets removed. Names that cannot be redacted are left out.
    fn safe(self) -> Event {
        let Self { mut event, arguments } = self;
        match &mut event.what {
            EventKind::Result(result) => {
                redact(&mut result.names);
                if let Some(fingerprints) = &mut result.fingerprints {
                    fingerprints.arguments = of_arguments(&arguments);
                }
            }
            EventKind::Failure(failure) => redact(&mut failure.names),
            EventKind::Alert(_) | EventKind::End | EventKind::Header => {}
        }
        event
    }
}

fn redact(names: &mut Names) {
    let ids = [&mut names.correlation_id, &mut names.session_id, &mut names.tool_call_id];
    for name in ids.into_iter().flatten().chain([&mut names.tool]) {
        *name = sanitize::redact_only(name).map_or_else(|_| String::new(), |(name, _)| name);
        // Shortened after redaction, because half a secret would not be recognised.
        name.truncate(name.floor_char_boundary(MAX_NAME_BYTES));
    }
}

fn of_arguments(arguments: &[String]) -> Option<String> {
    let safe: Option<Vec<String>> =
        arguments.iter().map(|text| sanitize::redact_only(text).ok().map(|(text, _)| text)).collect();
    let safe = safe.filter(|safe| !safe.is_empty())?;
    Some(fingerprint(safe.iter().map(String::as_bytes)))
}

/// The targets of events.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) queue: Arc<Queue<Raw>>,
    pub(super) settings: Telemetry,
    /// The file to open, if one is set.
    pub(super) path: Option<PathBuf>,
    pub(super) notifier: Arc<Notifier>,
    /// Whether the host asked for events.
    pub(super) is_on_wire: Arc<AtomicBool>,
    /// Creates the event that ends the file.
    pub(super) end: Event,
    /// The first line of each file.
    pub(super) header: String,
    #[cfg(feature = "otel")]
    pub(super) exporter: Option<Arc<super::otel::Exporter>>,
}

impl Writer {
    /// Writes until the queue is closed.
    pub(super) fn run(mut self) {
        let mut file = self.open();
        let dropped = loop {
            match self.queue.take() {
                Ok(raws) => raws.into_iter().for_each(|raw| self.write(&mut file, raw.safe())),
                Err(dropped) => break dropped,
            }
        };
        if dropped > 0 {
            let end = Event { dropped, ..self.end.clone() };
            self.write(&mut file, end);
        }
        #[cfg(feature = "otel")]
        if let Some(exporter) = &self.exporter {
            exporter.close();
        }
        self.queue.done();
    }

    fn open(&mut self) -> Option<LogFile> {
        let path = self.path.take()?;
        let opened = LogFile::open(
            &path,
            &self.header,
            Event::is_header,
            self.settings.max_file_bytes,
            self.settings.max_files,
        );
        opened.map_err(|error| self.failed(&error)).ok()
    }

    fn write(&mut self, file: &mut Option<LogFile>, mut event: Event) {
        #[cfg(feature = "otel")]
        if let Some(exporter) = &self.exporter {
            exporter.export(&event);
        }
        // A line must fit into one file.
        let room = self.settings.max_file_bytes.saturating_sub(self.header.len() + 2);
        let max = self.settings.max_event_bytes.min(room);
        let Some(line) = bound::line(&mut event, max) else { return };
        if self.is_on_wire.load(Ordering::Relaxed) {
            self.notifier.notify(notification::EVENT, &line);
        }
        if let Some(log) = file
            && let Err(error) = log.write(&line)
        {
            self.failed(&error);
            *file = None;
        }
    }

    /// Reports the error to the operator once; from then on nothing is written to the file.
    fn failed(&self, error: &std::io::Error) {
        self.notifier.log(notification::ERROR, &format!("telemetry is not written any more: {error}"));
    }
}
