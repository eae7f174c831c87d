//! One result of a request: read, checked, and identified.

use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::config::{Mode, OnRepeat, Policy};
use crate::detect::{edit, viewed};
use crate::pipeline::evidence::{Evidence, Status};
use crate::pipeline::limit::budget::Ask;
use crate::pipeline::repeat::dedup::{History, NoHistory};
use crate::pipeline::timer::Timer;
use crate::pipeline::{Outcome, Prepared, Raw, RedactionFailed};
use crate::protocol::RpcError;
use crate::protocol::content::Content;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::messages::Found;
use crate::protocol::params::invalid;
use crate::protocol::tool_result::ToolResult;
use crate::reclaim::label;
use crate::sanitize;
use crate::sanitize::spare::Written;
use crate::session::{Caller, Ending, FileDigest, Fingerprint};
use crate::stop::run_cancellable;
use crate::telemetry::Stopwatch;
use crate::text::call::ToolCall;
use crate::text::lines::Lines;
use crate::text::origin;
use crate::text::source::count_lines;

/// Only this many bytes of a query are used.
const MAX_QUERY_BYTES: usize = 4096;

/// One result, read and checked.
pub(super) struct Job<'a> {
    pub(super) call: ToolCall,
    pub(super) content: Content<'a>,
    pub(super) full_output: bool,
    /// Tokens of the content by the host's count.
    pub(super) tokens: Option<usize>,
    /// The arguments as JSON text, computed on first use.
    arguments: OnceCell<String>,
}

