//! Lists recent failures from the file of events.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use super::{Finding, events, shown};
use crate::config::Config;
use crate::files::open_regular;
use crate::pipeline::evidence::Status;
use crate::telemetry::event::{Event, EventKind};
use crate::telemetry::{Clock, SystemClock};

const AREA: &str = "lately";
/// Bytes read at the end of the file.
const TAIL_BYTES: u64 = 4 << 20;
/// Most failures that are listed.
const MAX_FAILURES: usize = 5;

pub(super) fn check(config: &Config) -> Vec<Finding> {
    let Some(file) = events(config) else { return Vec::new() };
    if !file.exists() {
        let text = "telemetry is off, so past failures cannot be shown".to_owned();
        let fix = "tersed serve --telemetry FILE, or telemetry.enabled in the settings".to_owned();
        return match config.telemetry.enabled {
            true => vec![Finding::note(AREA, format!("{}: no event was written yet", shown(&file)), None)],
            false => vec![Finding::note(AREA, text, Some(fix))],
        };
    }
    let now = Duration::from_millis(SystemClock::default().unix_millis());
    match read(&file) {
        Ok(text) => recent_findings(&file, &text, now),
        Err(e) => vec![Finding::note(AREA, format!("{}: {e}", shown(&file)), None)],
    }
}

/// The end of a file, from the start of a line.
fn read(file: &Path) -> std::io::Result<String> {
    let mut file = open_regular(file)?;
    let from = file.metadata()?.len().saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match (from, text.split_once('\n')) {
        (1.., Some((_, rest))) => rest.to_owned(),
        _ => text,
    })
}

fn recent_findings(file: &Path, text: &str, now: Duration) -> Vec<Finding> {
    let mut results = 0usize;
    let mut failures = Vec::new();
    for event in text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok()) {
        let what = match &event.what {
            EventKind::Failure(failure) => {
                format!("compressing a result of {} failed: {}", tool(&failure.names.tool), failure.kind)
            }
            EventKind::Alert(alert) => alert.to_string(),
            EventKind::Result(result) => {
                results += 1;
                if result.status != Status::FailedOpen {
                    continue;
                }
                format!(
                    "a step failed on a result of {}, which was returned uncompressed",
                    tool(&result.names.tool)
                )
            }
            EventKind::End | EventKind::Header => continue,
        };
        failures.push((event.time, what));
    }
    let mut all = vec![Finding::ok(
        AREA,
        format!("{}: {results} results and {} failures among the last events", shown(file), failures.len()),
    )];
    for (time, what) in failures.iter().rev().take(MAX_FAILURES) {
        let age = now.saturating_sub(Duration::from_millis(*time)).as_secs();
        let age = humantime::format_duration(Duration::from_secs(age)).to_string();
        let age = age.split(' ').take(2).collect::<Vec<_>>().join(" ");
        all.push(Finding::note(AREA, format!("{age} ago: {what}"), None));
    }
    all
}

fn tool(name: &str) -> &str {
    if name.is_empty() { "an unknown tool" } else { name }
}
