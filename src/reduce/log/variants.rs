//! Variants of a form: records that differ in words, not only in values, such as the one `user=root` among
//! hundreds of `user=ada`. A variant is known by a hash of the words without digits. Where others have a
//! word with digits it is no rare one: an id such as `c-fee` among `c-1e4` lacks digits by chance.

use crate::text::maps::Map;
use crate::text::source::Source;

use super::record::{self, Record};

/// Rare variants of a form that are looked for, at most.
const MOST: usize = 4;
/// Records of a rare variant, at most.
const RARE: usize = 2;
/// One part in so many of the form, at most, is a rare variant.
const SHARE: usize = 10;
/// One part in so many of the form, at least, has its words with digits where a rare variant has them.
const SHAPE_SHARE: usize = 4;

/// What a text says without its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Words {
    /// A hash of the words without digits.
    said: u64,
    /// A hash of which words have digits.
    shape: u64,
}

/// The first record of each rare variant of a form, in order: the first four. None where words differ from
/// record to record.
pub fn rare(source: &Source<'_>, records: &[Record], form: &[usize]) -> Vec<usize> {
    if form.len() < SHARE {
        return Vec::new();
    }
    // How many records a variant has, and the first.
    let mut variants: Map<Words, (usize, usize)> = Map::default();
    for &i in form {
        let record = &records[i];
        let line = source.line(record.lines.start).as_bytes();
        let from = record::message(line, record.head);
        variants.entry(words(&line[from..])).or_insert((0, i)).0 += 1;
    }
    let is_rare = |count: usize| count <= RARE && count * SHARE <= form.len();
    let usual: usize = variants.values().map(|(count, _)| *count).filter(|count| !is_rare(*count)).sum();
    if usual * 2 <= form.len() {
        return Vec::new();
    }
    let mut shapes: Map<u64, usize> = Map::default();
    for (words, (count, _)) in &variants {
        *shapes.entry(words.shape).or_default() += count;
    }
    let is_shape = |shape: u64| shapes.get(&shape).is_some_and(|count| count * SHAPE_SHARE >= form.len());
    let mut out: Vec<usize> = variants
        .into_iter()
        .filter(|(words, (count, _))| is_rare(*count) && is_shape(words.shape))
        .map(|(_, (_, first))| first)
        .collect();
    out.sort_unstable();
    out.truncate(MOST);
    out
}

fn words(text: &[u8]) -> Words {
    const START: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    let mix = |all: u64, word: u64| (all.rotate_left(5) ^ word).wrapping_mul(PRIME);
    let mut all = Words { said: START, shape: START };
    let (mut word, mut has_digit) = (START, false);
    for &b in text.iter().chain(b" ") {
        match b {
            b' ' | b'\t' | b',' | b';' | b'&' | b'"' => {
                if word != START {
                    all.shape = mix(all.shape, u64::from(has_digit));
                }
                if word != START && !has_digit {
                    all.said = mix(all.said, word);
                }
                (word, has_digit) = (START, false);
            }
            _ => {
                has_digit |= b.is_ascii_digit();
                word = (word ^ u64::from(b)).wrapping_mul(PRIME);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::record::records;
    use super::*;

    fn rare_of(line: impl Fn(usize) -> String) -> Vec<usize> {
        let text: String = (0..60).map(|i| format!("10:00:{i:02} {}\n", line(i))).collect();
        let source = Source::new(&text);
        let records = records(&source);
        rare(&source, &records, &(0..records.len()).collect::<Vec<_>>())
    }

    #[test]
    fn a_variant_with_few_records_is_rare() {
        let user = |i| if i == 7 { "root" } else { ["ada", "bob"][i % 2] };
        assert_eq!(rare_of(|i| format!("login of number {i} user={}", user(i))), [7]);
        assert_eq!(rare_of(|i| format!("{{\"n\":{i},\"user\":\"{}\"}}", user(i))), [7]);
        let kinds = |i: usize| if i % 10 == 3 { "abcdefgh".get(i / 10..i / 10 + 1) } else { None };
        assert_eq!(rare_of(|i| format!("login {i} {}", kinds(i).unwrap_or("usual"))), [3, 13, 23, 33]);
    }

    #[test]
    fn words_that_differ_everywhere_are_values() {
        let name = |i: usize| "abcdefghij".get(i % 8..i % 8 + 2).unwrap_or("");
        assert_eq!(rare_of(|i| format!("login {i} {}{}", name(i / 8), name(i))), [0; 0]);
        assert_eq!(rare_of(|i| format!("login {i} ok")), [0; 0]);
        let id = |i: usize| if i % 20 == 3 { "bead".to_owned() } else { format!("b{i}") };
        assert_eq!(rare_of(|i| format!("login {i} of {}", id(i))), [0; 0]);
    }
}
