//! Files of a diff that are not read line by line: lock files by name, and minified files by name and by their long
//! lines. Files that the call names are not among these, because the agent asked for them. Notes in a file
//! ("generated", "do not edit") are ignored.

use super::super::unified::File;
use crate::input::Input;
use crate::text::source::Source;

/// The most changed lines that are shown of such a file.
const MAX_LINES: usize = 40;
/// Most bytes of changed lines that are shown of a minified file, where a single line may be all of it.
const MAX_BYTES: usize = 16 * 1024;
/// A file is minified if its lines have at least this many bytes. It may also have up to `MAX_READABLE_LINES` shorter
/// lines, such as a licence or the reference to a source map.
const MIN_MINIFIED_BYTES: usize = 200;
const MAX_READABLE_LINES: usize = 12;

/// Lock files, by name.
const LOCK_FILES: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pixi.lock",
    "Pipfile.lock",
    "go.sum",
    "go.work.sum",
    "composer.lock",
    "Gemfile.lock",
    "Podfile.lock",
    "Package.resolved",
    "pubspec.lock",
    "packages.lock.json",
    "gradle.lockfile",
    "mix.lock",
    "rebar.lock",
    "flake.lock",
    "Chart.lock",
    "MODULE.bazel.lock",
    ".terraform.lock.hcl",
];

/// Minified files and their maps, by the end of their name.
const MINIFIED: &[&str] =
    &[".min.js", ".min.mjs", ".min.cjs", ".min.css", ".js.map", ".mjs.map", ".cjs.map", ".css.map"];

/// Whether the changes of a file fold. Notes in the file are ignored: anybody can write them, also to hide code from
/// a reader. A file with the name of a minified one but readable lines is code.
pub fn folds(input: &Input<'_>, file: &File<'_>) -> bool {
    let is_lock = LOCK_FILES.contains(&file.name);
    let is_minified = MINIFIED.iter().any(|end| file.name.ends_with(end));
    if !(is_lock || is_minified) {
        return false;
    }
    let is_large = file.changes() > MAX_LINES || is_minified && changed_bytes(input.source, file) > MAX_BYTES;
    is_large && !is_named(input, file.name) && (is_lock || !is_readable(input.source, file))
}

/// Whether more changed lines are short than a minified file has.
fn is_readable(source: &Source<'_>, file: &File<'_>) -> bool {
    changed(source, file).filter(|line| (8..MIN_MINIFIED_BYTES).contains(&line.len())).count()
        > MAX_READABLE_LINES
}

fn changed_bytes(source: &Source<'_>, file: &File<'_>) -> usize {
    changed(source, file).map(str::len).sum()
}

fn changed<'a>(source: &'a Source<'_>, file: &'a File<'_>) -> impl Iterator<Item = &'a str> {
    let lines =
        file.hunks.iter().flat_map(move |hunk| hunk.body.clone().map(move |i| (hunk, source.line(i))));
    lines.filter(|(hunk, line)| hunk.is_change(line)).map(|(_, line)| line)
}

/// The text in the marker for a file whose changes fold: its path, lines added and lines removed.
pub fn named(source: &Source<'_>, file: &File<'_>) -> String {
    let (mut added, mut removed) = (0, 0);
    for hunk in &file.hunks {
        for line in hunk.body.clone().map(|i| source.line(i)).filter(|line| hunk.is_change(line)) {
            match hunk.is_removal(line) {
                true => removed += 1,
                false => added += 1,
            }
        }
    }
    format!("{} +{added} -{removed}", file.path)
}

/// Whether the call names the file, by its arguments, its path or its query: then the agent asked for it.
fn is_named(input: &Input<'_>, name: &str) -> bool {
    let mut words =
        input.detection.command.pipelines.iter().flatten().flat_map(|s| &s.argv).map(String::as_str);
    words.any(|word| matches_name(word, name))
        || input.call.path.as_deref().is_some_and(|path| matches_name(path, name))
        || input.call.query.as_deref().is_some_and(|query| query.contains(name))
}

