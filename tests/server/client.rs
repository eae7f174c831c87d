//! A client that can also misbehave: raw bytes, late reading, no reading.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything here should take, also on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

/// One child and both its ends.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<JoinHandle<String>>,
    messages: Option<Receiver<String>>,
    lines: bool,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    /// A child that nobody reads from yet.
    pub fn unread(arguments: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("--serve").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let lines = arguments.contains(&"lines");
        Self { child, stdin, stdout, stderr: Some(stderr), messages: None, lines }
    }

    /// A child before `initialize`.
    pub fn raw(arguments: &[&str]) -> Self {
        let mut client = Self::unread(arguments);
        client.start_reading();
        client
    }

    /// A child after `initialize`.
    pub fn new(arguments: &[&str]) -> Self {
        let mut client = Self::raw(arguments);
        client.initialize();
        client
    }

    /// Starts to read replies.
    pub fn start_reading(&mut self) {
        let stdout = BufReader::new(self.stdout.take().unwrap());
        let (send, messages) = channel();
        let lines = self.lines;
        thread::spawn(move || read_messages(stdout, lines, |text| send.send(text).is_ok()));
        self.messages = Some(messages);
    }

    /// Closes our end of stdout.
    pub fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// Closes the child's stdin.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The write end, to use on another thread.
    pub fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().unwrap()
    }

    /// Process id of the child.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    /// Frames and writes a text, JSON or not.
    pub fn text(&mut self, text: impl AsRef<[u8]>) {
        let framed = if self.lines { [text.as_ref(), b"\n"].concat() } else { frame(text.as_ref()) };
        self.bytes(framed);
    }

    /// Sends a request; `id` is JSON.
    pub fn send(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.text(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.text(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// The next message, within `patience`.
    pub fn within(&mut self, patience: Duration) -> Option<String> {
        match self.messages.as_ref().unwrap().recv_timeout(patience) {
            Ok(text) => {
                oracle(&text);
                Some(text)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// The next message as text.
    pub fn next_text(&mut self) -> String {
        self.within(LONG).expect("a message")
    }

    /// The next message.
    pub fn next(&mut self) -> Value {
        serde_json::from_str(&self.next_text()).unwrap()
    }

    /// The next message, which must be an error with this code for this id.
    pub fn next_error(&mut self, id: impl Into<Value>, code: i64) -> Value {
        let message = self.next();
        assert_eq!((&message["id"], &message["error"]["code"]), (&id.into(), &json!(code)), "{message}");
        assert!(message["error"]["data"]["kind"].is_string(), "{message}");
        message["error"].clone()
    }

    /// Sends a request and takes its result, which must be the next message.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.send("call", method, params);
        let mut message = self.next();
        assert_eq!(message["id"], "call", "{message}");
        assert!(message.get("result").is_some(), "{message}");
        message["result"].take()
    }

    /// Checks that the child still works and sent no other message.
    pub fn still_works(&mut self) {
        assert_eq!(self.call("test/echo", json!({"x": 1})), json!({"x": 1}));
    }

    /// The shortest handshake.
    pub fn initialize(&mut self) -> Value {
        self.call("initialize", json!({}))
    }

    /// The exit code, within `patience`.
    pub fn code_within(&mut self, patience: Duration) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < patience {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }

    /// The exit code.
    pub fn code(&mut self) -> i32 {
        self.code_within(LONG).expect("an end")
    }

    /// All that the child wrote to stderr; call it after the end.
    pub fn stderr(&mut self) -> String {
        self.stderr.take().unwrap().join().unwrap()
    }

    /// Most memory that the child ever held, in KiB.
    #[cfg(target_os = "linux")]
    pub fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

/// One message in LSP framing.
pub fn frame(text: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", text.len()).as_bytes(), text].concat()
}

fn read_messages(mut stdout: impl BufRead, lines: bool, mut seen: impl FnMut(String) -> bool) {
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let text = if lines {
            line.trim_end_matches('\n').to_owned()
        } else {
            let length = line.strip_prefix("Content-Length: ").expect("only frames on stdout");
            let mut body = vec![0; length.trim_end().parse().unwrap()];
            line.clear();
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line, "\r\n");
            if stdout.read_exact(&mut body).is_err() {
                return;
            }
            String::from_utf8(body).unwrap()
        };
        if !seen(text) {
            return;
        }
    }
}

/// Lets another implementation parse our messages. Its ids are strings, natural numbers and null.
fn oracle(text: &str) {
    let mut message: Value = serde_json::from_str(text).unwrap();
    if message["id"].is_number() && !message["id"].is_u64() {
        message["id"] = json!(0);
        let _: jsonrpc_core::Output = serde_json::from_value(message).unwrap();
    } else if text.len() < 1 << 20 {
        let output: jsonrpc_core::Output = serde_json::from_str(text).unwrap();
        assert_eq!(output.version(), Some(jsonrpc_core::Version::V2));
    }
}
