//! XML without the indentation between its elements, where it is layout: documents of data, such as test
//! reports, build files and answers of services. Everything else stays to the byte.
//!
//! Never where text and elements stand side by side, in HTML, under `xml:space`, or in files, searches and
//! diffs, which are edited and matched by their exact text.

use super::{Encoder, fold};
use crate::formats::xml;
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;

/// Smaller documents in other text stay.
const MIN_LINES: usize = 3;

/// See the module.
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
