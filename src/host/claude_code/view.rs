//! Views of files by `Read`.
//!
//! The host numbers the lines of a view after the hook, from `startLine` on. So a view whose lines the model has seen
//! is shortened only at its ends. The hook's additional context, which the model reads with the result, names the
//! omitted lines. Lines between two kept lines are kept too, whether or not the model has seen them.
//!
//! The outline of a long file is not such a window. It is answered as a notebook of one cell, whose text the host
//! passes on as it is. It is not put into the additional context, because the host presents that as its own words,
//! and the lines of a file must not look like that. Edits are checked against the file, so they work in all of it.
//!
//! If the lines of a view were shown before and did not change, the host may replace them by a short text that
//! points to the earlier result. If tersed had left out lines of that result, the model gets them now.

use serde_json::{Map, Value, json};

use super::read as read_file;
use crate::encode::dictionary;
use crate::host::event::Event;
use crate::host::replace::{View, compress_view, redacted_again};
use crate::host::{Host, ShortView};
use crate::sanitize::secrets;
use crate::telemetry::counts;
use crate::text::marker::{self, Marker};
use crate::text::reason::Reason;
use crate::tokens::counter;

/// Bytes that must be left out beyond what the context costs.
const MIN_SAVED_BYTES: usize = 200;
/// The name of the cell that holds an outline, as the model reads it.
const OUTLINE: &str = "outline";
/// Lines that the host reads if the call sets no limit.
const DEFAULT_LIMIT: usize = 2000;

/// A view that replaces the host's own.
pub(super) struct Replaced {
    /// The tool's result.
    pub(super) output: Value,
    /// Text that the model gets in addition to it.
    pub(super) context: Option<String>,
}

/// The replacement of a result of `Read`, or `Some(None)` if it stays; `None` if no version of the host is known to
/// send such a shape.
pub(super) fn reply(host: &Host, event: &Event, response: &Map<String, Value>) -> Option<Option<Replaced>> {
    let file = response.get("file")?.as_object()?;
    match response.get("type")?.as_str()? {
        "text" => text(host, event, response, file),
        "file_unchanged" => asked(event, file).map(|key| unchanged(host, event, key)),
        _ => None,
    }
}

/// The texts of a view or of an outline, in the shape of the host.
pub(super) fn texts(response: &mut Value) -> Vec<&mut Value> {
    let is_text = |value: &&mut Value| value.is_string() || value.is_null();
    let Some(file) = response.get_mut("file").and_then(Value::as_object_mut) else { return Vec::new() };
    if file.contains_key("cells") {
        let cells = file.get_mut("cells").and_then(Value::as_array_mut).into_iter().flatten();
        return cells.filter_map(|cell| cell.get_mut("source")).filter(is_text).collect();
    }
    file.get_mut("content").filter(is_text).into_iter().collect()
}

/// Identifies a view: the lines that the model requested, in its context.
fn asked(event: &Event, file: &Map<String, Value>) -> Option<ShortView> {
    let number = |name: &str| event.tool_input.get(name).and_then(Value::as_u64);
    let path = file.get("filePath")?.as_str()?.to_owned();
    Some(ShortView { context: event.context(), path, offset: number("offset"), limit: number("limit") })
}

/// `{type: "text", file: {filePath, content, numLines, startLine, totalLines}}`
fn text(
    host: &Host,
    event: &Event,
    response: &Map<String, Value>,
    file: &Map<String, Value>,
) -> Option<Option<Replaced>> {
    let content = file.get("content")?.as_str()?;
    let start = usize::try_from(file.get("startLine")?.as_u64()?).ok()?;
    let key = asked(event, file)?;
    Some(shown(host, event, response, file, &Source::new(content, start), key))
}

/// The view without lines that the model has seen.
fn shown(
    host: &Host,
    event: &Event,
    response: &Map<String, Value>,
    file: &Map<String, Value>,
    source: &Source<'_>,
    key: ShortView,
) -> Option<Replaced> {
    let start = source.start;
    host.view_is_whole(&key);
    let (shown, held) =
        counts::held(|| compress_view(host, event, &json!(source.numbered()), View::Outlined));
    let Some(Value::String(shown)) = shown else {
        host.engine().count_held(held);
        return None;
    };
    let shown = shown.as_str();
    if is_outline(shown) && shown.len() + MIN_SAVED_BYTES <= source.numbered_bytes() {
        let output = cell(host, &key.path, shown);
        host.view_is_short(key);
        host.engine().count_held(held);
        return Some(Replaced { output, context: None });
    }
    let lines = source.safe(host, event);
    let window = Window::worth(shown, source);
    let (first, last, context) = match window {
        Some(window) => {
            let (first, last) = window.kept;
            let context = window.context(start, &key.path);
            let view = numbered(&source.lines[first..=last].join("\n"), start + first);
            let tokens =
                counter(host.engine().policy_in_force().tokenizer).count(&format!("{view}{context}"));
            host.engine().count_held(held.shown_as(Some(tokens)));
            host.view_is_short(key);
            (first, last, Some(context))
        }
        None => {
            host.engine().count_held(held.shown_as(None));
            (0, source.lines.len() - 1, None)
        }
    };
    let shown = &lines[first..=last];
    if context.is_none() && shown == source.lines.as_slice() {
        return None;
    }
    let mut file = file.clone();
    file.insert("content".to_owned(), json!(shown.join("\n")));
    file.insert("startLine".to_owned(), json!(start + first));
    file.insert("numLines".to_owned(), json!(shown.len()));
    let mut output = response.clone();
    output.insert("file".to_owned(), Value::Object(file));
    Some(Replaced { output: Value::Object(output), context })
}

