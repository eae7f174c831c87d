//! Parses markers, in exactly the forms that the writer uses.

use super::{
    Ago, BUT_FOR_TIMES, DUPLICATE_CLOSE, DUPLICATE_OPEN, EXTERNALIZED_OPEN, FOLDER, IN_ALL, MERGED, Marker,
    NumbersThere, OPEN, RemovalReason, RetrievalMethod, SAME_OUTPUT, SEAL, SEAL_DIGITS, SHOW, Unit,
};
use crate::text::origin::Origin;

impl Marker {
    /// Parses the marker at the start of `text`; returns it and its length in bytes.
    pub fn parse(text: &str) -> Option<(Self, usize)> {
        if text.starts_with(DUPLICATE_OPEN) {
            return parse_duplicate(text);
        }
        if text.starts_with(EXTERNALIZED_OPEN) {
            return parse_externalized(text);
        }
        let rest = text.strip_prefix(OPEN)?;
        let rest = match rest.strip_prefix('#') {
            Some(r) => {
                r.get(SEAL_DIGITS..).filter(|_| r.bytes().take(SEAL_DIGITS).all(|b| b.is_ascii_digit()))?
            }
            None => rest,
        };
        let body = rest.strip_prefix(": ")?;
        // A marker contains no other bracket, so an endless repetition of openings is read only once.
        let end = memchr::memchr3(b']', b'[', b'\n', body.as_bytes())?;
        let (body, tail) = body.split_at(end);
        let marker = parse_body(body)?;
        tail.starts_with(']').then(|| (marker, text.len() - tail.len() + 1))
    }
}

