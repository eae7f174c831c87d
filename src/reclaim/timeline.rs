//! A conversation as far as it decides which results may go.

use std::collections::{HashMap, HashSet, VecDeque};

use super::context::{Context, Item};
use super::{Factor, Facts, Words};
use crate::config::Mode;
use crate::text::marker::Gone;

/// How sure it has to be that a result is not needed any more, and that taking it out pays.
///
/// The figures were tried on 112 whole sessions of thirteen agents, with an answer more charged for each first use of something
/// that had gone: of some fifty combinations these lost least for what they saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Care {
    /// A result that no answer has cited may go after so many answers.
    pub age: usize,
    /// One that was cited may go so many answers after that.
    pub uncited: usize,
    /// Requests to come, where the host does not know, in thousandths of the answers so far. As likely as not a conversation
    /// goes on for as long as it has; a batch is to pay also if it ends much sooner, and later batches hold more.
    pub to_come_thousandths: usize,
    /// The least gain of a batch of results that later ones stand for, in tokens read from the cache.
    pub min_gain: i64,
    /// The least gain of a batch with results that were not cited.
    pub min_gain_uncited: i64,
}

/// Requests to come are never thought to be fewer.
const MIN_TO_COME: usize = 5;
/// 6,000 tokens read cost as much as 600 that are new.
const MIN_GAIN: i64 = 6000;

impl Care {
    /// The care of a mode; `None` where nothing may go.
    pub fn of(mode: Mode) -> Option<Self> {
        match mode {
            Mode::Disabled | Mode::Safe => None,
            Mode::Standard => Some(Self {
                age: 6,
                uncited: 8,
                to_come_thousandths: 150,
                min_gain: MIN_GAIN,
                min_gain_uncited: 10 * MIN_GAIN,
            }),
            Mode::Aggressive => Some(Self {
                age: 4,
                uncited: 4,
                to_come_thousandths: 250,
                min_gain: MIN_GAIN,
                min_gain_uncited: MIN_GAIN,
            }),
        }
    }
}

/// Most results and most answers that are looked at, since each answer is compared with each result. In a longer conversation no
/// more results leave; hosts sum up long before.
const MAX_RESULTS: usize = 4096;
const MAX_ANSWERS: usize = 4096;
/// Most earlier results of the same call, or of the same file, that a new one is compared with.
const MAX_COMPARED: usize = 32;

/// The sum that decided.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    /// Tokens that go.
    pub removed: usize,
    /// Tokens that stay behind the first that go, and that the provider's cache holds.
    pub behind: usize,
    /// Requests to come, the next one included.
    pub requests: usize,
    /// What writing costs more than reading, in prices of reading.
    pub factor: f64,
    /// What it gains, in tokens read.
    pub gain: i64,
}

/// Results that go together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Each by its number in the order of the conversation, and why it may go. None where nothing pays.
    pub gone: Vec<(usize, Gone)>,
    /// The sum.
    pub sum: Sum,
}

#[derive(Debug, Clone)]
struct Entry {
    facts: Facts,
    /// Answers before the model saw it.
    since: usize,
    /// The last answer that cited it.
    cited: Option<usize>,
    /// The result that shows what it shows, and whether it is one of the same call.
    newer: Option<(usize, bool)>,
    /// Answers before it went, and why.
    gone: Option<(usize, Gone)>,
    /// Tokens of other messages between the result before it and this one.
    between: usize,
    /// Whether the host took it out of the context.
    left: bool,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    results: Vec<Entry>,
    by_call: HashMap<String, usize>,
    /// The last results of a call, and those of a file, for which no newer one stands.
    by_asked: HashMap<[u8; 16], VecDeque<usize>>,
    by_file: HashMap<String, VecDeque<usize>>,
    /// Words of all answers.
    said: HashSet<u32>,
    /// Answers of the model so far.
    answers: usize,
    /// Results that the last request held.
    cached: usize,
    /// Tokens of other messages behind the last result.
    between: usize,
    /// How often the agent asked again for what had gone uncited.
    asked_again: usize,
}

