//! Removes the padding before the line numbers of a file view. The file's own text, which starts after the
//! number and its separator, is not changed.

use super::Encoder;
use crate::detect::Shape;
use crate::detect::command::CommandLine;
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;

/// The encoder of this module.
pub struct NumberPadding;

impl Encoder for NumberPadding {
    fn id(&self) -> &'static str {
        "number_padding"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        // A requested range stays exact.
        if !input.detection.is_numbered || input.detection.is_range {
            return Err(Reason::NothingToDo);
        }
        // A file may itself begin its lines with padded numbers. If no program of the command writes line numbers,
        // the numbers are part of the file.
        if input.detection.is_by_command
            && input.detection.shape == Shape::File
            && !numbers(&input.detection.command)
        {
            return Err(Reason::NothingToDo);
        }
        let view = input.source.view();
        let padded = |i: &usize| view.number(*i).is_some() && input.source.line(*i).starts_with(' ');
        // Frames of stack traces are numbered too, as `   1: core::panicking`.
        let by_viewer = |i: usize| {
            let number = input.source.line(i).get(..view.offset(i)).unwrap_or_default();
            number.ends_with(['\t', '→', '│'])
        };
        let mut lines = ledger.kept().flatten().filter(padded).peekable();
        match lines.peek().is_some() && lines.all(by_viewer) {
            true => Ok(Reduction { trim_numbers: true, ..Reduction::default() }),
            false => Err(Reason::NothingToDo),
        }
    }
}

/// Whether a program of the command may have written numbers before the lines of a file.
fn numbers(command: &CommandLine) -> bool {
    command.pipelines.iter().flatten().any(|simple| match simple.program() {
        "cat" => simple.argv.iter().skip(1).any(|word| match word.strip_prefix("--") {
            Some(long) => long.starts_with("number"),
            None => word.starts_with('-') && word.contains(['n', 'b']),
        }),
        "less" | "more" => simple.has_flag(&["-N", "--LINE-NUMBERS"]),
        program => !matches!(program, "head" | "tail" | "sed" | "tac" | "type"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_number_lines() {
        for line in
            ["cat -n a", "cat -An a", "cat --number a", "nl -ba a | head", "bat a", "open a", "less -N a"]
        {
            assert!(numbers(&CommandLine::parse(line)), "{line}");
        }
        for line in ["cat a", "cat -A a-n.txt", "head -50 a", "sed 5d a", "less a"] {
            assert!(!numbers(&CommandLine::parse(line)), "{line}");
        }
    }
}
