//! Errors in JSON that a checker or a test runner wrote: eslint, pyright, SARIF, semgrep, jest and their like. If an
//! object is marked as an error, its message, rule and place stay, with the file that holds it.

use std::ops::Range;

use super::tape::{Kind, NONE, Node};

/// Members with a severity, and their values for errors.
const SEVERITIES: &[&str] = &["severity", "level", "issue_severity", "status", "outcome"];
const ERRORS: &[&str] = &[
    "2", "error", "fatal", "critical", "high", "failed", "failure", "Error", "Failed", "ERROR", "FATAL",
    "CRITICAL", "HIGH",
];
/// Members with the message of an error.
const MESSAGES: &[&str] = &["message", "text", "issue_text", "msg", "description", "failureMessages", "Text"];
/// Members with the errors of a file. An object that has one is not an error itself.
const LISTS: &[&str] = &["assertionResults", "testResults", "messages", "results"];
/// Members around an error that name its file.
const FILES: &[&str] = &["filePath", "file", "path", "filename", "name", "source", "uri"];
/// An error of at most this many bytes is kept whole. A choice.
const MAX_WHOLE_BYTES: usize = 700;
/// Longest message, other scalar and name that stays, in bytes.
const MAX_MESSAGE_BYTES: usize = 2000;
const MAX_SCALAR_BYTES: usize = 300;
/// Levels above an error that are searched for its file. A choice.
const MAX_LEVELS: usize = 6;

/// The bytes of a document that must stay for its errors, in order.
pub(super) fn errors(text: &str, nodes: &[Node]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut is_named = vec![false; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        crate::stop::check_sometimes();
        if node.kind != Kind::Object || !is_error(text, nodes, i) {
            continue;
        }
        match bytes(node) {
            whole if whole.len() <= MAX_WHOLE_BYTES => out.push(whole),
            _ => out.extend(members(nodes, i).filter_map(|(key, value)| {
                let name = inside(text, &nodes[key]);
                let size = bytes(&nodes[value]).len();
                let most = match nodes[value].kind {
                    _ if MESSAGES.contains(&name) => MAX_MESSAGE_BYTES,
                    Kind::Object | Kind::Array => MAX_WHOLE_BYTES,
                    _ => MAX_SCALAR_BYTES,
                };
                (size <= most).then(|| bytes(&nodes[key]).start..bytes(&nodes[value]).end)
            })),
        }
        let mut at = node.parent;
        for _ in 0..MAX_LEVELS {
            if at == NONE || std::mem::replace(&mut is_named[at as usize], true) {
                break;
            }
            if nodes[at as usize].kind == Kind::Object {
                out.extend(names(text, nodes, at as usize));
            }
            at = nodes[at as usize].parent;
        }
    }
    joined(out)
}

/// Ranges in order, those that overlap as one.
pub(super) fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// Whether an object is marked as an error and has a message.
fn is_error(text: &str, nodes: &[Node], i: usize) -> bool {
    let (mut is_severe, mut has_message) = (false, false);
    if members(nodes, i).any(|(key, _)| LISTS.contains(&inside(text, &nodes[key]))) {
        return false;
    }
    for (key, value) in members(nodes, i) {
        let name = inside(text, &nodes[key]);
        has_message |= MESSAGES.contains(&name);
        is_severe |= SEVERITIES.contains(&name) && ERRORS.contains(&inside(text, &nodes[value]));
    }
    is_severe && has_message
}

/// Short members of an object that name a file.
fn names<'a>(text: &'a str, nodes: &'a [Node], i: usize) -> impl Iterator<Item = Range<usize>> + 'a {
    members(nodes, i).filter_map(move |(key, value)| {
        let is_short = nodes[value].kind == Kind::String && bytes(&nodes[value]).len() <= MAX_SCALAR_BYTES;
        let is_name = is_short && FILES.contains(&inside(text, &nodes[key]));
        is_name.then(|| bytes(&nodes[key]).start..bytes(&nodes[value]).end)
    })
}

/// Keys and values of an object.
fn members(nodes: &[Node], i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let end = nodes[i].next as usize;
    let mut at = i + 1;
    std::iter::from_fn(move || {
        let key = at;
        let value = nodes.get(key).filter(|_| key < end)?.next as usize;
        at = nodes.get(value).filter(|_| value < end)?.next as usize;
        Some((key, value))
    })
}

fn bytes(node: &Node) -> Range<usize> {
    node.start as usize..node.end as usize
}

/// A string without its quotes, or any other scalar.
fn inside<'a>(text: &'a str, node: &Node) -> &'a str {
    text.get(bytes(node)).unwrap_or_default().trim_matches('"')
}

#[cfg(test)]
mod tests {
    use super::super::tape;
    use super::*;

    fn kept(text: &str) -> Vec<&str> {
        let nodes = tape::read(text, 0, false).unwrap();
        errors(text, &nodes).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn errors_stay_with_their_file() {
        let error = r#"{"ruleId":"a","severity":2,"message":"m","line":3}"#;
        let text = format!(
            r#"[{{"filePath":"/a.js","messages":[{error},{{"severity":1,"message":"w"}}],"source":"{}"}}]"#,
            "x".repeat(900)
        );
        assert_eq!(kept(&text), [r#""filePath":"/a.js""#, error]);
        assert_eq!(kept(r#"{"level":"error"}"#), [""; 0], "what sets a level is no error");
        assert_eq!(kept(r#"{"level":"info","message":"m"}"#), [""; 0]);
    }

    #[test]
    fn of_a_long_error_what_tells_stays() {
        let text = format!(
            r#"{{"level":"error","message":"m","rendered":"{}","spans":[{{"line_start":3}}]}}"#,
            "x".repeat(900)
        );
        assert_eq!(kept(&text), [r#""level":"error""#, r#""message":"m""#, r#""spans":[{"line_start":3}]"#]);
    }
}
