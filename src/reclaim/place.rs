//! Decides in which folder a call runs, which file a name means there, and whether its exit status covers all
//! programs that ran. The file system is not read: paths are computed from the calls. If that is not enough, it stays
//! unknown whether two names mean the same file.

use crate::detect::command::lex::{Dialect, Token, lex};
use crate::detect::command::{looks_like_powershell, without_quotes};
use crate::detect::{read_command, viewed};
use crate::text::call::ToolCall;

/// Names of arguments that hold the folder in which a command runs.
const FOLDERS: &[&str] =
    &["workdir", "cwd", "working_directory", "workingDirectory", "working_dir", "workingDir", "directory"];
/// Programs that run other programs on another machine or in a container, with another file system.
const ELSEWHERE: &[&str] = &[
    "ssh",
    "docker",
    "docker-compose",
    "podman",
    "nerdctl",
    "kubectl",
    "oc",
    "lxc",
    "vagrant",
    "wsl",
    "chroot",
];
/// The longest computed path, in bytes; no file system has longer paths.
const MAX_PATH: usize = 4096;

/// The longest command that is parsed, in bytes: longer ones contain a file.
const MAX_COMMAND: usize = 64 << 10;
/// The most changes of the folder that are recorded. Bounds the work; real command lines have fewer.
const MAX_MOVES: usize = 16;
/// The most nested scripts that are parsed: `bash -c "sh -c '…'"`.
const MAX_DEPTH: usize = 3;

/// What a call says about the folder in which it runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Folder {
    /// The folder in an argument of the call.
    given: Option<Box<str>>,
    /// How the command changes the folder; `None` for a call without a command.
    moves: Option<Box<Moves>>,
    is_elsewhere: bool,
}

impl Folder {
    pub(super) fn of(call: &ToolCall) -> Self {
        let given = FOLDERS.iter().find_map(|name| call.arguments.get(name)?.as_str());
        let command = call.command.as_deref();
        let is_elsewhere = || {
            let line = read_command(call, command.unwrap_or_default());
            let mut via = line.pipelines.iter().flatten().flat_map(|simple| &simple.via);
            via.any(|name| ELSEWHERE.contains(&name.as_str()))
        };
        Self {
            given: given.filter(|given| !given.is_empty()).map(Into::into),
            moves: command.map(|command| Box::new(Moves::of(command))),
            is_elsewhere: command.is_some() && is_elsewhere(),
        }
    }

    /// Whether the exit status is only that of the last program, so that an earlier failure may be hidden.
    pub(super) fn is_status_masked(&self) -> bool {
        self.moves.as_ref().is_some_and(|moves| moves.is_masked)
    }

    /// Bytes of memory in addition to the struct itself.
    pub(super) fn bytes(&self) -> usize {
        let moves = self.moves.as_ref().map_or(0, |moves| {
            let words = moves.before.iter().chain(&moves.all);
            size_of::<Moves>() + words.map(|word| size_of::<String>() + word.len()).sum::<usize>()
        });
        self.given.as_ref().map_or(0, |given| given.len()) + moves
    }
}

/// The shell of a conversation. It is not known whether one shell runs all commands, or each command has its own
/// shell that starts in the same folder; it is guessed from how the model changes folders.
#[derive(Debug, Clone, Default)]
pub(super) struct Shell {
    /// Its current folder if one shell runs all commands. Without a leading `/` it is relative to its first folder.
    at: String,
    /// Whether one shell runs all commands.
    is_one_shell: bool,
    /// The number of changes to an unknown folder so far.
    unknown: usize,
}

/// Where a call runs.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) folder: String,
    /// The number of the other machine or container on which it runs.
    elsewhere: Option<usize>,
}

