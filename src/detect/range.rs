//! Whether a call requested certain lines of a file, and which. The agent needs all of these lines.

use serde_json::Value;

use super::command::{CommandLine, Simple};
use crate::text::call::ToolCall;

/// Names under which tools take the lines to show.
const ARGUMENTS: &[&str] = &[
    "offset",
    "limit",
    "view_range",
    "viewRange",
    "line_range",
    "lineRange",
    "range",
    "start_line",
    "end_line",
    "startLine",
    "endLine",
    "line_start",
    "line_end",
    "start_line_one_indexed",
    "end_line_one_indexed_inclusive",
    "line_number",
    "line",
    "lines",
    "head",
    "tail",
];

/// Whether the arguments or the command name lines, or a filter selected lines.
pub(super) fn is_asked(call: &ToolCall, command: &CommandLine) -> bool {
    let is_given = |name: &&str| call.arguments.get(*name).is_some_and(|value| !is_empty(value));
    ARGUMENTS.iter().any(is_given)
        || command.is_filtered()
        || command.pipelines.iter().flatten().any(names_lines)
}

/// The lines of a file that a call asked for, first and last, where it names both: `sed -n 180,300p`, or two arguments.
pub fn asked(call: &ToolCall) -> Option<(u32, u32)> {
    let number = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok());
    let given = |names: &[&str]| names.iter().find_map(|name| number(call.arguments.get(*name)?));
    let pair = ["view_range", "viewRange", "line_range", "lineRange"]
        .iter()
        .find_map(|name| <&[Value; 2]>::try_from(call.arguments.get(*name)?.as_array()?.as_slice()).ok());
    let (first, last) = match pair {
        Some([first, last]) => (number(first)?, number(last)?),
        None => match given(&["start_line", "startLine", "line_start"]) {
            Some(first) => (first, given(&["end_line", "endLine", "line_end"])?),
            None => by_sed(&super::read_command(call, call.command.as_deref()?))?,
        },
    };
    (first <= last).then_some((first, last))
}

/// The one line of a file at which a call looks: `goto 120`, `open a.py 120`.
pub fn asked_line(call: &ToolCall) -> Option<u32> {
    let command = super::read_command(call, call.command.as_deref()?);
    let mut all = command.pipelines.iter().flatten();
    let only = all.next().filter(|_| all.next().is_none())?;
    let place = match only.program() {
        "goto" => 1,
        "open" => 2,
        _ => return None,
    };
    only.argv.get(place).filter(|_| only.argv.len() == place + 1)?.parse().ok()
}

/// The lines that the only `sed` in a command prints.
fn by_sed(command: &CommandLine) -> Option<(u32, u32)> {
    let mut all = command.pipelines.iter().flatten().filter(|simple| simple.program() == "sed");
    let sed = all.next().filter(|_| all.next().is_none())?;
    let mut ranges = sed.argv.iter().skip(1).filter_map(|word| word.strip_suffix('p')?.split_once(','));
    let (first, last) = ranges.next().filter(|_| ranges.next().is_none())?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// Some hosts fill in arguments that the model left out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn names_lines(simple: &Simple) -> bool {
    let mut words = simple.argv.iter().skip(1).map(String::as_str);
    match simple.program() {
        "head" | "tail" => true,
        // `sed -n 180,300p`, `sed -n '/a/,/b/p'`, `sed '10q'`, `sed '/a/,$!d'`
        "sed" => words.any(|word| {
            let quiet = word == "--quiet" || word == "--silent";
            let short = word.starts_with('-') && !word.starts_with("--") && word.contains('n');
            quiet || short || word.starts_with(|c: char| c.is_ascii_digit() || c == '$' || c == '/')
        }),
        "awk" | "gawk" | "mawk" => words.any(|word| word.contains("NR")),
        // `Get-Content a -TotalCount 20`, `… | Select-Object -First 5`
        "Get-Content" | "gc" | "Select-Object" | "select" => words.any(|word| {
            ["-totalcount", "-tail", "-head", "-first", "-last", "-skip", "-index"]
                .iter()
                .any(|flag| word.eq_ignore_ascii_case(flag))
        }),
        "bat" | "batcat" => words.any(|word| word.starts_with("-r") || word.starts_with("--line-range")),
        // Editors of agents: `open a.py 120`, `goto 120`, `scroll_down`.
        "goto" | "scroll_up" | "scroll_down" => true,
        "open" => words.nth(1).is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())),
        "str_replace_editor" => words.any(|word| word == "--view_range"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_ends_are_known_where_the_call_names_them() {
        let of = |arguments: Value, line: &str| {
            let command = Some(line.to_owned()).filter(|line| !line.is_empty());
            asked(&ToolCall { arguments, command, ..ToolCall::default() })
        };
        assert_eq!(of(json!({ "view_range": [3, 9] }), ""), Some((3, 9)));
        assert_eq!(of(json!({ "start_line": 3, "end_line": 9 }), ""), Some((3, 9)));
        assert_eq!(of(Value::Null, "nl -ba a.py | sed -n '20,90p'"), Some((20, 90)));
        for line in
            ["sed -n '/a/,/b/p' a", "sed -n '20,90p;95,99p' a", "sed -n 9p a", "cat a", "sed -n 9,2p a"]
        {
            assert_eq!(of(Value::Null, line), None, "{line}");
        }
        assert_eq!(of(json!({ "view_range": [3, -1] }), ""), None);
    }

    #[test]
    fn an_editor_goes_to_one_line() {
        let of = |line: &str| asked_line(&ToolCall { command: Some(line.to_owned()), ..ToolCall::default() });
        assert_eq!(
            (of("goto 120"), of("open a.py 7"), of("open \"a b.py\" 7")),
            (Some(120), Some(7), Some(7))
        );
        for line in ["goto", "goto x", "open a.py", "open 7", "scroll_down", "goto 1 2", "echo goto 12"] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn ranges_are_seen_in_arguments_and_commands() {
        let asked = |arguments: Value, line: &str| {
            is_asked(&ToolCall { arguments, ..ToolCall::default() }, &CommandLine::parse(line))
        };
        for arguments in
            [json!({"offset": 0}), json!({"view_range": [1, 9]}), json!({"path": "a", "end_line": 3})]
        {
            assert!(asked(arguments.clone(), ""), "{arguments}");
        }
        assert!(!asked(json!({"path": "a", "offset": null, "view_range": []}), ""));
        for line in [
            "sed -n '180,300p' a.rs",
            "nl -ba a | sed -n 1,20p",
            "cat a | head -50",
            "sed -n '/fn a/,/^}/p' a.rs",
            "sed -En '/fn a/,+9p' a.rs",
            "cat a.rs | grep -v '^//'",
            "cat a.rs | awk '/fn a/,/^}/'",
            "goto 12",
            "Get-Content a.rs -TotalCount 20",
            "Get-Content a.rs | Select-Object -First 5",
            "open a.py 7",
        ] {
            assert!(asked(Value::Null, line), "{line}");
        }
        for line in ["cat a.rs", "sed 's/a/b/' a", "nl -ba a.rs", "open a.py"] {
            assert!(!asked(Value::Null, line), "{line}");
        }
    }
}
