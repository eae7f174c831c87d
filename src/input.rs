//! The input of every step on a text, and how certain a reducer is that it can parse a text.

use crate::config::Policy;
use crate::detect::command::Simple;
use crate::detect::{Detection, Shape};
use crate::text::call::ToolCall;
use crate::text::relevance::Relevance;
use crate::text::source::Source;

/// The input of a step.
#[derive(Debug)]
pub struct Input<'a> {
    /// The sanitized text.
    pub source: &'a Source<'a>,
    /// The call whose result the text is.
    pub call: &'a ToolCall,
    /// The properties that follow from the call.
    pub detection: &'a Detection,
    /// The settings.
    pub policy: &'a Policy,
    /// Words of the request: they rank the lines that a limit keeps.
    pub relevance: &'a Relevance,
}

/// How certain a reducer is that it can parse a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It cannot.
    No,
    /// The content follows the grammar.
    Content,
    /// The content follows the grammar, and the command is one of the reducer's.
    Command,
}

/// Programs that show the text of files unchanged.
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

/// Whether the white space inside lines is content that an agent edits or matches: in files, searches and diffs, even
/// if they are only a part of the output or are recognized only by their content.
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
