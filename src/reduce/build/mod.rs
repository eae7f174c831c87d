//! Build diagnostics: what compilers and the build tools around them print.
//!
//! This module has what the reducers of the family share. Nothing here depends on the grammar of one compiler.

mod ansible;
mod bazel;
mod bundle;
mod bundlers;
mod cargo_json;
mod cmake;
mod gcc;
mod gcc_lines;
mod gcc_repeats;
mod gcc_steps;
mod go_build;
mod helm_release;
mod javac;
mod make;
mod meson;
mod msvc;
mod packer;
mod rustc;
mod swift_build;
mod terraform;
mod tsc;

use std::collections::{HashMap, HashSet};

use super::Reducer;
use crate::reduce::lines::{CLAIM_LINES, Tally};

/// The reducers of this family. If two claim a text equally, the one listed first wins.
pub static REDUCERS: &[&dyn Reducer] = &[
    &cargo_json::CargoJson,
    &rustc::Rustc,
    &gcc::Gcc,
    &tsc::Tsc,
    &javac::Javac,
    &msvc::Msvc,
    &go_build::GoBuild,
    &bundlers::WEBPACK,
    &bundlers::VITE,
    &bundlers::ESBUILD,
    &bundlers::ROLLUP,
    &bundlers::NEXT,
    &bundlers::BABEL,
    &bazel::BAZEL,
    &swift_build::SWIFT_BUILD,
    &terraform::Terraform,
    &ansible::Ansible,
    &packer::PACKER,
    &helm_release::HELM_RELEASE,
    &meson::MESON,
    &cmake::CMAKE,
];

/// This many diagnostics of one kind are shown whole; further ones lose their excerpts.
const SHOWN_WHOLE: usize = 5;

/// The file name of a path, without folders.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The file name of a path, up to the first dot.
fn stem(path: &str) -> &str {
    let name = name(path);
    match name.find('.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    }
}

/// For each kind of diagnostic, how often it occurred, and the explanations that were shown with it.
#[derive(Default)]
struct Kinds<'a> {
    seen: HashMap<String, (usize, HashSet<&'a str>)>,
}

impl<'a> Kinds<'a> {
    /// Counts a diagnostic of this kind. Returns how many there are so far, including this one, and the explanations
    /// that were shown with them.
    fn count(&mut self, kind: String) -> (usize, &mut HashSet<&'a str>) {
        let (count, notes) = self.seen.entry(kind).or_default();
        *count += 1;
        (*count, notes)
    }
}

/// A message without its varying parts: quoted names and digits.
fn kind_of(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut quoted = false;
    for c in message.chars() {
        match c {
            '`' => quoted = !quoted,
            _ if quoted || c.is_ascii_digit() => continue,
            _ => {}
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_forget_names() {
        assert_eq!(kind_of("unused variable: `a1`"), kind_of("unused variable: `other`"));
        assert_eq!(kind_of("too many arguments (8/7)"), kind_of("too many arguments (10/7)"));
        assert_ne!(kind_of("unused variable: `a`"), kind_of("unused import: `a`"));
        assert_eq!(
            (stem("lib/a.c.o"), stem("a.o"), stem(".deps"), stem("prog")),
            ("a", "a", ".deps", "prog")
        );
    }
}
