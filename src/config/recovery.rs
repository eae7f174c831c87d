//! Settings of recovery: which originals are kept on disk, where and for how long.
//!
//! The originals of a running session are in the store of the process whatever is set here.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BadValue;
use super::range::{WHOLE, put, size};

/// Which originals are kept on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecoveryMode {
    /// None.
    #[default]
    Never,
    /// Those of results that failed, or on which the compression failed.
    Failures,
    /// Those of all results that were changed.
    Always,
}

/// Settings of recovery.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// Which originals are kept.
    pub mode: RecoveryMode,
    /// Originals of fewer bytes are not kept.
    pub min_original_bytes: usize,
    /// Nor those of which fewer bytes were saved.
    pub min_saved_bytes: usize,
    /// Nor those of more bytes, before they are packed.
    pub max_artifact_bytes: usize,
    /// Originals on disk; the oldest go first.
    pub max_artifacts: usize,
    /// Seconds for which an original is kept.
    pub retention_seconds: u64,
    /// Folder; `None` for the user's state folder.
    pub directory: Option<PathBuf>,
    /// Whether a later process reads what this one kept.
    pub survives_restart: bool,
    /// Whether texts say how their original is read.
    pub hint_in_text: bool,
}

impl Default for Recovery {
    fn default() -> Self {
        Self {
            mode: RecoveryMode::Never,
            min_original_bytes: 4096,
            min_saved_bytes: 2048,
            max_artifact_bytes: 262_144,
            max_artifacts: 128,
            retention_seconds: 86_400,
            directory: None,
            survives_restart: false,
            hint_in_text: false,
        }
    }
}

/// What decides whether an original is kept on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryFacts {
    /// Whether the call failed: by its exit code or the host's flag, else by what the text reports.
    pub has_failed: bool,
    /// Whether the compression failed.
    pub is_broken: bool,
    /// Bytes of the original.
    pub original: usize,
    /// Bytes that were saved.
    pub saved: usize,
}

/// What texts say of their originals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Hint {
    /// Which originals there are.
    pub recovery: Recovery,
    /// The folder that the command has to be given, `Some(None)` where it needs none; `None` where no command
    /// can be called.
    pub command: Option<Option<String>>,
}

/// Settings of recovery that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecoveryPatch {
    /// Which originals are kept on disk: `never`, `failures` (of results that failed or on which the compression
    /// failed), `always`. Default `never`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<RecoveryMode>,
    /// Originals of fewer bytes are not kept. Default 4096.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_original_bytes: Option<u64>,
    /// Originals of which fewer bytes were saved are not kept. Default 2048.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_saved_bytes: Option<u64>,
    /// Originals of more bytes, before they are packed, are not kept. Default 262144.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 67_108_864))]
    pub max_artifact_bytes: Option<u64>,
    /// Originals on disk, 1 to 65536; the oldest go first. Default 128.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub max_artifacts: Option<u64>,
    /// Seconds for which an original is kept, at least 1. Default 86400.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    pub retention_seconds: Option<u64>,
    /// Folder that only its owner may enter; a relative one lies beside the file that names it. Default the user's
    /// state folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Whether a later process reads what this one kept. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survives_restart: Option<bool>,
    /// Whether texts say how their original is read. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint_in_text: Option<bool>,
}

impl Recovery {
    /// Whether the original of a result is kept. Where the compression failed nothing was saved, so that only the
    /// size counts.
    pub fn wants(&self, facts: &RecoveryFacts) -> bool {
        let is_meant = match self.mode {
            RecoveryMode::Never => false,
            RecoveryMode::Failures => facts.has_failed || facts.is_broken,
            RecoveryMode::Always => true,
        };
        is_meant
            && (self.min_original_bytes..=self.max_artifact_bytes).contains(&facts.original)
            && (facts.is_broken || facts.saved >= self.min_saved_bytes)
    }

    /// These settings with what the patch gives laid over them. Nothing changes when a value is bad.
    pub fn with(&self, patch: &RecoveryPatch) -> Result<Self, BadValue> {
        let mut new = self.clone();
        put(&mut new.mode, patch.mode);
        size(
            &mut new.min_original_bytes,
            ("recovery", "minOriginalBytes"),
            patch.min_original_bytes,
            0,
            WHOLE,
        )?;
        size(&mut new.min_saved_bytes, ("recovery", "minSavedBytes"), patch.min_saved_bytes, 0, WHOLE)?;
        let bytes = patch.max_artifact_bytes;
        size(&mut new.max_artifact_bytes, ("recovery", "maxArtifactBytes"), bytes, 1, 64 << 20)?;
        size(&mut new.max_artifacts, ("recovery", "maxArtifacts"), patch.max_artifacts, 1, 65_536)?;
        let mut seconds = new.retention_seconds as usize;
        size(&mut seconds, ("recovery", "retentionSeconds"), patch.retention_seconds, 1, WHOLE)?;
        new.retention_seconds = seconds as u64;
        if let Some(directory) = &patch.directory {
            new.directory = Some(directory.clone());
        }
        put(&mut new.survives_restart, patch.survives_restart);
        put(&mut new.hint_in_text, patch.hint_in_text);
        Ok(new)
    }
}
