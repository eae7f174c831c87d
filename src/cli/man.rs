//! `tersed man`: manual pages, generated from the definition of the command line.

use std::path::PathBuf;

use clap::Command;

use super::Failure;
use super::out::print;

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed man | man -l -\n  \
    tersed man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write a page for each subcommand into this folder, as tersed-serve.1.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints one page or writes all.
pub(super) fn run(args: &Args, command: Command) -> Result<(), Failure> {
    let command = command.disable_help_subcommand(true);
    let Some(folder) = &args.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(|e| e.to_string())?;
        return print(&page);
    };
    let fault = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(fault)?;
    Ok(clap_mangen::generate_to(command, folder).map_err(fault)?)
}
