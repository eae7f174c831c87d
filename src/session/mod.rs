//! The memory of one session: the outcome of each call, what the model can still see, totals.
//!
//! No I/O and no clock. Decisions are kept as long as the session lives, texts only while there is space: an outcome can
//! always be made again, byte for byte, from its decision.
//!
//! This file is longer than most because it holds the one type `Session`; its parts are in the files beside it.

mod bytes;
mod calls;
mod conversation;
mod edits;
mod history;
mod memo;
mod room;
mod seen;
pub mod stats;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::config::PolicyPatch;
use crate::detect::pointed::PointedLine;
use crate::memory::size::{self as memory, Share};
use crate::pipeline::Outcome;
use crate::pipeline::repeat::blocks::{Index, Position};
use crate::pipeline::repeat::dedup::{Decision, History};
use crate::protocol::reclaim::Reclaimed;
use crate::protocol::session::Stats;
use crate::protocol::tool_result::ArtifactRef;
use crate::sanitize::spare::{Fingerprint as Fingerprint64, Written};
use crate::text::cut::Cut;
use crate::text::lines::Lines;
use crate::text::marker;
use crate::text::origin::Origin;
use calls::{Calls, Digest, Variant};
pub use conversation::{Conversation, Event, StandIn};
use edits::Edits;
pub use edits::FileDigest;
use history::Live;
pub use history::{AsDecided, WithoutReferences};
use memo::{Answers, Memo};
pub use room::{AnswerNote, Noted, Offer, Original, Room};
use seen::{LastResult, LastResults, Seen, Shown};

/// Limits of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most calls whose decisions are remembered. Later calls take no part in memo and dedup, so their outcomes depend on
    /// nothing that could be forgotten. Default 65536.
    pub max_calls: usize,
    /// Most bytes of outcomes in the memo, evidence included. Default 2 MiB.
    pub memo_bytes: usize,
    /// Largest text in the memo, in bytes. Default 16 KiB.
    pub memo_entry_bytes: usize,
    /// Most bytes of lines of earlier outputs, for references. Default 4 MiB.
    pub index_bytes: usize,
    /// Most bytes of everything that must be remembered, except memo and lines. Above it, as above `max_calls`, the
    /// session remembers no more calls. Default 128 MiB.
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

/// Identifies a request: two requests with the same fingerprint get the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// Digest of call, content and policy, and of whether the exact bytes were requested.
    pub request: [u8; 16],
    /// Digest of the content alone.
    pub content: [u8; 16],
}

/// How the call ended, if the host said so. The same text with another exit code is another result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ending {
    /// The exit code.
    pub exit_code: Option<i64>,
    /// The host's own flag.
    pub is_error: Option<bool>,
}

/// How many recent calls supply words about the topic of the session, and how many words of each.
const RECENT_CALLS: usize = 12;
const MAX_WORDS: usize = 64;
/// Most lines of a file that recent results point at. A choice.
const MAX_POINTED: usize = 16;
/// Most values written by the model that a session remembers; later ones are treated as secrets.
const MAX_WROTE: usize = 4096;

/// The identity of a call within a session.
#[derive(Debug, Clone, Copy)]
pub struct Caller<'a> {
    /// The host's id of the call.
    pub id: &'a str,
    /// The tool name, as the host writes it.
    pub tool: &'a str,
    /// Digests of the tool and its arguments, if the host sends them, and of the file that the call looks at.
    pub asked: [Option<[u8; 16]>; 2],
    /// The file that the call looks at, empty if unknown; `None` for a call that does something else, or if a repeated
    /// request gets the same answer.
    pub looks_at: Option<&'a str>,
    /// The file that the call edits, and the texts that it writes there.
    pub edits: Option<(FileDigest, &'a [Arc<str>])>,
    /// The lines that the call writes into a file, longest first.
    pub new_lines: &'a [&'a str],
    /// The texts of the result of a call that looks at a file, as they came.
    pub views: &'a [&'a str],
    /// The name of the call in markers.
    pub label: Option<&'a str>,
    /// Patterns, paths and names in the call.
    pub mentioned: &'a [&'a str],
    /// How it ended.
    pub ending: Ending,
    /// Number of results in the session before this turn. The model had not seen later ones when it made this call.
    pub turn: usize,
    /// Values that the model wrote into the call.
    pub wrote: &'a Written<'a>,
}

