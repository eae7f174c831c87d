//! The head of a log line: its time stamp and its level.
//!
//! Layouts are not distinguished: all have a stamp near the start of the line, or a level, and folding needs no more.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::stamp;

/// The level that a line states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Information, or a line that does not name its level.
    Plain,
    /// A warning.
    Warning,
    /// An error, or worse.
    Error,
}

/// The head of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Where the stamp starts; without one, where the text starts.
    pub start: usize,
    /// Where the stamp ends; without one, where the text starts.
    pub end: usize,
    /// How severe the line is.
    pub level: Level,
}

/// A time stamp starts within this many bytes of the line's start.
const REACH: usize = 72;
/// A level starts within this many bytes after the time stamp.
const LEVEL_REACH: usize = 160;

static SEVERE: LazyLock<Option<[Regex; 4]>> = LazyLock::new(|| {
    let build = |pattern| RegexBuilder::new(pattern).unicode(false).build().ok();
    Some([
        build(
            r"\b(?:ERROR|ERR|SEVERE|FATAL|CRIT|CRITICAL|ALERT|EMERG|EMERGENCY|PANIC|Error|Fatal|Critical)\b|[\[<=\x22:](?:error|err|fatal|crit|critical|alert|emerg|panic)\b",
        )?,
        build(r"\b(?:WARN|WARNING|Warning)\b|[\[<=\x22:](?:warn|warning)\b")?,
        build(
            r"^\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE|CRITICAL|FINE|FINER|FINEST|CONFIG|VERBOSE)\b\]?[ :\t]|^[VDIWEFA]/[\w.$-]+ *\( *\d+\): |^(?:level|lvl|severity)=\w+ ",
        )?,
        build(r"\x22 5\d\d (?:\d+|-)(?: |$)")?,
    ])
});

/// Literals, one of which is in every line that `SEVERE` matches. Far cheaper than its expressions.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = r"ERR|SEVERE|FATAL|CRIT|ALERT|EMERG|PANIC|Error|Fatal|Critical|WARN|Warning|err|fatal|crit|alert|emerg|panic|warn|\x22 5";
    RegexBuilder::new(words).unicode(false).build().ok()
});

/// The possible severity of a line, by the [`WORDS`] in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    error: bool,
    warning: bool,
    status: bool,
}

/// The positions of [`WORDS`] in a text, found while its lines are read in order.
pub struct Severe<'a> {
    text: &'a [u8],
    next: Range<usize>,
}

impl<'a> Severe<'a> {
    /// Starts the search in a text.
    pub fn new(text: &'a str) -> Self {
        let mut severe = Self { text: text.as_bytes(), next: 0..0 };
        severe.seek(0);
        severe
    }

    fn seek(&mut self, from: usize) {
        let end = self.text.len();
        let found = WORDS.as_ref().and_then(|words| words.find_at(self.text, from.min(end)));
        self.next = found.map_or(usize::MAX..usize::MAX, |found| found.range());
    }

    /// The hints of a line, given by its bytes. The starts of the lines must never decrease.
    pub fn hints(&mut self, line: &Range<usize>) -> Hints {
        let mut hints = Hints::default();
        if self.next.start < line.start {
            self.seek(line.start);
        }
        while self.next.start < line.end {
            match self.text[self.next.start] {
                b'W' | b'w' => hints.warning = true,
                b'"' => hints.status = true,
                _ => {
                    hints = Hints { error: true, warning: true, status: true };
                    // No other word adds to this.
                    self.seek(line.end);
                    break;
                }
            }
            self.seek(self.next.end);
        }
        hints
    }
}

/// The head of a line that starts a record of a log.
#[cfg(test)]
pub fn head(line: &str) -> Option<Head> {
    head_with(line, || Severe::new(line).hints(&(0..line.len())))
}

/// The head of such a line without its level.
pub fn stamp(line: &str) -> Option<Head> {
    head_with(line, Hints::default)
}

