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
    then: |_| "",
};

const SETTINGS: &str = include_str!("../../../editors/gemini/settings.json");
/// Lets a hook print nothing and succeed if the program is missing, for a shell and for PowerShell.
const SILENT: (&str, &str) = ("2>/dev/null || true", "2>$null; exit 0");

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.folder("GEMINI_CLI_HOME", "").join(".gemini"), ".gemini");
    // On Windows it runs hooks with PowerShell.
    let settings = if cfg!(windows) { SETTINGS.replace(SILENT.0, SILENT.1) } else { SETTINGS.to_owned() };
    vec![Change::json(folder.join("settings.json"), example(&settings), &place.program)]
}
