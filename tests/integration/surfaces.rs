//! Every output of the program, for inputs with a secret: the secret is in none of them, and nothing else changes.

use crate::common::{call, call_text};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tersed::engine::{Engine, Settings};

/// A token that a rule knows, made at run time.
fn token() -> String {
    format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36])
}

fn engine() -> Engine {
    Engine::new(Settings::default())
}

/// The body in the answer.
fn body(format: &str, body: &Value) -> Value {
    call(&engine(), "messages/compress", &json!({ "format": format, "body": body }))["body"].clone()
}

/// Whether every byte but the secrets is as it was.
fn only_secrets_changed(old: &Value, new: &Value) {
    let text = new.to_string();
    assert!(!text.contains(&token()) && !text.contains("open-Sesame7"), "{text}");
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let names = |object: &serde_json::Map<String, Value>| object.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(a), names(b));
            a.values().zip(b.values()).for_each(|(a, b)| only_secrets_changed(a, b));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| only_secrets_changed(a, b));
        }
        (Value::String(a), Value::String(b)) if a != b => {
            let coded = STANDARD.decode(b).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let shown = coded.as_deref().unwrap_or(b);
            assert!(shown.contains("[REDACTED:"), "{a} became {b}");
        }
        (a, b) => assert_eq!(a, b),
    }
}

#[test]
fn results_of_every_format_lose_their_secrets_in_place() {
    let t = token();
    let inner =
        json!({"output": "done", "metadata": {"exit_code": 0, "token": t}, "more": format!("see {t}")});
    let without_code = json!({"output": format!("x {t}"), "more": {"password": "open-Sesame7"}});
    let blob = STANDARD.encode(format!("key {t}\n"));
    let bodies = [
        (
            "openai-chat",
            json!({"messages": [
                {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "sh", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": inner.to_string()},
                {"role": "tool", "tool_call_id": "c2", "content": without_code.to_string()},
                {"role": "tool", "tool_call_id": "c4", "content": "done", "artifact": {"note": format!("n {t}")}},
                {"role": "tool", "tool_call_id": "c3", "content": [{"type": "file", "file": {"name": format!("a {t}")}}]},
            ]}),
        ),
        (
            "openai-responses",
            json!({"input": [
                {"type": "function_call_output", "call_id": "c1", "output": inner.to_string()},
                {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_file", "filename": format!("n {t}")}]},
                {"type": "function_call_output", "call_id": "c8", "output": "done", "metadata": {"note": format!("n {t}")}},
                {"type": "mcp_list_tools", "id": "l1", "server_label": "s", "tools": [{"name": "a", "description": format!("d {t}")}]},
                {"type": "tool_search_output", "call_id": "c9", "tools": [{"name": "b", "description": format!("d {t}")}]},
                {"type": "web_search_call", "id": "w1", "action": {"type": "search", "query": "q", "sources": [{"type": "url", "url": format!("https://h/?token={t}")}]}},
                {"type": "custom_tool_call_output", "call_id": "c3", "output": format!("o {t}")},
                {"type": "computer_call_output", "call_id": "c4", "output": {"type": "x", "current_url": format!("http://h/?q={t}")}},
                {"type": "shell_call_output", "call_id": "c5", "output": [{"stdout": format!("o {t}"), "note": format!("n {t}"), "outcome": {"exit_code": 1}}]},
                {"type": "mcp_call", "id": "m", "arguments": "{}", "output": format!("o {t}"), "error": null},
                {"type": "code_interpreter_call", "id": "i", "code": "1", "outputs": [{"type": "logs", "logs": format!("l {t}")}]},
                {"type": "file_search_call", "id": "f", "queries": ["q"], "results": [{"text": format!("r {t}")}]},
            ]}),
        ),
        (
            "anthropic",
            json!({"messages": [{"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": [
                    {"type": "text", "text": format!("a {t}")},
                    {"type": "document", "title": format!("t {t}"), "source": {"type": "text", "media_type": "text/plain", "data": format!("d {t}")}},
                    {"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": blob}},
                    {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": format!("c {t}")}]}},
                    {"type": "search_result", "source": format!("https://h/{t}"), "title": "t", "content": [{"type": "text", "text": format!("s {t}")}]},
                ]},
                {"type": "search_result", "source": "https://h/", "title": "t", "content": [{"type": "text", "text": format!("s {t}")}]},
                {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": format!("d {t}")}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "url": "https://h/", "title": format!("t {t}")}]},
                {"type": "bash_code_execution_tool_result", "tool_use_id": "s2", "content": {"type": "bash_code_execution_result", "stdout": format!("o {t}"), "stderr": "", "return_code": 0}},
            ]}]}),
        ),
        (
            "gemini",
            json!({"contents": [
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "f", "response": {"anything": {"deep": [format!("x {t}")]}, "password": "open-Sesame7", "output": format!("o {t}")}}},
                    {"functionResponse": {"name": "g", "response": {"n": 1}, "parts": [{"inlineData": {"mimeType": "text/plain", "data": blob}}]}},
                    {"inlineData": {"mimeType": "text/plain", "data": blob}},
                    {"toolResponse": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB", "response": {"found": [format!("x {t}")]}}},
                ]},
                {"role": "model", "parts": [{"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": format!("o {t}")}}]},
                {"role": "function", "parts": [{"text": format!("r {t}")}]},
            ]}),
        ),
        (
            "mcp",
            json!([{"jsonrpc": "2.0", "id": 1, "result": {
            "content": [
                {"type": "text", "text": format!("a {t}")},
                {"type": "resource", "resource": {"uri": "file:///a", "text": format!("r {t}")}},
                {"type": "resource", "resource": {"uri": "file:///b", "blob": blob}},
                {"type": "resource_link", "uri": "file:///c", "name": format!("n {t}"), "description": format!("d {t}")},
            ],
            "structuredContent": {"db": {"password": "open-Sesame7"}, "list": [format!("x {t}")]},
            "_meta": {"note": format!("m {t}")},
        }}, {"jsonrpc": "2.0", "id": 2, "error": {"code": 1, "message": format!("e {t}"), "data": [format!("d {t}")]}}]),
        ),
        ("mcp", json!({"content": [{"type": "text", "text": "a"}], "_meta": {"note": format!("m {t}")}})),
    ];
    for (format, old) in bodies {
        only_secrets_changed(&old, &body(format, &old));
    }
}

