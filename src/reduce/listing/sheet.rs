//! Writes groups of names: their header, the lines of names, and markers for names that a limit hides.
//!
//! Every line of the output is a span of its own, so that a cap cuts a long folder between its lines.

use std::collections::HashSet;
use std::ops::Range;

use crate::config::Mode;
use crate::input::Input;
use crate::text::dates::day_inside;
use crate::text::judge::{self, Counted, Spread};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::series::{Ends, Gaps};
use crate::text::signals;

/// Approximate characters of a line of names: enough that line ends cost little, and few enough that a cut can drop
/// single lines.
const LINE_CHARS: usize = 160;
/// `aggressive` shows only some names of a folder that has more than this. A choice.
const LARGE_FOLDER_NAMES: usize = 100;
/// Names that are shown at each end of a large folder. A choice.
const SHOWN_AT_EACH_END: usize = 10;
/// Most names that are shown because they seem relevant. A choice: a line or two.
const MAX_RELEVANT_NAMES: usize = 30;
/// The most names that are shown because of an unusual value before them, and the columns before a name that are
/// compared. A choice.
const MAX_ODD_NAMES: usize = 6;
const MAX_COLUMNS: usize = 12;
/// The group of omissions that small noise folders share.
pub const SHARED: u32 = 1;

/// The reduction that is being written.
pub struct Sheet<'a, 'i> {
    input: &'i Input<'a>,
    /// What was written so far.
    pub out: Reduction,
    group: u32,
    /// Whether the last line written is empty.
    after_blank: bool,
    /// The line after the last that was written.
    done: usize,
}

/// Whether a line is an error message of the listing program or the shell: it names a failure and a program, which no
/// file name does.
fn is_complaint(line: &str) -> bool {
    (line.contains(": ") || line.ends_with(" [error opening dir]")) && signals::is_failure(line)
}

/// How the names of a group are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Several on a line.
    Joined,
    /// Each on its line.
    Lines,
    /// Folders that hold the same name, each on its line.
    Folders,
}

impl<'a, 'i> Sheet<'a, 'i> {
    /// An empty sheet.
    pub fn new(input: &'i Input<'a>) -> Self {
        Self { input, out: Reduction::default(), group: SHARED, after_blank: false, done: 0 }
    }

    /// Hides lines of a noise folder.
    pub fn noise(&mut self, lines: Range<usize>) {
        // Smaller gaps share one marker.
        const OWN: usize = 256;
        let source = self.input.source;
        let complaints: Vec<usize> =
            lines.clone().filter(|&i| is_complaint(super::text(source, i))).chain([lines.end]).collect();
        let is_small = complaints.len() > 1 || source.byte_range(lines.clone()).len() < OWN;
        let group = if is_small { SHARED } else { 0 };
        let mut from = lines.start;
        for line in complaints {
            if from < line {
                self.out.omit_in(from..line, Reason::NoiseDirectory, group);
            }
            from = line + 1;
        }
    }

    /// Shows one line as another text.
    pub fn line(&mut self, line: usize, text: String, reason: Reason) {
        self.out.replace(line..line + 1, text, reason);
        (self.done, self.after_blank) = (line + 1, false);
    }

    /// Writes names, each of one line from `first` on, separated by empty lines. A header is the folder that they
    /// share; without it they have no folder.
    pub fn group(&mut self, first: usize, header: Option<&str>, names: &[&str], layout: Layout) {
        let source = self.input.source;
        let apart = first == 0
            || super::text(source, first - 1).is_empty()
            || (self.done == first && self.after_blank);
        let mut head = String::from(if apart { "" } else { "\n" });
        if let Some(header) = header {
            head.push_str(header);
            head.push('\n');
        }
        let last = first + names.len();
        let closes = last < source.len() && !super::text(source, last).is_empty();
        self.write(first, head, names, layout, closes);
        (self.done, self.after_blank) = (last, closes);
    }

