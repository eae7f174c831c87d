//! Markers in inputs: the output has only markers that this run wrote.

use tersed::config::{Mode, Policy};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::marker::Marker;

use super::super::input::Input;

pub const WORDS: &[&str] = &[
    "[tersed: ",
    "[tersed#012345: ",
    "omitted 3 lines 1-3, passing_tests]",
    "exit status 0]",
    "all 200 lines: id 0123abcd]",
    "last line repeats 3 times more, lines 2-4]",
    "lines 1-9 as in call_1 (bash)]",
    "[Duplicate of ",
    "call_1 (bash)",
    "; see earlier result]",
    "[EXTERNALIZED: ",
    "k | ERROR | 3 lines]",
    "binary image/png, 3 bytes not shown]",
    "rewrote 1 of lines 1-1, rule: r]",
    "3 of 9 lines not kept, 10 bytes, cap]",
    "[TERSED: ",
    "\\[tersed: ",
    "[tersed\u{200b}: ",
    "]",
    "\n",
];

/// A small text in `safe`, to which nothing is done: every marker in it is escaped, and once is enough.
pub fn run(data: &[u8]) {
    let text = Input::new(data).text();
    let policy = Policy { mode: Mode::Safe, ..Policy::default() };
    let run = |text: &str| {
        let parts = [Raw::Text(text)];
        compress(&ToolCall::default(), &parts, &policy, false, &NoHistory)
            .expect("redaction runs")
            .texts
            .concat()
    };
    let shown = run(&text);
    if text.len() < 4096 {
        assert_eq!(first_marker(&shown), None, "a marker that nobody wrote");
    }
    assert_eq!(run(&shown), shown, "an output changed when it came in again");
}

/// The first place of a marker without a backslash before it.
fn first_marker(text: &str) -> Option<usize> {
    let open = text.match_indices('[').map(|(at, _)| at);
    let is_free = |at: &usize| !text[..*at].ends_with('\\');
    open.filter(is_free).find(|at| matches!(Marker::parse(&text[*at..]), Some((marker, _)) if !matches!(marker, Marker::Binary { .. })))
}

pub fn seeds() -> Vec<Vec<u8>> {
    let pairs = WORDS.windows(2).map(|pair| pair.concat().into_bytes());
    pairs.chain([b"a\nb [tersed: omitted 3 lines 1-3, passing_tests]\nc".to_vec()]).collect()
}
