//! The cost of rules: the pipeline without rules, with 1,000 that do not match, and with patterns that would be
//! catastrophic in an engine that backtracks. It reads no files and checks no outputs.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tersed::config::Policy;
use tersed::config::rules::RuleSet;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;

fn rules(specs: &[Value]) -> RuleSet {
    serde_json::from_value(json!(specs)).unwrap_or_default()
}

/// Rules as an operator writes them: most for a command, some for a tool, some for a word in the text.
fn mixed(n: usize) -> RuleSet {
    let stages = json!({ "stripLines": ["^noise \\d+", "^progress: "], "maxLines": 200 });
    let rule = |i: usize| {
        let when = match i % 20 {
            0 => json!({ "text": format!("^service-{i} \\w+ (started|stopped)") }),
            1 | 2 => json!({ "tool": format!("tool_{i}") }),
            _ => json!({ "command": [format!("program{i} run"), format!("make target{i}")] }),
        };
        json!({ "name": format!("rule-{i}"), "when": when, "stages": stages })
    };
    rules(&(0..n).map(rule).collect::<Vec<_>>())
}

/// The worst case: each looks for a word in every text.
fn by_text(n: usize) -> RuleSet {
    let rule = |i: usize| {
        json!({ "name": format!("rule-{i}"), "when": { "text": format!("^service-{i} \\w+ stopped") },
            "stages": { "maxLines": 9 } })
    };
    rules(&(0..n).map(rule).collect::<Vec<_>>())
}

fn log(bytes: usize) -> String {
    let mut out = String::new();
    let mut i: usize = 1;
    while out.len() < bytes {
        i = i.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
        let (a, b) = (i >> 40, i >> 52);
        let _ = writeln!(out, "2031-05-06T07:08:09Z worker-{b} handled request {a} in {} ms", a % 977);
    }
    out
}

fn thousand(c: &mut Criterion) {
    let mut group = c.benchmark_group("rules");
    group.measurement_time(Duration::from_secs(4)).sample_size(30);
    let call = ToolCall { tool: "bash".into(), command: Some("./serve --all".into()), ..ToolCall::default() };
    for (size, text) in [("4KiB", log(4 << 10)), ("64KiB", log(64 << 10))] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        for (name, rules) in
            [("none", RuleSet::default()), ("1000", mixed(1000)), ("1000-by-text", by_text(1000))]
        {
            let policy = Policy { rules, ..Policy::default() };
            group.bench_with_input(BenchmarkId::new(name, size), &text, |b, text| {
                b.iter(|| compress(black_box(&call), &[Raw::Text(text)], &policy, false, &NoHistory).is_ok());
            });
        }
    }
    group.finish();
}

fn nested(c: &mut Criterion) {
    let mut group = c.benchmark_group("nested");
    group.sample_size(10);
    let stages =
        json!({ "stripLines": ["^(a+)+$", "(a|aa)+b"], "replace": [{ "pattern": "(x+x+)+y", "with": "" }] });
    let policy =
        Policy { rules: rules(&[json!({ "name": "nested", "stages": stages })]), ..Policy::default() };
    let call = ToolCall { tool: "bash".into(), ..ToolCall::default() };
    for kib in [256, 512, 1024] {
        let text = format!("{}!\n", "a".repeat(kib << 10));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(kib), &text, |b, text| {
            b.iter(|| compress(black_box(&call), &[Raw::Text(text)], &policy, false, &NoHistory).is_ok());
        });
    }
    group.finish();
}

criterion_group!(benches, thousand, nested);
criterion_main!(benches);
