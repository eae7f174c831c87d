//! Lines that report a failure, found without knowing what tool wrote them.
//!
//! The guard uses these lines to check reducers, so nothing here may depend on a reducer. In doubt a line counts as a
//! failure, but a line that reports zero failures or a passed test does not.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};
use regex_automata::Input;
use regex_automata::dfa::Automaton as _;
use regex_automata::dfa::dense::DFA;

use crate::text::source::Source;

#[allow(dead_code, reason = "the build script and the tests read the rest")]
mod patterns;

/// Every failure line has at least one of these. Case variants are listed separately: a packed search has up to 64
/// case-sensitive literals. It is as selective as the shortest of them, so all have at least four bytes.
const FAILURE_WORDS: &[&str] = &[
    "error",
    "Erro",
    "ERRO",
    "fatal",
    "FATAL",
    "Fatal",
    "panic",
    "PANIC",
    "FAIL",
    "Fail",
    "fail",
    "Traceback",
    "CRITICAL",
    // Segmentation faults, and general protection faults of the kernel.
    "tion fault",
    "core dumped",
    "undefined reference",
    "not found",
    "No such file",
    "ermission denied",
    "annot ",
    "ould not",
    "xception",
    "not ok",
    // For pytest; at the start of a text it is searched separately.
    "\nE  ",
    "bort",
    "Killed",
    "SIGS",
    "SIGA",
    "SIGK",
    "SIGB",
    "SIGI",
    "SIGF",
    "SIGT",
    "SIGP",
    "unresolved",
    "refused",
    "timed out",
    "FAULT",
    // kotlinc, under Gradle and Maven.
    "e: file:///",
    "e: /",
    "exit code",
    "exit status",
    "exited with",
    "o space left",
    "uota exceeded",
    "ut of memory",
    "Too many open files",
    "ead-only file system",
    "not permitted",
    "nreachable",
    "reset by peer",
    "roken pipe",
    "Illegal instruction",
    "CONFLICT (",
    "oom-killer",
    "nel BUG",
    "BUG:",
    "Sanitizer: ",
    // Messages of gcc, make and git in other languages.
    "ehle",
    "ehlg",
    "FEHLER",
    "rreur",
    "RREUR",
    "falhou",
];
const _: () = assert!(FAILURE_WORDS.len() <= 64);

/// Further such words, with characters that are not ASCII. They are not searched in ASCII text.
const FOREIGN: &[&str] = &[
    "✕",
    "✗",
    "✖",
    // Including the white space that must follow.
    "× ",
    "×\t",
    "×\r",
    "×\u{b}",
    "×\u{c}",
    "Échec",
    "échec",
    "échoué",
    "alló",
    "шибка",
    "удалось",
    "错误",
    "錯誤",
    "失败",
    "失敗",
    "エラー",
    "오류",
    "실패",
    "łąd",
    "udało",
];

static SEARCH: LazyLock<Option<[AhoCorasick; 2]>> = LazyLock::new(|| {
    // Only a leftmost search has the fast packed prefilter. No word extends after a line end, so both kinds of
    // search find the same line first.
    let search =
        |words: &[&str]| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok();
    Some([search(FAILURE_WORDS)?, search(FOREIGN)?])
});

/// Bytes with an alignment of four, as an automaton needs them.
#[repr(C)]
struct Aligned<B: ?Sized> {
    align: [u32; 0],
    bytes: B,
}

/// An automaton that the build script wrote; `None` if it cannot be read, which a test rules out.
macro_rules! automaton {
    ($file:literal) => {{
        static BYTES: &Aligned<[u8]> =
            &Aligned { align: [], bytes: *include_bytes!(concat!(env!("OUT_DIR"), "/", $file)) };
        static READ: LazyLock<Option<Automaton>> =
            LazyLock::new(|| DFA::from_bytes(&BYTES.bytes).ok().map(|(dfa, _)| dfa));
        &READ
    }};
}