impl Shell {
    /// The folder of the next call. Also moves the shell.
    pub(super) fn run(&mut self, call: &Folder) -> Place {
        let elsewhere = call.is_elsewhere.then(|| {
            self.unknown += 1;
            self.unknown
        });
        let given = call.given.as_deref().map(|given| joined("", given));
        let Some(moves) = &call.moves else {
            return Place { folder: given.unwrap_or_default(), elsewhere };
        };
        // A command that only changes the folder, or goes back, makes sense only if one shell runs all commands.
        let back = |to: &String| to == "-" || to == ".." || to.starts_with("../");
        self.is_one_shell |= !moves.runs && !moves.all.is_empty() || moves.all.first().is_some_and(back);
        let start = match given {
            Some(given) => given,
            None if self.is_one_shell || moves.before.is_empty() => self.at.clone(),
            None => String::new(),
        };
        let folder = moves.before.iter().fold(start.clone(), |at, to| self.moved(&at, to));
        if call.given.is_none() && !call.is_elsewhere && !moves.all.is_empty() {
            // If all moves before the first program also count for the shell, only the rest is applied.
            let same = moves.all.iter().zip(&moves.before).take_while(|(a, b)| a == b).count();
            let from = if same == moves.before.len() { folder.clone() } else { start };
            let rest = if same == moves.before.len() { &moves.all[same..] } else { &moves.all[..] };
            self.at = rest.iter().fold(from, |at, to| self.moved(&at, to));
        }
        Place { folder, elsewhere }
    }

    fn moved(&mut self, at: &str, to: &str) -> String {
        if to != "-" {
            return joined(at, to);
        }
        self.unknown += 1;
        format!("?{}", self.unknown)
    }
}

impl Place {
    /// The file that a name means in this folder.
    pub(super) fn file(&self, name: &str) -> String {
        match self.elsewhere {
            Some(number) => format!("?{number}/{}", viewed::name(name)),
            None => joined(&self.folder, name),
        }
    }
}

/// How a command line changes the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Moves {
    /// The folder changes before the first program runs. `-` is an unknown folder.
    before: Vec<String>,
    /// All folder changes that still hold when the line ends.
    all: Vec<String>,
    /// Whether a program ran.
    runs: bool,
    /// Whether the status is only that of the last program, hiding earlier failures: `a | b`, `a; b`, `a || b`.
    is_masked: bool,
}

impl Moves {
    /// Parses a command line.
    fn of(text: &str) -> Self {
        let text = without_quotes(text);
        let mut out = Self::default();
        if text.len() > MAX_COMMAND {
            // The command is not parsed, so it may do anything.
            return Self { runs: true, is_masked: true, ..out };
        }
        let dialect = if looks_like_powershell(text) { Dialect::PowerShell } else { Dialect::Posix };
        out.read(text, dialect, false, 0);
        out
    }

