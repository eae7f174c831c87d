//! `tersed gateway` as a child process, between a client and a server that plays the API of a model.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::state;

/// Longer than anything here should take, also on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A message of HTTP.
#[derive(Debug, Clone)]
struct Message {
    /// Its first line.
    first: String,
    /// By name in lower case.
    headers: HashMap<String, String>,
    body: Vec<u8>,
}

impl Message {
    fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// Reads the head of a message.
fn head(from: &mut impl BufRead) -> Option<Message> {
    let mut lines = from.lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let first = lines.next()?;
    let header = |line: String| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    Some(Message { first, headers: lines.map(header).collect(), body: Vec::new() })
}

/// The next chunk of a chunked body; empty at its end.
fn piece(from: &mut impl BufRead) -> Vec<u8> {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let mut out = vec![0; usize::from_str_radix(line.trim(), 16).unwrap()];
    from.read_exact(&mut out).unwrap();
    from.read_line(&mut line).unwrap();
    out
}

/// Reads a whole message.
fn message(from: &mut impl BufRead) -> Option<Message> {
    let mut message = head(from)?;
    if message.header("transfer-encoding") == Some("chunked") {
        while let piece @ [_, ..] = &*piece(from) {
            message.body.extend_from_slice(piece);
        }
    } else {
        let length = message.header("content-length").map_or(0, |length| length.parse().unwrap());
        message.body = vec![0; length];
        from.read_exact(&mut message.body).unwrap();
    }
    Some(message)
}

/// A server that plays the API of a model: it keeps the requests, and answers by the path.
struct Upstream {
    port: u16,
    asked: Receiver<Message>,
    /// Each word lets a stream continue.
    go_on: Sender<()>,
}

impl Upstream {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let ((send, asked), (go_on, next)) = (channel(), channel());
        let next = Arc::new(Mutex::new(next));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (send, next) = (send.clone(), Arc::clone(&next));
                thread::spawn(move || {
                    let mut from = BufReader::new(stream.try_clone().unwrap());
                    while let Some(asked) = message(&mut from) {
                        let path = asked.first.split(' ').nth(1).unwrap().to_owned();
                        send.send(asked).ok();
                        if !answer(&stream, &mut from, &path, &next) {
                            break;
                        }
                    }
                });
            }
        });
        Self { port, asked, go_on }
    }

    fn next(&self) -> Message {
        self.asked.recv_timeout(LONG).unwrap()
    }
}

/// Answers one request; whether the connection stays open for more.
fn answer(mut to: &TcpStream, from: &mut impl Read, path: &str, next: &Mutex<Receiver<()>>) -> bool {
    if path.starts_with("/v1/overloaded") {
        to.write_all(b"HTTP/1.1 529 Busy Now\r\nRetry-After: 7\r\nX-Own: a\r\nX-Own: b\r\nContent-Length: 10\r\n\r\n{ \"e\" :1}\n").unwrap();
    } else if path.starts_with("/v1/socket") {
        to.write_all(
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello",
        )
        .unwrap();
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes).unwrap();
        to.write_all(&bytes.map(|byte| byte.to_ascii_uppercase())).unwrap();
        return false;
    } else if path.contains("stream") {
        to.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
        )
        .unwrap();
        for piece in ["data: one\n\n", "data: two\n\n"] {
            write!(to, "{:x}\r\n{piece}\r\n", piece.len()).unwrap();
            if next.lock().unwrap().recv_timeout(LONG).is_err() {
                return false;
            }
        }
        to.write_all(b"0\r\n\r\n").unwrap();
    } else {
        to.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{\"ok\" : true}").unwrap();
    }
    true
}

/// The gateway.
struct Gateway {
    child: Child,
    port: u16,
}

fn tersed(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    let path = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", path.display());
    command.arg("gateway").args(arguments).env_clear().env("PATH", path);
    command.env("HOME", state()).env("XDG_STATE_HOME", state()).current_dir(state());
    command
}

impl Gateway {
    fn start(arguments: &[&str]) -> Self {
        Self::of(tersed(arguments))
    }

