//! Which lines of a result the model still sees after its host cut the result. Only lines that are certainly visible
//! count.
//!
//! Hosts cut in different ways and insert their own notes. So a tenth of what a host keeps does not count, because a
//! note may take that room. A text may contain a line several times: it counts only if both its earliest and its
//! latest possible position are in the kept part. Time is linear in the texts.

use crate::text::lines::Lines;

/// The part of a text that a host keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The start.
    Head,
    /// The end.
    Tail,
    /// Half of the kept size at the start, half at the end.
    Ends,
}

/// How a host cuts a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cut {
    /// The most bytes that a host leaves uncut.
    pub bytes: Option<usize>,
    /// The most characters that a host leaves uncut.
    pub characters: Option<usize>,
    /// The most lines that a host leaves uncut.
    pub lines: Option<usize>,
    /// What the host keeps of a longer result; `None` if unknown: then no line is certainly visible.
    pub keeps: Option<Keeps>,
}

/// Of ten bytes, characters or lines that a host keeps at an end, this many count as shown; a note of the host may
/// replace the others.
const CERTAIN_TENTHS: usize = 9;

impl Cut {
    /// A cut of results of more than this many bytes; which part is kept is unknown.
    pub fn of_bytes(bytes: usize) -> Self {
        Self { bytes: Some(bytes), ..Self::default() }
    }

    /// Whether the host cuts these texts.
    pub fn applies(&self, texts: &[String]) -> bool {
        let total = |count: fn(&String) -> usize| texts.iter().map(count).sum::<usize>();
        self.bytes.is_some_and(|most| total(String::len) > most)
            || self.characters.is_some_and(|most| total(|text| text.chars().count()) > most)
            || self.lines.is_some_and(|most| total(|text| text.lines().count()) > most)
    }

    /// Removes from `shown` (the unchanged lines of `texts`) the lines that the host may have cut away.
    pub fn keep_visible(&self, texts: &[String], shown: &mut Lines) {
        let (head, tail) = self.parts(texts);
        let (earliest, latest) = (places(texts, shown, false), places(texts, shown, true));
        let (Some(earliest), Some(latest)) = (earliest, latest) else {
            *shown = Lines::default();
            return;
        };
        shown.retain(|i| latest[i].1 <= head || earliest[i].0 >= tail);
    }

    /// The end of the kept part at the start and the start of the kept part at the end, in bytes over all texts.
    fn parts(&self, texts: &[String]) -> (usize, usize) {
        let total: usize = texts.iter().map(String::len).sum();
        let share = |most: usize| match self.keeps {
            Some(Keeps::Head) => (most / 10 * CERTAIN_TENTHS, 0),
            Some(Keeps::Tail) => (0, most / 10 * CERTAIN_TENTHS),
            Some(Keeps::Ends) => (most / 20 * CERTAIN_TENTHS, most / 20 * CERTAIN_TENTHS),
            None => (0, 0),
        };
        let (mut head, mut tail) = (total, 0);
        if let Some((first, last)) = self.bytes.map(share) {
            (head, tail) = (head.min(first), tail.max(total.saturating_sub(last)));
        }
        if let Some((first, last)) = self.characters.map(share) {
            let start: usize =
                texts.iter().flat_map(|text| text.chars()).take(first).map(char::len_utf8).sum();
            let end: usize =
                texts.iter().rev().flat_map(|text| text.chars().rev()).take(last).map(char::len_utf8).sum();
            (head, tail) = (head.min(start), tail.max(total - end));
        }
        if let Some((first, last)) = self.lines.map(share) {
            let lines = || texts.iter().flat_map(|text| text.split_inclusive('\n'));
            let start: usize = lines().take(first).map(str::len).sum();
            let after: usize = lines().count().saturating_sub(last);
            let before_tail: usize = lines().take(after).map(str::len).sum();
            (head, tail) = (head.min(start), tail.max(before_tail));
        }
        (head, tail)
    }
}

