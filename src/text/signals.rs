//! Lines that report a failure, found without knowing what tool wrote them.
//!
//! The guard uses these to check the reducers, so nothing here may be taken from a reducer. It errs
//! on the side of seeing a failure, but a line that reports zero failures or a passed test is none.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Regex, RegexBuilder};

use crate::text::source::Source;

/// What a failure line holds at least one of. Case variants are listed apart: a packed search takes
/// up to 64 case-sensitive literals. It is as selective as the shortest of them: none has less than four bytes.
const WORDS: &[&str] = &[
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
    "Segmentation fault",
    "core dumped",
    "undefined reference",
    "not found",
    "No such file",
    "ermission denied",
    "annot ",
    "ould not",
    "xception",
    "not ok",
    // Of pytest; at the start of a text it is looked for apart.
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
    "##[error]",
    // kotlinc below Gradle and Maven.
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
    "Sanitizer: ",
    // What gcc, make and git say in other languages.
    "ehle",
    "ehlg",
    "FEHLER",
    "rreur",
    "RREUR",
    "falhou",
];
const _: () = assert!(WORDS.len() <= 64);

/// The same for words that a text of ASCII holds none of.
const FOREIGN: &[&str] = &[
    "✕",
    "✗",
    "✖",
    // With the white space that must follow.
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

const FAILURE: &str = r"(?x)
    \b(?:error|ERROR|Error|fatal|FATAL|Fatal|panic|panicked|PANIC|FAILED|FAIL|Failed|failed
        |fails|failure|Failure|FAILURE|failing|Traceback|CRITICAL)\b
    # A folder of that name reports nothing.
    | \b(?:errors|ERRORS|Errors|failures|Failures|FAILURES)(?:[^/\w]|$)
    | Segmentation\ fault | core\ dumped | undefined\ reference | command\ not\ found | No\ such\ file
    | [Pp]ermission\ denied | \b[Cc]annot\ (?:find|open|access|resolve|import|load|connect|create|read|write|assign|borrow|move|use|allocate|be\b)
    | [Cc]ould\ not | BUILD\ FAILURE | [Cc]onnection\ refused | timed\ out
    # What the system says when a call fails.
    | [Nn]o\ space\ left\ on\ device | [Dd]isk\ quota\ exceeded | [Oo]ut\ of\ memory | Too\ many\ open\ files
    | [Rr]ead-only\ file\ system | [Oo]peration\ not\ permitted | (?:[Nn]etwork|[Hh]ost)\ is\ unreachable
    | [Cc]onnection\ reset\ by\ peer | [Bb]roken\ pipe | Illegal\ instruction
    | \b[A-Z]\w*Sanitizer:\  | \boom-killer\b | ^CONFLICT\ \(
    | \b(?:[Ff]ehler|FEHLER|[Ee]rreur|ERREUR)(?:\ |\xC2\xA0|\xE2\x80\xAF)?(?::|\ \d) | \b(?:Errore|ERRORE|Erro|ERRO)\ ?:
    | \bfehlgeschlagen\b | \b[Ff]alhou\b | (?:É|é)chec\ (?:de|du|des|lors|:) | (?:É|é)chec: | échoué | \b[Ff]alló
    | ^\W*Ошибка | (?:Ошибка|ошибка)(?::|\ \d) | (?:Не|не)\ удалось
    | (?:错误|錯誤|エラー|오류)(?:：|:|\ \d) | エラーが発生 | 오류가\ 발생
    | (?:失败|失敗|실패)(?:：|:|！|!|。|\s|$) | 失敗しました | 실패했
    | ^\W*Błąd | (?:Błąd|błąd)(?::|\ \d) | (?:Nie|nie)\ udało\ się
    | \w*(?:Error|Exception|Failure)(?:\b|:) | ^E\s{2,}\S | ^\s*not\ ok\b | ^npm\ ERR! | ^\s*---\ FAIL
    | ^\s*(?:\xE2\x9C\x95|\xE2\x9C\x97|\xE2\x9C\x96|\xC3\x97)\s
    | \bAbort(?:ed|ing)?\b | \babort(?:ed|ing)?\b | \bKilled\b | \bSIG(?:SEGV|ABRT|KILL|BUS|ILL|FPE|TERM|PIPE)\b
    | \bexit(?:ed\ with)?(?:\ code|\ status)?:?\ (?:code\ )?[1-9] | \#\#\[error\]
    | ^e:\ (?:file://)?/\S+\.kts?:
";

const NO_FAILURE: &str = r"(?x)
    \b(?:0|[nN]o)\ (?:errors?|failures?|failed|failing)\b
    | \b(?:[eE]rrors?|[fF]ailures?|[fF]ailed)['\x22]?\s*[:=]\s*['\x22]?0\b
    | \b0\ (?:fehlgeschlagen|falhou) | (?:错误|錯誤|失败|失敗|エラー|오류|실패)\s*(?:：|:)?\s*0(?:\D|$)
    # The counters of an interface: `RX errors 0  dropped 0`.
    | \b[eE]rrors\ 0(?:\ |$)
    | \b(?:\.\.\.\s*ok|PASSED|PASS|passed)\s*(?:\[.*\]|\(.*\))?$
    | ^\s*(?:\xE2\x9C\x93|\xE2\x9C\x94|ok\ \d|---\ PASS|test\ .*\ \.\.\.\ ok)
";

/// A count of failures that is not zero, which `NO_FAILURE` on the same line does not excuse.
const SOME_FAILURE: &str = r"(?i)\b[1-9]\d*\ (?:errors?|failures?|failed|failing)\b|\b(?:errors?|failures?|failed)['\x22]?\s*[:=]\s*['\x22]?[1-9]|\b(?:errors|dropped)\ [1-9]";

static SEARCH: LazyLock<Option<([AhoCorasick; 2], [Regex; 3])>> = LazyLock::new(|| {
    let build = |pattern| RegexBuilder::new(pattern).unicode(false).build().ok();
    // Only a leftmost search has the packed prefilter. No word ends behind a line end, so that both kinds find
    // the same line first.
    let search =
        |words: &[&str]| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(words).ok();
    Some(([search(WORDS)?, search(FOREIGN)?], [build(FAILURE)?, build(NO_FAILURE)?, build(SOME_FAILURE)?]))
});

/// Longest line that is looked at whole; what a longer one reports is looked for in its head.
pub const MAX_LINE: usize = 20_000;

/// Numbers of the lines that report a failure, in order, from 0.
pub fn failure_lines(source: &Source<'_>) -> Vec<usize> {
    source.failures().to_vec()
}

/// Looks for [`failure_lines`], which a source remembers.
pub fn search(source: &Source<'_>) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut from = 0;
    for &word in source.failure_words() {
        if word >= from {
            let line = source.line_at(word);
            if is_failure(source.line(line)) {
                lines.push(line);
            }
            from = source.byte_range(line..line + 1).end;
        }
    }
    lines
}

/// Places of the words that every failure line holds at least one of, in order.
pub fn word_offsets(text: &str) -> Vec<usize> {
    hits(text).map(|hit| hit.start).collect()
}

/// Where the words stand, in order.
fn hits(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let words = SEARCH.as_ref().map(|(words, _)| words);
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
    let Some((_, [failure, no_failure, some_failure])) = SEARCH.as_ref() else { return false };
    let bytes = line.as_bytes();
    let bytes = &bytes[..bytes.len().min(MAX_LINE)];
    failure.is_match(bytes) && (!no_failure.is_match(bytes) || some_failure.is_match(bytes))
}

/// Longest line that has to be shown whole for what it reports; of a longer one the excerpts have to be.
pub const LONG_LINE: usize = 2_000;
/// Bytes of an excerpt before and behind a word of failure.
const BEFORE: usize = 48;
const BEHIND: usize = 80;

/// What a long line, such as a JSON document on one line, says around each word of failure: parts of single
/// strings, or a member from its key on. Members that say that nothing failed are none.
pub fn excerpts(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let ends = |b: u8| matches!(b, b'"' | b'<' | b'>' | b'\\' | b'\n');
    let mut out: Vec<Range<usize>> = Vec::new();
    for hit in hits(text) {
        if out.last().is_some_and(|last| last.end >= hit.end) {
            continue;
        }
        let before = bytes[..hit.start].iter().rev().take(BEFORE).take_while(|b| !ends(**b)).count();
        let mut start = text.ceil_char_boundary(hit.start - before);
        // The letter of an escape is no part of the word behind it.
        let is_escaped = start > 0 && bytes[start - 1] == b'\\';
        start += usize::from(is_escaped && start < hit.start && bytes[start].is_ascii_alphabetic());
        let behind = |at: usize| bytes[at..].iter().take(BEHIND).take_while(|b| !ends(**b)).count();
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

/// Where the value starts of the member whose key ends with the quote at `at`.
fn member_value(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let blanks = |at: usize| at + bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let colon = blanks(at + 1);
    (bytes.get(colon) == Some(&b':')).then(|| blanks(colon + 1))
}

/// Whether a value says that there is none.
fn is_nothing(value: &[u8]) -> bool {
    const NOTHING: &[&[u8]] = &[b"null", b"false", b"0", b"\"\"", b"[]", b"{}", b"None", b"False"];
    let ends = |len: usize| value.get(len).is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'.');
    NOTHING.iter().any(|nothing| value.starts_with(nothing) && ends(nothing.len()))
}

/// Offset of the first failure word of a text, for a line that is too long to be shown whole.
pub fn first_failure(text: &str) -> Option<usize> {
    let (_, [failure, ..]) = SEARCH.as_ref()?;
    failure.find(text.as_bytes()).map(|m| text.floor_char_boundary(m.start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_end_with_the_word() {
        for text in ["an error", "an error\"", "an error\":", "\"error\": "] {
            assert!(excerpts(text).len() <= 1);
        }
    }

    #[test]
    fn excerpts_of_long_lines() {
        let text = r#"[{"error":null,"failed":0,"n":1},{"error": "disk is full", "errors":[]},{"log":"a\nfatal: no\nb","error":{"code":7}}]"#;
        let found: Vec<&str> = excerpts(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["error\": \"disk is full", "fatal: no", "error\":{"]);
    }

    #[test]
    fn tells_failures_from_their_absence() {
        assert!(SEARCH.is_some());
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
        ] {
            assert!(!is_failure(line), "{line}");
        }
    }
}
