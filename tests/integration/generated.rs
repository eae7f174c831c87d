//! Generated files equal the committed ones: the schema, the metadata, the tables in documents, the page of reducers,
//! the examples, the types of the clients. `BLESS=1` writes them again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use crate::common::fixture::Fixture;
use crate::common::{Schema, bless, call_text, repository};
use regex::Regex;
use serde_json::Value;
use tersed::config;
use tersed::engine::{METHODS, protocol_schema as schema};
use tersed::pipeline::evidence::{Evidence, Status};
use tersed::protocol::{Kind, error, notification};
use tersed::reduce::{self, Meta};
use tersed::text::reason::Reason;

#[path = "../../build/failures.rs"]
mod failures;
#[path = "../../src/text/signals/patterns.rs"]
#[allow(dead_code, reason = "only all of them are asked for")]
mod patterns;

/// Compares a committed file with its expected content, or writes it.
fn same(path: &str, expected: &str) {
    let file = repository(path);
    if bless() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, expected).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{path}: {e}"));
    assert!(committed == expected, "{path} is not what the code says; BLESS=1 writes it anew");
}

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn schema_and_metadata_are_those_of_the_code() {
    same("protocol/v1/schema.json", &schema::schema_json());
    same("protocol/v1/meta.json", &schema::meta_json());
}

#[test]
fn the_stored_automata_are_those_of_the_regexes() {
    let regexes = patterns::ALL;
    let automata: Vec<Vec<u8>> = regexes.iter().map(|regex| failures::automaton(regex, true)).collect();
    let file = repository("build/failures.zst");
    if bless() {
        let mut packed = failures::digest(&regexes).to_le_bytes().to_vec();
        for automaton in &automata {
            packed.extend(u32::try_from(automaton.len()).unwrap().to_le_bytes());
            packed.extend(automaton);
        }
        fs::write(&file, zstd::encode_all(&packed[..], 19).unwrap()).unwrap();
    }
    let stored = zstd::decode_all(&fs::read(&file).unwrap()[..]).unwrap();
    let is_same = failures::unpacked(&stored, &regexes).is_some_and(|stored| stored == automata);
    assert!(is_same, "build/failures.zst is of other regexes; BLESS=1 writes it anew");
    assert_eq!(failures::unpacked(&stored, &regexes[..2]), None);
}

#[test]
fn the_page_of_settings_is_that_of_the_code() {
    same("protocol/v1/config.schema.json", &config::schema::schema_json());
    same("protocol/configuration.md", &config::page::page());
}

#[test]
fn the_binary_prints_what_is_committed() {
    for (what, file) in [("schema", "protocol/v1/schema.json"), ("meta", "protocol/v1/meta.json")] {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_tersed")).args(["protocol", what]).output();
        assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), read(file));
    }
}

#[test]
fn types_of_the_clients_are_those_of_the_schema() {
    for (path, text) in crate::bindings::files(Schema::new().document()) {
        same(path, &text);
    }
}

/// The documents with generated tables, and the tables that each must have.
const DOCUMENTS: &[(&str, &[&str])] = &[("protocol/spec.md", &["methods", "errors", "reasons", "reducers"])];

#[test]
fn tables_in_documents_are_those_of_the_code() {
    let block = Regex::new(r"(?s)<!-- generated:(\w+) -->\n.*?<!-- /generated -->").unwrap();
    for (path, wanted) in DOCUMENTS {
        let text = read(path);
        let found: Vec<String> = block.captures_iter(&text).map(|c| c[1].to_owned()).collect();
        assert_eq!(found, *wanted, "{path}");
        let expected = block.replace_all(&text, |block: &regex::Captures<'_>| {
            let table = match &block[1] {
                "methods" => schema::methods_table(),
                "errors" => schema::errors_table(),
                "reasons" => schema::reasons_table(),
                "reducers" => schema::reducers_table(),
                other => panic!("{path}: unknown table {other}"),
            };
            format!("<!-- generated:{} -->\n{table}<!-- /generated -->", &block[1])
        });
        same(path, &expected);
    }
}

/// The matches of the group of a pattern in a text.
fn named(text: &str, pattern: &str) -> BTreeSet<String> {
    Regex::new(pattern).unwrap().captures_iter(text).map(|c| c[1].to_owned()).collect()
}

