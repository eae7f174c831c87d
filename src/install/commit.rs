//! Installs and uninstalls: either all files of a host change, or none.

use super::change::Change;
use super::hosts::Row;
use super::place::{Place, Scope};
use super::plan::{self, Action, Step};
use super::record::{Entry, Records};
use super::write;

/// Plans the change of one file. The record of it may be missing.
type PlanStep = fn(&Change, Option<&Entry>, &Records) -> Result<Step, String>;

/// Sets a host up; with `dry` only returns the steps.
///
/// # Errors
///
/// The message names the file and the fault; nothing was changed.
pub fn install(row: &Row, place: &Place, dry: bool) -> Result<Vec<Step>, String> {
    change(row, place, dry, plan::install)
}

/// Removes what was set up for a host; with `dry` only returns the steps.
///
/// # Errors
///
/// As for [`install`].
pub fn uninstall(row: &Row, place: &Place, dry: bool) -> Result<Vec<Step>, String> {
    change(row, place, dry, plan::uninstall)
}

fn change(row: &Row, place: &Place, dry: bool, plan_step: PlanStep) -> Result<Vec<Step>, String> {
    let records = Records::of(place);
    let _turn = if dry { None } else { Some(records.turn()?) };
    let known = entries(row, place, &records)?;
    let changes = (row.changes)(place);
    let mut steps = Vec::new();
    for change in &changes {
        let entry = known.iter().find(|entry| entry.path == change.path);
        // What an earlier run wrote there can be undone.
        if place.scope == Scope::Project && entry.is_none() {
            write::check_below(&place.project, &change.path)?;
        }
        steps.push(plan_step(change, entry, &records)?);
    }
    // Files that another version wrote elsewhere.
    for entry in known.iter().filter(|entry| !changes.iter().any(|change| change.path == entry.path)) {
        steps.push(plan::uninstall_former(entry, &records)?);
    }
    if !dry {
        commit(row, place, &records, &mut steps, &known)?;
    }
    Ok(steps)
}

fn entries(row: &Row, place: &Place, records: &Records) -> Result<Vec<Entry>, String> {
    Ok(records.get(row.name, place)?.map(|record| record.files).unwrap_or_default())
}

/// Writes the record and the files. After a failure everything is restored.
fn commit(
    row: &Row,
    place: &Place,
    records: &Records,
    steps: &mut [Step],
    known: &[Entry],
) -> Result<(), String> {
    for step in steps.iter().filter(|step| step.action() != Action::None) {
        write::check(&step.target)?;
    }
    for step in steps.iter_mut() {
        if let Some((_, Some(base))) = &step.record {
            records.keep(base)?;
        }
        if let Some(changed) = &step.changed {
            let kept = records.keep_changed(&step.path, changed)?;
            step.note = Some(format!("was changed since; what it said is in {}", kept.display()));
        }
    }
    let mut entries: Vec<Entry> = known.to_vec();
    for (entry, _) in steps.iter().filter_map(|step| step.record.as_ref()) {
        entries.retain(|known| known.path != entry.path);
        entries.push(entry.clone());
    }
    if entries != known {
        // The record is written first, so that an interrupted run can be undone.
        records.put(row.name, place, entries)?;
    }
    let is_shared = place.scope == Scope::Project;
    for (index, step) in steps.iter().enumerate() {
        if step.action() == Action::None {
            continue;
        }
        if let Err(fault) =
            write::replace(&step.target, step.before.as_deref(), step.after.as_deref(), is_shared)
        {
            for done in steps[..index].iter().filter(|step| step.action() != Action::None) {
                // A file that cannot be restored is reported by the next run.
                let _ =
                    write::replace(&done.target, done.after.as_deref(), done.before.as_deref(), is_shared);
            }
            for made in steps[..=index].iter().rev().filter(|step| step.before.is_none()) {
                if let Some((entry, _)) = &made.record {
                    write::remove_folders(&entry.folders);
                }
            }
            records.put(row.name, place, known.to_vec())?;
            return Err(format!("{fault}; nothing was changed"));
        }
    }
    // In reverse order: a folder created for one file may contain a later one.
    for step in steps.iter().rev().filter(|step| step.after.is_none()) {
        write::remove_folders(&step.folders);
    }
    let left: Vec<Entry> =
        steps.iter().filter_map(|step| step.record.as_ref()).map(|(entry, _)| entry.clone()).collect();
    records.put(row.name, place, left)?;
    records.prune();
    Ok(())
}
