//! The promises of a session: the same request gets the same bytes, references are correct, limits are kept, and
//! after a fault the result is still there, uncompressed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread;

use crate::common::{Server, call, call_text, try_call};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use proptest::prelude::*;
use serde_json::{Value, json};
use tersed::artifact::Limits;
use tersed::config::Policy;
use tersed::engine::{Engine, Settings};
use tersed::session::Bounds;

const COMPRESS: &str = "toolResult/compress";

fn result(id: &str, tool: &str, content: &str) -> Value {
    json!({"toolCallId": id, "tool": tool, "content": content})
}

/// Compresses in session `s`; gives the whole answer.
fn send(engine: &Engine, result: &Value, policy: &Value) -> Value {
    call(engine, COMPRESS, &json!({"sessionId": "s", "result": result, "policy": policy}))
}

/// Compresses in session `s` with the default policy.
fn plain(engine: &Engine, id: &str, tool: &str, content: &str) -> Value {
    send(engine, &result(id, tool, content), &json!({}))
}

fn duplicate_of(answer: &Value) -> Option<&str> {
    assert_eq!(answer["evidence"]["status"] == "duplicate", answer["evidence"]["duplicateOf"].is_string());
    answer["evidence"]["duplicateOf"].as_str()
}

/// A text of about `bytes` bytes that differs by `seed` and that the pipeline can shorten.
fn text(seed: usize, bytes: usize) -> String {
    let mut out = String::new();
    let mut n = seed * 7919;
    while out.len() < bytes {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        out.push_str(&format!("step {seed}/{} took {} ms on node {}\n", out.len(), n >> 54, (n >> 40) % 100));
        if n.is_multiple_of(3) {
            out.push_str(&"waiting for the lock of the package folder\n".repeat(4));
        }
    }
    out
}

fn engine(settings: impl FnOnce(&mut Settings)) -> Engine {
    let mut all = Settings::default();
    settings(&mut all);
    Engine::new(all)
}

fn with_memo(memo_bytes: usize, memo_entry_bytes: usize) -> Engine {
    engine(|s| s.session = Bounds { memo_bytes, memo_entry_bytes, ..Bounds::default() })
}

// ---- memo

#[test]
fn the_same_request_is_answered_from_the_memo() {
    let engine = Engine::default();
    let first = plain(&engine, "a", "bash", &text(1, 4000));
    let mut again = plain(&engine, "a", "bash", &text(1, 4000));
    assert_eq!(first["evidence"]["memo"], json!({"reused": false, "changed": false}));
    assert_eq!(again["evidence"]["memo"], json!({"reused": true, "changed": false}));
    again["evidence"]["memo"]["reused"] = json!(false);
    assert_eq!(again, first);
}

#[test]
fn another_content_call_or_policy_is_changed() {
    let engine = Engine::default();
    let base = json!({"toolCallId": "a", "tool": "bash", "command": "x", "content": "one\n"});
    let memo = |result: &Value, policy: Value| send(&engine, result, &policy)["evidence"]["memo"].clone();
    assert_eq!(memo(&base, json!({})), json!({"reused": false, "changed": false}));
    let changed = json!({"reused": false, "changed": true});
    for (name, value) in [
        ("content", json!("two\n")),
        ("content", json!([{"type": "bytes", "base64": BASE64.encode("one\n")}])),
        ("command", json!("y")),
        ("exitCode", json!(1)),
        ("isError", json!(true)),
        ("tool", json!("shell")),
        ("arguments", json!({"a": 1})),
        ("path", json!("p")),
        ("fullOutput", json!(true)),
    ] {
        let mut other = base.clone();
        other[name] = value;
        assert_eq!(memo(&other, json!({})), changed, "{name}");
        assert_eq!(memo(&other, json!({}))["reused"], true, "{name}");
    }
    for policy in [
        json!({"mode": "safe"}),
        json!({"minBytes": 1}),
        json!({"maxOutputBytes": 65536}),
        json!({"headTailBytes": 9}),
        json!({"dedup": false}),
        json!({"redactSecrets": false}),
        json!({"excludeTools": ["bash"]}),
        json!({"expandTool": true}),
        json!({"tokenizer": "cl100k"}),
        json!({"summarizeAbove": 1}),
    ] {
        assert_eq!(memo(&base, policy.clone()), changed, "{policy}");
        assert_eq!(memo(&base, policy.clone())["reused"], true, "{policy}");
    }
    for same in [json!({"evidence": "full"}), json!({"mode": "balanced"})] {
        assert_eq!(memo(&base, same.clone())["reused"], true, "{same}");
    }
}

