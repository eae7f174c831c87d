//! Order within a session, cancels, panics, and that a handler delays only later calls of the same session.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;

/// Far above a round trip, far below what the busy handlers here would need.
const PROMPT: Duration = Duration::from_secs(4);
const BUSY_MS: u64 = 20_000;

fn log(client: &mut Client) -> Vec<String> {
    serde_json::from_value(client.call("test/log", json!({}))).unwrap()
}

/// Waits until the log has this line.
fn wait_for(client: &mut Client, line: &str) {
    let start = Instant::now();
    while !log(client).iter().any(|other| other == line) {
        assert!(start.elapsed() < Duration::from_secs(30), "{line}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn a_session_runs_in_arrival_order() {
    let mut client = Client::new(&[]);
    let sessions = ["a", "b", "c", "d"];
    for number in 0..200_u64 {
        let session = sessions[number as usize % 4];
        let tag = format!("{session}{number:03}");
        client.send(number, "test/work", json!({"sessionId": session, "tag": tag, "ms": number * 7 % 5}));
    }
    let mut last = [0; 4];
    for _ in 0..200 {
        let id = client.next()["id"].as_u64().unwrap();
        assert!(last[id as usize % 4] <= id, "{id} was answered late");
        last[id as usize % 4] = id;
    }
    let log = log(&mut client);
    for session in sessions {
        let own: Vec<_> = log.iter().filter(|line| line.contains(&format!(" {session}"))).collect();
        assert_eq!(own.len(), 100);
        for pair in own.chunks(2) {
            assert_eq!(pair[0].replace("start", "end"), *pair[1], "two at once");
        }
        assert!(own.windows(2).all(|pair| pair[0].split(' ').nth(1) <= pair[1].split(' ').nth(1)));
    }
}

pub fn notifications_keep_their_place_in_the_session() {
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"sessionId": "s", "tag": "1", "ms": 50}));
    client.notify("test/note", json!({"sessionId": "s", "tag": "2", "ms": 30}));
    client.send(3, "test/work", json!({"sessionId": "s", "tag": "3"}));
    assert_eq!(client.next()["id"], 1);
    assert_eq!(client.next()["id"], 3);
    assert_eq!(log(&mut client), ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]);
}

pub fn sessions_run_side_by_side() {
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"sessionId": "a", "tag": "a", "ms": 1000}));
    client.send(2, "test/work", json!({"sessionId": "b", "tag": "b", "ms": 1000}));
    assert!(client.next().get("result").is_some() && client.next().get("result").is_some());
    let log = log(&mut client);
    assert!(log[..2].iter().all(|line| line.starts_with("start")), "{log:?}");
}

/// The place of a call among the answers.
fn place(client: &mut Client, id: &str, answers: usize) -> usize {
    let mut ids = (0..answers).map(|_| client.next()["id"].clone());
    ids.position(|other| other == id).unwrap()
}

pub fn small_calls_pass_large_ones() {
    let mut client = Client::new(&[]);
    let cores = std::thread::available_parallelism().unwrap().get().max(2);
    let padding = "x".repeat(100_000);
    for number in 0..4 * cores {
        let session = format!("large{number}");
        let params = json!({"sessionId": session, "tag": session, "ms": 500, "padding": padding});
        client.send(session, "test/work", params);
    }
    wait_for(&mut client, &format!("start large{}", cores - 1));
    client.send("small", "test/work", json!({"sessionId": "small"}));
    // Those that had begun may end first, and no other.
    assert!(place(&mut client, "small", 4 * cores) <= cores);
}

pub fn a_flood_without_a_session_holds_up_no_session() {
    let mut client = Client::new(&[]);
    let cores = std::thread::available_parallelism().unwrap().get().max(2);
    let padding = "x".repeat(100_000);
    for number in 0..40 * cores {
        client.send(number, "test/work", json!({"ms": 20, "padding": padding}));
    }
    client.send("large", "test/work", json!({"sessionId": "s", "padding": padding}));
    let place = place(&mut client, "large", 40 * cores + 1);
    assert!(place < 20 * cores, "{place}");
}

pub fn a_busy_handler_delays_nobody_else() {
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"sessionId": "a", "ms": BUSY_MS}));
    let start = Instant::now();
    client.still_works();
    assert_eq!(client.call("test/echo", json!({"sessionId": "b"})), json!({"sessionId": "b"}));
    client.send(2, "no/such", json!({}));
    client.next_error(2, -32601);
    client.text("{");
    client.next_error(Value::Null, -32700);
    assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
}