/// Whether a path is that of a file of this name; one `*` may match a part of it, not all.
fn matches_name(path: &str, name: &str) -> bool {
    // `:!x` and `:^x` ask git to leave x out.
    if path.starts_with(":!") || path.starts_with(":^") || path.starts_with(":(exclude)") {
        return false;
    }
    let base = path.rsplit(['/', '\\', ':']).next().unwrap_or(path);
    match base.split_once('*') {
        None => base == name,
        Some((head, tail)) => {
            base.len() > 1 && name.len() + 1 >= base.len() && name.starts_with(head) && name.ends_with(tail)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Policy;
    use crate::detect::Detection;
    use crate::text::call::ToolCall;
    use crate::text::relevance::Relevance;

    fn folds_in(text: &str, call: &ToolCall) -> bool {
        let source = Source::new(text);
        let input = Input {
            source: &source,
            call,
            detection: &Detection::default(),
            policy: &Policy::default(),
            relevance: &Relevance::default(),
        };
        folds(&input, &File::read(&source, 0).unwrap())
    }

    fn added(name: &str, lines: &[String]) -> String {
        format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,{} @@\n+{}\n", lines.len(), lines.join("\n+"))
    }

    #[test]
    fn many_changes_of_lock_and_minified_files_fold() {
        let lines = |n: usize| (0..n).map(|i| format!("line {i}")).collect::<Vec<_>>();
        let call = ToolCall::default();
        assert!(folds_in(&added("web/yarn.lock", &lines(41)), &call));
        assert!(!folds_in(&added("web/yarn.lock", &lines(40)), &call));
        assert!(!folds_in(&added("web/yarn.rs", &lines(4000)), &call));
        let asked = ToolCall { query: Some("why did yarn.lock change".into()), ..ToolCall::default() };
        assert!(!folds_in(&added("web/yarn.lock", &lines(41)), &asked));
        let long = |n: usize| "x;".repeat(n / 2);
        assert!(folds_in(&added("app.min.js", &[long(20_000)]), &call));
        assert!(!folds_in(&added("app.min.js", &[long(9_000)]), &call));
    }

    #[test]
    fn nothing_but_the_name_of_a_lock_or_minified_file_hides_code() {
        let lines = |first: &str| {
            let more = (0..300).map(|i| format!("line {i}"));
            std::iter::once(first.to_owned()).chain(more).collect::<Vec<_>>()
        };
        let call = ToolCall::default();
        for name in [
            "schema.py",
            "schema_pb2.py",
            "schema_pb2_grpc.py",
            "api.pb.go",
            "x.g.dart",
            "Form.Designer.cs",
            "view.test.js.snap",
            "dist/app.js",
            "vendor/lib.c",
            "min.js",
            "yarn.lock.py",
            "lock",
            "a.map",
            "app.min.js.py",
        ] {
            for first in ["# @generated", "// Code generated by protoc-gen-go. DO NOT EDIT.", "x"] {
                assert!(!folds_in(&added(name, &lines(first)), &call), "{name} {first}");
            }
            assert!(!folds_in(&added(name, &["x;".repeat(20_000)]), &call), "{name}");
        }
    }

    #[test]
    fn code_with_the_name_of_a_minified_file_is_shown() {
        let call = ToolCall::default();
        let lines: Vec<String> = (0..61).map(|n| format!("steal(document.cookies[{n}]);")).collect();
        assert!(!folds_in(&added("app.min.js", &lines), &call));
        let hidden = [lines, vec!["x;".repeat(20_000)]].concat();
        assert!(!folds_in(&added("app.min.js", &hidden), &call));
        assert!(folds_in(&added("app.min.js", &["/*! licence */".to_owned(), "x;".repeat(20_000)]), &call));
    }

    #[test]
    fn the_marker_names_the_file_and_counts_its_lines() {
        let text = "--- a/web/yarn.lock\n+++ b/web/yarn.lock\n@@ -1,3 +1,4 @@\n same\n-a\n-b\n+c\n+d\n+e\n";
        let source = Source::new(text);
        assert_eq!(named(&source, &File::read(&source, 0).unwrap()), "web/yarn.lock +3 -2");
        let gone = "--- a/yarn.lock\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        let source = Source::new(gone);
        assert_eq!(named(&source, &File::read(&source, 0).unwrap()), "yarn.lock +0 -2");
    }

    #[test]
    fn the_call_names_files() {
        for (path, name) in [
            ("web/yarn.lock", "yarn.lock"),
            ("*.lock", "Cargo.lock"),
            ("HEAD:go.sum", "go.sum"),
            ("a*.js", "ab.js"),
        ] {
            assert!(matches_name(path, name), "{path}");
        }
        for (path, name) in [
            ("*", "yarn.lock"),
            (":!yarn.lock", "yarn.lock"),
            ("yarn", "yarn.lock"),
            ("a*a", "a"),
            ("*.js", "x.ts"),
        ] {
            assert!(!matches_name(path, name), "{path}");
        }
    }
}
