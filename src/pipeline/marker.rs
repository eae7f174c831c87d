//! In-text markers: one grammar, one writer, one parser.
//!
//! A marker says what is not shown, how much, where it stood and why. `protocol/spec.md` specifies
//! the grammar. The first marker of a document carries a check over the whole document, so that an
//! output of ours can be told from text that quotes or imitates one, without any stored state.
//! Nothing here decides what to omit.

use std::fmt::Write as _;

use super::blocks::Origin;

/// What all markers start with but the two whose form is published.
const OPEN: &str = "[tersed";
/// What the duplicate marker starts with; the form is published and kept to the letter.
const DUPLICATE_OPEN: &str = "[Duplicate of ";
/// What the pointer to an externalized text starts with; published and kept to the letter too.
const EXTERNALIZED_OPEN: &str = "[EXTERNALIZED: ";
const DUPLICATE_CLOSE: &str = "; see earlier result]";
/// Hexadecimal digits of the document check.
const CHECK_DIGITS: usize = 6;

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
    /// Some of these lines, all of which follow, read otherwise than they came: a rule of the operator wrote them
    /// anew.
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
        /// The first of them there, numbered in the same way.
        there: usize,
        /// Where they stand.
        origin: Origin,
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
            Self::Rewritten { count, first, last, reason, names } => {
                write!(out, "rewrote {count} of lines {first}-{last}, {reason}: {names}")
            }
            Self::Repeats { period, times, first, last } => {
                let how_often = if *times == 1 { "1 time".to_owned() } else { format!("{times} times") };
                match period {
                    1 => write!(out, "last line repeats {how_often} more, lines {first}-{last}"),
                    _ => write!(out, "last {period} lines repeat {how_often} more, lines {first}-{last}"),
                }
            }
            Self::Shown { first, last, there, origin: Origin { call, tool, argument } } => {
                let end = there + (last - first);
                match argument {
                    Some(argument) => {
                        write!(
                            out,
                            "lines {first}-{last} as lines {there}-{end} of {argument} in {call} ({tool})"
                        )
                    }
                    None if first == there => write!(out, "lines {first}-{last} as in {call} ({tool})"),
                    None => write!(out, "lines {first}-{last} as lines {there}-{end} in {call} ({tool})"),
                }
            }
            Self::Binary { mime, bytes } => write!(out, "binary {mime}, {bytes} bytes not shown"),
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
                        write!(out, "{SHOW}{handle}{FOLDER}{folder}")
                    }
                }
            }
            Self::Externalized { key, kind, summary } => {
                return format!("{EXTERNALIZED_OPEN}{key} | {kind} | {summary}]");
            }
            Self::Duplicate { call, tool } => {
                return format!("{DUPLICATE_OPEN}{call} ({tool}){DUPLICATE_CLOSE}");
            }
        };
        if let Self::Lines { id: Some(id), .. } | Self::Bytes { id: Some(id), .. } = self {
            let _ = write!(out, ", id {id}");
        }
        if let Self::Lines { names: Some(names), .. } | Self::Parts { names: Some(names), .. } = self {
            let _ = write!(out, ": {names}");
        }
        out.push(']');
        out
    }

    /// Reads the marker that `text` starts with; gives it and its length in bytes.
    pub fn parse(text: &str) -> Option<(Self, usize)> {
        if text.starts_with(DUPLICATE_OPEN) {
            return parse_duplicate(text);
        }
        if text.starts_with(EXTERNALIZED_OPEN) {
            return parse_externalized(text);
        }
        let rest = text.strip_prefix(OPEN)?;
        let rest = match rest.strip_prefix('#') {
            Some(r) => r.get(CHECK_DIGITS..).filter(|_| is_check(&r[..CHECK_DIGITS]))?,
            None => rest,
        };
        let body = rest.strip_prefix(": ")?;
        let end = memchr::memchr2(b']', b'\n', body.as_bytes())?;
        let (body, tail) = body.split_at(end);
        let marker = parse_body(body)?;
        tail.starts_with(']').then(|| (marker, text.len() - tail.len() + 1))
    }
}

