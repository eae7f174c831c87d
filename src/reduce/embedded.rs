//! Binary data inside a text: long base64 of an image or an archive is of no use to a reader.
//!
//! Only runs whose decoded head is a known binary kind are left out; keys, certificates and digests are kept.

use crate::sanitize::binary::base64_runs;
use crate::text::ledger::{Action, Reduction};
use crate::text::marker::Marker;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Replaces each run by a marker inside its line.
pub fn reduce(source: &Source<'_>) -> Result<Reduction, Reason> {
    let runs = base64_runs(source.text());
    let mut out = Reduction::default();
    let mut runs = runs.iter().peekable();
    while let Some(first) = runs.peek() {
        let line = source.line_at(first.range.start);
        let bytes = source.byte_range(line..line + 1);
        let end = bytes.start + source.line(line).len();
        let mut text = String::new();
        let mut at = bytes.start;
        let mut omitted_bytes = 0;
        while let Some(run) = runs.next_if(|run| run.range.start < bytes.end) {
            // A run that continues on the next line is cut at the end of this one.
            let stop = run.range.end.min(end);
            let count = stop - run.range.start;
            text.push_str(source.text().get(at..run.range.start).unwrap_or_default());
            let reason = Reason::EmbeddedBinary.code().to_owned();
            text.push_str(&Marker::Bytes { count, line: source.number(line), reason, id: None }.write());
            omitted_bytes += count;
            at = stop;
        }
        text.push_str(source.text().get(at..end).unwrap_or_default());
        out.push(line..line + 1, Action::Replace { text, reason: Reason::EmbeddedBinary, omitted_bytes });
    }
    out.unless_empty()
}
