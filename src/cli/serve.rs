//! `tersed serve`.

use std::process::ExitCode;

use super::counting::counting;
use super::flags::ServeFlags;
use super::settings::SettingsArgs;
use super::{Failure, out};
use crate::config::Framing;
use crate::engine::{Engine, Settings, seal_key};
use crate::server::{self, ServeOptions};

/// Arguments of `serve`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed serve --stdio                       as an editor starts it\n  \
    tersed --framing lines                     one JSON message a line\n  \
    tersed serve --max-sessions 16 --memo-bytes 1048576\n  \
    tersed serve --recovery failures --recovery-survives-restart\n\n\
    Ends with code 0 after `shutdown` and `exit`, or if standard input ends after `shutdown` or before `initialize`, else with 1.")]
pub struct Args {
    /// Serve on standard input and output; the default. Accepted because editors append it.
    #[arg(long)]
    pub stdio: bool,
    /// Process to end with, in addition to the `processId` of `initialize`.
    #[arg(long = "clientProcessId", alias = "client-process-id", value_name = "PID")]
    client_process_id: Option<u32>,
    #[command(flatten)]
    server: ServeFlags,
    /// Send events to this OpenTelemetry collector, for example http://localhost:4318/v1/logs.
    #[cfg(feature = "otel")]
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Serves until the host is done. Configuration faults are reported and ignored: without a running server, a host would show
/// its model everything, secrets included.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let loaded = args.settings.load(args.server.0.clone())?;
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
        out::print_message(&format!("{note}; a temporary key of this process is used"));
    }
    settings.counting = counting(config, "serve");
    settings.layers = Some((loaded.sources, loaded.layers));
    let engine = Engine::new(settings);
    if let Err(error) = engine.check_telemetry() {
        // Reported now, to whoever named the file. Results must be compressed in any case.
        out::print_message(&format!("telemetry is off: {error}"));
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
