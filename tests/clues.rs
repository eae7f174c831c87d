//! Clues: every file in `tests/clues` is the output of a tool with a fact in it that an agent needs. The fact and the
//! headings above it must be readable in the compressed output, in `standard` and in `aggressive`.
//!
//! `src/cli/replay/clues/case.rs` describes the format of a case, `template.rs` beside it that of its text. There is
//! one test per case and mode; `cargo test --test clues outliers` runs a class. `tests/clues/known_losses.txt` lists
//! the known losses. A test fails if a listed fact is not lost, so that the list only gets shorter. With
//! `CLUES_SHOWN=FOLDER` the inputs and outputs are written to that folder.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tersed::cli::replay::clues::{Case, render};
use tersed::config::{Mode, Policy};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Outcome, Raw, compress};

const MODES: &[(&str, Mode)] = &[("standard", Mode::Standard), ("aggressive", Mode::Aggressive)];
/// Smaller texts are hardly changed, so a case would show nothing. In bytes.
const SMALLEST: usize = 1500;

/// By class and mode: cases, cases with every clue, tokens before, tokens after.
type Summary = BTreeMap<(String, &'static str), [usize; 4]>;

fn main() {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clues");
    let known = fs::read_to_string(root.join("known_losses.txt")).unwrap();
    let known: BTreeSet<&str> = known.lines().filter(|line| !line.is_empty()).collect();
    let cases = Case::all(&root).unwrap();
    assert!(cases.len() >= 150, "{}", cases.len());
    let summary = Arc::new(Mutex::new(Summary::new()));
    let mut trials = vec![
        Trial::test("a clue is a chain of pieces", a_clue_is_a_chain_of_pieces),
        Trial::test("a template gives the same text", a_template_gives_the_same_text),
    ];
    let mut left: BTreeSet<&str> = known.clone();
    for case in cases.into_iter().map(Arc::new) {
        for &(word, mode) in MODES {
            let name = format!("{word} {}", case.name);
            let is_known = left.remove(name.as_str());
            let (case, summary) = (Arc::clone(&case), Arc::clone(&summary));
            trials.push(Trial::test(name, move || check(&case, word, mode, is_known, &summary)));
        }
    }
    assert!(left.is_empty(), "known losses of no case: {left:?}");
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        print(&summary.lock().unwrap());
    }
    conclusion.exit();
}

fn check(
    case: &Case,
    word: &'static str,
    mode: Mode,
    is_known: bool,
    summary: &Mutex<Summary>,
) -> Result<(), Failed> {
    assert!(case.text.len() >= SMALLEST, "{} bytes are too few", case.text.len());
    let outcome = run(case, mode);
    let shown = outcome.texts.concat();
    if let Some(folder) = std::env::var_os("CLUES_SHOWN") {
        let stem = Path::new(&folder).join(case.name.replace('/', "."));
        fs::write(
            stem.with_extension(format!("{}.in", stem.extension().unwrap().to_str().unwrap())),
            &case.text,
        )?;
        fs::write(
            stem.with_extension(format!("{}.{word}", stem.extension().unwrap().to_str().unwrap())),
            &shown,
        )?;
    }
    let missing = case.missing_in(&shown);
    let class = case.name.split('/').next().unwrap().to_owned();
    let tokens = &outcome.evidence.tokens;
    let mut summary = summary.lock().unwrap();
    let row = summary.entry((class, word)).or_default();
    let add = [1, usize::from(missing.is_empty()), tokens.before, tokens.after];
    row.iter_mut().zip(add).for_each(|(sum, add)| *sum += add);
    match (missing.is_empty(), is_known) {
        (true, false) | (false, true) => Ok(()),
        (true, true) => Err("not lost any more: take it out of tests/clues/known_losses.txt".into()),
        (false, false) => Err(format!("{}\nshown is\n{shown}", missing.join("\n")).into()),
    }
}

fn a_clue_is_a_chain_of_pieces() -> Result<(), Failed> {
    let head = "clue: pool a >> errors 3\nnot between: pool\n---\npool a\nerrors 3\n";
    let case = Case::read("own/chain", head).unwrap();
    let is_kept = |shown: &str| case.missing_in(shown).is_empty();
    assert!(is_kept("pool a\n  state\n  errors  3\npool b\n"));
    assert!(!is_kept("pool a\npool b\n  errors 3\n"), "under another heading");
    assert!(!is_kept("errors 3\npool a\n"), "above its heading");
    assert!(!is_kept("pool b\n  errors 3\n"), "without its heading");
    let case = Case::read("own/forms", "clue: \"id\":7 || 7, >> down\n---\n7, down\n").unwrap();
    assert!(case.missing_in("{\"id\": 7, \"is\": \"down\"}").is_empty());
    assert!(case.missing_in("7,down").is_empty());
    assert_eq!(case.missing_in("8,down").len(), 1);
    Ok(())
}

fn a_template_gives_the_same_text() -> Result<(), Failed> {
    let template = "@repeat 3 n ,\n%{n 02} %{word n} %{hex 4 =id} %{id}\n@odd 2\n@oneline\n  a\n  b\n@end\n@end\n@@ -1 +1 @@\n";
    let text = render(template, "own/template").unwrap();
    assert_eq!(text, render(template, "own/template").unwrap());
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("01 anchor ") && lines[0].ends_with(','), "{text}");
    let words: Vec<&str> = lines[0].trim_end_matches(',').split(' ').collect();
    assert_eq!(words[2], words[3], "a value that was kept");
    assert_eq!(lines[1..], ["ab,", lines[2], "@@ -1 +1 @@"]);
    assert!(lines[2].starts_with("03 beacon ") && !lines[2].ends_with(','), "{text}");
    Ok(())
}

fn run(case: &Case, mode: Mode) -> Outcome {
    let patch = serde_json::from_value(case.policy.clone()).expect("settings");
    let policy = Policy { mode, ..Policy::default() }.with(&patch).expect("a policy that is allowed");
    compress(&case.call, &[Raw::Text(&case.text)], &policy, false, &NoHistory).expect("redaction runs")
}

fn print(summary: &Summary) {
    println!("\n{:<12} {:<11} {:>5} {:>5} {:>7} {:>7}", "class", "mode", "cases", "kept", "tokens", "shown");
    let mut all: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for ((class, mode), row) in summary {
        line(class, mode, *row);
        all.entry(mode).or_default().iter_mut().zip(row).for_each(|(sum, add)| *sum += add);
    }
    all.iter().for_each(|(mode, row)| line("all", mode, *row));
}

fn line(class: &str, mode: &str, [cases, kept, before, after]: [usize; 4]) {
    println!("{class:<12} {mode:<11} {cases:>5} {kept:>5} {before:>7} {after:>7}");
}
