//! Limits of a diff: which lines of its hunks are left out when a hunk, or the whole, changes more
//! lines than may be shown.
//!
//! Every file keeps its names and every hunk its `@@` line. The allowed lines are divided so that small files are
//! shown whole. Files and hunks with relevant words get up to three times the share of others; files with the same
//! changes as files above get less. A hunk over its share keeps its head, its tail and the blocks with the best
//! scores. If it keeps one side of a short edit, it keeps the other side, too. Edits that are unlike the others are kept in
//! any case.

use std::ops::Range;

use super::super::unified::{File, Hunk};
use crate::input::Input;
use crate::text::code::{self, Edit};
use crate::text::details::similarity_hash;
use crate::text::maps::Map;
use crate::text::source::Source;

/// Lines in the middle of a hunk that are kept or left out together.
const BLOCK: usize = 12;
/// Weight of a file or hunk without relevant words, and the bonus of the most relevant one. A choice.
const WEIGHT: u64 = 1000;
const BONUS: u64 = 2000;
/// Files with the same changes that count in full; the weight of further ones is divided by the second number.
const MAX_FULL_FORMS: usize = 3;
const REPEATED_DIVISOR: u64 = 10;
/// Longest edit of which both sides are always shown, in lines.
const MAX_WHOLE_EDIT_LINES: usize = 6;

/// The lines to leave out: per file, per hunk, in order; empty for a hunk that is shown whole.
pub type Cuts = Vec<Vec<Vec<Range<usize>>>>;

/// Chooses the lines of the files' hunks to leave out.
pub fn cuts(input: &Input<'_>, files: &[&File<'_>]) -> Cuts {
    let shares = shares(input, files);
    let unlike = unlike(input.source, files);
    let hunks = files.iter().zip(shares);
    hunks
        .map(|(f, s)| f.hunks.iter().zip(s).map(|(h, share)| cut(input, h, share, &unlike)).collect())
        .collect()
}

/// The edits that are unlike the others, in order.
fn unlike(source: &Source<'_>, files: &[&File<'_>]) -> Vec<Range<usize>> {
    let hunks = files.iter().flat_map(|file| &file.hunks);
    let edits: Vec<Edit> = hunks.flat_map(|hunk| code::edits_of(source, hunk.body.clone())).collect();
    let mut found = code::unlike_edits(source, &edits);
    found.sort_unstable();
    found.into_iter().map(|at| edits[at].first_lines()).collect()
}

/// Changed lines that each hunk may show.
fn shares(input: &Input<'_>, files: &[&File<'_>]) -> Vec<Vec<usize>> {
    let limits = input.policy.diff_limits();
    let most = limits.lines_per_hunk.unwrap_or(usize::MAX);
    let wanted: Vec<Vec<usize>> =
        files.iter().map(|f| f.hunks.iter().map(|h| h.changes.min(most)).collect()).collect();
    let sums: Vec<usize> = wanted.iter().map(|hunks| hunks.iter().sum()).collect();
    let Some(total) = limits.lines.filter(|total| sums.iter().sum::<usize>() > *total) else { return wanted };
    let of_files: Vec<Range<usize>> = files.iter().map(|f| f.lines.clone()).collect();
    let of_hunks: Vec<Range<usize>> =
        files.iter().flat_map(|f| &f.hunks).map(|h| h.body.start - 1..h.body.end).collect();
    let mut weights = weights(&input.relevance.scores(input.source, &of_files));
    let forms = files.iter().map(|file| form(input.source, file));
    weights
        .iter_mut()
        .zip(again(forms))
        .filter(|(_, again)| *again)
        .for_each(|(weight, _)| *weight /= REPEATED_DIVISOR);
    let mut hunk_scores = input.relevance.scores(input.source, &of_hunks).into_iter();
    let for_files = share(total, &sums, &weights);
    let each = wanted.iter().zip(for_files);
    each.map(|(wanted, total)| {
        let scores: Vec<u32> = hunk_scores.by_ref().take(wanted.len()).collect();
        share(total, wanted, &self::weights(&scores))
    })
    .collect()
}

