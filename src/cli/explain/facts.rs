//! Facts about a result as a whole: its sizes, its failures, and what each step did.

use super::words;
use crate::pipeline::evidence::{Evidence, Status, Step};
use crate::pipeline::explain::{Explained, Part};
use crate::text::call::ToolCall;
use crate::text::ledger::Action;
use crate::text::reason::Reason;

/// A label and its value.
#[derive(Debug)]
pub(super) struct Fact {
    pub label: &'static str,
    pub value: String,
    /// Whether it is bad news.
    pub is_bad: bool,
}

/// One step that was tried.
#[derive(Debug)]
pub(super) struct StepRow {
    /// Its number, from 1.
    pub number: usize,
    pub id: String,
    /// Whether it changed the text.
    pub is_applied: bool,
    /// What it did, or why it did nothing.
    pub words: String,
}

/// The call and its outcome, on one line.
pub(super) fn title(call: &ToolCall, evidence: &Evidence) -> String {
    let of = call.command.as_deref().or(call.path.as_deref()).unwrap_or(&call.tool);
    let line = of.lines().next().unwrap_or_default();
    let more = if line.len() < of.len() { " …" } else { "" };
    format!("{line}{more}: {}", outcome(evidence))
}

/// The status in a word that is also true of a result that became longer, or that was only decoded.
fn outcome(evidence: &Evidence) -> &'static str {
    let is_longer =
        evidence.tokens.after > evidence.tokens.before || evidence.bytes.after > evidence.bytes.before;
    match evidence.status {
        Status::Compressed if is_longer => "changed",
        Status::Unchanged if is_decoded(evidence) => "re-encoded",
        status => status.name(),
    }
}

/// Whether only the encoding of a result changed: its text is the same, in another number of bytes.
fn is_decoded(evidence: &Evidence) -> bool {
    evidence.status == Status::Unchanged && evidence.bytes.before != evidence.bytes.after
}

/// The facts about the whole result.
pub(super) fn facts(call: &ToolCall, explained: &Explained, gaps: usize) -> Vec<Fact> {
    let evidence = &explained.outcome.evidence;
    let mut out = Vec::new();
    let mut say = |label, value: String| out.push(Fact { label, value, is_bad: false });
    say("tool", call.tool.clone());
    if let Some(command) = &call.command {
        say("command", command.clone());
    }
    if let Some(path) = call.path.as_ref().filter(|_| call.command.is_none()) {
        say("path", path.clone());
    }
    say("status", status(evidence));
    say("mode", evidence.mode.name().to_owned());
    if let Some(reducer) = &evidence.reducer {
        say("reducer", reads(reducer));
    }
    if let Some(family) = &evidence.family {
        say("family", family.clone());
    }
    let tokens = words::change(evidence.tokens.before, evidence.tokens.after);
    say("tokens", format!("{tokens}, counted by {}", evidence.tokens.counter));
    say("bytes", words::change(evidence.bytes.before, evidence.bytes.after));
    say("lines", words::change(evidence.lines.before, evidence.lines.after));
    say("gaps", left_out(evidence, gaps));
    if let Some(code) = evidence.exit_code {
        say("exit code", code.to_string());
    }
    say("failures", failures(explained));
    let secrets = evidence.redactions.iter().map(|r| format!("{} {}", words::number(r.count), r.rule));
    say("secrets", removed(secrets.collect()));
    if !evidence.removals.is_empty() {
        let removals = evidence.removals.iter().map(|r| format!("{} {}", words::number(r.count), r.class));
        say("clean-up", removed(removals.collect()));
    }
    if evidence.capped {
        say("cap", "cut to the byte cap".to_owned());
    }
    let lost = evidence.guard.kept < evidence.guard.signals && evidence.duplicate_of.is_none();
    for fact in &mut out {
        fact.is_bad = match fact.label {
            "exit code" => fact.value != "0",
            "failures" => lost,
            "status" => evidence.status == Status::FailedOpen,
            _ => false,
        };
    }
    out
}

