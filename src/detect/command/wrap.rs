//! Wrappers: programs that run another one, which then writes the output.

use super::lex::Dialect;

/// A command without its wrappers.
pub(super) enum Unwrapped {
    /// No program: only variables were set.
    Nothing,
    /// A program and its arguments.
    Argv(Vec<String>),
    /// A program that takes the lines of the pipe as arguments, so the output of the program before it is not
    /// visible.
    Consumer(Vec<String>),
    /// A script to read on.
    Script(String, Dialect),
}

/// Flags of wrappers that take a value in the next word.
const SUDO: &[&str] = &["-u", "-g", "-p", "-C", "-h", "-r", "-t", "--user", "--group"];
const ENV: &[&str] = &["-u", "-C", "-S", "--unset", "--chdir"];
const NICE: &[&str] = &["-n", "-c", "-p", "-o", "-e", "-i", "-f"];
const TIMEOUT: &[&str] = &["-s", "-k", "--signal", "--kill-after"];
const XARGS: &[&str] = &["-n", "-I", "-P", "-d", "-L", "-a", "-E", "-s"];
const SSH: &[&str] = &[
    "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-e", "-m", "-O", "-Q", "-S",
    "-W", "-w",
];
const CONTAINER: &[&str] = &[
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "--mount",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "-m",
    "--memory",
    "--cpus",
    "--entrypoint",
    "-l",
    "--label",
    "-h",
    "--hostname",
    "--platform",
    "--gpus",
    "--add-host",
    "--device",
    "--ulimit",
    "--shm-size",
    "--restart",
    "-a",
    "--tmpfs",
    "--security-opt",
    "--cap-add",
    "--cap-drop",
    "--index",
    "--detach-keys",
    "--pull",
    "--ipc",
    "--pid",
    "--log-driver",
];
const COMPOSE: &[&str] =
    &["-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory", "--ansi"];
const KUBECTL: &[&str] =
    &["-n", "--namespace", "-c", "--container", "--context", "--kubeconfig", "-f", "--cluster"];
const RUNNERS: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "-n",
    "--name",
    "-e",
    "--env",
    "--env-file",
    "--package",
    "--directory",
    "--project",
    "--with-requirements",
    "--from",
    "-C",
];
const WATCH: &[&str] = &["-n", "--interval", "-d", "-q"];
const PYTHON: &[&str] = &["-W", "-X"];

/// Commands of package managers that run scripts; anything else there is a program.
const MANAGER: &[&str] = &[
    "install",
    "i",
    "add",
    "remove",
    "rm",
    "uninstall",
    "un",
    "up",
    "update",
    "upgrade",
    "why",
    "audit",
    "ls",
    "list",
    "outdated",
    "run",
    "run-script",
    "test",
    "t",
    "start",
    "build",
    "create",
    "init",
    "publish",
    "link",
    "unlink",
    "cache",
    "config",
    "info",
    "view",
    "import",
    "licenses",
    "pack",
    "rebuild",
    "store",
    "ci",
    "prune",
    "dedupe",
    "dev",
    "lint",
    "set",
    "version",
    "versions",
    "whoami",
    "login",
    "env",
    "setup",
    "fetch",
    "deploy",
    "patch",
    "bin",
    "root",
    "doctor",
    "fund",
    "help",
    "pm",
    "upgrade-interactive",
    "generate-lock-entry",
    "global",
    "node",
    "workspaces",
    "constraints",
    "plugin",
    "explain",
    "search",
    "tag",
    "team",
    "owner",
    "stage",
    "unplug",
    "repl",
    "approve-builds",
    "recursive",
];

