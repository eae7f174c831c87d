//! Logs: lines that start with a time stamp or a level, whatever wrote them. A log is recognized by its
//! content alone.

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

/// Reducers of this family, those that win a tie first.
pub static REDUCERS: &[&dyn Reducer] = &[&ci::CiLog, &lines::Log];