impl Timeline {
    /// Results so far.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Whether it is as long as it can be: nothing is noted any more, and nothing goes.
    pub fn is_full(&self) -> bool {
        self.results.len() >= MAX_RESULTS || self.answers >= MAX_ANSWERS
    }

    /// The facts of a result.
    pub fn facts(&self, result: usize) -> Option<&Facts> {
        self.results.get(result).map(|entry| &entry.facts)
    }

    /// Why a result had gone before the request that follows so many answers.
    pub fn gone(&self, result: usize, answers: usize) -> Option<Gone> {
        self.results.get(result)?.gone.filter(|(at, _)| *at <= answers).map(|(_, why)| why)
    }

    /// The model gave an answer with these words, of so many tokens. Words that it said before cite nothing: it needs no result
    /// for them.
    pub fn answer(&mut self, words: &Words, tokens: usize) {
        if self.is_full() {
            return;
        }
        let cites = words.without(|word| self.said.contains(&word));
        if !cites.is_empty() {
            for entry in self.results.iter_mut().filter(|entry| entry.gone.is_none()) {
                if cites.meets(&entry.facts.words) {
                    entry.cited = Some(self.answers);
                }
            }
            self.said.extend(cites.hashes());
        }
        self.answered(tokens);
    }

    /// The model gave an answer that is not known. It may have cited every result.
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

    /// The number of a call's result, the last where there are several.
    pub fn number(&self, call: &str) -> Option<usize> {
        self.by_call.get(call).copied()
    }

    /// A result may not go, whatever comes.
    pub fn stays(&mut self, result: usize) {
        if let Some(entry) = self.results.get_mut(result) {
            entry.facts.may_go = false;
        }
    }

    /// Whether the context holds results of other calls.
    pub fn has_other(&self, is_here: impl Fn(&str) -> bool) -> bool {
        self.results.iter().any(|entry| !entry.left && !is_here(&entry.facts.call))
    }

    /// Only results of these calls are in the context any more.
    pub fn retain(&mut self, is_here: impl Fn(&str) -> bool) {
        self.results.iter_mut().for_each(|entry| entry.left |= !is_here(&entry.facts.call));
    }

    /// What the context holds as far as it was told.
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

    /// What the context holds as the host says, in order. Calls that are not known count nothing.
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

    /// The model is shown a result.
    pub fn result(&mut self, facts: Facts, reads_original: bool) {
        if self.is_full() {
            return;
        }
        let number = self.results.len();
        let mut is_asked_again = reads_original && self.results.iter().any(|entry| entry.gone.is_some());
        let file = facts.view.as_ref().map(|view| view.file.clone());
        // Lines of a file are told by their numbers, and any other result by its words: a call such as `scroll_down` shows
        // something else each time.
        let lists = [
            facts.asked.map(|asked| self.by_asked.entry(asked).or_default()),
            file.map(|file| self.by_file.entry(file).or_default()),
        ];
        for (list, is_of_call) in lists.into_iter().zip([true, false]) {
            let Some(list) = list else { continue };
            list.retain(|earlier| {
                let entry = &mut self.results[*earlier];
                let was_uncited = matches!(entry.gone, Some((_, Gone::NotCited(_))));
                is_asked_again |= is_of_call && was_uncited;
                let is_newer = match is_of_call {
                    true => entry.facts.view.is_none() && facts.is_like(&entry.facts),
                    false => entry.facts.is_shown_by(&facts),
                };
                if is_newer && entry.newer.is_none() {
                    entry.newer = Some((number, is_of_call));
                }
                !is_newer && !was_uncited
            });
            list.push_back(number);
            if list.len() > MAX_COMPARED {
                list.pop_front();
            }
        }
        self.asked_again += usize::from(is_asked_again);
        if !facts.call.is_empty() {
            self.by_call.insert(facts.call.clone(), number);
        }
        let between = std::mem::take(&mut self.between);
        self.results.push(Entry {
            facts,
            since: self.answers,
            cited: None,
            newer: None,
            gone: None,
            between,
            left: false,
        });
    }

