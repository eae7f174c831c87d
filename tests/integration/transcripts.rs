//! Golden conversations: every file under `protocol/v1/transcripts` is replayed against the real binary.
//!
//! A line is one of `{"send": …}`, a message; `{"sendRaw": "…"}`, a text that may be no message; `{"expect": …}`, the
//! next message of the server, byte for byte; `{"exit": code}`, the end of the process; `{"note": "…"}`, for the
//! reader. A file that does not send `initialize` itself is replayed after the handshake and ends with `shutdown` and
//! `exit`. With `BLESS=1` the text in `expect` and `exit` is written again; read the difference before you commit it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::common::{Schema, Server, bless, engine, repository};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tersed::engine::METHODS;
use tersed::in_process::{answer, io_handler};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Line {
    Send(Box<RawValue>),
    SendRaw(String),
    Expect(Box<RawValue>),
    Exit(i32),
    Note(String),
}

fn files() -> Vec<PathBuf> {
    let folder = fs::read_dir(repository("protocol/v1/transcripts")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(files.iter().all(|f| f.extension().is_some_and(|e| e == "jsonl")), "{files:?}");
    assert!(files.len() >= 7);
    files
}

fn read(file: &Path) -> Vec<Line> {
    let text = fs::read_to_string(file).unwrap();
    let line = |(i, line)| {
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{}:{}: {e}", file.display(), i + 1))
    };
    text.lines().enumerate().map(line).collect()
}

fn write(file: &Path, lines: &[Line]) {
    let text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
    fs::write(file, text).unwrap();
}

fn method(message: &str) -> Option<String> {
    let message: Value = serde_json::from_str(message).ok()?;
    Some(message.get("method")?.as_str()?.to_owned())
}

fn has_own_lifecycle(lines: &[Line]) -> bool {
    let mut sent = lines.iter().filter_map(|l| if let Line::Send(m) = l { Some(m) } else { None });
    sent.any(|m| method(m.get()).as_deref() == Some("initialize"))
}

/// Replays a conversation and returns it with the real answers of the server.
fn play(lines: &[Line], framing_lines: bool) -> Vec<Line> {
    let own = has_own_lifecycle(lines);
    let mut server = if own { Server::start(framing_lines) } else { Server::ready(framing_lines) };
    let mut played = Vec::with_capacity(lines.len());
    for line in lines {
        played.push(match line {
            Line::Send(message) => {
                server.send(message.get());
                Line::Send(message.clone())
            }
            Line::SendRaw(text) => {
                server.send(text);
                Line::SendRaw(text.clone())
            }
            Line::Expect(_) => {
                let text = server.next();
                oracle(&text);
                Line::Expect(RawValue::from_string(text).unwrap())
            }
            Line::Exit(_) => Line::Exit(server.exit()),
            Line::Note(text) => Line::Note(text.clone()),
        });
    }
    match lines.last() {
        Some(Line::Exit(_)) => {}
        _ if own => panic!("a conversation with `initialize` ends with `exit`"),
        _ => server.finish(),
    }
    played
}

/// Lets another implementation parse our messages. Its ids are strings, natural numbers and null.
fn oracle(text: &str) {
    let mut message: Value = serde_json::from_str(text).unwrap();
    if message["id"].is_i64() {
        message["id"] = Value::from(0);
    }
    let output: Result<jsonrpc_core::Output, _> = serde_json::from_value(message);
    assert!(output.is_ok_and(|o| o.version() == Some(jsonrpc_core::Version::V2)), "{text}");
}

fn compare(file: &Path, how: &str, expected: &[Line], got: &[Line]) {
    for (i, (expected, got)) in expected.iter().zip(got).enumerate() {
        let (expected, got) = (serde_json::to_string(expected).unwrap(), serde_json::to_string(got).unwrap());
        assert!(expected == got, "{}:{} ({how})\nexpected {expected}\n     got {got}", file.display(), i + 1);
    }
}

#[test]
fn the_binary_says_what_is_recorded_in_both_framings() {
    for file in files() {
        let lines = read(&file);
        let got = play(&lines, false);
        if bless() {
            write(&file, &got);
        } else {
            compare(&file, "Content-Length", &lines, &got);
        }
        // An empty line is no message there, and a line end ends one.
        let fits = |l: &Line| !matches!(l, Line::SendRaw(t) if t.contains('\n') || t.trim().is_empty());
        if lines.iter().all(fits) {
            compare(&file, "lines", &got, &play(&lines, true));
        }
    }
}

/// The table of methods without a child process gives the same bytes. It has no lifecycle and parses the envelope
/// itself, so only the methods of the table are compared.
#[test]
fn the_table_without_a_child_says_the_same() {
    let ours = |name: &str| METHODS.iter().any(|m| m.name == name);
    let mut compared = 0;
    for file in files() {
        let lines = read(&file);
        if has_own_lifecycle(&lines) {
            continue;
        }
        let handler = io_handler(Arc::new(engine()));
        let mut lines = lines.iter().enumerate().peekable();
        while let Some((i, line)) = lines.next() {
            let Line::Send(message) = line else { continue };
            if !method(message.get()).is_some_and(|name| ours(&name)) {
                continue;
            }
            let got = answer(&handler, message.get());
            let Some((_, Line::Expect(expected))) = lines.peek() else {
                assert_eq!(got, None, "{}:{}", file.display(), i + 1);
                continue;
            };
            // jsonrpc-core passes on the value of a number or a string, not how it was written.
            let expected: Value = serde_json::from_str(expected.get()).unwrap();
            assert_eq!(got, Some(expected.to_string()), "{}:{}", file.display(), i + 1);
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared}");
}

/// Every successful request and every answer follows the schema.
#[test]
fn conversations_follow_the_schema() {
    let schema = Schema::new();
    for file in files() {
        let lines = read(&file);
        let mut sent: Option<Value> = None;
        for (i, line) in lines.iter().enumerate() {
            let place = format!("{}:{}", file.display(), i + 1);
            match line {
                Line::Send(message) => sent = serde_json::from_str(message.get()).ok(),
                Line::Expect(message) => {
                    let message: Value = serde_json::from_str(message.get()).unwrap();
                    if let Some(data) = message.pointer("/error/data") {
                        assert_eq!(schema.errors("/errorData", data), [""; 0], "{place}");
                    }
                    let (Some(sent), Some(result)) = (sent.take(), message.get("result")) else { continue };
                    assert_eq!(sent["id"], message["id"], "{place}");
                    let name = sent["method"].as_str().unwrap();
                    if METHODS.iter().any(|m| m.name == name) {
                        assert_eq!(
                            schema.errors(&Schema::place(name, "params"), &sent["params"]),
                            [""; 0],
                            "{place}"
                        );
                        assert_eq!(schema.errors(&Schema::place(name, "result"), result), [""; 0], "{place}");
                    } else if name == "initialize" {
                        let offer = &result["capabilities"]["experimental"]["tersed"];
                        assert_eq!(schema.errors("/initialize/capabilities", offer), [""; 0], "{place}");
                    }
                }
                _ => {}
            }
        }
    }
}
