//! `tersed audit` on histories as hosts write them: figures, entries that are not understood, the page, and that no
//! secret and no markup of a history gets into the output.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::{bless, repository};
use serde_json::{Value, json};

/// Folders of fixtures: a format each.
const FORMATS: &[&str] = &[
    "claude-code",
    "codex",
    "copilot",
    "gemini",
    "mini-swe-agent",
    "opencode",
    "pi",
    "records",
    "requests",
    "specstory",
    "swe-agent",
];

fn fixtures() -> PathBuf {
    repository("tests/fixtures/audit")
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    command
        .arg("audit")
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("XDG_STATE_HOME", crate::common::state());
    command.output().unwrap()
}

/// Its output; it must succeed.
fn audit(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn report(folder: &Path, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&audit(folder, &args)).unwrap()
}

fn same(file: &str, text: &str) {
    let path = repository(file);
    if bless() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
    assert!(expected == text, "{file} is not what is said now; BLESS=1 writes it anew. Now:\n{text}");
}

#[test]
fn every_format_gives_its_figures() {
    for format in FORMATS {
        same(&format!("tests/audit/{format}.txt"), &audit(&fixtures(), &[format]));
        same(&format!("tests/audit/{format}.json"), &audit(&fixtures(), &[format, "--format", "json"]));
    }
}

#[test]
fn a_line_for_each_result_sums_up_to_the_report() {
    let report = report(&fixtures(), &["."]);
    let text = audit(&fixtures(), &[".", "--format", "jsonl"]);
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len() as u64, report["total"]["results"].as_u64().unwrap());
    let sum = |rows: &[Value], pointer: &str| -> u64 {
        rows.iter().map(|row| row.pointer(pointer).unwrap_or_else(|| panic!("{row}")).as_u64().unwrap()).sum()
    };
    let same = |rows: &[Value], group: &Value| {
        for pointer in [
            "/tokensBefore",
            "/tokensAfter",
            "/sentAfter",
            "/references",
            "/referencesVisible",
            "/failureLinesVisible",
            "/arrives/gateway/tokens",
        ] {
            assert_eq!(
                sum(rows, pointer),
                group.pointer(pointer).unwrap().as_u64().unwrap(),
                "{pointer} {group}"
            );
        }
    };
    same(&rows, &report["total"]);
    for group in report["tools"].as_array().unwrap() {
        let of_tool: Vec<Value> = rows.iter().filter(|row| row["tool"] == group["name"]).cloned().collect();
        same(&of_tool, group);
    }
    for group in report["sessions"].as_array().unwrap() {
        let is_of = |row: &&Value| row["file"] == group["file"] && row["session"] == group["session"];
        assert!(rows.iter().any(|row| is_of(&row)), "{group}");
    }
}