fn is_check(digits: &str) -> bool {
    digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn parse_duplicate(text: &str) -> Option<(Marker, usize)> {
    let line = text.split('\n').next()?;
    let end = line.find(DUPLICATE_CLOSE)?;
    let (call, tool) = line.get(DUPLICATE_OPEN.len()..end)?.split_once(" (")?;
    let tool = tool.strip_suffix(')')?;
    let marker = Marker::Duplicate { call: call.to_owned(), tool: tool.to_owned() };
    Some((marker, end + DUPLICATE_CLOSE.len()))
}

fn parse_externalized(text: &str) -> Option<(Marker, usize)> {
    let body = text.strip_prefix(EXTERNALIZED_OPEN)?;
    let end = memchr::memchr2(b']', b'\n', body.as_bytes()).filter(|&end| body.as_bytes()[end] == b']')?;
    let (key, rest) = body[..end].split_once(" | ")?;
    let (kind, summary) = rest.split_once(" | ")?;
    let (key, kind, summary) = (key.to_owned(), kind.to_owned(), summary.to_owned());
    Some((Marker::Externalized { key, kind, summary }, EXTERNALIZED_OPEN.len() + end + 1))
}

fn parse_body(body: &str) -> Option<Marker> {
    if let Some(rest) = body.strip_prefix("binary ") {
        let (mime, rest) = rest.split_once(", ")?;
        let bytes = number(rest.strip_suffix(" bytes not shown")?)?;
        return Some(Marker::Binary { mime: mime.to_owned(), bytes });
    }
    if let Some(rest) = body.strip_prefix("exit status ") {
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        number(digits).filter(|n| *n > 0)?;
        return Some(Marker::Exit { status: rest.parse().ok()? });
    }
    if let Some(rest) = body.strip_prefix("all ") {
        return parse_original(rest);
    }
    if let Some((counts, rest)) = body.split_once(" lines not kept, ") {
        let (lines, of) = counts.split_once(" of ")?;
        let (bytes, reason) = rest.split_once(" bytes, ")?;
        let reason = Some(reason).filter(|reason| is_reason(reason))?.to_owned();
        return Some(Marker::NotKept {
            lines: number(lines)?,
            of: number(of)?,
            bytes: number(bytes)?,
            reason,
        });
    }
    if let Some(rest) = body.strip_prefix("lines ") {
        return parse_shown(rest);
    }
    if let Some(rest) = body.strip_prefix("last ") {
        return parse_repeats(rest);
    }
    if let Some(rest) = body.strip_prefix("rewrote ") {
        let (count, rest) = rest.split_once(" of lines ")?;
        let (place, rest) = rest.split_once(", ")?;
        let (first, last) = place.split_once('-')?;
        let (reason, names) = rest.split_once(": ")?;
        let (reason, names) = (Some(reason).filter(|r| is_reason(r))?.to_owned(), names.to_owned());
        return Some(Marker::Rewritten {
            count: number(count)?,
            first: number(first)?,
            last: number(last)?,
            reason,
            names,
        });
    }
    let (count, rest) = body.strip_prefix("omitted ")?.split_once(' ')?;
    let count = number(count)?;
    let (place, rest) = rest.split_once(", ")?;
    let (rest, names) = match rest.split_once(": ") {
        Some((rest, names)) => (rest, Some(names.to_owned()).filter(|names| !names.is_empty())),
        None => (rest, None),
    };
    let (reason, id) = match rest.split_once(", id ") {
        Some((reason, id)) => (reason, Some(id.to_owned())),
        None => (rest, None),
    };
    if !is_reason(reason) {
        return None;
    }
    let reason = reason.to_owned();
    if let Some(line) = place.strip_prefix("bytes of line ").filter(|_| names.is_none()) {
        return Some(Marker::Bytes { count, line: number(line)?, reason, id });
    }
    let place = place.strip_prefix("of ").unwrap_or(place);
    if let Some((of, word)) = place.split_once(' ').filter(|_| id.is_none())
        && let Some(unit) = Unit::ALL.iter().copied().find(|unit| unit.word() == word)
    {
        return Some(Marker::Parts { count, of: number(of)?, unit, reason, names });
    }
    let place = place.strip_prefix("lines ").or_else(|| place.strip_prefix("line "))?;
    let (first, last) = place.split_once('-')?;
    Some(Marker::Lines { count, first: number(first)?, last: number(last)?, reason, id, names })
}

fn parse_original(rest: &str) -> Option<Marker> {
    let (count, rest) = rest.split_once(' ')?;
    let lines = number(count)?;
    let rest = rest.strip_prefix(if lines == 1 { "line: " } else { "lines: " })?;
    let (handle, by) = match rest.strip_prefix("id ") {
        Some(handle) => (handle, ReadBy::Id),
        None => {
            let command = rest.strip_prefix(SHOW)?;
            let (handle, folder) = match command.split_once(FOLDER) {
                Some((handle, folder)) => (handle, Some(folder.to_owned()).filter(|f| !f.is_empty())?.into()),
                None => (command, None),
            };
            (handle, ReadBy::Command { folder })
        }
    };
    (handle.len() >= 8 && is_check(handle)).then(|| Marker::Original { lines, handle: handle.to_owned(), by })
}

fn parse_shown(rest: &str) -> Option<Marker> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-')?;
        let (first, last) = (number(first)?, number(last)?);
        (first <= last).then_some((first, last))
    };
    let (here, rest) = rest.split_once(" as ")?;
    let (first, last) = range(here)?;
    let (there, argument, call) = match rest.strip_prefix("in ") {
        Some(call) => (first, None, call),
        None => {
            let (place, call) = rest.strip_prefix("lines ")?.split_once(" in ")?;
            let (place, argument) = match place.split_once(" of ") {
                Some((place, argument)) => (place, Some(argument.to_owned())),
                None => (place, None),
            };
            let (there, end) = range(place)?;
            let fits = end - there == last - first && (argument.is_some() || there != first);
            (there, argument, Some(call).filter(|_| fits)?)
        }
    };
    let (call, tool) = call.strip_suffix(')')?.split_once(" (")?;
    let origin = Origin { call: call.to_owned(), tool: tool.to_owned(), argument };
    Some(Marker::Shown { first, last, there, origin })
}

