//! When the process ends, how fast, and with which code.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, LONG};

/// Far above what an immediate end takes, far below what the handlers here would need.
const PROMPT: Duration = Duration::from_secs(5);

pub fn exit_ends_at_once_with_stdin_open() {
    let mut client = Client::new(&[]);
    client.call("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.code_within(PROMPT), Some(0));
}

pub fn exit_without_shutdown_is_code_1() {
    for mut client in [Client::raw(&[]), Client::new(&[])] {
        client.notify("exit", Value::Null);
        assert_eq!(client.code_within(PROMPT), Some(1));
    }
}

pub fn exit_does_not_wait_for_a_busy_handler() {
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"ms": 30_000}));
    client.notify("exit", Value::Null);
    assert_eq!(client.code_within(PROMPT), Some(1));
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"ms": 30_000}));
    client.send(2, "shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.code_within(PROMPT), Some(0));
}

pub fn exit_after_shutdown_answers_what_was_queued() {
    let mut client = Client::raw(&[]);
    client.send(0, "initialize", json!({}));
    client.send(1, "test/work", json!({"ms": 50, "tag": "done"}));
    client.send(2, "shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.next()["id"], 0);
    assert_eq!(client.next()["result"], "done");
    assert_eq!(client.next()["id"], 2);
    assert_eq!(client.code(), 0);
}

pub fn end_of_stdin_finishes_the_work() {
    let mut client = Client::new(&[]);
    for id in 0..5 {
        client.send(id, "test/work", json!({"ms": 60, "sessionId": "s"}));
    }
    client.close_stdin();
    for id in 0..5 {
        assert_eq!(client.next()["id"], id);
    }
    assert_eq!(client.code(), 1);
}

pub fn end_of_stdin_is_code_0_before_initialize_and_after_shutdown() {
    let mut client = Client::raw(&[]);
    client.close_stdin();
    assert_eq!(client.code(), 0);
    assert_eq!(client.stderr(), "");
    let mut client = Client::new(&[]);
    client.call("shutdown", Value::Null);
    client.close_stdin();
    assert_eq!(client.code(), 0);
}

/// A process that plays the host. It is killed but not reaped, like hosts that crash.
fn host() -> std::process::Child {
    Command::new("sleep").arg("600").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

pub fn the_host_named_in_initialize_is_watched() {
    let mut host = host();
    let mut client = Client::raw(&[]);
    client.call("initialize", json!({"processId": host.id()}));
    client.send(1, "test/work", json!({"ms": 60_000}));
    assert_eq!(client.code_within(Duration::from_millis(300)), None);
    host.kill().unwrap();
    assert_eq!(client.code_within(PROMPT), Some(1));
    host.wait().unwrap();
}

pub fn the_host_named_on_the_command_line_is_watched() {
    let mut host = host();
    let mut client = Client::new(&["--client-process-id", &host.id().to_string()]);
    client.call("shutdown", Value::Null);
    host.kill().unwrap();
    assert_eq!(client.code_within(PROMPT), Some(0));
    host.wait().unwrap();
}

pub fn a_host_that_never_was_ends_the_server() {
    let mut host = host();
    host.kill().unwrap();
    host.wait().unwrap();
    let mut client = Client::raw(&[]);
    client.send(1, "initialize", json!({"processId": host.id()}));
    assert_eq!(client.code_within(PROMPT), Some(1));
}

pub fn a_closed_stdout_ends_the_server() {
    let mut client = Client::unread(&[]);
    client.close_stdout();
    client.send(1, "initialize", json!({}));
    assert_eq!(client.code_within(PROMPT), Some(1));
}

pub fn a_client_that_stops_reading_cannot_keep_the_server_alive() {
    let mut client = Client::unread(&[]);
    client.send(0, "initialize", json!({}));
    client.send(1, "test/reply", json!({"bytes": 1_000_000}));
    client.close_stdin();
    let start = Instant::now();
    assert_eq!(client.code_within(LONG), Some(1));
    assert!(start.elapsed() > Duration::from_secs(4), "{:?}", start.elapsed());
}
