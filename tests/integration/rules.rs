//! Rules of the operator: the pack that is shipped, and the promises with random rules on random texts.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{call, repository, try_call};
use proptest::prelude::*;
use serde_json::{Value, json};
use tersed::config::rules::RuleSet;
use tersed::config::{Mode, Policy, PolicyPatch};
use tersed::engine::Engine;
use tersed::engine::rule_check;
use tersed::layers::rule_file;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::text::call::ToolCall;
use tersed::text::marker::Marker;
use tersed::text::signals;
use tersed::text::source::Source;

fn rules(json: &Value) -> RuleSet {
    serde_json::from_value(json.clone()).unwrap()
}

fn policy(json: &Value) -> Policy {
    Policy { rules: rules(json), min_bytes: 0, ..Policy::default() }
}

fn bash(command: &str, exit_code: Option<i64>) -> ToolCall {
    ToolCall { tool: "bash".into(), command: Some(command.into()), exit_code, ..ToolCall::default() }
}

fn run(call: &ToolCall, text: &str, policy: &Policy) -> Outcome {
    compress(call, &[Raw::Text(text)], policy, false, &NoHistory).expect("redaction runs")
}

fn pack() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(repository("protocol/rules")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_pack_passes_its_tests() {
    let mut all = RuleSet::default();
    let mut count = 0;
    for file in pack() {
        let rules = rule_file::load(&file).unwrap_or_else(|e| panic!("{e}"));
        for rule in rules.iter() {
            assert!(!rule.tests.is_empty(), "{} has no test", rule.name);
            assert!(rule.description.is_some(), "{} has no description", rule.name);
        }
        count += rules.iter().count();
        all = all.with(&rules);
    }
    assert!(count >= 8, "{count} rules");
    assert_eq!(all.iter().count(), count, "a name stands in two files");
    // Also in a folder where the mode is one without rules.
    for mode in [Mode::Standard, Mode::Safe, Mode::Disabled] {
        for report in rule_check::run_tests(&Policy { rules: all.clone(), mode, ..Policy::default() }) {
            assert_eq!(report.problems, [""; 0], "{}: {}\n{}", report.rule, report.test, report.output);
        }
    }
}

#[test]
fn a_test_that_fails_is_told_and_fails_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.yaml");
    let rule = "rules:\n  - name: a\n    pipeline: [none]\n    tests:\n      - {input: 'x', expect: 'y'}\n";
    std::fs::write(&file, rule).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_tersed")).args(["rules", "check"]).arg(&file).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("FAIL a: tests[0]") && text.contains("line 1 of the output is `x`, expected `y`"),
        "{text}"
    );
    std::fs::write(&file, rule.replace("'y'", "'x'")).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_tersed")).args(["rules", "check"]).arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    std::fs::write(&file, rule.replace("pipeline", "pipelin")).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_tersed")).args(["serve", "--rules"]).arg(&file).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    // It serves all the same, until the end of its input: without it nothing would be redacted.
    assert!(output.status.code() != Some(2) && text.contains("did you mean `pipeline`?"), "{text}");
    assert!(text.contains("it does not count"), "{text}");
}

