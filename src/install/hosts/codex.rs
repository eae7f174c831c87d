//! Codex CLI: hooks in `hooks.json`; in `config.toml` if the user has hooks there, because Codex warns if both files have
//! some.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{BOTH, Row, example};
use crate::files::{LARGEST_WITH_DATA, text_of_host};
use crate::install::change::Change;
use crate::install::place::Place;
use crate::install::toml;

/// The host's row.
pub const ROW: Row = Row {
    name: "codex",
    title: "Codex CLI",
    programs: &["codex"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("CODEX_HOME", ".codex")],
    then: |_| "Codex runs no hook before you trust it: open Codex once, type /hooks and trust the hook of tersed.",
};

/// The member below `hooks` in which `config.toml` records trusted hooks.
const STATE: &str = "state";
/// The part that all commands of our hooks contain.
const OURS: &str = " hook codex";

const HOOKS: &str = include_str!("../../../editors/codex/hooks.json");

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.folder("CODEX_HOME", ".codex"), ".codex");
    let (file, config) = (folder.join("hooks.json"), folder.join("config.toml"));
    let text = text_of_host(&config, LARGEST_WITH_DATA).unwrap_or_default();
    // Codex also records trusted hooks there.
    let has_hooks = toml::value(&text).is_ok_and(|root| {
        root.get("hooks").and_then(Value::as_object).is_some_and(|hooks| hooks.keys().any(|key| key != STATE))
    });
    let in_file = Change::json(file.clone(), example(HOOKS), &place.program);
    let is_in_file =
        || text_of_host(&file, LARGEST_WITH_DATA).is_ok_and(|text| !in_file.programs(&text).is_empty());
    if has_hooks && !is_in_file() {
        return vec![Change::toml(config, example(HOOKS), &place.program)];
    }
    vec![in_file]
}

/// The events of our hooks that Codex does not run, because the user has not trusted them in their present form, or
/// has turned them off. Seen in Codex 0.171.0: for each handler, `hooks.state` has a key of the file, the event and
/// two places, and there the SHA-256 of the handler as JSON with sorted keys.
pub fn not_run(place: &Place) -> Vec<String> {
    let user = place.folder("CODEX_HOME", ".codex");
    let folder = place.either(user.clone(), ".codex");
    let read = |path: &Path| text_of_host(path, LARGEST_WITH_DATA).unwrap_or_default();
    let config = toml::value(&read(&user.join("config.toml"))).unwrap_or_default();
    let states = &config["hooks"][STATE];
    let json_file = folder.join("hooks.json");
    let toml_file = folder.join("config.toml");
    let in_json = serde_json::from_str(&read(&json_file)).unwrap_or_default();
    let in_toml = toml::value(&read(&toml_file)).unwrap_or_default();
    let mut events = Vec::new();
    for (file, root) in [(json_file, in_json), (toml_file, in_toml)] {
        for (event, groups) in root["hooks"].as_object().into_iter().flatten() {
            for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
                for (nth, handler) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                    let is_ours = handler["command"].as_str().is_some_and(|command| command.contains(OURS));
                    let name = snake(event);
                    let key = |file: &Path| format!("{}:{name}:{at}:{nth}", file.display());
                    let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
                    let state = states.get(key(&file)).or_else(|| states.get(key(&whole)));
                    let runs = state.is_some_and(|state| {
                        state["trusted_hash"] == json!(digest(&name, group, handler))
                            && state["enabled"] != json!(false)
                    });
                    if is_ours && !runs {
                        events.push(event.clone());
                    }
                }
            }
        }
    }
    events
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// The digest by which Codex compares a handler.
fn digest(event: &str, group: &Value, handler: &Value) -> String {
    /// The time limit in seconds of a handler that sets none.
    const TIMEOUT: u64 = 600;
    let sorted = |members: Vec<(&'static str, Value)>| members.into_iter().collect::<BTreeMap<_, _>>();
    let handler = sorted(vec![
        ("async", json!(handler["async"].as_bool().unwrap_or(false))),
        ("command", handler["command"].clone()),
        ("timeout", json!(handler["timeout"].as_u64().unwrap_or(TIMEOUT))),
        ("type", json!("command")),
    ]);
    let mut whole = vec![("event_name", json!(event)), ("hooks", json!([handler]))];
    whole.extend(group.get("matcher").map(|matcher| ("matcher", matcher.clone())));
    let digest = Sha256::digest(json!(sorted(whole)).to_string());
    format!("sha256:{}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digests that `hooks/list` of Codex 0.171.0 returns for our hooks.
    #[test]
    fn digests_are_those_of_the_host() {
        let hooks = &example(HOOKS)["hooks"];
        for (event, expected) in [
            ("PreToolUse", "sha256:8bad355022cd529fa1246f9d4f8f148cd81c2150b765adc4e88de9294260dd8f"),
            ("PreCompact", "sha256:e4cae8e91ced19228ec778340afdf349eeb2174531c4a2356f659b7c23419b74"),
            ("PostCompact", "sha256:6bed796e7b392a2fdb0a2836403be98894c4dbbaa8562f8b4108d7008a1ea8cd"),
            ("SessionStart", "sha256:a33bb62691fb13ebbeaf671d8e75fbaa7cbba5ad5acff2c6ea898704c454aaf7"),
        ] {
            let group = &hooks[event][0];
            assert_eq!(digest(&snake(event), group, &group["hooks"][0]), expected, "{event}");
        }
    }
}
