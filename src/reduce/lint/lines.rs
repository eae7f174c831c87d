//! Linters that name the place on the line of the finding, with or without an excerpt below it: flake8, pylint, ruff,
//! mypy, pyright, golangci-lint, rubocop, cppcheck, clang-tidy, cpplint, checkstyle, hadolint, SpotBugs, eslint's
//! formats for editors, and unknown linters with the same format.
//!
//! A finding is the line with the place (or ruff's two lines: message, and `--> place`) and the text below it up to
//! the next finding: an excerpt with a caret, notes. Findings of the same message are one group.

use std::ops::Range;

use super::group::{Block, Layout};
use super::reader::{Linter, Reading};
use crate::reduce::Meta;
use crate::reduce::diagnostic::below::{self, margin};
use crate::reduce::diagnostic::message::ends_with_link;
use crate::reduce::diagnostic::{Diagnostic, LINTERS, at_end, is_path};
use crate::reduce::lines::is_number;
use crate::text::lines::starts_with_any;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub static LINT: Linter = Linter {
    meta: Meta {
        id: "lint",
        family: "build",
        reads: "flake8, pylint, ruff (concise, full, pylint), mypy, pyright, golangci-lint, staticcheck, revive, rubocop \
                (progress, clang, emacs), reek, cppcheck, clang-tidy, cpplint, checkstyle, SpotBugs, hadolint, shellcheck -f gcc, \
                eslint and stylelint in the unix and compact formats, and other tools that write `path:line:column: message`",
        keeps: "every place with its rule and the names and numbers of its message; errors as they are; the first excerpts of \
                a rule; totals, statistics, scores",
        omits: "findings of one rule into one line with all places; excerpts from the third of a rule on; the code that pylint \
                found twice; progress",
        anchors: &[],
    },
    commands: &[
        "flake8",
        "pycodestyle",
        "pyflakes",
        "pydocstyle",
        "pylint",
        "ruff",
        "ruff check",
        "mypy",
        "dmypy",
        "pyright",
        "basedpyright",
        "ty check",
        "golangci-lint",
        "staticcheck",
        "revive",
        "golint",
        "gosec",
        "rubocop",
        "standardrb",
        "reek",
        "cppcheck",
        "clang-tidy",
        "run-clang-tidy",
        "cpplint",
        "checkstyle",
        "spotbugs",
        "hadolint",
        "shellcheck",
        "eslint",
        "stylelint",
        "yamllint",
        "markdownlint",
        "markdownlint-cli2",
        "ansible-lint",
        "actionlint",
        "ktlint",
        "detekt",
        "swiftlint",
        "phpstan",
        "psalm",
        "codespell",
        "vulture",
        "luacheck",
        "slim-lint",
        "haml-lint",
        "tflint",
        "buf lint",
        "protolint",
        "sqlfluff",
        "djlint",
        "proselint",
        "vale",
        "oxlint",
    ],
    content: 3,
    read,
};

fn read<'a>(source: &'a Source<'a>, lines: Range<usize>) -> Reading<'a> {
    let mut out = Reading::of(source, &lines);
    let mut module: Option<usize> = None;
    let mut i = lines.start;
    while i < lines.end {
        let line = source.line(i);
        let Some((found, body)) = finding(source, i, lines.end) else {
            if is_module(line) {
                out.headings.extend(module.map(|start| start..i));
                module = Some(i);
                out.own += 1;
                out.knows(source, i..i + 1);
            } else if is_progress(line) {
                out.gone.push((i..i + 1, Reason::Progress));
                out.knows(source, i..i + 1);
            } else if is_linter_message(line) {
                out.headings.extend(module.take().map(|start| start..i));
                out.knows(source, i..i + 1);
            }
            i += 1;
            continue;
        };
        let end = body_end(source, &found, body, lines.end);
        let counter = if found.is_marked { &mut out.own } else { &mut out.weak };
        *counter += 1;
        out.knows(source, i..end);
        if found.message.starts_with(UNFORMATTED) {
            i = end;
            continue;
        }
        let layout = match found.message.starts_with("R0801") {
            true => Layout::Alone("=="),
            false => Layout::ByRule,
        };
        out.blocks.push(Block {
            lines: i..end,
            path: found.path,
            place: found.place,
            message: found.message,
            layout,
        });
        i = end;
    }
    out.headings.extend(module.map(|start| start..lines.end));
    out
}

/// The text that `ruff format --check` writes above the change that it would make; that change is not an excerpt.
const UNFORMATTED: &str = "unformatted: ";

/// The finding that starts at a line, and the first line below its headline.
fn finding<'a>(source: &'a Source<'a>, i: usize, end: usize) -> Option<(Diagnostic<'a>, usize)> {
    let line = source.line(i);
    if let Some(found) = LINTERS.read(line).filter(|found| !is_note(found)) {
        return Some((found, i + 1));
    }
    // `F401 [*] msg` above ` --> a.py:1:8`.
    if i + 1 >= end || line.is_empty() || line.starts_with([' ', '\t']) {
        return None;
    }
    let place = source.line(i + 1).trim_start();
    let place = place.strip_prefix("--> ").filter(|p| p.len() < source.line(i + 1).len())?;
    let (path, place) = at_end(place).filter(|(path, _)| !path.ends_with(".rs"))?;
    Some((Diagnostic::marked(path, place, line.trim_end()), i + 2))
}

