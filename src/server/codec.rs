//! Framing: finds where messages begin and end, in and out. Never looks inside a message.
//!
//! There are two framings: the LSP base protocol (a `Content-Length` header block, then that many bytes), and one JSON text
//! per line. The caller picks one; nothing here guesses.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};

use crate::memory::grow;

/// How messages are delimited on stdin and stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// LSP 3.17 base protocol: `Content-Length: N\r\n\r\n` and N bytes.
    #[default]
    ContentLength,
    /// One JSON text per line, ended by `\n`; blank lines are skipped.
    Lines,
}

/// Largest header block that is read, in bytes. Real ones have under 100.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// Largest refused body that is skipped to find the next message, in bytes. A larger length is implausible, so the stream is
/// given up.
const MAX_SKIP_BYTES: u64 = 4 << 30;

/// A body buffer grows in steps of this size, so an announced length costs no memory until its bytes arrive.
const BODY_STEP: usize = 1 << 20;

/// The next item of the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Inbound {
    /// The bytes of one message.
    Message(Vec<u8>),
    /// A message over the limit. `resync` says whether the next one can be found.
    Oversized {
        /// Length of the message in bytes, as announced or as counted.
        length: u64,
        /// Whether reading can continue.
        resync: bool,
    },
    /// The stream ended between two messages.
    End,
}

/// Why the next message cannot be found.
#[derive(Debug)]
pub enum StreamError {
    /// The header block is invalid; the text says why.
    Header(Cow<'static, str>),
    /// The stream ended inside a message.
    Truncated,
    /// The operating system failed the read.
    Io(io::Error),
}

impl std::fmt::Display for StreamError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Header(what) => write!(f, "broken message header: {what}"),
            Self::Truncated => f.write_str("stdin ended inside a message"),
            Self::Io(error) => write!(f, "cannot read stdin: {error}"),
        }
    }
}

impl From<io::Error> for StreamError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof { Self::Truncated } else { Self::Io(error) }
    }
}

/// Reads messages one by one.
#[derive(Debug)]
pub struct FrameReader<R> {
    input: R,
    framing: Framing,
    limit: u64,
    skip: u64,
}

impl<R: Read> FrameReader<BufReader<R>> {
    /// Whether bytes after the last message have arrived, as far as that is known without reading.
    pub fn has_more(&self) -> bool {
        !self.input.buffer().is_empty()
    }
}

impl<R: BufRead> FrameReader<R> {
    /// A reader that hands out messages of at most `limit` bytes.
    pub fn new(input: R, framing: Framing, limit: u64) -> Self {
        Self { input, framing, limit, skip: 0 }
    }

    /// Blocks until the next message is complete.
    pub fn read(&mut self) -> Result<Inbound, StreamError> {
        match self.framing {
            Framing::ContentLength => self.next_block(),
            Framing::Lines => self.next_line(),
        }
    }

    fn next_block(&mut self) -> Result<Inbound, StreamError> {
        // Skipping waits until here, so that the refusal is sent before the rest arrives.
        let skip = std::mem::take(&mut self.skip);
        if io::copy(&mut (&mut self.input).take(skip), &mut io::sink())? < skip {
            return Err(StreamError::Truncated);
        }
        let Some(length) = self.header()? else { return Ok(Inbound::End) };
        if length > self.limit {
            let resync = length <= MAX_SKIP_BYTES;
            self.skip = if resync { length } else { 0 };
            return Ok(Inbound::Oversized { length, resync });
        }
        let length = usize::try_from(length).map_err(|_| broken("Content-Length is too large"))?;
        let mut body = Vec::new();
        while body.len() < length {
            let start = body.len();
            // Grows with the bytes received, never beyond the announced length.
            if body.capacity() == start {
                body.reserve_exact(start.max(BODY_STEP).min(length - start));
            }
            body.resize(start + (length - start).min(BODY_STEP), 0);
            self.input.read_exact(&mut body[start..])?;
        }
        Ok(Inbound::Message(body))
    }

