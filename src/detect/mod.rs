//! Detects the kind of an output from its call: parses the command like a shell, and derives the shape of the
//! text from the tool or the programs. Whether the content matches is checked by the reducers.

pub mod command;
mod document;
pub mod edit;
pub(crate) mod json;
pub mod output_name;
pub mod pointed;
pub mod range;
pub mod sections;
pub mod viewed;
pub mod wrapper;

use std::cell::RefCell;
use std::rc::Rc;

use crate::text::call::ToolCall;
use crate::text::source::Source;
use command::{CommandLine, Dialect, Simple};

/// The broad shape of an output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// A file or a part of it.
    File,
    /// Lines that a search found.
    Search,
    /// Names of files.
    Listing,
    /// Changes.
    Diff,
    /// Anything else, or not known.
    #[default]
    Other,
}

impl Shape {
    /// The family's name in the evidence; `None` when not known.
    pub fn family(self) -> Option<&'static str> {
        match self {
            Self::File => Some("file"),
            Self::Search => Some("search"),
            Self::Listing => Some("listing"),
            Self::Diff => Some("diff"),
            Self::Other => None,
        }
    }
}

/// The properties that follow from the call.
#[derive(Debug, Clone, Default)]
pub struct Detection {
    /// The parsed command.
    pub command: Rc<CommandLine>,
    /// The shape.
    pub shape: Shape,
    /// Whether the text is a file that people write: source code, configuration, documentation.
    pub is_written: bool,
    /// Whether it is a file in a format of data, which programs write too.
    pub is_data: bool,
    /// Whether some of the text shows lines of a file with their numbers.
    pub is_numbered: bool,
    /// Whether the shape follows from a command line, and not from a specialized tool.
    pub is_by_command: bool,
    /// Whether the text is the window of an editor, in which an agent edits by line numbers.
    pub is_window: bool,
    /// Whether the call requested certain lines of a file.
    pub is_range: bool,
    /// Whether the text shows a file from a later line than the first on: these lines were chosen, by this or an
    /// earlier call.
    pub starts_later: bool,
    /// Whether the text is the content of a document or source file, so that a report in it is a quotation.
    pub is_document: bool,
}

impl Detection {
    /// Whether the text shows a part of a file, or its lines with their numbers.
    pub fn is_view(&self) -> bool {
        self.is_numbered || self.is_range || self.is_window
    }

    /// Whether the text is a requested range of a file that people write, such as source code: an agent wants to edit or
    /// quote these lines. Logs and data that programs write do not count.
    pub fn is_exact_range(&self) -> bool {
        self.is_range && self.shape == Shape::File && self.is_written && !self.is_data
    }

    /// Whether words such as "error" report a failure, and are not quoted or part of source code. A log file
    /// reports the failures of the program that wrote it.
    pub fn reports_failures(&self) -> bool {
        let is_quoted = self.is_document && !document::has_other_programs(&self.command);
        !is_quoted && self.shape == Shape::Other || (self.shape == Shape::File && !self.is_written)
    }

    /// Whether every part of the command only reads: it shows files that people write or changes, searches, lists, counts
    /// or prints a text of its own. Words of failures in such an output are quotations, even if the output has no shape.
    pub fn only_looks(&self) -> bool {
        let looks = |(at, simple): (usize, &Simple)| match program_shape(simple) {
            // A log reports the failures of the program that wrote it.
            Shape::File => at > 0 || self.is_written,
            Shape::Other => PLAIN.contains(&simple.program()),
            Shape::Search | Shape::Listing | Shape::Diff => true,
        };
        let pipelines = &self.command.pipelines;
        !pipelines.is_empty() && pipelines.iter().all(|pipeline| pipeline.iter().enumerate().all(looks))
    }
}

/// Detects the properties from the call and the head of the text.
pub fn detect(call: &ToolCall, source: &Source<'_>) -> Detection {
    let command = call.command.as_deref().map(|text| read_command(call, text)).unwrap_or_default();
    of_command(call, command, source)
}

/// Longest command that is remembered, in bytes.
const MAX_REMEMBERED_BYTES: usize = 16 << 10;

/// A parsed command: the shell's language if the tool gives it, the text, and the result.
type Read = (Option<Dialect>, Box<str>, Rc<CommandLine>);

