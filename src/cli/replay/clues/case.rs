//! One case: what was called, which clues must stay readable, and the text.
//!
//! ```text
//! command: kubectl get pods -A
//! exit: 0
//! clue: payments >> ledger-7 >> CrashLoopBackOff
//! clue: 61 pods
//! not between: NAMESPACE
//! ---
//! the text, as `template.rs` describes it
//! ```
//!
//! A clue is a chain of pieces: each must come before the next one, with none of the texts of `not between` in
//! between. White space does not count. A piece that may be shown in two forms has both, separated by ` || `:
//! `"id":7 || 7,`. Other names in the head are `tool` (default `bash`), `path`, `query`, `arguments` and `policy`
//! (both JSON), and `lines: open` for a text that ends without a newline.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::template;
use crate::text::call::ToolCall;

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    /// The class and the name of the case, for example `outliers/smart_disks`.
    pub name: String,
    /// What was called.
    pub call: ToolCall,
    /// Settings, as the `policy` of a request.
    pub policy: Value,
    /// The chains that must stay readable.
    pub clues: Vec<Vec<String>>,
    /// Texts that must not be between two pieces of a chain.
    pub not_between: Vec<String>,
    /// The output.
    pub text: String,
}

impl Case {
    /// All cases in a folder of classes, by name.
    ///
    /// # Errors
    /// If a file is not a case; the message has its path.
    pub fn all(root: &Path) -> Result<Vec<Self>, String> {
        let mut cases = Vec::new();
        for class in entries(root)?.into_iter().filter(|path| path.is_dir()) {
            for file in entries(&class)? {
                if file.extension().is_none_or(|e| e != "case") {
                    return Err(format!("{}: a case ends with .case", file.display()));
                }
                let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                let case = Self::read(&format!("{}/{}", name(&class), name(&file)), &text);
                cases.push(case.map_err(|why| format!("{}: {why}", file.display()))?);
            }
        }
        Ok(cases)
    }

    /// Reads one case from the content of its file.
    ///
    /// # Errors
    /// If the head or the template has a wrong form.
    pub fn read(name: &str, file: &str) -> Result<Self, String> {
        let (head, template) = file.split_once("\n---\n").ok_or("no line `---` behind the head")?;
        let mut case = Self {
            name: name.to_owned(),
            call: ToolCall { tool: "bash".into(), ..ToolCall::default() },
            policy: json!({}),
            clues: Vec::new(),
            not_between: Vec::new(),
            text: template::render(template, name)?,
        };
        for line in head.lines() {
            let (key, value) =
                line.split_once(": ").ok_or_else(|| format!("{line}: expected `name: value`"))?;
            let wrong = |why: &dyn std::fmt::Display| format!("{line}: {why}");
            match key {
                "command" => case.call.command = Some(value.to_owned()),
                "exit" => case.call.exit_code = Some(value.parse().map_err(|e| wrong(&e))?),
                "tool" => case.call.tool = value.to_owned(),
                "path" => case.call.path = Some(value.to_owned()),
                "query" => case.call.query = Some(value.to_owned()),
                "arguments" => case.call.arguments = serde_json::from_str(value).map_err(|e| wrong(&e))?,
                "policy" => case.policy = serde_json::from_str(value).map_err(|e| wrong(&e))?,
                "clue" => case.clues.push(value.split(" >> ").map(str::to_owned).collect()),
                "not between" => case.not_between.push(value.to_owned()),
                "lines" if value == "open" => case.text.truncate(case.text.trim_end_matches('\n').len()),
                _ => {
                    return Err(wrong(
                        &"expected command, exit, tool, path, query, arguments, policy, clue, not between or lines: open",
                    ));
                }
            }
        }
        if case.clues.is_empty() {
            return Err("no clue".to_owned());
        }
        let wrong = case.missing_in(&case.text);
        if let Some(clue) = wrong.first() {
            return Err(format!("a clue that the text itself does not hold: {clue}"));
        }
        Ok(case)
    }

    /// Which clues are not readable in a text: one line for each.
    pub fn missing_in(&self, shown: &str) -> Vec<String> {
        let shown = squeezed(shown);
        let between: Vec<String> = self.not_between.iter().map(|text| squeezed(text)).collect();
        self.clues.iter().filter_map(|clue| missing(clue, &shown, &between)).collect()
    }
}

/// The entries of a folder, by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    let entries = fs::read_dir(folder).map_err(wrong)?;
    let mut paths =
        entries.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    paths.sort();
    Ok(paths)
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A piece of a chain: the forms in which it may be shown.
struct Piece<'a> {
    written: &'a str,
    forms: Vec<String>,
}

impl<'a> Piece<'a> {
    fn new(written: &'a str) -> Self {
        Self { written, forms: written.split(" || ").map(squeezed).collect() }
    }

    /// The start and the end of each occurrence, last occurrence first.
    fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let places = self.forms.iter().flat_map(|form| text.match_indices(form.as_str()));
        let mut places: Vec<_> = places.map(|(at, form)| (at, at + form.len())).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        places
    }
}

/// Why a chain is not readable in a text; `None` if it is.
fn missing(clue: &[String], shown: &str, between: &[String]) -> Option<String> {
    let pieces: Vec<Piece> = clue.iter().map(|piece| Piece::new(piece)).collect();
    if let Some(piece) = pieces.iter().find(|piece| piece.places(shown).is_empty()) {
        return Some(format!("{}: not shown: {}", clue.join(" >> "), piece.written));
    }
    let (last, above) = pieces.split_last()?;
    let stands = last.places(shown).iter().any(|&(start, _)| has_above(&shown[..start], above, between));
    (!stands).then(|| format!("{}: shown, but not one under the other", clue.join(" >> ")))
}

/// Whether the pieces occur in `text` in their order, none of `between` after the last piece, nor between two pieces.
fn has_above(text: &str, pieces: &[Piece], between: &[String]) -> bool {
    let Some((last, above)) = pieces.split_last() else { return true };
    // The nearest occurrence is not always the right one: a short piece may also be part of other text.
    for (start, end) in last.places(text) {
        let gap = &text[end..];
        if between.iter().any(|heading| gap.contains(heading.as_str())) {
            return false;
        }
        if has_above(&text[..start], above, between) {
            return true;
        }
    }
    false
}
