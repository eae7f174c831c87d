//! `tersed audit`: how much of the savings reaches the host with its present settings, after `tersed install`, and
//! through the gateway. Each test has a home folder of its own.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// A home folder.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn tersed(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        command.args(arguments).current_dir(self.path()).env_clear().env("HOME", self.path());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn audit(&self, path: &str, variables: &[(&str, &str)]) -> Value {
        let report: Value =
            serde_json::from_str(&self.tersed(&["audit", path, "--format", "json"], variables)).unwrap();
        for way in ["here", "installed", "gateway"] {
            for member in ["results", "tokens", "sent"] {
                let of = |group: &Value| group["arrives"][way][member].as_u64().unwrap();
                let sum = |list: &str| report[list].as_array().unwrap().iter().map(of).sum::<u64>();
                assert_eq!(sum("tools"), of(&report["total"]), "{way} {member}");
                assert_eq!(sum("formats"), of(&report["total"]), "{way} {member}");
            }
            let tokens = report["total"]["arrives"][way]["tokens"].as_u64().unwrap();
            let all = report["total"]["tokensBefore"].as_u64().unwrap();
            assert!(tokens <= all, "{way}: {tokens} of {all}");
        }
        report
    }

    fn wire(&self, host: &str) {
        self.tersed(&["install", host, "--command", env!("CARGO_BIN_EXE_tersed")], &[]);
    }
}

/// Tokens that arrive by a way, of one tool or of all.
fn arrives(report: &Value, way: &str, tool: Option<&str>) -> u64 {
    let group = match tool {
        None => &report["total"],
        Some(name) => report["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap(),
    };
    group["arrives"][way]["tokens"].as_u64().unwrap()
}

/// The code of the reason why results of a tool stay.
fn why<'a>(report: &'a Value, tool: &str) -> Vec<&'a str> {
    let all = report["notReached"].as_array().unwrap().iter();
    all.filter(|one| one["tool"] == tool).map(|one| one["why"].as_str().unwrap()).collect()
}

fn tests(name: &str, failed: bool) -> String {
    let cases: String = (0..60).map(|i| format!("test {name}::case_{i} ... ok\n")).collect();
    let (status, count) = if failed { ("FAILED", 1) } else { ("ok", 0) };
    let failure = if failed { format!("test {name}::odd ... FAILED\n") } else { String::new() };
    format!(
        "running 60 tests\n{cases}{failure}\ntest result: {status}. 60 passed; {count} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
    )
}

/// A file as the host shows it.
fn view() -> String {
    (1..=300).map(|n| format!("{n:>6}→    let value_{n} = compute(seed_{n}, {n});\n")).collect()
}

/// A call of a tool and its result.
struct Call(&'static str, &'static str, Value, String, bool);

/// A history as Claude Code writes it.
fn claude_code(calls: &[Call]) -> String {
    let entry = |n: usize, role: &str, content: Value| {
        let entry = json!({
            "parentUuid": null, "isSidechain": false, "type": role, "uuid": format!("u{n}-{role}"), "sessionId": "s1",
            "message": { "role": role, "content": content },
        });
        format!("{entry}\n")
    };
    let mut out = entry(0, "user", json!("go"));
    for (n, Call(id, tool, input, text, failed)) in calls.iter().enumerate() {
        out +=
            &entry(n, "assistant", json!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]));
        out += &entry(
            n,
            "user",
            json!([{ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed }]),
        );
    }
    out
}

fn session() -> String {
    let read = json!({ "file_path": "/a.rs" });
    claude_code(&[
        Call("t1", "Bash", json!({ "command": "./passes.sh" }), tests("a", false), false),
        Call(
            "t2",
            "Bash",
            json!({ "command": "./fails.sh" }),
            format!("Exit code 101\n{}", tests("b", true)),
            true,
        ),
        Call("t3", "Read", read.clone(), view(), false),
        Call("t4", "Read", read, view(), false),
        Call("t5", "Mystery", json!({ "operation": "hover" }), tests("c", false), false),
        Call("t6", "Task", json!({ "prompt": "x" }), tests("d", false), false),
        Call("t7", "mcp__reports__report", json!({}), tests("e", false), false),
    ])
}

