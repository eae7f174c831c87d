//! The thread that reads stdin. It waits only for bytes, or for room while the client does not read.

use std::io::{self, BufReader, Read};

use super::Ending;
use super::ServeOptions;
use super::budget::Budget;
use super::codec::{FrameReader, Inbound};
use super::dispatch::{Dispatcher, Step};
use super::log::log;
use super::outbox::{Outbox, pause};
use crate::protocol::RpcError;
use crate::protocol::error::INVALID_REQUEST;

/// Size of the read buffer: a pipe's capacity on Linux.
const BUFFER_BYTES: usize = 64 * 1024;

/// Reads until the stream ends or the client sends `exit`.
pub(super) fn read(
    options: &ServeOptions,
    mut dispatcher: Dispatcher,
    outbox: &Outbox,
    budget: &Budget,
) -> Ending {
    let mut frames = FrameReader::new(stdin(), options.framing, options.max_message_bytes);
    loop {
        budget.wait_for_room();
        match frames.read() {
            Ok(Inbound::Message(body)) => {
                if dispatcher.accept(body, !frames.has_more()) == Step::Exit {
                    return Ending::Exit;
                }
            }
            Ok(Inbound::Oversized { length, resync }) => {
                let limit = options.max_message_bytes;
                // Longer numbers are not counted.
                let least = if length == u64::MAX { "at least " } else { "" };
                let what = format!("the message has {least}{length} bytes; the limit is {limit}");
                outbox.refuse(None, RpcError::new(INVALID_REQUEST, "message_too_large", &what));
                if !resync {
                    log(format_args!("{what}, and it is too long to skip"));
                    return Ending::BrokenInput;
                }
            }
            Ok(Inbound::End) => return Ending::EndOfInput,
            Err(error) => {
                log(error);
                return Ending::BrokenInput;
            }
        }
    }
}

fn stdin() -> BufReader<impl Read> {
    BufReader::with_capacity(BUFFER_BYTES, Patient(io::stdin().lock()))
}

/// Waits where a non-blocking descriptor would fail.
struct Patient<R>(R);

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => pause(),
                other => return other,
            }
        }
    }
}
