//! Whole documents under the limits of `aggressive`, and texts that are not changed.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::config::{Mode, Policy, Structured};
use crate::pipeline::repeat::dedup::NoHistory;
use crate::pipeline::{Outcome, Raw, compress};
use crate::text::call::ToolCall;
use crate::text::reason::Reason;

use super::{ID, yaml};

fn aggressive() -> Policy {
    // The rest is examined in its own format.
    Policy { mode: Mode::Aggressive, structured: Structured::Parseable, ..Policy::default() }
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
    assert!(marker.contains("omitted 76 of 100 items, array_items: index "), "{marker}");
    assert!(marker.contains("-49 51-69 71-") && marker.ends_with(", status ok 76]"), "{marker}");
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
fn what_must_fit_is_cut_no_further_than_it_has_to_be() {
    let lines: Vec<String> = (0..30).map(|i| format!("{i} {}", "junk ".repeat(60))).collect();
    let row = |i: usize| json!({"row": i, "a": "a".repeat(200), "b": "b".repeat(200), "c": "c".repeat(400)});
    let mut deep: Value = (0..12).map(row).collect();
    for _ in 0..12 {
        deep = json!({"in": deep});
    }
    let text = json!({"lines": lines, "deep": deep}).to_string();
    let policy = Policy { max_output_bytes: 8000, ..aggressive() };
    let out = shown(&text, &policy);
    // Halving the limits once more would show only ten levels.
    assert!((4000..=8000).contains(&out.len()) && out.contains("\"row\":0"), "{} {out}", out.len());
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
    assert!(out.contains("omitted 56 of 80 items, array_items: ") && out.contains("status ok 56]"), "{out}");
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
fn empty_members_go_in_every_form_and_mode_from_standard_on() {
    let members = r#""tag":null,"label":"","items":[],"more":{}"#;
    let row = |i: usize| format!(r#"{{"id":{i},"name":"name of row {i}",{members}}}"#);
    let json = format!("[{}]", (0..20).map(row).collect::<Vec<_>>().join(","));
    let sparse = |mode, structured| Policy { drop_empty: true, mode, structured, ..Policy::default() };
    for policy in [
        sparse(Mode::Standard, Structured::Auto),
        sparse(Mode::Aggressive, Structured::Parseable),
        sparse(Mode::Aggressive, Structured::Plain),
    ] {
        let out = shown(&json, &policy);
        assert!(out.contains("omitted 80 of 120 members, empty_members") && !out.contains("null"), "{out}");
    }
    let yaml: String = (0..40)
        .map(|i| format!("- id: {i}\n  name: row number {i}\n  tag: null\n  label: \"\"\n  more: {{}}\n"))
        .collect();
    for mode in [Mode::Standard, Mode::Aggressive] {
        let policy = Policy { array_max_items: Some(0), ..sparse(mode, Structured::Parseable) };
        let out = shown(&yaml, &policy);
        assert!(out.trim_end().ends_with("omitted 120 of 160 members, empty_members]"), "{out}");
        assert!(out.starts_with("- id: 0\n  name: row number 0\n- id: 1\n"), "{out}");
    }
    let call = ToolCall { tool: "bash".into(), command: Some("curl x".into()), ..ToolCall::default() };
    let outcome = run(call, &json, &sparse(Mode::Standard, Structured::Auto));
    assert!(outcome.evidence.omissions.iter().all(|o| o.reason == Reason::EmptyMembers));
    let call = ToolCall { tool: "bash".into(), command: Some("curl x".into()), ..ToolCall::default() };
    let outcome = run(call, &json, &sparse(Mode::Safe, Structured::Auto));
    assert!(outcome.evidence.steps.iter().any(|s| s.id == ID && s.reason == Reason::EmptyKept));
}

#[test]
fn attributes_stay_whole_while_the_document_fits() {
    let document = |n: usize, words: usize| -> String {
        let item = |i: usize| format!("<i k=\"{i}\" v=\"{}\"/>", "some value ".repeat(words));
        format!("<r>{}</r>", (0..n).map(item).collect::<String>())
    };
    let text = document(3, 150);
    assert_eq!(shown(&text, &aggressive()), text);
    let out = shown(&document(3, 30_000), &aggressive());
    assert!(out.contains("long_string") && out.len() < 70_000, "{}", out.len());
}

#[test]
fn yaml_is_known_by_its_content() {
    let list: String = std::iter::once("services:\n".to_owned())
        .chain((0..900).map(|i| {
            format!("- id: {i}\n  name: service-{i}\n  image: registry.example.com/app/service-{i}:1.2\n  ports:\n  - {i}\n")
        }))
        .collect();
    for (command, mode) in
        [("curl x", Mode::Standard), ("./gen.sh", Mode::Aggressive), ("cat x.yaml", Mode::Standard)]
    {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        let out = run(call, &list, &Policy { mode, ..Policy::default() }).texts.concat();
        assert!(out.contains("of 900 items, array_items]") && !out.contains("head_tail"), "{command}: {out}");
        assert!(out.contains("- id: 899\n"), "{command}: {out}");
    }
    let certain = |text: &str| {
        let source = crate::text::source::Source::new(text);
        yaml::is_certain(&source, 0..source.len())
    };
    assert!(certain("a:\n  b: 1\nc:\n  d: 2\ne:\n  f:\n    g: 3\n"));
    for text in [
        "- Fixed: a thing\n- Added: another\n- Removed: a third\n- Changed: a fourth\n",
        "Name: a\nStart Time: b\nLabels:\n  c: d\n",
        "a: 1\nb: 2\nc: 3\nd: 4\n",
        "error: it failed\n  at: x\n  at: y\nplain words\n",
    ] {
        assert!(!certain(text), "{text}");
    }
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

#[test]
fn elements_of_one_name_are_items() {
    let case = |i: usize| match i {
        60 => "  <case n=\"60\"><failure>error: it broke</failure></case>\n".to_owned(),
        _ => format!("  <case n=\"{i}\" t=\"0.{}\"/>\n", i % 7),
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<suite name=\"x\">\n  <properties/>\n{}  <out>{}</out>\n</suite>\n",
        (0..100).map(case).collect::<String>(),
        "a line of output &amp; more\n".repeat(200)
    );
    let out = shown(&text, &aggressive());
    assert!(out.contains("<case n=\"60\"><failure>error: it broke</failure></case>"), "{out}");
    assert!(out.contains("omitted 76 of 102 elements, siblings: case 76] -->"), "{out}");
    assert!(out.contains("characters, long_string]") && out.ends_with("</out></suite>\n"), "{out}");
    assert!(crate::formats::xml::read(&out, 0).is_ok() && out.contains("<properties/>"), "{out}");
    let standard = shown(&text.replace("a line of output &amp; more\n", ""), &Policy::default());
    assert!(
        !standard.contains("tersed") && standard.contains("<suite name=\"x\"><properties/><case"),
        "{standard}"
    );
    let mixed = text.replace("<properties/>", "<p>some <b>text</b></p>");
    assert!(shown(&mixed, &Policy::default()).contains("\n  <case"));
}

#[test]
fn keys_of_property_lists_stay_with_their_values() {
    let pair = |i: usize| match i % 5 {
        0 => format!("<key>k{i}</key><true/>"),
        1 | 2 => format!("<key>k{i}</key><integer>{i}</integer>"),
        _ => format!("<key>k{i}</key><string>v{i}</string>"),
    };
    let pairs: String = (0..90).map(|i| pair(i) + "\n").collect();
    let text =
        format!("<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n{pairs}</dict>\n</plist>\n");
    let out = shown(&text, &aggressive());
    assert!(out.contains("siblings: ") && out.len() < text.len(), "{out}");
    let shown: String = out.split_inclusive("-->").map(|part| part.split("<!--").next().unwrap()).collect();
    let kept = (0..90).filter(|&i| shown.contains(&pair(i))).count();
    assert!(kept >= 24, "{out}");
    assert_eq!(shown.matches("<key>").count(), kept, "{out}");
    assert_eq!(
        ["<true/>", "<integer>", "<string>"].map(|v| shown.matches(v).count()).iter().sum::<usize>(),
        kept
    );
}

#[test]
fn pages_lose_their_code() {
    let text = format!(
        "<!DOCTYPE html>\n<html>\n  <head>\n    <style>{}</style>\n    <script>{}</script>\n  </head>\n  <body>\n    <p>Hello <b>you</b></p>\n    <pre>\n  x\n    y\n</pre>\n  </body>\n</html>\n",
        "a { b: c }\n".repeat(60),
        "f();\n".repeat(90)
    );
    let out = shown(&text, &aggressive());
    assert_eq!(out.matches("page_code]").count(), 1, "{out}");
    assert!(out.contains("<p>Hello <b>you</b></p>\n<pre>\n  x\n    y\n</pre>"), "{out}");
    assert!(!shown(&text, &Policy::default()).contains("page_code"));
}

#[test]
fn a_plain_item_that_no_other_list_has_stands_out() {
    let role = |i: usize| {
        let extra = if i == 31 { "  - escalate\n" } else { "" };
        let list = if i == 44 { "" } else { "  - list\n" };
        let range = if i == 22 { "0.0.0.0/0" } else { "10.0.3.0/24" };
        format!(
            "- apiGroups:\n  - apps\n  verbs:\n  - get\n{list}  - watch\n{extra}  ranges:\n  - {range}\n  name: role-{i}\n"
        )
    };
    let text = format!("kind: List\nrules:\n{}", (0..60).map(role).collect::<String>());
    let out = shown(&text, &aggressive());
    for odd in ["  - escalate\n", "name: role-44\n", "  - 0.0.0.0/0\n"] {
        assert!(out.contains(odd), "{odd}: {out}");
    }
}

#[test]
fn lists_of_yaml_are_items() {
    let item = |i: usize| {
        format!(
            "- name: pod-{i}\n  status:\n    phase: {}\n  log: |\n    a\n    b\n",
            if i == 40 { "Failed" } else { "Running" }
        )
    };
    let text = format!(
        "apiVersion: v1\nkind: List\nitems:\n{}metadata:\n  x: 1\n",
        (0..60).map(item).collect::<String>()
    );
    let out = shown(&text, &aggressive());
    assert!(out.contains("# [tersed") && out.contains("omitted 36 of 60 items, array_items]"), "{out}");
    assert!(
        out.contains("- name: pod-40\n")
            && out.contains("- name: pod-59\n")
            && out.ends_with("metadata:\n  x: 1\n"),
        "{out}"
    );
    let squeezed = shown(&text, &Policy { squeeze: 9, ..aggressive() });
    assert!(squeezed.contains("items:\n  # [tersed") || squeezed.contains("pod-40"), "{squeezed}");
    assert!(squeezed.len() < 400, "{squeezed}");
    let documents = (0..40).map(|i| format!("---\nkind: A\nname: n{i}\n")).collect::<String>();
    let out = shown(&documents.repeat(2), &aggressive());
    assert!(out.contains("omitted 56 of 80 items") && out.ends_with("name: n39\n"), "{out}");
    assert!(!shown(&"a: b\nc: d\n".repeat(200), &aggressive()).contains("object_members"));
}

#[test]
fn rows_of_tables_are_items() {
    let csv = format!(
        "id,name,size\n{}",
        (0..100).map(|i| format!("{i},\"n, {i}\",{}\n", i % 5)).collect::<String>()
    );
    let out = shown(&csv, &aggressive());
    assert_eq!(out.lines().count(), 26, "{out}");
    assert!(
        out.lines()
            .any(|line| line.starts_with("\"[tersed")
                && line.ends_with("omitted 76 of 100 rows, table_rows]\",,")),
        "{out}"
    );
    let psql = format!(
        "  id  |   name    \n------+-----------\n{}(100 rows)\n",
        (0..100).map(|i| format!(" {i:>4} | name {i:<4} \n")).collect::<String>()
    );
    let out = shown(&psql, &aggressive());
    assert!(
        out.contains("omitted 76 of 100 rows, table_rows] |\n") && out.ends_with("(100 rows)\n"),
        "{out}"
    );
    assert!(out.contains("99 | name 99") && out.starts_with(" id | name\n"), "{out}");
}

#[test]
fn a_document_of_failures_is_not_cut_to_more_than_it_was() {
    let case = |i: usize| {
        format!("<case><log>{}</log><failure>error: {i} of them broke</failure></case>\n", "ab c".repeat(700))
    };
    let text = format!("<root>\n{}</root>\n", (0..30).map(case).collect::<String>());
    let outcome = run(ToolCall::default(), &text, &Policy { max_output_bytes: 4000, ..aggressive() });
    let out = outcome.texts.concat();
    assert!(out.starts_with("<root>") && out.trim_end().ends_with("</root>") && out.len() < 7000, "{out}");
    assert!((0..30).all(|i| out.contains(&format!("<failure>error: {i} of them broke</failure>"))), "{out}");
    assert!(outcome.evidence.steps.iter().all(|step| step.bytes_after <= step.bytes_before));
}

#[test]
fn members_that_tell_what_a_thing_is_stay() {
    let record = |i: usize| {
        let link = |name: &str| {
            format!(
                "https://api.example.com/organizations/of-the-example/repositories/of-things/{i}/{name}{{/number}}"
            )
        };
        json!({"archive_url": link("archive"), "assignees_url": link("assignees"), "blobs_url": link("blobs"),
               "branches_url": link("branches"), "number": i, "title": format!("Thing number {i}"),
               "labels_url": link("labels"), "state": "open", "message": null, "notes": [link("notes"), link("more")]})
    };
    // Four members of an item.
    let policy = Policy { array_max_items: Some(2), ..aggressive() };
    let text = serde_json::to_string(&json!([record(1), record(2)])).unwrap();
    let out = shown(&text, &policy);
    let back: Vec<Value> = serde_json::from_str(&out).unwrap();
    for (i, item) in back.iter().enumerate() {
        assert_eq!((&item["number"], &item["state"]), (&json!(i + 1), &json!("open")), "{out}");
        assert!(item["title"].is_string() && item["branches_url"].is_null(), "{out}");
    }
    // Markers do not name null members, and list the same names once.
    assert_eq!(out.matches("archive_url").count(), 1, "{out}");
    assert_eq!(out.matches("omitted 6 of 10 members, object_members").count(), 2, "{out}");
    assert!(!out.contains("message"), "{out}");
}

#[test]
fn what_is_too_deep_keeps_what_identifies_it() {
    let package = |name: &str| {
        json!({"metadata": {"summary": "text ".repeat(200), "name": name, "version": "2.8.0", "license": "", "requires": ["a", "b"]},
               "requested": false})
    };
    let text = serde_json::to_string(&json!({"installed": [package("click"), package("idna")]})).unwrap();
    // Three levels.
    let out = shown(&text, &Policy { squeeze: 7, ..aggressive() });
    let back: Value = serde_json::from_str(&out).unwrap();
    let first = &back["installed"][0]["metadata"];
    assert_eq!((&first["name"], &first["version"]), (&json!("click"), &json!("2.8.0")), "{out}");
    assert!(first["summary"].is_null() && out.contains("omitted 3 of 5 members, deep_value"), "{out}");
}
