//! Reads a command line the way a shell would, far enough to know which programs wrote the output.
//!
//! It runs nothing and expands nothing. What it cannot read it leaves as words.

/// One program and its arguments, wrappers such as `sudo` or `timeout 9` taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// Words of the command; the first is the program's name without its folder.
    pub argv: Vec<String>,
    /// Whether its standard output went to a file.
    pub to_file: bool,
}

impl Simple {
    /// The program, without folder and `.exe`.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// The first argument that is no flag: `test` in `cargo --locked test`.
    pub fn subcommand(&self) -> Option<&str> {
        self.argv.iter().skip(1).map(String::as_str).find(|a| !a.starts_with(['-', '+']))
    }

    /// The command of git that runs: `status` in `git -C web -c core.quotePath=off --no-pager status`.
    pub fn git_subcommand(&self) -> Option<&str> {
        if self.program() != "git" {
            return None;
        }
        let mut words = self.argv.iter().skip(1).map(String::as_str);
        loop {
            match words.next()? {
                "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                    words.next();
                }
                flag if flag.starts_with('-') => {}
                word => return Some(word),
            }
        }
    }

    /// Whether one of the flags is given, also as `--flag=value`.
    pub fn has_flag(&self, flags: &[&str]) -> bool {
        self.argv.iter().skip(1).take_while(|a| *a != "--").any(|a| {
            let name = if a.starts_with("--") { a.split('=').next().unwrap_or(a) } else { a };
            flags.contains(&name)
        })
    }
}

/// Programs joined by `|`.
pub type Pipeline = Vec<Simple>;

/// All pipelines of a command line, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The pipelines; those that only set the scene (`cd`, `export`, …) are left out.
    pub pipelines: Vec<Pipeline>,
}

/// Filters whose choice of lines must be respected.
const FILTERS: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "cut", "sort", "uniq", "wc", "jq", "tr", "column",
    "perl", "python", "python3",
];

/// Commands that write nothing of interest.
const SCENE: &[&str] = &[
    "cd", "pushd", "popd", "export", "set", "source", ".", "unset", "alias", "umask", "ulimit", "true",
    "mkdir", "clear", "sleep", "wait", "shopt",
];

impl CommandLine {
    /// Reads a command line.
    pub fn parse(text: &str) -> Self {
        let mut line = Self::default();
        line.read(text, 0);
        line
    }

    fn read(&mut self, text: &str, depth: usize) {
        for pipeline in split(text) {
            let mut simples: Pipeline = Vec::new();
            for (words, to_file) in pipeline {
                match unwrap(words) {
                    Unwrapped::Script(script) if depth < 4 && simples.is_empty() => {
                        self.read(&script, depth + 1);
                        // What follows in the pipe filters what the script wrote.
                        if let Some(last) = self.pipelines.pop() {
                            simples = last;
                        }
                    }
                    Unwrapped::Script(script) => {
                        simples.push(Simple { argv: vec!["sh".into(), script], to_file })
                    }
                    Unwrapped::Argv(argv) if argv.is_empty() => {}
                    Unwrapped::Argv(argv) => simples.push(Simple { argv, to_file }),
                }
            }
            let scene = simples.len() == 1 && SCENE.contains(&simples[0].program());
            if !simples.is_empty() && !scene {
                self.pipelines.push(simples);
            }
        }
    }

    /// Programs that write what is seen: the first of each pipeline, with whether a filter chose
    /// among its lines. `head`, `tail`, `tee` and `cat` only cut or copy, and are no filters.
    pub fn producers(&self) -> impl Iterator<Item = (&Simple, bool)> {
        self.pipelines.iter().filter_map(|p| {
            let first = p.first().filter(|s| !s.to_file)?;
            Some((first, p.iter().skip(1).any(|s| FILTERS.contains(&s.program()))))
        })
    }

    /// Whether some producer that no filter follows satisfies `test`.
    pub fn runs(&self, test: impl Fn(&Simple) -> bool) -> bool {
        self.producers().any(|(simple, filtered)| !filtered && test(simple))
    }

    /// Whether the command is exactly one producer without a filter.
    pub fn only(&self) -> Option<&Simple> {
        match self.pipelines.as_slice() {
            [one] => self.producers().find(|(_, filtered)| !filtered && one.len() == 1).map(|(s, _)| s),
            _ => None,
        }
    }

    /// Whether a filter such as `grep` chose among the lines of some producer.
    pub fn is_filtered(&self) -> bool {
        self.producers().any(|(_, filtered)| filtered)
    }
}

type RawSimple = (Vec<String>, bool);