#[test]
fn all_formats_have_a_folder_and_are_told_apart() {
    let report = report(&fixtures(), &["."]);
    let names = report["formats"].as_array().unwrap().iter().map(|format| format["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), FORMATS);
    for session in report["sessions"].as_array().unwrap() {
        let (file, format) = (session["file"].as_str().unwrap(), session["format"].as_str().unwrap());
        assert!(file.contains(&format!("{format}/")), "{file} was read as {format}");
    }
    assert_eq!(report["notUnderstood"]["files"], json!([]));
    for name in ["results", "tokensBefore", "tokensAfter", "sentAfter", "references", "failureLinesVisible"] {
        let of = |list: &str| {
            report[list].as_array().unwrap().iter().map(|x| x[name].as_u64().unwrap()).sum::<u64>()
        };
        assert_eq!(of("formats"), report["total"][name], "{name}");
        assert_eq!(of("tools"), report["total"][name], "{name}");
    }
    let results: u64 = report["distribution"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(results, report["total"]["results"]);
    let total = &report["total"];
    assert_eq!(total["failureLines"], total["failureLinesVisible"]);
    assert!(total["sentBefore"].as_u64() > total["tokensBefore"].as_u64());
}

#[test]
fn the_schema_is_that_of_the_reports() {
    let schema = audit(&fixtures(), &["--schema"]);
    same("protocol/v1/audit.schema.json", &schema);
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for args in [&["."][..], &["--top", "1", "codex"], &["opencode/storage/session"]] {
        let report = report(&fixtures(), args);
        let faults: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
        assert!(faults.is_empty(), "{args:?}: {faults:?}");
    }
    assert!(!validator.is_valid(&json!({ "version": 1 })));
}

#[test]
fn what_was_forgotten_is_not_referred_to_and_not_missed() {
    let forgotten = report(&fixtures(), &["claude-code/session.jsonl"]);
    // `case_31` was named after the compaction, and belongs to a result after it.
    let hidden = forgotten["hidden"].as_array().unwrap();
    assert!(
        hidden.iter().any(|one| one["text"] == "case_31" && one["call"] == "toolu_tersed_4"),
        "{hidden:?}"
    );
    // A result that repeats has no place: all of it is shown elsewhere.
    let is_place = |place: &Value| place.as_str().is_none_or(|place| place.starts_with("lines "));
    assert!(hidden.iter().all(|one| is_place(&one["place"])), "{hidden:?}");
    // The context was emptied: the same output is compressed on its own, not as a duplicate.
    let twice = report(&fixtures(), &["pi/session.jsonl"]);
    assert!(twice["total"]["tokensAfter"].as_u64() > Some(0));
}

/// A chat with one call of a tool and its result.
fn chat(command: &str, output: &str, then: &str) -> String {
    let arguments = json!({ "command": command }).to_string();
    let messages = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "call_1", "type": "function", "function": { "name": "bash", "arguments": arguments } }] },
        { "role": "tool", "tool_call_id": "call_1", "content": output },
        { "role": "assistant", "content": then },
        { "role": "user", "content": "more" },
    ]);
    json!({ "model": "scripted", "messages": messages }).to_string() + "\n"
}

fn passing(count: usize) -> String {
    let cases: String = (0..count).map(|i| format!("test case_{i} ... ok\n")).collect();
    format!(
        "running {count} tests\n{cases}\ntest result: ok. {count} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
    )
}

#[test]
fn no_secret_gets_out() {
    let folder = tempfile::tempdir().unwrap();
    let key = ["AKIA", "IOSFODNN7EXAMPLF"].concat();
    let password = "hunter2_very_secret";
    let output = format!(
        "aws_access_key_id={key}\npassword = \"{password}\"\nerror: key {key} refused\n{}",
        passing(40)
    );
    let text = chat(
        &format!("curl -H 'x: {key}' --password {password}"),
        &output,
        &format!("I use {key} and {password}."),
    );
    fs::write(folder.path().join("log.jsonl"), text).unwrap();
    for format in ["text", "json", "html"] {
        let said = audit(folder.path(), &[".", "--format", format]);
        assert!(said.contains("curl"), "{format}");
        assert!(!said.contains(&key) && !said.contains(password), "{format}: {said}");
    }
    // The line is shown without its key, which is no loss; names that were taken out are no references.
    let read = report(folder.path(), &["."]);
    assert_eq!(
        (&read["total"]["failureLines"], &read["total"]["failureLinesVisible"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(read["hidden"], json!([]));
}

/// Tags that have no end.
const VOID: &[&str] = &["meta", "rect", "!doctype"];

/// Names of all tags; every one that begins ends, in its place.
fn tags(page: &str) -> BTreeSet<String> {
    let mut open: Vec<String> = Vec::new();
    let mut all = BTreeSet::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        assert!(!tag.contains('<'), "{tag}");
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap().to_owned();
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_ref(), Some(&name), "at </{name}>{}", &rest[..rest.len().min(80)]);
        } else if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
            open.push(name.clone());
        }
        all.insert(name);
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

#[test]
fn the_page_is_whole_and_needs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = "<script>alert(1)</script>";
    let output = format!("{mark}\n{}", passing(60));
    let text = chat(&format!("./run '{mark}' \"&\""), &output, "case_17 passes");
    fs::write(folder.path().join("log.jsonl"), &text).unwrap();
    fs::write(folder.path().join("<img src=x onerror=alert(1)>.txt"), "nothing").unwrap();
    let folders = [folder.path(), &fixtures()];
    for folder in folders {
        for top in ["1", "100"] {
            let page = audit(folder, &[".", "--format", "html", "--top", top]);
            let tags = tags(&page);
            for never in ["script", "img", "link", "iframe", "object", "embed", "base", "form"] {
                assert!(!tags.contains(never), "{never}");
            }
            assert!(
                !page.contains("http:") && !page.contains("https:") && !page.contains("url("),
                "loads something"
            );
            assert!(!page.contains(" src=") || page.contains("&lt;img src="));
            for link in page.split("href=\"").skip(1) {
                assert!(link.starts_with('#'), "{}", &link[..40]);
            }
            assert!(page.contains("prefers-color-scheme: dark") && page.contains("name=\"viewport\""));
        }
    }
    let page = audit(folder.path(), &[".", "--format", "html"]);
    assert!(
        page.contains("./run &#39;&lt;script&gt;")
            || page.contains("./run '&lt;script&gt;alert(1)&lt;/script&gt;' &quot;&amp;&quot;")
    );
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;.txt"));
    assert!(page.contains("case_17"));
}