fn parse_repeats(rest: &str) -> Option<Marker> {
    let (what, place) = rest.split_once(" more, lines ")?;
    let what = what
        .strip_suffix(" times")
        .or_else(|| what.strip_suffix(" 1 time").map(|_| &what[..what.len() - 5]))?;
    let (period, times) = match what.strip_prefix("line repeats ") {
        Some(times) => (1, times),
        None => {
            let (period, times) = what.split_once(" lines repeat ")?;
            (number(period)?, times)
        }
    };
    let (first, last) = place.split_once('-')?;
    Some(Marker::Repeats { period, times: number(times)?, first: number(first)?, last: number(last)? })
}

fn is_reason(reason: &str) -> bool {
    !reason.is_empty() && reason.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// A number as the writer writes it: no sign, no leading zero.
fn number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    plain.then(|| digits.parse().ok()).flatten()
}

/// Puts the document check into the first marker of a finished text, if it has one.
pub fn seal(text: &mut String) {
    let Some(at) = find_open(text, 0).map(|at| at + OPEN.len()) else { return };
    // A marker of an earlier output that was cut further has a check already, of the longer text.
    if text[at..].starts_with('#') {
        text.replace_range(at..at + 1 + CHECK_DIGITS, "");
    }
    let check = format!("#{}", document_check(&text[..at], &text[at..]));
    text.insert_str(at, &check);
}

/// Takes the check out of a text that `seal` finished, so that it can become a part of another.
pub fn unseal(text: &mut String) {
    if is_sealed(text)
        && let Some(at) = find_open(text, 0).map(|at| at + OPEN.len())
    {
        text.replace_range(at..at + 1 + CHECK_DIGITS, "");
    }
}

/// Whether a text is, whole, an output that `seal` finished.
pub fn is_sealed(text: &str) -> bool {
    let Some(at) = find_open(text, 0).map(|at| at + OPEN.len()) else { return false };
    let Some(rest) = text[at..].strip_prefix('#') else { return false };
    rest.get(..CHECK_DIGITS).is_some_and(|check| document_check(&text[..at], &rest[CHECK_DIGITS..]) == check)
}

fn document_check(before: &str, after: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before.as_bytes()).update(after.as_bytes());
    let mut hex = hasher.finalize().to_hex().to_string();
    hex.truncate(CHECK_DIGITS);
    hex
}

/// Whether a line may be or hold a marker.
pub fn may_hold(line: &str) -> bool {
    let holds = |open: &str| memchr::memmem::find(line.as_bytes(), open.as_bytes()).is_some();
    holds(OPEN) || holds(DUPLICATE_OPEN)
}

