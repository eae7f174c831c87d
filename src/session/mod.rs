//! What one session remembers: which outcome each call got, what the model can still see, totals.
//!
//! No I/O and no clock. A decision is remembered for as long as the session lives, a text only while
//! there is room: an outcome can always be made again, byte for byte, from its decision.

mod bytes;
mod calls;
mod history;
mod memo;
mod seen;
mod size;
mod stats;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::config::PolicyPatch;
use crate::memory::size::{self as memory, Share};
use crate::pipeline::Outcome;
use crate::pipeline::evidence::Status;
use crate::pipeline::repeat::blocks::{Index, Position};
use crate::pipeline::repeat::dedup::{Decision, History};
use crate::protocol::session::Stats;
use crate::protocol::tool_result::ArtifactRef;
use crate::sanitize::spare::{Fingerprint as Fingerprint64, Written};
use crate::text::cut::Cut;
use crate::text::lines::Lines;
use crate::text::marker;
use crate::text::origin::Origin;
use crate::text::reason::Reason;
use crate::text::relevance;
use calls::{Calls, Digest, Variant};
pub use history::AsDecided;
use history::Live;
use memo::Memo;
use seen::{Seen, Shown};

/// How much a session may remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Calls whose decisions are remembered. Later ones take no part in memo and dedup, so that their
    /// outcomes depend on nothing that could be forgotten. Default 65536.
    pub max_calls: usize,
    /// Bytes of the outcomes in the memo, evidence included. Default 2 MiB.
    pub memo_bytes: usize,
    /// Largest text in the memo, in bytes. Default 16 KiB.
    pub memo_entry_bytes: usize,
    /// Bytes of the lines that outputs show, for references to them. Default 4 MiB.
    pub index_bytes: usize,
    /// Bytes of everything that must be remembered, memo and lines aside: above them the session takes in no
    /// more calls, as above `max_calls`. Default 128 MiB.
    pub max_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_calls: 65_536,
            memo_bytes: 2 << 20,
            memo_entry_bytes: 16 << 10,
            index_bytes: 4 << 20,
            max_bytes: 128 << 20,
        }
    }
}

/// What makes two requests the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Digest of call, content and policy, and of whether the exact bytes were asked for.
    pub request: [u8; 16],
    /// Digest of the content alone.
    pub content: [u8; 16],
}

/// How the call ended, as far as the host said. The same text with another exit code is another result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ending {
    /// The exit code.
    pub exit_code: Option<i64>,
    /// The host's own flag.
    pub is_error: Option<bool>,
}

/// Calls whose words tell what the session talks about, and words of each.
const RECENT: usize = 12;
const MAX_WORDS: usize = 64;
/// Values that the model wrote, of which a session knows; later ones stay secrets.
const MAX_WROTE: usize = 4096;

/// A call as the session tells it from others.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// The host's id of the call.
    pub id: &'a str,
    /// The tool, as the host writes it.
    pub tool: &'a str,
    /// Digest of the tool and all that it was asked, where the host tells what it was asked, and of the file that it
    /// looks at.
    pub asked: [Option<[u8; 16]>; 2],
    /// The file that it looks at, empty where that is not known; `None` for a call that does something else, or where
    /// asking again changes nothing.
    pub looks_at: Option<&'a str>,
    /// What it is about, as a marker names it.
    pub label: Option<&'a str>,
    /// Patterns, paths and names that it mentions.
    pub mentioned: &'a [&'a str],
    /// How it ended.
    pub ending: Ending,
    /// Results that the session had before this turn: what came since, the model had not seen when it asked.
    pub turn: usize,
    /// What the model wrote into it.
    pub wrote: &'a Written<'a>,
}

impl Caller<'_> {
    fn origin(&self, argument: Option<&str>) -> Origin {
        Origin { call: self.id.to_owned(), tool: self.tool.to_owned(), argument: argument.map(str::to_owned), label: self.label.map(str::to_owned) }
    }

    fn add_written(&self, written: &[(String, Lines)], index: &mut Index, at: Position, max_bytes: usize) {
        for (argument, lines) in written {
            let origin = self.origin(Some(argument));
            if origin.can_be_named() {
                index.add(origin, lines.clone(), at, max_bytes);
            }
        }
    }
}

/// How far back outputs are referred to when the host says nothing.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Later results.
    pub results: usize,
    /// Tokens of later results.
    pub tokens: usize,
}

/// An outcome with the artifact that was stored for it.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The outcome.
    pub outcome: Outcome,
    /// Its artifact.
    pub artifact: Option<ArtifactRef>,
}

/// What the session knows of a request before it is worked on.
#[derive(Debug)]
pub enum Lookup {
    /// The same request was answered with this.
    Stored(Box<Stored>),
    /// The same request was answered; its outcome follows from this decision.
    Decided(Decision),
    /// The call is known, but not with these bytes and this policy.
    Changed,
    /// The call is new.
    New,
    /// There is no room to remember the call.
    Full,
}

