//! The names in a gap: identifiers and paths that the rest of the text does not show, each with the line where it
//! first occurs. A reader who searches for a name then knows which lines to request.

use std::fmt::Write as _;
use std::ops::Range;

use crate::text::judge;
use crate::text::ledger::{Action, Ledger};
use crate::text::maps::Set;
use crate::text::source::Source;

/// Replaces the start of a path that a line above has in full.
pub const ELIDED_START: &str = ".../";

/// Stands in the header of a table before the cells that all rows share.
pub const IN_EVERY_ROW: &str = "  (in every row: ";

/// The longest list of names in a marker, in bytes.
pub const MAX_LISTED_BYTES: usize = 400;

/// The shortest name that is worth listing, in bytes.
const MIN_NAME_BYTES: usize = 6;
/// The longest name that is listed, in bytes.
const MAX_NAME_BYTES: usize = 80;
/// The starts of names that are common in every program of a language.
const COMMON: &[&str] = &[
    "fmt.",
    "strings.",
    "errors.",
    "context.",
    "filepath.",
    "os.",
    "sys.",
    "re.",
    "json.",
    "math.",
    "np.",
    "pd.",
    "plt.",
    "torch.",
    "logging.",
    "console.",
    "Math.",
    "Object.",
    "Array.",
    "JSON.",
    "Promise.",
    "String.",
    "std::",
    "self.assert",
    "isinstance",
    "System.out",
    "java.util",
    "process.",
    "time.",
];

/// Types that come with a language. They are not listed: no one would search a gap for them.
const COMMON_TYPES: &[&str] = &[
    "ArrayList",
    "BTreeMap",
    "BTreeSet",
    "HashMap",
    "HashSet",
    "StringBuilder",
    "boolean_t",
    "complex128",
    "complex64",
    "float32",
    "float64",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "intptr_t",
    "ptrdiff_t",
    "size_t",
    "ssize_t",
    "uint16",
    "uint16_t",
    "uint32",
    "uint32_t",
    "uint64",
    "uint64_t",
    "uint8_t",
    "uintptr_t",
];
/// The names of loggers in programs, in lower case.
const LOGS: &[&str] = &["log", "logger", "logging", "slog", "tracing", "zap"];
/// The starts of the names of logging calls.
const LOG_CALLS: &[&str] =
    &["critical", "debug", "error", "exception", "fatal", "info", "panic", "print", "trace", "warn"];
/// What may follow such a start.
const LOG_CALL_ENDS: &[&str] = &["", "context", "f", "ing", "ln", "w"];

/// Collects the names in gaps; each name is listed once, where it first occurs.
#[derive(Debug)]
pub struct Names<'a> {
    source: &'a Source<'a>,
    shown: Set<&'a str>,
}

impl<'a> Names<'a> {
    /// `gaps` are all lines that will be left out, in order.
    pub fn new(source: &'a Source<'a>, ledger: &Ledger, gaps: &[Range<usize>]) -> Self {
        let mut shown = Set::default();
        let view = source.view();
        let mut next = gaps.iter().peekable();
        for span in ledger.spans() {
            // Text that replaces lines may show some of their names.
            let mut there: Option<Set<&str>> = None;
            match &span.action {
                Action::Keep => {}
                Action::Replace { text, .. } => {
                    let there = there.get_or_insert_default();
                    text.lines().for_each(|line| each(line, |name, _| _ = there.insert(name)));
                }
                _ => continue,
            }
            for i in span.lines.clone() {
                while next.next_if(|gap| gap.end <= i).is_some() {}
                if next.peek().is_some_and(|gap| gap.start <= i) {
                    continue;
                }
                each(view.text(source.raw(i), i), |name, kinds| {
                    // Nobody searches for other names.
                    if says_something(name, kinds) && there.as_ref().is_none_or(|there| there.contains(name))
                    {
                        shown.insert(name);
                    }
                });
            }
        }
        Self { source, shown }
    }

