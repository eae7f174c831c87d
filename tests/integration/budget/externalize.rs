//! Pointers with a preview.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tersed::artifact::Limits;
use tersed::engine::{Engine, Settings};
use tersed::session::Bounds;
use tersed::text::signals;
use tersed::text::source::Source;

use super::common::{call, numbered, samples};

fn compress(engine: &Engine, result: &Value, more: &Value) -> Value {
    let mut params = json!({"sessionId": "s", "result": result, "policy": {"externalizeAbove": 8192}});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    call(engine, "toolResult/compress", &params).unwrap()
}

fn content(out: &Value) -> &str {
    out["content"].as_str().unwrap()
}

/// Key, kind and summary of the pointer that a text starts with.
fn pointer(text: &str) -> (String, String, String) {
    let line = text.lines().next().unwrap();
    let body = line.strip_prefix("[EXTERNALIZED: ").and_then(|rest| rest.strip_suffix(']')).expect(line);
    let mut parts = body.splitn(3, " | ").map(str::to_owned);
    (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap())
}

fn log() -> String {
    numbered(800, |i| match i {
        333 => "error: disk /dev/sdb failed".to_owned(),
        334 => "  expected: 5".to_owned(),
        700 => "41 passed, 1 failed in 2.1s".to_owned(),
        _ => format!("entry {i} has words of its own {}", i * 7919 % 1009),
    })
}

fn plain(id: &str, text: &str) -> Value {
    json!({"toolCallId": id, "tool": "bash", "content": text})
}

#[test]
fn a_large_text_becomes_a_pointer_with_a_preview_and_is_read_back() {
    let engine = Engine::default();
    let text = log();
    let out = compress(&engine, &plain("a", &text), &json!({}));
    let (key, kind, summary) = pointer(content(&out));
    assert_eq!(kind, "ERROR");
    assert_eq!(summary, format!("800 lines, 2 failure lines, {} bytes", text.len()));
    for part in [
        "entry 1 has",
        "error: disk /dev/sdb failed",
        "  expected: 5",
        "41 passed, 1 failed",
        "entry 800 has",
    ] {
        assert!(content(&out).contains(part), "{part}\n{}", content(&out));
    }
    assert!(content(&out).contains(", externalized]"));
    assert_eq!(out["artifact"]["id"], key.as_str());
    assert_eq!(out["evidence"]["externalized"], key.as_str());
    assert!(!out["evidence"]["omissions"].as_array().unwrap().is_empty());
    let read = call(&engine, "artifact/read", &json!({"sessionId": "s", "id": key})).unwrap();
    assert!(read["text"].as_str().unwrap().starts_with("entry 1 has"), "{read}");
    // Sent again, it is the same; and an output of ours does not become an original.
    assert_eq!(compress(&engine, &plain("a", &text), &json!({}))["content"], out["content"]);
    let ours = compress(&engine, &plain("b", content(&out)), &json!({"policy": {"externalizeAbove": 100}}));
    assert_eq!(ours["content"], out["content"]);
}

#[test]
fn kinds_are_told_by_content() {
    let engine = Engine::default();
    let object: Vec<String> = (0..400).map(|i| format!("\"key_{i}\": \"value {}\"", i * 31)).collect();
    let diff = format!(
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,500 +1,500 @@\n{}",
        numbered(500, |i| format!("-old line {i}\n+new line {i}"))
    );
    let cases = [
        (format!("{{{}}}", object.join(", ")), "JSON", "JSON object with 400 fields, "),
        (format!("[{}]", vec!["12345678"; 1200].join(",")), "JSON", "JSON array with 1200 items, "),
        (numbered(600, |i| format!("key_{i}: value number {i}")), "YAML", "600 lines, "),
        (diff, "DIFF", "1004 lines, "),
        (
            numbered(600, |i| format!("word and word again, number {}", i * 7919 % 1009)),
            "TEXT",
            "600 lines, ",
        ),
    ];
    for (i, (text, kind, summary)) in cases.iter().enumerate() {
        let out = compress(&engine, &plain(&format!("call_{i}"), text), &json!({}));
        let (_, got, told) = pointer(content(&out));
        assert_eq!(got, *kind, "{}", content(&out));
        assert_eq!(told, format!("{summary}{} bytes", text.len()));
    }
    let bytes: Vec<u8> = (0..20_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let text: String = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(&bytes)
    };
    let result =
        json!({"toolCallId": "binary", "tool": "read", "content": [{"type": "bytes", "base64": text}]});
    let out = compress(&engine, &result, &json!({}));
    let shown = STANDARD.decode(out["content"][0]["base64"].as_str().unwrap()).unwrap();
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("| BINARY | application/octet-stream, 20000 bytes]"), "{out}");
}

/// Bytes of a line above which it may be cut inside.
const LONG_LINE: usize = 2000;