    /// Names without empty lines around them; `head` is before the first, an empty line after the
    /// last if `closes`.
    pub fn write(&mut self, first: usize, mut head: String, names: &[&str], layout: Layout, closes: bool) {
        let shown = if layout == Layout::Folders { None } else { self.shown(first, names) };
        let reason = if head.is_empty() { Reason::ListingLayout } else { Reason::SharedFolder };
        let is_shown = |i: usize| shown.as_ref().is_none_or(|s| s[i]);
        if shown.is_some() {
            self.group += 1;
        }
        let mut at = 0;
        while at < names.len() {
            let mut end = at + 1;
            if !is_shown(at) {
                while end < names.len() && !is_shown(end) {
                    end += 1;
                }
                self.out.omit_in(first + at..first + end, Reason::LargeFolder, self.group);
                at = end;
                continue;
            }
            let mut text = std::mem::take(&mut head);
            let mut width = names[at].len();
            text.push_str(names[at]);
            while layout == Layout::Joined
                && end < names.len()
                && is_shown(end)
                && width + 1 + names[end].len() <= LINE_CHARS
            {
                text.push(' ');
                text.push_str(names[end]);
                width += 1 + names[end].len();
                end += 1;
            }
            if closes && end == names.len() {
                text.push('\n');
            }
            self.out.replace(first + at..first + end, text, reason);
            at = end;
        }
    }

    /// Adds the empty line after the last span to that span, which does not show it.
    pub fn merge_empty_line(&mut self, line: usize) {
        if let Some(last) = self.out.spans.last_mut().filter(|span| span.lines.end == line) {
            last.lines.end = line + 1;
        }
    }

    /// Which names of a large folder `aggressive` shows: both ends, the first of each extension, and names that match
    /// the call, the query or the session.
    fn shown(&self, first: usize, names: &[&str]) -> Option<Vec<bool>> {
        let is_large = self.input.policy.mode >= Mode::Aggressive && names.len() > LARGE_FOLDER_NAMES;
        if !is_large || !super::is_inventory(self.input) {
            return None;
        }
        let mut extensions = HashSet::new();
        let mut shown: Vec<bool> = names
            .iter()
            .enumerate()
            .map(|(i, name)| {
                let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
                extensions.insert(extension) || i < SHOWN_AT_EACH_END || i + SHOWN_AT_EACH_END >= names.len()
            })
            .collect();
        let blocks: Vec<Range<usize>> = (first..first + names.len()).map(|i| i..i + 1).collect();
        let scores = self.input.relevance.scores(self.input.source, &blocks);
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut ranked: Vec<usize> = (0..names.len()).filter(|&i| scores[i] > best / 4).collect();
        // If most names match about as well as the best, a match means nothing.
        if scores.iter().filter(|score| **score > best / 2).count() * 2 > names.len() {
            ranked.clear();
        }
        ranked.sort_unstable_by_key(|&i| (std::cmp::Reverse(scores[i]), i));
        ranked.into_iter().take(MAX_RELEVANT_NAMES).for_each(|i| shown[i] = true);
        outlier_names(names).into_iter().for_each(|i| shown[i] = true);
        Some(shown)
    }
}

/// The numbers before names, in one column.
#[derive(Default)]
struct Sizes {
    numbers: Vec<f64>,
    ends: Ends,
    /// How many are zero, and the place of the first.
    zeros: usize,
    zero: usize,
}

impl Sizes {
    fn add(&mut self, number: f64, place: usize) {
        self.numbers.push(number);
        self.ends.observe(number, place);
        if number == 0.0 {
            self.zero = if self.zeros == 0 { place } else { self.zero };
            self.zeros += 1;
        }
    }

    /// The places of numbers that are alone: the only zero, the largest and the smallest.
    fn outliers(mut self, names: usize) -> Vec<usize> {
        // If few names have a number before them, it is part of names with blanks.
        if self.numbers.len() * 2 < names {
            return Vec::new();
        }
        let least = self.numbers.iter().copied().filter(|number| *number > 0.0).reduce(f64::min);
        let middle = Spread::of(&mut self.numbers).map_or(0.0, |spread| spread.median);
        let is_zero_far = judge::is_only_zero_far(self.zeros, self.numbers.len(), least, middle);
        self.ends.alone().chain(is_zero_far.then_some(self.zero)).collect()
    }
}

/// The day in a name, or its last number: `copy-2024-03-01.tar`, `part-0017.bin`.
fn number_of(name: &str) -> Option<f64> {
    const MAX_DIGITS: usize = 15;
    let bytes = name.as_bytes();
    day_inside(bytes).or_else(|| {
        let end = bytes.iter().rposition(u8::is_ascii_digit)? + 1;
        let len = bytes[..end].iter().rev().take_while(|b| b.is_ascii_digit()).count();
        judge::number(&bytes[end - len..end]).filter(|_| len <= MAX_DIGITS)
    })
}

