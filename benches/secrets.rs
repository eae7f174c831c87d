//! Measures the search for secrets on a megabyte of each kind of text that tools print.
//!
//! It checks only that nothing is found in clean texts: with a finding another code path would be measured.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tersed::sanitize::secrets;

const SIZE: usize = 1 << 20;

/// A service's log: times, levels, hosts, ids and durations.
fn log() -> String {
    let mut text = String::new();
    for i in 0u64.. {
        let id = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        text += &format!(
            "2026-03-{:02}T10:{:02}:{:02}.{:03}Z INFO  [worker-{}] request {id:016x} GET /v1/items/{} 200 in {} ms from 10.0.{}.{}\n",
            i % 28 + 1,
            i / 60 % 60,
            i % 60,
            i % 1000,
            i % 16,
            id % 10_000,
            id % 900,
            i % 250,
            id % 250,
        );
        if text.len() >= SIZE {
            break;
        }
    }
    text
}

/// Program text: files of this crate, over and over.
fn source() -> String {
    let files = [
        include_str!("../src/lib.rs"),
        include_str!("../src/sanitize/secrets/scan.rs"),
        include_str!("../src/sanitize/secrets/keywords.rs"),
        include_str!("../src/sanitize/secrets/judge.rs"),
    ];
    files.concat().repeat(SIZE / files.concat().len() + 1)
}

/// A log in which every hundredth line holds a password.
fn leaky() -> String {
    log()
        .lines()
        .enumerate()
        .map(|(i, l)| if i % 100 == 0 { format!("{l} password=hunter2x{i}\n") } else { format!("{l}\n") })
        .collect()
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("secrets");
    for (name, text, clean) in
        [("log", log(), true), ("source", source(), true), ("leaky log", leaky(), false)]
    {
        assert_eq!(
            secrets::find(text.as_bytes()).is_empty(),
            clean,
            "{name}: {:?}",
            secrets::find(text.as_bytes()).first()
        );
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| {
            b.iter_batched(|| (), |()| secrets::find(black_box(text.as_bytes())), BatchSize::SmallInput)
        });
    }
    let spam = "token=".repeat(SIZE / 6);
    group.throughput(Throughput::Bytes(spam.len() as u64));
    group.bench_function("nothing but keywords", |b| b.iter(|| secrets::find(black_box(spam.as_bytes()))));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
