//! Recorded sessions from a folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Result;

#[derive(Deserialize)]
struct Record {
    session: Option<String>,
    agent: Option<String>,
    tool: Option<String>,
    args: Option<Value>,
    command: Option<String>,
    exit_code: Option<i64>,
    output: String,
    kind: String,
}

/// The results of all sessions of a folder, session by session; with `MIX_ALONE`, only the results that no agent
/// requested.
pub fn read(folder: &Path) -> Vec<Result> {
    let wants_agent = std::env::var_os("MIX_ALONE").is_none();
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut sessions: BTreeMap<String, Vec<Result>> = BTreeMap::new();
    for file in files {
        let text = match file.extension().and_then(|extension| extension.to_str()) {
            Some("zst") => {
                Command::new("zstd").args(["-dc", "--long=31"]).arg(&file).output().unwrap().stdout
            }
            Some("jsonl") => std::fs::read(&file).unwrap(),
            _ => continue,
        };
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let record: Record = serde_json::from_slice(line).unwrap();
            if record.agent.is_some() != wants_agent {
                continue;
            }
            let session = record.session.unwrap_or_else(|| format!("alone {}", sessions.len()));
            let command = record.command.filter(|command| !command.is_empty());
            sessions.entry(session.clone()).or_default().push(Result {
                session,
                tool: record.tool.filter(|tool| !tool.is_empty()).unwrap_or_else(|| "bash".to_owned()),
                arguments: match (record.args, command) {
                    (Some(arguments), _) => arguments,
                    (None, Some(command)) => json!({ "command": command }),
                    (None, None) => Value::Null,
                },
                exit_code: record.exit_code,
                kind: record.kind,
                text: record.output,
            });
        }
    }
    sessions.into_values().flatten().collect()
}
