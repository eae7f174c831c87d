//! Headings: a kept line may depend on a line above it, such as a file name above its matches. If a cut drops the
//! heading and keeps the line, the line seems to belong to another heading.

use std::ops::Range;

use crate::pipeline::limit::hunks::{Hunks, authors_of, is_commit};
use crate::pipeline::limit::sections::Sections;
use crate::pipeline::limit::unit::{Form, Unit, UnitFate};
use crate::text::headings::indent as indent_of;
use crate::text::ledger::{Action, Ledger, Span};
use crate::text::lines::{is_blank, trimmed};
use crate::text::names::{ELIDED_START, IN_EVERY_ROW};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The most lines above a line that are searched for its heading.
const MAX_LINES_ABOVE: usize = 400;

/// The most lines above a line of a code frame that are searched for the message of its finding. A choice: a frame has few.
const MAX_FRAME_LINES: usize = 24;

/// Restores rewritten lines that depend on a line that the cut drops, such as rows without their path, and authors that are
/// left out because those of a dropped commit are the same. Returns whether there were any. `keep` says which units are kept.
pub(super) fn restore_lines(
    source: &Source<'_>,
    ledger: &mut Ledger,
    units: &[Unit],
    keep: &[UnitFate],
) -> bool {
    let mut undone = authors_below_gaps(source, ledger, units, keep);
    let mut loses_message = false;
    // The heading of the current rows, and whether the cut drops it.
    let (mut heading, mut is_lost) = (None::<usize>, false);
    let mut table = None::<usize>;
    let (mut has_gap, mut has_shown_gap) = (false, false);
    for (i, unit) in units.iter().enumerate() {
        match unit.form {
            // The whole path may be in the gap above: restore this line and the rows below it.
            Form::Short if has_gap && keep[i] != UnitFate::No => {
                undone.push(unit.lines.start);
                (heading, is_lost) = (None, true);
            }
            Form::Row => {
                is_lost |= keep[i] != UnitFate::No && heading.is_none_or(|at| keep[at] == UnitFate::No);
                if is_lost {
                    undone.push(unit.lines.start);
                }
            }
            Form::Message if keep[i] == UnitFate::No => loses_message = true,
            Form::TableRow => {
                if keep[i] != UnitFate::No && table.is_some_and(|head| keep[head] == UnitFate::No) {
                    undone.push(unit.lines.start);
                }
                (heading, is_lost) = (Some(i), false);
            }
            _ => (heading, is_lost) = (Some(i), false),
        }
        table = head_of_table(units, i, table);
        has_gap |= keep[i] == UnitFate::No;
        has_shown_gap |= keep[i] == UnitFate::No && unit.is_shown;
    }
    let loses_message = loses_message && ledger.spans().iter().any(|span| is_other_place(&span.action));
    // A diagnostic that is left out because it is shown elsewhere may be in a gap there.
    let is_repeated =
        |span: &Span| matches!(span.action, Action::Omit { reason: Reason::RepeatedDiagnostic, .. });
    let loses_diagnostic = has_shown_gap && ledger.spans().iter().any(is_repeated);
    if undone.is_empty() && !loses_message && !loses_diagnostic {
        return false;
    }
    for span in ledger.spans_mut().filter(|span| loses_diagnostic && is_repeated(span)) {
        span.action = Action::Keep;
    }
    undone.sort_unstable();
    let mut undone = undone.into_iter().peekable();
    for span in ledger.spans_mut() {
        if undone.next_if_eq(&span.lines.start).is_some() {
            span.action = Action::Keep;
        }
    }
    if loses_message {
        restore_messages(ledger);
    }
    true
}

/// The starts of the spans whose authors were left out because the commit above has the same, if the cut drops that
/// commit and the last commit that it keeps has others: a reader would take those for the authors.
fn authors_below_gaps(source: &Source<'_>, ledger: &Ledger, units: &[Unit], keep: &[UnitFate]) -> Vec<usize> {
    let (spans, mut out) = (ledger.spans(), Vec::new());
    let mut last: Vec<&str> = Vec::new();
    for (unit, keep) in units.iter().zip(keep) {
        crate::stop::check_sometimes();
        let commit = unit.lines.start;
        if *keep == UnitFate::No || !is_commit(source.line(commit)) {
            continue;
        }
        for line in authors_of(source, commit) {
            let span = &spans[spans.partition_point(|span| span.lines.end <= line)];
            let is_left_out =
                matches!(span.action, Action::Omit { reason: Reason::SameAuthor | Reason::CommitBody, .. });
            if is_left_out && !last.contains(&source.line(line)) {
                out.push(span.lines.start);
            }
        }
        last = authors_of(source, commit).map(|line| source.line(line)).collect();
    }
    out.dedup();
    out
}