#[test]
fn a_resend_is_byte_identical_whatever_happened_since() {
    for engine in [Engine::default(), with_memo(8 << 10, 16 << 10), with_memo(0, 0)] {
        // Small, large, over the memo's entry size, and duplicates of all of these.
        let history: Vec<(String, String)> = [700, 3000, 15_000, 40_000, 200_000]
            .iter()
            .enumerate()
            .flat_map(|(i, &size)| {
                [(format!("first{i}"), text(i, size)), (format!("second{i}"), text(i, size))]
            })
            .collect();
        let all = |policy: &Value| -> Vec<Value> {
            history.iter().map(|(id, text)| send(&engine, &result(id, "bash", text), policy)).collect()
        };
        let content = |answers: &[Value]| answers.iter().map(|a| a["content"].clone()).collect::<Vec<_>>();
        let first = all(&json!({}));
        assert!(first.iter().filter(|a| duplicate_of(a).is_some()).count() == 5);
        let same = |why: &str| {
            let again = all(&json!({}));
            assert_eq!(content(&again), content(&first), "{why}");
            assert!(again.iter().all(|a| a["evidence"]["memo"]["reused"] == true), "{why}");
            let artifact = |a: &Value| a["artifact"].clone();
            assert_eq!(
                again.iter().map(artifact).collect::<Vec<_>>(),
                first.iter().map(artifact).collect::<Vec<_>>()
            );
        };
        same("at once");
        // More than the memo holds.
        for i in 0..60 {
            plain(&engine, &format!("filler{i}"), "bash", &text(100 + i, 12_000));
        }
        same("after the memo was filled");
        call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["first0", "second2"]}));
        same("after some were evicted");
        call(&engine, "session/evicted", &json!({"sessionId": "s", "visible": []}));
        same("after all were evicted");
        let safe = content(&all(&json!({"mode": "safe", "dedup": false})));
        same("after another policy");
        assert_eq!(content(&all(&json!({"mode": "safe", "dedup": false}))), safe);
        assert_eq!(content(&all(&json!({"memo": false}))), content(&first), "without the memo");
        assert_eq!(content(&all(&json!({"evidence": "none"}))), content(&first), "without evidence");
    }
}

#[test]
fn without_the_memo_nothing_is_reused_and_all_is_the_same() {
    let engine = Engine::default();
    let off = json!({"memo": false});
    let request = result("a", "bash", &text(1, 3000));
    let first = send(&engine, &request, &off);
    assert_eq!(send(&engine, &request, &off), first);
    let copy = send(&engine, &result("b", "bash", &text(1, 3000)), &off);
    assert_eq!(duplicate_of(&copy), Some("a"));
    assert_eq!(send(&engine, &result("b", "bash", &text(1, 3000)), &off), copy);
    // An outcome that was not stored is computed again for a request that uses the memo.
    assert_eq!(plain(&engine, "a", "bash", &text(1, 3000))["content"], first["content"]);
}

#[test]
fn a_memo_hit_whose_original_is_gone_stores_it_again() {
    let engine = engine(|s| s.artifacts = Limits { max_count: 1, ..Limits::default() });
    let first = plain(&engine, "a", "bash", &text(1, 4000));
    let read = |answer: &Value| {
        try_call(&engine, "artifact/read", &json!({"sessionId": "s", "id": answer["artifact"]["id"]}))
    };
    assert_eq!(read(&first).unwrap()["text"], text(1, 4000));
    plain(&engine, "b", "bash", &text(2, 4000));
    assert!(read(&first).is_err(), "the store holds one");
    let again = plain(&engine, "a", "bash", &text(1, 4000));
    assert_eq!((&again["content"], &again["artifact"]), (&first["content"], &first["artifact"]));
    assert_eq!(read(&again).unwrap()["text"], text(1, 4000));
}

// ---- duplicates

#[test]
fn a_duplicate_is_the_later_one_of_the_same_tool() {
    let engine = Engine::default();
    let same = text(1, 2000);
    let first = plain(&engine, "a", "mcp__shell__Bash", &same);
    assert_eq!(duplicate_of(&first), None);
    let second = plain(&engine, "b", "bash", &same);
    assert_eq!(duplicate_of(&second), Some("a"));
    assert_eq!(
        second["content"],
        "[Duplicate of a (mcp__shell__Bash); see earlier result] (same output, 1 result ago)"
    );
    assert_eq!(
        plain(&engine, "a", "mcp__shell__Bash", &same)["content"],
        first["content"],
        "the first one stays"
    );
    assert_eq!(duplicate_of(&plain(&engine, "c", "read", &same)), None, "another tool");
    assert_eq!(duplicate_of(&plain(&engine, "d", "bash", &same)), Some("a"), "never a chain");
    let read = json!({"sessionId": "s", "id": second["artifact"]["id"]});
    assert_eq!(
        call(&engine, "artifact/read", &read)["text"],
        same,
        "what a reference stands for can be read"
    );
}

