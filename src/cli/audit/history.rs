//! A session as it is read: its results, the names that the agent later used from them, how often each result was sent, and
//! when it left the context.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use serde_json::Value;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

use super::words::{Kind, words};
use crate::cli::replay::record::{Forgotten, Record};
use crate::detect::detect;
use crate::protocol::tool_result::{CommandWords, ToolResult};
use crate::text::call::ToolCall;
use crate::text::source::Source;

/// Most results that are remembered for a name: the first and the last of them.
const MAX_OWNERS: usize = 4;
/// Most names that are remembered in one session; later ones are ignored.
const MAX_WORDS: usize = 1_000_000;

/// A call of a tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    /// The host's id.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The command line, if it is not an argument.
    pub command: Option<String>,
}

/// The output of a tool.
#[derive(Debug, Clone, Default)]
pub(super) struct Output {
    /// The call that it answers.
    pub call: Option<String>,
    /// The tool, if no call names it.
    pub tool: Option<String>,
    /// The text as the model saw it.
    pub text: String,
    /// The exit code.
    pub exit_code: Option<i64>,
    /// Whether the host counts it as failed.
    pub is_error: Option<bool>,
}

/// A name that the agent learned from results.
#[derive(Debug)]
pub(super) struct Reference {
    /// The name.
    pub text: String,
    /// Its kind, which decides how survival is measured.
    pub kind: Cow<'static, str>,
    /// Indexes of results that contained it while they were in the context.
    pub owners: Vec<u32>,
    /// The call that used it; `None` for the agent's own text.
    pub used_by: Option<String>,
}

/// A session.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Its name in reports: the host's id.
    pub id: String,
    /// Results in order.
    pub records: Vec<Record>,
    /// Names that the agent used later.
    pub references: Vec<Reference>,
    /// Whether its results do not share a context.
    pub is_loose: bool,
    /// Number of requests to the model.
    pub requests: usize,
    /// Number of requests when each result came, and when it left the context.
    spans: Vec<(usize, Option<usize>)>,
    /// Whether the last message was the agent's.
    is_agents_turn: bool,
    calls: HashMap<String, Call>,
    /// Calls without an id that have no result yet.
    unnamed: VecDeque<Call>,
    places: HashMap<String, usize>,
    pending: Vec<Forgotten>,
    known: HashMap<u64, Vec<u32>>,
}

