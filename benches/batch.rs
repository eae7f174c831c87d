//! The cost of a budget: for one result of several sizes, and for a batch of twelve that exceeds its total. It reads
//! no files.

#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros make undocumented functions")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine};

/// A log of about this many bytes in which a few lines fail.
fn log(bytes: usize, seed: usize) -> String {
    let mut text = String::with_capacity(bytes + 128);
    let mut i = seed;
    while text.len() < bytes {
        i += 1;
        let level = if i.is_multiple_of(997) { "ERROR" } else { "INFO" };
        // Writing into a String cannot fail.
        let _ = writeln!(
            text,
            "2024-05-01 12:{:02}:{:02} {level} worker {} took part {i} in {} ms",
            i / 60 % 60,
            i % 60,
            i % 17,
            i * 7919 % 1009
        );
    }
    text
}

fn run(method: &str, request: &str) {
    let method = METHODS.iter().find(|m| m.name == method).unwrap();
    black_box((method.handle)(&Engine::default(), request, &Cancel::default()).unwrap());
}

fn budgets(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("budget");
    group.sample_size(10);
    for (name, bytes) in [("64KiB", 64 << 10), ("1MiB", 1 << 20), ("10MiB", 10 << 20)] {
        let result = json!({"tool": "bash", "content": log(bytes, 0)});
        for (kind, budget) in
            [("none", json!(null)), ("2000", json!({"perResult": 2000})), ("200", json!({"perResult": 200}))]
        {
            let request = json!({"result": result, "budget": budget}).to_string();
            group.throughput(Throughput::Bytes(bytes as u64));
            group.bench_function(format!("{name}/{kind}"), |b| {
                b.iter(|| run("toolResult/compress", &request))
            });
        }
    }
    let sizes = [1, 2, 4, 8, 16, 32, 64, 1, 2, 4, 8, 16].map(|kib| kib << 10);
    let results: Vec<_> = sizes
        .iter()
        .enumerate()
        .map(|(i, &bytes)| json!({"toolCallId": format!("call_{i}"), "tool": "bash", "content": log(bytes, i * 1000)}))
        .collect();
    group.throughput(Throughput::Bytes(sizes.iter().sum::<usize>() as u64));
    for (kind, budget) in [("none", json!(null)), ("8000", json!({})), ("1000", json!({"total": 1000}))] {
        let request = json!({"sessionId": "s", "results": results, "budget": budget}).to_string();
        group.bench_function(format!("batch of 12/{kind}"), |b| {
            b.iter(|| run("toolResult/compressBatch", &request))
        });
    }
    group.finish();
}

criterion_group!(benches, budgets);
criterion_main!(benches);
