//! `tersed artifacts`: reads originals that recovery keeps on disk, or that processes of `tersed hook` keep in memory. For
//! operators, and for agents that got a handle.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::settings::SettingsArgs;
use crate::artifact::vault::{Bounds, Copy, Pruned, Reach, Vault, user_folder};
use crate::artifact::{AccessError, Artifact, Encoding, LineRange, Match, Page, SearchOptions};
#[cfg(feature = "hosts")]
use crate::host::resident::elsewhere;
use crate::telemetry::{Clock, SystemClock};

/// Arguments of `artifacts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed artifacts list\n  \
    tersed artifacts show 108195c6 --lines 40-60 --lines 90-\n  \
    tersed artifacts search 'error|panicked' 108195c6 --context 3\n  \
    tersed artifacts prune --older-than 12h\n\n\
    Originals are on disk where recovery is on, as with `tersed serve --recovery always`, and in the process that \
    `tersed hook` and `tersed run` share while it runs. A handle is the start of an id, 8 \
    digits or more, as lists and texts show it.\n\n\
    Exit codes: 0 done, 1 failed or, of search, nothing found, 2 unreadable command line.")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the originals, newest first.
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Print an original, or some of its lines.
    Show {
        /// The original.
        handle: String,
        /// Lines FIRST-LAST, FIRST- or N, from 1; may be given several times.
        #[arg(long, value_name = "RANGE", value_parser = range)]
        lines: Vec<LineRange>,
        #[command(flatten)]
        place: Place,
    },
    /// Print the lines that a regular expression matches, of one original or of all.
    Search {
        /// Regular expression in the syntax of Rust's `regex` crate.
        pattern: String,
        /// The original; all if not given.
        handle: Option<String>,
        /// The pattern is plain text.
        #[arg(long, short = 'F')]
        fixed: bool,
        /// Ignore letter case.
        #[arg(long, short)]
        ignore_case: bool,
        /// Lines before and after each match, at most 20.
        #[arg(long, short = 'C', value_name = "N", default_value_t = 0)]
        context: usize,
        #[command(flatten)]
        place: Place,
    },
    /// Remove originals whose retention is over.
    Prune {
        /// Also remove older ones, for example 90s, 30m, 12h, 7days; 0s for all.
        #[arg(long, value_name = "AGE", value_parser = humantime::parse_duration)]
        older_than: Option<Duration>,
        #[command(flatten)]
        place: Place,
    },
}

/// The folder, and the output format.
#[derive(Debug, clap::Args)]
struct Place {
    /// Folder of the originals; by default that of the settings, or the user's state folder.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Which originals are kept on disk.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Mode {
    /// None.
    Never,
    /// Those of results that failed, or whose compression failed.
    Failures,
    /// Those of all changed results.
    Always,
}

impl From<Mode> for crate::config::RecoveryMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Never => Self::Never,
            Mode::Failures => Self::Failures,
            Mode::Always => Self::Always,
        }
    }
}

/// Without support for hosts, only this process has originals.
#[cfg(not(feature = "hosts"))]
mod elsewhere {
    use super::{Artifact, Value, Vault};

    pub(super) fn find(_: &str) -> Option<(String, Artifact)> {
        None
    }

    pub(super) fn list() -> Vec<Value> {
        Vec::new()
    }

