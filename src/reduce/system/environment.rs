//! `env`, `printenv`, `set`, `export -p`: colours of `ls`, functions of the shell and the shell's own notes are
//! left out and named. Every other name is kept with its value; values that are secrets were redacted before.

use std::ops::Range;

use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::format::is_command;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;

/// The reducer of this module.
pub struct Environment;

static META: Meta = Meta {
    id: "environment",
    family: "system",
    reads: "`env`, `printenv`, `set`, `export -p`, `declare -x`",
    keeps: "every name with its value, except secrets",
    omits: "colours of `ls`, functions of the shell, variables that the shell keeps for itself; by name",
    anchors: &["PATH=", "HOME=", "PWD="],
};

/// Variables with the colours of a terminal.
const COLOURS: &[&str] = &["LS_COLORS", "ZLS_COLORS", "EXA_COLORS", "EZA_COLORS", "GREP_COLORS", "LSCOLORS"];
/// Variables of bash that `set` lists in addition to the environment.
const OF_THE_SHELL: &[&str] = &[
    "BASHOPTS",
    "BASH_ALIASES",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_CMDS",
    "BASH_COMPLETION_VERSINFO",
    "BASH_LINENO",
    "BASH_LOADABLES_PATH",
    "BASH_SOURCE",
    "BASH_VERSINFO",
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "IFS",
    "LESSCLOSE",
    "LESSOPEN",
    "OPTERR",
    "OPTIND",
    "PIPESTATUS",
    "PS1",
    "PS2",
    "PS4",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "_",
];
/// Fewest lines of variables for a claim by content. A choice.
const MIN_VARIABLE_LINES: usize = 8;
/// Lines at the start that a claim examines. A choice: most of the lines of the format are its own.
const HEAD_LINES: usize = 400;

impl Reducer for Environment {
    fn meta(&self) -> &Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        let source = input.source;
        let (mut variables, mut lines, mut home, mut shell) = (0, 0, 0, 0);
        for line in source.lines().take(HEAD_LINES).filter(|line| !line.trim().is_empty()) {
            lines += 1;
            let name = variable(line);
            variables += usize::from(name.is_some());
            home += usize::from(matches!(name, Some("PATH" | "HOME" | "PWD")));
            shell += usize::from(matches!(name, Some("BASH_VERSINFO" | "SHELLOPTS" | "PPID")));
        }
        // `set` also lists functions. Parsed commands omit it, because it is a builtin.
        let is_set = shell > 1 && !input.detection.command.is_filtered();
        let is_env = variables * 10 >= lines * 9;
        FormatProof::of(variables > 0, home > 1 && variables >= MIN_VARIABLE_LINES && (is_set || is_env))
    }

    fn is_writer(&self, s: &Simple) -> bool {
        const COMMANDS: &[&str] = &["env", "printenv", "set", "export", "declare", "typeset"];
        COMMANDS.iter().any(|words| is_command(s, words)) && s.argv.len() < 3
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        let mut gone: Vec<(Range<usize>, &str)> = Vec::new();
        let mut at = 0;
        while at < source.len() {
            let line = source.line(at);
            let (name, end) = match (variable(line), function(line)) {
                (_, Some(name)) => (name, closing(input, at)),
                (Some(name), _) if COLOURS.contains(&name) || OF_THE_SHELL.contains(&name) => {
                    (name, (!continues(line)).then_some(at + 1))
                }
                _ => ("", None),
            };
            match end {
                Some(end) if !name.is_empty() => {
                    gone.push((at..end, name));
                    at = end;
                }
                _ => at += 1,
            }
        }
        if gone.is_empty() || gone.iter().map(|(lines, _)| lines.len()).sum::<usize>() == source.len() {
            return Err(Reason::NothingToDo);
        }
        let mut names: Vec<&str> = gone.iter().map(|(_, name)| *name).collect();
        let more = names.len().saturating_sub(MAX_NAMES);
        names.truncate(MAX_NAMES);
        let mut names = names.join(", ");
        if more > 0 {
            names.push_str(&format!(", {more} others"));
        }
        let mut out = Reduction::default();
        for (lines, _) in gone {
            out.omit_named(lines, Reason::ShellSettings, 1, &std::mem::take(&mut names));
        }
        Ok(out)
    }
}

/// Most names in the marker. A choice.
const MAX_NAMES: usize = 60;

/// The name of the variable that a line sets: `A=1`, `declare -x A="1"`, `export A='1'`.
fn variable(line: &str) -> Option<&str> {
    let line = ["declare -x ", "export ", "typeset -x ", "declare -"]
        .iter()
        .find_map(|start| line.strip_prefix(start))
        .unwrap_or(line);
    let (name, _) = line.split_once('=')?;
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let starts = name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    (starts && name.bytes().all(word)).then_some(name)
}

/// The name of the function that starts here: `name () `, or `BASH_FUNC_name%%=() {` in an environment.
fn function(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("BASH_FUNC_") {
        return rest.split_once("%%=() {").map(|(name, _)| name);
    }
    let name = line.trim_end().strip_suffix("()")?.trim_end();
    let word = |b: u8| b.is_ascii_alphanumeric() || b"_-.:".contains(&b);
    (!name.is_empty() && name.bytes().all(word)).then_some(name)
}

/// The line after the brace that ends the function.
fn closing(input: &Input<'_>, start: usize) -> Option<usize> {
    let source = input.source;
    let head = source.line(start);
    let opens = head.ends_with('{') || head.starts_with("BASH_FUNC_") || {
        start + 1 < source.len() && source.line(start + 1).trim_end() == "{"
    };
    let end = (start + 1..source.len()).find(|&i| source.line(i).trim_end() == "}")?;
    opens.then_some(end + 1)
}

/// Whether a value continues in the next line: `IFS='` and an odd number of quotes.
fn continues(line: &str) -> bool {
    line.matches('\'').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(variable("declare -x A=\"1\""), Some("A"));
        assert_eq!(variable("A_1=x=y"), Some("A_1"));
        assert_eq!(variable("a b=c"), None);
        assert_eq!(function("_git_x () "), Some("_git_x"));
        assert_eq!(function("BASH_FUNC_module%%=() {  eval x"), Some("module"));
        assert_eq!(function("call ()"), Some("call"));
        assert_eq!(function("A=()"), None);
    }
}
