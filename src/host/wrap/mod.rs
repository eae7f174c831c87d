//! Wraps a command line in `tersed run`, if that changes nothing but the amount of output.
//!
//! For a single program, `tersed run` is put in front, so that the shell still reads quotes, variables and redirections. A
//! list or pipeline becomes one argument, which the same shell reads again. Setup commands (`cd`, `export`, `source`) stay
//! in front, in the shell itself. A command line is left alone if it is not understood, changes the shell, runs in the
//! background, waits for a person, or never ends.

mod split;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::detect::command::{CommandLine, Simple};
use crate::host::run::Shown;
use split::{Part, first_word, split, without_assignments};
use words::{BUILTINS, ENDLESS, HARMLESS, INTERACTIVE, KEYWORDS, SETUP_BUILTINS, SHELLS, WATCHERS};

/// Flags for the wrapped command.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wrap<'a> {
    /// Id of the conversation; empty if unknown.
    pub session: &'a str,
    /// Id of the call; empty if unknown.
    pub call: &'a str,
    /// How long output may be held; if not set, the default of `tersed run`.
    pub patience: Option<Duration>,
    /// The host's limits, if known.
    pub shown: Option<Shown>,
    /// Whether this program is called by its absolute path: a shell that reads its profile may have another `PATH` than the
    /// hook.
    pub has_whole_path: bool,
}

/// The wrapped command line; `None` if it should run unchanged.
pub fn wrap(command: &str, session: &str, call: &str) -> Option<String> {
    Wrap { session, call, ..Wrap::default() }.around(command)
}

/// The name of this program.
const PROGRAM: &str = "tersed";
/// Longest command line that is wrapped, in bytes.
const MAX_COMMAND_BYTES: usize = 64 << 10;

impl Wrap<'_> {
    /// See [`wrap`].
    pub fn around(&self, command: &str) -> Option<String> {
        if cfg!(not(unix)) || command.len() > MAX_COMMAND_BYTES || command.contains('\0') {
            return None;
        }
        let parts = split(command)?;
        let is_setup =
            |part: &Part<'_>| first_word(part.text).is_some_and(|word| SETUP_BUILTINS.contains(&word));
        let scene = parts.iter().take_while(|part| is_setup(part)).count();
        let body = &parts[scene..];
        let (head, tail) = (body.first()?, body.last()?);
        // `cd x
        //
        // make` runs the rest if the setup failed.
        if parts[..scene].iter().any(|part| matches!(part.end, "|" | "||")) {
            return None;
        }
        // `cd x && a; b` runs `b` even if `cd` failed; one argument after `&&` would not.
        let needs_all = scene.checked_sub(1).is_some_and(|last| parts[last].end == "&&");
        if needs_all && body[..body.len() - 1].iter().any(|part| !matches!(part.end, "&&" | "|")) {
            return None;
        }
        let text = &command[head.start..tail.start + tail.text.len()];
        let after = &command[tail.start + tail.text.len()..];
        let line = CommandLine::parse(text);
        let simples: Vec<&Simple> = line.pipelines.iter().flatten().collect();
        if simples.is_empty() || !simples.iter().all(|simple| is_plain(simple)) {
            return None;
        }
        let may_bring_programs = parts[..scene]
            .iter()
            .any(|part| matches!(first_word(part.text), Some("export" | "source" | ".")));
        let programs = body.iter().map(|part| program(part.text)).collect::<Option<Vec<&str>>>()?;
        for word in &programs {
            let is_known = HARMLESS.contains(word) || may_bring_programs || is_program(word);
            if !is_known || (BUILTINS.contains(word) && !HARMLESS.contains(word)) {
                return None;
            }
        }
        if programs.iter().all(|word| HARMLESS.contains(word)) {
            return None;
        }
        let run = self.run()?;
        let wrapped = match body {
            [only] if !HARMLESS.contains(&programs[0]) && only.is_simple => {
                let start = only.text.len() - without_assignments(only.text).len();
                format!("{}{run} -- {}", &only.text[..start], &only.text[start..])
            }
            _ => format!("{run} --shell {}", quoted(text)),
        };
        Some(format!("{}{wrapped}{after}", &command[..head.start]))
    }

    /// `tersed run` with its flags.
    fn run(&self) -> Option<String> {
        let mut run = own_program(self.has_whole_path)?;
        run.push_str(" run");
        if !self.session.is_empty() {
            run += &format!(" --session {}", quoted(self.session));
        }
        if !self.call.is_empty() {
            run += &format!(" --call {}", quoted(self.call));
        }
        if let Some(patience) = self.patience {
            run += &format!(" --patience {}s", patience.as_secs());
        }
        if let Some(Shown { whole, failed }) = self.shown {
            run += &format!(" --host-limit {whole}");
            if failed != whole {
                run += &format!(" --host-limit-failed {failed}");
            }
        }
        Some(run)
    }
}

