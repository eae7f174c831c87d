//! `version` and `repository` are in Cargo.toml alone. Files that repeat them for other tools are compared, and
//! written again with `BLESS=1`. `tests/packages.sh` builds, installs and uses the packages.

use std::fs;
use std::process::Command;

use crate::common::{bless, repository};
use regex::Regex;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Files that repeat the version, and the text before it.
const REPEATED: &[(&str, &str)] = &[
    ("editors/claude-code/.claude-plugin/plugin.json", r#""version": ""#),
    ("editors/emacs/tersed.el", ";; Version: "),
    ("editors/vscode/README.md", "extensions/tersed.tersed-"),
    ("editors/vscode/package.json", r#"  "version": ""#),
    ("protocol/bindings/python/pyproject.toml", "\nversion = \""),
    ("protocol/bindings/typescript/package.json", r#"  "version": ""#),
    ("protocol/bindings/typescript/src/version.ts", "VERSION = \""),
];

#[test]
fn every_file_that_repeats_the_version_has_that_of_the_crate() {
    for (path, before) in REPEATED {
        let file = repository(path);
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{path}: {e}"));
        let version = Regex::new(&format!("({})[0-9][0-9A-Za-z.+-]*", regex::escape(before))).unwrap();
        assert_eq!(version.find_iter(&text).count(), 1, "{path}");
        let now = version.replace(&text, format!("${{1}}{VERSION}"));
        if bless() && now != text {
            fs::write(&file, &*now).unwrap();
        }
        assert!(
            now == fs::read_to_string(&file).unwrap(),
            "{path} is not of version {VERSION}; BLESS=1 writes it anew"
        );
    }
    let log = fs::read_to_string(repository("CHANGELOG.md")).unwrap();
    assert!(log.contains(&format!("\n## [{VERSION}]")), "CHANGELOG.md has no part for {VERSION}");
}

/// The address of the repository is not known to stay, so nothing else may spell it.
#[test]
fn the_repository_is_named_in_one_place() {
    let address = env!("CARGO_PKG_REPOSITORY");
    assert!(address.starts_with("https://"), "{address}");
    let mut git = Command::new("git");
    git.current_dir(repository(".")).args(["grep", "--files-with-matches", "--fixed-strings", address]);
    let listed = git.output().unwrap();
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), "Cargo.toml\n");
}

/// `cargo install` has no other file than those of the crate.
#[test]
fn the_crate_holds_what_it_is_built_from() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(repository(".")).args(["package", "--list", "--allow-dirty", "--offline", "--quiet"]);
    let listed = cargo.output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files: Vec<&str> = listed.lines().collect();
    let included = Regex::new(r#"include_(?:str|bytes)!\("([^"]+)"\)"#).unwrap();
    let mut seen = 0;
    for (path, text) in crate::tidy::sources("src") {
        for found in included.captures_iter(crate::tidy::code(&text)) {
            let file = path.parent().unwrap().join(&found[1]).canonicalize();
            let file = file.unwrap_or_else(|e| panic!("{}: {}: {e}", path.display(), &found[1]));
            let file = file.strip_prefix(repository(".").canonicalize().unwrap()).unwrap().to_path_buf();
            assert!(
                files.contains(&&*file.to_string_lossy().replace('\\', "/")),
                "{} is left out",
                file.display()
            );
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen}");
    for needed in ["LICENSE", "README.md", "build.rs", "build/classes.rs", "src/main.rs"] {
        assert!(files.contains(&needed), "{needed} is left out");
    }
    assert!(!files.iter().any(|file| file.starts_with(".ci") || file.starts_with("tests")), "{files:?}");
}
