//! Runs a process on Unix, in one loop over its output, incoming signals, and its end.
//!
//! This file is longer than most because all of that shares the state of one loop.

use std::fs::File;
use std::io::{self, IsTerminal, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use super::hold::HeldOutput;
use super::limit::Limit;
use super::signals::Signals;
use super::{Compress, Ended, Holding, Outcome, Output, Program, shell, texts};
use crate::host::pass::{LazyPolicy, StreamFilter};
use crate::sanitize::secrets;
use crate::text::marker;

/// Most bytes that are held; then they are compressed as a part if the host's limit is known, and pass if not.
const MAX_HELD_BYTES: usize = 32 << 20;
/// A part may take one byte in this many of those that the host still shows. The rest is for the end, which may hold
/// the failures that matter. A choice.
const PART_ONE_IN: usize = 8;
/// How long to wait for the end of the output after the command has ended: a process that it left behind may hold it open.
const OUTPUT_END_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a signal may take to reach the command through the process group before it is sent on.
const SIGNAL_DELAY: Duration = Duration::from_millis(50);
/// Length of a tick, after which waiting bytes may pass.
const TICK: Duration = Duration::from_millis(100);
/// Runs the program, and ends as it ended.
///
/// # Errors
///
/// The program cannot be started. The message names it and the reason.
pub fn run(
    program: &Program,
    holding: Holding,
    compress: Compress<'_>,
    policy: &LazyPolicy<'_>,
) -> Result<Outcome, String> {
    let mut command = shell::command(program);
    let failed =
        |command: &Command, e: &io::Error| format!("{}: {e}", command.get_program().to_string_lossy());
    if io::stdout().is_terminal() {
        let error = command.exec();
        if let Program::Argv(argv) = program {
            let _ = shell::looked_up(argv).exec();
        }
        return Err(failed(&command, &error));
    }
    let signals = Signals::new();
    let (child, streams) = match start(&mut command) {
        Ok(started) => started,
        Err(error) => match program {
            Program::Argv(argv) => {
                start(&mut shell::looked_up(argv)).map_err(|_| failed(&command, &error))?
            }
            Program::Shell(_) => return Err(failed(&command, &error)),
        },
    };
    drop(command);
    let mut running = Running {
        passing: streams.iter().map(|_| StreamFilter::new(policy)).collect(),
        policy,
        moment: None,
        streams,
        child: Watched::new(child).map_err(|e| e.to_string())?,
        signals,
        patience: Instant::now().checked_add(holding.patience),
        passes: false,
        limit: Limit::new(holding.shown),
        is_later: false,
        compress,
        sent: Vec::new(),
    };
    let ended = running.wait();
    running.finish(ended);
    Ok(running.outcome(ended))
}

/// Copies standard input to standard output, for a process that a command left behind.
pub fn relay(policy: &LazyPolicy<'_>) {
    // If writing fails, there is nothing left to do.
    let _ = pass_on(io::stdin().lock(), File::from(own(1)), policy);
}

/// Copies input to output as it arrives, with secrets removed and look-alikes of markers escaped as the policy
/// asks.
///
/// # Errors
///
/// The output cannot be written.
pub fn pass_on(mut from: impl Read + AsFd, mut to: impl Write, policy: &LazyPolicy<'_>) -> io::Result<()> {
    let mut stream = StreamFilter::new(policy);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let time = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        let time = stream.waits().then_some(&time);
        let ready = poll(&mut [PollFd::new(&from, PollFlags::IN)], time);
        let out = match ready {
            Ok(0) => stream.moment(),
            _ => match from.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
                Ok(read) => stream.push(&buffer[..read]),
            },
        };
        to.write_all(&out)?;
    }
    to.write_all(&stream.end())
}

/// A stream of the command, and its target.
struct Stream {
    /// Whether it is standard output.
    is_output: bool,
    from: Option<PipeReader>,
    to: File,
    held: HeldOutput,
    /// Why writing failed.
    fault: Option<io::Error>,
}

impl Stream {
    fn write(&mut self, bytes: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        if let Err(error) = self.to.write_all(bytes) {
            // As without tersed, the command gets a signal if nobody reads its output.
            self.from = None;
            self.fault = Some(error);
        }
    }
}

fn own(stream: i32) -> OwnedFd {
    let fd = match stream {
        1 => io::stdout().as_fd().try_clone_to_owned(),
        _ => io::stderr().as_fd().try_clone_to_owned(),
    };
    fd.or_else(|_| File::options().write(true).open("/dev/null").map(OwnedFd::from))
        .unwrap_or_else(|_| std::process::exit(1))
}

