//! MCP as a host sees it: `tersed mcp` and `tersed mcp-proxy` as child processes.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use crate::command_line::Home;

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    _state: tempfile::TempDir,
}

impl Process {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, Stdio::inherit())
    }

    fn start_with(arguments: &[&str], errors: Stdio) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        // Originals of the user's own conversations are not listed, nor are those that other processes hold.
        let state = tempfile::tempdir().unwrap();
        command.env("TERSED_NO_CONFIG", "1").env("XDG_STATE_HOME", state.path());
        command.env("XDG_RUNTIME_DIR", state.path());
        command.args(arguments).stderr(errors);
        Self::of(command, state)
    }

    fn of(mut command: Command, state: tempfile::TempDir) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { input: child.stdin.take(), child, output, _state: state }
    }

    fn proxy(arguments: &[&str]) -> Self {
        let mut all = vec!["mcp-proxy"];
        all.extend_from_slice(arguments);
        let mut process = Self::start(&all);
        assert_eq!(process.line(), "a line that is no JSON\n");
        process
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn ask(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let answer: Value = serde_json::from_str(&self.line()).unwrap();
            if answer["id"] == id && answer.get("method").is_none() {
                return answer;
            }
        }
    }

    fn call(&mut self, id: u32, name: &str, arguments: Value) -> Value {
        self.ask(json!(id), "tools/call", json!({ "name": name, "arguments": arguments }))["result"].clone()
    }

    fn end(mut self) -> ExitStatus {
        self.input = None;
        self.child.wait().unwrap()
    }
}

