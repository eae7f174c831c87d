//! Recognises the lines that an agent's tool puts around the output of a command: tags, a head that ends with
//! `Output:`, a fence, a line with the exit status. The output between them is read as if it were alone; the lines
//! themselves stay.

use std::ops::Range;

use crate::formats::xml;
use crate::text::source::Source;

/// Most layers that are removed one after the other.
const MAX_LAYERS: usize = 12;
/// Longest line of a wrapper, in bytes.
const MAX_LINE_BYTES: usize = 240;
/// Fewest lines of a view.
const MIN_NUMBERED: usize = 3;
/// Most lines of a head, and most lines of text before or after a fence.
const MAX_HEAD_LINES: usize = 8;
const MAX_PROSE_LINES: usize = 3;
/// The starts of lines of a head that ends with `Output:`.
const HEADS: &[&str] = &[
    "Chunk ID: ",
    "Wall time",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Total output lines: ",
    "Exit code: ",
    "Exit Code: ",
    "Return code: ",
    "Script completed",
    "Script failed",
    "Script terminated",
    "Command: ",
    "Directory: ",
    "Duration: ",
    "Warning: ",
];
/// Elements that hold the output of a command.
const HOLDERS: &[&str] = &[
    "output",
    "stdout",
    "stderr",
    "result",
    "results",
    "content",
    "contents",
    "file",
    "response",
    "function_results",
    "function_result",
    "tool_result",
    "tool_output",
    "tool_response",
    "command_output",
    "command-output",
    "terminal_output",
    "bash-stdout",
    "bash-output",
    "local-command-stdout",
    "log",
    "logs",
];
/// The lines that end such a head.
const OUTPUT: &[&str] = &["Output:", "Stdout:", "STDOUT:", "stdout:"];
/// The starts of lines after an output.
const TAILS: &[&str] = &[
    "[The command completed with exit code ",
    "[Command finished with exit code ",
    "[Current working directory: ",
    "[Python interpreter: ",
    "Exit code: ",
    "Exit Code: ",
    "exit code: ",
    "[exit code: ",
    "(exit code ",
];

/// Whether an element of this name holds the output of a command.
pub fn is_holder(name: &str) -> bool {
    HOLDERS.contains(&name)
}

/// The lines inside the wrapper; `None` without one.
pub fn inside(source: &Source<'_>) -> Option<Range<usize>> {
    let mut lines = 0..source.len();
    for _ in 0..MAX_LAYERS {
        crate::stop::check_sometimes();
        match layer(source, &lines) {
            Some(inner) => lines = inner,
            None => break,
        }
    }
    let first = lines.clone().map(|i| source.line(i).trim_start()).find(|line| !line.is_empty())?;
    // A document of elements is read as one.
    let is_document = first.starts_with('<') && !first.starts_with("<?xml") && !first.starts_with("<!");
    (lines.len() < source.len() && !is_document).then_some(lines)
}

/// The text without the numbers that a viewer wrote before its lines, and without a tag on the line on which the
/// output begins or ends. It has the same lines. `None` if there are neither numbers nor tags.
pub fn bare(source: &Source<'_>) -> Option<String> {
    let view = source.view();
    if view.numbered() * 10 >= source.len() * 9 && source.len() >= MIN_NUMBERED {
        let mut out = String::with_capacity(source.text().len());
        for i in 0..source.len() {
            let raw = source.raw(i);
            out.push_str(view.text(raw, i));
            out.push_str(if raw.ends_with('\n') { "\n" } else { "" });
        }
        return Some(out);
    }
    let mut head = (0..source.len()).take(MAX_HEAD_LINES);
    let (line, name) = head.find_map(|i| Some((i, glued(source.line(i))?)))?;
    let start = source.byte_range(line..line + 1).start;
    let tag = start..start + name.len() + 2;
    let text = source.text();
    let close = format!("</{name}>");
    let end = memchr::memmem::rfind(text.as_bytes(), close.as_bytes()).filter(|end| *end >= tag.end);
    let mut out = format!("{}{}", &text[..tag.start], &text[tag.end..end.unwrap_or(text.len())]);
    out.push_str(end.map_or("", |end| &text[end + close.len()..]));
    Some(out)
}

/// The name of the start tag without attributes that a line begins with, and the rest of the line.
fn bare_tag(line: &str) -> Option<(&str, &str)> {
    let tag = line.starts_with('<').then(|| xml::tag(line.as_bytes(), 0))??;
    let is_bare = !tag.is_end && tag.end == tag.name.len() + 2;
    is_bare.then(|| (&line[1..tag.end - 1], &line[tag.end..]))
}

/// The element whose tag is before text on a line.
fn glued(line: &str) -> Option<&str> {
    let (name, rest) = bare_tag(line)?;
    let is_text = !rest.trim().is_empty() && !rest.trim_start().starts_with('<') && !is_short_element(line);
    (is_holder(name) && is_text).then_some(name)
}

/// The lines inside one layer.
fn layer(source: &Source<'_>, lines: &Range<usize>) -> Option<Range<usize>> {
    let text = |i: &usize| !source.line(*i).trim().is_empty();
    let first = lines.clone().take(MAX_HEAD_LINES).find(text)?;
    let last = lines.clone().rev().take(MAX_HEAD_LINES).find(text)?;
    let (head, tail) = (source.line(first).trim(), source.line(last).trim());
    if first == last {
        return None;
    }
    if let Some(name) = opens(head)
        && tail.strip_prefix("</").and_then(|tail| tail.strip_suffix('>')) == Some(name)
    {
        return Some(first + 1..last);
    }
    if is_short_element(head) {
        return Some(first + 1..lines.end);
    }
    if is_short_element(tail) || is_tail(tail) {
        return Some(lines.start..last);
    }
    headed(source, first..lines.end).or_else(|| fenced(source, lines.clone()))
}

