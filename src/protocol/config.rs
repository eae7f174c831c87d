//! `workspace/didChangeConfiguration`, `config/reload`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Parameters of `workspace/didChangeConfiguration`, as LSP has them.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DidChangeParams<'a> {
    /// `{"tersed": …}` with what `initializationOptions.tersed` takes: replaces the settings that came this way
    /// before. Null, or null under `tersed`, reads the configuration files anew.
    #[serde(default, borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<serde_json::Value>"))]
    pub settings: Option<&'a RawValue>,
}

/// Parameters of `config/reload`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReloadParams {}

/// What reading the files anew changed.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reloaded {
    /// Configuration files that were read, those that count more first.
    pub files: Vec<String>,
    /// Settings that have another value from now on.
    pub changed: Vec<String>,
    /// Settings that have another value in the files, which counts after the next start of the process.
    pub needs_restart: Vec<String>,
}
