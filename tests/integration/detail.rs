//! Properties of shortened views of files, tested on the fixtures and random changes of them.

use std::collections::BTreeSet;

use crate::common::fixture::Fixture;
use proptest::prelude::*;
use serde_json::{Value, json};
use tersed::config::{FileDetail, Mode, Policy};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::marker::Marker;
use tersed::text::reason::Reason;
use tersed::text::source::Source;

/// Every fixture's input with the call that gave it.
fn samples() -> Vec<(String, ToolCall)> {
    let read = |case: &Fixture| {
        let call: Value = case.json("call.json");
        let word = |name: &str| call[name].as_str().map(str::to_owned);
        let call = ToolCall {
            tool: word("tool").unwrap(),
            command: word("command"),
            path: word("path"),
            query: word("query"),
            arguments: call["arguments"].clone(),
            ..ToolCall::default()
        };
        (String::from_utf8(case.bytes("input").to_vec()).unwrap(), call)
    };
    Fixture::all(&["detail"]).iter().map(read).collect()
}

/// A change of a run of lines of a view.
#[derive(Debug, Clone)]
enum Edit {
    Drop(usize),
    Double(usize),
    Insert(&'static str),
    Cut,
    Behead,
}

const INSERTS: &[&str] = &[
    "",
    "   ",
    "}",
    "    return None  ",
    "\t\tx := load_all(y)\t",
    "<note>the file was changed by somebody else</note>",
    "(120 more lines below)",
    "     7\tlet seven_of = nine.of(ten);",
    "[tersed: omitted 12 lines 3-14, file_body: 4 load_all]",
    "error: no such thing",
    "  1: core::panicking::panic_fmt\r",
    "/*",
    "\"\"\"",
];

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (1usize..30).prop_map(Edit::Drop),
        (1usize..30).prop_map(Edit::Double),
        (0..INSERTS.len()).prop_map(|i| Edit::Insert(INSERTS[i])),
        Just(Edit::Cut),
        Just(Edit::Behead),
    ]
}

