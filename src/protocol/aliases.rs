//! Adds to a schema the members that may have one of several names. One of the names must be present.

use schemars::Schema;
use serde_json::{Value, json};

/// Adds the other names of members to the schema of an object; the types do not have them.
pub(super) fn add_names(schema: &mut Schema, names: &[(&str, &[&str])]) {
    let mut required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut one_of_each = Vec::new();
    for (name, others) in names {
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
        let Some(mut property) = properties.get(*name).cloned() else { continue };
        property["description"] = json!(format!("Another name of `{name}`."));
        for other in *others {
            properties.insert((*other).to_owned(), property.clone());
        }
        if let Some(place) = required.iter().position(|r| r == name) {
            required.remove(place);
            let all = std::iter::once(name).chain(*others);
            one_of_each.push(json!({ "anyOf": all.map(|n| json!({ "required": [n] })).collect::<Vec<_>>() }));
        }
    }
    schema.remove("required");
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
    if !one_of_each.is_empty() {
        schema.insert("allOf".into(), Value::Array(one_of_each));
    }
}
