//! Whether a line states its own position: it starts with a time, with its number, or with a file and a line. A gap
//! between two such lines is visible without a mark.

/// Bytes at the start of a line that are read.
const MAX_BYTES: usize = 48;

/// What a line states about its own position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinePosition {
    /// Nothing.
    Unknown,
    /// The time when it was written. The number of lines between two times is still unknown.
    Time,
    /// Its number.
    Number,
}

/// What a line states about its position.
pub fn place(line: &str) -> LinePosition {
    let line = line.trim_start_matches([' ', '\t', '[', '(', '<']).as_bytes();
    let line = &line[..line.len().min(MAX_BYTES)];
    match () {
        // `08:15:02` would also match as a line number.
        () if line.len() >= 8 && has_clock(&line[..8]) => LinePosition::Time,
        () if is_numbered(line) || is_in_file(line) => LinePosition::Number,
        () if is_date(line) || has_clock(line) => LinePosition::Time,
        () => LinePosition::Unknown,
    }
}

/// `185: x`, `185|x`, or `185` followed by a tab or an arrow.
fn is_numbered(line: &[u8]) -> bool {
    let rest = &line[digits(line)..];
    rest.len() < line.len() && BEHIND_NUMBERS.iter().any(|sign| rest.starts_with(sign.as_bytes()))
}

/// The signs that may follow the number of a line.
const BEHIND_NUMBERS: &[&str] = &[":", "|", "\t", "→"];

/// The number before a line, and the text after it.
pub fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches([' ', '\t', '[', '(', '<']);
    let (number, rest) = line.split_at(digits(line.as_bytes()));
    let rest = BEHIND_NUMBERS.iter().find_map(|sign| rest.strip_prefix(sign))?;
    Some((number.parse().ok()?, rest))
}

/// `2025-10-14`, `2025/10/14`
fn is_date(line: &[u8]) -> bool {
    digits(line) == 4 && matches!(line.get(4), Some(b'-' | b'/')) && digits(&line[5..]) == 2
}

/// `08:15:02`, near the start.
fn has_clock(line: &[u8]) -> bool {
    line.windows(8).any(is_clock)
}

fn is_clock(eight: &[u8]) -> bool {
    eight.iter().enumerate().all(|(i, b)| if i % 3 == 2 { *b == b':' } else { b.is_ascii_digit() })
}

/// The digits of a line up to the end of its first time near the start, as a number: date and time. In one log it does not
/// fall from line to line.
pub fn clock(line: &str) -> Option<u128> {
    let head = &line.as_bytes()[..line.len().min(MAX_BYTES)];
    let end = head.windows(8).position(is_clock)? + 8;
    let digits = head[..end].iter().filter(|b| b.is_ascii_digit());
    Some(digits.fold(0, |n: u128, b| n.saturating_mul(10).saturating_add(u128::from(b - b'0'))))
}

/// The seconds of half a day, after which clocks with `AM` and `PM` repeat.
pub const HALF_DAY: u32 = 12 * 60 * 60;

/// The second of the day of the first time near the start of a line.
pub fn second_of_day(line: &str) -> Option<u32> {
    let time = u32::try_from(clock(line)? % 1_000_000).ok()?;
    Some(time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100)
}

/// `src/a.rs:12`
fn is_in_file(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let at_number = |at: &usize| word.get(at + 1).is_some_and(u8::is_ascii_digit);
    let colon = memchr::memchr_iter(b':', word).find(at_number);
    let is_file = |at: usize| memchr::memchr2(b'.', b'/', &word[..at]).is_some();
    colon.is_some_and(is_file) && memchr::memmem::find(word, b"://").is_none()
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_date() {
        assert_eq!(clock("2025-10-14T08:15:02Z WARN x"), Some(20_251_014_081_502));
        assert_eq!(clock("[08:15:02] x 09:00:00"), Some(81_502));
        assert_eq!(clock("08:15 x"), None);
        assert_eq!(second_of_day("Oct 14 08:15:02 x"), Some((8 * 60 + 15) * 60 + 2));
    }

    #[test]
    fn times_numbers_and_files_tell_the_place() {
        for line in ["185:    let a", "  12\tlet a", "  12→let a", "src/a.rs:12:5: error", "./a.py:3: in f"]
        {
            assert_eq!(place(line), LinePosition::Number, "{line}");
        }
        for line in
            ["2025-10-14T08:15:02Z WARN x", "[2025/10/14 x", "Oct 14 08:15:02 host sshd", "08:15:02 x"]
        {
            assert_eq!(place(line), LinePosition::Time, "{line}");
        }
        for line in [
            "",
            "let a = 1",
            "12 rows",
            "error: no more",
            "  File \"a.py\", line 3",
            "http://a:80",
            "2025 was",
        ] {
            assert_eq!(place(line), LinePosition::Unknown, "{line}");
        }
    }
}
