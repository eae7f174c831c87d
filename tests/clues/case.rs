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
//! A clue is a chain: each piece has to stand before the next one, with none of the texts of `not between` between two of
//! them. White space does not count; a piece that may be shown in two forms has both, with ` || ` between them: `"id":7 || 7,`. Other names of the head are `tool` (`bash` if there is none), `path`, `query`,
//! `arguments` and `policy` (both JSON), and `lines` for a text that ends without a newline: `lines: open`.

use crate::template;
use std::fs;
use std::path::Path;
use tersed::config::PolicyPatch;
use tersed::text::call::ToolCall;

#[derive(Debug, Clone)]
pub struct Case {
    /// Its class and its own name, for example `outliers/smart_disks`.
    pub name: String,
    pub call: ToolCall,
    pub policy: PolicyPatch,
    pub clues: Vec<Vec<String>>,
    pub not_between: Vec<String>,
    pub text: String,
}

impl Case {
    /// All cases of a folder of classes, by name.
    pub fn all(root: &Path) -> Vec<Self> {
        let mut cases = Vec::new();
        for class in
            fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
        {
            for file in fs::read_dir(&class).unwrap().map(|entry| entry.unwrap().path()) {
                let (class, stem) = (class.file_name().unwrap(), file.file_stem().unwrap());
                let name = format!("{}/{}", class.to_str().unwrap(), stem.to_str().unwrap());
                assert!(file.extension().is_some_and(|e| e == "case"), "{name}: a case ends with .case");
                cases.push(Self::read(&name, &fs::read_to_string(&file).unwrap()));
            }
        }
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        cases
    }

    /// One case from what its file holds.
    pub fn read(name: &str, file: &str) -> Self {
        let (head, template) = file.split_once("\n---\n").unwrap_or_else(|| panic!("{name}: no line ---"));
        let mut case = Self {
            name: name.to_owned(),
            call: ToolCall { tool: "bash".into(), ..ToolCall::default() },
            policy: PolicyPatch::default(),
            clues: Vec::new(),
            not_between: Vec::new(),
            text: template::render(template, name),
        };
        for line in head.lines() {
            let (key, value) = line.split_once(": ").unwrap_or_else(|| panic!("{name}: {line}"));
            match key {
                "command" => case.call.command = Some(value.to_owned()),
                "exit" => case.call.exit_code = Some(value.parse().unwrap()),
                "tool" => case.call.tool = value.to_owned(),
                "path" => case.call.path = Some(value.to_owned()),
                "query" => case.call.query = Some(value.to_owned()),
                "arguments" => case.call.arguments = serde_json::from_str(value).unwrap(),
                "policy" => case.policy = serde_json::from_str(value).unwrap(),
                "clue" => case.clues.push(value.split(" >> ").map(str::to_owned).collect()),
                "not between" => case.not_between.push(value.to_owned()),
                "lines" if value == "open" => case.text.truncate(case.text.trim_end_matches('\n').len()),
                _ => panic!("{name}: {line}"),
            }
        }
        assert!(!case.clues.is_empty(), "{name}: no clue");
        case
    }

    /// What of the clues is not readable in a text: one line each.
    pub fn missing_in(&self, shown: &str) -> Vec<String> {
        let shown = squeezed(shown);
        let between: Vec<String> = self.not_between.iter().map(|text| squeezed(text)).collect();
        self.clues.iter().filter_map(|clue| missing(clue, &shown, &between)).collect()
    }
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

    /// Where it stands, from the end to the start: start and end of each place.
    fn places(&self, text: &str) -> Vec<(usize, usize)> {
        let places = self.forms.iter().flat_map(|form| text.match_indices(form.as_str()));
        let mut places: Vec<_> = places.map(|(at, form)| (at, at + form.len())).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        places
    }
}

/// Why a chain does not stand in a text, or nothing.
fn missing(clue: &[String], shown: &str, between: &[String]) -> Option<String> {
    let pieces: Vec<Piece> = clue.iter().map(|piece| Piece::new(piece)).collect();
    if let Some(piece) = pieces.iter().find(|piece| piece.places(shown).is_empty()) {
        return Some(format!("{}: not shown: {}", clue.join(" >> "), piece.written));
    }
    let (last, above) = pieces.split_last()?;
    let stands = last.places(shown).iter().any(|&(start, _)| has_above(&shown[..start], above, between));
    (!stands).then(|| format!("{}: shown, but not one under the other", clue.join(" >> ")))
}

/// Whether pieces stand in a text in their order, the last of them with none of `between` behind it, and so on.
fn has_above(text: &str, pieces: &[Piece], between: &[String]) -> bool {
    let Some((last, above)) = pieces.split_last() else { return true };
    // The nearest place is not always the right one: a short piece may also stand inside other text.
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
