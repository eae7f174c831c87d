//! Names of the files of a vault. All that pruning has to know stands in the name, so that it opens no file.
//!
//! `ID-SCOPE-STORED-EXPIRES-RUN.original`, all in lower-case hexadecimal of fixed width; `.gone` for one whose
//! content went, so that a late reader is told so. What is named otherwise is not ours and is never touched,
//! `.part` files aside, which a process that was killed left.

use std::time::Duration;

/// Hexadecimal digits of an id in a name; the header of a file has all 64.
pub(super) const ID_DIGITS: usize = 32;
/// The end of the name of a file that is being written.
pub(super) const PART: &str = ".part";
/// The end of the name of the file that a process keeps locked while it lives.
const RUN: &str = ".run";
const ORIGINAL: &str = ".original";
const GONE: &str = ".gone";

/// One original of a vault, by the name of its file. Ordered by age, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// When it was stored, since the epoch in nanoseconds.
    pub(super) stored: u64,
    /// The first digits of the artifact's digest.
    pub(super) id: String,
    /// Digest of the session that it belongs to.
    pub(super) scope: u64,
    /// When its retention is over, since the epoch in seconds.
    pub(super) expires: u64,
    /// The process that takes it along when it ends; 0 for one that outlives its process.
    pub(super) run: u64,
    /// Whether only the name is left.
    pub(super) is_gone: bool,
}

impl Name {
    /// Reads the name of a file.
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
        // One spelling only, and nothing behind it.
        (name.file() == file).then_some(name)
    }

    /// The name of its file.
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

/// The name of the file that a run keeps locked.
pub(super) fn run_file(run: u64) -> String {
    format!("{run:016x}{RUN}")
}

/// The run that keeps a file of that name locked.
pub(super) fn run_of(file: &str) -> Option<u64> {
    let digits = file.strip_suffix(RUN).filter(|digits| digits.len() == 16 && is_hex(digits))?;
    u64::from_str_radix(digits, 16).ok()
}

/// Whether a file of that name is one that a vault makes.
pub(super) fn is_ours(file: &str) -> bool {
    let whole = file.strip_suffix(PART).unwrap_or(file);
    Name::parse(whole).is_some() || run_of(file).is_some()
}

/// What tells the files of a session from those of others.
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