/// The name of a start tag that is all of a line.
fn opens(line: &str) -> Option<&str> {
    bare_tag(line).filter(|(name, rest)| rest.is_empty() && is_holder(name)).map(|(name, _)| name)
}

fn is_name(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.len() <= 40 && name.bytes().all(is_plain)
}

/// `<returncode>1</returncode>`, `<name>bash</name>`
fn is_short_element(line: &str) -> bool {
    let element = || {
        let (name, rest) = bare_tag(line)?;
        let text = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
        Some(is_name(name) && !text.contains(['<', '>']))
    };
    line.len() <= MAX_LINE_BYTES && element() == Some(true)
}

fn is_tail(line: &str) -> bool {
    line.len() <= MAX_LINE_BYTES && TAILS.iter().any(|start| line.starts_with(start))
}

/// The lines after a head of known lines that ends with `Output:`.
fn headed(source: &Source<'_>, lines: Range<usize>) -> Option<Range<usize>> {
    let is_head = |i: &usize| {
        let line = source.line(*i);
        line.len() <= MAX_LINE_BYTES && HEADS.iter().any(|start| line.starts_with(start))
    };
    let end = lines.clone().take(MAX_HEAD_LINES).find(|i| !is_head(i))?;
    let is_one = end > lines.start && OUTPUT.contains(&source.line(end).trim_end());
    is_one.then_some(end + 1..lines.end)
}

/// The text between the only two fences, with a few lines of text around them.
fn fenced(source: &Source<'_>, lines: Range<usize>) -> Option<Range<usize>> {
    let is_fence = |i: &usize| source.line(*i).starts_with("```");
    let is_prose = |i: &usize| !source.line(*i).trim().is_empty() && !is_fence(i);
    let near = MAX_HEAD_LINES + MAX_PROSE_LINES;
    let first = lines.clone().take(near).find(is_fence)?;
    let last = lines.clone().rev().take(near).find(is_fence)?;
    let before = (lines.start..first).filter(is_prose).count();
    let after = (last + 1..lines.end).filter(is_prose).count();
    let is_heading = (lines.start..first).any(|i| source.line(i).starts_with('#'));
    let is_one = first < last
        && source.line(last).trim_end() == "```"
        && before <= MAX_PROSE_LINES
        && after <= MAX_PROSE_LINES
        && !is_heading
        && !(first + 1..last).any(|i| is_fence(&i));
    is_one.then_some(first + 1..last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Option<String> {
        let source = Source::new(text);
        inside(&source).map(|lines| source.slice(lines).to_owned())
    }

    #[test]
    fn wrappers_come_off() {
        for wrapper in [
            "<returncode>1</returncode>\n<output>\nTEXT</output>\n",
            "<output>\nTEXT</output>\n<exit_code>0</exit_code>\n",
            "<function_results>\n<result>\n<name>bash</name>\n<output>\nTEXT</output>\n</result>\n</function_results>\n",
            "Chunk ID: 3fa2c1\nWall time: 0.21 seconds\nProcess exited with code 1\nOriginal token count: 48\nOutput:\nTEXT",
            "Script completed\nWall time 2.1 seconds\nOutput:\nTEXT",
            "Exit code: 1\nOutput:\nTEXT",
            "TEXT[The command completed with exit code 1.]\n[Current working directory: /repo]\n",
            "```\nTEXT```\n",
            "The command ended.\n\n```text\nTEXT```\n\nExit code: 1\n",
            "<path>a.log</path>\n<type>file</type>\n<content>\nTEXT</content>\n",
        ] {
            let text = "one\n\ntwo <b>\n";
            assert_eq!(taken(&wrapper.replace("TEXT", text)).as_deref(), Some(text), "{wrapper}");
        }
    }

    #[test]
    fn numbers_and_tags_on_lines_come_off() {
        let bare = |text: &str| bare(&Source::new(text));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(bare("     1\ta\n     2\t\n     3\tb"), some("a\n\nb"));
        assert_eq!(bare("<name>x</name>\n<output>a\nb</output>\n"), some("<name>x</name>\na\nb\n"));
        assert_eq!(bare("<output>a\nb\n</output>\n"), some("a\nb\n\n"));
        for text in ["a\nb\n", "<output>\na\n</output>\n", "<output>a</output>\n", "<output><a>\n", "<p>a\n"]
        {
            assert_eq!(bare(text), None, "{text}");
        }
    }

    #[test]
    fn other_texts_have_none() {
        for text in [
            "",
            "one\n",
            "<output>\n</output>\n",
            "<output>\none\n</result>\n",
            "<note>\none\n</note>\n",
            "<result>\n<a>1</a>\n<b c=\"d\">\n<e/>\n</b>\n</result>\n",
            "Output:\none\n",
            "Warning: a\none\n",
            "# Title\n\n```\none\n```\n",
            "```\none\n```\ntwo\n```\nthree\n```\n",
            "a\nb\nc\nd\n```\none\n```\n",
            "<a href=\"b\">\none\n</a>\n",
        ] {
            assert_eq!(taken(text), None, "{text}");
        }
    }
}
