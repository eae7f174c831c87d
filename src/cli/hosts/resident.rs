//! `tersed resident`: the process that `tersed hook` and `tersed run` share. They start it; there is no need to start it by
//! hand.

use std::time::Duration;

use super::Failure;
use crate::cli::call::PolicyArgs;

/// Arguments of `resident`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It answers over a socket in $XDG_RUNTIME_DIR/tersed, or in tersed-UID among the temporary files, \
    which only its user can reach: one for each workspace, program and set of settings. It ends after --idle without \
    a request, --linger after the last host that used it has ended, on SIGTERM, and when its socket is removed."
)]
pub struct Args {
    /// Time without a request after which it ends.
    #[arg(long, value_name = "TIME", default_value = "2h", value_parser = crate::cli::mistake::duration)]
    idle: Duration,
    /// Time to wait for another host after the last one has ended.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = crate::cli::mistake::duration)]
    linger: Duration,
    /// Process that it belongs to, in addition to its clients.
    #[arg(long, value_name = "PID")]
    owner: Option<u32>,
    // Last, because arguments after it would stand under its heading in the help.
    #[command(flatten)]
    policy: PolicyArgs,
}

/// Serves until there is a reason to end.
#[cfg(unix)]
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    use crate::cli::counting::counting;
    use crate::engine::{Settings, seal_key};
    use crate::host::Host;
    use crate::host::resident::place::{Place, mark};
    use crate::host::resident::serve::{Ends, serve};

    let folder = std::env::current_dir().map_err(|e| format!("the working directory: {e}"))?;
    let place = Place::of(&folder, &args.policy.given()).map_err(|e| e.to_string())?;
    let loaded = args.policy.load()?;
    let mut settings = Settings::of(&loaded.resolved.config);
    // Nobody reads its messages. Without the key file, a key of this process is used.
    let _ = seal_key::ensure(&mut settings.policy);
    if !loaded.resolved.says_what_is_kept()
        && let Some(recovery) = Host::of_conversations()
    {
        settings.recovery = recovery;
    }
    settings.counting = counting(&loaded.resolved.config, "other");
    settings.workspace = mark();
    settings.layers = Some((loaded.sources, loaded.layers));
    let ends = Ends { idle: args.idle, linger: args.linger, owner: args.owner };
    serve(&place, ends, Host::resident(settings))
        .map_err(|e| format!("{}: {e}", place.socket().display()))?;
    Ok(())
}

/// Other systems have no resident process yet.
#[cfg(not(unix))]
pub(super) fn run(_: &Args) -> Result<(), Failure> {
    Err("there is no resident process on this system: each event is worked on by itself".to_owned().into())
}
