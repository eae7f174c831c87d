//! Reads JSON into types and reports the place of a fault.
//!
//! Settings, rules and the parameters of requests are all read here, by one reader over text: each further reader
//! would compile the code of every type once more. A [`Value`] is written as text first, which is never done with
//! content of results. This module does not depend on the types.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A fault and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The members and items that lead to the place, such as `rules[0].name`; `.` for the whole.
    pub path: String,
    /// The reason, with the line and column of the text that was read.
    pub reason: String,
}

impl Fault {
    fn new(error: serde_path_to_error::Error<serde_json::Error>) -> Self {
        Self { path: error.path().to_string(), reason: error.into_inner().to_string() }
    }

    /// The reason without line and column, for a text that its author never saw.
    pub fn without_position(&self) -> &str {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_position = |end: &str| {
            end.split_once(" column ").is_some_and(|(line, column)| is_number(line) && is_number(column))
        };
        match self.reason.rsplit_once(" at line ") {
            Some((reason, end)) if is_position(end) => reason,
            _ => &self.reason,
        }
    }
}

/// Reads a text.
///
/// # Errors
///
/// The text is not JSON, or not a value of the type.
pub fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(Fault::new)
}

/// Reads a value.
///
/// # Errors
///
/// It is not a value of the type.
pub fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T, Fault> {
    read(&value.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_has_its_place() {
        type Table = BTreeMap<String, Vec<u32>>;
        let fault = |value: Value| read_value::<Table>(&value).unwrap_err();
        let found = fault(json!({ "a": [1], "b": [1, "at line 3"] }));
        assert_eq!(found.path, "b[1]");
        assert_eq!(found.without_position(), "invalid type: string \"at line 3\", expected u32");
        assert!(
            found.reason.starts_with(found.without_position()) && found.reason.contains(" at line 1 column ")
        );
        let found = fault(json!([]));
        assert_eq!(
            (found.path.as_str(), found.without_position()),
            (".", "invalid type: sequence, expected a map")
        );
        let plain = Fault { path: String::new(), reason: "no number at line ends".to_owned() };
        assert_eq!(plain.without_position(), "no number at line ends");
        assert_eq!(read::<Table>("{\"a\":[7]}").unwrap()["a"], [7]);
    }

    /// Numbers of settings do not change.
    #[test]
    fn numbers_survive_as_text() {
        for number in [0.1, 0.7, 1.5, 99.99, 1e-3, f64::from(u32::MAX)] {
            assert_eq!(read_value::<f64>(&json!(number)), Ok(number));
        }
        assert_eq!(read_value::<u64>(&json!(u64::MAX)), Ok(u64::MAX));
    }
}
