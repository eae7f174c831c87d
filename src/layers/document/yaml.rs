//! Parses YAML into values with line numbers. Reads no file.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use super::{Data, Node, Unreadable};

/// Parses YAML.
pub fn yaml(text: &str) -> Result<Node, Unreadable> {
    let mut options = crate::files::yaml::options();
    options.duplicate_keys = DuplicateKeyPolicy::Error;
    options.strict_booleans = true;
    options.with_snippet = false;
    let read = serde_saphyr::from_str_with_options::<Option<Spanned<Data>>>(text, options);
    match read {
        Ok(Some(node)) => Ok(placed(node)),
        Ok(None) => Ok(Node { line: 1, data: Data::Null }),
        Err(error) => {
            let line = error.location().map(|place| place.line() as usize).filter(|line| *line > 0);
            Err(Unreadable { line, reason: crate::files::yaml::reason(&error) })
        }
    }
}

fn placed(node: Spanned<Data>) -> Node {
    Node { line: node.referenced.line() as usize, data: node.value }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Data;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Data, E> {
                Ok(Data::Null)
            }

            fn visit_none<E>(self) -> Result<Data, E> {
                Ok(Data::Null)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Data, D::Error> {
                deserializer.deserialize_any(self)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Data, E> {
                Ok(Data::Flag(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Data, E> {
                Ok(Data::Number(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Data, E> {
                Ok(Data::Number(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Data, E> {
                Ok(Number::from_f64(value).map_or_else(|| Data::Text(value.to_string()), Data::Number))
            }

            fn visit_str<E>(self, value: &str) -> Result<Data, E> {
                Ok(Data::Text(value.to_owned()))
            }

            fn visit_string<E>(self, value: String) -> Result<Data, E> {
                Ok(Data::Text(value))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
                let mut all = Vec::new();
                while let Some(item) = items.next_element::<Spanned<Data>>()? {
                    all.push(placed(item));
                }
                Ok(Data::List(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Data, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = members.next_key::<Spanned<String>>()? {
                    let node = placed(members.next_value::<Spanned<Data>>()?);
                    let line = name.referenced.line() as usize;
                    all.push((name.value, line, node));
                }
                Ok(Data::Table(all))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
