//! For generated data, every table decodes to the values from which it was written.

use proptest::prelude::*;

use super::super::scan;
use super::compose;
use super::read::{expand, is_own};
use super::shape::{Shape, objects, string_end};
use super::write::{Form, Verbatim, place, table};
use crate::config::{Mode, Policy};
use crate::detect::Detection;
use crate::input::Input;
use crate::text::call::ToolCall;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;
use crate::text::source::Source;
use crate::tokens::TokenCounter;

#[test]
fn a_document_with_gaps_becomes_a_table_with_gaps() {
    let text =
        (0..40).map(|i| format!("{{\"id\":{i},\"name\":\"item {i}\"}}")).collect::<Vec<_>>().join("\n");
    let source = Source::new(&text);
    let rows: Vec<&str> = text.lines().step_by(8).collect();
    let marker = "\"[tersed: omitted 35 of 40 items, array_items]\"";
    let elided = format!("{{\"all\":[{marker},{}]}}", rows.join(","));
    let mut step = Reduction::default();
    step.replace(0..40, elided.clone(), Reason::LongLine);
    let ledger = Ledger::new(&source).apply(&source, step).unwrap();
    let (call, detection) = (ToolCall::default(), Detection::default());
    let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
    let relevance = &Relevance::default();
    let input = Input { source: &source, call: &call, detection: &detection, policy: &policy, relevance };
    let shown = super::in_replacements(&input, &ledger).unwrap().render(&source, None);
    assert!(
        shown.starts_with(&format!(
            "{{\"all\":[5 of 40]{{id:int,name:string}}\n{marker}\n0,item 0\n8,item 8\n"
        )),
        "{shown}"
    );
    assert_eq!(expand(&shown).unwrap(), elided);
}

/// A counter for which every table is cheaper than JSON, so that everything that can be a table becomes one.
struct Always;

impl TokenCounter for Always {
    fn name(&self) -> &'static str {
        "always"
    }

    fn count(&self, text: &str) -> usize {
        let header = text.lines().next().unwrap_or_default();
        usize::from(!(header.starts_with('[') && header.contains("]{")))
    }
}

