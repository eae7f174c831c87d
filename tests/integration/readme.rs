//! The host examples of the README, run as they stand against the real binary.

use std::path::Path;
use std::process::Command;

/// The code block of a language.
fn block(language: &str) -> String {
    let readme = include_str!("../../README.md");
    let start = readme.split(&format!("```{language}\n")).nth(1).expect("the README has the block");
    start.split("\n```").next().unwrap().to_owned()
}

/// Runs an example with the binary in its search path; gives what it prints.
fn run(program: &str, file: &str, code: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(file);
    std::fs::write(&path, code).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_tersed")).parent().unwrap();
    let search = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let output = Command::new(program)
        .arg(&path)
        .env("PATH", search)
        .env("TERSED_NO_CONFIG", "1")
        .output()
        .expect("the interpreter runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_python_example_works() {
    if !crate::common::has("python3") {
        return;
    }
    // The child is left to end with its host, as in the example.
    let printed = run("python3", "host.py", &block("python"));
    assert_eq!(printed, "… {'before': 1, 'after': 1, 'counter': 'o200k'}\n");
}

#[test]
fn the_typescript_example_works() {
    if !crate::common::has("node") {
        return;
    }
    let printed = run("node", "host.mjs", &block("typescript"));
    assert_eq!(printed, "… { before: 1, after: 1, counter: 'o200k' }\n");
}
