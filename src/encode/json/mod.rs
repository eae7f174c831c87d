//! JSON without the white space between its tokens: whole documents, NDJSON, and documents that stand
//! on lines of their own in other text.
//!
//! Every other byte stays: number text, escapes, key order, repeated keys. What is not valid JSON
//! (comments, trailing commas, Python literals, a document that was cut off) is left alone, and so are
//! files, which an agent edits by their exact text.

mod scan;
pub mod table;

use std::ops::Range;

use super::{Encoder, fold};
use crate::input::Input;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;

/// Fewest lines of a document in other text that is rewritten.
const MIN_LINES: usize = 3;
/// Fewest values in a row whose objects are rewritten however few lines they take: that is NDJSON.
const MIN_RUN: usize = 3;

/// The encoder of this module.
pub struct JsonMinify;

impl Encoder for JsonMinify {
    fn id(&self) -> &'static str {
        "json_minify"
    }

    fn encode(&self, input: &Input<'_>, ledger: &Ledger) -> Result<Reduction, Reason> {
        if crate::input::is_exact_text(input) {
            return Err(Reason::NothingToDo);
        }
        let source = input.source;
        let words = source.failure_words();
        let mut out = Reduction::default();
        for kept in ledger.kept() {
            let (runs, others) = runs(source, kept.clone(), words);
            let all = kept.len() == source.len() && others == 0;
            for run in runs {
                rewrite(source, &kept, run, all, &mut out);
            }
        }
        if out.is_empty() {
            return Err(Reason::NothingToDo);
        }
        fold::spare_repeats(source, ledger, &mut out);
        if out.is_empty() { Err(Reason::NothingToDo) } else { Ok(out) }
    }
}

/// The value at an offset without white space between its tokens. `words` are the places of
/// `signals::word_offsets` in the text; a member that reports a failure keeps its blank by them.
pub fn minified(text: &str, at: usize, words: &[usize]) -> Option<String> {
    let mut out = String::new();
    scan::minify(text, at, &mut out, words).ok().map(|_| out)
}

/// A JSON array or object on lines of its own.
struct Value {
    lines: Range<usize>,
    /// Its indentation and its tokens.
    text: String,
}

/// Replaces the values of a run that qualify.
///
/// The conditions are the same before and after: how many values there are, what is beside them,
/// and whether the text holds nothing else. So a second pass changes nothing.
fn rewrite(source: &Source<'_>, kept: &Range<usize>, run: Vec<Value>, all: bool, out: &mut Reduction) {
    let many = run.len() >= MIN_RUN;
    for value in run {
        let object = value.text.trim_start().starts_with('{');
        let wanted = all
            || (value.lines.len() >= MIN_LINES || (many && object))
                && stands_alone(source, kept, &value.lines);
        let now = source.slice(value.lines.clone()).trim_end_matches(['\n', '\r']).len();
        if wanted && value.text.len() < now {
            out.replace(value.lines, value.text, Reason::JsonWhitespace);
        }
    }
}

/// Whether a value is not part of a larger construct, such as a literal in source code.
pub(crate) fn stands_alone(source: &Source<'_>, kept: &Range<usize>, lines: &Range<usize>) -> bool {
    let text = |i: usize| Some(source.line(i).trim()).filter(|line| !line.is_empty());
    let before = (kept.start..lines.start).rev().find_map(text).unwrap_or_default();
    let after = (lines.end..kept.end).find_map(text).unwrap_or_default();
    // In an example of an interactive session, the layout is part of the example.
    let example = before.starts_with(">>> ") || before.starts_with("... ");
    !example && !before.ends_with(['(', '[', '{', ',', '=']) && !after.starts_with([')', ']', '}', ',', ';'])
}

/// All runs of values with nothing but blank lines between, and how many lines are in no run.
fn runs(source: &Source<'_>, kept: Range<usize>, words: &[usize]) -> (Vec<Vec<Value>>, usize) {
    let mut runs: Vec<Vec<Value>> = vec![Vec::new()];
    let mut others = 0;
    let mut line = kept.start;
    while line < kept.end {
        if source.line(line).trim().is_empty() {
            line += 1;
            continue;
        }
        match value_at(source, line, kept.end, words) {
            Ok(value) => {
                line = value.lines.end;
                if let Some(run) = runs.last_mut() {
                    run.push(value);
                }
            }
            Err(next) => {
                others += next - line;
                line = next;
                if runs.last().is_some_and(|run| !run.is_empty()) {
                    runs.push(Vec::new());
                }
            }
        }
    }
    (runs, others)
}

/// The container that starts on a line and ends with another, all of it at the same indentation; or the line at which
/// the search continues.
fn value_at(source: &Source<'_>, line: usize, end: usize, words: &[usize]) -> Result<Value, usize> {
    let first = source.line(line);
    let indent = indentation(first);
    if !first[indent..].starts_with(['{', '[']) {
        return Err(line + 1);
    }
    let range = source.byte_range(line..end);
    let text = &source.text()[..range.end];
    let mut out = first[..indent].to_owned();
    match scan::minify(text, range.start + indent, &mut out, words) {
        Ok(behind) => {
            let lines = line..source.line_at(behind - 1) + 1;
            let rest = &text[behind..source.byte_range(lines.clone()).end];
            let inside =
                |i: usize| source.line(i).starts_with(&first[..indent]) || source.line(i).trim().is_empty();
            if rest.trim().is_empty() && lines.clone().all(inside) {
                Ok(Value { lines, text: out })
            } else {
                Err(lines.end)
            }
        }
        Err(at) => match source.line_at(at) {
            broken if broken <= line => Err(line + 1),
            broken => Err(end_of_broken(source, broken..end, indent)),
        },
    }
}

