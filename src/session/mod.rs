//! What one session remembers: which outcome each call got, what the model can still see, totals.
//!
//! No I/O and no clock. A decision is remembered for as long as the session lives, a text only while
//! there is room: an outcome can always be made again, byte for byte, from its decision.

mod memo;
mod seen;
mod stats;

use std::collections::HashMap;

use crate::config::PolicyPatch;
use crate::pipeline::Outcome;
use crate::pipeline::dedup::{Decision, First, History, Key};
use crate::protocol::session::Stats;
use crate::protocol::tool_result::ArtifactRef;
use memo::Memo;
pub use seen::Seen;
use seen::Shown;

/// How much a session may remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Calls whose decisions are remembered. Later ones take no part in memo and dedup, so that their
    /// outcomes depend on nothing that could be forgotten. Default 65536.
    pub max_calls: usize,
    /// Bytes of texts in the memo. Default 512 KiB.
    pub memo_bytes: usize,
    /// Largest text in the memo, in bytes. Default 16 KiB.
    pub memo_entry_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { max_calls: 65_536, memo_bytes: 512 << 10, memo_entry_bytes: 16 << 10 }
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

/// What a session knows of a call.
#[derive(Debug)]
struct Known {
    /// How many calls came before it.
    order: usize,
    /// More than one when it came again with other bytes or another policy.
    variants: Vec<(Fingerprint, Decision)>,
    /// Whether every variant shows the same result and none is itself a reference: only then is it
    /// certain what the model sees under this id.
    is_plain: bool,
}

impl Known {
    fn new(order: usize) -> Self {
        Self { order, variants: Vec::new(), is_plain: true }
    }

    fn add(&mut self, fingerprint: Fingerprint, decision: Decision) {
        self.is_plain &= decision.duplicate_of.is_none();
        // One that is not plain stays so, which keeps an id that a host uses for everything cheap.
        if self.is_plain {
            let key = self.variants.iter().find_map(|(_, d)| d.key.as_ref());
            let same_key = key.is_none() || decision.key.is_none() || key == decision.key.as_ref();
            let same_content = self.variants.first().is_none_or(|(f, _)| f.content == fingerprint.content);
            self.is_plain = same_key && same_content;
        }
        self.variants.push((fingerprint, decision));
    }
}

/// One session.
#[derive(Debug, Default)]
pub struct Session {
    bounds: Bounds,
    calls: HashMap<String, Known>,
    decisions: usize,
    memo: Memo,
    seen: Seen,
    stats: Stats,
    /// Settings for all requests of the session.
    pub policy: PolicyPatch,
}

impl Session {
    /// An empty session.
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// What is known of a request.
    pub fn look_up(&self, call: &str, fingerprint: Fingerprint) -> Lookup {
        let Some(known) = self.calls.get(call) else {
            return if self.decisions < self.bounds.max_calls { Lookup::New } else { Lookup::Full };
        };
        match known.variants.iter().find(|(f, _)| *f == fingerprint) {
            Some((_, decision)) => match self.memo.get(call, fingerprint) {
                Some(stored) => Lookup::Stored(Box::new(stored.clone())),
                None => Lookup::Decided(decision.clone()),
            },
            None if self.decisions < self.bounds.max_calls => Lookup::Changed,
            None => Lookup::Full,
        }
    }

    /// The session as the outcome of a call may see it.
    pub fn history<'a>(&'a self, call: &'a str, ending: Ending) -> impl History + 'a {
        Live { session: self, call, ending }
    }

    /// Remembers a new outcome; `keep_text` is whether the memo may hold it.
    pub fn commit(
        &mut self,
        tool: &str,
        call: &str,
        ending: Ending,
        fingerprint: Fingerprint,
        stored: Stored,
        keep_text: bool,
    ) {
        let decision = stored.outcome.decision.clone();
        let order = self.calls.len();
        let known = self.calls.entry(call.to_owned()).or_insert_with(|| Known::new(order));
        known.add(fingerprint, decision.clone());
        self.decisions += 1;
        if !known.is_plain {
            self.seen.evict(&[call.to_owned()]);
        } else if let Some(key) = decision.key {
            let first = First { call: call.to_owned(), tool: tool.to_owned() };
            self.seen.add(key, Shown { first, order: known.order, ending });
        }
        self.stats.add(tool, &stored.outcome.evidence);
        if keep_text {
            self.memo.put(call, fingerprint, stored, &self.bounds);
        }
    }

    /// Counts a result that came without a call id, or for which there was no room.
    pub fn count(&mut self, tool: &str, outcome: &Outcome) {
        self.stats.add(tool, &outcome.evidence);
    }

    /// Counts a request that was answered before.
    pub fn count_resend(&mut self, outcome: &Outcome, from_memo: bool) {
        self.stats.resent(&outcome.evidence, from_memo);
    }

    /// Counts a call that came with other bytes or another policy.
    pub fn count_changed(&mut self) {
        self.stats.memo_changed += 1;
    }

    /// What the model can see.
    pub fn seen_mut(&mut self) -> &mut Seen {
        &mut self.seen
    }

    /// Totals so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}

/// The session as it is now.
struct Live<'a> {
    session: &'a Session,
    call: &'a str,
    ending: Ending,
}

impl History for Live<'_> {
    fn first(&self, key: &Key) -> Option<First> {
        let order = self.session.calls.get(self.call).map_or(usize::MAX, |known| known.order);
        self.session.seen.first(key, order, self.ending)
    }

    fn knows(&self, call: &str) -> bool {
        call != self.call && self.session.calls.contains_key(call)
    }
}

/// The session as it was when a decision was made.
#[derive(Debug)]
pub struct AsDecided(pub Decision);

impl History for AsDecided {
    fn first(&self, _: &Key) -> Option<First> {
        self.0.duplicate_of.clone()
    }

    fn knows(&self, _: &str) -> bool {
        self.0.own_marker
    }
}
