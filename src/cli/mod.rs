//! The command line: one file per subcommand.
//!
//! `EXIT_STATUS` says how each of them ends. Only `config`, `rules check` and `mcp-proxy` end because a file of settings,
//! rules or servers is invalid; other commands continue without it.

mod artifacts;
#[cfg(feature = "audit")]
pub mod audit;
mod call;
mod completions;
mod compress;
mod config;
mod counting;
mod expand;
pub mod explain;
mod flags;
#[cfg(feature = "gateway")]
mod gateway;
#[cfg(feature = "audit")]
mod histories;
#[cfg(feature = "hosts")]
mod hosts;
mod man;
mod mistake;
mod out;
mod packed;
mod protocol;
#[cfg(feature = "audit")]
pub mod replay;
mod rules;
mod serve;
mod settings;
mod stats;
mod statusline;
mod trust;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// The exit statuses of all subcommands: the end of the help, and a section of every manual page.
const EXIT_STATUS: &str = "Exit status:
  0    Done.
  1    Failed: a file cannot be read or written, nothing is understood or found, or a check fails.
  2    Invalid: the command line, a value in it, or a file of settings, rules or servers.
  127  run, gateway, mcp-proxy: the program cannot be started. Else they end with its status, or
       with 128 plus the number of the signal that ended it.
hook and statusline always end with 0.";

/// The definition of the command line.
fn command() -> clap::Command {
    let command = Cli::command();
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    command.after_help(format!("{help}\n\n{EXIT_STATUS}"))
}

/// Makes tool results cheaper for coding agents, without losing what they need.
///
/// Without a subcommand it serves JSON-RPC on standard input and output, for an agent host that spawns it. On a terminal it
/// prints this help instead.
#[derive(Debug, Parser)]
#[command(
    name = "tersed",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        tersed                                        serve a host on stdio (LSP framing)\n  \
        cargo test 2>&1 | tersed compress --command 'cargo test'\n  \
        cargo test 2>&1 | tersed explain --command 'cargo test'   what was left out, and why\n  \
        tersed expand < compressed.txt                a text without dictionaries and tables\n  \
        tersed artifacts show 108195c6                an original that recovery keeps on disk\n  \
        tersed replay session.jsonl                   what a recorded session would have cost\n  \
        tersed audit                                  what your agents would have saved\n  \
        tersed stats                                  what was saved so far\n  \
        tersed install claude-code --dry-run          what setting up a host would change\n  \
        tersed gateway -- claude                      a host whose requests are compressed\n  \
        tersed config show --origin                   the settings, and where each comes from\n  \
        tersed trust                                  what this project's settings would allow\n  \
        tersed rules check my-rules.yaml              whether rules pass their tests\n  \
        tersed protocol methods                       the methods of the protocol"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: serve::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a host: JSON-RPC on standard input and output, logs on standard error.
    Serve(serve::Args),
    /// Compress one result, from standard input or a file, to standard output.
    Compress(compress::Args),
    /// Show one result: the original beside the output, every gap with its reason and step.
    Explain(explain::Args),
    /// Expand dictionaries and tables: standard input to standard output.
    Expand(expand::Args),
    /// Show originals that recovery keeps on disk, by handle.
    Artifacts(artifacts::Args),
    /// Subcommands for recorded sessions and histories.
    #[cfg(feature = "audit")]
    #[command(flatten)]
    Histories(histories::Command),
    /// Show, describe and check settings.
    Config(config::Args),
    /// Show what a project's settings file would allow, and trust its current content.
    Trust(trust::Args),
    /// Print what was saved so far, or totals of telemetry files.
    Stats(stats::Args),
    /// Print one line on what was saved today, for the status line of a host.
    Statusline(statusline::Args),
    /// Check files of rules, explain what they do, and list methods and stages.
    Rules(rules::Args),
    /// Subcommands for agent hosts.
    #[cfg(feature = "hosts")]
    #[command(flatten)]
    Hosts(hosts::Command),
    /// Compress tool results in the requests of an agent host to the API of its model.
    #[cfg(feature = "gateway")]
    Gateway(gateway::Args),
    /// Print the protocol: its JSON Schema, metadata or methods.
    Protocol(protocol::Args),
    /// Print the manual page, or write one for each subcommand.
    Man(man::Args),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Parses a command line.
