//! What `initialize` carries for us: options under `initializationOptions.tersed`, capabilities under
//! `capabilities.experimental.tersed`.

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
    /// Named settings right above the defaults.
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
    /// The settings among them.
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
    /// Methods that are there.
    pub methods: Vec<String>,
    /// Modes that do something.
    pub modes: Vec<Mode>,
    /// Token counters.
    pub tokenizers: Vec<Tokenizer>,
    /// Bounds.
    pub limits: CapabilityLimits,
    /// What came of files and variables of settings.
    pub configuration: Configuration,
}

/// The result of reading settings from files and variables. Faulty and untrusted settings are ignored; all others
/// count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// Configuration files that were found, those that count more first.
    pub files: Vec<String>,
    /// What is wrong, one text for each fault: the place, the key, the value and what is allowed.
    pub faults: Vec<String>,
    /// The project's file, if it has settings that only a trusted file may set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<Untrusted>,
}

/// A project's file that the user does not trust as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Untrusted {
    /// The file.
    pub file: String,
    /// Its settings that do not count.
    pub ignored: Vec<String>,
    /// The same in words, with what to do.
    pub text: String,
}

/// Bounds that a host may want to know.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CapabilityLimits {
    /// Sessions at once; the one that was used least lately ends first.
    pub max_sessions: usize,
    /// Calls that a session remembers.
    pub max_calls_per_session: usize,
    /// Largest `maxOutputBytes`.
    pub max_output_bytes: u64,
    /// Originals at once.
    pub max_artifacts: usize,
    /// Bytes of all originals.
    pub max_artifact_bytes: u64,
    /// Streams at once.
    pub max_streams: usize,
    /// Bytes of a stream up to which all is kept.
    pub max_stream_bytes: usize,
}
