//! The answers to the hooks of Codex, Gemini CLI, Copilot and Cursor, for events in `editors/*/recorded`.

use std::fs;

use serde_json::{Value, json};
use tersed::engine::Settings;
use tersed::host::event::Event;
use tersed::host::hooks::Hooks;
use tersed::host::resident::answer;
use tersed::host::resident::wire::{Reply, Request};
use tersed::host::{Host, gemini};
use tersed::protocol::artifact::ListParams;

fn host() -> Host {
    Host::resident(Settings::default())
}

fn recorded(host: &str, name: &str) -> Value {
    let path = format!("{}/editors/{host}/recorded/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn reply(host: &Host, name: &str, event: &Value) -> Option<Value> {
    (Hooks::named(name).unwrap().reply)(host, event.clone())
}

const TOTAL: &str =
    "test result: ok. 120 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s";

/// Checks that a text is the recorded run that passed, smaller and true.
#[track_caller]
fn is_passed(text: &str) {
    assert!(text.len() < 400 && text.contains("omitted 120 lines 2-121, passing_tests"), "{text}");
    assert!(text.contains("running 120 tests\n") && text.contains(TOTAL), "{text}");
}

/// Checks that a text is the recorded run that failed, smaller and true.
#[track_caller]
fn is_failed(text: &str) {
    let lines = [
        "test tests::odd_sides ... FAILED",
        "thread 'tests::odd_sides' (7) panicked at src/lib.rs:9:5:",
        "assertion `left == right` failed",
        "  left: 3",
        " right: 4",
    ];
    assert!(text.len() < 700 && text.contains("omitted 120 lines"), "{text}");
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    assert!(text.contains("test result: FAILED. 120 passed; 1 failed"), "{text}");
}

/// The text for the model, if our tool can be called.
fn tail(host: &Host, event: &Value) -> Option<Value> {
    let reply = gemini::answer(host, &Event::read(event.clone()).unwrap(), || true)?;
    let specific = &reply["hookSpecificOutput"];
    let members: Vec<&String> = reply.as_object().unwrap().keys().collect();
    assert_eq!(members, ["hookSpecificOutput"], "a decision would make a failure of a success");
    assert_eq!(specific["hookEventName"], "AfterTool");
    assert_eq!(specific["tailToolCallRequest"]["name"], "mcp_tersed_tersed_result");
    Some(specific["tailToolCallRequest"]["args"]["content"].clone())
}

#[test]
fn gemini_gets_smaller_results_by_a_call_of_our_tool() {
    let passed = tail(&host(), &recorded("gemini", "shell")).unwrap();
    let text = passed.as_str().unwrap();
    is_passed(text);
    assert!(text.starts_with("Output: running"), "{text}");
    let line = text.lines().last().unwrap();
    assert!(line.starts_with("Process Group PGID: "), "{line}");

    let failed = tail(&host(), &recorded("gemini", "shell-failed")).unwrap();
    let text = failed.as_str().unwrap();
    is_failed(text);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[lines.len() - 2], "Exit Code: 203");

    let parts = tail(&host(), &recorded("gemini", "mcp")).unwrap();
    assert_eq!(parts.as_array().unwrap().len(), 1);
    is_passed(parts[0].as_str().unwrap());

    let file = recorded("gemini", "read");
    let view = tail(&host(), &file).unwrap();
    let before = file["tool_response"]["llmContent"].as_str().unwrap();
    assert!(view.as_str().unwrap().len() < before.len() / 2, "{view}");
}

#[test]
fn gemini_keeps_results_that_our_tool_could_not_give() {
    let host = host();
    // No server runs in a workspace of that name.
    let mut shell = recorded("gemini", "shell");
    shell["cwd"] = json!("/nonexistent/workspace");
    assert_eq!(reply(&host, "gemini", &shell), None);
    // Our own answer is not examined again.
    assert_eq!(tail(&host, &recorded("gemini", "result")), None);
    assert_eq!(tail(&host, &recorded("gemini", "before-shell")), None);
    let mut failed = recorded("gemini", "mcp");
    failed["tool_response"]["error"] = json!({ "message": "MCP tool reported an error" });
    assert_eq!(tail(&host, &failed), None);
    let mut image = recorded("gemini", "mcp");
    let part = json!({ "inlineData": { "mimeType": "image/png", "data": "" } });
    image["tool_response"]["llmContent"].as_array_mut().unwrap().push(part);
    assert_eq!(tail(&host, &image), None);
    for content in ["Command was cancelled by user before it could complete.", ""] {
        let mut cancelled = recorded("gemini", "shell");
        cancelled["tool_response"]["llmContent"] = json!(content);
        assert_eq!(tail(&host, &cancelled), None, "{content}");
    }
}

