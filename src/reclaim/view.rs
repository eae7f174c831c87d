//! Numbered lines of a file in a result, and whether a later result shows the same lines. The file itself is never
//! read.

use xxhash_rust::xxh3::xxh3_64;

use super::place::{SameFile, compare_paths};

/// The fewest numbered lines that make a result a view.
const MIN_NUMBERED: usize = 3;
/// The most lines whose hashes are remembered: 64 KiB. For a longer view, it is never said that the same text is
/// shown again.
const MAX_LINES: usize = 8192;
/// A view names its file within this many lines: above it is at most a note on an edit.
const HEAD_LINES: usize = 8;

/// The numbered lines of a file that a result shows.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    /// The file: as the call or the text names it; on a timeline with its folder, if known.
    pub(super) file: String,
    /// The line numbers, as ranges from first to last.
    numbers: Box<[(u32, u32)]>,
    /// Hashes of the lines that are not blank, sorted, without duplicates; empty if there are too many.
    lines: Box<[u64]>,
}

/// How a later result shows the lines of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// Every line, unchanged.
    Same,
    /// Nearly all line numbers, but not all lines unchanged.
    Other,
}

impl View {
    /// The view in a text; `None` if it has too few numbered lines. `file` is the file that the call names.
    pub(super) fn of(text: &str, file: Option<&str>) -> Option<Self> {
        let file = file.or_else(|| heading(text))?;
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let (mut count, mut lines) = (0, Vec::new());
        for (n, line) in text.lines().filter_map(numbered) {
            if !line.trim().is_empty() && lines.len() <= MAX_LINES {
                lines.push(xxh3_64(line.trim_end().as_bytes()));
            }
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == n => *last = n,
                Some((_, last)) if *last >= n => continue,
                _ => ranges.push((n, n)),
            }
            count += 1;
        }
        if lines.len() > MAX_LINES {
            lines.clear();
        }
        lines.sort_unstable();
        lines.dedup();
        let view = Self { file: file.to_owned(), numbers: ranges.into(), lines: lines.into() };
        (count >= MIN_NUMBERED).then_some(view)
    }

    /// Whether the view has a line with this number.
    pub(super) fn has(&self, number: u32) -> bool {
        let at = self.numbers.partition_point(|(_, last)| *last < number);
        self.numbers.get(at).is_some_and(|(first, _)| *first <= number)
    }

    /// Whether `other` shows nearly all lines of the file that this view shows. A tenth may be missing: added lines
    /// change the numbers of the lines below.
    pub(super) fn shown_by(&self, other: &Self) -> Option<Again> {
        let count: u64 = self.numbers.iter().map(|(first, last)| u64::from(last - first) + 1).sum();
        let same_file = compare_paths(&self.file, &other.file);
        if same_file == SameFile::No || count * 9 > common(&self.numbers, &other.numbers) * 10 {
            return None;
        }
        let mut there = other.lines.iter().peekable();
        let mut is_there = |line: &u64| {
            while there.next_if(|other| *other < line).is_some() {}
            there.peek() == Some(&line)
        };
        let same = self.lines.iter().filter(|line| is_there(line)).count();
        // If the paths do not show whether it is the same file, the lines decide.
        if same_file == SameFile::Perhaps && same * 2 < self.lines.len().max(1) {
            return None;
        }
        let is_same = same > 0 && same == self.lines.len();
        Some(if is_same { Again::Same } else { Again::Other })
    }

    /// Bytes of memory in addition to the struct itself.
    pub(super) fn bytes(&self) -> usize {
        self.file.capacity() + size_of_val(&*self.numbers) + size_of_val(&*self.lines)
    }
}

/// The first and the last line number of a view, read like in [`View::of`]; `None` if the text is not a view.
pub(super) fn ends(text: &str) -> Option<(u32, u32)> {
    let mut ends: Option<(u32, u32)> = None;
    let mut count = 0;
    for (n, _) in text.lines().filter_map(numbered) {
        match &mut ends {
            Some((_, last)) if *last >= n => continue,
            Some((_, last)) => *last = n,
            None => ends = Some((n, n)),
        }
        count += 1;
    }
    ends.filter(|_| count >= MIN_NUMBERED)
}

/// How many numbers two lists of ranges have in common.
fn common(one: &[(u32, u32)], other: &[(u32, u32)]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some((a, b)), Some((c, d))) = (one.get(i), other.get(j)) {
        let (from, to) = (a.max(c), b.min(d));
        if from <= to {
            count += u64::from(to - from) + 1;
        }
        if b < d { i += 1 } else { j += 1 }
    }
    count
}

