//! Whole request bodies: only tool results change, in the same way in every format, and results that were sent keep
//! the same bytes as the conversation grows.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::common::{Server, call, call_text, try_call};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tersed::engine::{Cancel, Engine, Settings};
use tersed::session::Bounds;

const MESSAGES: &str = "messages/compress";
const FORMATS: &[&str] = &["openai-chat", "openai-responses", "anthropic", "gemini", "mcp"];

/// One call and its result.
#[derive(Debug, Clone)]
struct Turn {
    tool: &'static str,
    arguments: Value,
    output: String,
    is_error: bool,
}

/// A linear congruential generator: the same session in every run.
struct Dice(usize);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Sessions in which files are read, edited and read again, and tests run again.
fn turns(count: usize, seed: usize) -> Vec<Turn> {
    let mut dice = Dice(seed);
    let mut file: Vec<String> = (0..90)
        .map(|i| format!("    let value_{i} = compute({}, \"né {}\");", dice.below(99), i * 7))
        .collect();
    (0..count)
        .map(|i| match dice.below(5) {
            0 => {
                let at = dice.below(file.len());
                file[at] = format!("    // changed in turn {i}: {}", dice.below(999));
                let arguments = json!({"path": "src/a.rs", "line": at});
                Turn { tool: "edit", arguments, output: format!("line {} was replaced\n", at + 1), is_error: false }
            }
            1 | 2 => {
                let mut output = String::new();
                for (n, line) in file.iter().enumerate() {
                    writeln!(output, "{:>6}\t{line}", n + 1).unwrap();
                }
                Turn { tool: "read_file", arguments: json!({"path": "src/a.rs"}), output, is_error: false }
            }
            3 => {
                let failed = dice.below(30);
                let mut output = "\nrunning 30 tests\n".to_owned();
                for n in 0..30 {
                    let end = if n == failed { "FAILED" } else { "ok" };
                    writeln!(output, "test tests::case_{n} ... {end}").unwrap();
                }
                write!(output, "\nfailures:\n\n---- tests::case_{failed} stdout ----\n").unwrap();
                writeln!(output, "thread 'tests::case_{failed}' panicked at src/a.rs:{i}:5:\nassertion failed").unwrap();
                write!(output, "\ntest result: FAILED. 29 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.0{}s\n\n", dice.below(9)).unwrap();
                Turn { tool: "bash", arguments: json!({"command": "cargo test"}), output, is_error: true }
            }
            _ => {
                let rows: Vec<Value> =
                    (0..20 + dice.below(20)).map(|n| json!({"id": n, "name": format!("row {n}"), "turn": i})).collect();
                let output = serde_json::to_string_pretty(&rows).unwrap();
                Turn { tool: "query", arguments: json!({"sql": format!("select {i}")}), output, is_error: false }
            }
        })
        .collect()
}

/// A JSON string, with escapes that nobody needs.
fn string(text: &str) -> String {
    serde_json::to_string(text).unwrap().replace('g', "\\u0067").replace('/', "\\/")
}

/// The messages of one turn, as text with odd white space and members that nobody knows.
fn messages(format: &str, i: usize, turn: &Turn, output: &str) -> Vec<String> {
    let Turn { tool, arguments, is_error, .. } = turn;
    let text = string(&arguments.to_string());
    match format {
        "openai-chat" => vec![
            format!(
                r#"{{"role":"assistant" ,"content":null,"tool_calls":[{{"id":"c{i}","type":"function","function":{{"name":"{tool}","arguments":{text}}}}}]}}"#
            ),
            format!(r#"{{ "tool_call_id":"c{i}","role":"tool", "x":1.50,"content":{output} ,"x":1e400}}"#),
        ],
        "openai-responses" => vec![
            format!(r#"{{"type":"reasoning","id":"r{i}","summary":[]}}"#),
            format!(
                r#"{{"type":"function_call","call_id":"c{i}","name":"{tool}","arguments":{text},"status":"completed"}}"#
            ),
            format!(
                "{{\n  \"type\": \"function_call_output\",\n  \"call_id\": \"c{i}\",\n  \"output\": {output}\n}}"
            ),
        ],
        "anthropic" => vec![
            format!(
                r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"a","signature":"+\/=="}},{{"type":"tool_use","id":"c{i}","name":"{tool}","input":{arguments}}}]}}"#
            ),
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{i}","is_error":{is_error},"content":[{{"type":"text","text":{output},"cache_control":{{"type":"ephemeral"}}}},{{"type":"image","source":{{"data":"AAAA"}}}} ]}}]}}"#
            ),
        ],
        "gemini" => vec![
            format!(
                r#"{{"role":"model","parts":[{{"functionCall":{{"name":"{tool}","args":{arguments}}},"thoughtSignature":"eA=="}}]}}"#
            ),
            format!(
                r#"{{"role":"user","parts":[{{"functionResponse":{{"name":"{tool}","response":{{"output":{output},"took":0.10}}}}}}]}}"#
            ),
        ],
        "mcp" => vec![
            format!(
                r#"{{"jsonrpc":"2.0","id":{i},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":{i},"result":{{"content":[{{"type":"text","text":{output}}}],"structuredContent":{{"a":  1}},"isError":{is_error}}}}}"#
            ),
        ],
        other => panic!("{other}"),
    }
}