#[test]
fn what_the_spec_names_exists() {
    let spec = read("protocol/spec.md");
    let codes: BTreeSet<String> = error::ALL.iter().map(|(code, _)| code.to_string()).collect();
    assert_eq!(named(&spec, r"`(-32\d{3})`"), codes);
    let methods: BTreeSet<String> = METHODS.iter().map(|m| m.name.to_owned()).collect();
    assert_eq!(
        named(&spec, r"`((?:toolResult|artifact|session|messages|toolSchema|rules|config|workspace)/\w+)`"),
        methods
    );
    let changes = named(&read("protocol/CHANGELOG.md"), r"`(\w+/\w+)`");
    let unasked = [notification::EVENT, notification::LOG_MESSAGE].map(str::to_owned).into();
    assert_eq!(changes.difference(&unasked).cloned().collect::<BTreeSet<_>>(), methods);

    let rows = |heading: &str| {
        let section = spec.split(heading).nth(1).unwrap_or_else(|| panic!("no {heading}"));
        let table = section.split_once("\n| ---").unwrap().1.split("\n\n").next().unwrap();
        table
            .lines()
            .skip(1)
            .flat_map(|row| named(row.split('|').nth(1).unwrap(), r"`(\w+)`"))
            .collect::<BTreeSet<_>>()
    };
    let status = |s: &Status| s.name().to_owned();
    let all = [
        Status::Unchanged,
        Status::Compressed,
        Status::Duplicate,
        Status::Bypassed,
        Status::Suppressed,
        Status::FailedOpen,
    ];
    assert_eq!(rows("`status` is one of"), all.iter().map(status).collect());
    let policy = Schema::new().document()["$defs"]["PolicyPatch"]["properties"].clone();
    assert_eq!(rows("### 4.2 Policy"), policy.as_object().unwrap().keys().cloned().collect());
}

#[test]
fn codes_are_stable_names_and_unique() {
    let form = Regex::new("^[a-z]+(_[a-z0-9]+)*$").unwrap();
    let ids: Vec<&str> = reduce::all().map(|r| r.meta().id).collect();
    let reasons: Vec<&str> = Reason::ALL.iter().map(|r| r.code()).collect();
    for names in [ids, reasons] {
        assert!(names.iter().all(|n| form.is_match(n)), "{names:?}");
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }
}

