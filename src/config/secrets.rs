//! What is no secret to this operator, though a rule finds it: the items of `secrets.allow`. Judges no text.

use super::BadValue;
use super::table::{Project, Row, settings};
use crate::sanitize::allowed::Allowed;

settings! {
    section "policy.secrets";

    /// How secrets are treated.
    #[derive(Eq, Hash)]
    pub struct Secrets;

    /// How secrets are treated, as somebody gave it.
    #[derive(Eq)]
    pub struct SecretsPatch;

    /// What stays, though a rule finds it. An item is one or more of `rule:ID`, `path:GLOB` and `fingerprint:HEX` with
    /// blanks between them, which must all hold: `rule:url-password path:tests/**`. Rules and fingerprints are those of
    /// the evidence; the path is that of the file that a result is about. Files of a project cannot set it. Default none.
    #[taken_by(Secrets::take_allow)]
    allow: Vec<String> = Vec::new(), project: Some(Project::Never);
}

impl Secrets {
    /// Takes items that [`Allowed::read`] reads.
    fn take_allow(&mut self, items: &[String], row: &Row) -> Result<(), BadValue> {
        for item in items {
            if let Err(allowed) = Allowed::read(item) {
                return Err(row.bad(format!("`{item}`"), allowed));
            }
        }
        self.allow = items.to_owned();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_item_is_named() {
        let patch = SecretsPatch { allow: Some(vec!["path:**".to_owned()]) };
        let error = Secrets::default().with(&patch).unwrap_err().to_string();
        assert!(error.starts_with("policy.secrets.allow: `path:**` is out of range"), "{error}");
    }
}
