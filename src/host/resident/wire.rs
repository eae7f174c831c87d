//! What a client and a resident process say: one request, one reply, over one connection.
//!
//! ```text
//! request  length u32 (big endian), request as JSON, length u32, content
//! reply    length u32, reply as JSON, length u32, content
//! ```
//!
//! The content stays outside of the JSON so that a client copies it without a look. Both ends are the same program:
//! another version has another socket.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest request or reply without its content, in bytes.
const MAX_HEAD: usize = 1 << 20;
/// Longest content, in bytes.
pub const MAX_CONTENT: usize = 64 << 20;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "ask")]
pub enum Request {
    /// The answer to an event of a host; the content is the event.
    Hook {
        /// Name of the host.
        host: String,
        /// The process to end with, where the caller knows it.
        owner: Option<u32>,
    },
    /// What a command wrote; the content is its output.
    Run {
        /// What ran.
        ran: Ran,
        /// Length of each of the texts that the content holds one after the other, in bytes.
        parts: Vec<usize>,
        /// The process to end with, where the caller knows it.
        owner: Option<u32>,
    },
    /// An original; the content is empty.
    Original {
        /// Its id, or the start of it.
        id: String,
    },
    /// All originals; the content is empty.
    Originals,
}

/// A command that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// The command line.
    pub command: String,
    /// Exit status, as a shell tells it; `None` where the command still runs.
    pub exit_code: Option<i64>,
    /// The conversation.
    pub session: Option<String>,
    /// The call.
    pub call: Option<String>,
    /// Bytes that the host shows of it, where that is known.
    pub room: Option<usize>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "reply")]
pub enum Reply {
    /// Nothing: go on as without.
    Nothing,
    /// The content is what was asked for: what the hook prints, or JSON of the originals.
    Whole,
    /// The content is texts, of these lengths in bytes.
    Parts {
        /// Their lengths.
        parts: Vec<usize>,
    },
    /// An original.
    Original {
        /// Its id.
        id: String,
        /// Media type of what is no text.
        mime: Option<String>,
    },
}

/// The answer with what the user is to hear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The answer.
    pub reply: Reply,
    /// Lines about settings that are wrong or do not count; each is told once.
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
            Request::Original { id: "108195c6".into() },
            Request::Originals,
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
