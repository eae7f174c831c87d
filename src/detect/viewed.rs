//! Whether a call looks at a file, by a tool of its own or by a command, and at which.

use super::command::{CommandLine, Simple};
use super::{Shape, command_shape, read_command, tool_shape};
use crate::text::call::ToolCall;

/// The file that a call looks at, as the call names it; empty where it names none, as `scroll_down` does. `None` for a call
/// that does something else.
pub fn file(call: &ToolCall) -> Option<String> {
    if call.acts() {
        return None;
    }
    let command = call.command.as_deref().map(|text| read_command(call, text)).unwrap_or_default();
    if tool_shape(call) == Shape::File {
        return Some(call.path.clone().or_else(|| named(&command)).unwrap_or_default());
    }
    (command_shape(&command) == Shape::File).then(|| named(&command).unwrap_or_default())
}

/// The last part of a path.
pub fn name(path: &str) -> &str {
    let path = path.trim_matches(['`', '\'', '"']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The one file that the first program reads.
fn named(command: &CommandLine) -> Option<String> {
    let simple = command.pipelines.iter().find(|p| p.is_shown())?.first()?;
    let mut words = files(simple);
    let file = words.next()?;
    words.next().is_none().then(|| file.to_owned())
}

/// The words of a program that may be files.
fn files(simple: &Simple) -> impl Iterator<Item = &str> {
    // The first word of these that is no option says what to show.
    let scripts = usize::from(matches!(simple.program(), "sed" | "awk" | "gawk" | "mawk"));
    let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let words = simple.argv.iter().skip(1).map(String::as_str);
    words.filter(move |word| !word.starts_with(['-', '+']) && !is_number(word)).skip(scripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_tools_and_commands() {
        let seen = |tool: &str, path: Option<&str>, command: Option<&str>| {
            file(&ToolCall {
                tool: tool.into(),
                path: path.map(Into::into),
                command: command.map(Into::into),
                ..ToolCall::default()
            })
        };
        assert_eq!(seen("Read", Some("/w/src/a.rs"), None).as_deref(), Some("/w/src/a.rs"));
        for line in
            ["cat src/a.rs", "sed -n '1,9p' src/a.rs", "head -n 20 src/a.rs", "nl -ba src/a.rs | sed -n 1,9p"]
        {
            assert_eq!(seen("bash", None, Some(line)).as_deref(), Some("src/a.rs"), "{line}");
        }
        assert_eq!(seen("bash", None, Some("cat a.rs b.rs")).as_deref(), Some(""));
        for line in ["cargo test", "cat a.rs; ls", "grep x a.rs"] {
            assert_eq!(seen("bash", None, Some(line)), None, "{line}");
        }
        assert_eq!(seen("edit", Some("a.rs"), None), None);
        assert_eq!((name("/w/a.rs"), name("a.rs")), ("a.rs", "a.rs"));
    }
}
