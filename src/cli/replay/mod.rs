//! `tersed replay`: plays recorded sessions against a child process of this program, and prints their cost and what
//! the agents would have missed.
//!
//! Nothing is sent over the network, and only counts are printed, not the records.

mod bill;
pub(super) mod child;
pub mod clues;
mod curve;
pub(super) mod edits;
pub(super) mod load;
mod markers;
pub(super) mod measure;
mod need;
pub(super) mod play;
pub(super) mod record;
mod references;
pub(super) mod report;
mod row;
mod whole;
mod words;

use std::io::IsTerminal;
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::Failure;
use super::out::{note, print};
use super::settings::SettingsArgs;
use crate::config::Mode;
use crate::reclaim::{Factor, Prices};
use child::Child;
use edits::Edits;
use record::Session;
use report::Report;

/// Arguments of `replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed replay tests/fixtures/sessions/*.jsonl\n  \
    tersed replay --mode aggressive --json session.jsonl.zst\n  \
    tersed replay --losses tests/clues\n  \
    tersed replay --bill --cache one-hour sessions.jsonl\n\n\
    A record is one JSON object a line: id, agent, session, turn, tool, command, args, output, exit_code, kind, refs, \
    ref_types. Only output is required. Records without an agent and a session are played without one. A whole session is also one \
    object a line: session, messages. In a folder all such files are read. If it has none, every CLASS/NAME.case is an output \
    with clues that must stay readable. `tersed audit` reads the histories of hosts.\n\n\
    The configuration files and the environment of this machine are ignored, except a file that --config names.")]
pub struct Args {
    /// Files of records or whole sessions, `.jsonl` or `.jsonl.zst`, and folders of them or of cases of clues.
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The mode to play in [default: standard].
    #[arg(long, hide_possible_values = true, value_parser = super::call::mode())]
    mode: Option<Mode>,
    /// More settings, as the JSON of a request's `policy`.
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = super::call::policy)]
    policy: String,
    /// Print a curve of savings and visibility for different limits instead of the totals.
    /// With --bill, of whole sessions.
    #[arg(long, conflicts_with_all = ["json", "losses", "mode"])]
    curve: bool,
    /// Print what whole sessions cost at the prices of a model with a cache, request by request: as they were, with tersed,
    /// and without results that are no longer needed, compared with cutting each result and with masking old results.
    #[arg(long, conflicts_with = "losses")]
    bill: bool,
    /// The prices of the bill.
    #[arg(long, value_enum, default_value = "five-minutes", requires = "bill")]
    cache: CachePreset,
    /// Prices for the bill, as multiples of the price of an input token: of a token written to the cache, of one read
    /// from it, and of one of an answer.
    #[arg(long, value_name = "WRITE,READ,OUTPUT", value_parser = prices, requires = "bill", conflicts_with = "cache")]
    prices: Option<Prices>,
    /// Print the figures as JSON.
    #[arg(long)]
    json: bool,
    /// List losses on standard error: references, failure lines, edits, clues, and names that only a marker shows.
    #[arg(long)]
    losses: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Prices by how a cache works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CachePreset {
    /// A cache of five minutes.
    FiveMinutes,
    /// A cache of an hour.
    OneHour,
    /// An automatic cache.
    Automatic,
}

impl CachePreset {
    fn name(self) -> &'static str {
        match self {
            Self::FiveMinutes => "five-minutes",
            Self::OneHour => "one-hour",
            Self::Automatic => "automatic",
        }
    }

    fn prices(self) -> Prices {
        match self {
            Self::FiveMinutes => Prices::FIVE_MINUTES,
            Self::OneHour => Prices::ONE_HOUR,
            Self::Automatic => Prices::AUTOMATIC,
        }
    }
}

/// Reads the prices given in a flag.
fn prices(text: &str) -> Result<Prices, String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[write, read, output])
            if Factor::of(write, read).is_some() && output.is_finite() && output >= 0.0 =>
        {
            Ok(Prices { write, read, output })
        }
        _ => Err(format!(
            "`{text}` is not allowed, expected three numbers: write and output 0 and up, read above 0"
        )),
    }
}

/// Plays all files.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut settings = super::call::policy_object(&args.policy)?;
    if let Some(mode) = args.mode {
        settings.insert("mode".to_owned(), json!(mode));
    }
    // The figures must depend only on the given files, so no configuration file is read.
    let flags = args.settings.arguments();
    let mut sessions = Vec::new();
    for file in &args.files {
        sessions.extend(load::read(file)?);
    }
    if sessions.iter().all(|session| session.records.is_empty()) {
        let names: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
        return Err(format!("{}: there are no records", names.join(", ")).into());
    }
    if args.curve && !args.bill {
        return curve::run(&sessions, &settings, &flags);
    }
    if args.bill {
        let named = args.prices.map(|prices| ("own".to_owned(), prices));
        let (name, prices) = named.unwrap_or_else(|| (args.cache.name().to_owned(), args.cache.prices()));
        let bar = progress(sessions.len() as u64, "sessions");
        let terms = bill::Terms { prices, name };
        let shape = match (args.curve, args.json) {
            (true, _) => bill::Shape::Curve,
            (false, true) => bill::Shape::Json,
            (false, false) => bill::Shape::Table,
        };
        let text = bill::run(&sessions, &settings, &flags, &terms, shape, || bar.inc(1))?;
        bar.finish_and_clear();
        return print(&text);
    }
    let policy = Value::Object(settings);
    let total: usize = sessions.iter().map(|s| s.records.len()).sum();
    let bar = progress(total as u64, "results");
    let mut child = Child::spawn(&flags)?;
    let mut report = Report::default();
    for session in &sessions {
        play(session, &policy, &mut child, &mut report, args.losses, &bar)?;
    }
    bar.finish_and_clear();
    child.end()?;
    let text = if args.json { report.json() } else { report.table() };
    print(&text)
}

/// A progress bar on a terminal; hidden otherwise.
fn progress(total: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left"));
    ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Plays one session in order, then sends its whole history again and closes it.
fn play(
    session: &Session,
    policy: &Value,
    child: &mut Child,
    report: &mut Report,
    losses: bool,
    bar: &ProgressBar,
) -> Result<(), String> {
    let mut edits = Edits::default();
    let answers = play::play(session, policy, child, |played| {
        let record = played.record;
        let lost = report.add(record, played.answer?, &played.earlier, &mut edits, played.latency);
        if losses && !lost.is_empty() {
            note(&format!("{} ({}): {}", record.id, record.kind, lost.join(", ")));
        }
        bar.inc(1);
        Ok(())
    })?;
    let lost = report.add_needs(session, &answers);
    if losses && !lost.is_empty() {
        note(&format!("{}: {}", session.id.as_deref().unwrap_or("(no session)"), lost.join(", ")));
    }
    if let Some(id) = &session.id {
        for (record, first) in session.records.iter().zip(answers.iter().flatten()) {
            let again = child.compress(&play::request(session, record, policy))?;
            report.resent(again.content == first.content, &again);
        }
        child.close(id)?;
    }
    Ok(())
}
