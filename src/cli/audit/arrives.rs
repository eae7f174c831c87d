//! Measures how much of the savings the host of a session can use: the session is played again with only the results
//! that the host hands over, in the form in which it hands them over. So no result refers to one that tersed would
//! never have received.

use serde_json::Value;

use super::host_action::HostAction;
use crate::cli::replay::child::{Answer, Child};
use crate::cli::replay::play::play;
use crate::cli::replay::record::{Record, Session, Transcript};
use crate::host::claude_code::view;
use crate::host::reach::HostSupport;
use crate::host::replace::View;
use crate::tokens::{Tokenizer, counter};

/// Tokens saved of each result, in the order of the actions.
pub(super) fn saved(
    child: &mut Child,
    policy: &Value,
    id: String,
    reach: &HostSupport,
    records: &[Record],
    actions: &[HostAction],
) -> Result<Vec<u64>, String> {
    let mut places = Vec::new();
    let mut given: Vec<Record> = Vec::new();
    let mut forgotten = Vec::new();
    for (place, (record, action)) in records.iter().zip(actions).enumerate() {
        forgotten.extend(record.forgotten.iter().cloned());
        let Some(output) = output(record, action) else { continue };
        given.push(Record {
            id: record.id.clone(),
            tool: record.tool.clone(),
            command: record.command.clone(),
            args: record.args.clone(),
            output,
            exit_code: record.exit_code,
            is_error: record.is_error,
            forgotten: std::mem::take(&mut forgotten),
            policy: matches!(action, HostAction::Seen(_)).then(|| View::Outlined.policy()),
            is_unnamed: !reach.names_calls,
            ..Record::default()
        });
        places.push(place);
    }
    let mut saved = vec![0; records.len()];
    if given.is_empty() {
        return Ok(saved);
    }
    let session = Session {
        id: Some(id.clone()),
        records: given,
        needs: Vec::new(),
        transcript: Transcript::default(),
    };
    let answers = play(&session, policy, child, |_| Ok(()))?;
    child.close(&id)?;
    for (place, answer) in places.into_iter().zip(answers) {
        if let (Some(answer), Some(action), Some(sum)) = (answer, actions.get(place), saved.get_mut(place)) {
            *sum = of_answer(&answer, action);
        }
    }
    Ok(saved)
}

/// What tersed is given of a result; `None` if nothing.
fn output(record: &Record, action: &HostAction) -> Option<String> {
    match action {
        HostAction::Replaced => Some(record.output.clone()),
        HostAction::Seen(seen) => Some(view::numbered(&seen.content, seen.start)),
        HostAction::Noted => Some(String::new()),
        HostAction::Unchanged(_) => None,
    }
}

/// Tokens saved of a result.
fn of_answer(answer: &Answer, action: &HostAction) -> u64 {
    match action {
        HostAction::Replaced => {
            let of = |name: &str| answer.evidence.pointer(name).and_then(Value::as_u64).unwrap_or(0);
            of("/tokens/before").saturating_sub(of("/tokens/after"))
        }
        HostAction::Seen(seen) => {
            let Some(shown) = view::shortened(&seen.content, seen.start, &seen.path, &answer.content) else {
                return 0;
            };
            let count = |text: &str| counter(Tokenizer::O200k).count(text) as u64;
            count(&view::numbered(&seen.content, seen.start)).saturating_sub(count(&shown))
        }
        HostAction::Noted | HostAction::Unchanged(_) => 0,
    }
}