#[test]
fn without_ids_there_are_no_duplicates() {
    let engine = Engine::default();
    let same = text(1, 2000);
    plain(&engine, "a", "bash", &same);
    for params in [
        json!({"sessionId": "s", "result": {"tool": "bash", "content": same}}),
        json!({"result": {"toolCallId": "b", "tool": "bash", "content": same}}),
        json!({"sessionId": "other", "result": {"toolCallId": "b", "tool": "bash", "content": same}}),
        json!({"sessionId": "s", "result": {"toolCallId": "c", "tool": "bash", "content": same}, "policy": {"dedup": false}}),
    ] {
        for _ in 0..2 {
            assert_eq!(duplicate_of(&call(&engine, COMPRESS, &params)), None, "{params}");
        }
    }
}

#[test]
fn outputs_that_only_look_the_same_when_compressed_are_no_duplicates() {
    let engine = Engine::default();
    // The gap is the same, but the omitted lines differ.
    let log = |names: &str| {
        let passed: String = (0..30).map(|i| format!("test {names}::case_number_{i} ... ok\n")).collect();
        format!(
            "\nrunning 30 tests\n{passed}\ntest result: ok. 30 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n"
        )
    };
    // Each request differs, because a repeated request gets the whole text.
    let run = |id: &str, names: &str| {
        send(
            &engine,
            &json!({"toolCallId": id, "tool": "bash", "command": format!("cargo test -j {}", id.len()), "content": log(names)}),
            &json!({}),
        )
    };
    let (one, two) = (run("a", "aa"), run("bb", "bb"));
    assert_eq!(one["content"], two["content"]);
    assert!(one["content"].as_str().unwrap().contains("omitted 30"), "{one}");
    assert_eq!((duplicate_of(&one), duplicate_of(&two)), (None, None));
    assert_eq!(duplicate_of(&run("ccc", "bb")), Some("bb"));
}

#[test]
fn the_same_text_of_a_run_that_ended_otherwise_is_no_duplicate() {
    let engine = Engine::default();
    let run = |id: &str, exit_code: Option<i64>, is_error: Option<bool>| {
        let result = json!({"toolCallId": id, "tool": "bash", "exitCode": exit_code, "isError": is_error, "content": text(1, 2000)});
        duplicate_of(&send(&engine, &result, &json!({}))).map(str::to_owned)
    };
    assert_eq!(run("a", Some(0), None), None);
    assert_eq!(run("b", Some(1), None), None);
    assert_eq!(run("c", None, None), None);
    assert_eq!(run("d", Some(0), Some(true)), None);
    // Calls with another exit status refer to the lines of the first, which does not show its exit status.
    assert_eq!(run("e", Some(1), None), None);
    assert_eq!(run("f", Some(0), None).as_deref(), Some("a"));
}

#[test]
fn two_calls_never_refer_to_each_other() {
    let engine = Engine::default();
    let same = text(1, 2000);
    let run = |id: &str, policy: Value| {
        duplicate_of(&send(&engine, &result(id, "bash", &same), &policy)).map(str::to_owned)
    };
    let (off, cl100k) = (json!({"dedup": false}), json!({"tokenizer": "cl100k"}));
    assert_eq!((run("a", json!({})), run("b", json!({})).as_deref()), (None, Some("a")));
    // The whole history under policies that show both, then under one that is new to both.
    assert_eq!((run("a", off.clone()), run("b", off)), (None, None));
    assert_eq!((run("a", cl100k.clone()), run("b", cl100k).as_deref()), (None, Some("a")));
    // The first one leaves and returns: it is still earlier than the results shown in between.
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["a"]}));
    assert_eq!(run("c", json!({})), None);
    assert_eq!(run("a", json!({"summarizeAbove": 1})), None);
}

#[test]
fn a_call_that_came_with_other_bytes_is_not_referred_to() {
    let engine = Engine::default();
    plain(&engine, "a", "bash", &text(1, 2000));
    plain(&engine, "a", "bash", &text(2, 2000));
    assert_eq!(duplicate_of(&plain(&engine, "b", "bash", &text(1, 2000))), None);
    assert_eq!(duplicate_of(&plain(&engine, "c", "bash", &text(2, 2000))), None);
    assert_eq!(duplicate_of(&plain(&engine, "d", "bash", &text(2, 2000))), Some("c"));
}

