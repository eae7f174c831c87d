//! Looks for texts that cost more than others. It tries far more texts, and far larger ones, than a test can.
//!
//! It measures the processor time of its thread, so it asserts nothing. It prints the texts that cost more than six
//! times as much as an ordinary text, and how their cost grows from 64 KB to 256 KB. `LINEAR` selects groups by name.

use crate::requests::{self, Pair, cost};
use crate::shapes;
use crate::texts::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tersed::config::{Mode, Policy, PolicyPatch};
use tersed::pipeline::repeat::dedup::NoHistory;
use tersed::pipeline::{Raw, compress};
use tersed::text::call::ToolCall;

fn cpu_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time into `now`, and nothing else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

pub fn time(f: impl Fn()) -> f64 {
    let from = cpu_ns();
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err() {
        println!("PANIC");
    }
    (cpu_ns() - from) as f64 / 1e6
}

pub fn call(path: Option<&str>, command: Option<&str>) -> ToolCall {
    ToolCall {
        tool: if path.is_some() { "Read".into() } else { "bash".into() },
        path: path.map(str::to_owned),
        command: command.map(str::to_owned),
        ..ToolCall::default()
    }
}

pub fn run(call: &ToolCall, policy: &Policy, text: &str) {
    let _ = std::hint::black_box(compress(call, &[Raw::Text(text)], policy, false, &NoHistory));
}

/// The call and the policy of a fixture, in a mode.
pub fn fixture(case: &Path, mode: Mode) -> (ToolCall, Policy) {
    let call: serde_json::Value = serde_json::from_slice(&fs::read(case.join("call.json")).unwrap()).unwrap();
    let patch = call
        .get("policy")
        .map_or_else(PolicyPatch::default, |patch| serde_json::from_value(patch.clone()).unwrap());
    let policy = Policy { mode, ..Policy::default().with(&patch).unwrap() };
    let text = |key: &str| call.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let call = ToolCall {
        tool: text("tool").unwrap(),
        command: text("command"),
        path: text("path"),
        query: text("query"),
        ..ToolCall::default()
    };
    (call, policy)
}

struct Table {
    base: BTreeMap<(&'static str, usize), f64>,
    rows: Vec<(f64, String)>,
    tried: usize,
}

/// Texts of all sizes are tried where there are few of them. `LINEAR_SIZES` are others, in KB, with commas between.
fn sizes() -> Vec<usize> {
    let sizes = std::env::var("LINEAR_SIZES").unwrap_or_else(|_| "64,256,1024".into());
    sizes.split(',').map(|kb| kb.parse::<usize>().unwrap() << 10).collect()
}

const SMALL: usize = 64 << 10;
const LARGE: usize = 256 << 10;

impl Table {
    fn base(&mut self, mode: Mode, size: usize) -> f64 {
        *self.base.entry((mode.name(), size)).or_insert_with(|| {
            let policy = Policy { mode, ..Policy::default() };
            let text = ordinary(size);
            let call = call(None, None);
            run(&call, &policy, &text);
            (0..3).map(|_| time(|| run(&call, &policy, &text))).fold(f64::MAX, f64::min)
        })
    }

    fn try_one(&mut self, name: &str, policy: &Policy, make: impl Fn(usize) -> (ToolCall, String)) {
        let mode = policy.mode;
        self.tried += 1;
        let (c, t) = make(SMALL);
        let base = self.base(mode, SMALL);
        let small = time(|| run(&c, policy, &t)) / base;
        if small < 3.0 {
            return;
        }
        let small = small.min(time(|| run(&c, policy, &t)) / base);
        if small < 3.0 {
            return;
        }
        let (c, t) = make(LARGE);
        let large = time(|| run(&c, policy, &t)) / self.base(mode, LARGE);
        let growth = large / small;
        if large > 6.0 || growth > 2.0 && large > 5.0 {
            let line = format!("{large:8.1} {growth:5.1} {} {name}", mode.name());
            println!("{line}");
            self.rows.push((large, line));
        }
    }
}

impl Table {
    /// The most that a text costs at any of the sizes.
    fn try_sizes(&mut self, name: &str, policy: &Policy, make: impl Fn(usize) -> (ToolCall, String)) {
        if !is_named(name) {
            return;
        }
        self.tried += 1;
        let mut worst = (0.0, 0);
        for size in sizes() {
            let (c, t) = make(size);
            // The cost of an ordinary text of exactly this size.
            let base = self.base(policy.mode, size)
                * (t.len() + c.command.as_ref().map_or(0, String::len)).max(size) as f64
                / size as f64;
            let mut least = f64::MAX;
            for _ in 0..3 {
                // A new thread, whose caches of text pieces are empty.
                let took = std::thread::scope(|scope| scope.spawn(|| time(|| run(&c, policy, &t))).join());
                least = least.min(took.unwrap() / base);
                if least < SHOWN {
                    break;
                }
            }
            if least > worst.0 {
                worst = (least, size);
            }
        }
        self.row(worst, policy.mode.name(), name);
    }

