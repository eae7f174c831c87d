//! Details of failures (expected and actual values, the caret, the place) and lines with totals. A cut keeps them
//! together with the failure lines.
//!
//! Like `signals`, this works without knowing the tool or the reducer.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use crate::text::maps::Set;
use crate::text::source::Source;

/// The details of a failure must be within this many lines below it.
const LINES_BELOW: usize = 14;
/// The same for details above it.
const LINES_ABOVE: usize = 2;
/// The most details of one failure.
const MAX_DETAILS: usize = 10;
/// The longest line that may be a detail or a total, in bytes.
const MAX_LINE_BYTES: usize = 600;

/// Larger texts are not searched for totals: most totals are at the ends, which a cut keeps anyway.
const MAX_TEXT_BYTES: usize = 4 << 20;

static PATTERNS: LazyLock<Option<[Regex; 2]>> = LazyLock::new(|| {
    let build = |pattern| RegexBuilder::new(pattern).unicode(false).build().ok();
    Some([
        build(
            r"(?x)^[\s|>]*(?:left|right|[Ee]xpected|[Aa]ctual|[Gg]ot|[Ww]ant(?:ed)?|[Rr]eceived|but\ was|Diff|[Nn]ote|help)\b[\s\w()]*[:=<]
            | ^[\s|]*[\^~]+ | ^\s*-->\ \S+:\d | ^\s*>?\s*\d+\ \| | ^\s*[-+]\s*(?:Expected|Received|expected|actual)\b
            | ^\s*(?:at\ |\#\d+\ |File\ \x22)?\S*[\w)]\.\w{1,5}(?::|\()\d+ | ^\s*File\ \x22[^\x22]+\x22,\ line\ \d+ | ^>\s+\S",
        )?,
        build(
            r"(?x)\b\d+\ (?:passed|failed|skipped|ignored|xfailed|passing|failing|pending)\b
            | ^\[?(?:INFO|ERROR|WARNING)?\]?\s*Tests\ run:[^-]*$ | ^test\ result: | ^Ran\ \d+\ tests? | ^Tests?:?\s+\d | ^Found\ \d+\ \w+
            | \b\d+\ (?:errors?|warnings?|problems?|tests?|failures?)\b[^:]{0,40}(?:\.|found|generated|emitted|in\ [\d.]+|,|\)|$)
            | ^BUILD\ (?:SUCC|FAIL) | \bcoverage\b.*\d% | ^(?:TOTAL|Total)\b.*\d",
        )?,
    ])
});

/// Every line with totals has at least one of these, in addition to a digit or `BUILD `.
const TOTAL_WORDS: &[&str] = &[
    " passed",
    " failed",
    " skipped",
    " ignored",
    " xfailed",
    " passing",
    " failing",
    " pending",
    " error",
    " warning",
    " problem",
    " test",
    " failure",
    "Tests run:",
    "test result:",
    "Ran ",
    "Test",
    "Found ",
    "BUILD ",
    "coverage",
    "TOTAL",
    "Total",
];

static TOTALS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // As for the words of failures: only a leftmost search uses the fast packed algorithm.
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(TOTAL_WORDS).ok()
});

/// Whether a line gives details of a failure above it.
pub fn is_detail(line: &str) -> bool {
    let Some([detail, _]) = PATTERNS.as_ref() else { return false };
    line.len() <= MAX_LINE_BYTES && detail.is_match(line.as_bytes())
}

