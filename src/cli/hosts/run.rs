//! `tersed run`.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::hook::{self, Ask};
use crate::cli::call::PolicyArgs;
use crate::config::Policy;
use crate::detect::command::asks_for_exact_output;
use crate::detect::output_name;
use crate::engine::seal_key;
use crate::host::claude_code;
use crate::host::pass::LazyPolicy;
use crate::host::resident::wire::{Ran, Reply, Request};
use crate::host::run::{self, Ended, HOLD_BACK, Holding, Outcome, Output, Program, Shown};
use crate::host::wrap::quoted;
use crate::pipeline::exit;
use crate::pipeline::limit::cap::{self, Cap};
use crate::sanitize::secrets;
use crate::text::ledger::Ledger;
use crate::text::marker::{self, SealKey};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "tersed run [OPTIONS] -- <COMMAND>...\n       tersed run [OPTIONS] --shell <TEXT>",
    after_help = "Examples:\n  \
    tersed run -- cargo test\n  \
    tersed run --raw -- cargo test                       print all of it\n  \
    tersed run --session s1 --call c7 --shell 'npm ci && npm test 2>&1 | tail -200'\n\n\
    The command has the same input, variables, folder and process group. Its exit status is that of the command, or \
    the signal that ended it. Its output is held until it ends, at most for the time of --patience. Later output, output \
    after a signal, and output that is not text is passed on at once: secrets are removed and forged markers escaped. If the \
    host's limit is known, at most half of it is passed on this way, and the rest is held to the end. On a terminal nothing \
    is held. Use --raw if a program reads the output."
)]
pub struct Args {
    /// The conversation; results of one session can refer to each other.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The call, which later results of the session may refer to.
    #[arg(long, value_name = "ID")]
    call: Option<String>,
    /// How long output is held back, for example 30s or 2m; choose less than the host's own limit [default: 8s].
    #[arg(long, value_name = "TIME", value_parser = crate::cli::mistake::duration)]
    patience: Option<Duration>,
    /// Most bytes of an output that the host shows; the rest is left out, failure reports last [default: in Claude Code
    /// BASH_MAX_OUTPUT_LENGTH or 30000, else none].
    #[arg(long, value_name = "BYTES")]
    host_limit: Option<usize>,
    /// The same for a command that fails [default: as --host-limit; in Claude Code at most 10000].
    #[arg(long, value_name = "BYTES")]
    host_limit_failed: Option<usize>,
    /// A command line for the calling shell, or else `$SHELL` or `sh`, instead of a command.
    #[arg(long, value_name = "TEXT", conflicts_with = "command", required_unless_present_any = ["command", "relay"])]
    shell: Option<OsString>,
    /// Pass the output on at once and uncompressed; only secrets are removed.
    #[arg(long, conflicts_with_all = ["host_limit", "host_limit_failed", "patience", "no_resident"])]
    raw: bool,
    /// Do not use the resident process.
    #[arg(long)]
    no_resident: bool,
    /// Copy standard input to standard output, for a process that a command left behind.
    #[arg(long, hide = true, conflicts_with = "command")]
    relay: bool,
    /// The command, after `--`.
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
    // Last, because arguments after it would stand under its heading in the help.
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Time limit for compressing an output, if `TERSED_DEADLINE_MS` is not set. After it the output is printed as it is,
/// or cut to what the host shows.
const DEADLINE: Duration = Duration::from_secs(5);
/// The time limit while the command is being ended.
const SIGNALLED_DEADLINE: Duration = Duration::from_millis(1500);
/// Bytes for a seal and a line with the exit status, which are added to an output that was cut.
const ADDED_BYTES: usize = 80;
/// Outputs of fewer bytes are only made safe.
const MIN_BYTES: usize = 256;

/// Runs the command, and ends as it ended.
pub(super) fn run(args: &Args) -> ExitCode {
    #[cfg(unix)]
    if args.relay {
        let read = || policy(args);
        let policy = LazyPolicy::new(&read);
        run::relay(&if args.raw { policy } else { policy.escaping() });
        return ExitCode::SUCCESS;
    }
    let program = match &args.shell {
        Some(text) => Program::Shell(text.clone()),
        None => Program::Argv(args.command.clone()),
    };
    let read = || policy(args);
    let policy = LazyPolicy::new(&read);
    // Output that was requested unchanged may be data for a program.
    let policy =
        if args.raw || asks_for_exact_output(&line_of(&program)) { policy } else { policy.escaping() };
    let compress = |output: Output<'_>| compressed(args, &program, output, &policy);
    if args.raw {
        return as_it_is(args, &program, &policy);
    }
    // The variable is more recent than the value from when the command was wrapped.
    let given = args.host_limit.filter(|limit| *limit > 0);
    let given =
        given.map(|whole| Shown { whole, failed: args.host_limit_failed.map_or(whole, |n| n.min(whole)) });
    let shown = claude_code::shown_by_environment().or(given);
    let holding = Holding { patience: args.patience.unwrap_or(HOLD_BACK), shown };
    let ran = run::run(&program, holding, &compress, &policy);
    hint(&program, &ran);
    ended(args, ran)
}

/// Exit status of a shell that finds no such program.
const NOT_FOUND: i32 = 127;

/// Prints how to give a whole command line, if one was given as the name of a program.
fn hint(program: &Program, ran: &Result<Outcome, String>) {
    let Program::Argv(argv) = program else { return };
    let [word] = argv.as_slice() else { return };
    let is_line = word.to_string_lossy().contains([' ', '|', ';', '&']);
    if is_line && ran.as_ref().map_or(true, |ran| ran.ended == Ended::Code(NOT_FOUND)) {
        let line = quoted(&word.to_string_lossy());
        crate::cli::out::print_message(&format!(
            "a command line for the shell stands behind --shell: tersed run --shell {line}"
        ));
    }
}

/// Runs the command and passes its output on, without its secrets.
fn as_it_is(args: &Args, program: &Program, policy: &LazyPolicy<'_>) -> ExitCode {
    let holding = Holding { patience: Duration::ZERO, shown: None };
    let ran = run::run(program, holding, &|_| None, policy);
    hint(program, &ran);
    ended(args, ran)
}

/// Ends as the command ended, or as one whose output could not be written.
fn ended(args: &Args, ran: Result<Outcome, String>) -> ExitCode {
    match ran {
        Ok(Outcome { ended, fault, is_shown }) => {
            hook::tell(|| is_shown && run::was_read());
            forget_unread(args, is_shown);
            if let Some(fault) = fault {
                crate::cli::out::print_message(&format!("standard output: {fault}"));
            }
            end(ended)
        }
        Err(message) => {
            crate::cli::out::print_message(&message);
            ExitCode::from(127)
        }
    }
}

/// Makes the session forget an output that was not written or not read, so that no later result refers to it.
fn forget_unread(args: &Args, is_shown: bool) {
    let given = |id: &Option<String>| id.clone().filter(|id| !id.is_empty());
    let Some((session, call)) = given(&args.session).zip(given(&args.call)) else { return };
    if is_shown && run::was_read() {
        return;
    }
    let ask = Ask {
        until: Instant::now() + hook::of_host().unwrap_or(DEADLINE),
        is_alone: args.no_resident,
        settings: args.policy.given(),
        to_start: Vec::new(),
    };
    hook::ask(&ask, &Request::NotShown { session, call }, b"", || None);
}

/// Ends with the command's signal, so that the waiting process sees the same.
fn end(ended: Ended) -> ExitCode {
    #[cfg(unix)]
    if let Ended::Signal(signal) = ended {
        use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
        // One core file is enough.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = match signal == Signal::KILL.as_raw() {
            true => kill_process(getpid(), Signal::KILL).map_err(std::io::Error::from),
            false => signal_hook::low_level::emulate_default_handler(signal),
        };
    }
    ExitCode::from(u8::try_from(ended.status() & 0xff).unwrap_or(1))
}

