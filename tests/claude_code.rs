//! What the hooks of Claude Code are answered, on events that it sent.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;

use serde_json::{Value, json};
use tersed::engine::Settings;
use tersed::host::Host;
use tersed::host::claude_code::reply;
use tersed::host::event::Event;

fn host() -> Host {
    Host::new(Settings::default())
}

fn recorded(name: &str) -> Value {
    let path = format!("{}/editors/claude-code/recorded/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn answer(event: &Value) -> Option<Value> {
    reply(&host(), &Event::read(event.clone()).unwrap())
}

/// The object that takes the place of the tool's own.
fn output(event: &Value) -> Value {
    let reply = answer(event).unwrap_or_else(|| panic!("no reply to {event}"));
    assert_eq!(reply["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    reply["hookSpecificOutput"]["updatedToolOutput"].clone()
}

fn numbers(count: usize) -> String {
    (1..=count).map(|n| format!("{n}\n")).collect()
}

#[test]
fn small_results_failures_and_file_views_stay() {
    for name in ["bash", "bash-failure", "bash-no-match", "read"] {
        assert_eq!(answer(&recorded(name)), None, "{name}");
    }
}

#[test]
fn an_output_that_was_saved_is_read_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output.txt");
    fs::write(&path, numbers(20_000)).unwrap();
    let mut event = recorded("bash-persisted");
    assert_eq!(answer(&event), None, "a file that is not there");
    event["tool_response"]["persistedOutputPath"] = json!(path);
    let output = output(&event);
    let stdout = output["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("19999\n20000\n"), "{stdout}");
    assert!(stdout.len() < 8_000 && stdout.contains("omitted "), "{} bytes", stdout.len());
    let members: Vec<&String> = output.as_object().unwrap().keys().collect();
    assert_eq!(members, ["stdout", "stderr", "interrupted", "isImage", "noOutputExpected"]);
}

#[test]
fn a_result_keeps_its_shape() {
    let mut event = recorded("bash");
    event["tool_input"]["command"] = json!("cargo test");
    let passing: String = (1..=300).map(|n| format!("test t{n} ... ok\n")).collect();
    let total =
        "test result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n";
    event["tool_response"]["stdout"] = json!(format!("\nrunning 300 tests\n{passing}\n{total}"));
    event["tool_response"]["stderr"] = json!("warning: unused variable: `x`\n");
    let output = output(&event);
    let stdout = output["stdout"].as_str().unwrap();
    assert!(stdout.ends_with(total) && stdout.len() < 400, "{stdout}");
    assert_eq!(output["stderr"], event["tool_response"]["stderr"]);
    assert_eq!(output["isImage"], false);
}

#[test]
fn placeholders_are_filled_with_json_text() {
    let mut event = recorded("bash-persisted");
    event["tool_response"].as_object_mut().unwrap().retain(|name, _| !name.starts_with("persisted"));
    event["tool_response"]["stdout"] = json!(numbers(20_000));
    let expected = answer(&event);
    assert!(expected.is_some());
    for name in ["tool_input", "tool_response"] {
        event[name] = json!(event[name].to_string());
    }
    event["agent_id"] = json!("${agent_id}");
    assert_eq!(answer(&event), expected);
}

#[test]
fn results_of_mcp_tools_are_blocks_or_text() {
    let text = numbers(20_000);
    let mut event = recorded("bash");
    event["tool_name"] = json!("mcp__server__run");
    event["tool_response"] = json!([{ "type": "text", "text": text }, { "type": "image", "data": "AA==" }]);
    let blocks = output(&event);
    assert!(blocks[0]["text"].as_str().unwrap().len() < text.len() / 2);
    assert_eq!(blocks[1], event["tool_response"][1]);
    event["tool_response"] = json!(text);
    assert!(output(&event).as_str().unwrap().len() < text.len() / 2);
    // Of an object nobody knows what the host shows.
    event["tool_response"] = json!({ "text": text });
    assert_eq!(answer(&event), None);
}

#[test]
fn agents_do_not_see_each_other() {
    let host = host();
    let mut event = recorded("bash-persisted");
    event["tool_response"].as_object_mut().unwrap().retain(|name, _| !name.starts_with("persisted"));
    let text: String = (0..80).map(|n| format!("setting {n} is {}\n", n * 7919)).collect();
    event["tool_response"]["stdout"] = json!(text);
    let mut ask = |id: &str, agent: &str| {
        event["tool_use_id"] = json!(id);
        event["agent_id"] = json!(agent);
        event["tool_input"]["command"] = json!(format!("show {id}"));
        reply(&host, &Event::read(event.clone()).unwrap()).map(|reply| reply.to_string()).unwrap_or_default()
    };
    ask("c1", "");
    assert!(!ask("c2", "a").contains("c1"));
    assert!(ask("c3", "").contains("c1"));
}

#[test]
fn what_a_wrapped_command_wrote_stays() {
    let mut event = recorded("bash");
    let text: String = (1..=300).map(|n| format!("test t{n} ... ok\n")).collect();
    let text = format!("running 300 tests\n[tersed#000000: omitted 9 lines 2-10, passing_tests]\n{text}");
    event["tool_response"]["stdout"] = json!(text.trim_end());
    event["tool_input"]["command"] = json!("cd x && tersed run --session s --call c -- cargo test");
    assert_eq!(answer(&event), None);
    event["tool_response"]["stdout"] = json!("[Duplicate of c1 (bash); see earlier result]");
    assert_eq!(answer(&event), None);
    // What passed since it took too long is as any other.
    event["tool_response"]["stdout"] = json!(numbers(20_000));
    assert!(answer(&event).is_some());
}
