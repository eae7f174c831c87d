//! `tersed mcp`.

use super::call::PolicyArgs;
use crate::engine::Settings;
use crate::host::{Host, mcp};

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    claude mcp add tersed -- tersed mcp\n  \
    tersed mcp --mode aggressive")]
pub struct Args {
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Serves until the host closes standard input.
pub fn run(args: &Args) -> Result<(), String> {
    let host = Host::new(Settings::default(), args.policy.patch()?).map_err(|e| format!("--policy: {e}"))?;
    mcp::serve(host)
}
