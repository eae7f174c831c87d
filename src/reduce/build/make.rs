//! Lines of the build tools that drive a C compiler: make, CMake, ninja, libtool, and the commands that make writes
//! before it runs them. This module only classifies lines; the reducer decides what to do with them.

use crate::reduce::lines::is_number;

/// A line of make itself, `make[1]: …`: its text, and the level in brackets.
pub fn make_line(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('g').unwrap_or(line).strip_prefix("make")?;
    let (level, said) = rest.split_once(": ")?;
    let digits = level.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
    let plain = level.is_empty() || digits.is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()));
    plain.then_some((said, level))
}

/// The level and the directory of a line with which make or ninja enters or leaves a directory.
pub fn directory(line: &str) -> (&str, &str) {
    let (said, level) =
        make_line(line).or_else(|| Some((line.strip_prefix("ninja: ")?, ""))).unwrap_or_default();
    (level, said.split_once(" directory ").map_or("", |(_, directory)| directory))
}

/// The failed target in a message of make (`*** [Makefile:3: a.o] Error 1`) or ninja (`FAILED: a.o`,
/// `FAILED: [code=1] a.o`).
pub fn failed_target(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("FAILED: ") {
        return rest.split(' ').find(|w| !w.starts_with('['));
    }
    let inner = make_line(line)?.0.strip_prefix("*** [")?.rsplit_once(']')?.0;
    Some(inner.rsplit_once(": ").map_or(inner, |(_, target)| target))
}

/// Whether a line announces a build step: a command of a compiler, linker or archiver, or a message of CMake, ninja,
/// automake or libtool about one.
pub fn is_step(line: &str) -> bool {
    is_counted(line) || is_silent(line) || is_command(line)
}

/// Whether a build step is certainly one of a compiler, and not of some other tool that counts its steps.
pub fn is_compile_step(line: &str) -> bool {
    let objects =
        || line.contains(" object ") || line.split(' ').any(|w| w.ends_with(".o") || w.ends_with(".obj"));
    is_silent(line) || is_command(line) || is_counted(line) && objects()
}

/// Whether a line is a check of the compilers by CMake, and the check passed.
pub fn is_probe(line: &str) -> bool {
    line.strip_prefix("-- ").is_some_and(|l| {
        l.starts_with("Detecting C") && !l.ends_with("failed")
            || l.starts_with("Check for working C") && (l.ends_with("skipped") || l.ends_with("works"))
            || ["Looking for ", "Performing Test ", "Check size of "].iter().any(|p| l.starts_with(p))
                && !["not found", "Failed", "failed"].iter().any(|no| l.ends_with(no))
    })
}

/// `[ 12%] Building C object …` of CMake's makefiles, `[3/10] …` of ninja.
fn is_counted(line: &str) -> bool {
    const TARGETS: &[&str] =
        &["Scanning dependencies of target ", "Consolidate compiler generated dependencies of target "];
    if TARGETS.iter().any(|t| line.starts_with(t)) {
        return true;
    }
    let Some((count, _)) = line.strip_prefix('[').and_then(|l| l.split_once("] ")) else { return false };
    count.strip_suffix('%').is_some_and(|n| is_number(n.trim_start()))
        || count.split_once('/').is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// `  CC       src/a.o` of automake's silent rules and of Kbuild.
fn is_silent(line: &str) -> bool {
    const VERBS: &[&str] = &[
        "CC", "CXX", "LD", "AR", "AS", "CCLD", "CXXLD", "HOSTCC", "HOSTLD", "CPP", "CCAS", "OBJC", "RANLIB",
        "LINK",
    ];
    let Some((verb, rest)) = line.strip_prefix("  ").and_then(|l| l.split_once(' ')) else { return false };
    VERBS.contains(&verb) && !rest.trim().is_empty()
}

/// A command line, as make writes it before it runs the command.
fn is_command(line: &str) -> bool {
    let line = line
        .strip_prefix("libtool: compile: ")
        .or_else(|| line.strip_prefix("libtool: link: "))
        .unwrap_or(line);
    let mut words = line.split_ascii_whitespace();
    let Some(mut program) = words.next() else { return false };
    while matches!(base(program), "ccache" | "distcc" | "sh" | "bash") {
        let Some(next) = words.next() else { return false };
        program = next;
    }
    match base(program) {
        "libtool" => true,
        "ar" | "gcc-ar" | "llvm-ar" => words
            .next()
            .is_some_and(|w| w.trim_start_matches('-').bytes().all(|b| b"rcsuqDTvUlP".contains(&b))),
        "ranlib" => words.next().is_some_and(|w| w.ends_with(".a")),
        "mv" => line.contains(".Tpo "),
        "make" | "gmake" => words.next().is_some_and(|w| w == "-C" || w == "-f"),
        name => {
            is_compiler(name)
                && words.any(|w| w.starts_with('-') && w.len() > 1 || w.ends_with(".o") || w.ends_with(".c"))
        }
    }
}

/// `gcc`, `g++-12`, `x86_64-linux-gnu-gcc`, `clang++-15`, `ld.gold`, `c++`, …
pub fn is_compiler(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.rsplit_once('-').map_or(name, |(_, last)| last);
    matches!(
        name,
        "cc" | "gcc"
            | "c++"
            | "g++"
            | "clang"
            | "clang++"
            | "ld"
            | "ld.gold"
            | "ld.lld"
            | "ld.bfd"
            | "nvcc"
            | "emcc"
            | "em++"
    )
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_steps_from_prose() {
        for line in [
            "gcc -c a.c -o a.o",
            "/usr/bin/x86_64-linux-gnu-g++-12 -O2 -o a a.o",
            "libtool: compile:  gcc -DHAVE_CONFIG_H -c a.c",
            "/bin/bash ./libtool --tag=CC --mode=compile gcc -c a.c",
            "ar rcs liba.a a.o",
            "[ 12%] Building C object CMakeFiles/a.dir/a.c.o",
            "[3/10] Building CXX object a.cpp.o",
            "  CC       src/a.o",
            "make -C lib",
        ] {
            assert!(is_step(line), "{line}");
        }
        for line in [
            "gcc is a compiler",
            "gcc: error: a.c: No such file or directory",
            "cc1: all warnings being treated as errors",
            "[1, 2] is a list",
            "[warn] [3/x] no",
            "make: *** [Makefile:3: a.o] Error 1",
            "arguments rcs",
            "  CC",
        ] {
            assert!(!is_step(line), "{line}");
        }
    }

    #[test]
    fn reads_make_and_ninja() {
        assert_eq!(make_line("gmake[2]: Entering directory '/p'"), Some(("Entering directory '/p'", "[2]")));
        assert_eq!(directory("make[1]: Leaving directory '/p'"), ("[1]", "'/p'"));
        assert_eq!(directory("ninja: Entering directory `b'"), ("", "`b'"));
        assert_eq!(make_line("makeup: no"), None);
        assert_eq!(failed_target("make: *** [Makefile:3: a.o] Error 1"), Some("a.o"));
        assert_eq!(failed_target("make[1]: *** [a.o] Error 1"), Some("a.o"));
        assert_eq!(failed_target("FAILED: [code=1] a.o"), Some("a.o"));
        assert_eq!(failed_target("make: *** No rule to make target 'x'.  Stop."), None);
        assert!(
            is_probe("-- Detecting C compiler ABI info - done")
                && !is_probe("-- Looking for pthread.h - not found")
        );
    }
}