#[test]
fn copilot_gets_smaller_results_in_their_shape() {
    let host = host();
    let modified = |name: &str| {
        let event = recorded("copilot", name);
        let reply = reply(&host, "copilot", &event).unwrap();
        let members: Vec<&String> = reply["modifiedResult"].as_object().unwrap().keys().collect();
        assert_eq!(members, event["toolResult"].as_object().unwrap().keys().collect::<Vec<_>>());
        assert_eq!(reply["modifiedResult"]["resultType"], "success");
        reply["modifiedResult"]["textResultForLlm"].as_str().unwrap().to_owned()
    };
    let passed = modified("bash");
    is_passed(&passed);
    assert!(passed.ends_with("<shellId: 0 completed with exit code 0>"), "{passed}");
    let failed = modified("bash-failed");
    is_failed(&failed);
    assert!(failed.ends_with("\n<shellId: 1 completed with exit code 203>"), "{failed}");
    assert!(modified("view").len() < 8_000);
    is_passed(&modified("mcp"));
}

#[test]
fn copilot_keeps_failures_and_what_was_read_back() {
    let host = host();
    let mut event = recorded("copilot", "mcp");
    event["toolName"] = json!("tersed-tersed_expand");
    assert_eq!(reply(&host, "copilot", &event), None);
    let mut event = recorded("copilot", "mcp");
    event["toolResult"]["resultType"] = json!("failure");
    assert_eq!(reply(&host, "copilot", &event), None);
}

#[test]
fn what_a_command_of_ours_reads_back_stays() {
    for (host_name, name, input) in [("copilot", "bash", "toolArgs"), ("gemini", "shell", "tool_input")] {
        let mut event = recorded(host_name, name);
        event[input]["command"] = json!("cd src; tersed artifacts show 405f5222 | head -200");
        let host = host();
        let answer =
            if host_name == "gemini" { tail(&host, &event) } else { reply(&host, host_name, &event) };
        assert_eq!(answer, None, "{host_name}");
    }
}

