//! Requests whose hostile part is not a single result: arguments, ids, many results that almost match, bodies.
//!
//! Each is compared with an ordinary request of the same kind and size, and takes at most [`FACTOR`] times as long.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use tersed::engine::{Cancel, Engine, METHODS};

use crate::search::time;
use crate::shapes::{self, COMMANDS, Dice};
use crate::texts::{OPENINGS, ordinary, repeated};

/// Requests that are sent one after the other to a new engine.
pub type Requests = Vec<(&'static str, Value)>;

/// Two lots of requests: a hostile one, and an ordinary one.
pub struct Pair {
    pub name: String,
    pub hostile: Box<dyn Fn(usize) -> Requests>,
    pub ordinary: Box<dyn Fn(usize) -> Requests>,
}

/// A placeholder for the stream that was opened last.
const STREAM: &str = "the stream";

/// The time of all of them, and the kinds of errors.
pub fn cost(requests: &Requests) -> (f64, BTreeSet<String>) {
    let engine = Engine::default();
    let texts: Vec<(_, String)> = requests
        .iter()
        .map(|(name, params)| (METHODS.iter().find(|m| m.name == *name).unwrap(), params.to_string()))
        .collect();
    let (mut took, mut errors, mut stream) = (0.0, BTreeSet::new(), STREAM.to_owned());
    for (method, params) in texts {
        let params = params.replace(STREAM, &stream);
        let answer = Cell::new(Ok(String::new()));
        took += time(|| answer.set((method.handle)(&engine, &params, &Cancel::default())));
        match answer.into_inner() {
            Ok(answer) if method.name == "toolResult/open" => {
                let answer: Value = serde_json::from_str(&answer).unwrap();
                stream = answer["streamId"].as_str().unwrap().to_owned();
            }
            Ok(_) => {}
            Err(error) => {
                errors.insert(error.data.map_or_else(|| error.code.to_string(), |data| data.kind));
            }
        }
    }
    (took, errors)
}

fn compress(mode: &str, result: Value) -> (&'static str, Value) {
    ("toolResult/compress", json!({ "sessionId": "s", "result": result, "policy": { "mode": mode } }))
}

/// Calls with one text in their arguments and an ordinary result.
type Call = (&'static str, fn(&str, &str) -> Value);

const CALLS: &[Call] = &[
    (
        "command",
        |text, result| json!({ "toolCallId": "c", "tool": "bash", "arguments": { "command": text }, "content": result }),
    ),
    ("words of a command", |text, result| {
        let words: Vec<&str> = text.split(' ').collect();
        json!({ "toolCallId": "c", "tool": "bash", "command": words, "content": result })
    }),
    (
        "path",
        |text, result| json!({ "toolCallId": "c", "tool": "Read", "arguments": { "file_path": text }, "content": result }),
    ),
    (
        "pattern",
        |text, result| json!({ "toolCallId": "c", "tool": "Grep", "arguments": { "pattern": text, "path": "src" }, "content": result }),
    ),
    ("old and new text", |text, result| {
        let new = format!("{text}x");
        json!({ "toolCallId": "c", "tool": "Edit", "arguments": { "file_path": "a.rs", "old_string": text, "new_string": new }, "content": result })
    }),
    (
        "written text",
        |text, result| json!({ "toolCallId": "c", "tool": "Write", "arguments": { "file_path": "a.rs", "content": text }, "content": result }),
    ),
    (
        "patch",
        |text, result| json!({ "toolCallId": "c", "tool": "apply_patch", "arguments": { "patch": text }, "content": result }),
    ),
    (
        "arguments as text",
        |text, result| json!({ "toolCallId": "c", "tool": "bash", "arguments": text, "content": result }),
    ),
    (
        "exit code as text",
        |text, result| json!({ "toolCallId": "c", "tool": "bash", "arguments": { "command": "a" }, "exitCode": text, "content": result }),
    ),
    ("many arguments", |text, result| {
        let mut arguments = serde_json::Map::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (one, more) = rest
                .split_at(rest.floor_char_boundary(40).max(rest.chars().next().map_or(0, char::len_utf8)));
            arguments.insert(format!("a{}", arguments.len()), one.into());
            rest = more;
        }
        json!({ "toolCallId": "c", "tool": "mcp__a__b", "arguments": arguments, "content": result })
    }),
    ("parts of a result", |text, result| {
        let lines = text.split_inclusive(['\n', ' ', '"']);
        let mut parts: Vec<Value> = lines.map(|line| json!({ "type": "text", "text": line })).collect();
        parts.push(json!({ "type": "text", "text": result }));
        json!({ "toolCallId": "c", "tool": "a", "content": parts })
    }),
];

/// The text in arguments.
fn texts() -> Vec<(String, Text)> {
    let openings = OPENINGS.iter().map(|opening| {
        let text: Text = Box::new(move |bytes| repeated(opening, "a {}", bytes));
        (format!("{opening:?}"), text)
    });
    let shapes = shapes::TEXTS.iter().map(|shape| (shape.name.to_owned(), Box::new(shape.text) as Text));
    let commands = COMMANDS.iter().map(|(name, text)| ((*name).to_owned(), Box::new(*text) as Text));
    openings.chain(shapes).chain(commands).collect()
}

/// Calls with hostile arguments.
pub fn of_calls(mode: &'static str) -> Vec<Pair> {
    let mut out = Vec::new();
    for (place, call) in CALLS {
        for (name, text) in texts() {
            out.push(Pair {
                name: format!("{place}: {name}"),
                hostile: Box::new(move |bytes| vec![compress(mode, call(&text(bytes), &ordinary(4096)))]),
                ordinary: Box::new(move |bytes| {
                    let result = json!({ "toolCallId": "c", "tool": "bash", "arguments": { "command": "a" }, "content": ordinary(bytes) });
                    vec![compress(mode, result)]
                }),
            });
        }
    }
    out
}

/// A session of results, each of some bytes.
fn session(
    mode: &'static str,
    bytes: usize,
    each: usize,
    mut result: impl FnMut(usize) -> String,
) -> Requests {
    (0..(bytes / each).max(1))
        .map(|n| {
            let call = json!({ "toolCallId": format!("c{n}"), "tool": "bash", "arguments": { "command": format!("a{n}") }, "content": result(n) });
            compress(mode, call)
        })
        .collect()
}

/// Ordinary text that differs with every number.
fn other(n: usize, bytes: usize) -> String {
    let text = ordinary(bytes * 2);
    let from = text.floor_char_boundary(n * 997 % bytes);
    let mut out = String::new();
    for (at, line) in text[from..].lines().enumerate() {
        if out.len() >= bytes {
            break;
        }
        let _ = writeln!(out, "{line} {}", (n * 7919 + at) * 31);
    }
    out
}

type Result = fn(usize, usize) -> String;

/// Results of a session that is hostile as a whole: by its number and about its bytes.
const RESULTS: &[(&str, Result)] = &[
    ("the same but for one line in the middle", |n, bytes| {
        let mut lines: Vec<String> = ordinary(bytes).lines().map(str::to_owned).collect();
        let middle = lines.len() / 2;
        lines[middle] = format!("result {n}");
        lines.join("\n")
    }),
    ("the same but for the last line", |n, bytes| format!("{}result {n}\n", ordinary(bytes))),
    ("the same but for the first line", |n, bytes| format!("result {n}\n{}", ordinary(bytes))),
    ("the same but for one number in every line", |n, bytes| {
        ordinary(bytes).lines().map(|line| format!("{line} {n}\n")).collect()
    }),
    ("every other line the same", |n, bytes| {
        ordinary(bytes)
            .lines()
            .enumerate()
            .map(|(at, line)| if at % 2 == 0 { format!("{line}\n") } else { format!("line {at} of {n}\n") })
            .collect()
    }),
    ("blocks of five lines the same, one not", |n, bytes| {
        ordinary(bytes)
            .lines()
            .enumerate()
            .map(|(at, line)| if at % 6 < 5 { format!("{line}\n") } else { format!("line {at} of {n}\n") })
            .collect()
    }),
    ("the same blocks in another order", |n, bytes| {
        let text = ordinary(bytes);
        let lines: Vec<&str> = text.lines().collect();
        let mut blocks: Vec<&[&str]> = lines.chunks(6).collect();
        let mut dice = Dice::new();
        for _ in 0..n {
            dice.below(2);
        }
        for at in (1..blocks.len()).rev() {
            blocks.swap(at, dice.below(at + 1));
        }
        blocks.concat().join("\n")
    }),
    ("one line again and again, and its number", |n, bytes| {
        format!("{}{n}\n", "the same line as ever\n".repeat(bytes / 22))
    }),
    ("two lines in no order", |n, bytes| {
        let mut dice = Dice::new();
        for _ in 0..n {
            dice.below(2);
        }
        (0..bytes / 23)
            .map(|_| ["the first of two lines\n", "the other of two lines\n"][dice.below(2)])
            .collect()
    }),
    ("rows of JSON that differ in one value", |n, bytes| {
        let rows: Vec<String> =
            (0..bytes / 40).map(|i| format!("{{\"id\":{i},\"name\":\"name {i}\",\"n\":{n}}}")).collect();
        format!("[{}]", rows.join(","))
    }),
    ("a window that moves by one line", |n, bytes| {
        (n..n + bytes / 30).map(|i| format!("{i:>6}\tlet item_{i} = build({i});\n")).collect()
    }),
    ("failures that differ in one number", |n, bytes| {
        (0..bytes / 40).map(|i| format!("error: failure {i} of run {n}: not found\n")).collect()
    }),
    ("passed tests with other times", |n, bytes| {
        (0..bytes / 30).map(|i| format!("test a::b{i} ... ok ({}ms)\n", (n * 31 + i) % 97)).collect()
    }),
    ("lines of braces", |n, bytes| format!("{}{n}\n", "    }\n}\n\n".repeat(bytes / 9))),
    ("one long line that differs at its end", |n, bytes| format!("{}{n}", "abcdefgh".repeat(bytes / 8))),
];

/// Sessions of results that almost match.
pub fn of_sessions(mode: &'static str) -> Vec<Pair> {
    let mut out = Vec::new();
    for each in [200, 2000, 16_000] {
        for (name, result) in RESULTS {
            out.push(Pair {
                name: format!("results of {each}: {name}"),
                hostile: Box::new(move |bytes| session(mode, bytes, each, |n| result(n, each))),
                ordinary: Box::new(move |bytes| session(mode, bytes, each, |n| other(n, each))),
            });
        }
    }
    out
}

/// A session of reads and edits of one file.
fn edits(mode: &'static str, bytes: usize, call: impl Fn(usize) -> Value) -> Requests {
    let mut at = 0;
    let mut requests = Vec::new();
    let mut n = 0;
    while at < bytes {
        let call = call(n);
        at += call.to_string().len();
        requests.push(compress(mode, call));
        n += 1;
    }
    requests
}

const ANSWER: &str = "The file src/a.rs has been updated. Here is the result:\n     1\tfn a() {}\n";

type Edit = fn(usize) -> Value;

const EDITS: &[(&str, Edit)] = &[
    (
        "edits of one letter",
        |n| json!({ "toolCallId": format!("c{n}"), "tool": "Edit", "arguments": { "file_path": "src/a.rs", "old_string": "a", "new_string": "a" }, "content": ANSWER }),
    ),
    ("edits of a line that grows", |n| {
        let line = "a".repeat(n % 2000);
        json!({ "toolCallId": format!("c{n}"), "tool": "Edit", "arguments": { "file_path": "src/a.rs", "old_string": line, "new_string": format!("{line}\na") }, "content": ANSWER })
    }),
    (
        "edits of other files",
        |n| json!({ "toolCallId": format!("c{n}"), "tool": "Edit", "arguments": { "file_path": format!("src/a{n}.rs"), "old_string": "a\nb\n", "new_string": "b\na\n" }, "content": ANSWER }),
    ),
    ("edits and views of one file", |n| {
        if n % 2 == 0 {
            json!({ "toolCallId": format!("c{n}"), "tool": "Edit", "arguments": { "file_path": "src/a.rs", "old_string": format!("let a{n} = 1;\nlet b = 2;\n"), "new_string": format!("let a{} = 1;\nlet b = 2;\n", n + 2) }, "content": ANSWER })
        } else {
            let text: String = (0..40).map(|i| format!("{i:>6}\tlet a{} = 1;\n", i + n)).collect();
            json!({ "toolCallId": format!("c{n}"), "tool": "Read", "arguments": { "file_path": "src/a.rs" }, "content": text })
        }
    }),
    ("views of parts of one file", |n| {
        let text: String = (n..n + 40).map(|i| format!("{i:>6}\tlet a{i} = 1;\n")).collect();
        json!({ "toolCallId": format!("c{n}"), "tool": "Read", "arguments": { "file_path": "src/a.rs", "offset": n, "limit": 40 }, "content": text })
    }),
    (
        "results of one id",
        |n| json!({ "toolCallId": "c", "tool": "bash", "arguments": { "command": "a" }, "content": format!("result {n}\n") }),
    ),
    (
        "results of long ids",
        |n| json!({ "toolCallId": format!("{}{n}", "c".repeat(500)), "tool": "a".repeat(512), "arguments": {}, "content": format!("result {n}\n") }),
    ),
    (
        "empty results",
        |n| json!({ "toolCallId": format!("c{n}"), "tool": "bash", "arguments": {}, "content": "" }),
    ),
    (
        "failures of one command",
        |n| json!({ "toolCallId": format!("c{n}"), "tool": "bash", "arguments": { "command": "pytest" }, "exitCode": 1, "content": format!("FAILED a.py::test_{n} - assert {n} == 1\n1 failed\n") }),
    ),
    ("many words that are mentioned", |n| {
        let words: String = (0..40).map(|i| format!("word{} ", n * 40 + i)).collect();
        json!({ "toolCallId": format!("c{n}"), "tool": "Grep", "arguments": { "pattern": words }, "content": format!("src/a.rs:{n}:{words}\n") })
    }),
    ("values of secrets that were written", |n| {
        let value = format!("PASSWORD=Xy7value{}\nb\n", n * 7919);
        json!({ "toolCallId": format!("c{n}"), "tool": "Write", "arguments": { "file_path": "a", "content": value }, "content": value })
    }),
];

/// Sessions that are built from hostile calls.
pub fn of_edits(mode: &'static str) -> Vec<Pair> {
    EDITS
        .iter()
        .map(|(name, call)| Pair {
            name: format!("calls: {name}"),
            hostile: Box::new(move |bytes| edits(mode, bytes, call)),
            // As many calls with as many bytes.
            ordinary: Box::new(move |bytes| {
                let calls = edits(mode, bytes, call);
                let each = bytes / calls.len().max(1);
                session(mode, bytes, each.max(1), |n| other(n, each.max(1)))
            }),
        })
        .collect()
}

/// `session/reclaim` after some results, with hostile ids.
fn reclaim(results: usize, params: Value) -> Requests {
    let mut requests = session("standard", results * 400, 400, |n| other(n, 400));
    let mut params = params;
    params["sessionId"] = "s".into();
    params["reclaimTerms"] = json!({ "cache": "cold", "minGain": 0 });
    requests.push(("session/reclaim", params));
    requests
}

fn ids(bytes: usize, id: impl Fn(usize) -> String) -> Vec<String> {
    let mut at = 0;
    (0..)
        .map(id)
        .take_while(|id| {
            at += id.len() + 3;
            at < bytes
        })
        .collect()
}

type Params = fn(usize) -> Value;
type Lot = fn(usize) -> Requests;
type Text = Box<dyn Fn(usize) -> String>;

const RECLAIMS: &[(&str, Params)] = &[
    ("context of one id", |n| json!({ "context": ids(n, |_| "c1".into()) })),
    ("context of ids that nobody knows", |n| json!({ "context": ids(n, |i| format!("x{i}")) })),
    ("context of ids that are known", |n| json!({ "context": ids(n, |i| format!("c{}", i % 50)) })),
    ("context of numbers", |n| json!({ "context": vec![1; n / 2] })),
    (
        "answers that call one id",
        |n| json!({ "answers": [{ "text": "a", "toolCallIds": ids(n, |_| "c1".into()) }] }),
    ),
    (
        "answers that call ids that nobody knows",
        |n| json!({ "answers": [{ "text": "a", "toolCallIds": ids(n, |i| format!("x{i}")) }] }),
    ),
    (
        "answers that call ids that are known",
        |n| json!({ "answers": (0..200).map(|_| json!({ "text": "a", "toolCallIds": ids(n / 200, |i| format!("c{}", i % 50)) })).collect::<Vec<_>>() }),
    ),
    (
        "an answer of ever new words",
        |n| json!({ "answers": [{ "text": (0..n / 9).map(|i| format!("word{i} ")).collect::<String>() }] }),
    ),
    ("an answer of one word", |n| json!({ "answers": [{ "text": "a".repeat(n) }] })),
    ("an answer of results", |n| json!({ "answers": [{ "text": ordinary(n) }] })),
    (
        "200 answers of results",
        |n| json!({ "answers": (0..200).map(|i| json!({ "text": other(i, n / 200) })).collect::<Vec<_>>() }),
    ),
];

/// `session/reclaim`.
pub fn of_reclaims() -> Vec<Pair> {
    let gone: Vec<(&str, &str)> = vec![
        ("session/evicted", "toolCallIds"),
        ("session/compacted", "visible"),
        ("session/evicted", "visible"),
        ("session/fork", "visible"),
    ];
    let mut out: Vec<Pair> = RECLAIMS
        .iter()
        .map(|(name, params)| Pair {
            name: format!("reclaim: {name}"),
            hostile: Box::new(move |bytes| reclaim(50, params(bytes))),
            ordinary: Box::new(|bytes| {
                let mut requests = reclaim(50, json!({}));
                requests.push(compress(
                    "standard",
                    json!({ "toolCallId": "z", "tool": "bash", "arguments": {}, "content": ordinary(bytes) }),
                ));
                requests
            }),
        })
        .collect();
    for (method, member) in gone {
        out.push(Pair {
            name: format!("{method} with many ids as {member}"),
            hostile: Box::new(move |bytes| {
                let mut requests = reclaim(50, json!({}));
                let ids = ids(bytes, |i| format!("c{i}"));
                requests.push((method, json!({ "sessionId": "s", "newSessionId": "t", member: ids })));
                requests
            }),
            ordinary: Box::new(|bytes| {
                let mut requests = reclaim(50, json!({}));
                requests.push(compress(
                    "standard",
                    json!({ "toolCallId": "z", "tool": "bash", "arguments": {}, "content": ordinary(bytes) }),
                ));
                requests
            }),
        });
    }
    out
}

/// Bodies for `messages/compress`.
const BODIES: &[(&str, Params)] = &[
    ("calls and results of a few bytes", |n| {
        let messages: Vec<Value> = (0..n / 220)
            .flat_map(|i| {
                [
                    json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": format!("t{i}"), "name": "bash", "input": { "command": "a" } }] }),
                    json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{i}"), "content": format!("r{i}") }] }),
                ]
            })
            .collect();
        json!({ "messages": messages })
    }),
    ("results whose calls are missing", |n| {
        let messages: Vec<Value> = (0..n / 100)
            .map(|i| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{i}"), "content": "r" }] }))
            .collect();
        json!({ "messages": messages })
    }),
    ("results of one call", |n| {
        let messages: Vec<Value> = (0..n / 100)
            .map(|i| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": format!("r{i}") }] }))
            .collect();
        json!({ "messages": messages })
    }),
    ("results of one message", |n| {
        let parts: Vec<Value> = (0..n / 70)
            .map(|i| json!({ "type": "tool_result", "tool_use_id": format!("t{i}"), "content": "r" }))
            .collect();
        json!({ "messages": [{ "role": "user", "content": parts }] })
    }),
    ("results within results", |n| {
        let mut inner = json!("a");
        for i in 0..(n / 60).min(60) {
            inner = json!([{ "type": "tool_result", "tool_use_id": format!("t{i}"), "content": inner }]);
        }
        json!({ "messages": vec![json!({ "role": "user", "content": inner }); n / 3600 + 1] })
    }),
    ("chat results", |n| {
        let messages: Vec<Value> = (0..n / 200)
            .flat_map(|i| {
                [
                    json!({ "role": "assistant", "tool_calls": [{ "id": format!("t{i}"), "type": "function", "function": { "name": "bash", "arguments": "{\"command\":\"a\"}" } }] }),
                    json!({ "role": "tool", "tool_call_id": format!("t{i}"), "content": "r" }),
                ]
            })
            .collect();
        json!({ "messages": messages })
    }),
    (
        "chat results without calls",
        |n| json!({ "messages": (0..n / 60).map(|i| json!({ "role": "tool", "tool_call_id": format!("t{i}"), "content": "r" })).collect::<Vec<_>>() }),
    ),
    ("items of responses", |n| {
        let input: Vec<Value> = (0..n / 160)
            .flat_map(|i| {
                [
                    json!({ "type": "function_call", "call_id": format!("t{i}"), "name": "shell", "arguments": "{\"command\":[\"a\"]}" }),
                    json!({ "type": "function_call_output", "call_id": format!("t{i}"), "output": "r" }),
                ]
            })
            .collect();
        json!({ "input": input })
    }),
    ("parts of Gemini", |n| {
        let parts: Vec<Value> = (0..n / 70)
            .map(
                |i| json!({ "functionResponse": { "name": "a", "response": { "output": format!("r{i}") } } }),
            )
            .collect();
        json!({ "contents": [{ "role": "user", "parts": parts }] })
    }),
    (
        "texts of the user",
        |n| json!({ "messages": [{ "role": "user", "content": ordinary(n) }, { "role": "tool", "tool_call_id": "a", "content": "r" }] }),
    ),
    (
        "a text of the model without blanks",
        |n| json!({ "messages": [{ "role": "assistant", "content": "a".repeat(n) }, { "role": "tool", "tool_call_id": "a", "content": "r" }] }),
    ),
    ("names that nobody knows", |n| {
        let mut body = json!({ "messages": [{ "role": "tool", "tool_call_id": "a", "content": "r" }] });
        for i in 0..n / 20 {
            body[format!("name_{i}")] = json!({ "a": [i] });
        }
        body
    }),
];

/// Bodies of requests.
pub fn of_bodies() -> Vec<Pair> {
    BODIES
        .iter()
        .map(|(name, body)| Pair {
            name: format!("body: {name}"),
            hostile: Box::new(move |bytes| vec![("messages/compress", json!({ "sessionId": "s", "body": body(bytes) }))]),
            ordinary: Box::new(|bytes| {
                let messages: Vec<Value> =
                    (0..(bytes / 4000).max(1)).map(|i| json!({ "role": "tool", "tool_call_id": format!("t{i}"), "content": other(i, 4000) })).collect();
                vec![("messages/compress", json!({ "sessionId": "s", "body": { "messages": messages } }))]
            }),
        })
        .collect()
}

/// Batches, streams, tools.
const OTHERS: &[(&str, Lot)] = &[
    ("a batch of many results", |n| {
        let results: Vec<Value> = (0..n / 60)
            .map(|i| json!({ "toolCallId": format!("c{i}"), "tool": "a", "content": format!("r{i}") }))
            .collect();
        vec![("toolResult/compressBatch", json!({ "sessionId": "s", "results": results }))]
    }),
    ("a batch of many results in a budget", |n| {
        let results: Vec<Value> = (0..n / 300)
            .map(|i| json!({ "toolCallId": format!("c{i}"), "tool": "a", "content": other(i, 250) }))
            .collect();
        vec![(
            "toolResult/compressBatch",
            json!({ "sessionId": "s", "results": results, "budget": { "perResult": 100, "total": 1000 } }),
        )]
    }),
    ("a stream in small pieces", |n| {
        let mut requests = vec![(
            "toolResult/open",
            json!({ "sessionId": "s", "result": { "tool": "bash", "toolCallId": "c" } }),
        )];
        let text = ordinary(n);
        for piece in text.as_bytes().chunks(64) {
            requests.push((
                "toolResult/append",
                json!({ "sessionId": "s", "streamId": STREAM, "text": String::from_utf8_lossy(piece) }),
            ));
        }
        requests.push(("toolResult/close", json!({ "sessionId": "s", "streamId": STREAM, "exitCode": 0 })));
        requests
    }),
    ("schemas within schemas", |n| {
        let mut schema = json!({ "type": "string", "description": "a  b" });
        for _ in 0..40 {
            schema = json!({ "type": "object", "description": "a   b", "properties": { "a": schema } });
        }
        vec![(
            "toolSchema/minify",
            json!({ "tools": vec![json!({ "name": "a", "description": "b", "input_schema": schema }); n / 2600 + 1] }),
        )]
    }),
    ("a description of blanks", |n| {
        vec![(
            "toolSchema/minify",
            json!({ "tools": [{ "name": "a", "description": format!("a{}b", " \n\t".repeat(n / 3)), "input_schema": {} }] }),
        )]
    }),
    ("a description of fences", |n| {
        vec![(
            "toolSchema/minify",
            json!({ "tools": [{ "name": "a", "description": "```\na  b\n`c  d` ".repeat(n / 18), "input_schema": {} }] }),
        )]
    }),
    ("settings of many names", |n| {
        let mut policy = serde_json::Map::new();
        for i in 0..n / 12 {
            policy.insert(format!("name{i}"), json!(i));
        }
        vec![(
            "toolResult/compress",
            json!({ "sessionId": "s", "result": { "content": "a" }, "policy": policy }),
        )]
    }),
    ("a question of many words", |n| {
        let query: String = (0..n / 9).map(|i| format!("word{i} ")).collect();
        vec![(
            "toolResult/compress",
            json!({ "sessionId": "s", "query": query, "result": { "content": ordinary(4096) } }),
        )]
    }),
];

/// The others.
pub fn of_others() -> Vec<Pair> {
    OTHERS
        .iter()
        .map(|(name, requests)| Pair {
            name: (*name).to_owned(),
            hostile: Box::new(*requests),
            ordinary: Box::new(|bytes| {
                vec![compress(
                    "standard",
                    json!({ "toolCallId": "z", "tool": "bash", "arguments": {}, "content": ordinary(bytes) }),
                )]
            }),
        })
        .collect()
}

const PATTERNS: &[&str] = &[
    "(a?){500}a{500}",
    "(.*)(.*)(.*)(.*)(.*)[0-9]x",
    "(x+x+)+y",
    "(?:a|aa|aaa)+$",
    "\\w{200}",
    "[\\s\\S]*?zzz",
    "(?i)ERROR.{0,200}WARN.{0,200}FAIL",
    ".{500}",
    "(^|\\s)(\\S+\\s+){20}z",
    "\\p{L}{100}\\P{L}",
    "",
    ".",
    "a|b|c|d|e|f|g",
    "\\b",
    "$",
];

/// Patterns for `artifact/search`, each compared with a plain word.
pub fn of_patterns(text: &str) -> Vec<(String, f64, f64)> {
    let engine = Engine::default();
    let send = |name: &str, params: Value| {
        let method = METHODS.iter().find(|m| m.name == name).unwrap();
        (method.handle)(&engine, &params.to_string(), &Cancel::default())
    };
    let call = json!({ "toolCallId": "c", "tool": "bash", "arguments": {}, "content": text });
    send(
        "toolResult/compress",
        json!({ "sessionId": "s", "result": call, "policy": { "mode": "aggressive" } }),
    )
    .unwrap();
    let list: Value =
        serde_json::from_str(&send("artifact/list", json!({ "sessionId": "s" })).unwrap()).unwrap();
    let Some(id) = list["artifacts"][0]["id"].as_str() else { return Vec::new() };
    let search = |pattern: &str| {
        time(|| drop(send("artifact/search", json!({ "sessionId": "s", "id": id, "pattern": pattern }))))
    };
    search("nothing_at_all");
    let ordinary = search("nothing_at_all");
    PATTERNS.iter().map(|pattern| ((*pattern).to_owned(), search(pattern), ordinary)).collect()
}