type Automaton = DFA<&'static [u32]>;

/// Whether the regex of an automaton matches anywhere in `bytes`.
fn matches(automaton: &LazyLock<Option<Automaton>>, bytes: &[u8]) -> bool {
    let input = Input::new(bytes).earliest(true);
    // These automata have no bytes at which they give up, so the search cannot fail.
    automaton.as_ref().is_some_and(|dfa| dfa.try_search_fwd(&input).is_ok_and(|found| found.is_some()))
}

/// The longest line that is searched as a whole, in bytes; of a longer line only the start.
pub const MAX_LINE: usize = 20_000;

/// Numbers of the lines that report a failure, in order, from 0.
pub fn failure_lines(source: &Source<'_>) -> Vec<usize> {
    source.failures().to_vec()
}

impl Source<'_> {
    /// Numbers of the lines that report a failure, in order, from 0.
    pub fn failures(&self) -> &[usize] {
        self.failures.get_or_init(|| search(self))
    }

    /// Offsets of the words of which every failure line has at least one, in order.
    pub fn failure_words(&self) -> &[usize] {
        self.failure_words.get_or_init(|| word_offsets(self.text()))
    }
}

/// Searches for [`failure_lines`]; a source caches them.
pub fn search(source: &Source<'_>) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut from = 0;
    for &word in source.failure_words() {
        if word >= from {
            let line = source.line_at(word);
            if is_failure(source.line(line)) && !is_quoted_code(source, line) {
                lines.push(line);
            }
            from = source.byte_range(line..line + 1).end;
        }
    }
    lines
}

/// Most lines of code below a place.
const MAX_QUOTED_LINES: usize = 12;