/// The facts about a call that markers and references use.
#[derive(Default)]
pub(super) struct About<'a> {
    /// Its name in markers.
    label: Option<String>,
    /// The file that it looks at, empty if unknown; `None` if a repeated request gets the same answer.
    looks_at: Option<String>,
    /// The file that it edits, and the texts that it writes there.
    edits: Option<(FileDigest, Vec<Arc<str>>)>,
    /// The lines that it writes, longest first.
    new_lines: Vec<&'a str>,
    /// The texts that it shows of a file.
    views: Vec<&'a str>,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        result: &ToolResult<'a>,
        place: &str,
        full_output: bool,
        query: Option<&str>,
    ) -> Result<Self, RpcError> {
        let call = ToolCall { query: query.map(shortened), ..result.call(place)? };
        let content = Content::read(result.content, &format!("{place}.content"))?;
        let tokens = match result.tokens {
            Some(0) => return Err(invalid(&format!("{place}.tokens"), "is 0, allowed is 1 and up")),
            tokens => tokens.map(|tokens| tokens.min(u64::from(u32::MAX)) as usize),
        };
        Ok(Self {
            call,
            content,
            full_output: full_output || result.full_output,
            tokens,
            arguments: OnceCell::new(),
        })
    }

    /// A result of a body.
    pub(super) fn of_body(found: &'a Found<'_>, query: Option<String>, full_output: bool) -> Self {
        let texts = found.texts.iter().map(|text| (&*text.text).into()).collect();
        let call = ToolCall { query, ..found.call.clone() };
        Self {
            call,
            content: Content::of_texts(texts),
            full_output,
            tokens: None,
            arguments: OnceCell::new(),
        }
    }

    fn arguments(&self) -> &str {
        // A value can always be written.
        self.arguments.get_or_init(|| serde_json::to_string(&self.call.arguments).unwrap_or_default())
    }

    pub(super) fn fingerprint(&self, policy: &Policy) -> Fingerprint {
        let content = digest_of(self.content.parts());
        let call = &self.call;
        let mut request = Digest::default();
        request
            .field(&content)
            .field(&policy.fingerprint().to_le_bytes())
            .field(call.tool.as_bytes())
            .field(self.arguments().as_bytes())
            .field(call.command.as_deref().unwrap_or_default().as_bytes())
            .field(call.path.as_deref().unwrap_or_default().as_bytes())
            .field(call.query.as_deref().unwrap_or_default().as_bytes())
            .field(format!("{:?} {:?} {}", call.exit_code, call.is_error, self.full_output).as_bytes());
        Fingerprint { request: request.finish(), content }
    }

    /// The texts of several lines that the model wrote into the call, with secrets removed.
    pub(super) fn written_texts(&self, policy: &Policy) -> Vec<(String, Lines)> {
        if !policy.dedup || policy.mode < Mode::Standard {
            return Vec::new();
        }
        let safe = |text: &str| match policy.redact_secrets {
            true => sanitize::redact_only(text).ok().map(|(text, _)| Lines::of(&text)),
            false => Some(Lines::of(text)),
        };
        let texts = self.call.written().into_iter();
        texts.filter_map(|(name, text)| Some((name.to_owned(), safe(text)?))).collect()
    }

    /// Values that the model wrote into the call, and that are therefore not secret from it.
    pub(super) fn written_values(&self, policy: &Policy) -> Written<'_> {
        match policy.redact_secrets {
            true => Written::of(self.call.texts(), &policy.seal_key),
            false => Written::default(),
        }
    }

    /// The facts for markers: the file that the call looks at, or its command. A name with a secret in it is not
    /// used.
    pub(super) fn about(&self, policy: &Policy) -> About<'_> {
        if !policy.dedup || policy.mode < Mode::Standard {
            return About::default();
        }
        let call = &self.call;
        let looks_at = viewed::file(call);
        let is_safe = |text: &&str| {
            !policy.redact_secrets || sanitize::redact_only(text).is_ok_and(|(_, counts)| counts.is_empty())
        };
        let file = looks_at.as_deref().filter(|file| !file.is_empty());
        let path = file.or(call.path.as_deref().filter(|_| call.command.is_none()));
        let label = match path {
            Some(path) => Some(path).filter(is_safe).and_then(origin::label_of_path),
            None => {
                let command = call.command.as_deref().filter(is_safe).and_then(origin::label_of_command);
                // The result may name a file that the call does not name, as for `scroll_down`.
                let text = self.texts().first().copied().unwrap_or_default();
                label::of(call, (text, count_lines(text)), command.as_deref())
                    .filter(|label| is_safe(&label.as_str()))
            }
        };
        let edits = self.edits();
        let looks_at = looks_at.filter(|_| policy.on_repeat == OnRepeat::Full);
        let views = if looks_at.is_some() { self.texts() } else { Vec::new() };
        About { label, edits, looks_at, new_lines: edit::new_lines(call), views }
    }

    /// The texts of the result.
    fn texts(&self) -> Vec<&str> {
        let parts = self.content.parts().into_iter();
        let text = |part| match part {
            Raw::Text(text) => Some(text),
            Raw::Bytes(_) => None,
        };
        parts.filter_map(text).collect()
    }

    /// The file that the call edits, and the texts that it writes there.
    fn edits(&self) -> Option<(FileDigest, Vec<Arc<str>>)> {
        let file = self.call.path.as_deref().map(viewed::name).filter(|name| !name.is_empty())?;
        let texts: Vec<Arc<str>> = edit::new_texts(&self.call).into_iter().map(Arc::from).collect();
        (!texts.is_empty()).then(|| (of_file(file), texts))
    }

    /// The identity of the call for the session.
    pub(super) fn caller<'b>(
        &'b self,
        id: &'b str,
        mentioned: &'b [&'b str],
        turn: usize,
        wrote: &'b Written<'b>,
        about: &'b About<'b>,
    ) -> Caller<'b> {
        let call = &self.call;
        let About { label, edits, looks_at, new_lines, views } = about;
        let file = looks_at.as_deref().map(viewed::name).filter(|name| !name.is_empty());
        let mut asked = Digest::default();
        asked
            .field(call.canonical_tool().as_bytes())
            .field(self.arguments().as_bytes())
            .field(call.command.as_deref().unwrap_or_default().as_bytes())
            .field(call.path.as_deref().unwrap_or_default().as_bytes());
        let ending = Ending { exit_code: call.exit_code, is_error: call.is_error };
        // A call with an empty query or a repeated action does not ask for information.
        let is_question = (!call.arguments.is_null() || call.command.is_some() || call.path.is_some())
            && !call.has_side_effects();
        Caller {
            id,
            tool: &call.tool,
            asked: [is_question.then(|| asked.finish()), file.map(of_file)],
            looks_at: looks_at.as_deref(),
            edits: edits.as_ref().map(|(file, texts)| (*file, texts.as_slice())),
            new_lines,
            views,
            label: label.as_deref(),
            mentioned,
            ending,
            turn,
            wrote,
        }
    }
}

/// The digest of a content.
fn digest_of<'a>(parts: impl IntoIterator<Item = Raw<'a>>) -> [u8; 16] {
    let mut content = Digest::default();
    for part in parts {
        // The same bytes are processed differently as text and as binary data.
        match part {
            Raw::Text(text) => content.field(b"text").field(text.as_bytes()),
            Raw::Bytes(bytes) => content.field(b"bytes").field(bytes),
        };
    }
    content.finish()
}

/// The digest of the content of a result in a body, as in the fingerprint of its job.
pub(super) fn content_digest(found: &Found<'_>) -> [u8; 16] {
    digest_of(found.texts.iter().map(|text| Raw::Text(&text.text)))
}

/// A file, by its name.
fn of_file(name: &str) -> FileDigest {
    let mut digest = Digest::default();
    digest.field(b"file").field(name.as_bytes());
    digest.finish()
}

/// The part of a query that is used.
pub(super) fn shortened(query: &str) -> String {
    query[..query.floor_char_boundary(MAX_QUERY_BYTES)].to_owned()
}

/// Fields of fewer bytes are hashed together: hashing a few bytes costs as much as hashing many.
const FEW_BYTES: usize = 1 << 10;