impl Caller<'_> {
    /// What the call asks for: the file that it looks at, otherwise what its arguments say.
    fn question(&self) -> Option<[u8; 16]> {
        self.asked[1].or(self.asked[0])
    }

    fn origin(&self, argument: Option<&str>) -> Origin {
        Origin {
            call: self.id.to_owned(),
            tool: self.tool.to_owned(),
            argument: argument.map(str::to_owned),
            label: self.label.map(str::to_owned),
        }
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

/// How far back references may point if the host does not report what is visible.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Most later results.
    pub results: usize,
    /// Most tokens of later results.
    pub tokens: usize,
}

/// An outcome and its stored artifact.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The outcome.
    pub outcome: Outcome,
    /// Its artifact.
    pub artifact: Option<ArtifactRef>,
    /// Why it left the context, if it did.
    pub reclaimed: Option<Reclaimed>,
}

/// What the session knows about a request.
#[derive(Debug)]
pub enum Lookup {
    /// The same request was answered with this outcome.
    Stored(Box<Stored>),
    /// The same request was answered; its outcome follows from this decision.
    Decided(Box<Decision>),
    /// The call is known, but with other bytes or another policy.
    Changed,
    /// The call is new.
    New,
    /// There is no space to remember the call.
    Full,
}

/// The last answer to a request, if it was a reference or had gaps.
#[derive(Debug, Clone)]
struct Answered {
    similarity_hash: u64,
    /// Number of results in the session at that time.
    results: usize,
    /// How many answers in a row were references or had gaps.
    times: u32,
}

/// One session. Forks share its data until one of them changes it.
#[derive(Debug, Default, Clone)]
pub struct Session {
    bounds: Bounds,
    calls: Arc<Calls>,
    /// Names of tools, each once, and their indexes.
    tools: Vec<Arc<str>>,
    tool_numbers: HashMap<Arc<str>, u32>,
    /// The decision of the last call, which later calls may share.
    last_decision: Arc<Decision>,
    /// Digests of texts returned in place of repeated results, each with the number of the call that it names.
    referred: Arc<HashMap<Digest, u32>>,
    /// Fingerprints of secrets that the model wrote into calls, each with the number of the last such call.
    wrote: Arc<HashMap<Fingerprint64, u32>>,
    decisions: usize,
    /// Bytes of decisions, tools, queries and rows of the totals.
    held: usize,
    /// The size that the session reports to the common counter.
    share: Share,
    memo: Arc<Memo>,
    seen: Arc<Seen>,
    last_results: LastResults,
    index: Arc<Index>,
    /// The current position: results and tokens returned so far.
    at: Position,
    /// The position at which the conversation was last compacted: earlier results are no longer in the context.
    compacted_at: Position,
    /// Whether the host reports what is visible.
    host_reports: bool,
    /// Words of the recent calls and of the failures that they reported.
    recent_words: VecDeque<Vec<u64>>,
    /// Lines of files to which recent results point.
    pointed: VecDeque<Vec<PointedLine>>,
    /// For each request, its last answer.
    asked: Arc<HashMap<[u8; 16], Answered>>,
    /// For each question, the lines of its last answer that left some out.
    answers: Arc<Answers>,
    /// The texts that the agent wrote last into each file that it edited.
    edits: Arc<Edits>,
    /// The query that applied when a call first came in a body; see `query_of`.
    queries: Arc<HashMap<Digest, Option<Arc<str>>>>,
    /// The last query, which many calls share.
    last_query: Option<Arc<str>>,
    stats: Stats,
    /// The conversation as request bodies reported it, if results may be removed from it.
    conversation: Option<Arc<Conversation>>,
    conversation_bytes: usize,
    /// What may leave the context, for hosts that send results one by one.
    room: Option<Arc<Room>>,
    room_bytes: usize,
    /// Size in bytes above which the host cuts a result itself.
    host_limit: Option<usize>,
    /// Settings for all requests of the session.
    pub policy: PolicyPatch,
}

/// A session that several threads share.
pub type Shared = std::sync::Arc<std::sync::Mutex<Session>>;

impl Session {
    /// An empty session. `host_limit` is the size in bytes above which the host cuts a result itself.
    pub fn new(bounds: Bounds, host_limit: Option<usize>) -> Self {
        Self { bounds, host_limit, ..Self::default() }
    }

    /// A new session that starts with everything that this one knows and shows. Its totals start at zero. Data that both
    /// share counts fully for each, so that neither exceeds a limit when they diverge.
    pub fn fork(&self) -> Self {
        let mut fork = Self { stats: Stats::default(), ..self.clone() };
        fork.report_size();
        fork
    }

    /// The same session, which reports its size to a counter that several sessions share.
    pub fn with_share(self, share: Share) -> Self {
        Self { share, ..self }
    }

