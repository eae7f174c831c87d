//! `wget`: a file that was saved completely keeps only its address and the line that says so. Redirects, answers
//! other than 200 and errors are kept with all lines that led to them.
//!
//! Grammar: `--DATE--  URL` starts a request, `DATE (RATE) - ‘FILE’ saved [N/N]` ends one that succeeded.

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct Wget;

static META: Meta = Meta {
    id: "wget",
    family: "package",
    reads: "`wget`, also recursive",
    keeps: "addresses, files with sizes, redirects, answers other than 200, errors, totals",
    omits: "resolving, connecting, dots and bars of files that were saved whole",
    anchors: &["HTTP request sent, awaiting response", "Saving to: ", " saved ["],
};

/// If more files than this were saved, the addresses of further ones are left out. A choice.
const MAX_ADDRESSES: usize = 5;

impl Reducer for Wget {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        FormatProof::full_if(input.source.lines().any(is_start))
    }

    fn is_writer(&self, s: &Simple) -> bool {
        s.program() == "wget"
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut actions = LineActions::new(source);
        let mut start: Option<usize> = None;
        let mut shown = 0;
        for (i, line) in source.lines().enumerate() {
            if is_start(line) {
                // If the previous request was not saved (a redirect or an error), all its lines are kept.
                start = Some(i);
            } else if is_saved(line)
                && let Some(start) = start.take()
            {
                shown += 1;
                if shown > MAX_ADDRESSES {
                    actions.omit_unless_failure(start, Reason::Progress, 1);
                }
                (start + 1..i)
                    .filter(|&l| is_step(source.line(l)))
                    .for_each(|l| actions.omit_unless_failure(l, Reason::Progress, 1));
            }
        }
        actions.keep_last().finish(Blanks::Between)
    }

    fn is_format_line(&self, line: &str) -> bool {
        is_start(line)
            || is_saved(line)
            || is_step(line) && !line.trim().is_empty()
            || line.starts_with("Downloaded: ")
    }
}

/// `--2026-11-21 07:42:54--  http://…`
fn is_start(line: &str) -> bool {
    line.strip_prefix("--")
        .and_then(|rest| rest.split_once("--  "))
        .is_some_and(|(date, url)| date.starts_with(|c: char| c.is_ascii_digit()) && url.contains("://"))
}

/// `… - ‘big.bin’ saved [30000000/30000000]`: the size is as announced.
fn is_saved(line: &str) -> bool {
    let Some((_, counts)) = line.trim_end().rsplit_once(" saved [") else { return false };
    match counts.strip_suffix(']').map(|c| c.split_once('/').unwrap_or((c, c))) {
        Some((got, all)) => got == all && got.bytes().all(|b| b.is_ascii_digit()),
        None => false,
    }
}

/// A step of a request that is of no use once the file is saved.
fn is_step(line: &str) -> bool {
    let text = line.trim();
    let starts = ["Resolving ", "Connecting to ", "Reusing existing connection", "Saving to: ", "Length: "];
    text.is_empty()
        || starts.iter().any(|s| text.starts_with(s))
        || (text.starts_with("HTTP request sent, awaiting response... 200"))
        || text.contains("K ") && text.contains("..")
        || text.contains("100%")
        || text.contains("%[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines() {
        assert!(is_start("--2026-11-21 07:42:54--  http://127.0.0.1/a"));
        assert!(!is_start("--- a/b"));
        assert!(is_saved("2026-11-21 07:42:54 (96.6 MB/s) - ‘big.bin’ saved [30000000/30000000]"));
        assert!(is_saved("2026-11-21 07:42:54 (96.6 MB/s) - ‘x’ saved [30]"));
        assert!(!is_saved("2026-11-21 07:42:54 (96.6 MB/s) - ‘x’ saved [3/30]"));
        assert!(!is_step("HTTP request sent, awaiting response... 404 Not Found"));
    }
}
