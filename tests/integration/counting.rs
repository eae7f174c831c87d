//! Counting: on by default, only numbers, off with one setting, and reported by `stats`, `statusline`, `install` and
//! `doctor`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::command_line::{Home, text};

fn file(home: &Home) -> PathBuf {
    home.path(".local/state/tersed/counts.jsonl")
}

/// Runs a command whose output is long, as a host would have it run.
fn run(home: &Home, more: &[&str]) {
    let line = "seq 4000 | sed 's/$/: a line of the secret-project/'";
    home.printed(&[&["run", "--no-resident", "--session", "my-session", "--shell", line], more].concat());
}

fn counts(home: &Home) -> Value {
    serde_json::from_str(&home.printed(&["stats", "--json"])).unwrap()
}

#[test]
fn what_is_saved_is_counted_without_names() {
    let home = Home::new();
    assert!(home.printed(&["stats"]).starts_with("Nothing has been counted yet in "));
    assert!(!file(&home).exists());
    run(&home, &[]);
    run(&home, &[]);
    let all = counts(&home);
    let row = &all["counts"][0];
    assert_eq!(
        (&row["host"], &row["results"], &row["isHere"]),
        (&"run".into(), &2.into(), &true.into()),
        "{all}"
    );
    assert!(row["baselineTokens"].as_u64() > row["shownTokens"].as_u64(), "{all}");
    let written = fs::read_to_string(file(&home)).unwrap();
    let form = regex::Regex::new(
        r#"^\{"tersedCounts":1\}\n(\{"day":\d+,"way":2,"project":\d+(,"(results|baseline|shown)":\d+){3}\}\n){2}$"#,
    );
    assert!(form.unwrap().is_match(&written), "{written}");
    let page = home.printed(&["stats", "--price", "m=1000000"]);
    for words in ["all since 20", "this project", "run  ", "cost, m or unknown"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(home.printed(&["stats", "--daily"]).starts_with("day, UTC"));
    assert!(
        home.printed(&["stats", "--graph"]).contains("  ##################################################")
    );
}

#[test]
fn what_gemini_cannot_take_counts_as_no_saving() {
    let home = Home::new();
    let event = format!("{}/editors/gemini/recorded/shell.json", env!("CARGO_MANIFEST_DIR"));
    let mut command = home.command(env!("CARGO_BIN_EXE_tersed"));
    command.args(["hook", "gemini", "--no-resident"]).stdin(fs::File::open(event).unwrap());
    assert_eq!(text(&command.output().unwrap().stdout), "");
    assert!(home.printed(&["stats"]).starts_with("Nothing has been counted yet in "));
}

#[cfg(target_os = "linux")]
#[test]
fn what_nobody_could_read_is_not_counted() {
    use std::process::Stdio;
    for more in [&["--no-resident"][..], &[]] {
        let home = Home::new();
        let line = ["--shell", "seq 4000 | sed 's/$/: a line/'"];
        let run = |out: Stdio| {
            let mut command = home.command(env!("CARGO_BIN_EXE_tersed"));
            command.args([&["run"], more, &line].concat()).stdout(out).output().unwrap()
        };
        let device = |name: &str| fs::OpenOptions::new().write(true).open(name).unwrap();
        assert_eq!(run(device("/dev/full").into()).status.code(), Some(1));
        assert!(run(device("/dev/null").into()).status.success());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        run(writer.into());
        let page = home.printed(&["stats"]);
        assert!(page.starts_with("Nothing has been counted yet in "), "{more:?}: {page}");
        // A file is read later.
        run(fs::File::create(home.path("log")).unwrap().into());
        run(Stdio::piped());
        assert_eq!(counts(&home)["counts"][0]["results"], 2, "{more:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_file_is_the_owners_and_never_somebody_elses() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    run(&home, &[]);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o077;
    assert_eq!((mode(file(&home)), mode(home.path(".local/state/tersed"))), (0, 0));
    for (name, is_link) in [("link", true), ("foreign", false)] {
        let home = Home::new();
        fs::create_dir_all(home.path(".local/state/tersed")).unwrap();
        fs::set_permissions(home.path(".local/state/tersed"), fs::Permissions::from_mode(0o700)).unwrap();
        fs::write(home.path("notes"), "{\"tersedCounts\":1}\n").unwrap();
        match is_link {
            true => symlink(home.path("notes"), file(&home)).unwrap(),
            false => fs::write(file(&home), "my notes\n").unwrap(),
        }
        run(&home, &[]);
        assert_eq!(fs::read_to_string(home.path("notes")).unwrap(), "{\"tersedCounts\":1}\n", "{name}");
        assert!(is_link || fs::read_to_string(file(&home)).unwrap() == "my notes\n");
    }
}

#[test]
fn one_setting_turns_it_off_and_trials_are_not_counted() {
    let home = Home::new();
    run(&home, &["--set", "telemetry.counts=false"]);
    fs::write(home.path("work/records.jsonl"), "{\"id\":\"a\",\"output\":\"x\",\"kind\":\"k\"}\n").unwrap();
    home.printed(&["replay", "records.jsonl"]);
    home.printed(&["audit", "records.jsonl"]);
    home.printed(&["compress", "records.jsonl"]);
    assert!(!file(&home).exists());
    let output = home
        .command(env!("CARGO_BIN_EXE_tersed"))
        .arg("stats")
        .env("TERSED_TELEMETRY_COUNTS", "false")
        .output();
    assert!(text(&output.unwrap().stderr).contains("telemetry.counts is false"));
}

#[test]
fn a_status_line_tells_of_this_project_and_never_fails() {
    let home = Home::new();
    assert_eq!(home.printed(&["statusline"]), "\n");
    assert!(!home.path(".local").exists(), "it makes nothing");
    run(&home, &[]);
    let line = home.printed(&["statusline"]);
    assert!(
        line.starts_with("tersed: ")
            && line.trim_end().ends_with("%)")
            && line.contains("tokens saved today ("),
        "{line}"
    );
    let elsewhere = |folder: &str| {
        let given = serde_json::json!({ "workspace": { "project_dir": home.path(folder) } }).to_string();
        fs::write(home.path("given.json"), given).unwrap();
        let mut command = home.command(env!("CARGO_BIN_EXE_tersed"));
        command.arg("statusline").stdin(fs::File::open(home.path("given.json")).unwrap());
        text(&command.output().unwrap().stdout)
    };
    assert_eq!(elsewhere("run"), "\n");
    fs::write(file(&home), b"\xff\xfe nonsense\n{\"day\":").unwrap();
    assert_eq!(home.printed(&["statusline"]), "\n");
    fs::remove_file(file(&home)).unwrap();
    fs::create_dir(file(&home)).unwrap();
    assert_eq!(home.printed(&["statusline"]), "\n");
    assert_eq!(home.tersed(&["stats"]).status.code(), Some(1));
}

#[test]
fn models_are_told_by_those_who_know_them() {
    let home = Home::new();
    let result: String = (0..3000).map(|n| format!("{n}: a line of a log\n")).collect();
    let body = serde_json::json!({ "model": "model-7", "messages": [
        { "role": "assistant", "tool_calls": [{ "id": "c1", "function": { "name": "sh", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c1", "content": result },
    ]});
    let mut lines = String::new();
    for (id, method, params) in [
        (1, "initialize", serde_json::json!({ "capabilities": {} })),
        (
            2,
            "messages/compress",
            serde_json::json!({ "sessionId": "s", "format": "openai-chat", "body": body }),
        ),
        (
            3,
            "messages/compress",
            serde_json::json!({ "sessionId": "s", "format": "openai-chat", "body": body }),
        ),
        (4, "shutdown", Value::Null),
    ] {
        lines += &(serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
            .to_string()
            + "\n");
    }
    lines += "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n";
    fs::write(home.path("lines"), lines).unwrap();
    let mut command = home.command(env!("CARGO_BIN_EXE_tersed"));
    command.args(["serve", "--framing", "lines"]).stdin(fs::File::open(home.path("lines")).unwrap());
    assert!(command.output().unwrap().status.success());
    assert!(!fs::read_to_string(file(&home)).unwrap().contains("model-7"));
    let row = |more: &[&str]| -> Value {
        let all = home.printed(&[&["stats", "--json"], more].concat());
        serde_json::from_str::<Value>(&all).unwrap()
    };
    let unknown = row(&[]);
    assert_eq!(
        (&unknown["counts"][0]["results"], &unknown["counts"][0]["resends"]),
        (&1.into(), &1.into()),
        "{unknown}"
    );
    assert_ne!(unknown["counts"][0]["model"], "model-7");
    let known = row(&["--price", "model-7=1", "--price", "other=1"]);
    assert_eq!(known["counts"][0]["model"], "model-7");
    assert!(known["cost"]["model-7"]["results"]["baseline"].as_f64() > Some(0.0), "{known}");
    assert_eq!(known["cost"]["other"]["results"]["baseline"], 0.0, "{known}");
}

#[test]
fn installing_and_the_doctor_say_it() {
    let home = Home::new();
    let told = home.printed(&["install", "codex"]);
    assert!(told.contains("counts.jsonl") && told.contains("telemetry: {counts: false}"), "{told}");
    let doctor = |home: &Home| text(&home.tersed(&["doctor"]).stdout);
    let told = doctor(&home);
    assert!(told.contains("what is saved will be counted there"), "{told}");
    run(&home, &[]);
    assert!(doctor(&home).contains("counts.jsonl: 1 result counted (only numbers per day)"));
}
