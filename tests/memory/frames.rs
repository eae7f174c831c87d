//! One large message: the memory that receiving, parsing and answering it takes in addition to the work on it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use serde_json::{Value, json};
use tersed::engine::{Cancel, Engine, Method, Types};
use tersed::protocol::content::Content;
use tersed::protocol::tool_result::{CompressParams, ToolResult};
use tersed::protocol::{Kind, RpcError, params};
use tersed::server::{Framing, ServeOptions, run_methods};

use crate::HEAP;

type Handler = fn(&Engine, &str, &Cancel) -> Result<String, RpcError>;

const fn row(name: &'static str, handle: Handler) -> Method {
    Method { name, kind: Kind::Request, summary: "", types: Types::NONE, handle }
}

fn compress(mode: &str, engine: &Engine, params: &str, cancel: &Cancel) -> Result<String, RpcError> {
    let method = tersed::engine::METHODS.iter().find(|m| m.name == "toolResult/compress").unwrap();
    let params = format!("{{{mode},{}", &params[1..]);
    (method.handle)(engine, &params, cancel)
}

static TEST_METHODS: &[Method] = &[
    row("test/reset", |_, _, _| {
        HEAP.reset_peak_usage();
        Ok(HEAP.current_usage().to_string())
    }),
    row("test/peak", |_, _, _| Ok(HEAP.peak_usage().to_string())),
    row("test/exact", |engine, params, cancel| compress(r#""fullOutput":true"#, engine, params, cancel)),
    row("test/safe", |engine, params, cancel| {
        compress(r#""policy":{"mode":"safe"}"#, engine, params, cancel)
    }),
    row("test/compress", |engine, params, cancel| compress(r#""fullOutput":false"#, engine, params, cancel)),
    row("test/read", |_, params, _| {
        let params: CompressParams<'_> = params::parse(params)?;
        let result = ToolResult::read(&params.result, "result")?;
        let content = Content::read(result.content, "result.content")?;
        Ok(content.parts().len().to_string())
    }),
    row("test/answer", |_, params, _| {
        let params: Value = params::parse(params)?;
        let bytes = params["bytes"].as_u64().unwrap() as usize;
        let mut answer = String::with_capacity(bytes + 2);
        answer.push('"');
        answer.extend(std::iter::repeat_n('r', bytes));
        answer.push('"');
        Ok(answer)
    }),
];

/// The child.
pub fn serve() -> ExitCode {
    let framing = if std::env::args().nth(2).as_deref() == Some("lines") {
        Framing::Lines
    } else {
        Framing::ContentLength
    };
    run_methods(ServeOptions { framing, ..ServeOptions::default() }, Engine::default(), TEST_METHODS)
}

struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    lines: bool,
}

impl Client {
    fn new(lines: bool) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--serve", if lines { "lines" } else { "lsp" }]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut client = Self { child, stdin, stdout: BufReader::new(stdout), lines };
        client.request("initialize", &json!({"processId": null, "capabilities": {}}).to_string());
        client
    }

    fn request(&mut self, method: &str, params: &str) -> Value {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        match self.lines {
            true => writeln!(self.stdin, "{body}").unwrap(),
            false => write!(self.stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap(),
        }
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        if !self.lines {
            let length = line.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
            self.stdout.read_line(&mut line).unwrap();
            let mut body = vec![0; length];
            self.stdout.read_exact(&mut body).unwrap();
            line = String::from_utf8(body).unwrap();
        }
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// Bytes that a request took at most, beyond those that were there.
    fn peak(&mut self, method: &str, params: &str) -> usize {
        // The frame before it must be gone.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let before = self.request("test/reset", "{}").as_u64().unwrap();
        self.request(method, params);
        (self.request("test/peak", "{}").as_u64().unwrap() - before) as usize
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SIZE: usize = 16 << 20;

pub fn a_large_request_takes_at_most_three_times_its_size_on_its_way_in() {
    let plain = "a line of a log that nobody reads ".repeat(SIZE / 34);
    let escaped = "a line\\n\\tof \\\"text\\\" \\u00e9 that \\\\ is escaped\\n".repeat(SIZE / 51);
    for lines in [false, true] {
        let mut client = Client::new(lines);
        for text in [&plain, &escaped] {
            let shapes = [format!(r#""{text}""#), format!(r#"[{{"type":"text","text":"{text}"}}]"#)];
            for content in shapes {
                let params =
                    format!(r#"{{"result":{{"toolCallId":"a","tool":"bash","content":{content}}}}}"#);
                let peak = client.peak("test/read", &params);
                println!("in {} {} {}", lines, params.len(), peak as f64 / params.len() as f64);
                assert!(peak <= 3 * params.len(), "{peak} bytes for {} (lines: {lines})", params.len());
            }
        }
    }
}

pub fn a_large_answer_takes_at_most_three_times_its_size_on_its_way_out() {
    for lines in [false, true] {
        let mut client = Client::new(lines);
        let peak = client.peak("test/answer", &json!({"bytes": SIZE}).to_string());
        println!("out {} {}", lines, peak as f64 / SIZE as f64);
        assert!(peak <= 3 * SIZE, "{peak} bytes for {SIZE} (lines: {lines})");
    }
}

/// The whole way of a result, the work on it included.
pub fn a_large_result_is_worked_on_in_bounded_room() {
    let mut client = Client::new(false);
    let mut text = String::new();
    while text.len() < SIZE {
        text.push_str(&format!(
            "2024-03-01 12:00:{:02} INFO served {} in 3 ms\\n",
            text.len() % 60,
            text.len()
        ));
    }
    let params = format!(r#"{{"result":{{"toolCallId":"a","tool":"bash","content":"{text}"}}}}"#);
    for method in ["test/exact", "test/safe", "test/compress"] {
        let peak = client.peak(method, &params);
        let times = peak as f64 / params.len() as f64;
        println!("{method}: {times:.1} times the frame");
        assert!(times < 8.0, "{method}: {times}");
    }
}
