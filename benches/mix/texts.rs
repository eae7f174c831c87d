//! An invented mix. Its kinds, sizes and share of repeated lines are about those of recorded sessions. It is the same
//! in every run.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Result;

const SESSIONS: usize = 60;
/// Results of a session: at least, and how many more at most.
const RESULTS: (usize, usize) = (4, 30);
/// Files that a session looks at, again and again.
const FILES: usize = 6;
const FILE_LINES: usize = 900;

/// Results of one kind.
struct Kind {
    name: &'static str,
    /// Of 1000 results.
    share: usize,
    /// Bytes of a text: those that 10, 25, 50, 75, 90, 95 and 99 of 100 results do not exceed.
    sizes: [usize; 7],
    tool: &'static str,
    write: fn(&mut Dice, &[File], usize) -> (Value, String),
}

const KINDS: &[Kind] = &[
    Kind {
        name: "view",
        share: 430,
        sizes: [146, 963, 2679, 4794, 11590, 21276, 33011],
        tool: "Read",
        write: view,
    },
    Kind {
        name: "shell",
        share: 220,
        sizes: [22, 57, 133, 412, 1436, 3520, 18230],
        tool: "bash",
        write: shell,
    },
    Kind {
        name: "search",
        share: 100,
        sizes: [37, 116, 354, 1120, 2715, 4841, 17292],
        tool: "bash",
        write: search,
    },
    Kind {
        name: "listing",
        share: 90,
        sizes: [14, 43, 106, 247, 1129, 2359, 30693],
        tool: "bash",
        write: listing,
    },
    Kind { name: "build", share: 50, sizes: [9, 20, 47, 366, 1373, 2056, 5555], tool: "bash", write: build },
    Kind {
        name: "test",
        share: 40,
        sizes: [59, 97, 378, 1350, 3341, 6645, 15891],
        tool: "bash",
        write: test,
    },
    Kind {
        name: "trace",
        share: 30,
        sizes: [301, 530, 952, 2424, 4322, 4791, 10721],
        tool: "bash",
        write: trace,
    },
    Kind {
        name: "json",
        share: 20,
        sizes: [100, 626, 702, 943, 1532, 6755, 34962],
        tool: "fetch",
        write: data,
    },
    Kind {
        name: "diff",
        share: 20,
        sizes: [205, 563, 1061, 2367, 4976, 8067, 19754],
        tool: "bash",
        write: diff,
    },
];

/// A file of a session.
struct File {
    path: String,
    lines: Vec<String>,
}

/// A linear congruential generator: the same texts in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn word(&mut self) -> &'static str {
        self.one::<&str>(WORDS)
    }

    /// A name of two words.
    fn name(&mut self) -> String {
        format!("{}_{}", self.word(), self.word())
    }

    fn path(&mut self) -> String {
        let folder = self.word();
        format!("src/{folder}/{}.{}", self.name(), self.one(&["py", "rs", "go", "ts"]))
    }

    /// A size with these percentiles.
    fn size(&mut self, sizes: &[usize; 7]) -> usize {
        const PERCENTS: [usize; 7] = [10, 25, 50, 75, 90, 95, 99];
        let percent = self.below(100);
        let above = PERCENTS.iter().position(|p| percent < *p).unwrap_or(6);
        let (low, high) = (if above == 0 { 1 } else { sizes[above - 1] }, sizes[above]);
        low + self.below((high - low).max(1))
    }
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "account", "address", "batch", "buffer", "cache", "client", "column", "config", "context", "cursor", "delta",
    "document", "element", "entry", "event", "field", "filter", "footer", "graph", "handler", "header", "index",
    "input", "item", "job", "key", "label", "layer", "listener", "manager", "message", "metric", "model", "module",
    "node", "object", "offset", "option", "output", "packet", "parser", "payload", "plugin", "policy", "pool",
    "process", "query", "queue", "record", "region", "request", "resource", "response", "result", "route", "row",
    "schema", "scope", "segment", "server", "session", "shard", "signal", "socket", "source", "stream", "table",
    "target", "task", "template", "thread", "timer", "token", "update", "user", "value", "vector", "version", "view",
    "widget", "window", "worker", "writer", "zone",
];

