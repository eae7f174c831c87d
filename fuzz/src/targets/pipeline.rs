//! One text through every step, alone and in a session.

use serde_json::{Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine};
use tersed::pipeline::evidence::Status;
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};
use tersed::tokens::counter;

use super::super::input::Input;
use super::seeds;

/// Promises 4, 7 and 8: never larger, the same bytes each time, a fix point.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (policy, call) = (input.policy(), input.call());
    let outcome = |raw: Raw<'_>| compress(&call, &[raw], &policy, false, &NoHistory).expect("redaction runs");
    let raw = input.rest();
    let first = outcome(Raw::Bytes(raw));
    assert_eq!(first, outcome(Raw::Bytes(raw)), "the same bytes gave something else");
    if first.evidence.status == Status::Suppressed {
        return;
    }
    let (source, text) = (source(&first), &first.texts[0]);
    assert!(text.len() <= source.len(), "{} bytes became {}", source.len(), text.len());
    let tokens = counter(policy.tokenizer);
    assert!(tokens.count(text) <= tokens.count(&source), "more tokens than before");
    assert_eq!(&outcome(Raw::Text(text)).texts[0], text, "an output changed when it came in again");
}

/// The text that the steps read: the original, or the output if nothing changed.
fn source(outcome: &Outcome) -> String {
    match &outcome.retain {
        Some(retain) => String::from_utf8_lossy(&retain.bytes).into_owned(),
        None => outcome.texts.concat(),
    }
}

/// Promise 7 in a session: results are cut out of one text, and each is sent again after all of them.
pub fn session(data: &[u8]) {
    let mut input = Input::new(data);
    let mode = *input.pick(&["safe", "standard", "aggressive"]);
    let cuts: Vec<u8> = (0..6).map(|_| input.byte()).collect();
    let call = input.call();
    let text = input.text();
    let engine = Engine::default();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut sent: Vec<(Value, Value)> = Vec::new();
    for (i, cut) in cuts.iter().enumerate() {
        let from = usize::from(*cut) * lines.len() / 256;
        let content: String = lines[from..].iter().take(64).copied().collect();
        let result = json!({ "toolCallId": format!("c{i}"), "tool": call.tool, "command": call.command, "content": content });
        let params = json!({ "sessionId": "s", "result": result, "policy": { "mode": mode, "minBytes": 0 } });
        let answer = ask(&engine, &params);
        sent.push((params, answer));
    }
    for (params, answer) in sent {
        assert_eq!(ask(&engine, &params)["content"], answer["content"], "a resend changed");
    }
}

fn ask(engine: &Engine, params: &Value) -> Value {
    let row = METHODS.iter().find(|m| m.name == "toolResult/compress").expect("a method");
    let answer = (row.handle)(engine, &params.to_string(), &Cancel::default()).expect("an answer");
    serde_json::from_str(&answer).expect("JSON")
}

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = seeds::texts();
    let head = |i: usize| [1 + (i % 2) as u8, 1, (i % 20) as u8, (i % 3) as u8, 64, 128, 192, 32];
    texts.iter().enumerate().map(|(i, text)| [&head(i)[..], text.as_bytes()].concat()).collect()
}
