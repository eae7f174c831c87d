//! `tersed gateway`.

use std::ffi::OsString;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{ExitCode, ExitStatus};

use tempfile::NamedTempFile;
use tokio::process::{Child, Command};

use super::call::PolicyArgs;
use super::counting::counting;
use super::{Failure, done, out};
use crate::config::Recovery;
use crate::engine::{Engine, Settings, seal_key};
use crate::gateway::launch::{Launch, api_of, launch};
use crate::gateway::{Gateway, Listening, Upstreams};
use crate::host;
use crate::protocol::reclaim::ReclaimMode;

/// Smaller originals, in bytes, get no line that says how to read them.
const MIN_ORIGINAL_BYTES: usize = 2048;
/// Originals of which fewer bytes were left out get no such line either.
const MIN_SAVED_BYTES: usize = 1024;

/// Arguments of `gateway`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed gateway -- claude\n  \
    tersed gateway -- codex\n  \
    tersed gateway --mode aggressive -- opencode\n  \
    tersed gateway --listen 127.0.0.1:8787\n  \
    tersed gateway --upstream anthropic=https://gateway.example.com -- claude\n\n\
    It speaks the APIs of Anthropic (messages), OpenAI (responses, chat completions) and Gemini. It changes the texts of tool \
    results in requests; everything else, with keys and logins, is passed on byte for byte. Of requests and answers, nothing \
    is written to disk except copies of originals in the user's own folder. A request that it cannot read, or not within ten seconds, is passed on \
    unchanged. Read in your provider's terms whether they allow it for your subscription.\n\n\
    With a command it ends when the command ends, with its exit status, 128 plus the signal that ended it, or 127 if it \
    cannot be started.")]
pub struct Args {
    /// Where to listen: an address of this machine. Port 0 means any free port; without a command the address is
    /// printed.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0", value_parser = crate::cli::mistake::address)]
    listen: SocketAddr,
    /// Address of an API, for example `anthropic=URL`; the others are `openai`, `gemini` and `code-assist`. May be repeated.
    /// Default: the variables ANTHROPIC_BASE_URL, OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL and CODE_ASSIST_ENDPOINT, then the
    /// providers' own addresses.
    #[arg(long, value_name = "[API=]URL")]
    upstream: Vec<String>,
    /// Whether to remove results that the agent no longer needs, when that saves money despite the provider's cache.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Reclaim::Off)]
    reclaim: Reclaim,
    /// The agent host, after `--`: it is started so that it sends its requests to the gateway.
    #[arg(value_name = "COMMAND", last = true)]
    command: Vec<OsString>,
    // Last, because arguments after it would stand under its heading in the help.
    #[command(flatten)]
    policy: PolicyArgs,
}

/// When results are removed from a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Reclaim {
    /// Never.
    Off,
    /// In batches, when that pays.
    Auto,
}

/// Serves until the command ends, or until a signal ends this process.
pub fn run(args: &Args) -> ExitCode {
    match start(args) {
        Ok(code) => code,
        Err(failure) => done(Err(failure)),
    }
}

fn start(args: &Args) -> Result<ExitCode, Failure> {
    let variable = |name: &str| std::env::var(name).ok();
    Listening::allowed(args.listen).map_err(|why| Failure::value(format!("--listen {why}")))?;
    let mut upstreams = Upstreams::default();
    for given in &args.upstream {
        upstreams.add(given).map_err(|why| Failure::value(format!("--upstream {why}")))?;
    }
    upstreams.add_environment(variable)?;
    upstreams.set_host(api_of(&args.command));
    let engine = engine(args)?;
    let reclaim = match args.reclaim {
        Reclaim::Off => ReclaimMode::Off,
        Reclaim::Auto => ReclaimMode::Auto,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|e| format!("the runtime: {e}"))?;
    let code = runtime.block_on(async {
        let listening = Listening::on(args.listen).await?;
        let address = listening.address;
        let gateway = Gateway::new(engine, upstreams, reclaim, &listening)?;
        let code = if args.command.is_empty() {
            out::print(format!("http://{address}\n"))?;
            tokio::select! {
                never = gateway.serve(listening) => match never {},
                () = ended_by_signal() => ExitCode::SUCCESS,
            }
        } else {
            let child = spawn(launch(&args.command, address, variable)?);
            tokio::select! {
                never = gateway.serve(listening) => match never {},
                code = async { match child {
                    Ok(mut host) => ended(&mut host.child).await,
                    Err(message) => {
                        out::print_message(&message);
                        ExitCode::from(127)
                    }
                } } => code,
            }
        };
        gateway.close();
        if !gateway.totals().is_empty() {
            out::note(&format!("tersed gateway: {}", gateway.totals()));
        }
        Ok::<_, Failure>(code)
    });
    // A connection that is still open keeps nothing.
    runtime.shutdown_background();
    code
}