/// Splits into pipelines of simple commands of words; quotes are taken off, redirections too.
fn split(text: &str) -> Vec<Vec<RawSimple>> {
    let mut out: Vec<Vec<RawSimple>> = vec![Vec::new()];
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut to_file = false;
    let mut heredoc: Option<String> = None;
    let mut chars = text.chars().peekable();
    let mut expect_target = false;
    macro_rules! end_word {
        () => {
            if let Some(w) = word.take() {
                if expect_target {
                    expect_target = false;
                } else {
                    words.push(w);
                }
            }
        };
    }
    macro_rules! end_simple {
        () => {
            end_word!();
            if !words.is_empty() {
                if let Some(p) = out.last_mut() {
                    p.push((std::mem::take(&mut words), to_file));
                }
            }
            to_file = false;
        };
    }
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let w = word.get_or_insert_default();
                w.extend(chars.by_ref().take_while(|&c| c != '\''));
            }
            '"' => {
                let w = word.get_or_insert_default();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' if matches!(chars.peek(), Some('"' | '\\' | '$' | '`')) => {
                            w.extend(chars.next())
                        }
                        c => w.push(c),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                // A Windows path keeps its separators.
                Some(c) if c.is_ascii_alphanumeric() => word.get_or_insert_default().extend(['\\', c]),
                Some(c) => word.get_or_insert_default().push(c),
            },
            '$' if chars.peek() == Some(&'(') => {
                let w = word.get_or_insert_default();
                w.push('$');
                let mut open = 0;
                for c in chars.by_ref() {
                    w.push(c);
                    open += i32::from(c == '(') - i32::from(c == ')');
                    if open == 0 {
                        break;
                    }
                }
            }
            '#' if word.is_none() => {
                while chars.peek().is_some_and(|&c| c != '\n') {
                    chars.next();
                }
            }
            ' ' | '\t' | '\r' => {
                end_word!();
            }
            '(' | ')' | '{' | '}' if word.is_none() => {}
            ')' => {
                end_simple!();
            }
            ';' | '\n' | '&' | '|' => {
                let double = c != '\n' && chars.peek() == Some(&c);
                if c == '&' && chars.peek() == Some(&'>') {
                    end_word!();
                    continue;
                }
                if double {
                    chars.next();
                }
                end_simple!();
                if c == '|' && !double {
                    if chars.peek() == Some(&'&') {
                        chars.next();
                    }
                } else {
                    out.push(Vec::new());
                }
                if c == '\n'
                    && let Some(end) = heredoc.take()
                {
                    skip_heredoc(&mut chars, &end);
                }
            }
            '<' if chars.peek() == Some(&'<') => {
                end_word!();
                chars.next();
                let end: String = {
                    while chars.peek().is_some_and(|c| matches!(c, ' ' | '-' | '<')) {
                        chars.next();
                    }
                    let mut end = String::new();
                    while chars
                        .peek()
                        .is_some_and(|c| !c.is_whitespace() && !matches!(c, ';' | '|' | '&' | '>' | ')'))
                    {
                        end.extend(chars.next());
                    }
                    end.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect()
                };
                heredoc = Some(end);
            }
            '<' | '>' => {
                // A digit or nothing before the arrow is the stream.
                let stream = word.take_if(|w| w.chars().all(|c| c.is_ascii_digit()));
                end_word!();
                if chars.peek() == Some(&'>') {
                    chars.next();
                }
                if chars.peek() == Some(&'&') {
                    chars.next();
                    while chars.peek().is_some_and(|c| c.is_ascii_digit() || *c == '-') {
                        chars.next();
                    }
                    continue;
                }
                expect_target = true;
                let stdout = c == '>' && stream.as_deref().is_none_or(|s| s == "1");
                to_file |= stdout;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    end_simple!();
    let _ = (to_file, expect_target);
    out.retain(|p| !p.is_empty());
    out
}

fn skip_heredoc(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, end: &str) {
    loop {
        let mut any = false;
        let line: String = chars.by_ref().inspect(|_| any = true).take_while(|&c| c != '\n').collect();
        if line.trim() == end || (!any && chars.peek().is_none()) {
            return;
        }
    }
}

enum Unwrapped {
    Argv(Vec<String>),
    Script(String),
}

