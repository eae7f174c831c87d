//! Readers of data: JSON, YAML, TOML, rules, command lines, request bodies.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tersed::config::{DictionaryMethod, Mode, Policy, Structured};
use tersed::detect::command::{CommandLine, Dialect};
use tersed::encode::{dictionary, json_table};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine};
use tersed::layers::document;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;

use super::super::input::{CALLS, Input};
use super::seeds;

pub const JSON_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\u0000",
    "\\ud83d\\ude00",
    "1e400",
    "-0.0",
    "1.50",
    "null",
    "true",
    "\"a\":1",
    "\"error\":",
    "\"id\":",
    " ",
    "\n",
    "\\\"",
    "[[",
    "]]",
    "{\"a\":{",
];
pub const DOCUMENT_WORDS: &[&str] = &[
    "policy:\n",
    "  mode: safe\n",
    "- ",
    "&a ",
    "*a",
    "<<: ",
    "|\n",
    ">-\n",
    "? ",
    "!!binary ",
    "\"",
    "'",
    "[",
    "{",
    "#",
    "---\n",
    "[policy]\n",
    "mode = \"safe\"\n",
    "[[policy.rules]]\n",
    "\t",
];
pub const COMMAND_WORDS: &[&str] = &[
    "'",
    "\"",
    "$(",
    ")",
    "`",
    "<<EOF\n",
    "EOF\n",
    "<<-'X'\n",
    "|",
    "||",
    "&&",
    ";",
    "&",
    "\\\n",
    "$'",
    "${",
    "}",
    "cd /a",
    "bash -lc ",
    "sudo ",
    "timeout 9 ",
    "FOO=1 ",
    "2>&1",
    ">",
    "if ",
    "then ",
    "fi",
    "powershell -c ",
];

/// JSON that must stay JSON does; a dictionary or table is written out without a fault.
pub fn json(data: &[u8]) {
    let text = Input::new(data).text();
    let run = |policy: &Policy| {
        let outcome = compress(&ToolCall::default(), &[Raw::Text(&text)], policy, false, &NoHistory);
        outcome.expect("redaction runs").texts.concat()
    };
    let base = Policy { min_bytes: 0, ..Policy::default() };
    let parseable =
        run(&Policy { mode: Mode::Aggressive, structured: Structured::Parseable, ..base.clone() });
    if text.starts_with(['{', '[']) && serde_json::from_str::<Value>(&text).is_ok() && text.len() < 4096 {
        assert!(serde_json::from_str::<Value>(&parseable).is_ok(), "no JSON any more: {parseable}");
    }
    for method in [DictionaryMethod::Lzw, DictionaryMethod::Repair] {
        let out = run(&Policy { mode: Mode::Aggressive, dictionary: method, ..base.clone() });
        let filled = dictionary::expand(&out).unwrap_or(out);
        let _ = json_table::expand(&filled);
    }
    let _ = (dictionary::expand(&text), json_table::expand(&text));
}

/// Reading a document gives a value or one error.
pub fn documents(data: &[u8]) {
    let text = Input::new(data).text();
    let _ = document::yaml(&text);
    let _ = document::toml(&text);
    for name in ["rules.yaml", "rules.toml", "rules.json"] {
        let _ = tersed::layers::rule_file::read(Path::new(name), &text);
    }
}

/// Command lines in every dialect.
pub fn commands(data: &[u8]) {
    let text = Input::new(data).text();
    let line = CommandLine::parse(&text);
    assert_eq!(format!("{line:?}"), format!("{:?}", CommandLine::parse(&text)));
    for dialect in [Dialect::Posix, Dialect::PowerShell, Dialect::Cmd] {
        let _ = CommandLine::parse_as(&text, dialect);
    }
}

/// Everything outside of tool results keeps its bytes, and a second pass changes nothing.
pub fn bodies(data: &[u8]) {
    let mut input = Input::new(data);
    let format = *input.pick(&["openai-chat", "openai-responses", "anthropic", "gemini", "mcp"]);
    let Ok(text) = std::str::from_utf8(input.rest()) else { return };
    if serde_json::from_str::<&RawValue>(text).is_err() {
        return;
    }
    let engine = Engine::default();
    let ask = |body: &str| {
        let row = METHODS.iter().find(|m| m.name == "messages/compress").expect("a method");
        let params = format!(r#"{{"format":"{format}","body":{body}}}"#);
        let answer = (row.handle)(&engine, &params, &Cancel::default()).ok()?;
        // Half of a surrogate pair is JSON for some parsers; a body that contains one may return one.
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(&answer).expect("JSON");
        Some(members["body"].get().to_owned())
    };
    if let Some(once) = ask(text) {
        assert_eq!(ask(&once).as_ref(), Some(&once), "a body changed when it came in again");
    }
}

pub fn json_seeds() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        seeds::texts().into_iter().filter(|t| t.starts_with('[')).map(String::into_bytes).collect();
    let rows: Vec<Value> =
        (0..40).map(|i| json!({ "id": i, "tags": ["a", "b"], "deep": { "x": null, "y": i % 3 } })).collect();
    all.push(json!({ "items": rows, "next": null }).to_string().into_bytes());
    all.push(rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes());
    all.push(b"[2]{\"id\":int,\"name\":str}\n1\ta\n2\tb\n".to_vec());
    all
}

pub fn document_seeds() -> Vec<Vec<u8>> {
    [
        "policy:\n  mode: safe\n  excludeTools: [a, b]\n",
        "[policy]\nmode = \"safe\"\n\n[[policy.rules]]\nname = \"r\"\n",
        "rules:\n- name: r\n  when: {commandPrefix: make}\n  stages:\n    keepLines: [error]\n    maxLines: 9\n",
        "a: &x {b: [1, 2, *y]}\nc: *x\n",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

pub fn command_seeds() -> Vec<Vec<u8>> {
    let known = CALLS.iter().map(|(_, command)| command.as_bytes().to_vec());
    let more = [
        "cd x && FOO=1 sudo timeout 9 npx vitest run | tail -50",
        "bash -lc \"cd a && make 2>&1\"",
        "cat <<'EOF' > a.txt\nx\nEOF\npytest -q",
        "$env:A=1; dotnet test | Select -Last 9",
    ];
    known.chain(more.iter().map(|text| text.as_bytes().to_vec())).collect()
}

pub fn body_seeds() -> Vec<Vec<u8>> {
    let long: String = (0..60).map(|i| format!("test case_{i} ... ok\n")).collect();
    let bodies = [
        json!({ "messages": [{ "role": "tool", "tool_call_id": "c", "content": long }] }),
        json!({ "input": [{ "type": "function_call_output", "call_id": "c", "output": long }] }),
        json!({ "messages": [{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": long }] }] }),
        json!({ "contents": [{ "parts": [{ "functionResponse": { "name": "f", "response": { "output": long } } }] }] }),
        json!({ "content": [{ "type": "text", "text": long }], "structuredContent": { "a": 1 } }),
    ];
    (0u8..).zip(bodies).map(|(i, body)| [vec![i], body.to_string().into_bytes()].concat()).collect()
}