/// The last answer to a request, if it was a reference or had gaps.
#[derive(Debug, Clone)]
struct Answered {
    likeness: u64,
    /// Results of the session with it.
    results: usize,
}

/// One session. What grows with it is shared with its forks until one of them changes it.
#[derive(Debug, Default, Clone)]
pub struct Session {
    bounds: Bounds,
    calls: Arc<Calls>,
    /// Names of tools, each once, and their places among them.
    tools: Vec<Arc<str>>,
    tool_numbers: HashMap<Arc<str>, u32>,
    /// The decision for the last call, which others may share.
    last_decision: Arc<Decision>,
    /// Digests of the texts that were given in place of results that repeat.
    referred: Arc<HashMap<Digest, ()>>,
    /// Secrets that the model wrote into calls, by their fingerprints, with the last such call.
    wrote: Arc<HashMap<Fingerprint64, u32>>,
    decisions: usize,
    /// Bytes that decisions, tools, queries and rows of the totals take.
    held: usize,
    /// What the session says that it takes.
    share: Share,
    memo: Arc<Memo>,
    seen: Arc<Seen>,
    index: Arc<Index>,
    /// Where the session is: what was given so far.
    at: Position,
    /// Whether the host says what is visible.
    is_told: bool,
    /// Words of the last calls and of the failures that they reported.
    talk: VecDeque<Vec<u64>>,
    /// Per request, the last answer.
    asked: Arc<HashMap<[u8; 16], Answered>>,
    /// What was looked for when a call came first in a body; see `query_of`.
    queries: Arc<HashMap<Digest, Option<Arc<str>>>>,
    /// The last query, which many calls share.
    last_query: Option<Arc<str>>,
    stats: Stats,
    /// Bytes above which the host cuts a result by itself.
    host_limit: Option<usize>,
    /// Settings for all requests of the session.
    pub policy: PolicyPatch,
}

/// A session that several threads may hold.
pub type Shared = std::sync::Arc<std::sync::Mutex<Session>>;

impl Session {
    /// An empty session; `host_limit` is the size in bytes above which the host cuts a result by itself.
    pub fn new(bounds: Bounds, host_limit: Option<usize>) -> Self {
        Self { bounds, host_limit, ..Self::default() }
    }

    /// A session of its own that begins with all that this one knows and shows. Its totals begin at zero: what this
    /// one counted is counted. What both share counts for each, so that neither goes over a bound when they part.
    pub fn fork(&self) -> Self {
        let mut fork = Self { stats: Stats::default(), ..self.clone() };
        fork.tell_size();
        fork
    }

    /// The same, saying what it takes to a count that several sessions share.
    pub fn with_share(self, share: Share) -> Self {
        Self { share, ..self }
    }

    /// What is known of a request.
    pub fn look_up(&self, call: &str, fingerprint: Fingerprint) -> Lookup {
        let Some(number) = self.calls.number(call) else {
            return if self.has_room() { Lookup::New } else { Lookup::Full };
        };
        match self.calls.variants(number).find(|known| known.fingerprint == fingerprint) {
            Some(known) => match self.memo.get(number, fingerprint) {
                Some(stored) => Lookup::Stored(Box::new(stored.clone())),
                None => Lookup::Decided(known.decision()),
            },
            None if self.has_room() => Lookup::Changed,
            None => Lookup::Full,
        }
    }

    fn has_room(&self) -> bool {
        self.decisions < self.bounds.max_calls
            && self.kept_bytes() < self.bounds.max_bytes
            && self.calls.has_room()
    }