/// The start of a body, up to its messages, and the end.
fn frame(format: &str) -> (&'static str, &'static str) {
    match format {
        "openai-responses" => (r#"{"model":"m","input":["#, r#"],"tools":[]}"#),
        "gemini" => (r#"{"contents":["#, r#"]}"#),
        "mcp" => ("[", "]"),
        _ => (r#"{"model":"m", "messages":[{"role":"user","content":"go"},"#, r#"],"temperature":0.10}"#),
    }
}

fn body_of(format: &str, parts: &[Vec<String>]) -> String {
    let (start, end) = frame(format);
    let separator = if format == "gemini" { ",\n " } else { "," };
    format!("{start}{}{end}", parts.concat().join(separator))
}

fn body(format: &str, turns: &[Turn]) -> String {
    let parts: Vec<_> =
        turns.iter().enumerate().map(|(i, t)| messages(format, i, t, &string(&t.output))).collect();
    body_of(format, &parts)
}

/// Sends a body in session `s`; gives the text of the new body and the rest of the answer.
fn send(engine: &Engine, body: &str, more: &Value) -> (String, Value) {
    let mut params = more.as_object().unwrap().clone();
    params.entry("sessionId").or_insert(json!("s"));
    let mut text = Value::Object(params).to_string();
    text.truncate(text.len() - 1);
    write!(text, ",\"body\":{body}}}").unwrap();
    let answer = call_text(engine, MESSAGES, &text).unwrap_or_else(|e| panic!("{e}: {body}"));
    // A body may hold numbers that no value can.
    let mut members: HashMap<String, Box<RawValue>> = serde_json::from_str(&answer).unwrap();
    let body = members.remove("body").unwrap();
    let rest = members.into_iter().map(|(name, raw)| (name, serde_json::from_str(raw.get()).unwrap()));
    (body.get().to_owned(), Value::Object(rest.collect()))
}

fn error(body: &Value, more: Value) -> String {
    let mut params = more;
    params["body"] = body.clone();
    let error = try_call(&Engine::default(), MESSAGES, &params).unwrap_err();
    assert_eq!(error.code, -32602, "{error}");
    error.message
}

// ---- what changes

#[test]
fn every_byte_but_the_texts_stays_and_they_are_those_of_compress() {
    let turns = turns(30, 3);
    for format in FORMATS {
        let alone = Engine::default();
        let mut turn_of = 0;
        let parts: Vec<_> = turns
            .iter()
            .enumerate()
            .map(|(i, turn)| {
                let mut result =
                    json!({"tool": turn.tool, "arguments": turn.arguments, "content": turn.output});
                turn_of = turns[..=i].iter().filter(|t| t.tool == turn.tool).count();
                match *format {
                    "gemini" => result["toolCallId"] = json!(format!("{}#{turn_of}", turn.tool)),
                    "mcp" => result["toolCallId"] = json!(i.to_string()),
                    _ => result["toolCallId"] = json!(format!("c{i}")),
                }
                if matches!(*format, "anthropic" | "mcp") {
                    result["isError"] = json!(turn.is_error);
                }
                let answer =
                    call(&alone, "toolResult/compress", &json!({"sessionId": "s", "result": result}));
                let new = answer["content"].as_str().unwrap();
                let text = if new == turn.output { string(new) } else { json!(new).to_string() };
                messages(format, i, turn, &text)
            })
            .collect();
        let before = body(format, &turns);
        let (after, answer) = send(&Engine::default(), &before, &json!({}));
        let expected = body_of(format, &parts);
        let at = after.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            text[text.floor_char_boundary(at.saturating_sub(200))..].chars().take(400).collect::<String>()
        };
        assert!(after == expected, "{format}:\n{}\n\n{}", near(&after), near(&expected));
        assert!(after.len() < before.len() * 2 / 3, "{format}");
        assert_eq!(answer["format"], *format);
        assert_eq!(answer["results"].as_array().unwrap().len(), turns.len());
        let sum = |side: &str| -> u64 {
            let all = answer["results"].as_array().unwrap();
            all.iter().map(|r| r["evidence"]["tokens"][side].as_u64().unwrap()).sum()
        };
        assert_eq!(answer["tokens"], json!({"before": sum("before"), "after": sum("after")}));
        assert_eq!(send(&Engine::default(), &before, &json!({"format": format})).0, after);
        // An output that is sent again does not change.
        let once = send(&Engine::default(), &before, &json!({"sessionId": null})).0;
        assert!(send(&Engine::default(), &once, &json!({"sessionId": null})).0 == once, "{format}");
    }
}

#[test]
fn the_call_tells_what_the_result_is() {
    let turn = Turn {
        tool: "bash",
        arguments: json!({"command": "cat Cargo.lock"}),
        output: turns(40, 3).into_iter().find(|t| t.tool == "bash").unwrap().output,
        is_error: true,
    };
    for format in FORMATS {
        let (_, answer) = send(
            &Engine::default(),
            &body(format, std::slice::from_ref(&turn)),
            &json!({"policy": {"excludeTools": ["bash"]}}),
        );
        assert_eq!(answer["results"][0]["evidence"]["bypass"], "excluded_tool", "{format}");
        let id = match *format {
            "gemini" => "bash#1",
            "mcp" => "0",
            _ => "c0",
        };
        assert_eq!(answer["results"][0]["toolCallId"], id);
    }
}

#[test]
fn what_is_no_text_of_a_result_stays() {
    let long = "the same line again\n".repeat(200);
    let engine = Engine::default();
    for body in [
        json!({"input": "just a question"}),
        json!({"input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": long}]},
            {"type": "computer_call_output", "call_id": "a", "output": {"type": "computer_screenshot", "image_url": long}},
            {"type": "file_search_call", "results": [{"text": long}]},
            {"type": "mcp_call", "id": "m", "output": long},
            {"type": "function_call", "call_id": "f", "name": "n", "arguments": long},
            {"type": "function_call_output", "call_id": "f", "output": [{"type": "input_image", "image_url": long}]}]}),
        json!({"messages": [
            {"role": "system", "content": long}, {"role": "user", "content": long}, {"role": "assistant", "content": long},
            {"role": "assistant", "content": [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": long}},
                {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "text", "text": long}]}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "e"},
                {"type": "tool_result", "tool_use_id": "f", "content": [{"type": "document", "source": {"type": "text", "data": long}},
                    {"type": "search_result", "content": [{"type": "text", "text": long}]}]}]}]}),
        json!({"messages": [{"role": "tool", "tool_call_id": "a", "content": null}]}),
        json!({"contents": [{"role": "user", "parts": [{"text": long}, {"functionResponse": {"name": "n", "response": {"data": long, "n": 1}}}]},
            {"role": "model", "parts": [{"executableCode": {"code": long}}, {"codeExecutionResult": {"output": long}}]}]}),
        json!({"content": [{"type": "resource", "resource": {"uri": "a", "text": long}}], "structuredContent": {"text": long}}),
        json!([{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": long}}, {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": long}}]),
    ] {
        let (after, answer) = send(&engine, &body.to_string(), &json!({}));
        assert_eq!(after, body.to_string());
        assert_eq!(answer["results"], json!([]), "{body}");
        assert_eq!(answer["tokens"], json!({"before": 0, "after": 0}));
    }
}

