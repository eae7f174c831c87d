//! Reports of linters in JSON: eslint, stylelint, rubocop, ruff, pylint, pyright, golangci-lint, biome, bandit,
//! semgrep, shellcheck, hadolint, mypy and SARIF.
//!
//! A caller that asks for JSON may parse it. So `standard` keeps the document valid: only the source of a linted file
//! and lists that every file repeats are left out, and a string with a marker replaces them. After a failed run
//! nothing is left out, since the exit status would have to be written after the document. `aggressive` writes
//! findings of one rule together, as it does for text, and the output is no longer JSON. Errors are always kept
//! unchanged.

mod document;
mod tools;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::value::RawValue;

use self::document::{Finding, Report, read};
use super::group::{Block, Layout, Plan, Unlisted};
use crate::detect::Shape;
use crate::encode::minified;
use crate::input::{Claim, Input};
use crate::reduce::cut::Cut;
use crate::reduce::lines::reads_as_report;
use crate::reduce::{Meta, Reducer};
use crate::text::ledger::{Action, Reduction};
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct JsonReport;

static META: Meta = Meta {
    id: "lint_json",
    family: "build",
    reads: "JSON of eslint, stylelint, rubocop, ruff, pylint, pyright, golangci-lint, biome, bandit, semgrep, shellcheck, \
            hadolint and mypy, and SARIF",
    keeps: "errors whole, every place with its rule, severity and message, totals; in `standard` a document stays one",
    omits: "the source of a linted file but for lines that read like failures, lists that every file repeats; in `aggressive` \
            findings of one rule that are no errors and have no member or value of their own, without the members that a line \
            names, and files without findings",
    anchors: &[
        "\"ruleId\":",
        "\"message-id\":",
        "\"messageId\":",
        "\"generalDiagnostics\":",
        "\"FromLinter\":",
        "\"noqa_row\":",
        "\"invalidOptionWarnings\":",
        "\"cop_name\":",
        "\"test_id\":",
        "\"check_id\":",
        "\"category\":",
        "\"level\":",
        "\"hint\":",
    ],
};

impl Reducer for JsonReport {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let detection = input.detection;
        // A report that is read from a file is not changed, because the agent may edit it.
        let is_file = detection.shape == Shape::File && !detection.is_written;
        let is_whole = reads_as_report(input) || is_file && input.policy.rewrites_documents();
        if is_whole && !detection.is_view() && read(input.source).is_some() {
            Claim::Content
        } else {
            Claim::No
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let report = read(source).ok_or(Reason::NotRecognized)?;
        let is_aggressive = input.policy.rewrites_documents();
        let out = match report.lines.len() {
            // The exit status would have to be written after the document.
            _ if !is_aggressive && input.call.exit_code.is_some_and(|code| code != 0) => Reduction::default(),
            1 if !report.is_series => one_line(source, &report, is_aggressive),
            _ if is_aggressive => return many_lines(source, &report),
            _ => Reduction::default(),
        };
        out.unless_empty()
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        read(input.source).map_or(0..input.source.len(), |report| report.lines)
    }
}

/// The findings that may be written together, with their lines.
fn blocks<'r>(report: &'r Report, lines: impl Fn(usize) -> Option<Range<usize>>) -> Vec<Block<'r>> {
    let findings = report.findings.iter().enumerate();
    let own = findings.filter(|(_, f)| !f.is_error && !f.path.is_empty() && !f.place.is_empty());
    own.filter_map(|(i, f)| {
        let place = Cow::Borrowed(f.place.as_str());
        let message = Cow::Borrowed(f.message.as_str());
        Some(Block { lines: lines(i)?, path: &f.path, place, message, layout: Layout::ByRule })
    })
    .collect()
}

