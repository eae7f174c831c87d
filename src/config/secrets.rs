//! The items of `secrets.allow`: values that a rule finds but that are not secrets to this operator. Judges no text.

use super::BadValue;
use super::table::{Project, Row, settings};
use crate::sanitize::allowed::Allowed;

settings! {
    section "policy.secrets";

    /// Treatment of secrets.
    #[derive(Eq, Hash)]
    pub struct Secrets;

    /// Treatment of secrets, as given.
    #[derive(Eq)]
    pub struct SecretsPatch;

    /// Values that stay, even if a rule finds them. An item is one or more of `rule:ID`, `path:GLOB` and `fingerprint:HEX`,
    /// separated by blanks, which must all hold: `rule:url-password path:tests/**`. Rules and fingerprints are those of the
    /// evidence; the path is that of the file that a result is about. Files of a project cannot set it. Default none.
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
