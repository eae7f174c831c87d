//! Lines of a form that hardly any other line has, such as `@acme/a:build: cache miss, executing` among many lines
//! `@acme/b:build: cache hit, replaying logs`.
//!
//! The form of a line is the sequence of its common words. Names, paths, numbers and rare words are left out, so what
//! a tool writes at the start of every line (a time, the name of a package) does not hide the form. Lines of one form are
//! a kind: they are compared with each other, since a value that is usual for one kind may be odd in another. Time is
//! linear in the text, and memory is bounded.

use crate::pipeline::limit::columns;
use crate::pipeline::limit::unit::{Candidate, digest};
use crate::text::details::similarity_hash;
use crate::text::judge::{EXCEPTION_ONE_IN, is_share};
use crate::text::maps::Map;
use crate::text::source::Source;

/// With fewer lines, no form is common.
const MIN_LINES: usize = 24;
/// Longer texts are not searched, in bytes.
const MAX_TEXT_BYTES: usize = 2 << 20;
/// Words and bytes of a line that are read.
const MAX_WORDS: usize = 16;
const MAX_BYTES: usize = 256;
/// The most different words that are counted separately. Bounds the memory for a hostile text.
const MAX_DIFFERENT: usize = 1 << 15;
/// A word is common if at least 1 line in this many has it. Tried in this order until few lines are in small kinds. A
/// choice: in long texts with many parts even the words of a large part are only in a small share of the lines.
const COMMON_ONE_IN: [usize; 4] = [64, 32, 16, 8];
/// The most lines of a form that stand out.
const MAX_ALIKE: usize = 2;
/// This many blocks of lines with rare forms rank as high as the first outlier of any other reason, the next ones
/// as high as the second.
const FIRST_BLOCKS: usize = 3;
/// The most lines of such a block.
const BLOCK_LINES: usize = 4;
/// Small kinds may have at most 1 line in this many; otherwise words must be in fewer lines to be common.
const SMALL_ONE_IN: usize = 6;
/// The fewest lines with a common word, and of a kind whose values are compared.
const MIN_OF_KIND: usize = 8;
/// The most kinds whose values are compared.
const MAX_KINDS: usize = 64;
/// The number of lines divided by this, but at least `MIN_EDGE`, counts as headings at the start and as totals at
/// the end.
const EDGE_ONE_IN: usize = 32;
const MIN_EDGE: usize = 2;
/// Placeholders in a form: for names, paths and numbers, and for rare words.
const NAME_PLACEHOLDER: u64 = 1;
const RARE_PLACEHOLDER: u64 = 2;

/// Adds the lines with a rare form, and those that stand out among the lines of their form.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < MIN_LINES || source.text().len() > MAX_TEXT_BYTES {
        return;
    }
    let words = Words::of(source, lines);
    // The first and the last lines of a text are headings and totals, and are shown anyway.
    let edge = (lines.len() / EDGE_ONE_IN).max(MIN_EDGE);
    let is_edge = |place: usize| place < edge || place + edge >= lines.len();
    for one_in in COMMON_ONE_IN {
        crate::stop::check();
        let kinds = words.kinds((words.filled / one_in).max(MIN_OF_KIND));
        let odd = outliers(source, lines, &kinds, &is_edge);
        let inner = odd.iter().filter(|(is_edge, ..)| !is_edge).count();
        // If many lines are in small kinds, these differ by repeated names, not by form.
        let small: usize = kinds.iter().map(|kind| kind.places.len()).filter(|len| *len < MIN_OF_KIND).sum();
        if is_share(inner, words.filled, EXCEPTION_ONE_IN) && is_share(small, words.filled, SMALL_ONE_IN) {
            add(source, lines, odd, out);
            compare(source, lines, kinds, out);
            return;
        }
    }
}

