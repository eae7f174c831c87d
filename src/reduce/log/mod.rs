//! Logs: lines that start with a time stamp or a level, of any program. A log is recognized by its content alone.

mod breaks;
mod ci;
mod cited;
mod columns;
mod durations;
mod forms;
mod layout;
mod lines;
mod mask;
mod numbers;
mod record;
mod repeats;
mod stamp;
mod variants;

use super::Reducer;

/// The reducers of this family. If two claims are equal, the first one is used.
pub static REDUCERS: &[&dyn Reducer] = &[&ci::CiLog, &lines::Log];
