//! Counts the instructions that texts of triggers cost, in valgrind: the same on every machine. These are the stages
//! that every text goes through first, whoever wrote it: redaction, markers, the command. For the whole way see `growth`.
//!
//! A counter inside the program would count what somebody thought of counting. Instructions are counted wherever they
//! are spent, so that a new rule, marker, anchor or reader is covered once it stands in its table. The texts are
//! small, for valgrind is slow: what grows with the square of a text shows in how much more four times as much costs.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use tersed::config::{Mode, Policy};
use tersed::pipeline::call::ToolCall;
use tersed::pipeline::dedup::NoHistory;
use tersed::pipeline::detect::command::CommandLine;
use tersed::pipeline::sanitize::secrets;
use tersed::pipeline::{Raw, compress, marker};

use crate::texts::{self, repeated};

/// Bytes of the smaller text of a pair, and how much longer the other is.
const SMALL: usize = 768;
const TIMES: usize = 4;
/// How much more the longer text may cost than the smaller one: between linear and quadratic. What is bounded by a
/// reach of some hundred bytes shows in texts as small as these.
const GROWTH: f64 = 9.0;
/// How much more a stage may cost than the whole safe way of an ordinary text of the size.
const FACTOR: f64 = 8.0;

/// What looks at a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Secrets,
    Markers,
    Command,
}

struct Case {
    name: String,
    stage: Stage,
    text: Box<dyn Fn(usize) -> String>,
}

fn case(name: String, stage: Stage, text: impl Fn(usize) -> String + 'static) -> Case {
    Case { name, stage, text: Box::new(text) }
}

/// One case for each row of each table.
fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    let mut rules: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for trigger in texts::of_secrets() {
        rules.entry(trigger.from).or_default().push(trigger.text);
    }
    for (rule, triggers) in rules {
        // Every trigger in every shape, in turn; and the first one in one shape.
        let first = triggers[0].clone();
        let mixed = move |bytes: usize| {
            let mut text = String::new();
            let shapes = texts::SHAPES.iter().cycle();
            for (trigger, shape) in triggers.iter().cycle().zip(shapes).take(bytes) {
                text.push_str(&shape.replace("{}", trigger));
                if text.len() >= bytes {
                    break;
                }
            }
            text
        };
        out.push(case(format!("{rule}, all shapes"), Stage::Secrets, mixed));
        let one = move |bytes| repeated(&first, "\"{}\": \"{", bytes);
        out.push(case(format!("{rule}, one shape"), Stage::Secrets, one));
    }
    for trigger in texts::of_markers() {
        let text = trigger.text.clone();
        out.push(case(format!("marker {text:?}"), Stage::Markers, move |bytes| repeated(&text, "{}", bytes)));
    }
    for opening in texts::OPENINGS {
        let command = move |bytes| repeated(opening, "a {}", bytes);
        out.push(case(format!("command {opening:?}"), Stage::Command, command));
    }
    out
}

/// The function whose instructions are counted; valgrind knows it by its name.
#[unsafe(no_mangle)]
#[inline(never)]
fn tersed_counted(stage: &dyn Fn()) {
    stage();
}

fn run(stage: Stage, text: &str) {
    match stage {
        Stage::Secrets => drop(secrets::redact(text)),
        Stage::Markers => drop(marker::escape(text, |_, _| false)),
        Stage::Command => drop(CommandLine::parse(text)),
    }
}

const STAGES: &[Stage] = &[Stage::Secrets, Stage::Markers, Stage::Command];

/// What valgrind runs. Each text once before it counts, for what is built once.
#[test]
#[ignore = "is run by the test below"]
fn counted() {
    for stage in STAGES {
        run(*stage, &texts::ordinary(SMALL));
    }
    let (policy, call) = (Policy { mode: Mode::Safe, ..Policy::default() }, ToolCall::default());
    let text = texts::ordinary(SMALL * TIMES);
    let whole = || drop(compress(&call, &[Raw::Text(&text)], &policy, false, &NoHistory));
    whole();
    tersed_counted(&whole);
    for case in cases() {
        run(case.stage, &(case.text)(SMALL / 4));
        for times in [1, TIMES] {
            let text = (case.text)(SMALL * times);
            tersed_counted(&|| run(case.stage, &text));
        }
    }
}

/// The instructions of each call of `tersed_counted`, in order.
fn instructions(folder: &Path) -> Vec<f64> {
    let mut dumps: Vec<(usize, f64)> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let number = path.extension()?.to_str()?.parse().ok()?;
            let text = std::fs::read_to_string(&path).unwrap();
            let total = text.lines().find_map(|line| line.strip_prefix("totals: "))?;
            Some((number, total.trim().parse().unwrap()))
        })
        .collect();
    dumps.sort_by_key(|(number, _)| *number);
    dumps.into_iter().map(|(_, total)| total).collect()
}

#[test]
#[ignore = "needs valgrind and minutes"]
fn steps_of_hostile_texts_are_linear() {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--zero-before=tersed_counted", "--dump-after=tersed_counted"])
        .arg(format!("--callgrind-out-file={}", folder.path().join("out").display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "steps::counted", "--test-threads=1"])
        .status()
        .expect("valgrind is there");
    assert!(status.success());
    let all = instructions(folder.path());
    let (ordinary, found) = all.split_first().unwrap();
    let cases = cases();
    assert_eq!(found.len(), cases.len() * 2);
    let mut bad = Vec::new();
    for (case, counts) in cases.iter().zip(found.chunks(2)) {
        let (factor, growth) = (counts[1] / ordinary, counts[1] / counts[0]);
        if factor > FACTOR || (growth > GROWTH && factor > 1.0) {
            bad.push(format!("{factor:6.1} {growth:6.1} {:?} {}", case.stage, case.name));
        }
    }
    bad.sort();
    assert!(bad.is_empty(), "times an ordinary text, growth by {TIMES}:\n{}", bad.join("\n"));
}
