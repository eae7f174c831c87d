//! What a host that is set up would do with each result of a session, by the table of the adapters.

use super::history::asked;
use crate::cli::replay::record::Record;
use crate::host::codex::is_of_program;
use crate::host::reach::{HostSupport, ResultHandling, UnchangedReason};
use crate::host::tools::Tool;
use crate::host::wrap::wrap;
use crate::text::source::Source;

/// What happens to a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostAction {
    /// tersed gets it, and the answer replaces it.
    Replaced,
    /// tersed gets this view of a file, and answers in a form that the host takes.
    Seen(View),
    /// tersed only learns of the call.
    Noted,
    /// It is not changed, for this reason.
    Unchanged(UnchangedReason),
}

/// A view of a file without its line numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    /// The lines.
    pub content: String,
    /// Number of the first one.
    pub start: usize,
    /// The file.
    pub path: String,
}

/// Whether commands are wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrapping {
    /// Whether the user asked for it, for hosts that wrap commands only then.
    pub is_asked: bool,
    /// Whether rules of the user prevent wrapping for all commands.
    pub has_rules: bool,
}

/// What happens to a result in this host.
pub(super) fn host_action(reach: &HostSupport, wrapping: Wrapping, record: &Record) -> HostAction {
    let tool = record.tool.as_deref().unwrap_or_default();
    if is_of_program(&record.id) {
        return HostAction::Unchanged(UnchangedReason::Program);
    }
    if Tool::is_ours(tool) {
        return HostAction::Unchanged(UnchangedReason::Tool);
    }
    match reach.treatment(tool, record.is_error == Some(true)) {
        ResultHandling::Replaced(_) => HostAction::Replaced,
        ResultHandling::Seen => {
            view(record).map_or(HostAction::Unchanged(UnchangedReason::Tool), HostAction::Seen)
        }
        ResultHandling::Wrapped => wrapped(wrapping, record),
        ResultHandling::WrappedIfAsked if wrapping.is_asked => wrapped(wrapping, record),
        ResultHandling::WrappedIfAsked => HostAction::Unchanged(UnchangedReason::Failed),
        ResultHandling::Noted => HostAction::Noted,
        ResultHandling::Unchanged(why) => HostAction::Unchanged(why),
    }
}

fn wrapped(wrapping: Wrapping, record: &Record) -> HostAction {
    if wrapping.has_rules {
        return HostAction::Unchanged(UnchangedReason::Rules);
    }
    let in_background = record.args.get("run_in_background").and_then(serde_json::Value::as_bool);
    let can = command(record).is_some_and(|command| wrap(&command, "", "").is_some());
    if can && in_background != Some(true) {
        HostAction::Replaced
    } else {
        HostAction::Unchanged(UnchangedReason::NotWrapped)
    }
}

/// The command line as the hook gets it: for `bash -lc SCRIPT` the script.
fn command(record: &Record) -> Option<String> {
    let words = record.args.get("command").and_then(serde_json::Value::as_array);
    let script = words.and_then(|words| {
        let at = words.iter().position(|word| *word == "-lc" || *word == "-c")?;
        words.get(at + 1)?.as_str()
    });
    script.map(str::to_owned).or_else(|| asked(record).command)
}

/// The first run of numbered lines; `None` if the text does not begin with one.
fn view(record: &Record) -> Option<View> {
    let source = Source::new(&record.output);
    let view = source.view();
    let start = view.number(0)?;
    let count = (0..source.len()).take_while(|i| view.number(*i) == Some(start + i)).count();
    let lines: Vec<&str> = (0..count).map(|i| view.text(source.raw(i), i)).collect();
    Some(View { content: lines.join("\n"), start, path: asked(record).path.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PLAIN: Wrapping = Wrapping { is_asked: false, has_rules: false };

    fn record(tool: &str, command: &str, is_error: bool) -> Record {
        Record {
            id: "call_1".to_owned(),
            tool: Some(tool.to_owned()),
            args: json!({ "command": command, "file_path": "/a.rs" }),
            output: "    9→a\n   10→\tb\n\nmore\n".to_owned(),
            is_error: is_error.then_some(true),
            ..Record::default()
        }
    }

    fn of(host: &str, wrapping: Wrapping, record: &Record) -> HostAction {
        host_action(HostSupport::named(host).unwrap(), wrapping, record)
    }

    #[test]
    fn failed_commands_pass_where_they_are_wrapped() {
        let failed = record("Bash", "./fails.sh", true);
        assert_eq!(of("claude-code", PLAIN, &failed), HostAction::Unchanged(UnchangedReason::Failed));
        let asked = Wrapping { is_asked: true, ..PLAIN };
        let rules = Wrapping { is_asked: true, has_rules: true };
        assert_eq!(of("claude-code", rules, &failed), HostAction::Unchanged(UnchangedReason::Rules));
        let waits = record("Bash", "tail -f log", true);
        assert_eq!(of("claude-code", asked, &waits), HostAction::Unchanged(UnchangedReason::NotWrapped));
        let expected = if cfg!(unix) {
            HostAction::Replaced
        } else {
            HostAction::Unchanged(UnchangedReason::NotWrapped)
        };
        assert_eq!(of("claude-code", asked, &failed), expected);
        assert_eq!(of("codex", PLAIN, &record("shell", "./fails.sh", true)), expected);
        assert_eq!(of("claude-code", rules, &record("Bash", "./passes.sh", false)), HostAction::Replaced);
        let mut argv = record("shell", "", false);
        argv.args = json!({ "command": ["/no/such/bash", "-lc", "cd a && ./passes.sh"] });
        assert_eq!(of("codex", PLAIN, &argv), expected);
    }

    #[test]
    fn what_a_program_reads_stays() {
        let mut nested = record("exec_command", "./passes.sh", false);
        nested.id = "exec-1".to_owned();
        assert_eq!(of("codex", PLAIN, &nested), HostAction::Unchanged(UnchangedReason::Program));
        assert_eq!(
            of("codex", PLAIN, &record("exec", "", false)),
            HostAction::Unchanged(UnchangedReason::Program)
        );
        assert_eq!(
            of("pi", PLAIN, &record("tersed_expand", "", false)),
            HostAction::Unchanged(UnchangedReason::Tool)
        );
    }

    #[test]
    fn a_view_loses_its_numbers_and_what_is_behind_it() {
        let read = record("Read", "", false);
        let view = View { content: "a\n\tb".to_owned(), start: 9, path: "/a.rs".to_owned() };
        assert_eq!(of("claude-code", PLAIN, &read), HostAction::Seen(view));
        let other = Record { output: "File unchanged since last read.".to_owned(), ..read };
        assert_eq!(of("claude-code", PLAIN, &other), HostAction::Unchanged(UnchangedReason::Tool));
    }
}
