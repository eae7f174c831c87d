//! The hosts whose hooks are answered, one row each.

use serde_json::Value;

use super::event::Event;
use super::{Host, claude_code, codex, copilot, cursor, gemini};

/// A host whose hooks are answered.
#[derive(Debug)]
pub struct Hooks {
    /// Its name, as a user writes it.
    pub name: &'static str,
    /// Returns what the hook prints for one event; `None` if the host should continue as if there were no hook.
    pub reply: fn(&Host, Value) -> Option<Value>,
}

/// All hosts, sorted by name.
pub static HOOKS: &[Hooks] = &[
    Hooks { name: "claude-code", reply: |host, event| claude_code::reply(host, &Event::read(event)?) },
    Hooks { name: "codex", reply: |host, event| codex::reply(host, &Event::read(event)?) },
    Hooks { name: "copilot", reply: |host, event| copilot::reply(host, event) },
    Hooks { name: "cursor", reply: |host, event| cursor::reply(host, event) },
    Hooks { name: "gemini", reply: |host, event| gemini::reply(host, event) },
];

impl Hooks {
    /// The row with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        HOOKS.iter().find(|hooks| hooks.name == name)
    }
}
