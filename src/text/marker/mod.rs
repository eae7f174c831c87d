//! In-text markers: one grammar, one writer, one parser.
//!
//! A marker says what is not shown, how much, where it stood and why. `protocol/spec.md` specifies
//! the grammar. The first marker of a document carries a keyed check over the whole document, so that an
//! output of ours can be told from text that quotes or imitates one, without any stored state.
//! Nothing here decides what to omit.

mod letter;
mod letters;
mod lookalike;
mod parse;
mod seal;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::text::origin::Origin;
use crate::text::source::Source;
pub use lookalike::escape;
pub use seal::{SealKey, is_sealed, may_hold, seal, sealed_from, unseal};

/// What all markers start with but the two whose form is published.
const OPEN: &str = "[tersed";
/// What the duplicate marker starts with; the form is published and kept to the letter.
const DUPLICATE_OPEN: &str = "[Duplicate of ";
/// What the pointer to an externalized text starts with; published and kept to the letter too.
const EXTERNALIZED_OPEN: &str = "[EXTERNALIZED: ";
const DUPLICATE_CLOSE: &str = "; see earlier result]";
/// What follows it, in front of what the earlier call was about and how many results ago it was.
const SAME_OUTPUT: &str = " (same output";
/// How the marker ends of a result that differs in times alone.
const BUT_FOR_TIMES: &str = ", but for times";
/// Decimal digits of the document check: about 40 bits.
const CHECK_DIGITS: usize = 12;

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
        /// Reason code.
        reason: String,
        /// Handle to ask for the lines with, where the host has a tool for it.
        id: Option<String>,
        /// What the lines name: numbers of lines, each with the names that first stand there.
        names: Option<String>,
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
    /// Parts of structured data are not shown; those that are follow the marker in order, or surround it.
    Parts {
        /// Parts not shown.
        count: usize,
        /// How many there are.
        of: usize,
        /// What they are.
        unit: Unit,
        /// Reason code.
        reason: String,
        /// What they are about: kinds with their counts, or keys.
        names: Option<String>,
    },
    /// The line that it ends reads otherwise than it came: a rule of the operator wrote it anew.
    ByRule {
        /// The rule.
        rule: String,
    },
    /// Some of these lines, all of which follow, read otherwise than they came. Earlier versions wrote it; now each line
    /// says it itself.
    Rewritten {
        /// Lines that read otherwise.
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
        /// How many more times it stood there.
        times: usize,
        /// First line not shown.
        first: usize,
        /// Last line not shown.
        last: usize,
    },
    /// An earlier result shows these lines, or the model wrote them into an argument of a call.
    Shown {
        /// First line, by the number that it carries or else its number in the result.
        first: usize,
        /// Last line.
        last: usize,
        /// The number that the first of them carries there; `None` where it is the same, or where none is shown.
        there: Option<usize>,
        /// Where they stand.
        origin: Origin,
        /// How many results ago that was, 0 for this call; earlier versions did not say it.
        ago: Option<usize>,
    },
    /// The whole result is that of an earlier call, but for times in it. Lines of it follow.
    Same {
        /// The earlier result.
        origin: Origin,
        /// How many results ago that was.
        ago: usize,
    },
    /// The whole result is binary data.
    Binary {
        /// Media type.
        mime: String,
        /// Size.
        bytes: usize,
    },
    /// Of the lines from here to where the text goes on, some were not kept when they came; the others
    /// follow the marker.
    NotKept {
        /// Lines that are gone.
        lines: usize,
        /// Lines with those that follow.
        of: usize,
        /// Bytes that are gone.
        bytes: usize,
        /// Reason code.
        reason: String,
    },
    /// The exit status of the command, where something is not shown and the rest does not say it.
    Exit {
        /// The status.
        status: i64,
    },
    /// How all of the result is read.
    Original {
        /// Lines of it.
        lines: usize,
        /// The start of its id.
        handle: String,
        /// What takes the handle.
        by: ReadBy,
    },
    /// The whole result is kept elsewhere; a preview follows.
    Externalized {
        /// What the original is read with.
        key: String,
        /// What kind of text it is.
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
        /// What that call was about.
        label: Option<String>,
        /// How many results ago that was; earlier versions did not say it.
        ago: Option<usize>,
    },
}

