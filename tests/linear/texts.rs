//! Texts that consist only of triggers: strings that rules, markers, reducers and readers of formats look for.
//!
//! The triggers come from the tables of these, so a new row is tested too. The openings of grammars are listed here.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::fixture::Fixture;
use tersed::reduce;
use tersed::text::marker::{Ago, Marker, NumbersThere, RetrievalMethod, Unit};
use tersed::text::origin::Origin;

/// A piece of text that some part of tersed searches for, and its table.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The table and the row.
    pub from: String,
    /// The piece.
    pub text: String,
}

impl Trigger {
    fn new(from: impl Into<String>, text: impl Into<String>) -> Self {
        Self { from: from.into(), text: text.into() }
    }
}

/// How a trigger is repeated: `{}` is replaced by it.
pub const SHAPES: &[&str] = &[
    "{}",
    "{} ",
    "{}\n",
    "{}\"",
    "{}=",
    "\"{}\": \"{",
    "\\\"{}\\\": \\\"{",
    "{\"{}\":[",
    "- {}: {}\n",
    "{}: |\n  ",
    "<{}>",
    "{}://a:",
];

/// A text of about `bytes` bytes in which a trigger is in a shape again and again.
pub fn repeated(trigger: &str, shape: &str, bytes: usize) -> String {
    let piece = shape.replace("{}", trigger);
    piece.repeat((bytes / piece.len().max(1)).max(1))
}

/// The text for comparison: lines of a log, of source code and of a listing in turn, as agents read them.
pub fn ordinary(bytes: usize) -> String {
    let mut out = String::new();
    let mut n = 7_u32;
    let mut turn = 0;
    while out.len() < bytes {
        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (a, b, c) = (n >> 8 & 0xfff, n >> 20, n >> 12 & 0xff);
        turn += 1;
        out.push_str(&match turn / 24 % 3 {
            0 => format!(
                "2026-05-04T10:{:02}:{:02}.{b:03} INFO worker-{c} took {a} items of src/part_{c}/file.rs in {b} ms ({n:08x})\n",
                n >> 9 & 31,
                n >> 15 & 31,
            ),
            1 => format!(
                "    let part_{c} = read(&path.join(\"file_{a}.txt\"))?.trim().to_owned();\n    if part_{c}.len() > {b} {{ return Err(Error::new(part_{c})); }}\n"
            ),
            _ => format!("-rw-r--r-- 1 dev dev {:>8} May  4 10:{:02} src/part_{c}/file_{a}.rs\n", n >> 4, n >> 9 & 31),
        });
    }
    out
}

/// The text after the name of a rule where triggers are its examples.
pub const EXAMPLES: &str = " examples";

/// Keywords, prefixes, and examples of the rules for secrets, whole and cut in half.
pub fn of_secrets() -> Vec<Trigger> {
    let source = include_str!("../../src/sanitize/secrets/rules.toml");
    let table: toml::Table = toml::from_str(source).unwrap();
    let mut out = Vec::new();
    let mut known = BTreeSet::new();
    for rule in table["rule"].as_array().unwrap() {
        let id = rule["id"].as_str().unwrap();
        let strings = |key: &str| -> Vec<String> {
            let list = rule.get(key).and_then(|v| v.as_array()).into_iter().flatten();
            // Examples are in pieces, so that no scanner takes them for secrets.
            let whole = |v: &toml::Value| match v {
                toml::Value::Array(pieces) => pieces.iter().filter_map(|piece| piece.as_str()).collect(),
                other => other.as_str().unwrap().to_owned(),
            };
            list.map(whole).collect()
        };
        let mut add = |text: &str, what: &str| {
            if !text.is_empty() && known.insert(text.to_owned()) {
                out.push(Trigger::new(format!("secrets/{id}{what}"), text));
            }
        };
        strings("keywords").iter().chain(&strings("prefix")).for_each(|word| add(word, ""));
        for example in strings("match").iter().chain(&strings("spare")) {
            add(example, EXAMPLES);
            add(&example[..example.floor_char_boundary(example.len() / 2)], EXAMPLES);
        }
    }
    out
}

