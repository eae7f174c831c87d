//! Checks the folders that tersed writes to, and who else may access them.

use std::path::{Path, PathBuf};

use super::{Finding, events, shown};
use crate::artifact::vault::{conversations_folder, user_folder};
use crate::config::{Config, Recovery, RecoveryMode};
use crate::install::Place;
use crate::telemetry::check_there;
use crate::telemetry::event::Event;

const AREA: &str = "folders";

pub(super) fn check(place: &Place, config: &Config) -> Vec<Finding> {
    let mut all = Vec::new();
    let temporary = std::env::temp_dir();
    all.push(match tempfile::tempfile_in(&temporary) {
        Ok(_) => Finding::ok(AREA, format!("{}: large originals go there", shown(&temporary))),
        Err(e) => Finding::fault(
            AREA,
            format!("{}: {e}", shown(&temporary)),
            "make it writable, or name another folder in TMPDIR: large originals go there".to_owned(),
        ),
    });
    let originals = config.recovery.directory.clone().or_else(user_folder);
    if let Some(folder) = originals {
        let is_used = config.recovery.mode != RecoveryMode::Never;
        all.extend(private(&folder, "originals on disk", is_used));
    }
    if let Some(folder) = conversations_folder() {
        let what = "originals of hooks, `tersed run` and `tersed gateway`, for a week (`recovery.mode: never` turns this off)";
        // Any setting of recovery replaces this folder.
        all.extend(private(&folder, what, config.recovery == Recovery::default()));
    }
    all.extend(private(&place.state(), "copies of settings of hosts", false));
    if let Some(file) = events(config).filter(|_| config.telemetry.enabled) {
        all.extend(telemetry(&file));
    }
    all.extend(sockets());
    all.extend(crate::engine::seal_key::why_unusable().map(|fault| {
        let fix = "remove it: a new key is created, and markers with the old seal count as ordinary text"
            .to_owned();
        Finding::note(
            AREA,
            format!("{fault}; each process seals its markers with a key of its own"),
            Some(fix),
        )
    }));
    all
}

/// Checks that nobody else can access a folder.
fn private(folder: &Path, what: &str, is_used: bool) -> Option<Finding> {
    let about = match std::fs::symlink_metadata(folder) {
        Ok(about) => about,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return is_used.then(|| to_be_made(folder, what));
        }
        Err(e) => {
            let fix = "give yourself access to the folders above it".to_owned();
            return Some(Finding::fault(AREA, format!("{}: {e}", shown(folder)), fix));
        }
    };
    let text = |why: &str| format!("{}, {what}: {why}", shown(folder));
    if !about.is_dir() {
        let fix = format!("remove {}", shown(folder));
        return Some(Finding::fault(AREA, text("is a link or no folder"), fix));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (own, mode) = (rustix::process::geteuid().as_raw(), about.mode() & 0o777);
        if about.uid() != own {
            let fix = format!("remove it, or give it to this user: chown {own} {}", shown(folder));
            return Some(Finding::fault(AREA, text("belongs to another user"), fix));
        }
        if mode & 0o077 != 0 {
            let fix = format!("chmod 700 {}", shown(folder));
            return Some(Finding::fault(AREA, text(&format!("has mode {mode:04o}, allowed is 0700")), fix));
        }
    }
    Some(Finding::ok(AREA, text("nobody else may enter")))
}

/// Checks that a folder that does not exist yet can be made.
fn to_be_made(folder: &Path, what: &str) -> Finding {
    let above = folder.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok());
    match above.map(|above| (above, tempfile::tempfile_in(above))) {
        Some((above, Err(e))) => Finding::fault(
            AREA,
            format!("{}, {what}: {e}", shown(folder)),
            format!("make {} a folder that you may write to", shown(above)),
        ),
        _ => Finding::ok(AREA, format!("{}: {what} will go there", shown(folder))),
    }
}

fn telemetry(file: &Path) -> Option<Finding> {
    // The nearest existing folder must allow new files.
    let folder = file.ancestors().skip(1).find(|folder| folder.is_dir())?;
    let is_writable = match file.symlink_metadata().is_ok() {
        true => check_there(file, Event::is_header),
        false => tempfile::tempfile_in(folder).map(|_| ()),
    };
    Some(match is_writable {
        Ok(()) => Finding::ok(AREA, format!("{}: events are written there", shown(file))),
        Err(e) => Finding::fault(
            AREA,
            format!("{}, events: {e}", shown(file)),
            "make it writable, or name another file in telemetry.path".to_owned(),
        ),
    })
}

/// Folders that may hold sockets of resident processes: the session's runtime folder, else the one for temporary files.
#[cfg(unix)]
fn socket_folders() -> Vec<PathBuf> {
    let of_session = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let user = rustix::process::geteuid().as_raw();
    let temporary = std::env::temp_dir().join(format!("tersed-{user}"));
    of_session.map(|folder| folder.join("tersed")).into_iter().chain([temporary]).collect()
}

/// Counts resident processes that answer, and sockets whose process has ended.
#[cfg(unix)]
fn sockets() -> Vec<Finding> {
    use crate::host::resident::connect::connect;
    use std::time::{Duration, Instant};

    /// How long a resident process may take to accept a connection.
    const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

    let mut all = Vec::new();
    for folder in socket_folders() {
        let Some(finding) = private(&folder, "sockets of resident processes", false) else { continue };
        let is_ok = finding.state == super::State::Ok;
        all.push(finding);
        if !is_ok {
            continue;
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let sockets: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|end| end == "sock")).collect();
        // A process that hangs accepts no connection.
        let answer = |socket: &&PathBuf| connect(socket, Instant::now() + CONNECT_TIMEOUT).is_ok();
        let alive = sockets.iter().filter(answer).count();
        all.push(Finding::ok(AREA, format!("resident processes that answer: {alive}")));
        if alive < sockets.len() {
            let text = format!("sockets of processes that are gone: {}", sockets.len() - alive);
            all.push(Finding::note(
                AREA,
                text,
                Some("nothing: the next event of a host takes them over".to_owned()),
            ));
        }
    }
    all
}

#[cfg(not(unix))]
fn sockets() -> Vec<Finding> {
    Vec::new()
}
