//! RSpec: passing examples, and groups in which all examples passed, are left out; failures, pending examples and the
//! totals are kept.
//!
//! Grammar of the documentation format: an empty line, then the name of a group. Below it are groups and examples,
//! each level indented by two more blanks. Those that did not pass end with `(FAILED - 1)` or `(PENDING: why)`.
//! Passed ones have no mark, so names are left out only if there are not more of them than examples in the totals. In
//! the progress format, a line with only dots is left out. Everything from `Pending:`, `Failures:` or `Finished in`
//! on is kept.

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::leading_number;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Rspec;

static META: Meta = Meta {
    id: "rspec",
    family: "test",
    reads: "RSpec in the progress and the documentation format",
    keeps: "failures and pending examples whole with their groups, load errors, output of examples, \
            the slowest examples, the seed, the totals, the commands that run failed examples again",
    omits: "examples that passed and groups of which all examples passed",
    anchors: &[" examples, ", " example, "],
};

impl Reducer for Rspec {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let finished = || input.source.lines().any(|l| l.starts_with("Finished in "));
        let has_totals = totals(input.source).is_some();
        FormatProof::of(has_totals, has_totals && !input.detection.command.is_filtered() && finished())
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "rspec" | "parallel_rspec" | "rake" | "rails")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let (total, line) = totals(source).ok_or(Reason::NotRecognized)?;
        let end = (0..line).find(|&i| ends_progress(source.line(i))).unwrap_or(line);
        let mut actions = LineActions::new(source);
        let tree = Tree::read(source, 0..end);
        // If there are more names than examples, some indented lines are not names.
        if tree.passed <= total {
            for &i in &tree.hidden {
                actions.omit_unless_failure(i, Reason::PassingTests, 1);
            }
        }
        for i in 0..end {
            let line = source.line(i);
            if !line.is_empty() && line.bytes().all(|b| b == b'.') {
                actions.omit_unless_failure(i, Reason::PassingTests, 1);
            }
        }
        actions.keep_last().finish(Blanks::Behind)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let source = input.source;
        let Some((_, line)) = totals(source) else { return 0..source.len() };
        let known = |l: &str| {
            l.starts_with("rspec ") || l.starts_with("Failed examples:") || l.starts_with("Randomized")
        };
        let last = (line..source.len()).rev().find(|&i| known(source.line(i))).unwrap_or(line);
        0..last + 1
    }
}

/// The number of examples in the last totals, `40 examples, 3 failures, 2 pending`, and the line of these totals.
fn totals(source: &Source<'_>) -> Option<(usize, usize)> {
    (0..source.len()).rev().find_map(|i| {
        let (examples, rest) = leading_number(source.line(i))?;
        let rest = rest.strip_prefix(" example")?;
        let (failures, rest) = leading_number(rest.strip_prefix('s').unwrap_or(rest).strip_prefix(", ")?)?;
        rest.starts_with(" failure").then_some((examples.max(failures), i))
    })
}

/// Whether the names and dots end before this line.
fn ends_progress(line: &str) -> bool {
    const TITLES: &[&str] =
        &["Failures:", "Pending:", "Finished in ", "An error occurred ", "Top ", "Retried examples:"];
    TITLES.iter().any(|t| line.starts_with(t))
}

/// What is read from the documentation format.
#[derive(Default)]
struct Tree {
    /// Lines of examples that passed, and of groups in which all passed.
    hidden: Vec<usize>,
    /// How many examples passed.
    passed: usize,
}

impl Tree {
    fn read(source: &Source<'_>, lines: Range<usize>) -> Self {
        let mut tree = Self::default();
        // The groups that are open: their line, and whether a line below is kept.
        let mut open: Vec<(usize, bool)> = Vec::new();
        let mut blank = true;
        for i in lines.clone() {
            let line = source.line(i);
            if line.trim().is_empty() {
                blank = true;
                continue;
            }
            let depth = depth(line);
            let is_group =
                next_depth(source, i + 1..lines.end).is_some_and(|d| depth.is_some_and(|own| d == own + 1));
            match depth {
                // An outermost name follows an empty line and has something below it; any other line was printed.
                Some(0) if is_group && (blank || i == lines.start) => {
                    tree.close(&mut open, 0);
                    open.push((i, false));
                }
                Some(depth) if depth > 0 && depth <= open.len() => {
                    tree.close(&mut open, depth);
                    if is_group {
                        open.push((i, signals::is_failure(line)));
                    } else if did_not_pass(line) || signals::is_failure(line) {
                        for group in &mut open {
                            group.1 = true;
                        }
                    } else {
                        tree.hidden.push(i);
                        tree.passed += 1;
                    }
                }
                _ => {}
            }
            blank = false;
        }
        tree.close(&mut open, 0);
        tree.hidden.sort_unstable();
        tree
    }

    /// Closes the groups that are at least this deep.
    fn close(&mut self, open: &mut Vec<(usize, bool)>, depth: usize) {
        while open.len() > depth {
            if let Some((line, stays)) = open.pop() {
                if stays {
                    for group in open.iter_mut() {
                        group.1 = true;
                    }
                } else {
                    self.hidden.push(line);
                }
            }
        }
    }
}

/// `(FAILED - 1)`, `(PENDING: why)`
fn did_not_pass(line: &str) -> bool {
    line.ends_with(')')
        && (line.contains("(FAILED - ") || line.contains("(PENDING: ") || line.contains("(ERROR - "))
}

/// The depth of a name, two blanks a level; `None` if the number of blanks is odd.
fn depth(line: &str) -> Option<usize> {
    let blanks = line.bytes().take_while(|&b| b == b' ').count();
    blanks.is_multiple_of(2).then_some(blanks / 2)
}

/// The depth of the next line that is not empty.
fn next_depth(source: &Source<'_>, lines: Range<usize>) -> Option<usize> {
    lines.map(|i| source.line(i)).find(|l| !l.trim().is_empty()).and_then(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_totals_and_names() {
        let source = Source::new("a\n40 examples, 3 failures, 2 pending\n1 example, 0 failures\nb\n");
        assert_eq!(totals(&source), Some((1, 2)));
        assert_eq!(totals(&Source::new("3 examples of failures\n")), None);
        let source = Source::new("Cart\n  a\n  #b\n    c (FAILED - 1)\n    d\n  #e\n    f\nnoise\n  g\n");
        let tree = Tree::read(&source, 0..source.len());
        assert_eq!((tree.hidden, tree.passed), (vec![1, 4, 5, 6, 8], 4));
        assert_eq!((depth("    a"), depth("   a")), (Some(2), None));
    }
}
