//! Calls that change a part of a file: which lines of their result show the change, and whether the result reports
//! that the edit was rejected.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::stop;
use crate::text::call::ToolCall;
use crate::text::source::Source;

/// Lines on each side of a change that belong to it.
const CONTEXT_LINES: usize = 3;
/// Names of arguments under which tools take the new text.
const NEW_TEXT: &[&str] = &[
    "new_string",
    "new_str",
    "new_text",
    "newString",
    "newText",
    "newStr",
    "replacement",
    "replace",
    "insert_text",
    "insertText",
    "text",
    "content",
    "new_content",
    "new_source",
];
/// Most new texts that are searched for. Bounds the work.
const MAX_TEXTS: usize = 16;
/// Words of tools that rejected an edit, in lower case.
const REJECTIONS: &[&str] = &[
    "not been applied",
    "not applied",
    "no replacement was performed",
    "not been updated",
    "no changes were made",
    "no change was made",
    "edit failed",
    "failed to edit",
    "failed to apply",
    "does not apply",
    "edit was rejected",
    "tool use was rejected",
    "introduced new syntax error",
    "string to replace not found",
    "could not find the exact text",
    "failed to find expected lines",
    "did not appear verbatim",
    "<tool_use_error>",
    "has been denied",
    "was denied",
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "no space left on device",
    "user rejected",
    "user denied",
    "user doesn't want",
    "user declined",
    "not been written",
    "was not written",
    "failed to write",
    "was not modified",
    "out of 1 hunk failed",
];
static WORDS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(REJECTIONS).ok());
/// Longest line that is searched for these words, in bytes: longer lines are data.
const MAX_SAID_BYTES: usize = 400;

/// Whether a call changes a part of a file. One that writes a whole file has no lines around its change.
pub fn is_edit(call: &ToolCall) -> bool {
    const WHOLE: &[&str] = &["write", "write_file", "create", "create_file", "delete_file"];
    let is_whole = call.arguments.get("command").is_some_and(|command| command == "create");
    call.has_side_effects() && !is_whole && !call.is_tool(WHOLE)
}

/// Whether the name of an unknown tool shows that it changes files.
pub fn is_named_edit(call: &ToolCall) -> bool {
    const WORDS: &[&str] =
        &["edit", "replace", "patch", "write", "insert", "modify", "update_file", "updatefile"];
    // The name of a tool for to-do lists may contain such a word too.
    let name = call.canonical_tool();
    call.path.is_some() && call.command.is_none() && WORDS.iter().any(|word| name.contains(word))
}

/// Whether a call should have changed a file and its result says that it did not.
pub fn is_rejected(call: &ToolCall, text: &str) -> bool {
    if call.has_side_effects() || is_named_edit(call) {
        return call.succeeded() == Some(false) || says_rejected(text);
    }
    let Some(command) = call.command.as_deref() else { return false };
    if is_editor(call, command) {
        return says_rejected(text);
    }
    // A shell that cannot write a file names that file in its message. Other messages may come from later programs.
    command.contains('>') && {
        let lines = text.lines().take(MAX_SHELL_LINES).filter(|line| line.len() <= MAX_SAID_BYTES);
        lines.filter(|line| UNWRITTEN.iter().any(|words| line.contains(words))).any(|line| {
            let words = line.split([' ', ':', '\'', '"', '`', '\u{2018}', '\u{2019}']);
            words
                .filter(|word| word.contains(['/', '.']) || word.len() > 3)
                .any(|word| is_written_to(command, word))
        })
    }
}

/// Lines of a result that are searched for the message of a shell: it comes before the output of other programs, or
/// alone.
const MAX_SHELL_LINES: usize = 16;
/// Messages of systems and shells for a file that cannot be written.
const UNWRITTEN: &[&str] = &[
    "Permission denied",
    "permission denied",
    "Read-only file system",
    "read-only file system",
    "No such file or directory",
    "no such file or directory",
    "Directory nonexistent",
    "Is a directory",
    "is a directory",
    "Operation not permitted",
    "No space left on device",
    "cannot overwrite existing file",
    "Not a directory",
    "Access is denied",
];

/// Whether a command writes to a file of this name by a redirection.
fn is_written_to(command: &str, name: &str) -> bool {
    let mut places = memchr::memmem::find_iter(command.as_bytes(), name.as_bytes()).take(MAX_TEXTS);
    places.any(|at| {
        stop::check_sometimes();
        command[..at].trim_end_matches([' ', '"', '\'', '|', '&']).ends_with('>')
    })
}