/// The next place from `from` on where a marker that parses starts, escaped ones aside.
fn find_open(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(&bytes[from..], OPEN)
        .map(|i| i + from)
        .find(|&at| (at == 0 || bytes[at - 1] != b'\\') && Marker::parse(&text[at..]).is_some())
}

/// Escapes what only looks like a marker by a backslash before it. `None` when there is nothing.
/// A text that is nothing but a duplicate marker stays when `is_ours` knows its call id.
pub fn escape(text: &str, is_ours: impl Fn(&str) -> bool) -> Option<(String, usize)> {
    if is_sealed(text) {
        return None;
    }
    let mut places: Vec<usize> = Vec::new();
    let mut from = 0;
    while let Some(at) = find_open(text, from) {
        places.push(at);
        from = at + OPEN.len();
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), DUPLICATE_OPEN) {
        if at > 0 && text.as_bytes()[at - 1] == b'\\' {
            continue;
        }
        if let Some((Marker::Duplicate { call, .. }, len)) = Marker::parse(&text[at..])
            && !(at == 0 && len == text.trim_end().len() && is_ours(&call))
        {
            places.push(at);
        }
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), EXTERNALIZED_OPEN) {
        if (at == 0 || text.as_bytes()[at - 1] != b'\\') && Marker::parse(&text[at..]).is_some() {
            places.push(at);
        }
    }
    if places.is_empty() {
        return None;
    }
    places.sort_unstable();
    let mut out = String::with_capacity(text.len() + places.len());
    let mut done = 0;
    for &at in &places {
        out.push_str(&text[done..at]);
        out.push('\\');
        done = at;
    }
    out.push_str(&text[done..]);
    Some((out, places.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_origin() -> impl Strategy<Value = Origin> {
        let argument = proptest::option::of("[a-zA-Z_]{1,12}");
        ("[a-zA-Z0-9_:/.-]{1,20}", "[a-z_]{0,10}", argument).prop_map(|(call, tool, argument)| Origin {
            call,
            tool,
            argument,
        })
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
                    there: if same { first } else { there },
                    origin,
                }
            ),
            ("[a-zA-Z0-9_-]{1,20}", "[a-z_]{1,10}").prop_map(|(call, tool)| Marker::Duplicate { call, tool }),
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
        fn a_seal_holds_for_the_whole_document_only(m in any_marker(), a in "[a-z\n]{0,20}", b in "[a-z]{1,9}") {
            let mut text = format!("{a}{}\n{b}", m.write());
            seal(&mut text);
            prop_assume!(!matches!(m, Marker::Duplicate { .. } | Marker::Externalized { .. }));
            prop_assert!(is_sealed(&text));
            let mut open = text.clone();
            unseal(&mut open);
            prop_assert!(!is_sealed(&open));
            seal(&mut open);
            prop_assert_eq!(&open, &text);
            let mut longer = format!("{text}!");
            prop_assert!(!is_sealed(&longer));
            seal(&mut longer);
            prop_assert!(is_sealed(&longer));
            prop_assert_eq!(longer.len(), text.len() + 1);
            prop_assert_eq!(escape(&text, |_| true), None);
        }

        #[test]
        fn escaping_leaves_no_marker_and_is_stable(m in any_marker(), a in "[a-z\n]{1,20}") {
            let text = format!("{a}{}\n", m.write());
            let (escaped, count) = escape(&text, |_| false).unwrap();
            prop_assert_eq!(count, 1);
            prop_assert_eq!(find_open(&escaped, 0), None);
            prop_assert_eq!(escape(&escaped, |_| false), None);
        }
    }

    #[test]
    fn a_known_duplicate_marker_stays_alone_only() {
        let text = "[Duplicate of call_1 (bash); see earlier result]";
        assert_eq!(escape(text, |c| c == "call_1"), None);
        assert!(escape(text, |_| false).is_some());
        assert!(escape(&format!("x\n{text}"), |_| true).is_some());
    }

    #[test]
    fn source_code_that_builds_markers_is_left_alone() {
        assert_eq!(escape("format!(\"[tersed: omitted {n} lines {a}-{b}, {reason}]\")", |_| false), None);
    }
}
