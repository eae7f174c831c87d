//! The names in a gap: identifiers and paths that the rest of the text does not show, each with the line where it
//! first occurs. A reader who searches for a name then knows which lines to request.

use std::cell::LazyCell;
use std::fmt::Write as _;
use std::ops::Range;

use crate::text::judge;
use crate::text::ledger::{Action, Ledger};
use crate::text::maps::{Map, Set};
use crate::text::relevance::Relevance;
use crate::text::searchable::{
    DIGIT, JOINT, LOWER, NAME, Piece, UPPER, changed_file, each, entry, link, pieces, record, stands_alone,
};
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
            if let Some(name) = changed_file(text) {
                if self.shown.insert(name) {
                    found.add(Found { line, name, use_: Use::ChangedFile, is_own: true });
                }
                // Its other names, and those in the lines below, add nothing.
                self.shown.extend(text.split(' '));
                continue;
            }
            let next = if i + 1 < source.len() { source.line(i + 1) } else { "" };
            if let Some(name) = entry(text).or_else(|| record(text, next)) {
                if self.shown.insert(name) {
                    found.add(Found { line, name, use_: Use::Declared, is_own: true });
                }
                continue;
            }
            each(link(text).unwrap_or(text), |name, kinds| {
                if says_something(name, kinds) && self.shown.insert(name) {
                    found.add(Found { line, name, use_: Use::of(name, text), is_own: true });
                }
            });
        }
        found.write()
    }

    /// Like [`of`](Self::of), for one gap in code: also its string literals, and the functions of the file that it calls.
    pub fn of_code(&mut self, gap: &Range<usize>, most: usize, code: &mut Code<'a>) -> Listed {
        let source = self.source;
        let view = source.view();
        let first = source.numbers(gap).0;
        let mut found = Candidates::new(most);
        let mut called: Set<&str> = Set::default();
        let mut was_failing = false;
        for i in gap.clone() {
            let text = view.text(source.raw(i), i);
            let line = first + (i - gap.start);
            let is_failing = LazyCell::new(|| FAILING.iter().any(|word| text.contains(word)));
            pieces(text, |piece| match piece {
                Piece::Code(piece) => each(piece, |name, kinds| {
                    let own = last_part(name);
                    let behind = name.as_ptr() as usize - text.as_ptr() as usize + name.len();
                    if text[behind..].starts_with('(') && !is_declared(name, text) && code.counts(own) {
                        if called.insert(own) {
                            let is_own = says_something(name, kinds) && self.shown.insert(name);
                            found.add(Found { line, name, use_: Use::Called, is_own });
                        }
                    } else if says_something(name, kinds) && self.shown.insert(name) {
                        let use_ = if code.relevance.has(own) { Use::Asked } else { Use::of(name, text) };
                        found.add(Found { line, name, use_, is_own: true });
                    }
                }),
                Piece::Literal(literal) => {
                    let content = &literal[1..literal.len() - 1];
                    match literal_use(literal, || was_failing || *is_failing) {
                        Some(use_) if self.shown.insert(literal) => {
                            found.add(Found { line, name: literal, use_, is_own: false });
                        }
                        Some(_) => {}
                        None => each(content, |name, kinds| {
                            if stands_alone(name, content)
                                && says_something(name, kinds)
                                && self.shown.insert(name)
                            {
                                found.add(Found { line, name, use_: Use::of(name, text), is_own: true });
                            }
                        }),
                    }
                }
            });
            was_failing = text.trim_end().ends_with('(') && *is_failing;
        }
        for own in called {
            code.note(own);
        }
        // The list is hardly longer than one of the names that only the gap has.
        let bytes = source.byte_range(gap.clone()).len();
        found.most = most.min(found.written_bytes.max(bytes / LITERALS_ONE_IN) + MORE.len());
        found.write()
    }
}

/// A list may take 1 byte for this many bytes of code, even if no name is only in that code. A choice.
const LITERALS_ONE_IN: usize = 32;

/// The facts about a file of code by which names are chosen.
#[derive(Debug)]
pub struct Code<'a> {
    /// Its functions, each with the number of lists that have it as called.
    functions: Map<&'a str, usize>,
    relevance: &'a Relevance,
}

impl<'a> Code<'a> {
    /// The most lists that name a function as called. A choice: a function that is called everywhere does not distinguish
    /// a body.
    const MAX_LISTS: usize = 3;

    /// `functions` are the names of all functions of the file.
    pub fn new(functions: impl Iterator<Item = &'a str>, relevance: &'a Relevance) -> Self {
        let functions = functions.filter(|name| name.len() >= MIN_CALLED_BYTES);
        Self { functions: functions.map(|name| (name, 0)).collect(), relevance }
    }

