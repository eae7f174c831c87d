//! `apt`, `apt-get` and `dpkg`: fetches and the steps of each package go, packages are named with the version that was set
//! up and the one before, counts, sizes, removals, warnings and errors stay.
//!
//! The list of new packages goes only when each of them was set up, and an unpacked package keeps its line
//! when it was not. Lines as written by apt 1.0 to 3.0 without a terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::gone::Gone;
use crate::pipeline::ledger::Reduction;
use crate::pipeline::reason::Reason;
use crate::pipeline::source::Source;
use crate::reduce::lines::reads_as_report;
use crate::reduce::{Claim, Input, Meta, Reducer};

/// See the module.
pub struct Apt;

static META: Meta = Meta {
    id: "apt",
    family: "package",
    reads: "`apt`, `apt-get`, `aptitude` `install`, `update`, `upgrade`, `remove`, and `dpkg -i`, also simulated",
    keeps: "counts, sizes, packages that are removed or held back, notes, warnings, errors, packages that were not set up",
    folds: "fetches, unpacking, triggers, suggested packages; packages that were set up are named with their versions",
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

/// Lines that a claim looks at.
const CLAIM_LINES: usize = 2000;

/// What a line of apt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    /// Fetches, steps and triggers.
    Step,
    /// Hints on what to type.
    Hint,
    /// `Setting up NAME (VERSION) ...`
    SetUp(&'a str, &'a str),
    /// `Unpacking NAME (VERSION) ...`, with the version that was there before.
    Unpack(&'a str, Option<&'a str>),
    /// `Inst NAME [OLD] (NEW …)` of a simulation.
    Inst(&'a str, Option<&'a str>, &'a str),
    /// `Conf NAME (NEW …)` of a simulation.
    Conf(&'a str),
    /// `dpkg: error processing package NAME (--configure):`
    Failed(&'a str),
    /// `NAME is already the newest version (VERSION).`
    Newest(&'a str, &'a str),
    /// Heads a list of names that others show or that is advice.
    List(Listed),
    /// Stays, and tells that apt is speaking.
    Known,
    /// Anything else.
    Other,
}

/// What a list of names is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// Packages that come: shown again when they are set up.
    New,
    /// Packages that come along: the list of those that come has them too.
    Additional,
    /// Advice.
    Advice,
}

impl Reducer for Apt {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        if !reads_as_report(input) {
            return Claim::No;
        }
        let programs = ["apt", "apt-get", "aptitude", "dpkg"];
        let is_ours = input.detection.command.runs(|s| {
            programs.contains(&s.program())
                && !matches!(s.subcommand(), Some("list" | "search" | "show" | "policy" | "depends"))
        });
        let (mut known, mut all) = (0, 0);
        for line in input.source.lines().take(CLAIM_LINES).filter(|l| !l.trim().is_empty()) {
            all += 1;
            known += usize::from(read(line) != Line::Other || line.starts_with("  "));
        }
        match () {
            () if is_ours && known > 0 => Claim::Command,
            () if known >= 3 && known * 2 >= all => Claim::Content,
            () => Claim::No,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let state = State::of(source);
        let mut gone = Gone::default();
        let mut i = 0;
        while i < source.len() {
            let line = source.line(i);
            match read(line) {
                Line::Step => gone.hide(i, Reason::Progress),
                Line::Hint => gone.hide(i, Reason::PackageHints),
                Line::SetUp(name, version) if state.set_up.contains(bare(name)) => {
                    gone.name(i, Reason::Packages, state.named(name, version))
                }
                Line::Unpack(name, _) if state.set_up.contains(bare(name)) => gone.hide(i, Reason::Progress),
                Line::Conf(name) if state.simulated.contains(bare(name)) => gone.hide(i, Reason::Progress),
                Line::Inst(name, before, version) => {
                    let named = match before {
                        Some(before) => format!("{name} ({version}, before {before})"),
                        None => format!("{name} ({version})"),
                    };
                    gone.name(i, Reason::Packages, named);
                }
                Line::Newest(name, version) => {
                    gone.name(i, Reason::Satisfied, format!("{name} ({version})"));
                }
                Line::List(listed) => {
                    let end = list_end(source, i);
                    let mut names = (i + 1..end).flat_map(|l| source.line(l).split_whitespace());
                    let reason = match listed {
                        Listed::Advice => Some(Reason::PackageHints),
                        Listed::Additional if names.clone().all(|n| state.listed.contains(n)) => {
                            Some(Reason::Progress)
                        }
                        Listed::New | Listed::Additional if names.all(|n| state.shows(n)) => {
                            Some(Reason::Progress)
                        }
                        Listed::New | Listed::Additional => None,
                    };
                    if let Some(reason) = reason {
                        (i..end).for_each(|l| gone.hide(l, reason));
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
        gone.keep(extent(source).end.saturating_sub(1));
        gone.finish(source)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        extent(input.source)
    }
}

fn extent(source: &Source<'_>) -> Range<usize> {
    let known = |i: &usize| read(source.line(*i)) != Line::Other;
    let first = (0..source.len()).find(known).unwrap_or(0);
    let last = (first..source.len()).rev().find(known).unwrap_or(first);
    first..list_end(source, last)
}

/// What the whole output says of its packages.
#[derive(Default)]
struct State<'a> {
    /// Names that were set up and did not fail.
    set_up: BTreeSet<&'a str>,
    /// Names in the lists of packages that come.
    listed: BTreeSet<&'a str>,
    /// Names that a simulation would install.
    simulated: BTreeSet<&'a str>,
    /// Names with the version that was there before.
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

/// A name without its architecture.
fn bare(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

/// The line after an indented list of names.
fn list_end(source: &Source<'_>, head: usize) -> usize {
    let listed = |i: &usize| source.line(*i).starts_with("  ") && !source.line(*i).trim().is_empty();
    head + 1 + (head + 1..source.len()).take_while(listed).count()
}

/// `NAME (VERSION)` at the start of a text, and what follows.
fn name_version(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once(" (")?;
    let (version, rest) = rest.split_once(')')?;
    (!name.contains(' ')).then_some((name, version, rest))
}

/// `NAME [OLD] (NEW SOURCE [ARCH])`
fn simulated(text: &str) -> Option<Line<'_>> {
    let (head, tail) = text.split_once(" (")?;
    let version = tail.split([' ', ')']).next()?;
    let (name, before) = match head.split_once(" [") {
        Some((name, before)) => (name, Some(before.strip_suffix(']')?)),
        None => (head, None),
    };
    (!name.contains(' ')).then_some(Line::Inst(name, before, version))
}

/// Reads a line.
fn read(line: &str) -> Line<'_> {
    let line = line.trim_end();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| line.starts_with(p));
    if let Some((name, version, "" | " ...")) = line.strip_prefix("Setting up ").and_then(name_version) {
        return Line::SetUp(name, version);
    }
    if let Some((name, _, rest)) = line.strip_prefix("Unpacking ").and_then(name_version) {
        let before = rest.strip_prefix(" over (").and_then(|r| r.split_once(')')).map(|(before, _)| before);
        return Line::Unpack(name, before);
    }
    if let Some((name, version)) = line.split_once(" is already the newest version (") {
        return Line::Newest(name, version.trim_end_matches([')', '.']));
    }
    if let Some(package) = line.strip_prefix("Conf ").and_then(|rest| rest.split_once(" (")) {
        return Line::Conf(package.0);
    }
    if let Some(inst) = line.strip_prefix("Inst ").and_then(simulated) {
        return inst;
    }
    if let Some(rest) = line.strip_prefix("dpkg: error processing package ") {
        return Line::Failed(rest.split(' ').next().unwrap_or(rest));
    }
    if is_fetch(line)
        || starts(&[
            "Reading package lists...",
            "Building dependency tree",
            "Reading state information...",
            "Reading extended state information",
            "Initializing package states",
            "Calculating upgrade...",
            "Selecting previously unselected package ",
            "(Reading database ...",
            "Preparing to unpack ",
            "Processing triggers for ",
            "update-alternatives: using ",
            "debconf: delaying package configuration",
            "debconf: unable to initialize frontend",
            "debconf: (",
            "debconf: falling back to frontend",
            "invoke-rc.d: policy-rc.d denied execution",
            "Extracting templates from packages: ",
            "Preconfiguring packages ...",
        ])
        || line.ends_with(" set to manually installed.")
    {
        return Line::Step;
    }
    match line {
        "The following additional packages will be installed:" => Line::List(Listed::Additional),
        "The following NEW packages will be installed:" | "The following packages will be upgraded:" => {
            Line::List(Listed::New)
        }
        "Suggested packages:"
        | "Recommended packages:"
        | "The following packages were automatically installed and are no longer required:"
        | "The following package was automatically installed and is no longer required:" => {
            Line::List(Listed::Advice)
        }
        _ if starts(&["WARNING: apt does not have a stable CLI interface", "Use 'apt autoremove'"])
            || starts(&["Use 'apt-get autoremove'", "Use 'sudo apt autoremove'"]) =>
        {
            Line::Hint
        }
        _ if starts(&[
            "E: ",
            "W: ",
            "N: ",
            "Fetched ",
            "Need to get ",
            "After this operation, ",
            "Removing ",
        ]) || starts(&["dpkg: ", "Purging configuration files for ", "Err:", "Remv "])
            || line.contains(" newly installed, ")
            || line.starts_with("The following ") && line.ends_with(':') =>
        {
            Line::Known
        }
        _ => Line::Other,
    }
}

/// `Get:12 http://…`, `Hit:1 …`, `Ign:3 …`, and the forms without numbers of old versions.
fn is_fetch(line: &str) -> bool {
    let Some((word, rest)) = line.split_once([':', ' ']) else { return false };
    matches!(word, "Get" | "Hit" | "Ign")
        && rest
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start()
            .split(' ')
            .next()
            .is_some_and(|url| url.starts_with("http") || url.contains(":/") || url.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert_eq!(read("Setting up jq (1.6-2) ..."), Line::SetUp("jq", "1.6-2"));
        assert_eq!(read("Unpacking a:amd64 (2) over (1) ..."), Line::Unpack("a:amd64", Some("1")));
        assert_eq!(read("jq is already the newest version (1.6)."), Line::Newest("jq", "1.6"));
        assert_eq!(read("Get:1 http://a/debian b InRelease [151 kB]"), Line::Step);
        assert_eq!(read("Inst a [1] (2 Debian:12/oldstable [amd64])"), Line::Inst("a", Some("1"), "2"));
        assert_eq!(read("dpkg: error processing package a (--configure):"), Line::Failed("a"));
        assert_eq!(read("Get your own copy"), Line::Other);
        assert_eq!(read("Setting up the project"), Line::Other);
        assert_eq!(read("E: Unable to locate package x"), Line::Known);
    }
}
