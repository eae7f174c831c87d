//! `tersed install` and `tersed uninstall`: edit the settings of agent hosts, and undo the edits.

use std::fmt::Write as _;
use std::path::PathBuf;

use diffy::DiffOptions;
use serde_json::{Value, json};

use super::Failure;
use crate::cli::out::print;
use crate::cli::settings::SettingsArgs;
use crate::install::hosts::ROWS;
use crate::install::parts::is_tersed;
use crate::install::place::is_program;
use crate::install::{Action, InstallState, Place, Row, Scope, Step, install, uninstall};
use crate::layers::user_file;
use crate::telemetry::counts::default_path;

/// Arguments of `install`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed install --list                          hosts: which are on this machine, which are set up\n  \
    tersed install claude-code --dry-run           what would be written, as a diff\n  \
    tersed install claude-code\n  \
    tersed install opencode --scope project        for everyone who works in this project\n\n\
    A second run changes nothing. `tersed uninstall` restores every file; your own later changes are kept, except those in \
    the entries of tersed. \
    Copies of the earlier files are in the state folder of the user.")]
pub struct Args {
    /// The host.
    #[arg(required_unless_present = "list", value_parser = names())]
    host: Option<String>,
    /// List the hosts: which are on this machine, and which are set up.
    #[arg(long, conflicts_with_all = ["host", "dry_run", "command"])]
    list: bool,
    /// Print JSON.
    #[arg(long, requires = "list")]
    json: bool,
    #[command(flatten)]
    place: PlaceArgs,
    /// The program that the host starts; by default the path of this program, or `tersed` for a project.
    #[arg(long, value_name = "PROGRAM")]
    command: Option<String>,
}

/// Arguments of `uninstall`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed uninstall claude-code --dry-run\n  \
    tersed uninstall claude-code\n\n\
    Restores every file as it was before `tersed install`, byte for byte. If you changed a file since, only the additions of \
    tersed are removed, also those that you changed by hand.")]
pub struct UninstallArgs {
    /// The host.
    #[arg(value_parser = names())]
    host: String,
    #[command(flatten)]
    place: PlaceArgs,
}

/// The scope and the folder.
#[derive(Debug, clap::Args)]
struct PlaceArgs {
    /// Scope: user, or project for everyone who works in the folder [default: user].
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// The project's folder; by default the working directory.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Print the changes as a diff, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

fn names() -> clap::builder::PossibleValuesParser {
    ROWS.iter().map(|row| clap::builder::PossibleValue::new(row.name).help(row.title)).into()
}

impl PlaceArgs {
    fn of(&self, row: &Row, program: Option<&str>) -> Result<Place, Failure> {
        let scope = self.scope.unwrap_or(row.scopes[0]);
        if !row.scopes.contains(&scope) {
            let allowed: Vec<&str> = row.scopes.iter().map(|scope| scope.name()).collect();
            let (name, scope) = (row.name, scope.name());
            return Err(Failure::value(format!(
                "--scope {scope}: {name} has no settings for it, allowed is {}",
                allowed.join(", ")
            )));
        }
        Ok(Place::of_process(scope, self.dir.as_deref(), program)?)
    }
}

/// Installs, or lists hosts.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Some(row) = args.host.as_deref().and_then(Row::named) else { return list(args) };
    let place = args.place.of(row, args.command.as_deref())?;
    if let Some(command) = args.command.as_deref().filter(|command| !is_tersed(command)) {
        return Err(Failure::value(format!(
            "--command {command}: the program has to be named tersed, by which `doctor` and `uninstall` find it again"
        )));
    }
    let steps = install(row, &place, args.place.dry_run)?;
    let mut text = report(&steps, args.place.dry_run);
    if steps.iter().all(|step| step.action() == Action::None) {
        let _ = writeln!(text, "{} is already set up; nothing was changed.", row.title);
    } else if !args.place.dry_run {
        let _ =
            writeln!(text, "{}", format!("{} is set up. {}", row.title, (row.then)(place.scope)).trim_end());
        if let Some(command) = args.command.as_deref().filter(|command| !is_there(&place, command)) {
            let _ = writeln!(text, "But {command} is not there: the host starts nothing until it is.");
        }
        let _ = writeln!(text, "Undo: tersed uninstall {}{}", row.name, flags(&place));
        if let Some(counts) = default_path().filter(|_| counts_are_on()) {
            let _ = writeln!(
                text,
                "What is saved is counted in {}: only numbers per day, which stay on this machine. `tersed stats` shows \
                 them, `telemetry: {{counts: false}}` in {} turns it off.",
                counts.display(),
                user_file().map_or_else(|| "your settings".to_owned(), |file| file.display().to_string())
            );
        }
    }
    print(&text)
}

