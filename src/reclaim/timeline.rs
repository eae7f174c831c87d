//! The facts about a conversation that decide which results may be removed.

use std::collections::{HashMap, HashSet, VecDeque};

use super::batch::Batch;
use super::context::{Context, Item};
use super::place::{Folder, SameFile, Shell, compare_paths};
use super::view::Again;
use super::{Facts, Words};
use crate::detect::viewed;
use crate::text::marker::RemovalReason;

/// The most results and answers that are recorded, since each answer is compared with each result. In a longer
/// conversation no more results are removed; hosts compact it long before.
pub(super) const MAX_RESULTS: usize = 4096;
const MAX_ANSWERS: usize = 4096;
/// The most earlier results of the same call, or of the same file, with which a new result is compared.
const MAX_COMPARED: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) facts: Facts,
    /// The folder in which its call ran, if it is known.
    folder: String,
    /// The number of answers before the model saw it.
    pub(super) since: usize,
    /// The last answer that cited it, and the number of answers that did.
    pub(super) cited: Option<usize>,
    pub(super) citations: usize,
    /// The newer result that replaces it.
    pub(super) newer: Option<Newer>,
    /// The number of answers before it was removed, and why.
    pub(super) gone: Option<(usize, RemovalReason)>,
    /// Tokens of other messages between the previous result and this one.
    pub(super) between: usize,
    /// Whether the host removed it from the context.
    pub(super) left: bool,
}

impl Entry {
    /// Whether it is present and may be removed, and its replacement costs at most half of it.
    pub(super) fn is_worth_it(&self) -> bool {
        let facts = &self.facts;
        self.gone.is_none() && facts.is_removable && facts.tokens_in_its_place() * 2 <= facts.tokens
    }

    /// Notes that an answer cited it.
    fn cite(&mut self, answer: usize) {
        self.citations += usize::from(self.cited != Some(answer));
        self.cited = Some(answer);
    }
}

/// A newer result that replaces an earlier one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Newer {
    pub(super) number: usize,
    pub(super) how: How,
}

/// Why a newer result replaces an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// It is a newer result of the same call.
    Run,
    /// It shows the same lines of the file.
    Same,
    /// It shows a newer version of these lines.
    Version,
}

impl Newer {
    /// Why result `number`, which this one replaces, may be removed.
    pub(super) fn why(self, number: usize) -> RemovalReason {
        let later = self.number - number;
        match self.how {
            How::Run => RemovalReason::RunAgain(later),
            How::Same => RemovalReason::ShownAgain(later),
            How::Version => RemovalReason::Superseded(later),
        }
    }
}

/// The results and answers of a conversation.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    pub(super) results: Vec<Entry>,
    pub(super) by_call: HashMap<String, usize>,
    /// For each call, its latest results that no newer result replaces.
    by_asked: HashMap<[u8; 16], VecDeque<usize>>,
    /// The same for each file, by its name without folder.
    by_file: HashMap<String, VecDeque<usize>>,
    /// The shell in which the commands run.
    shell: Shell,
    /// Words of all answers so far.
    said: HashSet<u32>,
    /// The number of answers of the model so far.
    pub(super) answers: usize,
    /// The number of results in the last request.
    pub(super) cached: usize,
    /// Tokens of other messages after the last result.
    between: usize,
    /// How often the agent requested a result again that had been removed as uncited. Calls that now return something
    /// else do not count.
    pub(super) asked_again: usize,
}

impl Timeline {
    /// The number of results so far.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Whether the limit is reached: nothing more is recorded, and nothing is removed.
    pub fn is_full(&self) -> bool {
        self.results.len() >= MAX_RESULTS || self.answers >= MAX_ANSWERS
    }

    /// The facts of a result.
    pub fn facts(&self, result: usize) -> Option<&Facts> {
        self.results.get(result).map(|entry| &entry.facts)
    }

    /// Why a result had been removed before the request after `answers` answers; `None` if it was still present.
    pub fn gone(&self, result: usize, answers: usize) -> Option<RemovalReason> {
        self.results.get(result)?.gone.filter(|(at, _)| *at <= answers).map(|(_, why)| why)
    }

    /// Records an answer of the model. Words that the model used before do not count as citations, because it needs
    /// no result for them.
    pub fn answer(&mut self, words: &Words, tokens: usize) {
        if self.is_full() {
            return;
        }
        let cites = words.without(|word| self.said.contains(&word));
        if !cites.is_empty() {
            for entry in self.results.iter_mut().filter(|entry| entry.gone.is_none()) {
                if cites.meets(&entry.facts.words) {
                    entry.cite(self.answers);
                }
            }
            self.said.extend(cites.hashes());
        }
        self.answered(tokens);
    }

    /// Records an answer that is not known: it may have cited every result.
    pub fn unknown_answer(&mut self) {
        if self.is_full() {
            return;
        }
        self.results.iter_mut().for_each(|entry| entry.cited = Some(self.answers));
        self.answered(0);
    }

    fn answered(&mut self, tokens: usize) {
        self.answers += 1;
        self.cached = self.results.len();
        self.between += tokens;
    }

    /// The number of the result of a call, the last one if there are several.
    pub fn number(&self, call: &str) -> Option<usize> {
        self.by_call.get(call).copied()
    }

    /// Makes sure that a result is never removed.
    pub fn stays(&mut self, result: usize) {
        if let Some(entry) = self.results.get_mut(result) {
            entry.facts.is_removable = false;
        }
    }

