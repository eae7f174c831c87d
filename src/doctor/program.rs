//! Checks this program: its version, and other programs of its name in the `PATH`.

use std::path::Path;

use super::spawn::version;
use super::{Finding, shown};
use crate::install::Place;

const AREA: &str = "program";

pub(super) fn check(place: &Place, own: &Path) -> Vec<Finding> {
    let ours = concat!("tersed ", env!("CARGO_PKG_VERSION"));
    let mut all = vec![Finding::ok(AREA, format!("{ours}, {}", shown(own)))];
    let found = place.programs("tersed");
    let is_own = |path: &Path| path.canonicalize().ok() == own.canonicalize().ok();
    let Some(first) = found.first() else {
        let fix = "add its folder to the PATH, or set up hosts only with its full path".to_owned();
        all.push(Finding::note(AREA, "no tersed is in the PATH".to_owned(), Some(fix)));
        return all;
    };
    for other in found.iter().filter(|other| !is_own(other)) {
        let is_first = other == first;
        let place = if is_first { "the first in the PATH" } else { "also in the PATH" };
        match version(other) {
            Ok(version) if version == ours => {
                all.push(Finding::note(AREA, format!("{}, {place}: the same version", shown(other)), None));
            }
            Ok(version) => {
                let text = format!("{}, {place}: another version, {version}", shown(other));
                let fix = format!(
                    "remove it or put it last: hosts that start `tersed` by its name get {}",
                    shown(first)
                );
                all.push(match is_first {
                    true => Finding::fault(AREA, text, fix),
                    false => Finding::note(AREA, text, Some(fix)),
                });
            }
            Err(why) => {
                let text = format!("{}, {place}: {why}", shown(other));
                all.push(match is_first {
                    true => Finding::fault(AREA, text, "remove it or install it again".to_owned()),
                    false => Finding::note(AREA, text, Some("remove it or install it again".to_owned())),
                });
            }
        }
    }
    if is_own(first) {
        all.push(Finding::ok(AREA, format!("the first in the PATH is this one, {}", shown(first))));
    }
    all
}