/// The table header that applies to the row after a unit. `last` is the header that applies to the unit itself.
pub(super) fn head_of_table(units: &[Unit], unit: usize, last: Option<usize>) -> Option<usize> {
    match units[unit].form {
        Form::TableHead => Some(unit),
        Form::TableRow => last,
        _ if !units[unit].is_shown => last,
        _ => None,
    }
}

/// Restores all lines that share a message, and the lines that their message replaced.
pub(super) fn restore_messages(ledger: &mut Ledger) {
    for span in ledger.spans_mut() {
        if form(&span.action) == Form::Message || is_other_place(&span.action) {
            span.action = Action::Keep;
        }
    }
}

/// How the shown text of a span depends on other spans.
pub(super) fn form(action: &Action) -> Form {
    match action {
        Action::Replace { text, reason, .. } => match reason {
            Reason::SharedMessage => Form::Message,
            Reason::TableWhitespace if text.contains(IN_EVERY_ROW) => Form::TableHead,
            Reason::TableWhitespace => Form::TableRow,
            Reason::SharedFolder | Reason::SharedPath | Reason::SharedName => {
                // Groups are set apart by empty lines.
                let text = text.trim_matches('\n');
                match text.contains('\n') {
                    _ if text.split(['\n', ' ']).any(|word| word.starts_with(ELIDED_START)) => Form::Short,
                    true => Form::Other,
                    false => Form::Row,
                }
            }
            _ => Form::Other,
        },
        _ => Form::Other,
    }
}

/// Whether a span is left out because a shared message covers it.
fn is_other_place(action: &Action) -> bool {
    matches!(action, Action::Omit { reason: Reason::SharedMessage, .. })
}

/// Finds headings of lines, which must be requested in order.
pub(in crate::pipeline) struct Headings {
    /// The lines that were searched for blank lines, and the first line after the last blank line.
    seen: usize,
    paragraph: usize,
    sections: Sections,
    hunks: Hunks,
    tables: Tables,
}

/// The tables of a text that has several, each below its head: names in capitals, as of two calls of `ps`, or a line with rules
/// below it. A single head is at the start of its text, which a cut shows.
struct Tables(Vec<Table>);

/// A table from its head on.
struct Table {
    lines: Range<usize>,
    /// Whether there are rules below the head.
    is_ruled: bool,
}

impl Tables {
    fn of(source: &Source<'_>) -> Self {
        let mut tables: Vec<Table> = Vec::new();
        let mut is_open = false;
        for line in 0..source.len() {
            crate::stop::check_sometimes();
            let text = source.line(line);
            let is_ruled = line + 1 < source.len() && is_rules(source.line(line + 1)) && !is_rules(text);
            if is_blank(text) {
                is_open = false;
            } else if is_ruled || is_head(text) {
                tables.push(Table { lines: line..line + 1, is_ruled });
                is_open = true;
            } else if let Some(last) = tables.last_mut().filter(|_| is_open) {
                // Numbers in the first column may start before its name.
                is_open = !last.is_ruled || indent_of(text) >= indent_of(source.line(last.lines.start));
                last.lines.end = if is_open { line + 1 } else { last.lines.end };
            }
        }
        Self(if tables.len() > 1 { tables } else { Vec::new() })
    }

    /// The table in which a line is.
    fn with(&self, line: usize) -> Option<&Table> {
        let last = self.0.partition_point(|table| table.lines.start <= line).checked_sub(1)?;
        Some(&self.0[last]).filter(|table| table.lines.contains(&line))
    }
}

/// Whether a line has nothing but the rules below the names of two or more columns: `----  ------`, `-----+-----`.
fn is_rules(line: &str) -> bool {
    let bytes = trimmed(line).as_bytes();
    let is_rule = |b: &u8| matches!(b, b'-' | b'=');
    bytes.first().is_some_and(is_rule)
        && bytes.iter().all(|b| is_rule(b) || matches!(b, b' ' | b'\t' | b'+' | b'|'))
        && bytes
            .chunk_by(|a, b| is_rule(a) == is_rule(b))
            .filter(|run| is_rule(&run[0]) && run.len() > 1)
            .count()
            > 1
}

