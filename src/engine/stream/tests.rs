//! Closing a stream gives the same result as compressing the whole text. A stream that is too long reports exactly
//! what was dropped.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::engine::METHODS;
use crate::engine::Settings;
use crate::text::marker;
use crate::text::marker::Marker;

fn try_call(engine: &Engine, method: &str, params: &Value) -> Result<Value, RpcError> {
    let row = METHODS.iter().find(|m| m.name == method).unwrap();
    (row.handle)(engine, &params.to_string(), &Cancel::default())
        .map(|text| serde_json::from_str(&text).unwrap())
}

fn call(engine: &Engine, method: &str, params: &Value) -> Value {
    try_call(engine, method, params).unwrap_or_else(|e| panic!("{method}: {e}"))
}

fn open(engine: &Engine, params: &Value) -> String {
    call(engine, "toolResult/open", params)["streamId"].as_str().unwrap().to_owned()
}

fn append(engine: &Engine, id: &str, text: &str) -> Value {
    call(engine, "toolResult/append", &json!({"streamId": id, "text": text}))
}

fn small(whole: usize) -> Engine {
    let limits = StreamLimits { whole, head: 2000, middle: 2000, tail: 4000 };
    Engine::new(Settings {
        streams: StreamBounds { limits, ..StreamBounds::default() },
        ..Settings::default()
    })
}

/// A test run with terminal colours, progress and carriage returns.
fn report(tests: usize) -> String {
    let mut out = String::from("\u{1b}[32m   Compiling\u{1b}[0m shapes v0.1.0 (/project)\r\n");
    out.push_str(&(0..40).map(|i| format!("\rBuilding {i}/40 \u{1b}[K")).collect::<String>());
    out.push_str(&format!("\n\nrunning {tests} tests\n"));
    for i in 0..tests {
        let end = if i == 17 { "FAILED" } else { "ok" };
        out.push_str(&format!("test tests::größe_{i} ... {end}\r\n"));
    }
    out + "\nfailures:\n\n---- tests::größe_17 stdout ----\nthread panicked at src/lib.rs:1:1:\nno 🦀\n\ntest result: FAILED\n"
}

fn cut_at(text: &str, at: &[prop::sample::Index]) -> Vec<String> {
    let mut at: Vec<usize> = at.iter().map(|i| text.floor_char_boundary(i.index(text.len() + 1))).collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|w| text[w[0]..w[1]].to_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn closing_is_compressing_the_whole(
        tests in 20_usize..60, out in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        err in prop::collection::vec(any::<prop::sample::Index>(), 0..6), names in any::<bool>(), code in 0..3_i64,
    ) {
        let text = report(tests);
        let errors = "warning: slow\n".repeat(tests);
        let result = json!({"toolCallId": "a", "tool": "bash", "arguments": {"command": "cargo test"}});
        let params = json!({"sessionId": "s", "result": result, "policy": {"minBytes": 10}, "query": "größe"});
        let streamed = Engine::default();
        let id = open(&streamed, &params);
        let mut rest = cut_at(&errors, &err).into_iter();
        for piece in cut_at(&text, &out) {
            let name = if names { json!("stdout") } else { Value::Null };
            call(&streamed, "toolResult/append", &json!({"streamId": id, "text": piece, "stream": name}));
            if let Some(piece) = rest.next().filter(|_| names) {
                call(&streamed, "toolResult/append", &json!({"streamId": id, "text": piece, "stream": "stderr"}));
            }
        }
        for piece in rest.filter(|_| names) {
            call(&streamed, "toolResult/append", &json!({"streamId": id, "text": piece, "stream": "stderr"}));
        }
        let mut whole = params.clone();
        whole["result"]["exitCode"] = json!(code);
        let part = |text: &str| json!({"type": "text", "text": text});
        whole["result"]["content"] = if names { json!([part(&text), part(&errors)]) } else { json!(text) };
        let expected = call(&Engine::default(), "toolResult/compress", &whole);
        let peeked = call(&streamed, "toolResult/peek", &json!({"streamId": id}));
        prop_assert!(peeked.get("artifact").is_none());
        whole["result"].as_object_mut().unwrap().remove("exitCode");
        let ended = call(&Engine::default(), "toolResult/compress", &whole);
        prop_assert_eq!(&peeked["content"], &ended["content"]);
        whole["result"]["exitCode"] = json!(code);
        let closed = call(&streamed, "toolResult/close", &json!({"streamId": id, "exitCode": code}));
        prop_assert_eq!(&closed, &expected);
        // Peeking left no trace; a repeated peek gives the same.
        let again = call(&streamed, "toolResult/compress", &whole);
        prop_assert_eq!(&again["content"], &expected["content"]);
        prop_assert_eq!(&again["evidence"]["memo"]["reused"], &json!(true));
    }

    #[test]
    fn halves_of_characters_find_each_other(text in "[a🦀é\u{10ffff}]{0,12}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut at: Vec<usize> = cuts.iter().map(|i| i.index(units.len() + 1)).collect();
        at.extend([0, units.len()]);
        at.sort_unstable();
        let engine = Engine::default();
        let id = open(&engine, &json!({"result": {}}));
        for w in at.windows(2) {
            let escaped: String = units[w[0]..w[1]].iter().map(|u| format!("\\u{u:04x}")).collect();
            let params = format!("{{\"streamId\":\"{id}\",\"text\":\"{escaped}\"}}");
            engine.append_stream(&by_name(&params).unwrap(), &Cancel::default()).unwrap();
        }
        let closed = call(&engine, "toolResult/close", &json!({"streamId": id}));
        prop_assert_eq!(closed["content"].as_str().unwrap(), text);
    }
}

