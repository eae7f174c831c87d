//! `tersed replay --bill`: a session whose bill can be computed by hand.

use std::process::{Command, Output};

use serde_json::{Value, json};

/// Reads of different files, after which the agent quotes the first one.
fn session(turns: usize, last: &str) -> Value {
    let file = |name: usize| -> String {
        (0..200).map(|n| format!("let item_{name}_{n} = build_{name}({n}) + offset_{name};\n")).collect()
    };
    let mut messages = vec![json!({ "role": "context", "text": "Find the fault." })];
    for n in 0..turns {
        messages.push(json!({ "role": "agent", "text": "Look on." }));
        let command = format!("cat src/part{n}.rs");
        messages.push(
            json!({ "role": "tool", "tool": "bash", "command": command, "output": file(n), "exit_code": 0 }),
        );
    }
    messages.push(json!({ "role": "agent", "text": last }));
    json!({ "session": "one", "source": "test", "messages": messages })
}

fn bill(session: &Value, flags: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sessions.jsonl");
    std::fs::write(&file, session.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    command.args(["replay", "--bill"]).args(flags).arg(&file).output().unwrap()
}

fn rows(session: &Value, flags: &[&str]) -> Vec<Value> {
    let output = bill(session, &[flags, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let systems = answer["systems"].as_array().unwrap().iter();
    systems.map(|system| system["sessions"][0].clone()).collect()
}

#[test]
fn the_bill_is_what_the_cache_makes_of_it() {
    // The agent quotes a line of the first of 40 results: masking took it out, and the cut its middle.
    let quoted = session(40, "It is `let item_0_100 = build_0(100) + offset_0;` then.");
    let [raw, birth, reclaim, cut, mask] = &rows(&quoted, &[])[..] else { panic!("five systems") };
    for row in [raw, birth, reclaim, cut, mask] {
        assert_eq!((&row["answers"], &row["wholeNeeds"]["all"]), (&json!(41), &json!(1)), "{row}");
    }
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let visible = |row: &Value| row["wholeNeeds"]["visible"].as_u64().unwrap();
    assert_eq!((number(raw, "saved"), number(raw, "extraAnswers"), number(raw, "rewrites")), (0.0, 0.0, 0.0));
    assert_eq!((visible(raw), visible(birth), visible(cut), visible(mask)), (1, 1, 0, 0));
    assert_eq!((number(cut, "extraAnswers"), number(mask, "extraAnswers")), (1.0, 1.0));
    // Each result counts once, even if it is sent several times; a mask is applied after that.
    assert_eq!(raw["resultTokens"], mask["resultTokens"]);
    assert!(number(cut, "resultTokens") < number(raw, "resultTokens"), "{cut} {raw}");
    assert!(number(birth, "resultTokens") <= number(raw, "resultTokens"), "{birth} {raw}");
    // A mask changes an earlier message with each request from the twelfth on.
    assert_eq!(number(mask, "rewrites"), 30.0);
    assert_eq!(number(birth, "rewrites"), 0.0);
    // Only batches change what was sent.
    assert_eq!(reclaim["rewrites"], reclaim["batches"]);
    assert!(number(reclaim, "batches") >= 1.0, "{reclaim}");
    // A batch saves more if no removed result is needed, and less if the agent has to ask for one again.
    let [_, birth, calm, ..] = &rows(&session(40, "Done."), &[])[..] else { panic!("five systems") };
    assert!(number(calm, "saved") > number(birth, "saved"), "{calm}");
    assert!(number(calm, "saved") > number(reclaim, "saved"), "{calm} {reclaim}");
    // If reading the cache costs as much as writing it, rewriting costs nothing extra: masking saves.
    let flat = rows(&quoted, &["--prices", "1,1,5"]);
    assert!(number(&flat[4], "saved") > number(mask, "saved"), "{} {mask}", flat[4]);
}

#[test]
fn the_table_and_wrong_uses() {
    let output = bill(&session(3, "Done."), &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("1 whole session, 4 answers; of at least 30, 60 answers: 0, 0\n"), "{text}");
    assert!(text.contains("with reclaim") && text.contains("0.0 / - / -"), "{text}");
    for (flags, expected) in [
        (&["--prices", "1,0,5"][..], "expected three numbers"),
        (&["--prices", "1,2"], "expected three numbers"),
        (&["--losses"], "cannot be used with"),
    ] {
        let output = bill(&session(1, "x"), flags);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(expected), "{error}");
    }
    // The curve has a row for each limit of tersed and for each cut.
    let curve = String::from_utf8(bill(&session(3, "Done."), &["--curve"]).stdout).unwrap();
    let rows = |start: &str| curve.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        [rows("raw "), rows("standard"), rows("aggressive"), rows("cut at ")],
        [1, 7, 5, 5],
        "{curve}"
    );
    let record = json!({ "id": "1", "output": "x" });
    let error = String::from_utf8(bill(&record, &[]).stderr).unwrap();
    assert!(error.contains("--bill needs whole sessions"), "{error}");
}
