//! The names and shapes that other hosts use for the members of a result.

use crate::common::{call, try_call};
use serde_json::{Value, json};
use tersed::engine::Engine;
use tersed::protocol::tool_result::{MEMBER_NAMES, Members, ToolResult};
use tersed::text::call::ToolCall;

fn members(json: &str) -> Members<'_> {
    serde_json::from_str(json).unwrap()
}

fn tool_call(result: &Value) -> ToolCall {
    ToolResult::read(&members(&result.to_string()), "result").unwrap().call("result").unwrap()
}

/// A result with every member, by our names.
fn whole() -> Value {
    json!({
        "toolCallId": "call_1", "tool": "bash", "arguments": {"a": 1}, "command": "make -k", "path": "src/a.c",
        "exitCode": 2, "isError": true, "content": "text", "fullOutput": true,
    })
}

/// The visible properties of a parsed result.
fn seen(result: &Value) -> String {
    let text = result.to_string();
    let read = ToolResult::read(&members(&text), "result").unwrap();
    format!("{:?} {} {}", read.call("result").unwrap(), read.content.get(), read.full_output)
}

#[test]
fn every_name_of_a_member_is_read() {
    let expected = seen(&whole());
    let members: Vec<&str> = MEMBER_NAMES.iter().map(|(name, _)| *name).collect();
    assert_eq!(members, whole().as_object().unwrap().keys().collect::<Vec<_>>());
    for (name, others) in MEMBER_NAMES {
        for other in *others {
            let mut result = whole();
            let value = result.as_object_mut().unwrap().remove(*name).unwrap();
            if *name != "content" {
                assert_ne!(seen(&result), expected, "{name} makes no difference");
            }
            result[*other] = value;
            assert_eq!(seen(&result), expected, "{other} for {name}");
        }
    }
}

#[test]
fn the_names_that_the_issue_lists_are_among_them() {
    let all: Vec<&str> = MEMBER_NAMES.iter().flat_map(|(_, others)| others.iter().copied()).collect();
    for name in [
        "name",
        "argv",
        "file_path",
        "is_error",
        "exit_code",
        "tool_call_id",
        "tool_use_id",
        "call_id",
        "output",
    ] {
        assert!(all.contains(&name), "{name}");
    }
}

