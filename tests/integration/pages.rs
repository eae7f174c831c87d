//! Completions and manual pages: they are made from the definition of the command line, and list all of it.

use std::process::{Command, Stdio};

fn tersed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_tersed")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Names of the subcommands, as the help lists them.
fn subcommands() -> Vec<String> {
    let help = tersed(&["--help"]);
    let list = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn the_list_of_subcommands_is_found() {
    let names = subcommands();
    for name in ["serve", "compress", "install", "uninstall", "doctor", "man", "completions"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
}

#[test]
fn completions_name_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = tersed(&["completions", shell]);
        for name in subcommands() {
            assert!(text.contains(&name), "{shell}: {name}");
        }
        assert!(text.contains("claude-code") || shell != "bash", "hosts are completed");
    }
}

#[test]
fn the_shell_takes_its_completions() {
    let script = tersed(&["completions", "bash"]);
    let complete = format!(
        "{script}\nCOMP_WORDS=(tersed ins); COMP_CWORD=1; _tersed tersed ins tersed; echo \"${{COMPREPLY[*]}}\""
    );
    let output =
        Command::new("bash").args(["--norc", "-c", &complete]).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "install");
}

#[test]
fn every_subcommand_has_its_page() {
    let root = tersed(&["man"]);
    assert!(root.contains(".TH tersed 1"), "{}", &root[..200]);
    for heading in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH SUBCOMMANDS"] {
        assert!(root.contains(heading), "{heading}");
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("man1");
    tersed(&["man", "--dir", place.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(place.join("tersed.1")).unwrap(), root);
    for name in subcommands().into_iter().filter(|name| name != "help") {
        assert!(root.contains(&format!("tersed\\-{}(1)", name.replace('-', "\\-"))), "{name}");
        let page = std::fs::read_to_string(place.join(format!("tersed-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains("\\fB\\-\\-help\\fR"), "{name}");
    }
    assert!(place.join("tersed-config-show.1").exists());
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tersed")).args(["man", "--dir", "/proc/no"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("tersed: /proc/no: "));
}
