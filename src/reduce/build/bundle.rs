//! Bundlers and compilers of JavaScript: webpack, vite, rollup, esbuild, next, babel, swc. Progress and built modules
//! are left out, and all but the largest files of a long list of written files. Errors, warnings, sizes that are too
//! big, routes, totals and times are kept.
//!
//! Each tool is a table of line forms; only the list of files is handled across lines.

use std::collections::HashSet;
use std::ops::Range;

use crate::config::Mode;
use crate::input::{Claim, Input};
use crate::reduce::format::Format;
use crate::reduce::lines::{is_number, reads_as_report};
use crate::reduce::{Meta, Reducer};
use crate::text::judge::{Counted, RARE_ONE_IN, is_few};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::signals;
use crate::text::source::Source;

/// A tool that turns modules into files.
pub struct Bundler {
    /// The forms of its lines.
    pub format: &'static Format,
    /// Whether only this tool writes the line, so that its output is recognised when `npm run build` started it.
    pub proof: fn(&str) -> bool,
    /// Whether a line reports a file that was written, with its size.
    pub file: fn(&str) -> bool,
    /// Whether a line is the explanation of a warning, the same for all warnings of its kind.
    pub explains: fn(&str) -> bool,
}

/// Files of one list that are shown, and how many in mode `aggressive`. Choices: about a screen, and a third of a
/// screen.
const SHOWN_FILES: usize = 24;
const SHOWN_FILES_AGGRESSIVE: usize = 8;
/// Marker groups above those that a format uses: one for explanations, then one for each list.
const EXPLAINED: u32 = 1 << 20;

impl Reducer for Bundler {
    fn meta(&self) -> &Meta {
        &self.format.meta
    }

