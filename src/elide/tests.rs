//! Whole documents under the limits of `aggressive`, and what is left alone.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::config::{Mode, Policy};
use crate::pipeline::call::ToolCall;
use crate::pipeline::dedup::NoHistory;
use crate::pipeline::{Outcome, Raw, compress};

fn aggressive() -> Policy {
    Policy { mode: Mode::Aggressive, ..Policy::default() }
}

fn run(call: ToolCall, text: &str, policy: &Policy) -> Outcome {
    compress(&call, &[Raw::Text(text)], policy, false, &NoHistory).unwrap()
}

fn shown(text: &str, policy: &Policy) -> String {
    run(ToolCall::default(), text, policy).texts.concat()
}

fn rows(n: usize) -> Value {
    let row = |i: usize| {
        json!({"id": i, "name": format!("row {i}"), "status": if i == 70 { "failed" } else { "ok" },
               "size": if i == 50 { 1_000_000 } else { i % 7 }, "note": null})
    };
    (0..n).map(row).collect()
}

#[test]
fn a_long_array_keeps_its_ends_and_what_stands_out() {
    let text = serde_json::to_string_pretty(&rows(100)).unwrap();
    let out = shown(&text, &aggressive());
    let back: Vec<Value> = serde_json::from_str(&out).unwrap();
    let ids: Vec<u64> = back.iter().filter_map(|row| row["id"].as_u64()).collect();
    assert_eq!(ids.len(), 24);
    assert!([0, 1, 50, 70, 99].iter().all(|id| ids.contains(id)) && ids.is_sorted(), "{ids:?}");
    let marker = back.iter().find_map(Value::as_str).unwrap();
    assert!(marker.ends_with("omitted 76 of 100 items, array_items: status ok 76]"), "{marker}");
    // The line as it was written.
    assert!(out.contains("\"status\": \"failed\""), "{out}");
    assert_eq!(shown(&out, &aggressive()), out);
}

#[test]
fn what_was_asked_for_stays() {
    let text = serde_json::to_string(&rows(200)).unwrap();
    let text = text.replace("row 133", "the parse_header row");
    let call = ToolCall { query: Some("parse_header".into()), ..ToolCall::default() };
    let out = run(call, &text, &aggressive()).texts.concat();
    assert!(out.contains("the parse_header row"), "{out}");
}

#[test]
fn squeezes_come_down_to_the_keys() {
    let text = json!({"version": "1.2", "rows": rows(300), "index": {"a": rows(90), "b": {"c": {"d": rows(40)}}},
                      "log": "line of text\n".repeat(900)});
    let text = serde_json::to_string_pretty(&text).unwrap();
    let mut last = usize::MAX;
    for squeeze in 0..9 {
        let out = shown(&text, &Policy { squeeze, ..aggressive() });
        let back: Value = serde_json::from_str(&out).unwrap();
        assert!(["version", "rows", "index", "log"].iter().all(|key| back.get(key).is_some()), "{out}");
        assert!(out.len() <= last, "{squeeze}: {} after {last}", out.len());
        last = out.len();
    }
    assert!(last < 900, "{last}");
}

#[test]
fn standard_only_leaves_out_what_would_be_cut_anyway() {
    let small = serde_json::to_string_pretty(&rows(100)).unwrap();
    assert!(!shown(&small, &Policy::default()).contains("[tersed"));
    let large = serde_json::to_string_pretty(&rows(3000)).unwrap();
    let out = shown(&large, &Policy::default());
    let back: Vec<Value> = serde_json::from_str(&out).unwrap();
    assert!(out.len() <= 32 << 10 && back.len() > 200, "{} {}", out.len(), back.len());
    assert!(out.contains("\"status\": \"failed\""));
}

#[test]
fn json_lines_are_items() {
    let rows = rows(80);
    let text: String = rows.as_array().unwrap().iter().map(|row| format!("{row}\n")).collect();
    let text = format!("exported 80 rows:\n{text}done\n");
    let out = shown(&text, &aggressive());
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 27, "{out}");
    assert!(lines[1..26].iter().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{out}");
    assert!(out.contains("omitted 56 of 80 items, array_items: status ok 56]"), "{out}");
}

#[test]
fn what_programs_print_is_no_json_before_or_after() {
    let row = |i: usize| format!("{{'id': {i}, 'name': 'row {i}', 'tags': ('a', None), 'ok': True}}");
    let rows: Vec<String> = (0..80).map(row).collect();
    let text = format!("[{}]", rows.join(", "));
    let out = shown(&text, &aggressive());
    assert!(out.contains("{'id':0,'name':'row 0','tags':('a',None),'ok':True},"), "{out}");
    assert!(out.contains("omitted 56 of 80 items") && out.contains("'row 79'"), "{out}");
    assert_eq!(shown(&text, &Policy::default()), text);
}

#[test]
fn empty_members_go_where_the_policy_says_so() {
    let text = serde_json::to_string(&rows(20)).unwrap();
    let out = shown(&text, &Policy { drop_empty: true, ..aggressive() });
    let back: Vec<Value> = serde_json::from_str(&out).unwrap();
    assert!(back[0].get("note").is_none() && back.len() == 21, "{out}");
    assert!(out.contains("omitted 20 of 100 members, empty_members]"), "{out}");
    assert!(shown(&text, &aggressive()).contains("note"));
}

#[test]
fn ranges_and_searches_are_left_alone() {
    let text = serde_json::to_string_pretty(&rows(100)).unwrap();
    for command in ["sed -n '1,700p' rows.json", "head -n 700 rows.json", "grep -n . rows.json"] {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        let outcome = run(call, &text, &aggressive());
        assert!(!outcome.texts.concat().contains("array_items"), "{command}");
    }
    let code = format!("rows = {}\nprint(rows)\n", text);
    assert!(!shown(&code, &aggressive()).contains("array_items"));
}
