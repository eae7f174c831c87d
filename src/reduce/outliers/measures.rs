//! Reads durations and sizes from lines of any program, and finds the lines with far larger values than the others.

use crate::reduce::quantities::{MILLI, nanoseconds};
use crate::text::judge;

/// Words of a line that are read. Bounds the work.
const MAX_WORDS: usize = 48;
/// Fewest lines in which one can be an outlier. A choice: fewer lines show no usual value.
const MIN_LINES: usize = 8;
/// Most lines that are kept because of one measure.
const MAX_FAR: usize = 2;
/// A step that takes less than this, in nanoseconds, is never slow, and one that moves less than `LEAST_BYTES` is
/// never large. Choices: an eighth of the value that makes a line an outlier among lines without a value.
const LEAST_STEP: u64 = 2_000 * MILLI;
const LEAST_BYTES: u64 = 16 << 20;
/// The same for single calls to the kernel.
const LEAST_CALL: u64 = 10 * MILLI;
const LEAST_CALL_BYTES: u64 = 64 << 20;
/// The same for processor time, and for any count.
const LEAST_USE: u64 = 60_000 * MILLI;

/// The times and sizes in a line; 0 if it has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Measures {
    /// The longest duration, in nanoseconds.
    time: u64,
    /// The largest size, in bytes.
    bytes: u64,
    /// The elapsed time before the message of a line, in nanoseconds.
    clock: u64,
}

impl Measures {
    /// The measures of a line of any program: `Read complete after 3m14s`, `41.2s`, `2.81GB`, `12 kB`,
    /// `#40 211.31 ok`.
    pub fn of_step(line: &str) -> Self {
        let mut out = Self::default();
        // A timeout is not a duration. A step that still runs reports its duration when it ends.
        if memchr::memmem::find(line.as_bytes(), b"imeout").is_some()
            || line.trim_end().ends_with(" elapsed]")
        {
            return out;
        }
        let (mut number, mut says) = ("", false);
        for word in line.split_ascii_whitespace().take(MAX_WORDS) {
            let start = word.rfind(['(', '[', '=', '<', ':', '"']).map_or(0, |at| at + 1);
            let bare = word[start..].trim_end_matches([')', ']', '>', ',', ';', '.', '}', '"', '\'']);
            let before = std::mem::take(&mut number);
            if !bare.starts_with(|c: char| c.is_ascii_digit()) {
                if !before.is_empty() {
                    out.add(before, bare);
                }
                says |= word.bytes().any(|b| b.is_ascii_alphabetic());
                continue;
            }
            let digits = bare.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
            let (value, unit) = bare.split_at(digits);
            if !unit.is_empty() {
                out.add(value, unit);
                says |= unit.bytes().any(|b| b.is_ascii_alphabetic());
                continue;
            }
            number = value;
            if !says && start == 0 && value.contains('.') {
                out.clock = out.clock.max(seconds(value));
            }
        }
        out
    }

    fn add(&mut self, value: &str, unit: &str) {
        match unit.as_bytes() {
            [b'n' | b'u' | b'm' | b's' | b'h' | 0xC2, ..] => {
                let time = match unit.bytes().any(|b| b.is_ascii_digit()) {
                    // `3m14s`: one word.
                    true => nanoseconds(format!("{value}{unit}").as_bytes()),
                    false => nanoseconds(unit_of(value, unit).as_bytes()),
                };
                self.time = self.time.max(time.unwrap_or(0));
            }
            unit => self.bytes = self.bytes.max(bytes(value, unit)),
        }
    }

    /// The measures of a call to the kernel: its duration after it, as in `= 0 <31.204411>`, the time since the call before,
    /// and the largest number among its arguments.
    pub fn of_call(line: &str) -> Self {
        let line = line.trim_end();
        let (call, time) = match line.strip_suffix('>').and_then(|line| line.rsplit_once(" <")) {
            Some((call, time)) => (call, seconds(time)),
            None => (line, 0),
        };
        let arguments = call.rsplit_once(" = ").map_or(call, |(call, _)| call);
        let arguments = arguments.split_once('(').map_or("", |(_, arguments)| arguments);
        let numbers = arguments.split([',', ')']).map(str::trim).filter_map(|word| word.parse().ok());
        // The largest number of its type means "any number".
        let numbers =
            numbers.filter(|n| ![i32::MAX as u64, u32::MAX.into(), i64::MAX as u64, u64::MAX].contains(n));
        // `-r` writes the time since the call before, after the id of the process.
        let is_time = |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
        let clock = call.split_ascii_whitespace().take(2).find(is_time).map_or(0, seconds);
        Self { time, bytes: numbers.max().unwrap_or(0), clock }
    }

    /// The processor time of a process: `00:00:31`, `981:09.11`, `1-02:03:04`.
    pub fn of_use(text: &str) -> Self {
        let (days, clock) = text.split_once('-').unwrap_or(("0", text));
        let parts = clock.split(':');
        let sum = parts.fold(0, |sum: u64, part| sum.saturating_mul(60).saturating_add(seconds(part)));
        let days = days.parse().unwrap_or(0u64).saturating_mul(86_400_000).saturating_mul(MILLI);
        Self { time: sum.saturating_add(days), ..Self::default() }
    }
}