#[test]
fn what_the_model_and_the_user_wrote_stays() {
    let t = token();
    for (format, old) in [
        (
            "anthropic",
            json!({"system": format!("s {t}"), "messages": [
                {"role": "user", "content": [{"type": "text", "text": format!("u {t}")}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "n", "input": {"a": t}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": STANDARD.encode([0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13])}},
                ]}]},
            ]}),
        ),
        (
            "gemini",
            json!({"contents": [{"role": "user", "parts": [{"text": format!("u {t}")}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": t}}}]}]}),
        ),
        (
            "openai-responses",
            json!({"input": [{"role": "user", "content": format!("u {t}")},
            {"type": "function_call", "call_id": "c", "name": "n", "arguments": json!({"a": t}).to_string()}]}),
        ),
        (
            "mcp",
            json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "n", "arguments": {"a": t}}}]),
        ),
    ] {
        assert_eq!(body(format, &old), old);
    }
}

#[test]
fn what_went_elsewhere_is_told() {
    let old =
        json!([{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"a": token()}}}]);
    let answer = call(&engine(), "messages/compress", &json!({ "format": "mcp", "body": old }));
    assert_eq!(answer["redactions"][0]["rule"], "github-pat");
    assert_eq!(answer["redactions"][0]["fingerprints"][0].as_str().unwrap().len(), 16);
    let off = json!({ "format": "mcp", "body": old, "policy": { "redactSecrets": false } });
    assert_eq!(call(&engine(), "messages/compress", &off)["body"], old);
}

#[test]
fn repeated_data_still_goes_whole() {
    let data = json!({"rows": [{"token": token()}]});
    let old = json!({"content": [{"type": "text", "text": data.to_string()}], "structuredContent": data});
    let ask = json!({ "format": "mcp", "body": old, "structuredContent": "dropRepeated" });
    let new = call(&engine(), "messages/compress", &ask)["body"].clone();
    assert!(new.get("structuredContent").is_none() && !new.to_string().contains(&token()), "{new}");
}

fn compress(engine: &Engine, session: &str, id: &str, arguments: &Value, content: &Value) -> Value {
    let result = json!({ "toolCallId": id, "tool": "sh", "arguments": arguments, "content": content });
    call(engine, "toolResult/compress", &json!({ "sessionId": session, "result": result }))
}

#[test]
fn blocks_that_are_no_text_are_redacted_too() {
    let content = json!([
        {"type": "resource", "resource": {"uri": "file:///a", "text": format!("r {}", token())}},
        {"type": "text", "text": "fine"},
    ]);
    let new = compress(&engine(), "s", "c", &Value::Null, &content);
    only_secrets_changed(&content, &new["content"]);
    assert_eq!(new["evidence"]["redactions"][0]["count"], 1);
    assert_eq!(new["evidence"]["status"], "compressed");
}

#[test]
fn a_value_in_two_blocks_goes_from_both() {
    let t = token();
    let (first, second) = t.split_at(11);
    let block = |text: &str| json!({ "type": "text", "text": text });
    for mode in ["disabled", "safe", "standard", "aggressive"] {
        let content = json!([block(&format!("see {first}")), block(&format!("{second} there\n"))]);
        let params = json!({ "result": { "tool": "bash", "content": content }, "policy": { "mode": mode } });
        let answer = call(&engine(), "toolResult/compress", &params);
        let hidden = "[REDACTED:github-pat]";
        let expected = json!([block(&format!("see {hidden}")), block(&format!("{hidden} there\n"))]);
        assert_eq!(answer["content"], expected, "{mode}");
        let redactions = answer["evidence"]["redactions"].as_array().unwrap();
        let found: Vec<_> = redactions.iter().map(|of| (of["rule"].as_str(), of["count"].as_u64())).collect();
        assert_eq!(found, [(Some("github-pat"), Some(1))], "{mode}");
    }
    let request = json!({ "messages": [
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "t1", "name": "sh", "input": {} }] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": [block(first), block(second)] },
        ] },
    ] });
    let text = body("anthropic", &request).to_string();
    assert!(!text.contains(first) && !text.contains(second), "{text}");
}

