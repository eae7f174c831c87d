//! Golden fixtures: every file in `tests/fixtures/reduce`, `tests/fixtures/encode`, `tests/fixtures/elide`,
//! `tests/fixtures/rules`, `tests/fixtures/trace`, `tests/fixtures/detail` and `tests/fixtures/generic` (texts that no reducer
//! understands) is a case; `tests/common/fixture.rs` says how they are written.
//!
//! One test a case: `cargo test --test fixtures pytest` runs those of a reducer. With `BLESS=1` the expected sections are
//! written again; read the difference before you commit it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/fixture.rs"]
mod fixture;

use fixture::Fixture;
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use tersed::config::{Policy, PolicyPatch};
use tersed::pipeline::repeat::dedup::NoHistory;
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

const AREAS: &[&str] = &["detail", "reduce", "encode", "elide", "trace", "generic", "rules"];

fn main() {
    let arguments = Arguments::from_args();
    let cases = Fixture::all(AREAS);
    assert!(cases.len() > 1000, "{}", cases.len());
    let reducers = reduce::all().map(|reducer| {
        let id = reducer.meta().id;
        let start = format!("reduce/{id}/");
        let own: Vec<Fixture> =
            cases.iter().filter(|case| case.name().starts_with(&start)).cloned().collect();
        Trial::test(format!("reducer/{id}"), move || has_three_cases_and_a_decline(id, &own))
    });
    let reducers: Vec<Trial> = reducers.collect();
    let trials = cases.into_iter().map(|case| Trial::test(case.name(), move || check(case)));
    let trials = trials.chain(reducers).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(call: &ToolCall, policy: &Policy, input: &[u8]) -> Outcome {
    let raw = std::str::from_utf8(input).map_or(Raw::Bytes(input), Raw::Text);
    compress(call, &[raw], policy, false, &NoHistory).expect("redaction runs")
}

fn load(case: &Fixture) -> (ToolCall, Policy) {
    let call: Call = case.json("call.json");
    let policy = Policy::default().with(&call.policy).unwrap_or_else(|e| panic!("{}: {e}", case.name()));
    let call = ToolCall {
        tool: call.tool,
        command: call.command,
        path: call.path,
        query: call.query,
        arguments: call.arguments,
        exit_code: call.exit_code,
        ..ToolCall::default()
    };
    (call, policy)
}

/// Checks that output and evidence are as recorded, and what cases of this area must fulfil.
fn check(mut case: Fixture) -> Result<(), Failed> {
    let (call, policy) = load(&case);
    let input = case.bytes("input").to_vec();
    let outcome = run(&call, &policy, &input);
    let name = case.name();
    keeps_the_promises(&name, &call, &policy, &input, &outcome);
    if name.starts_with("reduce/") {
        a_document_is_never_read_as_a_report(&name, &input);
    }
    if name.starts_with("detail/whole/") {
        assert!(outcome.evidence.omissions.is_empty(), "{:?}", outcome.evidence.omissions);
        if name.starts_with("detail/whole/range") {
            assert_eq!(outcome.texts.concat().as_bytes(), input, "a range is exact");
        }
    }
    let evidence = serde_json::to_string_pretty(&outcome.evidence).unwrap() + "\n";
    let mut wrong = String::new();
    for (section, got) in [("output", outcome.texts.concat()), ("evidence.json", evidence)] {
        if case.bytes(section) != got.as_bytes() {
            wrong.push_str(&format!("{section} differs; it is now\n{got}\n"));
            case.set(section, got.as_bytes());
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        case.write();
        return Ok(());
    }
    Err(wrong.into())
}

fn keeps_the_promises(name: &str, call: &ToolCall, policy: &Policy, input: &[u8], outcome: &Outcome) {
    let evidence = &outcome.evidence;
    // Look-alikes of markers are escaped before anything is measured, with one or two backslashes each.
    let escapes =
        evidence.removals.iter().filter(|r| r.class == LOOK_ALIKE).map(|r| 2 * r.count).sum::<usize>();
    assert!(evidence.tokens.after <= evidence.tokens.before + escapes, "tokens grew");
    assert!(evidence.bytes.after <= evidence.bytes.before + escapes, "bytes grew");
    assert_eq!(evidence.guard.signals, evidence.guard.kept, "a failure line is lost");
    assert_eq!(run(call, policy, input), *outcome, "not deterministic");
    let again = run(call, policy, outcome.texts.concat().as_bytes());
    assert_eq!(again.texts, outcome.texts, "not idempotent");
    if ["reduce/", "trace/", "generic/"].iter().any(|area| name.starts_with(area)) {
        markers_give_the_reason(outcome, name);
    }
}

/// The lines that a marker counts were left out for the reason that it gives.
fn markers_give_the_reason(outcome: &Outcome, name: &str) {
    let mut told = None;
    for line in outcome.texts.concat().lines() {
        let Some((Marker::Lines { count, first, last, reason, .. }, _)) = Marker::parse(line) else {
            continue;
        };
        told = reason.or(told);
        let Some(reason) = &told else { panic!("{name}: {line} gives no reason, nor does one before it") };
        let gone = outcome
            .evidence
            .omissions
            .iter()
            .filter(|o| o.reason.code() == reason.as_str() && o.lines[0] >= first && o.lines[1] <= last);
        let gone: usize = gone.map(|o| o.count).sum();
        assert!(gone >= count, "{name}: {line} but {gone} lines went for it");
    }
}

/// An agent that reads a file which contains the report of a program wants to see the file.
fn a_document_is_never_read_as_a_report(name: &str, input: &[u8]) {
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
    for call in &calls {
        let outcome = run(call, &Policy { min_bytes: 0, ..Policy::default() }, input);
        let command = call.command.as_deref().unwrap_or(&call.tool);
        assert_eq!(outcome.evidence.reducer, None, "{name} as {command}");
    }
}

fn has_three_cases_and_a_decline(id: &str, cases: &[Fixture]) -> Result<(), Failed> {
    assert!(cases.len() >= 3, "{id}: {} cases, at least 3 are needed", cases.len());
    let declined = cases.iter().filter(|case| {
        let (call, policy) = load(case);
        run(&call, &policy, case.bytes("input")).evidence.reducer.is_none()
    });
    assert!(declined.count() >= 1, "{id}: no case in which it declines");
    Ok(())
}
