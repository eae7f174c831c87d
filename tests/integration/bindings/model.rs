//! The contents of the schema, in the few shapes that it uses. An unknown keyword that would change the shape of a
//! type causes a panic, so that no type becomes wrong silently.

use std::collections::BTreeSet;

use serde_json::Value;

/// The whole protocol.
pub struct Model {
    pub types: Vec<Definition>,
    pub methods: Vec<Method>,
    /// Names of the types that a host sends.
    pub sent: BTreeSet<String>,
}

pub struct Method {
    pub name: String,
    pub about: String,
    pub params: String,
    /// Absent for a notification.
    pub result: Option<String>,
}

pub struct Definition {
    pub name: String,
    pub about: String,
    pub shape: Shape,
}

pub enum Shape {
    Object(Vec<Field>),
    /// Names, and whether a later server may know more of them.
    Names(Vec<String>, bool),
    Alias(Type),
}

pub struct Field {
    pub name: String,
    pub about: String,
    pub of: Type,
    pub required: bool,
}

#[derive(Clone, PartialEq)]
pub enum Type {
    Any,
    Null,
    String,
    Integer,
    Number,
    Boolean,
    /// Any object.
    Object,
    Literal(Vec<String>),
    Named(String),
    List(Box<Type>),
    /// An array of a fixed number of items.
    Tuple(Box<Type>, usize),
    Map(Box<Type>),
    Union(Vec<Type>),
}

impl Type {
    fn union(types: Vec<Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for of in types {
            let parts = if let Self::Union(parts) = of { parts } else { vec![of] };
            for part in parts {
                if !flat.contains(&part) {
                    flat.push(part);
                }
            }
        }
        if let Some(null) = flat.iter().position(|t| *t == Self::Null) {
            let null = flat.remove(null);
            flat.push(null);
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Union(flat) }
    }
}

/// The words of a description on one line.
fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn target(reference: &Value) -> Option<String> {
    Some(reference["$ref"].as_str()?.rsplit('/').next().unwrap().to_owned())
}

fn strings(values: &Value) -> Vec<String> {
    values.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

impl Model {
    pub fn read(schema: &Value) -> Self {
        let methods: Vec<Method> = schema["methods"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, method)| Method {
                name: name.clone(),
                about: about(method),
                params: target(&method["params"]).unwrap(),
                result: target(&method["result"]),
            })
            .collect();
        let definitions = schema["$defs"].as_object().unwrap();
        let mut sent: Vec<String> = methods.iter().map(|m| m.params.clone()).collect();
        sent.extend(target(&schema["initialize"]["options"]));
        let mut reached = BTreeSet::new();
        while let Some(name) = sent.pop() {
            if reached.insert(name.clone()) {
                references(&definitions[&name], &mut sent);
            }
        }
        let mut types = Vec::new();
        for (name, definition) in definitions {
            let shape = Reader { owner: name, inline: &mut types }.shape(definition, !reached.contains(name));
            types.push(Definition { name: name.clone(), about: about(definition), shape });
        }
        let inline = types.iter().filter(|d| definitions.get(&d.name).is_none()).map(|d| d.name.clone());
        let sent = reached.iter().cloned().chain(inline).collect();
        Self { types, methods, sent }
    }
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(target(value));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Reads one definition; objects inside it become definitions of their own.
struct Reader<'a> {
    owner: &'a str,
    inline: &'a mut Vec<Definition>,
}

impl Reader<'_> {
    fn shape(&mut self, schema: &Value, open: bool) -> Shape {
        if let Some(Type::Literal(names)) = choice(schema) {
            return Shape::Names(names, open);
        }
        if schema["properties"].is_object() {
            return Shape::Object(self.fields(schema));
        }
        Shape::Alias(self.read(schema))
    }

    fn fields(&mut self, schema: &Value) -> Vec<Field> {
        let mut required: Vec<String> = schema.get("required").map(strings).unwrap_or_default();
        for either in schema["allOf"].as_array().into_iter().flatten() {
            let first = &either["anyOf"][0]["required"];
            assert!(first.is_array(), "{}: {either}", self.owner);
            required.extend(strings(first));
        }
        let mut fields = Vec::new();
        for (name, property) in schema["properties"].as_object().unwrap() {
            let about = about(property);
            if about.starts_with("Another name of ") {
                continue;
            }
            let of = self.read(property);
            fields.push(Field { required: required.contains(name), name: name.clone(), about, of });
        }
        fields
    }

    fn read(&mut self, schema: &Value) -> Type {
        if let Some(name) = target(schema) {
            return Type::Named(name);
        }
        if let Some(names) = choice(schema) {
            return names;
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(parts) = schema[key].as_array() {
                return Type::union(parts.iter().map(|part| self.read(part)).collect());
            }
        }
        match &schema["type"] {
            Value::Null => Type::Any,
            Value::String(name) => self.plain(name, schema),
            Value::Array(names) => {
                Type::union(names.iter().map(|n| self.plain(n.as_str().unwrap(), schema)).collect())
            }
            other => panic!("{}: type {other}", self.owner),
        }
    }

    fn plain(&mut self, name: &str, schema: &Value) -> Type {
        match name {
            "null" => Type::Null,
            "string" => Type::String,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "boolean" => Type::Boolean,
            "array" => {
                let item = schema.get("items").map_or(Type::Any, |items| self.read(items));
                match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                    (Some(least), Some(most)) if least == most => {
                        Type::Tuple(Box::new(item), usize::try_from(most).unwrap())
                    }
                    _ => Type::List(Box::new(item)),
                }
            }
            "object" if schema["properties"].is_object() => {
                let name = format!("{}Object", self.owner);
                assert!(self.inline.iter().all(|d| d.name != name), "{name} twice");
                let shape = Shape::Object(self.fields(schema));
                self.inline.push(Definition { name: name.clone(), about: about(schema), shape });
                Type::Named(name)
            }
            "object" => match &schema["additionalProperties"] {
                values @ Value::Object(_) => Type::Map(Box::new(self.read(values))),
                _ => Type::Object,
            },
            other => panic!("{}: type {other}", self.owner),
        }
    }
}

/// A schema that allows some strings only.
fn choice(schema: &Value) -> Option<Type> {
    if schema["enum"].is_array() {
        return Some(Type::Literal(strings(&schema["enum"])));
    }
    let parts = schema["oneOf"].as_array()?;
    let names: Option<Vec<String>> = parts.iter().map(|p| Some(p["const"].as_str()?.to_owned())).collect();
    names.map(Type::Literal)
}