const FILE: &str = ".claude/projects/p/session.jsonl";

#[test]
fn what_is_not_wired_saves_nothing_and_what_is_wired_saves_a_part() {
    let home = Home::new();
    home.write(FILE, &session());
    let report = home.audit(FILE, &[]);
    assert_eq!(report["hosts"][0]["state"], "none");
    assert_eq!(report["total"]["arrives"]["here"], json!({ "results": 0, "tokens": 0, "sent": 0 }));
    let could =
        report["total"]["tokensBefore"].as_u64().unwrap() - report["total"]["tokensAfter"].as_u64().unwrap();
    let installed = arrives(&report, "installed", None);
    assert_eq!(arrives(&report, "gateway", None), could);
    assert!(0 < installed && installed < could, "{installed} of {could}");
    assert_eq!((arrives(&report, "installed", Some("Mystery")), why(&report, "Mystery")), (0, vec!["tool"]));
    assert!(arrives(&report, "installed", Some("Task")) > 0);
    assert_eq!(why(&report, "Bash"), ["failed"]);
    assert!(arrives(&report, "installed", Some("mcp__reports__report")) > 0);
    let text = home.tersed(&["audit", FILE], &[]);
    assert!(
        text.contains("Claude Code: not set up; tersed install claude-code; tersed gateway -- claude"),
        "{text}"
    );

    home.wire("claude-code");
    let wired = home.audit(FILE, &[]);
    assert_eq!(wired["hosts"][0]["state"], "wired");
    assert_eq!(wired["total"]["arrives"]["here"], wired["total"]["arrives"]["installed"]);
    assert_eq!(wired["total"]["arrives"]["installed"], report["total"]["arrives"]["installed"]);
}

#[test]
fn a_view_counts_only_when_it_repeats() {
    let home = Home::new();
    let read = json!({ "file_path": "/a.rs" });
    let once = claude_code(&[Call("t1", "Read", read.clone(), view(), false)]);
    home.write(FILE, &once);
    let report = home.audit(FILE, &[]);
    assert!(arrives(&report, "gateway", Some("Read")) > 0, "an outline");
    assert_eq!((arrives(&report, "installed", Some("Read")), why(&report, "Read")), (0, vec!["unseen"]));
    let before = report["total"]["tokensBefore"].as_u64().unwrap();
    let calls = ["t1", "t2"].map(|id| Call(id, "Read", read.clone(), view(), false));
    home.write(FILE, &claude_code(&calls));
    let twice = home.audit(FILE, &[]);
    let saved = arrives(&twice, "installed", Some("Read"));
    assert!(saved > before * 8 / 10 && saved < before, "{saved} of {before}");
    let edit = json!({ "file_path": "/a.rs", "old_string": "seed_150, 150", "new_string": "seed_150, 151" });
    let edited = view().replace("seed_150, 150", "seed_150, 151");
    home.write(
        FILE,
        &claude_code(&[
            Call("t1", "Read", read.clone(), view(), false),
            Call("t2", "Edit", edit, "The file /a.rs has been updated successfully.".to_owned(), false),
            Call("t3", "Read", read, edited, false),
        ]),
    );
    let report = home.audit(FILE, &[]);
    let saved = arrives(&report, "installed", Some("Read"));
    assert!(saved > before * 8 / 10 && saved < before, "after an edit: {saved} of {before}");
    assert_eq!((arrives(&report, "installed", Some("Edit")), why(&report, "Edit")), (0, vec!["tool"]));
}