/// Markers of every form, whole and as openings.
pub fn of_markers() -> Vec<Trigger> {
    let s = str::to_owned;
    let origin = |argument: Option<&str>| Origin {
        call: s("call_1"),
        tool: s("bash"),
        argument: argument.map(s),
        label: Some(s("src/a.rs")),
    };
    let all = [
        Marker::Lines {
            count: 3,
            first: 2,
            last: 9,
            is_sum: false,
            reason: Some(s("passing_tests")),
            id: Some(s("0123abcd")),
            names: Some(s("3 a")),
        },
        Marker::Lines {
            count: 3,
            first: 2,
            last: 9,
            is_sum: true,
            reason: None,
            id: None,
            names: Some(s("3 a")),
        },
        Marker::Bytes { count: 3, line: 2, reason: s("long_line"), id: None },
        Marker::Parts { count: 3, of: 9, unit: Unit::Items, reason: s("array_items"), names: Some(s("3 a")) },
        Marker::ByRule { rule: s("mine") },
        Marker::Rewritten { count: 3, first: 2, last: 9, reason: s("rule"), names: s("mine") },
        Marker::Repeats { period: 2, times: 3, first: 4, last: 9 },
        Marker::Shown {
            first: 2,
            last: 9,
            there: NumbersThere::From(12),
            origin: origin(None),
            ago: Some(Ago::Results(2)),
        },
        Marker::Shown {
            first: 2,
            last: 9,
            there: NumbersThere::From(12),
            origin: origin(Some("text")),
            ago: None,
        },
        Marker::Binary { mime: s("image/png"), bytes: 9 },
        Marker::NotKept { lines: 2, of: 9, bytes: 7, reason: s("buffer_full") },
        Marker::Exit { status: 3 },
        Marker::Original { lines: 3, handle: s("0123abcd"), by: RetrievalMethod::Id },
        Marker::Original {
            lines: 3,
            handle: s("0123abcd"),
            by: RetrievalMethod::Command { folder: Some(s("/a")) },
        },
        Marker::Externalized { key: s("0123456789abcdef"), kind: s("TEXT"), summary: s("2 lines") },
        Marker::Duplicate { call: s("call_1"), tool: s("bash"), label: None, ago: Some(Ago::Results(3)) },
    ];
    let mut out = Vec::new();
    for marker in &all {
        let text = marker.write();
        // Cut after every word: openings that nothing closes.
        let cuts: Vec<usize> = text.match_indices([' ', ':', ']']).map(|(at, _)| at + 1).collect();
        for cut in cuts {
            out.push(Trigger::new("marker", &text[..cut]));
        }
    }
    out.push(Trigger::new("marker", "[tersed#123456: "));
    out.push(Trigger::new("marker", "\\[tersed: "));
    out
}

/// Anchors of the reducers.
pub fn of_reducers() -> Vec<Trigger> {
    let anchors = reduce::all().flat_map(|r| r.meta().anchors.iter().map(|a| (r.meta().id, *a)));
    anchors.map(|(id, anchor)| Trigger::new(format!("reduce/{id}"), anchor)).collect()
}