#[test]
fn a_call_that_may_be_shown_as_a_reference_is_not_referred_to() {
    let engine = Engine::default();
    let same = text(1, 2000);
    plain(&engine, "a", "bash", &same);
    assert_eq!(duplicate_of(&plain(&engine, "b", "bash", &same)), Some("a"));
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["a"]}));
    let shown = send(&engine, &result("b", "bash", &same), &json!({"tokenizer": "cl100k"}));
    assert_eq!(duplicate_of(&shown), None);
    assert_eq!(duplicate_of(&plain(&engine, "b", "bash", &same)), Some("a"), "sent before, stays");
    assert_eq!(duplicate_of(&plain(&engine, "c", "bash", &same)), None);
}

#[test]
fn an_id_that_no_marker_can_name_is_not_referred_to() {
    for (id, tool) in
        [("a (b", "bash"), ("a\nb", "bash"), ("a", "ba\nsh"), ("a; see earlier result]", "bash")]
    {
        let engine = Engine::default();
        plain(&engine, id, tool, &text(1, 2000));
        assert_eq!(duplicate_of(&plain(&engine, "later", tool, &text(1, 2000))), None, "{id:?} {tool:?}");
    }
}

#[test]
fn a_reference_of_ours_that_comes_back_is_left_alone() {
    let engine = Engine::default();
    plain(&engine, "a", "bash", &text(1, 2000));
    let marker = plain(&engine, "b", "bash", &text(1, 2000))["content"].as_str().unwrap().to_owned();
    assert_eq!(plain(&engine, "c", "bash", &marker)["content"], marker.as_str());
    assert_eq!(plain(&engine, "c", "bash", &marker)["content"], marker.as_str());
    let foreign = "[Duplicate of nobody (bash); see earlier result]";
    let answer = plain(&engine, "d", "bash", foreign);
    assert_eq!(answer["content"], format!("\\{foreign}"), "what only looks like one is escaped");
}

// ---- visibility

#[test]
fn nothing_that_left_the_context_is_referred_to() {
    let engine = Engine::default();
    let same = text(1, 2000);
    for id in ["a", "b"] {
        plain(&engine, id, "bash", &same);
    }
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["a", "unknown"]}));
    assert_eq!(duplicate_of(&plain(&engine, "c", "bash", &same)), None, "a left, b is a reference");
    assert_eq!(duplicate_of(&plain(&engine, "d", "bash", &same)), Some("c"));
    call(&engine, "session/evicted", &json!({"sessionId": "s", "visible": ["c", "d"]}));
    assert_eq!(duplicate_of(&plain(&engine, "e", "bash", &same)), Some("c"));
    call(&engine, "session/evicted", &json!({"sessionId": "s", "visible": []}));
    assert_eq!(duplicate_of(&plain(&engine, "f", "bash", &same)), None);
    call(&engine, "session/evicted", &json!({"sessionId": "s"}));
    assert_eq!(duplicate_of(&plain(&engine, "g", "bash", &same)), Some("f"), "nothing said, nothing left");
    call(&engine, "session/evicted", &json!({"sessionId": "unknown", "visible": []}));
    assert_eq!(call(&engine, "session/open", &json!({"sessionId": "unknown"}))["created"], true);
}

// ---- bounds

#[test]
fn calls_beyond_the_bound_depend_on_nothing() {
    let engine = engine(|s| s.session = Bounds { max_calls: 3, ..Bounds::default() });
    let same = text(1, 2000);
    let first = plain(&engine, "a", "bash", &same);
    assert_eq!(duplicate_of(&plain(&engine, "b", "bash", &same)), Some("a"));
    plain(&engine, "c", "bash", &text(2, 2000));
    for _ in 0..2 {
        let beyond = plain(&engine, "d", "bash", &same);
        assert_eq!(beyond["content"], first["content"]);
        assert_eq!(beyond["evidence"]["memo"], json!({"reused": false, "changed": false}));
    }
    assert_eq!(plain(&engine, "a", "bash", &text(3, 2000))["evidence"]["memo"]["changed"], false);
    assert_eq!(plain(&engine, "a", "bash", &same)["evidence"]["memo"]["reused"], true, "the old ones stay");
    assert_eq!(duplicate_of(&plain(&engine, "b", "bash", &same)), Some("a"));
}