#[test]
fn of_several_names_the_first_counts_and_null_is_absent() {
    let id = |result: Value| tool_call(&result).id;
    assert_eq!(id(json!({"id": "fc_1", "call_id": "call_1", "content": ""})).unwrap(), "call_1");
    assert_eq!(
        id(json!({"tool_call_id": "t", "id": "m", "toolCallId": "ours", "content": ""})).unwrap(),
        "ours"
    );
    assert_eq!(id(json!({"id": "m", "tool_call_id": null, "content": ""})).unwrap(), "m");
    assert_eq!(id(json!({"id": 7, "tool_use_id": "t", "content": ""})).unwrap(), "t");
    assert_eq!(id(json!({"id": null, "content": ""})), None);
    let read =
        |json: &'static str| ToolResult::read(&members(json), "result").unwrap().content.get().to_owned();
    assert_eq!(read(r#"{"content":null,"output":"o"}"#), r#""o""#);
    assert_eq!(read(r#"{"output":"o","content":"c","content":"d"}"#), r#""d""#);
}

#[test]
fn a_command_is_found_wherever_hosts_put_it() {
    let command = |result: Value| tool_call(&result).command;
    let line = Some("cargo test".to_owned());
    assert_eq!(command(json!({"command": "cargo test", "content": ""})), line);
    assert_eq!(command(json!({"argv": ["cargo", "test"], "content": ""})), line);
    for key in [
        "command",
        "cmd",
        "commands",
        "script",
        "command_line",
        "commandLine",
        "argv",
        "bash_command",
        "code",
    ] {
        assert_eq!(command(json!({"arguments": {key: "cargo test"}, "content": ""})), line, "{key}");
        assert_eq!(command(json!({"input": {key: ["cargo", "test"]}, "content": ""})), line, "{key}");
        assert_eq!(
            command(json!({"arguments": json!({key: "cargo test"}).to_string(), "content": ""})),
            line,
            "{key}"
        );
    }
    let quoted = command(json!({"command": ["bash", "-lc", "echo 'a b'", ""], "content": ""}));
    assert_eq!(quoted.unwrap(), r"bash -lc 'echo '\''a b'\''' ''");
    assert_eq!(
        command(json!({"command": "make", "arguments": {"command": "ls"}, "content": ""})).unwrap(),
        "make"
    );
    for none in
        [json!("cargo test"), json!({"command": 5}), json!({"command": []}), json!(["cargo"]), json!(5)]
    {
        assert_eq!(command(json!({"arguments": none, "content": ""})), None, "{none}");
    }
    assert_eq!(
        command(json!({"tool": "run_python", "arguments": {"code": "print(1)"}, "content": ""})),
        None
    );
}

#[test]
fn a_path_is_found_wherever_hosts_put_it() {
    let path = |result: Value| tool_call(&result).path;
    for key in
        ["file_path", "path", "filePath", "filename", "file", "target_file", "absolute_path", "notebook_path"]
    {
        assert_eq!(
            path(json!({"arguments": {key: "src/a.rs"}, "content": ""})).as_deref(),
            Some("src/a.rs"),
            "{key}"
        );
    }
    assert_eq!(
        path(json!({"file_path": "b", "arguments": {"path": "a"}, "content": ""})).as_deref(),
        Some("b")
    );
}

#[test]
fn names_work_over_the_method_too() {
    let engine = Engine::default();
    let params = json!({"sessionId": "s", "result": {
        "type": "function_call_output", "id": "fc_1", "call_id": "call_1", "name": "shell", "exit_code": 3,
        "arguments": "{\"command\":[\"bash\",\"-lc\",\"make\"]}", "output": "done\n", "full_output": true,
    }});
    let first = call(&engine, "toolResult/compress", &params);
    assert_eq!(
        (&first["evidence"]["exitCode"], &first["evidence"]["bypass"]),
        (&json!(3), &json!("full_output"))
    );
    assert_eq!(call(&engine, "toolResult/compress", &params)["evidence"]["memo"]["reused"], true);

    let big = "waiting for the database to come up\n".repeat(60);
    let result = json!({"name": "shell", "output": big});
    let answer = call(&engine, "toolResult/compress", &json!({"result": result}));
    let id = &answer["artifact"]["id"];
    for name in ["id", "artifactId", "handle"] {
        assert_eq!(call(&engine, "artifact/read", &json!({name: id}))["text"], big, "{name}");
    }
    for name in ["pattern", "query", "regex"] {
        let found = call(&engine, "artifact/search", &json!({"id": id, name: "database"}));
        assert_eq!(found["totalMatches"], 60, "{name}");
    }
    let both = try_call(&engine, "artifact/read", &json!({"id": id, "handle": id})).unwrap_err();
    assert!(both.message.contains("duplicate field `id`"), "{both}");
}

#[test]
fn evicted_calls_go_by_all_their_names() {
    for name in ["toolCallIds", "callIds", "ids"] {
        let engine = Engine::default();
        let text = "the same text as before, long enough for a reference to pay\n".repeat(3);
        let send = |id: &str| {
            let result = json!({"toolCallId": id, "tool": "bash", "content": text});
            call(&engine, "toolResult/compress", &json!({"sessionId": "s", "result": result}))
        };
        send("a");
        assert_eq!(send("b")["evidence"]["duplicateOf"], "a");
        call(&engine, "session/evicted", &json!({"sessionId": "s", name: ["a"]}));
        assert_eq!(send("c")["evidence"]["duplicateOf"], Value::Null, "{name}");
    }
}
