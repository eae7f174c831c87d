//! A secret on a line of its own, in the input of every interface: no output contains it.
//!
//! The secret is made at run time. It is a line between other lines of the input, where a person would see it.

use serde_json::{Map, Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine, Settings};
use tersed::host::Host;
use tersed::host::hooks::HOOKS;
use tersed::host::proxy::traffic::Traffic;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};

use super::super::input::Input;
use super::seeds;

pub const WORDS: &[&str] = &[
    "password=",
    "\"token\": \"",
    "Authorization: Bearer ",
    "-----BEGIN ",
    "://a:",
    "@",
    "kind: Secret\n",
    "data:\n",
    "\"",
    "'",
    "\\n",
    "\\\"",
    "export ",
    "[REDACTED:github-pat]",
    "\u{1b}[31m",
    "{\"output\":\"",
    "\",\"metadata\":{\"exit_code\":0}}",
    "\n",
    "<",
    ">",
    "%20",
    "&quot;",
];

/// The value, and its line.
fn secret(choice: u8) -> (String, String) {
    let mut state = 0x9e37_79b9_u32;
    let mut value = String::new();
    for _ in 0..36 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        value.push(char::from(
            b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"[(state >> 16) as usize % 56],
        ));
    }
    let line = match choice % 4 {
        0 => ["GITHUB_TOKEN=gh", "p_", &value].concat(),
        1 => format!("db_password: \"{value}\""),
        2 => format!("url = postgres://app:{value}@db.example.org/app"),
        _ => format!("Authorization: Bearer {value}"),
    };
    (value, line)
}

/// The text of an input with the secret on a line of its own, and the secret.
fn planted(input: &mut Input<'_>) -> (String, String) {
    let (value, line) = secret(input.byte());
    let place = usize::from(input.byte());
    // A control sequence or a quote without an end would include the text after it, so that the line is not a line of
    // its own.
    let text: String = input.text().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = place * (lines.len() + 1) / 256;
    let before = lines[..at].concat();
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    (format!("{before}{gap}{line}\n{}", lines[at..].concat()), value)
}

fn check(what: &str, out: &str, value: &str) {
    // A part of it is as bad as the whole.
    assert!(!out.contains(&value[..12]) && !out.contains(&value[24..]), "{what} holds the secret: {out}");
}

fn call(engine: &Engine, method: &str, params: &Value) -> Option<Value> {
    let row = METHODS.iter().find(|m| m.name == method).expect("a method");
    let answer = (row.handle)(engine, &params.to_string(), &Cancel::default());
    answer.ok().map(|text| serde_json::from_str(&text).expect("JSON"))
}

/// The pure core.
pub fn text(data: &[u8]) {
    let mut input = Input::new(data);
    let (policy, tool) = (input.policy(), input.call());
    let (text, value) = planted(&mut input);
    let outcome = compress(&tool, &[Raw::Text(&text)], &policy, false, &NoHistory).expect("redaction runs");
    check("the text", &outcome.texts.concat(), &value);
    check("the evidence", &serde_json::to_string(&outcome.evidence).expect("JSON"), &value);
    if let Some(retain) = &outcome.retain {
        check("what is kept", &String::from_utf8_lossy(&retain.bytes), &value);
        let original = retain.original.as_deref().unwrap_or_default();
        check("the original", &String::from_utf8_lossy(original), &value);
    }
}

/// Shapes of content over the wire, and everything that can be read of it afterwards.
pub fn result(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.byte();
    let tool = input.call();
    let (text, value) = planted(&mut input);
    let content = match shape % 6 {
        0 => json!(text),
        1 => json!([{ "type": "text", "text": text }, { "type": "text", "text": "more\n" }]),
        2 => json!([{ "type": "resource", "resource": { "uri": "file:///a.txt", "text": text } }]),
        3 => json!([{ "type": "stdout", "text": text }, { "type": "stderr", "text": text }]),
        4 => json!(json!({ "output": text, "metadata": { "exit_code": 1 }, "more": text }).to_string()),
        _ => {
            json!([{ "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": text } }])
        }
    };
    let engine = Engine::default();
    let result = json!({ "toolCallId": "c1", "tool": tool.tool, "command": tool.command, "exitCode": tool.exit_code, "content": content });
    let policy = json!({ "evidence": "full", "minBytes": 0 });
    let Some(answer) = call(
        &engine,
        "toolResult/compress",
        &json!({ "sessionId": "s", "result": result, "policy": policy }),
    ) else {
        return;
    };
    check("the answer", &answer.to_string(), &value);
    if let Some(id) = answer["artifact"]["id"].as_str() {
        let read = call(&engine, "artifact/read", &json!({ "sessionId": "s", "id": id }));
        check("the original", &read.unwrap_or_default().to_string(), &value);
        let found = call(
            &engine,
            "artifact/search",
            &json!({ "sessionId": "s", "id": id, "pattern": "(?i)token|password|url|bearer" }),
        );
        check("what is found", &found.unwrap_or_default().to_string(), &value);
    }
    let stats = call(&engine, "session/stats", &json!({ "sessionId": "s" }));
    check("the totals", &stats.unwrap_or_default().to_string(), &value);
}

