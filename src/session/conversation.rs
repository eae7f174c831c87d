//! A conversation as reported by request bodies, and the results that left it. Every body repeats it; parts that are
//! already known are only compared.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Answered, Caller, Session, Stored};
use crate::pipeline::Outcome;
use crate::pipeline::evidence::Status;
use crate::pipeline::repeat::dedup::Decision;
use crate::protocol::tool_result::ArtifactRef;
use crate::reclaim::Timeline;
use crate::text::marker::{self, Marker};
use crate::text::reason::Reason;

/// A hash of an answer of the model, or of a result.
pub type Event = u64;

/// The conversation as request bodies reported it.
#[derive(Debug, Default, Clone)]
pub struct Conversation {
    /// The timeline that decides which results may leave.
    pub timeline: Timeline,
    /// The events so far, in order.
    events: Vec<Event>,
    /// The number of answers before the last request for which removals were decided.
    pub decided: usize,
    /// Replacements of removed results, by their numbers.
    pub stand_ins: HashMap<usize, StandIn>,
}

impl Session {
    /// Takes the conversation out of the session, which keeps nothing of it until it is put back.
    pub fn take_conversation(&mut self) -> Conversation {
        let taken = self.conversation.take();
        self.conversation_bytes = 0;
        taken.map_or_else(Conversation::default, Arc::unwrap_or_clone)
    }

    /// Whether bodies reported a conversation from which results may leave.
    pub fn has_conversation(&self) -> bool {
        self.conversation.is_some()
    }

    /// Puts the conversation back, if there is room for it.
    pub fn put_conversation(&mut self, conversation: Arc<Conversation>) {
        self.conversation_bytes = conversation.bytes();
        if self.kept_bytes() <= self.bounds.max_bytes {
            self.conversation = Some(conversation);
        } else {
            self.conversation_bytes = 0;
        }
        self.report_size();
    }

    /// Whether a call had this content when it first came. No reference names a call whose content changed.
    pub fn first_had(&self, call: &str, content: &[u8; 16]) -> bool {
        let first = self.calls.number(call).and_then(|number| self.calls.variants(number).next());
        first.is_some_and(|first| first.fingerprint.content == *content)
    }

    /// Notes what a call asked for: if its answer had gaps, the same question gets an answer without gaps.
    pub(super) fn note_questions(&mut self, caller: Caller<'_>, outcome: &Outcome, is_cut: bool) {
        let (evidence, decision) = (&outcome.evidence, &outcome.decision);
        let (similarity_hash, asked_again) = (decision.similarity_hash, decision.asked_again);
        for (asked, similarity_hash) in
            caller.asked.into_iter().flatten().zip(similarity_hash.into_iter().cycle())
        {
            let is_gap = |reason| reason != Reason::RepeatedLines;
            // If another tersed process already left gaps in the view, that process decides when the model gets all of it.
            let is_given = caller.looks_at.is_some() && outcome.came_compressed();
            // An agent that runs a test or build again wants its new result.
            let had_gaps = !asked_again
                && !outcome.is_run()
                && (is_cut
                    || is_given
                    || evidence.status == Status::Duplicate
                    || evidence.omissions.iter().any(|omission| is_gap(omission.reason)));
            // Only an answer with gaps can lead to a repeated question.
            match had_gaps {
                true => {
                    let times = 1 + self.asked.get(&asked).map_or(u32::from(is_given), |a| a.times);
                    let answered = Answered { similarity_hash, results: self.at.results, times };
                    Arc::make_mut(&mut self.asked).insert(asked, answered);
                }
                // A view of other lines of the file does not answer the question.
                false
                    if self.asked.get(&asked).is_some_and(|answered| {
                        answered.similarity_hash == similarity_hash || caller.asked[0] == Some(asked)
                    }) =>
                {
                    Arc::make_mut(&mut self.asked).remove(&asked);
                }
                false => {}
            }
        }
    }

