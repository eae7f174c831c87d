//! Cuts an over-long line around the text that was searched for.
//!
//! The pattern is searched by the longest literal piece of each of its alternatives; it is never run
//! as a regular expression. If none is found, the start of the line is shown.

use serde_json::Value;

use crate::detect::command::CommandLine;
use crate::text::call::ToolCall;
use crate::text::marker::Marker;
use crate::text::reason::Reason;

/// About the characters that two markers take: a line is only cut if the cut removes more than that.
const TWO_MARKERS_CHARS: usize = 160;
/// Shortest literal that locates a match, in characters. A choice.
const MIN_LITERAL_CHARS: usize = 2;
/// Programs whose first argument without a dash is a pattern.
pub(super) const PROGRAMS: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "ggrep",
    "ugrep",
    "rg",
    "rga",
    "ag",
    "ack",
    "search_dir",
    "search_file",
];
/// Flags of these programs that take a value as a word of its own, `-e` aside.
const VALUE_FLAGS: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "-f",
    "-d",
    "-g",
    "-t",
    "-T",
    "-j",
    "-M",
    "-G",
    "--include",
    "--exclude",
    "--glob",
    "--type",
];

/// Literal pieces of the search pattern, in lower case, from the call's arguments and its command.
pub(super) fn literals(call: &ToolCall, command: &CommandLine) -> Vec<String> {
    let argument = |name: &&str| call.arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut patterns: Vec<String> =
        ["pattern", "query", "regex", "search_term"].iter().filter_map(argument).collect();
    for simple in command.pipelines.iter().flatten() {
        patterns.extend(pattern(&simple.argv));
    }
    let mut out: Vec<String> = patterns.iter().flat_map(|p| pieces(p)).collect();
    out.dedup();
    out
}

/// The pattern that a search program was given.
fn pattern(argv: &[String]) -> Option<String> {
    let at = argv.iter().position(|word| PROGRAMS.contains(&word.as_str()))?;
    let mut words = argv.get(at + 1..)?.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-e" | "--regexp" | "--" => return words.next().cloned(),
            flag if VALUE_FLAGS.contains(&flag) => {
                words.next();
            }
            flag if flag.starts_with('-') && flag.len() > 1 => {}
            word => return Some(word.to_owned()),
        }
    }
    None
}

/// The longest literal piece of each alternative of a pattern.
fn pieces(pattern: &str) -> Vec<String> {
    let mut out = Vec::new();
    for alternative in pattern.split('|') {
        let mut best = "";
        let mut start = 0;
        let (mut escaped, mut in_class) = (false, false);
        for (i, c) in alternative.char_indices().chain([(alternative.len(), '^')]) {
            let literal = (c.is_alphanumeric() || "_ -/:=,<>@#&%~\"'".contains(c)) && !escaped && !in_class;
            in_class = !escaped && (c == '[' || (in_class && c != ']'));
            escaped = c == '\\' && !escaped;
            if !literal {
                // A piece before `*`, `?` or `{` may lack its last character.
                let end = if matches!(c, '*' | '?' | '{') {
                    alternative[start..i].char_indices().next_back().map_or(start, |(last, _)| start + last)
                } else {
                    i
                };
                let piece = &alternative[start..end];
                if piece.len() > best.len() {
                    best = piece;
                }
                start = i + c.len_utf8().min(alternative.len() - i);
            }
        }
        if best.len() >= MIN_LITERAL_CHARS {
            out.push(best.to_ascii_lowercase());
        }
    }
    out
}

/// The text with `limit` of its characters shown, and the number of hidden bytes; `None` if cutting would not pay.
/// `line` is the number for markers.
pub(super) fn cut(text: &str, limit: usize, literals: &[String], line: usize) -> Option<(String, usize)> {
    if text.len() <= limit + TWO_MARKERS_CHARS || text.chars().count() <= limit + TWO_MARKERS_CHARS {
        return None;
    }
    // Only ASCII letters change case, so that byte positions are the same.
    let lower = text.to_ascii_lowercase();
    let hit = literals.iter().filter_map(|l| memchr::memmem::find(lower.as_bytes(), l.as_bytes())).min();
    let step = |from: usize, chars: usize| {
        text[from..].char_indices().nth(chars).map_or(text.len(), |(i, _)| from + i)
    };
    // A window that would extend past the end starts earlier; a window near the start begins at the start.
    let before = |at: usize, chars: usize| {
        if chars == 0 { at } else { text[..at].char_indices().rev().nth(chars - 1).map_or(0, |(i, _)| i) }
    };
    let at = hit.map_or(0, |at| text.floor_char_boundary(at));
    let mut start = before(at, limit / 3);
    if start < TWO_MARKERS_CHARS {
        start = 0;
    }
    let mut end = step(start, limit);
    if text.len() - end < TWO_MARKERS_CHARS {
        end = text.len();
        start = before(end, limit);
    }
    let mut out = String::with_capacity(end - start + 2 * TWO_MARKERS_CHARS);
    for (range, shown) in [(0..start, &text[start..end]), (end..text.len(), "")] {
        if !range.is_empty() {
            let reason = Reason::LongLine.code().to_owned();
            out.push_str(&Marker::Bytes { count: range.len(), line, reason, id: None }.write());
        }
        out.push_str(shown);
    }
    Some((out, start + text.len() - end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_patterns() {
        assert_eq!(pieces(r"func \(p \*Provider\)"), ["provider"]);
        assert_eq!(pieces(r"foo\|bar_baz|x"), ["foo", "bar_baz"]);
        assert_eq!(pieces("colou?r[a-z]+ful"), ["colo"]);
        let of = |command: &str| literals(&ToolCall::default(), &CommandLine::parse(command));
        assert_eq!(of("cd a && grep -rn -A 3 --include=*.py 'needle' ."), ["needle"]);
        assert_eq!(of("git grep -e needle"), ["needle"]);
        assert_eq!(of("git ls-files | xargs grep -n needle"), ["needle"]);
        let call = ToolCall { arguments: serde_json::json!({"pattern": "Needle"}), ..ToolCall::default() };
        assert_eq!(literals(&call, &CommandLine::default()), ["needle"]);
    }

    #[test]
    fn the_window_shows_the_match() {
        let text = format!("{}Néedle{}", "é".repeat(3000), "b".repeat(3000));
        let (out, omitted) = cut(&text, 300, &["née".to_lowercase()], 7).unwrap();
        assert!(out.contains("Néedle") && out.matches("bytes of line 7").count() == 2, "{out}");
        let shown: usize = out.len()
            - out.matches("[tersed").count() * "[tersed: omitted 0000 bytes of line 7, long_line]".len();
        assert_eq!(shown + omitted, text.len());
        let (start, _) = cut(&text, 300, &[], 1).unwrap();
        assert!(start.starts_with(&"é".repeat(300)) && start.matches("[tersed").count() == 1);
        let (end, _) = cut(&format!("{}needle", "a".repeat(900)), 300, &["needle".into()], 1).unwrap();
        assert!(end.ends_with("needle") && end.matches("[tersed").count() == 1);
        assert_eq!(cut(&"a".repeat(320), 300, &[], 1), None);
    }
}
