//! What the agent would not have seen: names that it used later, and failure lines.

use std::collections::HashMap;

use serde_json::Value;

use super::history::{Reference, cut};
use super::report::{Figures, Hidden, Report};
use super::shown::{line, shown};
use crate::cli::replay::child::Answer;
use crate::cli::replay::measure::{failure_lines, fold, line_survives, survives};
use crate::cli::replay::play::Played;
use crate::cli::replay::record::Session;
use crate::sanitize::redact_only;

/// Most entries of each list in a report.
pub(super) const MAX_LISTED: usize = 1000;

/// Names that the agent used, and whether it would have seen them.
pub(super) fn references(
    report: &mut Report,
    number: usize,
    session: &Session,
    answers: &[Option<Answer>],
    references: &[Reference],
    rows: &mut [Figures],
) {
    let places: HashMap<&str, usize> =
        session.records.iter().enumerate().map(|(i, record)| (record.id.as_str(), i)).collect();
    for reference in references {
        let Reference { text, kind, owners, used_by } = reference;
        let at =
            |owner: &u32| session.records.get(*owner as usize).filter(|r| survives(text, kind, &r.output));
        let Some((owner, record)) = owners.iter().rev().find_map(|owner| Some((*owner as usize, at(owner)?)))
        else {
            continue;
        };
        let Some(row) = rows.get_mut(owner).filter(|row| row.results > 0) else { continue };
        let shows = |owner: &u32| {
            let Some(Some(answer)) = answers.get(*owner as usize) else { return false };
            let earlier =
                answer.refers_to.iter().filter_map(|call| answers.get(*places.get(call.as_str())?)?.as_ref());
            std::iter::once(answer).chain(earlier).any(|answer| survives(text, kind, &answer.content))
        };
        row.references += 1;
        if owners.iter().any(shows) {
            row.references_visible += 1;
            continue;
        }
        // Redacted text is not a loss, and must not be shown.
        let redacted = redact_only(&record.output).map(|(text, _)| text).unwrap_or_default();
        if !survives(text, kind, &redacted) {
            row.references -= 1;
            continue;
        }
        if report.hidden.len() < MAX_LISTED {
            let evidence = answers.get(owner).and_then(Option::as_ref).map(|answer| &answer.evidence);
            report.hidden.push(Hidden {
                session: number,
                call: shown(&record.id),
                tool: shown(record.tool.as_deref().unwrap_or_default()),
                text: line(text),
                kind: kind.to_string(),
                place: evidence.and_then(|evidence| place_of(text, &record.output, evidence)),
                used_by: used_by.as_deref().map(shown),
            });
        }
    }
}

/// Counts failure lines and those that would be shown, and lists the others. A line with a secret is compared without it.
pub(super) fn failures(
    report: &mut Report,
    session: usize,
    played: &Played<'_>,
    answer: &Answer,
) -> (usize, usize) {
    let record = played.record;
    let mut all = failure_lines(&record.output, &record.kind);
    if all.is_empty() {
        return (0, 0);
    }
    let folded = fold(&format!("{}{}", answer.content, played.earlier));
    if all.iter().any(|failure| !line_survives(failure, &folded)) {
        all = redact_only(&record.output)
            .map(|(text, _)| failure_lines(&text, &record.kind))
            .unwrap_or_default();
    }
    let hidden: Vec<&String> = all.iter().filter(|failure| !line_survives(failure, &folded)).collect();
    for failure in &hidden {
        if report.failures_hidden.len() < MAX_LISTED {
            report.failures_hidden.push(Hidden {
                session,
                call: shown(&record.id),
                tool: shown(record.tool.as_deref().unwrap_or_default()),
                text: shown(failure),
                kind: "failure".to_owned(),
                place: place_of(cut(failure, 40), &record.output, &answer.evidence),
                used_by: None,
            });
        }
    }
    (all.len(), all.len() - hidden.len())
}

/// The gap that holds the first line with a text, as `lines 8-14, passing_tests`.
fn place_of(text: &str, output: &str, evidence: &Value) -> Option<String> {
    let at = output.find(text)?;
    let line = output.as_bytes().get(..at)?.iter().filter(|b| **b == b'\n').count() as u64 + 1;
    let omissions = evidence["omissions"].as_array()?;
    let gap = omissions.iter().find(|gap| {
        let bound = |i: usize| gap["lines"][i].as_u64().unwrap_or(0);
        (bound(0)..=bound(1)).contains(&line)
    })?;
    let (first, last) = (&gap["lines"][0], &gap["lines"][1]);
    let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    Some(format!("{lines}, {}", gap["reason"].as_str().unwrap_or_default()))
}
