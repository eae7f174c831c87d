//! The figures of `protocol/measured.md` that this repository can measure by itself: outputs of tools with a fact in each that an
//! agent needs, in every mode and cut in the middle. `BLESS=1` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tersed::cli::replay::clues::Case;
use tersed::tokens::{Tokenizer, counter};

use crate::common::{bless, repository};

const PAGE: &str = "protocol/measured.md";
/// Characters that a cut leaves, half of them at the start.
const CUTS: [usize; 3] = [16_000, 8_000, 2_000];

/// What is left of the facts and tokens of all cases.
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

fn of_cut(cases: &[Case], characters: usize) -> Row {
    let mut row = Row { name: format!("cut to {characters} characters"), tokens: [0; 2], clues: [0; 2] };
    let counter = counter(Tokenizer::O200k);
    for case in cases {
        let text: Vec<char> = case.text.chars().collect();
        let half = characters / 2;
        let cut: String = match text.len() <= characters {
            true => case.text.clone(),
            false => {
                [&text[..half], &['\n', '…', '\n'], &text[text.len() - half..]].concat().iter().collect()
            }
        };
        row.tokens[0] += counter.count(&case.text) as u64;
        row.tokens[1] += counter.count(&cut) as u64;
        row.clues[0] += case.clues.len() as u64;
        row.clues[1] += (case.clues.len() - case.missing_in(&cut).len()) as u64;
    }
    row
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
    for Row { name, tokens: [before, after], clues: [all, seen] } in &rows {
        let percent = |part: u64, whole: u64| 100.0 * part as f64 / whole as f64;
        let (saved, share) = (percent(before.saturating_sub(*after), *before), percent(*seen, *all));
        writeln!(table, "| {name} | {before} → {after} | {saved:.1} % | {seen} of {all} ({share:.1} %) |")
            .unwrap();
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