/// The byte range of each shown line, counted over all texts: its earliest position that keeps the order of lines, or
/// its latest if `from_end`. `None` if a line is not found.
fn places(texts: &[String], shown: &Lines, from_end: bool) -> Option<Vec<(usize, usize)>> {
    let mut at = 0;
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for text in texts {
        for line in text.split_inclusive('\n') {
            lines.push((at, line.strip_suffix('\n').unwrap_or(line)));
            at += line.len();
        }
    }
    if from_end {
        let mut out = found(lines.iter().rev(), shown.texts().rev())?;
        out.reverse();
        return Some(out);
    }
    found(lines.iter(), shown.texts())
}

/// The position of each `wanted` line in `lines`, searched in order. A line of a file view may have its number
/// before the wanted text.
fn found<'a>(
    mut lines: impl Iterator<Item = &'a (usize, &'a str)>,
    wanted: impl Iterator<Item = &'a str>,
) -> Option<Vec<(usize, usize)>> {
    let place = |wanted: &str| {
        let (start, line) = lines.find(|(_, line)| line.ends_with(wanted))?;
        Some((*start, *start + line.len()))
    };
    wanted.map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(cut: Cut, text: &str) -> Vec<String> {
        let mut shown = Lines::of(text);
        let texts = [text.to_owned()];
        assert!(cut.applies(&texts));
        cut.keep_visible(&texts, &mut shown);
        shown.texts().map(str::to_owned).collect()
    }

    fn numbered(lines: usize) -> String {
        (0..lines).map(|i| format!("line {i:03}\n")).collect()
    }

    #[test]
    fn each_end_counts_as_far_as_it_is_kept() {
        let text = numbered(100);
        let cut = |keeps| Cut { bytes: Some(180), keeps, ..Cut::default() };
        assert_eq!(visible(cut(Some(Keeps::Head)), &text).last().unwrap(), "line 017");
        assert_eq!(visible(cut(Some(Keeps::Tail)), &text).first().unwrap(), "line 082");
        let ends = visible(cut(Some(Keeps::Ends)), &text);
        assert_eq!((ends.len(), &*ends[8], &*ends[9]), (18, "line 008", "line 091"));
        assert!(visible(cut(None), &text).is_empty());
    }

    #[test]
    fn what_fits_is_whole() {
        let texts = ["é".repeat(90), "é".repeat(10)];
        let cut = |bytes, characters| Cut { bytes, characters, ..Cut::default() };
        assert!(!cut(Some(200), Some(100)).applies(&texts));
        assert!(cut(Some(199), None).applies(&texts));
        assert!(cut(None, Some(99)).applies(&texts));
    }

    #[test]
    fn lines_are_counted_as_such() {
        let text = numbered(100);
        let cut = |keeps| Cut { lines: Some(20), keeps: Some(keeps), ..Cut::default() };
        assert_eq!(visible(cut(Keeps::Head), &text).last().unwrap(), "line 017");
        assert_eq!(visible(cut(Keeps::Tail), &text).first().unwrap(), "line 082");
        assert_eq!(visible(Cut { bytes: Some(450), ..cut(Keeps::Head) }, &text).len(), 18);
        assert!(!cut(Keeps::Head).applies(&[numbered(20)]));
    }

    #[test]
    fn characters_are_counted_as_such() {
        let text: String = (0..100).map(|i| format!("zeile ü {i:03}\n")).collect();
        let cut = Cut { characters: Some(240), keeps: Some(Keeps::Ends), ..Cut::default() };
        let lines = visible(cut, &text);
        assert_eq!((lines.len(), &*lines[8], &*lines[9]), (18, "zeile ü 008", "zeile ü 091"));
    }

    #[test]
    fn a_line_that_may_stand_where_it_is_cut_does_not_count() {
        // The line is shown once as it came; an equal line above it comes from something else.
        let texts = [format!("same\n{}same\n", "x\n".repeat(400))];
        let mut shown = Lines::of("same");
        Cut { bytes: Some(200), keeps: Some(Keeps::Head), ..Cut::default() }.keep_visible(&texts, &mut shown);
        assert!(shown.is_empty());
        let mut shown = Lines::of("same");
        Cut { bytes: Some(200), keeps: Some(Keeps::Tail), ..Cut::default() }.keep_visible(&texts, &mut shown);
        assert!(shown.is_empty());
    }
}
