//! Checks an installation; each file checks one area.
//!
//! Nothing here changes anything or blocks forever: other programs have a time limit.

mod counted;
mod folders;
mod hosts;
mod lately;
mod program;
mod round_trip;
mod settings;
pub mod setup;
mod spawn;

use std::path::PathBuf;

use serde::Serialize;

use crate::install::{Place, Scope};
use crate::layers::Sources;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Everything is in order.
    Ok,
    /// Information; nothing needs to be done.
    Note,
    /// A fault that should be fixed.
    Fault,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The area: `program`, `round trip`, `settings`, `folders`, `hosts`, `lately`, `counts`.
    pub area: &'static str,
    /// Its severity.
    pub state: State,
    /// What was found.
    pub text: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Finding {
    fn ok(area: &'static str, text: String) -> Self {
        Self { area, state: State::Ok, text, fix: None }
    }

    fn note(area: &'static str, text: String, fix: Option<String>) -> Self {
        Self { area, state: State::Note, text, fix }
    }

    fn fault(area: &'static str, text: String, fix: String) -> Self {
        Self { area, state: State::Fault, text, fix: Some(fix) }
    }
}

/// Runs all checks. `project` is the folder whose settings and setup are checked.
///
/// # Errors
///
/// There is no home folder or no such project.
pub fn examine(project: Option<&std::path::Path>) -> Result<Vec<Finding>, String> {
    let place = Place::of_process(Scope::User, project, None)?;
    let own = std::env::current_exe().map_err(|e| format!("own binary: {e}"))?;
    let mut sources = Sources::of_process();
    sources.directory.clone_from(&place.project);
    // The slow checks run in parallel.
    let (hosts, trip) = std::thread::scope(|scope| {
        let hosts = scope.spawn(|| hosts::check(&place, &own));
        let trip = round_trip::check(&own);
        (hosts.join(), trip)
    });
    let mut all = program::check(&place, &own);
    all.push(trip);
    let (config, found) = settings::check(&sources);
    all.extend(found);
    all.extend(folders::check(&place, &config));
    all.extend(hosts.map_err(|_| "the hosts could not be looked at".to_owned())??);
    all.extend(lately::check(&config));
    all.extend(counted::check(&config));
    Ok(all)
}

/// A path as shown to people.
fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

/// The file of events, if one is set or exists.
fn events(config: &crate::config::Config) -> Option<PathBuf> {
    config.telemetry.path.clone().or_else(crate::telemetry::default_path)
}