/// What an original is read by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadBy {
    /// The tool that the host gives the model for it.
    Id,
    /// The command line.
    Command {
        /// The folder that it has to be given.
        folder: Option<String>,
    },
}

/// What a reader types before the handle.
const SHOW: &str = "tersed artifacts show ";
/// What it types before the folder.
const FOLDER: &str = " --dir ";

/// What parts of structured data are.
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

/// Longest id of a call, and longest name of a tool or an argument, that a marker names, in bytes.
const MAX_NAME: usize = 128;

impl Origin {
    /// The marker of lines of which the first carries the number `there` in what they stand in, 0 for none, and that were
    /// shown `ago` results ago.
    pub fn marker(&self, source: &Source<'_>, lines: &Range<usize>, there: usize, ago: usize) -> Marker {
        let (first, last) = source.numbers(lines);
        let there = Some(there).filter(|there| *there != 0 && *there != first);
        Marker::Shown { first, last, there, origin: self.clone(), ago: Some(ago) }
    }

    /// Whether a marker can name it so that it is read back as the same.
    pub fn can_be_named(&self) -> bool {
        [Some(&self.call), Some(&self.tool), self.argument.as_ref()]
            .into_iter()
            .flatten()
            .all(|name| is_name(name))
    }
}

/// Whether the id of a call or the name of a tool can stand in a marker: read back as the same, and no sentence of its own.
pub fn is_name(name: &str) -> bool {
    let spoils = |c: char| c.is_whitespace() || c.is_control() || "[](){};,".contains(c);
    name.len() <= MAX_NAME && !name.contains(spoils) && escape(name, |_| false, |_| false).is_none()
}

/// What came from outside, as it may stand in a marker: it can neither end the marker nor start another.
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

/// Writes what a call was about and how many results ago it was, where that is known.
fn about(out: &mut String, before: &str, label: Option<&str>, ago: Option<usize>) {
    let Some(ago) = ago else { return };
    out.push_str(before);
    if let Some(label) = label {
        // Writing into a String cannot fail.
        let _ = write!(out, "{}, ", inside(label));
    }
    let _ = match ago {
        0 => write!(out, "this call"),
        1 => write!(out, "1 result ago"),
        ago => write!(out, "{ago} results ago"),
    };
}