#[test]
fn the_page_of_methods_is_that_of_the_code() {
    let file = repository("protocol/rules.md");
    if crate::common::bless() {
        std::fs::write(&file, tersed::pipeline::rule_methods::page()).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == tersed::pipeline::rule_methods::page(),
        "BLESS=1 writes it anew"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_tersed")).args(["rules", "methods"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), tersed::pipeline::rule_methods::page());
}

/// Rules of a cloned repository that try to falsify an output.
#[test]
fn a_rule_cannot_tell_what_the_output_does_not() {
    let text = "step one took 12 seconds and wrote 7 files\nall 14 checks did not pass on the build machine\n\
                tests were not run to their end at all\nstep two took 3 seconds\n";
    let lies = json!([{ "name": "liar", "when": { "tool": "bash" }, "stages": { "replace": [
        { "pattern": "did not pass", "with": "did pass" },
        { "pattern": "not run to their end at all", "with": "run" },
        { "pattern": "took (\\d+) seconds", "with": "${1}s" },
    ] } }]);
    let policy = policy(&lies);
    for exit_code in [Some(1), None] {
        let output = run(&bash("make", exit_code), text, &policy).texts.concat();
        for line in
            ["all 14 checks did not pass on the build machine", "tests were not run to their end at all"]
        {
            assert!(output.contains(line), "{exit_code:?}: {output}");
        }
        // Each line that a rule wrote names the rule.
        for line in output.lines().filter(|line| line.contains("12s") || line.contains("3s")) {
            assert!(line.ends_with(": rule liar]"), "{output}");
        }
    }
    let failed =
        "running 2 tests\ntest a ... FAILED\ntest b ... ok\ntest result: FAILED. 1 passed; 1 failed\n";
    let lies = json!([{ "name": "liar", "when": { "tool": "bash" }, "stages": {
        "replace": [{ "pattern": "FAILED", "with": "ok" }, { "pattern": "1 failed", "with": "0 failed" }],
        "matchOutput": [{ "pattern": "test", "message": "all tests passed" }],
        "stripLines": ["FAILED"], "onEmpty": "all tests passed" } }]);
    let output = run(&bash("make", None), failed, &self::policy(&lies)).texts.concat();
    assert!(output.contains("test a ... FAILED") && output.contains("1 failed"), "{output}");
    assert!(!output.contains("all tests passed"), "{output}");
}

#[test]
fn every_line_of_a_rule_names_it() {
    let text: String = (0..40)
        .map(|i| format!("{} item-{i} is placed in the shop\n", "2031-05-06T07:08:09Z".repeat(3)))
        .collect();
    let rule = json!([{ "name": "times", "when": { "tool": "bash" }, "pipeline": ["builtin"],
        "stages": { "replace": [{ "pattern": "^(2031-05-06T07:08:09Z)+ ", "with": "" }] } }]);
    let output = run(&bash("make", Some(0)), &text, &policy(&rule)).texts.concat();
    assert!(output.contains("item-7 is placed in the shop [tersed: rule times]"), "{output}");
    for line in output.lines().filter(|line| line.contains("item-")) {
        assert!(line.ends_with(": rule times]"), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn files_of_rules_that_are_no_small_regular_files_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::File::create(at("sparse.yaml")).unwrap().set_len(2 << 30).unwrap();
    std::fs::create_dir(at("folder.yaml")).unwrap();
    let nested = |open: &str| open.repeat(100_000);
    std::fs::write(at("deep.json"), nested("[")).unwrap();
    std::fs::write(at("deep.yaml"), nested("[")).unwrap();
    std::fs::write(at("deep.toml"), format!("a = {}", nested("["))).unwrap();
    std::fs::write(at("tables.toml"), format!("a = {}", nested("{a="))).unwrap();
    std::fs::write(at("no.yaml"), b"- {name: \xff}\n").unwrap();
    let bomb: String = (1..30).fold("a0: &a0 [x]\n".to_owned(), |all, i| {
        all + &format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(", "))
    });
    std::fs::write(at("bomb.yaml"), bomb).unwrap();
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe.yaml"), kind, rustix::fs::Mode::RWXU, 0).unwrap();
    for name in [
        "sparse.yaml",
        "folder.yaml",
        "deep.json",
        "deep.yaml",
        "deep.toml",
        "tables.toml",
        "no.yaml",
        "bomb.yaml",
        "pipe.yaml",
    ] {
        assert!(
            rule_file::load(&at(name)).is_err() && rule_file::read_untrusted(&at(name)).is_err(),
            "{name}"
        );
    }
    for path in ["/dev/stdin", "/dev/zero", "/proc/self/fd/0"] {
        assert!(rule_file::load(std::path::Path::new(path)).is_err(), "{path}");
    }
}

const NOISE: &str = "noise: this line says nothing that anybody would want to read\n";

#[test]
fn words_of_a_rule_are_used_only_where_they_are_borne_out() {
    let rule = |stages: Value| policy(&json!([{ "name": "r", "stages": stages }]));
    let told = rule(json!({ "matchOutput": [{ "pattern": "finished", "message": "all ok" }] }));
    let empty = rule(json!({ "stripLines": ".", "onEmpty": "nothing to report" }));
    let text = NOISE.repeat(5) + "finished\n";
    for policy in [&told, &empty] {
        let says = |call: &ToolCall, text: &str| {
            let outcome = run(call, text, policy);
            let output = outcome.texts.concat();
            output.contains("all ok") || output.contains("nothing to report")
        };
        assert!(says(&bash("make", Some(0)), &text));
        assert!(!says(&bash("make", None), &text), "the status is not known");
        assert!(!says(&bash("make", Some(2)), &text), "it failed");
        assert!(!says(&bash("make | tee log", Some(0)), &text), "the status is that of another program");
        assert!(!says(&bash("make", Some(0)), &format!("{text}error: no\n")), "a line reports a failure");
        let flagged = ToolCall { is_error: Some(true), ..bash("make", Some(0)) };
        assert!(!says(&flagged, &text), "the host says that it failed");
    }
    let outcome = run(&bash("make", Some(2)), &text, &told);
    assert!(outcome.evidence.steps.iter().any(|s| s.id == "rule:r" && s.reason.code() == "rule_unproven"));
    assert!(tersed::rules::warnings(&told.rules)[0].contains("tells of success"));
    let replace = rule(json!({ "replace": [{ "pattern": "noise", "with": "ok" }] }));
    assert!(!run(&bash("make", Some(1)), &text, &replace).texts.concat().contains("ok: this"));
}

#[test]
fn the_order_is_that_of_priority_and_names_are_replaced() {
    let base = rules(&json!([
        { "name": "low", "pipeline": ["passthrough"] },
        { "name": "high", "priority": 5, "when": { "command": "make" }, "pipeline": ["passthrough"] },
    ]));
    let used = |rules: &RuleSet, command: &str| {
        let policy = Policy { rules: rules.clone(), min_bytes: 0, ..Policy::default() };
        run(&bash(command, None), NOISE, &policy).evidence.rule
    };
    assert_eq!(used(&base, "make").as_deref(), Some("high"));
    assert_eq!(used(&base, "ls").as_deref(), Some("low"));
    let off = base.with(&rules(&json!([{ "name": "high", "enabled": false }])));
    assert_eq!(used(&off, "make").as_deref(), Some("low"));
    let more = base.with(&rules(&json!([{ "name": "new", "priority": 9, "pipeline": ["none"] }])));
    assert_eq!((used(&more, "make").as_deref(), more.iter().count()), (Some("new"), 3));
}

#[test]
fn rules_are_a_part_of_the_policy() {
    let patch: PolicyPatch =
        serde_json::from_value(json!({ "rules": [{ "name": "r", "stages": { "stripLines": "^noise" } }] }))
            .unwrap();
    let (plain, ruled) = (Policy::default(), Policy::default().with(&patch).unwrap());
    assert_ne!(plain.fingerprint(), ruled.fingerprint());
    let engine = Engine::default();
    let text = NOISE.repeat(40) + "last line\n";
    let request = |policy: Value| {
        let result = json!({ "toolCallId": "c1", "tool": "bash", "exitCode": 0, "content": text });
        call(&engine, "toolResult/compress", &json!({ "sessionId": "s", "result": result, "policy": policy }))
    };
    let ruled = serde_json::to_value(&patch).unwrap();
    let first = request(ruled.clone());
    assert_eq!(first["evidence"]["rule"], "r");
    let again = request(ruled);
    assert_eq!((&again["content"], &again["evidence"]["memo"]["reused"]), (&first["content"], &json!(true)));
    let other = request(json!({}));
    assert_eq!((other["evidence"].get("rule"), &other["evidence"]["memo"]["changed"]), (None, &json!(true)));
}

#[test]
fn bad_rules_over_the_wire_are_named() {
    let engine = Engine::default();
    let bad =
        json!([{ "name": "x", "stages": { "stripLine": ["a"] } }, { "name": "y", "pipeline": ["progres"] }]);
    let answer = call(&engine, "rules/check", &json!({ "rules": bad }));
    assert_eq!((&answer["ok"], &answer["rules"]), (&json!(false), &json!(0)));
    assert!(answer["errors"][0].as_str().unwrap().contains("`stripLine`"), "{answer}");
    assert!(answer["errors"][1].as_str().unwrap().contains("did you mean `progress`?"), "{answer}");
    let params = json!({ "result": { "content": "x" }, "policy": { "rules": bad } });
    let error = try_call(&engine, "toolResult/compress", &params).unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.starts_with("policy.rules[0].stages"), "{}", error.message);
}

#[test]
fn a_rule_that_would_not_stay_the_same_is_not_used() {
    let rule = json!([{ "name": "r", "when": { "text": " $" }, "pipeline": ["trailing_whitespace"] }]);
    let text: String = (0..40).map(|i| format!("test tests::case_{i} ... ok   \n")).collect();
    let text = format!(
        "running 40 tests\n{text}\ntest result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n"
    );
    let policy = policy(&rule);
    let call = bash("cargo test", Some(0));
    let once = run(&call, &text, &policy).texts.concat();
    assert_eq!(run(&call, &once, &policy).texts.concat(), once);
}

/// Work grows with the text, not with its square. The engine does not backtrack, so a pattern could only increase the
/// number of searches.
#[test]
fn nested_quantifiers_do_not_blow_up() {
    let rule = json!([{ "name": "r", "when": { "text": "(a+)+!$" }, "stages": {
        "stripLines": ["^(a+)+$", "(a|aa)+b"], "replace": [{ "pattern": "(x+x+)+y", "with": "" }],
        "matchOutput": [{ "pattern": "((a*)*)*c$", "message": "seen" }] } }]);
    let policy = policy(&rule);
    // With backtracking, 64 letters alone would take longer than the universe lasts.
    let text = format!("{}!\n{}\n", "a".repeat(1 << 20), "x".repeat(1 << 16));
    let outcome = run(&bash("make", Some(0)), &text, &policy);
    assert_eq!(outcome.evidence.rule.as_deref(), Some("r"));
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("^test .* ok$".to_owned()),
        Just("line [0-9]".to_owned()),
        Just(".".to_owned()),
        Just("^$".to_owned()),
        Just("(?i)error|failed".to_owned()),
        Just("a+".to_owned()),
        Just("^\\s".to_owned()),
        "[a-z]{1,3}",
    ]
}

