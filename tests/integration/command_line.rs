//! The command line as a person uses it: a mistyped word causes an error with the word that was probably meant,
//! nothing is ignored, and a closed pipe or a full disk causes a message instead of a panic.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::common::repository;

const BINARY: &str = env!("CARGO_BIN_EXE_tersed");

/// A user with an empty home, in an empty project.
pub struct Home(tempfile::TempDir);

impl Home {
    pub fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for folder in ["work/.git", "run", "bin"] {
            fs::create_dir_all(home.path(folder)).unwrap();
        }
        home
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub fn command(&self, program: &str) -> Command {
        let folder = Path::new(BINARY).parent().unwrap().display();
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.path("work")).env("HOME", self.path("")).stdin(Stdio::null());
        command.env("XDG_RUNTIME_DIR", self.path("run"));
        command.env("PATH", format!("{}:{folder}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display()));
        command
    }

    pub fn tersed(&self, arguments: &[&str]) -> Output {
        self.command(BINARY).args(arguments).output().unwrap()
    }

    /// Its output; it must succeed.
    pub fn printed(&self, arguments: &[&str]) -> String {
        let output = self.tersed(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Exit code and standard error.
    fn code_and_stderr(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.tersed(arguments);
        (output.status.code(), text(&output.stderr))
    }

    fn file(&self, name: &str, content: &str) {
        fs::write(self.path("work").join(name), content).unwrap();
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A run of tests that passed.
fn passing(n: usize) -> String {
    let lines: String = (0..n).map(|i| format!("test a::case_{i} ... ok\n")).collect();
    format!(
        "\nrunning {n} tests\n{lines}\ntest result: ok. {n} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; \
         finished in 0.01s\n\n"
    )
}

#[test]
fn options_ahead_of_a_subcommand_are_refused_and_told() {
    let home = Home::new();
    for arguments in [
        &["--no-config", "compress"][..],
        &["--framing", "lines", "compress"],
        &["--set", "policy.mode=safe", "doctor"],
        &["--recovery", "always", "serve"],
    ] {
        let (code, told) = home.code_and_stderr(arguments);
        assert_eq!(code, Some(2), "{arguments:?} {told}");
        assert!(told.contains("options stand after the subcommand"), "{told}");
    }
    let (code, told) = home.code_and_stderr(&["--mode", "safe", "compress"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("'compress --mode' exists"), "{told}");
}

#[test]
fn what_was_meant_is_suggested_and_what_is_hidden_is_not() {
    let home = Home::new();
    for (arguments, has, lacks) in [
        (&["instal"][..], "'install'", "stats"),
        (&["version"], "`tersed --version`", "resident"),
        (&["relay"], "'replay'", "similar subcommands"),
        (&["compress", "--mode", "agressive"], "did you mean `aggressive`?", "conservative"),
        (&["audit", "--mode", "agressive"], "did you mean `aggressive`?", "balanced"),
        (&["compress", "--policy", r#"{"mode":"agressive"}"#], "did you mean `aggressive`?", "variant"),
        (&["compress", "--set", "policy.mode=agressive"], "did you mean `aggressive`?", "variant"),
        (&["compress", "--profile", "codin"], "did you mean `coding`?", "variant"),
        (&["run", "--rela"], "unexpected argument '--rela'", "'--relay'"),
        (&["run", "ls", "-l"], "tersed run -- ls", "as a value"),
        (&["run", "--host-limit", "-1", "--", "ls"], "a negative number is not allowed there", "as a value"),
        (
            &["artifacts", "search", "x", "y", "--context", "-1"],
            "a negative number is not allowed",
            "as a value",
        ),
        (&["trust", "--dry-run"], "unexpected argument '--dry-run'", "as a value"),
        (&["mcp-proxy", "--servers", "a.json"], "--servers FILE NAME", "similar"),
        (&["gateway", "claude"], "tersed gateway -- claude", "as a value"),
        (&["run"], "a command after `--`", "\n  --shell"),
        (&["install"], "`tersed install --list` names the hosts", "similar"),
        (&["explain", "--index", "1"], "tersed explain --record FILE --index N", "similar"),
        (&["agressive"], "--mode aggressive", "similar"),
        (&["init"], "tersed install HOST", "similar"),
        (&["update"], "what installed tersed updates it", "similar"),
        (&["remove"], "tersed uninstall HOST", "similar"),
        (&["list"], "tersed artifacts list", "similar"),
        (&["xyzzyxyzzy"], "`tersed --help` lists the subcommands", "similar"),
        (&["compress", "--policy", r#"{"xyzzyxyzzy":1}"#], "`tersed config show` lists all", "minBytes"),
    ] {
        let (code, told) = home.code_and_stderr(arguments);
        assert_eq!(code, Some(2), "{arguments:?} {told}");
        assert!(told.contains(has) && !told.contains(lacks), "{arguments:?} {told}");
    }
    let (code, told) = home.code_and_stderr(&["run", "--", "cargo test"]);
    assert!(code == Some(127) && told.contains("tersed run --shell 'cargo test'"), "{told}");
    // The other names still work, in any case.
    home.file("a.txt", "text\n");
    for mode in ["conservative", "OFF", "Balanced", "none", "0", "false"] {
        assert_eq!(home.printed(&["compress", "--mode", mode, "a.txt"]), "text\n", "{mode}");
        let mut command = home.command(BINARY);
        let output = command.args(["config", "show"]).env("TERSED_MODE", mode).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{mode}: {}", text(&output.stderr));
    }
    for said in ["OFF", "false", "off", "None"] {
        home.file("tersed.yaml", &format!("policy:\n  mode: {said}\n"));
        let shown = home.printed(&["config", "show"]);
        assert!(
            shown.contains("  mode: \"disabled\"") || shown.contains("  mode: \"off\""),
            "{said}: {shown}"
        );
    }
}

#[test]
fn completions_offer_the_modes() {
    let home = Home::new();
    let bash = home.printed(&["completions", "bash"]);
    let offered = "compgen -W \"disabled safe standard aggressive\"";
    // For compress, explain, audit, replay, tune, run, hook and others.
    assert!(bash.matches(offered).count() > 8, "{}", bash.matches(offered).count());
    assert!(bash.contains("compgen -W \"coding research ops\""));
    assert!(!home.printed(&["compress", "--help"]).contains("possible values: disabled"));
}

#[test]
fn a_bad_value_has_one_exit_status() {
    let home = Home::new();
    home.file(
        "records.jsonl",
        "{\"id\":\"a\",\"output\":\"x\",\"kind\":\"k\"}\n{\"id\":\"b\",\"output\":\"y\",\"kind\":\"k\"}\n",
    );
    for arguments in [
        &["compress", "--policy", "[]"][..],
        &["compress", "--policy", "{"],
        &["compress", "--exit-code", "x"],
        &["replay", "--policy", "[]", "records.jsonl"],
        &["replay", "--policy", r#"{"mode":"x"}"#, "records.jsonl"],
        &["audit", "--policy", r#"{"mode":"x"}"#, "records.jsonl"],
        &["explain", "--record", "records.jsonl"],
        &["explain", "--record", "records.jsonl", "--index", "0"],
        &["explain", "--record", "records.jsonl", "--index", "3"],
        &["artifacts", "search", "("],
        &["artifacts", "search", "x", "-C", "21"],
        &["artifacts", "show", "12345678", "--lines", "0"],
        &["artifacts", "show", "[tersed: omitted 2 lines 3-4, passing_tests]"],
        &["gateway", "--upstream", "nonsense", "--", "true"],
        &["stats", "--price", "x"],
        &["config", "show", "--set", "policy.minBytes=x"],
    ] {
        let (code, told) = home.code_and_stderr(arguments);
        assert_eq!(code, Some(2), "{arguments:?} {told}");
        assert!(!told.is_empty(), "{arguments:?}");
    }
}

#[test]
fn one_fault_has_one_exit_status() {
    let home = Home::new();
    home.file("bad.yaml", "policy:\n  mode: nonsense\n");
    home.file("rules.yaml", "rules:\n  - nonsense: 1\n");
    home.file("good.yaml", "rules:\n  - name: a\n    when: {tool: bash}\n    pipeline: [identity]\n");
    home.file("servers.json", "[]");
    // For every subcommand that reads a file: one that is not there, and a folder.
    for line in [
        "compress NONE",
        "explain NONE",
        "explain --record NONE --index 1",
        "expand NONE",
        "replay NONE",
        "audit NONE",
        "tune NONE",
        "config check NONE",
        "config show --config NONE",
        "config show --rules NONE",
        "trust NONE",
        "stats NONE",
        "rules check NONE",
        "rules check good.yaml --sample NONE",
        "mcp-proxy --servers NONE x",
        "artifacts list --dir NONE",
        "artifacts show 12345678 --dir NONE",
        "artifacts search x --dir NONE",
        "artifacts prune --dir NONE",
        "install claude-code --dir NONE",
        "uninstall claude-code --dir NONE",
        "man --dir bad.yaml/x",
        "audit bad.yaml --output NONE/x.html",
        "explain bad.yaml --html NONE/x.html",
    ] {
        let (code, told) = home.code_and_stderr(&line.replace("NONE", "none").split(' ').collect::<Vec<_>>());
        assert!(code == Some(1) && !told.is_empty(), "{line}: {code:?} {told}");
    }
    for line in ["mcp-proxy --servers . x", "compress .", "stats ."] {
        assert_eq!(home.code_and_stderr(&line.split(' ').collect::<Vec<_>>()).0, Some(1), "{line}");
    }
    // Content that is invalid, and a file that is refused.
    for line in [
        "config check .",
        "config show --config .",
        "rules check .",
        "config check bad.yaml",
        "config check none bad.yaml",
        "config show --config bad.yaml",
        "rules check rules.yaml",
        "mcp-proxy --servers servers.json x",
    ] {
        assert_eq!(home.code_and_stderr(&line.split(' ').collect::<Vec<_>>()).0, Some(2), "{line}");
    }
    for line in ["run --no-resident -- none", "gateway -- none", "mcp-proxy -- none"] {
        assert_eq!(home.code_and_stderr(&line.split(' ').collect::<Vec<_>>()).0, Some(127), "{line}");
    }
    for status in ["Exit status:", "  1    Failed: ", "  2    Invalid: ", "  127  run, gateway, mcp-proxy: "]
    {
        assert!(home.printed(&["help"]).contains(status), "{status}");
    }
    assert!(home.printed(&["man"]).contains(".SH \"EXIT STATUS\""));
}

#[test]
fn a_byte_cap_is_kept() {
    let home = Home::new();
    let lines = |n: usize| (0..n).map(|n| format!("{n}: a line of {n} words\n")).collect::<String>();
    home.file("lines.txt", &lines(2000));
    home.file("errors.txt", &lines(900).replace("9: a", "9: error: a"));
    home.file("line.txt", &"a word and another, ".repeat(9000));
    home.file("words.json", &format!("[{}1]", "{\"a\": \"text\", \"b\": [1, 2]}, ".repeat(3000)));
    let (code, told) = home.code_and_stderr(&["compress", "--max-output-bytes", "0", "lines.txt"]);
    assert!(code == Some(2) && told.contains("1..=1048576"), "{told}");
    // The marker alone needs more.
    assert!(home.printed(&["compress", "--max-output-bytes", "1", "lines.txt"]).len() < 256);
    for cap in [256, 300, 320, 400, 640, 700, 1500] {
        for file in ["lines.txt", "errors.txt", "line.txt", "words.json"] {
            for mode in ["safe", "standard", "aggressive"] {
                let cap = cap.to_string();
                let more = [
                    "--max-output-bytes",
                    &cap,
                    "--mode",
                    mode,
                    "--command",
                    "make",
                    "--exit-code",
                    "101",
                    file,
                ];
                let out = home.printed(&[&["compress"], &more[..]].concat());
                assert!(out.len() <= cap.parse().unwrap(), "{file} {mode} {cap}: {} {out}", out.len());
            }
        }
    }
}

#[test]
fn what_is_allowed_is_told_with_a_bad_value() {
    let home = Home::new();
    home.file("h.txt", "x\n");
    for (arguments, allowed) in [
        ("compress --exit-code abc", "allowed is a whole number"),
        ("run --patience x -- true", "500ms, 5s, 2m"),
        ("replay h.txt", "h.txt:1: not a record: "),
        ("explain --record h.txt", "expected JSON: parameters of"),
        ("explain --index 3 h.txt", "tersed explain --record FILE --index N"),
        ("mcp-proxy --servers h.txt x", "allowed is a JSON object"),
        ("serve --max-message-bytes 0", "0 is not in 1.."),
        ("artifacts list --dir nodir", "there is no folder nodir"),
    ] {
        let (code, told) = home.code_and_stderr(&arguments.split(' ').collect::<Vec<_>>());
        assert!(code.is_some_and(|code| code > 0) && told.contains(allowed), "{arguments}: {told}");
    }
    let history = repository("tests/fixtures/audit/claude-code/session.jsonl").display().to_string();
    for arguments in [&["explain", "--record", &history, "--index", "1"][..], &["stats", &history]] {
        let told = home.code_and_stderr(arguments).1;
        assert!(told.contains(&format!("`tersed audit {history}` reads it")), "{told}");
    }
    assert!(home.printed(&["artifacts", "help", "--help"]).contains("Usage: tersed artifacts"));
}

#[test]
fn files_are_compressed_like_standard_input() {
    let home = Home::new();
    let long = passing(300);
    home.file("a.txt", &long);
    home.file("b.txt", &passing(200));
    let one = home.printed(&["compress", "--command", "cargo test", "a.txt"]);
    let mut command = home.command(BINARY);
    command
        .args(["compress", "--command", "cargo test"])
        .stdin(fs::File::open(home.path("work/a.txt")).unwrap());
    assert_eq!(one, text(&command.output().unwrap().stdout));
    command.args(["-"]).stdin(fs::File::open(home.path("work/a.txt")).unwrap());
    assert_eq!(one, text(&command.output().unwrap().stdout));
    assert!(one.len() * 10 < long.len(), "{one}");
    let two = home.printed(&["compress", "--command", "cargo test", "a.txt", "b.txt"]);
    assert!(two.starts_with(&one) && two.contains("200 passed"), "{two}");
    home.file("c.txt", "no end");
    assert_eq!(home.printed(&["compress", "c.txt", "c.txt"]), "no end\nno end");
    let (code, told) = home.code_and_stderr(&["compress", "nowhere.txt"]);
    assert_eq!((code, told.starts_with("tersed: nowhere.txt: ")), (Some(1), true), "{told}");
    assert_eq!(home.code_and_stderr(&["compress", "."]).0, Some(1));
}

#[test]
fn expand_takes_a_file_and_a_path_is_named_once() {
    let home = Home::new();
    home.file("a.txt", "a plain text\n");
    assert_eq!(home.printed(&["expand", "a.txt"]), "a plain text\n");
    assert_eq!(home.printed(&["expand"]), "");
    let (code, told) = home.code_and_stderr(&["mcp-proxy", "--servers", "/none/servers.json", "x"]);
    assert!(code == Some(1) && told.matches("/none/servers.json").count() == 1, "{told}");
}

#[test]
fn the_help_shows_an_exit_status_that_is_right() {
    let home = Home::new();
    let help = home.printed(&["compress", "--help"]);
    let example = help.lines().find(|line| line.contains("$?")).expect(&help).trim();
    fs::write(home.path("bin/pytest"), "#!/bin/sh\necho nothing collected\nexit 5\n").unwrap();
    assert!(Command::new("chmod").arg("+x").arg(home.path("bin/pytest")).status().unwrap().success());
    let line = example.replace("--evidence short", "--evidence json");
    assert_ne!(line, example);
    for shell in ["sh", "bash", "zsh"] {
        let output = match home.command(shell).args(["-c", &line]).output() {
            // Not every machine has it.
            Err(e) if shell == "zsh" && e.kind() == std::io::ErrorKind::NotFound => continue,
            output => output.unwrap(),
        };
        assert_eq!(text(&output.stdout), "nothing collected\n", "{shell} {}", text(&output.stderr));
        let evidence: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(evidence["exitCode"], 5, "{shell}");
    }
}

/// Every subcommand with its arguments, as far down as they go.
fn subcommands(home: &Home, path: &[String]) -> Vec<Vec<String>> {
    let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
    let help = home.printed(&arguments);
    let mut all = vec![path.to_vec()];
    let Some(list) = help.split("\nCommands:\n").nth(1) else { return all };
    for line in list.split("\n\n").next().unwrap().lines() {
        let name = line.strip_prefix("  ").and_then(|line| line.split(' ').next()).unwrap_or_default();
        if !name.is_empty() && name != "help" {
            all.extend(subcommands(home, &[path, &[name.to_owned()]].concat()));
        }
    }
    all
}

#[test]
fn help_and_pages_are_for_people() {
    let home = Home::new();
    let all = subcommands(&home, &[]);
    assert!(all.len() > 30 && all.contains(&vec!["artifacts".to_owned(), "show".to_owned()]), "{all:?}");
    let link = regex::Regex::new(r"\[`|`\]|\]\(|crate::|self::|super::|\w::[A-Z]").unwrap();
    for path in &all {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let help = home.printed(&arguments);
        assert_eq!(link.find(&help).map(|found| found.as_str()), None, "{path:?}");
    }
    let folder = home.path("man");
    home.printed(&["man", "--dir", folder.to_str().unwrap()]);
    for page in fs::read_dir(folder).unwrap() {
        let page = fs::read_to_string(page.unwrap().path()).unwrap();
        assert_eq!(link.find(&page).map(|found| found.as_str()), None);
    }
}

/// Commands that print something.
fn printing() -> Vec<Vec<&'static str>> {
    let lines = [
        "--help",
        "--version",
        "compress --help",
        "completions bash",
        "completions zsh",
        "man",
        "protocol schema",
        "protocol methods",
        "config show",
        "config schema",
        "rules methods",
        "rules check rules.yaml",
        "trust --list",
        "install --list",
        "artifacts list",
        "stats",
        "stats --graph",
        "compress log.txt",
        "explain --record one.json",
        "explain --record one.json --html",
        "expand",
        "audit records.jsonl",
        "audit --schema",
        "replay records.jsonl",
        "replay --losses records.jsonl",
        "statusline",
    ];
    lines.iter().map(|line| line.split(' ').collect()).collect()
}

fn with_files() -> Home {
    let home = Home::new();
    home.file("log.txt", &passing(300));
    home.file("rules.yaml", "rules:\n  - name: a\n    when: {tool: bash}\n    pipeline: [identity]\n");
    home.file("one.json", &json!({ "tool": "bash", "content": passing(300) }).to_string());
    home.file("records.jsonl", "{\"id\":\"a\",\"output\":\"x\",\"kind\":\"k\"}\n");
    home
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    let home = with_files();
    for arguments in printing() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.command(BINARY).args(&arguments).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?} {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_message() {
    let home = with_files();
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in printing() {
        let mut command = home.command(BINARY);
        let output = command.args(&arguments).stdout(full()).output().unwrap();
        // Without input `expand` prints nothing, and a status line never fails.
        let code = if matches!(arguments[0], "expand" | "statusline") { 0 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {}", text(&output.stderr));
        let told = text(&output.stderr);
        assert!(code == 0 || told.contains("standard output: No space left"), "{arguments:?} {told}");
        assert!(!told.contains("panic"), "{arguments:?} {told}");
        // No panic either if standard error is full too.
        let output = home.command(BINARY).args(&arguments).stdout(full()).stderr(full()).status().unwrap();
        assert_eq!(output.code(), Some(code), "{arguments:?}");
    }
    // If the output of a command is lost, this is reported.
    for arguments in
        [&["run", "--no-resident", "--", "seq", "1", "2000"][..], &["run", "--raw", "--", "seq", "9"]]
    {
        let output = home.command(BINARY).args(arguments).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains("standard output: No space left"), "{arguments:?}");
    }
    let output =
        home.command(BINARY).args(["run", "--shell", "echo x; exit 7"]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "the status of a command that failed");
    // Text without a line end is not lost in a buffer.
    home.file("short.txt", "short");
    let output = home
        .command(BINARY)
        .args(["compress", "short.txt"])
        .stdout(full())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(output.code(), Some(1));
    let output = home.command(BINARY).arg("nonsense").stderr(full()).status().unwrap();
    assert_eq!(output.code(), Some(2));
}

#[test]
fn numbers_agree_with_their_nouns() {
    let home = with_files();
    assert_eq!(
        home.printed(&["rules", "check", "rules.yaml"]),
        "1 rule, 1 without a test; 0 tests, 0 failed\n"
    );
}

#[test]
fn replay_reads_folders_and_says_who_reads_a_history() {
    let home = Home::new();
    fs::create_dir(home.path("work/deep")).unwrap();
    home.file("deep/a.jsonl", "{\"id\":\"a\",\"output\":\"x\",\"kind\":\"one\"}\n");
    home.file("b.jsonl", "{\"id\":\"b\",\"output\":\"y\",\"kind\":\"two\"}\n");
    home.file("notes.txt", "not a record\n");
    let report: Value = serde_json::from_str(&home.printed(&["replay", "--json", "."])).unwrap();
    assert_eq!(
        report["rows"]["all"]["results"].as_u64().or(report["all"]["results"].as_u64()),
        Some(2),
        "{report}"
    );
    let history = repository("tests/fixtures/audit/claude-code");
    for path in [history.join("session.jsonl"), history] {
        let path = path.to_str().unwrap().to_owned();
        let (code, told) = home.code_and_stderr(&["replay", &path]);
        assert_eq!(code, Some(1));
        assert!(
            told.contains(&format!("is a history (Claude Code): `tersed audit {path}` reads it")),
            "{told}"
        );
    }
    // A record needs its output alone.
    home.file("bare.jsonl", "{\"output\":\"x\"}\n{\"output\":\"y\",\"kind\":\"k\"}\n");
    home.printed(&["replay", "bare.jsonl"]);
    home.file("empty.jsonl", "");
    let (code, told) = home.code_and_stderr(&["replay", "empty.jsonl"]);
    assert_eq!((code, told.as_str()), (Some(1), "tersed: empty.jsonl: there are no records\n"));
    fs::create_dir(home.path("work/none")).unwrap();
    assert!(home.code_and_stderr(&["replay", "none"]).1.contains("neither records nor cases"));
}

#[test]
fn the_name_of_a_report_chooses_its_format() {
    let home = Home::new();
    let history = repository("tests/fixtures/audit/codex").to_str().unwrap().to_owned();
    let written = |arguments: &[&str], file: &str| {
        home.printed(&[&["audit", &history, "--output", file], arguments].concat());
        fs::read_to_string(home.path("work").join(file)).unwrap()
    };
    assert!(written(&[], "a.html").starts_with("<!doctype html>"));
    assert!(serde_json::from_str::<Value>(&written(&[], "a.JSON")).unwrap()["total"].is_object());
    assert!(written(&[], "a.txt").starts_with("tersed "));
    assert!(written(&["--format", "text"], "b.html").starts_with("tersed "));
    let (code, told) = home.code_and_stderr(&["audit", &history, "--output", "a.parquet"]);
    assert!(code == Some(2) && told.contains("the name says no format"), "{told}");
    assert!(!home.path("work/a.parquet").exists());
}

#[test]
fn a_report_takes_the_place_of_nothing_but_a_report() {
    let home = Home::new();
    let history = fs::read_to_string(repository("tests/fixtures/audit/claude-code/session.jsonl")).unwrap();
    let records = fs::read_to_string(repository("tests/fixtures/sessions/tally.jsonl")).unwrap();
    let log = "an important log\n";
    fs::create_dir(home.path("work/all")).unwrap();
    let files = [("a.jsonl", &*history), ("all/b.jsonl", &history), ("c.log", log), ("d.jsonl", &records)];
    files.iter().for_each(|(name, content)| home.file(name, content));
    std::os::unix::fs::symlink(home.path("work/a.jsonl"), home.path("work/link.html")).unwrap();
    for arguments in [
        &["audit", "a.jsonl", "--output", "a.jsonl"][..],
        &["audit", "a.jsonl", "--output", "link.html"],
        &["audit", "all", "--format", "html", "--output", "all/b.jsonl"],
        &["audit", "all", "--output", "c.log"],
        &["explain", "--html", "c.log"],
        &["explain", "c.log", "--html", "c.log"],
        &["explain", "--record", "d.jsonl", "--index", "8", "--html", "d.jsonl"],
    ] {
        let (code, told) = home.code_and_stderr(arguments);
        assert!(code == Some(1) && told.contains("not overwritten"), "{arguments:?} {code:?} {told}");
        for (name, content) in files {
            assert_eq!(fs::read_to_string(home.path("work").join(name)).unwrap(), content, "{arguments:?}");
        }
    }
    // A second run replaces the file of the first, even in the folder that is read.
    for _ in 0..2 {
        for name in ["all/x.html", "all/x.json", "all/x.jsonl", "all/x.txt"] {
            home.printed(&["audit", "all", "--output", name]);
        }
        home.printed(&["explain", "c.log", "--command", "make", "--html", "y.html"]);
    }
    assert!(fs::read_to_string(home.path("work/y.html")).unwrap().contains(log.trim()));
    assert!(home.printed(&["explain", "c.log"]).contains(log.trim()));
}

#[test]
fn an_audit_of_nothing_says_what_to_do() {
    let home = Home::new();
    fs::create_dir(home.path("work/none")).unwrap();
    assert!(home.command("mkfifo").arg("pipe").status().unwrap().success());
    for (path, code) in [("none", 0), ("pipe", 1)] {
        let output = home.tersed(&["audit", path]);
        assert_eq!(output.status.code(), Some(code), "{path}");
        assert!(text(&output.stdout).contains("`tersed audit PATH` reads histories"), "{path}");
    }
    let all = home.printed(&["audit"]);
    assert!(all.contains("no histories of: ") && all.lines().count() < 8, "{all}");
}

#[test]
fn an_audit_that_understands_nothing_fails() {
    let home = Home::new();
    home.file("notes.txt", "no history\n");
    let output = home.tersed(&["audit", "notes.txt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("notes.txt: none of the formats"));
    assert!(text(&output.stderr).contains("notes.txt (none of the formats); `tersed audit --help`"));
}

#[test]
fn artifacts_are_found_by_what_lists_and_markers_show() {
    let home = Home::new();
    assert!(home.printed(&["artifacts", "list"]).starts_with("No originals are kept; "));
    home.file("log.txt", &passing(300));
    let shown = home.printed(&["run", "--no-resident", "--shell", "cat log.txt # cargo test"]);
    let shown = match shown.contains("artifacts show") {
        true => shown,
        false => {
            fs::write(home.path("bin/cargo"), "#!/bin/sh\ncat log.txt\n").unwrap();
            assert!(Command::new("chmod").arg("+x").arg(home.path("bin/cargo")).status().unwrap().success());
            home.printed(&["run", "--no-resident", "--", "cargo", "test"])
        }
    };
    let marker = shown.lines().find(|line| line.contains("artifacts show")).expect(&shown);
    let listed = home.printed(&["artifacts", "list"]);
    assert!(listed.lines().nth(1).is_some_and(|row| row.contains("cargo test")), "{listed}");
    let whole = passing(300);
    assert_eq!(home.printed(&["artifacts", "show", marker]), whole);
    let handle = marker.split_once("artifacts show ").unwrap().1.split([' ', ']']).next().unwrap();
    assert_eq!(home.printed(&["artifacts", "show", handle]), whole);
    let found = home.printed(&["artifacts", "search", "case_7 "]);
    assert!(found.starts_with(handle) && found.trim_end().ends_with(":10:test a::case_7 ... ok"), "{found}");
    let output = home.tersed(&["artifacts", "search", "nowhere"]);
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(1), "tersed: nothing matches in 1 original\n")
    );
    let check = shown.split_once("[tersed#").expect(&shown).1[..12].to_owned();
    // The digits of the check, and what stands around them, name the original of the text.
    let first = shown.lines().find(|line| line.contains("[tersed#")).unwrap();
    for given in [
        &check,
        &format!("[tersed#{check}"),
        &format!("#{check}"),
        first,
        &format!("[{handle}]"),
        &handle[..5],
    ] {
        assert_eq!(home.printed(&["artifacts", "show", given]), whole, "{given}");
    }
    let (code, told) = home.code_and_stderr(&["artifacts", "show", "#000000000000"]);
    assert!(code == Some(1) && told.contains("`tersed artifacts list` shows the handles"), "{told}");
    assert_eq!(home.printed(&["artifacts", "show", &handle.to_uppercase()]), whole);
    let (_, told) = home.code_and_stderr(&["artifacts", "show", "2310"]);
    assert!(told.contains("8 digits or more"), "{told}");
    let (_, told) = home.code_and_stderr(&["artifacts", "show", handle, "--lines", "9999-"]);
    assert!(told.contains("lines 9999- are beyond the end"), "{told}");
    let (_, told) = Home::new().code_and_stderr(&["artifacts", "search", "x"]);
    assert!(told.contains("there are no originals to search"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_page_is_paged_on_a_terminal_alone() {
    let home = Home::new();
    home.file("long.json", &json!({ "tool": "bash", "content": passing(20_000) }).to_string());
    let plain = home.printed(&["explain", "--record", "long.json"]);
    let line = format!("{BINARY} explain --record long.json --color never --width 80");
    // `script` gives its command a terminal.
    let shown = |pager: &str| {
        let output = home.command("script").env("PAGER", pager).args(["-qec", &line, "/dev/null"]).output();
        output.ok().map(|output| text(&output.stdout).replace("\r\n", "\n"))
    };
    let Some(first) = shown("head -n 3") else { return };
    assert_eq!(first.lines().collect::<Vec<_>>(), plain.lines().take(3).collect::<Vec<_>>());
    assert_eq!(shown("cat").unwrap(), plain);
    assert_eq!(shown("no-such-pager").unwrap(), plain);
}
