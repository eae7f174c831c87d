//! The frames of stack traces: which lines belong to one, in what language, and where it points.
//!
//! Reads one frame at a time and keeps no state. A frame may be after what a log, a container or
//! a build tool puts before each line.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::reduce::diagnostic::at_end;
use crate::reduce::lines::is_number;
use crate::text::source::Source;

/// Languages, or the tools that write their traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `at a.b.C.d(C.java:1)`: Java, Kotlin, Scala, Groovy.
    Java,
    /// `at f (a.js:1:2)` of V8, `f@a.js:1:2` of other engines.
    JavaScript,
    /// `File "a.py", line 1, in f` and its code.
    Python,
    /// `a/b.f(0x1)` and its place on the next line.
    Go,
    /// `1: a::f` and its place on the next line.
    Rust,
    /// `at A.B.C(D d) in a.cs:line 1`.
    DotNet,
    /// `from a.rb:1:in 'f'`.
    Ruby,
    /// `#0 a.php(1): f()`.
    Php,
    /// `#0 0x1 in f a.c:1:2`: sanitizers, gdb, lldb.
    Native,
    /// `==1== at 0x1: f (a.c:1)`.
    Valgrind,
    /// `#0      f (package:a/b.dart:1:2)`.
    Dart,
    /// `(app 1.0.0) lib/a.ex:1: A.f/1`.
    Elixir,
    /// `4   App   0x0001 f + 12`.
    Apple,
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its lines.
    pub lines: Range<usize>,
    /// The language.
    pub language: Language,
    /// The function, with its path or package.
    pub function: &'a str,
    /// The file or library; empty where the frame names none.
    pub file: &'a str,
}

/// How far into a line a frame may start: the text before is the prefix of a log.
const MAX_PREFIX_BYTES: usize = 80;

static SPACE_AT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" at "));
static TAB_AT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\tat "));
static AT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"at "));
static FILE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"File \""));

/// The positions of the words of frames in a text, found while its lines are read in order. They show quickly that
/// most lines are not frames.
#[derive(Debug)]
pub struct Hints<'a> {
    text: &'a [u8],
    /// The next ` at `, the same after a tab, the next `File "` and the next `@`.
    next: [usize; 4],
}

impl<'a> Hints<'a> {
    /// Hints for the lines of a text.
    pub fn new(text: &'a str) -> Self {
        let mut hints = Self { text: text.as_bytes(), next: [0; 4] };
        (0..hints.next.len()).for_each(|word| hints.seek(word, 0));
        hints
    }

    fn seek(&mut self, word: usize, from: usize) {
        let rest = self.text.get(from..).unwrap_or_default();
        let found = match word {
            0 => SPACE_AT.find(rest),
            1 => TAB_AT.find(rest),
            2 => FILE.find(rest),
            _ => memchr::memchr(b'@', rest),
        };
        self.next[word] = found.map_or(usize::MAX, |at| from + at);
    }

    /// Whether a word is in a line. The starts of the lines must never decrease.
    fn has(&mut self, word: usize, line: &Range<usize>) -> bool {
        if self.next[word] < line.start {
            self.seek(word, line.start);
        }
        self.next[word] < line.end
    }
}

/// The frame that starts in line `i`.
pub fn frame<'a>(source: &'a Source<'a>, i: usize, hints: &mut Hints<'_>) -> Option<Frame<'a>> {
    let line = source.line(i);
    let bytes = source.byte_range(i..i + 1);
    let blanks = line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let text = match line.as_bytes().get(blanks) {
        Some(0x21..0x80) => &line[blanks..],
        _ => line.trim_start(),
    };
    let one = |language, function, file| Some(Frame { lines: i..i + 1, language, function, file });
    if (hints.has(0, &bytes) || hints.has(1, &bytes))
        && let Some((language, function, file)) = at(line)
    {
        return one(language, function, file);
    }
    if hints.has(2, &bytes)
        && let Some(frame) = python(source, i)
    {
        return Some(frame);
    }
    match text.as_bytes().first()? {
        b'#' => {
            let (language, function, file) = hash(text)?;
            one(language, function, file)
        }
        b'=' => {
            let (function, file) = valgrind(text)?;
            one(Language::Valgrind, function, file)
        }
        b'f' => {
            let place = text.strip_prefix("from ")?;
            let (file, function) = ruby(place)?;
            one(Language::Ruby, function, file)
        }
        // Most lines of a log start with a digit: the byte after the number distinguishes them from frames.
        b'0'..=b'9' => match text.bytes().find(|b| !b.is_ascii_digit())? {
            b':' => rust(source, i),
            b if b.is_ascii_whitespace() => {
                let (function, image) = apple(text)?;
                one(Language::Apple, function, image)
            }
            _ => None,
        },
        b'(' if text.len() < line.len() => {
            let (function, file) = elixir(text)?;
            one(Language::Elixir, function, file)
        }
        _ => go(source, i).or_else(|| {
            let (function, file) = Some(text).filter(|_| hints.has(3, &bytes)).and_then(firefox)?;
            one(Language::JavaScript, function, file)
        }),
    }
}