/// Whether a line is code that a report quotes below the place of a finding, with its number and a tab before it. The words
/// of the code report nothing: `Location: a.py:8:4`, and below it `8<tab>raise RuntimeError("no ledger")`.
fn is_quoted_code(source: &Source<'_>, line: usize) -> bool {
    let number = |line: usize| {
        let (number, _) = source.line(line).split_once('\t')?;
        number.parse::<usize>().ok().filter(|_| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    let Some(own) = number(line) else { return false };
    let above = (1..=MAX_QUOTED_LINES.min(line)).find(|up| number(line - up) != own.checked_sub(*up));
    let Some(above) = above.map(|up| line - up) else { return false };
    let Some((_, place)) = source.line(above).trim_start().split_once("ocation: ") else { return false };
    let first = own + above + 1 - line;
    let is_near = |at: usize| (first..first + MAX_QUOTED_LINES).contains(&at);
    place.rsplit(':').take(2).any(|at| at.trim().parse().is_ok_and(is_near))
}

/// Offsets of the words of which every failure line has at least one, in order.
pub fn word_offsets(text: &str) -> Vec<usize> {
    hits(text).map(|hit| hit.start).collect()
}

/// The ranges of these words, in order.
fn hits(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let words = SEARCH.as_ref();
    let foreign = words.filter(|_| !text.is_ascii()).map(|[_, foreign]| foreign);
    let all = [words.map(|[words, _]| words), foreign];
    let of_line = |hit: aho_corasick::Match| {
        let starts_before = text.as_bytes()[hit.start()] == b'\n';
        hit.start() + usize::from(starts_before)..hit.end()
    };
    let [mut plain, mut foreign] = all
        .map(|words| words.into_iter().flat_map(move |words| words.find_iter(text)).map(of_line).peekable());
    let first = text.starts_with("E  ").then_some(0..3);
    let rest = std::iter::from_fn(move || match (plain.peek(), foreign.peek()) {
        (Some(a), Some(b)) if b.start < a.start => foreign.next(),
        (Some(_), _) => plain.next(),
        _ => foreign.next(),
    });
    first.into_iter().chain(rest)
}

/// Whether one line reports a failure.
pub fn is_failure(line: &str) -> bool {
    let bytes = line.as_bytes();
    let bytes = &bytes[..bytes.len().min(MAX_LINE)];
    matches(automaton!("failure.dfa"), bytes)
        && (!matches(automaton!("no_failure.dfa"), bytes) || matches(automaton!("some_failure.dfa"), bytes))
        && !is_path_alone(line)
}

/// The longest line that is read as a path, in bytes. A choice: longer paths are not typed by hand.
const MAX_PATH_BYTES: usize = 400;
/// The longest ending of a file name, in bytes. A choice: few have more.
const MAX_ENDING_BYTES: usize = 6;
/// A path without such an ending has at least this many slashes: `pass/fail` is not a path.
const MIN_SLASHES: usize = 2;

/// Whether a line has nothing but the path of a file or folder, as in a list of names: `src/error.rs`,
/// `├── error_page.html`, ` M tests/fail.py`, `-rw-r--r-- 1 root root 120 Nov 28 10:00 error.log`. Whatever its words
/// are, it reports nothing.
fn is_path_alone(line: &str) -> bool {
    let line = line.trim_end();
    if line.len() > MAX_PATH_BYTES {
        return false;
    }
    let (before, path) = line.rsplit_once([' ', '\t', '\u{a0}']).unwrap_or(("", line));
    is_path(path) && (before.is_empty() || is_front_of_path(before))
}

/// Whether a word can only be a path.
fn is_path(word: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || b"/._-+@~#%$".contains(&b);
    if !word.bytes().all(is_part) || !word.bytes().any(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let is_file = ending.is_some_and(|ending| {
        (1..=MAX_ENDING_BYTES).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && ending.bytes().any(|b| b.is_ascii_lowercase())
            && hits(ending).next().is_none()
    });
    is_file || word.bytes().filter(|b| *b == b'/').count() >= MIN_SLASHES || word.ends_with('/')
}

/// Whether a text may stand before a path in a list of names: the lines of a tree, a bullet, the status of a file in a
/// repository, numbers, or the mode, owner, size and time of a file.
fn is_front_of_path(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let Some(first) = words.next() else { return true };
    let is_mode = first.len() >= 10
        && first.starts_with(['-', 'd', 'l', 'b', 'c', 'p', 's'])
        && first[1..].bytes().all(|b| b"rwxsStT-+.@".contains(&b));
    if is_mode {
        return !words.any(|word| word == "->");
    }
    let is_drawn = |word: &str| word.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c));
    let is_sign =
        |word: &str| matches!(word, "-" | "*" | "+" | "|" | "|--" | "`--" | "\\--" | "+--" | "\u{2022}");
    let is_status = |word: &str| word.len() <= 2 && word.bytes().all(|b| b"AMDRCTU?!".contains(&b));
    let is_number = |word: &str| {
        let digits = word.trim_end_matches(['B', 'K', 'k', 'M', 'G', 'i']);
        !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b':' | b'-'))
    };
    std::iter::once(first)
        .chain(words)
        .all(|word| is_drawn(word) || is_sign(word) || is_status(word) || is_number(word))
}

/// The longest line, in bytes, that must be shown whole; of a longer failure line only its excerpts must be shown.
pub const LONG_LINE_BYTES: usize = 2_000;
/// Bytes of an excerpt before and after a failure word.
const BYTES_BEFORE: usize = 48;
const BYTES_AFTER: usize = 80;

