//! What the agent of a whole session needed from earlier results, for each of its answers.

use std::collections::HashSet;

use super::super::edits::{Edits, lines_of};
use super::super::markers;
use super::super::need::Need;
use super::super::record::{Record, Session};
use crate::tokens::{Tokenizer, counter};

/// A whole session with the needs and edits of its agent.
pub(in crate::cli) struct SessionNeeds<'a> {
    /// The session.
    pub session: &'a Session,
    /// For each answer, what it needed from results.
    needs: Vec<Vec<&'a Need>>,
    /// For each answer, the edits that it made; each edit as hashes of the lines that it replaced.
    edits: Vec<Vec<Vec<u64>>>,
}

/// What a text costs and shows.
pub(in crate::cli) struct Shown {
    /// Its tokens.
    pub tokens: usize,
    /// The text without our markers.
    pub text: String,
    /// Its lines, as hashes.
    pub lines: HashSet<u64>,
}

impl Shown {
    pub(super) fn of(text: &str) -> Self {
        let counter = counter(Tokenizer::default());
        let shown = markers::take_apart(text, counter).shown;
        Self { tokens: counter.count(text), lines: lines_of(&shown).collect(), text: shown }
    }
}

impl<'a> SessionNeeds<'a> {
    pub(super) fn of(session: &'a Session) -> Self {
        let answers = &session.transcript.answers;
        let mut needs = vec![Vec::new(); answers.len()];
        for need in &session.needs {
            if let Some(needs) = needs.get_mut(need.answer) {
                needs.push(need);
            }
        }
        let mut all: Vec<Vec<Vec<u64>>> = vec![Vec::new(); answers.len()];
        let mut edits = Edits::default();
        for (at, record) in session.records.iter().enumerate() {
            // The result belongs to the last answer before it, whose call it answers.
            let answer = answers.partition_point(|answer| answer.results <= at).checked_sub(1);
            if let Some((answer, lines)) = answer.zip(edits.lines(record)) {
                all[answer].push(lines);
            }
            edits.add(&record.output, "");
        }
        Self { session, needs, edits: all }
    }

    /// The number of answers of the agent, and so of requests.
    pub(super) fn answers(&self) -> usize {
        self.session.transcript.answers.len()
    }

    /// The number of results before an answer.
    pub(super) fn results_before(&self, answer: usize) -> usize {
        self.session
            .transcript
            .answers
            .get(answer)
            .map_or(self.session.records.len(), |answer| answer.results)
    }

    /// The results of the calls of an answer. Results before the first answer belong to no call.
    pub(super) fn results_of(&self, answer: usize) -> &'a [Record] {
        let end = self.results_before(answer + 1);
        &self.session.records[self.results_before(answer)..end]
    }

    pub(super) fn needs(&self, answer: usize) -> &[&'a Need] {
        &self.needs[answer]
    }

    pub(super) fn edits(&self, answer: usize) -> &[Vec<u64>] {
        &self.edits[answer]
    }
}