/// Where the search continues after a document that turned out not to be JSON: at the first line that is not
/// indented deeper and cannot be part of it. Its parts are not rewritten either, and no line is read twice.
pub(crate) fn end_of_broken(source: &Source<'_>, lines: Range<usize>, indent: usize) -> usize {
    let inside = |i: &usize| {
        let line = source.line(*i);
        let depth = indentation(line);
        depth > indent
            || matches!(
                line.as_bytes().get(depth),
                None | Some(b'{' | b'}' | b'[' | b']' | b'"' | b',' | b'/')
            )
    };
    let end = lines.end;
    lines.into_iter().find(|i| !inside(i)).unwrap_or(end)
}

pub(crate) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::relevance::Relevance;

    /// The text after the encoder, whatever the shape.
    fn encoded(text: &str) -> String {
        let source = Source::new(text);
        let ledger = Ledger::new(&source);
        let call = crate::text::call::ToolCall::default();
        let detection = crate::detect::Detection::default();
        let policy = crate::config::Policy::default();
        let input = Input {
            source: &source,
            call: &call,
            detection: &detection,
            policy: &policy,
            relevance: &Relevance::default(),
        };
        match JsonMinify.encode(&input, &ledger) {
            Ok(step) => ledger.apply(&source, step).unwrap().render(&source, None),
            Err(_) => text.to_owned(),
        }
    }

    #[test]
    fn documents_of_all_kinds() {
        for (text, expected) in [
            ("\n{\n  \"a\": [1,\n 2]\n}\n\n", "\n{\"a\":[1,2]}\n\n"),
            ("{\"a\": 1, \"b\": \"x  y\"}", "{\"a\":1,\"b\":\"x  y\"}"),
            ("[1, 2]\n[3, 4]\n", "[1,2]\n[3,4]\n"),
            ("  {\r\n    \"a\": 1\r\n  }\r\n", "  {\"a\":1}\n"),
            ("HTTP/1.1 200 OK\nA: b\n\n{\n \"a\": 1\n}\n", "HTTP/1.1 200 OK\nA: b\n\n{\"a\":1}\n"),
            ("$ x\n{\n\t\"a\": 1\n}\n$ y\n[\n]\n", "$ x\n{\"a\":1}\n$ y\n[\n]\n"),
            (
                "{\n \"state\": \"failure\",\n \"b\": \"fine\"\n}\n",
                "{\"state\": \"failure\",\"b\":\"fine\"}\n",
            ),
            (
                "{\n \"error\": {\n  \"code\": 1\n }, \"errors\": 0\n}\n",
                "{\"error\": {\"code\":1},\"errors\":0}\n",
            ),
            ("{\n \"a\": 1,\n \"isError\": true\n}\n", "{\"a\":1,\"isError\": true}\n"),
            ("x\n{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n", "x\n{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"),
        ] {
            assert_eq!(encoded(text), expected);
            assert_eq!(encoded(expected), expected);
        }
    }

    #[test]
    fn what_stays() {
        for text in [
            // Too small to touch in other text.
            "x\n{\"a\": 1}\n{\"a\": 2}\n",
            "x\n[1, 2]\n[1, 3]\n[1, 4]\n",
            // Not JSON.
            "{\n  // why\n  \"a\": {\n  \"b\": 1\n  }\n}\n",
            "[\n{\n \"a\": 1\n},\n]\n",
            "{\n  'a': 1\n}\n",
            "[\n {\n  \"a\": 1\n },\n {\n  \"a\":\n",
            // A missing comma: the values inside are not documents of their own.
            "[\n{\n \"a\": 1\n}\n{\n \"a\": 1\n}\n]\n",
            // A part of something larger.
            "f(\n{\n \"a\": 1\n}\n)\n",
            "x = [\n  {\n   \"a\": 1\n  }\n]\n",
            "const a = {\n  b:\n  {\n   \"a\": 1\n  }\n}\n",
            "{\n  \"a\": 1\n} trailing\n",
            ">>> print(x)\n{\n  \"a\": 1\n}\n",
            // Numbered.
            "1\t{\n2\t  \"a\": 1\n3\t}\n",
            // Nothing to remove.
            "{\"a\":1}\n",
        ] {
            assert_eq!(encoded(text), text);
        }
    }

    #[test]
    fn text_goes_on_behind_a_broken_document() {
        let text = "{\n  a: 1\n}\n[x]\nbody:\n{\n  \"a\": 1\n}\n";
        assert_eq!(encoded(text), "{\n  a: 1\n}\n[x]\nbody:\n{\"a\":1}\n");
    }
}
