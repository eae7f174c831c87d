//! Containers and clusters: steps that went well, defaults and repeated names go; states, reasons,
//! exit codes, events and logs stay.

mod compose_logs;
mod describe;
mod events;
mod pulumi;

use super::Reducer;

/// The reducers of this family; the earlier row breaks ties.
pub static REDUCERS: &[&dyn Reducer] =
    &[&describe::DESCRIBE, &events::EVENTS, &compose_logs::ComposeLogs, &pulumi::PULUMI];
