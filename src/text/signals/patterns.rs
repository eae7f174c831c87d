//! The regexes for failure lines, over the bytes of one line.
//!
//! The build script compiles them (`build/failures.rs`), so that no request has to wait for that.

/// Words and forms that report a failure.
pub const FAILURE: &str = r"(?x)
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
    # The kernel.
    | \bkernel\ BUG\ at\b | \bgeneral\ protection\ fault\b
    | \bBUG:\ (?:unable\ to\ handle|kernel\ NULL|soft\ lockup|scheduling\ while\ atomic|workqueue\ lockup)
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

/// Forms that say that nothing failed.
pub const NO_FAILURE: &str = r"(?x)
    \b(?:0|[nN]o)\ (?:errors?|failures?|failed|failing)\b
    | \b(?:[eE]rrors?|[fF]ailures?|[fF]ailed)['\x22]?\s*[:=]\s*['\x22]?0\b
    | \b0\ (?:fehlgeschlagen|falhou) | (?:错误|錯誤|失败|失敗|エラー|오류|실패)\s*(?:：|:)?\s*0(?:\D|$)
    # The counters of an interface: `RX errors 0  dropped 0`.
    | \b[eE]rrors\ 0(?:\ |$)
    | \b(?:\.\.\.\s*ok|PASSED|PASS|passed)\s*(?:\[.*\]|\(.*\))?$
    | ^\s*(?:\xE2\x9C\x93|\xE2\x9C\x94|ok\ \d|---\ PASS|test\ .*\ \.\.\.\ ok)
";

/// A count of failures other than zero; it outweighs `NO_FAILURE` in the same line.
pub const SOME_FAILURE: &str = r"(?i)\b[1-9]\d*\ (?:errors?|failures?|failed|failing)\b|\b(?:errors?|failures?|failed)['\x22]?\s*[:=]\s*['\x22]?[1-9]|\b(?:errors|dropped)\ [1-9]";

/// All regexes, in the order of their automata in `build/failures.zst`. Only the build script and a test use it.
#[allow(dead_code, reason = "the library reads the automata")]
pub const ALL: [&str; 3] = [FAILURE, NO_FAILURE, SOME_FAILURE];