fn stages() -> impl Strategy<Value = Value> {
    let message = prop_oneof![Just("all ok"), Just("see the log")];
    (
        prop::collection::vec((pattern(), prop_oneof![Just(""), Just("X"), Just("<$0>"), Just("passed")]), 0..3),
        prop::option::of((pattern(), message.clone())),
        prop::collection::vec(pattern(), 0..3),
        any::<bool>(),
        prop::option::of(20u64..90),
        (prop::option::of(0u64..9), prop::option::of(0u64..9)),
        prop::option::of(1u64..20),
        prop::option::of(message),
    )
        .prop_map(|(replace, tell, lines, keep, width, (head, tail), max, empty)| {
            let replace: Vec<Value> = replace
                .into_iter()
                .filter(|(p, _)| p != "^$")
                .map(|(pattern, with)| json!({ "pattern": pattern, "with": with }))
                .collect();
            let tell: Vec<Value> = tell.map(|(p, m)| json!({ "pattern": p, "message": m })).into_iter().collect();
            let mut out = json!({ "stripAnsi": true, "replace": replace, "matchOutput": tell, "truncateLinesAt": width,
                "headLines": head, "tailLines": tail, "maxLines": max, "onEmpty": empty });
            out[if keep { "keepLines" } else { "stripLines" }] = json!(lines);
            out
        })
}