/// A document whose findings have lines of their own: each finding that is kept is written on one line.
fn many_lines(source: &Source<'_>, report: &Report) -> Result<Reduction, Reason> {
    let mut lines = Vec::with_capacity(report.findings.len());
    for finding in &report.findings {
        let bytes = &finding.bytes;
        let own = source.line_at(bytes.start)..source.line_at(bytes.end - 1) + 1;
        let text = source.slice(own.clone()).trim();
        if text.strip_suffix(',').unwrap_or(text).trim_end().len() != bytes.len() {
            return Err(Reason::NothingToDo);
        }
        lines.push(own);
    }
    let (mut below, mut gone) = (String::new(), vec![false; lines.len()]);
    group(source, report, &mut below, &mut gone);
    if below.is_empty() {
        return Err(Reason::NothingToDo);
    }
    let words = source.failure_words();
    let mut out = Reduction::default();
    for ((lines, finding), gone) in lines.into_iter().zip(&report.findings).zip(gone) {
        let comma = source.slice(lines.clone()).trim_end().ends_with(',');
        match gone {
            true if below.is_empty() => out.omit_in(lines, Reason::SharedMessage, 1),
            true => {
                let (first, rest) = (lines.start..lines.start + 1, lines.start + 1..lines.end);
                out.replace(first, std::mem::take(&mut below), Reason::SharedMessage);
                out.omit_in(rest, Reason::SharedMessage, 1);
            }
            false if lines.len() > 1 => {
                let Some(mut text) = minified(source.text(), finding.bytes.start, words) else { continue };
                text.push_str(if comma { "," } else { "" });
                out.replace(lines, text, Reason::JsonWhitespace);
            }
            false => {}
        }
    }
    Ok(out)
}

/// A document in one line.
fn one_line(source: &Source<'_>, report: &Report, is_aggressive: bool) -> Reduction {
    let mut out = Reduction::default();
    let i = report.lines.start;
    let (line, start) = (source.line(i), source.byte_range(i..i + 1).start);
    let mut cut = Cut::new(line);
    let (mut below, mut gone) = (String::new(), vec![false; report.findings.len()]);
    if is_aggressive {
        group(source, report, &mut below, &mut gone);
    }
    let mut seen: Vec<&str> = Vec::new();
    let here = |bytes: &Range<usize>| bytes.start - start..bytes.end - start;
    let hide = |range: Range<usize>, cut: &mut Cut<'_>| {
        for i in range {
            if gone[i] {
                cut.hide(here(&report.findings[i].bytes), Reason::SharedMessage);
            }
        }
    };
    for file in &report.files {
        let bytes = here(&file.bytes);
        let text = line.get(bytes.clone()).unwrap_or_default();
        if is_aggressive && file.findings.clone().all(|i| gone[i]) && !reports(text) && !below.is_empty() {
            let reason = if file.findings.is_empty() { Reason::Clean } else { Reason::SharedMessage };
            if cut.hide(bytes.clone(), reason) {
                continue;
            }
        }
        hide(file.findings.clone(), &mut cut);
        let from =
            file.findings.clone().next_back().map_or(bytes.start, |i| here(&report.findings[i].bytes).end);
        // Stylelint's source is a path.
        if report.tool.by_file.is_some_and(|(path, _)| path != "source") {
            repeats(line, from..bytes.end, &mut seen, &mut cut);
        }
    }
    if report.files.is_empty() {
        hide(0..report.findings.len(), &mut cut);
    }
    cut.apply(i, source.number(i), &below, &mut out);
    out
}

/// Whether some part of a document reports a failure.
fn reports(text: &str) -> bool {
    text.split(['{', '}', '<']).flat_map(|part| part.split("\\n")).any(signals::is_failure)
}

