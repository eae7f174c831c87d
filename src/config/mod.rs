//! What may be done to a result and with what is known about it: the settings, their defaults, ranges and layers.

mod accounting;
mod alerts;
mod limits;
mod policy;
mod range;
mod recovery;
mod telemetry;

pub use accounting::{Accounting, AccountingPatch, Price};
pub use alerts::{Alerts, AlertsPatch};
pub use limits::{DataLimits, DiffLimits, SearchLimits};
pub use policy::{
    BadValue, Budget, BudgetPatch, DictionaryMethod, EvidenceDetail, FileDetail, MAX_OUTPUT_BYTES, Mode,
    OnRepeat, Policy, PolicyPatch, Structured,
};
pub use recovery::{Hint, Recovery, RecoveryFacts, RecoveryMode, RecoveryPatch};
pub use telemetry::{Telemetry, TelemetryPatch};
