//! Whether a text is what stands in a document or source file: then words of a report in it are quoted, whatever they look
//! like. Told by the call alone: anybody can write a file that reads like the report of a test run.
//!
//! A file that a program wrote its output to (`.log`, `.out`, `.txt`) is none, as long as it does not lie where people keep
//! examples.

use serde_json::Value;

use super::command::{CommandLine, Simple};
use super::{Shape, is_written};
use crate::text::call::ToolCall;

/// Programs that show files, beside those whose output has the shape of a file.
const READERS: &[&str] = &["awk", "gawk", "mawk", "zcat", "gunzip", "strings", "tac", "cut", "column"];
/// Programs that fetch what an address names.
const FETCHERS: &[&str] = &["curl", "wget", "http", "xh"];
/// Their options that send something: the answer is what a program made of it. Also as the beginning of a longer word.
const SENDS: &[&str] = &["-d", "-F", "-T", "--data", "--form", "--json", "--upload", "--post", "--body"];
/// Programs that show a file where a script on the command line reads one.
const SCRIPTED: &[&str] = &["python", "python3", "node", "ruby", "perl", "php", "deno", "bun"];
/// What such a script reads a file with.
const READS: &[&str] = &["open(", "read_text", "readFile", "File.read", "file_get_contents", "readTextFile"];
/// Words in the names of tools that show what is kept, and of tools that run something.
const SHOWS: &[&str] = &[
    "read", "view", "cat", "open", "fetch", "get", "show", "load", "download", "file", "resource", "content",
];
const RUNS: &[&str] = &[
    "run", "test", "tests", "exec", "execute", "build", "lint", "check", "compile", "shell", "bash",
    "terminal", "log", "logs", "result", "results", "output", "command",
];
/// Folders in which people keep examples of outputs.
const EXAMPLES: &[&str] = &[
    "doc",
    "docs",
    "documentation",
    "example",
    "examples",
    "sample",
    "samples",
    "fixture",
    "fixtures",
    "testdata",
    "test_data",
    "test-data",
    "golden",
    "goldens",
    "snapshots",
    "__snapshots__",
    "expected",
    ".github",
];
/// Starts of the names of files that are documents under any extension.
const DOCUMENTS: &[&str] = &[
    "readme",
    "changelog",
    "changes",
    "contributing",
    "license",
    "licence",
    "notice",
    "history",
    "news",
    "todo",
    "agents",
];
/// Most arguments that are examined, and the longest path, in bytes. Bounds the work.
const MAX_ARGUMENTS: usize = 64;
const MAX_PATH_BYTES: usize = 1024;

/// See the module.
pub(super) fn is_document(call: &ToolCall, command: &CommandLine, shape: Shape) -> bool {
    if command.pipelines.is_empty() {
        return (matches!(shape, Shape::File | Shape::Search) || shows(&call.tool)) && names_document(call);
    }
    let is_file = call.path.as_deref().is_some_and(names_one);
    let mut producers = command.producers().map(|(simple, _)| simple).peekable();
    producers.peek().is_some() && producers.all(|simple| reads(simple, shape, is_file))
}

/// Whether a program shows a document.
fn reads(simple: &Simple, shape: Shape, is_file: bool) -> bool {
    let words = || simple.argv.iter().skip(1).map(String::as_str);
    if SCRIPTED.contains(&simple.program()) {
        let script = words().find(|word| READS.iter().any(|read| word.contains(read)));
        return script.is_some_and(|script| script.split(['"', '\'', '`']).any(names_one));
    }
    if FETCHERS.contains(&simple.program()) {
        // Beside the address there may be names of files that are written or sent.
        let is_host = |host: &str| host.contains('.') && !host.starts_with(['.', '-']);
        let is_address =
            |word: &str| word.contains("://") || word.split_once('/').is_some_and(|(host, _)| is_host(host));
        let sends = words().any(|word| SENDS.iter().any(|option| word.starts_with(option)));
        return !sends && words().any(|word| is_address(word) && names_one(word));
    }
    let shows = matches!(shape, Shape::File | Shape::Search) || READERS.contains(&simple.program());
    shows && (is_file || words().any(names_one))
}

