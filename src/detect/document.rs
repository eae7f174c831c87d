//! Whether a text is the content of a document or source file, so that reports in it are quotations. Only the call decides
//! this: anybody can write a file that looks like the report of a test run.
//!
//! In a list of commands, other programs may run besides the one that shows the document, if they only list, count
//! or print something.
//!
//! A file to which a program wrote its output (`.log`, `.out`, `.txt`) is not a document, unless it is in a folder of
//! examples.

use serde_json::Value;

use super::command::{CommandLine, Simple};
use super::{Shape, is_written, program_shape};
use crate::text::call::ToolCall;

/// Programs that show files, beside those whose output has the shape of a file.
const READERS: &[&str] = &["awk", "gawk", "mawk", "zcat", "gunzip", "strings", "tac", "cut", "column"];
/// Programs that unpack a file to their output, and the options for that.
const UNPACKERS: &[(&str, &[&str])] = &[
    ("tar", &["O", "--to-stdout"]),
    ("bsdtar", &["O", "--to-stdout"]),
    ("unzip", &["-p", "-c"]),
    ("7z", &["-so"]),
];
/// Programs that write no report of their own.
const QUIET: &[&str] = &[
    "[",
    "basename",
    "chmod",
    "cp",
    "date",
    "df",
    "dirname",
    "du",
    "echo",
    "env",
    "file",
    "find",
    "hostname",
    "id",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "nproc",
    "printenv",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "seq",
    "sha256sum",
    "stat",
    "test",
    "touch",
    "tree",
    "tty",
    "uname",
    "uptime",
    "wc",
    "which",
    "whoami",
];
/// The same of `git`. Others may run hooks.
const QUIET_OF_GIT: &[&str] = &[
    "blame",
    "branch",
    "config",
    "describe",
    "diff",
    "log",
    "ls-files",
    "remote",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "tag",
];
/// Arguments that ask a program for its version, and nothing else.
const VERSION: &[&str] = &["--version", "-V", "-v", "version", "-version"];
/// Programs that copy a file, whose copy is a document if the file is one.
const COPIERS: &[&str] = &["cp", "mv", "ln", "install"];
/// Programs that fetch the content of an address.
const FETCHERS: &[&str] = &["curl", "wget", "http", "xh"];
/// Their options that send data: the answer is then the output of a program. A longer word may also start with one
/// of them.
const SENDS: &[&str] = &["-d", "-F", "-T", "--data", "--form", "--json", "--upload", "--post", "--body"];
/// Programs that show a file if a script on the command line reads one.
const SCRIPTED: &[&str] = &["python", "python3", "node", "ruby", "perl", "php", "deno", "bun"];
/// Calls with which such a script reads a file.
const READS: &[&str] = &["open(", "read_text", "readFile", "File.read", "file_get_contents", "readTextFile"];
/// Words in the names of tools that show stored data, and of tools that run something.
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
/// Starts of the names of files that are documents or examples under any extension.
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
    "golden",
    "expected",
];
/// Most arguments that are examined, and the longest path, in bytes. Bounds the work.
const MAX_ARGUMENTS: usize = 64;
const MAX_PATH_BYTES: usize = 1024;

/// Whether the text of a call is the content of a document or source file; the head of this file defines it.
pub(super) fn is_document(call: &ToolCall, command: &CommandLine, shape: Shape) -> bool {
    if command.pipelines.is_empty() {
        return (matches!(shape, Shape::File | Shape::Search) || shows(&call.tool)) && names_document(call);
    }
    let is_file = call.path.as_deref().is_some_and(names_one);
    let copies: Vec<&str> = command.pipelines.iter().filter_map(|pipeline| copy(pipeline.first()?)).collect();
    let is_one = |word: &str| names_one(word) || copies.contains(&word);
    // Beside other programs only files count as documents: the results of a search may report failures, and a fetched text
    // may be the answer of a service.
    let is_chosen =
        |simple: &Simple| program_shape(simple) == Shape::Search || FETCHERS.contains(&simple.program());
    let is_chosen = command.producers().any(|(simple, _)| is_chosen(simple));
    let mut producers = command.producers().map(|(simple, _)| simple);
    let mut has_any = false;
    let fits = producers.all(|simple| {
        let reads = reads(simple, shape, is_file, &is_one);
        has_any |= reads;
        reads || !is_chosen && is_quiet(simple)
    });
    fits && has_any
}

/// The file that a program makes as a copy of a document.
fn copy(simple: &Simple) -> Option<&str> {
    let words = simple.argv.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-'));
    let words: Vec<&str> = words.collect();
    match *words {
        [from, to] if COPIERS.contains(&simple.program()) && names_one(from) => Some(to),
        _ => None,
    }
}

/// Whether a program writes no report of its own, whatever its arguments.
fn is_quiet(simple: &Simple) -> bool {
    let program = simple.program();
    let words = simple.argv.iter().skip(1);
    // `find -exec` and `env` run another program.
    let runs = match program {
        "find" => words.clone().any(|word| word.starts_with("-exec") || word.starts_with("-ok")),
        "env" => words.len() > 0,
        _ => false,
    };
    QUIET.contains(&program) && !runs
        || program == "git" && simple.git_subcommand().is_some_and(|name| QUIET_OF_GIT.contains(&name))
        || words.len() > 0 && words.clone().all(|word| VERSION.contains(&word.as_str()))
}

/// Whether the command has other programs besides the one that shows the document. Failures that these report are
/// real.
pub(super) fn has_other_programs(command: &CommandLine) -> bool {
    command.producers().any(|(simple, _)| is_quiet(simple) && !matches!(simple.program(), "echo" | "printf"))
}

/// Whether a program shows a document.
fn reads(simple: &Simple, shape: Shape, is_file: bool, is_one: &dyn Fn(&str) -> bool) -> bool {
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
    let unpacks = |options: &&[&str]| {
        // The letters of `tar xOf` are in one word.
        let is = |word: &str, option: &str| match option.len() {
            1 => words().next() == Some(word) && !word.starts_with("--") && word.contains(option),
            _ => word == option,
        };
        words().any(|word| options.iter().any(|option| is(word, option)))
    };
    let unpacker = UNPACKERS.iter().find(|(name, _)| *name == simple.program());
    let has_shape = |shape| matches!(shape, Shape::File | Shape::Search);
    let shows = has_shape(shape)
        || has_shape(program_shape(simple))
        || READERS.contains(&simple.program())
        || unpacker.is_some_and(|(_, options)| unpacks(options));
    shows && (is_file || words().any(is_one))
}

/// Whether a tool shows stored data, by the words of its name.
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
            "ls; cat README.md",
            "wc -l README.md && cat README.md",
            "git status -s; cat README.md",
            "pwd; sed -n 1,200p README.md",
            "cat README.md; echo; echo done",
            "touch x && cat README.md",
            "cp README.md x; cat x",
            "date; cat README.md | head -200",
            "[ -f README.md ] && cat README.md || true",
            "cargo --version; cat README.md",
            "zcat golden.gz",
            "tar xOf a.tar docs/x.txt",
            "unzip -p a.zip README.md",
            "cat tests/expected.txt || true",
            "cat -A tests/golden.out",
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
            "cargo test > out.log; cat out.log",
            "cp README.md x; cat out.log",
            "ls; cat build.log",
            "ls docs",
            "echo a; grep -n error src/lib.rs",
            "echo a; curl https://a.org/README.md",
            "git commit -m x; cat README.md",
            "find . -exec make ';'; cat README.md",
            "env A=1 make; cat README.md",
            "tar xf a.tar docs/x.txt; make",
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
