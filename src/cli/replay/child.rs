//! A child process of this program, driven like a host would drive it.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::record::Forgotten;

/// The sidecar under test.
pub(in crate::cli) struct Child {
    process: std::process::Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

/// The answer to one result.
pub(in crate::cli) struct Answer {
    /// The content: the texts of all parts, joined.
    pub content: String,
    /// The evidence.
    pub evidence: Value,
    /// Call ids of the earlier results that this answer refers to.
    pub refers_to: BTreeSet<String>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(in crate::cli) enum Fault {
    /// The request was answered with an error; the next one may succeed.
    Refused(String),
    /// The child no longer answers.
    Broken(String),
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Broken(message)
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        let (Fault::Refused(message) | Fault::Broken(message)) = fault;
        message
    }
}

impl Child {
    /// Spawns it with flags for settings, and sends `initialize`.
    pub(in crate::cli) fn spawn(settings: &[String]) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|e| format!("own binary: {e}"))?;
        let mut process = Command::new(program)
            .args(["serve", "--stdio"])
            .args(settings)
            // A replay is not real use, so nothing is added to the counts of saved tokens.
            .args(["--set", "telemetry.counts=false"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("child process: {e}"))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("child process: no pipes".to_owned());
        };
        let mut child = Self { process, input, output: BufReader::new(output), next_id: 0 };
        child.request("initialize", &json!({ "processId": std::process::id(), "capabilities": {} }))?;
        child.notify("initialized", &json!({}))?;
        Ok(child)
    }

    /// `toolResult/compress`
    pub(in crate::cli) fn compress(&mut self, params: &Value) -> Result<Answer, Fault> {
        let mut result = self.request("toolResult/compress", params)?;
        let content = result["content"].as_str().unwrap_or_default().to_owned();
        let evidence = result["evidence"].take();
        let shown_by = evidence["omissions"].as_array().into_iter().flatten();
        let calls = shown_by.map(|omission| &omission["shownBy"]["toolCallId"]);
        let calls = calls.chain(std::iter::once(&evidence["duplicateOf"]));
        let refers_to = calls.filter_map(|call| call.as_str().map(str::to_owned)).collect();
        Ok(Answer { content, evidence, refers_to })
    }

    /// `messages/compress`
    pub(in crate::cli) fn messages(&mut self, params: &Value) -> Result<Value, Fault> {
        self.request("messages/compress", params)
    }

    /// `session/evicted`
    pub(in crate::cli) fn evicted(&mut self, session: &str, what: &Forgotten) -> Result<(), String> {
        let params = match what {
            Forgotten::All => json!({ "sessionId": session, "visible": [] }),
            Forgotten::Calls(ids) => json!({ "sessionId": session, "toolCallIds": ids }),
        };
        self.notify("session/evicted", &params)
    }

    /// `session/close`
    pub(in crate::cli) fn close(&mut self, session: &str) -> Result<(), String> {
        self.request("session/close", &json!({ "sessionId": session })).map(|_| ()).map_err(Into::into)
    }

    /// Shuts it down and waits for it.
    pub(in crate::cli) fn end(mut self) -> Result<(), String> {
        self.request("shutdown", &Value::Null)?;
        self.notify("exit", &Value::Null)?;
        let status = self.process.wait().map_err(|e| format!("child process: {e}"))?;
        if status.success() { Ok(()) } else { Err(format!("child process ended with {status}")) }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut message = self.receive()?;
            if message["id"] != json!(id) {
                continue;
            }
            if !message["error"].is_null() {
                let why = message["error"]["message"].as_str().unwrap_or_default();
                return Err(Fault::Refused(format!("{method}: {why}")));
            }
            return Ok(message["result"].take());
        }
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<(), String> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input
            .write_all(frame.as_bytes())
            .and_then(|()| self.input.flush())
            .map_err(|e| format!("writing to the child process: {e}"))
    }

    fn receive(&mut self) -> Result<Value, String> {
        let fault = |e: std::io::Error| format!("reading from the child process: {e}");
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(fault)? == 0 {
                return Err("the child process closed its output".to_owned());
            }
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length:") {
                length = value.trim().parse::<usize>().ok();
            }
        }
        let length = length.ok_or("the child process sent a frame without a length")?;
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).map_err(fault)?;
        serde_json::from_slice(&body).map_err(|e| format!("the child process did not send JSON: {e}"))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // After `end` both calls fail, which does not matter. On an early return the child must not keep running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
