//! Checks a round trip: a child of this program compresses a sample and returns the original.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Finding;

const AREA: &str = "round trip";
/// Time limit for the whole check.
const DEADLINE: Duration = Duration::from_secs(20);
/// A line that the compressed sample must keep.
const FAILURE: &str = "test tests::of_the_doctor ... FAILED";

pub(super) fn check(own: &Path) -> Finding {
    match trip(own) {
        Ok(text) => Finding::ok(AREA, text),
        Err(why) => Finding::fault(AREA, why, "install tersed again: this program does not work".to_owned()),
    }
}

fn trip(own: &Path) -> Result<String, String> {
    let started = Instant::now();
    // A temporary state folder, so that the child's seal key is deleted with it. Without one, a path below a file is
    // used, where nothing can be created.
    let state = tempfile::tempdir().ok();
    let child = Command::new(own)
        .args(["serve", "--framing", "lines", "--no-config"])
        .env("XDG_STATE_HOME", state.as_ref().map_or(own, |folder| folder.path()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("{}: {e}", own.display()))?;
    let mut server = Server::of(child)?;
    server.ask("initialize", &json!({ "capabilities": {} }))?;
    let sample = sample();
    let result = json!({ "toolCallId": "doctor", "tool": "bash", "arguments": { "command": "cargo test" },
        "exitCode": 101, "content": sample });
    let answer = server.ask("toolResult/compress", &json!({ "sessionId": "doctor", "result": result }))?;
    let content = answer["content"].as_str().unwrap_or_default();
    if !content.contains(FAILURE) || content.len() >= sample.len() {
        return Err("a sample of a test run did not become smaller with its failure kept".to_owned());
    }
    let id = &answer["artifact"]["id"];
    let read = server.ask("artifact/read", &json!({ "sessionId": "doctor", "id": id }))?;
    if read["text"].as_str() != Some(sample.as_str()) {
        return Err("the original of a sample was not given back as it was".to_owned());
    }
    let (before, after) = (&answer["evidence"]["tokens"]["before"], &answer["evidence"]["tokens"]["after"]);
    let took = started.elapsed().as_millis();
    Ok(format!("a sample of {before} tokens became {after}, and its original came back, in {took} ms"))
}

/// A sample: the output of a test run.
fn sample() -> String {
    let passed: String = (0..150).map(|i| format!("test tests::number_{i} ... ok\n")).collect();
    format!(
        "running 151 tests\n{passed}{FAILURE}\n\nfailures:\n\n---- tests::of_the_doctor stdout ----\n\
         thread 'tests::of_the_doctor' panicked at src/lib.rs:7:5:\nassertion failed: is_well\n\n\
         failures:\n    tests::of_the_doctor\n\n\
         test result: FAILED. 150 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
    )
}

struct Server {
    child: Child,
    answers: Receiver<String>,
    until: Instant,
    id: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The child holds no data. If it has already ended, both calls fail, which does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn of(mut child: Child) -> Result<Self, String> {
        let stdout = child.stdout.take().ok_or("the child has no pipe")?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, answers, until: Instant::now() + DEADLINE, id: 0 })
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        let stdin = self.child.stdin.as_mut().ok_or("the child has no pipe")?;
        writeln!(stdin, "{request}").map_err(|e| format!("{method}: {e}"))?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = self
                .answers
                .recv_timeout(left)
                .map_err(|_| format!("{method}: no answer from a child of this program"))?;
            let mut message: Value = serde_json::from_str(&line).map_err(|e| format!("{method}: {e}"))?;
            if message["id"] == json!(self.id) {
                return match &message["error"] {
                    Value::Null => Ok(message["result"].take()),
                    error => Err(format!("{method}: {}", error["message"].as_str().unwrap_or_default())),
                };
            }
        }
    }
}