const SERVER: [&str; 3] = ["--", "python3", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/server.py")];

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

fn handle(text: &str) -> String {
    text.split(", id ").nth(1).unwrap().split([']', ':']).next().unwrap().to_owned()
}

fn shake_hands(process: &mut Process) {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let answer = process.ask(json!(0), "initialize", params);
    assert_eq!(answer["result"]["serverInfo"]["name"], "tersed", "{answer}");
    process.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
}

#[test]
fn originals_of_other_workspaces_are_read_by_handle_but_not_listed() {
    let home = Home::new();
    let binary = env!("CARGO_BIN_EXE_tersed");
    let mut shown = Vec::new();
    for name in ["one", "two"] {
        std::fs::create_dir_all(home.path(name).join(".git")).unwrap();
        let mut command = home.command(binary);
        let line = format!("seq 4000 | sed 's/$/: a line of {name}/'");
        command.args(["run", "--no-resident", "--shell", &line]).current_dir(home.path(name));
        let output = command.output().unwrap();
        assert!(output.status.success());
        shown.push(String::from_utf8(output.stdout).unwrap());
    }
    let all: Value = serde_json::from_str(&home.printed(&["artifacts", "list", "--json"])).unwrap();
    let id = |name: &str| {
        let is_of = |one: &&Value| one["command"].as_str().is_some_and(|command| command.contains(name));
        all.as_array().unwrap().iter().find(is_of).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let told = |tool: &str, arguments: Value| {
        let mut command = home.command(binary);
        command.arg("mcp").current_dir(home.path("one"));
        let mut process = Process::of(command, tempfile::tempdir().unwrap());
        shake_hands(&mut process);
        let answer = process.ask(json!(1), "tools/call", json!({ "name": tool, "arguments": arguments }));
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let other = json!({ "id": id("two"), "first": 7, "last": 7 });
    let listed = told("tersed_list", json!({}));
    assert!(listed.contains(&id("one")) && !listed.contains(&id("two")), "{listed}");
    assert_eq!(
        told("tersed_expand", json!({ "id": id("one"), "first": 7, "last": 7 })),
        "7: a line of one\n"
    );
    // The digits of the check of a text name its original too.
    let check = |text: &str| text.split_once("[tersed#").unwrap().1[..12].to_owned();
    for given in [check(&shown[0]), format!("[tersed#{}", check(&shown[0]))] {
        assert_eq!(
            told("tersed_expand", json!({ "id": given, "first": 7, "last": 7 })),
            "7: a line of one\n"
        );
    }
    // Whoever has a handle was shown it.
    let by_check = json!({ "id": format!("#{}", check(&shown[1])), "first": 7, "last": 7 });
    for given in [other, by_check] {
        assert_eq!(told("tersed_expand", given), "7: a line of two\n");
    }
    let refused = told("tersed_expand", json!({ "id": "#000000000000" }));
    assert!(refused.contains("no original that is kept was shown with it"), "{refused}");
    // Only the user can allow more, no project.
    let settings = "recovery:\n  otherWorkspaces: true\n";
    std::fs::write(home.path("one/tersed.yaml"), settings).unwrap();
    assert!(!told("tersed_list", json!({})).contains(&id("two")));
    std::fs::remove_file(home.path("one/tersed.yaml")).unwrap();
    std::fs::create_dir_all(home.path(".config/tersed")).unwrap();
    std::fs::write(home.path(".config/tersed/tersed.yaml"), settings).unwrap();
    assert!(told("tersed_list", json!({})).contains(&id("two")));
}

fn passing_tests() -> String {
    let mut text = "running 400 tests\n".to_owned();
    text.extend((1..=400).map(|n| format!("test case_{n} ... ok\n")));
    text +=
        "\ntest result: ok. 400 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";
    text
}

#[test]
fn the_model_is_offered_what_it_may_call_and_nothing_for_hooks() {
    let mut mcp = Process::start(&["mcp"]);
    shake_hands(&mut mcp);
    let tools = mcp.ask(json!(1), "tools/list", json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tersed_expand", "tersed_search", "tersed_list"]);
    assert!(!tools.to_string().to_lowercase().contains("hook"), "{tools}");
    // Hooks of an earlier version still call a tool. The answer lets them continue, and nothing is remembered.
    let event = json!({
        "session_id": "s", "tool_use_id": "c1", "tool_name": "Bash", "tool_input": { "command": "cargo test" },
        "tool_response": { "stdout": passing_tests(), "stderr": "", "interrupted": false, "isImage": false },
    });
    assert_eq!(text(&mcp.call(2, "tersed_hook", event)), "{}");
    let refused = mcp.call(3, "tersed_search", json!({ "id": "0123456789abcdef", "pattern": "x" }));
    assert_eq!(refused["isError"], true, "{refused}");
    let error = mcp.ask(json!(4), "tools/call", json!({ "name": "nothing" }));
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("no tool `nothing`") && !message.contains("hook"), "{error}");
    assert!(mcp.end().success());
}

#[test]
fn a_client_without_a_handshake_is_served() {
    let mut mcp = Process::start(&["mcp"]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = mcp.ask(json!(1), "server/discover", json!({ "_meta": meta }));
    assert!(
        answer["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{answer}"
    );
    assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
    let params = json!({ "_meta": meta, "name": "tersed_list", "arguments": {} });
    let answer = mcp.ask(json!(2), "tools/call", params);
    assert!(text(&answer["result"]).starts_with("No original is kept"), "{answer}");
    assert!(mcp.end().success());
}

#[test]
fn a_line_that_is_no_request_costs_one_error_and_ends_nothing() {
    let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
    let mut mcp = Process::start_with(&["mcp"], Stdio::piped());
    // Notifications and replies before the first request are ignored.
    let cancelled = json!({ "requestId": 1, "reason": token });
    mcp.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }));
    mcp.say(&json!({ "jsonrpc": "2.0", "id": 5, "result": { "why": token } }));
    shake_hands(&mut mcp);
    let mut answers = |line: &str| -> Value {
        writeln!(mcp.input.as_mut().unwrap(), "{line}").unwrap();
        serde_json::from_str(&mcp.line()).unwrap()
    };
    let half = r#"{"jsonrpc":"2.0","id":13,"method":"ping","params":{"x":"\ud83d"}}"#;
    assert_eq!(answers(half), json!({ "jsonrpc": "2.0", "id": 13, "result": {} }));
    for (line, id, code) in [
        (format!("no JSON {token}"), json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":14,"#.to_owned(), json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":15,"method":"ping","params":[]}"#.to_owned(), json!(15), -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_owned(), json!(1.5), -32600),
        (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#.to_owned(), json!(null), -32600),
        (r#"[{"jsonrpc":"2.0","id":16,"method":"ping"}]"#.to_owned(), json!(null), -32600),
        (format!(r#"{{"a":"{token}"}}"#), json!(null), -32600),
        ("7".to_owned(), json!(null), -32600),
        (format!(r#"{{"jsonrpc":"2.0","id":17,"method":"x/{token}"}}"#), json!(17), -32601),
    ] {
        let answer = answers(&line);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}: {answer}");
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
        assert!(!answer.to_string().contains(&token), "{answer}");
    }
    // Notifications get no answer, whatever they hold, and neither does an empty line.
    for line in ["", r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":7}"#] {
        writeln!(mcp.input.as_mut().unwrap(), "{line}").unwrap();
    }
    assert_eq!(mcp.ask(json!(18), "ping", json!({}))["result"], json!({}));
    let mut errors = mcp.child.stderr.take().unwrap();
    assert!(mcp.end().success());
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

#[test]
fn the_proxy_changes_results_and_nothing_else() {
    if !crate::common::has("python3") {
        return;
    }
    let mut proxy = Process::proxy(&SERVER);
    let request = r#"{"jsonrpc":"2.0" , "method":"echo","id":"x","params":{"n":1.0e2}}"#;
    writeln!(proxy.input.as_mut().unwrap(), "{request}").unwrap();
    let line = serde_json::to_string(&format!("{request}\n")).unwrap();
    let expected = format!(
        "{{\"result\" : {{\"line\": {line}, \"n\": 1.50, \"e\": 1E400}}, \"id\":\"x\",  \"jsonrpc\":\"2.0\"}}\n"
    );
    assert_eq!(proxy.line(), expected);
    let tools = proxy.ask(json!(1), "tools/list", json!({}));
    let count = tools["result"]["tools"].as_array().unwrap().len();
    assert_eq!((count, &tools["result"]["tools"][0]["name"]), (4, &json!("run")));
    let result = proxy.call(2, "run", json!({ "command": "cargo test" }));
    let shown = text(&result);
    assert!(shown.contains("400 passed") && shown.len() < 400, "{shown}");
    let read = proxy.call(3, "tersed_expand", json!({ "id": handle(&shown) }));
    assert_eq!(text(&read), passing_tests());
    // A model may give the whole line, its digits in capitals, or the digits that are no id.
    let marker = shown.lines().find(|line| line.contains(", id ")).unwrap();
    let upper = handle(&shown).to_uppercase();
    for id in [marker, &upper, &format!("[tersed: all 404 lines: tersed artifacts show {}]", handle(&shown))]
    {
        assert_eq!(text(&proxy.call(3, "tersed_expand", json!({ "id": id }))), passing_tests(), "{id}");
    }
    let check = marker.split_once("[tersed#").unwrap().1.split(':').next().unwrap();
    let told = text(&proxy.call(3, "tersed_expand", json!({ "id": check })));
    assert!(told.contains("are a check of the whole text, no handle"), "{told}");
    let told = text(&proxy.call(3, "tersed_search", json!({ "id": "2310", "pattern": "x" })));
    assert!(told.contains("8 digits or more"), "{told}");
    let told = text(&proxy.call(3, "tersed_expand", json!({ "id": handle(&shown), "first": 9999 })));
    assert!(told.contains("lines 9999- are beyond the end"), "{told}");
    // No reference to an earlier result, because it is unknown what the model still sees.
    let again = text(&proxy.call(4, "run", json!({ "command": "cargo test" })));
    assert_eq!(again, shown);
    assert_eq!(proxy.end().code(), Some(0));
}

#[test]
fn the_proxy_ends_as_its_server_ends() {
    if !crate::common::has("python3") {
        return;
    }
    for (command, code) in [("exit", 3), ("crash", 137)] {
        let mut proxy = Process::proxy(&SERVER);
        proxy.say(&json!({ "id": 1, "method": "tools/call", "params": { "name": "run", "arguments": { "command": "hang" } } }));
        proxy.say(&json!({ "id": 2, "method": "tools/call", "params": { "name": "run", "arguments": { "command": command } } }));
        let mut ids: Vec<i64> = Vec::new();
        for _ in 0..2 {
            let answer: Value = serde_json::from_str(&proxy.line()).unwrap();
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains("before it answered"), "{answer}");
            ids.push(answer["id"].as_i64().unwrap());
        }
        ids.sort_unstable();
        assert_eq!(ids, [1, 2]);
        assert_eq!(proxy.line(), "");
        assert_eq!(proxy.child.wait().unwrap().code(), Some(code));
    }
}

#[test]
fn what_a_server_writes_to_standard_error_loses_its_secrets_and_comes_at_once() {
    let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
    let long = format!("{}{token} ", "word ".repeat(400_000));
    for text in
        [format!("starting\nkey {token}\nready\n"), format!("{long}\nready\n"), format!("key {token}")]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        command.env("TERSED_NO_CONFIG", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &text).unwrap();
        let script = format!("cat {} >&2; read -r line", file.path().display());
        let mut child = command.args(["mcp-proxy", "--", "sh", "-c", &script]).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        // It arrives while the server runs.
        while text.ends_with('\n') && !said.ends_with("ready\n") {
            assert!(stderr.read_line(&mut said).unwrap() > 0, "it ended");
        }
        drop(child.stdin.take());
        stderr.read_to_string(&mut said).unwrap();
        assert!(child.wait().unwrap().code().is_some());
        assert_eq!(said, text.replace(&token, "[REDACTED:github-pat]"));
    }
}

#[test]
fn the_proxy_passes_signals_on() {
    if !crate::common::has("python3") {
        return;
    }
    let mut proxy = Process::proxy(&SERVER);
    // An answer shows that both are running.
    proxy.ask(json!(1), "tools/list", json!({}));
    assert!(Command::new("kill").arg(proxy.child.id().to_string()).status().unwrap().success());
    assert!(proxy.line().contains(r#""signal": 15"#));
    assert_eq!(proxy.child.wait().unwrap().code(), Some(7));
}

/// A client reads line by line: an answer of ours after half a line of the server would be lost.
#[test]
fn what_a_server_leaves_unfinished_is_a_line_of_its_own() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    command.env("TERSED_NO_CONFIG", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let half = r#"{"jsonrpc":"2.0","id":1,"resu"#;
    let script = format!("read -r line; printf '%s' '{half}'; exit 7");
    let mut child = command.args(["mcp-proxy", "--", "sh", "-c", &script]).spawn().unwrap();
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}"#;
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{call}").unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    drop(stdin);
    child.wait().unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], half);
    let error: Value = serde_json::from_str(lines[1]).unwrap();
    assert!(error["id"] == 1 && error["error"]["code"] == -32000 && lines.len() == 2, "{out}");
}

#[test]
fn servers_come_from_a_file() {
    if !crate::common::has("python3") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("servers.json");
    let servers = json!({ "mcpServers": {
        "one": { "type": "stdio", "command": SERVER[1], "args": [SERVER[2]], "env": { "TEXT": "from the file" } },
        "far": { "url": "http://127.0.0.1:1" },
    } });
    std::fs::write(&file, servers.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let mut proxy = Process::proxy(&["--servers", file, "one"]);
    assert_eq!(text(&proxy.call(1, "run", json!({ "command": "x" }))), "from the file");
    assert!(proxy.end().success());
    let refused = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_tersed")).arg("mcp-proxy").args(arguments).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, message) = refused(&["--servers", file, "two"]);
    assert!(code == 2 && message.ends_with("no server `two`, there are: far, one\n"), "{message}");
    let (code, message) = refused(&["--servers", file, "far"]);
    assert!(code == 2 && message.contains("server `far` has no `command`"), "{message}");
    let (code, message) = refused(&["--", "no-such-program-here"]);
    assert!(code == 127 && message.starts_with("tersed: no-such-program-here: "), "{message}");
}

#[test]
fn the_server_of_gemini_gives_back_what_its_hook_gives() {
    let mut server = Process::start(&["mcp", "--host", "gemini"]);
    shake_hands(&mut server);
    let listed = server.ask(json!(1), "tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(listed["result"]["tools"][0]["name"], "tersed_result");
    let part = |text: &str| json!({ "type": "text", "text": text });
    let one = server.call(2, "tersed_result", json!({ "content": "a\n b" }));
    assert_eq!(one["content"], json!([part("a\n b")]));
    let list = server.call(3, "tersed_result", json!({ "content": ["", "b"] }));
    assert_eq!(list["content"], json!([part(""), part("b")]));
    for wrong in [json!({}), json!({ "content": 7 }), json!({ "content": ["a", 7] })] {
        assert_eq!(server.call(4, "tersed_result", wrong)["isError"], true);
    }
    assert!(tersed::host::served::is_served("gemini", &std::env::current_dir().unwrap()));
    server.end();
}
