//! Where agent hosts keep the histories of a user.

use std::path::PathBuf;

/// A place of a host: a variable that names its folder, if any, and the path below it; otherwise a path below the home
/// folder.
pub(super) struct Place {
    /// The host.
    pub host: &'static str,
    /// The variable, and the path below it.
    variable: Option<(&'static str, &'static str)>,
    /// The path below the home folder; below the current folder where it starts with `./`.
    below_home: &'static str,
}

const fn place(
    host: &'static str,
    variable: Option<(&'static str, &'static str)>,
    below_home: &'static str,
) -> Place {
    Place { host, variable, below_home }
}

/// All places, in the order in which they are searched.
pub(super) const PLACES: &[Place] = &[
    place("Claude Code", Some(("CLAUDE_CONFIG_DIR", "projects")), ".claude/projects"),
    place("Claude Code", None, ".config/claude/projects"),
    place("Codex", Some(("CODEX_HOME", "sessions")), ".codex/sessions"),
    place("Codex", Some(("CODEX_HOME", "archived_sessions")), ".codex/archived_sessions"),
    place("Gemini CLI", Some(("GEMINI_CLI_HOME", ".gemini/tmp")), ".gemini/tmp"),
    place("OpenCode", Some(("XDG_DATA_HOME", "opencode/storage")), ".local/share/opencode/storage"),
    place("OpenCode", Some(("XDG_DATA_HOME", "opencode/opencode.db")), ".local/share/opencode/opencode.db"),
    place("Kilo", Some(("XDG_DATA_HOME", "kilo/storage")), ".local/share/kilo/storage"),
    place("Kilo", Some(("XDG_DATA_HOME", "kilo/kilo.db")), ".local/share/kilo/kilo.db"),
    place("pi", Some(("PI_CODING_AGENT_DIR", "sessions")), ".pi/agent/sessions"),
    place("Copilot CLI", Some(("COPILOT_HOME", "session-state")), ".copilot/session-state"),
    place("Copilot CLI", Some(("COPILOT_HOME", "history-session-state")), ".copilot/history-session-state"),
    place("SpecStory", None, "./.specstory/history"),
];

impl Place {
    /// The path on this machine.
    pub(super) fn path(&self) -> Option<PathBuf> {
        if let Some(below) = self.below_home.strip_prefix("./") {
            return Some(PathBuf::from(below));
        }
        let moved = self.variable.and_then(|(name, below)| {
            let folder = std::env::var_os(name).filter(|value| !value.is_empty())?;
            Some(PathBuf::from(folder).join(below))
        });
        moved.or_else(|| Some(home()?.join(self.below_home)))
    }

    /// The path as the help shows it.
    fn shown(&self) -> String {
        let place = match self.below_home.starts_with("./") {
            true => self.below_home.to_owned(),
            false => format!("~/{}", self.below_home),
        };
        let moved = self.variable.map(|(name, below)| format!(", or ${name}/{below}")).unwrap_or_default();
        format!("{:<12} {place}{moved}", self.host)
    }
}

/// All places for the help, one per line.
pub(super) fn help() -> String {
    PLACES.iter().map(|place| format!("  {}\n", place.shown())).collect()
}

/// The home folder of the user.
pub(super) fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok().filter(|home| home.is_absolute())
}
