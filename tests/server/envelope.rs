//! Messages that are wrong, odd or hostile: one error reply each, and the next request works.

use serde_json::{Value, json};

use crate::client::Client;

pub fn ids_are_echoed_verbatim() {
    let mut client = Client::new(&[]);
    for id in [
        "1",
        "0",
        "3000000000",
        "9223372036854775808",
        "123456789012345678901234567890",
        "-7",
        "1.5",
        "1.50",
        "1e3",
        "-0",
        "\"x\"",
        "\"\"",
        "\"1\"",
        "\"\\u0041\\n\"",
        "\"é😀\"",
        "null",
    ] {
        client.text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"test/null"}}"#));
        assert_eq!(client.next_text(), format!(r#"{{"jsonrpc":"2.0","result":null,"id":{id}}}"#));
    }
    client.still_works();
}

pub fn ids_of_other_types_are_refused() {
    let mut client = Client::new(&[]);
    for id in ["{}", "[1]", "true", "false", "{\"id\":1}"] {
        client.text(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"test/null"}}"#));
        client.next_error(Value::Null, -32600);
    }
    client.still_works();
}

pub fn malformed_json_costs_one_error() {
    let mut client = Client::new(&[]);
    for text in ["", "{", "{\"jsonrpc\":\"2.0\",}", "nul", "{}{}", "\u{feff}{}", "[1,", "{\"a\":01}"] {
        client.text(text);
        client.next_error(Value::Null, -32700);
        client.still_works();
    }
}

pub fn a_batch_costs_one_error() {
    let mut client = Client::new(&[]);
    for text in [
        "[]",
        "[1]",
        r#" [{"jsonrpc":"2.0","id":1,"method":"test/null"},{"jsonrpc":"2.0","id":2,"method":"test/null"}]"#,
    ] {
        client.text(text);
        client.next_error(Value::Null, -32600);
        client.still_works();
    }
}

pub fn what_is_no_request_costs_one_error() {
    let mut client = Client::new(&[]);
    for (text, id) in [
        ("7", Value::Null),
        ("null", Value::Null),
        ("\"exit\"", Value::Null),
        ("{}", Value::Null),
        (r#"{"id":8,"method":"test/null"}"#, json!(8)),
        (r#"{"jsonrpc":"1.0","id":8,"method":"test/null"}"#, json!(8)),
        (r#"{"jsonrpc":"2.0","id":8}"#, json!(8)),
        (r#"{"jsonrpc":"2.0","id":8,"method":null}"#, json!(8)),
        (r#"{"jsonrpc":"2.0","id":8,"method":"test/null","params":"p"}"#, json!(8)),
        (r#"{"jsonrpc":"2.0","id":8,"method":"test/null","params":false}"#, json!(8)),
        (r#"{"jsonrpc":"2.0","method":"exit","params":1}"#, Value::Null),
    ] {
        client.text(text);
        client.next_error(id, -32600);
    }
    client.still_works();
}

pub fn unknown_methods_are_named() {
    let mut client = Client::new(&[]);
    for method in ["no/such", "$/no/such", "", "test", "\u{0}unsupported"] {
        client.send(1, method, json!({}));
        let error = client.next_error(1, -32601);
        assert!(error["message"].as_str().unwrap().contains(&format!("{method:?}")), "{error}");
    }
    client.send(1, &"x".repeat(100_000), json!({}));
    assert!(client.next_error(1, -32601)["message"].as_str().unwrap().len() < 200);
    client.still_works();
}

pub fn unknown_notifications_and_stray_answers_are_ignored() {
    let mut client = Client::new(&[]);
    client.notify("no/such", json!({}));
    client.notify("$/no/such", json!([1]));
    client.text(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    client.text(r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#);
    client.still_works();
}

pub fn text_that_cannot_be_decoded_costs_one_error() {
    let mut client = Client::new(&[]);
    client.text(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"test/echo\",\"params\":{\"x\":\"\xff\"}}");
    client.next_error(Value::Null, -32700);
    let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    for params in [r#"{"x":1e999}"#, &deep] {
        client.text(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{params}}}"#));
        client.next_error(1, -32602);
        client.still_works();
    }
    // Half a surrogate pair can be read.
    for (params, echo) in [
        (r#"{"x":"\ud800"}"#, json!({"x": "\u{fffd}"})),
        (r#"{"x":"\udc00\ud800"}"#, json!({"x": "\u{fffd}\u{fffd}"})),
        (r#"{"sessionId":"\udfff"}"#, json!({"sessionId": "\u{fffd}"})),
    ] {
        client.text(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{params}}}"#));
        assert_eq!(client.next()["result"], echo);
    }
    for open in ["[", "{\"x\":"] {
        client.text(open.repeat(100_000));
        client.next_error(Value::Null, -32700);
    }
    client.still_works();
}

pub fn odd_but_valid_messages_pass() {
    let mut client = Client::new(&[]);
    client.text(
        "\n{\"trace\":{\"a\":[1]},\"params\":{\"x\":0,\"x\":\"\\u0000\\ud83d\\ude00\"},\"method\":\"no\",\"method\":\"test/echo\",\"id\":5,\"jsonrpc\":\"2.0\"}\r\n",
    );
    let reply = client.next();
    assert_eq!((&reply["id"], &reply["result"]), (&json!(5), &json!({"x": "\u{0}😀"})));
    client.text(r#"{"jsonrpc":"2.0","id":6,"method":"test/echo","params":[1,[2]]}"#);
    assert_eq!(client.next()["result"], json!([1, [2]]));
    client.text(r#"{"jsonrpc":"2.0","id":7,"method":"test/echo"}"#);
    assert_eq!(client.next()["result"], json!({}));
    client.still_works();
}

pub fn null_results_are_kept() {
    let mut client = Client::new(&[]);
    client.send(1, "test/null", json!({}));
    assert_eq!(client.next_text(), r#"{"jsonrpc":"2.0","result":null,"id":1}"#);
}

pub fn errors_of_handlers_arrive_whole() {
    let mut client = Client::new(&[]);
    client.send(1, "test/fail", json!({}));
    let error = client.next_error(1, -32803);
    assert_eq!(
        error,
        json!({"code": -32803, "message": "it failed", "data": {"kind": "on_purpose", "retryable": true}})
    );
}
