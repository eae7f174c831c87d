//! Originals on disk, with real child processes: which originals outlive a process, who can read them, how texts
//! refer to them, that no secret is written, and that a failing disk does not cost a result.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tersed::artifact::Media;
use tersed::artifact::vault::{AccessScope, Bounds, Label, Vault};
use tersed::config::{Policy, Recovery, RecoveryMode};
use tersed::engine::{Engine, Settings};

/// A folder for everything that a process may write.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn vault(&self) -> PathBuf {
        self.0.path().join("originals")
    }

    /// Names of the originals that are there.
    fn originals(&self) -> Vec<PathBuf> {
        let Ok(files) = fs::read_dir(self.vault()) else { return Vec::new() };
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "original"));
        files
    }

    fn tersed(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        let path = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap();
        command.args(arguments).env_clear().env("PATH", path).env("TMPDIR", self.0.path());
        command.env("HOME", self.0.path()).current_dir(self.0.path());
        command
    }

    fn artifacts(&self, arguments: &[&str]) -> Output {
        let folder = self.vault();
        self.tersed(&[&["artifacts"][..], arguments, &["--dir", folder.to_str().unwrap()]].concat())
            .output()
            .unwrap()
    }

    fn serve(&self, arguments: &[&str]) -> Server {
        let folder = self.vault();
        let mut all = vec!["serve", "--framing", "lines", "--recovery-dir", folder.to_str().unwrap()];
        all.extend(arguments);
        let mut command = self.tersed(&all);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Server::start(command)
    }
}

struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, stdout };
        assert!(server.call("initialize", json!({})).get("result").is_some());
        server
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writeln!(self.child.stdin.as_mut().unwrap(), "{request}").unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn compress(&mut self, session: &str, call: &str, content: &str, exit_code: i64) -> Value {
        let result = json!({ "toolCallId": call, "tool": "bash", "arguments": { "command": "./report" },
            "exitCode": exit_code, "content": content });
        let policy = json!({ "headTailBytes": 4096 });
        let answer = self
            .call("toolResult/compress", json!({ "sessionId": session, "policy": policy, "result": result }));
        answer.get("result").unwrap_or_else(|| panic!("{answer}")).clone()
    }

    fn read(&mut self, session: &str, id: &str) -> Result<String, String> {
        let answer = self.call("artifact/read", json!({ "sessionId": session, "id": id }));
        let kind = || answer["error"]["data"]["kind"].as_str().unwrap().to_owned();
        answer["result"]["text"].as_str().map(str::to_owned).ok_or_else(kind)
    }

    fn list(&mut self, session: &str) -> Vec<String> {
        let answer = self.call("artifact/list", json!({ "sessionId": session }));
        let all = answer["result"]["artifacts"].as_array().unwrap();
        all.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Ends it properly and returns its log.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        self.child.wait().unwrap();
        log
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A report of about 12 KiB that is cut to less than half.
fn report(what: &str) -> String {
    let line = |i| {
        format!(
            "{what} {i}: the part was {} and {} of all that was asked for\n",
            i * 7919 % 1009,
            i * 31 % 17
        )
    };
    (0..200).map(line).collect()
}

fn id(answer: &Value) -> String {
    answer["artifact"]["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

const ALWAYS: [&str; 2] = ["--recovery", "always"];
const LASTING: [&str; 3] = ["--recovery", "always", "--recovery-survives-restart"];

#[test]
fn a_later_process_reads_what_an_earlier_one_kept() {
    let home = Home::new();
    let ends: [fn(Server); 2] = [Server::kill, |server| drop(server.end())];
    for end in ends {
        let mut server = home.serve(&LASTING);
        let text = report("work");
        let answer = server.compress("s", "a", &text, 0);
        assert_eq!(answer["artifact"]["onDisk"], true);
        let id = id(&answer);
        end(server);
        let mut server = home.serve(&LASTING);
        assert_eq!(server.read("s", &id).as_ref(), Ok(&text));
        assert_eq!(server.read("s", &id[..8]).as_ref(), Ok(&text));
        assert_eq!(server.read("t", &id), Err("artifact_not_found".to_owned()));
        assert_eq!(server.list("s"), std::slice::from_ref(&id));
        assert_eq!(server.list("t"), [""; 0]);
        let found =
            server.call("artifact/search", json!({ "sessionId": "s", "id": id, "pattern": "^work 7:" }));
        assert_eq!(found["result"]["totalMatches"], 1);
        // An original in both places is listed once.
        let next = server.compress("s", "b", &report("more"), 0);
        server.compress("s", "c", &text, 0);
        assert_eq!(server.list("s").len(), 2);
        server.call("session/close", json!({ "sessionId": "s" }));
        assert_eq!(server.read("s", next["artifact"]["id"].as_str().unwrap()), Ok(report("more")));
        server.end();
        fs::remove_dir_all(home.vault()).unwrap();
    }
}

#[test]
fn what_should_not_last_goes_with_its_process() {
    let home = Home::new();
    let mut server = home.serve(&ALWAYS);
    let id = id(&server.compress("s", "a", &report("work"), 0));
    assert_eq!(home.originals().len(), 1);
    let shown = home.artifacts(&["show", &id]);
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), report("work"));
    let mut other = home.serve(&LASTING);
    assert_eq!(other.read("s", &id), Err("artifact_not_found".to_owned()));
    server.end();
    assert_eq!(home.originals().len(), 0);
    // A killed process cannot remove its originals: nobody reads them, and the next process that writes removes them.
    let mut server = home.serve(&ALWAYS);
    server.compress("s", "a", &report("work"), 0);
    server.kill();
    assert_eq!(home.originals().len(), 1);
    assert!(!home.artifacts(&["show", &id]).status.success());
    other.compress("s", "b", &report("other"), 0);
    assert_eq!(home.originals().len(), 1);
    assert_eq!(other.read("s", &id), Err("artifact_not_found".to_owned()));
    other.end();
}

#[test]
fn what_is_over_is_told_from_what_never_was() {
    let home = Home::new();
    let bounds = Bounds { max_count: 9, max_bytes: 1 << 20, retention: Duration::from_secs(60) };
    let vault = Vault::new(home.vault(), bounds, AccessScope::Lasting);
    let digest = blake3::hash(b"old").to_hex().to_string();
    let long_ago = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap()
        - Duration::from_secs(3600);
    vault.keep(Some("s"), &digest, b"old", &Media::Text, &Label::default(), long_ago).unwrap();
    let mut server = home.serve(&LASTING);
    for _ in 0..2 {
        let answer = server.call("artifact/read", json!({ "sessionId": "s", "id": digest[..8] }));
        assert_eq!(answer["error"]["code"], -32803);
        assert_eq!(answer["error"]["data"]["kind"], "artifact_expired");
        assert!(answer["error"]["message"].as_str().unwrap().contains("its retention is over"), "{answer}");
        assert_eq!(server.read("s", "00000000"), Err("artifact_not_found".to_owned()));
        assert!(!server.list("s").contains(&digest[..16].to_owned()));
        let shown = home.artifacts(&["show", &digest[..8]]);
        assert_eq!(shown.status.code(), Some(1));
        assert!(String::from_utf8(shown.stderr).unwrap().contains("its retention is over"));
        // The second time its content is gone.
        server.compress("s", "a", &report("work"), 0);
        assert_eq!(home.originals().len(), 1);
    }
    server.end();
}

#[test]
fn two_processes_share_a_folder() {
    let home = Home::new();
    // A text that differs in digits alone is the same question asked again.
    let word = |i: usize| [i / 26, i % 26].map(|n| char::from(b'a' + n as u8)).iter().collect::<String>();
    let mut servers = [home.serve(&LASTING), home.serve(&LASTING)];
    let mut ids = Vec::new();
    for i in 0..80 {
        let text = report(&word(i));
        ids.push((id(&servers[i % 2].compress("s", &format!("call {i}"), &text, 0)), text));
    }
    assert_eq!(home.originals().len(), 80);
    for (i, (id, text)) in ids.iter().enumerate() {
        assert_eq!(servers[(i + 1) % 2].read("s", id).as_ref(), Ok(text));
    }
    // The default bound, over both.
    for i in 80..140 {
        servers[i % 2].compress("s", &format!("call {i}"), &report(&word(i)), 0);
    }
    assert_eq!(home.originals().len(), 128);
    let [first, second] = servers;
    drop((first.end(), second.end()));
    let mut server = home.serve(&LASTING);
    assert_eq!(server.read("s", &ids[0].0), Err("artifact_expired".to_owned()));
    assert_eq!(server.read("s", &ids[12].0).as_ref(), Ok(&ids[12].1));
    assert_eq!(server.list("s").len(), 100);
    server.end();
}

#[test]
fn no_secret_is_on_disk() {
    let home = Home::new();
    let token = format!("ghp_{}", "a8Kd02Lm47Qw91Zx35Rt68Yp0bNcVeHgUjSi"); // gitleaks:allow
    let text = format!("{}export GITHUB_TOKEN={token}\n{}", report("before"), report("after"));
    let mut server = home.serve(&LASTING);
    for (call, policy) in [("a", json!({})), ("b", json!({ "redactSecrets": false }))] {
        let policy = json!({ "headTailBytes": 4096, "redactSecrets": policy.get("redactSecrets") });
        let command = format!("curl -H 'Authorization: token {token}' https://example.org");
        let result = json!({ "toolCallId": format!("{call}-{token}"), "tool": "bash", "content": text,
            "arguments": { "command": command } });
        let session = format!("{call} {token}");
        let answer = server
            .call("toolResult/compress", json!({ "sessionId": session, "policy": policy, "result": result }));
        assert_eq!(answer["result"]["artifact"]["onDisk"], true, "{answer}");
    }
    server.end();
    let files = home.originals();
    assert_eq!(files.len(), 2);
    for file in files {
        assert!(!file.to_string_lossy().contains(&token));
        let bytes = fs::read(&file).unwrap();
        let head = bytes.iter().position(|b| *b == b'\n').unwrap();
        let content = zstd::decode_all(&bytes[head + 1..]).unwrap();
        for bytes in [&bytes[..head], &content] {
            let text = std::str::from_utf8(bytes).unwrap();
            assert!(!text.contains(&token), "{text}");
        }
        let header: Value = serde_json::from_slice(&bytes[..head]).unwrap();
        assert_eq!(header["tool"], "bash");
        assert!(header["command"].as_str().unwrap().starts_with("curl -H "), "{header}");
    }
}

/// Checks how a server reports that it cannot store originals in such a folder.
fn refused(home: &Home, why: &str) {
    let mut server = home.serve(&[&LASTING[..], &["--recovery-hint"]].concat());
    for call in ["a", "b"] {
        let answer = server.compress("s", call, &report(call), 0);
        assert!(answer["evidence"]["status"] == "compressed", "{answer}");
        assert_eq!(answer["artifact"].get("onDisk"), None);
        let steps = answer["evidence"]["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["id"] == "recovery").unwrap();
        assert_eq!(step["reason"], "not_stored");
        // A text must not name a missing copy.
        assert!(!answer["content"].as_str().unwrap().contains("artifacts show"));
        assert_eq!(server.read("s", &id(&answer)), Ok(report(call)));
    }
    let log = server.end();
    assert!(log.contains(why) && log.lines().count() == 1, "{log}");
}

#[test]
fn a_disk_that_fails_costs_no_result() {
    let home = Home::new();
    fs::create_dir(home.vault()).unwrap();
    fs::set_permissions(home.vault(), fs::Permissions::from_mode(0o755)).unwrap();
    refused(&home, "has mode 0755, allowed is 0700");
    fs::remove_dir(home.vault()).unwrap();
    std::os::unix::fs::symlink(home.0.path(), home.vault()).unwrap();
    refused(&home, "is a link or no folder");
    fs::remove_file(home.vault()).unwrap();
    fs::write(home.vault(), "").unwrap();
    refused(&home, "is a link or no folder");
    fs::remove_file(home.vault()).unwrap();
    // Nothing can be written where a folder is in the way of the lock.
    fs::create_dir(home.vault()).unwrap();
    fs::set_permissions(home.vault(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::create_dir(home.vault().join("lock")).unwrap();
    refused(&home, "tersed: recovery in ");
}

/// Everything that a mode keeps of four results: long and failed, long, short and failed, unchanged and failed.
fn kept(settings: Recovery) -> Vec<bool> {
    let folder = tempfile::tempdir().unwrap();
    let recovery = Recovery { directory: Some(folder.path().join("x")), ..settings };
    let policy = Policy { head_tail_bytes: Some(4096), min_bytes: 0, ..Policy::default() };
    let engine = Engine::new(Settings { recovery, policy, ..Settings::default() });
    let results =
        [(report("long"), 1), (report("fine"), 0), ("a  \n".repeat(40), 1), ("as it is\n".to_owned(), 1)];
    let keep = |(i, (content, exit)): (usize, &(String, i64))| {
        let result =
            json!({ "toolCallId": format!("c{i}"), "tool": "bash", "exitCode": exit, "content": content });
        let answer = crate::common::call(
            &engine,
            "toolResult/compress",
            &json!({ "sessionId": "s", "result": result }),
        );
        answer["artifact"]["onDisk"] == true
    };
    results.iter().enumerate().map(keep).collect()
}

#[test]
fn modes_and_least_sizes_decide_what_is_kept() {
    let of = |mode| Recovery { mode, ..Recovery::default() };
    assert_eq!(kept(of(RecoveryMode::Never)), [false, false, false, false]);
    assert_eq!(kept(of(RecoveryMode::Failures)), [true, false, false, false]);
    assert_eq!(kept(of(RecoveryMode::Always)), [true, true, false, false]);
    let all = Recovery { min_original_bytes: 0, min_saved_bytes: 0, ..of(RecoveryMode::Always) };
    assert_eq!(kept(all.clone()), [true, true, true, false]);
    assert_eq!(kept(Recovery { min_saved_bytes: 9_000, ..all.clone() }), [false, false, false, false]);
    assert_eq!(kept(Recovery { max_artifact_bytes: 400, ..all }), [false, false, true, false]);
}

#[test]
fn texts_say_how_their_original_is_read() {
    let home = Home::new();
    let hint = [&LASTING[..], &["--recovery-hint"]].concat();
    let mut server = home.serve(&hint);
    let answer = server.compress("s", "a", &report("work"), 0);
    let text = answer["content"].as_str().unwrap().to_owned();
    let id = id(&answer);
    let folder = home.vault();
    let last =
        format!("[tersed: all 200 lines: tersed artifacts show {} --dir {}]\n", &id[..8], folder.display());
    assert!(text.ends_with(&last), "{text}");
    assert!(answer["evidence"]["steps"].to_string().contains("recovery_hint"));
    assert_eq!(answer["evidence"]["bytes"]["after"], text.len());
    // The command in the text works.
    let words: Vec<&str> = last.trim_end_matches("]\n").split("tersed ").nth(1).unwrap().split(' ').collect();
    let shown = home.tersed(&words).output().unwrap();
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), report("work"));
    // The same again, and again compressed.
    assert_eq!(server.compress("s", "a", &report("work"), 0)["content"], text.as_str());
    assert_eq!(server.compress("s", "b", &text, 0)["content"], text.as_str());
    // For a model with a tool, the markers name the original.
    let result = json!({ "toolCallId": "c", "tool": "bash", "content": report("other"), "exitCode": 0 });
    let policy = json!({ "headTailBytes": 4096, "expandTool": true });
    let answer =
        server.call("toolResult/compress", json!({ "sessionId": "s", "policy": policy, "result": result }));
    let text = answer["result"]["content"].as_str().unwrap();
    assert!(text.contains(", id ") && !text.contains("artifacts show"), "{text}");
    // An original that is not kept is not named: here that of a result without a failure.
    server.end();
    let mut server = home.serve(&["--recovery", "failures", "--recovery-hint"]);
    let fine = server.compress("s", "a", &report("work"), 0);
    assert!(!fine["content"].as_str().unwrap().contains("artifacts show"));
    let failed = server.compress("s", "b", &report("other"), 1);
    assert!(failed["content"].as_str().unwrap().contains("artifacts show"));
    server.end();
}

#[test]
fn a_hint_is_made_again_when_the_text_was_forgotten() {
    let home = Home::new();
    let mut server = home.serve(&[&LASTING[..], &["--recovery-hint", "--memo-bytes", "0"]].concat());
    let first = server.compress("s", "a", &report("work"), 0);
    assert!(first["content"].as_str().unwrap().contains("artifacts show"));
    let again = server.compress("s", "a", &report("work"), 0);
    assert_eq!(again["content"], first["content"]);
    server.end();
}

#[test]
fn the_command_lists_shows_searches_and_prunes() {
    let home = Home::new();
    let none = home.artifacts(&["list"]);
    let told = String::from_utf8(none.stderr).unwrap();
    assert!(none.status.code() == Some(1) && told.contains("there is no folder "), "{told}");
    let mut server = home.serve(&LASTING);
    let first = id(&server.compress("s", "a", &report("first"), 0));
    let second = id(&server.compress("s", "b", &report("second"), 3));
    server.end();
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    let listed = text(home.artifacts(&["list"]));
    let rows: Vec<&str> = listed.lines().collect();
    assert_eq!(rows.len(), 3, "{listed}");
    assert!(
        rows[1].starts_with(&second) && rows[2].starts_with(&first) && rows[1].ends_with("bash  ./report")
    );
    let json: Value = serde_json::from_slice(&home.artifacts(&["list", "--json"]).stdout).unwrap();
    assert_eq!(
        (&json[0]["id"], &json[0]["exitCode"], &json[1]["lines"]),
        (&json!(second), &json!(3), &json!(200))
    );
    assert_eq!((&json[0]["survivesRestart"], &json[0]["session"]), (&json!(true), &json!("s")));

    let lines = text(home.artifacts(&["show", &first[..8], "--lines", "199-", "--lines", "1"]));
    let of = |i: usize| report("first").lines().nth(i).unwrap().to_owned() + "\n";
    assert_eq!(lines, of(0) + &of(198) + &of(199));
    let shown: Value =
        serde_json::from_slice(&home.artifacts(&["show", &first, "--lines", "2-3", "--json"]).stdout)
            .unwrap();
    assert_eq!((&shown["text"], &shown["lines"]), (&json!(of(1) + &of(2)), &json!([[2, 3]])));
    let cases: [(&[&str], i32, &str); 6] = [
        (&["show", "00000000"], 1, "no original \"00000000\" in "),
        (&["show", &first, "--lines", "0-3"], 2, "starts at line 1"),
        (&["show", &first, "--lines", "x"], 2, "FIRST-LAST"),
        (&["show", &first, "--lines", "900-"], 1, "beyond the end"),
        (&["search", "(", &first], 2, "pattern"),
        (&["prune", "--older-than", "long"], 2, "--older-than"),
    ];
    for (arguments, code, said) in cases {
        let output = home.artifacts(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {stderr}");
        assert!(stderr.contains(said), "{arguments:?} {stderr}");
    }

    let found = text(home.artifacts(&["search", "FIRST 1(0|2):", &first, "-i", "-C", "1"]));
    let numbers: Vec<&str> = found.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(numbers, ["10-first", "11:first", "12-first", "13:first", "14-first"], "{found}");
    let everywhere = text(home.artifacts(&["search", "-F", " 7: the"]));
    let ids: Vec<&str> = everywhere.lines().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(ids, [&second, &first], "{everywhere}");
    let json: Value =
        serde_json::from_slice(&home.artifacts(&["search", "-F", " 7: the", "--json"]).stdout).unwrap();
    assert_eq!((&json[1]["id"], &json[1]["matches"][0]["line"]), (&json!(first), &json!(8)));
    assert_eq!(home.artifacts(&["search", "nowhere"]).status.code(), Some(1));

    assert_eq!(text(home.artifacts(&["prune"])), "0 removed, 2 left\n");
    assert_eq!(text(home.artifacts(&["prune", "--older-than", "1h"])), "0 removed, 2 left\n");
    assert_eq!(text(home.artifacts(&["prune", "--older-than", "0s"])), "2 removed, 0 left\n");
    assert_eq!(home.originals().len(), 0);
    fs::set_permissions(home.vault(), fs::Permissions::from_mode(0o750)).unwrap();
    let refused = home.artifacts(&["list"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("has mode 0750, allowed is 0700"));
}

#[test]
fn the_users_state_folder_is_the_default() {
    let home = Home::new();
    let mut command =
        home.tersed(&["serve", "--framing", "lines", "--recovery", "always", "--recovery-hint"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = Server::start(command);
    let answer = server.compress("s", "a", &report("work"), 0);
    let id = id(&answer);
    let last = format!("[tersed: all 200 lines: tersed artifacts show {}]\n", &id[..8]);
    assert!(answer["content"].as_str().unwrap().ends_with(&last));
    let shown = home.tersed(&["artifacts", "show", &id[..8]]).output().unwrap();
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), report("work"));
    assert!(home.0.path().join(".local/state/tersed/originals").is_dir() || cfg!(not(target_os = "linux")));
    server.end();
}
