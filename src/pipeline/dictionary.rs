//! The last step of `aggressive` on a text: text that repeats is written once.
//!
//! Never for a text that an agent edits by its exact lines, and never for one that was asked for again. Records that a reader
//! compares have one only where a method is set: `auto` leaves them alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::attempt::Attempt;
use crate::config::DictionaryMethod;
use crate::detect::Detection;
use crate::encode::dictionary::{self, Method, Written};
use crate::input::Input;
use crate::input::is_exact_text;
use crate::sanitize;
use crate::text::reason::Reason;
use crate::text::source::Source;

impl Attempt<'_, '_> {
    /// Whether a dictionary may be made of what is shown of a source.
    pub(super) fn is_for_dictionary(&self, source: &Source<'_>, detection: &Detection) -> bool {
        let relevance = &self.request.relevance;
        let input =
            Input { source, call: self.request.call, detection, policy: self.request.policy, relevance };
        // A document with references in it is no longer valid in its format.
        self.request.policy.rewrites_documents()
            && !self.request.is_verbatim
            && !self.request.in_full
            && self.is_wanted(source)
            && !is_exact_text(&input)
    }

    /// The text with the better of the dictionaries that the policy allows, if one of them pays.
    pub(super) fn with_dictionary(&mut self, source: &Source<'_>, text: String) -> String {
        let methods = Method::of(self.request.policy.dictionary).iter();
        let methods: Vec<Method> =
            methods.copied().filter(|method| !self.request.policy.excludes(method.step())).collect();
        let size = text.len();
        let Some(first) = methods.first() else { return text };
        self.request.timer_begin();
        if let Some(why) = dictionary::declines(&text) {
            if why != Reason::NothingToDo {
                self.step(first.step(), why, size, size);
            }
            return text;
        }
        // What came in may be a table that lost its padding, what goes out one that was made of a document.
        let is_auto = self.request.policy.dictionary == DictionaryMethod::Auto;
        if is_auto && [source.text(), &text].into_iter().any(dictionary::holds_records) {
            self.step(first.step(), Reason::ComparedRecords, size, size);
            return text;
        }
        let tokens = self.request.counter.count(&text);
        let mut best: Option<Written> = None;
        for &method in &methods {
            let tried = catch_unwind(AssertUnwindSafe(|| {
                dictionary::compress(&text, tokens, method, self.request.counter).and_then(|written| {
                    // If the safe stage took a part of the new form for a secret, that part would be removed when the output came in again.
                    let clean = sanitize::is_clean(&written.text, self.request.policy.redact_secrets);
                    if clean { Ok(written) } else { Err(Reason::GuardDeclined) }
                })
            }));
            match tried.unwrap_or(Err(Reason::ReducerPanicked)) {
                Ok(written) if best.as_ref().is_none_or(|best| written.tokens < best.tokens) => {
                    best = Some(written);
                }
                Ok(_) | Err(Reason::NothingToDo) => {}
                Err(why) => self.step(method.step(), why, size, size),
            }
        }
        let Some(written) = best else { return text };
        self.step(written.method.step(), Reason::Applied, size, written.text.len());
        self.trace_anew();
        self.found.evidence.dictionary_method = Some(written.method.name().to_owned());
        let out = written.text.clone();
        self.dictionary = Some((written, text));
        out
    }
}
