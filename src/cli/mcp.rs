//! `tersed mcp`.

use super::Failure;
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
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let settings = Settings::of(&args.policy.config()?);
    Ok(mcp::serve(Host::new(settings))?)
}
