//! What logs write in front of a line: a time, with who wrote the line before or behind it, levels, processes and loggers;
//! and what `git blame` writes.
//!
//! It reads one line, and for a logger without a sign of its own the lines beside it, which begin with the same.

use super::view::blanks;

/// Bytes of a line in which its time ends.
const MAX_BEFORE_BYTES: usize = 160;
/// Longest word in front of a line.
const MAX_WORD_BYTES: usize = 80;
/// Most words behind a time. A choice.
const MAX_WORDS: usize = 10;
/// Most blanks between two words, as loggers pad their columns.
const MAX_BLANKS: usize = 24;

const LEVELS: &[&str] = &[
    "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "stdout", "stderr",
];

/// Bytes of a log in front of a line. `beside` are the lines before and behind it, where they are known.
pub(super) fn head(line: &[u8], beside: &[&[u8]]) -> usize {
    let near = &line[..line.len().min(MAX_BEFORE_BYTES)];
    if let Some(at) = blamed(near).or_else(|| of_kubernetes(near)) {
        return at;
    }
    let (is_system, from) = match time(near, usize::from(line.first() == Some(&b'['))) {
        Some(at) => (false, at),
        None => match (month(near), behind_tab(near)) {
            (Some(at), _) => (true, at),
            (None, Some(at)) => (false, at),
            (None, None) => return 0,
        },
    };
    words(line, from, is_system, beside)
}

/// Where what stands behind a time ends: levels, brackets, processes and loggers, up to the last of them that is sure.
fn words(line: &[u8], from: usize, is_system: bool, beside: &[&[u8]]) -> usize {
    let mut sure = blanks(line, from, 1);
    let (mut at, mut had_level, mut is_open) = (from, false, is_system);
    for count in 0..MAX_WORDS {
        let before = at;
        at = blanks(line, at, MAX_BLANKS);
        let word = word(line, at);
        if word.is_empty() {
            break;
        }
        let end = at + word.len();
        let bare = || word.iter().filter(|b| b.is_ascii_alphabetic());
        let is_level = LEVELS.iter().any(|level| {
            level.len() == bare().count() && bare().map(u8::to_ascii_lowercase).eq(level.bytes())
        });
        // Alone in its line it is the heading of a section.
        let is_bracket =
            word[0] == b'[' && word.last().is_some_and(|b| b"]:".contains(b)) && end < line.len();
        // The logger, whose name ends in a colon, and the process of a system log.
        let is_named = word.len() > 1
            && word.ends_with(b":")
            && (had_level && word.contains(&b'.') && word.iter().all(|b| is_name(*b) || *b == b':')
                || is_process(word)
                || is_system && count < 2);
        let is_sign = matches!(word, b"-" | b":" | b"---" | b"|") && end < line.len() && at <= before + 1;
        // Whether a line of a container is whole.
        let is_tag = had_level && matches!(word, b"F" | b"P");
        let is_sure = is_level || is_bracket || is_named || is_tag;
        if is_sure || is_sign && (at == sure || shares(line, sure..end, beside)) {
            sure = blanks(line, end, 1);
            had_level = true;
            is_open = true;
            if is_named {
                break;
            }
        } else if !word.iter().all(|b| is_name(*b))
            || !(is_open || count == 0 && is_process(self::word(line, blanks(line, end, 1))))
        {
            break;
        } else {
            // It counts if something sure follows: one host of a system log, or a logger with a sign behind it.
            is_open = !is_system || count == 0;
        }
        at = end;
    }
    sure
}