#[test]
fn results_of_all_shapes_are_found() {
    let long = "the same line again\n".repeat(200);
    let text = json!([{"type": "text", "text": long}, {"type": "image_url", "image_url": {"url": "a"}}]);
    let cases = [
        (
            "openai-chat",
            json!({"messages": [{"role": "tool", "tool_call_id": "a", "content": text}]}),
            "a",
            "messages[0]",
        ),
        (
            "openai-chat",
            json!({"messages": [
            {"role": "assistant", "function_call": {"name": "look", "arguments": "{\"path\":\"x\"}"}},
            {"role": "function", "name": "look", "content": long}]}),
            "look#1",
            "messages[1]",
        ),
        (
            "openai-chat",
            json!({"messages": [
            {"role": "assistant", "tool_calls": [{"id": "k", "type": "custom", "custom": {"name": "look", "input": "x"}}]},
            {"role": "tool", "tool_call_id": "k", "content": long}]}),
            "k",
            "messages[1]",
        ),
        (
            "openai-responses",
            json!({"input": [{"type": "function_call_output", "call_id": "a", "output": [{"type": "input_text", "text": long}]}]}),
            "a",
            "input[0]",
        ),
        (
            "openai-responses",
            json!({"input": [{"type": "custom_tool_call_output", "call_id": "a", "output": long}]}),
            "a",
            "input[0]",
        ),
        (
            "openai-responses",
            json!({"input": [
            {"type": "local_shell_call", "id": "i", "call_id": "a", "action": {"type": "exec", "command": ["ls"]}},
            {"type": "local_shell_call_output", "id": "i", "output": long}]}),
            "i",
            "input[1]",
        ),
        (
            "openai-responses",
            json!({"input": [
            {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls", "ls -l"]}},
            {"type": "shell_call_output", "call_id": "a", "output": [
                {"stdout": long, "stderr": "", "outcome": {"type": "exit", "exit_code": 3}}]}]}),
            "a",
            "input[1]",
        ),
        (
            "anthropic",
            json!({"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": long}]}]}),
            "a",
            "messages[0].content[0]",
        ),
        (
            "gemini",
            json!({"contents": [{"parts": [{"functionResponse": {"id": "a", "name": "n", "response": {"result": {"stdout": long, "exitCode": 3}}}}]}]}),
            "a",
            "contents[0].parts[0].functionResponse",
        ),
        (
            "gemini",
            json!({"contents": {"parts": [{"function_response": {"name": "n", "response": {"content": text}}}]}}),
            "n#1",
            "contents.parts[0].function_response",
        ),
        ("mcp", json!({"content": text}), "", "content"),
        ("mcp", json!({"jsonrpc": "2.0", "id": "a", "result": {"content": text}}), "a", "result"),
        ("mcp", json!([{"content": text}, {"id": 7, "result": {"content": text}}]), "", "[0]"),
    ];
    for (format, body, id, place) in cases {
        let (after, answer) = send(&Engine::default(), &body.to_string(), &json!({}));
        let first = &answer["results"][0];
        assert_eq!(answer["format"], format, "{body}");
        assert_eq!(first["toolCallId"].as_str().unwrap_or(""), id, "{body}");
        assert_eq!(first["place"], place);
        assert_eq!(first["evidence"]["status"], "compressed");
        assert!(after.len() < body.to_string().len() / 2 && after.contains("[tersed#"), "{after}");
        if body.to_string().contains("xit") {
            assert_eq!(first["evidence"]["exitCode"], 3, "{first}");
        }
    }
}

