//! Counts in valgrind the instructions that compressing texts of triggers takes. They are the same
//! in every run on one machine. Between processors they differ by some percent: libraries choose instructions.
//!
//! A counter inside the program would miss the places where nobody called it. Valgrind counts all instructions, so a
//! new rule, marker, anchor or reader is covered once it is in its table. The texts are small, because valgrind is
//! slow. Quadratic work still shows: four times as much text then takes sixteen times as many instructions. For every
//! mode and larger texts see `growth`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command};

use tersed::config::{Mode, Policy};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;

use crate::search::is_named;
use crate::shapes;
use crate::texts::{self, Trigger, repeated};

/// Bytes of the shortest texts, and how much longer the next ones are.
const SMALL: usize = 4 << 10;
const TIMES: usize = 4;
/// How much more the longer text may cost than the smaller one: between linear and quadratic.
const GROWTH: f64 = 7.0;
/// Growth is not checked for a text that costs less than this many times an ordinary one: it may just reach a limit
/// of some kilobytes.
const CHEAP: f64 = 2.0;
/// How much more a text may cost than an ordinary one of the size.
const FACTOR: f64 = 8.0;
/// The same for texts of secrets and pieces of them in all shapes, each examined, judged, claimed and replaced, plain
/// and encoded. Somewhat more than the highest measured one (70.4), for other machines. It was 49.7; then ordinary text
/// got cheaper twice, by an eighth each time, and forms of secrets were added.
const OF_SECRETS: f64 = 77.0;
/// The same for texts of one keyword of a rule for secrets in one shape: the highest measured one is 9.9, of a new
/// rule. The others were below `FACTOR` until ordinary text got cheaper.
const OF_KEYWORDS: f64 = 11.0;
/// The variable with the cases for valgrind: bytes of the texts, then the numbers of the cases, separated by commas.
const RUNS: &str = "TERSED_STEPS";

/// Where the triggers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the result.
    Result,
    /// In the command of a call with a short result.
    Command,
    /// In the result, of which each line is a part.
    Parts,
}

struct Case {
    name: String,
    mode: Mode,
    place: Place,
    factor: f64,
    text: Box<dyn Fn(usize) -> String>,
}

fn case(name: String, mode: Mode, text: impl Fn(usize) -> String + 'static) -> Case {
    Case { name, mode, place: Place::Result, factor: FACTOR, text: Box::new(text) }
}

impl Case {
    /// Everything that is done with a text of `bytes` bytes.
    fn run(&self, bytes: usize) -> impl Fn() + use<> {
        let text = (self.text)(bytes);
        let (results, command) = match self.place {
            Place::Result => (vec![text], None),
            Place::Command => (vec![texts::ordinary(SMALL / 4)], Some(text)),
            Place::Parts => (text.lines().map(str::to_owned).collect(), None),
        };
        let call = ToolCall { tool: "bash".into(), command, ..ToolCall::default() };
        let policy = Policy { mode: self.mode, ..Policy::default() };
        move || {
            let parts: Vec<Raw<'_>> = results.iter().map(|text| Raw::Text(text)).collect();
            drop(compress(&call, &parts, &policy, false, &NoHistory));
        }
    }
}

/// Pieces in turn, up to a length.
fn mixed(pieces: Vec<String>) -> impl Fn(usize) -> String {
    move |bytes| {
        let mut text = String::new();
        for piece in pieces.iter().cycle() {
            text.push_str(piece);
            if text.len() >= bytes {
                break;
            }
        }
        text
    }
}

/// Modes that cases are in, each with an ordinary text.
const MODES: [Mode; 2] = [Mode::Safe, Mode::Aggressive];

fn ordinary(mode: Mode) -> Case {
    case("ordinary".into(), mode, texts::ordinary)
}

