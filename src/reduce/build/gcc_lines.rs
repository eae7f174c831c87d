//! Classifies the lines that gcc, clang and linkers print, one by one.

use super::make::{is_compiler, is_probe, is_step, make_line};
use crate::reduce::diagnostic::below::{self, is_scope, margin};
use crate::reduce::diagnostic::{C, Severity};

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A diagnostic that is a warning.
    Warning,
    /// A diagnostic that is an error.
    Error,
    /// A note on the diagnostic before it.
    Note,
    /// A line above a diagnostic that names its origin.
    Context,
    /// `   12 | code` or `      | ^~~`.
    Excerpt,
    /// A build step, or a line that continues its command.
    Step,
    /// `-- Detecting C compiler ABI info - done`
    Probe,
    /// make enters a directory.
    Enter,
    /// make leaves a directory.
    Leave,
    /// A message of make or ninja about a target: nothing to do, or failed.
    Make,
    Blank,
    Other,
}

pub fn kind(line: &str) -> Kind {
    if line.trim().is_empty() {
        return Kind::Blank;
    }
    if let Some(found) = C.read(line) {
        return match found.severity {
            Some(Severity::Warning) => Kind::Warning,
            Some(Severity::Error) => Kind::Error,
            Some(Severity::Note) => Kind::Note,
            None if is_instantiation(found.text) => Kind::Context,
            None => Kind::Other,
        };
    }
    if let Some((said, _)) = make_line(line) {
        return match () {
            () if said.starts_with("Entering directory ") => Kind::Enter,
            () if said.starts_with("Leaving directory ") => Kind::Leave,
            () => Kind::Make,
        };
    }
    match () {
        () if line.starts_with("ninja: Entering directory ") => Kind::Enter,
        () if is_context(line) => Kind::Context,
        () if is_excerpt(line) => Kind::Excerpt,
        () if line.starts_with("FAILED: ") => Kind::Make,
        () if is_step(line) => Kind::Step,
        () if is_probe(line) => Kind::Probe,
        () => Kind::Other,
    }
}

/// `  required from ‘…’`, the text after the place.
fn is_instantiation(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("required ")
        || rest.starts_with("recursively required ")
        || rest.starts_with("in ‘constexpr’ expansion of")
}

/// `In file included from a.c:1:`, `                 from b.h:2,`, `a.c: In function ‘f’:`.
fn is_context(line: &str) -> bool {
    line.starts_with("In file included from ")
        || line.starts_with("                 from ")
        || is_scope(line)
        || line.ends_with(':') && line.contains(": in ") && !line.starts_with(' ')
}

/// `   12 | code`, `      | ^~~`
fn is_excerpt(line: &str) -> bool {
    margin(line).is_some_and(|m| m.sign == b'|' && m.indent > 0 && (m.gap > 0 || m.digits == 0))
}

/// A line of carets below a line of code, as clang before 16 and gcc before 9 print them.
pub fn is_caret(line: &str) -> bool {
    below::is_caret(line.trim_start(), b" ")
}

/// `a.c: In function ‘f’:`, `a.h: At top level:`
pub fn is_function_scope(line: &str) -> bool {
    line.contains(": In function ")
        || line.contains(": In member function ")
        || line.ends_with(": At top level:")
        || line.ends_with(": At global scope:")
}

/// `collect2: error: …`, `/usr/bin/ld: a.o: in function …`, `a.c:(.text+0x5): undefined reference to …`
pub fn is_driver_line(line: &str) -> bool {
    let program = line.split(": ").next().unwrap_or(line);
    let name = program.rsplit('/').next().unwrap_or(program);
    program.len() < line.len()
        && !name.contains(' ')
        && (matches!(name, "collect2" | "cc1" | "cc1plus") || is_compiler(name))
        || line.contains(": undefined reference to ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_lines_apart() {
        for (line, expected) in [
            ("a.c:3:5: warning: unused [-Wunused]", Kind::Warning),
            ("C:\\a.c:3: fatal error: x.h: No such file", Kind::Error),
            ("a.cpp:3:5: note: candidate: x", Kind::Note),
            ("a.cpp:3:5:   required from here", Kind::Context),
            ("In file included from a.c:1:", Kind::Context),
            ("                 from b.h:2,", Kind::Context),
            ("a.c: In function ‘f’:", Kind::Context),
            ("   12 |   int x;", Kind::Excerpt),
            ("      |       ^", Kind::Excerpt),
            ("make[1]: Entering directory '/p'", Kind::Enter),
            ("make: *** [Makefile:3: a.o] Error 1", Kind::Make),
            ("gcc -c a.c", Kind::Step),
            ("a.c:3:5: hello: x", Kind::Other),
            ("a | b", Kind::Other),
            ("warning: no place", Kind::Other),
            ("  ", Kind::Blank),
        ] {
            assert_eq!(kind(line), expected, "{line}");
        }
        assert!(is_caret("      ~~~^~~") && !is_caret("  ~~~") && !is_caret("a ^"));
    }
}