fn status(evidence: &Evidence) -> String {
    let name = outcome(evidence);
    let bypass = evidence.bypass.map(|r| format!(" ({}). {}", r.code(), r.doc())).unwrap_or_default();
    let why = match evidence.status {
        Status::Unchanged if is_decoded(evidence) => {
            ": only its encoding changed, to UTF-8; no line is left out"
        }
        Status::Unchanged => ": the text is as it came",
        Status::Compressed => "",
        Status::Duplicate => match &evidence.duplicate_of {
            Some(call) => return format!("{name}: the text is that of {call}, to which the output refers"),
            None => "",
        },
        Status::Bypassed if evidence.redactions.is_empty() => ": the text stays exact",
        Status::Bypassed => ": the text stays exact, secrets aside",
        Status::Suppressed => ": the result is binary data",
        Status::FailedOpen => ": an internal error, so the sanitized text is returned",
    };
    format!("{name}{why}{bypass}")
}

fn reads(reducer: &str) -> String {
    match crate::reduce::all().find(|r| r.meta().id == reducer) {
        Some(known) => format!("{reducer}, which reads: {}", known.meta().reads),
        None => reducer.to_owned(),
    }
}

fn left_out(evidence: &Evidence, gaps: usize) -> String {
    let lines: usize = evidence.omissions.iter().map(|o| o.count).sum();
    let inside: usize = evidence.omissions.iter().map(|o| o.bytes).sum();
    let mut hidden = Vec::new();
    if lines > 0 {
        hidden.push(words::count(lines, "line"));
    }
    if inside > 0 {
        hidden.push(format!("{} inside lines", words::count(inside, "byte")));
    }
    match gaps {
        0 if evidence.status == Status::Suppressed => "the whole result: binary data is not shown".to_owned(),
        0 => "none".to_owned(),
        // The evidence lists no gaps if the whole result became a reference.
        _ if evidence.duplicate_of.is_some() => "the whole result, which an earlier one shows".to_owned(),
        _ => format!("{}: {} not shown", words::count(gaps, "gap"), words::list(&hidden)),
    }
}

fn failures(explained: &Explained) -> String {
    let guard = &explained.outcome.evidence.guard;
    if guard.signals == 0 {
        return "no line was taken for a failure report".to_owned();
    }
    let restored: Vec<String> = explained
        .parts
        .iter()
        .flat_map(|part| part.restored.iter().map(|(line, _)| (part.lines_before + line + 1).to_string()))
        .collect();
    let restored = match restored.len() {
        0 => String::new(),
        _ => format!("; the guard brought back what a step had hidden: line {}", restored.join(", ")),
    };
    let can = if explained.outcome.evidence.duplicate_of.is_some() { "could" } else { "can" };
    let report = if guard.signals == 1 { "line reports" } else { "lines report" };
    format!(
        "{} {report} a failure, {} {can} be seen in the output{restored}",
        words::number(guard.signals),
        words::number(guard.kept),
    )
}

fn removed(items: Vec<String>) -> String {
    if items.is_empty() { "none removed".to_owned() } else { format!("removed {}", words::list(&items)) }
}

/// The steps of the evidence, and their effects that remain in the output.
pub(super) fn steps(explained: &Explained) -> Vec<StepRow> {
    let steps = &explained.outcome.evidence.steps;
    let row = |(at, step): (usize, &Step)| {
        let is_applied = step.reason == Reason::Applied;
        let of_part = |part: &Part| part.steps.contains(&at);
        let part = explained.parts.iter().position(of_part).filter(|_| explained.parts.len() > 1);
        let part = part.map_or_else(String::new, |part| format!("part {}: ", part + 1));
        let words = match is_applied {
            true => format!(
                "{part}{} bytes: {}",
                words::change(step.bytes_before, step.bytes_after),
                effects(explained, at)
            ),
            false => format!("{part}nothing done ({}). {}", step.reason.code(), step.reason.doc()),
        };
        StepRow { number: at + 1, id: step.id.clone(), is_applied, words }
    };
    steps.iter().enumerate().map(row).collect()
}

