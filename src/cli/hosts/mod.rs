//! Subcommands for agent hosts: those that hosts start, and those that set hosts up.

mod doctor;
mod hook;
mod install;
mod mcp;
mod mcp_proxy;
mod resident;
mod run;

use std::process::ExitCode;

use super::{Failure, done};
pub(super) use hook::{fast, skip_event};

/// The subcommands.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Set up an agent host: edit its settings so that it uses this program.
    Install(install::Args),
    /// Undo the setup of an agent host.
    Uninstall(install::UninstallArgs),
    /// Check the program, the settings and the hosts, and say how to fix faults.
    Doctor(doctor::Args),
    /// Serve a model over MCP: tools that read originals, and one for hooks.
    Mcp(mcp::Args),
    /// Wrap an MCP server: compress the results of its tools, pass everything else unchanged.
    McpProxy(mcp_proxy::Args),
    /// Answer one event of a host's hooks: reads the event from standard input, writes the answer to standard output.
    Hook(hook::Args),
    /// Run a command, and print its output compressed when it has ended.
    Run(Box<run::Args>),
    /// Serve the events and commands of one workspace; `hook` and `run` start this process.
    Resident(resident::Args),
}

/// Runs a subcommand.
pub(super) fn run(command: Command) -> ExitCode {
    match command {
        Command::Install(args) => done(install::run(&args)),
        Command::Uninstall(args) => done(install::run_uninstall(&args)),
        Command::Doctor(args) => doctor::run(&args).unwrap_or_else(|message| done(Err::<(), _>(message))),
        Command::Mcp(args) => done(mcp::run(&args)),
        Command::McpProxy(args) => mcp_proxy::run(&args),
        Command::Hook(args) => hook::run(args),
        Command::Run(args) => run::run(&args),
        Command::Resident(args) => done(resident::run(&args)),
    }
}