    /// Parses a part of a command line. With `is_inner`, folder changes in this part end with it.
    fn read(&mut self, text: &str, dialect: Dialect, is_inner: bool, depth: usize) {
        let tokens = lex(text, dialect);
        let mut groups = 0_usize;
        let mut words: Vec<&str> = Vec::new();
        let mut has_run = false;
        let last = tokens.iter().rposition(|token| matches!(token, Token::Word(_))).unwrap_or(0);
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(word) => words.push(&word.text),
                Token::Redirect(..) => {}
                Token::Op(op) => {
                    has_run |= self.simple(&words, is_inner || groups > 0 || *op == "|", depth);
                    words.clear();
                    match *op {
                        "(" => groups += 1,
                        ")" => groups = groups.saturating_sub(1),
                        "&&" => {}
                        // With this option, a pipe fails if one of its programs fails.
                        "|" if text.contains("pipefail") => {}
                        _ => self.is_masked |= has_run && at < last,
                    }
                }
            }
        }
        self.simple(&words, is_inner || groups > 0, depth);
    }

    /// Parses one command. Returns whether a program ran.
    fn simple(&mut self, words: &[&str], is_inner: bool, depth: usize) -> bool {
        const KEYWORDS: &[&str] =
            &["{", "!", "if", "then", "else", "elif", "while", "until", "do", "time", "builtin", "command"];
        let leads = |word: &&&str| {
            KEYWORDS.contains(*word) || word.split_once('=').is_some_and(|(name, _)| is_name(name))
        };
        let first = words.iter().take_while(leads).count();
        let Some((program, rest)) = words.get(first..).and_then(<[&str]>::split_first) else { return false };
        let program = program.rsplit('/').next().unwrap_or(program);
        let to = match program {
            "cd" | "pushd" | "chdir" | "Set-Location" | "sl" => {
                rest.iter().copied().find(|word| *word == "-" || !word.starts_with(['-', '+'])).unwrap_or("~")
            }
            "popd" => "-",
            "bash" | "sh" | "zsh" | "dash" | "ksh" => {
                let is_script = |word: &&str| word.starts_with('-') && word.ends_with('c');
                if let Some(at) = rest.iter().position(is_script)
                    && let Some(script) = rest.get(at + 1).filter(|_| depth < MAX_DEPTH)
                {
                    self.read(script, Dialect::Posix, true, depth + 1);
                    return self.runs;
                }
                // It is unknown what a script does with the status of a program.
                self.is_masked = true;
                self.runs = true;
                return true;
            }
            "export" | "source" | "." | "set" | "unset" | "alias" | "umask" | "ulimit" | "shopt" | "true"
            | ":" | "}" | "fi" | "done" | "exit" => return false,
            program => {
                self.is_masked |= program.ends_with(".sh");
                self.runs = true;
                return true;
            }
        };
        if self.before.len() < MAX_MOVES && !self.runs {
            self.before.push(to.to_owned());
        }
        if !is_inner {
            // Only the last changes matter.
            if self.all.len() >= MAX_MOVES {
                self.all.clear();
                self.all.push("-".to_owned());
            }
            self.all.push(to.to_owned());
        }
        false
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A path relative to a folder, normalised.
fn joined(folder: &str, path: &str) -> String {
    let path = path.trim_matches(['`', '\'', '"']);
    let is_whole = path.starts_with(['/', '\\', '~', '$']) || path.as_bytes().get(1) == Some(&b':');
    let mut parts: Vec<&str> = Vec::new();
    let folder = if is_whole { "" } else { folder };
    let is_rooted = if is_whole { path.starts_with(['/', '\\']) } else { folder.starts_with('/') };
    for part in folder.split('/').chain(path.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.starts_with('?')) => {
                _ = parts.pop()
            }
            ".." if is_rooted && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    let mut out = String::with_capacity(folder.len() + path.len() + 2);
    for part in parts {
        if out.len() + part.len() > MAX_PATH {
            break;
        }
        if is_rooted || !out.is_empty() {
            out.push('/');
        }
        out.push_str(part);
    }
    out
}

/// Whether two paths mean the same file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SameFile {
    /// The same file.
    Yes,
    /// Perhaps the same file.
    Perhaps,
    /// Another file.
    No,
}