#[test]
fn what_shells_wrap_into_json_is_read_and_stays_json() {
    let report = turns(40, 3).into_iter().find(|t| t.tool == "bash").unwrap().output;
    let wrapped = |text: &str, error: &str| {
        let (text, error) = (json!(text), json!(error));
        format!(
            r#"{{"output":{text}, "stderr" : {error},"metadata":{{"exit_code":101,"duration_seconds":0.10}}}}"#
        )
    };
    let body = |wrapped: &str| {
        json!({"input": [{"type": "function_call", "call_id": "a", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"cargo test\"]}"},
            {"type": "function_call_output", "call_id": "a", "output": wrapped}]})
    };
    let noise = "warning: the same again\n".repeat(90);
    let (after, answer) = send(&Engine::default(), &body(&wrapped(&report, &noise)).to_string(), &json!({}));
    let result = json!({"toolCallId": "a", "tool": "shell", "command": "cargo test", "exitCode": 101, "content": [
        {"type": "text", "text": report}, {"type": "text", "text": noise}]});
    let alone = call(&Engine::default(), "toolResult/compress", &json!({"sessionId": "s", "result": result}));
    let text = |i: usize| alone["content"][i]["text"].as_str().unwrap();
    assert_eq!(after, body(&wrapped(text(0), text(1))).to_string());
    assert!(text(0).len() < report.len() && text(1).len() < noise.len());
    assert_eq!(answer["results"][0]["evidence"]["exitCode"], 101);
    assert_eq!(answer["results"][0]["evidence"]["reducer"], "cargo_test");
    // Without an exit code, or with a member twice, it is a text like any other.
    for other in [
        r#"{"output":"x"}"#,
        r#"{"output":"x","output":"y","exit_code":1}"#,
        r#"{"output":{},"exit_code":1}"#,
    ] {
        let (_, answer) = send(&Engine::default(), &body(other).to_string(), &json!({}));
        assert_eq!(answer["results"][0]["evidence"]["bytes"]["before"], other.len());
    }
}

#[test]
fn structured_content_stays_unless_it_repeats_the_text_and_may_go() {
    let rows: Vec<Value> = (0..30).map(|i| json!({"id": i, "name": format!("row {i}")})).collect();
    let text = serde_json::to_string_pretty(&json!({"rows": rows})).unwrap();
    let result = |structured: Value| json!({"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": false});
    let same = result(json!({"rows": rows}));
    let other = result(json!({"rows": 30}));
    let send = |body: &Value, how: &str| -> Value {
        let (after, _) = send(&Engine::default(), &body.to_string(), &json!({"structuredContent": how}));
        serde_json::from_str(&after).unwrap()
    };
    assert_eq!(send(&same, "keep")["structuredContent"], same["structuredContent"]);
    assert_eq!(send(&other, "dropRepeated")["structuredContent"], other["structuredContent"]);
    let dropped = send(&same, "dropRepeated");
    assert_eq!(dropped.get("structuredContent"), None);
    assert_eq!((&dropped["isError"], &dropped["content"]), (&json!(false), &send(&same, "keep")["content"]));
    assert_eq!(send(&json!([same, other]), "dropRepeated")[0], dropped);
}

#[test]
fn secrets_of_results_never_come_back_and_broken_characters_are_no_fault() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let body = format!(
        r#"{{"messages":[{{"role":"tool","tool_call_id":"a","content":"token: {secret}\n"}},{{"role":"tool","tool_call_id":"b","content":"half \ud83d of it"}},{{"role":"tool","tool_call_id":"c","content":"half \ud83d of {secret}"}}]}}"#
    );
    for more in [json!({}), json!({"keepNewest": 9}), json!({"policy": {"mode": "disabled"}})] {
        let (after, answer) = send(&Engine::default(), &body, &more);
        assert!(!after.contains(secret) && !answer.to_string().contains(secret), "{after}");
        assert!(after.contains(r#""half \ud83d of it""#), "{after}");
    }
}

#[test]
fn half_a_surrogate_pair_is_one_replacement_character_everywhere() {
    let filler: String = (0..300).map(|n| format!("line {n} of the text\\n")).collect();
    let text = format!(r#""a\ud83d b\n{filler}""#);
    let body = format!(
        r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{text}}}]}}]}}"#
    );
    let (after, answer) = send(&Engine::default(), &body, &json!({"policy": {"mode": "aggressive"}}));
    assert_ne!(answer["tokens"]["after"], answer["tokens"]["before"]);
    assert!(after.contains("a\u{fffd} b\\n"), "{}", &after[..200]);
}

#[test]
fn members_of_a_result_that_nobody_knows_lose_their_secrets() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    for kind in ["tool_result", "web_search_tool_result"] {
        let body = format!(
            r#"{{"messages":[{{"role":"user","content":[{{"new":{{"a":"{secret}"}},"type":"{kind}","tool_use_id":"{secret}","content":"x {secret}","more":["{secret}"],"cache_control":{{"type":"ephemeral"}}}}]}}]}}"#
        );
        let (after, _) = send(&Engine::default(), &body, &json!({}));
        assert_eq!(after.matches(secret).count(), 1, "only the id stays: {after}");
        assert_eq!(after.matches("[REDACTED:github-pat]").count(), 3, "{after}");
    }
    for body in [
        format!(
            r#"{{"messages":[{{"role":"tool","tool_call_id":"{secret}","output":"{secret}","more":["{secret}"]}}]}}"#
        ),
        format!(
            r#"{{"input":[{{"type":"function_call_output","call_id":"{secret}","more":{{"a":"{secret}"}},"b":"{secret}"}}]}}"#
        ),
        format!(
            r#"{{"input":[{{"type":"future_output","call_id":"{secret}","output":"{secret}","more":["{secret}"]}}]}}"#
        ),
    ] {
        let format = if body.contains("messages") { "openai-chat" } else { "openai-responses" };
        let (after, _) = send(&Engine::default(), &body, &json!({"format": format}));
        assert_eq!(after.matches(secret).count(), 1, "only the id stays: {after}");
        assert_eq!(after.matches("[REDACTED:github-pat]").count(), 2, "{after}");
    }
}

