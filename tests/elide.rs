//! Properties of structured data with parts left out: it stays data of its format, every value that is
//! left stood in the source, and a deeper squeeze never shows more.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::Value;
use tersed::config::{Mode, Policy};
use tersed::pipeline::call::ToolCall;
use tersed::pipeline::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(32)
}

fn shown(text: &str, squeeze: u8) -> String {
    let policy = Policy { mode: Mode::Aggressive, min_bytes: 0, squeeze, ..Policy::default() };
    let call = ToolCall { tool: "fetch".into(), ..ToolCall::default() };
    let outcome = compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap();
    outcome.texts.concat()
}

fn json(depth: u32) -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z ]{0,12}".prop_map(Value::from),
        "[a-zé\"\\\\\n]{0,40}".prop_map(|text| Value::from(text.repeat(60))),
        Just(Value::from("error: the disk is full")),
    ];
    scalar.prop_recursive(depth, 256, 60, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..60).prop_map(Value::from),
            proptest::collection::vec(("[a-z]{1,6}", inner), 0..60)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Keys and scalars as they are written; strings that were cut and markers aside.
fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Value::Object(members) => members.iter().for_each(|(key, item)| {
            if !key.starts_with("[tersed") {
                out.push(format!("{key}:"));
                leaves(item, out);
            }
        }),
        Value::String(text) if text.contains("[tersed") => {}
        scalar => out.push(scalar.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn json_stays_json(value in json(4), pretty in any::<bool>(), squeeze in 0u8..9) {
        prop_assume!(value.is_array() || value.is_object());
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.unwrap();
        let out = shown(&text, squeeze);
        let back: Result<Value, _> = serde_json::from_str(&out);
        prop_assert!(back.is_ok(), "{:.3000}\n{:.3000}", text, out);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        leaves(&value, &mut before);
        leaves(&back.unwrap(), &mut after);
        let before: HashSet<String> = before.into_iter().collect();
        for leaf in after {
            prop_assert!(before.contains(&leaf), "{} is new", leaf);
        }
        prop_assert!(out.len() <= text.len());
        if text.contains("disk is full") {
            prop_assert!(out.contains("disk is full"));
        }
    }

    #[test]
    fn json_lines_stay_json(values in proptest::collection::vec(json(1), 1..80), squeeze in 0u8..9) {
        let rows: Vec<String> = values.iter().enumerate().map(|(i, value)| format!("{{\"row\":{i},\"value\":{value}}}")).collect();
        let text = rows.join("\n");
        for line in shown(&text, squeeze).lines() {
            prop_assert!(serde_json::from_str::<Value>(line).is_ok(), "{:.3000}", line);
        }
    }
}
