//! The side that asks: finds the resident process, starts it where there is none, and gives up in time.
//!
//! Starts nothing heavy: no settings are read, no engine is made.

use std::io;
use std::time::{Duration, Instant};

use super::place::Place;
use super::wire::{Answer, Reply, Request};

/// How a client asks.
#[derive(Debug, Clone)]
pub struct Client {
    /// Where.
    pub place: Place,
    /// Flags for a process that has to be started: settings first, then what else it takes.
    pub settings: Vec<String>,
    /// When the asking ends.
    pub until: Instant,
}

#[cfg(unix)]
mod system {
    use std::fs::{File, OpenOptions, TryLockError};
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    use super::{Answer, Client, Duration, Instant, Reply, Request, io};
    use crate::host::resident::connect::connect;
    use crate::host::resident::wire;

    /// How long is waited between two looks at a process that starts.
    const STEP: Duration = Duration::from_millis(2);

    impl Client {
        /// Asks the resident process, which is started if there is none.
        ///
        /// # Errors
        /// There is none and none could be started, it gave no answer in time, or no sensible one.
        pub fn ask(&self, request: &Request, content: &[u8]) -> io::Result<(Answer, Vec<u8>)> {
            let stream = match self.connect() {
                Ok(stream) => stream,
                Err(error) if is_absence(&error) => self.start()?,
                Err(error) => return Err(error),
            };
            self.talk(stream, request, content)
        }

        /// Asks one that is there.
        ///
        /// # Errors
        /// There is none, or as for [`Client::ask`].
        pub fn ask_at(&self, socket: &Path, request: &Request) -> io::Result<(Reply, Vec<u8>)> {
            let (answer, content) = self.talk(self.checked(connect(socket, self.until)?)?, request, b"")?;
            Ok((answer.reply, content))
        }

        fn connect(&self) -> io::Result<UnixStream> {
            self.checked(connect(&self.place.socket(), self.until)?)
        }

        /// The connection, if a process of this user is at its other end.
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
            // A socket whose time is over says that it would block.
            wire::read(&mut stream).map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock => io::Error::from(io::ErrorKind::TimedOut),
                _ => error,
            })
        }

        /// Starts the process, unless another client is about to, and connects.
        fn start(&self) -> io::Result<UnixStream> {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600);
            // The lock goes with the process that holds it, so that a file that was left behind locks nothing.
            let lock = options.open(self.place.starting())?;
            let mut child: Option<Child> = None;
            loop {
                match self.connect() {
                    Err(error) if is_absence(&error) => {}
                    done => return done,
                }
                let is_ours = child.is_some() || is_locked_now(&lock)?;
                if is_ours && child.is_none() {
                    // The one that held the lock may just have done it.
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
                std::thread::sleep(STEP.min(self.left()?));
            }
        }

        /// A process that holds nothing of ours: no descriptor that a host waits for the end of, no session.
        fn spawn(&self) -> io::Result<Child> {
            close_fds::set_fds_cloexec(3, &[]);
            let mut command = Command::new(std::env::current_exe()?);
            command.arg0("tersed").arg("resident").args(&self.settings);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.current_dir(&self.place.workspace);
            command.spawn()
        }
    }

    /// Whether there is no process behind a socket, rather than one that does not answer.
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

/// Elsewhere there is no resident process yet: every client does its work itself.
#[cfg(not(unix))]
impl Client {
    /// Nobody is there.
    ///
    /// # Errors
    /// Always.
    pub fn ask(&self, _: &Request, _: &[u8]) -> io::Result<(Answer, Vec<u8>)> {
        let _ = (&self.place, &self.settings, self.until, Duration::ZERO);
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// Nobody is there.
    ///
    /// # Errors
    /// Always.
    pub fn ask_at(&self, _: &std::path::Path, _: &Request) -> io::Result<(Reply, Vec<u8>)> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}
