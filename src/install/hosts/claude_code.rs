//! Claude Code: an MCP server and hooks in its settings, as its plugin has them.

use serde_json::Value;

use super::{BOTH, Row, example};
use crate::files::{LARGEST_WITH_DATA, text_of_host};
use crate::host::wrap::VARIABLE;
use crate::install::change::Change;
use crate::install::jsonc;
use crate::install::place::{Place, Scope};

/// How it is set up.
pub const ROW: Row = Row {
    name: "claude-code",
    title: "Claude Code",
    programs: &["claude"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("CLAUDE_CONFIG_DIR", ".claude")],
    then: |_| "Restart running sessions to use it. Remove the plugin of editors/claude-code if you installed it.",
};

const HOOKS: &str = include_str!("../../../editors/claude-code/hooks/hooks.json");
const SERVERS: &str = include_str!("../../../editors/claude-code/.mcp.json");

/// The host's settings for this scope, as far as they can be read.
fn settings(place: &Place) -> Value {
    let folder = place.either(place.folder("CLAUDE_CONFIG_DIR", ".claude"), ".claude");
    let text = text_of_host(&folder.join("settings.json"), LARGEST_WITH_DATA).unwrap_or_default();
    jsonc::value(&text).ok().flatten().unwrap_or_default()
}

/// Whether the plugin is enabled, which does the same as the edits of [`ROW`].
pub fn has_plugin(place: &Place) -> bool {
    let enabled = settings(place);
    let enabled = enabled.get("enabledPlugins").and_then(Value::as_object);
    enabled.is_some_and(|all| {
        all.iter().any(|(name, on)| name.starts_with("tersed@") && *on == Value::Bool(true))
    })
}

/// Whether commands are to be wrapped, by a variable of this process or one that the host sets for its programs.
pub fn wants_wrapping(place: &Place) -> bool {
    let is_on = |value: &str| value == "1" || value == "true";
    let set = settings(place);
    let set = set.get("env").and_then(|env| env.get(VARIABLE)).and_then(Value::as_str);
    place.text(VARIABLE).is_some_and(|value| is_on(&value)) || set.is_some_and(is_on)
}

fn changes(place: &Place) -> Vec<Change> {
    let folder = place.either(place.folder("CLAUDE_CONFIG_DIR", ".claude"), ".claude");
    let servers = match place.scope {
        Scope::Project => place.project.join(".mcp.json"),
        Scope::User => match place.variable("CLAUDE_CONFIG_DIR") {
            Some(folder) => folder.join(".claude.json"),
            None => place.home.join(".claude.json"),
        },
    };
    vec![
        Change::json(servers, example(SERVERS), &place.program),
        Change::json(folder.join("settings.json"), example(HOOKS), &place.program),
    ]
}
