//! Removes characters that a reader cannot see: bidirectional controls, zero-width characters, tags.
//!
//! Such characters hide instructions, make identifiers look alike and cost tokens. Characters that a script or an emoji
//! needs stay: joiners between joining letters, variation selectors, flags. It never changes a visible character and never
//! removes a line end, including U+2028 and U+2029, which show as line ends.

use std::ops::Range;

/// Text without invisible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stripped {
    /// The text.
    pub text: String,
    /// What was removed: class and number of characters, in the order of [`CLASSES`]; classes without any are left
    /// out.
    pub removed: Vec<(&'static str, usize)>,
}

/// The names of the classes, in the order in which they are reported.
pub const CLASSES: [&str; 8] = [
    "bidi_control",
    "zero_width",
    "joiner",
    "tag",
    "soft_hyphen",
    "variation_selector",
    "filler",
    "annotation",
];

/// Index into [`CLASSES`].
#[derive(Clone, Copy)]
enum Class {
    /// Embeddings, overrides, isolates and marks of the bidirectional algorithm (UAX #9): they can show code in
    /// another order than it runs in. Right-to-left text looks the same without them, except for punctuation at its
    /// edge.
    Bidi,
    /// Space without width, word joiner, invisible operators, byte order marks, the deprecated format characters
    /// U+206A to U+206F, Mongolian vowel separator; format characters of music, shorthand and hieroglyphs away from these.
    ZeroWidth,
    /// ZWJ and ZWNJ between characters that cannot join.
    Joiner,
    /// Tag characters outside the flag of a region: they can spell hidden ASCII text.
    Tag,
    /// A place where a word may break. Terminals and code editors do not show it.
    SoftHyphen,
    /// Selectors of the supplement (VS17 on) after anything but an ideograph, the Mongolian ones after anything but
    /// Mongolian: bytes can be hidden in them. VS1 to VS16 stay (VS15 and VS16 choose text or emoji style), but only
    /// one at a time, after something visible.
    Variation,
    /// Letters that show as nothing: Hangul fillers, Khmer inherent vowels, combining grapheme joiner.
    Filler,
    /// Interlinear annotation (U+FFF9 to U+FFFB).
    Annotation,
}

/// The text without invisible characters; `None` if there are none.
#[must_use]
pub fn strip(text: &str) -> Option<Stripped> {
    let bytes = text.as_bytes();
    let mut counts = [0usize; CLASSES.len()];
    let mut out = String::new();
    let (mut kept_to, mut at) = (0, 0);
    while let Some(candidate) = next_candidate(bytes, at) {
        crate::stop::check_sometimes();
        let Some(ch) = text[candidate..].chars().next() else { break };
        let end = candidate + ch.len_utf8();
        // The decision uses the kept text before the character, so that a second run changes nothing.
        let before = text[kept_to..candidate].chars().next_back().or_else(|| out.chars().next_back());
        at = match judge(text, candidate..end, ch, before) {
            Verdict::Keep(end) => end,
            Verdict::Remove(class, end) => {
                counts[class as usize] += text[candidate..end].chars().count();
                out.push_str(&text[kept_to..candidate]);
                kept_to = end;
                end
            }
        };
    }
    if kept_to == 0 {
        return None;
    }
    out.push_str(&text[kept_to..]);
    let removed = CLASSES.into_iter().zip(counts).filter(|&(_, count)| count > 0).collect();
    Some(Stripped { text: out, removed })
}

enum Verdict {
    /// Keep everything up to here.
    Keep(usize),
    /// Remove everything up to here.
    Remove(Class, usize),
}

/// The next character that may be invisible, found by its first bytes.
fn next_candidate(bytes: &[u8], from: usize) -> Option<usize> {
    const BLOCK: usize = 256;
    let mut at = from;
    while at < bytes.len() {
        let end = (at + BLOCK).min(bytes.len());
        // All candidates are outside ASCII.
        if !bytes[at..end].is_ascii() {
            let found = (at..end).find(|&i| LEADS[bytes[i] as usize] && is_near(&bytes[i..]));
            if found.is_some() {
                return found;
            }
        }
        at = end;
    }
    None
}

/// The first bytes of all candidates. Continuation bytes never equal one of them.
pub(super) const LEADS: [bool; 256] = {
    let leads = [0xC2, 0xCC, 0xCD, 0xD8, 0xDB, 0xDC, 0xE0, 0xE1, 0xE2, 0xE3, 0xEF, 0xF0, 0xF3];
    let mut table = [false; 256];
    let mut i = 0;
    while i < leads.len() {
        table[leads[i]] = true;
        i += 1;
    }
    table
};

