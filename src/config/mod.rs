//! What may be done to a result: the settings, their defaults, ranges and layers.

mod policy;

pub use policy::{BadValue, EvidenceDetail, MAX_OUTPUT_BYTES, Mode, Policy, PolicyPatch};
