//! Memory of the release binary as the system sees it, with many small calls: 300,000 in 20 sessions, 40,000 in one,
//! and after the sessions were closed. Linux only; elsewhere it prints nothing.
//!
//! It does not use criterion, because it measures one figure each, not times. `tests/memory` checks the same on
//! counted bytes.

#![allow(missing_docs, clippy::unwrap_used, reason = "a program that prints figures")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// Requests that are on their way at once.
const WAITING: usize = 64;

/// Resident bytes of a process in MiB: now, and at most so far.
fn resident(pid: u32) -> Option<(u64, u64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let kib = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Some((kib("VmRSS:")? / 1024, kib("VmHWM:")? / 1024))
}

fn call(session: usize, i: usize, lines: usize) -> Value {
    let line =
        |n: usize| format!("item {} of part {} took {} units", i * 7 + n, i % 977, (i * 31 + n) % 9973);
    let content = (0..lines).map(line).collect::<Vec<_>>().join("\n");
    json!({
        "sessionId": format!("s{session}"),
        "result": {
            "toolCallId": format!("toolu_{i:08}"), "tool": "bash",
            "arguments": {"command": format!("make part{}", i % 977)}, "content": content,
        },
    })
}

fn play(sessions: usize, calls: usize, lines: usize) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    command.args(["serve", "--framing", "lines"]).env("TERSED_NO_CONFIG", "1");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    let mut send = |method: &str, params: &Value| {
        writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": next_id(), "method": method, "params": params}))
            .unwrap();
    };
    send("initialize", &json!({"processId": null, "capabilities": {}}));
    answers.next().unwrap().unwrap();
    let Some((start, _)) = resident(child.id()) else {
        drop(stdin);
        child.wait().unwrap();
        return;
    };
    for i in 0..calls {
        send("toolResult/compress", &call(i % sessions, i, lines));
        if i >= WAITING {
            answers.next().unwrap().unwrap();
        }
    }
    (0..WAITING.min(calls)).for_each(|_| drop(answers.next().unwrap().unwrap()));
    let (full, most) = resident(child.id()).unwrap();
    for session in 0..sessions {
        send("session/close", &json!({"sessionId": format!("s{session}")}));
        answers.next().unwrap().unwrap();
    }
    std::thread::sleep(Duration::from_millis(200));
    let (closed, _) = resident(child.id()).unwrap();
    println!(
        "{calls} calls in {sessions} sessions: {start} MiB at the start, {full} at the end, {most} at most, {closed} when all are closed"
    );
    drop(stdin);
    child.wait().unwrap();
}

/// Ids that differ.
fn next_id() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn main() {
    // `cargo test --benches` only looks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    play(20, 300_000, 2);
    play(1, 40_000, 5);
}
