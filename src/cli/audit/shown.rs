//! Prepares texts from histories for display: redacted, on one line, shortened, without terminal control.

use std::path::Path;

use super::history::cut;
use super::places::home;
use crate::cli::explain::stand_in;
use crate::sanitize::redact_only;

/// Most bytes of a text that are shown.
const MAX_SHOWN_BYTES: usize = 160;
/// Most bytes of a text that are redacted and searched; later bytes are not shown anyway.
const LOOKED_AT: usize = 64 * 1024;

/// A text for a report. If redaction fails, nothing is shown.
pub(super) fn shown(text: &str) -> String {
    let Ok((text, _)) = redact_only(cut(text, LOOKED_AT)) else { return "(not redacted)".to_owned() };
    line(&text)
}

/// A text that is already redacted.
pub(super) fn line(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        match stand_in(c) {
            Some(name) => out.push_str(&name),
            None => out.push(c),
        }
        if out.len() > MAX_SHOWN_BYTES {
            out.truncate(out.floor_char_boundary(MAX_SHOWN_BYTES));
            out.push('…');
            break;
        }
    }
    out
}

/// A path for a report: `~` for the home folder.
pub(super) fn path(path: &Path) -> String {
    let below = home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_path_buf));
    let text = match below {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    };
    shown(&text)
}
