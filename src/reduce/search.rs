//! Searches (grep, rg, ag, ack, git grep, search tools of hosts): lines of the same file are grouped
//! under its path, written once and in full; the lines follow verbatim, in their order.
//!
//! Output that is already grouped is left unchanged. A file that occurs again later starts a new group, so that no
//! line moves. `grammar` reads the lines, `lists` the names of files, `limits` applies limits, `long` cuts
//! over-long lines. A compiler's report only looks like a search: unless the call is a search, the lines of each
//! file must be in order.

mod grammar;
mod limits;
mod lists;
mod long;
mod write;

use super::{Meta, Reducer};
use crate::detect::Shape;
use crate::detect::command::Simple;
use crate::input::{Claim, Input};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use grammar::Found;

/// The reducer of this module.
pub struct Search;

static META: Meta = Meta {
    id: "search",
    family: "search",
    reads: "`grep`, `rg`, `ag`, `ack`, `git grep` and the search tools of agent hosts: with and without line \
            numbers, columns, context lines and headings; lists of files (`-l`) and counts (`-c`)",
    keeps: "every path in full, every line verbatim with its number, in order; with limits, every path with its \
            exact number of matches",
    omits: "the path in front of each line of a file; the folder in front of each name of a list; the ends of \
            lines over `searchMaxLineLength`; with limits, or of a long search while the context of a session is small, \
            matches and context lines over them",
    anchors: &[],
};

/// Lines that are examined if the call does not say that it searched. A choice.
const SAMPLE_LINES: usize = 400;
/// Fewest lines with the name of a file that such a text must have. A choice.
const MIN_MATCH_LINES: usize = 5;

impl Reducer for Search {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        // `rg --files` lists.
        let lists = input.detection.command.runs(|simple| simple.has_flag(&["--files"]));
        if lists || matches!(input.detection.shape, Shape::File | Shape::Diff) {
            return Claim::No;
        }
        let source = input.source;
        // A grouped search is not recognized as a search later, so the limit for unread text applies.
        let unread = input.policy.head_tail_from(false, input.policy.scale).unwrap_or(usize::MAX);
        if input.detection.shape == Shape::Other && source.text().len() > unread {
            return Claim::No;
        }
        if is_search(input) {
            let fits = !Found::read(source, usize::MAX, true).hits.is_empty()
                || lists::is_list(source, lists_names(input))
                || has_long_line(input)
                || is_json(input);
            return if fits { Claim::Command } else { Claim::No };
        }
        let said = input.detection.shape != Shape::Other || input.call.path.is_some();
        if !said && reads_as_search(input) { Claim::Content } else { Claim::No }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        if is_json(input) {
            return Err(Reason::StructuredFormat);
        }
        let by_search = is_search(input);
        let mut out = Reduction::default();
        if by_search && lists::is_list(source, lists_names(input)) {
            lists::reduce(source, lists_names(input), &write::left_alone(input), &mut out);
        } else {
            out = write::grouped(input, &Found::read(source, usize::MAX, by_search));
        }
        out.unless_empty()
    }
}

/// Whether the call ran a search and prints its result.
fn is_search(input: &Input<'_>) -> bool {
    let pipelines = &input.detection.command.pipelines;
    let by_names = input.call.command.as_deref().is_some_and(|c| c.split_whitespace().any(|w| w == "xargs"));
    input.detection.shape == Shape::Search
        || pipelines.iter().any(|pipeline| {
            let mut simples = pipeline.iter();
            let first = simples.next().is_some_and(searches);
            // A search that is not the first command is a filter, unless file names are passed to it.
            first || (by_names && simples.any(searches))
        })
}

/// Whether a program is a search, or a wrapper or a word of the shell before one.
fn searches(simple: &Simple) -> bool {
    match simple.program() {
        "git" => simple.git_subcommand() == Some("grep"),
        "find" | "parallel" | "do" | "then" | "!" | "fd" => {
            simple.argv.iter().skip(1).any(|word| long::PROGRAMS.contains(&word.as_str()))
        }
        program => long::PROGRAMS.contains(&program),
    }
}

/// Whether the call asked for names of files, or for counts.
fn lists_names(input: &Input<'_>) -> bool {
    const LONG: &[&str] =
        &["--files-with-matches", "--files-without-match", "--name-only", "--count", "--count-matches"];
    let is_short = |word: &str| {
        let letters = word.strip_prefix('-').filter(|w| w.bytes().all(|b| b.is_ascii_alphabetic()));
        letters.is_some_and(|letters| letters.contains(['l', 'L', 'c']))
    };
    let simples = input.detection.command.pipelines.iter().flatten().filter(|simple| searches(simple));
    let mut words = simples.flat_map(|simple| &simple.argv);
    let mode = input.call.arguments.get("output_mode").and_then(serde_json::Value::as_str);
    matches!(mode, Some("files_with_matches" | "count"))
        || words.any(|word| LONG.contains(&word.as_str()) || is_short(word))
}

fn has_long_line(input: &Input<'_>) -> bool {
    let limit = input.policy.search_limits(0).line_length.unwrap_or(usize::MAX);
    input.source.lines().any(|line| line.len() > limit)
}