    /// Lists the names in `gaps` that were neither shown nor listed before, with their line numbers, in at most
    /// `most` bytes. If not all fit, declared names come first, then paths. `whole` are all lines of the marker: the
    /// list numbers lines like the marker does.
    pub fn of(&mut self, gaps: &[Range<usize>], whole: &Range<usize>, most: usize) -> Listed {
        let source = self.source;
        let view = source.view();
        let first = source.numbers(whole).0;
        let mut found = Candidates::new(most);
        for i in gaps.iter().cloned().flatten() {
            let text = view.text(source.raw(i), i);
            let line = first + (i - whole.start);
            let next = if i + 1 < source.len() { source.line(i + 1) } else { "" };
            if let Some(name) = entry(text).or_else(|| record(text, next)) {
                if self.shown.insert(name) {
                    found.add(Found { line, name, use_: Use::Declared });
                }
                continue;
            }
            each(link(text).unwrap_or(text), |name, kinds| {
                if says_something(name, kinds) && self.shown.insert(name) {
                    found.add(Found { line, name, use_: Use::of(name, text) });
                }
            });
        }
        found.write()
    }
}

/// The names in gaps.
#[derive(Debug, Default)]
pub struct Listed {
    /// The list for a marker.
    pub text: String,
    /// Bytes that a list of all names would take.
    pub all_bytes: usize,
}

/// A name, and the number of the line where it first occurs.
struct Found<'a> {
    line: usize,
    name: &'a str,
    use_: Use,
}

impl Found<'_> {
    /// The most bytes that it takes in a list, including its line number.
    fn cost(&self) -> usize {
        self.name.len() + 2 + LINE.len() + self.line.checked_ilog10().unwrap_or(0) as usize + 1
    }
}

/// The use of a name for a reader, the most useful first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// The line declares the name.
    Declared,
    /// The name is a path, which can be opened.
    Path,
    Other,
}

impl Use {
    fn of(name: &str, line: &str) -> Self {
        if is_declared(name, line) {
            Self::Declared
        } else if name.contains('/') {
            Self::Path
        } else {
            Self::Other
        }
    }
}

/// The name in an entry of a list: `fping - sends ICMP ECHO_REQUEST packets`, `ping (8) - …`, as `apt-cache search`
/// and `man -k` write it.
fn entry(line: &str) -> Option<&str> {
    const MAX_BYTES: usize = 60;
    let (name, rest) = line.split_once(' ')?;
    let rest = match rest.strip_prefix('(') {
        Some(section) => section.split_once(") ")?.1,
        None => rest,
    };
    let is_said = rest.strip_prefix("- ").is_some_and(|said| !said.trim().is_empty());
    let is_name = (2..=MAX_BYTES).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().any(|b| b.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-+._@/:".contains(&b));
    (is_said && is_name).then_some(name)
}

/// The name of a record, by its title and the line below: `Loopback 21` of `Loopback 21 is up, line protocol is up`.
fn record<'a>(title: &'a str, below: &str) -> Option<&'a str> {
    let (kind, rest) = title.split_once(' ')?;
    let number = rest.split([' ', ',']).next()?.trim_end_matches(':');
    let is_kind = kind.len() >= 3
        && kind.starts_with(|c: char| c.is_ascii_uppercase())
        && kind.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b"/.".contains(&b));
    (is_kind && is_number && below.starts_with([' ', '\t'])).then(|| &title[..kind.len() + 1 + number.len()])
}

/// The name of a symbolic link in a listing, without what it points to: `lrwxrwxrwx 1 a a 8 May  2 a.so -> a.so.1`, or an
/// entry of `tree`. Whoever searches for an entry of a folder searches for its name.
fn link(line: &str) -> Option<&str> {
    let (entry, _) = line.split_once(" -> ")?;
    let is_link = entry.starts_with(['l', ' ', '├', '└', '│'])
        && (entry.contains("── ") || entry.trim_start().get(1..10).is_some_and(is_mode));
    is_link.then(|| entry.rsplit(' ').next()).flatten()
}

/// Whether a text is the mode in a line of `ls -l`, such as `-rw-r--r--`.
fn is_mode(text: &str) -> bool {
    text.len() == 9 && text.bytes().all(|b| b"rwxsStT-".contains(&b))
}

/// Words before a name that a line declares.
const DECLARING: &[&str] = &[
    "class",
    "const",
    "def",
    "enum",
    "fn",
    "func",
    "function",
    "impl",
    "interface",
    "module",
    "struct",
    "table",
    "trait",
    "type",
];

fn is_declared(name: &str, line: &str) -> bool {
    let at = name.as_ptr() as usize - line.as_ptr() as usize;
    let word = line[..at].trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    DECLARING.iter().any(|declaring| word.eq_ignore_ascii_case(declaring))
}

