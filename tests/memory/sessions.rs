//! Sessions with many calls: they hold as much memory as they report, and it is bounded.

use serde_json::{Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine, Settings};

use crate::HEAP;

const WORDS: &[&str] =
    &["ledger", "buffer", "cursor", "window", "offset", "parse", "commit", "branch", "widget", "socket"];

/// An engine with an empty store, and the bytes that are allocated without it.
fn engine(max_memory_bytes: usize) -> (Engine, usize) {
    // Values that are built once per process are built before anything is counted.
    let warm = Engine::default();
    (0..40).for_each(|i| _ = call(&warm, &small("warm", i)));
    (0..4).for_each(|i| _ = call(&warm, &large("warm", i)));
    drop(warm);
    let engine = Engine::new(Settings { max_memory_bytes, ..Settings::default() });
    (engine, HEAP.current_usage())
}

fn send(engine: &Engine, method: &str, params: &Value) -> Value {
    let method = METHODS.iter().find(|m| m.name == method).unwrap();
    let answer = (method.handle)(engine, &params.to_string(), &Cancel::default()).unwrap();
    serde_json::from_str(&answer).unwrap_or_default()
}

fn call(engine: &Engine, params: &Value) -> Value {
    send(engine, "toolResult/compress", params)
}

fn line(seed: usize) -> String {
    let word = |n: usize| WORDS[(seed / 10_usize.pow(n as u32)) % WORDS.len()];
    format!("{} {} {} {} at {seed}", word(0), word(1), word(2), word(3))
}

/// A result of a few lines that no other has.
fn small(session: &str, i: usize) -> Value {
    let content = (0..4).map(|n| line(i * 31 + n * 7)).collect::<Vec<_>>().join("\n");
    let result = json!({
        "toolCallId": format!("toolu_{session}_{i:08}"), "tool": "bash",
        "arguments": {"command": format!("make part{i}")}, "content": content,
    });
    json!({"sessionId": session, "result": result})
}

/// A result of which lines are left out, so that there is an original.
fn large(session: &str, i: usize) -> Value {
    let mut content = String::new();
    for n in 0..400 {
        content.push_str(&format!(
            "2024-03-0{} 12:00:{:02} INFO served {} in {n} ms\n",
            i % 9 + 1,
            n % 60,
            i * 7
        ));
    }
    let result = json!({
        "toolCallId": format!("toolu_{session}_{i:08}"), "tool": "bash",
        "arguments": {"command": format!("cat server{i}.log")}, "content": content,
    });
    json!({"sessionId": session, "result": result})
}

fn held(before: usize) -> usize {
    HEAP.current_usage().saturating_sub(before)
}

/// Compares the memory that the engine reports after some calls with the heap, including block headers and rounding.
/// The report is never smaller, and not much larger.
fn is_counted(count: usize, of: impl Fn(&str, usize) -> Value) {
    let (engine, _) = engine(1 << 30);
    let before = HEAP.taken();
    for i in 0..count {
        call(&engine, &of(["a", "b", "c"][i % 3], i));
    }
    let (counted, real) = (engine.memory_bytes(), HEAP.taken().saturating_sub(before));
    assert!(counted >= real && counted < real + real / 3, "counted {counted}, taken {real}");
}

pub fn what_is_counted_is_what_small_entries_take() {
    // Before memo and lines are full, and long after.
    is_counted(600, small);
    is_counted(7500, small);
}

pub fn what_is_counted_is_what_large_entries_take() {
    is_counted(300, large);
    is_counted(900, |session, i| if i % 9 == 0 { large(session, i) } else { small(session, i) });
}

pub fn what_is_counted_is_what_repeated_results_take() {
    // Every second result becomes a reference to one of many.
    is_counted(3000, |session, i| {
        let mut params = medium(session, if i % 2 == 0 { i } else { (i * 7919 % i) & !1 });
        params["result"]["toolCallId"] = json!(format!("toolu_{i:08}"));
        params
    });
}

/// A result that is worth a reference.
fn medium(session: &str, i: usize) -> Value {
    let mut params = small(session, i);
    let content = (0..20).map(|n| line(i * 7919 + n * 131)).collect::<Vec<_>>().join("\n");
    params["result"]["content"] = json!(content);
    params
}

pub fn what_stays_of_a_call_is_little_and_in_few_blocks() {
    let (engine, _) = engine(256 << 20);
    // Memo and lines are full by then. Tables double at 7,168 places and at twice as many, not in between.
    (0..8000).for_each(|i| _ = call(&engine, &small("a", i)));
    let before = (HEAP.current_usage(), HEAP.blocks());
    (8000..11_000).for_each(|i| _ = call(&engine, &small("a", i)));
    let each = held(before.0) / 3000;
    assert!(each < 250, "{each} bytes a call");
    assert!(HEAP.current_usage() < 20 << 20, "{}", HEAP.current_usage());
    // Small blocks that stay between freed texts would leave holes into which nothing fits: the heap would grow by half.
    let more = HEAP.blocks().saturating_sub(before.1);
    assert!(more < 300, "{more} blocks for 3000 calls");
}