/// Whether a line is the head of a table: three or more names, all in capitals, as `PID  PPID STAT  NI COMMAND`.
pub(super) fn is_head(line: &str) -> bool {
    const MIN_NAMES: usize = 3;
    let is_name = |word: &str| {
        word.bytes().all(|b| b.is_ascii_uppercase() || b"%_-+/:()#".contains(&b))
            && word.bytes().any(|b| b.is_ascii_uppercase())
    };
    let mut count = 0;
    line.split_ascii_whitespace().all(|word| {
        count += 1;
        is_name(word)
    }) && count >= MIN_NAMES
}

impl Headings {
    /// The nearest heading of line `at` that is above line `below`, and the name of its file if it starts a hunk.
    pub(in crate::pipeline) fn above(&mut self, source: &Source<'_>, at: usize, below: usize) -> Vec<usize> {
        /// The most headings between the two lines.
        const MAX_LEVELS: usize = 8;
        let mut found = Vec::new();
        let mut at = at;
        for _ in 0..MAX_LEVELS {
            // Lines are asked for upwards here.
            (self.seen, self.paragraph) = (0, 0);
            let Some(heading) = self.of(source, at) else { break };
            at = heading;
            if heading < below {
                found.push(heading);
                if !source.line(heading).starts_with("@@") {
                    break;
                }
            }
        }
        found
    }

    pub(in crate::pipeline) fn new(source: &Source<'_>) -> Self {
        let sections = Sections::of(source);
        Self { seen: 0, paragraph: 0, sections, hunks: Hunks::of(source), tables: Tables::of(source) }
    }