thread_local! {
    /// The command that was parsed last: several steps need the same one.
    static LAST: RefCell<Option<Read>> = const { RefCell::new(None) };
}

/// Parses the command in the dialect of the tool's shell.
pub(crate) fn read_command(call: &ToolCall, text: &str) -> Rc<CommandLine> {
    let dialect = match () {
        () if call.is_tool(&["powershell", "pwsh", "run_powershell"]) => Some(Dialect::PowerShell),
        () if call.is_tool(&["cmd", "cmd_exe", "batch"]) => Some(Dialect::Cmd),
        () => None,
    };
    let last = LAST.take();
    let command = match &last {
        Some((of, known, command)) if *of == dialect && **known == *text => Rc::clone(command),
        _ => Rc::new(match dialect {
            Some(dialect) => CommandLine::parse_as(text, dialect),
            None => CommandLine::parse(text),
        }),
    };
    let is_same = last.as_ref().is_some_and(|(_, _, known)| Rc::ptr_eq(known, &command));
    LAST.set(match is_same || text.len() > MAX_REMEMBERED_BYTES {
        true => last,
        false => Some((dialect, text.into(), Rc::clone(&command))),
    });
    command
}

/// Detects the kind of a part of the command from its lines.
pub fn of_command(call: &ToolCall, command: Rc<CommandLine>, source: &Source<'_>) -> Detection {
    // A tool with a known shape is not a shell, whatever its arguments look like.
    let by_tool = tool_shape(call);
    let shape = match by_tool {
        Shape::Other => command_shape(&command),
        shape => shape,
    };
    let window = source.lines().take(3).any(|l| l.starts_with("[File: ") && l.contains(" lines total)]"));
    // For a tool that shows files, the argument "command" may name the file.
    let program = usize::from(by_tool != Shape::File);
    let names = |is_such: fn(&str) -> bool| {
        call.path.as_deref().is_some_and(is_such)
            || command.producers().any(|(s, _)| s.argv.iter().skip(program).any(|word| is_such(word)))
    };
    let is_written = names(is_written);
    let shape = if window { Shape::File } else { shape };
    Detection {
        is_written: is_written || window,
        is_data: names(is_data),
        is_window: window,
        is_by_command: by_tool == Shape::Other,
        is_numbered: is_numbered_view(source),
        is_range: range::is_asked(call, &command),
        starts_later: starts_later(source),
        is_document: window || document::is_document(call, &command, shape),
        command,
        shape,
    }
}

/// Whether the first line of a numbered view has a later number than the first of a file. Lines that a viewer writes
/// above it have none.
fn starts_later(source: &Source<'_>) -> bool {
    const LINES_ABOVE: usize = 4;
    let view = source.view();
    view.numbered() * 2 > source.len()
        && (0..source.len().min(LINES_ABOVE)).find_map(|i| view.number(i)).is_some_and(|number| number > 1)
}

/// Extensions of files that people write, where "error" is a word like any other.
const WRITTEN: &[&str] = &[
    "rs",
    "go",
    "py",
    "pyi",
    "js",
    "jsx",
    "mjs",
    "cjs",
    "ts",
    "tsx",
    "java",
    "kt",
    "kts",
    "scala",
    "c",
    "h",
    "cc",
    "cpp",
    "hpp",
    "cxx",
    "m",
    "mm",
    "cs",
    "fs",
    "rb",
    "php",
    "swift",
    "lua",
    "pl",
    "pm",
    "r",
    "jl",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "clj",
    "dart",
    "zig",
    "sh",
    "bash",
    "zsh",
    "ps1",
    "bat",
    "sql",
    "html",
    "htm",
    "css",
    "scss",
    "less",
    "vue",
    "svelte",
    "md",
    "rst",
    "adoc",
    "tex",
    "json",
    "jsonc",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "gradle",
    "cmake",
    "proto",
    "graphql",
    "tf",
    "lock",
    "ipynb",
    "el",
    "vim",
];

/// Extensions of formats of data, which programs write as often as people.
const DATA: &[&str] = &["json", "yaml", "yml", "lock", "ipynb"];

fn is_written(path: &str) -> bool {
    extension(path).is_some_and(|extension| WRITTEN.contains(&extension))
}