    /// What is known about a request.
    pub fn look_up(&self, call: &str, fingerprint: Fingerprint) -> Lookup {
        let Some(number) = self.calls.number(call) else {
            return if self.has_room() { Lookup::New } else { Lookup::Full };
        };
        match self.calls.variants(number).find(|known| known.fingerprint == fingerprint) {
            Some(known) => match self.memo.get(number, fingerprint) {
                Some(stored) => Lookup::Stored(Box::new(stored.clone())),
                None => Lookup::Decided(Box::new(known.decision())),
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

    /// The state of the session that the outcome of a call may depend on.
    ///
    /// `written` holds the texts that the model wrote into the call, with the names of their arguments.
    pub fn history<'a>(
        &'a self,
        caller: Caller<'a>,
        written: &[(String, Lines)],
        window: Window,
    ) -> impl History + 'a {
        let mut own = Index::default();
        caller.add_written(written, &mut own, self.at, self.bounds.index_bytes);
        let edit = self.edits.shown_in(caller.views);
        Live { session: self, caller, own, edit, window: (!self.host_reports).then_some(window) }
    }

    /// Remembers a new outcome. `keep_text` says whether the memo may hold it, `cut` how the host cuts it. Text that the
    /// host cuts away is not remembered as shown.
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
        let (similarity_hash, key) = (decision.similarity_hash, decision.key);
        let rest = self.share_decision(Decision { key: None, similarity_hash: None, ..decision.clone() });
        let mut shown = std::mem::take(&mut stored.outcome.shown);
        let is_cut = self.is_cut(cut, &stored.outcome.texts);
        let cut = cut.or_else(|| self.host_limit.map(Cut::of_bytes));
        if is_cut && let Some(cut) = cut {
            cut.keep_visible(&stored.outcome.texts, &mut shown);
        }
        self.note_topics(caller, &mut stored.outcome);
        let wrote: Vec<Fingerprint64> = caller.wrote.values().iter().chain(&rest.wrote).copied().collect();
        let (rejected, key_without_times) = (stored.outcome.is_rejected, stored.outcome.key_without_times);
        let new = Variant { fingerprint, key, similarity_hash, rest: Arc::clone(&rest) };
        let call = Arc::make_mut(&mut self.calls).add(caller.id, new);
        self.decisions += 1;
        if let Some(target) = rest.duplicate_of.as_ref().and_then(|first| self.calls.number(&first.call)) {
            let known = Arc::make_mut(&mut self.referred);
            let texts = stored.outcome.texts.iter();
            texts.for_each(|text| _ = known.insert(calls::digest(text.trim_end()), target));
        }
        self.at.results += 1;
        self.at.tokens += stored.outcome.evidence.tokens.after;
        if let Some((file, texts)) = caller.edits.filter(|_| !rejected) {
            self.held += Arc::make_mut(&mut self.edits).note(file, texts);
        }
        if !rejected && !caller.new_lines.is_empty() {
            Arc::make_mut(&mut self.edits).made(caller.new_lines, self.at.results);
        }
        self.note_references(caller, &stored.outcome);
        self.note_written(wrote, call);
        if !self.calls.is_single(call) {
            // It is no longer certain what the model sees under this id.
            Arc::make_mut(&mut self.index).retain(|call| call != caller.id);
        } else if !rejected {
            let index = Arc::make_mut(&mut self.index);
            caller.add_written(written, index, self.at, self.bounds.index_bytes);
            let origin = caller.origin(None);
            if origin.can_be_named() {
                index.add(origin, shown, self.at, self.bounds.index_bytes);
            }
        }
        let answer = stored.outcome.answer.take().filter(|_| !rejected);
        if let (Some(question), Some(answer)) = (caller.question(), answer) {
            Arc::make_mut(&mut self.answers).note(question, answer);
        }
        self.note_questions(caller, &stored.outcome, is_cut);
        if let Some(label) = caller.label.filter(|_| caller.looks_at.is_none()) {
            let last = LastResult { call, keys: [key, key_without_times] };
            self.last_results.note([caller.tool, label], last);
        }
        if !self.calls.is_plain(call) {
            Arc::make_mut(&mut self.seen).retain(|known| known != call);
        } else if let Some(key) = key.filter(|_| !is_cut && !rejected && can_be_named(caller.id, caller.tool))
        {
            let tool = self.tool_number(caller.tool);
            let shown = Shown::new(call, tool, caller.ending, self.at);
            let seen = Arc::make_mut(&mut self.seen);
            if let Some(key) = key_without_times {
                seen.add(key, shown.clone(), caller.label);
            }
            seen.add(key, shown, caller.label);
        }
        self.count_total(caller.tool, &stored.outcome.evidence);
        if keep_text {
            Arc::make_mut(&mut self.memo).put(call, fingerprint, stored, &self.bounds);
        }
        self.report_size();
    }

