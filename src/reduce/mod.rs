//! Reducers: each understands one kind of output by its grammar and says which lines the task does
//! not need. They return spans, never text sizes, and they neither redact nor deduplicate.
//!
//! A new reducer is a new file, a row in `REDUCERS` and a folder of fixtures with at least three
//! cases, one of them a decline.

mod cargo_test;
mod diagnostics;
mod git_diff;
mod git_status;
mod go_test;
mod lines;
mod listing;
mod pytest;
mod search;
mod unified;
mod unittest;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::config::Policy;
use crate::pipeline::call::ToolCall;
use crate::pipeline::detect::Detection;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::pipeline::relevance::Relevance;
use crate::pipeline::source::Source;

/// All that a reducer may look at.
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

/// What is known about a reducer without running it.
#[derive(Debug)]
pub struct Meta {
    /// Name in the evidence.
    pub id: &'static str,
    /// Family in the evidence.
    pub family: &'static str,
    /// What it reads, for the documentation.
    pub reads: &'static str,
    /// What it always keeps, for the documentation.
    pub keeps: &'static str,
    /// What it leaves out or folds, for the documentation.
    pub folds: &'static str,
    /// Texts of which at least one stands in the head or tail of every output of this kind. The
    /// reducer is only asked when one is found. Empty: it is always asked.
    pub anchors: &'static [&'static str],
}

/// Understands one kind of output.
pub trait Reducer: Sync {
    /// What is known about it.
    fn meta(&self) -> &'static Meta;

    /// Whether the text is its own. Cheap: looks at the command and at a few lines.
    fn claim(&self, input: &Input<'_>) -> Claim;

    /// What to do with the lines, or the stable reason for doing nothing.
    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason>;
}

/// All reducers. The strongest claim wins, the earlier row breaks ties.
///
/// Test runners come before builds and builds before version control: a test log may hold what a
/// compiler said, and either may hold a diff or a status.
pub static REDUCERS: &[&dyn Reducer] = &[
    &cargo_test::CargoTest,
    &go_test::GoTest,
    &pytest::Pytest,
    &unittest::Unittest,
    &diagnostics::rustc::Rustc,
    &diagnostics::gcc::Gcc,
    &diagnostics::tsc::Tsc,
    &git_diff::GitDiff,
    &git_status::GitStatus,
    &search::Search,
    &listing::Listing,
];

/// How much of the head and of the tail of a text is searched for anchors, in bytes.
const WINDOW: usize = 32 * 1024;

/// Anchors and whose they are.
type Anchors = Vec<(&'static str, usize)>;

static ANCHORS: LazyLock<Option<(AhoCorasick, Anchors)>> = LazyLock::new(|| {
    let all = REDUCERS.iter().enumerate().flat_map(|(i, r)| r.meta().anchors.iter().map(move |a| (*a, i)));
    let anchors: Anchors = all.collect();
    // Only a leftmost search has the packed prefilter.
    let search = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(anchors.iter().map(|(anchor, _)| anchor))
        .ok()?;
    Some((search, anchors))
});

/// The reducer with the strongest claim on the text.
pub fn choose(input: &Input<'_>) -> Option<&'static dyn Reducer> {
    let asked = asked(input.source.text());
    let mut best: Option<(Claim, &'static dyn Reducer)> = None;
    for (reducer, _) in REDUCERS.iter().zip(asked).filter(|(_, asked)| *asked) {
        let claim = reducer.claim(input);
        if claim > best.map_or(Claim::No, |(claim, _)| claim) {
            best = Some((claim, *reducer));
        }
    }
    best.map(|(_, reducer)| reducer)
}

/// Which reducers have an anchor in the text, in one pass over its head and tail.
fn asked(text: &str) -> Vec<bool> {
    let mut asked: Vec<bool> = REDUCERS.iter().map(|r| r.meta().anchors.is_empty()).collect();
    let Some((search, anchors)) = ANCHORS.as_ref() else { return asked };
    let bytes = text.as_bytes();
    let (head, tail) = match bytes.len() {
        n if n <= 2 * WINDOW => (bytes, &bytes[n..]),
        n => (&bytes[..WINDOW], &bytes[n - WINDOW..]),
    };
    for window in [head, tail] {
        let mut from = 0;
        // Every place where an anchor starts is the leftmost match from somewhere on.
        while let Some(hit) = search.find(&window[from..]) {
            let here = &window[from + hit.start()..];
            for (anchor, owner) in anchors {
                asked[*owner] = asked[*owner] || here.starts_with(anchor.as_bytes());
            }
            if asked.iter().all(|asked| *asked) {
                return asked;
            }
            from += hit.start() + 1;
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_compile_and_ids_are_unique() {
        assert!(ANCHORS.is_some());
        let mut ids: Vec<_> = REDUCERS.iter().map(|r| r.meta().id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), REDUCERS.len());
    }
}