/// Removes assignments and wrappers until the program is first. `input` is standard input that the command line
/// itself provides; `via` gets the wrappers' names.
pub(super) fn unwrap(mut words: Vec<String>, input: Option<&str>, via: &mut Vec<String>) -> Unwrapped {
    for _ in 0..12 {
        let assignments = words.iter().take_while(|w| *w == "--" || is_assignment(w)).count();
        words.drain(..assignments);
        let Some(first) = words.first() else { return Unwrapped::Nothing };
        let name = base_name(first);
        let rest = &words[1..];
        let skip = match step(&name, rest, input) {
            Step::Program => {
                words[0] = name;
                return Unwrapped::Argv(words);
            }
            Step::Script(text, dialect) => {
                via.push(name);
                return Unwrapped::Script(text, dialect);
            }
            Step::Consumer(skip) => {
                if skip > rest.len() || words.len() == skip {
                    words[0] = name;
                    return Unwrapped::Argv(words);
                }
                via.push(name);
                words.drain(..skip);
                return match unwrap(words, input, via) {
                    Unwrapped::Argv(argv) => Unwrapped::Consumer(argv),
                    other => other,
                };
            }
            Step::Skip(skip) => skip,
        };
        // A wrapper without a command is the program.
        if skip == 0 || skip >= words.len() {
            words[0] = name;
            return Unwrapped::Argv(words);
        }
        via.push(name);
        words.drain(..skip);
    }
    Unwrapped::Argv(words)
}

enum Step {
    /// The word is the program.
    Program,
    /// This many words belong to the wrapper.
    Skip(usize),
    /// The same, and the output of the pipe before it is not visible.
    Consumer(usize),
    Script(String, Dialect),
}

/// How many words belong to the wrapper `name` with the words `rest` after it.
fn step(name: &str, rest: &[String], input: Option<&str>) -> Step {
    prefix(name, rest)
        .or_else(|| script_runner(name, rest, input))
        .or_else(|| package_runner(name, rest, input))
        .unwrap_or(Step::Program)
}

/// The words of a wrapper up to its command, if flags are after its first `from` words. `flags` are those with values.
fn past(rest: &[String], from: usize, flags: &[&str]) -> usize {
    1 + from + flags_with_values(rest.get(from..).unwrap_or_default(), flags)
}

/// Wrappers that are followed by their command.
fn prefix(name: &str, rest: &[String]) -> Option<Step> {
    let word = |i: usize| rest.get(i).map_or("", String::as_str);
    let past = |from: usize, flags: &[&str]| past(rest, from, flags);
    Some(match name {
        "sudo" | "doas" => Step::Skip(past(0, SUDO)),
        "env" => Step::Skip(past(0, ENV)),
        "nice" | "ionice" | "stdbuf" | "chrt" | "taskset" => Step::Skip(past(0, NICE)),
        "nohup" | "time" | "command" | "exec" | "builtin" | "setsid" | "chronic" | "unbuffer"
        | "caffeinate" | "then" | "do" | "else" | "!" | "busybox" | "cross-env" | "fakeroot" | "eval"
        | "winpty" | "catchsegv" => match name {
            "command" if matches!(word(0), "-v" | "-V") => Step::Program,
            "eval" => Step::Script(rest.join(" "), Dialect::Posix),
            _ => Step::Skip(past(0, &["-f", "-o", "-a"])),
        },
        "timeout" | "gtimeout" => Step::Skip(past(0, TIMEOUT) + 1),
        "xvfb-run" => Step::Skip(past(0, &["-s", "-n"])),
        "xargs" | "gxargs" => Step::Consumer(past(0, XARGS)),
        "parallel" => Step::Consumer(past(0, &["-j", "-I", "--jobs", "--delay"])),
        "find" | "gfind" | "fd" | "fdfind" => {
            let runs = |w: &String| {
                matches!(w.as_str(), "-exec" | "-execdir" | "-x" | "-X" | "--exec" | "--exec-batch")
            };
            rest.iter().position(runs).map_or(Step::Program, |i| Step::Skip(i + 2))
        }
        "chroot" | "flock" | "direnv" => match name {
            "direnv" if word(0) == "exec" => Step::Skip(3),
            "direnv" => Step::Program,
            _ => Step::Skip(past(0, &["-w", "-E"]) + 1),
        },
        _ => return None,
    })
}

