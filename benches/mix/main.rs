//! The cost of the server on a mix of results such as agents get: CPU time of the process compared with that of
//! `gzip -6` on the same bytes, by kind and by size. It prints tables and asserts nothing; Linux only, since it reads
//! `/proc`.
//!
//! The mix is invented (`texts`). `TERSED_CORPUS` may name a folder of recorded sessions to use instead, in
//! `*.jsonl.zst` or `*.jsonl`: one JSON object per line with `session`, `tool`, `args`, `command`, `exit_code`,
//! `output`, `kind`. `MIX_MODE` is the mode, `MIX_WRITE` a file to which the messages are written, for
//! `tersed serve < FILE` under a profiler.

#![allow(clippy::unwrap_used)]

#[cfg(target_os = "linux")]
#[path = "../child/mod.rs"]
mod child;
mod corpus;
mod texts;
#[cfg(target_os = "linux")]
mod times;

use std::time::Duration;

/// A result of a tool, and where it belongs.
struct Result {
    session: String,
    tool: String,
    arguments: serde_json::Value,
    exit_code: Option<i64>,
    kind: String,
    text: String,
}

/// Results of one kind or size: their texts, and the time that the server took for them.
#[derive(Default)]
struct Row {
    name: String,
    texts: String,
    results: usize,
    took: Duration,
}

/// Bounds of the sizes by which results are counted, in bytes.
const SIZES: &[usize] = &[256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, usize::MAX];

fn main() {
    let results = match std::env::var_os("TERSED_CORPUS") {
        Some(folder) => corpus::read(folder.as_ref()),
        None => texts::mix(),
    };
    if let Some(file) = std::env::var_os("MIX_WRITE") {
        let messages: Vec<u8> = messages(&results).flatten().collect();
        return std::fs::write(file, messages).unwrap();
    }
    #[cfg(target_os = "linux")]
    measure(&results);
}

/// All messages of a run, framed: the handshake, then a request for each result.
fn messages(results: &[Result]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mode = std::env::var("MIX_MODE").unwrap_or_else(|_| "standard".to_owned());
    let head = [
        serde_json::json!({ "jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {} }),
        serde_json::json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
    ];
    let requests = results.iter().enumerate().map(move |(id, result)| {
        let mut fields = serde_json::json!({
            "toolCallId": format!("call_{id}"), "tool": result.tool, "content": result.text,
        });
        if !result.arguments.is_null() {
            fields["arguments"] = result.arguments.clone();
        }
        if let Some(code) = result.exit_code {
            fields["exitCode"] = code.into();
        }
        let params =
            serde_json::json!({ "sessionId": result.session, "policy": { "mode": mode }, "result": fields });
        serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": "toolResult/compress", "params": params })
    });
    head.into_iter().chain(requests).map(|message| {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    })
}

#[cfg(target_os = "linux")]
fn measure(results: &[Result]) {
    let mut server = child::Server::start(&[env!("CARGO_BIN_EXE_tersed"), "serve"]);
    let mut messages = messages(results);
    server.exchange(&messages.next().unwrap());
    server.send(&messages.next().unwrap());
    let (mut kinds, mut sizes) = (Vec::new(), Vec::new());
    sizes.extend(SIZES.iter().map(|bound| Row { name: size_name(*bound), ..Row::default() }));
    let mut total = Row { name: "all".to_owned(), ..Row::default() };
    let mut before = times::cpu(server.id());
    for (result, message) in results.iter().zip(messages) {
        server.exchange(&message);
        assert!(memchr::memmem::find(&server.reply, b"\"result\":").is_some());
        let now = times::cpu(server.id());
        let took = now.saturating_sub(before);
        before = now;
        let size = SIZES.iter().position(|bound| result.text.len() <= *bound).unwrap();
        let kind = kinds.iter().position(|row: &Row| row.name == result.kind).unwrap_or_else(|| {
            kinds.push(Row { name: result.kind.clone(), ..Row::default() });
            kinds.len() - 1
        });
        for row in [&mut kinds[kind], &mut sizes[size], &mut total] {
            row.results += 1;
            row.took += took;
            row.texts.push_str(&result.text);
        }
    }
    kinds.sort_by_key(|row| std::cmp::Reverse(row.texts.len()));
    println!(
        "{:<16}{:>9}{:>10}{:>12}{:>12}{:>12}{:>9}",
        "", "results", "MB", "tersed ms", "µs a result", "gzip -6 ms", "ratio"
    );
    for row in kinds.iter().chain(&sizes).chain([&total]).filter(|row| row.results > 0) {
        let gzip = times::gzip(row.texts.as_bytes());
        println!(
            "{:<16}{:>9}{:>10.2}{:>12.1}{:>12.1}{:>12.1}{:>9.2}",
            row.name,
            row.results,
            row.texts.len() as f64 / 1e6,
            row.took.as_secs_f64() * 1e3,
            row.took.as_secs_f64() * 1e6 / row.results as f64,
            gzip.as_secs_f64() * 1e3,
            row.took.as_secs_f64() / gzip.as_secs_f64(),
        );
    }
}

#[cfg(target_os = "linux")]
fn size_name(bound: usize) -> String {
    match bound {
        usize::MAX => "above".to_owned(),
        _ if bound < 1 << 10 => format!("up to {bound} B"),
        _ => format!("up to {} KiB", bound >> 10),
    }
}