/// Whether a program is there, by its path or in the `PATH`.
fn is_there(place: &Place, program: &str) -> bool {
    let path = PathBuf::from(program);
    if path.components().count() > 1 { is_program(&path) } else { !place.programs(program).is_empty() }
}

/// Whether the user's settings allow counting of results. Settings that cannot be read are ignored.
fn counts_are_on() -> bool {
    SettingsArgs::default().load(Vec::new()).is_ok_and(|loaded| loaded.resolved.config.telemetry.counts)
}

/// Uninstalls.
pub(super) fn run_uninstall(args: &UninstallArgs) -> Result<(), Failure> {
    let row = Row::named(&args.host).ok_or_else(|| Failure::value(format!("no host `{}`", args.host)))?;
    let place = args.place.of(row, Some("tersed"))?;
    let steps = uninstall(row, &place, args.place.dry_run)?;
    let mut text = report(&steps, args.place.dry_run);
    if steps.iter().all(|step| step.action() == Action::None) {
        let _ = writeln!(text, "{} is not set up; nothing was changed.", row.title);
    } else if !args.place.dry_run {
        let _ = writeln!(text, "{} is no longer set up.", row.title);
    }
    print(&text)
}

fn flags(place: &Place) -> String {
    match place.scope {
        Scope::User => String::new(),
        Scope::Project => format!(" --scope project --dir {}", place.project.display()),
    }
}

/// A report on changed files; with `dry` a unified diff of each.
fn report(steps: &[Step], dry: bool) -> String {
    let mut out = String::new();
    for step in steps {
        let path = step.path.display();
        let word = match step.action() {
            Action::None if step.before.is_none() => "not there",
            Action::None => "unchanged",
            Action::Make => "written",
            Action::Change => "changed",
            Action::Remove => "removed",
        };
        if dry && step.action() != Action::None {
            out.push_str(&diff(step));
        } else {
            let _ = writeln!(out, "{word:9}  {path}");
        }
        if let Some(note) = &step.note {
            let _ = writeln!(out, "           {note}");
        }
    }
    out
}

fn diff(step: &Step) -> String {
    let text = |bytes: &Option<Vec<u8>>| {
        bytes.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    };
    let name = |bytes: &Option<Vec<u8>>| match bytes {
        Some(_) => step.path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let (before, after) = (text(&step.before), text(&step.after));
    // For an empty file that is created or deleted, the diff is only the two names.
    DiffOptions::new()
        .set_original_filename(name(&step.before))
        .set_modified_filename(name(&step.after))
        .create_patch(&before, &after)
        .to_string()
}

fn list(args: &Args) -> Result<(), Failure> {
    let scope = args.place.scope;
    let mut rows: Vec<Value> = Vec::new();
    for row in ROWS {
        for one in row.scopes.iter().filter(|one| scope.is_none_or(|scope| scope == **one)) {
            let place = Place::of_process(*one, args.place.dir.as_deref(), None)?;
            rows.push(listed(row, &place));
        }
    }
    if args.json {
        return print(&(serde_json::to_string_pretty(&rows).map_err(|e| e.to_string())? + "\n"));
    }
    let mut out = String::new();
    let _ = writeln!(out, "{:12}  {:8}  {:8}  {:8}  file", "host", "scope", "found", "set up");
    for row in rows {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let found = if row["found"] == json!(true) { "yes" } else { "no" };
        let file =
            row["files"].as_array().and_then(|files| files.last()?.as_str()).unwrap_or_default().to_owned();
        let _ =
            writeln!(out, "{:12}  {:8}  {found:8}  {:8}  {file}", text("host"), text("scope"), text("wired"));
        for fault in row["faults"].as_array().into_iter().flatten() {
            let _ = writeln!(out, "{:12}  {}", "", fault.as_str().unwrap_or_default());
        }
    }
    print(&out)
}

fn listed(row: &Row, place: &Place) -> Value {
    let status = row.status(place);
    let files: Vec<String> =
        (row.changes)(place).into_iter().map(|change| change.path.display().to_string()).collect();
    let wired = match status.held {
        InstallState::All => "yes",
        InstallState::Other => "partly",
        InstallState::None => "no",
    };
    json!({
        "host": row.name,
        "title": row.title,
        "scope": place.scope.name(),
        "found": !status.programs.is_empty() || status.has_folder,
        "programs": status.programs,
        "wired": wired,
        "starts": status.starts,
        "files": files,
        "faults": status.faults,
    })
}
