//! Removes the indentation between the elements of XML documents that hold data, such as test reports, build files
//! and responses of services. Everything else stays byte for byte.
//!
//! A document is left as it is if an element has both text and elements, if it is HTML, or if a tag has
//! `xml:space`. So are files, searches and diffs, which are edited and matched by their exact text.

use super::{Encoder, fold};
use crate::formats::xml;
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;

/// Fewest lines of a document that is rewritten.
const MIN_LINES: usize = 3;

/// The encoder of this module.
pub struct XmlWhitespace;

impl Encoder for XmlWhitespace {
    fn id(&self) -> &'static str {
        "xml_whitespace"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        let source = input.source;
        if memchr::memmem::find(source.text().as_bytes(), b"</").is_none()
            || crate::input::is_exact_text(input)
        {
            return Err(Reason::NothingToDo);
        }
        let mut out = Reduction::default();
        for kept in ledger.kept() {
            let mut line = kept.start;
            while line < kept.end {
                let found = match xml::find(source, line..kept.end) {
                    Ok(found) => found,
                    Err(next) => {
                        line = next;
                        continue;
                    }
                };
                let lines = found.lines.clone();
                line = lines.end;
                if lines.len() >= MIN_LINES && xml::is_data(source.text(), &found.nodes) {
                    let text = xml::minify(source.text(), &found.nodes, found.end);
                    out.replace(lines, text, Reason::XmlWhitespace);
                }
            }
        }
        fold::spare_repeats(source, ledger, &mut out);
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}
