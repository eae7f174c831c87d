//! Words by which an answer of the model cites a result: paths, names, numbers, long words.

use xxhash_rust::xxh3::xxh3_64;

/// Shorter and longer words are ignored, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=200;
/// A word of only lower-case letters counts from this length on, in bytes: shorter ones are mostly ordinary language.
const MIN_PLAIN: usize = 9;
/// The most different words of one text: 16 KiB.
const MAX_WORDS: usize = 4096;
/// Bits of the filter that is checked first.
const FILTER_BITS: u32 = 1024;

/// The words of some texts, each as 32 bits of a hash. Two different words have the same hash about once in billions;
/// then a result is kept longer than necessary.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// Sorted, without duplicates.
    all: Box<[u32]>,
    filter: Box<[u64]>,
}

impl Words {
    /// The words of texts.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Vec::new();
        for text in texts {
            each(text, |word| all.push(xxh3_64(word) as u32));
            if all.len() > 4 * MAX_WORDS {
                all.sort_unstable();
                all.dedup();
                all.truncate(MAX_WORDS);
            }
        }
        Self::from_hashes(all)
    }

    fn from_hashes(mut all: Vec<u32>) -> Self {
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_WORDS);
        let mut filter = vec![0; if all.is_empty() { 0 } else { FILTER_BITS as usize / 64 }];
        for word in &all {
            let bit = word % FILTER_BITS;
            filter[bit as usize / 64] |= 1 << (bit % 64);
        }
        Self { all: all.into(), filter: filter.into() }
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The hashes, sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.all
    }

    /// Whether both have a word in common. `self` should be the smaller one.
    pub fn meets(&self, other: &Self) -> bool {
        self.all.iter().any(|word| other.has(*word))
    }

    /// The words that at least one of the two has.
    pub fn and(&self, other: &Self) -> Self {
        Self::from_hashes(self.all.iter().chain(&*other.all).copied().collect())
    }

    /// The words for which `is_known` is false.
    pub fn without(&self, is_known: impl Fn(u32) -> bool) -> Self {
        Self::from_hashes(self.all.iter().copied().filter(|word| !is_known(*word)).collect())
    }

    /// The number of words that both have in common.
    pub fn common(&self, other: &Self) -> usize {
        self.all.iter().filter(|word| other.has(**word)).count()
    }

    fn has(&self, word: u32) -> bool {
        let bit = word % FILTER_BITS;
        self.filter.get(bit as usize / 64).is_some_and(|bits| bits >> (bit % 64) & 1 == 1)
            && self.all.binary_search(&word).is_ok()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.all) + size_of_val(&*self.filter)
    }
}

/// Calls `note` for each word that is specific enough to be a citation, and for the last part of a path.
fn each(text: &str, mut note: impl FnMut(&[u8])) {
    let is_part =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-') || !b.is_ascii();
    for word in text.as_bytes().split(|b| !is_part(b)) {
        let word = trimmed(word);
        if !LENGTHS.contains(&word.len()) {
            continue;
        }
        let is_path = word.iter().any(|b| matches!(b, b'/' | b'.'));
        let tells = is_path
            || word.len() >= MIN_PLAIN
            || word.iter().any(|b| b.is_ascii_digit() || *b == b'_')
            || word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        if !tells {
            continue;
        }
        note(word);
        if let Some(slash) = word.iter().rposition(|b| *b == b'/')
            && LENGTHS.contains(&(word.len() - slash - 1))
        {
            note(&word[slash + 1..]);
        }
    }
}

/// A word without the punctuation around it.
fn trimmed(mut word: &[u8]) -> &[u8] {
    while let [b'.' | b'/' | b'-', rest @ ..] | [rest @ .., b'.' | b'/' | b'-'] = word {
        word = rest;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        each(text, |word| out.push(String::from_utf8(word.to_vec()).unwrap()));
        out
    }

    #[test]
    fn words_that_tell_where_they_come_from() {
        assert_eq!(
            of("We look at src/a/parse.rs:12, then call read_all() or readAll; port 8080."),
            ["src/a/parse.rs", "parse.rs", "read_all", "readAll", "8080"]
        );
        assert_eq!(of("these are words of the language, extraordinary ones too"), ["extraordinary"]);
        assert_eq!(of("a.b -- ... /"), Vec::<String>::new());
    }

    #[test]
    fn texts_meet_in_a_word() {
        let [one, two, none] =
            ["see src/main.rs", "/w/src/main.rs: 12", "other.rs"].map(|text| Words::of([text]));
        assert!(one.meets(&two) && two.meets(&one) && !one.meets(&none));
        assert!(Words::default().is_empty() && !one.meets(&Words::default()));
        let known = one.without(|word| two.has(word));
        assert!(!known.meets(&two) && known.meets(&one));
    }

    #[test]
    fn a_text_of_many_words_is_bounded() {
        let many: String = (0..100_000).map(|n| format!("word_{n} ")).collect();
        assert_eq!(Words::of([many.as_str()]).hashes().len(), MAX_WORDS);
    }
}
