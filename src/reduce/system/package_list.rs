//! `apt list`, `dpkg -l`: the suite, architecture and state that most packages have are written once, and
//! padding is removed. Every name, version and description is kept, and so is each value that differs.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;

/// The reducer of this module.
pub struct PackageList;

static META: Meta = Meta {
    id: "package_list",
    family: "system",
    reads: "`apt list`, `dpkg -l`",
    keeps: "every name, version and description, every state, suite and architecture that is not the usual one",
    omits: "the state, suite and architecture that most packages have, written once; padding",
    anchors: &["Listing...", "Desired=Unknown"],
};

/// Fewer packages are not worth a line at the top. A choice.
const MIN_PACKAGES: usize = 5;
/// The text before the values that are written once.
const SAID: &str = "where not shown: ";

/// A package.
#[derive(Debug, PartialEq, Eq)]
struct Package<'a> {
    name: &'a str,
    /// `/stable,now`; empty for `dpkg`.
    suite: &'a str,
    version: &'a str,
    architecture: &'a str,
    /// `[installed]` or `ii`.
    state: &'a str,
    /// Description, for `dpkg`.
    about: &'a str,
}

/// The values that most packages share.
struct Usual<'a> {
    suite: Option<&'a str>,
    architecture: Option<&'a str>,
    state: Option<&'a str>,
}

impl Package<'_> {
    fn written(&self, usual: &Usual<'_>) -> String {
        let unless = |value, usual: Option<&str>| if usual == Some(value) { "" } else { value };
        let name = format!("{}{}", self.name, unless(self.suite, usual.suite));
        let architecture = unless(self.architecture, usual.architecture);
        let state = unless(self.state, usual.state);
        let mut words = match self.state.starts_with('[') {
            true => vec![&name, self.version, architecture, state],
            false => vec![state, &name, self.version, architecture, self.about],
        };
        words.retain(|word| !word.is_empty());
        words.join(" ")
    }
}

/// `bash/stable,now 5.2.15-2 amd64 [installed]`
fn apt(line: &str) -> Option<Package<'_>> {
    let (path, rest) = line.split_once(' ')?;
    let (version, rest) = rest.split_once(' ')?;
    let (architecture, state) = rest.split_once(' ')?;
    let slash = path.find('/').filter(|at| *at > 0)?;
    let (name, suite) = path.split_at(slash);
    let fits =
        state.starts_with('[') && state.ends_with(']') && !version.is_empty() && !architecture.is_empty();
    fits.then_some(Package { name, suite, version, architecture, state, about: "" })
}

/// `ii  bash  5.2.15-2  amd64  GNU Bourne Again SHell`
fn dpkg(line: &str) -> Option<Package<'_>> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.split_once(' ')?;
        rest = after.trim_start_matches(' ');
        Some(word)
    };
    let (state, name, version, architecture) = (word()?, word()?, word()?, word()?);
    let is_state = matches!(state.len(), 2 | 3)
        && state.bytes().next().is_some_and(|b| b"uirph".contains(&b))
        && state.bytes().skip(1).all(|b| b"ncHUFWtiR".contains(&b));
    (is_state && !rest.is_empty()).then_some(Package {
        name,
        suite: "",
        version,
        architecture,
        state,
        about: rest,
    })
}

/// The packages, each with its line.
fn packages<'a>(input: &Input<'a>) -> Vec<(usize, Package<'a>)> {
    let source = input.source;
    let is_dpkg = source.lines().take(20).any(|line| line.starts_with("Desired=Unknown"));
    let read = if is_dpkg { dpkg } else { apt };
    let lines = (0..source.len()).filter(|&i| !signals::is_failure(source.line(i)));
    lines.filter_map(|i| read(source.line(i).trim_end()).map(|package| (i, package))).collect()
}

/// The value that most have, if more than half do.
fn most<'a>(values: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let all: usize = counts.values().sum();
    counts.into_iter().find(|(value, count)| count * 2 > all && !value.is_empty()).map(|(value, _)| value)
}

impl Reducer for PackageList {
    fn meta(&self) -> &Meta {
        &META
    }

    fn rewrites(&self) -> bool {
        true
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let is_head = |line: &str| META.anchors.iter().any(|anchor| line.starts_with(anchor));
        FormatProof::full_if(
            input.source.lines().take(20).any(is_head) && packages(input).len() >= MIN_PACKAGES,
        )
    }

    fn is_writer(&self, s: &Simple) -> bool {
        matches!(s.program(), "apt" | "dpkg" | "dpkg-query")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let packages = packages(input);
        if packages.len() < MIN_PACKAGES || input.source.lines().any(|line| line.starts_with(SAID)) {
            return Err(Reason::NothingToDo);
        }
        let usual = Usual {
            suite: most(packages.iter().map(|(_, p)| p.suite)),
            architecture: most(packages.iter().map(|(_, p)| p.architecture)),
            state: most(packages.iter().map(|(_, p)| p.state)),
        };
        let said: Vec<&str> = [usual.suite, usual.architecture, usual.state].into_iter().flatten().collect();
        if said.is_empty() {
            return Err(Reason::NothingToDo);
        }
        let mut head = format!("{SAID}{}\n", said.join(" "));
        let mut out = Reduction::default();
        for (i, package) in &packages {
            let text = std::mem::take(&mut head) + &package.written(&usual);
            out.replace(*i..i + 1, text, Reason::ListingLayout);
        }
        Ok(out)
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        let packages = packages(input);
        let is_head = |i: &usize| META.anchors.iter().any(|anchor| input.source.line(*i).starts_with(anchor));
        let start = (0..input.source.len()).find(is_head).unwrap_or(0);
        let end = packages.last().map_or(input.source.len(), |(i, _)| i + 1);
        start.min(end)..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_both() {
        let usual =
            Usual { suite: Some("/stable,now"), architecture: Some("amd64"), state: Some("[installed]") };
        let written = |line| apt(line).map(|p| p.written(&usual));
        assert_eq!(written("bash/stable,now 5.2 amd64 [installed]").as_deref(), Some("bash 5.2"));
        let other = "a/testing 5.2 all [upgradable from: 5.1]";
        assert_eq!(written(other).as_deref(), Some(other));
        assert_eq!(written("this/that is not [one"), None);
        let usual = Usual { suite: None, architecture: Some("amd64"), state: Some("ii") };
        let written = |line| dpkg(line).map(|p| p.written(&usual));
        assert_eq!(
            written("ii  bash     5.2-2   amd64   GNU  shell").as_deref(),
            Some("bash 5.2-2 GNU  shell")
        );
        assert_eq!(written("rc  old      1       all     gone").as_deref(), Some("rc old 1 all gone"));
        assert_eq!(written("++-====-===-==="), None);
    }
}