/// Variable with which a user allows wrapping commands in hosts where the hook does not do so by default.
pub const VARIABLE: &str = "TERSED_WRAP";

/// Whether the user set that variable.
pub fn is_wanted() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1" || value == "true")
}

/// Whether a command line contains a command of ours.
pub fn is_wrapped(command: &str) -> bool {
    command.contains("tersed run ") || command.contains("tersed' run ")
}

/// Whether this program wrapped the command line for this call: nobody else knows the call's id at that time.
pub fn is_of_call(command: &str, session: &str, call: &str) -> bool {
    !call.is_empty()
        && command.contains(&format!(" run --session {} --call {} ", quoted(session), quoted(call)))
}

/// The program that a part runs; `None` if it is not a plain word, or is a keyword.
fn program(text: &str) -> Option<&str> {
    first_word(without_assignments(text)).filter(|word| !KEYWORDS.contains(word))
}

/// Whether no word suggests a program that asks a person or never ends.
fn is_plain(simple: &Simple) -> bool {
    let name = simple.program();
    let arguments = &simple.argv[usize::from(!simple.argv.is_empty())..];
    let is =
        |list: &[&str]| list.contains(&name) || simple.via.iter().any(|via| list.contains(&via.as_str()));
    if is(INTERACTIVE) || simple.via.iter().any(|via| via == "ssh") {
        return false;
    }
    if SHELLS.contains(&name) && arguments.is_empty() && !["cat", "tee", "wc", "sort", "grep"].contains(&name)
    {
        return false;
    }
    let waits = |argument: &String| {
        ENDLESS.contains(&argument.as_str())
            || argument.starts_with("--watch")
            || argument.starts_with("dev:")
    };
    // `cargo` uses most of these words differently.
    let may_wait = if name == "cargo" { arguments.iter().any(|a| a == "watch") } else { is(WATCHERS) };
    if may_wait && arguments.iter().any(waits) {
        return false;
    }
    name != "git"
        || !matches!(simple.git_subcommand(), Some("rebase" | "bisect" | "mergetool" | "difftool" | "commit"))
        || arguments
            .iter()
            .any(|argument| matches!(argument.as_str(), "-m" | "--continue" | "--abort" | "--no-edit"))
}

/// Whether a word names an executable file. Otherwise it may be a function or alias, which a child process does not have.
fn is_program(word: &str) -> bool {
    if word.contains('/') {
        return true;
    }
    on_path(word).is_some()
}

/// The file that a program name stands for.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| is_file(path))
}