    /// What may go before the next request, as far as it pays. `to_come` is the number of requests to come, where it is known.
    pub fn plan(&self, factor: Factor, to_come: Option<usize>, care: Care) -> Batch {
        self.plan_in(&self.context(), factor, to_come, care)
    }

    /// The same for results that stand in a context.
    pub fn plan_in(&self, context: &Context, factor: Factor, to_come: Option<usize>, care: Care) -> Batch {
        if self.is_full() {
            return Batch::default();
        }
        let guess = (self.answers * care.to_come_thousandths / 1000).max(MIN_TO_COME);
        let requests = to_come.unwrap_or(guess);
        let here = context.here(self.results.len());
        let why = |number: usize| self.why(number, self.results.get(number)?, &here, care);
        let all = self.best(context, &here, factor, requests, why);
        if all.sum.gain >= care.min_gain_uncited {
            return all;
        }
        let is_sure = |why: &Gone| !matches!(why, Gone::NotCited(_));
        let sure = self.best(context, &here, factor, requests, |number| why(number).filter(is_sure));
        match sure.sum.gain >= care.min_gain {
            true => sure,
            false => Batch { gone: Vec::new(), ..all },
        }
    }

    /// The batch that gains most of what may go.
    fn best(
        &self,
        context: &Context,
        here: &[bool],
        factor: Factor,
        requests: usize,
        why: impl Fn(usize) -> Option<Gone>,
    ) -> Batch {
        let is_cached = |number: usize| here[number] && number < self.cached;
        let mut may_go: Vec<Option<Gone>> =
            (0..self.results.len()).map(|number| why(number).filter(|_| is_cached(number))).collect();
        // What a result that stays points to stays too. Results point back, so that one pass from the end finds all.
        for (number, entry) in self.results.iter().enumerate().rev() {
            let stays = here[number] && entry.gone.is_none() && may_go[number].is_none();
            if stays && entry.facts.refers_to_others {
                // To which ones nobody knows.
                may_go[..number].fill(None);
                break;
            }
            for call in entry.facts.refers_to.iter().filter(|_| stays) {
                if let Some(may_go) = self.by_call.get(call).and_then(|other| may_go.get_mut(*other)) {
                    *may_go = None;
                }
            }
        }
        // From which result on it pays most: all behind the first that goes is rewritten.
        let none = Sum { requests, factor: factor.value(), ..Sum::default() };
        let of = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (mut removed, mut behind) = (0, context.behind());
        let mut best = (context.places().len(), none);
        for (at, place) in context.places().iter().enumerate().rev() {
            let entry = &self.results[place.number];
            let small = entry.facts.tokens_in_its_place();
            if may_go[place.number].is_some() {
                removed += entry.facts.tokens - small;
                let gained = of(requests).saturating_mul(of(removed));
                let gain = gained.saturating_sub(factor.of_tokens(behind));
                if removed > 0 && (best.1.removed == 0 || gain > best.1.gain) {
                    best = (at, Sum { removed, behind, gain, ..none });
                }
            }
            let is_small = entry.gone.is_some() || may_go[place.number].is_some();
            let tokens = if is_small { small } else { entry.facts.tokens };
            behind = behind.saturating_add(tokens).saturating_add(place.between);
        }
        let (first, sum) = best;
        let gone = context.places().iter().skip(first).map(|place| place.number);
        let mut gone: Vec<_> = gone.filter_map(|number| Some((number, may_go[number]?))).collect();
        gone.sort_unstable_by_key(|(number, _)| *number);
        Batch { gone, sum }
    }

