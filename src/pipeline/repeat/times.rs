//! Removes times from a text: durations and the time of day. A run that is repeated and differs only in times had the
//! same result.
//!
//! A number is a time only if a unit of time directly follows, or if it has hours, minutes and seconds.

use memchr::{memchr, memmem};

use crate::stop;

/// Units of time, except those that are also units of something else (`m`, `h`).
const UNITS: &[&[u8]] = &[
    b"s",
    b"ms",
    b"us",
    b"ns",
    b"\xc2\xb5s",
    b"sec",
    b"secs",
    b"second",
    b"seconds",
    b"msec",
    b"msecs",
    b"milliseconds",
    b"minute",
    b"minutes",
];
/// The longest number that may be a time, with its points and colons.
const MAX_NUMBER: usize = 24;

/// Words of a command that measures how long something takes.
const TIMERS: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "time",
    "timing",
    "timings",
    "perf",
    "durations",
    "hyperfine",
];
/// Texts in outputs that report durations: of libtest and Go, Criterion, pytest and others.
const TIMED: &[&str] = &["ns/iter", "ns/op", "time:   [", "slowest"];

/// Whether the call was made to measure times.
pub(super) fn are_wanted<'a>(command: &str, mut texts: impl Iterator<Item = &'a str>) -> bool {
    let mut words = command.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| TIMERS.iter().any(|timer| word.eq_ignore_ascii_case(timer)))
        || texts
            .any(|text| TIMED.iter().any(|timed| memmem::find(text.as_bytes(), timed.as_bytes()).is_some()))
}

/// Calls `give` with the pieces of a text between its times; each time is given as one byte.
pub(super) fn without(text: &str, mut give: impl FnMut(&[u8])) {
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        stop::check_sometimes();
        let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) else { break };
        let start = at + digit;
        let mut end = start;
        while end < bytes.len() && is_of_number(bytes, end) {
            end += 1;
        }
        let is_word = start > 0
            && (bytes[start - 1].is_ascii_alphanumeric() || memchr(bytes[start - 1], b"_.-:").is_some());
        if !is_word && end - start <= MAX_NUMBER && is_time(&bytes[start..end], &bytes[end..]) {
            give(&bytes[from..start]);
            give(&[1]);
            from = end;
        }
        at = end;
    }
    give(&bytes[from..]);
}

/// Whether a byte continues a number: a digit, or a point or colon before a digit.
fn is_of_number(bytes: &[u8], at: usize) -> bool {
    bytes[at].is_ascii_digit()
        || matches!(bytes[at], b'.' | b':') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
}

fn is_time(number: &[u8], behind: &[u8]) -> bool {
    let colons = number.iter().filter(|b| **b == b':').count();
    if colons > 0 {
        let clock = number
            .split(|b| *b == b':')
            .all(|part| (1..=2).contains(&part.iter().take_while(|b| **b != b'.').count()));
        return colons == 2 && clock && !behind.first().is_some_and(u8::is_ascii_alphanumeric);
    }
    let behind = behind.strip_prefix(b" ").unwrap_or(behind);
    let word = behind
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b >= 0x80 || **b == b'_')
        .take(16)
        .count();
    number.iter().filter(|b| **b == b'.').count() <= 1 && UNITS.contains(&&behind[..word])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        let mut out = Vec::new();
        without(text, |piece| out.extend_from_slice(piece));
        String::from_utf8_lossy(&out).replace('\u{1}', "T")
    }

    #[test]
    fn times_are_wanted_of_benchmarks() {
        for (command, text) in [
            ("cargo bench -p a", ""),
            ("time make", ""),
            ("pytest --durations=5", ""),
            ("go test -run x ./...", "BenchmarkA-8   120   9100 ns/op"),
            ("./run", "test a ... bench: 12 ns/iter (+/- 1)"),
        ] {
            assert!(are_wanted(command, std::iter::once(text)), "{command}: {text}");
        }
        assert!(!are_wanted("timeout 9 cargo test", std::iter::once("finished in 0.1s")));
    }

    #[test]
    fn times_go_and_other_numbers_stay() {
        for (text, expected) in [
            ("3 passed in 0.52s", "3 passed in Ts"),
            ("finished in 1.20 seconds", "finished in T seconds"),
            ("10:02:33.120 INFO start", "T INFO start"),
            ("took 12 ms, 5 \u{b5}s", "took T ms, T \u{b5}s"),
            ("a.rs:12:5 s", "a.rs:12:5 s"),
            ("v1.2.3 s, 4 m, 5 MB/s, 6 steps, x7s, 12:30", "v1.2.3 s, 4 m, 5 MB/s, 6 steps, x7s, 12:30"),
            ("127.0.0.1:8080:1", "127.0.0.1:8080:1"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }
}