/// Takes off assignments and wrappers until the program is first.
fn unwrap(mut words: Vec<String>) -> Unwrapped {
    for _ in 0..8 {
        let assignments = words.iter().take_while(|w| is_assignment(w)).count();
        words.drain(..assignments);
        let Some(first) = words.first() else { return Unwrapped::Argv(words) };
        let name = base_name(first);
        let skip = match name.as_str() {
            "sudo" | "doas" | "env" | "nohup" | "time" | "command" | "exec" | "builtin" | "stdbuf"
            | "nice" | "ionice" | "setsid" | "chronic" | "unbuffer" | "caffeinate" | "then" | "do"
            | "else" | "!" | "if" | "while" => {
                1 + flags_with_values(&words[1..], &["-u", "-g", "-n", "-c", "-p", "-C", "--user"])
            }
            "timeout" | "gtimeout" => {
                2 + flags_with_values(&words[1..], &["-s", "-k", "--signal", "--kill-after"])
            }
            "xvfb-run" => 1 + flags_with_values(&words[1..], &["-s", "-n"]),
            "xargs" => 1 + flags_with_values(&words[1..], &["-n", "-I", "-P", "-d", "-L"]),
            "uv" | "poetry" | "pipenv" | "hatch" | "pdm" | "rye" | "conda" | "micromamba" | "bundle"
            | "mise"
                if words.get(1).is_some_and(|w| w == "run" || w == "exec") =>
            {
                2 + flags_with_values(
                    &words[2..],
                    &["--with", "--python", "-p", "--extra", "--group", "-n", "-e"],
                )
            }
            "npx" | "bunx" | "pnpx" | "uvx" | "pipx" => {
                1 + flags_with_values(&words[1..], &["-p", "--package"])
            }
            "npm" | "pnpm" | "yarn" | "bun"
                if words.get(1).is_some_and(|w| matches!(w.as_str(), "exec" | "dlx" | "x")) =>
            {
                2 + flags_with_values(&words[2..], &[])
            }
            "python" | "python3" | "py" if words.get(1).is_some_and(|w| w == "-m") => 2,
            "docker" | "podman" | "kubectl" if words.get(1).is_some_and(|w| w == "exec") => {
                3 + flags_with_values(
                    &words[2..],
                    &["-u", "-w", "-e", "--user", "--workdir", "--env", "-n", "-c"],
                ) + usize::from(words.iter().any(|w| w == "--"))
            }
            "bash" | "sh" | "zsh" | "dash" | "ash" | "fish" | "pwsh" | "powershell" | "cmd" => {
                match words.iter().skip(1).position(|w| is_script_flag(w)) {
                    Some(i) => match words.get(i + 2) {
                        Some(script) => return Unwrapped::Script(script.clone()),
                        None => 0,
                    },
                    None => 0,
                }
            }
            _ => 0,
        };
        if skip == 0 || skip >= words.len() {
            words[0] = name;
            return Unwrapped::Argv(words);
        }
        words.drain(..skip);
    }
    Unwrapped::Argv(words)
}

/// `-c`, `-lc`, `-ec` of POSIX shells, `-Command` of PowerShell, `/c` of cmd.
fn is_script_flag(word: &str) -> bool {
    let short = word.starts_with('-') && !word.starts_with("--") && word.len() <= 5 && word.ends_with('c');
    short || word.eq_ignore_ascii_case("-command") || word.eq_ignore_ascii_case("/c")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// How many words at the start are flags, with the values of those that take one.
fn flags_with_values(words: &[String], with_value: &[&str]) -> usize {
    let mut n = 0;
    while let Some(word) = words.get(n) {
        if word.starts_with('-') && word.len() > 1 {
            n += 1 + usize::from(with_value.contains(&word.as_str()));
        } else if is_assignment(word) {
            n += 1;
        } else {
            break;
        }
    }
    n
}

/// The program's name without folder and extension.
fn base_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name);
    if name.is_empty() { word.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(text: &str) -> Vec<String> {
        let line = CommandLine::parse(text);
        line.pipelines
            .iter()
            .map(|p| p.iter().map(|s| s.argv.join(" ")).collect::<Vec<_>>().join(" | "))
            .collect()
    }

    #[test]
    fn reads_what_agents_type() {
        for (text, expected) in [
            ("cd x && FOO=1 sudo timeout 9 npx vitest run | tail -50", vec!["vitest run | tail -50"]),
            ("bash -lc \"cd /a; cargo test --workspace\"", vec!["cargo test --workspace"]),
            ("uv run --with x pytest -q 2>&1 | grep 'a | b'", vec!["pytest -q | grep a | b"]),
            ("python -m pytest tests; git status", vec!["pytest tests", "git status"]),
            ("/usr/bin/git log --oneline > out.txt", vec!["git log --oneline"]),
            ("git commit -m \"fix; log\" || true", vec!["git commit -m fix; log"]),
            ("cat <<'EOF' > a.py\nimport x; y | z\nEOF\npython a.py", vec!["cat", "python a.py"]),
            ("(cd a && make) 2>/dev/null & wait", vec!["make"]),
            ("docker exec -it -u 0 web go test ./...", vec!["go test ./..."]),
            ("echo $(git rev-parse HEAD; x) # note | y", vec!["echo $(git rev-parse HEAD; x)"]),
            ("C:\\tools\\git.exe status", vec!["git status"]),
            ("if cargo build; then cargo test; fi", vec!["cargo build", "cargo test", "fi"]),
            ("", vec![]),
        ] {
            assert_eq!(programs(text), expected, "{text}");
        }
    }

    #[test]
    fn knows_files_and_filters() {
        let line = CommandLine::parse("make > log; pytest | grep x; cargo test 2>&1 | tail -5");
        let producers: Vec<_> = line.producers().map(|(s, f)| (s.program().to_owned(), f)).collect();
        assert_eq!(producers, [("pytest".to_owned(), true), ("cargo".to_owned(), false)]);
        assert!(line.is_filtered() && line.runs(|s| s.program() == "cargo") && line.only().is_none());
        assert!(
            CommandLine::parse("cargo -q test -- x").only().is_some_and(|s| s.subcommand() == Some("test"))
        );
    }
}
