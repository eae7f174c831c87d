//! Finds the documents in a text: on lines of their own, after a label, or one per line.
//!
//! A document that is not complete and valid in its format stays unchanged. Every line is read a bounded number of
//! times, however broken the text is.

use std::collections::HashSet;
use std::ops::Range;

use super::json::Document;
use super::tape::{self, Kind, NONE, Node};
use super::{Found, Limits, Shown, diagnostics, html, rows, xml, yaml};
use crate::config::Mode;
use crate::detect::{Shape, wrapper};
use crate::input::Input;
use crate::text::ledger::Ledger;
use crate::text::signals;
use crate::{encode, formats};

/// Documents of fewer bytes stay whole.
const MIN_DOCUMENT_BYTES: usize = 512;
/// Documents of fewer bytes stay whole if only empty members would be removed. A choice: from this size on the marker
/// pays.
const MIN_SPARSE_BYTES: usize = 128;
/// Files of fewer bytes stay whole.
const MIN_FILE_BYTES: usize = 16 << 10;
/// Longest label before a document on its line, in bytes. A choice.
const MAX_LABEL_BYTES: usize = 160;
/// Bytes of the head of a long line that reports a failure.
const HEAD_BYTES: usize = 160;
/// The fewest consecutive documents that are a series. A choice.
const MIN_SERIES: usize = 4;

/// All documents in lines that no step changed, in order.
pub(super) fn documents<'a>(
    input: &'a Input<'_>,
    ledger: &Ledger,
    signals: &[usize],
    is_over: bool,
) -> Vec<Found<'a>> {
    let is_file = input.detection.shape == Shape::File;
    // Errors mentioned in a file are not a report, but such items should not be left out first either.
    let quoted =
        if is_file && signals.is_empty() { signals::failure_lines(input.source) } else { Vec::new() };
    let signals = if quoted.is_empty() { signals } else { &quoted };
    let finder = Finder {
        input,
        signals,
        least: match () {
            () if input.policy.drop_empty => MIN_SPARSE_BYTES,
            () if is_file => MIN_FILE_BYTES,
            () => MIN_DOCUMENT_BYTES,
        },
        is_exact: crate::input::is_exact_text(input),
        is_aggressive: input.policy.mode == Mode::Aggressive,
        is_over,
    };
    let mut out = Vec::new();
    // The text around an output is not part of its documents.
    let inside = wrapper::inside(input.source).unwrap_or(0..input.source.len());
    for kept in ledger.kept() {
        let kept = kept.start.max(inside.start)..kept.end.min(inside.end);
        if kept.is_empty() {
            continue;
        }
        if input.source.byte_range(kept.clone()).len() >= finder.least {
            finder.find_documents(kept, &mut out);
        }
    }
    out
}

/// Whether the text is known to be YAML: by the command, the path, or the first lines of a manifest.
pub(super) fn is_yaml(input: &Input<'_>, first: &str) -> bool {
    const WORDS: &[&str] = &["yaml", "yml", "helm get", "helm template", "compose config", "kustomize"];
    let command = input.call.command.as_deref().unwrap_or_default();
    let path = input.call.path.as_deref().unwrap_or_default();
    let manifest = ["apiVersion:", "- apiVersion:", "---", "openapi:", "AWSTemplateFormatVersion:"];
    WORDS.iter().any(|word| command.contains(word) || path.contains(word))
        || manifest.iter().any(|start| first.starts_with(start))
}

/// The context of the search.
pub(super) struct Finder<'a, 'i, 's> {
    pub(super) input: &'a Input<'i>,
    pub(super) signals: &'s [usize],
    pub(super) least: usize,
    /// Whether white space must stay.
    pub(super) is_exact: bool,
    pub(super) is_aggressive: bool,
    /// Whether a limit would cut the text.
    pub(super) is_over: bool,
}

impl<'a> Finder<'a, '_, '_> {
    /// The documents in some lines. Each format is tried where the earlier ones found nothing.
    fn find_documents(&self, kept: Range<usize>, out: &mut Vec<Found<'a>>) {
        let before = out.len();
        // Numbers before lines are line numbers, not data; numbers before fields of a table are data.
        if self.input.detection.is_numbered {
            if self.is_aggressive {
                out.extend(self.csv(kept));
            }
            return;
        }
        self.json(kept.clone(), out);
        if out.len() == before {
            self.markup(kept.clone(), out);
        }
        let is_shortened = self.is_aggressive || self.is_over || self.input.policy.drop_empty;
        if out.len() == before && is_shortened {
            out.extend(self.yaml(kept.clone()));
        }
        if out.len() == before && self.is_aggressive {
            out.extend(self.csv(kept.clone()));
        }
        if out.len() == before && self.is_aggressive && !self.is_exact {
            self.tables(kept, out);
        }
    }