/// The failure lines, their details and the totals of a text, in order. If failures differ only in digits, the
/// details of the first are enough; equal totals count once.
pub fn with_details(source: &Source<'_>, signals: &[usize]) -> Vec<usize> {
    let mut lines = with_totals(source, signals);
    let mut seen: Set<u64> = Set::default();
    for (place, &signal) in signals.iter().enumerate() {
        if !seen.insert(similarity_hash(source.line(signal))) {
            continue;
        }
        let next = signals.get(place + 1).copied().unwrap_or(source.len());
        let end = next.min(signal + 1 + LINES_BELOW).min(source.len());
        let is_detail = |i: &usize| is_detail(source.line(*i));
        lines.extend((signal.saturating_sub(LINES_ABOVE)..signal).filter(is_detail));
        lines.extend((signal + 1..end).filter(is_detail).take(MAX_DETAILS));
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The failure lines and the totals of a text, in order; equal totals count once.
pub fn with_totals(source: &Source<'_>, signals: &[usize]) -> Vec<usize> {
    let Some([_, total]) = PATTERNS.as_ref().filter(|_| source.text().len() <= MAX_TEXT_BYTES) else {
        return signals.to_vec();
    };
    let mut lines: Vec<usize> = signals.to_vec();
    let Some(words) = TOTALS.as_ref() else { return lines };
    let mut totals: Set<&str> = Set::default();
    let mut from = 0;
    while let Some(hit) = source.text().get(from..).and_then(|rest| words.find(rest)) {
        let i = source.line_at(from + hit.start());
        from = source.byte_range(i..i + 1).end;
        let line = source.line(i);
        // A cheap check first: lines with totals are short and have a digit.
        if line.len() <= MAX_LINE_BYTES / 3
            && (line.bytes().any(|b| b.is_ascii_digit()) || line.starts_with("BUILD "))
            && total.is_match(line.as_bytes())
            && totals.insert(line.trim())
        {
            lines.push(i);
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// A digest of a line without its digits. Only valid within one process and one text.
pub fn similarity_hash(line: &str) -> u64 {
    const FULL: usize = 64;
    // Like FNV, but with eight bytes at a time; the same on every machine. If two different lines get the same
    // digest, the only harm is that one example is lost.
    let mix = |state: u64, eight: &[u8; 8]| {
        (state.rotate_left(23) ^ u64::from_le_bytes(*eight)).wrapping_mul(0x0100_0000_01b3)
    };
    let digest = |state: u64, bytes: &[u8]| bytes.as_chunks::<8>().0.iter().fold(state, mix);
    let (mut state, mut kept, mut count) = (0xcbf2_9ce4_8422_2325, [0; FULL + 8], 0);
    let line = line.trim().as_bytes();
    // Every byte is written, and overwritten by the next one if it was a digit: this is faster than branching.
    for bytes in line.chunks(8) {
        for byte in bytes {
            kept[count] = *byte;
            count += usize::from(!byte.is_ascii_digit());
        }
        if count >= FULL {
            state = digest(state, &kept[..FULL]);
            kept.copy_within(FULL.., 0);
            count -= FULL;
        }
    }
    kept[count..].fill(0);
    let end = count.next_multiple_of(8);
    mix(digest(state, &kept[..end]), &(count as u64).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(text: &str, signals: &[usize]) -> Vec<usize> {
        with_details(&Source::new(text), signals)
    }

    proptest! {
        #[test]
        fn digits_do_not_change_the_hash(line in "[a-z][a-zé ]{0,90}[0-9]{0,9}[a-z ]{0,90}[a-z]", odd in 0usize..90) {
            let plain: String = line.chars().filter(|c| !c.is_ascii_digit()).collect();
            prop_assert_eq!(similarity_hash(&line), similarity_hash(&plain));
            let (before, after) = plain.split_at(plain.floor_char_boundary(odd));
            prop_assert_ne!(similarity_hash(&format!("{before}!{after}")), similarity_hash(&plain));
        }
    }

    #[test]
    fn details_stay_with_their_failure() {
        let text = "thread 'a' panicked at src/a.rs:3:5:\nassertion failed\n  left: 1\n right: 2\nnoise\n";
        assert_eq!(kept(text, &[0]), [0, 2, 3]);
        let text =
            "error[E0308]: mismatched\n --> src/a.rs:1:2\n  |\n1 | let x;\n  |     ^ expected\nother\n";
        assert_eq!(kept(text, &[0]), [0, 1, 3, 4]);
        // A second failure of the same kind adds no details.
        let text = "error 1\n  left: 1\nx\nerror 2\n  left: 1\n";
        assert_eq!(kept(text, &[0, 3]), [0, 1, 3]);
    }

    #[test]
    fn totals_stay() {
        let text = "a\n===== 3 passed in 0.1s =====\nTests run: 3, Failures: 0\nTests run: 3, Failures: 0 - in A\n5 apples\n\
                    Found 3 errors in 1 file\nBUILD SUCCESSFUL\n";
        assert_eq!(kept(text, &[]), [1, 2, 5, 6]);
        assert_eq!(with_totals(&Source::new(text), &[0]), [0, 1, 2, 5, 6]);
    }
}
