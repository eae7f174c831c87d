//! Searches the lines of an artifact.
//!
//! It makes one pass over the blocks, with one pattern test per line, in linear time; a match never spans lines. Results
//! contain only text of the artifact: a long line is cut around the match, without dots, and columns give the position. Only
//! the longest line has to be in memory at once.
//!
//! A slow pattern may still take long. The caller watches the clock and says when time is up. Then the search returns what
//! it has found, and a cursor to continue.

use std::ops::Range;

use memchr::memchr;
use regex_automata::Input;
use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;

use super::body::{BLOCK, Body, Reader};
use super::read::whole_characters;
use super::{AccessError, Media, clip};

/// Options of a search, and the size of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// Ignore case.
    pub ignore_case: bool,
    /// The pattern is plain text, not a regular expression.
    pub fixed: bool,
    /// Lines shown before and after a match, at most [`SearchOptions::MAX_CONTEXT`]. Default 0.
    pub context: usize,
    /// Most matching lines on a page, 1 to [`SearchOptions::MAX_MATCHES`]; larger values count as the maximum. Default 50.
    pub max_matches: usize,
    /// Most bytes of text on a page, 1 to 1 MiB; one match with its context always fits. Default 64 KiB.
    pub max_bytes: usize,
    /// `next_cursor` of the previous page; `None` for the first.
    pub cursor: Option<String>,
}

impl SearchOptions {
    /// The most lines of context on each side.
    pub const MAX_CONTEXT: usize = 20;
    /// The most matches on one page.
    pub const MAX_MATCHES: usize = 500;
    /// The most bytes of text on one page.
    pub const MAX_BYTES: usize = 1 << 20;
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            ignore_case: false,
            fixed: false,
            context: 0,
            max_matches: 50,
            max_bytes: 64 << 10,
            cursor: None,
        }
    }
}

/// A line next to a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextLine {
    /// Number of the line, 1-based.
    pub line: u64,
    /// The line without its line end, or the start of a long one.
    pub text: String,
    /// Whether `text` is not the whole line.
    pub cut: bool,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Number of the line, 1-based.
    pub line: u64,
    /// Column of the first match in the line: bytes, 1-based.
    pub column: u64,
    /// The line without its line end, or the part of a long one around the match.
    pub text: String,
    /// Column of `text` in the line: bytes, 1-based.
    pub text_column: u64,
    /// Whether `text` is not the whole line.
    pub cut: bool,
    /// The lines before, in order.
    pub before: Vec<ContextLine>,
    /// The lines after, in order.
    pub after: Vec<ContextLine>,
}

/// One page of matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The matching lines of this page, in order.
    pub matches: Vec<Match>,
    /// Number of matching lines in the whole artifact; if `late`, in the part searched so far, over all pages.
    pub total_matches: u64,
    /// Whether time ran out before the end; `next_cursor` continues.
    pub late: bool,
    /// Cursor of the next page; `None` on the last.
    pub next_cursor: Option<String>,
}

/// Longest part of a line that is shown, in bytes.
pub(super) const LINE_BYTES: u64 = 500;
/// How many of these bytes precede the match.
const LEAD_BYTES: u64 = 120;
/// Longest pattern in bytes.
const PATTERN_BYTES: usize = 4 << 10;
/// Limit for a compiled pattern and for its search cache, in bytes each: keeps the cost per byte of text low.
const PROGRAM_BYTES: usize = 512 << 10;
/// Longest part of a line that is tested at once, in bytes; the search may stop between two parts.
const WINDOW_BYTES: usize = 8 << 10;
/// Overlap of two such parts: in a line of several parts, a longer match may be missed.
const OVERLAP_BYTES: usize = 2 << 10;
/// Bytes of short lines between two checks of the time.
const CHECK_BYTES: usize = 16 << 10;

/// A line that matches, as offsets in the artifact.
struct Hit {
    line: u64,
    start: u64,
    column: u64,
    /// Matching lines before it.
    before: u64,
}

/// Where a search continues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Place {
    /// The line, from 1.
    line: u64,
    /// Matching lines before it; `None` if they must be counted.
    before: Option<u64>,
    /// Bytes of the line that were tested.
    tested: u64,
}

/// When to stop.
pub(super) struct Watch<'a> {
    /// Whether the caller cancelled.
    pub(super) stop: &'a dyn Fn() -> bool,
    /// Whether to return now what was found.
    pub(super) late: &'a dyn Fn() -> bool,
}