/// Openings of the grammars that are read: brackets, strings, blocks, headers, escape sequences.
pub const OPENINGS: &[&str] = &[
    "{",
    "[",
    "(",
    "<",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\\\",
    "{\"a\":",
    "[{\"a\":1},",
    "[[",
    "{\"a\":\"\\u00",
    "{\"a\":{\"b\":[",
    "<a>",
    "<a ",
    "<a b=\"",
    "<!--",
    "<![CDATA[",
    "<a><![CDATA[",
    "[<a ",
    "<?xml ",
    "</",
    "<a/>",
    "&",
    "&#",
    "&#x",
    "&#0000091;",
    "&amp;",
    "&amp;#91;te",
    "%25",
    "%255B",
    "=5B",
    "=\n",
    "=E2=9F=A6te",
    "\\u005bters",
    "\\u{000000",
    "\\N{LEFT ",
    "\\0133",
    "\\5b ",
    "\u{2e57}te",
    "[t\u{301}",
    "[ te",
    "[\u{8}",
    "[tersed: {n} ",
    "<a>\n",
    "<li><a href=\"x\">",
    "- ",
    "- - ",
    "a:\n  ",
    "? ",
    "&a ",
    "*a ",
    "!!a ",
    "a: |\n",
    "a: >\n",
    "---\n",
    "...\n",
    "a: [",
    "a: {",
    "[a]\n",
    "[[a]]\n",
    "a = \"\"\"\n",
    "a = '''\n",
    "a.",
    "a = {",
    "0x41, ",
    "'a', ",
    "',",
    "# ",
    "## a\n",
    "```\n",
    "~~~\n",
    "> ",
    "| a ",
    "| a | b |\n",
    "|---|---|\n",
    "a,b,c\n",
    "a;b\n",
    "a\tb\n",
    "\"a,",
    "\"a\n",
    "+--+--+\n",
    "=== \n",
    "---- \n",
    "a  b\n",
    "NAME  READY\n",
    "<<EOF\n",
    "cat <<EOF\n",
    "INSERT INTO t (password) VALUES (\n",
    "INSERT INTO t (id, password) VALUES (1,'\n",
    "COPY t (id, password) FROM stdin;\n",
    "<<'EOF'\n",
    "EOF\n",
    "$(",
    "${",
    "`a",
    "&& ",
    "; ",
    "| ",
    "|| ",
    "'\\''",
    "sh -c '",
    "bash -lc \"",
    "\\\n",
    "if true; then\n",
    "for a in b; do\n",
    "case a in\n",
    "{ ",
    "( ",
    "a() {\n",
    "$((",
    "<(",
    ">&",
    "diff --git a/x b/x\n",
    "--- a/x\n+++ b/x\n",
    "@@ -1,9 +1,9 @@\n",
    "@@ -1 +1 @@\n+a\n-a\n",
    "+",
    "-",
    "index 1..2\n",
    "commit 0123456789\n",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "\u{1b}[",
    "\u{1b}[1m",
    "\u{1b}[1A",
    "\u{1b}[2K",
    "\u{1b}[99999C",
    "\u{1b}[1;1Ha",
    "\u{1b}[9999;1Ha",
    "\u{1b}]0;",
    "\u{1b}P",
    "\u{1b}_",
    "\u{1b}^",
    "\u{1b}]8;;a\u{1b}\\",
    "\u{1b}[1;2;3;4;5",
    "\u{1b}[L",
    "\u{1b}[M",
    "\u{1b}[@",
    "\u{1b}[P",
    "\u{1b}[J",
    "\u{1b}[1J",
    "\u{1b}7",
    "\u{1b}8",
    "\u{1b}M",
    "\u{1b}[?1049h",
    "\u{1b}[S",
    "\u{1b}[T",
    "a\r",
    "ab\u{8}",
    "\u{8}",
    "\r",
    "\u{b}",
    "\u{c}",
    "\n",
    " ",
    "\t",
    "\u{200b}",
    "e\u{301}",
    "\u{202e}",
    "\u{feff}",
    "\u{e0041}",
    "\u{0}",
    "\u{9b}1A",
    "a\u{1b}[Aa\n",
    "a\u{1b}[1000D",
    "日",
    "Traceback (most recent call last):\n",
    "  File \"a.py\", line 1, in b\n",
    "    at a.b(c.js:1:2)\n",
    "Caused by: a.B: c\n",
    "goroutine 1 [running]:\n",
    "\tat a.b.C.d(E.java:1)\n",
    "   0: a::b\n",
    "#0 0x0 in a () at b.c:1\n",
    "thread 'a' panicked at b:1:2:\n",
    "error: a\n",
    "warning: a\n",
    "error[E0001]: a\n --> b.rs:1:2\n",
    "a.c:1:2: error: b\n",
    "FAIL a\n",
    "ok 1 - a\n",
    "not ok 1 - a\n  ---\n",
    "test a ... ok\n",
    "test a ... FAILED\n",
    "--- FAIL: A (0.00s)\n",
    "=== RUN   A\n",
    "a: 1: b\n",
    "a:1:",
    "a/b/c\n",
    "a/\n  b\n",
    "├── a\n",
    "│   └── b\n",
    "drwxr-xr-x 2 a b 4096 Jan  1 00:00 c\n",
    "1\n",
    "1 ",
    "0x1 ",
    "0000000 6161\n",
    "00000000  61 61 61 61  |aaaa|\n",
    "YWFhYWFhYWFhYWFhYWFh",
    "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh\n",
    "61616161616161616161",
    "=\n",
    "=3D",
    "=3D=\n",
    "%41",
    "%25",
    "\\u0041",
    "\\x41",
    "\\101",
    "\\n",
    "&amp;",
    "\"a\" + \"b",
    "\"a\"\n\"b",
    "a\\\n",
    "12\t",
    "12:",
    "a.rs:12:",
    "+ ",
    "  12→",
    "[INFO] ",
    "2026-05-04T10:00:00Z ",
    "[2]{a:int}\n",
    "<<F1:",
    "<<R1:",
    "[Forge LZW Dictionary]\n",
    "[1/2] ",
    "10% ",
    "\u{2588}",
    "Downloading a\n",
    "Compiling a v1\n",
    "...",
    "{\"a\":1}\n",
    "{\"a\":\"b\"}\n{",
    "data: {\"a\":",
    "a=b ",
    "a=\"b ",
    "a=b&",
    "a(b, ",
    "fn a() {\n",
    "class A:\n",
    "def a():\n",
    "function a() {\n",
    "/* ",
    "// a\n",
    "\"\"\"",
    "'''",
    "#if a\n",
    "#[a]\n",
    "@a\n",
    "r#\"",
    "import a\n",
    "    ",
    "}\n",
    "{\n",
    ")",
];

/// The openings.
pub fn of_grammars() -> Vec<Trigger> {
    OPENINGS.iter().map(|text| Trigger::new("opening", *text)).collect()
}

/// A fixture with its text.
pub fn of_fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let areas = ["detail", "reduce", "encode", "elide", "trace", "generic", "rules"];
    let cases = Fixture::all(&areas).into_iter();
    cases
        .map(|case| (case.path.clone(), case.bytes("input").to_vec()))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}
