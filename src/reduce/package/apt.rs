//! `apt`, `apt-get` and `dpkg`: fetches and the steps of each package are left out. The marker names packages with
//! the new version and the previous one. Counts, sizes, removals, warnings and errors are kept.
//!
//! The list of new packages is left out only if each of them was set up. A package that was unpacked but not set up
//! keeps its line. Lines as written by apt 1.0 to 3.0 without a terminal.

mod line;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::line::{Line, Listed, bare, read};
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::{SHORT_CLAIM_LINES, extent};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Apt;

static META: Meta = Meta {
    id: "apt",
    family: "package",
    reads: "`apt`, `apt-get`, `aptitude` `install`, `update`, `upgrade`, `remove`, and `dpkg -i`, also simulated",
    keeps: "counts, sizes, packages that are removed or held back, notes, warnings, errors, packages that were not set up",
    omits: "fetches, unpacking, triggers, suggested packages; packages that were set up are named with their versions",
    anchors: &[
        "Reading package lists...",
        "Reading state information",
        "Setting up ",
        "Unpacking ",
        "Selecting previously unselected package",
        "(Reading database ...",
        "Get:1 http",
        "Hit:1 http",
    ],
};

impl Reducer for Apt {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        // Lists of packages are indented, but so are many other texts: indented lines alone are not proof.
        let (mut known, mut listed, mut all) = (0, 0, 0);
        for line in input.source.lines().take(SHORT_CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
            all += 1;
            match read(line) {
                Line::Other => listed += usize::from(line.starts_with("  ")),
                _ => known += 1,
            }
        }
        FormatProof::of(known > 0, known >= 3 && known * 4 >= all && (known + listed) * 2 >= all)
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "apt" | "apt-get" | "aptitude" | "dpkg")
            && !matches!(s.subcommand(), Some("list" | "search" | "show" | "policy" | "depends"))
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let state = State::of(source);
        let mut actions = LineActions::new(source);
        let mut i = 0;
        while i < source.len() {
            let line = source.line(i);
            match read(line) {
                // If there are only a few, lines on alternatives are kept: they say which program a command now runs.
                Line::Step if is_alternative(line) && state.alternatives <= MAX_ALTERNATIVES => {}
                Line::Step => actions.omit_unless_failure(i, Reason::Progress, 1),
                Line::Hint => actions.omit_unless_failure(i, Reason::PackageHints, 1),
                Line::SetUp(name, version) if state.set_up.contains(bare(name)) => {
                    actions.omit_naming(i, Reason::Packages, 1, state.named(name, version))
                }
                Line::Unpack(name, _) if state.set_up.contains(bare(name)) => {
                    actions.omit_unless_failure(i, Reason::Progress, 1)
                }
                Line::Conf(name) if state.simulated.contains(bare(name)) => {
                    actions.omit_unless_failure(i, Reason::Progress, 1)
                }
                Line::Inst(name, before, version) => {
                    let named = match before {
                        Some(before) => format!("{name} ({version}, before {before})"),
                        None => format!("{name} ({version})"),
                    };
                    actions.omit_naming(i, Reason::Packages, 1, named);
                }
                Line::Newest(name, version) => {
                    actions.omit_naming(i, Reason::Satisfied, 1, format!("{name} ({version})"));
                }
                Line::List(listed) => {
                    let end = list_end(source, i);
                    let mut names = (i + 1..end).flat_map(|l| source.line(l).split_whitespace());
                    let reason = match listed {
                        Listed::Advice => Some(Reason::PackageHints),
                        // The marker names these packages.
                        Listed::New | Listed::Additional if names.clone().all(|n| state.shows(n)) => {
                            Some(Reason::Packages)
                        }
                        Listed::Additional if names.all(|n| state.listed.contains(n)) => {
                            Some(Reason::PackageHints)
                        }
                        Listed::New | Listed::Additional => None,
                    };
                    if let Some(reason) = reason {
                        (i..end).for_each(|l| actions.omit_unless_failure(l, reason, 1));
                    }
                    i = end - 1;
                }
                Line::SetUp(..)
                | Line::Unpack(..)
                | Line::Conf(_)
                | Line::Failed(_)
                | Line::Known
                | Line::Other => {}
            }
            i += 1;
        }
        actions.keep(self.extent(input).end.saturating_sub(1));
        actions.keep_last().finish(Blanks::Between)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let known = extent(input.source, |line| read(line) != Line::Other);
        known.start..list_end(input.source, known.end - 1)
    }
}

/// Lines of `update-alternatives` are kept if there are at most this many. A choice: a package that the user asked
/// for writes a few, the packages of a whole system write dozens.
const MAX_ALTERNATIVES: usize = 6;