/// The length of the first character of a text, if it is invisible, or a sign that does not belong between ASCII
/// letters, such as a combining accent.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    let is_one = LEADS[usize::from(first)] && (is_near(bytes) || is_sign(bytes));
    is_one.then_some(match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4.min(bytes.len()),
    })
}

/// Whether the first two or three bytes are those of a class. Rejects CJK text and box drawing early.
fn is_near(bytes: &[u8]) -> bool {
    let third = bytes.get(2).copied().unwrap_or(0);
    match (bytes[0], bytes.get(1).copied().unwrap_or(0)) {
        (0xC2, 0xAD) | (0xCD, 0x8F) | (0xD8, 0x9C) => true,
        (0xE1, 0x85) => matches!(third, 0x9F | 0xA0),
        (0xE1, 0x9E) => matches!(third, 0xB4 | 0xB5),
        (0xE1, 0xA0) => matches!(third, 0x8B..=0x8F),
        (0xE2, 0x80) => matches!(third, 0x8B..=0x8F | 0xAA..=0xAE),
        (0xE2, 0x81) => matches!(third, 0xA0..=0xAF),
        (0xE3, 0x85) => third == 0xA4,
        (0xEF, 0xB8) => third <= 0x8F,
        (0xEF, 0xBB) => third == 0xBF,
        (0xEF, 0xBE) => third == 0xA0,
        (0xEF, 0xBF) => matches!(third, 0xB9..=0xBB),
        (0xF0, second) => {
            let fourth = bytes.get(3).copied().unwrap_or(0);
            matches!(
                (second, third, fourth),
                (0x93, 0x90, 0xB0..=0xB8) | (0x9B, 0xB2, 0xA0..=0xA3) | (0x9D, 0x85, 0xB3..=0xBA)
            )
        }
        (0xF3, 0xA0) => true,
        _ => false,
    }
}

/// Whether a text begins with a sign that Arabic, Syriac or Kaithi draws around numbers and words. Between ASCII letters
/// it only cuts a word.
fn is_sign(bytes: &[u8]) -> bool {
    matches!(
        *bytes,
        [0xCC, ..]
            | [0xCD, 0x80..=0xAF, ..]
            | [0xD8, 0x80..=0x85, ..]
            | [0xDB, 0x9D, ..]
            | [0xDC, 0x8F, ..]
            | [0xE0, 0xA2, 0x90 | 0x91, ..]
            | [0xE0, 0xA3, 0xA2, ..]
            | [0xF0, 0x91, 0x82, 0xBD, ..]
            | [0xF0, 0x91, 0x83, 0x8D, ..]
    )
}

fn judge(text: &str, at: Range<usize>, ch: char, before: Option<char>) -> Verdict {
    let after = text[at.end..].chars().next();
    let class = match ch {
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}' => {
            Class::Bidi
        }
        // A byte order mark at the start of a line marks the start of a file and hides nothing.
        '\u{FEFF}' if before.is_none_or(|c| c == '\n') => return Verdict::Keep(at.end),
        '\u{200B}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}' | '\u{180E}' => {
            Class::ZeroWidth
        }
        '\u{1D173}'..='\u{1D17A}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{13430}'..='\u{13438}' => {
            if [before, after].iter().flatten().any(|near| is_formatted(*near, ch)) {
                return Verdict::Keep(at.end);
            }
            Class::ZeroWidth
        }
        '\u{200C}' | '\u{200D}' if joins(ch, before, after) => return Verdict::Keep(at.end),
        '\u{200C}' | '\u{200D}' => Class::Joiner,
        '\u{E0000}'..='\u{E007F}' => match flag_end(text, at.start, before) {
            Some(end) => return Verdict::Keep(end),
            // The whole run of tags is removed, because the rest of an invalid flag must not become a valid one.
            None => return Verdict::Remove(Class::Tag, tags_end(text, at.start)),
        },
        '\u{AD}' => Class::SoftHyphen,
        '\u{FE00}'..='\u{FE0F}' if before.is_some_and(takes_selector) => return Verdict::Keep(at.end),
        '\u{E0100}'..='\u{E01EF}' if before.is_some_and(is_ideograph) => return Verdict::Keep(at.end),
        '\u{180B}'..='\u{180F}' if before.is_some_and(|base| ('\u{1820}'..='\u{18AA}').contains(&base)) => {
            return Verdict::Keep(at.end);
        }
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180F}' => Class::Variation,
        // The two old fillers stand for a missing letter inside a syllable of old Hangul.
        '\u{115F}' | '\u{1160}' if [before, after].iter().flatten().any(|ch| is_jamo(*ch)) => {
            return Verdict::Keep(at.end);
        }
        '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{3164}' | '\u{FFA0}' => {
            Class::Filler
        }
        '\u{FFF9}'..='\u{FFFB}' => Class::Annotation,
        // The rest of plane 14 is unassigned and ignored by every renderer, as tags are.
        '\u{E0080}'..='\u{E0FFF}' => Class::Tag,
        _ => return Verdict::Keep(at.end),
    };
    Verdict::Remove(class, at.end)
}

