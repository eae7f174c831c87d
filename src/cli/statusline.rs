//! `tersed statusline`: one line for hosts that have a status line. It reads the end of the counts, asks no other
//! process, and never fails: if nothing was counted, or anything goes wrong, the line is empty.

use std::io::{IsTerminal, Read, Write};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::Value;

use super::counting::project;
use crate::engine::seal_key;
use crate::formats::json::without_lone_surrogates;
use crate::telemetry::counts::{Counted, Numbers, day_of, default_path, read_tail};
use crate::telemetry::{Clock, SystemClock};

/// Arguments of `statusline`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed statusline\n  \
    \"statusLine\": {\"type\": \"command\", \"command\": \"tersed statusline\"}   in ~/.claude/settings.json\n\n\
    Prints what was saved in this project today (UTC), as counted in the user's state folder; the line is empty if \
    nothing was counted. The exit status is always 0.")]
pub struct Args {}

/// Bytes at the end of the counts that are read: some 2,500 lines, which take a few milliseconds.
const TAIL_BYTES: u64 = 256 << 10;
/// How long the host's JSON on standard input is waited for.
const INPUT_TIMEOUT: Duration = Duration::from_millis(20);
/// Most bytes of it.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// Prints the line.
pub(super) fn run() -> ExitCode {
    // A host may show what is printed on standard error.
    std::panic::set_hook(Box::new(|_| {}));
    let line = catch_unwind(|| line().unwrap_or_default()).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    ExitCode::SUCCESS
}

fn line() -> Option<String> {
    let counted = read_tail(&default_path()?, TAIL_BYTES).ok()?;
    let folder = folder_of_host().or_else(|| std::env::current_dir().ok())?;
    let project = project(&seal_key::user_key().ok()?, &folder);
    status_line(&counted, project, day_of(SystemClock::default().unix_millis()))
}

/// The folder that the host's JSON names, if it comes in time.
fn folder_of_host() -> Option<PathBuf> {
    if std::io::stdin().is_terminal() {
        return None;
    }
    let (send, given) = channel();
    std::thread::Builder::new()
        .spawn(move || {
            let mut text = Vec::new();
            // All of it is read, so that the host can write it.
            let _ = std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut text);
            let _ = send.send(text);
        })
        .ok()?;
    let given: Value =
        serde_json::from_str(&without_lone_surrogates(&given.recv_timeout(INPUT_TIMEOUT).ok()?)).ok()?;
    let places = ["/workspace/project_dir", "/workspace/current_dir", "/cwd"];
    let folder = places.iter().find_map(|place| given.pointer(place)?.as_str());
    folder.map(PathBuf::from).filter(|folder| folder.is_absolute())
}

/// The line for a project and a day; `None` if nothing was counted.
fn status_line(counted: &Counted, project: u64, day: u64) -> Option<String> {
    let mut sum = Numbers::default();
    let of_today = counted.sums.iter().filter(|(key, _)| key.day == day && key.project == project);
    of_today.for_each(|(_, numbers)| sum.add(numbers));
    if sum.results == 0 {
        return None;
    }
    let saved = sum.baseline.saturating_sub(sum.shown);
    // Earlier lines of the file may also be from today.
    let least = counted.is_tail && counted.sums.keys().all(|key| key.day >= day);
    let percent = (u128::from(saved) * 100).checked_div(u128::from(sum.baseline)).unwrap_or(0);
    let at_least = if least { "at least " } else { "" };
    Some(format!(
        "tersed: {at_least}{} of {} tokens saved today ({percent} %)",
        short(saved),
        short(sum.baseline)
    ))
}

/// A number in at most four digits.
fn short(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{:.1}k", n as f64 / 1e3),
        _ => format!("{:.1}M", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::counts::Key;

    fn counted(rows: &[(u64, u64, u64, u64)]) -> Counted {
        let row = |&(day, project, baseline, shown): &(u64, u64, u64, u64)| {
            let numbers = Numbers { results: 1, baseline, shown, ..Numbers::default() };
            (Key { day, project, ..Key::default() }, numbers)
        };
        Counted { sums: rows.iter().map(row).collect(), ..Counted::default() }
    }

    #[test]
    fn today_and_this_project_count() {
        let rows = [(8, 1, 9000, 1), (9, 1, 45_600, 33_300), (9, 2, 9000, 1)];
        let all = counted(&rows);
        assert_eq!(status_line(&all, 1, 9).unwrap(), "tersed: 12.3k of 45.6k tokens saved today (26 %)");
        let tail = Counted { is_tail: true, ..counted(&rows) };
        assert_eq!(status_line(&tail, 1, 9), status_line(&all, 1, 9), "the tail goes back to yesterday");
        let tail = Counted { is_tail: true, ..counted(&rows[1..]) };
        assert!(status_line(&tail, 1, 9).unwrap().starts_with("tersed: at least 12.3k of "));
        assert_eq!(status_line(&all, 3, 9), None);
        assert_eq!(status_line(&all, 1, 10), None);
    }
}
