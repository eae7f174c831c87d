//! The members of `initialize` that belong to tersed: options under `initializationOptions.tersed`, capabilities
//! under `capabilities.experimental.tersed`.

use serde::{Deserialize, Serialize};

use super::params::object;
use crate::config::{ConfigPatch, Mode, PolicyPatch, Profile};
use crate::tokens::Tokenizer;

/// `initializationOptions.tersed`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// Major versions of the protocol that the host speaks; absent for any.
    #[serde(default)]
    pub protocol_versions: Option<Vec<u32>>,
    /// A named set of settings, with the next priority above the defaults.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// Settings for all requests.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
    /// Whether the server sends `telemetry/event` for each result. Default false.
    #[serde(default)]
    pub telemetry_events: bool,
}

impl Options {
    /// The settings in these options.
    pub fn patch(&self) -> ConfigPatch {
        ConfigPatch { profile: self.profile, policy: self.policy.clone(), ..ConfigPatch::default() }
    }
}

/// `capabilities.experimental.tersed`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    /// Major version of the protocol.
    pub protocol_version: u32,
    /// Methods of this server.
    pub methods: Vec<String>,
    /// All modes.
    pub modes: Vec<Mode>,
    /// Token counters.
    pub tokenizers: Vec<Tokenizer>,
    /// Limits.
    pub limits: CapabilityLimits,
    /// The result of reading settings from files and variables.
    pub configuration: Configuration,
}

/// The result of reading settings from files and variables. Faulty and untrusted settings are ignored; all others
/// apply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// Configuration files that were found, highest priority first.
    pub files: Vec<String>,
    /// The faults, one text for each: the place, the key, the value and what is allowed.
    pub faults: Vec<String>,
    /// The project's file, if it has settings that only a trusted file may set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<Untrusted>,
}

/// A project's file whose present content the user does not trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Untrusted {
    /// The file.
    pub file: String,
    /// Its settings that are ignored.
    pub ignored: Vec<String>,
    /// The same as a sentence, with what the user can do.
    pub text: String,
}

/// Limits that a host may want to know.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CapabilityLimits {
    /// Most open sessions; the least recently used one ends first.
    pub max_sessions: usize,
    /// Most calls that a session remembers.
    pub max_calls_per_session: usize,
    /// Largest `maxOutputBytes`.
    pub max_output_bytes: u64,
    /// Most originals that are kept.
    pub max_artifacts: usize,
    /// Most bytes of all originals together.
    pub max_artifact_bytes: u64,
    /// Most open streams.
    pub max_streams: usize,
    /// Bytes up to which a stream is kept whole.
    pub max_stream_bytes: usize,
}
