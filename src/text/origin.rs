//! The origin to which a reference points, in terms that the agent knows.

/// Where lines are shown: the result of a call, or an argument that the model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The id of the call; empty in a marker for a model that does not see ids.
    pub call: String,
    /// Its tool, as the host wrote it.
    pub tool: String,
    /// The argument; `None` for the result.
    pub argument: Option<String>,
    /// What the call was about: the file that it showed, or its command; see [`label_of_path`].
    pub label: Option<String>,
}

/// The name of the file in a label such as `src/a.rs`, `src/a.rs 10-90` or `edit 3:4 of src/a.rs`.
pub fn file_of_label(label: &str) -> &str {
    let edited = label.strip_prefix("edit").and_then(|rest| rest.split_once(" of "));
    let file = edited.map_or(label, |(_, file)| file);
    let is_range =
        |range: &str| range.contains('-') && range.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let file = file.rsplit_once(' ').filter(|(_, range)| is_range(range)).map_or(file, |(file, _)| file);
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// Longest label, in bytes.
const MAX_LABEL: usize = 40;
/// Replaces the cut part of a label.
pub const CUT: &str = "...";

/// Whether a character is not allowed in a label: it would end the marker, or this part of the marker.
fn spoils(c: char) -> bool {
    c.is_control() || "[](){};,".contains(c)
}

/// The label of a file: the end of its path. A character that is not allowed in a marker becomes `?`, which in a
/// shell matches any character.
pub fn label_of_path(path: &str) -> Option<String> {
    let path = path.trim();
    if path.is_empty() || path.contains(char::is_control) {
        return None;
    }
    let allowed = |path: &str| path.replace(spoils, "?");
    if path.len() <= MAX_LABEL {
        return Some(allowed(path));
    }
    let from = path.ceil_char_boundary(path.len() - (MAX_LABEL - CUT.len()));
    let from = path[from..].find('/').map_or(from, |slash| from + slash);
    Some(format!("{CUT}{}", allowed(&path[from..])))
}

/// The label of a command: its first words, as long as they are allowed in a marker, without `cd FOLDER` and other
/// commands before it that print nothing.
pub fn label_of_command(command: &str) -> Option<String> {
    let mut out = String::new();
    // `(cd a && make)`, `{ make; }`; the JSON arguments of a tool are not a command.
    let command = command.trim_start();
    if command.starts_with("{\"") {
        return None;
    }
    let opens = |c: char| c.is_whitespace() || c == '(';
    let command = command.strip_prefix("{ ").unwrap_or(command).trim_start_matches(opens);
    let command = strip_silent_commands(command.trim());
    let first = command.lines().next().unwrap_or_default();
    let more = (first.len() < command.len()).then_some(CUT);
    for word in first.split_ascii_whitespace().chain(more) {
        let is_last = word.contains(spoils) || out.len() + word.len() >= MAX_LABEL - CUT.len();
        if is_last && out.is_empty() {
            // A part of the first word says more than nothing: the end of a path, the program of `"$(which x)"`.
            let part = |part: &&str| part.contains(char::is_alphanumeric);
            let part = word.split(spoils).find(part)?;
            let part = part.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(part);
            let end = part.floor_char_boundary(MAX_LABEL - 2 * CUT.len());
            return Some(format!("{} {CUT}", &part[..end]));
        }
        let word = if is_last { CUT } else { word };
        out.push_str(if out.is_empty() { "" } else { " " });
        out.push_str(word);
        if is_last {
            break;
        }
    }
    Some(out).filter(|out| !out.is_empty())
}

/// Commands that usually print nothing.
const SILENT: &[&str] = &[
    "cd ", "git add ", "mkdir ", "export ", "source ", "touch ", "sleep ", "set ", "rm ", "cp ", "mv ",
    "chmod ",
];

/// The rest of a command after commands that print nothing, as in `cd FOLDER && make`. Commands with quotes or
/// similar characters are not parsed.
fn strip_silent_commands(mut command: &str) -> &str {
    while SILENT.iter().any(|silent| command.starts_with(silent)) {
        let Some(end) = command.find(['&', ';', '|', '\n', '"', '\'', '`', '$', '<', '>', '(', '\\']) else {
            break;
        };
        let rest = &command[end..];
        let next = rest.strip_prefix("&&").or_else(|| rest.strip_prefix([';', '\n'])).map(str::trim_start);
        match next {
            Some(next) if !next.is_empty() => command = next,
            _ => break,
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_label() {
        for label in ["src/a.rs", "a.rs", ".../b/a.rs 10-90", "edit 3:4 of src/a.rs", "edit of a.rs"] {
            assert_eq!(file_of_label(label), "a.rs", "{label}");
        }
        assert_eq!(file_of_label("notes of a day.md"), "notes of a day.md");
        assert_eq!(file_of_label("cargo test"), "cargo test");
    }

    #[test]
    fn labels_are_short_and_end_no_marker() {
        assert_eq!(label_of_path("src/a.rs").as_deref(), Some("src/a.rs"));
        let long = format!("/home/{}/src/a.rs", "x".repeat(80));
        assert_eq!(label_of_path(&long).as_deref(), Some(".../src/a.rs"));
        assert_eq!(label_of_path("app/[id]/page.tsx").as_deref(), Some("app/?id?/page.tsx"));
        assert_eq!(label_of_path(&"y".repeat(99)), Some(format!("...{}", "y".repeat(37))));
        for path in ["", "a\nb"] {
            assert_eq!(label_of_path(path), None, "{path}");
        }
        assert_eq!(label_of_command("cargo  test --lib\n").as_deref(), Some("cargo test --lib"));
        assert_eq!(label_of_command("cd a && ls && rm b; c").as_deref(), Some("ls && rm ..."));
        assert_eq!(label_of_command("rm -rf /tmp/r && mkdir /tmp/r && ./a").as_deref(), Some("./a"));
        assert_eq!(label_of_command("cd a; make all").as_deref(), Some("make all"));
        assert_eq!(label_of_command("git add -A\ncargo test").as_deref(), Some("cargo test"));
        assert_eq!(label_of_command("cd a && git add . && git status").as_deref(), Some("git status"));
        for command in ["cd a", "git add x", "cd a || ls", "cd a &&"] {
            assert_eq!(label_of_command(command).as_deref(), Some(command));
        }
        assert_eq!(label_of_command("$(x)").as_deref(), Some("x ..."));
        assert_eq!(label_of_command("(cd a && make all)").as_deref(), Some("make ..."));
        assert_eq!(label_of_command("[ -f a ] && cat a"), None);
        assert_eq!(label_of_command("{ make; }").as_deref(), Some("make ..."));
        assert_eq!(label_of_command("{\"depth\": 2}"), None);
        let path = format!("/opt/{}/bin/python3 a.py", "x".repeat(40));
        assert_eq!(label_of_command(&path).as_deref(), Some("python3 ..."));
        assert_eq!(label_of_command("()"), None);
        assert_eq!(label_of_command("\nedit 3:4\n  let a = 1\n").as_deref(), Some("edit 3:4 ..."));
        let long = label_of_command(&"word ".repeat(40)).unwrap();
        assert!(long.len() <= MAX_LABEL && long.ends_with(" ..."), "{long}");
    }
}