/// The head of a line that starts a record of a log, with the hints that [`Severe`] has for it.
pub fn head_with(line: &str, hints: impl FnOnce() -> Hints) -> Option<Head> {
    let bytes = line.as_bytes();
    if bytes.first().is_none_or(|b| matches!(b, b'|' | b'+' | b'#' | b'>' | b'\t')) || is_listing(bytes) {
        return None;
    }
    if bytes[0] == b'{' {
        return json_head(line, hints);
    }
    let [_, _, level_first, _] = SEVERE.as_ref()?;
    let found = find_stamp(bytes);
    match found {
        Some((start, end)) => Some(Head { start, end, level: level(bytes, start, end, hints) }),
        None if level_first.is_match(bytes) => {
            Some(Head { start: 0, end: 0, level: level(bytes, 0, 0, hints) })
        }
        None => None,
    }
}

/// A line of `ls -l` has a date too, but is not a line of a log.
fn is_listing(line: &[u8]) -> bool {
    line.len() > 10
        && matches!(line[0], b'-' | b'd' | b'l' | b'b' | b'c' | b'p' | b's')
        && line[1..10].iter().all(|b| matches!(b, b'r' | b'w' | b'x' | b'-' | b's' | b'S' | b't' | b'T'))
}

/// The first stamp near the start of a line.
fn find_stamp(line: &[u8]) -> Option<(usize, usize)> {
    if let Some(end) = kernel(line).or_else(|| klog(line)).or_else(|| epoch(line)) {
        return Some((0, end));
    }
    let reach = line.len().min(REACH);
    for at in 0..reach {
        let is_start =
            at == 0 || matches!(line[at - 1], b' ' | b'[' | b'|' | b'(' | b'"' | b'=' | b'\t' | b'<');
        if is_start
            && (line[at].is_ascii_digit() || line[at].is_ascii_uppercase())
            && let Some(end) = stamp::end(line, at)
        {
            return Some((at, end));
        }
    }
    None
}

/// `[    0.123456]`, the kernel's seconds since it started.
fn kernel(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"[")?;
    let blanks = rest.iter().take_while(|b| **b == b' ').count();
    let (n, end) = stamp::digits(line, 1 + blanks);
    let (6, after) = stamp::digits(line, end + 1) else { return None };
    (n > 0 && line.get(end) == Some(&b'.') && line.get(after) == Some(&b']')).then_some(after + 1)
}

/// `I0102 15:04:05.000000`, as Kubernetes and glog write it.
fn klog(line: &[u8]) -> Option<usize> {
    if !matches!(line.first()?, b'I' | b'W' | b'E' | b'F') {
        return None;
    }
    let (4, end) = stamp::digits(line, 1) else { return None };
    (line.get(end) == Some(&b' ')).then(|| stamp::end(line, end + 1)).flatten()
}

/// Seconds or milliseconds since 1970, also after `- ` or `type=… msg=audit(`.
fn epoch(line: &[u8]) -> Option<usize> {
    let start = if line.starts_with(b"- ") { 2 } else { 0 };
    let (n @ (10 | 13), mut end) = stamp::digits(line, start) else { return None };
    if line.get(end) == Some(&b'.') {
        let (fraction, after) = stamp::digits(line, end + 1);
        end = if fraction > 0 { after } else { end };
    }
    (n > 0 && line[start] == b'1' && matches!(line.get(end), Some(b' ' | b'\t' | b':'))).then_some(end)
}

/// An object on one line with a time or a level and a message.
fn json_head(line: &str, hints: impl FnOnce() -> Hints) -> Option<Head> {
    let has = |keys: &[&str]| {
        keys.iter().any(|key| memchr::memmem::find(line.as_bytes(), key.as_bytes()).is_some())
    };
    const TIMES: &[&str] =
        &["\"time\"", "\"ts\"", "\"timestamp\"", "\"@timestamp\"", "\"t\":", "\"asctime\""];
    const LEVELS: &[&str] = &["\"level\"", "\"severity\"", "\"lvl\"", "\"levelname\"", "\"log.level\""];
    const TEXTS: &[&str] = &["\"msg\"", "\"message\"", "\"event\"", "\"fields\"", "\"MESSAGE\"", "\"log\""];
    if !line.ends_with('}') || !has(TEXTS) || !(has(TIMES) || has(LEVELS)) {
        return None;
    }
    let bytes = line.as_bytes();
    // bunyan and pino write 40 and 50 for warnings and errors.
    let number = memchr::memmem::find(bytes, b"\"level\":").map(|at| stamp::digits(bytes, at + 8));
    let level = match number {
        Some((2, end)) if bytes[end - 2] >= b'5' => Level::Error,
        Some((2, end)) if bytes[end - 2] == b'4' => Level::Warning,
        _ => level(bytes, 0, 0, hints),
    };
    Some(Head { start: 0, end: 0, level })
}