#[test]
fn peeking_gives_what_closing_would_also_after_other_results() {
    let engine = Engine::default();
    let text: String =
        (0..80).map(|n| format!("entry {n} of the list has {} bytes\n", n * 7919 % 1009)).collect();
    let result = |id: &str| json!({"toolCallId": id, "tool": "bash", "command": "make list"});
    let mut first = result("a");
    first["content"] = json!(text);
    call(&engine, "toolResult/compress", &json!({"sessionId": "s", "result": first}));
    for (call_id, output) in
        [("b", text.clone()), ("c", format!("{text}one more line\n")), ("d", report(60)), ("a", text.clone())]
    {
        let id = open(&engine, &json!({"sessionId": "s", "result": result(call_id)}));
        append(&engine, &id, &output);
        let peeked = call(&engine, "toolResult/peek", &json!({"streamId": id}));
        assert_eq!(peeked, call(&engine, "toolResult/peek", &json!({"streamId": id})));
        let closed = call(&engine, "toolResult/close", &json!({"streamId": id}));
        assert_eq!(peeked["content"], closed["content"], "{call_id}");
        assert!(matches!(call_id, "a" | "d") || closed["content"].as_str().unwrap().len() * 2 < output.len());
    }
}

#[test]
fn half_a_character_that_stays_alone_is_replaced() {
    let engine = Engine::default();
    let id = open(&engine, &json!({"result": {}}));
    for text in [r#""a\ud83d""#, r#""""#, r#""b\udc00c\ud83d""#] {
        let params = format!("{{\"streamId\":\"{id}\",\"text\":{text}}}");
        engine.append_stream(&by_name(&params).unwrap(), &Cancel::default()).unwrap();
    }
    let closed = call(&engine, "toolResult/close", &json!({"streamId": id}));
    assert_eq!(closed["content"], "a\u{fffd}b\u{fffd}c\u{fffd}");
}

#[test]
fn what_is_too_long_keeps_start_failures_and_end() {
    let engine = small(20_000);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let lines: Vec<String> = (0..3000)
        .map(|i| match i {
            1500 => format!("error: cannot reach the server with {secret}\n"),
            _ => format!("step {i} of the long work is done\n"),
        })
        .collect();
    let text = lines.concat();
    let params = json!({"sessionId": "s", "result": {"toolCallId": "a", "tool": "bash", "command": "make"}});
    let id = open(&engine, &params);
    let mut whole = true;
    for line in text.split_inclusive("done") {
        let told = append(&engine, &id, line);
        assert!(whole || told["whole"] == false);
        whole = told["whole"] == true;
    }
    assert!(!whole);
    let peeked = call(&engine, "toolResult/peek", &json!({"streamId": id}));
    let closed = call(&engine, "toolResult/close", &json!({"streamId": id, "exitCode": 2}));
    let content = closed["content"].as_str().unwrap();
    assert!(content.starts_with("step 0 of") && content.contains("step 2999 of"), "{content}");
    assert!(content.contains("error: cannot reach the server with") && !content.contains("ghp_0"));
    assert!(content.contains("step 1499 of") && content.contains("step 1501 of"));
    assert!(marker::is_sealed(content, &engine.policy().seal_key), "{content}");
    let gone = content.lines().find_map(|line| match Marker::parse(line) {
        Some((Marker::NotKept { lines, of, bytes, .. }, _)) => Some((lines, of, bytes)),
        _ => None,
    });
    let (gone_lines, of, gone_bytes) = gone.unwrap();
    assert_eq!(of - gone_lines, 9);
    let evidence = &closed["evidence"];
    let omission =
        evidence["omissions"].as_array().unwrap().iter().find(|o| o["reason"] == "over_input_limit");
    let omission = omission.unwrap();
    assert_eq!(
        (omission["count"].as_u64(), omission["bytes"].as_u64()),
        (Some(gone_lines as u64), Some(gone_bytes as u64))
    );
    assert_eq!(evidence["bytes"], json!({"before": text.len(), "after": content.len()}));
    assert_eq!(evidence["lines"]["before"], 3000);
    assert_eq!(peeked["content"], closed["content"]);
    // It is not changed again.
    let again = json!({"result": {"tool": "bash", "content": content}});
    assert_eq!(call(&engine, "toolResult/compress", &again)["content"], content);
}

