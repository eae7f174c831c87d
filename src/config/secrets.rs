//! What is no secret to this operator, though a rule finds it: the items of `secrets.allow`. Judges no text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BadValue;
use crate::sanitize::allowed::Allowed;

/// How secrets are treated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Secrets {
    /// What stays, though a rule finds it: items that [`Allowed::read`] reads.
    pub allow: Vec<String>,
}

/// How secrets are treated, as somebody gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretsPatch {
    /// What stays, though a rule finds it. An item is one or more of `rule:ID`, `path:GLOB` and `fingerprint:HEX` with
    /// blanks between them, which must all hold: `rule:url-password path:tests/**`. Rules and fingerprints are those of
    /// the evidence; the path is that of the file that a result is about. Files of a project cannot set it. Default none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<String>>,
}

impl Secrets {
    /// Lays what was given over what was there.
    pub(super) fn take(&mut self, patch: &SecretsPatch) -> Result<(), BadValue> {
        let Some(items) = &patch.allow else { return Ok(()) };
        for item in items {
            if let Err(allowed) = Allowed::read(item) {
                let (key, value) = ("secrets.allow".to_owned(), format!("`{item}`"));
                return Err(BadValue { section: "policy", key, value, allowed });
            }
        }
        self.allow.clone_from(items);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_item_is_named() {
        let mut secrets = Secrets::default();
        let patch = SecretsPatch { allow: Some(vec!["path:**".to_owned()]) };
        let error = secrets.take(&patch).unwrap_err().to_string();
        assert!(error.starts_with("policy.secrets.allow: `path:**` is out of range"), "{error}");
    }
}