    fn to(upstream: &Upstream) -> Self {
        Self::start(&["--upstream", &format!("http://127.0.0.1:{}", upstream.port)])
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("http://127.0.0.1:").unwrap().parse().unwrap();
        Self { child, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    /// Sends the head of a request, with its own `Host`, and a body.
    fn send(&self, first: &str, headers: &[&str], body: &[u8]) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        write!(
            stream,
            "{first} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{headers}Content-Length: {length}\r\n\r\n",
            self.port
        )
        .unwrap();
        stream.write_all(body).unwrap();
        BufReader::new(stream)
    }

    fn ask(&self, first: &str, headers: &[&str], body: &[u8]) -> Message {
        message(&mut self.send(first, headers, body)).unwrap()
    }

    /// Ends it with the signal of a terminal; returns its last output.
    fn end(mut self) -> String {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success(), "{said}");
        said
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A run of tests that passes.
fn log(part: usize) -> String {
    let cases: String = (0..80).map(|n| format!("test part{part}::case_{n} ... ok\n")).collect();
    let total =
        "test result: ok. 80 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
    format!("running 80 tests\n{cases}\n{total}\n")
}

/// Whether a text is the compressed form of [`log`].
fn is_short(text: &str) -> bool {
    text.contains("running 80 tests") && text.contains("test result: ok. 80 passed") && text.len() < 400
}

/// A conversation of the Anthropic API with `turns` turns, without the closing brackets.
fn conversation(words: &str, turns: usize) -> String {
    let mut out = format!("{{\"model\" : \"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{words}\"}}");
    for n in 0..turns {
        let call = json!({ "type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": { "command": "cargo test" } });
        let thought = r#"{"type":"thinking","thinking":"hm \u00e9","signature":"c2ln"}"#;
        let result = json!({ "type": "tool_result", "tool_use_id": format!("t{n}"), "content": log(n) });
        out += &format!(
            ", {{\"role\":\"assistant\",\"content\":[{thought},{call}]}},{{\"role\":\"user\",\"content\":[{result}]}}"
        );
    }
    out
}

#[test]
fn results_of_each_api_shrink_and_all_else_stays() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let arguments = json!({ "command": "cargo test" });
    let bodies = [
        ("/v1/messages?beta=true", conversation("go", 1) + "]}", "/messages/2/content/0/content"),
        ("/v1/messages/count_tokens", conversation("go", 1) + "]}", "/messages/2/content/0/content"),
        (
            "/v1/chat/completions",
            json!({ "messages": [
                { "role": "user", "content": "go" },
                { "role": "assistant", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "bash", "arguments": arguments.to_string() } }] },
                { "role": "tool", "tool_call_id": "a", "content": log(0) },
            ] })
            .to_string(),
            "/messages/2/content",
        ),
        (
            "/v1/responses",
            json!({ "input": [
                { "role": "user", "content": "go" },
                { "type": "function_call", "call_id": "a", "name": "bash", "arguments": arguments.to_string() },
                { "type": "function_call_output", "call_id": "a", "output": log(0) },
            ] })
            .to_string(),
            "/input/2/output",
        ),
        (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            json!({ "contents": [
                { "role": "user", "parts": [{ "text": "go" }] },
                { "role": "model", "parts": [{ "functionCall": { "name": "shell", "args": arguments } }] },
                { "role": "user", "parts": [{ "functionResponse": { "name": "shell", "response": { "output": log(0) } } }] },
            ] })
            .to_string(),
            "/contents/2/parts/0/functionResponse/response/output",
        ),
    ];
    for (path, body, place) in bodies {
        for _ in 0..2 {
            upstream.go_on.send(()).unwrap();
        }
        let answer =
            gateway.ask(&format!("POST {path}"), &["Content-Type: application/json"], body.as_bytes());
        assert_eq!(answer.first, "HTTP/1.1 200 OK", "{path}");
        let asked = upstream.next();
        assert_eq!(asked.first, format!("POST {path} HTTP/1.1"));
        let new: Value = serde_json::from_slice(&asked.body).unwrap();
        let text = new.pointer(place).unwrap().as_str().unwrap();
        assert!(is_short(text), "{path}: {text}");
        // Byte for byte, with the text put back.
        let back = asked.text().replace(&json!(text).to_string(), &json!(log(0)).to_string());
        assert_eq!(back, body, "{path}");
    }
    assert!(gateway.end().contains("tersed gateway: 5 requests; tool results "));
}

