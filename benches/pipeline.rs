//! Speed of the stages and of the whole pipeline on text invented here: a log, a diff, JSON, the coloured output of a
//! build, a source file, a test run. It reads no files and checks no outputs.
//!
//! A fixed generator varies the text, so that no stage profits from a short loop of one line.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tersed::config::{Mode, Policy};
use tersed::detect;
use tersed::encode::ENCODERS;
use tersed::input::Input;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{compress, guard};
use tersed::reduce;
use tersed::sanitize;
use tersed::sanitize::{Raw, invisible, secrets, terminal};
use tersed::text::call::ToolCall;
use tersed::text::ledger::Ledger;
use tersed::text::relevance::Relevance;
use tersed::text::signals;
use tersed::text::source::Source;
use tersed::tokens::{Tokenizer, counter};

/// A linear congruential generator: the same texts in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }

    fn name(&mut self) -> &'static str {
        self.one(&[
            "worker",
            "request",
            "session",
            "cache",
            "offset",
            "buffer",
            "index",
            "payload",
            "node",
            "schema",
            "token",
            "listener",
            "queue",
            "timer",
            "config",
            "user_service",
            "http_client",
            "scheduler",
            "ledger",
            "shard",
        ])
    }

    fn verb(&mut self) -> &'static str {
        self.one(&[
            "started",
            "finished",
            "retried",
            "accepted",
            "closed",
            "refreshed",
            "evicted",
            "loaded",
            "flushed",
            "parsed",
            "moved",
            "queued",
            "opened",
            "synced",
        ])
    }
}

fn log(dice: &mut Dice, out: &mut String) {
    let _ = writeln!(
        out,
        "2026-05-{:02}T{:02}:{:02}:{:02}.{:03}Z {} [{}-{}] {} {} in {} ms, id={:08x}",
        1 + dice.below(28),
        dice.below(24),
        dice.below(60),
        dice.below(60),
        dice.below(1000),
        dice.one(&["INFO", "INFO", "INFO", "WARN", "DEBUG"]),
        dice.name(),
        dice.below(16),
        dice.name(),
        dice.verb(),
        dice.below(9000),
        dice.below(u32::MAX as usize),
    );
}

/// A statement of a made-up program, indented.
fn statement(dice: &mut Dice, out: &mut String) {
    let indent = " ".repeat(4 * (1 + dice.below(3)));
    let (a, b, c) = (dice.name(), dice.name(), dice.verb());
    let _ = match dice.below(6) {
        0 => writeln!(out, "{indent}let {a} = self.{b}.{c}({})?;", dice.below(100)),
        1 => writeln!(out, "{indent}if {a}.{c}() && !{b}.is_empty() {{"),
        2 => writeln!(out, "{indent}// {a} {c} before the {b} is, see step {}", dice.below(90)),
        3 => writeln!(out, "{indent}return Ok({a}.{c}_with(&{b}, {}));", dice.below(1000)),
        4 => writeln!(out, "{indent}}}"),
        _ => writeln!(out, "{indent}{a}.push({b}.clone());"),
    };
}

fn source(dice: &mut Dice, out: &mut String) {
    let _ =
        writeln!(out, "fn {}_{}({}: &str) -> Result<usize, Fault> {{", dice.verb(), dice.name(), dice.name());
    (0..3 + dice.below(12)).for_each(|_| statement(dice, out));
    out.push_str("}\n\n");
}

/// One changed file.
fn diff(dice: &mut Dice, out: &mut String) {
    let file = format!("src/{}/{}_{}.rs", dice.name(), dice.name(), dice.below(100));
    let _ = writeln!(
        out,
        "diff --git a/{file} b/{file}\nindex {:07x}..{:07x} 100644\n--- a/{file}\n+++ b/{file}",
        dice.below(1 << 28),
        dice.below(1 << 28)
    );
    let mut line = 1;
    for _ in 0..1 + dice.below(4) {
        line += dice.below(200);
        let mut body = String::new();
        let (mut old, mut new) = (0, 0);
        for i in 0..12 + dice.below(10) {
            let sign = if (3..9).contains(&i) { dice.one(&["+", "-", "+", " "]) } else { " " };
            old += usize::from(sign != "+");
            new += usize::from(sign != "-");
            body.push_str(sign);
            statement(dice, &mut body);
        }
        let _ = write!(out, "@@ -{line},{old} +{line},{new} @@ fn {}()\n{body}", dice.name());
        line += 30;
    }
}

