//! `tersed config`: shows settings and their origins, prints the schema, and checks files.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Failure;
use super::out::{counted, print};
use super::settings::{Loaded, SettingsArgs, printed};
use crate::config::schema::{schema_json, settings};
use crate::layers::{Given, Origin, Sources, printable, read_file};

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed config show --origin                    every setting, and where it comes from\n  \
    tersed config show --profile ops --origin      what a profile changes\n  \
    tersed config schema > tersed.schema.json      for completion in an editor\n  \
    tersed config check tersed.yaml                exit code 2 if it has a fault")]
pub struct Args {
    #[command(subcommand)]
    what: ConfigCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    /// Print the settings in force, as a configuration file; comments describe the others.
    Show {
        /// Show where each setting comes from.
        #[arg(long)]
        origin: bool,
        /// Print JSON: only the given settings, or with --origin a list of all settings.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// Print the JSON Schema of a configuration file.
    Schema,
    /// Check configuration files, and list all their faults.
    Check {
        /// The files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// Prints or checks.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        ConfigCommand::Show { origin, json, settings } => {
            let loaded = settings.strict(Vec::new())?;
            let text = match (json, origin) {
                (false, _) => shown(&loaded, *origin),
                (true, false) => pretty(&given(&loaded)),
                (true, true) => pretty(&listed(&loaded)),
            };
            print(&text)
        }
        ConfigCommand::Schema => print(schema_json()),
        ConfigCommand::Check { files } => check(files),
    }
}

fn check(files: &[PathBuf]) -> Result<(), Failure> {
    let sources = Sources::of_process().bare();
    let mut errors = Vec::new();
    let mut text = String::new();
    for file in files {
        match read_file(file, &sources) {
            Ok(given) => {
                let count = counted(given.len(), "setting");
                text.push_str(&format!("{}: {count}, nothing wrong\n", file.display()));
            }
            Err(wrong) => errors.extend(wrong),
        }
    }
    print(&text)?;
    if errors.is_empty() {
        return Ok(());
    }
    // A missing file is a failure (1), not an invalid setting (2).
    let is_missing = files.iter().any(|file| !file.exists());
    Err(Failure { message: printed(&errors), code: if is_missing { 1 } else { 2 } })
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn of<'a>(loaded: &'a Loaded, key: &str) -> Option<&'a Given> {
    loaded.resolved.given.iter().find(|given| given.key == key)
}

/// The given settings, as a file would hold them.
fn given(loaded: &Loaded) -> Value {
    let mut whole = Map::new();
    for Given { key, value, .. } in &loaded.resolved.given {
        let mut group = &mut whole;
        let mut names: Vec<&str> = key.split('.').collect();
        let Some(last) = names.pop() else { continue };
        for name in names {
            let inner = group.entry(name).or_insert_with(|| json!({}));
            let Some(inner) = inner.as_object_mut() else { return Value::Null };
            group = inner;
        }
        group.insert(last.to_owned(), value.clone());
    }
    Value::Object(whole)
}

/// All settings with their origins.
fn listed(loaded: &Loaded) -> Value {
    let one = |setting: &crate::config::schema::Setting| {
        let (value, origin) = match of(loaded, &setting.key) {
            Some(given) => (given.value.clone(), origin(&given.origin)),
            None => (setting.default_value(), json!({ "kind": "default", "meaning": setting.default })),
        };
        let mut one = json!({ "key": setting.key, "value": value, "origin": origin });
        let ignored: Vec<Value> =
            ignored(loaded, &setting.key).map(|given| self::origin(&given.origin)).collect();
        if !ignored.is_empty() {
            one["ignored"] = json!(ignored);
        }
        one
    };
    settings().iter().map(one).collect()
}

/// Values of a setting from an untrusted project file, which are ignored.
fn ignored<'a>(loaded: &'a Loaded, key: &str) -> impl Iterator<Item = &'a Given> {
    let all = loaded.resolved.untrusted.iter().flat_map(|untrusted| &untrusted.ignored);
    all.filter(move |given| given.key == key)
}

fn origin(origin: &Origin) -> Value {
    match origin {
        Origin::Profile(profile) => json!({ "kind": "profile", "name": profile.name() }),
        Origin::File { path, line } => json!({ "kind": "file", "path": path, "line": line }),
        Origin::Variable(name) => json!({ "kind": "environment", "name": name }),
        Origin::Flag(name) => json!({ "kind": "flag", "name": name }),
        Origin::Host(name) => json!({ "kind": "host", "name": name }),
    }
}

/// All settings as YAML; those that were not given are comments with their defaults.
fn shown(loaded: &Loaded, with_origin: bool) -> String {
    let mut out = String::new();
    let mut open: Vec<&str> = Vec::new();
    for setting in settings() {
        let names: Vec<&str> = setting.key.split('.').collect();
        let (last, groups) = names.split_last().unwrap_or((&"", &[]));
        let same = open.iter().zip(groups).take_while(|(a, b)| a == b).count();
        for (depth, name) in groups.iter().enumerate().skip(same) {
            let group = names[..=depth].join(".");
            let is_given = loaded
                .resolved
                .given
                .iter()
                .any(|given| given.key == group || given.key.starts_with(&format!("{group}.")));
            let mark = if is_given { "" } else { "# " };
            out.push_str(&format!("{}{mark}{name}:\n", "  ".repeat(depth)));
        }
        open = groups.to_vec();
        let indent = "  ".repeat(groups.len());
        let line = match of(loaded, &setting.key) {
            Some(given) => {
                let origin = if with_origin { format!("  # {}", given.origin) } else { String::new() };
                format!("{indent}{last}: {}{origin}\n", given.value)
            }
            None => format!("{indent}# {last}: {}\n", setting.default),
        };
        out.push_str(&line);
        for given in ignored(loaded, &setting.key).filter(|_| with_origin) {
            let line = format!("{last}: {}  # {}, not trusted: does not count", given.value, given.origin);
            out.push_str(&format!("{indent}# {}\n", printable(&line)));
        }
    }
    out
}
