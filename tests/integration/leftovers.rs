//! Large originals are on disk only while the server runs, unless it is ended by SIGKILL.

#![cfg(unix)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::json;

fn files_after(end: impl Fn(&mut std::process::Child)) -> (usize, usize) {
    let dir = tempfile::tempdir().unwrap();
    let count = || std::fs::read_dir(dir.path()).unwrap().count();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tersed"))
        .args(["--framing", "lines"])
        .env("TMPDIR", dir.path())
        .env("TERSED_NO_CONFIG", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let content: String = (0..6000).map(|i| format!("line {i} is fine and long enough\n")).collect();
    let result = json!({ "toolCallId": "a", "tool": "bash", "content": content });
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for (id, method, params) in [
        (1, "initialize", json!({})),
        (2, "toolResult/compress", json!({ "sessionId": "s", "result": result })),
    ] {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(child.stdin.as_mut().unwrap(), "{request}").unwrap();
        assert!(answers.next().unwrap().unwrap().contains("\"result\""));
    }
    let before = count();
    end(&mut child);
    child.wait().unwrap();
    (before, count())
}

#[test]
fn a_signal_leaves_nothing_behind() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let kill = |child: &mut std::process::Child| {
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
        };
        assert_eq!(files_after(kill), (1, 0), "{signal}");
    }
}

#[test]
fn the_end_of_input_leaves_nothing_behind() {
    assert_eq!(files_after(|child| drop(child.stdin.take())), (1, 0));
}