/// Whether a tool shows what is kept, by the words of its name.
fn shows(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in name.chars() {
        let is_new = !last.is_alphanumeric() || c.is_uppercase() && last.is_lowercase();
        match words.last_mut().filter(|_| !is_new) {
            Some(word) if c.is_alphanumeric() => word.extend(c.to_lowercase()),
            _ if c.is_alphanumeric() => words.push(c.to_lowercase().collect()),
            _ => {}
        }
        last = c;
    }
    let has = |of: &[&str]| words.iter().any(|word| of.contains(&word.as_str()));
    has(SHOWS) && !has(RUNS)
}

/// Whether a call without a command names a document: by its path, or by any argument that reads like one.
fn names_document(call: &ToolCall) -> bool {
    fn found(value: &Value, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        match value {
            Value::String(text) => names_one(text),
            Value::Array(items) => items.iter().any(|item| found(item, left)),
            Value::Object(members) => members.values().any(|item| found(item, left)),
            _ => false,
        }
    }
    call.path.as_deref().is_some_and(names_one) || found(&call.arguments, &mut MAX_ARGUMENTS.clone())
}

/// Whether a word is the path or the address of a document.
fn names_one(word: &str) -> bool {
    if word.is_empty()
        || word.len() > MAX_PATH_BYTES
        || word.starts_with('-')
        || word.contains(char::is_whitespace)
    {
        return false;
    }
    let word = word.trim_matches(['`', '\'', '"']);
    let path = word.split(['?', '#']).next().unwrap_or(word);
    // `HEAD:docs/guide.md`
    let name = path.rsplit(['/', '\\', ':']).next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or(&lower);
    let folders = path[..path.len() - name.len()].split(['/', '\\', ':']);
    is_written(name)
        || is_written(&lower)
        || DOCUMENTS.contains(&stem)
        || folders.into_iter().any(|folder| EXAMPLES.contains(&folder.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::detect::detect;
    use crate::text::source::Source;

    fn by_command(command: &str) -> bool {
        let call = ToolCall { tool: "bash".into(), command: Some(command.into()), ..ToolCall::default() };
        detect(&call, &Source::new("x")).is_document
    }

    #[test]
    fn commands_that_show_documents() {
        for command in [
            "cat README.md",
            "cat README",
            "cat README.txt",
            "sed -n 1,200p docs/guide.rst",
            "git show HEAD:docs/out.log",
            "awk '{print}' notes.md",
            "curl -s https://example.org/x/README.md?raw=1",
            "curl example.org/x/README.md",
            "python3 -c 'print(open(\"README.md\").read())'",
            "cat docs/a.md build.log",
            "cat docs/run.log",
            "tail -100 tests/fixtures/pass/output.txt",
            "grep -h ok README.md",
            "cd a && head -300 src/lib.rs",
        ] {
            assert!(by_command(command), "{command}");
        }
        for command in [
            "cat build.log",
            "cat test-output.txt",
            "tail -100 /tmp/ci.log",
            "cargo test",
            "curl -X POST -F file=@printenv.pl http://localhost:8000/cgi-bin/file.pl",
            "curl -d a=b https://example.org/a.php",
            "curl -o a.json https://example.org/api",
            "python run_tests.py",
            "python -m pytest tests/test_a.py",
            "node test.js",
            "bash build.sh",
            "cat a.md; cargo test",
            "",
        ] {
            assert!(!by_command(command), "{command}");
        }
    }

    #[test]
    fn tools_that_show_documents() {
        let by_tool = |tool: &str, path: Option<&str>, arguments: Value| {
            let call =
                ToolCall { tool: tool.into(), path: path.map(Into::into), arguments, ..ToolCall::default() };
            detect(&call, &Source::new("x")).is_document
        };
        assert!(by_tool("Read", Some("README.md"), Value::Null));
        assert!(by_tool("mcp__fs__read_text_file", None, json!({"uri": "file:///a/docs/x.txt"})));
        assert!(by_tool("getFileContents", None, json!({"files": ["a/b.rs"]})));
        assert!(by_tool("read_multiple_files", None, json!({"paths": ["a.log", "b.md"]})));
        assert!(!by_tool("Read", Some("/tmp/build.log"), Value::Null));
        assert!(!by_tool("run_tests", Some("tests/test_a.py"), Value::Null));
        assert!(!by_tool("get_test_results", None, json!({"file": "tests/test_a.py"})));
        assert!(!by_tool("bash", None, json!({"x": "a.md"})));
    }
}