/// A note on the finding above it.
fn is_note(found: &Diagnostic<'_>) -> bool {
    found.message.starts_with("note: ")
}

fn body_end(source: &Source<'_>, found: &Diagnostic<'_>, start: usize, end: usize) -> usize {
    if found.message.starts_with("R0801") && !found.message.ends_with("(duplicate-code)") {
        let last = (start..end).find(|&i| {
            source.line(i).ends_with("(duplicate-code)")
                || LINTERS.read(source.line(i)).is_some_and(|f| f.is_marked)
        });
        return last.map_or(start, |i| i + usize::from(!LINTERS.reads(source.line(i))));
    }
    let mut i = start;
    while i < end {
        let line = source.line(i);
        let next = || (i + 1 < end).then(|| source.line(i + 1));
        let goes_on = match () {
            () if line.trim().is_empty() => next().is_some_and(is_caret) && i == start,
            // The line is a finding with many places, not a body.
            () if ends_with_link(line.trim_end()) => false,
            () if finding(source, i, end).is_some() => false,
            () if line.starts_with([' ', '\t']) || is_caret(line) || is_gutter(line) => true,
            () if LINTERS.reads(line) => true,
            () => next().is_some_and(is_caret) && !is_linter_message(line),
        };
        if !goes_on {
            break;
        }
        i += 1;
    }
    // The empty line after a finding of ruff belongs to it.
    let is_own = start > 1 && source.line(start - 1).trim_start().starts_with("--> ");
    i + usize::from(is_own && i < end && source.line(i).is_empty())
}

/// A line of carets below a line of code.
fn is_caret(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(['^', '~']) && below::is_caret(line, b" -")
}

/// `12 | code`, `help: …` and `info: …`, as ruff and similar linters write them.
fn is_gutter(line: &str) -> bool {
    let numbered = margin(line).is_some_and(|m| m.indent == 0 && m.digits > 0 && m.sign != b'~');
    numbered || ["help: ", "info: ", "note: "].iter().any(|s| line.starts_with(s))
}

/// `************* Module shop.report`, and `lib/shop.rb -- 3 warnings:` of reek
fn is_module(line: &str) -> bool {
    let counted = || line.strip_suffix(" warnings:").or_else(|| line.strip_suffix(" warning:"));
    line.starts_with("************* Module ")
        || counted()
            .and_then(|l| l.rsplit_once(" -- "))
            .is_some_and(|(path, n)| is_path(path) && is_number(n))
}

/// Progress of a linter that names only files which are named elsewhere or are correct.
fn is_progress(line: &str) -> bool {
    // golangci-lint with `-v`. The number of issues that it left out is not progress, and is kept.
    const STEPS: &[&str] = &[
        "[config_reader]",
        "[goenv]",
        "[lintersdb]",
        "[linters_context",
        "[loader]",
        "[runner",
        "Memory: ",
        "File cache stats: ",
    ];
    let step =
        line.strip_prefix("level=info msg=\"").filter(|rest| STEPS.iter().any(|s| rest.starts_with(s)));
    step.is_some_and(|rest| !rest.contains("ssues"))
        || line.starts_with("Done processing ")
        || line.starts_with("Checking ") && line.ends_with(" ...")
        || line.ends_with("% done") && line.contains(" files checked ")
}

/// Totals and other lines that linters write.
fn is_linter_message(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "Found ",
        "Your code has been rated",
        "Suppressed ",
        "Use -header-filter",
        "Inspecting ",
        "Offenses:",
        "Success: ",
        "Category ",
        "Total errors found",
        "[*] ",
        "No fixes available",
        "Starting audit",
        "Audit done",
        "level=",
        "* ",
        "=====",
        "-----",
        "All checks passed",
        "For more information",
        "nofile:",
    ];
    const ENDS: &[&str] = &[
        " generated.",
        " issues:",
        " total warnings",
        " problems",
        " informations",
        " problem",
        " errors",
        " detected",
    ];
    let rest = line.trim_end();
    !line.as_bytes().first().is_some_and(u8::is_ascii_digit) && starts_with_any(line, STARTS)
        || rest.ends_with(" autocorrectable")
        || ENDS.iter().any(|e| rest.ends_with(e)) && rest.starts_with(|c: char| c.is_ascii_digit())
        || !rest.is_empty() && rest.bytes().all(|b| matches!(b, b'.' | b'C' | b'W' | b'E' | b'F' | b'R'))
        || statistic(rest)
}

/// `27    E741 ambiguous variable name`
fn statistic(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len()
        && rest.starts_with([' ', '\t'])
        && rest.trim_start().split(' ').next().is_some_and(|code| {
            code.len() > 2
                && code.starts_with(|c: char| c.is_ascii_uppercase())
                && code.ends_with(|c: char| c.is_ascii_digit())
        })
}
