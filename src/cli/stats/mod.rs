//! `tersed stats`: totals of the counts in the user's state folder, or of telemetry files.

mod counted;
mod text;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::out::{at, print, print_message};
use super::settings::SettingsArgs;
use super::{Failure, pointed};
use crate::config::{Config, Price};
use crate::protocol::session::Stats;
use crate::telemetry::counts;
use crate::telemetry::event::{Event, EventKind, Resend, VERSION};
use counted::{Page, View};

/// Arguments of `stats`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed stats\n  \
    tersed stats --daily --price some-model=3,0.3,3.75\n  \
    tersed stats telemetry.jsonl telemetry.jsonl.1\n  \
    tersed stats telemetry.jsonl --price some-model=3,0.3,3.75\n  \
    tersed stats telemetry.jsonl --host-limit 30000 --json\n\n\
    Without a file: what this user's hosts saved so far. These counts are numbers by day, without names, paths or commands, and are \
    kept only in the user's state folder, where projects and models are keyed fingerprints. The output names the project of \
    the working directory and models with a price; others have their fingerprint. `telemetry.counts: false` turns counting off.")]
pub struct Args {
    /// Telemetry files instead of the counts; - for standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the counts by day.
    #[arg(long, conflicts_with_all = ["files", "json"])]
    daily: bool,
    /// Print the counts by day, as bars.
    #[arg(long, conflicts_with_all = ["files", "json", "daily"])]
    graph: bool,
    /// Print JSON; of telemetry files in the form of `session/stats`.
    #[arg(long)]
    json: bool,
    /// Bytes above which the host cuts a result itself, if the events do not say; overrides `accounting.hostLimit`.
    /// The part that the host would cut is not counted as saved.
    #[arg(long, value_name = "BYTES", requires = "files")]
    host_limit: Option<usize>,
    /// Price of a million tokens, in addition to `accounting.prices`: input, and if different, input read from and written
    /// to the prompt cache. May be given for several models.
    #[arg(long, value_name = "MODEL=INPUT[,CACHED[,WRITE]]", value_parser = price)]
    price: Vec<(String, Price)>,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Totals of the files.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Totals {
    /// Events that were read.
    events: usize,
    /// Events that were dropped at the time of writing.
    dropped: u64,
    /// Events that were too long to be written whole.
    shortened: usize,
    /// Incomplete last lines.
    torn: usize,
    /// Results that failed, by kind of the error.
    failures: BTreeMap<String, usize>,
    /// Alerts.
    alerts: usize,
    #[serde(flatten)]
    stats: Stats,
}

/// Reads the files and prints their totals.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let config = args.settings.load(Vec::new())?.resolved.config;
    let host_limit = args.host_limit.or(config.accounting.host_limit);
    let mut prices = config.accounting.prices.clone();
    prices.extend(args.price.iter().cloned());
    if args.files.is_empty() {
        return of_counts(args, &config, &prices);
    }
    let mut totals = Totals::default();
    for file in &args.files {
        let name = file.display();
        let read = match file.as_os_str() == "-" {
            true => totals.read(io::stdin().lock(), "standard input", host_limit),
            false => totals.read(open(file)?, &name.to_string(), host_limit),
        };
        read.map_err(|why| pointed(why.into(), file))?;
    }
    totals.stats.price(&prices);
    let text = match args.json {
        true => serde_json::to_string_pretty(&totals).map_err(|e| e.to_string())? + "\n",
        false => text::table(&totals),
    };
    print(&text)
}

/// The fault of a variable that names no folder.
fn no_folder(variable: &str) -> String {
    match std::env::var_os(variable).filter(|folder| !folder.is_empty()) {
        None => format!("{variable} is not set: there is no folder with counts"),
        Some(folder) => {
            let folder = PathBuf::from(folder);
            format!(
                "{variable} is {}, allowed is an absolute path: there is no folder with counts",
                folder.display()
            )
        }
    }
}

/// Prints the counts.
fn of_counts(args: &Args, config: &Config, prices: &BTreeMap<String, Price>) -> Result<(), Failure> {
    let path = counts::default_path()
        .ok_or_else(|| no_folder(if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" }))?;
    if !config.telemetry.counts {
        print_message("nothing is counted: telemetry.counts is false");
    }
    #[cfg(feature = "hosts")]
    crate::host::resident::elsewhere::write_counts();
    let counted = counts::read(&path).map_err(|e| at(&path, &e))?;
    let page = Page::new(counted, prices);
    if args.json {
        return print(serde_json::to_string_pretty(&page.json()).map_err(|e| e.to_string())? + "\n");
    }
    let view = match (args.daily, args.graph) {
        (true, _) => View::Daily,
        (_, true) => View::Graph,
        _ => View::All,
    };
    print(page.text(view, &path))
}

fn open(file: &Path) -> Result<BufReader<File>, String> {
    File::open(file).map(BufReader::new).map_err(|e| format!("{}: {e}", file.display()))
}

impl Totals {
    fn read(&mut self, mut lines: impl BufRead, name: &str, host_limit: Option<usize>) -> Result<(), String> {
        let mut line = String::new();
        for number in 1.. {
            line.clear();
            if lines.read_line(&mut line).map_err(|e| format!("{name}: {e}"))? == 0 {
                break;
            }
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str::<Event>(&line) {
                Ok(event) if event.version == VERSION => self.add(&event, host_limit),
                Ok(event) => {
                    let version = event.version;
                    return Err(format!(
                        "{name}:{number}: version {version} of the events is not known, expected {VERSION}"
                    ));
                }
                // The process was killed while it wrote.
                Err(_) if !line.ends_with('\n') => self.torn += 1,
                Err(_) if counts::is_header(line.trim_end()) => {
                    return Err(format!(
                        "{name}: a file of counts, not of events: `tersed stats` without a file reads it"
                    ));
                }
                Err(error) => return Err(format!("{name}:{number}: not an event: {error}")),
            }
        }
        Ok(())
    }

    fn add(&mut self, event: &Event, host_limit: Option<usize>) {
        self.events += usize::from(!matches!(event.what, EventKind::Header));
        self.dropped += event.dropped;
        self.shortened += usize::from(!event.shortened.is_empty());
        match &event.what {
            EventKind::Result(result) => {
                let (evidence, limit) = (result.evidence(), result.host_limit.or(host_limit));
                match result.resend {
                    Some(resend) => self.stats.resent(&evidence, resend == Resend::Memo, limit),
                    None => self.stats.add(&result.names.tool, &evidence, limit),
                }
                if result.memo.changed && result.resend.is_none() {
                    self.stats.changed(&evidence, limit);
                }
            }
            EventKind::Failure(failure) => *self.failures.entry(failure.kind.clone()).or_default() += 1,
            EventKind::Alert(_) => self.alerts += 1,
            EventKind::End | EventKind::Header => {}
        }
    }
}

fn price(text: &str) -> Result<(String, Price), String> {
    let expected = "expected MODEL=INPUT[,CACHED[,WRITE]] with prices from 0";
    let (model, prices) = text.split_once('=').filter(|(model, _)| !model.is_empty()).ok_or(expected)?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    let prices: Option<Vec<f64>> = prices.split(',').map(number).collect();
    match prices.as_deref() {
        Some([input, rest @ ..]) if rest.len() <= 2 => {
            let (cached_input, cache_write) = (rest.first().copied(), rest.get(1).copied());
            Ok((model.to_owned(), Price { input: *input, cached_input, cache_write }))
        }
        _ => Err(expected.to_owned()),
    }
}