#[test]
fn what_is_broken_is_named_and_the_rest_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let whole = fs::read_to_string(fixtures().join("pi/session.jsonl")).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    let torn = &lines[4][..lines[4].len() / 2];
    lines.insert(4, torn);
    lines.insert(7, "\u{0}\u{1} no JSON");
    fs::write(folder.path().join("torn.jsonl"), lines.join("\n")).unwrap();
    fs::write(folder.path().join("empty.jsonl"), "").unwrap();
    fs::write(folder.path().join("notes.txt"), "a shopping list\n").unwrap();
    fs::write(folder.path().join("half.traj"), "{\"trajectory\": [{\"observation\": \"x").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", folder.path().join("gone.jsonl")).unwrap();
    let report = report(folder.path(), &["."]);
    let noted = &report["notUnderstood"];
    assert_eq!(noted["broken"], json!([{ "path": "./torn.jsonl", "lines": [5, 8], "count": 2 }]));
    let whole = self::report(&fixtures(), &["pi"]);
    assert_eq!(report["total"], whole["total"]);
    let files: Vec<(&str, &str)> = noted["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["reason"].as_str().unwrap()))
        .collect();
    let reason = |name: &str| {
        files.iter().find(|(path, _)| *path == name).unwrap_or_else(|| panic!("{name}: {files:?}")).1
    };
    assert_eq!(reason("./empty.jsonl"), "empty");
    assert_eq!(reason("./notes.txt"), "none of the formats");
    assert!(reason("./half.traj").starts_with("looks like SWE-agent, but: not JSON: EOF"));
    #[cfg(unix)]
    assert!(reason("./gone.jsonl").starts_with("No such file"));
}

/// All JSON files below a folder.
fn documents(folder: &Path) -> Vec<Value> {
    let mut out = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => out.extend(documents(&path)),
            false => out.push(serde_json::from_slice(&fs::read(path).unwrap()).unwrap()),
        }
    }
    out
}

#[test]
fn a_database_says_what_the_files_say_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("opencode.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
             CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);",
        )
        .unwrap();
    for mut value in documents(&fixtures().join("opencode/storage")) {
        let mut take =
            |name: &str| value.as_object_mut().unwrap().remove(name).map(|v| v.as_str().unwrap().to_owned());
        let (id, message, session) = (take("id").unwrap(), take("messageID"), take("sessionID"));
        let Some(session) = session else { continue };
        match message {
            Some(message) => database.execute(
                "INSERT INTO part VALUES (?1, ?2, ?3, 0, 0, ?4)",
                [id, message, session, value.to_string()],
            ),
            None => database.execute(
                "INSERT INTO message VALUES (?1, ?2, ?3, 0, ?4)",
                [id, session, value["time"]["created"].to_string(), value.to_string()],
            ),
        }
        .unwrap();
    }
    // All data is still in the write-ahead log, and the host has the database open.
    let files = || -> Vec<(PathBuf, Vec<u8>)> {
        let mut names: Vec<PathBuf> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        names.sort();
        names.retain(|name| !name.ends_with("opencode.db-shm"));
        names.into_iter().map(|name| (name.clone(), fs::read(name).unwrap())).collect()
    };
    let before = files();
    assert!(before.len() == 2 && before[1].1.len() > before[0].1.len());
    let read = report(folder.path(), &["."]);
    assert_eq!(read["total"], report(&fixtures(), &["opencode"])["total"]);
    assert_eq!(read["notUnderstood"]["fileCount"], 0);
    assert_eq!(before, files());
    database.execute_batch("DROP TABLE part").unwrap();
    let output = run(folder.path(), &[".", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1), "nothing was understood");
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    let reason = read["notUnderstood"]["files"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("no such table: part"), "{reason}");
}

