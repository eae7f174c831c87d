//! Decides when to alert an operator: when a number of failures occur within a window, and not again during a cool-down. The
//! caller passes times in; no clock is read.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::Alerts;

/// Most steps whose failures are counted separately; further steps share one count.
const MAX_STEPS: usize = 256;
/// The name of the shared count.
const OTHER: &str = "other";
/// Most times that are remembered for one step, unless the threshold is higher. Counts end there.
const MAX_TIMES: usize = 4096;

/// What an alert reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AlertKind {
    /// A step failed inside.
    Failure,
    /// Results were compressed less than requested.
    Fallback,
}

/// Events of one kind reached the threshold within the window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// What it is about.
    pub kind: AlertKind,
    /// The step that failed; `other` for steps beyond the 256 that are counted separately. Absent for fallbacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// How often within the window; at most 4096, or the threshold if that is higher, are counted.
    pub count: usize,
    /// The window in seconds.
    pub window_seconds: usize,
}

impl fmt::Display for Alert {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, window_seconds, .. } = self;
        match &self.step {
            Some(step) => write!(out, "step {step} failed {count} times within {window_seconds} s"),
            None => {
                write!(out, "{count} results within {window_seconds} s fell back to less than was asked for")
            }
        }
    }
}

/// The times of one kind of event.
#[derive(Debug, Default)]
struct Series {
    times: VecDeque<Duration>,
    last_alert: Option<Duration>,
}

impl Series {
    /// Records one more. Returns the count within the window if an alert is due.
    fn note(&mut self, now: Duration, threshold: usize, alerts: &Alerts) -> Option<usize> {
        let (window, pause) = (seconds(alerts.window_seconds), seconds(alerts.cooldown_seconds));
        while self.times.front().is_some_and(|time| now.saturating_sub(*time) >= window) {
            self.times.pop_front();
        }
        if self.times.len() >= threshold.max(MAX_TIMES) {
            self.times.pop_front();
        }
        self.times.push_back(now);
        let is_cooling = self.last_alert.is_some_and(|at| now.saturating_sub(at) < pause);
        if self.times.len() < threshold || is_cooling {
            return None;
        }
        self.last_alert = Some(now);
        Some(self.times.len())
    }
}

fn seconds(n: usize) -> Duration {
    Duration::from_secs(n as u64)
}

/// Recent events, in bounded memory.
#[derive(Debug, Default)]
pub struct Monitor {
    failures: HashMap<String, Series>,
    fallbacks: Series,
}

impl Monitor {
    /// A step failed at time `now`.
    pub fn failed(&mut self, now: Duration, step: &str, alerts: &Alerts) -> Option<Alert> {
        if !alerts.enabled {
            return None;
        }
        let is_known = self.failures.contains_key(step) || self.failures.len() < MAX_STEPS;
        let step = if is_known { step } else { OTHER };
        let series = self.failures.entry(step.to_owned()).or_default();
        let count = series.note(now, alerts.failure_threshold, alerts)?;
        let window_seconds = alerts.window_seconds;
        Some(Alert { kind: AlertKind::Failure, step: Some(step.to_owned()), count, window_seconds })
    }

    /// A result fell back at time `now`.
    pub fn fell_back(&mut self, now: Duration, alerts: &Alerts) -> Option<Alert> {
        if !alerts.enabled {
            return None;
        }
        let count = self.fallbacks.note(now, alerts.fallback_threshold, alerts)?;
        let window_seconds = alerts.window_seconds;
        Some(Alert { kind: AlertKind::Fallback, step: None, count, window_seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALERTS: Alerts = Alerts {
        enabled: true,
        failure_threshold: 3,
        fallback_threshold: 2,
        window_seconds: 10,
        cooldown_seconds: 20,
    };

    /// The seconds at which alerts occur for failures at these seconds, with their counts.
    fn alerts_at(times: impl IntoIterator<Item = usize>) -> Vec<(usize, usize)> {
        let mut monitor = Monitor::default();
        let note = |at| Some((at, monitor.failed(seconds(at), "jest", &ALERTS)?.count));
        times.into_iter().filter_map(note).collect()
    }

    #[test]
    fn the_threshold_counts_within_the_window() {
        assert_eq!(alerts_at([0, 1]), []);
        assert_eq!(alerts_at([0, 1, 9]), [(9, 3)]);
        assert_eq!(alerts_at([0, 1, 10]), [], "the window is open at its end");
        assert_eq!(alerts_at([0, 5, 10, 14]), [(14, 3)]);
    }

    #[test]
    fn an_alert_is_not_repeated_while_it_cools() {
        assert_eq!(alerts_at(0..22), [(2, 3)]);
        assert_eq!(alerts_at(0..23), [(2, 3), (22, 10)]);
    }

    #[test]
    fn steps_are_told_apart_and_so_are_fallbacks() {
        let mut monitor = Monitor::default();
        for step in ["a", "b", "c", "d"] {
            assert_eq!(monitor.failed(seconds(0), step, &ALERTS), None);
        }
        assert_eq!(monitor.fell_back(seconds(0), &ALERTS), None);
        let alert = monitor.fell_back(seconds(1), &ALERTS).unwrap();
        assert_eq!(alert.to_string(), "2 results within 10 s fell back to less than was asked for");
        monitor.failed(seconds(1), "a", &ALERTS);
        let alert = monitor.failed(seconds(2), "a", &ALERTS).unwrap();
        assert_eq!(alert.to_string(), "step a failed 3 times within 10 s");
    }

    #[test]
    fn memory_is_bounded() {
        let mut monitor = Monitor::default();
        for i in 0..10 * MAX_STEPS {
            monitor.failed(seconds(0), &i.to_string(), &ALERTS);
        }
        assert_eq!(monitor.failures.len(), MAX_STEPS + 1);
        assert_eq!(monitor.failures[OTHER].times.len(), 9 * MAX_STEPS);
        for _ in 0..3 * MAX_TIMES {
            monitor.failed(seconds(0), "0", &ALERTS);
        }
        assert_eq!(monitor.failures["0"].times.len(), MAX_TIMES);
    }

    #[test]
    fn what_is_off_says_nothing() {
        let off = Alerts { enabled: false, ..ALERTS };
        let mut monitor = Monitor::default();
        assert!((0..100).all(|i| monitor.failed(seconds(i), "a", &off).is_none()));
        assert!((0..100).all(|i| monitor.fell_back(seconds(i), &off).is_none()));
    }
}
