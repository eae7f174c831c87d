//! Exemptions: values that a rule finds but that are shown, because the operator allows them or the model wrote them into its
//! calls. Each value is identified by a keyed fingerprint, which does not help to guess it.
//!
//! This file finds no secrets, changes no text, and stores no values.

use std::cell::{Cell, RefCell};
use std::fmt;

use super::allowed::Allowed;
use super::secrets;
use crate::text::marker::SealKey;

/// Most fingerprints that the evidence lists for one rule.
pub const MAX_LISTED_FINGERPRINTS: usize = 16;
/// Bytes of a call's texts that are searched for secrets that the model wrote; later bytes are ignored.
const MAX_WRITTEN: usize = 4 << 20;
/// Bytes of a call's texts that are searched for values of a result, for all values together. Beyond that, a value must be
/// found by a rule to count as written.
const MAX_SEARCHED: usize = 64 << 20;
/// Most values that are remembered of one call.
const MAX_VALUES: usize = 256;
/// Shortest value that counts as written if a text of the call contains it but no rule finds it there.
const MIN_WITHIN: usize = 8;

/// A keyed fingerprint of a value.
pub type Fingerprint = u64;

/// The fingerprint in its printed form.
pub fn shown(fingerprint: Fingerprint) -> String {
    format!("{fingerprint:016x}")
}

/// The fingerprint of a value.
pub fn fingerprint(value: &[u8], key: &SealKey) -> Fingerprint {
    key.fingerprint(value.trim_ascii())
}

/// The texts that the model wrote into one call, and the fingerprints of secrets in them.
#[derive(Debug, Default)]
pub struct Written<'a> {
    values: Vec<Fingerprint>,
    texts: Vec<&'a str>,
    /// Bytes searched so far.
    searched: Cell<usize>,
}

impl<'a> Written<'a> {
    /// Searches the texts of a call. Costs one search for secrets over at most a few megabytes.
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

    /// The fingerprints of the secrets found.
    pub fn values(&self) -> &[Fingerprint] {
        &self.values
    }

    /// Whether the model wrote this value.
    pub fn has(&self, value: &[u8], fingerprint: Fingerprint) -> bool {
        self.values.contains(&fingerprint)
            || (value.len() >= MIN_WITHIN && self.texts.iter().any(|text| self.is_within(text, value)))
    }
}

/// A test whether the model wrote a value, given with its fingerprint.
type Wrote<'a> = &'a dyn Fn(&[u8], Fingerprint) -> bool;

/// The exemptions, and a record of the values found.
pub struct Spare<'a> {
    allowed: Vec<Allowed>,
    key: Option<&'a SealKey>,
    wrote: Option<Wrote<'a>>,
    /// The name of the command's output, if that is one value.
    output_name: Option<String>,
    keeps_all: bool,
    met: RefCell<Met>,
}

/// The values found, each once, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Met {
    /// Removed values: rule and fingerprint, as many as the evidence lists.
    pub gone: Vec<(&'static str, Fingerprint)>,
    /// Values that are shown because the model wrote them.
    pub written: Vec<Fingerprint>,
}

impl fmt::Debug for Spare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spare").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

impl<'a> Spare<'a> {
    /// No value is exempt and none is recorded.
    pub fn nothing() -> Self {
        Self {
            allowed: Vec::new(),
            key: None,
            wrote: None,
            output_name: None,
            keeps_all: false,
            met: RefCell::default(),
        }
    }

    /// Every value is exempt: for settings that keep secrets.
    pub fn everything() -> Self {
        Self { keeps_all: true, ..Self::nothing() }
    }

    /// The list's items that apply to these paths; items with a path never apply if the paths are unknown.
    pub fn of(allow: &[String], key: &'a SealKey, paths: &[&str]) -> Self {
        let allowed = allow.iter().filter_map(|item| Allowed::read(item).ok());
        let allowed = allowed.filter(|item| item.is_about(paths)).collect();
        Self { allowed, key: Some(key), ..Self::nothing() }
    }

    /// These exemptions; or, if secrets are `kept`, the exemption of every value.
    pub fn or_everything(self, kept: bool) -> Self {
        if kept { Self::everything() } else { self }
    }

    /// These exemptions, for the output of a command that shows its name (`detect::output_name`).
    pub fn with_output_name(self, output_name: Option<String>) -> Self {
        Self { output_name, ..self }
    }

    pub(super) fn output_name(&self) -> Option<&str> {
        self.output_name.as_deref()
    }

    /// Also exempts values that the model wrote.
    pub fn with_written(self, wrote: Wrote<'a>) -> Self {
        Self { wrote: Some(wrote), ..self }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.key.is_none() && !self.keeps_all
    }

    /// Whether a value that this rule found is shown.
    pub fn keeps(&self, rule: &'static str, value: &[u8]) -> bool {
        let Some(key) = self.key else { return self.keeps_all };
        let mark = fingerprint(value, key);
        if self.allowed.iter().any(|item| item.covers(rule, mark)) {
            return true;
        }
        let Ok(mut met) = self.met.try_borrow_mut() else { return false };
        if self.wrote.is_some_and(|wrote| wrote(value.trim_ascii(), mark)) {
            if !met.written.contains(&mark) && met.written.len() < MAX_VALUES {
                met.written.push(mark);
            }
            // The record is full. A value that is not recorded is removed, because that decision can be repeated.
            return met.written.contains(&mark);
        }
        let of_rule = met.gone.iter().filter(|(known, _)| *known == rule);
        if !met.gone.contains(&(rule, mark)) && of_rule.count() < MAX_LISTED_FINGERPRINTS {
            met.gone.push((rule, mark));
        }
        false
    }

    /// The values found so far.
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