    /// Reads a header block; `None` when the stream ends before its first byte.
    fn header(&mut self) -> Result<Option<u64>, StreamError> {
        let mut length = None;
        let mut used = 0;
        let mut line = Vec::with_capacity(64);
        loop {
            line.clear();
            let room = (MAX_HEADER_BYTES - used) as u64;
            used += (&mut self.input).take(room).read_until(b'\n', &mut line)?;
            if line.is_empty() && used == 0 {
                return Ok(None);
            }
            if line.first() == Some(&b'{') {
                // No header starts like this. The end of the header would be awaited for ever.
                return Err(broken(JSON_AS_HEADER));
            }
            if line.pop() != Some(b'\n') {
                let full = used == MAX_HEADER_BYTES;
                return Err(broken(if full { "it is longer than 8 KiB" } else { "stdin ended inside it" }));
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if line.is_empty() {
                return length.map(Some).ok_or(broken("it has no Content-Length"));
            }
            if let Some(found) = content_length(&line)?
                && length.replace(found).is_some_and(|earlier| earlier != found)
            {
                return Err(broken("it has two different Content-Length values"));
            }
        }
    }

    fn next_line(&mut self) -> Result<Inbound, StreamError> {
        loop {
            let mut line = Vec::new();
            let mut length = 0_u64;
            let ended = loop {
                let chunk = self.input.fill_buf();
                let chunk = match chunk {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    other => other?,
                };
                let newline = memchr::memchr(b'\n', chunk);
                let part = &chunk[..newline.unwrap_or(chunk.len())];
                length += part.len() as u64;
                if length <= self.limit {
                    grow(&mut line, part.len());
                    line.extend_from_slice(part);
                } else {
                    line = Vec::new();
                }
                let used = part.len() + usize::from(newline.is_some());
                self.input.consume(used);
                if newline.is_some() || used == 0 {
                    break newline.is_none();
                }
            };
            if length > self.limit {
                return Ok(Inbound::Oversized { length, resync: true });
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Inbound::Message(line));
            }
            if ended {
                return Ok(Inbound::End);
            }
        }
    }
}

/// The error for a client that sends one message a line to a server that expects headers.
const JSON_AS_HEADER: &str = "it is JSON; for one message a line start tersed with `--framing lines`";

/// Most bytes of a wrong value that a message quotes.
const MAX_QUOTED_BYTES: usize = 40;

fn broken(what: &'static str) -> StreamError {
    StreamError::Header(what.into())
}

/// The length that a header line states; `None` for any other header.
fn content_length(line: &[u8]) -> Result<Option<u64>, StreamError> {
    let colon = memchr::memchr(b':', line).ok_or(broken("a line has no colon"))?;
    if !line[..colon].trim_ascii().eq_ignore_ascii_case(b"content-length") {
        return Ok(None);
    }
    let digits = line[colon + 1..].trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        let given = digits[..digits.len().min(MAX_QUOTED_BYTES)].escape_ascii();
        let what = format!("Content-Length is `{given}`, expected a whole number of bytes");
        return Err(StreamError::Header(what.into()));
    }
    // A number that does not fit is over every limit, so it is refused as too large, not as malformed.
    let value =
        digits.iter().fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add((digit - b'0').into()));
    Ok(Some(value))
}

/// Space before a body for the longest header that we write (`Content-Length: ` and 20 digits, 2 × CRLF).
const HEADER_ROOM: usize = 40;

/// One outgoing message with its framing in one buffer, so that one write sends it.
#[derive(Debug)]
pub(super) struct Frame {
    buffer: Vec<u8>,
    start: usize,
}

impl Frame {
    /// Frames what `body` appends, of about `size` bytes. `body` must write JSON without a raw newline.
    pub(super) fn build(framing: Framing, size: usize, body: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut buffer = Vec::with_capacity(HEADER_ROOM + size + 128);
        buffer.resize(HEADER_ROOM, 0);
        body(&mut buffer);
        match framing {
            Framing::Lines => {
                buffer.push(b'\n');
                Self { buffer, start: HEADER_ROOM }
            }
            Framing::ContentLength => {
                let header = format!("Content-Length: {}\r\n\r\n", buffer.len() - HEADER_ROOM);
                let start = HEADER_ROOM - header.len();
                buffer[start..HEADER_ROOM].copy_from_slice(header.as_bytes());
                Self { buffer, start }
            }
        }
    }