/// Compares two paths from [`Place::file`].
pub(super) fn compare_paths(one: &str, other: &str) -> SameFile {
    if one == other {
        return SameFile::Yes;
    }
    let is_whole = |path: &str| path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let is_end = |short: &str, long: &str| {
        let known = |part: &&str| !(*part == ".." || part.starts_with(['?', '~', '$']));
        let mut short = short.rsplit('/').take_while(known).peekable();
        let mut long = long.rsplit('/').take_while(known);
        short.peek().is_some() && short.all(|part| long.next() == Some(part))
    };
    let may_be = !is_whole(one) && is_end(one, other) || !is_whole(other) && is_end(other, one);
    if may_be { SameFile::Perhaps } else { SameFile::No }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn folders(commands: &[&str]) -> Vec<String> {
        let mut shell = Shell::default();
        let run = |command: &&str| {
            let call = ToolCall { command: Some((*command).to_owned()), ..ToolCall::default() };
            shell.run(&Folder::of(&call)).folder
        };
        commands.iter().map(run).collect()
    }

    #[test]
    fn a_shell_goes_on_from_where_it_stands() {
        assert_eq!(folders(&["cd a", "cargo test", "cd ../b", "cargo test"]), ["a", "a", "b", "b"]);
        assert_eq!(folders(&["cd a && x", "cd b && x", "cd a && x"]), ["a", "b", "a"]);
        assert_eq!(folders(&["cd /w/a && x", "x", "cd /w && x"]), ["/w/a", "/w/a", "/w"]);
        assert_eq!(folders(&["cd a", "cd .. && x", "(cd b && y)", "x"]), ["a", "", "b", ""]);
        let back = folders(&["cd a && x", "cd - && x", "x"]);
        assert_eq!((&*back[1], &*back[2]), ("?1", "?1"));
    }

    #[test]
    fn an_argument_names_the_folder() {
        let run = |folder: &str| {
            let arguments = json!({ "command": ["cat", "a"], "workdir": folder });
            let call = ToolCall { command: Some("cat a".into()), arguments, ..ToolCall::default() };
            Shell::default().run(&Folder::of(&call)).file("a")
        };
        assert_eq!(
            (run("/w/a"), run("/w/b/../c/"), run("d")),
            ("/w/a/a".into(), "/w/c/a".into(), "d/a".into())
        );
    }

    #[test]
    fn other_machines_have_other_files() {
        let mut shell = Shell::default();
        let mut file = |command: &str| {
            let call = ToolCall { command: Some(command.into()), ..ToolCall::default() };
            shell.run(&Folder::of(&call)).file("/etc/a.conf")
        };
        let [one, other, here] =
            ["ssh h1 cat -n /etc/a.conf", "ssh h2 cat -n /etc/a.conf", "cat -n /etc/a.conf"].map(&mut file);
        assert_eq!(
            (compare_paths(&one, &other), compare_paths(&one, &here)),
            (SameFile::Perhaps, SameFile::Perhaps)
        );
    }

    #[test]
    fn files_are_told_apart_by_their_paths() {
        for (one, other, is) in [
            ("/w/a.rs", "/w/a.rs", SameFile::Yes),
            ("/w/src/parser/mod.rs", "/w/src/lexer/mod.rs", SameFile::No),
            ("/w/a.rs", "/w.bak/a.rs", SameFile::No),
            ("/w/a.rs", "/a.rs", SameFile::No),
            ("src/a.rs", "/w/src/a.rs", SameFile::Perhaps),
            ("packages/a/index.ts", "packages/b/index.ts", SameFile::No),
            ("?1/a.rs", "src/a.rs", SameFile::Perhaps),
            ("~/src/a.rs", "/home/u/src/a.rs", SameFile::Perhaps),
            ("src/a.rs", "src/b.rs", SameFile::No),
        ] {
            assert_eq!((compare_paths(one, other), compare_paths(other, one)), (is, is), "{one} {other}");
        }
        assert_eq!(joined("/w", "../../a/./b.rs"), "/a/b.rs");
        assert_eq!(joined("a", "../../b.rs"), "../b.rs");
        assert_eq!(joined("", r"C:\w\a.rs"), "C:/w/a.rs");
    }

    #[test]
    fn where_a_command_line_goes_is_read() {
        let of = |text: &str| {
            let moves = Moves::of(text);
            (moves.before.join(" "), moves.all.join(" "), moves.runs)
        };
        let is = |before: &str, all: &str, runs| (before.to_owned(), all.to_owned(), runs);
        assert_eq!(of("cd a && FOO=1 cargo test; cd ../b"), is("a", "a ../b", true));
        assert_eq!(of("cd"), is("~", "~", false));
        assert_eq!(of("{ cd a; }; if cd b; then x; fi"), is("a b", "a b", true));
        assert_eq!(of("(cd a && ls)"), is("a", "", true));
        assert_eq!(of("bash -lc 'cd a && ls'"), is("a", "", true));
        assert_eq!(of("export A=1; cd -- 'x y'; popd"), is("x y -", "x y -", false));
        assert_eq!(of("cat > a <<'EOF'\ncd x\nEOF\n"), is("", "", true));
        assert_eq!(of(&"cd a;".repeat(99)).0.len(), 2 * MAX_MOVES - 1);
    }

    #[test]
    fn a_status_that_hides_another_is_known() {
        for text in ["make | tail", "make; true", "make || true", "make\necho x", "./t.sh", "bash t.sh"] {
            assert!(Moves::of(text).is_masked, "{text}");
        }
        for text in ["make", "cd a; make", "cd a && make && ls", "set -o pipefail; make | tail", "make 2>&1;"]
        {
            assert!(!Moves::of(text).is_masked, "{text}");
        }
    }
}