pub fn a_cancel_is_answered_at_once() {
    let mut client = Client::new(&[]);
    client.send("long", "test/work", json!({"ms": BUSY_MS, "tag": "x", "heed": true}));
    wait_for(&mut client, "start x");
    let start = Instant::now();
    client.notify("$/cancelRequest", json!({"id": "long"}));
    client.next_error("long", -32800);
    assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
    // The handler is notified, and its result is dropped.
    wait_for(&mut client, "cancelled x");
    client.still_works();
}

pub fn a_cancel_is_answered_at_once_while_all_handlers_are_busy() {
    let mut client = Client::new(&[]);
    for id in 0..100 {
        client.send(id, "test/work", json!({"ms": BUSY_MS}));
    }
    let start = Instant::now();
    for id in [99, 0, 50] {
        client.notify("$/cancelRequest", json!({"id": id}));
        client.next_error(id, -32800);
    }
    assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
}

pub fn a_cancelled_request_in_the_queue_never_starts() {
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"sessionId": "s", "tag": "1", "ms": 300}));
    client.send(2, "test/work", json!({"sessionId": "s", "tag": "2"}));
    client.send(3, "test/work", json!({"sessionId": "s", "tag": "3"}));
    client.notify("$/cancelRequest", json!({"id": 2}));
    client.next_error(2, -32800);
    assert_eq!(client.next()["id"], 1);
    assert_eq!(client.next()["id"], 3);
    assert_eq!(log(&mut client), ["start 1", "end 1", "start 3", "end 3"]);
}

pub fn cancels_of_unknown_and_finished_requests_do_nothing() {
    let mut client = Client::new(&[]);
    client.still_works();
    for params in [
        json!({"id": "call"}),
        json!({"id": 77}),
        json!({"id": null}),
        json!({"id": {}}),
        json!({}),
        json!([1]),
    ] {
        client.notify("$/cancelRequest", params);
    }
    client.text(r#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#);
    client.still_works();
}

pub fn cancels_tell_numbers_from_strings() {
    let mut client = Client::new(&[]);
    client
        .text(r#"{"jsonrpc":"2.0","id":12345678901234567890123,"method":"test/work","params":{"ms":20000}}"#);
    client.notify("$/cancelRequest", json!({"id": "12345678901234567890123"}));
    client.text(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345678901234567890124}}"#);
    client.still_works();
    client.text(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345678901234567890123}}"#);
    let reply = client.next_text();
    assert!(reply.contains("-32800") && reply.ends_with(r#""id":12345678901234567890123}"#), "{reply}");
    client.text(r#"{"jsonrpc":"2.0","id":"a","method":"test/work","params":{"ms":20000}}"#);
    client.text(r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"\u0061"}}"#);
    client.next_error("a", -32800);
}

pub fn an_id_in_use_is_refused_and_free_again_after_the_answer() {
    let mut client = Client::new(&[]);
    client.send("x", "test/work", json!({"ms": 300, "tag": "first"}));
    client.send("x", "test/echo", json!({}));
    client.next_error("x", -32600);
    assert_eq!(client.next()["result"], "first");
    for _ in 0..500 {
        client.still_works();
    }
}

pub fn a_panic_costs_one_error_and_shows_no_content() {
    let mut client = Client::new(&[]);
    client.send(1, "test/panicWith", json!({"sessionId": "s", "secret": "hunter2"}));
    client.send(2, "test/panic", json!({"sessionId": "s"}));
    client.send(3, "test/echo", json!({"sessionId": "s"}));
    for id in [1, 2] {
        let error = client.next_error(id, -32603);
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    assert_eq!(client.next()["id"], 3);
    client.close_stdin();
    client.code();
    let stderr = client.stderr();
    assert!(stderr.contains("host.rs") && stderr.contains("a literal message"), "{stderr}");
    assert!(!stderr.contains("hunter2"), "{stderr}");
}

pub fn many_panics_wedge_nothing() {
    let mut client = Client::new(&[]);
    for id in 0..1000 {
        client.send(id, "test/panic", json!({"sessionId": format!("s{}", id % 3)}));
    }
    for _ in 0..1000 {
        assert_eq!(client.next()["error"]["code"], -32603);
    }
    client.still_works();
    client.close_stdin();
    client.code();
    assert!(client.stderr().lines().count() <= 201);
}