/// The settings for output that is passed on. Settings that cannot be read are ignored; redaction still runs.
fn policy(args: &Args) -> Policy {
    let mut policy = args.policy.config_or_defaults().policy;
    // Without the key, values cannot be allowed by fingerprint.
    let _ = seal_key::ensure(&mut policy);
    policy
}

/// The command as one line.
fn line_of(program: &Program) -> String {
    match program {
        Program::Shell(text) => text.to_string_lossy().into_owned(),
        Program::Argv(argv) => {
            argv.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
        }
    }
}

/// The texts, compressed; if that fails, only made safe, and cut to what the host still shows.
fn compressed(
    args: &Args,
    program: &Program,
    output: Output<'_>,
    policy: &LazyPolicy<'_>,
) -> Option<Vec<String>> {
    let texts = output.texts;
    let is_short = texts.iter().map(String::len).sum::<usize>() < MIN_BYTES;
    let is_safe = |text: &String| {
        secrets::find(text.as_bytes()).is_empty()
            && marker::find_look_alikes_at_end(text.as_bytes()).places.is_empty()
    };
    let names_value = || {
        texts.iter().any(|text| secrets::is_value(text))
            && output_name::of_command_line(&line_of(program)).is_some()
    };
    if is_short && texts.iter().all(is_safe) && !names_value() {
        return None;
    }
    worked_on(args, program, output).or_else(|| {
        let safe = |text: &String| match policy.made_safe(text.as_bytes()) {
            Some(safe) => String::from_utf8_lossy(&safe).into_owned(),
            None => text.clone(),
        };
        let safe: Vec<String> = texts.iter().map(safe).collect();
        // A program may read output that was requested unchanged.
        let room = output.room.filter(|_| policy.escapes());
        Some(match room {
            Some(room) => cut(safe, room, output.ended, &policy.seal_key()),
            None => safe,
        })
    })
}

