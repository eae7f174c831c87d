//! Cline: a plugin.

use super::{BOTH, IN_SCRIPT, Row};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "cline",
    title: "Cline",
    programs: &["cline"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.home.join(".cline")],
    then: |_| "",
};

const PLUGIN: &str = include_str!("../../../editors/cline/tersed.js");

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.home.join(".cline"), ".cline");
    vec![Change::file_with(folder.join("plugins").join("tersed.js"), PLUGIN, IN_SCRIPT, &place.program)]
}
