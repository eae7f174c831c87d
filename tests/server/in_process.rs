//! The same table of methods without a child process.

use std::sync::Arc;

use jsonrpc_core::MetaIoHandler;
use serde_json::{Value, json};
use tersed::engine::Engine;
use tersed::in_process::{answer, io_handler, io_handler_methods};

use crate::client::Client;
use crate::host::TEST_METHODS;

fn ask(handler: &MetaIoHandler<()>, text: &str) -> String {
    answer(handler, text).expect("an answer")
}

fn handler() -> MetaIoHandler<()> {
    io_handler_methods(Arc::new(Engine::default()), TEST_METHODS)
}

pub fn the_table_answers_without_a_child() {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "test/echo", "params": {"a": [1, "é"]}});
    let reply: Value = serde_json::from_str(&ask(&handler(), &request.to_string())).unwrap();
    assert_eq!(reply, json!({"jsonrpc": "2.0", "id": 1, "result": {"a": [1, "é"]}}));
}

pub fn a_panic_costs_one_error_there_too() {
    let handler = handler();
    let reply: Value =
        serde_json::from_str(&ask(&handler, r#"{"jsonrpc":"2.0","id":1,"method":"test/unwind"}"#)).unwrap();
    assert_eq!(reply["error"]["code"], -32603);
    assert!(ask(&handler, r#"{"jsonrpc":"2.0","id":1,"method":"test/null"}"#).contains("\"result\":null"));
}

pub fn both_doors_say_the_same_bytes() {
    let mut client = Client::new(&[]);
    let handler = handler();
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"test/null"}"#,
        r#"{"jsonrpc":"2.0","id":"x","method":"test/echo","params":{"b":1,"a":"é\n\u0001"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"test/echo"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"test/echo","params":[1.0,2e3]}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"test/fail","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"test/unwind","params":{}}"#,
    ] {
        client.text(text);
        assert_eq!(client.next_text(), ask(&handler, text));
    }
}

pub fn the_product_table_mounts() {
    let handler = io_handler(Arc::new(Engine::default()));
    let mounted: Vec<_> = handler.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(mounted.len(), tersed::engine::METHODS.len());
    assert!(ask(&handler, r#"{"jsonrpc":"2.0","id":1,"method":"test/echo"}"#).contains("-32601"));
}