/// Writes findings together as if each had a line. Returns which findings, and the text.
fn group(source: &Source<'_>, report: &Report, below: &mut String, gone: &mut [bool]) {
    let one_line = |f: &Finding| minified(source.text(), f.bytes.start, &[]).unwrap_or_default();
    let lines: Vec<String> = report.findings.iter().map(one_line).collect();
    let mut flat = report.tool.is_flat;
    let fails = |line: &str| match report.tool.is_flat {
        true => signals::is_failure(&line.replacen("\"severity\":\"error\"", "", 1)),
        false => signals::is_failure(line),
    };
    // The first one shows the message of all.
    let is_kept = |line: &String| fails(line) || std::mem::take(&mut flat) && signals::is_failure(line);
    let mut kept: Vec<bool> = lines.iter().map(is_kept).collect();
    let mut unlisted = Unlisted::default();
    for (finding, line) in report.findings.iter().zip(&lines) {
        let rule = finding.message.split(": ").next().unwrap_or_default();
        let value = serde_json::from_str(line).unwrap_or_default();
        unlisted.add(rule, &value, &report.tool.listed_members());
    }
    kept.iter_mut().zip(unlisted.outliers()).for_each(|(kept, odd)| *kept |= odd);
    let text = lines.join("\n");
    let lines = Source::new(&text);
    let blocks = blocks(report, |i| Some(i..i + 1));
    let mut plan = Plan::with_failures(&lines, true, (0..kept.len()).filter(|i| kept[*i]).collect());
    plan.group(&blocks);
    let Ok(reduction) = plan.finish() else { return };
    for span in reduction.spans {
        if let Action::Replace { text, .. } = &span.action {
            below.push_str(if below.is_empty() { "" } else { "\n" });
            below.push_str(text);
        }
        span.lines.for_each(|i| gone[i] = true);
    }
    if let Some(missing) = unlisted.missing(|i| gone[i]).filter(|_| !below.is_empty()) {
        below.push('\n');
        below.push_str(&missing);
    }
}

/// The parts of a file's entry that are not findings: its source, and a list that another file also has.
fn repeats<'a>(line: &'a str, bytes: Range<usize>, seen: &mut Vec<&'a str>, cut: &mut Cut<'a>) {
    const SOURCE: &str = "\"source\":\"";
    const LIST: &str = "\"usedDeprecatedRules\":[{";
    let member = |key: &str| {
        let rest = line.get(bytes.clone())?;
        let start = bytes.start + rest.find(key)? + key.len();
        // The key ends with the first bytes of the value, of which the last is a part of the first member.
        let opened = key.len() - key.rfind(':')? - 1;
        let mut values = serde_json::Deserializer::from_str(line.get(start - opened..bytes.end)?).into_iter();
        let value: &RawValue = values.next()?.ok()?;
        Some(start - opened + 1..start - opened + value.get().len() - 1)
    };
    if let Some(inside) = member(SOURCE) {
        let mut from = inside.start;
        for part in line[inside].split_inclusive("\\n") {
            if !reports(part) {
                cut.hide(from..from + part.len(), Reason::FileBody);
            }
            from += part.len();
        }
    }
    if let Some(inside) = member(LIST) {
        let list = &line[inside.clone()];
        match seen.contains(&list) {
            true => cut.hide_members(inside, Reason::CommonFields),
            false => seen.push(list),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_stays_one_in_standard() {
        let source = "let a = 1;\\n".repeat(40);
        let rules = format!("[{}]", ["{\"ruleId\":\"quotes\",\"replacedBy\":[]}"; 8].join(","));
        let file = |name: &str| {
            format!(
                "{{\"filePath\":\"/p/{name}.js\",\"messages\":[{{\"ruleId\":\"semi\",\"severity\":2,\"message\":\"Missing.\",\
                 \"line\":1,\"column\":2}}],\"errorCount\":1,\"note\":\"{}\",\"source\":\"{source}throw new Error(1);\\n{source}\",\
                 \"usedDeprecatedRules\":{rules}}}",
                "n".repeat(200)
            )
        };
        let text = format!("[{},{}]\n", file("a"), file("b"));
        let source = Source::new(&text);
        let report = read(&source).unwrap();
        let reduction = one_line(&source, &report, false);
        let Action::Replace { text: cut, .. } = &reduction.spans[0].action else { panic!() };
        let value: serde_json::Value = serde_json::from_str(cut).unwrap();
        let body = value[0]["source"].as_str().unwrap();
        assert!(
            body.starts_with("[tersed: omitted ") && body.contains("throw new Error(1);\n[tersed: omitted ")
        );
        assert_eq!(value[0]["usedDeprecatedRules"].as_array().unwrap().len(), 8);
        assert_eq!(value[1]["usedDeprecatedRules"].as_array().unwrap().len(), 1);
        assert_eq!(value[1]["messages"][0]["message"], "Missing.");
        assert!(cut.len() < text.len() / 2);
    }
}
