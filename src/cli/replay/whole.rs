//! Reads whole sessions: all messages in order, so that references are found at any distance.
//!
//! One JSON object a line with `session` and `messages`. A message has a `role`: `context` or `agent` with a `text`,
//! or `tool` with `tool`, `command`, `args`, `output` and `exit_code`.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::need::Need;
use super::record::{Record, Said, Session, Transcript};
use super::references::candidates;

#[derive(Deserialize)]
struct Line {
    session: String,
    #[serde(default)]
    source: String,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message {
    Context {
        #[serde(default)]
        text: String,
    },
    Agent {
        #[serde(default)]
        text: String,
    },
    Tool {
        #[serde(default)]
        tool: Option<String>,
        #[serde(default)]
        command: Option<String>,
        #[serde(default)]
        args: Value,
        output: String,
        #[serde(default)]
        exit_code: Option<i64>,
    },
}

/// The session in a line; `None` if the line is not a whole session.
pub(super) fn read(line: &str) -> Option<Session> {
    if !line.contains("\"messages\"") {
        return None;
    }
    let Line { session, source, messages } = serde_json::from_str(line).ok()?;
    let mut records: Vec<Record> = Vec::new();
    let mut needs = Vec::new();
    // What the agent knows without any result: the task, and what it wrote before.
    let mut known = String::new();
    let mut done = HashSet::new();
    let mut transcript = Transcript::default();
    for message in messages {
        match message {
            Message::Context { text } => {
                known.push_str(&text);
                transcript.context.push_str(&text);
            }
            Message::Agent { text } => {
                let answer = transcript.answers.len();
                let found = needs_of(&text, &known, &records, &mut done).into_iter();
                needs.extend(found.map(|need| Need { answer, ..need }));
                known.push_str(&text);
                transcript.answers.push(Said { text, results: records.len() });
            }
            Message::Tool { tool, command, args, output, exit_code } => records.push(Record {
                id: format!("{session}#{}", records.len()),
                source: source.clone(),
                session: Some(session.clone()),
                agent: Some(String::new()),
                turn: i64::try_from(records.len()).ok(),
                tool: tool.or_else(|| Some("bash".to_owned())),
                command,
                args,
                output,
                exit_code,
                kind: "whole".to_owned(),
                ..Record::default()
            }),
        }
    }
    Some(Session { id: Some(format!("{source}:{session}")), records, needs, transcript })
}

fn needs_of(text: &str, known: &str, records: &[Record], done: &mut HashSet<String>) -> Vec<Need> {
    let mut needs = Vec::new();
    let mut found: Vec<_> = candidates(text).into_iter().collect();
    found.sort_unstable();
    for (candidate, kind) in found {
        if done.contains(candidate) || known.contains(candidate) {
            continue;
        }
        let holds = |(at, record): (usize, &Record)| record.output.contains(candidate).then_some(at);
        let results: Vec<usize> = records.iter().enumerate().filter_map(holds).collect();
        if !results.is_empty() {
            done.insert(candidate.to_owned());
            needs.push(Need { text: candidate.to_owned(), kind, results, answer: 0 });
        }
    }
    needs
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_need_is_what_only_results_told() {
        let line = json!({ "session": "s", "messages": [
            { "role": "context", "text": "mend load_config" },
            { "role": "tool", "command": "cat a", "output": "load_config reads_file", "exit_code": null },
            { "role": "tool", "command": "cat b", "output": "fails with `no such file here`, reads_file" },
            { "role": "agent", "text": "load_config calls reads_file: `no such file here`; own_name" },
            { "role": "agent", "text": "reads_file again" },
        ]});
        let session = read(&line.to_string()).unwrap();
        assert_eq!(session.records.len(), 2);
        assert_eq!(session.transcript.context, "mend load_config");
        assert_eq!(session.transcript.answers.iter().map(|said| said.results).collect::<Vec<_>>(), [2, 2]);
        assert!(session.needs.iter().all(|need| need.answer == 0), "the second answer says nothing new");
        let mut needs = session.needs;
        needs.sort_by(|a, b| a.text.cmp(&b.text));
        let expected = [("no such file here", "quote", vec![1]), ("reads_file", "ident", vec![0, 1])];
        assert_eq!(needs.len(), expected.len(), "{needs:?}");
        for (need, (text, kind, results)) in needs.iter().zip(expected) {
            assert_eq!((need.text.as_str(), need.kind, &need.results), (text, kind, &results));
            assert_eq!(need.is_whole(), kind == "quote");
        }
        assert!(read("{\"id\":\"1\",\"output\":\"\\\"messages\\\"\"}").is_none());
    }
}