/// Request bodies of five kinds.
pub fn body(data: &[u8]) {
    let mut input = Input::new(data);
    let (format, shape) = (input.byte(), input.byte());
    let (text, value) = planted(&mut input);
    let inner = match shape % 4 {
        0 => text.clone(),
        1 => {
            json!({ "output": text, "metadata": { "exit_code": 0 }, "other": { "deep": [text] } }).to_string()
        }
        2 => json!({ "rows": [{ "a": text }], "count": 1 }).to_string(),
        _ => format!("{text}\n{text}"),
    };
    let arguments = json!({ "command": "env" });
    let body = match format % 5 {
        0 => json!({ "messages": [
            { "role": "assistant", "tool_calls": [{ "id": "c1", "type": "function", "function": { "name": "bash", "arguments": arguments.to_string() } }] },
            { "role": "tool", "tool_call_id": "c1", "content": inner } ] }),
        1 => json!({ "input": [
            { "type": "function_call", "call_id": "c1", "name": "bash", "arguments": arguments.to_string() },
            { "type": "function_call_output", "call_id": "c1", "output": inner } ] }),
        2 => json!({ "messages": [
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "bash", "input": arguments }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": [
                { "type": "text", "text": inner },
                { "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": inner } },
                { "type": "search_result", "source": "s", "title": "t", "content": [{ "type": "text", "text": inner }] } ] }] } ] }),
        3 => json!({ "contents": [
            { "role": "model", "parts": [{ "functionCall": { "id": "c1", "name": "bash", "args": arguments } }] },
            { "role": "user", "parts": [{ "functionResponse": { "id": "c1", "name": "bash", "response": { "output": inner, "more": { "deep": inner } } } }] } ] }),
        _ => json!([
            { "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "bash", "arguments": arguments } },
            { "jsonrpc": "2.0", "id": 1, "result": { "content": [{ "type": "text", "text": inner }], "structuredContent": { "text": inner } } } ]),
    };
    let names = ["openai-chat", "openai-responses", "anthropic", "gemini", "mcp"];
    let params = json!({ "sessionId": "s", "format": names[usize::from(format) % 5], "body": body });
    if let Some(answer) = call(&Engine::default(), "messages/compress", &params) {
        check("the body", &answer.to_string(), &value);
    }
}

/// Pieces, with looks in between.
pub fn stream(data: &[u8]) {
    let mut input = Input::new(data);
    let cuts = [input.byte(), input.byte(), input.byte()];
    let tool = input.call();
    let (text, value) = planted(&mut input);
    let engine = Engine::default();
    let opened = call(
        &engine,
        "toolResult/open",
        &json!({ "sessionId": "s", "result": { "toolCallId": "c1", "tool": tool.tool, "command": tool.command } }),
    );
    let stream = opened.expect("a stream")["streamId"].clone();
    let mut places: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut) * text.len() / 256).collect();
    places.iter_mut().for_each(|at| *at = (0..=*at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0));
    places.extend([0, text.len()]);
    places.sort_unstable();
    for ends in places.windows(2) {
        call(&engine, "toolResult/append", &json!({ "streamId": stream, "text": text[ends[0]..ends[1]] }));
        let seen = call(&engine, "toolResult/peek", &json!({ "streamId": stream })).unwrap_or_default();
        // The part of the secret so far may be too short to be recognized.
        if ends[1] == text.len() {
            check("a look", &seen.to_string(), &value);
        }
    }
    let closed = call(&engine, "toolResult/close", &json!({ "streamId": stream, "exitCode": 0 }));
    check("the answer", &closed.unwrap_or_default().to_string(), &value);
}

/// Events of hosts.
pub fn hook(data: &[u8]) {
    let mut input = Input::new(data);
    let hooks = input.pick(HOOKS);
    let shape = input.byte();
    let (text, value) = planted(&mut input);
    let response = match shape % 3 {
        0 => json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": false }),
        1 => json!([{ "type": "text", "text": text }]),
        _ => json!(text),
    };
    let mut event = Map::new();
    let tool = ["Bash", "mcp__db__query", "shell"][usize::from(shape / 3) % 3];
    for (name, value) in [
        ("hook_event_name", json!(["PostToolUse", "AfterTool", "postToolUse"][usize::from(shape) % 3])),
        ("session_id", json!("s")),
        ("tool_name", json!(tool)),
        ("tool_input", json!({ "command": "env" })),
        ("tool_response", response),
        ("tool_use_id", json!("c1")),
        ("toolName", json!(tool)),
        ("toolResult", json!({ "resultType": "success", "textResultForLlm": text })),
        ("tool_output", json!(text)),
    ] {
        event.insert(name.to_owned(), value);
    }
    let host = Host::once(Settings::default(), None);
    let answer = (hooks.reply)(&host, Value::Object(event));
    // Without an answer the host shows its own text.
    assert!(
        answer.is_some() || hooks.name != "claude-code" || !shape.is_multiple_of(9),
        "what a command wrote passes as it is"
    );
    check("the answer", &answer.unwrap_or_default().to_string(), &value);
}

/// Lines of an MCP server that the proxy wraps.
pub fn proxy(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.byte();
    let (text, value) = planted(&mut input);
    let (host, mut traffic) = (Host::new(Settings::default()), Traffic::default());
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "read", "arguments": {} } });
    traffic.on_client_line(&host, request.to_string().as_bytes());
    let result = match shape % 3 {
        0 => json!({ "content": [{ "type": "text", "text": text }] }),
        1 => {
            json!({ "content": [{ "type": "resource", "resource": { "uri": "file:///a", "text": text } }], "structuredContent": { "a": [text] } })
        }
        _ => {
            json!({ "content": [{ "type": "text", "text": json!({ "a": text }).to_string() }], "isError": true })
        }
    };
    let line = json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
    let shown = traffic.on_server_line(&host, line.as_bytes()).unwrap_or(line);
    check("the line", &shown, &value);
}

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = seeds::texts();
    let head = |i: usize| [i as u8, (i / 2) as u8, 1, (i * 3) as u8, (i % 4) as u8, (i * 40) as u8];
    texts.iter().enumerate().map(|(i, text)| [&head(i)[..], text.as_bytes()].concat()).collect()
}
