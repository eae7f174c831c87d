//! A command line that cannot be read: what is wrong with it, and what was probably meant. Suggests nothing that the help
//! hides.

use std::error::Error as _;
#[cfg(feature = "hosts")]
use std::ffi::OsString;
use std::num::ParseIntError;
use std::process::ExitCode;
use std::time::Duration;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use super::out;
use crate::config::elsewhere;
use crate::text::nearest::nearest;

/// Words that are no subcommands, and what they probably ask for.
const MEANT: [(&[&str], &str); 4] = [
    (&["init", "setup", "add", "enable"], "`tersed install HOST` sets an agent host up"),
    (&["remove", "rm", "delete", "disable"], "`tersed uninstall HOST` removes the wiring of an agent host"),
    (&["list", "ls", "show"], "`tersed install --list` lists hosts, `tersed artifacts list` originals"),
    (&["update", "upgrade"], "what installed tersed updates it"),
];

/// The modes, which are no subcommands.
const MODES: [&str; 7] = ["disabled", "safe", "standard", "aggressive", "off", "conservative", "balanced"];

/// Prints help, a version or a mistake. The exit code is 0, or 1 if help cannot be printed, or 2 after a mistake.
pub(super) fn report_mistake(mut error: Error, command: &Command) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return super::done(out::written("standard output", error.print()));
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(mut asked) = asked_for_help(command, &words) {
        return super::done(out::written("standard output", asked.print_long_help()));
    }
    improve(&mut error, command, &words);
    // Nobody may be reading.
    let _ = error.print();
    ExitCode::from(2)
}

/// The command whose help `tersed … help --help` asks for, which the parser takes for the name of a subcommand.
fn asked_for_help(command: &Command, words: &[String]) -> Option<Command> {
    let [before @ .., help, flag] = words else { return None };
    if help != "help" || !matches!(flag.as_str(), "--help" | "-h") {
        return None;
    }
    let mut whole = command.clone();
    whole.build();
    before.iter().try_fold(&whole, |command, word| command.find_subcommand(word)).cloned()
}

/// Prints an error of `hook`, which goes on in spite of it.
#[cfg(feature = "hosts")]
pub(super) fn note_mistake(error: &mut Error, command: &Command) {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    improve(error, command, &words);
    // Nobody may be reading.
    let _ = error.print();
}

/// Replaces the parser's suggestions by better ones. `words` is the command line.
fn improve(error: &mut Error, command: &Command, words: &[String]) {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let Some(given) = text(error, ContextKind::InvalidSubcommand) else { return };
            let likely: Vec<String> = texts(error, ContextKind::SuggestedSubcommand);
            error.remove(ContextKind::SuggestedSubcommand);
            let group = group_of(command, words, &given);
            if group.get_name() != command.get_name() {
                of_group(error, group, &given);
            } else if matches!(given.as_str(), "version" | "--v" | "ver") {
                tip(error, "`tersed --version` prints it");
            } else if let Some((_, meant)) = MEANT.iter().find(|(words, _)| words.contains(&given.as_str())) {
                tip(error, meant);
            } else if let Some(name) = nearest(&given, likely.iter().map(String::as_str)) {
                let name = ContextValue::Strings(vec![name.to_owned()]);
                error.insert(ContextKind::SuggestedSubcommand, name);
            } else if let Some(mode) = nearest(&given, MODES) {
                tip(error, &format!("a mode is an option of a subcommand: tersed compress --mode {mode}"));
            } else {
                tip(error, "`tersed --help` lists the subcommands");
            }
        }
        ErrorKind::UnknownArgument => {
            if text(error, ContextKind::SuggestedArg).is_some_and(|flag| is_hidden(command, &flag)) {
                error.remove(ContextKind::SuggestedArg);
            }
            let Some(given) = text(error, ContextKind::InvalidArg) else { return };
            if let Some(flag) = given.strip_prefix('-') {
                if let Some(answer) = elsewhere::of_flag(given.split(['=', ' ']).next().unwrap_or_default()) {
                    error.remove(ContextKind::Suggested);
                    error.remove(ContextKind::SuggestedArg);
                    tip(error, answer.trim_start_matches("; "));
                } else if flag.parse::<u64>().is_ok() {
                    error.remove(ContextKind::Suggested);
                    tip(error, "a negative number is not allowed there");
                } else if !words.iter().any(|word| takes_command(command, word)) {
                    // No argument of such a command starts with `-`.
                    let suggested = error.remove(ContextKind::Suggested);
                    if let Some(ContextValue::StyledStrs(tips)) = suggested {
                        let fits = |tip: &StyledStr| !tip.to_string().contains("'-- ");
                        let tips = ContextValue::StyledStrs(tips.into_iter().filter(fits).collect());
                        error.insert(ContextKind::Suggested, tips);
                    }
                }
                return;
            }
            if let Some(name) = words.iter().find(|word| takes_command(command, word)) {
                error.remove(ContextKind::Suggested);
                tip(error, &format!("a command stands after `--`: tersed {name} -- {given} …"));
            }
        }
        ErrorKind::MissingRequiredArgument => {
            let name = words.iter().find(|word| command.find_subcommand(word).is_some());
            match name.map(String::as_str) {
                Some(name) if takes_command(command, name) => {
                    let missing = ContextValue::Strings(vec!["a command after `--`".to_owned()]);
                    error.insert(ContextKind::InvalidArg, missing);
                    tip(error, &format!("tersed {name} -- cargo test"));
                }
                Some("install" | "uninstall") => tip(error, "`tersed install --list` names the hosts"),
                Some("explain") => tip(error, "tersed explain --record FILE --index N"),
                Some("mcp-proxy") if words.iter().any(|word| word.starts_with("--servers")) => {
                    let missing = ContextValue::Strings(vec!["the name of a server in the file".to_owned()]);
                    error.insert(ContextKind::InvalidArg, missing);
                    tip(error, "tersed mcp-proxy --servers FILE NAME");
                }
                _ => {}
            }
        }
        ErrorKind::ArgumentConflict => of_conflict(error, command, words),
        // The words of the standard library say what is wrong, and not what is allowed.
        ErrorKind::ValueValidation if error.source().is_some_and(|why| why.is::<ParseIntError>()) => {
            tip(error, "allowed is a whole number");
        }
        _ => {}
    }
}

