//! The shell that reads a command line: the shell that called tersed, so that the line has the same meaning.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Program;

/// Names of shells that read `-c TEXT` as the hosts' shells do.
const SHELLS: &[&str] = &["bash", "zsh", "sh", "dash", "ksh", "mksh", "ash"];

/// The command to start.
pub(super) fn command(program: &Program) -> Command {
    match program {
        Program::Argv(argv) => {
            let mut command = Command::new(argv.first().map(OsString::as_os_str).unwrap_or_default());
            command.args(argv.iter().skip(1));
            command
        }
        Program::Shell(text) => {
            let mut command = shell();
            command.arg("-c").arg(text);
            command
        }
    }
}

/// A program that the shell looks up, so that the error text and the exit status for a missing program are the usual ones.
#[cfg(unix)]
pub(super) fn looked_up(argv: &[OsString]) -> Command {
    let mut command = shell();
    command.args(["-c", "\"$@\""]);
    #[cfg(unix)]
    command.arg(name_of_caller().unwrap_or_else(|| "sh".into()));
    command.args(argv);
    command
}

fn shell() -> Command {
    #[cfg(unix)]
    if let Some((path, name)) = caller() {
        let mut command = Command::new(path);
        std::os::unix::process::CommandExt::arg0(&mut command, name);
        return command;
    }
    let of_user = std::env::var_os("SHELL").map(PathBuf::from).filter(|path| is_shell(path));
    Command::new(of_user.unwrap_or_else(|| PathBuf::from(if cfg!(windows) { "sh" } else { "/bin/sh" })))
}

fn is_shell(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| SHELLS.contains(&name))
        && path.is_file()
}

/// The path and name of the shell that started this process, if a shell did.
#[cfg(target_os = "linux")]
fn caller() -> Option<(PathBuf, OsString)> {
    use std::os::unix::ffi::OsStringExt;
    let parent = std::os::unix::process::parent_id();
    let path = std::fs::read_link(format!("/proc/{parent}/exe")).ok().filter(|path| is_shell(path))?;
    let mut name = std::fs::read(format!("/proc/{parent}/cmdline")).ok()?;
    name.truncate(name.iter().position(|&b| b == 0).unwrap_or(name.len()));
    // The name of a login shell starts with a dash.
    let name = match name.first() {
        None | Some(b'-') => path.clone().into_os_string(),
        Some(_) => OsString::from_vec(name),
    };
    Some((path, name))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn caller() -> Option<(PathBuf, OsString)> {
    None
}

#[cfg(unix)]
fn name_of_caller() -> Option<OsString> {
    caller().map(|(_, name)| name)
}
