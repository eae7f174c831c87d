//! Subcommands that read what agents left: recorded sessions and histories.

use super::{Failure, audit, replay};

/// What is read.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Play recorded sessions against a child process and print what they would have cost.
    Replay(replay::Args),
    /// Read histories of agents on this machine and say what would have been saved, and what missed.
    Audit(audit::Args),
}

/// Runs one.
pub(super) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Replay(args) => replay::run(args),
        Command::Audit(args) => audit::run(args),
    }
}
