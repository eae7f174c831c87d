//! `tersed explain`: what it shows is what happened, on every fixture.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use tersed::config::{Mode, Policy, PolicyPatch};
use tersed::pipeline::call::ToolCall;
use tersed::pipeline::dedup::NoHistory;
use tersed::pipeline::explain::{Explained, Part, explain};
use tersed::pipeline::ledger::Action;
use tersed::pipeline::{Raw, compress};

/// A call and its policy, as the fixtures of the pipeline hold them.
struct Case {
    name: String,
    call: ToolCall,
    policy: Policy,
    input: Vec<u8>,
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap().path());
    let mut out: Vec<PathBuf> = entries.filter(|p| p.is_dir()).collect();
    out.sort();
    out
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let areas = ["detail", "reduce", "encode", "trace", "generic"].map(|area| root.join(area));
    let out: Vec<Case> =
        areas.iter().flat_map(|a| folders(a)).flat_map(|f| folders(&f)).map(|f| case(&f)).collect();
    assert!(out.len() > 100);
    out
}

fn case(folder: &Path) -> Case {
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("call.json")).unwrap()).unwrap();
    let text = |name: &str| json[name].as_str().map(str::to_owned);
    let patch: PolicyPatch = match &json["policy"] {
        serde_json::Value::Null => PolicyPatch::default(),
        policy => serde_json::from_value(policy.clone()).unwrap(),
    };
    Case {
        name: folder.display().to_string(),
        call: ToolCall {
            tool: text("tool").unwrap(),
            command: text("command"),
            path: text("path"),
            query: text("query"),
            arguments: json["arguments"].clone(),
            exit_code: json["exitCode"].as_i64(),
            ..ToolCall::default()
        },
        policy: Policy::default().with(&patch).unwrap(),
        input: fs::read(folder.join("input")).unwrap(),
    }
}

fn explained(case: &Case, policy: &Policy) -> Explained {
    let raw = std::str::from_utf8(&case.input).map_or(Raw::Bytes(&case.input), Raw::Text);
    let explained = explain(&case.call, &[raw], policy, false, &NoHistory).unwrap();
    let outcome = compress(&case.call, &[raw], policy, false, &NoHistory).unwrap();
    assert_eq!(explained.outcome, outcome, "{}", case.name);
    explained
}

#[test]
fn spans_say_what_the_output_shows_and_which_step_did_it() {
    for case in cases() {
        for policy in [case.policy.clone(), Policy { mode: Mode::Aggressive, ..case.policy.clone() }] {
            let explained = explained(&case, &policy);
            for (part, text) in explained.parts.iter().zip(&explained.outcome.texts) {
                check(&case.name, part, text, &explained);
            }
        }
    }
}

fn check(name: &str, part: &Part, text: &str, explained: &Explained) {
    let original: Vec<&str> = part.original.lines().collect();
    let output: Vec<&str> = text.lines().collect();
    if part.binary.is_some() {
        assert_eq!((part.spans.len(), output.len()), (0, 1), "{name}");
        return;
    }
    let (mut line, mut shown) = (0, 0);
    for span in &part.spans {
        assert_eq!((span.lines.start, span.shown.start), (line, shown), "{name}");
        (line, shown) = (span.lines.end, span.shown.end);
        let steps = explained.outcome.evidence.steps.as_slice();
        assert!(span.steps.iter().all(|s| part.steps.contains(s)), "{name}: {span:?} of {:?}", part.steps);
        let applied = span.steps.iter().filter(|s| steps[**s].bytes_after < steps[**s].bytes_before).count();
        assert_eq!(applied, span.steps.len(), "{name}: {span:?}");
        if span.action != Action::Keep {
            assert!(!span.steps.is_empty(), "{name}: nobody did {span:?}");
            continue;
        }
        assert!(span.steps.is_empty());
        for (from, to) in span.lines.clone().zip(span.shown.clone()) {
            let (from, to) =
                (original[from], output.get(to).unwrap_or_else(|| panic!("{name}: no line {to}")));
            let is_same = if part.trimmed_by.is_empty() { from == *to } else { from.trim() == to.trim() };
            assert!(is_same, "{name}: {from:?} {to:?}");
        }
    }
    assert_eq!(line, original.len(), "{name}");
    match &output[shown.min(output.len())..] {
        [] => assert_eq!(shown, output.len(), "{name}"),
        [exit] => assert!(exit.starts_with("[tersed: exit status "), "{name}: {exit}"),
        rest => panic!("{name}: {rest:?}"),
    }
}