/// The text around each failure word of a long line, such as a JSON document on one line: a part of one string, or a
/// member with its key. Members that say that nothing failed are skipped.
pub fn excerpts(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let ends = |b: u8| matches!(b, b'"' | b'<' | b'>' | b'\\' | b'\n');
    let mut out: Vec<Range<usize>> = Vec::new();
    for hit in hits(text) {
        if out.last().is_some_and(|last| last.end >= hit.end) {
            continue;
        }
        let before = bytes[..hit.start].iter().rev().take(BYTES_BEFORE).take_while(|b| !ends(**b)).count();
        let mut start = text.ceil_char_boundary(hit.start - before);
        // The letter of an escape such as `\n` is not part of the word after it.
        let is_escaped = start > 0 && bytes[start - 1] == b'\\';
        start += usize::from(is_escaped && start < hit.start && bytes[start].is_ascii_alphabetic());
        let behind = |at: usize| bytes[at..].iter().take(BYTES_AFTER).take_while(|b| !ends(**b)).count();
        let mut end = hit.end + behind(hit.end);
        if let Some(value) = member_value(bytes, end) {
            if is_nothing(&bytes[value..]) {
                continue;
            }
            let open = value + usize::from(bytes.get(value) == Some(&b'"'));
            let is_container = matches!(bytes.get(value), Some(b'{' | b'['));
            end = if is_container { value + 1 } else { open + behind(open) };
        }
        let end = text.floor_char_boundary(end);
        if start < end && is_failure(&text[start..end]) {
            out.push(start..end);
        }
    }
    out
}

/// Whether all failure words in a line of JSON are keys whose value says that nothing failed: `"error": null`.
pub fn denies_failure(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_nothing_of = |hit: Range<usize>| {
        let quote = bytes[hit.end..].iter().take(BYTES_AFTER).position(|b| *b == b'"');
        let value = quote.and_then(|quote| member_value(bytes, hit.end + quote));
        value.is_some_and(|value| is_nothing(&bytes[value..]))
    };
    line.trim_start().starts_with(['{', '[', '"']) && hits(line).all(is_nothing_of)
}

/// Whether a line is a whole JSON document with a list of objects, rather than one of many records.
pub fn is_document(line: &str) -> bool {
    let holds = |list: &str| memchr::memmem::find(line.as_bytes(), list.as_bytes()).is_some();
    line.starts_with(['[', '{']) && line.ends_with([']', '}']) && (holds("[{") || holds("[ {"))
}

/// The start of the value of a member whose key ends with the quotation mark at `at`.
fn member_value(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let blanks = |at: usize| at + bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let colon = blanks(at + 1);
    (bytes.get(colon) == Some(&b':')).then(|| blanks(colon + 1))
}

/// Whether a value says that nothing failed.
fn is_nothing(value: &[u8]) -> bool {
    const NOTHING: &[&[u8]] = &[b"null", b"false", b"0", b"\"\"", b"[]", b"{}", b"None", b"False"];
    let ends = |len: usize| value.get(len).is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'.');
    NOTHING.iter().any(|nothing| value.starts_with(nothing) && ends(nothing.len()))
}

