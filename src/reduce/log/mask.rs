//! Masks the values that vary between log lines with the same message: times, process and thread ids, memory
//! addresses, ports and durations. No other values are masked: lines with different counts, paths, keys or hashes are
//! different lines.

use super::layout::Head;
use super::stamp;
use crate::reduce::quantities;

/// The byte that replaces a masked value in a key. Never shown.
const MASK: u8 = 1;
/// An id starts within this many bytes after the time stamp.
const MAX_ID_OFFSET_BYTES: usize = 28;
/// A thread in brackets starts within this many bytes after the time stamp.
const MAX_THREAD_OFFSET_BYTES: usize = 90;

/// Bytes of the longest unit of a duration.
const MAX_UNIT_BYTES: usize = b"milliseconds".len();

/// Whether a word is a unit of a duration.
fn is_unit(word: &[u8]) -> bool {
    matches!(
        word,
        b"s" | b"m"
            | b"h"
            | b"ns"
            | b"us"
            | b"ms"
            | b"\xC2\xB5s"
            | b"sec"
            | b"min"
            | b"secs"
            | b"msec"
            | b"mins"
            | b"msecs"
            | b"hours"
            | b"second"
            | b"seconds"
            | b"minutes"
            | b"milliseconds"
    )
}

/// Whether a word is the key of a duration.
fn is_duration_key(word: &[u8]) -> bool {
    matches!(
        word,
        b"time"
            | b"duration"
            | b"duration_ms"
            | b"durationMs"
            | b"elapsed"
            | b"elapsed_ms"
            | b"latency"
            | b"latency_ms"
            | b"took"
            | b"responseTime"
            | b"response_time"
            | b"request_time"
    )
}

/// Whether a word is the key of a time or of the id of a process or thread.
fn is_id_key(word: &[u8]) -> bool {
    matches!(
        word,
        b"pid"
            | b"PID"
            | b"tid"
            | b"ppid"
            | b"thread"
            | b"Thread"
            | b"thread_id"
            | b"process"
            | b"port"
            | b"Port"
            | b"ts"
            | b"timestamp"
            | b"uptime"
    )
}

/// Appends a line with its varying values masked.
pub fn strict(line: &[u8], head: Option<Head>, out: &mut Vec<u8>) {
    // The line is written up to `done`.
    let mut done = 0;
    masked(line, head, |at, end| {
        out.extend_from_slice(&line[done..at]);
        // Ids are padded to a column.
        while let [.., b' ', b' '] = out[..] {
            out.pop();
        }
        out.push(MASK);
        done = end;
    });
    out.extend_from_slice(&line[done..]);
}

/// Appends the nanoseconds of every duration among the varying values of a line.
pub fn durations(line: &[u8], head: Option<Head>, out: &mut Vec<u64>) {
    let stamp = head.filter(|h| h.end > h.start).map(|h| h.start);
    masked(line, head, |at, end| {
        if stamp != Some(at) && line[at].is_ascii_digit() {
            out.extend(duration(line, at, end));
        }
    });
}

/// Calls `each` with the start and end of every varying value, in order.
fn masked(line: &[u8], head: Option<Head>, mut each: impl FnMut(usize, usize)) {
    let (start, end) = head.map_or((0, 0), |h| (h.start, h.end));
    let stamp = (end > start).then_some(start..end);
    let mut at = 0;
    while at < line.len() {
        let end = match &stamp {
            Some(stamp) if at == stamp.start => Some(stamp.end),
            _ => match line[at] {
                b'0'..=b'9' if is_word_start(line, at) => number(line, at, stamp.as_ref().map(|s| s.end)),
                b'A'..=b'Z' if is_word_start(line, at) => stamp::end(line, at),
                _ => None,
            },
        };
        if let Some(end) = end {
            each(at, end);
            at = end;
            continue;
        }
        let limit = stamp.as_ref().map(|s| s.start).filter(|start| at < *start).unwrap_or(line.len());
        at = next_start(line, at + 1, limit);
    }
}

/// A digit or a capital letter.
const STARTS_ID: u8 = 1;
/// A character after which a word continues.
const CONTINUES_WORD: u8 = 2;