/// The sign before a line number: a bare number would look like part of the text.
const LINE: &str = "L";
/// The end of a list that does not have all names.
const MORE: &str = " ...";

/// The names in gaps that may be listed.
struct Candidates<'a> {
    /// The most bytes of the list.
    most: usize,
    /// The first names of each use, at most as many as a list could have: the memory does not grow with the text.
    found: Vec<Found<'a>>,
    of_use: [usize; 3],
    /// The number of all names, and the bytes of a list of all of them.
    all: usize,
    all_bytes: usize,
}

impl<'a> Candidates<'a> {
    fn new(most: usize) -> Self {
        Self { most, found: Vec::new(), of_use: [0; 3], all: 0, all_bytes: 0 }
    }

    fn add(&mut self, name: Found<'a>) {
        self.all += 1;
        self.all_bytes += name.cost();
        let of_use = &mut self.of_use[name.use_ as usize];
        if *of_use <= self.most / MIN_NAME_BYTES {
            *of_use += 1;
            self.found.push(name);
        }
    }

    /// The list; if not all names fit, with the most useful ones.
    fn write(self) -> Listed {
        let Self { most, mut found, all, all_bytes, .. } = self;
        if all_bytes > most {
            found.sort_by_key(|name| name.use_);
            let mut left = most.saturating_sub(MORE.len());
            found.retain(|name| {
                let fits = name.cost() <= left;
                left -= if fits { name.cost() } else { 0 };
                fits
            });
            found.sort_by_key(|name| name.line);
        }
        let mut out = String::new();
        for of_line in found.chunk_by(|a, b| a.line == b.line) {
            let space = if out.is_empty() { "" } else { " " };
            // Writing into a String cannot fail.
            let _ = write!(out, "{space}{LINE}{}", of_line[0].line);
            for name in of_line {
                out.push(' ');
                out.push_str(name.name);
            }
        }
        if !out.is_empty() && found.len() < all {
            out.push_str(MORE);
        }
        Listed { text: out, all_bytes }
    }
}

/// Whether a name is worth listing: it has several parts, so it is not an ordinary word, and it is not common in
/// every program. `kinds` are the kinds of its bytes.
fn says_something(name: &str, kinds: u8) -> bool {
    if kinds & (UPPER | DIGIT | JOINT) == 0 || !(MIN_NAME_BYTES..=MAX_NAME_BYTES).contains(&name.len()) {
        return false;
    }
    let bytes = name.as_bytes();
    let is = |b: u8, kind: u8| NAME[usize::from(b)] & kind != 0;
    let is_joined = || kinds & JOINT != 0 && bytes[1..bytes.len() - 1].iter().any(|b| is(*b, JOINT));
    let is_numbered = kinds & DIGIT != 0 && kinds & (LOWER | UPPER) != 0;
    let is_hump = |two: &[u8]| is(two[0], LOWER) && is(two[1], UPPER);
    let has_hump = || kinds & UPPER != 0 && kinds & LOWER != 0 && bytes.windows(2).any(is_hump);
    (is_numbered || is_joined() || has_hump())
        && !is_common(name)
        && !is_random(bytes, kinds)
        && !is_plain_member(name)
        && !is_lone_part(name)
}

/// The shortest part of a member's name for which somebody would search, in bytes. A choice.
const MIN_PART_BYTES: usize = 8;
/// The longest extension of a file, in bytes.
const MAX_ENDING_BYTES: usize = 4;

/// Whether a name is a member whose parts are short ordinary words, as `args.length`. No one would search for it.
fn is_plain_member(name: &str) -> bool {
    let is_plain = |part: &str| part.len() < MIN_PART_BYTES && part.bytes().all(|b| b.is_ascii_lowercase());
    let last = name.rsplit('.').next().unwrap_or_default();
    last.len() > MAX_ENDING_BYTES && name.contains('.') && name.split('.').all(is_plain)
}

/// Whether a name is one part of a path after a slash, as `/Orders`: a route or a word, which no file can be found by.
fn is_lone_part(name: &str) -> bool {
    name.strip_prefix('/').is_some_and(|part| !part.contains(['/', '.', '_', '-']))
}