/// The severity of a line.
fn level(line: &[u8], start: usize, end: usize, hints: impl FnOnce() -> Hints) -> Level {
    let Some([error, warning, _, status]) = SEVERE.as_ref() else { return Level::Error };
    let letter = letter(line, start, end);
    let hints = hints();
    let near = &line[end.min(line.len())..line.len().min(end + LEVEL_REACH)];
    let before = &line[..start];
    // Most levels are the first word after the stamp.
    let first = first_word(near);
    let is_in = |level: &Regex| level.is_match(near) || !before.is_empty() && level.is_match(before);
    match () {
        () if letter == Some(Level::Error)
            || hints.error && (matches!(first, b"ERROR" | b"FATAL") || is_in(error)) =>
        {
            Level::Error
        }
        () if hints.status && status.is_match(&line[end.min(line.len())..]) => Level::Error,
        () if letter == Some(Level::Warning)
            || hints.warning && (matches!(first, b"WARN" | b"WARNING" | b"Warning") || is_in(warning)) =>
        {
            Level::Warning
        }
        () => Level::Plain,
    }
}

/// The first run of letters and digits of a text, after other characters.
fn first_word(text: &[u8]) -> &[u8] {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let start = text.iter().take_while(|b| !is_part(b)).count();
    let length = text[start..].iter().take_while(|b| is_part(b)).count();
    &text[start..start + length]
}

/// A level of one letter: `E0102`, `… 123 456 E Tag:`, `E/Tag(12):`, `[E 2024-…`.
fn letter(line: &[u8], start: usize, end: usize) -> Option<Level> {
    let of = |b: u8| match b {
        b'E' | b'F' => Some(Level::Error),
        b'W' => Some(Level::Warning),
        _ => None,
    };
    if klog(line).is_some() || line.get(1) == Some(&b'/') {
        return of(line[0]);
    }
    if start >= 3 && line[start - 1] == b' ' && line[start - 3] == b'[' {
        return of(line[start - 2]);
    }
    let rest = line.get(end..).unwrap_or_default();
    let at = rest.iter().take(24).position(|b| !matches!(b, b' ' | b'0'..=b'9'))?;
    (at > 0 && rest[at - 1] == b' ' && rest.get(at + 1) == Some(&b' ')).then(|| of(rest[at])).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_heads() {
        for (line, level) in [
            ("Jun 14 15:16:01 combo sshd(pam_unix)[19939]: session opened", Level::Plain),
            ("<34>1 2003-10-11T22:14:15.003Z host app 12 ID47 - text", Level::Plain),
            ("[    1.234567] usb 1-1: new device", Level::Plain),
            ("{\"level\":\"warn\",\"ts\":1700000000.1,\"msg\":\"slow\"}", Level::Warning),
            ("{\"level\":50,\"time\":1700000000123,\"msg\":\"no\"}", Level::Error),
            ("time=2024-01-02T10:00:01Z level=error msg=\"no\"", Level::Error),
            ("127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 23", Level::Plain),
            ("127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 503 23", Level::Error),
            ("E0102 15:04:05.000000   1 a.go:12] no", Level::Error),
            ("03-17 16:13:38.811  1702  2395 W WindowManager: x", Level::Warning),
            ("I/ActivityManager( 585): Starting activity", Level::Plain),
            ("2015-10-18 18:01:47,978 INFO [main] a.B: text", Level::Plain),
            ("WARNING:root:careful", Level::Warning),
            ("[Sun Dec 04 04:47:44 2005] [error] mod_jk child", Level::Error),
            ("web_1  | 2024-01-02 10:00:01 INFO up", Level::Plain),
            ("2024-01-02 10:00:01.123 UTC [12] FATAL:  no database", Level::Error),
        ] {
            assert_eq!(head(line).map(|h| h.level), Some(level), "{line}");
        }
        for line in [
            "-rw-r--r-- 1 a b 12 2024-01-02 10:00:01.0 +0000 x",
            "| 1 | 2024-01-02 10:00:01 |",
            "plain text",
            "{\"a\": 1}",
            "\tat a.B.c(D.java:12)",
            "# 2024-01-02 10:00:01 a comment",
        ] {
            assert_eq!(head(line), None, "{line}");
        }
    }
}
