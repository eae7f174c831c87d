//! In-text markers: one grammar, one writer, one parser.
//!
//! A marker says what is not shown, how much, where it was and why. `protocol/spec.md` specifies the grammar. The
//! first marker of a document has a keyed check of the whole document, so that an output of ours can be told from
//! text that quotes or imitates one, without any stored state. This file is longer than most: it has the fields and
//! the writer of every form.

mod letter;
mod letters;
mod lookalike;
mod parse;
mod reference;
mod seal;
mod template;
mod written;

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use crate::text::origin::Origin;
use crate::text::reason::Reason;
pub use lookalike::{LookAlikes, escape, find_look_alikes, find_look_alikes_at_end, split_point};
pub use reference::{Ago, Naming, NumbersThere};
use reference::{write_place, write_same_lines};
pub use seal::{SealKey, check, is_sealed, may_hold, seal, sealed_from, unseal};

/// The start of all markers, except the two whose form is published.
pub const OPEN: &str = "[tersed";
/// The start of the duplicate marker; its published form must not change.
const DUPLICATE_OPEN: &str = "[Duplicate of ";
/// The start of the pointer to an externalized text; its published form must not change either.
const EXTERNALIZED_OPEN: &str = "[EXTERNALIZED: ";
const DUPLICATE_CLOSE: &str = "; see earlier result]";
/// Follows the tool in a duplicate marker; after it are the label of the earlier call and how many results ago it
/// was.
const SAME_OUTPUT: &str = " (same output";
/// End of the marker of a result that differs from the earlier one only in times.
const BUT_FOR_TIMES: &str = ", but for times";
/// Follows the opening in the marker of a removed result.
const REMOVED: &str = ": removed ";
/// Comes before the seal in the marker of a removed result, which has its seal at the end.
const SEAL: &str = "; seal ";
/// Decimal digits of a seal: about 40 bits.
pub const SEAL_DIGITS: usize = 12;

/// One marker. Line numbers are those of the sanitized text, from 1, inclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marker {
    /// `count` lines of `first..=last` are not shown; when `count` is less than the lines of the
    /// range, the others follow the marker.
    Lines {
        /// Lines not shown.
        count: usize,
        /// First line of the range.
        first: usize,
        /// Last line of the range.
        last: usize,
        /// Whether the count includes that of further gaps, each of which has a [`Gap`](Self::Gap) where it is.
        is_sum: bool,
        /// Reason code; `None` if the marker before has the same reason and is of this kind.
        reason: Option<String>,
        /// Handle for reading the lines, if the host has a tool for that and no earlier marker has the handle.
        id: Option<String>,
        /// The names in the lines: line numbers, each with the names that first occur there.
        names: Option<String>,
    },
    /// A further gap of the [`Lines`](Self::Lines) marker before it: some of that marker's lines were here.
    Gap {
        /// Lines not shown here.
        count: usize,
        /// Whether the lines are merged into fewer lines elsewhere.
        is_merged: bool,
    },
    /// A part of one line is not shown.
    Bytes {
        /// Bytes not shown.
        count: usize,
        /// The line.
        line: usize,
        /// Reason code.
        reason: String,
        /// Handle, as above.
        id: Option<String>,
    },
    /// Parts of structured data are not shown; the shown parts follow the marker in order, or are around it.
    Parts {
        /// Parts not shown.
        count: usize,
        /// How many parts there are in all.
        of: usize,
        /// The kind of parts.
        unit: Unit,
        /// Reason code.
        reason: String,
        /// The content of the parts: kinds with their counts, or keys.
        names: Option<String>,
    },
    /// The end of a line that a rule of the operator rewrote.
    ByRule {
        /// The rule.
        rule: String,
    },
    /// Some of the lines after it were rewritten. Only earlier versions wrote this; now each rewritten line ends in a
    /// [`ByRule`](Self::ByRule).
    Rewritten {
        /// Rewritten lines.
        count: usize,
        /// The first of them.
        first: usize,
        /// The last of them.
        last: usize,
        /// Reason code.
        reason: String,
        /// The rule.
        names: String,
    },
    /// The `period` lines before the marker repeat.
    Repeats {
        /// Lines of the block that repeats.
        period: usize,
        /// How many more times the block occurred there.
        times: usize,
        /// First line not shown.
        first: usize,
        /// Last line not shown.
        last: usize,
    },
    /// An earlier result shows these lines, or the model wrote them into an argument of a call.
    Shown {
        /// First line: the number that the tool wrote before it, or else its number in the result.
        first: usize,
        /// Last line.
        last: usize,
        /// The line numbers in the origin.
        there: NumbersThere,
        /// The result or argument that shows the lines.
        origin: Origin,
        /// How far back that was; `None` in markers of earlier versions.
        ago: Option<Ago>,
    },
    /// The origin of the [`Shown`](Self::Shown) marker before shows these lines too.
    There {
        /// First line, as above.
        first: usize,
        /// Last line.
        last: usize,
        /// The line numbers in the origin.
        there: NumbersThere,
    },
    /// Several references, each of the form [`Shown`](Self::Shown), for lines that follow each other.
    Several(Vec<Marker>),
    /// The whole result equals that of an earlier call. Some of its lines may follow.
    Same {
        /// The earlier result.
        origin: Origin,
        /// How far back that was.
        ago: Ago,
        /// Whether the two differ in times.
        differs_in_times: bool,
    },
    /// The whole result is binary data.
    Binary {
        /// Media type.
        mime: String,
        /// Size.
        bytes: usize,
    },
    /// Lines of a long stream that were dropped as they came; lines between them that were kept follow the marker.
    NotKept {
        /// Dropped lines.
        lines: usize,
        /// Dropped lines, and the kept ones that follow.
        of: usize,
        /// Dropped bytes.
        bytes: usize,
        /// Reason code.
        reason: String,
    },
    /// The exit status of the command, if something is not shown and the shown text does not have the status.
    Exit {
        /// The status.
        status: i64,
    },
    /// How to read the whole original.
    Original {
        /// The number of its lines.
        lines: usize,
        /// The start of its id.
        handle: String,
        /// The tool or command that takes the handle.
        by: RetrievalMethod,
    },
    /// The whole result was removed from the context after the model had seen it. Some of its lines may follow.
    Removed {
        /// The number of lines that it had.
        lines: usize,
        /// The label of its call, or its tool.
        of: String,
        /// Why it was removed.
        why: RemovalReason,
        /// The label of the newer result that replaces it.
        by: Option<String>,
        /// The start of the id of the original, and the tool or command that takes it.
        read: Option<(String, RetrievalMethod)>,
    },
    /// The whole result is stored elsewhere; a preview follows.
    Externalized {
        /// The key for reading the original.
        key: String,
        /// The kind of text.
        kind: String,
        /// Its shape and size.
        summary: String,
    },
    /// The whole result was shown before.
    Duplicate {
        /// Call id of the earlier result.
        call: String,
        /// Tool of the earlier result.
        tool: String,
        /// The label of that call.
        label: Option<String>,
        /// How far back that was; `None` in markers of earlier versions.
        ago: Option<Ago>,
    },
}

