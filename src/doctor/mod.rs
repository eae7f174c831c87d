//! What is right and what is wrong with an installation: one file for each thing that is looked at.
//!
//! Nothing here changes anything, and nothing waits for ever: other programs are asked under a deadline.

mod folders;
mod hosts;
mod lately;
mod program;
mod round_trip;
mod settings;
mod spawn;

use std::path::PathBuf;

use serde::Serialize;

use crate::install::{Place, Scope};
use crate::layers::Sources;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing has to be done.
    Note,
    /// Something has to be done.
    Fault,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it belongs to: `program`, `round trip`, `settings`, `folders`, `hosts`, `lately`.
    pub area: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found.
    pub text: String,
    /// What to do about it.
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

/// Looks at everything. `project` is the folder whose settings and wiring count.
///
/// # Errors
///
/// There is no home folder or no such project.
pub fn examine(project: Option<&std::path::Path>) -> Result<Vec<Finding>, String> {
    let place = Place::of_process(Scope::User, project, None)?;
    let own = std::env::current_exe().map_err(|e| format!("own binary: {e}"))?;
    let mut sources = Sources::of_process();
    sources.directory.clone_from(&place.project);
    // The slow ones beside each other.
    let (hosts, trip) = std::thread::scope(|scope| {
        let hosts = scope.spawn(|| hosts::look(&place, &own));
        let trip = round_trip::look(&own);
        (hosts.join(), trip)
    });
    let mut all = program::look(&place, &own);
    all.push(trip);
    let (config, found) = settings::look(&sources);
    all.extend(found);
    all.extend(folders::look(&place, &config));
    all.extend(hosts.map_err(|_| "the hosts could not be looked at".to_owned())??);
    all.extend(lately::look(&config));
    Ok(all)
}

/// A path as people read it.
fn shown(path: &std::path::Path) -> String {
    path.display().to_string()
}

/// The file of events, where one is written or was.
fn events(config: &crate::config::Config) -> Option<PathBuf> {
    config.telemetry.path.clone().or_else(crate::telemetry::default_path)
}
