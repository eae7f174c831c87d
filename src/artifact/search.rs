//! Searches the lines of an artifact.
//!
//! One pass over the blocks, one pattern test a line, in linear time; a match never spans lines. What comes
//! back is text of the artifact and nothing else: a long line is cut around the match, without dots, and the
//! columns say where. Only the longest line, not the artifact, has to be in memory at once.

use std::ops::Range;

use memchr::memchr;
use regex::bytes::{Regex, RegexBuilder};

use super::body::{Body, Reader};
use super::read::whole_characters;
use super::{AccessError, Media, clip};

/// What to look for besides the pattern, and how much of it comes at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// Upper and lower case are the same.
    pub ignore_case: bool,
    /// The pattern is a text, not a regular expression.
    pub fixed: bool,
    /// Lines shown before and after a match, at most [`SearchOptions::MAX_CONTEXT`]. Default 0.
    pub context: usize,
    /// Most matching lines on a page, 1 to [`SearchOptions::MAX_MATCHES`]; more is taken as that. Default 50.
    pub max_matches: usize,
    /// Most bytes of text on a page, 1 to 1 MiB; one match with its context always fits. Default 64 KiB.
    pub max_bytes: usize,
    /// `next_cursor` of the page before; none for the first.
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

/// A line beside a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextLine {
    /// Number of the line, 1-based.
    pub line: u64,
    /// The line without its terminator, or the beginning of a long one.
    pub text: String,
    /// Whether `text` is not the whole line.
    pub cut: bool,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Number of the line, 1-based.
    pub line: u64,
    /// Where in the line the first match starts: bytes, 1-based.
    pub column: u64,
    /// The line without its terminator, or the part of a long one around the match.
    pub text: String,
    /// Where in the line `text` starts: bytes, 1-based.
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
    /// Number of matching lines in the whole artifact.
    pub total_matches: u64,
    /// Where the next page starts; none on the last.
    pub next_cursor: Option<String>,
}

/// Longest part of a line that is shown, in bytes.
pub(super) const LINE_BYTES: u64 = 500;
/// How much of it lies before the match, so that a reader sees where it stands.
const LEAD_BYTES: u64 = 120;
/// Longest pattern in bytes.
const PATTERN_BYTES: usize = 4 << 10;
/// Bound on a compiled pattern and on its search cache, in bytes each: keeps the cost per byte of text low.
const PROGRAM_BYTES: usize = 1 << 20;

/// A line that matches, as offsets in the artifact.
struct Hit {
    line: u64,
    start: u64,
    column: u64,
}

pub(super) fn search(
    body: &Body,
    media: &Media,
    pattern: &str,
    options: &SearchOptions,
    stop: &dyn Fn() -> bool,
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
    let from = options.cursor.as_deref().map_or(Ok(1), |cursor| line_of(cursor, body.lines()))?;
    let mut reader = Reader::new(body);
    let most = options.max_matches.min(SearchOptions::MAX_MATCHES);
    let found = find(&mut reader, &regex, from, most, stop)?;
    let mut next = found.next;
    let mut matches: Vec<Match> = Vec::new();
    let mut room = options.max_bytes.min(SearchOptions::MAX_BYTES);
    for hit in &found.hits {
        let shown = show(&mut reader, body, hit, options.context.min(SearchOptions::MAX_CONTEXT))?;
        let beside = shown.before.iter().chain(&shown.after).map(|line| line.text.len());
        let size = shown.text.len() + beside.sum::<usize>();
        if size > room && !matches.is_empty() {
            next = Some(hit.line);
            break;
        }
        room = room.saturating_sub(size);
        matches.push(shown);
    }
    let next_cursor = next.map(|line| format!("l{line}"));
    Ok(SearchResult { matches, total_matches: found.total, next_cursor })
}

/// A cursor is the number of the next matching line.
fn line_of(cursor: &str, lines: u64) -> Result<u64, AccessError> {
    let digits = cursor.strip_prefix('l').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .filter(|line| (1..=lines).contains(line))
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
    RegexBuilder::new(&source)
        .case_insensitive(options.ignore_case)
        .size_limit(PROGRAM_BYTES)
        .dfa_size_limit(PROGRAM_BYTES)
        .build()
        .map_err(|error| refuse(reason(&error)))
}

/// The crate's message without the drawing of the pattern, which the caller already has.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => format!("it compiles to more than {limit} bytes"),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            clip(last.strip_prefix("error: ").unwrap_or(last), 300).to_owned()
        }
    }
}

#[derive(Default)]
struct Found {
    hits: Vec<Hit>,
    total: u64,
    next: Option<u64>,
}

impl Found {
    fn test(&mut self, regex: &Regex, line: &[u8], hit: impl FnOnce(u64) -> Hit, wanted: (u64, usize)) {
        let (from, most) = wanted;
        if self.hits.len() >= most {
            if regex.is_match(line) {
                self.total += 1;
                self.next.get_or_insert_with(|| hit(1).line);
            }
            return;
        }
        let Some(found) = regex.find(line) else { return };
        self.total += 1;
        let hit = hit(found.start() as u64 + 1);
        if hit.line >= from {
            self.hits.push(hit);
        }
    }
}

/// Counts all matching lines, and notes the first `most` from line `from` on.
fn find(
    reader: &mut Reader<'_>,
    regex: &Regex,
    from: u64,
    most: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Found, AccessError> {
    let mut found = Found::default();
    let mut pending: Vec<u8> = Vec::new();
    let (mut line, mut start) = (1, 0);
    for n in 0..reader.blocks() {
        if stop() {
            return Err(AccessError::Stopped);
        }
        let mut rest = reader.block(n)?;
        while let Some(newline) = memchr(b'\n', rest) {
            let whole = if pending.is_empty() {
                &rest[..newline]
            } else {
                pending.extend_from_slice(&rest[..newline]);
                &pending[..]
            };
            let len = whole.len() as u64 + 1;
            let text = whole.strip_suffix(b"\r").unwrap_or(whole);
            found.test(regex, text, |column| Hit { line, start, column }, (from, most));
            pending.clear();
            rest = &rest[newline + 1..];
            line += 1;
            start += len;
        }
        pending.extend_from_slice(rest);
    }
    if !pending.is_empty() {
        found.test(regex, &pending, |column| Hit { line, start, column }, (from, most));
    }
    Ok(found)
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

/// The line at `bytes` without its terminator, or the part of it around `focus`; with the offset where that
/// starts, and whether it is a part.
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
