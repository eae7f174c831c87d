//! Texts that cost as much as somebody who knows the program can make them: its own triggers, repeated, opened and never
//! closed, nested.

use tersed::pipeline::marker;
use tersed::pipeline::sanitize::secrets;
use tersed::reduce;

use tersed_fuzz::TARGETS;

/// A way to make a text of any size.
#[derive(Debug, Clone)]
pub struct Text {
    /// What it is made of.
    pub name: String,
    /// The command that it is the output of, where that matters.
    pub command: String,
    unit: String,
    form: Form,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    /// The unit again and again.
    Repeated,
    /// The unit on lines, each one blank less indented than the one before.
    Outdented,
    /// The unit on lines, each one blank more indented.
    Indented,
}

impl Text {
    fn repeated(name: String, unit: String) -> Self {
        Self { name, command: String::new(), unit, form: Form::Repeated }
    }

    /// A text of about so many bytes.
    pub fn of(&self, bytes: usize) -> String {
        let repeated = |unit: &str| unit.repeat(bytes / unit.len().max(1) + 1);
        if matches!(self.form, Form::Repeated) {
            return repeated(&self.unit);
        }
        // So many lines that their blanks take half of it.
        let lines = (1..).take_while(|n| n * (n / 2 + self.unit.len()) < bytes).last().unwrap_or(1);
        let line = |depth: usize| format!("{}{}\n", " ".repeat(depth), self.unit);
        match self.form {
            Form::Indented => (0..lines).map(line).collect(),
            _ => (0..lines).rev().map(line).collect(),
        }
    }
}

/// Text as tools write it: source, log and data in equal parts.
pub fn ordinary(bytes: usize) -> String {
    let source = |i: usize| {
        format!(
            "    let value_{i} = compute({i}, &names[{}])?;\n    // The next one is {}.\n",
            i % 7,
            i * 31 % 97
        )
    };
    let log = |i: usize| {
        format!(
            "2026-01-02T03:{:02}:{:02}Z INFO web::server: request {i} to /items/{} took {} ms\n",
            i / 60 % 60,
            i % 60,
            i * 17 % 1000,
            i * 7 % 90
        )
    };
    let data = |i: usize| {
        format!(
            "{{\"id\": {i}, \"name\": \"item {i}\", \"state\": \"{}\", \"score\": {}.5}}\n",
            ["ready", "waiting"][i % 2],
            i * 13 % 100
        )
    };
    let mut out = String::with_capacity(bytes + 256);
    for part in 1..=3 {
        for i in 0.. {
            if out.len() * 3 >= bytes * part {
                break;
            }
            out.push_str(&match part {
                1 => source(i),
                2 => log(i),
                _ => data(i),
            });
        }
    }
    out
}

/// All of them.
pub fn texts() -> Vec<Text> {
    let mut words: Vec<&str> = secrets::triggers();
    words.extend(marker::OPENINGS);
    words.extend(reduce::all().flat_map(|reducer| reducer.meta().anchors).copied());
    words.extend(TARGETS.iter().flat_map(|target| target.words).copied());
    words.extend(OPENINGS);
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.dedup();
    let mut all = Vec::new();
    for word in words {
        for (form, end) in ENDS {
            all.push(Text::repeated(format!("{word:?} {form}"), format!("{word}{end}")));
        }
    }
    for word in LINES {
        for form in [Form::Indented, Form::Outdented] {
            all.push(Text {
                name: format!("{word:?} {form:?}"),
                command: String::new(),
                unit: (*word).to_owned(),
                form,
            });
        }
    }
    for (name, unit) in NESTED {
        all.push(Text::repeated((*name).to_owned(), (*unit).to_owned()));
    }
    for command in COMMANDS {
        all.push(Text {
            command: command.repeat(2000),
            ..Text::repeated(format!("command {command:?}"), "x\n".to_owned())
        });
    }
    all
}

/// What follows each trigger.
const ENDS: &[(&str, &str)] = &[
    ("alone", ""),
    ("on lines", "\n"),
    ("with a quote that is open", " = \""),
    ("with an object that is open", "\": \"{"),
    ("with an object that is open and escaped", "\\\": {\\\""),
    ("with a value", ": x1Y2z3\n"),
];

