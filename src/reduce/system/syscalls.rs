//! `strace`: successful calls that only manage memory, descriptors, signals and time are counted by name. Kept are
//! failed calls, opened files, started programs, data that was read, written, sent or received, signals and exits.

use crate::reduce::Meta;
use crate::reduce::rows::{Place, Row, Rows};
use crate::text::reason::Reason;

/// The reducer of this module.
pub static SYSCALLS: Rows = Rows {
    meta: Meta {
        id: "strace",
        family: "system",
        reads: "`strace`, also `-f`, `-t`, `-r`, `-T`; `ltrace`",
        keeps: "every call that failed or took far longer than the others, files, programs, data, network, signals, exits, calls that did not return",
        omits: "calls that succeeded and only manage memory, descriptors, signals or time, and calls that stood there before with the same result; counted by name",
        anchors: &[
            "execve(",
            "mmap(",
            "openat(",
            "futex(",
            "rt_sig",
            "epoll_",
            "+++ exited ",
            "strlen(",
            "malloc(",
            "setlocale(",
            "close(",
        ],
    },
    commands: &["strace", "ltrace"],
    // A table of counts (`-c`) has no calls, and `-c` may be a flag of the program.
    unless: &[],
    asks: asks_for_routine,
    content: 8,
    read,
};

const ROUTINE: &[&str] = &[
    "access",
    "arch_prctl",
    "brk",
    "clock_gettime",
    "clock_nanosleep",
    "close",
    "dup",
    "epoll_create1",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_wait",
    "fadvise64",
    "fcntl",
    "fcntl64",
    "fstat",
    "fstat64",
    "fstatfs",
    "futex",
    "getegid",
    "geteuid",
    "getgid",
    "getpgrp",
    "getpid",
    "getppid",
    "getrandom",
    "getrlimit",
    "gettid",
    "gettimeofday",
    "getuid",
    "ioctl",
    "lseek",
    "_llseek",
    "madvise",
    "mmap",
    "mmap2",
    "mprotect",
    "mremap",
    "munmap",
    "nanosleep",
    "newfstatat",
    "poll",
    "ppoll",
    "pread64",
    "prlimit64",
    "rseq",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "set_thread_area",
    "set_tid_address",
    "setpgid",
    "sigaltstack",
    "statfs",
    "statx",
    "sysinfo",
    "time",
    "timerfd_create",
    "timerfd_settime",
    "umask",
    "uname",
];

/// Library calls of the same kind.
const LIBRARY: &[&str] = &[
    "calloc",
    "free",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "realloc",
    "stpcpy",
    "strchr",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
    "strncpy",
    "strnlen",
    "strrchr",
    "__errno_location",
    "__ctype_b_loc",
    "__ctype_get_mb_cur_max",
    "mbrtowc",
    "mbsinit",
    "iswprint",
    "reallocarray",
    "strcoll",
];

/// Library calls that return no address if they fail.
const ALLOCATORS: &[&str] = &["calloc", "malloc", "realloc", "reallocarray"];

/// `trace=mmap,munmap`, `%memory`: the calls that would be left out.
fn asks_for_routine(word: &str) -> bool {
    word.split(['=', ',', '!']).any(|name| {
        ROUTINE.contains(&name)
            || LIBRARY.contains(&name)
            || ["memory", "desc", "signal", "all"].contains(&name.trim_start_matches('%')) && name != "all"
    })
}

fn read<'a>(_: Place<'a>, line: &'a str) -> Row<'a> {
    let text = call_of(line);
    if text.starts_with("+++ ") || text.starts_with("--- SIG") || text.starts_with("<... ") {
        return Row::Keep;
    }
    let name =
        text.bytes().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_').count();
    if name < 3 || text.as_bytes().get(name) != Some(&b'(') {
        return Row::Other;
    }
    let Some((call, result)) = text.rsplit_once(" = ") else {
        return if text.ends_with("<unfinished ...>") { Row::Keep } else { Row::Other };
    };
    if !call.trim_end().ends_with(')')
        || !result.starts_with(|c: char| c.is_ascii_digit() || "-?<n\"'".contains(c))
    {
        return Row::Other;
    }
    let name = &text[..name];
    // `-T` adds the time that the call took.
    let timed = text.len() - text.rfind(" <").filter(|_| text.ends_with('>')).map_or(0, |at| text.len() - at);
    match () {
        () if result.starts_with(['-', '?']) => Row::Keep,
        // Memory that is both writable and executable is unusual.
        () if call.contains("PROT_WRITE|PROT_EXEC") => Row::Keep,
        // `malloc(18446744073709551592) = 0`
        () if ALLOCATORS.contains(&name) && matches!(result.trim_end(), "0" | "nil") => Row::Keep,
        () if ROUTINE.contains(&name) || LIBRARY.contains(&name) => {
            Row::Hide(Reason::RoutineCalls, name.into())
        }
        () => Row::Once(&text[..timed], name),
    }
}

/// The call without the process, the clock and the elapsed time at the start of the line.
fn call_of(line: &str) -> &str {
    let mut rest = line;
    if let Some(inside) = rest.strip_prefix("[pid ") {
        rest = inside.split_once("] ").map_or(rest, |(_, call)| call);
    }
    for _ in 0..2 {
        let digits =
            rest.trim_start().bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b':')).count();
        if let Some(after) = rest.trim_start().get(digits..).filter(|_| digits > 0)
            && after.starts_with(' ')
        {
            rest = after.trim_start();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Mode;

    #[test]
    fn calls() {
        let of = |line| read(Place { header: "", mode: Mode::Standard }, line);
        let goes = |name: &'static str| Row::Hide(Reason::RoutineCalls, name.into());
        assert_eq!(of("mmap(NULL, 8192, PROT_READ) = 0x7f38"), goes("mmap"));
        assert_eq!(of("[pid  77] 12:00:01.5 close(3)        = 0 <0.000011>"), goes("close"));
        assert_eq!(of("77    0.000123 close(3)                = 0"), goes("close"));
        for line in [
            "access(\"/etc/ld.so.preload\", R_OK) = -1 ENOENT (No such file or directory)",
            "exit_group(0)                           = ?",
            "malloc(18446744073709551592)            = 0",
            "futex(0x7f, FUTEX_WAIT <unfinished ...>",
            "--- SIGCHLD {si_signo=SIGCHLD} ---",
            "mprotect(0x7f00, 4096, PROT_READ|PROT_WRITE|PROT_EXEC) = 0",
        ] {
            assert_eq!(of(line), Row::Keep, "{line}");
        }
        assert_eq!(
            of("write(1, \"close(3) = 0\", 12) = 12"),
            Row::Once("write(1, \"close(3) = 0\", 12) = 12", "write")
        );
        assert_eq!(of("77 open(\"a\") = 3 <0.000011>"), Row::Once("open(\"a\") = 3", "open"));
        assert_eq!(of("strlen(\"x\")       = 1"), goes("strlen"));
        for line in ["int main(void)", "close(3);", "x = foo(3) = y", "printf(\"%d\") = 3 now"] {
            assert!(!matches!(of(line), Row::Hide(..)), "{line}");
        }
    }
}