/// Whether standard output and standard error are the same file: then their order is kept.
fn are_same_file() -> bool {
    let about = |fd: BorrowedFd<'_>| rustix::fs::fstat(fd).map(|about| (about.st_dev, about.st_ino));
    let (stdout, stderr) = (about(io::stdout().as_fd()), about(io::stderr().as_fd()));
    stdout.is_ok() && stdout == stderr
}

/// Whether a stream leads to `/dev/null`, where nobody reads it.
fn is_void(fd: BorrowedFd<'_>) -> bool {
    let of = |about: rustix::fs::Stat| (about.st_mode, about.st_rdev);
    rustix::fs::fstat(fd)
        .is_ok_and(|about| rustix::fs::stat("/dev/null").is_ok_and(|void| of(about) == of(void)))
}

/// Starts the command with pipes for its outputs, except for a terminal, and for what nobody reads: that is not
/// compressed, and counts as nothing.
fn start(command: &mut Command) -> io::Result<(Child, Vec<Stream>)> {
    let stream = |number: i32, from: PipeReader| Stream {
        is_output: number == 1,
        from: Some(from),
        to: own(number).into(),
        held: HeldOutput::new(),
        fault: None,
    };
    let mut streams = Vec::new();
    let is_one = are_same_file();
    if is_void(io::stdout().as_fd()) {
        command.stdout(own(1));
    } else {
        let (from, to) = io::pipe()?;
        streams.push(stream(1, from));
        if is_one {
            command.stderr(to.try_clone()?);
        }
        command.stdout(to);
    }
    if !is_one && !io::stderr().is_terminal() && !is_void(io::stderr().as_fd()) {
        let (from, to) = io::pipe()?;
        streams.push(stream(2, from));
        command.stderr(to);
    }
    let child = command.spawn();
    // Close our copies of the write ends.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Ok((child?, streams))
}

/// A child process whose end `poll` can wait for.
struct Watched {
    pid: Option<Pid>,
    ends: UnixStream,
    status: Receiver<io::Result<ExitStatus>>,
}

impl Watched {
    fn new(mut child: Child) -> io::Result<Self> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (ends, mut tell) = UnixStream::pair()?;
        let (send, status) = channel();
        std::thread::Builder::new().spawn(move || {
            let _ = send.send(child.wait());
            let _ = tell.write_all(b"x");
        })?;
        Ok(Self { pid, ends, status })
    }

    fn ended(&mut self) -> Ended {
        self.pid = None;
        match self.status.recv() {
            Ok(Ok(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => Ended::Code(code),
                (None, signal) => Ended::Signal(signal.unwrap_or(0)),
            },
            _ => Ended::Code(1),
        }
    }
}

struct Running<'a> {
    streams: Vec<Stream>,
    /// Output of each stream that is passed on.
    passing: Vec<StreamFilter<'a>>,
    policy: &'a LazyPolicy<'a>,
    /// The time of the next tick.
    moment: Option<Instant>,
    child: Watched,
    signals: Signals,
    /// When to stop holding output back; `None` for never.
    patience: Option<Instant>,
    passes: bool,
    limit: Limit,
    /// Whether some output was compressed before.
    is_later: bool,
    compress: Compress<'a>,
    /// Signals to send on, and when.
    sent: Vec<(Instant, Signal)>,
}

