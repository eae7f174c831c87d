//! Finds the text that tools write in front of a line. Logs write a time, the author of the line before or after
//! it, levels, processes and loggers. `git blame` writes a commit. Other tools write files, numbers, signs of a
//! diff, or bars.
//!
//! It reads one line. For a logger without a sign after its name, it also reads the lines before and after it,
//! which begin with the same name.

use super::view::{blanks, table};

/// Longest file name before a line, in bytes.
pub(super) const MAX_PATH_BYTES: usize = 200;
/// Most blanks in front of the sign of a comment.
const MAX_INDENT_BYTES: usize = 64;
/// The time must end within this many bytes of a line.
const MAX_BEFORE_BYTES: usize = 160;
/// Longest word in front of a line.
const MAX_WORD_BYTES: usize = 80;
/// Most words after a time. A choice.
const MAX_WORDS: usize = 10;
/// Most blanks between two words, as loggers pad their columns.
const MAX_BLANKS: usize = 24;

const LEVELS: &[&str] = &[
    "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical", "stdout", "stderr",
];

/// The number of bytes that a log wrote before the text of a line. `beside` has the lines before and after it, if
/// they are known.
pub(super) fn head(line: &[u8], beside: &[&[u8]]) -> usize {
    let near = &line[..line.len().min(MAX_BEFORE_BYTES)];
    if let Some(at) = spoken(near, beside) {
        return at;
    }
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

/// `[2026-11-27 10:00] ada: ` of a chat: the bytes of the time, and of the name if a line in `beside` has the same
/// name. Other logs write seconds.
fn spoken(line: &[u8], beside: &[&[u8]]) -> Option<usize> {
    /// Longest time, in bytes.
    const MAX_TIME_BYTES: usize = 24;
    let inside = line.strip_prefix(b"[")?;
    let len = memchr::memchr(b']', &inside[..inside.len().min(MAX_TIME_BYTES)])?;
    let time = &inside[..len];
    let is_minute = time.len() >= 5
        && time.iter().all(|b| b.is_ascii_digit() || b"-/. T:".contains(b))
        && memchr::memchr_iter(b':', time).count() == 1
        && time[time.len() - 3] == b':';
    let from = len + 3;
    (is_minute && line.get(from - 1) == Some(&b' ')).then_some(())?;
    let name = word(line, from);
    let end = blanks(line, from + name.len(), 1);
    let is_name =
        name.len() > 1 && name.ends_with(b":") && name[..name.len() - 1].iter().all(|b| is_name(*b));
    Some(if is_name && shares(line, 0..end, beside) { end } else { from })
}

/// Bytes before a line that a tool put there.
pub(super) fn prefix(line: &[u8], is_diff: bool) -> usize {
    if is_diff && matches!(line.first(), Some(b'+' | b'-' | b' ')) {
        if line.get(1) != line.first() {
            return 1;
        }
        // A diff of a merge; `+++` and `---` name files.
        if line[0] != b' ' && line.get(2) != line.first() {
            return 2;
        }
    }
    let mut at = head(line, &[]);
    if at == 0 {
        at = file(line);
        at += number(&line[at..]);
    }
    if at == 0 && line.starts_with(b"> ") {
        at = 2;
    }
    at
}

/// Bytes that a tool put in front of a line; none if it put something else in front of the line before.
pub(in crate::sanitize::secrets) fn head_of_line(line: &[u8], before: &[u8]) -> usize {
    let (here, there) = (prefix(line, false), prefix(before, false));
    let has_no_digit = |b: &&u8| !b.is_ascii_digit();
    let is_alike = || {
        line[..here].iter().filter(has_no_digit).eq(before[..there].iter().filter(has_no_digit))
            || head(line, &[]) > 0 && head(before, &[]) > 0
    };
    if here > 0 && there > 0 && is_alike() {
        return here;
    }
    let mark = mark(line);
    if here == 0 && before.get(..mark) == line.get(..mark) { mark } else { 0 }
}

/// `HEAD~1:src/x.env:3:`, `src/x.env:3:`, `src/x.env-3-` and `src/x.env:`.
fn file(line: &[u8]) -> usize {
    const REVISION: [bool; 256] = table(b"._/@+~^{}-");
    let revision = line.iter().take(MAX_PATH_BYTES).take_while(|b| REVISION[**b as usize]).count();
    if revision > 0 && line.get(revision) == Some(&b':') {
        let rest = &line[revision + 1..];
        let path = path(rest);
        // Without a number, a text such as `a:b:` is not certain to be a path.
        if path > 2 && rest[path - 2].is_ascii_digit() {
            return revision + 1 + path;
        }
    }
    path(line)
}

/// The same without a revision.
fn path(line: &[u8]) -> usize {
    const NAME: [bool; 256] = table(b"._/@+~-");
    let name = line.iter().take(MAX_PATH_BYTES).take_while(|b| NAME[**b as usize]).count();
    if name == 0 {
        return 0;
    }
    if let Some(behind) = dashed(line, name) {
        return behind;
    }
    let is_path = line[..name].iter().any(|b| matches!(b, b'.' | b'/'));
    if line.get(name) == Some(&b':') && is_path {
        let digits = digits(&line[name + 1..]);
        if digits > 0 && matches!(line.get(name + 1 + digits), Some(b':' | b'-')) {
            return name + digits + 2;
        }
        return if line[name + 1..].starts_with(b"//") { 0 } else { name + 1 };
    }
    0
}

/// `src/x.env-3-`: the name and the number are not separated, and the line itself may continue with letters.
fn dashed(line: &[u8], name: usize) -> Option<usize> {
    let mut at = memchr::memchr(b'.', &line[..name])?;
    loop {
        let from = at + memchr::memchr(b'-', &line[at..name])? + 1;
        let digits = digits(&line[from..name]);
        if digits > 0 && line.get(from + digits) == Some(&b'-') {
            return Some(from + digits + 1);
        }
        at = from + digits;
    }
}

/// `12:`, `12-`, `  12→`, `12<tab>`, `12 | `, `12. `.
fn number(line: &[u8]) -> usize {
    let from = blanks(line, 0, 12);
    let open = from + usize::from(matches!(line.get(from), Some(b'[' | b'L' | b'(')));
    let end = open + digits(line.get(open..).unwrap_or_default());
    if end == open {
        return 0;
    }
    let rest = &line[end..];
    let padded = blanks(rest, 0, 4);
    let bars = ["→".as_bytes(), "│".as_bytes(), "┃".as_bytes(), "|".as_bytes()];
    if let Some(bar) = bars.iter().find(|bar| rest[padded..].starts_with(bar)) {
        let at = end + padded + bar.len();
        return at + usize::from(line.get(at) == Some(&b' '));
    }
    match rest.first() {
        Some(b'\t') => end + 1,
        Some(b':' | b'-' | b')' | b']' | b'.') => {
            end + 1 + usize::from(rest.get(1) == Some(&b' ') && from == 0)
        }
        Some(b' ') if from > 0 && rest.get(1) == Some(&b' ') => end + 2,
        _ => 0,
    }
}

fn digits(bytes: &[u8]) -> usize {
    let n = bytes.iter().take(9).take_while(|b| b.is_ascii_digit()).count();
    if n > 8 { 0 } else { n }
}

/// The bars of boxes.
pub(super) const BARS: &[&str] = &["│", "┃", "║", "|"];

/// Bytes of a sign, a name and a bar, or a name in brackets before a line: `# `, `  // `, `│ `, `app-1  | `,
/// `[pod/a/app] `.
pub(super) fn mark(line: &[u8]) -> usize {
    const SIGNS: &[&str] = &["#", "//", "--", ";;", ";", "*", "│", "┃", "║", "|", "%%"];
    const NAME: [bool; 256] = table(b"._/-");
    let indent = blanks(line, 0, MAX_INDENT_BYTES);
    let may_be_sign = line.get(indent).is_some_and(|b| !b.is_ascii_alphanumeric());
    if may_be_sign && let Some(sign) = SIGNS.iter().find(|sign| line[indent..].starts_with(sign.as_bytes())) {
        let end = indent + sign.len();
        match line.get(end) {
            Some(b' ') => return end + 1,
            // An empty line of a comment.
            None => return end,
            Some(_) => {}
        }
    }
    let open = usize::from(line.first() == Some(&b'['));
    let name = line[open..].iter().take(MAX_PATH_BYTES).take_while(|b| NAME[**b as usize]).count();
    let end = open + name;
    if name == 0 {
        return 0;
    }
    if open == 1 {
        return if line[end..].starts_with(b"] ") { end + 2 } else { 0 };
    }
    let bar = blanks(line, end, 64);
    if bar > end && line[bar..].starts_with(b"| ") { bar + 2 } else { 0 }
}

/// The end of the words after a time: levels, brackets, processes and loggers, up to the last one that is certain.
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
        // If it is alone in its line, it is the heading of a section.
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
            // An uncertain word counts if a certain one follows: one host of a system log, or a logger with a sign
            // after it.
            is_open = !is_system || count == 0;
        }
        at = end;
    }
    sure
}

/// Whether the line before or after this one has the same bytes in a range.
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

/// The end of the time at `from` (a date, a time of day, or both), including the blank after it.
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

/// `job<tab>step<tab>2026-11-27T10:00:00Z`: a time after fields with tabs between.
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
