//! Runs the code blocks of the README and of the pages that it links to. Programs that would change the machine, or
//! wait for something, are replaced by stubs: `cargo`, agent hosts, and the scripts of this repository.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::command_line::{Home, text};
use crate::common::{has, repository};

/// The pages.
const PAGES: [&str; 4] = ["README.md", "protocol/guide.md", "protocol/measured.md", "editors/gateway.md"];

/// A code block of a page.
struct Block {
    page: &'static str,
    /// The line of the page on which it begins.
    line: usize,
    language: String,
    code: String,
}

fn blocks() -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    for page in PAGES {
        let mut is_open = false;
        for (at, line) in fs::read_to_string(repository(page)).unwrap().lines().enumerate() {
            match line.strip_prefix("```") {
                Some(language) if !is_open => {
                    all.push(Block {
                        page,
                        line: at + 1,
                        language: language.to_owned(),
                        code: String::new(),
                    });
                    is_open = true;
                }
                Some(_) => is_open = false,
                None if is_open => {
                    let block = all.last_mut().unwrap();
                    block.code.push_str(line);
                    block.code.push('\n');
                }
                None => {}
            }
        }
        assert!(!is_open, "{page}: a block that does not end");
    }
    all
}

fn written_in(language: &str) -> Vec<Block> {
    let found: Vec<Block> = blocks().into_iter().filter(|block| block.language == language).collect();
    assert!(!found.is_empty(), "no block in {language}");
    found
}

#[test]
fn every_block_has_a_test_for_its_language() {
    for Block { page, line, language, .. } in blocks() {
        let known = ["sh", "python", "typescript", "yaml", "text"];
        assert!(known.contains(&language.as_str()), "{page}:{line}: nothing runs `{language}`");
    }
}

/// A report of tests, one of which failed.
fn report() -> String {
    let passed: String = (0..200).map(|n| format!("test cases::number_{n} ... ok\n")).collect();
    format!(
        "\nrunning 201 tests\n{passed}test cases::the_last ... FAILED\n\nfailures:\n\n---- cases::the_last stdout ----\n\
         thread 'cases::the_last' (7) panicked at src/lib.rs:9:5:\nboom\n\n\nfailures:\n    cases::the_last\n\n\
         test result: FAILED. 200 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
    )
}

