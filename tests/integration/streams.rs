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

#[test]
fn half_a_surrogate_pair_costs_no_message() {
    let mut server = Server::ready(true);
    let lines: String = (0..300).map(|n| format!("line {n} of it\\n")).collect();
    let text = format!(r#""a\ud83d b\n{lines}c\uDC00""#);
    let ask = |server: &mut Server, method: &str, params: &str| {
        server.send(&format!(r#"{{"jsonrpc":"2.0","id":"\ud83d","method":"{method}","params":{params}}}"#));
        let reply = server.next();
        assert!(reply.contains(r#""id":"\ud83d""#), "an id stays as it is written: {reply}");
        let reply: Value = serde_json::from_str(&reply.replace(r#""id":"\ud83d""#, r#""id":1"#)).unwrap();
        assert_eq!(reply.get("error"), None, "{method}: {reply}");
        reply["result"].clone()
    };
    let is_whole = |content: &Value| {
        let content = content.as_str().unwrap();
        assert!(content.starts_with("a\u{fffd} b\n") && content.ends_with("c\u{fffd}"), "{content}");
    };
    // Also in names, arguments and the text of arguments.
    let arguments = r#"{"\ud83d":["\ud83d\ude00",{"x":"\\ud83d"}]}"#;
    let result = format!(r#"{{"tool":"x\ud83d","arguments":{arguments},"content":{text}}}"#);
    let one = ask(&mut server, "toolResult/compress", &format!(r#"{{"result":{result}}}"#));
    is_whole(&one["content"]);
    let two = ask(
        &mut server,
        "toolResult/compressBatch",
        &format!(
            r#"{{"results":[{{"tool":"y","arguments":"{{\"a\":\"\\ud83d\"}}","content":"fine"}},{result}]}}"#
        ),
    );
    assert_eq!(two["results"][0]["content"], "fine");
    is_whole(&two["results"][1]["content"]);
    let stream = ask(
        &mut server,
        "toolResult/open",
        &format!(r#"{{"result":{{"tool":"x\ud83d","arguments":{arguments}}}}}"#),
    );
    let id = stream["streamId"].as_str().unwrap();
    // A surrogate pair that is divided between two pieces is one character.
    for piece in [r#""a\ud83d b\n\ud83d""#.to_owned(), format!(r#""\ude00{lines}c\udc00""#)] {
        ask(&mut server, "toolResult/append", &format!(r#"{{"streamId":"{id}","text":{piece}}}"#));
    }
    let closed = ask(&mut server, "toolResult/close", &format!(r#"{{"streamId":"{id}"}}"#));
    is_whole(&closed["content"]);
    assert!(closed["content"].as_str().unwrap().contains("\n😀line 0"), "{closed}");
    // Names of tools are the host's own.
    let minify = r#"{"jsonrpc":"2.0","id":1,"method":"toolSchema/minify","params":{"tools":[{"name":"a\ud83d","description":"a  b"}]}}"#;
    server.send(minify);
    let tools = server.next();
    assert!(tools.contains(r#"{"name":"a\ud83d","description":"a b"}"#), "{tools}");
    server.finish();
    let handler = tersed::in_process::io_handler(std::sync::Arc::new(Engine::default()));
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"toolResult/compress","params":{{"result":{result}}}}}"#
    );
    let reply: Value =
        serde_json::from_str(&tersed::in_process::answer(&handler, &request).unwrap()).unwrap();
    is_whole(&reply["result"]["content"]);
}
