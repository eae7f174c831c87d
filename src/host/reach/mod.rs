//! Which results of which tools tersed replaces in each host, which it leaves unchanged, and why: one table. The hooks ask it what to
//! do with a result, a test compares it with the settings that `tersed install` writes, and `tersed audit` counts by it.
//!
//! It only holds names; it reads no result and no file.

mod table;

pub use table::HOSTS;
pub(super) use table::{CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI};

/// A host and what is reached in it.
#[derive(Debug, PartialEq, Eq)]
pub struct HostSupport {
    /// Its name, as `tersed install` takes it.
    pub host: &'static str,
    /// Its tools. The first row that names a tool applies; the last row matches every tool.
    pub tools: &'static [Tools],
    /// Whether the host says which call a result answers. If not, no result refers to an earlier one.
    pub names_calls: bool,
    /// The program that `tersed gateway` starts so that all requests to its model pass through; `None` if it knows no way.
    pub gateway: Option<&'static str>,
}

/// Tools that are treated in the same way.
#[derive(Debug, PartialEq, Eq)]
pub struct Tools {
    /// Their names; `*` at the end stands for any rest.
    pub names: &'static [&'static str],
    /// What happens to a result.
    pub result: ResultHandling,
    /// What happens to the result of a call that the host counts as failed.
    pub failed: ResultHandling,
}

/// What happens to a result in a host that is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultHandling {
    /// It is replaced after the call.
    Replaced(Text),
    /// A long file with declarations is shown as its outline. In other views of a file, lines at the ends that the
    /// model has seen are left out; all other lines stay.
    Seen,
    /// The command runs inside `tersed run`, if its command line allows that and no rules of the user forbid it.
    Wrapped,
    /// Like [`Self::Wrapped`], but only if the user set the variable `TERSED_WRAP`.
    WrappedIfAsked,
    /// It is not changed. The session learns what the model wrote into the call.
    Noted,
    /// It is not changed.
    Unchanged(UnchangedReason),
}

/// Where the text is in a result that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// The result is text, or a list of parts.
    Whole,
    /// In the first of these places of an object that has text.
    At(&'static [Place]),
    /// In the members for the two streams of a command.
    Streams,
}

/// Where an object holds text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Text, or a list of parts, in a member: the names from the outside in.
    Member(&'static [&'static str]),
    /// A list in this member, of which each item is a line.
    Lines(&'static str),
    /// A list in this member: items that are text, and this member of items that are objects.
    Items(&'static str, &'static str),
}

/// Why a result is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnchangedReason {
    /// The call failed.
    Failed,
    /// The host accepts no replacement for this tool's results, or the adapter does not know their format.
    Tool,
    /// The host reads the result as data of a fixed form. Only secrets are removed.
    Data,
    /// A program that the model wrote reads the result, or printed it.
    Program,
    /// The model had not seen its lines, and it is not a long file with an outline.
    Unseen,
    /// Only an extension that requests it gets smaller results.
    Asked,
    /// The command line is not one that can run inside `tersed run`.
    NotWrapped,
    /// The user has rules, which would not recognise a command inside `tersed run`.
    Rules,
    /// No host is known for the history.
    NoHost,
}

impl ResultHandling {
    /// The treatment in words, without a full stop.
    pub fn sentence(self) -> String {
        match self {
            Self::Replaced(_) => "becomes smaller".to_owned(),
            Self::Seen => {
                "a long file with declarations becomes its outline; at the ends of a view, lines that were seen before are left out"
                    .to_owned()
            }
            Self::Wrapped => "becomes smaller: the command runs inside `tersed run`".to_owned(),
            Self::WrappedIfAsked => {
                "becomes smaller inside `tersed run`, if `TERSED_WRAP` is 1; otherwise unchanged".to_owned()
            }
            Self::Noted => "unchanged; what the model wrote into the call is remembered".to_owned(),
            Self::Unchanged(why) => format!("unchanged: {}", why.sentence()),
        }
    }
}

impl UnchangedReason {
    /// Its code in reports.
    pub fn code(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Tool => "tool",
            Self::Data => "data",
            Self::Program => "program",
            Self::Unseen => "unseen",
            Self::Asked => "asked",
            Self::NotWrapped => "notWrapped",
            Self::Rules => "rules",
            Self::NoHost => "noHost",
        }
    }

    /// The reason in words, without a full stop.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Failed => "the host accepts no replacement for a failed call",
            Self::Tool => "the host accepts no replacement for this tool, or its format is unknown",
            Self::Data => "the host takes the result as data of a fixed form; only secrets are removed",
            Self::Program => {
                "a program written by the model reads the outputs, and no hook sees what it prints"
            }
            Self::Unseen => "in a view that is not an outline, only known lines at its ends are left out",
            Self::Asked => "only extensions that ask tersed get smaller results",
            Self::NotWrapped => {
                "the command line cannot run inside `tersed run` without changing its meaning"
            }
            Self::Rules => {
                "the user's rules forbid commands or ask about them, and would not recognise the wrapped command"
            }
            Self::NoHost => "tersed is not set up in any host that writes this format",
        }
    }
}

impl HostSupport {
    /// The host with this name.
    pub fn named(host: &str) -> Option<&'static Self> {
        HOSTS.iter().copied().find(|reach| reach.host == host)
    }

    /// What happens to a result of a tool.
    pub fn treatment(&self, tool: &str, is_failed: bool) -> ResultHandling {
        match self.tools.iter().find(|tools| tools.names.iter().any(|name| names(name, tool))) {
            Some(tools) if is_failed => tools.failed,
            Some(tools) => tools.result,
            None => ResultHandling::Unchanged(UnchangedReason::Tool),
        }
    }
}

/// Whether a name of the table stands for this tool.
fn names(name: &str, tool: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => tool.starts_with(start),
        None => name == tool,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_a_row_for_each_tool() {
        assert!(HOSTS.is_sorted_by_key(|reach| reach.host));
        for reach in HOSTS {
            let last = reach.tools.last().unwrap();
            assert_eq!(last.names, ["*"], "{}", reach.host);
            assert_eq!(HostSupport::named(reach.host), Some(*reach));
            let all: Vec<&str> = reach.tools.iter().flat_map(|tools| tools.names).copied().collect();
            for (at, name) in all.iter().enumerate() {
                // A name after a pattern that matches it would never apply.
                assert!(!all[..at].iter().any(|before| names(before, name)), "{}: {name}", reach.host);
            }
        }
        assert_eq!(HostSupport::named("no-such-host"), None);
    }

    #[test]
    fn a_failed_call_is_told_from_others() {
        let claude = HostSupport::named("claude-code").unwrap();
        assert_eq!(claude.treatment("Bash", false), ResultHandling::Replaced(Text::Streams));
        assert_eq!(claude.treatment("Bash", true), ResultHandling::WrappedIfAsked);
        assert_eq!(claude.treatment("mcp__a__b", false), ResultHandling::Replaced(Text::Whole));
        assert_eq!(claude.treatment("mcp__a__b", true), ResultHandling::Unchanged(UnchangedReason::Failed));
        assert_eq!(claude.treatment("mcp_", false), ResultHandling::Unchanged(UnchangedReason::Tool));
        let codex = HostSupport::named("codex").unwrap();
        assert_eq!(codex.treatment("exec", false), ResultHandling::Unchanged(UnchangedReason::Program));
        assert_eq!(codex.treatment("exec_command", true), ResultHandling::Wrapped);
    }
}
