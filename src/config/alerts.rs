//! Settings of alerts: how many failures or fallbacks within a window an operator is told of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BadValue;
use super::range::{WHOLE, put, size};

/// Settings of alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Alerts {
    /// Whether there are any.
    pub enabled: bool,
    /// Failures of one step or reducer within the window that make an alert.
    pub failure_threshold: usize,
    /// The same for results that fell back to less than was asked for.
    pub fallback_threshold: usize,
    /// Seconds that are looked back.
    pub window_seconds: usize,
    /// Seconds after an alert in which the same one is not repeated.
    pub cooldown_seconds: usize,
}

impl Default for Alerts {
    fn default() -> Self {
        Self {
            enabled: true,
            failure_threshold: 5,
            fallback_threshold: 8,
            window_seconds: 300,
            cooldown_seconds: 300,
        }
    }
}

/// Settings of alerts that somebody gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlertsPatch {
    /// Whether there are any. Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Failures of one step or reducer within the window that make an alert. Default 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub failure_threshold: Option<u64>,
    /// Results within the window that fell back to less than was asked for which make an alert. Default 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65_536))]
    pub fallback_threshold: Option<u64>,
    /// Seconds that are looked back. Default 300.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 4_294_967_295_u64))]
    pub window_seconds: Option<u64>,
    /// Seconds after an alert in which the same one is not repeated. Default 300.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 4_294_967_295_u64))]
    pub cooldown_seconds: Option<u64>,
}

impl Alerts {
    /// These settings with what the patch gives laid over them. Nothing changes when a value is bad.
    pub fn with(&self, patch: &AlertsPatch) -> Result<Self, BadValue> {
        let mut new = *self;
        put(&mut new.enabled, patch.enabled);
        let failures = patch.failure_threshold;
        size(&mut new.failure_threshold, ("alerts", "failureThreshold"), failures, 1, 65_536)?;
        let fallbacks = patch.fallback_threshold;
        size(&mut new.fallback_threshold, ("alerts", "fallbackThreshold"), fallbacks, 1, 65_536)?;
        size(&mut new.window_seconds, ("alerts", "windowSeconds"), patch.window_seconds, 1, WHOLE)?;
        size(&mut new.cooldown_seconds, ("alerts", "cooldownSeconds"), patch.cooldown_seconds, 0, WHOLE)?;
        Ok(new)
    }
}