fn is_handle(digits: &str) -> bool {
    digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn parse_duplicate(text: &str) -> Option<(Marker, usize)> {
    let body = text.strip_prefix(DUPLICATE_OPEN)?;
    let line = &body[..memchr::memchr2(b'[', b'\n', body.as_bytes()).unwrap_or(body.len())];
    let end = line.find(DUPLICATE_CLOSE)?;
    let (call, tool) = called(&line[..end]).filter(|(call, _)| !call.is_empty())?;
    let behind = &line[end + DUPLICATE_CLOSE.len()..];
    let len = DUPLICATE_OPEN.len() + end + DUPLICATE_CLOSE.len();
    let (label, ago, more) = match same_output(behind) {
        Some((label, ago, more)) => (label, Some(ago), more),
        None => (None, None, 0),
    };
    Some((Marker::Duplicate { call, tool, label, ago }, len + more))
}

/// The id of a call, empty if the marker has none, and its tool.
fn called(text: &str) -> Option<(String, String)> {
    let (call, tool) = match text.split_once(" (") {
        Some((call, tool)) => (call, tool.strip_suffix(')')?),
        None => ("", text),
    };
    Some((call.to_owned(), tool.to_owned()))
}

/// The end of a duplicate marker and its length: the label of the earlier call and how far back it was.
fn same_output(behind: &str) -> Option<(Option<String>, Ago, usize)> {
    let body = behind.strip_prefix(SAME_OUTPUT)?;
    let body = &body[..memchr::memchr(b')', body.as_bytes())?];
    let rest = body.strip_prefix(" as ").or_else(|| body.strip_prefix(", "))?;
    let (label, ago) = about(rest)?;
    (label.is_some() == body.starts_with(" as ")).then_some((label, ago, SAME_OUTPUT.len() + body.len() + 1))
}

/// The label of a call, if it has one, and how far back it was.
fn about(text: &str) -> Option<(Option<String>, Ago)> {
    let (label, ago) = match text.rsplit_once(", ") {
        Some((label, ago)) => (Some(label.to_owned()).filter(|l| !l.is_empty() && !l.contains(", ")), ago),
        None => (None, text),
    };
    if label.is_none() && text.contains(", ") {
        return None;
    }
    Some((label, Ago::parse(ago)?))
}

fn parse_externalized(text: &str) -> Option<(Marker, usize)> {
    let body = text.strip_prefix(EXTERNALIZED_OPEN)?;
    let end =
        memchr::memchr3(b']', b'[', b'\n', body.as_bytes()).filter(|&end| body.as_bytes()[end] == b']')?;
    let (key, rest) = body[..end].split_once(" | ")?;
    let (kind, summary) = rest.split_once(" | ")?;
    let (key, kind, summary) = (key.to_owned(), kind.to_owned(), summary.to_owned());
    Some((Marker::Externalized { key, kind, summary }, EXTERNALIZED_OPEN.len() + end + 1))
}

/// The text between the opening and the closing bracket. The forms are tried in this order: `lines not kept` stands in
/// the middle of its marker, the others start with their words.
fn parse_body(body: &str) -> Option<Marker> {
    if let Some(rest) = body.strip_prefix("binary ") {
        return parse_binary(rest);
    }
    if let Some(rest) = body.strip_prefix("exit status ") {
        return parse_exit(rest);
    }
    if let Some(rest) = body.strip_prefix("all ") {
        return parse_original(rest);
    }
    if let Some(rest) = body.strip_prefix("removed ") {
        return parse_removed(rest);
    }
    if let Some((counts, rest)) = body.split_once(" lines not kept, ") {
        return parse_not_kept(counts, rest);
    }
    if let Some(rest) = body.strip_prefix("same output as in ") {
        return parse_same(rest);
    }
    if let Some(rest) = body.strip_prefix("lines ") {
        return parse_references(rest);
    }
    if let Some(rest) = body.strip_prefix("last ") {
        return parse_repeats(rest);
    }
    if let Some(rule) = body.strip_prefix("rule ") {
        return parse_rule(rule);
    }
    if let Some(rest) = body.strip_prefix("rewrote ") {
        return parse_rewritten(rest);
    }
    if let Some((count, is_merged)) = gap(body) {
        return number(count).filter(|count| *count > 0).map(|count| Marker::Gap { count, is_merged });
    }
    parse_omitted(body)
}

fn parse_binary(rest: &str) -> Option<Marker> {
    let (mime, rest) = rest.split_once(", ")?;
    let bytes = number(rest.strip_suffix(" bytes not shown")?)?;
    Some(Marker::Binary { mime: mime.to_owned(), bytes })
}

fn parse_exit(rest: &str) -> Option<Marker> {
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    number(digits).filter(|n| *n > 0)?;
    Some(Marker::Exit { status: rest.parse().ok()? })
}

fn parse_not_kept(counts: &str, rest: &str) -> Option<Marker> {
    let (lines, of) = counts.split_once(" of ")?;
    let (bytes, reason) = rest.split_once(" bytes, ")?;
    let reason = Some(reason).filter(|reason| is_reason(reason))?.to_owned();
    Some(Marker::NotKept { lines: number(lines)?, of: number(of)?, bytes: number(bytes)?, reason })
}

fn parse_same(rest: &str) -> Option<Marker> {
    let differs_in_times = rest.ends_with(BUT_FOR_TIMES);
    let (call, rest) = rest.strip_suffix(BUT_FOR_TIMES).unwrap_or(rest).split_once("; ")?;
    let (call, tool) = called(call)?;
    let (label, ago) = about(rest)?;
    let origin = Origin { call, tool, argument: None, label };
    Some(Marker::Same { origin, ago, differs_in_times })
}

fn parse_rule(rule: &str) -> Option<Marker> {
    let is_name = rule.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    (is_name && !rule.is_empty()).then(|| Marker::ByRule { rule: rule.to_owned() })
}

fn parse_rewritten(rest: &str) -> Option<Marker> {
    let (count, rest) = rest.split_once(" of lines ")?;
    let (place, rest) = rest.split_once(", ")?;
    let (reason, names) = rest.split_once(": ")?;
    let (reason, names) = (Some(reason).filter(|r| is_reason(r))?.to_owned(), names.to_owned());
    let (first, last) = range(place)?;
    Some(Marker::Rewritten { count: number(count)?, first, last, reason, names })
}

/// The number in the mark of a further gap, and whether its lines are merged elsewhere.
fn gap(body: &str) -> Option<(&str, bool)> {
    // Earlier versions wrote no "here", and even earlier ones wrote "of them".
    const ENDS: [(&str, bool); 3] = [(" omitted", false), (" merged", true), (" of them", false)];
    let body = body.strip_suffix(" here").unwrap_or(body);
    ENDS.iter().find_map(|(end, is_merged)| Some((body.strip_suffix(end)?, *is_merged)))
}

/// A marker that starts with its verb: lines, a part of a line, or parts of structured data.
fn parse_omitted(body: &str) -> Option<Marker> {
    let (is_merged, body) = match body.strip_prefix("merged ") {
        Some(body) => (true, body),
        None => (false, body.strip_prefix("omitted ")?),
    };
    let (count, rest) = body.split_once(' ')?;
    let count = number(count)?;
    let is_sum = rest.starts_with(IN_ALL);
    if let Some((first, last, names)) = as_before(rest).filter(|_| !is_merged) {
        return Some(Marker::Lines { count, first, last, is_sum, reason: None, id: None, names });
    }
    let (place, rest) = rest.split_once(", ")?;
    let (rest, names) = names_behind(rest);
    let names = names.map(str::to_owned);
    let (reason, id) = match rest.split_once(", id ") {
        Some((reason, id)) => (reason, Some(id.to_owned())),
        None => (rest, None),
    };
    let is_of_lines = place.starts_with("line ") || place.contains("lines ");
    if !is_reason(reason) || is_merged && (reason != MERGED || !is_of_lines) {
        return None;
    }
    let reason = reason.to_owned();
    if let Some(line) = place.strip_prefix("bytes of line ").filter(|_| names.is_none()) {
        return Some(Marker::Bytes { count, line: number(line)?, reason, id });
    }
    if let Some((of, unit)) = parts_of(place).filter(|_| id.is_none()) {
        return Some(Marker::Parts { count, of: number(of)?, unit, reason, names });
    }
    let (first, last) = lines_of(place)?;
    Some(Marker::Lines { count, first, last, is_sum, reason: Some(reason), id, names })
}

/// The lines and names of a marker without a reason, which is that of the marker before.
fn as_before(rest: &str) -> Option<(usize, usize, Option<String>)> {
    let (place, names) = names_behind(rest);
    let (first, last) = lines_of(place)?;
    Some((first, last, names.map(str::to_owned)))
}

/// The text before the names at the end of a marker, and the names.
fn names_behind(text: &str) -> (&str, Option<&str>) {
    match text.split_once(": ") {
        Some((text, names)) => (text, Some(names).filter(|names| !names.is_empty())),
        None => (text, None),
    }
}

/// How many parts of structured data there are in all, and their kind: `of 80 items`.
fn parts_of(place: &str) -> Option<(&str, Unit)> {
    let (of, word) = place.strip_prefix("of ").unwrap_or(place).split_once(' ')?;
    Some((of, Unit::ALL.iter().copied().find(|unit| unit.word() == word)?))
}

/// The first and last line of a place: `line 3-3`, `lines 3-10`, `of lines 3-10`, `in all of lines 3-10`.
fn lines_of(place: &str) -> Option<(usize, usize)> {
    let place = place.strip_prefix(IN_ALL).or_else(|| place.strip_prefix("of ")).unwrap_or(place);
    range(place.strip_prefix("lines ").or_else(|| place.strip_prefix("line "))?)
}

fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-')?;
    Some((number(first)?, number(last)?))
}

