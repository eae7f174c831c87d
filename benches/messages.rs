//! The cost of a request body of 1 MB and 100 turns that is sent again with every turn: answered from the memo,
//! compressed again after the memo forgot it, and seen for the first time. Also a stream compared with one whole
//! result.

#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros make undocumented functions")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine, Settings};
use tersed::session::Bounds;

const TURNS: usize = 100;

/// A text of about 10 KB.
fn output(turn: usize) -> String {
    let mut out = String::new();
    let mut n = turn * 7919;
    let mut next = |limit: usize| {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (n >> 33) % limit
    };
    match turn % 4 {
        0 => (0..180).for_each(|i| {
            writeln!(out, "{:>6}\tlet value_{} = compute({}, \"{turn}\");", i + 1, next(9000), next(99))
                .unwrap()
        }),
        1 => {
            writeln!(out, "\nrunning 200 tests").unwrap();
            (0..200).for_each(|i| {
                writeln!(out, "test module_{}::tests::case_number_{i} ... ok", next(40)).unwrap()
            });
            writeln!(out, "\ntest result: ok. 200 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.{}s\n", next(99)).unwrap();
        }
        2 => {
            let row = |i: usize| json!({"id": i, "name": format!("row {i} of {turn}"), "state": "open", "size": i * 37});
            out = serde_json::to_string_pretty(&(0..90).map(row).collect::<Vec<Value>>()).unwrap();
        }
        _ => (0..160).for_each(|i| {
            writeln!(
                out,
                "2026-01-01T10:{:02}:{:02}Z INFO worker {} finished item {i} of batch {turn}",
                i / 60,
                i % 60,
                next(16)
            )
            .unwrap()
        }),
    }
    out
}

fn body(turns: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for turn in 0..turns {
        let (id, text) = (format!("toolu_{turn}"), output(turn));
        let call = json!({"type": "tool_use", "id": id, "name": "bash", "input": {"command": format!("run {turn}")}});
        let result =
            json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({"sessionId": "s", "policy": {"evidence": "none"}, "body": {"model": "m", "messages": messages}})
        .to_string()
}

fn send(engine: &Engine, method: &str, params: &str) -> String {
    let method = METHODS.iter().find(|m| m.name == method).unwrap();
    (method.handle)(engine, params, &Cancel::default()).unwrap()
}

fn bodies(criterion: &mut Criterion) {
    let body = body(TURNS);
    let mut group = criterion.benchmark_group("body_of_100_turns");
    group.throughput(Throughput::Bytes(body.len() as u64)).sample_size(20);
    println!(
        "{} bytes in, {} bytes out",
        body.len(),
        send(&Engine::default(), "messages/compress", &body).len()
    );
    let large = Bounds { memo_bytes: 8 << 20, ..Bounds::default() };
    let none = Bounds { memo_bytes: 0, ..Bounds::default() };
    for (name, session) in [
        ("again", Bounds::default()),
        ("again, all in the memo", large),
        ("again, nothing in the memo", none),
    ] {
        let engine = Engine::new(Settings { session, ..Settings::default() });
        send(&engine, "messages/compress", &body);
        group.bench_function(name, |b| b.iter(|| black_box(send(&engine, "messages/compress", &body))));
    }
    let reclaim = body.replacen("{", r#"{"reclaim":"auto","#, 1);
    let engine = Engine::default();
    send(&engine, "messages/compress", &reclaim);
    group.bench_function("again, with what may leave", |b| {
        b.iter(|| black_box(send(&engine, "messages/compress", &reclaim)));
    });
    group.bench_function("for the first time", |b| {
        b.iter(|| black_box(send(&Engine::default(), "messages/compress", &body)));
    });
    group.finish();
}

fn streams(criterion: &mut Criterion) {
    let text: String = (0..400).map(output).collect();
    let mut group = criterion.benchmark_group("stream");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(10);
    let whole = json!({"result": {"tool": "bash", "content": text}}).to_string();
    group.bench_function("at once", |b| {
        b.iter(|| black_box(send(&Engine::default(), "toolResult/compress", &whole)));
    });
    let pieces: Vec<String> =
        (0..400).map(|i| json!({"streamId": "stream-1", "text": output(i)}).to_string()).collect();
    group.bench_function("in 400 pieces", |b| {
        b.iter(|| {
            let engine = Engine::default();
            send(&engine, "toolResult/open", r#"{"result":{"tool":"bash"}}"#);
            pieces.iter().for_each(|piece| drop(send(&engine, "toolResult/append", piece)));
            black_box(send(&engine, "toolResult/close", r#"{"streamId":"stream-1"}"#))
        });
    });
    group.finish();
}

criterion_group!(benches, bodies, streams);
criterion_main!(benches);
