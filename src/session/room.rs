//! What may leave the context of a host that sends results one by one: results and answers of the model in order, the batch that
//! was offered to the host, and what stands in the places of results that went. It is kept from the first question of the host
//! on. It decides nothing.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{Fingerprint, InPlace, Session, Stored};
use crate::protocol::reclaim::Reclaimed;
use crate::protocol::tool_result::ArtifactRef;
use crate::reclaim::{Batch, Facts, Timeline, Words};
use crate::text::cut::Cut;
use crate::text::marker::RemovedWhy;

/// Most results that are noted between two questions of the host. With more, no result leaves any more.
const MAX_PENDING: usize = 4096;
/// Bytes of a token of an answer, about.
const BYTES_OF_TOKEN: usize = 4;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// The timeline that decides which results may leave.
    pub timeline: Timeline,
    /// The originals of results, by their numbers.
    originals: Vec<Option<Original>>,
    /// Results since the last question of the host, in order.
    pending: Vec<Noted>,
    /// Answers that were told with the last question, as a hash.
    last_answers: Option<u64>,
    /// Whether a result could not be noted.
    is_full: bool,
    offer: Option<Offer>,
    /// Numbers of the last batch that was offered, and of the last that counts.
    offered: u64,
    confirmed: u64,
    /// What stands in the places of results that went, by their calls.
    in_places: HashMap<String, Replaced>,
}

/// A result as it came.
#[derive(Debug, Clone)]
pub struct Noted {
    /// What decides about it.
    pub facts: Facts,
    /// Words of the call, which the model wrote.
    pub words: Words,
    /// Whether the call reads an original back.
    pub reads_original: bool,
    /// The original; `None` where the result stays.
    pub original: Option<Original>,
}

/// The original of a result that may go.
#[derive(Debug, Clone)]
pub struct Original {
    /// The request that it answered.
    pub fingerprint: Fingerprint,
    /// Where it is kept.
    pub artifact: ArtifactRef,
    /// Whether the command in texts reads it.
    pub is_near: bool,
}

/// An answer of the model, as the host tells it.
#[derive(Debug, Clone, Copy)]
pub struct AnswerNote<'a> {
    /// What it says.
    pub text: &'a str,
    /// The calls that it makes.
    pub calls: &'a [String],
}

/// A batch that was offered to the host.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Its number.
    pub number: u64,
    /// Which results go, and the sum.
    pub batch: Batch,
    /// What is to stand in their places, in the same order.
    pub in_places: Vec<InPlace>,
}

/// A result that went.
#[derive(Debug, Clone)]
struct Replaced {
    fingerprint: Fingerprint,
    in_place: InPlace,
    why: RemovedWhy,
    tokens_saved: usize,
}

impl Room {
    /// Whether no result leaves any more.
    pub fn is_full(&self) -> bool {
        self.is_full || self.timeline.is_full()
    }

    /// Notes a result. `is_changed` says that its call came before with other bytes: then nobody knows which the model sees.
    fn note(&mut self, mut noted: Noted, is_changed: bool) {
        self.is_full |= self.pending.len() >= MAX_PENDING;
        if self.is_full() {
            return;
        }
        if is_changed {
            let call = &noted.facts.call;
            self.timeline.number(call).into_iter().for_each(|number| self.timeline.stays(number));
            self.pending
                .iter_mut()
                .filter(|other| other.facts.call == *call)
                .for_each(|other| other.facts.may_go = false);
            noted = noted.in_part();
        }
        self.last_answers = None;
        self.pending.push(noted);
    }

