//! The systems that a bill compares: whether the results in each request are unchanged, or shortened by tersed or in
//! other ways.

use serde_json::{Map, Value, json};

use super::super::child::Child;
use super::super::curve::cut;
use super::super::record::Record;
use super::course::SessionNeeds;
use crate::reclaim::Prices;

/// Characters that a cut keeps, half of them at the start and half at the end.
const CUT_CHARS: usize = 8000;
/// Masking removes a result after this many answers, if it has more than this many bytes.
const MASK_AFTER: usize = 10;
const MASK_FROM: usize = 200;
/// The text of a message that has none.
const NO_TEXT: &str = ".";

/// A way to treat the results in each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    /// Every result as it came.
    Raw,
    /// Compressed when it arrives.
    OnArrival,
    /// Compressed when it arrives, and removed when it is no longer needed.
    Reclaim,
    /// Cut to this many characters.
    Cut(usize),
    /// Removed after `MASK_AFTER` answers.
    Mask,
}

impl System {
    pub(super) const ALL: [Self; 5] =
        [Self::Raw, Self::OnArrival, Self::Reclaim, Self::Cut(CUT_CHARS), Self::Mask];

    pub(super) fn name(self) -> String {
        match self {
            Self::Raw => "raw".to_owned(),
            Self::OnArrival => "at birth".to_owned(),
            Self::Reclaim => "with reclaim".to_owned(),
            Self::Cut(chars) => format!("cut at {chars}"),
            Self::Mask => "mask after 10".to_owned(),
        }
    }
}

/// A system with its name and, if it is tersed, its policy.
pub(super) struct Variant {
    pub name: String,
    pub system: System,
    pub policy: Map<String, Value>,
}

/// The results of a request.
pub(super) struct Request {
    /// Their texts, in order.
    pub results: Vec<String>,
    /// The removal batch that left the context with this request.
    pub batch: Option<Batch>,
}

/// Results that left together: their tokens, and those after the first of them.
pub(super) struct Batch {
    pub removed: u64,
    pub behind: u64,
}

/// Sends the requests of one session.
pub(super) struct Sender<'a> {
    system: System,
    course: &'a SessionNeeds<'a>,
    policy: &'a Map<String, Value>,
    prices: &'a Prices,
    session: String,
    /// The messages of the conversation so far.
    messages: Vec<Value>,
    answers: usize,
    /// The number of results that were removed so far.
    gone: u64,
}

impl<'a> Sender<'a> {
    pub(super) fn new(variant: &'a Variant, course: &'a SessionNeeds<'a>, prices: &'a Prices) -> Self {
        let Variant { name, system, policy } = variant;
        let system = *system;
        let id = course.session.id.as_deref().unwrap_or_default();
        let session = format!("{name}:{id}");
        Self { system, course, policy, prices, session, messages: Vec::new(), answers: 0, gone: 0 }
    }

    /// The request that an answer replies to. Call it for the answers in order.
    pub(super) fn request(&mut self, child: &mut Child, answer: usize) -> Result<Request, String> {
        let results = self.course.results_before(answer);
        let raw = || self.course.session.records[..results].iter();
        let texts: Vec<String> = match self.system {
            System::Raw => raw().map(|record| record.output.clone()).collect(),
            System::Cut(chars) => raw().map(|record| cut(&record.output, chars)).collect(),
            System::Mask => {
                let old = answer.checked_sub(MASK_AFTER).map_or(0, |old| self.course.results_before(old));
                let is_masked = |at: usize, text: &str| at < old && text.len() > MASK_FROM;
                let text = |(at, record): (usize, &Record)| match is_masked(at, &record.output) {
                    true => "[old result removed]".to_owned(),
                    false => record.output.clone(),
                };
                raw().enumerate().map(text).collect()
            }
            System::OnArrival | System::Reclaim => return self.compressed(child, answer),
        };
        Ok(Request { results: texts, batch: None })
    }

    /// The request with results compressed by tersed.
    fn compressed(&mut self, child: &mut Child, answer: usize) -> Result<Request, String> {
        if self.messages.is_empty() {
            let context = &self.course.session.transcript.context;
            let text = if context.is_empty() { NO_TEXT } else { context };
            self.messages.push(json!({ "role": "user", "content": text }));
            self.add_turn("", 0..self.course.results_before(0));
        }
        while self.answers < answer {
            let start = self.course.results_before(self.answers);
            let results = start..start + self.course.results_of(self.answers).len();
            let text = self.course.session.transcript.answers[self.answers].text.clone();
            self.add_turn(&text, results);
            self.answers += 1;
        }
        let mut params = json!({
            "sessionId": self.session, "format": "openai-chat", "policy": self.policy,
            "body": { "messages": self.messages },
        });
        if self.system == System::Reclaim {
            let Prices { write, read, .. } = self.prices;
            params["reclaim"] = json!("auto");
            params["reclaimTerms"] = json!({ "prices": { "write": write, "read": read } });
        }
        let mut answer = child.messages(&params)?;
        // If the agent sent two messages in a row, the same batch is reported twice and must count once.
        let gone = answer["reclaim"]["results"].as_u64().unwrap_or(0);
        let is_batch = gone > std::mem::replace(&mut self.gone, gone);
        let number = |name: &str| answer["reclaim"]["sum"][name].as_u64().unwrap_or(0);
        let batch = is_batch.then(|| Batch { removed: number("removed"), behind: number("behind") });
        let Some(messages) = answer["body"]["messages"].as_array_mut() else {
            return Err("the child process sent a body without messages".to_owned());
        };
        let results = messages.iter_mut().filter(|message| message["role"] == "tool");
        let text = |message: &mut Value| match message["content"].take() {
            Value::String(text) => text,
            _ => String::new(),
        };
        Ok(Request { results: results.map(text).collect(), batch })
    }

    /// Adds an answer with its calls and their results.
    fn add_turn(&mut self, said: &str, results: std::ops::Range<usize>) {
        let records = &self.course.session.records;
        let id = |at: usize| format!("call_{at}");
        let calls: Vec<Value> = results
            .clone()
            .map(|at| {
                let function = json!({ "name": records[at].tool, "arguments": arguments(&records[at]) });
                json!({ "id": id(at), "type": "function", "function": function })
            })
            .collect();
        let mut message =
            json!({ "role": "assistant", "content": if said.is_empty() { NO_TEXT } else { said } });
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        if !(said.is_empty() && calls.is_empty()) {
            self.messages.push(message);
        }
        for at in results {
            let output = &records[at].output;
            self.messages.push(json!({ "role": "tool", "tool_call_id": id(at), "content": output }));
        }
    }

    /// Ends the session.
    pub(super) fn end(self, child: &mut Child) -> Result<(), String> {
        if self.messages.is_empty() { Ok(()) } else { child.close(&self.session) }
    }
}

/// The arguments of a call, as JSON text.
fn arguments(record: &Record) -> String {
    let mut arguments = match &record.args {
        Value::Object(members) => members.clone(),
        _ => Map::new(),
    };
    if let Some(command) = &record.command {
        arguments.entry("command").or_insert_with(|| json!(command));
    }
    Value::Object(arguments).to_string()
}
