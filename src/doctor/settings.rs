//! Checks configuration files: which exist, what is wrong with them, and which project settings are not trusted.

use super::{Finding, shown};
use crate::config::Config;
use crate::layers::{Sources, printable, user_file};

const AREA: &str = "settings";

pub(super) fn check(sources: &Sources) -> (Config, Vec<Finding>) {
    let fix = |place: &str| {
        format!(
            "fix {place}; until then what is wrong does not count. `tersed config check FILE` checks a file"
        )
    };
    let layers = match sources.read() {
        Ok(layers) => layers,
        Err(errors) => {
            let faults = errors.iter().map(|error| {
                Finding::fault(AREA, printable(&error.to_string()), printable(&fix(&error.place)))
            });
            return (Config::default(), faults.collect());
        }
    };
    let (resolved, errors) = layers.resolve_usable();
    let faults: Vec<_> = layers.faults().cloned().chain(errors).collect();
    let mut all: Vec<Finding> = faults
        .iter()
        .map(|fault| Finding::fault(AREA, printable(&fault.to_string()), printable(&fix(&fault.place))))
        .collect();
    if let Some(line) = resolved.untrusted.as_ref().and_then(|untrusted| untrusted.line()) {
        let fix = "`tersed trust` shows what it would allow, and asks; nothing has to be done".to_owned();
        all.push(Finding::note(AREA, printable(&line), Some(fix)));
    }
    let is_wrong = |file: &std::path::PathBuf| faults.iter().any(|fault| fault.place == shown(file));
    let fine = layers.files().iter().filter(|file| !is_wrong(file));
    all.extend(fine.map(|file| Finding::ok(AREA, format!("{}: nothing wrong", shown(file)))));
    if all.is_empty() {
        let yours = user_file().map_or_else(String::new, |file| format!("; yours would be {}", shown(&file)));
        all.push(Finding::ok(AREA, format!("no configuration file, so the defaults count{yours}")));
    }
    let warnings = crate::rules::warnings(&resolved.config.policy.rules);
    all.extend(warnings.into_iter().map(|warning| Finding::note(AREA, warning.to_string(), None)));
    (resolved.config, all)
}
