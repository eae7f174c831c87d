//! Names of the files of a vault. They contain everything that pruning needs, so it opens no file.
//!
//! `ID-SCOPE-STORED-EXPIRES-RUN.original`, all in lower-case hexadecimal of fixed width. The ending `.gone` marks
//! an original whose content was removed, so that the error can say so. Files with other names are not ours and are
//! never changed, except `.part` files of killed processes.

use std::time::Duration;

/// Hexadecimal digits of an id in a name; the header of a file has all 64.
pub(super) const ID_DIGITS: usize = 32;
/// Ending of a file that is being written.
pub(super) const PART: &str = ".part";
/// Ending of the file that a process keeps locked while it runs.
const RUN: &str = ".run";
const ORIGINAL: &str = ".original";
const GONE: &str = ".gone";

/// One original of a vault, by its file name. Ordered by age, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// When it was stored, since the epoch in nanoseconds.
    pub(super) stored: u64,
    /// The first digits of the artifact's digest.
    pub(super) id: String,
    /// Digest of the session that it belongs to.
    pub(super) scope: u64,
    /// End of its retention, in seconds since the epoch.
    pub(super) expires: u64,
    /// The process that deletes it when it ends; 0 if it outlives its process.
    pub(super) run: u64,
    /// Whether only the name remains.
    pub(super) is_gone: bool,
}

impl Name {
    /// Parses a file name.
    pub(super) fn parse(file: &str) -> Option<Self> {
        let (stem, is_gone) = match file.strip_suffix(ORIGINAL) {
            Some(stem) => (stem, false),
            None => (file.strip_suffix(GONE)?, true),
        };
        let mut fields = stem.split('-');
        let mut field = |digits: usize| fields.next().filter(|f| f.len() == digits && is_hex(f));
        let id = field(ID_DIGITS)?.to_owned();
        let mut number = || u64::from_str_radix(field(16)?, 16).ok();
        let (scope, stored, expires, run) = (number()?, number()?, number()?, number()?);
        let name = Self { stored, id, scope, expires, run, is_gone };
        // Only one spelling is valid, and nothing may follow it.
        (name.file() == file).then_some(name)
    }

    /// The file name.
    pub(super) fn file(&self) -> String {
        let Self { stored, id, scope, expires, run, is_gone } = self;
        let end = if *is_gone { GONE } else { ORIGINAL };
        format!("{id}-{scope:016x}-{stored:016x}-{expires:016x}-{run:016x}{end}")
    }

    /// Whether its retention is over.
    pub(super) fn is_expired(&self, now: Duration) -> bool {
        now.as_secs() >= self.expires
    }
}

/// Name of the file that a run keeps locked.
pub(super) fn run_file(run: u64) -> String {
    format!("{run:016x}{RUN}")
}

/// The run that keeps a file with that name locked.
pub(super) fn run_of(file: &str) -> Option<u64> {
    let digits = file.strip_suffix(RUN).filter(|digits| digits.len() == 16 && is_hex(digits))?;
    u64::from_str_radix(digits, 16).ok()
}

/// Whether a vault creates files with such a name.
pub(super) fn is_ours(file: &str) -> bool {
    let whole = file.strip_suffix(PART).unwrap_or(file);
    Name::parse(whole).is_some() || run_of(file).is_some()
}

/// Identifies the session of a file.
pub(super) fn scope(session: Option<&str>) -> u64 {
    let Some(session) = session else { return 0 };
    let mut head = [0; 8];
    head.copy_from_slice(&blake3::hash(session.as_bytes()).as_bytes()[..8]);
    u64::from_le_bytes(head)
}

/// Whether a text is lower-case hexadecimal.
pub(super) fn is_hex(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}