    fn claim(&self, input: &Input<'_>) -> Claim {
        let claim = self.format.claim(input);
        let runs_scripts = || {
            input.detection.command.runs(|s| {
                matches!(
                    s.program(),
                    "npm" | "pnpm" | "yarn" | "bun" | "turbo" | "nx" | "lerna" | "make" | "node"
                )
            })
        };
        match claim {
            Claim::No if reads_as_report(input) && runs_scripts() && input.source.lines().any(self.proof) => {
                Claim::Content
            }
            _ => claim,
        }
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut out = match self.format.reduce(input) {
            Err(Reason::NothingToDo) => Reduction::default(),
            other => other?,
        };
        let shown = if input.policy.mode == Mode::Aggressive { SHOWN_FILES_AGGRESSIVE } else { SHOWN_FILES };
        let mut lists = Reduction::default();
        let mut i = 0;
        while i < source.len() {
            let end = (i..source.len()).find(|&i| !(self.file)(source.line(i))).unwrap_or(source.len());
            // A marker for only a few lines more than the limit would not pay.
            if end - i > shown + shown / 4 {
                list(source, i..end, shown, &mut lists);
            }
            i = end + 1;
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for i in 0..source.len() {
            let line = source.line(i);
            if (self.explains)(line) && !seen.insert(line) && !signals::is_failure(line) {
                lists.omit_in(i..i + 1, Reason::DiagnosticExcerpt, EXPLAINED);
            }
        }
        out.spans.extend(lists.spans);
        out.order(0);
        out.unless_empty()
    }

    fn extent(&self, input: &Input<'_>) -> Range<usize> {
        self.format.extent(input)
    }
}

/// Hides all but the largest files of a list; the order of the others stays.
fn list(source: &Source<'_>, lines: Range<usize>, shown: usize, out: &mut Reduction) {
    let mut by_size: Vec<(u64, usize)> = lines.clone().map(|i| (size(source.line(i)), i)).collect();
    by_size.sort_by_key(|&(size, i)| (std::cmp::Reverse(size), i));
    let mut kept: Vec<usize> = by_size.iter().take(shown).map(|&(_, i)| i).collect();
    kept.extend(outlier_files(source, &by_size));
    kept.sort_unstable();
    for i in lines.clone().filter(|i| kept.binary_search(i).is_err() && !source.line(*i).contains("[big]")) {
        out.omit_in(i..i + 1, Reason::AssetLimit, EXPLAINED + 1 + lines.start as u32);
    }
}

/// Most files that are kept although they are not among the largest. A choice.
const MAX_ODD_FILES: usize = 4;

/// The few empty files, and the few whose flags or measures differ from those of nearly all others, such as the only
/// one that is not `[minimized]` or that has a `map:`.
fn outlier_files(source: &Source<'_>, files: &[(u64, usize)]) -> Vec<usize> {
    let mut flags: Counted<Vec<&str>> = Counted::default();
    for &(_, i) in files {
        let line = source.line(i);
        let labels =
            line.split_ascii_whitespace().filter(|word| word.ends_with(':') && !word.starts_with('('));
        let tags = line.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
        flags.add(labels.chain(tags).collect(), i);
    }
    let empty: Vec<usize> = files.iter().filter(|(size, _)| *size == 0).map(|(_, i)| *i).collect();
    let mut out = Vec::new();
    for of in [empty, flags.rare()] {
        if of.len() <= MAX_ODD_FILES && is_few(of.len(), files.len(), RARE_ONE_IN) {
            out.extend(of);
        }
    }
    out
}

/// The first size in a line, in hundredths of a byte; 0 if there is none.
fn size(line: &str) -> u64 {
    const UNITS: &[(&str, u64)] = &[
        ("bytes", 1),
        ("KiB", 1024),
        ("MiB", 1024 * 1024),
        ("kB", 1000),
        ("KB", 1000),
        ("kb", 1000),
        ("MB", 1_000_000),
        ("mb", 1_000_000),
        ("B", 1),
        ("b", 1),
    ];
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    for (i, word) in words.iter().enumerate() {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &word[number.len()..] {
            "" => words.get(i + 1).copied().unwrap_or_default(),
            unit => unit,
        };
        let Some((whole, part)) = number.split_once('.').or(Some((number, "0"))) else { continue };
        let Some((_, factor)) = UNITS.iter().find(|(u, _)| *u == unit) else { continue };
        if is_number(&whole.replace(',', "")) && is_number(part) {
            let whole: u64 = whole.replace(',', "").parse().unwrap_or(0);
            let part: u64 = format!("{part:0<2}").get(..2).and_then(|p| p.parse().ok()).unwrap_or(0);
            return (whole.saturating_mul(100) + part).saturating_mul(*factor);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_unlike_the_others() {
        let shown = |odd: &str| {
            let line = |i: usize| match i {
                33 => odd.to_owned(),
                _ => format!("asset p{i}.js {i}.5 KiB [emitted] [minimized] (name: p{i})"),
            };
            let text: String = (0..80).map(|i| line(i) + "\n").collect();
            let source = Source::new(&text);
            let mut out = Reduction::default();
            list(&source, 0..80, 8, &mut out);
            let gone: Vec<usize> = out.spans.iter().flat_map(|span| span.lines.clone()).collect();
            (0..72).filter(|i| !gone.contains(i)).collect::<Vec<_>>()
        };
        for odd in [
            "asset q.js 3.5 KiB [emitted] (name: q)",
            "asset q.js 3.5 KiB [compared for emit] [minimized] (name: q)",
            "asset q.js 0 bytes [emitted] [minimized] (name: q)",
            "asset q.js 3.5 KiB [emitted] [minimized] map: 9 KiB (name: q)",
        ] {
            assert_eq!(shown(odd), [33], "{odd}");
        }
        assert_eq!(shown("asset q.js 3.5 KiB [emitted] [minimized] (name: q)"), [0; 0]);
    }

    #[test]
    fn reads_sizes() {
        assert_eq!(size("asset main.js 16.9 KiB [emitted] (name: main)"), 1690 * 1024);
        assert_eq!(size("dist/assets/p1-jKClfibu.js  1,024.05 kB │ gzip: 0.07 kB"), 102_405 * 1000);
        assert_eq!(size("  eo/main.js            1.1kb"), 110 * 1000);
        assert_eq!(size("  eo/p1.js  500b "), 500 * 100);
        assert_eq!(size("nothing at all"), 0);
    }
}
