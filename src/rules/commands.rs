//! Decides whether a rule applies to a command: by its first words, parsed as a shell does.
//!
//! The text of several programs, or text that a filter selected, is not the output of one program. No rule applies to such a
//! command.

use super::globs::Glob;
use crate::config::rules::RuleError;
use crate::detect::command::{CommandLine, Simple};

/// Programs whose output next to another's can be ignored.
const QUIET: &[&str] = &[
    "echo", "printf", "true", ":", "sleep", "mkdir", "touch", "rm", "cp", "mv", "ln", "chmod", "source", ".",
    "wait", "set", "trap",
];

/// The first words of a command.
#[derive(Debug, Clone)]
pub(super) struct Prefix {
    words: Vec<Glob>,
    flags: Vec<String>,
}

impl Prefix {
    pub(super) fn new(field: &str, text: &str) -> Result<Self, RuleError> {
        // Commands are parsed in the same way: `python -m pytest` becomes `pytest` on both sides.
        let parsed = CommandLine::parse(text);
        let plain: Vec<&str> = text.split_whitespace().collect();
        let read = parsed.pipelines.first().and_then(|pipeline| pipeline.first());
        let read: Vec<&str> =
            read.map_or_else(Vec::new, |simple| simple.argv.iter().map(String::as_str).collect());
        let is_other = !read.is_empty() && read.first() != plain.first();
        let mut all = if is_other { read } else { plain }.into_iter().peekable();
        if all.peek().is_none_or(|word| word.starts_with('-')) {
            return Err(RuleError::new(field, format!("`{text}` does not start with a program")));
        }
        if let Some(word) = text.split_whitespace().find(|w| w.contains(['|', ';', '&', '>', '<', '`', '$']))
        {
            let reason = format!("`{word}` is of a whole command line, allowed is the start of one command");
            return Err(RuleError::new(field, reason));
        }
        let (flags, words): (Vec<&str>, Vec<&str>) = all.partition(|word| word.starts_with('-'));
        let words = words.into_iter().map(|word| Glob::new(field, word)).collect::<Result<_, _>>()?;
        Ok(Self { words, flags: flags.into_iter().map(str::to_owned).collect() })
    }

    /// The program in lower case, if it is named without a wildcard.
    pub(super) fn program(&self) -> Option<&str> {
        self.words.first()?.name()
    }

    fn matches(&self, simple: &Simple) -> bool {
        let has = |flag: &String| simple.has_flag(&[flag.as_str()]) || simple.argv.contains(flag);
        self.flags.iter().all(has) && (self.is_start_of(simple) || self.is_start_without_flags(simple))
    }

    fn is_start_of(&self, simple: &Simple) -> bool {
        self.words.len() <= simple.argv.len()
            && self.words.iter().zip(&simple.argv).all(|(word, arg)| word.matches(arg))
    }

    fn is_start_without_flags(&self, simple: &Simple) -> bool {
        // The flags of git before its subcommand may have values.
        let after = match simple.git_subcommand() {
            Some(command) => simple.argv.iter().position(|arg| arg == command).unwrap_or(1),
            None => 1,
        };
        let mut args = simple.argv.iter().skip(after).filter(|arg| !arg.starts_with(['-', '+']));
        let mut words = self.words.iter();
        words.next().is_some_and(|word| word.matches(simple.program()))
            && words.all(|word| args.next().is_some_and(|arg| word.matches(arg)))
    }
}

/// Whether the output belongs to a command that one of the prefixes matches; if not, why.
pub(super) fn fit(prefixes: &[Prefix], line: &CommandLine) -> Result<(), &'static str> {
    let mut found = false;
    for (simple, is_filtered) in line.producers() {
        match prefixes.iter().any(|prefix| prefix.matches(simple)) {
            true if is_filtered => return Err("a filter chose among its lines"),
            true => found = true,
            false if QUIET.contains(&simple.program()) => {}
            false if found => return Err("another program wrote some of the text"),
            false => {
                return Err(if line.pipelines.len() > 1 {
                    "another program wrote some of the text"
                } else {
                    "another command"
                });
            }
        }
    }
    if found { Ok(()) } else { Err("another command") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(prefix: &str, command: &str) -> bool {
        fit(&[Prefix::new("when.command", prefix).unwrap()], &CommandLine::parse(command)).is_ok()
    }

    #[test]
    fn commands_are_read_like_a_shell() {
        for (prefix, command) in [
            ("cargo test", "cd x && FOO=1 cargo test --all"),
            ("cargo test", "cargo +nightly --locked test | tail -50"),
            ("git diff --stat", "git -C web --no-pager diff --stat HEAD~1"),
            ("docker pull", "sudo docker pull alpine:3"),
            ("npm run build*", "npm run build:prod"),
            ("python -m pytest", "python -m pytest -q"),
            ("make", "bash -lc 'make all'; echo done"),
            ("tail -f", "tail -f /var/log/x"),
        ] {
            assert!(fits(prefix, command), "{prefix} / {command}");
        }
        for (prefix, command) in [
            ("cargo test", "cargo build"),
            ("cargo test", "cargo test | grep FAILED"),
            ("cargo test", "cargo test; ls -l"),
            ("cargo test", "ls -l && cargo test"),
            ("git diff --stat", "git diff"),
            ("make", "cmake .."),
            ("make", "make > log.txt"),
            ("make", ""),
        ] {
            assert!(!fits(prefix, command), "{prefix} / {command}");
        }
        for bad in ["", "--stat", "a | b"] {
            assert!(Prefix::new("when.command", bad).is_err(), "{bad}");
        }
    }
}