/// One case for each row of each table.
fn cases() -> Vec<Case> {
    let mut out = Vec::new();
    let mut rules: BTreeMap<String, Vec<Trigger>> = BTreeMap::new();
    for trigger in texts::of_secrets() {
        let rule = trigger.from.trim_end_matches(texts::EXAMPLES).to_owned();
        rules.entry(rule).or_default().push(trigger);
    }
    for (rule, triggers) in rules {
        // Every keyword and example in every shape, in turn; and the first keyword in one shape.
        let word = triggers.iter().find(|trigger| !trigger.from.ends_with(texts::EXAMPLES));
        let word = word.map(|trigger| trigger.text.clone());
        let count = triggers.len().max(texts::SHAPES.len());
        let pieces = triggers.iter().cycle().zip(texts::SHAPES.iter().cycle()).take(count);
        let pieces = pieces.map(|(trigger, shape)| shape.replace("{}", &trigger.text)).collect();
        let all = case(format!("{rule}, all shapes"), Mode::Safe, mixed(pieces));
        out.push(Case { factor: OF_SECRETS, ..all });
        if let Some(word) = word {
            let one = move |bytes| repeated(&word, "\"{}\": \"{", bytes);
            out.push(Case { factor: OF_KEYWORDS, ..case(format!("{rule}, one shape"), Mode::Safe, one) });
        }
    }
    for trigger in texts::of_markers() {
        let text = trigger.text.clone();
        let marker = move |bytes| repeated(&text, "{}", bytes);
        out.push(case(format!("marker {:?}", trigger.text), Mode::Aggressive, marker));
    }
    let mut reducers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for trigger in texts::of_reducers() {
        reducers.entry(trigger.from).or_default().push(trigger.text + "\n");
    }
    for (reducer, anchors) in reducers {
        out.push(case(reducer, Mode::Aggressive, mixed(anchors)));
    }
    for opening in texts::OPENINGS {
        let result = move |bytes| repeated(opening, "{}", bytes);
        out.push(case(format!("opening {opening:?}"), Mode::Aggressive, result));
        let command = move |bytes| repeated(opening, "a {}", bytes);
        let command = case(format!("command {opening:?}"), Mode::Aggressive, command);
        out.push(Case { place: Place::Command, ..command });
    }
    // In `safe`, fixed costs of terminal rows and runs of blanks dominate in a text this small: see `growth`.
    for shape in shapes::TEXTS {
        out.push(case(format!("text {}", shape.name), Mode::Aggressive, shape.text));
    }
    for (name, command) in shapes::COMMANDS {
        let command = case(format!("command {name}"), Mode::Aggressive, command);
        out.push(Case { place: Place::Command, ..command });
    }
    for (name, text) in shapes::PARTS {
        let parts = case(format!("parts: {name}"), Mode::Aggressive, text);
        out.push(Case { place: Place::Parts, ..parts });
    }
    out
}

/// The function whose instructions are counted; valgrind knows it by its name.
#[unsafe(no_mangle)]
#[inline(never)]
fn tersed_counted(work: &dyn Fn()) {
    work();
}

/// The work that valgrind measures. Each text runs once before counting starts, to build the tables that are built
/// once.
#[test]
#[ignore = "is run by the test below"]
fn counted() {
    let runs: Vec<usize> =
        std::env::var(RUNS).unwrap().split(',').map(|number| number.parse().unwrap()).collect();
    let (bytes, numbers) = runs.split_first().unwrap();
    let (ordinary, cases) = (MODES.map(ordinary), cases());
    for case in &ordinary {
        case.run(*bytes)();
        tersed_counted(&case.run(*bytes));
    }
    for case in numbers.iter().map(|number| &cases[*number]) {
        // A part of the text is enough to build the tables.
        case.run(SMALL)();
        tersed_counted(&case.run(*bytes));
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

/// Begins to count some cases with texts of this length.
fn begin(folder: &Path, bytes: usize, numbers: &[usize]) -> Child {
    let runs: Vec<String> = std::iter::once(&bytes).chain(numbers).map(usize::to_string).collect();
    Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind", "--zero-before=tersed_counted", "--dump-after=tersed_counted"])
        .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "steps::counted", "--test-threads=1", "--quiet"])
        .env(RUNS, runs.join(","))
        .spawn()
        .unwrap()
}

/// What a case costs with a text of one length.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// Its number.
    case: usize,
    instructions: f64,
    /// The instructions divided by those for an ordinary text of that length.
    factor: f64,
}

