//! Runs the tests inside rules, and explains which rule fits a call and why. Both use the code that compresses real results;
//! nothing here makes a decision.

use crate::config::rules::RuleTest;
use crate::config::{Mode, Policy};
use crate::detect;
use crate::pipeline::repeat::dedup::NoHistory;
use crate::pipeline::{Outcome, Raw, RedactionFailed, compress};
use crate::rules::Rules;
use crate::rules::conditions::{Facts, Verdict};
use crate::rules::stages::LineOutcome;
use crate::sanitize;
use crate::sanitize::spare::Spare;
use crate::text::call::ToolCall;
use crate::text::marker;
use crate::text::marker::SealKey;
use crate::text::source::Source;

/// The report of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestReport {
    /// The rule.
    pub rule: String,
    /// The name of the test, or its index in the rule's list.
    pub test: String,
    /// The faults found, in words; empty if the test passed.
    pub problems: Vec<String>,
    /// The output of the rule.
    pub output: String,
}

/// Which rule fits a call, and how its text changes.
#[derive(Debug)]
pub struct Explanation {
    /// All rules in use, in the order in which they are tried.
    pub rules: Vec<Asked>,
    /// The text that line numbers refer to.
    pub text: String,
    /// What the stages of the used rule do to each line; empty without stages.
    pub line_outcomes: Vec<LineOutcome>,
    /// What `compress` returns.
    pub outcome: Outcome,
}

/// One rule and its conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The rule.
    pub name: String,
    /// Its priority.
    pub priority: i32,
    /// Whether all its conditions hold.
    pub fits: bool,
    /// Whether this rule is used.
    pub is_used: bool,
    /// The verdict on each condition.
    pub conditions: Vec<Verdict>,
}

/// Runs the tests of all rules of a policy. Each test runs with all rules in force, in a mode in which rules apply:
/// whether a rule is correct does not depend on the mode of the folder or the environment.
pub fn run_tests(policy: &Policy) -> Vec<TestReport> {
    let mode = policy.mode.max(Mode::Standard);
    let policy = Policy { min_bytes: 0, dedup: false, mode, ..policy.clone() };
    let mut reports = Vec::new();
    for rule in policy.rules.iter().filter(|rule| rule.enabled) {
        for (i, test) in rule.tests.iter().enumerate() {
            let name = test.name.clone().unwrap_or_else(|| format!("tests[{i}]"));
            let mut report = TestReport {
                rule: rule.name.clone(),
                test: name,
                problems: Vec::new(),
                output: String::new(),
            };
            match compress(&call(test), &[Raw::Text(&test.input)], &policy, false, &NoHistory) {
                Ok(outcome) => {
                    report.problems = problems(&rule.name, test, &outcome, &policy.seal_key);
                    report.output = outcome.texts.concat();
                }
                Err(RedactionFailed) => report.problems.push("the input could not be redacted".to_owned()),
            }
            reports.push(report);
        }
    }
    reports
}

fn call(test: &RuleTest) -> ToolCall {
    ToolCall {
        tool: test.tool.clone().unwrap_or_else(|| "bash".to_owned()),
        command: test.command.clone(),
        path: test.path.clone(),
        exit_code: test.exit_code,
        ..ToolCall::default()
    }
}

fn problems(rule: &str, test: &RuleTest, outcome: &Outcome, key: &SealKey) -> Vec<String> {
    let mut out = Vec::new();
    let used = outcome.evidence.rule.as_deref();
    match (test.fires.unwrap_or(true), used) {
        (true, Some(used)) if used == rule => {}
        (true, Some(used)) => out.push(format!("expected this rule to be used, but `{used}` was")),
        (true, None) => out.push("expected this rule to be used, but none was".to_owned()),
        (false, Some(used)) if used == rule => {
            out.push("expected this rule not to be used, but it was".to_owned())
        }
        (false, _) => {}
    }
    let text = outcome.texts.concat();
    let mut open = text.clone();
    marker::unseal(&mut open, key);
    if let Some(expected) = &test.expect {
        let same = |text: &str| text.trim_end_matches('\n') == expected.trim_end_matches('\n');
        if !same(&text) && !same(&open) {
            out.push(first_difference(expected, &open));
        }
    }
    out.extend(
        test.contains.iter().filter(|t| !open.contains(*t)).map(|t| format!("expected `{t}` in the output")),
    );
    out.extend(
        test.lacks.iter().filter(|t| open.contains(*t)).map(|t| format!("expected no `{t}` in the output")),
    );
    out
}

fn first_difference(expected: &str, got: &str) -> String {
    let (mut wanted, mut is) = (expected.lines(), got.lines());
    let mut line = 1;
    loop {
        match (wanted.next(), is.next()) {
            (Some(a), Some(b)) if a == b => line += 1,
            (Some(a), Some(b)) => return format!("line {line} of the output is `{b}`, expected `{a}`"),
            (Some(a), None) => return format!("the output ends before line {line}, expected `{a}`"),
            (None, Some(b)) => return format!("line {line} of the output is `{b}`, expected its end"),
            (None, None) => return "the output differs in its line ends".to_owned(),
        }
    }
}

/// Explains what the rules of a policy do to a result.
pub fn explain(call: &ToolCall, text: &str, policy: &Policy) -> Result<Explanation, RedactionFailed> {
    let outcome = compress(call, &[Raw::Text(text)], policy, false, &NoHistory)?;
    let how = sanitize::How {
        redact: policy.redact_secrets,
        keeps_terminal: false,
        key: &policy.seal_key,
        spare: &Spare::of(&policy.secrets.allow, &policy.seal_key, &call.paths()),
        is_ours: &|_| false,
        is_dictionary: |_| false,
    };
    let sanitized = sanitize::run(Raw::Text(text), how)?;
    let source = Source::new(&sanitized.text);
    let detection = detect::detect(call, &source);
    let kind = outcome.evidence.family.as_deref();
    let facts = Facts { call, source: &source, detection: &detection, kind, min_bytes: policy.min_bytes };
    let used = outcome.evidence.rule.as_deref();
    let compiled = Rules::compile(&policy.rules).unwrap_or_default();
    let rules = compiled.ordered().map(|rule| {
        let conditions = rule.explain(&facts);
        let fits = conditions.iter().all(|condition| condition.holds);
        let (name, is_used) = (rule.name().to_owned(), used == Some(rule.name()));
        Asked { name, priority: rule.spec().priority, fits, is_used, conditions }
    });
    let rules = rules.collect();
    let failures = if detection.reports_failures() { source.failures() } else { &[] };
    let rule = compiled.ordered().find(|rule| used == Some(rule.name()));
    let line_outcomes = rule.map_or(Vec::new(), |rule| rule.line_outcomes(&source, call, failures));
    Ok(Explanation { rules, text: sanitized.text.to_string(), line_outcomes, outcome })
}

/// Runs of lines with the same outcome: first and last line, from 1.
pub fn runs(line_outcomes: &[LineOutcome]) -> Vec<([usize; 2], LineOutcome)> {
    let mut out: Vec<([usize; 2], LineOutcome)> = Vec::new();
    for (i, &outcome) in line_outcomes.iter().enumerate() {
        match out.last_mut().filter(|(_, last)| *last == outcome) {
            Some((lines, _)) => lines[1] = i + 1,
            None => out.push(([i + 1, i + 1], outcome)),
        }
    }
    out
}
