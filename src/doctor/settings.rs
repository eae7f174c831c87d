//! Configuration files: which were found, and whether they can be read.

use super::{Finding, shown};
use crate::config::Config;
use crate::layers::Sources;

const AREA: &str = "settings";

pub(super) fn look(sources: &Sources) -> (Config, Vec<Finding>) {
    let fix = |place: &str| {
        format!("mend {place}; tersed serves no host until then. `tersed config check FILE` checks a file")
    };
    let layers = match sources.load() {
        Ok(layers) => layers,
        Err(errors) => {
            let faults =
                errors.iter().map(|error| Finding::fault(AREA, error.to_string(), fix(&error.place)));
            return (Config::default(), faults.collect());
        }
    };
    let resolved = match layers.resolve() {
        Ok(resolved) => resolved,
        Err(error) => {
            let fault = Finding::fault(AREA, error.to_string(), fix("the settings"));
            return (Config::default(), vec![fault]);
        }
    };
    let mut all: Vec<Finding> = layers
        .files()
        .iter()
        .map(|file| Finding::ok(AREA, format!("{}: nothing wrong", shown(file))))
        .collect();
    if all.is_empty() {
        all.push(Finding::ok(AREA, "no configuration file; the defaults count".to_owned()));
    }
    let warnings = resolved.config.policy.rules.warnings();
    all.extend(warnings.into_iter().map(|warning| Finding::note(AREA, warning.to_string(), None)));
    (resolved.config, all)
}
