//! Chooses the file in which this process counts what it saves, and the fingerprint of its project. Writes nothing
//! itself.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::engine::seal_key;
use crate::layers;
use crate::telemetry::Counting;
use crate::telemetry::counts::{Interface, default_path};
use crate::text::marker::SealKey;

/// Where results of this process are counted; `None` if the user turned counting off, or if there is no folder or key
/// for it.
pub(super) fn counting(config: &Config, interface: &str) -> Option<Counting> {
    let path = default_path().filter(|_| config.telemetry.counts)?;
    let key = seal_key::user_key().ok()?;
    let project = project(&key, &std::env::current_dir().ok()?);
    Some(Counting { path, interface: Interface::named(interface), project })
}

/// The fingerprint of the project that a folder belongs to. Without the key it reveals nothing about the folder.
pub(super) fn project(key: &SealKey, folder: &Path) -> u64 {
    let workspace: PathBuf = layers::workspace(folder).unwrap_or_else(|| folder.to_owned());
    key.fingerprint(workspace.as_os_str().as_encoded_bytes())
}
