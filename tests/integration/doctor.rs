//! `tersed doctor`, by real child processes in a home folder of their own: sound parts are reported as sound, each
//! fault is named with its remedy, and nothing is changed.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tersed::telemetry::event::{Event, EventKind, FailureEvent, Names, VERSION};

/// A home folder, a project, and a folder of programs that has this one.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for name in ["home", "project", "bin", "tmp"] {
            fs::create_dir(machine.at(name)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_tersed"), machine.at("bin/tersed")).unwrap();
        machine
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn tersed(&self, arguments: &[&str], variables: &[(&str, &Path)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
        command.args(arguments).env_clear().env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        command.env("PATH", self.at("bin"));
        command.envs(variables.iter().copied()).current_dir(self.at("project")).output().unwrap()
    }

    /// The answer of `doctor --json`.
    fn findings(&self, variables: &[(&str, &Path)]) -> (bool, Vec<Value>) {
        let output = self.tersed(&["doctor", "--json"], variables);
        let whole: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(i32::from(whole["isWell"] == false)));
        (whole["isWell"] == true, whole["findings"].as_array().unwrap().clone())
    }

    /// The only fault: its text and its remedy.
    #[track_caller]
    fn fault(&self, variables: &[(&str, &Path)]) -> (String, String) {
        let (is_well, all) = self.findings(variables);
        let faults: Vec<&Value> = all.iter().filter(|one| one["state"] == "fault").collect();
        assert!(!is_well && faults.len() == 1, "{faults:#?}");
        let text = |name: &str| faults[0][name].as_str().unwrap().to_owned();
        (text("text"), text("fix"))
    }

    /// The findings about Codex.
    fn of_codex(&self) -> Vec<Value> {
        let (_, all) = self.findings(&[]);
        all.into_iter()
            .filter(|one| one["text"].as_str().unwrap().contains("does not run these hooks"))
            .collect()
    }

    /// The findings of an area.
    fn findings_in(&self, area: &str, variables: &[(&str, &Path)]) -> Vec<String> {
        let (_, all) = self.findings(variables);
        let of_area = all.iter().filter(|one| one["area"] == area);
        of_area
            .map(|one| format!("{} {}", one["state"].as_str().unwrap(), one["text"].as_str().unwrap()))
            .collect()
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.at("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

#[test]
fn what_is_well_is_called_so_and_stays_as_it_is() {
    let machine = Machine::new();
    let (is_well, all) = machine.findings(&[]);
    assert!(is_well, "{all:#?}");
    for area in ["program", "round trip", "settings", "folders", "hosts", "lately"] {
        assert!(all.iter().any(|one| one["area"] == area), "{area}");
    }
    let trip = machine.findings_in("round trip", &[]);
    assert!(trip[0].starts_with("ok a sample of ") && trip[0].contains("its original came back"), "{trip:?}");
    let folders = machine.findings_in("folders", &[]);
    let is_conversations = |said: &String| said.contains("conversations: originals of hooks, `tersed run`");
    assert!(folders.iter().any(is_conversations), "{folders:#?}");
    let output = machine.tersed(&["doctor"], &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(&format!("program\n  ok     tersed {}, ", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(text.ends_with("All is well.\n"), "{text}");
    for folder in ["home", "project", "tmp"] {
        assert_eq!(fs::read_dir(machine.at(folder)).unwrap().count(), 0, "{folder}");
    }
}

#[test]
fn a_wired_host_is_named_with_what_it_starts() {
    let machine = Machine::new();
    machine.script("gemini", "echo 9.8.7");
    assert!(machine.findings_in("hosts", &[]).contains(&"note Gemini CLI (9.8.7): not set up".to_owned()));
    let install = machine.tersed(&["install", "gemini"], &[]);
    assert!(install.status.success());
    let said = machine.findings_in("hosts", &[]);
    let wired = format!("ok Gemini CLI (9.8.7): set up, starts {}", machine.at("bin/tersed").display());
    assert!(said.contains(&wired), "{said:?}");

    fs::write(machine.at("home/.gemini/settings.json"), "{\n\"hooks\": 1 2\n}").unwrap();
    let (text, _) = machine.fault(&[]);
    assert!(text.contains("settings.json:2: not JSON: "), "{text}");
}

#[test]
fn the_plugin_of_a_host_counts_as_its_wiring() {
    let machine = Machine::new();
    fs::create_dir_all(machine.at("home/.claude")).unwrap();
    let settings = |is_on: bool| {
        let text =
            serde_json::json!({ "enabledPlugins": { "other@x": true, "tersed@tersed": is_on } }).to_string();
        fs::write(machine.at("home/.claude/settings.json"), text).unwrap();
    };
    let told =
        || machine.findings_in("hosts", &[]).into_iter().find(|text| text.contains("Claude Code")).unwrap();
    settings(false);
    assert_eq!(told(), "note Claude Code: not set up");
    settings(true);
    assert!(
        told().starts_with("ok Claude Code: set up by its plugin, starts tersed, which is "),
        "{}",
        told()
    );
    fs::remove_file(machine.at("bin/tersed")).unwrap();
    assert_eq!(told(), "fault Claude Code: its plugin starts tersed, which is not in the PATH");
}

#[test]
fn a_program_that_is_not_there_is_a_fault() {
    let machine = Machine::new();
    assert!(machine.tersed(&["install", "pi", "--command", "/no/such/tersed"], &[]).status.success());
    let (text, fix) = machine.fault(&[]);
    assert!(
        text.starts_with("pi") && text.ends_with(": starts /no/such/tersed, which is not there"),
        "{text}"
    );
    assert_eq!(fix, "tersed uninstall pi, then tersed install pi");
}

#[test]
fn counts_that_cannot_be_written_are_a_fault() {
    let machine = Machine::new();
    // The superuser of a test may write to every folder.
    fs::create_dir_all(machine.at("home/.local")).unwrap();
    fs::write(machine.at("home/.local/state"), "").unwrap();
    let (_, found) = machine.findings(&[]);
    let counts = found.iter().find(|one| one["area"] == "counts").unwrap();
    assert_eq!(counts["state"], "fault", "{counts}");
    assert!(counts["text"].as_str().unwrap().ends_with(": nothing is counted"), "{counts}");
}

#[test]
fn half_a_wiring_is_a_fault() {
    let machine = Machine::new();
    assert!(machine.tersed(&["install", "claude-code"], &[]).status.success());
    fs::remove_file(machine.at("home/.claude/settings.json")).unwrap();
    let (text, fix) = machine.fault(&[]);
    assert!(
        text.starts_with("Claude Code") && text.ends_with("partly set up, or by another version"),
        "{text}"
    );
    assert_eq!(fix, "tersed install claude-code");
    assert!(machine.tersed(&["install", "claude-code"], &[]).status.success());
    assert!(machine.findings(&[]).0);
}

#[test]
fn another_version_before_this_one_is_a_fault() {
    let machine = Machine::new();
    fs::remove_file(machine.at("bin/tersed")).unwrap();
    let other = machine.script("tersed", "echo tersed 0.0.1");
    let (text, _) = machine.fault(&[]);
    assert_eq!(text, format!("{}, the first in the PATH: another version, tersed 0.0.1", other.display()));
    fs::remove_file(other).unwrap();
    assert!(machine.findings(&[]).0, "none at all is only worth a note");
}

#[test]
fn a_host_that_hangs_does_not_hang_the_doctor() {
    let machine = Machine::new();
    machine.script("kilo", "exec /bin/sleep 600");
    let said = machine.findings_in("hosts", &[]);
    assert!(
        said.contains(&"note Kilo (did not say its version within 5 s): not set up".to_owned()),
        "{said:?}"
    );
}

#[test]
fn settings_that_cannot_be_read_are_a_fault() {
    let machine = Machine::new();
    fs::write(machine.at("project/tersed.yaml"), "policy:\n  mode: standard\n").unwrap();
    let ok = format!("ok {}: nothing wrong", machine.at("project/tersed.yaml").display());
    assert_eq!(machine.findings_in("settings", &[]), [ok]);
    fs::write(machine.at("project/tersed.yaml"), "policy:\n  mode: fast\n").unwrap();
    let (text, fix) = machine.fault(&[]);
    assert!(text.starts_with(&format!("{}:2: ", machine.at("project/tersed.yaml").display())), "{text}");
    assert!(text.contains("fast") && fix.contains("until then what is wrong does not count"), "{text} {fix}");
}

/// Settings of a host that can be parsed and have no place for the entries of tersed: `install` refuses them too.
#[test]
fn settings_of_a_host_without_a_place_for_entries_are_a_fault() {
    let machine = Machine::new();
    let settings = machine.at("home/.claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    for text in ["[]", "null", "{\"hooks\": []}"] {
        fs::write(&settings, text).unwrap();
        let (fault, fix) = machine.fault(&[]);
        assert!(fault.contains(&format!("{}:1: ", settings.display())), "{text}: {fault}");
        assert!(fault.contains("expected an object") && fix.starts_with("fix the file"), "{text}: {fault}");
    }
}

#[test]
fn what_a_project_may_not_say_is_named() {
    let machine = Machine::new();
    let file = machine.at("project/tersed.yaml");
    fs::write(&file, "policy:\n  redactSecrets: false\n  mode: safe\nruleFiles: [/dev/zero]\n").unwrap();
    let said = machine.findings_in("settings", &[]);
    let expected = format!(
        "note {}: not trusted, so that these settings of it do not count: policy.redactSecrets, ruleFiles; `tersed trust` \
         shows and allows them",
        file.display()
    );
    assert!(said.contains(&expected), "{said:#?}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let (text, _) = machine.fault(&[]);
    assert!(text.contains("does not count: others may write to it (mode 0666)"), "{text}");
}

#[test]
fn folders_that_others_may_enter_are_a_fault() {
    let machine = Machine::new();
    let originals = machine.at("home/.local/state/tersed/originals");
    fs::create_dir_all(&originals).unwrap();
    fs::set_permissions(&originals, fs::Permissions::from_mode(0o755)).unwrap();
    let (text, fix) = machine.fault(&[]);
    assert!(text.ends_with("has mode 0755, allowed is 0700"), "{text}");
    assert_eq!(fix, format!("chmod 700 {}", originals.display()));
    fs::set_permissions(&originals, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(machine.findings(&[]).0);
    let (text, _) = machine.fault(&[("TMPDIR", Path::new("/no/such/folder"))]);
    assert!(text.starts_with("/no/such/folder: "), "{text}");
}

#[test]
fn resident_processes_are_counted() {
    let machine = Machine::new();
    let session = machine.at("tmp");
    let folder = session.join("tersed");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    let _alive = UnixListener::bind(folder.join("a.sock")).unwrap();
    drop(UnixListener::bind(folder.join("b.sock")).unwrap());
    let said = machine.findings_in("folders", &[("XDG_RUNTIME_DIR", &session)]);
    assert!(said.contains(&"ok resident processes that answer: 1".to_owned()), "{said:?}");
    assert!(said.contains(&"note sockets of processes that are gone: 1".to_owned()), "{said:?}");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o770)).unwrap();
    let (text, _) = machine.fault(&[("XDG_RUNTIME_DIR", &session)]);
    assert!(text.contains("sockets of resident processes: has mode 0770"), "{text}");
}

#[test]
fn the_last_failures_are_told() {
    let machine = Machine::new();
    let file = machine.at("project/events.jsonl");
    fs::create_dir_all(machine.at("home/.config/tersed")).unwrap();
    let settings = format!("telemetry:\n  enabled: true\n  path: {}\n", file.display());
    fs::write(machine.at("home/.config/tersed/tersed.yaml"), settings).unwrap();
    let said = machine.findings_in("lately", &[]);
    assert_eq!(said, [format!("note {}: no event was written yet", file.display())]);
    let names = Names { tool: "bash".to_owned(), ..Names::default() };
    let failure = FailureEvent { names, kind: "redaction_failed".to_owned() };
    let event = Event {
        version: VERSION,
        time: 1000,
        process: "0".repeat(16),
        seq: 1,
        dropped: 0,
        shortened: Vec::new(),
        what: EventKind::Failure(failure),
    };
    fs::write(&file, serde_json::to_string(&event).unwrap() + "\n").unwrap();
    let said = machine.findings_in("lately", &[]);
    assert_eq!(said[0], format!("ok {}: 0 results and 1 failures among the last events", file.display()));
    assert!(
        said[1].starts_with("note ")
            && said[1].ends_with(" ago: compressing a result of bash failed: redaction_failed")
    );
}

/// Codex runs no hook that the user has not trusted as it is.
#[test]
fn hooks_that_codex_does_not_trust_are_named() {
    let machine = Machine::new();
    fs::create_dir_all(machine.at("home/.codex")).unwrap();
    assert!(machine.tersed(&["install", "codex", "--command", "tersed"], &[]).status.success());
    let found = machine.of_codex();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["state"], "fault");
    assert!(
        found[0]["text"].as_str().unwrap().ends_with(": SessionStart, PreToolUse, PreCompact, PostCompact"),
        "{found:?}"
    );
    assert!(found[0]["fix"].as_str().unwrap().contains("/hooks"));
    // As Codex 0.171.0 writes it once they are trusted.
    let file = machine.at("home/.codex/hooks.json");
    let trusted = |event: &str, hash: &str, more: &str| {
        format!(
            "[hooks.state.\"{}:{event}:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n{more}\n",
            file.display()
        )
    };
    let rest = [
        trusted("session_start", "a33bb62691fb13ebbeaf671d8e75fbaa7cbba5ad5acff2c6ea898704c454aaf7", ""),
        trusted("pre_compact", "e4cae8e91ced19228ec778340afdf349eeb2174531c4a2356f659b7c23419b74", ""),
        trusted("post_compact", "6bed796e7b392a2fdb0a2836403be98894c4dbbaa8562f8b4108d7008a1ea8cd", ""),
    ]
    .concat();
    let hash = "8bad355022cd529fa1246f9d4f8f148cd81c2150b765adc4e88de9294260dd8f";
    let config = machine.at("home/.codex/config.toml");
    for (own, is_run) in [
        (trusted("pre_tool_use", hash, ""), true),
        (trusted("pre_tool_use", hash, "enabled = false"), false),
        (trusted("pre_tool_use", "00", ""), false),
    ] {
        fs::write(&config, rest.clone() + &own).unwrap();
        let found = machine.of_codex();
        assert_eq!(found.is_empty(), is_run, "{found:?}");
        assert!(is_run || found[0]["text"].as_str().unwrap().ends_with(": PreToolUse"), "{found:?}");
    }
    // Notes of Codex in that file are not hooks of the user, so our hooks are not moved.
    let shown = machine.tersed(&["install", "codex", "--command", "tersed", "--dry-run"], &[]);
    assert!(!String::from_utf8_lossy(&shown.stdout).contains("config.toml"), "{shown:?}");
}
