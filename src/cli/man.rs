//! `tersed man`: manual pages, generated from the definition of the command line.

use std::io;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

use super::out::print;
use super::{EXIT_STATUS, Failure};

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tersed man | man -l -\n  \
    tersed man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// Write a page for each subcommand into this folder, as tersed-serve.1.
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints one page or writes all.
pub(super) fn run(args: &Args, command: Command) -> Result<(), Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.dir else { return print(page(command).map_err(|e| e.to_string())?) };
    let fault = |e: io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(fault)?;
    Ok(write(&command, folder).map_err(fault)?)
}

/// Writes the pages of a command and of its subcommands.
fn write(command: &Command, folder: &Path) -> io::Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write(command, folder)?;
    }
    let name = Man::new(command.clone()).get_filename();
    std::fs::write(folder.join(name), page(command.clone())?)
}

/// The heading that the library gives to the text after the help.
const EXTRA: &str = "\n.SH EXTRA\n";

/// One page. The text after the help becomes sections with their usual names; every page says how the command ends.
fn page(command: Command) -> io::Result<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = match help.contains(EXIT_STATUS) {
        true => command,
        false => command.after_help(format!("{help}\n\n{EXIT_STATUS}")),
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    let page = String::from_utf8_lossy(&page).into_owned();
    let Some((before, extra)) = page.split_once(EXTRA) else { return Ok(page) };
    let (extra, after) = extra.split_at(extra.find("\n.SH ").map_or(extra.len(), |at| at + 1));
    Ok(format!("{before}\n{}{after}", sections(extra)))
}

/// The paragraphs of a text as sections, in the order that manual pages have.
fn sections(text: &str) -> String {
    let (mut status, mut notes, mut examples) = (String::new(), String::new(), String::new());
    for paragraph in text.split("\n\n").map(|paragraph| paragraph.trim_matches('\n')) {
        match paragraph.split_once('\n').unwrap_or((paragraph, "")) {
            ("Examples:", lines) => {
                examples += &format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", lines.replace("\n  ", "\n").trim_start())
            }
            ("Exit status:", lines) => {
                status = ".SH \"EXIT STATUS\"\n".to_owned();
                for line in lines.lines() {
                    // Each row is a value and its meaning; what follows them is text.
                    status += &match line.strip_prefix("  ").and_then(|row| row.split_once("  ")) {
                        Some(("", meaning)) => format!("{}\n", meaning.trim_start()),
                        Some((value, meaning)) => format!(".TP\n\\fB{value}\\fR\n{}\n", meaning.trim_start()),
                        None => format!(".PP\n{line}\n"),
                    };
                }
            }
            ("", _) => {}
            _ if notes.is_empty() => notes = format!(".SH NOTES\n{paragraph}\n"),
            _ => notes += &format!(".PP\n{paragraph}\n"),
        }
    }
    status + &notes + &examples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_the_sections_that_manual_pages_have() {
        let mut command = crate::cli::command().disable_help_subcommand(true);
        command.build();
        let mut waiting = vec![command];
        while let Some(command) = waiting.pop() {
            waiting.extend(command.get_subcommands().cloned());
            let page = page(command.clone()).unwrap();
            let heads: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
            let known = [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "OPTIONS",
                "SETTINGS",
                "SUBCOMMANDS",
                "\"EXIT STATUS\"",
                "NOTES",
                "EXAMPLES",
                "VERSION",
            ];
            let mut at = heads.iter().map(|head| known.iter().position(|known| known == head).expect(head));
            assert!(at.clone().is_sorted(), "{heads:?}");
            assert!(at.any(|at| at == 6), "{heads:?}");
            let status = page.split_once(".SH \"EXIT STATUS\"\n").unwrap().1;
            assert!(status.contains("\\fB2\\fR\nInvalid: the command line"), "{status}");
        }
    }

    #[test]
    fn a_paragraph_becomes_a_section() {
        let text = "Examples:\n  a  b\n  c\n\nA note.\n\nAnother.\n\nExit status:\n  0    Done.\n       And so.\n  1  Not.\nAlways.\n";
        assert_eq!(
            sections(text),
            ".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\nDone.\nAnd so.\n.TP\n\\fB1\\fR\nNot.\n.PP\nAlways.\n.SH NOTES\nA note.\n.PP\nAnother.\n\
             .SH EXAMPLES\n.nf\na  b\nc\n.fi\n"
        );
    }
}