/// Whether a joiner affects how the text looks: between parts of an emoji, and between or after letters of joining scripts.
fn joins(joiner: char, before: Option<char>, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    let in_emoji = joiner == '\u{200D}' && ends_emoji(before) && after.is_some_and(begins_emoji);
    in_emoji
        || is_joining(before)
            && after.is_none_or(|ch| is_joining(ch) || ch.is_whitespace() || ch.is_ascii_punctuation())
}

/// Emoji, skin tones, signs that VS16 makes emoji, and VS16 itself.
fn ends_emoji(ch: char) -> bool {
    begins_emoji(ch) || matches!(ch, '\u{FE0F}' | '\u{20E3}')
}

fn begins_emoji(ch: char) -> bool {
    matches!(ch, '\u{1F000}'..='\u{1FAFF}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{2600}'..='\u{27BF}'
        | '\u{2B00}'..='\u{2BFF}')
}

/// Scripts in which a joiner changes the shape of letters: Arabic, Syriac, N'Ko, Mandaic, the Indic scripts, Sinhala,
/// Myanmar, Khmer, Mongolian, and their supplements.
fn is_joining(ch: char) -> bool {
    matches!(ch, '\u{0600}'..='\u{061B}' | '\u{061D}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{1000}'..='\u{109F}'
        | '\u{1780}'..='\u{17B3}' | '\u{17B6}'..='\u{17FF}' | '\u{1820}'..='\u{18AF}' | '\u{A840}'..='\u{A87F}'
        | '\u{A8E0}'..='\u{A8FF}' | '\u{A9E0}'..='\u{AA7F}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}'
        | '\u{10A00}'..='\u{10AFF}' | '\u{11000}'..='\u{11FFF}' | '\u{1E900}'..='\u{1E95F}')
}

/// Format characters, which no selector can belong to.
fn is_format(ch: char) -> bool {
    matches!(ch, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}'
        | '\u{13430}'..='\u{13438}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}')
}

/// Whether a visible character is of the script that a format character is for: notes, shorthand, hieroglyphs.
fn is_formatted(near: char, format: char) -> bool {
    match format {
        '\u{13430}'..='\u{13438}' => matches!(near, '\u{13000}'..='\u{1342F}' | '\u{13440}'..='\u{143FF}'),
        '\u{1BCA0}'..='\u{1BCA3}' => matches!(near, '\u{1BC00}'..='\u{1BC9F}'),
        _ => matches!(near, '\u{1D100}'..='\u{1D172}' | '\u{1D17B}'..='\u{1D1FF}'),
    }
}

/// A visible character that is not a selector.
fn takes_selector(ch: char) -> bool {
    !ch.is_control()
        && !ch.is_whitespace()
        && !is_format(ch)
        && !matches!(ch, '\u{FE00}'..='\u{FE0F}' | '\u{AD}')
}

