//! `tersed serve`.

use std::process::ExitCode;

/// Arguments of `serve`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// Serve on standard input and output; the default, accepted since editors append it.
    #[arg(long)]
    pub stdio: bool,
    /// Process to end with.
    #[arg(long, value_name = "PID")]
    pub client_process_id: Option<u32>,
}

/// Serves until the host is done.
pub fn run(_: &Args) -> ExitCode {
    ExitCode::FAILURE
}
