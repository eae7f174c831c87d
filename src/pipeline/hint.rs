//! Adds a line that explains how to read the original of a text with gaps, if the operator wants it and no marker
//! does so already. The line is not added if it costs more than the compression saves, or does not fit.

use super::Outcome;
use super::evidence::{Evidence, Status, Step};
use crate::config::{Policy, RecoveryFacts};
use crate::sanitize::Sanitized;
use crate::text::call::ToolCall;
use crate::text::marker;
use crate::text::marker::{Marker, RetrievalMethod};
use crate::text::reason::Reason;
use crate::text::source::count_lines;
use crate::tokens::TokenCounter;

/// Name of the step in the evidence.
pub const STEP: &str = "recovery_hint";

/// The facts that decide whether an original of this size, in bytes, is kept on disk.
pub fn facts(call: &ToolCall, evidence: &Evidence, original: usize) -> RecoveryFacts {
    let is_fault = |step: &Step| matches!(step.reason, Reason::ReducerPanicked | Reason::InvalidReduction);
    RecoveryFacts {
        has_failed: call.succeeded().map_or(evidence.guard.signals > 0, |succeeded| !succeeded),
        is_broken: evidence.status == Status::FailedOpen || evidence.steps.iter().any(is_fault),
        original,
        saved: evidence.bytes.before.saturating_sub(evidence.bytes.after),
    }
}

/// Whether a path can be in a marker and in a command line as it is.
pub fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-:\\".contains(&b))
}

/// Adds the line to the last text that has a gap of its own, and returns whether it did. `handle` identifies the
/// original, `limit` is the most tokens that the result may take.
pub(super) fn add(
    outcome: &mut Outcome,
    call: &ToolCall,
    policy: &Policy,
    sources: (&[Sanitized], &[usize]),
    limit: Option<usize>,
    counter: &dyn TokenCounter,
) -> bool {
    let Some((part, line)) = line(outcome, call, policy) else { return false };
    let (sanitized, source_tokens) = sources;
    let Some((source, most)) = sanitized.get(part).zip(source_tokens.get(part)) else { return false };
    let old = &outcome.texts[part];
    let mut text = old.clone();
    marker::unseal(&mut text, &policy.seal_key);
    let is_closed = text.ends_with('\n');
    if !is_closed {
        text.push('\n');
    }
    text.push_str(&line);
    if is_closed {
        text.push('\n');
    }
    marker::seal(&mut text, &policy.seal_key);
    let tokens = counter.count(&text);
    let after = outcome.evidence.tokens.after + tokens - counter.count(old);
    let grown = text.len() - old.len();
    let bytes = outcome.evidence.bytes.after + grown;
    let pays = text.len() <= source.text.len() && tokens < *most;
    let fits =
        limit.is_none_or(|limit| after <= limit) && (!policy.strict_cap || bytes <= policy.max_output_bytes);
    // The cost of the line reduces the savings.
    let original = outcome.retain.as_ref().map_or(0, |retain| retain.bytes.len());
    let mut kept = facts(call, &outcome.evidence, original);
    kept.saved = kept.saved.saturating_sub(grown);
    let is_kept = policy.hint.as_ref().is_some_and(|hint| hint.recovery.wants(&kept));
    if !(pays && fits && is_kept) {
        return false;
    }
    let evidence = &mut outcome.evidence;
    evidence.lines.after += count_lines(&text) - count_lines(old);
    evidence.tokens.after = after;
    evidence.summarize_suggested |= after > policy.summarize_above;
    evidence.steps.push(Step {
        id: STEP.to_owned(),
        reason: Reason::Applied,
        bytes_before: evidence.bytes.after,
        bytes_after: bytes,
    });
    evidence.bytes.after = bytes;
    outcome.texts[part] = text;
    true
}