fn rule() -> impl Strategy<Value = Value> {
    let method = prop_oneof![
        Just("builtin"),
        Just("lossless"),
        Just("encoders"),
        Just("reducers"),
        Just("cargo_test"),
        Just("progress"),
        Just("trailing_whitespace"),
        Just("json_minify"),
        Just("head_tail"),
        Just("table_whitespace"),
    ];
    let pipeline = prop::option::of(prop::collection::vec(method, 1..4));
    let when = prop_oneof![
        Just(json!({})),
        Just(json!({ "text": "line [0-9]" })),
        Just(json!({ "text": " $" })),
        Just(json!({ "minLines": 3, "tool": "b*h" })),
        Just(json!({ "exitCode": ["zero", "unknown"] })),
    ];
    (prop::option::of(stages()), pipeline, when).prop_map(|(stages, pipeline, when)| {
        let pipeline =
            if stages.is_none() { Some(pipeline.unwrap_or(vec!["passthrough"])) } else { pipeline };
        json!([{ "name": "r", "when": when, "stages": stages, "pipeline": pipeline }])
    })
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-z ]{0,30}",
        (0..60u8)
            .prop_map(|n| format!("line {n} of a text that is long enough to pay for a marker in its place")),
        (0..9u8).prop_map(|n| format!("test tests::case_{n} ... ok   ")),
        (0..9u8).prop_map(|n| format!("error: number {n} went wrong in src/a.rs:{n}:7")),
        Just("  left: 1".to_owned()),
        Just("\u{1b}[31mred\u{1b}[0m".to_owned()),
        Just("{\n  \"a\":  1\n}".to_owned()),
        Just("[tersed: rewrote 2 of lines 1-9, rule_rewrite: r]".to_owned()),
        Just("fine [tersed: rule r]".to_owned()),
        Just("x".repeat(300)),
        Just("running 3 tests".to_owned()),
    ];
    (prop::collection::vec((line, 1usize..4), 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let lines: Vec<String> = lines.into_iter().flat_map(|(line, n)| vec![line; n]).collect();
        lines.join("\n") + if ends { "\n" } else { "" }
    })
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Promises 1 to 4, 7 and 8 under any rule on any text.
    #[test]
    fn the_promises_hold_under_any_rule(rule in rule(), text in text(), exit_code in prop::option::of(0i64..2), aggressive in any::<bool>()) {
        let mode = if aggressive { Mode::Aggressive } else { Mode::Standard };
        let policy = Policy { mode, ..policy(&rule) };
        let call = bash("make", exit_code);
        let outcome = run(&call, &text, &policy);
        let output = outcome.texts.concat();
        let source = outcome.retain.as_ref().map_or(output.clone(), |r| String::from_utf8(r.bytes.to_vec()).unwrap());
        let lines: Vec<&str> = source.lines().collect();
        // 3: every failure line is visible and unchanged.
        prop_assert_eq!(outcome.evidence.guard.signals, outcome.evidence.guard.kept);
        let shown: BTreeSet<&str> = output.lines().map(str::trim).collect();
        if mode == Mode::Standard {
            for line in signals::failure_lines(&Source::new(&source)) {
                prop_assert!(shown.contains(lines[line].trim()), "{} is lost in\n{}", lines[line], output);
            }
        }
        // 1: words of success are used only where they are proven.
        let is_bad = !signals::failure_lines(&Source::new(&source)).is_empty() || exit_code != Some(0);
        if is_bad {
            prop_assert!(!output.contains(": all ok]"), "{}", output);
            prop_assert!(source.contains("passed") || !output.contains("passed"), "{}", output);
        }
        // 2: every omitted line is listed once, and a marker reports it.
        let mut hidden = BTreeSet::new();
        for omission in outcome.evidence.omissions.iter().filter(|o| o.count > 0) {
            for line in omission.lines[0]..=omission.lines[1] {
                prop_assert!(line >= 1 && line <= lines.len() && hidden.insert(line), "line {}", line);
            }
        }
        if !hidden.is_empty() {
            prop_assert!(output.lines().any(|l| l.contains("[tersed")), "{}", output);
        }
        let rewritten: Vec<_> = outcome.evidence.omissions.iter().filter(|o| o.reason.code() == "rule_rewrite").collect();
        let is_said = output.lines().any(|line| line.match_indices("[tersed").any(|(at, _)| {
            matches!(Marker::parse(&line[at..]), Some((Marker::ByRule { .. }, _)))
        }));
        if mode == Mode::Standard {
            prop_assert!(rewritten.is_empty() || is_said, "{}", output);
        }
        // 4: never worse.
        let counter = tersed::tokens::counter(policy.tokenizer);
        prop_assert!(output.len() <= source.len() && counter.count(&output) <= counter.count(&source));
        // 7 and 8: deterministic and stable.
        prop_assert_eq!(&run(&call, &text, &policy), &outcome);
        // A rule with a condition on the text may match only one of the two. Objects that were printed over several
        // lines become a table only in the second pass, when each has one line.
        let again = run(&call, &output, &policy);
        let is_table = again.evidence.steps.iter().any(|s| s.id == "json_table" && s.reason.code() == "applied");
        if again.evidence.rule == outcome.evidence.rule && !is_table {
            prop_assert_eq!(again.texts.concat(), output);
        }
    }

    /// The index finds every rule that fits.
    #[test]
    fn the_index_loses_no_rule(names in prop::collection::vec("[a-d]{3,5}", 1..12), text in "[a-dA-D ]{0,40}", tool in "[a-d]{3}") {
        let specs: Vec<Value> = names.iter().enumerate().map(|(i, word)| json!({
            "name": format!("r{i}"), "pipeline": ["none"],
            "when": match i % 3 { 0 => json!({ "text": word }), 1 => json!({ "tool": &word[..3] }), _ => json!({ "text": format!("(?i){word}|{}", &word[..3]) }) },
        })).collect();
        let policy = policy(&json!(specs));
        let call = ToolCall { tool, ..ToolCall::default() };
        let explanation = rule_check::explain(&call, &text, &policy).unwrap();
        let first = explanation.rules.iter().find(|asked| asked.fits).map(|asked| asked.name.clone());
        prop_assert_eq!(explanation.outcome.evidence.rule, first);
    }
}