/// A digest over fields. Each field is hashed with its length, so different lists of fields give different digests.
struct Digest {
    hasher: blake3::Hasher,
    /// Fields that are not hashed yet.
    fields: Vec<u8>,
}

impl Default for Digest {
    fn default() -> Self {
        Self { hasher: blake3::Hasher::default(), fields: Vec::with_capacity(FEW_BYTES) }
    }
}

impl Digest {
    fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.fields.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        if bytes.len() < FEW_BYTES {
            self.fields.extend_from_slice(bytes);
        } else {
            self.hasher.update(&self.fields).update(bytes);
            self.fields.clear();
        }
        self
    }

    fn finish(&mut self) -> [u8; 16] {
        self.hasher.update(&self.fields);
        self.fields.clear();
        let mut half = [0; 16];
        half.copy_from_slice(&self.hasher.finalize().as_bytes()[..16]);
        half
    }
}

impl Job<'_> {
    /// The result after the safe stage; `None` after an internal fault.
    pub(super) fn prepared<'b>(
        &'b self,
        policy: &'b Policy,
        history: &dyn History,
    ) -> Result<Option<Prepared<'b>>, RpcError> {
        let parts = self.content.parts();
        let prepare = || Prepared::new(&self.call, &parts, policy, self.full_output, history);
        match catch_unwind(AssertUnwindSafe(|| run_cancellable(prepare))) {
            Ok(Ok(prepared)) => Ok(Some(prepared)),
            Ok(Err(RedactionFailed)) => Err(RpcError::failed(
                "redaction_failed",
                "the result could not be redacted, so no content is returned",
            )),
            Err(_) => Ok(None),
        }
    }

    /// Converts tokens of our count to the host's count, rounded up. `before` is our count of the input.
    pub(super) fn as_host(&self, tokens: usize, before: usize) -> usize {
        match self.tokens {
            Some(host) if before > 0 => (tokens as u128 * host as u128).div_ceil(before as u128) as usize,
            _ => tokens,
        }
    }

    /// Converts tokens of the host's count to our count, rounded down, for budgets.
    pub(super) fn as_ours(&self, tokens: usize, before: usize) -> usize {
        match self.tokens {
            Some(host) if before > 0 => (tokens as u128 * before as u128 / host as u128) as usize,
            _ => tokens,
        }
    }

    /// Runs the pure core. If it fails, tries the safe stage alone, then the safe stage without a budget. Only if all fail
    /// is there an error. `prepared` is the result after the safe stage if it was computed before; `watch` measures times.
    pub(super) fn core(
        &self,
        policy: &Policy,
        ask: Ask,
        history: &dyn History,
        prepared: Option<&Prepared<'_>>,
        watch: Option<&Stopwatch<'_>>,
    ) -> Result<Outcome, RpcError> {
        if let Some(outcome) = prepared.and_then(|prepared| self.outcome(prepared, ask, history, watch)) {
            return Ok(outcome);
        }
        let run = |policy: &Policy, ask: Ask, history: &dyn History| -> Result<Option<Outcome>, RpcError> {
            let prepare = || self.prepared(policy, history);
            let prepared = watch.map_or_else(prepare, |watch| watch.safe(prepare))?;
            Ok(prepared.and_then(|prepared| self.outcome(&prepared, ask, history, watch)))
        };
        if let Some(outcome) = run(policy, ask, history)? {
            return Ok(outcome);
        }
        let safe = Policy { mode: Mode::Safe, max_mode: Mode::Safe, dedup: false, ..policy.clone() };
        for limit in [ask.limit, None] {
            let ask = Ask { limit, mode: Mode::Safe, can_store_original: false };
            if let Some(outcome) = run(&safe, ask, &NoHistory)? {
                let evidence = Evidence { status: Status::FailedOpen, ..outcome.evidence };
                return Ok(Outcome { evidence, ..outcome });
            }
        }
        Err(RpcError::new(INTERNAL_ERROR, "internal", "the result could not be processed"))
    }

    /// The outcome of a prepared result; `None` after an internal fault.
    pub(super) fn outcome(
        &self,
        prepared: &Prepared<'_>,
        ask: Ask,
        history: &dyn History,
        watch: Option<&Stopwatch<'_>>,
    ) -> Option<Outcome> {
        let ask = self.by_our_count(ask, prepared);
        let timer = watch.map(|watch| watch as &dyn Timer);
        catch_unwind(AssertUnwindSafe(|| run_cancellable(|| prepared.outcome(ask, history, timer)))).ok()
    }

    /// Converts a request's token figures from the host's count to ours.
    pub(super) fn by_our_count(&self, ask: Ask, prepared: &Prepared<'_>) -> Ask {
        Ask { limit: ask.limit.map(|limit| self.as_ours(limit, prepared.tokens())), ..ask }
    }
}
