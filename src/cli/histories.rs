//! Subcommands that read recorded sessions and histories.

use super::{Failure, audit, replay};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Play recorded sessions against a child process, and print what they would have cost.
    Replay(replay::Args),
    /// Read histories of agents on this machine, and report what would have been saved and missed.
    Audit(audit::Args),
}

/// Runs a subcommand.
pub(super) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Replay(args) => replay::run(args),
        Command::Audit(args) => audit::run(args),
    }
}
