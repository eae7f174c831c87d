//! The text below the table of a replay: what each column counts, and what was lost.

use super::row::Row;
use crate::cli::out::counted;

/// The text below a table whose totals are `all`. Columns without a figure are not explained.
pub(super) fn explained(all: &Row) -> String {
    let mut out = String::from("\nIn words\n");
    let mut say = |is_there: bool, name: &str, lines: &[&str]| {
        for (at, line) in lines.iter().enumerate().filter(|_| is_there) {
            let name = if at == 0 { name } else { "" };
            out.push_str(&format!("  {name:<16} {line}\n"));
        }
    };
    let saved = all.tokens_before.saturating_sub(all.tokens_after);
    let of = format!(
        "{saved} of {} tokens of results (as o200k counts) the agent would not have had to",
        all.tokens_before
    );
    say(
        true,
        "saved",
        &[&of, "read. \"markers\" are the part of \"tokens out\" that says what is not shown."],
    );
    say(
        all.references.all > 0,
        "references seen",
        &[
            "Names that the agent learned from a result and used later: whether they stand in what it",
            "would have read instead. \"shown\" leaves out those that stand only in a marker.",
        ],
    );
    say(
        all.failure_lines.all > 0,
        "failures seen",
        &["Lines that report an error, a failure, a panic or an assertion."],
    );
    say(
        all.edits.all > 0,
        "edits seen",
        &["Edits of the agent, and whether all lines that they replace were visible."],
    );
    say(
        all.clues.all > 0,
        "clues seen",
        &["Facts that were hidden in outputs on purpose, and whether they can be read."],
    );
    out.push_str(&lost(all));
    out
}

/// The kinds of losses, each with its count and explanation.
fn lost(all: &Row) -> String {
    let gone = [
        (
            all.references.all - all.references.seen,
            "reference",
            "used later, and in nothing that the agent would have read",
        ),
        (
            all.references.seen.saturating_sub(all.references_shown),
            "reference",
            "named by a marker alone: one call reads the lines",
        ),
        (all.failure_lines.all - all.failure_lines.seen, "failure line", "not shown"),
        (
            all.edits.all - all.edits.seen,
            "edit",
            "of lines that were not all visible; it would have had to look once more",
        ),
        (all.clues.all - all.clues.seen, "clue", "that cannot be read"),
        (all.grown, "result", "that became longer"),
    ];
    let gone: Vec<String> = gone
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, noun, what)| format!("  {}: {what}.\n", counted(n, noun)))
        .collect();
    if gone.is_empty() {
        return "\nNothing was lost of what is counted here.\n".to_owned();
    }
    format!("\nLost\n{}  --losses names each on standard error.\n", gone.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::replay::row::Seen;

    #[test]
    fn losses_are_told_with_their_numbers() {
        let seen = |all, seen| Seen { all, seen };
        let none = Row {
            tokens_before: 9,
            tokens_after: 4,
            references: seen(3, 3),
            references_shown: 3,
            ..Row::default()
        };
        let text = explained(&none);
        assert!(text.contains("5 of 9 tokens") && text.contains("Nothing was lost"), "{text}");
        assert!(text.contains("references seen") && !text.contains("clues seen"), "{text}");
        let row =
            Row { references: seen(5, 4), references_shown: 2, failure_lines: seen(2, 1), ..Row::default() };
        let text = explained(&row);
        for line in [
            "  1 reference: used later",
            "  2 references: named by a marker",
            "  1 failure line: not shown",
            "--losses",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
