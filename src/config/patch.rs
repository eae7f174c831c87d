//! All settings together: what somebody gave, and what is in force.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Accounting, AccountingPatch, Alerts, AlertsPatch, BadValue, Policy, PolicyPatch, Profile, Recovery,
    RecoveryPatch, Server, ServerPatch, Telemetry, TelemetryPatch,
};

/// The settings of a file, of the environment, of flags or of a host; what is absent stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigPatch {
    /// Named settings that lie right above the defaults. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// What may be done to a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyPatch>,
    /// Which originals are kept on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<RecoveryPatch>,
    /// Events about what was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<TelemetryPatch>,
    /// When an operator is told of failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alerts: Option<AlertsPatch>,
    /// What savings are counted against, and what tokens cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accounting: Option<AccountingPatch>,
    /// How the process talks and what it holds; read once, at its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerPatch>,
    /// Files of rules, read beside those of `policy.rules`; a relative one lies beside the file that names it.
    /// Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_files: Option<Vec<PathBuf>>,
}

/// The settings that are in force.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// Named settings that lie right above the defaults.
    pub profile: Option<Profile>,
    /// What may be done to a result.
    pub policy: Policy,
    /// Which originals are kept on disk.
    pub recovery: Recovery,
    /// Events about what was done.
    pub telemetry: Telemetry,
    /// When an operator is told of failures.
    pub alerts: Alerts,
    /// What savings are counted against, and what tokens cost.
    pub accounting: Accounting,
    /// How the process talks and what it holds.
    pub server: Server,
    /// Files of rules.
    pub rule_files: Vec<PathBuf>,
}

impl Config {
    /// These settings with what the patch gives laid over them. Nothing changes when a value is bad. A profile is
    /// only noted: what it stands for is a layer of its own.
    pub fn with(&self, patch: &ConfigPatch) -> Result<Self, BadValue> {
        fn over<T: Clone, P>(
            old: &T,
            patch: Option<&P>,
            with: impl FnOnce(&T, &P) -> Result<T, BadValue>,
        ) -> Result<T, BadValue> {
            patch.map_or_else(|| Ok(old.clone()), |patch| with(old, patch))
        }
        Ok(Self {
            profile: patch.profile.or(self.profile),
            policy: over(&self.policy, patch.policy.as_ref(), Policy::with)?,
            recovery: over(&self.recovery, patch.recovery.as_ref(), Recovery::with)?,
            telemetry: over(&self.telemetry, patch.telemetry.as_ref(), Telemetry::with)?,
            alerts: over(&self.alerts, patch.alerts.as_ref(), Alerts::with)?,
            accounting: over(&self.accounting, patch.accounting.as_ref(), Accounting::with)?,
            server: over(&self.server, patch.server.as_ref(), Server::with)?,
            rule_files: patch.rule_files.clone().unwrap_or_else(|| self.rule_files.clone()),
        })
    }
}