/// A stub that replaces a real program.
fn stand_in(home: &Home, name: &str, script: &str) {
    let path = home.path("bin").join(name);
    fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A clone of this repository by a user who has an agent, some recorded work and no settings.
fn clone() -> Home {
    let home = Home::new();
    for part in ["tests", "protocol", "examples", "Cargo.toml"] {
        symlink(repository(part), home.path("work").join(part)).unwrap();
    }
    let write = |name: &str, content: &str| {
        fs::create_dir_all(home.path("work").join(name).parent().unwrap()).unwrap();
        fs::write(home.path("work").join(name), content).unwrap();
    };
    write("output.txt", &report());
    write("tersed.yaml", "policy:\n  mode: standard\n");
    write("my-rules.yaml", &fs::read_to_string(repository("protocol/rules/builds.yaml")).unwrap());
    write(
        "sessions.jsonl",
        "{\"session\":\"a\",\"messages\":[{\"role\":\"agent\",\"text\":\"x\"},{\"role\":\"tool\",\"output\":\"y\"}]}\n",
    );
    let history = "../.claude/projects/-work/session.jsonl";
    fs::create_dir_all(home.path(".claude/projects/-work")).unwrap();
    write(
        history,
        &fs::read_to_string(repository("tests/fixtures/audit/claude-code/session.jsonl")).unwrap(),
    );
    let examples = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap().join("examples");
    stand_in(
        &home,
        "cargo",
        &format!(
            "if [ \"$1\" = test ]; then cat output.txt; exit 101; fi\n\
             [ \"$1\" = run ] || exit 0\n\
             while [ $# -gt 0 ] && [ \"$1\" != -- ]; do [ \"$1\" = --example ] && example=\"$2\"; shift; done\n\
             shift\n\
             [ -z \"$example\" ] && exec tersed \"$@\"\n\
             [ -x '{0}/'\"$example\" ] || exit 0\nexec '{0}/'\"$example\" \"$@\"",
            examples.display()
        ),
    );
    for host in ["claude", "npm", "pytest"] {
        stand_in(&home, host, "exit 0");
    }
    home
}

/// Runs lines of a shell. Servers that nobody ends are only started.
fn shell(home: &Home, code: &str) -> Output {
    let prelude = "bash() { case \"$1\" in tests/*.sh) test -f \"$1\" ;; *) command bash \"$@\" ;; esac; }\n\
        tersed() { case \"$*\" in serve*|*--listen*) timeout 1 tersed \"$@\" < /dev/null || true ;; \
        run*) command tersed \"$@\" || true ;; *) command tersed \"$@\" ;; esac; }\nset -e\n";
    let mut command = home.command("bash");
    command.args(["-c", &format!("{prelude}{code}")]).stdin(Stdio::null());
    command.output().unwrap()
}

#[test]
fn lines_for_a_shell_work() {
    for page in PAGES {
        // The blocks of a page run from the top; later blocks may use the files of earlier ones.
        let home = clone();
        for block in blocks().into_iter().filter(|block| block.page == page && block.language == "sh") {
            let output = shell(&home, &block.code);
            let told = text(&output.stderr);
            assert!(output.status.success(), "{page}:{}: {:?} {told}", block.line, output.status.code());
            for fault in ["unexpected argument", "unrecognized subcommand", "panicked", "not found"] {
                assert!(!told.contains(fault), "{page}:{}: {told}", block.line);
            }
        }
    }
}

#[test]
fn settings_and_rules_are_understood() {
    for block in written_in("yaml") {
        let home = Home::new();
        fs::write(home.path("work/a.yaml"), &block.code).unwrap();
        let check = if block.code.contains("\nrules:") || block.code.starts_with("rules:") {
            "rules"
        } else {
            "config"
        };
        let output = home.tersed(&[check, "check", "a.yaml"]);
        assert!(output.status.success(), "{}:{}: {}", block.page, block.line, text(&output.stderr));
    }
}

/// Runs a host's example with the binary in its search path; returns its output.
fn host(program: &str, file: &str, code: &str) -> String {
    let home = Home::new();
    let path = home.path("work").join(file);
    fs::write(&path, code).unwrap();
    let output = home.command(program).arg(&path).output().expect("the interpreter runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// The output of an example ends with the tokens before and after; the latter must be far fewer.
fn saves(printed: &str) {
    let last = printed.lines().last().unwrap_or_default();
    let numbers: Vec<u64> =
        last.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() >= 2 && numbers[0] > 500 && numbers[1] * 5 < numbers[0], "{printed}");
    assert!(printed.contains("omitted") && printed.contains("passed"), "{printed}");
}

#[test]
fn the_python_examples_save_something() {
    // Their types are checked by `tests/clients.sh`.
    for block in written_in("python").iter().filter(|_| has("python3")) {
        saves(&host("python3", "host.py", &block.code));
    }
}

#[test]
fn the_typescript_examples_save_something() {
    // They are JavaScript too; their types are checked by `tests/clients.sh`.
    for block in written_in("typescript").iter().filter(|_| has("node")) {
        saves(&host("node", "host.mjs", &block.code));
    }
}

/// A line without the part that differs between machines: the check of a seal, with the number of digits in the
/// grammar of markers.
fn unsealed(line: &str) -> String {
    regex::Regex::new(r"\[tersed#[0-9]{12}:").unwrap().replace_all(line.trim(), "[tersed#:").into_owned()
}

#[test]
fn what_pages_show_is_what_comes_out() {
    let mut real: Vec<String> = Vec::new();
    let mut add = |text: &str| real.extend(text.lines().map(unsealed));
    let home = Home::new();
    let session = fs::read_to_string(repository("tests/fixtures/sessions/tally.jsonl")).unwrap();
    for line in session.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let output = record["output"].as_str().unwrap();
        add(output);
        fs::write(home.path("work/output.txt"), output).unwrap();
        let command = record["command"].as_str().unwrap_or("true");
        add(&home.printed(&["compress", "--command", command, "output.txt"]));
    }
    for folder in ["tests/fixtures", "tests/audit", "tests/stats", "protocol"] {
        each_file(&repository(folder), &mut add);
    }
    fs::write(
        home.path("work/one.json"),
        json!({"tool": "bash", "command": "cargo test", "content": report()}).to_string(),
    )
    .unwrap();
    add(&home.printed(&["explain", "--record", "one.json"]));
    let status = |n: usize| if n == 31 { "failed" } else { ["queued", "passed", "passed"][n % 3] };
    let item = |n| format!("{{\"id\": {n}, \"status\": \"{}\", \"path\": \"src/case_{n}.rs\"}}", status(n));
    let items: Vec<String> = (1..=60).map(item).collect();
    fs::write(home.path("work/items.json"), format!("[{}]\n", items.join(",\n"))).unwrap();
    add(&home.printed(&["compress", "--mode", "aggressive", "items.json"]));
    let mut invented = Vec::new();
    for Block { page, line, code, .. } in blocks().into_iter().filter(|block| block.language == "text") {
        for shown in code.lines().map(unsealed).filter(|shown| !shown.is_empty()) {
            // The end of a line may be left out.
            let start = shown.split('…').next().unwrap_or_default();
            let is_real = real
                .iter()
                .any(|known| if start == shown { *known == shown } else { known.starts_with(start) });
            if !is_real {
                invented.push(format!("{page}:{line}: {shown}"));
            }
        }
    }
    assert!(invented.is_empty(), "nothing gives these:\n{}", invented.join("\n"));
}

fn each_file(folder: &Path, see: &mut dyn FnMut(&str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // A page is no proof of its own text.
        match path.is_dir() {
            true => each_file(&path, see),
            false if path.extension().is_some_and(|end| end == "md") => {}
            false => {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                see(&text);
                // The messages of the protocol.
                let lines = text.lines().filter(|line| line.starts_with('{'));
                lines.filter_map(|line| serde_json::from_str(line).ok()).for_each(|json| strings(&json, see));
            }
        }
    }
}

fn strings(json: &Value, see: &mut dyn FnMut(&str)) {
    match json {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, see)),
        Value::Object(members) => members.values().for_each(|member| strings(member, see)),
        _ => {}
    }
}