/// Why a result was removed from the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalReason {
    /// A result, this many results later, shows the same lines of the file unchanged.
    ShownAgain(usize),
    /// A result, this many results later, shows a newer version of these lines of the file.
    Superseded(usize),
    /// The same call returned a newer result, this many results later.
    RunAgain(usize),
    /// The model's last answers, this many, cited nothing of it.
    NotCited(usize),
}

impl RemovalReason {
    /// How many results later its replacement was shown.
    pub fn later(self) -> Option<usize> {
        match self {
            Self::ShownAgain(later) | Self::Superseded(later) | Self::RunAgain(later) => Some(later),
            Self::NotCited(_) => None,
        }
    }

    fn write(self, out: &mut String) -> fmt::Result {
        match self {
            Self::ShownAgain(n) => write!(out, "shown again {} later", counted(n, "result")),
            Self::Superseded(n) => write!(out, "superseded {} later", counted(n, "result")),
            Self::RunAgain(n) => write!(out, "run again {} later", counted(n, "result")),
            Self::NotCited(1) => write!(out, "not cited in the last answer"),
            Self::NotCited(n) => write!(out, "not cited in the last {n} answers"),
        }
    }
}

/// How an original is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetrievalMethod {
    /// With the tool that the host gives the model for it.
    Id,
    /// With the command line.
    Command {
        /// The folder to pass, if the command needs one.
        folder: Option<String>,
    },
}

impl RetrievalMethod {
    fn write(&self, handle: &str, out: &mut String) -> fmt::Result {
        match self {
            Self::Id => write!(out, "id {handle}"),
            Self::Command { folder: None } => write!(out, "{SHOW}{handle}"),
            Self::Command { folder: Some(folder) } => write!(out, "{SHOW}{handle}{FOLDER}{}", inside(folder)),
        }
    }
}

/// A number with its noun.
fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// The command before the handle.
const SHOW: &str = "tersed artifacts show ";
/// The option before the folder.
const FOLDER: &str = " --dir ";

/// The kind of parts of structured data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Items of an array, or documents that follow each other.
    Items,
    /// Members of an object.
    Members,
    /// Elements below one element.
    Elements,
    /// Rows of a table.
    Rows,
    /// Characters of a string.
    Characters,
}

impl Unit {
    const ALL: &'static [Unit] = &[Unit::Items, Unit::Members, Unit::Elements, Unit::Rows, Unit::Characters];

