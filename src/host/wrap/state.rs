//! Decides whether a command line depends on the state of the shell that would run it.
//!
//! A list inside `tersed run` is read by a fresh shell, which has only what is exported: not the variables,
//! functions, aliases and options that the start-up files gave the user's shell. `rm -rf "$BUILD"/*` would remove
//! other files there. So a list is put into a fresh shell only if nothing in it can depend on any of that, and one
//! program only if its name has no other meaning.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use base64::Engine as _;

use super::split::{Part, first_word, split};
use crate::detect::command::lex::{self, Token};

/// Variables that every shell exports.
const EXPORTED: &[&str] = &["HOME", "PATH", "PWD", "OLDPWD", "USER", "LOGNAME", "SHELL"];
/// Deepest nesting of substituted commands that is read. A choice; bounds the stack.
const MAX_DEPTH: usize = 4;
/// Files that a user sources to make programs available, by the end of their path. They export everything relevant.
const ACTIVATIONS: &[&str] = &[
    "/bin/activate",
    "/.cargo/env",
    "/.ghcup/env",
    "/.nvm/nvm.sh",
    "$NVM_DIR/nvm.sh",
    "${NVM_DIR}/nvm.sh",
    "/etc/profile.d/conda.sh",
];
/// Programs that these files make available. Another word that names no program might be a function of such a file.
const PROVIDED_PROGRAMS: &[&str] = &[
    "python",
    "python3",
    "pip",
    "pip3",
    "pytest",
    "ruff",
    "mypy",
    "black",
    "isort",
    "flake8",
    "pylint",
    "pyright",
    "tox",
    "nox",
    "coverage",
    "flask",
    "uvicorn",
    "gunicorn",
    "alembic",
    "django-admin",
    "poetry",
    "uv",
    "pre-commit",
    "jupyter",
    "node",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "corepack",
    "tsc",
    "cargo",
    "rustc",
    "rustup",
    "rustfmt",
    "ghc",
    "cabal",
    "stack",
];

/// The commands at the start of a line that stay in its shell.
#[derive(Debug, Default)]
pub(super) struct SetupCommands {
    /// Their number.
    pub(super) len: usize,
    /// Variables that they export.
    exported: Vec<String>,
    /// Whether they may export variables that the line does not name.
    pub(super) exports_unnamed: bool,
    /// Whether they may change where programs are found.
    pub(super) changes_path: bool,
    has_activation: bool,
    has_new_path: bool,
}

impl SetupCommands {
    /// Reads them. `None` if they change state of the shell that a fresh shell would not have.
    pub(super) fn of(parts: &[Part<'_>]) -> Option<Self> {
        let mut commands = Self::default();
        for part in parts {
            let words = || words(part.text);
            let second = |word: &str| words().is_some_and(|words| words.get(1).is_some_and(|w| w == word));
            match first_word(part.text) {
                Some("cd" | "pushd" | "popd") => {}
                Some("export") => commands.export(&words()?)?,
                Some("source" | ".") => commands.activate(words()?.get(1)?)?,
                Some("nvm") if second("use") => commands.mark_environment_activated(),
                Some("conda" | "mamba" | "micromamba") if second("activate") => {
                    commands.mark_environment_activated()
                }
                _ => break,
            }
            commands.len += 1;
        }
        Some(commands)
    }

    fn export(&mut self, words: &[String]) -> Option<()> {
        for word in &words[1..] {
            let name = word.split('=').next().unwrap_or_default();
            if word.starts_with(['$', '`']) {
                self.exports_unnamed = true;
            } else if !is_name(name) || is_special(name) {
                return None;
            } else {
                self.has_new_path |= name == "PATH";
                self.exported.push(name.to_owned());
            }
        }
        self.changes_path |= self.has_new_path || self.exports_unnamed;
        Some(())
    }

    fn activate(&mut self, file: &str) -> Option<()> {
        let rooted = format!("/{file}");
        let is = |end: &&str| if end.starts_with('/') { rooted.ends_with(*end) } else { file == *end };
        ACTIVATIONS.iter().any(is).then(|| self.mark_environment_activated())
    }

    fn mark_environment_activated(&mut self) {
        (self.changes_path, self.has_activation) = (true, true);
    }

    /// Whether a word that names no program here may name one after these commands.
    pub(super) fn may_provide(&self, word: &str) -> bool {
        self.has_new_path || (self.has_activation && PROVIDED_PROGRAMS.contains(&word))
    }

    fn exports(&self, name: &str) -> bool {
        EXPORTED.contains(&name) || self.exported.iter().any(|known| known == name)
    }
}

/// The words of a command without its redirections; `None` if it is not plain.
fn words(text: &str) -> Option<Vec<String>> {
    let read = lex::read(text);
    let word = |token| match token {
        Token::Word(word) => Some(word.text.trim_matches('"').to_owned()),
        _ => None,
    };
    let words = read.tokens.into_iter().filter_map(|spanned| word(spanned.token)).collect();
    read.passed.is_empty().then_some(words)
}

/// Whether a text is the name of a variable.
fn is_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && text.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// Whether a shell or the loader of programs treats a variable differently from others: in a fresh shell, or in the
/// process of `tersed run`, it would have an additional effect.
pub(super) fn is_special(name: &str) -> bool {
    const NAMES: &[&str] = &["IFS", "ENV", "SHELLOPTS", "GLOBIGNORE", "POSIXLY_CORRECT", "ZDOTDIR", "OPTIND"];
    NAMES.contains(&name) || ["LD_", "DYLD_", "BASH"].iter().any(|start| name.starts_with(start))
}

/// The differences between a fresh shell that reads a list and the first shell.
pub(super) struct Fresh<'a> {
    pub(super) commands: &'a SetupCommands,
    /// Whether a word has the same meaning there as in the first shell.
    pub(super) is_known: &'a dyn Fn(&str) -> bool,
}

