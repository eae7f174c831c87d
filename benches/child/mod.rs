//! A child process that answers each message by one message, for the benches that drive one.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Room for what a child writes, in bytes: a whole answer of the benches.
const BUFFER: usize = 64 << 10;

/// See the module.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The body of the last answer.
    pub reply: Vec<u8>,
}

impl Server {
    pub fn start(argv: &[&str]) -> Self {
        let mut child = Command::new(argv[0])
            .args(&argv[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::with_capacity(BUFFER, child.stdout.take().unwrap());
        Self { child, stdin, stdout, reply: Vec::new() }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, message: &[u8]) {
        self.stdin.write_all(message).unwrap();
    }

    /// Sends one framed message and reads one. Pipes and buffers of either child hold all of a message, so
    /// that writing first cannot block for good.
    pub fn exchange(&mut self, message: &[u8]) {
        self.send(message);
        let (mut header, mut length) = (String::new(), 0);
        while header != "\r\n" {
            header.clear();
            assert!(self.stdout.read_line(&mut header).unwrap() > 0, "the child ended");
            length = header.strip_prefix("Content-Length: ").map_or(length, |n| n.trim().parse().unwrap());
        }
        self.reply.resize(length, 0);
        self.stdout.read_exact(&mut self.reply).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