/// Programs that are given a script, and remote shells.
fn script_runner(name: &str, rest: &[String], input: Option<&str>) -> Option<Step> {
    let word = |i: usize| rest.get(i).map_or("", String::as_str);
    let past = |from: usize, flags: &[&str]| past(rest, from, flags);
    Some(match name {
        "watch" => match rest.len() + 1 - past(0, WATCH) {
            1 => Step::Script(word(past(0, WATCH) - 1).to_owned(), Dialect::Posix),
            _ => Step::Skip(past(0, WATCH)),
        },
        "ssh" => {
            let host = past(0, SSH);
            match (rest.get(host..), input) {
                (Some([]) | None, Some(script)) => Step::Script(script.to_owned(), Dialect::Posix),
                (Some([]) | None, None) => Step::Program,
                (Some(words), _) => Step::Script(words.join(" "), Dialect::Posix),
            }
        }
        "su" | "runuser" => match rest.iter().position(|w| w == "-c" || w == "--command") {
            Some(i) if i + 1 < rest.len() => Step::Script(rest[i + 1].clone(), Dialect::Posix),
            _ => Step::Program,
        },
        "script" => match rest.iter().position(|w| w.starts_with('-') && w.ends_with('c')) {
            Some(i) if i + 1 < rest.len() => Step::Script(rest[i + 1].clone(), Dialect::Posix),
            _ => Step::Program,
        },
        "nix-shell" | "nix" => {
            match rest.iter().position(|w| matches!(w.as_str(), "--run" | "--command" | "-c")) {
                Some(i) if word(i) != "-c" && i + 1 < rest.len() => {
                    Step::Script(rest[i + 1].clone(), Dialect::Posix)
                }
                Some(i) => Step::Skip(i + 2),
                None => Step::Program,
            }
        }
        "bash" | "sh" | "zsh" | "dash" | "ash" | "ksh" | "fish" => shell(rest, input),
        "pwsh" | "powershell" => {
            match rest.iter().position(|w| w.eq_ignore_ascii_case("-command") || w.eq_ignore_ascii_case("-c"))
            {
                Some(i) if i + 1 < rest.len() => Step::Script(rest[i + 1..].join(" "), Dialect::PowerShell),
                _ => Step::Program,
            }
        }
        "cmd" => match rest.iter().position(|w| w.eq_ignore_ascii_case("/c") || w.eq_ignore_ascii_case("/k"))
        {
            Some(i) if i + 1 < rest.len() => Step::Script(rest[i + 1..].join(" "), Dialect::Cmd),
            _ => Step::Program,
        },
        _ => return None,
    })
}

/// Tools that run programs of packages, environments and containers.
fn package_runner(name: &str, rest: &[String], input: Option<&str>) -> Option<Step> {
    let word = |i: usize| rest.get(i).map_or("", String::as_str);
    let past = |from: usize, flags: &[&str]| past(rest, from, flags);
    Some(match name {
        "dotenv" | "doppler" | "op" | "infisical" | "chamber" | "aws-vault" => {
            rest.iter().position(|w| w == "--").map_or(Step::Program, |i| Step::Skip(i + 2))
        }
        "rustup" if word(0) == "run" => Step::Skip(3),
        "coverage" | "kcov" if word(0) == "run" => match (word(1), rest.iter().position(|w| w == "-m")) {
            (_, Some(i)) => Step::Skip(i + 2),
            _ => Step::Program,
        },
        "uv" | "poetry" | "pipenv" | "hatch" | "pdm" | "rye" | "conda" | "mamba" | "micromamba"
        | "bundle" | "mise" | "asdf" | "pixi" | "volta" | "nvm" | "rbenv" | "pyenv" | "fnm"
            if matches!(word(0), "run" | "exec" | "x") =>
        {
            let skip = past(1, RUNNERS);
            Step::Skip(skip + usize::from(word(skip - 1) == "--"))
        }
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx" | "corepack" => {
            let run = usize::from(name == "pipx" && word(0) == "run");
            Step::Skip(past(run, &["-p", "--package", "--from", "--with", "--python"]))
        }
        "npm" if matches!(word(0), "exec" | "x") => {
            let skip = past(1, &["-p", "--package", "-w"]);
            Step::Skip(skip + usize::from(word(skip - 1) == "--"))
        }
        "pnpm" | "yarn" | "bun" => manager(rest),
        name if is_python(name) => python(rest, input),
        "docker" | "podman" | "nerdctl" | "docker-compose" => container(name, rest),
        "kubectl" | "oc" | "k" if word(0) == "exec" => match rest.iter().position(|w| w == "--") {
            Some(i) => Step::Skip(i + 2),
            None => Step::Skip(past(1, KUBECTL) + 1),
        },
        _ => return None,
    })
}

