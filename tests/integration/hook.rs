//! `tersed hook` as a host calls it: real processes, one for each event, and the one that they share.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tersed::host::resident::wire::{self, Ran, Request};

/// Longer than anything here should take, also on a busy machine.
const LONG: Duration = Duration::from_secs(120);

/// A workspace, a home, and a folder for sockets.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        for folder in ["run", "work", "work/.git", "home"] {
            fs::create_dir(place.path().join(folder)).unwrap();
        }
        Self(place)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn tersed(&self, arguments: &[&str]) -> Command {
        let program = Path::new(env!("CARGO_BIN_EXE_tersed"));
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir(self.path("work"));
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", program.parent().unwrap().display());
        command.env("PATH", path).env("HOME", self.path("home")).env("TERSED_NO_CONFIG", "1");
        command.env("XDG_RUNTIME_DIR", self.path("run")).env("TMPDIR", self.path("run"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn hook(&self, arguments: &[&str], event: &[u8]) -> Output {
        let arguments = [&["hook", "claude-code", "--deadline", "60000"][..], arguments].concat();
        send_event(self.tersed(&arguments).spawn().unwrap(), event)
    }

    /// The output of the hook.
    fn answer(&self, arguments: &[&str], event: &Value) -> Option<Value> {
        let output = self.hook(arguments, event.to_string().as_bytes());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        (!output.stdout.is_empty()).then(|| serde_json::from_slice(&output.stdout).unwrap())
    }

    fn stdout(&self, event: &Value) -> String {
        let answer = self.answer(&[], event).expect("an answer");
        answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned()
    }

    fn files(&self, end: &str) -> Vec<PathBuf> {
        let files =
            fs::read_dir(self.path("run/tersed")).into_iter().flatten().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|known| known == end)).collect()
    }

    /// The resident processes of this place.
    fn residents(&self) -> Vec<u32> {
        let home = format!("HOME={}", self.path("home").display());
        let pids =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let has = |pid: &u32, file: &str, word: &str| {
            fs::read(format!("/proc/{pid}/{file}"))
                .is_ok_and(|bytes| bytes.split(|&b| b == 0).any(|known| known == word.as_bytes()))
        };
        pids.filter(|pid: &u32| has(pid, "environ", &home) && has(pid, "cmdline", "resident")).collect()
    }

    fn resident(&self) -> u32 {
        let all = self.residents();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0]
    }

    fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < LONG, "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn signal(pid: u32, signal: &str) {
        assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for pid in self.residents() {
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
    }
}