/// The class of each byte.
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        table[byte as usize] = match byte {
            b'0'..=b'9' | b'A'..=b'Z' => STARTS_ID | CONTINUES_WORD,
            b'a'..=b'z' | b'_' | b'.' | b'/' | b'\\' => CONTINUES_WORD,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// The first digit or capital that starts a word, from `at` on and before `limit`, else `limit`.
fn next_start(line: &[u8], at: usize, limit: usize) -> usize {
    let mut before = CLASSES[usize::from(line[at - 1])];
    let starts = |byte: &u8| {
        let class = CLASSES[usize::from(*byte)];
        let starts = class & STARTS_ID != 0 && before & CONTINUES_WORD == 0;
        before = class;
        starts
    };
    let rest = line.get(at..limit).unwrap_or_default();
    rest.iter().position(starts).map_or(limit, |i| at + i)
}

fn is_word_start(line: &[u8], at: usize) -> bool {
    at == 0 || CLASSES[usize::from(line[at - 1])] & CONTINUES_WORD == 0
}

/// The end of the number at `at`, if it is a value that is masked.
fn number(line: &[u8], at: usize, stamp: Option<usize>) -> Option<usize> {
    if let Some(end) = stamp::end(line, at) {
        return Some(end);
    }
    if let [b'0', b'x', ..] = line[at..] {
        let n = line[at + 2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        return (n > 0 && !continues(line, at + 2 + n)).then_some(at + 2 + n);
    }
    let (_, whole) = stamp::digits(line, at);
    let end = match line.get(whole) {
        Some(b'.') if line.get(whole + 1).is_some_and(u8::is_ascii_digit) => stamp::digits(line, whole + 1).1,
        _ => whole,
    };
    if let Some(end) = unit(line, end) {
        return Some(end);
    }
    if continues(line, end) {
        return None;
    }
    let key = key(line, at);
    if is_duration_key(key) || is_id_key(key) || is_port(line, at) {
        return Some(end);
    }
    let before = at.checked_sub(1).map(|i| line[i]);
    // `sshd[123]:`
    if before == Some(b'[') && line.get(end) == Some(&b']') {
        let after_word = at >= 2 && (line[at - 2].is_ascii_alphanumeric() || line[at - 2] == b')');
        let after_stamp = stamp.is_some_and(|stamp| at >= stamp && at - stamp <= MAX_ID_OFFSET_BYTES);
        return (after_word || after_stamp).then_some(end);
    }
    let stamp = stamp.filter(|stamp| at >= *stamp)?;
    // `10:00:01.123  1702  2395 I Tag`
    let between = &line[stamp..at];
    if between.len() <= MAX_ID_OFFSET_BYTES
        && between.iter().all(|b| matches!(b, b' ' | b'0'..=b'9'))
        && line.get(end) == Some(&b' ')
    {
        return Some(end);
    }
    // `[http-nio-8080-exec-3]`
    let open = between.iter().rposition(|b| *b == b'[')?;
    let is_thread = between.len() <= MAX_THREAD_OFFSET_BYTES
        && before == Some(b'-')
        && line.get(end) == Some(&b']')
        && !between[open..].contains(&b' ');
    is_thread.then_some(end)
}

/// The nanoseconds of a number that varies, if it is one of a duration.
fn duration(line: &[u8], at: usize, end: usize) -> Option<u64> {
    let text = &line[at..end];
    let has_unit = !text.last()?.is_ascii_digit();
    quantities::nanoseconds(text).filter(|_| has_unit || is_duration_key(key(line, at)))
}

/// Whether a word continues at `at`.
fn continues(line: &[u8], at: usize) -> bool {
    match line.get(at) {
        Some(b'_' | b'/') => true,
        Some(b'-' | b'.' | b':') => line.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(b) => b.is_ascii_alphanumeric() || *b >= 0x80,
        None => false,
    }
}

/// The end of a unit of time at `at`, after an optional blank.
fn unit(line: &[u8], at: usize) -> Option<usize> {
    let blank = usize::from(line.get(at) == Some(&b' '));
    let rest = line.get(at + blank..)?;
    let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic() || **b >= 0x80).count();
    if !(1..=MAX_UNIT_BYTES).contains(&letters) {
        return None;
    }
    let is_unit = is_unit(rest.get(..letters)?) && (blank == 0 || letters > 1);
    let end = at + blank + letters;
    // `1m30s`
    match line.get(end) {
        Some(b) if is_unit && blank == 0 && b.is_ascii_digit() => {
            let (_, digits) = stamp::digits(line, end);
            unit(line, digits)
        }
        Some(b'_' | b'/') => None,
        Some(b'-' | b'.') if line.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) => None,
        _ => is_unit.then_some(end),
    }
}

