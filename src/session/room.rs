//! The record of a host that sends results one by one: results and answers of the model in order, the batch that was
//! offered to the host, and the replacements of removed results. It starts with the first `session/reclaim`. Only
//! data, no decisions.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{Fingerprint, Session, StandIn, Stored};
use crate::protocol::reclaim::Reclaimed;
use crate::protocol::tool_result::ArtifactRef;
use crate::reclaim::{Batch, Facts, Timeline, Words};
use crate::text::cut::Cut;
use crate::text::marker::RemovalReason;

/// The most results that are recorded between two `session/reclaim` requests. If there are more, no further result
/// of the session is removed.
const MAX_PENDING: usize = 4096;
/// The estimated bytes of a token of an answer.
const BYTES_OF_TOKEN: usize = 4;

/// Results and answers of a session whose host sends results one by one.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// The timeline that decides which results may leave.
    pub timeline: Timeline,
    /// The originals of results, by their numbers.
    originals: Vec<Option<Original>>,
    /// Results since the last `session/reclaim`, in order.
    pending: Vec<Noted>,
    /// Hash of the answers in the last `session/reclaim`.
    last_answers: Option<u64>,
    /// Whether a result could not be noted.
    is_full: bool,
    offer: Option<Offer>,
    /// Numbers of the last batch that was offered, and of the last that was confirmed.
    offered: u64,
    confirmed: u64,
    /// The replacements of removed results, by call id.
    stand_ins: HashMap<String, Replaced>,
}

/// A result as it came, before the next answer of the model.
#[derive(Debug, Clone)]
pub struct Noted {
    /// The facts that decide whether it may be removed.
    pub facts: Facts,
    /// Words of the call, which the model wrote.
    pub words: Words,
    /// Whether the call reads an original back.
    pub reads_original: bool,
    /// The original; `None` if the result cannot be removed.
    pub original: Option<Original>,
}

/// The original of a result that may be removed.
#[derive(Debug, Clone)]
pub struct Original {
    /// The request that it answered.
    pub fingerprint: Fingerprint,
    /// Where it is kept.
    pub artifact: ArtifactRef,
    /// Whether the command that markers name can read it.
    pub is_near: bool,
}

/// An answer of the model, as the host reports it.
#[derive(Debug, Clone, Copy)]
pub struct AnswerNote<'a> {
    /// Its text.
    pub text: &'a str,
    /// The calls that it makes.
    pub calls: &'a [String],
}

/// A batch that was offered to the host.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Its number.
    pub number: u64,
    /// The results to remove, and the sum.
    pub batch: Batch,
    /// Their replacements, in the same order.
    pub stand_ins: Vec<StandIn>,
}

/// A removed result.
#[derive(Debug, Clone)]
struct Replaced {
    fingerprint: Fingerprint,
    stand_in: StandIn,
    why: RemovalReason,
    tokens_saved: usize,
}

impl Room {
    /// Whether no further result can be removed.
    pub fn is_full(&self) -> bool {
        self.is_full || self.timeline.is_full()
    }