/// The lines with a rare form.
fn outliers(
    source: &Source<'_>,
    lines: &[usize],
    kinds: &[Kind],
    is_edge: &dyn Fn(usize) -> bool,
) -> Vec<Odd> {
    let has_text =
        |place: usize| source.line(lines[place]).bytes().any(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
    let like = |place: usize| similarity_hash(source.line(lines[place]));
    let mut out = Vec::new();
    for Kind { is_text, places, .. } in kinds {
        let mut add = |count: usize, place: usize| {
            if count <= MAX_ALIKE && has_text(place) {
                out.push((is_edge(place), count, place));
            }
        };
        if *is_text {
            // A line of rare words has a form of its own.
            let mut counts: Map<u64, usize> = Map::default();
            places.iter().for_each(|place| *counts.entry(like(*place)).or_default() += 1);
            places.iter().for_each(|place| add(counts.get(&like(*place)).copied().unwrap_or(1), *place));
        } else {
            places.iter().for_each(|place| add(places.len(), *place));
        }
    }
    out
}

/// A line with a rare form: whether it is one of the first or last lines, how many lines have the form, and its place.
type Odd = (bool, usize, usize);

/// Adds lines with a rare form.
fn add(source: &Source<'_>, lines: &[usize], mut odd: Vec<Odd>, out: &mut Vec<Candidate>) {
    odd.sort_unstable();
    // Adjacent lines form one block.
    let (mut block, mut len, mut last) = (0, 0, None);
    for (_, count, place) in odd {
        let is_below = last.is_some_and(|last| place == last + 1) && len < BLOCK_LINES;
        (block, len) = if is_below || last.is_none() { (block, len + 1) } else { (block + 1, 1) };
        last = Some(place);
        let key = digest(&similarity_hash(source.line(lines[place])).to_le_bytes(), 0);
        out.push(Candidate { place, nth: block / FIRST_BLOCKS, count, key, is_word: false });
    }
}

/// Adds the lines that stand out among the lines of their form.
fn compare(source: &Source<'_>, lines: &[usize], kinds: Vec<Kind>, out: &mut Vec<Candidate>) {
    // If most lines are of one kind, these were already compared.
    let is_compared = |kind: &Kind| {
        let len = kind.places.len();
        !kind.is_text && len >= MIN_OF_KIND && len * 4 < lines.len() * 3
    };
    let kinds: Vec<Kind> = kinds.into_iter().filter(is_compared).collect();
    if kinds.len() > MAX_KINDS {
        return;
    }
    for Kind { places, .. } in kinds {
        let of_kind: Vec<usize> = places.iter().map(|place| lines[*place]).collect();
        let mut found = Vec::new();
        columns::find(source, &of_kind, MIN_OF_KIND, &mut found);
        // A higher count, so that outliers among all lines come first.
        out.extend(found.into_iter().map(|c| Candidate { place: places[c.place], count: c.count + 1, ..c }));
    }
}

/// The lines of one form.
struct Kind {
    /// Whether the form has a common word, or nothing but names.
    has_form: bool,
    /// Whether each line counts by itself.
    is_text: bool,
    places: Vec<usize>,
}

/// The words of the lines of a text.
struct Words {
    /// The digests of the words of all lines, and for each line with words its place and its first word.
    words: Vec<u64>,
    starts: Vec<(usize, usize)>,
    /// How many lines have words.
    filled: usize,
    /// For each word, how many lines have it, and the last of them.
    counts: Map<u64, (usize, usize)>,
}

impl Words {
    fn of(source: &Source<'_>, lines: &[usize]) -> Self {
        let mut out = Self { words: Vec::new(), starts: Vec::new(), filled: 0, counts: Map::default() };
        for (place, line) in lines.iter().enumerate() {
            crate::stop::check_sometimes();
            let line = source.line(*line);
            let line = &line[..line.floor_char_boundary(MAX_BYTES)];
            let start = out.words.len();
            for word in line.split_ascii_whitespace().take(MAX_WORDS).map(word) {
                // Names next to each other are one.
                if word != NAME_PLACEHOLDER || out.words[start..].last() != Some(&NAME_PLACEHOLDER) {
                    out.words.push(word);
                }
            }
            if out.words.len() > start {
                out.starts.push((place, start));
                out.count(start);
            }
        }
        out.filled = out.starts.len();
        out
    }

    /// Counts the words from `start` on, once for the last line.
    fn count(&mut self, start: usize) {
        let line = self.starts.len();
        for word in self.words[start..].iter().filter(|word| **word != NAME_PLACEHOLDER) {
            if self.counts.len() < MAX_DIFFERENT || self.counts.contains_key(word) {
                let (count, last) = self.counts.entry(*word).or_default();
                *count += usize::from(*last != line);
                *last = line;
            }
        }
    }

    /// The places of the lines of each form, in the order of their first line. A word is common from `least` lines on.
    fn kinds(&self, least: usize) -> Vec<Kind> {
        let mut known: Map<u64, usize> = Map::default();
        let mut kinds: Vec<Kind> = Vec::new();
        for (nth, &(place, start)) in self.starts.iter().enumerate() {
            crate::stop::check_sometimes();
            let end = self.starts.get(nth + 1).map_or(self.words.len(), |next| next.1);
            let (mut form, mut last) = (0, 0);
            let (mut has_rare, mut has_common) = (false, false);
            for word in &self.words[start..end] {
                let is_common = |word| self.counts.get(word).is_some_and(|(count, _)| *count >= least);
                let word =
                    if *word == NAME_PLACEHOLDER || is_common(word) { *word } else { RARE_PLACEHOLDER };
                if word > RARE_PLACEHOLDER || word != last {
                    form = if form == 0 { word } else { digest(&word.to_le_bytes(), form as usize) };
                }
                last = word;
                has_rare |= word == RARE_PLACEHOLDER;
                has_common |= word > RARE_PLACEHOLDER;
            }
            let next = kinds.len();
            let kind = *known.entry(form).or_insert(next);
            if kind == next {
                let has_form = has_common || !has_rare;
                kinds.push(Kind { has_form, is_text: form == RARE_PLACEHOLDER, places: Vec::new() });
            }
            kinds[kind].places.push(place);
        }
        // Few lines of rare words and numbers are alike by chance only.
        kinds.iter_mut().for_each(|kind| kind.is_text |= !kind.has_form && kind.places.len() < MIN_OF_KIND);
        kinds
    }
}

/// The digest of a word; `NAME` for a name, a path or a number. Of `name=value`, the name counts.
fn word(word: &str) -> u64 {
    let bytes = word.as_bytes();
    let word = match memchr::memchr(b'=', bytes) {
        Some(at) if at > 0 => &bytes[..=at],
        _ => bytes,
    };
    let is_inner = |at: usize| at > 0 && at + 1 < word.len() && word[at + 1].is_ascii_alphanumeric();
    let is_of_name = |(at, b): (usize, &u8)| match b {
        b'0'..=b'9' | b'/' | b'\\' | b'@' | b'\'' | b'"' | b'`' => true,
        b'.' | b':' | b'(' | b'[' => is_inner(at),
        _ => false,
    };
    // Signs alone, such as `//`, are no name.
    let has_text = word.iter().any(|b| b.is_ascii_alphanumeric());
    if has_text && word.iter().enumerate().any(is_of_name) {
        NAME_PLACEHOLDER
    } else {
        digest(word, 0).max(RARE_PLACEHOLDER + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut out = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
        let mut places: Vec<usize> = out.iter().map(|c| c.place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// A text of several lines for each of 20 things, with `odd` in place of line 61.
    fn text(odd: &str, of: impl Fn(usize) -> String) -> String {
        let all: String = (0..20).map(of).collect();
        let replaced =
            |(at, line): (usize, &str)| if at == 61 { format!("{odd}\n") } else { format!("{line}\n") };
        all.lines().enumerate().map(replaced).collect()
    }

    #[test]
    fn a_line_of_a_form_of_its_own() {
        let name = |i: usize| "abcdefghijklmnopqrst"[i..=i].repeat(5);
        for (odd, of) in [
            (
                "@shop/fffff:pack: stale copy, packing",
                "@shop/NAME:pack: fresh copy, taken\n@shop/NAME:pack: size I kB\n@shop/NAME:pack: all done\n@shop/NAME:pack:\n",
            ),
            (
                "[10:02:07 PM] Part 'src/f.x' waits for 'lib/g.x'",
                "[10:02:07 PM] Part 'src/NAME.x' is new\n[10:02:08 PM] Part 'src/NAME.x' took Ims\nok\nok\n",
            ),
            (
                "[note] no rule for NAME",
                "[note] src/NAME:I: old NAME in use\n[note]    NAME.run()\n[note]    ^\n[note] \n",
            ),
        ] {
            let of = |i: usize| of.replace("NAME", &name(i)).replace('I', &(i * 7 + 20).to_string());
            assert_eq!(found(&text(odd, of)), [61], "{odd}");
            let usual = text("", of);
            let without = usual.lines().filter(|line| !line.is_empty()).map(|line| format!("{line}\n"));
            assert_eq!(found(&without.collect::<String>()), [0; 0], "{odd}");
        }
    }

    #[test]
    fn a_number_far_from_those_of_its_form() {
        let of = |i: usize| {
            format!(
                "├ lib/n{i}.o  {}kb\n├ bin/n{i}  {}kb  used\nsum of n{i} is fine\n\n",
                7 + i % 5,
                900 + i % 9
            )
        };
        assert_eq!(found(&text("├ bin/n7  9kb  used", of)), [61]);
    }

    #[test]
    fn prose_and_short_texts_have_no_forms() {
        let words = ["the", "ship", "went", "over", "a", "sea", "of", "glass", "and", "stone"];
        let line = |i: usize| {
            (0..6 + i % 5).map(|k| words[(i * 7 + k * k * 3 + i / 10) % 10]).collect::<Vec<_>>().join(" ")
                + "\n"
        };
        assert_eq!(found(&(0..90).map(line).collect::<String>()), [0; 0]);
        assert_eq!(found("a line\nanother\n"), [0; 0]);
    }
}