#[test]
fn a_result_is_sent_as_often_as_bodies_hold_it() {
    let read = report(&fixtures(), &["requests/openai-chat.jsonl"]);
    // Two of 399 tokens are in two bodies each, one of 472 in three, another one in the last.
    assert_eq!(read["total"]["tokensBefore"], 2 * 399 + 2 * 472);
    assert_eq!(read["total"]["sentBefore"], 2 * 2 * 399 + 3 * 472 + 472);
    assert_eq!(read["sessions"][0]["requests"], 4);
}

#[test]
fn a_result_that_the_host_cleared_is_not_sent_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &Path, to: &Path| {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    };
    let from = fixtures().join("opencode");
    let mut open = vec![from.clone()];
    while let Some(path) = open.pop() {
        match path.is_dir() {
            true => open.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path())),
            false => copy(&path, &folder.path().join(path.strip_prefix(&from).unwrap())),
        }
    }
    let whole = report(folder.path(), &["storage"]);
    let part = documents(&folder.path().join("storage/part"))
        .into_iter()
        .find(|part| part["callID"] == "call_tersed_0");
    let mut part = part.unwrap();
    // Right after the next message began.
    part["state"]["time"]["compacted"] = json!(1_795_332_134_000_i64);
    let place =
        format!("storage/part/{}/{}.json", part["messageID"].as_str().unwrap(), part["id"].as_str().unwrap());
    fs::write(folder.path().join(place), part.to_string()).unwrap();
    let cleared = report(folder.path(), &["storage"]);
    assert_eq!(whole["total"]["tokensBefore"], cleared["total"]["tokensBefore"]);
    assert!(whole["total"]["sentBefore"].as_u64() > cleared["total"]["sentBefore"].as_u64());
}

#[test]
fn files_of_hosts_without_results_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let typed = json!([{ "sessionId": "s", "messageId": 0, "type": "user", "message": "go", "timestamp": "2026-01-01T00:00:00Z" }]);
    put("logs.json", typed.to_string());
    put("summary.jsonl", json!({ "type": "summary", "summary": "Tests", "leafUuid": "0" }).to_string());
    let read = report(folder.path(), &["."]);
    assert_eq!((&read["notUnderstood"]["fileCount"], &read["sessionCount"]), (&json!(0), &json!(0)));
    assert_eq!(read["places"][0]["files"], 2);
}

#[test]
fn a_long_first_line_is_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let long = "word ".repeat(30_000);
    let whole = fs::read_to_string(fixtures().join("pi/session.jsonl")).unwrap();
    let (first, rest) = whole.split_once('\n').unwrap();
    let mut first: Value = serde_json::from_str(first).unwrap();
    first["note"] = json!(long);
    fs::write(folder.path().join("long.jsonl"), format!("{first}\n{rest}")).unwrap();
    let read = report(folder.path(), &["."]);
    assert_eq!(read["total"], report(&fixtures(), &["pi"])["total"]);
}