pub fn all_sessions_stay_below_the_bound() {
    const MAX: usize = 4 << 20;
    let (engine, before) = engine(MAX);
    for i in 0..6000 {
        call(&engine, &small(&format!("s{}", i % 12), i));
        if i % 500 == 0 {
            assert!(held(before) < MAX + MAX / 4, "{} bytes after {i} calls", held(before));
        }
    }
    assert!(engine.memory_bytes() <= MAX, "{}", engine.memory_bytes());
    assert!(held(before) < MAX + MAX / 4, "{}", held(before));
}

pub fn one_session_stays_below_the_bound() {
    const MAX: usize = 2 << 20;
    let (engine, before) = engine(MAX);
    (0..5000).for_each(|i| _ = call(&engine, &small("only", i)));
    assert!(held(before) < MAX + MAX / 4, "{}", held(before));
    // A result that did not fit is counted and answered, but not remembered.
    let stats = send(&engine, "session/stats", &json!({"sessionId": "only"}));
    assert_eq!(stats["total"]["results"], 5000);
    // The first results are answered with the same bytes again.
    let again = call(&engine, &small("only", 0));
    assert_eq!(again["evidence"]["memo"]["reused"], true);
}

pub fn what_a_closed_session_held_is_free() {
    let (engine, before) = engine(256 << 20);
    for i in 0..1500 {
        call(&engine, &small(["a", "b"][i % 2], i));
    }
    call(&engine, &large("a", 7));
    assert!(engine.memory_bytes() > 1 << 20);
    for id in ["a", "b"] {
        send(&engine, "session/close", &json!({"sessionId": id}));
    }
    assert!(engine.memory_bytes() < 4096, "{}", engine.memory_bytes());
    assert!(held(before) < 64 << 10, "{}", held(before));
}

pub fn originals_count_too() {
    const MAX: usize = 4 << 20;
    let (engine, before) = engine(MAX);
    let ids: Vec<String> = (0..300)
        .filter_map(|i| call(&engine, &large("a", i))["artifact"]["id"].as_str().map(str::to_owned))
        .collect();
    assert!(ids.len() > 200, "{}", ids.len());
    assert!(held(before) < MAX + MAX / 4, "{}", held(before));
    // They were moved to disk, not dropped.
    for id in &ids {
        let read = send(&engine, "artifact/read", &json!({"sessionId": "a", "id": id}));
        assert!(read["text"].as_str().unwrap().contains("INFO served"), "{read}");
    }
}

pub fn what_was_given_comes_again_when_room_is_made() {
    const MAX: usize = 4 << 20;
    let (engine, _) = engine(MAX);
    let texts = |engine: &Engine| -> Vec<Value> {
        (0..200).map(|i| call(engine, &small("kept", i % 150))["content"].clone()).collect()
    };
    let first = texts(&engine);
    // Enough that memos go, and that the session that is used in between does not end.
    for i in 0..3000 {
        call(&engine, &small(&format!("s{}", i % 6), i));
        if i % 100 == 0 {
            call(&engine, &small("kept", i % 150));
        }
    }
    assert_eq!(texts(&engine), first);
}

pub fn a_removed_temporary_folder_costs_the_copy_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let text: String =
        (0..4000).map(|n| format!("2024-03-01 12:00:00 INFO served {n} in {n} ms\n")).collect();
    // The store takes the folder from the environment when it is made; no other test runs meanwhile.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tersed"))
        .args(["serve", "--framing", "lines"])
        .env("TMPDIR", folder.path())
        .env("TERSED_NO_CONFIG", "1")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = std::io::BufRead::lines(std::io::BufReader::new(stdout));
    let mut ask = |method: &str, params: Value| -> Value {
        use std::io::Write;
        writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
            .unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    ask("initialize", json!({"processId": null, "capabilities": {}}));
    let result =
        |id: &str| json!({"sessionId": "s", "result": {"toolCallId": id, "tool": "bash", "content": text}});
    let first = ask("toolResult/compress", result("a"));
    let id = first["result"]["artifact"]["id"].as_str().unwrap().to_owned();
    let read = |id: &str| json!({"sessionId": "s", "id": id, "lines": [[7, 7]]});
    assert!(ask("artifact/read", read(&id))["result"]["text"].as_str().unwrap().contains("served 6 "));
    std::fs::remove_dir_all(folder.path()).unwrap();
    // The copy was removed, and the error says so.
    assert_eq!(ask("artifact/read", read(&id))["error"]["data"]["kind"], "artifact_unreadable");
    // The result is the same as before, and its copy is stored again, now in memory.
    let again = ask("toolResult/compress", result("a"));
    assert_eq!(again["result"]["content"], first["result"]["content"]);
    assert!(ask("artifact/read", read(&id))["result"]["text"].as_str().unwrap().contains("served 6 "));
    drop(stdin);
    child.wait().unwrap();
}

pub fn an_original_that_cannot_be_stored_is_told() {
    let mut settings = Settings::default();
    settings.artifacts.max_artifact_bytes = 16;
    let engine = Engine::new(settings);
    let answer = call(&engine, &large("a", 1));
    assert!(answer["artifact"].is_null(), "{answer}");
    let steps = answer["evidence"]["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["id"] == "artifact" && step["reason"] == "not_stored"), "{steps:?}");
}