/// `update-alternatives: using /usr/bin/x.db to provide /usr/bin/x (x) in auto mode`
fn is_alternative(line: &str) -> bool {
    line.starts_with("update-alternatives: using ")
}

/// What the whole output says about its packages.
#[derive(Default)]
struct State<'a> {
    /// Names that were set up and did not fail.
    set_up: BTreeSet<&'a str>,
    /// Names in the lists of new packages.
    listed: BTreeSet<&'a str>,
    /// Names that a simulation would install.
    simulated: BTreeSet<&'a str>,
    /// Number of commands that were given another program.
    alternatives: usize,
    /// Names with the version that was installed before.
    before: BTreeMap<&'a str, &'a str>,
}

impl<'a> State<'a> {
    fn of(source: &Source<'a>) -> Self {
        let mut state = Self::default();
        let mut failed = BTreeSet::new();
        for (i, line) in source.lines().enumerate() {
            match read(line) {
                Line::List(Listed::New) => {
                    let rows = i + 1..list_end(source, i);
                    state.listed.extend(rows.flat_map(|l| source.line(l).split_whitespace()));
                }
                Line::SetUp(name, _) => {
                    state.set_up.insert(bare(name));
                }
                Line::Unpack(name, Some(before)) => {
                    state.before.insert(bare(name), before);
                }
                Line::Inst(name, ..) => {
                    state.simulated.insert(bare(name));
                }
                Line::Failed(name) => {
                    failed.insert(bare(name));
                }
                Line::Step => state.alternatives += usize::from(is_alternative(line)),
                _ => {}
            }
        }
        state.set_up.retain(|name| !failed.contains(name));
        state
    }

    /// Whether other lines name the package.
    fn shows(&self, name: &str) -> bool {
        let name = bare(name.trim_end_matches('*'));
        self.set_up.contains(name) || self.simulated.contains(name)
    }

    fn named(&self, name: &str, version: &str) -> String {
        match self.before.get(bare(name)).filter(|before| **before != version) {
            Some(before) => format!("{name} ({version}, before {before})"),
            None => format!("{name} ({version})"),
        }
    }
}

/// The line after the indented list of names below line `head`.
fn list_end(source: &Source<'_>, head: usize) -> usize {
    let listed = |i: &usize| source.line(*i).starts_with("  ") && !source.line(*i).trim().is_empty();
    head + 1 + (head + 1..source.len()).take_while(listed).count()
}

#[cfg(test)]
mod tests {
    use crate::config::Policy;
    use crate::pipeline::repeat::dedup::NoHistory;
    use crate::pipeline::{Raw, compress};
    use crate::text::call::ToolCall;

    #[test]
    fn lists_of_packages_and_sources_are_no_progress() {
        let shown = |text: &str| {
            let policy = Policy { min_bytes: 0, ..Policy::default() };
            compress(&ToolCall::default(), &[Raw::Text(text)], &policy, false, &NoHistory).unwrap()
        };
        let names = (0..20).map(|i| format!("lib{i}")).collect::<Vec<_>>().join(" ");
        let each = |line: &dyn Fn(usize) -> String| (0..20).map(|i| line(i) + "\n").collect::<String>();
        let text = format!(
            "Reading package lists...\nThe following NEW packages will be installed:\n  {names}\n20 upgraded, 20 newly installed, 0 to remove and 0 not upgraded.\n{}{}",
            each(&|i| format!("Unpacking lib{i} (1.{i}) ...")),
            each(&|i| format!("Setting up lib{i} (1.{i}) ..."))
        );
        let outcome = shown(&text);
        let why = |line: usize| {
            let omissions = &outcome.evidence.omissions;
            omissions.iter().find(|o| (o.lines[0]..=o.lines[1]).contains(&line)).map(|o| o.reason.code())
        };
        assert_eq!((why(2), why(3)), (Some("packages"), Some("packages")), "{}", outcome.texts.concat());
        assert!(outcome.texts.concat().contains("lib19 (1.19)"));
        // The heading of a list that is left out goes with it, also if a line that is unlike the other steps stays.
        let steps = each(&|i| format!("Selecting previously unselected package lib{i}."));
        let note = format!("{steps}debconf: delaying package configuration\nUnpacking lib0");
        let out = shown(&text.replacen("Unpacking lib0", &note, 1)).texts.concat();
        assert!(!out.contains("NEW packages"), "{out}");
        let collecting =
            each(&|i| format!("Collecting lib{i}\n  Downloading lib{i}-1.0-py3-none-any.whl (9 kB)"));
        let pip = shown(&format!(
            "Looking in links: https://a.org/wheels\n{collecting}Successfully installed lib1-1.0\n"
        ));
        assert!(
            pip.texts.concat().starts_with("Looking in links: https://a.org/wheels\n"),
            "{}",
            pip.texts.concat()
        );
    }
}