    pub(super) fn of_conversations() -> Option<Vault> {
        None
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    match &args.command {
        Command::List { place } => list(place)?,
        Command::Show { handle, lines, place } => show(place, handle, lines)?,
        Command::Search { pattern, handle, fixed, ignore_case, context, place } => {
            let options = SearchOptions {
                fixed: *fixed,
                ignore_case: *ignore_case,
                context: *context,
                max_matches: SearchOptions::MAX_MATCHES,
                max_bytes: SearchOptions::MAX_BYTES,
                cursor: None,
            };
            return search(place, pattern, handle.as_deref(), &options);
        }
        Command::Prune { older_than, place } => prune(place, *older_than)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The time since the epoch.
fn now() -> Duration {
    Duration::from_millis(SystemClock::default().unix_millis())
}

/// Parses `40-60`, `40-` or `40`.
fn range(text: &str) -> Result<LineRange, String> {
    let number = |text: &str| text.parse().map_err(|_| "allowed is FIRST-LAST, FIRST- or N, from 1");
    let (start, end) = match text.split_once('-') {
        None => (number(text)?, number(text)?),
        Some((start, "")) => (number(start)?, u64::MAX),
        Some((start, end)) => (number(start)?, number(end)?),
    };
    match 1 <= start && start <= end {
        true => Ok(LineRange { start, end }),
        false => Err("a range starts at line 1 or later and does not end before it starts".to_owned()),
    }
}

impl Place {
    fn vault(&self) -> Result<Vault, String> {
        let none = "the user has no folder for state, --dir names one";
        let path = match &self.dir {
            Some(folder) => Some(folder.clone()),
            None => {
                self.settings
                    .load(Vec::new())
                    .map_err(|failure| failure.message)?
                    .resolved
                    .config
                    .recovery
                    .directory
            }
        };
        let path = path.or_else(user_folder).ok_or(none)?;
        // Limits apply only to writing, and nothing is written here.
        let bounds = Bounds { max_count: usize::MAX, max_bytes: 0, retention: Duration::ZERO };
        Ok(Vault::new(path, bounds, Reach::Everything))
    }
}

fn copies(vault: &Vault) -> Result<Vec<Copy>, String> {
    let copies = vault.list(None, u64::MAX, usize::MAX, &|_| true, now());
    copies.map_err(|error| format!("{}: {error}", vault.path().display()))
}

/// The original of a handle.
fn find(vault: &Vault, handle: &str) -> Result<(String, Artifact), String> {
    match vault.find(None, handle, now()) {
        Ok(Some((header, artifact))) => Ok((header.id().to_owned(), artifact)),
        // An error of the folder is more useful than "not found".
        Ok(None) => elsewhere::find(handle).map_or_else(
            || {
                let place = vault.path().display();
                copies(vault).and_then(|_| {
                    Err(format!("no artifact {handle:?} in {place}, nor in a process of `tersed hook`"))
                })
            },
            Ok,
        ),
        Err(error) => Err(error.to_string()),
    }
}

fn list(place: &Place) -> Result<(), String> {
    let copies = copies(&place.vault()?)?;
    let elsewhere = if place.dir.is_none() { elsewhere::list() } else { Vec::new() };
    if place.json {
        return print_json(&Value::Array(copies.iter().map(as_json).chain(elsewhere).collect()));
    }
    let mut rows =
        vec![["HANDLE", "STORED", "UNTIL", "BYTES", "LINES", "TOOL", "COMMAND"].map(str::to_owned)];
    for copy in &copies {
        let header = &copy.header;
        let command = header.label.command.as_deref().unwrap_or_default();
        rows.push([
            copy.id().to_owned(),
            time(header.stored),
            time(header.expires),
            header.bytes.to_string(),
            header.lines.to_string(),
            plain(&header.label.tool),
            plain(command),
        ]);
    }
    for listed in &elsewhere {
        let text = |name: &str| listed.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| listed.get(name).map(Value::to_string).unwrap_or_default();
        let is_on_disk = listed["onDisk"] == Value::Bool(true);
        let stored = if is_on_disk { "on disk" } else { "in memory" };
        let (stored, until) = (stored.to_owned(), String::new());
        rows.push([
            text("id"),
            stored,
            until,
            number("bytes"),
            number("lines"),
            plain(&text("tool")),
            String::new(),
        ]);
    }
    let mut out = String::new();
    let widths: Vec<usize> =
        (0..7).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if i == 0 { "" } else { "  " };
            let _ = match i {
                3 | 4 => write!(line, "{gap}{cell:>width$}"),
                _ => write!(line, "{gap}{cell:<width$}"),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    print(out.as_bytes())
}

fn show(place: &Place, handle: &str, lines: &[LineRange]) -> Result<(), String> {
    let vault = place.vault()?;
    let (id, artifact) = find(&vault, handle)?;
    let mut page = Page { max_bytes: Page::MAX_BYTES, cursor: None };
    let (mut text, mut ranges): (String, Vec<[u64; 2]>) = (String::new(), Vec::new());
    let last = loop {
        let read = artifact.read(lines, &page).map_err(|error| error.to_string())?;
        text.push_str(&read.text);
        for range in &read.lines {
            match ranges.last_mut() {
                // A page may end inside a line.
                Some(last) if range.start <= last[1] + 1 => last[1] = range.end,
                _ => ranges.push([range.start, range.end]),
            }
        }
        match &read.next_cursor {
            Some(cursor) => page.cursor = Some(cursor.clone()),
            None => break read,
        }
    };
    if place.json {
        let encoding = if last.encoding == Encoding::Utf8 { "utf-8" } else { "base64" };
        return print_json(&json!({
            "id": id,
            "text": text,
            "encoding": encoding,
            "lines": ranges,
            "totalLines": last.total_lines,
            "totalBytes": last.total_bytes,
        }));
    }
    if last.encoding == Encoding::Utf8 {
        return print(text.as_bytes());
    }
    if std::io::stdout().is_terminal() {
        let mime = last.mime.unwrap_or_default();
        return Err(format!("the artifact is {mime}, not text: it is not printed on a terminal"));
    }
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).map_err(|error| error.to_string())?;
    print(&bytes)
}

fn search(
    place: &Place,
    pattern: &str,
    handle: Option<&str>,
    options: &SearchOptions,
) -> Result<ExitCode, String> {
    let vault = place.vault()?;
    let handles = match handle {
        Some(handle) => vec![handle.to_owned()],
        None => copies(&vault)?.iter().map(|copy| copy.header.digest.clone()).collect(),
    };
    let (mut all, mut out) = (Vec::new(), String::new());
    for one in &handles {
        let (id, artifact) = match find(&vault, one) {
            // An original may be removed during the search.
            Err(_) if handle.is_none() => continue,
            found => found?,
        };
        let matches = match all_matches(&artifact, pattern, options) {
            Err(AccessError::NotText { .. }) if handle.is_none() => continue,
            matches => matches.map_err(|error| error.to_string())?,
        };
        if place.json {
            let found: Vec<Value> = matches.iter().map(match_json).collect();
            if !found.is_empty() {
                all.push(json!({ "id": id, "matches": found }));
            }
            continue;
        }
        let head = if handle.is_none() { format!("{id}:") } else { String::new() };
        write_matches(&matches, &head, options.context > 0, &mut out);
    }
    let is_found = if place.json { !all.is_empty() } else { !out.is_empty() };
    match place.json {
        true => print_json(&Value::Array(all))?,
        false => print(out.as_bytes())?,
    }
    Ok(if is_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn all_matches(
    artifact: &Artifact,
    pattern: &str,
    options: &SearchOptions,
) -> Result<Vec<Match>, AccessError> {
    let mut options = options.clone();
    let mut matches = Vec::new();
    loop {
        let found = artifact.search(pattern, &options, &|| false, &|| false)?;
        matches.extend(found.matches);
        match found.next_cursor {
            Some(cursor) => options.cursor = Some(cursor),
            None => return Ok(matches),
        }
    }
}

/// Formats like `grep`: a colon after the number of a match, a dash after that of a context line, each line once, and a line
/// of dashes between groups.
fn write_matches(matches: &[Match], head: &str, has_context: bool, out: &mut String) {
    let mut lines: BTreeMap<u64, (char, &str)> = BTreeMap::new();
    for one in matches {
        for beside in one.before.iter().chain(&one.after) {
            lines.entry(beside.line).or_insert(('-', &beside.text));
        }
        lines.insert(one.line, (':', &one.text));
    }
    let mut next = None;
    for (line, (sign, text)) in lines {
        if has_context && !out.is_empty() && next != Some(line) {
            out.push_str("--\n");
        }
        let _ = writeln!(out, "{head}{line}{sign}{text}");
        next = Some(line + 1);
    }
}

fn prune(place: &Place, older_than: Option<Duration>) -> Result<(), String> {
    let vault = place.vault()?;
    let now = now();
    let since = match older_than {
        None => 0,
        // Includes originals that another clock dated a moment later.
        Some(Duration::ZERO) => u64::MAX,
        Some(age) => now.saturating_sub(age).as_nanos() as u64,
    };
    let vaults = [Some(vault), place.dir.is_none().then(elsewhere::of_conversations).flatten()];
    let mut pruned = Pruned::default();
    for vault in vaults.into_iter().flatten() {
        let one = vault.prune(since, now).map_err(|error| format!("{}: {error}", vault.path().display()))?;
        pruned = Pruned { removed: pruned.removed + one.removed, left: pruned.left + one.left };
    }
    if place.json {
        return print_json(&json!({ "removed": pruned.removed, "left": pruned.left }));
    }
    print(format!("{} removed, {} left\n", pruned.removed, pruned.left).as_bytes())
}

fn as_json(copy: &Copy) -> Value {
    let mut value = serde_json::to_value(&copy.header).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.remove("tersed");
        members.remove("content");
        members.insert("id".to_owned(), copy.id().into());
        members.insert("stored".to_owned(), time(copy.header.stored).into());
        members.insert("expires".to_owned(), time(copy.header.expires).into());
        members.insert("survivesRestart".to_owned(), copy.is_lasting.into());
    }
    value
}

fn match_json(one: &Match) -> Value {
    let lines = |lines: &[crate::artifact::ContextLine]| -> Vec<Value> {
        lines.iter().map(|line| json!({ "line": line.line, "text": line.text })).collect()
    };
    json!({
        "line": one.line,
        "column": one.text_column,
        "text": one.text,
        "before": lines(&one.before),
        "after": lines(&one.after),
    })
}

/// Seconds since the epoch as a date in UTC.
fn time(seconds: u64) -> String {
    // The last moment that the format can write, in case a clock is wrong.
    const LAST: u64 = 253_402_300_799;
    let at = UNIX_EPOCH + Duration::from_secs(seconds.min(LAST));
    humantime::format_rfc3339_seconds(at).to_string()
}

/// A text as one line of a table: the first 60 characters, without control characters.
fn plain(text: &str) -> String {
    const MAX: usize = 60;
    let mut line: String = text.chars().take(MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX).is_some() {
        line.push('…');
    }
    line
}

fn print_json(value: &Value) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    print(format!("{text}\n").as_bytes())
}

fn print(bytes: &[u8]) -> Result<(), String> {
    match std::io::stdout().lock().write_all(bytes) {
        // A closed pipe is not a fault.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(format!("standard output: {error}"))
        }
        _ => Ok(()),
    }
}