fn parse(words: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Parses the command line and runs the subcommand.
pub fn run() -> ExitCode {
    #[cfg(all(unix, feature = "hosts"))]
    crate::host::run::outlive_file_limit();
    #[cfg(feature = "hosts")]
    if let Some(code) = hosts::fast() {
        return code;
    }
    // Hosts run it often, so it is not worth the whole parser.
    if std::env::args_os().skip(1).eq(["statusline"]) {
        return statusline::run();
    }
    crate::server::log_panics();
    let cli = match parse(std::env::args_os()) {
        Ok(cli) => cli,
        #[cfg(feature = "hosts")]
        Err(error) if error.use_stderr() && std::env::args_os().nth(1).is_some_and(|word| word == "hook") => {
            return hook_despite(error);
        }
        Err(error) => return mistake::report_mistake(error, &command()),
    };
    match cli.command {
        Some(Command::Serve(args)) => serve(&args),
        Some(Command::Compress(args)) => done(compress::run(&args)),
        Some(Command::Explain(args)) => done(explain::run(&args)),
        Some(Command::Expand(args)) => done(expand::run(&args)),
        Some(Command::Artifacts(args)) => artifacts::run(&args).unwrap_or_else(failed),
        #[cfg(feature = "audit")]
        Some(Command::Histories(command)) => done(histories::run(&command)),
        Some(Command::Config(args)) => done(config::run(&args)),
        Some(Command::Trust(args)) => done(trust::run(&args)),
        Some(Command::Stats(args)) => done(stats::run(&args)),
        Some(Command::Statusline(_)) => statusline::run(),
        Some(Command::Rules(args)) => done(rules::run(&args)),
        #[cfg(feature = "hosts")]
        Some(Command::Hosts(command)) => hosts::run(command),
        #[cfg(feature = "gateway")]
        Some(Command::Gateway(args)) => gateway::run(&args),
        Some(Command::Protocol(args)) => done(protocol::run(&args)),
        Some(Command::Man(args)) => done(man::run(&args, command())),
        Some(Command::Completions { shell }) => done(out::print(completions::script(shell, Cli::command()))),
        None if std::io::stdin().is_terminal() && !cli.serve.stdio => {
            done(out::written("standard output", command().print_long_help()))
        }
        None => serve(&cli.serve),
    }
}

fn serve(args: &serve::Args) -> ExitCode {
    serve::run(args).unwrap_or_else(failed)
}

/// Answers a hook's event and ignores invalid words of the command line. Some hosts would block the command after an
/// exit status other than 0, and secrets must be removed in any case.
#[cfg(feature = "hosts")]
fn hook_despite(mut error: clap::Error) -> ExitCode {
    let mut words: Vec<std::ffi::OsString> = std::env::args_os().collect();
    // Every round removes a word.
    loop {
        mistake::note_mistake(&mut error, &command());
        if !mistake::remove_fault(&error, &mut words) {
            hosts::skip_event();
            return ExitCode::SUCCESS;
        }
        error = match parse(&words) {
            Ok(Cli { command: Some(Command::Hosts(command)), .. }) => return hosts::run(command),
            Ok(_) => return ExitCode::SUCCESS,
            Err(error) => error,
        };
    }
}

/// The exit code that reports how a child process ended.
#[cfg(all(unix, feature = "hosts"))]
fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

#[cfg(all(not(unix), feature = "hosts"))]
fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The failure, with a hint at `audit` if the file is a history of an agent, which only `audit` reads.
fn pointed(failure: Failure, file: &std::path::Path) -> Failure {
    #[cfg(feature = "audit")]
    let failure = histories::pointed(failure, [file]);
    #[cfg(not(feature = "audit"))]
    let _ = file;
    failure
}

/// Why a command failed.
#[derive(Debug)]
struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The configuration, or a value on the command line, is invalid.
    fn value(message: String) -> Self {
        Self { message, code: 2 }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self { message, code: 1 }
    }
}

fn done(result: Result<(), impl Into<Failure>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failed(failure.into()),
    }
}

fn failed(Failure { message, code }: Failure) -> ExitCode {
    message.lines().for_each(out::print_message);
    ExitCode::from(code)
}