    /// XML documents, and HTML pages if parts of them may be left out.
    fn markup(&self, kept: Range<usize>, out: &mut Vec<Found<'a>>) {
        let (source, input) = (self.input.source, self.input);
        let mut line = kept.start;
        if memchr::memchr(b'<', source.slice(kept.clone()).as_bytes()).is_none() {
            return;
        }
        while line < kept.end {
            let first = source.line(line);
            if !first.starts_with('<') {
                line += 1;
                continue;
            }
            if html::is_page(first) {
                if self.is_aggressive && !self.is_exact {
                    out.push(self.page(line, kept.end));
                }
                return;
            }
            match formats::xml::find(source, line..kept.end) {
                Err(next) => line = next,
                Ok(found) => {
                    line = found.lines.end;
                    let is_small = source.byte_range(found.lines.clone()).len() < self.least;
                    if is_small || formats::xml::only_wraps(source.text(), &found.nodes, wrapper::is_holder) {
                        continue;
                    }
                    let is_dense = !self.is_exact && formats::xml::is_data(source.text(), &found.nodes);
                    let exact = self.exact(&found.lines);
                    let mut document =
                        xml::Document::new(source.text(), found.nodes, exact, input.relevance, is_dense);
                    let write = move |limits: Limits| Some(document.write(limits).into());
                    out.push(Found { lines: found.lines, write: Box::new(write) });
                }
            }
        }
    }