#[test]
fn codex_runs_commands_inside_of_ours_and_keeps_results() {
    let event = recorded("codex", "pre-tool-use-failing");
    let reply = reply(&host(), "codex", &event).unwrap();
    let updated = reply["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    let line = event["tool_input"]["command"].as_str().unwrap();
    assert!(updated.starts_with('/') && updated.ends_with(&format!(" -- {line}")), "{updated}");
    // The limits of Codex for an unknown model, and for a known one.
    assert!(updated.contains(" --host-limit 10000 -- "), "{updated}");
    let mut known = event.clone();
    known["model"] = json!("gpt-5.5");
    let reply = self::reply(&host(), "codex", &known).unwrap();
    assert!(reply.to_string().contains(" --host-limit 40000 -- "), "{reply}");
    assert_eq!(self::reply(&host(), "codex", &recorded("codex", "post-tool-use")), None);
}

/// A program reads the results of its calls as data: 300 names must be 300 lines.
#[test]
fn codex_gives_programs_what_their_commands_wrote() {
    let host = host();
    for name in ["pre-tool-use-of-program", "post-tool-use-of-program"] {
        assert_eq!(reply(&host, "codex", &recorded("codex", name)), None, "{name}");
    }
    let mut event = recorded("codex", "pre-tool-use-of-program");
    // Without a call id, the caller is unknown.
    event["tool_use_id"] = json!("");
    assert_eq!(reply(&host, "codex", &event), None);
    event["tool_use_id"] = json!("call_1");
    assert!(reply(&host, "codex", &event).is_some(), "the same call of the model");
    let session_id = event["session_id"].as_str().map(str::to_owned);
    let kept = ListParams { session_id, cursor: None };
    assert!(host.engine().list_artifacts(&kept).map_or(true, |list| list.artifacts.is_empty()));
}

#[test]
fn cursor_gets_smaller_results_of_mcp_tools_alone() {
    let host = host();
    let updated = reply(&host, "cursor", &recorded("cursor", "mcp")).unwrap();
    let result = &updated["updated_mcp_tool_output"];
    is_passed(result["content"][0]["text"].as_str().unwrap());
    assert_eq!(result["isError"], false);
    for name in ["mcp-failed", "shell", "pre-compact"] {
        assert_eq!(reply(&host, "cursor", &recorded("cursor", name)), None, "{name}");
    }
    let mut own = recorded("cursor", "mcp");
    own["tool_name"] = json!("MCP:tersed:tersed_expand");
    assert_eq!(reply(&host, "cursor", &own), None);
}

#[test]
fn a_result_is_referred_to_until_the_conversation_is_summed_up() {
    let host = host();
    let event = |id: &str| {
        let mut event = recorded("cursor", "mcp");
        event["tool_use_id"] = json!(id);
        event["tool_input"] = json!({ "id": id });
        event
    };
    let text = |id: &str| {
        let updated = reply(&host, "cursor", &event(id)).unwrap();
        updated["updated_mcp_tool_output"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    is_passed(&text("c1"));
    assert!(text("c2").contains(": same output as in "), "{}", text("c2"));
    assert_eq!(reply(&host, "cursor", &recorded("cursor", "pre-compact")), None);
    is_passed(&text("c3"));
}

#[test]
fn what_is_no_event_is_answered_with_nothing() {
    for name in ["copilot", "cursor", "gemini"] {
        for event in
            [json!(null), json!([]), json!({}), json!({ "session_id": 7, "sessionId": [], "toolResult": 1 })]
        {
            assert_eq!(reply(&host(), name, &event), None, "{name} {event}");
        }
    }
}

/// The answer to the text of an event, in JSON.
fn reply_to_text(name: &str, event: &str) -> String {
    let request = Request::Hook { host: name.to_owned(), owner: None };
    let (reply, bytes, _) = answer::answer(&host(), &request, event.as_bytes());
    assert_eq!(reply, Reply::Whole, "{name}");
    String::from_utf8(bytes).unwrap()
}

#[test]
fn half_a_surrogate_pair_switches_no_hook_off() {
    let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
    let text = format!("{token}\n{}", "a line of a log that is long\n".repeat(100));
    let mut claude = recorded("claude-code", "bash");
    claude["tool_response"]["stdout"] = json!(format!("{text}HALF"));
    let mut described = recorded("claude-code", "bash");
    described["tool_response"]["stdout"] = json!(text);
    described["tool_input"]["description"] = json!("HALF");
    let mut as_text = claude.clone();
    as_text["tool_response"] = json!(claude["tool_response"].to_string());
    let mut copilot = recorded("copilot", "bash");
    copilot["toolResult"]["textResultForLlm"] = json!(format!("{text}HALF"));
    let mut cursor = recorded("cursor", "mcp");
    cursor["tool_output"] = json!({ "content": [{ "type": "text", "text": format!("{text}HALF") }] });
    let mut in_string = cursor.clone();
    in_string["tool_output"] = json!(cursor["tool_output"].to_string());
    for (name, event) in [
        ("claude-code", claude),
        ("claude-code", described),
        ("claude-code", as_text),
        ("copilot", copilot),
        ("cursor", cursor),
        ("cursor", in_string),
    ] {
        // Inside of JSON text, the escape is escaped.
        let event = event.to_string();
        let half =
            if event.contains("\\\"HALF") || event.contains("HALF\\\"") { r"\\ud83d" } else { r"\ud83d" };
        for half in [half.to_owned(), half.to_uppercase().replace("\\U", "\\u")] {
            let answer = reply_to_text(name, &event.replace("HALF", &half));
            assert!(answer.contains("[REDACTED:github-pat]") && !answer.contains(&token), "{name}: {answer}");
        }
    }
    let mut codex = recorded("codex", "pre-tool-use");
    codex["tool_input"]["command"] = json!("cargo test");
    codex["tool_input"]["why"] = json!("HALF");
    let answer = reply_to_text("codex", &codex.to_string().replace("HALF", r"\udc00"));
    assert!(answer.contains("run --session"), "{answer}");
    let mut gemini = recorded("gemini", "shell");
    gemini["tool_response"]["llmContent"] = json!("Output: HALF\nExit Code: 1");
    let text = gemini.to_string().replace("HALF", r"\ud83d");
    assert!(
        tersed::host::event::parsed(text.as_bytes())
            .is_some_and(|event| event["tool_name"] == gemini["tool_name"])
    );
}

fn token() -> String {
    format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36])
}

#[test]
fn every_string_of_a_result_loses_its_secrets_in_every_host() {
    let (host, token) = (host(), token());
    let passed: String = (1..=300).map(|n| format!("test t{n} ... ok\n")).collect();
    let long = format!(
        "\nrunning 300 tests\n{passed}\ntest result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
         finished in 0.10s\n\n"
    );
    let safe = |value: &Value| value.to_string().replace(&token, "[REDACTED:github-pat]");
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    for session in [json!("s"), json!({ "id": "s" })] {
        for output in [
            json!({ "content": text("hi"), "structuredContent": { "t": token }, "_meta": { "t": token } }),
            json!({ "content": text(&format!("key {token}")), "isError": true }),
            json!({ "content": format!("key {token}") }),
            json!(format!("key {token}")),
            json!([format!("key {token}")]),
        ] {
            let mut event = recorded("cursor", "mcp");
            (event["tool_output"], event["session_id"]) = (output.clone(), session.clone());
            event["conversation_id"] = session.clone();
            let new = reply(&host, "cursor", &event).unwrap_or_else(|| panic!("{output}"));
            assert_eq!(new["updated_mcp_tool_output"].to_string(), safe(&output));
        }
        let mut event = recorded("copilot", "mcp");
        event["sessionId"] = session.clone();
        let log = format!("log {token}");
        event["toolResult"] = json!({ "resultType": "success", "textResultForLlm": "hi", "sessionLog": log });
        let new = reply(&host, "copilot", &event).unwrap();
        assert_eq!(new["modifiedResult"].to_string(), safe(&event["toolResult"]));
        let mut event = recorded("gemini", "shell");
        event["session_id"] = session;
        for content in [
            format!("Command was cancelled by user before it could complete.\nkey {token}"),
            format!("Output: key {token}"),
        ] {
            event["tool_response"]["llmContent"] = json!(content);
            let new = tail(&host, &event).unwrap_or_else(|| panic!("{content}"));
            assert_eq!(new, json!(content.replace(&token, "[REDACTED:github-pat]")));
        }
    }
    let mut event = recorded("cursor", "mcp");
    event["tool_output"] = json!({ "content": text(&long), "structuredContent": { "t": token } });
    let new = reply(&host, "cursor", &event).unwrap()["updated_mcp_tool_output"].to_string();
    assert!(new.len() < long.len() / 2 && !new.contains(&token), "{new}");
    // An image beside a text stays.
    let mut event = recorded("gemini", "mcp");
    let data = "iVBORw0KGgo=";
    let part = json!({ "inlineData": { "mimeType": "image/png", "data": data } });
    event["tool_response"]["llmContent"] = json!([{ "text": format!("key {token}") }, part]);
    let image = json!({ "data": data, "mimeType": "image/png" });
    assert_eq!(tail(&host, &event).unwrap(), json!(["key [REDACTED:github-pat]", image]));
    // What the tool cannot give stays whole.
    event["tool_response"]["llmContent"][1] = json!({ "fileData": { "fileUri": "x" } });
    assert_eq!(tail(&host, &event), None);
}

#[test]
fn deep_nesting_switches_no_hook_off() {
    let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
    let mut event = recorded("claude-code", "bash");
    event["tool_name"] = json!("mcp__any__tool");
    event["tool_response"] =
        json!({ "content": [{ "type": "text", "text": token }], "structuredContent": "DEEP" });
    for depth in [10, 1000] {
        let deep = format!("{}\"{token}\"{}", "[".repeat(depth), "]".repeat(depth));
        let answer = reply_to_text("claude-code", &event.to_string().replace("\"DEEP\"", &deep));
        assert_eq!(answer.matches("[REDACTED:github-pat]").count(), 2, "{answer}");
        assert!(!answer.contains(&token), "{answer}");
    }
}
