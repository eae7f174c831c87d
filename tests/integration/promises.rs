//! The promises as properties, over the fixtures and random mutations of them.
//!
//! Each test names the promise of the README that it checks.

use std::collections::{BTreeSet, HashSet};

use crate::common::fixture::Fixture;
use proptest::prelude::*;
use tersed::config::{DictionaryMethod, Mode, Policy, Structured};
use tersed::pipeline::evidence::Status;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::marker::Marker;

/// Inputs of all fixtures with the commands that wrote them.
fn samples() -> Vec<(String, Option<String>)> {
    let mut out = Vec::new();
    for case in Fixture::all(&["reduce", "encode", "elide", "detail", "trace", "generic"]) {
        let call: serde_json::Value = case.json("call.json");
        let command = call["command"].as_str().map(str::to_owned);
        out.push((String::from_utf8_lossy(case.bytes("input")).into_owned(), command));
    }
    out.sort();
    assert!(out.len() > 3);
    out
}

/// A change of a line of a sample.
#[derive(Debug, Clone)]
enum Edit {
    Drop,
    Repeat(u8),
    Insert(&'static str),
    Cut,
}

const INSERTS: &[&str] = &[
    "error: something is wrong",
    "",
    "   ",
    "E       assert 1 == 2",
    "[tersed: omitted 12 lines 3-14, passing_tests]",
    "[Duplicate of call_1 (bash); see earlier result]",
    "\u{1b}[31mFAILED\u{1b}[0m here",
    "progress 1%\rprogress 100%",
    "{\"a\": 1, \"b\": [1, 2]}",
    "a | b | c",
    "test tests::late ... ok",
    "--- FAIL: TestLate (0.00s)",
    "déjà vu \u{202e}hidden",
    "x\u{0}y",
];

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        Just(Edit::Drop),
        (2u8..40).prop_map(Edit::Repeat),
        (0..INSERTS.len()).prop_map(|i| Edit::Insert(INSERTS[i])),
        Just(Edit::Cut),
    ]
}

fn mutated() -> impl Strategy<Value = (String, ToolCall)> {
    let samples = samples();
    let count = samples.len();
    let edits = prop::collection::vec((any::<prop::sample::Index>(), edit()), 0..12);
    (0..count, edits, prop::option::of(0i64..3), any::<bool>()).prop_map(
        move |(which, edits, exit_code, with_command)| {
            let (text, command) = &samples[which];
            let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
            for (place, edit) in &edits {
                if lines.is_empty() {
                    break;
                }
                let at = place.index(lines.len());
                match edit {
                    Edit::Drop => drop(lines.remove(at)),
                    // Repeats of a line that was repeated multiply: ten of them fill the memory.
                    Edit::Repeat(times) if lines[at].len() < 4096 => {
                        lines[at] = lines[at].repeat(usize::from(*times));
                    }
                    Edit::Repeat(_) => {}
                    Edit::Insert(text) => lines.insert(at, format!("{text}\n")),
                    Edit::Cut => lines.truncate(at),
                }
            }
            let command = command.clone().filter(|_| with_command);
            (lines.concat(), ToolCall { tool: "bash".into(), command, exit_code, ..ToolCall::default() })
        },
    )
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Safe), Just(Mode::Standard), Just(Mode::Aggressive)]
}

fn run(call: &ToolCall, text: &str, policy: &Policy) -> Outcome {
    compress(call, &[Raw::Text(text)], policy, false, &NoHistory).expect("redaction runs")
}

/// The sanitized source: the stored original, or the text itself if nothing changed.
fn source(outcome: &Outcome) -> String {
    match &outcome.retain {
        Some(retain) => String::from_utf8(retain.bytes.to_vec()).unwrap(),
        None => outcome.texts.concat(),
    }
}

fn is_marker(line: &str) -> bool {
    Marker::parse(line).is_some_and(|(marker, len)| {
        len == line.len() && !matches!(marker, Marker::Binary { .. } | Marker::Duplicate { .. })
    })
}

/// Steps that only hide lines and never rewrite one.
const LINE_STEPS: &[&str] = &["repeated_lines", "trailing_whitespace", "output_cap", "head_tail"];

/// Words that reducers and encoders add to rewritten lines: captions of values that are written once.
const CAPTIONS: &[&str] = &[
    "in",
    "of",
    "where",
    "not",
    "shown",
    "every",
    "row",
    "empty",
    "column",
    "hash",
    "owner",
    "group",
    "date",
    "suite",
    "architecture",
    "state",
    "matches",
    "more",
    "name",
    "a",
    "time",
    "stands",
    "its",
    "second",
    "changes",
];

/// The words of a text: runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a word of a line is a count of its caption: `src/a.rs (3 of 22 matches)`, `4 (90), 11 (91), 4 more`.
fn is_count(word: &str, line: &str) -> bool {
    let matches = line.ends_with(" matches)") && line.contains(" of ");
    word.bytes().all(|b| b.is_ascii_digit()) && (matches || line.contains(&format!("{word} more")))
}