fn is_data(path: &str) -> bool {
    extension(path).is_some_and(|extension| DATA.contains(&extension))
}

fn extension(path: &str) -> Option<&str> {
    // Some hosts quote it.
    let path = path.trim_matches(['`', '\'', '"']);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// Lines at the start that are examined for numbers. A choice, for speed.
const NUMBERED_HEAD_LINES: usize = 400;
/// Lines in a row that must be numbered one after the other.
const NUMBERED_RUN: u64 = 5;

/// Whether the text shows a part of a file with line numbers, as `cat -n`, editors and agents' file
/// viewers write them: `12<tab>`, `12:`, `12|`, `12→`, `12 │`.
fn is_numbered_view(source: &Source<'_>) -> bool {
    // First and last number of the run so far.
    let mut run: Option<(u64, u64)> = None;
    for line in source.lines().take(NUMBERED_HEAD_LINES) {
        let trimmed = line.trim_start();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = trimmed.split_at(digits);
        let number: Option<u64> =
            number.parse().ok().filter(|_| rest.starts_with(['\t', ':', '|', '→']) || rest.starts_with(" │"));
        run = number.map(|n| match run {
            Some((first, last)) if n == last + 1 => (first, n),
            _ => (n, n),
        });
        if run.is_some_and(|(first, last)| last - first + 1 >= NUMBERED_RUN) {
            return true;
        }
    }
    false
}

/// Tools by name, compared in lower case.
const TOOLS: &[(Shape, &[&str])] = &[
    (
        Shape::File,
        &[
            "read",
            "read_file",
            "read_files",
            "readfile",
            "view",
            "view_file",
            "open",
            "open_file",
            "cat",
            "notebookread",
            "goto",
            "scroll_up",
            "scroll_down",
            "read_many_files",
            "str_replace_editor",
            "get_file_contents",
        ],
    ),
    (
        Shape::Search,
        &[
            "grep",
            "search",
            "search_file",
            "search_dir",
            "search_files",
            "grep_search",
            "search_file_content",
            "codebase_search",
            "ripgrep",
            "search_method",
            "search_class",
            "search_code",
            "search_text",
            "search_in_files",
            "search_for_pattern",
            "find_in_files",
            "text_search",
            "code_search",
            "git_grep",
        ],
    ),
    (
        Shape::Listing,
        &[
            "ls",
            "glob",
            "list",
            "list_dir",
            "list_directory",
            "list_files",
            "find_file",
            "find_files",
            "tree",
            "glob_file_search",
            "file_search",
            "directory_tree",
            "find_by_name",
            "listdir",
        ],
    ),
];

fn tool_shape(call: &ToolCall) -> Shape {
    TOOLS.iter().find(|(_, names)| call.is_tool(names)).map_or(Shape::Other, |(shape, _)| *shape)
}

fn command_shape(line: &CommandLine) -> Shape {
    let mut shapes = line.pipelines.iter().filter(|p| p.is_shown()).map(|pipeline| {
        let is_changed = pipeline.iter().skip(1).any(|s| TRANSFORMS.contains(&s.program()));
        pipeline.first().filter(|_| !is_changed).map_or(Shape::Other, program_shape)
    });
    let first = shapes.next().unwrap_or_default();
    if shapes.all(|s| s == first) { first } else { Shape::Other }
}

/// Whether an argument names a file in a revision.
fn is_blob(argument: &str) -> bool {
    !argument.starts_with('-') && argument.split_once(':').is_some_and(|(_, path)| !path.is_empty())
}

/// Filters whose output differs from the lines that they read.
const TRANSFORMS: &[&str] = &[
    "python",
    "python3",
    "node",
    "ruby",
    "perl",
    "jq",
    "yq",
    "wc",
    "xmllint",
    "base64",
    "md5sum",
    "sha256sum",
    "xxd",
    "od",
    "hexdump",
    "ForEach-Object",
    "Measure-Object",
    "Format-Table",
    "ConvertFrom-Json",
];

/// Programs that only print their arguments, count or sort.
const PLAIN: &[&str] = &["echo", "printf", "pwd", "wc", "sort", "uniq", "cut", "tr"];

fn program_shape(simple: &Simple) -> Shape {
    match simple.program() {
        "cat" | "head" | "tail" | "sed" | "nl" | "bat" | "batcat" | "less" | "more" | "view" | "open"
        | "goto" | "scroll_up" | "scroll_down" | "type" | "tac" | "Get-Content" | "gc" => Shape::File,
        "str_replace_editor" | "edit" => Shape::File,
        // Lines of a file picked by their numbers.
        "awk" | "gawk" | "mawk" if simple.argv.iter().skip(1).any(|a| a.contains("NR")) => Shape::File,
        "grep" | "egrep" | "fgrep" | "zgrep" | "ggrep" | "ugrep" | "rg" | "rga" | "ag" | "ack"
        | "search_dir" | "search_file" | "findstr" | "Select-String" | "sls" => Shape::Search,
        "ls" | "find" | "fd" | "fdfind" | "tree" | "du" | "dir" | "find_file" | "exa" | "eza" | "vdir"
        | "locate" | "Get-ChildItem" | "gci" => Shape::Listing,
        "diff" | "colordiff" => Shape::Diff,
        "gh" if simple.argv.get(1).is_some_and(|a| a == "pr")
            && simple.argv.get(2).is_some_and(|a| a == "diff") =>
        {
            Shape::Diff
        }
        "svn" | "hg" if simple.subcommand() == Some("diff") => Shape::Diff,
        "git" => match simple.git_subcommand() {
            Some("grep") => Shape::Search,
            Some("ls-files" | "ls-tree") => Shape::Listing,
            // `git show HEAD:src/a.rs`
            Some("show") if simple.argv.iter().skip(2).any(|a| is_blob(a)) => Shape::File,
            Some("cat-file") if simple.argv.iter().any(|a| is_blob(a)) => Shape::File,
            Some("stash") if simple.has_flag(&["-p", "--patch"]) => Shape::Diff,
            Some("diff" | "show" | "format-patch") => Shape::Diff,
            Some("log") if simple.has_flag(&["-p", "-u", "--patch"]) => Shape::Diff,
            _ => Shape::Other,
        },
        _ => Shape::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_lines_are_a_file() {
        let view = |text: &str| is_numbered_view(&Source::new(text));
        assert!(view("edited:\n 8\ta\n 9\tb\n10\t\n11\td\n12\te\n") && view("1:a\n2:b\n3:c\n4:d\n5:e"));
        assert!(!view("3:a\n9:b\n12:c\n14:d\n15:e\n17:f\n") && !view("1. a\n2. b\n3. c\n4. d\n5. e\n"));
    }

    #[test]
    fn shapes_of_calls() {
        let shape = |tool: &str, command: Option<&str>| {
            let call =
                ToolCall { tool: tool.into(), command: command.map(Into::into), ..ToolCall::default() };
            detect(&call, &Source::new("x")).shape
        };
        assert_eq!(shape("Read", None), Shape::File);
        assert_eq!(shape("mcp__fs__list_directory", None), Shape::Listing);
        assert_eq!(shape("bash", Some("cd a && sed -n '1,9p' b.c")), Shape::File);
        assert_eq!(shape("bash", Some("cat a; ls")), Shape::Other);
        assert_eq!(shape("bash", Some("git diff | head")), Shape::Diff);
        assert_eq!(shape("bash", Some("cargo test")), Shape::Other);
        assert_eq!(shape("Read", Some("`src/a.rs`")), Shape::File);
    }

    #[test]
    fn commands_that_only_look_quote_failures() {
        let looks = |command: &str| {
            let call =
                ToolCall { tool: "bash".into(), command: Some(command.to_owned()), ..ToolCall::default() };
            detect(&call, &Source::new("x")).only_looks()
        };
        assert!(looks("echo '== where =='; grep -rn error src | head -5 && sed -n 1,9p src/a.rs"));
        assert!(looks("cd /w && ls src && wc -l src/a.rs | sort -n"));
        assert!(!looks("tail -50 build.log; ls"), "what wrote it failed");
        assert!(!looks("make >/dev/null; ls") && !looks("find . | xargs make") && !looks("./run | sort"));
        assert!(!looks("echo run && make") && !looks("cat a.py | python3 -") && !looks("cargo test"));
        assert!(!looks(""));
    }
}
