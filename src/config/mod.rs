//! What may be done to a result: the settings, their defaults, ranges and layers.

mod limits;
mod policy;

pub use limits::{DataLimits, DiffLimits, SearchLimits};
pub use policy::{
    BadValue, Budget, BudgetPatch, DictionaryMethod, EvidenceDetail, FileDetail, MAX_OUTPUT_BYTES, Mode,
    OnRepeat, Policy, PolicyPatch, Structured,
};
