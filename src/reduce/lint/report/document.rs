//! Finds the JSON document of a linter in a text, and its findings in the document, each with its range of bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::tools::{TOOLS, Tool};
use crate::text::source::Source;

/// One finding.
#[derive(Debug)]
pub struct Finding {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// The file.
    pub path: String,
    /// Line and column, as the document has them.
    pub place: String,
    /// Severity, rule and message.
    pub message: String,
    /// Whether the tool calls it an error.
    pub is_error: bool,
}

/// A file in a report by files.
#[derive(Debug)]
pub struct File {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Its findings, by their place in the report.
    pub findings: Range<usize>,
}

/// A report.
#[derive(Debug)]
pub struct Report {
    /// Its lines.
    pub lines: Range<usize>,
    /// Whether each finding is a line of a series of objects, and not a part of one document.
    pub is_series: bool,
    /// The linter that wrote it.
    pub tool: &'static Tool,
    /// The findings, in order.
    pub findings: Vec<Finding>,
    /// The files, if the report lists them.
    pub files: Vec<File>,
}

/// The document must start within this many lines from the start.
const HEAD_LINES: usize = 60;
/// Severities that are errors.
const ERRORS: &[&str] =
    &["2", "error", "fatal", "critical", "high", "Error", "ERROR", "FATAL", "CRITICAL", "HIGH"];

type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The report in a text.
pub fn read(source: &Source<'_>) -> Option<Report> {
    let starts =
        |line: &str| line.starts_with("{\"") || line.starts_with("[{") || matches!(line, "[" | "{" | "[ {");
    let first = (0..source.len().min(HEAD_LINES)).find(|&i| starts(source.line(i).trim_end()))?;
    series(source, first).or_else(|| document(source, first))
}

/// Offset of a part in the text that it was borrowed from.
fn offset(text: &str, part: &RawValue) -> Range<usize> {
    let start = (part.get().as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    start..start.wrapping_add(part.get().len())
}

/// One object per line.
fn series(source: &Source<'_>, first: usize) -> Option<Report> {
    let mut report: Option<Report> = None;
    for i in first..source.len() {
        let line = source.line(i).trim_end();
        if !line.starts_with("{\"") || !line.ends_with('}') {
            report.as_ref()?;
            continue;
        }
        let start = source.byte_range(i..i + 1).start;
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let tool = match &report {
            Some(report) => report.tool,
            None => TOOLS
                .iter()
                .find(|tool| tool.list.is_empty() && tool.by_file.is_none() && tool.fits(&value))?,
        };
        if !tool.fits(&value) {
            continue;
        }
        let report = report.get_or_insert_with(|| Report {
            lines: first..i + 1,
            is_series: true,
            tool,
            findings: Vec::new(),
            files: Vec::new(),
        });
        report.lines.end = i + 1;
        report.findings.push(tool.finding(start..start + line.len(), "", &value));
    }
    report
}

/// One document.
fn document(source: &Source<'_>, first: usize) -> Option<Report> {
    let text = source.text();
    let start = source.byte_range(first..first + 1).start;
    // Searching for a name is far cheaper than parsing a document.
    let tools: Vec<&Tool> = TOOLS.iter().filter(|tool| tool.may_write(&text[start..])).collect();
    if tools.is_empty() {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<&RawValue>();
    let root = values.next()?.ok()?;
    let end = offset(text, root).end;
    let rest = &text[end..source.byte_range(source.line_at(end - 1)..source.line_at(end - 1) + 1).end];
    if !rest.trim().is_empty() {
        return None;
    }
    let lines = first..source.line_at(end - 1) + 1;
    let report = |tool: &'static Tool| {
        let (findings, files) = tool.findings(text, root)?;
        Some(Report { lines: lines.clone(), is_series: false, tool, findings, files })
    };
    tools.into_iter().find_map(report)
}

/// The value at a dotted path.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').filter(|key| !key.is_empty()).try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    })
}