#[test]
fn a_branch_that_was_left_is_out_of_the_context() {
    let folder = tempfile::tempdir().unwrap();
    let listing: String = (0..60).map(|n| format!("entry {n} of the list\n")).collect();
    let session = |second_parent: &str| {
        let entry = |id: &str, parent: &str, message: Value| json!({ "type": "message", "id": id, "parentId": parent, "message": message });
        let call = |id: &str, command: &str| json!({ "role": "assistant", "content": [{ "type": "toolCall", "id": id, "name": "bash", "arguments": { "command": command } }] });
        let result = |id: &str| json!({ "role": "toolResult", "toolCallId": id, "toolName": "bash", "content": [{ "type": "text", "text": listing }] });
        let lines = [
            json!({ "type": "session", "version": 3, "id": "s", "cwd": "/project" }),
            entry("e1", "", json!({ "role": "user", "content": "go" })),
            entry("e2", "e1", call("c1", "./one")),
            entry("e3", "e2", result("c1")),
            entry("e4", second_parent, call("c2", "./two")),
            entry("e5", "e4", result("c2")),
        ];
        lines.map(|line| line.to_string()).join("\n")
    };
    let after = |parent: &str| {
        fs::write(folder.path().join("session.jsonl"), session(parent)).unwrap();
        let read = report(folder.path(), &["session.jsonl"]);
        let of = |call: &str| {
            let all = read["largest"].as_array().unwrap();
            all.iter().find(|one| one["call"] == call).unwrap()["tokensAfter"].as_u64().unwrap()
        };
        (of("c1"), of("c2"))
    };
    let (one, two) = after("e3");
    assert!(two < one, "the same output refers to the first: {one} {two}");
    let (one, two) = after("e1");
    assert_eq!(one, two, "there is nothing to refer to");
}

#[test]
fn nothing_to_read_is_no_failure_but_a_wrong_path_is() {
    let folder = tempfile::tempdir().unwrap();
    assert!(audit(folder.path(), &["."]).contains("No results of tools were found."));
    tags(&audit(folder.path(), &[".", "--format", "html"]));
    let output = run(folder.path(), &["nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "tersed: nowhere: no such file or folder\n");
    let output = run(folder.path(), &[".", "--policy", "[]"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("expected a JSON object"));
}

#[test]
fn without_a_path_the_places_of_the_hosts_are_read() {
    let home = tempfile::tempdir().unwrap();
    let put = |format: &str, file: &str, place: &str| {
        let to = home.path().join(place);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(fixtures().join(format).join(file), to).unwrap();
    };
    put("claude-code", "session.jsonl", ".claude/projects/-project/session.jsonl");
    put("codex", "rollout.jsonl", ".codex/sessions/2026/11/22/rollout.jsonl");
    put("pi", "session.jsonl", ".pi/agent/sessions/--project--/session.jsonl");
    let before: Vec<u8> = fs::read(home.path().join(".claude/projects/-project/session.jsonl")).unwrap();
    let report = report(home.path(), &[]);
    let found = report["places"].as_array().unwrap().iter().filter(|place| place["isThere"] == true);
    let found: Vec<String> = found
        .map(|p| format!("{} {} {}", p["host"].as_str().unwrap(), p["path"].as_str().unwrap(), p["files"]))
        .collect();
    assert_eq!(
        found,
        ["Claude Code ~/.claude/projects 1", "Codex ~/.codex/sessions 1", "pi ~/.pi/agent/sessions 1"]
    );
    let page = audit(home.path(), &[]);
    let missing = page.lines().find(|line| line.starts_with("no histories of: ")).unwrap();
    assert_eq!(missing, "no histories of: Gemini CLI, OpenCode, Kilo, Copilot CLI, SpecStory");
    assert_eq!(before, fs::read(home.path().join(".claude/projects/-project/session.jsonl")).unwrap());
    let names = |folder: &Path| -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names(&home.path().join(".claude/projects/-project")), ["session.jsonl"]);
    let help = audit(home.path(), &["--help"]);
    for place in [
        "~/.claude/projects",
        "~/.codex/sessions",
        "~/.gemini/tmp",
        "~/.copilot/session-state",
        ".specstory/history",
    ] {
        assert!(help.contains(place), "{place}");
    }
}

#[test]
fn a_report_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.html");
    let file = file.to_str().unwrap();
    assert_eq!(audit(&fixtures(), &["codex", "--format", "html", "--output", file]), "");
    tags(&fs::read_to_string(file).unwrap());
    let aggressive = report(&fixtures(), &["codex", "--mode", "aggressive"]);
    assert_eq!(aggressive["mode"], "aggressive");
    let disabled = report(&fixtures(), &["codex", "--mode", "disabled"]);
    assert_eq!(disabled["total"]["tokensBefore"], disabled["total"]["tokensAfter"]);
    assert_eq!(disabled["total"]["unchanged"], disabled["total"]["results"]);
    assert_eq!(disabled["hidden"], json!([]));
}
