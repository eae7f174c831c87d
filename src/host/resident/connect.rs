//! Connects to a resident process, with a time limit. A process that hangs accepts no connection, so a client would
//! otherwise wait in its queue without end.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect as connect_to, socket};

/// Connects to the socket at `path`. Waits for a place in its queue until `until` at most.
///
/// # Errors
///
/// There is no such socket, no process listens, or its queue stayed full.
pub fn connect(path: &Path, until: Instant) -> io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path)?;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        let stream = UnixStream::from(socket(AddressFamily::UNIX, SocketType::STREAM, None)?);
        rustix::io::fcntl_setfd(&stream, rustix::io::FdFlags::CLOEXEC)?;
        // Linux waits as long as the send timeout; other systems refuse at once if the queue is full.
        set_socket_timeout(&stream, Timeout::Send, Some(left))?;
        match connect_to(&stream, &address) {
            Ok(()) => return Ok(stream),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// Connecting must return, and fast: no test waits a minute.
    fn outcome(path: &Path, until: Instant) -> io::Result<UnixStream> {
        let (sender, receiver) = mpsc::channel();
        let path = path.to_owned();
        std::thread::spawn(move || sender.send(connect(&path, until)));
        receiver.recv_timeout(Duration::from_secs(60)).expect("it gives up")
    }

    #[test]
    fn a_process_that_takes_nobody_in_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sock");
        let listener = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let mut waiting = Vec::new();
        let full = loop {
            match outcome(&path, Instant::now() + Duration::from_millis(100)) {
                Ok(stream) if waiting.len() < 1000 => waiting.push(stream),
                Ok(_) => panic!("the queue has no end"),
                Err(full) => break full,
            }
        };
        assert!(!waiting.is_empty());
        if cfg!(target_os = "linux") {
            assert_eq!(full.kind(), io::ErrorKind::TimedOut);
        }
    }

    #[test]
    fn who_answers_is_reached_and_who_is_gone_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sock");
        let until = Instant::now() + Duration::from_secs(30);
        assert_eq!(outcome(&path, until).unwrap_err().kind(), io::ErrorKind::NotFound);
        let listener = UnixListener::bind(&path).unwrap();
        outcome(&path, until).unwrap();
        drop(listener);
        assert_eq!(outcome(&path, until).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
        assert_eq!(outcome(&path, Instant::now()).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
