//! Removes white space without meaning from TOML, YAML and JSON5, where the document is the whole text. Comments,
//! strings, block scalars, numbers as written and the order of keys stay byte for byte.
//!
//! There is one file per format; each declines when it is not sure. File views, searches and diffs are never
//! changed, because they are edited and matched by their exact text.

mod json5;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use super::{Encoder, fold};
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Larger documents, in bytes, are not rewritten. A choice; bounds the work.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;

/// The encoder of this module.
pub struct DataWhitespace;

impl Encoder for DataWhitespace {
    fn id(&self) -> &'static str {
        "data_whitespace"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        let source = input.source;
        let is_whole = ledger.kept().next().is_some_and(|kept| kept.len() == source.len());
        // Lines that report a failure must stay as they were written.
        if !is_whole || crate::input::is_exact_text(input) || !source.failures().is_empty() {
            return Err(Reason::NothingToDo);
        }
        let written = rewritten(source.text()).filter(|text| text.len() < source.text().trim_end().len());
        let mut out = Reduction::default();
        if let Some(text) = written {
            out.replace(0..source.len(), text, Reason::DataWhitespace);
        }
        fold::spare_repeats(source, ledger, &mut out);
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

/// The document in fewer bytes, without a final line end; `None` if the text is not one.
fn rewritten(text: &str) -> Option<String> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return None;
    }
    json5::rewritten(text).or_else(|| toml::rewritten(text)).or_else(|| yaml::rewritten(text))
}

/// Whether blanks at the end of lines may be a part of strings that go over several lines.
pub(super) fn has_long_strings(source: &Source<'_>) -> bool {
    let text = source.text();
    if text.len() > MAX_DOCUMENT_BYTES {
        return false;
    }
    let quotes = |quotes: &str| memchr::memmem::find(text.as_bytes(), quotes.as_bytes()).is_some();
    (quotes("\"\"\"") || quotes("'''")) && toml::is_toml(text) || yaml::has_block_scalars(text)
}