    /// The heading of a line. In a diff it is the line that starts the hunk, whose own heading is the name of the
    /// file. For an indented line it is the nearest line above with less indentation. In a paragraph whose first
    /// line ends in a colon, as in `ls -R`, it is that line; otherwise it is the title of the section. For a line of a code
    /// frame it is the message or place above the frame.
    pub(super) fn of(&mut self, source: &Source<'_>, at: usize) -> Option<usize> {
        if let Some(heading) = self.hunks.above(at) {
            return Some(heading);
        }
        let line = |at: usize| source.line(at);
        let table = self.tables.with(at);
        let head = table.map(|table| table.lines.start).filter(|head| *head < at);
        // Numbers in the first column of a table are aligned, not indented.
        let is_aligned = || line(at).trim_start().starts_with(|c: char| c.is_ascii_digit());
        if head.is_some() && (table.is_some_and(|table| table.is_ruled) || is_aligned()) {
            return head;
        }
        if table.is_some_and(|table| table.lines.start == at && !table.is_ruled) {
            return self.sections.above(at);
        }
        if let Some(message) = message_of_frame(source, at) {
            return Some(message);
        }
        let own = indent(line(at));
        if own == 0 {
            // The first line of its paragraph.
            let blank = (self.seen..at).rev().find(|&above| is_blank(line(above)));
            self.paragraph = blank.map_or(self.paragraph, |above| above + 1);
            self.seen = self.seen.max(at);
            // A line with a colon and indented lines below belongs to the title of its record, as in `lsusb -v`.
            let has_lines_below = at + 1 < source.len() && indent(source.line(at + 1)) > 0;
            let has_parts = line(at).ends_with(':') && has_lines_below;
            let is_frame = |text: &str| {
                text.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            let of_frame = is_frame(line(at));
            let is_title = |first: &usize| {
                let title = line(*first);
                // The frames of a stack belong to their thread.
                let is_thread = of_frame && !title.is_empty() && !is_frame(title);
                // The state of a network interface is below its name, and the counters are below both.
                let is_second =
                    has_lines_below && *first + 1 == at && title.contains(|c: char| c.is_alphabetic());
                *first < at
                    && (is_thread
                        || (has_parts || is_second) && !title.is_empty()
                        || title.ends_with(':') && !title.contains(' ')
                        || is_name(title) && line(*first + 1).contains(": "))
            };
            return Some(self.paragraph).filter(is_title).or(head).or_else(|| self.sections.above(at));
        }
        let mut above = (0..at).rev().take(MAX_LINES_ABOVE);
        // The number of a line of code may be less indented than the message of the next finding.
        let is_heading =
            |at: &usize| !is_blank(line(*at)) && indent(line(*at)) < own && code_frame(line(*at)).is_none();
        let heading = above.find(is_heading)?;
        // The header of a commit has several lines.
        if ["Date:", "Author:", "Merge:"].iter().any(|start| line(heading).starts_with(start)) {
            return (heading.saturating_sub(4)..heading).rev().find(|&at| line(at).starts_with("commit "));
        }
        Some(heading)
    }
}

/// Whether a line is one name, as `Vlan-interface1` above `Current state: UP`.
fn is_name(line: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b"-_./:".contains(&b);
    line.len() > 1 && line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.bytes().all(is_part)
}

/// The message or the place above the code frame of which a line is a part, as linters and compilers print it:
/// `  × Unexpected var.` above `  > 12 │ var a`. A note below a message belongs to that message.
fn message_of_frame(source: &Source<'_>, at: usize) -> Option<usize> {
    let line = |at: usize| source.line(at);
    let says = |at: &usize| line(*at).bytes().any(|b| b.is_ascii_alphabetic()) || !line(*at).is_ascii();
    let above = || (0..at).rev().take(MAX_FRAME_LINES);
    match code_frame(line(at)) {
        Some(Frame::Marks) if at > 0 && code_frame(line(at - 1)).is_some() => return Some(at - 1),
        Some(_) => {
            let found = above().find(|at| code_frame(line(*at)).is_none() && says(at));
            return found.filter(|found| !is_rules(line(*found)));
        }
        None => {}
    }
    let note = line(at).trim_start();
    let is_note = NOTE_SIGNS.iter().any(|sign| note.starts_with(sign));
    let own = indent_of(line(at));
    let is_message = |at: &usize| {
        let text = line(*at).trim_start();
        indent_of(line(*at)) == own && MESSAGE_SIGNS.iter().any(|sign| text.starts_with(sign))
    };
    let is_inside = |at: &usize| is_blank(line(*at)) || indent_of(line(*at)) >= own;
    is_note.then(|| above().take_while(is_inside).find(is_message))?
}

/// How the message of a finding begins, and how a note on it begins.
const MESSAGE_SIGNS: &[&str] = &["\u{d7} ", "! ", "\u{2716} ", "\u{26a0} ", "\u{2717} ", "error", "warning"];
const NOTE_SIGNS: &[&str] = &["i ", "\u{2139} ", "help: ", "note: ", "hint: "];

/// A line of a code frame.
enum Frame {
    /// `  > 12 │ var a`, `12 | var a`
    Code,
    /// `   |     ^^^ expected`, below the code that it marks.
    Marks,
}

/// The part of a code frame that a line is.
fn code_frame(line: &str) -> Option<Frame> {
    let text = line.trim_start();
    let text = text.strip_prefix('>').map_or(text, str::trim_start);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].trim_start();
    let code = rest.strip_prefix(['\u{2502}', '|', '\u{b7}'])?;
    // In a row of a table, more cells follow.
    if code.contains(" | ") {
        return None;
    }
    if digits > 0 {
        return Some(Frame::Code);
    }
    // The lines of a tree have no blank between a bar and a branch, and no other bar than these two before one.
    let is_apart = code.starts_with([' ', '\t']);
    let is_drawn = rest.starts_with('\u{b7}');
    let is_marks = match code.trim_start().chars().next() {
        None | Some('^' | '~') => true,
        Some('-' | '_') => is_apart,
        Some(c) => is_drawn && ('\u{2500}'..='\u{257f}').contains(&c),
    };
    is_marks.then_some(Frame::Marks)
}

/// Lines of trees drawn in ASCII, as in `tree --charset=ascii`, `npm ls`, `cargo tree`, Maven, Gradle and
/// `ps --forest`.
const BRANCHES: &[&str] =
    &["|-- ", "`-- ", "+-- ", "+--- ", "\\--- ", "+- ", "\\- ", "\\_ ", "|    ", "|   ", "|  ", "| "];

