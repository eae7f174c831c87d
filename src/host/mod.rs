//! Ways into agent hosts that speak another protocol than ours: MCP servers, and hooks that are told of one
//! event. Each fails open: whatever goes wrong here, the host goes on with what it had.

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

/// An engine, and the sessions that it was asked about, the latest last: a model that asks for an original does
/// not know the id of its session.
#[derive(Debug)]
pub struct Host {
    engine: Engine,
    sessions: Mutex<Vec<Option<String>>>,
}

/// Sessions whose originals are looked for; those asked about least lately are forgotten.
const MAX_SESSIONS: usize = 64;

impl Host {
    /// An engine for a host whose model has the tools of [`tools`].
    pub fn new(mut settings: Settings) -> Self {
        settings.policy.expand_tool = true;
        // Results that came without a session are looked for too.
        Self { engine: Engine::new(settings), sessions: Mutex::new(vec![None]) }
    }

    /// An engine for a host whose model has a shell, with which it reads from this process for as long as it runs.
    pub fn resident(mut settings: Settings) -> Self {
        settings.originals_by_command = true;
        Self { engine: Engine::new(settings), sessions: Mutex::new(vec![None]) }
    }

    /// An engine for one result: its original goes to where the settings say, or else to `originals`.
    pub fn once(mut settings: Settings, originals: Option<PathBuf>) -> Self {
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

    /// How a resident process keeps originals where nobody says otherwise: a conversation may be resumed when the
    /// process is gone, and its texts still name them. `None` where there is no folder for them.
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

    /// Takes note of a session.
    fn seen(&self, session: &str) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|known| known.as_deref() != Some(session));
        if sessions.len() > MAX_SESSIONS {
            sessions.remove(1);
        }
        sessions.push(Some(session.to_owned()));
    }

    /// The known sessions, the latest first.
    fn sessions(&self) -> Vec<Option<String>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.iter().rev().cloned().collect()
    }
}
