//! References to text that was shown before.
//!
//! | file | looks for | replaces it by |
//! | --- | --- | --- |
//! | `dedup` | a result that equals an earlier one | a reference to that result |
//! | `times` | a run whose output differs from an earlier one only in times | a reference, with its failure lines |
//! | `answer` | lines that the last answer to the same question did not have | nothing: they are shown |
//! | `blocks` | runs of lines that an earlier output of the session shows | a reference to these lines |
//! | `echoes` | blocks of lines that occur twice in the same text | a marker |

pub mod answer;
pub mod blocks;
pub mod dedup;
pub mod echoes;
mod times;

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use crate::detect::command::CommandLine;
use crate::detect::viewed;
use crate::sanitize::Sanitized;
use crate::text::call::ToolCall;
use crate::text::source::Source;
use dedup::Key;

/// A hash that is equal for answers that differ only in digits and, in file views, in line numbers.
pub(super) fn similarity_hash(call: &ToolCall, sources: &[Source<'_>]) -> u64 {
    if viewed::file(call).is_none() {
        return dedup::similarity_hash(sources.iter().map(Source::text));
    }
    let lines = sources.iter().flat_map(|s| (0..s.len()).map(|i| s.view().text(s.raw(i), i)));
    dedup::similarity_hash(lines)
}

/// The key of a command's output without its times; `None` for a call that looks at a file or changes one, or that
/// was made to measure times.
pub(super) fn key_of_run(call: &ToolCall, parts: &[Sanitized]) -> Option<Key> {
    let command =
        call.command.as_deref().filter(|_| !call.has_side_effects() && viewed::file(call).is_none())?;
    let texts = || parts.iter().map(|part| &*part.text);
    (!times::are_wanted(command, texts())).then(|| dedup::key_without_times(call, texts()))
}

/// Programs that run the scripts and targets of a project: its builds, checks and tests.
const SCRIPT_RUNNERS: &[&str] = &[
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "turbo",
    "nx",
    "lerna",
    "make",
    "just",
    "task",
    "rake",
    "tox",
    "nox",
    "pre-commit",
];

/// Whether the command runs scripts of a project, whatever they print.
pub(super) fn runs_scripts(call: &ToolCall) -> bool {
    let Some(command) = call.command.as_deref() else { return false };
    // Most commands have none of the names, and are not parsed.
    static NAMES: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(SCRIPT_RUNNERS));
    NAMES.as_ref().is_none_or(|names| names.find(command).is_some())
        && CommandLine::parse(command).runs(|simple| SCRIPT_RUNNERS.contains(&simple.program()))
}
