//! What every step that works on a text may look at, and how sure a step is that a text is its own.

use crate::config::Policy;
use crate::detect::command::Simple;
use crate::detect::{Detection, Shape};
use crate::text::call::ToolCall;
use crate::text::relevance::Relevance;
use crate::text::source::Source;

/// All that a step may look at.
#[derive(Debug)]
pub struct Input<'a> {
    /// The sanitized text.
    pub source: &'a Source<'a>,
    /// The call that it answers.
    pub call: &'a ToolCall,
    /// The command, read.
    pub detection: &'a Detection,
    /// The settings.
    pub policy: &'a Policy,
    /// What the text is asked about: ranks what a limit keeps.
    pub relevance: &'a Relevance,
}

/// How sure a reducer is that a text is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It is not.
    No,
    /// The content follows the grammar.
    Content,
    /// The content follows the grammar and the command says so too.
    Command,
}

/// Programs that show the text of files as it is.
const FILE_PROGRAMS: &[&str] = &[
    "cat",
    "head",
    "tail",
    "sed",
    "nl",
    "bat",
    "batcat",
    "less",
    "more",
    "tac",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "diff",
    "colordiff",
];

/// Whether the white space inside lines is content that an agent edits or matches by: files, searches
/// and diffs, also where they are only a part of the output or where only the content tells.
pub(crate) fn is_exact_text(input: &Input<'_>) -> bool {
    let shows_file = |simple: &Simple| match simple.program() {
        "git" => matches!(
            simple.subcommand(),
            Some("diff" | "show" | "grep" | "blame" | "annotate" | "format-patch")
        ),
        program => FILE_PROGRAMS.contains(&program),
    };
    if input.detection.is_numbered {
        return true;
    }
    let named =
        input.call.command.is_none() && input.call.path.is_some() && input.detection.shape != Shape::Listing;
    matches!(input.detection.shape, Shape::File | Shape::Diff | Shape::Search)
        || named
        || input.detection.command.producers().any(|(simple, _)| shows_file(simple))
        || input.source.holds_diff()
}
