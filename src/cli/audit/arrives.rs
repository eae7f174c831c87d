//! What of the savings arrives in the host that a session is from: the session is played once more with those results alone
//! that the host hands over, as it hands them over. So no result refers to one that tersed would never have had.

use serde_json::Value;

use super::fate::Fate;
use crate::cli::replay::child::{Answer, Child};
use crate::cli::replay::play::play;
use crate::cli::replay::record::{Record, Session, Told};
use crate::host::claude_code::view;
use crate::host::reach::Reach;
use crate::host::replace::View;
use crate::tokens::{Tokenizer, counter};

/// Tokens saved of each result, in the order of the fates.
pub(super) fn saved(
    child: &mut Child,
    policy: &Value,
    id: String,
    reach: &Reach,
    records: &[Record],
    fates: &[Fate],
) -> Result<Vec<u64>, String> {
    let mut places = Vec::new();
    let mut given: Vec<Record> = Vec::new();
    let mut forgotten = Vec::new();
    for (place, (record, fate)) in records.iter().zip(fates).enumerate() {
        forgotten.extend(record.forgotten.iter().cloned());
        let Some(output) = output(record, fate) else { continue };
        given.push(Record {
            id: record.id.clone(),
            tool: record.tool.clone(),
            command: record.command.clone(),
            args: record.args.clone(),
            output,
            exit_code: record.exit_code,
            is_error: record.is_error,
            forgotten: std::mem::take(&mut forgotten),
            policy: matches!(fate, Fate::Seen(_)).then(|| View::Outlined.policy()),
            is_unnamed: !reach.names_calls,
            ..Record::default()
        });
        places.push(place);
    }
    let mut saved = vec![0; records.len()];
    if given.is_empty() {
        return Ok(saved);
    }
    let session = Session { id: Some(id.clone()), records: given, needs: Vec::new(), told: Told::default() };
    let answers = play(&session, policy, child, |_| Ok(()))?;
    child.close(&id)?;
    for (place, answer) in places.into_iter().zip(answers) {
        if let (Some(answer), Some(fate), Some(sum)) = (answer, fates.get(place), saved.get_mut(place)) {
            *sum = of_answer(&answer, fate);
        }
    }
    Ok(saved)
}

/// What tersed is given of a result; `None` if nothing.
fn output(record: &Record, fate: &Fate) -> Option<String> {
    match fate {
        Fate::Replaced => Some(record.output.clone()),
        Fate::Seen(seen) => Some(view::numbered(&seen.content, seen.start)),
        Fate::Noted => Some(String::new()),
        Fate::Stays(_) => None,
    }
}

/// Tokens saved of a result.
fn of_answer(answer: &Answer, fate: &Fate) -> u64 {
    match fate {
        Fate::Replaced => {
            let of = |name: &str| answer.evidence.pointer(name).and_then(Value::as_u64).unwrap_or(0);
            of("/tokens/before").saturating_sub(of("/tokens/after"))
        }
        Fate::Seen(seen) => {
            let Some(shown) = view::shortened(&seen.content, seen.start, &seen.path, &answer.content) else {
                return 0;
            };
            let count = |text: &str| counter(Tokenizer::O200k).count(text) as u64;
            count(&view::numbered(&seen.content, seen.start)).saturating_sub(count(&shown))
        }
        Fate::Noted | Fate::Stays(_) => 0,
    }
}
