//! The protocol between a client and a resident process: one request and one reply on each connection.
//!
//! ```text
//! request  length u32 (big endian), request as JSON, length u32, content
//! reply    length u32, reply as JSON, length u32, content
//! shown    for the output of a command, one byte: whether it could be written
//! ```
//!
//! The content is not part of the JSON, so a client copies it without parsing. Both ends are the same program; another
//! version uses another socket.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest request or reply without its content, in bytes.
const MAX_HEAD: usize = 1 << 20;
/// Longest content, in bytes.
pub const MAX_CONTENT: usize = 64 << 20;

/// The output of a command was written.
pub const SHOWN: &[u8; 1] = b"y";
/// It could not be written, or nobody read it.
pub const LOST: &[u8; 1] = b"n";

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "ask")]
pub enum Request {
    /// Answer a host's event; the content is the event.
    Hook {
        /// Name of the host.
        host: String,
        /// The owner's process id, if the caller knows it.
        owner: Option<u32>,
    },
    /// Compress the output of a command; the content is the output.
    Run {
        /// What ran.
        ran: Ran,
        /// Length in bytes of each text; the content holds them one after the other.
        parts: Vec<usize>,
        /// The owner's process id, if the caller knows it.
        owner: Option<u32>,
    },
    /// The output of a command was not written, or not all of it; the content is empty.
    NotShown {
        /// Id of the conversation.
        session: String,
        /// Id of the call.
        call: String,
    },
    /// Read an original; the content is empty.
    Original {
        /// Its id, or a prefix of the id.
        id: String,
    },
    /// List all originals; the content is empty.
    Originals,
    /// Write the counts that wait; the content is empty.
    Counts,
}

/// A command that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// The command line.
    pub command: String,
    /// Exit status as a shell reports it; `None` while the command runs.
    pub exit_code: Option<i64>,
    /// Id of the conversation.
    pub session: Option<String>,
    /// Id of the call.
    pub call: Option<String>,
    /// Bytes that the host still shows, if known.
    pub room: Option<usize>,
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "reply")]
pub enum Reply {
    /// No answer: continue without one.
    Nothing,
    /// The content is the answer: what the hook prints, or a JSON list of originals.
    Whole,
    /// The content holds texts one after the other.
    Parts {
        /// Their lengths in bytes.
        parts: Vec<usize>,
    },
    /// The content is an original.
    Original {
        /// Its id.
        id: String,
        /// Media type if it is not text.
        mime: Option<String>,
    },
}

/// A reply with notes for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The answer.
    pub reply: Reply,
    /// Lines about faulty or ignored settings; each is sent once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Writes a request or a reply.
pub fn write(to: &mut impl Write, head: &impl Serialize, content: &[u8]) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    if head.len() > MAX_HEAD || content.len() > MAX_CONTENT {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut all = Vec::with_capacity(head.len() + 8);
    all.extend((head.len() as u32).to_be_bytes());
    all.extend(&head);
    all.extend((content.len() as u32).to_be_bytes());
    to.write_all(&all)?;
    to.write_all(content)?;
    to.flush()
}

/// Reads a request or a reply, and its content.
pub fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<(T, Vec<u8>)> {
    let head = block(from, MAX_HEAD)?;
    let head = serde_json::from_slice(&head)?;
    Ok((head, block(from, MAX_CONTENT)?))
}

fn block(from: &mut impl Read, max: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > max {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let mut bytes = Vec::with_capacity(length.min(1 << 20));
    from.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let ran = Ran { command: "a 'b'".into(), exit_code: Some(130), ..Ran::default() };
        for request in [
            Request::Hook { host: "codex".into(), owner: Some(7) },
            Request::Run { ran, parts: vec![1, 2], owner: None },
            Request::NotShown { session: "s".into(), call: "c".into() },
            Request::Original { id: "108195c6".into() },
            Request::Originals,
            Request::Counts,
        ] {
            for content in [&b""[..], b"abc", &[0xff; 70_000]] {
                let mut bytes = Vec::new();
                write(&mut bytes, &request, content).unwrap();
                assert_eq!(read::<Request>(&mut &bytes[..]).unwrap(), (request.clone(), content.to_vec()));
                assert!(read::<Request>(&mut &bytes[..bytes.len() - 1]).is_err());
            }
        }
        assert!(read::<Reply>(&mut &[0xff; 64][..]).is_err());
    }
}