/// The names with a rare value before them: a mode, an owner, by far the largest size; those next to a gap in their numbers; and
/// the few of another form than all others.
fn outlier_names(names: &[&str]) -> Vec<usize> {
    let mut columns: Vec<(Counted<&str>, Vec<u64>)> = Vec::new();
    let mut sizes: Vec<Sizes> = Vec::new();
    let mut gaps = Gaps::default();
    let mut lengths: Counted<usize> = Counted::default();
    let mut forms: Counted<u64> = Counted::default();
    for (i, name) in names.iter().enumerate() {
        crate::stop::check_sometimes();
        let words = name.split_ascii_whitespace().count();
        lengths.add(words, i);
        // The last word is the name.
        for (at, word) in
            name.split_ascii_whitespace().take(words.saturating_sub(1).min(MAX_COLUMNS)).enumerate()
        {
            if columns.len() == at {
                columns.push((Counted::default(), vec![0; names.len()]));
                sizes.push(Sizes::default());
            }
            columns[at].0.add(word, i);
            let number = judge::number(word.as_bytes());
            columns[at].1[i] = number.map_or(0, |number| number as u64);
            if let Some(number) = number {
                sizes[at].add(number, i);
            }
        }
        let last = name.split_ascii_whitespace().next_back().unwrap_or_default();
        gaps.add(i, i.checked_sub(1), number_of(last));
        forms.add(judge::form(last.as_bytes()), i);
    }
    let mut out: Vec<usize> =
        columns.iter().flat_map(|(_, numbers)| judge::much_larger(numbers, 1, 1)).collect();
    // If few lines have this column, it is part of names with blanks.
    let counted =
        columns.iter().map(|(counted, _)| counted).filter(|counted| counted.all() * 2 >= names.len());
    out.extend(counted.flat_map(Counted::rare));
    out.extend(sizes.into_iter().flat_map(|sizes| sizes.outliers(names.len())));
    out.extend(gaps.places());
    // Where names have several forms, a rare one means nothing.
    out.extend(if forms.kinds() == 2 { forms.rare() } else { Vec::new() });
    out.extend(if columns.is_empty() { Vec::new() } else { lengths.rare() });
    out.truncate(MAX_ODD_NAMES);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_something_odd_before_them() {
        let found = |of: &dyn Fn(usize) -> String| {
            let lines: Vec<String> = (0..200).map(of).collect();
            let mut found = outlier_names(&lines.iter().map(String::as_str).collect::<Vec<_>>());
            found.dedup();
            found
        };
        let row = |i: usize, mode: &str, owner: &str| format!("{i} 4 {mode} 1 {owner}{} f-{i}", 100 + i % 90);
        let usual = "-rw-r--r--";
        assert_eq!(found(&|i| row(i, if i == 70 { "-rw-rw-rw-" } else { usual }, "")), [70]);
        assert_eq!(found(&|i| row(i, usual, if i == 70 { "eve staff " } else { "" })).first(), Some(&70));
        assert_eq!(found(&|i| row(i, usual, "")), [0; 0]);
        let size = |i: usize| if i == 70 { "412G".to_owned() } else { format!("{}M", 4 + i * 7 % 800) };
        assert_eq!(found(&|i| format!("{}\td-{i}", size(i))), [70]);
        assert_eq!(found(&|i| format!("d-{i}")), [0; 0]);
        let near = |i: usize| if i == 70 { 0 } else { 40_000 + i * 7_919 % 3_000 };
        assert_eq!(found(&|i| format!("{}\td", near(i))), [70]);
        // A number is missing.
        assert_eq!(found(&|i| format!("part-{:04}.bin", i + usize::from(i > 70))), [70, 71]);
        let name = |i: usize, odd: &str| {
            if i == 70 { odd.to_owned() } else { format!("{i:04}_add_{}.sql", ["a", "bc"][i % 2]) }
        };
        assert_eq!(found(&|i| name(i, "0070_down.sql")), [70]);
        assert_eq!(found(&|i| name(i, "0070_add_b.sql")), [0; 0]);
        assert_eq!(found(&|i| name(i, "0069_add_d.sql")), [69, 70, 71]);
        assert_eq!(found(&|i| if i % 20 == 3 { format!("d {i}") } else { format!("d-{i}") }), [0; 0]);
    }
}