#[test]
fn what_was_sent_stays_the_same_over_turns_and_restarts() {
    let upstream = Upstream::start();
    let first = Gateway::to(&upstream);
    let send = |gateway: &Gateway, words: &str, turns: usize| {
        gateway.ask("POST /v1/messages", &[], (conversation(words, turns) + "]}").as_bytes());
        upstream.next().text()
    };
    let mut before = String::new();
    for turns in 0..4 {
        let now = send(&first, "go", turns);
        assert!(now.starts_with(before.trim_end_matches("]}")), "turn {turns}");
        // Another conversation, a shorter body of the same one, and another process change nothing.
        assert_ne!(send(&first, "look", turns), now);
        send(&first, "go", turns.saturating_sub(1));
        assert_eq!(send(&first, "go", turns), now);
        assert_eq!(send(&Gateway::to(&upstream), "go", turns), now);
        before = now;
    }
    assert!(before.len() < conversation("go", 3).len() / 2);
}

/// A conversation in which many results are read and never named again.
fn reading(turns: usize) -> String {
    let mut out = r#"{"messages":[{"role":"user","content":"Look around."}"#.to_owned();
    for n in 0..turns {
        let text: String = (0..400)
            .map(|line| format!("entry_{n}_{line} = {} # of part {n}\n", line * 7919 % 1000))
            .collect();
        let call = json!({ "type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": { "command": format!("print-part {n}") } });
        let result = json!({ "type": "tool_result", "tool_use_id": format!("t{n}"), "content": text });
        out +=
            &format!(r#",{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{result}]}}"#);
    }
    out + "]}"
}

#[test]
fn results_that_are_not_needed_any_more_leave_where_that_is_asked() {
    let upstream = Upstream::start();
    let to = format!("http://127.0.0.1:{}", upstream.port);
    // With the limit of a full context, so that removable results are large.
    let limit = r#"{"headTailBytes":12288}"#;
    let start = |reclaim: &str| Gateway::start(&["--upstream", &to, "--reclaim", reclaim, "--policy", limit]);
    let (all, none) = (start("auto"), start("off"));
    let sent = |gateway: &Gateway, turns: usize| {
        gateway.ask("POST /v1/messages", &[], reading(turns).as_bytes());
        upstream.next().text()
    };
    let (mut last, mut rewrites) = (String::new(), 0);
    for turns in 1..=45 {
        let now = sent(&all, turns);
        rewrites += usize::from(!now.starts_with(last.trim_end_matches("]}")));
        last = now;
    }
    assert!(
        last.contains("lines of print-part 0, not cited in ") && last.contains("tersed artifacts show "),
        "{}",
        last.len()
    );
    assert!((1..=6).contains(&rewrites), "{rewrites}");
    let whole = sent(&none, 45);
    assert!(
        last.contains("entry_44_0 ") && last.len() * 3 < whole.len() * 2,
        "{} of {}",
        last.len(),
        whole.len()
    );
    // Another process sends the same bytes.
    assert_eq!(sent(&start("auto"), 45), last);
    assert_eq!(sent(&all, 45), last);
}

#[test]
fn headers_pass_but_those_of_the_connection() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let headers = [
        "Authorization: Bearer abc",
        "anthropic-beta: one,two",
        "X-Stainless-Lang: js",
        "Accept-Encoding: gzip, br",
        "Connection: keep-alive, X-Mine",
        "X-Mine: 1",
    ];
    gateway.ask("POST /v1/messages", &headers, b"{ \"messages\" : [] }\n");
    let asked = upstream.next();
    assert_eq!(asked.text(), "{ \"messages\" : [] }\n");
    for (name, value) in [
        ("authorization", Some("Bearer abc")),
        ("anthropic-beta", Some("one,two")),
        ("x-stainless-lang", Some("js")),
        ("accept-encoding", Some("gzip, br")),
        ("x-mine", None),
        ("user-agent", None),
        ("host", Some(&*format!("127.0.0.1:{}", upstream.port))),
    ] {
        assert_eq!(asked.header(name), value, "{name}");
    }
    gateway.ask("GET /v1/models?limit=2", &["x-api-key: k"], b"");
    let asked = upstream.next();
    assert_eq!((&*asked.first, asked.header("x-api-key")), ("GET /v1/models?limit=2 HTTP/1.1", Some("k")));
    gateway.ask("POST /v1/files", &[], &[0, 159, 146, 150]);
    assert_eq!(upstream.next().body, [0, 159, 146, 150]);
}

