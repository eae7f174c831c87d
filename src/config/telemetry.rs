//! Settings of telemetry: events about the work and counts of it, never content.

use std::path::PathBuf;

use super::table::{PathUse, serve_flag, settings};

settings! {
    section "telemetry";

    /// Settings of telemetry.
    #[derive(Eq)]
    pub struct Telemetry;

    /// Settings of telemetry that were given.
    #[derive(Eq)]
    pub struct TelemetryPatch;

    /// Whether events are written to a file. Default false.
    enabled: bool = false;
    /// The file to which an event about each result is written, one per line; never content. Default one in the user's state
    /// folder. A relative path starts at the file that names it.
    path: Option<PathBuf> = None, path: Some(PathUse::Written), serve_flag: serve_flag("telemetry", "FILE");
    /// Whether the program adds up what it saves in the user's state folder, for `tersed stats`: numbers by day, without names,
    /// paths or commands. Nothing leaves the machine. Default true.
    counts: bool = true;
    /// Whether events carry 64-bit fingerprints, which are equal for equal texts. Default true.
    fingerprints: bool = true;
    /// Most events that wait to be written; further ones are dropped and counted. Default 1024.
    queue_events: usize = 1024, min: 1, max: 65_536;
    /// Bytes of one event; the lists of a longer event are left out, and it names them. Default 8192.
    max_event_bytes: usize = 8192, min: 1024, max: 1_048_576;
    /// Bytes of a file before the next begins. Default 16777216.
    max_file_bytes: usize = 16 << 20, min: 4096;
    /// Files, the current one included, 1 to 64. Default 4.
    max_files: usize = 4, min: 1, max: 64;
}