/// One record of an array.
fn json(dice: &mut Dice, out: &mut String) {
    let _ = write!(
        out,
        "  {{\n    \"id\": {},\n    \"name\": \"{}-{}\",\n    \"state\": \"{}\",\n    \"score\": {}.{},\n    \"labels\": [\n      \"{}\",\n      \"{} \\\"{}\\\"\"\n    ],\n    \"owner\": {{\n      \"login\": \"{}{}\",\n      \"admin\": {},\n      \"note\": null\n    }}\n  }},\n",
        dice.below(1 << 30),
        dice.name(),
        dice.below(500),
        dice.verb(),
        dice.below(100),
        dice.below(1000),
        dice.name(),
        dice.name(),
        dice.verb(),
        dice.name(),
        dice.below(90),
        dice.one(&["true", "false"]),
    );
}

/// Output of cargo on a terminal: steps, with occasional warnings.
fn coloured(dice: &mut Dice, out: &mut String) {
    if dice.below(12) > 0 {
        let _ = writeln!(
            out,
            "\x1b[1m\x1b[92m   {}\x1b[0m {}-{} v{}.{}.{}",
            dice.one(&["Compiling", "Compiling", "Checking"]),
            dice.name(),
            dice.name(),
            dice.below(4),
            dice.below(40),
            dice.below(20)
        );
        return;
    }
    let (name, line, column) = (dice.name(), 1 + dice.below(900), 1 + dice.below(60));
    let _ = writeln!(
        out,
        "\x1b[0m\x1b[1m\x1b[33mwarning\x1b[0m\x1b[0m\x1b[1m: unused variable: `{name}`\x1b[0m\n\x1b[0m  \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m--> \x1b[0m\x1b[0msrc/{}.rs:{line}:{column}\x1b[0m\n\x1b[0m\x1b[1m\x1b[38;5;12m{line}\x1b[0m\x1b[0m \x1b[0m\x1b[0m\x1b[1m\x1b[38;5;12m|\x1b[0m\x1b[0m     let {name} = {};\x1b[0m\n",
        dice.name(),
        dice.below(5000)
    );
}

/// One line of a verbose run of pytest.
fn tests(dice: &mut Dice, out: &mut String) {
    let verdict = if dice.below(200) == 0 { "FAILED" } else { "PASSED" };
    let _ = writeln!(
        out,
        "tests/{}/test_{}.py::test_{}_is_{}[{}-{}] {verdict:<47}[{:3}%]",
        dice.name(),
        dice.name(),
        dice.name(),
        dice.verb(),
        dice.name(),
        dice.below(1000),
        dice.below(101)
    );
}

/// A kind of output: its call, its start, its end, and the lines between.
struct Kind {
    name: &'static str,
    tool: &'static str,
    command: Option<&'static str>,
    path: Option<&'static str>,
    head: &'static str,
    grow: fn(&mut Dice, &mut String),
    tail: &'static str,
}

const SESSION: &str = "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, pytest-8.2.0, pluggy-1.5.0\nrootdir: /srv/app\ncollected 4711 items\n\n";
const SUMMARY: &str = "\n======================= 4690 passed, 21 failed in 92.11s =======================\n";

const KINDS: [Kind; 6] = [
    Kind {
        name: "log",
        tool: "bash",
        command: Some("kubectl logs app-0"),
        path: None,
        head: "",
        grow: log,
        tail: "",
    },
    Kind {
        name: "diff",
        tool: "bash",
        command: Some("git diff main"),
        path: None,
        head: "",
        grow: diff,
        tail: "",
    },
    Kind {
        name: "json",
        tool: "bash",
        command: Some("curl -s localhost:8080/api/nodes"),
        path: None,
        head: "[\n",
        grow: json,
        tail: "  null\n]\n",
    },
    Kind {
        name: "coloured",
        tool: "bash",
        command: Some("cargo build"),
        path: None,
        head: "",
        grow: coloured,
        tail: "",
    },
    Kind {
        name: "source",
        tool: "read",
        command: None,
        path: Some("src/shard.rs"),
        head: "",
        grow: source,
        tail: "",
    },
    Kind {
        name: "tests",
        tool: "bash",
        command: Some("pytest -v"),
        path: None,
        head: SESSION,
        grow: tests,
        tail: SUMMARY,
    },
];

const SIZES: [(&str, usize); 3] = [("1KiB", 1 << 10), ("64KiB", 64 << 10), ("1MiB", 1 << 20)];

/// Whole pieces up to `size` bytes, at least one: 64 KiB stay below the default cap, 1 MiB are capped.
fn text(kind: &Kind, size: usize) -> String {
    let mut dice = Dice(size as u64);
    let mut text = kind.head.to_owned();
    loop {
        let pieces = text.len();
        (kind.grow)(&mut dice, &mut text);
        if text.len() + kind.tail.len() > size && pieces > kind.head.len() {
            text.truncate(pieces);
            return text + kind.tail;
        }
    }
}

