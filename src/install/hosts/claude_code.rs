//! Claude Code: an MCP server and hooks in its settings, as its plugin has them.

use super::{BOTH, Row, example};
use crate::install::change::Change;
use crate::install::place::{Place, Scope};

pub(super) const ROW: Row = Row {
    name: "claude-code",
    title: "Claude Code",
    programs: &["claude"],
    scopes: BOTH,
    changes,
    folders: |place| vec![place.folder("CLAUDE_CONFIG_DIR", ".claude")],
    then: "Running sessions continue without it. The plugin in editors/claude-code is then not needed.",
};

const HOOKS: &str = include_str!("../../../editors/claude-code/hooks/hooks.json");
const SERVERS: &str = include_str!("../../../editors/claude-code/.mcp.json");

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
