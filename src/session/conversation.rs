//! A conversation as reported by request bodies, and the results that left it. Every body repeats it; known parts are only
//! compared.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Session, Stored};
use crate::pipeline::evidence::Status;
use crate::protocol::tool_result::ArtifactRef;
use crate::reclaim::Timeline;

/// A hash of an answer of the model, or of a result.
pub type Event = u64;

/// See the module.
#[derive(Debug, Default, Clone)]
pub struct Conversation {
    /// The timeline that decides which results may leave.
    pub timeline: Timeline,
    /// The events so far, in order.
    events: Vec<Event>,
    /// Answers before the last request for which the removals were decided.
    pub decided: usize,
    /// Replacements of removed results, by their numbers.
    pub in_places: HashMap<usize, InPlace>,
}

impl Session {
    /// The conversation as bodies reported it so far. The session keeps none of it until it is put back.
    pub fn take_conversation(&mut self) -> Conversation {
        let taken = self.conversation.take();
        self.conversation_bytes = 0;
        taken.map_or_else(Conversation::default, Arc::unwrap_or_clone)
    }

    /// Whether bodies reported a conversation from which results may leave.
    pub fn has_conversation(&self) -> bool {
        self.conversation.is_some()
    }

    /// Puts the conversation back, as far as there is room for it.
    pub fn put_conversation(&mut self, conversation: Arc<Conversation>) {
        self.conversation_bytes = conversation.bytes();
        if self.kept_bytes() <= self.bounds.max_bytes {
            self.conversation = Some(conversation);
        } else {
            self.conversation_bytes = 0;
        }
        self.report_size();
    }

    /// These results are in the context no more; what the model wrote into their calls is.
    pub fn results_left(&mut self, calls: &HashSet<&str>) {
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

/// What stands in the place of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlace {
    /// The text.
    pub text: Arc<str>,
    /// Tokens of it.
    pub tokens: usize,
    /// The original.
    pub artifact: Option<ArtifactRef>,
}

impl Stored {
    /// Puts what stands in the place of a result there, and says how many tokens that saves.
    pub fn put_in_place(&mut self, in_place: &InPlace) -> usize {
        let InPlace { text, tokens, artifact } = in_place;
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
    /// Whether these events repeat or continue the known ones. If not, the conversation branched.
    pub fn goes_on_with(&self, events: &[Event]) -> bool {
        self.events.iter().zip(events).all(|(a, b)| a == b)
    }

    /// Whether the event at this place is known. If not, it is added.
    pub fn tell(&mut self, place: usize, event: Event) -> bool {
        let is_known = place < self.events.len();
        if !is_known {
            self.events.push(event);
        }
        is_known
    }

    /// Bytes of memory.
    fn bytes(&self) -> usize {
        let texts: usize =
            self.in_places.values().map(|place| place.text.len() + 2 * size_of::<InPlace>()).sum();
        self.timeline.bytes() + self.events.capacity() * size_of::<Event>() + texts
    }
}