fn parse_original(rest: &str) -> Option<Marker> {
    let (lines, rest) = counted(rest, "line")?;
    let (handle, by) = read_by(rest.strip_prefix(": ")?)?;
    Some(Marker::Original { lines, handle, by })
}

fn parse_removed(rest: &str) -> Option<Marker> {
    let rest = &rest[..rest.len() - seal_len(rest)];
    let (lines, rest) = counted(rest, "line")?;
    let (rest, read) = match rest.split_once("; ") {
        Some((rest, read)) => (rest, Some(read_by(read)?)),
        None => (rest, None),
    };
    let (of, why) = rest.strip_prefix(" of ")?.split_once(", ").filter(|(of, _)| !of.is_empty())?;
    let (why, by) = parse_why(why)?;
    Some(Marker::Removed { lines, of: of.to_owned(), why, by, read })
}

/// Bytes of the seal at the end of a body, 0 if there is none.
pub(super) fn seal_len(body: &str) -> usize {
    let check = body.rsplit_once(SEAL).map_or("", |(_, check)| check);
    let is_check = check.len() == SEAL_DIGITS && check.bytes().all(|b| b.is_ascii_digit());
    if is_check { SEAL.len() + SEAL_DIGITS } else { 0 }
}

/// Why a result was removed, and the label of the result that replaces it.
fn parse_why(text: &str) -> Option<(RemovalReason, Option<String>)> {
    type Later = fn(usize) -> RemovalReason;
    const LATER: &[(&str, Later)] = &[
        ("shown again ", RemovalReason::ShownAgain),
        ("superseded ", RemovalReason::Superseded),
        ("run again ", RemovalReason::RunAgain),
    ];
    if let Some(rest) = text.strip_prefix("not cited in the last ") {
        let answers = match rest {
            "answer" => 1,
            rest => number(rest.strip_suffix(" answers")?).filter(|n| *n != 1)?,
        };
        return Some((RemovalReason::NotCited(answers), None));
    }
    let (rest, why) = LATER.iter().find_map(|(word, why)| Some((text.strip_prefix(word)?, why)))?;
    let (later, rest) = counted(rest, "result")?;
    let by = match rest.strip_prefix(" later")? {
        "" => None,
        rest => Some(rest.strip_prefix(" by ").filter(|by| !by.is_empty())?.to_owned()),
    };
    Some((why(later), by))
}

