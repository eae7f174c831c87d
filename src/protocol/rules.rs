//! `rules/check`: checks whether rules are valid, runs their tests, and explains which rule is used on a call.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::params::object;
use crate::config::PolicyPatch;
use crate::pipeline::evidence::Evidence;

/// Parameters of `rules/check`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RulesCheckParams"))]
pub struct Params<'a> {
    /// The rules. If absent, the rules in force.
    #[serde(default, borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<crate::config::rules::RuleSpec>>"))]
    pub rules: Option<&'a RawValue>,
    /// A call to explain.
    #[serde(default, deserialize_with = "object")]
    pub sample: Option<Sample>,
    /// Settings for this request alone.
    #[serde(default, deserialize_with = "object")]
    pub policy: Option<PolicyPatch>,
}

/// A call and its text.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "RuleSample"))]
pub struct Sample {
    /// The tool. Default `bash`.
    #[serde(default)]
    pub tool: Option<String>,
    /// The command.
    #[serde(default)]
    pub command: Option<String>,
    /// The path that the call named.
    #[serde(default)]
    pub path: Option<String>,
    /// The exit status.
    #[serde(default)]
    pub exit_code: Option<i64>,
    /// The text.
    pub content: String,
}

/// Result of `rules/check`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "RulesChecked"))]
pub struct Checked {
    /// Whether all rules can be used and pass their tests.
    pub ok: bool,
    /// How many rules there are.
    pub rules: usize,
    /// Faults of rules: rule, field, value and what is allowed. Rules with faults are not in the other members.
    pub errors: Vec<String>,
    /// Warnings about rules that can be used.
    pub warnings: Vec<String>,
    /// The results of the tests.
    pub tests: Vec<Tested>,
    /// The result for the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Explained>,
}

/// One test of a rule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "RuleTested"))]
pub struct Tested {
    /// The rule.
    pub rule: String,
    /// The test's name, or its position.
    pub test: String,
    /// Whether the test passed.
    pub ok: bool,
    /// The failed expectations.
    pub problems: Vec<String>,
    /// The output, if the test failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// The explanation of a sample.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "RuleExplained"))]
pub struct Explained {
    /// The rule that is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// All rules, in the order in which they are tried.
    pub rules: Vec<Asked>,
    /// What the stages of the rule do to the lines, as runs of lines with the same fate.
    pub lines: Vec<Lines>,
    /// The output.
    pub content: String,
    /// The evidence.
    pub evidence: Evidence,
}

/// One rule, and the results of its conditions.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(rename = "RuleAsked"))]
pub struct Asked {
    /// The rule.
    pub rule: String,
    /// Its priority.
    pub priority: i32,
    /// Whether all its conditions hold.
    pub fits: bool,
    /// Whether it is the one that is used.
    pub used: bool,
    /// The conditions.
    pub conditions: Vec<Condition>,
}

/// The result of one condition.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RuleCondition"))]
pub struct Condition {
    /// Its name.
    pub condition: String,
    /// Whether it holds.
    pub holds: bool,
    /// The expected and the actual value.
    pub why: String,
}

/// Lines with the same fate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RuleLines"))]
pub struct Lines {
    /// First and last line of the sanitized text, from 1.
    pub lines: [usize; 2],
    /// `kept`, `kept_failure`, `rewritten`, `truncated` or `dropped`; `taken` by an earlier step.
    pub fate: String,
    /// The stage that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The place of the pattern in the stage's list, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<usize>,
}