pub(super) fn search(
    body: &Body,
    media: &Media,
    pattern: &str,
    options: &SearchOptions,
    watch: &Watch<'_>,
) -> Result<SearchResult, AccessError> {
    if let Media::Binary(mime) = media {
        return Err(AccessError::NotText { mime: mime.clone() });
    }
    for (setting, value) in [("maxMatches", options.max_matches), ("maxBytes", options.max_bytes)] {
        if value == 0 {
            return Err(AccessError::EmptyPage { setting });
        }
    }
    let regex = compile(pattern, options)?;
    let from = match options.cursor.as_deref() {
        Some(cursor) => place_of(cursor, body.lines())?,
        None => Place { line: 1, ..Place::default() },
    };
    let mut reader = Reader::new(body);
    let most = options.max_matches.min(SearchOptions::MAX_MATCHES);
    let mut found = Found { total: from.before.unwrap_or_default(), most, ..Found::default() };
    found.all(&mut reader, &regex, from, watch)?;
    let mut next = found.next;
    let mut matches: Vec<Match> = Vec::new();
    let mut room = options.max_bytes.min(SearchOptions::MAX_BYTES);
    for hit in &found.hits {
        let shown = show(&mut reader, body, hit, options.context.min(SearchOptions::MAX_CONTEXT))?;
        let beside = shown.before.iter().chain(&shown.after).map(|line| line.text.len());
        let size = shown.text.len() + beside.sum::<usize>();
        if size > room && !matches.is_empty() {
            next = Some(Place { line: hit.line, before: Some(hit.before), tested: 0 });
            break;
        }
        room = room.saturating_sub(size);
        matches.push(shown);
    }
    // A caller that counted all lines once can do so again.
    let counts = from.before.is_none() && !found.late;
    let next_cursor = next.map(|next| match next {
        Place { line, .. } if counts => format!("l{line}"),
        Place { line, before, tested } => format!("s{line}.{}.{tested}", before.unwrap_or_default()),
    });
    Ok(SearchResult { matches, total_matches: found.total, late: found.late, next_cursor })
}

