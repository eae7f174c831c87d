//! Support for agent hosts that speak another protocol: MCP servers, and hooks that get one event. All of it fails open:
//! after an error the host continues with its own data.

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
pub mod reach;
pub mod replace;
pub mod resident;
pub mod run;
pub mod served;
pub mod tools;
pub mod wrap;

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use std::path::PathBuf;

use crate::artifact::vault::conversations_folder;
use crate::config::{Policy, Recovery, RecoveryMode};
use crate::engine::{Engine, Settings};

/// The home folder of the user, for settings of hosts. A relative path is ignored: it would lead into the working
/// directory, which others may control.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// The models of these hosts do not see ids of calls, and see more results than hooks get.
fn hide_ids_and_counts(policy: &mut Policy) {
    policy.ids_visible = false;
    policy.sees_all_results = false;
}

/// An engine and its recent sessions, the latest last. They are searched for an original, because a model that asks for one
/// does not know its session id.
#[derive(Debug)]
pub struct Host {
    engine: Engine,
    sessions: Mutex<Vec<Option<String>>>,
    short_views: Mutex<HashSet<ShortView>>,
}

/// A view of a file of which the model got only a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ShortView {
    /// The context that asked for it.
    context: String,
    path: String,
    /// Number of the first line, and number of lines, as requested.
    offset: Option<u64>,
    limit: Option<u64>,
}

/// Most short views that are remembered; then all are forgotten.
const MAX_SHORT_VIEWS: usize = 1024;

/// Most sessions that are searched for originals; the least recently used are forgotten.
const MAX_SESSIONS: usize = 64;

impl Host {
    /// An engine for a host whose model has the tools of [`tools`]. No host of this kind shows its model the ids of calls.
    pub fn new(mut settings: Settings) -> Self {
        settings.policy.expand_tool = true;
        hide_ids_and_counts(&mut settings.policy);
        // Results without a session are searched too.
        Self::of(Engine::new(settings))
    }

    /// An engine for a host whose model has a shell. The model reads originals from this process as long as it runs.
    pub fn resident(mut settings: Settings) -> Self {
        settings.originals_by_command = true;
        hide_ids_and_counts(&mut settings.policy);
        Self::of(Engine::new(settings))
    }

    /// An engine for one result. Its original goes to the folder in the settings, or else to `originals`.
    pub fn once(mut settings: Settings, originals: Option<PathBuf>) -> Self {
        hide_ids_and_counts(&mut settings.policy);
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
        Self::of(Engine::new(settings))
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
            other_workspaces: false,
        })
    }

    fn of(engine: Engine) -> Self {
        Self { engine, sessions: Mutex::new(vec![None]), short_views: Mutex::default() }
    }

    /// Records that the model got only a part of a view.
    fn view_is_short(&self, view: ShortView) {
        let mut views = self.short_views.lock().unwrap_or_else(PoisonError::into_inner);
        if views.len() >= MAX_SHORT_VIEWS {
            views.clear();
        }
        views.insert(view);
    }

    /// Records that the model gets all of a view; returns whether it had only a part.
    fn view_is_whole(&self, view: &ShortView) -> bool {
        self.short_views.lock().unwrap_or_else(PoisonError::into_inner).remove(view)
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
