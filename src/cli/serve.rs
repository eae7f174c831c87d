//! `tersed serve`.

use std::process::ExitCode;

use clap::ValueEnum;

use crate::engine::Engine;
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
    server::run(options, Engine::default())
}