    /// Counts a result without a call id, or one for which there was no space.
    pub fn count(&mut self, tool: &str, outcome: &Outcome) {
        self.at.results += 1;
        self.at.tokens += outcome.evidence.tokens.after;
        self.count_total(tool, &outcome.evidence);
        self.report_size();
    }

    /// Counts a repeated request.
    pub fn count_resend(&mut self, outcome: &Outcome, from_memo: bool) {
        self.stats.resent(&outcome.evidence, from_memo, self.host_limit);
    }

    /// Counts a call that came with other bytes or another policy.
    pub fn count_changed(&mut self, outcome: &Outcome) {
        self.stats.changed(&outcome.evidence, self.host_limit);
    }

    /// The query that applied when this call first came in a body. Hosts send a body again with every turn, and later
    /// queries must not change earlier answers.
    pub fn query_of(&self, call: &str) -> Option<Option<&str>> {
        self.queries.get(&calls::digest(call)).map(Option::as_deref)
    }

    /// Remembers the query that applied when a call first came in a body.
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
        self.report_size();
    }

    /// Removes calls that left the context: nothing refers to them any more.
    pub fn evict(&mut self, calls: &[String]) {
        self.host_reports = true;
        let gone: HashSet<&str> = calls.iter().map(String::as_str).collect();
        self.retain(|call| !gone.contains(call));
    }

    /// The conversation was compacted: of everything shown, only these calls are still in the context. Unlike after
    /// [`Self::keep_only`], the host does not report later changes.
    pub fn compact(&mut self, calls: &[String]) {
        let kept: HashSet<&str> = calls.iter().map(String::as_str).collect();
        self.retain(|call| kept.contains(call));
        self.compacted_at = self.at;
        // Questions from before the compaction do not count in this context.
        self.asked = Arc::default();
        self.answers = Arc::default();
        self.edits = Arc::default();
        self.report_size();
    }

    /// Number of known calls.
    pub fn calls(&self) -> usize {
        self.calls.len()
    }

    /// Notes that the answer to a call did not reach the model.
    pub fn not_shown(&mut self, call: &str) {
        self.retain(|known| known != call);
    }

    /// Notes that the model gets the result of a command that tersed does not see. The label of an earlier run of the
    /// command would then mean two results, so no later result refers to that run. `is_counted`: the result is
    /// counted here, because nothing else counts it.
    pub fn unseen(&mut self, command: &str, is_counted: bool) {
        self.at.results += usize::from(is_counted);
        let numbers = self.seen.named_in(command).into_iter().map(|call| self.calls.id(call).to_owned());
        let named: HashSet<String> = numbers.chain(self.index.named_in(command)).collect();
        if !named.is_empty() {
            self.retain(|call| !named.contains(call));
        }
    }

    /// Whether a call is known, whatever its answer was.
    pub fn knows(&self, call: &str) -> bool {
        self.calls.number(call).is_some()
    }

    /// Whether exactly this text was returned in place of a repeated result.
    pub fn has_referred(&self, text: &str) -> bool {
        self.referred.contains_key(&calls::digest(text.trim_end()))
    }

    /// Keeps only these calls; all other results left the context.
    pub fn keep_only(&mut self, calls: &[String]) {
        self.keep_only_of(&calls.iter().map(String::as_str).collect());
    }

    /// Like [`Self::keep_only`], for a set of calls.
    pub fn keep_only_of(&mut self, calls: &HashSet<&str>) {
        self.host_reports = true;
        self.retain(|call| calls.contains(call));
    }

    fn retain(&mut self, visible: impl Fn(&str) -> bool) {
        let calls = &*self.calls;
        let numbered = |call: u32| visible(calls.id(call));
        calls::keep(&mut self.wrote, numbered);
        calls::keep(&mut self.referred, numbered);
        // Bodies repeat the same list with every turn: copy nothing if nothing changes.
        if self.seen.has_other(numbered) {
            Arc::make_mut(&mut self.seen).retain(numbered);
        }
        if self.index.has_other(&visible) {
            Arc::make_mut(&mut self.index).retain(&visible);
        }
        self.retain_in_room(visible);
        self.report_size();
    }

    /// Number of results so far.
    pub fn results(&self) -> usize {
        self.at.results
    }

    /// Totals so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// Whether a marker can name this call so that it is read back as the same call.
fn can_be_named(call: &str, tool: &str) -> bool {
    marker::is_name(call) && marker::is_name(tool)
}