    /// Whether the context has results of other calls.
    pub fn has_other(&self, is_here: impl Fn(&str) -> bool) -> bool {
        self.results.iter().any(|entry| !entry.left && !is_here(&entry.facts.call))
    }

    /// Keeps only results of these calls: the others are no longer in the context.
    pub fn retain(&mut self, is_here: impl Fn(&str) -> bool) {
        self.results.iter_mut().for_each(|entry| entry.left |= !is_here(&entry.facts.call));
    }

    /// The context according to the recorded results and answers.
    pub fn context(&self) -> Context {
        let mut context = Context::default();
        for (number, entry) in self.results.iter().enumerate() {
            context.add_tokens(entry.between);
            if !entry.left {
                context.add_result(number);
            }
        }
        context.end_with_result();
        context
    }

    /// The context as the host reports it, in order. Unknown calls are ignored.
    pub fn context_of<'a>(&self, items: impl IntoIterator<Item = Item<'a>>) -> Context {
        let mut context = Context::default();
        for item in items {
            match item {
                Item::Tokens(tokens) => context.add_tokens(tokens),
                Item::Result(call) => {
                    self.number(call).into_iter().for_each(|number| context.add_result(number));
                }
            }
        }
        context
    }

    /// Records a result that the model is shown.
    pub fn result(&mut self, mut facts: Facts, reads_original: bool) {
        if self.is_full() {
            return;
        }
        let place = self.shell.run(&facts.folder);
        facts.resolve(&place);
        facts.folder = Folder::default();
        let folder = place.folder;
        let number = self.results.len();
        let mut is_asked_again = reads_original && self.results.iter().any(|entry| entry.gone.is_some());
        let file = facts.view.as_ref().map(|view| viewed::name(&view.file).to_owned());
        // Views of a file are compared by line numbers, other results by their words: a call such as `scroll_down`
        // returns something else each time.
        let lists = [
            facts.asked.map(|asked| self.by_asked.entry(asked).or_default()),
            file.map(|file| self.by_file.entry(file).or_default()),
        ];
        for (list, is_of_call) in lists.into_iter().zip([true, false]) {
            let Some(list) = list else { continue };
            list.retain(|earlier| {
                let entry = &mut self.results[*earlier];
                let was_uncited = matches!(entry.gone, Some((_, RemovalReason::NotCited(_))));
                let is_same = || !entry.facts.is_run && facts.is_like(&entry.facts);
                is_asked_again |= is_of_call && was_uncited && is_same();
                let how = match is_of_call {
                    true => {
                        // The same command in another folder is another call.
                        let is_newer = entry.facts.view.is_none()
                            && entry.folder == folder
                            && facts.is_like(&entry.facts);
                        is_newer.then_some(How::Run)
                    }
                    false => entry.facts.shown_by(&facts).map(|again| match again {
                        Again::Same => How::Same,
                        Again::Other => How::Version,
                    }),
                };
                entry.newer = entry.newer.or(how.map(|how| Newer { number, how }));
                how.is_none() && !was_uncited
            });
            list.push_back(number);
            if list.len() > MAX_COMPARED {
                list.pop_front();
            }
        }
        self.asked_again += usize::from(is_asked_again);
        self.step(&facts);
        if !facts.call.is_empty() {
            self.by_call.insert(facts.call.clone(), number);
        }
        let between = std::mem::take(&mut self.between);
        self.results.push(Entry {
            facts,
            folder,
            since: self.answers,
            cited: None,
            citations: 0,
            newer: None,
            gone: None,
            between,
            left: false,
        });
    }

    /// Counts a call as a citation: visiting a place cites the list that names it, and editing a file cites
    /// results that show it.
    fn step(&mut self, facts: &Facts) {
        let edited = facts.file.as_deref().filter(|_| facts.is_edit);
        let edited: Vec<&str> = edited.into_iter().chain(facts.edits.iter().map(String::as_str)).collect();
        let file = facts.file.as_deref();
        if file.is_none() && edited.is_empty() {
            return;
        }
        let answer = self.answers.saturating_sub(1);
        for entry in self.results.iter_mut().filter(|entry| entry.gone.is_none()) {
            let is_edited = entry.facts.file.as_deref().is_some_and(|file| {
                edited.iter().any(|other| {
                    // In most cases the name alone shows that the files differ.
                    viewed::name(other) == viewed::name(file) && compare_paths(file, other) != SameFile::No
                })
            });
            let is_step = file.is_some_and(|file| entry.facts.hits.step(file, facts.view.as_ref()));
            if is_step || is_edited {
                entry.cite(answer);
            }
        }
    }

    /// The label of the newer result that replaces a superseded view of a file; `None` for other reasons.
    pub fn stands_for(&self, result: usize, why: RemovalReason) -> Option<&str> {
        let RemovalReason::Superseded(later) = why else { return None };
        self.facts(result + later).map(|facts| facts.of.as_str())
    }

    /// Notes that the results of a batch are removed from the next request on.
    pub fn apply(&mut self, batch: &Batch) {
        for (number, why) in &batch.gone {
            if let Some(entry) = self.results.get_mut(*number) {
                entry.gone = Some((self.answers, *why));
            }
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let entries: usize = self
            .results
            .iter()
            .map(|e| size_of::<Entry>() + e.facts.bytes() + 2 * e.facts.call.len() + e.folder.len())
            .sum();
        // Each result has an entry in three tables, with a key that is small or already counted.
        entries + self.results.len() * 256 + self.said.capacity() * 5
    }
}