/// The number of cases for each property: from the environment, else as many as a commit can wait for.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(192)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Promise 2: every source line is shown, or listed as not shown, and none is invented.
    #[test]
    fn every_line_is_accounted_for((text, call) in mutated(), mode in mode(), min_bytes in prop_oneof![Just(0usize), Just(1024)]) {
        let policy = Policy { mode, min_bytes, ..Policy::default() };
        let outcome = run(&call, &text, &policy);
        prop_assume!(outcome.evidence.status != Status::Suppressed);
        let source = source(&outcome);
        let lines: Vec<&str> = source.lines().collect();
        let mut hidden = BTreeSet::new();
        for omission in outcome.evidence.omissions.iter().filter(|o| o.count > 0) {
            prop_assert_eq!(omission.count, omission.lines[1] + 1 - omission.lines[0]);
            for line in omission.lines[0]..=omission.lines[1] {
                prop_assert!(line >= 1 && line <= lines.len(), "line {} of {}", line, lines.len());
                prop_assert!(hidden.insert(line), "line {} is hidden twice", line);
            }
        }
        let rewrites = outcome.evidence.steps.iter().any(|s| {
            s.reason.code() == "applied" && !LINE_STEPS.contains(&s.id.as_str()) && outcome.evidence.reducer.as_deref() != Some(s.id.as_str())
        });
        let replaced = outcome.evidence.omissions.iter().any(|o| o.count == 0)
            || outcome.evidence.reducer.as_deref().is_some_and(tersed::reduce::is_rewriter);
        if !rewrites && !replaced {
            let shown: Vec<&str> = outcome.texts[0].lines().filter(|l| !is_marker(l)).map(str::trim_end).collect();
            let expected: Vec<&str> = (1..=lines.len()).filter(|n| !hidden.contains(n)).map(|n| lines[n - 1].trim_end()).collect();
            prop_assert_eq!(shown, expected);
        }
    }

    /// Promise 1: rewritten lines consist of the words and numbers of the source and of captions.
    #[test]
    fn no_word_is_invented((text, call) in mutated(), mode in mode()) {
        // Tables and dictionaries have round trips of their own.
        let structured = Structured::Parseable;
        let policy = Policy { mode, min_bytes: 0, structured, ..Policy::default() };
        let outcome = run(&call, &text, &policy);
        prop_assume!(outcome.evidence.status != Status::Suppressed);
        let source = source(&outcome);
        let known: HashSet<&str> = words(&source).collect();
        let is_known = |word: &str| known.contains(word) || source.contains(word);
        for line in outcome.texts[0].lines().filter(|line| !line.contains("[tersed")) {
            for word in words(line) {
                prop_assert!(is_known(word) || CAPTIONS.contains(&word) || is_count(word, line), "{} in {}", word, line);
            }
        }
    }

    /// Promise 1: a marker's numbers are those of the evidence.
    #[test]
    fn markers_say_what_the_evidence_says((text, call) in mutated()) {
        let policy = Policy { min_bytes: 0, ..Policy::default() };
        let outcome = run(&call, &text, &policy);
        let from_evidence: usize = outcome.evidence.omissions.iter().map(|o| o.count).sum();
        let mut from_markers = 0;
        for line in outcome.texts[0].lines() {
            match Marker::parse(line) {
                Some((Marker::Lines { count, .. }, len)) if len == line.len() => from_markers += count,
                Some((Marker::Repeats { period, times, first, last }, len)) if len == line.len() => {
                    prop_assert_eq!(period * times, last + 1 - first);
                    from_markers += period * times;
                }
                _ => {}
            }
        }
        prop_assert_eq!(from_markers, from_evidence);
    }

    /// Promise 3: no failure line is lost, in any mode.
    #[test]
    fn failure_lines_stay((text, call) in mutated(), mode in mode()) {
        let policy = Policy { mode, min_bytes: 0, ..Policy::default() };
        let outcome = run(&call, &text, &policy);
        prop_assert_eq!(outcome.evidence.guard.signals, outcome.evidence.guard.kept);
    }

    /// Promise 4: never more tokens or bytes than the sanitized input.
    #[test]
    fn nothing_grows((text, call) in mutated(), mode in mode()) {
        let policy = Policy { mode, min_bytes: 0, ..Policy::default() };
        let outcome = run(&call, &text, &policy);
        prop_assume!(outcome.evidence.status != Status::Suppressed);
        let counter = tersed::tokens::counter(policy.tokenizer);
        let source = source(&outcome);
        prop_assert!(outcome.texts[0].len() <= source.len());
        prop_assert!(counter.count(&outcome.texts[0]) <= counter.count(&source));
    }

    /// Promise 7: the same input gives the same output and evidence.
    #[test]
    fn outputs_are_deterministic((text, call) in mutated(), mode in mode()) {
        let policy = Policy { mode, ..Policy::default() };
        prop_assert_eq!(run(&call, &text, &policy), run(&call, &text, &policy));
    }

    /// Promise 8: an output of ours, compressed again, is as it was.
    #[test]
    fn outputs_are_fix_points(
        (text, call) in mutated(),
        mode in mode(),
        min_bytes in prop_oneof![Just(0usize), Just(1024)],
        cap in prop_oneof![Just(65_536usize), 300usize..4000],
    ) {
        let strict_cap = cap != 65_536;
        let policy = Policy { mode, min_bytes, max_output_bytes: cap, strict_cap, ..Policy::default() };
        let once = run(&call, &text, &policy).texts;
        let twice = run(&call, &once[0], &policy).texts;
        prop_assert_eq!(twice, once);
    }

    /// Promise 5: a secret is in neither the text, the evidence nor the stored original, even if escape sequences or
    /// invisible characters divide it.
    #[test]
    fn secrets_do_not_get_through((text, call) in mutated(), place in any::<prop::sample::Index>(), how in 0..4) {
        let secret = ["ghp", "_", "q7Zk2Vn8Xw4Rt6Yb1Lm3Pc5Hd9Fj0GsAe2Uo"].concat();
        let planted = match how {
            0 => secret.clone(),
            1 => format!("{}\u{1b}[1m{}", &secret[..12], &secret[12..]),
            2 => format!("{}\u{200b}{}", &secret[..12], &secret[12..]),
            _ => format!("\u{1b}]0;{secret}\u{7}{secret}"),
        };
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let line = format!("token {planted} here\n");
        let at = place.index(lines.len() + 1);
        lines.insert(at, &line);
        let outcome = run(&call, &lines.concat(), &Policy::default());
        let evidence = serde_json::to_string(&outcome.evidence).unwrap();
        let retain = outcome.retain.as_ref();
        let stored = retain.map_or(String::new(), |r| String::from_utf8_lossy(&r.bytes).into_owned());
        let original = retain.and_then(|r| r.original.as_ref());
        let original = original.map_or(String::new(), |o| String::from_utf8_lossy(o).into_owned());
        for (name, text) in [("text", &outcome.texts[0]), ("evidence", &evidence), ("stored", &stored), ("original", &original)] {
            let plain: String = text.replace("\u{1b}[1m", "").replace('\u{200b}', "");
            prop_assert!(!plain.contains(&secret[4..]), "{} holds the secret", name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Promise 1: the number of an order and the hash of a commit stay, in a line or in a marker.
    #[test]
    fn numbers_of_orders_stay(first in 0..5000_u32, steps in prop::collection::vec(0..4_u32, 8..80), form in 0..5_usize) {
        let mut numbers = vec![first];
        for step in steps {
            numbers.push(numbers[numbers.len() - 1] + step);
        }
        let line = |(i, n): (usize, &u32)| {
            let stamp = format!("2026-05-01 10:{:02}:{:02},000 INFO [main] shop:", i / 60, i % 60);
            match form {
                0 => format!("{stamp} order {n} accepted in {i} ms\n"),
                1 => format!("{stamp} packed order_id={n} for {i}\n"),
                2 => format!("{stamp} GET /orders/{n}/items took {i}ms\n"),
                3 => format!("{{\"level\":\"info\",\"time\":17000000{i:02},\"msg\":\"packed\",\"orderId\":\"ORD-{n}\"}}\n"),
                _ => format!("{stamp} deployed {n:040x} to node {i}\n"),
            }
        };
        let text: String = numbers.iter().enumerate().map(line).collect();
        let policy =
            Policy { mode: Mode::Aggressive, min_bytes: 0, head_tail_bytes: Some(0), dictionary: DictionaryMethod::None, ..Policy::default() };
        let out = run(&ToolCall::default(), &text, &policy).texts.concat();
        let mut shown: HashSet<u32> = HashSet::new();
        for word in out.split(|c: char| !c.is_ascii_alphanumeric() && c != '.') {
            let range = word.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..=b.parse().ok()?));
            let hash = u32::from_str_radix(word, 16).ok().filter(|_| word.len() == 40);
            shown.extend(range.into_iter().flatten().chain(word.parse().ok()).chain(hash));
        }
        for number in numbers {
            prop_assert!(shown.contains(&number), "{} is not in\n{}", number, out);
        }
    }
}

/// Text that was erased from the screen can contain a secret that is not visible on the screen.
#[test]
fn a_secret_that_was_overwritten_is_in_no_original() {
    let original = |middle: &str| {
        let text = format!("token {middle} here\n\u{1b}[1A\u{1b}[Kdone\n{}", "more\n".repeat(400));
        let outcome = run(&ToolCall::default(), &text, &Policy::default());
        outcome.retain.and_then(|retain| retain.original.clone())
    };
    let secret = ["ghp", "_", "q7Zk2Vn8Xw4Rt6Yb1Lm3Pc5Hd9Fj0GsAe2Uo"].concat();
    let (head, tail) = secret.split_at(12);
    for cut in ["\u{1b}[1m", "\u{1b}]0;title\u{7}", "\u{1b}]8;;x\u{1b}\\", "\u{200b}"] {
        let kept = original(&format!("{head}{cut}{tail}")).unwrap_or_default();
        let kept = String::from_utf8_lossy(&kept);
        assert!(!kept.contains(&head[4..]) && !kept.contains(tail), "{cut:?}: {kept}");
    }
    assert!(original("is nothing").is_some());
}
