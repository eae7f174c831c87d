//! The server as a host sees it: how long a result of 64 KiB takes through stdin and stdout, compared with `cat` on
//! the same bytes; how long a start takes; how much memory remains in use. It prints a table and asserts nothing.
//!
//! Every result differs from the one before by a number of fixed width, so that neither the memo nor references
//! apply.

#![allow(clippy::unwrap_used)]

#[path = "child/mod.rs"]
mod child;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use child::Server;

const REQUESTS: usize = 2_000;
const STARTS: usize = 30;
const RESULT: usize = 64 << 10;

fn main() {
    // With its first line just below the default cap.
    let text = log(RESULT - 64);
    let echo = round_trips(&mut Server::start(&["cat"]), &text);
    let server = || Server::start(&[env!("CARGO_BIN_EXE_tersed"), "serve"]);
    let compress = {
        let mut server = server();
        initialize(&mut server);
        round_trips(&mut server, &text)
    };
    let mut starts: Vec<Duration> = (0..STARTS).map(|_| start_to_reply(server)).collect();
    starts.sort_unstable();

    println!("{:<46}{:>12}{:>12}", "", "p50", "p99");
    let row = |name: &str, times: &[Duration]| {
        let at =
            |share: usize| format!("{:.0} µs", times[(times.len() - 1) * share / 100].as_secs_f64() * 1e6);
        println!("{name:<46}{:>12}{:>12}", at(50), at(99));
    };
    row("64 KiB through `cat`", &echo);
    row("64 KiB through toolResult/compress", &compress);
    row("start to the first reply (p99 of 30: slowest)", &starts);
    memory(server());
}

fn initialize(server: &mut Server) {
    server.exchange(&framed(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#));
    assert!(server.reply.windows(12).any(|w| w == b"capabilities"));
    server.send(&framed(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#));
}

/// Resident memory in MB, if the system has `/proc`.
fn resident(server: &Server) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0 / 1e6)
}

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A request with a place for seven digits in the call id and in the first line.
fn request(text: &str, command: &str) -> String {
    let content = serde_json::to_string(&format!("run #######\n{text}")).unwrap();
    format!(
        r##"{{"jsonrpc":"2.0","id":7,"method":"toolResult/compress","params":{{"sessionId":"bench","result":{{"toolCallId":"call_#######","tool":"bash","arguments":{{"command":"{command}"}},"exitCode":0,"content":{content}}}}}}}"##
    )
}

fn numbered(request: &str, number: usize) -> Vec<u8> {
    framed(&request.replace("#######", &format!("{number:07}")))
}

fn round_trips(server: &mut Server, text: &str) -> Vec<Duration> {
    let request = request(text, "kubectl logs app-0");
    (0..50).for_each(|number| server.exchange(&numbered(&request, 5_000_000 + number)));
    let mut times: Vec<Duration> = (0..REQUESTS)
        .map(|number| {
            let message = numbered(&request, number);
            let start = Instant::now();
            server.exchange(&message);
            let took = start.elapsed();
            assert!(server.reply.len() > RESULT / 2, "{}", String::from_utf8_lossy(&server.reply));
            took
        })
        .collect();
    times.sort_unstable();
    times
}

fn start_to_reply(start: impl Fn() -> Server) -> Duration {
    let begin = Instant::now();
    let mut server = start();
    server.exchange(&framed(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#));
    begin.elapsed()
}

/// Results of four kinds and of sizes from 2 KB to 256 KB, in turn.
fn memory(mut server: Server) {
    let show = |name: &str, mb: Option<f64>| {
        println!("{name:<46}{:>12}", mb.map_or("unknown".to_owned(), |mb| format!("{mb:.1} MB")));
    };
    initialize(&mut server);
    show("resident after initialize", resident(&server));
    for number in 0..100 {
        let text = log(2_000 << (number % 8));
        let (text, command) = match number % 4 {
            0 => (text, "kubectl logs app-0"),
            1 => (text.replace("INFO", "\u{1b}[32mINFO\u{1b}[0m"), "make run"),
            2 => (
                serde_json::to_string_pretty(&text.lines().collect::<Vec<_>>()).unwrap(),
                "curl -s localhost",
            ),
            _ => (text.replace("2026-", "test app::at_2026-").replace(" ms, ", " ... ok "), "cargo test"),
        };
        server.exchange(&numbered(&request(&text, command), number));
    }
    show("resident after 100 mixed results", resident(&server));
}

/// Lines of a log by a linear congruential generator, up to `size` bytes.
fn log(size: usize) -> String {
    let mut state = size as u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let names =
        ["worker", "request", "session", "cache", "offset", "buffer", "index", "payload", "node", "shard"];
    let mut text = String::with_capacity(size + 128);
    while text.len() < size {
        let _ = writeln!(
            text,
            "2026-05-{:02}T10:{:02}:{:02}.{:03}Z INFO [{}-{}] {} flushed in {} ms, id={:08x}",
            1 + below(28),
            below(60),
            below(60),
            below(1000),
            names[below(10) as usize],
            below(16),
            names[below(10) as usize],
            below(9000),
            below(1 << 31),
        );
    }
    text.truncate(size);
    text
}