#[test]
fn pieces_of_a_stream_pass_as_they_come() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let mut from = gateway.send("POST /v1/chat/completions?stream", &[], b"{}");
    assert_eq!(head(&mut from).unwrap().header("content-type"), Some("text/event-stream"));
    // The second piece is not sent before the first was read.
    assert_eq!(piece(&mut from), b"data: one\n\n");
    upstream.go_on.send(()).unwrap();
    assert_eq!(piece(&mut from), b"data: two\n\n");
    upstream.go_on.send(()).unwrap();
    assert_eq!(piece(&mut from), b"");
}

#[test]
fn errors_pass_and_a_place_that_is_down_is_named() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let answer = gateway.ask("POST /v1/overloaded", &[], b"{}");
    assert!(answer.first.starts_with("HTTP/1.1 529"), "{}", answer.first);
    assert_eq!((answer.header("retry-after"), &*answer.text()), (Some("7"), "{ \"e\" :1}\n"));
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gateway = Gateway::start(&["--upstream", &format!("gemini=http://127.0.0.1:{free}")]);
    let answer = gateway.ask("POST /v1beta/models/m:generateContent?key=AIzaSecret", &[], b"{}");
    assert!(answer.first.starts_with("HTTP/1.1 502"), "{}", answer.first);
    let said = answer.text();
    assert!(said.contains(&format!("http://127.0.0.1:{free} could not be reached")), "{said}");
    assert!(!said.contains("AIzaSecret"), "{said}");
}

#[test]
fn a_place_on_this_machine_is_asked_without_a_proxy() {
    let upstream = Upstream::start();
    let mut command = tersed(&["--upstream", &format!("http://localhost:{}", upstream.port)]);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    let answer = Gateway::of(command).ask("GET /v1/models", &[], b"");
    assert_eq!((&*answer.first, &*answer.text()), ("HTTP/1.1 200 OK", "{\"ok\" : true}"));
}

#[test]
fn coded_bodies_are_read() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let body = conversation("go", 1) + "]}";
    let plain = {
        gateway.ask("POST /v1/messages", &[], body.as_bytes());
        upstream.next().text()
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(body.as_bytes()).unwrap();
    let coded =
        [("gzip", gzip.finish().unwrap()), ("zstd", zstd::stream::encode_all(body.as_bytes(), 1).unwrap())];
    for (name, bytes) in coded {
        let header = format!("Content-Encoding: {name}");
        gateway.ask("POST /v1/messages", &[&header], &bytes);
        let asked = upstream.next();
        assert_eq!((asked.header("content-encoding"), asked.text()), (None, plain.clone()), "{name}");
        // A damaged body, or one without changes, is passed on unchanged.
        gateway.ask("POST /v1/messages", &[&header], &bytes[..bytes.len() / 2]);
        let asked = upstream.next();
        assert_eq!((asked.header("content-encoding"), &*asked.body), (Some(name), &bytes[..bytes.len() / 2]));
    }
    let empty = zstd::stream::encode_all(&b"{\"messages\":[]}"[..], 1).unwrap();
    gateway.ask("POST /v1/messages", &["Content-Encoding: zstd"], &empty);
    let asked = upstream.next();
    assert_eq!((asked.header("content-encoding"), &asked.body), (Some("zstd"), &empty));
}

#[test]
fn what_cannot_be_read_passes() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    for body in [&b"{\"messages\":[}"[..], b"\xff\xfe", b"[1, 2]", b"{\"messages\":7}", b""] {
        gateway.ask("POST /v1/messages", &[], body);
        assert_eq!(upstream.next().body, body);
    }
    gateway.ask("POST /v1/messages/batches/?key=secret", &[], b"{\"requests\":[]}");
    assert_eq!(upstream.next().text(), "{\"requests\":[]}");
    let end = gateway.end();
    assert!(end.contains("4 requests passed unread, also to /v1/messages/batches\n"), "{end}");
}