#[test]
fn what_the_model_wrote_in_this_session_is_no_secret_to_it() {
    let engine = engine();
    let text = json!(format!("GITHUB_TOKEN={}\n", token()));
    let (write, read) = (json!({"path": "a.env", "content": text}), json!({"path": "a.env"}));
    let shown = |answer: &Value| answer["content"].as_str().unwrap().contains(&token());
    // Before the model wrote the value, it is a secret; in another session too.
    assert!(!shown(&compress(&engine, "s", "c0", &read, &text)));
    let _ = compress(&engine, "s", "c1", &write, &json!("written\n"));
    let first = compress(&engine, "s", "c2", &read, &text);
    assert!(shown(&first));
    assert!(!shown(&compress(&engine, "other", "c2", &read, &text)));
    // Earlier answers do not change, even with later knowledge.
    assert!(!shown(&compress(&engine, "s", "c0", &read, &text)));
    // A call that left the context is forgotten, but the answer for a call is not.
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["c1", "c2"]}));
    assert!(!shown(&compress(&engine, "s", "c3", &json!({"path": "b.env"}), &text)));
    let again = compress(&engine, "s", "c2", &read, &text);
    assert_eq!(again["content"], first["content"]);
}

#[test]
fn a_decision_outlives_the_memo() {
    let mut settings = Settings::default();
    settings.policy.memo = false;
    let engine = Engine::new(settings);
    let text = json!(format!("GITHUB_TOKEN={}\n", token()));
    let first = compress(&engine, "s", "c1", &json!({"content": text}), &text);
    call(&engine, "session/evicted", &json!({"sessionId": "s", "toolCallIds": ["c1"]}));
    let again = compress(&engine, "s", "c1", &json!({"content": text}), &text);
    assert_eq!(again["content"], first["content"]);
    assert!(first["content"].as_str().unwrap().contains(&token()));
}

#[test]
fn what_the_operator_allows_stays() {
    let text = json!(format!("GITHUB_TOKEN={}\n", token()));
    let engine = engine();
    let evidence = compress(&engine, "s", "c0", &json!({"path": "x"}), &text)["evidence"].clone();
    let mark = evidence["redactions"][0]["fingerprints"][0].as_str().unwrap().to_owned();
    let shows = |allow: &str, path: &str| {
        let result = json!({ "tool": "read", "path": path, "content": text });
        let policy = json!({ "secrets": { "allow": [allow] } });
        let answer = call(&engine, "toolResult/compress", &json!({ "result": result, "policy": policy }));
        answer["content"].as_str().unwrap().contains(&token())
    };
    assert!(shows("rule:github-pat", "x"));
    assert!(shows(&format!("fingerprint:{mark}"), "x"));
    assert!(shows("path:tests/**", "/srv/tests/a.env"));
    assert!(shows(&format!("rule:github-pat path:*.env fingerprint:{mark}"), "a.env"));
    for (allow, path) in [
        ("rule:private-key", "x"),
        ("fingerprint:0123456789abcdef", "x"),
        ("path:tests/**", "src/a.env"),
        ("path:tests/**", "tests/../a.env"),
        ("rule:github-pat path:tests/**", "src/a.env"),
    ] {
        assert!(!shows(allow, path), "{allow} {path}");
    }
    let bad = json!({ "result": { "content": "x" }, "policy": { "secrets": { "allow": ["path:**"] } } });
    let error = crate::common::try_call(&engine, "toolResult/compress", &bad).unwrap_err();
    assert!(error.to_string().contains("secrets.allow"), "{error}");
    let plain = json!({ "result": { "content": text } }).to_string();
    assert!(!call_text(&engine, "toolResult/compress", &plain).unwrap().contains(&token()));
}

#[test]
fn errors_and_lists_do_not_quote_secrets() {
    let engine = engine();
    let t = token();
    for (method, params) in [
        ("toolResult/compress", json!({"result": {"content": "x"}, "policy": {"mode": t}})),
        ("toolResult/compress", json!({"result": {"content": "x"}, "sessionId": t.repeat(20)})),
        ("artifact/read", json!({"id": t})),
        ("toolResult/append", json!({"streamId": t, "text": "x"})),
    ] {
        let error = crate::common::try_call(&engine, method, &params).unwrap_err();
        assert!(!error.to_string().contains(&t), "{method}: {error}");
    }
    let long: String = (0..400).map(|n| format!("line {n} of a log\n")).collect();
    let result = json!({ "tool": format!("sh {t}"), "content": format!("{long}{long}") });
    let _ = call(&engine, "toolResult/compress", &json!({ "result": result }));
    let list = call(&engine, "artifact/list", &json!({}));
    assert!(!list.to_string().contains(&t), "{list}");
}
