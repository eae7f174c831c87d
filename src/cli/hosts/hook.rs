//! `tersed hook`: gets the answer to one event from the resident process. After any failure it prints nothing, and
//! the host continues as if there were no hook.

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;

use crate::cli::call::PolicyArgs;
use crate::cli::counting::counting;
use crate::cli::settings::say_once;
use crate::config::Config;
use crate::engine::{Settings, seal_key};
use crate::host::Host;
use crate::host::hooks::{HOOKS, Hooks};
use crate::host::resident::answer::answer;
use crate::host::resident::breaker::Breaker;
use crate::host::resident::client::{self, Client};
use crate::host::resident::place::{Place, mark};
use crate::host::resident::wire::{Answer, MAX_CONTENT, Reply, Request};
use crate::host::wrap;
use crate::telemetry::counts::Held;
use crate::telemetry::{Counter, Counting, SystemClock};

/// Arguments of `hook`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed hook codex < event.json\n  \
    tersed hook claude-code --deadline 2000 --mode aggressive < event.json\n\n\
    Prints the answer that the host expects of its hook, or nothing: then the host continues as if there were no hook. The \
    exit status is always 0; invalid options are reported on standard error and ignored. After two timeouts in a row, nothing \
    is compressed for a minute. The first event of a workspace starts a process that later events share; it ends with the host.")]
pub struct Args {
    /// The host.
    #[arg(value_parser = PossibleValuesParser::new(HOOKS.iter().map(|hooks| hooks.name)))]
    host: String,
    /// Time limit in milliseconds; after it nothing is printed [default: TERSED_DEADLINE_MS, or 4000].
    #[arg(long, value_name = "MS", value_parser = crate::cli::mistake::milliseconds)]
    deadline: Option<u64>,
    /// Do the work in this process, without memory of earlier results.
    #[arg(long)]
    no_resident: bool,
    /// Print nothing unless `TERSED_WRAP` is 1. For the event before a command, where the user decides whether commands are
    /// wrapped in `tersed run`.
    #[arg(long)]
    if_wrap: bool,
    /// The resident process ends when this process ends. Needed only if the nearest ancestor that is not a shell is
    /// the wrong one.
    #[arg(long, value_name = "PID")]
    owner: Option<u32>,
    /// The resident process ends after this time without an event, for example 30m [default: 2h].
    #[arg(long, value_name = "TIME", value_parser = crate::cli::mistake::duration)]
    idle: Option<Duration>,
    #[command(flatten)]
    policy: PolicyArgs,
}

/// How to send a request.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// The time after which nobody waits for the answer.
    pub until: Instant,
    /// Whether this process does the work itself.
    pub is_alone: bool,
    /// Settings as flags.
    pub settings: Vec<String>,
    /// More flags for a resident process that has to be started.
    pub to_start: Vec<String>,
}

/// Default time limit in milliseconds: less than the five seconds that the installed settings tell hosts to wait.
/// Some hosts do not recover after they had to kill a hook.
const DEADLINE_MILLIS: u64 = 4000;

/// The longest time limit.
const MAX_MILLIS: u64 = 3_600_000;

/// Runs `tersed hook HOST` without the full command-line parser if there are only plain flags; `None` otherwise.
pub(in crate::cli) fn fast() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1).map(|word| word.into_string().ok());
    if words.next()?? != "hook" {
        return None;
    }
    let host = words.next()??;
    Hooks::named(&host)?;
    let (mut deadline, mut owner, mut is_alone) = (None, None, false);
    while let Some(word) = words.next() {
        match word?.as_str() {
            "--deadline" => deadline = Some(words.next()??.parse().ok()?),
            "--owner" => owner = Some(words.next()??.parse().ok()?),
            "--no-resident" => is_alone = true,
            "--if-wrap" if is_unwanted() => return Some(ExitCode::SUCCESS),
            "--if-wrap" => {}
            _ => return None,
        }
    }
    let ask = Ask { until: until(deadline), is_alone, settings: Vec::new(), to_start: Vec::new() };
    Some(reply(ask, host, owner, || Some(PolicyArgs::default().config_or_defaults())))
}

/// Whether commands may not be wrapped. The event is read anyway, so that the host can write it.
fn is_unwanted() -> bool {
    let is_unwanted = !wrap::is_wanted();
    if is_unwanted {
        skip_event();
    }
    is_unwanted
}

/// Reads the event and drops it.
pub(in crate::cli) fn skip_event() {
    if !std::io::stdin().is_terminal() {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    }
}

/// Answers the event on standard input.
pub(super) fn run(args: Args) -> ExitCode {
    if args.if_wrap && is_unwanted() {
        return ExitCode::SUCCESS;
    }
    let mut to_start = Vec::new();
    if let Some(idle) = args.idle {
        to_start.extend(["--idle".to_owned(), humantime::format_duration(idle).to_string().replace(' ', "")]);
    }
    let ask = Ask {
        until: until(args.deadline),
        is_alone: args.no_resident,
        settings: args.policy.given(),
        to_start,
    };
    let Args { host, owner, policy, .. } = args;
    reply(ask, host, owner, move || Some(policy.config_or_defaults()))
}

fn until(deadline: Option<u64>) -> Instant {
    let deadline = deadline.map(|deadline| Duration::from_millis(deadline.min(MAX_MILLIS)));
    Instant::now() + deadline.or_else(of_host).unwrap_or(Duration::from_millis(DEADLINE_MILLIS))
}

