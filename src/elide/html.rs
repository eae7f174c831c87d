//! HTML pages: scripts, styles, drawings, comments and indentation are removed; text, links and attributes stay. Parses like
//! a browser, so tags need not balance.

use std::ops::Range;

use super::Limits;
use super::json::Written;
use super::strings::{self, Escapes};
use crate::formats::xml;
use crate::text::marker::{Marker, Unit};
use crate::text::reason::Reason;
use crate::text::relevance::Relevance;

/// Elements without text for a reader.
const CODE: &[&str] = &["script", "style", "svg", "noscript", "template", "canvas"];
/// Elements in which white space matters.
const VERBATIM: &[&str] = &["pre", "textarea", "code"];
/// Smaller pieces, in bytes, are not replaced by a marker. A choice: about twice what it takes.
const MIN_PIECE_BYTES: usize = 160;

/// Whether a page starts with this line.
pub fn is_page(line: &str) -> bool {
    let head = line.trim_start().get(..14).unwrap_or(line.trim_start()).to_ascii_lowercase();
    head.starts_with("<!doctype html") || head.starts_with("<html") || head.starts_with("<head")
}

/// The page under some limits. `exact` are ranges of the whole text, in order, that must stay.
pub fn write(
    text: &str,
    page: Range<usize>,
    exact: &[Range<usize>],
    limits: Limits,
    about: &Relevance,
) -> Written {
    let mut out =
        Written { text: String::with_capacity(page.len() / 2), omitted: 0, reason: Reason::PageCode };
    let bytes = text.as_bytes();
    let must = |range: &Range<usize>| {
        let first = exact.partition_point(|e| e.end <= range.start);
        exact.get(first).is_some_and(|e| e.start < range.end)
    };
    let mut at = page.start;
    // Removed code; adjacent pieces are merged.
    let mut gone: Option<Range<usize>> = None;
    let mut pre = 0usize;
    // Elements that are never closed: their ends are not searched again.
    let mut unclosed = [false; CODE.len()];
    while at < page.end {
        let next = memchr::memchr(b'<', &bytes[at..page.end]).map_or(page.end, |i| at + i);
        let is_blank = text[at..next].trim().is_empty();
        if next > at && !(is_blank && gone.is_some()) {
            flush(text, &mut gone, &mut out);
            copy(&text[at..next], pre > 0, &mut out.text);
        }
        if next == page.end {
            break;
        }
        let end = piece(text, next..page.end, &mut unclosed);
        let range = next..end;
        at = end;
        if is_code(text, &range) && range.len() >= MIN_PIECE_BYTES && !must(&range) {
            gone = Some(gone.map_or(range.clone(), |before| before.start..range.end));
            continue;
        }
        flush(text, &mut gone, &mut out);
        for name in VERBATIM {
            pre += usize::from(is_named(text, next + 1, name));
            pre -= usize::from(pre > 0 && text[next..].starts_with("</") && is_named(text, next + 2, name));
        }
        tag(text, range, limits, about, &mut out);
    }
    flush(text, &mut gone, &mut out);
    out
}

/// Writes the marker for removed code.
fn flush(text: &str, gone: &mut Option<Range<usize>>, out: &mut Written) {
    let Some(range) = gone.take() else { return };
    let count = strings::length(&text[range.clone()], Escapes::References);
    let reason = Reason::PageCode.code().to_owned();
    let marker = Marker::Parts { count, of: count, unit: Unit::Characters, reason, names: None };
    out.text.push_str(&format!("<!-- {} -->", marker.write()));
    out.omitted += range.len();
}

/// Text without layout: blanks around line ends are removed.
fn copy(piece: &str, is_verbatim: bool, out: &mut String) {
    if is_verbatim || !piece.contains('\n') {
        return out.push_str(piece);
    }
    let last = piece.matches('\n').count();
    for (i, line) in piece.split('\n').enumerate() {
        let line = if i > 0 { line.trim_start() } else { line };
        if i > 0 && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(if i < last { line.trim_end() } else { line });
    }
}

/// A tag, with long values of its attributes cut.
fn tag(text: &str, range: Range<usize>, limits: Limits, about: &Relevance, out: &mut Written) {
    let limit = limits.string.unwrap_or(usize::MAX);
    if range.len() <= limit.min(1 << 10) {
        return out.text.push_str(&text[range]);
    }
    let bytes = text.as_bytes();
    let mut at = range.start;
    while let Some(open) = memchr::memchr2(b'"', b'\'', &bytes[at..range.end]) {
        let start = at + open + 1;
        let Some(len) = memchr::memchr(bytes[start - 1], &bytes[start..range.end]) else { break };
        out.text.push_str(&text[at..start]);
        match strings::cut(&text[start..start + len], limit, &[], about, Escapes::References) {
            Some(cut) => {
                out.text.push_str(&cut.text);
                out.omitted += cut.omitted;
            }
            None => out.text.push_str(&text[start..start + len]),
        }
        at = start + len;
    }
    out.text.push_str(&text[at..range.end]);
}

/// The end of the tag, comment or element of code that starts here.
fn piece(text: &str, range: Range<usize>, unclosed: &mut [bool; CODE.len()]) -> usize {
    let rest = &text[range.clone()];
    if rest.starts_with("<!--") {
        return memchr::memmem::find(rest.as_bytes(), b"-->").map_or(range.end, |i| range.start + i + 3);
    }
    let tag_end = tag_end(text, range.clone());
    for (name, unclosed) in CODE.iter().zip(unclosed) {
        if *unclosed || !is_named(text, range.start + 1, name) || text[..tag_end].ends_with("/>") {
            continue;
        }
        let mut at = tag_end;
        while let Some(i) = memchr::memmem::find(&text.as_bytes()[at..range.end], b"</") {
            if is_named(text, at + i + 2, name) {
                return tag_end_at(text, at + i..range.end);
            }
            at += i + 2;
        }
        // An element that is never closed hides nothing.
        *unclosed = true;
        return tag_end;
    }
    tag_end
}

fn tag_end_at(text: &str, range: Range<usize>) -> usize {
    memchr::memchr(b'>', &text.as_bytes()[range.clone()]).map_or(range.end, |i| range.start + i + 1)
}

/// The end of a tag. Closed quoted values are skipped.
fn tag_end(text: &str, range: Range<usize>) -> usize {
    let end = xml::tag_end(&text.as_bytes()[..range.end], range.start);
    end.unwrap_or_else(|| tag_end_at(text, range))
}

fn is_code(text: &str, range: &Range<usize>) -> bool {
    text[range.start..].starts_with("<!--") || CODE.iter().any(|name| is_named(text, range.start + 1, name))
}

/// Whether the tag whose name starts at `at` is of this element.
fn is_named(text: &str, at: usize, name: &str) -> bool {
    let found = text.as_bytes().get(at..).and_then(xml::name);
    found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
}
