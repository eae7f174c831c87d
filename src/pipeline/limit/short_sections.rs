//! Short sections between dividers: in the output of `git status; echo ----; df -h /; echo ----; docker ps` the few
//! lines of `df` are a complete answer, so each line counts.

use crate::pipeline::limit::unit::{Candidate, digest};
use crate::text::judge::{EXCEPTION_ONE_IN, is_share};
use crate::text::source::Source;

/// The most lines of a short section.
const MAX_LINES: usize = 3;
/// The most dividers: with more of them, the sections are records.
const MAX_DIVIDERS: usize = 16;
/// The shortest rule, in bytes.
const MIN_RULE_BYTES: usize = 3;

/// Adds the lines of short sections, if most lines are in longer ones.
pub(super) fn find(source: &Source<'_>, lines: &[usize], out: &mut Vec<Candidate>) {
    let mut dividers = 0;
    let mut found: Vec<usize> = Vec::new();
    let mut section: Vec<usize> = Vec::new();
    let mut len = 0;
    let mut add = |section: &mut Vec<usize>, len: &mut usize| {
        if *len <= MAX_LINES {
            found.append(section);
        }
        section.clear();
        *len = 0;
    };
    for (place, &line) in lines.iter().enumerate() {
        crate::stop::check_sometimes();
        let line = source.line(line).trim();
        if is_divider(line) {
            dividers += 1;
            if dividers > MAX_DIVIDERS {
                return;
            }
            add(&mut section, &mut len);
        } else if !line.is_empty() {
            len += 1;
            if len <= MAX_LINES {
                section.push(place);
            }
        }
    }
    add(&mut section, &mut len);
    if dividers == 0 || !is_share(found.len(), lines.len(), EXCEPTION_ONE_IN) {
        return;
    }
    out.extend(found.into_iter().enumerate().map(|(nth, place)| {
        let key = digest(&place.to_le_bytes(), 0);
        Candidate { place, nth: nth / MAX_LINES, count: 1, key, is_word: false }
    }));
}

/// Whether a line separates sections: a rule, `=== name ===` or `--- name`.
fn is_divider(line: &str) -> bool {
    let Some(first) = line.bytes().next().filter(|b| b"-=#*_~".contains(b)) else { return false };
    let rule = line.bytes().take_while(|b| *b == first).count();
    rule == line.len() && rule >= MIN_RULE_BYTES
        || rule >= MIN_RULE_BYTES && first != b'#' && line.as_bytes().get(rule) == Some(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_section_between_long_ones() {
        let places = |text: &str| {
            let source = Source::new(text);
            let mut out = Vec::new();
            find(&source, &(0..source.len()).collect::<Vec<_>>(), &mut out);
            out.iter().map(|c| c.place).collect::<Vec<_>>()
        };
        let long = "a line\n".repeat(30);
        assert_eq!(places(&format!("{long}----\nSize Use\n99G 100%\n----\n{long}")), [31, 32]);
        assert_eq!(places(&format!("{long}=== disk ===\n99G 100%\n\n=== rest ===\n{long}")), [31]);
        // Records, and sections of which none is short.
        assert_eq!(places(&"----\na: 1\nb: 2\n".repeat(9)), [0; 0]);
        assert_eq!(places(&format!("{long}----\n{long}")), [0; 0]);
        assert_eq!(places(&long), [0; 0]);
    }
}
