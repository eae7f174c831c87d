//! OpenCode, and Kilo, which uses the same plugins: one file in the plugin folder.

use std::path::PathBuf;

use super::{BOTH, IN_SCRIPT, Row, USER};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "opencode",
    title: "OpenCode",
    programs: &["opencode"],
    scopes: BOTH,
    changes: |place| vec![plugin(place.either(folder(place, "opencode"), ".opencode"), place)],
    folders: |place| vec![folder(place, "opencode")],
    then: |_| "",
};

pub(super) const KILO: Row = Row {
    name: "kilo",
    title: "Kilo",
    programs: &["kilo"],
    scopes: USER,
    changes: |place| vec![plugin(folder(place, "kilo"), place)],
    folders: |place| vec![folder(place, "kilo")],
    then: |_| "",
};

const PLUGIN: &str = include_str!("../../../editors/opencode/tersed.js");

fn folder(place: &Place, name: &str) -> PathBuf {
    place.folder("XDG_CONFIG_HOME", ".config").join(name)
}

fn plugin(folder: PathBuf, place: &Place) -> Change {
    Change::file_with(folder.join("plugin").join("tersed.js"), PLUGIN, IN_SCRIPT, &place.program)
}