/// A scalar as text; empty if there is none.
fn text(value: &Value, path: &str) -> String {
    match at(value, path).filter(|_| !path.is_empty()) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn list<'a>(raw: &'a RawValue, path: &str) -> Option<Vec<&'a RawValue>> {
    match path {
        "" => serde_json::from_str(raw.get()).ok(),
        path => {
            serde_json::from_str(serde_json::from_str::<Members<'a>>(raw.get()).ok()?.get(path)?.get()).ok()
        }
    }
}

impl Tool {
    /// Whether a text contains all names that every report of the tool has.
    fn may_write(&self, text: &str) -> bool {
        self.own
            .iter()
            .all(|key| memchr::memmem::find(text.as_bytes(), format!("\"{key}\"").as_bytes()).is_some())
    }

    /// The paths of the members that a list of places shows.
    pub(super) fn listed_members(&self) -> Vec<&'static str> {
        let flat = if self.is_flat { "" } else { self.severity };
        let mut paths = vec![self.path, self.place.0, self.place.1, flat, self.message];
        paths.extend(self.rule.split(' '));
        paths
    }

    /// Whether a value is a finding of the tool.
    fn fits(&self, value: &Value) -> bool {
        self.own.iter().all(|key| value.get(key).is_some())
    }

    /// All findings of a document and its files; `None` when it is not the tool's or has none.
    fn findings(&self, all: &str, root: &RawValue) -> Option<(Vec<Finding>, Vec<File>)> {
        let (mut findings, mut files) = (Vec::new(), Vec::new());
        let outer = list(root, self.list)?;
        let Some((path, inner)) = self.by_file else {
            for raw in outer {
                findings.push(self.read(all, raw, "")?);
            }
            return (!findings.is_empty()).then_some((findings, files));
        };
        for file in outer {
            let members: Members<'_> = serde_json::from_str(file.get()).ok()?;
            let name = match path {
                "" => String::new(),
                path => serde_json::from_str::<String>(members.get(path)?.get()).ok()?,
            };
            let first = findings.len();
            for raw in serde_json::from_str::<Vec<&RawValue>>(members.get(inner)?.get()).ok()? {
                findings.push(self.read(all, raw, &name)?);
            }
            files.push(File { bytes: offset(all, file), findings: first..findings.len() });
        }
        (!findings.is_empty()).then_some((findings, files))
    }

    fn read(&self, all: &str, raw: &RawValue, file: &str) -> Option<Finding> {
        let value: Value = serde_json::from_str(raw.get()).ok()?;
        self.fits(&value).then(|| self.finding(offset(all, raw), file, &value))
    }

    fn finding(&self, bytes: Range<usize>, file: &str, value: &Value) -> Finding {
        let severity = text(value, self.severity);
        let is_error = !self.is_flat && ERRORS.contains(&severity.as_str());
        let mut message = match severity.as_str() {
            _ if self.is_flat => String::new(),
            "1" => "warning".to_owned(),
            _ => severity,
        };
        let said = text(value, self.message);
        let rules = self.rule.split(' ').map(|rule| text(value, rule));
        // Some tools write the rule at the start of the message.
        for rule in rules.filter(|rule| !rule.is_empty() && !said.starts_with(rule.as_str())) {
            message.push_str(if message.is_empty() { "" } else { " " });
            message.push_str(&rule);
        }
        message.push_str(if message.is_empty() { "" } else { ": " });
        // An entry of a list must fit on one line.
        message.push_str(&said.replace('\n', "\\n"));
        if !self.note.is_empty() {
            message.push_str(&format!(" ({})", self.note));
        }
        let (row, column) = (text(value, self.place.0), text(value, self.place.1));
        let place = if column.is_empty() { row } else { format!("{row}:{column}") };
        let path = match self.path {
            "" => file.to_owned(),
            path => text(value, path),
        };
        Finding { bytes, path, place, message, is_error }
    }
}