#[test]
fn failures_survive_in_every_preview() {
    let engine = Engine::default();
    let mut judged = 0;
    for (i, sample) in samples().iter().enumerate() {
        let result = sample.result(&format!("call_{i}"));
        let out = compress(
            &engine,
            &result,
            &json!({"policy": {"externalizeAbove": 3000, "minBytes": 0, "onRepeat": "same", "dedup": false}}),
        );
        let text = content(&out);
        let guard = &out["evidence"]["guard"];
        assert_eq!(guard["signals"], guard["kept"], "{}\n{text}", sample.name);
        if !text.starts_with("[EXTERNALIZED: ") {
            continue;
        }
        judged += 1;
        assert!(out["evidence"]["tokens"]["after"].as_u64() < out["evidence"]["tokens"]["before"].as_u64());
        if guard["signals"].as_u64() > Some(0) {
            let source = Source::new(&sample.text);
            let first = signals::failure_lines(&source).first().map(|&line| source.line(line).trim());
            // A report on one line is cut inside, which the count of the guard includes. White space of JSON and
            // colours are removed.
            let is_whole = |line: &str| {
                let is_rewritten = line.len() > LONG_LINE || line.starts_with('{') || line.contains('\u{1b}');
                is_rewritten || text.contains(line)
            };
            assert!(first.is_none_or(is_whole), "{}\n{text}", sample.name);
        }
    }
    assert!(judged > 100, "{judged}");
}

#[test]
fn what_cannot_be_kept_is_compressed_as_usual() {
    let text = log();
    let usual = {
        let params = json!({"sessionId": "s", "result": plain("a", &text)});
        call(&Engine::default(), "toolResult/compress", &params).unwrap()
    };
    // No session: the limits are not those of a small context.
    let usual_alone =
        call(&Engine::default(), "toolResult/compress", &json!({"result": plain("a", &text)})).unwrap();
    let alone = json!({"result": plain("a", &text), "policy": {"externalizeAbove": 8192}});
    let out = call(&Engine::default(), "toolResult/compress", &alone).unwrap();
    assert_eq!(out["content"], usual_alone["content"]);
    assert!(out["evidence"]["steps"].to_string().contains("no_session"), "{}", out["evidence"]["steps"]);
    // A store without room.
    let artifacts = Limits { max_artifact_bytes: 1000, ..Limits::default() };
    let engine = Engine::new(Settings { artifacts, ..Settings::default() });
    let out = compress(&engine, &plain("a", &text), &json!({}));
    assert_eq!(out["content"], usual["content"]);
    assert!(out["evidence"]["steps"].to_string().contains("not_stored"), "{}", out["evidence"]["steps"]);
    assert!(out.get("artifact").is_none());
}

#[test]
fn originals_outlive_pressure_on_the_store_and_end_with_the_session() {
    let artifacts = Limits { max_count: 4, ..Limits::default() };
    let session = Bounds { memo_bytes: 0, ..Bounds::default() };
    let engine = Engine::new(Settings { artifacts, session, ..Settings::default() });
    let text = log();
    let out = compress(&engine, &plain("a", &text), &json!({}));
    let key = pointer(content(&out)).0;
    for i in 0..9 {
        let other = numbered(900, |n| format!("other {n} has words of its own {}", n * (i + 3)));
        let params = json!({"sessionId": "s", "result": plain(&format!("other_{i}"), &other)});
        call(&engine, "toolResult/compress", &params).unwrap();
    }
    let read = json!({"sessionId": "s", "id": key});
    assert!(call(&engine, "artifact/read", &read).is_ok());
    // Without the memo, from the decision.
    assert_eq!(compress(&engine, &plain("a", &text), &json!({}))["content"], out["content"]);
    call(&engine, "session/close", &json!({"sessionId": "s"})).unwrap();
    assert!(call(&engine, "artifact/read", &read).is_err());
}

#[test]
fn a_budget_holds_for_pointers_too() {
    let engine = Engine::default();
    let text = numbered(2000, |i| match i % 4 {
        0 => format!("error: number {} is bad", i * 7919 % 1009),
        _ => format!("entry {i} has words of its own"),
    });
    let out = compress(&engine, &plain("a", &text), &json!({"budget": {"perResult": 300}}));
    assert!(content(&out).starts_with("[EXTERNALIZED: "), "{out}");
    assert!(out["evidence"]["tokens"]["after"].as_u64() <= Some(300));
    assert_eq!(out["evidence"]["budget"]["met"], true);
}

#[test]
fn what_only_looks_like_a_pointer_is_escaped() {
    let engine = Engine::default();
    let text =
        "see\n[EXTERNALIZED: 0123456789abcdef | JSON | JSON object with 42 fields, 15234 bytes]\nthere\n";
    let out = compress(&engine, &plain("a", text), &json!({}));
    assert!(content(&out).contains("\n\\[EXTERNALIZED: 0123456789abcdef"), "{out}");
    let again = compress(&engine, &plain("b", content(&out)), &json!({"policy": {"dedup": false}}));
    assert_eq!(again["content"], out["content"]);
}

#[test]
fn every_part_of_a_pointer_says_why_it_is_cut() {
    let engine = Engine::default();
    let other = numbered(900, |i| format!("row {i} has words of its own {}", i * 7907 % 1013));
    let parts = [json!({"type": "text", "text": log()}), json!({"type": "text", "text": other})];
    let out = compress(&engine, &json!({"toolCallId": "a", "tool": "bash", "content": parts}), &json!({}));
    let texts: Vec<&str> =
        out["content"].as_array().unwrap().iter().map(|part| part["text"].as_str().unwrap()).collect();
    assert!(texts[0].starts_with("[EXTERNALIZED: "), "{out}");
    assert!(
        texts.iter().all(|text| text.contains(", externalized]") && !text.contains(", budget]")),
        "{out}"
    );
    let cut = out["evidence"]["omissions"].as_array().unwrap();
    assert!(cut.iter().any(|gap| gap["part"] == 1) && cut.iter().all(|gap| gap["reason"] == "externalized"));
}