/// Every `$ref` of a value.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member.as_str()) {
                    ("$ref", Some(target)) => drop(found.insert(target.to_owned())),
                    _ => references(member, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn the_schema_is_whole_and_strict_where_the_server_is() {
    let schema = Schema::new();
    let document = schema.document();
    let mut found = BTreeSet::new();
    references(document, &mut found);
    assert!(found.len() > 10, "{found:?}");
    for target in &found {
        assert!(document.pointer(target.strip_prefix('#').unwrap()).is_some(), "{target} leads nowhere");
    }
    let definitions = document["$defs"].as_object().unwrap();
    for name in definitions.keys() {
        assert!(found.contains(&format!("#/$defs/{name}")), "{name} is not used");
    }
    for (name, definition) in definitions {
        assert!(definition["description"].is_string(), "{name} has no description");
        for (member, property) in definition["properties"].as_object().into_iter().flatten() {
            assert!(property["description"].is_string(), "{name}.{member} has no description");
        }
    }
    for strict in ["PolicyPatch", "Options"] {
        assert_eq!(definitions[strict]["additionalProperties"], false, "{strict}");
    }
    for params in [
        "CompressParams",
        "BatchParams",
        "OpenParams",
        "SessionParams",
        "EvictedParams",
        "ReadParams",
        "MessagesParams",
        "StreamOpenParams",
        "AppendParams",
        "StreamParams",
        "StreamCloseParams",
    ] {
        let id = &definitions[params]["properties"]["sessionId"];
        assert_eq!((&id["minLength"], &id["maxLength"]), (&1.into(), &512.into()), "{params}");
    }
}

#[test]
fn the_schema_refuses_what_the_server_refuses() {
    let schema = Schema::new();
    let engine = crate::common::engine();
    let params = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let place = Schema::place("toolResult/compress", "params");
    for (good, text) in [
        (true, r#"{"result":{"content":"x"}}"#),
        (true, r#"{"result":{"output":[]}}"#),
        (
            true,
            r#"{"result":{"id":"a","call_id":"b","name":"n","argv":["x"],"file_path":"p","content":"x"}}"#,
        ),
        (true, r#"{"result":{"content":"x"},"policy":{"mode":"balanced"}}"#),
        (true, r#"{"result":{"content":"x"},"policy":{"mode":null}}"#),
        (false, r#"{}"#),
        (false, r#"{"result":{}}"#),
        (false, r#"{"result":[]}"#),
        (false, r#"{"result":{"content":5}}"#),
        (false, r#"{"result":{"content":"x","toolCallId":""}}"#),
        (false, r#"{"result":{"content":"x","call_id":""}}"#),
        (false, r#"{"result":{"content":"x","exit_code":"1"}}"#),
        (false, r#"{"result":{"content":"x","cmd":7}}"#),
        (false, r#"{"sessionId":"","result":{"content":"x"}}"#),
        (false, r#"{"result":{"content":"x"},"policy":{"mode":"turbo"}}"#),
        (false, r#"{"result":{"content":"x"},"policy":{"minBytes":-1}}"#),
        (false, r#"{"result":{"content":"x"},"policy":{"maxOutputBytes":1048577}}"#),
        (false, r#"{"result":{"content":"x"},"policy":{"maxOutputBytes":0}}"#),
        (false, r#"{"result":{"content":"x"},"policy":{"maxOutputByte":1}}"#),
        (false, r#"{"result":{"content":"x"},"policy":[]}"#),
    ] {
        let errors = schema.errors(&place, &params(text));
        assert_eq!(errors.is_empty(), good, "{text}: {errors:?}");
        let answer = call_text(&engine, "toolResult/compress", text);
        assert_eq!(answer.is_ok(), good, "{text}: {answer:?}");
    }
}

/// The examples in an order in which they make sense: one session from open to close.
const EXAMPLES: &[&str] = &[
    "session/open",
    "toolResult/compress",
    "toolResult/compressBatch",
    "toolResult/open",
    "toolResult/append",
    "toolResult/peek",
    "toolResult/close",
    "toolResult/discard",
    "messages/compress",
    "toolSchema/minify",
    "rules/check",
    "artifact/list",
    "artifact/read",
    "artifact/search",
    "session/fork",
    "session/evicted",
    "session/compacted",
    "session/stats",
    "session/reclaim",
    "session/reclaimed",
    "session/close",
    "config/reload",
    "workspace/didChangeConfiguration",
];

#[test]
fn examples_are_what_the_server_says() {
    let all: BTreeSet<&str> = METHODS.iter().map(|m| m.name).collect();
    assert_eq!(EXAMPLES.iter().copied().collect::<BTreeSet<_>>(), all);
    let folders = fs::read_dir(repository("protocol/v1/examples")).unwrap().count();
    assert_eq!(folders, all.len(), "a folder for every method and no other");
    let schema = Schema::new();
    let engine = crate::common::engine();
    for name in EXAMPLES {
        let method = METHODS.iter().find(|m| m.name == *name).unwrap();
        let folder = format!("protocol/v1/examples/{}", name.replace('/', "."));
        let params = read(&format!("{folder}/params.json"));
        let value: Value = serde_json::from_str(&params).unwrap();
        assert_eq!(schema.errors(&Schema::place(name, "params"), &value), [""; 0], "{name}");
        // Events that a host sent earlier.
        if let Ok(before) = fs::read_to_string(repository(&format!("{folder}/before.jsonl"))) {
            for line in before.lines() {
                let message: Value = serde_json::from_str(line).unwrap();
                call_text(&engine, message["method"].as_str().unwrap(), &message["params"].to_string())
                    .unwrap();
            }
        }
        let answer: Value = serde_json::from_str(&call_text(&engine, name, params.trim()).unwrap()).unwrap();
        if method.kind == Kind::Notification {
            assert!(!repository(&format!("{folder}/result.json")).exists(), "{name} is not answered");
            continue;
        }
        assert_eq!(schema.errors(&Schema::place(name, "result"), &answer), [""; 0], "{name}");
        same(&format!("{folder}/result.json"), &(serde_json::to_string_pretty(&answer).unwrap() + "\n"));
    }
}

#[test]
fn the_page_of_reducers_is_that_of_the_code() {
    let mut page = String::from(
        "# Reducers\n\n\
         Generated from the table of reducers and from the evidence of their fixtures. Each reducer understands one\n\
         kind of output by its grammar; lines that it does not understand are kept. *Saved* is the share of tokens\n\
         that the whole pipeline saves in the fixtures in which the reducer was used.\n\n\
         | reducer | fixtures | used in | tokens before | tokens after | saved |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut texts = String::new();
    let fixtures = Fixture::all(&["reduce"]);
    for reducer in reduce::all() {
        let Meta { id, family, reads, keeps, omits: folds, .. } = reducer.meta();
        let start = format!("reduce/{id}/");
        let cases: Vec<&Fixture> = fixtures.iter().filter(|case| case.name().starts_with(&start)).collect();
        let evidence = cases.iter().map(|case| case.json::<Evidence>("evidence.json"));
        let used: Vec<Evidence> = evidence.filter(|e| e.reducer.as_deref() == Some(*id)).collect();
        let before: usize = used.iter().map(|e| e.tokens.before).sum();
        let after: usize = used.iter().map(|e| e.tokens.after).sum();
        assert!(before > 0, "{id} is used in no fixture");
        let saved = (before - after) as f64 * 100.0 / before as f64;
        let (cases, used) = (cases.len(), used.len());
        writeln!(page, "| `{id}` | {cases} | {used} | {before} | {after} | {saved:.0} % |").unwrap();
        write!(
            texts,
            "\n## `{id}`\n\nFamily `{family}`.\n\n- Reads: {reads}\n- Keeps: {keeps}\n- Folds: {folds}\n"
        )
        .unwrap();
    }
    same("protocol/reducers.md", &(page + &texts));
}