/// Whether a command is one of an editor of lines, or applies a patch, whatever tool runs it.
fn is_editor(call: &ToolCall, command: &str) -> bool {
    const FIRST: &[&str] = &["edit", "insert", "append", "str_replace_editor", "str_replace"];
    const ANY: &[&str] = &["apply_patch", "applypatch", "patch"];
    let first = command.trim_start().split(char::is_whitespace).next().unwrap_or_default();
    let patches = || {
        let line = super::read_command(call, command);
        line.pipelines.iter().flatten().any(|simple| {
            ANY.contains(&simple.program()) || matches!(simple.git_subcommand(), Some("apply" | "am"))
        })
    };
    FIRST.contains(&first) || ["patch", "git "].iter().any(|word| command.contains(word)) && patches()
}

/// Whether a line shows a line of a file, by its number.
fn is_of_file(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && line[digits..].starts_with([':', '\t', '|', '→'])
}

/// Whether a short line that is not part of a file says that the edit was rejected.
fn says_rejected(text: &str) -> bool {
    let Some(words) = WORDS.as_ref() else { return false };
    let bytes = text.as_bytes();
    words.find_iter(text).any(|found| {
        stop::check_sometimes();
        // Search no further than a short line reaches, because one long line may hold the words everywhere.
        let from = found.start().saturating_sub(MAX_SAID_BYTES);
        let start = match memchr::memrchr(b'\n', &bytes[from..found.start()]) {
            Some(at) => from + at + 1,
            None if from == 0 => 0,
            None => return false,
        };
        let most = bytes.len().min(start + MAX_SAID_BYTES + 1);
        let Some(rest) = bytes.get(found.end()..most) else { return false };
        let end = match memchr::memchr(b'\n', rest) {
            Some(at) => found.end() + at,
            None if most == bytes.len() => most,
            None => return false,
        };
        // A line of a patch is one of a file, too.
        !is_of_file(&text[start..end]) && !text[start..end].starts_with(['+', '-'])
    })
}

/// Which lines of a result show a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// The call is not an edit.
    Nothing,
    /// It is unknown which lines show the change, so any line may.
    Somewhere,
    /// These lines, which include three more on each side of the change.
    Lines(Vec<Range<usize>>),
}

/// The lines of an edit's result that show the change. For a rejected edit, the lines that it would have written, if the
/// result shows them.
pub fn touched(call: &ToolCall, source: &Source<'_>) -> Touched {
    if !is_edit(call) {
        return Touched::Nothing;
    }
    let is_rejected = is_rejected(call, source.text());
    let found = by_numbers(call, source, is_rejected).or_else(|| by_text(call, source)).unwrap_or_default();
    if found.is_empty() {
        return Touched::Somewhere;
    }
    let wider = |lines: Range<usize>| {
        lines.start.saturating_sub(CONTEXT_LINES)..(lines.end + CONTEXT_LINES).min(source.len())
    };
    Touched::Lines(found.into_iter().map(wider).collect())
}

/// The texts that an edit writes into its file, as far as its arguments give them.
pub fn new_texts(call: &ToolCall) -> Vec<&str> {
    if !is_edit(call) {
        return Vec::new();
    }
    let texts = call.named_texts();
    texts
        .into_iter()
        .filter(|(name, _)| NEW_TEXT.contains(name))
        .map(|(_, text)| text)
        .take(MAX_TEXTS)
        .collect()
}

/// The lines that a call writes into a file, longest first: from its arguments, or from the command of an editor of lines.
pub fn new_lines(call: &ToolCall) -> Vec<&str> {
    /// A shorter line may occur anywhere, and a longer one is not compared.
    const BYTES: Range<usize> = 12..256;
    let mut texts = new_texts(call);
    let body = call.command.as_deref().and_then(|command| Some((command, command.split_once('\n')?)));
    if let Some((command, (_, body))) = body
        && ["edit ", "insert "].iter().any(|verb| command.starts_with(verb))
    {
        texts.push(body);
    }
    let lines = texts.into_iter().flat_map(str::lines).take(MAX_NEW_LINES).map(str::trim);
    let mut lines: Vec<&str> = lines.filter(|line| BYTES.contains(&line.len())).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
    lines
}

/// The most lines of an edit that are looked at. Bounds the work.
const MAX_NEW_LINES: usize = 4096;

/// The lines that the command `edit 12:14` of an editor of lines replaces.
pub fn range(call: &ToolCall) -> Option<(usize, usize)> {
    let (place, _) = call.command.as_deref()?.strip_prefix("edit ")?.split_once('\n')?;
    let (first, last) = place.trim().split_once(':')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}