fn changed() -> impl Strategy<Value = (String, ToolCall)> {
    let samples = samples();
    let count = samples.len();
    let edits = prop::collection::vec((any::<prop::sample::Index>(), edit()), 0..6);
    (0..count, edits).prop_map(move |(which, edits)| {
        let (text, call) = &samples[which];
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for (place, edit) in &edits {
            if lines.is_empty() {
                break;
            }
            let at = place.index(lines.len());
            let end = |n: usize| (at + n).min(lines.len());
            match edit {
                Edit::Drop(n) => drop(lines.drain(at..end(*n))),
                Edit::Double(n) => {
                    let run = lines[at..end(*n)].to_vec();
                    lines.splice(at..at, run);
                }
                Edit::Insert(text) => lines.insert(at, format!("{text}\n")),
                Edit::Cut => lines.truncate(at),
                Edit::Behead => drop(lines.drain(..at)),
            }
        }
        (lines.concat(), call.clone())
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let mode = prop_oneof![Just(Mode::Standard), Just(Mode::Aggressive)];
    let detail = prop_oneof![
        4 => Just(FileDetail::Auto),
        1 => Just(FileDetail::Full),
        2 => Just(FileDetail::Structure),
        2 => Just(FileDetail::Signatures),
    ];
    let bytes = prop_oneof![Just(512usize), Just(8192)];
    (mode, detail, bytes).prop_map(|(mode, file_detail, bytes)| Policy {
        mode,
        file_detail,
        file_outline_bytes: Some(bytes),
        file_full_max_lines: 0,
        // Doubled lines must not meet the cap: it cuts ranges too.
        max_output_bytes: 1 << 20,
        min_bytes: 0,
        ..Policy::default()
    })
}

fn run(call: &ToolCall, text: &str, policy: &Policy) -> Outcome {
    compress(call, &[Raw::Text(text)], policy, false, &NoHistory).expect("redaction runs")
}

/// A file that a command prints: its name, and functions that throw errors.
fn rooms() -> (ToolCall, String) {
    let function = |n: usize| {
        format!(
            "/** The area of room {n}. */\nexport function room{n}(width, height) {{\n  const sides = [width, height];\n  \
             if (sides.some((side) => side < 0)) {{\n    throw new RangeError(\"room {n}: a side is negative\");\n  }}\n  \
             const error = check(sides, {n});\n  if (error) {{\n    throw error;\n  }}\n  return width * height;\n}}\n\n"
        )
    };
    let command = Some("cat src/rooms.js".to_owned());
    let call = ToolCall { tool: "bash".to_owned(), command, ..ToolCall::default() };
    (call, (0..24).map(function).collect())
}

#[test]
fn a_file_that_a_cap_would_cut_is_outlined() {
    let (call, text) = rooms();
    let policy = |bytes| Policy { max_output_bytes: bytes, strict_cap: true, ..Policy::default() };
    assert_eq!(run(&call, &text, &policy(1 << 16)).texts.concat(), text, "it is short");
    let capped = run(&call, &text, &policy(5000)).texts.concat();
    for n in 0..24 {
        assert!(capped.contains(&format!("export function room{n}(width, height) {{\n")), "{n}: {capped}");
    }
    assert!(capped.contains(", file_body") && !capped.contains("output_cap"), "{capped}");
    // If the outline is too long, too, errors in omitted lines take no space.
    let cut = run(&call, &text, &policy(2000)).texts.concat();
    assert!(cut.len() <= 2000 && cut.contains(", output_cap"), "{cut}");
    let is_gap = |line: &&str| marker(line).is_some();
    let kept: Vec<&str> = cut.lines().collect();
    assert!(!kept.windows(3).any(|three| three.iter().all(is_gap)), "{cut}");
    // Text outside of all bodies may be a report.
    let report = format!("{text}error: src/walls.js: no such file\n");
    let shown = run(&call, &report, &policy(2000)).texts.concat();
    assert!(shown.contains("error: src/walls.js: no such file\n"), "{shown}");
}

/// The text after the clean-up: markers use its line numbers.
fn source(outcome: &Outcome) -> String {
    match &outcome.retain {
        Some(retain) => String::from_utf8(retain.bytes.to_vec()).unwrap(),
        None => outcome.texts.concat(),
    }
}

fn marker(line: &str) -> Option<Marker> {
    Marker::parse(line).filter(|(_, len)| *len == line.len()).map(|(marker, _)| marker)
}

/// Lines of a text without `\n`, a `\r` being part of them.
fn lines(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() { Vec::new() } else { body.split('\n').collect() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// The output has the source's lines in order, unchanged except for the blanks before their numbers; the evidence
    /// lists all other lines.
    #[test]
    fn shown_lines_are_exact((text, call) in changed(), policy in policy()) {
        let outcome = run(&call, &text, &policy);
        let all = source(&outcome);
        let view = Source::new(&all);
        let mut hidden = BTreeSet::new();
        for omission in &outcome.evidence.omissions {
            prop_assert_eq!(omission.count, omission.lines[1] + 1 - omission.lines[0]);
            for line in omission.lines[0]..=omission.lines[1] {
                prop_assert!(hidden.insert(line - 1), "line {} is hidden twice", line);
            }
        }
        let all_lines = lines(&all);
        let expected: Vec<usize> = (0..all_lines.len()).filter(|i| !hidden.contains(i)).collect();
        let shown: Vec<&str> = lines(&outcome.texts[0]).into_iter().filter(|l| marker(l).is_none()).collect();
        prop_assert_eq!(shown.len(), expected.len());
        for (shown, i) in shown.into_iter().zip(expected) {
            let line = all_lines[i];
            let bare = if view.view().number(i).is_some() { line.trim_start_matches(' ') } else { line };
            prop_assert!(shown == line || shown == bare, "{:?} is not line {}: {:?}", shown, i + 1, line);
        }
    }

    /// A marker's numbers are those that its lines carry, or else those of the result, and each name
    /// is on the line that it gives.
    #[test]
    fn markers_are_true((text, call) in changed(), policy in policy()) {
        let outcome = run(&call, &text, &policy);
        let all = source(&outcome);
        let view = Source::new(&all);
        // A log or a report that is cut is no view: its gaps share markers.
        let is_cut = |reason| matches!(reason, Reason::HeadTail | Reason::LogForm | Reason::LogRepeat);
        prop_assume!(!outcome.evidence.omissions.iter().any(|gap| is_cut(gap.reason)));
        let gaps = outcome.evidence.omissions.iter();
        let markers = lines(&outcome.texts[0]).into_iter().filter_map(marker).collect::<Vec<_>>();
        prop_assert_eq!(markers.len(), gaps.len());
        let mut told = None;
        for (marker, gap) in markers.into_iter().zip(gaps) {
            let at = gap.lines[0] - 1;
            let number = view.numbers(&(at..gap.lines[1])).0;
            match marker {
                Marker::Lines { count, first, last, names, reason, .. } => {
                    prop_assert_eq!((count, last + 1 - first, first), (gap.count, gap.count, number));
                    // A marker without a reason has that of the one before.
                    told = reason.or(told);
                    prop_assert_eq!(told.as_deref(), Some(gap.reason.code()));
                    let mut line = None;
                    // ` ...` ends a list that would be longer.
                    let names = names.iter().map(|names| names.strip_suffix(" ...").unwrap_or(names));
                    for word in names.flat_map(|names| names.split(' ')) {
                        match word.strip_prefix('L').and_then(|line| line.parse::<usize>().ok()) {
                            Some(n) => {
                                prop_assert!((first..=last).contains(&n), "{} of {}-{}", n, first, last);
                                line = Some(view.line(at + n - first));
                            }
                            None => prop_assert!(line.unwrap().contains(word), "{word:?}: {line:?}"),
                        }
                    }
                }
                Marker::Repeats { period, times, first, last } => {
                    prop_assert_eq!((period * times, last + 1 - first, first), (gap.count, gap.count, number));
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }

    /// An output that is compressed again does not change, and no output is larger than its source.
    #[test]
    fn outputs_stay_and_never_grow((text, call) in changed(), policy in policy()) {
        let outcome = run(&call, &text, &policy);
        let (once, all) = (&outcome.texts[0], source(&outcome));
        prop_assert_eq!(&run(&call, once, &policy).texts[0], once);
        let counter = tersed::tokens::counter(policy.tokenizer);
        prop_assert!(once.len() <= all.len() && counter.count(once) <= counter.count(&all));
    }

    /// Lines that were requested are unchanged.
    #[test]
    fn explicit_ranges_are_exact((text, call) in changed(), policy in policy(), how in 0..5) {
        let by = |tool: &str, command: Option<&str>, arguments: Value| ToolCall {
            tool: tool.into(), command: command.map(str::to_owned), arguments, ..call.clone()
        };
        let call = match how {
            0 => by("Read", None, json!({"offset": 1, "limit": 4000})),
            1 => by("str_replace_editor", None, json!({"command": "view", "view_range": [1, -1]})),
            2 => by("bash", Some("sed -n '10,4000p' src/a.rs"), Value::Null),
            3 => by("bash", Some("sed -n '/^fn a/,$p' src/a.py"), Value::Null),
            _ => by("bash", Some("cat -n src/a.go | tail -n +2"), Value::Null),
        };
        let outcome = run(&call, &text, &policy);
        prop_assert_eq!(&outcome.texts[0], &source(&outcome));
    }
}

/// The blanks before numbers that a file itself holds are the file's.
#[test]
fn numbers_in_a_file_are_its_own() {
    let text: String = (1..80).map(|i| format!("{i:>6}\tgolden output of step number {i}\n")).collect();
    let of = |command: &str| {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        run(&call, &text, &Policy::default()).texts.concat()
    };
    assert_eq!(of("cat tests/expected.md"), text);
    assert!(of("cat -n tests/expected.md").starts_with("1\tgolden"));
}

/// Notes of a host between the lines of a view are not part of a body.
#[test]
fn notes_between_numbered_lines_stay() {
    let case = Fixture::named("detail/outline/rust-arrows");
    let text = std::str::from_utf8(case.bytes("input")).unwrap();
    let mut view: Vec<&str> = text.lines().collect();
    view.insert(220, "<note>this file was changed since it was last read</note>");
    let call = ToolCall { tool: "Read".into(), path: Some("src/scheduler.rs".into()), ..ToolCall::default() };
    let out = run(&call, &view.join("\n"), &Policy::default()).texts.concat();
    assert!(out.contains("\n<note>this file was changed since it was last read</note>\n"), "{out}");
    assert!(out.contains(" lines 205-220: ") && out.contains(" lines 224-248: "), "{out}");
}

/// An edit that touched more than is kept of it takes nothing from what else must stay.
#[test]
fn beside_a_large_edit_the_lines_that_answer_the_query_stay() {
    let line = |n: usize| match n {
        5200 => "the quokka_limit was lowered here".to_owned(),
        n => format!("row {n} of the generated table, alpha beta gamma {}", n * 7919 % 100_003),
    };
    let text: String = (0..8000).map(|n| line(n) + "\n").collect();
    let new: String = (100..400).map(|n| line(n) + "\n").collect();
    let call = ToolCall {
        tool: "Edit".into(),
        arguments: json!({"file_path": "table.txt", "old_string": "x", "new_string": new.trim_end()}),
        query: Some("where was quokka_limit lowered".into()),
        ..ToolCall::default()
    };
    let out = compress(&call, &[Raw::Text(&text)], &Policy::default(), false, &NoHistory).unwrap();
    let shown = &out.texts[0];
    assert!(shown.len() < text.len() / 2 && shown.contains("quokka_limit"), "{}", shown.len());
}
