//! GitHub Copilot: an extension of the CLI for a user; hooks for a project, which the cloud agent also runs.

use super::{BOTH, IN_SCRIPT, Row, example};
use crate::install::change::Change;
use crate::install::place::{Place, Scope};

pub(super) const ROW: Row = Row {
    name: "copilot",
    title: "GitHub Copilot CLI",
    programs: &["copilot"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("COPILOT_HOME", ".copilot")],
    then: |scope| match scope {
        Scope::User => "It is an extension, and extensions are experimental: start `copilot --experimental`.",
        Scope::Project => {
            "Do not use these hooks and the extension together. The cloud agent reads them from the default branch, and needs \
             `tersed` installed by its copilot-setup-steps.yml."
        }
    },
};

const EXTENSION: &str = include_str!("../../../editors/copilot/extension.mjs");
const HOOKS: &str = include_str!("../../../editors/copilot/hooks.json");

fn changes(place: &Place) -> Vec<Change> {
    match place.scope {
        Scope::User => {
            let folder = place.folder("COPILOT_HOME", ".copilot").join("extensions/tersed");
            vec![Change::file_with(folder.join("extension.mjs"), EXTENSION, IN_SCRIPT, &place.program)]
        }
        Scope::Project => {
            vec![Change::json(
                place.project.join(".github/hooks/tersed.json"),
                example(HOOKS),
                &place.program,
            )]
        }
    }
}