/// What opens something.
const OPENINGS: &[&str] = &[
    "(",
    "<",
    "<a ",
    "<!--",
    "<![CDATA[",
    "<?",
    "\"",
    "'",
    "`",
    "/*",
    "$(",
    "${",
    "{{",
    "<%",
    "\\",
    "\\\"",
    "\u{1b}[",
    "\u{1b}]",
    "\u{1b}P",
    "\u{1b}[A",
    "\u{1b}[1;1H",
    "\u{8}",
    "\r",
    "\t",
    "=?",
    "&#",
    "%2",
    "\\u00",
    "--",
    "~~~\n",
    "```\n",
    "<<EOF\n",
    "@@ -1,9 +1,9 @@\n",
    "--- a\n+++ b\n",
    "[1/",
    "a:1:",
    "a|",
    "| ",
    "\u{2502} ",
    "- - ",
    "0000000 ",
    "[[",
    "{\"a\":[",
];

/// Lines that are indented.
const LINES: &[&str] = &[
    "kind: Secret",
    "data:",
    "a:",
    "- a: b",
    "at a.b(C.java:1)",
    "{\"a\": {",
    "if x:",
    "<a>",
    "password: |",
    "error: x",
];

/// Pairs that look into each other.
const NESTED: &[(&str, &str)] = &[
    ("secret string of an object", "\"SecretString\": \"{"),
    ("secret string, escaped object", "\"SecretString\": \"{\\\"a\\\": \\\""),
    ("kind of a secret", "{\"kind\": \"Secret\","),
    ("kind of a secret, escaped", "{\\\"kind\\\": \\\"Secret\\\","),
    ("kind of a secret without an object", "\"kind\": \"Secret\" "),
    ("kind of a secret without an object, escaped", "\\\"kind\\\": \\\"Secret\\\" "),
    ("kind of a secret, no quote closed", "{\"kind\": \"Secret\", \"data\": {\"a\": x "),
    ("kind in one line", "kind: Secret "),
    ("kind, data and the end of a document", "kind: Secret\ndata:\n  a: YQ==\n---\n"),
    ("key blocks that begin", "-----BEGIN PRIVATE KEY-----\n"),
    (
        "key blocks that begin and have key material",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n",
    ),
    ("key blocks of dashes", "-----BEGIN PRIVATE KEY---- ---- ---- "),
    ("cookies", "Cookie: a=b; c=d; "),
    ("users of addresses", "https://a:b"),
    ("users of addresses, at", "https://a:b@c@"),
    ("container variables", "\"Env\": [\"A_TOKEN=b\", "),
    ("names of passwords in a row", "password_password_"),
    ("duplicates that open each other", "[Duplicate of [Duplicate of a ("),
    ("pointers that open each other", "[EXTERNALIZED: a | b | "),
    ("markers of lines", "[tersed: omitted 3 lines 1-3, "),
    ("escaped markers", "\\[tersed: exit status 1] "),
    ("here-documents", "cat <<EOF\n"),
    ("here-documents of two kinds", "cat <<'A' <<-B\n"),
    ("redactions", "[REDACTED:"),
    ("redactions of a rule", "[REDACTED:github-pat]"),
    ("cursor up", "a\n\u{1b}[1A"),
    ("cursor to places", "\u{1b}[9999;9999Hx"),
    ("overwritten lines", "abcdefgh\r"),
    ("alternating brackets", "[{[{\"a\":"),
    ("tags that open", "<a><b c=\"d\">"),
    ("tags that close", "</a></b>"),
    ("rows of tables", "| a | b | c |\n|---|---|\n"),
    ("records of logs that repeat by two", "2026-01-02T03:04:05Z INFO a\n2026-01-02T03:04:06Z WARN b\n"),
    ("tests that fail", "test a ... FAILED\n---- a stdout ----\n"),
    ("diffs of one line", "diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n"),
    ("diffs that promise more", "@@ -1,999999 +1,999999 @@\n"),
    ("frames of traces", "Traceback (most recent call last):\n  File \"a\", line 1, in b\n"),
    ("causes of causes", "Caused by: a: b\n\tat c.d(E.java:1)\n"),
];

/// Pieces of command lines.
const COMMANDS: &[&str] = &[
    "a <<EOF\n",
    "cat <<'A'\nx\n",
    "$(",
    "`",
    "'",
    "\"",
    "{ ",
    "( ",
    "if a; then ",
    "a | ",
    "bash -c '",
    "a && ",
    "\\\n",
    "${a:-",
    "for i in ",
    "case a in ",
];