fn call(kind: &Kind) -> ToolCall {
    ToolCall {
        tool: kind.tool.to_owned(),
        command: kind.command.map(str::to_owned),
        path: kind.path.map(str::to_owned),
        ..ToolCall::default()
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .warm_up_time(Duration::from_millis(150))
        .measurement_time(Duration::from_millis(600))
        .sample_size(20);
    group
}

/// One result through everything, no session after it.
fn whole(criterion: &mut Criterion) {
    for mode in [Mode::Standard, Mode::Safe] {
        let mut group = group(criterion, mode.name());
        let policy = Policy { mode, ..Policy::default() };
        for kind in &KINDS {
            let call = call(kind);
            for (size, bytes) in SIZES {
                let text = text(kind, bytes);
                group.throughput(Throughput::Bytes(text.len() as u64));
                group.bench_with_input(BenchmarkId::new(kind.name, size), &text, |bencher, text| {
                    bencher
                        .iter(|| compress(&call, &[Raw::Text(black_box(text))], &policy, false, &NoHistory));
                });
            }
        }
        group.finish();
    }
}

/// Each stage on the output of the stages before it.
fn stages(criterion: &mut Criterion) {
    for kind in &KINDS {
        for (size, bytes) in SIZES {
            let mut group = group(criterion, &format!("{}/{size}", kind.name));
            one_text(&mut group, &call(kind), &text(kind, bytes));
            group.finish();
        }
    }
}

fn one_text(group: &mut BenchmarkGroup<'_, WallTime>, call: &ToolCall, raw: &str) {
    let policy = Policy::default();
    let is_ours = |_: &str| false;
    let how = sanitize::How {
        redact: true,
        keeps_terminal: false,
        key: &policy.seal_key,
        spare: &sanitize::spare::Spare::nothing(),
        is_ours: &is_ours,
        is_dictionary: tersed::encode::dictionary::is_own,
    };
    group.throughput(Throughput::Bytes(raw.len() as u64));
    group.bench_function("sanitize_secrets", |b| b.iter(|| secrets::redact(black_box(raw))));
    group.bench_function("sanitize_terminal", |b| b.iter(|| terminal::render(black_box(raw))));
    group.bench_function("sanitize", |b| b.iter(|| sanitize::run(Raw::Text(black_box(raw)), how)));
    let Ok(clean) = sanitize::run(Raw::Text(raw), how) else { return };
    let clean = &*clean.text;
    group.throughput(Throughput::Bytes(clean.len() as u64));
    group.bench_function("sanitize_invisible", |b| b.iter(|| invisible::strip(black_box(clean))));
    group.bench_function("source", |b| b.iter(|| Source::new(black_box(clean))));

    let source = Source::new(clean);
    let detection = detect::detect(call, &source);
    let input = Input {
        source: &source,
        call,
        detection: &detection,
        policy: &policy,
        relevance: &Relevance::default(),
    };
    group.bench_function("detect_claim", |b| {
        b.iter(|| (detect::detect(call, black_box(&source)), reduce::choose(&input).map(|r| r.meta().id)));
    });
    group.bench_function("signals", |b| b.iter(|| signals::search(black_box(&source))));

    let failures = signals::failure_lines(&source);
    let mut ledger = Ledger::new(&source);
    if let Some(reducer) = reduce::choose(&input) {
        group.bench_function("reduce", |b| b.iter(|| reducer.reduce(black_box(&input))));
        if let Ok(next) = reducer.reduce(&input).map(|reduction| ledger.apply(&source, reduction)) {
            ledger = next.unwrap_or(ledger);
        }
    }
    for encoder in ENCODERS {
        let name = format!("encode_{}", encoder.id());
        group.bench_function(&name, |b| b.iter(|| encoder.encode(black_box(&input), &ledger)));
        if let Ok(next) = encoder.encode(&input, &ledger).map(|reduction| ledger.apply(&source, reduction)) {
            ledger = next.unwrap_or(ledger);
        }
    }
    group.bench_function("guard_gate", |b| {
        b.iter(|| {
            let mut next = black_box(&ledger).clone();
            next.restore_unprofitable(&source);
            (guard::check(&source, &mut next, &failures, false), next.size(&source, None))
        });
    });
    group.bench_function("render", |b| b.iter(|| black_box(&ledger).render(&source, None)));
    let counter = counter(Tokenizer::O200k);
    group.bench_function("count", |b| b.iter(|| counter.count(black_box(clean))));
}

criterion_group!(benches, whole, stages);
criterion_main!(benches);