/// The number before a line, as in `12:`, `12→`, `12|` or `12` and a tab, and the text after it.
pub(super) fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start_matches(' ');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at_checked(digits)?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let rest = rest.strip_prefix([':', '→', '|', '\t'])?;
    let number = number.parse().ok().filter(|n| digits < 9 && *n < u32::MAX)?;
    Some((number, rest))
}

/// The file that the first lines of a view name, as SWE-agent writes it: `[File: PATH (N lines total)]`.
pub(super) fn heading(text: &str) -> Option<&str> {
    const OPEN: &str = "[File: ";
    let line = text.lines().take(HEAD_LINES).find_map(|line| line.strip_prefix(OPEN))?;
    line.split_once(" (").map(|(path, _)| path).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(from: u32, to: u32) -> View {
        let text: String = (from..=to).map(|n| format!("{n}\tlet value_{n} = compute({n});\n")).collect();
        View::of(&text, Some("/w/src/a.rs")).unwrap()
    }

    #[test]
    fn a_view_is_shown_by_one_of_the_same_lines() {
        let (small, large) = (view(20, 39), view(1, 60));
        assert_eq!((small.shown_by(&large), large.shown_by(&small)), (Some(Again::Same), None));
        // Of twenty lines two may be missing, but then it is not [`Again::Same`].
        assert_eq!(small.shown_by(&view(21, 60)), Some(Again::Other));
        assert_eq!(
            (small.shown_by(&view(22, 60)), small.shown_by(&view(23, 60))),
            (Some(Again::Other), None)
        );
        let other = View { file: "b.rs".into(), ..view(1, 60) };
        assert_eq!(small.shown_by(&other), None);
        assert!(small.has(20) && small.has(39) && !small.has(19) && !small.has(40));
    }

    #[test]
    fn a_file_of_the_same_name_is_another_one() {
        let of = |file: &str, seed: u32| {
            let text: String = (1..=20).map(|n| format!("{n}\tlet value_{n} = {};\n", n * seed)).collect();
            View::of(&text, Some(file)).unwrap()
        };
        let parser = of("/w/src/parser/mod.rs", 3);
        assert_eq!(parser.shown_by(&of("/w/src/lexer/mod.rs", 3)), None);
        assert_eq!(parser.shown_by(&of("/w/src/parser/mod.rs", 5)), Some(Again::Other));
        // The lines show which file a short path means.
        assert_eq!(parser.shown_by(&of("parser/mod.rs", 3)), Some(Again::Same));
        assert_eq!(parser.shown_by(&of("mod.rs", 5)), None);
    }

    #[test]
    fn a_line_that_was_edited_makes_another_version() {
        let old = "1: a = 1\n2: b = 2\n3:\n4: c = 3\n";
        let shown_by = |new: &str| View::of(old, Some("a"))?.shown_by(&View::of(new, Some("a"))?);
        assert_eq!(shown_by(old), Some(Again::Same));
        assert_eq!(shown_by(&old.replace("b = 2", "b = 5")), Some(Again::Other));
        // An added line moved all lines, but they are all still shown.
        assert_eq!(shown_by("1: new = 0\n2: a = 1\n3: b = 2\n4: \n5: c = 3\n6: end\n"), Some(Again::Same));
    }

    #[test]
    fn numbers_are_those_in_front_of_lines() {
        let text = "  1\ta\n2: b\n\n3 | c\n 9→d\n10:e\n2024-01-01 x\n";
        assert_eq!(&*View::of(text, Some("a")).unwrap().numbers, [(1, 3), (9, 10)]);
        assert!(View::of("1: a\n2: b\n", Some("a")).is_none());
        assert_eq!(ends(text), Some((1, 10)));
        assert_eq!(ends("1: a\n2: b\n"), None);
        assert_eq!(numbered("99999999999: x"), None);
        assert_eq!(heading("[File: /w/a.py (10 lines total)]\n1:x"), Some("/w/a.py"));
        assert!(View::of(text, None).is_none());
    }

    #[test]
    fn a_view_of_very_many_lines_is_bounded() {
        let large = view(1, 20_000);
        assert!(large.lines.is_empty());
        assert_eq!(large.shown_by(&large), Some(Again::Other));
    }
}
