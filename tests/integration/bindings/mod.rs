//! The types of the clients, written from the published schema: one model, one printer per language.
//!
//! Aliases of members, which exist only for other hosts, are left out: a typed client needs one name. The printers
//! use only the schema.

mod model;
mod python;
mod typescript;

use serde_json::Value;

use model::Model;

/// Every generated file: its path in the repository and its text.
pub fn files(schema: &Value) -> Vec<(&'static str, String)> {
    let model = Model::read(schema);
    vec![
        ("protocol/bindings/python/src/tersed/protocol.py", python::types(&model)),
        ("protocol/bindings/python/src/tersed/_methods.py", python::methods(&model)),
        ("protocol/bindings/typescript/src/protocol.ts", typescript::types(&model)),
        ("protocol/bindings/typescript/src/methods.ts", typescript::methods(&model)),
    ]
}
