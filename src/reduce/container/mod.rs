//! Containers and clusters: successful steps, defaults and repeated names are left out; states, reasons, exit
//! codes, events and logs are kept.

mod compose_logs;
mod describe;
mod events;
mod pulumi;

use super::Reducer;

/// The reducers of this family. If two claim a text equally, the one listed first wins.
pub static REDUCERS: &[&dyn Reducer] =
    &[&describe::DESCRIBE, &events::EVENTS, &compose_logs::ComposeLogs, &pulumi::PULUMI];