/// A number with its noun, and the text after it.
fn counted<'a>(text: &'a str, noun: &str) -> Option<(usize, &'a str)> {
    let (count, rest) = text.split_once(' ')?;
    let count = number(count)?;
    let rest = rest.strip_prefix(noun)?;
    Some((count, if count == 1 { rest } else { rest.strip_prefix('s')? }))
}

/// A handle, and how to read it.
fn read_by(text: &str) -> Option<(String, RetrievalMethod)> {
    let (handle, by) = match text.strip_prefix("id ") {
        Some(handle) => (handle, RetrievalMethod::Id),
        None => {
            let command = text.strip_prefix(SHOW)?;
            let (handle, folder) = match command.split_once(FOLDER) {
                Some((handle, folder)) => (handle, Some(folder.to_owned()).filter(|f| !f.is_empty())?.into()),
                None => (command, None),
            };
            (handle, RetrievalMethod::Command { folder })
        }
    };
    (handle.len() >= 8 && is_handle(handle)).then(|| (handle.to_owned(), by))
}

/// One reference, or several with what is known about their calls in brackets. `rest` begins after `lines `.
fn parse_references(rest: &str) -> Option<Marker> {
    const NEXT: &str = "), lines ";
    let Some(rest) = rest.strip_suffix(')').filter(|rest| rest.contains(NEXT)) else {
        return parse_shown(rest);
    };
    let references: Option<Vec<Marker>> = rest.split(NEXT).map(parse_bracketed).collect();
    references.map(Marker::Several)
}

/// A reference of several, without the last bracket: read as the same reference alone would be.
fn parse_bracketed(text: &str) -> Option<Marker> {
    let (place, known) = text.rsplit_once(" (")?;
    parse_shown(&match known.split_once("; ") {
        Some((tool, about)) => format!("{place} ({tool}); {about}"),
        None => format!("{place}; {known}"),
    })
}

fn parse_shown(rest: &str) -> Option<Marker> {
    let range = |text: &str| range(text).filter(|(first, last)| first <= last);
    let (here, rest) = rest.split_once(" as ")?;
    let (here, unnumbered) = match here.strip_suffix(" here") {
        Some(here) => (here, NumbersThere::NoNumbers),
        None => (here, NumbersThere::SameNumbers),
    };
    let (first, last) = range(here)?;
    if rest == "there" {
        return Some(Marker::There { first, last, there: unnumbered });
    }
    let numbered = |there| (unnumbered == NumbersThere::SameNumbers).then_some(NumbersThere::From(there));
    if let Some(place) = rest.strip_suffix(" there") {
        let (there, end) = range(place.strip_prefix("lines ")?)?;
        let fits = end - there == last - first && there != first;
        return Some(Marker::There { first, last, there: numbered(there).filter(|_| fits)? });
    }
    let (rest, label, ago) = match rest.split_once("; ") {
        Some((call, rest)) => {
            let (label, ago) = about(rest)?;
            (call, label, Some(ago))
        }
        None => (rest, None, None),
    };
    let (there, argument, call) = match rest.strip_prefix("in ") {
        Some(place) => match place.split(" (").next()?.split_once(" of ") {
            Some((argument, _)) => (unnumbered, Some(argument.to_owned()), place.split_once(" of ")?.1),
            None => (unnumbered, None, place),
        },
        None => {
            let (place, call) = rest.strip_prefix("lines ")?.split_once(" in ")?;
            let (place, argument) = match place.split_once(" of ") {
                Some((place, argument)) => (place, Some(argument.to_owned())),
                None => (place, None),
            };
            let (there, end) = range(place)?;
            let fits = end - there == last - first && (argument.is_some() || there != first);
            (numbered(there)?, argument, Some(call).filter(|_| fits)?)
        }
    };
    let (call, tool) = called(call)?;
    if call.is_empty() && ago.is_none() {
        return None;
    }
    let origin = Origin { call, tool, argument, label };
    Some(Marker::Shown { first, last, there, origin, ago })
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
    let (first, last) = range(place)?;
    Some(Marker::Repeats { period, times: number(times)?, first, last })
}

fn is_reason(reason: &str) -> bool {
    !reason.is_empty() && reason.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// A number as the writer writes it: no sign, no leading zero.
fn number(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    plain.then(|| digits.parse().ok()).flatten()
}