#[cfg(unix)]
fn is_file(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// How to call this program: by its name if the search path finds it, else by its path.
fn own_program(has_whole_path: bool) -> Option<String> {
    let path: PathBuf = match on_path(PROGRAM) {
        Some(_) if !has_whole_path => return Some(PROGRAM.to_owned()),
        Some(path) if path.is_absolute() => path,
        _ => std::env::current_exe().ok().filter(|path| path.is_file())?,
    };
    path.to_str().map(quoted)
}

/// Quotes a text as one word of a POSIX shell.
pub fn quoted(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(&b);
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(command: &str) -> Option<String> {
        let own = own_program(false).unwrap();
        wrap(command, "s", "c 1")
            .map(|text| text.replace(&format!("{own} run --session s --call 'c 1'"), "RUN"))
    }

    #[test]
    fn a_whole_path_is_one_word_that_names_a_program() {
        let wrap = Wrap { has_whole_path: true, ..Wrap::default() };
        let line = wrap.around("ls -l").unwrap();
        let words = shell_words::split(&line).unwrap();
        assert!(Path::new(&words[0]).is_absolute() && is_file(Path::new(&words[0])), "{line}");
        assert_eq!(words[1..], ["run", "--", "ls", "-l"]);
    }

    #[test]
    fn one_program_stays_in_its_shell() {
        let same = [
            ("ls -l *.rs \"$HOME\" 'a b' 2>&1", "RUN -- ls -l *.rs \"$HOME\" 'a b' 2>&1"),
            ("FOO=1 BAR=x ls", "FOO=1 BAR=x RUN -- ls"),
            ("  ls $(echo 'a;b') ; ", "  RUN -- ls $(echo 'a;b') ; "),
            ("cd /tmp && ls -a", "cd /tmp && RUN -- ls -a"),
            ("cd \"a && b\"; export X='y'; ./run.sh", "cd \"a && b\"; export X='y'; RUN -- ./run.sh"),
            (
                "source .venv/bin/activate && no-such-pytest -x",
                "source .venv/bin/activate && RUN -- no-such-pytest -x",
            ),
        ];
        for (command, expected) in same {
            assert_eq!(wrapped(command).as_deref(), Some(expected), "{command}");
        }
    }

    #[test]
    fn lists_and_pipelines_are_one_argument() {
        let texts = [
            ("ls | tail -5", "RUN --shell 'ls | tail -5'"),
            ("ls > out.txt", "RUN --shell 'ls > out.txt'"),
            ("ls 2>/dev/null", "RUN --shell 'ls 2>/dev/null'"),
            ("cd x && ls 'a' && ./b.sh | wc", r"cd x && RUN --shell 'ls '\''a'\'' && ./b.sh | wc'"),
            ("ls\nls -a\n", "RUN --shell 'ls\nls -a'\n"),
            ("cd x; ls || ./b.sh", "cd x; RUN --shell 'ls || ./b.sh'"),
            ("ls; echo $?", "RUN --shell 'ls; echo $?'"),
        ];
        for (command, expected) in texts {
            assert_eq!(wrapped(command).as_deref(), Some(expected), "{command}");
        }
    }

    #[test]
    fn what_is_not_understood_or_waits_is_left_alone() {
        for command in [
            "",
            "   ",
            "cd /tmp",
            "export A=1",
            "A=1",
            "A=$(ls) && ls",
            "ls &",
            "ls & ls",
            "(cd x; ls)",
            "{ ls; }",
            "for i in 1 2; do ls; done",
            "if ls; then ls; fi",
            "cat <<EOF\nx\nEOF",
            "ls; cd x",
            "ls && export A=1",
            "set -e; ls",
            "vim a",
            "python3",
            "ssh host ls",
            "sudo ls",
            "docker run -it x",
            "tail -f log",
            "npm run dev",
            "git rebase -i",
            "ls 'a",
            "ls \"a",
            "ls $(ls",
            "echo hello",
            "eval ls",
            "exec ls",
            "trap x EXIT; ls",
            "no-such-program-here -x",
            "ls # words",
            "tersed run -- ls",
            "ls &&",
            "ls |",
            "wait",
            "kill 1",
            "! ls",
            "time ls",
            "f() { ls; }",
            "ls >(cat)",
            "diff <(ls) <(ls)",
            "ls; echo $$",
            "alias x=ls; x",
            "ls |& cat",
            "git commit",
            "cd x || ls",
            "A='b c' ls",
            "cd x && ls; ls -a",
            "cd x && ls || ls -a",
        ] {
            assert_eq!(wrapped(command), None, "{command}");
        }
    }
}