#[test]
fn the_session_that_was_used_least_lately_ends_first() {
    let engine = engine(|s| s.max_sessions = 2);
    let use_it = |session: &str| {
        let result = result("a", "bash", &text(1, 4000));
        call(&engine, COMPRESS, &json!({"sessionId": session, "result": result}))
    };
    let reused = |answer: &Value| answer["evidence"]["memo"]["reused"] == true;
    let first = use_it("one");
    use_it("two");
    assert!(reused(&use_it("one")));
    // A request for totals, even of an unknown session, ends no session.
    for session in ["two", "x", "y", "z"] {
        call(&engine, "session/stats", &json!({"sessionId": session}));
    }
    use_it("three");
    assert!(reused(&use_it("one")));
    let read = |session: &str| {
        try_call(&engine, "artifact/read", &json!({"sessionId": session, "id": first["artifact"]["id"]}))
            .is_ok()
    };
    assert!(read("one") && !read("two") && read("three"));
    let anew = use_it("two");
    assert!(!reused(&anew) && anew["content"] == first["content"]);
    assert!(!read("three"));
}

#[test]
fn the_memo_holds_no_more_than_its_bytes() {
    let engine = with_memo(10_000, 4_000);
    let hits = || call(&engine, "session/stats", &json!({"sessionId": "s"}))["memoHits"].as_u64().unwrap();
    let size = plain(&engine, "a", "bash", &text(1, 3000))["evidence"]["bytes"]["after"].as_u64().unwrap();
    assert!((1_000..4_000).contains(&size), "{size}");
    plain(&engine, "a", "bash", &text(1, 3000));
    assert_eq!(hits(), 1);
    let others = 10_000 / size + 1;
    for i in 0..others {
        plain(&engine, &format!("b{i}"), "bash", &text(10 + i as usize, 3000));
    }
    let again = plain(&engine, "a", "bash", &text(1, 3000));
    assert_eq!((hits(), &again["evidence"]["memo"]["reused"]), (1, &json!(true)), "made again, not stored");
    plain(&engine, &format!("b{}", others - 1), "bash", &text(9 + others as usize, 3000));
    assert_eq!(hits(), 2);
    for _ in 0..2 {
        let large = result("large", "bash", &text(2, 40_000));
        send(&engine, &large, &json!({"headTailBytes": 12_288}));
    }
    assert_eq!(hits(), 2, "an entry over its bound is not stored");
}

// ---- fail-open and exactness

#[test]
fn a_store_that_takes_nothing_costs_the_artifact_alone() {
    let full = engine(|s| s.artifacts = Limits { max_artifact_bytes: 10, ..Limits::default() });
    for policy in [json!({}), json!({"memo": false})] {
        let usual = send(&Engine::default(), &result("a", "bash", &text(1, 4000)), &policy);
        let answer = send(&full, &result("a", "bash", &text(1, 4000)), &policy);
        assert_eq!((&answer["content"], answer.get("artifact")), (&usual["content"], None));
        assert!(usual["artifact"].is_object());
    }
    let again = plain(&full, "a", "bash", &text(1, 4000));
    assert_eq!(again["evidence"]["memo"]["reused"], true);
}

#[test]
fn exact_bytes_when_asked() {
    let engine = Engine::default();
    let exact = [
        "a\r\nb\r\n",
        "no end of line",
        "nul \0 and \u{1b}[31mred\u{1b}[0m and \u{202e}bidi\u{200b}",
        "progress 1%\rprogress 2%\r",
        "trailing   \n\n\n\n",
        "[tersed: omitted 3 lines 1-3, progress]",
        "",
    ];
    let big = "the very same line\n".repeat(20_000);
    for content in exact.iter().copied().chain([big.as_str()]) {
        for (rule, full, policy) in [
            ("full_output", true, json!({})),
            ("mode_disabled", false, json!({"mode": "disabled"})),
            ("excluded_tool", false, json!({"excludeTools": ["other", "BASH"]})),
        ] {
            let result = json!({"tool": "mcp__x__Bash", "content": content});
            let params = json!({"result": result, "policy": policy, "fullOutput": full});
            let answer = call(&engine, COMPRESS, &params);
            assert!(answer["content"] == content, "{rule}: {content:?}");
            assert_eq!(answer["evidence"]["status"], "bypassed");
            assert_eq!(answer["evidence"]["bypass"], rule);
            assert_eq!(answer.get("artifact"), None);
        }
    }
    for bytes in [&b"\xff\xfe\0\x80"[..], b"\xef\xbb\xbfbom", b"caf\xe9\r\n", &[0; 4096]] {
        let content = json!([{"type": "bytes", "base64": BASE64.encode(bytes), "x": 1.50}]);
        let params = json!({"result": {"tool": "bash", "content": content}, "fullOutput": true});
        assert_eq!(call(&engine, COMPRESS, &params)["content"], content, "{bytes:?}");
    }
}