    fn word(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Members => "members",
            Self::Elements => "elements",
            Self::Rows => "rows",
            Self::Characters => "characters",
        }
    }
}

/// The reason of lines that were merged without loss. Their marker says "merged", because "omitted" would read as if
/// they were missing from the merged list.
const MERGED: &str = Reason::SharedMessage.code();

/// Between the number of lines that are omitted in several gaps and their range, if each gap has a mark with its number.
const IN_ALL: &str = "in all of ";

/// Before the second and each further reference of [`Marker::Several`].
const NEXT_REFERENCE: &str = ", ";

/// The longest id of a call, and the longest name of a tool or argument, in a marker, in bytes.
const MAX_NAME: usize = 128;

/// Whether an id or a tool's name can be in a marker: it is parsed back unchanged and adds no words.
pub fn is_name(name: &str) -> bool {
    let spoils = |c: char| c.is_whitespace() || c.is_control() || "[](){};,".contains(c);
    name.len() <= MAX_NAME && !name.contains(spoils) && escape(name, |_| false, |_| false).is_none()
}

/// Makes foreign text safe inside a marker: it can neither end the marker nor start another.
fn inside(text: &str) -> Cow<'_, str> {
    let spoils = |c: char| matches!(c, '[' | ']') || c.is_control();
    let mut out = Cow::Borrowed(text);
    if text.contains(spoils) {
        let plain = |c: char| match c {
            '[' => '(',
            ']' => ')',
            c if c.is_control() => ' ',
            c => c,
        };
        out = Cow::Owned(text.chars().map(plain).collect());
    }
    match escape(&out, |_| false, |_| false) {
        Some((escaped, _)) => Cow::Owned(escaped),
        None => out,
    }
}

/// A call in a marker: id and tool, or only the tool if the model does not see ids.
fn called(call: &str, tool: &str) -> String {
    match call {
        "" => inside(tool).into_owned(),
        call => format!("{} ({})", inside(call), inside(tool)),
    }
}

/// Writes the label of a call and how far back it was, if that is known.
fn about(out: &mut String, before: &str, label: Option<&str>, ago: Option<Ago>) {
    let Some(ago) = ago else { return };
    out.push_str(before);
    if let Some(label) = label {
        // Writing into a String cannot fail.
        let _ = write!(out, "{}, ", inside(label));
    }
    let _ = write!(out, "{ago}");
}

impl Marker {
    /// The marker's text, without the seal and without a line end.
    pub fn write(&self) -> String {
        // The two whose form is published.
        match self {
            Self::Externalized { key, kind, summary } => {
                return format!("{EXTERNALIZED_OPEN}{key} | {kind} | {}]", inside(summary));
            }
            Self::Duplicate { call, tool, label, ago } => {
                return duplicate(call, tool, label.as_deref(), *ago);
            }
            _ => {}
        }
        let mut out = String::from(OPEN);
        out.push_str(": ");
        // Writing into a String cannot fail.
        let _ = self.write_body(&mut out);
        let _ = self.write_id_and_names(&mut out);
        out.push(']');
        out
    }

    /// What is not shown, how much, where it was and why.
    fn write_body(&self, out: &mut String) -> fmt::Result {
        match self {
            Self::Lines { count, first, last, is_sum, reason, .. } => {
                write_omitted_lines(out, *count, (*first, *last), *is_sum, reason.as_deref())
            }
            Self::Gap { count, is_merged } => {
                // "here", since the marker before already counted these lines too, "in all".
                write!(out, "{count} {} here", if *is_merged { "merged" } else { "omitted" })
            }
            Self::Bytes { count, line, reason, .. } => {
                write!(out, "omitted {count} bytes of line {line}, {reason}")
            }
            Self::Parts { count, of, unit, reason, .. } => {
                write!(out, "omitted {count} of {of} {}, {reason}", unit.word())
            }
            Self::ByRule { rule } => write!(out, "rule {rule}"),
            Self::Rewritten { count, first, last, reason, names } => {
                write!(out, "rewrote {count} of lines {first}-{last}, {reason}: {}", inside(names))
            }
            Self::Repeats { period, times, first, last } => {
                write_repeats(out, *period, *times, (*first, *last))
            }
            Self::Shown { first, last, there, origin, ago } => {
                write_same_lines(out, (*first, *last), *there)?;
                write_origin(out, origin, *there, *ago)
            }
            Self::There { first, last, there } => {
                write_same_lines(out, (*first, *last), *there)?;
                out.write_str("there")
            }
            Self::Several(references) => write_several(out, references),
            Self::Same { origin, ago, differs_in_times } => {
                write!(out, "same output as in {}", called(&origin.call, &origin.tool))?;
                about(out, "; ", origin.label.as_deref(), Some(*ago));
                out.write_str(if *differs_in_times { BUT_FOR_TIMES } else { "" })
            }
            Self::Binary { mime, bytes } => write!(out, "binary {}, {bytes} bytes not shown", inside(mime)),
            Self::NotKept { lines, of, bytes, reason } => {
                write!(out, "{lines} of {of} lines not kept, {bytes} bytes, {reason}")
            }
            Self::Exit { status } => write!(out, "exit status {status}"),
            Self::Original { lines, handle, by } => {
                write!(out, "all {}: ", counted(*lines, "line"))?;
                by.write(handle, out)
            }
            Self::Removed { lines, of, why, by, read } => {
                write!(out, "removed {} of {}, ", counted(*lines, "line"), inside(of))?;
                why.write(out)?;
                if let Some(by) = by {
                    write!(out, " by {}", inside(by))?;
                }
                let Some((handle, by)) = read else { return Ok(()) };
                out.push_str("; ");
                by.write(handle, out)
            }
            // `write` writes them as a whole.
            Self::Externalized { .. } | Self::Duplicate { .. } => Ok(()),
        }
    }

