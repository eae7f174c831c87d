//! The figures of `protocol/measured.md` that this repository can measure by itself: for outputs of tools that each
//! have a fact an agent needs, how often the fact is kept, in every mode and with a cut in the middle. `BLESS=1`
//! writes them again.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tersed::cli::replay::clues::Case;
use tersed::tokens::{Tokenizer, counter};

use crate::common::{bless, repository};

const PAGE: &str = "protocol/measured.md";
/// Characters that a cut leaves, half of them at the start.
const CUTS: [usize; 3] = [16_000, 8_000, 2_000];

/// The facts and tokens that remain, summed over all cases.
struct Row {
    name: String,
    tokens: [u64; 2],
    clues: [u64; 2],
}

/// `tersed replay` of all cases in a mode, while others run.
fn replay(mode: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tersed"));
    command.args(["replay", "--json", "--mode", mode]).arg(repository("tests/clues"));
    command.env("XDG_STATE_HOME", crate::common::state()).stdout(Stdio::piped()).spawn().unwrap()
}

fn of_mode(mode: &str, child: Child) -> Row {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{mode}");
    let all = serde_json::from_slice::<Value>(&output.stdout).unwrap()["all"].clone();
    let number = |name: &str| all[name].as_u64().unwrap();
    Row {
        name: format!("`{mode}`"),
        tokens: [number("tokensBefore"), number("tokensAfter")],
        clues: [number("clues"), number("cluesVisible")],
    }
}

/// The facts and tokens that remain if only a text is shown.
fn of_texts(name: String, cases: &[Case], mut shown: impl FnMut(&Case) -> String) -> Row {
    let mut row = Row { name, tokens: [0; 2], clues: [0; 2] };
    let counter = counter(Tokenizer::O200k);
    for case in cases {
        let shown = shown(case);
        row.tokens[0] += counter.count(&case.text) as u64;
        row.tokens[1] += counter.count(&shown) as u64;
        row.clues[0] += case.clues.len() as u64;
        row.clues[1] += (case.clues.len() - case.missing_in(&shown).len()) as u64;
    }
    row
}

fn of_cut(cases: &[Case], characters: usize) -> Row {
    of_texts(format!("cut to {characters} characters"), cases, |case| {
        let text: Vec<char> = case.text.chars().collect();
        let half = characters / 2;
        match text.len() <= characters {
            true => case.text.clone(),
            false => {
                [&text[..half], &['\n', '…', '\n'], &text[text.len() - half..]].concat().iter().collect()
            }
        }
    })
}

/// A line of the table.
fn line(row: &Row) -> String {
    let Row { name, tokens: [before, after], clues: [all, seen] } = row;
    let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
    let (saved, share) = (percent(before.saturating_sub(*after), *before), percent(*seen, *all));
    format!("| {name} | {before} → {after} | {saved:.1} % | {seen} of {all} ({share:.1} %) |\n")
}

/// Another program in the same way: `TERSED_PEER` is a command that reads a JSON object a line (`tool`, `command`, `exitCode`, `text`)
/// and answers each with a JSON string.
#[test]
#[ignore = "measures the program that TERSED_PEER names: --ignored --nocapture figures::a_peer"]
fn a_peer() {
    let words = std::env::var("TERSED_PEER").unwrap();
    let mut child = Command::new("sh")
        .args(["-c", &format!("exec {words}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let cases = Case::all(&repository("tests/clues")).unwrap();
    let row = of_texts(words, &cases, |case| {
        let call = &case.call;
        let asked = json!({ "tool": call.tool, "command": call.command, "exitCode": call.exit_code, "text": case.text });
        writeln!(to, "{asked}").unwrap();
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    });
    drop(to);
    assert!(child.wait().unwrap().success());
    println!("{}", line(&row));
}

#[test]
fn the_figures_of_the_page_are_those_of_now() {
    let modes = ["safe", "standard", "aggressive"];
    let running: Vec<Child> = modes.into_iter().map(replay).collect();
    let cases = Case::all(&repository("tests/clues")).unwrap();
    let mut rows: Vec<Row> = CUTS.into_iter().map(|characters| of_cut(&cases, characters)).collect();
    rows.extend(modes.into_iter().zip(running).map(|(mode, child)| of_mode(mode, child)));
    let mut table =
        String::from("| | tokens | saved | facts that can be read |\n| --- | --- | --- | --- |\n");
    rows.iter().for_each(|row| table.push_str(&line(row)));
    // The README has some of them.
    let readme = fs::read_to_string(repository("README.md")).unwrap().replace("**", "");
    for Row { name, tokens: [before, after], clues: [all, seen] } in &rows {
        let saved = 100.0 * before.saturating_sub(*after) as f64 / *before as f64;
        let is_there = readme.contains(&format!("| {saved:.1} % | {seen} of {all} |"));
        let has_it = matches!(name.as_str(), "`standard`" | "`aggressive`" | "cut to 8000 characters");
        assert!(is_there || !has_it, "README.md: {name} saves {saved:.1} % and shows {seen} of {all}");
    }
    let text = fs::read_to_string(repository(PAGE)).unwrap();
    let (start, end) = ("<!-- generated:facts -->\n", "<!-- /generated -->");
    let (head, rest) = text.split_once(start).unwrap();
    let tail = rest.split_once(end).unwrap().1;
    let expected = format!("{head}{start}{table}{end}{tail}");
    if bless() {
        fs::write(repository(PAGE), &expected).unwrap();
    }
    assert!(
        bless() || text == expected,
        "{PAGE} is not what is measured; BLESS=1 writes it anew. Now:\n{table}"
    );
}