    /// Takes in what the model said since the last question, and the results since then. Without `answers` it is not known what
    /// it said. The same answers once more, without a result between, count once.
    pub fn tell(&mut self, answers: Option<&[AnswerNote<'_>]>) {
        let pending = std::mem::take(&mut self.pending);
        let Some(answers) = answers else {
            if !pending.is_empty() {
                self.timeline.unknown_answer();
            }
            self.shown(pending);
            return;
        };
        let given = digest(answers);
        if pending.is_empty() && (answers.is_empty() || self.last_answers == Some(given)) {
            return;
        }
        self.last_answers = Some(given);
        let starts = starts(answers, &pending);
        let mut pending = pending.into_iter();
        match starts.first() {
            // It said nothing.
            None => self.said(AnswerNote { text: "", calls: &[] }, pending.as_slice()),
            Some(0) => {}
            // Who made these calls was not told.
            Some(_) => self.timeline.unknown_answer(),
        }
        self.shown(pending.by_ref().take(starts.first().copied().unwrap_or(usize::MAX)));
        for (number, answer) in answers.iter().enumerate() {
            let results = starts.get(number + 1).map_or(usize::MAX, |next| next - starts[number]);
            let calls = pending.as_slice();
            self.said(*answer, &calls[..results.min(calls.len())]);
            self.shown(pending.by_ref().take(results));
        }
    }

    /// The model gave an answer, with the calls of these results.
    fn said(&mut self, answer: AnswerNote<'_>, results: &[Noted]) {
        let words = Words::of([answer.text]);
        let words = results.iter().fold(words, |words, result| words.and(&result.words));
        self.timeline.answer(&words, answer.text.len() / BYTES_OF_TOKEN);
    }

    fn shown(&mut self, results: impl IntoIterator<Item = Noted>) {
        for Noted { facts, reads_original, original, .. } in results {
            let before = self.timeline.len();
            self.timeline.result(facts, reads_original);
            if self.timeline.len() > before {
                self.originals.push(original);
            }
        }
    }

    /// The original of a result, by its number.
    pub fn original(&self, number: usize) -> Option<&Original> {
        self.originals.get(number)?.as_ref()
    }

    /// Offers a batch in place of the last one. The same batch keeps its number.
    pub fn offer(&mut self, batch: Batch, in_places: Vec<InPlace>) -> Option<&Offer> {
        let is_same = |offer: &Offer| offer.batch.gone == batch.gone && offer.in_places == in_places;
        let number = match &self.offer {
            Some(offer) if is_same(offer) => offer.number,
            _ => self.offered + 1,
        };
        if batch.gone.is_empty() {
            self.offer = None;
            return None;
        }
        self.offered = number;
        self.offer = Some(Offer { number, batch, in_places });
        self.offer.as_ref()
    }

    /// The offered batch of this number, if it may still count: none of the results since then points to one that goes.
    pub fn offered(&self, number: u64) -> Option<&Offer> {
        let offer = self.offer.as_ref().filter(|offer| offer.number == number && !self.is_full())?;
        let calls: Vec<&str> = self.calls_of(offer).collect();
        let points = |noted: &Noted| noted.facts.refers_to().iter().any(|call| calls.contains(&&**call));
        (!self.pending.iter().any(points)).then_some(offer)
    }

    /// Whether this batch counts already.
    pub fn is_confirmed(&self, number: u64) -> bool {
        number > 0 && number == self.confirmed
    }

    /// The calls whose results a batch takes out.
    fn calls_of<'a>(&'a self, offer: &'a Offer) -> impl Iterator<Item = &'a str> {
        let facts = offer.batch.gone.iter().filter_map(|(number, _)| self.timeline.facts(*number));
        facts.map(|facts| &*facts.call)
    }

    /// The batch that was offered counts from now on. Returns the calls whose results went.
    pub fn confirm(&mut self) -> Vec<String> {
        let Some(offer) = self.offer.take() else { return Vec::new() };
        let calls: Vec<String> = self.calls_of(&offer).map(str::to_owned).collect();
        self.timeline.apply(&offer.batch);
        self.confirmed = offer.number;
        for ((number, why), in_place) in offer.batch.gone.iter().zip(offer.in_places) {
            let Some((facts, original)) = self.timeline.facts(*number).zip(self.original(*number)) else {
                continue;
            };
            let tokens_saved = facts.tokens.saturating_sub(in_place.tokens);
            let replaced = Replaced { fingerprint: original.fingerprint, in_place, why: *why, tokens_saved };
            self.in_places.insert(facts.call.clone(), replaced);
        }
        calls
    }

    /// Results that went, and the tokens that this saves.
    pub fn totals(&self) -> (usize, usize) {
        (self.in_places.len(), self.in_places.values().map(|replaced| replaced.tokens_saved).sum())
    }

    fn has_other(&self, visible: &impl Fn(&str) -> bool) -> bool {
        self.timeline.has_other(visible) || self.pending.iter().any(|noted| !visible(&noted.facts.call))
    }

    /// Only results of these calls are in the context any more. What was offered for another context does not count.
    fn retain(&mut self, visible: &impl Fn(&str) -> bool) {
        self.timeline.retain(visible);
        self.pending.retain(|noted| visible(&noted.facts.call));
        self.offer = None;
    }

    /// Bytes of memory.
    fn bytes(&self) -> usize {
        /// A call and an original, allocator overhead included.
        const ENTRY_BYTES: usize = 256;
        let in_place = |place: &InPlace| place.text.len() + size_of::<InPlace>() + ENTRY_BYTES;
        let offered = self.offer.iter().flat_map(|offer| &offer.in_places).map(in_place).sum::<usize>();
        let went = self
            .in_places
            .iter()
            .map(|(call, replaced)| call.capacity() + size_of::<Replaced>() + in_place(&replaced.in_place));
        self.timeline.bytes()
            + self.originals.capacity() * (size_of::<Option<Original>>() + ENTRY_BYTES)
            + self.pending.iter().map(Noted::bytes).sum::<usize>()
            + offered
            + went.sum::<usize>()
    }
}

impl Noted {
    /// The same of a result that the model sees only in part: it stays.
    #[must_use]
    pub fn in_part(self) -> Self {
        Self { facts: self.facts.in_part(), ..self }
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.facts.bytes() + self.words.bytes() + 128
    }
}

/// How many of the results came before each answer. An answer precedes the results of its calls. An answer without calls precedes
/// all results that no earlier answer called for.
fn starts(answers: &[AnswerNote<'_>], results: &[Noted]) -> Vec<usize> {
    let places: HashMap<&str, usize> =
        results.iter().enumerate().rev().map(|(at, result)| (&*result.facts.call, at)).collect();
    let mut last = 0;
    let start = |answer: &AnswerNote<'_>| {
        let first = answer.calls.iter().filter_map(|call| places.get(&**call)).min();
        last = first.map_or(last, |first| last.max(*first));
        last
    };
    answers.iter().map(start).collect()
}

fn digest(answers: &[AnswerNote<'_>]) -> u64 {
    let mut hash = Xxh3::new();
    for AnswerNote { text, calls } in answers {
        for text in [*text].into_iter().chain(calls.iter().map(String::as_str)) {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        hash.update(b"end");
    }
    hash.digest()
}

impl Session {
    /// What may leave the context, from now on if not before. Afterwards call [`Self::room_changed`].
    pub fn room(&mut self) -> &mut Room {
        Arc::make_mut(self.room.get_or_insert_with(Arc::default))
    }

    /// The same, as far as the host ever asked.
    pub fn known_room(&self) -> Option<&Room> {
        self.room.as_deref()
    }

    /// Counts the memory of it anew.
    pub fn room_changed(&mut self) {
        self.room_bytes = self.room.as_ref().map_or(0, |room| room.bytes());
        self.report_size();
    }

    /// Notes a result that was just shown.
    pub fn note(&mut self, noted: Noted, is_changed: bool) {
        if let Some(room) = &mut self.room {
            self.room_bytes += noted.bytes();
            Arc::make_mut(room).note(noted, is_changed);
            self.report_size();
        }
    }

    /// Notes something else that the context holds.
    pub fn note_other(&mut self, tokens: usize) {
        let (facts, words) = (Facts::of_tokens(tokens), Words::default());
        self.note(Noted { facts, words, reads_original: false, original: None }, false);
    }

    /// Puts what stands in the place of a result there, if it went.
    pub fn put_in_place(&self, call: &str, fingerprint: Fingerprint, stored: &mut Stored) {
        let replaced = self.room.as_ref().and_then(|room| room.in_places.get(call));
        if let Some(replaced) = replaced.filter(|replaced| replaced.fingerprint == fingerprint) {
            let tokens_saved = stored.put_in_place(&replaced.in_place);
            stored.reclaimed = Some(Reclaimed::new(replaced.why, tokens_saved));
        }
    }

    /// Whether the host cuts these texts. `cut` is how it cuts this result, where it says so.
    pub fn is_cut(&self, cut: Option<Cut>, texts: &[String]) -> bool {
        let cut = cut.or_else(|| self.host_limit.map(Cut::of_bytes));
        cut.is_some_and(|cut| cut.applies(texts))
    }

    pub(super) fn retain_in_room(&mut self, visible: impl Fn(&str) -> bool) {
        if let Some(room) = self.room.as_mut().filter(|room| room.has_other(&visible)) {
            Arc::make_mut(room).retain(&visible);
        }
    }

    /// Forgets results that could still be removed. Replacements of removed results are kept.
    pub(super) fn forget_room(&mut self) {
        let Some(room) = &mut self.room else { return };
        let Room { offered, confirmed, in_places, .. } = &**room;
        let (offered, confirmed, in_places) = (*offered, *confirmed, in_places.clone());
        *room = Arc::new(Room { offered, confirmed, in_places, ..Room::default() });
        self.room_changed();
    }
}