    /// The handle for reading what is not shown, and the names in it.
    fn write_id_and_names(&self, out: &mut String) -> fmt::Result {
        if let Self::Lines { id: Some(id), .. } | Self::Bytes { id: Some(id), .. } = self {
            write!(out, ", id {id}")?;
        }
        if let Self::Lines { names: Some(names), .. } | Self::Parts { names: Some(names), .. } = self {
            write!(out, ": {}", inside(names))?;
        }
        Ok(())
    }
}

/// `omitted 8 lines 3-10, passed_tests`: `count` lines of a range, and the reason unless the marker before has it.
fn write_omitted_lines(
    out: &mut String,
    count: usize,
    (first, last): (usize, usize),
    is_sum: bool,
    reason: Option<&str>,
) -> fmt::Result {
    let of = match (count == last + 1 - first, is_sum) {
        (true, _) => "",
        (false, true) => IN_ALL,
        (false, false) => "of ",
    };
    let noun = if count == 1 && of.is_empty() { "line" } else { "lines" };
    let verb = if reason == Some(MERGED) { "merged" } else { "omitted" };
    write!(out, "{verb} {count} {of}{noun} {first}-{last}")?;
    reason.map_or(Ok(()), |reason| write!(out, ", {reason}"))
}

/// `last 2 lines repeat 5 times more, lines 3-12`.
fn write_repeats(
    out: &mut String,
    period: usize,
    times: usize,
    (first, last): (usize, usize),
) -> fmt::Result {
    let how_often = if times == 1 { "1 time".to_owned() } else { format!("{times} times") };
    match period {
        1 => write!(out, "last line repeats {how_often} more, lines {first}-{last}"),
        _ => write!(out, "last {period} lines repeat {how_often} more, lines {first}-{last}"),
    }
}

/// References for lines that follow each other, each with what is known about its call in brackets:
/// `lines 3-10 as in c1 (read; a.rs, 3 results ago), lines 11-14 as lines 20-23 in c2 (read; 1 result ago)`.
fn write_several(out: &mut String, references: &[Marker]) -> fmt::Result {
    for (at, reference) in references.iter().enumerate() {
        let Marker::Shown { first, last, there, origin, ago } = reference else { continue };
        out.push_str(if at == 0 { "" } else { NEXT_REFERENCE });
        write_same_lines(out, (*first, *last), *there)?;
        write_place(out, origin.argument.as_deref(), *there)?;
        let has_id = !origin.call.is_empty();
        out.push_str(&inside(if has_id { &origin.call } else { &origin.tool }));
        out.push_str(" (");
        out.push_str(&if has_id { inside(&origin.tool) } else { Cow::Borrowed("") });
        about(out, if has_id { "; " } else { "" }, origin.label.as_deref(), *ago);
        out.push(')');
    }
    Ok(())
}

/// The result or argument that shows lines, and how far back it was: `in c1 (read); a.rs, 3 results ago`.
fn write_origin(out: &mut String, origin: &Origin, there: NumbersThere, ago: Option<Ago>) -> fmt::Result {
    write_place(out, origin.argument.as_deref(), there)?;
    out.push_str(&called(&origin.call, &origin.tool));
    about(out, "; ", origin.label.as_deref(), ago);
    Ok(())
}

/// The marker of a result that was shown before.
fn duplicate(call: &str, tool: &str, label: Option<&str>, ago: Option<Ago>) -> String {
    let mut out = format!("{DUPLICATE_OPEN}{} ({}){DUPLICATE_CLOSE}", inside(call), inside(tool));
    if ago.is_some() {
        out.push_str(SAME_OUTPUT);
        about(&mut out, if label.is_some() { " as " } else { ", " }, label, ago);
        out.push(')');
    }
    out
}

#[cfg(test)]
mod tests;
