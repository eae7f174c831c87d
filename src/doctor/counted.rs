//! Reports what is counted, where, and how to turn it off.

use super::{Finding, shown};
use crate::config::Config;
use crate::telemetry::check_there;
use crate::telemetry::counts::{default_path, is_header, read};

const AREA: &str = "counts";

pub(super) fn check(config: &Config) -> Option<Finding> {
    if !config.telemetry.counts {
        return Some(Finding::note(AREA, "nothing is counted: telemetry.counts is false".to_owned(), None));
    }
    let path = default_path()?;
    let off = "the setting telemetry.counts turns it off";
    if !path.exists() {
        // The nearest existing folder must allow new files and folders.
        let folder = path.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok())?;
        if let Err(e) = tempfile::tempfile_in(folder) {
            return Some(Finding::fault(
                AREA,
                format!("{}: {e}: nothing is counted", shown(&path)),
                format!(
                    "make {} a folder that you may write to, or name another folder in XDG_STATE_HOME",
                    shown(folder)
                ),
            ));
        }
        let text =
            format!("{}: what is saved will be counted there, only numbers per day; {off}", shown(&path));
        return Some(Finding::ok(AREA, text));
    }
    let counted = check_there(&path, is_header).and_then(|()| read(&path));
    Some(match counted {
        Ok(counted) => {
            let results: u64 = counted.sums.values().fold(0, |sum, more| sum.saturating_add(more.results));
            let noun = if results == 1 { "result" } else { "results" };
            let text = format!(
                "{}: {results} {noun} counted (only numbers per day); `tersed stats` shows them, {off}",
                shown(&path)
            );
            Finding::ok(AREA, text)
        }
        // Errors of opening name the file, errors about its content do not.
        Err(e) => Finding::note(
            AREA,
            format!("{}: {e}: nothing is counted", shown(&path)),
            Some("move it away; a new file will be created".to_owned()),
        ),
    })
}
