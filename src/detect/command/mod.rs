//! Reads a command line the way a shell would, far enough to know which programs wrote the output.
//!
//! It runs nothing and expands nothing. Parts that it cannot parse stay as words. `lex` splits, `parse` and
//! `compound` know the grammar, `wrap` removes wrappers.

mod asked;
mod compound;
pub mod lex;
mod parse;
mod wrap;

use std::ops::Deref;

pub use asked::{OFF_WORDS, asks_for_exact_output};
pub use lex::Dialect;

/// One program and its arguments, without wrappers such as `sudo` or `timeout 9`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// Words of the command; the first is the program's name without its folder.
    pub argv: Vec<String>,
    /// Whether its standard output went to a file.
    pub to_file: bool,
    /// Whether its standard error went to a file.
    pub stderr_to_file: bool,
    /// The wrappers that ran it, the outermost first: `ssh`, `docker`, `sudo`.
    pub via: Vec<String>,
}

impl Simple {
    /// The program, without folder and `.exe`.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// The first argument that is not a flag: `test` in `cargo --locked test`.
    pub fn subcommand(&self) -> Option<&str> {
        self.argv.iter().skip(1).map(String::as_str).find(|a| !a.starts_with(['-', '+']))
    }

    /// The command of git that runs: `status` in `git -C web -c core.quotePath=off --no-pager status`.
    pub fn git_subcommand(&self) -> Option<&str> {
        if self.program() != "git" {
            return None;
        }
        let mut words = self.argv.iter().skip(1).map(String::as_str);
        loop {
            match words.next()? {
                "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                    words.next();
                }
                flag if flag.starts_with('-') => {}
                word => return Some(word),
            }
        }
    }

    /// Whether one of the flags is given, also as `--flag=value`.
    pub fn has_flag(&self, flags: &[&str]) -> bool {
        self.argv.iter().skip(1).take_while(|a| *a != "--").any(|a| {
            let name = if a.starts_with("--") { a.split('=').next().unwrap_or(a) } else { a };
            flags.contains(&name)
        })
    }
}

/// How a pipeline follows the one before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Join {
    /// After it, whatever its outcome.
    #[default]
    Then,
    /// Only if it succeeded.
    And,
    /// Only if it failed.
    Or,
}

/// Programs joined by `|`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// How it follows the one before it.
    pub join: Join,
    /// The programs.
    pub parts: Vec<Simple>,
}

impl Deref for Pipeline {
    type Target = [Simple];

    fn deref(&self) -> &[Simple] {
        &self.parts
    }
}

impl<'a> IntoIterator for &'a Pipeline {
    type Item = &'a Simple;
    type IntoIter = std::slice::Iter<'a, Simple>;

    fn into_iter(self) -> Self::IntoIter {
        self.parts.iter()
    }
}

impl Pipeline {
    /// Whether its standard output is visible.
    pub fn is_shown(&self) -> bool {
        self.parts.last().is_some_and(|last| !last.to_file)
            && self.parts.first().is_some_and(|first| !first.to_file)
    }
}

/// All pipelines of a command line, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The pipelines, without those that only prepare others (`cd`, `export`, …).
    pub pipelines: Vec<Pipeline>,
    /// Whether the shell prints each command before it runs (`set -x`).
    pub is_traced: bool,
}

/// Filters with which a command selects lines. Reducers must respect that selection.
const FILTERS: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "sed",
    "awk",
    "gawk",
    "mawk",
    "cut",
    "sort",
    "uniq",
    "wc",
    "jq",
    "yq",
    "tr",
    "column",
    "perl",
    "python",
    "python3",
    "node",
    "ruby",
    "comm",
    "paste",
    "fold",
    "rev",
    "nl",
    "xmllint",
    "findstr",
    "find",
    "Select-String",
    "sls",
    "Where-Object",
    "where",
    "?",
    "ForEach-Object",
    "%",
    "Sort-Object",
    "Measure-Object",
    "Group-Object",
    "Format-Table",
    "ConvertFrom-Json",
];

impl CommandLine {
    /// Reads a command line of a POSIX shell, or of PowerShell where it reads like one.
    pub fn parse(text: &str) -> Self {
        let text = without_quotes(text);
        let dialect = if looks_like_powershell(text) { Dialect::PowerShell } else { Dialect::Posix };
        Self::parse_as(text, dialect)
    }

    /// Reads a command line of a known shell.
    pub fn parse_as(text: &str, dialect: Dialect) -> Self {
        parse::parse(text, dialect)
    }

    /// Programs that write the visible output: the first of each pipeline, and whether a filter selected lines of it.
    /// `head`, `tail`, `tee` and `cat` only cut or copy, and are not filters.
    pub fn producers(&self) -> impl Iterator<Item = (&Simple, bool)> {
        self.pipelines.iter().filter_map(|p| {
            let first = p.first().filter(|_| p.is_shown())?;
            Some((first, p.iter().skip(1).any(|s| FILTERS.contains(&s.program()))))
        })
    }

    /// Whether some producer that no filter follows satisfies `test`.
    pub fn runs(&self, test: impl Fn(&Simple) -> bool) -> bool {
        self.has(&test)
    }

    /// [`CommandLine::runs`], compiled once and not once for each test.
    fn has(&self, test: &dyn Fn(&Simple) -> bool) -> bool {
        self.producers().any(|(simple, filtered)| !filtered && test(simple))
    }

    /// Whether the command is exactly one producer without a filter.
    pub fn only(&self) -> Option<&Simple> {
        match self.pipelines.as_slice() {
            [one] if one.len() == 1 => one.first().filter(|s| !s.to_file),
            _ => None,
        }
    }

    /// Whether a filter such as `grep` selected lines of some producer.
    pub fn is_filtered(&self) -> bool {
        self.producers().any(|(_, filtered)| filtered)
    }
}

/// Without the quotes that some hosts put around a command, as Markdown does.
pub fn without_quotes(text: &str) -> &str {
    let inner = text.trim().strip_prefix('`').and_then(|t| t.strip_suffix('`'));
    inner.filter(|t| !t.is_empty() && !t.contains('`')).unwrap_or(text)
}

/// Whether a text is written for PowerShell: it sets environment variables in PowerShell's syntax, or its first word
/// has the form of a PowerShell command.
pub fn looks_like_powershell(text: &str) -> bool {
    let start = text.trim_start();
    let first = start.split([' ', '\n', ';', '|']).next().unwrap_or_default();
    let is_cmdlet = first.split_once('-').is_some_and(|(verb, noun)| {
        const VERBS: &[&str] = &[
            "Get",
            "Set",
            "New",
            "Remove",
            "Select",
            "Invoke",
            "Start",
            "Stop",
            "Test",
            "Write",
            "Import",
            "Export",
            "ConvertTo",
            "ConvertFrom",
            "Measure",
            "Format",
            "Out",
            "Where",
            "Copy",
            "Move",
            "Join",
            "Compare",
        ];
        VERBS.contains(&verb) && noun.starts_with(|c: char| c.is_ascii_uppercase())
    });
    let calls = start.starts_with("& \"") || start.starts_with("& '");
    is_cmdlet
        || calls
        || start.starts_with("$env:")
        || start.contains("; $env:")
        || start.contains("| Select-Object")
        || start.contains("| Out-String")
        || start.contains("| Select-String")
}

#[cfg(test)]
mod tests;