#[test]
fn streams_that_were_named_stay_apart_when_one_is_too_long() {
    let engine = small(20_000);
    let id = open(&engine, &json!({"result": {"tool": "bash"}, "fullOutput": true}));
    let long: String = (0..2000).map(|i| format!("line {i}\n")).collect();
    for (name, text) in
        [("stderr", "one warning\n"), ("stdout", &long), ("stdout", &long), ("stderr", "and two\n")]
    {
        call(&engine, "toolResult/append", &json!({"streamId": id, "text": text, "stream": name}));
    }
    let closed = call(&engine, "toolResult/close", &json!({"streamId": id}));
    assert_eq!(closed["content"][1], json!({"type": "text", "text": "one warning\nand two\n"}));
    let out = closed["content"][0]["text"].as_str().unwrap();
    assert!(
        out.starts_with("line 0\n") && out.ends_with("line 1999\n") && out.contains(" lines not kept, "),
        "{out}"
    );
    assert_eq!(closed["content"].as_array().unwrap().len(), 2);
}

#[test]
fn all_streams_together_are_bounded() {
    let limits = StreamLimits { whole: 100_000, head: 1000, middle: 1000, tail: 1000 };
    let streams = StreamBounds { max_bytes: 60_000, limits, ..StreamBounds::default() };
    let engine = Engine::new(Settings { streams, ..Settings::default() });
    let ids: Vec<String> = (0..4).map(|_| open(&engine, &json!({"result": {}}))).collect();
    let text = "a line of a log\n".repeat(2000);
    let whole: Vec<bool> = ids.iter().map(|id| append(&engine, id, &text)["whole"] == true).collect();
    assert_eq!(whole, [true, false, false, false]);
    let closed = call(&engine, "toolResult/close", &json!({"streamId": ids[3]}));
    assert!(closed["content"].as_str().unwrap().contains(" lines not kept, "));
}

#[test]
fn streams_end_with_their_session_and_by_discard() {
    let engine = Engine::default();
    let of = |session: &str| open(&engine, &json!({"sessionId": session, "result": {"tool": "bash"}}));
    let (one, two, three) = (of("s"), of("t"), of("t"));
    call(&engine, "session/close", &json!({"sessionId": "s"}));
    let gone = |id: &str| {
        let error =
            try_call(&engine, "toolResult/append", &json!({"streamId": id, "text": "x"})).unwrap_err();
        assert!(error.message.contains(id), "{error}");
        error.data.unwrap().kind
    };
    assert_eq!(gone(&one), "stream_not_found");
    assert_eq!(call(&engine, "toolResult/discard", &json!({"streamId": two})), json!({"discarded": true}));
    assert_eq!(call(&engine, "toolResult/discard", &json!({"streamId": two})), json!({"discarded": false}));
    assert_eq!(gone(&two), "stream_not_found");
    append(&engine, &three, "x");
    call(&engine, "toolResult/close", &json!({"streamId": three}));
    assert_eq!(gone(&three), "stream_not_found");
    let closed = try_call(&engine, "toolResult/open", &json!({"sessionId": "s", "result": {}})).unwrap_err();
    assert_eq!(closed.data.unwrap().kind, "session_closed");
    let wrong = json!({"streamId": of("t"), "sessionId": "u", "text": "x"});
    assert!(try_call(&engine, "toolResult/append", &wrong).unwrap_err().message.starts_with("sessionId: "));
}