/// The indexes of the lines with far larger values than most, for steps of a program.
pub fn far_steps(of: &[Measures]) -> Vec<usize> {
    far(of, LEAST_STEP, LEAST_BYTES)
}

/// The same for calls to the kernel.
pub fn far_calls(of: &[Measures]) -> Vec<usize> {
    far(of, LEAST_CALL, LEAST_CALL_BYTES)
}

/// The same for processes.
pub fn far_uses(of: &[Measures]) -> Vec<usize> {
    far(of, LEAST_USE, LEAST_BYTES)
}

fn far(of: &[Measures], least_time: u64, least_bytes: u64) -> Vec<usize> {
    if of.len() < MIN_LINES {
        return Vec::new();
    }
    let column = |value: fn(&Measures) -> u64, least| {
        // Most lines have no value for most measures.
        if of.iter().all(|measures| value(measures) <= least) {
            return Vec::new();
        }
        let values: Vec<u64> = of.iter().map(value).collect();
        judge::much_larger(&values, least, MAX_FAR)
    };
    let mut out = column(|m| m.time, least_time);
    out.extend(column(|m| m.bytes, least_bytes));
    out.extend(column(|m| m.clock, least_time));
    out.sort_unstable();
    out.dedup();
    out
}

/// The nanoseconds of a number of seconds; 0 for other text.
fn seconds(text: &str) -> u64 {
    let is_number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    // Without a unit it counts milliseconds.
    let time = is_number.then(|| nanoseconds(text.as_bytes())).flatten();
    time.map_or(0, |time| time.saturating_mul(1000))
}

/// The unit after a number; of several words only the first counts: `4 seconds`.
fn unit_of(value: &str, unit: &str) -> String {
    const MAX_UNIT_BYTES: usize = 12;
    if unit.len() > MAX_UNIT_BYTES { String::new() } else { format!("{value} {unit}") }
}

/// The bytes of a number with a unit of size; 0 for any other.
fn bytes(value: &str, unit: &[u8]) -> u64 {
    let shift = match unit {
        b"B" | b"bytes" => 0,
        b"kB" | b"KB" | b"KiB" => 10,
        // `208M` may count iterations.
        b"MB" | b"MiB" => 20,
        b"GB" | b"GiB" => 30,
        b"TB" | b"TiB" => 40,
        _ => return 0,
    };
    let number: f64 = value.parse().unwrap_or(0.0);
    // Saturates.
    (number * (1u64 << shift) as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_calls_and_uses_are_measured() {
        let step = |line| {
            let Measures { time, bytes, clock } = Measures::of_step(line);
            (time / MILLI, bytes, clock / MILLI)
        };
        for (line, expected) in [
            ("a.base: Read complete after 3m14s [id=ami-0]", (194_000, 0, 0)),
            ("npm http fetch GET 200 https://a/b 48112ms (cache miss)", (48_112, 0, 0)),
            ("#3 transferring context: 2.5GB 41.2s done", (41_200, 5 << 29, 0)),
            ("#40 211.31 ok", (0, 0, 211_310)),
            ("Get:28 http://a/b main lib27x amd64 2.27-1 [44 kB]", (0, 44 << 10, 0)),
            ("10:00:01.5 at 1.2 MB/s, took 22 s", (22_000, 0, 0)),
            ("Compiling serde v1.0.0", (0, 0, 0)),
            ("waiting with timeout of 30s", (0, 0, 0)),
            ("a: Still creating... [50s elapsed]", (0, 0, 0)),
            ("estimated 208M iterations", (0, 0, 0)),
            ("x 0x7f 12 monkeys", (0, 0, 0)),
        ] {
            assert_eq!(step(line), expected, "{line}");
        }
        let call = |line| (Measures::of_call(line).time / MILLI, Measures::of_call(line).bytes);
        assert_eq!(call("08:00:10.1 futex(0x55d0, FUTEX_WAIT, 2, NULL) = 0 <31.204411>"), (31_204, 2));
        assert_eq!(call("mmap(NULL, 8589934592, PROT_READ, -1, 0) = 0x7f <0.000012>"), (0, 8_589_934_592));
        assert_eq!(call("futex(0x7f, FUTEX_WAKE_PRIVATE, 2147483647) = 0"), (0, 0));
        assert_eq!(call("clock_gettime(CLOCK_REALTIME, {tv_sec=1763107200, tv_nsec=1}) = 0"), (0, 0));
        let time = |text| Measures::of_use(text).time / MILLI;
        assert_eq!(
            (time("00:00:31"), time("981:09.11"), time("1-00:00:01")),
            (31_000, 58_869_110, 86_401_000)
        );
        assert_eq!(time("?"), 0);
    }

    #[test]
    fn the_far_ones_are_found() {
        let far = |lines: &[&str]| far_steps(&lines.iter().map(|l| Measures::of_step(l)).collect::<Vec<_>>());
        let usual = ["a 12ms"; 9];
        assert_eq!(far(&[&usual[..], &["a 48112ms", "b 9.1GB"]].concat()), [9, 10]);
        assert_eq!(far(&[&usual[..], &["a 900ms"]].concat()), [0; 0]);
        assert_eq!(far(&["a 48112ms", "a 12ms"]), [0; 0]);
    }
}
