//! The child process: the real server, with test methods that misbehave on request.

use std::process::ExitCode;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tersed::engine::{Cancel, Engine, Method, Types};
use tersed::protocol::{Kind, RpcError};
use tersed::server::{Framing, ServeOptions, run_methods};

/// The actions of handlers, in order.
static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The methods of the child.
pub static TEST_METHODS: &[Method] = &[
    row("test/echo", Kind::Request, |_, params, _| Ok(read(params)?.to_string())),
    row("test/null", Kind::Request, |_, _, _| Ok("null".to_owned())),
    row("test/fail", Kind::Request, |_, _, _| Err(RpcError::failed("on_purpose", "it failed").retryable())),
    row("test/panic", Kind::Request, |_, _, _| panic!("a literal message")),
    // Without the panic hook, which prints to the stderr of whoever mounts the table in-process.
    row("test/unwind", Kind::Request, |_, _, _| std::panic::resume_unwind(Box::new(()))),
    row("test/panicWith", Kind::Request, |_, params, _| panic!("content {params}")),
    row("test/reply", Kind::Request, |_, params, _| {
        Ok(format!("\"{}\"", "r".repeat(number(&read(params)?, "bytes"))))
    }),
    row("test/work", Kind::Request, work),
    row("test/note", Kind::Notification, work),
    row("test/log", Kind::Request, |_, _, _| Ok(json!(*LOG.lock().unwrap()).to_string())),
];

type Handler = fn(&Engine, &str, &Cancel) -> Result<String, RpcError>;

const fn row(name: &'static str, kind: Kind, handle: Handler) -> Method {
    Method { name, kind, summary: "", types: Types::NONE, handle }
}

fn read(params: &str) -> Result<Value, RpcError> {
    tersed::protocol::params::parse(params)
}

fn number(params: &Value, name: &str) -> usize {
    params[name].as_u64().unwrap_or(0) as usize
}

/// `{ms, tag, heed}`: blocks for `ms`, or until cancelled where `heed` is true, and logs the tag.
fn work(_: &Engine, params: &str, cancel: &Cancel) -> Result<String, RpcError> {
    let params = read(params)?;
    let tag = params["tag"].as_str().unwrap_or("").to_owned();
    let until = Instant::now() + Duration::from_millis(number(&params, "ms") as u64);
    LOG.lock().unwrap().push(format!("start {tag}"));
    while Instant::now() < until {
        if cancel.is_cancelled() && params["heed"] == true {
            LOG.lock().unwrap().push(format!("cancelled {tag}"));
            return Ok(json!("too late").to_string());
        }
        sleep(Duration::from_millis(2).min(until.saturating_duration_since(Instant::now())));
    }
    LOG.lock().unwrap().push(format!("end {tag}"));
    Ok(json!(tag).to_string())
}

/// Serves stdin and stdout, with options from the arguments.
pub fn serve(mut arguments: impl Iterator<Item = String>) -> ExitCode {
    let mut options = ServeOptions::default();
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap();
        match name.as_str() {
            "--framing" if value == "lines" => options.framing = Framing::Lines,
            "--max-message-bytes" => options.max_message_bytes = value.parse().unwrap(),
            "--max-queued-bytes" => options.max_queued_bytes = value.parse().unwrap(),
            "--client-process-id" => options.client_process_id = Some(value.parse().unwrap()),
            _ => panic!("unknown argument {name} {value}"),
        }
    }
    run_methods(options, Engine::default(), TEST_METHODS)
}
