//! The cost of `session/reclaim` in a session of 500 results: asked again with nothing new, and after a new answer.
//! In one session no removal pays, in the other nearly all results leave. It reads no files.

#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros make undocumented functions")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine};

const RESULTS: usize = 500;

/// A file of 60 lines that nothing else resembles.
fn file(name: usize) -> String {
    (0..60)
        .map(|n| format!("{}\tlet item_{name}_{n} = build_{name}({n}) + offset_{name};\n", n + 1))
        .collect()
}

fn send(engine: &Engine, method: &str, params: &Value) -> String {
    let method = METHODS.iter().find(|m| m.name == method).unwrap();
    (method.handle)(engine, &params.to_string(), &Cancel::default()).unwrap()
}

/// A host that sent 500 results, with an answer for each.
fn host() -> Engine {
    let engine = Engine::default();
    let ask = |answers: Value| {
        send(&engine, "session/reclaim", &json!({ "sessionId": "s", "answers": answers }));
    };
    ask(json!([]));
    for n in 0..RESULTS {
        let path = format!("src/part{n}.rs");
        let result = json!({ "toolCallId": format!("call_{n}"), "tool": "read_file", "arguments": { "path": path }, "content": file(n) });
        send(&engine, "toolResult/compress", &json!({ "sessionId": "s", "result": result }));
        ask(json!([{ "text": format!("Then number {n}, it is next.") }]));
    }
    engine
}

fn reclaim(criterion: &mut Criterion) {
    let engine = host();
    let mut group = criterion.benchmark_group("reclaim_of_500");
    group.sample_size(30);
    for (name, terms, leaves) in [
        ("nothing pays", json!({ "prices": { "write": 1000, "read": 0.1 } }), false),
        ("nearly all leave", json!({ "cache": "cold", "minGain": 0 }), true),
    ] {
        let params = json!({ "sessionId": "s", "reclaimTerms": terms });
        let gone = send(&engine, "session/reclaim", &params).matches("toolCallId").count();
        assert_eq!(gone > RESULTS / 2, leaves, "{name}: {gone} of {RESULTS} results");
        group.bench_function(format!("{name}, asked again"), |b| {
            b.iter(|| black_box(send(&engine, "session/reclaim", &params)));
        });
        let mut forks = 0;
        group.bench_function(format!("{name}, with an answer"), |b| {
            // A fork shares its data until it changes, so it is changed before the measurement.
            let fork = || {
                // Sessions are limited; too many would push the first one out.
                if forks > 0 {
                    send(&engine, "session/close", &json!({ "sessionId": format!("{name}{forks}") }));
                }
                forks += 1;
                let id = format!("{name}{forks}");
                send(&engine, "session/fork", &json!({ "sessionId": "s", "newSessionId": id }));
                send(&engine, "session/reclaim", &json!({ "sessionId": id, "reclaimTerms": terms }));
                let text =
                    "Look at item_7_3 and build_12 in src/part12.rs once more, then at offset_400.".repeat(8);
                json!({ "sessionId": id, "answers": [{ "text": text }], "reclaimTerms": terms })
            };
            b.iter_batched(fork, |params| send(&engine, "session/reclaim", &params), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, reclaim);
criterion_main!(benches);