impl Fresh<'_> {
    /// Whether a fresh shell reads a list as the first one would. From `status_from` on, `$?` is the status of a
    /// command of the list.
    pub(super) fn reads(&self, text: &str, status_from: usize) -> bool {
        self.reads_at(text, status_from, 0)
    }

    fn reads_at(&self, text: &str, status_from: usize, depth: usize) -> bool {
        let bytes = text.as_bytes();
        let next = |i: usize| bytes.get(i + 1).copied().unwrap_or(b' ');
        let (mut i, mut is_quoted) = (0, false);
        while i < bytes.len() {
            match bytes[i] {
                b'\\' => i += 1,
                b'"' => is_quoted = !is_quoted,
                b'\'' if !is_quoted => match memchr::memchr(b'\'', &bytes[i + 1..]) {
                    Some(len) => i += len + 1,
                    None => return false,
                },
                b'`' => return false,
                b'~' if !is_quoted => {
                    // The stack of folders and named folders are state of the shell.
                    let begins = i == 0 || matches!(bytes[i - 1], b' ' | b'\t' | b'\n' | b'=' | b':');
                    if begins && !matches!(next(i), b'/' | b' ' | b'\t' | b'\n') {
                        return false;
                    }
                }
                b'$' if next(i) == b'\'' && !is_quoted => {
                    i += 2;
                    while i < bytes.len() && bytes[i] != b'\'' {
                        i += 1 + usize::from(bytes[i] == b'\\');
                    }
                }
                b'$' => match self.expansion(&text[i + 1..], i >= status_from, depth) {
                    Some(len) => i += len,
                    None => return false,
                },
                _ => {}
            }
            i += 1;
        }
        true
    }

    /// The bytes after a `$` that belong to it; `None` if a fresh shell may put something else there.
    fn expansion(&self, rest: &str, has_status: bool, depth: usize) -> Option<usize> {
        let name_len =
            |text: &str| text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        match rest.bytes().next().unwrap_or(b' ') {
            b'(' => {
                let end = lex::substitution_end(rest.as_bytes(), 0)?;
                let is_free = depth < MAX_DEPTH && self.reads_list(&rest[1..end - 1], depth + 1);
                is_free.then_some(end)
            }
            b'?' => has_status.then_some(1),
            b'{' => {
                let inner = &rest[1..rest.find('}')?];
                let (name, change) = inner.split_at(name_len(inner));
                let is_status = has_status && name == "PIPESTATUS" && change.starts_with('[');
                let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-+:%#*[],".contains(&b);
                let is_free = change.bytes().all(is_plain) && (is_status || self.commands.exports(name));
                is_free.then_some(inner.len() + 2)
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                let len = name_len(rest);
                self.commands.exports(&rest[..len]).then_some(len)
            }
            b if b.is_ascii_digit() || b"@*#-!$[".contains(&b) => None,
            _ => Some(0),
        }
    }

    /// Whether a fresh shell reads a substituted command as the first one would.
    fn reads_list(&self, text: &str, depth: usize) -> bool {
        let Some(parts) = split(text) else { return false };
        parts.iter().all(|part| super::program(part.text).is_some_and(self.is_known))
            && self.reads_at(text, status_from(&parts), depth)
    }
}

