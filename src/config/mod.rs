//! The settings: definitions, defaults, ranges and layers.

mod accounting;
mod alerts;
mod choices;
pub mod elsewhere;
pub mod exclusion;
pub mod kind;
mod limits;
pub mod page;
mod patch;
mod policy;
mod profile;
mod recovery;
pub mod rules;
mod scale;
pub mod schema;
mod secrets;
mod server;
pub mod table;
mod telemetry;

pub use accounting::{Accounting, AccountingPatch, Price};
pub use alerts::{Alerts, AlertsPatch};
pub use choices::{DictionaryMethod, EvidenceDetail, FileDetail, Mode, OnRepeat, Structured, ToolSchemas};
pub use exclusion::Category;
pub use limits::{DataLimits, DiffLimits, SearchLimits};
pub use patch::{Config, ConfigPatch};
pub use policy::{BadValue, Budget, BudgetPatch, MAX_OUTPUT_BYTES, MIN_OUTPUT_BYTES, Policy, PolicyPatch};
pub use profile::Profile;
pub use recovery::{Hint, Recovery, RecoveryFacts, RecoveryMode, RecoveryPatch};
pub use scale::Scale;
pub use secrets::{Secrets, SecretsPatch};
pub use server::{Framing, Server, ServerPatch};
pub use telemetry::{Telemetry, TelemetryPatch};
