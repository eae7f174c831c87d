//! `tersed serve`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{Arg, ArgMatches, Command, FromArgMatches, value_parser};
use serde_json::{Value, json};

use super::counting::counting;
use super::settings::{Flags, SettingsArgs};
use super::{Failure, out};
use crate::config::table::Row;
use crate::config::{Framing, RecoveryMode, Server};
use crate::engine::{Engine, Settings, seal_key};
use crate::server::{self, ServeOptions};

/// Arguments of `serve`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed serve --stdio                       as an editor starts it\n  \
    tersed --framing lines                     one JSON message a line\n  \
    tersed serve --max-sessions 16 --memo-bytes 1048576\n  \
    tersed serve --recovery failures --recovery-survives-restart\n\n\
    Ends with code 0 after `shutdown` and `exit`, else with 1.")]
pub struct Args {
    /// Serve on standard input and output; the default. Accepted because editors append it.
    #[arg(long)]
    pub stdio: bool,
    /// Process to end with, in addition to the `processId` of `initialize`.
    #[arg(long = "clientProcessId", alias = "client-process-id", value_name = "PID")]
    client_process_id: Option<u32>,
    /// How messages are delimited, in both directions: lsp, lines [default: lsp].
    #[arg(long, value_parser = ["lsp", "lines"])]
    framing: Option<String>,
    #[command(flatten)]
    sizes: SizeFlags,
    /// Which originals are also kept on disk, for `tersed artifacts` [default: never].
    #[arg(long, value_enum, value_name = "MODE")]
    recovery: Option<super::artifacts::Mode>,
    /// Folder for them, which only its owner may enter; by default the user's state folder.
    #[arg(long, value_name = "FOLDER")]
    recovery_dir: Option<PathBuf>,
    /// Keep them for later processes; without it they are deleted with this process.
    #[arg(long)]
    recovery_survives_restart: bool,
    /// Add a line to texts with gaps that says how to read the original from there.
    #[arg(long)]
    recovery_hint: bool,
    /// Write an event about each result to this file, one per line; never content.
    #[arg(long, value_name = "FILE")]
    telemetry: Option<PathBuf>,
    /// Send events to this OpenTelemetry collector, for example http://localhost:4318/v1/logs.
    #[cfg(feature = "otel")]
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Flags for the sizes of the server, from the table of settings: flag, setting and value.
#[derive(Debug, Clone, Default)]
struct SizeFlags(Flags);

impl SizeFlags {
    /// The settings with such a flag, its help, and the flag without its dashes.
    fn all() -> &'static [(&'static Row, &'static str, String)] {
        static ALL: LazyLock<Vec<(&'static Row, &'static str, String)>> = LazyLock::new(|| {
            let long = |row: &Row| row.field.trim_end_matches("_seconds").replace('_', "-");
            Server::TABLE.rows.iter().filter_map(|row| Some((row, row.flag?, long(row)))).collect()
        });
        &ALL
    }
}

impl clap::Args for SizeFlags {
    fn augment_args(command: Command) -> Command {
        command.args(Self::all().iter().map(|(row, help, long)| {
            let unit = match row.field {
                field if field.ends_with("bytes") => "BYTES",
                field if field.ends_with("seconds") => "SECONDS",
                _ => "N",
            };
            Arg::new(row.field)
                .long(long.as_str())
                .value_name(unit)
                .help(*help)
                .value_parser(value_parser!(u64))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SizeFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Self::all().iter().filter_map(|(row, _, long)| {
            let size = matches.get_one::<u64>(row.field)?;
            Some((format!("--{long}"), row.key(), json!(size)))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args {
    fn flags(&self) -> Flags {
        let framing = self.framing.iter().map(|name| ("--framing", "framing", json!(name)));
        let framing = framing.map(|(flag, key, value)| (flag.to_owned(), format!("server.{key}"), value));
        framing
            .chain(self.sizes.0.iter().cloned())
            .chain(self.recovery_flags())
            .chain(self.telemetry_flags())
            .collect()
    }

    fn recovery_flags(&self) -> impl Iterator<Item = (String, String, Value)> {
        let set = |is_set: bool| is_set.then_some(json!(true));
        let flags = [
            ("--recovery", "mode", self.recovery.map(|mode| json!(RecoveryMode::from(mode)))),
            ("--recovery-dir", "directory", self.recovery_dir.as_ref().map(|folder| json!(folder))),
            ("--recovery-survives-restart", "survivesRestart", set(self.recovery_survives_restart)),
            ("--recovery-hint", "hintInText", set(self.recovery_hint)),
        ];
        let given = |(flag, key, value): (&str, &str, Option<Value>)| {
            value.map(|value| (flag.to_owned(), format!("recovery.{key}"), value))
        };
        flags.into_iter().filter_map(given)
    }

    fn telemetry_flags(&self) -> impl Iterator<Item = (String, String, Value)> {
        let file = self.telemetry.iter();
        let set = |key: &str, value: Value| ("--telemetry".to_owned(), format!("telemetry.{key}"), value);
        file.flat_map(move |file| [set("enabled", json!(true)), set("path", json!(file))])
    }
}

/// Serves until the host is done. Configuration faults are reported and ignored: without a running server, a host would show
/// its model everything, secrets included.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let loaded = args.settings.load(args.flags())?;
    let config = &loaded.resolved.config;
    let options = ServeOptions {
        framing: match config.server.framing {
            Framing::Lsp => server::Framing::ContentLength,
            Framing::Lines => server::Framing::Lines,
        },
        client_process_id: args.client_process_id,
        max_message_bytes: config.server.max_message_bytes as u64,
        max_queued_bytes: config.server.max_queued_bytes,
    };
    let mut settings = Settings::of(config);
    if let Err(note) = seal_key::ensure(&mut settings.policy) {
        out::say(&format!("{note}; a key of this process is used"));
    }
    settings.counting = counting(config, "serve");
    settings.layers = Some((loaded.sources, loaded.layers));
    let engine = Engine::new(settings);
    if let Err(error) = engine.check_telemetry() {
        // Reported now, to whoever named the file. Results must be compressed in any case.
        out::say(&format!("telemetry is off: {error}"));
    }
    #[cfg(feature = "otel")]
    if let Some(endpoint) = &args.otlp_endpoint {
        let exporter = crate::telemetry::otel::Exporter::new(endpoint)
            .map_err(|error| Failure::value(format!("--otlp-endpoint {endpoint}: {error}")))?;
        engine.export_to(exporter);
    }
    Ok(server::run(options, engine))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn defaults_are_those_of_the_parts() {
        let config = Config::default();
        let options = ServeOptions::default();
        assert_eq!(config.server.max_message_bytes as u64, options.max_message_bytes);
        assert_eq!(config.server.max_queued_bytes, options.max_queued_bytes);
        let (ours, theirs) = (Settings::of(&config), Settings::default());
        assert_eq!(ours.max_sessions, theirs.max_sessions);
        assert_eq!(format!("{:?}", ours.session), format!("{:?}", theirs.session));
        assert_eq!(format!("{:?}", ours.artifacts), format!("{:?}", theirs.artifacts));
    }
}
