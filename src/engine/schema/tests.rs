//! Descriptions are the same in every shape, and nothing but descriptions changes.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn minified(tools: &str) -> String {
    let tools = serde_json::from_str(tools).unwrap();
    Engine::default().minify_tools(&Params { tools, policy: None }).unwrap().tools.get().to_owned()
}

fn any_text() -> impl Strategy<Value = String> {
    "([a-c]| |\t|\n|```|\"|\\\\|é){0,24}"
}

/// A schema, with descriptions and with data that look like them.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = (any_text(), prop::bool::ANY).prop_map(|(text, is_data)| match is_data {
        true => json!({"type": "string", "enum": [{"description": text}], "default": {"description": text}}),
        false => json!({"description": text, "type": "string"}),
    });
    leaf.prop_recursive(5, 30, 4, |inner| {
        let names = prop_oneof![Just("description".to_owned()), Just("default".to_owned()), "[a-z]{1,3}"];
        (any_text(), prop::collection::vec((names, inner), 0..4)).prop_map(|(text, members)| {
            let properties: serde_json::Map<String, Value> = members.into_iter().collect();
            let items = properties.values().next().cloned().unwrap_or(json!(true));
            json!({"type": "object", "properties": properties, "description": text, "anyOf": [items]})
        })
    })
}

/// The expected schema, computed in another way: from values.
fn expected(schema: &Value, is_names: bool) -> Value {
    match schema {
        Value::Object(members) => {
            let of = |(name, value): (&String, &Value)| {
                if is_names {
                    return Some((name.clone(), expected(value, false)));
                }
                let new = match (name.as_str(), value) {
                    ("description", Value::String(text)) => json!(description::minify(text)),
                    (name, _) if DATA.contains(&name) => value.clone(),
                    (name, _) => expected(value, NAMED.contains(&name)),
                };
                (name != "description" || new != "").then(|| (name.clone(), new))
            };
            Value::Object(members.iter().filter_map(of).collect())
        }
        Value::Array(items) => items.iter().map(|item| expected(item, false)).collect(),
        other => other.clone(),
    }
}

proptest! {
    // Each case tries six shapes.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn all_shapes_say_the_same_and_stay_the_same(schema in any_schema(), text in any_text(), pretty: bool) {
        let tool = |value: Value| {
            let text = if pretty { serde_json::to_string_pretty(&json!([value])).unwrap() } else { json!([value]).to_string() };
            let out = minified(&text);
            prop_assert_eq!(&minified(&out), &out, "idempotent");
            Ok(serde_json::from_str::<Value>(&out).unwrap()[0].take())
        };
        let new_text = description::minify(&text);
        let new_text = (!new_text.is_empty()).then_some(new_text);
        let new_schema = expected(&schema, false);
        let flat = |value: &Value, key: &str| {
            prop_assert_eq!(value.get("description").and_then(Value::as_str), new_text.as_deref());
            prop_assert_eq!(&value[key], &new_schema);
            prop_assert_eq!(&value["name"], "n  n");
            Ok(())
        };
        let of = |key: &str| json!({"name": "n  n", "description": text, key: schema, "annotations": {"description": "a  a"}});
        flat(&tool(json!({"type": "function", "function": of("parameters")}))?["function"], "parameters")?;
        for key in ["parameters", "input_schema", "inputSchema", "outputSchema"] {
            let out = tool(of(key))?;
            flat(&out, key)?;
            prop_assert_eq!(&out["annotations"]["description"], "a  a");
        }
        flat(&tool(json!({"functionDeclarations": [of("parameters")]}))?["functionDeclarations"][0], "parameters")?;
    }
}

#[test]
fn every_byte_that_is_no_description_stays() {
    let tools = r#" [ {"name":"a  b", "n":1e400,"description":"x  y","n":1.50 ,
      "input_schema":{"description":"","properties":{"description":{"type":"string","description" : "a\u0020\u0020b"},
      "title":{"const":"x  y","title":"x  y","description":"caf\u00e9"}},"required":["a  b"],"description": " "}},
      {"description":"\ud800  x"}, 7 ]"#;
    let expected = tools
        .replace(r#""description":"x  y""#, r#""description":"x y""#)
        .replace(r#""description":"","#, "")
        .replace(r#"a\u0020\u0020b"#, "a b")
        .replace(r#","description": " ""#, "");
    let expected = expected.trim();
    assert_eq!(minified(tools), expected);
    assert_eq!(minified(expected), expected);
}

#[test]
fn descriptions_are_found_up_to_a_depth_of_32() {
    let nested = |depth: usize| {
        let open = "{\"not\":".repeat(depth);
        format!("[{{\"parameters\":{open}{{\"description\":\"a  b\"}}{}}}]", "}".repeat(depth))
    };
    assert!(minified(&nested(32)).contains("a b"));
    assert_eq!(minified(&nested(33)), nested(33));
    // Far deeper than any stack.
    assert_eq!(minified(&nested(20_000)), nested(20_000));
}

#[test]
fn what_is_no_array_is_named() {
    let tools = serde_json::from_str("{}").unwrap();
    let error = Engine::default().minify_tools(&Params { tools, policy: None }).unwrap_err();
    assert_eq!(error.message, "tools: expected an array");
}
