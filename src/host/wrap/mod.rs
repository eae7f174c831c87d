//! Wraps a command line in `tersed run`, if that changes nothing but the amount of output.
//!
//! For a single program, `tersed run` is put before it, so that the shell still reads quotes, variables and
//! redirections. A list or pipeline becomes one argument, which a fresh shell of the same kind reads, if nothing in
//! it can mean something else there. Setup commands (`cd`, `export`, activations) stay before it, in the shell
//! itself. A command line is left alone if it is not understood, depends on the shell or changes it, runs in the
//! background, waits for a person, or never ends.

mod split;
mod state;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::detect::command::{CommandLine, Simple};
use crate::host::run::Shown;
use split::{Part, first_word, split, without_assignments};
use state::{Defined, Fresh, SetupCommands, is_special, status_from};
use words::{BUILTINS, ENDLESS, HARMLESS, INTERACTIVE, KEYWORDS, SHELLS, WATCHERS};

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
/// Longest wrapped one: Linux takes 128 KiB as one argument, and the host may add to it.
const MAX_WRAPPED_BYTES: usize = 100 << 10;

impl Wrap<'_> {
    /// See [`wrap`].
    pub fn around(&self, command: &str) -> Option<String> {
        self.within(command, Defined::of_user)
    }

    /// Like [`Self::around`], with the meanings that the user's shell gives to words.
    fn within(&self, command: &str, defined: impl FnOnce() -> Defined) -> Option<String> {
        if cfg!(not(unix)) || command.len() > MAX_COMMAND_BYTES || command.contains('\0') {
            return None;
        }
        let parts = split(command)?;
        let commands = SetupCommands::of(&parts)?;
        let (setup, body) = parts.split_at(commands.len);
        let (head, tail) = (body.first()?, body.last()?);
        // `cd x || make` runs the rest if the setup failed.
        if setup.iter().any(|part| matches!(part.end, "|" | "||")) {
            return None;
        }
        // `cd x && a; b` runs `b` even if `cd` failed; one argument after `&&` would not.
        let needs_all = setup.last().is_some_and(|last| last.end == "&&");
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
        let programs = body.iter().map(|part| program(part.text)).collect::<Option<Vec<&str>>>()?;
        if programs.iter().all(|word| HARMLESS.contains(word)) || body.iter().any(asks_the_shell) {
            return None;
        }
        let defined = defined();
        let is_known = |word: &str| {
            let is_program = || is_program(word) || commands.may_provide(word);
            !defined.has(word) && (HARMLESS.contains(&word) || (!BUILTINS.contains(&word) && is_program()))
        };
        if !programs.iter().all(|word| is_known(word)) {
            return None;
        }
        if programs.contains(&"which") && text.split_ascii_whitespace().any(|word| defined.has(word)) {
            return None;
        }
        let wrapped = match body {
            [only] if !HARMLESS.contains(&programs[0]) && only.is_simple => {
                let command = without_assignments(only.text);
                let set = &only.text[..only.text.len() - command.len()];
                let names = || set.split_ascii_whitespace().filter_map(|word| word.split('=').next());
                if names().any(is_special) {
                    return None;
                }
                let run = self.run(commands.changes_path || names().any(|name| name == "PATH"))?;
                format!("{set}{run} -- {command}")
            }
            _ => {
                let fresh = Fresh { commands: &commands, is_known: &is_known };
                let is_same = !defined.has_options && !commands.exports_unnamed;
                if !is_same || !fresh.reads(text, status_from(body) - head.start) {
                    return None;
                }
                format!("{} --shell {}", self.run(commands.changes_path)?, quoted(text))
            }
        };
        let whole = format!("{}{wrapped}{after}", &command[..head.start]);
        (whole.len() <= MAX_WRAPPED_BYTES).then_some(whole)
    }

    /// `tersed run` with its flags. If the setup may change the search path, this program is called by its absolute
    /// path.
    fn run(&self, changes_path: bool) -> Option<String> {
        let mut run = own_program(self.has_whole_path || changes_path)?;
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

/// Whether this program wrapped the command line for this call: no other program knows the id of the call at that
/// time.
pub fn is_of_call(command: &str, session: &str, call: &str) -> bool {
    !call.is_empty()
        && command.contains(&format!(" run --session {} --call {} ", quoted(session), quoted(call)))
}

/// The program that a part runs; `None` if it is not a plain word, or is a keyword.
fn program(text: &str) -> Option<&str> {
    first_word(without_assignments(text)).filter(|word| !KEYWORDS.contains(word))
}

/// Whether a builtin may test variables or options of its shell, or set a variable: `[ -v NAME ]`, `printf -v NAME`.
fn asks_the_shell(part: &Part<'_>) -> bool {
    matches!(program(part.text), Some("[" | "test" | "printf"))
        && part.text.split_ascii_whitespace().any(|word| matches!(word, "-v" | "-o" | "-R"))
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
        wrapped_within(command, "")
    }

    /// The same if a file of the user's shell has this text.
    fn wrapped_within(command: &str, file: &str) -> Option<String> {
        let wrap = Wrap { session: "s", call: "c 1", ..Wrap::default() };
        let owns = [own_program(true).unwrap(), own_program(false).unwrap()];
        let text = wrap.within(command, || Defined::by(file))?;
        let run = |own: &String| format!("{own} run --session s --call 'c 1'");
        Some(owns.iter().fold(text, |text, own| text.replace(&run(own), "RUN")))
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
            ("source .venv/bin/activate && pytest -x", "source .venv/bin/activate && RUN -- pytest -x"),
            (". \"$HOME/.cargo/env\" && cargo test", ". \"$HOME/.cargo/env\" && RUN -- cargo test"),
            ("export PATH=/x:$PATH; no-such-program $A", "export PATH=/x:$PATH; RUN -- no-such-program $A"),
            ("export $(cat .env) && ./a.sh", "export $(cat .env) && RUN -- ./a.sh"),
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
            ("export A=1; ls \"$A\" | wc", "export A=1; RUN --shell 'ls \"$A\" | wc'"),
            ("ls $HOME ~/x a~b | wc \"${PWD%/}\"", "RUN --shell 'ls $HOME ~/x a~b | wc \"${PWD%/}\"'"),
            (
                "ls $(ls | tail -1) | grep 'a$' \"b$\"",
                "RUN --shell 'ls $(ls | tail -1) | grep '\\''a$'\\'' \"b$\"'",
            ),
            ("ls | wc; echo ${PIPESTATUS[0]}", "RUN --shell 'ls | wc; echo ${PIPESTATUS[0]}'"),
            (
                "source ~/.nvm/nvm.sh && nvm use 18 && npm test | tail -5",
                "source ~/.nvm/nvm.sh && nvm use 18 && RUN --shell 'npm test | tail -5'",
            ),
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
            // Names that a sourced file may have defined.
            ". ./nvm.sh; echo rm -rf \"$BUILD\"/* && ls nvm.sh",
            "source .env && ls",
            "source ./lib.sh && run_tests",
            "source ./conda.sh; false | ls",
            ". ./bin/activate; no-such-function",
            ". ./bin/activate; ls \"$A\"/* | wc",
            // State that only the first shell has.
            "ls $A | wc",
            "ls \"${A:-x}\" | wc",
            "ls ${!A} | wc",
            "ls $(no-such-function) | wc",
            "ls $(ls $A) | wc",
            "ls `ls` | wc",
            "ls $((A + 1)) | wc",
            "ls $1 \"$@\" | wc",
            "echo $? | cat - ; ls",
            "cd x; echo $? | ls",
            "ls; echo $_",
            "ls; echo $-",
            "pushd x; ls ~1 | wc",
            "[ -v A ] && ls",
            "[ -o pipefail ] && ls",
            "printf -v A x; ls",
            "command ls",
            "type f; ls",
            // Settings with an effect on this program, or only on a fresh shell.
            "ulimit -n 16; ls",
            "umask 777; ls",
            "export IFS=:; ls | wc",
            "export LD_PRELOAD=x.so; ls",
            "export -f f; ls",
            "export -n HOME; echo $HOME | ls",
            "LD_LIBRARY_PATH=x ls",
            "BASH_ENV=x ./a.sh",
        ] {
            assert_eq!(wrapped(command), None, "{command}");
        }
    }

    #[test]
    fn what_files_of_the_shell_define_is_left_alone() {
        let encoded = "eval \"$(echo 'bHMgKCkgCnsgCiAgICBlY2hvIHgKfQo=' | base64 -d)\" > /dev/null 2>&1";
        for file in [
            "ls() { x; }",
            "[ -f a ] && function ls { x; }",
            "shopt -s expand_aliases\nalias -- ls='ls -i'",
            encoded,
        ] {
            assert_eq!(wrapped_within("ls -a", file), None, "{file}");
            assert_eq!(wrapped_within("./a.sh | ls", file), None, "{file}");
            assert!(wrapped_within("./a.sh", file).is_some(), "{file}");
        }
        for file in
            ["alias ls='ls -i'", "shopt -s expand_aliases\nalias ls='ls --color=auto'", "# ls ()", "ls (x)"]
        {
            assert!(wrapped_within("ls -a | wc", file).is_some(), "{file}");
        }
        // The first shell itself reads a single program.
        for file in [
            "set -o pipefail",
            "set -eu",
            "  shopt -s dotglob",
            "setopt NULL_GLOB",
            "if a; then set -C; fi",
            "alias -g G='| grep'",
            "emulate sh",
            "IFS=:",
        ] {
            assert_eq!(wrapped_within("ls | wc", file), None, "{file}");
            assert!(wrapped_within("ls *", file).is_some(), "{file}");
        }
        assert!(
            wrapped_within("ls | wc", "shopt -s histappend checkwinsize\nset -o vi\nemulate -L zsh")
                .is_some()
        );
    }
}
