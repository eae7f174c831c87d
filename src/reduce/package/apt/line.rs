//! Classifies the lines of apt and dpkg one by one; `apt.rs` decides what to do with them.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The kind of a line of apt or dpkg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Fetches, steps and triggers.
    Step,
    /// Hints on commands to run.
    Hint,
    /// `Setting up NAME (VERSION) ...`
    SetUp(&'a str, &'a str),
    /// `Unpacking NAME (VERSION) ...`, with the version that was installed before.
    Unpack(&'a str, Option<&'a str>),
    /// `Inst NAME [OLD] (NEW …)` of a simulation.
    Inst(&'a str, Option<&'a str>, &'a str),
    /// `Conf NAME (NEW …)` of a simulation.
    Conf(&'a str),
    /// `dpkg: error processing package NAME (--configure):`
    Failed(&'a str),
    /// `NAME is already the newest version (VERSION).`
    Newest(&'a str, &'a str),
    /// The heading of a list of names that other lines show too, or of advice.
    List(Listed),
    /// A line of apt or dpkg that is kept.
    Known,
    /// Anything else.
    Other,
}

/// What a list of names contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    /// Packages to install: named again when they are set up.
    New,
    /// Further packages that are needed: the list of new packages names them too.
    Additional,
    /// Advice.
    Advice,
}

/// A name without its architecture.
pub(super) fn bare(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
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

/// Starts of lines that report progress.
const STEPS: &[&str] = &[
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
];
/// Starts of lines that are kept.
const KNOWN: &[&str] = &[
    "E: ",
    "W: ",
    "N: ",
    "Fetched ",
    "Need to get ",
    "After this operation, ",
    "Removing ",
    "dpkg: ",
    "Purging configuration files for ",
    "Err:",
    "Remv ",
];

/// What is between the name and the version of a package that need not be installed.
const NEWEST: &str = " is already the newest version (";
static IS_NEWEST: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(NEWEST));

/// Classifies a line.
pub(super) fn read(line: &str) -> Line<'_> {
    let line = line.trim_end();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| line.starts_with(p));
    if let Some((name, version, "" | " ...")) = line.strip_prefix("Setting up ").and_then(name_version) {
        return Line::SetUp(name, version);
    }
    if let Some((name, _, rest)) = line.strip_prefix("Unpacking ").and_then(name_version) {
        let before = rest.strip_prefix(" over (").and_then(|r| r.split_once(')')).map(|(before, _)| before);
        return Line::Unpack(name, before);
    }
    if let Some(at) = IS_NEWEST.find(line.as_bytes()) {
        return Line::Newest(&line[..at], line[at + NEWEST.len()..].trim_end_matches([')', '.']));
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
    if is_fetch(line) || starts(STEPS) || line.ends_with(" set to manually installed.") {
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
        _ if starts(KNOWN)
            || line.contains(" newly installed, ")
            || line.starts_with("The following ") && line.ends_with(':') =>
        {
            Line::Known
        }
        _ => Line::Other,
    }
}

/// `Get:12 http://…`, `Hit:1 …`, `Ign:3 …`, and the same without numbers, as old versions write them.
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
