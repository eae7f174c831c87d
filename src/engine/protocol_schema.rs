//! The published description of the protocol, made from the method table and the Rust types.
//!
//! `protocol/v1/schema.json` and `protocol/v1/meta.json` hold these texts; a test compares them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::engine::METHODS;
use crate::protocol::error;
use crate::protocol::{Kind, VERSION};
use crate::reduce;
use crate::text::reason::Reason;

/// JSON Schema of all messages. `methods.<name>.params` and `.result` describe requests, `notifications.<name>` describes
/// notifications from the server, `$defs` holds shared types.
#[cfg(feature = "schema")]
pub fn schema_json() -> String {
    use crate::protocol::error::ErrorData;
    use crate::protocol::initialize::{Capabilities, Options};
    use crate::protocol::notification::{EVENT, LOG_MESSAGE, LogMessage};
    use crate::telemetry::event::Event;

    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let mut methods = serde_json::Map::new();
    for method in METHODS {
        let mut entry = serde_json::Map::new();
        entry.insert("kind".into(), json!(kind(method.kind)));
        entry.insert("description".into(), json!(method.summary));
        entry.insert("params".into(), json!((method.types.params)(&mut generator)));
        if method.kind == Kind::Request {
            entry.insert("result".into(), json!((method.types.result)(&mut generator)));
        }
        methods.insert(method.name.into(), Value::Object(entry));
    }
    let initialize = json!({
        "options": generator.subschema_for::<Options>(),
        "capabilities": generator.subschema_for::<Capabilities>(),
    });
    let notifications = json!({
        (LOG_MESSAGE): generator.subschema_for::<LogMessage>(),
        (EVENT): generator.subschema_for::<Event>(),
    });
    let error = generator.subschema_for::<ErrorData>();
    let mut definitions = generator.take_definitions(true);
    crate::config::schema::complete(&mut definitions);
    pretty(&json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("tersed protocol, version {VERSION}"),
        "methods": methods,
        "initialize": initialize,
        "notifications": notifications,
        "errorData": error,
        "$defs": definitions,
    }))
}

/// Methods, error codes, reason codes and reducers as JSON, for tools and for the documentation.
pub fn meta_json() -> String {
    let methods: Vec<Value> = METHODS
        .iter()
        .map(|m| json!({ "name": m.name, "kind": kind(m.kind), "summary": m.summary }))
        .collect();
    let reasons: Vec<Value> =
        Reason::ALL.iter().map(|r| json!({ "code": r.code(), "meaning": r.doc() })).collect();
    let reducers: Vec<Value> = reduce::all()

        .map(|r| r.meta())
        .map(|m| json!({ "id": m.id, "family": m.family, "reads": m.reads, "keeps": m.keeps, "folds": m.omits }))
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
        // Writing into a String cannot fail.
        let _ = writeln!(out, "| `{}` | {} | {} |", method.name, kind(method.kind), method.summary);
    }
    out
}

/// The error codes as a Markdown table.
pub fn errors_table() -> String {
    let mut out = String::from("| code | when |\n| --- | --- |\n");
    for (code, meaning) in error::ALL {
        let _ = writeln!(out, "| `{code}` | {meaning} |");
    }
    out
}

/// The reason codes as a Markdown table.
pub fn reasons_table() -> String {
    let mut out = String::from("| reason | meaning |\n| --- | --- |\n");
    for reason in Reason::ALL {
        let _ = writeln!(out, "| `{}` | {} |", reason.code(), reason.doc());
    }
    out
}

/// The reducers as a Markdown table.
pub fn reducers_table() -> String {
    let mut out = String::from("| reducer | family | reads |\n| --- | --- | --- |\n");
    for meta in reduce::all().map(|r| r.meta()) {
        let _ = writeln!(out, "| `{}` | {} | {} |", meta.id, meta.family, meta.reads);
    }
    out
}

fn kind(kind: Kind) -> &'static str {
    if kind == Kind::Request { "request" } else { "notification" }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