    fn counts(&self, name: &str) -> bool {
        self.functions.get(name).is_some_and(|lists| *lists < Self::MAX_LISTS)
    }

    fn note(&mut self, name: &str) {
        if let Some(lists) = self.functions.get_mut(name) {
            *lists += 1;
        }
    }
}

/// The shortest name of a called function that is listed, in bytes.
const MIN_CALLED_BYTES: usize = 4;
/// Parts of words in lines whose literals are messages of failures.
const FAILING: &[&str] =
    &["rror", "throw", "raise", "panic", "fail", "xception", "bail!", "abort", "reject(", "Err("];
/// The fewest words of a message, and the shortest of them in bytes. A choice.
const MIN_MESSAGE_WORDS: usize = 2;
const MIN_WORD_BYTES: usize = 3;

/// The last part of a name: `rows` of `self.table.rows`.
fn last_part(name: &str) -> &str {
    let behind = name.bytes().rposition(|b| matches!(b, b'.' | b':')).map_or(0, |at| at + 1);
    &name[behind..]
}

/// The use of a literal as a whole, quotes included: a message, an address, a path with values to fill in. `None` for other
/// literals, of which only names are listed.
fn literal_use(literal: &str, is_failing: impl Fn() -> bool) -> Option<Use> {
    let content = literal[1..literal.len() - 1].trim();
    // These signs are written differently in a marker.
    let is_exact = !content.contains(|c: char| matches!(c, '[' | ']') || c.is_control());
    if !is_exact || !(MIN_NAME_BYTES..=MAX_NAME_BYTES).contains(&literal.len()) || content.contains("tersed")
    {
        return None;
    }
    let is_word = |word: &&str| {
        word.len() >= MIN_WORD_BYTES && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b',')
    };
    match content.contains(' ') {
        _ if content.contains("://") => Some(Use::Message),
        true if content.split(' ').filter(is_word).count() < MIN_MESSAGE_WORDS => None,
        true if is_failing() => Some(Use::Message),
        true => Some(Use::Literal),
        // Not a piece of HTML.
        false if content.contains('\\') || content.starts_with('<') => None,
        false => (content.contains('/') && content.contains(['$', '{', '%', '<', '*'])).then_some(Use::Path),
    }
}

/// The names in gaps.
#[derive(Debug, Default)]
pub struct Listed {
    /// The list for a marker.
    pub text: String,
    /// Bytes that a list of all names would take, without literals and called functions.
    pub own_bytes: usize,
}

/// A name, and the number of the line where it first occurs.
struct Found<'a> {
    line: usize,
    name: &'a str,
    use_: Use,
    /// Whether it is a name that only the gap has.
    is_own: bool,
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
    /// The file whose changes in a diff follow.
    ChangedFile,
    /// The session is about it.
    Asked,
    /// The line declares the name.
    Declared,
    /// The message of a failure, or an address.
    Message,
    /// A function of the same file that is called here.
    Called,
    /// The name is a path, which can be opened.
    Path,
    /// Another literal.
    Literal,
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
    of_use: [usize; 8],
    /// The number of all names, the bytes of a list of all of them, and the bytes of those that only the gap has.
    all: usize,
    all_bytes: usize,
    own_bytes: usize,
    /// The bytes of the list if the names of one line share its number, and the line of the last name.
    written_bytes: usize,
    last_line: Option<usize>,
}

impl<'a> Candidates<'a> {
    fn new(most: usize) -> Self {
        Self {
            most,
            found: Vec::new(),
            of_use: [0; 8],
            all: 0,
            all_bytes: 0,
            own_bytes: 0,
            written_bytes: 0,
            last_line: None,
        }
    }

    fn add(&mut self, name: Found<'a>) {
        self.all += 1;
        self.all_bytes += name.cost();
        if name.is_own {
            self.own_bytes += name.cost();
            let is_first = self.last_line.replace(name.line) != Some(name.line);
            self.written_bytes += if is_first { name.cost() } else { name.name.len() + 1 };
        }
        let of_use = &mut self.of_use[name.use_ as usize];
        if *of_use <= self.most / MIN_NAME_BYTES {
            *of_use += 1;
            self.found.push(name);
        }
    }