/// Whether a line beside this one has the same in a range.
fn shares(line: &[u8], range: std::ops::Range<usize>, beside: &[&[u8]]) -> bool {
    let here = &line[range.clone()];
    beside.iter().any(|other| {
        let there = other.get(range.clone()).unwrap_or_default();
        let is_same = |(a, b): (&u8, &u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
        there.len() == here.len() && here.iter().zip(there).all(is_same)
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-$/#@".contains(&byte)
}

/// `app[123]:`
fn is_process(word: &[u8]) -> bool {
    let Some(inside) = word.strip_suffix(b"]:") else { return false };
    let digits = inside.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && inside[..inside.len() - digits].ends_with(b"[") && inside.len() > digits + 1
}

fn word(line: &[u8], at: usize) -> &[u8] {
    let rest = line.get(at..).unwrap_or_default();
    let len = rest.iter().take(MAX_WORD_BYTES).take_while(|b| !b.is_ascii_whitespace()).count();
    &rest[..len]
}

/// Where the time at `from` ends, with the blank before what follows: a date, a time of day, or both.
fn time(line: &[u8], from: usize) -> Option<usize> {
    line.get(from).filter(|b| b.is_ascii_digit())?;
    let (mut at, mut end) = (from, from);
    for _ in 0..2 {
        let word = word(line, at);
        if !is_time(word) {
            break;
        }
        end = at + word.len();
        at = blanks(line, end, 1);
    }
    (end > from).then_some(end)
}

fn is_time(word: &[u8]) -> bool {
    let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
    // `T` and `Z`, or the name of a month.
    digits * 2 >= word.len()
        && letters <= 3
        && word.len() >= 8
        && word.iter().any(|b| matches!(b, b':' | b'-' | b'/'))
}

/// `Nov 27 10:00:00` of a system log.
fn month(line: &[u8]) -> Option<usize> {
    let name = line.get(..4)?;
    let is_month =
        name[0].is_ascii_uppercase() && name[1..3].iter().all(u8::is_ascii_lowercase) && name[3] == b' ';
    let day = blanks(line, 4, 1);
    let digits = line.get(day..)?.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
    let at = blanks(line, day + digits, 1);
    (is_month && (1..=2).contains(&digits) && is_time(word(line, at))).then(|| at + word(line, at).len())
}

/// `I1127 10:00:00.123456  1 main.go:12] ` of Kubernetes.
fn of_kubernetes(line: &[u8]) -> Option<usize> {
    let day = line.get(..6).filter(|day| b"IWEF".contains(&day[0]) && day[5] == b' ')?;
    let is_day = day[1..5].iter().all(u8::is_ascii_digit) && is_time(word(line, 6));
    let close = memchr::memmem::find(line, b"] ")?;
    is_day.then_some(close + 2)
}

/// `job<tab>step<tab>2026-11-27T10:00:00Z`: a time behind fields with tabs between.
fn behind_tab(line: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'\t', line).take(4).find_map(|tab| {
        let is_day = line.get(tab + 1..tab + 12)?.iter().filter(|b| matches!(b, b'-' | b'T')).count() == 3;
        time(line, tab + 1).filter(|_| is_day)
    })
}

/// `a1b2c3d4 src/x.py (J Doe 2026-11-27 10:00:00 +0100 12) ` of `git blame`.
fn blamed(line: &[u8]) -> Option<usize> {
    let hash = usize::from(line.first() == Some(&b'^'));
    let digits = line[hash..].iter().take(41).take_while(|b| b.is_ascii_hexdigit()).count();
    if !(7..=40).contains(&digits) || line.get(hash + digits) != Some(&b' ') {
        return None;
    }
    let open = memchr::memchr(b'(', line)?;
    let close = open + memchr::memmem::find(&line[open..], b") ")?;
    let inside = &line[open + 1..close];
    let number = inside.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let has_day = inside.windows(10).any(|day| {
        day.iter().enumerate().all(|(n, b)| if matches!(n, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() })
    });
    (number > 0 && inside.len() > number + 10 && has_day).then_some(close + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::secrets::redact;

    #[test]
    fn a_log_ends_before_its_message() {
        for (line, message) in [
            ("2031-11-27T10:00:01.123Z INFO  [main] message", "message"),
            ("2031-11-27 10:00:01 web: a", "web: a"),
            ("[2031-11-27 10:00:01] [ERROR] a", "a"),
            ("2031-11-27T10:00:01Z INFO   password: a", "  password: a"),
            ("2031-11-27T10:00:01Z INFO [client]", "[client]"),
            ("2031-11-27T10:00:01Z password : a", "password : a"),
            ("2031-11-27T10:00:01.1Z stdout F   a", "  a"),
            ("2031-11-27T10:00:01+0100 host app[12]:   a", "  a"),
            ("Nov 27 10:00:01 host app[123]:   a: b", "  a: b"),
            ("Nov  7 10:00:01 host kernel: a", "a"),
            ("build\tRun tests\t2031-11-27T10:00:00.1234567Z   a", "  a"),
            ("a1b2c3d4 (J Doe 2031-11-27 10:00:00 +0100  1)   a: b", "  a: b"),
            ("^a1b2c3d src/x.yml (J Doe 2031-11-27 10:00:00 +0100 12) a", "a"),
            ("I1127 10:00:00.123456       1 main.go:12] a: b", "a: b"),
            ("deadbeef (a) b", "deadbeef (a) b"),
            ("name\tvalue\tother", "name\tvalue\tother"),
            ("May is a month: a", "May is a month: a"),
        ] {
            assert_eq!(&line[head(line.as_bytes(), &[])..], message, "{line}");
        }
        for (line, message) in [
            ("2031-11-27T10:00:01.1Z INFO  [main] app.Boot -   a: b", "  a: b"),
            ("2031-11-27 10:00:01,123 - app.web - INFO - a", "a"),
            ("2031-11-27T10:00:01.123+01:00  INFO 1234 --- [app] [main] c.e.App : a", "a"),
        ] {
            let next = line.replace(message, "z");
            assert_eq!(&line[head(line.as_bytes(), &[next.as_bytes()])..], message, "{line}");
        }
    }

    #[test]
    fn values_below_names_go_behind_all_kinds_of_heads() {
        for head in [
            "2031-11-27T10:00:01.123Z INFO  [main] app.Boot - ",
            "Nov 27 10:00:01 host app[123]: ",
            "build\tRun tests\t2031-11-27T10:00:00.1234567Z ",
            "a1b2c3d4 (J Doe 2031-11-27 10:00:00 +0100  1) ",
            "    // ",
            "     | ",
        ] {
            for text in [
                "kind: Secret\nstringData:\n  smtp: Kx9mQ2vLw7z\n",
                "password: |\n  Kx9mQ2vLw7z\nuser: ada\n",
                "secret = \"\"\"\nKx9mQ2vLw7zAb4tR8nB3rY6c\n\"\"\"\n",
                "        - name: DB_PASSWORD\n          value: Kx9mQ2vLw7z\n",
                "name,user,password\nh,ada,Kx9mQ2vLw7z\n",
            ] {
                let text: String = text.lines().map(|line| format!("{head}{line}\n")).collect();
                let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
                assert!(!out.contains("Kx9mQ2"), "{out}");
                assert_eq!(out.lines().count(), text.lines().count(), "{out}");
            }
        }
    }
}
