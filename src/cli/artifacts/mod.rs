//! `tersed artifacts`: reads originals that recovery keeps on disk, or that processes of `tersed hook` keep in memory. For
//! operators, and for agents that got a handle.

mod listing;
mod searching;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use super::Failure;
use super::out::print;
use super::settings::SettingsArgs;
use crate::artifact::handle::{self, Name};
use crate::artifact::vault::{AccessScope, Bounds, Copy, Pruned, Vault, user_folder};
use crate::artifact::{AccessError, Artifact, Encoding, LineRange, Match, Page, SearchOptions};
#[cfg(feature = "hosts")]
use crate::host::resident::elsewhere::{self, Reach};
use crate::telemetry::{Clock, SystemClock};
#[cfg(not(feature = "hosts"))]
use elsewhere::Reach;

/// The command that lists all originals.
const LIST: &str = "`tersed artifacts list`";

/// Arguments of `artifacts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed artifacts list\n  \
    tersed artifacts show 108195c6 --lines 40-60 --lines 90-\n  \
    tersed artifacts show '[tersed: all 404 lines: tersed artifacts show 108195c6]'\n  \
    tersed artifacts search 'error|panicked' 108195c6 --context 3\n  \
    tersed artifacts prune --older-than 12h\n\n\
    Originals of `tersed hook`, `tersed run` and `tersed gateway` are on disk for a week, at most 512, without secrets, in \
    tersed/conversations in your state folder; `recovery.mode: never` turns this off. Others are on disk if recovery is on, as \
    with `tersed serve --recovery always`. While the process that `tersed hook` and `tersed run` share runs, it also has them in \
    memory. A handle is the start of an id, as lists and texts show it. A whole marker is accepted too, and the 12 digits \
    behind `[tersed#`.\n\n\
    For `search`, exit status 1 also means that nothing matches.")]
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
        /// The original: its handle, or a marker of the text that was shown of it.
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
        #[arg(long, short = 'C', value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=20))]
        context: u8,
        #[command(flatten)]
        place: Place,
    },
    /// Remove originals that are older than the retention time.
    Prune {
        /// Also remove originals older than this, for example 90s, 30m, 12h, 7days; 0s for all.
        #[arg(long, value_name = "AGE", value_parser = super::mistake::duration)]
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

/// Without support for hosts, only this process has originals.
#[cfg(not(feature = "hosts"))]
mod elsewhere {
    use super::{Artifact, Value, Vault};

    #[derive(Debug, Clone, Copy)]
    pub(super) enum Reach {
        Everything,
    }

    pub(super) fn find(_: &str) -> Option<(String, Artifact)> {
        None
    }

    pub(super) fn list(_: Reach) -> Vec<Value> {
        Vec::new()
    }

    pub(super) fn shown_with(_: &str) -> Vec<super::Copy> {
        Vec::new()
    }

    pub(super) fn with_check(_: &Vault, _: &str) -> Vec<super::Copy> {
        Vec::new()
    }

    pub(super) fn of_conversations() -> Option<Vault> {
        None
    }
}

/// Runs the subcommand.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.command {
        Command::List { place } => listing::list(place)?,
        Command::Show { handle, lines, place } => show(place, handle, lines)?,
        Command::Search { pattern, handle, fixed, ignore_case, context, place } => {
            let options = SearchOptions {
                fixed: *fixed,
                ignore_case: *ignore_case,
                context: usize::from(*context),
                max_matches: SearchOptions::MAX_MATCHES,
                max_bytes: SearchOptions::MAX_BYTES,
                cursor: None,
            };
            return searching::search(place, pattern, handle.as_deref(), &options);
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
    fn vault(&self) -> Result<Vault, Failure> {
        let none = "the user has no folder for state, --dir names one";
        // An absent folder of the user is an empty one; a folder that was named is a mistake.
        if let Some(folder) = self.dir.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(format!("there is no folder {}", folder.display()).into());
        }
        let path = match &self.dir {
            Some(folder) => Some(folder.clone()),
            None => self.settings.load(Vec::new())?.resolved.config.recovery.directory,
        };
        let path = path.or_else(user_folder).ok_or_else(|| none.to_owned())?;
        // Limits apply only to writing, and nothing is written here.
        let bounds = Bounds { max_count: usize::MAX, max_bytes: 0, retention: Duration::ZERO };
        Ok(Vault::new(path, bounds, AccessScope::Everything))
    }
}

