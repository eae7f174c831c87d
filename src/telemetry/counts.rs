//! Counts of saved tokens, added up by day: the format of their file, and how it is read. Numbers only: no content,
//! no name, no path, no command. Interfaces are numbers of a fixed list; projects and models are keyed fingerprints,
//! which reveal nothing without the key of the installation.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{RefusalReason, Refused, anchored, open_beneath, state_folder};

/// Version of the format.
pub const VERSION: u32 = 1;
/// Bytes of a file before the next begins. With [`MAX_FILES`] files and about 150 bytes a line, some 50,000 lines are
/// kept. A choice.
pub const MAX_FILE_BYTES: usize = 2 << 20;
/// Most files, including the current one; the oldest is deleted first.
pub const MAX_FILES: usize = 4;
/// Longest line that is read, in bytes; tersed writes no longer ones.
const MAX_LINE_BYTES: u64 = 4096;
/// Milliseconds of a day.
const DAY_MILLIS: u64 = 86_400_000;

/// Interfaces of the program, by their numbers in the file: only add at the end.
const INTERFACES: &[&str] = &[
    "other",
    "serve",
    "run",
    "mcp",
    "mcp-proxy",
    "gateway",
    "claude-code",
    "codex",
    "copilot",
    "cursor",
    "gemini",
];

/// An interface of the program: a subcommand, or the host whose hooks were answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Interface(u8);

impl Interface {
    /// The interface with this name; `other` if it has none.
    pub fn named(name: &str) -> Self {
        Self(INTERFACES.iter().position(|interface| *interface == name).unwrap_or_default() as u8)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        INTERFACES.get(usize::from(self.0)).copied().unwrap_or("other")
    }
}

/// The key of a line of counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// Days since 1970-01-01, UTC.
    pub day: u64,
    /// The interface that was used.
    #[serde(rename = "way")]
    pub interface: Interface,
    /// Keyed fingerprint of the project's folder; 0 if there is none.
    pub project: u64,
    /// Keyed fingerprint of the model's name; 0 if the interface does not know it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub model: u64,
}

/// The counted numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Numbers {
    /// Results that were new.
    #[serde(skip_serializing_if = "is_zero")]
    pub results: u64,
    /// Their tokens as the host would have shown them.
    #[serde(skip_serializing_if = "is_zero")]
    pub baseline: u64,
    /// Their tokens as they were given.
    #[serde(skip_serializing_if = "is_zero")]
    pub shown: u64,
    /// Repeated results, as in each request to an API.
    #[serde(skip_serializing_if = "is_zero")]
    pub resends: u64,
    /// Tokens of these, as above.
    #[serde(skip_serializing_if = "is_zero")]
    pub resent_baseline: u64,
    /// Tokens of these as they were returned.
    #[serde(skip_serializing_if = "is_zero")]
    pub resent_shown: u64,
    /// Secrets that were removed from new results.
    #[serde(skip_serializing_if = "is_zero")]
    pub secrets: u64,
}

impl Numbers {
    /// Adds others. Numbers that are too large stay at the largest.
    pub fn add(&mut self, more: &Self) {
        for (sum, more) in [
            (&mut self.results, more.results),
            (&mut self.baseline, more.baseline),
            (&mut self.shown, more.shown),
            (&mut self.resends, more.resends),
            (&mut self.resent_baseline, more.resent_baseline),
            (&mut self.resent_shown, more.resent_shown),
            (&mut self.secrets, more.secrets),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// A line of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    #[serde(flatten)]
    pub key: Key,
    #[serde(flatten)]
    pub numbers: Numbers,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The first line of a file of counts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    #[serde(rename = "tersedCounts")]
    version: u32,
}

/// The header of a new file.
pub(super) fn header() -> String {
    format!("{{\"tersedCounts\":{VERSION}}}")
}

/// Whether a line is the header of a file of counts, of any version.
pub fn is_header(line: &str) -> bool {
    serde_json::from_str::<Header>(line).is_ok()
}

/// `$XDG_STATE_HOME/tersed/counts.jsonl`, by default `~/.local/state/tersed/counts.jsonl`; on Windows below `%LOCALAPPDATA%`.
/// `None` if the system names no such folder.
pub fn default_path() -> Option<PathBuf> {
    Some(state_folder()?.join("tersed").join("counts.jsonl"))
}

/// The day of a time in milliseconds since 1970-01-01.
pub fn day_of(unix_millis: u64) -> u64 {
    unix_millis / DAY_MILLIS
}

/// The content of the files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// The sums.
    pub sums: BTreeMap<Key, Numbers>,
    /// Lines that could not be read.
    pub unread: usize,
    /// Whether earlier lines were not read.
    pub is_tail: bool,
}

impl Counted {
    fn read(&mut self, mut from: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            match serde_json::from_slice::<Line>(&line) {
                Ok(Line { key, numbers }) => self.sums.entry(key).or_default().add(&numbers),
                Err(_) if std::str::from_utf8(&line).is_ok_and(is_header) => {}
                Err(_) => self.unread += 1,
            }
        }
    }
}

/// Reads the file and its older parts. Missing files count as empty.
///
/// # Errors
///
/// A file that cannot be read, or is reached by a link.
pub fn read(path: &Path) -> io::Result<Counted> {
    let mut counted = Counted::default();
    for part in 0..MAX_FILES {
        let mut name = path.as_os_str().to_owned();
        if part > 0 {
            name.push(format!(".{part}"));
        }
        match open(Path::new(&name)) {
            Ok(file) => counted.read(BufReader::new(file.take(2 * MAX_FILE_BYTES as u64)))?,
            Err(Refused { why: RefusalReason::Missing, .. }) => {}
            Err(refused) => return Err(refused.into()),
        }
    }
    Ok(counted)
}