/// The key of which the number at `at` is the value: `pid=1`, `"pid":1`, `port 1`, `pid: 1`. Empty when
/// there is none.
fn key(line: &[u8], at: usize) -> &[u8] {
    let head = &line[..at];
    let head = head.strip_suffix(b" ").unwrap_or(head);
    let head = head.strip_suffix(b"=").or_else(|| head.strip_suffix(b":")).unwrap_or(head);
    let head = head.strip_suffix(b"\"").unwrap_or(head);
    if head.len() == at {
        return &[];
    }
    let word = head.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    &head[head.len() - word..]
}

/// Whether the number at `at` is after an address and a colon: `10.0.0.1:1234`.
fn is_port(line: &[u8], at: usize) -> bool {
    let Some(head) = line[..at].strip_suffix(b":") else { return false };
    let address = head.iter().rev().take(15).take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let address = &head[head.len() - address..];
    address.iter().filter(|b| **b == b'.').count() == 3 && address.first().is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::super::layout;
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        let mask = |line: &str| {
            let mut out = Vec::new();
            strict(line.as_bytes(), layout::head(line), &mut out);
            out
        };
        mask(a) == mask(b)
    }

    #[test]
    fn masks_what_varies() {
        for (a, b) in [
            ("Jun 14 15:16:01 h sshd[1]: ok", "Jun 15 02:04:59 h sshd[19937]: ok"),
            ("2024-01-02 10:00:01 INFO took 12ms", "2024-01-02 10:00:02 INFO took 1.5s"),
            ("2024-01-02 10:00:01 INFO from 1.2.3.4:80", "2024-01-02 10:00:01 INFO from 1.2.3.4:8080"),
            ("2024-01-02 10:00:01 INFO at 0xdead", "2024-01-02 10:00:01 INFO at 0xbeef01"),
            ("{\"ts\":1.5,\"pid\":3,\"msg\":\"x\"}", "{\"ts\":2.25,\"pid\":44,\"msg\":\"x\"}"),
            ("03-17 16:13:38.811  1702  2395 D W: x", "03-17 16:13:39.000  12 8 D W: x"),
            ("2024-01-02 10:00:01 [exec-3] INFO x", "2024-01-02 10:00:01 [exec-12] INFO x"),
            ("2024-01-02 10:00:01 INFO port 12 up", "2024-01-02 10:00:01 INFO port 13 up"),
            ("2024-01-02 10:00:01 INFO in 5 seconds", "2024-01-02 10:00:01 INFO in 50 seconds"),
        ] {
            assert!(same(a, b), "{a} | {b}");
        }
    }

    #[test]
    fn keeps_what_is_a_value() {
        for (a, b) in [
            ("2024-01-02 10:00:01 INFO order 12", "2024-01-02 10:00:01 INFO order 13"),
            ("2024-01-02 10:00:01 INFO commit 1a2b3c4", "2024-01-02 10:00:01 INFO commit 1a2b3c5"),
            ("2024-01-02 10:00:01 INFO from 1.2.3.4", "2024-01-02 10:00:01 INFO from 1.2.3.5"),
            ("2024-01-02 10:00:01 INFO v1.2.3", "2024-01-02 10:00:01 INFO v1.2.4"),
            ("2024-01-02 10:00:01 INFO 3 of 9", "2024-01-02 10:00:01 INFO 4 of 9"),
            ("2024-01-02 10:00:01 INFO id=5s-x", "2024-01-02 10:00:01 INFO id=6s-x"),
            ("2024-01-02 10:00:01 INFO /a/12ms", "2024-01-02 10:00:01 INFO /a/13ms"),
            ("2024-01-02 10:00:01 INFO a.c:12", "2024-01-02 10:00:01 INFO a.c:13"),
            ("2024-01-02 10:00:01 INFO 80% done", "2024-01-02 10:00:01 INFO 90% done"),
        ] {
            assert!(!same(a, b), "{a} | {b}");
        }
    }
}