fn is_ideograph(ch: char) -> bool {
    matches!(ch, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn is_jamo(ch: char) -> bool {
    matches!(ch, '\u{1100}'..='\u{115E}' | '\u{1161}'..='\u{11FF}')
}

/// The end of the flag of a region (UTS #51: black flag, three to six tag letters or digits, cancel tag) whose tags
/// begin at `start`.
fn flag_end(text: &str, start: usize, before: Option<char>) -> Option<usize> {
    const MAX_FLAG_LETTERS: usize = 6;
    if before != Some('\u{1F3F4}') {
        return None;
    }
    let tags = &text[start..];
    let letters = tags
        .chars()
        .take(MAX_FLAG_LETTERS + 1)
        .take_while(|ch| matches!(ch, '\u{E0061}'..='\u{E007A}' | '\u{E0030}'..='\u{E0039}'))
        .count();
    let end = letters * 4;
    ((3..=MAX_FLAG_LETTERS).contains(&letters) && tags[end..].starts_with('\u{E007F}'))
        .then_some(start + end + 4)
}

/// The end of the run of tag characters that begins at `start`.
fn tags_end(text: &str, start: usize) -> usize {
    let is_tag = |ch: char| ('\u{E0000}'..='\u{E007F}').contains(&ch);
    text.len() - text[start..].trim_start_matches(is_tag).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str, removed: &[(&'static str, usize)]) {
        let stripped = strip(text).unwrap_or_else(|| panic!("nothing removed from {text:?}"));
        assert_eq!((stripped.text.as_str(), stripped.removed.as_slice()), (expected, removed), "{text:?}");
        assert_eq!(strip(expected), None, "not settled");
    }

    #[test]
    fn hidden_characters_go_and_are_counted_by_class() {
        check("a\u{202e}b\u{2066}c\u{200f}\u{61c}", "abc", &[("bidi_control", 4)]);
        check("a\u{200b}b\u{2060}c\u{180e}\u{feff}", "abc", &[("zero_width", 4)]);
        check("a\u{1d173}b\u{1bca3}c\u{13430}", "abc", &[("zero_width", 3)]);
        check("\u{feff}a\n\u{feff}\u{feff}b", "\u{feff}a\n\u{feff}b", &[("zero_width", 1)]);
        check("pass\u{200d}word\u{200c}", "password", &[("joiner", 2)]);
        check("a\u{e0041}\u{e0042}\u{e0001}", "a", &[("tag", 3)]);
        check("co\u{ad}op", "coop", &[("soft_hyphen", 1)]);
        check("a\u{e0100}\u{e0101} \u{fe0f}x\u{fe0e}\u{fe0e}", "a x\u{fe0e}", &[("variation_selector", 4)]);
        check("a\u{3164}b\u{ffa0}\u{115f}\u{34f}", "ab", &[("filler", 4)]);
        check("\u{fff9}a\u{fffa}b\u{fffb}", "ab", &[("annotation", 3)]);
        check("\u{ad}\u{202a}\u{200b}x", "x", &[("bidi_control", 1), ("zero_width", 1), ("soft_hyphen", 1)]);
        check(&format!("{}\u{200b}", "a".repeat(63)), &"a".repeat(63), &[("zero_width", 1)]);
    }

    #[test]
    fn what_scripts_and_emoji_need_stays() {
        for text in [
            "plain\n\ttext",
            "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3} ☎\u{fe0e}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "می\u{200c}خواهم क्\u{200d}ष ක්\u{200d}ර",
            "葛\u{e0100}",
            "line\u{2028}line\u{2029}",
            "\u{1d173}\u{1d15f}\u{1d174} \u{1bc00}\u{1bca0}\u{1bc01} \u{13000}\u{13430}\u{13001}",
            "\u{600}\u{661}\u{662} \u{6dd} \u{70f}\u{710} \u{890} \u{8e2} \u{110bd}\u{11083}",
            "ᠠ\u{180b} — “quotes” … ─┼█ ￥ 漢字かな한글",
        ] {
            assert_eq!(strip(text), None, "{text:?}");
        }
        // An invalid flag: its tags could carry a message.
        check("🏴\u{e0067}\u{e0062}", "🏴", &[("tag", 2)]);
        check(
            "🏴\u{e0068}\u{e0069}\u{e0064}\u{e0064}\u{e0065}\u{e006e}\u{e006e}\u{e007f}",
            "🏴",
            &[("tag", 8)],
        );
    }

    proptest! {
        #[test]
        fn removal_only_removes_and_settles(text in "([a-z \n]|[\u{ad}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}\u{feff}]|[\u{1d172}-\u{1d174}\u{13430}\u{13000}\u{600}\u{e0060}-\u{e007f}🏴👩漢می\u{115f}\u{1100}]){0,40}") {
            if let Some(stripped) = strip(&text) {
                let removed: usize = stripped.removed.iter().map(|(_, count)| count).sum();
                prop_assert!(removed > 0);
                prop_assert_eq!(text.chars().count(), stripped.text.chars().count() + removed);
                let mut rest = text.chars();
                prop_assert!(stripped.text.chars().all(|kept| rest.any(|ch| ch == kept)));
                prop_assert_eq!(strip(&stripped.text), None);
            }
        }
    }
}
