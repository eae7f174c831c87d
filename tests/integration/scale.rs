//! Limits of a session grow with its context. The same text is shortened more while the context is small, and a
//! resend gets the same bytes. Ranges that were asked for, limits that were set, and results without a session are
//! not affected; failures are kept.

use serde_json::{Value, json};
use tersed::engine::{Engine, Settings};
use tersed::session::Bounds;

use crate::common::call;

/// A text that no reducer reads, of lines that differ.
fn prose(seed: usize, lines: usize) -> String {
    let word = |n: usize| format!("{:06x}", (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40);
    let line = |i: usize| {
        let n = seed * 10_000 + i * 4;
        format!("{} went to {} by way of {} and {}\n", word(n), word(n + 1), word(n + 2), word(n + 3))
    };
    (0..lines).map(line).collect()
}

/// About 9 KB.
fn page() -> String {
    prose(7, 180)
}

fn send(engine: &Engine, session: Option<&str>, id: &str, command: &str, content: &str) -> Value {
    let result = json!({ "toolCallId": id, "tool": "bash", "command": command, "content": content });
    let params = json!({ "sessionId": session, "result": result });
    call(engine, "toolResult/compress", &params)
}

fn shown(engine: &Engine, session: Option<&str>, id: &str, content: &str) -> String {
    send(engine, session, id, "./describe", content)["content"].as_str().unwrap().to_owned()
}

/// Fills the context of a session with about 200,000 tokens.
fn fill(engine: &Engine, session: &str) {
    for i in 0..40 {
        let path = format!("cat notes/{i}.txt");
        send(engine, Some(session), &format!("fill{i}"), &path, &prose(100 + i, 150));
    }
}

fn without_memo() -> Engine {
    let session = Bounds { memo_bytes: 0, ..Bounds::default() };
    Engine::new(Settings { session, ..Settings::default() })
}

#[test]
fn the_first_results_are_cut_harder_than_later_ones() {
    let engine = Engine::default();
    let alone = shown(&engine, None, "a", &page());
    let first = shown(&engine, Some("s"), "a", &page());
    fill(&engine, "t");
    let late = shown(&engine, Some("t"), "a", &page());
    assert_eq!((alone.as_str(), late.as_str()), (page().as_str(), page().as_str()));
    assert!(first.len() < 6_000 && first.contains("[tersed"), "{}: {first}", first.len());
}

#[test]
fn a_resend_is_the_same_however_much_came_since() {
    for engine in [Engine::default(), without_memo()] {
        let first = shown(&engine, Some("s"), "a", &page());
        fill(&engine, "s");
        assert_eq!(shown(&engine, Some("s"), "a", &page()), first);
        // Another call with another text has the limits of now.
        let other = prose(8, 180);
        assert_eq!(shown(&engine, Some("s"), "b", &other), other);
    }
}

#[test]
fn after_a_summary_the_context_is_small_again() {
    let engine = Engine::default();
    fill(&engine, "s");
    let late = shown(&engine, Some("s"), "a", &page());
    call(&engine, "session/compacted", &json!({ "sessionId": "s" }));
    let other = prose(8, 180);
    let again = shown(&engine, Some("s"), "b", &other);
    assert_eq!(late, page());
    assert!(again.len() < 6_000, "{}", again.len());
    assert_eq!(shown(&engine, Some("s"), "a", &page()), late);
}

#[test]
fn who_asks_again_gets_all_of_it() {
    let engine = Engine::default();
    let first = shown(&engine, Some("s"), "a", &page());
    assert_ne!(first, page());
    assert_eq!(shown(&engine, Some("s"), "b", &page()), page());
}

#[test]
fn a_report_of_a_failure_has_half_of_the_limits_at_least() {
    let engine = Engine::default();
    let report = |seed| prose(seed, 400) + "error: the disk of node 7 is full\n" + &prose(seed + 1, 20);
    let alone = shown(&engine, None, "a", &report(9)).len();
    let first = shown(&engine, Some("s"), "a", &report(9)).len();
    let calm = shown(&engine, Some("t"), "a", &prose(9, 420)).len();
    assert!(report(9).len() > alone && alone > first, "{alone} {first}");
    assert!(first * 2 + 500 > alone && first > calm, "{first} of {alone}, {calm}");
}

#[test]
fn failures_ranges_and_limits_that_were_set_stay() {
    let engine = Engine::default();
    let mut text = page();
    text.insert_str(text.len() / 2, "\nerror: the disk of node 7 is full\n");
    assert_eq!(
        shown(&engine, Some("s"), "a", &text),
        text,
        "a report of a failure has half of the limits, which this is below"
    );
    let few = page().replacen('\n', " ", 160);
    assert_eq!(shown(&engine, Some("w"), "a", &few), few, "each of few lines was asked for");
    let bounded = send(&engine, Some("y"), "a", "./describe | head -400", &page());
    assert_eq!(bounded["content"], page().as_str(), "so many lines were asked for");
    let found = json!({ "toolCallId": "a", "tool": "web_search", "query": "x", "content": page() });
    let found = call(&engine, "toolResult/compress", &json!({ "sessionId": "x", "result": found }));
    assert_eq!(found["content"], page().as_str(), "what a tool found");
    let body: String =
        (10..170).map(|i| format!("    value_{i} = compute({i}, \"{i:08}\") + rest[{i}]\n")).collect();
    let code = format!("def long(rest):\n{body}");
    let range = send(&engine, Some("u"), "a", "sed -n '1,170p' src/a.py", &code);
    assert_eq!(range["content"], code.as_str());
    let result = json!({ "toolCallId": "a", "tool": "bash", "command": "./describe", "content": page() });
    let params = json!({ "sessionId": "v", "result": result, "policy": { "headTailBytes": 12_288 } });
    assert_eq!(call(&engine, "toolResult/compress", &params)["content"], page().as_str());
}

#[test]
fn a_command_that_failed_has_larger_limits_than_one_that_succeeded() {
    let engine = Engine::default();
    let report = |status: i64| {
        let text = format!("{}error: could not connect to db-{status}\n", prose(9, 260));
        let result = json!({
            "toolCallId": format!("c{status}"), "tool": "bash", "command": "./describe", "content": text, "exitCode": status,
        });
        let params = json!({ "sessionId": format!("s{status}"), "result": result });
        call(&engine, "toolResult/compress", &params)["content"].as_str().unwrap().to_owned()
    };
    let (failed, succeeded) = (report(1), report(0));
    assert!(succeeded.contains("could not connect"), "{succeeded}");
    assert!(failed.len() > succeeded.len(), "{} {}", failed.len(), succeeded.len());
}