#[test]
fn what_close_would_refuse_is_refused_when_it_opens() {
    let engine = Engine::default();
    for (params, expected) in [
        (
            json!({"result": {"content": "x"}}),
            "result.content: is given by `toolResult/append`, expected none here",
        ),
        (
            json!({"result": {"output": "x"}}),
            "result.content: is given by `toolResult/append`, expected none here",
        ),
        (json!({"result": {"toolCallId": ""}}), "result.toolCallId: is empty, allowed are 1 to 512 bytes"),
        (
            json!({"result": {"exitCode": "x"}}),
            "result.exitCode: invalid type: string \"x\", expected a whole number",
        ),
        (
            json!({"result": {}, "policy": {"maxOutputBytes": 0}}),
            "policy.maxOutputBytes: 0 is out of range, allowed is 1 to 1048576",
        ),
    ] {
        assert_eq!(try_call(&engine, "toolResult/open", &params).unwrap_err().message, expected);
    }
    let id = open(&engine, &json!({"result": {"tool": "bash", "exit_code": 7}}));
    let bad = json!({"streamId": id, "text": 5});
    assert_eq!(try_call(&engine, "toolResult/append", &bad).unwrap_err().message, "text: expected a string");
    let bad = json!({"streamId": id, "text": "", "stream": "stdin"});
    assert!(try_call(&engine, "toolResult/append", &bad).unwrap_err().message.contains("`stderr`"));
    let closed = call(&engine, "toolResult/close", &json!({"streamId": id, "exitCode": null}));
    assert_eq!((&closed["content"], &closed["evidence"]["exitCode"]), (&json!(""), &json!(7)));
}

#[test]
fn what_is_cancelled_did_not_happen() {
    let engine = Engine::default();
    let cancel = Cancel::default();
    cancel.cancel();
    let raw = r#"{"result":{}}"#;
    assert_eq!(engine.open_stream(&by_name(raw).unwrap(), raw, &cancel).unwrap_err().code, -32800);
    assert_eq!(engine.streams().ordering_key("stream-1"), None);
    let id = open(&engine, &json!({"result": {}}));
    append(&engine, &id, "kept\n");
    let piece = format!("{{\"streamId\":\"{id}\",\"text\":\"lost\"}}");
    assert!(engine.append_stream(&by_name(&piece).unwrap(), &cancel).is_err());
    assert!(engine.close_stream(&by_name(&piece).unwrap(), &cancel).is_err());
    assert_eq!(call(&engine, "toolResult/close", &json!({"streamId": id}))["content"], "kept\n");
}

#[test]
fn a_stream_that_nobody_uses_ends() {
    let streams = StreamBounds { max_idle: Duration::ZERO, ..StreamBounds::default() };
    let engine = Engine::new(Settings { streams, ..Settings::default() });
    let id = open(&engine, &json!({"result": {}}));
    std::thread::sleep(Duration::from_millis(2));
    assert!(try_call(&engine, "toolResult/close", &json!({"streamId": id})).is_err());
}

#[test]
fn a_peek_holds_back_what_may_be_the_start_of_a_secret() {
    let token = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for (given, end, shown) in [
        (format!("line\ntoken {}", &token[..38]), &token[38..], "line\n"),
        (format!("line\nkey={}", &token[..30]), &token[30..], "line\n"),
        (format!("line\nit is {token}"), "", "line\n"),
        (format!("line\nit is {token}\n"), "", "line\nit is [REDACTED:github-pat]\n"),
        ("line\nseed phrase: ribbon cactus".to_owned(), "", "line\n"),
        ("line\nand a longword".to_owned(), "", "line\nand a longword"),
        ("line\ndata: dG9rZW4gZ2hwXzE2Qzdl".to_owned(), "NDJGMjky\n", "line\ndata: "),
        (format!("password: x\n{}", "word ".repeat(9)), "", &format!("password: x\n{}", "word ".repeat(9))),
    ] {
        let engine = Engine::default();
        let id = open(&engine, &json!({"result": {}}));
        call(&engine, "toolResult/append", &json!({"streamId": id, "text": given}));
        let peeked = call(&engine, "toolResult/peek", &json!({"streamId": id}));
        assert_eq!(peeked["content"], shown);
        call(&engine, "toolResult/append", &json!({"streamId": id, "text": end}));
        let closed = call(&engine, "toolResult/close", &json!({"streamId": id}));
        assert!(!closed["content"].as_str().unwrap().contains(&token[4..]), "{closed}");
    }
}