/// `bash -lc "…"`, and a script that comes with the command.
fn shell(rest: &[String], input: Option<&str>) -> Step {
    let is_flag =
        |w: &&String| w.starts_with('-') && !w.starts_with("--") && w.len() <= 6 && w.ends_with('c');
    match (rest.iter().position(|w| is_flag(&w)), input) {
        (Some(i), _) => match rest[i + 1..].iter().find(|w| !w.starts_with('-')) {
            Some(script) => Step::Script(script.clone(), Dialect::Posix),
            None => Step::Program,
        },
        (None, Some(text)) if rest.iter().all(|w| w.starts_with('-')) => {
            Step::Script(text.to_owned(), Dialect::Posix)
        }
        _ => Step::Program,
    }
}

/// `python -W error -m pytest`: the module is the program.
fn python(rest: &[String], _: Option<&str>) -> Step {
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        match word.as_str() {
            "-m" => return Step::Skip(at + 2),
            flag if PYTHON.contains(&flag) => at += 2,
            flag if flag.starts_with('-') && flag != "-c" && flag != "-" => at += 1,
            _ => break,
        }
    }
    Step::Program
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    name == "py" || version.is_some_and(|v| v.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

/// `yarn jest`, `pnpm --filter web exec vitest run`, `yarn workspace web jest`.
fn manager(rest: &[String]) -> Step {
    let flags = &["--filter", "-F", "-C", "--dir", "--cwd", "-w", "--prefix"];
    let at = flags_with_values(rest, flags);
    let word = |i: usize| rest.get(i).map_or("", String::as_str);
    match word(at) {
        "" => Step::Program,
        "exec" | "dlx" | "x" => {
            let skip = at + 1 + flags_with_values(&rest[at + 1..], &["-p", "--package"]);
            Step::Skip(1 + skip + usize::from(word(skip) == "--"))
        }
        "workspace" if rest.len() > at + 2 && !MANAGER.contains(&word(at + 2)) => Step::Skip(at + 3),
        "workspace" => Step::Program,
        known if MANAGER.contains(&known) || known.contains('.') || known.contains(':') => Step::Program,
        _ => Step::Skip(at + 1),
    }
}

/// `docker exec -it web cmd`, `docker run --rm -v a:b image cmd`, `docker compose exec web cmd`.
fn container(name: &str, rest: &[String]) -> Step {
    let mut at =
        flags_with_values(rest, &["-H", "--host", "--context", "-c", "-f", "-p", "--file", "--project-name"]);
    let word = |i: usize| rest.get(i).map_or("", String::as_str);
    let compose = word(at) == "compose" || name == "docker-compose";
    if word(at) == "compose" {
        at += 1;
        at += flags_with_values(&rest[at.min(rest.len())..], COMPOSE);
    } else if word(at) == "container" {
        at += 1;
    }
    match word(at) {
        "exec" | "run" => {
            let flags = flags_with_values(&rest[at + 1..], CONTAINER);
            let target = at + 1 + flags;
            if !compose && word(at) == "run" && is_detached(&rest[at + 1..target.min(rest.len())]) {
                return Step::Program;
            }
            Step::Skip(target + 2 + usize::from(word(target + 1) == "--"))
        }
        _ => Step::Program,
    }
}

fn is_detached(flags: &[String]) -> bool {
    flags.iter().any(|f| f == "-d" || f == "--detach")
}

pub(super) fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name.strip_suffix('+').unwrap_or(name));
    name.is_some_and(|name| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// How many words at the start are flags, with the values of those that take one, or assignments.
fn flags_with_values(words: &[String], with_value: &[&str]) -> usize {
    let mut n = 0;
    while let Some(word) = words.get(n) {
        if word == "--" {
            break;
        }
        if word.starts_with('-') && word.len() > 1 {
            n += 1 + usize::from(with_value.contains(&word.as_str()));
        } else if is_assignment(word) {
            n += 1;
        } else {
            break;
        }
    }
    n.min(words.len())
}

/// The program's name without folder and extension.
fn base_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let bare = [".exe", ".cmd", ".bat", ".ps1", ".EXE"].iter().find_map(|end| name.strip_suffix(end));
    let name = bare.filter(|n| !n.is_empty()).unwrap_or(name);
    if name.is_empty() { word.to_owned() } else { name.to_owned() }
}
