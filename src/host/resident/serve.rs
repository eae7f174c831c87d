//! The server side: one socket, a thread for each connection, and the conditions for its end.
//!
//! It ends when no request came for a while, when all its owners have ended, when it is told to, and when its socket was
//! removed or replaced.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::answer::{answer, undelivered};
use super::place::Place;
use super::wire::{self, Answer, Reply, Request};
use crate::host::Host;
use crate::telemetry::counts::Held;

/// When a resident process ends.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    /// After this long without a request.
    pub idle: Duration,
    /// This long after the last owner has ended, unless a request comes.
    pub linger: Duration,
    /// The first owner.
    pub owner: Option<u32>,
}

/// Most open connections; later ones wait.
const MAX_CONNECTIONS: usize = 64;
/// Most owners that are watched.
const MAX_OWNERS: usize = 64;
/// How long a client may take to send its request, or to read the answer.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a client may take to say that the output of its command was written.
const SHOWN_TIMEOUT: Duration = Duration::from_secs(5);
/// How often to check the socket and, if the system does not report their end, the owners.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How long to wait for counts of answers on their way: a client may be slow to read.
const COUNT_TIMEOUT: Duration = Duration::from_millis(200);
/// How long open requests may still take when the process ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The engine and the state that all connections share.
struct Shared {
    host: Host,
    owners: Mutex<Owners>,
    /// Number of open connections.
    open: AtomicUsize,
    /// Number of answers on their way, which are counted when they have arrived.
    uncounted: AtomicUsize,
    /// Time of the last request.
    asked: Mutex<Instant>,
    /// Read again when files of settings change.
    settings: Mutex<Vec<Stamp>>,
    /// The notes on settings that clients have received.
    sent_notes: Mutex<Vec<String>>,
}

/// What changes with a file: its device and number, its size, and both of its times. A program can set the time of the last
/// writing, but not that of the last change.
type Stamp = Option<[i64; 7]>;

/// Serves until a reason to end occurs.
///
/// # Errors
///
/// Another process serves this place, or the socket cannot be created.
pub fn serve(place: &Place, ends: Ends, host: Host) -> io::Result<()> {
    // Leaves the parent's session, so that closing its terminal does not end this process.
    let _ = rustix::process::setsid();
    widen();
    let _running = claim(&place.running())?;
    let path = place.socket();
    let listener = bind(&path)?;
    let own = identity(&path);
    let (signalled, signal_end) = UnixStream::pair()?;
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        signal_hook::low_level::pipe::register(signal, signal_end.try_clone()?)?;
    }
    let (woken, wake) = UnixStream::pair()?;
    woken.set_nonblocking(true)?;
    let mut owners = Owners::default();
    if let Some(owner) = ends.owner {
        owners.add(owner);
    }
    let shared = Arc::new(Shared {
        host,
        owners: Mutex::new(owners),
        open: AtomicUsize::new(0),
        uncounted: AtomicUsize::new(0),
        asked: Mutex::new(Instant::now()),
        // The first request reads the settings again, because they may have changed since the start.
        settings: Mutex::default(),
        sent_notes: Mutex::default(),
    });
    let _ = std::env::set_current_dir("/");
    let mut alone_since = None;
    loop {
        if identity(&path) != own {
            break;
        }
        let now = Instant::now();
        let idle = now.saturating_duration_since(*locked(&shared.asked));
        let is_busy = shared.open.load(Ordering::SeqCst) > 0;
        alone_since = match locked(&shared.owners).are_gone() {
            true => alone_since.or(Some(now)),
            false => None,
        };
        let is_left = alone_since.is_some_and(|since: Instant| now - since >= ends.linger);
        if !is_busy && (idle >= ends.idle || is_left) {
            break;
        }
        match wait(&listener, &signalled, &woken, &shared, ends) {
            Some(Event::Connection) => accept(&listener, &shared, &wake),
            Some(Event::Signal) => break,
            None => {}
        }
    }
    if identity(&path) == own {
        let _ = std::fs::remove_file(&path);
    }
    let until = Instant::now() + SHUTDOWN_TIMEOUT;
    while shared.open.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    shared.host.engine().close();
    Ok(())
}

enum Event {
    Connection,
    Signal,
}

