//! Settings of alerts: how many failures or fallbacks within a window an operator is told of.

use super::table::settings;

settings! {
    section "alerts";

    /// Settings of alerts.
    #[derive(Copy, Eq)]
    pub struct Alerts;

    /// Settings of alerts that somebody gave.
    #[derive(Eq)]
    pub struct AlertsPatch;

    /// Whether there are any. Default true.
    enabled: bool = true;
    /// Failures of one step or reducer within the window that make an alert. Default 5.
    failure_threshold: usize = 5, min: 1, max: 65_536;
    /// Results within the window that fell back to less than was asked for which make an alert. Default 8.
    fallback_threshold: usize = 8, min: 1, max: 65_536;
    /// Seconds that are looked back. Default 300.
    window_seconds: usize = 300, min: 1;
    /// Seconds after an alert in which the same one is not repeated. Default 300.
    cooldown_seconds: usize = 300;
}
