//! Subcommands that read recorded sessions and histories.

use std::path::{Path, PathBuf};

use super::{Failure, audit, replay};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Play recorded sessions against a child process, and print what they would have cost.
    Replay(replay::Args),
    /// Read histories of agents on this machine, and report what would have been saved and missed.
    Audit(audit::Args),
    /// Choose from your own histories the size above which a file is shown as its outline.
    Tune(audit::tune::Args),
}

/// Runs a subcommand.
pub(super) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Replay(args) => {
            replay::run(args).map_err(|failure| pointed(failure, args.files.iter().map(PathBuf::as_path)))
        }
        Command::Audit(args) => audit::run(args),
        Command::Tune(args) => audit::tune::run(args),
    }
}

/// The failure, with a hint at the command that can read a history which another command cannot.
pub(super) fn pointed<'a>(failure: Failure, files: impl IntoIterator<Item = &'a Path>) -> Failure {
    let mut files = files.into_iter();
    let found = files.find_map(|file| Some((file.display(), audit::history_in(file)?)));
    match found {
        Some((file, title)) => Failure {
            message: format!(
                "{}\n{file} is a history ({title}): `tersed audit {file}` reads it",
                failure.message
            ),
            ..failure
        },
        None => failure,
    }
}
