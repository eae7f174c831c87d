//! Adds up the cost of sessions, request by request, and counts what their agents missed.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::{Value, json};

use super::Texts;
use super::course::{SessionNeeds, Shown};
use super::systems::Request;
use crate::reclaim::Prices;

/// Tokens of the instructions and tools before every conversation.
const BASE_TOKENS: f64 = 20_000.0;
/// Tokens of an answer, at the price of output.
const ANSWER_TOKENS: f64 = 150.0;
/// The most tokens that an agent reads of a result that it asks for again.
const MAX_READ_AGAIN: usize = 1500;

/// A number of things, and how many of them were visible.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Share {
    pub all: usize,
    pub seen: usize,
}

impl Share {
    fn add(&mut self, is_seen: bool) {
        self.all += 1;
        self.seen += usize::from(is_seen);
    }

    /// The visible share in percent; 100 if there are no things.
    pub(super) fn percent(self) -> f64 {
        if self.all == 0 { 100.0 } else { 100.0 * self.seen as f64 / self.all as f64 }
    }
}

/// The sums of some sessions.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    pub sessions: usize,
    pub answers: usize,
    /// Tokens of all results, each as it was first sent.
    pub tokens: u64,
    /// The total cost, in multiples of the price of an input token.
    pub cost: f64,
    /// Extra answers that the agents needed because something was missing.
    pub extra: usize,
    /// What was used for the first time, at any distance. A result that was asked for again counts as visible: it is
    /// asked for only once, however much of it is missed.
    pub references: Share,
    /// References that need more than a word (quotes, places, values), and how many of them the context showed.
    pub whole: Share,
    /// Edits, and how many of them had all replaced lines visible.
    pub edits: Share,
    /// Requests in which earlier messages differed from the previous request.
    pub rewrites: usize,
    /// Removal batches, and how many of them did not pay before the session ended.
    pub batches: usize,
    pub unpaid: usize,
}

/// The state of one session while it is added up.
struct SessionState {
    /// The messages of the previous request: hash and tokens.
    before: Vec<(u64, usize)>,
    /// Tokens that the agent read again.
    read_again: usize,
    /// Results that the agent asked for again.
    asked_again: HashSet<usize>,
}

impl Sum {
    /// Adds one session. `request` makes the request that an answer replies to, by the index of the answer.
    pub(super) fn session(
        &mut self,
        course: &SessionNeeds<'_>,
        prices: &Prices,
        texts: &mut Texts,
        mut request: impl FnMut(usize) -> Result<Request, String>,
    ) -> Result<(), String> {
        self.sessions += 1;
        let mut sent = 0;
        let mut state = SessionState { before: Vec::new(), read_again: 0, asked_again: HashSet::new() };
        for answer in 0..course.answers() {
            self.answers += 1;
            let request = request(answer)?;
            let shown: Vec<(u64, Rc<Shown>)> = request.results.iter().map(|text| texts.of(text)).collect();
            self.tokens += shown.iter().skip(sent).map(|(_, shown)| shown.tokens as u64).sum::<u64>();
            sent = shown.len();
            let context = self.charge_request(course, answer, &shown, prices, texts, &mut state);
            if let Some(batch) = request.batch {
                self.batches += 1;
                let requests = (course.answers() - answer) as f64;
                let dear = prices.factor() * batch.behind as f64;
                self.unpaid += usize::from(requests * batch.removed as f64 <= dear);
            }
            self.charge_missed(course, answer, &shown, prices, context, &mut state);
        }
        Ok(())
    }

