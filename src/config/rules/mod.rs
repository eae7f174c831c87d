//! Rules of the operator as they were written: the setting `policy.rules`. The module `rules` of the crate compiles
//! them, and checks their patterns and methods.

mod error;
mod spec;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};

pub use error::RuleError;
pub use spec::{List, MatchOutput, Replace, RuleFile, RuleSpec, RuleTest, StagesSpec, When};

/// Most rules at once.
pub const MAX_RULES: usize = 10_000;

/// Rules in the order in which they were given, each with a name of its own, including those that are off. Cheap to copy; equal
/// digests mean equal rules.
#[derive(Debug, Clone)]
pub struct RuleSet(Arc<Given>);

#[derive(Debug, Default)]
struct Given {
    rules: Vec<Arc<RuleSpec>>,
    digest: [u8; 16],
}

impl Default for RuleSet {
    fn default() -> Self {
        static NONE: LazyLock<Arc<Given>> = LazyLock::new(Arc::default);
        Self(Arc::clone(&NONE))
    }
}

fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    half
}

fn check_name(name: &str) -> Result<(), RuleError> {
    const MAX_NAME_BYTES: usize = 64;
    let is_plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    match is_plain && (1..=MAX_NAME_BYTES).contains(&name.len()) {
        true => Ok(()),
        false => {
            let reason = format!(
                "`{}` is not a name, allowed are 1 to {MAX_NAME_BYTES} letters, digits, `-`, `_`, `.`",
                name.escape_debug()
            );
            Err(RuleError::new("name", reason))
        }
    }
}

impl RuleSet {
    /// The rules of one list.
    ///
    /// # Errors
    ///
    /// There are more than [`MAX_RULES`], or a name is not one or comes twice.
    pub fn new(specs: Vec<RuleSpec>) -> Result<Self, RuleError> {
        if specs.is_empty() {
            return Ok(Self::default());
        }
        if specs.len() > MAX_RULES {
            let reason = format!("has {} rules, allowed are at most {MAX_RULES}", specs.len());
            return Err(RuleError { index: MAX_RULES, ..RuleError::new("name", reason) });
        }
        let mut names: HashMap<&str, usize> = HashMap::new();
        for (index, spec) in specs.iter().enumerate() {
            let named = |error: RuleError| RuleError { index, rule: spec.name.clone(), ..error };
            check_name(&spec.name).map_err(named)?;
            if let Some(first) = names.insert(&spec.name, index) {
                let reason = format!("`{}` is the name of rules[{first}] already", spec.name);
                return Err(named(RuleError::new("name", reason)));
            }
        }
        let json = serde_json::to_vec(&specs).unwrap_or_default();
        let rules = specs.into_iter().map(Arc::new).collect();
        Ok(Self(Arc::new(Given { rules, digest: digest(&[&json]) })))
    }

    /// These rules with those of a later layer, which replace rules of the same name.
    #[must_use]
    pub fn with(&self, later: &Self) -> Self {
        if later.is_empty() || self == later {
            return self.clone();
        }
        if self.is_empty() {
            return later.clone();
        }
        let mut rules = self.0.rules.clone();
        let places: HashMap<String, usize> =
            rules.iter().enumerate().map(|(place, rule)| (rule.name.clone(), place)).collect();
        for rule in &later.0.rules {
            match places.get(&rule.name) {
                Some(&place) => rules[place] = Arc::clone(rule),
                None => rules.push(Arc::clone(rule)),
            }
        }
        Self(Arc::new(Given { rules, digest: digest(&[&self.0.digest, &later.0.digest]) }))
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// The rules as given.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<RuleSpec>> {
        self.0.rules.iter()
    }

    /// A digest that identifies these rules.
    pub fn digest(&self) -> [u8; 16] {
        self.0.digest
    }
}

impl PartialEq for RuleSet {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}

impl Eq for RuleSet {}

impl std::hash::Hash for RuleSet {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.digest.hash(state);
    }
}

impl Serialize for RuleSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|rule| &**rule))
    }
}

impl<'de> Deserialize<'de> for RuleSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let specs = Vec::<RuleSpec>::deserialize(deserializer)?;
        Self::new(specs).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RuleSet {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RuleSet".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Vec<RuleSpec>>()
    }
}

/// Writes what identifies the rules, and nothing for none: part of a policy as it is shown.
pub(super) fn as_digest<S: Serializer>(rules: &RuleSet, serializer: S) -> Result<S::Ok, S::Error> {
    let digest = || rules.digest().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    serializer.collect_seq((!rules.is_empty()).then(digest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> RuleSet {
        let rules: Vec<_> =
            names.iter().map(|name| serde_json::json!({"name": name, "pipeline": ["none"]})).collect();
        serde_json::from_value(rules.into()).unwrap()
    }

    #[test]
    fn a_later_layer_replaces_by_name() {
        let both = named(&["a", "b"]).with(&named(&["b", "c"]));
        let names: Vec<_> = both.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_ne!(both, named(&["a", "b", "c"]), "what layers gave is told apart from one list");
        assert_eq!(named(&["a"]).with(&named(&[])), named(&["a"]));
        let twice = serde_json::json!([{"name": "a", "pipeline": []}, {"name": "a", "pipeline": []}]);
        let error = serde_json::from_value::<RuleSet>(twice).unwrap_err().to_string();
        assert_eq!(error, "rules[1] (a).name: `a` is the name of rules[0] already");
    }
}
