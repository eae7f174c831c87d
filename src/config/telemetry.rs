//! Settings of telemetry: events about what was done, never about what a text said.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BadValue;
use super::range::{WHOLE, put, size};

/// Settings of telemetry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Telemetry {
    /// Whether events are written to a file.
    pub enabled: bool,
    /// The file; `None` for one in the user's state folder.
    pub path: Option<PathBuf>,
    /// Whether events carry 64-bit fingerprints, by which equal texts are known as equal.
    pub fingerprints: bool,
    /// Events that wait to be written; more are dropped and counted.
    pub queue_events: usize,
    /// Bytes of one event; a longer one loses its lists, and says so.
    pub max_event_bytes: usize,
    /// Bytes of a file before the next begins.
    pub max_file_bytes: usize,
    /// Files, the current one included.
    pub max_files: usize,
}

impl Default for Telemetry {
    fn default() -> Self {
        Self {
            enabled: false,
            path: None,
            fingerprints: true,
            queue_events: 1024,
            max_event_bytes: 8192,
            max_file_bytes: 16 << 20,
            max_files: 4,
        }
    }
}

/// Settings of telemetry that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TelemetryPatch {
    /// Whether events are written to a file. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The file; a relative one lies beside the file that names it. Default one in the user's state folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Whether events carry 64-bit fingerprints, by which equal texts are known as equal. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprints: Option<bool>,
    /// Events that wait to be written; more are dropped and counted. Default 1024.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub queue_events: Option<u64>,
    /// Bytes of one event; a longer one loses its lists, and says so. Default 8192.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1024, max = 1_048_576))]
    pub max_event_bytes: Option<u64>,
    /// Bytes of a file before the next begins. Default 16777216.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 4096, max = 4_294_967_295_u64))]
    pub max_file_bytes: Option<u64>,
    /// Files, the current one included, 1 to 64. Default 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub max_files: Option<u64>,
}

impl Telemetry {
    /// These settings with what the patch gives laid over them. Nothing changes when a value is bad.
    pub fn with(&self, patch: &TelemetryPatch) -> Result<Self, BadValue> {
        let mut new = self.clone();
        put(&mut new.enabled, patch.enabled);
        if let Some(path) = &patch.path {
            new.path = Some(path.clone());
        }
        put(&mut new.fingerprints, patch.fingerprints);
        size(&mut new.queue_events, ("telemetry", "queueEvents"), patch.queue_events, 1, 65_536)?;
        size(&mut new.max_event_bytes, ("telemetry", "maxEventBytes"), patch.max_event_bytes, 1024, 1 << 20)?;
        size(&mut new.max_file_bytes, ("telemetry", "maxFileBytes"), patch.max_file_bytes, 4096, WHOLE)?;
        size(&mut new.max_files, ("telemetry", "maxFiles"), patch.max_files, 1, 64)?;
        Ok(new)
    }
}