    fn try_pair(&mut self, mode: &str, pair: &Pair) {
        if !is_named(&pair.name) {
            return;
        }
        self.tried += 1;
        let mut worst = (0.0, 0);
        let mut errors = std::collections::BTreeSet::new();
        for size in sizes() {
            let requests = (pair.hostile)(size);
            let ordinary = (pair.ordinary)(size);
            let base = cost(&ordinary).0.min(cost(&ordinary).0);
            let mut least = f64::MAX;
            for _ in 0..3 {
                let (took, faults) = cost(&requests);
                errors.extend(faults);
                least = least.min(took / base);
                if least < SHOWN {
                    break;
                }
            }
            if least > worst.0 {
                worst = (least, size);
            }
        }
        if !errors.is_empty() && std::env::var("LINEAR_ERRORS").is_ok() {
            println!("{} {errors:?}", pair.name);
        }
        self.row(worst, mode, &pair.name);
    }

    fn row(&mut self, (times, size): (f64, usize), mode: &str, name: &str) {
        if times > SHOWN {
            let line = format!("{times:8.1} {:5} KB {mode} {name}", size >> 10);
            println!("{line}");
            self.rows.push((times, line));
        }
    }
}

/// A text is printed if it costs at least this many times as much as an ordinary one.
const SHOWN: f64 = 4.0;

const PATHS: &[&str] = &[
    "a.json",
    "a.jsonl",
    "a.yaml",
    "a.toml",
    "a.xml",
    "a.html",
    "a.rs",
    "a.py",
    "a.md",
    "a.csv",
    "a.diff",
    "a.js",
    "a.go",
    "a.java",
    "a.log",
    "Cargo.lock",
    "a.ini",
    "a.sh",
    "a.ipynb",
];
const COMMANDS: &[&str] = &[
    "git diff",
    "git log",
    "ls -la",
    "find .",
    "rg a",
    "cat a",
    "npm install",
    "cargo test",
    "pytest",
    "make",
    "kubectl get pods",
    "docker ps",
    "env",
    "tree",
    "curl -v a",
    "tail -f a.log",
];
const MODES: &[Mode] = &[Mode::Disabled, Mode::Safe, Mode::Standard, Mode::Aggressive];

/// Whether a text is to be tried: `LINEAR_NAME` is a part of its name.
pub fn is_named(name: &str) -> bool {
    std::env::var("LINEAR_NAME").map_or(true, |part| name.contains(&part))
}

fn pick(name: &str) -> bool {
    std::env::var("LINEAR").map_or(true, |only| only.split(',').any(|o| o == name))
}

#[test]
#[ignore = "prints what it measures"]
fn search() {
    let mut table = Table { base: BTreeMap::new(), rows: Vec::new(), tried: 0 };
    for mode in MODES {
        println!(
            "ordinary {} {:.2} ms {:.2} ms",
            mode.name(),
            table.base(*mode, SMALL),
            table.base(*mode, LARGE)
        );
    }
    let none = call(None, None);
    if pick("secrets") {
        let policy = Policy { mode: Mode::Safe, ..Policy::default() };
        for t in of_secrets() {
            for shape in SHAPES {
                table.try_one(&format!("{} {:?} {shape:?}", t.from, t.text), &policy, |n| {
                    (none.clone(), repeated(&t.text, shape, n))
                });
            }
        }
    }
    if pick("markers") {
        for mode in MODES {
            let policy = Policy { mode: *mode, ..Policy::default() };
            for t in of_markers() {
                for shape in ["{}", "{}\n", "a{} "] {
                    table.try_one(&format!("{} {:?} {shape:?}", t.from, t.text), &policy, |n| {
                        (none.clone(), repeated(&t.text, shape, n))
                    });
                }
            }
        }
    }
    if pick("anchors") {
        for mode in [Mode::Standard, Mode::Aggressive] {
            let policy = Policy { mode, ..Policy::default() };
            for t in of_reducers() {
                for shape in ["{}", "{}\n"] {
                    table.try_one(&format!("{} {:?} {shape:?}", t.from, t.text), &policy, |n| {
                        (none.clone(), repeated(&t.text, shape, n))
                    });
                }
            }
        }
    }
    if pick("grammars") {
        for mode in MODES {
            let policy = Policy { mode: *mode, ..Policy::default() };
            for t in of_grammars() {
                for shape in ["{}", "{}\n", "a{} "] {
                    table.try_one(&format!("{} {:?} {shape:?}", t.from, t.text), &policy, |n| {
                        (none.clone(), repeated(&t.text, shape, n))
                    });
                }
                if *mode == Mode::Disabled {
                    continue;
                }
                for path in PATHS {
                    let c = call(Some(path), None);
                    table.try_one(&format!("{path} {:?}", t.text), &policy, |n| {
                        (c.clone(), repeated(&t.text, "{}", n))
                    });
                }
                if *mode == Mode::Safe {
                    continue;
                }
                for command in COMMANDS {
                    let c = call(None, Some(command));
                    table.try_one(&format!("{command} {:?}", t.text), &policy, |n| {
                        (c.clone(), repeated(&t.text, "{}", n))
                    });
                }
            }
        }
    }
    if pick("commands") {
        let policy = Policy::default();
        let small = ordinary(20000);
        for t in of_grammars() {
            for shape in ["{}", "{} ", "{}\n", "a {}b "] {
                table.try_one(&format!("command {:?} {shape:?}", t.text), &policy, |n| {
                    (call(None, Some(&repeated(&t.text, shape, n))), small.clone())
                });
            }
        }
    }
    if pick("shapes") {
        for mode in MODES {
            let policy = Policy { mode: *mode, ..Policy::default() };
            for shape in shapes::TEXTS {
                table.try_sizes(shape.name, &policy, |n| (none.clone(), (shape.text)(n)));
                if shape.path.is_some() || shape.command.is_some() {
                    let c = call(shape.path, shape.command);
                    let name = format!("{}, with its name", shape.name);
                    table.try_sizes(&name, &policy, |n| (c.clone(), (shape.text)(n)));
                }
            }
        }
    }
    if pick("scripts") {
        let small = ordinary(4096);
        for mode in MODES {
            let policy = Policy { mode: *mode, ..Policy::default() };
            for (name, text) in shapes::COMMANDS {
                table.try_sizes(&format!("command: {name}"), &policy, |n| {
                    (call(None, Some(&text(n))), small.clone())
                });
            }
            for t in of_grammars() {
                table.try_sizes(&format!("command {:?}", t.text), &policy, |n| {
                    (call(None, Some(&repeated(&t.text, "a {}", n))), small.clone())
                });
            }
        }
    }
    type Pairs = fn(&'static str) -> Vec<Pair>;
    let pairs: [(&str, Pairs); 6] = [
        ("calls", requests::of_calls),
        ("sessions", requests::of_sessions),
        ("edits", requests::of_edits),
        ("reclaims", |_| requests::of_reclaims()),
        ("bodies", |_| requests::of_bodies()),
        ("others", |_| requests::of_others()),
    ];
    for (group, of) in pairs {
        let modes: &[&str] = match group {
            "calls" => &["standard"],
            "sessions" | "edits" => &["safe", "standard", "aggressive"],
            _ => &["standard"],
        };
        for mode in modes {
            if pick(group) {
                of(mode).iter().for_each(|pair| table.try_pair(mode, pair));
            }
        }
    }
    if pick("patterns") {
        for (name, text) in [("ordinary", ordinary(4 << 20)), ("one line", "ab".repeat(2 << 20))] {
            for (pattern, took, base) in requests::of_patterns(&text) {
                println!("{:8.1} ({took:.1} ms) pattern {pattern:?} in {name}", took / base);
            }
        }
    }
    if pick("pairs") {
        let policy = Policy { mode: Mode::Aggressive, ..Policy::default() };
        for a in OPENINGS {
            for b in OPENINGS {
                let piece = format!("{a}{b}");
                table.try_one(&format!("pair {piece:?}"), &policy, |n| {
                    (none.clone(), repeated(&piece, "{}", n))
                });
            }
        }
    }
    if pick("fixtures") {
        for mode in [Mode::Standard, Mode::Aggressive] {
            for (case, text) in of_fixtures() {
                let (c, policy) = fixture(&case, mode);
                let text = String::from_utf8_lossy(&text).into_owned();
                let name = case.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
                table.try_one(&name, &policy, |n| (c.clone(), repeated(&text, "{}", n)));
                let half = text[..text.floor_char_boundary(text.len() / 2)].to_owned();
                table.try_one(&format!("{name} half"), &policy, |n| (c.clone(), repeated(&half, "{}", n)));
                let reversed: String = text.lines().rev().flat_map(|l| [l, "\n"]).collect();
                table.try_one(&format!("{name} reversed"), &policy, |n| {
                    (c.clone(), repeated(&reversed, "{}", n))
                });
            }
        }
    }
    table.rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("==== tried {}", table.tried);
    for (_, line) in table.rows.iter().take(400) {
        println!("{line}");
    }
}

/// One text again and again, for a profiler: `LINEAR_ONE` is its piece, `LINEAR_MODE` the mode, `LINEAR_BYTES` the size.
#[test]
#[ignore = "measures nothing"]
fn one() {
    let piece = std::env::var("LINEAR_ONE").unwrap().replace("\\n", "\n");
    let mode = std::env::var("LINEAR_MODE").unwrap_or_default();
    let mode = MODES.iter().copied().find(|m| m.name() == mode).unwrap_or(Mode::Safe);
    let policy = Policy { mode, ..Policy::default() };
    let bytes = std::env::var("LINEAR_BYTES").map_or(LARGE, |bytes| bytes.parse().unwrap());
    let (call, text) = (call(None, None), repeated(&piece, "{}", bytes));
    use tersed::sanitize::{invisible, secrets, terminal};
    for _ in 0..3 {
        println!(
            "whole {:.2} ms, secrets {:.2}, terminal {:.2}, invisible {:.2}",
            time(|| run(&call, &policy, &text)),
            time(|| drop(secrets::redact(&text))),
            time(|| drop(terminal::render(&text))),
            time(|| drop(invisible::strip(&text))),
        );
    }
}