/// Whether a name looks random, like a hash: hexadecimal digits, many digits between letters of both cases, or a part
/// of a version (`deb12u2`).
fn is_random(name: &[u8], kinds: u8) -> bool {
    let digits = || name.iter().filter(|b| b.is_ascii_digit()).count();
    let changes = || name.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    let is_of_ids = || judge::is_half_address(name) || judge::is_made_of_ids(name);
    if kinds & JOINT != 0 {
        return kinds & DIGIT != 0 && is_of_ids();
    }
    kinds & DIGIT != 0
        && (name.len() < 10 && changes() > 2
            || name.len() >= 8 && name.iter().all(u8::is_ascii_hexdigit)
            || is_of_ids()
            || name.len() >= 20 && kinds & UPPER != 0 && kinds & LOWER != 0 && digits() * 8 > name.len())
}

/// Whether a name is common: it starts like a common name, is a common type, or is a logging call.
fn is_common(name: &str) -> bool {
    let first = name.as_bytes().first();
    COMMON.iter().any(|common| common.as_bytes().first() == first && name.starts_with(common))
        || COMMON_TYPES.contains(&name)
        || is_log_call(name)
}

/// Whether a name is a call that writes to a log, such as `slog.Debug` or `self.logger.warning`.
fn is_log_call(name: &str) -> bool {
    let Some((before, call)) = name.rsplit_once(['.', ':']) else { return false };
    let log =
        before.trim_end_matches(':').rsplit(['.', ':']).next().unwrap_or_default().trim_start_matches('_');
    let is = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let is_call = |start: &&&str| {
        let (Some(head), Some(end)) = (call.get(..start.len()), call.get(start.len()..)) else {
            return false;
        };
        is(head, start) && LOG_CALL_ENDS.iter().any(|known| is(end, known))
    };
    LOGS.iter().any(|known| is(log, known)) && LOG_CALLS.iter().any(|start| is_call(&start))
}

/// Whether a byte may start a name, and whether it may continue one.
const STARTS_NAME: u8 = 1;
const GOES_ON: u8 = 1 << 1;
/// The kind of a byte in a name.
const LOWER: u8 = 1 << 2;
const UPPER: u8 = 1 << 3;
const DIGIT: u8 = 1 << 4;
/// `_`, `.`, `:`, `/`
const JOINT: u8 = 1 << 5;

static NAME: [u8; 256] = {
    let mut name = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        name[byte] = match byte as u8 {
            b'a'..=b'z' => STARTS_NAME | GOES_ON | LOWER,
            b'A'..=b'Z' => STARTS_NAME | GOES_ON | UPPER,
            b'_' => STARTS_NAME | GOES_ON | JOINT,
            b'$' => STARTS_NAME | GOES_ON,
            b'0'..=b'9' => GOES_ON | DIGIT,
            b'.' | b':' | b'/' => JOINT,
            _ => 0,
        };
        byte += 1;
    }
    name
};

fn starts(b: u8) -> bool {
    NAME[usize::from(b)] & STARTS_NAME != 0
}

fn goes_on(b: u8) -> bool {
    NAME[usize::from(b)] & GOES_ON != 0
}

/// The byte at a position; a blank behind the end.
fn at_or_blank(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(b' ')
}

/// Calls `found` with every identifier, including the names it is a member of, and every path, and with the kinds of
/// its bytes. Parts of longer things are skipped: text after a digit, a backslash or a letter that is not ASCII, and
/// parts of URLs.
fn each<'a>(line: &'a str, mut found: impl FnMut(&'a str, u8)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let b = bytes[at];
        // `</Name>` is skipped: the start tag of the element has the same name.
        if b == b'<' && at_or_blank(bytes, at + 1) == b'/' {
            at += 2;
            at += bytes[at..].iter().take_while(|b| goes_on(**b) || matches!(b, b'.' | b'-' | b':')).count();
            continue;
        }
        if !starts(b) && !starts_path(bytes, at) {
            at += 1;
            continue;
        }
        let mut start = at;
        let run = Run::at(bytes, start);
        at = run.end;
        if line[at..].starts_with("://") {
            at += line[at..].find([' ', '\t', '"', '\'', '<', '>', ')', ']']).unwrap_or(line.len() - at);
            continue;
        }
        if !is_whole(bytes, start..at) {
            continue;
        }
        // `../a`, `.github/a`, `@scope/a`
        while run.is_path && start > 0 && matches!(bytes[start - 1], b'.' | b'@') {
            start -= 1;
        }
        found(&line[start..at], run.kinds);
    }
}

