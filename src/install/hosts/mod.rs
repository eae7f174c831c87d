//! The table of hosts, one row each, sorted by name.

pub mod claude_code;
mod cline;
pub mod codex;
mod copilot;
mod cursor;
mod emacs;
mod gemini;
mod neovim;
mod opencode;
mod pi;
mod vscode;

use std::path::PathBuf;

use serde_json::Value;

use super::change::Change;
use super::place::{Place, Scope};
use crate::host::reach::HostSupport;

/// A host that can be set up.
#[derive(Debug)]
pub struct Row {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its official name.
    pub title: &'static str,
    /// Names of its executable.
    pub programs: &'static [&'static str],
    /// The scopes in which it can be set up; the first is the default.
    pub scopes: &'static [Scope],
    /// Its files, and the change that each needs.
    pub changes: fn(&Place) -> Vec<Change>,
    /// Folders of the user that exist if the host is installed.
    pub folders: fn(&Place) -> Vec<PathBuf>,
    /// What remains to be done by hand after setting up this scope.
    pub then: fn(Scope) -> &'static str,
}

const BOTH: &[Scope] = &[Scope::User, Scope::Project];
const USER: &[Scope] = &[Scope::User];

/// All hosts.
pub static ROWS: &[Row] = &[
    claude_code::ROW,
    cline::ROW,
    codex::ROW,
    copilot::ROW,
    cursor::ROW,
    emacs::ROW,
    gemini::ROW,
    opencode::KILO,
    neovim::ROW,
    opencode::ROW,
    pi::ROW,
    vscode::ROW,
];

/// The text around the program's name in the JavaScript plugins.
const IN_SCRIPT: (&str, &str) = ("env.TERSED_BIN || ", ",");

impl Row {
    /// The row with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.name == name)
    }

    /// The results that its setup reaches.
    pub fn reach(&self) -> Option<&'static HostSupport> {
        HostSupport::named(self.name)
    }
}

/// Parses an example of settings. The examples in this program are valid; a test reads them all.
fn example(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::reach::{ResultHandling, UnchangedReason};
    use crate::install::change::FileContent;

    #[test]
    fn every_row_is_whole() {
        for row in ROWS {
            for scope in row.scopes {
                let place = Place::of_process(*scope, None, Some("/some/tersed")).unwrap();
                let changes = (row.changes)(&place);
                assert!(!changes.is_empty(), "{}", row.name);
                assert!(!(row.folders)(&place).is_empty(), "{}", row.name);
                let mut paths: Vec<_> = changes.iter().map(|change| &change.path).collect();
                let base = if *scope == Scope::User { &place.home } else { &place.project };
                assert!(paths.iter().all(|path| path.starts_with(base)), "{}: {paths:?}", row.name);
                paths.dedup();
                assert_eq!(paths.len(), changes.len(), "{}", row.name);
                let mut starts = 0;
                for change in &changes {
                    match &change.what {
                        FileContent::File { text, .. } => {
                            assert!(!text.is_empty(), "{}", row.name);
                            starts += usize::from(change.programs(text) == ["/some/tersed"]);
                        }
                        FileContent::Json(parts) | FileContent::Toml(parts) => {
                            assert!(!parts.is_empty(), "{}", row.name);
                            let (text, _) = change.with("").unwrap();
                            starts += usize::from(change.programs(&text) == ["/some/tersed"]);
                        }
                    }
                }
                assert!(starts > 0, "{}: no file starts the program", row.name);
            }
        }
    }

    /// The matcher of the hook on a result, or else of the one before a call, in an example of settings.
    fn matcher(example: &Value) -> Option<&str> {
        let hooks = &example["hooks"];
        let events = ["PostToolUse", "AfterTool", "postToolUse", "PreToolUse"];
        events.iter().find_map(|event| hooks[*event][0]["matcher"].as_str())
    }

    #[test]
    fn settings_match_the_tools_that_are_reached() {
        let examples = [
            ("claude-code", include_str!("../../../editors/claude-code/hooks/hooks.json"), true),
            ("codex", include_str!("../../../editors/codex/hooks.json"), true),
            ("cursor", include_str!("../../../editors/cursor/hooks.json"), false),
            ("gemini", include_str!("../../../editors/gemini/settings.json"), true),
        ];
        for (host, text, is_whole) in examples {
            let example: Value = serde_json::from_str(text).unwrap();
            let matcher = matcher(&example).unwrap();
            let matcher = if is_whole { format!("^(?:{matcher})$") } else { matcher.to_owned() };
            let matcher = regex::Regex::new(&matcher).unwrap();
            for tools in HostSupport::named(host).unwrap().tools {
                let is_reached =
                    !matches!(tools.result, ResultHandling::Unchanged(why) if why != UnchangedReason::Data);
                // Codex calls its hooks for only the first of the names of its command tool.
                let names =
                    if tools.result == ResultHandling::Wrapped { &tools.names[..1] } else { tools.names };
                for name in names.iter().map(|name| name.replace('*', "some_tool")) {
                    assert_eq!(matcher.is_match(&name), is_reached, "{host}: {name}");
                }
            }
        }
    }

    #[test]
    fn every_row_says_what_it_reaches() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        let reached: Vec<&str> = crate::host::reach::HOSTS.iter().map(|reach| reach.host).collect();
        assert_eq!(names, reached);
        for row in ROWS {
            let program = row.reach().unwrap().gateway;
            assert!(program.is_none_or(|program| row.programs.contains(&program)), "{}", row.name);
        }
    }

    #[test]
    fn what_is_said_after_setting_up_is_about_the_scope() {
        let then = Row::named("copilot").unwrap().then;
        assert!(then(Scope::User).contains("--experimental"));
        assert!(
            then(Scope::Project).contains("cloud agent") && !then(Scope::Project).contains("--experimental")
        );
    }

    #[test]
    fn names_are_in_order() {
        assert!(ROWS.is_sorted_by_key(|row| row.name));
    }
}
