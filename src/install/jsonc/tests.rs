//! Texts as people write them, and random texts.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn ours() -> Vec<Part> {
    Part::of(&json!({
        "mcpServers": { "tersed": { "command": "tersed", "args": ["mcp"] } },
        "hooks": { "PostToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "tersed hook x" }] }] },
    }))
}

fn server() -> Vec<Part> {
    ours().into_iter().take(1).collect()
}

#[track_caller]
fn check(parts: &[Part], before: &str, after: &str) {
    let (with, made) = add(before, parts).unwrap();
    assert_eq!(with, after);
    assert_eq!(add(&with, parts).unwrap(), (with.clone(), Vec::new()), "a second time");
    assert_eq!(remove(&with, parts, Some(&made)).unwrap(), before);
}

#[test]
fn comments_order_and_indentation_stay() {
    check(
        &server(),
        "{\n    // servers of mine\n    \"mcpServers\": {\n        \"a\": {}, // the first\n        \"b\": {} /* the last */\n    },\n    \"x\": 1\n}\n",
        "{\n    // servers of mine\n    \"mcpServers\": {\n        \"a\": {}, // the first\n        \"b\": {}, /* the last */\n        \
         \"tersed\": {\n            \"command\": \"tersed\",\n            \"args\": [\n                \"mcp\"\n            ]\n        }\n    },\n    \"x\": 1\n}\n",
    );
}

#[test]
fn a_comma_at_the_end_is_kept_as_a_habit() {
    check(
        &server(),
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": 1,\r\n\t},\r\n}",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": 1,\r\n\t\t\"tersed\": {\r\n\t\t\t\"command\": \"tersed\",\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"mcp\"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n}",
    );
}

