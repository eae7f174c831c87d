//! Where messages begin and end, on the real pipe.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, frame};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"test/null"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","result":null,"id":1}"#;

pub fn headers_may_be_spelled_in_any_case() {
    let mut client = Client::new(&[]);
    let length = PING.len();
    for header in [
        format!("content-length: {length}\r\n\r\n"),
        format!("CONTENT-LENGTH:{length}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"),
        format!("Content-Type: text/plain\r\nX-Other: : y\r\nContent-Length: 00{length} \r\n\r\n"),
        format!("Content-Length: {length}\n\n"),
    ] {
        client.bytes(header + PING);
        assert_eq!(client.next_text(), PONG);
    }
    client.text(r#"{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{"x":"é😀"}}"#);
    assert_eq!(client.next()["result"]["x"], "é😀");
}

pub fn broken_headers_end_the_server_with_one_line() {
    let long = format!("X: {}", "y".repeat(10_000));
    for header in [
        "\r\n\r\n",
        "Content-Type: x\r\n\r\n",
        "Content-Length: abc\r\n\r\n",
        "Content-Length: -5\r\n\r\n",
        "Content-Length\r\n\r\n",
        "{\"jsonrpc\":\"2.0\"}\n\n",
        &long,
    ] {
        let mut client = Client::new(&[]);
        client.bytes(header);
        assert_eq!(client.code(), 1, "{header:.40}");
        let stderr = client.stderr();
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("header"), "{stderr}");
        assert_eq!(client.within(Duration::from_secs(1)), None);
    }
}

pub fn a_stream_that_ends_inside_a_message_is_code_1() {
    for part in ["Content-Le", "Content-Length: 10\r\n\r\n{}"] {
        let mut client = Client::raw(&[]);
        client.bytes(part);
        client.close_stdin();
        assert_eq!(client.code(), 1);
        assert_eq!(client.stderr().lines().count(), 1);
    }
}

pub fn an_oversized_message_is_skipped() {
    let mut client = Client::new(&["--max-message-bytes", "1000"]);
    client.bytes("Content-Length: 5000\r\n\r\n");
    // The refusal does not wait for the rest.
    let error = client.next_error(Value::Null, -32600);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("1000") && message.contains("5000"), "{message}");
    client.bytes(&[frame(PING.as_bytes()), vec![b'x'; 5000]].concat()[..5000]);
    client.still_works();
    client.text(vec![b' '; 1001]);
    client.next_error(Value::Null, -32600);
    client.text(format!("{PING}{}", " ".repeat(1000 - PING.len())));
    assert_eq!(client.next_text(), PONG);
}

pub fn an_impossible_length_is_refused_without_memory() {
    for digits in ["99999999999", "99999999999999999999999999"] {
        let mut client = Client::new(&[]);
        client.bytes(format!("Content-Length: {digits}\r\n\r\n{{}}"));
        let error = client.next_error(Value::Null, -32600);
        assert!(error["message"].as_str().unwrap().contains("268435456"), "{error}");
        assert_eq!(client.code(), 1);
        assert_eq!(client.stderr().lines().count(), 1);
    }
    // Within the limit, but never delivered.
    let mut client = Client::new(&[]);
    client.bytes("Content-Length: 268435456\r\n\r\n{}");
    std::thread::sleep(Duration::from_millis(200));
    #[cfg(target_os = "linux")]
    assert!(client.peak_memory() < 50_000, "{} KiB", client.peak_memory());
}

pub fn a_message_split_into_bytes_is_read() {
    let mut client = Client::new(&[]);
    for byte in frame(PING.as_bytes()) {
        client.bytes([byte]);
    }
    assert_eq!(client.next_text(), PONG);
    client.bytes(frame(PING.as_bytes()).repeat(3));
    let replies: Vec<_> = (0..3).map(|_| client.next()).collect();
    // The id is in use until it is answered, so some may be refused; each is answered.
    assert!(replies.iter().any(|reply| reply.get("result").is_some()), "{replies:?}");
    client.still_works();
}

pub fn lines_are_a_framing() {
    let mut client = Client::new(&["--framing", "lines"]);
    client.bytes(format!("\n\r\n  \n{PING}\r\n"));
    assert_eq!(client.next_text(), PONG);
    client.text("{");
    client.next_error(Value::Null, -32700);
    client.text("Content-Length: 10");
    client.next_error(Value::Null, -32700);
    assert_eq!(client.call("test/echo", json!({"x": "a\nb\r"})), json!({"x": "a\nb\r"}));
    client.bytes(PING);
    client.close_stdin();
    assert_eq!(client.next_text(), PONG);
    assert_eq!(client.code(), 1);
}

pub fn lines_refuse_what_is_too_long() {
    let mut client = Client::new(&["--framing", "lines", "--max-message-bytes", "1000"]);
    client.bytes("x".repeat(300_000) + "\n");
    let error = client.next_error(Value::Null, -32600);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("1000") && message.contains("300000"), "{message}");
    client.still_works();
}

pub fn a_message_of_100_megabytes_passes() {
    let mut client = Client::new(&[]);
    let content = "line of text\n".repeat(8_000_000);
    client.send(1, "test/echo", json!({"content": content}));
    let reply = client.next();
    assert_eq!(reply["result"]["content"].as_str().map(str::len), Some(content.len()));
    drop(reply);
    client.still_works();
}
