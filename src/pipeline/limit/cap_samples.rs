//! Samples of the lines that a cut to bytes leaves out.

use std::borrow::Cow;
use std::ops::Range;

use crate::pipeline::limit::cap::Picked;
use crate::pipeline::limit::programs::stem;
use crate::pipeline::limit::unit::UnitFate;
use crate::text::details;
use crate::text::judge;
use crate::text::maps::Set;
use crate::text::source::Source;

/// The most samples.
pub(super) const MAX_SAMPLES: usize = 12;
/// Lines that are tried for one sample.
const SAMPLE_TRIES: usize = 16;
/// The shortest and the longest line that may be a sample, in bytes.
const MIN_SAMPLE_BYTES: usize = 4;
const MAX_SAMPLE_BYTES: usize = 300;

impl Picked<'_> {
    /// Keeps single lines of what is left out, evenly spread, if they are not like a line that is kept.
    pub(super) fn samples(&mut self, source: &Source<'_>, within: Range<usize>) {
        let similarity = |line: &str| details::similarity_hash(&without_ids(line));
        let first_line = |unit: usize| source.line(self.units[unit].lines.start);
        let gone: Vec<usize> = within.filter(|&unit| self.keep[unit] == UnitFate::No).collect();
        if gone.len() < 2 * MAX_SAMPLES || self.left == 0 {
            return;
        }
        let mut seen: Set<u64> = (0..self.units.len())
            .filter(|&u| self.keep[u] != UnitFate::No)
            .map(|u| similarity(first_line(u)))
            .collect();
        let mut chosen = Vec::new();
        for part in gone.chunks(gone.len().div_ceil(MAX_SAMPLES)) {
            let fits = |unit: &usize| {
                let line = first_line(*unit).trim();
                self.units[*unit].lines.len() == 1
                    && self.units[*unit].is_shown
                    && (MIN_SAMPLE_BYTES..=MAX_SAMPLE_BYTES).contains(&line.len())
            };
            let middle = &part[part.len() / 2..];
            if let Some(unit) =
                middle.iter().take(SAMPLE_TRIES).find(|u| fits(u) && seen.insert(similarity(first_line(**u))))
            {
                chosen.push(*unit);
            }
        }
        for unit in chosen {
            if self.spend(unit) {
                self.keep[unit] = UnitFate::Single;
            }
        }
    }
}

/// A line without hexadecimal ids: lines that differ only in ids are alike.
fn without_ids(line: &str) -> Cow<'_, str> {
    let line = &line[..line.floor_char_boundary(MAX_SAMPLE_BYTES)];
    let runs = || line.as_bytes().chunk_by(|a, b| a.is_ascii_alphanumeric() == b.is_ascii_alphanumeric());
    let is_id = |run: &[u8]| judge::is_id(run) || stem(run).len() < run.len();
    if !runs().any(is_id) {
        return Cow::Borrowed(line);
    }
    let kept: Vec<u8> = runs().filter(|run| !judge::is_id(run)).flat_map(stem).copied().collect();
    String::from_utf8_lossy(&kept).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_no_salience() {
        let same = |a: &str, b: &str| {
            details::similarity_hash(&without_ids(a)) == details::similarity_hash(&without_ids(b))
        };
        assert!(same(
            "#0 0x00007f4089cf5553 in wait (x=0x55d0aa10)",
            "#1 0x00007fa761c8bb57 in wait (x=0x55d0ffff)"
        ));
        assert!(same("commit 908e986a by ann", "commit 17b8f940 by ann"));
        assert!(same("kernel: veth1a2b3c4: up", "kernel: vetheef722b: up"));
        assert!(!same("in wait (x=0x1)", "in recv (x=0x1)"));
    }
}