/// The effects of a step that remain in the output.
fn effects(explained: &Explained, at: usize) -> String {
    // Sums by reason and action, in order of first appearance.
    let mut sums: Vec<(&str, &str, usize)> = Vec::new();
    let mut add = |reason, verb, count| match sums.iter_mut().find(|(r, v, _)| (*r, *v) == (reason, verb)) {
        Some((.., sum)) => *sum += count,
        None => sums.push((reason, verb, count)),
    };
    let mut out = Vec::new();
    for part in &explained.parts {
        for span in &part.spans {
            let Some((_, lines)) = span.steps.iter().find(|(step, _)| *step == at) else { continue };
            let is_last = span.steps.last().is_some_and(|(step, _)| *step == at);
            match &span.action {
                Action::Omit { reason, .. } => add(reason.code(), "left out", *lines),
                Action::Repeat { period } => add(Reason::RepeatedLines.code(), "left out", lines - period),
                Action::Refer { is_outline: true, .. } => {
                    add(Reason::SameOutline.code(), "referred to the outline of", *lines)
                }
                Action::Refer { .. } => add(Reason::ShownBefore.code(), "referred to", *lines),
                Action::Replace { reason, .. } => {
                    let cuts = span.cut_by.contains(&at);
                    let verb = if cuts { "cut inside" } else { "wrote anew" };
                    match is_last || cuts && span.cut_by.last() == Some(&at) {
                        // The reason of these lines belongs to the step that cut parts out of them.
                        true if !cuts && !span.cut_by.is_empty() => {
                            add("what an earlier step wrote", verb, *lines)
                        }
                        true => add(reason.code(), verb, *lines),
                        false => add("changed further below", verb, *lines),
                    }
                }
                Action::Keep => {}
            }
        }
    }
    out.extend(
        sums.iter().map(|(reason, verb, n)| format!("{verb} {} ({reason})", words::count(*n, "line"))),
    );
    if explained.parts.iter().any(|part| part.trimmed_by.contains(&at)) {
        out.push("took white space at the ends of lines or before their numbers".to_owned());
    }
    let restored = explained.parts.iter().flat_map(|p| &p.restored).filter(|(_, step)| *step == at).count();
    if restored > 0 {
        let lines = words::count(restored, "failure line");
        out.push(format!("hid {lines} that the guard brought back"));
    }
    let more = explained.parts.iter().flat_map(|p| &p.restored_more).filter(|(_, step)| *step == at).count();
    if more > 0 {
        let lines = words::count(more, "line");
        out.push(format!("hid {lines} below a failure or at the end that the guard brought back"));
    }
    let is_anew = |part: &Part| (part.is_rewritten || part.lead > 0) && part.rewritten_by == Some(at);
    if explained.parts.iter().any(|part| part.lead > 0 && is_anew(part)) {
        out.push("put a pointer to the original before it".to_owned());
    } else if explained.parts.iter().any(is_anew) {
        out.push("wrote the output as a whole in another form".to_owned());
    }
    match out.is_empty() {
        true => "no effect remains: a later step, the size check or a reference replaced it".to_owned(),
        false => words::list(&out),
    }
}

/// The names of the steps that caused something.
pub(super) fn by(explained: &Explained, steps: impl Iterator<Item = usize>) -> String {
    let steps: Vec<String> = steps
        .filter_map(|at| Some((at, explained.outcome.evidence.steps.get(at)?)))
        .map(|(at, step)| format!("step {} ({})", at + 1, step.id))
        .collect();
    if steps.is_empty() { "the memory of the session".to_owned() } else { words::list(&steps) }
}
