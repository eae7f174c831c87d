//! What varies from one writing of a log line to the next though it says the same: times, process and
//! thread ids, addresses in memory, ports and durations. No other number and no other value is one of
//! these: two lines with different counts, paths, keys or hashes are different lines.

use super::layout::Head;
use super::stamp;

/// What stands for a masked value in a key. Never shown.
const MASK: u8 = 1;
/// Ids stand within so many bytes behind the stamp.
const IDS: usize = 28;
/// A thread in brackets stands within so many.
const THREADS: usize = 90;

/// Units of durations.
const UNITS: &[&[u8]] = &[
    b"ns",
    b"us",
    b"\xC2\xB5s",
    b"ms",
    b"s",
    b"sec",
    b"secs",
    b"second",
    b"seconds",
    b"msec",
    b"msecs",
    b"m",
    b"min",
    b"mins",
    b"minutes",
    b"h",
    b"hours",
    b"milliseconds",
];
/// Bytes of the longest of them.
const LONGEST_UNIT: usize = b"milliseconds".len();
/// Keys before a number that is a duration, a time or an id of a process or thread.
const KEYS: &[&[u8]] = &[
    b"pid",
    b"PID",
    b"tid",
    b"ppid",
    b"thread",
    b"Thread",
    b"thread_id",
    b"process",
    b"port",
    b"Port",
    b"ts",
    b"time",
    b"timestamp",
    b"duration",
    b"duration_ms",
    b"durationMs",
    b"elapsed",
    b"elapsed_ms",
    b"latency",
    b"latency_ms",
    b"took",
    b"responseTime",
    b"response_time",
    b"request_time",
    b"uptime",
];

/// Appends a line with what varies masked.
pub fn strict(line: &[u8], head: Option<Head>, out: &mut Vec<u8>) {
    let (start, end) = head.map_or((0, 0), |h| (h.start, h.end));
    let is_stamped = end > start;
    let mut at = 0;
    while at < line.len() {
        let rest = match line[at] {
            _ if is_stamped && at == start => Some(end),
            b'0'..=b'9' if is_word_start(line, at) => number(line, at, is_stamped.then_some(end)),
            b'A'..=b'Z' if is_word_start(line, at) => stamp::end(line, at),
            _ => None,
        };
        match rest {
            Some(end) => {
                // Ids are padded to a column.
                while let [.., b' ', b' '] = out[..] {
                    out.pop();
                }
                out.push(MASK);
                at = end;
            }
            None if line[at].is_ascii_digit() => {
                let (_, end) = stamp::digits(line, at);
                out.extend_from_slice(&line[at..end]);
                at = end;
            }
            None => {
                // Nothing starts before the next digit or capital, or the stamp.
                let limit = if is_stamped && at < start { start } else { line.len() };
                let is_plain = |b: &&u8| !(b.is_ascii_digit() || b.is_ascii_uppercase());
                let end = at + 1 + line[at + 1..limit].iter().take_while(is_plain).count();
                out.extend_from_slice(&line[at..end]);
                at = end;
            }
        }
    }
}

fn is_word_start(line: &[u8], at: usize) -> bool {
    at == 0 || !(line[at - 1].is_ascii_alphanumeric() || matches!(line[at - 1], b'_' | b'.' | b'/' | b'\\'))
}

/// The end of the number at `at` if it is of a kind that varies.
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
    if is_keyed(line, at) || is_port(line, at) {
        return Some(end);
    }
    let before = at.checked_sub(1).map(|i| line[i]);
    // `sshd[123]:`
    if before == Some(b'[') && line.get(end) == Some(&b']') {
        let after_word = at >= 2 && (line[at - 2].is_ascii_alphanumeric() || line[at - 2] == b')');
        let after_stamp = stamp.is_some_and(|stamp| at >= stamp && at - stamp <= IDS);
        return (after_word || after_stamp).then_some(end);
    }
    let stamp = stamp.filter(|stamp| at >= *stamp)?;
    // `10:00:01.123  1702  2395 I Tag`
    let between = &line[stamp..at];
    if between.len() <= IDS
        && between.iter().all(|b| matches!(b, b' ' | b'0'..=b'9'))
        && line.get(end) == Some(&b' ')
    {
        return Some(end);
    }
    // `[http-nio-8080-exec-3]`
    let open = between.iter().rposition(|b| *b == b'[')?;
    let is_thread = between.len() <= THREADS
        && before == Some(b'-')
        && line.get(end) == Some(&b']')
        && !between[open..].contains(&b' ');
    is_thread.then_some(end)
}

/// Whether a word goes on at `at`.
fn continues(line: &[u8], at: usize) -> bool {
    match line.get(at) {
        Some(b'_' | b'/') => true,
        Some(b'-' | b'.' | b':') => line.get(at + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(b) => b.is_ascii_alphanumeric() || *b >= 0x80,
        None => false,
    }
}

/// The end of a unit of time at `at`, which a blank may stand before.
fn unit(line: &[u8], at: usize) -> Option<usize> {
    let blank = usize::from(line.get(at) == Some(&b' '));
    let rest = line.get(at + blank..)?;
    let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic() || **b >= 0x80).count();
    if !(1..=LONGEST_UNIT).contains(&letters) {
        return None;
    }
    let is_unit = UNITS.contains(&rest.get(..letters)?) && (blank == 0 || letters > 1);
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

/// Whether the number at `at` is the value of one of `KEYS`: `pid=1`, `"pid":1`, `port 1`, `pid: 1`.
fn is_keyed(line: &[u8], at: usize) -> bool {
    let head = &line[..at];
    let head = head.strip_suffix(b" ").unwrap_or(head);
    let head = head.strip_suffix(b"=").or_else(|| head.strip_suffix(b":")).unwrap_or(head);
    let head = head.strip_suffix(b"\"").unwrap_or(head);
    if head.len() == at {
        return false;
    }
    let word = head.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    KEYS.contains(&&head[head.len() - word..])
}

/// Whether the number at `at` stands behind an address and a colon: `10.0.0.1:1234`.
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
