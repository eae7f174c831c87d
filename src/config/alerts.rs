//! Settings of alerts: how many failures or fallbacks within a window alert an operator.

use super::table::settings;

settings! {
    section "alerts";

    /// Settings of alerts.
    #[derive(Copy, Eq)]
    pub struct Alerts;

    /// Settings of alerts that were given.
    #[derive(Eq)]
    pub struct AlertsPatch;

    /// Whether alerts are sent. Default true.
    enabled: bool = true;
    /// Failures of one step or reducer within the window that trigger an alert. Default 5.
    failure_threshold: usize = 5, min: 1, max: 65_536;
    /// Fallbacks within the window that trigger an alert: results that were compressed less than requested. Default 8.
    fallback_threshold: usize = 8, min: 1, max: 65_536;
    /// Length of the window in seconds. Default 300.
    window_seconds: usize = 300, min: 1;
    /// Seconds after an alert in which it is not repeated. Default 300.
    cooldown_seconds: usize = 300;
}