/// The columns before the text of a line: white space and the lines of a tree.
fn indent(line: &str) -> usize {
    let is_space = |c: char| c == ' ' || c == '\t';
    let is_drawn = |c: char| ('\u{2500}'..='\u{257f}').contains(&c);
    let spaces = indent_of(line);
    let rest = line.trim_start_matches(is_space);
    match rest.as_bytes().first() {
        // The first byte of all box drawing characters in UTF-8.
        Some(0xe2) if rest.starts_with(is_drawn) => {
            let text = rest.trim_start_matches(|c| is_space(c) || is_drawn(c));
            spaces + rest[..rest.len() - text.len()].chars().count()
        }
        Some(b'|' | b'`' | b'+' | b'\\') => {
            let (mut columns, mut rest) = (spaces, rest);
            let mut is_branch = false;
            while let Some(drawn) = BRANCHES.iter().find(|drawn| rest.starts_with(**drawn)) {
                is_branch |= !drawn.starts_with("| ");
                let text = rest[drawn.len()..].trim_start_matches(is_space);
                columns += rest.len() - text.len();
                rest = text;
            }
            // A row of a table also starts with `| `.
            if is_branch { columns } else { spaces }
        }
        _ => spaces,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chain of headings above the last line.
    fn chain(text: &str) -> Vec<usize> {
        let source = Source::new(text);
        let mut headings = Headings::new(&source);
        let next = |at: &usize| headings.of(&source, *at);
        std::iter::successors(Some(source.len() - 1), next).skip(1).collect()
    }

    #[test]
    fn code_in_a_frame_stands_under_the_message_of_its_finding() {
        let code = "    11 \u{2502} let a = 1\n  > 12 \u{2502} var b = 2\n       \u{2502} ^^^\n    13 \u{2502} end()\n";
        let biome = |n: usize| {
            format!(
                "src/a{n}.ts:{n}:3 lint/style/noVar \u{2501}\u{2501}\u{2501}\n\n  \u{d7} No var.\n\n{code}\n  i Use let.\n\n{code}\n"
            )
        };
        let text = biome(1) + &biome(2);
        // From the last line of code to its note, the message and the headline; from the marks to the code above.
        assert_eq!(chain(text.trim_end()), [25, 18, 16], "{text}");
        let marks = &text[..text.rfind("    13 ").unwrap()];
        assert_eq!(chain(marks), [28, 25, 18, 16], "{marks}");
        let ruff = "E741 Bad name: `l`\n --> a.py:224:5\n    |\n223 | a = 1\n224 | l = 2\n    | ^\n";
        assert_eq!(chain(&ruff.repeat(2)), [10, 7, 6], "{ruff}");
        let rustc = "error[E0308]: mismatched types\n  --> src/a.rs:3:5\n   |\n 3 |     1\n   |     ^ expected `()`\n";
        assert_eq!(chain(&rustc.repeat(2)), [8, 6, 5], "{rustc}");
        let oxlint = "  \u{d7} eslint(eqeqeq): use ===\n   \u{256d}\u{2500}[a.ts:2:7]\n 1 \u{2502} let a\n 2 \u{2502} a == b\n   \u{b7}   ^^\n";
        assert_eq!(chain(&oxlint.repeat(2)), [8, 6, 5], "{oxlint}");
        let eslint = "src/a.js: line 3, col 5, Error - no\n  2 | a\n> 3 | b\n    | ^\n";
        assert_eq!(chain(&eslint.repeat(2)), [6, 4], "{eslint}");
        // A message is not under the code of the finding before.
        let two = format!("{oxlint}\n  \u{d7} eslint(no-var): no\n");
        assert!(chain(&two).is_empty(), "{two}");
        // A table of numbers is not a frame, and neither are the branches of a tree.
        for line in ["  1 | a | 2", "|-- b", "|   |-- c", "\u{2502}  \u{251c}\u{2500} d", "| a | b |"] {
            assert!(code_frame(line).is_none(), "{line}");
        }
    }

    #[test]
    fn branches_of_a_tree_stand_under_what_they_branch_from() {
        for text in [
            " web.a\n ├─ usage 1\n └─ disk\n    └─ size 2\n web.b\n ├─ usage 3\n ├─ disk\n │  └─ size 4\n └─ net\n    └─ in 5\n",
            "a\n├─┬ b\n│ └── c\n├── d\nweb\n├─┬ e\n│ ├── f\n│ └── g\n├─┬ h\n│ └── i\n",
            "a\n+- b\n|  \\- c\n\\- d\nweb\n+- e\n|  +- f\n|  \\- g\n\\- h\n   \\- i\n",
            "a\n|-- b\n|   `-- c\n`-- d\nweb\n|-- e\n|   |-- f\n|   `-- g\n`-- h\n    `-- i\n",
            "a\n \\_ b\n |   \\_ c\n \\_ d\nweb\n \\_ e\n |   \\_ f\n |   \\_ g\n \\_ h\n     \\_ i\n",
        ] {
            assert_eq!(chain(text), [8, 4], "{text}");
        }
    }

    #[test]
    fn lines_stand_under_the_first_line_of_their_paragraph_if_it_is_a_name_or_has_parts_below_them() {
        let nexus = "Eth1 is up\nadmin is up\n  MTU 9\n\nport-channel1 is up\nadmin is up\n  MTU 1\n";
        assert_eq!(chain(nexus), [5, 4], "{nexus}");
        let comware = "Te0/0/11\nState: DOWN\n Rate 0\n\nVlan-interface1\nState: UP\nMTU: 1500\nInput: 4\n";
        assert_eq!(chain(comware), [4], "{comware}");
        for prose in ["One line.\n\nIt is so.\nAnd it is not.\n", "a\n\nb\nc\nd: e\n", "a\n\n----\nb:\nc\n"] {
            assert!(chain(prose).is_empty(), "{prose}");
        }
    }

    #[test]
    fn a_part_of_a_record_stands_under_its_title() {
        let device = |n: usize| {
            format!("Bus 003 Device {n:03}: ID 27c6:609c Sensor\nDevice Descriptor:\n  length 18\n")
        };
        let text = format!("{}\n{}Device Qualifier (other speed):\n  length 10\n", device(1), device(2));
        assert_eq!(chain(&text), [7, 4], "{text}");
        // A line with a colon but no indented lines below has no heading.
        assert!(chain("some words here\nerror: this failed:\n").is_empty());
    }

    #[test]
    fn a_row_stands_under_the_head_of_its_table() {
        let text = "USER PID TTY\nroot 1 ?\nmail 40 ?\n  PID  PPID STAT COMMAND\n    1     0 S    init\n   40     1 Z    worker\n";
        assert_eq!(chain(text), [3]);
        let node = |n: usize| {
            format!(
                "Name: n{n}\nConditions:\n  Type  Status  Message\n  ----  ------  -------\n  Disk  False   a\n  Memory  True  b\nAddresses:\n  IP: 1\n"
            )
        };
        let two = node(1) + &node(2);
        assert_eq!(chain(&two[..two.rfind("Addresses").unwrap()]), [10, 9, 0]);
        assert_eq!(chain(&two), [14, 0]);
        // Nothing is cut above the only head.
        assert!(chain("USER PID TTY\nroot 1 ?\nmail 40 ?\n").is_empty());
    }

    #[test]
    fn a_tab_is_as_wide_as_eight_blanks() {
        let text = "OPTIONS\n       --abort\n\t   Ends it.\n\n       --quit\n\t   Ends it too,\n\t   but not quite.\n";
        assert_eq!(chain(text), [4, 0], "{text}");
    }

    #[test]
    fn a_line_of_a_diff_stands_under_its_hunk_and_file() {
        let text = "patch applied\n  ok\ndiff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        assert_eq!(chain(text), [5, 2], "{text}");
        let plain =
            "--- a.txt\n+++ b.txt\n@@ -1 +1 @@\n-two\n+three\n@@ -9,2 +9,2 @@\n nine\n-ten\n+eleven\n";
        assert_eq!(chain(plain), [5, 1, 0], "{plain}");
        // After the lines that the hunk counts, the log continues.
        assert!(chain(&format!("{plain}done\n")).is_empty());
    }

    #[test]
    fn a_frame_stands_under_its_thread() {
        let thread = |n: usize| {
            format!("Thread {n} (LWP 7) \"worker\":\n#0  0x1 in wait ()\n#1  0x2 in main () at a.c:9\n")
        };
        assert_eq!(chain(&format!("{}\n{}", thread(1), thread(2))), [4]);
    }

    #[test]
    fn rows_of_a_table_are_no_branches() {
        assert!(chain("| a | b |\n|---|---|\n| 1 | 2 |\n|   | 3 |\n").is_empty());
    }
}
