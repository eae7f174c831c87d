//! Helpers for the tests: inputs, an engine, and random numbers.

use crate::common::fixture::Fixture;
use serde_json::{Value, json};
use tersed::engine::METHODS;
use tersed::engine::{Cancel, Engine};
use tersed::text::call::ToolCall;

/// An input of a fixture.
#[derive(Debug, Clone)]
pub struct Sample {
    pub name: String,
    pub text: String,
    pub command: Option<String>,
    pub path: Option<String>,
    pub exit_code: Option<i64>,
}

impl Sample {
    pub fn call(&self) -> ToolCall {
        ToolCall {
            tool: "bash".into(),
            command: self.command.clone(),
            path: self.path.clone(),
            exit_code: self.exit_code,
            ..ToolCall::default()
        }
    }

    /// The result as a request brings it.
    pub fn result(&self, id: &str) -> Value {
        json!({"toolCallId": id, "tool": "bash", "command": self.command, "path": self.path,
            "exitCode": self.exit_code, "content": self.text})
    }
}

/// Inputs of all fixtures.
pub fn samples() -> Vec<Sample> {
    let mut out = Vec::new();
    for case in Fixture::all(&["reduce", "encode", "detail", "trace", "generic"]) {
        let call: Value = case.json("call.json");
        let text = |key: &str| call[key].as_str().map(str::to_owned);
        out.push(Sample {
            name: case.name(),
            text: String::from_utf8_lossy(case.bytes("input")).into_owned(),
            command: text("command"),
            path: text("path"),
            exit_code: call["exitCode"].as_i64(),
        });
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(out.len() > 500);
    out
}

/// A linear congruential generator: the same numbers in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Calls a method; an error is `Err` with its message.
pub fn call(engine: &Engine, method: &str, params: &Value) -> Result<Value, String> {
    let method = METHODS.iter().find(|m| m.name == method).unwrap();
    let answer = (method.handle)(engine, &params.to_string(), &Cancel::default());
    answer.map(|text| serde_json::from_str(&text).unwrap()).map_err(|e| e.message)
}

/// Lines of a text, each with a number.
pub fn numbered(n: usize, line: impl Fn(usize) -> String) -> String {
    (1..=n).map(|i| line(i) + "\n").collect()
}