    /// Adds the cost of a request. Returns its tokens.
    fn charge_request(
        &mut self,
        course: &SessionNeeds<'_>,
        answer: usize,
        shown: &[(u64, Rc<Shown>)],
        prices: &Prices,
        texts: &mut Texts,
        state: &mut SessionState,
    ) -> f64 {
        let transcript = &course.session.transcript;
        let mut all = Vec::with_capacity(state.before.len() + 8);
        let mut note = |text: &str| {
            let (hash, shown) = texts.of(text);
            all.push((hash, shown.tokens));
        };
        note(&transcript.context);
        let mut results = shown.iter().map(|(hash, shown)| (*hash, shown.tokens));
        let first = course.results_before(0);
        let mut said: Vec<(u64, usize)> = Vec::new();
        for earlier in &transcript.answers[..answer] {
            let (hash, shown) = texts.of(&earlier.text);
            said.push((hash, shown.tokens));
        }
        all.extend(results.by_ref().take(first));
        for (earlier, said) in said.into_iter().enumerate() {
            all.push(said);
            all.extend(results.by_ref().take(course.results_of(earlier).len()));
        }
        let same = all.iter().zip(&state.before).take_while(|(a, b)| a == b).count();
        self.rewrites += usize::from(same < state.before.len());
        let tokens = |part: &[(u64, usize)]| part.iter().map(|(_, tokens)| *tokens as f64).sum::<f64>();
        let (cached, new) = (tokens(&all[..same]) + state.read_again as f64, tokens(&all[same..]));
        let (cached, new) =
            if answer == 0 { (cached, new + BASE_TOKENS) } else { (cached + BASE_TOKENS, new) };
        self.cost += prices.read * cached + prices.write * new + prices.output * ANSWER_TOKENS;
        state.before = all;
        cached + new
    }

    /// Counts what an answer used, and charges for what it would have had to ask for again.
    fn charge_missed(
        &mut self,
        course: &SessionNeeds<'_>,
        answer: usize,
        shown: &[(u64, Rc<Shown>)],
        prices: &Prices,
        context: f64,
        state: &mut SessionState,
    ) {
        let mut missed: Vec<usize> = Vec::new();
        for need in course.needs(answer) {
            let results = || need.results.iter().filter(|at| **at < shown.len());
            let is_seen = results().any(|at| shown[*at].1.text.contains(&need.text));
            let is_back = results().any(|at| state.asked_again.contains(at));
            self.references.add(is_seen || is_back);
            if need.is_whole() {
                self.whole.add(is_seen);
            }
            if !is_seen && !is_back {
                missed.extend(results().next_back());
                state.asked_again.extend(results().next_back());
            }
        }
        for lines in course.edits(answer) {
            let is_seen = |line: &&u64| shown.iter().any(|(_, shown)| shown.lines.contains(*line));
            let is_all = lines.iter().all(|line| is_seen(&line));
            self.edits.add(is_all);
            if let Some(last) =
                shown.len().checked_sub(1).filter(|last| !is_all && !state.asked_again.contains(last))
            {
                missed.push(last);
                state.asked_again.insert(last);
            }
        }
        for result in missed {
            let again = Shown::of(&course.session.records[result].output).tokens.min(MAX_READ_AGAIN);
            self.extra += 1;
            self.cost += prices.read * (context + state.read_again as f64)
                + prices.output * ANSWER_TOKENS
                + prices.write * again as f64;
            state.read_again += again;
        }
    }

    /// Adds the sums of other sessions.
    pub(super) fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.answers += other.answers;
        self.tokens += other.tokens;
        self.cost += other.cost;
        self.extra += other.extra;
        self.rewrites += other.rewrites;
        self.batches += other.batches;
        self.unpaid += other.unpaid;
        let shares = [&mut self.references, &mut self.whole, &mut self.edits];
        for (share, other) in shares.into_iter().zip([other.references, other.whole, other.edits]) {
            share.all += other.all;
            share.seen += other.seen;
        }
    }

    /// What is saved compared with another bill, in percent.
    pub(super) fn saved_of(&self, raw: &Self) -> f64 {
        if raw.cost > 0.0 { 100.0 * (1.0 - self.cost / raw.cost) } else { 0.0 }
    }

    /// Extra answers, in percent of all.
    pub(super) fn extra_percent(&self) -> f64 {
        if self.answers == 0 { 0.0 } else { 100.0 * self.extra as f64 / self.answers as f64 }
    }

    pub(super) fn json(&self) -> Value {
        let share = |share: Share| json!({ "all": share.all, "visible": share.seen });
        json!({
            "sessions": self.sessions,
            "answers": self.answers,
            "resultTokens": self.tokens,
            "cost": self.cost.round(),
            "extraAnswers": self.extra,
            "references": share(self.references),
            "wholeNeeds": share(self.whole),
            "edits": share(self.edits),
            "rewrites": self.rewrites,
            "batches": self.batches,
            "unpaidBatches": self.unpaid,
        })
    }
}
