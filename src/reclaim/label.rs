//! What a result was about, in the agent's terms: the file and lines of a view, the edit of a file, or a command. The
//! words come from the call. If a call that looks at or edits a file does not name it, the head of the result does;
//! no other text of an output can decide which file it is.

use super::view::{self, heading};
use crate::detect::{edit, range, viewed};
use crate::text::call::ToolCall;
use crate::text::marker::{self, Marker};
use crate::text::origin;

/// The start of markers for left out lines.
const OPEN: &str = "[tersed";
/// The label of a call about which nothing is known.
const UNKNOWN: &str = "a call";

/// The label of a result with this many lines, for references to it and for its replacement. `about` is what the call
/// alone says: its file or its command. `None` if nothing is known.
pub fn of(call: &ToolCall, (text, lines): (&str, usize), about: Option<&str>) -> Option<String> {
    let looks_at = viewed::file(call);
    let is_edit = edit::is_edit(call);
    let is_named = looks_at.as_deref().is_some_and(|file| !file.is_empty())
        || call.path.is_some() && call.command.is_none();
    // Then `about` is that file. Otherwise a host may give the argument of its own tool as a command.
    let only = || {
        let word = call.command.as_deref()?.trim().trim_matches('`');
        let is_path = word.contains('/') && !word.contains(char::is_whitespace);
        origin::label_of_path(word).filter(|_| is_path && looks_at.is_some())
    };
    let file = match is_named {
        true => about.map(str::to_owned),
        false => {
            let head = heading(text).filter(|_| looks_at.is_some() || is_edit);
            head.and_then(origin::label_of_path).or_else(only)
        }
    };
    let edited = is_edit.then(|| match edit::range(call) {
        Some((first, last)) => format!("edit {first}:{last}"),
        None => "edit".to_owned(),
    });
    match (edited, file) {
        (Some(edit), Some(file)) => Some(format!("{edit} of {file}")),
        (None, Some(file)) => Some(match ends(text, lines).or_else(|| range::asked(call)) {
            Some((first, last)) => format!("{file} {first}-{last}"),
            None => file,
        }),
        (_, None) => about.map(str::to_owned),
    }
}

/// The given label, or the name of the tool if there is none.
pub(super) fn or_tool(call: &ToolCall, label: Option<String>) -> String {
    let tool = || Some(call.tool.as_str()).filter(|tool| !tool.is_empty() && marker::is_name(tool));
    label.or_else(|| tool().map(str::to_owned)).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// The first and the last line number of a view, including lines that markers replace. `None` if that would be more
/// lines than the view has: then the markers do not count lines like the file does.
fn ends(text: &str, lines: usize) -> Option<(u32, u32)> {
    let (mut first, mut last) = view::ends(text)?;
    let mut is_whole = true;
    // Few texts have a marker, so most are not searched line by line.
    let lines_of = if marker::may_hold(text) { text } else { "" };
    for line in lines_of.lines().filter(|line| marker::may_hold(line)) {
        let marker = line.find(OPEN).and_then(|start| Marker::parse(&line[start..]));
        for gap in marker.iter().flat_map(|(marker, _)| marker.references()) {
            let (Marker::Lines { first: a, last: b, .. }
            | Marker::Shown { first: a, last: b, .. }
            | Marker::There { first: a, last: b, .. }) = gap
            else {
                continue;
            };
            is_whole = false;
            first = first.min(u32::try_from(*a).unwrap_or(first));
            last = last.max(u32::try_from(*b).unwrap_or(last));
        }
    }
    (is_whole || (last - first) as usize <= lines).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_label_names_the_file_and_its_lines() {
        let window = "[File: /w/src/table.py (400 lines total)]\n(9 more lines above)\n10:a\n11:b\n12:c\n";
        let of = |tool: &str, command: &str, text: &str, about: Option<&str>| {
            let command = Some(command.to_owned()).filter(|command| !command.is_empty());
            let call = ToolCall { tool: tool.into(), command, ..ToolCall::default() };
            or_tool(&call, of(&call, (text, 12), about))
        };
        assert_eq!(of("scroll_down", "scroll_down", window, Some("scroll_down")), "/w/src/table.py 10-12");
        assert_eq!(of("goto", "goto 11", window, Some("goto 11")), "/w/src/table.py 10-12");
        // The output of any other command does not name a file.
        assert_eq!(of("bash", "curl localhost:80", window, Some("curl localhost:80")), "curl localhost:80");
        assert_eq!(
            of("edit", "edit 11:12\nx\nend_of_edit", window, Some("edit 11:12 ...")),
            "edit 11:12 of /w/src/table.py"
        );
        let part = format!(
            "[tersed: lines 2-9 as in goto; x, 3 results ago]\n{}",
            &window[window.find("10:").unwrap()..]
        );
        assert_eq!(of("bash", "sed -n '2,12p' table.py", &part, Some("table.py")), "table.py 2-12");
        let far = part.replace("2-9", "9-99");
        assert_eq!(of("bash", "cat table.py", &far, Some("table.py")), "table.py");
        assert_eq!(
            of("Read", "`./pkg/providers/deepseek/and/more/provider.go`", "x\n", None),
            ".../deepseek/and/more/provider.go"
        );
        assert_eq!(of("bash", "sed -n '20,90p' a.py", "x\n", Some("a.py")), "a.py 20-90");
        assert_eq!(of("bash", "cat a.py", "x\n", Some("a.py")), "a.py");
        assert_eq!(of("bash", "cargo test", "x\n", Some("cargo test")), "cargo test");
        assert_eq!((of("bash", "", "x", None), of("a b", "", "x", None)), ("bash".into(), UNKNOWN.into()));
    }

    #[test]
    fn an_edit_by_a_tool_is_named_as_one() {
        let call = ToolCall {
            tool: "str_replace_editor".into(),
            path: Some("/w/a.py".into()),
            arguments: json!({ "command": "str_replace", "path": "/w/a.py" }),
            ..ToolCall::default()
        };
        assert_eq!(of(&call, ("x\n", 1), Some("/w/a.py")).as_deref(), Some("edit of /w/a.py"));
    }
}