/// Reads the last `bytes` bytes of the current file.
///
/// # Errors
///
/// As [`read`], and a file that is not there.
pub fn read_tail(path: &Path, bytes: u64) -> io::Result<Counted> {
    let mut file = open(path)?;
    let from = file.metadata()?.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(from))?;
    let mut lines = BufReader::new(file.take(bytes));
    let mut counted = Counted { is_tail: from > 0, ..Counted::default() };
    if from > 0 {
        lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut Vec::new())?;
    }
    counted.read(lines)?;
    Ok(counted)
}

fn open(path: &Path) -> Result<std::fs::File, Refused> {
    let (root, relative) = anchored(path)?;
    open_beneath(&root, &relative)
}

/// The interface and model for which a thread works.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallerContext {
    /// The interface, if it is not that of the process.
    pub interface: Option<Interface>,
    /// The model, as in [`Key`].
    pub model: u64,
}

thread_local! {
    static CALLER: Cell<CallerContext> = const { Cell::new(CallerContext { interface: None, model: 0 }) };
}

/// Runs `work` for another interface or model.
pub fn with_caller<T>(change: impl FnOnce(&mut CallerContext), work: impl FnOnce() -> T) -> T {
    struct Back(CallerContext);
    impl Drop for Back {
        fn drop(&mut self) {
            CALLER.set(self.0);
        }
    }
    let before = CALLER.get();
    let _back = Back(before);
    let mut caller = before;
    change(&mut caller);
    CALLER.set(caller);
    work()
}

/// Counts of results that may not reach the model.
#[derive(Debug, Default)]
#[must_use]
pub struct Held(pub(super) Vec<(Key, Numbers)>);

impl Held {
    /// The results were shown as they came, or so that they had this many tokens. More than that was never saved.
    pub fn shown_as(mut self, tokens: Option<usize>) -> Self {
        let tokens = tokens.map_or(u64::MAX, |tokens| tokens as u64);
        for (_, numbers) in &mut self.0 {
            numbers.shown = numbers.baseline.min(tokens);
            numbers.resent_shown = numbers.resent_baseline.min(tokens);
        }
        self
    }

    /// The host used its own texts: nothing was saved, and no secret was removed.
    pub fn unused(self) -> Self {
        let mut held = self.shown_as(None);
        held.0.iter_mut().for_each(|(_, numbers)| numbers.secrets = 0);
        held
    }
}

thread_local! {
    static HELD: RefCell<Option<Vec<(Key, Numbers)>>> = const { RefCell::new(None) };
}

/// Runs `work`, and holds back what this thread would count.
pub fn held<T>(work: impl FnOnce() -> T) -> (T, Held) {
    struct Back(Option<Vec<(Key, Numbers)>>);
    impl Drop for Back {
        fn drop(&mut self) {
            HELD.set(self.0.take());
        }
    }
    let _back = Back(HELD.replace(Some(Vec::new())));
    let done = work();
    (done, Held(HELD.take().unwrap_or_default()))
}

/// Holds numbers back if this thread does so; returns whether it does.
pub(super) fn holds(key: Key, numbers: &Numbers) -> bool {
    HELD.with_borrow_mut(|held| held.as_mut().map(|held| held.push((key, *numbers))).is_some())
}

/// The interface and model for which this thread works.
pub(super) fn caller() -> CallerContext {
    CALLER.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(day: u64, interface: &str) -> Key {
        Key { day, interface: Interface::named(interface), project: 7, model: 0 }
    }

    #[test]
    fn lines_of_one_key_are_added_up_and_others_are_counted() {
        let text = format!(
            "{}\n{}\n{}\nnonsense\n{{\"day\":1}}\n{}\n",
            header(),
            r#"{"day":1,"way":6,"project":7,"results":1,"baseline":10,"shown":4}"#,
            r#"{"day":1,"way":6,"project":7,"results":2,"baseline":18446744073709551615}"#,
            "x".repeat(9000),
        );
        let mut counted = Counted::default();
        counted.read(text.as_bytes()).unwrap();
        let sum = Numbers { results: 3, baseline: u64::MAX, shown: 4, ..Numbers::default() };
        assert_eq!(counted.sums, BTreeMap::from([(key(1, "claude-code"), sum)]));
        assert_eq!(counted.unread, 2 + 3);
    }

    #[test]
    fn ways_keep_their_numbers() {
        for (number, name) in ["other", "serve", "run", "mcp", "mcp-proxy", "gateway"].iter().enumerate() {
            assert_eq!((Interface::named(name).0, Interface(number as u8).name()), (number as u8, *name));
        }
        assert_eq!((Interface::named("nobody").name(), Interface(200).name()), ("other", "other"));
    }

    #[test]
    fn a_behalf_ends_with_its_work() {
        let inner = with_caller(
            |caller| caller.interface = Some(Interface::named("codex")),
            || with_caller(|caller| caller.model = 3, caller),
        );
        assert_eq!((inner.interface, inner.model), (Some(Interface::named("codex")), 3));
        assert!(caller().interface.is_none() && caller().model == 0);
    }
}