/// A cursor is the number of the next matching line, or the place where time ran out.
fn place_of(cursor: &str, lines: u64) -> Result<Place, AccessError> {
    let number = |digits: &str| -> Option<u64> {
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let place = match cursor.split_at_checked(1) {
        Some(("l", line)) => number(line).map(|line| Place { line, ..Place::default() }),
        Some(("s", place)) => {
            let numbers: Option<Vec<u64>> = place.split('.').map(number).collect();
            match numbers.as_deref() {
                Some(&[line, before, tested]) => Some(Place { line, before: Some(before), tested }),
                _ => None,
            }
        }
        _ => None,
    };
    place
        .filter(|place| (1..=lines).contains(&place.line))
        .ok_or_else(|| AccessError::Cursor { cursor: cursor.to_owned() })
}

fn compile(pattern: &str, options: &SearchOptions) -> Result<Regex, AccessError> {
    let refuse = |reason: String| AccessError::Pattern { pattern: pattern.to_owned(), reason };
    if pattern.len() > PATTERN_BYTES {
        return Err(refuse(format!("it has {} bytes, at most {PATTERN_BYTES} are allowed", pattern.len())));
    }
    if pattern.contains('\n') {
        return Err(refuse("it has a newline, and a match never spans lines".to_owned()));
    }
    let source = if options.fixed { regex::escape(pattern) } else { pattern.to_owned() };
    Regex::builder()
        .configure(
            meta::Config::new()
                .utf8_empty(false)
                .nfa_size_limit(Some(PROGRAM_BYTES))
                .hybrid_cache_capacity(PROGRAM_BYTES),
        )
        .syntax(syntax::Config::new().utf8(false).case_insensitive(options.ignore_case))
        .build(&source)
        .map_err(|error| refuse(reason(&error)))
}

/// The crate's message without its drawing of the pattern.
fn reason(error: &meta::BuildError) -> String {
    if error.size_limit().is_some() {
        return format!("it compiles to more than {PROGRAM_BYTES} bytes");
    }
    let text = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
    let last = text.lines().last().unwrap_or_default();
    clip(last.strip_prefix("error: ").unwrap_or(last), 300).to_owned()
}

#[derive(Default)]
struct Found {
    hits: Vec<Hit>,
    /// Most hits that are wanted.
    most: usize,
    total: u64,
    next: Option<Place>,
    late: bool,
    /// Bytes since the last check of the time.
    since: usize,
}

impl Found {
    /// Counts matching lines to the end or until time is up, and records the first ones from `from` on.
    fn all(
        &mut self,
        reader: &mut Reader<'_>,
        regex: &Regex,
        from: Place,
        watch: &Watch<'_>,
    ) -> Result<(), AccessError> {
        let mut pending: Vec<u8> = Vec::new();
        // If the earlier matches were not counted, the search starts at the beginning.
        let (mut line, mut start) = match from.before {
            Some(_) => (from.line, reader.line_start(from.line)?),
            None => (1, 0),
        };
        let mut tested = from.tested as usize;
        let first = if reader.blocks() > 1 { start as usize / BLOCK } else { 0 };
        let mut skipped = start as usize - first * BLOCK;
        for n in first..reader.blocks() {
            if (watch.stop)() {
                return Err(AccessError::Stopped);
            }
            let mut rest = reader.block(n)?.get(skipped..).unwrap_or_default();
            skipped = 0;
            while let Some(newline) = memchr(b'\n', rest) {
                let whole = if pending.is_empty() {
                    &rest[..newline]
                } else {
                    pending.extend_from_slice(&rest[..newline]);
                    &pending[..]
                };
                let text = whole.strip_suffix(b"\r").unwrap_or(whole);
                self.line(regex, text, Hit { line, start, column: 0, before: 0 }, tested, from.line, watch)?;
                if self.late {
                    return Ok(());
                }
                start += whole.len() as u64 + 1;
                line += 1;
                tested = 0;
                pending.clear();
                rest = &rest[newline + 1..];
            }
            pending.extend_from_slice(rest);
        }
        if !pending.is_empty() {
            self.line(regex, &pending, Hit { line, start, column: 0, before: 0 }, tested, from.line, watch)?;
        }
        Ok(())
    }

    /// Tests one line; its first `tested` bytes were tested before.
    fn line(
        &mut self,
        regex: &Regex,
        text: &[u8],
        at: Hit,
        tested: usize,
        from: u64,
        watch: &Watch<'_>,
    ) -> Result<(), AccessError> {
        let mut window = tested.min(text.len());
        loop {
            if self.is_late(text.len() - window, watch)? {
                self.late = true;
                let here = Place { line: at.line, before: Some(self.total), tested: window as u64 };
                self.next.get_or_insert(here);
                return Ok(());
            }
            let end = text.len().min(window + WINDOW_BYTES);
            if let Some(found) = regex.find(Input::new(text).range(window..end)) {
                let hit = Hit { column: found.start() as u64 + 1, before: self.total, ..at };
                self.total += 1;
                if self.hits.len() >= self.most {
                    self.next.get_or_insert(Place { line: hit.line, before: Some(hit.before), tested: 0 });
                } else if hit.line >= from {
                    self.hits.push(hit);
                }
                return Ok(());
            }
            if end == text.len() {
                return Ok(());
            }
            window = end - OVERLAP_BYTES;
        }
    }

    /// Checks the time, but not for every short line. Some text is always searched first.
    fn is_late(&mut self, bytes: usize, watch: &Watch<'_>) -> Result<bool, AccessError> {
        if self.since < CHECK_BYTES {
            self.since += bytes.clamp(16, WINDOW_BYTES);
            return Ok(false);
        }
        self.since = 0;
        if (watch.stop)() {
            return Err(AccessError::Stopped);
        }
        Ok((watch.late)())
    }
}

fn show(reader: &mut Reader<'_>, body: &Body, hit: &Hit, context: usize) -> Result<Match, AccessError> {
    let first = hit.line.saturating_sub(context as u64).max(1);
    let last = (hit.line + context as u64).min(body.lines());
    let before = (first..hit.line).map(|line| beside(reader, line)).collect::<Result<_, _>>()?;
    let bytes = hit.start..reader.line_start(hit.line + 1)?;
    let (text, from, cut) = excerpt(reader, bytes, hit.start + hit.column - 1)?;
    let after = (hit.line + 1..=last).map(|line| beside(reader, line)).collect::<Result<_, _>>()?;
    let text_column = from - hit.start + 1;
    Ok(Match { line: hit.line, column: hit.column, text, text_column, cut, before, after })
}

fn beside(reader: &mut Reader<'_>, line: u64) -> Result<ContextLine, AccessError> {
    let bytes = reader.line_start(line)?..reader.line_start(line + 1)?;
    let focus = bytes.start;
    let (text, _, cut) = excerpt(reader, bytes, focus)?;
    Ok(ContextLine { line, text, cut })
}

/// The line at `bytes` without its line end, or the part of it around `focus`, with the offset of that part and whether it
/// is a part.
fn excerpt(
    reader: &mut Reader<'_>,
    bytes: Range<u64>,
    focus: u64,
) -> Result<(String, u64, bool), AccessError> {
    let mut tail = Vec::new();
    reader.copy(bytes.end.saturating_sub(2).max(bytes.start)..bytes.end, &mut tail)?;
    let terminator = match tail.as_slice() {
        [b'\r', b'\n'] => 2,
        [.., b'\n'] => 1,
        _ => 0,
    };
    let end = bytes.end - terminator;
    let mut part = bytes.start..end;
    if end - bytes.start > LINE_BYTES {
        part.start = focus.saturating_sub(LEAD_BYTES).clamp(bytes.start, end - LINE_BYTES);
        part.end = part.start + LINE_BYTES;
    }
    let cut = part.end - part.start < end - bytes.start;
    let mut out = Vec::new();
    reader.copy(part.clone(), &mut out)?;
    out.truncate(whole_characters(&out));
    let torn = out.iter().take_while(|&&byte| byte & 0xC0 == 0x80).count();
    let text = std::str::from_utf8(&out[torn..]).map_err(|_| AccessError::Unreadable)?;
    Ok((text.to_owned(), part.start + torn as u64, cut))
}