/// All results, session by session.
pub fn mix() -> Vec<Result> {
    let mut dice = Dice(7);
    let mut results = Vec::new();
    for session in 0..SESSIONS {
        let files: Vec<File> = (0..FILES).map(|_| file(&mut dice)).collect();
        for _ in 0..RESULTS.0 + dice.below(RESULTS.1) {
            let mut place = dice.below(1000);
            let kind = KINDS.iter().find(|kind| {
                let is_it = place < kind.share;
                place = place.saturating_sub(kind.share);
                is_it
            });
            let kind = kind.unwrap();
            let size = dice.size(&kind.sizes);
            let (arguments, text) = (kind.write)(&mut dice, &files, size);
            results.push(Result {
                session: format!("session {session}"),
                tool: kind.tool.to_owned(),
                arguments,
                exit_code: (kind.tool == "bash").then_some(0),
                kind: kind.name.to_owned(),
                text,
            });
        }
    }
    results
}

fn file(dice: &mut Dice) -> File {
    let path = dice.path();
    let lines = (0..FILE_LINES).map(|_| statement(dice)).collect();
    File { path, lines }
}

/// A line of a made-up program.
fn statement(dice: &mut Dice) -> String {
    let indent = " ".repeat(4 * dice.below(4));
    let (a, b, c) = (dice.name(), dice.name(), dice.word());
    match dice.below(10) {
        0 => format!("def {a}(self, {b}, {c}=None):"),
        1 => format!("{indent}if {a}.{c} is not None and not self.{b}:"),
        2 => format!("{indent}# The {c} is read before the {}, see {a}.", dice.word()),
        3 => format!("{indent}return self.{a}({b}, {c}={})", dice.below(1000)),
        4 => String::new(),
        5 => format!("{indent}{a} = self._{c}[\"{b}\"].get({c}, {})", dice.below(64)),
        6 => format!("{indent}raise ValueError(f\"no {c} for {{{a}}}\")"),
        7 => format!("{indent}for {c} in {a}.{b}():"),
        8 => format!("from {}.{c} import {a}, {b}", dice.word()),
        _ => format!("{indent}{a}.append({b}.{c})"),
    }
}

/// Lines by `line`, up to about `size` bytes.
fn lines(size: usize, mut line: impl FnMut(&mut String)) -> String {
    let mut text = String::with_capacity(size + 200);
    while text.len() < size {
        line(&mut text);
        text.push('\n');
    }
    text.pop();
    text
}

/// A part of a file with the numbers of its lines.
fn view(dice: &mut Dice, files: &[File], size: usize) -> (Value, String) {
    let file = dice.one(files);
    let start = 50 * dice.below(FILE_LINES / 50);
    let mut number = start;
    let text = lines(size, |text| {
        let _ = write!(text, "{:>6}\t{}", number + 1, file.lines[number % FILE_LINES]);
        number += 1;
    });
    (json!({ "file_path": file.path, "offset": start + 1 }), text)
}

fn command(command: String) -> Value {
    json!({ "command": command })
}

fn shell(dice: &mut Dice, _: &[File], size: usize) -> (Value, String) {
    let text = lines(size, |text| {
        let (a, b) = (dice.name(), dice.word());
        let _ = match dice.below(4) {
            0 => write!(text, "{a}: {b} {} of {}", dice.below(100), dice.below(5000)),
            1 => write!(text, "Updated {b} {a} to {}.{}.{}", dice.below(9), dice.below(30), dice.below(9)),
            2 => write!(text, "{a}={b}"),
            _ => write!(text, "The {b} of {a} was written to /tmp/{b}/{:08x}.out", dice.below(1 << 31)),
        };
    });
    (command(format!("./scripts/{}.sh --{} {}", dice.word(), dice.word(), dice.below(100))), text)
}