/// Texts that could not be compressed in time, cut to `room` bytes, failures last. The host would cut them itself, and
/// lose the failures. A small text may leave its share to a large one.
fn cut(mut texts: Vec<String>, room: usize, ended: Option<Ended>, key: &SealKey) -> Vec<String> {
    if texts.iter().map(String::len).sum::<usize>() <= room {
        return texts;
    }
    let status = ended.map(|ended| i64::from(ended.status())).filter(|status| *status != 0);
    let mut by_size: Vec<usize> = (0..texts.len()).collect();
    by_size.sort_by_key(|index| texts[*index].len());
    let mut left = room;
    for (at, index) in by_size.iter().enumerate() {
        let bytes = left / (by_size.len() - at);
        texts[*index] = cut_one(std::mem::take(&mut texts[*index]), bytes, status, key);
        left = left.saturating_sub(texts[*index].len());
    }
    texts
}

/// One of these texts.
fn cut_one(text: String, bytes: usize, status: Option<i64>, key: &SealKey) -> String {
    if text.len() <= bytes {
        return text;
    }
    let source = Source::new(&text);
    let cap = Cap {
        bytes: bytes.saturating_sub(ADDED_BYTES).max(1),
        strict: true,
        reason: Reason::OutputCap,
        samples: false,
        outliers: false,
        names: 0,
    };
    let Some(ledger) = cap::apply(&source, &Ledger::new(&source), source.failures(), cap) else {
        return text;
    };
    let mut new = ledger.render(&source, None);
    if let Some(status) = status.filter(|status| !exit::names_status(&new, *status)) {
        exit::write_status(&mut new, status);
    }
    marker::seal(&mut new, key);
    new
}

fn worked_on(args: &Args, program: &Program, output: Output<'_>) -> Option<Vec<String>> {
    let Output { ended, texts, room, is_later, is_part } = output;
    let ran = Ran {
        command: line_of(program),
        exit_code: ended.map(|ended| i64::from(ended.status())),
        session: args.session.clone().filter(|id| !id.is_empty()),
        // A call has one result: later output belongs to no call.
        call: args.call.clone().filter(|id| !id.is_empty() && !is_later),
        room,
    };
    let parts = texts.iter().map(String::len).collect();
    let request = Request::Run { ran, parts, owner: None };
    let ask = Ask {
        // A process that ends a command early does not wait long for its output.
        until: Instant::now()
            + if ended.is_some() || is_part {
                hook::of_host().unwrap_or(DEADLINE)
            } else {
                SIGNALLED_DEADLINE
            },
        is_alone: args.no_resident,
        settings: args.policy.given(),
        to_start: Vec::new(),
    };
    let asked = catch_unwind(AssertUnwindSafe(|| {
        hook::ask(&ask, &request, texts.concat().as_bytes(), || Some(args.policy.config_or_defaults()))
    }));
    let (reply, content) = asked.ok().flatten()?;
    let Reply::Parts { parts } = reply else { return None };
    let content = String::from_utf8(content).ok()?;
    let mut rest = content.as_str();
    let mut new = Vec::with_capacity(parts.len());
    for length in parts {
        let (text, after) = rest.split_at_checked(length)?;
        new.push(text.to_owned());
        rest = after;
    }
    (new.len() == texts.len()).then_some(new)
}