fn send_event(mut child: Child, event: &[u8]) -> Output {
    let mut stdin = child.stdin.take().unwrap();
    let event = event.to_vec();
    // A hook that does not read its input must not block the test.
    let writer = thread::spawn(move || drop(stdin.write_all(&event)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn event(call: &str) -> Value {
    let passing: String = (1..=300).map(|n| format!("test t{n} ... ok\n")).collect();
    let total =
        "test result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n";
    json!({
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        // A command that is repeated is answered in full.
        "tool_input": { "command": format!("cargo test --color={call}") },
        "tool_use_id": call,
        "tool_response": {
            "stdout": format!("\nrunning 300 tests\n{passing}\n{total}"),
            "stderr": "", "interrupted": false, "isImage": false,
        },
    })
}

#[test]
fn a_wrong_option_costs_no_answer_and_blocks_nothing() {
    let place = Place::new();
    let content = event("c1").to_string();
    for wrong in [
        &["--mode", "agressive"][..],
        &["--mode=agressive"],
        &["--new-option"],
        &["--new-option", "value", "--other=x"],
        &["--policy", r#"{"x":1}"#],
        &["--policy"],
        &["--deadline", "soon"],
        &["--set", "nonsense"],
    ] {
        let arguments = [&["hook", "claude-code", "--no-resident"][..], wrong].concat();
        let output = send_event(place.tersed(&arguments).spawn().unwrap(), content.as_bytes());
        assert_eq!(output.status.code(), Some(0), "{wrong:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("passing_tests"), "{wrong:?} {output:?}");
        assert!(!output.stderr.is_empty(), "{wrong:?}");
    }
    // Whether commands are wrapped is the user's choice all the same.
    for arguments in [
        &["hook", "claude-code", "--if-wrap", "--new-option"][..],
        &["hook", "no-such-host"],
        &["hook"],
        &["hook", "--mode", "safe"],
    ] {
        let output = send_event(place.tersed(arguments).spawn().unwrap(), content.as_bytes());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{arguments:?}");
    }
}

#[test]
fn what_a_resident_process_has_counted_is_told_at_once() {
    let place = Place::new();
    let results = || {
        let output = place.tersed(&["stats", "--json"]).output().unwrap();
        let counts = serde_json::from_slice::<Value>(&output.stdout).unwrap()["counts"].clone();
        counts.as_array().unwrap().iter().map(|row| row["results"].as_u64().unwrap()).sum::<u64>()
    };
    // Without a wait for the next line of the file.
    for n in 1..=3 {
        place.stdout(&event(&format!("c{n}")));
        assert_eq!(results(), n);
    }
}

#[test]
fn an_answer_that_nobody_took_counts_as_no_saving() {
    let place = Place::new();
    place.stdout(&event("c1"));
    let count = |name: &str| {
        let output = place.tersed(&["stats", "--json"]).output().unwrap();
        let counts = serde_json::from_slice::<Value>(&output.stdout).unwrap()["counts"].clone();
        let rows = counts.as_array().unwrap().iter();
        rows.filter(|row| row["host"] == "run").map(|row| row[name].as_u64().unwrap()).sum::<u64>()
    };
    let content: String = (1..=2000).map(|n| format!("test t{n} ... ok\n")).collect();
    let ran = Ran { command: "cargo test".to_owned(), exit_code: Some(0), ..Ran::default() };
    let request = Request::Run { ran, parts: vec![content.len()], owner: None };
    let mut stream = UnixStream::connect(place.files("sock").remove(0)).unwrap();
    wire::write(&mut stream, &request, content.as_bytes()).unwrap();
    drop(stream);
    place.wait_until("the output is counted", || count("results") == 1);
    assert!(count("baselineTokens") > 1000 && count("baselineTokens") == count("shownTokens"));
}

/// Whether the answer to a host refers to a whole earlier result.
fn is_reference(output: &str) -> bool {
    output.contains("[tersed#") && output.contains(": same output as in ")
}

#[test]
fn clients_share_one_process_and_its_memory() {
    let place = Place::new();
    let clients: Vec<Child> = (0..8)
        .map(|_| place.tersed(&["hook", "claude-code", "--deadline", "60000"]).spawn().unwrap())
        .collect();
    let threads: Vec<_> = (0..)
        .zip(clients)
        .map(|(n, client)| {
            thread::spawn(move || send_event(client, event(&format!("c{n}")).to_string().as_bytes()))
        })
        .collect();
    let outputs: Vec<String> =
        threads.into_iter().map(|thread| String::from_utf8(thread.join().unwrap().stdout).unwrap()).collect();
    let pid = place.resident();
    // One of them was first; all others refer to it.
    let (first, later): (Vec<&String>, Vec<&String>) =
        outputs.iter().partition(|output| !is_reference(output));
    assert_eq!((first.len(), later.len()), (1, 7), "{outputs:?}");
    assert!(later.iter().all(|output| is_reference(output)), "{outputs:?}");
    assert!(is_reference(&place.stdout(&event("d"))));
    let again = place.stdout(&event("d"));
    assert!(is_reference(&again), "a call that is told again has the same answer: {again}");
    assert_eq!(place.resident(), pid);
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.path("run/tersed")), 0o700);
    let sockets = place.files("sock");
    assert_eq!((sockets.len(), mode(&sockets[0])), (1, 0o600));
}

#[test]
fn a_resident_process_holds_nothing_of_its_client() {
    let place = Place::new();
    let mut command = place.tersed(&["hook", "claude-code"]);
    let (mut reader, writer) = std::io::pipe().unwrap();
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    child.stdin.take().unwrap().write_all(event("c").to_string().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let mut all = String::new();
    // Ends only when nobody holds the pipe any more.
    reader.read_to_string(&mut all).unwrap();
    assert!(all.contains("300 passed"), "{all}");
    let pid = place.resident();
    let session = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = session.rsplit(") ").next().unwrap().split(' ').collect();
    assert_eq!(fields[3], pid.to_string(), "a session of its own");
}

#[test]
fn an_original_is_read_with_the_command_that_the_text_names() {
    let place = Place::new();
    let text = place.stdout(&event("c"));
    let command = text.lines().last().unwrap().split(": ").nth(2).unwrap().trim_end_matches(']').to_owned();
    assert!(command.starts_with("tersed artifacts show "), "{text}");
    let words: Vec<&str> = command.split(' ').collect();
    let shown = place.tersed(&[&words[1..], &["--lines", "3-4"]].concat()).output().unwrap();
    assert_eq!(String::from_utf8(shown.stdout).unwrap(), "test t1 ... ok\ntest t2 ... ok\n");
    // From another folder too: a shell may have gone there.
    let found = place
        .tersed(&["artifacts", "search", "t300 ", words[3]])
        .current_dir(place.path("home"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), "302:test t300 ... ok\n");
    let listed = place.tersed(&["artifacts", "list"]).output().unwrap();
    assert!(String::from_utf8(listed.stdout).unwrap().contains(words[3]));
    let none = place.tersed(&["artifacts", "show", "0123456789abcdef"]).output().unwrap();
    assert_eq!(none.status.code(), Some(1));
}

/// The handle that the last line of a text names.
fn handle(text: &str) -> String {
    text.trim_end_matches("]\n").rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn originals_outlive_the_process_for_a_conversation_that_is_resumed() {
    let place = Place::new();
    let mut event = event("c");
    let secret = format!("ghp_{}", "k3Jd92LmQx7".repeat(4).split_at(36).0);
    let stdout = event["tool_response"]["stdout"].as_str().unwrap();
    event["tool_response"]["stdout"] = json!(format!("token {secret}\n{stdout}"));
    let id = handle(&place.stdout(&event));
    let pid = place.resident();
    Place::signal(pid, "-KILL");
    place.wait_until("it is gone", || place.residents().is_empty());
    let folder = place.path("home/.local/state/tersed/conversations");
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let show =
        || String::from_utf8(place.tersed(&["artifacts", "show", &id]).output().unwrap().stdout).unwrap();
    assert!(show().contains("\ntest t299 ... ok\n") && !show().contains(&secret), "{}", show());
    let listed = |json: bool| {
        let arguments = if json { &["artifacts", "list", "--json"][..] } else { &["artifacts", "list"][..] };
        String::from_utf8(place.tersed(arguments).output().unwrap().stdout).unwrap()
    };
    assert!(listed(false).contains("on disk"), "{}", listed(false));
    let all: Value = serde_json::from_str(&listed(true)).unwrap();
    assert_eq!((all[0]["session"].as_str(), all[0]["toolCallId"].as_str()), (Some("s"), Some("c")), "{all}");
    // After a resume another process starts. It has shown nothing yet, but can still read the original.
    let resumed = json!({ "hook_event_name": "SessionStart", "session_id": "s", "source": "resume" });
    assert_eq!(place.answer(&[], &resumed), None);
    assert!(show().contains("\ntest t299 ... ok\n"));
    let again = place.stdout(&self::event("d"));
    assert!(again.contains("300 passed"), "{again}");
    let pruned = place.tersed(&["artifacts", "prune", "--older-than", "0s"]).output().unwrap();
    assert!(pruned.status.success(), "{pruned:?}");
    assert!(!listed(false).contains("on disk"), "{}", listed(false));
}

#[test]
fn who_wants_no_originals_on_disk_gets_none() {
    let place = Place::new();
    let mut command = place.tersed(&["hook", "claude-code", "--deadline", "60000"]);
    command.env("TERSED_RECOVERY_MODE", "never").env_remove("TERSED_NO_CONFIG");
    let output = send_event(command.spawn().unwrap(), event("c").to_string().as_bytes());
    assert!(String::from_utf8_lossy(&output.stdout).contains("300 passed"), "{output:?}");
    assert!(!place.path("home/.local/state/tersed/conversations").exists());
}

#[test]
fn a_resumed_conversation_is_not_referred_to_what_its_process_remembers() {
    let place = Place::new();
    place.stdout(&event("c"));
    assert!(is_reference(&place.stdout(&event("d"))));
    let pid = place.resident();
    for source in ["resume", "clear", "compact", "startup"] {
        let start = json!({ "hook_event_name": "SessionStart", "session_id": "s", "source": source });
        assert_eq!(place.answer(&[], &start), None);
        let text = place.stdout(&event(&format!("e-{source}")));
        assert!(text.contains("300 passed"), "{source}: {text}");
    }
    assert_eq!(place.resident(), pid);
}

#[test]
fn a_model_reads_it_over_mcp_too() {
    let place = Place::new();
    let text = place.stdout(&event("c"));
    let handle = text.trim_end_matches("]\n").rsplit(' ').next().unwrap();
    let mut server = place.tersed(&["mcp"]).spawn().unwrap();
    let call = |id: u32, name: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        call(2, "tersed_expand", json!({ "id": handle, "first": 3, "last": 4 })),
        call(3, "tersed_search", json!({ "id": handle, "pattern": "t300 " })),
        call(4, "tersed_expand", json!({ "id": handle, "first": 302 })),
        call(5, "tersed_search", json!({ "id": handle, "pattern": "(" })),
    ];
    let mut stdin = server.stdin.take().unwrap();
    let mut lines = std::io::BufReader::new(server.stdout.take().unwrap()).lines();
    let mut answers = String::new();
    for message in messages {
        writeln!(stdin, "{message}").unwrap();
        if message.get("id").is_some() {
            answers += &lines.next().unwrap().unwrap();
        }
    }
    assert!(answers.contains(r"test t1 ... ok\ntest t2 ... ok\n"), "{answers}");
    assert!(answers.contains(r"302:test t300 ... ok\n"), "{answers}");
    assert!(answers.contains(r#""test t300 ... ok\n\ntest result"#), "{answers}");
    assert!(answers.contains(r#""isError":true"#), "{answers}");
    // A process that has not requested the original yet lists it too.
    let mut other = place.tersed(&["mcp"]).spawn().unwrap();
    let listing = format!("{}\n", call(1, "tersed_list", json!({})));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut listing: Value = serde_json::from_str(&listing).unwrap();
    listing["params"]["_meta"] = meta;
    writeln!(other.stdin.take().unwrap(), "{listing}").unwrap();
    let listed = String::from_utf8(other.wait_with_output().unwrap().stdout).unwrap();
    assert!(listed.contains(&format!("{handle}  Bash, ")) || listed.contains(handle), "{listed}");
    drop(stdin);
    server.wait().unwrap();
}

#[test]
fn what_was_left_behind_is_no_obstacle() {
    let place = Place::new();
    place.stdout(&event("c1"));
    let (pid, socket) = (place.resident(), place.files("sock").remove(0));
    Place::signal(pid, "-KILL");
    // A process that is killed loses its command line before its sockets.
    place.wait_until("it is killed", || UnixStream::connect(&socket).is_err());
    // The socket and both locks are still there.
    assert!(socket.exists() && place.files("running").len() == 1 && place.files("starting").len() == 1);
    assert!(place.stdout(&event("c2")).contains("300 passed"), "another process has no memory of it");
    assert_ne!(place.resident(), pid);
}

#[test]
fn it_ends_when_told_when_idle_and_when_its_socket_goes() {
    let place = Place::new();
    place.stdout(&event("c"));
    let (pid, socket) = (place.resident(), place.files("sock").remove(0));
    Place::signal(pid, "-TERM");
    place.wait_until("it ends on SIGTERM", || place.residents().is_empty());
    assert!(!socket.exists());

    place.stdout(&event("c"));
    place.resident();
    fs::remove_file(&socket).unwrap();
    place.wait_until("it ends without its socket", || place.residents().is_empty());

    place.stdout(&event("c"));
    let first = place.resident();
    // Another one in its place is left alone.
    fs::remove_file(&socket).unwrap();
    let _listener = UnixListener::bind(&socket).unwrap();
    let inode = fs::metadata(&socket).unwrap().ino();
    place.wait_until("it ends with another socket in place of its own", || {
        !place.residents().contains(&first)
    });
    assert_eq!(fs::metadata(&socket).unwrap().ino(), inode);
    drop(_listener);

    assert!(place.answer(&["--idle", "1s"], &event("c")).is_some());
    place.wait_until("it ends when idle", || place.residents().is_empty());
    assert!(!socket.exists());
}

#[test]
fn it_ends_with_its_owner() {
    let place = Place::new();
    let mut owner = Command::new("sleep").arg("600").spawn().unwrap();
    let mut resident = place.tersed(&["resident", "--linger", "0s", "--owner", &owner.id().to_string()]);
    let mut resident = resident.spawn().unwrap();
    place.wait_until("it serves", || !place.files("sock").is_empty());
    assert_eq!(place.residents(), [resident.id()]);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert!(resident.wait().unwrap().success());
    assert!(place.files("sock").is_empty());
}

#[test]
fn the_host_above_the_shells_is_the_owner() {
    if !crate::common::has("python3") {
        return;
    }
    let place = Place::new();
    fs::write(place.path("event"), event("c").to_string()).unwrap();
    let mut resident = place.tersed(&["resident", "--linger", "0s"]).spawn().unwrap();
    place.wait_until("it serves", || !place.files("sock").is_empty());
    // A host that is no shell, and calls the hook through two of them.
    let host = "import subprocess, sys, time\n\
        subprocess.run(['sh', '-c', 'sh -c \"tersed hook claude-code < ../event; true\"; true'])\n\
        print('asked', flush=True)\ntime.sleep(600)";
    let mut command = place.tersed(&[]);
    let mut host = Command::new("python3")
        .args(["-c", host])
        .env_clear()
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(place.path("work"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    command.stdout(Stdio::null());
    let mut said = [0; 4096];
    let mut all = String::new();
    while !all.contains("asked") {
        let read = host.stdout.as_mut().unwrap().read(&mut said).unwrap();
        assert!(read > 0, "{all}");
        all.push_str(std::str::from_utf8(&said[..read]).unwrap());
    }
    assert!(all.contains("300 passed"), "{all}");
    assert!(resident.try_wait().unwrap().is_none());
    host.kill().unwrap();
    host.wait().unwrap();
    assert!(resident.wait().unwrap().success());
}

#[test]
fn a_socket_that_talks_nonsense_or_nothing_costs_the_deadline_at_most() {
    let place = Place::new();
    place.stdout(&event("c"));
    let socket = place.files("sock").remove(0);
    let pid = place.resident();
    // It hangs.
    Place::signal(pid, "-STOP");
    let output = place.hook(&["--deadline", "300"], event("d").to_string().as_bytes());
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    Place::signal(pid, "-KILL");
    place.wait_until("it is killed", || place.residents().is_empty());
    fs::remove_file(&socket).unwrap();
    // Something else is there.
    let listener = UnixListener::bind(&socket).unwrap();
    let nonsense = thread::spawn(move || {
        let mut answered = 0;
        for bytes in
            [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], &[0, 0, 0, 2, b'{', b'}', 0, 0, 0, 0], b"", &[0xff; 9]]
        {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.write_all(bytes);
            drop(stream);
            answered += 1;
        }
        answered
    });
    for _ in 0..4 {
        // A process with invalid answers is not asked again: the hook does the work itself.
        assert!(place.stdout(&event("e")).contains("300 passed"));
    }
    assert_eq!(nonsense.join().unwrap(), 4);
    assert!(place.residents().is_empty());
}

#[test]
fn a_process_lives_through_clients_that_talk_nonsense() {
    let place = Place::new();
    place.stdout(&event("c"));
    let (pid, socket) = (place.resident(), place.files("sock").remove(0));
    for bytes in [
        &b""[..],
        b"GET / HTTP/1.1\r\n\r\n",
        &[0xff; 64],
        &[0, 0, 0, 2, b'{', b'}', 0, 0, 0, 0],
        &[0, 0, 0, 9],
    ] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.write_all(bytes).unwrap();
    }
    // One that stays silent holds up nobody.
    let _silent = UnixStream::connect(&socket).unwrap();
    assert!(is_reference(&place.stdout(&event("d"))));
    assert_eq!(place.resident(), pid);
}

#[test]
fn events_that_are_none_are_answered_by_silence() {
    let place = Place::new();
    for event in [&b""[..], b"{", b"[]", b"null", b"\xff\xfe", b"{\"tool_name\":7}", b"no json", b"{}"] {
        let output = place.hook(&[], event);
        assert!(output.status.success(), "{output:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    }
    let closed = place.tersed(&["hook", "claude-code"]).stdin(Stdio::null()).output().unwrap();
    assert!(closed.status.success() && closed.stdout.is_empty());
    // Nobody closes it.
    let mut open = place.tersed(&["hook", "claude-code", "--deadline", "200"]).spawn().unwrap();
    let held = open.stdin.take();
    assert!(open.wait().unwrap().success());
    drop(held);
    let wrong = place.tersed(&["hook", "emacs"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(0));
    let message = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        message.contains("'emacs'") && message.contains("claude-code, ") && message.contains("codex"),
        "{message}"
    );
    let wrong = place.tersed(&["hook", "codex", "--deadline", "soon"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(0));
}

#[test]
fn a_huge_event_is_answered_or_left_alone() {
    let place = Place::new();
    let mut large = event("c");
    let lines: String = (0..400_000).map(|n| format!("test case_{n} ... ok\n")).collect();
    large["tool_response"]["stdout"] = json!(lines);
    assert!(place.stdout(&large).len() < 40_000);
    let mut larger = vec![b'{'];
    larger.resize(66 << 20, b' ');
    let output = place.hook(&[], &larger);
    assert!(output.status.success() && output.stdout.is_empty());
}

#[test]
fn without_a_place_for_a_socket_the_work_is_done_alone() {
    let place = Place::new();
    let folder = place.path("run/tersed");
    fs::create_dir(place.path("other")).unwrap();
    symlink(place.path("other"), &folder).unwrap();
    let user = fs::metadata(place.path("run")).unwrap().uid();
    fs::write(place.path(&format!("run/tersed-{user}")), "in the way").unwrap();
    assert!(place.stdout(&event("c")).contains("300 passed"));
    assert!(place.residents().is_empty() && fs::read_dir(place.path("other")).unwrap().next().is_none());

    let place = Place::new();
    let text = |call: &str| {
        let answer = place.answer(&["--no-resident"], &event(call)).unwrap();
        answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap().to_owned()
    };
    assert!(text("c").contains("300 passed") && text("d").contains("300 passed"));
    assert!(place.residents().is_empty());
    // The original is in a folder of the user alone, and is read like any other.
    let handle =
        text("e").trim_end_matches("]\n").rsplit(' ').find(|word| word.len() == 8).unwrap().to_owned();
    let shown = place.tersed(&["artifacts", "show", &handle, "--lines", "3"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "test t1 ... ok\n", "{shown:?}");
}

#[test]
fn settings_that_differ_are_other_processes_and_files_are_read_anew() {
    let place = Place::new();
    place.stdout(&event("c"));
    assert!(place.answer(&["--mode", "disabled"], &event("c")).is_none());
    assert_eq!(place.residents().len(), 2);
    let ask = |call: &str| {
        let mut command = place.tersed(&["hook", "claude-code", "--deadline", "60000"]);
        command.env_remove("TERSED_NO_CONFIG");
        send_event(command.spawn().unwrap(), event(call).to_string().as_bytes())
    };
    fs::write(place.path("work/tersed.yaml"), "policy:\n  mode: disabled\n").unwrap();
    assert!(ask("e").stdout.is_empty());
    fs::write(place.path("work/tersed.yaml"), "policy:\n  mode: standard\n# longer than it was before\n")
        .unwrap();
    place.wait_until("the new settings count", || !ask("f").stdout.is_empty());
    // If a file cannot be read, only its settings are lost.
    fs::write(place.path("work/tersed.yaml"), "policy:\n  mod: safe\n").unwrap();
    for pid in place.residents() {
        Place::signal(pid, "-KILL");
    }
    place.wait_until("they are killed", || place.residents().is_empty());
    let output = ask("g");
    assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.lines().count() == 1 && said.contains("policy.mod: there is no such setting"), "{said}");
}

#[test]
fn commands_are_wrapped_for_those_who_asked() {
    let place = Place::new();
    let mut before = event("c");
    before["hook_event_name"] = json!("PreToolUse");
    before["tool_response"] = Value::Null;
    before["tool_input"] =
        json!({ "command": "cd web && ls -R | tail", "description": "Lists", "timeout": 30_000 });
    let ask = |host: &str, wants: bool, event: &Value| -> Option<Value> {
        let mut command = place.tersed(&["hook", host, "--deadline", "60000"]);
        if wants {
            command.env("TERSED_WRAP", "1");
        }
        let output = send_event(command.spawn().unwrap(), event.to_string().as_bytes());
        (!output.stdout.is_empty()).then(|| serde_json::from_slice(&output.stdout).unwrap())
    };
    assert_eq!(ask("claude-code", false, &before), None);
    let reply = ask("claude-code", true, &before).unwrap();
    let expected = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "updatedInput": {
            "command": "cd web && tersed run --session s --call c --patience 20s --host-limit 30000 --host-limit-failed 10000 --shell 'ls -R | tail'",
            "description": "Lists",
            "timeout": 30_000,
        },
    } });
    assert_eq!(reply, expected, "no decision: the host asks its own rules");
    let reply = ask("codex", false, &before).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["permissionDecision"], "allow");
    // Codex runs commands in a login shell, which may have another PATH.
    let command = reply["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    assert!(command.starts_with("cd web && /"), "{command}");
    assert!(
        command.ends_with("/tersed run --session s --call c --host-limit 10000 --shell 'ls -R | tail'"),
        "{command}"
    );
    let mut background = before.clone();
    background["tool_input"]["run_in_background"] = json!(true);
    assert_eq!(ask("claude-code", true, &background), None);
    // Rules about commands would not see through it.
    before["cwd"] = json!(place.path("work"));
    fs::create_dir_all(place.path("work/.claude")).unwrap();
    let settings = place.path("work/.claude/settings.local.json");
    fs::write(&settings, r#"{"permissions":{"allow":["Bash(ls:*)"],"deny":["Read(./x)"]}}"#).unwrap();
    assert!(ask("claude-code", true, &before).is_some());
    fs::write(&settings, r#"{"permissions":{"deny":["Bash(git push:*)"]}}"#).unwrap();
    assert_eq!(ask("claude-code", true, &before), None);
    fs::create_dir_all(place.path("home/.codex/rules")).unwrap();
    let rules = place.path("home/.codex/rules/default.rules");
    fs::write(&rules, "prefix_rule(pattern=[\"ls\"], decision=\"allow\")\n").unwrap();
    assert!(ask("codex", false, &before).is_some());
    fs::write(&rules, "prefix_rule(pattern=[\"git\", \"push\"], decision=\"forbidden\")\n").unwrap();
    assert_eq!(ask("codex", false, &before), None);
}

#[test]
fn a_process_that_hangs_does_not_keep_others_from_answering() {
    let place = Place::new();
    let id = handle(&place.stdout(&event("c1")));
    // The process alone has it.
    fs::remove_dir_all(place.path("home/.local/state/tersed/conversations")).unwrap();
    // Processes that hang are asked first: they have names of the same workspace that sort before.
    let own = place.files("sock").remove(0);
    let name = own.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
    let hanging: Vec<Hanging> = (0..3)
        .map(|n| Hanging::at(&place.path(&format!("run/tersed/{name}-000000000000000{n}.sock"))))
        .collect();
    // Other settings have another socket, so that the one with the original is not the first.
    let mut show = place.tersed(&["artifacts", "show", &id]);
    show.env("TERSED_POLICY_MIN_BYTES", "7").stdin(Stdio::null());
    let output = show.output().unwrap();
    assert!(
        String::from_utf8(output.stdout).unwrap().contains("test t300 ... ok"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut list = place.tersed(&["artifacts", "list"]);
    list.env("TERSED_POLICY_MIN_BYTES", "7").stdin(Stdio::null());
    assert!(String::from_utf8(list.output().unwrap().stdout).unwrap().contains(&id));
    assert!(hanging.iter().all(|hanging| hanging.asked() == 2), "all were asked");
}

/// A process that accepts requests and never answers: the number of requests.
struct Hanging {
    asked: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

impl Hanging {
    fn at(socket: &Path) -> Self {
        let listener = UnixListener::bind(socket).unwrap();
        let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = asked.clone();
        thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                held.push(stream);
            }
        });
        Self { asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(std::sync::atomic::Ordering::SeqCst)
    }
}

#[test]
fn after_two_waits_in_a_row_nobody_is_asked() {
    let place = Place::new();
    place.stdout(&event("c"));
    let socket = place.files("sock").remove(0);
    Place::signal(place.resident(), "-KILL");
    place.wait_until("it is killed", || place.residents().is_empty());
    fs::remove_file(&socket).unwrap();
    let hanging = Hanging::at(&socket);
    let ask = |host: &str, id: &str| {
        // The answer never arrives; the process must have started before it is asked.
        let arguments = ["hook", host, "--deadline", "2500"];
        let output = send_event(place.tersed(&arguments).spawn().unwrap(), event(id).to_string().as_bytes());
        assert!(
            output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
            "{output:?}"
        );
    };
    ask("claude-code", "d1");
    assert_eq!(hanging.asked(), 1);
    // All hosts and `tersed run` share the count of timeouts.
    ask("gemini", "d2");
    assert_eq!(hanging.asked(), 2);
    for id in ["d3", "d4"] {
        for host in ["claude-code", "gemini", "codex", "copilot", "cursor"] {
            ask(host, id);
        }
    }
    let script = "for n in $(seq 500); do echo \"test t$n ... ok\"; done; exit 3";
    let run = place.tersed(&["run", "--shell", script]).stdin(Stdio::null()).output().unwrap();
    assert_eq!((run.status.code(), run.stdout.iter().filter(|&&b| b == b'\n').count()), (Some(3), 500));
    assert_eq!(hanging.asked(), 2, "nobody is asked");
    // A minute later one client asks again. Its timeout is enough for another pause.
    let late = place.files("late").remove(0);
    let minute = Duration::from_secs(61);
    fs::File::options()
        .append(true)
        .open(&late)
        .unwrap()
        .set_modified(std::time::SystemTime::now() - minute)
        .unwrap();
    ask("claude-code", "e1");
    ask("claude-code", "e2");
    assert_eq!(hanging.asked(), 3);
    // When it answers, all is well.
    fs::remove_file(&socket).unwrap();
    fs::File::options()
        .append(true)
        .open(&late)
        .unwrap()
        .set_modified(std::time::SystemTime::now() - minute)
        .unwrap();
    assert!(place.stdout(&event("f")).contains("300 passed"));
    assert!(place.files("late").is_empty());
    assert!(is_reference(&place.stdout(&event("g"))));
}

#[test]
fn a_command_is_held_up_twice_at_most() {
    let place = Place::new();
    place.stdout(&event("c"));
    let socket = place.files("sock").remove(0);
    Place::signal(place.resident(), "-KILL");
    place.wait_until("it is killed", || place.residents().is_empty());
    fs::remove_file(&socket).unwrap();
    let hanging = Hanging::at(&socket);
    for n in 1..=4 {
        let script = format!("for n in $(seq 500); do echo \"test t$n {n} ... ok\"; done");
        let run = place.tersed(&["run", "--shell", &script]).stdin(Stdio::null()).output().unwrap();
        assert_eq!(run.stdout.iter().filter(|&&b| b == b'\n').count(), 500);
        assert_eq!(hanging.asked(), n.min(2));
    }
}

/// Files of a cloned repository that never end, or block whoever opens them.
#[test]
fn files_that_block_or_never_end_hold_no_hook_up() {
    let place = Place::new();
    let pipe = |path: &Path| {
        let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        rustix::fs::mknodat(rustix::fs::CWD, path, fifo, mode, 0).unwrap();
    };
    let zero = |path: &Path| symlink("/dev/zero", path).unwrap();
    let kinds: [&dyn Fn(&Path); 2] = [&pipe, &zero];
    let ask = |host: &str| {
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": place.path("work"), "tool_name": "Bash",
            "tool_input": { "command": "ls -R | tail" }, "tool_use_id": "c", "model": "gpt-5",
        });
        let mut command = place.tersed(&["hook", host, "--deadline", "60000"]);
        command.env("TERSED_WRAP", "1");
        let output = send_event(command.spawn().unwrap(), event.to_string().as_bytes());
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        !output.stdout.is_empty()
    };
    for host in ["claude-code", "codex"] {
        assert!(ask(host), "{host}: without such a file the command is wrapped");
    }
    for (host, file) in [
        ("claude-code", ".claude/settings.json"),
        ("claude-code", ".claude/settings.local.json"),
        ("codex", ".codex/rules/a.rules"),
        ("codex", ".codex/requirements.toml"),
    ] {
        let file = place.path("work").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        for make in kinds {
            make(&file);
            // It may hold any rule.
            assert!(!ask(host), "{}", file.display());
            fs::remove_file(&file).unwrap();
        }
        assert!(ask(host), "{}", file.display());
    }
}
