//! Finds outliers among functions that are alike line by line, such as handlers and accessors: the line in which one
//! function differs from all others stays.
//!
//! Functions with the same number of lines are compared line by line: first by the text of a line, then by its
//! shape, which is its punctuation with one letter for each word. Time is linear in the lines of these functions.

use super::Lines;
use crate::outline::{Item, Kind};

/// Fewest functions of one length that show the usual form, and most lines of one. A choice; the second bounds the
/// work if functions are nested.
const MIN_SIBLINGS: usize = 8;
const MAX_BODY_LINES: usize = 40;
/// A function that differs in more lines than this is unrelated, not an outlier. A choice.
const MAX_UNLIKE_LINES: usize = 2;
/// The most such lines in a file. A choice.
const MAX_SHOWN: usize = 6;

/// The lines in which one function differs from all others of its length.
pub(super) fn unlike(lines: &[&str], items: &[Item<'_>]) -> Vec<usize> {
    let is_compared = |item: &&Item<'_>| {
        item.kind == Kind::Function && !item.body.is_empty() && item.body.len() <= MAX_BODY_LINES
    };
    let mut bodies: Vec<Lines> = items.iter().filter(is_compared).map(|item| item.body.clone()).collect();
    bodies.sort_unstable_by_key(|body| (body.len(), body.start));
    let mut out = Vec::new();
    for alike in bodies.chunk_by(|a, b| a.len() == b.len()).filter(|alike| alike.len() >= MIN_SIBLINGS) {
        // For each line in which all functions but one agree: the function that differs, and the line.
        let mut odd: Vec<(usize, usize)> = Vec::new();
        for at in 0..alike[0].len() {
            crate::stop::check_sometimes();
            let texts: Vec<&str> =
                alike.iter().map(|body| lines.get(body.start + at).map_or("", |line| line.trim())).collect();
            let found = odd_one(&texts).or_else(|| {
                let shapes: Vec<String> = texts.iter().map(|text| shape(text)).collect();
                odd_one(&shapes)
            });
            odd.extend(found.map(|function| (function, alike[function].start + at)));
        }
        odd.sort_unstable();
        for of_one in odd.chunk_by(|a, b| a.0 == b.0).filter(|of_one| of_one.len() <= MAX_UNLIKE_LINES) {
            out.extend(of_one.iter().map(|(_, line)| *line));
        }
    }
    out.sort_unstable();
    out.dedup();
    if out.len() <= MAX_SHOWN { out } else { Vec::new() }
}

/// The one value that differs from all others, which are equal.
fn odd_one<T: PartialEq>(values: &[T]) -> Option<usize> {
    let [first, second, third, ..] = values else { return None };
    let usual = if first == second || first == third { first } else { second };
    let mut others = (0..values.len()).filter(|i| values[*i] != *usual);
    others.next().filter(|_| others.next().is_none())
}

/// The shape of a line: its punctuation, with a letter for each word or number.
fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        if !is_word {
            out.push(c);
        } else if !in_word {
            out.push('a');
        }
        in_word = is_word;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{Language, outline};

    fn odd_lines(odd: &str, other: &str) -> Vec<String> {
        let function = |i: usize| {
            let (range, call) = if i == 5 { (odd, other) } else { ("range(retries)", "self.db.fetch") };
            format!(
                "def run_{i}(self):\n    for n in {range}:\n        {call}('name{i}', n)\n    return None\n\n"
            )
        };
        let text: String = (0..12).map(function).collect();
        let lines: Vec<&str> = text.lines().collect();
        let items = outline(Language::of(Some("a.py"), "").unwrap(), &lines).unwrap();
        unlike(&lines, &items).into_iter().map(|line| lines[line].trim().to_owned()).collect()
    }

    #[test]
    fn the_line_that_sets_a_function_apart() {
        assert_eq!(odd_lines("range(retries + 1)", "self.db.fetch"), ["for n in range(retries + 1):"]);
        assert_eq!(odd_lines("range(attempts)", "self.db.fetch"), ["for n in range(attempts):"]);
        assert_eq!(odd_lines("range(retries)", "self.fetch"), ["self.fetch('name5', n)"]);
        assert!(odd_lines("range(retries)", "self.db.fetch").is_empty());
    }

    #[test]
    fn one_of_many_differs() {
        assert_eq!(odd_one(&[1, 2, 2, 2]), Some(0));
        assert_eq!(odd_one(&[2, 1, 2, 2]), Some(1));
        assert_eq!(odd_one(&[2, 2, 2, 1]), Some(3));
        assert_eq!(odd_one(&[2, 2, 1, 1]), None);
        assert_eq!(odd_one(&[2, 2, 2]), None);
    }
}