impl Marker {
    /// The marker's text, without the document check and without a line end.
    pub fn write(&self) -> String {
        let mut out = String::from(OPEN);
        out.push_str(": ");
        // Writing into a String cannot fail.
        let _ = match self {
            Self::Lines { count, first, last, reason, .. } => {
                let of = if *count == last + 1 - first { "" } else { "of " };
                let noun = if *count == 1 && of.is_empty() { "line" } else { "lines" };
                if of.is_empty() {
                    write!(out, "omitted {count} {noun} {first}-{last}, {reason}")
                } else {
                    write!(out, "omitted {count} of lines {first}-{last}, {reason}")
                }
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
                let how_often = if *times == 1 { "1 time".to_owned() } else { format!("{times} times") };
                match period {
                    1 => write!(out, "last line repeats {how_often} more, lines {first}-{last}"),
                    _ => write!(out, "last {period} lines repeat {how_often} more, lines {first}-{last}"),
                }
            }
            Self::Shown { first, last, there, origin, ago } => {
                let _ = write!(out, "lines {first}-{last} as ");
                if let Some(there) = there {
                    let _ = write!(out, "lines {there}-{} ", there + (last - first));
                }
                let _ = match (&origin.argument, there) {
                    (Some(argument), Some(_)) => write!(out, "of {} in ", inside(argument)),
                    (Some(argument), None) => write!(out, "in {} of ", inside(argument)),
                    (None, _) => write!(out, "in "),
                };
                let _ = write!(out, "{} ({})", inside(&origin.call), inside(&origin.tool));
                about(&mut out, "; ", origin.label.as_deref(), *ago);
                Ok(())
            }
            Self::Same { origin, ago } => {
                let _ = write!(out, "same output as in {} ({})", inside(&origin.call), inside(&origin.tool));
                about(&mut out, "; ", origin.label.as_deref(), Some(*ago));
                out.push_str(BUT_FOR_TIMES);
                Ok(())
            }
            Self::Binary { mime, bytes } => write!(out, "binary {}, {bytes} bytes not shown", inside(mime)),
            Self::NotKept { lines, of, bytes, reason } => {
                write!(out, "{lines} of {of} lines not kept, {bytes} bytes, {reason}")
            }
            Self::Exit { status } => write!(out, "exit status {status}"),
            Self::Original { lines, handle, by } => {
                let noun = if *lines == 1 { "line" } else { "lines" };
                let _ = write!(out, "all {lines} {noun}: ");
                match by {
                    ReadBy::Id => write!(out, "id {handle}"),
                    ReadBy::Command { folder: None } => write!(out, "{SHOW}{handle}"),
                    ReadBy::Command { folder: Some(folder) } => {
                        write!(out, "{SHOW}{handle}{FOLDER}{}", inside(folder))
                    }
                }
            }
            Self::Externalized { key, kind, summary } => {
                return format!("{EXTERNALIZED_OPEN}{key} | {kind} | {}]", inside(summary));
            }
            Self::Duplicate { call, tool, label, ago } => {
                out = format!("{DUPLICATE_OPEN}{} ({}){DUPLICATE_CLOSE}", inside(call), inside(tool));
                if ago.is_some() {
                    out.push_str(SAME_OUTPUT);
                    about(&mut out, if label.is_some() { " as " } else { ", " }, label.as_deref(), *ago);
                    out.push(')');
                }
                return out;
            }
        };
        if let Self::Lines { id: Some(id), .. } | Self::Bytes { id: Some(id), .. } = self {
            let _ = write!(out, ", id {id}");
        }
        if let Self::Lines { names: Some(names), .. } | Self::Parts { names: Some(names), .. } = self {
            let _ = write!(out, ": {}", inside(names));
        }
        out.push(']');
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A marker of every form and of every way to write it, in which all that is no word of the grammar is a number or
    /// `name`.
    pub(super) fn every_form(name: &str) -> Vec<Marker> {
        let name = || name.to_owned();
        let label = Some(name());
        let origin = |argument| Origin { call: name(), tool: name(), argument, label: None };
        let labelled = Origin { label: label.clone(), ..origin(None) };
        let reason = || if name() == "0" { name() } else { "passing_tests".to_owned() };
        let lines =
            |count, last, id, names| Marker::Lines { count, first: 2, last, reason: reason(), id, names };
        let shown =
            |there, argument, ago| Marker::Shown { first: 2, last: 4, there, origin: origin(argument), ago };
        let original = |lines, by| Marker::Original { lines, handle: "12345678".to_owned(), by };
        let mut all = vec![
            lines(1, 2, None, None),
            lines(3, 4, Some("12345678".to_owned()), None),
            lines(2, 4, None, Some(name())),
            Marker::Bytes { count: 7, line: 2, reason: reason(), id: Some("12345678".to_owned()) },
            Marker::ByRule { rule: name() },
            Marker::Rewritten { count: 1, first: 2, last: 4, reason: reason(), names: name() },
            Marker::Repeats { period: 1, times: 1, first: 2, last: 2 },
            Marker::Repeats { period: 1, times: 3, first: 2, last: 4 },
            Marker::Repeats { period: 2, times: 3, first: 2, last: 7 },
            shown(None, None, None),
            shown(Some(5), None, Some(0)),
            shown(Some(5), Some(name()), Some(1)),
            shown(None, Some(name()), Some(1)),
            Marker::Shown { first: 2, last: 4, there: None, origin: labelled.clone(), ago: Some(3) },
            Marker::Same { origin: labelled, ago: 2 },
            Marker::Binary { mime: name(), bytes: 7 },
            Marker::NotKept { lines: 3, of: 5, bytes: 70, reason: reason() },
            Marker::Exit { status: 101 },
            original(1, ReadBy::Id),
            original(2, ReadBy::Command { folder: None }),
            original(2, ReadBy::Command { folder: Some(name()) }),
            Marker::Externalized { key: name(), kind: name(), summary: name() },
            Marker::Duplicate { call: name(), tool: name(), label: None, ago: None },
            Marker::Duplicate { call: name(), tool: name(), label: None, ago: Some(1) },
            Marker::Duplicate { call: name(), tool: name(), label, ago: Some(2) },
        ];
        let part = |unit: &Unit| Marker::Parts {
            count: 1,
            of: 3,
            unit: *unit,
            reason: reason(),
            names: Some(name()),
        };
        all.extend(Unit::ALL.iter().map(part));
        let mut seen = std::collections::BTreeSet::new();
        for marker in &all {
            // A new form has to be added above, and here.
            seen.insert(match marker {
                Marker::Lines { .. } => 0,
                Marker::Bytes { .. } => 1,
                Marker::Parts { .. } => 2,
                Marker::ByRule { .. } => 3,
                Marker::Rewritten { .. } => 4,
                Marker::Repeats { .. } => 5,
                Marker::Shown { .. } => 6,
                Marker::Binary { .. } => 7,
                Marker::NotKept { .. } => 8,
                Marker::Exit { .. } => 9,
                Marker::Original { .. } => 10,
                Marker::Externalized { .. } => 11,
                Marker::Duplicate { .. } => 12,
                Marker::Same { .. } => 13,
            });
        }
        assert_eq!(seen.len(), 14);
        all
    }

    fn any_origin() -> impl Strategy<Value = Origin> {
        let argument = proptest::option::of("[a-zA-Z_]{1,12}");
        ("[a-zA-Z0-9_:/.-]{1,20}", "[a-z_]{0,10}", argument, any_label())
            .prop_map(|(call, tool, argument, label)| Origin { call, tool, argument, label })
    }

    fn any_label() -> impl Strategy<Value = Option<String>> {
        proptest::option::of("[a-z./-]{1,9}( [a-z./-]{1,9}){0,2}")
    }

    fn any_marker() -> impl Strategy<Value = Marker> {
        let n = 0usize..2_000_000;
        let id = proptest::option::of("[0-9a-f]{8}");
        prop_oneof![
            (
                n.clone(),
                n.clone(),
                n.clone(),
                "[a-z_]{1,20}",
                id.clone(),
                proptest::option::of("[0-9]{1,4}( [a-zA-Z_.:$/]{1,9}){1,4}")
            )
                .prop_map(|(a, b, c, reason, id, names)| {
                    let last = b + c;
                    Marker::Lines { count: 1 + a % (c + 1), first: b, last, reason, id, names }
                }),
            (n.clone(), n.clone(), "[a-z_]{1,20}", id).prop_map(|(count, line, reason, id)| Marker::Bytes {
                count,
                line,
                reason,
                id
            }),
            (
                n.clone(),
                n.clone(),
                0..Unit::ALL.len(),
                "[a-z_]{1,20}",
                proptest::option::of("[a-z]{1,9}( [a-zA-Z_.:$/]{1,9}){1,4}")
            )
                .prop_map(|(count, of, unit, reason, names)| Marker::Parts {
                    count,
                    of,
                    unit: Unit::ALL[unit],
                    reason,
                    names
                }),
            (1usize..64, n.clone(), n.clone(), n.clone())
                .prop_map(|(period, times, first, last)| Marker::Repeats { period, times, first, last }),
            (n.clone(), n.clone(), n.clone(), "[a-z_]{1,20}", "[a-zA-Z0-9._-]{1,20}").prop_map(
                |(count, first, more, reason, names)| Marker::Rewritten {
                    count,
                    first,
                    last: first + more,
                    reason,
                    names
                }
            ),
            "[a-zA-Z0-9._-]{1,20}".prop_map(|rule| Marker::ByRule { rule }),
            (1i64..300).prop_map(|status| Marker::Exit { status }),
            (n.clone(), "[0-9a-f]{8,16}", proptest::option::of(proptest::option::of("/[a-z./_-]{1,20}")))
                .prop_map(|(lines, handle, command)| {
                    let by = command.map_or(ReadBy::Id, |folder| ReadBy::Command { folder });
                    Marker::Original { lines, handle, by }
                }),
            (n.clone(), n.clone(), n.clone(), "[a-z_]{1,20}")
                .prop_map(|(lines, of, bytes, reason)| { Marker::NotKept { lines, of, bytes, reason } }),
            ("[a-z]{1,8}/[a-z.-]{1,12}", n.clone()).prop_map(|(mime, bytes)| Marker::Binary { mime, bytes }),
            (n.clone(), n.clone(), n.clone(), any::<bool>(), any_origin()).prop_map(
                |(first, more, there, same, origin)| Marker::Shown {
                    first,
                    last: first + more,
                    there: Some(there).filter(|there| !same && *there != first),
                    ago: Some(there % 9).filter(|_| !same || origin.label.is_some()),
                    origin,
                }
            ),
            ("[a-zA-Z0-9_-]{1,20}", "[a-z_]{1,10}", any_label(), proptest::option::of(0usize..99)).prop_map(
                |(call, tool, label, ago)| {
                    let label = label.filter(|_| ago.is_some());
                    Marker::Duplicate { call, tool, label, ago }
                }
            ),
            (any_origin(), 0usize..99)
                .prop_map(|(origin, ago)| Marker::Same { origin: Origin { argument: None, ..origin }, ago }),
            ("[0-9a-f]{16}", "[A-Z]{3,6}", "[a-z0-9, ]{1,40}")
                .prop_map(|(key, kind, summary)| Marker::Externalized { key, kind, summary }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(marker in any_marker(), tail in "[ -~]{0,9}") {
            let text = marker.write();
            prop_assert_eq!(Marker::parse(&format!("{text}{tail}")), Some((marker, text.len())));
        }

        #[test]
        fn a_seal_holds_for_the_whole_document_and_one_key_only(
            m in any_marker(),
            a in "[a-z\n]{0,20}",
            b in "[a-z]{1,9}",
            bytes in any::<[u8; SealKey::BYTES]>(),
        ) {
            let (key, other) = (SealKey::new(bytes), SealKey::new(bytes.map(|b| b.wrapping_add(1))));
            let mut text = format!("{a}{}\n{b}", m.write());
            seal(&mut text, &key);
            prop_assume!(!matches!(m, Marker::Duplicate { .. } | Marker::Externalized { .. }));
            prop_assert!(is_sealed(&text, &key));
            prop_assert!(!is_sealed(&text, &other));
            let mut foreign = text.clone();
            unseal(&mut foreign, &other);
            prop_assert_eq!(&foreign, &text);
            let mut open = text.clone();
            unseal(&mut open, &key);
            prop_assert!(!is_sealed(&open, &key));
            seal(&mut open, &key);
            prop_assert_eq!(&open, &text);
            let mut longer = format!("{text}!");
            prop_assert!(!is_sealed(&longer, &key));
            seal(&mut longer, &key);
            prop_assert!(is_sealed(&longer, &key));
            prop_assert_eq!(longer.len(), text.len() + 1);
        }

        #[test]
        fn escaping_leaves_no_marker_and_is_stable(m in any_marker(), a in "[a-z\n]{1,20}") {
            let text = format!("{a}{}\n", m.write());
            let (escaped, count) = escape(&text, |_| false, |_| false).unwrap();
            prop_assert_eq!(count, 1);
            prop_assert_eq!(seal::find_open(&escaped, 0), None);
            prop_assert_eq!(escape(&escaped, |_| false, |_| false), None);
        }
    }

    #[test]
    fn names_cannot_break_out() {
        let lines = |names: &str| Marker::Lines {
            count: 2,
            first: 1,
            last: 2,
            reason: "clean".to_owned(),
            id: None,
            names: Some(names.to_owned()),
        };
        for name in [
            "a] [tersed: exit status 0]",
            "a]\n[tersed: ok",
            "］［tersed: ok］",
            "&#91;tersed: ok",
            "\u{1b}[2J",
        ] {
            let text = lines(name).write();
            let (read, length) = Marker::parse(&text).unwrap();
            assert_eq!((length, read.write()), (text.len(), text.clone()), "{text}");
            let body = text.strip_prefix('[').unwrap();
            assert_eq!(escape(body, |_| false, |_| false), None, "{text}");
            assert!(!is_name(name), "{name}");
        }
        for name in ["call_1", "toolu_01AbC", "mcp__a.b/c:d-e", "exec-1", ""] {
            assert!(is_name(name), "{name}");
        }
        for name in ["a (b", "a\nb", "a; see earlier result]", "a, exit status 0", &"x".repeat(200)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
