//! The last step of `aggressive` on a text: a dictionary, so that repeated text is written once.
//!
//! Texts that an agent edits by their exact lines get none, and neither does the answer to a repeated request.
//! Records that a reader compares get one only if a method is set: `auto` leaves them alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::request::Request;
use crate::config::DictionaryMethod;
use crate::detect::Detection;
use crate::encode::dictionary::{self, Method, Written};
use crate::input::Input;
use crate::input::is_exact_text;
use crate::sanitize;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Whether a dictionary may be made of the shown lines of a source.
pub(super) fn is_for(request: &Request<'_>, source: &Source<'_>, detection: &Detection) -> bool {
    let relevance = request.relevance();
    let input = Input { source, call: request.call, detection, policy: request.policy, relevance };
    // A document with references in it is no longer valid in its format.
    request.policy.rewrites_documents() && !request.is_verbatim && !request.in_full && !is_exact_text(&input)
}

/// The better of the dictionaries that the policy allows for a text, if one of them pays. `declined` receives the
/// steps that changed nothing, each with its reason.
pub(super) fn best(
    request: &Request<'_>,
    source: &Source<'_>,
    text: &str,
    declined: &mut dyn FnMut(&'static str, Reason),
) -> Option<Written> {
    let methods = Method::of(request.policy.dictionary).iter();
    let methods: Vec<Method> =
        methods.copied().filter(|method| !request.policy.excludes(method.step())).collect();
    let first = methods.first()?;
    request.timer_begin();
    if let Some(why) = dictionary::declines(text) {
        if why != Reason::NothingToDo {
            declined(first.step(), why);
        }
        return None;
    }
    // Both are checked: the input may be a table without padding, and the output may be a table made from a document.
    let is_auto = request.policy.dictionary == DictionaryMethod::Auto;
    if is_auto && [source.text(), text].into_iter().any(dictionary::holds_records) {
        declined(first.step(), Reason::ComparedRecords);
        return None;
    }
    let tokens = request.counter.count(text);
    let mut best: Option<Written> = None;
    for &method in &methods {
        let tried = catch_unwind(AssertUnwindSafe(|| {
            dictionary::compress(text, tokens, method, request.counter).and_then(|written| {
                // If the safe stage took a part of the new form for a secret, that part would be removed if the
                // output were compressed again.
                let clean = sanitize::is_clean(&written.text, request.policy.redact_secrets);
                if clean { Ok(written) } else { Err(Reason::GuardDeclined) }
            })
        }));
        match tried.unwrap_or(Err(Reason::ReducerPanicked)) {
            Ok(written) if best.as_ref().is_none_or(|best| written.tokens < best.tokens) => {
                best = Some(written);
            }
            Ok(_) | Err(Reason::NothingToDo) => {}
            Err(why) => declined(method.step(), why),
        }
    }
    best
}