    /// The bytes to write.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Memory that the frame holds, in bytes.
    pub(super) fn cost(&self) -> usize {
        self.buffer.capacity() + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(framing: Framing, limit: u64, input: &[u8]) -> (Vec<Inbound>, Option<String>) {
        let mut reader = FrameReader::new(input, framing, limit);
        let mut seen = Vec::new();
        loop {
            match reader.read() {
                Ok(Inbound::End) => return (seen, None),
                Ok(item) => seen.push(item),
                Err(error) => return (seen, Some(error.to_string())),
            }
        }
    }

    fn message(text: &str) -> Inbound {
        Inbound::Message(text.as_bytes().to_vec())
    }

    #[test]
    fn headers_are_read_as_lsp_writes_them_and_a_little_wider() {
        let input = b"Content-Length: 2\r\n\r\n{}content-LENGTH:3\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n[1]Content-Length: 4\n\nnull";
        let (seen, error) = read_all(Framing::ContentLength, 100, input);
        assert_eq!(seen, [message("{}"), message("[1]"), message("null")]);
        assert_eq!(error, None);
    }

    #[test]
    fn broken_headers_are_named() {
        for (input, what) in [
            ("\r\n\r\n", "no Content-Length"),
            ("Content-Type: x\r\n\r\n", "no Content-Length"),
            ("Content-Length: -1\r\n\r\n", "is `-1`, expected a whole number"),
            ("Content-Length: +1\r\n\r\n1", "is `+1`, expected a whole number"),
            ("Content-Length: two\r\n\r\n", "is `two`, expected a whole number"),
            ("Content-Length:\r\n\r\n", "is ``, expected a whole number"),
            ("Content-Length\n", "no colon"),
            ("{\"jsonrpc\"\n", "start tersed with `--framing lines`"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1}\n", "start tersed with `--framing lines`"),
            ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n11", "two different"),
            ("Content-Length: 1", "ended inside it"),
            ("Content-Length: 5\r\n\r\n{}", "ended inside a message"),
        ] {
            let (seen, error) = read_all(Framing::ContentLength, 100, input.as_bytes());
            assert!(seen.is_empty(), "{input:?}");
            assert!(error.as_deref().is_some_and(|text| text.contains(what)), "{input:?}: {error:?}");
        }
        let long = format!("X: {}\r\n\r\n", "y".repeat(9000));
        assert!(
            read_all(Framing::ContentLength, 100, long.as_bytes())
                .1
                .is_some_and(|text| text.contains("8 KiB"))
        );
    }

    #[test]
    fn oversized_bodies_are_skipped_to_the_byte() {
        let input = format!("Content-Length: 11\r\n\r\n{}Content-Length: 1\r\n\r\n7", "x".repeat(11));
        let (seen, error) = read_all(Framing::ContentLength, 10, input.as_bytes());
        assert_eq!(seen, [Inbound::Oversized { length: 11, resync: true }, message("7")]);
        assert_eq!(error, None);
    }

    #[test]
    fn unbelievable_lengths_are_not_skipped() {
        for digits in ["99999999999", "99999999999999999999999999"] {
            let input = format!("Content-Length: {digits}\r\n\r\n");
            let mut reader = FrameReader::new(input.as_bytes(), Framing::ContentLength, 10);
            assert!(matches!(reader.read(), Ok(Inbound::Oversized { resync: false, .. })));
        }
    }

    #[test]
    fn lines_skip_blanks_and_long_ones_and_keep_the_last() {
        let input = format!("1\r\n\n  \n{}\n{{}}\n2", "x".repeat(11));
        let (seen, error) = read_all(Framing::Lines, 10, input.as_bytes());
        let long = Inbound::Oversized { length: 11, resync: true };
        assert_eq!(seen, [message("1\r"), long, message("{}"), message("2")]);
        assert_eq!(error, None);
    }

    #[test]
    fn frames_state_their_length_in_bytes() {
        let body = |out: &mut Vec<u8>| out.extend_from_slice("\"é\"".as_bytes());
        assert_eq!(
            Frame::build(Framing::ContentLength, 0, body).bytes(),
            "Content-Length: 4\r\n\r\n\"é\"".as_bytes()
        );
        assert_eq!(Frame::build(Framing::Lines, 0, body).bytes(), "\"é\"\n".as_bytes());
    }
}