/// `{type: "file_unchanged", file: {filePath}}`: the host points to an earlier result that was shown short.
fn unchanged(host: &Host, event: &Event, key: ShortView) -> Option<Replaced> {
    if !host.view_is_whole(&key) {
        return None;
    }
    let whole = read_file(&key.path).ok()?;
    // The host also removes a byte order mark.
    let whole = whole.strip_prefix('\u{feff}').unwrap_or(&whole);
    let all: Vec<&str> = whole.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let number = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
    let start = number(key.offset).unwrap_or(1).max(1);
    let count = number(key.limit).unwrap_or(DEFAULT_LIMIT);
    let rest = all.get(start - 1..)?;
    let content = rest[..count.min(rest.len())].join("\n");
    let source = Source::new(&content, start);
    // Records in the session that all requested lines are shown.
    let (_, held) = counts::held(|| compress_view(host, event, &json!(source.numbered()), View::Unoutlined));
    host.engine().count_held(held.shown_as(None));
    let lines = source.safe(host, event);
    let output = json!({
        "type": "text",
        "file": {
            "filePath": key.path,
            "content": lines.join("\n"),
            "numLines": lines.len(),
            "startLine": start,
            "totalLines": all.len(),
        }
    });
    Some(Replaced { output, context: None })
}

/// Whether bodies of declarations were left out.
fn is_outline(answer: &str) -> bool {
    answer.lines().any(|line| {
        let reasons = [Reason::FileBody.code(), Reason::SameOutline.code()];
        let Some((Marker::Lines { reason: Some(reason), .. }, _)) = Marker::parse(line) else { return false };
        reasons.contains(&reason.as_str())
    })
}

/// A result with this text of tersed in place of the lines of a file.
///
/// The host writes a tag before and after it. Its seal is made for the text with them, so that a gateway between the
/// host and its model recognizes the text as sealed by tersed.
fn cell(host: &Host, path: &str, text: &str) -> Value {
    let (open, close) = (format!("<cell id=\"{OUTLINE}\">"), format!("</cell id=\"{OUTLINE}\">"));
    let mut whole = format!("{open}\n{text}{close}");
    marker::seal(&mut whole, &host.engine().seal_key());
    let source = whole.strip_prefix(&open).and_then(|rest| rest.strip_suffix(&close)).unwrap_or(text);
    // For a cell of this type and language, the host writes neither type nor language next to the text.
    json!({
        "type": "notebook",
        "file": {
            "filePath": path,
            "cells": [{ "cellType": "code", "cell_id": OUTLINE, "language": "python", "source": source }],
        }
    })
}

/// The lines of a file from `start` on, in the form in which sessions record a view.
pub fn numbered(content: &str, start: usize) -> String {
    Source::new(content, start).numbered()
}

/// The view and the context that the model would get if this is a session's answer to [`numbered`]; `None` if the
/// view would stay unchanged.
pub fn shortened(content: &str, start: usize, path: &str, answer: &str) -> Option<String> {
    let source = Source::new(content, start);
    if is_outline(answer) && answer.len() + MIN_SAVED_BYTES <= source.numbered_bytes() {
        return Some(answer.to_owned());
    }
    let window = Window::worth(answer, &source)?;
    let (first, last) = window.kept;
    let shown = numbered(&source.lines.get(first..=last)?.join("\n"), start + first);
    Some(format!("{shown}{}", window.context(start, path)))
}

/// The lines of a view.
struct Source<'t> {
    content: &'t str,
    lines: Vec<String>,
    /// The number of the first one.
    start: usize,
}

impl<'t> Source<'t> {
    fn new(content: &'t str, start: usize) -> Self {
        Self { content, lines: content.split('\n').map(str::to_owned).collect(), start }
    }

