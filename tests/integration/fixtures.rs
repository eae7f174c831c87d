//! Golden fixtures: every folder under `tests/fixtures/reduce`, `tests/fixtures/encode`, `tests/fixtures/elide`,
//! `tests/fixtures/rules`, `tests/fixtures/trace`, `tests/fixtures/detail` and `tests/fixtures/generic` (texts that no reducer
//! understands) is a case.
//!
//! `input` is the raw result, `call.json` the call, its arguments and the policy, `output` all that the model would
//! see, `evidence.json` the evidence. With `BLESS=1` the expected files are written anew; read the
//! difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tersed::config::{Policy, PolicyPatch};
use tersed::pipeline::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::reduce;
use tersed::sanitize::LOOK_ALIKE;
use tersed::text::call::ToolCall;
use tersed::text::marker::Marker;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Call {
    tool: String,
    command: Option<String>,
    path: Option<String>,
    query: Option<String>,
    exit_code: Option<i64>,
    #[serde(default)]
    arguments: serde_json::Value,
    #[serde(default)]
    policy: PolicyPatch,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut out: Vec<PathBuf> = fs::read_dir(path)
        .map_or(Vec::new(), |dir| dir.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect());
    out.sort();
    out
}

fn cases() -> Vec<PathBuf> {
    ["detail", "reduce", "encode", "elide", "trace", "generic", "rules"]
        .iter()
        .flat_map(|area| folders(&root().join(area)))
        .flat_map(|f| folders(&f))
        .collect()
}

fn run(call: &ToolCall, policy: &Policy, input: &[u8]) -> Outcome {
    let raw = std::str::from_utf8(input).map_or(Raw::Bytes(input), Raw::Text);
    compress(call, &[raw], policy, false, &NoHistory).expect("redaction runs")
}

fn load(case: &Path) -> (ToolCall, Policy, Vec<u8>) {
    let name = case.display();
    let read = |file: &str| fs::read(case.join(file)).unwrap_or_else(|e| panic!("{name}/{file}: {e}"));
    let call: Call =
        serde_json::from_slice(&read("call.json")).unwrap_or_else(|e| panic!("{name}/call.json: {e}"));
    let policy = Policy::default().with(&call.policy).unwrap_or_else(|e| panic!("{name}: {e}"));
    let call = ToolCall {
        tool: call.tool,
        command: call.command,
        path: call.path,
        query: call.query,
        arguments: call.arguments,
        exit_code: call.exit_code,
        ..ToolCall::default()
    };
    (call, policy, read("input"))
}

#[test]
fn outputs_and_evidence_are_as_recorded() {
    let bless = std::env::var_os("BLESS").is_some();
    let cases = cases();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for case in &cases {
        let (call, policy, input) = load(case);
        let outcome = run(&call, &policy, &input);
        let evidence = serde_json::to_string_pretty(&outcome.evidence).unwrap() + "\n";
        for (file, got) in [("output", outcome.texts.concat()), ("evidence.json", evidence)] {
            let path = case.join(file);
            if bless {
                fs::write(&path, got).unwrap();
            } else if fs::read_to_string(&path).ok().as_ref() != Some(&got) {
                wrong.push(format!("{}: differs; it is now\n{got}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_keeps_the_promises() {
    for case in cases() {
        let name = case.display();
        let (call, policy, input) = load(&case);
        let outcome = run(&call, &policy, &input);
        let evidence = &outcome.evidence;
        // What only looks like a marker is escaped before anything is measured: one or two backslashes each.
        let escapes =
            evidence.removals.iter().filter(|r| r.class == LOOK_ALIKE).map(|r| 2 * r.count).sum::<usize>();
        assert!(evidence.tokens.after <= evidence.tokens.before + escapes, "{name}: tokens grew");
        assert!(evidence.bytes.after <= evidence.bytes.before + escapes, "{name}: bytes grew");
        assert_eq!(evidence.guard.signals, evidence.guard.kept, "{name}: a failure line is lost");
        assert_eq!(run(&call, &policy, &input), outcome, "{name}: not deterministic");
        let again = run(&call, &policy, outcome.texts.concat().as_bytes());
        assert_eq!(again.texts, outcome.texts, "{name}: not idempotent");
        if ["reduce", "trace", "generic"].iter().any(|area| case.starts_with(root().join(area))) {
            markers_give_the_reason(&outcome, &name.to_string());
        }
    }
}

/// What a marker counts went for the reason that it gives.
fn markers_give_the_reason(outcome: &Outcome, name: &str) {
    for line in outcome.texts.concat().lines() {
        let Some((Marker::Lines { count, first, last, reason, .. }, _)) = Marker::parse(line) else {
            continue;
        };
        let gone = outcome
            .evidence
            .omissions
            .iter()
            .filter(|o| o.reason.code() == reason && o.lines[0] >= first && o.lines[1] <= last);
        let gone: usize = gone.map(|o| o.count).sum();
        assert!(gone >= count, "{name}: {line} but {gone} lines went for it");
    }
}

/// Who reads a file in which the report of a program stands wants to see the file.
#[test]
fn a_document_is_never_read_as_a_report() {
    let shown = |command: &str| ToolCall {
        tool: "bash".into(),
        command: Some(command.into()),
        ..ToolCall::default()
    };
    let by_tool = |tool: &str, path: &str| ToolCall {
        tool: tool.into(),
        path: Some(path.into()),
        ..ToolCall::default()
    };
    let calls = [
        by_tool("Read", "README.md"),
        by_tool("mcp__fs__read_text_file", "docs/output.log"),
        shown("cat README.md"),
        shown("sed -n 1,900p docs/guide.rst"),
        shown("git show HEAD:README.md"),
        shown("awk '{print}' notes.md"),
        shown("curl -s https://example.org/README.md"),
        shown("cat docs/expected/run.log"),
    ];
    for case in cases().into_iter().filter(|case| case.starts_with(root().join("reduce"))) {
        let (_, _, input) = load(&case);
        for call in &calls {
            let outcome = run(call, &Policy { min_bytes: 0, ..Policy::default() }, &input);
            let command = call.command.as_deref().unwrap_or(&call.tool);
            assert_eq!(outcome.evidence.reducer, None, "{} as {command}", case.display());
        }
    }
}

#[test]
fn every_reducer_has_three_cases_and_a_decline() {
    for reducer in reduce::all() {
        let id = reducer.meta().id;
        let cases = folders(&root().join("reduce").join(id));
        assert!(cases.len() >= 3, "{id}: {} cases, at least 3 are needed", cases.len());
        let declined = cases.iter().filter(|case| {
            let (call, policy, input) = load(case);
            run(&call, &policy, &input).evidence.reducer.is_none()
        });
        assert!(declined.count() >= 1, "{id}: no case in which it declines");
    }
}

#[test]
fn views_that_stay_whole_have_no_gap() {
    let cases = folders(&root().join("detail/whole"));
    assert!(!cases.is_empty());
    for case in cases {
        let name = case.display();
        let (call, policy, input) = load(&case);
        let outcome = run(&call, &policy, &input);
        assert!(outcome.evidence.omissions.is_empty(), "{name}: {:?}", outcome.evidence.omissions);
        if case.file_name().unwrap().to_str().unwrap().starts_with("range") {
            assert_eq!(outcome.texts.concat().as_bytes(), input, "{name}: a range is exact");
        }
    }
}
