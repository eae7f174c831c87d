//! pre-commit: hooks that passed or had nothing to do are left out with their output. A hook that failed is kept, and
//! the reducer of its linter reads its findings.

use std::ops::Range;

use super::group::Plan;
use super::reader::{Linter, Reading, apply};
use super::{headed, lines};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct PreCommit;

static META: Meta = Meta {
    id: "pre_commit",
    family: "build",
    reads: "`pre-commit run`, `prek run`, and the hooks of a `git commit` or `git push`",
    keeps: "hooks that failed with their output and exit code, hooks that changed files",
    omits: "hooks that passed or were skipped, the setting up of environments; findings of one rule into one line",
    anchors: &["...Passed", "...Failed", "Passed\n", "Skipped\n", "- hook id: "],
};

/// How a hook ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Skipped,
    Failed,
}

impl Reducer for PreCommit {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let source = input.source;
        let hooks = (0..source.len()).filter(|i| verdict(source.line(*i)).is_some()).count();
        FormatProof::of(hooks > 0, hooks >= 2)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "pre-commit" | "prek") || matches!(s.git_subcommand(), Some("commit" | "push"))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut plan = Plan::new(source, input.policy.mode == Mode::Aggressive);
        for (lines, state) in hooks(source) {
            match state {
                // The last line says how the run ended.
                Some(Verdict::Passed | Verdict::Skipped) => {
                    let end = (lines.start + 1..lines.end)
                        .find(|&i| !is_detail(source.line(i)))
                        .unwrap_or(lines.end);
                    plan.omit(lines.start..end, Reason::Clean);
                }
                Some(Verdict::Failed) => findings(source, lines, &mut plan),
                None => {
                    let is_setup = |i: &usize| {
                        let line = source.line(*i);
                        line.starts_with("[INFO] ")
                            && (line.contains("nvironment") || line.contains("take a few minutes"))
                            || line.starts_with("[INFO] Once installed this")
                    };
                    lines.filter(is_setup).for_each(|i| plan.omit(i..i + 1, Reason::Progress));
                }
            }
        }
        plan.finish()
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let is_ours =
            |i: &usize| verdict(source.line(*i)).is_some() || source.line(*i).starts_with("[INFO] ");
        let first = (0..source.len()).find(is_ours).unwrap_or(0);
        let last = hooks(source).pop().map_or(0..0, |(lines, _)| lines);
        let end = match last.is_empty() || verdict(source.line(last.start)) == Some(Verdict::Failed) {
            true => source.len(),
            false => (last.start + 1..last.end).find(|&i| !is_detail(source.line(i))).unwrap_or(last.end),
        };
        first..end.max(first)
    }
}

/// The text before the first hook, then each hook with its lines.
fn hooks(source: &Source<'_>) -> Vec<(Range<usize>, Option<Verdict>)> {
    let mut out: Vec<(Range<usize>, Option<Verdict>)> = vec![(0..0, None)];
    for i in 0..source.len() {
        let state = verdict(source.line(i));
        if state.is_some() {
            out.push((i..i, state));
        }
        if let Some((lines, _)) = out.last_mut() {
            lines.end = i + 1;
        }
    }
    out
}

/// `flake8...................Passed`
fn verdict(line: &str) -> Option<Verdict> {
    let line = line.trim_end();
    let (rest, state) =
        [("Passed", Verdict::Passed), ("Skipped", Verdict::Skipped), ("Failed", Verdict::Failed)]
            .iter()
            .find_map(|(word, state)| line.strip_suffix(word).map(|rest| (rest, *state)))?;
    let rest = rest.strip_suffix("(no files to check)").unwrap_or(rest);
    let name = rest.trim_end_matches('.');
    (!name.is_empty() && rest.len() >= name.len() + 3 && !name.starts_with(' ')).then_some(state)
}

/// `- hook id: flake8`, `- duration: 0.1s`
fn is_detail(line: &str) -> bool {
    line.starts_with("- hook id: ") || line.starts_with("- duration: ")
}

/// Reads the output of a failed hook.
fn findings<'a>(source: &'a Source<'a>, lines: Range<usize>, plan: &mut Plan<'a>) {
    const READERS: &[&Linter] = &[&headed::ESLINT, &lines::LINT];
    let readings = READERS.iter().map(|reader| (reader.read)(source, lines.clone()));
    let best: Option<Reading<'a>> = readings.max_by_key(|reading| reading.own);
    if let Some(reading) = best.filter(|reading| reading.own >= 2) {
        apply(source, &reading, plan);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_verdicts() {
        assert_eq!(verdict("flake8.......Passed"), Some(Verdict::Passed));
        assert_eq!(verdict("check toml.....(no files to check)Skipped"), Some(Verdict::Skipped));
        assert_eq!(verdict("ruff (linter)....Failed"), Some(Verdict::Failed));
        assert_eq!(verdict("The test Passed"), None);
        assert_eq!(verdict("...Passed"), None);
    }
}
