//! `tersed artifacts search`: looks through every original that the list names. Nothing is written anywhere.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::elsewhere::{self, Reach};
use super::{Place, copies, find, match_json, named, print_json};
use crate::artifact::vault::Vault;
use crate::artifact::{AccessError, Artifact, Match, Media, SearchOptions};
use crate::cli::Failure;
use crate::cli::out::{counted, print, print_message};

/// Searches one original, or all that `list` names.
pub(super) fn search(
    place: &Place,
    pattern: &str,
    given: Option<&str>,
    options: &SearchOptions,
) -> Result<ExitCode, Failure> {
    check(pattern, options)?;
    let vault = place.vault()?;
    let handles = match given {
        Some(given) => vec![given.to_owned()],
        None => all(place, &vault)?,
    };
    let (mut found, mut out) = (Vec::new(), String::new());
    for one in &handles {
        let (id, artifact) = match given {
            Some(given) => named(&vault, given)?,
            None => match find(&vault, one) {
                Ok(found) => found,
                // An original may be removed during the search.
                Err(_) => continue,
            },
        };
        let matches = match all_matches(&artifact, pattern, options) {
            Err(AccessError::NotText { .. }) if given.is_none() => continue,
            matches => matches.map_err(|error| error.to_string())?,
        };
        if place.json {
            let matches: Vec<Value> = matches.iter().map(match_json).collect();
            if !matches.is_empty() {
                found.push(json!({ "id": id, "matches": matches }));
            }
            continue;
        }
        let head = if given.is_none() { format!("{id}:") } else { String::new() };
        write_matches(&matches, &head, options.context > 0, &mut out);
    }
    let is_found = if place.json { !found.is_empty() } else { !out.is_empty() };
    match place.json {
        true => print_json(&Value::Array(found))?,
        false => print(&out)?,
    }
    if !is_found {
        print_message(&match handles.len() {
            0 => "there are no originals to search; `tersed artifacts --help` says where they are".to_owned(),
            n => format!("nothing matches in {}", counted(n, "original")),
        });
    }
    Ok(if is_found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Tries the pattern on an empty text, to distinguish an invalid pattern from one that matches nothing.
fn check(pattern: &str, options: &SearchOptions) -> Result<(), Failure> {
    match all_matches(&Artifact::of(Vec::new(), Media::Text), pattern, options) {
        Err(error @ AccessError::Pattern { .. }) => Err(Failure::value(error.to_string())),
        _ => Ok(()),
    }
}

/// The handles of all originals that `list` names.
fn all(place: &Place, vault: &Vault) -> Result<Vec<String>, Failure> {
    let copies = copies(vault)?;
    let mut known: HashSet<String> = copies.iter().map(|copy| copy.header.digest.clone()).collect();
    let mut handles: Vec<String> = copies.iter().map(|copy| copy.header.digest.clone()).collect();
    let elsewhere = if place.dir.is_none() { elsewhere::list(Reach::Everything) } else { Vec::new() };
    for listed in &elsewhere {
        let text = |name: &str| listed.get(name).and_then(Value::as_str);
        if let Some(id) = text("id").filter(|id| known.insert(text("digest").unwrap_or(id).to_owned())) {
            handles.push(id.to_owned());
        }
    }
    Ok(handles)
}

fn all_matches(
    artifact: &Artifact,
    pattern: &str,
    options: &SearchOptions,
) -> Result<Vec<Match>, AccessError> {
    let mut options = options.clone();
    let mut matches = Vec::new();
    loop {
        let found = artifact.search(pattern, &options, &|| false, &|| false)?;
        matches.extend(found.matches);
        match found.next_cursor {
            Some(cursor) => options.cursor = Some(cursor),
            None => return Ok(matches),
        }
    }
}

/// Formats like `grep`: a colon after the number of a match, a dash after that of a context line, each line once, and a line
/// of dashes between groups.
fn write_matches(matches: &[Match], head: &str, has_context: bool, out: &mut String) {
    let mut lines: BTreeMap<u64, (char, &str)> = BTreeMap::new();
    for one in matches {
        for beside in one.before.iter().chain(&one.after) {
            lines.entry(beside.line).or_insert(('-', &beside.text));
        }
        lines.insert(one.line, (':', &one.text));
    }
    let mut next = None;
    for (line, (sign, text)) in lines {
        if has_context && !out.is_empty() && next != Some(line) {
            out.push_str("--\n");
        }
        let _ = writeln!(out, "{head}{line}{sign}{text}");
        next = Some(line + 1);
    }
}
