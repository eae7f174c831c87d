//! Subcommands for agent hosts: what hosts start, and what wires them.

mod doctor;
mod hook;
mod install;
mod mcp;
mod mcp_proxy;
mod resident;
mod run;

use std::process::ExitCode;

use super::{Failure, done};
pub(super) use hook::fast;

/// What is done.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Wire an agent host: edit its settings so that it uses this program.
    Install(install::Args),
    /// Take the wiring of an agent host out again.
    Uninstall(install::UninstallArgs),
    /// Say whether all is well: the program, the settings, the hosts; and what to do where it is not.
    Doctor(doctor::Args),
    /// Serve a model over MCP: tools to read back what was left out, and one for hooks.
    Mcp(mcp::Args),
    /// Wrap an MCP server: the results of its tools get smaller, all else passes as it is.
    McpProxy(mcp_proxy::Args),
    /// Answer one event of a host's hooks: the event on standard input, what the hook prints on standard output.
    Hook(hook::Args),
    /// Run a command, and print what it wrote smaller once it has ended.
    Run(Box<run::Args>),
    /// Serve the events and commands of one workspace; `hook` and `run` start it.
    Resident(resident::Args),
}

/// Runs one.
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