#[test]
fn evidence_comes_in_the_detail_that_was_asked_for() {
    let engine = Engine::default();
    let has = |content: &str, detail: &str| {
        let params = json!({"result": {"tool": "bash", "content": content}, "policy": {"evidence": detail}});
        call(&engine, COMPRESS, &params).get("evidence").is_some()
    };
    for (content, changed) in
        [("plain\n".to_owned(), false), (text(1, 3000), true), ("\u{1b}[1mbold\u{1b}[0m".to_owned(), true)]
    {
        assert!(!has(&content, "none") && has(&content, "full"));
        assert_eq!(has(&content, "changed"), changed, "{content:?}");
    }
}

#[test]
fn a_status_says_whether_the_content_changed() {
    let engine = Engine::default();
    for content in [
        "plain\n",
        "\u{1b}[1mbold\u{1b}[0m",
        "a\u{200b}b",
        "1%\r2%\n",
        "[tersed: omitted 3 lines 1-3, progress]",
    ] {
        let answer = call(&engine, COMPRESS, &json!({"result": {"content": content}}));
        assert_eq!(answer["evidence"]["status"] == "unchanged", answer["content"] == content, "{answer}");
    }
}

#[test]
fn totals_count_results_once() {
    let engine = Engine::default();
    for (id, seed) in [("a", 1), ("b", 1), ("a", 1), ("c", 2), ("a", 3)] {
        plain(&engine, id, "bash", &text(seed, 3000));
    }
    let stats = call(&engine, "session/stats", &json!({"sessionId": "s"}));
    assert_eq!((&stats["total"]["results"], &stats["resends"]["results"]), (&json!(4), &json!(1)));
    assert_eq!((&stats["memoHits"], &stats["memoChanged"]), (&json!(1), &json!(1)));
    assert_eq!(stats["byStatus"]["duplicate"], 1);
    for i in 0..1100 {
        let result = json!({"tool": format!("tool{i}"), "content": ""});
        call(&engine, COMPRESS, &json!({"sessionId": "s", "result": result}));
    }
    let stats = call(&engine, "session/stats", &json!({"sessionId": "s"}));
    let tools = stats["byTool"].as_object().unwrap();
    assert_eq!((tools.len(), &tools["other"]["results"]), (1025, &json!(77)));
}

#[test]
fn a_closed_session_is_gone_until_it_is_opened() {
    let engine = Engine::default();
    let first = plain(&engine, "a", "bash", &text(1, 4000));
    let session = json!({"sessionId": "s"});
    assert_eq!(call(&engine, "session/close", &session)["closed"], true);
    let request = json!({"sessionId": "s", "result": result("a", "bash", &text(1, 4000))});
    for (method, params) in [
        (COMPRESS, &request),
        ("toolResult/compressBatch", &json!({"sessionId": "s", "results": []})),
        ("session/stats", &session),
    ] {
        let error = try_call(&engine, method, params).unwrap_err();
        assert_eq!((error.code, error.data.unwrap().kind.as_str()), (-32803, "session_closed"), "{method}");
    }
    let read = json!({"sessionId": "s", "id": first["artifact"]["id"]});
    assert_eq!(
        try_call(&engine, "artifact/read", &read).unwrap_err().data.unwrap().kind,
        "artifact_not_found"
    );
    assert_eq!(call(&engine, "session/close", &session)["closed"], false);
    assert_eq!(call(&engine, "session/open", &session)["created"], true);
    let anew = call(&engine, COMPRESS, &request);
    assert_eq!((&anew["content"], &anew["evidence"]["memo"]["reused"]), (&first["content"], &json!(false)));
}

#[test]
fn a_policy_is_laid_together_and_a_bad_one_changes_nothing() {
    let engine = engine(|s| s.policy = Policy { min_bytes: 1, ..Policy::default() });
    let mode = |params: &Value| call(&engine, COMPRESS, params)["evidence"]["mode"].clone();
    let bad = json!({"sessionId": "s", "policy": {"mode": "safe", "maxOutputBytes": 0}});
    assert!(
        try_call(&engine, "session/open", &bad).unwrap_err().message.contains("policy.maxOutputBytes: 0")
    );
    let open = json!({"sessionId": "s", "policy": {"mode": "safe"}});
    assert_eq!(call(&engine, "session/open", &open)["created"], true);
    assert_eq!(
        call(&engine, "session/open", &json!({"sessionId": "s", "policy": {"mode": "aggressive"}}))["created"],
        false
    );
    let request = |policy: Value| json!({"sessionId": "s", "result": {"content": "x"}, "policy": policy});
    assert_eq!(mode(&request(json!({}))), "safe");
    assert_eq!(mode(&request(json!({"mode": "aggressive"}))), "aggressive");
    assert!(try_call(&engine, COMPRESS, &request(json!({"mode": "aggressive", "minBytes": -1}))).is_err());
    assert_eq!(mode(&request(json!(null))), "safe");
}

