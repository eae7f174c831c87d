//! Packages of a list or a tree whose version is unlike the others: `minimist@0.0.8` among releases from 1.0 on,
//! one `3.0.0-rc.1`, a package in one older major version while it occurs several times in another.

use crate::pipeline::limit::unit::{Candidate, MAX_LINES_PER_VALUE, digest};
use crate::text::judge::{RARE_ONE_IN, is_share};
use crate::text::maps::Map;
use crate::text::source::Source;

/// With fewer packages, each of them is read.
const MIN_PACKAGES: usize = 40;
/// At least 1 line in this many must name a package.
const MOST_ONE_IN: usize = 2;
/// The most words of a line that are read: the lines of a tree are words too.
const MAX_WORDS: usize = 24;
/// The most packages that are counted separately. Bounds the memory for a hostile text.
const MAX_NAMES: usize = 4096;
/// A package needs at least this many lines to have a usual major version.
const MIN_ALIKE: usize = 5;

/// The kind of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Release,
    /// Before `0.1`.
    Initial,
    /// `1.0.0-beta.2`
    Prerelease,
}

/// The majors of one package: the first, and how often and where another one is.
struct Majors {
    major: u64,
    count: usize,
    first: usize,
    others: usize,
    other: usize,
    other_major: u64,
    /// Whether the other lines have different majors.
    is_mixed: bool,
}

/// Adds the lines with such packages.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < MIN_PACKAGES {
        return;
    }
    let mut all = 0;
    let mut odd: [(usize, Vec<usize>); 2] = Default::default();
    let mut known: Map<&str, Majors> = Map::default();
    for (place, &line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let Some((name, version)) = package(source.line(line)) else { continue };
        all += 1;
        let (major, kind) = read(version);
        if kind != Kind::Release {
            let (count, places) = &mut odd[usize::from(kind == Kind::Prerelease)];
            *count += 1;
            if places.len() < MAX_LINES_PER_VALUE {
                places.push(place);
            }
        }
        if known.len() == MAX_NAMES && !known.contains_key(name) {
            continue;
        }
        let new = Majors {
            major,
            count: 0,
            first: place,
            others: 0,
            other: place,
            other_major: major,
            is_mixed: false,
        };
        let majors = known.entry(name).or_insert(new);
        if majors.major == major {
            majors.count += 1;
        } else {
            majors.is_mixed |= majors.others > 0 && majors.other_major != major;
            majors.others += 1;
            (majors.other, majors.other_major) = (place, major);
        }
    }
    if all < MIN_PACKAGES || all * MOST_ONE_IN < lines.len() {
        return;
    }
    let mut add = |places: &[usize], count: usize| {
        out.extend(places.iter().enumerate().map(|(nth, &place)| {
            let key = digest(source.line(lines[place]).trim().as_bytes(), 0);
            Candidate { place, nth, count, key, is_word: false }
        }));
    };
    odd.iter()
        .filter(|(count, _)| is_share(*count, all, RARE_ONE_IN))
        .for_each(|(count, places)| add(places, *count));
    let mut unlike: Vec<usize> = known.values().filter_map(Majors::outlier).collect();
    unlike.sort_unstable();
    if is_share(unlike.len(), all, RARE_ONE_IN) {
        unlike.truncate(MAX_LINES_PER_VALUE);
        add(&unlike, unlike.len());
    }
}

impl Majors {
    /// The only line with another major than all others of the package.
    fn outlier(&self) -> Option<usize> {
        match (self.count, self.others) {
            (count, 1) if count + 1 >= MIN_ALIKE => Some(self.other),
            (1, others) if others + 1 >= MIN_ALIKE && !self.is_mixed => Some(self.first),
            _ => None,
        }
    }
}

/// The package that a line names, and its version: `name@1.2.3`, `name==1.2.3`, `name v1.2.3`.
fn package(line: &str) -> Option<(&str, &str)> {
    let is_version = |text: &str| text.starts_with(|c: char| c.is_ascii_digit()) && text.contains('.');
    let mut before = "";
    for word in line.split_ascii_whitespace().take(MAX_WORDS) {
        let parts =
            word.rsplit_once('@').or_else(|| word.contains('=').then(|| word.split_once("==")).flatten());
        if let Some((name, version)) = parts.filter(|(name, version)| !name.is_empty() && is_version(version))
        {
            return Some((name, version));
        }
        if let Some(version) = word.strip_prefix('v').filter(|version| is_version(version))
            && before.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            return Some((before, version));
        }
        before = word;
    }
    None
}

/// The major of a version, and its kind.
fn read(version: &str) -> (u64, Kind) {
    let (numbers, rest) =
        version.split_at(version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len()));
    let mut numbers = numbers.split('.').map(|number| number.parse::<u64>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let word = rest.strip_prefix('-').unwrap_or(rest);
    // `2.9.0.post0` comes after the release.
    let is_early = word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.starts_with("post");
    let kind = match (major, minor) {
        _ if is_early => Kind::Prerelease,
        (0, 0) => Kind::Initial,
        _ => Kind::Release,
    };
    (major, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: impl Fn(usize) -> String) -> Vec<usize> {
        let text: String = (0..90).map(|i| line(i) + "\n").collect();
        let source = Source::new(&text);
        let mut out = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
        let mut places: Vec<usize> = out.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn versions_unlike_the_others() {
        let tree = |i: usize, odd: &str| match i {
            50 => format!("│ ├── {odd}"),
            _ => format!("{}├── pkg-{}@{}.{i}.0", ["", "│ "][i % 2], i % 18, 1 + i % 18 % 3),
        };
        for odd in ["left@0.0.8", "left@3.0.0-rc.1", "pkg-4@7.2.0", "left v2.0.0-beta"] {
            assert_eq!(found(|i| tree(i, odd)), [50], "{odd}");
        }
        for usual in ["left@2.0.8", "pkg-4@2.7.0", "left==2.9.0.post0", "left"] {
            assert_eq!(found(|i| tree(i, usual)), [0; 0], "{usual}");
        }
        // Many first versions are nothing special.
        assert_eq!(found(|i| format!("pkg{i}==0.{}.2", i % 2)), [0; 0]);
        assert_eq!(found(|i| format!("word {i} of a text")), [0; 0]);
        // Five majors of one package, of which none is usual.
        assert_eq!(found(|i| format!("pkg-{}@{}.1.0", i % 18, i / 18)), [0; 0]);
    }

    #[test]
    fn packages_of_lines() {
        for (line, expected) in [
            ("│ ├─┬ @scope/a@1.2.3 deduped", Some(("@scope/a", "1.2.3"))),
            ("├── serde v1.0.2 (proc-macro)", Some(("serde", "1.0.2"))),
            ("six==1.16.0", Some(("six", "1.16.0"))),
            ("mail to a@b.example", None),
            ("├── v1.2", None),
            ("node v18", None),
        ] {
            assert_eq!(package(line), expected, "{line}");
        }
    }
}