/// `at …` of Java, JavaScript and .NET.
fn at(line: &str) -> Option<(Language, &str, &str)> {
    let bytes = line.as_bytes();
    let start = AT
        .find_iter(&bytes[..bytes.len().min(MAX_PREFIX_BYTES)])
        .find(|&at| at > 0 && matches!(bytes[at - 1], b' ' | b'\t'))?;
    let body = line[start + 3..].trim_end();
    // .NET: `at A.B.C(D d) in /a.cs:line 1`
    if let Some((call, place)) = body.split_once(") in ") {
        let file = place.rsplit_once(":line ").map(|(file, _)| file)?;
        return Some((Language::DotNet, call, file));
    }
    // Logback and others add the library: `~[spring-core-5.jar:5.3]`
    let call = match body.strip_suffix(']').and_then(|b| b.rsplit_once(" [").or_else(|| b.rsplit_once(" ~[")))
    {
        Some((call, _)) => call,
        None => body,
    };
    if let Some((function, place)) = call.strip_suffix(')').and_then(|c| c.rsplit_once('(')) {
        let is_name = !function.is_empty() && !function.trim_end().contains(" at ");
        let function = function.trim_end();
        if place_of_javascript(place).is_some()
            || place.starts_with("node:")
            || place == "<anonymous>"
            || place == "native"
        {
            let file = place_of_javascript(place).unwrap_or(place);
            return is_name.then_some((Language::JavaScript, function, file));
        }
        let no_blank = !function.contains(' ') && function.contains('.');
        let java = matches!(place, "Native Method" | "Unknown Source" | "<generated>")
            || [".java:", ".kt:", ".scala:", ".groovy:", ".clj:", ".java", ".kt", ".scala", ".sc:"]
                .iter()
                .any(|end| memchr::memmem::find(place.as_bytes(), end.as_bytes()).is_some());
        if no_blank && java {
            return Some((Language::Java, function, place));
        }
        // `at A.B.C(D d)`
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"._`<>[],+|$".contains(&b);
        if bytes.starts_with(b"   at ") && function.contains('.') && function.bytes().all(plain) {
            return Some((Language::DotNet, function, ""));
        }
        return None;
    }
    let file = place_of_javascript(call.strip_prefix("async ").unwrap_or(call))
        .filter(|f| !f.contains(' ') || f.starts_with("file:"))?;
    Some((Language::JavaScript, "", file))
}

/// The file of `/a/b.js:1:2`.
fn place_of_javascript(place: &str) -> Option<&str> {
    let place = place.rsplit_once("), ").map_or(place, |(_, place)| place);
    at_end(place).map(|(file, _)| file).filter(|file| !file.is_empty())
}

/// `f@http://a/b.js:1:2`
fn firefox(text: &str) -> Option<(&str, &str)> {
    let (function, place) = text.split_once('@')?;
    let file = place_of_javascript(place)?;
    (!function.contains(' ') && (file.contains('/') || file.ends_with(".js"))).then_some((function, file))
}

/// `  File "/a/b.py", line 1, in f` with the code and the markers under it.
fn python<'a>(source: &'a Source<'a>, i: usize) -> Option<Frame<'a>> {
    let line = source.line(i);
    let head = &line.as_bytes()[..line.len().min(MAX_PREFIX_BYTES)];
    let start = FILE.find(head)?;
    let prefix = &line[..start];
    if !prefix.ends_with("  ") {
        return None;
    }
    let (file, rest) = line[start + 6..].split_once("\", line ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let function = match rest.get(digits..)? {
        // A syntax error has no function, and its code is the message.
        "" => return None,
        rest => rest.strip_prefix(", in ")?,
    };
    let is_under = |i: &usize| {
        let below = source.line(*i).strip_prefix(prefix);
        below.is_some_and(|text| {
            text.starts_with("  ") && !text.trim().is_empty() && !text.trim_start().starts_with("File \"")
        })
    };
    let code = (i + 1..source.len()).take(8).take_while(is_under).count();
    let mut end = i + 1 + code;
    let repeats = |i: usize| source.line(i).trim_start().starts_with("[Previous line repeated ");
    if end < source.len() && repeats(end) {
        end += 1;
    }
    Some(Frame { lines: i..end, language: Language::Python, function, file })
}

