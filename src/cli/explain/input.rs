//! Reads results from a file: parameters of `toolResult/compress`, or a recorded session as for `replay`. Earlier results of
//! the session are played first, so that references are those that the agent saw.

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::cli::{Failure, packed};
use crate::config::{Config, PolicyPatch};
use crate::engine::{Engine, Settings};
use crate::pipeline::explain::Explained;
use crate::text::call::ToolCall;

/// The used members of a value in the file: the parameters of a request, a single result, or a record.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    session_id: Option<Cow<'a, str>>,
    source: Option<Value>,
    session: Option<Value>,
    agent: Option<Value>,
    policy: Option<Value>,
    query: Option<Value>,
    full_output: Option<Value>,
}

/// The parameters of a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    session_id: Option<String>,
    result: &'a RawValue,
    policy: Value,
    query: Option<Value>,
    full_output: bool,
}

/// Explains result number `index` of a file, from 1.
pub(super) fn explained(
    file: &Path,
    index: Option<usize>,
    patch: &PolicyPatch,
    config: &Config,
) -> Result<(ToolCall, Explained), Failure> {
    let name = file.display();
    let mut text = String::new();
    packed::open(file)
        .map_err(|e| format!("{name}: {e}"))?
        .read_to_string(&mut text)
        .map_err(|e| format!("{name}: {e}"))?;
    let values: Vec<&RawValue> =
        serde_json::Deserializer::from_str(&text).into_iter().collect::<Result<_, _>>().map_err(|e| {
            format!("{name}: {e}; expected JSON: parameters of `toolResult/compress`, or lines of records")
        })?;
    let index = match (index, values.len()) {
        (_, 0) => return Err(format!("{name}: there is no result in it").into()),
        (None, 1) => 1,
        (Some(index), count) if (1..=count).contains(&index) => index,
        (None, count) => {
            return Err(Failure::value(format!(
                "{name}: it holds {count} results; --index picks one of them"
            )));
        }
        (Some(index), count) => {
            return Err(Failure::value(format!(
                "--index: `{index}` is not allowed, {name} holds results 1 to {count}"
            )));
        }
    };
    let request =
        |at: usize| request(values[at], patch).map_err(|e| format!("{name}, result {}: {e}", at + 1));
    let (session, params) = request(index - 1)?;
    let mut earlier = Vec::new();
    for at in 0..index - 1 {
        let (of, params) = request(at)?;
        if session.is_some() && of == session {
            earlier.push(params);
        }
    }
    let engine = Engine::new(Settings::of(config));
    engine
        .explain_after(&earlier, &params)
        .map_err(|e| format!("{name}, result {index}: {}", e.message).into())
}

/// The session that a value belongs to, and the request for it.
fn request(value: &RawValue, patch: &PolicyPatch) -> Result<(Option<String>, String), serde_json::Error> {
    let entry: Entry<'_> = serde_json::from_str(value.get())?;
    let is_bare = entry.content.is_some() || entry.output.is_some();
    let result = entry.result.filter(|_| !is_bare).unwrap_or(value);
    let of_record = || {
        let name = |value: &Option<Value>| value.as_ref().and_then(Value::as_str).map(str::to_owned);
        entry.agent.as_ref().filter(|agent| !agent.is_null())?;
        Some(format!("{}:{}", name(&entry.source).unwrap_or_default(), name(&entry.session)?))
    };
    let session_id = entry.session_id.map(Cow::into_owned).or_else(of_record);
    let mut policy =
        entry.policy.filter(|policy| !policy.is_null()).unwrap_or_else(|| Value::Object(Default::default()));
    if let (Some(settings), Value::Object(given)) = (policy.as_object_mut(), serde_json::to_value(patch)?) {
        settings.extend(given);
    }
    let full_output = entry.full_output.and_then(|full| full.as_bool()).unwrap_or(false);
    let request = Request { session_id: session_id.clone(), result, policy, query: entry.query, full_output };
    Ok((session_id, serde_json::to_string(&request)?))
}
