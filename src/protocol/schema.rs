//! The published description of the wire, made from the method table and the Rust types.
//!
//! `protocol/v1/schema.json` and `protocol/v1/meta.json` are these texts; a test compares them.

use std::fmt::Write as _;

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::error::{self, ErrorData};
use super::initialize::{Capabilities, Options};
use super::{Kind, METHODS, VERSION};
use crate::pipeline::reason::Reason;
use crate::reduce::REDUCERS;

/// JSON Schema of everything that goes over the wire: `methods.<name>.params` and `.result`, and the
/// types that they share under `$defs`.
pub fn schema_json() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut methods = serde_json::Map::new();
    for method in METHODS {
        let mut entry = serde_json::Map::new();
        entry.insert("params".into(), json!((method.params)(&mut generator)));
        if method.kind == Kind::Request {
            entry.insert("result".into(), json!((method.result)(&mut generator)));
        }
        methods.insert(method.name.into(), Value::Object(entry));
    }
    let initialize = json!({
        "options": generator.subschema_for::<Options>(),
        "capabilities": generator.subschema_for::<Capabilities>(),
    });
    let error = generator.subschema_for::<ErrorData>();
    pretty(&json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("tersed protocol, version {VERSION}"),
        "methods": methods,
        "initialize": initialize,
        "errorData": error,
        "$defs": generator.take_definitions(true),
    }))
}

/// Methods, error codes, reason codes and reducers, for tools and for the documentation.
pub fn meta_json() -> String {
    let kind = |k: Kind| if k == Kind::Request { "request" } else { "notification" };
    let methods: Vec<Value> = METHODS
        .iter()
        .map(|m| json!({ "name": m.name, "kind": kind(m.kind), "summary": m.summary }))
        .collect();
    let reasons: Vec<Value> =
        Reason::ALL.iter().map(|r| json!({ "code": r.code(), "meaning": r.doc() })).collect();
    let reducers: Vec<Value> = REDUCERS
        .iter()
        .map(|r| r.meta())
        .map(|m| json!({ "id": m.id, "family": m.family, "reads": m.reads, "keeps": m.keeps, "folds": m.folds }))
        .collect();
    let errors: Vec<Value> =
        error::ALL.iter().map(|(code, meaning)| json!({ "code": code, "meaning": meaning })).collect();
    pretty(&json!({
        "version": VERSION,
        "methods": methods,
        "errors": errors,
        "reasons": reasons,
        "reducers": reducers,
    }))
}

/// The methods as a Markdown table.
pub fn methods_table() -> String {
    let mut out = String::from("| method | kind | for |\n| --- | --- | --- |\n");
    for method in METHODS {
        let kind = if method.kind == Kind::Request { "request" } else { "notification" };
        // Writing into a String cannot fail.
        let _ = writeln!(out, "| `{}` | {kind} | {} |", method.name, method.summary);
    }
    out
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
