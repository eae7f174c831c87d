//! `terraform` and OpenTofu (`init`, `validate`, `plan`, `apply`, `destroy`): refreshed resources, progress of
//! finished steps, and advice are left out. The plan's blocks, ids, errors, warnings, outputs and totals are
//! kept.
//!
//! Grammar: `address: step...`, with `[id=…]` or the elapsed time; in between, the plan in indented blocks and errors
//! in boxes. `-json` writes the same steps as JSON objects, one a line; its other messages are kept.

use std::collections::HashSet;
use std::ops::Range;

use super::{CLAIM_LINES, Tally};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::extent;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Terraform;

static META: Meta = Meta {
    id: "terraform",
    family: "build",
    reads: "`terraform` and `tofu`: `init`, `validate`, `plan`, `apply`, `destroy`, `refresh`",
    keeps: "the blocks of the plan, providers with versions, what was created, changed or destroyed with ids, errors, \
            warnings, outputs, totals",
    omits: "refreshed and read resources, steps under way that came to their end, advice; in `aggressive` attributes \
            that are known after apply",
    anchors: &[
        "Refreshing state...",
        "Terraform will perform the following actions",
        "OpenTofu will perform the following actions",
        "Plan: ",
        "Apply complete!",
        "Destroy complete!",
        "Initializing provider plugins",
        "Initializing the backend",
        "Your infrastructure matches the configuration",
        "Still creating...",
        "Still destroying...",
    ],
};

impl Reducer for Terraform {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "terraform" | "tofu" | "terragrunt" | "tf")
    }

    fn is_driver(&self, s: &Simple) -> bool {
        s.program() == "make"
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let ended: HashSet<&str> = source
            .lines()
            .filter_map(|line| step(line).filter(|(_, s)| *s == Step::Ended).map(|(a, _)| a))
            .collect();
        let aggressive = input.policy.mode == Mode::Aggressive;
        let mut advice = false;
        let mut group = 1;
        for i in 0..source.len() {
            let line = source.line(i);
            advice = is_advice(line) || advice && !line.trim().is_empty() && !is_rule(line);
            let goes = match step(line) {
                Some((_, Step::Read)) => true,
                Some((address, Step::UnderWay)) => ended.contains(address),
                Some((_, Step::Ended)) => false,
                None => is_init_step(source, i),
            };
            match () {
                () if goes => actions.omit(i..i + 1, Reason::Progress, group),
                () if advice => actions.omit(i..i + 1, Reason::ToolHints, group),
                () if aggressive && is_unknown_value(line) => {
                    actions.omit(i..i + 1, Reason::UnknownValue, group)
                }
                // Each block of the plan has one marker for each reason.
                () if line.starts_with("  # ") => group += 1,
                () => {}
            }
        }
        actions.finish(Blanks::Keep)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let known = extent(source, is_own);
        // Outputs and error boxes may follow the last known line.
        let rest = source.slice(known.end - 1..source.len());
        let more = ["\nOutputs:", "╷", "\nNote: You didn't use"].iter().any(|word| rest.contains(word));
        known.start..if more { source.len() } else { known.end }
    }
}

/// What a line says about a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Read,
    UnderWay,
    Ended,
}

/// `aws_vpc.main: Creating...`, `module.a["x"].b.c[0]: Creation complete after 2s [id=…]`: the address and the step.
fn step(line: &str) -> Option<(&str, Step)> {
    let line = message(line).unwrap_or(line);
    let at = line.rfind(": ").filter(|_| !line.starts_with([' ', '│', '#', '-']))?;
    let mut at = at;
    // An id may contain a colon: the address ends before a colon that is followed by a step.
    loop {
        let (address, said) = (&line[..at], &line[at + 2..]);
        let step = match () {
            () if said.starts_with("Refreshing state...") || said.starts_with("Refresh complete [id=") => {
                Some(Step::Read)
            }
            () if said == "Reading..." || said.starts_with("Still reading...") => Some(Step::Read),
            () if said.starts_with("Read complete after ") => Some(Step::Read),
            () if [
                "Creating...",
                "Modifying...",
                "Destroying...",
                "Still creating...",
                "Still modifying...",
                "Still destroying...",
                "Opening...",
                "Closing...",
                "Importing...",
                "Preparing import...",
            ]
            .iter()
            .any(|s| said.starts_with(s)) =>
            {
                Some(Step::UnderWay)
            }
            () if [
                "Creation complete after ",
                "Modifications complete after ",
                "Destruction complete after ",
                "Destruction complete",
                "Import complete",
            ]
            .iter()
            .any(|s| said.starts_with(s)) =>
            {
                Some(Step::Ended)
            }
            () => None,
        };
        if let Some(step) = step {
            return Some((address, step)).filter(|(a, _)| a.contains('.') && !a.contains(": "));
        }
        at = line[..at].rfind(": ")?;
    }
}

