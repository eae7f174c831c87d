//! The processes that are measured, and the CPU time that they took.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// The server as a child, which answers one message after the other.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    reply: Vec<u8>,
}

impl Server {
    pub fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tersed"))
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::with_capacity(1 << 16, child.stdout.take().unwrap());
        Self { child, stdin, stdout, reply: Vec::new() }
    }

    pub fn send(&mut self, message: &[u8]) {
        self.stdin.write_all(message).unwrap();
    }

    /// Sends a request and reads its answer. The server reads all of a message before it writes.
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
        assert!(memchr::memmem::find(&self.reply, b"\"result\":").is_some());
    }

    /// CPU time of all its threads so far: none of them ends.
    pub fn cpu(&self) -> Duration {
        cpu(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// CPU time that `gzip -6` takes for some bytes.
pub fn gzip(bytes: &[u8]) -> Duration {
    let mut gzip = Command::new("gzip");
    gzip.args(["-6", "-c"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = gzip.spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    // It keeps its times until somebody waits for it.
    let stat = format!("/proc/{}/stat", child.id());
    while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
        std::thread::sleep(Duration::from_millis(1));
    }
    let took = cpu(child.id());
    child.wait().unwrap();
    took
}

/// CPU time of all threads of a process that have not ended.
fn cpu(process: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of_thread = |thread: std::fs::DirEntry| -> u64 {
        let times = std::fs::read_to_string(thread.path().join("schedstat")).unwrap();
        times.split(' ').next().unwrap().parse().unwrap()
    };
    Duration::from_nanos(threads.map(|thread| of_thread(thread.unwrap())).sum())
}
