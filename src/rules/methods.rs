//! The methods that a rule's `pipeline` names: reducers, steps and encoders of the product, and groups of them.

use std::fmt::Write as _;

use super::error::{RuleError, unknown};
use crate::encode::ENCODERS;
use crate::reduce;

/// A method that is neither a reducer nor an encoder, and what it does.
const STEPS: &[(&str, &str)] = &[
    ("stack_traces", "leaves frames of libraries out of stack traces"),
    ("progress", "leaves finished progress out"),
    ("block_dedup", "refers to lines that an earlier result shows"),
    ("structured_data", "shows a part of large structured data"),
    ("file_detail", "shows large files as their outline"),
    ("head_tail", "leaves out the middle of a long text"),
    ("dictionary", "writes repeated text once, in `aggressive`"),
];

/// Names of groups, and what they stand for.
const GROUPS: &[(&str, &str)] = &[
    (
        "passthrough",
        "nothing: the text stays as the safe stage left it, and is no duplicate of another; `identity` and `none` are the same",
    ),
    ("reducers", "the reducer that would be chosen without a rule"),
    ("encoders", "all encoders"),
    ("lossless", "`block_dedup`, `encoders` and `dictionary`"),
    ("builtin", "all that is done without a rule"),
];

/// What a rule lets work on a text.
#[derive(Debug, Clone, Default)]
pub struct Methods {
    /// Nothing.
    pub passthrough: bool,
    /// The reducer that is chosen without a rule.
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
                format!("`{}` does nothing, so that it stands alone", names.join("`, `")),
            ));
        }
        if names.is_empty() {
            return Err(RuleError::new("pipeline", "is empty; `passthrough` leaves a text as it is"));
        }
        Ok(out)
    }

    /// What works after the stages of a rule that does not say.
    pub(super) fn lossless() -> Self {
        let mut out = Self::default();
        out.add_lossless();
        out
    }

    fn add_lossless(&mut self) {
        self.steps.extend(["block_dedup", "dictionary"]);
        self.steps.extend(ENCODERS.iter().map(|encoder| encoder.id()));
    }

    fn add(&mut self, name: &str) -> Result<(), String> {
        match name {
            "passthrough" | "identity" | "none" => self.passthrough = true,
            "reducers" => self.chosen = true,
            "encoders" => self.steps.extend(ENCODERS.iter().map(|encoder| encoder.id())),
            "lossless" => self.add_lossless(),
            "builtin" => {
                self.chosen = true;
                self.add_lossless();
                self.steps.extend(STEPS.iter().map(|(name, _)| *name));
            }
            name => {
                let reducer = reduce::all().map(|r| r.meta().id).find(|id| *id == name);
                let encoders = ENCODERS.iter().map(|encoder| encoder.id());
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

    /// Whether a step or an encoder works.
    pub fn allows(&self, step: &str) -> bool {
        self.steps.contains(&step)
    }

    /// Whether any reducer works.
    pub fn reads(&self) -> bool {
        self.chosen || !self.reducers.is_empty()
    }

    /// The reducer that works in place of the one that would without a rule.
    pub fn reducer(
        &self,
        input: &crate::input::Input<'_>,
        chosen: Option<&'static dyn reduce::Reducer>,
    ) -> Option<&'static dyn reduce::Reducer> {
        if self.chosen || chosen.is_some_and(|reducer| self.reducers.contains(&reducer.meta().id)) {
            return chosen;
        }
        let find = |id: &&str| reduce::all().find(|reducer| reducer.meta().id == *id);
        let mut named = self.reducers.iter().filter_map(find);
        let first = named.clone().next();
        // The rule is what the command is to a built-in choice; the grammar still has to be there.
        named.find(|reducer| reducer.claim(input) != crate::input::Claim::No).or(first)
    }
}

/// All names that a pipeline may hold.
fn names() -> Vec<&'static str> {
    let groups = GROUPS.iter().chain(STEPS).map(|(name, _)| *name);
    let reducers = reduce::all().map(|r| r.meta().id);
    groups.chain(ENCODERS.iter().map(|encoder| encoder.id())).chain(reducers).collect()
}

/// The families of reducers.
pub(super) fn families() -> Vec<&'static str> {
    let mut out: Vec<&'static str> = Vec::new();
    for family in reduce::all().map(|r| r.meta().family) {
        if !out.contains(&family) {
            out.push(family);
        }
    }
    out
}

/// The stages, with their parameters and what they do.
const STAGES: &[(&str, &str, &str)] = &[
    ("stripAnsi", "`true`", "Escape sequences go. The safe stage has always done it before."),
    (
        "replace",
        "`pattern`, `with`",
        "Parts of lines are written anew; a marker at the end of each such line names the rule. What tells of success, or takes a word away that tells of a failure, needs exit status 0.",
    ),
    (
        "matchOutput",
        "`pattern`, `unless`, `message`",
        "A text that matches goes as a whole; the marker says the message. Never on a command that failed, nor on a text with a failure line; a message that tells of success needs exit status 0.",
    ),
    ("stripLines, keepLines", "regular expressions", "Lines go that match one, or that match none."),
    (
        "truncateLinesAt",
        "characters, 20 and up",
        "The end of longer lines goes; a marker in the line counts its bytes.",
    ),
    ("headLines, tailLines", "lines", "Of what is left, the start and the end stay."),
    ("maxLines", "lines, 1 and up", "Of what is left, no more stay."),
    (
        "onEmpty",
        "a message",
        "What the marker says where no line is left, under the conditions of `matchOutput`.",
    ),
];

/// All methods and stages as a page of Markdown.
pub fn page() -> String {
    let mut out = String::from(
        "# Methods and stages of rules\n\n\
         Generated by `tersed rules methods`. How rules are written and chosen is in `spec.md`, section 4.11.\n\n\
         ## Stages\n\n\
         They run in this order. Lines that report a failure pass through all of them.\n\n\
         | stage | takes | does |\n| --- | --- | --- |\n",
    );
    // Writing into a String cannot fail.
    for (name, takes, does) in STAGES {
        let name = name.replace(", ", "`, `");
        let _ = writeln!(out, "| `{name}` | {takes} | {does} |");
    }
    let _ = write!(
        out,
        "\n## Methods\n\n\
         `pipeline` says which of these may work on a text. They take no parameters but the policy's, and run in the\n\
         order of the product, whatever the order in the rule; of several reducers the first that claims the text\n\
         reads it. A reducer that is named is asked even if the command says nothing of its tool, and declines a text\n\
         that does not follow its grammar. The byte cap and budgets always apply.\n\n\
         | group | stands for |\n| --- | --- |\n"
    );
    for (name, does) in GROUPS {
        let _ = writeln!(out, "| `{name}` | {does} |");
    }
    out.push_str("\n| step | does |\n| --- | --- |\n");
    for (name, does) in STEPS {
        let _ = writeln!(out, "| `{name}` | {does} |");
    }
    for encoder in ENCODERS {
        let _ = writeln!(out, "| `{}` | an encoder |", encoder.id());
    }
    out.push_str("\n| reducer | family | reads |\n| --- | --- | --- |\n");
    for meta in reduce::all().map(|r| r.meta()) {
        let _ = writeln!(out, "| `{}` | `{}` | {} |", meta.id, meta.family, meta.reads);
    }
    out
}