/// The time limit in `TERSED_DEADLINE_MS`, if it is set.
pub(super) fn of_host() -> Option<Duration> {
    let given = std::env::var("TERSED_DEADLINE_MS").ok().and_then(|text| text.parse().ok());
    given.map(|given: u64| Duration::from_millis(given.min(MAX_MILLIS)))
}

/// How long to read the event if no request is sent.
const EVENT_READ_TIMEOUT: Duration = Duration::from_millis(500);

/// Prints the answer if it arrives in time.
fn reply(
    ask: Ask,
    host: String,
    owner: Option<u32>,
    config: impl FnOnce() -> Option<Config> + Send + 'static,
) -> ExitCode {
    // Nobody reads standard error, and some hosts show it.
    std::panic::set_hook(Box::new(|_| {}));
    let place = place_of(&ask);
    let breaker = place.as_ref().map(|place| Arc::new(Breaker::new(place.late())));
    let is_resting = breaker.as_ref().is_some_and(|breaker| !breaker.allows());
    let (send, answer) = channel();
    let until = if is_resting { Instant::now() + EVENT_READ_TIMEOUT } else { ask.until };
    let held = breaker.clone();
    let started = std::thread::Builder::new().spawn(move || {
        let printed = event().filter(|_| !is_resting).and_then(|event| {
            let request = Request::Hook { host, owner };
            match asked(&ask, &request, &event, config, place, held.as_deref())? {
                (Reply::Whole, answer) => Some(answer),
                _ => None,
            }
        });
        let _ = send.send(printed);
    });
    let left = until.saturating_duration_since(Instant::now());
    let answer = started.map(|_| answer.recv_timeout(left));
    if let (Ok(Err(RecvTimeoutError::Timeout)), Some(breaker), false) = (&answer, &breaker, is_resting) {
        breaker.late();
    }
    if let Ok(Ok(Some(mut answer))) = answer {
        answer.push(b'\n');
        let mut out = std::io::stdout();
        let _ = out.write_all(&answer).and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

/// The event on standard input; `None` if it is missing or invalid.
fn event() -> Option<Vec<u8>> {
    let mut event = Vec::with_capacity(64 << 10);
    std::io::stdin().lock().take(MAX_CONTENT as u64 + 1).read_to_end(&mut event).ok()?;
    let is_object = event.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'{');
    (is_object && event.len() <= MAX_CONTENT).then_some(event)
}

/// Asks the resident process, or does the work here if there is none and none can be started. `None` also while the circuit
/// breaker is open.
pub(super) fn ask(
    ask: &Ask,
    request: &Request,
    content: &[u8],
    config: impl FnOnce() -> Option<Config>,
) -> Option<(Reply, Vec<u8>)> {
    let place = place_of(ask);
    let breaker = place.as_ref().map(|place| Breaker::new(place.late()));
    if breaker.as_ref().is_some_and(|breaker| !breaker.allows()) {
        return None;
    }
    asked(ask, request, content, config, place, breaker.as_ref())
}

fn place_of(ask: &Ask) -> Option<Place> {
    std::env::current_dir().and_then(|folder| Place::of(&folder, &ask.settings)).ok()
}

/// Asks the resident process, after the circuit breaker was checked.
fn asked(
    ask: &Ask,
    request: &Request,
    content: &[u8],
    config: impl FnOnce() -> Option<Config>,
    place: Option<Place>,
    breaker: Option<&Breaker>,
) -> Option<(Reply, Vec<u8>)> {
    if !ask.is_alone
        && let Some(place) = &place
    {
        let settings = ask.settings.iter().chain(&ask.to_start).cloned().collect();
        let client = Client { place: place.clone(), settings, until: ask.until };
        match client.ask(request, content) {
            Ok((Answer { reply, notes }, content)) => {
                breaker.inspect(|breaker| breaker.answered());
                say_once(notes);
                return Some((reply, content));
            }
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                breaker.inspect(|breaker| breaker.late());
                return None;
            }
            Err(_) => {}
        }
    }
    let config = config()?;
    let mut settings = Settings::of(&config);
    // The host would see a message. Without the key file, a key of this process is used.
    let _ = seal_key::ensure(&mut settings.policy);
    settings.counting = counting(&config, "other");
    settings.workspace = mark();
    let counted = settings.counting.clone();
    let host = Host::once(settings, place.map(|place| place.originals()));
    let (reply, new, held) = answer(&host, request, content);
    // The work in this process ended in time; otherwise the process that waits counts the timeout.
    let is_in_time = Instant::now() < ask.until;
    if is_in_time {
        breaker.inspect(|breaker| breaker.answered());
    }
    if matches!(request, Request::Run { .. }) {
        UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).push((counted, held));
    } else {
        // Nobody waits longer for the answer of a hook.
        host.engine().count_held(if is_in_time { held } else { held.unused() });
    }
    host.engine().close();
    Some((reply, new))
}

/// Counts of outputs that this process compressed itself, until it is known whether they were shown.
static UNTOLD: Mutex<Vec<(Option<Counting>, Held)>> = Mutex::new(Vec::new());

/// Counts the outputs that were compressed for this process, if `is_shown` says that they were shown.
pub(super) fn tell(is_shown: impl FnOnce() -> bool) {
    let held = std::mem::take(&mut *UNTOLD.lock().unwrap_or_else(PoisonError::into_inner));
    if held.is_empty() && !client::has_to_tell() {
        return;
    }
    let is_shown = is_shown();
    client::tell(is_shown);
    for (counting, held) in held.into_iter().filter(|_| is_shown) {
        let counter = Counter::new(counting, Arc::new(SystemClock::default()));
        counter.add_held(held);
        counter.close();
    }
}