impl History {
    /// A session of that name.
    pub(super) fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Whether nothing was read.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty() && self.requests == 0 && self.calls.is_empty()
    }

    /// How often a result was sent to the model, at least once.
    pub(super) fn sent(&self, place: usize) -> usize {
        let (from, to) = self.spans.get(place).copied().unwrap_or_default();
        to.unwrap_or(self.requests).saturating_sub(from).max(1)
    }

    /// Counts a request to the model. Its answer may come later.
    pub(super) fn request(&mut self) {
        self.agents_turn();
    }

    /// Adds text that the agent wrote.
    pub(super) fn agent_text(&mut self, text: &str) {
        self.agents_turn();
        self.used(text, None);
    }

    /// Adds text that somebody else wrote into the context.
    pub(super) fn other_text(&mut self, text: &str) {
        self.is_agents_turn = false;
        words(text, &mut |word, kind| drop(self.known.insert(key(word, kind), Vec::new())));
    }

    /// Adds a call of the agent.
    pub(super) fn call(&mut self, call: Call) {
        self.agents_turn();
        let mut texts = Vec::new();
        texts.extend(call.command.clone());
        collect(&call.arguments, &mut texts);
        for text in texts {
            self.used(&text, call.id.as_deref());
        }
        match &call.id {
            Some(id) => drop(self.calls.insert(id.clone(), call)),
            None => self.unnamed.push_back(call),
        }
    }

    /// Adds an output of a tool. An empty text is not a result.
    pub(super) fn result(&mut self, output: Output) {
        self.is_agents_turn = false;
        let call = match &output.call {
            Some(id) => self.calls.get(id).cloned(),
            None => self.unnamed.pop_front(),
        };
        if output.text.is_empty() {
            return;
        }
        let call = call.unwrap_or_default();
        let place = self.records.len();
        let tool = if call.tool.is_empty() { output.tool.unwrap_or_default() } else { call.tool };
        let given = output
            .call
            .unwrap_or_else(|| format!("{}#{}", if tool.is_empty() { "result" } else { &tool }, place + 1));
        let id = if self.places.contains_key(&given) { format!("{given}#{}", place + 1) } else { given };
        let id = cut(&id, 500).to_owned();
        let mut record = Record {
            id: id.clone(),
            tool: Some(cut(&tool, 500).to_owned()).filter(|tool| !tool.is_empty()),
            command: call.command,
            args: call.arguments,
            output: output.text,
            exit_code: output.exit_code,
            is_error: output.is_error,
            forgotten: std::mem::take(&mut self.pending),
            ..Record::default()
        };
        let asked = asked(&record);
        record.command = record.command.or_else(|| asked.command.clone());
        let reports = detect(&asked, &Source::new(&record.output)).reports_failures();
        (if reports { "other" } else { "file_read" }).clone_into(&mut record.kind);
        let owner = u32::try_from(place).unwrap_or(u32::MAX);
        let known = &mut self.known;
        words(&record.output, &mut |word, kind| {
            if known.len() >= MAX_WORDS {
                return;
            }
            let mut is_new = false;
            let owners = known.entry(key(word, kind)).or_insert_with(|| {
                is_new = true;
                Vec::new()
            });
            // The agent or its user already used this name, so it was not learned here.
            if (is_new || !owners.is_empty()) && owners.last() != Some(&owner) {
                if owners.len() == MAX_OWNERS {
                    owners.remove(1);
                }
                owners.push(owner);
            }
        });
        self.places.insert(id, place);
        self.spans.push((self.requests, None));
        self.records.push(record);
    }

    /// The context was cleared or summarized.
    pub(super) fn forget_all(&mut self) {
        let requests = self.requests;
        for (_, to) in self.spans.iter_mut().filter(|(_, to)| to.is_none()) {
            *to = Some(requests);
        }
        self.pending.push(Forgotten::All);
    }

    /// The results of these calls left the context.
    pub(super) fn forget<'a>(&mut self, calls: impl IntoIterator<Item = &'a str>) {
        let mut gone = Vec::new();
        for call in calls {
            let span = self.places.get(call).and_then(|place| self.spans.get_mut(*place));
            if let Some((_, to)) = span.filter(|(_, to)| to.is_none()) {
                *to = Some(self.requests);
                gone.push(call.to_owned());
            }
        }
        if !gone.is_empty() {
            self.pending.push(Forgotten::Calls(gone));
        }
    }

    /// The results of all other calls left the context.
    pub(super) fn keep(&mut self, stays: impl Fn(&str) -> bool) {
        let gone: Vec<String> = self.records.iter().map(|r| r.id.clone()).filter(|id| !stays(id)).collect();
        self.forget(gone.iter().map(String::as_str));
    }

    /// Records names from the last result that the agent used later, with their kinds.
    pub(super) fn refers(&mut self, names: impl Iterator<Item = (String, String)>) {
        let Some(owner) = self.records.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()) else {
            return;
        };
        self.references.extend(names.map(|(text, kind)| {
            let owners = vec![owner];
            Reference { text, kind: kind.into(), owners, used_by: None }
        }));
    }

    /// Whether a call was answered.
    pub(super) fn is_answered(&self, call: &str) -> bool {
        self.places.contains_key(call)
    }

    fn agents_turn(&mut self) {
        if !std::mem::replace(&mut self.is_agents_turn, true) {
            self.requests += 1;
        }
    }

    fn used(&mut self, text: &str, by: Option<&str>) {
        let Self { known, references, spans, .. } = self;
        words(text, &mut |word, kind| {
            let Some(owners) = known.insert(key(word, kind), Vec::new()) else { return };
            let seen = |place: &u32| spans.get(*place as usize).is_some_and(|(_, to)| to.is_none());
            let owners: Vec<u32> = owners.into_iter().filter(seen).collect();
            if !owners.is_empty() {
                let used_by = by.map(str::to_owned);
                references.push(Reference {
                    text: word.to_owned(),
                    kind: kind.name().into(),
                    owners,
                    used_by,
                });
            }
        });
    }
}

fn key(word: &str, kind: Kind) -> u64 {
    xxh3_64(word.as_bytes()) ^ (kind as u64)
}

/// The call in the form of the engine.
pub(super) fn asked(record: &Record) -> ToolCall {
    let result = ToolResult {
        tool_call_id: None,
        tool: record.tool.clone(),
        arguments: Some(record.args.clone()).filter(|args| !args.is_null()),
        command: record.command.clone().map(CommandWords::Line),
        path: None,
        exit_code: record.exit_code,
        is_error: record.is_error,
        content: RawValue::NULL,
        full_output: false,
        tokens: None,
    };
    result.call("result").unwrap_or_default()
}

fn collect(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        Value::Object(members) => members.values().for_each(|value| collect(value, out)),
        _ => {}
    }
}

/// The start of a text, at most this many bytes.
pub(super) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
