//! `tersed tune`: which settings it derives from histories, where it writes them, and how they are removed.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A home folder with histories below `h`.
struct Home(tempfile::TempDir);

impl Home {
    /// Sessions that each read a file of 14 KB and then use names from it: those of its functions, or names in their
    /// bodies.
    fn new(sessions: usize, uses_bodies: bool) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir(home.path().join("h")).unwrap();
        for session in 0..sessions {
            let file = home.path().join(format!("h/{session}.jsonl"));
            fs::write(file, history(session, uses_bodies)).unwrap();
        }
        home
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn tersed(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        command.args(arguments).current_dir(self.path()).env_clear().env("HOME", self.path());
        command.output().unwrap()
    }

    fn says(&self, arguments: &[&str]) -> String {
        let output = self.tersed(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn tuned(&self) -> PathBuf {
        self.path().join(".config/tersed/tuned.toml")
    }

    /// The limit in force, with its origin.
    fn limit(&self) -> String {
        let shown = self.says(&["config", "show", "--origin"]);
        shown.lines().find(|line| line.contains("fileOutlineBytes")).unwrap().to_owned()
    }
}

/// A history as Claude Code writes it.
fn history(session: usize, uses_bodies: bool) -> String {
    let body = |n: usize| {
        format!("    let inner_{session}_{n} = step_{session}_{n}(side);\n    check(inner_{session}_{n});\n")
    };
    let function = |n: usize| {
        let more = "    side.grow(1);\n    side.turn(2);\n    side.fold(3);\n".repeat(3);
        format!("pub fn outer_{session}_{n}(side: &mut Side) {{\n{}{more}}}\n\n", body(n))
    };
    let source: String = (0..50).map(function).collect();
    let view: String = source.lines().enumerate().map(|(n, line)| format!("{:>6}→{line}\n", n + 1)).collect();
    let kind = if uses_bodies { "inner" } else { "outer" };
    let used: Vec<String> = (0..20).map(|n| format!("{kind}_{session}_{}", n * 2)).collect();
    let entry = |n: usize, role: &str, content: Value| {
        json!({
            "parentUuid": null, "isSidechain": false, "type": role, "uuid": format!("u{n}"),
            "sessionId": format!("s{session}"), "message": { "role": role, "content": content },
        })
        .to_string()
            + "\n"
    };
    let read = json!([{ "type": "tool_use", "id": "t1", "name": "Read", "input": { "file_path": "/a.rs" } }]);
    [
        entry(0, "user", json!("go")),
        entry(1, "assistant", read),
        entry(2, "user", json!([{ "type": "tool_result", "tool_use_id": "t1", "content": view }])),
        entry(3, "assistant", json!([{ "type": "text", "text": used.join(" and ") }])),
    ]
    .concat()
}

#[test]
fn files_stay_whole_where_agents_use_what_bodies_hold() {
    let home = Home::new(20, true);
    let said = home.says(&["tune", "h"]);
    assert!(said.contains("0, never") && said.contains("written to "), "{said}");
    // Outlines lost names that the agents used, so the tuned file turns them off, or sets a limit above these files.
    let written = fs::read_to_string(home.tuned()).unwrap();
    assert!(
        written.starts_with("# Written by `tersed tune` from 20 sessions with 20 results.\n"),
        "{written}"
    );
    let limit = home.limit();
    assert!(limit.contains("tuned.toml") && !limit.contains(" 12288"), "{limit}");
    // A setting of the user has priority over it.
    let own = home.path().join(".config/tersed/tersed.toml");
    fs::write(own, "[policy]\nfileOutlineBytes = 9000\n").unwrap();
    assert!(home.limit().contains("9000") && home.limit().contains("tersed.toml"), "{}", home.limit());
    assert!(home.says(&["tune", "--forget"]).starts_with("removed "));
    assert_eq!(home.says(&["tune", "--forget"]), "nothing was chosen\n");
    assert!(!home.tuned().exists());
}

#[test]
fn outlines_begin_early_where_agents_use_what_they_show() {
    let home = Home::new(20, false);
    let said = home.says(&["tune", "h", "--dry-run"]);
    let chosen = said.lines().find(|line| line.ends_with(" chosen")).unwrap();
    assert!(chosen.trim_start().starts_with("12288 "), "{said}");
    assert!(!home.tuned().exists(), "a dry run writes nothing");
}

#[test]
fn too_little_is_said_and_nothing_is_written() {
    let home = Home::new(3, true);
    for (arguments, expected) in [
        (&["tune", "h"][..], "too little to learn from: 3 sessions in which 60 names were used later"),
        (&["tune", "none"], "none: no such file or folder"),
        (&["tune", "h", "--mode", "safe"], "this mode shows every file whole"),
        (&["tune", "h", "--allow", "many"], "expected 0 to 100"),
    ] {
        let output = home.tersed(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(expected), "{error}");
    }
    assert!(!home.tuned().exists());
}