/// Waits for an event, at most one tick or until the process should end.
fn wait(
    listener: &UnixListener,
    signalled: &UnixStream,
    woken: &UnixStream,
    shared: &Shared,
    ends: Ends,
) -> Option<Event> {
    let owners = locked(&shared.owners).descriptors();
    let is_full = shared.open.load(Ordering::SeqCst) >= MAX_CONNECTIONS;
    let mut fds = vec![PollFd::new(signalled, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
    if !is_full {
        fds.push(PollFd::new(listener, PollFlags::IN));
    }
    let first_owner = fds.len();
    fds.extend(owners.iter().map(|owner| PollFd::from_borrowed_fd(owner.as_fd(), PollFlags::IN)));
    let time = CHECK_INTERVAL.min(ends.idle).min(ends.linger.max(Duration::from_millis(10)));
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
    if poll(&mut fds, Some(&time)).is_err() {
        return None;
    }
    let is_ready = |fd: &PollFd<'_>| !fd.revents().is_empty();
    if is_ready(&fds[0]) {
        return Some(Event::Signal);
    }
    if is_ready(&fds[1]) {
        let _ = (&*woken).read(&mut [0; 64]);
    }
    let gone: Vec<usize> =
        (first_owner..fds.len()).filter(|&i| is_ready(&fds[i])).map(|i| i - first_owner).collect();
    let is_asked = !is_full && is_ready(&fds[2]);
    drop(fds);
    if !gone.is_empty() {
        locked(&shared.owners).remove(&gone.iter().map(|&i| owners[i].clone()).collect::<Vec<_>>());
    }
    is_asked.then_some(Event::Connection)
}

fn accept(listener: &UnixListener, shared: &Arc<Shared>, wake: &UnixStream) {
    let Ok((stream, _)) = listener.accept() else { return };
    let Ok(wake) = wake.try_clone() else { return };
    shared.open.fetch_add(1, Ordering::SeqCst);
    let held = Arc::clone(shared);
    let started = std::thread::Builder::new().name("tersed".to_owned()).spawn(move || {
        let _ = catch_unwind(AssertUnwindSafe(|| serve_connection(&held, stream)));
        *locked(&held.asked) = Instant::now();
        held.open.fetch_sub(1, Ordering::SeqCst);
        let _ = io::Write::write(&mut &wake, b"x");
    });
    if started.is_err() {
        shared.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Serves one connection.
fn serve_connection(shared: &Shared, mut stream: UnixStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(CLIENT_TIMEOUT))?;
    stream.set_write_timeout(Some(CLIENT_TIMEOUT))?;
    let client = peer(&stream)?;
    let (request, content): (Request, Vec<u8>) = wire::read(&mut stream)?;
    let mut notes = Vec::new();
    if let Request::Hook { owner, .. } | Request::Run { owner, .. } = &request {
        let owner = owner.or_else(|| owner_of(client));
        if let Some(owner) = owner {
            locked(&shared.owners).add(owner);
        }
        refresh(shared);
        notes = new_notes(shared);
    }
    if request == Request::Counts {
        wait_for_counts(shared);
    }
    let fault = |_| (Reply::Nothing, Vec::new(), Held::default());
    let (reply, new, held) =
        catch_unwind(AssertUnwindSafe(|| answer(&shared.host, &request, &content))).unwrap_or_else(fault);
    let answer = Answer { reply, notes };
    // A client that gave up has closed its end.
    shared.uncounted.fetch_add(1, Ordering::SeqCst);
    let written = wire::write(&mut stream, &answer, &new);
    match &written {
        Ok(()) if matches!(request, Request::Run { .. }) && is_lost(&mut stream) => {}
        Ok(()) => shared.host.engine().count_held(held),
        Err(_) => {
            locked(&shared.sent_notes).retain(|note| !answer.notes.contains(note));
            undelivered(&shared.host, &request, &content, held);
        }
    }
    shared.uncounted.fetch_sub(1, Ordering::SeqCst);
    written
}

/// Whether the client says that the output of its command could not be written. If it says nothing, the output counts.
fn is_lost(stream: &mut UnixStream) -> bool {
    let mut said = [0; 1];
    let read = stream.set_read_timeout(Some(SHOWN_TIMEOUT)).and_then(|()| stream.read(&mut said));
    read.is_ok_and(|read| read == 1) && said == *wire::LOST
}

/// Waits for a moment until the answers that clients already have are counted.
fn wait_for_counts(shared: &Shared) {
    let until = Instant::now() + COUNT_TIMEOUT;
    while shared.uncounted.load(Ordering::SeqCst) > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Faults and ignored settings that no client has been told yet. A fault that was fixed and comes back is reported again.
fn new_notes(shared: &Shared) -> Vec<String> {
    let notes = shared.host.engine().notes_on_settings();
    let sent = std::mem::replace(&mut *locked(&shared.sent_notes), notes.clone());
    notes.into_iter().filter(|note| !sent.contains(note)).collect()
}

/// The process id of the client, which must belong to the same user.
#[cfg(target_os = "linux")]
fn peer(stream: &UnixStream) -> io::Result<Option<u32>> {
    let peer = rustix::net::sockopt::socket_peercred(stream)?;
    if peer.uid != rustix::process::geteuid() {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    Ok(u32::try_from(peer.pid.as_raw_nonzero().get()).ok())
}

/// On other systems the private folder alone protects the socket.
#[cfg(not(target_os = "linux"))]
fn peer(_: &UnixStream) -> io::Result<Option<u32>> {
    Ok(None)
}

#[cfg(target_os = "linux")]
fn owner_of(client: Option<u32>) -> Option<u32> {
    super::owner::of(client?)
}

#[cfg(not(target_os = "linux"))]
fn owner_of(_: Option<u32>) -> Option<u32> {
    None
}

/// Reads the settings again if one of their files, or of the files of rules that they name, changed. A trusted file that
/// changed must not count any longer. Settings that cannot be read change nothing.
fn refresh(shared: &Shared) {
    let mut seen = locked(&shared.settings);
    let now = stamps(&shared.host);
    if now != *seen {
        *seen = now;
        let _ = shared.host.engine().reload_configuration();
    }
}

/// The stamps of all possible files of settings and of the files of rules.
fn stamps(host: &Host) -> Vec<Stamp> {
    let stamp = |path: &std::path::PathBuf| {
        let about = std::fs::metadata(path).ok()?;
        Some([
            about.dev().cast_signed(),
            about.ino().cast_signed(),
            about.size().cast_signed(),
            about.mtime(),
            about.mtime_nsec(),
            about.ctime(),
            about.ctime_nsec(),
        ])
    };
    host.engine().places_of_settings().iter().map(stamp).collect()
}

/// Raises the limits that were inherited from the first client as far as allowed. They are meant for its command,
/// and this process also serves other clients.
fn widen() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};
    for resource in
        [Resource::As, Resource::Cpu, Resource::Data, Resource::Fsize, Resource::Nofile, Resource::Stack]
    {
        let maximum = getrlimit(resource).maximum;
        let _ = setrlimit(resource, Rlimit { current: maximum, maximum });
    }
    // Files that this process creates are readable only by its user.
    let _ = umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// The lock that shows that this process runs; it ends with the process.
fn claim(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    file.try_lock().map_err(|_| io::Error::from(io::ErrorKind::AddrInUse))?;
    Ok(file)
}

/// Creates the socket, and removes a left-over one. The caller holds the lock.
fn bind(path: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Identifies a socket file, to notice a replacement.
fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::symlink_metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

/// The processes that this one belongs to.
#[derive(Debug, Default)]
struct Owners {
    alive: Vec<(u32, Option<Arc<OwnedFd>>)>,
    were_any: bool,
}

impl Owners {
    fn add(&mut self, pid: u32) {
        if self.alive.iter().any(|(known, _)| *known == pid) || self.alive.len() >= MAX_OWNERS {
            return;
        }
        self.were_any = true;
        if is_alive(pid) {
            self.alive.push((pid, descriptor(pid).map(Arc::new)));
        }
    }

    fn descriptors(&self) -> Vec<Arc<OwnedFd>> {
        self.alive.iter().filter_map(|(_, descriptor)| descriptor.clone()).collect()
    }

    fn remove(&mut self, gone: &[Arc<OwnedFd>]) {
        let is_gone = |one: &Arc<OwnedFd>| gone.iter().any(|gone| Arc::ptr_eq(gone, one));
        self.alive.retain(|(_, descriptor)| !descriptor.as_ref().is_some_and(is_gone));
    }

    /// Whether there were owners and all have ended.
    fn are_gone(&mut self) -> bool {
        self.alive.retain(|(pid, descriptor)| descriptor.is_some() || is_alive(*pid));
        self.were_any && self.alive.is_empty()
    }
}

fn is_alive(pid: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// A descriptor that reports the end of a process, also if its id is used again.
#[cfg(target_os = "linux")]
fn descriptor(pid: u32) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn descriptor(_: u32) -> Option<OwnedFd> {
    None
}

fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
