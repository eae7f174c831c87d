//! `tersed serve`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;

use crate::engine::{Engine, Settings};
use crate::server::{self, Framing, ServeOptions};
use crate::telemetry::LogFile;

/// How messages are delimited.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum FramingArg {
    /// LSP: `Content-Length` headers.
    #[default]
    Lsp,
    /// One message a line.
    Lines,
}

/// Arguments of `serve`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed serve --stdio                       as an editor starts it\n  \
    tersed --framing lines                     one JSON message a line\n  \
    tersed serve --max-sessions 16 --memo-bytes 1048576\n\n\
    Ends with code 0 after `shutdown` and `exit`, else with 1.")]
pub struct Args {
    /// Serve on standard input and output; the default, accepted since editors append it.
    #[arg(long)]
    pub stdio: bool,
    /// Process to end with, beside the `processId` of `initialize`.
    #[arg(long = "clientProcessId", alias = "client-process-id", value_name = "PID")]
    client_process_id: Option<u32>,
    /// How messages are delimited, in both directions.
    #[arg(long, value_enum, default_value_t)]
    framing: FramingArg,
    /// Largest message that is accepted, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = ServeOptions::default().max_message_bytes)]
    max_message_bytes: u64,
    /// Bytes of waiting requests and unread replies above which new requests are refused.
    #[arg(long, value_name = "BYTES", default_value_t = ServeOptions::default().max_queued_bytes)]
    max_queued_bytes: usize,
    /// Sessions at once; the one that was used least lately ends first.
    #[arg(long, value_name = "N", default_value_t = Settings::default().max_sessions)]
    max_sessions: usize,
    /// Calls that a session remembers; later ones take no part in memo and duplicates.
    #[arg(long, value_name = "N", default_value_t = Settings::default().session.max_calls)]
    max_session_calls: usize,
    /// Bytes of texts that the memo of a session holds.
    #[arg(long, value_name = "BYTES", default_value_t = Settings::default().session.memo_bytes)]
    memo_bytes: usize,
    /// Originals at once.
    #[arg(long, value_name = "N", default_value_t = Settings::default().artifacts.max_count)]
    max_artifacts: usize,
    /// Bytes of all originals.
    #[arg(long, value_name = "BYTES", default_value_t = Settings::default().artifacts.max_bytes)]
    max_artifact_bytes: u64,
    /// Seconds after which an original that nobody reads goes.
    #[arg(long, value_name = "SECONDS", default_value_t = Settings::default().artifacts.max_age.as_secs())]
    max_artifact_age: u64,
    /// Write an event about each result to this file, one a line; never content.
    #[arg(long, value_name = "FILE")]
    telemetry: Option<PathBuf>,
    /// Send events to this OpenTelemetry collector, for example http://localhost:4318/v1/logs.
    #[cfg(feature = "otel")]
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
}

/// Serves until the host is done.
pub fn run(args: &Args) -> ExitCode {
    let options = ServeOptions {
        framing: match args.framing {
            FramingArg::Lsp => Framing::ContentLength,
            FramingArg::Lines => Framing::Lines,
        },
        client_process_id: args.client_process_id,
        max_message_bytes: args.max_message_bytes,
        max_queued_bytes: args.max_queued_bytes,
    };
    let mut settings = Settings { max_sessions: args.max_sessions, ..Settings::default() };
    settings.session.max_calls = args.max_session_calls;
    settings.session.memo_bytes = args.memo_bytes;
    settings.artifacts.max_count = args.max_artifacts;
    settings.artifacts.max_bytes = args.max_artifact_bytes;
    settings.artifacts.max_age = Duration::from_secs(args.max_artifact_age);
    if let Some(file) = &args.telemetry {
        // Now, so that a file that cannot be written is seen by who named it.
        if let Err(error) =
            LogFile::open(file, settings.telemetry.max_file_bytes, settings.telemetry.max_files)
        {
            eprintln!("tersed: --telemetry {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
        settings.telemetry.enabled = true;
        settings.telemetry.path = Some(file.clone());
    }
    let engine = Engine::new(settings);
    #[cfg(feature = "otel")]
    if let Some(endpoint) = &args.otlp_endpoint {
        match crate::telemetry::otel::Exporter::new(endpoint) {
            Ok(exporter) => engine.export_to(exporter),
            Err(error) => {
                eprintln!("tersed: --otlp-endpoint {endpoint}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    server::run(options, engine)
}
