//! Gemini CLI: an MCP server and hooks in its settings.

use super::{BOTH, Row, example};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "gemini",
    title: "Gemini CLI",
    programs: &["gemini"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("GEMINI_CLI_HOME", "").join(".gemini")],
    then: "",
};

const SETTINGS: &str = include_str!("../../../editors/gemini/settings.json");

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.folder("GEMINI_CLI_HOME", "").join(".gemini"), ".gemini");
    vec![Change::json(folder.join("settings.json"), example(SETTINGS), &place.program)]
}
