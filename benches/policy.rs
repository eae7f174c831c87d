//! The cost of settings: merging the policy of one request from those of the engine, the session and the request.

#![allow(clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use tersed::config::{Policy, PolicyPatch};
use tersed::layers::Sources;

fn patch(json: &str) -> PolicyPatch {
    serde_json::from_str(json).unwrap()
}

fn policy(c: &mut Criterion) {
    let lists = r#"{"excludeTools":["ask","plan"],"excludeCommands":["git diff --stat","pytest -v","kubectl get"],
        "excludeFlags":["--json","--stat"],"excludeToolSubstrings":["fff"],"excludeCategories":["search"],
        "verbatimCommands":["openssl x509"]}"#;
    let base = Policy::default().with(&patch(lists)).unwrap();
    let session = patch(r#"{"mode":"aggressive","minBytes":512}"#);
    let request = patch(r#"{"evidence":"changed","budget":{"perResult":2000},"excludeTools":["ask"]}"#);
    let mut group = c.benchmark_group("policy");
    group.bench_function("resolve", |b| {
        b.iter(|| black_box(&base).with(black_box(&session)).unwrap().with(black_box(&request)).unwrap())
    });
    group.bench_function("read and resolve", |b| {
        b.iter(|| {
            let request = patch(black_box(r#"{"evidence":"changed","budget":{"perResult":2000}}"#));
            black_box(&base).with(&session).unwrap().with(&request).unwrap()
        })
    });
    group.bench_function("fingerprint", |b| b.iter(|| black_box(&base).fingerprint()));
    group.bench_function("load layers", |b| {
        let sources = Sources { is_bare: true, ..Sources::default() };
        b.iter(|| black_box(&sources).load().unwrap().resolve().unwrap())
    });
    group.finish();
}

criterion_group!(benches, policy);
criterion_main!(benches);
