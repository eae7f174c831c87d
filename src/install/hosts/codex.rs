//! Codex CLI: hooks in `hooks.json`; in `config.toml` if the user has hooks there, because Codex warns if both files have
//! some.

use std::fs;

use super::{BOTH, Row, example};
use crate::install::change::Change;
use crate::install::place::Place;
use crate::install::toml;

pub(super) const ROW: Row = Row {
    name: "codex",
    title: "Codex CLI",
    programs: &["codex"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("CODEX_HOME", ".codex")],
    then: "Codex runs no hook before you trust it: open Codex once, type /hooks and trust the hook of tersed.",
};

const HOOKS: &str = include_str!("../../../editors/codex/hooks.json");

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.folder("CODEX_HOME", ".codex"), ".codex");
    let (file, config) = (folder.join("hooks.json"), folder.join("config.toml"));
    let text = fs::read_to_string(&config).unwrap_or_default();
    let has_hooks = toml::value(&text).is_ok_and(|root| root.get("hooks").is_some());
    let in_file = Change::json(file.clone(), example(HOOKS), &place.program);
    let is_in_file = || fs::read_to_string(&file).is_ok_and(|text| !in_file.programs(&text).is_empty());
    if has_hooks && !is_in_file() {
        return vec![Change::toml(config, example(HOOKS), &place.program)];
    }
    vec![in_file]
}
