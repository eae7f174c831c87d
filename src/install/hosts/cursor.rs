//! Cursor: hooks.

use super::{BOTH, Row, example};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "cursor",
    title: "Cursor",
    programs: &["cursor", "cursor-agent"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.home.join(".cursor")],
    then: |_| "",
};

const HOOKS: &str = include_str!("../../../editors/cursor/hooks.json");

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.home.join(".cursor"), ".cursor");
    vec![Change::json(folder.join("hooks.json"), example(HOOKS), &place.program)]
}