/// Whether a path starts with the sign at `at`: `/a`, `./a`, `~/a`.
#[inline]
fn starts_path(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'/' => {
            let before = at.checked_sub(1).map_or(b' ', |i| bytes[i]);
            starts(at_or_blank(bytes, at + 1)) && !goes_on(before) && before != b'/'
        }
        b'.' | b'~' => at_or_blank(bytes, at + 1) == b'/',
        _ => false,
    }
}

/// Whether the name in a range is not a part of something longer.
fn is_whole(bytes: &[u8], name: Range<usize>) -> bool {
    let is_part = |b: u8| goes_on(b) || !b.is_ascii() || matches!(b, b'\\' | b'%');
    // The rest of a text such as `web-01.prod.example.com`, whose start is not a name.
    let is_rest = name.start >= 2 && bytes[name.start - 1] == b'.' && bytes[name.start - 2].is_ascii_digit();
    !is_rest
        && !name.start.checked_sub(1).is_some_and(|before| is_part(bytes[before]))
        && bytes.get(name.end).is_none_or(u8::is_ascii)
}

/// A run of bytes that belong to one name, identifiers and the signs that join them, and the kinds of these bytes.
struct Run {
    end: usize,
    kinds: u8,
    is_path: bool,
}

impl Run {
    /// The run that starts at `start`, whose first byte belongs to it.
    fn at(bytes: &[u8], start: usize) -> Self {
        let mut at = start + 1;
        let mut kinds = NAME[usize::from(bytes[start])];
        let mut is_path = bytes[start] == b'/';
        loop {
            while let Some(&b) = bytes.get(at)
                && goes_on(b)
            {
                kinds |= NAME[usize::from(b)];
                at += 1;
            }
            let Some(&b) = bytes.get(at) else { break };
            let next = at_or_blank(bytes, at + 1);
            match b {
                // A minus, if digits follow.
                b'-' if !goes_on(next) || !(is_path || starts(next)) => break,
                b'.' | b'/' | b'-' | b'@' | b'~' if goes_on(next) => {
                    is_path |= b == b'/';
                    kinds |= NAME[usize::from(b)];
                    at += 1;
                }
                b'/' if next == b'.' && goes_on(at_or_blank(bytes, at + 2)) => {
                    (is_path, kinds) = (true, kinds | JOINT);
                    at += 2;
                }
                b':' if next == b':' && bytes.get(at + 2).is_some_and(|b| starts(*b)) => {
                    kinds |= JOINT;
                    at += 2;
                }
                _ => break,
            }
        }
        Self { end: at, kinds, is_path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, gaps: &[Range<usize>]) -> Vec<String> {
        let source = Source::new(text);
        let ledger = Ledger::new(&source);
        let mut names = Names::new(&source, &ledger, gaps);
        gaps.iter().map(|gap| names.of(std::slice::from_ref(gap), gap, usize::MAX).text).collect()
    }

    #[test]
    fn names_stand_at_their_first_line_and_once() {
        let text = "def load_all(path):\n    rows = self.read_rows(path)\n    load_all(rows)\n    x = 1\n    \
                    return self.read_rows(open('data/in.csv')) + utils::parseLine(x)\n";
        let one = 1..5;
        assert_eq!(
            names(text, std::slice::from_ref(&one)),
            ["L2 self.read_rows L5 data/in.csv utils::parseLine"]
        );
        assert_eq!(names(text, &[1..3, 3..5]), ["L2 self.read_rows", "L5 data/in.csv utils::parseLine"]);
    }

    #[test]
    fn names_are_numbered_as_their_marker_is() {
        let text = "make: started\n7\tlet a = parse_line(b);\n8\tlet c = read_rows(d);\nmake: done\n";
        assert_eq!(names(text, &[1..2, 2..3]), ["L7 parse_line", "L8 read_rows"]);
        // Not all of these lines have a number, so the marker uses the line numbers of the text.
        assert_eq!(names(text, &[0..2, 2..4]), ["L2 parse_line", "L3 read_rows"]);
    }

    #[test]
    fn lists_name_what_their_lines_are_about() {
        let text = "2ping - Ping utility to determine directional packet loss\nping (8) - send ICMP ECHO_REQUEST to hosts\n\
                    fping - sends ICMP ECHO_REQUEST packets\nINFO - read_rows of it\n- a - b_c_d_e\n";
        assert_eq!(
            names(text, std::slice::from_ref(&(0..5))),
            ["L1 2ping L2 ping L3 fping L4 read_rows L5 b_c_d_e"]
        );
    }

    #[test]
    fn what_stands_in_place_of_lines_shows_its_names() {
        let text = "    host_id: 1\n   other_id: 2\nhost_id: 3\nother_id: 4\n";
        let source = Source::new(text);
        let mut step = crate::text::ledger::Reduction::default();
        step.replace(0..2, "host_id: 1".to_owned(), crate::text::reason::Reason::LongLine);
        let ledger = Ledger::new(&source).apply(&source, step).unwrap();
        let gap = 2..4;
        let mut names = Names::new(&source, &ledger, std::slice::from_ref(&gap));
        assert_eq!(names.of(std::slice::from_ref(&gap), &gap, 400).text, "L4 other_id");
    }

    #[test]
    fn records_are_named_by_kind_and_number() {
        let text = "Loopback 21 is up, line protocol is up\n  Flags: x\nTunnel 0/3: down\n  Flags: y\nPage 3\nText\n\
                    BSS 90:fd:61:\n\tx\n";
        assert_eq!(names(text, std::slice::from_ref(&(0..8))), ["L1 Loopback 21 L3 Tunnel 0/3"]);
    }

    fn of_line(line: &str) -> String {
        let whole = 0..1;
        names(line, std::slice::from_ref(&whole)).remove(0)
    }

    #[test]
    fn names_are_whole() {
        for (line, expected) in [
            ("cd teco-kit/ESMAC now", "L1 teco-kit/ESMAC"),
            ("in ../src/a.rs and .github/work.yml", "L1 ../src/a.rs .github/work.yml"),
            ("see ~/.config/app.toml or a/b~2/c_d", "L1 ~/.config/app.toml a/b~2/c_d"),
            ("npm i @scope/pkg-two", "L1 @scope/pkg-two"),
            ("lrwxrwxrwx 1 me me 8 May  2 10:00 BrewFormula -> pkg/brew", "L1 BrewFormula"),
            ("├── BrewFormula -> pkg/brew", "L1 BrewFormula"),
            ("fn read_rows() -> pkg/brew", "L1 read_rows pkg/brew"),
            ("if first_rows.index-1 > args.length", "L1 first_rows.index"),
            ("data-f7035d97 of web_head_7", "L1 data-f7035d97 web_head_7"),
            ("catalog.info(a); logger.debugger; log.rotate(b)", "L1 catalog.info logger.debugger"),
        ] {
            assert_eq!(of_line(line), expected, "{line}");
        }
        for line in [
            "  45%|####  | 12/27 [00:01<00:02, 8.51it/s]",
            "https://example.org/a_b/c?d_e=1 x",
            "naïve_name und größe_x",
            "C:\\work_dir\\new_file",
            "9f86d081884c7d65 0x7ffd5e8a91f0",
            "AbC1dEf2GhI3jKl4MnO5pQr6",
            "a well-known thing",
            "</NavLink> and <Link to=/NavLink>",
            "   hostname: web-012.prod.example.com",
            "port e8bb.a551.04c2 and 0011.e8bb.a551",
            "request f7035d97-deed of hbb2b787_3",
            "var mean float64 = total",
            "slog.Debug(text) and log.Printf(text)",
            "self.logger.warning(text); tracing::info!(text); _log.ErrorContext(text)",
        ] {
            assert_eq!(of_line(line), "", "{line}");
        }
    }

    #[test]
    fn the_most_useful_names_come_first() {
        let text = "x = first_thing(other_thing)\n y = read(src/data/in.csv)\ndef load_rows(a):\n";
        let source = Source::new(text);
        let all = 0..3;
        let of = |most| {
            let mut names = Names::new(&source, &Ledger::new(&source), std::slice::from_ref(&all));
            names.of(std::slice::from_ref(&all), &all, most).text
        };
        assert_eq!(of(400), "L1 first_thing other_thing L2 src/data/in.csv L3 load_rows");
        assert_eq!(of(40), "L2 src/data/in.csv L3 load_rows ...");
        assert_eq!(of(20), "L3 load_rows ...");
        assert_eq!(of(3), "");
    }
}
