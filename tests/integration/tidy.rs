//! Checks of the house rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut out = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                out.push((path, text));
            }
        }
    }
    out.sort();
    out
}

/// The part of a file before its tests.
pub fn code(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap()
}

#[test]
fn every_file_says_what_it_is_for() {
    for (path, text) in sources("src") {
        assert!(text.starts_with("//! "), "{}", path.display());
    }
}

#[test]
fn the_core_is_pure() {
    const SHELL: &[&str] = &[
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "std::thread",
        "std::time",
        "Instant",
        "SystemTime",
        "tokio",
        "crate::server",
        "crate::engine",
        "crate::session",
        "crate::artifact",
        "crate::protocol",
        "crate::cli",
        "crate::layers",
        "crate::telemetry",
        // It reads files for those above the core.
        "crate::files",
        "println!",
        "eprintln!",
    ];
    let place = |name: &str| LEVELS.iter().position(|level| *level == name).unwrap();
    let core = &LEVELS[place("tokens")..=place("reclaim")];
    let mut seen = BTreeSet::new();
    for (path, text) in sources("src") {
        let Some(module) = core.iter().find(|module| **module == module_of(&path)) else { continue };
        seen.insert(*module);
        for word in SHELL {
            let found = code(&text).lines().any(|l| !l.trim_start().starts_with("//") && l.contains(word));
            assert!(!found || path.ends_with("tests.rs"), "{}: {word}", path.display());
        }
    }
    assert_eq!(seen.len(), core.len(), "{seen:?}");
}

/// The top-level module that a file of `src` belongs to.
fn module_of(path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
    path.split(['/', '.']).next().unwrap().to_owned()
}

#[test]
fn files_stay_readable() {
    for (path, text) in sources("src") {
        let lines = code(&text).lines().count();
        assert!(lines <= 560, "{}: {lines} lines", path.display());
    }
}

#[test]
fn nothing_points_at_a_machine() {
    for folder in ["src", "tests", "benches"] {
        for (path, text) in sources(folder) {
            for place in ["/root/", "/home/user/"] {
                let found = text.lines().any(|l| l.contains(place) && !l.contains("for place in"));
                assert!(!found, "{}: {place}", path.display());
            }
        }
    }
}

/// The page names tests by their functions, and uses "run" for a run that no test repeats in full.
#[test]
fn the_tests_that_the_page_of_limits_names_are_there() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/limits.md")).unwrap();
    let code: String = sources("src").into_iter().chain(sources("tests")).map(|(_, text)| text).collect();
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| --- ")) {
        let held_by = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        if ["held by", "run"].contains(&held_by) {
            continue;
        }
        for name in held_by.split(", ") {
            let name = name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).expect(row);
            assert!(code.contains(&format!("fn {name}(")), "no test is called {name}");
            named += 1;
        }
    }
    assert!(named > 50, "{named}");
}

#[test]
fn the_places_that_the_map_names_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let folders = ["src/", "tests/", "protocol/", "editors/", "fuzz/", "benches/"];
    let named = page.split('`').skip(1).step_by(2);
    let named =
        named.filter(|name| folders.iter().any(|folder| name.starts_with(folder)) && !name.contains("NAME"));
    let mut count = 0;
    for name in named {
        assert!(root.join(name).exists(), "{name}");
        count += 1;
    }
    assert!(count > 80, "{count}");
}

/// The modules of the crate, lowest first: each may use those before it, and none after it.
const LEVELS: &[&str] = &[
    "wasm",
    "stop",
    "memory",
    "files",
    "tokens",
    "text",
    "sanitize",
    "formats",
    "detect",
    "outline",
    "config",
    "input",
    "encode",
    "reduce",
    "elide",
    "detail",
    "rules",
    "pipeline",
    "reclaim",
    "layers",
    "artifact",
    "protocol",
    "telemetry",
    "session",
    "engine",
];
/// The interfaces, above all levels.
const INTERFACES: &[&str] = &["cli", "doctor", "gateway", "host", "in_process", "install", "server"];

