//! `workspace/didChangeConfiguration`, `config/reload`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Parameters of `workspace/didChangeConfiguration`, as LSP has them.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DidChangeParams<'a> {
    /// `{"tersed": …}` with the members of `initializationOptions.tersed`: replaces the settings of earlier
    /// notifications. Null, or null under `tersed`, reads the configuration files again.
    #[serde(default, borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub settings: Option<&'a RawValue>,
}

/// Parameters of `config/reload`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReloadParams {}

/// The changes after reading the files again.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reloaded {
    /// Configuration files that were read, highest priority first.
    pub files: Vec<String>,
    /// Settings whose value changed.
    pub changed: Vec<String>,
    /// Settings whose value changed in the files, but which are only read when the process starts.
    pub needs_restart: Vec<String>,
}
