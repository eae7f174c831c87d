//! Dictionaries: a phrase that a text repeats is written once, in a legend before the text, and referred to from
//! there on.
//!
//! There are two ways to find the phrases and one published form, which does not change. Nothing is lost (`expand`
//! restores the text). A line that reports a failure or holds a marker stays as it is; names, paths and numbers are
//! never split; every line keeps words of its own and has at most two references. A dictionary is used only for a
//! clear gain, since a text without one is easier to read, and not over records that a reader compares (`compared`).

mod atoms;
mod compared;
mod lzw;
mod read;
mod repair;
mod select;
#[cfg(test)]
mod tests;

use crate::config::DictionaryMethod;
use crate::text::reason::Reason;
use crate::tokens::TokenCounter;
use atoms::Atoms;
pub use compared::holds_records;
pub use read::{expand, is_own};
use select::Entry;

/// Longest text in bytes.
pub const MAX_BYTES: usize = 50_000;
/// Most entries of a dictionary. A choice: a reader can keep them in mind.
pub const MAX_ENTRIES: usize = 20;
/// Fewest bytes that an entry saves.
pub const MIN_SAVED: usize = 16;
/// Fewest places of an entry.
pub const MIN_PLACES: usize = select::MIN_OCCURRENCES;
/// A dictionary is used if it saves at least 300 tokens and a quarter of the text. A choice: an agent that reads a
/// text with references spends tokens of its own on looking them up, and may read them wrongly; a smaller gain does
/// not outweigh that.
const MIN_SAVED_TOKENS: usize = 300;
const MIN_SAVED_ONE_IN: usize = 4;

/// A way to find phrases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Repeated runs inside lines.
    Lzw,
    /// Repeated sequences inside lines.
    Repair,
}

impl Method {
    /// Both methods; if they save the same, the first is used.
    pub const ALL: [Self; 2] = [Self::Lzw, Self::Repair];

    /// The methods that a policy names.
    pub fn of(setting: DictionaryMethod) -> &'static [Self] {
        match setting {
            DictionaryMethod::None => &[],
            DictionaryMethod::Lzw => &[Self::Lzw],
            DictionaryMethod::Repair => &[Self::Repair],
            DictionaryMethod::Auto => &Self::ALL,
        }
    }

    /// The name in the evidence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lzw => "lzw",
            Self::Repair => "repair",
        }
    }

    /// The name of the step.
    pub fn step(self) -> &'static str {
        match self {
            Self::Lzw => "dictionary_lzw",
            Self::Repair => "dictionary_repair",
        }
    }

    /// The line before the legend.
    pub fn header(self) -> &'static str {
        match self {
            Self::Lzw => "[Forge LZW Dictionary]",
            Self::Repair => "[Forge RePair Dictionary]",
        }
    }

    /// What references start with.
    fn open(self) -> &'static str {
        match self {
            Self::Lzw => "<<F1:",
            Self::Repair => "<<R1:",
        }
    }

    fn reference(self, n: usize) -> String {
        format!("{}{n}>>", self.open())
    }
}

/// Why no dictionary is tried on a text; `None` if one is tried.
pub fn declines(text: &str) -> Option<Reason> {
    let holds = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    // Fewer bytes than this cannot save enough tokens.
    if text.len() < MIN_SAVED_TOKENS * 2 {
        return Some(Reason::NothingToDo);
    }
    if text.len() > MAX_BYTES {
        return Some(Reason::OverDictionaryLimit);
    }
    let own = Method::ALL.iter().any(|method| holds(method.header()) || holds(method.open()));
    own.then_some(Reason::HoldsDictionary)
}

/// A text with its dictionary.
#[derive(Debug)]
pub struct Written {
    /// The legend and the text.
    pub text: String,
    /// The tokens of both.
    pub tokens: usize,
    /// The phrases that are references now.
    pub phrases: Vec<String>,
    /// How they were found.
    pub method: Method,
}

impl Written {
    /// Whether a line of the text may have changed.
    pub fn touches(&self, line: &str) -> bool {
        self.phrases.iter().any(|phrase| memchr::memmem::find(line.as_bytes(), phrase.as_bytes()).is_some())
    }
}

/// The text with a dictionary, or the reason why there is none. `tokens` are those of the text.
pub fn compress(
    text: &str,
    tokens: usize,
    method: Method,
    counter: &dyn TokenCounter,
) -> Result<Written, Reason> {
    if let Some(why) = declines(text) {
        return Err(why);
    }
    let (atoms, entries, _) = phrases(text, method, counter);
    if entries.is_empty() {
        return Err(Reason::NothingToDo);
    }
    let phrases = entries.iter().map(|e| atoms.slice(e.start, e.count).to_owned()).collect();
    let out = write(&atoms, entries, method);
    let after = counter.count(&out);
    let pays = after + (tokens / MIN_SAVED_ONE_IN).max(MIN_SAVED_TOKENS) <= tokens && out.len() < text.len();
    if pays { Ok(Written { text: out, tokens: after, phrases, method }) } else { Err(Reason::NotPaying) }
}

/// The phrases of a text, and the number of steps of the search.
fn phrases<'a>(text: &'a str, method: Method, counter: &dyn TokenCounter) -> (Atoms<'a>, Vec<Entry>, usize) {
    let atoms = Atoms::read(text);
    let (candidates, found) = match method {
        Method::Lzw => lzw::candidates(&atoms),
        Method::Repair => repair::candidates(&atoms),
    };
    let (entries, chosen) = select::choose(&atoms, candidates, counter);
    (atoms, entries, found + chosen)
}

/// Writes the legend, in the order in which the text refers to it, and the text.
fn write(atoms: &Atoms<'_>, mut entries: Vec<Entry>, method: Method) -> String {
    entries.sort_unstable_by_key(|entry| entry.places.first().copied());
    let mut out = format!("{}\n", method.header());
    let mut places: Vec<(u32, usize)> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        out.push_str(&method.reference(i + 1));
        out.push_str(" = \"");
        read::escape(atoms.slice(entry.start, entry.count), &mut out);
        out.push_str("\"\n");
        places.extend(entry.places.iter().map(|place| (*place, i)));
    }
    places.sort_unstable();
    let mut done = 0;
    for (place, i) in places {
        let place = place as usize;
        out.push_str(atoms.slice(done, place - done));
        out.push_str(&method.reference(i + 1));
        done = place + entries[i].count;
    }
    out.push_str(atoms.slice(done, atoms.ids.len() - done));
    out
}
