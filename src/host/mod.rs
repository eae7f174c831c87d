//! Support for agent hosts that speak another protocol: MCP servers, and hooks that get one event. All of it fails open:
//! after an error the host goes on with its own data.

pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod event;
pub mod gemini;
pub mod hooks;
pub mod mcp;
pub mod pass;
pub mod proxy;
pub mod replace;
pub mod resident;
pub mod run;
pub mod served;
pub mod tools;
pub mod wrap;

use std::sync::{Mutex, PoisonError};

use std::path::PathBuf;

use crate::artifact::vault::conversations_folder;
use crate::config::{Recovery, RecoveryMode};
use crate::engine::{Engine, Settings};

/// An engine and its recent sessions, the latest last. They are searched for an original, because a model that asks for one
/// does not know its session id.
#[derive(Debug)]
pub struct Host {
    engine: Engine,
    sessions: Mutex<Vec<Option<String>>>,
}

/// Most sessions that are searched for originals; the least recently used are forgotten.
const MAX_SESSIONS: usize = 64;

impl Host {
    /// An engine for a host whose model has the tools of [`tools`]. No host of this kind shows its model the ids of calls.
    pub fn new(mut settings: Settings) -> Self {
        settings.policy.expand_tool = true;
        settings.policy.ids_visible = false;
        // Results without a session are searched too.
        Self { engine: Engine::new(settings), sessions: Mutex::new(vec![None]) }
    }

    /// An engine for a host whose model has a shell. The model reads originals from this process as long as it runs.
    pub fn resident(mut settings: Settings) -> Self {
        settings.originals_by_command = true;
        settings.policy.ids_visible = false;
        Self { engine: Engine::new(settings), sessions: Mutex::new(vec![None]) }
    }

    /// An engine for one result. Its original goes to the folder in the settings, or else to `originals`.
    pub fn once(mut settings: Settings, originals: Option<PathBuf>) -> Self {
        settings.policy.ids_visible = false;
        if settings.recovery.mode == RecoveryMode::Never
            && let Some(folder) = originals
        {
            settings.recovery = Recovery {
                mode: RecoveryMode::Always,
                directory: Some(folder),
                survives_restart: true,
                hint_in_text: true,
                ..settings.recovery
            };
        }
        Self { engine: Engine::new(settings), sessions: Mutex::new(vec![None]) }
    }

    /// How a resident process keeps originals by default: on disk, because a conversation may be resumed after the process
    /// has ended, and its texts still name them. `None` if the user has no folder for them.
    pub fn of_conversations() -> Option<Recovery> {
        Some(Recovery {
            mode: RecoveryMode::Always,
            min_original_bytes: 0,
            min_saved_bytes: 0,
            max_artifact_bytes: 1 << 20,
            max_artifacts: 512,
            retention_seconds: 7 * 86_400,
            directory: Some(conversations_folder()?),
            survives_restart: true,
            hint_in_text: false,
        })
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Records that a session was used.
    fn seen(&self, session: &str) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|known| known.as_deref() != Some(session));
        if sessions.len() > MAX_SESSIONS {
            sessions.remove(1);
        }
        sessions.push(Some(session.to_owned()));
    }

    /// The known sessions, latest first.
    fn sessions(&self) -> Vec<Option<String>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.iter().rev().cloned().collect()
    }
}
