//! The methods that a rule's `pipeline` may name: reducers, steps and encoders, and groups of them.

use super::error::unknown;
use crate::config::rules::RuleError;
use crate::text::methods::{ENCODERS, REDUCERS};

/// A method that is neither a reducer nor an encoder, and what it does.
pub const STEPS: &[(&str, &str)] = &[
    ("stack_traces", "leaves frames of libraries out of stack traces"),
    ("progress", "leaves finished progress out"),
    ("block_dedup", "refers to lines that an earlier result shows"),
    ("structured_data", "shows a part of large structured data"),
    ("file_detail", "shows large files as their outline"),
    ("head_tail", "leaves out the middle of a long text"),
    ("dictionary", "writes repeated text once, in `aggressive`"),
];

/// Names of groups and their meaning.
pub const GROUPS: &[(&str, &str)] = &[
    (
        "passthrough",
        "nothing: the text stays as the safe stage left it, and never becomes a reference; `identity` and `none` are other names",
    ),
    ("reducers", "the reducer that would be chosen without a rule"),
    ("encoders", "all encoders"),
    ("lossless", "`block_dedup`, `encoders` and `dictionary`"),
    ("builtin", "everything that happens without a rule"),
];

/// The methods that a rule allows for a text.
#[derive(Debug, Clone, Default)]
pub struct Methods {
    /// Nothing.
    pub passthrough: bool,
    /// The reducer that would be chosen without a rule.
    chosen: bool,
    /// Reducers by name, in the rule's order.
    reducers: Vec<&'static str>,
    steps: Vec<&'static str>,
}

impl Methods {
    pub(super) fn new(names: &[String]) -> Result<Self, RuleError> {
        let mut out = Self::default();
        for (i, name) in names.iter().enumerate() {
            out.add(name).map_err(|reason| RuleError::new(format!("pipeline[{i}]"), reason))?;
        }
        if out.passthrough && names.len() > 1 {
            return Err(RuleError::new(
                "pipeline",
                format!("`{}` does nothing, so no other method may be named with it", names.join("`, `")),
            ));
        }
        if names.is_empty() {
            return Err(RuleError::new("pipeline", "is empty; `passthrough` leaves a text as it is"));
        }
        Ok(out)
    }

    /// The methods after the stages of a rule without a `pipeline`.
    pub(super) fn lossless() -> Self {
        let mut out = Self::default();
        out.add_lossless();
        out
    }

    fn add_lossless(&mut self) {
        self.steps.extend(["block_dedup", "dictionary"]);
        self.steps.extend(ENCODERS.iter().copied());
    }

    fn add(&mut self, name: &str) -> Result<(), String> {
        match name {
            "passthrough" | "identity" | "none" => self.passthrough = true,
            "reducers" => self.chosen = true,
            "encoders" => self.steps.extend(ENCODERS.iter().copied()),
            "lossless" => self.add_lossless(),
            "builtin" => {
                self.chosen = true;
                self.add_lossless();
                self.steps.extend(STEPS.iter().map(|(name, _)| *name));
            }
            name => {
                let reducer = REDUCERS.iter().map(|(id, _)| *id).find(|id| *id == name);
                let encoders = ENCODERS.iter().copied();
                let step = STEPS.iter().map(|(step, _)| *step).chain(encoders).find(|step| *step == name);
                match (reducer, step) {
                    (Some(id), _) => self.reducers.push(id),
                    (_, Some(id)) => self.steps.push(id),
                    (None, None) => return Err(unknown(name, &names())),
                }
            }
        }
        Ok(())
    }

    /// Whether a step or an encoder is allowed.
    pub fn allows(&self, step: &str) -> bool {
        self.steps.contains(&step)
    }

    /// Whether any reducer is allowed.
    pub fn reads(&self) -> bool {
        self.chosen || !self.reducers.is_empty()
    }

    /// Whether the reducer that would be chosen without the rule is allowed.
    pub fn is_chosen(&self, reducer: Option<&str>) -> bool {
        self.chosen || reducer.is_some_and(|id| self.reducers.contains(&id))
    }

    /// Reducers that may replace it, in the rule's order.
    pub fn reducers(&self) -> &[&'static str] {
        &self.reducers
    }
}

/// All names that a pipeline may contain.
fn names() -> Vec<&'static str> {
    let groups = GROUPS.iter().chain(STEPS).map(|(name, _)| *name);
    let reducers = REDUCERS.iter().map(|(id, _)| *id);
    groups.chain(ENCODERS.iter().copied()).chain(reducers).collect()
}

/// The stages with their parameters and effects.
pub const STAGES: &[(&str, &str, &str)] = &[
    ("stripAnsi", "`true`", "Escape sequences are removed. The safe stage always does this before."),
    (
        "replace",
        "`pattern`, `with`",
        "Parts of lines are replaced; a marker at the end of each such line names the rule. A replacement that claims success, or removes a word that reports a failure, needs exit status 0.",
    ),
    (
        "matchOutput",
        "`pattern`, `unless`, `message`",
        "If a pattern matches in the text, all of it is left out; the marker shows the message. Never if the command failed or a line reports a failure; a message that claims success needs exit status 0.",
    ),
    (
        "stripLines, keepLines",
        "regular expressions",
        "Lines that match one, or that match none, are left out.",
    ),
    (
        "truncateLinesAt",
        "characters, 20 and up",
        "Longer lines are cut; a marker in the line counts the removed bytes.",
    ),
    ("headLines, tailLines", "lines", "Only the start and the end of the remaining lines stay."),
    ("maxLines", "lines, 1 and up", "At most this many of the remaining lines stay."),
    (
        "onEmpty",
        "a message",
        "The message of the marker if no line is left, under the conditions of `matchOutput`.",
    ),
];
