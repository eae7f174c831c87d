//! Texts as people write them, and random texts.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn ours() -> Vec<Part> {
    Part::of(&json!({
        "mcp_servers": { "tersed": { "command": "tersed", "args": ["mcp"], "env": { "A B": "c\"d" } } },
        "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "tersed hook x" }] }] },
    }))
}

#[test]
fn tables_come_at_the_end() {
    let text = "model = \"m\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n# the end\n";
    let with = add(text, &ours()).unwrap();
    assert_eq!(
        with,
        format!(
            "{text}\n[mcp_servers.tersed]\ncommand = \"tersed\"\nargs = [\"mcp\"]\n\n[mcp_servers.tersed.env]\n\"A B\" = 'c\"d'\n\n\
             [[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"tersed hook x\"\n"
        )
    );
    assert_eq!(remove(&with, &ours()).unwrap(), text);
}

#[test]
fn what_comes_behind_ours_stays() {
    let with = add("a = 1\n", &ours()).unwrap();
    let changed = format!("{with}\n# trusted\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n");
    assert_eq!(
        remove(&changed, &ours()).unwrap(),
        "a = 1\n\n# trusted\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n"
    );
}

#[test]
fn a_hook_of_the_user_in_our_group_stays() {
    let with = add("", &ours()).unwrap();
    let changed = format!("{with}\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n");
    assert_eq!(
        remove(&changed, &ours()).unwrap(),
        "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n"
    );
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_line() {
    let fault = add("a = 1\nmcp_servers = { x = { command = \"y\" } }\n", &ours()).unwrap_err();
    assert_eq!(fault.line, 2);
    assert!(fault.text.contains("`mcp_servers.tersed` cannot be added"), "{fault:?}");
    assert_eq!(add("a = 1\nb =\n", &ours()).unwrap_err().line, 2);
    let fault = remove("mcp_servers.tersed = { command = \"tersed\" }\n", &ours()).unwrap_err();
    assert!(fault.text.contains("take it out by hand"), "{fault:?}");
}

#[test]
fn a_value_that_all_need_is_set_once() {
    let parts = Part::of(&json!({ "features": { "hooks": true } }));
    assert_eq!(add("[features]\nx = 1\n", &parts).unwrap(), "[features]\nhooks = true\nx = 1\n");
    assert_eq!(add("a = 1\n", &parts).unwrap(), "a = 1\n\n[features]\nhooks = true\n");
    assert_eq!(add("[features]\nhooks = false\n", &parts).unwrap(), "[features]\nhooks = false\n");
}

fn document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# c"),
        Just(""),
        Just("  "),
        Just("[mcp_servers.a]"),
        Just("[mcp_servers]"),
        Just("[t]"),
        Just("[[l]]"),
        Just("[[hooks.PreToolUse]]"),
        Just("[hooks]"),
        Just("[ x . y ] # z"),
        Just("'q w' = [\n 1, # one\n]"),
        Just("m = \"\"\"\n[x]\n\"\"\""),
        Just("i = { a = 1 }"),
        Just("d.e = 2"),
        Just("n = 1979-05-27"),
    ];
    (prop::collection::vec(line, 0..8), any::<bool>(), any::<bool>()).prop_map(|(lines, crlf, end)| {
        let text = lines.join("\n") + if end { "\n" } else { "" };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_document_comes_back(text in document().prop_filter("TOML", |text| value(text).is_ok())) {
        let with = add(&text, &ours()).unwrap();
        let root = value(&with).unwrap();
        prop_assert!(ours().iter().all(|part| part.is_held(&root)));
        prop_assert_eq!(&add(&with, &ours()).unwrap(), &with);
        prop_assert_eq!(remove(&with, &ours()).unwrap(), text);
    }
}
