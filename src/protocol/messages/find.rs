//! Shared by the readers of all formats: finds calls by their ids, lists results in order, and makes ids for results
//! that have none.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::formats::json::without_lone_surrogates;
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
    /// If the string is JSON text itself: that text, and the place of this text's JSON string in it.
    pub inside: Option<(Rc<str>, Range<usize>)>,
    /// The text that the host wrote around it in the string.
    pub frame: Option<Frame>,
}

/// The parts of a string before and after a text; they stay unchanged.
#[derive(Debug)]
pub struct Frame {
    /// Before it.
    pub before: String,
    /// After it.
    pub after: String,
}

/// A result in a body.
#[derive(Debug)]
pub struct Found<'a> {
    /// Its place in the body, for error messages and for the answer.
    pub place: String,
    /// The call that it answers.
    pub call: ToolCall,
    /// Whether the body gives its id; if not, its number among the results of its tool is used.
    pub has_id: bool,
    /// Its texts, in order.
    pub texts: Vec<Text<'a>>,
    /// The number of its turn: results between two calls have the same number.
    pub turn: usize,
    /// The object around it, if that has structured content beside the texts.
    pub structured: Option<Json<'a>>,
}

/// The texts and calls of the model between two results, or between a result and a message of the user.
#[derive(Debug)]
pub struct ModelTexts<'a> {
    /// The number of results before it.
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

/// The members of a result in a body: everything that is known without its call.
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
    /// Values that came from tools, searches and servers: none of their strings may hold a secret.
    pub(super) regions: Vec<Region>,
    /// The texts and calls of the model, in order.
    pub(super) model_texts: Vec<ModelTexts<'a>>,
    pub(super) is_speaking: bool,
    calls: HashMap<Cow<'a, str>, Call<'a>>,
    /// Calls without an id, by name, in order.
    unnamed: HashMap<String, Vec<Call<'a>>>,
    /// The number of results without an id so far, by name.
    counted: HashMap<String, usize>,
    turn: usize,
    /// Since the last result: whether there was a call, and whether the model said anything.
    is_called: bool,
    has_spoken: bool,
}

impl<'a> Finder<'a> {
    /// Records a value in the form of a provider, whose own members stay unchanged.
    pub(super) fn given(&mut self, value: Json<'a>) {
        self.regions.push(Region { range: value.range(), is_free: false });
    }

    /// Records a value of any form.
    pub(super) fn given_free(&mut self, value: Json<'a>) {
        self.regions.push(Region { range: value.range(), is_free: true });
    }

    /// Records those members of an object that exist.
    pub(super) fn given_members(&mut self, object: Json<'a>, names: &[&str]) {
        for member in object.members().filter(|member| names.contains(&&*member.name)) {
            self.given(member.value);
        }
    }

    /// Records all members of an object except some.
    pub(super) fn given_but(&mut self, object: Json<'a>, names: &[&str]) {
        for member in object.members().filter(|member| !names.contains(&&*member.name)) {
            self.given(member.value);
        }
    }

    /// Records all members of an object except some, each of any form.
    pub(super) fn given_free_but(&mut self, object: Json<'a>, names: &[&str]) {
        for member in object.members().filter(|member| !names.contains(&&*member.name)) {
            self.given_free(member.value);
        }
    }

    /// Records a text or a call of the model.
    pub(super) fn add_model_text(&mut self, part: Json<'a>) {
        match self.model_texts.last_mut().filter(|_| self.is_speaking) {
            Some(said) => said.parts.push(part),
            None => self.model_texts.push(ModelTexts { after: self.found.len(), parts: vec![part] }),
        }
        (self.is_speaking, self.has_spoken) = (true, true);
    }

    /// Records a message of the user, the system or a tool, which ends the answer of the model.
    pub(super) fn end_answer(&mut self) {
        self.is_speaking = false;
    }

    /// Records a call.
    pub(super) fn call(&mut self, id: Option<Cow<'a, str>>, call: Call<'a>) {
        self.is_called = true;
        match (id, &call.name) {
            (Some(id), _) => drop(self.calls.insert(id, call)),
            (None, Some(name)) => self.unnamed.entry(name.to_string()).or_default().push(call),
            (None, None) => {}
        }
    }

    /// Records a result that answers a call by its id, or the next call of its name. `counts` says whether a result
    /// without an id gets one from its number among the results of its name.
    pub(super) fn result(&mut self, place: String, answer: Answer<'a>, counts: bool) -> Result<(), RpcError> {
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
        // A result whose call is missing may belong to a later turn. It gets a turn of its own, so that what was said of the
        // results before it does not depend on whether it follows. A body that begins with such results, or has only them,
        // shows one turn, until the model speaks.
        let (is_called, has_spoken) =
            (std::mem::take(&mut self.is_called), std::mem::take(&mut self.has_spoken));
        if is_called || call.is_none() && (self.turn > 0 || has_spoken && !self.found.is_empty()) {
            self.turn += 1;
        }
        if answer.texts.is_empty() {
            return Ok(());
        }
        let call = call.unwrap_or_default();
        let result = ToolResult {
            tool_call_id: id,
            tool: call.name.or(answer.name.clone()).map(Cow::into_owned),
            // Arguments that serde_json cannot hold, such as a number out of range, are ignored.
            arguments: call.arguments.and_then(|json| {
                serde_json::from_str::<Value>(&without_lone_surrogates(json.raw().as_bytes())).ok()
            }),
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