// ---- growing conversations

/// Whether one body starts as the other, but for its end.
fn grows(earlier: &str, later: &str, format: &str) -> bool {
    let end = frame(format).1;
    later.starts_with(earlier.strip_suffix(end).unwrap())
}

fn without_memo() -> Engine {
    let session = Bounds { memo_bytes: 0, memo_entry_bytes: 0, ..Bounds::default() };
    Engine::new(Settings { session, ..Settings::default() })
}

#[test]
fn each_request_of_a_session_of_100_turns_starts_as_the_one_before() {
    let turns = turns(100, 11);
    for format in FORMATS {
        let engine = Engine::default();
        let mut last = String::new();
        let mut duplicates = 0;
        for n in 1..=turns.len() {
            let (now, answer) = send(&engine, &body(format, &turns[..n]), &json!({}));
            assert!(n == 1 || grows(&last, &now, format), "{format}, turn {n}");
            let all = answer["results"].as_array().unwrap();
            assert!(
                all[..n - 1].iter().all(|r| r["evidence"]["memo"]["reused"] == true),
                "{format}, turn {n}"
            );
            duplicates = all.iter().filter(|r| r["evidence"]["status"] == "duplicate").count();
            last = now;
        }
        assert!(duplicates > 0 && last.contains(": lines "), "{format}: nothing referred to anything");
        // A session that never saw it gets the whole at once.
        assert_eq!(send(&Engine::default(), &body(format, &turns), &json!({})).0, last, "{format}");
        assert_eq!(send(&without_memo(), &body(format, &turns), &json!({})).0, last, "{format}");
    }
}

/// Two results in each turn: the calls are in one message, their results after it.
fn pairs(turns: &[Turn]) -> String {
    let of_pair = |(i, pair): (usize, &[Turn])| {
        let both: Vec<Vec<String>> = pair
            .iter()
            .enumerate()
            .map(|(k, t)| messages("openai-chat", 2 * i + k, t, &string(&t.output)))
            .collect();
        let calls = both.iter().map(|m| m[0].clone());
        let results = both.iter().map(|m| m[1].clone());
        calls.chain(results).collect::<Vec<_>>()
    };
    body_of("openai-chat", &turns.chunks(2).enumerate().map(of_pair).collect::<Vec<_>>())
}

#[test]
fn a_budget_bounds_each_result_and_each_turn_and_a_turn_that_was_answered_stays() {
    let turns = turns(40, 23);
    let more =
        |pressure: f64| json!({"budget": {"perResult": 300, "total": 400}, "contextPressure": pressure});
    for engine in [Engine::default(), without_memo()] {
        let mut last = String::new();
        let mut cut = 0;
        for n in (2..=turns.len()).step_by(2) {
            // Later contents of the context do not change earlier answers.
            let (now, answer) = send(&engine, &pairs(&turns[..n]), &more(n as f64 / 80.0));
            assert!(n == 2 || grows(&last, &now, "openai-chat"), "turn {n}");
            let tokens = |r: &Value| r["evidence"]["tokens"]["after"].as_u64().unwrap();
            let results = answer["results"].as_array().unwrap();
            assert!(results.iter().all(|r| tokens(r) <= 300), "turn {n}");
            for turn in results.chunks(2) {
                assert!(turn.iter().map(tokens).sum::<u64>() <= 400, "turn {n}: {turn:?}");
            }
            cut = results.iter().filter(|r| r["evidence"]["budget"]["rung"]["cut"] == true).count();
            last = now;
        }
        assert!(cut > 3, "{cut}");
    }
    let message = error(&json!({"messages": []}), json!({"contextPressure": 2}));
    assert_eq!(message, "contextPressure: 2 is out of range, allowed is 0 to 1");
}

#[test]
fn what_the_memo_forgot_comes_back_the_same() {
    let turns = turns(60, 5);
    for format in FORMATS {
        let engine = without_memo();
        let mut last = String::new();
        for n in (10..=turns.len()).step_by(10) {
            let (now, _) = send(&engine, &body(format, &turns[..n]), &json!({}));
            assert!(n == 10 || grows(&last, &now, format), "{format}, turn {n}");
            last = now;
        }
        assert_eq!(send(&engine, &body(format, &turns), &json!({"policy": {"memo": false}})).0, last);
    }
}

/// The calls that results refer to.
fn pointed(answer: &Value) -> Vec<String> {
    let of = |r: &Value| {
        let shown = r["evidence"]["omissions"].as_array().unwrap().iter();
        let shown = shown.filter_map(|o| o["shownBy"]["toolCallId"].as_str().map(str::to_owned));
        let duplicate = r["evidence"]["duplicateOf"].as_str().map(str::to_owned);
        shown.chain(duplicate).collect::<Vec<_>>()
    };
    answer["results"].as_array().unwrap().iter().flat_map(of).collect()
}

/// How many of these calls are among the first twenty.
fn early(ids: &[String]) -> usize {
    ids.iter().filter(|id| id[1..].parse::<usize>().unwrap() < 20).count()
}

