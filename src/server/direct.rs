//! Writes to stdout without blocking, so that the thread that has a reply can write it itself. Waking another thread often
//! costs more than the reply.

use std::fs::File;
use std::io;

/// Bytes that fit into a pipe or socket without blocking when the system reports it writable. Linux does so when a page of
/// the pipe is free (pipe(7), `PIPE_BUF`), or three quarters of the socket's buffer.
#[cfg(target_os = "linux")]
const PIECE_BYTES: usize = 4096;
/// Larger frames go to the writer thread. A choice: a quarter of a pipe.
#[cfg(target_os = "linux")]
const MAX_FRAME_BYTES: usize = 16 << 10;

/// Stdout, if it is a pipe or a socket on Linux. Other systems give no such guarantee.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "never made there"))]
pub(super) struct Direct(File);

#[cfg(target_os = "linux")]
impl Direct {
    /// The stdout of this process; `None` if writes may block.
    pub(super) fn stdout() -> Option<Self> {
        use std::os::fd::AsFd;
        io::stdout().as_fd().try_clone_to_owned().ok().and_then(|out| Self::of(out.into()))
    }

    fn of(out: File) -> Option<Self> {
        use std::os::unix::fs::FileTypeExt;
        let kind = out.metadata().ok()?.file_type();
        (kind.is_fifo() || kind.is_socket()).then_some(Self(out))
    }

    /// Writes as many bytes as possible without blocking. Returns their number.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        use std::io::Write;
        if bytes.len() > MAX_FRAME_BYTES {
            return Ok(0);
        }
        let mut written = 0;
        while written < bytes.len() && self.takes_more() {
            match (&self.0).write(&bytes[written..bytes.len().min(written + PIECE_BYTES)]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    /// Whether a piece fits without blocking. Also true if the reader is gone: then the write fails at once.
    fn takes_more(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut out = [PollFd::new(&self.0, PollFlags::OUT)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut out, Some(&now)), Ok(1))
    }
}

#[cfg(not(target_os = "linux"))]
impl Direct {
    pub(super) fn stdout() -> Option<Self> {
        None
    }

    pub(super) fn write(&self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;

    use super::*;

    #[test]
    fn a_full_pipe_is_not_waited_for() {
        let (mut read, write) = io::pipe().unwrap();
        let direct = Direct::of(File::from(OwnedFd::from(write))).unwrap();
        let frame = [b'x'; MAX_FRAME_BYTES];
        let mut total = 0;
        loop {
            match direct.write(&frame).unwrap() {
                0 => break,
                count => total += count,
            }
        }
        assert!(total >= PIECE_BYTES);
        let mut back = vec![0; total];
        read.read_exact(&mut back).unwrap();
        assert_eq!(direct.write(&frame[..10]).unwrap(), 10);
    }

    #[test]
    fn a_large_frame_and_a_file_are_left_to_the_writer() {
        let (_read, write) = io::pipe().unwrap();
        let direct = Direct::of(File::from(OwnedFd::from(write))).unwrap();
        assert_eq!(direct.write(&[b'x'; MAX_FRAME_BYTES + 1]).unwrap(), 0);
        assert!(Direct::of(tempfile::tempfile().unwrap()).is_none());
    }

    #[test]
    fn a_reader_that_is_gone_is_an_error() {
        let (read, write) = io::pipe().unwrap();
        let direct = Direct::of(File::from(OwnedFd::from(write))).unwrap();
        drop(read);
        assert_eq!(direct.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
