//! Plays one session, result by result, as its host would have sent it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::child::{Answer, Child, Fault};
use super::record::{Record, Session};

/// The answer to a result.
pub(in crate::cli) struct Played<'a> {
    /// The index of the result in the session.
    pub index: usize,
    /// The result.
    pub record: &'a Record,
    /// The answer, or why it was refused.
    pub answer: Result<&'a Answer, String>,
    /// The texts of earlier results that the answer refers to, joined; the model saw them before.
    pub earlier: String,
    /// How long the answer took.
    pub latency: Duration,
}

/// Plays one session in order, with its evictions. Returns the answers by index; the session stays open.
pub(in crate::cli) fn play(
    session: &Session,
    policy: &Value,
    child: &mut Child,
    mut each: impl FnMut(Played<'_>) -> Result<(), String>,
) -> Result<Vec<Option<Answer>>, String> {
    let mut answers: Vec<Option<Answer>> = Vec::with_capacity(session.records.len());
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(session.records.len());
    for (index, record) in session.records.iter().enumerate() {
        for what in &record.forgotten {
            session.id.as_ref().map_or(Ok(()), |id| child.evicted(id, what))?;
        }
        places.entry(&record.id).or_insert(index);
        let request = request(session, record, policy);
        let start = Instant::now();
        let answer = child.compress(&request);
        let latency = start.elapsed();
        let answer = match answer {
            Err(Fault::Broken(message)) => return Err(message),
            Err(Fault::Refused(message)) => Err(message),
            Ok(answer) => Ok(answer),
        };
        let mut earlier = String::new();
        for call in answer.iter().flat_map(|answer| &answer.refers_to) {
            let shown = places.get(call.as_str()).and_then(|at| answers.get(*at)?.as_ref());
            if let Some(shown) = shown {
                earlier.push('\n');
                earlier.push_str(&shown.content);
            }
        }
        let seen = answer.as_ref().map_err(Clone::clone);
        each(Played { index, record, answer: seen, earlier, latency })?;
        answers.push(answer.ok());
    }
    Ok(answers)
}

/// The parameters of `toolResult/compress` for a record.
pub(in crate::cli) fn request(session: &Session, record: &Record, policy: &Value) -> Value {
    let mut result = json!({ "toolCallId": record.id, "tool": record.tool, "content": record.output });
    if record.is_unnamed {
        result.as_object_mut().map(|members| members.shift_remove("toolCallId"));
    }
    if let Some(command) = &record.command {
        result["command"] = json!(command);
    }
    if !record.args.is_null() {
        result["arguments"] = record.args.clone();
    }
    if let Some(code) = record.exit_code {
        result["exitCode"] = json!(code);
    }
    if let Some(is_error) = record.is_error {
        result["isError"] = json!(is_error);
    }
    let mut policy = policy.clone();
    let mut query = None;
    if let Some(case) = &record.case {
        if let Some(path) = &case.call.path {
            result["path"] = json!(path);
        }
        query = case.call.query.as_ref();
        if let (Some(all), Some(own)) = (policy.as_object_mut(), case.policy.as_object()) {
            all.extend(own.clone());
        }
    }
    if let (Some(all), Some(own)) =
        (policy.as_object_mut(), record.policy.as_ref().and_then(Value::as_object))
    {
        all.extend(own.clone());
    }
    let mut params = json!({ "result": result, "policy": policy });
    if let Some(query) = query {
        params["query"] = json!(query);
    }
    if let Some(id) = &session.id {
        params["sessionId"] = json!(id);
    }
    params
}