fn copies(vault: &Vault) -> Result<Vec<Copy>, String> {
    let copies = vault.list(None, u64::MAX, usize::MAX, &|_| true, now());
    copies.map_err(|error| format!("{}: {error}", vault.path().display()))
}

/// The original that a given text names.
fn named(vault: &Vault, given: &str) -> Result<(String, Artifact), Failure> {
    match handle::read(given, LIST).map_err(Failure::value)? {
        Name::Check(check) => Ok(find(vault, &of_check(vault, &check)?)?),
        Name::Handle(handle) => match find(vault, &handle) {
            Err(why) => match handle::is_check(&handle) {
                // The digits of a marker, without their sign.
                true => Ok(find(vault, &of_check(vault, &handle)?)?),
                false => Err(handle::explained(&handle, why).into()),
            },
            found => Ok(found?),
        },
    }
}

/// The id of the original of which a text with this check was shown.
fn of_check(vault: &Vault, check: &str) -> Result<String, String> {
    let mut all = elsewhere::with_check(vault, check);
    all.extend(elsewhere::shown_with(check));
    let mut ids: Vec<&str> = Vec::new();
    for copy in &all {
        if !ids.contains(&copy.header.digest.as_str()) {
            ids.push(&copy.header.digest);
        }
    }
    handle::only(check, &ids, LIST).map(str::to_owned)
}

/// The original of a handle, or of its first digits if they mean only one.
fn find(vault: &Vault, handle: &str) -> Result<(String, Artifact), String> {
    let at_place = match vault.find(None, handle, now()) {
        Ok(Some((header, artifact))) => return Ok((header.id().to_owned(), artifact)),
        found => found.map(drop),
    };
    if let Err(error) = &at_place
        && !matches!(error, AccessError::Ambiguous { .. })
    {
        return Err(error.to_string());
    }
    if at_place.is_ok()
        && let Some(found) = elsewhere::find(handle)
    {
        return Ok(found);
    }
    // An error of the folder is more useful than "not found".
    let ids = ids_from(vault, handle)?;
    match ids.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [one] if *one != handle => find(vault, one),
        several @ [_, _, ..] => Err(handle::several_of(handle, several)),
        _ => Err(format!(
            "no original {handle:?} in {}, nor among those of hooks, `tersed run` and the gateway",
            vault.path().display()
        )),
    }
}

/// The ids of all originals that start with these digits.
fn ids_from(vault: &Vault, digits: &str) -> Result<Vec<String>, String> {
    /// Fewer digits are no handle, but a slip.
    const MIN_TYPED: usize = 4;
    let copies = copies(vault)?;
    if digits.len() < MIN_TYPED {
        return Ok(Vec::new());
    }
    let elsewhere = elsewhere::list(Reach::Everything);
    let here = copies.iter().map(Copy::id);
    let there = elsewhere.iter().filter_map(|one| one["id"].as_str());
    let all = here.chain(there).filter(|id| id.starts_with(digits));
    let mut ids: Vec<String> = all.map(str::to_owned).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn show(place: &Place, given: &str, lines: &[LineRange]) -> Result<(), Failure> {
    let vault = place.vault()?;
    let (id, artifact) = named(&vault, given)?;
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
        return print(&text);
    }
    if std::io::stdout().is_terminal() {
        let mime = last.mime.unwrap_or_default();
        return Err(format!("the artifact is {mime}, not text: it is not printed on a terminal").into());
    }
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).map_err(|error| error.to_string())?;
    print(bytes)
}

fn prune(place: &Place, older_than: Option<Duration>) -> Result<(), Failure> {
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
    let mut text = format!("{} removed, {} left\n", pruned.removed, pruned.left);
    let in_memory =
        elsewhere::list(Reach::Everything).iter().filter(|one| one["onDisk"] != json!(true)).count();
    if place.dir.is_none() && in_memory > 0 {
        text += &format!(
            "{in_memory} more in the memory of running processes of `tersed hook` and `tersed run`, which end with their host\n"
        );
    }
    print(text)
}

fn as_json(copy: &Copy) -> Value {
    let mut value = serde_json::to_value(&copy.header).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.remove("tersed");
        members.remove("content");
        members.remove("workspace");
        members.remove("checks");
        members.insert("id".to_owned(), copy.id().into());
        members.insert("stored".to_owned(), listing::time(copy.header.stored).into());
        members.insert("expires".to_owned(), listing::time(copy.header.expires).into());
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

fn print_json(value: &Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    print(format!("{text}\n"))
}
