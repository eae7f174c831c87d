//! Framing and envelopes, without a process: bytes as read from standard input.

use std::sync::Arc;

use tersed::engine::Engine;
use tersed::in_process::{answer, io_handler};
use tersed::server::Framing;
use tersed::server::codec::{FrameReader, Inbound};
use tersed::server::envelope::{self, Message};

use super::super::input::Input;

/// Largest message that is read, in bytes.
const LIMIT: u64 = 1 << 14;

pub const WORDS: &[&str] = &[
    "Content-Length: ",
    "Content-Length: 20\r\n\r\n",
    "\r\n\r\n",
    "\r\n",
    "Content-Type: x\r\n",
    "18446744073709551616",
    "-1",
    "{",
    "}",
    "\"jsonrpc\":\"2.0\"",
    "\"id\":1",
    "\"id\":null",
    "\"id\":1e400",
    "\"method\":\"toolResult/compress\"",
    "\"params\":{}",
    "\"params\":[]",
    "\"sessionId\":\"s\"",
    ",",
    "[",
    "]",
    "\\ud800",
    "\"result\":{}",
];

/// Every stream ends; every request is sorted the same way twice and has one answer that is JSON.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let framing = *input.pick(&[Framing::ContentLength, Framing::Lines]);
    let mut reader = FrameReader::new(input.rest(), framing, LIMIT);
    let handler = io_handler(Arc::new(Engine::default()));
    // Each message takes a byte at least.
    for _ in 0..=data.len() {
        let body = match reader.read() {
            Ok(Inbound::Message(body)) => body,
            Ok(Inbound::Oversized { resync: true, length }) => {
                assert!(length > LIMIT);
                continue;
            }
            Ok(Inbound::Oversized { resync: false, .. } | Inbound::End) | Err(_) => return,
        };
        assert!(body.len() as u64 <= LIMIT);
        let Ok(text) = std::str::from_utf8(&body) else { continue };
        let message = envelope::read(text);
        assert_eq!(message, envelope::read(text));
        if let Message::Request { .. } = message {
            assert!(!envelope::params(text).is_empty());
            if let Some(answer) = answer(&handler, text) {
                serde_json::from_str::<serde_json::Value>(&answer).expect("an answer is JSON");
            }
        }
    }
    panic!("the reader found more messages than bytes");
}

pub fn seeds() -> Vec<Vec<u8>> {
    let bodies = [
        r#"{"jsonrpc":"2.0","id":1,"method":"session/stats","params":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"toolResult/compress","params":{"result":{"tool":"bash","content":"a\nb\n"}}}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#,
        r#"{"id":1,"result":{}}"#,
    ];
    let framed = |body: &&str| format!("\0Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let lines = format!("\u{1}{}\n", bodies.join("\n")).into_bytes();
    let all = bodies.iter().map(framed).fold(vec![0], |all, one| [all, one[1..].to_vec()].concat());
    bodies.iter().map(framed).chain([lines, all]).collect()
}