    fn page(&self, line: usize, end: usize) -> Found<'a> {
        let (source, about) = (self.input.source, self.input.relevance);
        let ends = |i: &usize| {
            let text = source.line(*i);
            memchr::memmem::find(text.as_bytes(), b"</html>").is_some()
        };
        let lines = line..(line..end).find(ends).map_or(end, |last| last + 1);
        let bytes = source.byte_range(lines.clone());
        let page = bytes.start..bytes.start + source.text()[bytes].trim_end().len();
        let exact = self.exact(&lines);
        let write = move |limits: Limits| {
            Some(html::write(source.text(), page.clone(), &exact, limits, about).into())
        };
        Found { lines, write: Box::new(write) }
    }

    fn yaml(&self, kept: Range<usize>) -> Option<Found<'a>> {
        let source = self.input.source;
        let first = (kept.clone()).find(|i| !source.line(*i).trim().is_empty())?;
        if memchr::memchr(b':', source.slice(kept.clone()).as_bytes()).is_none()
            || !is_yaml(self.input, source.line(first)) && !yaml::is_certain(source, kept.clone())
        {
            return None;
        }
        let must = self.signals.iter().copied().filter(|line| kept.contains(line)).collect();
        let document = yaml::Document::read(source, kept.clone(), must, self.input.relevance)?;
        let document = document.sparse(self.input.policy.drop_empty);
        let write = move |limits: Limits| Some(document.write(limits).into());
        Some(Found { lines: kept, write: Box::new(write) })
    }

    /// Whether one of some lines reports a failure.
    fn fails(&self, lines: Range<usize>) -> bool {
        let first = self.signals.partition_point(|line| *line < lines.start);
        self.signals.get(first).is_some_and(|line| *line < lines.end)
    }

    fn csv(&self, kept: Range<usize>) -> Option<Found<'a>> {
        let source = self.input.source;
        let end = (kept.clone()).rev().find(|i| !source.line(*i).is_empty())? + 1;
        let lines: Vec<&str> = (kept.start..end).map(|i| source.line(i)).collect();
        let must = |range: Range<usize>| self.fails(range.start + kept.start..range.end + kept.start);
        let table = rows::csv(&lines, &must, self.input.relevance)?;
        let write = move |limits: Limits| Some(table.write(limits).into());
        Some(Found { lines: kept.start..end, write: Box::new(write) })
    }

    fn tables(&self, kept: Range<usize>, out: &mut Vec<Found<'a>>) {
        let source = self.input.source;
        let bytes = source.slice(kept.clone()).as_bytes();
        if memchr::memmem::find(bytes, b"--").is_none()
            && memchr::memmem::find(bytes, "──".as_bytes()).is_none()
        {
            return;
        }
        let lines: Vec<&str> = kept.clone().map(|i| source.line(i)).collect();
        let mut squeezed: Option<Vec<String>> = None;
        let mut at = 0;
        while at < lines.len() {
            // A table is a paragraph of its own.
            let len = lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
            let part = &lines[at..at + len];
            if len > 8 {
                let written = |i: usize| match &squeezed {
                    Some(rows) => rows[at + i].clone(),
                    None => part[i].to_owned(),
                };
                let must = |r: Range<usize>| self.fails(kept.start + at + r.start..kept.start + at + r.end);
                if rows::bars(part, &written, &must, self.input.relevance).is_some() {
                    let all = squeezed.get_or_insert_with(|| encode::squeezed(&lines));
                    let written = |i: usize| all[at + i].clone();
                    if let Some((range, table)) = rows::bars(part, &written, &must, self.input.relevance) {
                        let lines = kept.start + at + range.start..kept.start + at + range.end;
                        let write = move |limits: Limits| Some(table.write(limits).into());
                        out.push(Found { lines, write: Box::new(write) });
                    }
                }
            }
            at += len + 1;
        }
    }

    fn json(&self, kept: Range<usize>, out: &mut Vec<Found<'a>>) {
        let source = self.input.source;
        let looks_behind_labels = self.is_aggressive && !self.is_exact;
        let starts_otherwise = |b: &u8| b.is_ascii_graphic() && !matches!(b, b'{' | b'[');
        let mut line = kept.start;
        while line < kept.end {
            let text = source.line(line);
            if !looks_behind_labels && text.as_bytes().first().is_none_or(starts_otherwise) {
                line += 1;
                continue;
            }
            let first = text.trim_start();
            if first.starts_with('{')
                && let Some(found) = self.series(line, kept.end)
            {
                line = found.lines.end;
                out.push(found);
                continue;
            }
            if first.starts_with(['{', '[']) {
                match self.value(line, kept.clone()) {
                    Ok((end, found)) => {
                        out.extend(found);
                        line = end;
                    }
                    Err(next) => line = next,
                }
                continue;
            }
            out.extend(self.labelled(line));
            line += 1;
        }
    }

    /// The document that starts on a line and ends at a line end: the next line, and the document unless it is small.
    /// Otherwise the line at which to continue.
    fn value(&self, line: usize, kept: Range<usize>) -> Result<(usize, Option<Found<'a>>), usize> {
        let source = self.input.source;
        let indent = encode::indentation(source.line(line));
        let start = source.byte_range(line..line + 1).start + indent;
        let end = source.byte_range(line..kept.end).end;
        let text = &source.text()[..end];
        let strict = tape::read(text, start, false);
        let is_loose = strict.is_err() && self.is_aggressive;
        let read = if is_loose { tape::read(text, start, true) } else { strict };
        let nodes = match read {
            Ok(nodes) => nodes,
            Err(at) => match source.line_at(at.min(end - 1)) {
                broken if broken <= line => return Err(line + 1),
                broken => return Err(encode::end_of_broken(source, broken..kept.end, indent)),
            },
        };
        let behind = nodes[0].end as usize;
        let lines = line..source.line_at(behind - 1) + 1;
        let rest = &text[behind..source.byte_range(lines.clone()).end];
        if !rest.trim().is_empty() || !encode::stands_alone(source, &kept, &lines) {
            return Err(lines.end);
        }
        let is_small = behind - start < self.least || nodes.len() < 8 && behind - start < 2 * self.least;
        let end = lines.end;
        Ok((end, (!is_small).then(|| self.document(lines, nodes, is_loose))))
    }

    /// A document after a label, up to the end of its line.
    fn labelled(&self, line: usize) -> Option<Found<'a>> {
        let source = self.input.source;
        let text = source.line(line);
        if text.len() < 2 * self.least || !self.is_aggressive || self.is_exact {
            return None;
        }
        let head = &text.as_bytes()[..text.len().min(MAX_LABEL_BYTES)];
        let at = head.windows(2).position(|w| matches!(w, [b'{' | b'[', b'"' | b'\'' | b'{' | b'[']))?;
        if !text[..at].ends_with([' ', ':', '\t']) || text[..at].contains(['=', '(', '"', '`']) {
            return None;
        }
        let start = source.byte_range(line..line + 1).start + at;
        let end = start + text.len() - at;
        let whole = &source.text()[..end];
        let (nodes, is_loose) = match tape::read(whole, start, false) {
            Ok(nodes) => (nodes, false),
            Err(_) => (tape::read(whole, start, true).ok()?, true),
        };
        let is_whole = whole[nodes[0].end as usize..].trim().is_empty();
        is_whole.then(|| self.document(line..line + 1, nodes, is_loose))
    }

    /// Consecutive objects, one per line.
    fn series(&self, line: usize, end: usize) -> Option<Found<'a>> {
        let source = self.input.source;
        let is_object = |i: usize| {
            let text = source.line(i).trim();
            text.starts_with('{') && text.ends_with('}')
        };
        // Events of `go test` about failed tests stay as their reducer left them.
        let is_event =
            source.line(line).contains("\"Action\":\"") && source.line(line).contains("\"Package\":\"");
        if !(line..(line + MIN_SERIES).min(end)).all(is_object) || line + MIN_SERIES > end || is_event {
            return None;
        }
        let start = source.byte_range(line..line + 1).start;
        let root = Node {
            start: start as u32,
            end: 0,
            next: 0,
            parent: NONE,
            children: 0,
            kind: Kind::Array,
            must: false,
        };
        let mut nodes = vec![root];
        let mut last = line;
        while last < end && is_object(last) {
            let range = source.byte_range(last..last + 1);
            let from = range.start + encode::indentation(source.line(last));
            let Ok(read) = tape::read(&source.text()[..range.end], from, false) else { break };
            if !source.text()[read[0].end as usize..range.end].trim().is_empty() {
                break;
            }
            let base = nodes.len() as u32;
            nodes[0].end = read[0].end;
            nodes[0].children += 1;
            nodes.extend(read.into_iter().map(|node| Node {
                next: node.next + base,
                parent: if node.parent == NONE { 0 } else { node.parent + base },
                ..node
            }));
            last += 1;
        }
        nodes[0].next = nodes.len() as u32;
        if last - line < MIN_SERIES || source.byte_range(line..last).len() < self.least {
            return None;
        }
        let mut document = self.of_nodes(&(line..last), nodes, false);
        let write = move |limits: Limits| Some(document.write_series(limits).into());
        Some(Found { lines: line..last, write: Box::new(write) })
    }

    fn document(&self, lines: Range<usize>, nodes: Vec<Node>, is_loose: bool) -> Found<'a> {
        let source = self.input.source;
        let mut document = self.of_nodes(&lines, nodes, is_loose);
        let bytes = source.byte_range(lines.clone());
        let before = &source.text()[bytes.start..document.range().start];
        let write = move |limits: Limits| {
            let mut written = document.write(limits);
            written.text.insert_str(0, before);
            Some(written.into())
        };
        Found { lines, write: Box::new(write) }
    }

    fn of_nodes(&self, lines: &Range<usize>, nodes: Vec<Node>, is_loose: bool) -> Document<'a> {
        let input = self.input;
        let mut exact = self.exact(lines);
        let errors = diagnostics::errors(input.source.text(), &nodes);
        if !errors.is_empty() {
            exact.extend(errors);
            exact = diagnostics::joined(exact);
        }
        // In loose formats, comments and layout may matter.
        let is_pretty = self.is_exact || (is_loose && lines.len() > 1);
        Document::new(input.source.text(), nodes, exact, input.relevance, is_pretty, input.policy.drop_empty)
    }

    /// The parts of some lines that must stay: failure lines, and of long lines the part about the failure. Lines that an
    /// earlier result showed need not stay.
    pub(super) fn exact(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let source = self.input.source;
        let mut out = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut add = |range: Range<usize>, out: &mut Vec<Range<usize>>| {
            if seen.insert(&source.text()[range.clone()]) {
                out.push(range);
            }
        };
        let reports = self.input.detection.reports_failures();
        let first = self.signals.partition_point(|line| *line < lines.start);
        let mut signals = self.signals[first..].iter().take_while(|line| **line < lines.end).peekable();
        let mut long =
            (lines.clone()).filter(|i| reports && source.raw(*i).len() > signals::LONG_LINE_BYTES).peekable();
        loop {
            let next = match (signals.peek(), long.peek()) {
                (Some(a), Some(b)) => (**a).min(*b),
                (Some(a), None) => **a,
                (None, Some(b)) => *b,
                (None, None) => return out,
            };
            signals.next_if(|line| **line == next);
            long.next_if(|line| *line == next);
            let text = source.line(next);
            let start = source.byte_range(next..next + 1).start;
            if text.len() > signals::LONG_LINE_BYTES {
                let blank = text.len() - text.trim_start().len();
                let mut head = 0;
                if lines.len() > 1 && self.fails(next..next + 1) {
                    // The start of the line names its topic.
                    head = text.floor_char_boundary(blank + HEAD_BYTES);
                    add(start + blank..start + head, &mut out);
                }
                for excerpt in signals::excerpts(text).into_iter().filter(|excerpt| excerpt.end > head) {
                    add(start + excerpt.start..start + excerpt.end, &mut out);
                }
            } else {
                let blank = text.len() - text.trim_start().len();
                add(start + blank..start + blank + text.trim().len(), &mut out);
            }
        }
    }
}

impl From<super::json::Written> for Shown {
    fn from(written: super::json::Written) -> Self {
        let super::json::Written { text, omitted, reason } = written;
        Shown { text, omitted, reason }
    }
}