#[test]
fn nothing_refers_to_what_the_host_replaced() {
    let mut turns = turns(30, 11);
    let engine = Engine::default();
    let (_, whole) = send(&engine, &body("anthropic", &turns), &json!({}));
    assert!(early(&pointed(&whole)) > 5);
    for turn in &mut turns[..20] {
        turn.output = "[Old tool result content cleared]".to_owned();
    }
    let (cleared, answer) = send(&engine, &body("anthropic", &turns), &json!({}));
    assert_eq!(early(&pointed(&answer)), 0, "{answer}");
    assert_eq!(send(&engine, &body("anthropic", &turns), &json!({})).0, cleared);
}

/// A result whose call is missing follows the results of a turn. What was answered before it came is what a new session
/// answers to the whole.
#[test]
fn results_whose_calls_are_missing_change_nothing_that_was_given() {
    let file: String = (1..=110)
        .map(|n| format!("{n:6}\tlet value_{n} = table_{}(writer, {});\n", n * 7 % 13, n * n))
        .collect();
    let part: String = file.lines().skip(30).map(|line| format!("{line}\n")).collect();
    let call = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "read", "input": {"path": "a.rs"}}]});
    let result = |id: &str, text: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]});
    let said = json!({"role": "assistant", "content": "I read it again."});
    let turns = [
        vec![call("a"), result("a", &file)],
        vec![call("b"), result("b", &format!("{file}more\n"))],
        vec![result("x", &part)],
        vec![said.clone(), result("y", &file), result("z", &part)],
        vec![call("c"), result("c", &part)],
    ];
    // From the first result on, and with results without calls at the start.
    for first in [0, 2] {
        let body = |count: usize| json!({ "messages": turns[first..count].concat() }).to_string();
        let engine = Engine::default();
        let mut last = String::new();
        for count in first + 1..=turns.len() {
            let (now, _) = send(&engine, &body(count), &json!({}));
            assert!(last.is_empty() || now.starts_with(last.strip_suffix("]}").unwrap()), "{now}");
            assert_eq!(
                send(&Engine::default(), &body(count), &json!({})).0,
                now,
                "turn {count} from {first}"
            );
            last = now;
        }
    }
}

#[test]
fn nothing_refers_to_what_left_the_body() {
    let turns = turns(40, 11);
    // Numbered from the whole, as a host that drops the oldest turns does.
    let part = |range: std::ops::Range<usize>| {
        let parts: Vec<_> =
            range.map(|i| messages("anthropic", i, &turns[i], &string(&turns[i].output))).collect();
        body_of("anthropic", &parts)
    };
    let engine = Engine::default();
    let (_, whole) = send(&engine, &part(0..30), &json!({}));
    assert!(early(&pointed(&whole)) > 5);
    let (rest, answer) = send(&engine, &part(20..30), &json!({}));
    assert_eq!(early(&pointed(&answer)), 0, "{answer}");
    let mut last = rest;
    for n in 31..=40 {
        let (now, answer) = send(&engine, &part(20..n), &json!({}));
        assert!(grows(&last, &now, "anthropic"), "turn {n}");
        assert_eq!(early(&pointed(&answer)), 0);
        last = now;
    }
}

#[test]
fn the_newest_results_can_be_left_alone() {
    let turns = turns(12, 11);
    let engine = Engine::default();
    for format in ["openai-chat", "gemini"] {
        for n in 4..=turns.len() {
            let (after, answer) =
                send(&engine, &body(format, &turns[..n]), &json!({"sessionId": format, "keepNewest": 3}));
            for turn in &turns[n - 3..n] {
                assert!(after.contains(&string(&turn.output)), "{format} {n}");
            }
            let all = answer["results"].as_array().unwrap();
            assert!(all[n - 3..].iter().all(|r| r["evidence"]["bypass"] == "full_output"));
            assert!(all[..n - 3].iter().all(|r| r["evidence"]["bypass"] != "full_output"));
        }
        // At the end the bytes are as if no result had ever been kept exact.
        let (all, _) = send(&engine, &body(format, &turns), &json!({"sessionId": format}));
        assert_eq!(all, send(&Engine::default(), &body(format, &turns), &json!({})).0, "{format}");
    }
}

#[test]
fn what_is_looked_for_later_changes_nothing_that_was_given() {
    let rows: String =
        (0..3000).map(|i| format!("2026-01-01 worker {} finished item {i}: {}\n", i % 7, i * i)).collect();
    let turn = |n: usize| Turn {
        tool: "logs",
        arguments: json!({"n": n}),
        output: rows.replace("item", &format!("item{n}")),
        is_error: false,
    };
    let turns = [turn(1), turn(2), turn(3)];
    let policy = json!({"mode": "aggressive"});
    let engine = Engine::default();
    let ask = |engine: &Engine, n: usize, query: &str| {
        send(engine, &body("anthropic", &turns[..n]), &json!({"query": query, "policy": policy}))
    };
    let first = ask(&engine, 1, "worker 3 finished item1 1234").0;
    let (second, answer) = ask(&engine, 2, "item2 777");
    let third = ask(&engine, 3, "something else").0;
    assert!(grows(&first, &second, "anthropic") && grows(&second, &third, "anthropic"));
    assert_eq!(answer["results"][0]["evidence"]["memo"], json!({"reused": true, "changed": false}));
}

// ---- settings and errors