/// The message in a line of `-json` with the level `info`.
fn message(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("{\"@level\":\"info\",\"@message\":\"")?;
    rest.split_once("\",\"@module\":\"").map(|(message, _)| message)
}

/// A line of `init` that starts a step whose end a later line reports.
fn is_init_step(source: &Source<'_>, i: usize) -> bool {
    let line = source.line(i);
    let provider = line
        .strip_prefix("- Finding ")
        .or_else(|| line.strip_prefix("- Installing "))
        .or_else(|| line.strip_prefix("- Reusing previous version of "))
        .map(|rest| rest.strip_prefix("latest version of ").unwrap_or(rest))
        .and_then(|rest| rest.split(' ').next())
        .map(|provider| provider.trim_end_matches('.'));
    let Some(provider) = provider else {
        return line.starts_with("Initializing ") && line.ends_with("...") && i + 1 < source.len();
    };
    let known = ["- Installed ", "- Using previously-installed ", "- Using "];
    (i + 1..source.len()).take(400).any(|k| {
        known.iter().any(|k2| source.line(k).strip_prefix(k2).is_some_and(|rest| rest.starts_with(provider)))
    })
}

/// The first line of a paragraph of advice that Terraform prints in every run.
fn is_advice(line: &str) -> bool {
    const ADVICE: &[&str] = &[
        "Note: You didn't use the -out option to save this plan",
        "Note: You didn't specify an \"-out\" parameter to save this plan",
        "The refreshed state will be used to calculate this plan, but will not be",
        "Terraform has created a lock file .terraform.lock.hcl to record",
        "OpenTofu has created a lock file .terraform.lock.hcl to record",
        "You may now begin working with Terraform.",
        "You may now begin working with OpenTofu.",
        "If you ever set or change modules or backend configuration",
        "should now work.",
        "rerun this command to reinitialize your working directory.",
        "commands will detect it and remind you to do so if necessary.",
    ];
    ADVICE.iter().any(|a| line.starts_with(a))
}

/// The line between the plan and the text below it.
fn is_rule(line: &str) -> bool {
    line.starts_with("────") || line.starts_with("--------")
}

/// `      + arn = (known after apply)`, in a resource that is created: it says nothing about the plan.
fn is_unknown_value(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("+ ") && text.ends_with(" = (known after apply)") && !line.starts_with("  + ")
}

fn is_own(line: &str) -> bool {
    const OWN: &[&str] = &[
        "Terraform will perform the following actions",
        "OpenTofu will perform the following actions",
        "Initializing the backend...",
        "Initializing provider plugins...",
        "Terraform has been successfully initialized!",
        "OpenTofu has been successfully initialized!",
        "Apply complete! Resources: ",
        "Destroy complete! Resources: ",
        "No changes. Your infrastructure matches the configuration.",
        "Success! The configuration is valid",
    ];
    step(line).is_some()
        || OWN.iter().any(|own| line.starts_with(own))
        || line
            .strip_prefix("Plan: ")
            .is_some_and(|rest| rest.contains(" to add, ") || rest.contains(" to import"))
}

fn tally(source: &Source<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut planned = false;
    for line in source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
        let own = is_own(line);
        planned = planned || line.contains(" will perform the following actions") || line.starts_with('╷');
        // The blocks of a plan and the boxes of errors may have any lines.
        tally.add(own, planned || line.starts_with("- "));
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_steps() {
        assert_eq!(step("aws_vpc.a: Creating..."), Some(("aws_vpc.a", Step::UnderWay)));
        assert_eq!(
            step("module.m[\"a: b\"].x.y: Creation complete after 2s [id=arn:aws:x: y]").map(|(_, s)| s),
            None
        );
        assert_eq!(step("aws_lb.a: Still creating... [1m0s elapsed]"), Some(("aws_lb.a", Step::UnderWay)));
        assert_eq!(step("aws_vpc.a: Refreshing state... [id=vpc-1]"), Some(("aws_vpc.a", Step::Read)));
        assert_eq!(
            step("data.aws_ami.u: Read complete after 1s [id=ami-1]"),
            Some(("data.aws_ami.u", Step::Read))
        );
        let json =
            |said| format!(r#"{{"@level":"info","@message":"a.b[\"c\"]: {said}","@module":"terraform.ui"}}"#);
        assert_eq!(step(&json("Refresh complete [id=7]")), Some((r#"a.b[\"c\"]"#, Step::Read)));
        assert_eq!(step(&json("Plan to create")), None);
        assert_eq!(step("note: Creating..."), None);
        assert_eq!(step("  + a.b: Creating..."), None);
        assert!(
            is_unknown_value("      + arn  = (known after apply)")
                && !is_unknown_value("      ~ arn = \"a\" -> (known after apply) # forces replacement")
        );
    }
}