/// The command to which a word that is no subcommand was given.
fn group_of<'a>(command: &'a Command, words: &[String], given: &str) -> &'a Command {
    let before = words.iter().take_while(|word| *word != given);
    before.fold(command, |group, word| group.find_subcommand(word).unwrap_or(group))
}

/// Names the probable subcommand of a subcommand, or all that it has.
fn of_group(error: &mut Error, group: &Command, given: &str) {
    let shown = || group.get_subcommands().filter(|sub| !sub.is_hide_set()).map(Command::get_name);
    match nearest(given, shown()) {
        Some(name) => {
            drop(error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![name.to_owned()])))
        }
        None => {
            let all: Vec<&str> = shown().collect();
            tip(error, &format!("allowed is {}", all.join(", ")));
        }
    }
}

/// Says how arguments that exclude each other are given.
fn of_conflict(error: &mut Error, command: &Command, words: &[String]) {
    // Options of `serve`, the default subcommand, were given before another subcommand.
    let name = words.iter().find(|word| command.find_subcommand(word).is_some());
    let is_ahead = words.first().is_some_and(|word| word.starts_with('-'));
    if let Some(name) = name.filter(|_| is_ahead) {
        tip(error, &format!("options stand after the subcommand: tersed {name} …"));
    } else if text(error, ContextKind::InvalidArg).is_some_and(|arg| arg.starts_with("--index")) {
        tip(error, "it picks one of the results in a record: tersed explain --record FILE --index N");
    }
}

/// Removes the words of a command line that an error is about; false if they are not found, or no option.
#[cfg(feature = "hosts")]
pub(super) fn remove_fault(error: &Error, words: &mut Vec<OsString>) -> bool {
    // For an option, the text also has the placeholder of its value.
    let Some(name) = text(error, ContextKind::InvalidArg) else { return false };
    let name = name.split([' ', '=']).next().unwrap_or_default();
    let is_of = |word: &OsString| {
        let word = word.to_string_lossy();
        word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let Some(at) = words.iter().skip(1).position(is_of).map(|at| at + 1) else { return false };
    words.remove(at);
    let value = text(error, ContextKind::InvalidValue).filter(|value| !value.is_empty());
    if value.is_some_and(|value| words.get(at).is_some_and(|word| word.to_string_lossy() == value)) {
        words.remove(at);
    }
    true
}

/// Adds a line to an error.
fn tip(error: &mut Error, line: &str) {
    let line: StyledStr = line.to_owned().into();
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![line]));
}

/// Whether a subcommand takes the command line of another program, after `--`.
fn takes_command(command: &Command, name: &str) -> bool {
    command.find_subcommand(name).is_some_and(|found| found.get_positionals().any(clap::Arg::is_last_set))
}

/// Whether some subcommand has this flag, and every one that has it hides it.
fn is_hidden(command: &Command, flag: &str) -> bool {
    let long = flag.trim_start_matches('-');
    let all = std::iter::once(command).chain(command.get_subcommands());
    let mut found =
        all.flat_map(Command::get_arguments).filter(|arg| arg.get_long() == Some(long)).peekable();
    found.peek().is_some() && found.all(clap::Arg::is_hide_set)
}

fn text(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Reads a number of milliseconds.
#[cfg(feature = "hosts")]
pub(super) fn milliseconds(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "allowed is a whole number of milliseconds, such as 2000".to_owned())
}

/// Reads an address to listen on.
#[cfg(feature = "gateway")]
pub(super) fn address(text: &str) -> Result<std::net::SocketAddr, String> {
    let allowed = "allowed is an address of this machine and a port, such as 127.0.0.1:8787 or [::1]:0";
    text.parse().map_err(|_| allowed.to_owned())
}

/// Reads a duration.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let allowed = "allowed is a number with a unit, such as 500ms, 5s, 2m or 12h";
    humantime::parse_duration(text).map_err(|_| allowed.to_owned())
}

/// The message for a value that is none of `names`.
pub(super) fn none_of(given: &str, names: &[&str]) -> String {
    let near = nearest(given, names.iter().copied());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    format!("allowed is {}{near}", names.join(", "))
}
