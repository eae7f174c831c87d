//! Results of long commands over the wire: order without waiting, memory, whole against compressed at once.

use crate::common::{Server, call};
use serde_json::{Value, json};
use tersed::engine::Engine;

fn send(server: &mut Server, id: usize, method: &str, params: &Value) {
    server.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
}

fn next(server: &mut Server) -> Value {
    serde_json::from_str(&server.next()).unwrap()
}

fn open(server: &mut Server, params: &Value) -> Value {
    server.call("toolResult/open", params)["result"]["streamId"].clone()
}

#[test]
fn pieces_keep_their_order_when_nobody_waits() {
    let mut server = Server::ready(false);
    for session in [json!("s"), Value::Null] {
        let result = json!({"toolCallId": "a", "tool": "bash", "command": "make"});
        let stream = open(&mut server, &json!({"sessionId": session, "result": result}));
        let mut text = String::new();
        for i in 0..250 {
            let piece = format!("piece {i} of the output\n");
            send(&mut server, i, "toolResult/append", &json!({"streamId": stream, "text": piece}));
            text.push_str(&piece);
        }
        send(&mut server, 250, "toolResult/close", &json!({"streamId": stream, "exitCode": 0}));
        let mut bytes = 0;
        for i in 0..250 {
            let reply = next(&mut server);
            bytes += format!("piece {i} of the output\n").len();
            assert_eq!((&reply["id"], &reply["result"]["bytes"]), (&json!(i), &json!(bytes)));
        }
        let closed = next(&mut server);
        let mut whole = result;
        whole["content"] = json!(text);
        whole["exitCode"] = json!(0);
        let expected =
            call(&Engine::default(), "toolResult/compress", &json!({"sessionId": session, "result": whole}));
        assert_eq!(closed["result"], expected);
    }
    server.finish();
}

#[test]
fn pieces_and_other_results_of_a_session_keep_their_order() {
    let mut server = Server::ready(true);
    let stream = open(&mut server, &json!({"sessionId": "s", "result": {"toolCallId": "a", "tool": "bash"}}));
    let text: String = (0..60).map(|n| format!("entry {n} of the list\n")).collect();
    send(&mut server, 1, "toolResult/append", &json!({"streamId": stream, "text": text}));
    send(&mut server, 2, "toolResult/close", &json!({"streamId": stream}));
    let again = json!({"toolCallId": "b", "tool": "bash", "content": text});
    send(&mut server, 3, "toolResult/compress", &json!({"sessionId": "s", "result": again}));
    assert_eq!((next(&mut server)["id"].clone(), next(&mut server)["id"].clone()), (json!(1), json!(2)));
    assert_eq!(next(&mut server)["result"]["evidence"]["duplicateOf"], "a");
    server.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_for_output_without_end() {
    let mut server = Server::ready(false);
    let stream = open(&mut server, &json!({"sessionId": "s", "result": {"toolCallId": "a", "tool": "bash"}}));
    let mut total = 0;
    let mut half = 0;
    for round in 0..90 {
        let piece: String = (0..16_000)
            .map(|i| format!("{round} step {i} of the work that never ends {}\n", i * 7919 % 10_007))
            .collect();
        total += piece.len();
        let told = server.call("toolResult/append", &json!({"streamId": stream, "text": piece}));
        assert_eq!(told["result"]["bytes"], total);
        if round == 39 {
            half = server.memory();
            assert_eq!(told["result"]["whole"], total <= 32 << 20);
        }
    }
    assert!(total > 60 << 20, "{total}");
    assert!(server.memory() < half + (24 << 10), "{} KiB after {half} KiB", server.memory());
    let closed = server.call("toolResult/close", &json!({"streamId": stream, "exitCode": 0}));
    let evidence = &closed["result"]["evidence"];
    assert_eq!(evidence["bytes"]["before"], total);
    let content = closed["result"]["content"].as_str().unwrap();
    assert!(content.starts_with("0 step 0 of") && content.contains("89 step 15999 of"), "{content}");
    assert!(content.contains(" lines not kept, ") && content.len() < 100_000);
    server.finish();
}