/// The position after the first pipeline.
pub(super) fn status_from(parts: &[Part<'_>]) -> usize {
    parts.iter().find(|part| part.end != "|").map_or(usize::MAX, |part| part.start + part.text.len())
}

/// Meanings that the files of the user's shell give to words.
#[derive(Debug, Default)]
pub(super) struct Defined {
    names: HashSet<String>,
    /// Aliases of a shell that may not expand them when it is not interactive.
    aliases: HashSet<String>,
    reads_aliases: bool,
    /// Whether any file sets an option that changes how a list is read.
    pub(super) has_options: bool,
}

/// Files of shells in the home folder that are read before a command of a host.
const FILES: &[&str] = &[
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".bashrc",
    ".bash_aliases",
    ".zshenv",
    ".zprofile",
    ".zlogin",
];
/// The same for all users.
const FILES_OF_ALL: &[&str] = &[
    "/etc/profile",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zshenv",
    "/etc/zprofile",
    "/etc/zsh/zshenv",
    "/etc/zsh/zprofile",
];
/// Most files of `/etc/profile.d` that are read. A choice: systems have about ten.
const MAX_PARTS: usize = 64;
/// Most bytes of one file that are read. A choice: a snapshot of a shell with many functions has less.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Options that change what a list does, as the shells name them: `set -o`, `shopt -s`, `setopt` (without `_`).
const OPTIONS: &[&str] = &[
    "pipefail",
    "errexit",
    "nounset",
    "noglob",
    "noclobber",
    "posix",
    "noexec",
    "xtrace",
    "verbose",
    "keyword",
    "physical",
    "nullglob",
    "failglob",
    "dotglob",
    "globstar",
    "nocaseglob",
    "nocasematch",
    "xpgecho",
    "lastpipe",
    "inheriterrexit",
    "globdots",
    "extendedglob",
    "nonomatch",
    "cshnullglob",
    "globstarshort",
    "shwordsplit",
    "ksharrays",
    "kshglob",
    "shglob",
    "rcquotes",
    "rcexpandparam",
    "globsubst",
    "magicequalsubst",
    "braceccl",
    "errreturn",
    "noequals",
    "bsdecho",
    "ignorebraces",
    "nobareglobqual",
    "posixbuiltins",
];

impl Defined {
    /// The files of this user.
    pub(super) fn of_user() -> Self {
        let mut defined = Self::default();
        let mut files: Vec<PathBuf> = FILES_OF_ALL.iter().map(PathBuf::from).collect();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let of_parts = fs::read_dir("/etc/profile.d").into_iter().flatten().flatten().map(|file| file.path());
        files.extend(of_parts.filter(|file| file.extension().is_some_and(|end| end == "sh")).take(MAX_PARTS));
        files.extend(home.iter().flat_map(|home| FILES.iter().map(|file| home.join(file))));
        if let Some(folder) = std::env::var_os("ZDOTDIR").map(PathBuf::from) {
            files.extend([".zshenv", ".zprofile", ".zlogin"].map(|file| folder.join(file)));
        }
        files.extend(["BASH_ENV", "ENV"].iter().filter_map(std::env::var_os).map(PathBuf::from));
        let claude = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        files.extend(claude.or(home.map(|home| home.join(".claude"))).and_then(|folder| newest(&folder)));
        for file in files {
            let name = file.to_string_lossy();
            let is_zsh = name.contains("zsh") || name.contains("/.z");
            text(&file).inspect(|text| match name.contains(SNAPSHOTS) {
                // Indented lines in these files are in functions; options that are set there apply only inside the
                // functions.
                true => text
                    .lines()
                    .filter(|line| !line.starts_with([' ', '\t']))
                    .for_each(|line| defined.read(line, is_zsh)),
                false => defined.read(text, is_zsh),
            });
        }
        defined.apply_aliases();
        for (name, _) in std::env::vars_os() {
            if let Some(name) = name.to_str().and_then(|name| name.strip_prefix("BASH_FUNC_")) {
                defined.names.insert(name.trim_end_matches("%%").trim_end_matches("()").to_owned());
            }
        }
        defined
    }

    /// The definitions in one file of a shell.
    #[cfg(test)]
    pub(super) fn by(text: &str) -> Self {
        let mut defined = Self::default();
        defined.read(text, false);
        defined.apply_aliases();
        defined
    }

    /// Applies aliases if a file turns their expansion on.
    fn apply_aliases(&mut self) {
        if self.reads_aliases {
            self.names.extend(std::mem::take(&mut self.aliases));
        }
    }

    /// Whether a word has a special meaning.
    pub(super) fn has(&self, word: &str) -> bool {
        self.names.contains(word)
    }

    /// Adds the definitions of a file.
    fn read(&mut self, text: &str, is_zsh: bool) {
        self.reads_aliases |= text.contains("expand_aliases");
        for line in text.lines() {
            let mut from = 0;
            for piece in line.split_inclusive([';', '&', '{']) {
                let whole = line[from..].trim_start();
                from += piece.len();
                let piece = piece.trim().trim_start_matches("then ").trim_start_matches("else ").trim_start();
                let (first, rest) = piece.split_once(char::is_whitespace).unwrap_or((piece, ""));
                match first {
                    "alias" => self.alias(whole.split_once("alias").unwrap_or_default().1, is_zsh),
                    "function" => self.name(rest),
                    "set" | "setopt" | "shopt" => self.options(rest),
                    "emulate" => self.has_options |= !rest.contains("-L"),
                    "eval" => self.encoded(rest, is_zsh),
                    _ if line.starts_with("IFS=") || line.starts_with("GLOBIGNORE=") => {
                        self.has_options = true;
                    }
                    _ => {
                        let Some((name, after)) = piece.split_once('(') else { continue };
                        if after.trim_start().starts_with(')') {
                            self.name(name);
                        }
                    }
                }
            }
        }
    }

    fn name(&mut self, text: &str) {
        let end = text.find(|c: char| c.is_ascii_whitespace() || c == '(').unwrap_or(text.len());
        self.names.insert(text[..end].to_owned());
    }

    /// `[--] NAME=VALUE`. An alias that only adds colours for a person changes nothing.
    fn alias(&mut self, rest: &str, is_zsh: bool) {
        let mut rest = rest.trim_start();
        while let Some((flag, after)) = rest.split_once(' ').filter(|(flag, _)| flag.starts_with('-')) {
            // `-g`: aliases that are expanded anywhere.
            self.has_options |= flag.contains('g');
            rest = after.trim_start();
        }
        let Some((name, value)) = rest.split_once('=') else { return };
        let (name, value) = (name.trim_matches(['\'', '"']), value.trim_end());
        let only_colours = ["--color=auto", "--color=tty"].iter().any(|colours| {
            ['\'', '"'].iter().any(|quote| value == format!("{quote}{name} {colours}{quote}"))
        });
        if !only_colours {
            let set = if is_zsh { &mut self.names } else { &mut self.aliases };
            set.insert(name.to_owned());
        }
    }

    fn options(&mut self, rest: &str) {
        if rest.to_ascii_lowercase().replace('_', "").contains("localoptions") {
            return;
        }
        self.has_options |=
            rest.trim_end_matches([';', '&']).split_whitespace().any(|word| match word.strip_prefix('-') {
                Some(flags) => flags.contains(['e', 'u', 'f', 'n', 'C', 'k', 'P']),
                None => OPTIONS.contains(&word.to_ascii_lowercase().replace('_', "").as_str()),
            });
    }

    /// A function in the form of a host's snapshot: `eval "$(echo 'BASE64' | base64 -d)"`. Its name is in the first
    /// line.
    fn encoded(&mut self, rest: &str, is_zsh: bool) {
        let Some((_, code)) = rest.split_once("echo '") else { return };
        let code = code.split('\'').next().unwrap_or_default();
        let code = &code[..code.len() / 4 * 4];
        if let Ok(text) = base64::engine::general_purpose::STANDARD.decode(code) {
            let text = String::from_utf8_lossy(&text).into_owned();
            self.read(text.lines().next().unwrap_or_default(), is_zsh);
        }
    }
}

/// Folder of the snapshots of a shell that Claude Code makes.
const SNAPSHOTS: &str = "shell-snapshots";

/// The newest snapshot: Claude Code reads one before each command.
fn newest(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder.join(SNAPSHOTS)).ok()?.flatten();
    let made = files.filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file.path())));
    made.max().map(|(_, path)| path)
}

fn text(file: &Path) -> Option<String> {
    fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    fs::File::open(file).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
