//! The lines of the go command that end a package, and how they are folded if there are many of them.

use crate::text::signals;
use crate::text::source::Source;

/// If there are more lines than this of packages that passed or have no tests, they are folded. A choice.
const MIN_FOLDED_PACKAGES: usize = 10;
/// A package is slow, and its line is kept, if it took this many seconds and this many times the median. A choice.
const MIN_SLOW_SECONDS: f64 = 5.0;
const SLOW_FACTOR: f64 = 8.0;

/// The result that the line of a package that did not fail reports, if it reports nothing else.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PackageResult {
    /// It passed, in this many seconds.
    Passed(f64),
    /// It passed in an earlier run: the result is from the cache.
    Cached,
    /// It has tests, but none was selected.
    NoneSelected,
    /// It has no tests.
    NoFiles,
}

impl PackageResult {
    /// The index of the state, without its seconds.
    fn state(self) -> usize {
        match self {
            Self::Passed(_) => 0,
            Self::Cached => 1,
            Self::NoneSelected => 2,
            Self::NoFiles => 3,
        }
    }
}

/// Whether the package passed, by the line that ends it: `ok  \tpkg\t0.1s`, `FAIL\tpkg\t0.1s`, `FAIL\tpkg [build failed]`,
/// `?   \tpkg\t[no test files]`. A terminal may have written blanks in place of the tabs.
pub(super) fn package_end(line: &str) -> Option<bool> {
    if let Some((verdict, rest)) = line.split_once('\t')
        && let Some(passed) = verdict_of(verdict)
    {
        return rest.bytes().next().is_some_and(|b| b.is_ascii_graphic()).then_some(passed);
    }
    let (verdict, rest) = line.split_at_checked(4)?;
    let passed = verdict_of(verdict)?;
    let (package, end) = rest.strip_prefix("    ")?.split_once(' ')?;
    let is_end = seconds(end.trim()).is_some() || end.trim_start().starts_with(['(', '[']);
    (is_end && package.contains(['/', '.'])).then_some(passed)
}

fn verdict_of(word: &str) -> Option<bool> {
    match word {
        "ok  " | "?   " => Some(true),
        "FAIL" => Some(false),
        _ => None,
    }
}

/// `0.215s`
fn seconds(text: &str) -> Option<f64> {
    text.strip_suffix('s').filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))?.parse().ok()
}

/// The result in a line, if the line may be folded.
fn result_in(line: &str) -> Option<PackageResult> {
    if !matches!(line.as_bytes().first(), Some(b'o' | b'?')) || package_end(line) != Some(true) {
        return None;
    }
    let mut words = line.split_ascii_whitespace().skip(2);
    let first = words.next()?;
    let rest = || line.split_once(first).map(|(_, rest)| rest.trim());
    match (line.as_bytes()[0], first) {
        (b'?', "[no") => line.trim_end().ends_with("[no test files]").then_some(PackageResult::NoFiles),
        (b'o', "(cached)") => match words.next() {
            None => Some(PackageResult::Cached),
            Some("[no") => {
                line.trim_end().ends_with("[no tests to run]").then_some(PackageResult::NoneSelected)
            }
            Some(_) => None,
        },
        (b'o', time) => match (seconds(time)?, rest()?) {
            (seconds, "") => Some(PackageResult::Passed(seconds)),
            (_, "[no tests to run]") => Some(PackageResult::NoneSelected),
            _ => None,
        },
        _ => None,
    }
}

/// The result on line `i`, if the line may be folded. The last line of the text is kept: it shows how far the run
/// came.
fn result_at(source: &Source<'_>, i: usize) -> Option<PackageResult> {
    let line = source.line(i);
    result_in(line).filter(|_| i + 1 < source.len() && !signals::is_failure(line))
}

/// The lines of packages that did not fail, if there are many of them.
#[derive(Debug, Default)]
pub(super) struct FoldedPackages {
    /// Packages that took at least this many seconds keep their line; `None` if no line is folded.
    min_kept_seconds: Option<f64>,
    /// For each state, its line if only one package is in that state. It is kept, such as the only one not cached.
    only_line: [Option<usize>; 4],
    /// The text of the marker.
    pub(super) marker_text: String,
}

