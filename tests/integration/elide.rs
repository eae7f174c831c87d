//! Properties of structured data with parts left out: the output is still data of its format, every value in it was
//! in the source, and a stricter limit never shows more.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::Value;
use tersed::config::{Mode, Policy, Structured};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(32)
}

fn shown(text: &str, squeeze: u8) -> String {
    let structured = Structured::Parseable;
    // A random name may be that of a secret.
    let policy = Policy {
        mode: Mode::Aggressive,
        min_bytes: 0,
        squeeze,
        structured,
        redact_secrets: false,
        ..Policy::default()
    };
    let call = ToolCall { tool: "fetch".into(), ..ToolCall::default() };
    let outcome = compress(&call, &[Raw::Text(text)], &policy, false, &NoHistory).unwrap();
    for step in &outcome.evidence.steps {
        assert!(step.bytes_after <= step.bytes_before, "{} makes it longer", step.id);
    }
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

/// Elements with attributes and texts, indented or not.
fn xml(depth: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z]{1,5}".prop_map(|name| format!("<{name}/>")),
        ("[a-z]{1,3}", "[a-z ]{0,12}")
            .prop_map(|(name, text)| format!("<{name} id=\"{text}\">{text}</{name}>")),
        ("[a-z]{1,3}", "[a-z ]{1,30}")
            .prop_map(|(name, text)| format!("<{name}>{}</{name}>", text.repeat(80))),
        Just("<failure>error: it broke</failure>".to_owned()),
        Just("<!-- a note -->".to_owned()),
        "[a-z]{1,5}".prop_map(|text| format!("<x><![CDATA[{text} < {text}]]></x>")),
    ];
    leaf.prop_recursive(depth, 256, 60, |inner| {
        ("[a-z]{1,4}", proptest::collection::vec(inner, 1..60), any::<bool>()).prop_map(
            |(name, parts, pretty)| {
                let between = if pretty { "\n  " } else { "" };
                format!("<{name} a=\"1\">{between}{}{between}</{name}>", parts.join(between))
            },
        )
    })
}

/// Whether every tag is closed by its own.
fn is_well_formed(text: &str) -> bool {
    let tag = regex::Regex::new(
        r#"<!--(?s:.*?)-->|<!\[CDATA\[(?s:.*?)\]\]>|<(/?)([a-z]+)((?:\s+[a-z]+="[^"<]*")*)(/?)>|<"#,
    )
    .unwrap();
    let mut open = Vec::new();
    for found in tag.captures_iter(text) {
        let Some(name) = found.get(2) else {
            if found[0].len() == 1 {
                return false;
            }
            continue;
        };
        if &found[1] == "/" {
            if open.pop() != Some(name.as_str()) {
                return false;
            }
        } else if &found[4] != "/" {
            open.push(name.as_str());
        }
    }
    open.is_empty()
}

/// YAML of one list and one map, and how many items the list has.
fn yaml() -> impl Strategy<Value = (String, usize)> {
    proptest::collection::vec(("[a-z]{1,8}", 0u32..1000, any::<bool>()), 1..90).prop_map(|items| {
        let count = items.len();
        let item = |(name, n, text): (String, u32, bool)| {
            let text = if text { format!("  note: |\n    {name}\n    more {n}\n") } else { String::new() };
            format!("- name: {name}\n  count: {n}\n{text}")
        };
        let items: String = items.into_iter().map(item).collect();
        (format!("apiVersion: v1\nitems:\n{items}metadata:\n  x: 1\n"), count)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn xml_stays_well_formed(parts in proptest::collection::vec(xml(3), 1..60), squeeze in 0u8..9) {
        let text = format!("<root a=\"1\">\n{}\n</root>\n", parts.join("\n"));
        prop_assume!(is_well_formed(&text));
        let out = shown(&text, squeeze);
        // A document of failures that does not fit is cut as any text.
        prop_assume!(!out.contains("head_tail") && !out.contains("output_cap"));
        prop_assert!(is_well_formed(&out), "{:.3000}\n{:.3000}", text, out);
        prop_assert!(out.len() <= text.len());
        // Whole tags that are left were in the source.
        let tag = regex::Regex::new(r#"<[a-z]+(?: [a-z]+="[^"]*")?/?>"#).unwrap();
        for found in tag.find_iter(&out).filter(|found| !found.as_str().contains("tersed")) {
            prop_assert!(text.contains(found.as_str()), "{} is new", found.as_str());
        }
        if text.contains("it broke") {
            prop_assert!(out.contains("error: it broke"));
        }
    }

    #[test]
    fn yaml_keeps_its_lines((text, count) in yaml(), squeeze in 0u8..9) {
        let out = shown(&text, squeeze);
        // A text that is too small to be examined is cut like any other text if a budget leaves no space for it.
        prop_assume!(!out.contains("head_tail"));
        let lines: HashSet<&str> = text.lines().collect();
        for line in out.lines().filter(|line| !line.contains("[tersed")) {
            prop_assert!(lines.contains(line), "{} is new", line);
        }
        // A marker is a comment, or text inside a block of it.
        for line in out.lines().filter(|line| line.contains("[tersed")) {
            prop_assert!(line.trim_start().starts_with("# [tersed") || line.starts_with("    [tersed"), "{}", line);
        }
        let left = out.lines().filter(|line| line.starts_with("- name:")).count();
        let said: Option<usize> = out.split("omitted ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        if left < count && out.contains("array_items") {
            prop_assert_eq!(left + said.unwrap(), count, "{}", out);
        }
    }

    #[test]
    fn csv_rows_keep_their_cells(rows in proptest::collection::vec(("[a-z]{1,6}", 0u32..99, "[a-z ,\"]{0,9}"), 9..120), squeeze in 0u8..9) {
        let row = |(name, n, note): &(String, u32, String)| format!("{name},{n},\"{}\"\n", note.replace('"', "\"\""));
        let text = format!("name,count,note\n{}", rows.iter().map(row).collect::<String>());
        let out = shown(&text, squeeze);
        prop_assume!(!out.contains("head_tail"));
        let lines: HashSet<&str> = text.lines().collect();
        let mut left = 0;
        let mut gone = 0;
        for line in out.lines() {
            if let Some(rest) = line.strip_prefix("\"[tersed") {
                prop_assert!(line.ends_with(", table_rows]\",,"), "{}", line);
                gone += rest.split("omitted ").nth(1).unwrap().split(' ').next().unwrap().parse::<usize>().unwrap();
            } else if line.contains('…') {
                // A further gap.
                prop_assert_eq!(line, "\"…\",,");
            } else {
                prop_assert!(lines.contains(line) || line.contains("[tersed"), "{} is new", line);
                left += 1;
            }
        }
        if gone > 0 {
            prop_assert_eq!(left + gone, rows.len() + 1);
        }
    }
}
