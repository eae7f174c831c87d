//! What may be done to a result: the settings, their defaults, ranges and layers.

mod limits;
mod policy;

pub use limits::{DiffLimits, SearchLimits};
pub use policy::{
    BadValue, EvidenceDetail, FileDetail, MAX_OUTPUT_BYTES, Mode, OnRepeat, Policy, PolicyPatch,
};