#[test]
fn one_line_stays_one_line() {
    check(
        &server(),
        r#"{"a":1,"mcpServers":{}}"#,
        r#"{"a":1,"mcpServers":{"tersed": {"command":"tersed","args":["mcp"]}}}"#,
    );
    check(&server(), r#"{"a":1}"#, r#"{"a":1,"mcpServers": {"tersed":{"command":"tersed","args":["mcp"]}}}"#);
}

#[test]
fn the_tree_of_the_library_cannot_undo() {
    use jsonc_parser::cst::{CstInputValue, CstRootNode};
    let of_library = |text: &str| {
        let read = |text: &str| CstRootNode::parse(text, &ParseOptions::default()).unwrap();
        let root = read(text);
        root.object_value().unwrap().append("mcpServers", CstInputValue::Object(Vec::new()));
        let root = read(&root.to_string());
        root.object_value().unwrap().get("mcpServers").unwrap().remove();
        root.to_string()
    };
    for text in ["{\"a\":1}", "{ \"a\": 1 }", "{\"a\": 1,\n \"b\": 2}", "{\n  \"a\": 1,\n\n}\n"] {
        assert_ne!(of_library(text), text, "{text}");
        let (with, made) = add(text, &server()).unwrap();
        assert_eq!(remove(&with, &server(), Some(&made)).unwrap(), text);
    }
    assert_eq!(of_library("{\n  \"a\": 1\n}\n"), "{\n  \"a\": 1\n}\n");
}

#[test]
fn what_users_put_beside_ours_stays() {
    let (with, made) = add("{\n  \"a\": 1 // one\n}\n", &ours()).unwrap();
    let changed = with
        .replace("\"hooks\": [\n", "\"hooks\": [\n          { \"command\": \"mine\" },\n")
        .replace("\"a\": 1,", "\"a\": 2,");
    assert_ne!(changed, with);
    let left = remove(&changed, &ours(), Some(&made)).unwrap();
    assert_eq!(
        left,
        "{\n  \"a\": 2, // one\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \
         \"hooks\": [\n          { \"command\": \"mine\" }\n        ]\n      }\n    ]\n  }\n}\n"
    );
}

#[test]
fn what_follows_a_comment_does_not_become_part_of_it() {
    let text =
        "{\n  \"mcpServers\": { \"a\": 1, // one\n  \"tersed\": { \"command\": \"tersed\" }, \"b\": 2 }\n}";
    let left = remove(text, &server(), None).unwrap();
    assert_eq!(value(&left).unwrap().unwrap(), json!({ "mcpServers": { "a": 1, "b": 2 } }));
    assert!(left.contains("// one\n"));
}

#[test]
fn an_empty_object_of_the_user_stays_and_one_of_ours_goes() {
    for text in ["{\n  \"mcpServers\": {}\n}\n", "{}\n", "{\n  \"hooks\": { /* none */ }\n}"] {
        let (with, made) = add(text, &ours()).unwrap();
        assert_eq!(remove(&with, &ours(), Some(&made)).unwrap(), text);
    }
    // If the earlier state is unknown, a container that is empty without us counts as ours.
    let (with, _) = add("{\n  \"a\": 1\n}\n", &ours()).unwrap();
    assert_eq!(remove(&with, &ours(), None).unwrap(), "{\n  \"a\": 1\n}\n");
    assert_eq!(remove("{ \"mcpServers\": {} }", &ours(), None).unwrap(), "{ \"mcpServers\": {} }");
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_line() {
    let refused = |text: &str| add(text, &ours()).unwrap_err();
    let fault = refused("{\n  \"a\": 1\n  \"b\": 2\n}");
    assert_eq!(fault.line, 2, "{fault:?}");
    assert!(fault.text.starts_with("not JSON: "), "{fault:?}");
    assert_eq!(
        refused("{\n\"hooks\": []}"),
        Fault { line: 2, text: "`hooks` is an array, expected an object".into() }
    );
    assert_eq!(refused("[]"), Fault { line: 1, text: "the whole is an array, expected an object".into() });
    assert_eq!(
        refused("{\"mcpServers\": {},\n\n\"mcpServers\": {}}"),
        Fault { line: 3, text: "`mcpServers` is given twice".into() }
    );
    let foreign = refused("{\"mcpServers\": {\"tersed\": {\"command\": \"other\"}}}");
    assert!(foreign.text.contains("is there already and is not of tersed"), "{foreign:?}");
    for text in ["{'a': 1}", "{a: 1}", "{\"a\": 0x1}", "{", "{} x", "{\"a\": +1}"] {
        assert!(add(text, &ours()).is_err(), "{text}");
    }
}

/// Writes a document with random white space, comments and trailing commas.
fn document() -> impl Strategy<Value = String> {
    let space = prop_oneof![
        4 => Just(""), 2 => Just(" "), 2 => Just("\n"), 2 => Just("\n    "), 1 => Just("\n\t"), 1 => Just(" // c\n"),
        1 => Just(" /* c */ "), 1 => Just("/* a\n b */"), 1 => Just("\r\n  "),
    ];
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("null".to_owned()),
        Just("\"é\\u00e9 // \\\" ,}\"".to_owned()),
        Just("{}".to_owned()),
        Just("[]".to_owned()),
        Just("{ }".to_owned()),
        Just("-1.5e3".to_owned()),
    ];
    let names = prop::sample::subsequence(
        vec!["a", "b", "mcpServers", "hooks", "tersed-other", "PostToolUse", "\\u0061b"],
        0..5,
    );
    let value = leaf.prop_recursive(3, 24, 4, {
        let space = space.clone();
        let names = names.clone();
        move |inner| {
            let array =
                (prop::collection::vec((space.clone(), inner.clone(), space.clone()), 1..4), any::<bool>())
                    .prop_map(|(all, comma)| {
                        let all: Vec<String> =
                            all.into_iter().map(|(a, v, b)| format!("{a}{v}{b}")).collect();
                        format!("[{}{}]", all.join(","), if comma { "," } else { "" })
                    });
            prop_oneof![array, object(names.clone(), space.clone(), inner)]
        }
    });
    (object(names, space.clone(), value), space.clone(), space, any::<bool>())
        .prop_map(|(root, a, b, mark)| format!("{}{a}{root}{b}", if mark { "\u{feff}" } else { "" }))
}

fn object(
    names: impl Strategy<Value = Vec<&'static str>>,
    space: impl Strategy<Value = &'static str> + Clone,
    value: impl Strategy<Value = String> + Clone,
) -> impl Strategy<Value = String> {
    (names, prop::collection::vec((space.clone(), space.clone(), value, space), 5), any::<bool>()).prop_map(
        |(names, all, comma)| {
            if names.is_empty() {
                return "{}".to_owned();
            }
            let members =
                names.iter().zip(all).map(|(name, (a, b, v, c))| format!("{a}\"{name}\":{b}{v}{c}"));
            format!("{{{}{}}}", members.collect::<Vec<_>>().join(","), if comma { "," } else { "" })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Added parts are present, adding twice changes nothing, and removal restores every byte.
    #[test]
    fn every_document_comes_back(text in document()) {
        let Ok((with, made)) = add(&text, &ours()) else {
            // Only a member of the wrong kind is refused.
            let root = value(text.trim_start_matches('\u{feff}')).unwrap().unwrap();
            let is_object = |value: Option<&Value>| value.is_none_or(Value::is_object);
            let is_array = |value: Option<&Value>| value.is_none_or(Value::is_array);
            let hooks = root.get("hooks");
            prop_assert!(!is_object(root.get("mcpServers")) || !is_object(hooks)
                || !is_array(hooks.and_then(|hooks| hooks.get("PostToolUse"))));
            return Ok(());
        };
        let root = value(with.trim_start_matches('\u{feff}')).unwrap().unwrap();
        prop_assert!(ours().iter().all(|part| part.is_held(&root)));
        prop_assert_eq!(&add(&with, &ours()).unwrap().0, &with);
        prop_assert_eq!(remove(&with, &ours(), Some(&made)).unwrap(), text);
    }

    /// A member added after ours stays as it would be without ours.
    #[test]
    fn later_changes_stay(text in document()) {
        let later = Part::Default { path: vec!["zzz".into()], value: json!({ "k": [1] }) };
        let Ok((with, made)) = add(&text, &ours()) else { return Ok(()) };
        let (changed, _) = add(&with, std::slice::from_ref(&later)).unwrap();
        let left = remove(&changed, &ours(), Some(&made)).unwrap();
        let value_of = |text: &str| value(text.trim_start_matches('\u{feff}')).unwrap();
        let (wanted, _) = add(&text, &[later]).unwrap();
        prop_assert_eq!(value_of(&left), value_of(&wanted));
        let comments = |text: &str| (text.matches("// c").count(), text.matches("/*").count());
        prop_assert_eq!(comments(&left), comments(&wanted));
    }

    /// Never panics, and a refused text stays unchanged.
    #[test]
    fn any_text_is_answered(text in "[{}\\[\\]\":, \\n/*a\\\\]{0,24}") {
        let _ = add(&text, &ours());
        let _ = remove(&text, &ours(), None);
    }
}
