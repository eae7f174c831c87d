//! `tersed trust`: shows what a project's settings file would allow, and records the user's consent.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Failure;
use super::out::{print, print_message};
use super::settings::printed;
use crate::files::{LARGEST_SETTINGS, Links, Writers, read_regular};
use crate::layers::trust::{Record, Trusted};
use crate::layers::{Given, Origin, ProjectFile, Sources, printable, project_file};

/// Arguments of `trust`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed trust                    show what this project's file would allow, and ask\n  \
    tersed trust ../other --yes     trust it without asking\n  \
    tersed trust --list             list trusted files\n  \
    tersed trust --revoke           stop trusting this project's file\n\n\
    Trust covers the current content of a file and of the files of rules that it names: when one of them changes, it is no \
    longer trusted. Without trust a project may only exclude tools and commands, forbid omissions and lower the mode.")]
pub struct Args {
    /// The file, or a folder of the project; by default the working directory.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// List trusted files.
    #[arg(long, conflicts_with_all = ["path", "revoke", "yes"])]
    list: bool,
    /// No longer trust the file.
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

/// Shows, asks and records; or lists; or revokes.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let sources = Sources::of_process();
    let state = sources.state.clone().ok_or_else(|| "the user has no folder for state".to_owned())?;
    let trusted = Trusted::below(&state);
    let path = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    if args.list {
        return print(listed(&trusted.all()));
    }
    if args.revoke {
        return revoke(&trusted, &path, &sources);
    }
    let file = project_file(&path, &sources).map_err(|why| printable(&why))?;
    print(shown(&file))?;
    if !file.faults.is_empty() {
        return Err(Failure::value(format!(
            "{}\nfix this first: nothing was trusted",
            printed(&file.faults)
        )));
    }
    if file.beyond().next().is_none() {
        return Ok(());
    }
    if trusted.find(&file.path).as_ref() == Some(&file.record) {
        return print("It is trusted as it is.\n");
    }
    if !args.yes && !is_confirmed()? {
        return Err("nothing was changed".to_owned().into());
    }
    trusted.keep(&file.path, &file.record)?;
    print(printable_line(&format!("{} is trusted as it is now.", file.path.display())))
}

/// Asks on the terminal; without one the answer is no.
fn is_confirmed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        print_message("there is no terminal to ask on; --yes trusts the file without a question");
        return Ok(false);
    }
    print("Trust this file as it is now? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|e| format!("standard input: {e}"))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn revoke(trusted: &Trusted, path: &Path, sources: &Sources) -> Result<(), Failure> {
    // A file that is missing or cannot be read any more may still be trusted under its path.
    let path = match project_file(path, sources) {
        Ok(file) => file.path,
        Err(_) => std::path::absolute(path).map_err(|e| e.to_string())?,
    };
    match trusted.revoke(&path)? {
        true => print(printable_line(&format!("{} is not trusted any more.", path.display()))),
        false => Err(printable(&format!("{} was not trusted", path.display())).into()),
    }
}

fn printable_line(line: &str) -> String {
    printable(line) + "\n"
}

fn listed(records: &[Record]) -> String {
    let is_same = |path: &str, digest: &str| {
        let bytes = read_regular(Path::new(path), LARGEST_SETTINGS, Links::Refuse, Writers::Own);
        bytes.is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == digest)
    };
    let line = |record: &Record| {
        let all = std::iter::once(&record.file).chain(&record.rules);
        let mark = if all.into_iter().all(|file| is_same(&file.path, &file.digest)) {
            ""
        } else {
            "  (changed since, so not trusted)"
        };
        printable_line(&format!("{}{mark}", record.file.path))
    };
    match records {
        [] => "Nothing is trusted.\n".to_owned(),
        records => records.iter().map(line).collect(),
    }
}

/// What the file would allow, in words.
fn shown(file: &ProjectFile) -> String {
    let mut out = String::new();
    let mut lines = |line: String| {
        // Writing into a String cannot fail.
        let _ = writeln!(out, "{}", printable(&line));
    };
    lines(file.path.display().to_string());
    let beyond: Vec<&Given> = file.beyond().collect();
    if beyond.is_empty() {
        lines(match file.faults.is_empty() {
            true => "  All its settings apply already: they only make tersed do less.".to_owned(),
            false => "  None of its settings needs trust. What is wrong in it does not count.".to_owned(),
        });
        return out;
    }
    lines("Trusted, it would set:".to_owned());
    for given in beyond {
        let Origin::File { line, .. } = &given.origin else { continue };
        lines(format!("  line {line}: {} = {}", given.key, short(&given.value)));
        if let Some(words) = means(given) {
            lines(format!("      {words}"));
        }
    }
    let mut left = MAX_RULE_LINES;
    for (path, bytes) in file.rule_files() {
        lines(format!("  rules of {}", path.display()));
        let text = String::from_utf8_lossy(bytes);
        let all = text.lines().count();
        for line in text.lines().take(left) {
            lines(format!("      {}", shortened(line, MAX_RULE_CHARS)));
        }
        if all > left {
            lines(format!(
                "      {} MORE LINES ARE NOT SHOWN: read the file before you trust it",
                all - left
            ));
        }
        left -= left.min(all);
    }
    out
}

/// Lines of files of rules that are shown, all together, and characters of each. A choice: more is not read on a screen.
const MAX_RULE_LINES: usize = 300;
const MAX_RULE_CHARS: usize = 400;

/// What a setting means for the user, if its name does not say so.
fn means(given: &Given) -> Option<&'static str> {
    Some(match given.key.as_str() {
        _ if ProjectFile::never(given) => {
            "This is ignored even if the file is trusted: only your own file may set it."
        }
        "policy.redactSecrets" if given.value == Value::Bool(false) => {
            "SECRETS ARE NOT REMOVED ANY MORE: passwords, keys and tokens in outputs go to the model."
        }
        "policy.rules" | "ruleFiles" => "Rules leave out and rewrite what the model reads.",
        "recovery.mode" if given.value == "never" => "No originals of outputs are kept on disk.",
        "recovery.mode" | "recovery.directory" => "Originals of outputs are kept on disk.",
        "telemetry.enabled" if given.value == Value::Bool(false) => "No events are written to a file.",
        "telemetry.enabled" | "telemetry.path" => "Events about what was done are written to a file.",
        "profile" => "Several settings at once.",
        _ => return None,
    })
}

/// A value on one line, shortened.
fn short(value: &Value) -> String {
    const MAX_CHARS: usize = 4000;
    shortened(&value.to_string(), MAX_CHARS)
}

fn shortened(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{} ... ({} bytes)", &text[..at], text.len()),
        None => text.to_owned(),
    }
}
