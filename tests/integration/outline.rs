//! Golden outlines, and properties of the outlines of random lines.
//!
//! Every folder under `tests/outline` is a case: `input.<ext>` and the `outline` of it as text. With
//! `BLESS=1` the expected files are written again; read the difference before you commit it.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tersed::outline::{Item, Language, outline};

const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::TypeScript,
    Language::Go,
    Language::Java,
    Language::C,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Kotlin,
    Language::Swift,
    Language::Scala,
    Language::Dart,
    Language::Lua,
    Language::Elixir,
    Language::Shell,
    Language::Sql,
    Language::Markdown,
    Language::Html,
    Language::Css,
    Language::Yaml,
    Language::Toml,
    Language::Json,
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outline")
}

/// Each case's folder and the text of its input.
fn cases() -> Vec<(PathBuf, PathBuf, String)> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root()).unwrap().map(|e| e.unwrap().path()).collect();
    folders.sort();
    folders
        .into_iter()
        .map(|folder| {
            let input = fs::read_dir(&folder)
                .unwrap()
                .map(|e| e.unwrap().path())
                .find(|p| p.file_stem().is_some_and(|s| s == "input"))
                .unwrap_or_else(|| panic!("{}: no input", folder.display()));
            let text = fs::read_to_string(&input).unwrap();
            (folder, input, text)
        })
        .collect()
}

/// First and last line as people count them; `-` for no lines.
fn range(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => "-".to_owned(),
        1 => format!("{}", lines.end),
        _ => format!("{}-{}", lines.start + 1, lines.end),
    }
}

fn dump(items: Option<&[Item<'_>]>) -> String {
    let Some(items) = items else { return "none\n".to_owned() };
    let mut out = String::new();
    for item in items {
        let pad = "  ".repeat(usize::from(item.depth));
        let doc = item.doc.map_or(String::new(), |d| format!(" doc {}", d + 1));
        let (lines, signature, body) = (range(&item.lines), range(&item.signature), range(&item.body));
        let (kind, name) = (item.kind.name(), item.name);
        writeln!(out, "{pad}{kind} {name} | {lines} signature {signature} body {body}{doc}").unwrap();
    }
    out
}

#[test]
fn golden() {
    let mut wrong = Vec::new();
    for (folder, input, text) in cases() {
        let lines: Vec<&str> = text.lines().collect();
        let language = Language::of(input.to_str(), "").unwrap();
        let actual = dump(outline(language, &lines).as_deref());
        let path = folder.join("outline");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &actual).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != actual {
            wrong.push(format!("{}\n{actual}", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_language_has_a_case() {
    let seen: Vec<Language> =
        cases().iter().map(|(_, input, _)| Language::of(input.to_str(), "").unwrap()).collect();
    for language in LANGUAGES {
        assert!(seen.contains(language), "{}", language.name());
    }
}

/// Properties of every outline.
fn check(items: &[Item<'_>], lines: &[&str]) {
    let mut open: Vec<&Item<'_>> = Vec::new();
    let mut last = 0;
    for item in items {
        assert!(item.lines.start >= last && item.lines.end <= lines.len(), "{item:?}");
        last = item.lines.start;
        assert!(
            item.lines.start <= item.signature.start && item.signature.start < item.signature.end,
            "{item:?}"
        );
        assert!(item.signature.end <= item.body.start && item.body.start <= item.body.end, "{item:?}");
        assert!(item.body.end <= item.lines.end.max(item.body.start), "{item:?}");
        assert!(item.signature.end <= item.lines.end, "{item:?}");
        assert!(item.doc.is_none_or(|d| item.lines.contains(&d)), "{item:?}");
        while open.last().is_some_and(|o| o.lines.end <= item.lines.start) {
            open.pop();
        }
        if let Some(outer) = open.last() {
            assert!(
                outer.body.start <= item.lines.start && item.lines.end <= outer.body.end,
                "{outer:?} {item:?}"
            );
        }
        assert_eq!(usize::from(item.depth), open.len().min(255), "{item:?}");
        let place =
            |l: &&str| l.as_bytes().as_ptr_range().contains(&item.name.as_ptr()) || item.name.is_empty();
        assert!(item.name.is_empty() || lines.iter().any(place), "{item:?}");
        open.push(item);
    }
}

/// Every window of every case, in every language: cut at any line.
#[test]
fn windows_of_the_cases() {
    for (_, input, text) in cases() {
        let lines: Vec<&str> = text.lines().collect();
        let own = Language::of(input.to_str(), "").unwrap();
        for start in 0..lines.len() {
            for end in [lines.len(), (start + 7).min(lines.len()), (start + 20).min(lines.len())] {
                if let Some(items) = outline(own, &lines[start..end]) {
                    check(&items, &lines[start..end]);
                }
            }
        }
        for language in LANGUAGES {
            if let Some(items) = outline(*language, &lines) {
                check(&items, &lines);
            }
        }
    }
}

/// Pieces that the scanners have rules for.
fn piece() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "fn a(",
        "def b",
        "class C",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "'",
        "`",
        "${",
        "\"\"\"",
        "/*",
        "*/",
        "//",
        "#",
        "--",
        "=>",
        "->",
        ":",
        ";",
        ",",
        "=",
        "<",
        ">",
        "</div>",
        "<div>",
        "<script>",
        "<!--",
        "-->",
        "end",
        "do",
        "<<EOF",
        "EOF",
        "<<~X",
        "BEGIN",
        "END",
        "$$",
        "CREATE TABLE x",
        "# h",
        "```",
        "===",
        "---",
        "- a",
        "k: v",
        "k: |",
        "[t]",
        "#if 0",
        "#else",
        "#endif",
        "#define X \\",
        "\\",
        "r#\"",
        "R\"x(",
        "@\"",
        "<?php",
        "?>",
        "<<<A",
        "func",
        "type",
        "struct",
        "impl",
        "import",
        "const x",
        "function",
        "é",
        "→",
        "\u{1F600}",
        "\t",
        "    ",
        " ",
        "@a",
        "enum E",
        "it('",
        "[[",
        "]]",
        "=begin",
        "'''",
        "operator",
        "template <",
        "~",
        "public:",
        "#[x]",
        "\r",
    ];
    prop_oneof![8 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_lines(rows in prop::collection::vec(prop::collection::vec(piece(), 0..6), 0..40)) {
        let rows: Vec<String> = rows.iter().map(|r| r.join("").replace('\n', " ")).collect();
        let lines: Vec<&str> = rows.iter().map(String::as_str).collect();
        for language in LANGUAGES {
            if let Some(items) = outline(*language, &lines) {
                check(&items, &lines);
            }
        }
    }
}