fn search(dice: &mut Dice, files: &[File], size: usize) -> (Value, String) {
    let word = dice.word();
    let text = lines(size, |text| {
        let file = dice.one(files);
        let at = dice.below(FILE_LINES);
        let _ = write!(text, "{}:{}:{}", file.path, at + 1, file.lines[at]);
    });
    (command(format!("grep -rn {word} src")), text)
}

fn listing(dice: &mut Dice, _: &[File], size: usize) -> (Value, String) {
    let text = lines(size, |text| text.push_str(&dice.path()));
    (command(format!("find src -name '*{}*'", dice.word())), text)
}

fn build(dice: &mut Dice, _: &[File], size: usize) -> (Value, String) {
    let text = lines(size, |text| {
        let (path, name, number) = (dice.path(), dice.name(), dice.below(400));
        let _ = match dice.below(6) {
            0 => write!(text, "{path}:{number}:{}: warning: unused variable '{name}'", 1 + number % 60),
            1 => write!(text, "{path}:{number}:9: error: '{name}' was not declared in this scope"),
            _ => write!(text, "[{:>3}%] Building CXX object {path}.o", number / 4),
        };
    });
    (command("make -j4".to_owned()), text)
}

fn test(dice: &mut Dice, _: &[File], size: usize) -> (Value, String) {
    let text = lines(size, |text| {
        let (path, name) = (dice.path(), dice.name());
        let end = if dice.below(20) == 0 { "FAILED" } else { "PASSED" };
        let _ = write!(text, "tests/{path}::test_{name} {end}                   [{:>3}%]", dice.below(100));
    });
    (command("python -m pytest -v tests".to_owned()), text)
}

fn trace(dice: &mut Dice, files: &[File], size: usize) -> (Value, String) {
    let mut text = lines(size, |text| {
        let file = dice.one(files);
        let at = dice.below(FILE_LINES);
        let line = file.lines[at].trim_start();
        let _ =
            write!(text, "  File \"/app/{}\", line {}, in {}\n    {line}", file.path, at + 1, dice.name());
    });
    text.insert_str(0, "Traceback (most recent call last):\n");
    let _ = write!(text, "\nKeyError: '{}'", dice.name());
    (command(format!("python reproduce_{}.py", dice.word())), text)
}

fn data(dice: &mut Dice, _: &[File], size: usize) -> (Value, String) {
    let mut items: Vec<Value> = Vec::new();
    let mut bytes = 0;
    while bytes < size {
        let item = json!({
            "id": format!("{:016x}", dice.below(1 << 31) * 40_503),
            "name": dice.name(),
            "state": dice.one(&["open", "closed", "waiting"]),
            "amount": dice.below(100_000) as f64 / 100.0,
            "tags": [dice.word(), dice.word()],
        });
        bytes += item.to_string().len();
        items.push(item);
    }
    (
        json!({ "url": format!("https://api.example.com/{}", dice.word()) }),
        json!({ "items": items }).to_string(),
    )
}

fn diff(dice: &mut Dice, files: &[File], size: usize) -> (Value, String) {
    let file = dice.one(files);
    let mut at = dice.below(FILE_LINES - 200);
    let mut left = 0;
    let mut text = lines(size, |text| {
        if left == 0 {
            left = 6 + dice.below(20);
            at = (at + dice.below(200)) % (FILE_LINES - 200);
            let _ = write!(text, "@@ -{at},{left} +{at},{left} @@");
            return;
        }
        left -= 1;
        at += 1;
        let sign = dice.one(&[" ", " ", " ", "-", "+"]);
        let _ = write!(text, "{sign}{}", file.lines[at % FILE_LINES]);
    });
    let head =
        format!("diff --git a/{0} b/{0}\nindex 1f2e3d4..5c6b7a8 100644\n--- a/{0}\n+++ b/{0}\n", file.path);
    text.insert_str(0, &head);
    (command("git diff".to_owned()), text)
}
