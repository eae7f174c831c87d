//! Speed of the encoders alone: pretty-printed JSON of 64 KiB and 1 MiB, minified and as a schema table, a
//! padded table of 64 KiB, and dictionaries of 50 KB of a log, of one word and of random words. Inputs are
//! built here, always the same.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tersed::config::{Mode, Policy};
use tersed::detect::Detection;
use tersed::encode::ENCODERS;
use tersed::encode::dictionary::{self, MAX_BYTES, Method};
use tersed::input::Input;
use tersed::text::call::ToolCall;
use tersed::text::ledger::Ledger;
use tersed::text::relevance::Relevance;
use tersed::text::source::Source;
use tersed::tokens::{Tokenizer, counter};

/// An array of records as an API would print them, of at least `bytes`.
fn json(bytes: usize) -> String {
    let mut out = String::from("[\n");
    for i in 0.. {
        let end = out.len() >= bytes;
        let _ = write!(
            out,
            "  {{\n    \"id\": {i},\n    \"name\": \"service-{i}\",\n    \"url\": \"https://api.example.org/v1/services/{i}\",\n    \"labels\": [\n      \"blue\",\n      \"a \\\"quoted\\\" one\"\n    ],\n    \"load\": {}.25,\n    \"owner\": {{\n      \"login\": \"ada\",\n      \"admin\": false,\n      \"note\": null\n    }}\n  }}{}\n",
            i % 17,
            if end { "" } else { "," }
        );
        if end {
            break;
        }
    }
    out.push_str("]\n");
    out
}

/// Rows as `ps` would print them, of at least `bytes`.
fn table(bytes: usize) -> String {
    let mut out = String::from("USER            PID %CPU     RSS STAT  START COMMAND\n");
    for i in 0.. {
        if out.len() >= bytes {
            break;
        }
        let user = ["root", "ada", "www-data"][i % 3];
        let _ = writeln!(
            out,
            "{user:<12} {:>6} {:>4}.0 {:>7} Ssl   09:{:02} worker --slot {i} --name  w{i}",
            i * 7,
            i % 9,
            i * 131,
            i % 60
        );
    }
    out
}

fn bench(c: &mut Criterion) {
    let cases = [
        ("json_minify", "json_minify/64KiB", json(64 << 10)),
        ("json_minify", "json_minify/1MiB", json(1 << 20)),
        ("json_table", "json_table/64KiB", json(64 << 10)),
        ("json_table", "json_table/1MiB", json(1 << 20)),
        ("table_whitespace", "table_whitespace/64KiB", table(64 << 10)),
    ];
    for (id, name, text) in cases {
        let source = Source::new(&text);
        let (call, detection) = (ToolCall::default(), Detection::default());
        let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
        let input = Input {
            source: &source,
            call: &call,
            detection: &detection,
            policy: &policy,
            relevance: &Relevance::default(),
        };
        let ledger = Ledger::new(&source);
        let Some(encoder) = ENCODERS.iter().find(|e| e.id() == id) else { panic!("{id} is not registered") };
        assert!(encoder.encode(&input, &ledger).is_ok(), "{name}: nothing to measure");
        let mut group = c.benchmark_group("encode");
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| encoder.encode(black_box(&input), black_box(&ledger))));
        group.finish();
    }
}

/// Texts of the largest size for which a dictionary is made.
fn texts() -> [(&'static str, String); 3] {
    let mut log = String::new();
    let mut random = String::new();
    let mut state = 7u32;
    for i in 0.. {
        if random.len() >= MAX_BYTES && log.len() >= MAX_BYTES {
            break;
        }
        let _ = writeln!(
            log,
            "2026-03-01 10:{:02}:{:02} worker-{} the request for item {i} was answered from the cache",
            i / 60 % 60,
            i % 60,
            i % 7
        );
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let _ = write!(random, "w{} ", state >> 20);
    }
    log.truncate(MAX_BYTES);
    random.truncate(MAX_BYTES);
    [("log", log), ("one-word", "word ".repeat(MAX_BYTES / 5)), ("random", random)]
}

fn dictionaries(c: &mut Criterion) {
    let counter = counter(Tokenizer::O200k);
    for (name, text) in texts() {
        let tokens = counter.count(&text);
        let mut group = c.benchmark_group("dictionary");
        group.throughput(Throughput::Bytes(text.len() as u64));
        for method in Method::ALL {
            group.bench_function(format!("{}/{name}", method.name()), |b| {
                b.iter(|| dictionary::compress(black_box(&text), tokens, method, counter));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, bench, dictionaries);
criterion_main!(benches);
