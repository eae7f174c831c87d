//! Notes on what could not be read in a file, and reading of JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

use crate::formats::json::replace_lone_surrogates;

/// Most line numbers of broken lines that are listed for one file.
const MAX_LISTED: usize = 50;

/// Notes about one file.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Numbers of lines that are not JSON, or not in the expected format; the first of them.
    pub broken: Vec<usize>,
    /// Number of all such lines.
    pub broken_count: usize,
    /// Number of results without text.
    pub without_text: usize,
}

impl Notes {
    /// Records a line that cannot be read.
    pub(super) fn broken(&mut self, line: usize) {
        self.broken_count += 1;
        if self.broken.len() < MAX_LISTED {
            self.broken.push(line);
        }
    }
}

/// Reads a file line by line; records lines that are not JSON.
pub(super) fn lines(
    file: &Path,
    notes: &mut Notes,
    each: &mut dyn FnMut(usize, Value, &mut Notes),
) -> Result<(), String> {
    let mut reader = BufReader::with_capacity(1 << 16, File::open(file).map_err(|e| e.to_string())?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|e| e.to_string())? == 0 {
            break;
        }
        replace_lone_surrogates(&mut line);
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)) {
            Ok(value) => each(number, value, notes),
            Err(_) => notes.broken(number),
        }
    }
    Ok(())
}

/// The first values of a file of JSON lines, within its first bytes.
pub(super) fn heads(head: &[u8]) -> impl Iterator<Item = Value> {
    let lines = head.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(20);
    lines.filter_map(|line| serde_json::from_slice(line).ok())
}

/// Whether the first bytes of a file contain a text.
pub(super) fn has(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}

/// A whole file as JSON.
pub(super) fn document(file: &Path) -> Result<Value, String> {
    let bytes = std::fs::read(file).map_err(|e| e.to_string())?;
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))
        .map_err(|e| format!("not JSON: {e}"))
}

/// The text of a content: a string, or blocks of text; `None` if there is none.
pub(super) fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().filter_map(text_of).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        Value::Object(block) => match block.get("text").or_else(|| block.get("content")) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(inner @ (Value::Array(_) | Value::Object(_))) => text_of(inner),
            _ => None,
        },
        _ => None,
    }
}

/// A member that is a string.
pub(super) fn string<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// A member that is a string, if there is one.
pub(super) fn named(value: &Value, name: &str) -> Option<String> {
    string(value, name).map(str::to_owned)
}

/// The number after one of `words` at the start of a line, as in `Exit code 3`.
pub(super) fn exit_code(text: &str, words: &[&str]) -> Option<i64> {
    let head = &text[..text.floor_char_boundary(400)];
    head.lines().take(8).find_map(|line| {
        let rest = words.iter().find_map(|word| line.trim_start().strip_prefix(word))?;
        let rest = rest.trim_start_matches([':', ' ']);
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
        rest[..end].parse().ok()
    })
}
