//! Golden fixtures: one file per case, in sections.
//!
//! ```text
//! ==== case: call.json ====
//! { "tool": "bash", "command": "cargo test", "exitCode": 101 }
//! ==== case: input, without a final newline ====
//! error: no such command
//! ==== case: output ====
//! …
//! ```
//!
//! A section is all bytes up to the next header. `call.json` has the call, its arguments and the policy, `input` the
//! raw result, `output` all that the model would see, `evidence.json` the evidence.

#![allow(dead_code, reason = "every test target uses another part of it")]

use std::fs;
use std::path::{Path, PathBuf};

/// The start and the end of a header, and its note for a section without a final newline.
const OPEN: &str = "==== case: ";
const CLOSE: &str = " ====\n";
const NO_NEWLINE: &str = ", without a final newline";

/// One case.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// Its file.
    pub path: PathBuf,
    sections: Vec<(String, Vec<u8>)>,
}

impl Fixture {
    /// Reads a file.
    ///
    /// # Panics
    /// It is not there, or holds something before its first header.
    pub fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut sections: Vec<(String, Vec<u8>)> = Vec::new();
        let mut is_open = false;
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            let title =
                std::str::from_utf8(line).ok().and_then(|line| line.strip_prefix(OPEN)?.strip_suffix(CLOSE));
            if let Some(title) = title {
                cut(&mut sections, is_open);
                is_open = title.ends_with(NO_NEWLINE);
                sections.push((title.trim_end_matches(NO_NEWLINE).to_owned(), Vec::new()));
            } else {
                let last = sections.last_mut();
                last.unwrap_or_else(|| panic!("{}: no header", path.display())).1.extend_from_slice(line);
            }
        }
        cut(&mut sections, is_open);
        Self { path: path.to_owned(), sections }
    }

    /// A case of the repository by its name, for example `detail/outline/rust-arrows`.
    pub fn named(name: &str) -> Self {
        Self::read(&root().join(name).with_extension("txt"))
    }

    /// All cases of some areas, in order of their names.
    pub fn all(areas: &[&str]) -> Vec<Self> {
        let mut paths: Vec<PathBuf> = areas
            .iter()
            .flat_map(|area| list(&root().join(area)))
            .flat_map(|group| list(&group))
            .filter(|path| path.extension().is_some_and(|end| end == "txt"))
            .collect();
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// Its area, group and name.
    pub fn name(&self) -> String {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path).with_extension("");
        path.display().to_string()
    }

    /// A section; empty where there is none.
    pub fn bytes(&self, section: &str) -> &[u8] {
        self.sections.iter().find(|(title, _)| title == section).map_or(&[], |(_, bytes)| bytes)
    }

    /// A section that is JSON.
    ///
    /// # Panics
    /// It is not.
    pub fn json<T: serde::de::DeserializeOwned>(&self, section: &str) -> T {
        serde_json::from_slice(self.bytes(section))
            .unwrap_or_else(|e| panic!("{}, {section}: {e}", self.name()))
    }

    /// Replaces a section or adds it.
    pub fn set(&mut self, section: &str, bytes: &[u8]) {
        match self.sections.iter_mut().find(|(title, _)| title == section) {
            Some((_, old)) => *old = bytes.to_vec(),
            None => self.sections.push((section.to_owned(), bytes.to_vec())),
        }
    }

    /// Writes the file.
    ///
    /// # Panics
    /// It cannot be written, or a section holds a header.
    pub fn write(&self) {
        let mut out = Vec::new();
        for (title, bytes) in &self.sections {
            let is_open = !bytes.is_empty() && !bytes.ends_with(b"\n");
            assert!(
                !bytes.split(|b| *b == b'\n').any(|line| line.starts_with(OPEN.as_bytes())),
                "{}",
                self.name()
            );
            out.extend_from_slice(
                format!("{OPEN}{title}{}{CLOSE}", if is_open { NO_NEWLINE } else { "" }).as_bytes(),
            );
            out.extend_from_slice(bytes);
            if is_open {
                out.push(b'\n');
            }
        }
        fs::write(&self.path, out).unwrap_or_else(|e| panic!("{}: {e}", self.path.display()));
    }
}

/// Takes the newline from the last section that its own bytes do not have.
fn cut(sections: &mut [(String, Vec<u8>)], is_open: bool) {
    if is_open && let Some((_, bytes)) = sections.last_mut() {
        bytes.pop();
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn list(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}
