//! Reads bodies into memory with a limit that all requests share. Each body reserves memory as its bytes arrive, so a
//! body that is only announced reserves none, and releases it at the end. A body that stops arriving times out, and
//! so does a wait for memory: a client that sends half a body does not block others for long.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::body::MAX_BODY_BYTES;

/// Most memory of all bodies at the same time, in KiB.
const MAX_BODIES_KIB: u32 = 256 << 10;
/// Memory is reserved in steps of this many KiB. A choice.
const STEP_KIB: u32 = 1 << 10;
/// Longest pause between two pieces of a body. Clients are on this machine, where even a large body takes less than a second.
const PIECE_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time for a whole body. A choice.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// Longest wait for memory: longer than the timeout after which a stalled body releases its own.
const ROOM_TIMEOUT: Duration = Duration::from_secs(15);

/// Memory for bodies. A request waits if not enough is left.
pub(super) struct BodyMemory {
    left: Arc<Semaphore>,
    piece: Duration,
    whole: Duration,
    wait: Duration,
}

impl Default for BodyMemory {
    fn default() -> Self {
        let left = Arc::new(Semaphore::new(MAX_BODIES_KIB as usize));
        Self { left, piece: PIECE_TIMEOUT, whole: BODY_TIMEOUT, wait: ROOM_TIMEOUT }
    }
}

/// A body, and the memory that is reserved until this is dropped.
pub(super) struct ReservedBody {
    pub(super) bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is damaged, or longer than allowed.
    TooLong,
    /// It did not end in time.
    TooSlow,
    /// Other bodies reserved all memory.
    NoRoom,
}

impl BodyMemory {
    /// Reads the whole body.
    pub(super) async fn read<B>(&self, body: B) -> Result<ReservedBody, Unread>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let announced = body.size_hint().lower();
        // A body that announces too many bytes is not read.
        if announced > MAX_BODY_BYTES as u64 {
            return Err(Unread::TooLong);
        }
        timeout(self.whole, self.read_all(body)).await.unwrap_or(Err(Unread::TooSlow))
    }

    async fn read_all<B>(&self, mut body: B) -> Result<ReservedBody, Unread>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let mut pieces: Vec<Bytes> = Vec::new();
        let mut len = 0;
        let mut room: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = timeout(self.piece, body.frame()).await.map_err(|_| Unread::TooSlow)? {
            let Ok(piece) = frame.map_err(|_| Unread::TooLong)?.into_data() else { continue };
            len += piece.len();
            if len > MAX_BODY_BYTES {
                return Err(Unread::TooLong);
            }
            self.grow(&mut room, len).await?;
            pieces.push(piece);
        }
        let bytes = match pieces.len() {
            1 => pieces.remove(0),
            _ => pieces.concat().into(),
        };
        Ok(ReservedBody { bytes, _room: room })
    }

    /// Reserves more memory if a body of this many bytes needs it.
    async fn grow(&self, room: &mut Option<OwnedSemaphorePermit>, len: usize) -> Result<(), Unread> {
        let needed =
            u32::try_from(len.div_ceil(1 << 10)).unwrap_or(MAX_BODIES_KIB).next_multiple_of(STEP_KIB);
        let has = room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = needed.saturating_sub(u32::try_from(has).unwrap_or(u32::MAX));
        if more == 0 {
            return Ok(());
        }
        let permit = timeout(self.wait, Arc::clone(&self.left).acquire_many_owned(more)).await;
        let permit = permit.map_err(|_| Unread::NoRoom)?.map_err(|_| Unread::NoRoom)?;
        match room {
            Some(room) => room.merge(permit),
            None => *room = Some(permit),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use hyper::body::Frame;

    use super::*;

    /// A body of this many MiB, which then ends or never does.
    struct Mib(usize, bool);

    impl Body for Mib {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            match (self.0, self.1) {
                (0, true) => Poll::Ready(None),
                (0, false) => Poll::Pending,
                _ => {
                    self.0 -= 1;
                    Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![0; 1 << 20])))))
                }
            }
        }
    }

    #[tokio::test]
    async fn bodies_are_read_whole_and_give_their_room_back() {
        let room = BodyMemory::default();
        let mut held = Vec::new();
        for _ in 0..4 {
            held.push(room.read(Mib(64, true)).await.unwrap());
        }
        assert_eq!((held[0].bytes.len(), room.left.available_permits()), (64 << 20, 0));
        held.pop();
        assert!(room.read(Mib(64, true)).await.is_ok());
        assert_eq!(room.read(Mib(65, true)).await.err(), Some(Unread::TooLong));
        drop(held);
        assert_eq!(room.left.available_permits(), MAX_BODIES_KIB as usize);
        assert_eq!(room.read(Mib(0, true)).await.unwrap().bytes.len(), 0);
    }

    #[tokio::test]
    async fn bodies_that_never_end_hold_up_nobody() {
        let (piece, wait) = (Duration::from_millis(50), Duration::from_secs(60));
        let room = Arc::new(BodyMemory { piece, wait, ..BodyMemory::default() });
        // Announced bodies reserve nothing, and bodies without an end release their memory soon.
        for mib in [0, 60] {
            let slow: Vec<_> = (0..8)
                .map(|_| {
                    let room = Arc::clone(&room);
                    tokio::spawn(async move { room.read(Mib(mib, false)).await.err() })
                })
                .collect();
            tokio::task::yield_now().await;
            assert!(room.read(Mib(2, true)).await.is_ok(), "{mib}");
            for one in slow {
                assert_eq!(one.await.unwrap(), Some(Unread::TooSlow), "{mib}");
            }
            assert_eq!(room.left.available_permits(), MAX_BODIES_KIB as usize);
        }
        // A wait for memory ends too.
        let room = BodyMemory { wait: piece, ..BodyMemory::default() };
        let held = room.left.acquire_many(MAX_BODIES_KIB).await.unwrap();
        assert_eq!(room.read(Mib(1, true)).await.err(), Some(Unread::NoRoom));
        drop(held);
    }
}
