//! Settings of recovery: which originals are kept on disk, where and for how long.
//!
//! The originals of a running session are in the store of the process, whatever these settings say.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::table::{PathUse, Project, serve_flag, settings};

/// Which originals are kept on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RecoveryMode {
    /// None.
    #[default]
    Never,
    /// Those of results that failed, or whose compression failed.
    Failures,
    /// Those of all changed results.
    Always,
}

settings! {
    section "recovery";

    /// Settings of recovery.
    #[derive(Eq, Hash)]
    pub struct Recovery;

    /// Settings of recovery that were given.
    #[derive(Eq)]
    pub struct RecoveryPatch;

    /// Which originals are kept on disk: `never`, `failures` (of results that failed or whose compression failed), `always`.
    /// Hooks, `tersed run` and `tersed gateway` keep originals for a week if no setting of `recovery` is given. Default `never`.
    mode: RecoveryMode = RecoveryMode::Never, serve_flag: serve_flag("recovery", "MODE");
    /// Originals of fewer bytes are not kept. Default 4096.
    min_original_bytes: usize = 4096;
    /// Originals are not kept if fewer bytes were saved. Default 2048.
    min_saved_bytes: usize = 2048;
    /// Originals of more bytes, before packing, are not kept. Default 262144.
    max_artifact_bytes: usize = 262_144, min: 1, max: 67_108_864;
    /// Most originals on disk, 1 to 65536; the oldest are removed first. Default 128.
    max_artifacts: usize = 128, min: 1, max: 65_536;
    /// Seconds for which an original is kept, at least 1. Default 86400.
    retention_seconds: u64 = 86_400, min: 1;
    /// The folder for originals on disk, which only its owner may enter. Default the user's state folder. A relative path
    /// starts at the file that names it.
    directory: Option<PathBuf> = None, path: Some(PathUse::Written), serve_flag: serve_flag("recovery-dir", "FOLDER");
    /// Whether originals on disk are kept for later processes; else they are deleted with this one. Default false.
    survives_restart: bool = false, serve_flag: serve_flag("recovery-survives-restart", "");
    /// Whether texts with gaps get a line that says how to read their original. Default false.
    hint_in_text: bool = false, serve_flag: serve_flag("recovery-hint", "");
    /// Whether the list of originals for a model has those of other workspaces too. Default false.
    other_workspaces: bool = false, project: Some(Project::Never);
}

/// The facts that decide whether an original is kept on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryFacts {
    /// Whether the call failed: by its exit code or the host's flag, otherwise by what the text reports.
    pub has_failed: bool,
    /// Whether the compression failed.
    pub is_broken: bool,
    /// Bytes of the original.
    pub original: usize,
    /// Bytes that were saved.
    pub saved: usize,
}

/// The hint in texts on how to read their originals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Hint {
    /// Which originals exist.
    pub recovery: Recovery,
    /// The folder argument of the command, `Some(None)` if it needs none; `None` if no command can be called.
    pub command: Option<Option<String>>,
}

impl Recovery {
    /// Whether to keep the original of a result. If the compression failed nothing was saved, so only the size counts.
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
}
