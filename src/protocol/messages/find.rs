//! What readers of all formats share: calls by their ids, results in order, ids for results that have none.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::error::RpcError;
use crate::protocol::redact::Region;
use crate::protocol::skim::Json;
use crate::protocol::tool_result::{CommandWords, ToolResult};
use crate::text::call::ToolCall;

/// A text of a result.
#[derive(Debug)]
pub struct Text<'a> {
    /// The place of its JSON string in the body.
    pub range: Range<usize>,
    /// The text.
    pub text: Cow<'a, str>,
    /// Where the string is JSON text itself: that text, and the place of this one's JSON string in it.
    pub inside: Option<(Rc<str>, Range<usize>)>,
    /// What the host wrote around it in the string.
    pub frame: Option<Frame>,
}

/// What stands before and behind a text in its string, and stays.
#[derive(Debug)]
pub struct Frame {
    /// Before it.
    pub before: String,
    /// Behind it.
    pub after: String,
}

/// A result in a body.
#[derive(Debug)]
pub struct Found<'a> {
    /// Where it stands, for messages and for the answer.
    pub place: String,
    /// The call that it answers.
    pub call: ToolCall,
    /// Whether the body gives its id; if not, the place among the results of its tool stands for one.
    pub has_id: bool,
    /// Its texts, in order.
    pub texts: Vec<Text<'a>>,
    /// Results of one turn have the same number: those between two calls.
    pub turn: usize,
    /// The object around it, where that has structured content beside the texts.
    pub structured: Option<Json<'a>>,
}

/// What the model said and called between two results, or between a result and words of the user.
#[derive(Debug)]
pub struct Said<'a> {
    /// Results that stand before it.
    pub after: usize,
    /// Its messages, blocks or items.
    pub parts: Vec<Json<'a>>,
}

/// A call in a body.
#[derive(Debug, Clone, Default)]
pub(super) struct Call<'a> {
    pub(super) name: Option<Cow<'a, str>>,
    /// An object, or its text.
    pub(super) arguments: Option<Json<'a>>,
    pub(super) command: Option<String>,
}

/// What the body says about a result itself.
#[derive(Debug, Default)]
pub(super) struct Answer<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) exit_code: Option<i64>,
    pub(super) is_error: Option<bool>,
    pub(super) texts: Vec<Text<'a>>,
    pub(super) structured: Option<Json<'a>>,
}

/// The calls and results of a body, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Finder<'a> {
    pub(super) found: Vec<Found<'a>>,
    /// Values that tools, searches and servers gave: none of their strings may hold a secret.
    pub(super) regions: Vec<Region>,
    /// What the model said, in order.
    pub(super) said: Vec<Said<'a>>,
    pub(super) is_speaking: bool,
    calls: HashMap<Cow<'a, str>, Call<'a>>,
    /// Calls without an id, by name, in order.
    unnamed: HashMap<String, Vec<Call<'a>>>,
    /// Results without an id so far, by name.
    counted: HashMap<String, usize>,
    turn: usize,
    is_called: bool,
}

impl<'a> Finder<'a> {
    /// Notes a value in the form of a provider, whose own members stay.
    pub(super) fn given(&mut self, value: Json<'a>) {
        self.regions.push(Region { range: value.range(), is_free: false });
    }

    /// Notes a value of any form.
    pub(super) fn given_free(&mut self, value: Json<'a>) {
        self.regions.push(Region { range: value.range(), is_free: true });
    }

    /// Notes members of an object that are there.
    pub(super) fn given_members(&mut self, object: Json<'a>, names: &[&str]) {
        for member in object.members().filter(|member| names.contains(&&*member.name)) {
            self.given(member.value);
        }
    }

    /// Notes all members of an object but some.
    pub(super) fn given_but(&mut self, object: Json<'a>, names: &[&str]) {
        for member in object.members().filter(|member| !names.contains(&&*member.name)) {
            self.given(member.value);
        }
    }

    /// Notes what the model said.
    pub(super) fn said(&mut self, part: Json<'a>) {
        match self.said.last_mut().filter(|_| self.is_speaking) {
            Some(said) => said.parts.push(part),
            None => self.said.push(Said { after: self.found.len(), parts: vec![part] }),
        }
        self.is_speaking = true;
    }

    /// Notes that the user, the system or a tool speaks: the answer of the model ends.
    pub(super) fn end_answer(&mut self) {
        self.is_speaking = false;
    }

    /// Notes a call.
    pub(super) fn call(&mut self, id: Option<Cow<'a, str>>, call: Call<'a>) {
        self.is_called = true;
        match (id, &call.name) {
            (Some(id), _) => drop(self.calls.insert(id, call)),
            (None, Some(name)) => self.unnamed.entry(name.to_string()).or_default().push(call),
            (None, None) => {}
        }
    }

    /// Notes a result that answers a call by its id, or the next call of its name. `counts` is whether one
    /// without an id is known by how many of its name stand before it.
    pub(super) fn result(&mut self, place: String, answer: Answer<'a>, counts: bool) -> Result<(), RpcError> {
        if std::mem::take(&mut self.is_called) {
            self.turn += 1;
        }
        self.end_answer();
        let name = answer.name.as_deref().unwrap_or("result");
        let has_id = answer.id.is_some();
        let (id, call) = match &answer.id {
            Some(id) => (Some(id.to_string()), self.calls.get(id).cloned()),
            None => {
                let n = self.counted.entry(name.to_owned()).or_default();
                *n += 1;
                let call = self.unnamed.get(name).and_then(|calls| calls.get(*n - 1)).cloned();
                (counts.then(|| format!("{name}#{n}")), call)
            }
        };
        if answer.texts.is_empty() {
            return Ok(());
        }
        let call = call.unwrap_or_default();
        let result = ToolResult {
            tool_call_id: id,
            tool: call.name.or(answer.name.clone()).map(Cow::into_owned),
            // What serde_json cannot hold, as a number beyond all bounds, is not looked at.
            arguments: call.arguments.and_then(|json| serde_json::from_str::<Value>(json.raw()).ok()),
            command: call.command.map(CommandWords::Line),
            path: None,
            exit_code: answer.exit_code,
            is_error: answer.is_error,
            content: RawValue::NULL,
            full_output: false,
            tokens: None,
        };
        let call = result.call(&format!("body.{place}"))?;
        let Answer { texts, structured, .. } = answer;
        self.found.push(Found { place, call, has_id, texts, turn: self.turn, structured });
        Ok(())
    }
}
