//! How sure it has to be that a result may go, by mode. It looks at no result.

use crate::config::Mode;

/// How sure it has to be that a result is not needed any more, and that taking it out pays.
///
/// The figures were chosen on 112 whole sessions of thirteen agents, with an answer more charged for each first use of something
/// that had gone: some 170 combinations were simulated, and eight of `standard` were run. With these no batch of `standard` was
/// made in vain; one that saved 0.8 points more of the bill had a quarter of its batches in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Care {
    /// A result that no answer has cited may go after so many answers.
    pub age: usize,
    /// One that was cited may go so many answers after that, and not younger than `age`.
    pub uncited: usize,
    /// Requests to come, where the host does not know, in thousandths of the answers so far. As likely as not a conversation
    /// goes on for as long as it has; a batch is to pay also if it ends much sooner, and later batches hold more.
    pub to_come_thousandths: usize,
    /// The least gain of a batch of results that later ones stand for, in tokens read from the cache.
    pub min_gain: i64,
    /// The least gain of a batch with results that were not cited.
    pub min_gain_uncited: i64,
}

/// 6,000 tokens read cost as much as 600 that are new.
const MIN_GAIN: i64 = 6000;

impl Care {
    /// The care of a mode; `None` where nothing may go.
    pub fn of(mode: Mode) -> Option<Self> {
        match mode {
            Mode::Disabled | Mode::Safe => None,
            Mode::Standard => Some(Self {
                age: 10,
                uncited: 4,
                to_come_thousandths: 150,
                min_gain: MIN_GAIN,
                min_gain_uncited: 10 * MIN_GAIN,
            }),
            Mode::Aggressive => Some(Self {
                age: 6,
                uncited: 3,
                to_come_thousandths: 250,
                min_gain: MIN_GAIN,
                min_gain_uncited: 20_000,
            }),
        }
    }
}