#[test]
fn overrides_in_the_body_are_settings_of_the_request() {
    let turn = turns(40, 3).into_iter().find(|t| t.tool == "query").unwrap();
    let with = |forge: Value| {
        let body = body("openai-chat", std::slice::from_ref(&turn));
        format!("{{\"_forge\": {forge} ,{}", &body[1..])
    };
    let mode = |forge: Value, more: Value| {
        let (after, answer) = send(&Engine::default(), &with(forge.clone()), &more);
        assert!(after.starts_with(&format!("{{\"_forge\": {forge} ,")), "{after}");
        answer["results"][0]["evidence"]["mode"].as_str().unwrap().to_owned()
    };
    assert_eq!(mode(json!({}), json!({})), "standard");
    assert_eq!(mode(json!({"tool_output_compression": "safe"}), json!({})), "safe");
    assert_eq!(
        mode(json!({"tool_output_compression": {"mode": "disabled"}}), json!({"policy": {"mode": "safe"}})),
        "disabled"
    );
    assert_eq!(
        mode(json!({"tool_output_compression": {"dedup": false}}), json!({"policy": {"mode": "safe"}})),
        "safe"
    );
    let stripped = send(&Engine::default(), &with(json!({"a": 1})), &json!({"stripOverrides": true})).0;
    assert_eq!(
        stripped,
        send(&Engine::default(), &body("openai-chat", std::slice::from_ref(&turn)), &json!({})).0
    );

    // The session of the body, where the request names none.
    let engine = Engine::default();
    let forge = json!({"tool_output_compression": {"session_id": "of the body"}});
    let results = |session: &str| {
        call(&engine, "session/stats", &json!({"sessionId": session}))["total"]["results"].clone()
    };
    send(&engine, &with(forge.clone()), &json!({"sessionId": null}));
    assert_eq!(results("of the body"), 1);
    send(&engine, &with(forge), &json!({"sessionId": "of the request"}));
    assert_eq!((results("of the body"), results("of the request")), (json!(1), json!(1)));
}

#[test]
fn tools_of_a_body_are_minified_when_asked() {
    let tools = |text: &str| {
        format!(
            r#"{{"tools":[{{"name":"a","description":{},"input_schema":{{}}}}],"messages":[] , "x":1}}"#,
            json!(text)
        )
    };
    let (before, after) = (tools("a   b\n\n\n\nc  "), tools("a b\n\nc"));
    assert_eq!(send(&Engine::default(), &before, &json!({})).0, before);
    let (got, answer) = send(&Engine::default(), &before, &json!({"toolSchemas": "minify"}));
    assert_eq!(got, after);
    let alone = |body: &str| {
        let body: Value = serde_json::from_str(body).unwrap();
        call(&Engine::default(), "toolSchema/minify", &json!({"tools": body["tools"]}))["tokens"].clone()
    };
    assert_eq!(answer["toolTokens"], alone(&before));
    assert_eq!(alone(&after)["before"], answer["toolTokens"]["after"]);
    let forge = |body: &str| format!(r#"{{"_forge":{{"schema_compression":"minify"}},{}"#, &body[1..]);
    assert_eq!(send(&Engine::default(), &forge(&before), &json!({})).0, forge(&after));
    let off = before.replace("{\"tools\"", r#"{"_forge":{"schema_compression":"disabled"},"tools""#);
    assert_eq!(send(&Engine::default(), &off, &json!({"toolSchemas": "minify"})).0, off);
}

#[test]
fn what_cannot_be_read_is_named() {
    let chat = json!({"role": "tool", "tool_call_id": "a", "content": "x"});
    let claude =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "x"}]});
    for (body, expected) in [
        (json!(5), "body: expected an object, or for `mcp` also an array"),
        (
            json!({"model": "m"}),
            "body: has none of `messages`, `input`, `contents`, `content`, so that its format is not clear; give `format`, one of `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `mcp`",
        ),
        (
            json!({"messages": [], "contents": []}),
            "body: has `messages` and `contents`, so that its format is not clear; give `format`, one of `openai-chat`, `openai-responses`, `anthropic`, `gemini`, `mcp`",
        ),
        (
            json!({"messages": [chat, claude]}),
            "body: holds a result of openai-chat (`messages[0]`) and one of anthropic (`messages[1].content[0]`), so that its format is not clear; give `format`",
        ),
        (
            json!({"messages": [{"role": "tool", "tool_call_id": "i".repeat(600), "content": "x"}]}),
            "body.messages[0].toolCallId: has 600 bytes, allowed are 1 to 512",
        ),
    ] {
        assert_eq!(error(&body, json!({})), expected);
    }
    assert_eq!(
        error(&json!({"messages": 5}), json!({"format": "anthropic"})),
        "body.messages: expected an array"
    );
    assert_eq!(
        error(&json!({"input": 5}), json!({"format": "openai-responses"})),
        "body.input: expected an array"
    );
    assert_eq!(error(&json!({"content": "x"}), json!({"format": "mcp"})), "body.content: expected an array");
    assert!(error(&json!({"messages": []}), json!({"format": "cohere"})).contains("`openai-chat`"));
    let twice = r#"{"body":{"messages":[{"role":"tool","content":"a","content":"b"}]}}"#;
    let error = call_text(&Engine::default(), MESSAGES, twice).unwrap_err();
    assert_eq!(error.message, "body.messages[0].content: is given twice");
}

