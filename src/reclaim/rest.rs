//! The lines that stay when a result is removed: the outcome of an edit; how a command ended, its failure, its
//! totals. They are lines of the shown text, except for the exit status.

use crate::detect::wrapper;
use crate::pipeline::exit;
use crate::text::call::ToolCall;
use crate::text::marker::{self, Marker};
use crate::text::signals;
use crate::text::source::Source;

/// The longest line that is kept, in bytes.
const MAX_LINE: usize = 160;
/// The totals must be within this many lines from the end: below them is at most a hint and a summary of files.
const LAST_LINES: usize = 6;
/// Words in the line that has the outcome of an edit, in lower case.
const EDITED: &[&str] = &[
    "updated", "applied", "edited", "replaced", "created", "written", "wrote", "inserted", "modified",
    "changed", "success", "error", "fail", "reject", "not ",
];
/// Words next to a number in a line of totals, in lower case.
const TOTALS: &[&str] = &[
    "pass", "fail", "error", "warning", "test", "total", "finished", "done", "built", "loss", "acc", "score",
    "result", "epoch", "elapsed", "seconds",
];

/// The line that says whether an edit succeeded.
pub(super) fn of_edit(text: &str) -> String {
    let is_view = |line: &str| {
        let line = line.trim_start();
        line.starts_with(|c: char| c.is_ascii_digit()) || line.starts_with(['(', '+', '-', '@'])
    };
    let mut lines = text.lines().filter(|line| !is_view(line) && stays(line, true));
    let tells = |line: &&str| has_word(line, EDITED);
    let line = lines.clone().find(tells).or_else(|| lines.next()).unwrap_or_default();
    let line = line.trim().trim_start_matches('[').trim_end_matches(']');
    // Advice on what to do next is no longer needed.
    line.find(". ").map_or(line, |end| &line[..=end]).to_owned()
}

/// The lines kept of a command: the first line of its failure, its totals or else its last line, and its exit status
/// if these lines do not have it.
pub(super) fn of_command(call: &ToolCall, text: &str) -> String {
    let source = Source::new(text);
    let inside = wrapper::inside(&source).map_or(text, |lines| source.slice(lines));
    let failure = signals::first_failure(inside).and_then(|at| {
        let start = inside[..at].rfind('\n').map_or(0, |end| end + 1);
        inside[start..].lines().next().filter(|line| stays(line, false))
    });
    let mut last = inside.lines().rev().filter(|line| stays(line, false)).take(LAST_LINES);
    let is_total = |line: &&str| line.bytes().any(|b| b.is_ascii_digit()) && has_word(line, TOTALS);
    let last = last.clone().find(is_total).or_else(|| last.next()).filter(|last| Some(*last) != failure);
    let mut rest = failure.into_iter().chain(last).map(str::trim_end).collect::<Vec<_>>().join("\n");
    if let Some(status) = call.exit_code.filter(|status| *status != 0 && !exit::names_status(&rest, *status))
    {
        rest.push_str(if rest.is_empty() { "" } else { "\n" });
        rest.push_str(&Marker::Exit { status }.write());
    }
    rest
}

/// Whether a line may be kept: it is short, not a marker and not the frame of a tool. `is_quoted` allows brackets.
fn stays(line: &str, is_quoted: bool) -> bool {
    let text = line.trim();
    let is_tag = text.starts_with('<') && text.ends_with('>');
    let is_bracket = text.starts_with('[') && (!is_quoted || text.starts_with("[File: "));
    text.contains(char::is_alphanumeric)
        && line.len() <= MAX_LINE
        && !is_tag
        && !is_bracket
        && !is_size_of_listing(text)
        && !marker::may_hold(line)
}

/// `total 328`, the first line of `ls -l`.
fn is_size_of_listing(line: &str) -> bool {
    line.strip_prefix("total ")
        .is_some_and(|size| size.starts_with(|c: char| c.is_ascii_digit()) && !size.contains(' '))
}

fn has_word(line: &str, words: &[&str]) -> bool {
    let line = line.to_ascii_lowercase();
    words.iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_leaves_what_became_of_it() {
        let window = "[File: /w/a.py (400 lines total)]\n(9 more lines above)\n10:updated = a\n11:b\n";
        let done = format!("{window}[File updated. Please review the changes. Edit again if necessary.]\n");
        assert_eq!(of_edit(&done), "File updated.");
        let no = format!("Your proposed edit has introduced new syntax error(s). Please look.\n{window}");
        assert_eq!(of_edit(&no), "Your proposed edit has introduced new syntax error(s).");
        assert_eq!(
            of_edit("The file /w/a.py has been edited. Here is a part of it:\n 1\ta\n"),
            "The file /w/a.py has been edited."
        );
        assert_eq!(of_edit("ok\n"), "ok");
        assert_eq!(of_edit(window), "");
    }

    #[test]
    fn a_command_leaves_its_failure_its_totals_and_its_status() {
        let of =
            |status, text: &str| of_command(&ToolCall { exit_code: status, ..ToolCall::default() }, text);
        let log = "step 1 of it\nstep 2 of it\n";
        assert_eq!(
            of(Some(2), &format!("{log}error: no such file a.c\n{log}make: *** [all] Error 2\n")),
            "error: no such file a.c\nmake: *** [all] Error 2"
        );
        assert_eq!(of(Some(3), log), "step 2 of it\n[tersed: exit status 3]");
        assert_eq!(
            of(Some(0), &format!("{log}12 tests passed in 3 s\nsee log.txt\n")),
            "12 tests passed in 3 s"
        );
        let framed = "<returncode>0</returncode>\n<output>\nepoch 3, loss 0.21\n</output>\n";
        assert_eq!(of(None, framed), "epoch 3, loss 0.21");
        assert_eq!(of(None, "note a.c\ntotal 328\n"), "note a.c");
        assert_eq!(of(None, "[tersed: omitted 3 lines 1-3, clean]\n"), "");
    }
}
