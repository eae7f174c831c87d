//! Thresholds for removing a result, by mode. This module looks at no result.

use crate::config::Mode;

/// Thresholds for removing a result: when it counts as no longer needed, and when removing it pays.
///
/// The values were chosen on 112 whole sessions of thirteen agents; two long sessions make up half of their cost.
/// Some 250 combinations were simulated; each first use of removed text was charged one answer. `standard` has the
/// values that save most while at most 1 batch in 20 does not pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// A result that no answer has cited may be removed after this many answers.
    pub age: usize,
    /// A cited result may be removed this many answers after the last citation, but not before `age`.
    pub uncited: usize,
    /// The assumed number of further requests if the host does not know it, in thousandths of the answers so far. A
    /// conversation is as likely as not to continue for as long as it has; but a batch should also pay if it ends much
    /// sooner.
    pub to_come_thousandths: usize,
    /// The least gain of a batch of results that later ones replace, in tokens read from the cache.
    pub min_gain: i64,
    /// The least gain of a batch with results that were not cited.
    pub min_gain_uncited: i64,
}

/// 6,000 tokens read from the cache cost as much as 600 new ones.
const MIN_GAIN: i64 = 6000;

impl Thresholds {
    /// The thresholds of a mode; `None` if nothing may be removed.
    pub fn of(mode: Mode) -> Option<Self> {
        match mode {
            Mode::Disabled | Mode::Safe => None,
            Mode::Standard => Some(Self {
                age: 4,
                uncited: 2,
                to_come_thousandths: 200,
                min_gain: MIN_GAIN,
                min_gain_uncited: 2 * MIN_GAIN,
            }),
            Mode::Aggressive => Some(Self {
                age: 3,
                uncited: 2,
                to_come_thousandths: 250,
                min_gain: MIN_GAIN,
                min_gain_uncited: 2 * MIN_GAIN,
            }),
        }
    }
}