#[test]
fn failed_commands_count_here_where_they_are_wrapped() {
    let home = Home::new();
    home.write(FILE, &session());
    home.wire("claude-code");
    let plain = home.audit(FILE, &[]);
    let more = |report: &Value| {
        assert_eq!(arrives(report, "installed", None), arrives(&plain, "installed", None));
        arrives(report, "here", Some("Bash")) > arrives(report, "installed", Some("Bash"))
    };
    assert!(!more(&plain));
    assert!(more(&home.audit(FILE, &[("TERSED_WRAP", "1")])));
    // As the host sets it for its programs.
    let settings = home.path().join(".claude/settings.json");
    let mut set: Value = serde_json::from_str(&fs::read_to_string(&settings).unwrap()).unwrap();
    set["env"] = json!({ "TERSED_WRAP": "1" });
    fs::write(&settings, set.to_string()).unwrap();
    assert!(more(&home.audit(FILE, &[])));
    set["permissions"] = json!({ "deny": ["Bash(git push:*)"] });
    fs::write(&settings, set.to_string()).unwrap();
    assert!(!more(&home.audit(FILE, &[])));
}

#[test]
fn a_wiring_that_does_not_work_saves_nothing() {
    let home = Home::new();
    home.write(FILE, &session());
    home.tersed(&["install", "claude-code", "--command", "/no/such/tersed"], &[]);
    let report = home.audit(FILE, &[]);
    assert_eq!(report["hosts"][0]["state"], "fault");
    assert_eq!(arrives(&report, "here", None), 0);
    home.tersed(&["uninstall", "claude-code"], &[]);
    // The plugin needs the program in the PATH.
    home.write(".claude/settings.json", &json!({ "enabledPlugins": { "tersed@tersed": true } }).to_string());
    assert_eq!(home.audit(FILE, &[])["hosts"][0]["state"], "fault");
    let folder = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap().to_str().unwrap();
    let report = home.audit(FILE, &[("PATH", folder)]);
    assert_eq!(
        (&report["hosts"][0]["state"], &report["hosts"][0]["about"]),
        (&json!("wired"), &json!("by its plugin"))
    );
    assert!(arrives(&report, "here", None) > 0);
}

#[test]
fn what_a_program_of_codex_reads_is_not_reached() {
    let home = Home::new();
    let line = |payload: Value| format!("{}\n", json!({ "type": "response_item", "payload": payload }));
    let mut text = format!("{}\n", json!({ "type": "session_meta", "payload": { "id": "c1" } }));
    for (id, kind, name) in [
        ("call_1", "function_call", "exec_command"),
        ("exec-2", "function_call", "exec_command"),
        ("call_3", "custom_tool_call", "exec"),
    ] {
        let arguments = json!({ "cmd": format!("./{id}.sh") }).to_string();
        text += &line(json!({ "type": kind, "call_id": id, "name": name, "arguments": arguments }));
        text += &line(
            json!({ "type": format!("{kind}_output"), "call_id": id, "output": tests(&id.replace('-', "_"), false) }),
        );
    }
    home.write("rollout-1.jsonl", &text);
    let report = home.audit("rollout-1.jsonl", &[]);
    assert_eq!(report["total"]["arrives"]["installed"]["results"], 1);
    assert_eq!((why(&report, "exec_command"), why(&report, "exec")), (vec!["program"], vec!["program"]));
    assert_eq!(report["total"]["arrives"]["gateway"]["results"], 3);
    let folder = home.path().join(".codex");
    fs::create_dir_all(folder.join("rules")).unwrap();
    fs::write(folder.join("rules/default.rules"), "prefix_rule(pattern=[\"rm\"], decision=\"forbidden\")")
        .unwrap();
    let report = home.audit("rollout-1.jsonl", &[]);
    assert_eq!(report["total"]["arrives"]["installed"]["results"], 0);
    assert!(why(&report, "exec_command").contains(&"rules"));
}

#[test]
fn a_history_of_no_host_names_none() {
    let home = Home::new();
    let messages = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "bash", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c", "content": tests("a", false) },
        { "role": "user", "content": "more" },
    ]);
    home.write("log.jsonl", &format!("{}\n", json!({ "messages": messages })));
    let report = home.audit("log.jsonl", &[]);
    assert_eq!((report["hosts"].clone(), why(&report, "bash")), (json!([]), vec!["noHost"]));
    assert_eq!(arrives(&report, "installed", None), 0);
    assert!(arrives(&report, "gateway", None) > 0);
    let page = home.tersed(&["audit", "log.jsonl", "--format", "html"], &[]);
    assert!(page.contains("What of that arrives at the model") && page.contains("through the gateway"));
}