    /// Notes a result. `is_changed`: its call came before with other bytes, so it is unknown which of them the model
    /// sees.
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
                .for_each(|other| other.facts.is_removable = false);
            noted = noted.in_part();
        }
        self.last_answers = None;
        self.pending.push(noted);
    }

    /// Records the answers of the model since the last request, and the results since then. `None` if the answers are
    /// unknown. The same answers again, without a new result, are not recorded twice.
    pub fn record_answers(&mut self, answers: Option<&[AnswerNote<'_>]>) {
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
            // There are results but no answer of the model.
            None => self.said(AnswerNote { text: "", calls: &[] }, pending.as_slice()),
            Some(0) => {}
            // The answer that made the first calls was not reported.
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

    /// Records an answer of the model that made the calls of these results.
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

    /// Offers a batch that replaces the last offer. If it is the same batch, it keeps its number.
    pub fn offer(&mut self, batch: Batch, stand_ins: Vec<StandIn>) -> Option<&Offer> {
        let is_same = |offer: &Offer| offer.batch.gone == batch.gone && offer.stand_ins == stand_ins;
        let number = match &self.offer {
            Some(offer) if is_same(offer) => offer.number,
            _ => self.offered + 1,
        };
        if batch.gone.is_empty() {
            self.offer = None;
            return None;
        }
        self.offered = number;
        self.offer = Some(Offer { number, batch, stand_ins });
        self.offer.as_ref()
    }

    /// The offered batch of this number, if it is still valid: no result since then refers to a result that it removes.
    pub fn offered(&self, number: u64) -> Option<&Offer> {
        let offer = self.offer.as_ref().filter(|offer| offer.number == number && !self.is_full())?;
        let calls: Vec<&str> = self.calls_of(offer).collect();
        let points = |noted: &Noted| noted.facts.refers_to().iter().any(|call| calls.contains(&&**call));
        (!self.pending.iter().any(points)).then_some(offer)
    }

    /// Whether this batch was confirmed before.
    pub fn is_confirmed(&self, number: u64) -> bool {
        number > 0 && number == self.confirmed
    }

    /// The calls whose results a batch removes.
    fn calls_of<'a>(&'a self, offer: &'a Offer) -> impl Iterator<Item = &'a str> {
        let facts = offer.batch.gone.iter().filter_map(|(number, _)| self.timeline.facts(*number));
        facts.map(|facts| &*facts.call)
    }

    /// Confirms the offered batch. Returns the calls whose results were removed.
    pub fn confirm(&mut self) -> Vec<String> {
        let Some(offer) = self.offer.take() else { return Vec::new() };
        let calls: Vec<String> = self.calls_of(&offer).map(str::to_owned).collect();
        self.timeline.apply(&offer.batch);
        self.confirmed = offer.number;
        for ((number, why), stand_in) in offer.batch.gone.iter().zip(offer.stand_ins) {
            let Some((facts, original)) = self.timeline.facts(*number).zip(self.original(*number)) else {
                continue;
            };
            let tokens_saved = facts.tokens.saturating_sub(stand_in.tokens);
            let replaced = Replaced { fingerprint: original.fingerprint, stand_in, why: *why, tokens_saved };
            self.stand_ins.insert(facts.call.clone(), replaced);
        }
        calls
    }

    /// The number of removed results, and the tokens that this saves.
    pub fn totals(&self) -> (usize, usize) {
        (self.stand_ins.len(), self.stand_ins.values().map(|replaced| replaced.tokens_saved).sum())
    }

    fn has_other(&self, visible: &impl Fn(&str) -> bool) -> bool {
        self.timeline.has_other(visible) || self.pending.iter().any(|noted| !visible(&noted.facts.call))
    }

    /// Keeps only results of these calls. A batch that was offered for another context is no longer valid.
    fn retain(&mut self, visible: &impl Fn(&str) -> bool) {
        self.timeline.retain(visible);
        self.pending.retain(|noted| visible(&noted.facts.call));
        self.offer = None;
    }

    /// Bytes of memory.
    fn bytes(&self) -> usize {
        /// A call and an original, allocator overhead included.
        const ENTRY_BYTES: usize = 256;
        let stand_in = |place: &StandIn| place.text.len() + size_of::<StandIn>() + ENTRY_BYTES;
        let offered = self.offer.iter().flat_map(|offer| &offer.stand_ins).map(stand_in).sum::<usize>();
        let went = self
            .stand_ins
            .iter()
            .map(|(call, replaced)| call.capacity() + size_of::<Replaced>() + stand_in(&replaced.stand_in));
        self.timeline.bytes()
            + self.originals.capacity() * (size_of::<Option<Original>>() + ENTRY_BYTES)
            + self.pending.iter().map(Noted::bytes).sum::<usize>()
            + offered
            + went.sum::<usize>()
    }
}

impl Noted {
    /// The same result, but the model sees it only in part: it cannot be removed.
    #[must_use]
    pub fn in_part(self) -> Self {
        Self { facts: self.facts.in_part(), ..self }
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + self.facts.bytes() + self.words.bytes() + 128
    }
}

/// For each answer, how many results came before it. An answer comes before the results of its calls. An answer
/// without calls comes before all results that no earlier answer called for.
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
    /// The record for `session/reclaim`, created on first use. Call [`Self::room_changed`] after changing it.
    pub fn room(&mut self) -> &mut Room {
        Arc::make_mut(self.room.get_or_insert_with(Arc::default))
    }

    /// The record for `session/reclaim`; `None` if the host never asked.
    pub fn known_room(&self) -> Option<&Room> {
        self.room.as_deref()
    }

    /// Updates the counted memory of the record.
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

    /// Notes another item of the context.
    pub fn note_other(&mut self, tokens: usize) {
        let (facts, words) = (Facts::of_tokens(tokens), Words::default());
        self.note(Noted { facts, words, reads_original: false, original: None }, false);
    }

    /// Replaces the text of a result by its stand-in, if it was removed.
    pub fn put_stand_in(&self, call: &str, fingerprint: Fingerprint, stored: &mut Stored) {
        let replaced = self.room.as_ref().and_then(|room| room.stand_ins.get(call));
        if let Some(replaced) = replaced.filter(|replaced| replaced.fingerprint == fingerprint) {
            let tokens_saved = stored.put_stand_in(&replaced.stand_in);
            stored.reclaimed = Some(Reclaimed::new(replaced.why, tokens_saved));
        }
    }

    /// Whether the host cuts these texts. `cut` says how it cuts this result, if it says so.
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
        let Room { offered, confirmed, stand_ins, .. } = &**room;
        let (offered, confirmed, stand_ins) = (*offered, *confirmed, stand_ins.clone());
        *room = Arc::new(Room { offered, confirmed, stand_ins, ..Room::default() });
        self.room_changed();
    }
}
