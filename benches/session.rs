//! The cost of references across results in a session of 200 results: files that are read, edited and read again, and
//! reports that are run again. It reads no files.
//!
//! Prints, once, the bytes that the session's index takes at the end.

#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros make undocumented functions")]

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine};

/// Results of the session.
const RESULTS: usize = 200;
/// Files that it works on, and lines of each.
const FILES: usize = 8;
const LINES: usize = 260;

/// A linear congruential generator: the same session in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn statement(dice: &mut Dice) -> String {
    let names = ["session", "buffer", "offset", "ledger", "payload", "token", "cursor", "window"];
    let (a, b) = (names[dice.below(names.len())], names[dice.below(names.len())]);
    match dice.below(6) {
        0 => String::new(),
        1 => "    }".to_owned(),
        2 => format!("    // Why the {a} comes before the {b}: see above."),
        3 => format!("fn {a}_{b}_{}(&mut self, {a}: &str) -> usize {{", dice.below(900)),
        _ => format!("        let {a}_{} = {b}.checked_add({})?;", dice.below(90), dice.below(9000)),
    }
}

/// Tool, arguments and content of every result.
fn session() -> Vec<(&'static str, Value, String)> {
    let mut dice = Dice(7);
    let mut files: Vec<Vec<String>> =
        (0..FILES).map(|_| (0..LINES).map(|_| statement(&mut dice)).collect()).collect();
    let mut out = Vec::with_capacity(RESULTS);
    while out.len() < RESULTS {
        let which = dice.below(FILES);
        let path = format!("src/part{which}.rs");
        let view = |lines: &[String], from: usize| {
            let mut text = String::new();
            for (i, line) in lines.iter().enumerate() {
                // Writing into a String cannot fail.
                let _ = writeln!(text, "{:>6}\t{line}", from + i + 1);
            }
            text
        };
        match dice.below(4) {
            0 => {
                let at = dice.below(files[which].len());
                files[which][at] = statement(&mut dice);
                let from = at.saturating_sub(4);
                let to = (at + 5).min(files[which].len());
                let text = view(&files[which][from..to], from);
                out.push(("edit", json!({"path": path, "line": at}), text));
            }
            1 => {
                let from = dice.below(LINES / 2);
                let text = view(&files[which][from..from + LINES / 3], from);
                out.push(("read_file", json!({"path": path, "offset": from, "limit": LINES / 3}), text));
            }
            2 => {
                let mut text = String::new();
                for i in 0..60 {
                    let _ = writeln!(text, "step {i}: wrote part {} of {path}", i * 7);
                }
                let _ = writeln!(text, "done in {} ms", dice.below(9000));
                out.push(("bash", json!({"command": format!("./build {}", out.len())}), text));
            }
            _ => out.push(("read_file", json!({"path": path}), view(&files[which], 0))),
        }
    }
    out
}

fn play(requests: &[String]) -> Engine {
    let engine = Engine::default();
    let method = METHODS.iter().find(|m| m.name == "toolResult/compress").unwrap();
    for request in requests {
        black_box((method.handle)(&engine, request, &Cancel::default()).unwrap());
    }
    engine
}

fn sessions(criterion: &mut Criterion) {
    let session = session();
    let bytes: usize = session.iter().map(|(.., text)| text.len()).sum();
    let mut group = criterion.benchmark_group("session_of_200");
    group.throughput(Throughput::Bytes(bytes as u64)).sample_size(20);
    for (name, dedup) in [("with references", true), ("without", false)] {
        let requests: Vec<String> = session
            .iter()
            .enumerate()
            .map(|(i, (tool, arguments, content))| {
                let result = json!({"toolCallId": format!("toolu_{i:04}"), "tool": tool, "arguments": arguments, "content": content});
                json!({"sessionId": "s", "result": result, "policy": {"dedup": dedup, "memo": false}}).to_string()
            })
            .collect();
        if dedup {
            println!(
                "session of {RESULTS} results, {bytes} bytes: index of {} bytes",
                play(&requests).index_bytes("s")
            );
        }
        group.bench_function(name, |b| b.iter(|| play(&requests)));
    }
    group.finish();
}

criterion_group!(benches, sessions);
criterion_main!(benches);
