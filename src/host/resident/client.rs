//! The client side: finds the resident process, starts it if there is none, and gives up in time.
//!
//! It is fast: it reads no settings and creates no engine.

use std::io;
use std::time::{Duration, Instant};
#[cfg(unix)]
pub use system::{has_to_tell, tell};

use super::place::Place;
use super::wire::{Answer, Reply, Request};

/// Settings for requests.
#[derive(Debug, Clone)]
pub struct Client {
    /// The place of the resident process.
    pub place: Place,
    /// Flags for a process that has to be started: settings first, then the others.
    pub settings: Vec<String>,
    /// When to give up.
    pub until: Instant,
}

#[cfg(unix)]
mod system {
    use std::fs::{File, OpenOptions, TryLockError};
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::sync::{Mutex, PoisonError};

    use super::{Answer, Client, Duration, Instant, Reply, Request, io};
    use crate::host::resident::connect::connect;
    use crate::host::resident::wire;

    /// Connections over which outputs of commands came. Their other ends wait to hear whether they were shown.
    static UNTOLD: Mutex<Vec<UnixStream>> = Mutex::new(Vec::new());

    /// Tells the resident process whether the outputs that it compressed for this one were shown. Without that it counts
    /// them as shown, after a while or when this process ends.
    pub fn tell(is_shown: bool) {
        for mut stream in UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = stream.write_all(if is_shown { wire::SHOWN } else { wire::LOST });
        }
    }

    /// Whether there is something to tell.
    pub fn has_to_tell() -> bool {
        !UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Pause between two attempts to reach a starting process.
    const RETRY_PAUSE: Duration = Duration::from_millis(2);

    impl Client {
        /// Asks the resident process, and starts it if there is none.
        ///
        /// # Errors
        ///
        /// No process is there and none could be started, or it gave no valid answer in time.
        pub fn ask(&self, request: &Request, content: &[u8]) -> io::Result<(Answer, Vec<u8>)> {
            let stream = match self.connect() {
                Ok(stream) => stream,
                Err(error) if is_absence(&error) => self.start()?,
                Err(error) => return Err(error),
            };
            self.talk(stream, request, content)
        }

        /// Asks the process behind `socket`.
        ///
        /// # Errors
        ///
        /// No process is there, or as for [`Client::ask`].
        pub fn ask_at(&self, socket: &Path, request: &Request) -> io::Result<(Reply, Vec<u8>)> {
            let (answer, content) = self.talk(self.checked(connect(socket, self.until)?)?, request, b"")?;
            Ok((answer.reply, content))
        }

        fn connect(&self) -> io::Result<UnixStream> {
            self.checked(connect(&self.place.socket(), self.until)?)
        }

        /// The connection, if its other end belongs to the same user.
        fn checked(&self, stream: UnixStream) -> io::Result<UnixStream> {
            #[cfg(target_os = "linux")]
            {
                let peer = rustix::net::sockopt::socket_peercred(&stream)?;
                if peer.uid != rustix::process::geteuid() {
                    return Err(io::Error::from(io::ErrorKind::PermissionDenied));
                }
            }
            Ok(stream)
        }

        fn left(&self) -> io::Result<Duration> {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() { Err(io::Error::from(io::ErrorKind::TimedOut)) } else { Ok(left) }
        }

        fn talk(
            &self,
            mut stream: UnixStream,
            request: &Request,
            content: &[u8],
        ) -> io::Result<(Answer, Vec<u8>)> {
            stream.set_write_timeout(Some(self.left()?))?;
            wire::write(&mut stream, request, content)?;
            stream.set_read_timeout(Some(self.left()?))?;
            // A socket reports a timeout as "would block".
            let answer = wire::read(&mut stream).map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock => io::Error::from(io::ErrorKind::TimedOut),
                _ => error,
            })?;
            if matches!(request, Request::Run { .. }) {
                UNTOLD.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
            }
            Ok(answer)
        }

        /// Starts the process, unless another client is starting it, and connects.
        fn start(&self) -> io::Result<UnixStream> {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600);
            // The lock ends with the process that holds it, so a left-over file locks nothing.
            let lock = options.open(self.place.starting())?;
            let mut child: Option<Child> = None;
            loop {
                match self.connect() {
                    Err(error) if is_absence(&error) => {}
                    done => return done,
                }
                let is_ours = child.is_some() || is_locked_now(&lock)?;
                if is_ours && child.is_none() {
                    // The previous holder of the lock may have started it.
                    match self.connect() {
                        Err(error) if is_absence(&error) => child = Some(self.spawn()?),
                        done => return done,
                    }
                }
                if let Some(child) = &mut child
                    && child.try_wait()?.is_some()
                {
                    return match self.connect() {
                        Err(_) => Err(io::Error::other("the resident process ended")),
                        done => done,
                    };
                }
                std::thread::sleep(RETRY_PAUSE.min(self.left()?));
            }
        }

        /// Starts a process that inherits no descriptor that a host waits on, and no session.
        fn spawn(&self) -> io::Result<Child> {
            close_fds::set_fds_cloexec(3, &[]);
            let mut command = Command::new(std::env::current_exe()?);
            command.arg0("tersed").arg("resident").args(&self.settings);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.current_dir(&self.place.workspace);
            command.spawn()
        }
    }

    /// Whether no process listens on a socket, as opposed to one that does not answer.
    fn is_absence(error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
    }

    fn is_locked_now(lock: &File) -> io::Result<bool> {
        match lock.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// On other systems there is no resident process to tell anything.
#[cfg(not(unix))]
pub fn tell(_: bool) {}

/// On other systems there is nothing to tell.
#[cfg(not(unix))]
pub fn has_to_tell() -> bool {
    false
}

/// On other systems there is no resident process: every client does its work itself.
#[cfg(not(unix))]
impl Client {
    /// Always fails: there is no resident process.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn ask(&self, _: &Request, _: &[u8]) -> io::Result<(Answer, Vec<u8>)> {
        let _ = (&self.place, &self.settings, self.until, Duration::ZERO);
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// Always fails: there is no resident process.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn ask_at(&self, _: &std::path::Path, _: &Request) -> io::Result<(Reply, Vec<u8>)> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}
