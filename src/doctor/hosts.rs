//! Checks hosts: which exist here, which are set up, and whether the program that they start exists.

use std::path::Path;
use std::thread;

use super::Finding;
use super::setup::{is_plugin, started};
use super::spawn::version;
use crate::install::hosts::{ROWS, codex};
use crate::install::{InstallState, Place, Row, Scope, Status};

const AREA: &str = "hosts";

/// `own` is the path of this program.
pub(super) fn check(place: &Place, own: &Path) -> Result<Vec<Finding>, String> {
    let rows: Vec<(&Row, Place, Status)> = ROWS
        .iter()
        .flat_map(|row| row.scopes.iter().map(move |scope| (row, place.with_scope(*scope))))
        .map(|(row, place)| {
            let status = row.status(&place);
            (row, place, status)
        })
        .collect();
    // In parallel, because each program takes a while to print its version.
    let versions: Vec<Option<Result<String, String>>> = thread::scope(|scope| {
        let started: Vec<_> = rows
            .iter()
            .map(|(_, place, status)| {
                let program = status.programs.first().filter(|_| place.scope == Scope::User);
                program.map(|program| scope.spawn(move || version(program)))
            })
            .collect();
        started.into_iter().map(|handle| handle.and_then(|handle| handle.join().ok())).collect()
    });
    let mut all = Vec::new();
    for ((row, place, status), version) in rows.iter().zip(versions) {
        all.extend(findings(row, place, status, version, own));
    }
    if all.is_empty() {
        let fix = Some("`tersed install --list` names the hosts that can be set up".to_owned());
        all.push(Finding::note(AREA, "no agent host was found".to_owned(), fix));
    }
    Ok(all)
}

fn findings(
    row: &Row,
    place: &Place,
    status: &Status,
    version: Option<Result<String, String>>,
    own: &Path,
) -> Vec<Finding> {
    let flags = if place.scope == Scope::Project { " --scope project" } else { "" };
    let install = format!("tersed install {}{flags}", row.name);
    let name = match (place.scope, version) {
        (Scope::Project, _) => format!("{} in this project", row.title),
        (Scope::User, Some(Ok(version))) => format!("{} ({version})", row.title),
        (Scope::User, Some(Err(why))) => format!("{} ({why})", row.title),
        (Scope::User, None) => row.title.to_owned(),
    };
    let mut all: Vec<Finding> = status
        .faults
        .iter()
        .map(|fault| {
            Finding::fault(
                AREA,
                format!("{name}: {fault}"),
                "fix the file: tersed does not edit a file that it cannot read".to_owned(),
            )
        })
        .collect();
    let is_here = !status.programs.is_empty() || status.has_folder;
    if status.held != InstallState::All && is_plugin(row, place) {
        all.push(match started(place, "tersed", own) {
            Ok(text) => Finding::ok(AREA, format!("{name}: set up by its plugin, starts {text}")),
            Err(why) => {
                let fix = "put tersed into the PATH that the host has".to_owned();
                Finding::fault(AREA, format!("{name}: its plugin starts tersed, {why}"), fix)
            }
        });
        return all;
    }
    match status.held {
        InstallState::All => {}
        InstallState::Other => {
            let text = format!("{name}: partly set up, or by another version");
            all.push(Finding::fault(AREA, text, install.clone()));
        }
        InstallState::None => {
            if is_here && place.scope == Scope::User && status.faults.is_empty() {
                all.push(Finding::note(AREA, format!("{name}: not set up"), Some(install)));
            }
            return all;
        }
    }
    let not_run = if row.name == codex::ROW.name { codex::not_run(place) } else { Vec::new() };
    if !not_run.is_empty() {
        let text = format!(
            "{name}: Codex does not run these hooks, which it does not trust as they are: {}",
            not_run.join(", ")
        );
        let fix = "open Codex, type /hooks and trust the hooks of tersed".to_owned();
        all.push(Finding::fault(AREA, text, fix));
    }
    // With a fault, nothing is in order.
    let is_whole = all.is_empty();
    for start in &status.starts {
        all.extend(match started(place, start, own) {
            Ok(_) if !is_whole => None,
            Ok(text) => Some(Finding::ok(AREA, format!("{name}: set up, starts {text}"))),
            Err(why) => {
                let fix = format!("tersed uninstall {0}{flags}, then {install}", row.name);
                Some(Finding::fault(AREA, format!("{name}: starts {start}, {why}"), fix))
            }
        });
    }
    all
}
