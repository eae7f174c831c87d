//! What stays of what the rules find: values that the operator allows, and values that the model itself wrote into its
//! calls. Names each value by a keyed fingerprint, which does not help to guess the value.
//!
//! It never finds anything, never changes a text, and keeps no value.

use std::cell::{Cell, RefCell};
use std::fmt;

use super::allowed::Allowed;
use super::secrets;
use crate::text::marker::SealKey;

/// Fingerprints that the evidence lists for one rule, at most.
pub const MAX_TOLD: usize = 16;
/// Bytes of a call's texts that are looked through for what the model wrote; what stands behind is not known.
const MAX_WRITTEN: usize = 4 << 20;
/// Bytes of a call's texts that are searched for values that a result holds, all values together. What comes behind
/// has to be found by a rule to count as written.
const MAX_SEARCHED: usize = 64 << 20;
/// Values that are remembered of one call.
const MAX_VALUES: usize = 256;
/// Shortest value that counts as written where a text of the call holds it, though no rule finds it there.
const MIN_WITHIN: usize = 8;

/// A keyed fingerprint of a value.
pub type Fingerprint = u64;

/// The fingerprint as it is shown.
pub fn shown(fingerprint: Fingerprint) -> String {
    format!("{fingerprint:016x}")
}

/// What a value is known by.
pub fn fingerprint(value: &[u8], key: &SealKey) -> Fingerprint {
    key.fingerprint(value.trim_ascii())
}

/// What the model wrote into one call: the secrets in it, by their fingerprints, and its texts.
#[derive(Debug, Default)]
pub struct Written<'a> {
    values: Vec<Fingerprint>,
    texts: Vec<&'a str>,
    /// Bytes that were searched.
    searched: Cell<usize>,
}

impl<'a> Written<'a> {
    /// Looks through the texts of a call. Costs one search for secrets over at most a few megabytes.
    pub fn of(texts: Vec<&'a str>, key: &SealKey) -> Self {
        let mut values = Vec::new();
        let mut left = MAX_WRITTEN;
        for text in &texts {
            if text.len() > left {
                break;
            }
            left -= text.len();
            for finding in secrets::find(text.as_bytes()) {
                let value = fingerprint(&text.as_bytes()[finding.start..finding.end], key);
                if values.len() < MAX_VALUES && !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        Self { values, texts, searched: Cell::new(0) }
    }

    fn is_within(&self, text: &str, value: &[u8]) -> bool {
        let searched = self.searched.get() + text.len();
        self.searched.set(searched);
        searched <= MAX_SEARCHED && memchr::memmem::find(text.as_bytes(), value).is_some()
    }

    /// The fingerprints of what was found.
    pub fn values(&self) -> &[Fingerprint] {
        &self.values
    }

    /// Whether the model wrote this value.
    pub fn has(&self, value: &[u8], fingerprint: Fingerprint) -> bool {
        self.values.contains(&fingerprint)
            || (value.len() >= MIN_WITHIN && self.texts.iter().any(|text| self.is_within(text, value)))
    }
}

/// Whether the model wrote a value, given with its fingerprint.
type Wrote<'a> = &'a dyn Fn(&[u8], Fingerprint) -> bool;

/// What stays, and what was met.
pub struct Spare<'a> {
    allowed: Vec<Allowed>,
    key: Option<&'a SealKey>,
    wrote: Option<Wrote<'a>>,
    met: RefCell<Met>,
}

/// What was met, each value once, in the order in which it stood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Met {
    /// What was removed: its rule and fingerprint, as many as the evidence lists.
    pub gone: Vec<(&'static str, Fingerprint)>,
    /// What stayed since the model wrote it.
    pub written: Vec<Fingerprint>,
}

impl fmt::Debug for Spare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spare").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

impl<'a> Spare<'a> {
    /// Nothing stays and nothing is noted.
    pub fn nothing() -> Self {
        Self { allowed: Vec::new(), key: None, wrote: None, met: RefCell::default() }
    }

    /// What a list allows in a result about these paths; none where it is not known what the result is about.
    pub fn of(allow: &[String], key: &'a SealKey, paths: &[&str]) -> Self {
        let allowed = allow.iter().filter_map(|item| Allowed::read(item).ok());
        let allowed = allowed.filter(|item| item.is_about(paths)).collect();
        let key = Some(key);
        Self { allowed, key, wrote: None, met: RefCell::default() }
    }

    /// The same, also with what the model wrote.
    pub fn with_written(self, wrote: Wrote<'a>) -> Self {
        Self { wrote: Some(wrote), ..self }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.key.is_none()
    }

    /// Whether a value stays that this rule found.
    pub fn keeps(&self, rule: &'static str, value: &[u8]) -> bool {
        let Some(key) = self.key else { return false };
        let mark = fingerprint(value, key);
        if self.allowed.iter().any(|item| item.covers(rule, mark)) {
            return true;
        }
        let Ok(mut met) = self.met.try_borrow_mut() else { return false };
        if self.wrote.is_some_and(|wrote| wrote(value.trim_ascii(), mark)) {
            if !met.written.contains(&mark) && met.written.len() < MAX_VALUES {
                met.written.push(mark);
            }
            // What cannot be remembered could not be decided again.
            return met.written.contains(&mark);
        }
        let of_rule = met.gone.iter().filter(|(known, _)| *known == rule);
        if !met.gone.contains(&(rule, mark)) && of_rule.count() < MAX_TOLD {
            met.gone.push((rule, mark));
        }
        false
    }

    /// What was met so far.
    pub fn met(&self) -> Met {
        self.met.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounded_number_of_bytes_is_searched_for_what_the_model_wrote() {
        let text = format!("{}correct-horse", "x".repeat(1 << 20));
        let written = Written { texts: vec![&text], ..Written::default() };
        assert!(written.has(b"correct-horse", 1) && !written.has(b"wrong-horse", 2));
        let found = (0..1000).filter(|_| written.has(b"correct-horse", 1)).count();
        assert!((50..64).contains(&found), "{found}");
    }
}