#[test]
fn a_bad_body_opens_no_session_and_a_cancelled_one_commits_nothing() {
    let engine = Engine::default();
    let turns = turns(5, 3);
    let bad = json!({"sessionId": "s", "body": {"_forge": 1, "messages": []}});
    assert!(try_call(&engine, MESSAGES, &bad).is_err());
    assert_eq!(call(&engine, "session/close", &json!({"sessionId": "s"})), json!({"closed": false}));
    let cancel = Cancel::default();
    cancel.cancel();
    let params = format!(r#"{{"sessionId":"s","body":{}}}"#, body("anthropic", &turns));
    let params = tersed::protocol::params::by_name(&params).unwrap();
    assert_eq!(engine.compress_messages(&params, &cancel).unwrap_err().code, -32800);
    assert_eq!(call(&engine, "session/stats", &json!({"sessionId": "s"}))["total"]["results"], 0);
}

#[test]
fn a_child_gives_the_same_bytes() {
    let turns = turns(12, 7);
    let mut server = Server::ready(false);
    for format in FORMATS {
        let text = body(format, &turns);
        let params = format!(r#"{{"sessionId":"{format}","body":{text}}}"#);
        server.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{MESSAGES}","params":{params}}}"#));
        let expected = call_text(&crate::common::engine(), MESSAGES, &params).unwrap();
        assert_eq!(server.next(), format!(r#"{{"jsonrpc":"2.0","result":{expected},"id":1}}"#), "{format}");
    }
    server.finish();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// For any results: everything except their texts is unchanged, and the answer is JSON.
    #[test]
    fn bodies_keep_their_shape(texts in prop::collection::vec("(line [0-9]{1,2}\n|é\"\\\\|\t|error: no\n){0,80}", 1..5), format in 0..FORMATS.len()) {
        let format = FORMATS[format];
        let turns: Vec<Turn> = texts.iter().map(|text| Turn {
            tool: "bash", arguments: json!({"command": "x"}), output: text.clone(), is_error: false,
        }).collect();
        let more = json!({"policy": {"minBytes": 0}});
        let (after, answer) = send(&Engine::default(), &body(format, &turns), &more);
        let hole = |body: &str| {
            // Every string that is not a name, except the texts of results.
            let mut parts: Vec<Vec<String>> = Vec::new();
            for (i, turn) in turns.iter().enumerate() {
                parts.push(messages(format, i, turn, "\u{0}"));
            }
            let template = body_of(format, &parts);
            let mut rest = body;
            for piece in template.split('\u{0}') {
                let at = rest.find(piece)?;
                rest = &rest[at + piece.len()..];
            }
            Some(rest.is_empty())
        };
        prop_assert_eq!(hole(&after), Some(true), "{}", after);
        prop_assert_eq!(answer["results"].as_array().unwrap().len(), turns.len());
    }
}

/// The output of a program that ran tools itself, in the shapes that Codex sends.
#[test]
fn what_a_program_printed_is_worked_on_as_results() {
    let run = |total: &str| -> String {
        let passing: String = (1..=120).map(|n| format!("test case_{n} ... ok\n")).collect();
        format!("\nrunning 120 tests\n{passing}\ntest result: {total}\n\n")
    };
    let passed = run("ok. 120 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s");
    let result = |code: i64| json!({ "chunk_id": "b36067", "wall_time_seconds": 0.1, "exit_code": code, "original_token_count": 900, "output": passed });
    let block = |text: &str| json!({ "type": "input_text", "text": text });
    let head = "Script completed\nWall time 0.1 seconds\nOutput:\n";
    let calls = [
        ("plain", vec![block(head), block("121 lines"), block(&passed)]),
        ("json", vec![block(head), block(&result(0).to_string())]),
        ("list", vec![block(head), block(&json!([result(0), result(4)]).to_string())]),
    ];
    let server = Engine::new(Settings::default());
    for (name, output) in calls {
        let body = json!({ "model": "m", "input": [
            { "type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": "text(1)", "status": "completed" },
            { "type": "custom_tool_call_output", "id": "o1", "call_id": "c1", "output": output },
            { "type": "custom_tool_call_output", "id": "o2", "call_id": "c1", "name": "exec", "output": "a note" },
        ] });
        let params = json!({ "sessionId": name, "format": "openai-responses", "body": body });
        let first = call(&server, MESSAGES, &params);
        let blocks = first["body"]["input"][1]["output"].as_array().unwrap().clone();
        assert_eq!(blocks.len(), output.len());
        assert_eq!(blocks[0], output[0], "the head stays");
        assert_eq!(
            first["body"]["input"][2], body["input"][2],
            "a note of the program is a result of its own"
        );
        let text = blocks.last().unwrap()["text"].as_str().unwrap();
        let before = output.last().unwrap()["text"].as_str().unwrap();
        assert!(text.len() * 4 < before.len() && text.contains("120 passed"), "{name}: {text}");
        if name != "plain" {
            let new: Value = serde_json::from_str(text).unwrap();
            let old: Value = serde_json::from_str(before).unwrap();
            let without = |value: &Value| {
                let mut value = value.clone();
                let items = match &mut value {
                    Value::Array(items) => items.iter_mut().collect(),
                    one => vec![one],
                };
                items.into_iter().for_each(|item| item["output"] = json!(""));
                value
            };
            assert_eq!(without(&new), without(&old), "{name}: every other member stays");
        }
        // The same again gives the same bytes.
        assert_eq!(call(&server, MESSAGES, &params)["body"], first["body"], "{name}");
    }
}