    /// The session as the outcome of a call may see it.
    ///
    /// `written` are the texts that the model wrote into the call, with the names of their arguments.
    pub fn history<'a>(
        &'a self,
        caller: Caller<'a>,
        written: &[(String, Lines)],
        window: Window,
    ) -> impl History + 'a {
        let mut own = Index::default();
        caller.add_written(written, &mut own, self.at, self.bounds.index_bytes);
        Live { session: self, caller, own, window: (!self.is_told).then_some(window) }
    }

    /// Remembers a new outcome; `keep_text` is whether the memo may hold it, `cut` how the host cuts what it gets.
    /// What the host does not show is not remembered as shown.
    pub fn commit(
        &mut self,
        caller: Caller<'_>,
        written: &[(String, Lines)],
        fingerprint: Fingerprint,
        mut stored: Stored,
        keep_text: bool,
        cut: Option<Cut>,
    ) {
        let decision = &stored.outcome.decision;
        let (likeness, asked_again, key) = (decision.likeness, decision.asked_again, decision.key);
        let rest = self.shared(Decision { key: None, likeness: None, ..decision.clone() });
        let mut shown = std::mem::take(&mut stored.outcome.shown);
        let cut = cut.or_else(|| self.host_limit.map(Cut::of_bytes));
        let is_cut = cut.is_some_and(|cut| cut.applies(&stored.outcome.texts));
        if is_cut && let Some(cut) = cut {
            cut.keep_visible(&stored.outcome.texts, &mut shown);
        }
        let mut said = std::mem::take(&mut stored.outcome.mentions);
        said.truncate(MAX_WORDS);
        caller.mentioned.iter().for_each(|text| relevance::words(text, |word| said.push(word)));
        said.truncate(2 * MAX_WORDS);
        self.talk.push_back(said);
        if self.talk.len() > RECENT {
            self.talk.pop_front();
        }
        let evidence = &stored.outcome.evidence;
        let wrote: Vec<Fingerprint64> = caller.wrote.values().iter().chain(&rest.wrote).copied().collect();
        let (rejected, key_but_for_times) = (stored.outcome.is_rejected, stored.outcome.key_but_for_times);
        let new = Variant { fingerprint, key, likeness, rest: Arc::clone(&rest) };
        let call = Arc::make_mut(&mut self.calls).add(caller.id, new);
        self.decisions += 1;
        if rest.duplicate_of.is_some() {
            let known = Arc::make_mut(&mut self.referred);
            stored.outcome.texts.iter().for_each(|text| _ = known.insert(calls::digest(text.trim_end()), ()));
        }
        self.at.results += 1;
        self.at.tokens += evidence.tokens.after;
        self.note_references(caller, &rest);
        if !wrote.is_empty() {
            let known = Arc::make_mut(&mut self.wrote);
            for value in wrote {
                let has_room = known.len() < MAX_WROTE;
                match known.entry(value) {
                    Entry::Occupied(mut entry) => _ = entry.insert(call),
                    Entry::Vacant(entry) if has_room => _ = entry.insert(call),
                    Entry::Vacant(_) => {}
                }
            }
        }
        if !self.calls.is_single(call) {
            // It is not certain any more what the model sees under this id.
            Arc::make_mut(&mut self.index).retain(|call| call != caller.id);
        } else if !rejected {
            let index = Arc::make_mut(&mut self.index);
            caller.add_written(written, index, self.at, self.bounds.index_bytes);
            let origin = caller.origin(None);
            if origin.can_be_named() {
                index.add(origin, shown, self.at, self.bounds.index_bytes);
            }
        }
        for (asked, likeness) in caller.asked.into_iter().flatten().zip(likeness.into_iter().cycle()) {
            let is_gap = |reason| reason != Reason::RepeatedLines;
            // Who runs a test or a build again wants to know what it says now.
            let is_run = stored.outcome.is_run();
            let had_gaps = !asked_again
                && !is_run
                && (is_cut
                    || evidence.status == Status::Duplicate
                    || evidence.omissions.iter().any(|omission| is_gap(omission.reason)));
            // Only an answer with gaps is ever asked about.
            match had_gaps {
                true => {
                    let answered = Answered { likeness, results: self.at.results };
                    Arc::make_mut(&mut self.asked).insert(asked, answered);
                }
                // Other lines of the same file answer nothing.
                false
                    if self.asked.get(&asked).is_some_and(|answered| {
                        answered.likeness == likeness || caller.asked[0] == Some(asked)
                    }) =>
                {
                    Arc::make_mut(&mut self.asked).remove(&asked);
                }
                false => {}
            }
        }
        if !self.calls.is_plain(call) {
            Arc::make_mut(&mut self.seen).retain(|known| known != call);
        } else if let Some(key) =
            key.filter(|_| !is_cut && !rejected && can_be_named(caller.id, caller.tool))
        {
            let tool = self.tool(caller.tool);
            let shown = Shown::new(call, tool, caller.label.map(Arc::from), caller.ending, self.at);
            let seen = Arc::make_mut(&mut self.seen);
            if let Some(key) = key_but_for_times {
                seen.add(key, shown.clone());
            }
            seen.add(key, shown);
        }
        self.total(caller.tool, &stored.outcome.evidence);
        if keep_text {
            Arc::make_mut(&mut self.memo).put(call, fingerprint, stored, &self.bounds);
        }
        self.tell_size();
    }

    /// Notes what a call that looks at a file was referred to: who asks for these lines again gets them.
    fn note_references(&mut self, caller: Caller<'_>, decision: &Decision) {
        let references = &decision.references;
        if caller.looks_at.is_none() || references.is_empty() && decision.duplicate_of.is_none() {
            return;
        }
        let index = Arc::make_mut(&mut self.index);
        for r in references {
            let count = (r.lines.1 - r.lines.0) as usize;
            index.refer(
                &r.origin.call,
                r.origin.argument.as_deref(),
                r.there as usize,
                count,
                self.at.results,
            );
        }
        if let Some(first) = &decision.duplicate_of {
            index.refer(&first.call, None, 0, usize::MAX, self.at.results);
        }
    }

    /// Counts a result that came without a call id, or for which there was no room.
    pub fn count(&mut self, tool: &str, outcome: &Outcome) {
        self.at.results += 1;
        self.at.tokens += outcome.evidence.tokens.after;
        self.total(tool, &outcome.evidence);
        self.tell_size();
    }

    /// Counts a request that was answered before.
    pub fn count_resend(&mut self, outcome: &Outcome, from_memo: bool) {
        self.stats.resent(&outcome.evidence, from_memo, self.host_limit);
    }

    /// Counts a call that came with other bytes or another policy.
    pub fn count_changed(&mut self, outcome: &Outcome) {
        self.stats.changed(&outcome.evidence, self.host_limit);
    }

    /// What was looked for when this call came first in a body. A body is sent again with every turn, and
    /// what is looked for later must not change what was given.
    pub fn query_of(&self, call: &str) -> Option<Option<&str>> {
        self.queries.get(&calls::digest(call)).map(Option::as_deref)
    }

    /// Remembers what was looked for when a call came first in a body.
    pub fn remember_query(&mut self, call: &str, query: Option<&str>) {
        let has_room = self.queries.len() < self.bounds.max_calls && self.has_room();
        let call = calls::digest(call);
        if !has_room || self.queries.contains_key(&call) {
            return;
        }
        let query = query.map(|query| match &self.last_query {
            Some(last) if **last == *query => Arc::clone(last),
            _ => Arc::from(query),
        });
        if query.as_ref().map(Arc::as_ptr) != self.last_query.as_ref().map(Arc::as_ptr) {
            self.held += query.as_ref().map_or(0, memory::shared);
            self.last_query.clone_from(&query);
        }
        Arc::make_mut(&mut self.queries).insert(call, query);
        self.tell_size();
    }

    /// These calls left the context: nothing refers to them any more.
    pub fn evict(&mut self, calls: &[String]) {
        self.is_told = true;
        let gone: HashSet<&str> = calls.iter().map(String::as_str).collect();
        self.retain(|call| !gone.contains(call));
    }

    /// The conversation was summed up: of what was shown, only these calls are still in the context. Unlike with
    /// [`Self::keep_only`] it stays unknown what leaves the context later.
    pub fn compact(&mut self, calls: &[String]) {
        let kept: HashSet<&str> = calls.iter().map(String::as_str).collect();
        self.retain(|call| kept.contains(call));
        // What was asked before the summary was not asked in this context.
        self.asked = Arc::default();
        self.tell_size();
    }

    /// How many calls it knows.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// What was given for a call did not reach the model.
    pub fn not_shown(&mut self, call: &str) {
        self.retain(|known| known != call);
    }

    /// Whether a call is known, whatever was given for it.
    pub fn knows(&self, call: &str) -> bool {
        self.calls.number(call).is_some()
    }

    /// Whether this very text was given in place of a result that repeats an earlier one.
    pub fn has_referred(&self, text: &str) -> bool {
        self.referred.contains_key(&calls::digest(text.trim_end()))
    }

    /// Only these calls are still in the context of all that were shown.
    pub fn keep_only(&mut self, calls: &[String]) {
        self.keep_only_of(&calls.iter().map(String::as_str).collect());
    }

    /// As [`Self::keep_only`], for calls that are a set already.
    pub fn keep_only_of(&mut self, calls: &HashSet<&str>) {
        self.is_told = true;
        self.retain(|call| calls.contains(call));
    }

    fn retain(&mut self, visible: impl Fn(&str) -> bool) {
        let calls = &*self.calls;
        let numbered = |call: u32| visible(calls.id(call));
        if self.wrote.values().any(|call| !numbered(*call)) {
            Arc::make_mut(&mut self.wrote).retain(|_, call| numbered(*call));
        }
        // Bodies say the same with every turn: nothing is copied for that.
        if self.seen.has_other(numbered) {
            Arc::make_mut(&mut self.seen).retain(numbered);
        }
        if self.index.has_other(&visible) {
            Arc::make_mut(&mut self.index).retain(&visible);
        }
        self.tell_size();
    }

    /// Bytes that the lines of earlier outputs take.
    pub fn index_bytes(&self) -> usize {
        self.index.bytes()
    }

    /// Results so far.
    pub fn results(&self) -> usize {
        self.at.results
    }

    /// Totals so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// Whether a marker can name a call so that it is read back as the same.
fn can_be_named(call: &str, tool: &str) -> bool {
    marker::is_name(call) && marker::is_name(tool)
}