    /// The list; if not all names fit, with the most useful ones.
    fn write(self) -> Listed {
        let Self { most, mut found, all, all_bytes, own_bytes, .. } = self;
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
        Listed { text: out, own_bytes }
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

/// Whether a name is a member whose parts are short ordinary words, such as `args.length`. No one would search for
/// it.
fn is_plain_member(name: &str) -> bool {
    let is_plain = |part: &str| part.len() < MIN_PART_BYTES && part.bytes().all(|b| b.is_ascii_lowercase());
    let dot = name.bytes().rposition(|b| b == b'.');
    dot.is_some_and(|dot| name.len() - dot - 1 > MAX_ENDING_BYTES) && name.split('.').all(is_plain)
}

/// Whether a name is one part of a path after a slash, such as `/Orders`: a route or a word, by which no file can be
/// found.
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
    fn changed_files_come_before_other_names() {
        let file = |name: &str| {
            format!(
                "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-fn first_thing() {{}}\n+fn other_thing() {{}}\n"
            )
        };
        let text = [file("src/a.rs"), file("lib/b.rs"), "Index: c.rs\n".to_owned()].concat();
        let source = Source::new(&text);
        let ledger = Ledger::new(&source);
        let gap = 0..source.len();
        let mut names = Names::new(&source, &ledger, std::slice::from_ref(&gap));
        let listed = names.of(std::slice::from_ref(&gap), &gap, 40).text;
        assert_eq!(listed, "L1 src/a.rs L7 lib/b.rs L13 c.rs ...");
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

    /// The hints for lines of code after the first, in a file with the functions `open_store` and `merge`.
    fn of_code(text: &str, about: &str, most: usize) -> String {
        // Long enough for a list of literals.
        let text = &format!("{text}{}", "y = 1;\n".repeat(400));
        let source = Source::new(text);
        let gap = 1..source.len();
        let mut names = Names::new(&source, &Ledger::new(&source), std::slice::from_ref(&gap));
        let relevance = Relevance::new(Some(about), &[], &[]);
        let mut code = Code::new(["open_store", "merge"].into_iter(), &relevance);
        names.of_code(&gap, most, &mut code).text
    }

    #[test]
    fn hints_of_code_are_whole_literals_and_calls() {
        for (line, expected) in [
            ("throw new Error(\"no such key\");", "L2 \"no such key\""),
            ("raise ValueError('it is not a key')", "L2 ValueError 'it is not a key'"),
            ("const url = `${base}/users/${id}/posts`;", "L2 `${base}/users/${id}/posts`"),
            ("fetch(\"https://example.org/v1/all\")", "L2 \"https://example.org/v1/all\""),
            ("glob('src/**/*.test.ts')", "L2 'src/**/*.test.ts'"),
            ("// see src/**/*.test.ts and a/b_c/{id}", "L2 src/**/*.test.ts"),
            ("db.merge(a); store.open_store(b); plain(c)", "L2 db.merge store.open_store"),
            ("x = env['user_name'] + \"data/in.csv\"", "L2 user_name data/in.csv"),
            ("fn f<'a>(x: &'a str, y: &'static str) -> Wide_Type", "L2 Wide_Type"),
            ("// it's the agent's own user_name", "L2 user_name"),
            ("let x = \"a\" + \"b c\" + \"ok\";", ""),
            // It would be written differently in a marker.
            ("f(\"not one of [a_b, c]\")", ""),
            ("f(`all of ${this.first_name} and of ${user.last_name}, who were seen in the same place`)", ""),
        ] {
            assert_eq!(of_code(&format!("first\n{line}\n"), "other", 400), expected, "{line}");
        }
    }

    #[test]
    fn hints_of_code_are_the_most_useful() {
        let text = "first\nlet row = table.first_row + table.lastRow;\nreturn Err(\n  \"the row is empty\");\nmerge(row);\n";
        assert_eq!(
            of_code(text, "x", 400),
            "L2 table.first_row table.lastRow L4 \"the row is empty\" L5 merge"
        );
        assert_eq!(of_code(text, "x", 44), "L4 \"the row is empty\" L5 merge ...");
        assert_eq!(
            of_code(text, "where is lastRow read", 44),
            "L2 table.lastRow L4 \"the row is empty\" ..."
        );
        // A function that is called everywhere does not distinguish a body.
        let relevance = Relevance::default();
        let mut code = Code::new(["merge"].into_iter(), &relevance);
        let text = format!("merge(a)\n{}", "y = 1;\n".repeat(79)).repeat(4);
        let source = Source::new(&text);
        let gaps = [0..80, 80..160, 160..240, 240..320];
        let mut names = Names::new(&source, &Ledger::new(&source), &gaps);
        let lists = gaps.map(|gap| names.of_code(&gap, 400, &mut code).text);
        assert_eq!(lists, ["L1 merge", "L81 merge", "L161 merge", ""]);
    }
}