/// The modules of the crate that a text uses, also in groups.
fn uses(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let mut depth = 0;
        let mut word = String::new();
        // One name, or each first name of a group.
        for c in rest.chars() {
            match c {
                c if c.is_alphanumeric() || c == '_' => word.push(c),
                '{' => depth += 1,
                _ if depth == 0 => break,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 1 && matches!(c, ',' | ':' | '}') || depth == 0 && c == '}' {
                out.push(std::mem::take(&mut word));
            } else if depth > 1 {
                word.clear();
            }
            if depth == 0 && c == '}' {
                break;
            }
        }
        out.push(word);
    }
    out.retain(|word| !word.is_empty());
    out
}

#[test]
fn arrows_between_modules_point_down() {
    let level = |module: &str| {
        let known = LEVELS.iter().position(|known| *known == module);
        known.or(INTERFACES.contains(&module).then_some(LEVELS.len()))
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for (path, text) in sources("src") {
        let own = module_of(&path);
        let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        if matches!(&*own, "lib" | "main") || path.ends_with("/tests.rs") || path.contains("/tests/") {
            continue;
        }
        let from = level(&own).unwrap_or_else(|| panic!("src/{own} has no level"));
        let code: String = code(&text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .map(|line| format!("{line}\n"))
            .collect();
        for used in uses(&code) {
            // A name that is not a module is an item of the crate itself.
            if used != own && level(&used).is_some_and(|to| to >= from && to < LEVELS.len() || to > from) {
                found.push((path.clone(), used));
            }
        }
    }
    found.sort();
    found.dedup();
    assert_eq!(found, [], "arrows that point upwards");
}

/// The map of the page has the levels in their order, and below it the interfaces.
#[test]
fn the_map_has_the_order_of_the_levels() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md")).unwrap();
    let map = page.split("## The map").nth(1).unwrap().split("### ").next().unwrap();
    let name = |text: &str| text.split('`').next().unwrap().trim_end_matches(".rs").to_owned();
    let rows: Vec<String> = map.lines().filter_map(|line| line.strip_prefix("| `src/")).map(name).collect();
    assert_eq!(rows, LEVELS);
    let below = map.split("The interfaces use these modules").nth(1).unwrap();
    let mut named: Vec<String> = below.split("`src/").skip(1).map(name).collect();
    named.sort();
    named.dedup();
    assert_eq!(named, INTERFACES);
}

#[test]
fn the_repository_stays_small() {
    /// This many files can still be listed and searched quickly. A choice.
    const MAX_FILES: usize = 3_500;
    let mut git = Command::new("git");
    let output = git.current_dir(env!("CARGO_MANIFEST_DIR")).args(["ls-files", "-z"]).output();
    // Without git, or outside a clone, there is no list.
    let Some(output) = output.ok().filter(|output| output.status.success()) else { return };
    let files = output.stdout.iter().filter(|byte| **byte == 0).count();
    assert!(files < MAX_FILES, "{files} files");
}

#[test]
fn the_engine_alone_is_at_most_sixty_crates() {
    /// The crate itself is one of them.
    const MOST: usize = 60;
    const OF_THE_PROGRAM: [&str; 7] = ["clap", "rusqlite", "rmcp", "reqwest", "hyper", "tokio", "schemars"];
    let tree = |more: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
        cargo.args(["tree", "--locked", "--offline", "--edges", "normal", "--prefix", "none"]);
        let output = cargo.args(["--format", "{p}"]).args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // A line is a name, a version, and further information on the crate.
        let crates = String::from_utf8(output.stdout).unwrap();
        let of_line = |line: &str| Some(line.split_once(' ')?.0.to_owned());
        crates.lines().filter_map(of_line).collect::<BTreeSet<String>>()
    };
    let alone = tree(&["--no-default-features"]);
    assert!(alone.contains("tersed") && alone.contains("jsonrpc-core"), "{alone:?}");
    assert!(alone.len() <= MOST, "{} crates: {alone:?}", alone.len());
    let whole = tree(&[]);
    for name in OF_THE_PROGRAM {
        assert!(!alone.contains(name), "{name}");
    }
    assert!(whole.len() > alone.len() && whole.contains("clap"), "{whole:?}");
}
