//! Whether a call views a file, by a specialized tool or by a command, and which one; and which files a command
//! changes, as far as its words show: an editor that works in place, a redirection, a patch, a script in the command.

use super::command::lex::{Dialect, Target, Token, lex};
use super::command::{CommandLine, Simple};
use super::{Shape, command_shape, read_command, tool_shape};
use crate::text::call::ToolCall;

/// Most files that are returned. Bounds the work.
const MAX_FILES: usize = 16;
/// Longest command that is searched for files, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// Programs that change the files that they are given.
const EDITORS: &[&str] = &[
    "tee", "ed", "ex", "truncate", "dos2unix", "rustfmt", "black", "isort", "autopep8", "yapf", "patch",
    "cp", "mv", "install",
];
/// The same for programs that need one of these words.
const WITH_WORD: &[(&str, &[&str])] = &[
    ("gofmt", &["-w"]),
    ("goimports", &["-w"]),
    ("prettier", &["--write", "-w"]),
    ("eslint", &["--fix"]),
    ("ruff", &["--fix", "format"]),
    ("biome", &["--write", "--fix", "--apply"]),
    ("clang-format", &["-i"]),
    ("awk", &["inplace"]),
    ("gawk", &["inplace"]),
    ("git", &["checkout", "restore"]),
    ("ast-grep", &["-U", "--update-all"]),
    ("sg", &["-U", "--update-all"]),
];
/// Programs that work in place with `-i`, alone or among other letters.
const IN_PLACE: &[&str] = &["sed", "gsed", "perl", "ruby", "yq"];
/// Programs that run a script.
const INTERPRETERS: &[&str] = &["python", "python3", "node", "ruby", "perl", "php", "deno", "bun"];
/// Words with which a script writes a file.
const WRITES: &[&str] =
    &["write", "'w'", "\"w\"", "'a'", "\"a\"", "'r+'", "\"r+\"", "replace(", "fs.", "inplace"];
/// The text before a file name in a patch.
const PATCHED: &[&str] = &["+++ b/", "+++ ", "*** Update File: ", "*** Add File: ", "*** Move to: "];

/// The file that a call views, as the call names it; empty if it names none, such as `scroll_down`. `None` for a call
/// that does something else.
pub fn file(call: &ToolCall) -> Option<String> {
    if call.has_side_effects() {
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
    // For these programs, the first word that is not an option is a script.
    let scripts = usize::from(matches!(simple.program(), "sed" | "awk" | "gawk" | "mawk"));
    let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let words = simple.argv.iter().skip(1).map(String::as_str);
    words.filter(move |word| !word.starts_with(['-', '+']) && !is_number(word)).skip(scripts)
}

/// The files that a call changes by its command or by a patch, as it names them.
pub fn changed(call: &ToolCall) -> Vec<String> {
    let mut out = Vec::new();
    let command = call.command.as_deref().filter(|command| command.len() <= MAX_BYTES);
    if let Some(text) = command {
        for token in lex(text, Dialect::Posix) {
            if let Token::Redirect(1 | 9, Target::File(name)) = token
                && !name.starts_with("/dev/")
            {
                out.push(name);
            }
        }
        let line = read_command(call, text);
        for simple in line.pipelines.iter().flatten() {
            if changes(simple) {
                let words = simple.argv.iter().skip(1);
                out.extend(words.filter(|word| is_file(word)).cloned());
            } else if INTERPRETERS.contains(&simple.program())
                && WRITES.iter().any(|word| text.contains(word))
            {
                out.extend(text.split(['\'', '"']).filter(|word| is_file(word)).map(str::to_owned));
            }
            if out.len() > MAX_FILES {
                break;
            }
        }
    }
    let texts = call.texts().into_iter().filter(|text| text.len() <= MAX_BYTES && text.contains("\n@@"));
    for line in texts.flat_map(str::lines) {
        let name = PATCHED.iter().find_map(|start| line.strip_prefix(start));
        out.extend(name.map(|name| name.trim().to_owned()).filter(|name| is_file(name)));
    }
    out.sort_unstable();
    out.dedup();
    out.truncate(MAX_FILES);
    out
}

/// Whether a program changes the files that it is given.
fn changes(simple: &Simple) -> bool {
    let program = simple.program();
    let words = || simple.argv.iter().skip(1).map(String::as_str);
    let with = WITH_WORD.iter().filter(|(name, _)| *name == program);
    EDITORS.contains(&program)
        || with.flat_map(|(_, words)| *words).any(|flag| words().any(|word| word == *flag))
        || IN_PLACE.contains(&program) && words().any(is_in_place)
}

/// `-i`, `-i.bak`, `-pi`, `-Ei`, `--in-place=.bak`.
fn is_in_place(word: &str) -> bool {
    let Some(letters) = word.strip_prefix('-') else { return false };
    match letters.strip_prefix('-') {
        Some(long) => long.starts_with("in-place") || long == "inplace",
        // The script follows the letter of its option.
        None => {
            letters.chars().take_while(|c| c.is_ascii_alphabetic() && !"eMmI".contains(*c)).any(|c| c == 'i')
        }
    }
}

/// Whether a word may be the name of a file.
fn is_file(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./@+~\\:[]()".contains(c);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    !word.starts_with('-')
        && (2..=256).contains(&word.len())
        && (word.contains('/')
            || name.trim_start_matches('.').contains('.')
            || name == word && name.len() > 3)
        && word.chars().all(is_plain)
        && name.contains(char::is_alphanumeric)
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

    #[test]
    fn files_that_commands_change_are_named() {
        let changed = |command: &str| {
            super::changed(&ToolCall {
                tool: "bash".into(),
                command: Some(command.into()),
                ..ToolCall::default()
            })
            .join(" ")
        };
        for command in [
            "sed -i 's/a/b/' src/a.rs",
            "sed -Ei.bak 's/a/b/' src/a.rs",
            "cd /w && sed --in-place -e '3d' src/a.rs && cargo test",
            "perl -pi -e 's/a/b/' src/a.rs",
            "perl -i -pe 's/a/b/' src/a.rs",
            "cat > src/a.rs <<'EOF'\nfn a() {}\nEOF",
            "echo x >> src/a.rs",
            "echo x | tee src/a.rs",
            "gofmt -w src/a.rs",
            "git checkout -- src/a.rs",
            "git apply <<'EOF'\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\nEOF",
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** End Patch\nEOF",
            "python3 - <<'PY'\np = 'src/a.rs'\nopen(p, 'w').write('x y')\nPY",
        ] {
            assert!(
                changed(command).split(' ').any(|file| file == "src/a.rs"),
                "{command}: {}",
                changed(command)
            );
        }
        for command in [
            "sed -n '1,9p' src/a.rs",
            "cat src/a.rs",
            "python3 src/a.py 2>/dev/null",
            "prettier --check src/a.ts",
        ] {
            assert_eq!(changed(command), "", "{command}");
        }
    }
}
