//! Answers `rules/check`.

use serde_json::value::RawValue;

use super::{Engine, compiled, resolve};
use crate::config::rules::{RuleError, RuleSet, RuleSpec};
use crate::config::{EvidenceDetail, Policy};
use crate::engine::rule_check;
use crate::protocol::RpcError;
use crate::protocol::params::{invalid, parse_at};
use crate::protocol::rules::{Asked, Checked, Condition, Explained, Lines, Params, Sample, Tested};
use crate::rules::Rules;
use crate::text::call::ToolCall;

impl Engine {
    /// Answers `rules/check`.
    pub fn check_rules(&self, params: &Params<'_>) -> Result<Checked, RpcError> {
        let mut policy = resolve(&self.policy(), params.policy.as_ref())?;
        let mut errors = Vec::new();
        if let Some(given) = params.rules {
            policy.rules = usable(given, &mut errors)?;
        }
        let rules = compiled(&policy.rules, "rules")?;
        let tests: Vec<Tested> = rule_check::run_tests(&policy)
            .into_iter()
            .map(|report| {
                let ok = report.problems.is_empty();
                let output = Some(report.output).filter(|_| !ok);
                Tested { rule: report.rule, test: report.test, ok, problems: report.problems, output }
            })
            .collect();
        let sample = params.sample.as_ref().map(|sample| explained(sample, &policy)).transpose()?;
        Ok(Checked {
            ok: errors.is_empty() && tests.iter().all(|test| test.ok),
            rules: rules.given().count(),
            errors,
            warnings: rules.warnings(),
            tests,
            sample,
        })
    }
}

/// The rules that are valid; faults of the others go to `errors`.
fn usable(given: &RawValue, errors: &mut Vec<String>) -> Result<RuleSet, RpcError> {
    let list: Vec<&RawValue> = parse_at(given.get(), "rules")?;
    let mut specs: Vec<RuleSpec> = Vec::new();
    for (i, raw) in list.iter().enumerate() {
        match parse_at::<RuleSpec>(raw.get(), &format!("rules[{i}]")) {
            Ok(spec) => match RuleSet::new(vec![spec.clone()]).and_then(|one| Rules::compile(&one)) {
                Ok(_) if specs.iter().any(|other| other.name == spec.name) => {
                    errors.push(format!(
                        "rules[{i}].name: `{}` is the name of another rule already",
                        spec.name
                    ));
                }
                Ok(_) => specs.push(spec),
                Err(error) => errors.push(RuleError { index: i, ..error }.to_string()),
            },
            Err(error) => errors.push(error.message),
        }
    }
    RuleSet::new(specs).map_err(|error| invalid("rules", &error.to_string()))
}

fn explained(sample: &Sample, policy: &Policy) -> Result<Explained, RpcError> {
    let call = ToolCall {
        tool: sample.tool.clone().unwrap_or_else(|| "bash".to_owned()),
        command: sample.command.clone(),
        path: sample.path.clone(),
        exit_code: sample.exit_code,
        ..ToolCall::default()
    };
    let policy = Policy { evidence: EvidenceDetail::Full, ..policy.clone() };
    let explanation = rule_check::explain(&call, &sample.content, &policy).map_err(|_| {
        RpcError::failed("redaction_failed", "the sample could not be redacted, so no content is returned")
    })?;
    let rules = explanation.rules.into_iter().map(|asked| Asked {
        rule: asked.name,
        priority: asked.priority,
        fits: asked.fits,
        used: asked.is_used,
        conditions: asked
            .conditions
            .into_iter()
            .map(|v| Condition { condition: v.condition.to_owned(), holds: v.holds, why: redacted(v.why) })
            .collect(),
    });
    let lines = rule_check::runs(&explanation.line_outcomes).into_iter().map(|(lines, outcome)| {
        let stage = outcome.stage();
        Lines {
            lines,
            fate: outcome.name().to_owned(),
            stage: stage.map(|(name, _)| name.to_owned()),
            pattern: stage.and_then(|(_, pattern)| pattern),
        }
    });
    Ok(Explained {
        rule: explanation.outcome.evidence.rule.clone(),
        rules: rules.collect(),
        lines: lines.collect(),
        content: explanation.outcome.texts.concat(),
        evidence: explanation.outcome.evidence,
    })
}

/// The text of a condition with secrets removed: it may quote the call.
fn redacted(text: String) -> String {
    crate::sanitize::redact_only(&text).map_or_else(|_| String::new(), |(text, _)| text)
}
