//! Lines that call something: `openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 3`. Among many calls of a few functions, the call of
//! another function stands out, such as the only `connect` among files that are opened.

use crate::pipeline::limit::unit::{Candidate, digest};
use crate::text::judge::{EXCEPTION_ONE_IN, Occurrences, is_share};
use crate::text::source::Source;

/// With fewer lines, a single call is nothing unusual.
const MIN_LINES: usize = 40;
/// At least this many of 4 lines must be calls.
const MOST_QUARTERS: usize = 3;
/// The most words before a call: the process, times.
const MAX_WORDS_BEFORE: usize = 3;
/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 48;
/// The most calls of a function that stand out.
const MAX_ALIKE: usize = 2;
/// The most names that are counted separately. Bounds the memory for a hostile text.
const MAX_NAMES: usize = 1024;
/// This many rare calls rank before all other outliers, further ones after them. A choice.
const FIRST_CALLS: usize = 4;

/// Adds the calls of functions that hardly any other line calls.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    if lines.len() < MIN_LINES {
        return;
    }
    let mut known = Occurrences::<&str, MAX_ALIKE>::at_most(MAX_NAMES);
    let mut all = 0;
    for (place, &line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        match name(source.line(line)) {
            Some(name) => {
                all += 1;
                known.add(name, place);
            }
            // `[pid 4711] <... read resumed>`: the second line of a call.
            None => all += usize::from(source.line(line).contains("<... ")),
        }
    }
    if all * 4 < lines.len() * MOST_QUARTERS {
        return;
    }
    let mut rare = known.into_rare();
    let together: usize = rare.iter().map(|(count, _)| count).sum();
    if !is_share(together, all, EXCEPTION_ONE_IN) {
        return;
    }
    // A program begins and ends with calls that only occur there.
    let middle = |(_, places): &(usize, [usize; MAX_ALIKE])| places[0].abs_diff(lines.len() / 2);
    rare.sort_by_key(|call| (call.0, middle(call)));
    for (nth, (count, places)) in rare.into_iter().enumerate() {
        for place in places.into_iter().take(count) {
            let key = digest(&place.to_le_bytes(), MAX_NAMES);
            // Ranks before outliers among values, because a rare function says more than a rare argument.
            let count = if nth < FIRST_CALLS { nth } else { count };
            out.push(Candidate { place, nth: nth / FIRST_CALLS, count, key, is_word: false });
        }
    }
}

/// The name of the function that a line calls, after the process and times.
fn name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for _ in 0..=MAX_WORDS_BEFORE {
        let name = rest
            .bytes()
            .take(MAX_NAME_BYTES + 1)
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let is_name = rest.as_bytes().first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        if is_name && rest.as_bytes().get(name) == Some(&b'(') {
            return Some(&rest[..name]);
        }
        // `[pid`, `4711]`, `12:00:01.5`, `0.000123`
        let (word, behind) = rest.split_once(' ')?;
        let is_before =
            word == "[pid" || word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':' | b']'));
        if !is_before {
            return None;
        }
        rest = behind.trim_start();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut out = Vec::new();
        find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
        out.iter().map(|c| c.place).collect()
    }

    #[test]
    fn a_call_of_another_function_stands_out() {
        let text = |odd: &str, before: &str| -> String {
            let usual = |i: usize| format!("{}(\"/srv/{i}\") = {i}", ["open", "read", "fstat"][i % 3]);
            (0..90)
                .map(|i| format!("{before}{}\n", if i == 50 { odd.to_owned() } else { usual(i) }))
                .collect()
        };
        for before in ["", "[pid 4711] ", "4711  12:00:01.250 ", "  0.000123 "] {
            assert_eq!(found(&text("connect(4, 203.0.113.7) = 0", before)), [50], "{before}");
            assert_eq!(found(&text("read(5) = 0", before)), [0; 0], "{before}");
        }
        // Calls that other processes interrupt are written as two lines.
        let halves = |i: usize| match i {
            50 => "[pid 7] connect(4, 203.0.113.7) = 0\n".to_owned(),
            i if i % 2 == 0 => format!("[pid 7] stat(\"/srv/{i}\" <unfinished ...>\n"),
            i => format!("[pid {i}] <... stat resumed>, {{st_size={i}}}) = 0\n"),
        };
        assert_eq!(found(&(0..90).map(halves).collect::<String>()), [50]);
        let names = (0..90).map(|i| format!("call_{i}(a)\n")).collect::<String>();
        assert_eq!(found(&names), [0; 0]);
        assert_eq!(name("see main(argc)"), None);
    }
}