/// A hash of the changes of a file, without digits.
fn form(source: &Source<'_>, file: &File<'_>) -> u64 {
    let changes =
        file.hunks.iter().flat_map(|hunk| hunk.body.clone().filter(|i| hunk.is_change(source.line(*i))));
    changes.fold(0, |form: u64, i| form.rotate_left(7) ^ similarity_hash(source.line(i)))
}

/// For each file, whether its form occurred at least `MAX_FULL_FORMS` times above.
fn again(forms: impl Iterator<Item = u64>) -> Vec<bool> {
    let mut seen: Map<u64, usize> = Map::default();
    let known = |form: u64| {
        let count = seen.entry(form).or_default();
        *count += 1;
        *count > MAX_FULL_FORMS
    };
    forms.map(known).collect()
}

fn weights(scores: &[u32]) -> Vec<u64> {
    let best = u64::from(scores.iter().copied().max().unwrap_or(0).max(1));
    scores.iter().map(|score| WEIGHT + BONUS * u64::from(*score) / best).collect()
}

/// Divides `total` by weight. What one does not need of its share is divided among the others.
fn share(total: usize, wanted: &[usize], weights: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    // The smallest need relative to its weight comes first, so that what it leaves is known when the others get their
    // shares.
    let key = |i: usize| (wanted[i] as u128 * 1_000_000 / u128::from(weights[i].max(1)), i);
    order.sort_by_key(|&i| key(i));
    let mut shares = vec![0; wanted.len()];
    let mut left = total;
    let mut weight: u128 = weights.iter().map(|w| u128::from(*w)).sum();
    for i in order {
        let fair = left as u128 * u128::from(weights[i]) / weight.max(1);
        shares[i] = wanted[i].min(usize::try_from(fair).unwrap_or(usize::MAX));
        left -= shares[i];
        weight -= u128::from(weights[i]);
    }
    shares
}

/// The lines that a hunk leaves out to show at most `share` changed ones, and those of the edits that are always shown.
fn cut(input: &Input<'_>, hunk: &Hunk, share: usize, always: &[Range<usize>]) -> Vec<Range<usize>> {
    if hunk.changes <= share {
        return Vec::new();
    }
    let mut kept = KeptLines { source: input.source, hunk, lines: vec![false; hunk.body.len()], left: share };
    let third = share / 3;
    let ends = share - third;
    kept.left = third;
    kept.best_blocks(input);
    let head = ends + kept.left;
    let tail = head / 3;
    kept.walk(hunk.body.clone(), head - tail);
    kept.walk(hunk.body.clone().rev(), tail);
    let from = always.partition_point(|lines| lines.start < hunk.body.start);
    for lines in always[from..].iter().take_while(|lines| lines.start < hunk.body.end) {
        kept.lines[lines.start - hunk.body.start..lines.end.min(hunk.body.end) - hunk.body.start].fill(true);
    }
    kept.whole_edits();
    kept.omitted()
}

/// The lines of a hunk that are kept.
struct KeptLines<'a> {
    source: &'a Source<'a>,
    hunk: &'a Hunk,
    lines: Vec<bool>,
    /// Changed lines that may still be kept.
    left: usize,
}

