//! `tersed serve`.

use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;

use crate::engine::{Engine, Settings};
use crate::server::{self, Framing, ServeOptions};

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
    /// File of rules of the operator: YAML, TOML or JSON. May be given several times.
    #[arg(long = "rules", value_name = "FILE")]
    rules: Vec<std::path::PathBuf>,
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
    match super::rules::load_all(&args.rules) {
        Ok(rules) => settings.policy.rules = rules,
        Err(message) => {
            eprintln!("tersed: {message}");
            return ExitCode::FAILURE;
        }
    }
    server::run(options, Engine::new(settings))
}