#[test]
fn an_empty_body_keeps_its_length() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    for path in ["/v1/messages", "/v1/responses/resp_1/cancel"] {
        gateway.ask(&format!("POST {path}"), &[], b"");
        assert_eq!(upstream.next().header("content-length"), Some("0"), "{path}");
    }
    gateway.end();
}

#[test]
fn a_body_that_is_too_long_is_refused_unread() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let mut stream = gateway.connect();
    let (port, length) = (gateway.port, (64 << 20) + 1);
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n{{"
    )
    .unwrap();
    let answer = message(&mut BufReader::new(stream)).unwrap();
    assert!(answer.first.starts_with("HTTP/1.1 413"), "{}", answer.first);
    assert!(upstream.asked.try_recv().is_err());
}

#[test]
fn only_programs_of_this_machine_are_answered() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let port = gateway.port;
    for headers in [
        format!("Host: evil.example:{port}"),
        "Host: 127.0.0.1".to_owned(),
        format!("X: 1\r\nHost: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}"),
        format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site"),
    ] {
        let mut stream = gateway.connect();
        write!(stream, "GET /v1/models HTTP/1.1\r\n{headers}\r\n\r\n").unwrap();
        let answer = message(&mut BufReader::new(stream)).unwrap();
        assert!(answer.first.starts_with("HTTP/1.1 403"), "{headers}: {}", answer.first);
    }
    let mut stream = gateway.connect();
    write!(stream, "GET http://example.com/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
    assert!(message(&mut BufReader::new(stream)).unwrap().first.starts_with("HTTP/1.1 400"));
    assert!(upstream.asked.try_recv().is_err());
}

/// Another user's program. Only root may start one.
#[cfg(target_os = "linux")]
#[test]
fn programs_of_other_users_are_refused() {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let port = gateway.port;
    let ask = |user: u32| {
        let line = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET /v1/models HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n\\r\\n' >&3; head -1 <&3"
        );
        let mut command = Command::new("bash");
        let out = command.args(["-c", &line]).current_dir("/").uid(user).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    assert_eq!(ask(0).trim_end(), "HTTP/1.1 200 OK");
    upstream.next();
    assert_eq!(ask(65_534).trim_end(), "HTTP/1.1 403 Forbidden");
    assert!(upstream.asked.try_recv().is_err());
}

#[test]
fn other_protocols_pass_as_bytes() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let mut stream = gateway.connect();
    let port = gateway.port;
    write!(stream, "GET /v1/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n").unwrap();
    let mut from = BufReader::new(stream.try_clone().unwrap());
    let answer = head(&mut from).unwrap();
    assert!(answer.first.starts_with("HTTP/1.1 101"), "{}", answer.first);
    assert_eq!(answer.header("upgrade"), Some("websocket"));
    let mut bytes = [0; 5];
    from.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes, b"hello");
    stream.write_all(b"ping").unwrap();
    from.read_exact(&mut bytes[..4]).unwrap();
    assert_eq!(&bytes[..4], b"PING");
    let asked = upstream.next();
    assert_eq!((asked.header("upgrade"), asked.header("sec-websocket-key")), (Some("websocket"), Some("k")));
}

