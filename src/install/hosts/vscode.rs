//! VS Code: an extension in the extension folder.

use super::{Row, USER};
use crate::install::change::Change;
use crate::install::place::Place;

pub(super) const ROW: Row = Row {
    name: "vscode",
    title: "VS Code",
    programs: &["code", "code-insiders", "codium"],
    scopes: USER,
    changes,
    folders: |place| vec![place.home.join(".vscode")],
    then: |_| {
        "Reload the window. If VS Code does not list the extension, run \"Developer: Install Extension from \
           Location...\" and choose the folder above."
    },
};

const MANIFEST: &str = include_str!("../../../editors/vscode/package.json");
const SCRIPT: &str = include_str!("../../../editors/vscode/extension.js");
const README: &str = include_str!("../../../editors/vscode/README.md");
/// The text around the program's name in the manifest.
const PROGRAM: (&str, &str) =
    ("\"tersed.path\": {\n          \"type\": \"string\",\n          \"default\": ", ",\n");

/// The line of the manifest that names a picture. Only text is installed.
const ICON: &str = "  \"icon\": \"icon.png\",\n";

fn changes(place: &Place) -> Vec<Change> {
    let folder =
        place.home.join(".vscode/extensions").join(concat!("tersed.tersed-", env!("CARGO_PKG_VERSION")));
    let manifest = MANIFEST.replace(ICON, "");
    vec![
        Change::file_with(folder.join("package.json"), &manifest, PROGRAM, &place.program),
        Change::file(folder.join("extension.js"), SCRIPT),
        Change::file(folder.join("README.md"), README),
    ]
}
