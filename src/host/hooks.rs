//! The hosts that call a hook for each event: one row each.

use serde_json::Value;

use super::event::Event;
use super::{Host, claude_code, codex, copilot, cursor, gemini};

/// A host whose hooks are answered.
#[derive(Debug)]
pub struct Hooks {
    /// Its name, as a user writes it.
    pub name: &'static str,
    /// What the hook prints for one event of the host, or `None` where the host is to go on as without it.
    pub reply: fn(&Host, Value) -> Option<Value>,
}

/// All of them, by name.
pub static HOOKS: &[Hooks] = &[
    Hooks { name: "claude-code", reply: |host, event| claude_code::reply(host, &Event::read(event)?) },
    Hooks { name: "codex", reply: |host, event| codex::reply(host, &Event::read(event)?) },
    Hooks { name: "copilot", reply: |host, event| copilot::reply(host, event) },
    Hooks { name: "cursor", reply: |host, event| cursor::reply(host, event) },
    Hooks { name: "gemini", reply: |host, event| gemini::reply(host, event) },
];

impl Hooks {
    /// The row of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        HOOKS.iter().find(|hooks| hooks.name == name)
    }
}