/// Whether the text is what `rg --json` writes.
fn is_json(input: &Input<'_>) -> bool {
    let mut lines = input.source.lines().filter(|line| !line.trim().is_empty());
    lines.next().and_then(|line| line.strip_prefix("{\"type\":\"")).is_some_and(|rest| {
        ["begin\"", "match\"", "context\"", "summary\""].iter().any(|kind| rest.starts_with(kind))
    })
}

/// Whether a text without information from its call is a search: most lines are lines of files, those of one file are
/// in order, and they have code, not messages, which follow a blank.
fn reads_as_search(input: &Input<'_>) -> bool {
    let source = input.source;
    // Most texts are recognized by their first line that is not empty.
    let head = source.lines().filter(|line| !line.trim().is_empty()).take(8);
    if head.filter(|line| grammar::numbered(line).is_some()).count() < 2 {
        return false;
    }
    let found = Found::read(source, SAMPLE_LINES, false);
    let all =
        source.lines().take(SAMPLE_LINES).filter(|line| !line.trim().is_empty() && *line != "--").count();
    let named = |path: &str| path.contains(['/', '\\', '.']);
    if found.hits.len() < MIN_MATCH_LINES
        || found.hits.len() * 5 < all * 4
        || !found.files.iter().all(|f| named(f.path))
    {
        return false;
    }
    let pairs = found.hits.windows(2).filter(|w| w[0].path == w[1].path);
    let (same, rising) =
        pairs.fold((0, 0), |(same, rising), w| (same + 1, rising + usize::from(w[0].number <= w[1].number)));
    let messages = found.hits.iter().filter(|hit| is_message(hit, source.line(hit.line))).count();
    same > 0 && rising == same && messages * 2 < found.hits.len()
}

/// Whether the text after the number starts with exactly one blank, as messages of tools do.
fn is_message(hit: &grammar::Hit<'_>, line: &str) -> bool {
    let rest = line.get(hit.prefix()..).unwrap_or_default();
    let text = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    text.starts_with(' ') && !text.starts_with("  ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::config::Policy;
    use crate::pipeline::evidence::Evidence;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    fn run(text: &str, command: Option<&str>) -> (String, Evidence) {
        let policy = Policy { min_bytes: 0, ..Policy::default() };
        let call = ToolCall { command: command.map(str::to_owned), ..ToolCall::default() };
        let outcome = compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap();
        (outcome.texts.concat(), outcome.evidence)
    }

    /// Pieces for every part of the reducer, few enough that they often repeat and combine.
    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("src/a.rs:12:    let x = 1;\nsrc/a.rs:13:error: none\n".to_owned()),
            Just("src/a.rs:12:5:x\nsrc/a.rs:12:9:x\n".to_owned()),
            Just("src/a.rs-11-fn a() {\nsrc/a.rs:12:    let x = 1;\nsrc/a.rs-13-}\n--\n".to_owned()),
            Just("./lib/b.py:    a line long enough that its repetition is folded, surely\n".to_owned()),
            Just("./lib/b.py:from a import b\n./lib/b.py-import c\n".to_owned()),
            Just("src/a.rs\n12:let x = 1;\n13-let y = 2;\n\n".to_owned()),
            Just("deep/folder/of/files/a.rs\ndeep/folder/of/files/b.rs\n".to_owned()),
            Just("deep/folder/of/files/a.rs:3\ndeep/folder/of/files/b.rs:4\n".to_owned()),
            Just("Line 12:src/a.rs:9:x\nLine 14:src/a.rs:10:y\n".to_owned()),
            Just("grep: lib/cache.bin: binary file matches\n".to_owned()),
            Just("--\n".to_owned()),
            Just("=== next ===\n".to_owned()),
            (0usize..3000).prop_map(|n| format!(
                "web/min.js:1:{}needle{}\n",
                "x".repeat(n),
                "y".repeat(n / 2)
            )),
        ]
    }

    proptest! {
        #[test]
        fn a_second_run_changes_nothing(
            pieces in proptest::collection::vec((piece(), 1usize..4), 1..9),
            command in prop_oneof![
                Just(Some("grep -rn needle .")),
                Just(Some("grep -rl needle .; echo; rg x")),
                Just(None),
            ],
        ) {
            let text: String = pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect();
            let (once, _) = run(&text, command);
            prop_assert_eq!(run(&once, command).0, once, "{}", text);
        }
    }

    #[test]
    fn the_call_must_not_contradict() {
        let text: String = (10..30).map(|n| format!("shop/cart.py:{n}:    total += {n}\n")).collect();
        let used = |command| run(&text, command).1.reducer;
        assert_eq!(used(None).as_deref(), Some("search"));
        for command in
            ["grep -rn total shop", "git ls-files | xargs grep -n total", "cd a && rg -n total | head"]
        {
            assert_eq!(used(Some(command)).as_deref(), Some("search"), "{command}");
        }
        assert_eq!(used(Some("cat notes.md")), None);
        // Messages of a tool follow a blank.
        let messages = text.replace(":    total", ": total");
        assert_eq!(run(&messages, None).1.reducer, None);
        // Falling numbers belong to another list.
        let falling: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
        assert_eq!(run(&falling, None).1.reducer, None);
    }
}
