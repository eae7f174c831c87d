//! Circular uses between files. Files that use each other, even through others, cannot be read one at a time. A
//! folder's `mod.rs` and the files in the folder may use each other.
//!
//! Reads paths in `use` and elsewhere as text. A path through a re-export counts for the file that re-exports.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::tidy::{code, sources};
use crate::common::repository;

type Module = Vec<String>;

/// The module that a file is.
fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

/// All single paths of a `use`, after the text before it.
fn expand(tree: &str, before: &[&str], out: &mut Vec<Module>) {
    let tree = tree.trim();
    let whole = |rest: &str| {
        let rest = rest.split_whitespace().next().unwrap_or_default();
        let parts = rest.split("::").filter(|part| !part.is_empty());
        before.iter().copied().chain(parts).map(str::to_owned).collect()
    };
    let Some((head, group)) = tree.split_once('{') else {
        out.push(whole(tree));
        return;
    };
    let before: Vec<&str> =
        before.iter().copied().chain(head.trim().split("::").filter(|part| !part.is_empty())).collect();
    let group = group.trim_end().trim_end_matches('}');
    let (mut depth, mut start) = (0, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    expand(&group[start..at], &before, out);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The paths in the code of a file, with names that were imported written out.
fn paths(code: &str) -> Vec<Module> {
    let comment = Regex::new(r"//[^\n]*").unwrap();
    let string = Regex::new(r#"(?s)"(?:[^"\\]|\\.)*""#).unwrap();
    let import = Regex::new(r"\buse\s+([^;]+);").unwrap();
    let path = Regex::new(r"\b(?:\w+::)+\w+").unwrap();
    let code = comment.replace_all(code, "");
    let code = string.replace_all(&code, "");
    let mut out = Vec::new();
    for found in import.captures_iter(&code) {
        expand(&found[1], &[], &mut out);
    }
    let names: BTreeMap<String, Module> =
        out.iter().filter_map(|path| Some((path.last()?.clone(), path.clone()))).collect();
    for found in path.find_iter(&import.replace_all(&code, "")) {
        let mut path: Module = found.as_str().split("::").map(str::to_owned).collect();
        if let Some(import) = names.get(&path[0]) {
            path.splice(..1, import.iter().cloned());
        }
        out.push(path);
    }
    out
}

/// The target of a path in a module, from the root of the crate; `None` for other crates and the module's own names.
fn target(path: &[String], own: &[String], is_module: impl Fn(&[String]) -> bool) -> Option<Module> {
    let first = path.first()?.as_str();
    if first == "crate" {
        return Some(path[1..].to_vec());
    }
    let inner = [own, &path[..1]].concat();
    let mut base = own.to_vec();
    let mut rest = path;
    while let Some(step @ ("super" | "self")) = rest.first().map(String::as_str) {
        if step == "super" {
            base.pop();
        }
        rest = &rest[1..];
    }
    (rest.len() < path.len() || is_module(&inner)).then(|| [&base, rest].concat())
}

/// Which files use which.
fn arrows() -> BTreeMap<Module, BTreeSet<Module>> {
    let root = repository("src");
    let files: BTreeMap<Module, String> = sources("src")
        .into_iter()
        .map(|(path, text)| (path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/"), text))
        .filter(|(path, _)| !["lib.rs", "main.rs"].contains(&path.as_str()))
        .map(|(path, text)| (module(&path), code(&text).to_owned()))
        .filter(|(module, _)| !module.iter().any(|part| part == "tests"))
        .collect();
    let mut out = BTreeMap::new();
    for (own, code) in &files {
        let file = |path: Module| {
            (1..=path.len()).rev().map(|n| path[..n].to_vec()).find(|module| files.contains_key(module))
        };
        let paths = paths(code);
        let used =
            paths.iter().filter_map(|path| target(path, own, |m| files.contains_key(m))).filter_map(file);
        let used: BTreeSet<Module> =
            used.filter(|module| !module.starts_with(own) && !own.starts_with(module)).collect();
        out.insert(own.clone(), used);
    }
    out
}

/// The way from a file back to itself, if there is one.
fn circle(arrows: &BTreeMap<Module, BTreeSet<Module>>, start: &Module) -> Option<Vec<String>> {
    let mut from: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for next in arrows.get(at).into_iter().flatten() {
            if next == start {
                let mut way = vec![start.join("::"), at.join("::")];
                let mut at = at;
                while let Some(before) = from.get(at) {
                    at = before;
                    way.push(at.join("::"));
                }
                way.reverse();
                return Some(way);
            }
            if !from.contains_key(next) {
                from.insert(next, at);
                open.push(next);
            }
        }
    }
    None
}

#[test]
fn no_file_uses_itself_by_way_of_others() {
    let arrows = arrows();
    assert!(arrows.len() > 500, "{} files", arrows.len());
    let count: usize = arrows.values().map(BTreeSet::len).sum();
    assert!(count > 1500, "{count} arrows");
    let found: Vec<String> =
        arrows.keys().filter_map(|file| circle(&arrows, file)).map(|way| way.join(" -> ")).collect();
    assert!(found.is_empty(), "circles of files:\n{}", found.join("\n"));
}

#[test]
fn circles_are_found() {
    let own = |path: &str| module(path);
    let mut paths =
        paths("use crate::{a::{b, c::D as E}, x};\nfn f() { E::new(); super::y::z(); b::g() }").into_iter();
    let mut all: BTreeSet<String> = BTreeSet::new();
    all.extend(paths.by_ref().map(|path| path.join("::")));
    for path in ["crate::a::b", "crate::a::c::D", "crate::x", "super::y::z", "crate::a::b::g"] {
        assert!(all.contains(path), "{path} in {all:?}");
    }
    let arrow = |from: &str, to: &[&str]| (own(from), to.iter().map(|to| own(to)).collect());
    let arrows = BTreeMap::from([
        arrow("a.rs", &["b.rs"]),
        arrow("b.rs", &["c/mod.rs"]),
        arrow("c/mod.rs", &["a.rs"]),
    ]);
    assert_eq!(circle(&arrows, &own("a.rs")).unwrap(), ["a", "b", "c", "a"]);
    assert_eq!(circle(&BTreeMap::from([arrow("a.rs", &["b.rs"]), arrow("b.rs", &[])]), &own("a.rs")), None);
}
