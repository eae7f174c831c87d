//! Builds the content of a request from the kept parts of a stream, and joins the answer again. For a stream that was too
//! long, start, failures and end are compressed separately; one marker reports the dropped text.

use serde_json::json;
use serde_json::value::RawValue;

use super::buffer::{DroppedLines, KeptText, Parts};
use super::table::Stream;
use crate::pipeline::evidence::{Evidence, Omission, Status, Step};
use crate::protocol::RpcError;
use crate::protocol::error::INTERNAL_ERROR;
use crate::protocol::skim::Json;
use crate::protocol::stream::StreamName;
use crate::protocol::tool_result::Compressed;
use crate::sanitize::secrets;
use crate::text::marker;
use crate::text::marker::{Marker, SealKey};
use crate::text::reason::Reason;
use crate::text::source::count_lines;
use crate::tokens::{self, Tokenizer};

/// The kept text under each stream name.
pub(super) fn kept(stream: &Stream) -> Vec<(StreamName, KeptText)> {
    let mut all: Vec<_> = stream.buffers.iter().map(|(name, buffer)| (*name, buffer.kept())).collect();
    if let Some((name, _)) = stream.half {
        match all.iter_mut().find(|(n, _)| *n == name) {
            Some((_, KeptText::Whole(text))) => text.push('\u{fffd}'),
            Some((_, KeptText::Parts(parts))) => parts.tail.push('\u{fffd}'),
            None => all.push((name, KeptText::Whole("\u{fffd}".to_owned()))),
        }
    }
    all
}

/// The kept parts without ends that may be the start of a secret.
pub(super) fn finished(stream: &Stream) -> Vec<(StreamName, KeptText)> {
    let mut all = kept(stream);
    for (_, kept) in &mut all {
        let end = match kept {
            KeptText::Whole(text) => text,
            KeptText::Parts(parts) => &mut parts.tail,
        };
        if let Some(open) = secrets::open_to_look_at(end.as_bytes()) {
            end.truncate(open);
        }
    }
    all
}

/// Whether the content is one string, because no stream name was given.
fn is_string(kept: &[(StreamName, KeptText)]) -> bool {
    matches!(kept, [] | [(StreamName::None, _)])
}

/// The JSON text of the content.
pub(super) fn content(kept: &[(StreamName, KeptText)]) -> String {
    if let [(StreamName::None, KeptText::Whole(text))] = kept {
        return json!(text).to_string();
    }
    if kept.is_empty() {
        return "\"\"".to_owned();
    }
    let mut blocks = Vec::new();
    let mut text = |text: &str| blocks.push(block(text));
    for (_, kept) in kept {
        match kept {
            KeptText::Whole(all) => text(all),
            KeptText::Parts(parts) => {
                [&parts.head, &parts.middle, &parts.tail].into_iter().for_each(|t| text(t))
            }
        }
    }
    format!("[{}]", blocks.join(","))
}

fn block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", json!(text))
}

/// Joins the answer for each stream.
pub(super) fn joined(
    mut compressed: Compressed,
    kept: &[(StreamName, KeptText)],
    tokenizer: Tokenizer,
    key: &SealKey,
) -> Result<Compressed, RpcError> {
    if kept.iter().all(|(_, kept)| matches!(kept, KeptText::Whole(_))) {
        return Ok(compressed);
    }
    let texts: Vec<String> = Json::of(&compressed.content)
        .items()
        .filter_map(|block| block.get("text")?.string().map(|text| text.into_owned()))
        .collect();
    let mut texts = texts.into_iter();
    let mut next = || texts.next().unwrap_or_default();
    let mut whole = Vec::with_capacity(kept.len());
    let mut part = 0;
    for (_, kept) in kept {
        match kept {
            KeptText::Whole(_) => {
                whole.push(next());
                part += 1;
            }
            KeptText::Parts(parts) => {
                whole.push(put_together([next(), next(), next()], parts, key));
                if let Some(evidence) = &mut compressed.evidence {
                    note(evidence, parts, part + 1);
                }
                part += 3;
            }
        }
    }
    if let Some(evidence) = &mut compressed.evidence {
        let counter = tokens::counter(tokenizer);
        evidence.tokens.after = whole.iter().map(|text| counter.count(text)).sum();
        evidence.bytes.after = whole.iter().map(String::len).sum();
        evidence.lines.after = whole.iter().map(|text| count_lines(text)).sum();
    }
    let content = match (is_string(kept), &whole[..]) {
        (true, [text]) => json!(text).to_string(),
        _ => format!("[{}]", whole.iter().map(|text| block(text)).collect::<Vec<_>>().join(",")),
    };
    compressed.content = RawValue::from_string(content).map_err(|e| {
        RpcError::new(INTERNAL_ERROR, "internal", format!("the content cannot be written: {e}"))
    })?;
    Ok(compressed)
}

/// Joins start, marker, failures and end into one text, with one seal over all of it.
fn put_together(texts: [String; 3], parts: &Parts, key: &SealKey) -> String {
    let DroppedLines { lines, bytes, .. } = parts.dropped;
    let of = lines + count_lines(&parts.middle);
    let marker = Marker::NotKept { lines, of, bytes, reason: Reason::OverInputLimit.code().to_owned() };
    let [head, middle, tail] = texts.map(|mut text| {
        marker::unseal(&mut text, key);
        text
    });
    let mut out = String::new();
    for text in [head, marker.write(), middle, tail] {
        if !out.is_empty() && !out.ends_with('\n') && !text.is_empty() {
            out.push('\n');
        }
        out.push_str(&text);
    }
    marker::seal(&mut out, key);
    out
}

/// Adds the dropped text to the evidence. It has no line numbers, because those refer to the failures in its place.
fn note(evidence: &mut Evidence, parts: &Parts, part: usize) {
    let DroppedLines { lines, bytes, failures } = parts.dropped;
    let first = count_lines(&parts.head) + 1;
    let last = first + count_lines(&parts.middle).saturating_sub(1);
    let kept = parts.head.len() + parts.middle.len() + parts.tail.len();
    let reason = Reason::OverInputLimit;
    evidence.omissions.push(Omission {
        lines: [first, last],
        reason,
        count: lines,
        bytes,
        part,
        shown_by: None,
    });
    evidence.steps.push(Step {
        id: "stream".to_owned(),
        reason,
        bytes_before: kept + bytes,
        bytes_after: kept,
    });
    evidence.bytes.before += bytes;
    evidence.lines.before += lines;
    evidence.guard.signals += failures;
    if evidence.status == Status::Unchanged {
        evidence.status = Status::Compressed;
    }
}