    /// The text as `cat -n` shows it, which is the form in which sessions record views.
    fn numbered(&self) -> String {
        // The host counts the end of the last line as a line.
        let count = self.lines.len()
            - usize::from(self.lines.len() > 1 && self.lines.last().is_some_and(String::is_empty));
        let line = |(n, line): (usize, &String)| format!("{n:>6}\t{line}\n");
        (self.start..).zip(&self.lines[..count]).map(line).collect()
    }

    /// Bytes of the lines as the host shows them: with numbers, but no blanks before them.
    fn numbered_bytes(&self) -> usize {
        let digits = |number: usize| number.checked_ilog10().map_or(1, |log| log as usize + 1);
        (self.start..).zip(&self.lines).map(|(number, line)| digits(number) + 1 + line.len() + 1).sum()
    }

    /// The lines without secrets and with look-alikes of markers escaped; their number does not change.
    fn safe(&self, host: &Host, event: &Event) -> Vec<String> {
        let mut text = self.content.to_owned();
        if let Some(Value::String(redacted)) = redacted_again(host, event, &json!(self.content)) {
            text = match redacted.split('\n').count() == self.lines.len() {
                true => redacted,
                false => with_line_ends(self.content),
            };
        }
        if let Some((escaped, _)) = marker::escape(&text, |_| false, dictionary::is_own) {
            text = escaped;
        }
        text.split('\n').map(str::to_owned).collect()
    }

    /// Bytes of the lines before and after a window.
    fn bytes_outside(&self, window: &Window) -> usize {
        let (first, last) = window.kept;
        self.lines[..first].iter().chain(&self.lines[last + 1..]).map(|line| line.len() + 1).sum()
    }
}

/// The text without secrets. A removed secret of several lines leaves its line ends, so that later line numbers stay
/// right.
fn with_line_ends(text: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for found in secrets::find(text.as_bytes()) {
        let (Some(before), Some(value)) = (text.get(at..found.start), text.get(found.start..found.end))
        else {
            continue;
        };
        out.push_str(before);
        out.push_str(&format!("[REDACTED:{}]", found.rule));
        out.extend(value.bytes().filter(|b| *b == b'\n').map(char::from));
        at = found.end;
    }
    out + text.get(at..).unwrap_or_default()
}

/// The part of a view that is shown.
struct Window {
    /// Indexes of its first and its last line.
    kept: (usize, usize),
    /// The markers for the lines before and after it.
    markers: Vec<String>,
}

impl Window {
    /// Reads an answer to `Source::numbered`; `None` if a line of it is neither a marker nor a line of the view.
    fn read(answer: &str, source: &Source<'_>) -> Option<Self> {
        let mut kept: Option<(usize, usize)> = None;
        // Markers before the first line, and after the last one that was read so far.
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        let mut origin = None;
        for line in answer.lines() {
            if let Some((marker, _)) = Marker::parse(line).filter(|(_, len)| *len == line.len()) {
                // The reference that it continues may be between kept lines.
                let marker = match marker {
                    Marker::There { first, last, there } => {
                        let (origin, ago) = origin.clone()?;
                        Marker::Shown { first, last, there, origin, ago }
                    }
                    marker => marker,
                };
                // "there" continues the last reference of a marker.
                if let Some(Marker::Shown { origin: from, ago, .. }) =
                    marker.references().iter().rfind(|one| matches!(one, Marker::Shown { .. }))
                {
                    origin = Some((from.clone(), *ago));
                }
                if kept.is_none() { &mut before } else { &mut behind }.push(marker.write());
                continue;
            }
            let (number, _) = line.trim_start().split_once('\t')?;
            let index = number.parse::<usize>().ok()?.checked_sub(source.start)?;
            if index >= source.lines.len() || kept.is_some_and(|(_, last)| index <= last) {
                return None;
            }
            kept = Some((kept.map_or(index, |(first, _)| first), index));
            behind.clear();
        }
        before.append(&mut behind);
        // A view without new lines keeps its first line: the host would call an empty view an empty file.
        (!before.is_empty()).then_some(Self { kept: kept.unwrap_or((0, 0)), markers: before })
    }

    /// This window, if it saves enough.
    fn worth(answer: &str, source: &Source<'_>) -> Option<Self> {
        Self::read(answer, source)
            .filter(|window| source.bytes_outside(window) >= window.context_bytes() + MIN_SAVED_BYTES)
    }

    /// The context for the model, beside a view that starts at this line.
    fn context(&self, start: usize, path: &str) -> String {
        let (first, last) = self.kept;
        let lines = match first == last {
            true => format!("line {} is", start + first),
            false => format!("lines {}-{} are", start + first, start + last),
        };
        // The host may put several of these together, away from the results.
        format!("Read of {path}: only {lines} shown.\n{}", self.markers.join("\n"))
    }

    /// Bytes of the context.
    fn context_bytes(&self) -> usize {
        self.markers.iter().map(|marker| marker.len() + 1).sum()
    }
}