impl FoldedPackages {
    pub(super) fn read(source: &Source<'_>) -> Self {
        let found: Vec<(usize, PackageResult)> =
            (0..source.len()).filter_map(|i| Some((i, result_at(source, i)?))).collect();
        if found.len() <= MIN_FOLDED_PACKAGES {
            return Self::default();
        }
        let seconds = |result: &PackageResult| {
            if let PackageResult::Passed(seconds) = result { Some(*seconds) } else { None }
        };
        let mut times: Vec<f64> = found.iter().filter_map(|(_, result)| seconds(result)).collect();
        times.sort_unstable_by(f64::total_cmp);
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        let mut folded =
            Self { min_kept_seconds: Some(MIN_SLOW_SECONDS.max(middle * SLOW_FACTOR)), ..Self::default() };
        for state in 0..folded.only_line.len() {
            let mut lines = found.iter().filter(|(_, result)| result.state() == state).map(|(line, _)| *line);
            folded.only_line[state] = lines.next().filter(|_| lines.next().is_none());
        }
        let mut counts = [0_usize; 3];
        for (line, result) in found {
            if !folded.folds_result(line, result) {
                continue;
            }
            match result {
                PackageResult::Passed(_) | PackageResult::Cached => counts[0] += 1,
                PackageResult::NoneSelected => counts[1] += 1,
                PackageResult::NoFiles => counts[2] += 1,
            }
        }
        let kinds = ["ok", "without tests to run", "without test files"];
        for (count, kind) in counts.iter().zip(kinds).filter(|(count, _)| **count > 0) {
            let noun = match (folded.marker_text.is_empty(), count) {
                (false, _) => "",
                (true, 1) => " package",
                (true, _) => " packages",
            };
            let comma = if folded.marker_text.is_empty() { "" } else { ", " };
            folded.marker_text.push_str(&format!("{comma}{count}{noun} {kind}"));
        }
        folded
    }

    /// Whether line `i` is the line of a package and is folded.
    pub(super) fn folds(&self, source: &Source<'_>, i: usize) -> bool {
        self.min_kept_seconds.is_some()
            && result_at(source, i).is_some_and(|result| self.folds_result(i, result))
    }

    fn folds_result(&self, line: usize, result: PackageResult) -> bool {
        match result {
            _ if self.only_line.contains(&Some(line)) => false,
            PackageResult::Passed(seconds) => self.min_kept_seconds.is_some_and(|fast| seconds < fast),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_packages_are_read() {
        for (line, passed) in [
            ("ok  \texample.com/a\t0.01s", Some(true)),
            ("FAIL\texample.com/a [build failed]", Some(false)),
            ("?   \texample.com/a\t[no test files]", Some(true)),
            ("ok      example.com/a   0.01s", Some(true)),
            ("?       example.com/a   [no test files]", Some(true)),
            ("FAIL    example.com/a [build failed]", Some(false)),
            ("FAIL    example.com/a   0.2s", Some(false)),
            ("FAIL", None),
            ("ok\tfine", None),
            ("ok      then we go on", None),
        ] {
            assert_eq!(package_end(line), passed, "{line}");
        }
    }

    #[test]
    fn only_lines_that_say_no_more_fold() {
        for (line, expected) in [
            ("ok  \ta/b\t0.5s", Some(PackageResult::Passed(0.5))),
            ("ok  \ta/b\t(cached)", Some(PackageResult::Cached)),
            ("ok  \ta/b\t0.1s [no tests to run]", Some(PackageResult::NoneSelected)),
            ("ok  \ta/b\t(cached) [no tests to run]", Some(PackageResult::NoneSelected)),
            ("?   \ta/b\t[no test files]", Some(PackageResult::NoFiles)),
            ("ok  \ta/b\t0.5s\tcoverage: 81.0% of statements", None),
            ("ok  \ta/b\t(cached)\tcoverage: 81.0% of statements", None),
            ("FAIL\ta/b\t0.5s", None),
        ] {
            assert_eq!(result_in(line), expected, "{line}");
        }
    }

    #[test]
    fn folded_packages_are_counted_and_slow_ones_stay() {
        let mut text: String = (0..20).map(|i| format!("ok  \ta/b{i}\t0.1s\n")).collect();
        text.push_str("?   \ta/c\t[no test files]\nok  \ta/slow\t41.2s\nok  \ta/d\t(cached)\n");
        text.push_str("?   \ta/e\t[no test files]\nok  \ta/f\t(cached) [no tests to run]\nFAIL\n");
        let source = Source::new(&text);
        let folded = FoldedPackages::read(&source);
        assert_eq!(folded.marker_text, "20 packages ok, 2 without test files");
        assert!(folded.folds(&source, 1) && !folded.folds(&source, 21), "the slow one stays");
        assert!(!folded.folds(&source, 22) && !folded.folds(&source, 24), "the only one of a state stays");
        let few = Source::new("ok  \ta/b\t0.1s\nok  \ta/c\t0.1s\n");
        assert!(!FoldedPackages::read(&few).folds(&few, 0));
    }
}