impl Running<'_> {
    /// Runs until the command and its output have ended, or the wait after the command is over.
    fn wait(&mut self) -> Ended {
        let mut ended: Option<(Ended, Instant)> = None;
        loop {
            let now = Instant::now();
            let is_silent = self.streams.iter().all(|stream| stream.from.is_none());
            if let Some((ended, at)) = ended
                && (is_silent || now >= at + OUTPUT_END_TIMEOUT)
            {
                return ended;
            }
            if !self.passes && self.patience.is_some_and(|patience| now >= patience) {
                self.pass();
            }
            self.send(now);
            if self.moment.is_some_and(|moment| now >= moment) {
                self.moment();
            }
            let due = [
                ended.map(|(_, at)| at + OUTPUT_END_TIMEOUT),
                self.patience.filter(|_| !self.passes),
                self.sent.first().map(|(at, _)| *at),
                self.moment,
            ];
            let ready = self.poll(due.into_iter().flatten().min(), ended.is_some());
            // Streams first, so that output from before a signal is held when the signal is handled.
            for index in ready.streams {
                self.read(index);
            }
            for signal in ready.signals {
                // A host that ends the command early wants to see its output.
                if !matches!(signal, Signal::USR1 | Signal::USR2) {
                    self.pass();
                    if self.streams.iter().any(|stream| stream.held.len() > 0) {
                        self.give_out(None, false);
                    }
                }
                self.sent.push((Instant::now() + SIGNAL_DELAY, signal));
            }
            if ready.has_ended && ended.is_none() {
                ended = Some((self.child.ended(), Instant::now()));
            }
        }
    }

    fn poll(&mut self, until: Option<Instant>, has_ended: bool) -> Ready {
        let time = until.map(|until| {
            let left = until.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) }
        });
        let mut fds: Vec<PollFd<'_>> =
            self.signals.0.iter().map(|(_, fd)| PollFd::new(fd, PollFlags::IN)).collect();
        let first_stream = fds.len();
        let open: Vec<(usize, &PipeReader)> = self
            .streams
            .iter()
            .enumerate()
            .filter_map(|(i, stream)| Some((i, stream.from.as_ref()?)))
            .collect();
        fds.extend(open.iter().map(|(_, fd)| PollFd::new(*fd, PollFlags::IN)));
        if !has_ended {
            fds.push(PollFd::new(&self.child.ends, PollFlags::IN));
        }
        let mut ready = Ready::default();
        if poll(&mut fds, time.as_ref()).is_err() {
            return ready;
        }
        let is_ready = |i: usize| fds.get(i).is_some_and(|fd| !fd.revents().is_empty());
        for (i, (signal, fd)) in self.signals.0.iter().enumerate() {
            if is_ready(i) {
                let _ = (&*fd).read(&mut [0; 64]);
                ready.signals.push(*signal);
            }
        }
        ready.streams = (0..open.len()).filter(|i| is_ready(first_stream + i)).map(|i| open[i].0).collect();
        ready.has_ended = !has_ended && is_ready(first_stream + open.len());
        ready
    }

    fn read(&mut self, index: usize) {
        let mut buffer = [0; 64 << 10];
        let stream = &mut self.streams[index];
        let Some(from) = &mut stream.from else { return };
        let read = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return,
            Ok(0) | Err(_) => return stream.from = None,
            Ok(read) => read,
        };
        let mut piece = &buffer[..read];
        if self.passes {
            let passes = self.limit.admit(piece);
            self.passed(index, &piece[..passes]);
            piece = &piece[passes..];
            if piece.is_empty() {
                return;
            }
        }
        if self.hold(index, piece).is_err() {
            self.lift();
            return self.passed(index, piece);
        }
        if self.held_bytes() > MAX_HELD_BYTES {
            self.overflow();
        }
    }

    fn held_bytes(&self) -> usize {
        self.streams.iter().map(|stream| stream.held.len()).sum()
    }

    /// Makes room if more output arrived than can be held.
    fn overflow(&mut self) {
        if !self.limit.is_known() {
            return self.lift();
        }
        // The host would cut output beyond its limit. So half of the limit passes, and the rest is compressed in
        // parts.
        self.pass();
        if self.held_bytes() > MAX_HELD_BYTES / 2 {
            self.give_out(None, true);
        }
    }

    /// Passes held output up to the host's limit, and holds the rest.
    fn pass(&mut self) {
        if std::mem::replace(&mut self.passes, true) {
            return;
        }
        for index in 0..self.streams.len() {
            let Ok(held) = self.streams[index].held.take() else {
                self.streams[index].from = None;
                continue;
            };
            let (now, later) = held.split_at(self.limit.admit(&held));
            self.passed(index, now);
            if !later.is_empty() && self.hold(index, later).is_err() {
                self.passed(index, later);
            }
        }
        // The host may end this process at any time: send what is safe at once.
        self.moment();
    }

    /// Holds a piece, after the bytes of its stream that still wait.
    fn hold(&mut self, index: usize, piece: &[u8]) -> io::Result<()> {
        let (stream, passing) = (&mut self.streams[index], &mut self.passing[index]);
        if passing.waits() {
            let out = passing.moment();
            stream.write(&out);
            stream.held.push(&passing.take())?;
        }
        stream.held.push(piece)
    }

    /// Passes a piece, except bytes that may be part of a secret or the start of a marker.
    fn passed(&mut self, index: usize, piece: &[u8]) {
        let out = self.passing[index].push(piece);
        self.streams[index].write(&out);
        if self.moment.is_none() && self.passing[index].waits() {
            self.moment = Some(Instant::now() + TICK);
        }
    }

    /// Passes bytes that are now known to be safe.
    fn moment(&mut self) {
        self.moment = None;
        for (stream, passing) in self.streams.iter_mut().zip(&mut self.passing) {
            let out = passing.moment();
            stream.write(&out);
            if passing.waits() {
                self.moment = Some(Instant::now() + TICK);
            }
        }
    }

    /// Passes everything held, and holds nothing from now on.
    fn lift(&mut self) {
        self.limit.lift();
        self.passes = true;
        for index in 0..self.streams.len() {
            match self.streams[index].held.take() {
                Ok(held) => self.passed(index, &held),
                Err(_) => self.streams[index].from = None,
            }
        }
    }

    /// Sends signals to the command if it still runs: they may not have reached it through the process group.
    fn send(&mut self, now: Instant) {
        while let Some((_, signal)) = self.sent.first().copied().filter(|(at, _)| now >= *at) {
            self.sent.remove(0);
            if let Some(pid) = self.child.pid {
                // The process may just have ended.
                let _ = kill_process(pid, signal);
            }
        }
    }

    /// Outputs everything held, compressed if possible. A part ends with a line, if it has one.
    fn give_out(&mut self, ended: Option<Ended>, is_part: bool) {
        let outputs: io::Result<Vec<Vec<u8>>> =
            self.streams.iter_mut().map(|stream| stream.held.take()).collect();
        let mut outputs = outputs.unwrap_or_default();
        let has_worked = ended == Some(Ended::Code(0));
        let room = match is_part {
            true => self.limit.left(has_worked).map(|room| room / PART_ONE_IN),
            false => self.limit.left_at_end(has_worked),
        };
        // The start of a marker or of a secret is written with the text after it.
        let mut tails = vec![Vec::new(); outputs.len()];
        if is_part {
            for (stream, bytes) in self.streams.iter_mut().zip(&mut outputs) {
                let end = memchr::memrchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
                let end = split_point(&bytes[..end]);
                // Bytes that cannot be held are written with the part.
                if stream.held.push(&bytes[end..]).is_ok() {
                    bytes.truncate(end);
                }
            }
        } else if ended.is_none() {
            for (tail, bytes) in tails.iter_mut().zip(&mut outputs) {
                *tail = bytes.split_off(split_point(bytes));
            }
        }
        let new: Vec<Vec<u8>> = match texts(outputs, room) {
            Ok(texts) => {
                let output = Output { ended, texts: &texts, room, is_later: self.is_later, is_part };
                let new = (self.compress)(output).filter(|new| new.len() == texts.len());
                self.is_later = true;
                new.unwrap_or(texts).into_iter().map(String::into_bytes).collect()
            }
            Err(outputs) => {
                let safe = |bytes: Vec<u8>| self.policy.made_safe(&bytes).unwrap_or(bytes);
                outputs.into_iter().map(safe).collect()
            }
        };
        for (stream, bytes) in self.streams.iter_mut().zip(new) {
            self.limit.add(bytes.len());
            stream.write(&bytes);
        }
        for (index, tail) in tails.iter().enumerate().filter(|(_, tail)| !tail.is_empty()) {
            self.passed(index, tail);
        }
    }

    /// Outputs what is still held at the end.
    fn finish(&mut self, ended: Ended) {
        for (stream, passing) in self.streams.iter_mut().zip(&mut self.passing) {
            stream.write(&passing.end());
        }
        let is_held = self.streams.iter().any(|stream| stream.held.len() > 0);
        if !std::mem::replace(&mut self.passes, true) || is_held {
            self.give_out(Some(ended), false);
        }
        for stream in &mut self.streams {
            if let Some(from) = stream.from.take() {
                left_behind(from, &stream.to, self.policy.escapes());
            }
        }
    }
}