/// The commands of an editor of lines: `edit 12:14`, then the new lines up to `end_of_edit`, which are in the view
/// under the numbers from 12 on; `insert 12`, then the same up to `end_of_insert`, from 13 on.
///
/// The result of a rejected edit shows the old lines too, under the same numbers. The `proposed` lines are those that agree
/// with the new text longest.
fn by_numbers(call: &ToolCall, source: &Source<'_>, proposed: bool) -> Option<Vec<Range<usize>>> {
    let command = call.command.as_deref()?;
    let (first, text) = match command.strip_prefix("edit ") {
        Some(_) => (range(call)?.0, command.split_once('\n')?.1),
        None => {
            let (place, text) = command.strip_prefix("insert ")?.split_once('\n')?;
            (place.trim().parse::<usize>().ok()?.saturating_add(1), text)
        }
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    let ends = ["end_of_edit", "end_of_insert"];
    let text = ends.iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    let count = text.lines().count().max(1);
    let numbers = first..first.saturating_add(count);
    let mut out: Vec<Range<usize>> = Vec::new();
    for i in 0..source.len() {
        if source.view().number(i).is_some_and(|number| numbers.contains(&number)) {
            match out.last_mut().filter(|last| last.end == i) {
                Some(last) => last.end = i + 1,
                None => out.push(i..i + 1),
            }
        }
    }
    if proposed {
        let shown = |i: usize| source.view().text(source.raw(i), i).trim_end();
        let starts = |run: &Range<usize>| source.view().number(run.start) == Some(first);
        let equal = |run: &Range<usize>| {
            let lines = text.lines().map(str::trim_end);
            run.clone().zip(lines).take_while(|(i, line)| shown(*i) == *line).count()
        };
        // The old lines may start like the new text, but only the new lines agree with it to the end.
        let most = out.iter().filter(|run| starts(run)).map(&equal).max().unwrap_or_default();
        if most > 0 {
            out.retain(|run| starts(run) && equal(run) == most);
        }
    }
    Some(out)
}

/// The places of the new texts of the arguments.
fn by_text(call: &ToolCall, source: &Source<'_>) -> Option<Vec<Range<usize>>> {
    let mut out = Vec::new();
    let mut texts = call.named_texts();
    texts.retain(|(name, _)| NEW_TEXT.contains(name));
    if texts.len() > MAX_TEXTS {
        return None;
    }
    for (_, text) in texts {
        let found = places(text, source);
        // If no line of the change is found, any line may be part of it.
        if found.is_empty() {
            return None;
        }
        out.extend(found);
    }
    out.sort_by_key(|lines: &Range<usize>| lines.start);
    Some(out)
}

/// The places of a text in the lines of a view. It may start and end within a line.
pub fn places(text: &str, source: &Source<'_>) -> Vec<Range<usize>> {
    let line = |i: usize| source.view().text(source.raw(i), i);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let new: Vec<&str> = text.split('\n').collect();
    let (Some(first), Some(last)) = (new.first(), new.last()) else { return Vec::new() };
    if new.len() == 1 {
        let finder = memchr::memmem::Finder::new(first.as_bytes());
        let has = |i: &usize| !first.is_empty() && finder.find(line(*i).as_bytes()).is_some();
        return (0..source.len()).filter(has).map(|i| i..i + 1).collect();
    }
    // The lines between the first and the last are whole, and lead to the rest.
    let inner = &new[1..new.len() - 1];
    let fits = |start: usize| {
        start >= 1
            && start + inner.len() < source.len()
            && line(start - 1).ends_with(first)
            && line(start + inner.len()).starts_with(last)
    };
    let starts = runs(inner, source.len(), line);
    starts.into_iter().filter(|start| fits(*start)).map(|start| start - 1..start + inner.len() + 1).collect()
}

/// Where the lines `inner` start among `len` lines, by the method of Knuth, Morris and Pratt.
fn runs<'a>(inner: &[&str], len: usize, line: impl Fn(usize) -> &'a str) -> Vec<usize> {
    if inner.is_empty() {
        return (0..=len).collect();
    }
    let mut back = vec![0; inner.len()];
    let mut k = 0;
    for i in 1..inner.len() {
        stop::check_sometimes();
        while k > 0 && inner[k] != inner[i] {
            k = back[k - 1];
        }
        k += usize::from(inner[k] == inner[i]);
        back[i] = k;
    }
    let (mut out, mut k) = (Vec::new(), 0);
    for i in 0..len {
        stop::check_sometimes();
        while k > 0 && (k == inner.len() || inner[k] != line(i)) {
            k = back[k - 1];
        }
        k += usize::from(inner[k] == line(i));
        if k == inner.len() {
            out.push(i + 1 - k);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn call(tool: &str, arguments: Value, command: Option<&str>) -> ToolCall {
        ToolCall { tool: tool.into(), arguments, command: command.map(Into::into), ..ToolCall::default() }
    }

    fn lines(call: &ToolCall, text: &str) -> Touched {
        touched(call, &Source::new(text))
    }

    #[test]
    fn the_lines_of_an_edit_are_found_by_number_and_by_text() {
        let view: String = (1..=20).map(|n| format!("{n}:line {n} of it\n")).collect();
        let edit = call("edit", Value::Null, Some("edit 10:10\nline 10 of it\nline 11 of it\nend_of_edit\n"));
        let runs = |run: Range<usize>| Touched::Lines(vec![run]);
        assert_eq!(lines(&edit, &view), runs(6..14));
        let insert = call("insert", Value::Null, Some("insert 10\nline 11 of it\nend_of_insert\n"));
        assert_eq!(lines(&insert, &view), runs(7..14));
        let new =
            |text: &str| call("Edit", json!({"file_path": "a", "old_string": "x", "new_string": text}), None);
        assert_eq!(lines(&new("10 of it\nline 11 of it\nline 12"), &view), runs(6..15));
        assert_eq!(lines(&new("10 of it\nline 11"), &view), runs(6..14));
        assert_eq!(lines(&new("line 2 of"), &view), runs(0..5));
        // The new text is not in the result, so the change may be on any line.
        assert_eq!(lines(&new("other"), &view), Touched::Somewhere);
        assert_eq!(lines(&new(""), &view), Touched::Somewhere);
        assert_eq!(lines(&call("Read", Value::Null, None), &view), Touched::Nothing);
        assert_eq!(lines(&call("Write", json!({"content": "line 2 of it"}), None), &view), Touched::Nothing);
    }

    #[test]
    fn of_a_rejected_edit_the_old_lines_count_as_any_others() {
        let edit = call("edit", Value::Null, Some("edit 5:5\nnew\nend_of_edit\n"));
        let view = |five: &str| format!("3:a\n4:b\n5:{five}\n6:c\n7:d\n");
        let text = format!("Would have looked:\n{}\nWas:\n{}\nNot applied.\n", view("new"), view("old"));
        let proposed = 0..7;
        assert_eq!(lines(&edit, &text), Touched::Lines(vec![proposed.clone()]));
        assert_eq!(lines(&edit, &text.replace("Not applied.", "Done.")), Touched::Lines(vec![0..7, 7..14]));
        // Both begin with the same line.
        let edit = call("edit", Value::Null, Some("edit 4:5\nb\nnew\nend_of_edit\n"));
        assert_eq!(lines(&edit, &text), Touched::Lines(vec![proposed]));
    }

    #[test]
    fn runs_of_equal_lines_are_found_in_linear_time() {
        let text = "a\n".repeat(4000);
        let edit = call("edit", json!({"new_text": "a\n".repeat(2000)}), None);
        assert!(matches!(lines(&edit, &text), Touched::Lines(all) if all.len() == 2001));
    }

    #[test]
    fn a_rejected_edit_says_so_outside_of_the_file() {
        let edit = call("edit", Value::Null, None);
        assert!(is_rejected(&edit, "[File: a]\n1:x\nYour changes have NOT been applied. Please fix it.\n"));
        assert!(!is_rejected(&edit, "[File: a]\n1:// has not been applied\n2:y\n"));
        assert!(is_rejected(&ToolCall { is_error: Some(true), ..edit.clone() }, "no"));
        assert!(!is_rejected(&call("bash", Value::Null, None), "Your changes have NOT been applied."));
        let bash = |command: &str| call("bash", Value::Null, Some(command));
        let swe = bash("edit 5:5\nx\nend_of_edit");
        assert!(
            is_rejected(&swe, "Your changes have NOT been applied.")
                && !is_rejected(&swe, "1:x\nFile updated.\n")
        );
        let write = call("Write", json!({ "file_path": "/w/a" }), None);
        assert!(is_rejected(&write, "Permission to use Write has been denied."));
        let cat = bash("cat > /ro/a.py <<'EOF'\nx = 1\nEOF\npython /ro/a.py");
        for said in [
            "bash: line 1: /ro/a.py: Permission denied",
            "sh: 1: cannot create /ro/a.py: Read-only file system",
        ] {
            assert!(is_rejected(&cat, said), "{said}");
        }
        // The file was written, and a later program failed.
        assert!(!is_rejected(&cat, "PermissionError: [Errno 13] Permission denied: '/etc/shadow'"));
        assert!(is_rejected(&bash("git apply a.patch"), "error: a.py: patch does not apply"));
        assert!(!is_rejected(&bash("git log -p"), "+    raise Error('edit failed')"));
        assert!(is_rejected(&edit, "ok\nEdit failed") && !is_rejected(&edit, &"edit failed ".repeat(40)));
    }
}