/// Minified JSON with each string written in one way: equal for equal values, numbers by their text.
fn canonical(text: &str) -> String {
    let mut minified = String::new();
    let mut at = 0;
    while at < text.len() {
        at = scan::minify(text, at, &mut minified, &[]).unwrap_or_else(|at| panic!("{at}: {text}"));
        minified.push('\n');
        at += text[at..].len() - text[at..].trim_start().len();
    }
    let mut out = String::new();
    let mut at = 0;
    while at < minified.len() {
        if minified.as_bytes()[at] == b'"' {
            let end = string_end(minified.as_bytes(), at);
            let literal = &minified[at..end];
            match serde_json::from_str::<String>(literal) {
                Ok(text) => out.push_str(&serde_json::Value::from(text).to_string()),
                // Half a surrogate pair: it is compared as it is written.
                Err(_) => out.push_str(literal),
            }
            at = end;
        } else {
            let c = minified[at..].chars().next().unwrap_or_default();
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[ -!#-\\[\\]-~]{0,8}",
        2 => "(null|true|false|-?[0-9]{1,20}|1\\.50|1e9|\\{|\\[|,|, |\\[1\\]\\{a:int\\})",
        1 => "[äß→😀\u{a0}\u{2028}]{1,2}",
        1 => r#"\\["\\/bfnrt]"#,
        1 => r"\\u(00e9|0000|001b|202e|d800|d83d\\ude00|003c|005b|0022|000a)",
    ];
    proptest::collection::vec(piece, 0..3).prop_map(|p| format!("\"{}\"", p.concat()))
}

fn value(kind: u8) -> BoxedStrategy<String> {
    let null = Just("null".to_owned());
    match kind {
        0 => prop_oneof![4 => "-?(0|[1-9][0-9]{0,30})", 1 => null].boxed(),
        1 => {
            prop_oneof![4 => "-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?", 1 => null].boxed()
        }
        2 => prop_oneof![2 => "true|false", 1 => null].boxed(),
        3 => prop_oneof![6 => string(), 1 => null].boxed(),
        4 => prop_oneof![
            Just("[]".to_owned()),
            Just("{}".to_owned()),
            Just("null".to_owned()),
            string().prop_map(|s| format!("[{s},1]")),
            string().prop_map(|s| format!("[{{\"k\":{s}}}]")),
        ]
        .boxed(),
        // A mix of all types, which most tables cannot hold.
        _ => prop_oneof![string(), "[1-9][0-9]{0,2}", Just("{\"z\":[[1]]}".to_owned())].boxed(),
    }
}

/// A member: its key and its value, or nothing.
fn member(key: &'static str, kind: u8) -> BoxedStrategy<Option<String>> {
    prop_oneof![
        5 => value(kind).prop_map(move |v| Some(format!("{key}:{v}"))),
        1 => Just(None),
    ]
    .boxed()
}

fn object(members: Vec<BoxedStrategy<Option<String>>>) -> BoxedStrategy<String> {
    members.prop_map(|m| format!("{{{}}}", m.into_iter().flatten().collect::<Vec<_>>().join(","))).boxed()
}

/// Objects with the same keys, some of them missing, some nested.
fn rows() -> impl Strategy<Value = Vec<String>> {
    let kinds = proptest::collection::vec(prop_oneof![20 => 0u8..5, 1 => Just(5u8)], 5);
    kinds.prop_flat_map(|kinds| {
        let inner = object(vec![member("\"x\"", kinds[0]), member("\"a.b\"", kinds[1])]);
        let nested = prop_oneof![
            6 => inner.prop_map(|o| Some(format!("\"in ner\":{o}"))),
            1 => Just(Some("\"in ner\":null".to_owned())),
            1 => Just(None),
        ];
        let row = object(vec![
            member("\"id\"", kinds[2]),
            nested.boxed(),
            member("\"a,\\\"b\"", kinds[3]),
            member("\"ü\"", kinds[4]),
        ]);
        proptest::collection::vec(row, 1..6)
    })
}

proptest! {
    #[test]
    fn every_table_is_read_back(rows in rows(), lines in any::<bool>(), bare in any::<bool>(), kept in any::<u8>()) {
        let text = format!("[{}]", rows.join(","));
        let Ok(shape) = Shape::read(objects(&text, 0).unwrap().0) else { return Ok(()) };
        prop_assume!(!shape.columns.is_empty());
        let chosen = |i: &usize| kept >> i & 1 == 1;
        let verbatim: Verbatim = shape.rows.iter().enumerate().filter(|(i, _)| chosen(i))
            .map(|(i, row)| (place(row), format!("{row}{}", if i % 2 == 0 { "," } else { "" }))).collect();
        let form = if bare { Form::Bare } else { Form::Typed };
        let written = table(&shape, form, lines, &verbatim, usize::MAX);
        let read = expand(&written);
        prop_assert!(read.is_some(), "{}", written);
        let expected = if lines { rows.join("\n") } else { text };
        prop_assert_eq!(canonical(&read.unwrap()), canonical(&expected), "{}", written);
        prop_assert!(is_own(&written));
        // Also inside other text.
        let around = format!("before [1]\n{written}after\n");
        let read = expand(&around).unwrap();
        let inner = read.strip_prefix("before [1]\n").and_then(|r| r.strip_suffix("after\n")).unwrap();
        prop_assert_eq!(canonical(inner), canonical(&expected));
    }

    #[test]
    fn every_document_is_read_back(a in rows(), b in rows(), odd in string(), order in any::<bool>()) {
        let (a, b) = (a.join(","), b.join(","));
        let first = if order { "\"n\":1," } else { "" };
        let text = format!("{{{first}\"s\":{odd},\"a\":[{a}],\"deep\":[[{{\"b\":[{b}]}}]],\"end\":null}}");
        let Ok(composed) = compose::document(&text, &Verbatim::new(), &Always) else { return Ok(()) };
        let read = expand(&composed.text);
        prop_assert_eq!(read.map(|r| canonical(&r)), Some(canonical(&text)), "{}", composed.text);
        prop_assert!(is_own(&composed.text));
    }

    #[test]
    fn other_text_is_no_table(text in "(\\[[0-9]{1,2}( lines)?\\]\\{[a-c.,:\"ints]{0,12}\\}:?\n|[0-9a-c,\"\\{\\}\\[\\]\n]{0,9}){0,8}") {
        // For any text, reading ends, and every table becomes JSON.
        if let Some(read) = expand(&text) {
            prop_assert_ne!(read, text);
        }
    }
}

#[test]
fn a_document_on_one_line_is_told_by_what_it_says_of_failures() {
    use crate::config::{Mode, Policy};
    use crate::pipeline::{Raw, compress, repeat::dedup::NoHistory};
    use crate::text::call::ToolCall;

    let row = |i: usize, state: &str| {
        format!(r#"{{"id": {i}, "name": "row {i}", "status": "{state}", "error": null}}"#)
    };
    let all: Vec<String> = (0..24).map(|i| row(i, "passed")).collect();
    let one: Vec<String> = (0..24).map(|i| row(i, if i == 12 { "failed" } else { "passed" })).collect();
    for (text, failed) in [
        (format!("[{}]", all.join(", ")), None),
        (format!("{}\n", all.join("\n")), None),
        (format!(r#"{{"items": [{}], "errors": []}}"#, all.join(", ")), None),
        (format!("[{}]", one.join(", ")), Some(r#""status": "failed""#)),
    ] {
        let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
        let out = compress(&ToolCall::default(), &[Raw::Text(&text)], &policy, false, &NoHistory).unwrap();
        let table = out.texts.concat();
        assert!(table.contains("{id:int,name:string,status:string,error:null}"), "{table}");
        assert_eq!(failed.is_some(), table.contains("failed"), "{table}");
        assert!(failed.is_none_or(|failed| table.contains(failed)), "{table}");
    }
}
