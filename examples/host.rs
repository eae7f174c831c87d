//! A Rust host that has tersed in its own process: no child, no pipe, no runtime.
//!
//! ```sh
//! cargo test 2>&1 | cargo run --release --no-default-features --example host -- 'cargo test'
//! ```
//!
//! It prints the smaller text, what was saved, and whether the original could be read back.

use std::error::Error;
use std::io::Read;
use std::sync::Arc;

use serde_json::{Value, json};
use tersed::engine::Engine;
use tersed::in_process::{answer, io_handler};
use tersed::jsonrpc_core::MetaIoHandler;

fn main() -> Result<(), Box<dyn Error>> {
    let command =
        std::env::args().nth(1).ok_or("usage: host COMMAND, with what it wrote on standard input")?;
    let mut output = String::new();
    std::io::stdin().read_to_string(&mut output)?;

    // One engine for a process. It has the sessions and the originals; settings that differ from the defaults go into
    // `Engine::new`, or into the parameters of `initialize`.
    let engine = Arc::new(Engine::default());
    let announced = engine
        .initialize(Some(&json!({ "policy": { "mode": "standard" } })))
        .map_err(|error| error.message)?;
    eprintln!("protocol {}, {} methods", announced["protocolVersion"], tersed::engine::METHODS.len());

    // The methods of the protocol, by their names, on the thread that calls them.
    let handler = io_handler(Arc::clone(&engine));
    let result = json!({
        "toolCallId": "call_1",
        "tool": "bash",
        "arguments": { "command": command },
        "content": output,
    });
    let answer = call(&handler, "toolResult/compress", json!({ "sessionId": "s1", "result": result }))?;
    println!("{}", answer["content"].as_str().ok_or("the content is no text")?);
    eprintln!("tokens: {}", answer["evidence"]["tokens"]);

    // The original can be read with one call, as long as the session lives. Without an artifact nothing was left out.
    if let Some(id) = answer["artifact"]["id"].as_str() {
        let page = call(&handler, "artifact/read", json!({ "sessionId": "s1", "id": id }))?;
        eprintln!("original: {} lines, {} bytes", page["totalLines"], page["totalBytes"]);
    }

    // Telemetry is written and the originals go, also those on disk.
    call(&handler, "session/close", json!({ "sessionId": "s1" }))?;
    engine.shutdown();
    engine.close();
    Ok(())
}

/// One request and its result.
fn call(handler: &MetaIoHandler<()>, method: &str, params: Value) -> Result<Value, Box<dyn Error>> {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = answer(handler, &request.to_string()).ok_or("no answer")?;
    let answer: Value = serde_json::from_str(&answer)?;
    match answer.get("error") {
        Some(error) => Err(error["message"].as_str().unwrap_or("an error without a message").into()),
        None => Ok(answer["result"].clone()),
    }
}
