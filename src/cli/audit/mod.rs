//! `tersed audit`: reads histories of agents from disk, plays them against a child of this program, and reports savings and
//! what the agents would have missed.
//!
//! Nothing is sent over the network, histories are only read, and no secret of them is shown.

mod arrives;
mod chart;
mod formats;
mod history;
mod host_action;
mod html;
mod machine;
mod missed;
mod notes;
mod places;
mod reach_page;
mod reached;
pub mod report;
mod row;
mod shown;
mod tally;
mod text;
pub mod tune;
mod walk;
mod words;

use std::collections::HashSet;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::out::NewFile;
use super::replay::child::Child;
use super::settings::SettingsArgs;
use super::{Failure, out};
use crate::config::Mode;
use places::PLACES;
use report::Report;
use tally::Audit;

/// The end of the help text.
static HELP: LazyLock<String> = LazyLock::new(|| {
    let formats: String = formats::FORMATS.iter().map(|f| format!("  {:<16} {}\n", f.id, f.title)).collect();
    format!(
        "Examples:\n  tersed audit\n  tersed audit ~/.claude/projects --output audit.html\n  \
         tersed audit requests.jsonl --mode aggressive --format json\n\n\
         Without a path it searches:\n{}\n\
         Files are recognized by their content:\n{formats}\n\
         Only tokens of results are counted, as o200k. \"With resends\" counts each result for every request to the \
         model that held it. Text that a host, or tersed itself, cut before the history was written is not counted. Names that \
         agents learned from a result and used later (paths, places in files, names, numbers) count as seen if the compressed \
         text, or a text that it refers to, has them.\n\n\
         Of the possible savings, \"arrives\" counts the part that reaches the model: with the host as it is set up on this \
         machine (for this user, or for the project in this folder), as `tersed install` sets it up, and through `tersed \
         gateway`. To measure this, a session is played again with only the results that the host hands over.\n\n\
         Nothing leaves the machine, and histories are only read. The configuration files and the environment of this \
         machine are ignored, except a file that --config names.",
        places::help()
    )
});

/// Format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shape {
    /// For a terminal.
    Text,
    /// For programs; `tersed audit --schema` describes it.
    Json,
    /// A line of JSON for each result, as soon as its session was played; for jobs over many machines.
    Jsonl,
    /// A self-contained HTML page.
    Html,
}

/// Arguments of `audit`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP.as_str())]
pub struct Args {
    /// Files and folders; by default, the places of the hosts of this user.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The mode to play in: disabled, safe, standard, aggressive [default: standard].
    #[arg(long, hide_possible_values = true, value_parser = super::call::mode())]
    mode: Option<Mode>,
    /// More settings, as the JSON of a request's `policy`.
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true, value_parser = super::call::policy)]
    policy: String,
    /// Format of the report [default: text, or the format that the name of the file ends with].
    #[arg(long, value_enum)]
    format: Option<Shape>,
    /// Write to this file instead of standard output; a name that ends with .html, .json, .jsonl or .txt chooses the format.
    /// An existing file is overwritten only if it is a report of tersed.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many sessions, tools, results and losses to list.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    top: u16,
    /// Print the JSON Schema of `--format json` and exit.
    #[arg(long, exclusive = true)]
    schema: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Runs an audit.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if args.schema {
        return super::out::print(report::schema_json());
    }
    let mut settings = super::call::policy_object(&args.policy)?;
    // All tokens of a report use the same counter.
    settings.insert("tokenizer".to_owned(), json!("o200k"));
    settings.insert("evidence".to_owned(), json!("full"));
    if let Some(mode) = args.mode {
        settings.insert("mode".to_owned(), json!(mode));
    }
    let mode =
        settings.entry("mode").or_insert(json!(Mode::default())).as_str().unwrap_or_default().to_owned();
    if let Some(missing) = args.paths.iter().find(|path| !path.exists()) {
        return Err(format!("{}: no such file or folder", missing.display()).into());
    }
    args.check_shape()?;
    // A file that cannot be written is reported before the work.
    let mut place = Some(args.open()?);
    let mut lines = place.take_if(|_| args.shape() == Shape::Jsonl);
    let bar = progress();
    if !bar.is_hidden() {
        bar.set_style(style("{spinner} {bar:30} {pos} of {len} histories, {eta} left  {wide_msg}"));
        bar.set_length(count(&args.paths));
    }
    let policy = Value::Object(settings);
    let mut child = Child::spawn(&args.settings.arguments())?;
    let audit = Audit::new(&mut child, policy, usize::from(args.top), |file| {
        bar.inc(1);
        bar.set_message(file.to_owned());
    });
    let mut audit = match &mut lines {
        Some(out) => audit.with_rows(|row| out.line(row)),
        None => audit,
    };
    for path in &args.paths {
        audit.place(path, None)?;
    }
    if args.paths.is_empty() {
        for place in PLACES {
            place.path().map_or(Ok(()), |path| audit.place(&path, Some(place.host)))?;
        }
    }
    let report = audit.done(&mode);
    let is_understood =
        report.not_understood.file_count == 0 || report.places.iter().any(|place| place.files > 0);
    bar.finish_and_clear();
    child.end()?;
    let top = usize::from(args.top);
    match lines {
        Some(lines) => lines.end()?,
        None => write(place, |out| match args.shape() {
            Shape::Text | Shape::Jsonl => out.write_all(text::table(&report, top).as_bytes()),
            Shape::Json => json(&report, out),
            Shape::Html => html::write(&report, top, out),
        })?,
    }
    match is_understood {
        true => Ok(()),
        false => Err(none_understood(&report).into()),
    }
}

