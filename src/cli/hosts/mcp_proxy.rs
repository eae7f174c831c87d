//! `tersed mcp-proxy`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;

use super::{Failure, done};
use crate::cli::call::PolicyArgs;
use crate::cli::counting::counting;
use crate::cli::{exit_code, out};
use crate::engine::{Settings, seal_key};
use crate::files::{LARGEST_WITH_DATA, text_of_host};
use crate::host::Host;
use crate::host::proxy::{self, Server};
use crate::host::resident::place::mark;

/// Arguments of `mcp-proxy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed mcp-proxy -- npx -y @modelcontextprotocol/server-filesystem .\n  \
    tersed mcp-proxy --servers .mcp.json filesystem\n\n\
    The file has the shape that MCP hosts use: {\"mcpServers\": {\"NAME\": {\"command\", \"args\", \"env\", \"cwd\"}}}.\n\
    Ends with the exit status of the server, 128 plus the signal that ended it, or 127 if it cannot be started.")]
pub struct Args {
    /// File with servers; the argument is then the name of one of them.
    #[arg(long, value_name = "FILE")]
    servers: Option<PathBuf>,
    /// The server: its command line after `--`, or its name in the file.
    #[arg(required = true, value_name = "COMMAND", trailing_var_arg = true)]
    command: Vec<OsString>,
    // Last, because arguments after it would stand under its heading in the help.
    #[command(flatten)]
    policy: PolicyArgs,
}

#[derive(Debug, Deserialize)]
struct File {
    #[serde(rename = "mcpServers", alias = "servers")]
    servers: BTreeMap<String, Entry>,
}

/// One server of the file; other members are for hosts.
#[derive(Debug, Deserialize)]
struct Entry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
}

/// Runs the server, and exits with its status.
pub fn run(args: &Args) -> ExitCode {
    let host = match host(args) {
        Ok(host) => host,
        Err(failure) => return done(Err(failure)),
    };
    match server(args) {
        Ok(server) => match proxy::run(host, &server) {
            Ok(status) => exit_code(status),
            Err(message) => done(Err(Failure { message, code: 127 })),
        },
        Err(failure) => done(Err(failure)),
    }
}

fn host(args: &Args) -> Result<Host, Failure> {
    let config = args.policy.config()?;
    let mut settings = Settings::of(&config);
    if let Err(note) = seal_key::ensure(&mut settings.policy) {
        out::print_message(&format!("{note}; a temporary key of this process is used"));
    }
    // A proxy is not told which results left the model's context.
    settings.policy.dedup = false;
    settings.counting = counting(&config, "mcp-proxy");
    settings.workspace = mark();
    Ok(Host::new(settings))
}

fn server(args: &Args) -> Result<Server, Failure> {
    match &args.servers {
        None => Ok(Server { command: args.command.clone(), env: Vec::new(), folder: None }),
        Some(path) => match args.command.as_slice() {
            [name] => named(path, &name.to_string_lossy()),
            more => Err(Failure::value(format!(
                "{} arguments were given beside --servers, allowed is one name",
                more.len()
            ))),
        },
    }
}

fn named(path: &Path, name: &str) -> Result<Server, Failure> {
    let text = text_of_host(path, LARGEST_WITH_DATA).map_err(|e| match e.kind() {
        std::io::ErrorKind::InvalidData => Failure::value(out::at(path, &e)),
        _ => out::at(path, &e).into(),
    })?;
    in_file(path, &text, name).map_err(Failure::value)
}

/// The server of that name in the text of a file.
fn in_file(path: &Path, text: &str, name: &str) -> Result<Server, String> {
    let place = path.display();
    let shape = "allowed is a JSON object {\"mcpServers\": {\"NAME\": {\"command\": …}}}";
    let mut file: File = serde_json::from_str(text).map_err(|e| format!("{place}: {e}; {shape}"))?;
    let Some(entry) = file.servers.remove(name) else {
        let names: Vec<String> = file.servers.into_keys().collect();
        return Err(format!("{place}: no server `{name}`, there are: {}", names.join(", ")));
    };
    let Some(program) = entry.command else {
        return Err(format!(
            "{place}: server `{name}` has no `command`; only servers on stdio can be wrapped"
        ));
    };
    let command = std::iter::once(program).chain(entry.args).map(OsString::from).collect();
    Ok(Server { command, env: entry.env.into_iter().collect(), folder: entry.cwd })
}
