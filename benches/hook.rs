//! The cost of the interfaces to hosts: an event of a hook from the start of its process to its end, a command in
//! `tersed run`, and a call through `tersed mcp-proxy`, each compared with the same without tersed. It prints a table
//! and asserts nothing.
//!
//! The server that the proxy wraps is this program, started with `--server`.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

const EVENTS: usize = 200;
const CALLS: usize = 1_000;
const TERSED: &str = env!("CARGO_BIN_EXE_tersed");

fn main() {
    if std::env::args().any(|argument| argument == "--server") {
        return serve();
    }
    let place = tempfile::tempdir().unwrap();
    println!("{:<58}{:>11}{:>11}", "", "p50", "p95");
    hook(place.path());
    run(place.path());
    for (name, bytes) in [("100 bytes", 100), ("4 KB", 4 << 10), ("30 KB", 30 << 10)] {
        proxy(name, bytes);
    }
}

fn row(name: &str, mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let shown = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    println!("{name:<58}{:>11}{:>11}", shown(at(50)), shown(at(95)));
    at(50)
}

/// Lines of a log, none of which is the same in another call.
fn log(bytes: usize, call: usize) -> String {
    let mut text = String::new();
    let mut n = 0;
    while text.len() < bytes {
        n += 1;
        text += &format!(
            "2025-06-01T12:{:02}:{:02}Z INFO  worker-{} took job {call}-{n} from the queue\n",
            n / 60 % 60,
            n % 60,
            n % 7
        );
    }
    text.truncate(bytes);
    text
}

fn tersed(place: &std::path::Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(place).env("XDG_RUNTIME_DIR", place).env("TERSED_NO_CONFIG", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn timed(mut command: Command, input: &[u8]) -> (Duration, Vec<u8>) {
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    // A program need not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let took = start.elapsed();
    assert!(output.status.success());
    (took, output.stdout)
}

fn hook(place: &std::path::Path) {
    let event = |call: usize| {
        json!({
            "hook_event_name": "PostToolUse", "session_id": "bench", "tool_name": "Bash",
            "tool_input": { "command": "kubectl logs app-0" }, "tool_use_id": format!("call_{call}"),
            "tool_response": { "stdout": log(30 << 10, call), "stderr": "", "interrupted": false, "isImage": false },
        })
        .to_string()
    };
    let owner = std::process::id().to_string();
    let hook = || tersed(place, TERSED, &["hook", "claude-code", "--owner", &owner]);
    let (start, _) = timed(hook(), event(9_999_999).as_bytes());
    row("hook, 30 KB, the first event: starts the process", vec![start]);
    let nothing = (0..EVENTS).map(|n| timed(tersed(place, "/bin/cat", &[]), event(n).as_bytes()).0).collect();
    row("the same through `cat`", nothing);
    let times = (0..EVENTS).map(|n| timed(hook(), event(n).as_bytes()).0).collect();
    row("hook, 30 KB", times);
    let again = (0..EVENTS).map(|_| timed(hook(), event(1).as_bytes()).0).collect();
    row("hook, 30 KB, one that was answered before", again);
    let small = json!({ "session_id": "bench", "tool_name": "Read", "tool_use_id": "x" }).to_string();
    let times = (0..EVENTS).map(|_| timed(hook(), small.as_bytes()).0).collect();
    row("hook, an event that is left alone", times);
}

fn run(place: &std::path::Path) {
    std::fs::write(place.join("log"), log(30 << 10, 7)).unwrap();
    let plain = (0..EVENTS).map(|_| timed(tersed(place, "/bin/cat", &["log"]), b"").0).collect();
    let plain = row("a command that writes 30 KB", plain);
    let times =
        (0..EVENTS).map(|_| timed(tersed(place, TERSED, &["run", "--", "/bin/cat", "log"]), b"").0).collect();
    let wrapped = row("the same in `tersed run`", times);
    difference(wrapped, plain);
}

fn difference(with: Duration, without: Duration) {
    println!(
        "{:<58}{:>8.2} ms",
        "  difference of the medians",
        (with.as_secs_f64() - without.as_secs_f64()) * 1e3
    );
}

fn proxy(name: &str, bytes: usize) {
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap();
    let size = bytes.to_string();
    let mut direct = Server::start(&[own, "--server"]);
    let mut proxied = Server::start(&[TERSED, "mcp-proxy", "--", own, "--server"]);
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for n in 0..CALLS + 50 {
        // Alternating, so that other work on this machine affects both.
        let times = [direct.call(n, &size), proxied.call(n, &size)];
        if n >= 50 {
            without.push(times[0]);
            with.push(times[1]);
        }
    }
    let without = row(&format!("MCP call, {name}"), without);
    let with = row(&format!("MCP call, {name}, through the proxy"), with);
    difference(with, without);
}

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(argv: &[&str]) -> Self {
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]).env("TERSED_NO_CONFIG", "1");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    fn call(&mut self, number: usize, bytes: &str) -> Duration {
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"tools/call\",\"params\":{{\"name\":\"logs\",\"arguments\":{{\"bytes\":{bytes}}}}}}}\n"
        );
        let start = Instant::now();
        self.stdin.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let took = start.elapsed();
        assert!(line.contains("\"content\""), "{line}");
        took
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that answers every call with a log of the size that it is asked for.
fn serve() {
    for line in std::io::stdin().lock().lines() {
        let request: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let call = request["id"].as_u64().unwrap() as usize;
        let bytes = request["params"]["arguments"]["bytes"].as_u64().unwrap() as usize;
        let text = log(bytes, call);
        let answer = json!({ "jsonrpc": "2.0", "id": call, "result": { "content": [{ "type": "text", "text": text }] } });
        let mut out = std::io::stdout().lock();
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
}
