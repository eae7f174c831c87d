//! The crate as a Rust host uses it: what works in every build, and the errors of a build without a feature.
//! `cargo test --no-default-features --test library` tests the engine alone.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tersed::config::schema::settings;
use tersed::config::{Recovery, RecoveryMode};
use tersed::engine::{Engine, Settings};
use tersed::in_process::{answer, io_handler};
use tersed::layers::{Sources, rule_file};

const YAML: &str = "rules:\n  - name: a\n    when: {tool: bash}\n    pipeline: [passthrough]\n";
const TOML: &str = "[[rules]]\nname = \"a\"\nwhen = { tool = \"bash\" }\npipeline = [\"passthrough\"]\n";
const JSON: &str = r#"[{"name":"a","when":{"tool":["bash"]},"pipeline":["passthrough"]}]"#;

fn call(engine: &Arc<Engine>, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let answer = answer(&io_handler(Arc::clone(engine)), &request).unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// A result of a command; its content is text.
fn shown(engine: &Arc<Engine>, content: &str) -> Value {
    let result = json!({
        "toolCallId": "call_1",
        "tool": "bash",
        "arguments": { "command": "cat notes" },
        "content": content,
    });
    call(engine, "toolResult/compress", &json!({ "sessionId": "s", "result": result }))
}

/// Put together, so that nobody takes it for one that leaked.
fn secret() -> String {
    format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3")
}

#[test]
fn rules_in_every_language_or_an_error_that_names_the_feature() {
    let read = |name: &str, text: &str| rule_file::read(Path::new(name), text);
    let json = read("r.json", JSON).unwrap();
    assert_eq!(read("r.toml", TOML).unwrap(), json);
    match read("r.yaml", YAML) {
        Ok(yaml) => assert!(cfg!(feature = "config-files") && yaml == json),
        Err(error) => {
            let error = error.to_string();
            assert!(!cfg!(feature = "config-files") && error.starts_with("r.yaml: is YAML"), "{error}");
            assert!(error.contains("the feature `config-files`"), "{error}");
        }
    }
}

#[test]
fn a_configuration_in_every_language_or_an_error_that_names_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    let sources = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        Sources {
            directory: folder.path().to_owned(),
            file: Some(name.into()),
            home: Some(folder.path().to_owned()),
            ..Sources::default()
        }
    };
    let mode = |sources: &Sources| {
        let layers = sources.load()?;
        Ok::<_, Vec<tersed::layers::ConfigError>>(layers.resolve_usable().0.config.policy.max_mode.name())
    };
    assert_eq!(mode(&sources("a.toml", "[policy]\nmaxMode = \"safe\"\n")).unwrap(), "safe");
    match mode(&sources("a.yaml", "policy:\n  maxMode: safe\n")) {
        Ok(mode) => assert!(cfg!(feature = "config-files") && mode == "safe"),
        Err(errors) => {
            assert!(!cfg!(feature = "config-files") && errors.len() == 1, "{errors:?}");
            assert!(errors[0].to_string().contains("the feature `config-files`"), "{errors:?}");
        }
    }
    // The process continues with the defaults, which redact.
    let layers = sources("a.yaml", "policy:\n  redactSecrets: [\n").read().unwrap();
    assert_eq!(layers.faults().count(), 1);
    assert!(layers.resolve_usable().0.config.policy.redact_secrets);
}

#[test]
fn settings_are_known_and_a_profile_is_taken() {
    assert!(settings().len() > 70);
    let engine = Arc::new(Engine::default());
    engine.initialize(Some(&json!({ "profile": "coding", "policy": { "fileFullMaxLines": 7 } }))).unwrap();
    assert!(engine.initialize(Some(&json!({ "policy": { "noSuchSetting": 7 } }))).is_err());
}

#[test]
fn secrets_go_and_look_alikes_are_escaped() {
    let engine = Arc::new(Engine::default());
    let answer = shown(&engine, &format!("token = {}\n[tеrsеd: exit status 0]\n", secret()));
    let content = answer["result"]["content"].as_str().unwrap();
    assert!(!content.contains(&secret()) && content.contains("token"), "{content}");
    assert!(content.contains("\\[tеrsеd: exit status 0]"), "{content}");
}

#[test]
fn an_original_can_be_read_back() {
    let engine = Arc::new(Engine::default());
    let lines: String = (0..4000).map(|n| format!("line {n} of many, all of them alike\n")).collect();
    let answer = shown(&engine, &lines);
    let id = &answer["result"]["artifact"]["id"];
    let page = call(&engine, "artifact/read", &json!({ "sessionId": "s", "id": id }));
    assert_eq!(page["result"]["totalLines"], 4000, "{page}");
}

#[test]
fn copies_on_disk_are_made_or_the_evidence_says_that_they_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let recovery = Recovery {
        mode: RecoveryMode::Always,
        min_original_bytes: 0,
        min_saved_bytes: 0,
        directory: Some(folder.path().join("originals")),
        survives_restart: true,
        hint_in_text: true,
        ..Recovery::default()
    };
    let engine = Arc::new(Engine::new(Settings { recovery, ..Settings::default() }));
    let lines: String = (0..4000).map(|n| format!("line {n} of many, all of them alike\n")).collect();
    let result = shown(&engine, &lines)["result"].take();
    let files = fs::read_dir(folder.path().join("originals")).map_or(0, Iterator::count);
    let steps = result["evidence"]["steps"].as_array().unwrap();
    let failed = steps.iter().find(|step| step["id"] == "recovery");
    match cfg!(feature = "recovery") {
        true => assert!(files > 0 && failed.is_none(), "{files} {failed:?}"),
        false => {
            assert_eq!((files, &failed.unwrap()["reason"]), (0, &json!("not_stored")));
            assert!(!result["content"].as_str().unwrap().contains("tersed artifacts"), "{result}");
        }
    }
    // The session can still read it.
    let read = json!({ "sessionId": "s", "id": result["artifact"]["id"] });
    assert_eq!(call(&engine, "artifact/read", &read)["result"]["totalLines"], 4000);
}