    /// Notes the references in the result of a call that looks at a file: a later call for these lines gets the text.
    pub(super) fn note_references(&mut self, caller: Caller<'_>, outcome: &Outcome) {
        let Decision { references, duplicate_of, .. } = &outcome.decision;
        if caller.looks_at.is_none() {
            return;
        }
        if outcome.came_compressed() {
            self.note_given_references(&outcome.texts);
        }
        if references.is_empty() && duplicate_of.is_none() {
            return;
        }
        let index = Arc::make_mut(&mut self.index);
        for r in references {
            let count = (r.lines.1 - r.lines.0) as usize;
            index.refer(
                &r.origin.call,
                r.origin.argument.as_deref(),
                r.origin_number as usize,
                count,
                self.at.results,
            );
        }
        if let Some(first) = duplicate_of {
            index.refer(&first.call, None, 0, usize::MAX, self.at.results);
        }
    }

    /// Notes references in the result of a call that looks at a file which another tersed process wrote: a later call
    /// for these lines gets the text, as it would from that process.
    fn note_given_references(&mut self, texts: &[String]) {
        /// A result of tersed has at most three markers of at most four references.
        const MOST: usize = 12;
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| marker::may_hold(line));
        let markers = lines.filter_map(|line| Some(Marker::parse(&line[line.find('[')?..])?.0));
        let references = markers.flat_map(|marker| match marker {
            Marker::Several(references) => references,
            one => vec![one],
        });
        let named = references.filter_map(|reference| match reference {
            Marker::Shown { origin, .. } | Marker::Same { origin, .. } => {
                Some((origin.call, origin.argument))
            }
            Marker::Duplicate { call, .. } => Some((call, None)),
            _ => None,
        });
        for (call, argument) in named.take(MOST) {
            let index = Arc::make_mut(&mut self.index);
            index.refer(&call, argument.as_deref(), 0, usize::MAX, self.at.results);
        }
    }

    /// Notes that these results left the context. The calls themselves are still in it.
    pub fn results_removed(&mut self, calls: &HashSet<&str>) {
        let numbered = |call: u32| !calls.contains(self.calls.id(call));
        if self.seen.has_other(numbered) {
            Arc::make_mut(&mut self.seen).retain(numbered);
        }
        if self.index.has_other(|call| !calls.contains(call)) {
            Arc::make_mut(&mut self.index).retain(|call| !calls.contains(call));
        }
        self.report_size();
    }
}

/// The text that replaces a removed result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandIn {
    /// The text.
    pub text: Arc<str>,
    /// Its tokens.
    pub tokens: usize,
    /// The original.
    pub artifact: Option<ArtifactRef>,
}

impl Stored {
    /// Replaces the text of a result by its stand-in. Returns the saved tokens.
    pub fn put_stand_in(&mut self, stand_in: &StandIn) -> usize {
        let StandIn { text, tokens, artifact } = stand_in;
        let evidence = &mut self.outcome.evidence;
        let tokens_saved = evidence.tokens.after.saturating_sub(*tokens);
        evidence.tokens.after = *tokens;
        evidence.bytes.after = text.len();
        evidence.lines.after = text.lines().count();
        if evidence.status == Status::Unchanged {
            evidence.status = Status::Compressed;
        }
        self.outcome.texts = vec![text.to_string()];
        self.artifact.clone_from(artifact);
        tokens_saved
    }
}

impl Conversation {
    /// Whether these events repeat or continue the known ones. If not, the conversation has branched.
    pub fn continues_with(&self, events: &[Event]) -> bool {
        self.events.iter().zip(events).all(|(a, b)| a == b)
    }

    /// Whether the event at this index is known. If not, it is added.
    pub fn record(&mut self, place: usize, event: Event) -> bool {
        let is_known = place < self.events.len();
        if !is_known {
            self.events.push(event);
        }
        is_known
    }

    /// Bytes of memory.
    fn bytes(&self) -> usize {
        let texts: usize =
            self.stand_ins.values().map(|place| place.text.len() + 2 * size_of::<StandIn>()).sum();
        self.timeline.bytes() + self.events.capacity() * size_of::<Event>() + texts
    }
}