/// Offset of the first failure word of a text, for a line that is too long to be shown whole.
pub fn first_failure(text: &str) -> Option<usize> {
    // Few texts need it, so a regex is enough: an automaton only finds where a match ends.
    static FAILURE: LazyLock<Option<Regex>> =
        LazyLock::new(|| RegexBuilder::new(patterns::FAILURE).unicode(false).build().ok());
    FAILURE.as_ref()?.find(text.as_bytes()).map(|m| text.floor_char_boundary(m.start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_a_report_quotes_reports_nothing() {
        let report = |place: &str| {
            format!(
                ">> Issue: [B101] x\n   Location: {place}\n7\ttry:\n8\t    raise ValueError('failed')\n9\t    fatal()\n\n"
            )
        };
        let found = |text: &str| failure_lines(&Source::new(text));
        assert_eq!(found(&report("src/a.py:8:4")), [0; 0]);
        assert_eq!(found(&report("src/a.py:8")), [0; 0]);
        // Rows with numbers that are no lines of the place.
        for text in
            [report("src/a.py:80:40"), report("src/a.py"), report("src/a.py:8:4").replace("8\t", "80\t")]
        {
            assert!(found(&text).contains(&3), "{text}");
        }
        assert_eq!(found("1\tFAILED\n2\tok\n"), [0]);
    }

    #[test]
    fn a_line_may_end_with_the_word() {
        for text in ["an error", "an error\"", "an error\":", "\"error\": "] {
            assert!(excerpts(text).len() <= 1);
        }
    }

    #[test]
    fn members_that_say_that_nothing_failed() {
        for line in [
            r#"{"id":1,"error":null,"errors":[],"failed": 0}"#,
            r#"  "error": null,"#,
            r#"[{"last_error_code":0},{"failed":false}]"#,
        ] {
            assert!(denies_failure(line), "{line}");
        }
        for line in [
            r#"{"error":null,"msg":"fatal: no disk"}"#,
            r#"{"error":"no disk"}"#,
            r#"{"level":"error","code":0}"#,
            "error: null",
            r#"["error",0]"#,
        ] {
            assert!(!denies_failure(line), "{line}");
        }
    }

    #[test]
    fn excerpts_of_long_lines() {
        let text = r#"[{"error":null,"failed":0,"n":1},{"error": "disk is full", "errors":[]},{"log":"a\nfatal: no\nb","error":{"code":7}}]"#;
        let found: Vec<&str> = excerpts(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["error\": \"disk is full", "fatal: no", "error\":{"]);
    }

    proptest::proptest! {
        #[test]
        fn automata_match_what_their_regexes_match(
            parts in proptest::collection::vec(
                proptest::prop_oneof![
                    proptest::sample::select(FAILURE_WORDS),
                    proptest::sample::select(FOREIGN),
                    proptest::sample::select(&["s", "ed", "0 ", "no ", "3 ", ": ", "=0", "/", "_", " ", "\"", "\t", "test ", " ... ok", "é"][..]),
                    proptest::sample::select(&["find", "Sanitizer: ", "code 1", "--- FAIL", "ok 1", "(x)", "\r", "！"][..]),
                ],
                0..6,
            )
        ) {
            let line = parts.concat();
            let bytes = line.as_bytes();
            for (regex, automaton) in [
                (patterns::FAILURE, automaton!("failure.dfa")),
                (patterns::NO_FAILURE, automaton!("no_failure.dfa")),
                (patterns::SOME_FAILURE, automaton!("some_failure.dfa")),
            ] {
                let regex = regex::bytes::RegexBuilder::new(regex).unicode(false).build().unwrap();
                proptest::prop_assert_eq!(regex.is_match(bytes), matches(automaton, bytes), "{}", line);
            }
        }
    }

    #[test]
    fn tells_failures_from_their_absence() {
        assert!(SEARCH.is_some());
        for automaton in
            [automaton!("failure.dfa"), automaton!("no_failure.dfa"), automaton!("some_failure.dfa")]
        {
            assert!(automaton.is_some());
        }
        for line in [
            "error: expected `;`",
            "src/a.c:3:5: fatal error: x.h: No such file or directory",
            "FAILED tests/a.py::test_b - assert 1 == 2",
            "E       assert 1 == 2",
            "E  assert",
            "test result: FAILED. 3 passed; 1 failed; 0 ignored",
            "thread 'main' panicked at src/main.rs:2:5:",
            "java.lang.IllegalStateException: no",
            "--- FAIL: TestX (0.00s)",
            "  ✕ adds numbers (3 ms)",
            "×\u{b}adds numbers",
            "not ok 3 - reads",
            "Tests: 1 failed, 0 errors",
            "##[error]Process completed with exit code 1.",
            "e: file:///project/src/Main.kt:2:32 Unresolved reference: put",
            "e: /project/build.gradle.kts: (3, 5): Expecting an element",
            "        RX errors 12  dropped 0  overruns 0  frame 0",
            "        TX errors 0  dropped 3  overruns 0  carrier 0",
            "errors 0.5 of all",
            "bash: foo: command not found",
            "tar: write: No space left on device",
            "fork: Cannot allocate memory",
            "FATAL ERROR: JavaScript heap out of memory",
            "mount: /mnt: Read-only file system",
            "connect: Network is unreachable",
            "chown: Operation not permitted",
            "Illegal instruction (core dumped)",
            "read: Connection reset by peer",
            "write |1: broken pipe",
            "accept: Too many open files",
            "write: Disk quota exceeded",
            "kernel: java invoked oom-killer: gfp_mask=0x1100cca",
            "[    3.653805] kernel BUG at drivers/misc/a.c:39!",
            "BUG: kernel NULL pointer dereference, address: 0000000000000008",
            "kernel: watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [a:12]",
            "general protection fault: 0000 [#1] SMP",
            "CONFLICT (content): Merge conflict in src/a.rs",
            "WARNING: ThreadSanitizer: data race (pid=7)",
            "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior a.cc:17:5 in",
            "a.c:3:5: Fehler: »y« nicht deklariert",
            "make: *** [Makefile:6: a.o] Fehler 1",
            "a.c:3:5: erreur: «y» non déclaré",
            "make: *** [Makefile:6: a.o] Erreur 1",
            "a.c:3:5: 错误：‘y’未声明",
            "make: *** [Makefile:6：a.o] 错误 1",
            "FEHLER: Datei nicht gefunden",
            "Anmeldung fehlgeschlagen",
            "ERREUR : fichier absent",
            "Échec de la connexion",
            "La commande a échoué",
            "Falló la descarga",
            "a compilação falhou",
            "Errore: file mancante",
            "Erro: sem acesso",
            "Ошибка при чтении",
            "ld: ошибка: нет файла",
            "не удалось открыть файл",
            "構建錯誤：缺少文件",
            "连接失败",
            "エラー: ファイルが見つかりません",
            "接続に失敗しました",
            "오류: 파일 없음",
            "빌드 실패",
            "Błąd odczytu pliku",
            "nie udało się otworzyć pliku",
            // Paths with words of failures beside them, and words that are not paths.
            "FAIL src/cart.test.js",
            "  failed src/a.rs",
            "FAILED",
            "java.lang.NullPointerException",
            "pkg.errors.TypeError",
            "kernel.panic",
            "pass/failed",
            "src/error.rs:31:5: error",
            "cannot open src/a.rs",
            "x tests/a.rs (failed)",
            "1 failed",
        ] {
            assert!(is_failure(line), "{line}");
            assert_eq!(failure_lines(&Source::new(line)), [0], "{line}");
        }
        for line in [
            "test handles_failed_login ... ok",
            "0 errors, 0 warnings",
            "Found no failures",
            "tests/a.py::test_error PASSED",
            "--- PASS: TestFail (0.00s)",
            "Errors: 0",
            "        RX errors 0  dropped 0  overruns 0  frame 0",
            "all fine",
            "12 bestanden, 0 fehlgeschlagen",
            "错误: 0, 失败：0",
            "Echo: un errore raro",
            "Der Fehler ist behoben",
            "эта ошибка исправлена",
            "terror",
            "name: /project/src/Main.kt: a file",
            "[google/errors/adx_enum.proto:23:1] The line length is 91",
            // Names in lists.
            "src/error.rs",
            "src/errors/FAIL.md",
            "app/src/main/java/org/shop/CartException.java",
            "    templates/error.html",
            "\u{2502}   \u{251c}\u{2500}\u{2500} error.go",
            "|   `-- fatal.log",
            " M lib/error.py",
            "?? tests/fixtures/panic/",
            "A\ttests/fail/case-1/out",
            "- docs/error.md",
            "     120 src/error.rs",
            "4.0K\t./var/log/failed/old",
            "-rw-r--r-- 1 root root 4096 Nov 28 10:00 app-error.log",
            "drwxr-xr-x. 2 me staff  64 Nov 28 10:00 error/",
        ] {
            assert!(!is_failure(line), "{line}");
        }
    }
}