/// The line, and the part to which it is added.
fn line(outcome: &Outcome, call: &ToolCall, policy: &Policy) -> Option<(usize, String)> {
    let hint = policy.hint.as_ref()?;
    let retain = outcome.retain.as_ref().filter(|retain| retain.mime.is_none())?;
    let evidence = &outcome.evidence;
    let is_whole = evidence.status != Status::Compressed
        || evidence.externalized.is_some()
        || evidence.dictionary_method.is_some();
    // Checked first, because it needs no hash.
    if is_whole || !hint.recovery.wants(&facts(call, evidence, retain.bytes.len())) {
        return None;
    }
    let gap = evidence.omissions.iter().rev().find(|gap| gap.shown_by.is_none())?;
    let text = outcome.texts.get(gap.part)?;
    let mut has_line = false;
    for line in text.lines().filter(|line| line.starts_with('[')) {
        let Some((marker, len)) = Marker::parse(line) else { continue };
        if let Marker::Lines { id: Some(_), .. } | Marker::Bytes { id: Some(_), .. } = marker {
            return None;
        }
        has_line |= len == line.len();
    }
    // If the gaps are not whole lines, the text is a document of some format; another line would make it
    // invalid.
    if !has_line {
        return None;
    }
    let by = match (policy.expand_tool, &hint.command) {
        (true, _) => RetrievalMethod::Id,
        (false, Some(folder)) => RetrievalMethod::Command { folder: folder.clone() },
        (false, None) => return None,
    };
    let lines = count_lines(std::str::from_utf8(&retain.bytes).ok()?);
    let handle = retain.hash(super::HANDLE_DIGITS);
    Some((gap.part, Marker::Original { lines, handle, by }.write()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::config::{Budget, Hint, Mode, Recovery, RecoveryMode};
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::tokens;

    fn policy(command: Option<Option<String>>, per_result: Option<usize>) -> Policy {
        let recovery = Recovery {
            mode: RecoveryMode::Always,
            min_original_bytes: 0,
            min_saved_bytes: 0,
            ..Recovery::default()
        };
        Policy {
            min_bytes: 0,
            head_tail_bytes: Some(600),
            budget: Budget { per_result, ..Budget::NONE },
            hint: Some(Arc::new(Hint { recovery, command })),
            ..Policy::default()
        }
    }

    fn run(text: &str, policy: &Policy) -> Outcome {
        compress(&ToolCall::default(), &[Raw::Text(text)], policy, false, &NoHistory).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_hint_pays_fits_and_stays(
            lines in proptest::collection::vec((0usize..5, "[a-z]{1,9}", 0u32..999), 1..120),
            per_result in proptest::option::of(40usize..900),
            folder in proptest::option::of("/[a-z]{1,9}"),
            is_closed in any::<bool>(),
        ) {
            const HEADS: [&str; 5] = ["reads the part", "error: no such part as", "", "{\"a\":1}", "  at the place"];
            let mut text: String = lines.iter().map(|(i, word, n)| format!("{} {word} {n}\n", HEADS[*i])).collect();
            if !is_closed {
                text.pop();
            }
            let with = policy(Some(folder), per_result);
            let outcome = run(&text, &with);
            let out = outcome.texts.concat();
            let counter = tokens::counter(with.tokenizer);
            prop_assert!(out.len() <= text.len() && counter.count(&out) <= counter.count(&text));
            prop_assert_eq!(outcome.evidence.tokens.after, counter.count(&out));
            prop_assert_eq!(outcome.evidence.bytes.after, out.len());
            prop_assert_eq!(outcome.evidence.lines.after, count_lines(&out));
            prop_assert_eq!(&run(&out, &with).texts.concat(), &out);
            let plain = run(&text, &Policy { hint: None, ..with.clone() });
            if outcome.decision.hinted {
                let (rest, last) = out.trim_end_matches('\n').rsplit_once('\n').unwrap();
                let (marker, len) = Marker::parse(last).unwrap();
                prop_assert_eq!(len, last.len());
                let is_hint = matches!(marker, Marker::Original { lines, .. } if lines == count_lines(&text));
                prop_assert!(is_hint);
                prop_assert_eq!(out.ends_with('\n'), plain.texts[0].ends_with('\n'));
                // Apart from the seal and the added line, the output is the same as without a hint.
                let [rest, plain_text] = [rest, plain.texts[0].as_str()].map(|text| {
                    let mut text = text.trim_end().to_owned();
                    marker::seal(&mut text, &with.seal_key);
                    text
                });
                prop_assert_eq!(rest, plain_text);
                let is_met = |outcome: &Outcome| outcome.evidence.budget.as_ref().is_none_or(|b| b.met);
                prop_assert!(is_met(&outcome) || !is_met(&plain));
            } else {
                prop_assert_eq!(&out, &plain.texts.concat());
            }
        }
    }

    #[test]
    fn what_is_no_text_with_gaps_has_no_hint() {
        let here = policy(Some(None), None);
        let report: String = (0..90).map(|i| format!("part {i} was read as it should be\n")).collect();
        assert!(run(&report, &here).texts[0].ends_with("]\n") && run(&report, &here).decision.hinted);
        let array: Vec<String> = (0..300).map(|i| format!("{{\"id\":{i},\"name\":\"part {i}\"}}")).collect();
        let json = format!("[{}]", array.join(","));
        let aggressive = Policy { mode: Mode::Aggressive, ..here.clone() };
        let out = run(&json, &aggressive);
        assert!(out.evidence.tokens.after < out.evidence.tokens.before && !out.decision.hinted);
        for policy in [policy(None, None), Policy { hint: None, ..here.clone() }] {
            assert!(!run(&report, &policy).decision.hinted);
        }
        assert!(!run("short\n", &here).decision.hinted);
        let with_tool = Policy { expand_tool: true, ..here };
        let out = run(&report, &with_tool);
        assert!(out.texts[0].contains(", id ") && !out.decision.hinted);
    }
}