fn engine(args: &Args) -> Result<Engine, Failure> {
    let loaded = args.policy.load()?;
    let mut settings = Settings::of(&loaded.resolved.config);
    if let Err(note) = seal_key::ensure(&mut settings.policy) {
        out::print_message(&format!("{note}; a temporary key of this process is used"));
    }
    if !loaded.resolved.says_what_is_kept()
        && let Some(recovery) = host::Host::of_conversations()
    {
        let (min_original_bytes, min_saved_bytes) = (MIN_ORIGINAL_BYTES, MIN_SAVED_BYTES);
        settings.recovery = Recovery { min_original_bytes, min_saved_bytes, hint_in_text: true, ..recovery };
    }
    settings.policy.ids_visible = false;
    settings.counting = counting(&loaded.resolved.config, "gateway");
    settings.workspace = crate::host::resident::place::mark();
    settings.layers = Some((loaded.sources, loaded.layers));
    Ok(Engine::new(settings))
}

/// A host that was started, and the file of its extension, which is deleted with this value.
struct Host {
    child: Child,
    _extension: Option<NamedTempFile>,
}

fn spawn(launch: Launch) -> Result<Host, String> {
    let Some((program, arguments)) = launch.command.split_first() else {
        return Err("no command was given".to_owned());
    };
    let mut command = Command::new(program);
    let extension = launch.extension.map(|text| written(&text)).transpose();
    let extension = extension.map_err(|e| format!("the file of an extension: {e}"))?;
    if let Some(file) = &extension {
        command.arg("-e").arg(file.path());
    }
    command.args(arguments).envs(launch.env).kill_on_drop(true);
    let child = command.spawn().map_err(|e| format!("{}: {e}", program.to_string_lossy()))?;
    Ok(Host { child, _extension: extension })
}

/// A private file of JavaScript.
fn written(text: &str) -> std::io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("tersed-gateway-").suffix(".js").tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Waits until a child ends. Signals from a terminal reach it by themselves; those sent to this process are passed on.
#[cfg(unix)]
async fn ended(child: &mut Child) -> ExitCode {
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let signals =
        (signal(SignalKind::hangup()), signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut hangup), Ok(mut interrupt), Ok(mut terminate)) = signals else {
        return code(child.wait().await);
    };
    loop {
        let signal = tokio::select! {
            status = child.wait() => return code(status),
            _ = hangup.recv() => Signal::HUP,
            // The terminal sends it to both.
            _ = interrupt.recv() => continue,
            _ = terminate.recv() => Signal::TERM,
        };
        if let Some(pid) = pid {
            // It may just have ended.
            let _ = kill_process(pid, signal);
        }
    }
}

#[cfg(not(unix))]
async fn ended(child: &mut Child) -> ExitCode {
    loop {
        tokio::select! {
            status = child.wait() => return code(status),
            _ = tokio::signal::ctrl_c() => {}
        }
    }
}

fn code(status: std::io::Result<ExitStatus>) -> ExitCode {
    match status {
        Ok(status) => super::exit_code(status),
        Err(e) => {
            out::print_message(&format!("the command: {e}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
async fn ended_by_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let signals =
        (signal(SignalKind::hangup()), signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let (Ok(mut hangup), Ok(mut interrupt), Ok(mut terminate)) = signals else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = hangup.recv() => {}
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn ended_by_signal() {
    let _ = tokio::signal::ctrl_c().await;
}
