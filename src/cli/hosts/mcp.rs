//! `tersed mcp`.

use super::Failure;
use crate::cli::call::PolicyArgs;
use crate::cli::counting::counting;
use crate::cli::out;
use crate::engine::{Settings, seal_key};
use crate::host::Host;
use crate::host::mcp::{self, Caller};

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    claude mcp add tersed -- tersed mcp\n  \
    tersed mcp --mode aggressive")]
pub struct Args {
    /// The host whose hooks call a tool of this server.
    #[arg(long, value_enum, value_name = "HOST", default_value_t)]
    host: Caller,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Serves until the host closes standard input.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let config = args.policy.config()?;
    let mut settings = Settings::of(&config);
    if let Err(note) = seal_key::ensure(&mut settings.policy) {
        out::print_message(&format!("{note}; a temporary key of this process is used"));
    }
    settings.counting = counting(&config, "mcp");
    Ok(mcp::serve(Host::new(settings), args.host)?)
}