#[test]
fn originals_are_read_back_by_the_command_that_is_named() {
    let upstream = Upstream::start();
    let gateway = Gateway::to(&upstream);
    let turn = |n: usize, command: &str, result: &str| {
        let call = json!({ "type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": { "command": command } });
        json!([{ "role": "assistant", "content": [call] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{n}"), "content": result }] }])
    };
    let send = |turns: &[Value]| {
        let mut messages = vec![json!({ "role": "user", "content": "read" })];
        turns.iter().for_each(|turn| messages.extend(turn.as_array().unwrap().clone()));
        gateway.ask("POST /v1/messages", &[], json!({ "messages": messages }).to_string().as_bytes());
        let asked: Value = serde_json::from_slice(&upstream.next().body).unwrap();
        asked["messages"].as_array().unwrap().last().unwrap()["content"][0]["content"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = turn(0, "cargo test", &log(0));
    let text = send(std::slice::from_ref(&first));
    let command = &text[text.find("tersed artifacts show").unwrap()..];
    let command = command.split(']').next().unwrap();
    let mut shell = Command::new("sh");
    let path = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap();
    shell.args(["-c", command]).env_clear().env("PATH", format!("{}:/bin", path.display()));
    shell.env("HOME", state()).env("XDG_STATE_HOME", state()).current_dir(state());
    let shown = String::from_utf8(shell.output().unwrap().stdout).unwrap();
    assert_eq!(shown, log(0));
    assert_eq!(send(&[first, turn(1, command, &shown)]), shown);
}

#[test]
fn secrets_of_results_go_and_credentials_are_written_nowhere() {
    let home = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    let mut command = tersed(&["--upstream", &format!("http://127.0.0.1:{}", upstream.port)]);
    command.env("HOME", home.path()).env("XDG_STATE_HOME", home.path());
    let gateway = Gateway::of(command);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let body = conversation("go", 1).replace("running 80 tests", &format!("token {secret}")) + "]}";
    gateway.ask("POST /v1/messages", &["x-api-key: sk-own-key-of-the-user"], body.as_bytes());
    let asked = upstream.next();
    assert_eq!(asked.header("x-api-key"), Some("sk-own-key-of-the-user"));
    assert!(!asked.text().contains(&secret));
    gateway.end();
    let mut open = vec![home.path().to_owned()];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            files += 1;
            let bytes = fs::read(&path).unwrap();
            let holds = |text: &str| memchr::memmem::find(&bytes, text.as_bytes()).is_some();
            assert!(!holds("sk-own-key") && !holds(&secret), "{}", path.display());
        }
    }
    assert!(files > 0);
}

fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    tersed(arguments).envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn a_command_is_started_with_the_address_and_its_exit_status_is_given() {
    let show = "echo $ANTHROPIC_BASE_URL $OPENAI_BASE_URL $ENABLE_TOOL_SEARCH; exit 7";
    let output = run(&["--", "sh", "-c", show], &[]);
    let shown = String::from_utf8(output.stdout).unwrap();
    let (anthropic, rest) = shown.split_once(' ').unwrap();
    assert!(anthropic.starts_with("http://127.0.0.1:"), "{shown}");
    assert_eq!(rest, format!("{anthropic}/v1 true\n"));
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(7), String::new()));
    assert_eq!(run(&["--", "sh", "-c", "kill -TERM $$"], &[]).status.code(), Some(143));
    let missing = run(&["--", "no-such-host"], &[]);
    assert_eq!(missing.status.code(), Some(127));
    assert!(String::from_utf8(missing.stderr).unwrap().starts_with("tersed: no-such-host: "));
}

#[test]
fn a_place_that_the_environment_names_is_kept() {
    let upstream = Upstream::start();
    let place = format!("http://127.0.0.1:{}/base", upstream.port);
    let ask = "exec 3<>/dev/tcp/127.0.0.1/${ANTHROPIC_BASE_URL##*:}; \
        printf 'GET /v1/models HTTP/1.1\\r\\nHost: %s\\r\\nanthropic-version: 1\\r\\nConnection: close\\r\\n\\r\\n' ${ANTHROPIC_BASE_URL#http://} >&3; cat <&3 >/dev/null";
    let output = run(&["--", "bash", "-c", ask], &[("ANTHROPIC_BASE_URL", &place)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(upstream.next().first, "GET /base/v1/models HTTP/1.1");
}

#[test]
fn what_is_not_allowed_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let own = format!("127.0.0.1:{port}");
    for (arguments, code, said) in [
        (&["--listen", "0.0.0.0:0"][..], 2, "--listen 0.0.0.0:0: the gateway listens on this machine alone"),
        (&["--upstream", "mistral=https://a.example"], 2, "`mistral` is not an API; allowed are anthropic"),
        (&["--upstream", "ftp://a.example"], 2, "allowed are URLs of http and https"),
        (
            &["--listen", &own, "--upstream", &format!("anthropic=http://localhost:{port}/x")],
            1,
            "is the address of the gateway itself",
        ),
    ] {
        let output = run(arguments, &[]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
