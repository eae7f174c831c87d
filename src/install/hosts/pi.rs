//! pi: an extension.

use super::{BOTH, IN_SCRIPT, Row};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "pi",
    title: "pi",
    programs: &["pi"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("PI_CODING_AGENT_DIR", ".pi/agent")],
    then: |_| "",
};

const EXTENSION: &str = include_str!("../../../editors/pi/tersed.js");

fn changes(place: &Place) -> Vec<Change> {
    let user = place.folder("PI_CODING_AGENT_DIR", ".pi/agent").join("extensions");
    let file = place.either(user, ".pi/extensions").join("tersed.js");
    vec![Change::file_with(file, EXTENSION, IN_SCRIPT, &place.program)]
}