    /// Why a result may go, by itself.
    fn why(&self, number: usize, entry: &Entry, here: &[bool], care: Care) -> Option<Gone> {
        let facts = &entry.facts;
        if entry.gone.is_some() || !facts.may_go || facts.tokens_in_its_place() * 2 > facts.tokens {
            return None;
        }
        if let Some((newer, is_run)) = entry.newer.filter(|(newer, _)| *newer < self.cached && here[*newer]) {
            let later = newer - number;
            return Some(if is_run { Gone::RunAgain(later) } else { Gone::ShownAgain(later) });
        }
        // A failure stays until the same thing was run again.
        if facts.has_failed {
            return None;
        }
        let times = 1 + self.asked_again;
        let uncited = self.answers - entry.cited.unwrap_or(entry.since);
        let is_old = self.answers - entry.since >= care.age * times;
        let is_uncited = entry.cited.is_none() || uncited >= care.uncited * times;
        (is_old && is_uncited).then_some(Gone::NotCited(uncited))
    }

    /// The results of a batch are gone from the next request on.
    pub fn apply(&mut self, batch: &Batch) {
        for (number, why) in &batch.gone {
            if let Some(entry) = self.results.get_mut(*number) {
                entry.gone = Some((self.answers, *why));
            }
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        let entries: usize =
            self.results.iter().map(|e| size_of::<Entry>() + e.facts.bytes() + 2 * e.facts.call.len()).sum();
        // Each result stands in three tables, with a key that is small or counted above.
        entries + self.results.len() * 256 + self.said.capacity() * 5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARE: Care =
        Care { age: 4, uncited: 6, to_come_thousandths: 150, min_gain: 1000, min_gain_uncited: 1000 };

    fn result(call: &str, words: &str, asked: u8) -> Facts {
        Facts {
            call: call.to_owned(),
            tokens: 2000,
            words: Words::of([words]),
            is_run: true,
            asked: Some([asked; 16]),
            may_go: true,
            ..Facts::default()
        }
    }

    /// A conversation of answers and results; an answer cites by words.
    fn told(steps: &[(&str, Option<Facts>)]) -> Timeline {
        let mut timeline = Timeline::default();
        for (said, facts) in steps {
            timeline.answer(&Words::of([*said]), 50);
            if let Some(facts) = facts {
                timeline.result(facts.clone(), false);
            }
        }
        timeline
    }

    fn gone(timeline: &Timeline) -> Vec<(usize, Gone)> {
        timeline.plan(Factor::FIVE_MINUTES, Some(40), CARE).gone
    }

    #[test]
    fn what_was_run_again_goes_once_the_model_has_seen_the_new_one() {
        let steps = [("", Some(result("a", "", 1))), ("", Some(result("b", "", 1)))];
        assert_eq!(gone(&told(&steps)), []);
        let mut timeline = told(&[&steps[..], &[("", None)]].concat());
        assert_eq!(gone(&timeline), [(0, Gone::RunAgain(1))]);
        let batch = timeline.plan(Factor::FIVE_MINUTES, Some(40), CARE);
        timeline.apply(&batch);
        assert_eq!((timeline.gone(0, 2), timeline.gone(0, 3)), (None, Some(Gone::RunAgain(1))));
        assert_eq!(gone(&timeline), [], "it went once");
    }

    #[test]
    fn what_nobody_cites_goes_and_what_was_cited_lately_stays() {
        let first = ("", Some(result("a", "alpha_1", 1)));
        let quiet = |n: usize| vec![("", None); n];
        assert_eq!(gone(&told(&[vec![first.clone()], quiet(3)].concat())), []);
        assert_eq!(gone(&told(&[vec![first.clone()], quiet(4)].concat())), [(0, Gone::NotCited(4))]);
        let cited = [vec![first.clone()], quiet(2), vec![("we see alpha_1", None)], quiet(4)].concat();
        assert_eq!(gone(&told(&cited)), []);
        let later = [cited, vec![("we see alpha_1 once more", None)]].concat();
        assert_eq!(gone(&told(&later)), [(0, Gone::NotCited(6))]);
    }

    #[test]
    fn nothing_goes_before_a_result_that_points_to_unknown_ones() {
        let pointing = Facts { refers_to_others: true, may_go: false, ..result("b", "beta_1", 2) };
        let quiet = vec![("", None); 6];
        let first = ("", Some(result("a", "alpha_1", 1)));
        let last = ("", Some(result("c", "gamma_1", 3)));
        let timeline = told(&[vec![first.clone(), ("", Some(pointing)), last], quiet.clone()].concat());
        assert_eq!(gone(&timeline), [(2, Gone::NotCited(6))]);
        let plain = ("", Some(Facts { may_go: false, ..result("b", "beta_1", 2) }));
        let timeline = told(&[vec![first, plain], quiet].concat());
        assert_eq!(gone(&timeline), [(0, Gone::NotCited(7))]);
    }

    #[test]
    fn failures_stay_until_they_are_run_again() {
        let failed = Facts { has_failed: true, ..result("a", "", 1) };
        let mut steps = vec![("", Some(failed))];
        steps.extend(vec![("", None); 20]);
        assert_eq!(gone(&told(&steps)), []);
        steps.extend([("", Some(result("b", "", 1))), ("", None)]);
        assert_eq!(gone(&told(&steps)), [(0, Gone::RunAgain(1))]);
    }

    #[test]
    fn what_a_result_that_stays_points_to_stays() {
        let points = Facts { refers_to: vec!["a".into()], ..result("b", "beta_1", 2) };
        let steps = |cite: &'static str| {
            let mut steps = vec![("", Some(result("a", "", 1))), ("", Some(points.clone()))];
            steps.extend(vec![("", None); 7]);
            steps.push((cite, None));
            told(&steps)
        };
        assert_eq!(gone(&steps("beta_1")), []);
        assert_eq!(gone(&steps("")).len(), 2);
    }

    #[test]
    fn nothing_goes_where_it_does_not_pay() {
        let mut steps = vec![("", Some(result("a", "", 1)))];
        let large = |n| Facts { tokens: 90_000, ..result(n, "gamma_1", 9) };
        steps.push(("", Some(Facts { asked: None, ..large("b") })));
        steps.extend(vec![("", None); 7]);
        steps.push(("gamma_1", None));
        let timeline = told(&steps);
        let batch = timeline.plan(Factor::FIVE_MINUTES, Some(40), CARE);
        // 40 * 1,970 tokens are gained, and 11.5 * 90,050 lost.
        assert_eq!((batch.gone.len(), batch.sum.removed, batch.sum.behind), (0, 1970, 90_050));
        assert_eq!(batch.sum.gain, 40 * 1970 - 1_035_575);
        // Where nothing is cached any more, it does.
        assert_eq!(timeline.plan(Factor::COLD, Some(40), CARE).gone.len(), 1);
        // The guess grows with the conversation.
        assert_eq!(timeline.plan(Factor::COLD, None, CARE).sum.requests, MIN_TO_COME);
    }

    #[test]
    fn who_asks_again_for_what_went_is_given_more_time() {
        let mut steps = vec![("", Some(result("a", "", 1)))];
        steps.extend(vec![("", None); 4]);
        let mut timeline = told(&steps);
        timeline.apply(&timeline.plan(Factor::COLD, None, CARE));
        timeline.answer(&Words::default(), 50);
        timeline.result(result("b", "", 1), false);
        for _ in 0..4 {
            timeline.answer(&Words::default(), 50);
        }
        assert_eq!(gone(&timeline), []);
        (0..4).for_each(|_| timeline.answer(&Words::default(), 50));
        assert_eq!(gone(&timeline), [(1, Gone::NotCited(8))]);
    }

    #[test]
    fn a_conversation_without_end_costs_no_more_than_its_bound() {
        let mut timeline = Timeline::default();
        for n in 0..3 * MAX_RESULTS {
            timeline.answer(&Words::of([format!("word_{n}").as_str()]), 50);
            timeline.result(result(&n.to_string(), &format!("other_{n}"), 1), false);
        }
        assert!(timeline.is_full() && timeline.len() <= MAX_RESULTS, "{}", timeline.len());
        assert_eq!(timeline.plan(Factor::COLD, None, CARE), Batch::default());
    }

    #[test]
    fn words_that_were_said_before_cite_nothing() {
        let mut timeline = Timeline::default();
        timeline.answer(&Words::of(["look at delta_1"]), 50);
        timeline.result(result("a", "delta_1", 1), false);
        (0..4).for_each(|_| timeline.answer(&Words::of(["delta_1"]), 50));
        assert_eq!(gone(&timeline), [(0, Gone::NotCited(4))]);
    }

    #[test]
    fn what_was_not_cited_has_to_gain_more_where_that_is_asked() {
        let mut steps = vec![("", Some(result("a", "", 1))), ("", Some(result("b", "", 2)))];
        steps.push(("", Some(result("c", "", 2))));
        steps.extend(vec![("", None); 6]);
        let timeline = told(&steps);
        let gone = |min_gain_uncited| {
            let care = Care { min_gain_uncited, ..CARE };
            timeline.plan(Factor::FIVE_MINUTES, Some(40), care).gone.len()
        };
        assert_eq!((gone(1000), gone(10_000_000)), (3, 1));
    }

    #[test]
    fn an_answer_that_is_not_known_may_have_cited_all() {
        let steps = [("", Some(result("a", "alpha_1", 1))), ("", Some(result("b", "beta_1", 2)))];
        let mut timeline = told(&steps);
        (0..20).for_each(|_| timeline.unknown_answer());
        assert_eq!(gone(&timeline), []);
        (0..6).for_each(|_| timeline.answer(&Words::default(), 50));
        assert_eq!(gone(&timeline), [(0, Gone::NotCited(7)), (1, Gone::NotCited(7))]);
        timeline.stays(0);
        assert_eq!(gone(&timeline), [(1, Gone::NotCited(7))]);
    }

    #[test]
    fn what_left_neither_goes_nor_stands_for_anything() {
        let steps = [("", Some(result("a", "", 1))), ("", Some(result("b", "", 1))), ("", None)];
        let mut timeline = told(&steps);
        assert_eq!(gone(&timeline), [(0, Gone::RunAgain(1))]);
        assert!(timeline.has_other(|call| call != "b"));
        timeline.retain(|call| call != "b");
        assert!(!timeline.has_other(|call| call != "b"));
        assert_eq!(gone(&timeline), []);
        let all = [Item::Result("a"), Item::Result("b")];
        let plan = |items: Vec<Item<'_>>| {
            timeline.plan_in(&timeline.context_of(items), Factor::FIVE_MINUTES, Some(40), CARE)
        };
        assert_eq!(plan(all.to_vec()).gone, [(0, Gone::RunAgain(1))], "the host knows better");
        assert_eq!(plan(vec![Item::Result("b")]).gone, []);
        // What stands behind is what the host says.
        let behind = plan(vec![all[0], Item::Tokens(700), all[1], Item::Result("unknown"), Item::Tokens(50)]);
        assert_eq!(behind.sum.behind, 700 + 2000 + 50);
        let much = plan(vec![all[0], Item::Tokens(usize::MAX), all[1], Item::Tokens(usize::MAX)]);
        assert_eq!(much.gone, []);
    }

    #[test]
    fn the_same_call_with_another_page_replaces_nothing() {
        let page = |call, words| Facts { is_run: false, ..result(call, words, 1) };
        let steps = |second| {
            [("", Some(page("a", "one_1 two_2"))), ("", Some(page("b", second))), ("", None)].to_vec()
        };
        assert_eq!(gone(&told(&steps("three_3 four_4"))), []);
        assert_eq!(gone(&told(&steps("one_1 three_3"))), [(0, Gone::RunAgain(1))]);
    }
}