impl Args {
    /// Opens the place of the report.
    fn open(&self) -> Result<Out, Failure> {
        match &self.output {
            None => {
                let to = To::Standard(BufWriter::new(io::stdout().lock()));
                Ok(Out { place: "standard output".to_owned(), to })
            }
            Some(file) => {
                let to = To::File(NewFile::open(file, &self.paths)?);
                Ok(Out { place: file.display().to_string(), to })
            }
        }
    }

    /// Checks that the name of the file gives the format, if no flag does.
    fn check_shape(&self) -> Result<(), Failure> {
        const TEXT: [&str; 4] = ["txt", "text", "log", "md"];
        let Some(file) = self.output.as_ref().filter(|_| self.format.is_none()) else { return Ok(()) };
        let end = file.extension().and_then(|end| end.to_str()).unwrap_or("txt").to_ascii_lowercase();
        // A device has no format.
        match self.shape() != Shape::Text || TEXT.contains(&end.as_str()) || file.starts_with("/dev") {
            true => Ok(()),
            false => Err(Failure::value(format!(
                "--output {}: the name says no format; use .html, .json, .jsonl or .txt, or --format",
                file.display()
            ))),
        }
    }

    /// The format that was asked for.
    fn shape(&self) -> Shape {
        let end = self.output.as_ref().and_then(|file| file.extension()).map(|end| end.to_ascii_lowercase());
        let named = match end.as_ref().and_then(|end| end.to_str()) {
            Some("html" | "htm") => Shape::Html,
            Some("json") => Shape::Json,
            Some("jsonl") => Shape::Jsonl,
            _ => Shape::Text,
        };
        self.format.unwrap_or(named)
    }
}

/// The message if no file was understood. It has the names of the first files, because the report may go to another
/// place.
fn none_understood(report: &Report) -> String {
    const MAX_NAMED: usize = 3;
    let noted = &report.not_understood;
    let mut named: Vec<String> =
        noted.files.iter().take(MAX_NAMED).map(|file| format!("{} ({})", file.path, file.reason)).collect();
    if noted.file_count > named.len() {
        named.push(format!("{} more", noted.file_count - named.len()));
    }
    format!("no file was understood: {}; `tersed audit --help` lists the formats", named.join(", "))
}

/// Finds the first file below a path that some format can read, and names the host or the kind of file; `None` for
/// records, which `replay` reads.
pub(super) fn history_in(path: &Path) -> Option<&'static str> {
    let mut first = None;
    // An error ends the walk at the first file that is recognised.
    let _ = walk::walk(path, &mut HashSet::new(), &mut |found| match found {
        walk::Found::Claimed(format, _) => {
            first = Some(format);
            Err(String::new())
        }
        _ => Ok(()),
    });
    first.filter(|format| format.id != "records").map(|format| format.title)
}

fn json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// How many histories an audit of these paths reads; without a path, of the places of all hosts.
fn count(paths: &[PathBuf]) -> u64 {
    let mut histories = 0;
    let mut seen = HashSet::new();
    let mut walk = |path: &Path| {
        // What cannot be walked is reported when it is read.
        let _ = walk::walk(path, &mut seen, &mut |found| {
            histories += u64::from(matches!(found, walk::Found::Claimed(..)));
            Ok(())
        });
    };
    paths.iter().for_each(|path| walk(path));
    if paths.is_empty() {
        PLACES.iter().filter_map(|place| place.path()).for_each(|path| walk(&path));
    }
    histories
}

/// A progress bar on a terminal; hidden otherwise.
fn progress() -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_style(style("{spinner} {wide_msg}"));
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}

fn write(out: Option<Out>, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let Some(mut out) = out else { return Ok(()) };
    let written = work(out.to());
    out::written(&out.place, written)?;
    out.end()
}

/// Where a report goes.
struct Out {
    /// Its name.
    place: String,
    to: To,
}

enum To {
    Standard(BufWriter<io::StdoutLock<'static>>),
    File(NewFile),
}

impl Out {
    fn to(&mut self) -> &mut dyn Write {
        match &mut self.to {
            To::Standard(to) => to,
            To::File(to) => to,
        }
    }

    /// Writes a line of JSON.
    fn line(&mut self, row: &report::ResultRow<'_>) -> Result<(), String> {
        let line = serde_json::to_string(row).map_err(|e| e.to_string())?;
        let written = writeln!(self.to(), "{line}");
        out::written(&self.place, written).map_err(|failure| failure.message)
    }

    fn end(self) -> Result<(), Failure> {
        let ended = match self.to {
            To::Standard(mut to) => to.flush(),
            To::File(to) => to.end(),
        };
        out::written(&self.place, ended)
    }
}