/// `#0 …` of PHP, Dart and native code.
fn hash(text: &str) -> Option<(Language, &str, &str)> {
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(1 + digits..)?;
    let body = rest.trim_start();
    if digits == 0 || body.len() == rest.len() {
        return None;
    }
    let call = body.strip_suffix(')').and_then(|b| b.rsplit_once(" ("));
    let is_dart = |place: &str| {
        place.starts_with("package:")
            || place.starts_with("dart:")
            || (place.starts_with("file:///") && place.contains(".dart"))
    };
    if let Some((function, place)) = call.filter(|(_, place)| is_dart(place)) {
        return Some((Language::Dart, function, place));
    }
    // `/a/b.php(12): C->f()`, `[internal function]: f()`, `{main}`
    if body == "{main}" {
        return Some((Language::Php, body, ""));
    }
    if let Some(function) = body.strip_prefix("[internal function]: ") {
        return Some((Language::Php, function, "[internal function]"));
    }
    if let Some((place, function)) = body.split_once("): ")
        && let Some((file, line)) = place.rsplit_once('(')
        && line.bytes().all(|b| b.is_ascii_digit())
    {
        return Some((Language::Php, function, file));
    }
    // `0x55d in f /a.c:1:2`, `0x55d in f (/lib/x.so+0x1)`, `f (x=1) at a.c:3`, `0x7f in f () from /lib/x.so`
    let (is_address, body) = match body.strip_prefix("0x") {
        Some(rest) => (true, rest.split_once(" in ").map_or(rest, |(_, f)| f)),
        None => (false, body),
    };
    let (function, file) = match (body.rsplit_once(" at "), body.rsplit_once(" from "), body.rsplit_once(' '))
    {
        (Some((function, file)), ..) => (function, file),
        (_, Some((function, file)), _) => (function, file),
        (_, _, Some((function, file))) if is_address => (function, file),
        _ if is_address => (body, ""),
        _ => return None,
    };
    (is_address || file.contains(':')).then_some((Language::Native, function, file))
}

/// `==12==    by 0x109: f (a.c:5)`
fn valgrind(text: &str) -> Option<(&str, &str)> {
    let (pid, rest) = text.strip_prefix("==")?.split_once("==")?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("at 0x").or_else(|| rest.strip_prefix("by 0x"))?;
    let (_, body) = rest.split_once(": ")?;
    let (function, place) = body.strip_suffix(')')?.rsplit_once(" (")?;
    pid.bytes().all(|b| b.is_ascii_digit()).then_some((function, place))
}

/// `a.rb:1:in 'f'`
fn ruby(place: &str) -> Option<(&str, &str)> {
    let (file, rest) = place.split_once(".rb:").or_else(|| place.split_once(':'))?;
    let (line, function) = rest.split_once(":in ").unwrap_or((rest, ""));
    (!file.is_empty() && is_number(line)).then_some((&place[..file.len()], function))
}

/// `   4: a::f` with `             at /a.rs:1:2` under it.
fn rust<'a>(source: &'a Source<'a>, i: usize) -> Option<Frame<'a>> {
    let text = source.line(i).trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let function = text[digits..].strip_prefix(": ")?;
    if !function.contains("::")
        && !is_under_rust(source, i + 1)
        && function != "main"
        && !function.starts_with('_')
    {
        return None;
    }
    // `RUST_BACKTRACE=full` puts the address first.
    let function = match function.trim_start().strip_prefix("0x") {
        Some(rest) => rest.split_once(" - ")?.1,
        None => function,
    };
    let has_place = is_under_rust(source, i + 1);
    let file = if has_place { source.line(i + 1).trim_start().trim_start_matches("at ") } else { "" };
    Some(Frame { lines: i..i + 1 + usize::from(has_place), language: Language::Rust, function, file })
}

fn is_under_rust(source: &Source<'_>, i: usize) -> bool {
    i < source.len()
        && source.line(i).starts_with("             ")
        && source.line(i).trim_start().starts_with("at ")
}

/// `4   libswift.dylib   0x0000000104 f + 12`
fn apple(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_ascii_whitespace();
    let (_, image, address) = (words.next()?, words.next()?, words.next()?);
    if address.len() <= 8 || !address.starts_with("0x") {
        return None;
    }
    let function = text.split_once(address)?.1.trim_start();
    function.contains(" + ").then_some((function, image))
}

/// `    (app 1.0.0) lib/a.ex:1: A.f/1`, `    (stdlib 4.0) proc_lib.erl:2: …`
fn elixir(text: &str) -> Option<(&str, &str)> {
    let (app, rest) = text.strip_prefix('(')?.split_once(") ")?;
    let (place, function) = rest.split_once(": ")?;
    let is_source = [".ex:", ".exs:", ".erl:"].iter().any(|end| place.contains(end));
    is_source.then_some((function, app))
}

/// `a/b.f(0x1, …)` or `created by a/b.f in goroutine 1`, with a tab and `/a.go:1 +0x1` on the next line.
fn go<'a>(source: &'a Source<'a>, i: usize) -> Option<Frame<'a>> {
    let line = source.line(i);
    if i + 1 >= source.len() || line.starts_with([' ', '\t']) {
        return None;
    }
    let place = source.line(i + 1).strip_prefix('\t')?;
    let (file, rest) = place.split_once(".go:").or_else(|| place.split_once(".s:"))?;
    let is_place = rest.bytes().next().is_some_and(|b| b.is_ascii_digit()) && !file.contains(' ');
    let is_call = line.ends_with(')') || line.starts_with("created by ");
    let function = line.strip_prefix("created by ").unwrap_or(line);
    (is_place && is_call).then_some(Frame {
        lines: i..i + 2,
        language: Language::Go,
        function,
        file: &place[..file.len()],
    })
}
