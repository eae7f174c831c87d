//! `initialize`, `shutdown`, and which methods are allowed when.

use serde_json::{Value, json};

use crate::client::Client;

pub fn initialize_is_accepted_in_its_shortest_and_its_longest_form() {
    let long = json!({
        "processId": std::process::id(), "locale": "en", "rootPath": null, "rootUri": "not a uri", "trace": "verbose",
        "clientInfo": {"name": "x", "version": "1"}, "workspaceFolders": [{"uri": 7}],
        "capabilities": {"general": {"positionEncodings": ["utf-8"]}, "textDocument": {"hover": {"contentFormat": [3]}}},
        "initializationOptions": {"other": 1, "tersed": {}},
    });
    for params in [None, Some(Value::Null), Some(json!({})), Some(long)] {
        let mut client = Client::raw(&[]);
        let mut message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize"});
        if let Some(params) = params {
            message["params"] = params;
        }
        client.text(message.to_string());
        let reply = client.next();
        assert_eq!(reply["id"], 0);
        assert!(reply["result"]["capabilities"]["experimental"]["tersed"].is_object(), "{reply}");
        client.notify("initialized", json!({}));
        client.still_works();
    }
}

pub fn initialize_announces_the_server_and_nothing_of_an_editor() {
    let mut client = Client::raw(&[]);
    let result = client.initialize();
    assert_eq!(result["serverInfo"], json!({"name": "tersed", "version": env!("CARGO_PKG_VERSION")}));
    let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(members(&result), ["capabilities", "serverInfo"]);
    assert_eq!(members(&result["capabilities"]), ["experimental"]);
    assert_eq!(members(&result["capabilities"]["experimental"]), ["tersed"]);
}

pub fn initialize_with_a_bad_process_id_can_be_repeated() {
    let mut client = Client::raw(&[]);
    for pid in [json!("12"), json!(-1), json!(0), json!(1.5), json!(4_000_000_000_u64), json!([1])] {
        client.send(1, "initialize", json!({"processId": pid}));
        client.next_error(1, -32602);
    }
    client.send(1, "initialize", json!([]));
    client.next_error(1, -32602);
    client.initialize();
    client.still_works();
}

pub fn requests_before_initialize_are_refused_and_notifications_dropped() {
    let mut client = Client::raw(&[]);
    for method in ["test/echo", "no/such", "$/no", "textDocument/hover", "shutdown"] {
        client.send(1, method, json!({}));
        client.next_error(1, -32002);
    }
    client.notify("test/note", json!({"tag": "early"}));
    client.initialize();
    assert_eq!(client.call("test/log", json!({})), json!([]));
    client.still_works();
}

pub fn a_second_initialize_is_refused() {
    let mut client = Client::new(&[]);
    client.send(2, "initialize", json!({"capabilities": {}}));
    client.next_error(2, -32600);
    client.still_works();
}

pub fn requests_after_shutdown_are_refused() {
    let mut client = Client::new(&[]);
    assert_eq!(client.call("shutdown", Value::Null), Value::Null);
    for method in ["test/echo", "no/such", "shutdown", "initialize"] {
        client.send(3, method, json!({}));
        client.next_error(3, -32600);
    }
    client.notify("exit", Value::Null);
    assert_eq!(client.code(), 0);
    assert_eq!(client.stderr(), "");
}

pub fn shutdown_is_answered_after_what_came_before_it() {
    let mut client = Client::new(&[]);
    client.send(1, "test/work", json!({"ms": 300, "sessionId": "a"}));
    client.send(2, "test/work", json!({"ms": 10, "sessionId": "a"}));
    client.send(3, "test/work", json!({"ms": 100}));
    client.send(4, "shutdown", Value::Null);
    client.send(5, "test/echo", json!({}));
    let ids: Vec<_> = (0..5).map(|_| client.next()["id"].as_i64().unwrap()).collect();
    let place = |id| ids.iter().position(|other| *other == id).unwrap();
    assert!([1, 2, 3].into_iter().all(|id| place(id) < place(4)), "{ids:?}");
    client.notify("exit", Value::Null);
    assert_eq!(client.code(), 0);
}

pub fn methods_of_editors_are_refused_and_their_notifications_ignored() {
    let mut client = Client::new(&[]);
    for method in [
        "textDocument/hover",
        "workspace/symbol",
        "workspace/executeCommand",
        "window/workDoneProgress/create",
    ] {
        client.send(
            1,
            method,
            json!({"textDocument": {"uri": "file:///x"}, "position": {"line": 0, "character": 0}}),
        );
        let error = client.next_error(1, -32601);
        assert!(error["message"].as_str().unwrap().contains(method), "{error}");
    }
    for method in [
        "initialized",
        "$/setTrace",
        "workspace/didChangeConfiguration",
        "textDocument/didOpen",
        "textDocument/didClose",
    ] {
        client.notify(method, json!({"value": "off", "settings": {}}));
    }
    client.still_works();
}

pub fn notifications_sent_as_requests_and_the_reverse() {
    let mut client = Client::new(&[]);
    for method in ["exit", "$/cancelRequest", "test/note"] {
        client.send(1, method, json!({"id": 1, "tag": "no"}));
        client.next_error(1, -32600);
    }
    for method in ["shutdown", "initialize", "test/work"] {
        client.notify(method, json!({"tag": "no"}));
    }
    client.still_works();
    assert_eq!(client.call("test/log", json!({})), json!([]));
}