impl Cost {
    /// The instructions for an ordinary text of that length.
    fn of_ordinary(&self) -> f64 {
        self.instructions / self.factor
    }
}

/// The costs of some cases, the most expensive first; as many run at once as there are processors.
fn costs(cases: &[Case], numbers: &[usize], bytes: usize) -> Vec<Cost> {
    let parts = std::thread::available_parallelism().map_or(1, usize::from).min(8).min(numbers.len());
    let running: Vec<_> = (0..parts)
        .map(|part| {
            let numbers: Vec<usize> = numbers.iter().copied().skip(part).step_by(parts).collect();
            let folder = tempfile::tempdir().unwrap();
            let child = begin(folder.path(), bytes, &numbers);
            (child, folder, numbers)
        })
        .collect();
    let mut out = Vec::new();
    for (mut child, folder, numbers) in running {
        assert!(child.wait().unwrap().success());
        let counts = instructions(folder.path());
        let (base, counts) = counts.split_at(MODES.len());
        assert_eq!(counts.len(), numbers.len());
        for (case, &instructions) in numbers.into_iter().zip(counts) {
            let mode = MODES.iter().position(|mode| *mode == cases[case].mode).unwrap();
            out.push(Cost { case, instructions, factor: instructions / base[mode] });
        }
    }
    out.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    out
}

fn lines<'a>(cases: &[Case], costs: impl IntoIterator<Item = &'a Cost>) -> String {
    let line = |cost: &Cost| {
        let case = &cases[cost.case];
        format!("\n{:6.2} {} {}", cost.factor, case.mode.name(), case.name)
    };
    costs.into_iter().map(line).collect()
}

/// Those of some costs that are more than [`GROWTH`] times as high as with texts of `bytes` bytes. Some work starts only at
/// a length, such as the cut at 64 KiB; what it costs an ordinary text is allowed besides.
fn grown(cases: &[Case], costs_of_longer: &[Cost], bytes: usize) -> Vec<Cost> {
    let numbers: Vec<usize> = costs_of_longer.iter().map(|cost| cost.case).collect();
    let shorter: BTreeMap<usize, Cost> =
        costs(cases, &numbers, bytes).into_iter().map(|cost| (cost.case, cost)).collect();
    let has_grown = |cost: &&Cost| {
        let shorter = shorter[&cost.case];
        let of_length = (cost.of_ordinary() - TIMES as f64 * shorter.of_ordinary()).max(0.0);
        cost.instructions > GROWTH * shorter.instructions + of_length
    };
    costs_of_longer.iter().filter(has_grown).copied().collect()
}

#[test]
#[ignore = "needs valgrind, and takes an hour unless built as `tests/steps.sh` does"]
fn steps_of_hostile_texts_are_linear() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "valgrind is missing");
        eprintln!("NOT RUN: valgrind is missing");
        return;
    }
    let cases = cases();
    let named: Vec<usize> = (0..cases.len()).filter(|number| is_named(&cases[*number].name)).collect();
    let all = costs(&cases, &named, SMALL * TIMES);
    println!("{} texts; times an ordinary one:{}", all.len(), lines(&cases, &all));
    let dear = || all.iter().filter(|cost| cost.factor > cases[cost.case].factor);
    let not_cheap: Vec<Cost> = all.iter().filter(|cost| cost.factor > CHEAP).copied().collect();
    // A limit that only longer texts exceed may make the small one cheap, so growth must continue with longer texts.
    let again: Vec<usize> = grown(&cases, &not_cheap, SMALL).iter().map(|cost| cost.case).collect();
    let longer = costs(&cases, &again, SMALL * TIMES * TIMES);
    let longer: Vec<Cost> = longer.into_iter().filter(|cost| cost.factor > CHEAP).collect();
    let grown = grown(&cases, &longer, SMALL * TIMES);
    assert!(dear().next().is_none(), "times an ordinary text:{}", lines(&cases, dear()));
    assert!(grown.is_empty(), "grows faster than the text:{}", lines(&cases, &grown));
}