impl Running<'_> {
    /// How the run ended. Failed writes to standard error are ignored, as for most programs.
    fn outcome(self, ended: Ended) -> Outcome {
        let is_shown = self.streams.iter().all(|stream| stream.fault.is_none());
        let output = self.streams.into_iter().find(|stream| stream.is_output);
        let fault = output.and_then(|stream| stream.fault);
        let has_no_reader = fault.as_ref().is_some_and(|fault| fault.kind() == io::ErrorKind::BrokenPipe);
        let ended = match ended {
            Ended::Code(0) if has_no_reader => Ended::Signal(Signal::PIPE.as_raw()),
            Ended::Code(0) if fault.is_some() => Ended::Code(1),
            ended => ended,
        };
        Outcome { ended, fault: fault.filter(|_| !has_no_reader), is_shown }
    }
}

/// Where to split output that continues, so that no marker and no secret is split.
fn split_point(bytes: &[u8]) -> usize {
    marker::split_point(bytes).min(secrets::open(bytes).unwrap_or(bytes.len()))
}

/// Handles a process that the command left running: another process passes its output on.
fn left_behind(from: PipeReader, to: &File, escapes: bool) {
    let Ok(to) = to.try_clone() else { return };
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command
        .args(["run", "--relay"])
        .args((!escapes).then_some("--raw"))
        .stdin(from)
        .stdout(to)
        .stderr(Stdio::null());
    let _ = command.spawn();
}

/// The result of a poll.
#[derive(Default)]
struct Ready {
    signals: Vec<Signal>,
    streams: Vec<usize>,
    has_ended: bool,
}
