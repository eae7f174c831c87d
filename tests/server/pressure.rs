//! Clients that send and do not read: bounded memory, no deadlock, one reply each.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, frame};

const COUNT: usize = 2000;

/// An initialized child that nobody reads from.
fn unread(arguments: &[&str]) -> Client {
    let mut client = Client::unread(arguments);
    client.send("start", "initialize", json!({}));
    client
}

/// Reads the replies to `0..count`, each of which must arrive exactly once; counts results and refusals.
fn replies(client: &mut Client, count: usize) -> (usize, usize) {
    let mut seen = vec![false; count];
    let (mut results, mut shed) = (0, 0);
    while seen.iter().any(|seen| !seen) {
        let reply = client.next();
        if reply["id"] == "start" {
            continue;
        }
        let id = reply["id"].as_u64().unwrap() as usize;
        assert!(!std::mem::replace(&mut seen[id], true), "{id} was answered twice");
        if reply.get("result").is_some() {
            results += 1;
        } else {
            assert_eq!(reply["error"]["code"], -32802, "{reply}");
            assert_eq!(reply["error"]["data"], json!({"kind": "overloaded", "retryable": true}));
            shed += 1;
        }
    }
    (results, shed)
}

fn flood(client: &mut Client) {
    let content = "x".repeat(20_000);
    for id in 0..COUNT {
        client.send(id, "test/echo", json!({"sessionId": format!("s{}", id % 5), "content": content}));
    }
}

pub fn a_client_that_reads_late_gets_every_reply() {
    let mut client = unread(&[]);
    flood(&mut client);
    client.start_reading();
    assert_eq!(replies(&mut client, COUNT), (COUNT, 0));
    client.still_works();
}

pub fn over_the_budget_requests_are_shed_and_each_is_answered_once() {
    let mut client = unread(&["--max-queued-bytes", "4000000"]);
    flood(&mut client);
    #[cfg(target_os = "linux")]
    assert!(client.peak_memory() < 60_000, "{} KiB", client.peak_memory());
    client.start_reading();
    let (results, shed) = replies(&mut client, COUNT);
    assert!(results >= 100 && shed >= 1000, "{results} results, {shed} refusals");
    client.still_works();
}

pub fn replies_larger_than_requests_stay_bounded() {
    let count = 250;
    let mut client = unread(&["--max-queued-bytes", "400000"]);
    // The requests are all let in, since they are small, before the first of them makes a reply.
    client.send(0, "test/work", json!({"sessionId": "s", "ms": 500}));
    for id in 1..count {
        client.send(id, "test/reply", json!({"sessionId": "s", "bytes": 300_000}));
    }
    thread::sleep(Duration::from_secs(3));
    // The replies are 75 MB. A debug build was measured to take 31.3 MB here, most of it pages of the program
    // itself, which grow with it.
    #[cfg(target_os = "linux")]
    assert!(client.peak_memory() < 40_000, "{} KiB", client.peak_memory());
    client.start_reading();
    assert_eq!(replies(&mut client, count), (count, 0));
    client.still_works();
}

pub fn unread_errors_stop_the_reader_and_nothing_is_lost() {
    let count = 20_000;
    let mut client = unread(&["--max-queued-bytes", "100000", "--max-message-bytes", "100000"]);
    let mut stdin = client.take_stdin();
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = sent.clone();
    let writer = thread::spawn(move || {
        for _ in 0..count {
            stdin.write_all(&frame(b"{")).unwrap();
            counter.fetch_add(1, Ordering::SeqCst);
        }
        stdin
    });
    thread::sleep(Duration::from_secs(1));
    assert!(sent.load(Ordering::SeqCst) < count, "the reader went on without bound");
    #[cfg(target_os = "linux")]
    assert!(client.peak_memory() < 50_000, "{} KiB", client.peak_memory());
    client.start_reading();
    assert_eq!(client.next()["id"], "start");
    for _ in 0..count {
        client.next_error(Value::Null, -32700);
    }
    drop(writer.join().unwrap());
    assert_eq!(client.code(), 1);
}

pub fn exit_works_while_stdout_is_full() {
    let mut client = unread(&[]);
    flood(&mut client);
    client.notify("exit", Value::Null);
    assert_eq!(client.code_within(Duration::from_secs(10)), Some(1));
}

pub fn shed_requests_succeed_when_sent_again() {
    let mut client = Client::new(&["--max-queued-bytes", "100000"]);
    client.send("busy", "test/work", json!({"ms": 500, "pad": "x".repeat(90_000)}));
    let params = json!({"content": "y".repeat(20_000)});
    client.send(1, "test/echo", params.clone());
    client.next_error(1, -32802);
    // A cancel frees space, and is read however full the queue is.
    client.notify("$/cancelRequest", json!({"id": "busy"}));
    client.next_error("busy", -32800);
    assert_eq!(client.call("test/echo", params.clone()), params);
    // One request always fits, at any size.
    let large = json!({"content": "z".repeat(300_000)});
    assert_eq!(client.call("test/echo", large.clone()), large);
}