// ---- size, bad input, parallel use

#[test]
fn a_hundred_megabytes_pass() {
    let line = "2024-05-01T10:00:00Z INFO  worker 17 finished a part of the work\n";
    let content = line.repeat((100 << 20) / line.len());
    let mut server = Server::ready(false);
    let params = json!({"sessionId": "s", "result": {"toolCallId": "a", "tool": "bash", "content": content},
        "policy": {"tokenizer": "heuristic"}});
    let reply = server.call(COMPRESS, &params);
    let result = &reply["result"];
    let shown = result["content"].as_str().unwrap_or_else(|| panic!("{}", &reply.to_string()[..500]));
    assert!(shown.len() <= 65_536 && shown.starts_with(line) && shown.ends_with(line), "{}", shown.len());
    assert_eq!(result["evidence"]["bytes"]["before"], content.len());
    let again = server.call(COMPRESS, &json!({"sessionId": "s", "result": result_small()}));
    assert_eq!(again["result"]["content"], "x");
    server.finish();
}

fn result_small() -> Value {
    result("b", "bash", "x")
}

/// Bad input of every kind: one clear error or a safe result, and the next request works.
#[test]
fn bad_input_costs_one_error_or_passes() {
    let mut server = Server::ready(false);
    let params = |members: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":"call","method":"{COMPRESS}","params":{members}}}"#)
    };
    let long = "x".repeat(1 << 20);
    for (text, code, says) in [
        ("{\"jsonrpc\"".to_owned(), -32700, "cannot be read as JSON"),
        (params(r#"{"result":7}"#), -32602, "result: invalid type: integer `7`, expected an object"),
        (params(r#"{"result":{"content":{}}}"#), -32602, "result.content: is an object"),
        (params(r#"{"result":{"content":"x"},"policy":{"mode":"turbo"}}"#), -32602, "`turbo`"),
        (
            params(r#"{"result":{"content":"x"},"policy":{"minBytes":-1}}"#),
            -32602,
            "policy.minBytes: invalid value: integer `-1`",
        ),
        (
            params(r#"{"result":{"content":"x"},"policy":{"maxOutputBytes":-9}}"#),
            -32602,
            "policy.maxOutputBytes",
        ),
        (params(r#"{"result":{"toolCallId":"","content":"x"}}"#), -32602, "result.toolCallId: is empty"),
        (params(r#"{"sessionId":"","result":{"content":"x"}}"#), -32602, "sessionId: is empty"),
        (params(r#"{"sessionId":"closed","result":{"content":"x"}}"#), -32803, "was closed"),
        (
            params(&format!(r#"{{"result":{{"content":"x"}},"policy":{{"mode":"{long}"}}}}"#)),
            -32602,
            "policy.mode",
        ),
        (
            params(&format!(r#"{{"result":{{"content":"x"}},"policy":{{"{long}":1}}}}"#)),
            -32602,
            "expected one of `mode`",
        ),
        (
            params(&format!(r#"{{"sessionId":"{long}","result":{{"content":"x"}}}}"#)),
            -32602,
            "sessionId: has 1048576 bytes",
        ),
        (
            params(&format!(r#"{{"result":{{"tool":"{long}","content":"x"}}}}"#)),
            -32602,
            "result.tool: has 1048576 bytes",
        ),
    ] {
        if says == "was closed" {
            server.call("session/open", &json!({"sessionId": "closed"}));
            server.call("session/close", &json!({"sessionId": "closed"}));
        }
        server.send(&text);
        let reply = server.next();
        assert!(reply.len() < 2000, "{says}: {} bytes", reply.len());
        let error = serde_json::from_str::<Value>(&reply).unwrap()["error"].clone();
        assert_eq!(error["code"], code, "{reply}");
        assert!(error["message"].as_str().unwrap().contains(says), "{reply}");
        let next = server.call(COMPRESS, &json!({"sessionId": "s", "result": result_small()}));
        assert_eq!(next["result"]["content"], "x", "after {says}");
    }
    for (content, expected) in [
        ("nul \0 here, in the middle of a text\n", "nul  here, in the middle of a text\n"),
        ("\u{0}", "\u{0}"),
    ] {
        let reply = server.call(COMPRESS, &json!({"result": {"content": content}}));
        let shown = reply["result"]["content"].as_str().unwrap();
        assert!(shown == expected || shown.is_empty(), "{shown:?}");
    }
    server.finish();
}

#[test]
fn sessions_run_side_by_side_and_share_nothing() {
    let engine = Arc::new(Engine::default());
    let run = |engine: &Engine, session: &str| -> Vec<String> {
        let mut answers = Vec::new();
        for round in 0..2 {
            for i in 0..12 {
                let result = result(&format!("call{i}"), "bash", &text(i % 8, 3000));
                let params = json!({"sessionId": session, "result": result}).to_string();
                answers.push(call_text(engine, COMPRESS, &params).unwrap());
            }
            assert_eq!(answers.len(), 12 * (round + 1));
        }
        answers
    };
    let expected = run(&Engine::default(), "alone");
    assert_eq!(expected.iter().filter(|a| a.contains(r#""status":"duplicate""#)).count(), 8);
    let threads: Vec<_> = (0..4)
        .map(|i| {
            let engine = Arc::clone(&engine);
            thread::spawn(move || run(&engine, &format!("session{i}")))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), expected);
    }
}

// ---- promise 7 as a property

#[derive(Debug, Clone)]
enum Event {
    Send { call: usize, text: usize, policy: usize },
    Resend(prop::sample::Index),
    Evict(Vec<usize>),
    Visible(Vec<usize>),
}

fn event() -> impl Strategy<Value = Event> {
    let calls = || prop::collection::vec(0usize..8, 0..4);
    prop_oneof![
        6 => (0usize..8, 0usize..3, 0usize..4).prop_map(|(call, text, policy)| Event::Send { call, text, policy }),
        3 => any::<prop::sample::Index>().prop_map(Event::Resend),
        1 => calls().prop_map(Event::Evict),
        1 => calls().prop_map(Event::Visible),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any order of events: a request that is repeated gets the same bytes, a reference names an earlier call
    /// that shows the same text and is still visible, and nothing refers to a reference.
    #[test]
    fn random_sessions_keep_their_bytes(events in prop::collection::vec(event(), 1..60), memo_bytes in prop_oneof![Just(0usize), Just(2_000), Just(512 << 10)]) {
        let engine = with_memo(memo_bytes, 16 << 10);
        let policies = [json!({}), json!({"mode": "safe"}), json!({"dedup": false}), json!({"minBytes": 1})];
        let texts: Vec<String> = (0..3).map(|i| text(i, 1200)).collect();
        let id = |call: &usize| format!("call{call}");
        let mut sent: Vec<(usize, usize, usize)> = Vec::new();
        let mut answers: HashMap<(usize, usize, usize), Value> = HashMap::new();
        let mut order: Vec<usize> = Vec::new();
        let mut gone: HashSet<usize> = HashSet::new();
        for event in events {
            let request = match event {
                Event::Evict(calls) => {
                    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": calls.iter().map(id).collect::<Vec<_>>()}));
                    gone.extend(calls);
                    continue;
                }
                Event::Visible(calls) => {
                    call(&engine, "session/evicted", &json!({"sessionId": "s", "visible": calls.iter().map(id).collect::<Vec<_>>()}));
                    gone.extend(order.iter().filter(|c| !calls.contains(c)));
                    continue;
                }
                Event::Send { call, text, policy } => (call, text, policy),
                Event::Resend(index) if !sent.is_empty() => sent[index.index(sent.len())],
                Event::Resend(_) => continue,
            };
            let (number, text, policy) = request;
            let answer = send(&engine, &result(&id(&number), "bash", &texts[text]), &policies[policy]);
            let content = answer["content"].clone();
            if let Some(before) = answers.get(&request) {
                prop_assert_eq!(&content, before, "{:?}", request);
                prop_assert_eq!(&answer["evidence"]["memo"]["reused"], &json!(true));
                continue;
            }
            if !order.contains(&number) {
                order.push(number);
            }
            if let Some(first) = duplicate_of(&answer) {
                let first: usize = first.trim_start_matches("call").parse().unwrap();
                let place = |call| order.iter().position(|c| *c == call);
                prop_assert!(place(first) < place(number), "{} refers to {}", number, first);
                prop_assert!(!gone.contains(&first), "{} refers to {}, which left", number, first);
                for ((_, other, _), shown) in answers.iter().filter(|((c, ..), _)| *c == first) {
                    prop_assert_eq!(*other, text, "{} refers to {}, which showed another text", number, first);
                    prop_assert!(!shown.as_str().unwrap().starts_with("[Duplicate"), "a chain");
                }
            } else {
                // It is shown in full now, so that later ones may refer to it again.
                gone.remove(&number);
            }
            answers.insert(request, content);
            sent.push(request);
        }
        for request @ (number, text, policy) in sent {
            let answer = send(&engine, &result(&id(&number), "bash", &texts[text]), &policies[policy]);
            prop_assert_eq!(&answer["content"], &answers[&request]);
        }
    }
}
