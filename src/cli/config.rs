//! `tersed config`: shows settings and their origins, prints the schema, and checks files.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Failure;
use super::out::{counted, print};
use super::settings::{Loaded, SettingsArgs, failure};
use crate::config::schema::{Setting, schema_json, settings};
use crate::layers::{Given, Origin, Sources, TUNED, printable, read_file};

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed config show --origin                    every setting, and where it comes from\n  \
    tersed config show --profile ops --origin      what a profile changes\n  \
    tersed config schema > tersed.schema.json      for completion in an editor\n  \
    tersed config check tersed.yaml                exit status 2 if it has a fault")]
pub struct Args {
    #[command(subcommand)]
    what: ConfigCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigCommand {
    /// Print the settings in force as a configuration file, in the format of yours; comments have the defaults of the others.
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
    Err(failure(&errors))
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
    let one = |setting: &Setting| {
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

/// The formats of configuration files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Yaml,
    Toml,
}

impl Format {
    /// That of the file in force, so that the output can take its place; `tersed tune` chooses none.
    fn of(loaded: &Loaded) -> Self {
        let is_chosen = |file: &&PathBuf| file.file_name().is_none_or(|name| name != TUNED);
        let file = loaded.layers.files().iter().find(is_chosen);
        let is_toml = file.is_some_and(|file| file.extension().is_some_and(|extension| extension == "toml"));
        if is_toml { Self::Toml } else { Self::Yaml }
    }

    /// A setting, with a comment after it.
    fn line(self, key: &str, value: &Value, comment: &str) -> String {
        let comment = if comment.is_empty() { String::new() } else { format!("  # {}", printable(comment)) };
        match self {
            Self::Toml if value.is_null() => format!("{key} ={comment}\n"),
            Self::Toml => format!("{key} = {}{comment}\n", self.value(value)),
            Self::Yaml => {
                let name = key.rsplit('.').next().unwrap_or(key);
                let value = if value.is_null() { String::new() } else { format!(" {}", self.value(value)) };
                format!("{name}:{value}{comment}\n")
            }
        }
    }

    /// A value on one line. Both formats have the texts and numbers of JSON; YAML has its lists and tables too.
    fn value(self, value: &Value) -> String {
        let all = |items: Vec<String>| items.join(", ");
        match value {
            Value::Array(items) => format!("[{}]", all(items.iter().map(|item| self.value(item)).collect())),
            Value::Object(members) => {
                let sign = if self == Self::Toml { " =" } else { ":" };
                // TOML has no value for nothing.
                let given = members.iter().filter(|(_, value)| self == Self::Yaml || !value.is_null());
                let one =
                    |(name, value): (&String, &Value)| format!("{}{sign} {}", text(name), self.value(value));
                format!("{{{}}}", all(given.map(one).collect()))
            }
            Value::String(text) => self::text(text),
            other => other.to_string(),
        }
    }
}

/// A text in quotes. Characters that neither format allows as they are, or that cannot be seen, are written as escapes.
fn text(text: &str) -> String {
    let is_plain = |c: char| {
        matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{1fff}' | '\u{2070}'..='\u{d7ff}')
            || c > '\u{ffff}'
    };
    let quoted = Value::from(text).to_string();
    let write = |c: char| if is_plain(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    quoted.chars().map(write).collect()
}

/// All settings as a configuration file; those that were not given are comments with their defaults.
fn shown(loaded: &Loaded, with_origin: bool) -> String {
    let format = Format::of(loaded);
    let mut out = String::new();
    let mut open: Vec<&str> = Vec::new();
    for setting in settings() {
        let names: Vec<&str> = setting.key.split('.').collect();
        let (_, groups) = names.split_last().unwrap_or((&"", &[]));
        let same = open.iter().zip(groups).take_while(|(a, b)| a == b).count();
        for (depth, name) in groups.iter().enumerate().skip(same).filter(|_| format == Format::Yaml) {
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
        let indent = if format == Format::Yaml { "  ".repeat(groups.len()) } else { String::new() };
        let line = match of(loaded, &setting.key) {
            Some(given) => {
                let origin = if with_origin { given.origin.to_string() } else { String::new() };
                format.line(&setting.key, &given.value, &origin)
            }
            None => format!("# {}", by_default(setting, format)),
        };
        out.push_str(&format!("{indent}{line}"));
        for given in ignored(loaded, &setting.key).filter(|_| with_origin) {
            let origin = format!("{}, not trusted: does not count", given.origin);
            out.push_str(&format!("{indent}# {}", format.line(&setting.key, &given.value, &origin)));
        }
    }
    out
}

/// The line of a setting with its default: without the sign before it, it is the line of a file.
fn by_default(setting: &Setting, format: Format) -> String {
    let value = setting.default_value();
    let words = setting.default.as_str();
    let plain = value.as_str().map_or_else(|| value.to_string(), |text| format!("`{text}`"));
    let rest = words.strip_prefix(&plain).map(|rest| rest.trim_start_matches([';', ' ']));
    match rest {
        Some(rest) => format.line(&setting.key, &value, rest),
        None if words == "none" => format.line(&setting.key, &value, ""),
        None => format.line(&setting.key, &value, words),
    }
}
