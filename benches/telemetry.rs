//! What telemetry to a file adds to a request: the same requests to two engines in turn, one with telemetry and one
//! without, so that other work on the machine affects both. Prints the median time of each, and the median ratio of
//! the pairs.
//!
//! `cargo bench --bench telemetry`. Writes to a temporary folder.

#![allow(clippy::unwrap_used, reason = "no test")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use tersed::config::Telemetry;
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine, Settings};

/// Pairs of requests of each size.
const PAIRS: usize = 400;

/// A log of about this many bytes in which a few lines fail.
fn log(bytes: usize, seed: usize) -> String {
    let mut text = String::with_capacity(bytes + 128);
    let mut i = seed;
    while text.len() < bytes {
        i += 1;
        let level = if i.is_multiple_of(997) { "ERROR" } else { "INFO" };
        // Writing into a String cannot fail.
        let _ = writeln!(text, "2024-05-01 12:00:{:02} {level} worker {} took {i}", i % 60, i * 7919 % 17);
    }
    text
}

fn time(engine: &Engine, request: &str) -> Duration {
    let method = METHODS.iter().find(|m| m.name == "toolResult/compress").unwrap();
    let began = Instant::now();
    std::hint::black_box((method.handle)(engine, request, &Cancel::default()).unwrap());
    began.elapsed()
}

fn median<T: PartialOrd + Copy>(mut values: Vec<T>) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap());
    values[values.len() / 2]
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let telemetry =
        Telemetry { enabled: true, path: Some(dir.path().join("events.jsonl")), ..Telemetry::default() };
    let on = Engine::new(Settings { telemetry, ..Settings::default() });
    let off = Engine::default();
    println!("size      without      with   ratio by pairs");
    for kib in [1, 4, 16, 64, 256] {
        let mut times = [Vec::new(), Vec::new()];
        let mut ratios = Vec::new();
        for i in 0..PAIRS {
            let result = json!({"toolCallId": format!("c{i}"), "tool": "bash",
                "arguments": {"command": "cat app.log"}, "content": log(kib << 10, i * 1000)});
            let request = json!({"sessionId": format!("s{kib}-{i}"), "result": result}).to_string();
            // The first of a pair pays for cold caches, so each is first half of the time.
            let (without, with) = match i % 2 {
                0 => (time(&off, &request), time(&on, &request)),
                _ => {
                    let with = time(&on, &request);
                    (time(&off, &request), with)
                }
            };
            times[0].push(without);
            times[1].push(with);
            ratios.push(with.as_secs_f64() / without.as_secs_f64());
        }
        let [without, with] = [0, 1].map(|i| median(times[i].clone()));
        println!("{kib:>3} KiB {without:>11.1?} {with:>9.1?}   {:+.2} %", (median(ratios) - 1.0) * 100.0);
    }
    on.close();
}