impl KeptLines<'_> {
    fn is_change(&self, i: usize) -> bool {
        self.hunk.is_change(self.source.line(i))
    }

    /// Keeps the blocks that score best, the first of equals.
    fn best_blocks(&mut self, input: &Input<'_>) {
        let body = self.hunk.body.clone();
        if input.relevance.is_empty() || self.left == 0 {
            return;
        }
        let blocks: Vec<Range<usize>> =
            body.clone().step_by(BLOCK).map(|at| at..(at + BLOCK).min(body.end)).collect();
        let scores = input.relevance.scores(self.source, &blocks);
        let mut order: Vec<usize> = (0..blocks.len()).filter(|&i| scores[i] > 0).collect();
        order.sort_unstable_by_key(|&i| (std::cmp::Reverse(scores[i]), i));
        for i in order {
            let changes = blocks[i].clone().filter(|&i| self.is_change(i)).count();
            if changes <= self.left {
                self.left -= changes;
                self.lines[blocks[i].start - body.start..blocks[i].end - body.start].fill(true);
            }
        }
    }

    /// Keeps lines in a row until `changes` more changed ones are kept.
    fn walk(&mut self, lines: impl Iterator<Item = usize>, mut changes: usize) {
        for i in lines {
            let at = i - self.hunk.body.start;
            // Git's note about the end of a file belongs to the line before it.
            if changes == 0 && !self.source.line(i).starts_with("\\ ") {
                break;
            }
            if !self.lines[at] {
                changes -= usize::from(self.is_change(i));
                self.lines[at] = true;
            }
        }
    }

    /// Keeps the other side of short edits of which one side is kept: the removed lines and those that replace them.
    fn whole_edits(&mut self) {
        let body = self.hunk.body.clone();
        let mut i = body.start;
        while i < body.end {
            let start = i;
            while i < body.end && self.is_change(i) {
                i += 1;
            }
            let edit = start..i;
            i += usize::from(edit.is_empty());
            let removed = edit.clone().filter(|i| self.hunk.is_removal(self.source.line(*i))).count();
            let lines = edit.start - body.start..edit.end - body.start;
            let kept = self.lines[lines.clone()].iter().filter(|kept| **kept).count();
            if edit.len() <= MAX_WHOLE_EDIT_LINES
                && removed > 0
                && removed < edit.len()
                && kept * 2 >= edit.len()
            {
                self.lines[lines].fill(true);
            }
        }
    }

    /// The lines to leave out.
    fn omitted(self) -> Vec<Range<usize>> {
        let start = self.hunk.body.start;
        let mut gone: Vec<Range<usize>> = Vec::new();
        for i in self.hunk.body.clone().filter(|i| !self.lines[i - start]) {
            match gone.last_mut().filter(|last| last.end == i) {
                Some(last) => last.end = i + 1,
                None => gone.push(i..i + 1),
            }
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::detect::Detection;
    use crate::text::call::ToolCall;
    use crate::text::relevance::Relevance;

    /// The shown lines of a diff whose lines all are in hunks or before them.
    fn shown(text: &str, query: Option<&str>, per_hunk: usize, in_all: usize) -> Vec<String> {
        let source = Source::new(text);
        let policy = Policy {
            diff_max_lines_per_hunk: Some(per_hunk),
            diff_max_lines: Some(in_all),
            ..Policy::default()
        };
        let input = Input {
            source: &source,
            call: &ToolCall::default(),
            detection: &Detection::default(),
            policy: &policy,
            relevance: &Relevance::new(query, &[], &[]),
        };
        let mut files = Vec::new();
        let mut at = 0;
        while let Some(file) = File::read(&source, at) {
            at = file.lines.end;
            files.push(file);
        }
        let gone: Vec<Range<usize>> =
            cuts(&input, &files.iter().collect::<Vec<_>>()).into_iter().flatten().flatten().collect();
        assert!(gone.windows(2).all(|pair| pair[0].end < pair[1].start) && at == source.len());
        let stays = |i: &usize| !gone.iter().any(|cut| cut.contains(i));
        (0..source.len()).filter(stays).map(|i| source.line(i).to_owned()).collect()
    }

    fn added(name: &str, lines: usize) -> String {
        let body: String = (0..lines).map(|i| format!("+{name} line{i}\n")).collect();
        format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{lines} @@\n{body}")
    }

    fn count(shown: &[String], start: &str) -> usize {
        shown.iter().filter(|line| line.starts_with(start)).count()
    }

    #[test]
    fn a_hunk_keeps_head_and_tail_and_what_is_looked_for() {
        let text = added("a", 300);
        let plain = shown(&text, None, 30, 0);
        assert_eq!(plain.len(), 33);
        assert!(
            plain[..4].ends_with(&["+a line0".to_owned()]) && plain.ends_with(&["+a line299".to_owned()])
        );
        let wanted = text.replace("+a line150\n", "+fn parse_header()\n");
        let found = shown(&wanted, Some("parse_header"), 60, 0);
        assert_eq!(found.len(), 63);
        assert!(found.contains(&"+fn parse_header()".to_owned()));
        assert!(!shown(&wanted, None, 60, 0).contains(&"+fn parse_header()".to_owned()));
    }

    #[test]
    fn every_file_and_hunk_keeps_its_header_under_a_total() {
        let text = added("big", 300) + &added("small", 3) + &added("wanted", 300);
        for (query, more) in [(Some("wanted"), true), (None, false)] {
            let lines = shown(&text, query, 0, 50);
            assert_eq!((count(&lines, "@@ "), count(&lines, "+++ "), count(&lines, "+small")), (3, 3, 3));
            let (big, wanted) = (count(&lines, "+big"), count(&lines, "+wanted"));
            assert!(big + wanted <= 47 && (wanted > 2 * big) == more, "{big} {wanted}");
        }
        assert_eq!(count(&shown(&text, None, 0, 1), "@@ "), 3);
        assert_eq!(shown(&text, None, 0, 0).len(), text.lines().count());
    }

    #[test]
    fn the_note_on_the_end_stays_with_its_line() {
        let text = "--- a\n+++ a\n@@ -1 +1,3 @@\n-x\n\\ No newline at end of file\n+y\n+z\n+w\n";
        let lines = shown(text, None, 2, 0);
        assert_eq!(lines[3..], ["-x", "\\ No newline at end of file", "+y"]);
    }

    #[test]
    fn a_short_edit_is_shown_whole_and_one_unlike_the_others_first() {
        let edit = |i: usize, old: &str, new: &str| {
            format!("--- a/{i}\n+++ b/{i}\n@@ -1,2 +1,2 @@\n same\n-{old}\n+{new}\n")
        };
        let many: String =
            (0..40).map(|i| if i == 33 { edit(i, "old", "new") } else { edit(i, "v: 1", "v: 2") }).collect();
        for most in [10, 40] {
            let lines = shown(&many, None, 0, most);
            let at = lines.iter().position(|line| line == "-old").unwrap();
            assert_eq!(lines[at + 1], "+new");
            assert_eq!(count(&lines, "-v"), count(&lines, "+v"), "{most}");
        }
    }

    #[test]
    fn an_edit_unlike_the_others_is_shown_whatever_the_share() {
        let line = |i: usize| match i {
            150 => "-  verify = True\n+  verify = False\n".to_owned(),
            i => format!("-  old({i}, x{i})\n+  new({i}, x{i})\n"),
        };
        let text =
            format!("--- a/x\n+++ b/x\n@@ -1,300 +1,300 @@\n{}", (0..300).map(line).collect::<String>());
        let lines = shown(&text, None, 20, 0);
        assert!(
            lines.len() < 30 && count(&lines, "-  verify") + count(&lines, "+  verify") == 2,
            "{lines:?}"
        );
    }

    #[test]
    fn small_wants_are_met_and_the_rest_is_shared_by_weight() {
        assert_eq!(share(100, &[5, 500, 500], &[1000, 1000, 1000]), [5, 47, 48]);
        assert_eq!(share(100, &[500, 500], &[1000, 3000]), [25, 75]);
        assert_eq!(share(2, &[9, 9, 9], &[1000, 1000, 1000]), [0, 1, 1]);
        assert_eq!(share(100, &[1, 2], &[1000, 1000]), [1, 2]);
        assert_eq!(share(7, &[], &[]), [0; 0]);
    }
}
