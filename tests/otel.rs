//! Events to an OpenTelemetry collector. The tests run one on the loopback interface; it keeps what it receives.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use common::Server;
use serde_json::json;

/// Answers requests on one connection; hands on the first line and the body of each.
fn collect(stream: TcpStream, seen: &Sender<(String, Vec<u8>)>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n",
        )?;
        let _ = seen.send((first, body));
    }
}

#[test]
fn a_collector_gets_events_without_content() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1/logs", listener.local_addr().unwrap());
    let (send, seen) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = collect(stream.unwrap(), &send);
        }
    });
    // A configured proxy is not used for addresses on this machine.
    let proxy = [("HTTP_PROXY", "http://127.0.0.1:9"), ("http_proxy", "http://127.0.0.1:9")];
    let arguments = ["--otlp-endpoint".as_ref(), endpoint.as_ref()];
    let mut server = Server::start_in(true, &arguments, &proxy);
    server.initialize();
    let content = "some text of the result\n".repeat(50);
    let result = json!({"toolCallId": "call-7", "tool": "bash", "content": content});
    server.call("toolResult/compress", &json!({"result": result, "correlationId": "turn-7"}));
    server.finish();
    let (first, body) = seen.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(first.starts_with("POST /v1/logs "), "{first}");
    let body = String::from_utf8_lossy(&body);
    for part in ["tersed.result", "tersed.tokens", "call-7", "turn-7", "service.name"] {
        assert!(body.contains(part), "no {part} in {body}");
    }
    assert!(!body.contains("some text"), "{body}");
}
