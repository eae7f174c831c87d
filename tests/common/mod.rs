//! Helpers for the tests of the published protocol: the real binary as a child process, the method table without a
//! process, and the published schema.

#![allow(dead_code, reason = "every test target uses another part of it")]

pub mod fixture;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tersed::config::Policy;
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine, Settings};
use tersed::protocol::RpcError;
use tersed::text::marker::SealKey;

/// Longer than anything here should take, also on a busy machine.
const LONG: Duration = Duration::from_secs(120);

/// A folder or file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Whether expected files are to be written again.
pub fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Whether a program that a test needs may be used. It must exist, unless `TESTS_WITHOUT` names it: `tests/all.sh`
/// sets that to the missing programs, and lists the files of the skipped tests at its end.
pub fn has(program: &str) -> bool {
    let without = std::env::var("TESTS_WITHOUT").unwrap_or_default();
    !without.split_whitespace().any(|name| name == program)
}

/// A state folder for child processes with a published key for seals, so that their outputs can be recorded.
pub fn state() -> PathBuf {
    static STATE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state");
        let own = folder.join("tersed");
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&own).unwrap();
        let mut file = tempfile::NamedTempFile::new_in(&own).unwrap();
        let hex: String = KEY.iter().map(|byte| format!("{byte:02x}")).collect();
        file.write_all(hex.as_bytes()).unwrap();
        file.persist(own.join("seal.key")).unwrap();
        folder
    };
    STATE.get_or_init(make).clone()
}

/// The key in `state`.
const KEY: [u8; SealKey::BYTES] = [7; SealKey::BYTES];

/// An engine with that key.
pub fn engine() -> Engine {
    let policy = Policy { seal_key: SealKey::new(KEY), ..Policy::default() };
    Engine::new(Settings { policy, ..Settings::default() })
}

/// Calls a method of an engine as the wire does; gives the JSON text of the result.
pub fn call_text(engine: &Engine, method: &str, params: &str) -> Result<String, RpcError> {
    let row = METHODS.iter().find(|m| m.name == method).expect("a method");
    (row.handle)(engine, params, &Cancel::default())
}

/// As `call_text`, with values.
pub fn try_call(engine: &Engine, method: &str, params: &Value) -> Result<Value, RpcError> {
    call_text(engine, method, &params.to_string()).map(|text| serde_json::from_str(&text).unwrap())
}

/// A call that must succeed.
pub fn call(engine: &Engine, method: &str, params: &Value) -> Value {
    try_call(engine, method, params).unwrap_or_else(|e| panic!("{method}: {e}"))
}

/// The real binary, serving.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<String>,
    lines: bool,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// A child before `initialize`; one message a line when `lines`.
    pub fn start(lines: bool) -> Self {
        Self::start_with(lines, &[])
    }

    /// The same with more arguments.
    pub fn start_with(lines: bool, arguments: &[&std::ffi::OsStr]) -> Self {
        Self::start_in(lines, arguments, &[])
    }

    /// A child with these arguments, and these variables in addition to those of its parent.
    pub fn start_in(lines: bool, arguments: &[&std::ffi::OsStr], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        command.args(["serve", "--framing", if lines { "lines" } else { "lsp" }]).args(arguments);
        command.env("TERSED_NO_CONFIG", "1").env("XDG_STATE_HOME", state()).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        thread::spawn(move || read_messages(stdout, lines, |text| send.send(text).is_ok()));
        let stdin = child.stdin.take();
        Self { child, stdin, messages, lines }
    }

    /// A child after `initialize`.
    pub fn ready(lines: bool) -> Self {
        let mut server = Self::start(lines);
        server.initialize();
        server
    }

    /// The shortest handshake.
    pub fn initialize(&mut self) {
        assert!(self.call("initialize", &json!({})).get("result").is_some());
        self.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}).to_string());
    }

    /// Frames and sends a text, JSON or not.
    pub fn send(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        let framed = match self.lines {
            true => format!("{text}\n"),
            false => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
        };
        stdin.write_all(framed.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// The next message.
    pub fn next(&mut self) -> String {
        self.messages.recv_timeout(LONG).expect("a message")
    }

    /// Sends a request and gives the reply, which must be the next message.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": "call", "method": method, "params": params}).to_string());
        let reply: Value = serde_json::from_str(&self.next()).unwrap();
        assert_eq!(reply["id"], "call", "{reply}");
        reply
    }

    /// Memory that the child holds, in KiB.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Shuts the server down and lets it exit. It must have sent nothing else.
    pub fn finish(mut self) {
        assert_eq!(self.call("shutdown", &Value::Null)["result"], Value::Null);
        self.send(r#"{"jsonrpc":"2.0","method":"exit"}"#);
        assert_eq!(self.exit(), 0);
    }

    /// Waits for the end; gives the exit code. The server must have sent nothing else.
    pub fn exit(&mut self) -> i32 {
        let rest = self.messages.recv_timeout(LONG);
        assert!(rest.is_err(), "another message: {rest:?}");
        self.child.wait().unwrap().code().expect("an exit code")
    }
}

fn read_messages(mut stdout: impl BufRead, lines: bool, mut seen: impl FnMut(String) -> bool) {
    let mut line = String::new();
    loop {
        line.clear();
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

/// The published schema.
pub struct Schema(Value);

impl Schema {
    /// As the binary prints it.
    pub fn new() -> Self {
        Self(serde_json::from_str(&tersed::engine::protocol_schema::schema_json()).unwrap())
    }

    /// The whole document.
    pub fn document(&self) -> &Value {
        &self.0
    }

    /// The errors of a value by the schema at that JSON pointer.
    pub fn errors(&self, pointer: &str, value: &Value) -> Vec<String> {
        let part = self.0.pointer(pointer).unwrap_or_else(|| panic!("no schema at {pointer}"));
        let mut schema = part.clone();
        schema["$schema"] = self.0["$schema"].clone();
        schema["$defs"] = self.0["$defs"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
    }

    /// The pointer to the `params` or the `result` of a method.
    pub fn place(method: &str, what: &str) -> String {
        format!("/methods/{}/{what}", method.replace('/', "~1"))
    }
}
